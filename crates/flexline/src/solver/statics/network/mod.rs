//! Statics of networks: rods between anchors that share poses, branch, and carry rigid parts.
//!
//! A handle, a branch or a rigid part is an anchor; what attaches to it follows its pose exactly,
//! so these constraints need no multipliers: they are topology. Each span is eliminated by the
//! chain factorisation down to the rotations of its two anchors and the force at its far end; what
//! remains is a small symmetric system over anchors, span forces and explicit constraints.

mod assemble;
mod constraint;
mod model;
mod motion;
mod newton;
mod part;
mod reduce;
mod short;
mod slide;
mod state;
mod unilateral;
mod unknowns;

pub use constraint::{Constraint, Direction, Point};
pub use model::{Anchor, Attachment, Grip, Network, NetworkError, Slide, Span};
pub use motion::{Integrator, Motion, MotionEnergies, MotionSettings};
pub use short::Short;
pub use slide::EyeReport;
pub use state::NetworkState;

use super::{Settings, summary};
use crate::algebra::Vec3;
use crate::algebra::block_ldl::BlockMatrix;
use crate::solver::profile::Profile;
use crate::solver::report::{Status, Wrench};
use assemble::{evaluate, factorise, norms, residual};
use constraint::Row;
use newton::{newton_step, solve_frictionless};
use part::PartInertia;
use reduce::SpanSystem;
use serde::{Deserialize, Serialize};
use unknowns::Unknowns;

/// The proof that comes with the state of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// What holds each anchor exerts on it: zero along what is free.
    pub reactions: Vec<Wrench>,
    /// Multiplier of every constraint row, N: the force along its gradient.
    pub multipliers: Vec<f64>,
    /// Number of directions that release energy.
    pub negative: usize,
    /// What goes on at every eye that a rope slides through.
    pub eyes: Vec<EyeReport>,
    /// With [`Status::TooShort`]: the spans that are too short, and by how much.
    pub short: Vec<Short>,
}

/// Scratch of the network solver; made once per topology.
pub struct NetworkWorkspace {
    spans: Vec<SpanSystem>,
    rows: Vec<Row>,
    unknowns: Unknowns,
    matrix: BlockMatrix,
    /// Right-hand side, then solution of the reduced system.
    solution: Vec<f64>,
    /// What holds parts back in motion; `None` at rest.
    parts: Option<Vec<PartInertia>>,
}

impl NetworkWorkspace {
    /// Scratch for `network`.
    pub fn new(network: &Network) -> Self {
        Self::with_stuck(network, &vec![false; network.slides.len()])
    }

    /// Scratch for `network` with some slides held by friction.
    fn with_stuck(network: &Network, stuck: &[bool]) -> Self {
        let unknowns = Unknowns::new(network, stuck);
        let mut ws = Self {
            spans: network.spans.iter().map(|s| SpanSystem::new(network, s)).collect(),
            rows: Vec::new(),
            matrix: BlockMatrix::zeros(&unknowns.pattern),
            solution: vec![0.0; unknowns.pattern.unknowns()],
            parts: None,
            unknowns,
        };
        ws.place(network);
        ws
    }

    /// Takes over the unknowns of `network`, which has the same spans but may differ in what slides
    /// and in its constraints. What the spans know, inertia among it, stays.
    fn adopt(&mut self, network: &Network, stuck: &[bool]) {
        self.unknowns = Unknowns::new(network, stuck);
        self.matrix = BlockMatrix::zeros(&self.unknowns.pattern);
        self.solution = vec![0.0; self.unknowns.pattern.unknowns()];
        self.place(network);
    }

    fn place(&mut self, network: &Network) {
        for (k, span) in self.spans.iter_mut().enumerate() {
            span.place(&network.spans[k], &self.unknowns, k);
            span.place_flows(network, &self.unknowns, k);
        }
    }
}

/// Brings `state` into equilibrium with `network`. Eyes with friction stick as long as they can and
/// slip when they must.
pub fn solve_network(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    match network.check() {
        // The solve will say what is missing, and come as near as it can.
        Ok(()) | Err(NetworkError::TooShort { .. }) => {}
        Err(error) => return Err(error),
    }
    if network.constraints.iter().any(|c| matches!(c, Constraint::String { .. })) {
        return unilateral::solve(network, state, ws, settings);
    }
    solve_bilateral(network, state, ws, settings)
}

/// The same with every constraint an equality.
fn solve_bilateral(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    if network.slides.iter().any(|s| s.friction > 0.0) {
        return slide::solve_with_friction(network, state, ws, settings);
    }
    let before = state.clone();
    let mut report = solve_frictionless(network, state, ws, settings)?;
    if report.status != Status::Converged
        && ws.parts.is_none()
        && let Some(diagnosed) = short::diagnose(network, state, &before, ws, settings)?
    {
        return Ok(diagnosed);
    }
    report.eyes = slide::eyes(network, state, ws, &[]);
    Ok(report)
}

/// One factorisation and one solve of the system of `network` at `state`: the floor that benchmarks
/// compare with. Returns a number that depends on the result.
pub fn factorise_and_solve_once(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
) -> f64 {
    evaluate(network, state, ws);
    let residual = residual(network, state, ws);
    if factorise(network, state, ws, 0.0).is_none() {
        return f64::NAN;
    }
    newton_step(state, ws, &residual);
    ws.solution.first().copied().unwrap_or(0.0)
}

/// The solution along a span.
pub fn span_profile(network: &Network, state: &NetworkState, span: usize) -> Profile {
    let mut system = SpanSystem::new(network, &network.spans[span]);
    system.set_length(&network.spans[span], state.lengths[span]);
    let mut own = state.spans[span].clone();
    system.evaluate(network, &network.spans[span], &state.anchors, &mut own);
    summary::profile(&system.problem, &own, &system.system)
}

fn report(
    network: &Network,
    state: &NetworkState,
    ws: &NetworkWorkspace,
    status: Status,
    iterations: usize,
    negative: usize,
) -> NetworkReport {
    let residual = residual(network, state, ws);
    let norms = norms(network, state, ws, &residual);
    let reactions = network
        .anchors
        .iter()
        .enumerate()
        .map(|(i, a)| Wrench {
            force: Vec3::from_fn(|c, _| if a.held[c] { residual.anchors[i].1[c] } else { 0.0 }),
            moment: if a.held_orientation { residual.anchors[i].0 } else { Vec3::zeros() },
        })
        .collect();
    NetworkReport {
        status,
        iterations,
        residual_force: norms.force,
        largest_force: norms.largest,
        violation: norms.gap,
        reactions,
        multipliers: state.multipliers.clone(),
        negative,
        eyes: Vec::new(),
        short: Vec::new(),
    }
}
