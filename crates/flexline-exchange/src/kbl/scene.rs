//! A harness as the text of a scene: ends become ports, branches rigid parts, fixings clips, segments cables of bundles.
//!
//! Every end of a cable gets the whole frame that the drawn course carries there without twist, so that a cable whose rest shape is as drawn
//! is at rest as it is drawn, wherever it begins. Branches are parts, held by their cables, since a junction says no more than directions.

use super::plan::{Hold, Plan, PlannedCable, Turn};
use super::{Course, Kbl};
use flexline::algebra::rotation;
use flexline::section::{Bundle, Core};
use flexline::{Mat3, Quat, Vec3};
use std::fmt::Write;

/// Shape without loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// As drawn.
    Drawn,
    /// Straight.
    Straight,
}

/// Length of a segment of the rod, m, and how many there are at least and at most.
const PIECE: f64 = 0.01;
const PIECES: [f64; 2] = [12.0, 80.0];
/// Mass of a branch that hangs on its cables, kg: the tape around it.
const BRANCH: &str = "0.1 g";

/// The frames along a cable: d1, d2, d3 as columns, carried without twist.
struct Frames {
    arc: Vec<f64>,
    frames: Vec<Mat3>,
}

impl Frames {
    fn new(course: &Course) -> Self {
        // As many as resolve the drawn curve, no more than its samples.
        let count = ((course.length() / 1e-3).ceil() as usize).clamp(64, 2000);
        let even = course.even(count);
        let mut frames: Vec<Mat3> = Vec::with_capacity(count + 1);
        for (i, (_, t)) in even.iter().enumerate() {
            let d1 = match i {
                0 => square(t),
                _ => {
                    let before: Vec3 = frames[i - 1].column(2).into();
                    turned(&before, t, &frames[i - 1].column(0).into())
                }
            };
            let d1 = (d1 - d1.dot(t) * t).try_normalize(1e-9).unwrap_or_else(|| square(t));
            frames.push(Mat3::from_columns(&[d1, t.cross(&d1), *t]));
        }
        let length = course.length();
        let arc = (0..=count).map(|i| length * i as f64 / count as f64).collect();
        Self { arc, frames }
    }

    /// Place and frame at a share of the course: the nearest frame, turned the least to the direction there.
    fn at(&self, course: &Course, share: f64) -> (Vec3, Mat3) {
        let last = self.frames.len() - 1;
        let near = &self.frames[((share * last as f64).round() as usize).min(last)];
        let (place, t) = course.at(share * course.length());
        let d1 = turned(&near.column(2).into(), &t, &near.column(0).into());
        let d1 = (d1 - d1.dot(&t) * t).try_normalize(1e-9).unwrap_or_else(|| square(&t));
        (place, Mat3::from_columns(&[d1, t.cross(&d1), t]))
    }
}

fn square(t: &Vec3) -> Vec3 {
    let other = if t.z.abs() < 0.9 { Vec3::z() } else { Vec3::x() };
    (other - other.dot(t) * t).normalize()
}

/// A vector turned by the least rotation that takes one direction to another.
fn turned(from: &Vec3, to: &Vec3, v: &Vec3) -> Vec3 {
    let (axis, cos) = (from.cross(to), from.dot(to));
    if cos < -0.999_999 {
        return *v;
    }
    v * cos + axis.cross(v) + axis * (axis.dot(v) / (1.0 + cos))
}

impl Plan {
    /// The text of the scene; `file` is the harness data as the scene names it.
    pub fn to_scene(&self, kbl: &Kbl, title: &str, file: &str, rest: Rest) -> String {
        let mut text = format!("version = 1\ntitle = {}\n\n[kbl]\nfile = {}\n", quoted(title), quoted(file));
        if !self.modules.is_empty() {
            let ids: Vec<String> = self.modules.iter().map(|i| quoted(&kbl.modules[*i].id)).collect();
            let _ = writeln!(text, "modules = [{}]", ids.join(", "));
        }
        let _ = writeln!(text, "rest = \"{}\"", if rest == Rest::Drawn { "drawn" } else { "straight" });
        for (name, bundle) in &self.bundles {
            write_bundle(&mut text, name, bundle);
        }
        let frames: Vec<Frames> = self.cables.iter().map(|own| Frames::new(&own.course)).collect();
        let frame = |end: Turn| {
            let frames = &frames[end.cable].frames;
            &frames[end.side * (frames.len() - 1)]
        };
        for own in &self.nodes {
            let at = kbl.nodes[own.node].at;
            if own.hold == Hold::Port {
                let _ = write!(text, "\n[[port]]\nname = {}\n", quoted(&own.name));
                pose(&mut text, Some(&at), frame(own.ends[0]));
                continue;
            }
            let _ = write!(text, "\n[[part]]\nname = {}\n{}\n", quoted(&own.name), position(&at));
            let _ = match own.hold {
                Hold::Fixed => writeln!(text, "hold = \"fixed\""),
                _ => writeln!(text, "mass = \"{BRANCH}\""),
            };
            for (i, end) in own.ends.iter().enumerate() {
                let _ = write!(text, "\n[[part.connector]]\nname = \"{}\"\n", i + 1);
                pose(&mut text, None, frame(*end));
            }
        }
        for (i, own) in self.cables.iter().enumerate() {
            self.write_cable(&mut text, i, own, &frames[i], rest);
        }
        for (i, own) in self.cables.iter().enumerate() {
            for clip in &own.clips {
                let (at, frame) = frames[i].at(&own.course, clip.at);
                let _ = write!(
                    text,
                    "\n[[clip]]\nname = {}\ncable = {}\nat = {:.9}\nhold = \"clamped\"\n",
                    quoted(&clip.name),
                    quoted(&own.name),
                    clip.at * own.length
                );
                pose(&mut text, Some(&at), &frame);
            }
        }
        text
    }

    fn write_cable(&self, text: &mut String, index: usize, own: &PlannedCable, frames: &Frames, rest: Rest) {
        let _ = write!(text, "\n[[cable]]\nname = {}\nlength = {:.9}\n", quoted(&own.name), own.length);
        let _ =
            writeln!(text, "segments = {}", (own.length / PIECE).ceil().clamp(PIECES[0], PIECES[1]) as usize);
        let _ = writeln!(text, "bundle = {}", quoted(&self.bundles[own.bundle].0));
        for (side, word) in ["from", "to"].into_iter().enumerate() {
            let node = &self.nodes[own.nodes[side]];
            let end = Turn { cable: index, side };
            let _ = match (node.hold, node.ends.iter().position(|own| *own == end)) {
                (Hold::Port, _) | (_, None) => writeln!(text, "{word} = {}", quoted(&node.name)),
                (_, Some(k)) => writeln!(text, "{word} = {}", quoted(&format!("{}.{}", node.name, k + 1))),
            };
        }
        let count = (own.length / 0.02).ceil().clamp(6.0, 40.0) as usize;
        let points = own.course.even(count);
        let listed: Vec<String> =
            points.iter().map(|(p, _)| format!("[{:.6}, {:.6}, {:.6}]", p.x, p.y, p.z)).collect();
        let _ = writeln!(text, "path = [{}]\npath_twist = 0", listed.join(", "));
        if rest == Rest::Drawn {
            let _ = writeln!(text, "rest = {{ table = [\n{}] }}", rows(own, frames));
        }
        for stretch in &own.stretches {
            let _ = write!(
                text,
                "\n[[cable.zone]]\nfrom = {:.9}\nto = {:.9}\nbundle = {}\n",
                stretch.from * own.length,
                (stretch.to * own.length).min(own.length),
                quoted(&self.bundles[stretch.bundle].0)
            );
        }
    }
}

/// Rows of arc length and curvatures: κ1 = −d3′·d2, κ2 = d3′·d1, no twist.
fn rows(own: &PlannedCable, frames: &Frames) -> String {
    let n = frames.frames.len();
    // The course may be a little shorter or longer than the cable.
    let scale = own.length / frames.arc[n - 1].max(1e-12);
    let count = (2.0 * (own.length / PIECE).clamp(PIECES[0], PIECES[1])) as usize;
    let mut text = String::new();
    for row in 0..count {
        let (a, b) = (row * (n - 1) / count, (row + 1) * (n - 1) / count);
        if a == b {
            continue;
        }
        let (first, last) = (&frames.frames[a], &frames.frames[b]);
        let middle = (first + last) / 2.0;
        let bend = (last.column(2) - first.column(2)) / (scale * (frames.arc[b] - frames.arc[a]));
        let [k1, k2] = [-bend.dot(&middle.column(1)), bend.dot(&middle.column(0))]
            .map(|k| if k.abs() < 1e-7 { 0.0 } else { k });
        let at = 0.5 * scale * (frames.arc[a] + frames.arc[b]);
        let _ = writeln!(text, "  [{at:.9}, {k1:.6}, {k2:.6}, 0],");
    }
    text
}

fn position(at: &Vec3) -> String {
    format!("position = [{:.9}, {:.9}, {:.9}]", at.x, at.y, at.z)
}

fn pose(text: &mut String, at: Option<&Vec3>, frame: &Mat3) {
    if let Some(at) = at {
        let _ = writeln!(text, "{}", position(at));
    }
    let q: Quat = rotation::from_matrix(frame);
    let _ = writeln!(text, "quaternion = [{:.9}, {:.9}, {:.9}, {:.9}]", q.w, q.i, q.j, q.k);
}

/// A quantity in text: six digits and a unit.
fn said(value: f64, unit: &str) -> String {
    let digits = format!("{:.6}", value);
    format!("\"{} {unit}\"", digits.trim_end_matches('0').trim_end_matches('.'))
}

fn write_bundle(text: &mut String, name: &str, bundle: &Bundle) {
    let _ = write!(text, "\n[[bundle]]\nname = {}\nwire = [\n", quoted(name));
    for own in &bundle.wires {
        let mut keys = vec![format!("count = {}", own.count)];
        if let Core::Copper(area) = own.core {
            keys.push(format!("gauge = {}", said(1e6 * area, "mm^2")));
        }
        keys.push(format!("diameter = {}", said(1e3 * own.diameter, "mm")));
        keys.extend(own.mass_per_length.map(|mass| format!("mass_per_length = {}", said(1e3 * mass, "g/m"))));
        keys.extend(own.bend_radius.map(|radius| format!("bend_radius = {}", said(1e3 * radius, "mm"))));
        let _ = writeln!(text, "  {{ {} }},", keys.join(", "));
    }
    text.push_str("]\n");
    if let Some(diameter) = bundle.diameter {
        let _ = writeln!(text, "diameter = {}", said(1e3 * diameter, "mm"));
    }
    if let Some(tape) = &bundle.tape {
        let mass = tape
            .mass_per_length
            .map_or(String::new(), |mass| format!(", mass_per_length = {}", said(1e3 * mass, "g/m")));
        let _ = writeln!(text, "tape = {{ thickness = {}{mass} }}", said(1e3 * tape.thickness, "mm"));
    }
    if let Some(own) = &bundle.conduit {
        let mass = own
            .mass_per_length
            .map_or(String::new(), |mass| format!(", mass_per_length = {}", said(1e3 * mass, "g/m")));
        let slit = if own.slit { ", slit = true" } else { "" };
        let _ = writeln!(
            text,
            "conduit = {{ outer_diameter = {}, inner_diameter = {}, wall = {}, material = {}{slit}{mass} }}",
            said(1e3 * own.outer, "mm"),
            said(1e3 * own.inner, "mm"),
            said(1e3 * own.wall, "mm"),
            quoted(&own.material.name)
        );
    }
}

pub(super) fn quoted(text: &str) -> String {
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
