//! How the two spans of a contact feel each other's motion.
//!
//! The gap of a row between two places has, with what is told in `pairs.rs` and δw = δx − δy, the derivatives
//!
//! ```text
//! ∂g = n·δw,     ∂²g = δw·P δw − b²/m − (a − c b)²/φ_ss,
//! a = x′·P δw + n·δx′,     b = −y′·P δw − n·δy′,     c = −x′·P y′/m
//! ```
//!
//! (a term less where a place is held). It is a form of four numbers: two components of δw across n and the slopes n·δx′,
//! n·δy′. The matrix of a network is made span by span and cannot hold it. What presses puts ϱ nnᵀ on either side into
//! that matrix A, which is more than ϱ (n·δw)²/2, and the rest of the step's matrix is A + Vᵀ K V: the eigenvectors of
//! −λ ∂²g for rows of V, and n·(δx + δy) with −ϱ/2, which takes back what A has too much; where they rub the same along the
//! surface. By Woodbury's formula
//!
//! ```text
//! (A + Vᵀ K V)⁻¹ b = A⁻¹ (b − Vᵀ y),     (K⁻¹ + V A⁻¹ Vᵀ) y = V A⁻¹ b.
//! ```
//!
//! With K⁺ before K⁻ that small matrix has a Cholesky factor, and minus its Schur complement another, exactly where the
//! whole is positive definite (E. Haynsworth, Linear Algebra Appl. 1 (1968) 73–81). Where it is not, rows that soften are
//! left out: the step leads downhill all the same.

use super::super::NetworkWorkspace;
use super::super::assemble::Residual;
use super::super::model::Network;
use super::super::span::SpanSystem;
use super::super::state::NetworkState;
use super::super::unsymmetric;
use super::body::{AnchorLoad, Place, Push, Rigid};
use super::friction::Tangential;
use super::rigid::{self, Form12};
use super::{ContactRow, Moves};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::body::Tap;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, LU, Matrix4, Vector4};

/// What is softer than this beside ϱ is left out.
const NOTHING: f64 = 1e-9;
/// How many times ϱ what presses is held with besides, where it takes that to make the form positive, least first.
const FIRMER: [f64; 4] = [10.0, 1e2, 1e3, 1e4];
/// Contacts up to which that is tried: it asks for some solves for each.
const MOST: usize = 100;

/// Lets a row of which both sides move act on both where it presses; where they are many with nothing in the matrix.
pub(super) fn press(
    network: &Network,
    row: &mut ContactRow,
    spans: &mut [SpanSystem],
    loads: &mut [AnchorLoad],
    is_many: bool,
) {
    let rho = 2.0 * row.regularisation(network, spans);
    // What is so far from touching has let go: its stiffness would draw it back.
    if row.force <= (0.5 * rho * row.gap).max(0.0) {
        row.let_go();
        return;
    }
    let (stiff, rho) = (0.5 * rho, if is_many { 0.0 } else { rho });
    row.regularisation = 0.5 * rho;
    row.hold(stiff, 0.5 * rho);
    let opposite = row.opposite.map_or(row.at, |opposite| opposite.at);
    let mut tap = |place: Option<Place>, about: Vec3, force: Vec3, stiffness: Mat3| {
        if let Some(Place::Span(k, share)) = place {
            let own = Tap { stiffness, is_counted_elsewhere: true, ..Tap::force(share, about, force) };
            spans[k].kernel.taps().places.push(own);
            spans[k].forget();
        }
    };
    let (push, n) = (row.normal * row.force, row.normal);
    let [first, second] = row.places();
    tap(first, row.at, push, n * n.transpose() * rho);
    tap(second, opposite, -push, n * n.transpose() * rho);
    for (place, force) in [(first, push), (second, -push)] {
        if let Some(Place::Anchor(anchor, lever)) = place {
            loads[anchor].add(&lever, &force);
            loads[anchor].hold(&lever, &n, rho);
        }
    }
    if let Some(own) = &row.tangential {
        let [first, second] = row.friction_places();
        tap(first, own.at, own.force, row.flat() * rho);
        tap(second, opposite, -own.force, row.flat() * rho);
        row.add_friction_of_parts(loads, rho);
    }
}

/// A row of V: a linear form of the step, as pushes that do its work.
pub(super) struct Form {
    pub(super) pushes: [Push; 6],
    /// Its entry of K, N/m.
    pub(super) stiffness: f64,
    /// Whether it takes back what is in the matrix.
    takes_back: bool,
    /// The row that it holds more firmly than the matrix does.
    holds: Option<usize>,
}

impl Form {
    /// Along the step in the workspace.
    pub(super) fn value(&self, moves: &Moves) -> f64 {
        self.pushes.iter().filter(|p| !p.is_none()).map(|p| moves.work(p)).sum()
    }
}

/// The rows V of what presses, those that stiffen first, and the factors of K⁻¹ + V A⁻¹ Vᵀ.
#[derive(Default)]
pub(in crate::solver) struct Coupling {
    forms: Vec<Form>,
    factors: Option<Factors>,
    /// Directions that release energy which A does not have.
    negative: usize,
    /// Whether what presses had to be held more firmly in this search.
    is_firm: bool,
    /// Whether it belongs to the factors at hand: the next step takes it as it is.
    is_ready: bool,
    pushes: Vec<Push>,
    lists: Vec<Vec<(f64, Vec3)>>,
}

enum Factors {
    /// Of a minimum.
    Minimum(OfMinimum),
    /// Of a matrix of any inertia.
    Any(LU<f64, Dyn, Dyn>),
}

struct OfMinimum {
    stiffening: Cholesky<f64, Dyn>,
    /// L⁻¹ times the columns of what softens.
    across: DMatrix<f64>,
    softening: Cholesky<f64, Dyn>,
}

impl Factors {
    fn solve(&self, right: &DVector<f64>) -> Option<DVector<f64>> {
        match self {
            Self::Minimum(own) => own.solve(right),
            Self::Any(own) => own.solve(right),
        }
    }
}

impl OfMinimum {
    /// Of a matrix whose first rows stiffen, where all directions are those of a minimum.
    fn new(matrix: &DMatrix<f64>, first: usize) -> Option<Self> {
        let rest = matrix.nrows() - first;
        let stiffening = Cholesky::new(matrix.view((0, 0), (first, first)).into_owned())?;
        let across = stiffening.l_dirty().solve_lower_triangular(&matrix.view((0, first), (first, rest)))?;
        let softening = Cholesky::new(left(matrix, first, &across))?;
        Some(Self { stiffening, across, softening })
    }

    fn solve(&self, right: &DVector<f64>) -> Option<DVector<f64>> {
        let first = self.across.nrows();
        let lower = self.stiffening.l_dirty();
        let head = lower.solve_lower_triangular(&right.rows(0, first))?;
        let tail =
            self.softening.solve(&(self.across.tr_mul(&head) - right.rows(first, right.len() - first)));
        let head = lower.tr_solve_lower_triangular(&(head - &self.across * &tail))?;
        Some(DVector::from_iterator(right.len(), head.iter().chain(tail.iter()).copied()))
    }
}

/// Minus the Schur complement of what softens.
fn left(matrix: &DMatrix<f64>, first: usize, across: &DMatrix<f64>) -> DMatrix<f64> {
    let rest = matrix.nrows() - first;
    across.tr_mul(across) - matrix.view((first, first), (rest, rest))
}

/// Whether the form of the step is that of a minimum, where the matrix of the last factorisation has so many `negative` directions. By
/// Haynsworth's additivity A + Vᵀ K V has as many more as K has and K⁻¹ + V A⁻¹ Vᵀ has not. What presses cannot move along its normal, so
/// that it may be held there as firmly as it takes: what bends under it alone is no way down.
pub(super) fn is_minimum(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    negative: usize,
) -> bool {
    ws.contacts.coupling.is_ready = false;
    let rows = &ws.contacts.rows;
    let pressing = rows.iter().filter(|row| row.force > 0.0).count();
    let is_coupled = rows.iter().any(|row| row.force > 0.0 && row.is_coupled());
    // With friction there is more to take back than these hold.
    let may_hold = pressing > 0 && !ws.contacts.is_many && !ws.contacts.has_friction();
    if !may_hold || pressing > MOST || (negative == 0 && !is_coupled) {
        return negative == 0;
    }
    let mut own = gather(ws);
    if negative == 0 && !own.is_firm {
        let matrix = own.compliance(state, ws, residual);
        own.factorise(&matrix);
        own.is_ready = own.factors.is_some();
    }
    if !own.is_ready {
        own.is_firm = true;
        own.hold_firmly(&ws.contacts.rows);
        let matrix = own.compliance(state, ws, residual);
        own.is_ready = own.factorise_firmly(&matrix, &mut ws.contacts.rows, negative);
    }
    let is_ready = own.is_ready;
    ws.contacts.coupling = own;
    if !is_ready {
        leave_out(ws);
    }
    is_ready
}

/// Finds how what presses is coupled with the factors at hand; asks for a solve per form. Where all of it is not that of a minimum, what
/// softens is left out.
pub(super) fn prepare(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
    if std::mem::take(&mut ws.contacts.coupling.is_ready) {
        return;
    }
    let mut own = gather(ws);
    if !own.forms.is_empty() {
        let matrix = own.compliance(state, ws, residual);
        own.factorise(&matrix);
        if own.factors.is_none() {
            own.factorise_without(&matrix);
        }
    }
    ws.contacts.coupling = own;
}

/// The same with all of it, minimum or not; `negative` counts the directions that release energy in all.
pub(super) fn prepare_whole(
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
    residual: &Residual,
    negative: usize,
) {
    let mut own = gather(ws);
    own.negative = negative;
    if !own.forms.is_empty() {
        let matrix = own.compliance(state, ws, residual);
        let small = own.small(&matrix);
        own.negative = own.released(&small, negative);
        own.factors = Some(Factors::Any(small.lu()));
    }
    ws.contacts.coupling = own;
}

/// The forms of what presses, in their order.
fn gather(ws: &mut NetworkWorkspace) -> Coupling {
    leave_out(ws);
    let mut own = std::mem::take(&mut ws.contacts.coupling);
    for row in ws.contacts.rows.iter().filter(|row| row.force > 0.0) {
        add_forms(row, &mut own.forms);
    }
    own.sort();
    own
}

/// Leaves everything out that couples.
pub(super) fn leave_out(ws: &mut NetworkWorkspace) {
    let own = &mut ws.contacts.coupling;
    own.forms.clear();
    own.factors = None;
    own.is_ready = false;
    own.negative = 0;
    ws.contacts.rows.iter_mut().for_each(|row| row.firmness = 0.0);
}

/// Solves for the step with `pushes` besides the residual, everything coupled.
pub(super) fn step(state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual, pushes: &[Push]) {
    let mut own = std::mem::take(&mut ws.contacts.coupling);
    own.pushes.clear();
    own.pushes.extend_from_slice(pushes);
    own.plain(state, ws, residual);
    let Coupling { forms, factors, pushes, .. } = &mut own;
    if let Some(factors) = factors {
        let moves = Moves::of(state, ws);
        let values = DVector::from_fn(forms.len(), |i, _| forms[i].value(&moves));
        if let Some(solved) = factors.solve(&values) {
            for (form, force) in forms.iter().zip(solved.iter()) {
                pushes.extend(form.pushes.iter().map(|p| p.times(-force)).filter(|p| !p.is_none()));
            }
            own.plain(state, ws, residual);
        }
    }
    push_nothing(ws);
    ws.contacts.coupling = own;
}

impl Coupling {
    /// Begins a search: nothing has to be held more firmly yet.
    pub(super) fn begin_search(&mut self) {
        self.is_firm = false;
    }

    /// It belongs to the factors at hand: the next step takes it as it is.
    pub(super) fn set_ready(&mut self) {
        self.is_ready = true;
    }

    /// Directions that release energy, besides those that the matrix has.
    pub(super) fn negative(&self) -> usize {
        self.negative
    }

    /// Solves for the step of the spans alone with the pushes at hand.
    fn plain(&mut self, state: &NetworkState, ws: &mut NetworkWorkspace, residual: &Residual) {
        let Self { pushes, lists, .. } = self;
        lists.resize_with(ws.spans.len(), Vec::new);
        lists.iter_mut().for_each(Vec::clear);
        ws.pushed.fill([Vec3::zeros(); 2]);
        for p in pushes.iter() {
            match p.place {
                Place::Span(k, share) => lists[k].push((share, p.force)),
                Place::Anchor(anchor, _) => {
                    ws.pushed[anchor][0] += p.moment;
                    ws.pushed[anchor][1] += p.force;
                }
            }
        }
        ws.spans.iter_mut().zip(lists.iter()).for_each(|(span, list)| span.push(list));
        unsymmetric::step(state, ws, residual);
    }

    /// K⁻¹ + V A⁻¹ Vᵀ.
    fn compliance(
        &mut self,
        state: &NetworkState,
        ws: &mut NetworkWorkspace,
        residual: &Residual,
    ) -> DMatrix<f64> {
        let count = self.forms.len();
        let mut matrix = DMatrix::zeros(count, count);
        self.pushes.clear();
        self.plain(state, ws, residual);
        let base: Vec<f64> = self.forms.iter().map(|form| form.value(&Moves::of(state, ws))).collect();
        for i in 0..count {
            self.pushes.clear();
            self.pushes.extend(self.forms[i].pushes.iter().filter(|p| !p.is_none()));
            self.plain(state, ws, residual);
            let moves = Moves::of(state, ws);
            for (j, form) in self.forms.iter().enumerate() {
                matrix[(j, i)] = form.value(&moves) - base[j];
            }
        }
        push_nothing(ws);
        // Symmetric but for round-off and loads without potential.
        (&matrix + matrix.transpose()) * 0.5
    }

    /// What stiffens first; stable: rows keep their order among their like.
    fn sort(&mut self) {
        self.forms.sort_by_key(|form| (form.stiffness < 0.0, !form.takes_back));
    }

    /// Adds what holds everything that presses along its normal.
    fn hold_firmly(&mut self, rows: &[ContactRow]) {
        let pressing = rows.iter().enumerate().filter(|(_, row)| row.force > 0.0 && row.regularisation > 0.0);
        self.forms.extend(pressing.map(|(i, row)| {
            let mut pushes = [Push::NONE; 6];
            pushes.iter_mut().zip(row.pushes(row.normal)).for_each(|(own, push)| *own = push);
            Form { pushes, stiffness: row.regularisation, takes_back: false, holds: Some(i) }
        }));
        self.sort();
    }

    /// The small matrix, from the compliances of its forms.
    fn small(&self, compliance: &DMatrix<f64>) -> DMatrix<f64> {
        let mut matrix = compliance.clone();
        self.forms.iter().enumerate().for_each(|(i, form)| matrix[(i, i)] += 1.0 / form.stiffness);
        matrix
    }

    /// How many directions release energy where a matrix without contacts has so many `negative` ones.
    fn released(&self, small: &DMatrix<f64>, negative: usize) -> usize {
        let softening = self.forms.iter().filter(|form| form.stiffness < 0.0).count();
        let below = small.symmetric_eigenvalues().iter().filter(|value| **value < 0.0).count();
        (negative + softening).saturating_sub(below)
    }

    /// Factors of all of the small matrix, where that is of a minimum.
    fn factorise(&mut self, compliance: &DMatrix<f64>) {
        let stiffening = self.forms.iter().filter(|form| form.stiffness > 0.0).count();
        self.factors = OfMinimum::new(&self.small(compliance), stiffening).map(Factors::Minimum);
    }

    /// The same with what presses held no more firmly than it takes; false where nothing is enough.
    fn factorise_firmly(
        &mut self,
        compliance: &DMatrix<f64>,
        rows: &mut [ContactRow],
        negative: usize,
    ) -> bool {
        FIRMER.iter().any(|times| {
            for form in &mut self.forms {
                if let Some(i) = form.holds {
                    rows[i].firmness = times * rows[i].regularisation;
                    form.stiffness = rows[i].firmness;
                }
            }
            let small = self.small(compliance);
            let is_minimum = self.released(&small, negative) == 0;
            if is_minimum {
                self.factors = Some(Factors::Any(small.lu()));
            }
            is_minimum
        })
    }

    /// Factors without what softens, or of nothing.
    fn factorise_without(&mut self, compliance: &DMatrix<f64>) {
        let matrix = self.small(compliance);
        let count = |of: &dyn Fn(&Form) -> bool| self.forms.iter().filter(|form| of(form)).count();
        let (stiffening, taking_back) = (count(&|f| f.stiffness > 0.0), count(&|f| f.takes_back));
        let lower = Cholesky::new(matrix.view((0, 0), (stiffening, stiffening)).into_owned());
        let soft = lower.and_then(|lower| {
            let rest = (stiffening, matrix.nrows() - stiffening);
            let across =
                lower.l_dirty().solve_lower_triangular(&matrix.view((0, rest.0), (stiffening, rest.1)))?;
            Some(left(&matrix, stiffening, &across).symmetric_eigenvalues())
        });
        self.negative = soft.map_or(0, |values| values.iter().filter(|value| **value <= 0.0).count());
        let kept = stiffening + taking_back;
        self.forms.truncate(kept);
        let kept = matrix.view((0, 0), (kept, kept)).into_owned();
        self.factors = OfMinimum::new(&kept, stiffening).map(Factors::Minimum);
        if self.factors.is_none() {
            self.forms.clear();
        }
    }
}

/// Leaves no pushes behind.
fn push_nothing(ws: &mut NetworkWorkspace) {
    ws.spans.iter_mut().for_each(|span| span.push(&[]));
    ws.pushed.fill([Vec3::zeros(); 2]);
}

/// The rows of V of a contact that presses, with their entries of K, and what takes back ϱ.
fn add_forms(row: &ContactRow, out: &mut Vec<Form>) {
    if !row.is_coupled() {
        return;
    }
    add_bends(row, NOTHING * 2.0 * row.regularisation, out);
    let n = row.normal;
    let take_back = |places: [Option<Place>; 2], way: Vec3| {
        let mut all = [Push::NONE; 6];
        for (own, place) in all.iter_mut().zip(places.into_iter().flatten()) {
            *own = place.push(way);
        }
        Form { pushes: all, stiffness: -row.regularisation, takes_back: true, holds: None }
    };
    out.push(take_back(row.places(), n));
    if row.tangential.is_some() {
        out.extend(Tangential::axes(&n).map(|way| take_back(row.friction_places(), way)));
    }
}

/// Two directions across a normal.
fn across(n: &Vec3) -> [Vec3; 2] {
    let e = rotation::across(n);
    [e, n.cross(&e)]
}

/// The rows of V that are not as soft as `nothing`, and what they have to do with −λ ∂²g.
pub(super) fn add_bends(row: &ContactRow, nothing: f64, out: &mut Vec<Form>) {
    let Some(opposite) = row.opposite else { return add_rigid_bends(row, nothing, out) };
    let n = row.normal;
    let across = across(&n);
    let d = opposite.distance;
    // Slopes are taken over pieces, so that they have the size of displacements.
    let widths = [row.ends, opposite.ends].map(|[from, to]| to - from);
    let slopes = [row.shift.map_or_else(Vec3::zeros, |(slope, _)| slope), opposite.slope];
    let tangential = |slope: &Vec3| across.map(|e| e.dot(slope) / d);
    let [xs, ys] = [tangential(&slopes[0]), tangential(&slopes[1])];
    let mut bend = Matrix4::from_diagonal(&Vector4::new(1.0 / d, 1.0 / d, 0.0, 0.0));
    let mut by_first = Vector4::new(xs[0], xs[1], 1.0 / widths[0], 0.0);
    if let Some(m) = opposite.stiffness {
        let by_second = -Vector4::new(ys[0], ys[1], 0.0, 1.0 / widths[1]);
        bend -= by_second * by_second.transpose() / m;
        let c = -(xs[0] * ys[0] + xs[1] * ys[1]) * d / m;
        by_first -= by_second * c;
    }
    if let Some((_, second)) = row.shift {
        bend -= by_first * by_first.transpose() / second;
    }
    let modes = (bend * -row.force).symmetric_eigen();
    for (stiffness, mode) in modes.eigenvalues.iter().zip(modes.eigenvectors.column_iter()) {
        if stiffness.abs() > nothing {
            let moves = across[0] * mode[0] + across[1] * mode[1];
            let turns = [n * (mode[2] * widths[0]), n * (mode[3] * widths[1])];
            out.push(Form {
                pushes: pushes(row, [moves, -moves], turns),
                stiffness: *stiffness,
                takes_back: false,
                holds: None,
            });
        }
    }
}

/// The same where a side is a part.
fn add_rigid_bends(row: &ContactRow, nothing: f64, out: &mut Vec<Form>) {
    if !row.is_coupled() {
        return;
    }
    // Turns are taken over the lever, and slopes over the piece, so that they have the size of displacements.
    let scale =
        |part: &Option<Rigid>| part.map_or(1.0, |part| (row.at - part.pose.position).norm().max(row.radius));
    let scales = [scale(&row.on[0]), scale(&row.on[1])];
    let span = row.key.body.span();
    let width = row.ends[1] - row.ends[0];
    let length = |i: usize| match i {
        3 if span.is_some() => width,
        0..3 if span.is_none() => scales[0],
        6..9 => scales[1],
        _ => 1.0,
    };
    let form = rigid::second(row);
    let form = Form12::from_fn(|i, j| -row.force * form[(i, j)] / (length(i) * length(j)));
    let modes = form.symmetric_eigen();
    for (stiffness, mode) in modes.eigenvalues.iter().zip(modes.eigenvectors.column_iter()) {
        if stiffness.abs() <= nothing {
            continue;
        }
        let part = |from: usize| Vec3::from_fn(|i, _| mode[from + i] * length(from + i));
        let mut pushes = [Push::NONE; 6];
        match (span, &row.on[0]) {
            (Some(span), _) => {
                let own = on_piece((span, row.share, row.ends), part(0), row.normal * (mode[3] * width));
                pushes[..3].copy_from_slice(&own);
            }
            (None, Some(on)) => pushes[0] = wrench(on, part(0), part(3)),
            (None, None) => {}
        }
        if let Some(on) = &row.on[1] {
            pushes[3] = wrench(on, part(rigid::SECOND), part(rigid::SECOND + 3));
        }
        out.push(Form { pushes, stiffness: *stiffness, takes_back: false, holds: None });
    }
}

/// A moment and a force on a part.
fn wrench(part: &Rigid, moment: Vec3, force: Vec3) -> Push {
    Push { place: Place::Anchor(part.anchor, Vec3::zeros()), force, moment }
}

/// The form Σ a·δx + b·δx′ of both sides as forces at places of their pieces.
fn pushes(row: &ContactRow, moves: [Vec3; 2], turns: [Vec3; 2]) -> [Push; 6] {
    let mut all = [Push::NONE; 6];
    let Some(opposite) = row.opposite else { return all };
    let Some(span) = row.key.body.span() else { return all };
    all[..3].copy_from_slice(&on_piece((span, row.share, row.ends), moves[0], turns[0]));
    all[3..].copy_from_slice(&on_piece((opposite.span, opposite.share, opposite.ends), moves[1], turns[1]));
    all
}

/// The form a·δx + b·δx′ as forces at three places of a piece, on which its displacement is a parabola.
fn on_piece((span, share, [from, to]): (usize, f64, [f64; 2]), moves: Vec3, turns: Vec3) -> [Push; 3] {
    let width = to - from;
    let x = (share - from) / width;
    let values = [(1.0 - x) * (1.0 - 2.0 * x), 4.0 * x * (1.0 - x), x * (2.0 * x - 1.0)];
    let slopes = [4.0 * x - 3.0, 4.0 - 8.0 * x, 4.0 * x - 1.0].map(|slope| slope / width);
    [0, 1, 2].map(|i| {
        let place = Place::Span(span, from + 0.5 * i as f64 * width);
        place.push(moves * values[i] + turns * slopes[i])
    })
}
