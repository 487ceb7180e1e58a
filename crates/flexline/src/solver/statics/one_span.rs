//! One rod of any model: solved as a network of one span.

use super::continuation::{at_rest, blend, raising, stiffening};
use super::network::{
    Network, NetworkReport, NetworkState, NetworkWorkspace, factorise_and_solve_once, find_forces,
    follow_nearby, minimise_network, negative_count, network_frequencies, network_stability, span_profile,
    spread_work,
};
use super::{Settings, initial_state, is_posed};
use crate::algebra::rotation;
use crate::rod::{AnyRod, Rod, Station};
use crate::solver::problem::{Axes, End, Problem, ProblemError, State};
use crate::solver::profile::Profile;
use crate::solver::report::{Energies, Report, Status, Wrench};

/// Rotation or twist of an end, rad, above which it is moved in steps from the start.
const LARGE_TURN: f64 = 1.0;
/// Smallest share of the way taken in one step.
const SMALLEST: f64 = 1.0 / 1024.0;
/// Newton iterations after which a path is given up.
const EFFORT: usize = 3000;

/// A path of problems, from share 0 to 1.
type Path<'a> = dyn Fn(&mut Problem, f64) + 'a;

/// Scratch for one rod, and the network that it is.
pub(super) struct OneSpan {
    problem: Problem,
    network: Network,
    ws: NetworkWorkspace,
    state: NetworkState,
    /// Newton iterations of the solve, all stages together.
    iterations: usize,
}

impl OneSpan {
    pub(super) fn new(problem: &Problem) -> Self {
        let network = Network::from_cable(problem);
        let ws = NetworkWorkspace::new(&network);
        let state = NetworkState::initial(&network);
        Self { problem: problem.clone(), network, ws, state, iterations: 0 }
    }

    /// Makes this the scratch of `problem`.
    fn take(&mut self, problem: &Problem) {
        let grips = |p: &Problem| p.ends.map(|e| (e.held, e.orientation.is_some()));
        let same_rod = match (&self.problem.rod, &problem.rod) {
            (AnyRod::Curvature(a), AnyRod::Curvature(b)) => a == b,
            (AnyRod::Spline(a), AnyRod::Spline(b)) => a == b,
            _ => false,
        };
        let same = same_rod
            && grips(&self.problem) == grips(problem)
            && self.problem.closed == problem.closed
            && self.problem.point_loads == problem.point_loads
            && self.problem.distributed_loads == problem.distributed_loads;
        if same {
            self.problem.ends = problem.ends;
            self.problem.gravity = problem.gravity;
            self.network.hold_cable(problem);
        } else {
            // What the solve has cost so far stays.
            let mut ws = Self::new(problem);
            ws.ws.go_on_from(&self.ws);
            *self = Self { iterations: self.iterations, ..ws };
        }
    }

    /// The state of the network in which the rod is in `state`.
    fn place(&mut self, state: &State) {
        self.state.place_cable(&self.network, state);
    }

    /// Spreads what the ends have been twisted by since `state` along the rod: full turns count.
    fn carry_twist(&mut self, state: &State) {
        let turns = [0, 1].map(|k| self.problem.ends[k].twist - state.ends[k].twist);
        if turns == [0.0; 2] {
            return;
        }
        let coordinates = &mut self.state.spans[0].rod.coordinates;
        match &self.problem.rod {
            AnyRod::Mixed(_) => {}
            AnyRod::Curvature(rod) => rod.add_twist(coordinates, turns),
            AnyRod::Spline(rod) => rod.add_twist(coordinates, turns),
        }
    }

    /// Solves for the problem in hand from where the network is.
    fn settle(&mut self, settings: &Settings) -> Result<NetworkReport, ProblemError> {
        let report = minimise_network(&self.network, &mut self.state, &mut self.ws, settings)
            .map_err(|_| ProblemError::NotFinite { what: "the pose of an end or a load" })?;
        self.iterations += report.iterations;
        Ok(report)
    }

    pub(super) fn solve(
        &mut self,
        problem: &Problem,
        state: &mut State,
        settings: &Settings,
    ) -> Result<Report, ProblemError> {
        if !fits(problem, state) {
            return Err(ProblemError::Size);
        }
        let missing = match problem.check() {
            Ok(()) => None,
            Err(ProblemError::TooShort { missing, .. }) => Some(missing),
            Err(error) => return Err(error),
        };
        let (mut report, mut steps) = (None, 0);
        self.ws.count_anew();
        self.iterations = 0;
        if missing.is_none() && !problem.has_no_room_to_bend() {
            let turned = |k: usize| match (state.ends[k].orientation, problem.ends[k].orientation) {
                (Some(p), Some(q)) => rotation::angle_between(&p, &q),
                _ => 0.0,
            };
            if turned(0).max(turned(1)) < LARGE_TURN {
                self.take(problem);
                self.place(state);
                self.carry_twist(state);
                // Who asks for a stable equilibrium asks for more than the nearest.
                if !settings.seek_stable {
                    report = follow_nearby(&self.network, &mut self.state, &mut self.ws, settings);
                    self.iterations += report.as_ref().map_or(0, |r| r.iterations);
                }
                if report.is_none() {
                    report = Some(self.settle(settings)?);
                }
                steps = 1;
            }
            if report.as_ref().is_none_or(|r| r.status != Status::Converged) {
                let (found, taken) = self.in_steps(problem, state, settings)?;
                report = found.or(report);
                steps = taken;
            }
            if report.as_ref().is_none_or(|r| r.status != Status::Converged) {
                // The last resort: what went before is forgotten, the rod is laid anew.
                let (found, taken) = self.in_steps(problem, &initial_state(problem), settings)?;
                if found.as_ref().is_some_and(|r| r.status == Status::Converged) {
                    (report, steps) = (found, steps + taken);
                }
            }
        }
        let converged = report.as_ref().is_some_and(|r| r.status == Status::Converged);
        let Some(mut network) = report.filter(|_| converged) else {
            // What the last good state is worth, at the ends it belongs to.
            let here = Problem { ends: state.ends, ..problem.clone() };
            self.take(&here);
            self.place(state);
            let taut = problem.has_no_slack();
            let mut report = self.settle(&Settings { max_iterations: 0, ..*settings })?;
            report.status = match self.ws.stop() {
                _ if missing.is_some() || taut => Status::TooShort,
                Some(stop) => stop,
                None => Status::NoProgress,
            };
            let missing = missing.or(taut.then_some(0.0));
            return Ok(self.report(&here, state, &report, steps, missing));
        };
        if settings.seek_stable && network.negative > 0 {
            network = self.leave_unstable(network, settings)?;
        }
        state.copy_from(&self.state.spans[0]);
        state.ends = problem.ends;
        let mut report = self.report(problem, state, &network, steps, None);
        if settings.stability {
            report.stability = network_stability(&self.network, &self.state, &mut self.ws);
        }
        Ok(report)
    }

    /// In steps from the last good state: the ends are moved. From a cold start stiffnesses that differ much are raised,
    /// then the loads; and
    /// where the laid shape is no good either, the rod starts at rest and its far end is brought home first.
    fn in_steps(
        &mut self,
        problem: &Problem,
        state: &State,
        settings: &Settings,
    ) -> Result<(Option<NetworkReport>, usize), ProblemError> {
        let mut here = problem.clone();
        let mut good = state.clone();
        let move_ends = |here: &mut Problem, from: &[End; 2], t: f64| {
            here.ends = [0, 1].map(|k| blend(&from[k], &problem.ends[k], t));
        };
        if state.ends != problem.ends {
            let from = state.ends;
            return self.follow(&mut here, &mut good, settings, &|here, t| move_ends(here, &from, t));
        }
        let arrived =
            |found: &Option<NetworkReport>| found.as_ref().is_some_and(|r| r.status == Status::Converged);
        let (mut found, mut steps) = (None, 0);
        let raising = raising(problem);
        let stiffening = stiffening(problem);
        let ways = [stiffening.as_ref().map(|way| way as &Path), raising.as_ref().map(|way| way as &Path)];
        for way in ways.into_iter().flatten() {
            good.copy_from(state);
            way(&mut here, 0.0);
            let taken;
            (found, taken) = self.follow(&mut here, &mut good, settings, way)?;
            steps += taken;
            if arrived(&found) || self.ws.stop().is_some() {
                return Ok((found, steps));
            }
            here = problem.clone();
        }
        if problem.closed || !problem.ends.iter().all(End::holds_position) {
            return Ok((found, steps));
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
        let (found, first) =
            self.follow(&mut here, &mut good, settings, &|here, t| move_ends(here, &from, t))?;
        let Some(raising) = raising.filter(|_| arrived(&found)) else { return Ok((found, steps + first)) };
        let (found, second) = self.follow(&mut here, &mut good, settings, &raising)?;
        Ok((found, steps + first + second))
    }

    /// Follows a path of problems from share 0, where `good` is, to 1; `good` is then its end.
    fn follow(
        &mut self,
        here: &mut Problem,
        good: &mut State,
        settings: &Settings,
        at: &Path,
    ) -> Result<(Option<NetworkReport>, usize), ProblemError> {
        let (mut done, mut step, mut steps, mut effort) = (0.0, 0.25, 0, 0);
        loop {
            let next = f64::min(1.0, done + step);
            at(here, next);
            self.take(here);
            self.place(good);
            self.carry_twist(good);
            let report = self.settle(settings)?;
            effort += report.iterations;
            if report.status == Status::Converged {
                good.copy_from(&self.state.spans[0]);
                good.ends = here.ends;
                steps += 1;
                (done, step) = (next, 2.0 * step);
                if done >= 1.0 {
                    return Ok((Some(report), steps));
                }
            } else {
                step *= 0.5;
                if step < SMALLEST || effort > EFFORT || self.ws.stop().is_some() {
                    return Ok((Some(report), steps));
                }
            }
        }
    }

    /// Leaves an unstable equilibrium: a small push, then downhill.
    fn leave_unstable(
        &mut self,
        found: NetworkReport,
        settings: &Settings,
    ) -> Result<NetworkReport, ProblemError> {
        let mut report = found;
        for round in 1..=6 {
            let before = self.state.clone();
            let rod = &self.problem.rod;
            let size = 0.05 * f64::from(round);
            let mut push: Vec<f64> = (0..rod.tangent_count())
                .map(|i| if i < 6 { 0.0 } else { size * (1.3 * (i * round as usize) as f64 + 0.4).sin() })
                .collect();
            if let AnyRod::Spline(spline) = rod {
                // Control points turn tangents by their distance.
                let h = spline.length() / spline.elements() as f64;
                push[..3 * spline.controls()].iter_mut().for_each(|d| *d *= h);
            }
            rod.displace(&mut self.state.spans[0].rod, &push);
            let next = self.settle(settings)?;
            if next.status != Status::Converged {
                self.state = before;
                self.settle(settings)?;
                return Ok(report);
            }
            report = next;
            if report.negative == 0 {
                break;
            }
        }
        Ok(report)
    }

    fn report(
        &self,
        problem: &Problem,
        state: &State,
        network: &NetworkReport,
        steps: usize,
        missing_length: Option<f64>,
    ) -> Report {
        let rod = &problem.rod;
        let (bending, torsion) = rod.energy_parts(&state.rod);
        let gravity = self.ws.weight_energy(0).unwrap_or_else(|| {
            let matter = rod.matter(&state.rod);
            -matter.points.iter().map(|p| p.mass * problem.gravity.dot(&p.position)).sum::<f64>()
        });
        let at = |s: f64| rod.station(&state.rod, s).position;
        let points = problem.point_loads.iter().filter(|l| l.axes == Axes::World);
        let spread = problem.distributed_loads.iter().filter(|l| l.axes == Axes::World);
        let loads = -points.map(|l| l.force.dot(&at(l.s))).sum::<f64>()
            - spread.map(|l| spread_work(l, at)).sum::<f64>();
        let (position_violation, rotation_violation) = self.ws.missed(0);
        let support = |i: usize| network.reactions.get(i).copied().unwrap_or_else(Wrench::default);
        Report {
            status: network.status,
            iterations: self.iterations,
            factorisations: self.ws.factorisations(),
            steps,
            residual_force: network.residual_force,
            residual_moment: network.residual_force * rod.length(),
            largest_force: network.largest_force,
            position_violation,
            rotation_violation,
            segment_error: rod.local_stretch(&state.rod).unwrap_or_else(|| self.ws.stretch(0)),
            energies: Energies { bending, torsion, gravity, loads },
            supports: if problem.closed { [support(0), Wrench::default()] } else { [support(0), support(1)] },
            stability: None,
            missing_length,
            segments_needed: None,
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

    pub(super) fn factorise_and_solve_once(&mut self) -> f64 {
        factorise_and_solve_once(&self.network, &mut self.state, &mut self.ws)
    }

    pub(super) fn negative_directions(&mut self, problem: &Problem, state: &State) -> Option<usize> {
        if !fits(problem, state) || !is_posed(problem, state) {
            return None;
        }
        self.take(problem);
        self.place(state);
        self.find_forces()?;
        negative_count(&self.network, &self.state, &mut self.ws)
    }

    pub(super) fn frequencies(&mut self, problem: &Problem, state: &State, count: usize) -> Vec<f64> {
        if !fits(problem, state) || !is_posed(problem, state) {
            return Vec::new();
        }
        self.take(problem);
        self.place(state);
        if self.find_forces().is_none() {
            return Vec::new();
        }
        network_frequencies(&self.network, &self.state, &mut self.ws, count)
    }

    pub(super) fn profile(mut self, problem: &Problem, state: &State) -> Profile {
        if !fits(problem, state) || !is_posed(problem, state) {
            return Profile { samples: Vec::new() };
        }
        self.place(state);
        span_profile(&self.network, &self.state, 0)
    }
}

/// Whether `state` has the size that the rod of `problem` asks for.
fn fits(problem: &Problem, state: &State) -> bool {
    problem.rod.as_mixed().is_none() && state.rod.coordinates.len() == problem.rod.coordinate_count()
}
