//! Warm start: moves a solved state to the ends of the problem.
//!
//! With the factors of the last solve at hand the first step of a small move is the tangent predictor
//! ([`super::network`]); otherwise the motion of a chain is spread linearly along it (dissertation 6.3.1), frames
//! following the moved positions. Full turns are spread about the rod's own tangent. Nothing is in the way of these steps:
//! what is a cable alone touches nothing ([`super::network::Network::as_cable`]); everything else is led through the gate.

use crate::algebra::{Vec3, rotation};
use crate::body::End;
use crate::rod::{AnyRod, Rod, State};
use crate::solver::problem::Problem;

/// Largest rotation of an end that the tangent predictor is trusted with, rad.
const TANGENT_TURN: f64 = 0.5;
/// Largest translation that the tangent predictor is trusted with, as a share of the length.
const TANGENT_SHIFT: f64 = 0.1;

/// How one end moves.
#[derive(Clone, Copy, Debug)]
struct EndMotion {
    shift: Vec3,
    /// Rotation vector, world, the short way.
    turn: Vec3,
    /// Rotation about the tangent on top, rad, full turns included.
    twist: f64,
}

impl EndMotion {
    fn between(from: &End, to: &End) -> Self {
        let turn = match (from.orientation, to.orientation) {
            (Some(a), Some(b)) => rotation::log(&(b * a.conjugate())),
            _ => Vec3::zeros(),
        };
        Self { shift: to.position - from.position, turn, twist: to.twist - from.twist }
    }

    fn is_still(&self) -> bool {
        self.shift == Vec3::zeros() && self.turn == Vec3::zeros() && self.twist == 0.0
    }

    fn is_small(&self, length: f64) -> bool {
        self.turn.norm() + self.twist.abs() < TANGENT_TURN && self.shift.norm() < TANGENT_SHIFT * length
    }
}

/// Moves `state` from the ends it was solved for to those of `problem`; what a tangent predictor will do is left to it
/// where there is one.
pub(in crate::solver) fn carry(problem: &Problem, state: &mut State, tangent: bool) {
    match &problem.rod {
        AnyRod::Mixed(_) => {
            let motions = motions(problem, state);
            let small = motions.iter().all(|m| m.is_small(problem.chain().length()));
            if !(motions.iter().all(EndMotion::is_still) || tangent && small) {
                linear(problem, state, &motions);
            }
        }
        rod => {
            let turns = [0, 1].map(|k| problem.ends[k].twist - state.ends[k].twist);
            if turns != [0.0; 2] {
                let torque = rod.end_torque(&state.rod);
                rod.add_twist(&mut state.rod, turns);
                // Turns come with their torque: without it a rod that is wound up many times is far from balance.
                state.end_moment += rod.end_torque(&state.rod) - torque;
            }
        }
    }
}

/// How the ends of a chain move to where `problem` has them.
fn motions(problem: &Problem, state: &State) -> [EndMotion; 2] {
    let mut from = state.ends;
    // An orientation that was free is held from now on: start from where it is.
    let n = problem.chain().segments();
    for (k, frame) in [(0, 0), (1, n + 1)] {
        if from[k].orientation.is_none() && problem.ends[k].orientation.is_some() {
            from[k].orientation = Some(problem.chain().frame(&state.rod, frame));
            from[k].twist = problem.ends[k].twist;
            from[k].orientation =
                from[k].orientation.map(|q| q * rotation::exp(&Vec3::new(0.0, 0.0, -problem.ends[k].twist)));
        }
        let node = if k == 0 { 0 } else { n };
        let here = problem.chain().position(&state.rod, node);
        for i in 0..3 {
            if !from[k].held[i] {
                from[k].position[i] = here[i];
            }
        }
    }
    let mut motions =
        [EndMotion::between(&from[0], &problem.ends[0]), EndMotion::between(&from[1], &problem.ends[1])];
    // Along what nothing holds an end stays where it is, wherever the problem says it began.
    for (motion, end) in motions.iter_mut().zip(&problem.ends) {
        (0..3).filter(|i| !end.held[*i]).for_each(|i| motion.shift[i] = 0.0);
    }
    if problem.closed {
        // The seam carries both sides; its own twist is that of the second end.
        motions[1] = EndMotion { twist: motions[1].twist, ..motions[0] };
        motions[1].twist += motions[0].twist;
    }
    motions
}

/// Puts held end frames and x_0 exactly where the problem wants them.
pub(in crate::solver) fn set_ends(problem: &Problem, state: &mut State) {
    let rod = problem.chain();
    let n = rod.segments();
    if let Some(q) = problem.ends[0].frame() {
        rod.set_frame(&mut state.rod, 0, &q);
    }
    if problem.closed {
        let twist = rotation::exp(&Vec3::new(0.0, 0.0, problem.ends[1].twist));
        let q = rod.frame(&state.rod, 0) * twist;
        rod.set_frame(&mut state.rod, n + 1, &q);
    } else if let Some(q) = problem.ends[1].frame() {
        rod.set_frame(&mut state.rod, n + 1, &q);
    }
    let mut x = rod.position(&state.rod, 0);
    for i in 0..3 {
        if problem.ends[0].held[i] {
            x[i] = problem.ends[0].position[i];
        }
        if !problem.end_held()[i] {
            state.end_force[i] = 0.0;
        }
    }
    rod.set_position(&mut state.rod, 0, &x);
    rod.project(&mut state.rod);
}

fn linear(problem: &Problem, state: &mut State, motions: &[EndMotion; 2]) {
    let rod = problem.chain();
    let n = rod.segments();
    let length = rod.length();
    let [a, b] = motions;
    // An end that nothing holds goes along with the other one.
    let loose = |k: usize| {
        let end = &problem.ends[k];
        !problem.closed && end.held == [false; 3] && end.orientation.is_none()
    };
    if loose(0) || loose(1) {
        let (motion, pivot) = if loose(1) { (a, 0) } else { (b, n) };
        let turn = rotation::exp(&motion.turn);
        let centre = rod.position(&state.rod, pivot);
        let x = centre + motion.shift + rotation::rotate(&turn, &(rod.position(&state.rod, 0) - centre));
        for j in 0..n + 2 {
            let q = turn * rod.frame(&state.rod, j) * rotation::exp(&Vec3::new(0.0, 0.0, motion.twist));
            rod.set_frame(&mut state.rod, j, &q);
        }
        rod.set_position(&mut state.rod, 0, &x);
        rod.project(&mut state.rod);
        return;
    }
    for j in 0..n + 2 {
        let s = rod.frame_arc(j);
        let w = s / length;
        let mut q = rotation::exp(&(a.turn * (1.0 - w) + b.turn * w)) * rod.frame(&state.rod, j);
        if (1..=n).contains(&j) {
            // The segment follows its moved nodes: x + (1−w) shift_0 + w shift_1.
            let stretch = (b.shift - a.shift) * (rod.lengths[j - 1] / length);
            let before = rod.lengths[j - 1] * rotation::tangent(&q);
            let after = before + stretch;
            if after.norm() > 0.1 * before.norm() {
                q = rotation::between(&rotation::tangent(&q), &after.normalize()) * q;
            }
        }
        q *= rotation::exp(&Vec3::new(0.0, 0.0, a.twist * (1.0 - w) + b.twist * w));
        rod.set_frame(&mut state.rod, j, &(q * (1.0 / q.norm())));
    }
    for j in 0..=n {
        state.rod.twist[j] += (b.twist - a.twist) * rod.duals[j] / length;
    }
    rod.remember_twist(&mut state.rod);
}
