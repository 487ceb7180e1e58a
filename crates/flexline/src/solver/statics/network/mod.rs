//! Statics of networks: rods between anchors that share poses, branch, and carry rigid parts.
//!
//! A handle, a branch or a rigid part is an anchor; what attaches to it follows its pose exactly,
//! so these constraints need no multipliers: they are topology. Each span is eliminated by the
//! chain factorisation down to the rotations of its two anchors and the force at its far end; what
//! remains is a small symmetric system over anchors, span forces and explicit constraints.

mod constraint;
mod model;
mod motion;
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

use super::Settings;
use super::border::GIVE;
use super::newton::{MAX_BEND, MAX_TURN, PROXIMAL, step_size};
use super::summary;
use crate::algebra::block_ldl::BlockMatrix;
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::rod::Rod;
use crate::rod::mixed::cross_hessian;
use crate::solver::problem::Pose;
use crate::solver::profile::Profile;
use crate::solver::report::{Status, Wrench};
use constraint::Row;
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

/// A rigid part on springs to where it would go by itself.
#[derive(Clone, Copy, Debug)]
struct PartInertia {
    /// N/m, and where its centre of mass would be.
    stiffness: f64,
    centre: Vec3,
    /// N m about its own axes, and where it would turn.
    turning: Vec3,
    orientation: Quat,
}

impl PartInertia {
    /// (moment, force) on the part's pose, world axes: derivative of its spring energy.
    fn gradient(&self, pose: &Pose, lever: &Vec3) -> (Vec3, Vec3) {
        let force = self.stiffness * (pose.position + lever - self.centre);
        let turn = rotation::log(&(self.orientation.conjugate() * pose.orientation));
        let moment = rotation::rotate(&pose.orientation, &self.turning.component_mul(&turn));
        (lever.cross(&force) + moment, force)
    }

    fn energy(&self, pose: &Pose, lever: &Vec3) -> f64 {
        let turn = rotation::log(&(self.orientation.conjugate() * pose.orientation));
        0.5 * self.stiffness * (pose.position + lever - self.centre).norm_squared()
            + 0.5 * self.turning.dot(&turn.component_mul(&turn))
    }

    /// Second derivative: rotation–rotation, rotation–translation, translation–translation.
    fn hessian(&self, pose: &Pose, lever: &Vec3) -> (Mat3, Mat3, Mat3) {
        let l = rotation::skew(lever);
        let r = rotation::matrix(&pose.orientation);
        let force = self.stiffness * (pose.position + lever - self.centre);
        let turn = r * Mat3::from_diagonal(&self.turning) * r.transpose() - l * l * self.stiffness
            + cross_hessian(lever, &force);
        (turn, l * self.stiffness, Mat3::identity() * self.stiffness)
    }
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

/// Solves for the step of every span and of the reduced unknowns.
fn newton_step(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    reduced_right_side(state, ws, residual);
    ws.matrix.solve(&ws.unknowns.pattern, &mut ws.solution);
    for span in &mut ws.spans {
        span.back_substitute(&ws.solution);
    }
}

/// Newton's method with the friction of `state` given and the slides of the workspace free.
fn solve_frictionless(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    state.hold(network);
    let mut shift = 0.0;
    let mut iterations = 0;
    let mut rho = 0.0f64;
    let mut good = state.clone();
    loop {
        evaluate(network, state, ws);
        let residual = residual(network, state, ws);
        let norms = norms(network, state, ws, &residual);
        if !(norms.force.is_finite() && norms.gap.is_finite()) {
            *state = good;
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::NumericalFailure, iterations, 0));
        }
        if norms.force <= (settings.force_tolerance * norms.largest).max(norms.round_off)
            && norms.gap <= settings.position_tolerance * norms.length
        {
            // In motion an unstable shape is on its way: nobody asks.
            let negative = if ws.parts.is_some() {
                0
            } else {
                factorise(network, state, ws, 0.0).map_or(0, |negative| negative.max(0) as usize)
            };
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::Converged, iterations, negative));
        }
        if iterations >= 4 * settings.max_iterations {
            *state = good;
            evaluate(network, state, ws);
            return Ok(report(network, state, ws, Status::IterationLimit, iterations, 0));
        }
        iterations += 1;
        good = state.clone();
        // Missing an end by a share of the length shall cost what its force would do over it.
        rho = rho.max(norms.largest / norms.length);

        let Some(used) = factorise_as_minimum(network, state, ws, shift) else {
            return Ok(report(network, state, ws, Status::NumericalFailure, iterations, 0));
        };
        shift = if used < 1e-3 { 0.0 } else { used / 8.0 };
        newton_step(state, ws, &residual);
        if !line_search(network, state, ws, &residual, &mut rho) {
            shift = (8.0 * used).max(0.1);
            if shift > 1e4 {
                evaluate(network, state, ws);
                return Ok(report(network, state, ws, Status::NoProgress, iterations, 0));
            }
        }
    }
}

/// The solution along a span.
pub fn span_profile(network: &Network, state: &NetworkState, span: usize) -> Profile {
    let mut system = SpanSystem::new(network, &network.spans[span]);
    let mut own = state.spans[span].clone();
    system.evaluate(network, &network.spans[span], &state.anchors, &mut own);
    summary::profile(&system.problem, &own, &system.system)
}

fn evaluate(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace) {
    for (k, span) in ws.spans.iter_mut().enumerate() {
        span.set_length(&network.spans[k], state.lengths[k]);
        span.evaluate(network, &network.spans[k], &state.anchors, &mut state.spans[k]);
    }
    ws.rows.clear();
    for constraint in &network.constraints {
        constraint.evaluate(&state.anchors, &mut ws.rows);
    }
}

struct Norms {
    force: f64,
    gap: f64,
    largest: f64,
    round_off: f64,
    length: f64,
}

/// Weight of a rigid part and the moment of its lever.
fn weight(network: &Network, anchor: usize, pose: &Pose) -> (Vec3, Vec3) {
    let a = &network.anchors[anchor];
    (network.gravity * a.mass, rotation::rotate(&pose.orientation, &a.centre))
}

/// Derivative of the Lagrangian by every unknown of the reduced system; gaps and rows last.
/// Held components are kept apart: they are the reactions.
struct Residual {
    /// Rotation and translation parts of every anchor.
    anchors: Vec<(Vec3, Vec3)>,
    /// The same without what the spans ask for.
    own: Vec<(Vec3, Vec3)>,
    rows: Vec<f64>,
    /// Derivative by the flow through every slide that is free, N.
    slides: Vec<f64>,
}

fn residual(network: &Network, state: &NetworkState, ws: &NetworkWorkspace) -> Residual {
    let mut own: Vec<(Vec3, Vec3)> = network
        .anchors
        .iter()
        .enumerate()
        .map(|(i, a)| {
            let (w, lever) = weight(network, i, &state.anchors[i]);
            let mut own = (-a.moment - lever.cross(&w), -a.force - w);
            if let Some(parts) = &ws.parts {
                let (moment, force) = parts[i].gradient(&state.anchors[i], &lever);
                own.0 += moment;
                own.1 += force;
            }
            own
        })
        .collect();
    for (row, multiplier) in ws.rows.iter().zip(&state.multipliers) {
        for (a, turn, shift) in row.columns.into_iter().flatten() {
            own[a].0 -= turn * *multiplier;
            own[a].1 -= shift * *multiplier;
        }
    }
    let mut anchors = own.clone();
    for (k, span) in ws.spans.iter().enumerate() {
        span.add_reactions(&network.spans[k], &state.spans[k], &mut anchors);
    }
    let slides = network
        .slides
        .iter()
        .zip(&ws.unknowns.slides)
        .zip(&state.friction)
        .map(|((slide, slot), friction)| {
            let force = |k: usize| ws.spans[k].length_force(&state.spans[k]);
            if slot.is_some() { force(slide.before) - force(slide.after) - friction } else { 0.0 }
        })
        .collect();
    Residual { anchors, own, rows: ws.rows.iter().map(|r| r.value).collect(), slides }
}

fn norms(network: &Network, state: &NetworkState, ws: &NetworkWorkspace, residual: &Residual) -> Norms {
    let mut n = Norms { force: 0.0, gap: 0.0, largest: 0.0, round_off: 0.0, length: 0.0 };
    if ws.spans.is_empty() {
        n.length = 1.0;
    }
    for (k, span) in ws.spans.iter().enumerate() {
        let own = span.system.norms(&span.problem);
        n.force = n.force.max(own.force);
        n.gap = n.gap.max(span.gap(&state.spans[k]).norm());
        n.largest = n.largest.max(own.largest_force);
        n.round_off = n.round_off.max(own.round_off);
        n.length = n.length.max(span.problem.rod.length());
    }
    for (i, slots) in ws.unknowns.anchors.iter().enumerate() {
        let (turn, shift) = residual.anchors[i];
        for c in 0..3 {
            if slots[c].is_some() {
                n.force = n.force.max(turn[c].abs() / n.length.max(f64::MIN_POSITIVE));
            }
            if slots[c + 3].is_some() {
                n.force = n.force.max(shift[c].abs());
            }
        }
        n.largest = n
            .largest
            .max(weight(network, i, &state.anchors[i]).0.norm())
            .max(network.anchors[i].force.norm());
    }
    for force in &residual.slides {
        n.force = n.force.max(force.abs());
    }
    for (row, multiplier) in ws.rows.iter().zip(&state.multipliers) {
        n.gap = n.gap.max(row.value.abs());
        n.largest = n.largest.max(multiplier.abs());
    }
    n
}

/// Assembles and factorises every span and the reduced matrix; returns the number of directions
/// that release energy.
fn factorise(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    shift: f64,
) -> Option<isize> {
    let NetworkWorkspace { spans, rows, unknowns, matrix, parts, .. } = ws;
    let pattern = &unknowns.pattern;
    matrix.clear();
    let mut negative = 0;
    let mut constraints = rows.len();
    for (k, span) in spans.iter_mut().enumerate() {
        negative += span.factorise(&state.spans[k], shift, PROXIMAL.max(shift)).ok()? as isize;
        span.scatter(pattern, matrix);
        if span.force_slots().is_some() {
            constraints += 3;
        }
    }
    let mut add = |a: usize, b: usize, blocks: [&Mat3; 4]| {
        for r in 0..6 {
            for c in 0..6 {
                if let (Some(i), Some(j)) = (unknowns.anchors[a][r], unknowns.anchors[b][c]) {
                    let value = blocks[2 * (r / 3) + c / 3][(r % 3, c % 3)];
                    matrix.add(pattern, (i.group, i.local), (j.group, j.local), value);
                }
            }
        }
    };
    let zero = Mat3::zeros();
    // A whisper against drifting for what nothing holds.
    let scale = spans.iter().fold(0.0f64, |m, s| m.max(s.system.stiffness / s.problem.rod.length()));
    let length = spans.iter().fold(0.0f64, |m, s| m.max(s.problem.rod.length()));
    let length = if spans.is_empty() { 1.0 } else { length };
    let whisper = Mat3::identity() * (scale * PROXIMAL.max(shift));
    for i in 0..network.anchors.len() {
        let (w, lever) = weight(network, i, &state.anchors[i]);
        let turn = whisper - cross_hessian(&lever, &w);
        add(i, i, [&turn, &zero, &zero, &(whisper / (length * length))]);
        if let Some(parts) = parts {
            let (turn, cross, shift) = parts[i].hessian(&state.anchors[i], &lever);
            add(i, i, [&turn, &cross, &cross.transpose(), &shift]);
        }
    }
    for (row, multiplier) in rows.iter().zip(&state.multipliers) {
        row.add_second(-multiplier, &mut |a, b, pp, pt, tp, tt| add(a, b, [&pp, &pt, &tp, &tt]));
    }
    for (row, slot) in rows.iter().zip(&unknowns.rows) {
        let at = (slot.group, slot.local);
        for (a, turn, shift) in row.columns.into_iter().flatten() {
            for c in 0..6 {
                if let Some(i) = unknowns.anchors[a][c] {
                    let v = if c < 3 { turn[c] } else { shift[c - 3] };
                    matrix.add(pattern, (i.group, i.local), at, v);
                    matrix.add(pattern, at, (i.group, i.local), v);
                }
            }
        }
        // And of give, where rows repeat each other.
        matrix.add(pattern, at, at, -GIVE * length * length / scale.max(f64::MIN_POSITIVE));
    }
    matrix.factorise(pattern).ok()?;
    Some(negative + matrix.negative() as isize - constraints as isize)
}

/// Factorises with the smallest shift found that makes the form positive on the constraint
/// tangent; returns that shift.
fn factorise_as_minimum(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    first: f64,
) -> Option<f64> {
    let mut shift = first;
    for _ in 0..40 {
        if factorise(network, state, ws, shift).is_some_and(|negative| negative <= 0) {
            return Some(shift);
        }
        shift = if shift == 0.0 { 1e-2 } else { 4.0 * shift };
    }
    None
}

/// The right-hand side of the reduced system, after elimination of the spans.
fn reduced_right_side(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    let b = &mut ws.solution;
    b.fill(0.0);
    for (k, span) in ws.spans.iter_mut().enumerate() {
        span.eliminate_residual(&state.spans[k], b);
    }
    for (slots, own) in ws.unknowns.anchors.iter().zip(&residual.own) {
        for c in 0..6 {
            if let Some(slot) = slots[c] {
                b[slot.flat] -= if c < 3 { own.0[c] } else { own.1[c - 3] };
            }
        }
    }
    for (slot, value) in ws.unknowns.rows.iter().zip(&residual.rows) {
        b[slot.flat] -= value;
    }
    // The spans have added their share of the flow's balance; friction is what is left.
    for (slot, friction) in ws.unknowns.slides.iter().zip(&state.friction) {
        if let Some(slot) = slot {
            b[slot.flat] += friction;
        }
    }
}

fn line_search(
    network: &Network,
    state: &mut NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    rho: &mut f64,
) -> bool {
    let step = &ws.solution;
    // New multipliers, and the slope of the merit along the step.
    let forces: Vec<Vec3> = (0..network.spans.len())
        .map(|k| {
            let y =
                ws.spans[k].force_slots().map_or_else(Vec3::zeros, |s| Vec3::from_fn(|i, _| step[s[i].flat]));
            state.spans[k].end_force - y
        })
        .collect();
    let multipliers: Vec<f64> =
        ws.unknowns.rows.iter().zip(&state.multipliers).map(|(slot, m)| m - step[slot.flat]).collect();
    let mut fixed = 0.0;
    let mut gap_sq = 0.0;
    let (mut turn, mut bend) = (f64::MIN_POSITIVE, f64::MIN_POSITIVE);
    for (k, span) in ws.spans.iter().enumerate() {
        fixed += span.slope();
        let gap = span.gap(&state.spans[k]);
        fixed += (forces[k] - state.spans[k].end_force).dot(&gap);
        gap_sq += gap.norm_squared();
        let (t, b) = step_size(&span.step);
        turn = turn.max(t);
        bend = bend.max(b);
    }
    for (slots, r) in ws.unknowns.anchors.iter().zip(&residual.anchors) {
        for c in 0..6 {
            if let Some(slot) = slots[c] {
                let d = step[slot.flat];
                fixed += if c < 3 { r.0[c] * d } else { r.1[c - 3] * d };
                if c < 3 {
                    turn = turn.max(d.abs());
                }
            }
        }
    }
    for (slot, force) in ws.unknowns.slides.iter().zip(&residual.slides) {
        fixed += slot.map_or(0.0, |s| force * step[s.flat]);
    }
    for (k, row) in ws.rows.iter().enumerate() {
        fixed += (multipliers[k] - state.multipliers[k]) * row.value;
        gap_sq += row.value * row.value;
    }
    if gap_sq > 0.0 {
        *rho = rho.max(2.0 * fixed / gap_sq);
    }
    let slope = fixed - *rho * gap_sq;
    let flows: Vec<f64> = ws.unknowns.slides.iter().map(|s| s.map_or(0.0, |s| step[s.flat])).collect();
    // Dead moments have no potential: they work along the step with the moment they have.
    let moment_work: f64 = ws
        .unknowns
        .anchors
        .iter()
        .zip(&network.anchors)
        .flat_map(|(slots, a)| (0..3).map(move |c| slots[c].map_or(0.0, |s| a.moment[c] * step[s.flat])))
        .sum();
    let merit = |state: &NetworkState, ws: &NetworkWorkspace, scale: f64| -> f64 {
        // Friction works against the flow with the force it has.
        let mut total: f64 =
            -scale * moment_work - state.friction.iter().zip(&flows).map(|(f, d)| f * d * scale).sum::<f64>();
        for (k, span) in ws.spans.iter().enumerate() {
            total += span.merit(&network.spans[k], &state.anchors, &state.spans[k], &forces[k], *rho, scale);
        }
        for (i, pose) in state.anchors.iter().enumerate() {
            let (w, lever) = weight(network, i, pose);
            total -= w.dot(&(pose.position + lever)) + network.anchors[i].force.dot(&pose.position);
            if let Some(parts) = &ws.parts {
                total += parts[i].energy(pose, &lever);
            }
        }
        let mut rows = Vec::new();
        for constraint in &network.constraints {
            constraint.evaluate(&state.anchors, &mut rows);
        }
        for (row, multiplier) in rows.iter().zip(&multipliers) {
            total += -multiplier * row.value + 0.5 * *rho * row.value * row.value;
        }
        total
    };
    let start = merit(state, ws, 0.0);
    let noise = 1e-12 * ws.spans.iter().zip(&state.spans).map(|(s, own)| s.energy_scale(own)).sum::<f64>();
    let mut scale = 1f64.min(MAX_TURN / turn).min(MAX_BEND / bend);
    for _ in 0..14 {
        let mut trial = state.clone();
        trial.advance(network, ws, scale);
        // Where the merit cannot tell a difference, Newton's method is trusted.
        if slope.abs() <= noise || merit(&trial, ws, scale) <= start + 1e-4 * scale * slope + noise {
            for k in 0..trial.spans.len() {
                trial.spans[k].end_force += scale * (forces[k] - state.spans[k].end_force);
            }
            for k in 0..multipliers.len() {
                trial.multipliers[k] += scale * (multipliers[k] - state.multipliers[k]);
            }
            *state = trial;
            return true;
        }
        scale *= 0.5;
    }
    false
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
