//! Where spans are nearest to each other, and each to itself.
//!
//! The second span of a pair is an obstacle that moves: with w = x(s) − y(t) from its nearest place y(t) to x, d = |w|,
//! n = w/d and P = (I − nnᵀ)/d the distance of x from its axis has the derivatives
//!
//! ```text
//! ∇φ = n,     H = P − P y′y′ᵀ P / m,     m = y′·P y′ − n·y″,
//! ```
//!
//! t being free to shift. So every piece of the first span has one row for every stretch of the second that comes near,
//! wherever that is along it: two strands side by side have as many rows as the first has pieces. Both sides of the row
//! feel its force; how they feel each other's motion is in `coupling.rs`.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::apart::{Apart, Stretch};
use super::detect::{FLAT, Field, OSCULATING, Piece, REACH};
use super::friction::Tangential;
use super::{Body, ContactKey, ContactRow, Side};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::contact::{MovingRod, PairSearch, SegmentOf, SegmentPair, Touch, segment_pair, segment_pair_at};
use crate::rod::{AnyRod, Rod, RodState};
use rayon::prelude::*;

/// How far ahead of a step places are watched at most, in sums of radii: what is farther away meets the gate first.
const FARTHEST: f64 = 4.0;
/// By how much of a piece the nearest place may lie beyond its ends, as the chord has it: there the axis itself bends.
const BEYOND: f64 = 0.5;
/// Pieces whose chords are nearer than this, in sums of radii, and run along each other up to the angle with this cosine may be nearest at
/// two places.
const BESIDE: f64 = 1.5;
const ALONG: f64 = 0.5;
/// Pairs from which they are looked at side by side.
const SIDE_BY_SIDE: usize = 500;
/// Steps towards the nearest place of the other axis.
const STEPS: usize = 40;
/// Below this share of the sum of radii the distance of two axes has no direction, and second derivatives are those at half of it.
const NO_WAY: f64 = 1e-6;

/// The side of a row that is a place of a span.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Opposite {
    pub(super) span: usize,
    /// Share of its length.
    pub(super) share: f64,
    /// The ends of its piece there.
    pub(super) ends: [f64; 2],
    /// Place of its axis, m, world.
    pub(super) at: Vec3,
    /// Derivative of that by the share.
    pub(super) slope: Vec3,
    /// Second derivative of the distance by the share, m, while the place may shift.
    pub(super) stiffness: Option<f64>,
    /// From the first axis to the second, m; at least half of what it is where they touch.
    pub(super) distance: f64,
}

/// Room for the search.
#[derive(Default)]
pub(super) struct PairRoom {
    axes: Vec<Axis>,
    search: PairSearch,
    found: Vec<[SegmentOf; 2]>,
    apart: Apart,
}

/// The axis of a span as the search sees it.
#[derive(Default)]
struct Axis {
    shares: Vec<f64>,
    points: Vec<Vec3>,
    /// How far it bends away from the chords of its pieces, m.
    sag: f64,
}

impl Axis {
    fn read(&mut self, rod: &AnyRod, state: &RodState) {
        let Self { shares, points, sag } = self;
        rod.axis_shares(shares);
        points.extend(shares.iter().map(|share| rod.place(state, *share)));
        // Second differences of its points: the bend of a chord's parabola.
        for w in points.windows(3) {
            *sag = sag.max((w[0] - w[1] * 2.0 + w[2]).norm() / 8.0);
        }
    }

    fn clear(&mut self) {
        self.shares.clear();
        self.points.clear();
        self.sag = 0.0;
    }

    /// The piece that a share of the length is on.
    fn piece(&self, share: f64) -> usize {
        let after = self.shares.partition_point(|end| *end <= share);
        after.clamp(1, self.shares.len() - 1) - 1
    }

    fn ends(&self, piece: usize) -> [f64; 2] {
        [self.shares[piece], self.shares[piece + 1]]
    }

    fn chord(&self, piece: usize) -> [Vec3; 2] {
        [self.points[piece], self.points[piece + 1]]
    }
}

/// Finds the places of all pairs within reach, and farther where the `travel` of their spans takes them there; within `watch`
/// radii at least.
pub(super) fn detect(
    network: &Network,
    state: &NetworkState,
    room: &mut PairRoom,
    rows: &mut Vec<ContactRow>,
    (travel, watch): (&[f64], f64),
) {
    let PairRoom { axes, search, found, apart } = room;
    apart.read(network);
    axes.resize_with(network.spans.len(), Axis::default);
    for (k, (axis, span)) in axes.iter_mut().zip(&network.spans).enumerate() {
        axis.clear();
        if span.contact_radius > 0.0 {
            axis.read(&span.rod, &state.spans[k].rod);
        }
    }
    let reach = |k: usize| {
        let radius = network.spans[k].contact_radius;
        let travel = travel.get(k).copied().unwrap_or(0.0);
        radius + axes[k].sag + travel.min(FARTHEST * radius).max(watch * radius)
    };
    let rods: Vec<MovingRod<'_>> = axes
        .iter()
        .enumerate()
        .map(|(k, axis)| MovingRod {
            from: &axis.points,
            to: &axis.points,
            reach: reach(k),
            closed: false,
            apart: 0.0,
        })
        .collect();
    search.find(&rods, found);
    let stretch = |span: usize, piece: usize| {
        let length = network.spans[span].rod.length();
        Stretch { span, piece, ends: axes[span].ends(piece).map(|share| share * length) }
    };
    let look = |[a, b]: &[SegmentOf; 2]| -> [Option<(ContactRow, f64)>; 3] {
        let [(k, i), (l, j)] = [a, b].map(|of| (of.rod as usize, of.segment as usize));
        if !(apart.may_touch(k, l) && apart.is_pair(&stretch(k, i), &stretch(l, j))) {
            return [None; 3];
        }
        let chords = segment_pair(axes[k].chord(i), axes[l].chord(j));
        if chords.distance > reach(k) + reach(l) {
            return [None; 3];
        }
        let [own, other] = [k, l].map(|k| (&network.spans[k], &state.spans[k].rod));
        let radii = [own.0.contact_radius, other.0.contact_radius];
        let ends = axes[k].ends(i);
        let length = (ends[1] - ends[0]) * own.0.rod.length();
        let piece =
            Piece { rod: &own.0.rod, state: own.1, ends, to_middle: to_middle(length, radii[0] + radii[1]) };
        let [from, to] = axes[l].ends(j);
        let at = |near: &SegmentPair| -> Option<(ContactRow, f64)> {
            let mut field = OfSpan {
                rod: &other.0.rod,
                state: other.1,
                radii,
                widest: to - from,
                share: from + near.shares[1] * (to - from),
                stiffness: None,
            };
            // Where the nearest place is on a neighbour, that is another pair, or none.
            if field.leaves(&near.points[0], [from, to]) {
                return None;
            }
            let look = piece.nearest(&mut field, &on_chord(near))?;
            let (touch, share) = (look.touch, field.share);
            let j = axes[l].piece(share);
            let gap = touch.distance + look.off - own.0.contact_radius;
            let is_near = gap + own.0.contact_radius + other.0.contact_radius <= reach(k) + reach(l);
            // The nearest place may have slid to where the axes are no pair.
            if !(is_near && (k != l || j > i) && apart.is_pair(&stretch(k, i), &stretch(l, j))) {
                return None;
            }
            let late = look.share > 0.5 * (ends[0] + ends[1]);
            let row = ContactRow {
                key: ContactKey {
                    body: Body::Span(k),
                    piece: i,
                    other: Side::Span { index: l, piece: j, late },
                },
                share: look.share,
                ends,
                at: touch.at,
                normal: touch.normal,
                gap,
                hessian: touch.hessian,
                shift: look.shift,
                falls_on: None,
                opposite: Some(Opposite {
                    span: l,
                    share,
                    ends: axes[l].ends(j),
                    at: touch.surface,
                    slope: other.0.rod.place_derivatives(other.1, share)[0],
                    stiffness: field.stiffness,
                    distance: field.distance(&touch),
                }),
                on: [None; 2],
                radius: own.0.contact_radius,
                force: 0.0,
                regularisation: 0.0,
                firmness: 0.0,
                tangential: Tangential::new(network.friction_between(k, l), look.share),
            };
            Some((row, to - from))
        };
        // Two strands side by side are nearest at one place of a piece, or at two.
        let is_beside = watch >= REACH
            && chords.distance < BESIDE * (radii[0] + radii[1])
            && is_along(axes[k].chord(i), axes[l].chord(j));
        let again = |end: f64| {
            let near = segment_pair_at(axes[k].chord(i), axes[l].chord(j), end);
            is_beside.then(|| at(&near)).flatten().filter(|(row, _)| row.shift.is_some())
        };
        [at(&chords), again(0.0), again(1.0)]
    };
    let mut begin = (Body::Span(usize::MAX), 0, rows.len());
    let mut join = |(row, width): (ContactRow, f64)| {
        let ContactKey { body, piece, .. } = row.key;
        if (body, piece) != (begin.0, begin.1) {
            begin = (body, piece, rows.len());
        }
        let Some(own) = row.opposite else { return };
        let same = |old: &ContactRow| {
            old.opposite.is_some_and(|o| {
                o.span == own.span && (old.key == row.key || (o.share - own.share).abs() < 1e-6 * width)
            })
        };
        match rows[begin.2..].iter_mut().find(|old| same(old)) {
            Some(old) if row.gap < old.gap => *old = row,
            Some(_) => {}
            None => rows.push(row),
        }
    };
    if found.len() < SIDE_BY_SIDE {
        found.iter().flat_map(look).flatten().for_each(join);
    } else {
        let all: Vec<(ContactRow, f64)> = found.par_iter().flat_map_iter(look).flatten_iter().collect();
        all.into_iter().for_each(&mut join);
    }
}

/// How much nearer the middle of a piece seems than its ends, times eight, m: what two rods across each other fall away over
/// its length or their thickness.
fn to_middle(length: f64, radii: f64) -> f64 {
    FLAT * length + OSCULATING * length.min(radii).powi(2) / radii
}

/// Whether two chords run along each other.
fn is_along(a: [Vec3; 2], b: [Vec3; 2]) -> bool {
    let (u, v) = (a[1] - a[0], b[1] - b[0]);
    u.dot(&v).abs() > ALONG * u.norm() * v.norm()
}

/// Where the chords of two pieces are nearest, as a touch of the first.
fn on_chord(pair: &SegmentPair) -> Touch {
    Touch {
        share: pair.shares[0],
        at: pair.points[0],
        surface: pair.points[1],
        normal: pair.normal,
        distance: pair.distance,
        hessian: Mat3::zeros(),
        feature: 0,
    }
}

/// The distance from the axis of a span.
struct OfSpan<'a> {
    rod: &'a AnyRod,
    state: &'a RodState,
    /// Of the span that touches, and of this one, m.
    radii: [f64; 2],
    /// Share of the length of a piece: no step is longer.
    widest: f64,
    /// Where the last answer was along it: the next begins there.
    share: f64,
    /// Second derivative of the last distance by the share, where it may shift.
    stiffness: Option<f64>,
}

impl OfSpan<'_> {
    /// Share of the length at which the axis is nearest to `at`, from where it was: −w·y′ has the slope y′·y′ − w·y″ there,
    /// which is continuous but for its jumps from piece to piece.
    fn nearest(&self, at: &Vec3) -> f64 {
        let mut share = self.share;
        // What is beyond them falls and grows.
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for _ in 0..STEPS {
            let [place, slope, bend] = self.rod.place_and_derivatives(self.state, share);
            let way = at - place;
            let first = -way.dot(&slope);
            let second = slope.norm_squared() - way.dot(&bend);
            if first > 0.0 {
                high = share;
            } else {
                low = share;
            }
            let second = if second > 0.0 { second } else { slope.norm_squared() };
            let step = (-first / second).clamp(-self.widest, self.widest);
            let ahead = (share + step).clamp(0.0, 1.0);
            // Where round-off is all that is left, it is there: to halve a bracket that is open would lead far away.
            if (ahead - share).abs() <= 1e-15 {
                break;
            }
            let next = if ahead > low && ahead < high { ahead } else { 0.5 * (low + high) };
            share = next;
        }
        share
    }

    /// Whether the axis is nearer to `at` beyond the piece `from` … `to` that the place is on.
    fn leaves(&self, at: &Vec3, [from, to]: [f64; 2]) -> bool {
        let share = self.share;
        let [place, slope, _] = self.rod.place_and_derivatives(self.state, share);
        let ahead = share + (at - place).dot(&slope) / slope.norm_squared();
        (from > 0.0 && ahead < from - BEYOND * self.widest) || (to < 1.0 && ahead > to + BEYOND * self.widest)
    }

    /// From axis to axis, as second derivatives have it.
    fn distance(&self, touch: &Touch) -> f64 {
        let [a, b] = self.radii;
        (touch.distance + b).max(0.5 * (a + b))
    }
}

impl Field for OfSpan<'_> {
    fn follow(&mut self, _: &Touch, at: Vec3, along: &Vec3) -> Option<Touch> {
        let share = self.nearest(&at);
        self.share = share;
        let [surface, slope, bend] = self.rod.place_and_derivatives(self.state, share);
        let (way, radii) = (at - surface, self.radii[0] + self.radii[1]);
        let distance = way.norm();
        let normal = if distance > NO_WAY * radii {
            way / distance
        } else {
            // Through each other: across both, to the side where it is.
            let across = along.cross(&slope).try_normalize(1e-12 * slope.norm_squared());
            let across = across.unwrap_or_else(|| rotation::across(&slope.normalize()));
            if across.dot(&way) < 0.0 { -across } else { across }
        };
        let d = distance.max(0.5 * radii);
        let across = (Mat3::identity() - normal * normal.transpose()) / d;
        let turn = across * slope;
        let stiffness = slope.dot(&turn) - normal.dot(&bend);
        // At an end it stays; where the axis is hollow and its nearest place not one, there is none.
        let held = share == 0.0 || share == 1.0;
        if !held && stiffness <= 0.0 {
            return None;
        }
        self.stiffness = (!held).then_some(stiffness);
        let roll = if held { Mat3::zeros() } else { turn * turn.transpose() / stiffness };
        let hessian = across - roll;
        Some(Touch {
            share: 0.0,
            at,
            surface,
            normal,
            distance: distance - self.radii[1],
            hessian,
            feature: 0,
        })
    }
}
