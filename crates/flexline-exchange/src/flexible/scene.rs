//! A scene of the cables found: ends become ports, the centreline as drawn becomes the rest shape.

use std::collections::VecDeque;
use std::fmt::Write;

use flexline::algebra::rotation;
use flexline::{Mat3, Quat, Vec3};

use serde_json::{Map, Value, json};

use super::{Flexible, Span};

/// Shape without loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// As drawn. Cables that begin at a junction are straight all the same: how they are turned there is found by laying them.
    Drawn,
    /// Straight.
    Straight,
}

/// Rows of the table of a rest shape.
const ROWS: usize = 120;
/// Points of a path at most.
const PATH: usize = 100;

/// A span with its direction chosen and a frame carried along it without twist.
struct Laid<'a> {
    span: &'a Span,
    backwards: bool,
    /// d1, d2, d3 as columns at each point, in the direction chosen.
    frames: Vec<Mat3>,
}

/// A table of a scene: what it is, and its keys.
struct Thing {
    kind: &'static str,
    keys: Map<String, Value>,
}

impl Flexible {
    /// The text of a scene with these cables, of one material of the library; `None` where there are none.
    pub fn to_scene(&self, title: &str, material: &str, rest: Rest) -> Option<String> {
        let first = self.spans.first()?;
        let mut text = format!("version = 1\ntitle = {}\n", json!(title));
        if self.spans.len() > 1 {
            for thing in self.things(None, material, rest) {
                let _ = write!(text, "\n[[{}]]\n", thing.kind);
                keys(&mut text, &thing.keys);
            }
            return Some(text);
        }
        let laid = Laid::new(first, false, None);
        let ring = first.nodes[0] == first.nodes[1];
        let mut cable = object(json!({ "name": "cable 1" }));
        if ring {
            cable.insert("closed".into(), json!(true));
        }
        laid.properties(&mut cable, material, rest);
        text += "\n[cable]\n";
        keys(&mut text, &cable);
        let ends = if ring { &["start"][..] } else { &["start", "end"][..] };
        for (k, name) in ends.iter().enumerate() {
            let i = [0, first.points.len() - 1][k];
            let mut end = object(json!({ "hold": "clamped" }));
            end.extend(pose(&first.points[i], &laid.frames[i]));
            let _ = write!(text, "\n[{name}]\n");
            keys(&mut text, &end);
        }
        if !ring && laid.is_odd() {
            text += "twist = \"1 turn\"\n";
        }
        Some(text)
    }

    /// The commands of a session that lay these cables in a scene, their names beginning with `base`. Each begins as it is drawn.
    pub fn to_commands(&self, base: &str, material: &str, rest: Rest) -> Vec<Value> {
        let command = |thing: Thing| match thing.kind {
            "cable" => {
                let mut with = thing.keys;
                let mut own = object(json!({ "do": "create-cable" }));
                for key in ["name", "from", "to", "length"] {
                    own.extend(with.remove(key).map(|value| (key.to_owned(), value)));
                }
                own.insert("with".into(), with.into());
                own.into()
            }
            kind => json!({ "do": "add", "kind": kind, "with": thing.keys }),
        };
        self.things(Some(base), material, rest).into_iter().map(command).collect()
    }

    /// Ports, junctions and cables, led away from the first end: one cable ends in every junction, the others begin there.
    fn things(&self, base: Option<&str>, material: &str, rest: Rest) -> Vec<Thing> {
        let mut known: Vec<Option<Mat3>> = vec![None; self.nodes.len()];
        let mut done = vec![false; self.spans.len()];
        let (mut cables, mut ports) = (Vec::new(), Vec::new());
        let before = base.map_or(String::new(), |base| format!("{base} "));
        let named = |what: &str, k: usize| format!("{before}{what} {}", k + 1);
        let roots = (0..self.nodes.len()).filter(|n| !self.nodes[*n].junction).chain(0..self.nodes.len());
        for root in roots.collect::<Vec<_>>() {
            let mut queue = VecDeque::from([root]);
            while let Some(node) = queue.pop_front() {
                for (k, span) in self.spans.iter().enumerate() {
                    if done[k] || !span.nodes.contains(&node) {
                        continue;
                    }
                    done[k] = true;
                    let backwards = span.nodes[0] != node;
                    let nodes = if backwards { [span.nodes[1], span.nodes[0]] } else { span.nodes };
                    let laid = Laid::new(span, backwards, known[node]);
                    let name = match base {
                        Some(base) if self.spans.len() == 1 => base.to_owned(),
                        _ => named("cable", k),
                    };
                    let mut cable = object(json!({ "name": name }));
                    for (side, word) in ["from", "to"].into_iter().enumerate() {
                        let n = nodes[side];
                        let i = [0, laid.frames.len() - 1][side];
                        if self.nodes[n].junction {
                            cable.insert(word.into(), named("junction", n).into());
                            match known[n] {
                                Some(frame) => {
                                    let t = frame.transpose() * laid.frames[i].column(2);
                                    cable.insert(format!("{word}_tangent"), numbers(&[t.x, t.y, t.z], 1e6));
                                }
                                None => known[n] = Some(laid.frames[i]),
                            }
                        } else {
                            // A ring has one node: a second port where it comes back to the first.
                            let again = nodes[0] == nodes[1] && side == 1;
                            let name = named("end", n + usize::from(again) * self.nodes.len());
                            cable.insert(word.into(), name.clone().into());
                            let mut keys = object(json!({ "name": name }));
                            keys.extend(pose(&self.nodes[n].at, &laid.frames[i]));
                            ports.push(Thing { kind: "port", keys });
                        }
                    }
                    let straight = self.nodes[nodes[0]].junction;
                    laid.properties(&mut cable, material, if straight { Rest::Straight } else { rest });
                    if base.is_some() {
                        cable.insert("path".into(), laid.path());
                        cable.insert("path_twist".into(), json!(0));
                    }
                    cables.push(Thing { kind: "cable", keys: cable });
                    queue.push_back(nodes[1]);
                }
            }
        }
        for (n, node) in self.nodes.iter().enumerate().filter(|n| n.1.junction) {
            let keys = object(json!({
                "name": named("junction", n),
                "position": numbers(&[node.at.x, node.at.y, node.at.z], 1e9),
            }));
            ports.push(Thing { kind: "junction", keys });
        }
        ports.extend(cables);
        ports
    }
}

impl<'a> Laid<'a> {
    /// Carries a frame along: from `before`, turned the least, or from one of its own choice.
    fn new(span: &'a Span, backwards: bool, before: Option<Mat3>) -> Self {
        let n = span.points.len();
        let tangent = |i: usize| {
            let k = if backwards { n - 1 - i } else { i };
            let t = match k {
                0 => span.tangents[0],
                _ if k == n - 1 => span.tangents[1],
                _ => span.points[k + 1] - span.points[k - 1],
            };
            t.try_normalize(0.0).unwrap_or_else(Vec3::z) * if backwards { -1.0 } else { 1.0 }
        };
        let lean = before.map_or_else(
            || super::fit::square_to(&tangent(0))[0],
            |frame| turned(&frame.column(2).into(), &tangent(0), &frame.column(0).into()),
        );
        let mut frames = Vec::with_capacity(n);
        let mut d1 = lean;
        for i in 0..n {
            let t = tangent(i);
            if i > 0 {
                d1 = turned(&tangent(i - 1), &t, &d1);
            }
            d1 = (d1 - d1.dot(&t) * t).try_normalize(1e-9).unwrap_or_else(|| super::fit::square_to(&t)[0]);
            frames.push(Mat3::from_columns(&[d1, t.cross(&d1), t]));
        }
        Self { span, backwards, frames }
    }

    /// Whether the cable as drawn is an odd number of turns from one laid over its chord, which is what a scene takes for
    /// no turn: the frame goes round once where the curve goes round in space.
    fn is_odd(&self) -> bool {
        let (first, last) = (&self.frames[0], &self.frames[self.frames.len() - 1]);
        let tangent = |f: &Mat3| -> Vec3 { f.column(2).into() };
        let start = rotation::from_matrix(first);
        let pairs = self.frames.windows(2);
        let drawn = pairs.fold(start, |q, w| rotation::between(&tangent(&w[0]), &tangent(&w[1])) * q);
        let chord = self.span.points[self.span.points.len() - 1] - self.span.points[0];
        let Some(chord) = chord.try_normalize(0.0) else { return false };
        let laid =
            rotation::between(&chord, &tangent(last)) * rotation::between(&tangent(first), &chord) * start;
        let over: Vec3 = rotation::matrix(&laid).column(0).into();
        let angle = over.cross(&last.column(0)).dot(&last.column(2)).atan2(over.dot(&last.column(0)));
        let turned = rotation::exp(&(angle * tangent(last))) * laid;
        turned.coords.dot(&drawn.coords) < 0.0
    }

    fn properties(&self, cable: &mut Map<String, Value>, material: &str, rest: Rest) {
        let span = self.span;
        let radius = rounded(span.radius.iter().sum::<f64>() / span.radius.len() as f64, 1e9);
        let section = match span.bore {
            Some(bore) => {
                json!({ "shape": "tube", "outer_radius": radius, "inner_radius": rounded(bore, 1e9), "material": material })
            }
            None => json!({ "shape": "disc", "radius": radius, "material": material }),
        };
        // A straight one reaches with its ends rounded too.
        let chord = (span.points[span.points.len() - 1] - span.points[0]).norm();
        let length = if span.nodes[0] == span.nodes[1] { span.length } else { span.length.max(chord + 2e-9) };
        cable.insert("length".into(), json!((length * 1e9).ceil() / 1e9));
        cable.insert("section".into(), section);
        if rest == Rest::Drawn {
            cable.insert("rest".into(), json!({ "table": self.rows() }));
        }
    }

    /// Points along it, as many as tell its shape.
    fn path(&self) -> Value {
        let last = self.frames.len() - 1;
        let turning: f64 = self.frames.windows(2).map(|w| w[0].column(2).angle(&w[1].column(2))).sum();
        let count = ((6.0 * turning).ceil() as usize).clamp(6, PATH).min(last.max(1));
        let point = |i: usize| {
            let k = i * last / count;
            let p = self.span.points[if self.backwards { last - k } else { k }];
            numbers(&[p.x, p.y, p.z], 1e6)
        };
        (0..=count).map(point).collect()
    }

    /// Rows of arc length and curvatures: κ1 = −d3′·d2, κ2 = d3′·d1, no twist.
    fn rows(&self) -> Vec<Value> {
        let n = self.frames.len();
        let at = |i: usize| {
            if self.backwards { self.span.length - self.span.arc[n - 1 - i] } else { self.span.arc[i] }
        };
        let rows = ROWS.min(n - 1);
        let row = |row: usize| {
            // The turn over a stretch, in its middle.
            let (a, b) = (row * (n - 1) / rows, (row + 1) * (n - 1) / rows);
            let (first, last) = (&self.frames[a], &self.frames[b]);
            let middle = (first + last) / 2.0;
            let bend = (last.column(2) - first.column(2)) / (at(b) - at(a)).max(f64::MIN_POSITIVE);
            let [k1, k2] = [-bend.dot(&middle.column(1)), bend.dot(&middle.column(0))];
            json!([rounded(0.5 * (at(a) + at(b)), 1e9), rounded(k1, 1e6), rounded(k2, 1e6), 0])
        };
        (0..rows).map(row).collect()
    }
}

/// A vector turned by the least rotation that takes one direction to another.
fn turned(from: &Vec3, to: &Vec3, v: &Vec3) -> Vec3 {
    let (axis, cos) = (from.cross(to), from.dot(to));
    if cos < -0.999_999 {
        return *v;
    }
    v * cos + axis.cross(v) + axis * (axis.dot(v) / (1.0 + cos))
}

fn pose(at: &Vec3, frame: &Mat3) -> Map<String, Value> {
    let q: Quat = rotation::from_matrix(frame);
    object(json!({
        "position": numbers(&[at.x, at.y, at.z], 1e9),
        "quaternion": numbers(&[q.w, q.i, q.j, q.k], 1e9),
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn rounded(x: f64, parts: f64) -> f64 {
    (x * parts).round() / parts
}

fn numbers(all: &[f64], parts: f64) -> Value {
    all.iter().map(|x| rounded(*x, parts)).collect()
}

/// Keys as lines of a scene file.
fn keys(text: &mut String, keys: &Map<String, Value>) {
    for (key, value) in keys {
        let _ = writeln!(text, "{key} = {}", toml(value));
    }
}

/// A value as scene files write it.
fn toml(value: &Value) -> String {
    let deep = |v: &Value| v.as_array().is_some_and(|own| own.iter().any(Value::is_array));
    match value {
        Value::Array(all) if deep(value) => {
            let rows: Vec<String> = all.iter().map(|v| format!("  {},\n", toml(v))).collect();
            format!("[\n{}]", rows.concat())
        }
        Value::Array(all) => format!("[{}]", all.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let own: Vec<String> = map.iter().map(|(k, v)| format!("{k} = {}", toml(v))).collect();
            format!("{{ {} }}", own.join(", "))
        }
        other => other.to_string(),
    }
}
