//! Benchmarks of networks: harnesses, eyes, beads.

use super::{Bench, Line, median, milliseconds};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Constraint, Network, NetworkError, NetworkReport, NetworkState, NetworkWorkspace,
    Point, Sense, Slide, Span, factorise_and_solve_once, solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::f64::consts::PI;
use std::hint::black_box;

const INCREMENTS: usize = 24;

/// A trunk of spans between two ports with a hanging branch at every joint, about `spans` in all.
fn trunk(spans: usize) -> Result<Network, String> {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).map_err(|e| e.to_string())?;
    let rod = |length: f64| -> Result<MixedRod, String> {
        let mesh = Mesh::uniform(length, 20).map_err(|e| e.to_string())?;
        Ok(MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros()))
    };
    let along = |x: f64, z: f64| Pose {
        position: Vec3::new(x, 0.0, z),
        orientation: rotation::frame(&Vec3::x(), &Vec3::y()),
    };
    let joints = (spans / 2).max(1);
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    network.anchors.push(Anchor::fixed(along(0.0, 0.0)));
    for k in 1..=joints {
        // A clip holds every fourth joint, as in a car. Counted from the port that moves, so that it pulls at
        // the same piece of cable whatever the number of spans.
        let pose = along(0.19 * k as f64, -0.02);
        network.anchors.push(if (joints + 1 - k).is_multiple_of(4) {
            Anchor::fixed(pose)
        } else {
            Anchor::loose(pose)
        });
    }
    network.anchors.push(Anchor::fixed(along(0.19 * (joints + 1) as f64, 0.0)));
    for k in 0..=joints {
        network.spans.push(Span::new(rod(0.2)?, Attachment::clamped(k), Some(Attachment::clamped(k + 1))));
    }
    let down =
        Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::new(0.0, 1.0, 1.0), &Vec3::y()) };
    for k in 1..=joints {
        network.spans.push(Span::new(rod(0.15)?, Attachment::clamped(k).at(down), None));
    }
    Ok(network)
}

pub(super) fn converged(outcome: Result<NetworkReport, NetworkError>) -> Result<usize, String> {
    match outcome {
        Ok(report) if report.status == Status::Converged => Ok(report.iterations),
        Ok(report) => Err(format!("the benchmark did not converge: {}", report.status)),
        Err(error) => Err(error.to_string()),
    }
}

/// Median time of one factorisation and solve of the matrix at `state`.
pub(super) fn floor(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace) -> f64 {
    let once = |_| {
        milliseconds(|| {
            black_box(factorise_and_solve_once(network, state, ws));
        })
    };
    let mut times: Vec<f64> = (0..20).map(once).collect();
    median(&mut times)
}

/// Times `step`, called for every increment, beside the floor of the same matrix.
fn measured(
    name: &'static str,
    n: usize,
    network: &mut Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    mut step: impl FnMut(&mut Network, &mut NetworkState, &mut NetworkWorkspace, usize) -> Result<usize, String>,
) -> Result<Line, String> {
    let (mut times, mut iterations) = (Vec::new(), 0);
    for k in 0..INCREMENTS {
        let mut outcome = Err(String::new());
        times.push(milliseconds(|| outcome = step(network, state, ws, k)));
        iterations += outcome?;
    }
    let floor = floor(network, state, ws);
    let time = median(&mut times);
    Ok(Line {
        name,
        n,
        median_ms: time,
        iterations: iterations as f64 / INCREMENTS as f64,
        floor_ratio: time / floor,
        ..Line::default()
    })
}

/// Drags the anchor `last` by 2 mm at a time, round a circle.
fn dragged(name: &'static str, n: usize, mut network: Network, last: usize) -> Result<Line, String> {
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let settings = Settings::interactive();
    converged(solve_network(&network, &mut state, &mut ws, &settings))?;
    measured(name, n, &mut network, &mut state, &mut ws, |network, state, ws, k| {
        let phase = 2.0 * PI * k as f64 / INCREMENTS as f64;
        network.anchors[last].pose.position += Vec3::new(0.0, phase.cos(), phase.sin()) * 2e-3;
        converged(solve_network(network, state, ws, &settings))
    })
}

pub(super) fn harness(_: &Bench, n: usize) -> Result<Line, String> {
    let network = trunk(n)?;
    let last = network.anchors.iter().rposition(|a| a.held_orientation).ok_or("no port")?;
    dragged("harness", n, network, last)
}

fn cord(length: f64, segments: usize) -> Result<MixedRod, String> {
    let section = Section::measured(1e-4, 1e-4, 1e-4, 0.02, 0.001).map_err(|e| e.to_string())?;
    let mesh = Mesh::uniform(length, segments).map_err(|e| e.to_string())?;
    Ok(MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros()))
}

fn level(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, z), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) }
}

/// A cord laced through `n` eyes, up and down, and drawn taut by a weight behind the last.
pub(super) fn eyes(_: &Bench, n: usize) -> Result<Line, String> {
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    let place = |k: usize| level(0.1 * k as f64, if k.is_multiple_of(2) { 0.0 } else { 0.03 });
    network.anchors.push(Anchor::fixed(place(0)));
    for k in 1..=n {
        network.anchors.push(Anchor { held_orientation: false, ..Anchor::fixed(place(k)) });
    }
    let below = level(0.1 * n as f64 + 0.01, -0.3);
    let weight = Anchor::part(below, 0.5, Vec3::zeros());
    network.anchors.push(Anchor { held_orientation: true, ..weight });
    for k in 0..=n {
        let apart = (network.anchors[k + 1].pose.position - network.anchors[k].pose.position).norm();
        let [start, end] = [Attachment::clamped(k), Attachment::clamped(k + 1)];
        let end = if k == n { Attachment::pinned(k + 1) } else { end };
        network.spans.push(Span::new(cord(apart + 1e-3, 8)?, start, Some(end)));
        if k > 0 {
            network.slides.push(Slide::through(k - 1, k, 0.0));
        }
    }
    dragged("eyes", n, network, 0)
}

/// Diameter of a bead, m: four fifths of the gaps that they begin with, so that many touch within a few steps.
const BEAD: f64 = 0.026;

/// `n` beads that slide down a cord and push each other: a step of 10 ms. The first step is not measured: it
/// is a solve from the laid shape, as that of the other benchmarks before their first increment.
pub(super) fn beads(_: &Bench, n: usize) -> Result<Line, String> {
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    // Down a slope, so that all of them move.
    let place = |k: usize| level(0.03 * k as f64, -0.01 * k as f64);
    network.anchors.push(Anchor::fixed(place(0)));
    for k in 1..=n {
        let bead = Anchor { mass: 0.005, inertia: Vec3::repeat(2e-7), ..Anchor::loose(place(k)) };
        network.anchors.push(bead);
    }
    network.anchors.push(Anchor::fixed(place(n + 1)));
    for k in 0..=n {
        let end = Some(Attachment::clamped(k + 1));
        network.spans.push(Span::new(cord(0.0325, 6)?, Attachment::clamped(k), end));
        if k > 0 {
            network.slides.push(Slide::through(k - 1, k, 0.0));
            network.constraints.push(Constraint::Distance {
                from: Point::On(k, Vec3::zeros()),
                to: Point::On(k + 1, Vec3::zeros()),
                distance: BEAD,
                sense: Sense::AtLeast,
            });
        }
    }
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let settings = MotionSettings { drag: 0.05, ..MotionSettings::new(0.01, Integrator::Bdf2) };
    // As laid, which is no equilibrium: the first step pulls it together.
    let mut motion = Motion::from_any_state(&network, state.clone());
    converged(motion.step(&network, &mut ws, &settings, &Settings::interactive()))?;
    measured("beads", n, &mut network, &mut state, &mut ws, |network, _, ws, _| {
        converged(motion.step(network, ws, &settings, &Settings::interactive()))
    })
}
