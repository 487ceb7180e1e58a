//! Sparse symmetric factorisation by small dense blocks, with the count of negative directions.
//!
//! The unknowns come in groups (an anchor with the force that carries it, a constraint row, …);
//! the matrix couples few groups. Groups are eliminated one by one in an order chosen once per
//! topology; each pivot is a small dense symmetric block, inverted with pivoting inside the block.
//! For a tree the cost is linear in the number of groups.

use super::small::negative_count;
use std::collections::BTreeSet;

/// Which groups there are, how large, how coupled, and in which order they go.
#[derive(Clone, Debug)]
pub struct BlockPattern {
    sizes: Vec<usize>,
    /// Place of each group's first unknown.
    offsets: Vec<usize>,
    order: Vec<usize>,
    /// For each group: the groups eliminated after it that its pivot touches, in order.
    later: Vec<Vec<usize>>,
    /// For each group, the start of its blocks in the storage: its pivot, then one per `later`.
    blocks: Vec<Vec<usize>>,
    /// For each group, the start of what its elimination changes: every pair of `later`, the second not after the first.
    targets: Vec<Vec<usize>>,
    storage: usize,
}

impl BlockPattern {
    /// A pattern over groups of the given sizes and couplings. A group is eliminated after all groups
    /// of lower rank that it is coupled with; where that leaves a choice, the one with the fewest
    /// neighbours first.
    pub fn new(sizes: &[usize], couplings: &[(usize, usize)], rank: &[usize]) -> Self {
        let n = sizes.len();
        let mut adjacent: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        for &(a, b) in couplings {
            if a != b {
                adjacent[a].insert(b);
                adjacent[b].insert(a);
            }
        }
        // For each group: those that wait for it, and how many it waits for itself.
        let mut held_up: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut waits = vec![0usize; n];
        for g in 0..n {
            for &a in adjacent[g].iter().filter(|&&a| rank[a] < rank[g]) {
                held_up[a].push(g);
                waits[g] += 1;
            }
        }
        let mut ready: BTreeSet<(usize, usize)> =
            (0..n).filter(|&g| waits[g] == 0).map(|g| (adjacent[g].len(), g)).collect();
        let mut order = Vec::with_capacity(n);
        let mut later = vec![Vec::new(); n];
        while let Some((_, next)) = ready.pop_first() {
            order.push(next);
            let neighbours: Vec<usize> = adjacent[next].iter().copied().collect();
            for &a in &neighbours {
                ready.remove(&(adjacent[a].len(), a));
                adjacent[a].remove(&next);
                adjacent[a].extend(neighbours.iter().filter(|&&b| b != a));
            }
            for &a in &held_up[next] {
                waits[a] -= 1;
            }
            for &a in &neighbours {
                if waits[a] == 0 {
                    ready.insert((adjacent[a].len(), a));
                }
            }
            later[next] = neighbours;
        }
        let mut place = vec![0; n];
        for (k, &g) in order.iter().enumerate() {
            place[g] = k;
        }
        let mut storage = 0;
        let mut blocks = vec![Vec::new(); n];
        for g in 0..n {
            later[g].sort_by_key(|&a| place[a]);
            let mut starts = vec![storage];
            storage += sizes[g] * sizes[g];
            for &a in &later[g] {
                starts.push(storage);
                storage += sizes[a] * sizes[g];
            }
            blocks[g] = starts;
        }
        let mut offsets = Vec::with_capacity(n);
        let mut total = 0;
        for s in sizes {
            offsets.push(total);
            total += s;
        }
        let mut pattern =
            Self { sizes: sizes.to_vec(), offsets, order, later, blocks, targets: Vec::new(), storage };
        pattern.targets = (0..n).map(|g| pattern.changed_by(g)).collect();
        pattern
    }

    /// The start of every block between groups that `group` is coupled with when it goes: it couples them with each other.
    fn changed_by(&self, group: usize) -> Vec<usize> {
        let later = &self.later[group];
        let pairs = later.iter().enumerate().flat_map(|(k, a)| later[..=k].iter().map(move |b| (*a, *b)));
        pairs
            .map(|(a, b)| {
                self.find(a, b).unwrap_or_else(|| unreachable!("groups {a} and {b} are coupled by {group}"))
            })
            .collect()
    }

    /// For every group one that stands for all that it is coupled with, directly or through others: the root of
    /// its elimination tree.
    pub fn roots(&self) -> Vec<usize> {
        let mut roots: Vec<usize> = (0..self.sizes.len()).collect();
        for &g in self.order.iter().rev() {
            if let Some(&parent) = self.later[g].first() {
                roots[g] = roots[parent];
            }
        }
        roots
    }

    /// The groups in the order in which they are eliminated.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Number of scalar unknowns.
    pub fn unknowns(&self) -> usize {
        self.offsets.last().map_or(0, |o| o + self.sizes[self.sizes.len() - 1])
    }

    /// The unknowns of a group.
    pub fn range(&self, group: usize) -> std::ops::Range<usize> {
        self.offsets[group]..self.offsets[group] + self.sizes[group]
    }

    /// First unknown of a group.
    pub fn offset(&self, group: usize) -> usize {
        self.offsets[group]
    }

    fn find(&self, row: usize, column: usize) -> Option<usize> {
        if row == column {
            return Some(self.blocks[column][0]);
        }
        let k = self.later[column].iter().position(|&a| a == row)?;
        Some(self.blocks[column][k + 1])
    }
}

/// A symmetric matrix over a pattern, then its factors.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    values: Vec<f64>,
    /// The blocks below a pivot, transposed and side by side, scratch; so is a pivot that is looked at.
    scratch: Vec<f64>,
    /// Room for a pivot times a vector, for a row of what is taken away, and for the order of pivots within a block.
    room: Vec<f64>,
    row: Vec<f64>,
    order: Vec<usize>,
    negative: usize,
    /// The groups that were added to last, and the start of their block where that half is kept: neighbours come one after
    /// the other.
    last: ((usize, usize), Option<usize>),
}

/// A pivot block was singular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingularBlock;

impl BlockMatrix {
    /// The zero matrix.
    pub fn zeros(pattern: &BlockPattern) -> Self {
        Self {
            values: vec![0.0; pattern.storage],
            scratch: Vec::new(),
            room: Vec::new(),
            row: Vec::new(),
            order: Vec::new(),
            negative: 0,
            last: ((usize::MAX, usize::MAX), None),
        }
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds to entry (row of group `a`, column of group `b`). Both halves may be given: entries of
    /// the half that is not kept are left out, so give every pair once or both ways alike.
    pub fn add(&mut self, pattern: &BlockPattern, a: (usize, usize), b: (usize, usize), value: f64) {
        let groups = (a.0, b.0);
        if self.last.0 != groups {
            let start = pattern.find(a.0, b.0);
            assert!(
                start.is_some() || pattern.find(b.0, a.0).is_some(),
                "groups {} and {} are not coupled",
                a.0,
                b.0
            );
            self.last = (groups, start);
        }
        if let Some(start) = self.last.1 {
            self.values[start + a.1 * pattern.sizes[b.0] + b.1] += value;
        }
    }

    /// The whole matrix, unknowns in their flat order: only to compare with.
    #[cfg(test)]
    pub(crate) fn dense(&self, pattern: &BlockPattern) -> nalgebra::DMatrix<f64> {
        let n = pattern.unknowns();
        let mut out = nalgebra::DMatrix::zeros(n, n);
        for g in 0..pattern.sizes.len() {
            let rows = std::iter::once(&g).chain(&pattern.later[g]);
            for (a, start) in rows.zip(&pattern.blocks[g]) {
                for i in 0..pattern.sizes[*a] {
                    for j in 0..pattern.sizes[g] {
                        let value = self.values[start + i * pattern.sizes[g] + j];
                        let (r, c) = (pattern.offset(*a) + i, pattern.offset(g) + j);
                        out[(r, c)] = value;
                        out[(c, r)] = value;
                    }
                }
            }
        }
        out
    }

    /// Negative directions found by the last factorisation.
    pub fn negative(&self) -> usize {
        self.negative
    }

    /// Factorises in place.
    pub fn factorise(&mut self, pattern: &BlockPattern) -> Result<(), SingularBlock> {
        self.negative = 0;
        for &g in &pattern.order {
            let size = pattern.sizes[g];
            let pivot = pattern.blocks[g][0];
            symmetrise(&mut self.values[pivot..pivot + size * size], size);
            self.scratch.clear();
            self.scratch.extend_from_slice(&self.values[pivot..pivot + size * size]);
            self.negative += negative_count(&mut self.scratch, size);
            invert(&mut self.values[pivot..pivot + size * size], size, &mut self.order, &mut self.row)
                .ok_or(SingularBlock)?;
            symmetrise(&mut self.values[pivot..pivot + size * size], size);
            self.take_from_later(pattern, g);
        }
        Ok(())
    }

    /// What the elimination of a group, whose pivot is inverted, takes from all that it is coupled with: A D⁻¹ Aᵀ. Its
    /// blocks A stay for the solves.
    fn take_from_later(&mut self, pattern: &BlockPattern, g: usize) {
        let Self { values, scratch, room, row: taken, .. } = self;
        let (size, pivot) = (pattern.sizes[g], pattern.blocks[g][0]);
        let later = &pattern.later[g];
        let blocks = &pattern.blocks[g][1..];
        let width: usize = later.iter().map(|a| pattern.sizes[*a]).sum();
        // Rows of Aᵀ are long: sums over them run side by side.
        scratch.clear();
        scratch.resize(size * width, 0.0);
        let mut column = 0;
        for (a, block) in later.iter().zip(blocks) {
            for own in values[*block..block + pattern.sizes[*a] * size].chunks_exact(size) {
                for (p, value) in own.iter().enumerate() {
                    scratch[p * width + column] = *value;
                }
                column += 1;
            }
        }
        let mut targets = &pattern.targets[g][..];
        let mut column = 0;
        for (k, (a, block)) in later.iter().zip(blocks).enumerate() {
            let rows = pattern.sizes[*a];
            let end = column + rows;
            for i in 0..rows {
                // A row of A D⁻¹, then of what is taken.
                room.clear();
                room.resize(size, 0.0);
                for m in 0..size {
                    let factor = values[block + i * size + m];
                    add_scaled(room, factor, &values[pivot + m * size..pivot + (m + 1) * size]);
                }
                taken.clear();
                taken.resize(end, 0.0);
                for (p, factor) in room.iter().enumerate() {
                    add_scaled(taken, *factor, &scratch[p * width..p * width + end]);
                }
                let mut from = 0;
                for (b, target) in later.iter().zip(&targets[..=k]) {
                    let columns = pattern.sizes[*b];
                    let own = &mut values[target + i * columns..target + (i + 1) * columns];
                    add_scaled(own, -1.0, &taken[from..from + columns]);
                    from += columns;
                }
            }
            targets = &targets[k + 1..];
            column = end;
        }
    }

    /// Solves in place.
    pub fn solve(&mut self, pattern: &BlockPattern, b: &mut [f64]) {
        let mut room = std::mem::take(&mut self.room);
        self.solve_groups(pattern, &pattern.order, b, &mut room);
        self.room = room;
    }

    /// The same for groups that are coupled with no others, in the order of their elimination; the rest of `b` is let be.
    pub fn solve_groups(&self, pattern: &BlockPattern, groups: &[usize], b: &mut [f64], room: &mut Vec<f64>) {
        let y = room;
        for &g in groups {
            self.times_pivot(pattern, g, b, y);
            for (k, &a) in pattern.later[g].iter().enumerate() {
                let block = pattern.blocks[g][k + 1];
                for i in 0..pattern.sizes[a] {
                    let sum: f64 =
                        y.iter().enumerate().map(|(j, v)| self.values[block + i * y.len() + j] * v).sum();
                    b[pattern.offsets[a] + i] -= sum;
                }
            }
        }
        for &g in groups.iter().rev() {
            let (size, at) = (pattern.sizes[g], pattern.offsets[g]);
            for (k, &a) in pattern.later[g].iter().enumerate() {
                let block = pattern.blocks[g][k + 1];
                for i in 0..pattern.sizes[a] {
                    let x = b[pattern.offsets[a] + i];
                    for j in 0..size {
                        b[at + j] -= self.values[block + i * size + j] * x;
                    }
                }
            }
            self.times_pivot(pattern, g, b, y);
            b[at..at + size].copy_from_slice(y);
        }
    }

    /// y = D⁻¹ b over a group.
    fn times_pivot(&self, pattern: &BlockPattern, g: usize, b: &[f64], y: &mut Vec<f64>) {
        let (size, at, pivot) = (pattern.sizes[g], pattern.offsets[g], pattern.blocks[g][0]);
        y.clear();
        for i in 0..size {
            y.push((0..size).map(|j| self.values[pivot + i * size + j] * b[at + j]).sum());
        }
    }
}

/// Makes a pivot symmetric to the last bit. Of a block off the diagonal one half is kept for both, so that what
/// differs by round-off between the halves of a pivot would go on alone: along a chain of control points it grows
/// fourfold from one to the next.
fn symmetrise(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            a[i * n + j] = mean;
            a[j * n + i] = mean;
        }
    }
}

/// a += factor b, as far as both go.
fn add_scaled(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}

/// Inverts a dense matrix in place by Gauss–Jordan with full column pivoting; `row` is room.
fn invert(a: &mut [f64], n: usize, order: &mut Vec<usize>, row: &mut Vec<f64>) -> Option<()> {
    order.clear();
    order.resize(n, 0);
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))?;
        order[k] = p;
        if p != k {
            for j in 0..n {
                a.swap(k * n + j, p * n + j);
            }
        }
        let pivot = a[k * n + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return None;
        }
        let inverse = 1.0 / pivot;
        a[k * n + k] = 1.0;
        for j in 0..n {
            a[k * n + j] *= inverse;
        }
        row.clear();
        row.extend_from_slice(&a[k * n..(k + 1) * n]);
        for (i, own) in a.chunks_exact_mut(n).enumerate() {
            if i != k {
                let factor = std::mem::take(&mut own[k]);
                add_scaled(own, -factor, row);
            }
        }
    }
    for k in (0..n).rev() {
        if order[k] != k {
            for i in 0..n {
                a.swap(i * n + k, i * n + order[k]);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn agrees_with_dense_elimination() {
        // A tree with a loop, indefinite blocks, sizes that differ.
        let sizes = [3, 6, 9, 2, 5, 3];
        let couplings = [(0, 1), (1, 2), (2, 3), (2, 4), (4, 5), (0, 5)];
        let pattern = BlockPattern::new(&sizes, &couplings, &[0, 0, 0, 0, 0, 1]);
        let n = pattern.unknowns();
        assert_eq!(n, 28);
        let mut matrix = BlockMatrix::zeros(&pattern);
        let mut dense = DMatrix::zeros(n, n);
        let mut seed = 7u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) as f64 / (1u64 << 30) as f64) - 1.0
        };
        let mut put = |a: (usize, usize), b: (usize, usize), v: f64| {
            let (i, j) = (pattern.offset(a.0) + a.1, pattern.offset(b.0) + b.1);
            dense[(i, j)] += v;
            matrix.add(&pattern, a, b, v);
            if i != j {
                dense[(j, i)] += v;
                matrix.add(&pattern, b, a, v);
            }
        };
        for g in 0..sizes.len() {
            for i in 0..sizes[g] {
                for j in 0..=i {
                    put((g, i), (g, j), noise());
                }
            }
        }
        for &(a, b) in &couplings {
            for i in 0..sizes[a] {
                for j in 0..sizes[b] {
                    put((a, i), (b, j), noise());
                }
            }
        }
        let b: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let expected = dense.clone().lu().solve(&DVector::from_vec(b.clone())).unwrap();
        let negative = dense.symmetric_eigenvalues().iter().filter(|v| **v < 0.0).count();
        matrix.factorise(&pattern).unwrap();
        let mut x = b;
        matrix.solve(&pattern, &mut x);
        for (i, (a, e)) in x.iter().zip(expected.iter()).enumerate() {
            assert!((a - e).abs() < 1e-9 * expected.amax(), "{i}: {a} {e}");
        }
        assert_eq!(matrix.negative(), negative);
    }
}
