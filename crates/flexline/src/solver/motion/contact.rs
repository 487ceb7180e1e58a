//! Contact in motion: what a step in time does besides its equilibrium where rods may touch obstacles.
//!
//! A step is an equilibrium with inertia, and so its contacts are those of an equilibrium: g ≥ 0, λ ≥ 0, g λ = 0 at the
//! *end* of the step. With implicit Euler that is a velocity u = (g₁ − g₀)/h with u ≥ −g₀/h, λ ≥ 0 and their product none:
//! impacts are plastic, spread over the step in which they happen, and nothing enters anything. Schemes that remember
//! more than a velocity would take a jump of it for an acceleration: a step in which a contact strikes is taken by implicit
//! Euler, and they start anew after it (V. Acary, B. Brogliato, *Numerical Methods for Nonsmooth Dynamical
//! Systems*, 2008, ch. 10).
//!
//! Friction is that of an equilibrium too, against the way that matter has slid since the beginning of the step: with
//! implicit Euler that is Coulomb's law of velocities. What sticks goes no way at all, and nothing creeps.
//!
//! Over a step a contact force f takes from the motion what it does on the mean of the velocities before and after: with
//! M (v₁ − v₀) = h f + … that is its share of ½ v₁·M v₁ − ½ v₀·M v₀ to the last bit.

use super::Motion;
use super::balance::storable;
use super::track::{Scheme, Track};
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::rod::mixed::PlaceOnChain;
use crate::rod::{AnyRod, Rod};
use crate::solver::network::model::{Network, NetworkError};
use crate::solver::network::state::NetworkState;
use crate::solver::network::{
    Body, Contact, ContactState, NetworkReport, NetworkWorkspace, Other, is_free, overlap, wheel,
};

/// Shares of the first guess that are tried in turn, until the way there crosses nothing.
const SHARES: [f64; 4] = [1.0, 0.5, 0.125, 0.0];

/// Part of the kinetic energy that contacts may take in a step of a scheme that knows of no jumps.
const BLOW: f64 = 1e-4;
/// The same relative to what weight and bending may store.
const NOTHING: f64 = 1e-12;

impl Motion {
    /// Refuses a start in which a span is within an obstacle.
    pub(super) fn check_free(
        &self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        most: f64,
    ) -> Result<(), NetworkError> {
        match overlap(network, &self.state, ws) {
            Some((key, gap)) if gap > most => Err(match key.body {
                Body::Span(span) => NetworkError::Inside { span, gap },
                Body::Obstacle { obstacle } => NetworkError::PartInside { obstacle, gap },
            }),
            _ => Ok(()),
        }
    }

    /// Learns of obstacles that were not there before: they stand where they are, and have come there by themselves.
    pub(super) fn see_obstacles(&mut self, network: &Network) {
        let own = &mut self.state.obstacles;
        own.truncate(network.obstacles.len());
        own.extend(network.standing(&self.state.anchors).skip(own.len()));
    }

    /// A first guess for the end of the step that is reached without crossing anything; false where even staying does not
    /// do: held ends or obstacles go too far at once. Ropes that would go through something where they follow their wheels
    /// leave them in this step where they did.
    pub(super) fn approach(
        &mut self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        scheme: &Scheme<'_>,
    ) -> bool {
        let before = self.state.clone();
        if !network.wheels.is_empty() {
            let mut laid = network.on_rims(&self.state).into_owned();
            wheel::follow(&mut laid, &mut self.state, &self.tensions);
            let followed = self.state.clone();
            if self.go_ahead_freely(network, ws, [&before, &followed], scheme) {
                return true;
            }
        }
        self.go_ahead_freely(network, ws, [&before, &before], scheme)
    }

    /// A first guess from the second of two states that is reached from the first without crossing anything, if there is one.
    fn go_ahead_freely(
        &mut self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        [before, start]: [&NetworkState; 2],
        scheme: &Scheme<'_>,
    ) -> bool {
        // Friction is against what slides in this step.
        ws.contacts.begin(start);
        SHARES.into_iter().any(|share| {
            self.state.clone_from(start);
            self.go_ahead(network, scheme, share);
            if !network.has_contact() {
                return true;
            }
            let laid = network.on_rims(&self.state);
            self.state.hold(&laid);
            ws.set_ends(&laid, &mut self.state);
            self.state.stand(network);
            is_free(&laid, before, &self.state, ws)
        })
    }

    /// Whether contacts changed velocities at a blow in the step that led here from `before`: their forces over half of
    /// the jump are what it takes from the motion.
    pub(super) fn has_impact(
        &self,
        network: &Network,
        before: &Self,
        h: f64,
        report: &NetworkReport,
    ) -> bool {
        if report.contacts.is_empty() {
            return false;
        }
        let jump = |contact: &Contact| {
            let [coasted, went] = self.displacements(network, &before.state, contact, h);
            // What slides loses its velocity by and by, what comes to stick all of it at once.
            let force = match contact.state {
                ContactState::Stick => contact.force,
                ContactState::Slip => contact.normal * contact.force.dot(&contact.normal),
            };
            0.5 * force.dot(&(went - coasted)).abs()
        };
        let taken: f64 = report.contacts.iter().map(jump).sum();
        taken > BLOW * before.energies(network).kinetic + NOTHING * storable(network)
    }

    /// How far the place of a contact would have gone in the step with the velocity it had, and how far it went, m; past what
    /// it touches where forces move that.
    fn displacements(
        &self,
        network: &Network,
        before: &NetworkState,
        contact: &Contact,
        h: f64,
    ) -> [Vec3; 2] {
        self.displacements_past(network, before, contact, (contact.s, contact.position), h)
    }

    /// The same of another place beside it, at an arc length of the span and a point of the world.
    fn displacements_past(
        &self,
        network: &Network,
        before: &NetworkState,
        contact: &Contact,
        (s, at): (f64, Vec3),
        h: f64,
    ) -> [Vec3; 2] {
        let of_part = |obstacle: usize| match network.loose_mount(obstacle) {
            Some(anchor) => self.displacements_of_part(network, before, (anchor, at), h),
            None => [Vec3::zeros(); 2],
        };
        let own = match contact.body {
            Body::Span(span) => self.displacements_at(network, before, (span, s), h),
            Body::Obstacle { obstacle } => of_part(obstacle),
        };
        let other = match contact.other {
            Other::Obstacle(obstacle) => of_part(obstacle),
            Other::Span { index, s } => self.displacements_at(network, before, (index, s), h),
        };
        [own[0] - other[0], own[1] - other[1]]
    }

    /// The same of the matter of a part that is at a point now.
    fn displacements_of_part(
        &self,
        network: &Network,
        before: &NetworkState,
        (anchor, at): (usize, Vec3),
        h: f64,
    ) -> [Vec3; 2] {
        let ([from, to], [shift, turn]) =
            ([&before.anchors[anchor], &self.state.anchors[anchor]], &self.parts[anchor]);
        let back = from.orientation * to.orientation.conjugate();
        let was = from.position + rotation::rotate(&back, &(at - to.position));
        let centre = from.position + rotation::rotate(&from.orientation, &network.anchors[anchor].centre);
        let spin = rotation::rotate(&from.orientation, &turn.velocity);
        [(shift.velocity + spin.cross(&(was - centre))) * h, at - was]
    }

    /// The same of a place of a span.
    fn displacements_at(
        &self,
        network: &Network,
        before: &NetworkState,
        (k, s): (usize, f64),
        h: f64,
    ) -> [Vec3; 2] {
        let rod = network.rod(&self.state, k);
        let share = s / rod.length();
        let place = |state: &NetworkState| rod.place(&state.spans[k].rod, share);
        [velocity_at(&rod, &self.nodes[k], share) * h, place(&self.state) - place(before)]
    }

    /// Books what contacts took from the motion in the step, and what obstacles that move did.
    pub(super) fn account_for_contacts(
        &mut self,
        network: &Network,
        before: &NetworkState,
        scheme: &Scheme<'_>,
        report: &NetworkReport,
    ) {
        if report.contacts.is_empty() {
            return;
        }
        let h = scheme.settings.step;
        // Where velocities jump, that before the jump counts as much as that after it. Other schemes see no jumps.
        let mean = |[coasted, went]: [Vec3; 2]| {
            if scheme.is_euler() { 0.5 * (went + coasted) } else { went }
        };
        for contact in &report.contacts {
            let led = match contact.other {
                // What forces move is led by nobody.
                Other::Obstacle(o) if network.loose_mount(o).is_none() => led(
                    &contact.position,
                    &before.obstacles[o],
                    &network.obstacle_pose(o, &self.state.anchors),
                ),
                _ => Vec3::zeros(),
            };
            let pushes = contact.normal * contact.force.dot(&contact.normal);
            let friction = contact.force - pushes;
            self.work += contact.force.dot(&led);
            self.dissipated -= pushes.dot(&(mean(self.displacements(network, before, contact, h)) - led));
            if friction != Vec3::zeros() {
                // It acts where the matter is that slides.
                let ways = match (contact.body, contact.other) {
                    (Body::Span(span), Other::Obstacle(_)) => {
                        let rod = network.rod(&self.state, span);
                        let s = middle(&rod, contact.s);
                        let at = rod.place(&self.state.spans[span].rod, s / rod.length());
                        self.displacements_past(network, before, contact, (s, at), h)
                    }
                    _ => self.displacements(network, before, contact, h),
                };
                self.dissipated -= friction.dot(&(mean(ways) - led));
                if contact.state == ContactState::Slip {
                    self.friction_work += friction.norm() * contact.slip;
                }
            }
        }
    }
}

/// Arc length of the middle of the piece of an axis that a place is on, m.
fn middle(rod: &AnyRod, s: f64) -> f64 {
    let mut shares = Vec::new();
    rod.axis_shares(&mut shares);
    let share = s / rod.length();
    let next = shares.partition_point(|end| *end <= share).clamp(1, shares.len() - 1);
    0.5 * (shares[next - 1] + shares[next]) * rod.length()
}

/// How far something went from one pose to another that is at a point now, m.
fn led(now: &Vec3, from: &Pose, to: &Pose) -> Vec3 {
    let back = from.orientation * to.orientation.conjugate();
    now - from.position - rotation::rotate(&back, &(now - to.position))
}

/// Velocity of a place, m/s, from those of the matter of its rod.
fn velocity_at(rod: &AnyRod, nodes: &[Track], share: f64) -> Vec3 {
    if let AnyRod::Mixed(rod) = rod {
        return PlaceOnChain::new(rod, share).mean(|j| nodes[j].velocity);
    }
    let [arcs, _] = rod.matter_arcs();
    let s = share * rod.length();
    let j = arcs.partition_point(|arc| *arc <= s).clamp(1, arcs.len() - 1);
    let along = (s - arcs[j - 1]) / (arcs[j] - arcs[j - 1]);
    nodes[j - 1].velocity.lerp(&nodes[j].velocity, along)
}
