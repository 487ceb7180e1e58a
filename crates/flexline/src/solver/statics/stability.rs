//! Stability: the second variation on the tangent of all constraints.
//!
//! Eigenvalues λ of H z = λ B z, with B the stiffness without prestress (∫ Θ′·KΘ′): dimensionless,
//! 1 for an unloaded rod, 0 at buckling. The inertia of H − σB counts how many lie below σ, so the
//! smallest one is found by bisection on counts that are exact, not on iterates that may miss.

use super::newton::{Outcome, PROXIMAL, apply, newton};
use super::system::Inertia;
use super::{ChainWorkspace, Settings};
use crate::algebra::Vec3;
use crate::algebra::chain::ChainVector;
use crate::rod::Rod;
use crate::rod::mixed::vertex;
use crate::solver::budget;
use crate::solver::problem::{Problem, State};
use crate::solver::report::{Stability, Verdict};

/// Eigenvalues of smaller size count as neutral.
pub(super) const NEUTRAL: f64 = 1e-6;

/// Number of eigenvalues below `sigma`; spins that B does not see count when `proximal` < 0.
pub(super) fn count(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    sigma: f64,
    proximal: f64,
) -> Option<usize> {
    if budget::stop().is_some() {
        return None;
    }
    ws.system.evaluate(problem, state);
    ws.tangent_valid = false;
    // An inertia is that of a symmetric form: what has no potential counts as prestress alone.
    let was = std::mem::replace(&mut ws.system.symmetric, true);
    let found = count_symmetric(problem, state, ws, sigma, proximal);
    ws.system.symmetric = was;
    found
}

fn count_symmetric(
    problem: &Problem,
    state: &State,
    ws: &mut ChainWorkspace,
    sigma: f64,
    proximal: f64,
) -> Option<usize> {
    ws.system.assemble(problem, state, -sigma, proximal);
    // A pivot that vanishes exactly at this σ: a hair to the side it does not.
    for nudge in [0.0, 1e-9, -1e-9] {
        if nudge != 0.0 {
            ws.system.assemble(problem, state, -sigma * (1.0 + nudge) - nudge, proximal);
        }
        if ws.bordered.factorise(problem, &ws.system).is_ok() {
            return usize::try_from(ws.bordered.negative()).ok();
        }
    }
    None
}

/// Verdict and smallest eigenvalue at an equilibrium; `None` where no factorisation succeeds, or the budget is spent.
pub(super) fn analyse(problem: &Problem, state: &mut State, ws: &mut ChainWorkspace) -> Option<Stability> {
    let negative = count(problem, state, ws, -NEUTRAL, NEUTRAL)?;
    let not_positive = count(problem, state, ws, NEUTRAL, -NEUTRAL)?;
    let neutral = not_positive.saturating_sub(negative);
    let lambda_min = smallest(problem, state, ws, negative);
    if budget::stop().is_some() {
        return None;
    }
    let verdict = verdict(negative, neutral);
    Some(Stability { verdict, lambda_min, negative, neutral, complete: ws.system.loads.conservative() })
}

fn smallest(problem: &Problem, state: &mut State, ws: &mut ChainWorkspace, negative: usize) -> f64 {
    smallest_eigenvalue(&mut |sigma| count(problem, state, ws, sigma, PROXIMAL), negative)
}

/// The verdict on a form with so many negative and neutral eigenvalues.
pub(super) fn verdict(negative: usize, neutral: usize) -> Verdict {
    match (negative, neutral) {
        (0, 0) => Verdict::Stable,
        (0, _) => Verdict::Neutral,
        _ => Verdict::Unstable,
    }
}

/// The smallest eigenvalue that is not neutral, given how many lie below any σ.
pub(super) fn smallest_eigenvalue(below: &mut dyn FnMut(f64) -> Option<usize>, negative: usize) -> f64 {
    let (mut lo, mut hi, target);
    if negative > 0 {
        // Below lo nothing, below hi something.
        hi = -NEUTRAL;
        lo = -0.01;
        target = 0;
        while below(lo).is_none_or(|c| c > 0) && lo > -1e12 {
            hi = lo;
            lo *= 4.0;
        }
    } else {
        lo = NEUTRAL;
        target = below(lo).unwrap_or(0);
        hi = 0.5;
        while below(hi).is_some_and(|c| c <= target) && hi < 1e12 {
            lo = hi;
            hi *= 4.0;
        }
    }
    for _ in 0..60 {
        if (hi - lo).abs() <= 1e-7 * (hi.abs() + lo.abs()) {
            break;
        }
        let mid = if lo > 0.0 && hi > 8.0 * lo { (lo * hi).sqrt() } else { 0.5 * (lo + hi) };
        match below(mid) {
            Some(c) if c > target => hi = mid,
            _ => lo = mid,
        }
    }
    0.5 * (lo + hi)
}

/// The lowest `count` natural frequencies (rad/s) of small vibrations about an equilibrium,
/// without those of neutral directions. The inertia of H − ω²M counts the modes below ω, so none is
/// missed; multiple modes are listed as often as they occur.
pub(super) fn frequencies(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    count: usize,
) -> Vec<f64> {
    let rod = problem.chain();
    let mass = rod.total_mass();
    if mass <= 0.0 {
        return Vec::new();
    }
    let matter = rod.matter(&state.rod);
    let mut below = |omega: f64| -> Option<usize> {
        ws.system.inertia = Some(Inertia::vibrating(&matter, omega));
        // A whisper the other way: neutral directions are below every frequency.
        let result = self::count(problem, state, ws, 0.0, -0.1 * PROXIMAL);
        ws.system.inertia = None;
        result
    };
    // A bar of the rod's stiffness and mass: the scale of its frequencies.
    let scale = (rod.stiffness[0].amax() / (mass / rod.length())).sqrt() / rod.length().powi(2);
    lowest_frequencies(&mut below, scale, count)
}

/// The lowest `count` frequencies, fewer where the budget is spent, given how many lie below any, and their scale.
pub(super) fn lowest_frequencies(
    below: &mut dyn FnMut(f64) -> Option<usize>,
    scale: f64,
    count: usize,
) -> Vec<f64> {
    let floor = below(1e-4 * scale).unwrap_or(0);
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let target = floor + list.len() + 1;
        let (mut lo, mut hi) = (list.last().copied().unwrap_or(1e-4 * scale), scale);
        while below(hi).is_none_or(|c| c < target) && hi < 1e9 * scale {
            lo = hi;
            hi *= 2.0;
        }
        for _ in 0..80 {
            if hi - lo <= 1e-10 * hi {
                break;
            }
            let mid = 0.5 * (lo + hi);
            if below(mid).is_some_and(|c| c >= target) { hi = mid } else { lo = mid }
        }
        if budget::stop().is_some() {
            break;
        }
        list.push(0.5 * (lo + hi));
    }
    list
}

/// Leaves an unstable equilibrium along its softest direction and settles in the nearest minimum.
pub(super) fn leave_unstable(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
) {
    for _ in 0..6 {
        let Some(negative) = count(problem, state, ws, -NEUTRAL, NEUTRAL) else { return };
        if negative == 0 {
            break;
        }
        let lambda = smallest(problem, state, ws, negative);
        if !soft_direction(problem, state, ws, lambda) {
            return;
        }
        let largest = ws.step.f.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        let before = state.clone();
        apply(problem, &mut state.rod, &ws.step, 0.2 / largest);
        if newton(problem, state, ws, settings, 4 * settings.max_iterations) != Outcome::Converged {
            state.copy_from(&before);
            break;
        }
    }
    ws.system.evaluate(problem, state);
}

/// Inverse iteration for the eigenvector of `lambda` into `ws.step`.
fn soft_direction(problem: &Problem, state: &mut State, ws: &mut ChainWorkspace, lambda: f64) -> bool {
    let n = problem.chain().segments();
    if count(problem, state, ws, lambda * (1.0 + 1e-5), PROXIMAL).is_none() {
        return false;
    }
    // A start without symmetry, so that no mode is missed.
    for (j, v) in ws.step.f.iter_mut().enumerate() {
        let t = j as f64;
        *v = Vec3::new((1.3 * t + 0.4).sin(), (0.7 * t * t + 0.1).cos(), (2.1 * t + 0.9).sin());
    }
    let mut image = ChainVector::zeros(n);
    for _ in 0..4 {
        stiffness_times(problem, state, &ws.step, &mut image);
        let size = image.f.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        if !(size > 0.0 && size.is_finite()) {
            return false;
        }
        for v in &mut image.f {
            *v /= size;
        }
        image.x.fill(Vec3::zeros());
        ws.bordered.solve(problem, &ws.system, &mut image, &Vec3::zeros(), &Vec3::zeros());
        std::mem::swap(&mut ws.step, &mut image);
    }
    ws.step.f.iter().all(|v| v.iter().all(|c| c.is_finite())) && ws.step.f.iter().any(|v| v.norm() > 0.0)
}

/// out = B v over the frames.
fn stiffness_times(problem: &Problem, state: &State, v: &ChainVector, out: &mut ChainVector) {
    out.clear();
    let rod = problem.chain();
    for j in 0..=rod.segments() {
        let (p, m) = rod.vertex(&state.rod, j);
        let (aa, ab, bb) = vertex::stiffness_part(&p, &m, &rod.spring[j]);
        out.f[j] += aa * v.f[j] + ab * v.f[j + 1];
        out.f[j + 1] += ab.tr_mul(&v.f[j]) + bb * v.f[j + 1];
    }
}
