//! Following an equilibrium while the problem changes, and finding where it loses stability.

use crate::rods::{largest_turn, out_of_plane, settings};
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::network::NetworkReport;
use flexline::solver::statics::{self, Settings, Workspace};
use flexline::solver::{Problem, State, Status};

/// Frames that turn by more in one step may have jumped to another branch, rad.
pub(crate) const LARGEST_TURN: f64 = 0.6;
/// Smallest share of the way taken in one step.
const SMALLEST_STEP: f64 = 1e-6;
/// Strides without a threshold after which the search is given up.
const MOST_STRIDES: usize = 400;
/// Relative width to which thresholds are enclosed.
const THRESHOLD_WIDTH: f64 = 1e-8;

/// Why a step of a path was not taken.
fn refusal(report: &NetworkReport) -> Option<String> {
    if report.status != Status::Converged {
        return Some(format!(
            "the solver stopped with {:?} after {} iterations (residual {:.1e} N of {:.1e} N)",
            report.status, report.iterations, report.residual_force, report.largest_force
        ));
    }
    // More than one step: the solver started over from unloaded and may be elsewhere.
    (report.rest.steps > 1).then(|| "the solver lost the branch".to_owned())
}

/// Moves `state` from an equilibrium at share 0 to one of `problem_at(1)`, in steps that shrink
/// where the solver fails or the rod moves far. Returns the last problem and its report.
pub(crate) fn follow(
    state: &mut State,
    first: f64,
    problem_at: &dyn Fn(f64) -> Result<Problem, String>,
    settings: &Settings,
) -> Result<(Problem, NetworkReport), String> {
    let mut ws: Option<Workspace> = None;
    let mut last = None;
    in_steps(first, SMALLEST_STEP, &mut |share| {
        let problem = problem_at(share)?;
        let ws = ws.get_or_insert_with(|| Workspace::new(&problem));
        let mut trial = state.clone();
        let report = statics::solve(&problem, &mut trial, ws, settings).map_err(|e| e.to_string())?;
        let refused = refusal(&report).or_else(|| {
            let turn = largest_turn(&problem.rod, &state.rod, &trial.rod);
            (turn > LARGEST_TURN).then(|| format!("the rod jumped by {turn:.2} rad"))
        });
        if refused.is_none() {
            *state = trial;
            last = Some((problem, report));
        }
        Ok(refused)
    })?;
    last.ok_or_else(|| "nothing was solved".into())
}

/// Goes from share 0 of a way to share 1: `attempt` goes on to a share, or says why it does not; then it is asked for less.
pub(crate) fn in_steps(
    first: f64,
    smallest: f64,
    attempt: &mut dyn FnMut(f64) -> Result<Option<String>, String>,
) -> Result<(), String> {
    let (mut done, mut step) = (0.0, first);
    loop {
        let next = f64::min(1.0, done + step);
        match attempt(next)? {
            None if next == 1.0 => return Ok(()),
            None => {
                done = next;
                step *= 2.0;
            }
            Some(why) => {
                step *= 0.5;
                if step < smallest {
                    return Err(format!("followed to {done:.4} of the way: {why}"));
                }
            }
        }
    }
}

/// Solves from `state` in one go, or says why not.
pub(crate) fn settle(
    problem: &Problem,
    state: &mut State,
    ws: &mut Workspace,
    settings: &Settings,
) -> Result<NetworkReport, String> {
    let report = statics::solve(problem, state, ws, settings).map_err(|e| e.to_string())?;
    match refusal(&report) {
        None => Ok(report),
        Some(why) => Err(why),
    }
}

/// What a look at one parameter of a branch shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Probe {
    /// A stable equilibrium.
    Stable,
    /// An unstable one.
    Unstable,
    /// None near the last stable one, and why.
    Lost(String),
}

impl From<bool> for Probe {
    fn from(unstable: bool) -> Self {
        if unstable { Self::Unstable } else { Self::Stable }
    }
}

/// The first parameter beyond `from` at which the branch is no longer stable: strides of `step`,
/// growing by `growth`, then bisection. A branch that is lost shortens the stride; lost in the
/// smallest of strides it has ended, and a stable branch ends only where it loses stability.
pub(crate) fn critical(
    from: f64,
    step: f64,
    growth: f64,
    probe: &mut dyn FnMut(f64) -> Result<Probe, String>,
) -> Result<f64, String> {
    let (mut lo, mut step) = (from, step);
    let smallest = 1e-4 * step;
    let mut strides = 0;
    let mut hi = loop {
        strides += 1;
        match probe(lo + step)? {
            Probe::Unstable => break lo + step,
            Probe::Stable => {
                lo += step;
                step *= growth;
                if strides > MOST_STRIDES {
                    return Err(format!("stable up to {lo:.3e}: no threshold found"));
                }
            }
            Probe::Lost(_) if step < smallest => break lo + step,
            Probe::Lost(why) => {
                step *= 0.5;
                if lo == from && step < smallest {
                    return Err(format!("beyond {lo:.3e}: {why}"));
                }
            }
        }
    };
    while hi - lo > THRESHOLD_WIDTH * hi.abs() {
        let mid = 0.5 * (lo + hi);
        if probe(mid)? == Probe::Stable { lo = mid } else { hi = mid }
    }
    Ok(0.5 * (lo + hi))
}

/// A branch of planar equilibria, followed by its last stable state.
pub(crate) struct PlanarBranch {
    /// The last stable state.
    pub(crate) state: State,
    ws: Workspace,
    normal: Vec3,
}

impl PlanarBranch {
    /// Starts at an equilibrium of `problem` in the plane with the given unit normal.
    pub(crate) fn new(problem: &Problem, state: State, normal: Vec3) -> Self {
        Self { state, ws: Workspace::new(problem), normal }
    }

    /// Looks at the state of `problem` next to the last stable one.
    pub(crate) fn probe(&mut self, problem: &Problem) -> Result<Probe, String> {
        let mut trial = self.state.clone();
        if let Err(why) = settle(problem, &mut trial, &mut self.ws, &settings()) {
            return Ok(Probe::Lost(why));
        }
        // A solver that left the plane has found something lower.
        if out_of_plane(&problem.rod, &trial.rod, &self.normal) > 1e-6 * problem.rod.length() {
            return Ok(Probe::Unstable);
        }
        let turn = largest_turn(&problem.rod, &self.state.rod, &trial.rod);
        if turn > LARGEST_TURN {
            return Ok(Probe::Lost(format!("the rod jumped by {turn:.2} rad")));
        }
        if is_unstable(problem, &trial, &mut self.ws) {
            return Ok(Probe::Unstable);
        }
        self.state = trial;
        Ok(Probe::Stable)
    }
}

/// The abscissa at which the curve through the points (x, y) has y = 0: the polynomial x(y) by
/// Neville's scheme.
pub(crate) fn inverse_at_zero(points: &[(f64, f64)]) -> f64 {
    let mut x: Vec<f64> = points.iter().map(|p| p.0).collect();
    for width in 1..points.len() {
        for i in 0..points.len() - width {
            let (a, b) = (points[i].1, points[i + width].1);
            x[i] = (b * x[i] - a * x[i + 1]) / (b - a);
        }
    }
    x.first().copied().unwrap_or(f64::NAN)
}

/// Whether some direction releases energy; a singular matrix is the threshold itself.
pub(crate) fn is_unstable(problem: &Problem, state: &State, ws: &mut Workspace) -> bool {
    statics::negative_directions(problem, state, ws).is_none_or(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_enclosed_whatever_the_stride() {
        for (from, step, growth) in [(0.0, 0.1, 1.0), (1.0, 0.01, 1.5), (-3.0, 10.0, 2.0)] {
            let found = critical(from, step, growth, &mut |p| Ok(Probe::from(p > 2f64.sqrt()))).unwrap();
            assert!((found / 2f64.sqrt() - 1.0).abs() < 1e-8);
        }
        assert!(critical(0.0, 1.0, 2.0, &mut |_| Ok(Probe::Stable)).unwrap_err().contains("no threshold"));
        assert_eq!(critical(0.0, 1.0, 2.0, &mut |_| Err("no rod".into())), Err("no rod".into()));
    }

    #[test]
    fn zeros_are_found_from_one_side() {
        let f = |x: f64| (2.0 - x) * (3.0 + 0.1 * x * x);
        let points = [1.0, 1.5, 1.7, 1.85].map(|x| (x, f(x)));
        assert!((inverse_at_zero(&points) - 2.0).abs() < 1e-3);
        assert!((inverse_at_zero(&[(1.0, 3.0), (2.0, 1.0)]) - 2.5).abs() < 1e-15);
        assert!(inverse_at_zero(&[]).is_nan());
    }

    #[test]
    fn a_branch_that_is_lost_shortens_the_stride_and_ends() {
        let mut last = 0.0;
        let mut reach = |p: f64, end: f64| {
            if p - last > 0.3 || p > end {
                return Ok(Probe::Lost("too far".into()));
            }
            if p <= 1.0 {
                last = p;
            }
            Ok(Probe::from(p > 1.0))
        };
        assert!((critical(0.0, 0.7, 1.0, &mut |p| reach(p, 2.0)).unwrap() - 1.0).abs() < 1e-8);
        let mut ends = |p: f64| Ok(if p > 0.5 { Probe::Lost("fold".into()) } else { Probe::Stable });
        assert!((critical(0.0, 0.2, 1.0, &mut ends).unwrap() - 0.5).abs() < 1e-8);
        let never = critical(0.0, 1.0, 2.0, &mut |_| Ok(Probe::Lost("never".into())));
        assert!(never.unwrap_err().contains("never"));
    }
}
