//! Where the mass of a body is.

use crate::algebra::{Quat, Vec3};

/// Mass at one place of a rod.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MassPoint {
    /// kg.
    pub(crate) mass: f64,
    /// The length of rod it stands for, m.
    pub(crate) length: f64,
    /// m, world.
    pub(crate) position: Vec3,
}

/// The matter of a rod in a state: what inertia and drag act on. Its kinetic energy is
/// ½ Σ m_j |v_j|² − ½ Σ μ_i |v_{i+1} − v_i|² and that of the frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matter {
    pub(crate) points: Vec<MassPoint>,
    /// μ_i, kg: what the mass matrix has between point i and the next. None where points are quadrature.
    pub(crate) couplings: Vec<f64>,
    /// Rotary inertia about own axes (material), kg m², and the frame, material→world.
    pub(crate) frames: Vec<(Vec3, Quat)>,
}
