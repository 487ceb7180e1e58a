//! Turning a cable round: what began becomes the end.
//!
//! The frame turns over about d1: d1 stays, d2 and d3 change sign. So curvature κ1 changes its sign, κ2 and twist
//! keep theirs, and a vector in material axes becomes (x, −y, −z).

use super::Kind;
use super::document::STOPS;
use super::edit::{Done, Edit};
use super::lineage::Piece;
use super::section::{mirror_rest, mirror_zones, put_rest, put_zones, rest, zones};
use super::tables::{list_mut, move_places, numbers, quantity_of, set, tables, text};
use super::turned::direction;
use super::value::plain_vector;
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};
use flexline_scene::units::Dimension;
use toml_edit::{Item, Table};

impl Edit {
    /// Turns a cable of a harness round. An end that is free stays so; ports, connectors and clips get the frames
    /// that the new direction needs.
    pub(super) fn reverse(&mut self, cable: &str) -> Done {
        let length = self.doc.length(cable)?;
        let old = self.doc.thing("cable", Kind::Cable, cable)?;
        let end = |key: &str| text(&old, key).unwrap_or("free").to_owned();
        let (from, to) = (end("to"), end("from"));
        let turned = self.turning(cable);
        let mut tangents = [None; 2];
        let mut nodes = [from, to];
        for (i, key) in ["to", "from"].into_iter().enumerate() {
            let node = &nodes[i];
            let pinned = text(&old, &format!("grip_{key}")) == Some("pinned");
            if node == "free" || pinned {
                continue;
            }
            if node.contains('.') || self.doc.index(Kind::Port, node).is_some() {
                nodes[i] = self.turned_node(&nodes[i].clone())?;
            } else {
                let tangent = -direction(&old, &format!("{key}_tangent"));
                // In what is on the cable itself, the axes turn over as well.
                let own = turned.contains(node);
                tangents[i] = Some(if own { Vec3::new(tangent.x, -tangent.y, -tangent.z) } else { tangent });
            }
        }
        let zones = mirror_zones(zones(&old, length), length);
        let turned_rest = mirror_rest(&rest(&old, length), length);
        let table = self.doc.thing_mut("cable", Kind::Cable, cable)?;
        let grips = ["grip_to", "grip_from"].map(|key| old.get(key).cloned());
        for (i, key) in ["from", "to"].into_iter().enumerate() {
            set(table, key, nodes[i].as_str());
            let (grip, tangent) = (format!("grip_{key}"), format!("{key}_tangent"));
            table.remove(&grip);
            table.remove(&tangent);
            if let Some(item) = grips[i].clone() {
                table.insert(&grip, item);
            }
            if let Some(v) = tangents[i] {
                table.insert(&tangent, Item::Value(plain_vector(&v)));
            }
        }
        if !zones.is_empty() {
            put_zones(table, zones, length);
        }
        if table.contains_key("rest") {
            put_rest(table, &turned_rest);
        }
        let mirror = |s: f64| length - s;
        self.doc.each_on_mut(cable, |kind, table| {
            move_places(table, &["at"], [length; 2], &mirror);
            match kind {
                Kind::Clip => turn_frame(table),
                // A pulley is gone round the other way, a direction is held the other way round.
                Kind::Eye => ["axle", "tangent"].iter().for_each(|key| negate(table, key)),
                Kind::Load => turn_load(table, length),
                _ => {}
            }
        });
        self.turn_in_axes_of(&turned, cable);
        self.step.cable(cable, vec![Piece { new: [0.0, length], cable: cable.into(), old: [length, 0.0] }]);
        Ok(())
    }

    /// What is on a cable and has its axes: clips, beads, and eyes that are no pulleys.
    fn turning(&self, cable: &str) -> Vec<String> {
        let mut names = Vec::new();
        for kind in STOPS {
            let own = tables(self.doc.root(), kind.word());
            let turns = |t: &&Table| {
                text(t, "cable") == Some(cable) && !(kind == Kind::Eye && t.contains_key("radius"))
            };
            names.extend(own.iter().filter(turns).filter_map(|t| text(t, "name").map(str::to_owned)));
        }
        names
    }

    /// The port or connector for a cable that now runs the other way: the same one turned where nothing else is
    /// at it, else a turned copy.
    fn turned_node(&mut self, node: &str) -> Result<String, flexline_scene::SceneError> {
        let kind = if node.contains('.') { Kind::Connector } else { Kind::Port };
        let shared = self.doc.cables_at(node).len() > 1;
        let table = self.doc.thing_mut("to", kind, node)?;
        if !has_frame(table) {
            return Ok(node.to_owned());
        }
        if !shared {
            turn_frame(table);
            return Ok(node.to_owned());
        }
        let mut copy = table.clone();
        copy.set_position(None);
        turn_frame(&mut copy);
        let (part, own) = node.split_once('.').map_or((None, node), |(part, own)| (Some(part), own));
        let name = match part {
            None => self.doc.fresh(&format!("{own} reversed"), &super::document::NODES),
            Some(part) => {
                let taken = self.doc.labels(Kind::Connector);
                let mut name = format!("{own} reversed");
                while taken.contains(&format!("{part}.{name}")) {
                    name.push('\'');
                }
                name
            }
        };
        set(&mut copy, "name", name.as_str());
        self.tell(format!("{} '{name}' added: '{node}' is used the other way round as well", kind.word()));
        match part {
            None => {
                self.doc.push(Kind::Port, copy);
                Ok(name)
            }
            Some(part) => {
                let table = self.doc.thing_mut("to", Kind::Part, part)?;
                if let Some(list) = list_mut(table, "connector") {
                    list.push(copy);
                }
                Ok(format!("{part}.{name}"))
            }
        }
    }
}

/// Turns a vector round.
fn negate(table: &mut Table, key: &str) {
    if let Some(&[x, y, z]) = numbers(table, key, Dimension::Ratio).as_deref() {
        set(table, key, plain_vector(&-Vec3::new(x, y, z)));
    }
}

fn has_frame(table: &Table) -> bool {
    ["tangent", "quaternion", "axis"].iter().any(|key| table.contains_key(key))
}

/// Turns the frame of a table over about d1.
pub(super) fn turn_frame(table: &mut Table) {
    let vector = |key: &str| {
        numbers(table, key, Dimension::Ratio).filter(|v| v.len() == 3).map(|v| Vec3::new(v[0], v[1], v[2]))
    };
    if let Some(tangent) = vector("tangent") {
        set(table, "tangent", plain_vector(&-tangent));
        return;
    }
    let over = Quat::new(0.0, 1.0, 0.0, 0.0);
    let frame = match (numbers(table, "quaternion", Dimension::Ratio).as_deref(), vector("axis")) {
        (Some(&[w, x, y, z]), _) => Quat::new(w, x, y, z),
        (_, Some(axis)) => {
            let angle = quantity_of(table, "angle", Dimension::Angle).unwrap_or(0.0);
            rotation::exp(&(axis.try_normalize(0.0).unwrap_or(Vec3::z()) * angle))
        }
        _ => return,
    };
    table.remove("axis");
    table.remove("angle");
    set(table, "quaternion", quaternion(&(frame * over)));
}

/// A quaternion as TOML.
pub(super) fn quaternion(q: &Quat) -> toml_edit::Value {
    use super::value::{number, tidy};
    [q.w, q.i, q.j, q.k].iter().map(|c| number(tidy(*c))).collect::<toml_edit::Array>().into()
}

/// A load on a cable of the given length that was turned round; `at` has moved already.
fn turn_load(table: &mut Table, length: f64) {
    use super::tables::place;
    let at = |table: &Table, key: &str| place(table.get(key)?.as_value()?, length);
    if let (Some(a), Some(b)) = (at(table, "from"), at(table, "to")) {
        let mirror = |s: f64| length - s;
        let (old_from, old_to) = (table.get("from").cloned(), table.get("to").cloned());
        if let (Some(from), Some(to)) = (old_from, old_to) {
            table.insert("from", to);
            table.insert("to", from);
            // Each key now has the other's place: mirror them.
            move_places(table, &["from", "to"], [length; 2], &mirror);
        }
        debug_assert!(a <= b);
    }
    let material = text(table, "axes") == Some("material");
    for key in ["force", "moment"] {
        if material {
            turn_vector(table, key);
        }
    }
    for key in ["force_per_length", "moment_per_length"] {
        if table.get(key).is_some_and(|item| item.is_array()) {
            if material {
                turn_vector(table, key);
            }
        } else if let Some(ends) = super::tables::table_mut(table, key) {
            let (a, b) = (ends.get("start").cloned(), ends.get("end").cloned());
            if let (Some(a), Some(b)) = (a, b) {
                ends.insert("start", b);
                ends.insert("end", a);
            }
            if material {
                turn_vector(ends, "start");
                turn_vector(ends, "end");
            }
            let inline = ends.clone().into_inline_table();
            table.insert(key, Item::Value(inline.into()));
        }
    }
}

/// Changes the sign of the second and third component, whatever their units.
pub(super) fn turn_vector(table: &mut Table, key: &str) {
    let Some(array) = table.get_mut(key).and_then(Item::as_array_mut) else { return };
    for i in 1..array.len().min(3) {
        let Some(value) = array.get(i) else { continue };
        let turned: toml_edit::Value = match value {
            toml_edit::Value::String(text) => {
                let text = text.value().trim();
                match text.strip_prefix('-') {
                    Some(rest) => rest.into(),
                    None => format!("-{}", text.trim_start_matches('+')).into(),
                }
            }
            toml_edit::Value::Integer(n) => n.value().wrapping_neg().into(),
            toml_edit::Value::Float(n) => (-n.value()).into(),
            _ => continue,
        };
        array.replace(i, turned);
    }
}
