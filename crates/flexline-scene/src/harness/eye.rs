//! Eyes: where a cable slides through, and what that asks of it.

use super::lay::{Layout, Stop};
use super::{Node, Pulley, Scene};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Orientation, Rest};
use crate::words::millimetres;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::network::{Anchor, Constraint, Direction, Point};

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
    /// The direction it holds the cable in, unit, in the axes of the world or of what it is on.
    pub tangent: Option<Vec3>,
    /// The wheel the cable runs over; without one it is a mere point.
    pub pulley: Option<Pulley>,
    /// How many eyes before this one have an anchor of their own.
    pub(crate) rank: usize,
}

/// What an eye is fastened to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EyeHold {
    /// A place in the world, m.
    World(Vec3),
    /// A point of a part, a junction, a clip or a bead, m, own axes.
    On(Node, Vec3),
    /// Nothing but the cables that end in it; a first guess of where it is, m.
    Free(Vec3),
    /// A part that is nothing but this eye and its weight: a block.
    Block(usize),
}

/// What slides along a cable, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SliderKind {
    /// A point the cable passes.
    Eye,
    /// A wheel the cable runs over.
    Pulley,
    /// A ball on the cable.
    Bead,
}

impl SliderKind {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eye => "eye",
            Self::Pulley => "pulley",
            Self::Bead => "bead",
        }
    }
}

/// An eye, a pulley or a bead of a compiled harness.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledEye {
    /// What it is.
    pub kind: SliderKind,
    /// Its name.
    pub name: String,
    /// Index of its cable.
    pub cable: usize,
    /// Index of the span behind it.
    pub after: usize,
    /// Index of its anchor.
    pub anchor: usize,
    /// Index of its wheel.
    pub wheel: Option<usize>,
    /// Radius of a pulley or a bead, m; zero for an eye.
    pub radius: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Eye {
    /// Whether it has an anchor of its own.
    fn has_anchor(&self) -> bool {
        match self.hold {
            EyeHold::Block(_) => false,
            EyeHold::On(..) => self.pulley.is_none(),
            EyeHold::World(_) | EyeHold::Free(_) => true,
        }
    }
}

impl Scene {
    /// The eyes that have an anchor of their own, in order.
    pub(super) fn own_eyes(&self) -> impl Iterator<Item = &Eye> {
        self.eyes.iter().filter(|eye| eye.has_anchor())
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

    /// Where an eye is, or is first guessed to be; `None` where what it is on has no place yet.
    pub(super) fn eye_position(&self, eye: &Eye) -> Option<Vec3> {
        match eye.hold {
            EyeHold::World(position) | EyeHold::Free(position) => Some(position),
            EyeHold::Block(part) => Some(self.parts[part].position),
            EyeHold::On(Node::Part(part), at) => {
                let part = &self.parts[part];
                let frame = part.orientation.map_or(rotation::identity(), Orientation::frame);
                Some(part.position + rotation::rotate(&frame, &at))
            }
            EyeHold::On(..) => None,
        }
    }

    /// The anchors of the eyes that have one of their own.
    pub(super) fn eye_anchors(&self, layout: &Layout) -> Vec<Anchor> {
        let first = layout.poses.len() - self.own_eyes().count() - self.beads.len();
        let anchor = |(eye, pose): (&Eye, _)| Anchor {
            held: [matches!(eye.hold, EyeHold::World(_)); 3],
            // The wheel stands still; what turns on it is the cable.
            held_orientation: eye.pulley.is_some(),
            ..Anchor::loose(pose)
        };
        self.own_eyes().zip(layout.poses[first..].iter().copied()).map(anchor).collect()
    }

    /// What ties eyes to what they are on and holds their directions, with names for tables.
    pub(super) fn eye_constraints(&self) -> Vec<(String, Constraint)> {
        let names = self.anchor_names();
        let mut ties = Vec::new();
        for (i, eye) in self.eyes.iter().enumerate() {
            let own = self.anchor(Node::Eye(i)).0;
            let body =
                if let EyeHold::On(node, at) = eye.hold { Some((self.anchor(node).0, at)) } else { None };
            if let Some((anchor, at)) = body.filter(|_| eye.pulley.is_none()) {
                let (from, to) = (Point::On(own, Vec3::zeros()), Point::On(anchor, at));
                let name = format!("eye '{}' on {}", eye.name, names[anchor]);
                ties.push((name, Constraint::Coincide { from, to }));
            }
            if let Some(tangent) = eye.tangent {
                let to = body.map_or(Direction::World(tangent), |(anchor, _)| Direction::On(anchor, tangent));
                let direction = Direction::On(own, Vec3::z());
                ties.push((
                    format!("direction of eye '{}'", eye.name),
                    Constraint::Parallel { direction, to },
                ));
            }
        }
        ties
    }

    /// What slides must be the same all along, and bear no loads.
    pub(super) fn eye_mistakes(&self, layout: &Layout) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for (i, own) in self.cables.iter().enumerate() {
            let mut told = [false; 2];
            for [from, to] in self.sliding_stretches(i, &layout.stops[i]) {
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
        let slides: Vec<bool> = (self.cables.iter().zip(&layout.stops))
            .map(|(own, stops)| own.route.is_some() || stops.iter().any(|s| s.slider.is_some()))
            .collect();
        for (k, load) in self.loads.iter().enumerate().filter(|(_, l)| slides[l.cable]) {
            let name = &self.cables[load.cable].cable.name;
            let message = format!("a load on cable '{name}', which {}", self.sliding(load.cable));
            let help = "hang a [[part]] on its end, or load another cable";
            let path = format!("load[{k}]");
            mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
        }
        mistakes.extend(self.tied_mistakes());
        mistakes
    }

    /// Cables that end in pulleys, and eyes that nothing holds.
    fn tied_mistakes(&self) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        let mut tied = vec![false; self.eyes.len()];
        for (i, own) in self.cables.iter().enumerate() {
            for (key, node) in [("from", Some(own.from)), ("to", own.to)] {
                let Some(Node::Eye(eye)) = node else { continue };
                tied[eye] = true;
                if self.eyes[eye].pulley.is_some() {
                    let message =
                        format!("cable '{}' ends in pulley '{}'", own.cable.name, self.eyes[eye].name);
                    let help =
                        "a cable runs over a pulley and does not end in it: name a connector of its part";
                    let path = format!("cable[{i}].{key}");
                    mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
                }
            }
        }
        for (i, eye) in self.eyes.iter().enumerate() {
            if matches!(eye.hold, EyeHold::Free(_)) && !tied[i] {
                let message = format!("nothing holds eye '{}': no cable ends in it", eye.name);
                let help =
                    format!("end a cable in it: to = \"{}\"; or leave `on` out for the world", eye.name);
                mistakes.push(self.source.diagnostic(
                    Code::Floating,
                    &format!("eye[{i}].on"),
                    message,
                    Some(help),
                ));
            }
        }
        mistakes
    }

    fn uneven(&self, cable: usize, key: &str, what: &str, [from, to]: [f64; 2]) -> Diagnostic {
        let message = format!(
            "cable '{}' changes its {what} between {} and {}, where it {}",
            self.cables[cable].cable.name,
            millimetres(from),
            millimetres(to),
            self.sliding(cable)
        );
        let help =
            format!("what slides must have one {what}: change it elsewhere, or divide the cable there");
        self.source.diagnostic(Code::Conflict, &format!("cable[{cable}].{key}"), message, Some(help))
    }

    /// What a cable that is not fixed in length between its stops does, in words.
    fn sliding(&self, cable: usize) -> &'static str {
        if self.cables[cable].route.is_some() {
            "finds its own length"
        } else if self.eyes.iter().any(|e| e.cable == cable) {
            "slides through eyes"
        } else {
            "beads slide on"
        }
    }

    /// The stretches of a cable that slide: from one stop that stays on it to the next.
    fn sliding_stretches(&self, cable: usize, stops: &[Stop]) -> Vec<[f64; 2]> {
        let length = self.cables[cable].cable.length;
        if self.cables[cable].route.is_some() {
            return vec![[0.0, length]];
        }
        let mut found = Vec::new();
        let (mut from, mut slides) = (0.0, false);
        for stop in stops {
            if stop.slider.is_some() {
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
