//! Handles on cables: put there, fixed where they are, or let slide.

use super::cut::fresh_name;
use super::document::NODES;
use super::edit::{Done, Edit, fill, needs_shape};
use super::parse::mistake;
use super::pose::FRAME;
use super::tables::{drop_keys, list_mut, set, set_length, tables, text};
use super::value::{Quantity, vector};
use super::{HandleHold, Keys, Kind};
use flexline_scene::Code;
use flexline_scene::units::Dimension;
use flexline_scene::words::{millimetres, quote};
use toml_edit::{Array, Table, Value};

/// The kinds of constraint that are ways of a handle.
const WAYS: [&str; 2] = ["line", "path"];

/// Where a handle is told to be.
pub(super) struct Here<'a> {
    pub position: Option<&'a [Quantity; 3]>,
    pub frame: &'a Keys,
}

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
        self.tell(format!(
            "handle '{name}' put on cable '{cable}' at {}: it {}",
            millimetres(s),
            holds(hold)
        ));
        Ok(())
    }

    /// Fixes a handle, or lets it slide along axes of the world, on a line or on a path.
    pub(super) fn set_handle(
        &mut self,
        name: &str,
        hold: Option<HandleHold>,
        slides: Option<&[String]>,
        ways: [(&str, Option<&Keys>); 2],
        here: Here,
    ) -> Done {
        self.doc.thing("name", Kind::Clip, name)?;
        let way: Vec<_> = ways.into_iter().filter_map(|(kind, keys)| Some((kind, keys?))).collect();
        let asked = usize::from(slides.is_some()) + way.len();
        if asked > 1 || asked == 0 && hold.is_none() || hold.is_some() && !way.is_empty() {
            let help = "give `hold` to fix it where it is, or one of `slides`, `line` and `path`";
            return Err(mistake(Code::MissingKey, "hold", "it is not clear what the handle shall do", help));
        }
        let position =
            here.position.map(|p| vector(p, "position", Dimension::Length).map(|_| p)).transpose()?;
        self.drop_way(name);
        if let [(kind, keys)] = way[..] {
            return self.lead_handle(name, kind, keys, position);
        }
        let table = self.doc.thing_mut("name", Kind::Clip, name)?;
        let was = text(table, "hold").unwrap_or("free").to_owned();
        // A handle that only slides holds its direction, or not, as it did.
        let hold = hold.unwrap_or(if was == "clamped" { HandleHold::Clamped } else { HandleHold::Pinned });
        drop_keys(table, &["slides"]);
        if hold == HandleHold::Free {
            drop_keys(table, &["position"]);
        } else {
            match position {
                Some(p) => set(table, "position", p.iter().map(Quantity::to_toml).collect::<Array>()),
                None if !table.contains_key("position") => return Err(needs_shape("position")),
                None => {}
            }
        }
        if hold != HandleHold::Clamped || !here.frame.is_empty() {
            drop_keys(table, &FRAME);
        }
        fill(table, here.frame, "frame")?;
        if hold == HandleHold::Clamped && !FRAME.iter().any(|key| table.contains_key(key)) {
            return Err(needs_shape("frame"));
        }
        set(table, "hold", hold.word());
        let mut along = String::new();
        if let Some(axes) = slides.filter(|axes| !axes.is_empty()) {
            set(table, "slides", axes.iter().map(String::as_str).collect::<Array>());
            along =
                format!(" and slides along {}", axes.iter().map(|a| quote(a)).collect::<Vec<_>>().join(", "));
        }
        self.tell(format!("handle '{name}' {}{along}", holds(hold)));
        Ok(())
    }

    /// Lets a handle slide on a line or a path: a constraint of that kind on a clip that holds nothing.
    fn lead_handle(&mut self, name: &str, kind: &str, keys: &Keys, position: Option<&[Quantity; 3]>) -> Done {
        if let Some(key) = ["name", "kind", "point"].iter().find(|key| keys.contains_key(**key)) {
            let help = "leave it out: it is the way of this handle";
            return Err(mistake(Code::Conflict, kind, format!("`{key}` does not belong in `{kind}`"), help));
        }
        let mut way = Table::new();
        set(&mut way, "name", format!("way of {name}"));
        set(&mut way, "kind", kind);
        set(&mut way, "point", name);
        // A line goes through where the handle is, unless it says otherwise.
        if kind == "line" && !keys.contains_key("through") {
            let Some(p) = position else { return Err(needs_shape("position")) };
            set(&mut way, "through", Value::from(p.iter().map(Quantity::to_toml).collect::<Array>()));
        }
        fill(&mut way, keys, kind)?;
        self.doc.push(Kind::Constraint, way);
        let table = self.doc.thing_mut("name", Kind::Clip, name)?;
        set(table, "hold", "free");
        drop_keys(table, &["position", "slides"]);
        drop_keys(table, &FRAME);
        self.tell(format!("handle '{name}' slides on a {kind}"));
        Ok(())
    }

    /// Takes out the line or path that a handle slides on.
    fn drop_way(&mut self, handle: &str) {
        let is_way = |table: &Table| {
            text(table, "point") == Some(handle) && text(table, "kind").is_some_and(|k| WAYS.contains(&k))
        };
        while let Some(i) = tables(self.doc.root(), "constraint").iter().position(is_way)
            && let Some(list) = list_mut(self.doc.root_mut(), "constraint")
        {
            list.remove(i);
        }
    }
}

/// What a handle holds, in words.
fn holds(hold: HandleHold) -> &'static str {
    match hold {
        HandleHold::Clamped => "holds position and direction",
        HandleHold::Pinned => "holds the position",
        HandleHold::Free => "holds nothing",
    }
}
