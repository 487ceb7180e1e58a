//! Where the shapes of parts come near obstacles and each other.
//!
//! Of two shapes the corners and edges of the first are held against all of the surface of the second, and those of the second
//! against the faces of the first: a corner on a face is found from either side, two edges that cross from one. The first
//! is one that forces may move.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::detect::{REACH, Travel};
use super::friction::Tangential;
use super::{Body, ContactKey, ContactRow, Side};
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::contact::{Obstacle, Shape, Solid, Touch};

/// Where the distance of an edge changes along it by less than this, relative to what it does across something as near, its place
/// is held: it is as good as any beside it.
const PARALLEL: f64 = 1e-2;
/// A touch nearer to an end of an edge than this share is that of the corner there.
const AT_END: f64 = 1e-9;

/// Room for the search: the corners and edges of every shape.
#[derive(Default)]
pub(super) struct SolidRoom {
    solids: Vec<(Shape, Option<Solid>)>,
    found: Vec<Touch>,
}

impl SolidRoom {
    /// Takes over the shapes of a network.
    pub(super) fn read(&mut self, network: &Network) {
        let same = self.solids.len() == network.obstacles.len()
            && self.solids.iter().zip(&network.obstacles).all(|((own, _), o)| own.is_at_once(&o.shape));
        if !same {
            self.solids.clear();
            self.solids.extend(network.obstacles.iter().map(|o| (o.shape.clone(), o.shape.solid())));
        }
    }

    /// Corners and edges of an obstacle.
    pub(super) fn solid(&self, obstacle: usize) -> Option<&Solid> {
        self.solids.get(obstacle).and_then(|(_, solid)| solid.as_ref())
    }
}

/// Pairs of obstacles that may touch, of which the first is the shape of a part that forces may move.
fn pairs(network: &Network) -> Vec<[usize; 2]> {
    pairs_of(network, |obstacle| network.loose_mount(obstacle).is_some())
}

/// Those of which one is the shape of a part, held in hand or not: what is led goes through nothing either.
pub(super) fn led_pairs(network: &Network) -> Vec<[usize; 2]> {
    pairs_of(network, |obstacle| network.mount(obstacle).is_some())
}

/// Pairs of obstacles on different parts of which one is such, that one first.
fn pairs_of(network: &Network, is_such: impl Fn(usize) -> bool) -> Vec<[usize; 2]> {
    let count = network.obstacles.len();
    let on = |obstacle: usize| network.mount(obstacle).map(|mount| mount.anchor);
    let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
    let apart = all.filter(|[a, b]| on(*a).is_none() || on(*a) != on(*b));
    apart
        .filter_map(|[a, b]| match [is_such(a), is_such(b)] {
            [true, _] => Some([a, b]),
            [false, true] => Some([b, a]),
            [false, false] => None,
        })
        .collect()
}

/// A shape on its way.
struct Moving<'a> {
    index: usize,
    obstacle: &'a Obstacle,
    /// Its anchor and where that is, where forces may move it.
    anchor: Option<(usize, Vec3)>,
}

impl Moving<'_> {
    fn world(&self, local: &Vec3) -> Vec3 {
        to_world(&self.obstacle.pose, local)
    }
}

/// A point of a shape, world.
pub(super) fn to_world(pose: &Pose, local: &Vec3) -> Vec3 {
    pose.position + rotation::rotate(&pose.orientation, local)
}

/// Finds all places within reach at `state`, and farther where a `travel` takes them there.
pub(super) fn detect(
    network: &Network,
    state: &NetworkState,
    room: &mut SolidRoom,
    rows: &mut Vec<ContactRow>,
    travel: Option<&Travel>,
) {
    if network.mounts.is_empty() {
        return;
    }
    room.read(network);
    for [a, b] in pairs(network) {
        let own = [a, b].map(|o| network.obstacle_at(o, &state.anchors));
        let moving = [0, 1].map(|side| {
            let index = [a, b][side];
            let anchor = network.loose_mount(index).map(|anchor| (anchor, state.anchors[anchor].position));
            Moving { index, obstacle: &own[side], anchor }
        });
        let friction = (own[0].friction * own[1].friction).sqrt();
        let SolidRoom { solids, found } = &mut *room;
        let mut look = |sides: [usize; 2], faces_alone: bool| {
            let [first, second] = sides.map(|side| &moving[side]);
            let Some((_, Some(solid))) = solids.get(first.index) else { return };
            let mut search = Search {
                network,
                state,
                sides: [first, second],
                solid,
                friction,
                faces_alone,
                travel,
                found,
                rows,
            };
            search.run();
        };
        look([0, 1], false);
        look([1, 0], true);
    }
}

/// Corners and edges of the first shape against the surface of the second.
struct Search<'a> {
    network: &'a Network,
    state: &'a NetworkState,
    sides: [&'a Moving<'a>; 2],
    solid: &'a Solid,
    friction: f64,
    /// Whether only faces of the second count.
    faces_alone: bool,
    travel: Option<&'a Travel<'a>>,
    found: &'a mut Vec<Touch>,
    rows: &'a mut Vec<ContactRow>,
}

impl Search<'_> {
    fn run(&mut self) {
        let [first, second] = self.sides;
        let solid = self.solid;
        let middle = first.obstacle.pose.position;
        let far = self.reach(&middle, solid.extent) + solid.extent;
        // A tube has its inside turned out: its distance grows towards the middle.
        if second.obstacle.distance(&middle).is_none_or(|(distance, _)| distance > far) {
            return;
        }
        for (i, corner) in solid.corners.iter().enumerate() {
            let at = first.world(corner);
            self.add(i, [at, at], solid.radius);
        }
        for (i, (ends, radius)) in solid.edges.iter().enumerate() {
            self.add(solid.corners.len() + i, ends.map(|end| first.world(&end)), *radius);
        }
    }

    /// How far from the surface a place with a radius is watched, m.
    fn reach(&self, at: &Vec3, radius: f64) -> f64 {
        let of = |side: &Moving| match (side.anchor, self.travel) {
            (Some((anchor, origin)), Some(travel)) => (travel.of_part)(anchor, at - origin),
            _ => 0.0,
        };
        (REACH * radius).max(of(self.sides[0]) + of(self.sides[1]))
    }

    /// Adds the touches of a corner or an edge.
    fn add(&mut self, piece: usize, [a, b]: [Vec3; 2], radius: f64) {
        let [first, second] = self.sides;
        let along = b - a;
        let is_corner = piece < self.solid.corners.len();
        let reach = radius + self.reach(&a, radius).max(self.reach(&b, radius));
        let middle = a + along * 0.5;
        let away = second.obstacle.distance(&middle).map_or(f64::INFINITY, |(distance, _)| distance);
        if away > reach + 0.5 * along.norm() {
            return;
        }
        self.found.clear();
        second.obstacle.touches(a, b, reach, self.found);
        for touch in self.found.iter() {
            let inside = AT_END < touch.share && touch.share < 1.0 - AT_END;
            if !(is_corner || inside) {
                continue;
            }
            if self.faces_alone && !second.obstacle.shape.is_between_edges(touch.feature) {
                continue;
            }
            let other = Side::Obstacle { index: second.index, feature: touch.feature };
            let key = ContactKey { body: Body::Obstacle { obstacle: first.index }, piece, other };
            if self.rows.iter().any(|row| row.key == key) {
                continue;
            }
            let bend = along.dot(&(touch.hessian * along));
            let shifts =
                !is_corner && bend * touch.distance.abs().max(radius) > PARALLEL * along.norm_squared();
            let anchors = &self.state.anchors;
            self.rows.push(ContactRow {
                key,
                share: touch.share,
                ends: [0.0, 1.0],
                at: touch.at,
                normal: touch.normal,
                gap: touch.distance - radius,
                hessian: touch.hessian,
                shift: shifts.then_some((along, bend)),
                falls_on: None,
                opposite: None,
                on: [first.index, second.index].map(|o| self.network.rigid(o, anchors)),
                radius,
                force: 0.0,
                regularisation: 0.0,
                firmness: 0.0,
                tangential: Tangential::new(self.friction, touch.share),
            });
        }
    }
}
