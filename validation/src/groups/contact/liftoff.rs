//! A heavy rod that lies on a plane, one end lifted.
//!
//! Friction acts on the axis line, as in the cases. Without it nothing holds the rod along x: where its end is held there, the force is zero. It is held so that what
//! lies has x = s, as in the cases.

use super::super::{list, name};
use super::CHAINS;
use super::rest::{Hold, Rest, Results, plane, upright};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta};
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::solver::network::NetworkReport;

const GRAVITY: f64 = 9.81;
/// Share of the height to which the end is lifted while the rod is laid down.
const FIRST_LIFT: f64 = 0.1;
/// Share of the length by which a rod that is dragged is put back before, and of that a step.
const DRAG: f64 = 0.02;
const DRAG_STEP: f64 = 0.25;
/// Steps after which a rod that is dragged slides as a whole, or never does.
const MOST_DRAGS: usize = 200;

/// Reads `pinned_lift_curve`, `frictionless`, `pulled` and `dragged`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "pinned_lift_curve")? {
        cases.add_contact(name(&case, "pinned_lift_curve", place)?, place, &CHAINS, curve(&case))?;
    }
    for key in ["frictionless", "pulled", "dragged"] {
        for (place, case) in list(root, key)? {
            cases.add_contact(name(&case, key, place)?, place, &CHAINS, lifted(&case, key))?;
        }
    }
    Ok(())
}

/// A rod with one end at a height, held there at an angle or free to turn.
#[derive(Clone, Copy)]
struct Lift {
    uniform: Uniform,
    radius: f64,
    height: f64,
    angle: Option<f64>,
}

impl Lift {
    /// Lays it down and lifts its end.
    fn rest(&self, grid: Grid) -> Result<(Rest, NetworkReport), String> {
        let Self { uniform, radius, height, angle } = *self;
        let length = uniform.length;
        // First just above the plane, on which it falls.
        let low = radius + FIRST_LIFT * (height - radius);
        let level = |s: f64| upright(Vec3::new(s, 0.0, low), 0.0);
        let hold = if angle.is_some() { Hold::Clamped } else { Hold::Hinged };
        let mut rest = Rest::new(&uniform, radius, grid, (Hold::Free, level(0.0)), (hold, level(length)))?;
        rest.network.obstacles.push(plane(Vec3::zeros(), Vec3::z()));
        rest.network.gravity = -Vec3::z() * GRAVITY;
        rest.solve_clamped_first()?;
        rest.lead(0.25, &|network, share| {
            let at = Vec3::new(length, 0.0, low + (height - low) * share);
            network.anchors[1].pose = upright(at, angle.unwrap_or(0.0) * share);
        })?;
        // What lies has x = s.
        let off = rest.at(0.0).x;
        let report = rest.lead(1.0, &|network, _| network.anchors[1].pose.position.x -= off)?;
        Ok((rest, report))
    }

    /// The same on a rough plane, under a horizontal force at its end; nothing slides.
    fn pulled(&self, grid: Grid, friction: f64, pull: f64) -> Result<(Rest, NetworkReport), String> {
        let (mut rest, _) = self.rest(grid)?;
        rest.roughen(friction);
        rest.solve()?;
        rest.network.anchors[1].held[0] = false;
        rest.renew();
        let report = rest.lead(0.25, &|network, share| network.anchors[1].force.x = pull * share)?;
        Ok((rest, report))
    }

    /// The same on a rough plane, dragged along x until all of it slides and what lies has x = s.
    fn dragged(&self, grid: Grid, friction: f64) -> Result<(Rest, NetworkReport), String> {
        let (mut rest, _) = self.rest(grid)?;
        let way = DRAG * self.uniform.length;
        let at = rest.network.anchors[1].pose.position.x - way;
        rest.lead(1.0, &|network, _| network.anchors[1].pose.position.x = at)?;
        rest.roughen(friction);
        rest.solve()?;
        for _ in 0..MOST_DRAGS {
            let off = rest.at(0.0).x;
            let left = if rest.slides() { -off } else { f64::INFINITY };
            let from = rest.network.anchors[1].pose.position.x;
            let step = left.min(DRAG_STEP * way);
            rest.lead(1.0, &|network, share| network.anchors[1].pose.position.x = from + step * share)?;
            if step == left {
                let report = rest.report.clone().ok_or("nothing was solved")?;
                return Ok((rest, report));
            }
        }
        Err("dragged as far as that the rod does not slide as a whole".into())
    }
}

fn lifted(case: &Field, key: &str) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let uniform = Uniform::read(&params)?;
    let angle = match params.get("end")?.as_text()? {
        "pinned" => None,
        "angle" => Some(params.number("end_angle")?),
        _ => return Err(params.get("end")?.wrong("pinned or angle")),
    };
    let lift = Lift {
        uniform: Uniform { density: uniform.density * params.positive("g")? / GRAVITY, ..uniform },
        radius: params.positive("radius")?,
        height: params.positive("lift_height")?,
        angle,
    };
    let numbers = [
        "liftoff_s",
        "lifted_length",
        "concentrated_contact_force",
        "lying_pressure",
        "end_moment",
        "end_angle",
        "end_x_from_liftoff",
        "drag_force",
    ];
    let results = Results::read(case, &numbers, &["end_force"])?;
    let samples = Samples::read(case, Theta::Above)?;
    let friction = if key == "frictionless" { 0.0 } else { params.positive("friction")? };
    let pull = if key == "pulled" { params.positive("horizontal_pull")? } else { 0.0 };
    Ok(Box::new(move |grid| {
        let (rest, report) = match (friction > 0.0, pull > 0.0) {
            (false, _) => lift.rest(grid)?,
            (true, true) => lift.pulled(grid, friction, pull)?,
            (true, false) => lift.dragged(grid, friction)?,
        };
        let length = lift.uniform.length;
        let mut out = Vec::new();
        rest.compare(samples.as_ref(), &|x| x.z - lift.radius, &mut out);
        let [first, last] = rest.extent().unwrap_or([f64::NAN; 2]);
        let pressure = rest.pressure([first, last]);
        out.extend(results.relative("pressure", "lying_pressure", pressure, tolerance::contact::PRESSURE));
        if let Some(at) = results.number("liftoff_s") {
            out.push(rest.place("lift-off", last, at));
            let found = rest.concentrated([0.0, at])[1];
            let within = tolerance::contact::CONCENTRATED;
            out.extend(results.relative("concentrated force", "concentrated_contact_force", found, within));
        }
        out.extend(results.number("lifted_length").map(|r| rest.place("lifted length", length - last, r)));
        let reach = rest.at(length).x - rest.at(last).x;
        out.extend(results.number("end_x_from_liftoff").map(|r| rest.place("end from lift-off", reach, r)));
        let end = report.reactions[1];
        let end_force = end.force + Vec3::x() * pull;
        out.extend(results.force("end force", "end_force", &end_force));
        out.extend(results.relative("drag", "drag_force", end.force.x, tolerance::contact::FORCE));
        let moment = end.moment.norm();
        out.extend(results.relative("end moment", "end_moment", moment, tolerance::contact::FORCE));
        out.extend(results.angle("end angle", "end_angle", &rest, length));
        Ok(out)
    }))
}

/// A point of the curve of a pinned end: of unit weight per length and stiffness, so that lg is 1.
fn curve(case: &Field) -> Result<Measure, FieldError> {
    let height = case.positive("H_over_lg")?;
    let numbers = ["lifted_length_over_lg", "contact_force_over_w_lg", "end_force_over_w_lg", "end_angle"];
    let read = |key: &'static str| case.maybe_number(key);
    let [lifted, contact, end, angle] = numbers.map(read);
    let (lifted, contact, end, angle) = (lifted?, contact?, end?, angle?);
    // Long enough that about as much lies as is lifted.
    let length = 2.0 * ((24.0 * height).powf(0.25) + 0.7 * height);
    let uniform = Uniform { length, stiffness: Vec3::new(1.0, 1.0, 0.8), density: 1.0 / GRAVITY };
    let radius = 1e-3 * length;
    let lift = Lift { uniform, radius, height: height + radius, angle: None };
    Ok(Box::new(move |grid| {
        let (rest, report) = lift.rest(grid)?;
        let mut out = Vec::new();
        rest.compare(None, &|x| x.z - radius, &mut out);
        let [first, last] = rest.extent().unwrap_or([f64::NAN; 2]);
        out.extend(lifted.map(|r| rest.place("lifted length", length - last, r)));
        let relative = |name, found: f64, reference: f64, within: f64| {
            Quantity::new(name, (found / reference - 1.0).abs(), within)
        };
        out.extend(contact.map(|r| {
            let found = rest.concentrated([first, lifted.map_or(last, |lifted| length - lifted)])[1];
            relative("concentrated force", found, r, tolerance::contact::CONCENTRATED)
        }));
        let force = report.reactions[1].force.norm();
        out.extend(end.map(|r| relative("end force", force, r, tolerance::contact::FORCE)));
        out.extend(angle.map(|r| {
            let t = rest.tangent(length);
            Quantity::new("end angle", (t.z.atan2(t.x) - r).abs(), tolerance::ANGLE)
        }));
        Ok(out)
    }))
}
