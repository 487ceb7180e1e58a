//! Eyes: where a cable slides through, and what that asks of it.

use super::compile::HarnessCompiled;
use super::lay::{Layout, Stop, frame_of};
use super::{Harness, Node};
use crate::diagnostic::{Code, Diagnostic, millimetres};
use crate::model::Rest;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::statics::network::{Anchor, Constraint, NetworkReport, Point, Short};

/// An eye that a cable slides through.
#[derive(Clone, Debug, PartialEq)]
pub struct Eye {
    /// Name.
    pub name: String,
    /// Which cable.
    pub cable: usize,
    /// A first guess of where on the cable it is, m.
    pub at: f64,
    /// What it is fastened to.
    pub hold: EyeHold,
    /// Coefficient of friction.
    pub friction: f64,
    /// How many eyes before this one have an anchor of their own.
    pub(crate) rank: usize,
}

/// What an eye is fastened to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EyeHold {
    /// A place in the world, m.
    World(Vec3),
    /// A point of a part, by its index, m, own axes.
    Part(usize, Vec3),
    /// A part that is nothing but this eye and its weight: a block.
    Block(usize),
}

/// An eye of a compiled harness.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledEye {
    /// Its name.
    pub name: String,
    /// Index of its cable.
    pub cable: usize,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Harness {
    /// The eyes that have an anchor of their own, in order.
    pub(super) fn own_eyes(&self) -> impl Iterator<Item = &Eye> {
        self.eyes.iter().filter(|eye| !matches!(eye.hold, EyeHold::Block(_)))
    }

    /// Whether a part is one with an eye.
    pub(super) fn blocks(&self) -> Vec<bool> {
        let mut blocks = vec![false; self.parts.len()];
        for eye in &self.eyes {
            if let EyeHold::Block(part) = eye.hold {
                blocks[part] = true;
            }
        }
        blocks
    }

    /// Where an eye is, or is first guessed to be.
    pub(super) fn eye_position(&self, eye: &Eye) -> Vec3 {
        match eye.hold {
            EyeHold::World(position) => position,
            EyeHold::Block(part) => self.parts[part].position,
            EyeHold::Part(part, at) => {
                let part = &self.parts[part];
                let frame = part.orientation.map_or(rotation::identity(), frame_of);
                part.position + rotation::rotate(&frame, &at)
            }
        }
    }

    /// The anchors of the eyes that have one of their own.
    pub(super) fn eye_anchors(&self, layout: &Layout) -> Vec<Anchor> {
        let first = layout.poses.len() - self.own_eyes().count();
        let anchor = |(eye, pose): (&Eye, _)| Anchor {
            held: [matches!(eye.hold, EyeHold::World(_)); 3],
            ..Anchor::loose(pose)
        };
        self.own_eyes().zip(layout.poses[first..].iter().copied()).map(anchor).collect()
    }

    /// What ties eyes to their parts, with names for tables.
    pub(super) fn eye_constraints(&self) -> Vec<(String, Constraint)> {
        let tie = |(i, eye): (usize, &Eye)| {
            let EyeHold::Part(part, at) = eye.hold else { return None };
            let from = Point::On(self.anchor(Node::Eye(i)).0, Vec3::zeros());
            let to = Point::On(self.anchor(Node::Part(part)).0, at);
            let name = format!("eye '{}' on part '{}'", eye.name, self.parts[part].name);
            Some((name, Constraint::Coincide { from, to }))
        };
        self.eyes.iter().enumerate().filter_map(tie).collect()
    }

    /// What slides must be the same all along, and bear no loads.
    pub(super) fn eye_mistakes(&self, layout: &Layout) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for (i, own) in self.cables.iter().enumerate() {
            let mut told = [false; 2];
            for [from, to] in sliding_stretches(&layout.stops[i], own.cable.length) {
                let sections = own.cable.zones.iter().any(|zone| {
                    let apart = zone.to <= from || zone.from >= to;
                    let around = zone.from + zone.taper <= from && zone.to - zone.taper >= to;
                    !apart && !around
                });
                if sections && !std::mem::replace(&mut told[0], true) {
                    mistakes.push(self.uneven(i, "zone", "section", [from, to]));
                }
                if !is_even(&own.cable.rest, own.cable.length, [from, to])
                    && !std::mem::replace(&mut told[1], true)
                {
                    mistakes.push(self.uneven(i, "rest", "rest shape", [from, to]));
                }
            }
        }
        let slides: Vec<bool> =
            layout.stops.iter().map(|stops| stops.iter().any(|s| s.eye.is_some())).collect();
        for (k, load) in self.loads.iter().enumerate().filter(|(_, l)| slides[l.cable]) {
            let name = &self.cables[load.cable].cable.name;
            let message = format!("a load on cable '{name}', which slides through eyes");
            let help = "hang a [[part]] on its end, or load another cable";
            let path = format!("load[{k}]");
            mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
        }
        mistakes
    }

    fn uneven(&self, cable: usize, key: &str, what: &str, [from, to]: [f64; 2]) -> Diagnostic {
        let message = format!(
            "cable '{}' changes its {what} between {} and {}, where it slides through eyes",
            self.cables[cable].cable.name,
            millimetres(from),
            millimetres(to)
        );
        let help =
            format!("what slides must have one {what}: change it elsewhere, or divide the cable there");
        self.source.diagnostic(Code::Conflict, &format!("cable[{cable}].{key}"), message, Some(help))
    }
}

/// The stretches of a cable that slide: from one stop that is no eye to the next.
fn sliding_stretches(stops: &[Stop], length: f64) -> Vec<[f64; 2]> {
    let mut found = Vec::new();
    let (mut from, mut slides) = (0.0, false);
    for stop in stops {
        if stop.eye.is_some() {
            slides = true;
            continue;
        }
        if std::mem::take(&mut slides) {
            found.push([from, stop.s]);
        }
        from = stop.s;
    }
    if slides {
        found.push([from, length]);
    }
    found
}

/// Whether a rest shape is one and the same in [from, to].
fn is_even(rest: &Rest, length: f64, [from, to]: [f64; 2]) -> bool {
    let value = rest.at(from, length);
    match rest {
        Rest::Constant(_) => true,
        Rest::Affine([a, b]) => a == b,
        Rest::Table(rows) => {
            let inside = rows.iter().filter(|(s, _)| (from..=to).contains(s));
            rest.at(to, length) == value && inside.into_iter().all(|(_, own)| *own == value)
        }
    }
}

impl HarnessCompiled {
    /// Which cables are too short, between what and by how much: a line each.
    pub fn short_lines(&self, report: &NetworkReport) -> Vec<String> {
        let line = |short: &Short| {
            let span = &self.network.spans[short.span];
            let cable = self.cables.iter().find(|c| c.spans.iter().any(|(k, _)| *k == short.span));
            let name = cable.map_or("", |c| &c.name);
            let from = &self.anchors[span.start.anchor];
            let to = span.end.map_or_else(String::new, |e| format!(" and {}", self.anchors[e.anchor]));
            format!("cable '{name}' is {} short between {from}{to}", millimetres(short.missing))
        };
        report.short.iter().map(line).collect()
    }
}
