//! What is held, and what stands in the way, is led to its place in steps that cross nothing.

use super::super::lead::between;
use super::super::model::{Network, NetworkError};
use super::super::state::NetworkState;
use super::super::yielding::hold_fast;
use super::super::{NetworkReport, NetworkWorkspace, Settings, attempt};
use super::gate::is_free;
use super::missing::{Missing, missing};
use super::passage::{TOUCHES, cut};
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::contact::{Obstacle, Shape};
use crate::joint::attachment::end_pose;
use crate::solver::budget;
use crate::solver::report::Status;

/// Smallest share of the way of what is led that is taken in one step.
const SMALLEST: f64 = 1.0 / 512.0;
/// Where the way there is not free the least is a step of so many radii, if that is smaller.
const FINE: f64 = 0.1;
/// Newton iterations of searches that led nowhere after which the way is given up.
const LOST: usize = 400;
/// Largest way of anything that is led, in one step, where there is friction, m.
const INCREMENT: f64 = 0.01;
/// Steps of it.
const STEPS: usize = 1000;
/// A quarter of the Newton iterations that one of them may take, where it is not the first of all.
const PER_STEP: usize = 12;
/// Largest turn of something that is led, in one step, rad.
const TURN: f64 = 0.5;
/// How far from all spans an obstacle begins its way, in radii.
const AWAY: f64 = 2.0;
/// What is left of a round obstacle where it is made thinner once more, until the spans are out of it.
const THINNER: f64 = 0.85;
/// The thinnest, as a share of its radius: what goes through its very axis is on neither side.
const THINNEST: f64 = 0.01;

/// Finds an equilibrium with held anchors and obstacles where `network` has them, on a way from where `state` has them
/// on which nothing is crossed. An obstacle that `state` does not know stands at its place at once where the spans are
/// out of it; else, where it is round, it grows from within and pushes them out to where they are nearest; else it comes in from one
/// side, from below if it can, and takes the spans along.
pub(in crate::solver) fn settle(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let known = state.obstacles.len().min(network.obstacles.len());
    state.obstacles.truncate(known);
    let new: Vec<Pose> = network.standing(&state.anchors).skip(known).collect();
    state.obstacles.extend(new);
    let entered: Vec<usize> =
        (known..network.obstacles.len()).filter(|o| is_entered(network, state, *o)).collect();
    if entered.is_empty() {
        return lead(network, state, ws, settings);
    }
    let before = state.clone();
    let mut iterations = 0;
    if let Some(report) = swell(network, state, ws, settings, &entered)? {
        if report.status == Status::Converged {
            return Ok(report);
        }
        iterations += report.iterations;
        state.copy_from(&before);
    }
    // What has an inside lets a rod out that is in it, where it is not in too deep.
    if entered.iter().all(|o| !matches!(network.obstacles[*o].shape, Shape::Mesh(_))) {
        let report = attempt(network, state, ws, settings)?;
        let is_out = |o: &usize| !is_entered(network, state, *o);
        if report.status == Status::Converged && entered.iter().all(is_out) {
            return Ok(report);
        }
        iterations += report.iterations;
    }
    let mut nearest: Option<(NetworkReport, NetworkState)> = None;
    for side in sides(network, &entered) {
        state.copy_from(&before);
        let mut here = network.clone();
        if !stand_back(&mut here, state, &entered, &side) {
            continue;
        }
        // The first shape of all knows nothing of them.
        let first = attempt(&here, state, ws, settings)?;
        iterations += first.iterations;
        if first.status != Status::Converged {
            nearest.get_or_insert((first, state.clone()));
            continue;
        }
        let report = lead(network, state, ws, settings)?;
        iterations += report.iterations;
        if report.status == Status::Converged {
            return Ok(NetworkReport { iterations, ..report });
        }
        nearest = Some((report, state.clone()));
        if ws.stop().is_some() {
            break;
        }
    }
    if let Some((report, last)) = nearest {
        *state = last;
        return Ok(NetworkReport { iterations, ..report });
    }
    // Nothing can be brought in: perhaps what is entered lets go by itself.
    lead(network, state, ws, settings)
}

/// Whether the axis of a span is inside an obstacle, or goes through its surface.
pub(in crate::solver) fn is_entered(network: &Network, state: &NetworkState, index: usize) -> bool {
    let (mut shares, obstacle) = (Vec::new(), network.obstacle_at(index, &state.anchors));
    network.spans.iter().enumerate().filter(|(_, span)| span.contact_radius > 0.0).any(|(k, span)| {
        let Some(touching) = network.touching(k, index, state.lengths[k]) else { return false };
        shares.clear();
        span.rod.axis_shares(&mut shares);
        let at = |share: f64| span.rod.place(&state.spans[k].rod, share);
        let pieces = shares.windows(2).filter_map(|ends| cut([ends[0], ends[1]], touching));
        pieces.map(|ends| ends.map(at)).any(|ends| obstacle.is_entered(ends))
    })
}

/// A round obstacle of a share of its radius; `None` of another shape.
fn thinner(obstacle: &Obstacle, share: f64) -> Option<Shape> {
    match obstacle.shape {
        Shape::Sphere { radius } => Some(Shape::Sphere { radius: share * radius }),
        Shape::Cylinder { radius, half_length } => {
            Some(Shape::Cylinder { radius: share * radius, half_length })
        }
        Shape::Capsule { radius, half_length } => {
            Some(Shape::Capsule { radius: share * radius, half_length })
        }
        _ => None,
    }
}

/// Makes round obstacles so thin that the spans are out of them, then lets them grow in steps that end in an equilibrium each:
/// what winds round a bar, or lies to one side of its axis, does so afterwards. `None` where one of them is not round, or
/// goes through a span however thin.
fn swell(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    which: &[usize],
) -> Result<Option<NetworkReport>, NetworkError> {
    let mut here = network.clone();
    let set = |here: &mut Network, share: f64| {
        let mut each = which.iter().map(|o| match thinner(&network.obstacles[*o], share) {
            Some(shape) => {
                here.obstacles[*o].shape = shape;
                true
            }
            None => false,
        });
        each.all(|is_round| is_round)
    };
    let mut share = 1.0;
    loop {
        share *= THINNER;
        if share < THINNEST || !set(&mut here, share) {
            return Ok(None);
        }
        if which.iter().all(|o| !is_entered(&here, state, *o)) {
            break;
        }
    }
    let (mut iterations, mut step) = (0, 0.0);
    let mut last = None;
    for _ in 0..STEPS {
        let next = if share + step > 1.0 - 1e-9 { 1.0 } else { share + step };
        set(&mut here, next);
        ws.contacts.begin(state);
        let mut trial = ws.copy_of(state);
        let limit =
            if last.is_none() { settings.max_iterations } else { settings.max_iterations.min(PER_STEP) };
        let settings = Settings { max_iterations: limit, ..*settings };
        let found = attempt(if next < 1.0 { &here } else { network }, &mut trial, ws, &settings)?;
        iterations += found.iterations;
        let report = NetworkReport { iterations, ..found };
        if report.status == Status::Converged {
            std::mem::swap(state, &mut trial);
            ws.leave(trial);
            if next >= 1.0 {
                return Ok(Some(report));
            }
            step = if last.is_none() { 1.0 - next } else { 2.0 * step };
            (share, last) = (next, Some(report));
        } else {
            ws.leave(trial);
            step = 0.5 * (next - share);
            if last.is_none() || step < SMALLEST || ws.stop().is_some() {
                return Ok(Some(report));
            }
        }
    }
    Ok(last)
}

/// Ways along which obstacles may come in: upwards, and along their own axes.
fn sides(network: &Network, entered: &[usize]) -> Vec<Vec3> {
    let up = -network.gravity.try_normalize(1e-9).unwrap_or(-Vec3::z());
    let mut sides = vec![up];
    let axes = entered.iter().flat_map(|o| {
        let turned = network.obstacles[*o].pose.orientation;
        [Vec3::z(), Vec3::x(), Vec3::y()].map(|axis| rotation::rotate(&turned, &axis))
    });
    for side in axes.flat_map(|axis| [axis, -axis]) {
        if sides.iter().all(|other| other.dot(&side) < 0.99) && sides.len() < 7 {
            sides.push(side);
        }
    }
    sides
}

/// Moves obstacles back, against `side`, until they are clear of all spans; false where no way is long enough.
fn stand_back(here: &mut Network, state: &mut NetworkState, which: &[usize], side: &Vec3) -> bool {
    let mut first = f64::INFINITY;
    let mut shares = Vec::new();
    for (span, own) in here.spans.iter().zip(&state.spans).filter(|(span, _)| span.contact_radius > 0.0) {
        shares.clear();
        span.rod.axis_shares(&mut shares);
        for share in &shares {
            first = first.min(side.dot(&span.rod.place(&own.rod, *share)) - AWAY * span.contact_radius);
        }
    }
    for o in which {
        if here.mount(*o).is_some() {
            return false;
        }
        let Some(front) = here.obstacles[*o].farthest(side) else { return false };
        here.obstacles[*o].pose.position -= side * (front - first).max(0.0);
        state.obstacles[*o] = here.obstacles[*o].pose;
    }
    true
}

/// Leads held anchors and obstacles from where `state` has them to where `network` has them, in steps that cross nothing
/// and end in an equilibrium each. Where one cannot be made however small, it stays at the last, and says so: which spans are too
/// short for the rest of the way, if any are.
fn lead(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let may_be_short = ws.parts.is_none() && !network.has_friction() && state.is_on_the_way(network);
    let report = advance(network, state, ws, settings, LOST)?;
    if report.status == Status::Converged || !may_be_short || budget::stop().is_some() {
        return Ok(report);
    }
    ws.begin();
    let mut beyond = ws.copy_of(state);
    let found = missing(network, &mut beyond, ws, settings);
    hold_fast(ws);
    let report = match found? {
        Missing::Nothing(found) => {
            state.copy_from(&beyond);
            NetworkReport { iterations: report.iterations + found.iterations, ..*found }
        }
        Missing::Lengths(short) => NetworkReport { status: Status::TooShort, short, ..report },
        Missing::Unknown => report,
    };
    ws.leave(beyond);
    Ok(report)
}

/// Goes as far as it can on the way of what is led, and stays there; gives up where more than so many Newton iterations were `lost`.
pub(super) fn advance(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    most_lost: usize,
) -> Result<NetworkReport, NetworkError> {
    let from = state.anchors.clone();
    let mut to = state.clone();
    to.hold(network);
    // Shapes of parts go with these.
    let standing = |(o, pose): (usize, &Pose)| match network.mount(o) {
        Some(_) => network.obstacles[o].pose,
        None => *pose,
    };
    let places: Vec<Pose> = state.obstacles.iter().enumerate().map(standing).collect();
    let led = state.is_on_the_way(network);
    let mut here = network.clone();
    let (mut done, mut iterations) = (0.0, 0);
    let mut step = (TURN / largest_turn(&from, &to.anchors, &places, &network.obstacles)).min(1.0);
    // Friction depends on the way: what is led takes it in small steps.
    let farthest = farthest(&from, &to.anchors, &places, &network.obstacles);
    let way = if network.has_friction() { farthest } else { 0.0 };
    let round = network.spans.iter().map(|span| span.contact_radius).filter(|radius| *radius > 0.0);
    let fine = FINE * round.fold(f64::INFINITY, f64::min) / farthest.max(f64::MIN_POSITIVE);
    let most = 1.0 / (way / INCREMENT - 1e-9).ceil().max(1.0);
    step = step.min(most);
    let (mut before, mut failed, mut hindered, mut lost) = (None, None, false, 0);
    for _ in 0..STEPS {
        let next = if done + step > 1.0 - 1e-9 { 1.0 } else { done + step };
        for (i, anchor) in here.anchors.iter_mut().enumerate() {
            let pose = if next < 1.0 { between(&from[i], &to.anchors[i], next) } else { to.anchors[i] };
            // What is free to move keeps its own pose.
            (0..3).filter(|c| anchor.held[*c]).for_each(|c| anchor.pose.position[c] = pose.position[c]);
            if anchor.held_orientation {
                anchor.pose.orientation = pose.orientation;
            }
        }
        for ((obstacle, own), to) in here.obstacles.iter_mut().zip(&places).zip(&network.obstacles) {
            obstacle.pose = if next < 1.0 { between(own, &to.pose, next) } else { to.pose };
        }
        // Friction is against what slides from here.
        ws.contacts.begin(state);
        let mut report = None;
        let mut trial = ws.copy_of(state);
        if !ends_enter(&here, state)
            && begin(&here, state, before.as_ref().map(|b| (b, next - done)), &mut trial, ws)
        {
            let limit = if led { settings.max_iterations.min(PER_STEP) } else { settings.max_iterations };
            let settings = Settings { max_iterations: limit, ..*settings };
            ws.contacts.is_led = led;
            let found = attempt(if next < 1.0 { &here } else { network }, &mut trial, ws, &settings);
            ws.contacts.is_led = false;
            let found = found?;
            iterations += found.iterations;
            report = Some(found);
        }
        match report {
            Some(report) if report.status == Status::Converged => {
                std::mem::swap(state, &mut trial);
                if next >= 1.0 {
                    ws.leave(trial);
                    return Ok(NetworkReport { iterations, ..report });
                }
                let last = before.replace(Before { state: trial, step: next - done });
                last.into_iter().for_each(|last| ws.leave(last.state));
                // What has just failed is not tried again at once.
                step = if hindered { step } else { 2.0 * step };
                if way > 0.0 {
                    step = step.min(most);
                }
                (done, failed, hindered) = (next, None, false);
            }
            report => {
                ws.leave(trial);
                let smallest = SMALLEST.min(most / 16.0);
                let smallest = if report.is_some() { smallest } else { smallest.min(fine) };
                lost += report.as_ref().map_or(0, |report| report.iterations);
                failed = report.or(failed);
                (step, hindered) = (0.5 * (next - done), true);
                if !led || step < smallest || lost > most_lost || ws.stop().is_some() {
                    break;
                }
            }
        }
    }
    // The last good state, and what it is worth.
    let status = ws.stop().or(failed.map(|report| report.status)).unwrap_or(Status::NoProgress);
    for (i, anchor) in here.anchors.iter_mut().enumerate() {
        anchor.pose = between(&from[i], &to.anchors[i], done);
    }
    for (obstacle, pose) in here.obstacles.iter_mut().zip(&state.obstacles) {
        obstacle.pose = *pose;
    }
    let report = attempt(&here, state, ws, &Settings { max_iterations: 0, ..*settings })?;
    Ok(NetworkReport { status, iterations, ..report })
}

/// The equilibrium before the last, and the share of the way between the two.
struct Before {
    state: NetworkState,
    step: f64,
}

/// Makes `trial`, a copy of `state`, the start of a search with what is held where `here` has it: going on as it has come by a
/// share of the way, or else as it is. False where neither gets there freely.
fn begin(
    here: &Network,
    state: &NetworkState,
    before: Option<(&Before, f64)>,
    trial: &mut NetworkState,
    ws: &mut NetworkWorkspace,
) -> bool {
    let is_free_with = |trial: &mut NetworkState, ws: &mut NetworkWorkspace| {
        trial.hold(here);
        ws.set_ends(here, trial);
        let free = is_free(here, state, trial, ws);
        trial.stand(here);
        free
    };
    if let Some((before, step)) = before {
        trial.go_on(here, &before.state, step / before.step);
        if is_free_with(trial, ws) {
            return true;
        }
        trial.copy_from(state);
    }
    is_free_with(trial, ws)
}

/// Whether an end that is held would be led farther into an obstacle: nothing could push it out.
fn ends_enter(network: &Network, before: &NetworkState) -> bool {
    let ends = network.spans.iter().enumerate().flat_map(|(k, span)| {
        [(0.0, Some(&span.start)), (1.0, span.end.as_ref())].map(|(share, on)| (k, share, on))
    });
    ends.filter(|(k, ..)| network.spans[*k].contact_radius > 0.0).any(|(k, share, on)| {
        let Some((at, on)) = on.and_then(|on| Some((network.held_end(on)?, on))) else { return false };
        let was = end_pose(&before.anchors[on.anchor], on).position;
        at != was
            && (0..network.obstacles.len()).any(|o| {
                let obstacle = network.obstacle_at(o, &before.anchors);
                let touches =
                    network.touching(k, o, before.lengths[k]).is_some_and(|ends| ends.contains(&share));
                let away = |point: &Vec3| obstacle.distance(point).map_or(f64::INFINITY, |(away, _)| away);
                touches
                    && away(&at) < network.spans[k].contact_radius * (1.0 - TOUCHES)
                    && away(&at) < away(&was)
            })
    })
}

/// Longest way of anything that is led, m.
fn farthest(from: &[Pose], to: &[Pose], places: &[Pose], obstacles: &[Obstacle]) -> f64 {
    let anchors = from.iter().zip(to);
    let all = anchors.chain(places.iter().zip(obstacles.iter().map(|obstacle| &obstacle.pose)));
    all.map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max)
}

/// Largest turn of anything that is led, rad.
fn largest_turn(from: &[Pose], to: &[Pose], places: &[Pose], obstacles: &[Obstacle]) -> f64 {
    let anchors = from.iter().zip(to);
    let all = anchors.chain(places.iter().zip(obstacles.iter().map(|obstacle| &obstacle.pose)));
    let turn = |a: &Pose, b: &Pose| rotation::log(&(b.orientation * a.orientation.conjugate())).norm();
    all.map(|(a, b)| turn(a, b)).fold(f64::MIN_POSITIVE, f64::max)
}
