//! Loads of a curvature rod that have no potential: what the solver adds to a step made with the symmetric
//! matrix alone.

use super::CurvatureSpan;
use super::evaluate::Point;
use super::form::{Change, FIRST, SECOND, TURN};
use super::loads::locate;
use crate::algebra::collocation::POINTS;
use crate::algebra::{Mat3, Vec3};
use crate::body::Axes;
use crate::body::load::turning_part;

/// A load that changes as its place turns.
#[derive(Clone, Debug)]
pub(super) struct TurningLoad {
    piece: usize,
    /// Weights of the integral up to its place.
    upto: [f64; POINTS],
    at: Vec3,
    /// How its place turns with the coordinates of its element.
    turning: [Mat3; 2],
    /// It gains their cross products with the rotation.
    force: Vec3,
    moment: Vec3,
}

/// A force and a moment besides the loads, at a place of a piece.
struct Gain {
    piece: usize,
    upto: [f64; POINTS],
    at: Vec3,
    force: Vec3,
    moment: Vec3,
}

/// What turning loads gain on the curvatures, and on (ψ, x) of the start, with the sign of a residual.
#[derive(Clone, Debug, Default)]
pub(super) struct ExtraResidual {
    pub(super) gradient: Vec<Vec3>,
    pub(super) at_base: [Vec3; 2],
}

impl CurvatureSpan {
    /// How a place of a piece turns with the coordinates of its element.
    pub(super) fn turning(&self, piece: usize, upto: &[f64; POINTS]) -> [Mat3; 2] {
        let mut turn = [Mat3::zeros(); 2];
        let first = self.firsts[self.pieces[piece].element];
        for p in first..=piece {
            let half = self.rod.half_share(&self.pieces[p]);
            for (k, node) in self.points[self.pieces[p].places(p)].iter().enumerate() {
                let weight = if p < piece { node.weight } else { half * upto[k] };
                for (turn, shape) in turn.iter_mut().zip(node.shapes) {
                    *turn += node.rotation * (weight * shape);
                }
            }
        }
        turn
    }

    /// Rotation of a place along the step of its element.
    pub(super) fn turn_of(&self, piece: usize, upto: &[f64; POINTS], step: &Change) -> Vec3 {
        turned_by(&self.turning(piece, upto), step)
    }

    /// The loads that change as they turn, in the order of their pieces. Rope that slides in motion has none: its
    /// elimination adds none.
    pub(super) fn turning_loads(&self) -> Vec<TurningLoad> {
        let mut found = Vec::new();
        if !self.by_slid.is_empty() {
            return found;
        }
        let mut push = |piece: usize, upto: [f64; POINTS], at: Vec3, (force, moment): (Vec3, Vec3)| {
            if force != Vec3::zeros() || moment != Vec3::zeros() {
                let turning = self.turning(piece, &upto);
                found.push(TurningLoad { piece, upto, at, turning, force, moment });
            }
        };
        for (p, piece) in self.pieces.iter().enumerate() {
            for index in self.loads.of(p) {
                let load = &self.loads.at[index];
                let part = turning_part(&load.world.0, &load.world.1, load.axes);
                push(p, load.upto, self.place(p, index).0, part);
            }
            for (k, j) in piece.places(p).enumerate() {
                let (Some(spread), node) = (self.loads.spread.get(j), &self.points[j]) else { break };
                let share = node.weight * self.rod.length;
                let turned = (node.rotation * spread.material.0, node.rotation * spread.material.1);
                let own = turning_part(&turned.0, &turned.1, Axes::Material);
                let dead = turning_part(&spread.world.0, &spread.world.1, Axes::World);
                let part = ((own.0 + dead.0) * share, (own.1 + dead.1) * share);
                push(p, piece.rule().upto[k], node.position, part);
            }
        }
        found
    }

    /// Appends how the places of turning loads on an element turn along its step.
    pub(super) fn note_turned(&self, e: usize, step: &Change, turned: &mut Vec<Vec3>) {
        let own = self.turning_loads.iter().filter(|load| self.pieces[load.piece].element == e);
        turned.extend(own.map(|load| turned_by(&load.turning, step)));
    }

    /// What turning loads gain where their places turn, and forces from outside.
    pub(super) fn extra_residual_of(&self, turns: &[Vec3]) -> ExtraResidual {
        let turned = self.turning_loads.iter().zip(turns).map(|(load, turn)| Gain {
            piece: load.piece,
            upto: load.upto,
            at: load.at,
            force: turn.cross(&load.force),
            moment: turn.cross(&load.moment),
        });
        let pushed = self.pushed.iter().map(|(share, force)| {
            let (piece, x) = locate(&self.rod, &self.pieces, *share);
            let upto = self.pieces[piece].rule().partial(x);
            Gain { piece, upto, at: self.reach(piece, &upto), force: *force, moment: Vec3::zeros() }
        });
        let mut gains: Vec<Gain> = turned.chain(pushed).collect();
        if gains.is_empty() {
            return ExtraResidual::default();
        }
        gains.sort_by_key(|gain| gain.piece);
        self.extra(&gains)
    }

    /// Displacement of a place along the step: δx = ∫ Θ × d3 ds, Θ = ψ + ∫ R v dσ.
    pub(super) fn moved_at(&self, share: f64) -> Vec3 {
        let (piece, x) = locate(&self.rod, &self.pieces, share);
        let upto = self.pieces[piece].rule().partial(x);
        let (mut turn, mut shift) = (self.step.turn, self.step.shift);
        for (p, own) in self.pieces.iter().enumerate().take(piece + 1) {
            let (rule, half) = (own.rule(), self.rod.half_share(own));
            let step = |which: usize| {
                self.rod.place(own.element, which).map_or_else(Vec3::zeros, |i| self.step.curvatures[i])
            };
            let (first, second) = (step(0), step(1));
            let nodes = &self.points[own.places(p)];
            let turned = |weights: &[f64; POINTS]| {
                let rate = |n: &Point| n.rotation * (first * n.shapes[0] + second * n.shapes[1]);
                turn + nodes.iter().zip(weights).map(|(n, w)| rate(n) * (half * w)).sum::<Vec3>()
            };
            let weights = if p < piece { &rule.weights } else { &upto };
            let scale = half * self.rod.length;
            let way = |((n, w), upto): ((&Point, &f64), &[f64; POINTS])| {
                turned(upto).cross(&Vec3::from(n.rotation.column(2))) * (scale * w)
            };
            shift += nodes.iter().zip(weights).zip(&rule.upto).map(way).sum::<Vec3>();
            turn = turned(&rule.weights);
        }
        shift + self.by_length(piece, &upto) * self.step.grown
    }

    /// How a place moves with the length, coordinates held.
    fn by_length(&self, piece: usize, upto: &[f64; POINTS]) -> Vec3 {
        (self.reach(piece, upto) - self.starts[0].0) / self.rod.length
    }

    /// Work of forces from outside per length that the rod grows, N.
    pub(super) fn pushed_along(&self) -> f64 {
        let along = |(share, force): &(f64, Vec3)| {
            let (piece, x) = locate(&self.rod, &self.pieces, *share);
            force.dot(&self.by_length(piece, &self.pieces[piece].rule().partial(x)))
        };
        self.pushed.iter().map(along).sum()
    }

    /// Sums gains, in the order of their pieces: the moment of each about every node before it, as
    /// [`go_backwards`](Self::go_backwards) sums all loads.
    fn extra(&self, gains: &[Gain]) -> ExtraResidual {
        let mut gradient = vec![Vec3::zeros(); self.rod.curvatures()];
        // Force beyond, and its moment about the origin.
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        let mut last = gains.len();
        for p in (0..self.pieces.len()).rev() {
            let piece = &self.pieces[p];
            let first = gains[..last].partition_point(|gain| gain.piece < p);
            let half = self.rod.half_share(piece);
            for (k, node) in self.points[piece.places(p)].iter().enumerate() {
                let position = self.reach(p, &piece.rule().upto[k]);
                let mut m = (moment - position.cross(&force)) * node.weight;
                for gain in &gains[first..last] {
                    let lever = gain.at - position;
                    m += (lever.cross(&gain.force) + gain.moment) * (half * gain.upto[k]);
                }
                let m = node.rotation.tr_mul(&m);
                for which in 0..2 {
                    if let Some(i) = self.rod.place(piece.element, which) {
                        gradient[i] -= m * node.shapes[which];
                    }
                }
            }
            for gain in &gains[first..last] {
                force += gain.force;
                moment += gain.at.cross(&gain.force) + gain.moment;
            }
            last = first;
        }
        let begin = self.starts.first().map_or_else(Vec3::zeros, |start| start.0);
        ExtraResidual { gradient, at_base: [begin.cross(&force) - moment, -force] }
    }
}

/// Rotation of a place that turns with the coordinates of its element so, along the element's step.
fn turned_by([first, second]: &[Mat3; 2], step: &Change) -> Vec3 {
    step[TURN] + first * step[FIRST] + second * step[SECOND]
}
