//! Matter in motion: an implicit step in time is an equilibrium with every point on a spring to where it would go by
//! itself (`docs/theory/motion.md`).

use super::matter::{MassPoint, Matter};
use crate::algebra::{Quat, Vec3, rotation};

/// Points and frames on springs to where they would go by themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inertia {
    /// Stiffness of each point, N/m, and where it would go, m, world.
    pub(crate) nodes: Vec<(f64, Vec3)>,
    /// Of the mass that couples each point to the next: the stiffness that the difference of the two lacks,
    /// N/m, and what that difference would be, m, world. Empty where nothing couples them.
    pub(crate) chords: Vec<(f64, Vec3)>,
    /// Stiffness of each frame about its own axes (material), N m, and where it would turn, material→world.
    pub(crate) frames: Vec<(Vec3, Quat)>,
    /// Where rope slides: the tangent there, world, along which a point's target moves with the rope.
    pub(crate) along: Vec<Vec3>,
    /// Share of each point in what slides at the end; the rest is its share in the start.
    pub(crate) shares: Vec<f64>,
    /// How the difference that a chord would have moves with what slides at the start, and at the end.
    pub(crate) chords_along: Vec<[Vec3; 2]>,
    /// Rope that has come in at the start, and gone on at the end, beyond what was expected, m.
    pub(crate) slid: [f64; 2],
}

impl Inertia {
    /// Springs of a vibration, −ω² M, for matter where it is.
    pub(crate) fn vibrating(matter: &Matter, omega: f64) -> Self {
        let square = -omega * omega;
        let chord = |(mass, ends): (&f64, &[MassPoint])| (square * mass, ends[1].position - ends[0].position);
        Self {
            nodes: matter.points.iter().map(|p| (square * p.mass, p.position)).collect(),
            chords: matter.couplings.iter().zip(matter.points.windows(2)).map(chord).collect(),
            frames: matter.frames.iter().map(|(j, q)| (*j * square, *q)).collect(),
            ..Self::default()
        }
    }

    /// Whether what slides moves the targets.
    pub(crate) fn slides(&self) -> bool {
        !self.along.is_empty()
    }

    /// The share of point `j` in what slides at the end (side 0) or at the start (1).
    pub(crate) fn share(&self, j: usize, side: usize) -> f64 {
        if side == 0 { self.shares[j] } else { 1.0 - self.shares[j] }
    }

    /// How the target of point `j` moves with what slides at a side.
    pub(crate) fn target_by_slid(&self, j: usize, side: usize) -> Vec3 {
        self.along.get(j).map_or_else(Vec3::zeros, |along| along * self.share(j, side))
    }

    /// How the difference that chord `i` would have moves with what slides at a side.
    pub(crate) fn chord_by_slid(&self, i: usize, side: usize) -> Vec3 {
        self.chords_along.get(i).map_or_else(Vec3::zeros, |along| along[1 - side])
    }

    /// Stiffness of point `j` and where it would go, given what has slid.
    pub(crate) fn node(&self, j: usize) -> (f64, Vec3) {
        let (k, target) = self.nodes[j];
        let [at_start, at_end] = self.slid;
        (k, target + self.target_by_slid(j, 0) * at_end + self.target_by_slid(j, 1) * at_start)
    }

    /// The stiffness that the difference of points `i` and `i + 1` lacks, and what it would be, given what
    /// has slid.
    pub(crate) fn chord(&self, i: usize) -> (f64, Vec3) {
        let (k, target) = self.chords[i];
        let [at_start, at_end] = self.slid;
        (k, target + self.chord_by_slid(i, 0) * at_end + self.chord_by_slid(i, 1) * at_start)
    }

    /// Derivative of the energy of its springs by what slides at a side, N, with the points at these positions.
    pub(crate) fn slid_force(&self, side: usize, positions: impl Fn(usize) -> Vec3) -> f64 {
        let mut sum = 0.0;
        for j in 0..self.along.len() {
            let (k, target) = self.node(j);
            sum -= k * self.target_by_slid(j, side).dot(&(positions(j) - target));
        }
        for i in 0..self.chords_along.len() {
            let (k, target) = self.chord(i);
            let chord = positions(i + 1) - positions(i);
            sum += k * self.chord_by_slid(i, side).dot(&(chord - target));
        }
        sum
    }

    /// What turns frame `j` from where it would be, as a rotation about its own axes, and the stiffness against it.
    fn turn(&self, j: usize, frame: &Quat) -> (Vec3, Vec3) {
        let (k, target) = &self.frames[j];
        (*k, rotation::log(&(target.conjugate() * frame)))
    }

    /// Moment that holds frame `j` back, about its own axes, as a derivative of its energy, N m; that energy, J.
    pub(crate) fn holding_moment(&self, j: usize, frame: &Quat) -> (Vec3, f64) {
        if self.frames[j].0 == Vec3::zeros() {
            return (Vec3::zeros(), 0.0);
        }
        let (k, turn) = self.turn(j, frame);
        let moment = k.component_mul(&turn);
        (moment, 0.5 * moment.dot(&turn))
    }
}
