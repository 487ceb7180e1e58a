//! Rotations and their maps; inside, structured factorisations, small dense kernels, power series, quadrature.

pub mod band;
pub(crate) mod block_ldl;
pub(crate) mod chain;
#[doc(hidden)] // for tests of other packages
pub mod collocation;
pub(crate) mod double_double;
pub(crate) mod gmres;
pub(crate) mod lu;
#[doc(hidden)] // for experiments of the command
pub mod quadrature;
pub mod rotation;
pub(crate) mod series;
pub(crate) mod small;
#[cfg(test)]
pub(crate) mod tolerance;

/// The larger of two numbers, and no number where one of them is none: `f64::max` would hide it.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// A vector of three components; the frame it is expressed in is said where it is used.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A quaternion w, x, y, z (Hamilton). Unit and material→world wherever it stands for a frame.
pub type Quat = nalgebra::Quaternion<f64>;
