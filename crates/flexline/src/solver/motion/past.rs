//! A span of rope as it was before a step: where a piece of it was, and what it did.

use super::track::Track;
use crate::algebra::{Quat, Vec3, rotation};
use crate::rod::mixed::MixedRod;
use crate::rod::{AnyRod, Rod, RodState};

/// A span of rope as it was.
pub(super) struct Past<'a> {
    /// With the length it had.
    rod: &'a AnyRod,
    state: &'a RodState,
    nodes: &'a [Track],
    frames: &'a [Track],
    /// Of its start and end: how the place moved, and how rope ran past it.
    ends: &'a [[Track; 2]; 2],
    /// Its points in order, ends included; none of a chain, which has its own.
    stops: Vec<Stop>,
}

/// A point of a span whose matter is at the points of a quadrature.
struct Stop {
    s: f64,
    tangent: Vec3,
    piece: RopePlace,
}

/// What a piece of rope was doing.
#[derive(Clone, Copy)]
pub(super) struct RopePlace {
    pub(super) position: Vec3,
    pub(super) frame: Quat,
    pub(super) node: Track,
    pub(super) turn: Track,
}

impl<'a> Past<'a> {
    /// A rod with the length it had in `state`, with what its nodes, frames and ends did.
    pub(super) fn new(
        rod: &'a AnyRod,
        state: &'a RodState,
        nodes: &'a [Track],
        frames: &'a [Track],
        ends: &'a [[Track; 2]; 2],
    ) -> Self {
        let mut past = Self { rod, state, nodes, frames, ends, stops: Vec::new() };
        if !rod.bends_at_nodes() {
            past.stops = past.find_stops();
        }
        past
    }

    fn find_stops(&self) -> Vec<Stop> {
        let matter = self.rod.matter(self.state);
        let [arcs, _] = self.rod.matter_arcs();
        let stop = |s: f64, piece: RopePlace| Stop { s, tangent: rotation::tangent(&piece.frame), piece };
        let inner = arcs.iter().enumerate().map(|(j, s)| {
            let (position, frame) = (matter.points[j].position, matter.frames[j].1);
            stop(*s, RopePlace { position, frame, node: self.nodes[j], turn: self.frames[j] })
        });
        let end = |side: usize| {
            let s = side as f64 * self.rod.length();
            let at = self.rod.station(self.state, s);
            let node = self.running(side, &rotation::tangent(&at.frame));
            // Frames have no track at the ends: that of the point beside.
            let turn = self.frames[side * (arcs.len() - 1)];
            stop(s, RopePlace { position: at.position, frame: at.frame, node, turn })
        };
        std::iter::once(end(0)).chain(inner).chain(std::iter::once(end(1))).collect()
    }

    /// What rope does that runs through the start or the end in a direction: it moves with the place, and along itself.
    fn running(&self, side: usize, direction: &Vec3) -> Track {
        let [place, along] = &self.ends[side];
        Track::less(place, direction, along)
    }

    /// Position of the start (0) or the end (1).
    pub(super) fn end(&self, side: usize) -> Vec3 {
        self.rod.end_position(self.state, side)
    }

    /// The piece at `s` from the start of the span. What was beyond an eye is taken to come straight
    /// towards it, at the speed it has behind it: the eye turns rope, and its velocity with it.
    pub(super) fn piece(&self, s: f64) -> RopePlace {
        if let AnyRod::Mixed(rod) = self.rod {
            return self.piece_of_chain(rod, s);
        }
        let length = self.rod.length();
        let (side, over) = if s < 0.0 { (0, -s) } else { (1, s - length) };
        if over <= 0.0 {
            return self.piece_between(s);
        }
        // As rope behind the eye goes on from it, so it came: its shape is turned about the eye by half a turn. Where
        // it bends sharply at the eye, its direction there belongs to neither side.
        let behind = self.piece_between(if side == 0 { over } else { length - over });
        let node = self.running(side, &rotation::tangent(&behind.frame));
        RopePlace { position: self.end(side) * 2.0 - behind.position, node, ..behind }
    }

    /// The piece at `s` within the span: positions by a cubic with the tangents of the points beside it.
    fn piece_between(&self, s: f64) -> RopePlace {
        let j = self.stops.partition_point(|stop| stop.s <= s).clamp(1, self.stops.len() - 1);
        let [a, b] = [&self.stops[j - 1], &self.stops[j]];
        let l = b.s - a.s;
        let u = ((s - a.s) / l).clamp(0.0, 1.0);
        let turned = rotation::log(&(a.piece.frame.conjugate() * b.piece.frame));
        RopePlace {
            position: cubic([a.piece.position, b.piece.position], [a.tangent, b.tangent], l, u),
            frame: a.piece.frame * rotation::exp(&(turned * u)),
            node: Track::between(&a.piece.node, &b.piece.node, u),
            turn: Track::between(&a.piece.turn, &b.piece.turn, u),
        }
    }

    fn piece_of_chain(&self, rod: &MixedRod, s: f64) -> RopePlace {
        let n = rod.segments();
        let mesh = rod.mesh().nodes();
        let j = mesh.partition_point(|x| *x <= s).clamp(1, n);
        let share = ((s - mesh[j - 1]) / (mesh[j] - mesh[j - 1])).clamp(0.0, 1.0);
        let node = Track::between(&self.nodes[j - 1], &self.nodes[j], share);
        let k = if s < rod.frame_arc(j) { j - 1 } else { j };
        let (from, to) = (rod.frame_arc(k), rod.frame_arc(k + 1));
        let share = ((s - from) / (to - from)).clamp(0.0, 1.0);
        let turn = Track::between(&self.frames[k], &self.frames[k + 1], share);
        let (a, b) = (rod.frame(self.state, k), rod.frame(self.state, k + 1));
        let frame = a * rotation::exp(&(rotation::log(&(a.conjugate() * b)) * share));
        RopePlace { position: between_nodes(rod, self.state, j - 1, s), frame, node, turn }
    }
}

/// The cubic of length `l` with these ends and slopes, at share `u`.
fn cubic(ends: [Vec3; 2], slopes: [Vec3; 2], l: f64, u: f64) -> Vec3 {
    let (v, w) = (u * u, (1.0 - u) * (1.0 - u));
    ends[0] * (w * (1.0 + 2.0 * u))
        + ends[1] * (v * (3.0 - 2.0 * u))
        + (slopes[0] * (w * u) - slopes[1] * (v * (1.0 - u))) * l
}

/// Position at `s` in segment `j`: a cubic through the nodes with the slopes of the segments beside
/// them. Frames play no part: at an eye a rope may turn sharply within its last segment.
fn between_nodes(rod: &MixedRod, state: &RodState, j: usize, s: f64) -> Vec3 {
    let mesh = rod.mesh().nodes();
    let n = rod.segments();
    let at = |k: usize| rod.position(state, k);
    let slope = |k: usize| (at(k + 1) - at(k)) / (mesh[k + 1] - mesh[k]);
    // At an inner node the slopes beside it, each weighed with the length of the other.
    let tangent = |k: usize| {
        let (a, b) = (mesh[k] - mesh[k - 1], mesh[k + 1] - mesh[k]);
        (slope(k - 1) * b + slope(k) * a) / (a + b)
    };
    let own = slope(j);
    let (first, last) = match (j > 0, j + 1 < n) {
        (true, true) => (tangent(j), tangent(j + 1)),
        (false, true) => (2.0 * own - tangent(1), tangent(1)),
        (true, false) => (tangent(j), 2.0 * own - tangent(j)),
        (false, false) => (own, own),
    };
    let l = mesh[j + 1] - mesh[j];
    let u = (s - mesh[j]) / l;
    // Straight on beyond the ends.
    if u < 0.0 {
        return at(j) + own * (u * l);
    }
    if u > 1.0 {
        return at(j + 1) + own * ((u - 1.0) * l);
    }
    cubic([at(j), at(j + 1)], [first, last], l, u)
}
