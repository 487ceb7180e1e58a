//! Small moves from an equilibrium: whole Newton steps, judged by what they leave of the residual.
//!
//! The first step takes the factors of the last solve, which makes it the tangent predictor. Where it leads
//! to, the matrix is factorised and must be that of a minimum; as long as what is left falls quickly these
//! factors serve on. Anything else is left to [`minimise`](super::minimise), which costs more and stops at
//! less. At rest only: steps in time go without a past.

use super::assemble::{Norms, Residual, choose_rows, evaluate, factorise, norms, residual};
use super::contact::is_free;
use super::model::Network;
use super::newton::reduced_step;
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, report};
use crate::solver::report::Status;
use crate::solver::settings::Settings;

/// Most turning and bending of a step, rad, that still counts as small.
const SMALL: f64 = 0.3;
/// What a step may leave of the residual at most, as a share: else it was no small move. Below a half Newton's method
/// contracts faster with every step (P. Deuflhard, *Newton Methods for Nonlinear Problems*, 2004, 2.2).
const ENOUGH: f64 = 0.5;
/// What it may leave for its factors to be used again.
const QUICK: f64 = 0.02;
/// A share of the tolerance: what is unbalanced or missed by less is let be, so that what a move does not
/// reach stays where it is to the last bit and costs next to nothing.
const QUIET: f64 = 0.1;
/// Most steps of a small move.
const STEPS: usize = 12;

/// Finds the equilibrium near `state`; `None`, and the state as it was, where that takes more than a few
/// whole steps. How many directions release energy is not asked at the end.
pub(in crate::solver) fn follow_nearby(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Option<NetworkReport> {
    let mut room = std::mem::take(&mut ws.room);
    let [here, there] = &mut room;
    ws.see_world(network);
    let found = steps(network, state, here, there, ws, settings);
    // Whatever the factors have left to do, they predict the next move.
    ws.factored = found.is_some();
    if found.is_some() {
        std::mem::swap(state, here);
        for (span, own) in ws.spans.iter_mut().zip(&state.spans) {
            span.remember(own);
        }
    }
    ws.room = room;
    found
}

/// The steps from `state`; the equilibrium is left in `here`.
fn steps(
    network: &Network,
    state: &NetworkState,
    here: &mut NetworkState,
    there: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Option<NetworkReport> {
    let rho = ws.least_penalty();
    let mut old = ws.factored;
    here.start_from(state, network, ws, old);
    if !is_free(network, state, here, ws) {
        return None;
    }
    let mut at = judge(network, here, ws, rho);
    for iterations in 0..STEPS.min(settings.max_iterations) {
        let (norms, residual) = at;
        let left = norms.left();
        if left.is_nan() {
            ws.leave_residual(residual);
            return None;
        }
        let force = (settings.force_tolerance * norms.largest).max(norms.round_off);
        let gap = settings.position_tolerance * norms.length;
        if norms.force <= force && norms.gap <= gap {
            ws.leave_residual(residual);
            // What has not moved was not asked whether it is a minimum.
            return (!old).then(|| report(network, here, ws, Status::Converged, iterations, 0));
        }
        if !ws.factored {
            if factorise(network, here, ws, 0.0).is_none_or(|negative| negative > 0) {
                ws.leave_residual(residual);
                return None;
            }
            ws.factored = true;
            old = false;
        }
        let quiet = (QUIET * force, QUIET * gap);
        reduced_step(here, ws, &residual, Some((quiet, norms.length)));
        ws.leave_residual(residual);
        there.step_from(here, network, ws, quiet);
        let small = ws.spans.iter().all(|span| {
            let (turn, bend) = span.step_size();
            turn < SMALL && bend < SMALL
        });
        if !small || !is_free(network, here, there, ws) {
            return None;
        }
        at = judge(network, there, ws, rho);
        let share = at.0.left() / left;
        if share < ENOUGH {
            std::mem::swap(here, there);
            // From where the old factors lead to, new ones are asked.
            ws.factored = share < QUICK && !old;
        } else if old {
            ws.factored = false;
            evaluate(network, here, ws);
            ws.leave_residual(at.1);
            at = judge(network, here, ws, rho);
        } else {
            break;
        }
    }
    ws.leave_residual(at.1);
    None
}

/// What is unbalanced and missed at the state of the last evaluation.
fn judge(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    rho: f64,
) -> (Norms, Residual) {
    choose_rows(state, ws, rho);
    let residual = residual(network, state, ws);
    (norms(network, state, ws, &residual), residual)
}

#[cfg(test)]
mod tests {
    use super::super::{Anchor, Attachment, Span, minimise_network, solve_network, testing};
    use super::*;
    use crate::algebra::{Vec3, rotation};
    use crate::body::Pose;
    use crate::rod::spline::SplineRod;
    use crate::section::{Section, SectionProfile};
    use crate::solver::motion::{Integrator, Motion, MotionSettings};

    /// A port that moves by a few millimetres leads where the plain method leads, with one factorisation.
    #[test]
    fn small_moves_end_where_newton_s_method_ends() {
        let settings = Settings::interactive();
        let mut followed = 0;
        for (name, mut network) in testing::networks() {
            let mut state = NetworkState::initial(&network);
            let mut ws = NetworkWorkspace::new(&network);
            let port = network.anchors.iter().rposition(|a| a.held == [true; 3]).expect("a port");
            let first = solve_network(&network, &mut state, &mut ws, &settings).expect("sound network");
            if first.status != Status::Converged || !ws.factored {
                continue;
            }
            for k in 0..4 {
                network.anchors[port].pose.position += Vec3::new(1e-3, -5e-4, 2e-3) * (1.0 - 0.4 * k as f64);
                let mut plain = state.clone();
                let before = state.clone();
                let (counted, old) = (ws.factorisations(), ws.factored);
                let Some(report) = follow_nearby(&network, &mut state, &mut ws, &settings) else {
                    assert_eq!(state, before, "{name}: left as it was");
                    break;
                };
                assert_eq!(report.status, Status::Converged, "{name}");
                assert!(!old || ws.factorisations() - counted <= 2, "{name}");
                let fresh = &mut NetworkWorkspace::new(&network);
                let report = minimise_network(&network, &mut plain, fresh, &settings).expect("sound");
                assert_eq!(report.status, Status::Converged, "{name}");
                for (a, b) in state.anchors.iter().zip(&plain.anchors) {
                    let off = (a.position - b.position).norm();
                    assert!(off < 1e-8, "{name} {k}: {off:e}");
                }
                for (a, b) in state.spans.iter().zip(&plain.spans) {
                    let off = (a.end_force - b.end_force).norm();
                    assert!(off < 1e-6 * (1.0 + b.end_force.norm()), "{name} {k}: {off:e} N");
                }
                followed += 1;
            }
        }
        assert!(followed >= 20, "only {followed} small moves");
    }

    /// A branch of splines is stiff along its chords, and the first step of a move of 2 mm leaves 0.23 of the residual: each
    /// move used to be begun twice, here and by the plain method.
    #[test]
    fn splines_in_a_branch_make_small_moves() {
        let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).expect("sound section");
        let rest = |_: f64| Vec3::new(0.5, 0.0, 0.2);
        let spline = || SplineRod::new(0.6, 10, &SectionProfile::uniform(section), &rest).expect("sound rod");
        let at = |x: f64, y: f64| Pose {
            position: Vec3::new(x, y, 0.0),
            orientation: rotation::frame(&Vec3::x(), &Vec3::z()),
        };
        let mut network = Network {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            anchors: vec![
                Anchor::fixed(at(0.0, 0.0)),
                Anchor::loose(at(0.5, 0.0)),
                Anchor::fixed(at(0.95, 0.2)),
                Anchor::fixed(at(0.95, -0.2)),
            ],
            spans: vec![
                Span::new(spline(), Attachment::clamped(0), Some(Attachment::clamped(1))),
                Span::new(spline(), Attachment::clamped(1), Some(Attachment::clamped(2))),
                Span::new(spline(), Attachment::clamped(1), Some(Attachment::pinned(3))),
            ],
            ..Network::default()
        };
        let settings = Settings::interactive();
        let (mut state, mut ws) = (NetworkState::initial(&network), NetworkWorkspace::new(&network));
        solve_network(&network, &mut state, &mut ws, &settings).expect("sound network");
        for k in 0..6 {
            network.anchors[2].pose.position += Vec3::new(0.001, 0.0, 0.002);
            let counted = ws.factorisations();
            assert!(follow_nearby(&network, &mut state, &mut ws, &settings).is_some(), "move {k}");
            assert!(ws.factorisations() - counted <= 2, "move {k}");
        }
    }

    /// Beyond a clip nothing moves, to the last bit, and what does is computed as if all were.
    #[test]
    fn what_a_move_does_not_reach_rests() {
        let settings = Settings::interactive();
        let mut network = testing::clipped();
        let mut state = NetworkState::initial(&network);
        let mut ws = NetworkWorkspace::new(&network);
        let solve = |network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace| {
            let report = solve_network(network, state, ws, &settings).expect("sound network");
            assert_eq!(report.status, Status::Converged);
        };
        solve(&network, &mut state, &mut ws);
        let last = network.anchors.len() - 1;
        for k in 0..6 {
            network.anchors[last].pose.position += Vec3::new(-1e-3, 5e-4, 1e-3 * k as f64);
            let before = state.clone();
            solve(&network, &mut state, &mut ws);
            let mut plain = before.clone();
            solve(&network, &mut plain, &mut NetworkWorkspace::new(&network));
            // After the first move, which still corrects what the start had left.
            if k > 0 {
                assert_eq!(state.spans[0], before.spans[0], "{k}");
            }
            assert_ne!(state.spans[3], before.spans[3], "{k}");
            for (a, b) in state.spans.iter().zip(&plain.spans) {
                let off = (a.end_force - b.end_force).norm();
                assert!(off < 1e-6 * (1.0 + b.end_force.norm()), "{k}: {off:e} N");
            }
        }
        // Another gravity is felt everywhere.
        network.gravity *= 1.01;
        let before = state.clone();
        solve(&network, &mut state, &mut ws);
        assert_ne!(state.spans[0], before.spans[0]);
        let mut plain = before;
        solve(&network, &mut plain, &mut NetworkWorkspace::new(&network));
        for (a, b) in state.spans.iter().zip(&plain.spans) {
            assert!((a.end_force - b.end_force).norm() < 1e-6 * (1.0 + b.end_force.norm()));
        }
    }

    /// Steps in time are the same whatever was solved before with the same workspace.
    #[test]
    fn motion_does_not_look_back() {
        let mut network = testing::clipped();
        let settings = Settings::interactive();
        let mut state = NetworkState::initial(&network);
        let mut used = NetworkWorkspace::new(&network);
        let mut held = |network: &Network, state: &mut NetworkState| {
            let report = solve_network(network, state, &mut used, &settings).expect("sound network");
            assert_eq!(report.status, Status::Converged);
        };
        // Twice, so that the workspace remembers a small move.
        held(&network, &mut state);
        network.anchors[4].pose.position.z += 1e-3;
        held(&network, &mut state);
        network.anchors[4].pose.position.z += 2e-3;
        let motion = MotionSettings::new(0.01, Integrator::Bdf2);
        let run = |ws: &mut NetworkWorkspace| {
            let mut swing = Motion::at_rest(&network, state.clone());
            for _ in 0..5 {
                swing.step(&network, ws, &motion, &settings).expect("sound network");
            }
            swing.state
        };
        assert_eq!(run(&mut used), run(&mut NetworkWorkspace::new(&network)));
    }
}
