//! The stiffness of moments that have no potential.
//!
//! A moment m that keeps its direction in space does the work m·δθ. Where its place has turned by ψ already,
//! δθ = δψ + ½ ψ × δψ + …, so that the residual −m·δθ has the derivative X = −½ [m]×: skew, and hence no part of the
//! symmetric matrix S of a network. (H. Ziegler, *Principles of Structural Stability*, 1968; J. Argyris et al.,
//! Comput. Methods Appl. Mech. Eng. 14 (1978) 401–451.) Without it errors shrink by the eigenvalues of S⁻¹X in every
//! step, which is slow, or not at all. With T for how places turn, a step d is
//!
//! ```text
//! (S + Tᵀ X T) d = −r:     d = −S⁻¹ (r + Tᵀ X y),     y = T d = y_0 + C X y,     C = −T S⁻¹ Tᵀ.
//! ```
//!
//! C is what unit moments at the places turn them by: one solve each with the factors at hand.

use super::NetworkWorkspace;
use super::assemble::Residual;
use super::newton::plain_step;
use super::state::NetworkState;
use crate::algebra::{Mat3, Vec3, rotation};
use crate::solver::problem::Axes;
use nalgebra::{DMatrix, DVector, Vector3};

/// Most places: beyond, their solves would cost more than the steps that they save.
const MOST: usize = 6;

/// X of a moment at its place: one that turns with the rod gains ψ × m.
pub(super) fn skew_stiffness(moment: &Vec3, axes: Axes) -> Mat3 {
    let half = match axes {
        Axes::World => -0.5,
        Axes::Material => 0.5,
    };
    rotation::skew(moment) * half
}

/// Makes the step in the workspace, which S alone has made, that of S and X.
pub(super) fn correct(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    let mut places: Vec<(usize, usize, Mat3)> = Vec::new();
    for (k, span) in ws.spans.iter().enumerate() {
        places.extend(span.kernel.skew().into_iter().enumerate().map(|(place, x)| (k, place, x)));
    }
    let size = places.iter().fold(0.0f64, |m, (_, _, x)| m.max(x.amax()));
    if places.len() > MOST || size == 0.0 {
        return;
    }
    let count = 3 * places.len();
    let mut skew = DMatrix::zeros(count, count);
    for (i, (_, _, x)) in places.iter().enumerate() {
        skew.view_mut((3 * i, 3 * i), (3, 3)).copy_from(x);
    }
    let turned = |ws: &NetworkWorkspace| {
        let mut out = DVector::zeros(count);
        for (i, (k, place, _)) in places.iter().enumerate() {
            out.rows_mut(3 * i, 3).copy_from(&ws.spans[*k].kernel.turned(*place));
        }
        out
    };
    let step_with = |ws: &mut NetworkWorkspace, moments: &DVector<f64>| {
        for (k, span) in ws.spans.iter_mut().enumerate() {
            let own = places.iter().enumerate().filter(|(_, place)| place.0 == k);
            let own: Vec<_> = own.map(|(i, _)| Vector3::from_fn(|c, _| moments[3 * i + c])).collect();
            span.lean_on(&own);
        }
        plain_step(state, ws, residual);
    };
    let plain = turned(ws);
    let mut turns = DMatrix::zeros(count, count);
    let mut unit = DVector::zeros(count);
    for c in 0..count {
        unit[c] = size;
        step_with(ws, &unit);
        turns.set_column(c, &((turned(ws) - &plain) / size));
        unit[c] = 0.0;
    }
    let system = DMatrix::identity(count, count) - turns * &skew;
    // Where that is singular, the plain step is taken.
    let moments = system.lu().solve(&plain).map_or_else(|| DVector::zeros(count), |y| skew * y);
    step_with(ws, &moments);
    ws.spans.iter_mut().for_each(|span| span.lean_on(&[]));
}

#[cfg(test)]
mod tests {
    use crate::algebra::Vec3;
    use crate::rod::curvature::{Basis, CurvatureRod};
    use crate::rod::spline::SplineRod;
    use crate::rod::{AnyRod, Rod};
    use crate::section::{Section, SectionProfile};
    use crate::solver::problem::{Axes, DistributedLoad, End, PointLoad, Problem, State};
    use crate::solver::report::Status;
    use crate::solver::statics::{Settings, Workspace, solve};
    use std::f64::consts::PI;

    /// A shaft between ball joints at two thirds of the torque at which it buckles took more iterations than the limit:
    /// every step left what S⁻¹X makes of the error. It deflects as a beam does (Greenhill), and Newton's method
    /// converges. (Nearer to the threshold S has a negative direction of its own and must be shifted.) A torque that
    /// turns with the shaft has the transposed matrix.
    #[test]
    fn dead_moments_cost_no_iterations() {
        let (length, bending, pull, epsilon) = (1.2, 0.02, 0.2, 1e-5);
        let section = Section::measured(bending, bending, bending, 0.1, 0.004).expect("sound section");
        let profile = SectionProfile::uniform(section);
        let half = PI / length;
        let stiffness = bending * half * half + pull;
        let rod = |model: usize, rest: &dyn Fn(f64) -> Vec3| -> AnyRod {
            let curved = |basis: Basis, n: usize| CurvatureRod::new(basis, length, n, &profile, rest);
            match model {
                0 => SplineRod::new(length, 20, &profile, rest).expect("sound rod").into(),
                1 => curved(Basis::Clothoid, 12).expect("sound rod").into(),
                _ => curved(Basis::Helix, 80).expect("sound rod").into(),
            }
        };
        let cases = [0.3, 0.5, 0.67].map(|share| [Axes::World, Axes::Material].map(|axes| (share, axes)));
        for (model, (share, axes)) in (0..3).flat_map(|m| cases.into_iter().flatten().map(move |c| (m, c))) {
            let torque = share * 2.0 * (bending * stiffness).sqrt();
            let turn = 0.5 * torque / bending;
            let straight = rod(model, &|_| Vec3::zeros());
            let twisted = rod(model, &|_| Vec3::new(0.0, 0.0, torque / bending));
            let far = End { held: [false, true, true], ..End::pinned(Vec3::x() * length) };
            let mut problem = Problem::new(straight, End::pinned(Vec3::zeros()), far);
            let along = if axes == Axes::World { Vec3::x() } else { Vec3::z() };
            let twist =
                |s: f64, moment: f64| PointLoad { s, force: Vec3::zeros(), moment: along * moment, axes };
            let (force, moment) = (Vec3::x() * pull, Vec3::zeros());
            let pull = PointLoad { s: length, force, moment, axes: Axes::World };
            problem.point_loads = vec![twist(0.0, -torque), twist(length, torque), pull];
            // −v″ for v = exp(i turn (s − L/2)) sin(half s): the answer is v over what is left of the stiffness.
            let push = |s: f64| {
                let (along, across) =
                    ((turn * turn + half * half) * (half * s).sin(), -2.0 * turn * half * (half * s).cos());
                let (sin, cos) = (turn * (s - 0.5 * length)).sin_cos();
                Vec3::new(0.0, along * cos - across * sin, along * sin + across * cos) * epsilon
            };
            let pieces = problem.rod.arcs().windows(2).map(|w| DistributedLoad {
                from: w[0],
                to: w[1],
                force: [push(w[0]), push(w[1])],
                moment: [Vec3::zeros(); 2],
                axes: Axes::World,
            });
            problem.distributed_loads = pieces.collect();
            let start = crate::rod::Station {
                position: Vec3::zeros(),
                frame: crate::algebra::rotation::frame(&Vec3::x(), &Vec3::y()),
            };
            let mut state = State::new(twisted.rest_state(&start), problem.ends);
            let settings = Settings { force_tolerance: 1e-10, ..Settings::interactive() };
            let report =
                solve(&problem, &mut state, &mut Workspace::new(&problem), &settings).expect("sound problem");
            assert_eq!((report.status, report.steps), (Status::Converged, 1), "{model} {share} {axes:?}");
            assert!(report.iterations <= 20, "{model} {share} {axes:?}: {} iterations", report.iterations);
            if axes == Axes::Material {
                continue;
            }
            let left = stiffness * (1.0 - share * share);
            let found = problem.rod.station(&state.rod, 0.5 * length).position.y;
            assert!(
                (found * left / epsilon - 1.0).abs() < 1e-3,
                "{model} {share}: {found} {}",
                epsilon / left
            );
        }
    }
}
