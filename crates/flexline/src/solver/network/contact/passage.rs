//! Where spans pass through obstacles: near an end that is fastened to one, or all along.
//!
//! A cable that leaves a wall begins in it: over a short length it overlaps what it is fastened to. Contact of that pair begins
//! behind it, and a piece of the axis that is there in part is cut.

use super::super::model::{Network, Span};
use super::mount::within;
use crate::algebra::{Vec3, rotation};
use crate::contact::Obstacle;
use crate::joint::attachment::end_pose;
use crate::joint::{Attachment, Grip};
use serde::{Deserialize, Serialize};

/// Longest stretch of a seated end, in radii of its span.
const LONGEST: f64 = 3.0;
/// How far from the surface the straight way of a seated end is clear of it, in radii.
const CLEAR: f64 = 1.5;
/// Places of that way that are looked at, per radius.
const LOOKS: usize = 16;
/// Most of them.
const MOST_LOOKS: f64 = 2000.0;
/// Deepest that a seated end may be inside, in radii.
const DEEPEST: f64 = 1.0;
/// Round-off of an end that lies on the surface with its radius.
pub(super) const TOUCHES: f64 = 1e-6;
/// A piece that is cut to less than this share of itself is left out.
const SLIVER: f64 = 0.1;

/// A stretch of a span that passes through an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passage {
    /// The span.
    pub span: usize,
    /// The obstacle.
    pub obstacle: usize,
    /// Which stretch of it.
    pub within: PassageStretch,
}

/// A stretch of a span.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassageStretch {
    /// So far from its start, m.
    Start(f64),
    /// So far from its end, m.
    End(f64),
    /// All of it.
    All,
}

impl PassageStretch {
    /// Whether its length is one.
    pub(in crate::solver) fn is_sound(&self) -> bool {
        match self {
            Self::Start(length) | Self::End(length) => length.is_finite() && *length >= 0.0,
            Self::All => true,
        }
    }
}

/// A piece between two shares of a length, cut to what lies between two others; `None` where little is left of it.
pub(super) fn cut(ends: [f64; 2], [first, last]: [f64; 2]) -> Option<[f64; 2]> {
    let left = [ends[0].max(first), ends[1].min(last)];
    (left[1] - left[0] >= SLIVER * (ends[1] - ends[0])).then_some(left)
}

impl Network {
    /// Shares of its length between which a span touches an obstacle while it is so long; `None` where it does not at all.
    pub(in crate::solver) fn touching(&self, span: usize, obstacle: usize, length: f64) -> Option<[f64; 2]> {
        let [mut first, mut last] = [0.0, 1.0_f64];
        for passage in self.passages.iter().filter(|own| (own.span, own.obstacle) == (span, obstacle)) {
            match passage.within {
                PassageStretch::Start(within) => first = f64::max(first, within / length),
                PassageStretch::End(within) => last = last.min(1.0 - within / length),
                PassageStretch::All => return None,
            }
        }
        (first < last).then_some([first, last])
    }

    /// Seats ends that are held nearer to an obstacle than their radius: where the straight way from there is clear of it
    /// within three radii, the span passes through it that far. An end deeper inside than a radius, or one that goes along
    /// the surface, is not seated.
    pub fn seat_ends(&mut self) {
        let mut seats = Vec::new();
        for (k, span) in self.spans.iter().enumerate().filter(|(_, span)| span.contact_radius > 0.0) {
            for (is_end, on) in [(false, Some(&span.start)), (true, span.end.as_ref())] {
                let Some(on) = on else { continue };
                for mount in self.mounts.iter().filter(|mount| mount.anchor == on.anchor) {
                    let length = self.own_seat(span, on, is_end, mount.obstacle);
                    let within = match length {
                        Some(length) if is_end => PassageStretch::End(length),
                        Some(length) => PassageStretch::Start(length),
                        None => continue,
                    };
                    seats.push(Passage { span: k, obstacle: mount.obstacle, within });
                }
                let Some((at, away)) = self.way(on, is_end) else { continue };
                for (obstacle, own) in self.obstacles.iter().enumerate() {
                    if self.mount(obstacle).is_some() {
                        continue;
                    }
                    if let Some(length) = seat(span, own, &at, away.as_ref()) {
                        let within =
                            if is_end { PassageStretch::End(length) } else { PassageStretch::Start(length) };
                        seats.push(Passage { span: k, obstacle, within });
                    }
                }
            }
        }
        self.passages.extend(seats);
    }

    /// How far a span passes through the shape of the part that its end is on, m: as far as it takes to get clear, from however deep
    /// within. `None` where it has room.
    fn own_seat(&self, span: &Span, on: &Attachment, is_end: bool, obstacle: usize) -> Option<f64> {
        let anchor = self.anchors.get(on.anchor)?.pose;
        let shape = Obstacle {
            pose: self.mount(obstacle).map(|mount| within(&anchor, &mount.anchor_from_obstacle))?,
            ..self.obstacles.get(obstacle)?.clone()
        };
        let end = end_pose(&anchor, on);
        let radius = span.contact_radius;
        let is_clear = |place: &Vec3| {
            let far = shape.distance(place).is_some_and(|(far, _)| far >= CLEAR * radius * (1.0 - TOUCHES));
            far && !shape.is_entered([*place, *place])
        };
        let room = shape.distance(&end.position).is_some_and(|(far, _)| far >= radius * (1.0 - TOUCHES));
        if room && !shape.is_entered([end.position; 2]) {
            return None;
        }
        let extent = shape.shape.solid().map_or(0.0, |solid| solid.extent);
        let farthest = 2.0 * extent + LONGEST * radius;
        if on.grip == Grip::Pinned {
            return Some(farthest);
        }
        let tangent = rotation::tangent(&end.orientation);
        let away = if is_end { -tangent } else { tangent };
        let steps = (farthest / radius * LOOKS as f64).ceil().min(MOST_LOOKS) as usize;
        let looks = (1..=steps).map(|i| farthest * i as f64 / steps as f64);
        looks.into_iter().find(|length| is_clear(&(end.position + away * *length))).or(Some(farthest))
    }

    /// Where an end is that is held in place.
    pub(super) fn held_end(&self, on: &Attachment) -> Option<Vec3> {
        let anchor = self.anchors.get(on.anchor).filter(|anchor| anchor.held == [true; 3])?;
        let local = on.anchor_from_end.position;
        // What turns about its anchor may be anywhere.
        let is_held = local == Vec3::zeros() || anchor.held_orientation;
        is_held.then(|| anchor.pose.position + rotation::rotate(&anchor.pose.orientation, &local))
    }

    /// Where an end is, and which way its span leaves it where that is held; `None` where it may move.
    fn way(&self, on: &Attachment, is_end: bool) -> Option<(Vec3, Option<Vec3>)> {
        let at = self.held_end(on)?;
        let (anchor, local) = (&self.anchors[on.anchor], on.anchor_from_end);
        let away = (anchor.held_orientation && on.grip == Grip::Clamped).then(|| {
            let tangent = rotation::tangent(&(anchor.pose.orientation * local.orientation));
            if is_end { -tangent } else { tangent }
        });
        Some((at, away))
    }
}

/// How far a span passes through an obstacle from an end there, m; `None` where it has room, or does not get clear.
fn seat(span: &Span, obstacle: &Obstacle, at: &Vec3, away: Option<&Vec3>) -> Option<f64> {
    let radius = span.contact_radius;
    let (distance, _) = obstacle.distance(at)?;
    if distance >= radius * (1.0 - TOUCHES) || distance < -DEEPEST * radius {
        return None;
    }
    let Some(away) = away else { return Some(LONGEST * radius) };
    let steps = LONGEST as usize * LOOKS;
    let looks = (1..=steps).map(|i| LONGEST * radius * i as f64 / steps as f64);
    let is_clear = |length: &f64| {
        let place = at + away * *length;
        let is_far = obstacle
            .distance(&place)
            .is_some_and(|(distance, _)| distance >= CLEAR * radius * (1.0 - TOUCHES));
        is_far && !obstacle.is_entered([place, place])
    };
    looks.into_iter().find(is_clear)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{self, MODELS};
    use super::super::super::{NetworkState, NetworkWorkspace, solve_network};
    use super::*;
    use crate::body::Pose;
    use crate::contact::{Mesh, Shape};
    use crate::rod::Rod;
    use crate::solver::report::Status;
    use crate::solver::settings::Settings;
    use std::sync::Arc;

    const RADIUS: f64 = 0.01;

    /// The direction of the rod at its clamp, and a direction across it.
    fn ahead(network: &Network) -> [Vec3; 2] {
        let x = rotation::tangent(&network.anchors[0].pose.orientation);
        [x, Vec3::z().cross(&x).normalize()]
    }

    /// A rod that leaves a wall, turned against its normal, with its end at a distance from the surface.
    fn from_wall(model: &str, shape: Shape, turn: f64, distance: f64) -> Network {
        let mut network = testing::cantilever(model, 40);
        network.spans[0].contact_radius = RADIUS;
        let [x, y] = ahead(&network);
        let normal = x * turn.cos() + y * turn.sin();
        let position = network.anchors[0].pose.position - normal * distance;
        let orientation = rotation::frame(&normal, &Vec3::z());
        network.obstacles.push(Obstacle { shape, pose: Pose { position, orientation }, friction: 0.0 });
        network.seat_ends();
        network
    }

    fn lengths(network: &Network) -> Vec<PassageStretch> {
        network.passages.iter().map(|own| own.within).collect()
    }

    /// Two triangles about the origin, across z.
    fn sheet() -> Shape {
        let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        let vertices = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
        Shape::Mesh(Arc::new(Mesh::new(&vertices, &[[0, 1, 2], [0, 2, 3]]).expect("a mesh").0))
    }

    #[test]
    fn seats_are_as_long_as_it_takes_to_get_clear() {
        let wall = |turn, distance| lengths(&from_wall("mixed", Shape::Plane, turn, distance));
        let step = RADIUS / LOOKS as f64;
        let check = |found: Vec<PassageStretch>, expected: f64| match found[..] {
            [PassageStretch::Start(length)] => {
                assert!((expected - 1e-12..expected + step).contains(&length), "{length} {expected}");
            }
            _ => panic!("{found:?}"),
        };
        check(wall(0.0, 0.0), 1.5 * RADIUS);
        check(wall(0.0, 0.5 * RADIUS), RADIUS);
        check(wall(0.0, -RADIUS), 2.5 * RADIUS);
        check(wall(0.8, 0.0), 1.5 * RADIUS / 0.8_f64.cos());
        // With its whole radius off the surface it has room; deep inside, along the wall or into it, it is not seated.
        for (turn, distance) in [(0.0, RADIUS), (0.0, -1.1 * RADIUS), (1.3, 0.0), (3.0, 0.0)] {
            assert_eq!(wall(turn, distance), [], "{turn} {distance}");
        }
    }

    #[test]
    fn rods_leave_what_they_are_fastened_to() {
        for model in MODELS {
            for (name, shape) in [("plane", Shape::Plane), ("sheet", sheet())] {
                let network = from_wall(model, shape, 0.4, 0.0);
                let mut ws = NetworkWorkspace::new(&network);
                let mut state = NetworkState::initial(&network);
                let settings = Settings::default();
                let report = solve_network(&network, &mut state, &mut ws, &settings).expect("sound");
                assert_eq!(report.status, Status::Converged, "{model} {name}");
                // The same as without the wall: nothing presses where it leaves it.
                assert_eq!(report.contacts, [], "{model} {name}");
                let mut alone = network.clone();
                (alone.obstacles, alone.passages) = (Vec::new(), Vec::new());
                let mut free = NetworkState::initial(&alone);
                let mut ws = NetworkWorkspace::new(&alone);
                solve_network(&alone, &mut free, &mut ws, &settings).expect("sound");
                let end = |s: &NetworkState| network.spans[0].rod.place(&s.spans[0].rod, 1.0);
                assert!((end(&state) - end(&free)).norm() < 1e-6, "{model} {name}");
                // Its distance is told where it is no longer seated.
                assert_eq!(network.nearest_obstacle(&state, 0, 0.0), None);
                let near = network.nearest_obstacle(&state, 0, 0.05).expect("an obstacle");
                assert!(near.distance > 3.0 * RADIUS, "{near:?}");
            }
        }
    }

    #[test]
    fn beyond_its_seat_a_rod_touches_the_wall_as_any_other() {
        // A rod that leaves a wall sideways and is bent back to it by a load lies against it.
        for model in MODELS {
            let mut network = from_wall(model, Shape::Plane, 0.0, 0.0);
            let [x, y] = ahead(&network);
            let length = network.spans[0].rod.length();
            network.gravity = (y - x * 4.0) * 9.81;
            let mut state = NetworkState::initial(&network);
            let mut ws = NetworkWorkspace::new(&network);
            let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
            assert_eq!(report.status, Status::Converged, "{model}");
            assert!(report.penetration < 1e-9, "{model}: {:e}", report.penetration);
            assert!(report.contacts.iter().any(|contact| contact.s > 0.5 * length), "{model}");
            let PassageStretch::Start(seat) = network.passages[0].within else { panic!("{model}") };
            assert!(report.contacts.iter().all(|contact| contact.s >= seat * (1.0 - 1e-9)), "{model}");
            // One that passes through it is bent to the other side.
            network.passages[0].within = PassageStretch::All;
            let mut state = NetworkState::initial(&network);
            let report = solve_network(&network, &mut state, &mut ws, &Settings::default()).expect("sound");
            assert_eq!((report.status, report.contacts.len()), (Status::Converged, 0), "{model}");
            let end = network.spans[0].rod.place(&state.spans[0].rod, 1.0);
            assert!(x.dot(&(end - network.anchors[0].pose.position)) < -RADIUS, "{model}");
        }
    }

    #[test]
    fn passages_of_nothing_are_refused() {
        let network = from_wall("mixed", Shape::Plane, 0.0, 0.0);
        for wrong in [
            Passage { span: 1, ..network.passages[0] },
            Passage { obstacle: 1, ..network.passages[0] },
            Passage { within: PassageStretch::End(f64::NAN), ..network.passages[0] },
        ] {
            let passages = vec![wrong];
            assert!(Network { passages, ..network.clone() }.check().is_err(), "{wrong:?}");
        }
        assert_eq!(network.check(), Ok(()));
    }
}
