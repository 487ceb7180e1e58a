//! Handles on cables.

use super::cut::fresh_name;
use super::document::NODES;
use super::edit::{Done, Edit, fill, needs_shape};
use super::tables::{set, set_length};
use super::value::Quantity;
use super::{HandleHold, Keys, Kind};
use crate::diagnostic::millimetres;
use toml_edit::Table;

impl Edit {
    pub(super) fn add_handle(
        &mut self,
        cable: &str,
        at: &Quantity,
        name: Option<&str>,
        hold: HandleHold,
        with: &Keys,
    ) -> Done {
        let s = self.doc.place("at", cable, at)?;
        let name = match name {
            Some(name) => {
                fresh_name(self, "name", name, &NODES)?;
                name.to_owned()
            }
            None => self.doc.fresh("handle", &NODES),
        };
        if hold != HandleHold::Free && !with.contains_key("position") {
            return Err(needs_shape("position"));
        }
        let mut table = Table::new();
        set(&mut table, "name", name.as_str());
        set(&mut table, "cable", cable);
        match at {
            Quantity::Text(_) if at.share().is_some() => set(&mut table, "at", at.to_toml()),
            _ => set_length(&mut table, "at", s),
        }
        set(&mut table, "hold", hold.word());
        fill(&mut table, with, "with")?;
        self.doc.push(Kind::Clip, table);
        let holds = match hold {
            HandleHold::Clamped => "holds position and direction",
            HandleHold::Pinned => "holds the position",
            HandleHold::Free => "holds nothing",
        };
        self.tell(format!("handle '{name}' put on cable '{cable}' at {}: it {holds}", millimetres(s)));
        Ok(())
    }
}
