//! Loads along a curvature rod: densities at the nodes of pieces, and forces at places between them.

use crate::algebra::Vec3;
use crate::algebra::collocation::POINTS;
use crate::body::{Axes, DistributedLoad, PointLoad, Tap};
use crate::rod::curvature::CurvatureRod;
use crate::rod::curvature::walk::Piece;

/// A force and a moment at one place of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceLoad {
    pub(super) piece: usize,
    /// Where, −1 … 1.
    pub(super) x: f64,
    /// Weights of the integral up to there.
    pub(super) upto: [f64; POINTS],
    pub(super) force: Vec3,
    pub(super) moment: Vec3,
    pub(super) axes: Axes,
    /// Force and moment in world axes, at the last evaluation.
    pub(super) world: (Vec3, Vec3),
    /// What changes with the place, instead of the force.
    pub(super) tap: Option<Tap>,
}

impl PieceLoad {
    /// Energy of what has one, with its place at `x`, J.
    pub(super) fn energy(&self, x: &Vec3) -> f64 {
        self.tap.map_or_else(|| -self.world.0.dot(x), |tap| tap.energy_at(x))
    }
}

/// Loads spread over a piece, at one of its nodes: force per length (N/m) and moment per length (N) in
/// world axes, then in material axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) world: (Vec3, Vec3),
    pub(super) material: (Vec3, Vec3),
}

const NOTHING: Spread = Spread {
    world: (Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.0)),
    material: (Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.0)),
};

/// The piece in which a share of the length lies, and where, −1 … 1.
pub(super) fn locate(rod: &CurvatureRod, pieces: &[Piece], share: f64) -> (usize, f64) {
    let share = share.clamp(0.0, 1.0);
    let (mut begin, mut element) = (0.0, 0);
    let (mut a, mut b) = (0.0, 0.0);
    for (p, piece) in pieces.iter().enumerate() {
        while element < piece.element {
            begin += rod.shares[element];
            element += 1;
        }
        (a, b) = (begin + rod.shares[element] * piece.from, begin + rod.shares[element] * piece.to);
        if share <= b || p + 1 == pieces.len() {
            return (p, (2.0 * (share - a) / (b - a) - 1.0).clamp(-1.0, 1.0));
        }
    }
    (0, (2.0 * (share - a) / (b - a).max(f64::MIN_POSITIVE) - 1.0).clamp(-1.0, 1.0))
}

/// All loads but weight.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceLoads {
    /// In order of their pieces.
    pub(super) at: Vec<PieceLoad>,
    /// Per node of every piece; empty where nothing is spread.
    pub(super) spread: Vec<Spread>,
    /// The taps among them.
    pub(super) taps: Vec<Tap>,
}

impl PieceLoads {
    /// Finds the pieces that loads act on.
    pub(super) fn read(
        &mut self,
        rod: &CurvatureRod,
        pieces: &[Piece],
        points: &[PointLoad],
        distributed: &[DistributedLoad],
        taps: &[Tap],
    ) {
        self.at.clear();
        self.spread.clear();
        self.taps.clear();
        self.taps.extend_from_slice(taps);
        if pieces.is_empty() || (points.is_empty() && distributed.is_empty() && taps.is_empty()) {
            return;
        }
        let mut begins = vec![0.0; rod.elements() + 1];
        for e in 0..rod.elements() {
            begins[e + 1] = begins[e] + rod.shares[e] * rod.length;
        }
        let range = |p: &Piece| {
            let (from, l) = (begins[p.element], rod.shares[p.element] * rod.length);
            (from + l * p.from, from + l * p.to)
        };
        let mut push = |s: f64, load: &PointLoad, tap: Option<Tap>| {
            let (piece, x) = locate(rod, pieces, s / rod.length);
            let upto = pieces[piece].rule().partial(x);
            let (force, moment, axes) = (load.force, load.moment, load.axes);
            self.at.push(PieceLoad { piece, x, upto, force, moment, axes, world: (force, moment), tap });
        };
        points.iter().for_each(|load| push(load.s, load, None));
        let nothing = PointLoad { s: 0.0, force: Vec3::zeros(), moment: Vec3::zeros(), axes: Axes::World };
        taps.iter().for_each(|tap| push(tap.share * rod.length, &nothing, Some(*tap)));
        for load in distributed {
            let (from, to) = (load.from.min(load.to), load.from.max(load.to));
            for (k, piece) in pieces.iter().enumerate() {
                let rule = piece.rule();
                let (a, b) = range(piece);
                let (first, last) = (a.max(from), b.min(to));
                if last <= first {
                    continue;
                }
                let whole = first == a && last == b;
                if whole && self.spread.is_empty() {
                    self.spread.resize(POINTS * pieces.len(), NOTHING);
                }
                for j in 0..rule.count {
                    let s = first + 0.5 * (rule.nodes[j] + 1.0) * (last - first);
                    let (force, moment) = load.at(s);
                    if whole {
                        let own = &mut self.spread[POINTS * k + j];
                        let to = match load.axes {
                            Axes::World => &mut own.world,
                            Axes::Material => &mut own.material,
                        };
                        to.0 += force;
                        to.1 += moment;
                    } else {
                        // Part of a piece: as forces at the nodes of a rule of its own.
                        let weight = 0.5 * (last - first) * rule.weights[j];
                        let x = 2.0 * (s - a) / (b - a) - 1.0;
                        let (force, moment) = (force * weight, moment * weight);
                        let (upto, axes, world) = (rule.partial(x), load.axes, (force, moment));
                        let tap = None;
                        self.at.push(PieceLoad { piece: k, x, upto, force, moment, axes, world, tap });
                    }
                }
            }
        }
        self.at.sort_by_key(|load| load.piece);
    }

    /// The loads at places of a piece.
    pub(super) fn of(&self, piece: usize) -> std::ops::Range<usize> {
        let from = self.at.partition_point(|load| load.piece < piece);
        from..self.at.partition_point(|load| load.piece <= piece)
    }
}
