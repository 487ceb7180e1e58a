//! Rods on obstacles against closed forms.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkReport, NetworkState, NetworkWorkspace, Span, solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};

const LENGTH: f64 = 1.5;
const STIFFNESS: f64 = 2e-2;
const WEIGHT: f64 = 0.4;
const RADIUS: f64 = 4e-3;
const DROP: f64 = 0.05;

/// A heavy rod that is clamped level and comes to lie on a floor.
fn landed(segments: usize) -> NetworkReport {
    let section =
        Section::measured(STIFFNESS, STIFFNESS, 0.8 * STIFFNESS, WEIGHT / 9.81, RADIUS).expect("sound");
    let mesh = Mesh::uniform(LENGTH, segments).expect("sound");
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let at = |z: f64, along: Vec3, across: Vec3| Pose {
        position: Vec3::new(0.0, 0.0, z),
        orientation: rotation::frame(&along, &across),
    };
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    network.anchors.push(Anchor::fixed(at(DROP + RADIUS, Vec3::x(), Vec3::z())));
    network.spans.push(Span { contact_radius: RADIUS, ..Span::new(rod, Attachment::clamped(0), None) });
    let floor = Obstacle { shape: Shape::Plane, pose: at(0.0, Vec3::z(), Vec3::x()), friction: 0.0 };
    network.obstacles.push(floor);
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound")
}

/// The moment at the clamp is √(2 EI w h) at any slope, since EI κ²/2 + w z + N (cos θ − 1) is the same all along the
/// hanging part and N, the tension, is nothing without friction. The error falls at second order, and the number of
/// iterations does not grow with that of the segments.
#[test]
fn a_heavy_rod_lands_on_a_floor() {
    let exact = (2.0 * STIFFNESS * WEIGHT * DROP).sqrt();
    let mut last = f64::INFINITY;
    for segments in [50, 100, 200, 400] {
        let report = landed(segments);
        assert_eq!(report.status, Status::Converged, "{segments}");
        let error = (report.reactions[0].moment.norm() / exact - 1.0).abs();
        let carried =
            report.contacts.iter().map(|contact| contact.force.z).sum::<f64>() + report.reactions[0].force.z;
        println!(
            "{segments} segments: moment off by {error:.1e}, {} contacts, {} iterations, overlap {:.0e} m",
            report.contacts.len(),
            report.iterations,
            report.penetration
        );
        assert!((carried / (WEIGHT * LENGTH) - 1.0).abs() < 1e-7, "{segments}: {carried}");
        assert!(report.penetration < 1e-10 && report.negative == 0, "{segments}: {:e}", report.penetration);
        assert!(report.iterations <= 40, "{segments}: {}", report.iterations);
        // Contacts move with the mesh.
        assert!(error <= last / 2.8, "{segments}: {last:e} {error:e}");
        last = error;
    }
    assert!(last < 1e-4, "{last:e}");
}
