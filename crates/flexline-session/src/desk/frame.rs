//! A frame: how the scene looks at one moment, as the bytes that a page draws. `PROTOCOL.md` of the server describes
//! them.

use super::contact::{ClearanceView, ContactView};
use super::view::Seated;
use crate::session::Solved;
use flexline::solver::motion::MotionEnergies;
use flexline::solver::network::Short;
use flexline::solver::{Pose, Sample, Status};
use flexline_scene::harness::CompiledCable;
use serde::Serialize;
use std::collections::BTreeMap;

/// The first bytes of a frame.
pub const MAGIC: [u8; 4] = *b"FLX1";
/// Bytes before the nodes.
pub const HEAD: usize = 32;
/// Bytes of a node.
pub const NODE: usize = 48;
/// Bytes of a pose.
pub const POSE: usize = 32;

/// What a frame says beside shapes: the proof, and what goes on.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Trailer {
    /// How the solve ended.
    pub status: Status,
    /// The same as a sentence, with what is missing.
    pub line: String,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest unbalanced force, N.
    pub residual: f64,
    /// Largest violation of an end or a constraint, m.
    pub violation: f64,
    /// Directions that release energy.
    pub unstable: usize,
    /// What the last solve or step took, ms.
    pub solve_ms: f64,
    /// Time in motion, s.
    pub time: Option<f64>,
    /// Energies in motion, J.
    pub energy: Option<Energy>,
    /// Cables that are too short.
    pub short: Vec<Shortage>,
    /// Turns of every cable from its beginning to its end.
    pub turns: Vec<f64>,
    /// What presses on cables.
    pub contacts: Vec<ContactView>,
    /// Where a cable is nearest to an obstacle.
    pub clearance: Option<ClearanceView>,
    /// Length of every cable now, m.
    pub lengths: Vec<f64>,
    /// The stamp of the last drag of every client that is in this frame.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number>"))]
    pub stamps: BTreeMap<u64, f64>,
    /// Whether this is what would happen.
    pub preview: bool,
    /// The recorded frame that is shown.
    pub scrub: Option<usize>,
}

/// Energies in motion, J.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of bending and twist.
    pub elastic: f64,
    /// Of gravity and dead loads.
    pub potential: f64,
    /// These together.
    pub total: f64,
    /// Work done so far by hands and by what is led.
    pub work: f64,
    /// Lost so far to damping and drag.
    pub dissipated: f64,
}

impl Energy {
    pub(super) fn new(e: &MotionEnergies, [work, dissipated]: [f64; 2]) -> Self {
        let MotionEnergies { kinetic, elastic, potential } = *e;
        Self { kinetic, elastic, potential, total: e.total(), work, dissipated }
    }
}

/// A cable that is too short.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Shortage {
    /// Which one.
    pub cable: String,
    /// By how much, m.
    pub missing: f64,
    /// From where to where on it, arc lengths, m: there it would have to be longer.
    pub between: [f64; 2],
}

/// The samples of every cable, in the order of the scene.
pub(super) fn cables(solved: &Solved) -> impl Iterator<Item = &[Sample]> {
    solved.solution.profiles.iter().map(|p| &p.samples[..])
}

/// Stretches of cables that are too short.
pub(super) fn shortages(solved: &Solved) -> Vec<Shortage> {
    let Solved { compiled, solution, .. } = solved;
    let find = |short: &Short| {
        let own = |c: &&CompiledCable| c.spans.iter().any(|(k, _)| *k == short.span);
        let cable = compiled.cables.iter().find(own)?;
        let k = cable.spans.iter().position(|(k, _)| *k == short.span)?;
        let to = cable.spans.get(k + 1).map_or(cable.length, |next| next.1);
        // Rope that slides is too short as a whole.
        let slides = compiled.eyes.iter().any(|eye| compiled.cables[eye.cable].name == cable.name);
        let between = if slides { [0.0, cable.length] } else { [cable.spans[k].1, to] };
        Some(Shortage { cable: cable.name.clone(), missing: short.missing, between })
    };
    let mut all: Vec<Shortage> = Vec::new();
    for one in solution.report.short.iter().filter_map(find) {
        match all.iter_mut().find(|s| s.cable == one.cable && s.between == one.between) {
            Some(same) => same.missing += one.missing,
            None => all.push(one),
        }
    }
    all
}

/// Writes a frame into `out`, which is emptied first.
pub(super) fn encode(
    out: &mut Vec<u8>,
    [revision, number]: [u32; 2],
    solved: &Solved,
    things: &[Seated],
    trailer: &Trailer,
) {
    let nodes: usize = cables(solved).map(<[Sample]>::len).sum();
    out.clear();
    out.extend_from_slice(&MAGIC);
    for word in [revision, number, nodes as u32, things.len() as u32, 0, 0, 0] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    let mut put =
        |values: [f64; 4]| values.iter().for_each(|v| out.extend_from_slice(&(*v as f32).to_le_bytes()));
    let samples = || cables(solved).flatten();
    samples().for_each(|p| put([p.position.x, p.position.y, p.position.z, p.s]));
    samples().for_each(|p| put([p.frame.i, p.frame.j, p.frame.k, p.frame.w]));
    // Where nothing is in equilibrium there are no such values: the page says so.
    let known = trailer.time.is_some() || trailer.status == Status::Converged;
    let along = |p: &Sample| [p.curvature(), p.strain.z, p.tension(), p.moment_material.xy().norm()];
    samples().for_each(|p| put(if known { along(p) } else { [0.0; 4] }));
    for thing in things {
        let Pose { position, orientation: q } = thing.pose(solved);
        put([position.x, position.y, position.z, 0.0]);
        put([q.i, q.j, q.k, q.w]);
    }
    let text = serde_json::to_vec(trailer).unwrap_or_default();
    out.extend_from_slice(&text);
    out[20..24].copy_from_slice(&(text.len() as u32).to_le_bytes());
}
