//! From a scene of one cable to the same scene as a harness.

use super::Kind;
use super::edit::{Done, Edit};
use super::lineage::Piece;
use super::parse::mistake;
use super::reverse::quaternion;
use super::section::rod_model;
use super::tables::{drop_keys, numbers, put_list, quantity_of, set, text};
use super::things::single_mut;
use super::value::tidy;
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};
use flexline_scene::Code;
use flexline_scene::model::Orientation;
use flexline_scene::model::STANDARD_SEGMENTS;
use flexline_scene::units::Dimension;
use flexline_scene::words::quote;
use std::f64::consts::TAU;
use toml_edit::{ArrayOfTables, Item, Table};

const HOLD: [&str; 4] = ["hold", "slides", "force", "moment"];

/// What an end of the one cable becomes.
struct Ending {
    /// What the cable begins or ends in, or `"free"`.
    node: String,
    pinned: bool,
    /// The turn of the end, rad.
    twist: f64,
    /// Whether the roll of its frame is left open.
    open: bool,
}

impl Edit {
    /// Turns `[cable]`, `[start]` and `[end]` into `[[cable]]` and `[[port]]`.
    pub(super) fn make_harness(&mut self) -> Done {
        let root = self.doc.root_mut();
        let Some(cable) = single_mut(root) else {
            return Err(mistake(Code::MissingKey, "", "there is no [cable]", "a scene needs one"));
        };
        if cable.get("closed").and_then(Item::as_bool) == Some(true) {
            let help = "a harness has no rings: leave it a scene of one cable, or open it first";
            return Err(mistake(Code::Conflict, "do", "a closed ring cannot be turned into a harness", help));
        }
        let Some(Ok(mut cable)) = root.remove("cable").map(Item::into_table) else {
            return Err(mistake(Code::WrongType, "", "[cable] is not a table", "mend the scene first"));
        };
        let old_name = text(&cable, "name").unwrap_or("cable").to_owned();
        let mut name = old_name.replace('.', "-");
        if name.is_empty() || name == "free" {
            name = "cable".into();
        }
        if name != old_name {
            self.tell(format!("cable '{old_name}' is called '{name}': a harness has no dots in names"));
        }
        set(&mut cable, "name", name.as_str());
        cable.remove("closed");
        if cable.remove("grading").is_some_and(|g| g.as_str() != Some("uniform")) {
            self.tell("`grading` is left out: the segments of a harness are uniform");
        }
        let model = rod_model(&cable);
        let [key, _] = model.keys();
        if !cable.contains_key(key) && !cable.contains_key("accuracy") {
            set(&mut cable, key, model.standard(STANDARD_SEGMENTS) as i64);
        }
        cable.set_dotted(false);
        cable.set_implicit(false);
        let length = quantity_of(&cable, "length", Dimension::Length).unwrap_or(0.0);

        let start = self.ending("start", 0)?;
        let end = self.ending("end", 1)?;
        let mut twist = end.twist;
        if start.twist != 0.0 {
            // The start keeps its turn within half a turn; whole turns go to the end, the other way.
            twist -= if end.open { start.twist } else { (start.twist / TAU).round() * TAU };
        }
        let reversed = start.node == "free";
        for (key, ending) in [("from", &start), ("to", &end)] {
            set(&mut cable, key, ending.node.as_str());
            if ending.pinned {
                set(&mut cable, &format!("grip_{key}"), "pinned");
            }
        }
        if tidy(twist) != 0.0 && !start.pinned && !end.pinned {
            set(&mut cable, "twist", format!("{} deg", tidy(twist.to_degrees())));
        }
        let mut list = ArrayOfTables::new();
        list.push(cable);
        let root = self.doc.root_mut();
        root.insert("cable", Item::ArrayOfTables(list));
        self.doc.each_mut("load", |load| set(load, "cable", name.as_str()));
        self.end_loads(&name);
        self.drop_methods();
        if reversed {
            // What nothing holds cannot begin a cable: it runs the other way.
            self.reverse(&name)?;
            self.tell(format!("cable '{name}' begins at its held end now"));
        }
        let old = if reversed { [length, 0.0] } else { [0.0, length] };
        self.step.cable(&name, vec![Piece { new: [0.0, length], cable: old_name, old }]);
        self.tell("the scene is a harness now");
        Ok(())
    }

    /// Makes a port of an end, a part where it slides, nothing where it is free. Its forces wait as loads.
    fn ending(&mut self, key: &str, side: usize) -> Result<Ending, flexline_scene::SceneError> {
        let missing =
            || mistake(Code::MissingKey, "", format!("there is no [{key}]"), "mend the scene first");
        let item = self.doc.root_mut().remove(key).ok_or_else(missing)?;
        let mut table = item.into_table().map_err(|_| missing())?;
        let hold = text(&table, "hold").unwrap_or("free").to_owned();
        let material = text(&table, "axes") == Some("material");
        let twist = quantity_of(&table, "twist", Dimension::Angle).unwrap_or(0.0);
        let slides = table.get("slides").and_then(Item::as_array).is_some_and(|a| !a.is_empty());
        let given: Vec<(&str, Item)> =
            ["force", "moment"].into_iter().filter_map(|k| Some((k, table.get(k)?.clone()))).collect();
        drop_keys(&mut table, &["twist", "axes"]);
        table.set_dotted(false);
        table.set_implicit(false);
        let pinned = hold == "pinned";
        let free = hold == "free";
        if slides && material && table.contains_key("force") {
            let message = format!("the force of [{key}] turns with an end that slides");
            let help = "give it in world axes: a harness cannot have it otherwise";
            return Err(mistake(Code::Conflict, "do", message, help));
        }
        // A force on what slides is one on the part; every other one is a load at the end of the cable.
        for (kind, item) in given {
            if slides && kind == "force" {
                continue;
            }
            let mut load = Table::new();
            set(&mut load, "name", format!("{kind} at the {key}"));
            match side {
                0 => set(&mut load, "at", 0),
                _ => set(&mut load, "at", "100 %"),
            }
            load.insert(kind, item);
            if material {
                set(&mut load, "axes", "material");
            }
            self.doc.push(Kind::Load, load);
        }
        let open = !table.contains_key("up") && table.contains_key("tangent") || pinned;
        if free {
            return Ok(Ending { node: "free".into(), pinned: false, twist: 0.0, open: true });
        }
        if side == 0 && twist != 0.0 {
            let turned = frame(&table) * rotation::exp(&Vec3::new(0.0, 0.0, twist));
            drop_keys(&mut table, &["tangent", "up", "quaternion", "axis", "angle"]);
            set(&mut table, "quaternion", quaternion(&turned));
        }
        let name = key.to_owned();
        let node = if slides {
            let force = table.get("force").cloned();
            let axes = table.get("slides").cloned();
            let position = table.get("position").cloned();
            drop_keys(&mut table, &HOLD);
            table.remove("position");
            let mut part = Table::new();
            *part.decor_mut() = table.decor().clone();
            part.set_position(table.position());
            set(&mut part, "name", name.as_str());
            for (key, item) in [("position", position), ("slides", axes), ("force", force)] {
                if let Some(item) = item {
                    part.insert(key, item);
                }
            }
            set(&mut part, "hold", "fixed");
            let mut connector = Table::new();
            set(&mut connector, "name", "plug");
            for (key, item) in table.iter() {
                connector.insert(key, item.clone());
            }
            put_list(&mut part, "connector", vec![connector]);
            self.doc.push(Kind::Part, part);
            format!("{name}.plug")
        } else {
            drop_keys(&mut table, &HOLD);
            let mut port = Table::new();
            *port.decor_mut() = table.decor().clone();
            port.set_position(table.position());
            set(&mut port, "name", name.as_str());
            for (key, item) in table.iter() {
                port.insert(key, item.clone());
            }
            self.doc.push(Kind::Port, port);
            name
        };
        Ok(Ending { node, pinned, twist, open })
    }

    /// Loads that came from the ends act on the cable.
    fn end_loads(&mut self, cable: &str) {
        self.doc.each_mut("load", |load| {
            if text(load, "cable").is_none() {
                set(load, "cable", cable);
            }
        });
    }

    /// A harness is solved by Newton's method.
    fn drop_methods(&mut self) {
        let Some(solve) = self.doc.root_mut().get_mut("solve").and_then(Item::as_table_like_mut) else {
            return;
        };
        let method = solve.remove("method").and_then(|m| m.as_str().map(str::to_owned));
        solve.remove("alpha");
        if let Some(method) = method.filter(|m| m != "newton") {
            self.tell(format!("`method` = \"{}\" is left out: it is for one cable", quote(&method)));
        }
    }
}

/// The frame that a table gives, its roll upright where it is open.
pub(super) fn frame(table: &Table) -> Quat {
    let vector = |key: &str| {
        numbers(table, key, Dimension::Ratio).filter(|v| v.len() == 3).map(|v| Vec3::new(v[0], v[1], v[2]))
    };
    let unit = |v: Vec3| v.try_normalize(0.0);
    if let Some(tangent) = vector("tangent").and_then(unit) {
        return Orientation::Tangent(tangent, vector("up").and_then(unit)).frame();
    }
    if let Some(&[w, x, y, z]) = numbers(table, "quaternion", Dimension::Ratio).as_deref() {
        return Quat::new(w, x, y, z);
    }
    let angle = quantity_of(table, "angle", Dimension::Angle).unwrap_or(0.0);
    rotation::exp(&(vector("axis").and_then(unit).unwrap_or(Vec3::z()) * angle))
}
