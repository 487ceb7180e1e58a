//! The problem where W is known with a stiffness added to what moves: for rods that cannot stretch.
//!
//! Statics has u = W r + q with W = J A⁻¹ Jᵀ for an A that contacts hold up: without them it may have no inverse. What can
//! be had is W̃ = J (A + Jᵀ ϱ J)⁻¹ Jᵀ, and with p = r + ϱ u for the unknown
//!
//! ```text
//! u = W̃ p + q̃,     r = p − ϱ u
//! ```
//!
//! is the same problem, with numbers that stay small. Contacts along something that does not stretch repeat each other: which
//! of them holds it is open, and the map of Alart and Curnier has no inverse. Its law is therefore approached from laws that
//! are smooth, with ε → 0 and σ → 0,
//!
//! ```text
//! λ c g = σ,  λ > 0,  g > 0          τ √(|u_T|² + ε²) + µ λ u_T = 0,
//! ```
//!
//! each solved by Newton's method from the one before (C. Kanzow, SIAM J. Matrix Anal. Appl. 17 (1996) 851–868, for the first;
//! the second, multiplied out, is nearly linear where a contact sticks, as primal–dual methods want it). Of all forces that
//! obey the law those are found that small springs along the surface would leave.

use super::newton::derivative;
use super::{
    ConeProblem, ConeSettings, ConeSolution, ConeStatus, ConeWorkspace, Delassus, law, solve as solve_plain,
};
use crate::algebra::lu::Lu;
use crate::algebra::{Mat3, Vec3, larger};
use nalgebra::{DMatrix, DVector};

/// By how much ε falls, and √σ with it, at first and at most; and where that was too fast, the least that it may.
const SHRINK: f64 = 0.1;
const STEEPEST: f64 = 1e-2;
const LARGEST_SHRINK: f64 = 0.95;
/// Residual, relative to the forces, at which it does, and of the last laws.
const ENOUGH: f64 = 1e-4;
const LAST: f64 = 2e-5;
/// Motion that does for what sticks, beside what counts as none: along a rod that does not stretch no force takes away what
/// its bending makes.
const STILL: f64 = 10.0;
/// ε at the end beside what counts as no motion.
const FINER: f64 = 1e-2;
/// Residual of the law itself.
const EXACT: f64 = 1e-12;
/// Steps for one ε, for the first, which begins anywhere, and in all.
const STEPS: usize = 12;
const FIRST: usize = 50;
const MOST: usize = 200;
/// Steps on the law itself, and the share of W_kk with which forces are held in them where contacts stick.
const POLISHES: usize = 12;
/// Of these, steps in a row that may lead nowhere, and how often one is taken anew.
const PATIENCE: usize = 3;
const TURNS: usize = 3;
const REDUNDANT: f64 = 1e-3;
const STUCK: f64 = 0.1;
/// What moves by so many times the last ε slides: friction that sticks near its bound lets go by a multiple of ε too.
const SLIDES: f64 = 300.0;

/// What is to be solved: m contacts.
pub struct AugmentedProblem<'a> {
    /// W̃, symmetric: three rows and columns per contact, normal first.
    pub delassus: &'a DMatrix<f64>,
    /// q̃.
    pub free: &'a [Vec3],
    /// ϱ, 0 where nothing is added.
    pub stiffness: &'a [Vec3],
    /// µ of every contact.
    pub friction: &'a [f64],
    /// Whether a contact sticks where the search begins: where what contacts hold up would give way without them, sliding may be
    /// an answer too, and a wrong one.
    pub sticks: &'a [bool],
    /// ε of the end: motion that counts as none.
    pub finest: f64,
    /// Whether W can be had from W̃, since inertia holds what contacts do not: where the smooth laws lead nowhere it is tried.
    pub is_regular: bool,
}

/// The solution: handed in with `augmented` it is where to start.
#[derive(Clone, Debug, Default)]
pub struct AugmentedSolution {
    /// p.
    pub augmented: Vec<Vec3>,
    /// r, within the cone.
    pub forces: Vec<Vec3>,
    /// u.
    pub motion: Vec<Vec3>,
    /// Newton steps.
    pub iterations: usize,
    /// How it ended.
    pub status: ConeStatus,
}

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub struct AugmentedWorkspace {
    matrix: Lu,
    right: Vec<f64>,
    value: Vec<Vec3>,
    trial: Vec<Vec3>,
    blocks: Vec<(Mat3, Mat3)>,
    /// The last solution of a law on the way.
    kept: Vec<Vec3>,
    /// c, what makes a gap a force.
    stiffness: Vec<f64>,
    /// In a step on the law itself, against which way contacts slide, nothing where they stick; and which stick since they
    /// would turn round.
    ways: Vec<[f64; 2]>,
    held: Vec<bool>,
    /// For W itself.
    plain: ConeSolution,
    sweeps: ConeWorkspace,
}

/// One law on the way: ε and σ.
#[derive(Clone, Copy)]
struct Smooth {
    epsilon: f64,
    sigma: f64,
}

impl Smooth {
    /// What is missed by force `r` and motion `u`, N.
    fn value(&self, r: &Vec3, u: &Vec3, friction: f64, c: f64) -> Vec3 {
        let (far, root) = self.normal(r, u, c);
        let (_, b, size, scale) = self.tangential(r, u, friction, c);
        let across = |i: usize| (r[i] * size + b * u[i]) * scale;
        Vec3::new(0.5 * (far - root), across(1), across(2))
    }

    /// The same in units of force whatever ε: how far friction is from what the slip makes of it. Where ε is small, the
    /// product says nothing before slips are told from each other.
    fn missed(&self, r: &Vec3, u: &Vec3, friction: f64, c: f64) -> f64 {
        let (far, root) = self.normal(r, u, c);
        let (_, b, size, _) = self.tangential(r, u, friction, c);
        let across = |i: usize| r[i] + b * u[i] / size;
        Vec3::new(0.5 * (far - root), across(1), across(2)).norm()
    }

    /// Its derivatives by force and motion.
    fn linearised(&self, r: &Vec3, u: &Vec3, friction: f64, c: f64) -> (Mat3, Mat3) {
        let (_, root) = self.normal(r, u, c);
        let lean = (r.x - c * u.x) / root;
        let (mu, b, size, scale) = self.tangential(r, u, friction, c);
        let (mut by_force, mut by_motion) = (Mat3::zeros(), Mat3::zeros());
        // Friction beyond its bound would make the form that motion meets indefinite, and steps lead nowhere: it counts as at
        // its bound (S. Hüeber, G. Stadler, B. Wohlmuth, SIAM J. Sci. Comput. 30 (2008) 572–596).
        let within = (b / r.y.hypot(r.z).max(f64::MIN_POSITIVE)).min(1.0);
        by_force.m11 = 0.5 * (1.0 - lean);
        by_motion.m11 = 0.5 * c * (1.0 + lean);
        for i in 1..3 {
            by_force[(i, 0)] = mu * u[i] * scale;
            by_force[(i, i)] = size * scale;
            for j in 1..3 {
                let own = if i == j { b } else { 0.0 };
                by_motion[(i, j)] = (own + within * r[i] * u[j] / size) * scale;
            }
        }
        (by_force, by_motion)
    }

    fn normal(&self, r: &Vec3, u: &Vec3, c: f64) -> (f64, f64) {
        (r.x + c * u.x, ((r.x - c * u.x).powi(2) + 4.0 * self.sigma).sqrt())
    }

    /// µ where the contact pushes, µ λ, √(|u_T|² + ε²), and what makes the product a force.
    fn tangential(&self, r: &Vec3, u: &Vec3, friction: f64, c: f64) -> (f64, f64, f64, f64) {
        let mu = if r.x > 0.0 { friction } else { 0.0 };
        let (b, size) = (mu * r.x, (u.y * u.y + u.z * u.z + self.epsilon * self.epsilon).sqrt());
        (mu, b, size, 1.0 / (size + b / c))
    }
}

/// Motion and force of the augmented force of every contact.
fn split(problem: &AugmentedProblem, p: &[Vec3], out: &mut AugmentedSolution) {
    let (n, all) = (3 * p.len(), problem.delassus.as_slice());
    out.motion.clear();
    out.forces.clear();
    for k in 0..p.len() {
        let mut u = problem.free[k];
        for i in 0..3 {
            let column = &all[(3 * k + i) * n..(3 * k + i + 1) * n];
            u[i] +=
                column.chunks_exact(3).zip(p).map(|(w, p)| w[0] * p.x + w[1] * p.y + w[2] * p.z).sum::<f64>();
        }
        out.motion.push(u);
        out.forces.push(p[k] - problem.stiffness[k].component_mul(&u));
    }
}

/// Solves from the augmented forces in `solution`, which are as many as there are contacts.
pub fn solve_augmented(
    problem: &AugmentedProblem,
    solution: &mut AugmentedSolution,
    room: &mut AugmentedWorkspace,
) {
    let m = problem.free.len();
    solution.iterations = 0;
    solution.status = ConeStatus::Converged;
    if m == 0 {
        split(problem, &[], solution);
        return;
    }
    let mut p = std::mem::take(&mut solution.augmented);
    split(problem, &p, solution);
    room.stiffness.clear();
    let largest = (0..m).map(|k| problem.delassus[(3 * k, 3 * k)]).fold(f64::MIN_POSITIVE, f64::max);
    room.stiffness.extend((0..m).map(|k| 1.0 / problem.delassus[(3 * k, 3 * k)].max(1e-12 * largest)));
    if solve_at_once(problem, &mut p, solution, room) {
        finish(problem, p, solution, room);
        return;
    }
    split(problem, &p, solution);
    let contacts = || solution.forces.iter().zip(&solution.motion).zip(&room.stiffness);
    let force = contacts().fold(f64::MIN_POSITIVE, |most, ((r, u), c)| most.max(r.norm()).max(u.x.abs() * c));
    // Slip begins no smaller than what the forces would make of it, so that both laws come a long way.
    let stiffest = room.stiffness.iter().copied().fold(0.0, f64::max);
    let least = (force / stiffest).max(1e3 * problem.finest);
    let slip = contacts().fold(least, |most, ((_, u), _)| most.max(u.y.hypot(u.z)));
    // What does not push yet has to begin somewhere.
    for (p, r) in p.iter_mut().zip(&solution.forces).filter(|(_, r)| r.x <= 0.0) {
        p.x += 0.1 * force - r.x;
    }
    let begin = Smooth { epsilon: slip, sigma: (0.1 * force).powi(2) };
    let (mut law, mut good, mut shrink) = (begin, None, SHRINK);
    room.kept.clone_from(&p);
    let end = FINER * problem.finest;
    solution.status = loop {
        let last = law.epsilon <= end;
        // Contacts near their bound still move by a multiple of ε: less than what counts as none is gone for, not asked for.
        let will_do = good.is_some_and(|good: Smooth| good.epsilon <= problem.finest);
        let steps = if good.is_none() { FIRST } else { STEPS };
        if solution.iterations < MOST && newton(problem, &law, &mut p, solution, room, (last, steps)) {
            if last {
                break ConeStatus::Converged;
            }
            room.kept.clone_from(&p);
            good = Some(law);
            shrink = (shrink * shrink).max(STEEPEST);
        } else {
            // Back to the last law that was met, and a shorter way from there.
            p.clone_from(&room.kept);
            shrink = shrink.sqrt();
            if will_do {
                break ConeStatus::Converged;
            }
            if good.is_none() || shrink > LARGEST_SHRINK || solution.iterations >= MOST {
                break ConeStatus::IterationLimit;
            }
        }
        let from = good.unwrap_or(begin);
        let floor = if from.epsilon > problem.finest { problem.finest } else { end };
        let next = (from.epsilon * shrink).max(floor);
        law = Smooth { epsilon: next, sigma: from.sigma * (next / from.epsilon).powi(2) };
    };
    if solution.status != ConeStatus::Converged
        && problem.is_regular
        && let Some(found) = solve_without_stiffness(problem, solution, room)
    {
        (p, solution.status) = (found, ConeStatus::Converged);
    }
    if solution.status == ConeStatus::Converged {
        let smooth = p.clone();
        if !polish(problem, &mut p, solution, room, false) {
            p = smooth;
        }
    }
    finish(problem, p, solution, room);
}

/// Leaves in `solution` what the augmented forces `p` stand for.
fn finish(
    problem: &AugmentedProblem,
    p: Vec<Vec3>,
    solution: &mut AugmentedSolution,
    room: &AugmentedWorkspace,
) {
    split(problem, &p, solution);
    for (k, r) in solution.forces.iter_mut().enumerate() {
        *r = law::admissible(r, problem.friction[k]);
        if r.x <= solution.motion[k].x * room.stiffness[k] {
            *r = Vec3::zeros();
        }
    }
    solution.augmented = p;
}

/// Whether the law is met a few Newton steps from the start: what slides goes on sliding from step to step. Else `p` is
/// left as it was.
fn solve_at_once(
    problem: &AugmentedProblem,
    p: &mut Vec<Vec3>,
    solution: &mut AugmentedSolution,
    room: &mut AugmentedWorkspace,
) -> bool {
    let before = p.clone();
    let is_met = polish(problem, p, solution, room, true);
    if !is_met {
        *p = before;
    }
    is_met
}

/// What is left of the law, relative to the forces, where contacts that stick may move by so many times what counts as none.
fn beyond_noise(
    problem: &AugmentedProblem,
    solution: &AugmentedSolution,
    room: &AugmentedWorkspace,
    still: f64,
) -> f64 {
    let beyond = |k: usize| {
        let (c, mu, r, u) =
            (room.stiffness[k], problem.friction[k], &solution.forces[k], &solution.motion[k]);
        let trial = r - u * c;
        let sticks = trial.x > 0.0 && trial.y.hypot(trial.z) <= mu * trial.x;
        (law::defect(r, u, mu, 1.0 / c).norm() - if sticks { still * problem.finest * c } else { 0.0 })
            .max(0.0)
    };
    let left = (0..solution.forces.len()).map(beyond).fold(0.0, larger);
    left / solution.forces.iter().map(Vec3::norm).fold(f64::MIN_POSITIVE, larger)
}

/// The augmented forces where W itself, W̃ less what ϱ makes of it, is solved for: u = W̃ (r + ϱ u) + q̃ for u.
fn solve_without_stiffness(
    problem: &AugmentedProblem,
    solution: &mut AugmentedSolution,
    room: &mut AugmentedWorkspace,
) -> Option<Vec<Vec3>> {
    let n = 3 * problem.free.len();
    let rho = |r: usize| problem.stiffness[r / 3][r % 3];
    let left = DMatrix::from_fn(n, n, |r, c| f64::from(u8::from(r == c)) - problem.delassus[(r, c)] * rho(c));
    let factors = left.lu();
    let w = factors.solve(problem.delassus)?;
    let w = (&w + w.transpose()) * 0.5;
    let free = factors.solve(&DVector::from_fn(n, |r, _| problem.free[r / 3][r % 3]))?;
    let free: Vec<Vec3> = free.as_slice().chunks_exact(3).map(Vec3::from_column_slice).collect();
    let plain = ConeProblem { delassus: Delassus::Dense(&w), free: &free, friction: problem.friction };
    room.plain.forces.clone_from(&solution.forces);
    let settings = ConeSettings { most_iterations: MOST, ..ConeSettings::default() };
    solve_plain(&plain, &mut room.plain, &mut room.sweeps, &settings).ok()?;
    solution.iterations += room.plain.iterations;
    let each = room.plain.forces.iter().zip(&room.plain.motion).zip(problem.stiffness);
    (room.plain.status == ConeStatus::Converged)
        .then(|| each.map(|((r, u), rho)| r + rho.component_mul(u)).collect())
}

/// Newton steps on the map of Alart and Curnier, which is the law itself; the best of them is kept. Whether it is met, which
/// may be `enough`.
///
/// What makes slip a force in the map is free. Here it is so much that what the last of the smooth laws lets slide slides: with c
/// contacts that creep towards rest would count as sticking. Contacts that a step would turn round stick instead, and the step is taken anew
/// from where it began: along a rod that does not stretch all of them turn together, and would go to and fro for ever.
fn polish(
    problem: &AugmentedProblem,
    p: &mut Vec<Vec3>,
    solution: &mut AugmentedSolution,
    room: &mut AugmentedWorkspace,
    enough: bool,
) -> bool {
    let (mut least, mut is_met, mut waited) = (f64::INFINITY, false, 0);
    room.kept.clone_from(p);
    room.held.clear();
    // Of a solution of the smooth laws it is known what sticks.
    room.held.extend(problem.sticks.iter().map(|sticks| *sticks && enough));
    for step in 0..POLISHES {
        split(problem, p, solution);
        // Where nothing was tried yet, there may be less.
        let left = beyond_noise(problem, solution, room, if step == 0 { 1.0 } else { STILL });
        // Round-off is left where steps lead no farther.
        let leads_on = left < 0.5 * least;
        waited += 1;
        if left < least {
            (least, waited) = (left, 0);
            room.kept.clone_from(p);
            is_met = left <= EXACT;
        }
        if waited >= PATIENCE || is_met && (enough || !leads_on || left == 0.0) {
            break;
        }
        let mut found = left.is_finite();
        for _ in 0..TURNS {
            linearise(problem, solution, room);
            found = found && direction(problem, room);
            if !found {
                break;
            }
            solution.iterations += 1;
            room.trial.clear();
            room.trial.extend(
                p.iter().zip(room.right.chunks_exact(3)).map(|(p, d)| p + Vec3::from_column_slice(d)),
            );
            // The motion there; forces and motion at hand are had again from p.
            let trial = std::mem::take(&mut room.trial);
            split(problem, &trial, solution);
            room.trial = trial;
            let mut turned = false;
            for (k, way) in room.ways.iter().enumerate() {
                let back = solution.motion[k].y * way[0] + solution.motion[k].z * way[1];
                if back > problem.finest * way[0].hypot(way[1]) {
                    (room.held[k], turned) = (true, true);
                }
            }
            if !turned {
                break;
            }
            split(problem, p, solution);
        }
        if !found {
            break;
        }
        p.clone_from(&room.trial);
        for (k, r) in solution.forces.iter().enumerate() {
            room.held[k] &= r.y.hypot(r.z) <= problem.friction[k] * r.x;
        }
    }
    p.clone_from(&room.kept);
    is_met
}

/// Values and blocks of the map of Alart and Curnier.
fn linearise(problem: &AugmentedProblem, solution: &AugmentedSolution, room: &mut AugmentedWorkspace) {
    let AugmentedWorkspace { value, blocks, stiffness, ways, held, .. } = room;
    value.clear();
    blocks.clear();
    ways.clear();
    for (k, (r, u)) in solution.forces.iter().zip(&solution.motion).enumerate() {
        let (mu, c) = (problem.friction[k], stiffness[k]);
        // At so many ε the smooth law has as much friction less than its bound as this makes of the slip.
        let across = c.max(mu * r.x / (2.0 * SLIDES.powi(3) * FINER * problem.finest));
        let scale = Vec3::new(c, across, across);
        let trial = r - u.component_mul(&scale);
        ways.push([0.0; 2]);
        if trial.x <= 0.0 {
            value.push(*r);
            blocks.push((Mat3::identity(), -Mat3::from_diagonal(&problem.stiffness[k])));
            continue;
        }
        let (value_here, a, b) = if trial.y.hypot(trial.z) > mu * trial.x && !held[k] {
            ways[k] = [trial.y, trial.z];
            let (a, _) = derivative(&trial, mu, 1.0);
            (r - law::admissible(&trial, mu), a, Mat3::identity() - a)
        } else {
            // What sticks may repeat others: it keeps to the forces at hand.
            (r - trial, Mat3::from_diagonal(&Vec3::new(REDUNDANT, STUCK, STUCK)), Mat3::identity())
        };
        value.push(value_here);
        blocks.push((a, b * Mat3::from_diagonal(&scale) - a * Mat3::from_diagonal(&problem.stiffness[k])));
    }
}

/// Newton steps for one law; whether they meet it.
fn newton(
    problem: &AugmentedProblem,
    law: &Smooth,
    p: &mut [Vec3],
    solution: &mut AugmentedSolution,
    room: &mut AugmentedWorkspace,
    (last, steps): (bool, usize),
) -> bool {
    let (m, enough) = (p.len(), if law.epsilon <= problem.finest { LAST } else { ENOUGH });
    let mut left = f64::INFINITY;
    for step in 0..steps {
        split(problem, p, solution);
        let now = values(problem, law, solution, room);
        let largest = solution.forces.iter().map(Vec3::norm).fold(f64::MIN_POSITIVE, larger);
        let missed = (0..m).map(|k| {
            let (r, u) = (&solution.forces[k], &solution.motion[k]);
            law.missed(r, u, problem.friction[k], room.stiffness[k])
        });
        left = missed.fold(0.0, larger) / largest;
        if left <= enough && (step > 0 || last) {
            return true;
        }
        if !now.is_finite() {
            return false;
        }
        room.blocks.clear();
        room.blocks.extend((0..m).map(|k| {
            let (a, b) = law.linearised(
                &solution.forces[k],
                &solution.motion[k],
                problem.friction[k],
                room.stiffness[k],
            );
            (a, b - a * Mat3::from_diagonal(&problem.stiffness[k]))
        }));
        if !direction(problem, room) {
            return false;
        }
        solution.iterations += 1;
        let mut best = (f64::INFINITY, 1.0);
        let mut share = 1.0;
        while share > 0.01 {
            room.trial.clear();
            room.trial.extend(
                (0..m).map(|k| p[k] + Vec3::from_column_slice(&room.right[3 * k..3 * k + 3]) * share),
            );
            let trial = std::mem::take(&mut room.trial);
            split(problem, &trial, solution);
            room.trial = trial;
            let then = values(problem, law, solution, room);
            if then < best.0 {
                best = (then, share);
            }
            if then < (1.0 - 1e-4 * share) * now {
                break;
            }
            share *= 0.5;
        }
        if !best.0.is_finite() {
            return false;
        }
        for (k, p) in p.iter_mut().enumerate() {
            *p += Vec3::from_column_slice(&room.right[3 * k..3 * k + 3]) * best.1;
        }
    }
    last && left <= ENOUGH
}

/// What the law misses, contact by contact; its norm.
fn values(
    problem: &AugmentedProblem,
    law: &Smooth,
    solution: &AugmentedSolution,
    room: &mut AugmentedWorkspace,
) -> f64 {
    let AugmentedWorkspace { value, stiffness, .. } = room;
    value.clear();
    let each = solution.forces.iter().zip(&solution.motion).zip(problem.friction).zip(stiffness.iter());
    value.extend(each.map(|(((r, u), mu), c)| law.value(r, u, *mu, *c)));
    value.iter().map(Vec3::norm_squared).sum::<f64>().sqrt()
}

/// The Newton step of the augmented forces: (A + (B − A ϱ) W̃) δp = −value. False where there is none.
fn direction(problem: &AugmentedProblem, room: &mut AugmentedWorkspace) -> bool {
    let AugmentedWorkspace { matrix, right, value, blocks, .. } = room;
    let (n, all) = (3 * blocks.len(), problem.delassus.as_slice());
    let entries = matrix.cleared(n);
    for (k, (by_force, by_motion)) in blocks.iter().enumerate() {
        for i in 0..3 {
            let row = &mut entries[(3 * k + i) * n..(3 * k + i + 1) * n];
            for j in 0..3 {
                let weight = by_motion[(i, j)];
                // W̃ is symmetric, and columns lie together in memory.
                let column = &all[(3 * k + j) * n..(3 * k + j + 1) * n];
                row.iter_mut().zip(column).for_each(|(entry, w)| *entry += weight * w);
                row[3 * k + j] += by_force[(i, j)];
            }
        }
    }
    right.clear();
    right.extend(value.iter().flat_map(|v| [-v.x, -v.y, -v.z]));
    matrix.factorise() && matrix.solve(right) && right.iter().all(|c| c.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cone::law;
    use crate::solver::cone::sample::Random;

    #[test]
    fn derivatives_agree_with_differences() {
        let mut random = Random::new(21);
        for _ in 0..300 {
            let (mut r, u) = (random.vector(), random.vector());
            r.x = r.x.abs() + 0.1;
            let (mu, c) = (random.between(0.0, 1.2), random.between(0.3, 3.0));
            // Within its bound, beyond which it counts as at it.
            let within = 0.9 * mu * r.x / r.y.hypot(r.z).max(mu * r.x);
            (r.y, r.z) = (r.y * within, r.z * within);
            let smooth = Smooth { epsilon: random.between(0.1, 1.0), sigma: random.between(0.1, 1.0) };
            let (by_force, by_motion) = smooth.linearised(&r, &u, mu, c);
            let (_, b, size, scale) = smooth.tangential(&r, &u, mu, c);
            let h = 1e-6;
            for j in 0..3 {
                let mut e = Vec3::zeros();
                e[j] = h;
                // The scale of the products is no part of the law.
                let fixed = |r: &Vec3, u: &Vec3| {
                    let mut value = smooth.value(r, u, mu, c);
                    let (_, b2, size2, scale2) = smooth.tangential(r, u, mu, c);
                    assert!(b2.is_finite() && size2 > 0.0 && b.is_finite() && size > 0.0);
                    value.y *= scale / scale2;
                    value.z *= scale / scale2;
                    value
                };
                let force = (fixed(&(r + e), &u) - fixed(&(r - e), &u)) / (2.0 * h);
                let motion = (fixed(&r, &(u + e)) - fixed(&r, &(u - e))) / (2.0 * h);
                assert!((force - by_force.column(j)).norm() < 1e-7, "{force} {by_force}");
                assert!((motion - by_motion.column(j)).norm() < 1e-7 * (1.0 + c), "{motion} {by_motion}");
            }
        }
    }

    /// What a contact holds up gives way without it, with a stiffness of −1 along the surface: it may stick or slide away. Begun
    /// where it sticks, it sticks.
    #[test]
    fn what_sticks_goes_on_sticking() {
        let (known, u) = (Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.0, 1e-6, 0.0));
        // ϱ = 3: along the normal 1/(1 + 3), along the surface 1/(3 − 1).
        let w = DMatrix::from_diagonal(&DVector::from_vec(vec![0.25, 0.5, 0.5]));
        let free = [u - Vec3::new(0.25, 0.5, 0.5).component_mul(&known)];
        let solved = |sticks: bool| {
            let problem = AugmentedProblem {
                delassus: &w,
                free: &free,
                stiffness: &[Vec3::repeat(3.0)],
                friction: &[0.3],
                sticks: &[sticks],
                finest: 1e-12,
                is_regular: false,
            };
            let mut solution = AugmentedSolution { augmented: vec![known], ..Default::default() };
            solve_augmented(&problem, &mut solution, &mut AugmentedWorkspace::default());
            assert_eq!(solution.status, ConeStatus::Converged);
            (solution.forces[0], solution.motion[0])
        };
        let (force, motion) = solved(true);
        assert!(motion.norm() < 1e-11 && (force.y - 0.1).abs() < 1e-5, "{force} {motion}");
        let (force, motion) = solved(false);
        assert!((motion.y - 0.4).abs() < 1e-5 && (force.y + 0.3).abs() < 1e-5, "{force} {motion}");
    }

    /// The law holds, whatever was added, and where contacts repeat each other.
    #[test]
    fn what_is_found_obeys_the_law() {
        let mut random = Random::new(22);
        let (mut solved, mut plain) = (0, 0);
        for round in 0..40 {
            let m = 6;
            // Few directions of motion for many contacts: W has less than full rank.
            let rank = if round % 2 == 0 { 3 * m } else { 7 };
            let j = DMatrix::from_fn(3 * m, rank, |_, _| random.between(-1.0, 1.0));
            let w = &j * j.transpose();
            let push = DMatrix::from_fn(rank, 1, |_, _| random.between(-1.0, 1.0));
            let q = &j * push;
            let mut q: Vec<Vec3> =
                (0..m).map(|k| Vec3::from_column_slice(&q.as_slice()[3 * k..3 * k + 3])).collect();
            q[0].x = -q[0].x.abs();
            let rho = if round % 4 < 2 { 0.0 } else { 0.7 };
            // W̃ = (1 + W ϱ)⁻¹ W, and q̃ likewise.
            let one = DMatrix::identity(3 * m, 3 * m) + &w * rho;
            let back = one.lu();
            let augmented = back.solve(&w).expect("regular");
            let augmented = (&augmented + augmented.transpose()) * 0.5;
            let flat = DMatrix::from_fn(3 * m, 1, |r, _| q[r / 3][r % 3]);
            let free = back.solve(&flat).expect("regular");
            let free: Vec<Vec3> =
                (0..m).map(|k| Vec3::from_column_slice(&free.as_slice()[3 * k..3 * k + 3])).collect();
            let friction: Vec<f64> = (0..m).map(|_| random.between(0.0, 0.6)).collect();
            let mut solution = AugmentedSolution { augmented: vec![Vec3::zeros(); m], ..Default::default() };
            let mut room = AugmentedWorkspace::default();
            let check = |what: &str, forces: &[Vec3]| {
                let r = DMatrix::from_fn(3 * m, 1, |i, _| forces[i / 3][i % 3]);
                let u = &w * r + &flat;
                for k in 0..m {
                    let u = Vec3::from_column_slice(&u.as_slice()[3 * k..3 * k + 3]);
                    let left = law::defect(&forces[k], &u, friction[k], 1.0).norm();
                    assert!(left < 1e-7, "{round} {k}, {what}: {left:e}");
                }
            };
            let mut found = [false; 2];
            for is_regular in [false, true] {
                let problem = AugmentedProblem {
                    delassus: &augmented,
                    free: &free,
                    stiffness: &vec![Vec3::repeat(rho); m],
                    friction: &friction,
                    sticks: &[false; 6],
                    finest: 1e-12,
                    is_regular,
                };
                solution.augmented.fill(Vec3::zeros());
                solve_augmented(&problem, &mut solution, &mut room);
                // With few directions of motion there need not be a solution.
                found[usize::from(is_regular)] = solution.status == ConeStatus::Converged;
                if solution.status == ConeStatus::Converged {
                    check("approached", &solution.forces);
                    // Begun where it ends, it ends at once.
                    solve_augmented(&problem, &mut solution, &mut room);
                    check("again", &solution.forces);
                    assert!(!is_regular || solution.iterations <= POLISHES, "{}", solution.iterations);
                }
                // Where there is no solution forces grow, and the law is met beside them alone.
                solution.forces.fill(Vec3::zeros());
                if rank == 3 * m
                    && let Some(p) = solve_without_stiffness(&problem, &mut solution, &mut room)
                {
                    plain += 1;
                    split(&problem, &p, &mut solution);
                    check("without ϱ", &solution.forces);
                }
            }
            assert!(found[1] || !found[0], "{round}: more ways find more");
            solved += usize::from(found[0]);
        }
        assert!(plain >= 20, "{plain}");
        assert!(solved >= 10, "{solved}");
    }
}
