//! Inertia of ropes that slide: every node of a span is another piece of rope after each step, and is
//! held back by what that piece did before.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::Motion;
use super::track::{Scheme, Track};
use crate::algebra::{Quat, Vec3, rotation};
use crate::rod::mixed::MixedRod;
use crate::rod::{Rod, RodState};
use crate::solver::statics::system::Inertia;

/// A span of a rope as it was.
pub(super) struct Past<'a> {
    state: &'a RodState,
    /// The rod with the length it had.
    rod: MixedRod,
    nodes: &'a [Track],
    frames: &'a [Track],
}

/// What a piece of rope was doing.
struct Piece {
    position: Vec3,
    frame: Quat,
    node: Track,
    turn: Track,
}

impl<'a> Past<'a> {
    /// Span `k` in `state`, with what its nodes and frames did.
    pub(super) fn new(
        network: &Network,
        state: &'a NetworkState,
        k: usize,
        nodes: &'a [Track],
        frames: &'a [Track],
    ) -> Option<Self> {
        let rod = network.rod(state, k).as_mixed()?.clone();
        Some(Self { state: &state.spans[k].rod, rod, nodes, frames })
    }

    /// The piece at `s` from the start of the span. What was beyond an eye is taken to come straight
    /// towards it, at the speed it has behind it: the eye turns rope, and its velocity with it.
    fn piece(&self, s: f64) -> Piece {
        let rod = &self.rod;
        let n = rod.segments();
        let mesh = rod.mesh().nodes();
        let j = mesh.partition_point(|x| *x <= s).clamp(1, n);
        let share = ((s - mesh[j - 1]) / (mesh[j] - mesh[j - 1])).clamp(0.0, 1.0);
        let node = Track::between(&self.nodes[j - 1], &self.nodes[j], share);
        let k = if s < frame_place(rod, j) { j - 1 } else { j };
        let (from, to) = (frame_place(rod, k), frame_place(rod, k + 1));
        let share = ((s - from) / (to - from)).clamp(0.0, 1.0);
        let turn = Track::between(&self.frames[k], &self.frames[k + 1], share);
        let (a, b) = (rod.frame(self.state, k), rod.frame(self.state, k + 1));
        let frame = a * rotation::exp(&(rotation::log(&(a.conjugate() * b)) * share));
        Piece { position: between_nodes(rod, self.state, j - 1, s), frame, node, turn }
    }
}

/// Where frame `j` of a rod sits: in the middle of its segment, the first and last at the ends.
fn frame_place(rod: &MixedRod, j: usize) -> f64 {
    let mesh = rod.mesh().nodes();
    match j {
        0 => 0.0,
        j if j > rod.segments() => rod.length(),
        j => 0.5 * (mesh[j - 1] + mesh[j]),
    }
}

/// Direction of the rope at either end of a rod: of its first or last segment.
fn end_direction(rod: &MixedRod, state: &RodState, side: usize) -> Vec3 {
    let j = if side == 0 { 0 } else { rod.segments() - 1 };
    (rod.position(state, j + 1) - rod.position(state, j)) / rod.lengths[j]
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
    let (v, w) = (u * u, (1.0 - u) * (1.0 - u));
    at(j) * (w * (1.0 + 2.0 * u))
        + at(j + 1) * (v * (3.0 - 2.0 * u))
        + (first * (w * u) - last * (v * (1.0 - u))) * l
}

/// The springs of a span of sliding rope: every node to where the piece of rope that is expected to be
/// there would go. `range` is where its start and end are expected on the span as it was.
pub(super) fn rope_springs(rod: &MixedRod, past: &Past<'_>, range: [f64; 2], scheme: &Scheme<'_>) -> Inertia {
    let n = rod.segments();
    let mesh = rod.mesh().nodes();
    let scale = (range[1] - range[0]) / rod.length();
    let step = 0.25 * rod.lengths[0];
    let mut inertia = Inertia::default();
    // Where mass goes by itself, and how that moves with what slides at the start and at the end.
    let mut free = Vec::with_capacity(n + 1);
    for (j, x) in mesh.iter().enumerate() {
        let s = range[0] + x * scale;
        let [here, behind, ahead] = [s, s - step, s + step].map(|s| past.piece(s));
        let spring = |p: &Piece| scheme.spring(rod.mass[j], rod.duals[j], p.position, &p.node);
        let mass = |p: &Piece| scheme.free(p.position, &p.node);
        let share = x / rod.length();
        inertia.nodes.push(spring(&here));
        inertia.along.push((spring(&ahead).1 - spring(&behind).1) / (2.0 * step));
        inertia.shares.push(share);
        let along = (mass(&ahead).1 - mass(&behind).1) / (2.0 * step);
        free.push((mass(&here), [along * (1.0 - share), along * share]));
    }
    for (coupling, ends) in rod.coupling.iter().zip(free.windows(2)) {
        let [((c, from), from_moves), ((_, to), to_moves)] = [ends[0], ends[1]];
        inertia.chords.push((coupling * c, to - from));
        inertia.chords_along.push([to_moves[0] - from_moves[0], to_moves[1] - from_moves[1]]);
    }
    for j in 0..n + 2 {
        let piece = past.piece(range[0] + frame_place(rod, j) * scale);
        let (c, predicted) = scheme.predict(&piece.turn);
        inertia.frames.push((rod.rotary[j] * c, piece.frame * rotation::exp(&predicted)));
    }
    inertia
}

impl Motion {
    /// As much flows through every slide as in the last step.
    pub(super) fn flow_on(&mut self, network: &Network) {
        for (k, slide) in network.slides.iter().enumerate() {
            // A span is never emptied by a guess.
            let most = |span: Option<usize>| span.map_or(f64::INFINITY, |s| 0.5 * self.state.lengths[s]);
            let flow = self.flowed[k].clamp(-most(slide.before), most(slide.after));
            self.state.flows[k] += flow;
            if let Some(before) = slide.before {
                self.state.lengths[before] += flow;
            }
            if let Some(after) = slide.after {
                self.state.lengths[after] -= flow;
            }
        }
    }

    /// The same for span `k` of a rope that slides, which had and has the given extents and passes
    /// an eye at its start or end.
    pub(super) fn record_rope(
        &mut self,
        network: &Network,
        before: &NetworkState,
        k: usize,
        [then, now]: [[f64; 2]; 2],
        passes: [bool; 2],
        scheme: &Scheme<'_>,
    ) {
        let rod = network.rod(&self.state, k);
        let Some(rod) = rod.as_mixed() else { return };
        let state = &self.state.spans[k].rod;
        let n = rod.segments();
        let (nodes, frames) = (self.nodes[k].clone(), self.frames[k].clone());
        let Some(past) = Past::new(network, before, k, &nodes, &frames) else { return };
        let scale = (now[1] - now[0]) / rod.length();
        let piece = |x: f64| past.piece(now[0] - then[0] + x * scale);
        for (j, x) in rod.mesh().nodes().iter().enumerate() {
            let was = piece(*x);
            let mut track = was.node;
            scheme.advance(&mut track, rod.position(state, j) - was.position);
            self.nodes[k][j] = track;
        }
        for j in 0..n + 2 {
            let was = piece(frame_place(rod, j));
            let mut track = was.turn;
            let turned = rotation::log(&(was.frame.conjugate() * rod.frame(state, j)));
            scheme.advance(&mut track, turned);
            self.frames[k][j] = track;
        }
        // At an eye rope moves with the eye, and along its own direction as it runs past.
        let old = &before.spans[k].rod;
        for side in 0..2 {
            let j = if side == 0 { 0 } else { n };
            let [place, along] = &mut self.ends[k][side];
            scheme.advance(place, rod.position(state, j) - rod.position(old, j));
            scheme.advance(along, Vec3::x() * (now[side] - then[side]));
            if passes[side] {
                let direction = end_direction(rod, state, side);
                self.nodes[k][j] = Track::less(place, &direction, along);
            }
        }
    }
}
