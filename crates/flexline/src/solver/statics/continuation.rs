//! Paths of problems from one whose equilibrium is known: when Newton's method fails, smaller steps may not.
//!
//! The ends are moved along the straight way: positions linearly, orientations by the shortest rotation, twist linearly.
//! A cold start has no last good state; there stiffnesses that differ much are raised from the least, elements that
//! are limp are softened from stiff ones, or the loads are raised from zero, and if the laid shape was no good either, the rod starts at rest and its far end is brought home before.

use crate::algebra::{Vec3, rotation};
use crate::body::End;
use crate::rod::{Rod, Station};
use crate::solver::problem::Problem;

/// Loads relative to what bends the rod double from which they are raised by equal factors.
const LIMP: f64 = 1e3;
/// Loads relative to what bends the rod double that bend it little.
const STIFF: f64 = 10.0;
/// Ratio of stiffnesses from which the larger ones are raised in steps.
const CONTRAST: f64 = 1e3;

/// Loads of a problem relative to the force that bends its rod double, K/L².
fn load_ratio(problem: &Problem) -> f64 {
    let length = problem.rod.length();
    let mut force = problem.gravity.norm() * problem.rod.total_mass();
    for load in &problem.point_loads {
        force += load.force.norm() + load.moment.norm() / length;
    }
    for load in &problem.distributed_loads {
        let largest = |of: &[Vec3; 2]| of[0].norm().max(of[1].norm());
        force += largest(&load.force) * (load.to - load.from).abs() + largest(&load.moment);
    }
    let stiffness = problem.rod.first_stiffness();
    force * length * length / (0.5 * (stiffness.x + stiffness.y))
}

/// Whether it is limp: little is much for it.
pub(super) fn is_limp(problem: &Problem) -> bool {
    load_ratio(problem) > LIMP
}

/// The way from no loads to all of them: in proportion; of limp rods, for which little is much, by equal factors.
/// `None` where there are no loads.
pub(super) fn raising(problem: &Problem) -> Option<impl Fn(&mut Problem, f64)> {
    let ratio = load_ratio(problem);
    let exponent = if ratio > LIMP { ratio.ln() } else { 0.0 };
    (ratio > 0.0).then_some(move |here: &mut Problem, t: f64| {
        let share = if exponent > 0.0 { (exponent * t).exp_m1() / exponent.exp_m1() } else { t };
        scale_loads(here, problem, if t >= 1.0 { 1.0 } else { share });
    })
}

/// The way from stiffnesses that are all alike to those of the rod: a rod that is far stiffer one way than another can
/// only move along narrow, curved valleys of its energy. `None` where they are alike.
pub(super) fn stiffening(problem: &Problem) -> Option<impl Fn(&mut Problem, f64)> {
    let [least, most] = problem.rod.stiffness_range()?;
    let ratio = most / least;
    (ratio > CONTRAST).then_some(move |here: &mut Problem, t: f64| {
        here.rod.limit_stiffness(&problem.rod, if t >= 1.0 { f64::INFINITY } else { least * ratio.powf(t) });
    })
}

/// The way from a rod that its loads hardly bend to that of the problem, by equal factors of its stiffness: a limp rod
/// bends beside its clamps within a length that may be far less than its elements, and any step of them is too long.
/// Where the loads are raised instead, the forces of one step are no use for the next. `None` where the rod is not limp,
/// and for chains, which bend at their nodes however short the bend is.
pub(super) fn softening(problem: &Problem) -> Option<impl Fn(&mut Problem, f64)> {
    let ratio = load_ratio(problem);
    let limp = !problem.rod.bends_at_nodes() && ratio > LIMP && ratio.is_finite();
    limp.then_some(move |here: &mut Problem, t: f64| {
        let factor = if t >= 1.0 { 1.0 } else { (ratio / STIFF).powf(1.0 - t) };
        here.rod.scale_stiffness(&problem.rod, factor);
    })
}

/// The far end of the rod at rest, whose last station is given. It goes along with the turns of the first end: what
/// the far one is turned by against it is still to come.
pub(super) fn at_rest(problem: &Problem, last: &Station) -> End {
    let [start, end] = problem.ends;
    let twist = start.twist;
    let untwisted = last.frame * rotation::exp(&Vec3::new(0.0, 0.0, -twist));
    End { position: last.position, orientation: end.orientation.map(|_| untwisted), twist, ..end }
}

fn scale_loads(here: &mut Problem, full: &Problem, share: f64) {
    here.gravity = full.gravity * share;
    for (a, b) in here.point_loads.iter_mut().zip(&full.point_loads) {
        a.force = b.force * share;
        a.moment = b.moment * share;
    }
    for (a, b) in here.distributed_loads.iter_mut().zip(&full.distributed_loads) {
        a.force = b.force.map(|v| v * share);
        a.moment = b.moment.map(|v| v * share);
    }
}

/// The end a share `t` of the way from `a` to `b`.
pub(super) fn blend(a: &End, b: &End, t: f64) -> End {
    if t >= 1.0 {
        return *b;
    }
    let orientation = match (a.orientation, b.orientation) {
        (Some(p), Some(q)) => Some(rotation::exp(&(rotation::log(&(q * p.conjugate())) * t)) * p),
        (_, q) => q,
    };
    End {
        position: a.position + (b.position - a.position) * t,
        held: b.held,
        orientation,
        twist: a.twist + (b.twist - a.twist) * t,
    }
}
