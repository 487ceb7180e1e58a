//! Natural frequencies of rods that hang straight from a clamp, and of a chain.
//!
//! A round rod vibrates in both planes alike: every frequency of the reference is found twice, and
//! both have to agree with it. The chain (EI = 0) is a rod too limp to differ from it, held by a
//! pin: a clamp would stiffen it by the square root of what the pin does. Waves shorten towards its
//! end as the root of the tension, and so do the segments.

use super::{gravity, support};
use crate::case::Measure;
use crate::compare::worse;
use crate::field::{Field, FieldError};
use crate::follow::settle;
use crate::judge::{Quantity, tolerance};
use crate::rods::{Uniform, at_rest, settings, shared};
use flexline::Vec3;
use flexline::rod::AnyRod;
use flexline::solver::statics::{self, Workspace};
use flexline::solver::{End, Problem};

/// EI over w L³ of the rod that stands for a chain.
const LIMP: f64 = 1e-9;

/// Reads a clamped rod and its frequencies.
pub(super) fn vibration(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let uniform = Uniform::read(&params)?;
    params.positive("linear_density")?;
    let g = params.maybe_number("g")?.unwrap_or(0.0);
    let reference = reference(case)?;
    Ok(Box::new(move |grid| {
        let found = hanging(uniform.straight(grid)?, End::clamped(support(0.0)), g, 2 * reference.len())?;
        Ok(vec![compare(&found, &reference)])
    }))
}

/// Reads a chain and its frequencies; they do not depend on its mass.
pub(super) fn chain(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let (length, g) = (params.positive("L")?, params.positive("g")?);
    let reference = reference(case)?;
    let uniform = Uniform { length, stiffness: Vec3::repeat(LIMP * g * length.powi(3)), density: 1.0 };
    Ok(Box::new(move |grid| {
        let mesh = shared(length, grid.n, &|s| -(length - s).sqrt())?;
        let rod = uniform.build(grid.model, &mesh, &|_| Vec3::zeros())?;
        let found = hanging(rod, End::pinned(Vec3::zeros()), g, 2 * reference.len())?;
        // The reference is a chain. What stands in for it bends within √(K/T) of its top, about √LIMP of its
        // length, and is shorter by as much.
        Ok(vec![compare(&found, &reference).with_floor(LIMP.sqrt())])
    }))
}

fn reference(case: &Field) -> Result<Vec<f64>, FieldError> {
    case.get("results")?.get("omega_rad_s")?.as_numbers()
}

/// The lowest `count` frequencies (rad/s) of a rod that hangs from its beginning.
pub(super) fn hanging(rod: AnyRod, start: End, g: f64, count: usize) -> Result<Vec<f64>, String> {
    let mut problem = Problem::new(rod, start, End::free());
    problem.gravity = gravity(g);
    let mut state = at_rest(&problem, &support(0.0));
    let mut ws = Workspace::new(&problem);
    settle(&problem, &mut state, &mut ws, &settings())?;
    let found = statics::frequencies(&problem, &state, &mut ws, count);
    if found.len() == count {
        Ok(found)
    } else {
        Err(format!("{} frequencies were found instead of {count}", found.len()))
    }
}

/// Each frequency against its reference, each found twice.
fn compare(found: &[f64], reference: &[f64]) -> Quantity {
    let errors = found.iter().enumerate().map(|(k, omega)| (omega / reference[k / 2] - 1.0).abs());
    let worst = errors.fold(0.0, worse);
    Quantity::new("frequencies", worst, tolerance::ENERGY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plane_counts() {
        assert_eq!(compare(&[1.0, 1.0, 2.0, 2.0], &[1.0, 2.0]).error, 0.0);
        // A mode too many shifts the rest; one that differs between the planes shows.
        assert!(compare(&[1.0, 1.0, 1.5, 2.0], &[1.0, 2.0]).error > 0.2);
        assert!((compare(&[1.0, 1.01, 2.0, 2.0], &[1.0, 2.0]).error - 0.01).abs() < 1e-12);
    }
}
