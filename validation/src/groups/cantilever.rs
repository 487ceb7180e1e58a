//! Cantilevers: a dead load at the tip (the elastica), or their own weight.
//!
//! Clamped at s = 0, free at s = L. The load is raised from nothing, so that the equilibrium is
//! the one connected to the unloaded rod.

use super::{list, name};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta, numbers, vectors};
use crate::field::{Field, FieldError};
use crate::follow::follow;
use crate::judge::{Quantity, tolerance};
use crate::rods::{
    Grid, Uniform, angle_to, at_rest, force_per_length, graded, pose, rest_strain, settings, weight,
};
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::network::NetworkReport;
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, State};

/// Reads `cases`.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "cases")? {
        let measure = Cantilever::read(&case).map(|c| Box::new(move |grid| c.measure(grid)) as Measure);
        cases.add(name(&case, "case", place)?, place, measure)?;
    }
    Ok(())
}

/// A cantilever and what is known of it.
struct Cantilever {
    uniform: Uniform,
    rest: (Vec3, Vec3),
    clamp: Pose,
    tip_force: Vec3,
    force_per_length: Vec3,
    samples: Option<Samples>,
    results: Results,
}

/// Results a case may give; each is compared where it is there.
#[derive(Default)]
struct Results {
    tip_x: Option<f64>,
    tip_z: Option<f64>,
    tip_angle: Option<f64>,
    drop: Option<f64>,
    reach: Option<f64>,
    drop_over_reach: Option<f64>,
    root_moment: Option<f64>,
    root_curvature: Option<f64>,
    energy_bending: Option<f64>,
    energy_gravity: Option<f64>,
}

impl Cantilever {
    fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let uniform = Uniform::read(&params)?;
        let results = case.find("results");
        let number = |key: &str| results.as_ref().map_or(Ok(None), |r| r.maybe_number(key));
        let per_length =
            |direct: &str, over: &str| Ok(number(direct)?.or(number(over)?.map(|v| v * uniform.length)));
        let tip_force = params.maybe_vec3("load_vector")?.unwrap_or_else(Vec3::zeros);
        let force_per_length = force_per_length(&params, uniform.density)?;
        if tip_force == Vec3::zeros() && force_per_length == Vec3::zeros() {
            // Without either there is nothing to compare: say which is missing.
            params.get("load_vector")?;
        }
        Ok(Self {
            uniform,
            rest: rest_strain(&params)?,
            clamp: pose(&params.get("clamp")?)?,
            tip_force,
            force_per_length,
            samples: Samples::read(case, Theta::Below)?,
            results: Results {
                tip_x: per_length("tip_x", "tip_x_over_L")?,
                tip_z: per_length("tip_z", "tip_z_over_L")?,
                tip_angle: number("tip_angle")?.or(number("tip_angle_rad")?),
                drop: per_length("H", "H_over_L")?,
                reach: per_length("W", "W_over_L")?,
                drop_over_reach: number("H_over_W")?,
                root_moment: number("root_moment")?,
                root_curvature: number("root_curvature")?,
                energy_bending: number("energy_bending")?,
                energy_gravity: number("energy_gravity")?,
            },
        })
    }

    /// Layers at the clamp, where the load has to bend the rod into its own direction, and at the
    /// tip, where a dead force may do the same to a rod curved at rest.
    fn layers(&self) -> [f64; 2] {
        let tip = self.tip_force.norm();
        let root = (self.tip_force + self.force_per_length * self.uniform.length).norm();
        [self.uniform.layer(root), self.uniform.layer(tip)]
    }

    fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let (a, b) = self.rest;
        let length = self.uniform.length;
        let (density, gravity) = weight(&self.force_per_length);
        let mesh = graded(length, grid.n, self.layers())?;
        let rod = Uniform { density, ..self.uniform }.build(grid.model, &mesh, &|s| a + b * s)?;
        let unloaded = Problem::new(rod, End::clamped(self.clamp), End::free());
        let mut state = at_rest(&unloaded, &self.clamp);
        let problem_at = |share: f64| {
            // Small loads move the rod most.
            let scale = share.powi(3);
            let mut problem = unloaded.clone();
            problem.point_loads.push(PointLoad {
                s: length,
                force: self.tip_force * scale,
                moment: Vec3::zeros(),
                axes: Axes::World,
            });
            problem.gravity = gravity * scale;
            Ok(problem)
        };
        let (problem, report) = follow(&mut state, 0.25, &problem_at, &settings())?;
        Ok(self.compare(&problem, &state, &report))
    }

    fn compare(&self, problem: &Problem, state: &State, report: &NetworkReport) -> Vec<Quantity> {
        let (rod, results) = (&problem.rod, &self.results);
        let length = rod.length();
        let mut out = Vec::new();
        if let Some(samples) = &self.samples {
            samples.compare(rod, &state.rod, &mut out);
        }
        let tip = rod.station(&state.rod, length).position;
        let span = tip - self.clamp.position;
        let (drop, reach) = (-span.z, span.xy().norm());
        let mut centreline = |name, value: f64, reference: Option<f64>| {
            if let Some(r) = reference {
                out.push(Quantity::new(name, (value - r).abs() / length, tolerance::CENTRELINE));
            }
        };
        centreline("tip x", tip.x, results.tip_x);
        centreline("tip z", tip.z, results.tip_z);
        centreline("drop H", drop, results.drop);
        centreline("reach W", reach, results.reach);
        if let Some(angle) = results.tip_angle {
            let error = angle_to(rod, &state.rod, length, &Theta::Below.tangent(angle));
            out.push(Quantity::new("tip angle", error, tolerance::ANGLE));
        }
        let mut relative = |name, value: f64, reference: Option<f64>| {
            out.extend(reference.and_then(|r| numbers(name, &[(value, r)], tolerance::ENERGY)));
        };
        relative("H/W", drop / reach, results.drop_over_reach);
        relative("bending energy", report.rest.energies.bending, results.energy_bending);
        relative("gravity energy", report.rest.energies.gravity, results.energy_gravity);
        let moment = report.support(0).moment;
        let mut root = |name, value: f64, reference: Option<f64>| {
            let pair = |r: f64| (Vec3::new(value, 0.0, 0.0), Vec3::new(r.abs(), 0.0, 0.0));
            out.extend(reference.and_then(|r| vectors(name, &[pair(r)], 0.0)));
        };
        root("root moment", moment.norm(), results.root_moment);
        // The strain that this moment gives at the clamp.
        let local = flexline::algebra::rotation::rotate(&self.clamp.orientation.conjugate(), &-moment);
        let strain = self.rest.0 + local.component_div(&self.uniform.stiffness);
        root("root curvature", strain.xy().norm(), results.root_curvature);
        out
    }
}
