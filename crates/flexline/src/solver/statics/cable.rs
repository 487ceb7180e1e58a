//! One rod of any model: solved as a network of one span.

use super::continuation::{at_rest, blend, raising, softening, stiffening};
use super::energies::energies;
use super::{IntegralSettings, Method, Settings, initial_state, integral_forces, is_posed};
use crate::algebra::rotation;
use crate::body::{End, Profile};
use crate::rod::{Rod, State, Station};
use crate::solver::network::{
    AtRest, Network, NetworkReport, NetworkState, NetworkWorkspace, Short, factorise_and_solve_once,
    find_forces, follow_nearby, leave_unstable, minimise_network, negative_count, network_frequencies,
    network_stability, profiles,
};
use crate::solver::predict;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::report::Status;

/// Rotation or twist of an end, rad, above which it is moved in steps from the start.
const LARGE_TURN: f64 = 1.0;
/// Smallest share of the way taken in one step.
const SMALLEST: f64 = 1.0 / 1024.0;
/// A quarter of the Newton iterations that one step of a path may take.
const PER_STEP: usize = 10;
/// Newton iterations after which a path is given up.
const EFFORT: usize = 3000;

/// What a network of one sound cable may still be refused for.
const NOT_SOUND: ProblemError = ProblemError::NotFinite { what: "the pose of an end or a load" };

/// A path of problems, from share 0 to 1.
type Path<'a> = dyn Fn(&mut Problem, f64) + 'a;

/// Loops of the cascade that a last resort may take.
const CASCADE: usize = 12;

/// Scratch of the solver for one rod: the network that it is. Whatever changes in its problem is seen by the next solve.
pub struct Workspace {
    network: Network,
    ws: NetworkWorkspace,
    state: NetworkState,
    /// What holds the ends, and whether they are one: what the network was made for.
    holds: Holds,
    /// Newton iterations of the solve, and steps on the way, all stages together.
    iterations: usize,
    steps: usize,
}

/// Which axes and frames of the ends are held, and whether they are one.
type Holds = ([([bool; 3], bool); 2], bool);

fn holds(problem: &Problem) -> Holds {
    (problem.ends.map(|end| (end.held, end.orientation.is_some())), problem.closed)
}

impl Workspace {
    /// Scratch for `problem`.
    pub fn new(problem: &Problem) -> Self {
        let network = Network::from_cable(problem);
        let ws = NetworkWorkspace::new(&network);
        let state = NetworkState::for_cable(&network);
        Self { network, ws, state, holds: holds(problem), iterations: 0, steps: 0 }
    }

    /// One factorisation and one solve of the matrix of the last solve: the floor that
    /// benchmarks compare with. Returns a number that depends on the result.
    #[doc(hidden)] // for benchmarks alone
    pub fn factorise_and_solve_once(&mut self, problem: &Problem) -> f64 {
        self.take(problem);
        if self.state.spans.iter().all(|own| own.rod.coordinates.is_empty()) {
            return f64::NAN;
        }
        factorise_and_solve_once(&self.network, &mut self.state, &mut self.ws)
    }

    /// Makes the network that of `problem`.
    fn take(&mut self, problem: &Problem) {
        // A problem that no solve takes has left no state.
        if self.holds != holds(problem) || self.state.spans.is_empty() {
            self.network = Network::from_cable(problem);
            self.holds = holds(problem);
            self.state = NetworkState::for_cable(&self.network);
        } else {
            let span = &mut self.network.spans[0];
            if span.rod != problem.rod {
                span.rod = problem.rod.clone();
                self.state.lengths[0] = problem.rod.length();
            }
            span.point_loads.clone_from(&problem.point_loads);
            span.distributed_loads.clone_from(&problem.distributed_loads);
            self.network.hold_cable(problem);
        }
        self.ws.read(&self.network);
    }

    /// Puts the rod into `state` and moves it from the ends it was solved for to those of `problem`.
    pub(super) fn place(&mut self, problem: &Problem, state: &State) {
        self.take(problem);
        self.state.place_cable(&self.network, state);
        predict::carry(problem, &mut self.state.spans[0], self.ws.is_factored());
    }

    /// Solves for the problem in hand from where the network is.
    fn settle(&mut self, settings: &Settings) -> Result<NetworkReport, ProblemError> {
        let report = minimise_network(&self.network, &mut self.state, &mut self.ws, settings)
            .map_err(|_| NOT_SOUND)?;
        self.iterations += report.iterations;
        Ok(report)
    }

    /// The same from `state`, moved to the ends of `problem`.
    pub(super) fn settle_from(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<NetworkReport, ProblemError> {
        self.place(problem, state);
        self.settle(settings)
    }

    /// The state of the rod in hand.
    pub(super) fn cable(&self) -> &State {
        &self.state.spans[0]
    }

    /// Counts what another workspace has done.
    pub(super) fn go_on_from(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.ws.count(other.ws.factorisations());
        self.share_budget(other);
    }

    /// Goes on with the budget of another workspace, as far as that is spent.
    pub(super) fn share_budget(&mut self, other: &Self) {
        self.ws.share_budget(&other.ws);
    }

    /// Whether the budget is spent.
    pub(super) fn is_spent(&self) -> bool {
        self.ws.stop().is_some()
    }

    /// [`solve`](super::solve), but for what is refused at once.
    pub(super) fn solve(
        &mut self,
        problem: &Problem,
        state: &mut State,
        settings: &Settings,
    ) -> Result<NetworkReport, ProblemError> {
        if !fits(problem, state) {
            return Err(ProblemError::Size);
        }
        let missing = match problem.check() {
            Ok(()) => None,
            Err(ProblemError::TooShort { missing, .. }) => Some(missing),
            Err(error) => return Err(error),
        };
        self.ws.count_anew();
        (self.iterations, self.steps) = (0, 0);
        let (mut failed, mut segments_needed) = (Status::NoProgress, None);
        if missing.is_none() && !problem.has_no_room_to_bend() {
            let mut found = match settings.method {
                Method::Newton => self.seek(problem, state, settings)?,
                Method::IntegralForces(constants) => self.by_integral_forces(problem, state, &constants)?,
            };
            if found.status != Status::Converged
                && settings.method == Method::Newton
                && let Some((finer, segments)) = self.by_finer_rod(problem, state, settings)?
            {
                segments_needed = (finer.status != Status::Converged).then_some(segments);
                if matches!(finer.status, Status::Converged | Status::Folded) {
                    found = finer;
                }
            }
            if found.status == Status::Converged {
                state.copy_from(&self.state.spans[0]);
                state.ends = problem.ends;
                let mut proof = self.proof(found);
                if settings.stability {
                    proof.rest.stability = network_stability(&self.network, &self.state, &mut self.ws);
                }
                return Ok(proof);
            }
            failed = found.status;
        }
        // What the last good state is worth, at the ends it belongs to.
        self.place(&Problem { ends: state.ends, ..problem.clone() }, state);
        let taut = problem.has_no_slack();
        let stop = self.ws.stop();
        let last = self.settle(&Settings { max_iterations: 0, ..*settings })?;
        let mut proof = self.proof(last);
        proof.status = if missing.is_some() || taut { Status::TooShort } else { stop.unwrap_or(failed) };
        let missing = missing.or(taut.then_some(0.0));
        proof.short.extend(missing.map(|missing| Short { span: 0, missing }));
        proof.rest.segments_needed = segments_needed;
        Ok(proof)
    }

    /// A report with what is proved of the rod in hand, all stages together.
    fn proof(&self, report: NetworkReport) -> NetworkReport {
        let (violation, rotation_violation) = self.ws.missed(0);
        let rest = AtRest {
            factorisations: self.ws.factorisations(),
            steps: self.steps,
            residual_moment: report.residual_force * self.network.spans[0].rod.length(),
            rotation_violation,
            segment_error: self.network.spans[0].rod.length_error(&self.state.spans[0].rod),
            energies: energies(&self.network, &self.state, &|span| self.ws.weight_energy(span)),
            stability: None,
            segments_needed: None,
        };
        NetworkReport { iterations: self.iterations, violation, rest, ..report }.guarded()
    }

    /// Takes back a report that is done with: the next solve fills it anew.
    pub fn reuse(&mut self, report: NetworkReport) {
        self.ws.reuse(report);
    }

    /// Newton's method from `state`, and whatever else may lead to an equilibrium.
    pub(super) fn seek(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<NetworkReport, ProblemError> {
        let turned = |k: usize| match (state.ends[k].orientation, problem.ends[k].orientation) {
            (Some(p), Some(q)) => rotation::angle_between(&p, &q),
            _ => 0.0,
        };
        let mut report = None;
        if problem.rod.as_mixed().is_some() || turned(0).max(turned(1)) < LARGE_TURN {
            self.steps = 1;
            self.place(problem, state);
            // Who asks for a stable equilibrium asks for more than the nearest; small moves do not look at the clock.
            if !settings.seek_stable && self.ws.stop().is_none() {
                report = follow_nearby(&self.network, &mut self.state, &mut self.ws, settings);
                self.iterations += report.as_ref().map_or(0, |r| r.iterations);
            }
            let direct = match report {
                Some(report) => report,
                None => match self.by_coarse_rod(problem, state, settings)? {
                    Some(report) => report,
                    None => self.settle(settings)?,
                },
            };
            if direct.status == Status::Converged {
                let unstable = settings.seek_stable && direct.negative > 0;
                return if unstable { self.leave_unstable(direct, settings) } else { Ok(direct) };
            }
            report = Some(direct);
        }
        let mut found = self.in_steps(problem, state, settings)?;
        if !arrived(&found) && self.ws.stop().is_none() {
            found = self.by_cascade(problem, state, settings)?.or(found);
        }
        if !arrived(&found) && self.ws.stop().is_none() {
            // The last resort: what went before is forgotten, the rod is laid anew.
            let anew = self.in_steps(problem, &initial_state(problem), settings)?;
            found = if arrived(&anew) { anew } else { found.or(anew) };
        }
        match found.or(report) {
            // A path of equilibria may have lost its stability on the way.
            Some(found) if found.status == Status::Converged && found.negative > 0 => {
                self.leave_unstable(found, settings)
            }
            Some(found) => Ok(found),
            // Nothing was to be tried: the state as it is.
            None => self.settle(&Settings { max_iterations: 0, ..*settings }),
        }
    }

    /// Leaves an unstable equilibrium for the nearest stable one.
    fn leave_unstable(
        &mut self,
        found: NetworkReport,
        settings: &Settings,
    ) -> Result<NetworkReport, ProblemError> {
        let before = found.iterations;
        let found = leave_unstable(&self.network, &mut self.state, &mut self.ws, settings, found)
            .map_err(|_| NOT_SOUND)?;
        self.iterations += found.iterations - before;
        Ok(found)
    }

    /// The dissertation's scheme, for chains.
    fn by_integral_forces(
        &mut self,
        problem: &Problem,
        state: &State,
        constants: &IntegralSettings,
    ) -> Result<NetworkReport, ProblemError> {
        let mut bent = state.clone();
        predict::carry(problem, &mut bent, false);
        let run = integral_forces(problem, &mut bent, constants)?;
        self.steps = run.length_errors.len();
        self.place(problem, &bent);
        let mut report = self.settle(&Settings { max_iterations: 0, ..Settings::default() })?;
        self.iterations = run.loops;
        self.ws.count(run.loops);
        report.status = if run.converged { Status::Converged } else { Status::IterationLimit };
        Ok(report)
    }

    /// When steps fail: the dissertation's cascade always goes downhill, wherever that leads; Newton's method finishes.
    /// `None` where it does not know the problem.
    fn by_cascade(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<Option<NetworkReport>, ProblemError> {
        let mut bent = state.clone();
        predict::carry(problem, &mut bent, false);
        let constants = IntegralSettings { max_iterations: CASCADE, ..Default::default() };
        let Ok(run) = integral_forces(problem, &mut bent, &constants) else { return Ok(None) };
        self.steps += run.length_errors.len();
        Ok(Some(self.settle_from(problem, &bent, &settings.patient())?)
            .filter(|found| found.status == Status::Converged))
    }

    /// In steps from the last good state: the ends are moved. From a cold start stiffnesses that differ much are raised,
    /// a limp rod is made stiff and softened, then the loads are raised; and where the laid shape is no good either, the rod starts at rest and its far end is brought home
    /// first.
    fn in_steps(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<Option<NetworkReport>, ProblemError> {
        let mut here = problem.clone();
        let mut good = state.clone();
        let move_ends = |here: &mut Problem, from: &[End; 2], t: f64| {
            here.ends = [0, 1].map(|k| blend(&from[k], &problem.ends[k], t));
        };
        if state.ends != problem.ends {
            let from = state.ends;
            return self.follow(&mut here, &mut good, settings, &|here, t| move_ends(here, &from, t));
        }
        let mut found = None;
        let raising = raising(problem);
        let (stiffening, softening) = (stiffening(problem), softening(problem));
        let ways = [
            stiffening.as_ref().map(|way| way as &Path),
            softening.as_ref().map(|way| way as &Path),
            raising.as_ref().map(|way| way as &Path),
        ];
        for way in ways.into_iter().flatten() {
            good.copy_from(state);
            way(&mut here, 0.0);
            found = self.follow(&mut here, &mut good, settings, way)?;
            if arrived(&found) || self.ws.stop().is_some() {
                return Ok(found);
            }
            here = problem.clone();
        }
        if problem.closed || !problem.ends.iter().all(End::holds_position) {
            return Ok(found);
        }
        if let Some(raising) = &raising {
            raising(&mut here, 0.0);
        }
        let start = problem.ends[0];
        let frame = start.frame().unwrap_or_else(rotation::identity);
        let rod = &problem.rod;
        let shape = rod.rest_state(&Station { position: start.position, frame });
        let last = rod.station(&shape, rod.length());
        good = State::new(shape, [start, at_rest(problem, &last)]);
        let from = good.ends;
        let found = self.follow(&mut here, &mut good, settings, &|here, t| move_ends(here, &from, t))?;
        match raising.filter(|_| arrived(&found)) {
            Some(raising) => self.follow(&mut here, &mut good, settings, &raising),
            None => Ok(found),
        }
    }

    /// Follows a path of problems from share 0, where `good` is, to 1; `good` is then its end.
    fn follow(
        &mut self,
        here: &mut Problem,
        good: &mut State,
        settings: &Settings,
        at: &Path,
    ) -> Result<Option<NetworkReport>, ProblemError> {
        let (mut done, mut step, mut effort) = (0.0, 0.25, 0);
        loop {
            let next = f64::min(1.0, done + step);
            at(here, next);
            // From a state that is in no equilibrium yet the way may be long; a step along the path that needs as much is
            // too long.
            let limit =
                if done == 0.0 { settings.max_iterations } else { settings.max_iterations.min(PER_STEP) };
            let report = self.settle_from(here, good, &Settings { max_iterations: limit, ..*settings })?;
            effort += report.iterations;
            if report.status == Status::Converged {
                good.copy_from(&self.state.spans[0]);
                good.ends = here.ends;
                self.steps += 1;
                (done, step) = (next, 2.0 * step);
                if done >= 1.0 {
                    return Ok(Some(report));
                }
            } else {
                step *= 0.5;
                if step < SMALLEST || effort > EFFORT || self.ws.stop().is_some() {
                    return Ok(Some(report));
                }
            }
        }
    }

    /// The forces of an equilibrium that may have been made by hand.
    fn find_forces(&mut self) -> Option<()> {
        find_forces(&self.network, &mut self.state, &mut self.ws, &Settings::interactive())
    }

    /// What every element misses of the curvature that balances the forces, rad, at the last solution.
    pub(super) fn missed_curvature(&self) -> Vec<f64> {
        self.ws.missed_curvature(0)
    }

    pub(super) fn negative_directions(&mut self, problem: &Problem, state: &State) -> Option<usize> {
        if !fits(problem, state) || !is_posed(problem, state) {
            return None;
        }
        self.place(problem, state);
        self.find_forces()?;
        negative_count(&self.network, &self.state, &mut self.ws)
    }

    pub(super) fn frequencies(&mut self, problem: &Problem, state: &State, count: usize) -> Vec<f64> {
        if !fits(problem, state) || !is_posed(problem, state) {
            return Vec::new();
        }
        self.place(problem, state);
        if self.find_forces().is_none() {
            return Vec::new();
        }
        network_frequencies(&self.network, &self.state, &mut self.ws, count)
    }

    /// The solution along the arc length, from what the solve before has evaluated; empty when `state` belongs to a rod
    /// of another size, or a solve would refuse either.
    pub fn profile(&mut self, problem: &Problem, state: &State) -> Profile {
        if !fits(problem, state) || !is_posed(problem, state) {
            return Profile { samples: Vec::new() };
        }
        self.place(problem, state);
        profiles(&self.network, &self.state, &mut self.ws).swap_remove(0)
    }
}

/// Whether a path was followed to its end.
fn arrived(found: &Option<NetworkReport>) -> bool {
    found.as_ref().is_some_and(|report| report.status == Status::Converged)
}

/// Whether `state` has the size that the rod of `problem` asks for.
pub(super) fn fits(problem: &Problem, state: &State) -> bool {
    state.rod.coordinates.len() == problem.rod.coordinate_count()
}
