//! As many elements as an accuracy asks for, where they are needed.
//!
//! Of curvature rods every element tells what it misses. At an equilibrium the moment RᵀM is known far better than the
//! curvature: it is integrated from the end,
//! while K (u − ū) can only follow it as the shape functions do, and meets it on average over every element.
//! What is left, ε_e = ∫ |K⁻¹RᵀM − (u − û)| + |ū − û| ds, turns the frames inside the element and back; the
//! centreline is off by about ε_e times the length of the element. Elements that miss more than their share
//! of the accuracy are halved until all together miss no more than it (after O. C. Zienkiewicz, J. Z. Zhu,
//! Int. J. Numer. Meth. Eng. 24 (1987) 337–357, who compare with recovered stresses).
//!
//! Of every model the answer is then held against that of pieces half as long, which knows nothing of this reasoning:
//! where errors shrink at least with the length of pieces, it is off by no more than twice the difference (L. F. Richardson,
//! Phil. Trans. R. Soc. A 210 (1911) 307–357). The larger of both estimates counts. Where elements tell nothing, two answers
//! may agree by luck: no error is believed to have shrunk faster from round to round than the order of its model lets it.

use super::{Method, Settings, Workspace, initial_state, solve};
use crate::algebra::Vec3;
use crate::body::Axes;
use crate::rod::curvature::Basis;
use crate::rod::{AnyRod, Rod, State};
use crate::solver::budget;
use crate::solver::network::NetworkReport;
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::report::{Energies, Status};

/// Most elements of an adaptive solve.
pub const MOST_ELEMENTS: usize = 400;
/// Most segments of an adaptive solve.
pub const MOST_SEGMENTS: usize = 3200;
/// How many times the difference from pieces half as long an answer may be off, where its error shrinks as they do.
pub const RICHARDSON: f64 = 2.0;
/// Places at which two centrelines are compared.
const PLACES: u32 = 200;
/// Most rounds of halving, or of placing anew.
const ROUNDS: usize = 12;
/// Rounds without an equilibrium after which nothing more is tried.
const UNSOLVED: usize = 4;
/// Estimated error, a share of the length, above which ends go by the energy: elements are so long then that what they
/// miss follows no power of their length. Below it elements that miss the same lie nearer to the equilibrium.
const ROUGH: f64 = 1e-2;
/// Most elements whose ends go by the energy: each move costs a solve.
const FEW: usize = 16;
/// How far an end is moved at first where the energy tells, as a share of a mean element, and the least that is tried.
const TRIES: (f64, f64) = (0.2, 0.002);
/// Moving an end must lower the energy by this share of what bending and twist store, which is beyond round-off.
const WORTH: f64 = 1e-10;
/// How far the centreline may go when an end is moved, as a share of the length: farther is another equilibrium.
const NEAR: f64 = 0.05;
/// An element that misses less than this share of the worst counts as if it missed so much: it is not spread without end.
const SMOOTHEST: f64 = 1e-4;

/// What an adaptive solve found.
#[derive(Clone, Debug)]
pub struct Adapted {
    /// The problem with the pieces that were chosen.
    pub problem: Problem,
    /// Its equilibrium.
    pub state: State,
    /// The proof.
    pub report: NetworkReport,
    /// Estimated error of the centreline as a share of the length; not a number where nothing is known of it.
    pub error: f64,
    /// Estimated error of what the supports exert, N and N m, where the answer was held against a finer one.
    pub support_error: Option<[f64; 2]>,
    /// Whether the estimate is inside the accuracy asked for.
    pub met: bool,
}

impl Adapted {
    fn new(problem: Problem, state: State, report: NetworkReport, error: f64) -> Self {
        Self { problem, state, report, error, support_error: None, met: false }
    }

    fn is_solved(&self) -> bool {
        self.report.status == Status::Converged
    }

    /// Holds this answer against that of pieces half as long.
    fn compare(&mut self, finer: &Self) {
        let length = self.problem.rod.length();
        let off = distance((&self.problem.rod, &self.state), (&finer.problem.rod, &finer.state));
        // Where elements tell nothing of themselves there is no other estimate.
        self.error = self.error.max(RICHARDSON * off / length);
        let both = || self.report.reactions.iter().zip(&finer.report.reactions);
        let force = both().map(|(a, b)| (a.force - b.force).norm()).fold(0.0, f64::max);
        let moment = both().map(|(a, b)| (a.moment - b.moment).norm()).fold(0.0, f64::max);
        self.support_error = Some([force, moment].map(|e| RICHARDSON * e));
    }
}

/// Largest distance of two centrelines at the same shares of their lengths, m.
pub fn distance(a: (&AnyRod, &State), b: (&AnyRod, &State)) -> f64 {
    let at =
        |(rod, state): (&AnyRod, &State), share: f64| rod.station(&state.rod, share * rod.length()).position;
    let apart = |k: u32| {
        let share = f64::from(k) / f64::from(PLACES);
        (at(a, share) - at(b, share)).norm()
    };
    (0..=PLACES).map(apart).fold(0.0, f64::max)
}

/// Ends of pieces half as long, those that `divide` says.
fn halved(ends: &[f64], divide: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut finer = vec![0.0];
    for (e, w) in ends.windows(2).enumerate() {
        if divide(e) {
            finer.push(0.5 * (w[0] + w[1]));
        }
        finer.push(w[1]);
    }
    finer
}

/// By how much the error of a model shrinks at best when its pieces are halved.
pub fn best_shrinkage(rod: &AnyRod) -> f64 {
    f64::from(rod.order()).exp2()
}

/// Most pieces of a rod that may be chosen, and that its answer may be held against.
fn most_pieces(rod: &AnyRod) -> [usize; 2] {
    let most = if rod.bends_at_nodes() { MOST_SEGMENTS } else { MOST_ELEMENTS };
    [most, 2 * most].map(|most| most.min(rod.most_pieces()))
}

/// Solves the problem that `pose` makes of the ends of pieces (arc lengths from 0), beginning with `ends` and
/// dividing them until the centreline is estimated to be within `accuracy`, a share of the length.
///
/// Where pieces are too long for any equilibrium all of them are halved. Where it takes more than [`MOST_ELEMENTS`] or
/// [`MOST_SEGMENTS`], or no equilibrium is found, the last is returned with [`Adapted::met`] false.
pub fn solve_adaptive(
    ends: &[f64],
    accuracy: f64,
    pose: &dyn Fn(&[f64]) -> Result<Problem, ProblemError>,
    settings: &Settings,
) -> Result<Adapted, ProblemError> {
    if !(accuracy > 0.0 && accuracy < 1.0) {
        let expected = "a share of the length, above 0 and below 1";
        return Err(ProblemError::Setting { what: "accuracy", value: accuracy, expected });
    }
    let mut ends = ends.to_vec();
    let mut best: Option<Adapted> = None;
    // Where the next solve begins.
    let mut before: Option<Adapted> = None;
    let mut patience = UNSOLVED;
    let mut last_error = None;
    for _ in 0..ROUNDS {
        let (mut found, own) = solve_once(pose(&ends)?, before.as_ref(), settings)?;
        let length = found.problem.rod.length();
        let [most, most_compared] = most_pieces(&found.problem.rod);
        let solved = found.is_solved();
        patience -= usize::from(!solved);
        // What no element knows of itself, or all are content with, is asked of finer ones.
        let content = solved && own.iter().sum::<f64>() <= accuracy;
        let share = |e: usize| accuracy * (ends[e + 1] - ends[e]) / length;
        let finer = halved(&ends, |e| content || own.get(e).is_none_or(|own| *own > share(e)));
        let mut next = None;
        if content && finer.len() <= most_compared + 1 {
            let (fine, _) = solve_once(pose(&finer)?, Some(&found), settings)?;
            if fine.is_solved() {
                found.compare(&fine);
                if own.is_empty() {
                    let least = last_error.map(|error: f64| error / best_shrinkage(&found.problem.rod));
                    found.error = found.error.max(least.unwrap_or(0.0));
                    found.met = found.error <= accuracy && least.is_some();
                    last_error = Some(found.error);
                } else {
                    found.met = found.error <= accuracy;
                }
                next = Some(fine);
            }
        }
        let last = found.met
            || patience == 0
            || budget::stop().is_some()
            || finer.len() > most + 1
            || finer.len() == ends.len();
        if solved || best.is_none() {
            before = next.or_else(|| solved.then(|| found.clone()));
            best = Some(found);
        }
        if last {
            break;
        }
        ends = finer;
    }
    best.ok_or(ProblemError::NotFinite { what: "the ends of the elements" })
}

/// Solves from the shape of before, where there is one. Elements of a curvature rod in equilibrium tell what each misses, a
/// share of the length.
fn solve_once(
    problem: Problem,
    before: Option<&Adapted>,
    settings: &Settings,
) -> Result<(Adapted, Vec<f64>), ProblemError> {
    // What is asked here is where the rod lies: whoever solves the problem in the end asks for the rest.
    let settings = Settings { method: Method::Newton, stability: false, ..*settings };
    let mut state = match before {
        // The forces that held it are kept as well.
        Some(last) => {
            let rod = problem.rod.shaped_as(&last.problem.rod, &last.state.rod);
            State { rod, ..last.state.clone() }
        }
        None => initial_state(&problem),
    };
    let AnyRod::Curvature(rod) = &problem.rod else {
        let report = solve(&problem, &mut state, &mut Workspace::new(&problem), &settings)?;
        return Ok((Adapted::new(problem, state, report, f64::NAN), Vec::new()));
    };
    let mut ws = Workspace::new(&problem);
    let report = solve(&problem, &mut state, &mut ws, &settings)?;
    if report.status != Status::Converged {
        return Ok((Adapted::new(problem, state, report, f64::NAN), Vec::new()));
    }
    let balance = ws.missed_curvature();
    let missed = balance.iter().zip(rod.rest_missed()).zip(&rod.shares);
    let own: Vec<f64> = missed.map(|((balance, rest), share)| (balance + rest) * share).collect();
    let error = own.iter().sum();
    Ok((Adapted::new(problem, state, report, error), own))
}

/// Solves the problem with as many elements as `ends` has, placed where they are needed. Ends that must stay, where
/// sections jump, are not looked at.
///
/// First all elements are to miss the same, by their estimate: what element e misses goes with its length as h^p, so that
/// ends are laid at equal steps of ∫ (η_e/h_e^p)^(1/p) ds (after C. de Boor, Lect. Notes Math. 363 (1974) 12–20), of
/// the solution with the ends before; the best of some rounds. Then, where elements are few and far too long, and loads have a potential, ends
/// go where the energy is least: of all shapes that so many elements can take, that is the nearest to the equilibrium in energy (as with nodes
/// in M. Braun, Proc. Estonian Acad. Sci. Phys. Math. 46 (1997) 24–31: forces on them vanish).
pub fn solve_placed(
    ends: &[f64],
    pose: &dyn Fn(&[f64]) -> Result<Problem, ProblemError>,
    settings: &Settings,
) -> Result<Adapted, ProblemError> {
    let (mut best, mut own) = solve_once(pose(ends)?, None, settings)?;
    let mut ends = ends.to_vec();
    let mut at = ends.clone();
    for _ in 0..ROUNDS {
        let AnyRod::Curvature(rod) = &best.problem.rod else { break };
        if own.is_empty() || budget::stop().is_some() {
            break;
        }
        let power = match rod.basis() {
            Basis::Helix => 3.0,
            Basis::Clothoid => 4.0,
        };
        ends = spread(&ends, &own, power);
        let (found, missed) = solve_once(pose(&ends)?, Some(&best), settings)?;
        own = missed;
        if found.error < best.error {
            best = found;
            at.clone_from(&ends);
        }
    }
    let rough = best.error > ROUGH && at.len() <= FEW + 1 && has_potential(&best.problem);
    if rough && best.report.status == Status::Converged {
        best = lower_energy(best, at, pose, settings)?;
    }
    Ok(best)
}

/// Whether all that acts on a rod is told by [`Energies`]: dead forces and weight.
fn has_potential(problem: &Problem) -> bool {
    let still =
        |axes: Axes, moments: &[Vec3]| axes == Axes::World && moments.iter().all(|m| *m == Vec3::zeros());
    problem.poles.is_empty()
        && problem.point_loads.iter().all(|l| still(l.axes, &[l.moment]))
        && problem.distributed_loads.iter().all(|l| still(l.axes, &l.moment))
}

/// Moves the ends of elements one after the other, by less and less, wherever that lowers the energy.
fn lower_energy(
    mut best: Adapted,
    mut ends: Vec<f64>,
    pose: &dyn Fn(&[f64]) -> Result<Problem, ProblemError>,
    settings: &Settings,
) -> Result<Adapted, ProblemError> {
    let energy = |found: &Adapted| {
        let Energies { bending, torsion, gravity, loads } = found.report.rest.energies;
        bending + torsion + gravity + loads
    };
    let worth = WORTH * (best.report.rest.energies.bending + best.report.rest.energies.torsion);
    let n = ends.len() - 1;
    let length = best.problem.rod.length();
    let mut step = TRIES.0 * length / n as f64;
    while step > TRIES.1 * length / n as f64 && budget::stop().is_none() {
        let mut moved = false;
        for i in 1..n {
            for by in [step, -step] {
                let to = ends[i] + by;
                // An element keeps a part of its length.
                if to - ends[i - 1] < step || ends[i + 1] - to < step {
                    continue;
                }
                let before = std::mem::replace(&mut ends[i], to);
                let (found, own) = solve_once(pose(&ends)?, Some(&best), settings)?;
                if !own.is_empty() && energy(&found) < energy(&best) - worth && is_near(&found, &best) {
                    (best, moved) = (found, true);
                    break;
                }
                ends[i] = before;
            }
        }
        if !moved {
            step *= 0.5;
        }
    }
    Ok(best)
}

/// Whether two solutions are one equilibrium, by their centrelines.
fn is_near(a: &Adapted, b: &Adapted) -> bool {
    let length = a.problem.rod.length();
    let place = |of: &Adapted, s: f64| of.problem.rod.station(&of.state.rod, s).position;
    (0..=16)
        .map(|k| length * f64::from(k) / 16.0)
        .all(|s| (place(a, s) - place(b, s)).norm() <= NEAR * length)
}

/// Ends at equal steps of ∫ (η_e/h_e^p)^(1/p) ds, a density that jumps from element to element.
fn spread(ends: &[f64], own: &[f64], power: f64) -> Vec<f64> {
    let n = own.len();
    let least = own.iter().fold(0.0f64, |m, x| m.max(*x)) * SMOOTHEST;
    // The step of an element in that integral is η^(1/p).
    let steps: Vec<f64> = own.iter().map(|e| e.max(least).powf(1.0 / power)).collect();
    let total: f64 = steps.iter().sum();
    let mut placed = vec![ends[0]];
    let (mut e, mut passed) = (0, 0.0);
    for k in 1..n {
        let wanted = total * k as f64 / n as f64;
        while e + 1 < n && passed + steps[e] < wanted {
            passed += steps[e];
            e += 1;
        }
        placed.push(ends[e] + (ends[e + 1] - ends[e]) * ((wanted - passed) / steps[e]).clamp(0.0, 1.0));
    }
    placed.push(ends[n]);
    placed
}
