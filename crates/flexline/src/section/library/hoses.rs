//! Rubber hoses and plastic lines. All masses are those of the empty hose.

use super::super::material::{EPDM_60, EPDM_70, NBR_80, PA12, PUR, SILICONE_60};
use super::super::{BendLimit, Limits, Material};
use super::estimate::{Rigidity, reinforced, solid, tube};
use super::{Part, PartKind};

/// Assumed stiffening by one layer of knitted or spiralled yarn.
const ONE_YARN: f64 = 1.5;
/// Assumed stiffening by two braids of yarn.
const TWO_YARNS: f64 = 3.0;
/// Assumed stiffening by one braid of steel wire.
const STEEL_BRAID: f64 = 6.0;

struct Hose {
    id: &'static str,
    name: &'static str,
    /// Outer and inner diameter, mm.
    size: (f64, f64),
    material: Material,
    /// Stiffening by the reinforcement; `None` has none.
    reinforcement: Option<f64>,
    /// Mass of the reinforcement, kg/m.
    extra_mass: f64,
    /// Minimum radius of the inner side, mm: laid once, bent repeatedly.
    bend: (f64, f64),
    tension: Option<f64>,
    source: &'static str,
    note: &'static str,
}

impl Hose {
    fn part(&self) -> Part {
        let shape = tube(self.size.0 * 1e-3, self.size.1 * 1e-3);
        let wall: Rigidity = solid(shape, &self.material);
        let limits = Limits {
            bend_static: Some(BendLimit::inner(self.bend.0 * 1e-3)),
            bend_dynamic: Some(BendLimit::inner(self.bend.1 * 1e-3)),
            tension: self.tension,
            ..Limits::default()
        };
        Part::round(
            (self.id, self.name, PartKind::Hose),
            shape,
            self.reinforcement.map_or(wall, |factor| reinforced(wall, factor)),
            shape.area() * self.material.density + self.extra_mass,
            limits,
            self.source,
            self.note.to_owned(),
        )
    }
}

pub(super) fn parts() -> Vec<Part> {
    [
        Hose {
            id: "brake-hose",
            name: "Hydraulic brake hose, 3.2 x 10.5 mm",
            size: (10.5, 3.2),
            material: EPDM_70,
            reinforcement: Some(TWO_YARNS),
            extra_mass: 0.0,
            bend: (38.0, 57.0),
            tension: Some(1446.0),
            source: "Bore and make-up: SAE J1401 (1/8 in class, EPDM with two yarn braids). Bend radius: \
                 the standard has none; 38 mm is one maker's figure, half as much again is assumed for \
                 motion. Tension: 325 lbf, the pull test of FMVSS 106 on assemblies. Mass: computed from \
                 shape and density. Stiffness: estimate, the EPDM wall of 70 Shore A times 3 for the \
                 braids.",
            note: "The factor for the braids is an assumption; the stiffness may be off by a factor of \
                 three. Pressure stiffens a brake hose further.",
        },
        Hose {
            id: "coolant-hose",
            name: "Coolant hose EPDM, 19 x 27 mm",
            size: (27.0, 19.0),
            material: EPDM_60,
            reinforcement: Some(ONE_YARN),
            extra_mass: 0.0,
            bend: (108.0, 135.0),
            tension: None,
            source: "Size: usual 3/4 in heater hose (SAE J20 R3). Bend radius: what the tests of SAE J20 \
                 demand, a mandrel of 8 outer diameters (ozone) and a bend to a diameter of 10 (cold). \
                 Mass: computed from shape and density. Stiffness: estimate, the EPDM wall of 60 Shore A \
                 times 1.5 for the yarn.",
            note: "Filled with coolant it weighs 0.30 kg/m more. The stiffness may be off by a factor of \
                 two.",
        },
        Hose {
            id: "vacuum-hose",
            name: "Vacuum hose silicone, 4 x 9 mm",
            size: (9.0, 4.0),
            material: SILICONE_60,
            reinforcement: None,
            extra_mass: 0.0,
            bend: (27.0, 45.0),
            tension: None,
            source: "Size: usual for vacuum lines in engine bays. Bend radius: assumed, 3 outer diameters \
                 fixed and 5 moving; no standard gives one. Mass and stiffness: computed from shape, \
                 density and 60 Shore A.",
            note: "A plain rubber tube: the stiffness is as good as the hardness, about a third either way.",
        },
        Hose {
            id: "fuel-line-pa12",
            name: "Fuel line PA12, 8 x 1 mm",
            size: (8.0, 6.0),
            material: PA12,
            reinforcement: None,
            extra_mass: 0.0,
            bend: (40.0, 80.0),
            tension: None,
            source: "Size and material: DIN 73378, PA 12-PHL. Bend radius: makers give 30 mm for nylon 8 x \
                 5.7, 40 mm is taken for the thinner wall, twice that for motion. Mass and stiffness: \
                 computed from shape and handbook values.",
            note: "The modulus of plasticised PA12 falls with heat and with the fuel it takes up.",
        },
        Hose {
            id: "pneumatic-tube-pur",
            name: "Pneumatic tube PUR, 5 x 8 mm",
            size: (8.0, 5.0),
            material: PUR,
            reinforcement: None,
            extra_mass: 0.0,
            bend: (30.0, 45.0),
            tension: None,
            source: "Size and bend radius: a pneumatics maker's table (8 mm urethane: 30 mm), half as much \
                 again is assumed for motion. Mass and stiffness: computed from shape and handbook values.",
            note: "Stored coiled, it keeps a rest curvature.",
        },
        Hose {
            id: "hydraulic-hose-1sn-6",
            name: "Hydraulic hose EN 853 1SN, DN 6",
            size: (13.4, 6.4),
            material: NBR_80,
            reinforcement: Some(STEEL_BRAID),
            extra_mass: 0.08,
            bend: (100.0, 100.0),
            tension: None,
            source: "Size: usual for EN 853 1SN, SAE 100R1AT, 1/4 in. Bend radius: these standards, 100 mm \
                 at the inner side, in service. Mass: rubber computed, 80 g/m taken for the braid. \
                 Stiffness: estimate, the NBR wall of 80 Shore A times 6 for the steel braid.",
            note: "The factor for the braid is an assumption; the stiffness may be off by a factor of \
                 three. Under pressure the length changes by +2 to -4 %.",
        },
    ]
    .iter()
    .map(Hose::part)
    .collect()
}
