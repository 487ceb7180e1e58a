//! Poles: round bars without ends that cables cannot enter.

use super::end::direction;
use super::eye::RADIUS;
use crate::diagnostic::Code;
use crate::model::PoleSpec;
use crate::obstacle::ObstacleSpec;
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::quote;
use flexline::Vec3;

pub(super) const POLE: &[&str] = &["name", "through", "axis", "radius", "friction"];

/// Reads `[[pole]]` of any scene; `None` where one is wrong. What else cables cannot enter has other names.
pub(super) fn read(root: &Table, obstacles: &[ObstacleSpec]) -> Option<Vec<PoleSpec>> {
    let tables = root.children("pole", POLE);
    let poles: Vec<Option<PoleSpec>> = tables.iter().enumerate().map(|(i, t)| read_pole(t, i)).collect();
    for (i, (table, pole)) in tables.iter().zip(&poles).enumerate() {
        let Some(pole) = pole else { continue };
        if poles[..i].iter().flatten().any(|other| other.name == pole.name) {
            let message = format!("\"{}\" is the name of another pole", quote(&pole.name));
            table.report(Code::Conflict, "name", message, "give each pole a name of its own");
        }
        if obstacles.iter().any(|other| other.name == pole.name) {
            let message = format!("\"{}\" is the name of an obstacle", quote(&pole.name));
            table.report(Code::Conflict, "name", message, "give the pole a name of its own");
        }
    }
    poles.into_iter().collect()
}

fn read_pole(table: &Table, index: usize) -> Option<PoleSpec> {
    let name = table.string("name").map_or_else(|| format!("pole {}", index + 1), Into::into);
    if !table.has("through") {
        table.report_missing("through", "give a point of its axis: through = [0, 0, 0]");
    }
    if !table.has("axis") {
        table.report_missing("axis", "say which way it runs: axis = [0, 0, 1]");
    }
    let through = table.vector("through", Dimension::Length).map(Vec3::from);
    let axis = if table.has("axis") { direction(table, "axis") } else { None };
    let radius = table.required("radius", Dimension::Length, RADIUS);
    let friction = table.quantity("friction", Dimension::Ratio, Bounds::NotNegative);
    if table.has("friction") {
        friction?;
    }
    Some(PoleSpec {
        name,
        through: through?,
        axis: axis?,
        radius: radius?,
        friction: friction.unwrap_or(0.0),
    })
}
