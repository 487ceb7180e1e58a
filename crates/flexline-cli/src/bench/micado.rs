//! The six scenes of MICADO: what a step of motion costs, beside Table 1 of the paper.
//!
//! A. Theetten, L. Grisoni, MICADO: Models of Interactive Constraints for the Assembling of 1D Deformable
//! Objects, INRIA RR-6573 (2008). There every hold and joint is rows of multipliers, one per scalar equation:
//! absolute ones to the world, relative ones between objects. The scenes have as many of both. Here many of
//! them are topology; what is left to solve for is counted beside.

use super::networks::{converged, floor};
use super::{Bench, Line, median, milliseconds};
use crate::output::{Table, print};
use flexline::Vec3;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{Anchor, Attachment, Grip, Network, NetworkWorkspace, Sense};
use flexline::solver::statics::Settings;
use flexline_scene::Compiled;
use serde::Serialize;
use std::f64::consts::PI;

/// A row of the paper's table, and the scene of the same thing here.
struct Example {
    name: &'static str,
    scene: &'static str,
    text: &'static str,
    /// What is taken in hand, and how far it is moved, m.
    hand: (&'static str, [f64; 3]),
    paper: Paper,
}

/// What the paper says.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Paper {
    /// The table leaves some of them out.
    absolute: Option<usize>,
    relative: usize,
    step_ms: f64,
}

/// What a line has for these scenes beside its cost.
#[derive(Serialize)]
pub(super) struct Scene {
    name: &'static str,
    scene: &'static str,
    /// Multipliers that are solved for: three at the far end of every span, and the rows of constraints.
    multipliers: usize,
    /// What the paper would count.
    #[serde(flatten)]
    counts: Counts,
    paper: Paper,
}

/// Scalar equations as the paper would count them.
#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    absolute: usize,
    relative: usize,
    /// Pearls that may touch. They come and go, and the paper's number leaves no room for them.
    contacts: usize,
}

macro_rules! scene {
    ($file:literal) => {
        include_str!(concat!("../../../../scenes/micado/", $file, ".toml"))
    };
}

/// How many scenes there are.
pub(super) const SCENES: usize = 6;

const EXAMPLES: [Example; SCENES] = [
    Example {
        name: "bridge",
        scene: "bridge",
        text: scene!("bridge"),
        hand: ("left rail near", [0.0, 0.0, 0.05]),
        paper: Paper { absolute: Some(32), relative: 21, step_ms: 1.7 },
    },
    Example {
        name: "necklace",
        scene: "necklace",
        text: scene!("necklace"),
        hand: ("left", [0.0, 0.01, 0.01]),
        paper: Paper { absolute: None, relative: 10, step_ms: 0.4 },
    },
    Example {
        name: "bow",
        scene: "bow",
        text: scene!("bow"),
        hand: ("nock", [-0.02, 0.0, 0.0]),
        paper: Paper { absolute: Some(11), relative: 16, step_ms: 0.56 },
    },
    Example {
        name: "cable bundle",
        scene: "cable-bundle",
        text: scene!("cable-bundle"),
        hand: ("B", [0.0, 0.02, 0.02]),
        paper: Paper { absolute: None, relative: 35, step_ms: 1.0 },
    },
    Example {
        name: "spider net",
        scene: "spider-net",
        text: scene!("spider-net"),
        hand: ("twig 1", [0.0, 0.0, 0.01]),
        paper: Paper { absolute: Some(28), relative: 49, step_ms: 4.0 },
    },
    Example {
        name: "DNA",
        scene: "dna",
        text: scene!("dna"),
        hand: ("foot of first", [0.0, 0.0, 0.001]),
        paper: Paper { absolute: None, relative: 32, step_ms: 1.1 },
    },
];

/// Steps for one to and fro of the hand.
const STEPS: usize = 60;

/// A scene in motion, step by step: solved, then something that is held is moved to and fro.
pub(super) fn run(_: &Bench, index: usize) -> Result<Line, String> {
    let example = EXAMPLES.get(index).ok_or("no such scene")?;
    let scene = flexline_scene::Scene::from_bytes(example.text.as_bytes(), example.scene)
        .map_err(|e| e.to_string())?;
    let compiled = scene.compile().map_err(|e| e.to_string())?;
    let solution = compiled.solve(&compiled.settings()).map_err(|e| e.to_string())?;
    let hand = compiled
        .anchors
        .iter()
        .position(|a| a.name == example.hand.0)
        .ok_or_else(|| format!("{} has no '{}'", example.scene, example.hand.0))?;
    let mut network = compiled.network.clone();
    let held = network.anchors[hand].pose.position;
    let mut ws = NetworkWorkspace::new(&network);
    let settings =
        MotionSettings { strain_delay: 0.005, drag: 0.02, ..MotionSettings::new(0.01, Integrator::Bdf2) };
    let mut motion = Motion::at_rest(&network, solution.state);
    let (mut times, mut iterations) = (Vec::new(), 0);
    for k in 1..=STEPS {
        let share = 0.5 * (1.0 - (2.0 * PI * k as f64 / STEPS as f64).cos());
        network.anchors[hand].pose.position = held + Vec3::from(example.hand.1) * share;
        let mut outcome = Err(String::new());
        times.push(milliseconds(|| {
            outcome = converged(motion.step(&network, &mut ws, &settings, &Settings::interactive()));
        }));
        iterations += outcome.map_err(|e| format!("{}, step {k}: {e}", example.scene))?;
    }
    let time = median(&mut times);
    let rows: usize = network.constraints.iter().map(|c| c.rows()).sum();
    let ends = network.spans.iter().filter(|s| s.end.is_some()).count();
    Ok(Line {
        name: "micado",
        n: network.spans.iter().map(|s| s.rod.segments()).sum(),
        median_ms: time,
        iterations: iterations as f64 / STEPS as f64,
        floor_ratio: time / floor(&network, &mut motion.state, &mut ws),
        micado: Some(Scene {
            name: example.name,
            scene: example.scene,
            multipliers: 3 * ends + rows,
            counts: as_the_paper_counts(&compiled),
            paper: example.paper,
        }),
        ..Line::default()
    })
}

/// Counts as if every hold and joint had multipliers: three for a point, three more for a frame, one for a pearl
/// (equation 30 of the paper); a cable that passes a clip or an eye is not cut there.
fn as_the_paper_counts(compiled: &Compiled) -> Counts {
    let network = &compiled.network;
    let mut counts = Counts::default();
    // A junction is no body: the first cable that ends there is what others are joined to.
    let mut begun: Vec<bool> = compiled.anchors.iter().map(|a| a.kind != "junction").collect();
    let slides = |before: usize, after: usize| {
        network.slides.iter().any(|s| s.before == Some(before) && s.after == Some(after))
    };
    let is_bead = |anchor: usize| compiled.anchors[anchor].kind == "bead";
    for cable in &compiled.cables {
        let spans: Vec<usize> = cable.spans.iter().map(|(k, _)| *k).collect();
        for pair in spans.windows(2) {
            let anchor = network.spans[pair[1]].start.anchor;
            let held = held_components(&network.anchors[anchor], Grip::Clamped);
            if !slides(pair[0], pair[1]) {
                counts.absolute += held;
            } else if held > 0 {
                counts.absolute += 3;
            } else {
                counts.relative += if is_bead(anchor) { 1 } else { 3 };
            }
        }
        let first = spans.first().map(|k| network.spans[*k].start);
        let last = spans.last().and_then(|k| network.spans[*k].end);
        for end in [first, last].into_iter().flatten() {
            count_end(network, &end, &mut begun, &mut counts);
        }
    }
    // A port is a place of the world; a clip stays a point of its cable even where a hand holds it.
    let of_world = |anchor: Option<usize>| anchor.is_none_or(|a| compiled.anchors[a].kind == "port");
    for constraint in &network.constraints {
        let tied = constraint.anchors();
        if constraint.sense() != Sense::Equal && tied.into_iter().flatten().any(is_bead) {
            counts.contacts += constraint.rows();
        } else if tied.into_iter().any(of_world) {
            counts.absolute += constraint.rows();
        } else {
            counts.relative += constraint.rows();
        }
    }
    counts
}

fn count_end(network: &Network, end: &Attachment, begun: &mut [bool], counts: &mut Counts) {
    let anchor = &network.anchors[end.anchor];
    if anchor.held.contains(&true) {
        counts.absolute += held_components(anchor, end.grip);
    } else if std::mem::replace(&mut begun[end.anchor], true) {
        counts.relative += if end.grip == Grip::Clamped { 6 } else { 3 };
    }
}

fn held_components(anchor: &Anchor, grip: Grip) -> usize {
    let frame = anchor.held_orientation && grip == Grip::Clamped;
    anchor.held.iter().filter(|h| **h).count() + if frame { 3 } else { 0 }
}

/// The lines of these scenes, beside the paper's.
pub(super) fn print_table(lines: &[Line]) {
    let scenes: Vec<(&Line, &Scene)> = lines.iter().filter_map(|l| Some((l, l.micado.as_ref()?))).collect();
    if scenes.is_empty() {
        return;
    }
    let heads = [
        "MICADO",
        "segments",
        "absolute",
        "paper",
        "relative",
        "paper",
        "contacts",
        "solved for",
        "iterations",
        "× floor",
        "median ms",
        "paper ms",
    ];
    let mut table = Table::new(&heads);
    for (line, scene) in &scenes {
        table.row(&[
            scene.name.to_string(),
            line.n.to_string(),
            scene.counts.absolute.to_string(),
            scene.paper.absolute.map_or_else(|| "–".to_string(), |n| n.to_string()),
            scene.counts.relative.to_string(),
            scene.paper.relative.to_string(),
            scene.counts.contacts.to_string(),
            scene.multipliers.to_string(),
            format!("{:.1}", line.iterations),
            format!("{:.1}", line.floor_ratio),
            format!("{:.3}", line.median_ms),
            format!("{}", scene.paper.step_ms),
        ]);
    }
    table.print();
    for note in [
        "\na step of 10 ms, solved to convergence, while something held is moved to and fro\n",
        "absolute, relative: scalar equations, counted as in the paper, which leaves some out (–)\n",
        "contacts: pearls that may touch, besides; solved for: multipliers of all of these and of closed spans here\n",
        "paper: one linear solve per step on a laptop of 2007, 2 GHz\n",
    ] {
        print(note);
    }
}
