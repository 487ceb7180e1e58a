//! The energy of a motion, what goes in and out, and the guard against energy out of nothing.
//!
//! Energy never rises by more than the work that was done. A scheme that is stable keeps to that; one that is not creates
//! energy, more with every step, and no solver of its steps would say so. What damping took is left out of that account: in
//! a single step it is known as the mean of both ends, and where it is strong that is more than was there to take.

use super::Motion;
use super::track::Scheme;
use crate::algebra::{Vec3, rotation};
use crate::body::load::{along, spread_work};
use crate::body::{Axes, Pose};
use crate::rod::{AnyRod, Rod, RodState};
use crate::solver::network::model::{Network, Span};
use crate::solver::network::state::NetworkState;
use crate::solver::network::{NetworkReport, NetworkWorkspace, rope};
use serde::{Deserialize, Serialize};

/// Energy out of nothing that a motion may have gained, relative to the largest kinetic energy it had; and in one step,
/// relative to the work of the step.
const SHARE: f64 = 0.01;
/// The same relative to what weight and bending may store: below it is what the solver leaves undone.
const NOISE: f64 = 1e-6;

/// Energies of a network in motion, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MotionEnergies {
    /// Of nodes, frames and parts.
    pub kinetic: f64,
    /// Of bending and twist.
    pub elastic: f64,
    /// Of gravity, dead loads and poles.
    pub potential: f64,
}

impl MotionEnergies {
    /// All together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.potential
    }
}

/// What a motion gained out of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::solver) struct Balance {
    /// Gained since there was least of it, J: what was lost before may not come back.
    gained: f64,
    /// Largest kinetic energy so far, J.
    fastest: f64,
    /// Work in the next step that nothing counts, at most, J.
    uncounted: f64,
}

/// The energy of one step, J.
pub(in crate::solver) struct StepEnergy {
    /// Energy now, less energy before.
    pub(in crate::solver) rise: f64,
    /// Work done.
    pub(in crate::solver) work: f64,
    /// Kinetic energy now.
    pub(in crate::solver) kinetic: f64,
    /// What weight and bending may store.
    pub(in crate::solver) store: f64,
}

impl Balance {
    /// What changed since the last step makes the energies before and after it no match: the next one may gain.
    pub(in crate::solver) fn expect_uncounted(&mut self) {
        self.uncounted = f64::MAX;
    }

    /// Whether a step keeps the balance, within a share of the largest kinetic energy so far.
    pub(in crate::solver) fn keeps(&mut self, step: &StepEnergy, share: f64) -> bool {
        self.fastest = self.fastest.max(step.kinetic);
        let created = step.rise - step.work - share * step.work.abs() - self.uncounted;
        self.gained = (self.gained + created).max(0.0);
        self.uncounted = 0.0;
        created.is_finite() && self.gained <= share * self.fastest + NOISE * step.store
    }
}

/// Energy that weights lifted by the length of all cables, and cables bent into a circle, would store, J.
pub(in crate::solver) fn storable(network: &Network) -> f64 {
    let g = network.gravity.norm();
    let (mut bending, mut length, mut pull) = (0.0, 0.0, 0.0);
    for span in &network.spans {
        bending += span.rod.first_stiffness().norm() / span.rod.length();
        length += span.rod.length();
        pull += span.rod.total_mass() * g;
    }
    pull += network.anchors.iter().map(|a| a.mass * g + a.force.norm()).sum::<f64>();
    bending + pull * length
}

/// Work of force and moment, in world or material axes, on what goes from one pose to another: the mean of both ends.
fn wrench_work(axes: Axes, force: &Vec3, moment: &Vec3, [old, new]: &[Pose; 2]) -> f64 {
    let turn = rotation::log(&(new.orientation * old.orientation.conjugate()));
    let way = new.position - old.position;
    match axes {
        // A dead force has a potential.
        Axes::World => moment.dot(&turn),
        Axes::Material => {
            let mean = |v: &Vec3| {
                0.5 * (rotation::rotate(&old.orientation, v) + rotation::rotate(&new.orientation, v))
            };
            mean(force).dot(&way) + mean(moment).dot(&turn)
        }
    }
}

/// Work in a step of the loads of a span that have no potential.
fn load_work(span: &Span, old: (&AnyRod, &RodState), new: (&AnyRod, &RodState)) -> f64 {
    if span.is_conservative() {
        return 0.0;
    }
    let poses = |s: f64| {
        [old, new].map(|(rod, state)| {
            let at = rod.station(state, s);
            Pose { position: at.position, orientation: at.frame }
        })
    };
    let points = span.point_loads.iter().map(|l| wrench_work(l.axes, &l.force, &l.moment, &poses(l.s)));
    let stretches = span.distributed_loads.iter().map(|load| {
        along(load, |share, s| {
            let at = |v: &[Vec3; 2]| v[0].lerp(&v[1], share);
            wrench_work(load.axes, &at(&load.force), &at(&load.moment), &poses(s))
        })
    });
    points.chain(stretches).sum()
}

/// Work of the strain damping of a rod over a step, J: of its moments at both ends of the step, as the scheme weighs them,
/// on the change of strain. Takes the moments at the start and leaves those at the end.
fn strain_damping(
    moments: &mut [Vec3],
    (was, old): (&AnyRod, &RodState),
    (rod, new): (&AnyRod, &RodState),
    scheme: &Scheme<'_>,
) -> f64 {
    let delay = scheme.settings.strain_delay;
    if delay == 0.0 && moments.iter().all(|m| *m == Vec3::zeros()) {
        return 0.0;
    }
    let change = rod.strain_change(was.length(), old, new);
    let (share, at_end) = (delay / scheme.settings.step, scheme.damping_at_end());
    let mut work = 0.0;
    for ((m, now), d) in moments.iter_mut().zip(rod.strain_moments(&change)).zip(&change) {
        let now = now * share;
        work += m.lerp(&now, at_end).dot(d);
        *m = now;
    }
    work
}

impl Motion {
    /// Energies now.
    pub fn energies(&self, network: &Network) -> MotionEnergies {
        let mut e = MotionEnergies::default();
        for (k, span) in network.spans.iter().enumerate() {
            let rod = network.rod(&self.state, k);
            let state = &self.state.spans[k].rod;
            e.elastic += rod.energy(state);
            let matter = rod.matter(state);
            for (point, track) in matter.points.iter().zip(&self.nodes[k]) {
                e.kinetic += 0.5 * point.mass * track.velocity.norm_squared();
                e.potential -= point.mass * network.gravity.dot(&point.position);
                e.potential +=
                    network.poles.iter().map(|p| p.energy(&point.position)).sum::<f64>() * point.length;
            }
            for (coupling, ends) in matter.couplings.iter().zip(self.nodes[k].windows(2)) {
                e.kinetic -= 0.5 * coupling * (ends[1].velocity - ends[0].velocity).norm_squared();
            }
            for ((rotary, _), track) in matter.frames.iter().zip(&self.frames[k]) {
                e.kinetic += 0.5 * rotary.dot(&track.velocity.component_mul(&track.velocity));
            }
            // Follower loads and moments have no potential: their work is counted.
            for load in span.point_loads.iter().filter(|l| l.axes == Axes::World) {
                e.potential -= load.force.dot(&rod.station(state, load.s).position);
            }
            for load in span.distributed_loads.iter().filter(|l| l.axes == Axes::World) {
                e.potential -= spread_work(load, |s| rod.station(state, s).position);
            }
        }
        for (i, anchor) in network.anchors.iter().enumerate() {
            let pose = &self.state.anchors[i];
            let [shift, turn] = &self.parts[i];
            e.kinetic += 0.5 * anchor.mass * shift.velocity.norm_squared()
                + 0.5 * anchor.inertia.dot(&turn.velocity.component_mul(&turn.velocity));
            let centre = pose.position + rotation::rotate(&pose.orientation, &anchor.centre);
            e.potential -= anchor.mass * network.gravity.dot(&centre) + anchor.force.dot(&pose.position);
        }
        e.potential += self.rim_energy(network);
        e
    }

    /// Potential energy of rope on rims and in bends beside them, which no span shows. It has no weight, but where it
    /// comes and goes energy must not depend on where the world has its origin.
    fn rim_energy(&self, network: &Network) -> f64 {
        let mut energy = 0.0;
        for slide in &network.slides {
            let (Some(wheel), Some(span)) = (slide.wheel, slide.before.or(slide.after)) else { continue };
            let own = &network.wheels[wheel];
            let body = &self.state.anchors[own.on];
            let centre = body.position + rotation::rotate(&body.orientation, &own.pose.position);
            let [from, to] = self.state.contacts[wheel];
            let unseen = slide.before.map_or(0.0, |k| self.state.taken[k][1])
                + slide.after.map_or(0.0, |k| self.state.taken[k][0]);
            let rod = &network.spans[span].rod;
            let mass = rod.total_mass() / rod.length() * (own.radius * (to - from) + unseen);
            energy -= mass * network.gravity.dot(&centre);
        }
        energy
    }

    /// Adds work and physical dissipation of the step.
    pub(super) fn book(
        &mut self,
        network: &Network,
        ws: &NetworkWorkspace,
        before: &NetworkState,
        scheme: &Scheme<'_>,
        report: &NetworkReport,
    ) {
        let settings = scheme.settings;
        // A scheme of second order sees the mean of the forces at both ends of the step.
        let now = if scheme.is_euler() { 1.0 } else { 0.5 };
        for (i, (old, new)) in before.anchors.iter().zip(&self.state.anchors).enumerate() {
            let turn = rotation::log(&(new.orientation * old.orientation.conjugate()));
            let (was, is) = (&self.reactions[i], &report.reactions[i]);
            let (force, moment) = (was.force.lerp(&is.force, now), was.moment.lerp(&is.moment, now));
            self.work +=
                force.dot(&(new.position - old.position)) + (moment + network.anchors[i].moment).dot(&turn);
        }
        self.reactions.clone_from(&report.reactions);
        self.work += self.pull_work(network, before);
        let slides = rope::sliding(&ws.ropes, network.spans.len());
        for (k, span) in network.spans.iter().enumerate() {
            let (was, rod) = (network.rod(before, k), network.rod(&self.state, k));
            let (old, new) = (&before.spans[k].rod, &self.state.spans[k].rod);
            self.work += load_work(span, (&was, old), (&rod, new));
            self.dissipated += strain_damping(&mut self.moments[k], (&was, old), (&rod, new), scheme);
            // Rope that slides is looked up by its pieces, and its drag with them.
            if settings.drag.max(self.air.drag) > 0.0 && !slides[k] {
                let (then, now) = (was.matter(old).points, rod.matter(new).points);
                for (track, (a, b)) in self.nodes[k].iter().zip(then.iter().zip(&now)) {
                    let moved = b.position - a.position;
                    let [blown, slipped] = scheme.drag_work(&self.air, b.length, track, &moved);
                    self.work += blown;
                    self.dissipated += slipped;
                }
            }
        }
        self.account_for_contacts(network, before, scheme, report);
        // With its sign: friction that drove the rope would be a gain.
        for (k, (was, is)) in before.friction.iter().zip(&self.state.friction).enumerate() {
            self.dissipated -= (was + (is - was) * now) * (self.state.flows[k] - before.flows[k]);
        }
    }

    /// Whether the step that led here from `before` created no energy to speak of.
    pub(super) fn balances(&mut self, network: &Network, before: &Self) -> bool {
        let (old, new) = (before.energies(network), self.energies(network));
        self.balance.uncounted += self.contact_work(network, &before.state);
        let step = StepEnergy {
            rise: new.total() - old.total(),
            work: self.work - before.work,
            kinetic: new.kinetic,
            store: new.elastic + storable(network),
        };
        self.balance.keeps(&step, SHARE)
    }

    /// Work that places on rims do which moved in the step, at most, J. A place goes half of the way by which the rope
    /// beside it is turned from the rim: T R times that turn times its way.
    fn contact_work(&self, network: &Network, before: &NetworkState) -> f64 {
        let way = |w: usize, side: usize| self.state.contacts[w][side] - before.contacts[w][side];
        let side = |w: usize, side: usize| 2.0 * self.tensions[w][side] * way(w, side).powi(2);
        network.wheels.iter().enumerate().map(|(w, own)| own.radius * (side(w, 0) + side(w, 1))).sum()
    }

    /// Says that what changed since the last step does work in the next one that is not counted, as growth does on what
    /// it pushes: that step may gain energy.
    pub fn expect_uncounted_work(&mut self) {
        self.balance.expect_uncounted();
    }
}
