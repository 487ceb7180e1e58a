//! Contacts that do not feel each other, solved apart: each island ends by its own forces, and one without a solution spoils
//! no other.

use super::{
    BlockMatrix, ConeProblem, ConeSettings, ConeSolution, ConeStatus, ConeWorkspace, Delassus, solve_whole,
};
use crate::algebra::Vec3;

/// Scratch memory: the island of every contact, and one island at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// A contact of the same island, itself for one of each; then the number of the island.
    root: Vec<usize>,
    /// Contacts by island, in ascending order, and where islands begin.
    members: Vec<usize>,
    starts: Vec<usize>,
    /// Place of a contact in its island.
    place: Vec<usize>,
    free: Vec<Vec3>,
    friction: Vec<f64>,
    solution: ConeSolution,
}

impl Islands {
    /// Finds the islands; how many there are.
    fn find(&mut self, problem: &ConeProblem) -> usize {
        let m = problem.free.len();
        let root = &mut self.root;
        root.clear();
        root.extend(0..m);
        for k in 0..m {
            problem.delassus.each_in_row(k, |j, block| {
                if j < k && block.amax() > 0.0 {
                    let (a, b) = (top(root, k), top(root, j));
                    root[a.max(b)] = a.min(b);
                }
            });
        }
        // Roots are the first of their island: numbered as they come, the others follow theirs.
        let mut count = 0;
        for k in 0..m {
            let above = root[k];
            root[k] = if above == k {
                count += 1;
                count - 1
            } else {
                root[above]
            };
        }
        self.members.clear();
        self.members.extend(0..m);
        self.members.sort_by_key(|&k| root[k]);
        self.starts.clear();
        self.starts.extend((0..=count).map(|i| self.members.partition_point(|&k| root[k] < i)));
        self.place.clear();
        self.place.resize(m, 0);
        for i in 0..count {
            for (place, &k) in self.members[self.starts[i]..self.starts[i + 1]].iter().enumerate() {
                self.place[k] = place;
            }
        }
        count
    }
}

/// The root above a contact; the way to it is shortened.
fn top(root: &mut [usize], mut k: usize) -> usize {
    while root[k] != k {
        root[k] = root[root[k]];
        k = root[k];
    }
    k
}

/// Which of two ends is to be told.
fn graver(a: ConeStatus, b: ConeStatus) -> ConeStatus {
    let rank = |status| match status {
        ConeStatus::Converged => 0,
        ConeStatus::IterationLimit => 1,
        ConeStatus::NoSolution => 2,
        ConeStatus::OutOfTime => 3,
        ConeStatus::Cancelled => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}

/// Solves island by island. Iterations are the most of any, the residual the largest.
pub(super) fn solve(
    problem: &ConeProblem,
    solution: &mut ConeSolution,
    workspace: &mut ConeWorkspace,
    settings: &ConeSettings,
) {
    let mut islands = std::mem::take(&mut workspace.islands);
    let count = islands.find(problem);
    if count < 2 {
        workspace.islands = islands;
        return solve_whole(problem, solution, workspace, settings);
    }
    let m = problem.free.len();
    solution.forces.resize(m, Vec3::zeros());
    solution.motion.resize(m, Vec3::zeros());
    (solution.residual, solution.scale) = (0.0, 0.0);
    (solution.iterations, solution.newton_steps) = (0, 0);
    solution.status = ConeStatus::Converged;
    for i in 0..count {
        let Islands { root, members, starts, place, free, friction, solution: own } = &mut islands;
        let members = &members[starts[i]..starts[i + 1]];
        let mut blocks = Vec::new();
        for &k in members {
            problem.delassus.each_in_row(k, |j, block| {
                if root[j] == i {
                    blocks.push((place[k], place[j], *block));
                }
            });
        }
        let blocks = BlockMatrix::from_blocks(members.len(), blocks);
        free.clear();
        free.extend(members.iter().map(|&k| problem.free[k]));
        friction.clear();
        friction.extend(members.iter().map(|&k| problem.friction[k]));
        own.forces.clear();
        own.forces.extend(members.iter().map(|&k| solution.forces[k]));
        let part = ConeProblem { delassus: Delassus::Sparse(&blocks), free, friction };
        solve_whole(&part, own, workspace, settings);
        for (&k, (r, u)) in members.iter().zip(own.forces.iter().zip(&own.motion)) {
            (solution.forces[k], solution.motion[k]) = (*r, *u);
        }
        solution.residual = solution.residual.max(own.residual);
        solution.scale = solution.scale.max(own.scale);
        solution.iterations = solution.iterations.max(own.iterations);
        solution.newton_steps = solution.newton_steps.max(own.newton_steps);
        solution.status = graver(solution.status, own.status);
    }
    workspace.islands = islands;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Mat3;
    use crate::solver::cone::sample::{Sample, random, wrapped};
    use crate::solver::cone::{ConeMethod, solve};

    /// Problems side by side, their contacts dealt out in turn.
    fn dealt(parts: &[Sample]) -> (Sample, Vec<Vec<usize>>) {
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
        let most = parts.iter().map(|p| p.free.len()).max().unwrap();
        let mut order = Vec::new();
        for round in 0..most {
            for (part, sample) in parts.iter().enumerate().filter(|(_, s)| round < s.free.len()) {
                places[part].push(order.len());
                order.push((sample.free[round], sample.friction[round]));
            }
        }
        let mut blocks = Vec::new();
        for (part, sample) in parts.iter().enumerate() {
            for k in 0..sample.free.len() {
                sample.problem().delassus.each_in_row(k, |j, w| {
                    blocks.push((places[part][k], places[part][j], *w));
                });
            }
        }
        let whole = Sample {
            blocks: BlockMatrix::from_blocks(order.len(), blocks),
            free: order.iter().map(|o| o.0).collect(),
            friction: order.iter().map(|o| o.1).collect(),
        };
        (whole, places)
    }

    #[test]
    fn islands_are_solved_as_if_alone() {
        let parts = [
            random(7, 6.0, 0.5, 1),
            wrapped(12, 3.0, 0.3, 2),
            random(1, 6.0, 0.5, 3),
            random(20, 4.0, 0.6, 4),
        ];
        let (whole, places) = dealt(&parts);
        let dense = whole.blocks.to_dense();
        let full = ConeProblem { delassus: Delassus::Dense(&dense), ..whole.problem() };
        let mut workspace = ConeWorkspace::default();
        let settings = ConeSettings { tolerance: 1e-12, ..ConeSettings::default() };
        for problem in [whole.problem(), full] {
            let mut found = ConeSolution::default();
            solve(&problem, &mut found, &mut workspace, &ConeSettings { islands: true, ..settings }).unwrap();
            assert_eq!(found.status, ConeStatus::Converged);
            assert_eq!(workspace.islands.starts.len(), parts.len() + 1);
            for (part, places) in parts.iter().zip(&places) {
                let mut alone = ConeSolution::default();
                solve(&part.problem(), &mut alone, &mut workspace, &settings).unwrap();
                for (r, &k) in alone.forces.iter().zip(places) {
                    assert!((r - found.forces[k]).norm() <= 1e-10 * (1.0 + alone.scale));
                }
            }
            // What is solved stays.
            let again = found.forces.clone();
            solve(&problem, &mut found, &mut workspace, &ConeSettings { islands: true, ..settings }).unwrap();
            assert_eq!((found.iterations, &found.forces), (0, &again));
        }
    }

    #[test]
    fn an_island_without_a_solution_spoils_no_other() {
        let good = random(8, 6.0, 0.5, 5);
        let hopeless = Sample {
            blocks: BlockMatrix::from_blocks(1, [(0, 0, -Mat3::identity())]),
            free: vec![-Vec3::x()],
            friction: vec![0.3],
        };
        for (parts, place) in [([good.clone(), hopeless.clone()], 0), ([hopeless, good.clone()], 1)] {
            let (whole, places) = dealt(&parts);
            for method in [ConeMethod::GaussSeidel, ConeMethod::Newton] {
                let settings = ConeSettings { method, islands: true, ..ConeSettings::default() };
                let (mut found, mut alone) = (ConeSolution::default(), ConeSolution::default());
                let mut workspace = ConeWorkspace::default();
                solve(&whole.problem(), &mut found, &mut workspace, &settings).unwrap();
                assert_eq!(found.status, ConeStatus::NoSolution);
                solve(&good.problem(), &mut alone, &mut workspace, &settings).unwrap();
                assert_eq!(alone.status, ConeStatus::Converged);
                let mut pairs = alone.forces.iter().zip(&places[place]);
                assert!(pairs.all(|(r, &k)| (r - found.forces[k]).norm() < 1e-8));
            }
        }
    }
}
