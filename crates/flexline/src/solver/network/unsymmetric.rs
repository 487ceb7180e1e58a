//! The stiffness of loads that have no potential.
//!
//! A force F that turns with the rod gains θ × F where its place turns by θ. A moment m that keeps its direction in
//! space does the work m·δθ; where its place has turned by ψ already, δθ = δψ + ½ ψ × δψ + …, so that it gains ½ m × θ,
//! and one that turns with the rod ½ θ × m. (H. Ziegler, *Principles of Structural Stability*, 1968; J. Argyris et al.,
//! Comput. Methods Appl. Mech. Eng. 14 (1978) 401–451.) None of this is part of the symmetric matrix S of a network.
//! Without it errors shrink by the eigenvalues of S⁻¹U in every step, which is slow, or not at all. With T for how
//! places turn and B for what their loads gain, on all unknowns, a step d is
//!
//! ```text
//! (S + U) d = −r,     U = −B T:     d = −S⁻¹ (r − B y),     y = T d = y_0 + C y,     C = T S⁻¹ B.
//! ```
//!
//! One solve with the factors at hand gives C times a vector, and y is found by GMRES (Y. Saad, M. Schultz, SIAM J. Sci.
//! Stat. Comput. 7 (1986) 856–869), which is exact after as many solves as there are rotations, and near enough sooner.

use super::NetworkWorkspace;
use super::assemble::Residual;
use super::newton::plain_step;
use super::state::NetworkState;
use crate::algebra::Vec3;
use crate::algebra::gmres::Gmres;

/// Most solves of one step.
const MOST: usize = 30;
/// What is left of the equation for y, relative to its right-hand side: Newton's method has no use for less.
const EXACT: f64 = 1e-10;

/// Room for such steps.
#[derive(Default)]
pub(in crate::solver) struct Turning {
    gmres: Gmres,
    /// How many places of loads turn in every span.
    places: Vec<usize>,
    /// How they turn by the plain step, and by the whole one.
    plain: Vec<f64>,
    turns: Vec<f64>,
    /// Those of one span.
    own: Vec<Vec3>,
}

/// Solves for the step of S and U.
pub(in crate::solver) fn step(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    let mut room = std::mem::take(&mut ws.turning);
    room.places.clear();
    room.places.extend(ws.spans.iter_mut().map(|span| span.kernel.find_turning_loads()));
    plain_step(state, ws, residual);
    if room.places.iter().any(|count| *count > 0) {
        correct(state, ws, residual, &mut room);
    }
    ws.turning = room;
}

/// Makes the step in the workspace, which S alone has made, that of S and U.
fn correct(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual, room: &mut Turning) {
    let Turning { gmres, places, plain, turns, own } = room;
    let turned = |ws: &NetworkWorkspace, out: &mut Vec<f64>| {
        for (span, count) in ws.spans.iter().zip(places.iter()) {
            (0..*count).for_each(|place| out.extend_from_slice(span.kernel.turned(place).as_slice()));
        }
    };
    let mut step_with = |ws: &mut NetworkWorkspace, turns: &[f64]| {
        let mut turns = turns.chunks_exact(3);
        for (span, count) in ws.spans.iter_mut().zip(places.iter()) {
            own.clear();
            own.extend(turns.by_ref().take(*count).map(Vec3::from_column_slice));
            span.set_load_turns(own);
        }
        plain_step(state, ws, residual);
    };
    plain.clear();
    turned(ws, plain);
    let scale = plain.iter().map(|c| c * c).sum::<f64>().sqrt();
    if scale > 0.0 && scale.is_finite() {
        let apply = |y: &[f64], out: &mut Vec<f64>| {
            step_with(ws, y);
            turned(ws, out);
            out.iter_mut().zip(y).zip(plain.iter()).for_each(|((out, y), plain)| *out = y - (*out - plain));
        };
        // Where that is singular, the turns are zero and the plain step is taken.
        gmres.solve(apply, plain, MOST.min(plain.len()), EXACT, turns);
        step_with(ws, turns);
    }
    ws.spans.iter_mut().for_each(|span| span.set_load_turns(&[]));
}

#[cfg(test)]
mod tests {
    use super::super::newton::minimise;
    use super::super::{Network, NetworkState, NetworkWorkspace};
    use crate::algebra::{Vec3, rotation};
    use crate::body::{Axes, DistributedLoad, End, PointLoad, Pose};
    use crate::rod::curvature::{Basis, CurvatureRod};
    use crate::rod::mixed::{Mesh, MixedRod};
    use crate::rod::spline::SplineRod;
    use crate::rod::{AnyRod, Rod, State};
    use crate::section::{Section, SectionProfile};
    use crate::solver::problem::Problem;
    use crate::solver::report::Status;
    use crate::solver::statics::{Settings, Workspace, initial_state, solve};
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
            assert_eq!(
                (report.status, report.rest.steps),
                (Status::Converged, 1),
                "{model} {share} {axes:?}"
            );
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

    /// Forces that turn with the rod, at the tip with a moment and at mid-length, took fifty to a hundred iterations or
    /// were not found: S alone knows nothing of them. Every model finds what a chain with its whole tangent finds.
    #[test]
    fn follower_loads_are_followed() {
        let (length, bending) = (1.0, 0.02);
        let section = Section::measured(bending, bending, 0.8 * bending, 0.1, 0.005).expect("sound section");
        let profile = SectionProfile::uniform(section);
        let straight = |_: f64| Vec3::zeros();
        let curved = |basis: Basis, n: usize| CurvatureRod::new(basis, length, n, &profile, &straight);
        let chain = MixedRod::new(&Mesh::uniform(length, 200).expect("sound mesh"), &profile, &straight);
        let rods: [(&str, AnyRod, usize); 3] = [
            ("clothoid", curved(Basis::Clothoid, 10).expect("sound rod").into(), 30),
            ("helix", curved(Basis::Helix, 40).expect("sound rod").into(), 30),
            ("spline", SplineRod::new(length, 16, &profile, &straight).expect("sound rod").into(), 60),
        ];
        let start = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::z()) };
        for (p, spread) in [(1.0, false), (2.0, false), (3.0, false), (1.5, true)] {
            let load = p * bending / (length * length);
            let point =
                |s: f64, force: Vec3, moment: Vec3| PointLoad { s, force, moment, axes: Axes::Material };
            let solved = |rod: &AnyRod| {
                let mut problem = Problem::new(rod.clone(), End::clamped(start), End::free());
                problem.point_loads = vec![
                    point(
                        length,
                        Vec3::new(load, 0.0, -0.5 * load),
                        Vec3::new(0.0, 0.3, 0.3) * (load * length),
                    ),
                    point(0.5 * length, Vec3::new(0.0, -load, 0.0), Vec3::zeros()),
                ];
                if spread {
                    problem.distributed_loads.push(DistributedLoad {
                        from: 0.1,
                        to: 0.9,
                        force: [Vec3::new(0.0, load, 0.0), Vec3::new(load, 0.0, load)],
                        moment: [Vec3::x() * (0.2 * load), Vec3::zeros()],
                        axes: Axes::Material,
                    });
                }
                let mut state = initial_state(&problem);
                let settings = Settings::default();
                let report = solve(&problem, &mut state, &mut Workspace::new(&problem), &settings);
                (report.expect("sound problem"), problem.rod.station(&state.rod, length).position)
            };
            let (_, exact) = solved(&chain.clone().into());
            for (name, rod, most) in &rods {
                let (report, tip) = solved(rod);
                assert_eq!((report.status, report.rest.steps), (Status::Converged, 1), "{name} {p}");
                assert!(report.iterations <= *most, "{name} {p}: {} iterations", report.iterations);
                assert!((tip - exact).norm() < 2e-3 * length, "{name} {p}: {tip} {exact}");
            }
            // And so does a chain in a network.
            let mut problem = Problem::new(chain.clone(), End::clamped(start), End::free());
            problem.point_loads = vec![point(
                length,
                Vec3::new(load, 0.0, -0.5 * load),
                Vec3::new(0.0, 0.3, 0.3) * (load * length),
            )];
            let network = Network::from_cable(&problem);
            let mut state = NetworkState::from_cable(&network, &initial_state(&problem));
            let mut ws = NetworkWorkspace::new(&network);
            let report =
                minimise(&network, &mut state, &mut ws, &Settings::default()).expect("sound network");
            assert_eq!(report.status, Status::Converged, "chain {p}");
            assert!(report.iterations <= 30, "chain {p}: {} iterations", report.iterations);
        }
    }
}
