//! What tests of ropes that slide share.

use flexline::Vec3;
use flexline::algebra::{Mat3, rotation};
use flexline::rod::AnyRod;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::SplineRod;
use flexline::section::{Section, SectionProfile};
use flexline::solver::motion::Motion;
use flexline::solver::network::{Anchor, Network, NetworkState, NetworkWorkspace, Wheel, solve_network};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use std::f64::consts::PI;

/// Acceleration of gravity, m/s².
pub const G: f64 = 9.81;

/// Gravity of all these ropes.
pub fn gravity() -> Vec3 {
    Vec3::new(0.0, 0.0, -G)
}

/// A straight rod of a model with `n` segments or elements.
pub fn rod(model: &str, length: f64, stiffness: f64, mass_per_length: f64, n: usize) -> AnyRod {
    let section = Section::measured(stiffness, stiffness, stiffness, mass_per_length, 0.001).unwrap();
    let section = SectionProfile::uniform(section);
    let straight = |_: f64| Vec3::zeros();
    let basis = match model {
        "mixed" => return MixedRod::new(&Mesh::uniform(length, n).unwrap(), &section, &straight).into(),
        "spline" => return SplineRod::new(length, n, &section, &straight).unwrap().into(),
        "helix" => Basis::Helix,
        _ => Basis::Clothoid,
    };
    CurvatureRod::new(basis, length, n, &section, &straight).unwrap().into()
}

/// A limp rope; of splines a stiffer one, since with limp splines the solver makes no progress at rest.
pub fn rope(model: &str, length: f64, limp: f64, mass_per_length: f64, n: usize) -> AnyRod {
    let stiffness = if model == "spline" { 1e-3 } else { limp };
    rod(model, length, stiffness, mass_per_length, n)
}

/// A place in the plane of x and z.
pub fn at(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, z), orientation: rotation::identity() }
}

/// A weight that does not turn.
pub fn weight(x: f64, z: f64, mass: f64) -> Anchor {
    Anchor { held_orientation: true, ..Anchor::part(at(x, z), mass, Vec3::zeros()) }
}

/// A wheel at the origin, on the anchor of that number: rope comes up on its left and lies on it for an angle of `wrap`.
pub fn wheel(on: usize, radius: f64, wrap: f64) -> Wheel {
    // x to the right, y down: by the right hand from the left over the top to the right.
    let axle = rotation::from_matrix(&Mat3::from_columns(&[Vec3::x(), -Vec3::z(), Vec3::y()]));
    let pose = Pose { position: Vec3::zeros(), orientation: axle };
    Wheel { on, pose, radius, contact: [PI, PI + wrap] }
}

/// The equilibrium of a network.
#[track_caller]
pub fn equilibrium(network: &Network) -> NetworkState {
    let mut state = NetworkState::initial(network);
    let mut ws = NetworkWorkspace::new(network);
    let report = solve_network(network, &mut state, &mut ws, &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    state
}

/// A motion that begins at rest in the equilibrium.
#[track_caller]
pub fn at_rest(network: &Network) -> Motion {
    Motion::at_rest(network, equilibrium(network))
}
