//! Buckling thresholds of straight rods and rings, from the count of directions that release
//! energy at an equilibrium that is known beforehand.

use super::{joint, lateral, list, name, pending};
use crate::case::{Cases, Measure};
use crate::compare::threshold;
use crate::field::{Field, FieldError};
use crate::follow::{critical, inverse_at_zero, is_unstable, settle};
use crate::rods::{Grid, Uniform, at_rest, from_origin, straight_twisted};
use flexline::Vec3;
use flexline::solver::statics::{Settings, Workspace, initial_state};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem};

/// Reads the named lists; a list it does not know is named and left.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for key in root.keys() {
        let Ok(member) = root.get(key) else { continue };
        match key {
            "euler" => euler(root, cases)?,
            "self_weight_column" => each(root, key, cases, column)?,
            "greenhill_clamped_clamped" => each(root, key, cases, greenhill)?,
            "greenhill_ball_joint" => each(root, key, cases, joint::measure)?,
            "michell_zajac_ring" => each(root, key, cases, ring)?,
            "lateral_buckling" => {
                let member = member.object()?;
                each(&member, "limit", cases, lateral::limit)?;
                each(&member, "exact", cases, lateral::exact)?;
            }
            _ if member.holds_cases() => {
                pending::add(key, &member, &format!("{key} is not a known kind of buckling"), cases)?
            }
            _ => {}
        }
    }
    Ok(())
}

fn each(
    root: &Field,
    key: &str,
    cases: &mut Cases,
    read: fn(&Field) -> Result<Measure, FieldError>,
) -> Result<(), FieldError> {
    let prefix = if key == "limit" || key == "exact" { format!("lateral_{key}") } else { key.to_owned() };
    for (place, case) in list(root, key)? {
        let mut id = name(&case, &prefix, place)?;
        if let Some(kind) = case.find("kind") {
            id = format!("{id}_{}", kind.as_text()?);
        }
        cases.add(id, place, read(&case))?;
    }
    Ok(())
}

/// How one end of a strut is held.
#[derive(Clone, Copy, PartialEq)]
enum Hold {
    Clamped,
    Pinned,
    Free,
    /// Frame held, free to move across.
    Guided,
}

impl Hold {
    fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "clamped" | "fixed" => Some(Self::Clamped),
            "pinned" | "hinged" => Some(Self::Pinned),
            "free" => Some(Self::Free),
            "guided" | "sliding" => Some(Self::Guided),
            _ => None,
        }
    }

    /// The end of a strut along x; `base` holds it along its axis too.
    fn end(self, pose: Pose, base: bool) -> End {
        let across = matches!(self, Self::Clamped | Self::Pinned);
        let turn = matches!(self, Self::Clamped | Self::Guided);
        End {
            position: pose.position,
            held: [base, across, across],
            orientation: turn.then_some(pose.orientation),
            twist: 0.0,
        }
    }
}

fn euler(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "euler")? {
        let conditions = case.find("end_conditions").map(|f| f.as_text()).transpose()?.unwrap_or("");
        let id = format!("{}_{conditions}", name(&case, "euler", place)?);
        let holds = conditions.split_once('-').and_then(|(a, b)| Some([Hold::parse(a)?, Hold::parse(b)?]));
        match holds {
            Some(holds) => cases.add(id, place, strut(&case, holds))?,
            None => cases.unsupported(id, place, format!("end conditions \"{conditions}\" are not known")),
        }
    }
    Ok(())
}

/// Along x, the base (the better held end) at the origin.
fn along_x() -> Pose {
    from_origin(&Vec3::x(), &Vec3::y())
}

fn strut(case: &Field, holds: [Hold; 2]) -> Result<Measure, FieldError> {
    let uniform = Uniform::read(case)?;
    let reference = load(case, "P_critical", uniform.stiffness.x / uniform.length.powi(2))?;
    let length = uniform.length;
    // A strut that stands on nothing has its other end as the base: it buckles alike.
    let [base, top] = if holds[0] == Hold::Free { [holds[1], holds[0]] } else { holds };
    Ok(Box::new(move |grid| {
        let far = Pose { position: Vec3::new(length, 0.0, 0.0), ..along_x() };
        let mut problem =
            Problem::new(uniform.straight(grid)?, base.end(along_x(), true), top.end(far, false));
        let state = at_rest(&problem, &along_x());
        let mut ws = Workspace::new(&problem);
        let found = critical(0.0, 0.1 * reference_scale(&uniform), 1.5, &mut |p| {
            problem.point_loads = vec![push(length, -p)];
            problem.check().map_err(|e| e.to_string())?;
            Ok(is_unstable(&problem, &state, &mut ws).into())
        })?;
        Ok(vec![threshold("critical load", found, reference)])
    }))
}

/// EI/L², the scale of every buckling force.
fn reference_scale(uniform: &Uniform) -> f64 {
    uniform.stiffness.x.min(uniform.stiffness.y) / uniform.length.powi(2)
}

/// A dead force along x at `s`.
pub(super) fn push(s: f64, force: f64) -> PointLoad {
    PointLoad { s, force: Vec3::new(force, 0.0, 0.0), moment: Vec3::zeros(), axes: Axes::World }
}

/// A critical load, stated in its own unit or as a factor of `unit`.
pub(super) fn load(case: &Field, key: &str, unit: f64) -> Result<f64, FieldError> {
    match case.maybe_number("factor")? {
        Some(factor) if case.find(key).is_none() => Ok(factor * unit),
        _ => case.positive(key),
    }
}

fn column(case: &Field) -> Result<Measure, FieldError> {
    let uniform = Uniform { density: 1.0, ..Uniform::read(case)? };
    let unit = uniform.stiffness.x / uniform.length.powi(3);
    let reference = load(case, "weight_per_length_critical", unit)?;
    Ok(Box::new(move |grid| {
        let base = from_origin(&Vec3::z(), &Vec3::x());
        let mut problem = Problem::new(uniform.straight(grid)?, End::clamped(base), End::free());
        let state = at_rest(&problem, &base);
        let mut ws = Workspace::new(&problem);
        let found = critical(0.0, 0.1 * unit, 1.5, &mut |weight| {
            problem.gravity = Vec3::new(0.0, 0.0, -weight);
            Ok(is_unstable(&problem, &state, &mut ws).into())
        })?;
        Ok(vec![threshold("critical weight", found, reference)])
    }))
}

fn greenhill(case: &Field) -> Result<Measure, FieldError> {
    let uniform = Uniform::read(case)?;
    let tension = case.maybe_number("tension")?.unwrap_or(0.0);
    let rotation = case.positive("end_rotation_critical_rad")?;
    let torque = case.maybe_number("torque_critical")?;
    let length = uniform.length;
    Ok(Box::new(move |grid| {
        let far = Pose { position: Vec3::new(length, 0.0, 0.0), ..along_x() };
        // The far end slides along the axis under the dead tension.
        let slide = Hold::Clamped.end(far, false);
        let mut problem = Problem::new(uniform.straight(grid)?, End::clamped(along_x()), slide);
        problem.point_loads.push(push(length, tension));
        let mut ws = Workspace::new(&problem);
        let softest = uniform.stiffness.x.min(uniform.stiffness.y);
        let found = critical(0.0, 0.2 * softest / uniform.stiffness.z, 1.2, &mut |twist| {
            problem.ends[1].twist = twist;
            let state = straight_twisted(&problem, &uniform, grid, &along_x(), twist)?;
            Ok(is_unstable(&problem, &state, &mut ws).into())
        })?;
        let mut out = vec![threshold("critical rotation", found, rotation)];
        out.extend(torque.map(|r| threshold("critical torque", found * uniform.stiffness.z / length, r)));
        Ok(out)
    }))
}

/// A closed ring of a straight rod: circular and evenly twisted until it writhes.
///
/// Past the threshold a writhed ring may be stable right beside the circle (K0/K large), and the
/// nodes of a twisted ring lie in no exact plane: the two cannot be told apart by their shape.
/// So the smallest eigenvalue is followed down the circular branch and extrapolated to zero.
fn ring(case: &Field) -> Result<Measure, FieldError> {
    let uniform = Uniform::read(case)?;
    let reference = case.positive("twist_critical_rad")?;
    let torque = case.maybe_number("torque_critical")?;
    Ok(Box::new(move |grid| {
        let found = writhing_twist(&uniform, grid)?;
        let mut out = vec![threshold("critical twist", found, reference)];
        let found_torque = found * uniform.stiffness.z / uniform.length;
        out.extend(torque.map(|r| threshold("critical torque", found_torque, r)));
        Ok(out)
    }))
}

fn writhing_twist(uniform: &Uniform, grid: Grid) -> Result<f64, String> {
    let mut problem = Problem::new(uniform.straight(grid)?, End::clamped(along_x()), End::free());
    problem.closed = true;
    let mut state = initial_state(&problem);
    let mut ws = Workspace::new(&problem);
    let mut eigenvalue = |twist: f64| {
        problem.ends[1].twist = twist;
        let report = settle(&problem, &mut state, &mut ws, &Settings::default())?;
        let stability = report.rest.stability.filter(|s| s.negative == 0);
        stability
            .map(|s| s.lambda_min)
            .ok_or_else(|| format!("the ring is unstable at {twist:.3} rad already"))
    };
    let stride = 0.25 * uniform.stiffness.x.min(uniform.stiffness.y) / uniform.stiffness.z;
    let mut points = vec![(0.0, eigenvalue(0.0)?)];
    // Strides until the mode that gives way is the softest, then halfway to where it leads.
    for _ in 0..400 {
        let (twist, value) = points[points.len() - 1];
        if value < 0.02 {
            return Ok(inverse_at_zero(&points[points.len().saturating_sub(4)..]));
        }
        let next = if value > 0.3 {
            twist + stride
        } else {
            0.5 * (twist + inverse_at_zero(&points[points.len().saturating_sub(2)..]))
        };
        points.push((next, eigenvalue(next)?));
    }
    Err("no twist makes the ring writhe".into())
}
