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
use super::solids::{SolidRoom, led_pairs, to_world};
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::contact::{MovingRod, Obstacle, PairSearch, SegmentOf, segments_hit};
use crate::joint::Attachment;
use crate::joint::attachment::end_pose;
use crate::rod::Rod;

/// Share of the radius that no step may enter.
const CORE: f64 = 0.5;
/// The same of the shape of a part that is held in hand.
const HELD_CORE: f64 = 0.9;

/// Room for the points of axes before and after a step.
#[derive(Default)]
pub(in crate::solver) struct Room {
    shares: Vec<f64>,
    /// Of every span; none where it touches nothing.
    axes: Vec<Axis>,
    search: PairSearch,
    pairs: Vec<[SegmentOf; 2]>,
    apart: Apart,
    solids: SolidRoom,
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
    is_free_of_obstacles(network, [from, to], &room.axes)
        && is_free_of_spans(network, room)
        && are_solids_free(network, [from, to], &mut room.solids)
}

/// Where an obstacle was before, and is now.
fn poses(network: &Network, [before, after]: [&NetworkState; 2], obstacle: usize) -> [Pose; 2] {
    let now = network.obstacle_pose(obstacle, &after.anchors);
    let was = match network.mount(obstacle) {
        Some(_) => network.obstacle_pose(obstacle, &before.anchors),
        None => before.obstacles.get(obstacle).copied().unwrap_or(now),
    };
    [was, now]
}

/// Whether shapes of parts cross nothing: corners and edges of the one seen from the other, and the other way round.
fn are_solids_free(network: &Network, states: [&NetworkState; 2], solids: &mut SolidRoom) -> bool {
    if network.mounts.is_empty() {
        return true;
    }
    solids.read(network);
    let crosses = |first: usize, second: usize| {
        let Some(solid) = solids.solid(first) else { return false };
        let [own, other] = [first, second].map(|o| poses(network, states, o));
        if own[0] == own[1] && other[0] == other[1] {
            return false;
        }
        // What nothing pushes back stops before it is in.
        let is_pushed = [first, second].iter().any(|o| network.loose_mount(*o).is_some());
        let core = if is_pushed { CORE } else { HELD_CORE };
        let field = Obstacle { pose: other[1], ..network.obstacles[second].clone() };
        let way = |local: &Vec3| {
            [carried(&to_world(&own[0], local), &other[0], &other[1]), to_world(&own[1], local)]
        };
        // As far as anything of it goes.
        let far =
            solid.extent + (way(&Vec3::zeros())[1] - way(&Vec3::zeros())[0]).norm() + 2.0 * solid.extent;
        if field.distance(&own[1].position).is_none_or(|(distance, _)| distance > far) {
            return false;
        }
        let hits = |[a, b]: [Vec3; 2], radius: f64| {
            let [[a_from, a_to], [b_from, b_to]] = [way(&a), way(&b)];
            field.first_hit([a_from, b_from], [a_to, b_to], core * radius).is_some()
        };
        solid.corners.iter().any(|corner| hits([*corner; 2], solid.radius))
            || solid.edges.iter().any(|(ends, radius)| hits(*ends, *radius))
    };
    !led_pairs(network).into_iter().any(|[a, b]| crosses(a, b) || crosses(b, a))
}

fn is_free_of_obstacles(network: &Network, states: [&NetworkState; 2], axes: &[Axis]) -> bool {
    let hit = |(k, (span, axis)): (usize, (&Span, &Axis))| {
        let keep = CORE * span.contact_radius;
        let Some(last) = axis.from.len().checked_sub(2) else { return false };
        (0..network.obstacles.len()).any(|o| {
            let obstacle = network.obstacle_at(o, &states[1].anchors);
            let [was, now] = poses(network, states, o);
            let moved = Some(&was).filter(|was| **was != now);
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
