//! A harness in equilibrium: profiles along its cables, forces on its anchors, rules of its cables.

use super::compile::HarnessCompiled;
use crate::check::{Finding, Rule, Verdict, judge, share_used};
use crate::diagnostic::digits;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::statics::Settings;
use flexline::solver::statics::network::{
    Constraint, NetworkError, NetworkReport, NetworkState, NetworkWorkspace, Point, solve_network,
    span_profile,
};
use flexline::solver::{Pose, Profile, Sample, Status};

/// A solved harness.
#[derive(Clone, Debug)]
pub struct HarnessSolution {
    /// The state reached.
    pub state: NetworkState,
    /// Its proof.
    pub report: NetworkReport,
    /// The solution along each cable. Where a cable was cut there are two samples, before and after.
    pub profiles: Vec<Profile>,
}

/// What the rules say about a harness.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct HarnessFindings {
    /// About the harness: equilibrium and stability.
    pub whole: Vec<Finding>,
    /// About each cable.
    pub cables: Vec<Vec<Finding>>,
}

impl HarnessFindings {
    /// The worst verdict of all.
    pub fn overall(&self) -> Verdict {
        let all = self.whole.iter().chain(self.cables.iter().flatten());
        all.map(|f| f.verdict).max().unwrap_or(Verdict::Pass)
    }
}

impl HarnessCompiled {
    /// Lays the harness out and brings it into equilibrium.
    pub fn solve(&self, settings: &Settings) -> Result<HarnessSolution, NetworkError> {
        let mut state = NetworkState::initial(&self.network);
        let mut workspace = NetworkWorkspace::new(&self.network);
        let report = solve_network(&self.network, &mut state, &mut workspace, settings)?;
        let profiles = (0..self.cables.len()).map(|cable| self.profile(&state, cable)).collect();
        Ok(HarnessSolution { state, report, profiles })
    }

    /// The solution along a cable, its spans joined.
    pub fn profile(&self, state: &NetworkState, cable: usize) -> Profile {
        let mut samples = Vec::new();
        for (span, from) in &self.cables[cable].spans {
            let own = span_profile(&self.network, state, *span);
            samples.extend(own.samples.into_iter().map(|sample| Sample { s: sample.s + from, ..sample }));
        }
        Profile { samples }
    }

    /// Twist of a cable from its beginning to its end, turns.
    pub fn twist_turns(&self, state: &NetworkState, cable: usize) -> f64 {
        let turns = |span: usize| self.network.spans[span].rod.twist_turns(&state.spans[span].rod);
        self.cables[cable].spans.iter().map(|(span, _)| turns(*span)).sum()
    }

    /// The largest share of any limit that a sample of a cable uses; `None` where its section has no limits.
    pub fn utilisation(&self, cable: usize, sample: &Sample) -> Option<f64> {
        share_used(&self.cables[cable].judged(), sample)
    }

    /// Judges every rule whose limit is known, cable by cable.
    pub fn check(&self, solution: &HarnessSolution) -> HarnessFindings {
        let report = &solution.report;
        let found = report.status == Status::Converged;
        let whole = |rule, verdict, value, limit, message| Finding {
            rule,
            verdict,
            value,
            limit,
            utilisation: if verdict == Verdict::Fail { f64::INFINITY } else { 0.0 },
            s: 0.0,
            position: Vec3::zeros(),
            message,
        };
        let mut findings = vec![if found {
            let message = "equilibrium found".to_owned();
            whole(Rule::Equilibrium, Verdict::Pass, report.residual_force, report.largest_force, message)
        } else {
            let message = format!("no equilibrium found ({:?}): no verdict below counts", report.status);
            whole(Rule::Equilibrium, Verdict::Fail, report.residual_force, report.largest_force, message)
        }];
        if found {
            let (verdict, message) = match report.negative {
                0 => (Verdict::Pass, "the equilibrium is stable".to_owned()),
                n => (
                    Verdict::Fail,
                    format!("the equilibrium is unstable in {} directions: it would snap", digits(n as f64)),
                ),
            };
            findings.push(whole(Rule::Stability, verdict, -(report.negative as f64), 0.0, message));
        }
        let cables = self.cables.iter().zip(&solution.profiles);
        HarnessFindings { whole: findings, cables: cables.map(|(c, p)| judge(&c.judged(), p)).collect() }
    }

    /// The force that a constraint exerts on its first point, N, world; the second feels the opposite.
    pub fn constraint_force(&self, solution: &HarnessSolution, index: usize) -> Vec3 {
        let rows = |c: &Constraint| c.rows();
        let first: usize = self.network.constraints[..index].iter().map(rows).sum();
        let constraint = &self.network.constraints[index];
        let m = &solution.report.multipliers[first..first + constraint.rows()];
        let at = |point: &Point| match point {
            Point::World(p) => *p,
            Point::On(anchor, local) => place(&solution.state.anchors[*anchor], local),
        };
        match constraint {
            Constraint::Plane { normal, .. } => normal * m[0],
            Constraint::Line { direction, .. } => {
                let u = rotation::across(direction);
                u * m[0] + direction.cross(&u) * m[1]
            }
            Constraint::Distance { from, to, distance }
            | Constraint::String { from, to, length: distance } => (at(from) - at(to)) * (m[0] / distance),
            Constraint::Coincide { .. } => Vec3::new(m[0], m[1], m[2]),
            Constraint::Parallel { .. } => Vec3::zeros(),
        }
    }
}

/// A point of an anchor in the world.
fn place(pose: &Pose, local: &Vec3) -> Vec3 {
    pose.position + rotation::rotate(&pose.orientation, local)
}
