//! A step solved with one dense matrix over all coordinates: the papers' first way, and the plain one beside
//! [`super::recursive`], which tests hold against it and `flexline bench recursive` measures it by.
//!
//! The composite-body method (M. W. Walker, D. E. Orin, J. Dyn. Sys. Meas. Control 104 (1982) 205–211): from the
//! tips on, the form of all that lies beyond is carried towards the roots with nothing eliminated, and what a
//! coordinate there does to the motion of a joint is carried along. Filling the matrix costs n², Cholesky's factor n³.

use super::element::Cell;
use super::joint::{Beyond, Joined, join};
use super::tree::{Cells, Joint, Strand, StrandWorkspace};
use crate::algebra::{Mat3, Vec3};
use crate::rod::curvature::CurvatureRod;
use nalgebra::{Cholesky, DMatrix, DVector};

/// What a unit of three coordinates does to the momentum of all that lies beyond a joint, over (v, ω, a).
#[derive(Clone, Copy, Debug)]
struct Seen {
    v: Mat3,
    w: Mat3,
    a: Mat3,
}

/// The dense matrix and what fills it.
#[derive(Clone, Debug)]
pub(super) struct Composite {
    matrix: DMatrix<f64>,
    right: DVector<f64>,
    /// First row of every strand's coordinates; of every root's six, held ones included.
    strands: Vec<usize>,
    roots: Vec<usize>,
    /// Blocks (first rows) of what lies beyond the end of every strand, and beyond every root.
    beyond_strand: Vec<Vec<usize>>,
    beyond_root: Vec<Vec<usize>>,
    seen: Vec<Seen>,
}

impl Composite {
    pub(super) fn new(strands: &[Strand], joints: &[Joint]) -> Self {
        let mut at = 0;
        let roots = joints
            .iter()
            .map(|j| {
                let own = at;
                at += if j.hangs { 0 } else { 6 };
                own
            })
            .collect();
        let offsets: Vec<usize> = strands
            .iter()
            .map(|s| {
                let own = at;
                at += s.change.len();
                own
            })
            .collect();
        // Blocks beyond an anchor.
        let list = |anchor: usize| {
            let (mut out, mut waiting) = (Vec::new(), vec![anchor]);
            while let Some(at) = waiting.pop() {
                for (k, s) in strands.iter().enumerate().filter(|(_, s)| s.start == at) {
                    out.extend((0..s.change.len() / 3).map(|i| offsets[k] + 3 * i));
                    waiting.extend(s.end.map(|(end, _)| end));
                }
            }
            out
        };
        let none = Mat3::zeros();
        Self {
            matrix: DMatrix::zeros(at, at),
            right: DVector::zeros(at),
            beyond_strand: strands
                .iter()
                .map(|s| {
                    let mut out = s.end.map_or_else(Vec::new, |(end, _)| list(end));
                    out.reserve(s.change.len() / 3);
                    out
                })
                .collect(),
            beyond_root: (0..joints.len())
                .map(|i| if joints[i].hangs { Vec::new() } else { list(i) })
                .collect(),
            strands: offsets.clone(),
            roots,
            seen: vec![Seen { v: none, w: none, a: none }; at / 3],
        }
    }

    /// Fills the rows of a strand; returns what is seen from its start.
    fn fill<const N: usize>(
        &mut self,
        k: usize,
        (cells, rod): (&[Cell<N>], &CurvatureRod),
        mut beyond: Beyond,
    ) -> Beyond {
        let last = N - 1;
        let blocks = &mut self.beyond_strand[k];
        let inherited = blocks.len();
        for (e, cell) in cells.iter().enumerate().rev() {
            let own: Joined<N> = join(cell, &beyond);
            let row = self.strands[k] + 3 * (rod.first[e] + last);
            put(&mut self.matrix, row, row, &own.cc[last][last]);
            put3(&mut self.right, row, &own.pull[last]);
            for &column in blocks.iter() {
                let seen = &mut self.seen[column / 3];
                seen.carry(&cell.chord);
                let both = |c: usize| cell.shift[c].tr_mul(&seen.v) + cell.turn[c].tr_mul(&seen.w);
                let entry = both(last) + seen.a;
                let first = if N == 2 { both(0) } else { Mat3::zeros() };
                seen.a = first;
                put(&mut self.matrix, column, row, &entry.transpose());
            }
            self.seen[row / 3] = Seen {
                v: own.vc[last],
                w: own.wc[last],
                a: if N == 2 { own.cc[0][last] } else { Mat3::zeros() },
            };
            blocks.push(row);
            beyond = own.unsolved();
            if rod.begins[e] {
                let row = self.strands[k] + 3 * rod.first[e];
                put(&mut self.matrix, row, row, &beyond.aa);
                put3(&mut self.right, row, &beyond.pull);
                for &column in blocks.iter() {
                    let seen = &mut self.seen[column / 3];
                    put(&mut self.matrix, column, row, &seen.a.transpose());
                    seen.a = Mat3::zeros();
                }
                self.seen[row / 3] = Seen { v: beyond.va, w: beyond.wa, a: Mat3::zeros() };
                blocks.push(row);
                beyond.forget_first();
            }
        }
        // The list is of what lies beyond the strand; its own blocks are found anew in every step.
        blocks.truncate(inherited);
        beyond
    }
}

impl Seen {
    /// The same seen from a point that is `arm` back.
    fn carry(&mut self, arm: &Vec3) {
        for c in 0..3 {
            let turned = arm.cross(&self.v.column(c));
            let mut w = self.w.column_mut(c);
            w += turned;
        }
    }
}

/// Solves the step: changes of roots and strands. What is left in `ws.beyond` of a root is what a support must bear,
/// with the sign of a load. `None` where the matrix has no factor.
pub(super) fn solve(ws: &mut StrandWorkspace) -> Option<()> {
    let mut own = ws.composite.take()?;
    let outcome = own.solve(ws);
    ws.composite = Some(own);
    outcome
}

impl Composite {
    fn solve(&mut self, ws: &mut StrandWorkspace) -> Option<()> {
        self.matrix.fill(0.0);
        for &k in ws.order.iter().rev() {
            let strand = &ws.strands[k];
            let end = strand.end.map_or_else(Beyond::nothing, |(anchor, _)| {
                for block in &self.beyond_strand[k] {
                    self.seen[block / 3].carry(&strand.arms[1]);
                    self.seen[block / 3].a = Mat3::zeros();
                }
                ws.beyond[anchor].seen_from(&strand.arms[1], false)
            });
            let start = match &strand.cells {
                Cells::Helix(cells) => self.fill(k, (cells, &strand.rod), end),
                Cells::Clothoid(cells) => self.fill(k, (cells, &strand.rod), end),
            };
            let own = (0..strand.change.len() / 3).map(|i| self.strands[k] / 3 + i);
            for block in own.chain(self.beyond_strand[k].iter().map(|row| row / 3)) {
                self.seen[block].carry(&strand.arms[0]);
            }
            ws.beyond[strand.start].add(&start.seen_from(&strand.arms[0], false));
        }
        for i in (0..ws.joints.len()).filter(|i| !ws.joints[*i].hangs) {
            self.fill_root(self.roots[i], &ws.beyond[i], &ws.joints[i].held, i);
        }
        let matrix = std::mem::replace(&mut self.matrix, DMatrix::zeros(0, 0));
        let Some(factor) = Cholesky::new(matrix) else {
            self.matrix = DMatrix::zeros(self.right.len(), self.right.len());
            return None;
        };
        factor.solve_mut(&mut self.right);
        self.matrix = factor.unpack_dirty();
        for (k, strand) in ws.strands.iter_mut().enumerate() {
            let rows = self.right.rows(self.strands[k], strand.change.len());
            strand.change.copy_from_slice(rows.as_slice());
        }
        for i in (0..ws.joints.len()).filter(|i| !ws.joints[*i].hangs) {
            let three = |row: usize| Vec3::from(self.right.fixed_rows::<3>(row));
            let [v, w] = [three(self.roots[i]), three(self.roots[i] + 3)];
            ws.changes[i] = [v, w];
            let own = &mut ws.beyond[i];
            own.force -= own.vv * v + own.vw * w;
            own.torque -= own.vw.tr_mul(&v) + own.ww * w;
            for &row in &self.beyond_root[i] {
                let change = three(row);
                own.force -= self.seen[row / 3].v * change;
                own.torque -= self.seen[row / 3].w * change;
            }
        }
        Some(())
    }

    /// Rows of a root; those that are held say nothing but that they are.
    fn fill_root(&mut self, row: usize, own: &Beyond, held: &[bool; 6], root: usize) {
        put(&mut self.matrix, row, row, &own.vv);
        put(&mut self.matrix, row + 3, row, &own.vw.transpose());
        put(&mut self.matrix, row + 3, row + 3, &own.ww);
        put3(&mut self.right, row, &own.force);
        put3(&mut self.right, row + 3, &own.torque);
        for &column in &self.beyond_root[root] {
            put(&mut self.matrix, column, row, &self.seen[column / 3].v.transpose());
            put(&mut self.matrix, column, row + 3, &self.seen[column / 3].w.transpose());
        }
        // A loose anchor that nothing hangs from stays where it is.
        let alone = own.vv == Mat3::zeros();
        for at in (0..6).filter(|k| held[*k] || alone).map(|k| row + k) {
            self.matrix.row_mut(at).fill(0.0);
            self.matrix.column_mut(at).fill(0.0);
            self.matrix[(at, at)] = 1.0;
            self.right[at] = 0.0;
        }
    }
}

/// Sets a block below the diagonal (the factorisation looks at no other): row block, column block.
fn put(matrix: &mut DMatrix<f64>, row: usize, column: usize, block: &Mat3) {
    if row >= column {
        matrix.fixed_view_mut::<3, 3>(row, column).copy_from(block);
    } else {
        matrix.fixed_view_mut::<3, 3>(column, row).tr_copy_from(block);
    }
}

fn put3(right: &mut DVector<f64>, row: usize, value: &Vec3) {
    right.fixed_rows_mut::<3>(row).copy_from(value);
}
