//! Rods clamped at both ends in space.
//!
//! The branch is that of a homotopy: a rod whose rest strain is that of the `start` configuration
//! meets both clamps free of stress; its rest strain is then carried linearly to the true one, and
//! the load raised from zero. Twist is history and travels with the state.

use super::{list, name};
use crate::case::{Bound, Cases, Measure};
use crate::compare::{Samples, Theta, numbers, vectors};
use crate::field::{Field, FieldError};
use crate::follow::follow;
use crate::judge::{Quantity, tolerance};
use crate::rods::{
    Grid, Uniform, at_rest, end_wrenches, force_per_length, graded, pose, rest_strain, settings, weight,
};
use flexline::Vec3;
use flexline::solver::network::NetworkReport;
use flexline::solver::statics::Settings;
use flexline::solver::{End, Pose, Problem, State};
use std::f64::consts::TAU;

/// The centreline at 100 segments has to be this good, over L, whatever resolution passes.
const BOUNDS: [Bound; 2] = [
    Bound { model: "mixed", n: 100, quantity: "centreline", limit: 1e-3 },
    Bound { model: "clothoid", n: 24, quantity: "centreline", limit: 1e-4 },
];

/// Reads `cases`.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    let Some(field) = root.find("cases") else { return Ok(()) };
    field.items()?;
    for (place, case) in list(root, "cases")? {
        let measure = Clamped::read(&case).map(|c| Box::new(move |grid| c.measure(grid)) as Measure);
        cases.add_bounded(name(&case, "case", place)?, place, &BOUNDS, measure)?;
    }
    Ok(())
}

/// Strain of the configuration the branch starts at.
#[derive(Clone, Copy)]
struct Start {
    p: [f64; 2],
    q: [f64; 2],
    phi: f64,
}

impl Start {
    fn read(field: &Field) -> Result<Self, FieldError> {
        Ok(Self {
            p: [field.number("p0")?, field.number("p1")?],
            q: [field.number("q0")?, field.number("q1")?],
            phi: field.number("phi_prime")?,
        })
    }

    /// Affine in the twist-free frame, seen from the frame that turns at the rate phi.
    fn strain(&self, s: f64) -> Vec3 {
        let (a, b) = (self.p[0] + self.p[1] * s, self.q[0] + self.q[1] * s);
        let (d, c) = (self.phi * s).sin_cos();
        Vec3::new(a * c + b * d, -a * d + b * c, self.phi)
    }
}

struct Clamped {
    uniform: Uniform,
    rest: (Vec3, Vec3),
    clamps: [Pose; 2],
    force_per_length: Vec3,
    start: Start,
    samples: Option<Samples>,
    /// n_0, m_0, n_L, m_L.
    wrenches: [Option<Vec3>; 4],
    /// bending, torsion, elastic, gravity, total.
    energies: [Option<f64>; 5],
    twist_turns: Option<f64>,
}

impl Clamped {
    fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let uniform = Uniform::read(&params)?;
        let results = case.get("results")?;
        let support = |internal: &str, external: &str, sign: f64| {
            Ok(results.maybe_vec3(internal)?.or(results.maybe_vec3(external)?.map(|v| v * sign)))
        };
        let energy = |key: &str| results.find("energy").map_or(Ok(None), |e| e.maybe_number(key));
        Ok(Self {
            uniform,
            rest: rest_strain(&params)?,
            clamps: [pose(&params.get("clamp0")?)?, pose(&params.get("clampL")?)?],
            force_per_length: force_per_length(&params, uniform.density)?,
            start: Start::read(&params.get("start")?)?,
            samples: Samples::read(case, Theta::Above)?,
            wrenches: [
                support("n_0", "force_0", -1.0)?,
                support("m_0", "moment_0", -1.0)?,
                support("n_L", "force_L", 1.0)?,
                support("m_L", "moment_L", 1.0)?,
            ],
            energies: [
                energy("bending")?,
                energy("torsion")?,
                energy("elastic")?,
                energy("gravity")?,
                energy("total")?,
            ],
            twist_turns: results.maybe_number("total_twist_turns")?,
        })
    }

    fn problem(&self, grid: Grid, share: f64) -> Result<Problem, String> {
        let (a, b) = self.rest;
        let length = self.uniform.length;
        let layer = self.uniform.layer(self.force_per_length.norm() * length);
        let rest = |s: f64| self.start.strain(s) * (1.0 - share) + (a + b * s) * share;
        let (density, gravity) = weight(&self.force_per_length);
        let mesh = graded(length, grid.n, [layer; 2])?;
        let rod = Uniform { density, ..self.uniform }.build(grid.model, &mesh, &rest)?;
        let mut problem = Problem::new(rod, End::clamped(self.clamps[0]), End::clamped(self.clamps[1]));
        problem.gravity = gravity * share;
        Ok(problem)
    }

    fn solve(&self, grid: Grid, settings: &Settings) -> Result<(Problem, State, NetworkReport), String> {
        let mut state = at_rest(&self.problem(grid, 0.0)?, &self.clamps[0]);
        let (problem, report) = follow(&mut state, 0.1, &|share| self.problem(grid, share), settings)?;
        Ok((problem, state, report))
    }

    fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let (problem, state, report) = self.solve(grid, &settings())?;
        let rod = &problem.rod;
        let mut out = Vec::new();
        if let Some(samples) = &self.samples {
            samples.compare(rod, &state.rod, &mut out);
        }
        let found = end_wrenches(&report);
        let pairs = |picks: [usize; 2]| -> Vec<(Vec3, Vec3)> {
            picks.into_iter().filter_map(|i| self.wrenches[i].map(|r| (found[i], r))).collect()
        };
        let scale = self.uniform.stiffness.amax() / self.uniform.length;
        out.extend(vectors("end forces", &pairs([0, 2]), 1e-9 * scale / self.uniform.length));
        out.extend(vectors("end moments", &pairs([1, 3]), 1e-9 * scale));
        let e = report.rest.energies;
        let elastic = e.bending + e.torsion;
        let energies = [e.bending, e.torsion, elastic, e.gravity, elastic + e.gravity];
        let known: Vec<(f64, f64)> =
            energies.into_iter().zip(self.energies).filter_map(|(v, r)| r.map(|r| (v, r))).collect();
        out.extend(numbers("energies", &known, tolerance::ENERGY));
        if let Some(turns) = self.twist_turns {
            let error = TAU * (rod.twist_turns(&state.rod) - turns).abs();
            out.push(Quantity::new("total twist", error, tolerance::ANGLE));
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rods::Model;

    #[test]
    fn the_smallest_eigenvalue_converges_to_the_reference() {
        let text = include_str!("../../reference/04_clamped_clamped.json");
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let cases = Field::root(&value).get("cases").unwrap().items().unwrap();
        assert_eq!(cases.len(), 12);
        for case in cases {
            let expected = case.get("stability").unwrap().number("lambda_min").unwrap();
            let clamped = Clamped::read(&case).unwrap();
            let error = |n| {
                let (_, _, report) =
                    clamped.solve(Grid { model: Model::MIXED, n }, &Settings::default()).unwrap();
                report.rest.stability.unwrap().lambda_min - expected
            };
            let (coarse, fine) = (error(50), error(100));
            assert!(fine.abs() < 4e-3 * expected, "{}: {fine}", case.path());
            // Second order, where the error is not negligible by chance.
            let second_order = (coarse / fine - 4.0).abs() < 0.5;
            assert!(second_order || fine.abs() < 1e-4 * expected, "{}: {coarse} {fine}", case.path());
        }
    }
}
