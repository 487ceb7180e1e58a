//! Properties along the rod: zones, each of one section or tapering from one to another.
//!
//! A discrete rod asks for averages over a cell [a, b]. Bending is springs in series, so the
//! compliance 1/K is averaged: an abrupt change inside a cell makes neither a limp nor a rigid
//! joint. Every average here is a closed form; nothing is sampled.

use super::{BendLimit, Limits, Section, SectionError, StiffnessSource};
use crate::algebra::Vec3;
use serde::{Deserialize, Serialize};

/// How the section varies within a zone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Variation {
    /// One section.
    Constant {
        /// The section.
        section: Section,
    },
    /// Stiffness, mass and radius each change linearly along the zone.
    Linear {
        /// At the beginning.
        start: Section,
        /// At the end.
        end: Section,
    },
    /// One shape and one material, its size changing linearly along the zone, as a cone does: the
    /// radius linearly, the mass as its square, stiffness and rotary inertia as its fourth power.
    Scaled {
        /// At the beginning.
        start: Section,
        /// At the end.
        end: Section,
    },
}

/// A stretch [from, to] of the rod and its section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Where it begins, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
    /// Its section.
    pub variation: Variation,
}

/// What a rod knows of the stretch [a, b].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// K1, K2, K3, N m²: the reciprocal of the mean compliance.
    pub stiffness: Vec3,
    /// Mass, kg.
    pub mass: f64,
    /// Largest contact radius, m.
    pub contact_radius: f64,
}

/// The section as a function of the arc length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct SectionProfile {
    stored: Stored,
}

/// What a profile is made of, and how it is written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stored {
    Uniform(Section),
    /// Never empty, in order, without gaps, beginning at zero.
    Zones(Vec<Zone>),
}

impl Zone {
    /// One section from `from` to `to`.
    pub fn constant(from: f64, to: f64, section: Section) -> Self {
        Self { from, to, variation: Variation::Constant { section } }
    }

    /// Properties that change linearly; see [`Variation::Linear`].
    pub fn linear(from: f64, to: f64, start: Section, end: Section) -> Self {
        Self { from, to, variation: Variation::Linear { start, end } }
    }

    /// A size that changes linearly; see [`Variation::Scaled`].
    pub fn scaled(from: f64, to: f64, start: Section, end: Section) -> Self {
        Self { from, to, variation: Variation::Scaled { start, end } }
    }

    /// The sections at its beginning and its end.
    pub fn ends(&self) -> [Section; 2] {
        match self.variation {
            Variation::Constant { section } => [section; 2],
            Variation::Linear { start, end } | Variation::Scaled { start, end } => [start, end],
        }
    }

    /// The section at `s`; beyond the zone, that of the nearer end.
    fn at(&self, s: f64) -> Section {
        let t = ((s - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        match self.variation {
            Variation::Constant { section } => section,
            Variation::Linear { start, end } => between(&start, &end, t, 1, 1),
            Variation::Scaled { start, end } => between(&start, &end, t, 4, 2),
        }
    }

    /// Compliance and mass integrated over [a, b], a stretch of this zone.
    fn integrals(&self, a: f64, b: f64) -> (Vec3, f64) {
        let (x, y) = (self.at(a), self.at(b));
        let (compliance, mass): (fn(f64, f64) -> f64, f64) = match self.variation {
            Variation::Constant { section } => (|k, _| 1.0 / k, section.mass_per_length),
            Variation::Linear { .. } => {
                (mean_reciprocal_linear, 0.5 * (x.mass_per_length + y.mass_per_length))
            }
            Variation::Scaled { .. } => {
                let (m, n) = (x.mass_per_length, y.mass_per_length);
                (mean_reciprocal_quartic, (m + (m * n).sqrt() + n) / 3.0)
            }
        };
        (x.stiffness.zip_map(&y.stiffness, compliance) * (b - a), mass * (b - a))
    }
}

impl SectionProfile {
    /// One section along a rod of any length.
    pub fn uniform(section: Section) -> Self {
        Self { stored: Stored::Uniform(section) }
    }

    /// Zones in order along the rod: the first begins at 0, each begins where the one before ends
    /// (to within a billionth of the length: lengths converted from other units differ in the last
    /// digit), the last ends at the length of the rod. Errors count zones from 1.
    ///
    /// ```
    /// use flexline::section::{Section, SectionProfile, Zone};
    /// let soft = Section::measured(0.01, 0.01, 0.008, 0.1, 0.004)?;
    /// let sleeve = Section::measured(0.05, 0.05, 0.04, 0.2, 0.006)?;
    /// let profile = SectionProfile::new(vec![
    ///     Zone::constant(0.0, 0.2, soft),
    ///     Zone::constant(0.2, 0.5, sleeve),
    /// ])?;
    /// // Springs in series: half of each.
    /// let cell = profile.cell(0.1, 0.3);
    /// assert!((cell.stiffness.x - 2.0 / (1.0 / 0.01 + 1.0 / 0.05)).abs() < 1e-12);
    /// assert!((cell.mass - 0.03).abs() < 1e-12);
    /// assert_eq!(profile.breaks(), [0.2]);
    /// # Ok::<(), flexline::section::SectionError>(())
    /// ```
    pub fn new(mut zones: Vec<Zone>) -> Result<Self, SectionError> {
        let Some(last) = zones.last() else { return Err(SectionError::NoZones) };
        let slack = 1e-9 * last.to.abs();
        let mut end = 0.0;
        for (k, zone) in zones.iter_mut().enumerate() {
            let (number, from) = (k + 1, zone.from);
            if !(from.is_finite() && zone.to.is_finite() && zone.to > from) {
                return Err(SectionError::ZoneSpan { zone: number, from, to: zone.to });
            }
            if (from - end).abs() > slack {
                return Err(match k {
                    0 => SectionError::ZoneStart { from },
                    _ if from > end => SectionError::ZoneGap { zone: number, from, end },
                    _ => SectionError::ZoneOverlap { zone: number, from, end },
                });
            }
            for section in zone.ends() {
                section
                    .validate()
                    .map_err(|cause| SectionError::InZone { zone: number, cause: Box::new(cause) })?;
            }
            zone.from = end;
            end = zone.to;
        }
        Ok(Self { stored: Stored::Zones(zones) })
    }

    /// The section at `s`, with the limits of its zone. At a jump, the section beyond it; outside
    /// the rod, that of the nearer end.
    pub fn at(&self, s: f64) -> Section {
        match &self.stored {
            Stored::Uniform(section) => *section,
            Stored::Zones(zones) => {
                let beyond = zones.partition_point(|zone| zone.from <= s);
                zones[beyond.saturating_sub(1)].at(s)
            }
        }
    }

    /// Averages over [a, b], a ≤ b. A cell of no length has the stiffness at `a` and no mass; what
    /// lies outside the rod counts as the nearer end.
    pub fn cell(&self, a: f64, b: f64) -> Cell {
        let here = self.at(a);
        if b <= a {
            return Cell { stiffness: here.stiffness, mass: 0.0, contact_radius: here.contact_radius };
        }
        let mut compliance = Vec3::zeros();
        let mut mass = 0.0;
        let mut contact_radius = 0.0_f64;
        let mut add = |(c, m): (Vec3, f64), radius: f64| {
            compliance += c;
            mass += m;
            contact_radius = contact_radius.max(radius);
        };
        match &self.stored {
            Stored::Uniform(section) => {
                let span = b - a;
                let reciprocal = section.stiffness.map(|k| span / k);
                add((reciprocal, section.mass_per_length * span), section.contact_radius);
            }
            Stored::Zones(zones) => {
                for (k, zone) in zones.iter().enumerate() {
                    // The first and the last zone reach beyond the rod, with their end sections.
                    let low = if k == 0 { a } else { a.max(zone.from) };
                    let high = if k + 1 == zones.len() { b } else { b.min(zone.to) };
                    for (x, y) in [
                        (low, high.min(zone.from)),
                        (low.max(zone.from), high.min(zone.to)),
                        (low.max(zone.to), high),
                    ] {
                        if x < y {
                            let radius = zone.at(x).contact_radius.max(zone.at(y).contact_radius);
                            add(zone.integrals(x, y), radius);
                        }
                    }
                }
            }
        }
        Cell { stiffness: compliance.map(|c| (b - a) / c), mass, contact_radius }
    }

    /// Where one zone ends and the next begins, m, increasing; without the ends of the rod.
    pub fn breaks(&self) -> Vec<f64> {
        match &self.stored {
            Stored::Uniform(_) => Vec::new(),
            Stored::Zones(zones) => zones.iter().skip(1).map(|zone| zone.from).collect(),
        }
    }

    /// Those of [`SectionProfile::breaks`] where the stiffness jumps, and not its slope alone.
    pub fn jumps(&self) -> Vec<f64> {
        let Stored::Zones(zones) = &self.stored else { return Vec::new() };
        let differ = |w: &&[Zone]| {
            let (before, beyond) = (w[0].ends()[1].stiffness, w[1].ends()[0].stiffness);
            (before - beyond).abs().max() > 1e-12 * before.max()
        };
        zones.windows(2).filter(differ).map(|w| w[1].from).collect()
    }

    /// Where the last zone ends, m; a uniform profile fits every rod.
    pub fn length(&self) -> Option<f64> {
        match &self.stored {
            Stored::Uniform(_) => None,
            Stored::Zones(zones) => zones.last().map(|zone| zone.to),
        }
    }

    /// Refuses what no rod of this length can be made of: zones that cover another length, a section that is none.
    pub fn check_length(&self, length: f64) -> Result<(), SectionError> {
        if let Stored::Uniform(section) = &self.stored {
            return section.validate();
        }
        let Some(covered) = self.length() else { return Ok(()) };
        let same = (covered - length).abs() <= 1e-9 * covered;
        if same { Ok(()) } else { Err(SectionError::Length { covered, length }) }
    }

    /// Whether the stiffness of any zone is an estimate.
    pub fn is_estimate(&self) -> bool {
        let estimate = |section: &Section| section.source == StiffnessSource::Estimate;
        match &self.stored {
            Stored::Uniform(section) => estimate(section),
            Stored::Zones(zones) => zones.iter().any(|zone| zone.ends().iter().any(estimate)),
        }
    }
}

impl TryFrom<Stored> for SectionProfile {
    type Error = SectionError;

    fn try_from(stored: Stored) -> Result<Self, SectionError> {
        match stored {
            Stored::Uniform(section) => section.validate().map(|()| Self::uniform(section)),
            Stored::Zones(zones) => Self::new(zones),
        }
    }
}

impl From<SectionProfile> for Stored {
    fn from(profile: SectionProfile) -> Self {
        profile.stored
    }
}

/// The section a fraction t of the way from `a` to `b`. Stiffness and rotary inertia go as the
/// given power of a size that changes linearly, the mass as another.
fn between(a: &Section, b: &Section, t: f64, stiffness_power: i32, mass_power: i32) -> Section {
    let lerp = |x: f64, y: f64| x + t * (y - x);
    let power = |x: f64, y: f64, n: i32| match n {
        1 => lerp(x, y),
        2 => lerp(x.sqrt(), y.sqrt()).powi(2),
        _ => lerp(x.sqrt().sqrt(), y.sqrt().sqrt()).powi(4),
    };
    let estimate = [a.source, b.source].contains(&StiffnessSource::Estimate);
    Section {
        stiffness: a.stiffness.zip_map(&b.stiffness, |x, y| power(x, y, stiffness_power)),
        source: if estimate { StiffnessSource::Estimate } else { StiffnessSource::Measured },
        mass_per_length: power(a.mass_per_length, b.mass_per_length, mass_power),
        rotary_inertia: a.rotary_inertia.zip_map(&b.rotary_inertia, |x, y| power(x, y, stiffness_power)),
        contact_radius: lerp(a.contact_radius, b.contact_radius),
        limits: limits_between(a, b, t),
    }
}

/// Limits change linearly where both ends have them; one given at one end holds throughout.
fn limits_between(a: &Section, b: &Section, t: f64) -> Limits {
    let number = |x: Option<f64>, y: Option<f64>| match (x, y) {
        (Some(x), Some(y)) => Some(x + t * (y - x)),
        _ => x.or(y),
    };
    let bend = |x: Option<BendLimit>, y: Option<BendLimit>| match (x, y) {
        (Some(x), Some(y)) if x.reference == y.reference => {
            Some(BendLimit { radius: x.radius + t * (y.radius - x.radius), ..x })
        }
        (Some(x), Some(y)) => {
            let (r, q) = (x.centre_radius(a.contact_radius), y.centre_radius(b.contact_radius));
            Some(BendLimit::centre(r + t * (q - r)))
        }
        _ => x.or(y),
    };
    Limits {
        bend_static: bend(a.limits.bend_static, b.limits.bend_static),
        bend_dynamic: bend(a.limits.bend_dynamic, b.limits.bend_dynamic),
        tension: number(a.limits.tension, b.limits.tension),
        twist: number(a.limits.twist, b.limits.twist),
        strain: number(a.limits.strain, b.limits.strain),
    }
}

/// Mean of 1/k while k goes linearly from `a` to `b`: ln(b/a) / (b − a).
fn mean_reciprocal_linear(a: f64, b: f64) -> f64 {
    let x = (b - a) / a;
    if x == 0.0 { 1.0 / a } else { x.ln_1p() / (x * a) }
}

/// Mean of 1/k while the fourth root u of k goes linearly from u to v: (u² + uv + v²) / (3 u³ v³).
fn mean_reciprocal_quartic(a: f64, b: f64) -> f64 {
    let (u, v) = (a.sqrt().sqrt(), b.sqrt().sqrt());
    let uv = u * v;
    (u * u + uv + v * v) / (3.0 * uv * uv * uv)
}

#[cfg(test)]
mod tests;
