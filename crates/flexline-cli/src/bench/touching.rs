//! What a step in time costs where much touches: a limp cable on a drum, a knot that is pulled tight, rods in a heap.

use super::{Line, heap, median, milliseconds};
use crate::output::{Table, print};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{Rod, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Contact, Network, NetworkState, NetworkWorkspace, Span, factorise_and_solve_once,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use serde::Serialize;
use std::f64::consts::PI;
use std::hint::black_box;

/// Of every rod here, m.
pub(super) const RADIUS: f64 = 2e-3;

/// What moves.
#[derive(Clone, Copy)]
enum Scene {
    /// Over a drum, with weights in 0.9 of the ratio that it holds.
    Drum,
    /// An overhand knot whose ends part at so many m/s.
    Knot(f64),
    /// So many rods that fall into a box.
    Heap(usize),
}

const SCENES: [(&str, Scene); COUNT] = [
    ("cable on a drum", Scene::Drum),
    ("knot at 20 m/s", Scene::Knot(20.0)),
    ("knot at 5 m/s", Scene::Knot(5.0)),
    ("knot at 1 m/s", Scene::Knot(1.0)),
    ("heap", Scene::Heap(10)),
    ("heap", Scene::Heap(50)),
];

/// How many there are.
pub(super) const COUNT: usize = 6;

/// Beside the cost of a step.
#[derive(Serialize)]
pub(super) struct Numbers {
    name: &'static str,
    rods: usize,
    nodes: usize,
    /// That press, on the average.
    contacts: f64,
    /// Step, s.
    step: f64,
    /// The longest, ms.
    longest_ms: f64,
    /// Seconds of computing for one that is simulated.
    seconds_per_second: f64,
    /// What is left of the law of contact, relative to the largest force, at most.
    residual: f64,
    /// How far forces of contacts are off those of a solve to 1e-13 at the last step, relative to the largest; none where
    /// other places touch then.
    error: Option<f64>,
    /// Exponent by which the median grows with the contacts, from the row of the same name before.
    growth: Option<f64>,
    /// Deepest overlap, m, and relative to the radius.
    penetration: f64,
    penetration_in_radii: f64,
}

/// A motion, what leads it, and how long.
pub(super) struct Run {
    pub(super) network: Network,
    pub(super) motion: Motion,
    pub(super) settings: MotionSettings,
    pub(super) steps: usize,
    /// How many of them go by before they are measured.
    pub(super) before: usize,
    /// By how much the ends of the first span part in a step, m.
    pub(super) parts: f64,
}

pub(super) fn rod(length: f64, segments: usize, stiffness: f64, density: f64) -> Result<MixedRod, String> {
    let section = Section::measured(stiffness, stiffness, 0.8 * stiffness, density, RADIUS);
    let mesh = Mesh::uniform(length, segments).map_err(|e| e.to_string())?;
    let profile = SectionProfile::uniform(section.map_err(|e| e.to_string())?);
    Ok(MixedRod::new(&mesh, &profile, &|_| Vec3::zeros()))
}

pub(super) fn pose(at: &Station) -> Pose {
    Pose { position: at.position, orientation: at.frame }
}

/// A cable of 1e-5 N m² over a drum with half a kilogram at one end.
fn drum() -> Result<Run, String> {
    let (drum, friction, leg) = (0.05, 0.3, 0.15);
    let axis = drum + RADIUS + 2e-4;
    let (arc, mass) = (PI * axis, 0.5);
    let length = 2.0 * leg + arc;
    let shape = |s: f64| {
        let (position, along) = if s < leg {
            (Vec3::new(-axis, 0.0, s - leg), Vec3::z())
        } else if s < leg + arc {
            let angle = (s - leg) / axis;
            (Vec3::new(-angle.cos(), 0.0, angle.sin()) * axis, Vec3::new(angle.sin(), 0.0, angle.cos()))
        } else {
            (Vec3::new(axis, 0.0, leg + arc - s), -Vec3::z())
        };
        Station { position, frame: rotation::frame(&along, &Vec3::y()) }
    };
    let weight = |s: f64, mass: f64| Anchor::part(pose(&shape(s)), mass, Vec3::zeros());
    let own = rod(length, 60, 1e-5, 0.02)?;
    let laid = own.state_from(&shape);
    let mut network = Network { gravity: Vec3::z() * -9.81, ..Network::default() };
    network.anchors = vec![weight(0.0, mass), weight(length, 0.9 * (friction * PI).exp() * mass)];
    let span = Span::new(own, Attachment::pinned(0), Some(Attachment::pinned(1)));
    network.spans.push(Span { contact_radius: RADIUS, ..span });
    let across = rotation::frame(&Vec3::y(), &Vec3::x());
    let place = Pose { position: Vec3::zeros(), orientation: across };
    let shape = Shape::Cylinder { radius: drum, half_length: None };
    network.obstacles.push(Obstacle { shape, pose: place, friction });
    let mut state = NetworkState::initial(&network);
    state.spans[0].rod = laid;
    let motion = Motion::at_rest(&network, state);
    let settings = MotionSettings {
        strain_delay: 0.01,
        drag: 1.0,
        ..MotionSettings::new(0.01, Integrator::ImplicitEuler)
    };
    Ok(Run { network, motion, settings, steps: 100, before: 0, parts: 0.0 })
}

/// A loose overhand knot, pulled until its ends are 0.6 of its length apart.
fn knot(speed: f64) -> Result<Run, String> {
    const FINE: usize = 4000;
    let shape = |u: f64| {
        let t = 4.4 * u - 2.2;
        let z = 0.004 * (t.powi(5) - 10.0 * t);
        Vec3::new(0.03 * (t.powi(3) - 3.0 * t), 0.02 * (t.powi(4) - 4.0 * t * t), z)
    };
    let mut arcs = vec![0.0];
    for i in 0..FINE {
        arcs.push(arcs[i] + (shape((i + 1) as f64 / FINE as f64) - shape(i as f64 / FINE as f64)).norm());
    }
    let length = arcs[FINE];
    let station = |s: f64| {
        let i = arcs.partition_point(|arc| *arc <= s).clamp(1, FINE) - 1;
        let u = (i as f64 + (s - arcs[i]) / (arcs[i + 1] - arcs[i])) / FINE as f64;
        let tangent = (shape(u + 1e-5) - shape(u - 1e-5)).normalize();
        Station { position: shape(u), frame: rotation::frame(&tangent, &Vec3::new(0.1, 0.2, 1.0)) }
    };
    let anchors = [0.0, length].map(|s| Anchor::fixed(pose(&station(s)))).into();
    let mut network = Network { anchors, ..Network::default() };
    let own = rod(length, 100, 1e-3, 0.02)?;
    let laid = own.state_from(&station);
    let span = Span::new(own, Attachment::pinned(0), Some(Attachment::pinned(1)));
    network.spans.push(Span { contact_radius: RADIUS, ..span });
    let mut state = NetworkState::initial(&network);
    state.spans[0].rod = laid;
    let motion = Motion::from_any_state(&network, state);
    let settings = MotionSettings {
        strain_delay: 2e-3,
        drag: 0.02,
        ..MotionSettings::new(1e-3, Integrator::ImplicitEuler)
    };
    let apart = (station(length).position - station(0.0).position).norm();
    let parts = speed * settings.step;
    let steps = ((0.6 * length - apart) / parts).ceil() as usize;
    Ok(Run { network, motion, settings, steps, before: 0, parts })
}

/// How far forces are off those of the same step to 1e-13, relative to the largest.
fn true_error(
    mut motion: Motion,
    network: &Network,
    settings: &MotionSettings,
    found: &[Contact],
) -> Option<f64> {
    let exact = Settings {
        force_tolerance: 1e-13,
        position_tolerance: 1e-13,
        max_iterations: 8,
        ..Settings::default()
    };
    let mut ws = NetworkWorkspace::new(network);
    // Where round-off is more than that, it ends at its limit, and there is nothing to compare with.
    let report = motion.step(network, &mut ws, settings, &exact).ok()?;
    let largest = report.contacts.iter().map(|c| c.force.norm()).fold(0.0, f64::max);
    let is_same = |(a, b): (&Contact, &Contact)| a.body == b.body && (a.s - b.s).abs() < 1e-6;
    let fits = report.status == Status::Converged && report.contacts.len() == found.len();
    let pairs = || report.contacts.iter().zip(found);
    let off = pairs().map(|(a, b)| (a.force - b.force).norm()).fold(0.0, f64::max);
    (fits && largest > 0.0 && pairs().all(is_same)).then_some(off / largest)
}

/// Tells how the median grows with contacts from row to row of the same name.
pub(super) fn find_growth(lines: &mut [Line]) {
    let known: Vec<Option<(&'static str, f64, f64)>> =
        lines.iter().map(|l| l.touching.as_ref().map(|n| (n.name, n.contacts, l.median_ms))).collect();
    for (i, line) in lines.iter_mut().enumerate().skip(1) {
        if let (Some((name, few, short)), Some(own)) = (known[i - 1], &mut line.touching) {
            let is_more = name == own.name && own.contacts > few;
            own.growth = is_more.then(|| (line.median_ms / short).ln() / (own.contacts / few).ln());
        }
    }
}

/// One of the scenes.
pub(super) fn run(index: usize) -> Result<Line, String> {
    let (name, scene) = SCENES[index];
    let made = match scene {
        Scene::Drum => drum(),
        Scene::Knot(speed) => knot(speed),
        Scene::Heap(rods) => heap::heap(rods, 0.0),
    };
    let Run { mut network, mut motion, settings, steps, before, parts } = made?;
    let mut ws = NetworkWorkspace::new(&network);
    let (mut times, mut iterations, mut contacts) = (Vec::new(), 0, 0);
    let (mut residual, mut penetration, mut error) = (0.0f64, 0.0f64, None);
    for k in 0..steps {
        if parts > 0.0 {
            let [a, b] = [0, 1].map(|i: usize| network.anchors[i].pose.position);
            let by = (b - a).normalize() * (0.5 * parts);
            network.anchors[0].pose.position -= by;
            network.anchors[1].pose.position += by;
        }
        let mut outcome = None;
        let from = (k + 1 == steps).then(|| motion.clone());
        let time = milliseconds(|| {
            outcome = Some(motion.step_in_parts(&network, &mut ws, &settings, &Settings::default(), 4));
        });
        let report = outcome.ok_or("nothing was solved")?.map_err(|e| e.to_string())?;
        if report.status != Status::Converged {
            return Err(format!("{name}, step {k}: {}", report.status));
        }
        residual = residual.max(report.contact_residual);
        penetration = penetration.max(report.penetration);
        if let Some(from) = from {
            error = true_error(from, &network, &settings, &report.contacts);
        }
        if k < before {
            continue;
        }
        times.push(time);
        iterations += report.iterations;
        contacts += report.contacts.len();
    }
    let sum: f64 = times.iter().sum();
    let time = median(&mut times);
    let mut state = motion.state.clone();
    let mut floors: Vec<f64> = (0..20)
        .map(|_| {
            milliseconds(|| {
                black_box(factorise_and_solve_once(&network, &mut state, &mut ws));
            })
        })
        .collect();
    let measured = (steps - before) as f64;
    Ok(Line {
        name: "contact",
        n: network.spans[0].rod.as_mixed().map_or(0, MixedRod::segments),
        median_ms: time,
        iterations: iterations as f64 / measured,
        floor_ratio: time / median(&mut floors),
        touching: Some(Numbers {
            name,
            rods: network.spans.len(),
            nodes: network.spans.iter().filter_map(|s| Some(s.rod.as_mixed()?.segments() + 1)).sum(),
            contacts: contacts as f64 / measured,
            step: settings.step,
            longest_ms: times.last().copied().unwrap_or(f64::NAN),
            seconds_per_second: sum * 1e-3 / (measured * settings.step),
            residual,
            error,
            growth: None,
            penetration,
            penetration_in_radii: penetration / RADIUS,
        }),
        ..Line::default()
    })
}

pub(super) fn print_table(lines: &[Line]) {
    let own: Vec<(&Line, &Numbers)> = lines.iter().filter_map(|l| Some((l, l.touching.as_ref()?))).collect();
    if own.is_empty() {
        return;
    }
    let titles = [
        "in motion",
        "rods",
        "nodes",
        "contacts",
        "step ms",
        "median ms",
        "longest",
        "s per s",
        "iterations",
        "growth",
        "residual",
        "error",
        "entered, radii",
    ];
    let mut table = Table::new(&titles);
    for (line, numbers) in own {
        table.row(&[
            numbers.name.to_string(),
            numbers.rods.to_string(),
            numbers.nodes.to_string(),
            format!("{:.0}", numbers.contacts),
            format!("{:.0}", 1e3 * numbers.step),
            format!("{:.2}", line.median_ms),
            format!("{:.1}", numbers.longest_ms),
            format!("{:.2}", numbers.seconds_per_second),
            format!("{:.1}", line.iterations),
            numbers.growth.map_or_else(String::new, |growth| format!("{growth:.2}")),
            format!("{:.0e}", numbers.residual),
            numbers.error.map_or_else(|| "unknown".into(), |error| format!("{error:.0e}")),
            format!("{:.0e}", numbers.penetration_in_radii),
        ]);
    }
    print("\n");
    table.print();
    print(
        "\na step in time; residual: what is left of the law of contact, relative to the largest force of a contact; error: how far \
         forces of the last step are off those of a solve to 1e-13, relative to the largest; growth: exponent of the median in the \
         contacts\n",
    );
}
