//! The changing part of a network: poses of anchors, states of spans, multipliers.

use super::assemble::evaluate_rows;
use super::contact::{self, ContactForce};
use super::model::{Network, Span};
use super::span::SpanSystem;
use super::{Constraint, NetworkWorkspace};
use crate::algebra::{Vec3, rotation};
use crate::body::{End, Pose};
use crate::joint::attachment::{Attachment, end_condition};
use crate::rod::{Rod, State};
use crate::solver::problem::Problem;
use crate::solver::start::initial_state;
use serde::{Deserialize, Serialize};

/// Poses, shapes and forces of a network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkState {
    /// Pose of every anchor.
    pub anchors: Vec<Pose>,
    /// State of every span.
    pub spans: Vec<State>,
    /// Multiplier of every constraint row, N.
    pub multipliers: Vec<f64>,
    /// Length of every span, m: that of its rod, but for what slid through eyes or was paid out.
    pub lengths: Vec<f64>,
    /// What has flowed through every slide, m.
    pub flows: Vec<f64>,
    /// The same since friction last held, and what that creeps under its force, m.
    #[serde(alias = "ways")]
    pub slips: Vec<f64>,
    /// What the bend beside a wheel takes up at the start and the end of every span, m, beyond what its
    /// segments show: they are laid that much shorter.
    pub taken: Vec<[f64; 2]>,
    /// Angles at which rope first touches and leaves every wheel, rad.
    pub contacts: Vec<[f64; 2]>,
    /// Friction in every slide, N: tension after it less tension before it.
    pub friction: Vec<f64>,
    /// What obstacles press on spans with.
    #[serde(default)]
    pub contact_forces: Vec<ContactForce>,
    /// Where every obstacle is that has found its place among the spans.
    #[serde(default)]
    pub obstacles: Vec<Pose>,
}

/// What is left of a length less what bends take up unseen, m.
fn free_length(length: f64, taken: &[f64; 2]) -> f64 {
    length - taken.iter().sum::<f64>()
}

impl NetworkState {
    /// Every anchor where the network puts it, every span laid between its anchors: as it would sag, or where that leads
    /// through an obstacle and another way does not, to another side. Nothing at all for a network that a solve refuses.
    pub fn initial(network: &Network) -> Self {
        if network.check_even_short().is_err() {
            return Self::default();
        }
        let laid = Self::laid(network, network.gravity);
        let is_free =
            |state: &Self| !(0..network.obstacles.len()).any(|o| contact::is_entered(network, state, o));
        if is_free(&laid) {
            return laid;
        }
        let down = network.gravity.try_normalize(1e-9).unwrap_or(-Vec3::z());
        // Across the way of the longest span, so that it lies to one side; upwards last, where it would stand on its ends.
        let position = |attached: &Attachment| network.anchors[attached.anchor].pose.position;
        let ways = network.spans.iter().filter_map(|span| Some(position(&span.end?) - position(&span.start)));
        let way = ways.max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_default();
        let aside =
            down.cross(&way).try_normalize(1e-9 * way.norm()).unwrap_or_else(|| rotation::across(&down));
        let other = [aside, -aside, down.cross(&aside), aside.cross(&down), -down];
        other.iter().map(|to| Self::laid(network, *to)).find(is_free).unwrap_or(laid)
    }

    /// Every span laid between its anchors, with a sag along `down`.
    fn laid(network: &Network, down: Vec3) -> Self {
        let anchors: Vec<Pose> = network.anchors.iter().map(|a| a.pose).collect();
        let laid = |span: &Span| {
            let start = end_condition(&anchors[span.start.anchor], &span.start, 0.0);
            let end = span.end.map_or_else(End::free, |e| end_condition(&anchors[e.anchor], &e, span.twist));
            let problem = Problem::new(span.rod.clone(), start, end);
            initial_state(&Problem { gravity: down, ..problem })
        };
        // What is closed, or free along some axis, is laid otherwise.
        let spans = match network.as_cable_but_for_contact() {
            Some(problem) => vec![initial_state(&Problem { gravity: down, ..problem })],
            None => network.spans.iter().map(laid).collect(),
        };
        Self { spans, ..Self::unlaid(network) }
    }

    /// Every anchor where the network puts it, and no shapes yet.
    fn unlaid(network: &Network) -> Self {
        let rows = network.constraints.iter().map(Constraint::rows).sum();
        Self {
            anchors: network.anchors.iter().map(|a| a.pose).collect(),
            spans: Vec::new(),
            multipliers: vec![0.0; rows],
            lengths: network.spans.iter().map(|s| s.rod.length()).collect(),
            flows: vec![0.0; network.slides.len()],
            taken: vec![[0.0; 2]; network.spans.len()],
            contacts: network.wheels.iter().map(|w| w.contact).collect(),
            slips: vec![0.0; network.slides.len()],
            friction: vec![0.0; network.slides.len()],
            contact_forces: Vec::new(),
            obstacles: Vec::new(),
        }
    }

    /// Makes this a copy of `other` without allocating (both belong to one network).
    pub(in crate::solver) fn copy_from(&mut self, other: &Self) {
        self.copy_all_but_spans(other);
        self.spans.resize_with(other.spans.len(), State::empty);
        for (own, from) in self.spans.iter_mut().zip(&other.spans) {
            own.copy_from(from);
        }
    }

    fn copy_all_but_spans(&mut self, other: &Self) {
        self.anchors.clone_from(&other.anchors);
        self.multipliers.clone_from(&other.multipliers);
        self.lengths.clone_from(&other.lengths);
        self.flows.clone_from(&other.flows);
        self.taken.clone_from(&other.taken);
        self.contacts.clone_from(&other.contacts);
        self.slips.clone_from(&other.slips);
        self.friction.clone_from(&other.friction);
        self.contact_forces.clone_from(&other.contact_forces);
        self.obstacles.clone_from(&other.obstacles);
    }

    /// Room for the state of one cable, which is to be placed; nothing at all for a network that a solve refuses.
    pub(in crate::solver) fn for_cable(network: &Network) -> Self {
        if network.check_even_short().is_err() {
            return Self::default();
        }
        Self { spans: vec![State::empty()], ..Self::unlaid(network) }
    }

    /// The state of one cable as that of its network ([`Network::from_cable`]).
    pub fn from_cable(network: &Network, state: &State) -> Self {
        let mut own = Self::for_cable(network);
        if own.spans.len() == 1 {
            own.place_cable(network, state);
        }
        own
    }

    /// Puts the one cable of the network into `state`, and its free anchors where its ends are.
    pub(in crate::solver) fn place_cable(&mut self, network: &Network, state: &State) {
        self.spans[0].copy_from(state);
        let rod = &network.spans[0].rod;
        for (i, (pose, anchor)) in self.anchors.iter_mut().zip(&network.anchors).enumerate() {
            *pose = anchor.pose;
            if anchor.held == [true; 3] && anchor.held_orientation {
                continue;
            }
            let end = rod.station(&state.rod, if i == 0 { 0.0 } else { rod.length() });
            for axis in (0..3).filter(|a| !anchor.held[*a]) {
                pose.position[axis] = end.position[axis];
            }
            if !anchor.held_orientation {
                pose.orientation = end.frame;
            }
        }
    }

    /// The length that the segments of a span share, m: the rope in it, less what bends take up unseen.
    pub(in crate::solver) fn free_length(&self, span: usize) -> f64 {
        free_length(self.lengths[span], &self.taken[span])
    }

    /// Gives spans more length, and lets all forces go.
    pub(in crate::solver) fn lengthen(&mut self, by: impl Iterator<Item = (usize, f64)>) {
        by.for_each(|(span, by)| self.lengths[span] += by);
        self.scale_forces(0.0);
    }

    /// Gives every span as much more length as its rod has in `new` than in `old`.
    pub(in crate::solver) fn lengthen_from(&mut self, old: &Network, new: &Network) {
        for ((length, new), old) in self.lengths.iter_mut().zip(&new.spans).zip(&old.spans) {
            let (new, old) = (new.rod.length(), old.rod.length());
            *length = if *length == old { new } else { *length + new - old };
        }
    }

    /// Makes all forces `scale` times as large.
    pub(in crate::solver) fn scale_forces(&mut self, scale: f64) {
        for span in &mut self.spans {
            span.end_force *= scale;
            span.end_moment *= scale;
        }
        self.multipliers.iter_mut().for_each(|m| *m *= scale);
        self.contact_forces.iter_mut().for_each(|contact| contact.scale(scale));
    }

    /// Goes on by so many times what has changed in shapes since `before`.
    pub(in crate::solver) fn go_on(&mut self, network: &Network, before: &Self, by: f64) {
        for ((own, span), before) in self.spans.iter_mut().zip(&network.spans).zip(&before.spans) {
            span.rod.go_on(&mut own.rod, &before.rod, by);
        }
        for (own, before) in self.anchors.iter_mut().zip(&before.anchors) {
            own.position += (own.position - before.position) * by;
            let turn = rotation::log(&(before.orientation.conjugate() * own.orientation));
            own.orientation = rotation::displaced(&own.orientation, &(turn * by));
        }
    }

    /// Whether something that is held, or an obstacle, stands elsewhere than the network has it: a solve led it there and did
    /// not get farther, so that this is the last equilibrium on the way.
    pub fn is_on_the_way(&self, network: &Network) -> bool {
        let mut there = self.clone();
        there.hold(network);
        let moves = |(o, pose): (usize, &Pose)| {
            // Shapes of parts go with these.
            network.mount(o).is_none() && network.obstacles.get(o).is_some_and(|own| own.pose != *pose)
        };
        there.anchors != self.anchors || self.obstacles.iter().enumerate().any(moves)
    }

    /// Remembers where the obstacles of the network stand.
    pub(in crate::solver) fn stand(&mut self, network: &Network) {
        self.obstacles.clear();
        self.obstacles.extend(network.standing(&self.anchors));
    }

    /// Remembers where the shapes of parts have gone.
    pub(in crate::solver) fn carry_shapes(&mut self, network: &Network) {
        for mount in &network.mounts {
            let pose = network.obstacle_pose(mount.obstacle, &self.anchors);
            if let Some(own) = self.obstacles.get_mut(mount.obstacle) {
                *own = pose;
            }
        }
    }

    /// Puts what is held exactly where the network holds it.
    pub(in crate::solver) fn hold(&mut self, network: &Network) {
        for (pose, anchor) in self.anchors.iter_mut().zip(&network.anchors) {
            for i in 0..3 {
                if anchor.held[i] {
                    pose.position[i] = anchor.pose.position[i];
                }
            }
            if anchor.held_orientation {
                pose.orientation = anchor.pose.orientation;
            }
        }
    }

    /// Becomes what `state` is after `scale` times the step of the workspace. `then` sees every span while
    /// it is at hand: its number, its system, the anchors and its state.
    pub(in crate::solver) fn advance_from(
        &mut self,
        state: &Self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        scale: f64,
        mut then: impl FnMut(usize, &mut SpanSystem, &[Pose], &mut State),
    ) {
        self.advance_outside(state, network, ws, scale);
        for (k, span) in ws.spans.iter_mut().enumerate() {
            span.set_length(&network.spans[k], self.free_length(k));
            self.spans[k].copy_from(&state.spans[k]);
            span.advance(&network.spans[k], &self.anchors, &mut self.spans[k], scale);
            then(k, span, &self.anchors, &mut self.spans[k]);
        }
    }

    /// The same for all but the spans.
    fn advance_outside(&mut self, state: &Self, network: &Network, ws: &mut NetworkWorkspace, scale: f64) {
        self.copy_all_but_spans(state);
        for (pose, slots) in self.anchors.iter_mut().zip(&ws.unknowns.anchors) {
            let part = |from: usize| {
                Vec3::from_fn(|i, _| slots[from + i].map_or(0.0, |s| scale * ws.solution[s.flat]))
            };
            let turn = part(0);
            // What does not turn stays as it is to the last bit.
            if turn != Vec3::zeros() {
                let q = rotation::exp(&turn) * pose.orientation;
                pose.orientation = q * (1.0 / q.norm());
            }
            pose.position += part(3);
        }
        for (k, slide) in network.slides.iter().enumerate() {
            let flow = scale * ws.solution[ws.unknowns.slides[k].flat];
            self.flows[k] += flow;
            self.slips[k] += flow;
            if let Some(before) = slide.before {
                self.lengths[before] += flow;
            }
            if let Some(after) = slide.after {
                self.lengths[after] -= flow;
            }
        }
        ws.set_slid(self);
    }

    /// Becomes `state` with what is held where the network holds it; evaluated, and its residual eliminated
    /// if asked.
    pub(in crate::solver) fn start_from(
        &mut self,
        state: &Self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        eliminate: bool,
    ) {
        self.copy_all_but_spans(state);
        self.hold(network);
        ws.set_slid(self);
        self.evaluate_each(network, ws, eliminate, |k, laid, span, _, own| {
            span.set_length(&network.spans[k], laid);
            own.copy_from(&state.spans[k]);
            true
        });
    }

    /// Becomes what `state` is after the whole step of the reduced system, with the multipliers that it asks
    /// for; evaluated. Spans that the step leaves alone rest, if they lack no more than the `quiet` force and gap.
    pub(in crate::solver) fn step_from(
        &mut self,
        state: &Self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        quiet: (f64, f64),
    ) {
        self.advance_outside(state, network, ws, 1.0);
        for (own, slot) in self.multipliers.iter_mut().zip(&ws.unknowns.rows) {
            *own -= ws.solution[slot.flat];
        }
        let step = std::mem::take(&mut ws.solution);
        std::mem::swap(&mut ws.solution, &mut ws.last_solution);
        ws.solution.resize(step.len(), 0.0);
        self.evaluate_each(network, ws, false, |k, laid, span, anchors, own| {
            own.copy_from(&state.spans[k]);
            if span.rests(own, &step, quiet.0, quiet.1) {
                span.rest();
                return false;
            }
            span.back_substitute(&step);
            span.set_length(&network.spans[k], laid);
            own.end_force = span.new_force(own, &step);
            own.end_moment = span.kernel.new_moment();
            span.advance(&network.spans[k], anchors, own, 1.0);
            true
        });
        ws.last_solution = step;
    }

    /// Makes every span by `make`, which learns its number and the length it is laid with and tells whether it
    /// moves, evaluates it and eliminates its residual if asked, all while it is at hand.
    fn evaluate_each(
        &mut self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        eliminate: bool,
        mut make: impl FnMut(usize, f64, &mut SpanSystem, &[Pose], &mut State) -> bool,
    ) {
        ws.solution.fill(0.0);
        self.spans.resize_with(ws.spans.len(), State::empty);
        for (k, span) in ws.spans.iter_mut().enumerate() {
            let own = &mut self.spans[k];
            if make(k, free_length(self.lengths[k], &self.taken[k]), span, &self.anchors, own) {
                span.evaluate_if_moved(network, &network.spans[k], &self.anchors, own);
            }
            if eliminate {
                span.eliminate_residual(own, &mut ws.scratch, &mut ws.solution);
            }
        }
        ws.reduced = eliminate;
        evaluate_rows(network, self, ws);
    }
}
