//! Ropes that slide, seen as matter: which piece of rope is where.
//!
//! The nodes of a span stay at their share of its length while rope flows through its ends, so in
//! motion a node is another piece of rope after every step. What counts for inertia is where that
//! piece was before: the rope as it was is looked up by the length S of rope from its beginning.

use super::model::Network;
use super::state::NetworkState;
use crate::joint::Wheel;

/// A rope cut by eyes and wheels into spans.
#[derive(Clone, Debug)]
pub(in crate::solver) struct Rope {
    /// Its spans in order, and the wheel behind each but the last.
    pub(in crate::solver) spans: Vec<(usize, Option<usize>)>,
    radii: Vec<f64>,
    /// Expected S at the start and the end of every span, in motion.
    pub(in crate::solver) expected: Vec<[f64; 2]>,
}

/// The ropes of a network.
pub(in crate::solver) fn ropes(network: &Network) -> Vec<Rope> {
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
        found.push(Rope { spans, radii, expected });
    }
    found
}

/// Which of `count` spans are part of a rope.
pub(in crate::solver) fn sliding(ropes: &[Rope], count: usize) -> Vec<bool> {
    let mut slides = vec![false; count];
    for (k, _) in ropes.iter().flat_map(|s| &s.spans) {
        slides[*k] = true;
    }
    slides
}

impl Rope {
    /// S at the start and the end of every span, with the given lengths and contacts.
    pub(in crate::solver) fn extents(&self, state: &NetworkState) -> Vec<[f64; 2]> {
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
    pub(in crate::solver) fn slid(&self, state: &NetworkState) -> Vec<(usize, [f64; 2])> {
        let now = self.extents(state);
        let off = |i: usize| [now[i][0] - self.expected[i][0], now[i][1] - self.expected[i][1]];
        self.spans.iter().enumerate().map(|(i, (k, _))| (*k, off(i))).collect()
    }
}
