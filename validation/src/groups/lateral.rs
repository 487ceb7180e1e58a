//! Lateral buckling of a cantilever: bent about its strong axis, it gives way sideways.

use super::buckling::load;
use crate::case::Measure;
use crate::compare::threshold;
use crate::field::{Field, FieldError};
use crate::follow::{PlanarBranch, critical};
use crate::rods::{Grid, Uniform, at_rest, from_origin};
use flexline::Vec3;
use flexline::solver::{Axes, End, PointLoad, Problem};

/// How many times stiffer the strong axis is where the deflection before buckling must vanish.
const RIGID: f64 = 1e6;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Tip,
    SelfWeight,
}

fn kind(case: &Field) -> Result<Kind, FieldError> {
    let field = case.get("kind")?;
    match field.as_text()? {
        "tip" => Ok(Kind::Tip),
        "self_weight" => Ok(Kind::SelfWeight),
        other => {
            Err(FieldError::Missing { path: format!("a rule for the load \"{other}\" of {}", field.path()) })
        }
    }
}

/// The classical limit: a factor of √(K_weak K0)/L² or /L³.
pub(super) fn limit(case: &Field) -> Result<Measure, FieldError> {
    let (kind, factor) = (kind(case)?, case.positive("factor")?);
    let uniform = Uniform { length: 1.0, stiffness: Vec3::new(RIGID, 1.0, 1.0), density: 1.0 };
    // The limit is approached as K_weak/K_strong.
    Ok(Box::new(move |grid| {
        let found = critical_load(&uniform, kind, grid)?;
        Ok(vec![threshold("critical load", found, factor).with_floor(2.0 / RIGID)])
    }))
}

/// With the deflection before buckling.
pub(super) fn exact(case: &Field) -> Result<Measure, FieldError> {
    let kind = kind(case)?;
    let length = case.positive("L")?;
    let [strong, weak, torsion] =
        [case.positive("K_strong")?, case.positive("K_weak")?, case.positive("K0")?];
    // About d1, which is horizontal, bends the rod in the vertical plane.
    let uniform = Uniform { length, stiffness: Vec3::new(strong, weak, torsion), density: 1.0 };
    let unit = (weak * torsion).sqrt();
    let reference = match kind {
        Kind::Tip => load(case, "P_critical", unit / length.powi(2))?,
        Kind::SelfWeight => load(case, "weight_per_length_critical", unit / length.powi(3))?,
    };
    Ok(Box::new(move |grid| {
        Ok(vec![threshold("critical load", critical_load(&uniform, kind, grid)?, reference)])
    }))
}

fn critical_load(uniform: &Uniform, kind: Kind, grid: Grid) -> Result<f64, String> {
    let length = uniform.length;
    let clamp = from_origin(&Vec3::x(), &Vec3::y());
    let mut problem = Problem::new(uniform.straight(grid)?, End::clamped(clamp), End::free());
    let mut branch = PlanarBranch::new(&problem, at_rest(&problem, &clamp), Vec3::y());
    let unit = (uniform.stiffness.y * uniform.stiffness.z).sqrt() / length.powi(2);
    let unit = if kind == Kind::Tip { unit } else { unit / length };
    critical(0.0, 0.5 * unit, 1.1, &mut |load| {
        let down = Vec3::new(0.0, 0.0, -load);
        match kind {
            Kind::Tip => {
                let tip = PointLoad { s: length, force: down, moment: Vec3::zeros(), axes: Axes::World };
                problem.point_loads = vec![tip];
            }
            Kind::SelfWeight => problem.gravity = down,
        }
        branch.probe(&problem)
    })
}
