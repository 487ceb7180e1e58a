//! The library of real parts. Sizes and limits are published figures where there are any; the
//! stiffness of nearly every part is an estimate, and its source says from what.

pub(super) mod estimate;
mod hoses;
mod lines;
mod wires;

use super::{Limits, Section, Shape, StiffnessSource, same_name};
use crate::algebra::Vec3;
use estimate::Rigidity;
use serde::Serialize;
use std::sync::OnceLock;

/// What family a part belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum PartKind {
    /// A single insulated wire.
    Wire,
    /// A cable of several layers or cores.
    Cable,
    /// Several wires held together.
    Bundle,
    /// A hose, tube or line.
    Hose,
    /// A flat cable or strip.
    Ribbon,
    /// A rope.
    Rope,
    /// A single thread, filament or hair.
    Fibre,
}

/// A real part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What scene files call it.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// Its family.
    pub kind: PartKind,
    /// Its section.
    pub section: Section,
    /// Outer diameter, m; of the circle around it if it is not round.
    pub outer_diameter: f64,
    /// Its shape, for drawing; wires and ropes appear solid.
    pub shape: Shape,
    /// Where each figure comes from.
    pub source: &'static str,
    /// What to know before trusting it.
    pub note: String,
}

impl Part {
    /// A round part whose stiffness is an estimate.
    fn round(
        (id, name, kind): (&'static str, &'static str, PartKind),
        shape: Shape,
        rigidity: Rigidity,
        mass_per_length: f64,
        limits: Limits,
        source: &'static str,
        note: String,
    ) -> Self {
        let stiffness = Vec3::new(rigidity.bend, rigidity.bend, rigidity.twist);
        let section = Section::assemble(&shape, stiffness, StiffnessSource::Estimate, mass_per_length);
        Self {
            id,
            name,
            kind,
            section: Section { limits, ..section },
            outer_diameter: 2.0 * shape.contact_radius(),
            shape,
            source,
            note,
        }
    }
}

/// Every part of the library: wires, hoses, cables, ropes, fibres.
pub fn parts() -> &'static [Part] {
    static PARTS: OnceLock<Vec<Part>> = OnceLock::new();
    PARTS.get_or_init(|| [wires::parts(), hoses::parts(), lines::parts()].concat())
}

/// The part of that id; case does not matter, and spaces and underscores count as hyphens.
///
/// ```
/// use flexline::section::{PartKind, StiffnessSource, find_part};
/// let hose = find_part("brake-hose").ok_or("no such part")?;
/// assert_eq!(hose.kind, PartKind::Hose);
/// assert_eq!(hose.section.source, StiffnessSource::Estimate);
/// assert!(hose.source.contains("SAE J1401"));
/// assert!(find_part("brake pipe").is_none());
/// # Ok::<(), &str>(())
/// ```
pub fn find_part(id: &str) -> Option<&'static Part> {
    parts().iter().find(|part| same_name(part.id, id))
}

#[cfg(test)]
mod tests {
    use super::super::RadiusReference;
    use super::*;

    #[test]
    fn the_parts_people_ask_for_are_there() {
        for id in [
            "brake-hose",
            "coolant-hose",
            "vacuum-hose",
            "fuel-line-pa12",
            "hydraulic-hose-1sn-6",
            "wire-0.35",
            "wire-0.5",
            "wire-0.75",
            "wire-1.0",
            "wire-1.5",
            "wire-2.5",
            "wire-4",
            "wire-6",
            "wire-16",
            "wire-25",
            "bundle-20x0.5",
            "coax-rg58",
            "fibre-patch-cord",
            "cable-cat6",
            "wire-rope-6x19",
            "climbing-rope",
            "suture-pp-3-0",
            "human-hair",
        ] {
            assert_eq!(find_part(id).map(|p| p.id), Some(id));
        }
        assert_eq!(find_part("Brake Hose").map(|p| p.id), Some("brake-hose"));
        for (k, part) in parts().iter().enumerate() {
            assert!(parts()[k + 1..].iter().all(|p| p.id != part.id && p.name != part.name), "{}", part.id);
        }
    }

    #[test]
    fn every_part_is_plausible() {
        for part in parts() {
            let (id, section) = (part.id, &part.section);
            part.shape.validate().unwrap();
            section.validate().unwrap();
            assert_eq!(section.source, StiffnessSource::Estimate, "{id}: nothing here was measured");

            assert_eq!(part.outer_diameter, 2.0 * section.contact_radius, "{id}");
            assert!((5e-5..0.05).contains(&part.outer_diameter), "{id}");

            let density = section.mass_per_length / part.shape.area();
            assert!((300.0..9000.0).contains(&density), "{id}: {density} kg/m³");

            // Between a part that hardly resists twist and one braided against it.
            let k = section.stiffness;
            let ratio = k.z / k.x.min(k.y);
            assert!((0.4..1.6).contains(&ratio), "{id}: K3/K = {ratio}");

            // As if solid: between soft rubber or a limp rope and steel.
            let modulus = k.x / part.shape.second_moments()[0];
            assert!((1e6..2e11).contains(&modulus), "{id}: {modulus} Pa");

            // The rotary inertia of the mass, spread over the shape.
            let polar = section.mass_per_length * part.shape.polar_moment() / part.shape.area();
            assert!((section.rotary_inertia.z / polar - 1.0).abs() < 1e-12, "{id}");
        }
    }

    #[test]
    fn limits_are_plausible() {
        for part in parts() {
            let (id, limits, radius) = (part.id, &part.section.limits, part.section.contact_radius);
            let centre = |limit: Option<super::super::BendLimit>| limit.map(|l| l.centre_radius(radius));
            if let (Some(fixed), Some(moving)) = (centre(limits.bend_static), centre(limits.bend_dynamic)) {
                assert!(fixed >= 1.5 * part.outer_diameter, "{id}: {fixed} m");
                assert!(moving >= fixed, "{id}: bending again and again needs no less room");
            }
            assert_eq!(limits.bend_static.is_some(), limits.bend_dynamic.is_some(), "{id}");
            let expected = match part.kind {
                PartKind::Hose => Some(RadiusReference::Inner),
                PartKind::Wire | PartKind::Cable | PartKind::Bundle => Some(RadiusReference::Centre),
                _ => limits.bend_static.map(|l| l.reference),
            };
            assert_eq!(limits.bend_static.map(|l| l.reference), expected, "{id}");
            if let (Some(strain), Some(fixed)) = (limits.strain, centre(limits.bend_static)) {
                assert!(radius / fixed <= strain, "{id}: the bend limit breaks the strain limit");
            }
            if let Some(tension) = limits.tension {
                let stress = tension / part.shape.area();
                assert!((1e6..1e9).contains(&stress), "{id}: {stress} Pa");
            }
        }
    }

    #[test]
    fn every_part_says_where_its_stiffness_comes_from() {
        for part in parts() {
            assert!(part.source.contains("tiffness: "), "{}", part.id);
            assert!(part.source.contains("estimate") || part.source.contains("computed"), "{}", part.id);
            assert!(part.note.len() > 30 && !part.name.is_empty(), "{}", part.id);
            for text in [part.source, &part.note] {
                assert!(!text.contains("  ") && text.ends_with('.'), "{}: {text}", part.id);
            }
        }
    }

    #[test]
    fn thicker_wires_are_stiffer_and_heavier() {
        let wires: Vec<_> = parts().iter().filter(|p| p.kind == PartKind::Wire).collect();
        assert_eq!(wires.len(), 10);
        for pair in wires.windows(2) {
            let (thin, thick) = (&pair[0].section, &pair[1].section);
            assert!(thick.mass_per_length > thin.mass_per_length, "{}", pair[1].id);
            assert!(thick.stiffness.x > thin.stiffness.x, "{}", pair[1].id);
        }
    }
}
