//! Write-back: the file as it was, byte for byte, but for what has changed.
//!
//! Nothing is serialised. The text of single elements is replaced where it stands, and new elements are put behind their likes with the
//! indentation of these, so that ids, order, comments, processing instructions and unknown elements stay as they were.

use super::fit::{Line, control_points, pieces};
use super::plan::{Hold, Plan};
use super::{Dialect, Kbl, KblError, Text, read};
use flexline::Vec3;
use roxmltree::{Document, Node as Element};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// How much longer wires are cut than they are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reserve {
    /// A share of the length.
    pub share: f64,
    /// A length for every end, m.
    pub per_end: f64,
    /// Rounded up to a multiple of this, m; zero for not.
    pub round: f64,
}

impl Reserve {
    /// The length to cut, m.
    pub fn with(&self, length: f64) -> f64 {
        let long = length * (1.0 + self.share) + 2.0 * self.per_end;
        match self.round > 0.0 {
            // A multiple but for round-off is one.
            true => (long / self.round - 1e-9).ceil() * self.round,
            false => long,
        }
    }
}

/// What has become of a cable of the plan.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Where it goes now, where it has moved.
    pub line: Option<Line>,
    /// How much longer it is, m.
    pub longer: f64,
    /// Fixings that were shifted: the index in the plan, and the share of the cable.
    pub clips: Vec<(usize, f64)>,
}

/// What is asked for beside.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// How far curves may be off, m.
    pub tolerance: f64,
    /// How knots are meant in curves that are written; as the file does where it is not said.
    pub dialect: Option<Dialect>,
    /// A second length of every wire, with reserve.
    pub reserve: Option<Reserve>,
}

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct WrittenBack {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many elements of a kind were changed.
    pub changed: BTreeMap<&'static str, usize>,
    /// How many elements of a kind are new.
    pub added: BTreeMap<&'static str, usize>,
    /// How far curves are off at most, m.
    pub off: f64,
}

type El<'a, 'i> = Element<'a, 'i>;

struct Writer<'a, 'i> {
    source: &'i str,
    kbl: &'a Kbl,
    by_id: HashMap<&'a str, El<'a, 'i>>,
    ids: HashSet<String>,
    /// How often points are referred to.
    uses: HashMap<&'a str, usize>,
    splices: Vec<(Range<usize>, String)>,
    /// Elements that were counted as changed, by where they begin.
    counted: HashSet<usize>,
    new_points: String,
    result: WrittenBack,
}

/// Writes the file with what has changed.
pub fn write_back(
    text: &Text,
    kbl: &Kbl,
    plan: &Plan,
    changes: &[Change],
    wishes: &Wishes,
) -> Result<WrittenBack, KblError> {
    let doc: Document<'_> = read::parse(&text.text)?;
    let mut by_id = HashMap::new();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for own in doc.descendants().filter(|own| own.is_element()) {
        if let Some(id) = own.attribute("id") {
            by_id.insert(id, own);
        }
        if own.has_tag_name("Control_points")
            || (own.has_tag_name("Cartesian_point") && own.attribute("id").is_none())
        {
            own.text()
                .unwrap_or_default()
                .split_ascii_whitespace()
                .for_each(|id| *uses.entry(id).or_default() += 1);
        }
    }
    let ids = by_id.keys().map(|id| (*id).to_owned()).collect();
    let mut writer = Writer {
        source: &text.text,
        kbl,
        by_id,
        ids,
        uses,
        splices: Vec::new(),
        counted: HashSet::new(),
        new_points: String::new(),
        result: WrittenBack::default(),
    };
    let usual = wishes.dialect.or(plan.dialect()).unwrap_or(Dialect::Clamped);
    let mut moved_nodes: BTreeMap<usize, Vec3> = BTreeMap::new();
    for (own, change) in plan.cables.iter().zip(changes) {
        let segment = &kbl.segments[own.segment];
        if let Some(line) = &change.line {
            let dialect = wishes.dialect.or(own.course.dialect).unwrap_or(usual);
            writer.curves(own.segment, line, dialect, wishes.tolerance);
            writer.vectors(own.segment, line, &own.course.tangents);
            for (side, place) in
                [line.places[0].1, line.places[line.places.len() - 1].1].into_iter().enumerate()
            {
                moved_nodes.insert(plan.nodes[own.nodes[side]].node, place);
            }
        }
        if change.longer != 0.0
            && let Some(length) = segment.virtual_length
        {
            writer.value(&segment.id, "Virtual_length", length + change.longer);
        }
        for (clip, share) in &change.clips {
            let id = &segment.fixings[own.clips[*clip].fixing].id;
            if let Some(location) = writer.child_of(id, "Location") {
                writer.set(location, format!("{share:.9}"), "Fixing_assignment");
            }
        }
    }
    for (node, at) in moved_nodes {
        // What is within round-off of where it was stays.
        if (kbl.nodes[node].at - at).norm() > 1e-9 {
            writer.point(&kbl.nodes[node].point, at);
        }
    }
    writer.lengths(plan, changes, wishes.reserve);
    Ok(writer.finish(text))
}

impl<'a, 'i> Writer<'a, 'i> {
    fn child_of(&self, id: &str, name: &str) -> Option<El<'a, 'i>> {
        self.by_id.get(id)?.children().find(|own| own.has_tag_name(name))
    }

    fn count(&mut self, kind: &'static str) {
        *self.result.changed.entry(kind).or_default() += 1;
    }

    /// Replaces the text of an element, within what space is around it.
    fn set(&mut self, element: El<'a, 'i>, new: String, kind: &'static str) {
        let Some(own) = element.first_child().filter(|own| own.is_text()) else { return };
        let range = own.range();
        let old = &self.source[range.clone()];
        let kept = old.len() - old.trim_start().len();
        let range = range.start + kept..range.start + kept + old.trim().len();
        if self.source[range.clone()] != new {
            self.splices.push((range, new));
            let owner = element.ancestors().find(|own| own.has_tag_name(kind)).unwrap_or(element);
            if self.counted.insert(owner.range().start) {
                self.count(kind);
            }
        }
    }

    fn coordinate(&self, value: f64) -> String {
        format!("{:.9}", value / self.kbl.point_unit)
    }

    fn point(&mut self, id: &str, at: Vec3) {
        let Some(point) = self.by_id.get(id).copied() else { return };
        let all: Vec<El<'a, 'i>> = point.children().filter(|own| own.has_tag_name("Coordinates")).collect();
        let before = self.splices.len();
        for (own, value) in all.into_iter().zip(at.iter()) {
            let new = self.coordinate(*value);
            let Some(text) = own.first_child().filter(|own| own.is_text()) else { continue };
            self.splices.push((text.range(), new));
        }
        if self.splices.len() > before {
            self.count("Cartesian_point");
        }
    }

    /// What stands before an element in its line, from the line break on.
    fn indent(&self, element: El<'a, 'i>) -> &'i str {
        let start = element.range().start;
        let line = self.source[..start].rfind('\n').map_or(start, |at| at);
        let space = &self.source[line..start];
        if space.trim().is_empty() { space } else { "" }
    }

    fn fresh(&mut self, stem: &str) -> String {
        let mut number = 1;
        loop {
            let id = format!("{stem}_{number}");
            if self.ids.insert(id.clone()) {
                return id;
            }
            number += 1;
            if number > 64 {
                // Many are there already: go on from their number.
                number = number.max(self.ids.len());
            }
        }
    }

    /// New points behind the last of the file; their ids.
    fn add_points(&mut self, points: &[Vec3]) -> String {
        let like = self.by_id.values().copied().find(|own| own.has_tag_name("Cartesian_point"));
        let indent = like.map_or("\n", |own| self.indent(own));
        let mut ids = Vec::new();
        for at in points {
            let id = self.fresh("Flexline_point");
            let inner = if indent.is_empty() { String::new() } else { format!("{indent}\t") };
            self.new_points += &format!("{indent}<Cartesian_point id=\"{id}\">");
            for value in at.iter() {
                self.new_points += &format!("{inner}<Coordinates>{}</Coordinates>", self.coordinate(*value));
            }
            self.new_points += &format!("{indent}</Cartesian_point>");
            ids.push(id);
        }
        *self.result.added.entry("Cartesian_point").or_default() += points.len();
        ids.join(" ")
    }

    fn curves(&mut self, segment: usize, line: &Line, dialect: Dialect, tolerance: f64) {
        let own = &self.kbl.segments[segment];
        let degree = own.curves.first().map_or(3, |curve| curve.degree);
        let (made, off) = pieces(line, degree, own.curves.len(), tolerance);
        self.result.off = self.result.off.max(off);
        let mut last = None;
        let mut new = String::new();
        for (i, piece) in made.iter().enumerate() {
            let points = control_points(piece, dialect);
            match own.curves.get(i) {
                Some(curve) => {
                    let element = self.by_id.get(curve.id.as_str()).copied();
                    last = element.or(last);
                    let alone = |id: &String| self.uses.get(id.as_str()) == Some(&1);
                    if curve.degree == degree
                        && curve.points.len() == points.len()
                        && curve.point_ids.iter().all(alone)
                    {
                        for (id, at) in curve.point_ids.iter().zip(points) {
                            self.point(id, at);
                        }
                        continue;
                    }
                    let ids = self.add_points(&points);
                    if let Some(own) = self.child_of(&curve.id, "Control_points") {
                        self.set(own, ids, "Center_curve");
                    }
                    if let Some(own) = self.child_of(&curve.id, "Degree") {
                        self.set(own, degree.to_string(), "Center_curve");
                    }
                }
                None => {
                    let ids = self.add_points(&points);
                    let id = self.fresh("Flexline_curve");
                    let like = last.or(self.child_of(&own.id, "Start_node"));
                    let indent = like.map_or("\n", |own| self.indent(own));
                    let inner = if indent.is_empty() { String::new() } else { format!("{indent}\t") };
                    new += &format!(
                        "{indent}<Center_curve id=\"{id}\">{inner}<Degree>{degree}</Degree>{inner}<Control_points>{ids}</Control_points>{indent}</Center_curve>"
                    );
                    *self.result.added.entry("Center_curve").or_default() += 1;
                }
            }
        }
        if !new.is_empty() {
            let nodes = ["Start_node", "End_node"]
                .map(|name| self.child_of(&own.id, name).map(|own| own.range().end));
            let behind = last.map(|own| own.range().end).or(nodes.into_iter().flatten().max());
            if let Some(at) = behind {
                self.splices.push((at..at, new));
            }
        }
    }

    /// Directions at the ends, in the sense in which the file has them.
    fn vectors(&mut self, segment: usize, line: &Line, before: &[Vec3]) {
        let own = &self.kbl.segments[segment];
        let ends = [
            ("Start_vector", own.vectors[0], before[0], line.places[0].2),
            ("End_vector", own.vectors[1], before[before.len() - 1], line.places[line.places.len() - 1].2),
        ];
        for (name, old, drawn, now) in ends {
            let (Some(old), Some(element)) = (old, self.by_id.get(own.id.as_str()).copied()) else {
                continue;
            };
            let now = if old.dot(&drawn) < 0.0 { -now } else { now };
            let all: Vec<El<'a, 'i>> = element.children().filter(|own| own.has_tag_name(name)).collect();
            if all.len() == 3 {
                for (one, value) in all.into_iter().zip(now.iter()) {
                    self.set(one, format!("{value:.6}"), "Segment");
                }
            }
        }
    }

    /// Sets a length of an element, in the unit that it has.
    fn value(&mut self, id: &str, name: &str, metres: f64) {
        if let Some(own) = self.child_of(id, name) {
            self.length(own, metres, if name == "Virtual_length" { "Segment" } else { "Length_information" });
        }
    }

    fn length(&mut self, own: El<'a, 'i>, metres: f64, kind: &'static str) {
        let child = |name: &str| own.children().find(|own| own.has_tag_name(name));
        let unit =
            child("Unit_component").and_then(|own| own.text()).and_then(|id| self.by_id.get(id.trim()));
        let (Some(Ok((_, factor))), Some(value)) =
            (unit.map(|own| super::units::unit(*own)), child("Value_component"))
        else {
            return;
        };
        self.set(value, shown(metres / factor), kind);
    }

    /// Lengths of wires: in the mock-up where segments have other lengths, and with reserve where that is asked for.
    fn lengths(&mut self, plan: &Plan, changes: &[Change], reserve: Option<Reserve>) {
        let mut longer: Vec<f64> = vec![0.0; self.kbl.segments.len()];
        for (own, change) in plan.cables.iter().zip(changes) {
            longer[own.segment] = change.longer;
        }
        let mut done = HashSet::new();
        for connection in &self.kbl.connections {
            let wire = &self.kbl.wires[connection.wire];
            let Some(segments) = &connection.segments else { continue };
            let more: f64 = segments.iter().map(|i| longer[*i]).sum();
            let now = self
                .kbl
                .drawn_length(connection)
                .or(self.kbl.routed_length(segments))
                .map(|length| length + more);
            let core = connection.core.map(|i| &wire.cores[i]).filter(|core| !core.lengths.is_empty());
            let id = core.map_or(wire.id.as_str(), |core| core.id.as_str());
            let (Some(now), true) = (now, done.insert(id)) else { continue };
            let Some(element) = self.by_id.get(id).copied() else { continue };
            let infos: Vec<El<'a, 'i>> =
                element.children().filter(|own| own.has_tag_name("Length_information")).collect();
            let kind = |own: &El<'a, 'i>| {
                own.children().find(|own| own.has_tag_name("Length_type")).and_then(|own| own.text())
            };
            let value = |own: El<'a, 'i>| own.children().find(|own| own.has_tag_name("Length_value"));
            let of =
                |wanted: &str| infos.iter().copied().find(|own| kind(own).map(str::trim) == Some(wanted));
            if more != 0.0
                && let Some(own) = of("DMU").and_then(value)
            {
                self.length(own, now, "Length_information");
            }
            let Some(reserve) = reserve else { continue };
            let cut = reserve.with(now);
            match of("Flexline").and_then(value) {
                Some(own) => self.length(own, cut, "Length_information"),
                None => self.add_length(&infos, cut),
            }
            self.add_instruction(&connection.id, cut - now);
        }
    }

    fn add_length(&mut self, infos: &[El<'a, 'i>], cut: f64) {
        let Some(like) = infos.last() else { return };
        let unit =
            like.descendants().find(|own| own.has_tag_name("Unit_component")).and_then(|own| own.text());
        let Some(unit) = unit.map(str::trim) else { return };
        let Some(Ok((_, factor))) = self.by_id.get(unit).map(|own| super::units::unit(*own)) else { return };
        let [id, value] = ["Flexline_length", "Flexline_value"].map(|stem| self.fresh(stem));
        let indent = self.indent(*like);
        let [one, two] = if indent.is_empty() {
            [String::new(), String::new()]
        } else {
            [format!("{indent}\t"), format!("{indent}\t\t")]
        };
        let shown = shown(cut / factor);
        let new = format!(
            "{indent}<Length_information id=\"{id}\">{one}<Length_type>Flexline</Length_type>{one}<Length_value id=\"{value}\">{two}<Unit_component>{unit}</Unit_component>{two}<Value_component>{shown}</Value_component>{one}</Length_value>{indent}</Length_information>"
        );
        let at = like.range().end;
        self.splices.push((at..at, new));
        *self.result.added.entry("Length_information").or_default() += 1;
    }

    /// How much reserve there is, as an instruction of the connection, where all versions have room for one.
    fn add_instruction(&mut self, connection: &str, reserve: f64) {
        let Some(element) = self.by_id.get(connection).copied() else { return };
        let Some(last) = element.children().rfind(|own| own.is_element()) else { return };
        let told = |own: &El<'a, 'i>| {
            let kind =
                own.children().find(|own| own.has_tag_name("Instruction_type")).and_then(|own| own.text());
            own.has_tag_name("Processing_information") && kind.map(str::trim) == Some(RESERVE)
        };
        let shown = format!("{:.3} mm", 1e3 * reserve);
        if let Some(old) = element.children().find(told) {
            if let Some(value) = old.children().find(|own| own.has_tag_name("Instruction_value")) {
                self.set(value, shown, "Processing_information");
            }
            return;
        }
        let id = self.fresh("Flexline_reserve");
        let indent = self.indent(last);
        let inner = if indent.is_empty() { String::new() } else { format!("{indent}\t") };
        let new = format!(
            "{indent}<Processing_information id=\"{id}\">{inner}<Instruction_type>{RESERVE}</Instruction_type>{inner}<Instruction_value>{shown}</Instruction_value>{indent}</Processing_information>"
        );
        let at = last.range().end;
        self.splices.push((at..at, new));
        *self.result.added.entry("Processing_information").or_default() += 1;
    }

    fn finish(mut self, text: &Text) -> WrittenBack {
        if !self.new_points.is_empty() {
            let last = self
                .by_id
                .values()
                .filter(|own| own.has_tag_name("Cartesian_point"))
                .map(|own| own.range().end)
                .max();
            if let Some(at) = last {
                self.splices.push((at..at, std::mem::take(&mut self.new_points)));
            }
        }
        // The same place is written once: what was put there first stays.
        self.splices.sort_by_key(|own| (own.0.start, own.0.end));
        let mut out = String::with_capacity(self.source.len());
        let mut reached = 0;
        for (range, new) in &self.splices {
            if range.start < reached {
                continue;
            }
            out.push_str(&self.source[reached..range.start]);
            out.push_str(new);
            reached = range.end;
        }
        out.push_str(&self.source[reached..]);
        self.result.bytes = text.encode(&out);
        self.result
    }
}

/// A length as it is written: six decimals at most.
fn shown(value: f64) -> String {
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What the instruction is called.
const RESERVE: &str = "Flexline reserve";

/// Cables that have moved, spread to those that hang on the same free nodes: what a node joins goes with it.
pub fn spread(plan: &Plan, moved: &mut [bool]) {
    loop {
        let mut more = false;
        for node in plan.nodes.iter().filter(|own| own.hold == Hold::Free) {
            if node.ends.iter().any(|end| moved[end.cable]) {
                for end in &node.ends {
                    more |= !std::mem::replace(&mut moved[end.cable], true);
                }
            }
        }
        if !more {
            return;
        }
    }
}
