//! What contact costs: a cable that is drawn over something, beside the same drags where nothing is there.

use super::networks::converged;
use super::{Bench, Line, median, milliseconds, touching};
use crate::output::{Table, print};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::sample::hills;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::mixed::{Mesh as Division, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::Pose;
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span, factorise_and_solve_once,
    solve_network,
};
use flexline::solver::statics::Settings;
use serde::Serialize;
use std::f64::consts::PI;
use std::hint::black_box;

const INCREMENTS: usize = 48;
/// Of the cable, m.
const LENGTH: f64 = 1.0;
const RADIUS: f64 = 0.004;

/// What the cable lies on.
#[derive(Clone, Copy)]
enum Ground {
    Floor,
    Hills,
    /// Hills that it does not reach.
    HillsBelow,
}

/// A line of the table: what it lies on, and how many segments the cable has.
const EXAMPLES: [(&str, Ground, usize); RESTING] = [
    ("floor", Ground::Floor, 50),
    ("floor", Ground::Floor, 100),
    ("floor", Ground::Floor, 200),
    ("floor", Ground::Floor, 400),
    ("mesh", Ground::Hills, 100),
    ("mesh, out of reach", Ground::HillsBelow, 100),
];

/// How many there are, and with those in motion.
const RESTING: usize = 6;
pub(super) const SCENES: usize = RESTING + touching::COUNT;

/// Beside the cost of an increment.
#[derive(Serialize)]
pub(super) struct Numbers {
    name: &'static str,
    triangles: usize,
    /// That press, on the average.
    contacts: f64,
    /// The longest increment, ms.
    longest_ms: f64,
    /// The same drags with nothing there, ms.
    without_ms: f64,
    /// Deepest overlap over all increments, m.
    penetration: f64,
}

/// A cable of 1 m held at both ends, over nothing.
fn cable(segments: usize, height: f64) -> Result<Network, String> {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, RADIUS).map_err(|e| e.to_string())?;
    let mesh = Division::uniform(LENGTH, segments).map_err(|e| e.to_string())?;
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let pose = |x: f64| Pose {
        position: Vec3::new(x, 0.0, height),
        orientation: rotation::frame(&Vec3::x(), &Vec3::y()),
    };
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    network.anchors = vec![Anchor::fixed(pose(0.0)), Anchor::fixed(pose(0.9))];
    let mut span = Span::new(rod, Attachment::clamped(0), Some(Attachment::clamped(1)));
    span.contact_radius = RADIUS;
    network.spans.push(span);
    Ok(network)
}

fn obstacle(ground: Ground) -> Result<(Obstacle, f64), String> {
    let place = |shape: Shape, z: f64, up: Vec3| Obstacle {
        shape,
        pose: Pose { position: Vec3::new(0.0, 0.0, z), orientation: rotation::frame(&up, &Vec3::x()) },
        friction: 0.0,
    };
    Ok(match ground {
        Ground::Floor => (place(Shape::Plane, 0.0, Vec3::z()), 0.05),
        Ground::Hills | Ground::HillsBelow => {
            let shape = Shape::Mesh(std::sync::Arc::new(hills(224).map_err(|e| e.to_string())?));
            let pose = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
            (
                Obstacle { shape, pose, friction: 0.0 },
                if matches!(ground, Ground::Hills) { 0.04 } else { 0.5 },
            )
        }
    })
}

/// What the drags of a network came to.
struct Drags {
    times: Vec<f64>,
    iterations: usize,
    contacts: usize,
    penetration: f64,
    floor: f64,
}

/// Draws the far end round a circle, 2 mm at a time.
fn drags(mut network: Network) -> Result<Drags, String> {
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let settings = Settings::interactive();
    converged(solve_network(&network, &mut state, &mut ws, &settings))?;
    let mut drags = Drags { times: Vec::new(), iterations: 0, contacts: 0, penetration: 0.0, floor: 0.0 };
    for k in 0..INCREMENTS {
        let phase = 2.0 * PI * k as f64 / INCREMENTS as f64;
        network.anchors[1].pose.position += Vec3::new(phase.cos(), phase.sin(), 0.0) * 2e-3;
        let mut outcome = None;
        drags.times.push(milliseconds(|| {
            outcome = Some(solve_network(&network, &mut state, &mut ws, &settings));
        }));
        let report = outcome.ok_or("nothing was solved")?.map_err(|e| e.to_string())?;
        drags.contacts += report.contacts.len();
        drags.penetration = drags.penetration.max(report.penetration);
        drags.iterations += converged(Ok(report)).map_err(|e| format!("increment {k}: {e}"))?;
    }
    let mut floors: Vec<f64> = (0..20)
        .map(|_| {
            milliseconds(|| {
                black_box(factorise_and_solve_once(&network, &mut state, &mut ws));
            })
        })
        .collect();
    drags.floor = median(&mut floors);
    Ok(drags)
}

pub(super) fn run(_: &Bench, index: usize) -> Result<Line, String> {
    if index >= RESTING {
        return touching::run(index - RESTING);
    }
    let (name, ground, n) = EXAMPLES[index];
    let (obstacle, height) = obstacle(ground)?;
    let triangles = match &obstacle.shape {
        Shape::Mesh(mesh) => mesh.triangles().len(),
        _ => 0,
    };
    let network = cable(n, height)?;
    let mut without = drags(network.clone())?;
    let mut network = network;
    network.obstacles.push(obstacle);
    let mut with = drags(network).map_err(|e| format!("{name}: {e}"))?;
    let time = median(&mut with.times);
    Ok(Line {
        name: "contact",
        n,
        median_ms: time,
        iterations: with.iterations as f64 / INCREMENTS as f64,
        floor_ratio: time / without.floor,
        contact: Some(Numbers {
            name,
            triangles,
            contacts: with.contacts as f64 / INCREMENTS as f64,
            longest_ms: with.times.last().copied().unwrap_or(f64::NAN),
            without_ms: median(&mut without.times),
            penetration: with.penetration,
        }),
        ..Line::default()
    })
}

pub(super) fn print_table(lines: &[Line]) {
    let own: Vec<(&Line, &Numbers)> = lines.iter().filter_map(|l| Some((l, l.contact.as_ref()?))).collect();
    if own.is_empty() {
        return;
    }
    let titles = [
        "lies on",
        "triangles",
        "segments",
        "contacts",
        "median ms",
        "longest",
        "iterations",
        "× without",
        "entered m",
    ];
    let mut table = Table::new(&titles);
    for (line, numbers) in own {
        table.row(&[
            numbers.name.to_string(),
            numbers.triangles.to_string(),
            line.n.to_string(),
            format!("{:.1}", numbers.contacts),
            format!("{:.3}", line.median_ms),
            format!("{:.2}", numbers.longest_ms),
            format!("{:.1}", line.iterations),
            format!("{:.1}", line.median_ms / numbers.without_ms),
            format!("{:.0e}", numbers.penetration),
        ]);
    }
    print("\n");
    table.print();
    print("\nan increment of 2 mm; without: the same increments with nothing there\n");
}
