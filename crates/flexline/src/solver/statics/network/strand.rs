//! Ropes that slide, seen as matter: which piece of rope is where.
//!
//! The nodes of a span stay at their share of its length while rope flows through its ends, so in
//! motion a node is another piece of rope after every step. What counts for inertia is where that
//! piece was before: the rope as it was is looked up by the length S of rope from its beginning.

use super::model::{Network, Wheel};
use super::motion::Track;
use super::state::NetworkState;
use crate::algebra::{Quat, Vec3, rotation};
use crate::rod::mixed::MixedRod;
use crate::rod::{Rod, RodState};

/// A rope cut by eyes and wheels into spans.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    /// Its spans in order, and the wheel behind each but the last.
    pub(super) spans: Vec<(usize, Option<usize>)>,
    radii: Vec<f64>,
    /// Expected S at the start and the end of every span, in motion.
    pub(super) expected: Vec<[f64; 2]>,
}

/// The strands of a network.
pub(super) fn strands(network: &Network) -> Vec<Strand> {
    let count = network.spans.len();
    let (mut next, mut follows) = (vec![None; count], vec![false; count]);
    for slide in &network.slides {
        if let (Some(before), Some(after)) = (slide.before, slide.after) {
            next[before] = Some((after, slide.wheel));
            follows[after] = true;
        }
    }
    let mut found = Vec::new();
    for first in (0..count).filter(|k| next[*k].is_some() && !follows[*k]) {
        let mut spans = Vec::new();
        let mut at = Some(first);
        while let Some(k) = at {
            spans.push((k, next[k].and_then(|(_, wheel)| wheel)));
            at = next[k].map(|(after, _)| after);
        }
        let expected = vec![[0.0; 2]; spans.len()];
        let radii = network.wheels.iter().map(|w: &Wheel| w.radius).collect();
        found.push(Strand { spans, radii, expected });
    }
    found
}

impl Strand {
    /// S at the start and the end of every span, with the given lengths and contacts.
    pub(super) fn extents(&self, state: &NetworkState) -> Vec<[f64; 2]> {
        let mut s = 0.0;
        self.spans
            .iter()
            .map(|&(k, wheel)| {
                let start = s;
                let end = start + state.lengths[k];
                s = end
                    + wheel.map_or(0.0, |w| self.radii[w] * (state.contacts[w][1] - state.contacts[w][0]));
                [start, end]
            })
            .collect()
    }

    /// How much farther along the rope every span starts and ends than expected.
    pub(super) fn slid(&self, state: &NetworkState) -> Vec<(usize, [f64; 2])> {
        let now = self.extents(state);
        let off = |i: usize| [now[i][0] - self.expected[i][0], now[i][1] - self.expected[i][1]];
        self.spans.iter().enumerate().map(|(i, (k, _))| (*k, off(i))).collect()
    }
}

/// A span of a rope as it was.
pub(super) struct Past<'a> {
    state: &'a RodState,
    /// The rod with the length it had.
    rod: MixedRod,
    nodes: &'a [Track],
    frames: &'a [Track],
}

/// What a piece of rope was doing.
pub(super) struct Piece {
    pub(super) position: Vec3,
    pub(super) frame: Quat,
    pub(super) node: Track,
    pub(super) turn: Track,
}

impl<'a> Past<'a> {
    /// Span `k` in `state`, with what its nodes and frames did.
    pub(super) fn new(
        network: &Network,
        state: &'a NetworkState,
        k: usize,
        nodes: &'a [Track],
        frames: &'a [Track],
    ) -> Self {
        Self { state: &state.spans[k].rod, rod: network.rod(state, k).into_owned(), nodes, frames }
    }

    /// The piece at `s` from the start of the span. What was beyond an eye is taken to come straight
    /// towards it, at the speed it has behind it: the eye turns rope, and its velocity with it.
    pub(super) fn piece(&self, s: f64) -> Piece {
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
pub(super) fn frame_place(rod: &MixedRod, j: usize) -> f64 {
    let mesh = rod.mesh().nodes();
    match j {
        0 => 0.0,
        j if j > rod.segments() => rod.length(),
        j => 0.5 * (mesh[j - 1] + mesh[j]),
    }
}

/// Direction of the rope at either end of a rod: of its first or last segment.
pub(super) fn end_direction(rod: &MixedRod, state: &RodState, side: usize) -> Vec3 {
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
