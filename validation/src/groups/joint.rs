//! A shaft between ball joints under an axial torque and an axial force (Greenhill).
//!
//! The torque keeps its direction in space while the ends turn: it has no potential, and stability
//! in the sense of an energy says nothing. The static criterion is that the straight shaft has a
//! neighbouring equilibrium, that is, that its response to some small sideways load grows without
//! bound. With w = y + iz the deflection obeys
//!
//! ```text
//! (B w″ − iM w′ + P w)″ = q,    w = B w″ − iM w′ = 0 at the ends,
//! ```
//!
//! and under q = ε v″ with v = exp(iMs/2B) sin(πs/L) it is w = (ε/μ) v with the stiffness
//! μ = M²/4B + P − B π²/L², a linear function of M². So μ is measured at torques well below the
//! threshold, where the shaft has no trouble finding its equilibrium, and extrapolated to zero.

use super::buckling::push;
use crate::case::Measure;
use crate::compare::threshold;
use crate::field::{Field, FieldError};
use crate::follow::{inverse_at_zero, settle};
use crate::rods::{Grid, Uniform, from_origin, settings, straight_twisted};
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::statics::{Settings, Workspace};
use flexline::solver::{Axes, DistributedLoad, End, PointLoad, Problem};
use std::f64::consts::PI;

/// Deflection over length that is still linear.
const DEFLECTION: f64 = 1e-4;
/// Shares of the critical squared torque at which the stiffness is measured.
const SHARES: [f64; 4] = [0.0, 0.15, 0.3, 0.45];

/// Reads a case; only the bending stiffness B matters.
pub(super) fn measure(case: &Field) -> Result<Measure, FieldError> {
    let (length, bending) = (case.positive("L")?, case.positive("B")?);
    let compression = case.maybe_number("compression_P")?.unwrap_or(0.0);
    let reference = case.positive("torque_critical")?;
    let uniform = Uniform { length, stiffness: Vec3::new(bending, bending, bending), density: 0.0 };
    Ok(Box::new(move |grid| {
        let found = Shaft { uniform, compression, grid }.critical_torque()?;
        Ok(vec![threshold("critical torque", found, reference)])
    }))
}

struct Shaft {
    uniform: Uniform,
    compression: f64,
    grid: Grid,
}

impl Shaft {
    /// The stiffness −μ at a torque, probed with a load of amplitude `epsilon`.
    fn stiffness(&self, torque: f64, epsilon: f64) -> Result<f64, String> {
        let length = self.uniform.length;
        let start = from_origin(&Vec3::x(), &Vec3::y());
        let far = End { held: [false, true, true], ..End::pinned(Vec3::new(length, 0.0, 0.0)) };
        let rod = self.uniform.straight(self.grid)?;
        let mut problem = Problem::new(rod, End::pinned(start.position), far);
        let twist = |s, moment| PointLoad {
            s,
            force: Vec3::zeros(),
            moment: Vec3::new(moment, 0.0, 0.0),
            axes: Axes::World,
        };
        problem.point_loads =
            vec![twist(0.0, -torque), twist(length, torque), push(length, -self.compression)];
        // −ε v″: the shaft is stiff against it while μ is negative.
        let (turn, wave) = (0.5 * torque / self.uniform.stiffness.x, PI / length);
        let load = |s: f64| {
            let along = (turn * turn + wave * wave) * (wave * s).sin();
            let across = -2.0 * turn * wave * (wave * s).cos();
            let (sin, cos) = (turn * (s - 0.5 * length)).sin_cos();
            Vec3::new(0.0, along * cos - across * sin, along * sin + across * cos) * epsilon
        };
        let pieces = problem.rod.arcs().windows(2).map(|w| DistributedLoad {
            from: w[0],
            to: w[1],
            force: [load(w[0]), load(w[1])],
            moment: [Vec3::zeros(); 2],
            axes: Axes::World,
        });
        problem.distributed_loads = pieces.collect();
        let turned = torque * length / self.uniform.stiffness.z;
        let mut state = straight_twisted(&problem, &self.uniform, self.grid, &start, turned)?;
        let exact = Settings { force_tolerance: 1e-12, ..settings() };
        settle(&problem, &mut state, &mut Workspace::new(&problem), &exact)?;
        Ok(epsilon / problem.rod.station(&state.rod, 0.5 * length).position.y)
    }

    fn critical_torque(&self) -> Result<f64, String> {
        let Uniform { length, stiffness, .. } = self.uniform;
        let unit = stiffness.x / length.powi(2);
        let deflection = DEFLECTION * length;
        let still = self.stiffness(0.0, deflection * unit)?;
        if still <= 0.0 {
            return Err("the shaft buckles under its compression alone".into());
        }
        // −μ falls by 1/4B per squared torque.
        let estimate = 4.0 * stiffness.x * still;
        let mut points = [(0.0, still); SHARES.len()];
        for (point, share) in points.iter_mut().zip(SHARES) {
            let squared = share * estimate;
            *point = (squared, self.stiffness(squared.sqrt(), deflection * still)?);
        }
        let squared = inverse_at_zero(&points);
        if squared > 0.0 {
            Ok(squared.sqrt())
        } else {
            Err("the stiffness does not fall with the torque".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rods::Model;

    #[test]
    fn the_stiffness_is_linear_in_the_squared_torque() {
        let uniform = Uniform { length: 2.0, stiffness: Vec3::new(3.0, 3.0, 3.0), density: 0.0 };
        let shaft = Shaft { uniform, compression: 1.5, grid: Grid { model: Model::MIXED, n: 200 } };
        for torque in [0.0, 2.0, 4.0] {
            let exact = 3.0 * (PI / 2.0f64).powi(2) - 1.5 - torque * torque / 12.0;
            let found = shaft.stiffness(torque, 1e-4).unwrap();
            assert!((found / exact - 1.0).abs() < 5e-4, "{torque}: {found} {exact}");
        }
    }
}
