//! Which pieces of spans are no pair: neighbours along a rod, what meets at an anchor, what passes through each other.

use super::super::model::{Network, Span};
use crate::algebra::{Vec3, rotation};
use crate::joint::{Attachment, Grip};
use crate::rod::Rod;
use std::f64::consts::{FRAC_PI_2, PI};

/// What meets at an anchor is no pair until the straight lines along which it leaves are so many times as far apart as
/// they touch.
const CLEAR: f64 = 1.2;

/// A piece of the axis of a span, as far as pairs are concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) span: usize,
    pub(super) piece: usize,
    /// Arc lengths of its ends, m.
    pub(super) ends: [f64; 2],
}

/// Ends of two spans, or of one, that meet at an anchor.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    spans: [usize; 2],
    /// Start (0) or end (1) of either.
    ends: [usize; 2],
    /// Length by way of the anchor below which places are no pair, m.
    within: f64,
}

/// What is no pair in a network.
#[derive(Default)]
pub(super) struct Apart {
    meetings: Vec<Meeting>,
    passing: Vec<[usize; 2]>,
    lengths: Vec<f64>,
    radii: Vec<f64>,
}

impl Apart {
    /// Takes over what `network` is by now.
    pub(super) fn read(&mut self, network: &Network) {
        let Self { meetings, passing, lengths, radii } = self;
        meetings.clear();
        passing.clone_from(&network.passing);
        passing.iter_mut().for_each(|pair| pair.sort_unstable());
        passing.sort_unstable();
        lengths.clear();
        lengths.extend(network.spans.iter().map(|span| span.rod.length()));
        radii.clear();
        radii.extend(network.spans.iter().map(|span| span.contact_radius));
        let round = || network.spans.iter().enumerate().filter(|(_, span)| span.contact_radius > 0.0);
        for (a, first) in round() {
            for (b, second) in round().filter(|(b, _)| *b >= a) {
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let (Some(one), Some(two)) = (end(first, i), end(second, j)) else { continue };
                    // Of a ring the end meets the start.
                    if one.anchor == two.anchor && (a != b || (i, j) == (0, 1)) {
                        let within = shared(one, i, two, j, first.contact_radius + second.contact_radius);
                        meetings.push(Meeting { spans: [a, b], ends: [i, j], within });
                    }
                }
            }
        }
    }

    /// Whether two spans, or a span and itself, may touch at all.
    pub(super) fn may_touch(&self, a: usize, b: usize) -> bool {
        self.passing.binary_search(&[a.min(b), a.max(b)]).is_err()
    }

    /// Whether two pieces, of which the first is not behind the second, are a pair. A rod whose curvature is at most that
    /// of its own surface is nowhere nearer to itself than that within π radii (A. Schur's theorem).
    pub(super) fn is_pair(&self, a: &Stretch, b: &Stretch) -> bool {
        if a.span == b.span && (b.piece <= a.piece + 1 || b.ends[0] - a.ends[1] < PI * self.radii[a.span]) {
            return false;
        }
        let from = |stretch: &Stretch, end: usize| {
            if end == 0 { stretch.ends[0] } else { self.lengths[stretch.span] - stretch.ends[1] }
        };
        !self.meetings.iter().any(|meeting| {
            meeting.spans == [a.span, b.span]
                && from(a, meeting.ends[0]) + from(b, meeting.ends[1]) < meeting.within
        })
    }
}

/// What holds the start (0) or the end (1) of a span.
fn end(span: &Span, which: usize) -> Option<&Attachment> {
    if which == 0 { Some(&span.start) } else { span.end.as_ref() }
}

/// Length by way of the anchor within which two ends on it are no pair: that of a bend by half a turn, and where they
/// leave at an angle until they are clear of each other; all of it where they leave side by side too near.
fn shared(a: &Attachment, i: usize, b: &Attachment, j: usize, radii: f64) -> f64 {
    let bend = FRAC_PI_2 * radii;
    let away = |on: &Attachment, end: usize| {
        let tangent = rotation::tangent(&on.anchor_from_end.orientation);
        if end == 0 { tangent } else { -tangent }
    };
    if a.grip == Grip::Pinned || b.grip == Grip::Pinned {
        return bend;
    }
    let from: Vec3 = a.anchor_from_end.position - b.anchor_from_end.position;
    let opens: Vec3 = away(a, i) - away(b, j);
    // The last length at which both lines are only just clear: |from + length opens| = clear.
    let clear = CLEAR * radii;
    let (p, q, r) = (opens.norm_squared(), from.dot(&opens), from.norm_squared() - clear * clear);
    if p < 1e-12 {
        return if r < 0.0 { f64::INFINITY } else { bend };
    }
    let root = q * q - p * r;
    if root < 0.0 { bend } else { bend.max(2.0 * (root.sqrt() - q) / p) }
}
