//! Elimination of a curvature rod, element by element from its end to its start.
//!
//! An element turns the change z = (ψ, x, v₀) at its beginning and its own coordinate v₁ into the change
//! at its end, z′ = B (z, v₁). With the form P′ of all that lies beyond, the element and what follows
//! cost ½ (z, v₁)·H (z, v₁), H = H_e + BᵀP′B; its own coordinate is eliminated, which leaves P. This is
//! Featherstone's articulated body, or the Riccati recursion of optimal control: the cost is linear in
//! the number of elements. Linear terms (residual and border columns) go the same way. All is done by 3×3
//! blocks, for B is mostly zeros and ones. Where places do not matter, P has nothing at x, and the border
//! columns there are those of the end: `MOVES` tells.

use super::elimination::{Chain, Compliance, Left};
use super::form::{BorderRows, Change, FIRST, Form, MOVE, SECOND, TURN, Transfer};
use crate::algebra::chain::SingularPivot;
use crate::algebra::rotation::skew;
use crate::algebra::small::{inverse3, negative_count3};
use crate::algebra::{Mat3, Vec3};

/// What an element keeps of its elimination.
#[derive(Clone, Copy, Debug, Default)]
struct Eliminated {
    transfer: Transfer,
    /// The inverse of the pivot of v₁.
    inverse: Mat3,
    /// H between ψ, x, v₀ and v₁, times that.
    through: [Mat3; 3],
    /// The border columns at v₁.
    row: BorderRows,
    /// The residual at v₁.
    residual: Vec3,
}

/// What is kept of v₀ of an element that has it for its own: of the first one, and where curvature jumps.
#[derive(Clone, Copy, Debug)]
struct First {
    element: usize,
    /// The inverse of its pivot.
    inverse: Mat3,
    /// Form of ψ and x beside it.
    beside: [Mat3; 2],
    /// The border columns and the residual there.
    row: BorderRows,
    residual: Vec3,
}

/// The form of (ψ, x, v₀) beyond an element, blocks on and above the diagonal, and the border columns there.
#[derive(Clone, Copy, Debug)]
struct Beyond {
    turn_turn: Mat3,
    turn_move: Mat3,
    turn_first: Mat3,
    move_move: Mat3,
    move_first: Mat3,
    first_first: Mat3,
    rows: [BorderRows; 3],
}

impl Beyond {
    /// Beyond the last element: the end moves and turns by itself.
    fn last(end_turn: &Mat3) -> Self {
        let zero = Mat3::zeros();
        let mut rows = [BorderRows::default(); 3];
        rows[TURN].turned = Mat3::identity();
        rows[MOVE].moved = Mat3::identity();
        Self {
            turn_turn: *end_turn,
            turn_move: zero,
            turn_first: zero,
            move_move: zero,
            move_first: zero,
            first_first: zero,
            rows,
        }
    }

    /// Adds what the changes of an element cost beyond it, BᵀPB. A helix has no first coordinate.
    #[inline]
    fn add_to<const MOVES: bool>(&self, h: &mut Form, t: &Transfer, has_first: bool) {
        if MOVES {
            self.add_all_to(h, t, has_first);
            return;
        }
        let [turn0, turn1] = &t.turn;
        let by_second = self.turn_turn * turn1 + self.turn_first;
        h.add(TURN, TURN, &self.turn_turn);
        h.add(TURN, SECOND, &by_second);
        h.add(SECOND, SECOND, &(turn1.tr_mul(&by_second) + self.turn_first.tr_mul(turn1) + self.first_first));
        if has_first {
            let by_first = self.turn_turn * turn0;
            h.add(TURN, FIRST, &by_first);
            h.add(FIRST, FIRST, &turn0.tr_mul(&by_first));
            h.add(FIRST, SECOND, &turn0.tr_mul(&by_second));
        }
    }

    /// The same where places matter.
    #[inline]
    fn add_all_to(&self, h: &mut Form, t: &Transfer, has_first: bool) {
        let lever = skew(&t.chord);
        let (turn1, shift1) = (&t.turn[1], &t.shift[1]);
        let back = self.turn_move.transpose();
        // P B, by rows; what multiplies x is P itself.
        let turn_by_turn = self.turn_turn - self.turn_move * lever;
        let move_by_turn = back - self.move_move * lever;
        let turn_by_second = self.turn_turn * turn1 + self.turn_move * shift1 + self.turn_first;
        let move_by_second = back * turn1 + self.move_move * shift1 + self.move_first;
        let first_by_second =
            self.turn_first.tr_mul(turn1) + self.move_first.tr_mul(shift1) + self.first_first;
        h.add(TURN, TURN, &(turn_by_turn + lever * move_by_turn));
        h.add(TURN, MOVE, &(self.turn_move + lever * self.move_move));
        h.add(TURN, SECOND, &(turn_by_second + lever * move_by_second));
        h.add(MOVE, MOVE, &self.move_move);
        h.add(MOVE, SECOND, &move_by_second);
        let own = turn1.tr_mul(&turn_by_second) + shift1.tr_mul(&move_by_second) + first_by_second;
        h.add(SECOND, SECOND, &own);
        if has_first {
            let (turn0, shift0) = (&t.turn[0], &t.shift[0]);
            let turn_by_first = self.turn_turn * turn0 + self.turn_move * shift0;
            let move_by_first = back * turn0 + self.move_move * shift0;
            h.add(TURN, FIRST, &(turn_by_first + lever * move_by_first));
            h.add(MOVE, FIRST, &move_by_first);
            h.add(FIRST, FIRST, &(turn0.tr_mul(&turn_by_first) + shift0.tr_mul(&move_by_first)));
            h.add(FIRST, SECOND, &(turn0.tr_mul(&turn_by_second) + shift0.tr_mul(&move_by_second)));
        }
    }

    /// Eliminates v₀ of an element that shares it with no other: nothing before it knows of it.
    fn without_first(&mut self, element: usize) -> Result<First, SingularPivot> {
        let inverse = inverse3(&self.first_first).ok_or(SingularPivot)?;
        let beside = [self.turn_first, self.move_first];
        let row = self.rows[FIRST];
        let through = beside.map(|b| b * inverse);
        self.turn_turn -= through[TURN] * beside[TURN].transpose();
        self.turn_move -= through[TURN] * beside[MOVE].transpose();
        self.move_move -= through[MOVE] * beside[MOVE].transpose();
        for (c, through) in through.iter().enumerate() {
            self.rows[c] = self.rows[c] - row.times(through);
        }
        for block in [&mut self.turn_first, &mut self.move_first, &mut self.first_first] {
            block.fill(0.0);
        }
        self.rows[FIRST] = BorderRows::default();
        Ok(First { element, inverse, beside, row, residual: Vec3::zeros() })
    }

    /// The border columns as the changes of an element see them, Bᵀ C.
    #[inline]
    fn rows_before<const MOVES: bool>(&self, t: &Transfer, has_first: bool) -> [BorderRows; 4] {
        let [turn, shift, first] = &self.rows;
        if !MOVES {
            let mut rows = [*turn, *shift, BorderRows::default(), BorderRows::default()];
            rows[TURN].moved += skew(&t.chord);
            rows[SECOND] = turn.under(&t.turn[1]) + *first;
            rows[SECOND].moved += t.shift[1].transpose();
            if has_first {
                rows[FIRST] = turn.under(&t.turn[0]);
                rows[FIRST].moved += t.shift[0].transpose();
            }
            return rows;
        }
        let mut rows =
            [*turn + shift.times(&skew(&t.chord)), *shift, BorderRows::default(), BorderRows::default()];
        rows[SECOND] = turn.under(&t.turn[1]) + shift.under(&t.shift[1]) + *first;
        if has_first {
            rows[FIRST] = turn.under(&t.turn[0]) + shift.under(&t.shift[0]);
        }
        rows
    }
}

/// The elimination of a rod.
#[derive(Clone, Debug, Default)]
pub(super) struct Riccati {
    elements: Vec<Eliminated>,
    /// Whether places mattered: else nothing is beside x, and no residual there.
    moves: bool,
    /// From the last to the first.
    firsts: Vec<First>,
}

impl Riccati {
    /// Eliminates the elements of `chain`, asked for from the last to the first: each adds its own form and how its
    /// residual changes with the length, and says how it moves its end.
    pub(super) fn factorise(
        &mut self,
        chain: &Chain,
        element: impl FnMut(usize, &mut Form, &mut Change, &mut Transfer),
        left: &mut Left,
    ) -> Result<(), SingularPivot> {
        if chain.places_matter {
            self.factorise_as::<true>(chain, element, left)
        } else {
            self.factorise_as::<false>(chain, element, left)
        }
    }

    fn factorise_as<const MOVES: bool>(
        &mut self,
        chain: &Chain,
        mut element: impl FnMut(usize, &mut Form, &mut Change, &mut Transfer),
        left: &mut Left,
    ) -> Result<(), SingularPivot> {
        let has_first = chain.has_first;
        self.moves = MOVES;
        let elements = chain.begins.len();
        self.elements.resize(elements, Eliminated::default());
        self.firsts.clear();
        left.negative = 0;
        let mut compliance = Compliance::default();
        let mut p = Beyond::last(&chain.end_turn);
        for (e, kept) in self.elements.iter_mut().enumerate().rev() {
            let mut h = Form::default();
            let mut by_length = Change::default();
            element(e, &mut h, &mut by_length, &mut kept.transfer);
            p.add_to::<MOVES>(&mut h, &kept.transfer, has_first);
            let mut rows = p.rows_before::<MOVES>(&kept.transfer, has_first);
            for (row, own) in rows.iter_mut().zip(&by_length) {
                row.length += own;
            }
            let pivot = h.at(SECOND, SECOND);
            kept.inverse = inverse3(pivot).ok_or(SingularPivot)?;
            left.negative += negative_count3(pivot);
            kept.row = rows[SECOND];
            let beside = |block: usize| h.at(block, SECOND).transpose();
            let [through_turn, through_move, through_first] = &mut kept.through;
            *through_turn = h.at(TURN, SECOND) * kept.inverse;
            p.turn_turn = symmetric(h.at(TURN, TURN) - *through_turn * beside(TURN));
            p.rows[TURN] = rows[TURN] - kept.row.times(through_turn);
            if has_first {
                *through_first = h.at(FIRST, SECOND) * kept.inverse;
                p.turn_first = h.at(TURN, FIRST) - *through_turn * beside(FIRST);
                p.first_first = symmetric(h.at(FIRST, FIRST) - *through_first * beside(FIRST));
                p.rows[FIRST] = rows[FIRST] - kept.row.times(through_first);
            }
            if MOVES {
                *through_move = h.at(MOVE, SECOND) * kept.inverse;
                p.turn_move = h.at(TURN, MOVE) - *through_turn * beside(MOVE);
                p.move_move = symmetric(h.at(MOVE, MOVE) - *through_move * beside(MOVE));
                p.rows[MOVE] = rows[MOVE] - kept.row.times(through_move);
                if has_first {
                    p.move_first = h.at(MOVE, FIRST) - *through_move * beside(FIRST);
                }
            }
            compliance.add(&kept.row, &kept.inverse);
            if chain.begins[e] {
                left.negative += negative_count3(&p.first_first);
                let first = p.without_first(e)?;
                compliance.add(&first.row, &first.inverse);
                self.firsts.push(first);
            }
        }
        left.compliance = compliance.dense();
        let mut base = |i: usize, j: usize, block: &Mat3| {
            left.base.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(block);
        };
        base(TURN, TURN, &p.turn_turn);
        base(TURN, MOVE, &p.turn_move);
        base(MOVE, TURN, &p.turn_move.transpose());
        base(MOVE, MOVE, &p.move_move);
        for (c, row) in p.rows[..2].iter().enumerate() {
            left.base_columns.fixed_rows_mut::<3>(3 * c).copy_from(&row.dense());
        }
        Ok(())
    }

    /// Eliminates a residual: that of every element's (ψ, x, v₀, v₁).
    pub(super) fn reduce(&mut self, element: impl Fn(usize) -> Change, left: &mut Left) {
        left.moved.fill(0.0);
        let mut r = [Vec3::zeros(); 3];
        let mut firsts = self.firsts.iter_mut().peekable();
        for (e, own) in self.elements.iter_mut().enumerate().rev() {
            let mut all = element(e);
            if self.moves {
                all = own.transfer.pull(&r, &all);
            } else {
                all[FIRST] += own.transfer.turn[0].tr_mul(&r[TURN]);
                all[SECOND] += own.transfer.turn[1].tr_mul(&r[TURN]) + r[FIRST];
                all[TURN] += r[TURN];
            }
            r[TURN] = all[TURN] - own.through[TURN] * all[SECOND];
            r[FIRST] = all[FIRST] - own.through[FIRST] * all[SECOND];
            if self.moves {
                r[MOVE] = all[MOVE] - own.through[MOVE] * all[SECOND];
            }
            own.residual = all[SECOND];
            own.row.add_pulled(&(own.inverse * own.residual), &mut left.moved);
            if let Some(first) = firsts.next_if(|first| first.element == e) {
                first.residual = r[FIRST];
                let solved = first.inverse * first.residual;
                for (r, beside) in r.iter_mut().zip(&first.beside) {
                    *r -= beside * solved;
                }
                r[FIRST] = Vec3::zeros();
                first.row.add_pulled(&solved, &mut left.moved);
            }
        }
        left.base_residual.fixed_rows_mut::<3>(0).copy_from(&r[TURN]);
        left.base_residual.fixed_rows_mut::<3>(3).copy_from(&r[MOVE]);
    }

    /// Completes the step from that of the start and the coefficients of the border columns. `visit` gets
    /// every element with (ψ, x, v₀, v₁), where x is that of the start if places do not matter; the rotation of the
    /// end is returned.
    pub(super) fn expand(
        &self,
        turn: &Vec3,
        shift: &Vec3,
        columns: &super::form::Coefficients,
        mut visit: impl FnMut(usize, &Change),
    ) -> Vec3 {
        let mut z = [*turn, *shift, Vec3::zeros()];
        let mut firsts = self.firsts.iter().rev().peekable();
        for (e, own) in self.elements.iter().enumerate() {
            if let Some(first) = firsts.next_if(|first| first.element == e) {
                let beside = first.beside[TURN].tr_mul(&z[TURN]) + first.beside[MOVE].tr_mul(&z[MOVE]);
                z[FIRST] = -(first.inverse * (beside + first.row.of(columns) + first.residual));
            }
            // What does not wait for the element before comes first.
            let mut second = own.inverse * (own.row.of(columns) + own.residual);
            second += own.through[TURN].tr_mul(&z[TURN]) + own.through[FIRST].tr_mul(&z[FIRST]);
            if self.moves {
                second += own.through[MOVE].tr_mul(&z[MOVE]);
            }
            let all = [z[TURN], z[MOVE], z[FIRST], -second];
            visit(e, &all);
            if self.moves {
                z = own.transfer.push(&all);
            } else {
                z = [own.transfer.turned(&all), z[MOVE], all[SECOND]];
            }
        }
        z[TURN]
    }
}

/// Without what round-off leaves of asymmetry.
#[inline]
fn symmetric(m: Mat3) -> Mat3 {
    (m + m.transpose()) * 0.5
}
