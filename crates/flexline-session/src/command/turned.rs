//! What is given in the axes of clips, eyes and beads, when those turn over with their cable.
//!
//! The axes turn over about x: a vector (x, y, z) in them becomes (x, −y, −z). A frame R of one body in the axes of
//! another, q_from = q_to R, becomes R X where the first turned over and X R where the second did, X being the half turn
//! about x.

use super::Kind;
use super::convert::frame;
use super::edit::Edit;
use super::pose::FRAME;
use super::reverse::{quaternion, turn_vector};
use super::tables::{drop_keys, numbers, set, tables, text};
use super::value::plain_vector;
use flexline::{Quat, Vec3};
use flexline_scene::units::Dimension;
use toml_edit::{Item, Table};

/// Vectors of constraints that go with a body.
const VECTORS: [&str; 5] = ["through", "normal", "direction", "centre", "axis"];

impl Edit {
    /// Turns what is given in the axes of these nodes; cable `but` is turned already.
    pub(super) fn turn_in_axes_of(&mut self, nodes: &[String], but: &str) {
        let is =
            |table: &Table, key: &str| text(table, key).is_some_and(|n| nodes.iter().any(|own| own == n));
        let meant = |table: &Table| ["from", "to", "on"].iter().any(|key| is(table, key));
        for kind in [Kind::Cable, Kind::Eye, Kind::Constraint] {
            // A list is only touched where something in it is meant.
            if !tables(self.doc.root(), kind.word()).iter().any(meant) {
                continue;
            }
            self.doc.each_mut(kind.word(), |table| match kind {
                Kind::Cable if text(table, "name") != Some(but) => {
                    for key in ["from", "to"] {
                        if is(table, key) && text(table, &format!("grip_{key}")) != Some("pinned") {
                            turn_direction(table, &format!("{key}_tangent"));
                        }
                    }
                }
                Kind::Eye if is(table, "on") => {
                    ["position", "tangent", "axle"].iter().for_each(|key| turn_vector(table, key));
                }
                Kind::Constraint => turn_constraint(table, &is),
                _ => {}
            });
        }
    }
}

fn turn_constraint(table: &mut Table, is: &dyn Fn(&Table, &str) -> bool) {
    let kind = text(table, "kind").unwrap_or_default().to_owned();
    if is(table, "on") {
        VECTORS.iter().for_each(|key| turn_vector(table, key));
        turn_points(table);
    }
    let [from, to] = ["from", "to"].map(|key| is(table, key));
    if kind == "parallel" {
        for key in [from.then_some("from_direction"), to.then_some("to_direction")].into_iter().flatten() {
            turn_direction(table, key);
        }
    }
    if kind == "aligned" && (from || to) {
        let over = Quat::new(0.0, 1.0, 0.0, 0.0);
        let mut turned = frame(table);
        if from {
            turned *= over;
        }
        if to {
            turned = over * turned;
        }
        drop_keys(table, &FRAME);
        set(table, "quaternion", quaternion(&turned));
    }
}

/// The direction under a key, z where it is not given.
pub(super) fn direction(table: &Table, key: &str) -> Vec3 {
    let given = numbers(table, key, Dimension::Ratio).filter(|v| v.len() == 3);
    given.map_or(Vec3::z(), |v| Vec3::new(v[0], v[1], v[2]))
}

fn turn_direction(table: &mut Table, key: &str) {
    let v = direction(table, key);
    set(table, key, plain_vector(&Vec3::new(v.x, -v.y, -v.z)));
}

/// Turns every point of a path.
fn turn_points(table: &mut Table) {
    let Some(points) = table.get("points").and_then(Item::as_array).cloned() else { return };
    let mut turned = toml_edit::Array::new();
    for point in &points {
        let mut one = Table::new();
        set(&mut one, "point", point.clone());
        turn_vector(&mut one, "point");
        if let Some(value) = one.get("point").and_then(Item::as_value) {
            turned.push(value.clone());
        }
    }
    set(table, "points", turned);
}
