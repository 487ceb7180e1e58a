//! A step solved from the tips to the roots and back: cost linear in the number of elements, trees included.
//!
//! From the end of a strand to its start every element joins what lies beyond it and its last coordinate is
//! eliminated: 3 × 3 at a time. What is left at the start acts on the anchor there. Back from the root, every
//! coordinate follows from the motion of the element's beginning. This is the articulated-body method (R. Featherstone
//! 1983) as F. Bertails, *Linear Time Super-Helices*, Eurographics 2009, has it for super-helices.

use super::element::Cell;
use super::joint::{Beyond, Joined, join};
use super::tree::{Cells, StrandWorkspace};
use crate::algebra::small::inverse3;
use crate::algebra::{Mat3, Vec3};
use nalgebra::{SMatrix, SVector};

/// How a coordinate follows from the motion of the beginning: D (x) = pull − vᵀδv − wᵀδω − aᵀδa.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    inverse: Mat3,
    v: Mat3,
    w: Mat3,
    a: Mat3,
    pull: Vec3,
}

impl Gain {
    pub(super) const NONE: Self = {
        let zero = Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        Self { inverse: zero, v: zero, w: zero, a: zero, pull: Vec3::new(0.0, 0.0, 0.0) }
    };

    #[inline]
    fn solve(&self, v: &Vec3, w: &Vec3, a: &Vec3) -> Vec3 {
        self.inverse * (self.pull - self.v.tr_mul(v) - self.w.tr_mul(w) - self.a.tr_mul(a))
    }
}

/// Takes A Bᵀ away where that is symmetric.
#[inline]
fn take_symmetric(from: &mut Mat3, a: &Mat3, b: &Mat3) {
    for i in 0..3 {
        for j in 0..=i {
            let entry = a.row(i).dot(&b.row(j));
            from[(i, j)] -= entry;
            if j < i {
                from[(j, i)] -= entry;
            }
        }
    }
}

/// Eliminates the last coordinate.
#[inline]
fn eliminate<const N: usize>(own: &Joined<N>) -> Option<(Beyond, Gain)> {
    let last = N - 1;
    let inverse = inverse3(&own.cc[last][last])?;
    let mut out = own.unsolved();
    let mut gain = Gain { inverse, v: own.vc[last], w: own.wc[last], a: Mat3::zeros(), pull: own.pull[last] };
    let (v, w) = (gain.v * inverse, gain.w * inverse);
    take_symmetric(&mut out.vv, &v, &gain.v);
    out.vw -= v * gain.w.transpose();
    take_symmetric(&mut out.ww, &w, &gain.w);
    out.force -= v * gain.pull;
    out.torque -= w * gain.pull;
    if N == 2 {
        gain.a = own.cc[0][last];
        let a = gain.a * inverse;
        out.va -= v * gain.a.transpose();
        out.wa -= w * gain.a.transpose();
        out.aa -= a * gain.a.transpose();
        out.pull -= a * gain.pull;
    }
    Some((out, gain))
}

/// Eliminates the first coordinate of an element that has it for its own: nothing before it knows of it.
fn eliminate_first(beyond: &mut Beyond) -> Option<Gain> {
    let inverse = inverse3(&beyond.aa)?;
    let (v, w) = (beyond.va * inverse, beyond.wa * inverse);
    let gain = Gain { inverse, v: beyond.va, w: beyond.wa, a: Mat3::zeros(), pull: beyond.pull };
    beyond.vv -= v * beyond.va.transpose();
    beyond.vw -= v * beyond.wa.transpose();
    beyond.ww -= w * beyond.wa.transpose();
    beyond.force -= v * beyond.pull;
    beyond.torque -= w * beyond.pull;
    beyond.forget_first();
    Some(gain)
}

/// Eliminates all coordinates of a strand with `beyond` at its end; what is left at its start. `begins` tells which elements
/// have their first coordinate for their own. One gain per coordinate, in their order. `None` where a pivot vanishes.
pub(super) fn towards_start<const N: usize>(
    cells: &[Cell<N>],
    begins: &[bool],
    mut beyond: Beyond,
    gains: &mut [Gain],
) -> Option<Beyond> {
    let mut gains = gains.iter_mut().rev();
    for (cell, begins) in cells.iter().zip(begins).rev() {
        (beyond, *gains.next()?) = eliminate(&join(cell, &beyond))?;
        if *begins {
            *gains.next()? = eliminate_first(&mut beyond)?;
        }
    }
    Some(beyond)
}

/// Changes of the coordinates, given those of the start; returns those of the end.
pub(super) fn towards_end<const N: usize>(
    cells: &[Cell<N>],
    begins: &[bool],
    gains: &[Gain],
    [mut v, mut w]: [Vec3; 2],
    out: &mut [f64],
) -> [Vec3; 2] {
    let mut solve = {
        let mut i = 0;
        move |v: &Vec3, w: &Vec3, first: &Vec3| {
            let own = gains[i].solve(v, w, first);
            out[3 * i..3 * i + 3].copy_from_slice(own.as_slice());
            i += 1;
            own
        }
    };
    let mut first = Vec3::zeros();
    for (cell, begins) in cells.iter().zip(begins) {
        if *begins {
            first = solve(&v, &w, &Vec3::zeros());
        }
        let own = solve(&v, &w, &first);
        v += cell.shift[N - 1] * own;
        w += cell.turn[N - 1] * own;
        if N == 2 {
            v += cell.shift[0] * first;
            w += cell.turn[0] * first;
        }
        v += w.cross(&cell.chord);
        first = own;
    }
    [v, w]
}

/// Changes of the motion of a root, of which some may be held. What is left in `own` is what a support must bear, with
/// the sign of a load.
fn solve_root(own: &mut Beyond, held: &[bool; 6]) -> Option<[Vec3; 2]> {
    // A loose anchor that nothing hangs from stays where it is.
    if *held == [true; 6] || own.vv == Mat3::zeros() {
        return Some([Vec3::zeros(); 2]);
    }
    let mut matrix = SMatrix::<f64, 6, 6>::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&own.vv);
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&own.vw);
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&own.vw.transpose());
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&own.ww);
    let whole = matrix;
    let mut right = SVector::<f64, 6>::zeros();
    right.fixed_rows_mut::<3>(0).copy_from(&own.force);
    right.fixed_rows_mut::<3>(3).copy_from(&own.torque);
    let forces = right;
    for at in (0..6).filter(|k| held[*k]) {
        matrix.row_mut(at).fill(0.0);
        matrix.column_mut(at).fill(0.0);
        matrix[(at, at)] = 1.0;
        right[at] = 0.0;
    }
    let change = matrix.cholesky()?.solve(&right);
    let left = forces - whole * change;
    own.force = left.fixed_rows::<3>(0).into();
    own.torque = left.fixed_rows::<3>(3).into();
    Some([change.fixed_rows::<3>(0).into(), change.fixed_rows::<3>(3).into()])
}

/// Solves the step: changes of roots and strands. `None` where a pivot vanishes.
pub(super) fn solve(ws: &mut StrandWorkspace) -> Option<()> {
    for &k in ws.order.iter().rev() {
        let strand = &mut ws.strands[k];
        let end = strand
            .end
            .map_or_else(Beyond::nothing, |(anchor, _)| ws.beyond[anchor].seen_from(&strand.arms[1], false));
        let start = match &strand.cells {
            Cells::Helix(cells) => towards_start(cells, &strand.rod.begins, end, &mut strand.gains)?,
            Cells::Clothoid(cells) => towards_start(cells, &strand.rod.begins, end, &mut strand.gains)?,
        };
        ws.beyond[strand.start].add(&start.seen_from(&strand.arms[0], false));
    }
    for i in (0..ws.joints.len()).filter(|i| !ws.joints[*i].hangs) {
        ws.changes[i] = solve_root(&mut ws.beyond[i], &ws.joints[i].held)?;
    }
    for &k in &ws.order {
        let strand = &mut ws.strands[k];
        let [v, w] = ws.changes[strand.start];
        let start = [v + w.cross(&strand.arms[0]), w];
        let [v, w] = match &strand.cells {
            Cells::Helix(cells) => {
                towards_end(cells, &strand.rod.begins, &strand.gains, start, &mut strand.change)
            }
            Cells::Clothoid(cells) => {
                towards_end(cells, &strand.rod.begins, &strand.gains, start, &mut strand.change)
            }
        };
        if let Some((anchor, _)) = strand.end {
            ws.changes[anchor] = [v + w.cross(&strand.arms[1]), w];
        }
    }
    Some(())
}
