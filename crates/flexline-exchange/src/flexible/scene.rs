//! A scene of the cables found: ends become ports, the centreline as drawn becomes the rest shape.

use std::collections::VecDeque;
use std::fmt::Write;

use flexline::algebra::rotation;
use flexline::{Mat3, Quat, Vec3};

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

/// A span with its direction chosen and a frame carried along it without twist.
struct Laid<'a> {
    span: &'a Span,
    backwards: bool,
    /// d1, d2, d3 as columns at each point, in the direction chosen.
    frames: Vec<Mat3>,
}

impl Flexible {
    /// The text of a scene with these cables, of one material of the library; `None` where there are none.
    pub fn to_scene(&self, title: &str, material: &str, rest: Rest) -> Option<String> {
        let first = self.spans.first()?;
        let mut text = format!("version = 1\ntitle = {}\n", quoted(title));
        if self.spans.len() > 1 {
            self.harness(&mut text, material, rest);
            return Some(text);
        }
        let laid = Laid::new(first, false, None);
        let ring = first.nodes[0] == first.nodes[1];
        text += "\n[cable]\nname = \"cable 1\"\n";
        if ring {
            text += "closed = true\n";
        }
        laid.properties(&mut text, material, rest);
        let ends = if ring { &["start"][..] } else { &["start", "end"][..] };
        for (k, name) in ends.iter().enumerate() {
            let i = [0, first.points.len() - 1][k];
            let _ = write!(text, "\n[{name}]\nhold = \"clamped\"\n");
            pose(&mut text, &first.points[i], &laid.frames[i]);
        }
        if !ring && laid.is_odd() {
            text += "twist = \"1 turn\"\n";
        }
        Some(text)
    }

    /// Ports, junctions and cables, led away from the first end: one cable ends in every junction, the others begin there.
    fn harness(&self, text: &mut String, material: &str, rest: Rest) {
        let mut known: Vec<Option<Mat3>> = vec![None; self.nodes.len()];
        let mut done = vec![false; self.spans.len()];
        let mut cables = String::new();
        let mut ports = String::new();
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
                    let _ = write!(cables, "\n[[cable]]\nname = \"cable {}\"\n", k + 1);
                    for (side, word) in ["from", "to"].into_iter().enumerate() {
                        let n = nodes[side];
                        let i = [0, laid.frames.len() - 1][side];
                        if self.nodes[n].junction {
                            let _ = writeln!(cables, "{word} = \"junction {}\"", n + 1);
                            match known[n] {
                                Some(frame) => {
                                    let t = frame.transpose() * laid.frames[i].column(2);
                                    let _ = writeln!(
                                        cables,
                                        "{word}_tangent = [{:.6}, {:.6}, {:.6}]",
                                        t.x, t.y, t.z
                                    );
                                }
                                None => known[n] = Some(laid.frames[i]),
                            }
                        } else {
                            let _ = writeln!(cables, "{word} = \"end {}\"", n + 1);
                            let _ = write!(ports, "\n[[port]]\nname = \"end {}\"\n", n + 1);
                            pose(&mut ports, &self.nodes[n].at, &laid.frames[i]);
                        }
                    }
                    let straight = self.nodes[nodes[0]].junction;
                    laid.properties(&mut cables, material, if straight { Rest::Straight } else { rest });
                    queue.push_back(nodes[1]);
                }
            }
        }
        text.push_str(&ports);
        for (n, node) in self.nodes.iter().enumerate().filter(|n| n.1.junction) {
            let [x, y, z] = [node.at.x, node.at.y, node.at.z];
            let _ = write!(
                text,
                "\n[[junction]]\nname = \"junction {}\"\nposition = [{x:.9}, {y:.9}, {z:.9}]\n",
                n + 1
            );
        }
        text.push_str(&cables);
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

    fn properties(&self, text: &mut String, material: &str, rest: Rest) {
        let span = self.span;
        let radius = span.radius.iter().sum::<f64>() / span.radius.len() as f64;
        let _ = writeln!(text, "length = {:.9}", span.length);
        let _ = match span.bore {
            Some(bore) => writeln!(
                text,
                "section = {{ shape = \"tube\", outer_radius = {radius:.9}, inner_radius = {bore:.9}, material = {} }}",
                quoted(material)
            ),
            None => writeln!(
                text,
                "section = {{ shape = \"disc\", radius = {radius:.9}, material = {} }}",
                quoted(material)
            ),
        };
        if rest == Rest::Drawn {
            let _ = writeln!(text, "rest = {{ table = [\n{}] }}", self.rows());
        }
    }

    /// Rows of arc length and curvatures: κ1 = −d3′·d2, κ2 = d3′·d1, no twist.
    fn rows(&self) -> String {
        let n = self.frames.len();
        let at = |i: usize| {
            if self.backwards { self.span.length - self.span.arc[n - 1 - i] } else { self.span.arc[i] }
        };
        let rows = ROWS.min(n - 1);
        let mut text = String::new();
        for row in 0..rows {
            // The turn over a stretch, in its middle.
            let (a, b) = (row * (n - 1) / rows, (row + 1) * (n - 1) / rows);
            let (first, last) = (&self.frames[a], &self.frames[b]);
            let middle = (first + last) / 2.0;
            let bend = (last.column(2) - first.column(2)) / (at(b) - at(a)).max(f64::MIN_POSITIVE);
            let [k1, k2] = [-bend.dot(&middle.column(1)), bend.dot(&middle.column(0))];
            let _ = writeln!(text, "  [{:.9}, {k1:.6}, {k2:.6}, 0],", 0.5 * (at(a) + at(b)));
        }
        text
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

fn pose(text: &mut String, at: &Vec3, frame: &Mat3) {
    let q: Quat = rotation::from_matrix(frame);
    let _ = writeln!(text, "position = [{:.9}, {:.9}, {:.9}]", at.x, at.y, at.z);
    let _ = writeln!(text, "quaternion = [{:.9}, {:.9}, {:.9}, {:.9}]", q.w, q.i, q.j, q.k);
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
