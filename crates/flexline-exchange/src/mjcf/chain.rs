//! A span as a chain of bodies with hinges between them.

use super::MjcfError;
use super::model::Assembly;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::solver::Axes;
use flexline::{Mat3, Quat, Vec3};

/// The farthest that a joint may turn about one axis, rad: angles are told apart below π/2.
const FARTHEST: f64 = 1.2;

/// Segments of a stretch between two holds, however short.
const LEAST_SEGMENTS: usize = 8;

/// A span, from the anchor that it hangs on.
pub(super) struct Chain {
    /// Which span.
    pub(super) span: usize,
    /// What its bodies and sites are called.
    pub(super) name: String,
    /// Whether it is followed from its end to its start.
    pub(super) backward: bool,
    /// Whether the anchor at its far end hangs on it.
    pub(super) carries: bool,
    /// Its bodies, from the anchor on.
    pub(super) bodies: Vec<Body>,
    /// Frame at the end by which it hangs and at the other.
    pub(super) ends: [Quat; 2],
    /// Positions of its nodes from s = 0 on, m.
    pub(super) nodes: Vec<Vec3>,
    /// Length of the cable that it is a span of, m.
    pub(super) cable_length: f64,
}

/// A stiff piece.
pub(super) struct Body {
    /// Arc lengths along the span that it has, m, in their own order.
    pub(super) extent: [f64; 2],
    /// Mass, kg.
    pub(super) mass: f64,
    /// Radius, m.
    pub(super) radius: f64,
    /// The joint before it; none before the first.
    pub(super) joint: Option<Joint>,
    /// Forces and moments on it.
    pub(super) loads: Vec<Load>,
}

/// Three hinges.
pub(super) struct Joint {
    /// About z, x and y in this order, or in the other.
    pub(super) twist_first: bool,
    /// About x, y, z, N m/rad.
    pub(super) stiffness: Vec3,
    /// Angles without load, rad.
    pub(super) rest: Vec3,
    /// Angles in equilibrium, rad.
    pub(super) angles: Vec3,
    /// Mass and length of the segment that it stands for, kg and m.
    pub(super) mass: f64,
    pub(super) length: f64,
}

/// A load at a place of a body.
pub(super) struct Load {
    /// Where along the span, m.
    pub(super) s: f64,
    /// N.
    pub(super) force: Vec3,
    /// N m.
    pub(super) moment: Vec3,
    /// Whether it turns with the body.
    pub(super) follows: bool,
}

impl Chain {
    /// The chain of a span, followed from its start or from its end.
    pub(super) fn new(
        own: &Assembly<'_>,
        span: usize,
        backward: bool,
        carries: bool,
    ) -> Result<Self, MjcfError> {
        let (rod, state) = (&own.network.spans[span].rod, &own.state.spans[span].rod);
        let (cable, from) = own.cable_of(span);
        let length = rod.length();
        let whole: f64 = cable.spans.iter().map(|(k, _)| own.network.spans[*k].rod.length()).sum();
        let n = ((cable.segments as f64 * length / whole).round() as usize).max(LEAST_SEGMENTS);
        let h = length / n as f64;
        let at = |k: usize| if k == n { length } else { k as f64 * h };
        let stations: Vec<_> = (0..=n).map(|k| rod.station(state, at(k))).collect();
        let joints: Vec<Joint> = (0..n)
            .map(|k| {
                let middle = from + 0.5 * (at(k) + at(k + 1));
                let cell = cable.section.cell(from + at(k), from + at(k + 1));
                let sign = if backward { -1.0 } else { 1.0 };
                let turn = stations[k].frame.conjugate() * stations[k + 1].frame;
                let turn = if backward { turn.conjugate() } else { turn };
                let twist_first = k % 2 == 0;
                let rest = rotation::exp(&((cable.rest)(middle) * (sign * h)));
                Joint {
                    twist_first,
                    stiffness: cell.stiffness / h,
                    rest: angles(&rest, twist_first),
                    angles: angles(&turn, twist_first),
                    mass: cell.mass,
                    length: h,
                }
            })
            .collect();
        // The strain counts full turns, which frames do not show.
        let turned = (0..=n).map(|k| (rod.strain(state, at(k)) * h).amax()).fold(0.0, f64::max);
        if turned > FARTHEST {
            return Err(MjcfError::Coarse { cable: cable.name.into(), angle: turned });
        }
        let ends: Vec<f64> =
            std::iter::once(0.0).chain((0..n).map(|k| 0.5 * (at(k) + at(k + 1)))).chain([length]).collect();
        let mut bodies: Vec<Body> = ends
            .windows(2)
            .map(|e| {
                let cell = cable.section.cell(from + e[0], from + e[1]);
                Body {
                    extent: [e[0], e[1]],
                    mass: cell.mass,
                    radius: cell.contact_radius,
                    joint: None,
                    loads: Vec::new(),
                }
            })
            .collect();
        let mut joints = joints;
        let mut frames = [stations[0].frame, stations[n].frame];
        if backward {
            bodies.reverse();
            joints.reverse();
            frames.reverse();
        }
        bodies.iter_mut().skip(1).zip(joints).for_each(|(body, joint)| body.joint = Some(joint));
        let name = match cable.spans.len() {
            1 => cable.name.to_owned(),
            _ => {
                let k = cable.spans.iter().position(|(own, _)| *own == span).unwrap_or(0);
                format!("{}.{}", cable.name, k + 1)
            }
        };
        let nodes = stations.iter().map(|station| station.position).collect();
        let mut chain =
            Self { span, name, backward, carries, bodies, ends: frames, nodes, cable_length: whole };
        chain.load(own);
        Ok(chain)
    }

    /// Loads at points and along stretches, the latter gathered body by body.
    fn load(&mut self, own: &Assembly<'_>) {
        let span = &own.network.spans[self.span];
        let last = self.bodies.len() - 1;
        for load in &span.point_loads {
            let on = |body: &Body| body.extent[0] <= load.s && load.s <= body.extent[1];
            let body = self.bodies.iter().position(on).unwrap_or(last);
            let (force, moment) = (load.force, load.moment);
            let follows = load.axes == Axes::Material;
            self.bodies[body].loads.push(Load { s: load.s, force, moment, follows });
        }
        for load in &span.distributed_loads {
            let (low, high) = (load.from.min(load.to), load.from.max(load.to));
            for body in &mut self.bodies {
                let (a, b) = (body.extent[0].max(low), body.extent[1].min(high));
                if b <= a {
                    continue;
                }
                // Linear over the stretch: the value in its middle, times its length.
                let s = 0.5 * (a + b);
                let share = (s - load.from) / (load.to - load.from);
                let mean = |of: &[Vec3; 2]| of[0].lerp(&of[1], share) * (b - a);
                let follows = load.axes == Axes::Material;
                let (force, moment) = (mean(&load.force), mean(&load.moment));
                body.loads.push(Load { s, force, moment, follows });
            }
        }
    }
}

/// The angles about x, y and z whose hinges in a row make a rotation: z, x, y in this order, or y, x, z.
pub(super) fn angles(turn: &Quat, twist_first: bool) -> Vec3 {
    let r: Mat3 = rotation::matrix(turn);
    // Rz(a) Rx(b) Ry(c) has the last row (−cos b sin c, sin b, cos b cos c); the other order is its transpose.
    let of = |r: &Mat3| {
        let b = r[(2, 1)].clamp(-1.0, 1.0).asin();
        Vec3::new(b, (-r[(2, 0)]).atan2(r[(2, 2)]), (-r[(0, 1)]).atan2(r[(1, 1)]))
    };
    if twist_first { of(&r) } else { -of(&r.transpose()) }
}
