//! As many elements of a curvature rod as an accuracy asks for, where they are needed.
//!
//! At an equilibrium the moment RᵀM is known far better than the curvature: it is integrated from the end,
//! while K (u − ū) can only follow it as the shape functions do, and meets it on average over every element.
//! What is left, ε_e = ∫ |K⁻¹RᵀM − (u − û)| + |ū − û| ds, turns the frames inside the element and back; the
//! centreline is off by about ε_e times the length of the element. Elements that miss more than their share
//! of the accuracy are halved until all together miss no more than it (after O. C. Zienkiewicz, J. Z. Zhu,
//! Int. J. Numer. Meth. Eng. 24 (1987) 337–357, who compare with recovered stresses).

use super::one_span::OneSpan;
use super::{Settings, initial_state};
use crate::rod::AnyRod;
use crate::rod::Rod;
use crate::solver::problem::{Problem, ProblemError, State};
use crate::solver::report::{Report, Status};

/// Most elements of an adaptive solve.
pub const MOST_ELEMENTS: usize = 400;
/// Most rounds of halving.
const ROUNDS: usize = 12;

/// What an adaptive solve found.
#[derive(Clone, Debug)]
pub struct Adapted {
    /// The problem with the elements that were chosen.
    pub problem: Problem,
    /// Its equilibrium.
    pub state: State,
    /// The proof.
    pub report: Report,
    /// Estimated error of the centreline as a share of the length.
    pub error: f64,
    /// Whether the estimate is inside the accuracy asked for.
    pub met: bool,
}

/// Solves the problem that `pose` makes of the ends of elements (arc lengths from 0), beginning with `ends` and
/// dividing elements until the centreline is estimated to be within `accuracy`, a share of the length.
///
/// Where that takes more than [`MOST_ELEMENTS`], the best is returned with [`Adapted::met`] false. Chains of
/// segments are not adapted: they are solved once.
pub fn solve_adaptive(
    ends: &[f64],
    accuracy: f64,
    pose: &dyn Fn(&[f64]) -> Result<Problem, ProblemError>,
    settings: &Settings,
) -> Result<Adapted, ProblemError> {
    let mut ends = ends.to_vec();
    let mut before: Option<Adapted> = None;
    for _ in 0..ROUNDS {
        let problem = pose(&ends)?;
        let mut state = match &before {
            // The shape of before, and the forces that held it.
            Some(last) => {
                let shape = |s: f64| last.problem.rod.station(&last.state.rod, s);
                State { rod: problem.rod.state_from(&shape), ..last.state.clone() }
            }
            None => initial_state(&problem),
        };
        let AnyRod::Curvature(rod) = &problem.rod else {
            let (state, report) = super::solve_from_scratch(&problem, settings)?;
            return Ok(Adapted { problem, state, report, error: f64::NAN, met: false });
        };
        let mut ws = OneSpan::new(&problem);
        let report = ws.solve(&problem, &mut state, settings)?;
        if report.status != Status::Converged {
            return Ok(Adapted { problem, state, report, error: f64::NAN, met: false });
        }
        let missed = ws.missed_curvature();
        let length = rod.length();
        let own: Vec<f64> = missed
            .iter()
            .zip(rod.rest_missed())
            .zip(&rod.shares)
            .map(|((balance, rest), share)| (balance + rest) * share)
            .collect();
        let error: f64 = own.iter().sum();
        let met = error <= accuracy;
        let shares = rod.shares.clone();
        before = Some(Adapted { problem, state, report, error, met });
        if met {
            break;
        }
        let mut finer = vec![0.0];
        for (e, w) in ends.windows(2).enumerate() {
            if own[e] > accuracy * shares[e] {
                finer.push(0.5 * (w[0] + w[1]));
            }
            finer.push(w[1]);
        }
        debug_assert!((finer[finer.len() - 1] - length).abs() <= 1e-9 * length);
        if finer.len() > MOST_ELEMENTS + 1 || finer.len() == ends.len() {
            break;
        }
        ends = finer;
    }
    before.ok_or(ProblemError::NotFinite { what: "the ends of the elements" })
}
