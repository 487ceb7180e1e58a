//! Loads on a rod: forces and moments at places and along stretches, in axes of the world or of the material.

use super::pose::is_finite;
use crate::algebra::Vec3;
use serde::{Deserialize, Serialize};

/// The axes a load keeps while the rod moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Axes {
    /// Fixed in the world: a dead load.
    #[default]
    World,
    /// Fixed in the material frame: a follower load.
    Material,
}

/// A force and a moment at one arc length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointLoad {
    /// Arc length, m, in [0, L].
    pub s: f64,
    /// Force, N, along `axes`.
    pub force: Vec3,
    /// Moment, N m, about `axes`.
    pub moment: Vec3,
    /// The axes both are fixed in.
    pub axes: Axes,
}

/// A force and a moment per length, varying linearly over [from, to].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DistributedLoad {
    /// Where it begins, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
    /// Force per length at `from` and at `to`, N/m, along `axes`.
    pub force: [Vec3; 2],
    /// Moment per length at `from` and at `to`, N, about `axes`.
    pub moment: [Vec3; 2],
    /// The axes both are fixed in.
    pub axes: Axes,
}

impl PointLoad {
    /// Whether force and moment are finite.
    pub(crate) fn is_finite(&self) -> bool {
        is_finite(&self.force) && is_finite(&self.moment) && self.s.is_finite()
    }
}

impl DistributedLoad {
    /// Whether force and moment are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.force.iter().chain(&self.moment).all(is_finite)
    }
}

/// Arc lengths of loads that lie outside a rod.
pub(crate) fn outside<'a>(
    points: &'a [PointLoad],
    distributed: &'a [DistributedLoad],
    length: f64,
) -> impl Iterator<Item = f64> + 'a {
    let places = points.iter().map(|l| l.s).chain(distributed.iter().flat_map(|l| [l.from, l.to]));
    places.filter(move |s| !(*s >= 0.0 && *s <= length * (1.0 + 1e-12)))
}

impl DistributedLoad {
    /// Force and moment per length at arc length `s`, N/m and N.
    pub(crate) fn at(&self, s: f64) -> (Vec3, Vec3) {
        let way = self.to - self.from;
        let share = if way != 0.0 { (s - self.from) / way } else { 0.0 };
        (self.force[0].lerp(&self.force[1], share), self.moment[0].lerp(&self.moment[1], share))
    }
}

/// Force and moment, world axes, whose cross products with the rotation θ of their place are what a load gains:
/// θ × force and θ × moment.
pub(crate) fn turning_part(force: &Vec3, moment: &Vec3, axes: Axes) -> (Vec3, Vec3) {
    match axes {
        Axes::World => (Vec3::zeros(), moment * -0.5),
        Axes::Material => (*force, moment * 0.5),
    }
}

/// Work of a load along a stretch, from the world's origin: Simpson's rule over 64 pieces.
pub(crate) fn spread_work(load: &DistributedLoad, at: impl Fn(f64) -> Vec3) -> f64 {
    along(load, |share, s| load.force[0].lerp(&load.force[1], share).dot(&at(s)))
}

/// Integral along the stretch of a load; `value` learns the share of the way and the arc length.
pub(crate) fn along(load: &DistributedLoad, value: impl Fn(f64, f64) -> f64) -> f64 {
    let pieces = 64;
    let length = load.to - load.from;
    (0..=2 * pieces)
        .map(|k| {
            let share = f64::from(k) / f64::from(2 * pieces);
            let weight = match k {
                0 => 1.0,
                k if k == 2 * pieces => 1.0,
                k => [2.0, 4.0][k as usize % 2],
            };
            weight * value(share, load.from + share * length)
        })
        .sum::<f64>()
        * length
        / f64::from(6 * pieces)
}
