//! Force, stiffness and energy of what acts at the points of a body besides its weight and its loads.

use super::inertia::Inertia;
use super::pole::Pole;
use crate::algebra::{Mat3, Quat, Vec3};

/// A force at a place of a body that changes with where the place is: f − H (x − x̂).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tap {
    /// The place, as a share of the length of the body.
    pub(crate) share: f64,
    /// x̂, m, world.
    pub(crate) about: Vec3,
    /// f, N, world.
    pub(crate) force: Vec3,
    /// H, N/m, world; symmetric.
    pub(crate) stiffness: Mat3,
    /// Stiffness besides, of a place that shifts along the body as that moves and turns.
    pub(crate) roll: Option<Roll>,
    /// Whether its energy is counted by who put it there, from where the place really is, and not here.
    pub(crate) is_counted_elsewhere: bool,
}

/// Stiffness k y² / 2 against y = a·δx + b·δx′, where x′ is the derivative of the place by the share of the length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Roll {
    /// a.
    pub(crate) by_move: Vec3,
    /// b.
    pub(crate) by_slope: Vec3,
    /// k.
    pub(crate) stiffness: f64,
}

impl Tap {
    /// A spring that draws a place towards a point.
    pub(crate) fn spring(share: f64, to: Vec3, stiffness: f64) -> Self {
        Self { stiffness: Mat3::from_diagonal_element(stiffness), ..Self::force(share, to, Vec3::zeros()) }
    }

    /// A force that changes with nothing.
    pub(crate) fn force(share: f64, about: Vec3, force: Vec3) -> Self {
        Self { share, about, force, stiffness: Mat3::zeros(), roll: None, is_counted_elsewhere: false }
    }

    /// Force on the place at `x` (m, world), N, world.
    pub(crate) fn force_at(&self, x: &Vec3) -> Vec3 {
        self.force - self.stiffness * (x - self.about)
    }

    /// Its energy there, J.
    pub(crate) fn energy_at(&self, x: &Vec3) -> f64 {
        if self.is_counted_elsewhere {
            return 0.0;
        }
        let away = x - self.about;
        0.5 * away.dot(&(self.stiffness * away)) - self.force.dot(&away)
    }
}

/// What acts at the points of one body.
///
/// Poles press along the rod: per length of it. Inertia holds points by their number. Taps act at places between.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taps {
    pub(crate) poles: Vec<Pole>,
    pub(crate) inertia: Option<Inertia>,
    pub(crate) places: Vec<Tap>,
}

impl Taps {
    /// Takes over the poles of the world.
    pub(crate) fn see(&mut self, poles: &[Pole]) {
        self.poles.clear();
        self.poles.extend_from_slice(poles);
    }

    /// Whether anything acts on points.
    pub(crate) fn on_points(&self) -> bool {
        self.inertia.is_some() || !self.poles.is_empty()
    }

    /// Force per length of rod at `x`, N/m.
    pub(crate) fn spread_force(&self, x: &Vec3) -> Vec3 {
        self.poles.iter().map(|pole| pole.force(x)).sum()
    }

    /// Energy per length of rod at `x`, N.
    pub(crate) fn spread_energy(&self, x: &Vec3) -> f64 {
        self.poles.iter().map(|pole| pole.energy(x)).sum()
    }

    /// Force on point `j`, which is at `x` and stands for a length of rod, N.
    pub(crate) fn force(&self, j: usize, x: &Vec3, length: f64) -> Vec3 {
        let mut force = self.spread_force(x) * length;
        if let Some(inertia) = &self.inertia {
            let (k, target) = inertia.node(j);
            force -= (x - target) * k;
        }
        force
    }

    /// Stiffness against moving the point from where it is, N/m; that of inertia apart, which is the same along
    /// every axis and moves with rope that slides.
    pub(crate) fn fixed_stiffness(&self, x: &Vec3, length: f64) -> Mat3 {
        let touched = self.poles.iter().filter(|pole| pole.depth(x) > 0.0);
        touched.map(|pole| pole.hessian(x) * length).sum()
    }

    /// Stiffness of inertia on point `j`, N/m.
    pub(crate) fn spring(&self, j: usize) -> f64 {
        self.inertia.as_ref().map_or(0.0, |inertia| inertia.nodes[j].0)
    }

    /// Both together.
    pub(crate) fn stiffness(&self, j: usize, x: &Vec3, length: f64) -> Mat3 {
        self.fixed_stiffness(x, length) + Mat3::from_diagonal_element(self.spring(j))
    }

    /// Energy of the point, J.
    pub(crate) fn energy(&self, j: usize, x: &Vec3, length: f64) -> f64 {
        let mut energy = self.spread_energy(x) * length;
        if let Some(inertia) = &self.inertia {
            let (k, target) = inertia.node(j);
            energy += 0.5 * k * (x - target).norm_squared();
        }
        energy
    }

    /// Moment that holds frame `j` back, about its own axes, as a derivative of its energy, N m; that energy, J.
    pub(crate) fn holding_moment(&self, j: usize, frame: &Quat) -> (Vec3, f64) {
        self.inertia.as_ref().map_or((Vec3::zeros(), 0.0), |inertia| inertia.holding_moment(j, frame))
    }

    /// Stiffness against turning frame `j`, about its own axes, N m.
    pub(crate) fn turning_stiffness(&self, j: usize) -> Vec3 {
        self.inertia.as_ref().map_or_else(Vec3::zeros, |inertia| inertia.frames[j].0)
    }

    /// All springs on points together, N/m: what internal forces sum.
    pub(crate) fn sum_of_springs(&self) -> f64 {
        let own: f64 =
            self.inertia.as_ref().map_or(0.0, |inertia| inertia.nodes.iter().map(|(k, _)| k.abs()).sum());
        own + self.places.iter().map(|tap| tap.stiffness.norm()).sum::<f64>()
    }

    /// Its inertia, where rope slides past it.
    pub(crate) fn passed(&self) -> Option<&Inertia> {
        self.inertia.as_ref().filter(|inertia| inertia.slides())
    }

    /// Moves the targets of sliding rope to where it has gone at start and end.
    pub(crate) fn set_slid(&mut self, slid: [f64; 2]) {
        if let Some(inertia) = &mut self.inertia {
            inertia.slid = slid;
        }
    }
}
