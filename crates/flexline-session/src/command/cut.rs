//! Cutting a cable in two, and joining two into one.

use super::Kind;
use super::edit::{Done, Edit};
use super::lineage::Piece;
use super::parse::mistake;
use super::section::{
    Zone, cut_rest, cut_zones, join_rest, merge_zones, own_section, put_rest, put_zones, resolution, rest,
    rod_model, same_section, same_text, zone_like, zones,
};
use super::tables::{drop_keys, list_mut, move_places, place, quantity_of, set, set_length, tables, text};
use super::value::Quantity;
use flexline::Vec3;
use flexline_scene::harness::HARNESS_SEGMENTS;
use flexline_scene::units::Dimension;
use flexline_scene::words::{millimetres, quote};
use flexline_scene::{Code, SceneError};
use toml_edit::{Item, Table};

/// Pieces shorter than this share of the cable are not cut off.
const SLIVER: f64 = 1e-4;
/// Keys that mean nothing at a free end.
pub(super) const OF_A_HELD_END: [&str; 3] = ["grip_to", "to_tangent", "twist"];

impl Edit {
    /// Refuses a cable that a winch feeds: places on it are counted from before feeding.
    pub(super) fn unfed(&self, cable: &Table) -> Done {
        if quantity_of(cable, "feed", Dimension::Length).is_some_and(|feed| feed != 0.0) {
            let name = text(cable, "name").unwrap_or_default();
            let help = "set its length and its feed of 0 first";
            let message = format!("cable '{}' is fed by a winch", quote(name));
            return Err(mistake(Code::Conflict, "cable", message, help));
        }
        Ok(())
    }

    pub(super) fn cut(&mut self, cable: &str, at: &Quantity, names: Option<&[String; 2]>) -> Done {
        let s = self.doc.place("at", cable, at)?;
        let length = self.doc.length(cable)?;
        self.unroute(cable)?;
        let old = self.doc.thing("cable", Kind::Cable, cable)?;
        self.unfed(&old)?;
        if s < SLIVER * length || s > (1.0 - SLIVER) * length {
            let message = format!("`at` = {} is an end of cable '{}'", millimetres(s), quote(cable));
            let help = format!("expected a place between 0 and {}", millimetres(length));
            return Err(mistake(Code::OutOfRange, "at", message, help));
        }
        if text(&old, "to") == Some("free") {
            let message = format!(
                "the piece of cable '{}' beyond {} would fall: its end is free",
                quote(cable),
                millimetres(s)
            );
            let help = "to shorten the cable use prolong with a length below zero";
            return Err(mistake(Code::Floating, "at", message, help));
        }
        if let Some(stop) = self.stops(cable, length).into_iter().find(|p| (p - s).abs() < SLIVER * length) {
            let message =
                format!("a clip, eye or bead of cable '{}' is at {}", quote(cable), millimetres(stop));
            return Err(mistake(Code::Conflict, "at", message, "cut beside it, or remove it first"));
        }
        let (first, second) = match names {
            Some([a, b]) => (a.clone(), b.clone()),
            None => (cable.to_owned(), self.doc.fresh(&format!("{cable} 2"), &[Kind::Cable])),
        };
        for name in [&first, &second].into_iter().filter(|n| *n != cable) {
            if self.doc.index(Kind::Cable, name).is_some() || first == second {
                let message = format!("`names` has \"{}\" twice, or a cable has it", quote(name));
                return Err(mistake(Code::Conflict, "names", message, "each cable has a name of its own"));
            }
        }
        let share = s / length;
        let model = rod_model(&old);
        let [pieces_key, _] = model.keys();
        let fewest = *model.range().start() as i64;
        let count = |share: f64| resolution(&old).map(|n| ((n * share).round() as i64).max(fewest));
        let before = rest(&old, length);
        let pieces = [(first.as_str(), [0.0, s], share), (second.as_str(), [s, length], 1.0 - share)];
        let mut made = Vec::new();
        for (name, [from, to], share) in pieces {
            let mut table = old.clone();
            set(&mut table, "name", name);
            set_length(&mut table, "length", to - from);
            if let Some(n) = count(share) {
                set(&mut table, pieces_key, n);
            }
            let own = cut_zones(zones(&old, length), [from, to]);
            put_zones(&mut table, own, to - from);
            if table.contains_key("rest") {
                put_rest(&mut table, &cut_rest(&before, length, [from, to]));
            }
            made.push(table);
        }
        self.share_out(cable, [&first, &second], s, length);
        let (Some(mut beyond), Some(mut here)) = (made.pop(), made.pop()) else { return Ok(()) };
        if here.contains_key("twist") {
            self.tell(format!("the turn of cable '{cable}' is let go: its ends are free now"));
        }
        set(&mut here, "to", "free");
        drop_keys(&mut here, &OF_A_HELD_END);
        set(&mut beyond, "from", "free");
        drop_keys(&mut beyond, &["grip_from", "from_tangent", "twist"]);
        beyond.set_position(None);
        beyond.decor_mut().set_prefix("\n");
        clear_positions(&mut beyond);
        let index = self.doc.index(Kind::Cable, cable);
        if let (Some(i), Some(list)) = (index, list_mut(self.doc.root_mut(), "cable")) {
            // The comment before it stays with the first piece.
            if let Some(before) = list.get(i) {
                *here.decor_mut() = before.decor().clone();
            }
            list.replace(i, here);
            list.push(beyond);
        }
        self.reverse(&second)?;
        self.step.cable(&first, vec![Piece { new: [0.0, s], cable: cable.into(), old: [0.0, s] }]);
        let turned = Piece { new: [0.0, length - s], cable: cable.into(), old: [length, s] };
        self.step.cable(&second, vec![turned]);
        self.tell(format!(
            "cable '{cable}' cut at {}: '{first}' of {} and '{second}' of {}, which begins at the other end",
            millimetres(s),
            millimetres(s),
            millimetres(length - s)
        ));
        Ok(())
    }

    /// Gives the clips, eyes, beads and loads of a cable to its two pieces.
    fn share_out(&mut self, cable: &str, [first, second]: [&str; 2], s: f64, length: f64) {
        let mut halves = Vec::new();
        self.doc.each_on_mut(cable, |_, table| {
            let at = |table: &Table, key: &str| place(table.get(key)?.as_value()?, length);
            if let Some(own) = at(table, "at") {
                let (name, part, shift) = if own > s { (second, length - s, s) } else { (first, s, 0.0) };
                set(table, "cable", name);
                rewrite(table, "at", own - shift, part);
            } else if let (Some(a), Some(b)) = (at(table, "from"), at(table, "to")) {
                if b > s {
                    let mut half = table.clone();
                    half.set_position(None);
                    set(&mut half, "cable", second);
                    cut_varying(&mut half, [a, b], [a.max(s), b]);
                    rewrite(&mut half, "from", (a - s).max(0.0), length - s);
                    rewrite(&mut half, "to", b - s, length - s);
                    if a >= s {
                        half.set_position(table.position());
                        *table = half;
                        return;
                    }
                    halves.push(half);
                }
                set(table, "cable", first);
                cut_varying(table, [a, b], [a, b.min(s)]);
                rewrite(table, "from", a, s);
                rewrite(table, "to", b.min(s), s);
            }
        });
        halves.into_iter().for_each(|half| self.doc.push(Kind::Load, half));
    }

    pub(super) fn join(&mut self, cables: &[String; 2], name: Option<&str>) -> Done {
        let [a, b] = cables;
        if a == b {
            let help = "a cable cannot be joined to itself: a harness has no rings";
            return Err(mistake(Code::Conflict, "cables", format!("cable '{}' twice", quote(a)), help));
        }
        for cable in cables {
            let table = self.doc.thing("cables", Kind::Cable, cable)?;
            self.unfed(&table)?;
            if text(&table, "to") != Some("free") {
                let message = format!("cable '{}' has no free end", quote(cable));
                let help = format!(
                    "separate it first: {{\"do\": \"separate\", \"cable\": \"{}\", \"at\": \"{}\"}}",
                    quote(cable),
                    quote(text(&table, "to").unwrap_or_default())
                );
                return Err(mistake(Code::Conflict, "cables", message, help));
            }
        }
        let (la, lb) = (self.doc.length(a)?, self.doc.length(b)?);
        self.reverse(b)?;
        let (ta, tb) = (self.doc.thing("cables", Kind::Cable, a)?, self.doc.thing("cables", Kind::Cable, b)?);
        let length = la + lb;
        let mut own = zones(&ta, la);
        let same = same_section(&ta, &tb);
        own.extend(joined_zones(&tb, la, lb, same));
        let shape = join_rest(&rest(&ta, la), la, &rest(&tb, lb), lb);
        let model = rod_model(&ta);
        let pieces = joined_resolution(&ta, &tb, length / la);
        let mixed_use = !same_text(&ta, &tb, "use");
        let other_model = model != rod_model(&tb);
        let table = self.doc.thing_mut("cables", Kind::Cable, a)?;
        set_length(table, "length", length);
        if let Some(n) = pieces.filter(|_| !table.contains_key("accuracy")) {
            set(table, model.keys()[0], n as i64);
        }
        put_zones(table, merge_zones(own, la), length);
        if shape != rest(&ta, la) || matches!(shape, flexline_scene::model::Rest::Table(_)) {
            put_rest(table, &shape);
        }
        if mixed_use {
            set(table, "use", "dynamic");
        }
        for key in ["to", "grip_to", "to_tangent"] {
            match tb.get(key) {
                Some(item) => drop(table.insert(key, item.clone())),
                None => drop(table.remove(key)),
            }
        }
        // What is on the first cable stays where it is, shares of its length too.
        self.doc.each_on_mut(a, |_, table| move_places(table, &["at", "from", "to"], [la, length], &|s| s));
        self.doc.each_on_mut(b, |_, table| {
            set(table, "cable", a.as_str());
            for key in ["at", "from", "to"] {
                if let Some(s) = table.get(key).and_then(Item::as_value).and_then(|v| place(v, lb)) {
                    rewrite(table, key, la + s, length);
                }
            }
        });
        if let (Some(i), Some(list)) =
            (self.doc.index(Kind::Cable, b), list_mut(self.doc.root_mut(), "cable"))
        {
            list.remove(i);
        }
        self.step.cables.remove(b);
        self.step.cable(
            a,
            vec![
                Piece { new: [0.0, la], cable: a.clone(), old: [0.0, la] },
                Piece { new: [la, length], cable: b.clone(), old: [lb, 0.0] },
            ],
        );
        let how = if same { "" } else { "; its section changes abruptly there, without a joint" };
        self.tell(format!("cables '{a}' and '{b}' joined to one of {}{how}", millimetres(length)));
        if mixed_use {
            self.tell(format!("cable '{a}' is for dynamic use, as one of the two was"));
        }
        if other_model {
            self.tell(format!("all of it is computed with the model of cable '{a}'"));
        }
        if let Some(name) = name.filter(|name| name != a) {
            self.rename(a, name, Some(Kind::Cable))?;
        }
        Ok(())
    }
}

/// The number of segments or elements of two cables joined, where one of them says it: those of both, or as fine as
/// the first, which they make `longer` times as long, where the other has pieces of another kind.
fn joined_resolution(first: &Table, second: &Table, longer: f64) -> Option<f64> {
    let count = |t: &Table| resolution(t).unwrap_or(rod_model(t).standard(HARNESS_SEGMENTS) as f64);
    let model = rod_model(first);
    let both = if model.keys() == rod_model(second).keys() {
        resolution(first).or(resolution(second))?;
        count(first) + count(second)
    } else {
        (resolution(first)? * longer).round()
    };
    Some(both.min(*model.range().end() as f64))
}

/// The zones that a cable becomes behind one of length `la`: its own, and its section in between where that is
/// another one.
fn joined_zones(cable: &Table, la: f64, lb: f64, same: bool) -> Vec<Zone> {
    let mut out = Vec::new();
    let mut reached = 0.0;
    for mut zone in zones(cable, lb) {
        if !same {
            if zone.from > reached {
                out.push(zone_like(cable, la + reached, la + zone.from));
            }
            own_section(&mut zone.table, cable);
        }
        reached = zone.to;
        zone.table.set_position(None);
        out.push(Zone { from: la + zone.from, to: la + zone.to, table: zone.table });
    }
    if !same && reached < lb {
        out.push(zone_like(cable, la + reached, la + lb));
    }
    out
}

/// Writes a place on a cable of the given length, unless it says so already.
fn rewrite(table: &mut Table, key: &str, s: f64, length: f64) {
    let kept = table.get(key).and_then(Item::as_value).and_then(|v| place(v, length));
    if kept.is_some_and(|kept| (kept - s).abs() <= 1e-12 * length) {
        return;
    }
    if (s - length).abs() <= 1e-12 * length {
        set(table, key, "100 %");
    } else {
        set_length(table, key, s);
    }
}

/// Cuts a load that changes along its stretch down to a part of it.
fn cut_varying(table: &mut Table, [a, b]: [f64; 2], [from, to]: [f64; 2]) {
    for (key, dimension) in
        [("force_per_length", Dimension::ForcePerLength), ("moment_per_length", Dimension::MomentPerLength)]
    {
        let Some(ends) = table.get(key).and_then(Item::as_table_like) else { continue };
        let end = |key: &str| {
            let items = ends.get(key)?.as_array()?;
            let v: Option<Vec<f64>> = items.iter().map(|v| super::tables::quantity(v, dimension)).collect();
            v.filter(|v| v.len() == 3).map(|v| Vec3::new(v[0], v[1], v[2]))
        };
        let (Some(first), Some(last)) = (end("start"), end("end")) else { continue };
        let at = |s: f64| super::value::plain_vector(&first.lerp(&last, (s - a) / (b - a)));
        let mut new = toml_edit::InlineTable::new();
        new.insert("start", at(from));
        new.insert("end", at(to));
        set(table, key, new);
    }
}

/// Forgets where the tables within a table stood: they follow it.
fn clear_positions(table: &mut Table) {
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(own) => {
                own.set_position(None);
                clear_positions(own);
            }
            Item::ArrayOfTables(list) => list.iter_mut().for_each(|own| {
                own.set_position(None);
                clear_positions(own);
            }),
            _ => {}
        }
    }
}

/// Whether a name can be given to something new.
pub(super) fn fresh_name(edit: &Edit, field: &str, name: &str, kinds: &[Kind]) -> Result<(), SceneError> {
    if name.is_empty() || name == "free" || name.contains('.') {
        let message = format!("`{field}` = \"{}\" cannot be a name", quote(name));
        return Err(mistake(
            Code::UnknownName,
            field,
            message,
            "expected text without dots, other than \"free\"",
        ));
    }
    for kind in kinds {
        if edit.doc.index(*kind, name).is_some() {
            let message = format!("`{field}` = \"{}\" is the name of a {} already", quote(name), kind.word());
            return Err(mistake(Code::Conflict, field, message, "choose another name"));
        }
    }
    Ok(())
}

/// The tables of a list that are about a cable.
pub(super) fn on_cable(edit: &Edit, kind: Kind, cable: &str) -> Vec<Table> {
    let mut list = tables(edit.doc.root(), kind.word());
    list.retain(|t| text(t, "cable") == Some(cable));
    list
}
