//! Statics: the equilibrium of a rod between its ends, with its proof.
//!
//! [`solve`] reads as the algorithm: predict from the last state, Newton; where that fails,
//! continuation from the last good state; then the report. `../README.md` states the mathematics.

mod adaptive;
mod border;
mod continuation;
mod finer;
mod integral;
mod loads;
mod nearest;
pub mod network;
mod newton;
mod one_span;
mod predict;
mod stability;
mod start;
mod summary;
mod system;

pub use adaptive::{
    Adapted, MOST_ELEMENTS, MOST_SEGMENTS, RICHARDSON, best_shrinkage, distance, solve_adaptive, solve_placed,
};
pub use integral::{IntegralRun, IntegralSettings, integral_forces};
pub use nearest::nearest_state;
pub use start::initial_state;

use crate::algebra::chain::ChainVector;
use crate::algebra::{Vec3, rotation};
use crate::rod::{Rod, Station};
use crate::solver::budget;
use crate::solver::problem::{Problem, ProblemError, State};
use crate::solver::profile::Profile;
use crate::solver::report::{Report, Status};
use border::Bordered;
use network::{Network, NetworkState, NetworkWorkspace, solve_network};
use newton::Outcome;
use one_span::OneSpan;
use serde::{Deserialize, Serialize};
use system::System;

/// How many times as many iterations the last resort may take.
const PATIENT: usize = 10;

/// How an equilibrium is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Newton's method on the exact saddle-point system, with fallbacks.
    #[default]
    Newton,
    /// The dissertation's springs and integral forces, minimised by its cascade.
    IntegralForces(IntegralSettings),
}

/// What to solve to, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How the equilibrium is found.
    pub method: Method,
    /// Largest unbalanced force allowed, as a share of the largest force present. Default 1e-9;
    /// round-off of the arithmetic is always allowed.
    pub force_tolerance: f64,
    /// Largest distance of a held end from its place, as a share of the length. Default 1e-11.
    pub position_tolerance: f64,
    /// Newton iterations before an attempt is given up. Default 60; more helps only cold starts
    /// far from equilibrium.
    pub max_iterations: usize,
    /// Compute the smallest eigenvalue of the second variation. Default true; costs as much as some
    /// sixty-five factorisations, and the next warm start has to do without the tangent predictor.
    pub stability: bool,
    /// When the equilibrium found is unstable, leave it along its softest direction for the
    /// nearest stable one. Default false; a cold start that needed its fallbacks always does, since
    /// its way there was no path that anybody chose.
    pub seek_stable: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Newton,
            force_tolerance: 1e-9,
            position_tolerance: 1e-11,
            max_iterations: 60,
            stability: true,
            seek_stable: false,
        }
    }
}

impl Settings {
    /// Refuses what no solve can keep: a tolerance that anything meets or nothing, no iterations at all.
    pub fn check(&self) -> Result<(), ProblemError> {
        let integral = match self.method {
            Method::Newton => IntegralSettings::default(),
            Method::IntegralForces(own) => own,
        };
        let share = "a share, 0 or more and below 1";
        let positive = "a finite number above 0";
        let within = |value: f64| (0.0..1.0).contains(&value);
        let above = |value: f64| value > 0.0 && value.is_finite();
        let all = [
            ("force_tolerance", self.force_tolerance, within(self.force_tolerance), share),
            ("position_tolerance", self.position_tolerance, within(self.position_tolerance), share),
            ("max_iterations", self.max_iterations as f64, self.max_iterations > 0, "1 or more"),
            ("alpha", integral.alpha, above(integral.alpha), positive),
            ("stiffness", integral.stiffness, above(integral.stiffness), positive),
            ("tolerance", integral.tolerance, within(integral.tolerance), share),
            ("max_iterations", integral.max_iterations as f64, integral.max_iterations > 0, "1 or more"),
        ];
        match all.into_iter().find(|(.., good, _)| !good) {
            Some((what, value, _, expected)) => Err(ProblemError::Setting { what, value, expected }),
            None => Ok(()),
        }
    }

    /// For interactive increments: no stability analysis, and ends where they belong to 1e-10 of the
    /// length, which whole steps reach as soon as forces are balanced.
    pub fn interactive() -> Self {
        Self { stability: false, position_tolerance: 1e-10, ..Self::default() }
    }
}

/// Scratch of the solver. Made once per rod; a prepared solve of a chain allocates nothing.
pub struct Workspace(Scratch);

enum Scratch {
    /// For a chain of nodes and frames.
    Chain(Box<ChainWorkspace>),
    /// For any other model.
    Other(Box<OneSpan>),
}

impl Workspace {
    /// Scratch for `problem`, or any problem with as many segments.
    pub fn new(problem: &Problem) -> Self {
        Self(match problem.rod.as_mixed() {
            Some(_) => Scratch::Chain(Box::new(ChainWorkspace::new(problem))),
            None => Scratch::Other(Box::new(OneSpan::new(problem))),
        })
    }

    /// One factorisation and one solve of the matrix of the last solve: the floor that
    /// benchmarks compare with. Returns a number that depends on the result.
    pub fn factorise_and_solve_once(&mut self, problem: &Problem) -> f64 {
        match &mut self.0 {
            Scratch::Chain(ws) if problem.rod.as_mixed().is_some() => ws.factorise_and_solve_once(problem),
            Scratch::Other(ws) => ws.factorise_and_solve_once(),
            Scratch::Chain(_) => f64::NAN,
        }
    }
}

/// Scratch for chains.
#[derive(Clone, Debug)]
struct ChainWorkspace {
    system: System,
    bordered: Bordered,
    step: ChainVector,
    trial: State,
    backup: State,
    good: State,
    solution: State,
    tangent_valid: bool,
    iterations: usize,
    factorisations: usize,
    steps: usize,
}

impl ChainWorkspace {
    fn new(problem: &Problem) -> Self {
        let n = problem.chain().segments();
        let state = start::blank_state(problem);
        Self {
            system: System::new(problem),
            bordered: Bordered::new(n),
            step: ChainVector::zeros(n),
            trial: state.clone(),
            backup: state.clone(),
            good: state.clone(),
            solution: state,
            tangent_valid: false,
            iterations: 0,
            factorisations: 0,
            steps: 0,
        }
    }

    /// Begins with a problem in the state that is the last good one.
    fn begin(&mut self, problem: &Problem, state: &State) {
        self.system.read_loads(problem);
        self.good.copy_from(state);
    }

    fn factorise_and_solve_once(&mut self, problem: &Problem) -> f64 {
        if self.bordered.factorise(problem, &self.system).is_err() {
            return f64::NAN;
        }
        let force = newton::newton_step(problem, self, Vec3::zeros());
        force.x + self.step.f[1].x
    }
}

/// Brings `state` into equilibrium with `problem`.
///
/// `state` is where the rod was; its ends may differ from those of the problem, and full turns of
/// `End::twist` are carried over. On any status but [`Status::Converged`] the state is the last
/// good one, with the ends it belongs to.
pub fn solve(
    problem: &Problem,
    state: &mut State,
    ws: &mut Workspace,
    settings: &Settings,
) -> Result<Report, ProblemError> {
    settings.check()?;
    if !state.is_finite() {
        return Err(ProblemError::NotFinite { what: "the state" });
    }
    let mut report = match &mut ws.0 {
        Scratch::Chain(ws) if problem.rod.as_mixed().is_some() => solve_chain(problem, state, ws, settings),
        Scratch::Other(ws) if problem.rod.as_mixed().is_none() => ws.solve(problem, state, settings),
        _ => Err(ProblemError::Size),
    }?;
    // The last door: whatever else went wrong, no number is missing from a proof.
    if report.status == Status::Converged && !report.is_finite() {
        report.status = Status::NumericalFailure;
    }
    Ok(report)
}

fn solve_chain(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
) -> Result<Report, ProblemError> {
    ws.iterations = 0;
    ws.factorisations = 0;
    ws.steps = 1;
    if !fits(problem, state) || ws.system.internal.len() != problem.chain().segments() {
        return Err(ProblemError::Size);
    }
    match problem.check() {
        Ok(()) => {}
        Err(ProblemError::TooShort { missing, .. }) => {
            return Ok(summary::failure(problem, state, ws, Status::TooShort, Some(missing)));
        }
        Err(error) => return Err(error),
    }
    if problem.has_no_room_to_bend() {
        return Ok(summary::failure(problem, state, ws, Status::TooShort, Some(0.0)));
    }
    ws.begin(problem, state);
    let mut segments_needed = None;
    let outcome = match settings.method {
        Method::Newton => {
            let mut outcome = seek(problem, state, ws, settings);
            if outcome != Outcome::Converged {
                (outcome, segments_needed) = finer::by_finer_chain(problem, state, ws, settings, outcome);
            }
            outcome
        }
        Method::IntegralForces(constants) => by_integral_forces(problem, state, ws, &constants)?,
    };
    let status = match outcome {
        Outcome::Converged => Status::Converged,
        Outcome::Limit => Status::IterationLimit,
        Outcome::NoProgress => Status::NoProgress,
        Outcome::Folded => Status::Folded,
        Outcome::Failure => Status::NumericalFailure,
    };
    if status != Status::Converged {
        let status = budget::stop().unwrap_or(status);
        // As long as its ends are apart: no finite tension carries a load across.
        return Ok(if problem.has_no_slack() {
            summary::failure(problem, state, ws, Status::TooShort, Some(0.0))
        } else {
            Report { segments_needed, ..summary::failure(problem, state, ws, status, None) }
        });
    }
    state.ends = problem.ends;
    if settings.seek_stable {
        stability::leave_unstable(problem, state, ws, settings);
    }
    let mut report = summary::report(problem, state, ws, Status::Converged);
    if settings.stability {
        report.stability = stability::analyse(problem, state, ws);
    }
    ws.solution.copy_from(state);
    Ok(report)
}

/// Newton's method from `state`, and whatever else may lead to an equilibrium of the chain in hand.
fn seek(problem: &Problem, state: &mut State, ws: &mut ChainWorkspace, settings: &Settings) -> Outcome {
    predict::move_ends(problem, state, ws);
    let mut outcome = newton::newton(problem, state, ws, settings, settings.max_iterations);
    if outcome != Outcome::Converged {
        outcome = continuation::retry(problem, state, ws, settings);
    }
    if outcome != Outcome::Converged {
        outcome = by_cascade(problem, state, ws, settings, outcome);
    }
    if outcome != Outcome::Converged {
        outcome = laid_anew(problem, state, ws, settings, outcome);
    }
    outcome
}

/// When all of that fails: what went before is forgotten. The cable is laid anew between its ends, which are first let
/// go and then drawn together; Newton's method finishes. On failure the state stays as it is and `before` is the outcome.
fn laid_anew(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
    before: Outcome,
) -> Outcome {
    ws.good.copy_from(state);
    let network = Network::from_cable(problem);
    let settings = Settings { max_iterations: PATIENT * settings.max_iterations, ..*settings };
    // Between its ends, or at rest from its start.
    let frame = problem.ends[0].frame().unwrap_or_else(rotation::identity);
    let rest = problem.rod.rest_state(&Station { position: problem.ends[0].position, frame });
    let at_rest = NetworkState::from_cable(&network, &State::new(rest, problem.ends));
    for mut laid in [NetworkState::initial(&network), at_rest] {
        let solved = solve_network(&network, &mut laid, &mut NetworkWorkspace::new(&network), &settings);
        if !solved.is_ok_and(|report| report.status == Status::Converged) {
            continue;
        }
        state.copy_from(&laid.spans[0]);
        predict::set_ends(problem, state);
        if newton::newton(problem, state, ws, &settings, settings.max_iterations) == Outcome::Converged {
            return Outcome::Converged;
        }
    }
    state.copy_from(&ws.good);
    before
}

/// When steps fail: the cascade always goes downhill, wherever that leads; Newton's method
/// finishes. On failure the state stays the last good one and `before` is the outcome.
fn by_cascade(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    settings: &Settings,
    before: Outcome,
) -> Outcome {
    ws.good.copy_from(state);
    predict::move_ends(problem, state, ws);
    let constants = IntegralSettings { max_iterations: 12, ..Default::default() };
    let Ok(run) = integral_forces(problem, state, &constants) else {
        state.copy_from(&ws.good);
        return before;
    };
    ws.steps += run.length_errors.len();
    predict::set_ends(problem, state);
    let outcome = newton::newton(problem, state, ws, settings, 4 * settings.max_iterations);
    if outcome == Outcome::Converged {
        return outcome;
    }
    state.copy_from(&ws.good);
    before
}

fn by_integral_forces(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    constants: &IntegralSettings,
) -> Result<Outcome, ProblemError> {
    ws.tangent_valid = false;
    predict::move_ends(problem, state, ws);
    let run = match integral_forces(problem, state, constants) {
        Ok(run) => run,
        Err(error) => {
            state.copy_from(&ws.good);
            return Err(error);
        }
    };
    ws.iterations = run.loops;
    ws.factorisations = run.loops;
    ws.steps = run.length_errors.len();
    if run.converged {
        ws.system.evaluate(problem, state);
        return Ok(Outcome::Converged);
    }
    state.copy_from(&ws.good);
    Ok(Outcome::Limit)
}

/// Whether `state` has the size that the rod of `problem` asks for.
fn fits(problem: &Problem, state: &State) -> bool {
    state.rod.coordinates.len() == problem.chain().coordinate_count()
        && state.rod.twist.len() == problem.chain().segments() + 1
}

/// Whether problem and state are what a solve would take.
fn is_posed(problem: &Problem, state: &State) -> bool {
    state.is_finite() && matches!(problem.check(), Ok(()) | Err(ProblemError::TooShort { .. }))
}

/// Lays the rod of `problem` between its ends and solves: the one-call form.
pub fn solve_from_scratch(problem: &Problem, settings: &Settings) -> Result<(State, Report), ProblemError> {
    let mut state = initial_state(problem);
    let mut ws = Workspace::new(problem);
    let report = solve(problem, &mut state, &mut ws, settings)?;
    Ok((state, report))
}

/// Number of directions in which an equilibrium releases energy; `None` when the matrix is
/// singular to working precision. Costs one factorisation: thresholds are found with it.
pub fn negative_directions(problem: &Problem, state: &State, ws: &mut Workspace) -> Option<usize> {
    match &mut ws.0 {
        Scratch::Chain(ws) => {
            let ws = prepared(problem, state, ws)?;
            stability::count(problem, &mut state.clone(), ws, -stability::NEUTRAL, stability::NEUTRAL)
        }
        Scratch::Other(ws) => ws.negative_directions(problem, state),
    }
}

/// The lowest `count` natural frequencies (rad/s) of small vibrations about an equilibrium. Multiple
/// modes are listed as often as they occur; directions that cost nothing are left out.
pub fn frequencies(problem: &Problem, state: &State, ws: &mut Workspace, count: usize) -> Vec<f64> {
    match &mut ws.0 {
        Scratch::Chain(ws) => prepared(problem, state, ws)
            .map_or_else(Vec::new, |ws| stability::frequencies(problem, &mut state.clone(), ws, count)),
        Scratch::Other(ws) => ws.frequencies(problem, state, count),
    }
}

/// The scratch with the loads of `problem` read, where problem, state and scratch fit.
fn prepared<'a>(
    problem: &Problem,
    state: &State,
    ws: &'a mut ChainWorkspace,
) -> Option<&'a mut ChainWorkspace> {
    let chain = problem.rod.as_mixed()?;
    if !fits(problem, state) || !is_posed(problem, state) || ws.system.internal.len() != chain.segments() {
        return None;
    }
    ws.system.read_loads(problem);
    Some(ws)
}

/// The solution along the arc length; empty when `state` belongs to a rod of another size, or a solve would refuse either.
pub fn profile(problem: &Problem, state: &State) -> Profile {
    if problem.rod.as_mixed().is_none() {
        return OneSpan::new(problem).profile(problem, state);
    }
    if !fits(problem, state) || !is_posed(problem, state) {
        return Profile { samples: Vec::new() };
    }
    let mut system = System::new(problem);
    system.read_loads(problem);
    system.evaluate(problem, &mut state.clone());
    summary::profile(problem, state, &system)
}
