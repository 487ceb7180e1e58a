//! Motion of networks: implicit steps in time, each an equilibrium with inertia.
//!
//! Every integrator here asks that M c (x − x̂) balance the forces at the end of the step, with c and
//! the predicted x̂ depending on the scheme: implicit Euler (first order, strongly damped), BDF2
//! (second order, damped at high frequency), generalised-α (second order, little damping, steered
//! by ρ∞). So a step is [`solve_network`] with nodes, frames and parts on springs to x̂, and statics
//! is its limit for long steps. Constraints hold at the end of every step to the solver's tolerance.
//!
//! Damping is physical and apart from the integrator's own: Kelvin–Voigt on strains (a delay τ: the
//! moment K (u + τ u̇)), and drag in air that may move, per length.
//!
//! References: J. Chung, G. Hulbert, J. Appl. Mech. 60 (1993) 371–375; M. Arnold, O. Brüls,
//! Multibody Syst. Dyn. 18 (2007) 185–202.

mod balance;
mod contact;
#[cfg(test)]
mod crowd_tests;
mod past;
mod pull;
mod rope;
mod track;

pub use balance::MotionEnergies;
pub(in crate::solver) use balance::{Balance, StepEnergy, storable};
pub use pull::Pull;
pub use track::{Integrator, MotionSettings};

use crate::algebra::{Quat, Vec3, rotation};
use crate::body::pose::is_finite;
use crate::body::{Inertia, Pose, Wrench};
use crate::constraint::Row;
use crate::joint::attachment::end_pose;
use crate::rod::{Rod, State};
use crate::solver::budget;
use crate::solver::network::model::{Network, NetworkError, Span};
use crate::solver::network::part::PartInertia;
use crate::solver::network::rope::sliding;
use crate::solver::network::state::NetworkState;
use crate::solver::network::{
    NetworkReport, NetworkWorkspace, Sense, between, blocked, solve_network, wheel,
};
use crate::solver::report::Status;
use crate::solver::settings::Settings;
use past::Past;
use rope::rope_springs;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use track::{Air, STILL, Scheme, Track};

/// Time over which the tension beside a wheel is smoothed, s.
const SMOOTHED: f64 = 0.5;

/// Steps for which a motion stays more damped after one that created energy.
const WARY: usize = 100;
/// Largest gap, relative to the longest span, in a state that a motion starts from.
const MOST_GAP: f64 = 1e-6;

/// Length of the steps that find accelerations, relative to the real one; and with friction, which has to creep before it
/// bears.
const PROBES: [f64; 2] = [0.01, 0.5];

/// A network in motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Time, s.
    pub time: f64,
    /// Poses, shapes and forces.
    pub state: NetworkState,
    nodes: Vec<Vec<Track>>,
    frames: Vec<Vec<Track>>,
    /// How the curvatures of rods go that have them for coordinates: only to guess where they go next.
    #[serde(default)]
    curvatures: Vec<Vec<Track>>,
    parts: Vec<[Track; 2]>,
    /// What flowed through every slide in the last step, m.
    flowed: Vec<f64>,
    /// Of the start and the end of every span: how its place moves, and how rope runs past it (the
    /// first component).
    ends: Vec<[[Track; 2]; 2]>,
    /// Tension of the rope on either side of every wheel, smoothed over [`SMOOTHED`], N.
    tensions: Vec<[f64; 2]>,
    steps: usize,
    /// What draws at spans from outside, as hands do.
    #[serde(default)]
    pub pulls: Vec<Pull>,
    /// What holds exerted on every anchor at the end of the last step.
    reactions: Vec<Wrench>,
    /// Moments of strain damping at the end of the last step, place by place of every span.
    moments: Vec<Vec<Vec3>>,
    /// What the air did in the last step.
    air: Air,
    /// Whether the state is one to start from.
    checked: bool,
    /// How much more damped an integrator the steps are taken by after one has created energy, and for how many more.
    damping: usize,
    wary: usize,
    /// Work done by held anchors that were moved, by loads that have no potential, by pulls and by the wind, J.
    pub work: f64,
    /// Lost to strain damping, drag and friction, J.
    pub dissipated: f64,
    /// What friction took of that where contacts slid, J: their friction on the way that they slid.
    #[serde(default, alias = "rubbed")]
    pub friction_work: f64,
    balance: Balance,
    /// Whether contacts struck in the last step, which was taken by implicit Euler: so is the next.
    #[serde(default)]
    was_struck: bool,
}

/// One try at a step in time: what moves, by which scheme, and how it is solved.
#[derive(Clone, Copy)]
struct Attempt<'a> {
    network: &'a Network,
    scheme: Scheme<'a>,
    solver: &'a Settings,
}

impl Motion {
    /// At rest in the given state at time 0. The first step refuses a state that does not hold together.
    pub fn at_rest(network: &Network, state: NetworkState) -> Self {
        let counts = network.spans.iter().map(|s| s.rod.matter_count());
        let (nodes, frames) = counts.map(|[p, f]| (vec![STILL; p], vec![STILL; f])).unzip();
        // What does not fit is refused by the first step.
        let fits = network.check_links().and_then(|()| state.check(network)).is_ok();
        let moments =
            |(span, own): (&Span, &State)| span.rod.strain_change(span.rod.length(), &own.rod, &own.rod);
        Self {
            time: 0.0,
            tensions: if fits { wheel::tensions(network, &state) } else { Vec::new() },
            moments: if fits {
                network.spans.iter().zip(&state.spans).map(moments).collect()
            } else {
                Vec::new()
            },
            air: Air::default(),
            state,
            nodes,
            frames,
            curvatures: Vec::new(),
            parts: vec![[STILL; 2]; network.anchors.len()],
            flowed: vec![0.0; network.slides.len()],
            ends: vec![[[STILL; 2]; 2]; network.spans.len()],
            steps: 0,
            pulls: Vec::new(),
            reactions: vec![Wrench::default(); network.anchors.len()],
            checked: false,
            damping: 0,
            wary: 0,
            work: 0.0,
            dissipated: 0.0,
            friction_work: 0.0,
            balance: Balance::default(),
            was_struck: false,
        }
    }

    /// The same from a state that need not hold together, as one that did not converge: the first step pulls it together,
    /// with all the energy that takes.
    pub fn from_any_state(network: &Network, state: NetworkState) -> Self {
        Self { checked: true, ..Self::at_rest(network, state) }
    }

    /// Refuses a start in a state whose spans do not reach their anchors or whose constraints are not kept.
    fn check_start(&mut self, network: &Network, ws: &mut NetworkWorkspace) -> Result<(), NetworkError> {
        let placed = network.on_rims(&self.state);
        let length = self.state.lengths.iter().fold(f64::MIN_POSITIVE, |m, l| m.max(*l));
        let sound = |gap: f64| gap <= MOST_GAP * length;
        for (index, span) in placed.spans.iter().enumerate() {
            let rod = network.rod(&self.state, index);
            let ends = [Some(&span.start), span.end.as_ref()].into_iter().enumerate();
            for (side, end) in ends.filter_map(|(side, end)| Some((side, end?))) {
                let place = end_pose(&self.state.anchors[end.anchor], end).position;
                let gap = (rod.end_position(&self.state.spans[index].rod, side) - place).norm();
                if !sound(gap) {
                    return Err(NetworkError::Apart { what: "span", index, gap });
                }
            }
        }
        let mut rows = Vec::new();
        for (index, constraint) in network.constraints.iter().enumerate() {
            rows.clear();
            constraint.evaluate(&self.state.anchors, &mut rows);
            let missed = |row: &Row| match constraint.sense() {
                Sense::Equal => row.value.abs(),
                Sense::AtMost => row.value.max(0.0),
                Sense::AtLeast => (-row.value).max(0.0),
            };
            let gap = rows.iter().map(missed).fold(0.0, f64::max);
            if !sound(gap) {
                return Err(NetworkError::Apart { what: "constraint", index, gap });
            }
        }
        self.check_free(network, ws, MOST_GAP * length)?;
        self.checked = true;
        Ok(())
    }

    /// Forgets the step before: the next one may have another length. BDF2 then begins anew with a
    /// step of implicit Euler.
    pub fn change_step(&mut self) {
        self.steps = 0;
    }

    /// Refuses a motion that is not of the size of `network`.
    fn check(&self, network: &Network) -> Result<(), NetworkError> {
        self.state.check(network)?;
        let spans = network.spans.len();
        let tracks = |all: &[Vec<Track>], which: usize| {
            let fits =
                |(k, own): (usize, &Vec<Track>)| own.len() == network.spans[k].rod.matter_count()[which];
            all.iter().take(spans).enumerate().filter(|own| fits(*own)).count()
        };
        for (what, found, expected) in [
            ("spans in motion", self.nodes.len().max(self.frames.len()), spans),
            ("spans with the matter that moves", tracks(&self.nodes, 0).min(tracks(&self.frames, 1)), spans),
            ("anchors in motion", self.parts.len(), network.anchors.len()),
            ("ends in motion", self.ends.len(), spans),
            ("spans with moments of damping", self.moments.len(), spans),
            ("slides in motion", self.flowed.len(), network.slides.len()),
            ("wheels in motion", self.tensions.len(), network.wheels.len()),
        ] {
            if found != expected {
                return Err(NetworkError::State { what, found, expected });
            }
        }
        let sound = |pull: &Pull| {
            let counts = pull.stiffness >= 0.0 && pull.stiffness.is_finite() && pull.s.is_finite();
            pull.span < spans && counts && is_finite(&pull.to)
        };
        match self.pulls.iter().position(|pull| !sound(pull)) {
            Some(index) => Err(NetworkError::NotFinite { what: "pull", index }),
            None => Ok(()),
        }
    }

    /// One step in time. Anything may have changed in `network` since the last one but its size: held anchors that were
    /// moved do work, other changes cost none. A step that would create energy is taken with more damping, in the end by
    /// implicit Euler. On any status but converged the motion stays where it was.
    pub fn step(
        &mut self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        settings: &MotionSettings,
        solver: &Settings,
    ) -> Result<NetworkReport, NetworkError> {
        settings.check()?;
        network.check_even_short()?;
        self.check(network)?;
        ws.read(network);
        self.see_obstacles(network);
        if let Some(k) = network.slides.iter().find_map(|s| s.before.xor(s.after)) {
            return Err(NetworkError::DrawnInMotion(k));
        }
        if !self.checked {
            self.check_start(network, ws)?;
        }
        let before = (self.steps, self.damping, self.wary);
        let (asked, damped) = (settings.integrator, settings.integrator.more_damped());
        let mut level = if self.wary > 0 { self.damping.min(damped.len()) } else { 0 };
        loop {
            let integrator = if level == 0 { asked } else { damped[level - 1] };
            let scheme = &MotionSettings { integrator, ..*settings };
            let attempt =
                Attempt { network, scheme: Scheme { settings: scheme, first: self.steps == 0 }, solver };
            let report = self.attempt(&attempt, ws)?;
            if report.status == Status::EnergyGained && level < damped.len() {
                // The scheme starts anew: what it remembers is another's.
                level += 1;
                self.change_step();
                (self.damping, self.wary) = (level, WARY);
                continue;
            }
            if report.status != Status::Converged {
                (self.steps, self.damping, self.wary) = before;
            } else if self.wary > 0 {
                self.wary -= 1;
                if self.wary == 0 {
                    self.change_step();
                }
            }
            return Ok(report);
        }
    }

    /// One step by one integrator.
    fn attempt(
        &mut self,
        attempt: &Attempt<'_>,
        ws: &mut NetworkWorkspace,
    ) -> Result<NetworkReport, NetworkError> {
        let Attempt { network, scheme, .. } = *attempt;
        if self.was_struck {
            return self.take_blow(attempt, ws, false);
        }
        let before = self.clone();
        if scheme.first && matches!(scheme.settings.integrator, Integrator::GeneralisedAlpha { .. }) {
            self.find_accelerations(attempt, ws)?;
        }
        let mut report = self.solve(attempt, ws)?;
        let is_struck = match report.status {
            Status::Converged => self.has_impact(network, &before, scheme.settings.step, &report),
            // Blows that a scheme takes for accelerations may leave its step without an end.
            Status::IterationLimit | Status::NoProgress => !report.contacts.is_empty(),
            _ => false,
        };
        if is_struck && scheme.settings.integrator != Integrator::ImplicitEuler {
            *self = before;
            return self.take_blow(attempt, ws, true);
        }
        if report.status == Status::Converged {
            self.book(network, ws, &before.state, &scheme, &report);
            self.record(network, ws, &before.state, &scheme);
            if !self.balances(network, &before) {
                report.status = Status::EnergyGained;
            }
        }
        if report.status != Status::Converged {
            *self = before;
            return Ok(report);
        }
        self.air = Air::from(scheme.settings);
        self.time += scheme.settings.step;
        self.steps += 1;
        Ok(report)
    }

    /// The step by implicit Euler, for one in which contacts strike or the one after it: at the end of the first what was
    /// struck still has the velocity of the rest of its way, which the second takes.
    fn take_blow(
        &mut self,
        attempt: &Attempt<'_>,
        ws: &mut NetworkWorkspace,
        is_first: bool,
    ) -> Result<NetworkReport, NetworkError> {
        let euler = MotionSettings { integrator: Integrator::ImplicitEuler, ..*attempt.scheme.settings };
        let was_struck = std::mem::replace(&mut self.was_struck, false);
        let scheme = Scheme { settings: &euler, first: true };
        let report = self.attempt(&Attempt { scheme, ..*attempt }, ws)?;
        let is_taken = report.status == Status::Converged;
        self.was_struck = if is_taken { is_first } else { was_struck };
        if is_taken {
            self.change_step();
        }
        Ok(report)
    }

    /// One step in time, in up to `parts` equal parts where it does not converge as a whole; what is held goes its way
    /// evenly. On any status but converged the motion stays where it was.
    pub fn step_in_parts(
        &mut self,
        network: &Network,
        ws: &mut NetworkWorkspace,
        settings: &MotionSettings,
        solver: &Settings,
        parts: u32,
    ) -> Result<NetworkReport, NetworkError> {
        let mut report = self.step(network, ws, settings, solver)?;
        let mut divided = 1;
        while report.status != Status::Converged && 2 * divided <= parts && budget::stop().is_none() {
            divided *= 2;
            let part = MotionSettings { step: settings.step / f64::from(divided), ..*settings };
            let mut trial = self.clone();
            trial.change_step();
            for k in 1..=divided {
                let on_the_way = self.led(network, f64::from(k) / f64::from(divided));
                report = trial.step(&on_the_way, ws, &part, solver)?;
                if report.status != Status::Converged {
                    break;
                }
            }
            if report.status == Status::Converged {
                trial.change_step();
                trial.time = self.time + settings.step;
                *self = trial;
            }
        }
        Ok(report)
    }

    /// The network with its held anchors and its obstacles a share of the way from where they are to where it has them.
    fn led<'a>(&self, network: &'a Network, share: f64) -> Cow<'a, Network> {
        let mut own = Cow::Borrowed(network);
        if share == 1.0 {
            return own;
        }
        for (i, from) in self.state.anchors.iter().enumerate() {
            let to = network.anchors[i].pose;
            if *from != to {
                own.to_mut().anchors[i].pose = between(from, &to, share);
            }
        }
        for (i, from) in self.state.obstacles.iter().enumerate().take(network.obstacles.len()) {
            let to = network.obstacles[i].pose;
            if *from != to && network.mount(i).is_none() {
                own.to_mut().obstacles[i].pose = between(from, &to, share);
            }
        }
        own
    }

    /// Solves for the end of a step; the workspace is left as it was.
    fn solve(
        &mut self,
        attempt: &Attempt<'_>,
        ws: &mut NetworkWorkspace,
    ) -> Result<NetworkReport, NetworkError> {
        let Attempt { network, scheme, solver } = *attempt;
        self.prepare(network, ws, &scheme);
        let result = if self.approach(network, ws, &scheme) {
            solve_network(network, &mut self.state, ws, solver)
        } else {
            Ok(blocked(network, &mut self.state, ws))
        };
        self.state.carry_shapes(network);
        for (k, span) in network.spans.iter().enumerate() {
            let own = &mut ws.spans[k];
            let taps = own.kernel.taps();
            taps.inertia = None;
            taps.places.clear();
            own.kernel.undamp(&span.rod);
            own.forget();
        }
        ws.parts = None;
        ws.flows_before = None;
        result
    }

    /// A first guess for the end of a step, or for a share of it: everything keeps its velocity and acceleration. Among
    /// contacts, where velocities jump, only what an integrator knows as acceleration counts.
    fn go_ahead(&mut self, network: &Network, scheme: &Scheme<'_>, share: f64) {
        let smooth = !network.has_contact();
        let ahead = |track: &Track| scheme.ahead(track, smooth) * share;
        let settings = scheme.for_guesses();
        let guessing = Scheme { settings: &settings, ..*scheme };
        for (k, span) in network.spans.iter().enumerate() {
            let (nodes, frames) = (&self.nodes[k], &self.frames[k]);
            let state = &mut self.state.spans[k].rod;
            span.rod.guess(state, &|j| ahead(&nodes[j]), &|j| ahead(&frames[j]));
            let curvatures = self.curvatures.get(k).into_iter().flatten();
            let own = span.rod.curvature_coordinates(state.coordinates.len());
            for (track, values) in curvatures.zip(state.coordinates[own].chunks_exact_mut(3)) {
                let change = guessing.ahead(track, smooth) * share;
                values.iter_mut().zip(&change).for_each(|(value, change)| *value += change);
            }
        }
        for (pose, [shift, turn]) in self.state.anchors.iter_mut().zip(&self.parts) {
            pose.position += ahead(shift);
            pose.orientation = rotation::displaced(&pose.orientation, &ahead(turn));
        }
        self.flow_on(network);
    }

    /// Accelerations at the start, which generalised-α remembers: what very short implicit steps make of the velocities.
    /// Without them the first step would cost the scheme its order. The first of two short steps takes from the
    /// velocities what the constraints do not allow.
    fn find_accelerations(
        &mut self,
        attempt: &Attempt<'_>,
        ws: &mut NetworkWorkspace,
    ) -> Result<(), NetworkError> {
        let Attempt { network, scheme, .. } = *attempt;
        let share = PROBES[usize::from(network.slides.iter().any(|s| s.friction > 0.0))];
        let probe = MotionSettings {
            step: share * scheme.settings.step,
            integrator: Integrator::ImplicitEuler,
            ..*scheme.settings
        };
        let euler = Scheme { settings: &probe, first: true };
        let mut ahead = [self.clone(), self.clone()];
        for k in 0..2 {
            let from = if k == 0 { self.clone() } else { ahead[0].clone() };
            let own = &mut ahead[k];
            own.clone_from(&from);
            let near = self.led(network, share * (k + 1) as f64);
            let towards = Attempt { network: &near, scheme: euler, ..*attempt };
            if own.solve(&towards, ws)?.status != Status::Converged {
                return Ok(());
            }
            own.record(&near, ws, &from.state, &euler);
        }
        let [first, second] = &ahead;
        for ((now, a), b) in self.tracks_mut().zip(first.tracks()).zip(second.tracks()) {
            now.acceleration = (b.velocity - a.velocity) / probe.step;
            now.auxiliary = now.acceleration;
            now.velocity = a.velocity - now.acceleration * probe.step;
        }
        Ok(())
    }

    /// Everything that moves, in a fixed order.
    fn tracks(&self) -> impl Iterator<Item = &Track> {
        let outside = self.parts.iter().chain(self.ends.iter().flatten()).flatten();
        self.nodes.iter().chain(&self.frames).flatten().chain(outside)
    }

    fn tracks_mut(&mut self) -> impl Iterator<Item = &mut Track> {
        let outside = self.parts.iter_mut().chain(self.ends.iter_mut().flatten()).flatten();
        self.nodes.iter_mut().chain(&mut self.frames).flatten().chain(outside)
    }

    /// Puts nodes, frames and parts on springs to where they would go by themselves.
    fn prepare(&self, network: &Network, ws: &mut NetworkWorkspace, scheme: &Scheme<'_>) {
        let settings = scheme.settings;
        let h = settings.step;
        for (k, span) in network.spans.iter().enumerate() {
            let state = &self.state.spans[k].rod;
            let rod = network.rod(&self.state, k);
            let matter = rod.matter(state);
            let nodes = (matter.points.iter().zip(&self.nodes[k]))
                .map(|(p, track)| scheme.spring(p.mass, p.length, p.position, track))
                .collect();
            // Drag acts on the nodes alone: what couples them goes where mass goes by itself.
            let free: Vec<_> = (matter.points.iter().zip(&self.nodes[k]))
                .map(|(p, track)| scheme.free(p.position, track))
                .collect();
            let chords = (matter.couplings.iter().zip(free.windows(2)))
                .map(|(mass, ends)| (mass * ends[0].0, ends[1].1 - ends[0].1))
                .collect();
            let frames = (matter.frames.iter().zip(&self.frames[k]))
                .map(|((rotary, frame), track)| {
                    let (c, predicted) = scheme.predict(track);
                    (rotary * c, frame * rotation::exp(&predicted))
                })
                .collect();
            let taps = ws.spans[k].kernel.taps();
            taps.inertia = Some(Inertia { nodes, chords, frames, ..Inertia::default() });
            taps.places = self.pulls_on(k, rod.length());
            // What it was at rest is not what it is with inertia.
            ws.spans[k].forget();
            if settings.strain_delay > 0.0 {
                ws.spans[k].set_length(span, self.state.free_length(k));
                ws.spans[k].kernel.damp(&span.rod, state, settings.strain_delay / h);
            }
        }
        if !ws.ropes.is_empty() {
            let mut ahead = Self { state: self.state.clone(), ..self.clone() };
            ahead.flow_on(network);
            for i in 0..ws.ropes.len() {
                let expected = ws.ropes[i].extents(&ahead.state);
                let now = ws.ropes[i].extents(&self.state);
                for (p, &(k, _)) in ws.ropes[i].spans.iter().enumerate() {
                    let (was, rod) = (network.rod(&self.state, k), network.rod(&ahead.state, k));
                    let state = &self.state.spans[k].rod;
                    let past = Past::new(&was, state, &self.nodes[k], &self.frames[k], &self.ends[k]);
                    // Where the expected start and end are on the span as it was, bends that it does not show
                    // spread along it.
                    let shown = was.length() / self.state.lengths[k];
                    let range = expected[p].map(|s| (s - now[p][0]) * shown);
                    let inertia = rope_springs(&rod, &rod.matter(state), &past, range, scheme);
                    ws.spans[k].kernel.taps().inertia = Some(inertia);
                }
                ws.ropes[i].expected = expected;
            }
        }
        let parts = network
            .anchors
            .iter()
            .enumerate()
            .map(|(i, anchor)| {
                let pose = &self.state.anchors[i];
                let [shift, turn] = &self.parts[i];
                let (c, moved) = scheme.predict(shift);
                let (_, turned) = scheme.predict(turn);
                let centre = pose.position + rotation::rotate(&pose.orientation, &anchor.centre);
                PartInertia {
                    stiffness: anchor.mass * c,
                    centre: centre + moved,
                    turning: anchor.inertia * c,
                    orientation: pose.orientation * rotation::exp(&turned),
                }
            })
            .collect();
        ws.parts = Some(parts);
        ws.flows_before = Some(self.state.flows.clone());
    }

    /// Velocities and accelerations after the step.
    fn record(
        &mut self,
        network: &Network,
        ws: &NetworkWorkspace,
        before: &NetworkState,
        scheme: &Scheme<'_>,
    ) {
        let settings = scheme.settings;
        let increment = |a: &Quat, b: &Quat| rotation::log(&(a.conjugate() * b));
        let share = settings.step / (settings.step + SMOOTHED);
        for (own, now) in self.tensions.iter_mut().zip(wheel::tensions(network, &self.state)) {
            *own = [0, 1].map(|side| own[side] + share * (now[side] - own[side]));
        }
        for rope in &ws.ropes {
            let (then, now) = (rope.extents(before), rope.extents(&self.state));
            for (i, &(k, _)) in rope.spans.iter().enumerate() {
                let passes = [i > 0, i + 1 < rope.spans.len()];
                self.record_rope(network, before, k, [then[i], now[i]], passes, scheme);
            }
        }
        for (flowed, (new, old)) in self.flowed.iter_mut().zip(self.state.flows.iter().zip(&before.flows)) {
            *flowed = new - old;
        }
        let slides = sliding(&ws.ropes, network.spans.len());
        for k in (0..network.spans.len()).filter(|k| !slides[*k]) {
            let (was, rod) = (network.rod(before, k), network.rod(&self.state, k));
            let (old, new) = (was.matter(&before.spans[k].rod), rod.matter(&self.state.spans[k].rod));
            for (track, (a, b)) in self.nodes[k].iter_mut().zip(old.points.iter().zip(&new.points)) {
                scheme.advance(track, b.position - a.position);
            }
            for (track, (a, b)) in self.frames[k].iter_mut().zip(old.frames.iter().zip(&new.frames)) {
                scheme.advance(track, increment(&a.1, &b.1));
            }
            self.record_curvatures(network, before, k, scheme);
        }
        for (i, anchor) in network.anchors.iter().enumerate() {
            let (old, new) = (&before.anchors[i], &self.state.anchors[i]);
            let centre = |p: &Pose| p.position + rotation::rotate(&p.orientation, &anchor.centre);
            scheme.advance(&mut self.parts[i][0], centre(new) - centre(old));
            scheme.advance(&mut self.parts[i][1], increment(&old.orientation, &new.orientation));
        }
    }

    /// Where the curvatures of a span have gone, where they are its coordinates.
    fn record_curvatures(&mut self, network: &Network, before: &NetworkState, k: usize, scheme: &Scheme<'_>) {
        let (old, new) = (&before.spans[k].rod.coordinates, &self.state.spans[k].rod.coordinates);
        let own = network.spans[k].rod.curvature_coordinates(new.len());
        if own.is_empty() || old.len() != new.len() {
            return;
        }
        self.curvatures.resize_with(network.spans.len(), Vec::new);
        let tracks = &mut self.curvatures[k];
        tracks.resize(own.len() / 3, STILL);
        let settings = scheme.for_guesses();
        let guessing = Scheme { settings: &settings, ..*scheme };
        let changes = old[own.clone()].chunks_exact(3).zip(new[own].chunks_exact(3));
        for (track, (a, b)) in tracks.iter_mut().zip(changes) {
            guessing.advance(track, Vec3::new(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
        }
    }

    /// Sets everything that nothing holds in motion as one rigid body: with a velocity, m/s, and a spin, rad/s, about a
    /// point, all in the world.
    pub fn launch(&mut self, network: &Network, velocity: Vec3, spin: Vec3, about: Vec3) {
        let at = |x: &Vec3| Track::at(velocity + spin.cross(&(x - about)));
        let turning = |frame: &Quat| Track::at(rotation::rotate(&frame.conjugate(), &spin));
        for k in 0..network.spans.len().min(self.nodes.len()) {
            let matter = network.rod(&self.state, k).matter(&self.state.spans[k].rod);
            for (track, point) in self.nodes[k].iter_mut().zip(&matter.points) {
                *track = at(&point.position);
            }
            for (track, (_, frame)) in self.frames[k].iter_mut().zip(&matter.frames) {
                *track = turning(frame);
            }
        }
        for (own, (anchor, pose)) in
            self.parts.iter_mut().zip(network.anchors.iter().zip(&self.state.anchors))
        {
            if anchor.held == [false; 3] && !anchor.held_orientation {
                let centre = pose.position + rotation::rotate(&pose.orientation, &anchor.centre);
                *own = [at(&centre), turning(&pose.orientation)];
            }
        }
        self.change_step();
        self.expect_uncounted_work();
    }

    /// Velocity of node `j` of a span, m/s.
    pub fn velocity(&self, span: usize, j: usize) -> Vec3 {
        self.nodes[span][j].velocity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rod::Station;
    use crate::solver::network::testing;

    /// Leaves the slides that have a motion.
    fn keep_what_moves(network: &mut Network) {
        network.slides.retain(|s| s.before.is_some() && s.after.is_some());
    }

    /// The derivatives are exact in motion as well, with ropes that slide past their inertia.
    #[test]
    fn derivatives_are_exact_in_motion() {
        for (name, mut network) in testing::networks() {
            testing::make_equal(&mut network);
            keep_what_moves(&mut network);
            let mut motion = Motion::at_rest(&network, testing::disturbed(&network, 0.02));
            let mut seed = 0.3f64;
            let mut noise = || {
                seed = (seed * 91.7 + 0.313).fract();
                2.0 * seed - 1.0
            };
            for track in motion.nodes.iter_mut().chain(&mut motion.frames).flatten() {
                track.velocity = Vec3::from_fn(|_, _| noise());
            }
            motion.flowed.fill(0.004);
            let settings = MotionSettings {
                strain_delay: 0.003,
                drag: 0.1,
                wind: Vec3::new(2.0, -1.0, 0.5),
                ..MotionSettings::new(0.01, Integrator::ImplicitEuler)
            };
            let mut ws = NetworkWorkspace::new(&network);
            let mut state = motion.state.clone();
            // As if evaluated where it is, before it goes on.
            for k in 0..network.spans.len() {
                state.lengths[k] *= 1.01;
            }
            motion.prepare(&network, &mut ws, &Scheme { settings: &settings, first: true });
            testing::check_slope(&name, &network, &mut state, &mut ws);
            testing::check_newton(&name, &network, &mut state, &mut ws);
            let (name, mut state) = (format!("{name}, tapped"), motion.state.clone());
            let mut ws = NetworkWorkspace::new(&network);
            motion.prepare(&network, &mut ws, &Scheme { settings: &settings, first: true });
            testing::tap(&mut network, &state, &mut ws);
            testing::check_slope(&name, &network, &mut state, &mut ws);
            testing::check_newton(&name, &network, &mut state, &mut ws);
        }
    }

    /// A rigid rod that spins about its beginning has the kinetic energy m L² ω²/6 on any mesh.
    #[test]
    fn a_spinning_rod_has_its_kinetic_energy() {
        for n in [4, 24] {
            let network = testing::cantilever("mixed", n);
            let rod = &network.spans[0].rod;
            let mut state = NetworkState::initial(&network);
            let along =
                |s: f64| Station { position: Vec3::x() * s, frame: rotation::frame(&Vec3::x(), &Vec3::y()) };
            state.spans[0].rod = rod.state_from(&along);
            let mut motion = Motion::at_rest(&network, state);
            let spin = Vec3::new(0.0, 0.0, 3.0);
            let points = rod.matter(&motion.state.spans[0].rod).points;
            for (track, point) in motion.nodes[0].iter_mut().zip(&points) {
                track.velocity = spin.cross(&point.position);
            }
            let exact = rod.total_mass() * rod.length().powi(2) * spin.norm_squared() / 6.0;
            let found = motion.energies(&network).kinetic;
            assert!(exact > 0.0 && (found / exact - 1.0).abs() < 1e-12, "{n} segments: {found} {exact}");
        }
    }

    /// Helices and clothoids step as with one dense matrix over all coordinates: at rest, in motion, and
    /// over whole steps in time.
    #[test]
    fn the_recursion_steps_as_the_composite_matrix_does() {
        let settings = MotionSettings {
            strain_delay: 0.003,
            drag: 0.1,
            ..MotionSettings::new(0.01, Integrator::ImplicitEuler)
        };
        for (name, mut network) in testing::networks() {
            if network.spans.iter().all(|s| s.rod.as_mixed().is_some()) {
                continue;
            }
            testing::make_equal(&mut network);
            let state = testing::disturbed(&network, 0.02);
            let mut pair = [NetworkWorkspace::new(&network), NetworkWorkspace::composite(&network)];
            let [a, b] = &mut pair;
            testing::check_composite(&name, &network, &state, [a, b]);
            keep_what_moves(&mut network);
            let mut pair = [NetworkWorkspace::new(&network), NetworkWorkspace::composite(&network)];
            let state = testing::disturbed(&network, 0.02);
            let motion = Motion::at_rest(&network, state.clone());
            let scheme = Scheme { settings: &settings, first: true };
            pair.iter_mut().for_each(|ws| motion.prepare(&network, ws, &scheme));
            let [a, b] = &mut pair;
            testing::check_composite(&format!("{name} in motion"), &network, &state, [a, b]);
        }
        for model in ["helix", "clothoid"] {
            let network = testing::cantilever(model, 24);
            let [ours, theirs] = [NetworkWorkspace::new(&network), NetworkWorkspace::composite(&network)]
                .map(|mut ws| {
                    let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
                    for _ in 0..5 {
                        let report = motion.step(&network, &mut ws, &settings, &Settings::default());
                        assert_eq!(report.expect("sound network").status, Status::Converged);
                    }
                    motion.state.spans[0].rod.coordinates.clone()
                });
            let off = ours.iter().zip(&theirs).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            let first = NetworkState::initial(&network).spans[0].rod.coordinates.clone();
            let moved = ours.iter().zip(&first).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(moved > 1e-3, "{model}: it bends under its weight, {moved}");
            assert!(off < 1e-10, "{model}: {off:e}");
        }
    }
}
