//! A first state for a problem: the rod laid between its ends, or hanging from one at rest.

use super::predict;
use crate::algebra::{Quat, Vec3, rotation};
use crate::body::End;
use crate::geometry::lay::{Curve, Route, lay};
use crate::rod::{Rod, State, Station};
use crate::solver::problem::{Problem, ProblemError};

/// A state of the right size; its shape means nothing.
pub(in crate::solver) fn blank_state(problem: &Problem) -> State {
    let rod = &problem.rod;
    let start = Station { position: Vec3::zeros(), frame: rotation::identity() };
    State::new(rod.rest_state(&start), problem.ends)
}

/// A state near an equilibrium of `problem`, at its ends, with the full turns they ask for.
///
/// The rod is laid with the least twist that its end orientations allow, or at rest where an end may slide;
/// `End::twist` then counts from there.
pub fn initial_state(problem: &Problem) -> State {
    // What a solve refuses has no shape.
    if problem
        .check()
        .is_err_and(|error| !matches!(error, ProblemError::TooShort { .. } | ProblemError::Floating))
    {
        return blank_state(problem);
    }
    let [start, end] = &problem.ends;
    let mut state = if problem.closed {
        ring(problem)
    } else if start.holds_position() && end.holds_position() || turns_freely_towards_a_clamp(problem) {
        between(problem)
    } else {
        at_rest(problem)
    };
    if problem.rod.bends_at_nodes() {
        predict::set_ends(problem, &mut state);
    } else if problem.closed || end.orientation.is_some() {
        // Turns come with their torque.
        state.end_moment = problem.rod.end_torque(&state.rod);
    }
    state
}

/// A frame whose tangent points along gravity (or x), for an end that is free to turn.
fn hanging_frame(down: &Vec3, sign: f64) -> Quat {
    let tangent = if down.norm() > 0.0 { down.normalize() * sign } else { Vec3::x() };
    rotation::frame(&tangent, &Vec3::y())
}

/// Whether the rod is pinned at its start and clamped where its end begins to slide, within reach: at rest it would
/// have to be pushed together.
fn turns_freely_towards_a_clamp(problem: &Problem) -> bool {
    let [start, end] = &problem.ends;
    let pinned = start.holds_position() && start.orientation.is_none() && end.orientation.is_some();
    pinned && (end.position - start.position).norm() <= problem.rod.length()
}

/// At rest from the end that says more about it, wound up by what both ends ask for.
fn at_rest(problem: &Problem) -> State {
    let rod = &problem.rod;
    let [start, end] = &problem.ends;
    let from_start = start.orientation.is_some() || (start.holds_position() && end.orientation.is_none());
    let first = if from_start {
        let frame = start.frame().unwrap_or_else(|| hanging_frame(&problem.gravity, 1.0));
        Station { position: start.position, frame }
    } else {
        first_of(problem, end)
    };
    let mut state = rod.rest_state(&first);
    let twist = asked_twist(&rod.station(&state, rod.length()).frame, &problem.ends);
    if twist != 0.0 {
        rod.wind(&mut state, twist);
    }
    State::new(state, problem.ends)
}

/// The first station of the rod at rest whose last one meets the end.
fn first_of(problem: &Problem, end: &End) -> Station {
    let rod = &problem.rod;
    let target = end.frame().unwrap_or_else(|| hanging_frame(&problem.gravity, -1.0));
    let origin = Station { position: Vec3::zeros(), frame: rotation::identity() };
    let guess = rod.rest_state(&origin);
    let last = rod.station(&guess, rod.length());
    let turn = target * last.frame.conjugate();
    Station { position: end.position - rotation::rotate(&turn, &last.position), frame: turn }
}

/// The twist that two clamped ends ask of a rod whose frame would arrive at the far one as `arrived`, rad: the least
/// between their orientations, and what they have been turned by against each other.
fn asked_twist(arrived: &Quat, [start, end]: &[End; 2]) -> f64 {
    let (Some(_), Some(q)) = (start.orientation, end.orientation) else { return 0.0 };
    let arrived = arrived * rotation::exp(&Vec3::new(0.0, 0.0, -start.twist));
    let aligned = rotation::between(&rotation::tangent(&arrived), &rotation::tangent(&q)) * arrived;
    rotation::log(&(aligned.conjugate() * q)).z + end.twist - start.twist
}

fn between(problem: &Problem) -> State {
    let length = problem.rod.length();
    let (curve, twist) = route(&problem.ends, length, problem.gravity);
    // A start that is free to turn lets the whole rod roll to meet its end; a chain's last frame is put
    // there anyway.
    let roll = match (problem.ends[0].orientation, problem.ends[1].frame()) {
        (None, Some(q)) if !problem.rod.bends_at_nodes() => {
            let arrived = curve.at(length).1;
            let aligned = rotation::between(&rotation::tangent(&arrived), &rotation::tangent(&q)) * arrived;
            rotation::log(&(aligned.conjugate() * q)).z
        }
        _ => 0.0,
    };
    let roll = rotation::exp(&Vec3::new(0.0, 0.0, roll));
    with_twist(problem, twist, &|s| {
        let (position, frame) = curve.at(s);
        (position, frame * roll)
    })
}

/// A curve of the given length between two ends, and the twist that they ask of a rod along it, rad.
fn route(ends: &[End; 2], length: f64, gravity: Vec3) -> (Curve, f64) {
    let [start, end] = ends;
    let tangent = |e: &End| e.orientation.map(|q| rotation::tangent(&q));
    let route = Route {
        points: [start.position, end.position],
        tangents: [tangent(start), tangent(end)],
        length,
        sag: gravity,
    };
    let first = start.frame().unwrap_or_else(|| {
        let chord = end.position - start.position;
        if chord.norm() > 0.0 { rotation::frame(&chord, &Vec3::z()) } else { rotation::identity() }
    });
    let curve = lay(&route, &first);
    let twist = asked_twist(&curve.at(length).1, ends);
    (curve, twist)
}

/// A circle through the seam, in the plane of gravity where the seam is free to turn.
fn ring(problem: &Problem) -> State {
    let [start, end] = &problem.ends;
    let length = problem.rod.length();
    let radius = length / (2.0 * std::f64::consts::PI);
    let first = start.frame().unwrap_or_else(|| {
        let down = problem.gravity;
        let tangent = if down.norm() > 0.0 { rotation::across(&down.normalize()) } else { Vec3::x() };
        let d1 = if down.norm() > 0.0 { down.normalize().cross(&tangent) } else { Vec3::y() };
        rotation::frame(&tangent, &d1)
    });
    // Bending about d1 turns the tangent towards −d2: the ring lies in the d2–d3 plane.
    let (axis, towards, tangent) = {
        let r = rotation::matrix(&first);
        (r.column(0).into_owned(), r.column(1).into_owned(), r.column(2).into_owned())
    };
    let hangs = towards.dot(&problem.gravity) <= 0.0;
    let sign = if hangs { 1.0 } else { -1.0 };
    let shape = |s: f64| {
        let angle = s / radius;
        let x = start.position + radius * (angle.sin() * tangent - sign * (1.0 - angle.cos()) * towards);
        (x, rotation::exp(&(axis * (sign * angle))) * first)
    };
    with_twist(problem, end.twist, &shape)
}

/// The shape with `twist` spread evenly about its tangent.
fn with_twist(problem: &Problem, twist: f64, shape: &dyn Fn(f64) -> (Vec3, Quat)) -> State {
    let station = |s: f64| {
        let (position, frame) = shape(s);
        Station { position, frame }
    };
    State::new(problem.rod.state_wound(&station, twist), problem.ends)
}
