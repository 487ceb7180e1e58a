//! Statics of networks: rods between anchors that share poses, branch, and carry rigid parts.
//!
//! A handle, a branch or a rigid part is an anchor; what attaches to it follows its pose exactly,
//! so these constraints need no multipliers: they are topology. Each span is eliminated by the
//! chain factorisation down to the rotations of its two anchors and the force at its far end; what
//! remains is a small symmetric system over anchors, span forces and explicit constraints.

mod anderson;
mod assemble;
mod check;
mod compliance;
mod component;
mod contact;
pub(in crate::solver) mod feed;
mod follow;
#[cfg(test)]
mod foreign;
mod lead;
mod merit;
pub(in crate::solver) mod model;
mod modes;
mod nearby;
mod nearest;
mod newton;
pub(in crate::solver) mod part;
mod redundant;
mod room;
pub(in crate::solver) mod rope;
mod short;
mod slide;
mod span;
pub(in crate::solver) mod state;
mod tangent;
#[cfg(test)]
pub(in crate::solver) mod testing;
mod unknowns;
mod unsymmetric;
pub(in crate::solver) mod wheel;
mod yielding;

pub use crate::constraint::{Constraint, Direction, Point, Sense};
pub use crate::joint::{Anchor, Attachment, Grip, Slide, Wheel};
pub use compliance::compliance;
pub use contact::{
    Body, Contact, ContactForce, ContactKey, ContactState, Mount, NearestObstacle, NearestSpan, Other,
    Passage, PassageStretch, Side,
};
pub(in crate::solver) use contact::{is_free, overlap};
pub use feed::solve_fed;
pub(in crate::solver) use lead::between;
pub(in crate::solver) use model::name_span;
pub use model::{Network, NetworkError, Span};
pub(in crate::solver) use modes::{find_forces, leave_unstable, negative_count};
pub use modes::{network_frequencies, network_stability};
pub use nearest::{Nearest, nearest_led};
pub use redundant::redundant;
pub use short::{Conflict, Short};
pub use slide::EyeReport;
pub use state::NetworkState;
pub use tangent::{Beside, NoDerivative, Tangents};

use crate::algebra::block_ldl::BlockMatrix;
use crate::algebra::{Vec3, rotation};
use crate::body::{Pole, Profile, Wrench};
use crate::constraint::Row;
use crate::joint::FrictionLaw;
use crate::rod::Rod;
use crate::rod::mixed::ChainScratch;
use crate::solver::budget;
use crate::solver::report::{Energies, Stability, Status};
use crate::solver::settings::Settings;
use assemble::{evaluate, factorise, norms, residual};
pub(in crate::solver) use nearby::follow_nearby;
pub(in crate::solver) use newton::minimise as minimise_network;
use newton::minimise;
use newton::newton_step;
use part::PartInertia;
use room::Room;
use rope::Rope;
use serde::{Deserialize, Serialize};
use span::SpanSystem;
use unknowns::{Topology, Unknowns};

/// The proof that comes with the state of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetworkReport {
    /// How the solve ended.
    pub status: Status,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest unbalanced force, N, over rods and anchors.
    pub residual_force: f64,
    /// Largest force present, N.
    pub largest_force: f64,
    /// Largest violation of any end or constraint, m.
    pub violation: f64,
    /// What holds each anchor exerts on it, world, about its origin: zero along what is free.
    pub reactions: Vec<Wrench>,
    /// Multiplier of every constraint row, N: the force along its gradient.
    pub multipliers: Vec<f64>,
    /// Number of directions that release energy.
    pub negative: usize,
    /// What every constraint does to its anchors.
    pub holds: Vec<[Option<Hold>; 2]>,
    /// What goes on wherever rope slides from one span to the next.
    pub eyes: Vec<EyeReport>,
    /// What obstacles and spans press on spans with.
    #[serde(default)]
    pub contacts: Vec<Contact>,
    /// Deepest overlap of a span with an obstacle, another span or itself, m.
    #[serde(default)]
    pub penetration: f64,
    /// What is left of the law of contact, relative to the largest force of a contact; what is entered or has slid is made
    /// a force by the stiffness of two pieces of the span.
    #[serde(default)]
    pub contact_residual: f64,
    /// The spans that are too short, and by how much.
    pub short: Vec<Short>,
    /// The constraints that cannot be kept, and by how much they are missed.
    pub conflicts: Vec<Conflict>,
    /// What [`equilibrium`](crate::solver::statics::equilibrium) proves beyond this; nothing in motion.
    #[serde(flatten)]
    pub rest: AtRest,
}

/// What is told of a network at rest beyond the balance of its forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AtRest {
    /// Factorisations, all stages together.
    pub factorisations: usize,
    /// Load steps taken by continuation; 1 when the target was solved at once.
    pub steps: usize,
    /// Largest unbalanced moment, N m.
    pub residual_moment: f64,
    /// Rotation of held ends from where they should be, rad.
    pub rotation_violation: f64,
    /// Worst error of length and coherence of a segment, relative to its length; of a spline, whose length is held on
    /// average, the largest strain of its centreline at any place.
    pub segment_error: f64,
    /// Energies.
    pub energies: Energies,
    /// Second variation, of a rod alone; `None` where it was not asked for or the solve did not converge.
    pub stability: Option<Stability>,
    /// Where a rod alone has no equilibrium in its segments or elements: a number of them in which one was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments_needed: Option<usize>,
}

impl NetworkReport {
    /// Whether every number in it is one: no equilibrium is proved by a report of which this is false.
    pub fn is_finite(&self) -> bool {
        let AtRest { residual_moment, rotation_violation, segment_error, energies: e, .. } = self.rest;
        let sizes = [self.residual_force, self.largest_force, self.violation, residual_moment];
        let more = [rotation_violation, segment_error, e.bending, e.torsion, e.gravity, e.loads];
        sizes.iter().chain(&more).all(|c| c.is_finite()) && self.reactions.iter().all(Wrench::is_finite)
    }

    /// The last door: whatever else went wrong, no number is missing from what proves an equilibrium.
    pub(in crate::solver) fn guarded(mut self) -> Self {
        if self.status == Status::Converged && !self.is_finite() {
            self.status = Status::NumericalFailure;
        }
        self
    }

    /// What an anchor is held with, world, about its origin; nothing where there is no such anchor, as at the free end of a
    /// cable.
    pub fn support(&self, anchor: usize) -> Wrench {
        self.reactions.get(anchor).copied().unwrap_or_default()
    }

    /// Room for a report: it says that nothing was found.
    fn empty() -> Self {
        Self {
            status: Status::NoProgress,
            iterations: 0,
            residual_force: 0.0,
            largest_force: 0.0,
            violation: 0.0,
            reactions: Vec::new(),
            multipliers: Vec::new(),
            negative: 0,
            holds: Vec::new(),
            eyes: Vec::new(),
            contacts: Vec::new(),
            penetration: 0.0,
            contact_residual: 0.0,
            short: Vec::new(),
            conflicts: Vec::new(),
            rest: AtRest::default(),
        }
    }
}

/// What a constraint does to one of its anchors, about the anchor's origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hold {
    /// The anchor.
    pub anchor: usize,
    /// Force and moment in world axes.
    pub world: Wrench,
    /// The same in the axes of the anchor; at a clip these are the cable's own.
    pub material: Wrench,
}

/// Scratch of the network solver. Every solve takes over what has changed in its network since the last: rods and loads
/// cost their spans, holds, grips, constraints and slides all that was prepared.
pub struct NetworkWorkspace {
    /// What the unknowns were laid out for.
    pub(in crate::solver) topology: Topology,
    /// Whether spans of helices and clothoids are eliminated by a dense matrix.
    pub(in crate::solver) is_composite: bool,
    pub(in crate::solver) spans: Vec<SpanSystem>,
    pub(in crate::solver) scratch: ChainScratch,
    pub(in crate::solver) rows: Vec<Row>,
    /// The rows of a trial state.
    pub(in crate::solver) trial_rows: Vec<Row>,
    /// Sense of every row, and whether it takes part now.
    pub(in crate::solver) senses: Vec<Sense>,
    pub(in crate::solver) active: Vec<bool>,
    /// How far every row gives, m/N: zero but for finding out what is in conflict.
    pub(in crate::solver) row_compliance: Vec<f64>,
    /// Moment and force on every anchor that a step is asked for with, besides the residual.
    pub(in crate::solver) pushed: Vec<[Vec3; 2]>,
    /// What touches.
    pub(in crate::solver) contacts: contact::Contacts,
    /// Friction of every slide.
    pub(in crate::solver) friction_laws: Vec<FrictionLaw>,
    /// The ropes that slide.
    pub(in crate::solver) ropes: Vec<Rope>,
    pub(in crate::solver) unknowns: Unknowns,
    pub(in crate::solver) matrix: BlockMatrix,
    /// Whether the factors are those of an equilibrium that was followed here.
    pub(in crate::solver) factored: bool,
    /// Room for small moves: where they come from, and where they lead to.
    pub(in crate::solver) room: [NetworkState; 2],
    /// Room for all else.
    pub(in crate::solver) spare: Room,
    /// Room for steps under loads without potential.
    pub(in crate::solver) turning: unsymmetric::Turning,
    /// What stands for everything that a group of unknowns is coupled with, and whether any of that asks for a
    /// step.
    pub(in crate::solver) roots: Vec<usize>,
    pub(in crate::solver) above_tolerance: Vec<bool>,
    /// Gravity and poles that spans at rest were evaluated with.
    pub(in crate::solver) world: (Vec3, Vec<Pole>),
    /// Room for the solution of the reduced system while the next is made.
    pub(in crate::solver) last_solution: Vec<f64>,
    /// Factorisations since the count was last set to zero.
    pub(in crate::solver) factorisations: usize,
    /// Whether the solution holds what the spans leave of the last residual.
    pub(in crate::solver) reduced: bool,
    /// Right-hand side, then solution of the reduced system.
    pub(in crate::solver) solution: Vec<f64>,
    /// What holds parts back in motion; `None` at rest.
    pub(in crate::solver) parts: Option<Vec<PartInertia>>,
    /// In motion: what had flowed through every slide when the step began, m. Friction is against the flow since.
    pub(in crate::solver) flows_before: Option<Vec<f64>>,
    /// What the solve has cost so far, and what it may cost, in units of [`SpanKernel::cost`](crate::rod::kernel::SpanKernel::cost).
    pub(in crate::solver) work: f64,
    pub(in crate::solver) most_work: f64,
}

/// What a solve may cost at least, and in factorisations of all spans: some seconds. Without a bound a scene that no
/// attempt can solve would be tried in all ways for minutes.
const MOST_WORK: f64 = 3e7;
const MOST_FACTORISATIONS: f64 = 400.0;

impl NetworkWorkspace {
    /// Scratch for `network`. Of a network that names what does not exist nothing is prepared: a solve refuses it.
    pub fn new(network: &Network) -> Self {
        let nothing = Network::default();
        let network = if network.check_links().is_ok() { network } else { &nothing };
        let unknowns = Unknowns::new(network);
        let senses: Vec<Sense> =
            network.constraints.iter().flat_map(|c| std::iter::repeat_n(c.sense(), c.rows())).collect();
        let mut ws = Self {
            topology: Topology::new(network),
            is_composite: false,
            spans: network.spans.iter().map(SpanSystem::new).collect(),
            scratch: ChainScratch::default(),
            rows: Vec::with_capacity(senses.len()),
            trial_rows: Vec::with_capacity(senses.len()),
            active: vec![true; senses.len()],
            row_compliance: vec![0.0; senses.len()],
            senses,
            pushed: vec![[Vec3::zeros(); 2]; network.anchors.len()],
            contacts: contact::Contacts::default(),
            friction_laws: vec![FrictionLaw::default(); network.slides.len()],
            ropes: rope::ropes(network),
            matrix: BlockMatrix::zeros(&unknowns.pattern),
            factored: false,
            room: Default::default(),
            spare: Room::default(),
            turning: unsymmetric::Turning::default(),
            roots: unknowns.pattern.roots(),
            above_tolerance: Vec::new(),
            world: (Vec3::zeros(), Vec::new()),
            last_solution: Vec::new(),
            reduced: false,
            factorisations: 0,
            solution: vec![0.0; unknowns.pattern.unknowns()],
            parts: None,
            flows_before: None,
            work: 0.0,
            most_work: f64::INFINITY,
            unknowns,
        };
        ws.place(network);
        ws
    }

    /// The same, but spans of helices and clothoids are eliminated the composite way: one dense matrix over
    /// all their coordinates instead of the recursion from end to start. The steps are the same, the cost
    /// grows with the cube of the elements; tests and benchmarks hold the recursion against it.
    #[doc(hidden)] // for tests and benchmarks alone
    pub fn composite(network: &Network) -> Self {
        let mut ws = Self::new(network);
        ws.is_composite = true;
        ws.spans.iter_mut().for_each(|span| span.kernel.compose());
        ws
    }

    /// Takes over whatever has changed in `network`, which is sound, since the last solve.
    pub(in crate::solver) fn read(&mut self, network: &Network) {
        if !self.topology.is_of(network) {
            let own = if self.is_composite { Self::composite(network) } else { Self::new(network) };
            let Self { factorisations, work, most_work, .. } = *self;
            *self = Self { factorisations, work, most_work, ..own };
            return;
        }
        let mut changed = false;
        for (own, span) in self.spans.iter_mut().zip(&network.spans) {
            changed |= own.read(span, self.is_composite);
        }
        if changed {
            self.factored = false;
            self.reduced = false;
        }
    }

    /// Where gravity or poles have changed, spans at rest are evaluated anew.
    fn see_world(&mut self, network: &Network) {
        if self.world.0 != network.gravity || self.world.1 != network.poles {
            self.world.0 = network.gravity;
            self.world.1.clone_from(&network.poles);
            self.spans.iter_mut().for_each(SpanSystem::forget);
        }
    }

    /// In motion: moves the targets of sliding rope to where it has gone.
    pub(in crate::solver) fn set_slid(&mut self, state: &NetworkState) {
        if self.parts.is_none() {
            return;
        }
        for rope in &self.ropes {
            for (k, slid) in rope.slid(state) {
                self.spans[k].kernel.set_slid(slid);
            }
        }
    }

    /// What row `k` misses: its value, less what it gives.
    fn row_value(&self, state: &NetworkState, k: usize) -> f64 {
        self.rows[k].value + self.row_compliance[k] * state.multipliers[k]
    }

    /// How a solve must end now: the budget around it is spent, or it has cost too much.
    pub(in crate::solver) fn stop(&self) -> Option<Status> {
        budget::stop().or_else(|| (self.work > self.most_work).then_some(Status::IterationLimit))
    }

    /// Counts factorisations from here.
    pub(in crate::solver) fn count_anew(&mut self) {
        self.factorisations = 0;
        self.begin();
    }

    /// Counts the cost of a solve from here.
    fn begin(&mut self) {
        self.work = 0.0;
        self.most_work = MOST_WORK.max(MOST_FACTORISATIONS * self.cost());
    }

    /// Cost of one factorisation of all spans.
    fn cost(&self) -> f64 {
        self.spans.iter().map(|span| span.kernel.cost()).sum()
    }

    /// Goes on with the budget of another workspace, as far as that is spent.
    pub(super) fn share_budget(&mut self, other: &Self) {
        (self.work, self.most_work) = (other.work, other.most_work);
    }

    /// Counts factorisations that were made elsewhere.
    pub(in crate::solver) fn count(&mut self, factorisations: usize) {
        self.factorisations += factorisations;
    }

    /// Whether the factors of the last solve predict the next move.
    pub(in crate::solver) fn is_factored(&self) -> bool {
        self.factored
    }

    /// Factorisations since then.
    pub(in crate::solver) fn factorisations(&self) -> usize {
        self.factorisations
    }

    /// By how much the end of a span misses its place, m and rad, at the last evaluation.
    pub(in crate::solver) fn missed(&self, span: usize) -> (f64, f64) {
        let own = &self.spans[span];
        (own.kernel.gap().norm(), own.kernel.turn_gap())
    }

    /// What the elements of a span miss of the curvature that balances the forces, rad.
    pub(in crate::solver) fn missed_curvature(&self, span: usize) -> Vec<f64> {
        self.spans[span].kernel.missed_curvature()
    }

    /// Energy of the weight of a span at the last evaluation, J, where its kernel has it at hand.
    pub(in crate::solver) fn weight_energy(&self, span: usize) -> Option<f64> {
        self.spans[span].kernel.weight_energy()
    }

    /// Puts the ends of all spans on their anchors.
    pub(in crate::solver) fn set_ends(&mut self, network: &Network, state: &mut NetworkState) {
        for (k, span) in self.spans.iter_mut().enumerate() {
            span.set_length(&network.spans[k], state.free_length(k));
            span.set_ends(&network.spans[k], &state.anchors, &mut state.spans[k]);
        }
    }

    /// The longest span, m.
    fn longest(&self) -> f64 {
        if self.spans.is_empty() {
            return 1.0;
        }
        self.spans.iter().fold(0.0, |m, s| m.max(s.length()))
    }

    /// A force that bends a span double, N.
    fn force_scale(&self) -> f64 {
        let scale = |s: &SpanSystem| s.stiffness() / s.length().powi(2);
        self.spans.iter().map(scale).fold(0.0, f64::max).max(f64::MIN_POSITIVE)
    }

    /// A force that bends a segment or element of a span double, N.
    fn piece_force_scale(&self, network: &Network) -> f64 {
        let pieces = network.spans.iter().map(|span| span.rod.pieces().0 as f64);
        self.spans
            .iter()
            .zip(pieces)
            .map(|(s, n)| s.stiffness() * (n / s.length()).powi(2))
            .fold(0.0, f64::max)
    }

    /// The least force that bends a span double, N.
    fn least_force_scale(&self) -> f64 {
        let scale = |s: &SpanSystem| s.stiffness() / s.length().powi(2);
        self.spans.iter().map(scale).fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE)
    }

    /// The stiffness that missing a constraint is weighed with at least, N/m.
    fn least_penalty(&self) -> f64 {
        self.force_scale() / self.longest()
    }

    fn place(&mut self, network: &Network) {
        for (k, span) in self.spans.iter_mut().enumerate() {
            span.place(&network.spans[k], &self.unknowns, k);
        }
        for (slide, slot) in network.slides.iter().zip(&self.unknowns.slides) {
            for (side, span) in [slide.before, slide.after].into_iter().enumerate() {
                if let Some(span) = span {
                    self.spans[span].add_flow(side, *slot);
                }
            }
        }
    }
}

/// Brings `state` into equilibrium with `network`. Eyes with friction stick as long as they can and
/// slip when they must. Where there is no equilibrium it says what is missing.
pub fn solve_network(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let (mut report, before) = settle(network, state, ws, settings)?;
    let unstable = report.status == Status::Converged && report.negative > 0;
    if settings.seek_stable && unstable && ws.parts.is_none() && !follows_forces(network) {
        report = leave_unstable(network, state, ws, settings, report)?;
        slide::add_eyes(network, state, ws, &mut report.eyes);
    }
    if let Some(before) = before {
        if report.status != Status::Converged && ws.parts.is_none() && stopped(ws, &report).is_none() {
            report = diagnosed(network, state, ws, settings, before, report)?;
        } else {
            ws.leave(before);
        }
    }
    no_room(network, ws, &mut report);
    Ok(report)
}

/// Where spans have no room to bend there is no equilibrium, whatever was found.
fn no_room(network: &Network, ws: &NetworkWorkspace, report: &mut NetworkReport) {
    if matches!(report.status, Status::TooShort | Status::Conflict) || ws.parts.is_some() {
        return;
    }
    let stiff = (0..network.spans.len()).filter(|span| network.has_no_room_to_bend(*span));
    let stiff: Vec<Short> = stiff.map(|span| Short { span, missing: 0.0 }).collect();
    if !stiff.is_empty() {
        (report.status, report.short) = (Status::TooShort, stiff);
    }
}

/// Looks for what is missing, or for another way, where `report` is of no equilibrium.
fn diagnosed(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
    before: NetworkState,
    mut report: NetworkReport,
) -> Result<NetworkReport, NetworkError> {
    ws.begin();
    let mut nearest = state.clone();
    if let Some(found) = short::diagnose(&network.on_rims(&before), &mut nearest, &before, ws, settings)? {
        // Found with nothing that follows the forces, an equilibrium is a start and not an answer.
        let found = if found.status == Status::Converged {
            attempt(network, &mut nearest, ws, settings)?
        } else {
            found
        };
        if matches!(found.status, Status::Converged | Status::TooShort | Status::Conflict) {
            *state = nearest;
            return Ok(found);
        }
    }
    ws.begin();
    let mut led = before;
    if let Some(found) = lead::lead(network, &mut led, ws, settings)? {
        (report, *state) = (found, led);
    }
    match stopped(ws, &report) {
        Some(stop) => Ok(NetworkReport { status: stop, ..report }),
        None => Ok(report),
    }
}

/// The same without looking for what is missing where no equilibrium is found: for who has another way to go on.
pub fn settle_network(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    let (mut report, before) = settle(network, state, ws, settings)?;
    if let Some(before) = before {
        ws.leave(before);
    }
    no_room(network, ws, &mut report);
    Ok(report)
}

/// The same, with the state that it began in, unless a small move led to an equilibrium.
fn settle(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<(NetworkReport, Option<NetworkState>), NetworkError> {
    settings.check().map_err(NetworkError::Setting)?;
    // The solve will say what is missing, and come as near as it can.
    network.check_even_short()?;
    state.check(network)?;
    ws.factorisations = 0;
    ws.read(network);
    if network.has_contact() && ws.parts.is_none() {
        ws.begin();
        let report = contact::settle(network, state, ws, settings)?;
        state.carry_shapes(network);
        return Ok((report, None));
    }
    // Who has just been solved for moves on from there. A step in time knows nothing but its state, so that a run
    // that was interrupted goes on as if it had not been; where nothing touches, it is near what it was guessed to be,
    // and a budget that is spent is looked at here, since small moves do not.
    let is_near = if ws.parts.is_some() {
        ws.factored = false;
        !network.has_contact() && budget::stop().is_none()
    } else {
        ws.factored
    };
    if is_near
        && !follows_forces(network)
        && let Some(mut report) = follow_nearby(network, state, ws, settings)
    {
        slide::add_eyes(network, state, ws, &mut report.eyes);
        return Ok((report, None));
    }
    ws.begin();
    let before = ws.copy_of(state);
    let mut report = attempt(network, state, ws, settings)?;
    if let Some(stop) = stopped(ws, &report) {
        return Ok((NetworkReport { status: stop, ..report }, Some(before)));
    }
    if report.status != Status::Converged && !network.slides.is_empty() {
        let mut again = before.clone();
        if follow::settle(&network.on_rims(&before), &mut again, ws, settings)? == Status::Converged {
            let second = attempt(network, &mut again, ws, settings)?;
            if second.status == Status::Converged {
                (report, *state) = (second, again);
            }
        }
    }
    Ok((report, Some(before)))
}

/// How a solve without an equilibrium must end, where its budget is spent.
fn stopped(ws: &NetworkWorkspace, report: &NetworkReport) -> Option<Status> {
    ws.stop().filter(|_| report.status != Status::Converged)
}

/// Whether anything follows the forces: friction, or where rope leaves a wheel.
fn follows_forces(network: &Network) -> bool {
    network.slides.iter().any(|s| s.friction > 0.0 || s.wheel.is_some())
}

/// Newton's method from `state`, with what follows the forces where anything does.
fn attempt(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    if follows_forces(network) {
        return follow::solve_following(network, state, ws, settings);
    }
    let mut report = minimise(network, state, ws, settings)?;
    slide::add_eyes(network, state, ws, &mut report.eyes);
    Ok(report)
}

/// What `state` is worth where nothing was done about it.
pub(in crate::solver) fn blocked(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
) -> NetworkReport {
    evaluate(network, state, ws);
    report(network, state, ws, Status::NoProgress, 0, 0)
}

/// One factorisation and one solve of the system of `network` at `state`: the floor that benchmarks
/// compare with. Returns a number that depends on the result.
#[doc(hidden)] // for benchmarks alone
pub fn factorise_and_solve_once(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
) -> f64 {
    ws.read(network);
    evaluate(network, state, ws);
    let residual = residual(network, state, ws);
    if factorise(network, state, ws, 0.0).is_none() {
        return f64::NAN;
    }
    newton_step(network, state, ws, &residual);
    ws.leave_residual(residual);
    ws.solution.first().copied().unwrap_or(0.0)
}

/// The solution along a span; empty where there is no such span, or it has another size.
pub fn span_profile(network: &Network, state: &NetworkState, span: usize) -> Profile {
    if !fits(network, state, span) || network.check_links().is_err() {
        return Profile { samples: Vec::new() };
    }
    if network.has_contact() {
        return profiles(network, state, &mut NetworkWorkspace::new(network)).swap_remove(span);
    }
    let network = network.on_rims(state);
    SpanSystem::new(&network.spans[span]).profile_at(&network, state, span)
}

/// The solution along every span, from what the workspace has of it: most was evaluated by the solve before.
pub fn profiles(network: &Network, state: &NetworkState, ws: &mut NetworkWorkspace) -> Vec<Profile> {
    let sound = network.check_links().is_ok() && (0..network.spans.len()).all(|k| fits(network, state, k));
    if !sound {
        return (0..network.spans.len()).map(|k| span_profile(network, state, k)).collect();
    }
    ws.read(network);
    ws.see_world(network);
    let network = network.on_rims(state);
    if network.has_contact() {
        // What presses is found where the spans are.
        evaluate(&network, &mut state.clone(), ws);
    }
    ws.spans.iter_mut().enumerate().map(|(k, span)| span.profile_at(&network, state, k)).collect()
}

/// Whether there is such a span, of the size that the state knows.
fn fits(network: &Network, state: &NetworkState, span: usize) -> bool {
    let own = network.spans.get(span).zip(state.spans.get(span));
    own.is_some_and(|(span, own)| span.rod.coordinate_count() == own.rod.coordinates.len())
        && span < state.lengths.len()
        && network.anchors.len() == state.anchors.len()
}

fn report(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    status: Status,
    iterations: usize,
    negative: usize,
) -> NetworkReport {
    let residual = residual(network, state, ws);
    let norms = norms(network, state, ws, &residual);
    let mut report = ws.spare_report().unwrap_or_else(NetworkReport::empty);
    report.reactions.clear();
    report.reactions.extend(network.anchors.iter().zip(&residual.anchors).map(|(a, own)| Wrench {
        force: Vec3::from_fn(|c, _| if a.held[c] { own.1[c] } else { 0.0 }),
        moment: if a.held_orientation { own.0 } else { Vec3::zeros() },
    }));
    ws.leave_residual(residual);
    let sizes = [norms.force, norms.gap, norms.largest];
    report.status = match status {
        Status::Converged
            if !sizes.iter().all(|c| c.is_finite()) || !report.reactions.iter().all(Wrench::is_finite) =>
        {
            Status::NumericalFailure
        }
        // A fold in motion is on its way.
        Status::Converged if ws.parts.is_none() && ws.spans.iter().any(|span| span.kernel.is_folded()) => {
            Status::Folded
        }
        status => status,
    };
    report.iterations = iterations;
    report.residual_force = norms.force;
    report.largest_force = norms.largest;
    report.violation = norms.gap;
    report.multipliers.clone_from(&state.multipliers);
    report.negative = negative;
    report.holds.clear();
    add_holds(network, state, ws, &mut report.holds);
    report.eyes.clear();
    report.contacts.clear();
    ws.contacts.report(&ws.spans, &mut report.contacts);
    report.penetration = ws.contacts.penetration();
    report.contact_residual = ws.contacts.law_residual(network, &ws.spans);
    report.short.clear();
    report.conflicts.clear();
    report.rest = AtRest::default();
    report
}

/// What every constraint does to its anchors: multiplier times gradient, row by row.
fn add_holds(
    network: &Network,
    state: &NetworkState,
    ws: &NetworkWorkspace,
    holds: &mut Vec<[Option<Hold>; 2]>,
) {
    let mut rows = ws.rows.iter().zip(&state.multipliers);
    holds.extend(network.constraints.iter().map(|c| {
        let mut sums = c.anchors().map(|a| a.map(|a| (a, Wrench::default())));
        for (row, multiplier) in rows.by_ref().take(c.rows()) {
            for (sum, column) in sums.iter_mut().zip(&row.columns) {
                if let (Some((_, wrench)), Some((_, turn, shift))) = (sum, column) {
                    wrench.force += shift * *multiplier;
                    wrench.moment += turn * *multiplier;
                }
            }
        }
        sums.map(|s| {
            s.map(|(anchor, world)| {
                let back = state.anchors[anchor].orientation.conjugate();
                let material = Wrench {
                    force: rotation::rotate(&back, &world.force),
                    moment: rotation::rotate(&back, &world.moment),
                };
                Hold { anchor, world, material }
            })
        })
    }));
}
