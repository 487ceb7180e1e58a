//! Coulomb friction at rest: what has slid since the last equilibrium, and the force against it.
//!
//! Friction acts on the axis of a rod, without a couple. A rough contact has a slip u, the way that the material of the
//! rod has gone along the surface since the last equilibrium, less that of what it touches, and a friction τ with
//!
//! ```text
//! |τ| ≤ µ λ,     stick  u = 0,     slip  τ = −µ λ u/|u|.
//! ```
//!
//! On an obstacle the material is that of the middle of its piece, while the normal force goes with the nearest place, so that
//! nothing creeps with that place. Between spans it is that of the nearest places of both, and what the one feels the other feels
//! the other way. With the bound b = µ λ given, the law is that of a potential, b |u|, and what a step is judged by gains
//! its augmented form
//!
//! ```text
//! max over |t| ≤ b of  t·u − |t + τ|²/(2ρ),     attained by t = Π_b(ρ u − τ):
//! ```
//!
//! −τ·u + ρ u²/2 where that sticks, and b |u| where it slips the way τ says. The step minimises it for the λ that it asks
//! for, so that it leads downhill; b changes from step to step, as multipliers do.

use super::super::model::Network;
use super::super::state::NetworkState;
use super::body::{Body, Rigid};
use super::gate::carried;
use super::{ContactForce, ContactKey, ContactRow, ContactState, Moves, Side};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::body::{Pose, Tap};
use crate::rod::RodState;
use crate::solver::cone::law;

/// How much less than its bound friction is, relative, that is not at it.
const AT_BOUND: f64 = 1e-6;

/// The friction of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangential {
    /// µ.
    pub(super) friction: f64,
    /// The place whose material slides, as a share of the length of the span.
    pub(super) share: f64,
    /// Where it is, and where it would be had it not slid, m, world.
    pub(super) at: Vec3,
    origin: Vec3,
    /// u, m, world, along the surface.
    pub(super) slip: Vec3,
    /// τ on the rod, N, world, along the surface.
    pub(super) force: Vec3,
    /// Whether the law says that it sticks: it would take more than µ λ to hold what slides.
    pub(super) sticks: bool,
    /// ϱ where it is in the matrix, N/m.
    pub(super) regularisation: f64,
    /// What makes slip a force, N/m.
    stiffness: f64,
}

/// What is left of a vector along a surface.
fn along(normal: &Vec3, v: &Vec3) -> Vec3 {
    v - normal * normal.dot(v)
}

/// The vector of at most a size that is nearest to another.
fn at_most(size: f64, v: &Vec3) -> Vec3 {
    let own = v.norm();
    if own <= size { *v } else { v * (size / own) }
}

impl Tangential {
    /// Of a rough contact whose material is at a share of the length; `None` without friction.
    pub(super) fn new(friction: f64, share: f64) -> Option<Self> {
        (friction > 0.0).then_some(Self {
            friction,
            share,
            at: Vec3::zeros(),
            origin: Vec3::zeros(),
            slip: Vec3::zeros(),
            force: Vec3::zeros(),
            sticks: false,
            regularisation: 0.0,
            stiffness: 0.0,
        })
    }

    /// Two directions along the surface.
    pub(super) fn axes(normal: &Vec3) -> [Vec3; 2] {
        let first = rotation::across(normal);
        [first, normal.cross(&first)]
    }

    /// The slip at a state that is ahead of the rows.
    pub(super) fn slip_at(&self, network: &Network, state: &NetworkState, row: &ContactRow) -> Vec3 {
        let place = |k: usize, share: f64| network.spans[k].rod.place(&state.spans[k].rod, share);
        // How far the matter of a part that is here has gone.
        let gone = |part: &Option<Rigid>| match part {
            Some(part) => carried(&self.at, &part.pose, &state.anchors[part.anchor]) - self.at,
            None => Vec3::zeros(),
        };
        let now = match row.key.body {
            Body::Span(k) => place(k, self.share),
            Body::Obstacle { .. } => self.at + gone(&row.on[0]),
        };
        let mut way = now - self.origin - gone(&row.on[1]);
        if let Some(opposite) = &row.opposite {
            way -= place(opposite.span, opposite.share) - opposite.at;
        }
        along(&row.normal, &way)
    }

    /// Change of the slip along the step, to first order.
    pub(super) fn change(&self, row: &ContactRow, moves: &Moves) -> Vec3 {
        along(&row.normal, &moves.apart(row.friction_places()))
    }

    /// t: what the merit holds against `slip`, where the step asks for a normal `force` and `friction`; whether it sticks.
    fn held(&self, slip: &Vec3, force: f64, friction: &Vec3, rho: f64) -> (Vec3, bool) {
        let trial = slip * rho - friction;
        let bound = self.friction * force.max(0.0);
        (at_most(bound, &trial), trial.norm() <= bound)
    }

    /// What the contact adds to the merit where it has gone so far.
    pub(super) fn merit(&self, slip: &Vec3, force: f64, friction: &Vec3, rho: f64) -> f64 {
        let (held, _) = self.held(slip, force, friction, rho);
        held.dot(slip) - 0.5 * (held + friction).norm_squared() / rho
    }

    /// Its share of the slope of the merit: without penalty, and what a unit of it takes away.
    pub(super) fn slope(
        &self,
        row: &ContactRow,
        moves: &Moves,
        (force, friction): (f64, &Vec3),
        rho: f64,
    ) -> (f64, f64) {
        let change = self.change(row, moves);
        let (held, sticks) = self.held(&self.slip, force, friction, rho);
        // The spans have counted what holds now.
        let counted = self.force.dot(&change);
        if sticks {
            return (counted - friction.dot(&change), -self.slip.dot(&change));
        }
        (counted + held.dot(&change), 0.0)
    }
}

impl ContactRow {
    /// Friction on the rod, N, world.
    pub(super) fn friction(&self) -> Vec3 {
        self.tangential.map_or_else(Vec3::zeros, |own| own.force)
    }

    /// Takes over a friction, turned along with the surface and as large as the normal force lets it be.
    pub(super) fn take_friction(&mut self, friction: Vec3) {
        let (normal, force) = (self.normal, self.force);
        if let Some(own) = &mut self.tangential {
            let flat = along(&normal, &friction);
            let size = flat.norm();
            let turned = if size > 0.0 { flat * (friction.norm() / size) } else { flat };
            own.force = at_most(own.friction * force, &turned);
        }
    }

    /// Decides whether friction holds it, with so `stiff` a ϱ to make slip a force that the least slip counts. What presses or
    /// lies on it has `rho` in the matrix, sliding or not, since `rough.rs` takes it out again.
    pub(super) fn hold(&mut self, stiff: f64, rho: f64) {
        let (force, touches) = (self.force, self.gap <= 0.0);
        if let Some(own) = &mut self.tangential {
            let trial = own.force - own.slip * stiff;
            own.stiffness = stiff;
            own.sticks = trial.norm() <= own.friction * force;
            own.regularisation = if force > 0.0 || touches { rho } else { 0.0 };
        }
    }

    /// Presses and rubs no longer.
    pub(super) fn let_go(&mut self) {
        self.force = 0.0;
        if let Some(own) = &mut self.tangential {
            (own.force, own.sticks, own.regularisation) = (Vec3::zeros(), false, 0.0);
        }
    }

    /// Whether it is in the matrix before it presses: what lies on something rough without a force yet.
    pub(super) fn is_held(&self) -> bool {
        self.tangential.is_some_and(|own| own.regularisation > 0.0)
    }

    /// Friction on a span, and ϱ against moving along the surface.
    pub(super) fn friction_tap(&self) -> Option<Tap> {
        let own = self.tangential?;
        let tap = Tap::force(own.share, own.at, own.force);
        Some(Tap { stiffness: self.flat() * own.regularisation, is_counted_elsewhere: true, ..tap })
    }

    /// The part along the surface.
    pub(super) fn flat(&self) -> Mat3 {
        Mat3::identity() - self.normal * self.normal.transpose()
    }

    /// How far it has slid that should stick, m, and what its friction lacks in size and direction, N.
    pub(super) fn missed(&self) -> (f64, f64) {
        match &self.tangential {
            Some(own) if self.force > 0.0 && own.sticks => (own.slip.norm(), 0.0),
            Some(own) if self.force > 0.0 => (0.0, self.tangential_defect(own)),
            _ => (0.0, 0.0),
        }
    }

    /// What is missed of Coulomb's law, N.
    fn tangential_defect(&self, own: &Tangential) -> f64 {
        let allowed = at_most(own.friction * self.force, &(own.force - own.slip * own.stiffness));
        (own.force - allowed).norm()
    }

    /// What is left of the law, N, with ϱ to make lengths forces.
    pub(super) fn defect(&self, rho: f64) -> f64 {
        let Some(own) = &self.tangential else {
            return law::defect(&(Vec3::x() * self.force), &(Vec3::x() * self.gap), 0.0, 1.0 / rho).norm();
        };
        let parts = |normal: f64, v: &Vec3| {
            let [a, b] = Tangential::axes(&self.normal);
            Vec3::new(normal, a.dot(v), b.dot(v))
        };
        let (force, motion) = (parts(self.force, &own.force), parts(self.gap, &own.slip));
        law::defect(&force, &motion, own.friction, 1.0 / rho).norm()
    }

    /// Whether its friction is not at its bound: then it sticks in an equilibrium, however far a search has moved it.
    pub(super) fn sticks_well(&self) -> bool {
        let bound = |own: &Tangential| (1.0 - AT_BOUND) * own.friction * self.force;
        self.tangential.as_ref().is_some_and(|own| own.force.norm() < bound(own))
    }

    /// What a sticking contact has crept, m, world.
    pub(super) fn creep(&self) -> Vec3 {
        self.tangential.filter(|own| own.sticks).map_or_else(Vec3::zeros, |own| own.slip)
    }

    /// Whether it slides.
    pub(super) fn state(&self) -> ContactState {
        if self.tangential.is_some_and(|own| own.sticks) { ContactState::Stick } else { ContactState::Slip }
    }
}

/// The equilibrium that slip is measured from: shapes of the rods, and what touched.
#[derive(Default)]
pub(super) struct Reference {
    rods: Vec<RodState>,
    forces: Vec<ContactForce>,
    /// Where obstacles stood, and anchors, which some of them go with.
    obstacles: Vec<Pose>,
    anchors: Vec<Pose>,
}

impl Reference {
    /// Takes over a state.
    pub(super) fn set(&mut self, state: &NetworkState) {
        self.rods.resize_with(state.spans.len(), || state.spans[0].rod.clone());
        for (own, from) in self.rods.iter_mut().zip(&state.spans) {
            own.clone_from(&from.rod);
        }
        self.forces.clone_from(&state.contact_forces);
        self.obstacles.clone_from(&state.obstacles);
        self.anchors.clone_from(&state.anchors);
    }

    /// Where an obstacle stood.
    fn pose(&self, network: &Network, obstacle: usize) -> Option<Pose> {
        match network.mount(obstacle) {
            Some(_) => Some(network.obstacle_pose(obstacle, &self.anchors)),
            None => self.obstacles.get(obstacle).copied(),
        }
    }

    /// Where a point has been carried to by what it lies on: by a span as far as that has gone at its place.
    fn carried(&self, network: &Network, state: &NetworkState, point: &Vec3, row: &ContactRow) -> Vec3 {
        match (row.key.other, &row.opposite) {
            (Side::Obstacle { index, .. }, _) => match self.pose(network, index) {
                Some(from) => carried(point, &from, &network.obstacle_pose(index, &state.anchors)),
                None => *point,
            },
            (Side::Span { index, .. }, Some(opposite)) => {
                point + opposite.at - network.spans[index].rod.place(&self.rods[index], opposite.share)
            }
            (Side::Span { .. }, None) => *point,
        }
    }

    /// Whether it is one of this network.
    fn is_of(&self, state: &NetworkState) -> bool {
        self.rods.len() == state.spans.len()
            && self.anchors.len() == state.anchors.len()
            && self
                .rods
                .iter()
                .zip(&state.spans)
                .all(|(own, span)| own.coordinates.len() == span.rod.coordinates.len())
    }

    /// Finds how far rough rows have slid at `state`; nowhere without a reference.
    pub(super) fn slip(&self, network: &Network, state: &NetworkState, rows: &mut [ContactRow]) {
        let own = self.is_of(state);
        let forces = if own { &self.forces } else { &state.contact_forces };
        let known = |key: &ContactKey| forces.iter().find(|force| force.key == *key);
        for row in rows.iter_mut() {
            let Some(share) = row.tangential.map(|own| own.share) else { continue };
            let (normal, before) = (row.normal, known(&row.key));
            let (at, was) = match row.key.body {
                Body::Span(k) => {
                    let rod = &network.spans[k].rod;
                    let at = rod.place(&state.spans[k].rod, share);
                    (at, if own { rod.place(&self.rods[k], share) } else { at })
                }
                // The matter that is at the surface now.
                Body::Obstacle { obstacle } => {
                    let at = row.surface();
                    let was = self.pose(network, obstacle).filter(|_| own);
                    let now = network.obstacle_pose(obstacle, &state.anchors);
                    (at, was.map_or(at, |was| carried(&at, &now, &was)))
                }
            };
            let from = if own { self.carried(network, state, &was, row) } else { at };
            let Some(tangential) = &mut row.tangential else { continue };
            tangential.at = at;
            tangential.origin = from - before.map_or_else(Vec3::zeros, |before| before.creep);
            tangential.slip = along(&normal, &(tangential.at - tangential.origin));
        }
    }
}
