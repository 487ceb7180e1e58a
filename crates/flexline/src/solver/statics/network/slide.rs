//! Friction where rope slides: stick and slip (Euler, Eytelwein).
//!
//! The tensions T1, T2 on the two sides of an eye or a wheel that the rope turns round by φ keep
//! |T2 − T1| ≤ (T1 + T2) tanh(µφ/2), which is T2 ≤ T1 e^{µφ} and the same with sides changed. Given
//! the bounds, friction has an energy, bound × way, softened over a hair's breadth, and Newton's
//! method finds what sticks and what slips. The bounds follow the tensions by a fixed-point
//! iteration.

use super::NetworkWorkspace;
use super::anderson::Anderson;
use super::model::{Network, NetworkError, Slide};
use super::newton::minimise;
use super::state::NetworkState;
use super::{NetworkReport, Settings, evaluate, wheel};
use crate::solver::report::Status;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What goes on where rope slides from one span to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EyeReport {
    /// Tension of the rope before and after the eye, N.
    pub tensions: [f64; 2],
    /// Angle the rope turns through, rad.
    pub wrap: f64,
    /// Whether friction holds the rope.
    pub sticks: bool,
    /// Rope that has passed into the span before it, m.
    pub flow: f64,
}

/// Friction against what flows: a force up to `bound`, as from a very stiff spring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rub {
    bound: f64,
    stiffness: f64,
}

impl Rub {
    /// Derivative of its energy by the way, N.
    pub(super) fn force(&self, way: f64) -> f64 {
        (self.stiffness * way).clamp(-self.bound, self.bound)
    }

    pub(super) fn energy(&self, way: f64) -> f64 {
        let way = way.abs();
        if self.stiffness * way <= self.bound {
            0.5 * self.stiffness * way * way
        } else {
            self.bound * (way - 0.5 * self.bound / self.stiffness)
        }
    }

    pub(super) fn slope(&self, way: f64) -> f64 {
        if self.sticks(way) { self.stiffness } else { 0.0 }
    }

    fn sticks(&self, way: f64) -> bool {
        self.bound > 0.0 && self.stiffness * way.abs() <= self.bound
    }
}

/// Creep of a rope that sticks, relative to its length, under the largest force.
const CREEP: f64 = 1e-8;
/// Rounds of the fixed-point iteration.
const ROUNDS: usize = 80;
/// How well bounds agree with tensions at the end, and angles with the forces, rad.
const AGREEMENT: f64 = 1e-9;

/// The tensions and wrap angles now, slide by slide; stores are left out.
pub(super) fn eyes(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace) -> Vec<EyeReport> {
    evaluate(network, state, ws);
    network.slides.iter().enumerate().filter_map(|(k, slide)| Some(look(state, ws, slide, k)?.1)).collect()
}

/// A force as large as any that may come, N: of weights, loads, tensions, bending.
fn force_scale(network: &Network, state: &NetworkState, ws: &NetworkWorkspace) -> f64 {
    let weights: f64 = network.anchors.iter().map(|a| a.mass * network.gravity.norm() + a.force.norm()).sum();
    let ropes: f64 = network.spans.iter().map(|s| s.rod.total_mass() * network.gravity.norm()).sum();
    let tensions = state.spans.iter().map(|s| s.end_force.norm()).fold(0.0, f64::max);
    ws.force_scale().max(weights + ropes).max(tensions)
}

/// The largest friction of a slide now, and what goes on there.
fn look(
    state: &NetworkState,
    ws: &NetworkWorkspace,
    slide: &Slide,
    index: usize,
) -> Option<(f64, EyeReport)> {
    let (before, after) = (slide.before?, slide.after?);
    let forces = [ws.spans[before].kernel.end_forces()?[1], ws.spans[after].kernel.end_forces()?[0]];
    let wrap = match slide.wheel {
        Some(wheel) => state.contacts[wheel][1] - state.contacts[wheel][0],
        None => forces[0].cross(&forces[1]).norm().atan2(forces[0].dot(&forces[1])),
    };
    let tensions = forces.map(|f| f.norm());
    let bound = (tensions[0].max(0.0) + tensions[1].max(0.0)) * (0.5 * slide.friction * wrap).tanh();
    let sticks = ws.rubs[index].sticks(state.ways[index]);
    Some((bound, EyeReport { tensions, wrap, sticks, flow: state.flows[index] }))
}

/// Finds the equilibrium in which every eye holds its rope: a better start where the first guess is
/// a poor one.
pub(super) fn settle(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Status, NetworkError> {
    state.ways.fill(0.0);
    let stiffness = force_scale(network, state, ws) / (CREEP * ws.longest());
    for (rub, slide) in ws.rubs.iter_mut().zip(&network.slides) {
        if slide.before.is_some() && slide.after.is_some() {
            *rub = Rub { bound: f64::INFINITY, stiffness };
        }
    }
    let report = minimise(network, state, ws, settings)?;
    ws.rubs.fill(Rub::default());
    Ok(report.status)
}

/// Solves, with friction and the places where ropes leave wheels following the forces: what sticks
/// and what slips comes out. Rope that has to slip to let the ends be reached does.
pub(super) fn solve_following(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let rubbing: Vec<usize> =
        (0..network.slides.len()).filter(|k| network.slides[*k].friction > 0.0).collect();
    let scale = force_scale(network, state, ws);
    let stiffness = scale / (CREEP * ws.longest());
    // Where it stuck before it pulls as it did.
    for (way, friction) in state.ways.iter_mut().zip(&state.friction) {
        *way = -friction / stiffness;
    }
    let start = state.clone();
    let mut placed = network.on_rims(state);
    for &k in &rubbing {
        ws.rubs[k] = Rub { bound: f64::INFINITY, stiffness };
    }
    let mut report = minimise(&placed, state, ws, settings)?;
    let mut iterations = report.iterations;
    // Farther than it may creep: it does not hold, whatever the force.
    let slipped = rubbing.iter().any(|&k| state.ways[k].abs() > 1e2 * CREEP * ws.longest());
    let mut freed = false;
    if report.status != Status::Converged || slipped {
        // No rope may pass and the ends cannot be reached: friction cannot hold. What it is comes out
        // of the tensions without it.
        report = without_friction(&mut placed, network, state, &start, ws, settings)?;
        iterations += report.iterations;
        freed = true;
    }
    // No better than tensions are found: soft shapes make more of a force that is left.
    let agreement = AGREEMENT.max(20.0 * settings.force_tolerance);
    let mut memory = Anderson::default();
    for _ in 0..ROUNDS {
        if report.status != Status::Converged {
            break;
        }
        evaluate(&placed, state, ws);
        let mut settled = true;
        // Bounds relative to the largest force, then angles.
        let (mut used, mut wanted) = (Vec::new(), Vec::new());
        for &k in &rubbing {
            let Some((bound, eye)) = look(state, ws, &network.slides[k], k) else { continue };
            let tensions = eye.tensions[0].abs() + eye.tensions[1].abs();
            let force = ws.rubs[k].force(state.ways[k]).abs();
            // What sticks may use less than it could; what slips uses all of it.
            settled &= if eye.sticks {
                force <= bound + agreement * tensions
            } else {
                (force - bound).abs() <= agreement * tensions
            };
            used.push(ws.rubs[k].bound / scale);
            wanted.push(bound / scale);
        }
        // In motion the places have followed already.
        let used_bounds = used.len();
        for (slide, wheel) in wheel::over(network).filter(|_| ws.parts.is_none()) {
            let (now, next) = (state.contacts[wheel], wheel::leaving(&placed, state, ws, slide, wheel));
            settled &= (0..2).all(|i| (now[i] - next[i]).abs() <= agreement);
            used.extend(now);
            wanted.extend(next);
        }
        if settled {
            for &k in &rubbing {
                state.friction[k] = -ws.rubs[k].force(state.ways[k]);
            }
            report.iterations = iterations;
            report.eyes = eyes(&placed, state, ws);
            ws.rubs.fill(Rub::default());
            return Ok(report);
        }
        let next = if used.iter().all(|b| b.is_finite()) { memory.next(&used, &wanted) } else { wanted };
        for (&k, bound) in rubbing.iter().zip(&next) {
            ws.rubs[k].bound = scale * bound.max(0.0);
        }
        for ((slide, wheel), next) in wheel::over(network).zip(next[used_bounds..].chunks_exact(2)) {
            wheel::move_contact(placed.to_mut(), state, slide, wheel, [next[0], next[1]]);
        }
        report = minimise(&placed, state, ws, settings)?;
        iterations += report.iterations;
        if report.status != Status::Converged && !freed {
            // Rope that sticks and is taut leaves no room to follow in: come from the other side.
            report = without_friction(&mut placed, network, state, &start, ws, settings)?;
            iterations += report.iterations;
            memory = Anderson::default();
            freed = true;
        }
    }
    report.iterations = iterations;
    if report.status == Status::Converged {
        report.status = Status::IterationLimit;
        *state = start;
    }
    ws.rubs.fill(Rub::default());
    Ok(report)
}

/// Begins anew from `start` with every rope free to slip.
fn without_friction<'a>(
    placed: &mut Cow<'a, Network>,
    network: &'a Network,
    state: &mut NetworkState,
    start: &NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    state.clone_from(start);
    *placed = network.on_rims(state);
    for rub in &mut ws.rubs {
        rub.bound = 0.0;
    }
    minimise(placed, state, ws, settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_has_the_energy_it_says() {
        let rub = Rub { bound: 2.0, stiffness: 1e4 };
        for way in [-0.5, -1e-4, 0.0, 5e-5, 0.2] {
            let h = 1e-7;
            let numeric = (rub.energy(way + h) - rub.energy(way - h)) / (2.0 * h);
            assert!((numeric - rub.force(way)).abs() < 1e-6, "{way}");
            let numeric = (rub.force(way + h) - rub.force(way - h)) / (2.0 * h);
            assert!((numeric - rub.slope(way)).abs() < 1e-3, "{way}");
        }
        assert_eq!(Rub::default().force(0.4), 0.0);
    }
}
