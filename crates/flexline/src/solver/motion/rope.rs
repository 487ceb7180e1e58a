//! Inertia of ropes that slide: every node of a span is another piece of rope after each step, and is
//! held back by what that piece did before.

use super::Motion;
use super::past::{Past, RopePlace};
use super::track::{Scheme, Track};
use crate::algebra::{Vec3, rotation};
use crate::body::Inertia;
use crate::rod::mixed::MixedRod;
use crate::rod::{AnyRod, Matter, Rod, RodState};
use crate::solver::network::model::Network;
use crate::solver::network::state::NetworkState;

/// Direction of the rope at either end of a chain: of its first or last segment. Frames play no part: at an eye a
/// rope may turn sharply within its last segment.
fn end_direction(rod: &MixedRod, state: &RodState, side: usize) -> Vec3 {
    let j = if side == 0 { 0 } else { rod.segments() - 1 };
    (rod.position(state, j + 1) - rod.position(state, j)) / rod.lengths[j]
}

/// The springs of a span of sliding rope with that matter: every node to where the piece of rope that is expected to
/// be there would go. `range` is where its start and end are expected on the span as it was.
pub(super) fn rope_springs(
    rod: &AnyRod,
    matter: &Matter,
    past: &Past<'_>,
    range: [f64; 2],
    scheme: &Scheme<'_>,
) -> Inertia {
    let [nodes, frames] = rod.matter_arcs();
    let scale = (range[1] - range[0]) / rod.length();
    let step = 0.25 * nodes.windows(2).map(|w| w[1] - w[0]).fold(rod.length(), f64::min);
    let mut inertia = Inertia::default();
    // Where mass goes by itself, and how that moves with what slides at the start and at the end.
    let mut free = Vec::with_capacity(nodes.len());
    for (x, point) in nodes.iter().zip(&matter.points) {
        let s = range[0] + x * scale;
        let [here, behind, ahead] = [s, s - step, s + step].map(|s| past.piece(s));
        let spring = |p: &RopePlace| scheme.spring(point.mass, point.length, p.position, &p.node);
        let mass = |p: &RopePlace| scheme.free(p.position, &p.node);
        let share = x / rod.length();
        inertia.nodes.push(spring(&here));
        inertia.along.push((spring(&ahead).1 - spring(&behind).1) / (2.0 * step));
        inertia.shares.push(share);
        let along = (mass(&ahead).1 - mass(&behind).1) / (2.0 * step);
        free.push((mass(&here), [along * (1.0 - share), along * share]));
    }
    for (coupling, ends) in matter.couplings.iter().zip(free.windows(2)) {
        let [((c, from), from_moves), ((_, to), to_moves)] = [ends[0], ends[1]];
        inertia.chords.push((coupling * c, to - from));
        inertia.chords_along.push([to_moves[0] - from_moves[0], to_moves[1] - from_moves[1]]);
    }
    for (x, (rotary, _)) in frames.iter().zip(&matter.frames) {
        let piece = past.piece(range[0] + x * scale);
        let (c, predicted) = scheme.predict(&piece.turn);
        inertia.frames.push((rotary * c, piece.frame * rotation::exp(&predicted)));
    }
    inertia
}

impl Motion {
    /// As much flows through every slide as in the last step.
    pub(super) fn flow_on(&mut self, network: &Network) {
        for (k, slide) in network.slides.iter().enumerate() {
            // A span is never emptied by a guess.
            let most = |span: Option<usize>| span.map_or(f64::INFINITY, |s| 0.5 * self.state.lengths[s]);
            let flow = self.flowed[k].clamp(-most(slide.before), most(slide.after));
            self.state.flows[k] += flow;
            if let Some(before) = slide.before {
                self.state.lengths[before] += flow;
            }
            if let Some(after) = slide.after {
                self.state.lengths[after] -= flow;
            }
        }
    }

    /// The same for span `k` of a rope that slides, which had and has the given extents and passes
    /// an eye at its start or end.
    pub(super) fn record_rope(
        &mut self,
        network: &Network,
        before: &NetworkState,
        k: usize,
        [then, now]: [[f64; 2]; 2],
        passes: [bool; 2],
        scheme: &Scheme<'_>,
    ) {
        let (old, rod) = (network.rod(before, k), network.rod(&self.state, k));
        let state = &self.state.spans[k].rod;
        let (nodes, frames, ends) = (self.nodes[k].clone(), self.frames[k].clone(), self.ends[k]);
        let past = Past::new(&old, &before.spans[k].rod, &nodes, &frames, &ends);
        let matter = rod.matter(state);
        let [node_arcs, frame_arcs] = rod.matter_arcs();
        let (scale, shown) = ((now[1] - now[0]) / rod.length(), old.length() / before.lengths[k]);
        let piece = |x: f64| past.piece((now[0] - then[0] + x * scale) * shown);
        let (mut work, mut lost) = (0.0, 0.0);
        for (j, (x, point)) in node_arcs.iter().zip(&matter.points).enumerate() {
            let was = piece(*x);
            let moved = point.position - was.position;
            let [blown, slipped] = scheme.drag_work(&self.air, point.length, &was.node, &moved);
            work += blown;
            lost += slipped;
            let mut track = was.node;
            scheme.advance(&mut track, moved);
            self.nodes[k][j] = track;
        }
        for (j, (x, (_, frame))) in frame_arcs.iter().zip(&matter.frames).enumerate() {
            let was = piece(*x);
            let mut track = was.turn;
            scheme.advance(&mut track, rotation::log(&(was.frame.conjugate() * frame)));
            self.frames[k][j] = track;
        }
        // At an eye rope moves with the eye, and along its own direction as it runs past.
        for side in 0..2 {
            let [place, along] = &mut self.ends[k][side];
            scheme.advance(place, rod.end_position(state, side) - past.end(side));
            scheme.advance(along, Vec3::x() * (now[side] - then[side]));
            if let AnyRod::Mixed(rod) = rod.as_ref()
                && passes[side]
            {
                let direction = end_direction(rod, state, side);
                self.nodes[k][side * rod.segments()] = Track::less(place, &direction, along);
            }
        }
        self.work += work;
        self.dissipated += lost;
    }
}
