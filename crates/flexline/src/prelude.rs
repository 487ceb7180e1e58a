//! The names that most programs need: `use flexline::prelude::*;`.
//!
//! Poses, parts and rods; one cable and its solve; networks of them and theirs; motion. All are re-exported from where
//! they are documented; `examples/` shows each at work.
//!
//! ```
//! use flexline::prelude::*;
//!
//! // A metre of brake hose hangs from a clamp.
//! let hose = find_part("brake-hose").ok_or("no such part")?;
//! let rod = MixedRod::new(&Mesh::uniform(1.0, 50)?, &SectionProfile::uniform(hose.section), &|_| Vec3::zeros());
//! let clamp = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) };
//! let mut problem = Problem::new(rod, End::clamped(clamp), End::free());
//! problem.gravity = Vec3::new(0.0, 0.0, -9.81);
//! let (_, report) = solve_from_scratch(&problem, &Settings::default())?;
//! assert_eq!(report.status, Status::Converged);
//! assert!((report.support(0).force.z - 9.81 * hose.section.mass_per_length).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::algebra::{Quat, Vec3, rotation};
pub use crate::rod::curvature::{Basis, CurvatureRod};
pub use crate::rod::mixed::{Mesh, MixedRod};
pub use crate::rod::spline::SplineRod;
pub use crate::rod::{AnyRod, Rod};
pub use crate::section::{Section, SectionProfile, Zone, find_part};
pub use crate::solver::motion::{Integrator, Motion, MotionSettings};
pub use crate::solver::network::{
    Anchor, Attachment, Constraint, Network, NetworkReport, NetworkState, NetworkWorkspace, Slide, Span,
    Wheel, solve_network, span_profile,
};
pub use crate::solver::statics::{Settings, Workspace, initial_state, profile, solve, solve_from_scratch};
pub use crate::solver::{
    Axes, DistributedLoad, End, PointLoad, Pose, Problem, Profile, State, Status, Wrench,
};
