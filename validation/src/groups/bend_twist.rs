//! A hanging rod, curved at rest in a plane: where it leaves the plane, and states on both sides.
//!
//! Boundaries are dimensionless: L = K = 1, weight per length Γ. Gravity straightens all but the
//! free end, where the rod curls over a length L Γ^(−1/3): meshes are graded towards it.

use super::{list, name};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta, numbers, threshold};
use crate::field::{Field, FieldError};
use crate::follow::{PlanarBranch, critical, follow};
use crate::judge::{Quantity, tolerance};
use crate::rods::{
    Grid, Uniform, at_rest, force_per_length, from_origin, pose, rest_strain, settings, shared, weight,
};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::rod::mixed::Mesh;
use flexline::solver::network::NetworkReport;
use flexline::solver::statics::Settings;
use flexline::solver::{End, Pose, Problem, State};

/// Γ at which the law for large Γ is measured; the exact curve follows it there to 1e-11.
const LARGE: f64 = 2000.0;
/// Length over which the density of nodes falls away from the tip, in L Γ^(−1/3).
const CURL: f64 = 3.0;

/// Reads `upper_boundary`, `lower_boundary`, `tongue_tip` and `points`.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "upper_boundary")? {
        cases.add(name(&case, "upper_boundary", place)?, place, upper(&case))?;
    }
    for (place, case) in list(root, "lower_boundary")? {
        cases.add(name(&case, "lower_boundary", place)?, place, lower(&case))?;
    }
    if let Some(tip) = root.find("tongue_tip") {
        // Its place keeps it out of quick runs: it is many boundaries in one.
        cases.add(name(&tip, "tongue_tip", 0)?.replace("tip_1", "tip"), 1, tongue(&tip))?;
    }
    for (place, case) in list(root, "points")? {
        let measure = Point::read(&case).map(|p| Box::new(move |grid| p.measure(grid)) as Measure);
        cases.add(name(&case, "point", place)?, place, measure)?;
    }
    Ok(())
}

/// The hanging rod in units of its length and bending stiffness.
#[derive(Clone, Copy)]
struct Hanging {
    grid: Grid,
    torsion: f64,
    /// Γ the mesh is made for.
    gamma: f64,
}

impl Hanging {
    fn new(grid: Grid, torsion: f64, gamma: f64) -> Self {
        Self { grid, torsion, gamma }
    }

    fn clamp() -> Pose {
        from_origin(&-Vec3::z(), &Vec3::x())
    }

    fn problem(&self, gamma: f64, curvature: f64) -> Result<Problem, String> {
        let uniform = Uniform { length: 1.0, stiffness: Vec3::new(1.0, 1.0, self.torsion), density: 1.0 };
        let mesh = mesh(1.0, self.grid.n, self.gamma)?;
        let rod = uniform.build(self.grid.model, &mesh, &|_| Vec3::new(curvature, 0.0, 0.0))?;
        let mut problem = Problem::new(rod, End::clamped(Self::clamp()), End::free());
        problem.gravity = Vec3::new(0.0, 0.0, -gamma);
        Ok(problem)
    }

    /// The rest curvature at which the hanging planar state, followed from straight, turns
    /// unstable, and that state.
    fn critical_curvature(&self, gamma: f64) -> Result<(f64, State), String> {
        let start = self.problem(gamma, 0.0)?;
        let mut branch = PlanarBranch::new(&start, at_rest(&start, &Self::clamp()), Vec3::x());
        let found = critical(0.0, 0.5, 1.1, &mut |curvature| branch.probe(&self.problem(gamma, curvature)?))?;
        Ok((found, branch.state))
    }
}

/// Three quarters of the nodes where the weight leaves the rod its curl, within a few Γ^(−1/3) L of
/// the tip; the others spread evenly.
fn mesh(length: f64, n: usize, gamma: f64) -> Result<Mesh, String> {
    let curl = CURL * length / gamma.cbrt();
    if curl.is_nan() || curl > 0.5 * length {
        return Mesh::uniform(length, n).map_err(|e| e.to_string());
    }
    shared(length, n, &|s| 0.25 * s / length + 0.75 * ((s - length) / curl).exp())
}

/// Turning of the tip, against an angle that may count full turns.
fn tip_angle(problem: &Problem, state: &State, angle: f64) -> Quantity {
    let length = problem.rod.length();
    let expected = Hanging::clamp().orientation * rotation::exp(&Vec3::new(angle, 0.0, 0.0));
    let error = rotation::angle_between(&problem.rod.station(&state.rod, length).frame, &expected);
    Quantity::new("tip angle", error, tolerance::ANGLE)
}

fn upper(case: &Field) -> Result<Measure, FieldError> {
    let gamma = case.positive("Gamma")?;
    let torsion = case.positive("K0_over_K")?;
    let reference = case.positive("kappa0_L_critical")?;
    let angle = case.maybe_number("tip_angle_at_critical")?;
    Ok(Box::new(move |grid| {
        let hanging = Hanging::new(grid, torsion, gamma);
        let (found, state) = hanging.critical_curvature(gamma)?;
        let mut out = vec![threshold("critical curvature", found, reference)];
        let problem = hanging.problem(gamma, found)?;
        out.extend(angle.map(|angle| tip_angle(&problem, &state, angle)));
        Ok(out)
    }))
}

fn lower(case: &Field) -> Result<Measure, FieldError> {
    let curvature = case.positive("kappa0_L")?;
    let torsion = case.positive("K0_over_K")?;
    let reference = case.positive("Gamma_critical")?;
    let angle = case.maybe_number("tip_angle_at_critical")?;
    Ok(Box::new(move |grid| {
        // The coil is bent everywhere: no layers.
        let hanging = Hanging::new(grid, torsion, 0.0);
        let start = hanging.problem(0.0, curvature)?;
        let mut branch = PlanarBranch::new(&start, at_rest(&start, &Hanging::clamp()), Vec3::x());
        let found = critical(0.0, 0.5, 1.1, &mut |gamma| branch.probe(&hanging.problem(gamma, curvature)?))?;
        let mut out = vec![threshold("critical Gamma", found, reference)];
        out.extend(angle.map(|angle| tip_angle(&start, &branch.state, angle)));
        Ok(out)
    }))
}

fn tongue(case: &Field) -> Result<Measure, FieldError> {
    let torsion = case.positive("K0_over_K")?;
    let least = case.positive("kappa0_L_min")?;
    let at = case.maybe_number("Gamma_at_min")?;
    let coefficient = case.maybe_number("large_Gamma_coefficient")?;
    Ok(Box::new(move |grid| {
        let hanging = Hanging::new(grid, torsion, 0.0);
        let boundary = |gamma: f64| hanging.critical_curvature(gamma).map(|(curvature, _)| curvature);
        let (gamma, curvature) = minimum(&boundary)?;
        let mut out = vec![threshold("least critical curvature", curvature, least)];
        // The minimum is flat: the reference knows its place to 1e-4.
        out.extend(at.map(|r| threshold("Gamma at the least", gamma, r).with_floor(1e-4 / r)));
        if let Some(r) = coefficient {
            let (curvature, _) = Hanging::new(grid, torsion, LARGE).critical_curvature(LARGE)?;
            out.push(threshold("large-Gamma coefficient", curvature / LARGE.cbrt(), r));
        }
        Ok(out)
    }))
}

/// Place and value of the minimum of a smooth function on a log scale, from its values alone: a
/// bracket by strides, then polynomials through close points. Where the function has no value it
/// counts as high.
fn minimum(f: &dyn Fn(f64) -> Result<f64, String>) -> Result<(f64, f64), String> {
    const CLOSE: f64 = 0.03;
    let at = |t: f64| f(t.exp());
    let rough = |t: f64| at(t).unwrap_or(f64::INFINITY);
    let mut centre = 25f64.ln();
    let mut stride = 0.25;
    let mut middle = rough(centre);
    for _ in 0..60 {
        let (left, right) = (rough(centre - stride), rough(centre + stride));
        if left < middle {
            (centre, middle) = (centre - stride, left);
        } else if right < middle {
            (centre, middle) = (centre + stride, right);
        } else if stride < CLOSE {
            break;
        } else {
            stride *= 0.5;
        }
    }
    let mut best = middle;
    for _ in 0..3 {
        // Slope and bend of the quartic through five points.
        let mut y = [0.0; 5];
        for (k, y) in y.iter_mut().enumerate() {
            *y = at(centre + (k as f64 - 2.0) * CLOSE)?;
        }
        let slope = (y[0] - 8.0 * y[1] + 8.0 * y[3] - y[4]) / (12.0 * CLOSE);
        let bend = (-y[0] + 16.0 * y[1] - 30.0 * y[2] + 16.0 * y[3] - y[4]) / (12.0 * CLOSE * CLOSE);
        if bend <= 0.0 {
            return Err("the boundary has no minimum where one was looked for".into());
        }
        let step = (-slope / bend).clamp(-CLOSE, CLOSE);
        centre += step;
        best = y[2] + slope * step + 0.5 * bend * step * step;
    }
    Ok((centre.exp(), best))
}

/// A stable state under full load.
struct Point {
    uniform: Uniform,
    rest: (Vec3, Vec3),
    clamp: Pose,
    force_per_length: Vec3,
    samples: Samples,
    twist: Option<f64>,
    out_of_plane: Option<f64>,
    energies: [Option<f64>; 2],
}

impl Point {
    fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let uniform = Uniform::read(&params)?;
        let results = case.get("results")?;
        let samples = Samples::read(case, Theta::Below)?
            .ok_or_else(|| FieldError::Missing { path: format!("{}.samples", case.path()) })?;
        Ok(Self {
            uniform,
            rest: rest_strain(&params)?,
            clamp: pose(&params.get("clamp")?)?,
            force_per_length: force_per_length(&params, uniform.density)?,
            samples,
            twist: results.maybe_number("total_twist_rad")?,
            out_of_plane: results.maybe_number("max_out_of_plane_over_L")?,
            energies: [results.maybe_number("energy_elastic")?, results.maybe_number("energy_gravity")?],
        })
    }

    fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let (a, b) = self.rest;
        let (density, gravity) = weight(&self.force_per_length);
        let length = self.uniform.length;
        let gamma = self.force_per_length.norm() * length.powi(3) / self.uniform.stiffness.x;
        let mesh = mesh(length, grid.n, gamma)?;
        let uniform = Uniform { density, ..self.uniform };
        let problem_at = |share: f64| {
            let rod = uniform.build(grid.model, &mesh, &|s| (a + b * s) * share)?;
            let mut problem = Problem::new(rod, End::clamped(self.clamp), End::free());
            problem.gravity = gravity;
            Ok(problem)
        };
        // The rest curvature is raised under full weight; where the plane is no longer stable the
        // rod leaves it on its own.
        let start = problem_at(0.0)?;
        let mut state = at_rest(&start, &self.clamp);
        let leaving = Settings { seek_stable: true, ..settings() };
        let (problem, report) = follow(&mut state, 0.05, &problem_at, &leaving)?;
        Ok(self.compare(&problem, &state, &report))
    }

    fn compare(&self, problem: &Problem, state: &State, report: &NetworkReport) -> Vec<Quantity> {
        let rod = &problem.rod;
        let (mut out, mut image) = (Vec::new(), Vec::new());
        self.samples.compare(rod, &state.rod, &mut out);
        // States out of the plane come in mirror pairs x → −x.
        self.samples.mirrored(0).compare(rod, &state.rod, &mut image);
        let mirrored = image[0].error < out[0].error;
        if mirrored {
            out = image;
        }
        let tau = std::f64::consts::TAU;
        if let Some(twist) = self.twist {
            let expected = if mirrored { -twist } else { twist };
            let error = (tau * rod.twist_turns(&state.rod) - expected).abs();
            out.push(Quantity::new("total twist", error, tolerance::ANGLE));
        }
        if let Some(expected) = self.out_of_plane {
            let aside = |p: &Vec3| (p.x - self.clamp.position.x).abs();
            let found = self.samples.largest(rod, &state.rod, expected * rod.length(), &aside) / rod.length();
            out.push(Quantity::new("out of plane", (found - expected).abs(), tolerance::CENTRELINE));
        }
        let e = report.rest.energies;
        let pairs: Vec<(f64, f64)> = [e.bending + e.torsion, e.gravity]
            .into_iter()
            .zip(self.energies)
            .filter_map(|(v, r)| r.map(|r| (v, r)))
            .collect();
        out.extend(numbers("energies", &pairs, tolerance::ENERGY));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_are_found_from_values() {
        for centre in [3.0f64, 17.0, 90.0] {
            let f = |g: f64| Ok(5.0 + 0.3 * (g / centre).ln().cosh() + 0.01 * (g / centre).ln().powi(4));
            let (at, least) = minimum(&f).unwrap();
            assert!((at / centre - 1.0).abs() < 1e-6 && (least - 5.3).abs() < 1e-9, "{at} {least}");
        }
    }
}
