//! Impacts without restitution: a mass that drops on an incline, a rod that meets the floor with one end or flat.

use super::body::{Body, Contact, Velocity};
use crate::case::ExactMeasure;
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};

/// A quantity of an impact, relative to `unit`.
fn struck(name: &'static str, value: f64, reference: f64, unit: f64) -> Quantity {
    Quantity::new(name, (value - reference).abs() / unit, tolerance::IMPACT)
}

/// A mass that falls vertically on an incline; x points down the slope.
pub(super) fn drop(case: &Field) -> Result<ExactMeasure, FieldError> {
    let (params, results) = (case.get("params")?, case.get("results")?);
    let [mass, height, g] =
        [params.positive("mass")?, params.positive("drop_height")?, params.positive("g")?];
    let (s, c) = params.number("incline_deg")?.to_radians().sin_cos();
    let friction = params.number("friction")?;
    let [normal, tangential] = [results.number("normal_impulse")?, results.number("tangential_impulse")?];
    let after = [results.number("normal_speed_after")?, results.number("tangential_speed_after")?];
    let lost = results.number("energy_lost")?;
    let time = results.positive("impact_time")?;
    Ok(Box::new(move |_| {
        let speed = (2.0 * g * height).sqrt();
        let body = Body::along([mass; 3]);
        let before: Velocity = [speed * s, 0.0, -speed * c, 0.0];
        let hit = body.collide(&before, &[Contact::at_rest(friction)])?;
        let momentum = mass * speed;
        let energy = body.energy(&before);
        Ok(vec![
            struck("impact time", speed / g, time, time),
            struck("normal impulse", hit.impulses[0].x, normal, momentum),
            struck("tangential impulse", -hit.impulses[0].y, tangential, momentum),
            struck("normal speed", hit.velocity[2], after[0], speed),
            struck("tangential speed", hit.velocity[0], after[1], speed),
            struck("energy lost", energy - body.energy(&hit.velocity), lost, energy),
        ])
    }))
}

/// A slender rod in the x-z plane whose lower end, or both, meet the floor.
pub(super) fn rod(case: &Field) -> Result<ExactMeasure, FieldError> {
    let (params, results) = (case.get("params")?, case.get("results")?);
    let [length, mass] = [params.positive("L")?, params.positive("mass")?];
    let inertia = params.positive("inertia_about_middle")?;
    let (s, c) = params.number("tilt_deg")?.to_radians().sin_cos();
    let friction = params.number("friction")?;
    let spin = params.number("spin_before")?;
    let velocity = pair(&params.get("velocity_before")?)?;
    let after = pair(&results.get("velocity_after")?)?;
    let (spin_after, impulse) = (results.number("spin_after")?, pair(&results.get("impulse")?)?);
    let energy_after = results.number("energy_after")?;
    Ok(Box::new(move |_| {
        let body = Body::new(mass, inertia);
        let before: Velocity = [velocity[0], 0.0, velocity[1], spin];
        let lower = Contact { lever: [-0.5 * length * c, -0.5 * length * s], ..Contact::at_rest(friction) };
        let upper = Contact { lever: lower.lever.map(|l| -l), ..lower };
        // Lying flat it touches with both ends, which share an impulse that is known by its sum alone.
        let contacts = if s == 0.0 { vec![lower, upper] } else { vec![lower] };
        let hit = body.collide(&before, &contacts)?;
        let sum = hit.impulses.iter().fold([0.0; 2], |sum, r| [sum[0] + r.y, sum[1] + r.x]);
        let speed = velocity[0].hypot(velocity[1]) + 0.5 * length * spin.abs();
        let energy = body.energy(&before);
        Ok(vec![
            struck("velocity along", hit.velocity[0], after[0], speed),
            struck("velocity up", hit.velocity[2], after[1], speed),
            struck("velocity aside", hit.velocity[1], 0.0, speed),
            struck("spin", hit.velocity[3] * length, spin_after * length, speed),
            struck("impulse along", sum[0], impulse[0], mass * speed),
            struck("impulse up", sum[1], impulse[1], mass * speed),
            struck("energy", body.energy(&hit.velocity), energy_after, energy),
        ])
    }))
}

/// Two numbers, along x and z.
pub(super) fn pair(field: &Field) -> Result<[f64; 2], FieldError> {
    match field.as_numbers()?[..] {
        [x, z] => Ok([x, z]),
        _ => Err(field.wrong("two numbers")),
    }
}
