//! Courses: where things are, or what a parameter is, from the first pose to the last, and the equilibrium there.

use crate::base::{Base, StudyError, from, settings};
use crate::poses::Poses;
use crate::range::Range;
use flexline::solver::network::Network;
use flexline::solver::{Pose, Status};
use flexline_scene::Compiled;
use flexline_scene::harness::{Leading, Led};
use flexline_session::session::Solved;
use serde_json::Value;
use std::sync::Arc;

/// A way through poses of one scene; between two poses it is continuous.
pub struct Course {
    base: Base,
    kind: Kind,
    count: usize,
    /// The equilibrium of the scene as its file has it, with what is led in hand; of a range, at its beginning.
    first: Solved,
}

enum Kind {
    Poses { poses: Poses, led: Vec<(Leading, Pose)> },
    Motion { led: Vec<Led>, end: f64 },
    Vary(Vec<Range>),
}

/// An equilibrium on a course, or how the search for it ended.
pub struct Reached {
    /// The scene there.
    pub solved: Solved,
    /// Whether it was not found from the pose before, so that it may lie on another side.
    pub anew: bool,
}

impl Course {
    /// Through the poses of a table; `name` is its file.
    pub fn through(base: Base, poses: Poses, name: &str) -> Result<Self, StudyError> {
        let first = at_rest(&base)?;
        let mut network = first.compiled.network.clone();
        let led = poses.take_in_hand(name, &first.compiled, &mut network, &first.solution.state)?;
        let count = poses.rows.len();
        Ok(Self { kind: Kind::Poses { poses, led }, count, first: with_network(&first, network), base })
    }

    /// Along what the scene moves in `[[motion]]`, in `count` equal steps of time.
    pub fn motion(base: Base, count: usize) -> Result<Self, StudyError> {
        let first = at_rest(&base)?;
        let mut network = first.compiled.network.clone();
        let led = first.compiled.take_in_hand(&mut network, &first.solution.state);
        if led.is_empty() {
            let help = "the scene moves nothing: it needs a [[motion]], or use --poses or --vary";
            return Err(StudyError::Input(help.into()));
        }
        let end = led.iter().map(Led::end).fold(0.0, f64::max);
        Ok(Self {
            kind: Kind::Motion { led, end },
            count: count + 1,
            first: with_network(&first, network),
            base,
        })
    }

    /// Through ranges of parameters, all together.
    pub fn vary(base: Base, ranges: Vec<Range>, count: usize) -> Result<Self, StudyError> {
        let mut said = ranges.iter().filter_map(|range| range.count.map(|count| (&range.name, count)));
        let count = match said.next() {
            Some((name, count)) => {
                if let Some((other, own)) = said.find(|(_, own)| *own != count) {
                    return Err(StudyError::Input(format!(
                        "{name} has {count} values and {other} has {own}: what varies together has as many of each"
                    )));
                }
                count
            }
            None => count,
        };
        let text = base.with(&values(&ranges, 0.0))?;
        let first = base.solve(&text)?;
        Ok(Self { kind: Kind::Vary(ranges), count, first, base })
    }

    /// Number of poses.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The scene at the beginning.
    pub fn first(&self) -> &Solved {
        &self.first
    }

    /// Heads of what distinguishes the poses.
    pub fn heads(&self) -> Vec<String> {
        match &self.kind {
            Kind::Poses { poses, .. } => poses.heads.clone(),
            Kind::Motion { .. } => vec!["time".into()],
            Kind::Vary(ranges) => ranges.iter().map(Range::head).collect(),
        }
    }

    /// What distinguishes a pose.
    pub fn values(&self, pose: usize) -> Vec<f64> {
        let share = pose as f64 / (self.count.max(2) - 1) as f64;
        match &self.kind {
            Kind::Poses { poses, .. } => poses.rows[pose].clone(),
            Kind::Motion { end, .. } => vec![share * end],
            Kind::Vary(ranges) => ranges.iter().map(|range| range.number(share)).collect(),
        }
    }

    /// The equilibrium at the place `t` of the course, in poses from the first, which is 0, from that before.
    pub fn reach(&self, before: &Solved, t: f64) -> Result<Reached, StudyError> {
        let last = (self.count.max(2) - 1) as f64;
        if let Kind::Vary(ranges) = &self.kind {
            let text = self.base.with(&values(ranges, t / last))?;
            let (solved, anew) = self.base.solve_from(&text, before)?;
            return Ok(Reached { solved, anew });
        }
        let compiled = &self.first.compiled;
        let mut network = compiled.network.clone();
        match &self.kind {
            Kind::Poses { poses, led } => {
                for (target, (what, base)) in led.iter().enumerate() {
                    put(&mut network, *what, poses.between(target, t, base));
                }
            }
            Kind::Motion { led, end } => led.iter().for_each(|own| own.put(&mut network, end * t / last)),
            Kind::Vary(_) => {}
        }
        compiled.carry_obstacles(&mut network);
        let mut solved = with_network(&self.first, network);
        let (scene, compiled) = (&solved.scene, &solved.compiled);
        let state = before.solution.state.clone();
        *solved.solution = from(scene, compiled, state, &settings(compiled))?;
        Ok(Reached { solved, anew: false })
    }
}

fn values(ranges: &[Range], share: f64) -> Vec<(&str, Value)> {
    ranges.iter().map(|range| (range.name.as_str(), range.value(share))).collect()
}

fn put(network: &mut Network, what: Leading, pose: Pose) {
    match what {
        Leading::Anchor(index) => network.anchors[index].pose = pose,
        Leading::Obstacle(index) => network.obstacles[index].pose = pose,
    }
}

/// The same scene with another network.
fn with_network(solved: &Solved, network: Network) -> Solved {
    let mut compiled = Compiled::clone(&solved.compiled);
    compiled.network = network;
    Solved { compiled: Arc::new(compiled), ..solved.clone() }
}

/// The scene in equilibrium as its file has it.
fn at_rest(base: &Base) -> Result<Solved, StudyError> {
    let solved = base.solve(&base.text)?;
    match solved.status() {
        Status::Converged => Ok(solved),
        _ => Err(StudyError::Input(format!(
            "{}: the scene has no equilibrium to start from ({})",
            base.name,
            solved.compiled.ending_with_troubles(&solved.solution.report)
        ))),
    }
}
