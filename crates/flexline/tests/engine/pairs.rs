//! Rods that touch each other and themselves: what is wound, linked or knotted stays so, however fast it is led.

use crate::common::knots::determinant;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{Rod, State, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span, solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::f64::consts::TAU;

const RADIUS: f64 = 0.004;

fn rod(length: f64, segments: usize) -> MixedRod {
    let section = Section::measured(1e-3, 1e-3, 8e-4, 0.05, RADIUS).expect("sound section");
    let mesh = Mesh::uniform(length, segments).expect("sound mesh");
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn pose(position: Vec3, along: Vec3) -> Pose {
    let across = if along.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
    Pose { position, orientation: rotation::frame(&along, &across) }
}

fn span(rod: MixedRod, start: Attachment, end: Attachment) -> Span {
    Span { contact_radius: RADIUS, ..Span::new(rod, start, Some(end)) }
}

/// Points along a span, its ends included.
fn points(network: &Network, state: &NetworkState, k: usize, count: usize) -> Vec<Vec3> {
    let rod = &network.spans[k].rod;
    let at = |i: usize| rod.station(&state.spans[k].rod, i as f64 / count as f64 * rod.length()).position;
    (0..=count).map(at).collect()
}

/// Numbers between −1 and 1, the same ones every time.
struct Noise(f64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = (self.0 * 97.31 + 0.417).fract();
        2.0 * self.0 - 1.0
    }
}

/// A hose that was wound twice about itself used to slip round itself and to lose both turns. Here it hangs between two
/// clips, comes up again beside them, is wound about its hanging part and then pulled.
#[test]
fn a_hose_wound_about_itself_keeps_its_turns() {
    let mut network = Network::default();
    let hand = |turns: f64, away: f64| {
        let (sin, cos) = (turns * TAU).sin_cos();
        pose(Vec3::new(away * cos, away * sin, 0.2), Vec3::z())
    };
    let clip = |x: f64, z: f64, up: f64| Anchor::fixed(pose(Vec3::new(x, 0.0, z), Vec3::z() * up));
    network.anchors =
        vec![clip(0.0, 0.4, -1.0), clip(0.0, 0.0, -1.0), clip(0.1, 0.0, 1.0), Anchor::fixed(hand(0.0, 0.12))];
    network.spans = vec![
        span(rod(0.405, 40), Attachment::clamped(0), Attachment::clamped(1)),
        span(rod(0.2, 20), Attachment::clamped(1), Attachment::clamped(2)),
        span(rod(0.6, 60), Attachment::clamped(2), Attachment::pinned(3)),
    ];
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    // About the hanging part at the same height.
    let turned = |network: &Network, state: &NetworkState| {
        let hanging = points(network, state, 0, 400);
        let beside = |p: &Vec3| {
            let level = |q: &&Vec3| (q.z - p.z).abs();
            let nearest = hanging.iter().min_by(|a, b| level(a).total_cmp(&level(b)));
            nearest.map_or(*p, |q| p - q)
        };
        let around: Vec<Vec3> = points(network, state, 2, 240).iter().map(beside).collect();
        let angle = |w: &[Vec3]| (w[0].x * w[1].y - w[0].y * w[1].x).atan2(w[0].x * w[1].x + w[0].y * w[1].y);
        around.windows(2).map(angle).sum::<f64>() / TAU
    };
    let mut lead = |to: Pose, state: &mut NetworkState, network: &mut Network| {
        network.anchors[3].pose = to;
        let report = solve_network(network, state, &mut ws, &Settings::default()).expect("sound");
        println!(
            "{:?} {} iterations, {} contacts, overlap {:.0e}, {:.3} turns",
            report.status,
            report.iterations,
            report.contacts.len(),
            report.penetration,
            turned(network, state)
        );
        assert!(report.penetration < 1e-6 * RADIUS, "{:e}", report.penetration);
        report.contacts.len()
    };
    for k in 0..=24 {
        lead(hand(k as f64 / 12.0, 0.12), &mut state, &mut network);
    }
    let wound = turned(&network, &state);
    let touched = (1..=6).map(|k| lead(hand(0.0, 0.12 + 0.03 * k as f64), &mut state, &mut network)).last();
    let kept = turned(&network, &state);
    assert!((wound - 2.0).abs() < 0.1 && (kept - 2.0).abs() < 0.1, "{wound} {kept}");
    assert!(touched > Some(0));
}

/// A closed curve over 0 … 1.
type Shape<'a> = &'a dyn Fn(f64) -> Vec3;

/// A closed loop along `shape`, as two spans between two anchors.
fn closed_loop(shape: Shape<'_>, segments: usize) -> (Network, NetworkState) {
    const FINE: usize = 4000;
    let at = |i: usize| shape(i as f64 / FINE as f64);
    let mut arcs = vec![0.0];
    for i in 0..FINE {
        arcs.push(arcs[i] + (at(i + 1) - at(i)).norm());
    }
    let length = arcs[FINE];
    let station = |s: f64| {
        let i = arcs.partition_point(|arc| *arc <= s).clamp(1, FINE) - 1;
        let u = (i as f64 + (s - arcs[i]) / (arcs[i + 1] - arcs[i])) / FINE as f64;
        let tangent = (shape(u + 1e-5) - shape(u - 1e-5)).normalize();
        Station { position: shape(u), frame: rotation::frame(&tangent, &Vec3::new(0.1, 0.2, 1.0)) }
    };
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    let half = 0.5 * length;
    for s in [0.0, half] {
        let Station { position, frame } = station(s);
        network.anchors.push(Anchor::fixed(Pose { position, orientation: frame }));
    }
    let own = rod(half, segments / 2);
    let ends = [(0, 1), (1, 0)];
    network.spans =
        ends.map(|(a, b)| span(own.clone(), Attachment::clamped(a), Attachment::clamped(b))).to_vec();
    let mut state = NetworkState::initial(&network);
    for (k, from) in [0.0, half].into_iter().enumerate() {
        let shape = own.state_from(&|s| station(from + s));
        state.spans[k] = State::new(shape, state.spans[k].ends);
    }
    (network, state)
}

/// Whole way round a loop of two spans.
fn around(network: &Network, state: &NetworkState) -> Vec<Vec3> {
    let mut all = points(network, state, 0, 120);
    all.pop();
    all.extend(points(network, state, 1, 120));
    all.pop();
    all
}

/// Loops, knotted and not, one place of which is thrown about: they stay what they are.
#[test]
fn knots_stay_tied_however_fast_they_are_led() {
    let trefoil = |u: f64| {
        let t = TAU * u;
        Vec3::new(t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos(), -(3.0 * t).sin()) * 0.03
    };
    let circle = |u: f64| Vec3::new((TAU * u).cos(), (TAU * u).sin(), 0.1 * (2.0 * TAU * u).sin()) * 0.1;
    let shapes: [(&str, Shape<'_>, f64); 2] = [("trefoil", &trefoil, 3.0), ("circle", &circle, 1.0)];
    let drags: usize = std::env::var("FLEXLINE_DRAGS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let mut noise = Noise(0.37);
    for (name, shape, expected) in shapes {
        let (mut network, mut state) = closed_loop(shape, 96);
        let mut ws = NetworkWorkspace::new(&network);
        let centre = network.anchors[1].pose.position;
        let (mut reached, mut deepest) = (0, 0.0f64);
        for k in 0..drags {
            if k > 0 {
                let by = Vec3::new(noise.next(), noise.next(), noise.next()) * 0.08;
                network.anchors[1].pose.position = centre + by;
            }
            let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
            let found = determinant(&around(&network, &state));
            println!(
                "{name} {k}: {:?}, {} iterations, {} contacts, overlap {:.0e}, determinant {found:.3}",
                report.status,
                report.iterations,
                report.contacts.len(),
                report.penetration
            );
            assert!((found - expected).abs() < 1e-6, "{name} {k}: {found}");
            assert!(report.residual_force.is_finite());
            if report.status == Status::Converged {
                reached += 1;
                deepest = deepest.max(report.penetration);
            }
        }
        println!("{name}: {reached} of {drags} reached, overlap {deepest:.1e}");
        assert!(deepest < 1e-6 * RADIUS, "{name}: {deepest:e}");
        // One of the trefoil's was not, while strands side by side had one row a piece.
        assert!(reached == drags || drags > 12, "{name}: {reached} of {drags}");
    }
}
