//! Where rods come near obstacles, each other and themselves: one row for every local minimum of the distance along a piece
//! of the axis.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::friction::Tangential;
use super::pairs::{self, PairRoom};
use super::passage::cut;
use super::{ContactKey, ContactRow, Side};
use crate::algebra::Vec3;
use crate::contact::{Obstacle, Shape, Touch};
use crate::rod::{AnyRod, Rod, RodState};

/// Gap, in radii, up to which places are watched.
pub(super) const REACH: f64 = 1.0;
/// How much nearer to its middle a piece seems at its ends, relative to its length: where it lies flat, it touches there.
pub(super) const FLAT: f64 = 1e-4;
/// The same where it lies on what is round, relative to what that falls away there.
pub(super) const OSCULATING: f64 = 0.02;
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
}

/// Finds all places within reach at `state`, and farther where a `travel` takes them there.
pub(super) fn detect(
    network: &Network,
    state: &NetworkState,
    room: &mut Room,
    rows: &mut Vec<ContactRow>,
    travel: f64,
) {
    let Room { axis, triangles, found, touches, pairs } = room;
    pairs::detect(network, state, pairs, rows, travel);
    for (k, span) in network.spans.iter().enumerate().filter(|(_, span)| span.contact_radius > 0.0) {
        let (radius, own) = (span.contact_radius, &state.spans[k].rod);
        let reach = radius + travel.max(REACH * radius);
        axis.clear();
        span.rod.axis_shares(axis);
        for (o, obstacle) in network.obstacles.iter().enumerate() {
            let roundness = roundness(&obstacle.shape, radius);
            let Some(touching) = network.touching(k, o, state.lengths[k]) else { continue };
            let mut a = span.rod.place(own, touching[0]);
            for (i, ends) in axis.windows(2).enumerate() {
                let Some(ends) = cut([ends[0], ends[1]], touching) else {
                    a = span.rod.place(own, ends[1]);
                    continue;
                };
                let b = span.rod.place(own, ends[1]);
                let from = std::mem::replace(&mut a, b);
                triangles.clear();
                // The axis is off its chord by less than its length.
                obstacle.triangles_near(from, b, reach + 0.5 * (b - from).norm(), triangles);
                found.clear();
                obstacle.touches_among(Some(triangles.as_slice()), from, b, reach, found);
                if found.is_empty() {
                    continue;
                }
                let length = (ends[1] - ends[0]) * span.rod.length();
                let piece = Piece {
                    rod: &span.rod,
                    state: own,
                    ends,
                    to_middle: (FLAT + OSCULATING * length * roundness) * length,
                };
                let mut field = OfObstacle { obstacle, triangles, room: touches };
                let begin = rows.len();
                for touch in found.iter() {
                    let key = |touch: &Touch| ContactKey {
                        span: k,
                        piece: i,
                        other: Side::Obstacle { index: o, feature: touch.feature },
                    };
                    let Some(look) = piece.nearest(&mut field, touch) else { continue };
                    let key = key(&look.touch);
                    if rows[begin..].iter().any(|row| row.key == key) {
                        continue;
                    }
                    rows.push(ContactRow {
                        key,
                        share: look.share,
                        ends: piece.ends,
                        at: look.touch.at,
                        normal: look.touch.normal,
                        gap: look.touch.distance + look.off - radius,
                        hessian: look.touch.hessian,
                        shift: look.shift,
                        opposite: None,
                        force: 0.0,
                        regularisation: 0.0,
                        tangential: Tangential::new(obstacle.friction, 0.5 * (ends[0] + ends[1])),
                    });
                }
            }
        }
    }
}

/// Curvature of an obstacle where an axis touches it, 1/m, with no sign; none where it is made of faces.
fn roundness(shape: &Shape, axis_radius: f64) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Cylinder { radius, .. } | Shape::Capsule { radius, .. } => {
            1.0 / (radius + axis_radius)
        }
        Shape::Tube { radius } if *radius > axis_radius => 1.0 / (radius - axis_radius),
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
}

impl Piece<'_> {
    /// How near the piece is at `x`, −½ … ½ along it, where what was nearest was that of `touch`.
    fn at(&self, field: &mut impl Field, touch: &Touch, x: f64) -> Option<Look> {
        let [from, to] = self.ends;
        let width = to - from;
        let share = from + (x + 0.5) * width;
        let [slope, bend] = self.rod.place_derivatives(self.state, share);
        let touch = field.follow(touch, self.rod.place(self.state, share), &slope)?;
        let (slope, bend) = (slope * width, bend * width * width);
        let second = slope.dot(&(touch.hessian * slope)) + touch.normal.dot(&bend) + self.to_middle;
        Some(Look {
            share,
            touch,
            off: 0.5 * self.to_middle * (x * x - 0.25),
            first: touch.normal.dot(&slope) + self.to_middle * x,
            second,
            shift: Some((slope / width, second / (width * width))),
        })
    }

    /// The nearest place of the piece downhill from `touch`, which was found on the chord: by Newton's method, held
    /// between places where the distance falls and grows. On what is flat the middle is as near as any.
    pub(super) fn nearest(&self, field: &mut impl Field, touch: &Touch) -> Option<Look> {
        let (mut low, mut high) = (-0.5, 0.5);
        let mut x = (touch.share - 0.5).clamp(low, high);
        let mut look = self.at(field, touch, x)?;
        for _ in 0..STEPS {
            if look.first > 0.0 {
                high = x;
            } else {
                low = x;
            }
            let newton = x - look.first / look.second;
            // There: between low and high nothing is left but round-off.
            if look.second > 0.0 && (newton - x).abs() < STAYS {
                break;
            }
            let next = match look.second > 0.0 && newton.is_finite() {
                true => newton.clamp(-0.5, 0.5),
                false if look.first > 0.0 => -0.5,
                false => 0.5,
            };
            let next = if next > low && next < high || next.abs() == 0.5 && (low == next || high == next) {
                next
            } else {
                0.5 * (low + high)
            };
            if (next - x).abs() < STAYS {
                break;
            }
            x = next;
            look = self.at(field, &look.touch, x)?;
        }
        if x.abs() == 0.5 || look.second <= 0.0 {
            look.shift = None;
        }
        Some(look)
    }
}
