//! Newton's method on the reduced system of a network.

use super::assemble::{
    Residual, choose_rows, evaluate, evaluate_rows, factorise, norms, reduced_right_side, residual,
};
use super::merit::Merit;
use super::model::{Network, NetworkError};
use super::modes::releases;
use super::span::SpanSystem;
use super::state::NetworkState;
use super::unknowns::Slot;
use super::{NetworkReport, NetworkWorkspace, blocked, contact, report};
use crate::body::Pose;
use crate::constraint::Sense;
use crate::rod::State;
use crate::solver::report::Status;
use crate::solver::settings::Settings;

/// Shift beyond which a direction that leads nowhere is given up, relative to what bending and forces make of it.
const LARGEST_SHIFT: f64 = 1e4;
/// Largest rotation of a frame in one step, rad.
const MAX_TURN: f64 = 1.0;
/// Largest change of angle between neighbouring frames in one step, rad.
const MAX_BEND: f64 = 0.6;
/// Cost of a solve, or of a look ahead, beside a factorisation.
const SOLVE: f64 = 0.3;
/// Weight of what is missing that a step may ask for, relative to what it has.
const STEEPEST: f64 = 1e6;
/// Steps in a row that may slide by more than a length before it is taken that nothing holds it.
const AWAY: usize = 3;
/// What is left of the residual, relative to the largest force, below which Newton's method proper is tried.
const NEAR: f64 = 1e-2;
/// And among contacts, after so many shifted steps in a row.
const BESIDE: f64 = 0.1;
const CREEPING: usize = 8;
/// How much more stiffness rough contacts get at a time, where that was enough, and the most of it, beside the least.
const STIFFER: f64 = 10.0;
const AMPLE: f64 = 10.0;
const STIFFEST: f64 = 1e7;
/// A quarter of the Newton iterations that are tried with the least of it.
const SHORT: usize = 6;
/// A search of what is led among contacts, whose forces have grown so many times, leads nowhere.
const STRAINED: f64 = 1e10;
/// Shifts that are tried to make the form with contacts that of a minimum, before the one without what softens has to do.
const PATIENT: usize = 8;
/// A step that turns anything by more than this, rad, comes from a pivot that vanished.
const ABSURD: f64 = 1e4;

/// Finds an equilibrium with the largest friction of every slide given: a minimum, as far as loads have a potential.
/// Where some have none and that leads nowhere, any equilibrium will do: no energy tells them apart.
pub(in crate::solver) fn minimise(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    if ws.parts.is_some() || !network.has_turning_loads() {
        return descend(network, state, ws, settings);
    }
    let before = ws.copy_of(state);
    let report = descend(network, state, ws, settings)?;
    if report.status == Status::Converged || ws.stop().is_some() || settings.max_iterations == 0 {
        ws.leave(before);
        return Ok(report);
    }
    let mut again = before;
    if let Some(found) = by_residual(network, &mut again, ws, settings)? {
        *state = again;
        return Ok(NetworkReport { iterations: report.iterations + found.iterations, ..found });
    }
    evaluate(network, state, ws);
    Ok(report)
}

/// Newton's method downhill. One-sided constraints take part as they must: which ones is decided anew in every
/// iteration (primal–dual active set).
fn descend(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let mut good = ws.copy_of(state);
    let is_rough = network.has_friction() && ws.parts.is_none() && settings.max_iterations > 0;
    let before = is_rough.then(|| ws.copy_of(state));
    // Where rough contacts are as soft as may be, a search is short or leads nowhere: then they are as stiff as the rod.
    let quick = Settings { max_iterations: settings.max_iterations.min(SHORT), ..*settings };
    let ways = [(1.0, &quick), (STIFFEST, settings), (1.0, settings)];
    let mut iterations = 0;
    let mut found = Ok(None);
    for (support, settings) in if is_rough { &ways[..] } else { &ways[2..] } {
        if let Some(before) = before.as_ref().filter(|_| iterations > 0) {
            state.copy_from(before);
        }
        let next = descend_from(network, state, &mut good, ws, settings, *support);
        let ends =
            next.as_ref().map_or(true, |report| report.status == Status::Converged) || ws.stop().is_some();
        found = next.map(|report| {
            iterations += report.iterations;
            Some(NetworkReport { iterations, ..report })
        });
        if ends {
            break;
        }
    }
    before.into_iter().for_each(|before| ws.leave(before));
    ws.leave(good);
    found.map(|report| report.unwrap_or_else(NetworkReport::empty))
}

/// The same, where rough contacts begin with so much stiffness beside the least; `good` is where the last step came from, and
/// room for the next.
fn descend_from(
    network: &Network,
    state: &mut NetworkState,
    good: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    support: f64,
) -> Result<NetworkReport, NetworkError> {
    state.hold(network);
    if network.has_contact() && state.anchors != good.anchors {
        // What is held is put where the network has it: a step as any other.
        ws.set_ends(network, state);
        if !contact::is_free(network, good, state, ws) {
            state.copy_from(good);
            return Ok(blocked(network, state, ws));
        }
    }
    good.copy_from(state);
    let mut shift = 0.0;
    let mut iterations = 0;
    let mut rho = ws.least_penalty();
    let mut evaluated = false;
    ws.contacts.begin_search(support);
    // Whether the last step led nowhere without more of a shift.
    let mut leans = false;
    let (mut away, mut bearable) = (0, f64::INFINITY);
    // Newton's method proper is tried where it is near, for loads without potential.
    let mut near = if ws.parts.is_none() && network.has_turning_loads() { NEAR } else { 0.0 };
    // So it is beside an unstable equilibrium among contacts, to which shifted steps creep: it is told, or left from there.
    let (mut shifted, mut beside) =
        (0, if ws.parts.is_none() && network.has_contact() { BESIDE } else { 0.0 });
    loop {
        if !std::mem::take(&mut evaluated) {
            evaluate(network, state, ws);
        }
        choose_rows(state, ws, rho);
        let residual = residual(network, state, ws);
        let norms = norms(network, state, ws, &residual);
        if !(norms.force.is_finite() && norms.gap.is_finite()) {
            state.copy_from(good);
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::NumericalFailure, iterations, 0));
        }
        if norms.force <= (settings.force_tolerance * norms.largest).max(norms.round_off)
            && norms.gap <= settings.position_tolerance * norms.length
        {
            // In motion an unstable shape is on its way: nobody asks.
            let negative = if ws.parts.is_some() { 0 } else { releases(network, state, ws) };
            ws.leave_residual(residual);
            // The factors at hand predict the next move.
            ws.factored = negative == 0;
            return Ok(report(network, state, ws, Status::Converged, iterations, negative));
        }
        if norms.left() < near || (shifted >= CREEPING && norms.left() < beside) {
            near = near.min(0.1 * norms.left());
            beside = beside.min(0.1 * norms.left());
            good.copy_from(state);
            if let Some(report) = by_residual(network, state, ws, settings)? {
                return Ok(NetworkReport { iterations: iterations + report.iterations, ..report });
            }
            state.copy_from(good);
            evaluate(network, state, ws);
            choose_rows(state, ws, rho);
        }
        if iterations == 0 && ws.contacts.is_led {
            bearable = STRAINED * norms.largest.max(ws.piece_force_scale(network));
        }
        if norms.largest > bearable {
            state.copy_from(good);
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::NoProgress, iterations, 0));
        }
        // However little time there is, one step is made: who asks again and again comes to the end.
        let stop = ws.stop().filter(|stop| iterations > 0 || *stop == Status::Cancelled);
        let limit = (iterations >= 4 * settings.max_iterations).then_some(Status::IterationLimit);
        if let Some(status) = stop.or(limit) {
            state.copy_from(good);
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, status, iterations, 0));
        }
        iterations += 1;
        // Missing an end by a share of the length shall cost what its force would do over it.
        // What one step asked for more is forgotten by and by: it would keep all others short.
        rho = (0.1 * rho).max(norms.largest / norms.length).max(ws.least_penalty());

        if find_support(network, state, ws, rho) && !leans {
            shift = 0.0;
        }
        let Some(used) = factorise_as_minimum(network, state, ws, &residual, shift) else {
            return Ok(report(network, state, ws, Status::NumericalFailure, iterations, 0));
        };
        shift = if used < 1e-3 { 0.0 } else { used / 8.0 };
        shifted = if used > 0.0 { shifted + 1 } else { 0 };
        newton_step(network, state, ws, &residual);
        away = if ws.contacts.runs_away(norms.length) { away + 1 } else { 0 };
        if away > AWAY {
            ws.leave_residual(residual);
            state.copy_from(good);
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::NoProgress, iterations, 0));
        }
        let share = ws.contacts.damped(norms.left());
        let search = line_search(network, state, good, ws, &residual, (used, &mut rho, share));
        ws.leave_residual(residual);
        match search {
            Search::Found => leans = false,
            Search::Evaluated => (evaluated, leans) = (true, false),
            Search::Nothing => {
                leans = true;
                good.copy_from(state);
                shift = (8.0 * used).max(0.1);
                // Limp rods have to lean on a multiple of their stiffness that is as large as their forces.
                if shift > LARGEST_SHIFT * (1.0 + norms.largest / ws.least_force_scale()) {
                    evaluate(network, state, ws);
                    return Ok(report(network, state, ws, Status::NoProgress, iterations, 0));
                }
            }
        }
    }
}

/// Newton's method as it is, whatever the inertia: every step must leave less of the residual than there was.
/// `None`, and no state to speak of, where one does not.
fn by_residual(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<Option<NetworkReport>, NetworkError> {
    let mut trial = ws.copy_of(state);
    let found = steps_by_residual(network, state, &mut trial, ws, settings);
    ws.leave(trial);
    Ok(found)
}

/// The same, with room for a trial.
fn steps_by_residual(
    network: &Network,
    state: &mut NetworkState,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Option<NetworkReport> {
    state.hold(network);
    let rho = ws.least_penalty();
    evaluate(network, state, ws);
    for iterations in 0..settings.max_iterations {
        choose_rows(state, ws, rho);
        let residual = residual(network, state, ws);
        let norms = norms(network, state, ws, &residual);
        let here = norms.left();
        if norms.force <= (settings.force_tolerance * norms.largest).max(norms.round_off)
            && norms.gap <= settings.position_tolerance * norms.length
        {
            let negative = releases(network, state, ws);
            ws.factored = false;
            ws.leave_residual(residual);
            return Some(report(network, state, ws, Status::Converged, iterations, negative));
        }
        if !here.is_finite() || ws.stop().is_some() || factorise(network, state, ws, 0.0).is_none() {
            return None;
        }
        contact::take_whole(state, ws, &residual);
        newton_step(network, state, ws, &residual);
        ws.leave_residual(residual);
        let (turn, bend) = largest_turn(ws);
        if turn.is_nan() || turn > ABSURD {
            return None;
        }
        let merit = Merit::new(network, state, ws);
        let scale = 1f64.min(MAX_TURN / turn).min(MAX_BEND / bend).min(flow_limit(network, state, ws));
        let shorter = (0..HALVINGS).map(|k| scale * 0.5f64.powi(k)).find(|scale| {
            look_ahead(network, state, trial, ws, &merit, *scale);
            contact::is_free(network, state, trial, ws)
                && left(network, trial, ws, rho) < (1.0 - 0.1 * scale) * here
        });
        ws.leave_merit(merit);
        shorter?;
        std::mem::swap(state, trial);
    }
    None
}

/// Largest rotation of the step, and largest change of angle between neighbours, rad.
pub(in crate::solver) fn largest_turn(ws: &NetworkWorkspace) -> (f64, f64) {
    let (mut turn, mut bend) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE);
    for span in &ws.spans {
        let (t, b) = span.step_size();
        turn = if t.is_nan() { t } else { turn.max(t) };
        bend = bend.max(b);
    }
    for slot in ws.unknowns.anchors.iter().flat_map(|slots| &slots[..3]).flatten() {
        turn = turn.max(ws.solution[slot.flat].abs());
    }
    (turn, bend)
}

/// Solves for the step of the reduced unknowns. What is below the force and gap of `quiet`, with the length
/// that makes moments forces, is let be.
pub(in crate::solver) fn reduced_step(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    quiet: Option<((f64, f64), f64)>,
) {
    reduced_right_side(state, ws, residual);
    if let Some(((force, gap), length)) = quiet {
        drop_within_tolerance(ws, force, gap, length);
    }
    ws.matrix.solve(&ws.unknowns.pattern, &mut ws.solution);
}

/// Makes the right-hand side zero wherever all that is coupled is below a force and a gap.
fn drop_within_tolerance(ws: &mut NetworkWorkspace, force: f64, gap: f64, length: f64) {
    let NetworkWorkspace { spans, unknowns, solution: b, roots, above_tolerance, .. } = ws;
    above_tolerance.clear();
    above_tolerance.resize(roots.len(), false);
    let mut hear = |slot: &Slot, size: f64| {
        above_tolerance[roots[slot.group]] |= b[slot.flat].abs() > size || b[slot.flat].is_nan()
    };
    for slots in &unknowns.anchors {
        slots[..3].iter().flatten().for_each(|slot| hear(slot, force * length));
        slots[3..].iter().flatten().for_each(|slot| hear(slot, force));
    }
    for slots in spans.iter().filter_map(SpanSystem::force_slots) {
        slots.iter().for_each(|slot| hear(slot, gap));
    }
    unknowns.rows.iter().for_each(|slot| hear(slot, gap));
    unknowns.slides.iter().for_each(|slot| hear(slot, force));
    for (group, root) in roots.iter().enumerate() {
        if !above_tolerance[*root] {
            b[unknowns.pattern.range(group)].fill(0.0);
        }
    }
}

/// Solves for the step of every span and of the reduced unknowns.
pub(in crate::solver) fn newton_step(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
) {
    contact::step(network, state, ws, residual);
}

/// The same with the symmetric matrix alone.
pub(in crate::solver) fn plain_step(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    reduced_step(state, ws, residual, None);
    ws.work += SOLVE * ws.cost();
    for span in &mut ws.spans {
        span.back_substitute(&ws.solution);
    }
}

/// Factorises with the smallest shift found that makes the form positive on the constraint
/// tangent; returns that shift.
fn factorise_as_minimum(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    first: f64,
) -> Option<f64> {
    let mut shift = first;
    for tried in 0..40 {
        if let Some(negative) = factorise(network, state, ws, shift) {
            let negative = usize::try_from(negative).unwrap_or(0);
            if contact::is_minimum(state, ws, residual, negative) || (negative == 0 && tried >= PATIENT) {
                return Some(shift);
            }
        }
        shift = if shift == 0.0 { 1e-2 } else { 4.0 * shift };
    }
    None
}

/// Gives rough contacts so much stiffness in the matrix that its form is positive, or leaves them what they have where none of
/// it helps; whether it does.
fn find_support(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace, rho: f64) -> bool {
    let Some(first) = ws.contacts.support() else { return false };
    let set = |state: &mut NetworkState, ws: &mut NetworkWorkspace, support: f64| {
        ws.contacts.set_support(support);
        evaluate(network, state, ws);
        choose_rows(state, ws, rho);
    };
    let mut now = first;
    while factorise(network, state, ws, 0.0).is_none_or(|negative| negative > 0) {
        if now >= STIFFEST {
            set(state, ws, first);
            return false;
        }
        now *= STIFFER;
        set(state, ws, now);
    }
    // Where nearly nothing would keep it a minimum, more is left in.
    if now > first {
        set(state, ws, AMPLE * now);
    }
    true
}

/// The largest step that leaves every span half of its length.
fn flow_limit(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace) -> f64 {
    let mut shrinks = ws.zeros(if network.slides.is_empty() { 0 } else { state.lengths.len() });
    for (slide, slot) in network.slides.iter().zip(&ws.unknowns.slides) {
        let flow = ws.solution[slot.flat];
        for (span, sign) in [(slide.before, -1.0), (slide.after, 1.0)] {
            if let Some(k) = span {
                shrinks[k] += sign * flow;
            }
        }
    }
    let most = |(shrinks, length): (&f64, &f64)| 0.5 * length / shrinks.max(f64::MIN_POSITIVE);
    let limit = shrinks.iter().zip(&state.lengths).map(most).fold(f64::INFINITY, f64::min);
    ws.leave_numbers(shrinks);
    limit
}

/// How a search along a step ended.
enum Search {
    /// Nowhere.
    Nothing,
    /// At a better state.
    Found,
    /// There, and the workspace has evaluated it.
    Evaluated,
}

/// Takes the step of the workspace as far as it leads downhill, and leaves where it came from in `trial`.
fn line_search(
    network: &Network,
    state: &mut NetworkState,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    how: (f64, &mut f64, f64),
) -> Search {
    let merit = Merit::new(network, state, ws);
    let found = search_along(network, state, trial, ws, residual, &merit, how);
    ws.leave_merit(merit);
    found
}

/// The same for a step that is judged by `merit`.
fn search_along(
    network: &Network,
    state: &mut NetworkState,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    merit: &Merit,
    (shift, rho, share): (f64, &mut f64, f64),
) -> Search {
    let (fixed, gaps) = merit.slope(state, ws, residual, *rho);
    let noise = ws.contacts.noise(ws.longest())
        + 1e-12 * ws.spans.iter().zip(&state.spans).map(|(s, own)| s.kernel.energy_scale(own)).sum::<f64>();
    // Friction holds what lies still: round-off is all that a step has left to go by.
    let is_still = ws.contacts.has_friction() && fixed.abs().max((*rho * gaps).abs()) <= noise;
    // A step that climbs while next to nothing is missing is no step: the pivots were poor.
    if fixed > STEEPEST * *rho * gaps && !is_still {
        return Search::Nothing;
    }
    let mut slope = fixed - *rho * gaps;
    if gaps > 0.0 && 2.0 * fixed > *rho * gaps && !is_still {
        *rho = 2.0 * fixed / gaps;
        // One-sided rows take part by the penalty.
        let (fixed, gaps) = merit.slope(state, ws, residual, *rho);
        slope = fixed - *rho * gaps;
    }
    let (turn, bend) = largest_turn(ws);
    if turn.is_nan() || turn > ABSURD {
        return Search::Nothing;
    }
    let scale = share.min(MAX_TURN / turn).min(MAX_BEND / bend).min(flow_limit(network, state, ws));
    let found = if slope.abs() <= noise {
        search_by_residual(network, state, trial, ws, merit, *rho, (scale, shift > 0.0))
    } else {
        search_by_merit(network, state, trial, ws, merit, *rho, (scale, slope, noise))
    };
    if !matches!(found, Search::Nothing) {
        std::mem::swap(state, trial);
        return found;
    }
    // What holds one-sided rows together may change even where nothing can move.
    for (k, multiplier) in merit.multipliers.iter().enumerate() {
        match ws.senses[k] {
            Sense::Equal => {}
            Sense::AtMost => state.multipliers[k] = multiplier.min(0.0),
            Sense::AtLeast => state.multipliers[k] = multiplier.max(0.0),
        }
    }
    found
}

/// Halvings of a step before it is given up.
const HALVINGS: i32 = 14;

/// Makes `trial` the state `scale` steps ahead, with the multipliers that the step asks for; `then` sees
/// every span while it is at hand.
fn go_ahead(
    network: &Network,
    (state, trial): (&NetworkState, &mut NetworkState),
    ws: &mut NetworkWorkspace,
    merit: &Merit,
    scale: f64,
    mut then: impl FnMut(usize, &mut SpanSystem, &[Pose], &mut State),
) {
    ws.work += SOLVE * ws.cost();
    trial.advance_from(state, network, ws, scale, |k, span, anchors, own| {
        own.end_force += scale * (merit.forces[k] - own.end_force);
        own.end_moment += scale * (merit.moments[k] - own.end_moment);
        then(k, span, anchors, own);
    });
    for (own, multiplier) in trial.multipliers.iter_mut().zip(&merit.multipliers) {
        *own += scale * (multiplier - *own);
    }
    ws.contacts.forces_ahead(scale, &mut trial.contact_forces);
}

/// Makes `trial` the state `scale` steps ahead and evaluates it.
pub(in crate::solver) fn look_ahead(
    network: &Network,
    state: &NetworkState,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    merit: &Merit,
    scale: f64,
) {
    if ws.contacts.is_empty() {
        ws.reduced = false;
        go_ahead(network, (state, trial), ws, merit, scale, |k, span, anchors, own| {
            span.evaluate(network, &network.spans[k], anchors, own);
        });
        evaluate_rows(network, trial, ws);
    } else {
        go_ahead(network, (state, trial), ws, merit, scale, |_, _, _, _| {});
        evaluate(network, trial, ws);
    }
}

/// Leaves in `trial` the first of ever shorter steps that lowers the merit; false where none does.
fn search_by_merit(
    network: &Network,
    state: &NetworkState,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    merit: &Merit,
    rho: f64,
    (scale, slope, noise): (f64, f64, f64),
) -> Search {
    let mut rows = std::mem::take(&mut ws.trial_rows);
    let start = merit.value(network, state, ws, &mut rows, rho, None);
    let found = (0..HALVINGS).map(|k| scale * 0.5f64.powi(k)).any(|scale| {
        let mut value = 0.0;
        go_ahead(network, (state, trial), ws, merit, scale, |k, span, anchors, own| {
            value += merit.within(network, k, span, anchors, own, (rho, Some(scale)));
        });
        value += merit.outside(network, trial, ws, &mut rows, rho, Some(scale));
        value <= start + 1e-4 * scale * slope + noise && contact::is_free(network, state, trial, ws)
    });
    ws.trial_rows = rows;
    if found { Search::Found } else { Search::Nothing }
}

/// Where the merit cannot tell a difference, what is left of the residual decides: the first of ever
/// shorter steps that takes a tenth of it away, or else the best of them, is left in `trial`. Where the form had to be
/// shifted, that is beside a saddle, which the whole step leaves while its residual grows.
fn search_by_residual(
    network: &Network,
    state: &mut NetworkState,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    merit: &Merit,
    rho: f64,
    (scale, saddle): (f64, bool),
) -> Search {
    // Rows that let go there hold on here.
    let mut best = ws.copy_of(state);
    let here = left(network, state, ws, rho);
    state.multipliers.clone_from(&best.multipliers);
    let found = best_by_residual(network, (state, trial, &mut best), ws, merit, rho, (scale, saddle, here));
    ws.leave(best);
    found
}

/// The same, given what is left here and room for the best.
fn best_by_residual(
    network: &Network,
    (state, trial, best): (&NetworkState, &mut NetworkState, &mut NetworkState),
    ws: &mut NetworkWorkspace,
    merit: &Merit,
    rho: f64,
    (scale, saddle, here): (f64, bool, f64),
) -> Search {
    let mut least = f64::INFINITY;
    for k in 0..HALVINGS {
        look_ahead(network, state, trial, ws, merit, scale * 0.5f64.powi(k));
        if !contact::is_free(network, state, trial, ws) {
            continue;
        }
        let there = left(network, trial, ws, rho);
        if there < 0.9 * here {
            return Search::Evaluated;
        }
        if there < least {
            least = there;
            best.copy_from(trial);
        }
    }
    if saddle && least < f64::INFINITY {
        look_ahead(network, state, trial, ws, merit, scale);
        if contact::is_free(network, state, trial, ws) {
            return Search::Found;
        }
    }
    if least == f64::INFINITY {
        return Search::Nothing;
    }
    trial.copy_from(best);
    Search::Found
}

/// What is left of the residual at the state of the last evaluation, relative to the largest force and the
/// length.
fn left(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace, rho: f64) -> f64 {
    choose_rows(state, ws, rho);
    let residual = residual(network, state, ws);
    let left = norms(network, state, ws, &residual).left();
    ws.leave_residual(residual);
    left
}

#[cfg(test)]
mod tests {
    use super::super::{solve_network, testing};
    use super::*;
    use crate::algebra::{Vec3, rotation};
    use crate::contact::{Obstacle, Shape};

    /// With every kind of thing that a network may hold.
    #[test]
    fn a_newton_step_is_exact_to_first_order() {
        for (name, mut network) in testing::networks() {
            testing::make_equal(&mut network);
            let mut state = testing::disturbed(&network, 0.05);
            let mut ws = NetworkWorkspace::new(&network);
            testing::check_newton(&name, &network, &mut state, &mut ws);
            // And with what acts at points.
            let (mut state, mut ws) = (testing::disturbed(&network, 0.05), NetworkWorkspace::new(&network));
            testing::tap(&mut network, &state, &mut ws);
            testing::check_newton(&format!("{name}, tapped"), &network, &mut state, &mut ws);
        }
    }

    /// An anchor that is put beyond a wall would take its rod through it: nothing moves, and the report says so.
    #[test]
    fn what_is_held_does_not_jump_through_anything() {
        for model in testing::MODELS {
            let mut network = testing::cantilever(model, 40);
            network.spans[0].contact_radius = 0.01;
            let pose = Pose { position: Vec3::z() * 0.3, orientation: rotation::identity() };
            let shape = Shape::Box { half: Vec3::new(2.0, 2.0, 0.01) };
            network.obstacles.push(Obstacle { shape, pose, friction: 0.0 });
            let settings = Settings::default();
            let (mut state, mut ws) = (NetworkState::initial(&network), NetworkWorkspace::new(&network));
            let first = solve_network(&network, &mut state, &mut ws, &settings).expect("sound");
            assert_eq!(first.status, Status::Converged, "{model}");
            let before = state.clone();
            network.anchors[0].pose.position.z += 0.6;
            let report = minimise(&network, &mut state, &mut ws, &settings).expect("sound");
            assert_eq!(report.status, Status::NoProgress, "{model}");
            assert_eq!((&state.anchors, &state.lengths), (&before.anchors, &before.lengths), "{model}");
            let tip = |state: &NetworkState| network.spans[0].rod.place(&state.spans[0].rod, 1.0);
            assert!((tip(&state) - tip(&before)).norm() < 1e-12, "{model}");
            // A little is a step as any other.
            network.anchors[0].pose.position.z -= 0.59;
            let report = minimise(&network, &mut state, &mut ws, &settings).expect("sound");
            assert_eq!(report.status, Status::Converged, "{model}");
        }
    }
}
