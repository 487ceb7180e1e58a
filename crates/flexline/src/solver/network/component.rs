//! What of a network hangs together with some of its anchors: the rest need not be solved for.

use super::NetworkReport;
use super::contact::Passage;
use super::model::Network;
use super::state::NetworkState;
use crate::joint::Slide;

/// A part of a network that does not feel the rest.
pub(in crate::solver) struct Component {
    spans: Vec<usize>,
    constraints: Vec<usize>,
    /// Rows of its constraints among all rows.
    rows: Vec<usize>,
    slides: Vec<usize>,
    /// Anchors that move with it.
    moves: Vec<bool>,
}

impl Component {
    /// All that can feel that `anchors` move.
    pub(in crate::solver) fn of(network: &Network, anchors: &[usize]) -> Self {
        let free = |a: usize| network.anchors[a].held != [true; 3] || !network.anchors[a].held_orientation;
        let mut moves = vec![false; network.anchors.len()];
        anchors.iter().for_each(|a| moves[*a] = true);
        let mut spans = vec![false; network.spans.len()];
        let mut constraints = vec![false; network.constraints.len()];
        let mut grows = true;
        while std::mem::take(&mut grows) {
            let mut take = |own: &mut bool, ends: &[Option<usize>], moves: &mut Vec<bool>, coupled: bool| {
                let ends = || ends.iter().flatten().copied();
                if !*own && (coupled || ends().any(|a| moves[a])) {
                    *own = true;
                    grows = true;
                    ends().filter(|a| free(*a)).for_each(|a| moves[a] = true);
                }
            };
            for (k, span) in network.spans.iter().enumerate() {
                let slides = |s: &Slide| [s.before, s.after].contains(&Some(k));
                let both = |s: &Slide| [s.before, s.after].into_iter().flatten().any(|other| spans[other]);
                // What may touch is felt, wherever it is.
                let round = |k: usize| network.spans[k].contact_radius > 0.0 || network.has_loose_shapes();
                let touches = round(k) && (0..spans.len()).any(|other| spans[other] && round(other));
                let coupled = touches || network.slides.iter().any(|s| slides(s) && both(s));
                let ends = [Some(span.start.anchor), span.end.map(|e| e.anchor)];
                take(&mut spans[k], &ends, &mut moves, coupled);
            }
            for (own, constraint) in constraints.iter_mut().zip(&network.constraints) {
                take(own, &constraint.anchors(), &mut moves, false);
            }
        }
        let chosen = |all: &[bool]| (0..all.len()).filter(|k| all[*k]).collect::<Vec<usize>>();
        let within = |s: &Slide| [s.before, s.after].into_iter().flatten().any(|k| spans[k]);
        let slides = (0..network.slides.len()).filter(|k| within(&network.slides[*k])).collect();
        let mut rows = Vec::new();
        let mut row = 0;
        for (own, constraint) in constraints.iter().zip(&network.constraints) {
            let next = row + constraint.rows();
            rows.extend((row..next).filter(|_| *own));
            row = next;
        }
        Self { spans: chosen(&spans), constraints: chosen(&constraints), rows, slides, moves }
    }

    /// This part of the network; all anchors are there, those that it does not move are held where `state` has them.
    pub(in crate::solver) fn network(&self, whole: &Network, state: &NetworkState) -> Network {
        let place = |k: usize| self.spans.iter().position(|own| *own == k);
        let slide =
            |s: &Slide| Slide { before: s.before.and_then(place), after: s.after.and_then(place), ..*s };
        let mut anchors = whole.anchors.clone();
        for (i, anchor) in anchors.iter_mut().enumerate().filter(|(i, _)| !self.moves[*i]) {
            (anchor.pose, anchor.held, anchor.held_orientation) = (state.anchors[i], [true; 3], true);
        }
        Network {
            anchors,
            spans: self.spans.iter().map(|k| whole.spans[*k].clone()).collect(),
            constraints: self.constraints.iter().map(|k| whole.constraints[*k].clone()).collect(),
            slides: self.slides.iter().map(|k| slide(&whole.slides[*k])).collect(),
            wheels: whole.wheels.clone(),
            gravity: whole.gravity,
            poles: whole.poles.clone(),
            obstacles: whole.obstacles.clone(),
            mounts: whole.mounts.clone(),
            passing: whole.passing.iter().filter_map(|[a, b]| Some([place(*a)?, place(*b)?])).collect(),
            passages: whole
                .passages
                .iter()
                .filter_map(|own| Some(Passage { span: place(own.span)?, ..*own }))
                .collect(),
        }
    }

    /// Its state within that of the whole.
    pub(in crate::solver) fn state(&self, whole: &NetworkState) -> NetworkState {
        fn pick<T: Clone>(all: &[T], which: &[usize]) -> Vec<T> {
            which.iter().map(|k| all[*k].clone()).collect()
        }
        NetworkState {
            anchors: whole.anchors.clone(),
            spans: pick(&whole.spans, &self.spans),
            multipliers: pick(&whole.multipliers, &self.rows),
            lengths: pick(&whole.lengths, &self.spans),
            flows: pick(&whole.flows, &self.slides),
            slips: pick(&whole.slips, &self.slides),
            taken: pick(&whole.taken, &self.spans),
            contacts: whole.contacts.clone(),
            friction: pick(&whole.friction, &self.slides),
            contact_forces: whole
                .contact_forces
                .iter()
                .filter_map(|c| c.renumbered(|k| self.spans.iter().position(|own| *own == k)))
                .collect(),
            obstacles: whole.obstacles.clone(),
        }
    }

    /// Puts its state back into that of the whole.
    pub(in crate::solver) fn put(&self, own: &NetworkState, whole: &mut NetworkState) {
        fn put<T: Clone>(own: &[T], which: &[usize], all: &mut [T]) {
            own.iter().zip(which).for_each(|(own, k)| all[*k] = own.clone());
        }
        whole.anchors.clone_from(&own.anchors);
        whole.contacts.clone_from(&own.contacts);
        whole.obstacles.clone_from(&own.obstacles);
        put(&own.spans, &self.spans, &mut whole.spans);
        put(&own.multipliers, &self.rows, &mut whole.multipliers);
        put(&own.lengths, &self.spans, &mut whole.lengths);
        put(&own.taken, &self.spans, &mut whole.taken);
        put(&own.flows, &self.slides, &mut whole.flows);
        put(&own.slips, &self.slides, &mut whole.slips);
        put(&own.friction, &self.slides, &mut whole.friction);
        whole
            .contact_forces
            .retain(|contact| contact.key.body.span().is_some_and(|span| !self.spans.contains(&span)));
        whole
            .contact_forces
            .extend(own.contact_forces.iter().filter_map(|c| c.renumbered(|k| self.spans.get(k).copied())));
    }

    /// Its report as one about the whole, of which it says nothing else.
    pub(in crate::solver) fn report(
        &self,
        own: NetworkReport,
        network: &Network,
        whole: &NetworkState,
    ) -> NetworkReport {
        let mut holds = vec![[None, None]; network.constraints.len()];
        self.constraints.iter().zip(own.holds).for_each(|(k, hold)| holds[*k] = hold);
        let mut short = own.short;
        short.iter_mut().for_each(|s| s.span = self.spans[s.span]);
        NetworkReport { holds, short, multipliers: whole.multipliers.clone(), ..own }
    }
}
