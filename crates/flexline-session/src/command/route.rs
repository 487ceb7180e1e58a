//! Routing: a cable that finds its own length, and the length it keeps when that ends.

use super::Kind;
use super::edit::{Done, Edit, needs_shape};
use super::parse::mistake;
use super::value::Quantity;
use flexline_scene::Code;
use flexline_scene::units::Dimension;
use flexline_scene::words::{digits, millimetres, quote};
use toml_edit::{InlineTable, Item};

/// The bend lengths at both ends of the slider, as shares of the chord.
const STRAIGHT_TO_BENT: [f64; 2] = [0.02, 0.6];

/// The bend length of a place of the slider, m: even steps of the slider are equal factors.
pub(crate) fn bend_length_of(slider: f64, chord: f64) -> f64 {
    let [straight, bent] = STRAIGHT_TO_BENT;
    chord * straight * (bent / straight).powf(slider)
}

impl Edit {
    /// Lets a cable find its own length.
    pub(super) fn route(
        &mut self,
        cable: &str,
        prices: [(&str, Option<&Quantity>); 2],
        slider: Option<f64>,
        length: Option<&Quantity>,
    ) -> Done {
        self.doc.thing("cable", Kind::Cable, cable)?;
        if length.is_some() {
            let help = "leave it out, or switch routing off: \"on\": false";
            return Err(mistake(Code::Conflict, "length", "a routed cable finds its own length", help));
        }
        let given: Vec<_> = prices.into_iter().filter_map(|(key, price)| Some((key, price?))).collect();
        let (key, price) = match (&given[..], slider) {
            ([one], None) => *one,
            ([], Some(_)) => return Err(needs_shape("slider")),
            _ => {
                let help = "give one of `tension`, `bend_length` and `slider`, from 0 (straight) to 1 (bent)";
                let message = "it is not clear how straight the cable shall run";
                return Err(mistake(Code::MissingKey, "tension", message, help));
            }
        };
        let (dimension, unit) = match key {
            "tension" => (Dimension::Force, "N"),
            _ => (Dimension::Length, "mm"),
        };
        let value = price.read(key, dimension)?;
        if value <= 0.0 {
            let message = format!("`{key}` = {price} is out of range");
            return Err(mistake(Code::OutOfRange, key, message, format!("expected more than 0 {unit}")));
        }
        let mut route = InlineTable::new();
        route.insert(key, price.to_toml());
        let table = self.doc.thing_mut("cable", Kind::Cable, cable)?;
        table.insert("route", Item::Value(route.into()));
        let how = match key {
            "tension" => format!("a tension of {} N", digits(value)),
            _ => format!("a bend length of {}", millimetres(value)),
        };
        self.tell(format!("cable '{cable}' finds its own length, at {how}"));
        Ok(())
    }

    /// Lets a cable keep the length given, or that of the file.
    pub(super) fn stop_routing(&mut self, cable: &str, priced: bool, length: Option<&Quantity>) -> Done {
        let table = self.doc.thing("cable", Kind::Cable, cable)?;
        if !table.contains_key("route") {
            let message = format!("cable '{}' does not find its own length", quote(cable));
            return Err(mistake(Code::Conflict, "on", message, "nothing is to be switched off"));
        }
        if priced {
            let help = "leave `tension`, `bend_length` and `slider` out";
            return Err(mistake(Code::Conflict, "on", "a cable that keeps its length pays nothing", help));
        }
        self.doc.thing_mut("cable", Kind::Cable, cable)?.remove("route");
        let now = self.doc.length(cable)?;
        let wanted = length.map(|length| length.read("length", Dimension::Length)).transpose()?;
        if wanted.is_some_and(|wanted| (wanted - now).abs() > 1e-12 * now) {
            self.set_length(cable, None, length, None)?;
        }
        let now = self.doc.length(cable)?;
        self.tell(format!("cable '{cable}' keeps its length of {}", millimetres(now)));
        Ok(())
    }

    /// A cable that gets a free end cannot find its own length any more.
    pub(super) fn unroute(&mut self, cable: &str) -> Done {
        if self.doc.thing("cable", Kind::Cable, cable)?.contains_key("route") {
            self.stop_routing(cable, false, None)?;
        }
        Ok(())
    }
}
