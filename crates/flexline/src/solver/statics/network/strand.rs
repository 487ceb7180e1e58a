//! Ropes that slide, seen as matter: which piece of rope is where.
//!
//! The nodes of a span stay at their share of its length while rope flows through its ends, so in
//! motion a node is another piece of rope after every step. What counts for inertia is where that
//! piece was before: the rope as it was is looked up by the length S of rope from its beginning.

use super::model::{Network, Wheel};
use super::motion::Track;
use super::state::NetworkState;
use crate::algebra::{Quat, Vec3, rotation};
use crate::rod::Rod;
use crate::rod::mixed::MixedRod;

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

/// A rope as it was.
pub(super) struct Past<'a> {
    pub(super) strand: &'a Strand,
    pub(super) network: &'a Network,
    pub(super) state: &'a NetworkState,
    pub(super) extents: Vec<[f64; 2]>,
    /// The rods of the spans with the lengths they had.
    pub(super) rods: Vec<MixedRod>,
}

/// What a piece of rope was doing.
pub(super) struct Piece {
    pub(super) position: Vec3,
    pub(super) frame: Quat,
    pub(super) node: Track,
    pub(super) turn: Track,
}

impl<'a> Past<'a> {
    /// The rope of `strand` in `state`.
    pub(super) fn new(strand: &'a Strand, network: &'a Network, state: &'a NetworkState) -> Self {
        let rods = strand.spans.iter().map(|&(k, _)| network.rod(state, k).into_owned()).collect();
        Self { strand, network, state, extents: strand.extents(state), rods }
    }

    /// The piece at S. Beyond its ends rope stands still in what feeds it.
    pub(super) fn piece(&self, s: f64, nodes: &[Vec<Track>], frames: &[Vec<Track>]) -> Piece {
        let i = self.extents.partition_point(|e| e[0] <= s).saturating_sub(1);
        let (span, wheel) = self.strand.spans[i];
        let [start, end] = self.extents[i];
        let rod = &self.rods[i];
        let state = &self.state.spans[span].rod;
        let local = (s - start).clamp(0.0, end - start);
        let station = rod.station(state, local.min(rod.length()));
        let mesh = rod.mesh().nodes();
        let n = rod.segments();
        let j = mesh.partition_point(|x| *x <= local).clamp(1, n);
        let share = ((local - mesh[j - 1]) / (mesh[j] - mesh[j - 1])).clamp(0.0, 1.0);
        let node = Track::between(&nodes[span][j - 1], &nodes[span][j], share);
        // Frames sit in the middles of the segments, and at both ends.
        let middle = |k: usize| match k {
            0 => 0.0,
            k if k == n + 1 => rod.length(),
            k => 0.5 * (mesh[k - 1] + mesh[k]),
        };
        let k = if local < middle(j) { j - 1 } else { j };
        let share = ((local - middle(k)) / (middle(k + 1) - middle(k))).clamp(0.0, 1.0);
        let turn = Track::between(&frames[span][k], &frames[span][k + 1], share);
        let (a, b) = (rod.frame(state, k), rod.frame(state, k + 1));
        let frame = a * rotation::exp(&(rotation::log(&(a.conjugate() * b)) * share));
        let mut piece = Piece { position: station.position, frame, node, turn };
        // On a wheel, round its rim.
        if let (Some(wheel), true) = (wheel, s > end) {
            let own = &self.network.wheels[wheel];
            let [first, last] = self.state.contacts[wheel];
            let rim = own.rim((first + (s - end) / own.radius).min(last));
            let body = &self.state.anchors[own.on];
            piece.position = body.position + rotation::rotate(&body.orientation, &rim.position);
            piece.frame = body.orientation * rim.orientation;
        }
        piece
    }

    /// S beyond the last span: rope that has been paid out since.
    pub(super) fn end(&self) -> f64 {
        self.extents.last().map_or(0.0, |e| e[1])
    }
}
