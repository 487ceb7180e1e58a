//! The `[start]` and `[end]` tables.

use crate::diagnostic::Code;
use crate::model::{End, Hold, Orientation};
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::digits;
use flexline::algebra::rotation;
use flexline::solver::Axes;
use flexline::{Quat, Vec3};

pub(super) const END: &[&str] = &[
    "hold",
    "position",
    "slides",
    "tangent",
    "up",
    "quaternion",
    "axis",
    "angle",
    "twist",
    "force",
    "moment",
    "axes",
];
/// The axes of a load.
pub(super) const AXES: [(&str, Axes); 2] = [("world", Axes::World), ("material", Axes::Material)];

/// How far a quaternion may be from unit length and still be taken for rounding.
const ROUNDING: f64 = 1e-3;

/// Reads one end.
pub(super) fn read(root: &Table, key: &str, closed: bool) -> Option<End> {
    if !root.has(key) {
        root.report_missing(
            key,
            format!("add [{key}] with hold = \"clamped\", position and tangent; \"pinned\" and position; or \"free\""),
        );
    }
    let table = root.child(key, END)?;
    if !table.has("hold") {
        table.report_missing("hold", "expected \"clamped\", \"pinned\" or \"free\"");
    }
    let hold = table
        .choice("hold", &[("clamped", Hold::Clamped), ("pinned", Hold::Pinned), ("free", Hold::Free)])?;
    if hold == Hold::Free {
        let help = "leave it out, or hold the end: \"pinned\" or \"clamped\"";
        table.refuse(&["position", "slides"], "means nothing for a free end", help);
    } else if !table.has("position") {
        table.report_missing(
            "position",
            "say where the end is held: position = [\"0 mm\", \"0 mm\", \"0 mm\"]",
        );
    }
    if hold != Hold::Clamped {
        let help = "leave it out, or hold the direction as well: hold = \"clamped\"";
        let keys = ["tangent", "up", "quaternion", "axis", "angle", "twist"];
        table.refuse(&keys, "needs a clamped end", help);
    }
    let position = table.vector("position", Dimension::Length);
    let slides = table.choices("slides", &["x", "y", "z"]);
    let orientation = if hold == Hold::Clamped { read_orientation(&table) } else { None };
    let twist = table.quantity("twist", Dimension::Angle, Bounds::Any).unwrap_or(0.0);
    if closed {
        table.refuse(&["twist"], "does nothing at the seam of a ring", "the turns of a ring are cable.twist");
    }
    let force = table.vector("force", Dimension::Force);
    let moment = table.vector("moment", Dimension::Moment);
    let axes = table.choice("axes", &AXES).unwrap_or_default();
    let mut loose = [false; 3];
    for axis in slides.iter().flatten() {
        loose[*axis] = true;
    }
    if hold != Hold::Free && loose == [false; 3] {
        let help = "leave it out, free the end, or let it slide along some axes: slides = [\"x\"]";
        table.refuse(&["force"], "goes straight into what holds the end", help);
    }
    if hold == Hold::Clamped {
        table.refuse(
            &["moment"],
            "goes straight into the clamp",
            "leave it out, or hold the end \"pinned\" or \"free\"",
        );
    }
    if hold == Hold::Clamped {
        orientation?;
    }
    if hold != Hold::Free {
        position?;
    }
    Some(End {
        hold,
        position: position.map_or(Vec3::zeros(), Vec3::from),
        slides: loose,
        orientation,
        twist,
        force: force.map_or(Vec3::zeros(), Vec3::from),
        moment: moment.map_or(Vec3::zeros(), Vec3::from),
        axes,
    })
}

pub(super) fn read_orientation(table: &Table) -> Option<Orientation> {
    let Some(way) = table.one_of(&["tangent", "quaternion", "axis"]) else {
        let help = "say where the cable points, in the direction from start to end: tangent = [1, 0, 0]";
        table.report_missing("tangent", help);
        return None;
    };
    if way != "tangent" {
        table.refuse(&["up"], "goes with `tangent`", "leave it out: the frame is given already");
    }
    if way != "axis" {
        table.refuse(&["angle"], "goes with `axis`", "for a turn about the cable's own axis use `twist`");
    }
    match way {
        "tangent" => read_tangent(table),
        "quaternion" => read_quaternion(table),
        _ => {
            let axis = direction(table, "axis");
            if !table.has("angle") {
                let help = "give the turn about the axis, as in angle = \"90 deg\"; to point along the axis write `tangent` \
                            instead of `axis`";
                table.report_missing("angle", help);
                return None;
            }
            let angle = table.required("angle", Dimension::Angle, Bounds::Any);
            Some(Orientation::Frame(rotation::exp(&(axis? * angle?))))
        }
    }
}

fn read_tangent(table: &Table) -> Option<Orientation> {
    let tangent = direction(table, "tangent");
    let up = if table.has("up") { Some(direction(table, "up")?) } else { None };
    let tangent = tangent?;
    if up.is_some_and(|up| up.cross(&tangent).norm() < 1e-6) {
        let message = format!("{} is parallel to the tangent", table.words("up"));
        table.report(Code::Conflict, "up", message, "expected a direction across the cable, or none");
        return None;
    }
    Some(Orientation::Tangent(tangent, up))
}

/// A direction: three numbers of any length but zero.
pub(super) fn direction(table: &Table, key: &str) -> Option<Vec3> {
    let v = Vec3::from(table.vector(key, Dimension::Ratio)?);
    // Scaled first, so that neither tiny nor huge components under- or overflow.
    let largest = v.amax();
    if largest < 1e-300 {
        let message = format!("{} = [0, 0, 0] has no direction", table.words(key));
        table.report(
            Code::OutOfRange,
            key,
            message,
            "expected a vector other than zero, for example [1, 0, 0]",
        );
        return None;
    }
    Some((v / largest).normalize())
}

fn read_quaternion(table: &Table) -> Option<Orientation> {
    let [w, x, y, z] = table.array("quaternion", [Dimension::Ratio; 4])?;
    let q = Quat::new(w, x, y, z);
    let norm = q.norm();
    if (norm - 1.0).abs() > ROUNDING {
        let message = format!("{} has length {}, not 1", table.words("quaternion"), digits(norm));
        let unit = q.coords / q.coords.amax().max(f64::MIN_POSITIVE);
        let help = if unit.norm() > 0.0 {
            let u = unit.normalize();
            let [w, x, y, z] = [u.w, u.x, u.y, u.z].map(digits);
            format!("expected w, x, y, z of unit length; the same rotation is [{w}, {x}, {y}, {z}]")
        } else {
            "expected w, x, y, z of unit length; no rotation is [1, 0, 0, 0]".into()
        };
        table.report(Code::OutOfRange, "quaternion", message, help);
        return None;
    }
    Some(Orientation::Frame(q * (1.0 / norm)))
}
