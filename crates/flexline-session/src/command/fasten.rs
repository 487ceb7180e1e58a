//! Laying cables, and fastening and taking off their ends.

use super::cut::{OF_A_HELD_END, fresh_name};
use super::edit::{Done, Edit, fill, needs_shape};
use super::parse::mistake;
use super::tables::{drop_keys, list_mut, set, text};
use super::value::Quantity;
use super::{HandleHold, Keys, Kind};
use flexline_scene::units::Dimension;
use flexline_scene::words::quote;
use flexline_scene::{Code, SceneError};
use toml_edit::Table;

/// Kinds of things that a cable can begin or end in.
const ENDS: [Kind; 6] = [Kind::Port, Kind::Connector, Kind::Junction, Kind::Clip, Kind::Eye, Kind::Bead];

impl Edit {
    pub(super) fn create_cable(
        &mut self,
        name: &str,
        [from, to]: [&str; 2],
        length: Option<&Quantity>,
        slack: bool,
        with: &Keys,
    ) -> Done {
        fresh_name(self, "name", name, &[Kind::Cable])?;
        self.doc.kind_of("from", from, &ENDS)?;
        if to != "free" {
            self.doc.kind_of("to", to, &ENDS)?;
        }
        let length = match length {
            Some(_) if slack => {
                let help = "a length is given: leave `slack` out";
                return Err(mistake(Code::Conflict, "slack", "`slack` means nothing beside `length`", help));
            }
            Some(length) => length,
            None if slack => return Err(needs_shape("slack")),
            None => {
                let help = "give a length, \"300 mm\", or slack, \"5 %\"";
                return Err(mistake(Code::MissingKey, "length", "`length` is missing", help));
            }
        };
        length.read("length", Dimension::Length)?;
        let mut table = Table::new();
        set(&mut table, "name", name);
        set(&mut table, "length", length.to_toml());
        set(&mut table, "from", from);
        set(&mut table, "to", to);
        self.own_keys(with, &["name", "length", "from", "to"])?;
        fill(&mut table, with, "with")?;
        self.doc.push(Kind::Cable, table);
        self.step.cable(name, Vec::new());
        self.tell(format!("cable '{name}' laid from '{from}' to '{to}', {}", plain(length)));
        Ok(())
    }

    /// Refuses keys in `with` that stand beside it.
    fn own_keys(&self, with: &Keys, keys: &[&str]) -> Done {
        match keys.iter().find(|key| with.contains_key(**key)) {
            Some(key) => {
                let help = format!("give `{key}` beside `with`");
                Err(mistake(Code::Conflict, "with", format!("`{key}` does not belong in `with`"), help))
            }
            None => Ok(()),
        }
    }

    /// The free clip that a branch begins in.
    pub(super) fn branch_clip(
        &mut self,
        cable: &str,
        at: &Quantity,
        clip: Option<&str>,
    ) -> Result<String, SceneError> {
        // A branch from a clip that is there already needs no other.
        if let Quantity::Text(name) = at
            && clip.is_none()
            && super::cut::on_cable(self, Kind::Clip, cable).iter().any(|t| text(t, "name") == Some(name))
        {
            return Ok(name.clone());
        }
        let name = match clip {
            Some(name) => name.to_owned(),
            None => {
                self.doc.fresh(&format!("branch of {}", cable.replace('.', " ")), &super::document::NODES)
            }
        };
        self.add_handle(cable, at, Some(&name), HandleHold::Free, &Keys::new())?;
        Ok(name)
    }

    pub(super) fn attach(&mut self, cable: &str, to: &str, with: &Keys) -> Done {
        let table = self.doc.thing("cable", Kind::Cable, cable)?;
        if text(&table, "to") != Some("free") {
            let message = format!("cable '{}' has no free end", quote(cable));
            return Err(mistake(Code::Conflict, "cable", message, "separate it first"));
        }
        self.doc.kind_of("to", to, &ENDS)?;
        let valid = ["grip_to", "to_tangent", "twist"];
        if let Some(key) = with.keys().find(|key| !valid.contains(&key.as_str())) {
            let message = format!("`{}` does not belong in `with` here", quote(key));
            return Err(mistake(
                Code::UnknownKey,
                "with",
                message,
                format!("valid here: {}", valid.join(", ")),
            ));
        }
        let table = self.doc.thing_mut("cable", Kind::Cable, cable)?;
        set(table, "to", to);
        fill(table, with, "with")?;
        self.tell(format!("cable '{cable}' fastened to '{to}'"));
        Ok(())
    }

    pub(super) fn separate(&mut self, at: &str, cable: Option<&str>) -> Done {
        let kind = self.doc.kind_of("at", at, &ENDS)?;
        let mut here = self.doc.cables_at(at);
        if let Some(cable) = cable {
            self.doc.thing("cable", Kind::Cable, cable)?;
            here.retain(|(name, _)| name == cable);
        }
        if here.is_empty() {
            let what = cable.map_or("no cable".to_owned(), |c| format!("cable '{}' does not", quote(c)));
            let verb = if cable.is_some() { "begin or end" } else { "begins or ends" };
            let message = format!("{what} {verb} at '{}'", quote(at));
            return Err(mistake(Code::Conflict, "at", message, "name what it is fastened to"));
        }
        for (name, end) in here {
            self.take_off(&name, end)?;
            self.tell(format!("cable '{name}' taken off {} '{at}': its end is free", kind.word()));
        }
        if kind == Kind::Junction && self.doc.cables_at(at).is_empty() {
            self.drop_hold(at);
            self.unused(kind, at)?;
            if let (Some(i), Some(list)) =
                (self.doc.index(kind, at), list_mut(self.doc.root_mut(), kind.word()))
            {
                list.remove(i);
                self.tell(format!("junction '{at}' removed: nothing is joined there any more"));
            }
        }
        Ok(())
    }

    /// Makes an end of a cable free; one that begins there is turned round first.
    fn take_off(&mut self, cable: &str, end: &str) -> Done {
        let table = self.doc.thing("cable", Kind::Cable, cable)?;
        let other = if end == "from" { "to" } else { "from" };
        if text(&table, other) == Some("free") {
            let message = format!("cable '{}' would fall: its other end is free", quote(cable));
            let help = "fasten its other end first, or remove the cable";
            return Err(mistake(Code::Floating, "cable", message, help));
        }
        self.unfed(&table)?;
        let table = self.doc.thing_mut("cable", Kind::Cable, cable)?;
        if table.contains_key("twist") {
            table.remove("twist");
            self.tell(format!("the turn of cable '{cable}' is let go"));
        }
        self.unroute(cable)?;
        let table = self.doc.thing_mut("cable", Kind::Cable, cable)?;
        set(table, end, "free");
        if end == "from" {
            drop_keys(table, &["grip_from", "from_tangent"]);
            self.reverse(cable)?;
        } else {
            drop_keys(table, &OF_A_HELD_END);
        }
        Ok(())
    }
}

/// A quantity as people read it.
fn plain(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Text(text) => quote(text),
        Quantity::Number(metres) => flexline_scene::words::millimetres(*metres),
    }
}
