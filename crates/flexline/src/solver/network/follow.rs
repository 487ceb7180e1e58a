//! What follows the forces: the limits of friction, and where ropes leave their wheels.
//!
//! Neither comes from an energy. Both are held while Newton's method finds the equilibrium, and then
//! follow its forces, round by round: a fixed-point iteration with Anderson's acceleration. A round
//! that asks for more than Newton's method can follow goes half of the way.

use super::anderson::Anderson;
use super::contact::is_free;
use super::model::{Network, NetworkError};
use super::newton::minimise;
use super::slide::{add_eyes, look};
use super::state::NetworkState;
use super::{NetworkReport, NetworkWorkspace, Settings, evaluate, wheel};
use crate::joint::FrictionLaw;
use crate::solver::report::Status;
use std::borrow::Cow;

/// Creep of a rope that sticks, relative to its length, under the largest force.
const CREEP: f64 = 1e-8;
/// Rounds of the fixed-point iteration.
const ROUNDS: usize = 80;
/// Halvings of a round that cannot be followed.
const HALVINGS: usize = 8;
/// How well bounds agree with tensions at the end, and angles with the forces, rad.
const AGREEMENT: f64 = 1e-9;

/// A force as large as any that may come, N: of weights, loads, tensions, bending.
fn force_scale(network: &Network, state: &NetworkState, ws: &NetworkWorkspace) -> f64 {
    let weights: f64 = network.anchors.iter().map(|a| a.mass * network.gravity.norm() + a.force.norm()).sum();
    let ropes: f64 = network.spans.iter().map(|s| s.rod.total_mass() * network.gravity.norm()).sum();
    let tensions = state.spans.iter().map(|s| s.end_force.norm()).fold(0.0, f64::max);
    ws.force_scale().max(weights + ropes).max(tensions)
}

/// Finds the equilibrium in which every eye holds its rope: a better start where the first guess is
/// a poor one.
pub(in crate::solver) fn settle(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Status, NetworkError> {
    state.slips.fill(0.0);
    let stiffness = force_scale(network, state, ws) / (CREEP * ws.longest());
    for (law, slide) in ws.friction_laws.iter_mut().zip(&network.slides) {
        if slide.before.is_some() && slide.after.is_some() {
            *law = FrictionLaw { bound: f64::INFINITY, stiffness };
        }
    }
    let report = minimise(network, state, ws, settings)?;
    ws.friction_laws.fill(FrictionLaw::default());
    Ok(report.status)
}

/// What is held in one round, and what its forces ask for: limits of friction relative to the largest
/// force, then for either side of every wheel an angle, and what its bend takes up in radii.
struct Round {
    held: Vec<f64>,
    wanted: Vec<f64>,
    /// Whether they agree.
    settled: bool,
}

/// The network with its ropes on the rims, and what it takes to follow.
struct Following<'a> {
    network: &'a Network,
    placed: Cow<'a, Network>,
    /// The slides with friction.
    rough: Vec<usize>,
    /// The largest force, N.
    scale: f64,
    agreement: f64,
}

impl Following<'_> {
    /// Holds the rope in every eye with friction up to a bound, N.
    fn hold(&self, ws: &mut NetworkWorkspace, bound: impl Fn(usize) -> f64) {
        let stiffness = self.scale / (CREEP * ws.longest());
        for &k in &self.rough {
            ws.friction_laws[k] = FrictionLaw { bound: bound(k), stiffness };
        }
    }

    fn look(&self, state: &mut NetworkState, ws: &mut NetworkWorkspace) -> Round {
        evaluate(&self.placed, state, ws);
        let mut round = Round { held: Vec::new(), wanted: Vec::new(), settled: true };
        for &k in &self.rough {
            let Some(look) = look(&self.placed, state, ws, &self.network.slides[k], k) else { continue };
            let (bound, forces) = (look.bound, look.forces);
            let force = ws.friction_laws[k].force(state.slips[k]).abs();
            // What sticks may use less than it could; what slips uses all of it.
            round.settled &= if look.report.sticks {
                force <= bound + self.agreement * forces
            } else {
                (force - bound).abs() <= self.agreement * forces
            };
            round.held.push(ws.friction_laws[k].bound / self.scale);
            round.wanted.push(bound / self.scale);
        }
        // In motion the places have followed already.
        for (slide, wheel) in wheel::over(self.network).filter(|_| ws.parts.is_none()) {
            let radius = self.network.wheels[wheel].radius;
            let now = wheel::here(&self.placed, state, slide, wheel);
            let next = wheel::leaving(&self.placed, state, ws, slide, wheel);
            for (now, next) in now.into_iter().zip(next) {
                round.settled &= (now.angle - next.angle).abs() <= self.agreement
                    && (now.taken - next.taken).abs() <= self.agreement * radius;
                round.held.extend([now.angle, now.taken / radius]);
                round.wanted.extend([next.angle, next.taken / radius]);
            }
        }
        round
    }

    /// Holds what the next round is to hold; false where rope that moves along its wheels would go through something.
    fn put(&mut self, state: &mut NetworkState, ws: &mut NetworkWorkspace, next: &[f64]) -> bool {
        let before = self.network.has_contact().then(|| ws.copy_of(state));
        for (&k, bound) in self.rough.iter().zip(next) {
            ws.friction_laws[k].bound = self.scale * bound.max(0.0);
        }
        let sides = next[self.rough.len()..].chunks_exact(4);
        for ((slide, wheel), next) in wheel::over(self.network).zip(sides) {
            let radius = self.network.wheels[wheel].radius;
            let placed = self.placed.to_mut();
            wheel::take_up(placed, state, slide, [radius * next[1], radius * next[3]]);
            wheel::move_contact(placed, state, slide, wheel, [next[0], next[2]]);
        }
        let Some(before) = before else { return true };
        ws.set_ends(&self.placed, state);
        let free = is_free(&self.placed, &before, state, ws);
        ws.leave(before);
        free
    }
}

/// Solves, with friction and the places where ropes leave wheels following the forces: what sticks
/// and what slips comes out. Rope that has to slip to let the ends be reached does.
pub(in crate::solver) fn solve_following(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let mut own = Following {
        network,
        placed: network.on_rims(state),
        rough: (0..network.slides.len()).filter(|k| network.slides[*k].friction > 0.0).collect(),
        scale: force_scale(network, state, ws),
        // No better than tensions are found: soft shapes make more of a force that is left.
        agreement: AGREEMENT.max(20.0 * settings.force_tolerance),
    };
    // Where it stuck before it pulls as it did. In motion the first guess has let rope flow already.
    let creep = CREEP * ws.longest();
    let flowed: Vec<f64> = match &ws.flows_before {
        Some(before) => state.flows.iter().zip(before).map(|(now, then)| now - then).collect(),
        None => vec![0.0; state.flows.len()],
    };
    for ((way, friction), flowed) in state.slips.iter_mut().zip(&state.friction).zip(&flowed) {
        *way = flowed - friction * creep / own.scale;
    }
    let start = state.clone();
    // What ran goes on slipping, with the friction that it had.
    let runs = |k: usize| flowed[k].abs() > 1e2 * creep;
    own.hold(ws, |k| if runs(k) { start.friction[k].abs() } else { f64::INFINITY });
    let mut report = minimise(&own.placed, state, ws, settings)?;
    let mut iterations = report.iterations;
    // Farther than it may creep: it does not hold, whatever the force.
    let slipped = own.rough.iter().any(|&k| !runs(k) && state.slips[k].abs() > 1e2 * creep);
    if report.status == Status::Converged && !slipped {
        report = rounds(&mut own, state, ws, settings, &mut iterations, report)?;
    }
    let unsettled = report.status != Status::Converged || slipped;
    if let Some(stop) = ws.stop().filter(|_| unsettled) {
        report.status = stop;
    } else if unsettled {
        // No rope may pass and the ends cannot be reached, or the way from there is blocked: rope that
        // sticks and is taut leaves no room. What friction is comes out of the tensions without it.
        state.clone_from(&start);
        own.placed = network.on_rims(state);
        own.hold(ws, |_| 0.0);
        report = minimise(&own.placed, state, ws, settings)?;
        iterations += report.iterations;
        if report.status == Status::Converged {
            report = rounds(&mut own, state, ws, settings, &mut iterations, report)?;
        }
    }
    if report.status == Status::Converged {
        for &k in &own.rough {
            state.friction[k] = -ws.friction_laws[k].force(state.slips[k]);
        }
        evaluate(&own.placed, state, ws);
        report.eyes.clear();
        add_eyes(&own.placed, state, ws, &mut report.eyes);
    } else if matches!(report.status, Status::IterationLimit | Status::OutOfTime | Status::Cancelled) {
        *state = start;
    }
    report.iterations = iterations;
    ws.friction_laws.fill(FrictionLaw::default());
    Ok(report)
}

/// Round after round from an equilibrium, until what is held is what the forces ask for.
fn rounds(
    own: &mut Following,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    iterations: &mut usize,
    mut report: NetworkReport,
) -> Result<NetworkReport, NetworkError> {
    let mut memory = Anderson::default();
    for _ in 0..ROUNDS {
        let Round { held, wanted, settled } = own.look(state, ws);
        if settled {
            return Ok(report);
        }
        if let Some(stop) = ws.stop() {
            report.status = stop;
            return Ok(report);
        }
        let finite = held.iter().all(|x| x.is_finite());
        let mut next = if finite { memory.next(&held, &wanted) } else { wanted };
        let before = state.clone();
        for halvings in 0.. {
            if own.put(state, ws, &next) {
                report = minimise(&own.placed, state, ws, settings)?;
                *iterations += report.iterations;
            } else {
                report.status = Status::NoProgress;
            }
            if report.status == Status::Converged {
                break;
            }
            if halvings == HALVINGS || ws.stop().is_some() {
                return Ok(report);
            }
            // What was learnt on the way to here does not hold there.
            memory = Anderson::default();
            state.clone_from(&before);
            own.placed = own.network.on_rims(state);
            for (next, held) in next.iter_mut().zip(&held).filter(|(_, held)| held.is_finite()) {
                *next = 0.5 * (*next + held);
            }
        }
    }
    report.status = Status::IterationLimit;
    Ok(report)
}
