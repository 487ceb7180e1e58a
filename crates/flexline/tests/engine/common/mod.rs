//! What tests share: here that of reduced rods.

pub mod knots;
pub mod ropes;

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::AnyRod;
use flexline::section::{Section, SectionProfile};
use flexline::solver::{End, Pose, Problem};

/// The section of the hose.
pub fn section() -> SectionProfile {
    SectionProfile::uniform(Section::measured(0.02, 0.02, 0.016, 0.12, 0.004).expect("sound section"))
}

/// A hose between two clamps, with a turn of twist and natural curl.
pub fn hose(rod: AnyRod) -> Problem {
    let pose = |x: f64, z: f64, turn: Vec3| Pose {
        position: Vec3::new(x, 0.1 * x, z),
        orientation: rotation::exp(&turn),
    };
    let mut end = End::clamped(pose(0.45, -0.1, Vec3::new(0.3, 2.0, 0.4)));
    end.twist = 2.0;
    let mut problem = Problem::new(rod, End::clamped(pose(0.0, 0.0, Vec3::new(0.0, 0.9, 0.0))), end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem
}

/// Its natural curl at `s`, 1/m.
pub fn curl(s: f64) -> Vec3 {
    Vec3::new(1.0 + 2.0 * s, 0.5, 1.0)
}
