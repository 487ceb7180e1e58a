//! A rod bent over a cylinder or over a sharp edge, in the plane: a point touches, or an arc.
//!
//! Three-point bending is symmetric: its half is solved, from a middle that is held level and is free along z.

use super::super::{list, name};
use super::rest::{ARC, Hold, Rest, Results, obstacle, planar, upright};
use super::{CHAINS, EVERY};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta, threshold};
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Mesh, Obstacle, Shape};
use flexline::solver::Pose;

const PRESSURE: f64 = tolerance::contact::PRESSURE;
/// Share of the length by which an end is lowered before its load takes over.
const FIRST_DROP: f64 = 0.02;
/// Angle of a blade from the vertical, towards the clamp, and half the angle of its edge, rad.
const BLADE: f64 = -0.4;
const SHARP: f64 = 0.15;

/// Reads `three_point`, `wrap_onset`, and `cantilever` or `cases`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "three_point")? {
        cases.add_contact(name(&case, "three_point", place)?, place, &CHAINS, three_point(&case))?;
    }
    for (key, claimed) in [("cantilever", &CHAINS[..]), ("cases", &EVERY[..])] {
        for (place, case) in list(root, key)? {
            cases.add_contact(name(&case, key, place)?, place, claimed, cantilever(&case))?;
        }
    }
    for (place, case) in list(root, "wrap_onset")? {
        cases.add_contact(name(&case, "wrap_onset", place)?, place, &CHAINS, wrap_onset(&case))?;
    }
    Ok(())
}

/// What touches: nothing, a point, or an arc.
fn found(rest: &Rest) -> &'static str {
    match rest.extent() {
        None => "none",
        Some([first, last]) if last - first <= rest.spacing => "point",
        Some(_) => "arc",
    }
}

/// A bar along y, or a blade whose sharp edge is there, which comes from below, or from above where the load pushes up.
fn below(centre: Vec3, radius: f64, length: f64, up: f64) -> Result<Obstacle, String> {
    if radius > 0.0 {
        return Ok(obstacle(Shape::Cylinder { radius, half_length: None }, centre, Vec3::y()));
    }
    // Two faces that leave the edge to either side of where the blade comes from; the rod touches neither.
    let face = |angle: f64| Vec3::new(angle.sin(), 0.0, -up * angle.cos()) * length;
    let sides = [-Vec3::y() * length, Vec3::y() * length];
    let mut vertices: Vec<Vec3> = sides.to_vec();
    for side in [BLADE - SHARP, BLADE + SHARP] {
        vertices.extend(sides.map(|end| end + face(side)));
    }
    let triangles = [[0, 1, 2], [1, 3, 2], [0, 4, 1], [1, 4, 5]];
    let (mesh, _) = Mesh::new(&vertices, &triangles).map_err(|e| e.to_string())?;
    let pose = Pose { position: centre, orientation: rotation::identity() };
    Ok(Obstacle { shape: Shape::Mesh(mesh.into()), pose, friction: 0.0 })
}

fn cantilever(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let uniform = Uniform::read(&params)?;
    let radius = params.positive("radius")?;
    let bar = params.number("cylinder_radius")?;
    let (centre, force) = (params.vec3("cylinder_centre")?, params.vec3("tip_force")?);
    let numbers = [
        "contact_angle",
        "contact_force",
        "root_moment_signed",
        "tip_angle",
        "arc_pressure",
        "arc_tension",
        "force_at_arc_start",
        "force_at_arc_end",
    ];
    let lists = [
        "contact_s",
        "tangent_angle_at_contact",
        "total_contact_force",
        "clamp_force",
        "tip",
        "contact_force_direction",
    ];
    let results = Results::read(case, &numbers, &lists)?;
    let samples = Samples::read(case, Theta::Above)?;
    Ok(Box::new(move |grid| {
        let length = uniform.length;
        let clamp = upright(Vec3::zeros(), 0.0);
        let mut rest =
            Rest::new(&planar(uniform), radius, grid, (Hold::Clamped, clamp), (Hold::Free, clamp))?;
        rest.network.obstacles.push(below(centre, bar, length, -force.z.signum())?);
        rest.pull_end(Vec3::zeros());
        let report = rest.lead(0.1, &|network, share| {
            network.spans[0].point_loads[0].force = force * (share * share);
        })?;
        let mut out = Vec::new();
        let gap = |x: &Vec3| Vec3::new(x.x - centre.x, 0.0, x.z - centre.z).norm() - bar - radius;
        rest.compare(samples.as_ref(), &gap, &mut out);
        out.extend(results.kind(found(&rest)));
        out.extend(results.force("contact force", "total_contact_force", &rest.total()));
        let clamp = report.reactions[0];
        out.extend(results.force("force at the clamp", "clamp_force", &clamp.force));
        let tip = rest.at(length);
        let off = |r: Vec3| Quantity::new("tip", (tip - r).norm() / length, tolerance::contact::CENTRELINE);
        out.extend(results.vector("tip").map(off));
        out.extend(results.angle("tip angle", "tip_angle", &rest, length));
        // What the clamp asks of the rod is −EI θ′, about −y.
        let root = clamp.moment.y;
        out.extend(
            results
                .relative("root moment", "root_moment_signed", root, tolerance::contact::FORCE)
                .filter(|_| root.abs() > 1e-2 * force.norm() * length),
        );
        let total = rest.total().norm();
        out.extend(results.relative(
            "contact force",
            "contact_force",
            total,
            tolerance::contact::CONCENTRATED,
        ));
        if let Some(direction) = results.vector("contact_force_direction") {
            let error = rest.total().normalize().cross(&direction).norm();
            out.push(Quantity::new("direction of contact force", error, tolerance::ANGLE));
        }
        let extent = rest.extent().unwrap_or([f64::NAN; 2]);
        arc(&rest, &results, extent, radius + bar, &mut out);
        if let Some([a, b]) = results.list("contact_s") {
            out.push(rest.place("begin of contact", extent[0], *a));
            out.push(rest.place("end of contact", extent[1], *b));
        }
        if let (Some([a, b]), Some([s, _])) =
            (results.list("tangent_angle_at_contact"), results.list("contact_s"))
            && a == b
        {
            let tangent = Theta::Above.tangent(*a);
            let error = rest.tangent(*s).cross(&tangent).norm();
            out.push(Quantity::new("angle at contact", error, tolerance::ANGLE));
        }
        Ok(out)
    }))
}

/// What is told of an arc of contact.
fn arc(rest: &Rest, results: &Results, extent: [f64; 2], axis_radius: f64, out: &mut Vec<Quantity>) {
    let [a, b] = extent;
    if results.contact.as_deref() != Some("arc") {
        return;
    }
    let angle = results.number("contact_angle").or(results.number("contact_angle_total").map(|a| 0.5 * a));
    let told = rest.tells(angle.unwrap_or(0.0) * axis_radius, ARC);
    let pressure = results.relative("pressure", "arc_pressure", rest.pressure(extent), PRESSURE);
    out.extend(pressure.filter(|_| told));
    let middle = 0.5 * (a + b);
    let tension = rest.internal(middle).dot(&rest.tangent(middle));
    out.extend(results.relative("tension of the arc", "arc_tension", tension, tolerance::contact::FORCE));
    let ends = rest.concentrated(extent);
    for (key, found) in
        [("force_at_arc_start", ends[0]), ("force_at_arc_end", ends[1]), ("force_at_each_arc_end", ends[1])]
    {
        let within = tolerance::contact::CONCENTRATED;
        out.extend(results.relative("force at the end of the arc", key, found, within).filter(|_| told));
    }
    for key in ["contact_angle", "contact_angle_total"] {
        let share = if key == "contact_angle" { 1.0 } else { 0.5 };
        out.extend(
            results.number(key).map(|r| rest.place("length of the arc", b - a, share * r * axis_radius)),
        );
    }
}

/// Half a rod over a cylinder at the origin.
fn half(uniform: &Uniform, radius: f64, bar: f64, grid: Grid, end: (Hold, Pose)) -> Result<Rest, String> {
    let middle = upright(Vec3::z() * (bar + radius), 0.0);
    let mut rest = Rest::new(&planar(*uniform), radius, grid, (Hold::Clamped, middle), end)?;
    rest.network.anchors[0].held[2] = false;
    rest.network.obstacles.push(below(Vec3::zeros(), bar, uniform.length, 1.0)?);
    rest.renew();
    Ok(rest)
}

/// The half with its end at a height, free along x under a force there.
fn hung(uniform: &Uniform, radius: f64, bar: f64, grid: Grid, along: f64) -> Result<Rest, String> {
    let end = upright(Vec3::new(uniform.length, 0.0, bar + radius), 0.0);
    let mut rest = half(uniform, radius, bar, grid, (Hold::Hinged, end))?;
    rest.network.anchors[1].held[0] = false;
    rest.network.anchors[1].force.x = along;
    rest.renew();
    Ok(rest)
}

fn three_point(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let whole = Uniform::read(&params)?;
    let length = params.maybe_number("half_length")?.unwrap_or(0.5 * whole.length);
    let uniform = Uniform { length, ..whole };
    let (radius, bar) = (params.positive("radius")?, params.positive("cylinder_radius")?);
    let ends = params.get("ends")?;
    let hold = match ends.as_text()? {
        "dead_load" => None,
        "pinned_ends" => Some((Hold::Hinged, params.vec3("end_position")?)),
        "clamped_ends" => Some((Hold::Clamped, params.vec3("end_position")?)),
        _ => return Err(ends.wrong("dead_load, pinned_ends or clamped_ends")),
    };
    let force = if hold.is_none() { params.vec3("end_force")? } else { Vec3::zeros() };
    let numbers = [
        "contact_angle_total",
        "arc_half_length",
        "end_moment_signed",
        "end_angle",
        "total_contact_force_z",
        "force_at_each_arc_end",
        "arc_tension",
        "arc_pressure",
    ];
    let results = Results::read(case, &numbers, &["force_on_rod_at_end", "end"])?;
    let samples = Samples::read(case, Theta::Above)?;
    Ok(Box::new(move |grid| {
        let mut rest = match hold {
            None => {
                // Its end is lowered until the middle presses; then the load takes over.
                let mut rest = hung(&uniform, radius, bar, grid, force.x)?;
                let height = rest.network.anchors[1].pose.position.z - FIRST_DROP * length;
                rest.lead(1.0, &|network, _| network.anchors[1].pose.position.z = height)?;
                let first = rest.report.as_ref().map_or(0.0, |r| r.reactions[1].force.z);
                rest.network.anchors[1].held[2] = false;
                rest.renew();
                rest.lead(0.1, &|network, share| {
                    network.anchors[1].force.z = first + (force.z - first) * share * share;
                })?;
                rest
            }
            Some((hold, at)) => {
                let from = Vec3::new(length, 0.0, bar + radius);
                let mut rest = half(&uniform, radius, bar, grid, (hold, upright(from, 0.0)))?;
                rest.lead(0.05, &|network, share| {
                    network.anchors[1].pose.position = from + (at - from) * share;
                })?;
                rest
            }
        };
        let report = rest.report.take().ok_or("nothing was solved")?;
        rest.report = Some(report.clone());
        let mut out = Vec::new();
        let axis_radius = bar + radius;
        let gap = |x: &Vec3| x.x.hypot(x.z) - axis_radius;
        rest.compare(samples.as_ref(), &gap, &mut out);
        out.extend(results.kind(found(&rest)));
        let extent = rest.extent().unwrap_or([f64::NAN; 2]);
        arc(&rest, &results, extent, axis_radius, &mut out);
        let arc_length = results.number("arc_half_length").filter(|l| *l > 0.0);
        out.extend(arc_length.map(|r| rest.place("length of the arc", extent[1], r)));
        let end = report.reactions[1];
        let pulled = end.force + force;
        out.extend(results.force("force at the end", "force_on_rod_at_end", &pulled));
        let moment = -end.moment.y;
        out.extend(results.relative(
            "moment at the end",
            "end_moment_signed",
            moment,
            tolerance::contact::FORCE,
        ));
        let total = 2.0 * rest.total().z;
        out.extend(results.relative(
            "contact force",
            "total_contact_force_z",
            total,
            tolerance::contact::FORCE,
        ));
        out.extend(results.angle("end angle", "end_angle", &rest, length));
        let tip = rest.at(length);
        let off = |r: Vec3| Quantity::new("end", (tip - r).norm() / length, tolerance::contact::CENTRELINE);
        out.extend(results.vector("end").map(off));
        Ok(out)
    }))
}

/// The dead load at which a point becomes an arc: there the middle bends as the cylinder does.
fn wrap_onset(case: &Field) -> Result<Measure, FieldError> {
    let axis_radius = case.positive("axis_radius_over_half_length")?;
    let load = case.maybe_number("P_onset_L2_over_EI")?;
    let angle = case.maybe_number("end_angle")?;
    let uniform = Uniform { length: 1.0, stiffness: Vec3::new(1.0, 1.0, 1.0), density: 0.0 };
    let radius = 0.1 * axis_radius;
    Ok(Box::new(move |grid| {
        let mut rest = hung(&uniform, radius, axis_radius - radius, grid, 0.0)?;
        let force = |rest: &Rest| rest.report.as_ref().map_or(f64::NAN, |r| -r.reactions[1].force.z);
        // The moment in the middle is that of the end force.
        let bend = |rest: &Rest| 1.0 - force(rest) * rest.at(1.0).x * axis_radius;
        rest.seek(2, -0.02, &bend)?;
        let mut out = Vec::new();
        out.extend(load.map(|r| threshold("wrap onset", force(&rest), r)));
        out.extend(angle.map(|r| {
            let t = rest.tangent(1.0);
            Quantity::new("end angle", (t.z.atan2(t.x) - r).abs(), tolerance::ANGLE)
        }));
        Ok(out)
    }))
}
