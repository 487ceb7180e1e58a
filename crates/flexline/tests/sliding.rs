//! Ropes that slide through eyes: tension, length, friction.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::Settings;
use flexline::solver::statics::network::{
    Anchor, Attachment, Network, NetworkReport, NetworkState, NetworkWorkspace, Slide, Span, solve_network, span_profile,
};
use flexline::solver::{Pose, Status};

const G: f64 = 9.81;

/// A thin, light, soft rope.
fn rope(length: f64) -> MixedRod {
    let section = Section::measured(1e-6, 1e-6, 1e-6, 1e-4, 0.001).unwrap();
    MixedRod::new(&Mesh::uniform(length, 12).unwrap(), &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn pose(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, z), orientation: rotation::identity() }
}

/// Held in place, free to turn: the rope's own frame at the eye.
fn eye(x: f64, z: f64) -> Anchor {
    Anchor { held_orientation: false, ..Anchor::fixed(pose(x, z)) }
}

fn solved(network: &Network) -> (NetworkState, NetworkReport) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?} {:?}", state.lengths);
    (state, report)
}

fn tension_at(network: &Network, state: &NetworkState, span: usize, first: bool) -> f64 {
    let profile = span_profile(network, state, span);
    let sample = if first { &profile.samples[0] } else { &profile.samples[profile.samples.len() - 1] };
    sample.force.norm()
}

#[test]
fn a_weight_pulls_the_rope_taut_through_an_eye() {
    // Wall – eye – weight. The first span ends up straight; both sides carry the weight.
    let m = 0.5;
    let network = Network {
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0)),
            eye(0.4, 0.1),
            Anchor { held_orientation: true, ..Anchor::part(pose(0.45, -0.3), m, Vec3::zeros()) },
        ],
        spans: vec![
            Span::new(rope(0.5), Attachment::pinned(0), Some(Attachment::clamped(1))),
            Span::new(rope(0.5), Attachment::clamped(1), Some(Attachment::pinned(2))),
        ],
        slides: vec![Slide { before: 0, after: 1, friction: 0.0 }],
        gravity: Vec3::new(0.0, 0.0, -G),
        ..Network::default()
    };
    let (state, _) = solved(&network);
    let distance = 0.4f64.hypot(0.1);
    assert!((state.lengths[0] - distance).abs() < 1e-3, "{:?}", state.lengths);
    assert!((state.lengths[0] + state.lengths[1] - 1.0).abs() < 1e-12);
    for (span, first) in [(0, false), (1, true)] {
        let t = tension_at(&network, &state, span, first);
        assert!((t / (m * G) - 1.0).abs() < 2e-3, "span {span}: {t} of {}", m * G);
    }
}
