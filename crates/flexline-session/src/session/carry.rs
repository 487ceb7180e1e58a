//! The shape of before as the beginning of the next solve: resampled by cable and arc length, then moved to where the
//! ends are now, so that nothing jumps.

use super::Solved;
use crate::command::{Lineage, Piece};
use flexline::algebra::rotation;
use flexline::contact::Obstacle;
use flexline::rod::mixed::MixedRod;
use flexline::rod::{AnyRod, Rod, RodState, Station};
use flexline::solver::network::{Attachment, Grip, Network, NetworkState, Span};
use flexline::solver::{Pose, Profile, State, Status};
use flexline::{Quat, Vec3};
use flexline_scene::Compiled;
use flexline_scene::contact::CompiledObstacle;
use std::f64::consts::TAU;

/// Places at which the mean twist of a cable is taken.
const MEANS: usize = 64;

/// What a cable was at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Was {
    pub position: Vec3,
    pub frame: Quat,
    /// Twist, rad/m.
    pub twist: f64,
    pub force: Vec3,
}

/// A cable at the place `s` of its profile.
pub(super) fn sample(profile: &Profile, s: f64) -> Option<Was> {
    let samples = &profile.samples;
    let next = samples.partition_point(|sample| sample.s <= s).clamp(1, samples.len().max(2) - 1);
    let (a, b) = (samples.get(next - 1)?, samples.get(next)?);
    let h = b.s - a.s;
    let t = if h > 0.0 { ((s - a.s) / h).clamp(0.0, 1.0) } else { 0.0 };
    let twist = a.strain.z + t * (b.strain.z - a.strain.z);
    // Cubic through both positions along both tangents.
    let (ta, tb) = (rotation::tangent(&a.frame) * h, rotation::tangent(&b.frame) * h);
    let (t2, t3) = (t * t, t * t * t);
    let position = a.position * (2.0 * t3 - 3.0 * t2 + 1.0)
        + ta * (t3 - 2.0 * t2 + t)
        + b.position * (3.0 * t2 - 2.0 * t3)
        + tb * (t3 - t2);
    // Frames the way the twist says, full turns between two samples included.
    let mut turn = rotation::log(&(a.frame.conjugate() * b.frame));
    turn.z += TAU * ((0.5 * (a.strain.z + b.strain.z) * h - turn.z) / TAU).round();
    Some(Was {
        position,
        frame: a.frame * rotation::exp(&(turn * t)),
        twist,
        force: a.force_world.lerp(&b.force_world, t),
    })
}

/// Where a new cable comes from.
struct Source<'a> {
    before: &'a Solved,
    pieces: Vec<Piece>,
}

impl<'a> Source<'a> {
    /// The sources of a cable of the given length: what the edit said, or the cable of its name.
    fn new(cable: &str, length: f64, before: &'a Solved, lineage: &Lineage) -> Self {
        let pieces = match lineage.cables.get(cable) {
            Some(pieces) => pieces.clone(),
            None => {
                let old = before.profile(cable).and_then(|p| p.samples.last()).map(|last| last.s);
                let whole = |old: f64| Piece { new: [0.0, length], cable: cable.into(), old: [0.0, old] };
                old.map(whole).into_iter().collect()
            }
        };
        Self { before, pieces }
    }

    /// What was at the place `s`; the nearest known place where that is new.
    fn at(&self, s: f64) -> Option<Was> {
        let far = |piece: &&Piece| (piece.new[0] - s).max(s - piece.new[1]).max(0.0);
        let piece = self.pieces.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
        let mut was = sample(self.before.profile(&piece.cable)?, piece.old_at(s))?;
        if self.before.status() != Status::Converged {
            // Forces without equilibrium are those of whatever drew at it.
            was.force = Vec3::zeros();
        }
        if !piece.is_reversed() {
            return Some(was);
        }
        // Turned over about d1: twist stays, the force is that of the other side.
        let frame = was.frame * Quat::new(0.0, 1.0, 0.0, 0.0);
        Some(Was { frame, force: -was.force, ..was })
    }

    /// Whether something was on the whole stretch.
    fn covers(&self, [from, to]: [f64; 2]) -> bool {
        let slack = 1e-6 * (to - from).abs();
        let mut reached = from;
        for piece in &self.pieces {
            if piece.new[0] <= reached + slack {
                reached = reached.max(piece.new[1]);
            }
        }
        reached + slack >= to
    }

    /// The same for a rod of a reduced model, turned by `turns` (rad) more at its end: its coordinates are
    /// strains, so that its shape is fitted and its end is left to the solver.
    fn fit(&self, rod: &AnyRod, from: f64, stretch: f64, turns: f64) -> Option<RodState> {
        let at = |s: f64| self.at(from + s * stretch);
        at(0.0)?;
        let nowhere = Station { position: Vec3::zeros(), frame: rotation::identity() };
        // Unwound by its mean twist, so that turns are counted and not sampled.
        let length = rod.length();
        let places = (0..MEANS).map(|k| (k as f64 + 0.5) / MEANS as f64 * length);
        let mean = places.filter_map(|s| Some(at(s)?.twist)).sum::<f64>() / MEANS as f64 * stretch * length;
        let shape = |s: f64| {
            let back = rotation::exp(&Vec3::new(0.0, 0.0, -mean * s / length));
            at(s).map_or(nowhere, |was| Station { position: was.position, frame: was.frame * back })
        };
        Some(rod.state_wound(&shape, mean + turns))
    }

    /// The state of a rod that is the stretch beginning at `from`, `stretch` times as long as the rod says.
    fn state(&self, rod: &MixedRod, from: f64, stretch: f64) -> Option<RodState> {
        let at = |s: f64| self.at(from + s * stretch);
        at(0.0)?;
        let nowhere = Station { position: Vec3::zeros(), frame: rotation::identity() };
        let mut state = rod.state_from(&|s| {
            at(s).map_or(nowhere, |was| Station { position: was.position, frame: was.frame })
        });
        // Full turns are history.
        for j in 0..=rod.segments() {
            let (a, b) = (rod.frame_arc(j), rod.frame_arc(j + 1));
            state.twist[j] = at(0.5 * (a + b)).map_or(0.0, |was| was.twist) * (b - a) * stretch;
        }
        rod.remember_twist(&mut state);
        Some(state)
    }
}

/// One cable alone that goes on as one stays where it was, with the ends it was solved for: the solver brings it to where
/// its ends are now, in steps where it must. `None` where there is more, or nothing to go on from.
fn alone(compiled: &Compiled, before: &Solved, lineage: &Lineage) -> Option<NetworkState> {
    let ([cable], [was]) = (&compiled.cables[..], &before.compiled.cables[..]) else { return None };
    // Turned round, its ends are not those it had.
    if lineage.cables.get(&cable.name).is_some_and(|pieces| pieces.iter().any(Piece::is_reversed)) {
        return None;
    }
    let [problem, old] = [&compiled.network, &before.compiled.network].map(Network::as_cable);
    let (problem, old) = (problem?, old?);
    let mut state = NetworkState::initial(&compiled.network);
    let own = before.solution.state.spans.first()?;
    // Rings keep their seam: only a ring of the same length goes on.
    if (problem.closed || old.closed) && (problem.closed != old.closed || cable.length != was.length) {
        return Some(state);
    }
    if problem.closed && problem.rod.model() == old.rod.model() && problem.rod.arcs() == old.rod.arcs() {
        state.spans[0].clone_from(own);
        return Some(state);
    }
    let source = Source::new(&cable.name, cable.length, before, lineage);
    let rod = match problem.rod.as_mixed() {
        Some(rod) => source.state(rod, 0.0, 1.0)?,
        None => source.fit(&problem.rod, 0.0, 1.0, 0.0)?,
    };
    state.spans[0] = State { rod, ..own.clone() };
    Some(state)
}

/// Whether only poses have changed since before in a scene whose cables touch something: the state can stay as it is, and
/// the solver leads everything to where it is now, past what is in the way and against friction.
pub(super) fn is_led(compiled: &Compiled, before: &Solved, lineage: &Lineage) -> bool {
    let (new, old) = (&compiled.network, &before.compiled.network);
    let alike = |(a, b): (&Span, &Span)| {
        a.rod.model() == b.rod.model()
            && a.rod.arcs() == b.rod.arcs()
            && a.contact_radius == b.contact_radius
            && (a.start.anchor, a.end.map(|end| end.anchor)) == (b.start.anchor, b.end.map(|end| end.anchor))
            && a.twist == b.twist
    };
    let names = |all: &[CompiledObstacle]| all.iter().map(|own| own.name.clone()).collect::<Vec<_>>();
    compiled.has_contact()
        && before.compiled.has_contact()
        && lineage.cables.is_empty()
        && compiled.anchors == before.compiled.anchors
        && names(&compiled.obstacles) == names(&before.compiled.obstacles)
        && (0..new.obstacles.len()).all(|o| new.obstacles[o].shape == old.obstacles[o].shape)
        && new.spans.len() == old.spans.len()
        && new.spans.iter().zip(&old.spans).all(alike)
        && new.slides.is_empty()
        && old.slides.is_empty()
        && new.constraints.len() == old.constraints.len()
}

/// The state of a scene in the shape of before; what is new lies as it would on its own.
pub(super) fn into(compiled: &Compiled, before: &Solved, lineage: &Lineage) -> NetworkState {
    if is_led(compiled, before, lineage) {
        return before.solution.state.clone();
    }
    let mut state = carried(compiled, before, lineage);
    state.obstacles = standing(compiled, before);
    state
}

/// Where obstacles stood, by their names: a solve leads them from there to where they are now, and cables are pushed along.
/// Those behind the first that is new, or of another shape, find their place anew.
fn standing(compiled: &Compiled, before: &Solved) -> Vec<Pose> {
    let was = |(name, solid): (&str, &Obstacle)| {
        let index = before.compiled.obstacles.iter().position(|own| own.name == name)?;
        let old = before.compiled.network.obstacles.get(index)?;
        before.solution.state.obstacles.get(index).copied().filter(|_| old.shape == solid.shape)
    };
    let names = compiled.obstacles.iter().map(|own| &*own.name);
    names.zip(&compiled.network.obstacles).map_while(was).collect()
}

fn carried(compiled: &Compiled, before: &Solved, lineage: &Lineage) -> NetworkState {
    if let Some(state) = alone(compiled, before, lineage) {
        return state;
    }
    let network = &compiled.network;
    let mut state = NetworkState::initial(network);
    carry_slides(compiled, before, &mut state);
    let sources: Vec<Source> = (compiled.cables.iter().enumerate())
        .map(|(i, c)| Source::new(&c.name, compiled.length_now(&state, i), before, lineage))
        .collect();
    carry_anchors(compiled, before, lineage, &sources, &mut state);
    for (cable, source) in compiled.cables.iter().zip(&sources) {
        let mut begin = 0.0;
        for (rank, &(k, _)) in cable.spans.iter().enumerate() {
            let span = &network.spans[k];
            let length = state.lengths[k];
            begin += compiled.rim_length(&state, k);
            let stretch = [begin, begin + length];
            begin += length;
            if !source.covers(stretch) {
                continue;
            }
            let last = rank + 1 == cable.spans.len();
            let turns = if last { full_turns(before, &cable.name, span.twist) } else { 0.0 };
            let rescaled = length / span.rod.length();
            let Some(mixed) = span.rod.as_mixed() else {
                if let Some(rod) = source.fit(&span.rod, stretch[0], rescaled, turns) {
                    state.spans[k].rod = rod;
                }
                continue;
            };
            let Some(mut rod) = source.state(mixed, stretch[0], rescaled) else { continue };
            let [start, end] = on_rims(compiled, &state, k);
            let start = start.map_or_else(|| (Vec3::zeros(), None), |a| target(&state.anchors, &a, 0.0));
            let end = end.map(|end| target(&state.anchors, &end, span.twist));
            move_ends(mixed, &mut rod, start, end, turns);
            state.spans[k].rod = rod;
            if span.end.is_some() {
                state.spans[k].end_force = source.at(stretch[1]).map_or(Vec3::zeros(), |was| was.force);
            }
        }
    }
    state
}

/// What slid through eyes stays slid, and lengths that were found stay found, where the cables that slide or find
/// their length have the pieces that they had.
fn carry_slides(compiled: &Compiled, before: &Solved, state: &mut NetworkState) {
    let Solved { compiled: was, solution, .. } = before;
    let slides =
        |cable: usize| compiled.cables[cable].routed || compiled.eyes.iter().any(|eye| eye.cable == cable);
    let sliding = || compiled.cables.iter().zip(&was.cables).enumerate().filter(|(i, _)| slides(*i));
    let same = sliding().all(|(_, (new, old))| {
        let near = (old.length - new.length).abs() < 1e-12 * new.length || new.routed;
        new.name == old.name && new.routed == old.routed && old.spans.len() == new.spans.len() && near
    });
    let old = &solution.state;
    if !same || was.eyes != compiled.eyes || state.flows.len() != old.flows.len() {
        return;
    }
    for (_, (new, was)) in sliding() {
        for (&(k, _), &(j, _)) in new.spans.iter().zip(&was.spans) {
            state.lengths[k] = old.lengths[j];
            state.taken[k] = old.taken[j];
        }
    }
    state.flows.clone_from(&old.flows);
    state.slips.clone_from(&old.slips);
    state.friction.clone_from(&old.friction);
    if state.contacts.len() == old.contacts.len() {
        state.contacts.clone_from(&old.contacts);
    }
}

/// Loose anchors go where the cables that pass them are, or where they were.
fn carry_anchors(
    compiled: &Compiled,
    before: &Solved,
    lineage: &Lineage,
    sources: &[Source],
    state: &mut NetworkState,
) {
    let network = &compiled.network;
    let held = |i: usize| network.anchors[i].held == [true; 3] && network.anchors[i].held_orientation;
    for (i, name) in compiled.anchors.iter().enumerate() {
        let old = lineage.nodes.get(&name.name).unwrap_or(&name.name);
        if !held(i)
            && let Some(pose) = before.pose(old)
        {
            state.anchors[i] = pose;
        }
    }
    // The axes of junctions, clips and eyes are those of their cables.
    let mut done = vec![false; network.anchors.len()];
    for (cable, source) in compiled.cables.iter().zip(sources) {
        let mut begin = 0.0;
        for &(k, _) in &cable.spans {
            let span = &network.spans[k];
            begin += compiled.rim_length(state, k);
            let ends = [(Some(&span.start), begin), (span.end.as_ref(), begin + state.lengths[k])];
            begin += state.lengths[k];
            for (attachment, s) in ends.into_iter().filter_map(|(a, s)| Some((a?, s))) {
                let i = attachment.anchor;
                let is_part = compiled.anchors[i].kind == "part";
                if done[i] || held(i) || is_part || attachment.grip == Grip::Pinned || !source.covers([s, s])
                {
                    continue;
                }
                let Some(was) = source.at(s) else { continue };
                let local = &attachment.anchor_from_end;
                let orientation = was.frame * local.orientation.conjugate();
                let position = was.position - rotation::rotate(&orientation, &local.position);
                state.anchors[i] = Pose { position, orientation: orientation * (1.0 / orientation.norm()) };
                done[i] = true;
            }
        }
    }
    for (pose, anchor) in state.anchors.iter_mut().zip(&network.anchors) {
        for axis in (0..3).filter(|axis| anchor.held[*axis]) {
            pose.position[axis] = anchor.pose.position[axis];
        }
        if anchor.held_orientation {
            pose.orientation = anchor.pose.orientation;
        }
    }
}

/// The ends of a span, on the rims of wheels where the rope touches them now.
fn on_rims(compiled: &Compiled, state: &NetworkState, span: usize) -> [Option<Attachment>; 2] {
    let own = &compiled.network.spans[span];
    let mut ends = [Some(own.start), own.end];
    for slide in &compiled.network.slides {
        let Some(wheel) = slide.wheel else { continue };
        let side = if slide.after == Some(span) { 0 } else { 1 };
        if let (true, Some(end)) = (slide.after == Some(span) || slide.before == Some(span), &mut ends[side])
        {
            end.anchor_from_end = compiled.network.wheels[wheel].rim(state.contacts[wheel][1 - side]);
        }
    }
    ends
}

/// Full turns by which the end of a cable is turned further than it was, rad.
fn full_turns(before: &Solved, cable: &str, twist: f64) -> f64 {
    let own = before.compiled.cables.iter().find(|c| c.name == cable).and_then(|c| c.spans.last());
    let old = own.map_or(twist, |(k, _)| before.compiled.network.spans[*k].twist);
    TAU * ((twist - old) / TAU).round()
}

/// Where an end of a span is to be, and how it is turned where that is held.
pub(super) fn target(anchors: &[Pose], end: &Attachment, twist: f64) -> (Vec3, Option<Quat>) {
    let anchor = &anchors[end.anchor];
    let local = &end.anchor_from_end;
    let position = anchor.position + rotation::rotate(&anchor.orientation, &local.position);
    let frame = anchor.orientation * local.orientation * rotation::exp(&Vec3::new(0.0, 0.0, twist));
    (position, (end.grip == Grip::Clamped).then_some(frame))
}

/// Moves a rod to its ends, the motion spread evenly along it (dissertation 6.3.1).
fn move_ends(
    rod: &MixedRod,
    state: &mut RodState,
    start: (Vec3, Option<Quat>),
    end: Option<(Vec3, Option<Quat>)>,
    turns: f64,
) {
    let n = rod.segments();
    let shift = |node: usize, to: Vec3| to - rod.position(state, node);
    let turn = |frame: usize, to: Option<Quat>| {
        to.map_or(Vec3::zeros(), |q| rotation::log(&(q * rod.frame(state, frame).conjugate())))
    };
    let shifts = [shift(0, start.0), end.map_or_else(|| shift(0, start.0), |e| shift(n, e.0))];
    let turning = [turn(0, start.1), end.map_or_else(|| turn(0, start.1), |e| turn(n + 1, e.1))];
    let length = rod.length();
    for (j, &s) in rod.mesh().nodes().iter().enumerate() {
        let moved = rod.position(state, j) + shifts[0].lerp(&shifts[1], s / length);
        rod.set_position(state, j, &moved);
    }
    for j in 0..n + 2 {
        let t = rod.frame_arc(j) / length;
        let about = rotation::exp(&turning[0].lerp(&turning[1], t));
        let q = about * rod.frame(state, j) * rotation::exp(&Vec3::new(0.0, 0.0, turns * t));
        rod.set_frame(state, j, &(q * (1.0 / q.norm())));
    }
    if turns != 0.0 {
        for j in 0..=n {
            state.twist[j] += turns * (rod.frame_arc(j + 1) - rod.frame_arc(j)) / length;
        }
    }
    rod.remember_twist(state);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, edit};
    use flexline::solver::Status;
    use flexline_scene::Scene;

    /// How far the centreline may be off after a change of model, before anything is solved, as a share of the length.
    /// COMMANDS.md states it.
    const FITTED: f64 = 5e-3;
    /// How far the solved shapes of the models are from each other, as a share of the length.
    const AGREED: f64 = 1e-3;
    /// What the fit may do to the twist, turns.
    const TURNED: f64 = 1e-3;

    fn scene(name: &str) -> String {
        std::fs::read_to_string(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn cable(text: &str) -> Scene {
        Scene::parse(text, "cable.toml").and_then(Scene::single).unwrap_or_else(|e| panic!("{e}"))
    }

    fn parts(solved: &Solved) -> (&AnyRod, &State, &Profile) {
        assert_eq!(solved.status(), Status::Converged);
        let Solved { compiled, solution, .. } = solved;
        (&compiled.network.spans[0].rod, &solution.state.spans[0], &solution.profiles[0])
    }

    /// The largest distance of a rod from a profile, as a share of its length.
    fn off(profile: &Profile, rod: &AnyRod, state: &RodState) -> f64 {
        let far =
            profile.samples.iter().map(|was| (rod.station(state, was.s).position - was.position).norm());
        far.fold(0.0, f64::max) / rod.length()
    }

    /// Goes through all models and back, and judges the state that is carried and the one that is solved.
    fn through_all_models(mut text: String) {
        let begun = text.clone();
        let lineage = Lineage::default();
        let mut solved = Solved::new(cable(&text), None, &lineage).unwrap();
        let first = solved.clone();
        let (rod, state, profile) = parts(&first);
        let turns = rod.twist_turns(&state.rod);
        for model in ["clothoid", "spline", "helix", "nodal", "spline", "mixed"] {
            let set = format!(r#"{{"do": "set", "kind": "cable", "key": "model", "value": "{model}"}}"#);
            text = edit(&text, &Command::from_json(&set).unwrap()).unwrap_or_else(|e| panic!("{e}")).text;
            let scene = cable(&text);
            let compiled = scene.compile().unwrap();
            let rod = &compiled.network.spans[0].rod;
            assert_eq!(rod.model(), model);
            let carried = into(&compiled, &solved, &lineage).spans.remove(0);
            let fitted = off(parts(&solved).2, rod, &carried.rod);
            assert!(fitted < FITTED, "{model}: carried {fitted} off");
            let own = rod.twist_turns(&carried.rod);
            assert!((own - turns).abs() < TURNED, "{model}: {own} turns of {turns}");
            solved = Solved::new(scene, Some(&solved), &lineage).unwrap();
            let (rod, state, _) = parts(&solved);
            let agreed = off(profile, rod, &state.rod);
            assert!(agreed < AGREED, "{model}: solved {agreed} off");
            let own = rod.twist_turns(&state.rod);
            assert!((own - turns).abs() < TURNED, "{model}: {own} turns of {turns}");
        }
        assert_ne!(text, begun, "the number of segments was the price of the way through elements");
    }

    #[test]
    fn a_cable_keeps_its_shape_when_its_model_changes() {
        through_all_models(scene("brake-hose"));
    }

    /// Full turns are no part of the frames at the ends: they must come over by themselves.
    #[test]
    fn a_cable_keeps_its_turns_when_its_model_changes() {
        let end = "tangent = [0.9, -0.3, 0.3]";
        let text = scene("brake-hose");
        assert!(text.contains(end));
        through_all_models(text.replace(end, &format!("{end}\ntwist = \"-1 turn\"")));
    }

    #[test]
    fn a_ring_keeps_its_turns_when_its_model_changes() {
        through_all_models(scene("ring").replace("closed = true", "closed = true\nsegments = 100"));
    }
}
