//! Motion: small vibrations about an equilibrium, and large swings in time.
//!
//! All of it is planar, of rods without rotary inertia and without damping: x across, z up, the
//! support at the origin, angles of the tangent from the downward vertical.

mod frequencies;
mod run;
mod swings;

use super::{list, name};
use crate::case::{Cases, Measure};
use crate::field::{Field, FieldError};
use flexline::algebra::rotation;
use flexline::solver::Pose;
use flexline::{Quat, Vec3};

/// Reads `vibration`, `hanging_chain_frequencies`, `rigid_pendulum` and `swing`.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "vibration")? {
        let measure = frequencies::vibration(&case);
        cases.add(name(&case, "vibration", place)?, place, measure)?;
    }
    if let Some(case) = root.find("hanging_chain_frequencies") {
        let measure = frequencies::chain(&case.object()?);
        cases.add("hanging_chain_frequencies".to_owned(), 0, measure)?;
    }
    for (place, case) in list(root, "rigid_pendulum")? {
        let measure = swings::Pendulum::read(&case).map(|c| Box::new(move |grid| c.measure(grid)) as Measure);
        cases.add(name(&case, "pendulum", place)?, place, measure)?;
    }
    for (place, case) in list(root, "swing")? {
        let id = name(&case, "swing", place)?;
        if let Some(kind) = case.find("params").and_then(|p| p.find("kind"))
            && swings::Hold::named(kind.as_text()?).is_none()
        {
            cases.unsupported(id, place, format!("a swing of kind \"{}\" is not known", kind.as_text()?));
            continue;
        }
        let measure = swings::Swing::read(&case).map(|c| Box::new(move |grid| c.measure(grid)) as Measure);
        // Thousands of steps: one place on, past what a quick run takes.
        cases.add(id, place + 1, measure)?;
    }
    Ok(())
}

/// The tangent at `theta` from the downward vertical.
fn tangent(theta: f64) -> Vec3 {
    Vec3::new(theta.sin(), 0.0, -theta.cos())
}

/// A frame along [`tangent`] whose d1 is across the plane of motion.
fn frame(theta: f64) -> Quat {
    rotation::frame(&tangent(theta), &Vec3::y())
}

/// The support, turned to `theta`.
fn support(theta: f64) -> Pose {
    Pose { position: Vec3::zeros(), orientation: frame(theta) }
}

/// Gravity of size `g`.
fn gravity(g: f64) -> Vec3 {
    Vec3::new(0.0, 0.0, -g)
}
