//! How far rods are from obstacles and from each other, also where nothing touches.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::apart::{Apart, Stretch};
use crate::algebra::Vec3;
use crate::contact::segment_pair;
use crate::rod::Rod;

/// Pieces of an axis whose box is asked first.
const CHUNK: usize = 16;
/// Cosine up to which a way is across an axis.
const ACROSS: f64 = 0.3;

/// The obstacle that is nearest to a place of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Which obstacle.
    pub obstacle: usize,
    /// From its surface to the axis of the rod, m; negative inside solids.
    pub distance: f64,
}

/// Where another span, or another stretch of the same, is nearest to a piece of a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestSpan {
    /// The span and the other.
    pub spans: [usize; 2],
    /// Arc lengths of the places, m.
    pub s: [f64; 2],
    /// Place of the first axis, m, world.
    pub position: Vec3,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// Whether they are nowhere nearer beside these places: the way between them is across both, or one of them ends there.
    pub is_least: bool,
}

/// The axis of a span, and boxes around stretches of it.
struct Axis {
    shares: Vec<f64>,
    points: Vec<Vec3>,
    boxes: Vec<[Vec3; 2]>,
}

impl Axis {
    fn new(network: &Network, state: &NetworkState, span: usize) -> Self {
        let rod = network.rod(state, span);
        let mut shares = Vec::new();
        rod.axis_shares(&mut shares);
        let points: Vec<Vec3> =
            shares.iter().map(|share| rod.place(&state.spans[span].rod, *share)).collect();
        let pieces = points.len().saturating_sub(1);
        let around = |begin: usize| {
            let own = &points[begin..=(begin + CHUNK).min(pieces)];
            let fold = |by: fn(&Vec3, &Vec3) -> Vec3| own.iter().fold(own[0], |m, p| by(&m, p));
            [fold(|a, b| a.inf(b)), fold(|a, b| a.sup(b))]
        };
        let boxes = (0..pieces).step_by(CHUNK).map(around).collect();
        Self { shares, points, boxes }
    }

    fn chord(&self, piece: usize) -> [Vec3; 2] {
        [self.points[piece], self.points[piece + 1]]
    }

    /// The place of a piece by its share.
    fn share(&self, piece: usize, share: f64) -> f64 {
        self.shares[piece] + share * (self.shares[piece + 1] - self.shares[piece])
    }
}

/// How far a box is from a segment at least, m.
fn box_distance([low, high]: &[Vec3; 2], chord: &[Vec3; 2]) -> f64 {
    let (own_low, own_high) = (chord[0].inf(&chord[1]), chord[0].sup(&chord[1]));
    (low - own_high).sup(&(own_low - high)).sup(&Vec3::zeros()).norm()
}

impl Network {
    /// The obstacle that is nearest to a span at arc length `s`, measured where contact measures it; `None` where there are
    /// no obstacles, or where the span passes through all of them there.
    pub fn nearest_obstacle(&self, state: &NetworkState, span: usize, s: f64) -> Option<Nearest> {
        self.obstacle_distances(state, span, s).into_iter().min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// How far a span is from every obstacle at arc length `s`, but for those that it passes through there.
    pub fn obstacle_distances(&self, state: &NetworkState, span: usize, s: f64) -> Vec<Nearest> {
        let rod = self.rod(state, span);
        let share = (s / rod.length()).clamp(0.0, 1.0);
        let Some(own) = state.spans.get(span) else { return Vec::new() };
        let at = rod.place(&own.rod, share);
        let each = (0..self.obstacles.len()).filter_map(|obstacle| {
            let [first, last] = self.touching(span, obstacle, rod.length())?;
            if !(first..=last).contains(&share) {
                return None;
            }
            let (distance, _) = self.obstacle_at(obstacle, &state.anchors).distance(&at)?;
            Some(Nearest { obstacle, distance })
        });
        each.collect()
    }

    /// For every piece of every span that touches anything, where each other span is nearest to it, and where another
    /// stretch of the same is; of pairs that contact knows, and only where the other one does not run on nearer.
    pub fn nearest_spans(&self, state: &NetworkState) -> Vec<NearestSpan> {
        let mut apart = Apart::default();
        apart.read(self);
        let axes: Vec<Axis> = (0..self.spans.len()).map(|k| Axis::new(self, state, k)).collect();
        let mut found = Vec::new();
        for (k, own) in self.spans.iter().enumerate().filter(|(_, own)| own.contact_radius > 0.0) {
            for (l, other) in self.spans.iter().enumerate() {
                if other.contact_radius > 0.0 && apart.may_touch(k, l) {
                    for piece in 0..axes[k].points.len() - 1 {
                        let radii = own.contact_radius + other.contact_radius;
                        found.extend(self.nearest_on(
                            state,
                            &apart,
                            [k, l],
                            [&axes[k], &axes[l]],
                            piece,
                            radii,
                        ));
                    }
                }
            }
        }
        found
    }

    /// Where span `l` is nearest to a piece of span `k`.
    fn nearest_on(
        &self,
        state: &NetworkState,
        apart: &Apart,
        [k, l]: [usize; 2],
        [own, other]: [&Axis; 2],
        piece: usize,
        radii: f64,
    ) -> Option<NearestSpan> {
        let lengths = [k, l].map(|span| self.rod(state, span).length());
        let chord = own.chord(piece);
        let stretch = |span: usize, axis: &Axis, piece: usize, length: f64| Stretch {
            span,
            piece,
            ends: [axis.shares[piece] * length, axis.shares[piece + 1] * length],
        };
        let mine = stretch(k, own, piece, lengths[0]);
        let mut best: Option<(usize, [f64; 2], f64)> = None;
        for (c, around) in other.boxes.iter().enumerate() {
            if best.is_some_and(|(.., least)| box_distance(around, &chord) >= least) {
                continue;
            }
            for j in c * CHUNK..((c + 1) * CHUNK).min(other.points.len() - 1) {
                let theirs = stretch(l, other, j, lengths[1]);
                // Pairs are named with the first span, or the first stretch, in front.
                let is_pair = if (k, piece) <= (l, j) {
                    apart.is_pair(&mine, &theirs)
                } else {
                    apart.is_pair(&theirs, &mine)
                };
                if !is_pair {
                    continue;
                }
                let pair = segment_pair(chord, other.chord(j));
                let across = |span: usize, chord: [Vec3; 2], share: f64, at: f64| {
                    let ends = (share <= 0.0 && at <= 0.0) || (share >= 1.0 && at >= 1.0);
                    let along = (chord[1] - chord[0]).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
                    (ends && self.is_end(span, at)) || pair.normal.dot(&along).abs() < ACROSS
                };
                let at = other.share(j, pair.shares[1]);
                if best.is_none_or(|(.., least)| pair.distance < least)
                    && across(l, other.chord(j), pair.shares[1], at)
                {
                    best = Some((j, pair.shares, pair.distance));
                }
            }
        }
        let (j, shares, _) = best?;
        let shares = [own.share(piece, shares[0]), other.share(j, shares[1])];
        let places = [(k, shares[0]), (l, shares[1])]
            .map(|(span, share)| self.rod(state, span).place(&state.spans[span].rod, share));
        let way = places[0] - places[1];
        let along = (chord[1] - chord[0]).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let is_least = self.is_end(k, shares[0]) || way.dot(&along).abs() <= ACROSS * way.norm();
        Some(NearestSpan {
            spans: [k, l],
            s: [shares[0] * lengths[0], shares[1] * lengths[1]],
            position: places[0],
            gap: way.norm() - radii,
            is_least,
        })
    }

    /// Whether a span ends at a share of its length, with nothing that goes on from there.
    fn is_end(&self, span: usize, share: f64) -> bool {
        let on = match share {
            share if share <= 0.0 => Some(self.spans[span].start.anchor),
            share if share >= 1.0 => self.spans[span].end.map(|end| end.anchor),
            _ => return false,
        };
        let Some(anchor) = on else { return true };
        let ends = self.spans.iter().flat_map(|own| std::iter::once(&own.start).chain(&own.end));
        ends.filter(|end| end.anchor == anchor).count() == 1
    }
}
