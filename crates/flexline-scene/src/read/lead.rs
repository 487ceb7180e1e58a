//! Motions of a harness.

use super::constraint::read_points;
use super::end::direction;
use super::names::Names;
use crate::diagnostic::Code;
use crate::harness::{Lead, Target, Way};
use crate::obstacle::ObstacleSpec;
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::quote;
use flexline::Vec3;

pub(super) const MOTION: &[&str] = &["target", "by", "points", "closed", "start", "duration", "turn", "axis"];

/// Reads a motion.
pub(super) fn read(table: &Table, known: &Names, obstacles: &[ObstacleSpec]) -> Option<Lead> {
    if !table.has("target") {
        table.report_missing(
            "target",
            "name what is moved: target = \"port\", a part, a clip, an eye or an obstacle",
        );
    }
    let obstacle =
        |name: &str| obstacles.iter().position(|own| own.name == name).filter(|_| !known.has(name));
    let named = if table.is_string("target") { table.string("target").and_then(obstacle) } else { None };
    let target = match named {
        Some(index) => match &obstacles[index].on {
            Some(part) => {
                let message = format!(
                    "{} is an obstacle on part '{}', and goes with it",
                    table.words("target"),
                    quote(part)
                );
                table.report(Code::Conflict, "target", message, "move that part");
                None
            }
            None => Some(Target::Obstacle(index)),
        },
        None if table.has("target") => known.find(table, "target").map(Target::Node),
        None => None,
    };
    let duration = table.required("duration", Dimension::Time, Bounds::Positive);
    let start = if table.has("start") {
        table.quantity("start", Dimension::Time, Bounds::NotNegative)
    } else {
        Some(0.0)
    };
    let way = match table.one_of(&["by", "points"]) {
        Some("by") => table.vector("by", Dimension::Length).map(|by| Way::By(by.into())),
        Some(_) => read_way(table),
        None if table.has("turn") => Some(Way::By(Vec3::zeros())),
        None => {
            table.report_missing(
                "by",
                "say where it goes: by = [0, 0, \"100 mm\"], points of a path, or a turn",
            );
            None
        }
    };
    if !table.has("points") {
        table.refuse(&["closed"], "goes with `points`", "leave it out, or give the points of a path");
    }
    let turn = if table.has("turn") {
        if !table.has("axis") {
            table.report_missing("axis", "say about which direction of the world: axis = [0, 0, 1]");
        }
        let axis = if table.has("axis") { direction(table, "axis") } else { None };
        let turn = table.quantity("turn", Dimension::Angle, Bounds::Any);
        axis.zip(turn).map(|(axis, turn)| axis * turn)
    } else {
        table.refuse(
            &["axis"],
            "goes with `turn`",
            "leave it out, or say how far it turns: turn = \"90 deg\"",
        );
        Some(Vec3::zeros())
    };
    Some(Lead { target: target?, way: way?, start: start?, duration: duration?, turn: turn? })
}

/// The points of a path; it begins where the target is, so that one point will do.
fn read_way(table: &Table) -> Option<Way> {
    let closed = if table.has("closed") { table.boolean("closed")? } else { false };
    let least = if closed { 2 } else { 1 };
    let points = read_points(table, "points", least, false)?;
    Some(Way::Through(points, closed))
}
