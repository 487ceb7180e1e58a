//! Steps in time of one rod that swings, model by model.

use super::networks::{converged, floor};
use super::{Bench, Line, median, milliseconds};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::AnyRod;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::SplineRod;
use flexline::section::{Section, SectionProfile};
use flexline::solver::Pose;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span};
use flexline::solver::statics::Settings;

/// Length of the rod, m, and of a step, s; steps of a run of one second.
const LENGTH: f64 = 1.0;
const STEP: f64 = 0.01;
const STEPS: usize = 100;

/// The models, and in how many pieces each is divided.
const MODELS: [(&str, usize); 4] =
    [("motion mixed", 100), ("motion clothoid", 8), ("motion helix", 16), ("motion spline", 10)];
/// Their number.
pub(super) const COUNT: usize = MODELS.len();

fn rod(model: &str, pieces: usize) -> Result<AnyRod, String> {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).map_err(|e| e.to_string())?;
    let profile = SectionProfile::uniform(section);
    let straight = |_: f64| Vec3::zeros();
    let curvature = |basis| {
        let rod = CurvatureRod::new(basis, LENGTH, pieces, &profile, &straight);
        rod.map(AnyRod::from).map_err(|e| e.to_string())
    };
    match model {
        "motion clothoid" => curvature(Basis::Clothoid),
        "motion helix" => curvature(Basis::Helix),
        "motion spline" => {
            SplineRod::new(LENGTH, pieces, &profile, &straight).map(AnyRod::from).map_err(|e| e.to_string())
        }
        _ => {
            let mesh = Mesh::uniform(LENGTH, pieces).map_err(|e| e.to_string())?;
            Ok(MixedRod::new(&mesh, &profile, &straight).into())
        }
    }
}

/// A hose that is clamped at one end, straight, and let go: a second of its swing.
pub(super) fn run(_: &Bench, index: usize) -> Result<Line, String> {
    let (name, n) = MODELS[index];
    let level = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::z()) };
    let network = Network {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        anchors: vec![Anchor::fixed(level)],
        spans: vec![Span::new(rod(name, n)?, Attachment::clamped(0), None)],
        ..Network::default()
    };
    let mut ws = NetworkWorkspace::new(&network);
    let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
    let settings = MotionSettings::new(STEP, Integrator::Bdf2);
    let (mut times, mut iterations) = (Vec::new(), 0);
    for _ in 0..STEPS {
        let mut outcome = Err(String::new());
        times.push(milliseconds(|| {
            outcome = converged(motion.step(&network, &mut ws, &settings, &Settings::interactive()));
        }));
        iterations += outcome?;
    }
    let floor = floor(&network, &mut motion.state, &mut ws);
    let time = median(&mut times);
    Ok(Line {
        name,
        n,
        median_ms: time,
        iterations: iterations as f64 / STEPS as f64,
        floor_ratio: time / floor,
        ..Line::default()
    })
}
