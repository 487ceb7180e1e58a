//! The cables of a harness with their clips and loads.

use super::cable::{LENGTH, inside, read_accuracy, read_body, read_rest};
use super::end::direction;
use super::harness::{all, read_held};
use super::load::{self, read_load};
use super::names::{self, Names};
use crate::diagnostic::Code;
use crate::harness::{Bead, CableLoad, Clip, Eye, Growth, HARNESS_SEGMENTS, LaidCable, Node, RoutePrice};
use crate::model::{Hold, LoadOn, Orientation, Rest};
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::{digits, millimetres, offer, quote};
use flexline::algebra::rotation;
use flexline::rod::mixed::MAX_SEGMENTS;
use flexline::solver::network::Grip;
use std::cell::RefCell;
use std::collections::BTreeMap;

pub(super) const CABLE: &[&str] = &[
    "name",
    "length",
    "segments",
    "elements",
    "accuracy",
    "model",
    "twist",
    "use",
    "part",
    "section",
    "measured",
    "bundle",
    "override",
    "limits",
    "rest",
    "zone",
    "passes_through",
    "friction",
    "path",
    "path_twist",
    "from",
    "to",
    "grip_from",
    "grip_to",
    "from_tangent",
    "to_tangent",
    "feed",
    "route",
    "grow",
];
pub(super) const GROW: &[&str] = &["length", "rest", "start", "duration"];
pub(super) const ROUTE: &[&str] = &["tension", "bend_length"];
pub(super) const CLIP: &[&str] =
    &["name", "cable", "at", "hold", "position", "slides", "tangent", "up", "quaternion", "axis", "angle"];
pub(super) const LOAD: &[&str] = &[
    "name",
    "cable",
    "at",
    "from",
    "to",
    "force",
    "moment",
    "force_per_length",
    "moment_per_length",
    "axes",
];
/// Clips nearer to each other, or to an end, than this share of the cable are at one place.
const APART: f64 = 1e-6;
/// The longest a cable can be paid out to, m.
const LONGEST: f64 = 1e6;

/// Reads what a clip holds.
pub(super) fn read_hold(table: &Table) -> Option<Hold> {
    if !table.has("hold") {
        table.report_missing("hold", "expected \"clamped\", \"pinned\" or \"free\"");
    }
    table.choice("hold", &[("clamped", Hold::Clamped), ("pinned", Hold::Pinned), ("free", Hold::Free)])
}

/// The cables, where they could be read, and their names.
pub(super) struct Lines {
    cables: Vec<Option<LaidCable>>,
    names: BTreeMap<String, usize>,
    /// What is where on each cable, in units of the distance below which two are at one place.
    taken: RefCell<Vec<BTreeMap<u64, String>>>,
}

impl Lines {
    /// Reads `[[cable]]`.
    pub fn read(root: &Table, known: &Names) -> Self {
        if !root.has("cable") {
            root.report_missing("cable", "add a [[cable]] with name, length, part, from and to");
        }
        let tables = root.children("cable", CABLE);
        if root.has("cable") && tables.is_empty() && root.is_list("cable") {
            root.report(Code::WrongType, "cable", "`cable` is an empty list", "add at least one [[cable]]");
        }
        let mut lines = Self { cables: Vec::new(), names: BTreeMap::new(), taken: RefCell::default() };
        let mut pieces = 0;
        for (i, table) in tables.iter().enumerate() {
            let name = names::read(table);
            let cable = read_cable(table, known);
            if let Some(name) = name
                && lines.names.insert(name.clone(), i).is_some()
            {
                let message =
                    format!("{} = \"{}\" is the name of another cable", table.words("name"), quote(&name));
                table.report(Code::Conflict, "name", message, "give each cable a name of its own");
            }
            if let Some(LaidCable { cable, .. }) = &cable {
                pieces += cable.resolution;
                if pieces > MAX_SEGMENTS {
                    let [key, _] = cable.model.keys();
                    let message = format!("the cables down to this one have {pieces} {key} together");
                    let standard = cable.model.standard(HARNESS_SEGMENTS);
                    let help = format!("expected at most {MAX_SEGMENTS}; {standard} each is a good start");
                    table.report(Code::OutOfRange, key, message, help);
                    break;
                }
            }
            lines.cables.push(cable);
        }
        lines.taken = RefCell::new(vec![BTreeMap::new(); lines.cables.len()]);
        lines
    }

    /// The cables; `None` where one is wrong.
    pub fn cables(self) -> Option<Vec<LaidCable>> {
        all(self.cables)
    }

    /// The cable a table names, and its length where it could be read.
    pub fn find(&self, table: &Table) -> Option<(usize, Option<f64>)> {
        if !table.has("cable") {
            table.report_missing("cable", "say which cable: cable = \"trunk\"");
        }
        let name = table.string("cable")?;
        let Some(index) = self.names.get(name) else {
            let message = format!("{} = \"{}\" is not a cable", table.words("cable"), quote(name));
            let help = offer(name, self.names.keys().map(|n| &**n));
            table.report(Code::UnknownName, "cable", message, help);
            return None;
        };
        let cable = self.cables.get(*index).and_then(Option::as_ref);
        Some((*index, cable.map(|c| c.cable.length)))
    }

    /// Reads `[[load]]`.
    pub fn read_loads(&self, root: &Table) -> Option<Vec<CableLoad>> {
        let read = |table: &Table| {
            let found = self.find(table);
            let load = read_load(table, found.and_then(|f| f.1));
            Some(CableLoad { cable: found?.0, load: load? })
        };
        all(root.children("load", LOAD).iter().map(read).collect())
    }

    /// Reads `[[clip]]`; their names are read already.
    pub fn read_clips(&self, tables: &[Table], names: Vec<Option<String>>) -> Option<Vec<Clip>> {
        let mut before: Vec<Clip> = Vec::new();
        let read = |(table, name): (&Table, Option<String>)| {
            let clip = self.read_clip(table, name)?;
            if self.occupy(table, clip.cable, clip.at) {
                let other = before.iter().rfind(|b| b.cable == clip.cable && self.at_one_place(b, &clip));
                if let Some(message) = other.and_then(|other| quarrel(other, &clip)) {
                    let help =
                        "one of them must let go: remove it, or give it hold = \"free\" at another place";
                    table.report(Code::Conflict, "at", message, help);
                }
            }
            before.push(clip.clone());
            Some(clip)
        };
        all(tables.iter().zip(names).map(read).collect())
    }

    /// Whether two clips of a cable are too near each other to be two.
    fn at_one_place(&self, a: &Clip, b: &Clip) -> bool {
        let length = self.cables.get(a.cable).and_then(Option::as_ref).map_or(0.0, |c| c.cable.length);
        (a.at - b.at).abs() <= 2.0 * APART * length
    }

    /// Takes a place of a cable; true, and told, where something else has it.
    pub fn occupy(&self, table: &Table, cable: usize, at: f64) -> bool {
        let Some(length) = self.cables.get(cable).and_then(Option::as_ref).map(|c| c.cable.length) else {
            return false;
        };
        // Rounded to the distance below which two are at one place, neighbours included.
        let place = (at / (APART * length)) as u64;
        let taken = &mut self.taken.borrow_mut()[cable];
        if let Some((_, other)) = taken.range(place.saturating_sub(1)..=place + 1).next() {
            let message =
                format!("{} = {} is where {other} of this cable is", table.words("at"), millimetres(at));
            let help = "one clip, eye or bead at one place: remove one, or move it";
            table.report(Code::Conflict, "at", message, help);
            return true;
        }
        taken.insert(place, table.words(""));
        false
    }

    /// The place `at` between the ends of a cable of the given length.
    pub fn read_between(table: &Table, length: Option<f64>) -> Option<f64> {
        if !table.has("at") {
            table.report_missing("at", "say where on the cable: at = \"0.3 m\" or \"50 %\"");
        }
        let at = inside(table, "at", length)?;
        if let Some(length) = length
            && !(APART * length..=(1.0 - APART) * length).contains(&at)
        {
            let message = format!("{} = {} is an end of the cable", table.words("at"), millimetres(at));
            let help = "what holds an end is its `from` or `to`: name a port there";
            table.report(Code::Conflict, "at", message, help);
            return None;
        }
        Some(at)
    }

    /// The cables with what was paid out or reeled in at their far ends.
    pub fn fed(
        mut self,
        root: &Table,
        clips: Option<&[Clip]>,
        eyes: Option<&[Eye]>,
        beads: Option<&[Bead]>,
        loads: Option<&[CableLoad]>,
    ) -> Self {
        // The last place of each cable that something is at.
        let mut last = vec![0.0f64; self.cables.len()];
        let clips = clips.unwrap_or_default().iter().map(|c| (c.cable, c.at));
        let eyes = eyes.unwrap_or_default().iter().map(|e| (e.cable, e.at));
        let beads = beads.unwrap_or_default().iter().map(|b| (b.cable, b.at));
        let loads = loads.unwrap_or_default().iter().map(|l| match l.load.on {
            LoadOn::Point { at, .. } => (l.cable, at),
            LoadOn::Stretch { to, .. } => (l.cable, to),
        });
        for (cable, at) in clips.chain(eyes).chain(beads).chain(loads) {
            if let Some(last) = last.get_mut(cable) {
                *last = last.max(at);
            }
        }
        for (i, own) in self.cables.iter_mut().enumerate() {
            let Some(own) = own.as_mut().filter(|c| c.feed != 0.0) else { continue };
            let length = own.cable.length;
            let left = length + own.feed - last[i];
            if left <= APART * length {
                let key = format!("cable[{i}].feed");
                let message = format!(
                    "{} = {} leaves nothing of the {} beyond the last clip, eye, bead or load",
                    root.words(&key),
                    millimetres(own.feed),
                    millimetres(length - last[i])
                );
                let help = "reel in less, or move the guess `at` of the last eye towards the beginning";
                root.report(Code::OutOfRange, &key, message, help);
            }
            own.cable.length += own.feed;
        }
        self
    }

    fn read_clip(&self, table: &Table, name: Option<String>) -> Option<Clip> {
        let found = self.find(table);
        let at = Self::read_between(table, found.and_then(|f| f.1));
        let held = read_held(table);
        let (held, cable) = (held?, found?.0);
        Some(Clip {
            name: name?,
            cable,
            at: at?,
            hold: held.hold,
            position: held.position,
            slides: held.slides,
            orientation: held.orientation,
        })
    }
}

fn read_cable(table: &Table, known: &Names) -> Option<LaidCable> {
    let body = read_body(table, HARNESS_SEGMENTS);
    let example = "a port, a \"part.connector\", a junction, a clip, an eye or a bead";
    if !table.has("from") {
        table.report_missing("from", format!("name what the cable begins in: {example}"));
    }
    if !table.has("to") {
        table.report_missing("to", format!("name what the cable ends in: {example}; or \"free\""));
    }
    let from = if table.is_string("from") && table.string("from") == Some("free") {
        let help = "a cable begins where it is held: swap `from` and `to`";
        let message = format!("{} = \"free\": nothing holds the beginning", table.words("from"));
        table.report(Code::Conflict, "from", message, help);
        None
    } else {
        known.find_end(table, "from")
    };
    let hangs = table.is_string("to") && table.string("to") == Some("free");
    let to = if hangs { None } else { known.find_end(table, "to") };
    if from.is_some() && from == to {
        let message = format!("{} is where the cable begins", table.words("to"));
        table.report(Code::Conflict, "to", message, "a cable joins two different places, or hangs \"free\"");
    }
    let grips = [("clamped", Grip::Clamped), ("pinned", Grip::Pinned)];
    let grip = |key: &str| table.choice(key, &grips).unwrap_or(Grip::Clamped);
    let grips = [grip("grip_from"), grip("grip_to")];
    if hangs {
        let help = "leave it out, or say what the cable ends in";
        table.refuse(&["grip_to", "to_tangent", "twist"], "means nothing for a free end", help);
    }
    if grips.contains(&Grip::Pinned) {
        let help = "leave it out, or grip both ends \"clamped\"";
        table.refuse(&["twist"], "needs clamped ends", help);
    }
    let mut tangents = [None; 2];
    for (i, (key, node)) in [("from_tangent", from), ("to_tangent", to)].into_iter().enumerate() {
        if !table.has(key) {
            continue;
        }
        if matches!(node, Some(Node::Port(_) | Node::Connector(..))) {
            let help = "leave it out: a port or connector has a `tangent` of its own";
            table.refuse(&[key], "is for junctions, clips, eyes and beads", help);
        }
        if grips[i] == Grip::Pinned {
            table.refuse(&[key], "needs a clamped end", "leave it out, or grip the end \"clamped\"");
        }
        tangents[i] = Some(direction(table, key)?);
    }
    let twist = table.quantity("twist", Dimension::Angle, Bounds::Any).unwrap_or(0.0);
    let feed = table.quantity("feed", Dimension::Length, Bounds::Any).unwrap_or(0.0);
    let mut body = body?;
    body.accuracy = read_accuracy(table, &body);
    if feed != 0.0 && (!body.zones.is_empty() || !matches!(body.rest, Rest::Constant(_))) {
        let help = "leave it out, or give the cable one section and one rest shape";
        table.refuse(&["feed"], "needs a cable that is the same all along", help);
    }
    if body.length + feed > LONGEST {
        let message = format!("{} makes the cable longer than 1000 km", table.words("feed"));
        table.report(Code::OutOfRange, "feed", message, "pay out less");
    }
    let route = if table.has("route") { Some(read_route(table)?) } else { None };
    if route.is_some() {
        let help = "leave it out: a cable that finds its own length takes what it needs";
        table.refuse(&["feed"], "means nothing with `route`", help);
    }
    let to = if hangs { None } else { Some(to?) };
    if hangs {
        let help = "leave it out, or say what the cable ends in";
        table.refuse(&["route"], "needs a cable that ends in something", help);
    }
    let growth = if table.has("grow") { Some(read_growth(table)?) } else { None };
    Some(LaidCable { cable: body, from: from?, to, grips, tangents, twist, feed, route, growth })
}

/// What a cable that finds its own length pays for it.
fn read_route(cable: &Table) -> Option<RoutePrice> {
    let table = cable.child("route", ROUTE)?;
    match table.one_of(ROUTE) {
        Some("tension") => {
            table.quantity("tension", Dimension::Force, Bounds::Positive).map(RoutePrice::Tension)
        }
        Some(_) => {
            table.quantity("bend_length", Dimension::Length, Bounds::Positive).map(RoutePrice::BendLength)
        }
        None => {
            let help = "say how straight it runs: { tension = \"5 N\" } or { bend_length = \"80 mm\" }";
            table.report_missing("tension", help);
            None
        }
    }
}

/// How a cable changes in time.
fn read_growth(cable: &Table) -> Option<Growth> {
    let table = cable.child("grow", GROW)?;
    let length = table.has("length").then(|| table.quantity("length", Dimension::Length, LENGTH));
    let length = length.map_or(Some(None), |length| length.map(Some))?;
    if !table.has("length") && !table.has("rest") {
        let help = "say what it becomes: length = \"300 mm\", or rest = { curvature = [\"20 1/m\", 0] }";
        table.report_missing("length", help);
        return None;
    }
    let whole = length.or_else(|| cable.quantity("length", Dimension::Length, LENGTH));
    let rest = if table.has("rest") { Some(read_rest(&table, whole)?) } else { None };
    let start = if table.has("start") {
        table.quantity("start", Dimension::Time, Bounds::NotNegative)
    } else {
        Some(0.0)
    };
    let duration = table.required("duration", Dimension::Time, Bounds::Positive);
    Some(Growth { length, rest, start: start?, duration: duration? })
}

/// Keys of a load in a scene of one cable are keys of a load here.
const _: () = assert!(load::LOAD.len() + 1 == LOAD.len());

/// What two clips at one place of a cable ask for that cannot both be.
fn quarrel(a: &Clip, b: &Clip) -> Option<String> {
    let held = |clip: &Clip| clip.hold != Hold::Free;
    if !(held(a) && held(b)) {
        return None;
    }
    let tangent = |clip: &Clip| match clip.orientation? {
        Orientation::Tangent(t, _) => Some(t),
        Orientation::Frame(q) => Some(rotation::tangent(&q)),
    };
    let apart = (a.position - b.position).norm();
    if apart > 1e-9 {
        let apart = millimetres(apart);
        return Some(format!(
            "clips '{}' and '{}' want one place of the cable {apart} apart",
            a.name, b.name
        ));
    }
    let angle = tangent(a)?.angle(&tangent(b)?).to_degrees();
    (angle > 1e-6).then(|| {
        format!(
            "clips '{}' and '{}' ask for different tangents at one place, {}° apart",
            a.name,
            b.name,
            digits(angle)
        )
    })
}
