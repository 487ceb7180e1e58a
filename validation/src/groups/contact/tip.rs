//! A rod that is clamped pointing down above a rough floor, its tip on it right below the clamp: the clamp is lowered while the tip
//! sticks.

use super::super::{list, name};
use super::rest::{Hold, Rest, planar, plane, upright};
use super::{CHAINS, NOT_QUICK};
use crate::case::{Cases, Measure};
use crate::compare::{threshold, worse};
use crate::field::{Field, FieldError};
use crate::follow::inverse_at_zero;
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::rod::Station;
use flexline::solver::network::ContactState;
use std::f64::consts::{FRAC_PI_2, PI};

/// The anchor of the clamp; that of the tip is before it.
const CLAMP: usize = 1;
/// Radius beside the length, of which the references know nothing.
const RADIUS: f64 = 0.02;
/// How far the clamp is lowered before the tip stands on the floor, beside the length.
const BEGIN: f64 = 0.005;
/// Friction of the floor beside what is needed where the tip shall stick, and how far the clamp is lowered at a time.
const ENOUGH: f64 = 1.5;
const STEP: f64 = 0.005;
const SMALLEST: f64 = 5e-4;
/// Lowerings after which the tip lets go, or never does.
const MOST_LOWERINGS: usize = 60;

/// Reads `curve` and `thresholds`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "curve")? {
        let id = name(&case, "tip_stick_slip_curve", place)?;
        cases.add_contact(id, place + NOT_QUICK, &CHAINS, curve(&case))?;
    }
    for (place, case) in list(root, "thresholds")? {
        let id = name(&case, "tip_stick_slip_thresholds", place)?;
        cases.add_contact(id, place + NOT_QUICK, &CHAINS, lets_go(&case))?;
    }
    Ok(())
}

/// Height of the clamp over the floor.
fn height(lowered: f64) -> f64 {
    1.0 - lowered + RADIUS
}

/// The rod with its tip on the floor, of length and stiffness one, from the tip to the clamp: what is led does not shift what stands. Bent to
/// the side of +x, with its tip held; then that is let go.
fn standing(grid: Grid, friction: f64) -> Result<Rest, String> {
    let uniform = planar(Uniform { length: 1.0, stiffness: Vec3::repeat(1.0), density: 0.0 });
    let (clamp, tip) =
        (upright(Vec3::z() * height(BEGIN), FRAC_PI_2), upright(Vec3::z() * RADIUS, FRAC_PI_2));
    let mut held = Rest::new(&uniform, 0.0, grid, (Hold::Hinged, tip), (Hold::Clamped, clamp))?;
    // Its mode, nearly: with the mean of x'²/2 that takes up how far it is lowered.
    let size = 2.0 * BEGIN.sqrt() / PI;
    held.shape_as(&|s| {
        let x = 0.5 * size * (1.0 - (2.0 * PI * s).cos());
        let lean = (size * PI * (2.0 * PI * s).sin()).asin();
        let at = upright(Vec3::new(x, 0.0, RADIUS + s * (1.0 - BEGIN)), FRAC_PI_2 - lean);
        Station { position: at.position, frame: at.orientation }
    });
    held.solve()?;
    let mut rest = Rest::new(&uniform, RADIUS, grid, (Hold::Free, tip), (Hold::Clamped, clamp))?;
    rest.network.obstacles.push(plane(Vec3::zeros(), Vec3::z()));
    rest.state.anchors[0] = held.state.anchors[0];
    rest.state.spans[0].rod = held.shape().clone();
    rest.roughen(friction);
    rest.solve()?;
    Ok(rest)
}

/// Lowers the clamp to `to` of the length in steps; whether the tip has stuck all the way. Beside the equilibrium in which it
/// sticks there may be others in which it has slid: it slides where it does however small the step.
fn lower(rest: &mut Rest, to: f64) -> Result<bool, String> {
    let mut from = 1.0 + RADIUS - rest.network.anchors[CLAMP].pose.position.z;
    let mut step = STEP;
    while from < to {
        let next = to.min(from + step);
        let before = (rest.state.clone(), rest.report.clone());
        let led = rest.lead(1.0, &|network, share| {
            network.anchors[CLAMP].pose.position.z = height(from + (next - from) * share);
        });
        if led.is_ok() && rest.contacts().iter().all(|contact| contact.state == ContactState::Stick) {
            (from, step) = (next, STEP.min(2.0 * step));
            continue;
        }
        step *= 0.5;
        if step < SMALLEST {
            return led.map(|_| false);
        }
        (rest.state, rest.report) = before;
        rest.network.anchors[CLAMP].pose.position.z = height(from);
    }
    Ok(true)
}

fn curve(case: &Field) -> Result<Measure, FieldError> {
    let (lowered, needed) = (case.positive("eps")?, case.positive("mu_required")?);
    let (along, up) = (case.number("T_L2_over_EI")?, case.positive("N_L2_over_EI")?);
    let (moment, angle) = (case.number("root_moment_L_over_EI")?, case.number("tip_angle_rad")?);
    let bulge = case.positive("max_lateral_over_L")?;
    let samples = case.get("samples_over_L")?;
    let read = |key: &str| samples.get(key)?.as_numbers();
    let (s, x, z) = (read("s")?, read("x")?, read("z")?);
    Ok(Box::new(move |grid| {
        let mut rest = standing(grid, ENOUGH * needed)?;
        if !lower(&mut rest, lowered)? {
            return Err("the tip slips where it has more friction than it needs".into());
        }
        let mut out = Vec::new();
        rest.compare(None, &|x| x.z - RADIUS, &mut out);
        let clamp = Vec3::z() * height(lowered);
        let at = |k: usize| rest.at(1.0 - s[k]) - clamp - Vec3::new(x[k], 0.0, z[k]);
        let off = (0..s.len()).map(|k| at(k).norm()).fold(0.0, worse);
        out.push(Quantity::new("centreline", off, tolerance::contact::CENTRELINE));
        // The widest of the samples.
        let widest = s.iter().map(|s| rest.at(1.0 - *s).x).fold(0.0, f64::max);
        out.push(Quantity::new("bulge", (widest - bulge).abs(), tolerance::contact::CENTRELINE));
        let force = rest.total();
        let within = tolerance::contact::FORCE;
        out.push(Quantity::new("force along the floor", (force.x.abs() - along.abs()).abs() / up, within));
        out.push(Quantity::new("force of the floor", (force.z / up - 1.0).abs(), within));
        out.push(threshold("friction needed", force.x.abs() / force.z, needed));
        let root = rest.report.as_ref().map_or(f64::NAN, |report| report.reactions[CLAMP].moment.y.abs());
        out.push(Quantity::new("root moment", (root / moment.abs() - 1.0).abs(), within));
        // Theirs is from straight down.
        let lean = (-rest.tangent(0.0).x).atan2(rest.tangent(0.0).z);
        out.push(Quantity::new("angle of the tip", (lean - angle).abs(), tolerance::ANGLE));
        Ok(out)
    }))
}

/// How far the clamp is lowered when the tip lets go.
fn lets_go(case: &Field) -> Result<Measure, FieldError> {
    let (friction, critical) = (case.positive("mu")?, case.positive("eps_critical")?);
    Ok(Box::new(move |grid| {
        let mut rest = standing(grid, friction)?;
        let used = |rest: &Rest| {
            let force = rest.total();
            force.x.hypot(force.y) / (friction * force.z)
        };
        // What it uses of its friction grows while it sticks: most of the way to where it has none left.
        let mut points = vec![(BEGIN, 1.0 - used(&rest))];
        let mut lowered = 1.2 * BEGIN;
        while points.len() < MOST_LOWERINGS {
            if !lower(&mut rest, lowered)? {
                return Err(format!(
                    "the tip slips at {lowered:.4}, with {:.3} of its friction",
                    used(&rest)
                ));
            }
            points.push((lowered, 1.0 - used(&rest)));
            if points[points.len() - 1].1 < 0.01 {
                break;
            }
            let recent: Vec<(f64, f64)> = points.iter().rev().take(3).copied().collect();
            lowered += (0.7 * (inverse_at_zero(&recent) - lowered)).clamp(0.01 * STEP, 4.0 * STEP);
        }
        let recent: Vec<(f64, f64)> = points.iter().rev().take(4).copied().collect();
        let found = inverse_at_zero(&recent);
        let sticks = lower(&mut rest, (1.0 - tolerance::THRESHOLD) * found)?;
        // Beyond it slides, to another equilibrium or to none.
        rest.network.anchors[CLAMP].pose.position.z = height((1.0 + tolerance::THRESHOLD) * found);
        let slides = rest.solve().is_err() || rest.slides();
        let error = if sticks && slides { 0.0 } else { 1.0 };
        let mut out = vec![Quantity::new("sticks and slides", error, 0.5).unordered()];
        out.push(threshold("onset of slip", found, critical));
        Ok(out)
    }))
}
