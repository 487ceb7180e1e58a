//! Where rods come near obstacles, each other and themselves: one row for every local minimum of the distance along a piece
//! of the axis.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::friction::Tangential;
use super::pairs::{self, PairRoom};
use super::passage::cut;
use super::solids::{self, SolidRoom};
use super::{Body, ContactKey, ContactRow, Side};
use crate::algebra::Vec3;
use crate::contact::{Obstacle, Shape, Touch};
use crate::rod::{AnyRod, Rod, RodState};

/// Gap, in radii, up to which places are watched.
pub(super) const REACH: f64 = 1.0;
/// The same of each of two spans in a crowd: a step in time says how far it goes.
const NEAR: f64 = 0.05;
/// How much nearer to its middle a piece seems at its ends, relative to its length: where it lies flat, it touches there.
pub(super) const FLAT: f64 = 1e-4;
/// The same where it lies on what is round, relative to what that falls away there.
pub(super) const OSCULATING: f64 = 0.02;
/// And in a bore at most, relative to the clearance there.
const NARROW: f64 = 4e-3;
/// How much farther than what is nearest, in radii, edges and corners have rows of their own: a rod on a ridge of facets rocks
/// from one to the next, and what is a shoulder now is a summit behind the step.
const SHOULDER: f64 = 0.02;
/// Chords from which a piece looks for meshes that are near.
const CHORDS: usize = 4;
/// Cosine of the angle between normals up to which one touch stands for another.
const ALIKE: f64 = 0.9;
/// Steps towards the nearest place of a piece.
const STEPS: usize = 24;
/// A place that moves by less than this share of its piece stays.
const STAYS: f64 = 1e-12;

/// Room for a search.
#[derive(Default)]
pub(super) struct Room {
    /// Where the pieces of an axis meet.
    axis: Vec<f64>,
    triangles: Vec<u32>,
    found: Vec<Touch>,
    touches: Vec<Touch>,
    pairs: PairRoom,
    /// Whether spans in motion are so many that each watches what is near alone.
    pub(super) is_crowd: bool,
    solids: SolidRoom,
}

/// To which neighbour of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onward {
    Next,
    Previous,
}

impl Onward {
    /// The neighbour of a piece.
    pub(super) fn from(self, piece: usize) -> usize {
        match self {
            Self::Next => piece + 1,
            Self::Previous => piece.wrapping_sub(1),
        }
    }
}

/// How far a step moves the axes.
pub(super) struct Travel<'a> {
    /// Of all places of every span the most, m.
    pub(super) most: &'a [f64],
    /// At a share of the length of a span, m.
    pub(super) at: &'a dyn Fn(usize, f64) -> f64,
    /// So far from the origin of an anchor, m.
    pub(super) of_part: &'a dyn Fn(usize, Vec3) -> f64,
}

/// Finds all places within reach at `state`, and farther where a `travel` takes them there.
pub(super) fn detect(
    network: &Network,
    state: &NetworkState,
    room: &mut Room,
    rows: &mut Vec<ContactRow>,
    travel: Option<&Travel>,
) {
    let Room { axis, triangles, found, touches, pairs, is_crowd, solids } = room;
    let watch = if *is_crowd { NEAR } else { REACH };
    pairs::detect(network, state, pairs, rows, (travel.map_or(&[], |travel| travel.most), watch));
    solids::detect(network, state, solids, rows, travel);
    let travel_at = |k: usize, share: f64| travel.map_or(0.0, |travel| (travel.at)(k, share));
    for (k, span) in network.spans.iter().enumerate().filter(|(_, span)| span.contact_radius > 0.0) {
        let (radius, own) = (span.contact_radius, &state.spans[k].rod);
        let near = radius + REACH * radius;
        axis.clear();
        span.rod.axis_shares(axis);
        for o in 0..network.obstacles.len() {
            let (obstacle, part) =
                (&*network.obstacle_at(o, &state.anchors), network.rigid(o, &state.anchors));
            let Some(touching) = network.touching(k, o, state.lengths[k]) else { continue };
            let place = |share: f64| (span.rod.place(own, share), travel_at(k, share));
            let mut end = place(touching[0]);
            for (i, ends) in axis.windows(2).enumerate() {
                let Some(ends) = cut([ends[0], ends[1]], touching) else {
                    end = place(ends[1]);
                    continue;
                };
                let next = place(ends[1]);
                let (from, moved) = std::mem::replace(&mut end, next);
                let b = next.0;
                let reach = near.max(radius + moved.max(next.1));
                triangles.clear();
                if matches!(obstacle.shape, Shape::Mesh(_)) {
                    let bow = bow([from, b], |x| span.rod.place(own, ends[0] + x * (ends[1] - ends[0])));
                    obstacle.triangles_near(from, b, reach + bow, triangles);
                }
                found.clear();
                obstacle.touches_among(Some(triangles.as_slice()), from, b, reach, found);
                if found.is_empty() {
                    continue;
                }
                if matches!(obstacle.shape, Shape::Mesh(_)) && found.iter().any(|t| t.distance < near) {
                    found.retain(|touch| touch.distance >= near);
                    let place = |x: f64| span.rod.place(own, ends[0] + x * (ends[1] - ends[0]));
                    look_closely(obstacle, triangles, place, (near, SHOULDER * radius), found);
                }
                let length = (ends[1] - ends[0]) * span.rod.length();
                let piece = Piece {
                    rod: &span.rod,
                    state: own,
                    ends,
                    to_middle: FLAT * length + osculating(&obstacle.shape, radius, length),
                };
                let begin = rows.len();
                let mut add = |look: Look| {
                    let other = Side::Obstacle { index: o, feature: look.touch.feature };
                    let key = ContactKey { body: Body::Span(k), piece: i, other };
                    if !rows[begin..].iter().any(|row| row.key == key) {
                        // A tip rubs with its end, all else with the middle of its piece.
                        let is_tip = look.share == 0.0 || look.share == 1.0;
                        let rubs = if is_tip { look.share } else { 0.5 * (ends[0] + ends[1]) };
                        let tangential = Tangential::new(obstacle.friction, rubs);
                        let mut row = ContactRow::new(key, piece.ends, &look, radius, tangential);
                        row.on[1] = part;
                        rows.push(row);
                    }
                };
                let mut field = OfObstacle { obstacle, triangles, room: touches };
                for touch in found.iter() {
                    // What is farther away is watched, no more: on its chord.
                    if touch.distance >= near + (b - from).norm() {
                        add(piece.on_chord(touch));
                        continue;
                    }
                    let Some(look) = piece.nearest(&mut field, touch) else { continue };
                    let (distance, feature) = (look.touch.distance, look.touch.feature);
                    add(look);
                    if feature != touch.feature {
                        let shoulder = piece.nearest(&mut SameFeature(obstacle), touch);
                        shoulder
                            .into_iter()
                            .filter(|shoulder| shoulder.touch.distance < distance + SHOULDER * radius)
                            .for_each(&mut add);
                    }
                }
            }
        }
    }
}

/// How far a piece of an axis is off its chord at most, m: twice as far as it is where it is looked at.
fn bow([from, to]: [Vec3; 2], place: impl Fn(f64) -> Vec3) -> f64 {
    let off = |k: usize| {
        let share = k as f64 / CHORDS as f64;
        (place(share) - (from + (to - from) * share)).norm()
    };
    2.0 * (1..CHORDS).map(off).fold(0.0, f64::max)
}

/// Adds the touches of a piece with a mesh nearer than `reach`: those of short chords, since what is small beside the bow of
/// the piece is not seen from its own; and of these what is nearest among its like, or an edge or a corner that is not much
/// farther.
fn look_closely(
    obstacle: &Obstacle,
    triangles: &[u32],
    place: impl Fn(f64) -> Vec3,
    (reach, shoulder): (f64, f64),
    found: &mut Vec<Touch>,
) {
    let begin = found.len();
    let mut from = place(0.0);
    for k in 0..CHORDS {
        let to = place((k + 1) as f64 / CHORDS as f64);
        let first = found.len();
        obstacle.touches_among(Some(triangles), from, to, reach, found);
        found[first..].iter_mut().for_each(|touch| touch.share = (k as f64 + touch.share) / CHORDS as f64);
        from = to;
    }
    let all = &mut found[begin..];
    all.sort_by(|a, b| a.share.total_cmp(&b.share));
    let is_kept = |i: usize| {
        let here = &all[i];
        let is_alike = |other: &&Touch| other.normal.dot(&here.normal) > ALIKE;
        let is_beside = |other: &&Touch| other.share != here.share && is_alike(other);
        let rises = |other: Option<&Touch>| other.is_none_or(|other| other.distance >= here.distance);
        let nearest = all.iter().filter(is_alike).fold(f64::INFINITY, |least, t| least.min(t.distance));
        (!here.is_on_face() && here.distance < nearest + shoulder)
            || (rises(all[..i].iter().rev().find(is_beside)) && rises(all[i..].iter().find(is_beside)))
    };
    let kept: Vec<bool> = (0..all.len()).map(is_kept).collect();
    let mut kept = std::iter::repeat_n(true, begin).chain(kept);
    found.retain(|_| kept.next().unwrap_or(true));
}

/// How much nearer to its middle a piece seems at its ends where it lies on what is round, m; none where that is made of faces.
fn osculating(shape: &Shape, axis_radius: f64, length: f64) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Cylinder { radius, .. } | Shape::Capsule { radius, .. } => {
            OSCULATING * length * length / (radius + axis_radius)
        }
        // A piece along a narrow bore is much longer than that is wide, and must not seem to fill it.
        Shape::Tube { radius } if *radius > axis_radius => {
            let clearance = radius - axis_radius;
            (OSCULATING * length * length / clearance).min(NARROW * clearance)
        }
        _ => 0.0,
    }
}

/// What a piece of an axis is near to.
pub(super) trait Field {
    /// What of it is nearest to `at`, a place of an axis that runs `along`, where that was `last` beside it.
    fn follow(&mut self, last: &Touch, at: Vec3, along: &Vec3) -> Option<Touch>;
}

/// An obstacle, of a mesh the triangles near the piece.
struct OfObstacle<'a> {
    obstacle: &'a Obstacle,
    triangles: &'a [u32],
    room: &'a mut Vec<Touch>,
}

impl Field for OfObstacle<'_> {
    fn follow(&mut self, last: &Touch, at: Vec3, _: &Vec3) -> Option<Touch> {
        self.obstacle.follow(last, at, self.triangles, self.room)
    }
}

/// One edge or corner of an obstacle, whatever is nearer.
struct SameFeature<'a>(&'a Obstacle);

impl Field for SameFeature<'_> {
    fn follow(&mut self, last: &Touch, at: Vec3, _: &Vec3) -> Option<Touch> {
        self.0.stay(last, at)
    }
}

/// A piece of an axis beside something.
pub(super) struct Piece<'a> {
    pub(super) rod: &'a AnyRod,
    pub(super) state: &'a RodState,
    /// Shares of the length.
    pub(super) ends: [f64; 2],
    /// Second derivative of what a place seems nearer by than one at an end of the piece, m.
    pub(super) to_middle: f64,
}

/// How near a place of a piece is: its touch, and the derivatives of the distance along the piece.
pub(super) struct Look {
    pub(super) share: f64,
    pub(super) touch: Touch,
    /// How much farther it seems than it is, m: nearer but at the ends of the piece, so that nothing is entered there.
    pub(super) off: f64,
    first: f64,
    second: f64,
    /// First derivative of the place and second of the distance, both by the share, unless the place is held.
    pub(super) shift: Option<(Vec3, f64)>,
    /// At an end of the piece beyond which the distance falls on: in which direction.
    pub(super) falls_on: Option<Onward>,
}

impl Piece<'_> {
    /// How near the piece is at `x`, −½ … ½ along it, where what was nearest was that of `touch`.
    fn at(&self, field: &mut impl Field, touch: &Touch, x: f64) -> Option<Look> {
        let [from, to] = self.ends;
        let width = to - from;
        let share = from + (x + 0.5) * width;
        let [place, slope, bend] = self.rod.place_and_derivatives(self.state, share);
        let touch = field.follow(touch, place, &slope)?;
        let (slope, bend) = (slope * width, bend * width * width);
        let second = slope.dot(&(touch.hessian * slope)) + touch.normal.dot(&bend) + self.to_middle;
        Some(Look {
            share,
            touch,
            off: 0.5 * self.to_middle * (x * x - 0.25),
            first: touch.normal.dot(&slope) + self.to_middle * x,
            second,
            shift: Some((slope / width, second / (width * width))),
            falls_on: None,
        })
    }

    /// The piece as if it were straight.
    fn on_chord(&self, touch: &Touch) -> Look {
        let share = self.ends[0] + touch.share * (self.ends[1] - self.ends[0]);
        Look { share, touch: *touch, off: 0.0, first: 0.0, second: 0.0, shift: None, falls_on: None }
    }

    /// The nearest place of the piece downhill from `touch`, which was found on the chord: by Newton's method, held
    /// between places where the distance falls and grows. On what is flat the middle is as near as any.
    pub(super) fn nearest(&self, field: &mut impl Field, touch: &Touch) -> Option<Look> {
        // What is beyond them falls and grows; nothing is known of the ends of the piece until they are looked at.
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut x = (touch.share - 0.5).clamp(-0.5, 0.5);
        let mut look = self.at(field, touch, x)?;
        for _ in 0..STEPS {
            if look.first > 0.0 {
                high = x;
            } else {
                low = x;
            }
            // There: between low and high nothing is left but round-off.
            let newton = x - look.first / look.second;
            if look.second > 0.0 && (newton - x).abs() < STAYS {
                break;
            }
            let next = match look.second > 0.0 && newton.is_finite() {
                true => newton.clamp(-0.5, 0.5),
                false if look.first > 0.0 => -0.5,
                false => 0.5,
            };
            let next = if next > low && next < high { next } else { 0.5 * (low.max(-0.5) + high.min(0.5)) };
            if (next - x).abs() < STAYS {
                break;
            }
            x = next;
            look = self.at(field, &look.touch, x)?;
        }
        if x.abs() == 0.5 || look.second <= 0.0 {
            look.shift = None;
        }
        look.falls_on = match x {
            0.5 if look.first < 0.0 && self.ends[1] < 1.0 => Some(Onward::Next),
            -0.5 if look.first > 0.0 && self.ends[0] > 0.0 => Some(Onward::Previous),
            _ => None,
        };
        Some(look)
    }
}
