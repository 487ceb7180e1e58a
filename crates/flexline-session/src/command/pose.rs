//! Moving things, letting go of them, and turning ends.

use super::document::NODES;
use super::edit::{Done, Edit, fill, needs_shape};
use super::parse::mistake;
use super::tables::{drop_keys, list_mut, numbers, quantity_of, set, table_mut, tables, text};
use super::value::{Quantity, length_vector, tidy, vector};
use super::{Keys, Kind};
use flexline::Vec3;
use flexline_scene::units::Dimension;
use flexline_scene::words::{digits, millimetres, quote};
use flexline_scene::{Code, SceneError};
use toml_edit::{Item, Table, Value};

/// Kinds whose things can be moved.
const MOVED: [Kind; 7] =
    [Kind::Port, Kind::Part, Kind::Junction, Kind::Clip, Kind::Eye, Kind::Bead, Kind::Obstacle];
/// The keys of a frame.
pub(super) const FRAME: [&str; 5] = ["tangent", "up", "quaternion", "axis", "angle"];

impl Edit {
    pub(super) fn shift(
        &mut self,
        name: &str,
        to: Option<&[Quantity; 3]>,
        by: Option<&[Quantity; 3]>,
        frame: &Keys,
    ) -> Done {
        if let Some(key) = frame.keys().find(|key| !FRAME.contains(&key.as_str())) {
            let message = format!("unknown field `{}` of `frame`", quote(key));
            return Err(mistake(
                Code::UnknownKey,
                "frame",
                message,
                format!("valid here: {}", FRAME.join(", ")),
            ));
        }
        if to.is_some() == by.is_some() && (to.is_some() || frame.is_empty()) {
            let help = "give one of `to` and `by`, or a `frame` alone";
            return Err(mistake(Code::MissingKey, "to", "it is not clear where to", help));
        }
        let to = to.map(|to| vector(to, "to", Dimension::Length).map(|v| (v, to))).transpose()?;
        let by = by.map(|by| vector(by, "by", Dimension::Length)).transpose()?;
        let is_obstacle = self.doc.index(Kind::Obstacle, name).is_some();
        let (kind, is_end) = if self.doc.is_harness() {
            (self.doc.kind_of("name", name, &MOVED)?, false)
        } else if is_obstacle && !["start", "end"].contains(&name) {
            (Kind::Obstacle, false)
        } else {
            (if name == "start" { Kind::Start } else { Kind::End }, true)
        };
        let table = if is_end {
            table_mut(self.doc.root_mut(), name).ok_or_else(|| {
                let help = "a ring has no end; name its \"start\"";
                mistake(Code::UnknownName, "name", format!("there is no [{name}]"), help)
            })?
        } else {
            self.doc.thing_mut("name", kind, name)?
        };
        if kind == Kind::Obstacle
            && let Some(part) = text(table, "on")
        {
            let message =
                format!("obstacle '{}' is on part '{}', and goes with it", quote(name), quote(part));
            let help = "move that part, or `set` its `position` in the axes of the part";
            return Err(mistake(Code::Conflict, "name", message, help));
        }
        let loose = is_loose(kind, table);
        let given = numbers(table, "position", Dimension::Length).filter(|v| v.len() == 3);
        let here = given.map(|v| Vec3::new(v[0], v[1], v[2]));
        let target = match (&to, by) {
            (Some((v, _)), _) => Some(*v),
            (None, Some(by)) => match here {
                Some(here) if !loose => Some(here + by),
                None if matches!(kind, Kind::Eye | Kind::Obstacle) => Some(by),
                _ => return Err(needs_shape("by")),
            },
            (None, None) => None,
        };
        let position: Option<Value> = match (&to, target) {
            (Some((_, written)), _) => {
                Some(written.iter().map(Quantity::to_toml).collect::<toml_edit::Array>().into())
            }
            (None, Some(target)) => Some(length_vector(&target)),
            (None, None) => None,
        };
        // Junctions, beads and eyes that only cables hold are held by a constraint. The place that the file gives is a
        // first guess, which decides how cables are rolled: it stays as it is.
        let by_constraint = loose && matches!(kind, Kind::Junction | Kind::Bead | Kind::Eye);
        if by_constraint && !frame.is_empty() {
            let message = format!("a {} has no frame to be given", kind.word());
            let help = "leave it out: its direction is that of its cables";
            return Err(mistake(Code::Conflict, "frame", message, help));
        }
        if position.is_none() && loose {
            return Err(needs_shape("to"));
        }
        if let Some(position) = position.as_ref().filter(|_| !by_constraint) {
            set(table, "position", position.clone());
        }
        if !frame.is_empty() {
            drop_keys(table, &FRAME);
            fill(table, frame, "frame")?;
        }
        let mut held = "";
        match kind {
            Kind::Clip if loose || (!frame.is_empty() && text(table, "hold") == Some("pinned")) => {
                set(table, "hold", if frame.is_empty() { "pinned" } else { "clamped" });
                held = " and held there";
            }
            Kind::Part if loose => {
                set(table, "hold", if frame.is_empty() { "position" } else { "fixed" });
                held = " and held there";
            }
            _ if by_constraint => {
                if let Some(position) = position {
                    self.hold_node(name, position);
                }
                held = " and held there";
            }
            _ => {}
        }
        let word = if is_end { "" } else { kind.word() };
        let what = format!("{word} '{name}'");
        let change = match target {
            Some(v) => format!(
                "{} moved to ({}){held}",
                what.trim_start(),
                [v.x, v.y, v.z].map(millimetres).join(", ")
            ),
            None => format!("{} turned", what.trim_start()),
        };
        self.tell(change);
        Ok(())
    }

    /// What only cables hold is held by a constraint to a point of the world.
    fn hold_node(&mut self, node: &str, position: Value) {
        if let (Some(i), Some(list)) = (self.hold_of(node), list_mut(self.doc.root_mut(), "constraint"))
            && let Some(table) = list.get_mut(i)
        {
            set(table, "to", position);
            return;
        }
        let mut table = Table::new();
        set(&mut table, "name", format!("hold of {node}"));
        set(&mut table, "kind", "coincide");
        set(&mut table, "from", node);
        set(&mut table, "to", position);
        self.doc.push(Kind::Constraint, table);
    }

    /// The index of the constraint that holds something at a point of the world.
    fn hold_of(&self, node: &str) -> Option<usize> {
        tables(self.doc.root(), "constraint").iter().position(|table| {
            text(table, "kind") == Some("coincide")
                && text(table, "from") == Some(node)
                && table.get("to").is_some_and(Item::is_array)
        })
    }

    /// Takes out what holds it at a point; says whether there was something.
    pub(super) fn drop_hold(&mut self, node: &str) -> bool {
        let Some(i) = self.hold_of(node) else { return false };
        if let Some(list) = list_mut(self.doc.root_mut(), "constraint") {
            list.remove(i);
        }
        true
    }

    pub(super) fn release(&mut self, name: &str) -> Done {
        let kind = self.doc.kind_of("name", name, &NODES)?;
        let not_held = |what: &str, help: &str| -> SceneError {
            mistake(Code::Conflict, "name", format!("{what} '{}' cannot be released", quote(name)), help)
        };
        match kind {
            Kind::Junction | Kind::Bead | Kind::Eye if self.drop_hold(name) => {}
            Kind::Junction | Kind::Bead => {
                return Err(not_held(kind.word(), "nothing holds it but its cables"));
            }
            Kind::Clip | Kind::Part => {
                let table = self.doc.thing_mut("name", kind, name)?;
                if is_loose(kind, table) {
                    return Err(not_held(kind.word(), "nothing holds it but cables"));
                }
                if kind == Kind::Part {
                    drop_keys(table, &["hold", "slides"]);
                } else {
                    set(table, "hold", "free");
                    drop_keys(table, &["position", "slides"]);
                    drop_keys(table, &FRAME);
                }
            }
            _ => {
                let help = "ports and eyes are places: separate what is fastened there, or move them";
                return Err(not_held(kind.word(), help));
            }
        }
        self.tell(format!("{} '{name}' released: it follows its cables", kind.word()));
        Ok(())
    }

    pub(super) fn turn(&mut self, cable: &str, by: Option<&Quantity>, to: Option<&Quantity>) -> Done {
        let is_harness = self.doc.is_harness();
        let own = self.doc.thing("cable", Kind::Cable, cable)?;
        // The end of a ring is its beginning: its turns are its own.
        let is_ring = !is_harness && own.get("closed").and_then(Item::as_bool) == Some(true);
        let table = if is_harness || is_ring {
            self.doc.thing_mut("cable", Kind::Cable, cable)?
        } else {
            table_mut(self.doc.root_mut(), "end").ok_or_else(|| {
                let help = "give the scene an [end]";
                mistake(Code::Conflict, "cable", "there is no [end] to be turned", help)
            })?
        };
        let before = quantity_of(table, "twist", Dimension::Angle).unwrap_or(0.0);
        let (angle, written) = match (by, to) {
            (Some(by), None) => {
                (before + by.read("by", Dimension::Angle)?, Some(by).filter(|_| before == 0.0))
            }
            (None, Some(to)) => (to.read("to", Dimension::Angle)?, Some(to)),
            _ => {
                let help = "give one of `by` and `to`";
                return Err(mistake(Code::MissingKey, "by", "it is not clear how far to turn", help));
            }
        };
        let degrees = tidy(angle.to_degrees());
        if angle == 0.0 || degrees == 0.0 {
            table.remove("twist");
        } else {
            set(table, "twist", written.map_or_else(|| format!("{degrees} deg").into(), Quantity::to_toml));
        }
        let what = if is_ring { "ring" } else { "end of cable" };
        self.tell(format!("{what} '{cable}' turned to {}°", digits(degrees)));
        Ok(())
    }
}

/// Whether nothing but cables holds it.
fn is_loose(kind: Kind, table: &Table) -> bool {
    match kind {
        Kind::Clip => text(table, "hold") == Some("free"),
        Kind::Part => matches!(text(table, "hold"), None | Some("free")),
        Kind::Eye => text(table, "on") == Some("free"),
        Kind::Junction | Kind::Bead => true,
        _ => false,
    }
}
