//! W = J A⁻¹ Jᵀ of many contacts, body by body.
//!
//! A *body* is what hangs together without contacts: a rod that nothing holds, a harness. A⁻¹ does not lead from one body to
//! another, so that W is a sum of small dense matrices, one per body, over the directions of contacts that act on it; a direction acts on two
//! bodies at most. With as many contacts per rod, that costs a solve per contact with the factors of one rod, and a product with W
//! as many numbers. Bodies are looked at side by side.

use super::super::NetworkWorkspace;
use super::super::span::SpanSystem;
use super::super::state::NetworkState;
use super::Push;
use crate::algebra::Vec3;
use crate::algebra::block_ldl::{BlockMatrix, BlockPattern};
use crate::rod::kernel::LocalVector;
use crate::rod::mixed::ChainScratch;
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

/// A linear form of the step, as the forces on spans that do its work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    pushes: [Push; 6],
    count: usize,
}

impl Direction {
    pub(super) fn new(pushes: impl Iterator<Item = Push>) -> Self {
        let mut direction = Self { pushes: [Push::NONE; 6], count: 0 };
        for push in pushes.filter(|push| push.force != Vec3::zeros()).take(6) {
            direction.pushes[direction.count] = push;
            direction.count += 1;
        }
        direction
    }

    pub(super) fn pushes(&self) -> &[Push] {
        &self.pushes[..self.count]
    }
}

/// What hangs together without contacts.
#[derive(Default)]
struct Body {
    spans: Vec<usize>,
    /// Groups of the reduced unknowns, in the order of their elimination.
    groups: Vec<usize>,
    /// The directions that act on it, and of how many of them the columns are known.
    directions: Vec<usize>,
    known: usize,
    /// Its share of W.
    w: DMatrix<f64>,
}

/// W of the directions at hand, and where the step without any is.
#[derive(Default)]
pub(super) struct Operator {
    directions: Vec<Direction>,
    bodies: Vec<Body>,
    body_of: Vec<usize>,
    /// Body and place there of every direction.
    places: Vec<[Option<(usize, usize)>; 2]>,
    /// Solution of the reduced system of the step without any.
    solution: Vec<f64>,
}

impl Operator {
    /// Forgets all directions; the step without any is that in the workspace.
    pub(super) fn begin(&mut self, ws: &NetworkWorkspace) {
        self.directions.clear();
        self.places.clear();
        self.solution.clone_from(&ws.solution);
        self.body_of.clear();
        self.bodies.clear();
        let mut of_root = vec![None; ws.roots.len()];
        for (k, span) in ws.spans.iter().enumerate() {
            let known = span.root(&ws.roots).map(|root| &mut of_root[root]);
            let body = known.as_ref().and_then(|known| **known).unwrap_or(self.bodies.len());
            if let Some(known) = known {
                *known = Some(body);
            }
            if body == self.bodies.len() {
                self.bodies.push(Body::default());
            }
            self.bodies[body].spans.push(k);
            self.body_of.push(body);
        }
        for group in ws.unknowns.pattern.order() {
            if let Some(body) = of_root[ws.roots[*group]] {
                self.bodies[body].groups.push(*group);
            }
        }
    }

    /// Takes in one more direction.
    pub(super) fn add(&mut self, direction: Direction) {
        let index = self.directions.len();
        let mut places = [None; 2];
        for push in direction.pushes() {
            let Some((span, _)) = push.on_span() else { continue };
            let body = self.body_of[span];
            let is_there = |place: &Option<(usize, usize)>| place.is_some_and(|(b, _)| b == body);
            if places.iter().any(is_there) {
                continue;
            }
            let place = usize::from(places[0].is_some());
            places[place] = Some((body, self.bodies[body].directions.len()));
            self.bodies[body].directions.push(index);
        }
        self.directions.push(direction);
        self.places.push(places);
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Of so many directions with what every body makes of those on it.
    #[cfg(test)]
    pub(super) fn of_blocks(
        directions: usize,
        blocks: impl Iterator<Item = (Vec<usize>, DMatrix<f64>)>,
    ) -> Self {
        let mut own = Self { places: vec![[None; 2]; directions], ..Self::default() };
        for (body, (directions, w)) in blocks.enumerate() {
            for (at, direction) in directions.iter().enumerate() {
                let place = usize::from(own.places[*direction][0].is_some());
                own.places[*direction][place] = Some((body, at));
            }
            own.bodies.push(Body { known: directions.len(), directions, w, ..Body::default() });
        }
        own
    }

    /// Finds the columns of all directions that are new, by a solve each for every body that they act on. The step in the workspace
    /// is another afterwards.
    pub(super) fn make(&mut self, state: &NetworkState, ws: &mut NetworkWorkspace) {
        let Self { directions, bodies, body_of, solution, .. } = self;
        let mut spans: Vec<Vec<&mut SpanSystem>> = bodies.iter().map(|_| Vec::new()).collect();
        ws.spans.iter_mut().zip(body_of.iter()).for_each(|(span, body)| spans[*body].push(span));
        let (matrix, pattern) = (&ws.matrix, &ws.unknowns.pattern);
        let (directions, solution) = (&*directions, &*solution);
        bodies
            .par_iter_mut()
            .zip(spans)
            .filter(|(body, _)| body.known < body.directions.len())
            .for_each_init(Room::default, |room, (body, mut spans)| {
                body.make(directions, state, &mut spans, (matrix, pattern, solution), room)
            });
    }

    /// Adds W x.
    pub(super) fn add_product(&self, x: &[f64], out: &mut [f64]) {
        for body in self.bodies.iter().filter(|body| !body.directions.is_empty()) {
            let n = body.directions.len();
            for (c, column) in body.directions.iter().zip(body.w.as_slice().chunks_exact(n)) {
                let by = x[*c];
                if by != 0.0 {
                    body.directions.iter().zip(column).for_each(|(r, w)| out[*r] += w * by);
                }
            }
        }
    }

    /// W of a direction alone.
    pub(super) fn diagonal(&self, direction: usize) -> f64 {
        self.places[direction].iter().flatten().map(|(body, at)| self.bodies[*body].w[(*at, *at)]).sum()
    }

    /// Adds a change of the force along one direction to W x.
    pub(super) fn add_column(&self, direction: usize, by: f64, out: &mut [f64]) {
        for (body, at) in self.places[direction].iter().flatten() {
            let body = &self.bodies[*body];
            let n = body.directions.len();
            let column = &body.w.as_slice()[at * n..(at + 1) * n];
            body.directions.iter().zip(column).for_each(|(r, w)| out[*r] += w * by);
        }
    }

    /// How many bodies there are, and on how many a direction acts.
    pub(super) fn bodies(&self) -> usize {
        self.bodies.len()
    }

    pub(super) fn acts_on(&self, direction: usize) -> usize {
        self.places[direction].iter().flatten().count()
    }

    /// The directions of a body that are `chosen`, and all of W between them, other bodies included.
    pub(super) fn among(&self, body: usize, chosen: &[bool]) -> (Vec<usize>, DMatrix<f64>) {
        let own = &self.bodies[body];
        let at: Vec<usize> = (0..own.directions.len()).filter(|at| chosen[own.directions[*at]]).collect();
        let mut w = DMatrix::from_fn(at.len(), at.len(), |r, c| own.w[(at[r], at[c])]);
        let directions: Vec<usize> = at.iter().map(|at| own.directions[*at]).collect();
        // Of two that act on the same other body.
        let other: Vec<Option<(usize, usize)>> = directions
            .iter()
            .map(|direction| {
                self.places[*direction].iter().flatten().copied().find(|(other, _)| *other != body)
            })
            .collect();
        for c in 0..directions.len() {
            let Some((b, j)) = other[c] else { continue };
            for r in 0..directions.len() {
                if let Some((_, i)) = other[r].filter(|(other, _)| *other == b) {
                    w[(r, c)] += self.bodies[b].w[(i, j)];
                }
            }
        }
        (directions, w)
    }

    /// The forces on spans of forces along all directions.
    pub(super) fn pushes(&self, forces: &[f64]) -> Vec<Push> {
        let own = self.directions.iter().zip(forces).filter(|(_, force)| **force != 0.0);
        own.flat_map(|(direction, by)| direction.pushes().iter().map(|p| p.times(*by))).collect()
    }
}

/// Room for the solves of one body after another.
#[derive(Default)]
struct Room {
    scratch: ChainScratch,
    b: Vec<f64>,
    moved: Vec<f64>,
    pivots: Vec<f64>,
    forces: Vec<(f64, Vec3)>,
    base: Vec<f64>,
    left: Vec<LocalVector>,
}

impl Body {
    /// What of every direction is on the body, along the step of its spans.
    fn values(
        &self,
        directions: &[Direction],
        state: &NetworkState,
        spans: &[&mut SpanSystem],
        out: &mut Vec<f64>,
    ) {
        let value = |push: &Push| {
            let (span, share) = push.on_span()?;
            let at = self.spans.binary_search(&span).ok()?;
            Some(push.force.dot(&spans[at].kernel.moved(&state.spans[span], share)))
        };
        out.clear();
        out.extend(
            self.directions
                .iter()
                .map(|direction| directions[*direction].pushes().iter().filter_map(value).sum::<f64>()),
        );
    }

    fn make(
        &mut self,
        directions: &[Direction],
        state: &NetworkState,
        spans: &mut [&mut SpanSystem],
        (matrix, pattern, solution): (&BlockMatrix, &BlockPattern, &[f64]),
        room: &mut Room,
    ) {
        let Room { scratch, b, moved, pivots, forces, base, left } = room;
        left.clear();
        for (span, k) in spans.iter_mut().zip(&self.spans) {
            left.push(span.left_with(&state.spans[*k], &[], scratch));
            span.move_with(solution);
        }
        self.values(directions, state, spans, base);
        let (n, known) = (self.directions.len(), self.known);
        let mut w = std::mem::replace(&mut self.w, DMatrix::zeros(0, 0)).resize(n, n, 0.0);
        b.clear();
        b.resize(solution.len(), 0.0);
        let mut values = Vec::new();
        for j in known..n {
            self.groups.iter().for_each(|g| b[pattern.range(*g)].fill(0.0));
            for ((span, k), left) in spans.iter_mut().zip(&self.spans).zip(left.iter()) {
                forces.clear();
                let own = directions[self.directions[j]].pushes().iter().filter_map(|push| {
                    let (span, share) = push.on_span()?;
                    (span == *k).then_some((share, push.force))
                });
                forces.extend(own);
                let change = span.left_with(&state.spans[*k], forces, scratch) - left;
                span.add_to(&change, b);
            }
            matrix.solve_groups(pattern, &self.groups, b, pivots);
            moved.clear();
            moved.extend_from_slice(solution);
            for g in &self.groups {
                pattern.range(*g).for_each(|i| moved[i] += b[i]);
            }
            spans.iter_mut().for_each(|span| span.move_with(moved));
            self.values(directions, state, spans, &mut values);
            for i in 0..n {
                w[(i, j)] = values[i] - base[i];
            }
        }
        spans.iter_mut().for_each(|span| span.push(&[]));
        for j in known..n {
            for i in 0..j {
                let mean = if i < known { w[(i, j)] } else { 0.5 * (w[(i, j)] + w[(j, i)]) };
                (w[(i, j)], w[(j, i)]) = (mean, mean);
            }
        }
        (self.w, self.known) = (w, n);
    }
}

/// Factors of W among the directions of every body that are chosen: what stands for W⁻¹ in a search for forces. (Additive Schwarz: J. H.
/// Bramble, J. E. Pasciak, J. Xu, Math. Comp. 55 (1990) 1–22.)
#[derive(Default)]
pub(super) struct Neighbours {
    blocks: Vec<(Vec<usize>, nalgebra::Cholesky<f64, nalgebra::Dyn>)>,
    share: Vec<f64>,
}

impl Neighbours {
    /// Of directions that are chosen, with so much more compliance each.
    pub(super) fn new(operator: &Operator, chosen: &[bool], more: &[f64]) -> Self {
        let block = |body: usize| {
            let (directions, mut w) = operator.among(body, chosen);
            if directions.is_empty() {
                return None;
            }
            directions.iter().enumerate().for_each(|(r, direction)| w[(r, r)] += more[*direction]);
            let factor = w.clone().cholesky().or_else(|| {
                DMatrix::from_diagonal(&w.diagonal().map(|d| d.max(f64::MIN_POSITIVE))).cholesky()
            })?;
            Some((directions, factor))
        };
        let blocks = (0..operator.bodies()).into_par_iter().filter_map(block).collect();
        let share = (0..operator.len())
            .map(|direction| (operator.acts_on(direction).max(1) as f64).sqrt().recip())
            .collect();
        Self { blocks, share }
    }

    /// What stands for W⁻¹ r.
    pub(super) fn apply(&self, r: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (directions, factor) in &self.blocks {
            let mut own = DVector::from_iterator(
                directions.len(),
                directions.iter().map(|direction| r[*direction] * self.share[*direction]),
            );
            factor.solve_mut(&mut own);
            directions
                .iter()
                .zip(own.iter())
                .for_each(|(direction, x)| out[*direction] += x * self.share[*direction]);
        }
    }
}
