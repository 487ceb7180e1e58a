//! Lengths under edit: prolonging an end, changing a piece, and what moves along.

use super::document::STOPS;
use super::edit::{Done, Edit};
use super::lineage::Piece;
use super::parse::mistake;
use super::section::{map_rest, put_rest, put_zones, rest, zones};
use super::tables::{move_places, place, set_length, tables, text};
use super::value::Quantity;
use super::{Kind, Side};
use flexline_scene::Code;
use flexline_scene::units::Dimension;
use flexline_scene::words::millimetres;

/// Cables are not made shorter than this, m.
const SHORTEST: f64 = 1e-9;

impl Edit {
    pub(super) fn prolong(&mut self, cable: &str, by: &Quantity, end: Side) -> Done {
        let by = by.read("by", Dimension::Length)?;
        let old = self.doc.length(cable)?;
        let new = long_enough(old + by)?;
        let places = self.stops(cable, old);
        // What is exactly at the end that moves stays at it: zones go on, loads move along.
        let (map, pieces): (Box<dyn Fn(f64) -> f64>, _) = match end {
            Side::To => {
                let last = places.last().copied().unwrap_or(0.0).min(new);
                let map = move |s: f64| if s >= old * (1.0 - 1e-12) { new } else { s };
                (Box::new(map), vec![([0.0, last], [0.0, last]), ([last, new], [last, old])])
            }
            Side::From => {
                let first = places.first().copied().unwrap_or(old);
                let map = move |s: f64| if s <= old * 1e-12 { 0.0 } else { s + by };
                (Box::new(map), vec![([0.0, first + by], [0.0, first]), ([first + by, new], [first, old])])
            }
        };
        let shift = if end == Side::From { by } else { 0.0 };
        self.remap(cable, [old, new], &*map, &|s| s + shift, pieces)?;
        let verb = if by < 0.0 { "shortened" } else { "prolonged" };
        let side = if end == Side::To { "end" } else { "beginning" };
        let [by, old, new] = [by.abs(), old, new].map(millimetres);
        self.tell(format!("cable '{cable}' {verb} by {by} at its {side}: {old} to {new}"));
        Ok(())
    }

    pub(super) fn set_length(
        &mut self,
        cable: &str,
        between: Option<&[Quantity; 2]>,
        length: Option<&Quantity>,
        by: Option<&Quantity>,
    ) -> Done {
        let old = self.doc.length(cable)?;
        let [a, b] = match between {
            Some([from, to]) => {
                let [a, b] = [self.doc.place("between", cable, from)?, self.doc.place("between", cable, to)?];
                [a.min(b), a.max(b)]
            }
            None => [0.0, old],
        };
        if b - a <= 1e-9 * old {
            let help = "expected two places apart from each other, in order along the cable";
            return Err(mistake(Code::OutOfRange, "between", "both places of `between` are the same", help));
        }
        let piece = match (length, by) {
            (Some(length), None) => length.read("length", Dimension::Length)?,
            (None, Some(by)) => b - a + by.read("by", Dimension::Length)?,
            _ => {
                let help = "give one of `length`, `by` and `pull`";
                return Err(mistake(
                    Code::MissingKey,
                    "length",
                    "it is not clear how long it shall be",
                    help,
                ));
            }
        };
        let piece = long_enough(piece)?;
        let (ratio, change) = (piece / (b - a), piece - (b - a));
        let new = old + change;
        let map = move |s: f64| match s {
            s if s <= a => s,
            s if s >= b => s + change,
            s => a + (s - a) * ratio,
        };
        let pieces = vec![([0.0, a], [0.0, a]), ([a, b + change], [a, b]), ([b + change, new], [b, old])];
        self.remap(cable, [old, new], &map, &map, pieces)?;
        let where_ = match between {
            Some(_) => format!(" between {} and {}", millimetres(a), millimetres(b)),
            None => String::new(),
        };
        let [old, new, change] = [old, new, change].map(millimetres);
        self.tell(format!("cable '{cable}'{where_} changed by {change}: {old} to {new}"));
        Ok(())
    }

    /// Where clips, eyes and beads are on a cable, in order, m.
    pub(super) fn stops(&self, cable: &str, length: f64) -> Vec<f64> {
        let mut places: Vec<f64> = STOPS
            .iter()
            .flat_map(|kind| tables(self.doc.root(), kind.word()))
            .filter(|table| text(table, "cable") == Some(cable))
            .filter_map(|table| place(table.get("at")?.as_value()?, length))
            .collect();
        places.sort_by(f64::total_cmp);
        places
    }

    /// Gives a cable a new length; everything on it moves by `map`, its rest shape by `rest_map`.
    fn remap(
        &mut self,
        cable: &str,
        lengths: [f64; 2],
        map: &dyn Fn(f64) -> f64,
        rest_map: &dyn Fn(f64) -> f64,
        pieces: Vec<([f64; 2], [f64; 2])>,
    ) -> Done {
        let [old, new] = lengths;
        let table = self.doc.thing_mut("cable", Kind::Cable, cable)?;
        let mut own = zones(table, old);
        let had_zones = !own.is_empty();
        let before = rest(table, old);
        set_length(table, "length", new);
        if had_zones {
            for zone in &mut own {
                move_places(&mut zone.table, &["from", "to"], lengths, map);
                (zone.from, zone.to) = (map(zone.from), map(zone.to));
            }
            own.retain(|zone| zone.to - zone.from > 1e-12 * new);
            put_zones(table, own, new);
        }
        let proportional = [0.25, 0.5, 0.75].iter().all(|t| {
            let s = t * old;
            (rest_map(s) - t * new).abs() <= 1e-12 * new
        });
        if !proportional || matches!(before, flexline_scene::model::Rest::Table(_)) {
            let after = map_rest(&before, old, rest_map);
            if after != before {
                put_rest(table, &within(after, new));
            }
        }
        self.doc.each_on_mut(cable, |_, table| move_places(table, &["at", "from", "to"], lengths, map));
        let piece = |(new, old): ([f64; 2], [f64; 2])| Piece { new, cable: cable.into(), old };
        let pieces = pieces.into_iter().filter(|(new, _)| new[1] > new[0]).map(piece).collect();
        self.step.cable(cable, pieces);
        Ok(())
    }
}

/// The rows of a rest shape that lie on a cable of this length.
fn within(rest: flexline_scene::model::Rest, length: f64) -> flexline_scene::model::Rest {
    use flexline_scene::model::Rest;
    match rest {
        Rest::Table(rows) => {
            let whole = Rest::Table(rows.clone());
            let mut kept: Vec<_> = rows.into_iter().filter(|(s, _)| (0.0..=length).contains(s)).collect();
            if kept.is_empty() {
                kept.push((0.0, whole.at(0.0, length)));
            }
            if kept.first().is_some_and(|(s, _)| *s > 0.0) {
                kept.insert(0, (0.0, whole.at(0.0, length)));
            }
            Rest::Table(kept)
        }
        other => other,
    }
}

fn long_enough(length: f64) -> Result<f64, flexline_scene::SceneError> {
    if length > SHORTEST {
        return Ok(length);
    }
    let message = format!("nothing would be left: a length of {}", millimetres(length));
    Err(mistake(Code::OutOfRange, "length", message, "expected a length greater than zero"))
}
