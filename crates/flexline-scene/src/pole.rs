//! Poles of a scene for the engine, and how deep cables enter them.

use crate::model::PoleSpec;
use flexline::Vec3;
use flexline::section::SectionProfile;
use flexline::solver::{Pole, Sample};

/// A share of its radius: so deep a cable enters a pole that was suited to it, pressed as [`PoleSpec::suited`] says.
const ENTRY: f64 = 1e-3;

impl PoleSpec {
    /// The pole for the engine; `cables` are the sections of all cables and their lengths.
    pub(crate) fn pole<'a>(
        &self,
        cables: impl Iterator<Item = (&'a SectionProfile, f64)>,
        gravity: &Vec3,
    ) -> Pole {
        let stiffness = self.hardness.unwrap_or_else(|| self.suited(cables, gravity));
        Pole { through: self.through, axis: self.axis, radius: self.radius, stiffness }
    }

    /// The hardness at which a cable that presses with K/R³ per length, as one does that was bent around it, and with
    /// its weight, enters by [`ENTRY`] of the radius; of the stiffest or heaviest cable.
    fn suited<'a>(&self, cables: impl Iterator<Item = (&'a SectionProfile, f64)>, gravity: &Vec3) -> f64 {
        let pressed = cables.map(|(section, length)| {
            let k = section.at(0.0).stiffness;
            let weight = section.cell(0.0, length).mass / length * gravity.norm();
            k.x.max(k.y) / self.radius.powi(3) + weight
        });
        pressed.fold(0.0, f64::max) / (ENTRY * self.radius).powi(2)
    }
}

/// Where a cable is deepest inside a pole, and how deep, m; `None` where it does not touch it.
pub fn deepest<'a>(pole: &Pole, samples: &'a [Sample]) -> Option<(&'a Sample, f64)> {
    let depths = samples.iter().map(|sample| (sample, pole.depth(&sample.position)));
    depths.filter(|(_, depth)| *depth > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))
}
