//! A first shape of a harness: where its loose anchors are, how everything is turned.
//!
//! Positions that are not given lie between those of the neighbours, the nearer the shorter the cable. Frames
//! are carried along each cable without twist, over the chords: where a scene leaves the roll of a frame open,
//! it is chosen so that the cable is laid without twist.

use super::{EyeHold, LaidCable, Node, Scene};
use crate::diagnostic::Diagnostic;
use crate::frame::{carried, upright};
use crate::model::{Hold, Orientation, Rest};
use flexline::algebra::rotation;
use flexline::geometry::lay::{Route, lay};
use flexline::solver::Pose;
use flexline::solver::network::{Attachment, Grip, Wheel};
use flexline::{Quat, Vec3};

/// Rounds of averaging between neighbours: enough for a guess.
const ROUNDS: usize = 200;
/// A loose neighbour nearer than this share of its cable is pushed out to where the cable can hang.
const NEAR: f64 = 0.1;
/// How far it is pushed, as a share of the cable.
const PUSHED: f64 = 0.7;

/// A place where a cable touches an anchor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// The anchor.
    pub anchor: usize,
    /// Where on the cable, m.
    pub s: f64,
    /// Where on the anchor, and the frame there, own axes.
    pub local: Pose,
    /// Whether the roll of the frame about its tangent is left open.
    pub open: bool,
    /// What the cable slides through, or what slides on it.
    pub slider: Option<Slider>,
    /// The wheel that it runs over.
    pub wheel: Option<Wheel>,
    /// Turn of the cable about its tangent where it comes to the wheel, rad, so that it is laid without twist.
    pub roll: f64,
}

/// What slides along a cable, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slider {
    Eye(usize),
    Bead(usize),
}

/// A harness laid out.
pub(super) struct Layout {
    /// Pose of every anchor.
    pub poses: Vec<Pose>,
    /// The stops of every cable, rolls settled.
    pub stops: Vec<Vec<Stop>>,
    /// Pulleys that cannot be laid.
    pub mistakes: Vec<Diagnostic>,
}

impl Scene {
    /// The anchor of a node, the node's pose in its axes, and whether its roll is left open.
    pub fn anchor(&self, node: Node) -> (usize, Pose, bool) {
        let origin = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
        let (ports, parts) = (self.ports.len(), self.parts.len());
        match node {
            Node::Port(i) => (i, origin, is_open(self.ports[i].orientation)),
            Node::Part(i) => (ports + i, origin, false),
            Node::Connector(i, c) => {
                let connector = &self.parts[i].connectors[c];
                let orientation = connector.orientation.map_or(rotation::identity(), Orientation::frame);
                let local = Pose { position: connector.position, orientation };
                (ports + i, local, is_open(connector.orientation))
            }
            Node::Junction(i) => (ports + parts + i, origin, false),
            Node::Clip(i) => (ports + parts + self.junctions.len() + i, origin, false),
            Node::Eye(i) => match self.eyes[i].hold {
                EyeHold::Block(part) => (ports + part, origin, false),
                EyeHold::On(node, at) if self.eyes[i].pulley.is_some() => {
                    (self.anchor(node).0, Pose { position: at, ..origin }, false)
                }
                _ => {
                    let first = ports + parts + self.junctions.len() + self.clips.len();
                    (first + self.eyes[i].rank, origin, false)
                }
            },
            Node::Bead(i) => {
                let before = ports + parts + self.junctions.len() + self.clips.len();
                (before + self.own_eyes().count() + i, origin, false)
            }
            Node::End(i) => (i, origin, false),
        }
    }

    /// Every cable's stops in order.
    pub(super) fn stops(&self) -> Vec<Vec<Stop>> {
        let mut stops: Vec<Vec<Stop>> = self
            .cables
            .iter()
            .map(|cable| {
                let stop = |side: usize, node: Node, s: f64| {
                    let (anchor, mut local, mut open) = self.anchor(node);
                    if let Node::End(_) = node {
                        local.orientation = self.seat();
                    }
                    if matches!(node, Node::Junction(_) | Node::Clip(_) | Node::Eye(_) | Node::Bead(_)) {
                        if let Some(tangent) = cable.tangents[side] {
                            local.orientation = rotation::between(&Vec3::z(), &tangent);
                        }
                        open = side == 1;
                    }
                    Stop { anchor, s, local, open, slider: None, wheel: None, roll: 0.0 }
                };
                let mut own = vec![stop(0, cable.from, 0.0)];
                own.extend(cable.to.map(|to| stop(1, to, cable.cable.length)));
                own
            })
            .collect();
        let between = |node: Node, s: f64, slider: Option<Slider>| {
            let (anchor, local, open) = self.anchor(node);
            Stop { anchor, s, local, open, slider, wheel: None, roll: 0.0 }
        };
        for (i, clip) in self.clips.iter().enumerate() {
            stops[clip.cable].push(between(Node::Clip(i), clip.at, None));
        }
        for (i, eye) in self.eyes.iter().enumerate() {
            stops[eye.cable].push(between(Node::Eye(i), eye.at, Some(Slider::Eye(i))));
        }
        for (i, bead) in self.beads.iter().enumerate() {
            stops[bead.cable].push(between(Node::Bead(i), bead.at, Some(Slider::Bead(i))));
        }
        for own in &mut stops {
            own.sort_by(|a, b| a.s.total_cmp(&b.s));
        }
        stops
    }

    /// Lays the harness out.
    pub(super) fn lay(&self) -> Layout {
        let stops = self.stops();
        let positions = self.positions(&stops);
        self.turn(positions, stops)
    }

    /// Where each anchor is given to be.
    fn given(&self) -> Vec<Option<Vec3>> {
        let ends = self.anchored_ends().iter().map(|end| Some(end.position));
        let ports = self.ports.iter().map(|p| Some(p.position));
        let parts = self.parts.iter().map(|p| Some(p.position));
        let junctions = self.junctions.iter().map(|j| j.position);
        let clips = self.clips.iter().map(|c| (c.hold != Hold::Free).then_some(c.position));
        let eyes = self.own_eyes().map(|eye| self.eye_position(eye));
        let beads = self.beads.iter().map(|_| None);
        ends.chain(ports).chain(parts).chain(junctions).chain(clips).chain(eyes).chain(beads).collect()
    }

    /// The frame of each anchor, where it is given.
    fn given_frames(&self) -> Vec<Option<Quat>> {
        let frames = self.end_frames().map(|frame| frame.unwrap_or(rotation::identity()));
        let ends = frames.into_iter().take(self.anchored_ends().len()).map(Some);
        let ports =
            self.ports.iter().map(|p| Some(p.orientation.map_or(rotation::identity(), Orientation::frame)));
        let blocks = self.blocks();
        let parts = self.parts.iter().zip(blocks).map(|(p, is_block)| {
            (!is_block).then(|| p.orientation.map_or(rotation::identity(), Orientation::frame))
        });
        let junctions = self.junctions.iter().map(|_| None);
        let clips =
            self.clips.iter().map(|c| c.orientation.filter(|o| !is_open(Some(*o))).map(Orientation::frame));
        let eyes = self.own_eyes().map(|eye| eye.pulley.map(|_| rotation::identity()));
        let beads = self.beads.iter().map(|_| None);
        ends.chain(ports).chain(parts).chain(junctions).chain(clips).chain(eyes).chain(beads).collect()
    }

    fn positions(&self, stops: &[Vec<Stop>]) -> Vec<Vec3> {
        let given = self.given();
        let frames = self.given_frames();
        let mut edges: Vec<Vec<(usize, f64, Vec3)>> = vec![Vec::new(); given.len()];
        let lever = |stop: &Stop| {
            let frame = frames[stop.anchor].unwrap_or(rotation::identity());
            rotation::rotate(&frame, &stop.local.position)
        };
        for own in stops {
            for pair in own.windows(2) {
                let (a, b) = (&pair[0], &pair[1]);
                let offset = lever(b) - lever(a);
                edges[a.anchor].push((b.anchor, b.s - a.s, offset));
                edges[b.anchor].push((a.anchor, b.s - a.s, -offset));
            }
        }
        // From what is given outwards, so that every guess starts near something that holds it.
        let mut order: Vec<usize> = (0..given.len()).filter(|i| given[*i].is_some()).collect();
        let mut parent: Vec<Option<(usize, f64)>> = vec![None; given.len()];
        let mut at: Vec<Option<Vec3>> = given.clone();
        let mut next = 0;
        while let Some(&i) = order.get(next) {
            next += 1;
            for &(j, length, offset) in &edges[i] {
                if at[j].is_none() {
                    at[j] = at[i].map(|p| p - offset);
                    parent[j] = Some((i, length));
                    order.push(j);
                }
            }
        }
        let mut at: Vec<Vec3> = at.into_iter().map(Option::unwrap_or_default).collect();
        for _ in 0..ROUNDS {
            for &i in order.iter().filter(|i| given[**i].is_none()) {
                let (mut sum, mut weight) = (Vec3::zeros(), 0.0);
                for (j, length, offset) in &edges[i] {
                    sum += (at[*j] + offset) / *length;
                    weight += 1.0 / length;
                }
                if weight > 0.0 {
                    at[i] = sum / weight;
                }
            }
        }
        let down = self.gravity.try_normalize(0.0).unwrap_or(-Vec3::z());
        for &i in order.iter().filter(|i| given[**i].is_none()) {
            if let Some((from, length)) = parent[i]
                && (at[i] - at[from]).norm() < NEAR * length
            {
                let along =
                    if given[from].is_some() { frames[from].map(|q| rotation::tangent(&q)) } else { None };
                at[i] = at[from] + along.unwrap_or(down) * (PUSHED * length);
            }
        }
        for (i, eye) in self.eyes.iter().enumerate() {
            if let (EyeHold::On(node, offset), None) = (eye.hold, eye.pulley)
                && !matches!(node, Node::Part(_))
            {
                at[self.anchor(Node::Eye(i)).0] = at[self.anchor(node).0] + offset;
            }
        }
        for own in stops {
            self.thread(own, &mut at);
        }
        at
    }

    /// Puts the beads between two other stops on a curve that hangs from them.
    fn thread(&self, stops: &[Stop], at: &mut [Vec3]) {
        let mut first = 0;
        for last in (1..stops.len()).filter(|k| !stops[*k].is_bead()) {
            let run = &stops[first..=last];
            first = last;
            let (a, b) = (&run[0], &run[run.len() - 1]);
            if run.len() > 2 {
                let points = [at[a.anchor], at[b.anchor]];
                let route = Route { points, tangents: [None; 2], length: b.s - a.s, sag: self.gravity };
                let curve = lay(&route, &rotation::identity());
                for bead in &run[1..run.len() - 1] {
                    at[bead.anchor] = curve.at((bead.s - a.s) * curve.length() / (b.s - a.s)).0;
                }
            }
        }
    }

    /// The frames of all anchors, and the rolls that are left open.
    fn turn(&self, positions: Vec<Vec3>, mut stops: Vec<Vec<Stop>>) -> Layout {
        let mut frames = self.given_frames();
        let tangents = self.tangents(&positions, &stops);
        let mut mistakes = Vec::new();
        let mut positions = positions;
        for (own, cable) in stops.iter().zip(&self.cables) {
            coil(own, cable, &mut positions, &mut frames);
        }
        for own in &mut stops {
            self.put_on_wheels(own, &positions, &frames, &mut mistakes);
        }
        let mut waiting: Vec<usize> = (0..stops.len()).collect();
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|c| frames[stops[*c][0].anchor].is_some());
            let c = waiting.remove(ready.unwrap_or(0));
            let first = stops[c][0].anchor;
            frames[first].get_or_insert_with(|| upright(&tangents[first], None));
            self.carry(&mut stops[c], &positions, &tangents, &mut frames);
        }
        let frames = frames.into_iter().zip(&tangents).map(|(q, t)| q.unwrap_or_else(|| upright(t, None)));
        let poses =
            positions.into_iter().zip(frames).map(|(position, orientation)| Pose { position, orientation });
        Layout { poses: poses.collect(), stops, mistakes }
    }

    /// Carries the frame of the first stop of a cable to all others.
    fn carry(&self, stops: &mut [Stop], positions: &[Vec3], tangents: &[Vec3], frames: &mut [Option<Quat>]) {
        let place =
            |stop: &Stop, q: &Quat| positions[stop.anchor] + rotation::rotate(q, &stop.local.position);
        let identity = rotation::identity();
        let mut last = frames[stops[0].anchor].unwrap_or(identity);
        let mut from = place(&stops[0], &last);
        last *= stops[0].local.orientation;
        for k in 1..stops.len() {
            let length = stops[k].s - stops[k - 1].s;
            let stop = &mut stops[k];
            let known = frames[stop.anchor];
            let to = place(stop, &known.unwrap_or(identity));
            let own = *frames[stop.anchor]
                .get_or_insert_with(|| carried(&last, &(to - from), &tangents[stop.anchor], length));
            if let Some(wheel) = stop.wheel {
                let [on, off] = wheel.contact.map(|angle| {
                    let rim = wheel.rim(angle);
                    let at = positions[stop.anchor] + rotation::rotate(&own, &rim.position);
                    (at, own * rim.orientation)
                });
                let laid = carried(&last, &(on.0 - from), &rotation::tangent(&on.1), length);
                let turn = on.1.conjugate() * laid;
                // Not more than half a turn: a quaternion and its negative are one rotation.
                stop.roll = 2.0 * (turn.k * turn.w.signum()).atan2(turn.w.abs());
                (from, last) = off;
                continue;
            }
            let mut frame = own * stop.local.orientation;
            if stop.open {
                frame = carried(&last, &(to - from), &rotation::tangent(&frame), length);
                let local = own.conjugate() * frame;
                stop.local.orientation = local * (1.0 / local.norm());
            }
            (last, from) = (frame, to);
        }
    }

    /// A guess of the direction of each anchor's z axis where its frame is not given: along the cables that
    /// pass it.
    fn tangents(&self, positions: &[Vec3], stops: &[Vec<Stop>]) -> Vec<Vec3> {
        let mut sums = vec![[Vec3::zeros(); 2]; positions.len()];
        let straight = |stop: &Stop| stop.local.orientation == rotation::identity();
        for own in stops {
            for pair in own.windows(2) {
                let chord = positions[pair[1].anchor] - positions[pair[0].anchor];
                let along = chord.try_normalize(1e-12).unwrap_or_default();
                for stop in pair {
                    sums[stop.anchor][usize::from(!straight(stop))] += along;
                }
            }
        }
        let mut tangents: Vec<Vec3> = sums
            .iter()
            .map(|[straight, all]| {
                straight.try_normalize(1e-6).or_else(|| all.try_normalize(1e-6)).unwrap_or(Vec3::x())
            })
            .collect();
        for (i, clip) in self.clips.iter().enumerate() {
            if let Some(Orientation::Tangent(tangent, _)) = clip.orientation {
                tangents[self.anchor(Node::Clip(i)).0] = tangent;
            }
        }
        for (i, eye) in self.eyes.iter().enumerate() {
            if let Some(tangent) = eye.tangent {
                let frame = match eye.hold {
                    EyeHold::On(Node::Part(part), _) => self.parts[part].orientation.map(Orientation::frame),
                    _ => None,
                };
                tangents[self.anchor(Node::Eye(i)).0] =
                    rotation::rotate(&frame.unwrap_or(rotation::identity()), &tangent);
            }
        }
        tangents
    }
}

impl Stop {
    /// Whether it is a bead.
    pub(super) fn is_bead(&self) -> bool {
        self.bead().is_some()
    }

    /// How much of the cable lies on its wheel, m.
    pub(super) fn on_rim(&self) -> f64 {
        self.wheel.map_or(0.0, |w| w.radius * (w.contact[1] - w.contact[0]))
    }

    /// The index of the bead that it is.
    pub(super) fn bead(&self) -> Option<usize> {
        if let Some(Slider::Bead(bead)) = self.slider { Some(bead) } else { None }
    }

    /// The engine's attachment here.
    pub(super) fn attachment(&self, pinned: bool) -> Attachment {
        let attachment =
            if pinned { Attachment::pinned(self.anchor) } else { Attachment::clamped(self.anchor) };
        attachment.at(self.local)
    }
}

/// Longest step along a rest shape, as a share of the cable.
const COIL_STEP: f64 = 1e-3;

/// Puts the clips of a cable that is curved by nature and that nothing but its beginning holds where its shape without
/// loads has them.
fn coil(stops: &[Stop], own: &LaidCable, positions: &mut [Vec3], frames: &mut [Option<Quat>]) {
    let cable = &own.cable;
    let straight = matches!(&cable.rest, Rest::Constant(strain) if strain.xy().norm() == 0.0);
    let [first, rest @ ..] = stops else { return };
    let loose = |s: &Stop| s.slider.is_none() && frames[s.anchor].is_none();
    let Some(start) = frames[first.anchor] else { return };
    if straight || own.to.is_some() || own.grips[0] != Grip::Clamped || !rest.iter().all(loose) {
        return;
    }
    let mut at = positions[first.anchor] + rotation::rotate(&start, &first.local.position);
    let mut frame = start * first.local.orientation;
    let mut s = 0.0;
    for stop in rest {
        let steps = ((stop.s - s) / (COIL_STEP * cable.length)).ceil().max(1.0);
        let step = (stop.s - s) / steps;
        for _ in 0..steps as usize {
            let half = rotation::exp(&(cable.rest.at(s + 0.5 * step, cable.length) * (0.5 * step)));
            // The chord lies along the tangent in the middle of the step.
            at += rotation::tangent(&(frame * half)) * step;
            frame = frame * half * half;
            s += step;
        }
        frame *= 1.0 / frame.norm();
        positions[stop.anchor] = at;
        frames[stop.anchor] = Some(frame);
    }
}

/// Whether an orientation says nothing about the roll.
fn is_open(orientation: Option<Orientation>) -> bool {
    matches!(orientation, None | Some(Orientation::Tangent(_, None)))
}
