//! Networks without an equilibrium: who is to blame, and how near they come.

use crate::tolerance::{convergence, order};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkReport, NetworkState, NetworkWorkspace, Span, nearest_led,
    solve_network, span_profile,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

fn rod(stiffness: f64, length: f64) -> MixedRod {
    let section = Section::measured(stiffness, stiffness, 0.8 * stiffness, 0.05, 0.003).expect("sound");
    let mesh = Mesh::uniform(length, 24).expect("sound");
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
}

fn pose(x: f64, y: f64, tangent: Vec3) -> Pose {
    Pose { position: Vec3::new(x, y, 0.0), orientation: rotation::frame(&tangent, &Vec3::z()) }
}

fn solve(network: &Network) -> (NetworkState, NetworkReport) {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).expect("sound");
    (state, report)
}

/// Two arms of 0.8 m from ports 1 m apart to a loose fork, and a branch of 0.5 m from there to a port that is
/// `beyond` too far away when the arms are straight. A slack cable hangs beside them. The arms are soft, the branch stiff.
fn fork(beyond: f64) -> Network {
    let reach = (0.8f64 * 0.8 - 0.25).sqrt() - 0.5;
    let x = Vec3::x();
    Network {
        anchors: vec![
            Anchor::fixed(pose(-0.5, -0.5, x)),
            Anchor::fixed(pose(-0.5, 0.5, x)),
            Anchor::loose(pose(reach - 0.1, 0.0, x)),
            Anchor::fixed(pose(reach + 0.5 + beyond, 0.0, x)),
            Anchor::fixed(pose(0.0, 0.7, x)),
        ],
        spans: vec![
            Span::new(rod(0.002, 0.8), Attachment::clamped(0), Some(Attachment::pinned(2))),
            Span::new(rod(0.002, 0.8), Attachment::clamped(1), Some(Attachment::pinned(2))),
            Span::new(rod(0.02, 0.5), Attachment::pinned(2), Some(Attachment::clamped(3))),
            Span::new(rod(0.002, 1.0), Attachment::pinned(2), Some(Attachment::clamped(4))),
        ],
        gravity: GRAVITY,
        ..Network::default()
    }
}

/// By how much the far end of a span is away from its anchor, m.
fn detached(network: &Network, state: &NetworkState, span: usize) -> f64 {
    let end = span_profile(network, state, span).samples.last().expect("samples").position;
    (end - state.anchors[network.spans[span].end.expect("held").anchor].position).norm()
}

/// All three taut cables were called too short, and drawn detached: the arms took most of it.
#[test]
fn only_what_would_help_is_called_too_short() {
    for beyond in [0.004, 0.03, 0.2] {
        let mut network = fork(beyond);
        let (state, report) = solve(&network);
        assert_eq!(report.status, Status::TooShort, "{beyond}");
        let named: Vec<usize> = report.short.iter().map(|s| s.span).collect();
        assert_eq!(named, [2], "{beyond}: {:?}", report.short);
        let missing = report.short[0].missing;
        assert!((missing - beyond).abs() < 1e-4 + 1e-2 * beyond, "{beyond}: {missing}");
        for span in [0, 1, 3] {
            let gap = detached(&network, &state, span);
            assert!(gap < 1e-2 * beyond, "{beyond}: span {span} is {gap} away from its anchor");
        }
        assert!((detached(&network, &state, 2) - beyond).abs() < 1e-4 + 1e-2 * beyond);
        // That much longer it reaches; not with half of it.
        for (share, status) in [(0.5, Status::TooShort), (1.05, Status::Converged)] {
            network.spans[2].rod = rod(0.02, 0.5 + share * missing + 1e-3).into();
            assert_eq!(solve(&network).1.status, status, "{beyond}: {share}");
        }
    }
}

/// Where one alone does not mend it, all that do are named.
#[test]
fn two_that_are_both_too_short_are_both_named() {
    // The fork itself is held, beyond both arms.
    let mut network = fork(-0.1);
    network.anchors[2] = Anchor::fixed(pose(0.2, 0.1, Vec3::x()));
    let (_, report) = solve(&network);
    assert_eq!(report.status, Status::TooShort);
    let named: Vec<usize> = report.short.iter().map(|s| s.span).collect();
    assert_eq!(named, [0, 1], "{:?}", report.short);
    for (short, y) in report.short.iter().zip([-0.5, 0.5]) {
        let missing = (Vec3::new(0.2, 0.1, 0.0) - Vec3::new(-0.5, y, 0.0)).norm() - 0.8;
        order(1e-4, 1.0).allows(short.missing - missing, || format!("{short:?}: {missing}"));
    }
}

/// What is led too far stays as near as it can, every cable as long as it is and joined to its ends.
#[test]
fn what_is_led_too_far_stays_as_near_as_it_can() {
    let reachable = fork(-0.05);
    let (start, report) = solve(&reachable);
    assert_eq!(report.status, Status::Converged);
    for beyond in [0.01, 0.2] {
        let network = fork(beyond);
        let settings = Settings::interactive();
        let found = nearest_led(&network, &start, &[3], &settings).expect("sound").expect("a way");
        assert_eq!(found.report.status, Status::TooShort);
        assert!((found.away[0] - beyond).abs() < 1e-4 + 1e-2 * beyond, "{beyond}: {:?}", found.away);
        let left = (found.state.anchors[3].position - network.anchors[3].pose.position).norm();
        convergence(1e-9, 1.0).allows(left - found.away[0], || format!("{left}: {:?}", found.away));
        for (k, span) in network.spans.iter().enumerate() {
            assert!(detached(&network, &found.state, k) < 1e-9, "{beyond}: span {k}");
            let samples = span_profile(&network, &found.state, k).samples;
            let length: f64 = samples.windows(2).map(|w| (w[1].position - w[0].position).norm()).sum();
            convergence(1e-9, 1.0)
                .allows(length / span.rod.length() - 1.0, || format!("{beyond}: span {k} is {length} long"));
        }
        let named: Vec<usize> = found.report.short.iter().map(|s| s.span).collect();
        assert_eq!(named, [2], "{beyond}: {:?}", found.report.short);
        assert!((found.report.short[0].missing - beyond).abs() < 1e-4 + 2e-2 * beyond);
    }
    // And what can be reached is reached.
    let network = fork(-0.02);
    let found = nearest_led(&network, &start, &[3], &Settings::interactive()).expect("sound");
    let found = found.expect("a way");
    assert_eq!((found.report.status, &found.away[..]), (Status::Converged, &[0.0][..]));
    assert_eq!(found.state.anchors[3].position, network.anchors[3].pose.position);
}
