//! Forces that push: the linear complementarity problem of contacts without friction,
//!
//! ```text
//! w = W μ − b ≥ 0,     μ ≥ 0,     w·μ = 0,
//! ```
//!
//! W symmetric and positive definite: the minimum of a convex quadratic form over forces that push. All rows with a wrong sign
//! change sides at once, which leads on nearly always (J. J. Júdice, F. M. Pires, Computers Oper. Res. 21 (1994) 587–596);
//! where it goes in circles, one after another moves towards the minimum (C. L. Lawson, R. J. Hanson, *Solving Least Squares
//! Problems*, 1974, ch. 23).

use nalgebra::{DMatrix, DVector};

/// Rounds in which the number of wrong signs may fail to fall.
const LIVES: usize = 3;
/// Rounds one by one.
const MOST: usize = 1000;
/// Regularisation of W, relative to its largest entry: contacts may repeat each other.
const REDUNDANT: f64 = 1e-12;

/// The rows of the problem. Most that are watched touch nothing, so that columns are asked for one by one.
pub(super) trait Rows {
    /// b of all rows.
    fn right(&self) -> &[f64];
    /// Makes the columns of the chosen rows.
    fn make(&mut self, chosen: &[bool]);
    /// A column of W that was made, of all rows.
    fn column(&self, i: usize) -> &[f64];
}

/// Finds μ, `forces`, from those at hand, to within `tolerance` in w; `active` says which rows touch. False where it was not
/// found.
pub(super) fn solve(rows: &mut impl Rows, tolerance: f64, forces: &mut [f64], active: &mut [bool]) -> bool {
    let before = active.to_vec();
    if together(rows, tolerance, forces, active) {
        return true;
    }
    active.copy_from_slice(&before);
    one_by_one(rows, tolerance, forces, active)
}

/// All wrong signs change sides, as long as they become fewer.
fn together(rows: &mut impl Rows, tolerance: f64, forces: &mut [f64], active: &mut [bool]) -> bool {
    let (mut fewest, mut lives) = (usize::MAX, LIVES);
    loop {
        rows.make(active);
        let Some(solved) = closed(rows, active, rows.right()) else { return false };
        let wrong: Vec<usize> = (0..active.len())
            .filter(|i| if active[*i] { solved[*i] < 0.0 } else { gap(rows, &solved, *i) < -tolerance })
            .collect();
        if wrong.is_empty() {
            forces.copy_from_slice(&solved);
            return true;
        }
        if wrong.len() < fewest {
            (fewest, lives) = (wrong.len(), LIVES);
        } else if lives == 0 {
            return false;
        } else {
            lives -= 1;
        }
        wrong.into_iter().for_each(|i| active[i] = !active[i]);
    }
}

/// Moves forces that push towards those that close the gaps of active rows, dropping the first that would pull; then takes
/// in the row that is entered deepest.
fn one_by_one(rows: &mut impl Rows, tolerance: f64, forces: &mut [f64], active: &mut [bool]) -> bool {
    forces.iter_mut().zip(active.iter()).for_each(|(force, active)| *force *= f64::from(u8::from(*active)));
    for _ in 0..MOST {
        rows.make(active);
        let Some(solved) = closed(rows, active, rows.right()) else { return false };
        let pulling = (0..forces.len()).filter(|i| active[*i] && solved[*i] <= 0.0);
        let ways =
            pulling.map(|i| (i, if forces[i] > 0.0 { forces[i] / (forces[i] - solved[i]) } else { 0.0 }));
        let first = ways.min_by(|a, b| a.1.total_cmp(&b.1));
        let way = first.map_or(1.0, |(_, way)| way);
        for i in (0..forces.len()).filter(|i| active[*i]) {
            forces[i] += way * (solved[i] - forces[i]);
        }
        if let Some((i, _)) = first {
            active[i] = false;
            forces[i] = 0.0;
            continue;
        }
        let entered = (0..forces.len()).filter(|i| !active[*i]).map(|i| (i, gap(rows, forces, i)));
        match entered.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((i, w)) if w < -tolerance => active[i] = true,
            _ => return true,
        }
    }
    false
}

/// The gap w of a row.
fn gap(rows: &impl Rows, forces: &[f64], i: usize) -> f64 {
    let pressing = (0..forces.len()).filter(|j| forces[*j] != 0.0);
    pressing.map(|j| rows.column(j)[i] * forces[j]).sum::<f64>() - rows.right()[i]
}

/// Forces, of either sign, with W μ = `right` in active rows.
pub(super) fn closed(rows: &impl Rows, active: &[bool], right: &[f64]) -> Option<Vec<f64>> {
    let chosen: Vec<usize> = (0..active.len()).filter(|i| active[*i]).collect();
    let mut forces = vec![0.0; active.len()];
    if chosen.is_empty() {
        return Some(forces);
    }
    // Symmetric but for round-off and loads without potential.
    let w = |r: usize, c: usize| rows.column(chosen[c])[chosen[r]];
    let mut matrix = DMatrix::from_fn(chosen.len(), chosen.len(), |r, c| 0.5 * (w(r, c) + w(c, r)));
    let largest = matrix.diagonal().amax();
    (0..chosen.len()).for_each(|r| matrix[(r, r)] += REDUNDANT * largest);
    let right = DVector::from_fn(chosen.len(), |r, _| right[chosen[r]]);
    let solved = match matrix.clone().cholesky() {
        Some(factor) => factor.solve(&right),
        None => matrix.lu().solve(&right)?,
    };
    chosen.iter().zip(solved.iter()).for_each(|(i, force)| forces[*i] = *force);
    solved.iter().all(|force| force.is_finite()).then_some(forces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cone::sample::Random;

    struct Dense {
        w: DMatrix<f64>,
        right: Vec<f64>,
    }

    impl Rows for Dense {
        fn right(&self) -> &[f64] {
            &self.right
        }
        fn make(&mut self, _: &[bool]) {}
        fn column(&self, i: usize) -> &[f64] {
            &self.w.as_slice()[i * self.right.len()..(i + 1) * self.right.len()]
        }
    }

    /// Rows that are much alike, as places beside each other are.
    fn random(random: &mut Random, n: usize) -> Dense {
        let a = DMatrix::from_fn(n, n, |_, _| random.between(-1.0, 1.0));
        let w = a.transpose() * &a + DMatrix::from_diagonal_element(n, n, 1e-3);
        Dense { w, right: (0..n).map(|_| random.between(-1.0, 1.0)).collect() }
    }

    /// By all choices of rows that touch.
    fn tried(problem: &Dense) -> Vec<f64> {
        let n = problem.right.len();
        let choices = (0..1usize << n).map(|mask| (0..n).map(|i| mask >> i & 1 == 1).collect::<Vec<bool>>());
        let mut all = choices.filter_map(|active| Some((closed(problem, &active, &problem.right)?, active)));
        let holds = |(forces, active): &(Vec<f64>, Vec<bool>)| {
            (0..n).all(|i| if active[i] { forces[i] >= 0.0 } else { gap(problem, forces, i) >= 0.0 })
        };
        all.find(holds).expect("a positive definite matrix has one").0
    }

    #[test]
    fn both_ways_find_what_all_choices_find() {
        let mut numbers = Random::new(7);
        for round in 0..200 {
            let n = 1 + round % 9;
            let mut problem = random(&mut numbers, n);
            let exact = tried(&problem);
            let start: Vec<bool> = (0..n).map(|_| numbers.between(0.0, 1.0) < 0.5).collect();
            let at_hand: Vec<f64> = start.iter().map(|active| f64::from(u8::from(*active))).collect();
            let check = |name: &str, found: bool, forces: &[f64]| {
                let largest = exact.iter().fold(1.0f64, |most, force| most.max(*force));
                let off = forces.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(found && off < 1e-6 * largest, "{round} {name}: {forces:?} {exact:?}");
            };
            let (mut forces, mut active) = (at_hand.clone(), start.clone());
            // It may go in circles, and says so.
            if together(&mut problem, 1e-12, &mut forces, &mut active) {
                check("together", true, &forces);
            }
            let (mut forces, mut active) = (at_hand.clone(), start.clone());
            let found = one_by_one(&mut problem, 1e-12, &mut forces, &mut active);
            check("one by one", found, &forces);
            let (mut forces, mut active) = (at_hand, start);
            let found = solve(&mut problem, 1e-12, &mut forces, &mut active);
            check("solve", found, &forces);
        }
    }
}
