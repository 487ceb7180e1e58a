//! The chain limit: a closed-form catenary, and hanging rods of small stiffness.
//!
//! Stiffness matters only within √(EI/T) of the ends: meshes are graded towards them. A rod hangs
//! first as a stiff one near the catenary; its stiffness then falls to the one asked for. The
//! catenary itself (EI = 0) is met by a rod too limp to differ from it.

use super::{list, name};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta, numbers, vectors};
use crate::field::{Field, FieldError};
use crate::follow::{follow, settle};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Model, Uniform, angle_to, end_wrenches, layer, lowest_point, settings, shared};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::mixed::Mesh;
use flexline::rod::{Rod, Station};
use flexline::solver::network::NetworkReport;
use flexline::solver::statics::Workspace;
use flexline::solver::{End, Pose, Problem, State};

/// EI over w L³ of the rod that stands for a chain: its layers are 1e-6 L thin.
const LIMP: f64 = 1e-12;
/// EI over w L³ of the rod every other is reached from.
const STIFF: f64 = 1e-2;

/// Reads `catenary` and `stiff_chain`.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for key in ["catenary", "stiff_chain"] {
        for (place, case) in list(root, key)? {
            let id = name(&case, key, place)?;
            if let Some(ends) = case.find("params").and_then(|p| p.find("ends"))
                && !["pinned", "clamped"].contains(&ends.as_text()?)
            {
                cases.unsupported(id, place, format!("ends \"{}\" are not known", ends.as_text()?));
                continue;
            }
            let measure = Chain::read(&case).map(|c| Box::new(move |grid| c.measure(grid)) as Measure);
            cases.add(id, place, measure)?;
        }
    }
    Ok(())
}

struct Chain {
    length: f64,
    weight: f64,
    /// K1, K2, K0; none for a chain.
    stiffness: Option<Vec3>,
    points: [Vec3; 2],
    /// Tangent at both ends, where they are clamped.
    clamp: Option<Vec3>,
    samples: Option<Samples>,
    /// n_0, n_L.
    forces: [Option<Vec3>; 2],
    end_moments: Option<Vec<f64>>,
    end_angles: Option<Vec<f64>>,
    /// Tensions at both ends, and the horizontal one.
    tensions: [Option<f64>; 3],
    lowest_z: Option<f64>,
    vertex_x: Option<f64>,
}

impl Chain {
    fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let results = case.get("results")?;
        let force = |internal: &str, support: &str, sign: f64| {
            Ok(results.maybe_vec3(internal)?.or(results.maybe_vec3(support)?.map(|v| v * sign)))
        };
        let stiff = params.maybe_number("EI")?.is_some_and(|ei| ei != 0.0) || params.find("K1").is_some();
        let clamped = params.find("ends").map(|f| f.as_text()).transpose()? == Some("clamped");
        Ok(Self {
            length: params.positive("L")?,
            weight: params.positive("weight_per_length")?,
            stiffness: if stiff { Some(Uniform::read(&params)?.stiffness) } else { None },
            points: [params.vec3("A")?, params.vec3("B")?],
            clamp: if clamped {
                Some(params.maybe_vec3("clamp_tangent")?.unwrap_or_else(Vec3::x))
            } else {
                None
            },
            samples: Samples::read(case, Theta::Above)?,
            forces: [force("n_0", "force_A", -1.0)?, force("n_L", "force_B", 1.0)?],
            end_moments: results.maybe_numbers("end_moments")?,
            end_angles: results.maybe_numbers("end_angles")?,
            tensions: [
                results.maybe_number("tension_A")?,
                results.maybe_number("tension_B")?,
                results.maybe_number("horizontal_tension")?,
            ],
            lowest_z: results.maybe_number("lowest_z")?,
            vertex_x: results.maybe_number("vertex_x")?,
        })
    }

    /// The rod with stiffness `factor` times that of the case.
    fn problem(
        &self,
        grid: Grid,
        curve: &Catenary,
        stiffness: &Vec3,
        factor: f64,
    ) -> Result<Problem, String> {
        let uniform = Uniform { length: self.length, stiffness: stiffness * factor, density: self.weight };
        let mesh = self.mesh(grid, curve, stiffness.x.min(stiffness.y))?;
        let rod = uniform.build(grid.model, &mesh, &|_| Vec3::zeros())?;
        let ends = self.points.map(|position| match &self.clamp {
            None => End::pinned(position),
            Some(tangent) => End::clamped(Pose { position, orientation: frame(tangent) }),
        });
        let mut problem = Problem::new(rod, ends[0], ends[1]);
        // The density is the weight: gravity is one.
        problem.gravity = -Vec3::z();
        Ok(problem)
    }

    /// Nodes where the rod bends: by the angle of the catenary, in the layers at the ends by the
    /// logarithm of the distance, and some spread evenly. A clamp turns the rod by a large angle
    /// within its layer; a pin hardly does.
    fn mesh(&self, grid: Grid, curve: &Catenary, stiffness: f64) -> Result<Mesh, String> {
        let length = self.length;
        let turn = |s: f64| ((s - curve.s0) / curve.a).atan();
        let total = turn(length) - turn(0.0);
        let layers = [0.0, length].map(|s| layer(stiffness, self.weight * curve.tension(s)));
        let weight = if self.clamp.is_some() { 1.5 } else { 0.5 };
        // A segment takes what bends to the end of a layer by its logarithm; curvatures that follow the
        // bend have done with it after a few thicknesses.
        let within = |x: f64| match grid.model {
            Model::Curvature(_) | Model::Spline if self.stiffness.is_some() => 1.0 - (-x / 4.0).exp(),
            _ => x.ln_1p(),
        };
        let share = |distance: f64, layer: f64| {
            // A thick layer needs no nodes of its own.
            if layer < 0.2 * length {
                weight * within(distance / layer) / within(length / layer)
            } else {
                0.0
            }
        };
        let cumulative =
            |s: f64| s / length + turn(s) / total + share(s, layers[0]) - share(length - s, layers[1]);
        shared(length, grid.n, &cumulative)
    }

    fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let curve = Catenary::through(self.points, self.length)?;
        let unit = self.weight * self.length.powi(3);
        let stiffness = self.stiffness.unwrap_or_else(|| Vec3::new(LIMP, LIMP, 0.8 * LIMP) * unit);
        let factor = (STIFF * unit / stiffness.x.min(stiffness.y)).max(1.0);
        let start = self.problem(grid, &curve, &stiffness, factor)?;
        let shape = |s: f64| Station { position: curve.point(s), frame: frame(&curve.tangent(s)) };
        let mut state = State::new(start.rod.state_from(&shape), start.ends);
        state.end_force = self.weight * curve.tension(self.length) * curve.tangent(self.length);
        let mut ws = Workspace::new(&start);
        settle(&start, &mut state, &mut ws, &settings())?;
        let problem_at = |share: f64| self.problem(grid, &curve, &stiffness, factor.powf(1.0 - share));
        let (problem, report) = follow(&mut state, 0.25, &problem_at, &settings())?;
        Ok(self.compare(&problem, &state, &report))
    }

    fn compare(&self, problem: &Problem, state: &State, report: &NetworkReport) -> Vec<Quantity> {
        let rod = &problem.rod;
        let length = self.length;
        let mut out = Vec::new();
        if let Some(samples) = &self.samples {
            samples.compare(rod, &state.rod, &mut out);
        }
        let [n_0, m_0, n_l, m_l] = end_wrenches(report);
        let pairs: Vec<(Vec3, Vec3)> =
            [n_0, n_l].into_iter().zip(self.forces).filter_map(|(v, r)| r.map(|r| (v, r))).collect();
        out.extend(vectors("end forces", &pairs, 0.0));
        let found = [n_0.norm(), n_l.norm(), n_0.xy().norm()];
        for (k, name) in ["tension at A", "tension at B", "horizontal tension"].into_iter().enumerate() {
            out.extend(self.tensions[k].and_then(|r| numbers(name, &[(found[k], r)], tolerance::ENERGY)));
        }
        if let Some([a, b]) = self.end_moments.as_deref() {
            // EI θ′ with θ above +x: the moment about −y.
            let vector = |m: &f64| Vec3::new(0.0, -m, 0.0);
            let negligible = 1e-9 * self.weight * length * length;
            out.extend(vectors("end moments", &[(m_0, vector(a)), (m_l, vector(b))], negligible));
        }
        if let Some([a, b]) = self.end_angles.as_deref() {
            let error = angle_to(rod, &state.rod, 0.0, &Theta::Above.tangent(*a)).max(angle_to(
                rod,
                &state.rod,
                length,
                &Theta::Above.tangent(*b),
            ));
            out.push(Quantity::new("end angles", error, tolerance::ANGLE));
        }
        let lowest = lowest_point(rod, &state.rod);
        let lowest_z = match (&self.samples, self.lowest_z) {
            (Some(samples), Some(reference)) => -samples.largest(rod, &state.rod, -reference, &|p| -p.z),
            _ => lowest.z,
        };
        let places = [("lowest z", lowest_z, self.lowest_z), ("vertex x", lowest.x, self.vertex_x)];
        for (name, value, reference) in places {
            if let Some(r) = reference {
                out.push(Quantity::new(name, (value - r).abs() / length, tolerance::CENTRELINE));
            }
        }
        out
    }
}

/// A frame along `tangent` whose d1 is horizontal and across the chain's plane.
fn frame(tangent: &Vec3) -> flexline::Quat {
    rotation::frame(tangent, &Vec3::y())
}

/// The chain of length L through two points, lowest at s = s0: a cosh((x − x0)/a).
struct Catenary {
    from: Vec3,
    across: Vec3,
    a: f64,
    s0: f64,
}

impl Catenary {
    fn through(points: [Vec3; 2], length: f64) -> Result<Self, String> {
        let span = points[1] - points[0];
        let (reach, rise) = (span.xy().norm(), span.z);
        let chord = span.norm();
        if chord >= length || reach < 1e-6 * length {
            return Err(format!("no catenary of length {length} m spans {reach} m across and {rise} m up"));
        }
        // √(L² − h²)/d = sinh(u)/u with u = d/2a, by bisection: the right side grows with u.
        let ratio = (length * length - rise * rise).sqrt() / reach;
        let (mut lo, mut hi) = (0.0f64, 1.0f64);
        while hi.sinh() / hi < ratio {
            hi *= 2.0;
        }
        for _ in 0..200 {
            let mid = 0.5 * (lo + hi);
            if mid.sinh() / mid < ratio { lo = mid } else { hi = mid }
        }
        let a = 0.5 * reach / (0.5 * (lo + hi));
        let x0 = 0.5 * reach - a * (rise / length).atanh();
        let across = Vec3::new(span.x, span.y, 0.0) / reach;
        Ok(Self { from: points[0], across, a, s0: a * (x0 / a).sinh() })
    }

    fn point(&self, s: f64) -> Vec3 {
        let x = |s: f64| self.a * (s / self.a).asinh();
        let z = |s: f64| self.a.hypot(s);
        let (s, start) = (s - self.s0, -self.s0);
        self.from + self.across * (x(s) - x(start)) + Vec3::z() * (z(s) - z(start))
    }

    fn tangent(&self, s: f64) -> Vec3 {
        let t = (s - self.s0) / self.a;
        (self.across + Vec3::z() * t).normalize()
    }

    /// Tension per unit weight, m.
    fn tension(&self, s: f64) -> f64 {
        self.a.hypot(s - self.s0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catenary_meets_both_points() {
        for (b, length) in [(Vec3::new(0.6, 0.0, 0.2), 1.0), (Vec3::new(0.3, -0.4, -0.1), 2.0)] {
            let a = Vec3::new(0.1, 0.2, 0.3);
            let curve = Catenary::through([a, a + b], length).unwrap();
            assert!((curve.point(length) - a - b).norm() < 1e-12);
            assert!(
                (curve.point(0.5 + 1e-6) - curve.point(0.5 - 1e-6) - 2e-6 * curve.tangent(0.5)).norm()
                    < 1e-15
            );
        }
        assert!(Catenary::through([Vec3::zeros(), Vec3::x()], 0.9).is_err());
    }
}
