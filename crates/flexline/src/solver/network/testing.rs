//! Networks with everything in them, for tests of derivatives.

use super::assemble::{choose_rows, evaluate, factorise, residual};
use super::merit::Merit;
use super::newton::newton_step;
use super::{
    Anchor, Attachment, Constraint, Direction, Network, NetworkState, NetworkWorkspace, Point, Sense, Slide,
    Span, Wheel,
};
use crate::algebra::tolerance::{assert_near, round_off, truncation};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::body::{Axes, DistributedLoad, PointLoad, Pole, Pose, Tap};
use crate::rod::curvature::{Basis, CurvatureRod};
use crate::rod::mixed::{Mesh, MixedRod, Strain};
use crate::rod::spline::SplineRod;
use crate::rod::{AnyRod, Breaks, Rod};
use crate::section::{Section, SectionProfile};
use std::f64::consts::{PI, TAU};

pub(in crate::solver) const MODELS: [&str; 5] = ["mixed", "nodal", "helix", "clothoid", "spline"];

fn rod(model: &str, length: f64) -> AnyRod {
    // A spline turns less than half a turn in an element.
    rod_of(model, length, [8, if model == "spline" { 8 } else { 4 }])
}

/// One with as many segments, or elements.
fn rod_of(model: &str, length: f64, sizes: [usize; 2]) -> AnyRod {
    rod_made_of(model, length, sizes, [1.0; 4])
}

/// The same rod with so many times its bending and twisting stiffness, its weight and its rest strain.
pub(in crate::solver) fn remade(rod: &AnyRod, factors: [f64; 4]) -> AnyRod {
    rod_made_of(rod.model(), rod.length(), [rod.pieces().0; 2], factors)
}

fn rod_made_of(
    model: &str,
    length: f64,
    [segments, elements]: [usize; 2],
    [bend, twist, weight, rest]: [f64; 4],
) -> AnyRod {
    let section = Section::measured(0.02 * bend, 0.02 * bend, 0.016 * twist, 0.15 * weight, 0.004);
    let section = SectionProfile::uniform(section.expect("sound section"));
    let rest = |_: f64| Vec3::new(0.2, 0.0, 0.1) * rest;
    let basis = match model {
        "mixed" | "nodal" => {
            let strain = if model == "nodal" { Strain::Nodal } else { Strain::Mixed };
            let mesh = Mesh::uniform(length, segments).expect("sound mesh");
            return MixedRod::new(&mesh, &section, &rest).with_strain(strain).into();
        }
        "spline" => return SplineRod::new(length, elements, &section, &rest).expect("sound rod").into(),
        "helix" => Basis::Helix,
        _ => Basis::Clothoid,
    };
    // Curvature may jump in the middle: of a helix it does so everywhere.
    let mut breaks = Breaks::of(&section);
    breaks.jump(0.5 * length);
    let ends = breaks.divide(length, elements).expect("sound elements");
    CurvatureRod::with_breaks(basis, &ends, &breaks, &section, &rest).expect("sound rod").into()
}

fn pose(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.05 * x, z), orientation: rotation::exp(&Vec3::new(0.1, 1.2, 0.3 * x)) }
}

/// A rod held at its start alone, under gravity.
pub(in crate::solver) fn cantilever(model: &str, elements: usize) -> Network {
    Network {
        anchors: vec![Anchor::fixed(pose(0.0, 0.0))],
        spans: vec![Span::new(rod_of(model, 0.6, [elements; 2]), Attachment::clamped(0), None)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    }
}

/// A wheel on a part that hangs free, a rope over it.
fn wheel(model: &str) -> Network {
    let rod = |length: f64| rod(model, length);
    let mut network = Network {
        anchors: vec![
            Anchor::part(pose(-0.05, -0.5), 0.3, Vec3::new(0.01, 0.0, 0.02)),
            Anchor::fixed(pose(0.05, -0.5)),
            Anchor::part(pose(0.0, 0.0), 0.2, Vec3::zeros()),
            Anchor::fixed(pose(0.0, 0.3)),
        ],
        spans: vec![
            Span::new(rod(0.5), Attachment::pinned(0), None),
            Span::new(rod(0.5), Attachment::pinned(0), Some(Attachment::pinned(1))),
            Span::new(rod(0.35), Attachment::clamped(3), Some(Attachment::clamped(2))),
        ],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };
    let axle = rotation::from_matrix(&Mat3::from_columns(&[Vec3::x(), -Vec3::z(), Vec3::y()]));
    let back = pose(0.0, 0.0).orientation.conjugate();
    let pose = Pose { position: Vec3::zeros(), orientation: back * axle };
    network.add_wheel(Wheel { on: 2, pose, radius: 0.05, contact: [PI, TAU] }, 0, 1, 0.0);
    network
}

/// A cable between two clamps through an eye that stays where it is.
pub(in crate::solver) fn threaded(model: &str) -> Network {
    Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            Anchor::fixed(pose(0.3, -0.1)),
            Anchor::fixed(pose(0.6, 0.05)),
        ],
        spans: vec![
            Span::new(rod(model, 0.35), Attachment::clamped(0), Some(Attachment::pinned(1))),
            Span::new(rod(model, 0.4), Attachment::pinned(1), Some(Attachment::clamped(2))),
        ],
        slides: vec![Slide::through(0, 1, 0.0)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    }
}

/// An eye on a part, a cable that finds its own length, constraints of every sense.
fn eyes(model: &str) -> Network {
    let rod = |length: f64| rod(model, length);
    Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            Anchor::part(pose(0.3, -0.1), 0.2, Vec3::new(0.0, 0.02, 0.0)),
            Anchor::fixed(pose(0.6, 0.05)),
            Anchor { force: Vec3::x(), moment: Vec3::y() * 0.01, ..Anchor::loose(pose(0.3, -0.4)) },
        ],
        spans: vec![
            Span::new(rod(0.4), Attachment::clamped(0), Some(Attachment::clamped(1))),
            Span::new(rod(0.4), Attachment::clamped(1), Some(Attachment::pinned(2))),
            Span::new(rod(0.35), Attachment::pinned(1), Some(Attachment::clamped(3))),
            Span::new(rod(0.2), Attachment::clamped(3), None),
        ],
        constraints: vec![
            Constraint::Distance {
                from: Point::On(1, Vec3::new(0.0, 0.01, 0.0)),
                to: Point::On(3, Vec3::zeros()),
                distance: 0.28,
                sense: Sense::AtMost,
            },
            Constraint::Plane {
                point: Point::On(3, Vec3::zeros()),
                on: Some(1),
                through: Vec3::new(0.0, 0.0, -0.2),
                normal: Vec3::x(),
                sense: Sense::AtLeast,
            },
            Constraint::Parallel {
                direction: Direction::On(3, Vec3::x()),
                to: Direction::World(Vec3::new(0.6, 0.8, 0.0)),
            },
        ],
        slides: vec![Slide::through(0, 1, 0.0), Slide::drawn(2, 0.7)],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    }
}

/// Four pieces of cable in a row with loose joints, and a clip in the middle.
pub(in crate::solver) fn clipped() -> Network {
    let held = [true, false, true, false, true];
    let anchor = |(k, held): (usize, &bool)| {
        let pose = pose(0.19 * k as f64, 0.0);
        if *held { Anchor::fixed(pose) } else { Anchor::loose(pose) }
    };
    let piece =
        |k: usize| Span::new(rod("mixed", 0.2), Attachment::clamped(k), Some(Attachment::clamped(k + 1)));
    Network {
        anchors: held.iter().enumerate().map(anchor).collect(),
        spans: (0..4).map(piece).collect(),
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    }
}

/// Two cables and a part with loads of every kind, one cable of another model than the other.
fn loaded(model: &str) -> Network {
    let mut network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            Anchor::part(pose(0.3, -0.1), 0.2, Vec3::new(0.0, 0.02, 0.0)),
            Anchor::fixed(pose(0.6, 0.05)),
        ],
        spans: vec![
            Span::new(rod(model, 0.4), Attachment::clamped(0), Some(Attachment::clamped(1))),
            Span::new(rod("mixed", 0.4), Attachment::pinned(1), Some(Attachment::clamped(2))),
            Span::new(rod(model, 0.5), Attachment::pinned(2), Some(Attachment::pinned(1))),
            Span::new(rod(model, 0.2), Attachment::pinned(1), None),
        ],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Network::default()
    };
    network.poles.push(Pole {
        through: Vec3::new(0.25, 0.1, -0.1),
        axis: Vec3::y(),
        radius: 0.12,
        stiffness: 900.0,
    });
    let force = Vec3::new(0.1, -0.3, 0.2);
    for span in &mut network.spans {
        let point = |s: f64| PointLoad { s, force, moment: Vec3::zeros(), axes: Axes::World };
        span.point_loads = vec![point(0.13), point(0.2)];
        span.distributed_loads = vec![DistributedLoad {
            from: 0.05,
            to: 0.17,
            force: [force * 3.0, -force],
            moment: [Vec3::zeros(); 2],
            axes: Axes::World,
        }];
    }
    network
}

/// Of every model; the names begin with it.
pub(in crate::solver) fn networks() -> Vec<(String, Network)> {
    let all = |model: &'static str| {
        [("wheel", wheel(model)), ("eyes", eyes(model)), ("loaded", loaded(model))]
            .map(|(name, network)| (format!("{model} {name}"), network))
    };
    MODELS.into_iter().flat_map(all).collect()
}

/// Springs, stiffer along one axis than along others, at places of every span, and a pole that spans lie in.
pub(in crate::solver) fn tap(network: &mut Network, state: &NetworkState, ws: &mut NetworkWorkspace) {
    let axis = Vec3::new(0.3, 0.4, 0.5);
    for (k, span) in ws.spans.iter_mut().enumerate() {
        let rod = network.rod(state, k);
        let tap = |share: f64| Tap {
            stiffness: Mat3::from_diagonal_element(1.0) + axis * axis.transpose() * 8.0,
            ..Tap::force(
                share,
                rod.place(&state.spans[k].rod, share) + Vec3::new(0.02, -0.01, 0.015),
                Vec3::new(0.2, -0.1, 0.3),
            )
        };
        span.kernel.taps().places = vec![tap(0.0), tap(0.13), tap(0.5), tap(0.77), tap(1.0)];
        span.forget();
    }
    network.poles.push(Pole {
        through: Vec3::new(0.25, 0.1, -0.3),
        axis: Vec3::y(),
        radius: 0.3,
        stiffness: 90.0,
    });
}

/// Makes every constraint one that pulls and pushes: without kinks.
pub(in crate::solver) fn make_equal(network: &mut Network) {
    for constraint in &mut network.constraints {
        if let Constraint::Distance { sense, .. } | Constraint::Plane { sense, .. } = constraint {
            *sense = Sense::Equal;
        }
    }
}

/// The first guess, with everything that may move moved by about `size`.
pub(in crate::solver) fn disturbed(network: &Network, size: f64) -> NetworkState {
    let mut state = NetworkState::initial(network);
    let mut seed = 0.3f64;
    let mut noise = || {
        seed = (seed * 97.31 + 0.417).fract();
        size * (2.0 * seed - 1.0)
    };
    for (pose, anchor) in state.anchors.iter_mut().zip(&network.anchors) {
        if !anchor.held_orientation {
            pose.orientation = rotation::exp(&Vec3::from_fn(|_, _| noise())) * pose.orientation;
        }
        pose.position += Vec3::from_fn(|i, _| if anchor.held[i] { 0.0 } else { noise() });
    }
    for (span, own) in network.spans.iter().zip(&mut state.spans) {
        let mut step: Vec<f64> = (0..span.rod.tangent_count()).map(|_| noise()).collect();
        if let AnyRod::Spline(rod) = &span.rod {
            // Control points turn tangents by their distance.
            let h = rod.length() / rod.elements() as f64;
            step[..3 * rod.controls()].iter_mut().for_each(|d| *d *= h);
            for j in 0..rod.tensions() {
                own.rod.coordinates[rod.tension_at(j)] = 10.0 * noise();
            }
        }
        span.rod.displace(&mut own.rod, &step);
        span.rod.project(&mut own.rod);
        if span.end.is_some() {
            own.end_force = Vec3::from_fn(|_, _| 20.0 * noise());
            if span.rod.as_mixed().is_none() {
                own.end_moment = Vec3::from_fn(|_, _| noise());
            }
        }
    }
    for m in &mut state.multipliers {
        *m = 10.0 * noise();
    }
    state
}

/// The slope that the solver computes is the derivative of the merit.
#[track_caller]
pub(in crate::solver) fn check_slope(
    name: &str,
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
) {
    let rho = 3.0;
    evaluate(network, state, ws);
    choose_rows(state, ws, rho);
    let residual = residual(network, state, ws);
    factorise(network, state, ws, 1.0).expect(name);
    newton_step(network, state, ws, &residual);
    let merit = Merit::new(network, state, ws);
    let (fixed, gaps) = merit.slope(state, ws, &residual, rho);
    let mut rows = Vec::new();
    let mut at = |scale: f64, ws: &mut NetworkWorkspace| {
        let mut trial = state.clone();
        trial.advance_from(state, network, ws, scale, |_, _, _, _| {});
        merit.value(network, &trial, ws, &mut rows, rho, Some(scale))
    };
    // Fourth order, and less of a long step.
    let turn = ws.spans.iter().map(|s| s.step_size().0).fold(1.0, f64::max);
    let h = 1e-3 / turn;
    let numeric = (8.0 * (at(h, ws) - at(-h, ws)) - (at(2.0 * h, ws) - at(-2.0 * h, ws))) / (12.0 * h);
    let slope = fixed - rho * gaps;
    let scale = fixed.abs() + rho * gaps.abs();
    assert_near(slope, numeric, truncation(1e-6, scale), || format!("{name}: slope of the merit"));
}

/// What must vanish, but for moments: those turn with what they act on.
fn all(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace) -> Vec<f64> {
    evaluate(network, state, ws);
    let r = residual(network, state, ws);
    let mut list = r.slides.clone();
    for (k, active) in ws.active.iter().enumerate() {
        list.push(if *active { r.rows[k] } else { state.multipliers[k] });
    }
    for (slots, (_, shift)) in ws.unknowns.anchors.iter().zip(&r.anchors) {
        list.extend((0..3).filter(|i| slots[3 + i].is_some()).map(|i| shift[i]));
    }
    for (span, own) in ws.spans.iter().zip(&state.spans) {
        if span.force_slots().is_some() {
            list.extend(span.gap(&own.end_force).iter());
        }
    }
    list
}

/// Along a Newton step every residual goes to zero at the same rate, and the energy bends as the step
/// says: the matrix is the exact second derivative.
#[track_caller]
pub(in crate::solver) fn check_newton(
    name: &str,
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
) {
    let here = all(network, state, ws);
    let residual = residual(network, state, ws);
    factorise(network, state, ws, 0.0).expect(name);
    newton_step(network, state, ws, &residual);
    let merit = Merit::new(network, state, ws);
    let (slope, _) = merit.slope(state, ws, &residual, 0.0);
    // The matrix was made with the multipliers of before.
    let mut before = Merit::new(network, state, ws);
    before.forces = state.spans.iter().map(|s| s.end_force).collect();
    before.moments = state.spans.iter().map(|s| s.end_moment).collect();
    before.multipliers.clone_from(&state.multipliers);
    let residuals = |scale: f64, ws: &mut NetworkWorkspace| {
        let mut trial = state.clone();
        trial.advance_from(state, network, ws, scale, |_, _, _, _| {});
        for (own, force) in trial.spans.iter_mut().zip(&merit.forces) {
            own.end_force += scale * (force - own.end_force);
        }
        for (own, moment) in trial.spans.iter_mut().zip(&merit.moments) {
            own.end_moment += scale * (moment - own.end_moment);
        }
        for (own, multiplier) in trial.multipliers.iter_mut().zip(&merit.multipliers) {
            *own += scale * (multiplier - *own);
        }
        all(network, &mut trial, ws)
    };
    // Less of a long step: where a pole begins the third derivative jumps.
    let turn = ws.spans.iter().map(|s| s.step_size().0).fold(1.0, f64::max);
    let h = 1e-5 / turn;
    let (plus, minus) = (residuals(h, ws), residuals(-h, ws));
    let largest = here.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for k in 0..here.len() {
        let rate = (plus[k] - minus[k]) / (2.0 * h);
        let what = || format!("{name}: rate of residual {k} of {}", here.len());
        assert_near(rate, -here[k], truncation(1e-4, largest), what);
    }
    for span in &mut ws.spans {
        span.kernel.keep_multipliers();
    }
    let mut rows = Vec::new();
    let mut at = |scale: f64| {
        let mut trial = state.clone();
        trial.advance_from(state, network, ws, scale, |_, _, _, _| {});
        before.value(network, &trial, ws, &mut rows, 0.0, Some(scale))
    };
    let h = 1e-5;
    let bend = (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h);
    assert_near(bend, -slope, truncation(1e-4, slope.abs()), || format!("{name}: bend of the energy"));
}

/// The recursive elimination of helices and clothoids steps as the composite one does.
#[track_caller]
pub(in crate::solver) fn check_composite(
    name: &str,
    network: &Network,
    state: &NetworkState,
    [recursive, composite]: [&mut NetworkWorkspace; 2],
) {
    let step = |ws: &mut NetworkWorkspace| {
        let mut state = state.clone();
        evaluate(network, &mut state, ws);
        let residual = residual(network, &state, ws);
        let negative = factorise(network, &state, ws, 0.0).expect(name);
        newton_step(network, &state, ws, &residual);
        let moments: Vec<f64> = ws.spans.iter().flat_map(|s| s.kernel.new_moment().data.0[0]).collect();
        let mut steps = vec![ws.solution.clone(), moments];
        let mut trial = state.clone();
        trial.advance_from(&state, network, ws, 1.0, |_, _, _, _| {});
        steps.extend(trial.spans.into_iter().map(|s| s.rod.coordinates));
        (negative, steps)
    };
    let (ours, theirs) = (step(recursive), step(composite));
    assert_eq!(ours.0, theirs.0, "{name}: negative directions");
    for (k, (a, b)) in ours.1.iter().zip(&theirs.1).enumerate() {
        let size = a.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let off = a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        round_off(1e-10, size).allows(off, || format!("{name}: step {k}, recursive against composite"));
    }
}
