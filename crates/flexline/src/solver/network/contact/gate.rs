//! No step goes through anything.
//!
//! Between two states the points of an axis are taken to move on straight lines. That is not the way that a step in
//! rotations goes, and need not be: what counts is that *some* way leads from one state to the other on which nothing is
//! crossed, so that every rod stays on its side of everything, and how rods are linked, wound and knotted stays what it
//! was. A core of half the radius is kept free on the whole of it.

use super::super::NetworkWorkspace;
use super::super::model::{Network, Span};
use super::super::state::NetworkState;
use super::apart::{Apart, Stretch};
use super::passage::cut;
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::contact::{MovingRod, PairSearch, SegmentOf, segments_hit};
use crate::joint::Attachment;
use crate::joint::attachment::end_pose;
use crate::rod::Rod;

/// Share of the radius that no step may enter.
const CORE: f64 = 0.5;

/// Room for the points of axes before and after a step.
#[derive(Default)]
pub(in crate::solver) struct Room {
    shares: Vec<f64>,
    /// Of every span; none where it touches nothing.
    axes: Vec<Axis>,
    search: PairSearch,
    pairs: Vec<[SegmentOf; 2]>,
    apart: Apart,
}

/// The points of an axis on its way, and first and last where its ends are held: on the way to an equilibrium a span may miss
/// them, and nothing may slip through between.
#[derive(Default)]
struct Axis {
    /// Arc lengths, m.
    arcs: Vec<f64>,
    from: Vec<Vec3>,
    to: Vec<Vec3>,
}

impl Axis {
    fn ends(&self, piece: usize) -> [[Vec3; 2]; 2] {
        [&self.from, &self.to].map(|points| [points[piece], points[piece + 1]])
    }

    /// Whether a piece between an end and where that is held is any.
    fn misses(&self, piece: usize) -> bool {
        self.ends(piece).iter().any(|[a, b]| a != b)
    }

    /// Ends of a piece, as far as it lies between two shares of the length; `None` where little of it does.
    fn cut(&self, piece: usize, length: f64, touching: [f64; 2]) -> Option<[[Vec3; 2]; 2]> {
        let whole = self.ends(piece);
        if touching == [0.0, 1.0] {
            return Some(whole);
        }
        let [a, b] = [self.arcs[piece] / length, self.arcs[piece + 1] / length];
        let shares = cut([a, b], touching)?.map(|share| (share - a) / (b - a));
        Some(whole.map(|ends| shares.map(|share| ends[0].lerp(&ends[1], share))))
    }

    fn stretch(&self, of: &SegmentOf) -> Stretch {
        let piece = of.segment as usize;
        Stretch { span: of.rod as usize, piece, ends: [self.arcs[piece], self.arcs[piece + 1]] }
    }
}

/// Whether the way from one state to another crosses nothing. Obstacles are where `network` has them at its end, and where
/// `from` has them at its beginning; seen from an obstacle the points go straight.
pub(in crate::solver) fn is_free(
    network: &Network,
    from: &NetworkState,
    to: &NetworkState,
    ws: &mut NetworkWorkspace,
) -> bool {
    if !network.has_contact() {
        return true;
    }
    let room = &mut ws.contacts.gate;
    room.axes.resize_with(network.spans.len(), Axis::default);
    for ((k, span), axis) in network.spans.iter().enumerate().zip(&mut room.axes) {
        axis.arcs.clear();
        axis.from.clear();
        axis.to.clear();
        if span.contact_radius > 0.0 {
            room.shares.clear();
            span.rod.axis_shares(&mut room.shares);
            let shares = std::iter::once(0.0).chain(room.shares.iter().copied()).chain([1.0]);
            axis.arcs.extend(shares.map(|share| share * span.rod.length()));
            for (out, state) in [(&mut axis.from, from), (&mut axis.to, to)] {
                let place = |share: f64| span.rod.place(&state.spans[k].rod, share);
                // Rope on a wheel is held by its rim, wherever that has turned to.
                let is_known = network.wheels.is_empty();
                let held = |on: Option<&Attachment>, share: f64| match on.filter(|_| is_known) {
                    Some(on) => end_pose(&state.anchors[on.anchor], on).position,
                    None => place(share),
                };
                out.push(held(Some(&span.start), 0.0));
                out.extend(room.shares.iter().map(|share| place(*share)));
                out.push(held(span.end.as_ref(), 1.0));
            }
        }
    }
    is_free_of_obstacles(network, from, &room.axes) && is_free_of_spans(network, room)
}

fn is_free_of_obstacles(network: &Network, before: &NetworkState, axes: &[Axis]) -> bool {
    let hit = |(k, (span, axis)): (usize, (&Span, &Axis))| {
        let keep = CORE * span.contact_radius;
        let Some(last) = axis.from.len().checked_sub(2) else { return false };
        network.obstacles.iter().enumerate().any(|(o, obstacle)| {
            let moved = before.obstacles.get(o).filter(|pose| **pose != obstacle.pose);
            let Some(touching) = network.touching(k, o, span.rod.length()) else { return false };
            let crosses = |[from, to]: [[Vec3; 2]; 2]| {
                let from = from.map(|p| moved.map_or(p, |pose| carried(&p, pose, &obstacle.pose)));
                from != to && obstacle.first_hit(from, to, keep).is_some()
            };
            (1..last).any(|piece| axis.cut(piece, span.rod.length(), touching).is_some_and(crosses))
                || (touching[0] == 0.0 && axis.misses(0) && crosses(axis.ends(0)))
                || (touching[1] == 1.0 && axis.misses(last) && crosses(axis.ends(last)))
        })
    };
    !network.spans.iter().zip(axes).enumerate().any(hit)
}

fn is_free_of_spans(network: &Network, room: &mut Room) -> bool {
    let Room { axes, search, pairs, apart, .. } = room;
    apart.read(network);
    let radius = |of: &SegmentOf| network.spans[of.rod as usize].contact_radius;
    let rods: Vec<MovingRod<'_>> = axes
        .iter()
        .zip(&network.spans)
        .map(|(axis, span)| MovingRod {
            from: &axis.from,
            to: &axis.to,
            reach: CORE * span.contact_radius,
            closed: false,
            apart: 0.0,
        })
        .collect();
    search.find(&rods, pairs);
    !pairs.iter().any(|[a, b]| {
        let [one, two] = [a, b].map(|of| &axes[of.rod as usize]);
        let ([a_from, a_to], [b_from, b_to]) = (one.ends(a.segment as usize), two.ends(b.segment as usize));
        (a_from != a_to || b_from != b_to)
            && apart.may_touch(a.rod as usize, b.rod as usize)
            && apart.is_pair(&one.stretch(a), &two.stretch(b))
            && segments_hit(a_from, a_to, b_from, b_to, CORE * (radius(a) + radius(b))).is_some()
    })
}

/// Where a point comes to that is fixed to something which moves from one pose to another.
pub(super) fn carried(point: &Vec3, from: &Pose, to: &Pose) -> Vec3 {
    to.position + rotation::rotate(&(to.orientation * from.orientation.conjugate()), &(point - from.position))
}
