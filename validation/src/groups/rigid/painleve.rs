//! Painlevé's paradox: a rod whose lower end slides over a rough floor. With friction beyond a bound the force that should hold
//! the end up presses it down, and accelerations and forces have no solution, or two.

use super::body::{Body, Contact, Velocity};
use crate::case::ExactMeasure;
use crate::compare::worse;
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use flexline::solver::cone::{
    BlockMatrix, ConeProblem, ConeSettings, ConeSolution, ConeStatus, ConeWorkspace, Delassus, solutions,
    solve,
};
use flexline::{Mat3, Vec3};

/// The slip that the step in time starts with, m/s, and its length, s.
const SLIP: f64 = 1.0;
const STEP: f64 = 1e-3;

/// Reads a case: how many solutions there are, and which; and that a step in time through impulses has one that creates no
/// energy.
pub(super) fn read(case: &Field) -> Result<ExactMeasure, FieldError> {
    let (params, results) = (case.get("params")?, case.get("results")?);
    let [length, mass] = [params.positive("L")?, params.positive("mass")?];
    let inertia = params.positive("inertia_about_middle")?;
    let (s, c) = params.number("tilt_deg")?.to_radians().sin_cos();
    let (friction, spin) = (params.positive("friction")?, params.number("spin")?);
    let g = params.positive("g")?;
    let free = results.number("normal_acceleration_without_contact_force")?;
    let per_force = results.number("normal_acceleration_per_normal_force")?;
    let count = results.number("number_of_solutions")? as usize;
    let forces = results.get("normal_forces")?.as_numbers()?;
    Ok(Box::new(move |_| {
        let half = 0.5 * length;
        // The end slides along −x: friction is µ N along x. Up moves the end, per force, and without it.
        let w = 1.0 / mass + half * half / inertia * (c * c - friction * s * c);
        let b = -g + spin * spin * half * s;
        let relative = |value: f64, reference: f64| (value / reference - 1.0).abs();
        let w_along = Mat3::from_diagonal(&Vec3::new(w, 0.0, 0.0));
        let q = Vec3::new(b, 0.0, 0.0);
        let all = solutions(&w_along, &q, 0.0);
        let mut normals: Vec<f64> = all.as_slice().iter().map(|r| r.x).collect();
        normals.sort_by(f64::total_cmp);
        if normals.len() != count || forces.len() != count {
            return Err(format!("{} solutions are found, {count} exist", normals.len()));
        }
        let status = status(&w_along, q)?;
        if (status == ConeStatus::NoSolution) != (count == 0) {
            return Err(format!("of {count} solutions the solver says: {status}"));
        }
        let pairs = normals.iter().zip(&forces);
        let force = pairs.map(|(n, r)| if *r == 0.0 { n.abs() } else { relative(*n, *r) }).fold(0.0, worse);
        Ok(vec![
            Quantity::new("normal acceleration", relative(b, free), tolerance::IMPACT),
            Quantity::new("acceleration per force", relative(w, per_force), tolerance::IMPACT),
            Quantity::new("normal forces", force, tolerance::IMPACT),
            Quantity::new(
                "energy gained",
                energy_gained(Body::new(mass, inertia), [-half * c, -half * s], friction, spin, g)?,
                tolerance::IMPACT,
            ),
        ])
    }))
}

/// What the solver says about the sliding contact alone.
fn status(w: &Mat3, q: Vec3) -> Result<ConeStatus, String> {
    let blocks = BlockMatrix::from_blocks(1, [(0, 0, *w)]);
    let problem = ConeProblem { delassus: Delassus::Sparse(&blocks), free: &[q], friction: &[0.0] };
    let mut solution = ConeSolution::default();
    solve(&problem, &mut solution, &mut ConeWorkspace::default(), &ConeSettings::default())
        .map_err(|e| e.to_string())?;
    let finite = solution.forces.iter().all(|r| r.iter().all(|c| c.is_finite()));
    if finite { Ok(solution.status) } else { Err("a force that is no number".into()) }
}

/// A step in time at the level of impulses, which may stop the slip at once: energy gained beside the work of gravity, over
/// the energy there is.
fn energy_gained(body: Body, lever: [f64; 2], friction: f64, spin: f64, g: f64) -> Result<f64, String> {
    // The end slides along −x and stays on the floor.
    let before: Velocity = [-SLIP + spin * lever[1], 0.0, -spin * lever[0], spin];
    let free: Velocity = [before[0], 0.0, before[2] - g * STEP, spin];
    let hit = body.collide(&free, &[Contact { lever, ..Contact::at_rest(friction) }])?;
    let energy = body.energy(&free);
    let gained = (body.energy(&hit.velocity) - energy).max(0.0) / energy;
    if gained.is_finite() { Ok(gained) } else { Err("an energy that is no number".into()) }
}
