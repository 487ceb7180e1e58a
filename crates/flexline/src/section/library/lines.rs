//! Data cables, ropes, threads and fibres.

use super::super::material::{
    COPPER, KERATIN, LSZH, PA6, PE_HD, PE_LD, PET, PP_SUTURE, PVC_SOFT, SILICA, STEEL,
};
use super::super::{BendLimit, Limits, Section, Shape, StiffnessSource};
use super::estimate::{Rigidity, Strand, bundled, disc, solid, tube};
use super::{Part, PartKind};
use crate::algebra::Vec3;

pub(super) fn parts() -> Vec<Part> {
    vec![
        coax_rg58(),
        patch_cord(),
        optical_fibre(),
        cat6(),
        flat_cable(),
        wire_rope(),
        climbing_rope(),
        suture(),
        fishing_line(),
        hair(),
    ]
}

fn bend_limits(fixed: f64, moving: f64) -> Limits {
    Limits {
        bend_static: Some(BendLimit::centre(fixed)),
        bend_dynamic: Some(BendLimit::centre(moving)),
        ..Limits::default()
    }
}

fn coax_rg58() -> Part {
    let outer = 4.95e-3;
    let (core, braid) = (Strand { count: 19.0, wire: 0.18e-3 }, Strand { count: 112.0, wire: 0.127e-3 });
    let (insulation, jacket) = (tube(2.95e-3, 0.9e-3), tube(outer, 3.6e-3));
    let layers =
        [core.taken(&COPPER), solid(insulation, &PE_LD), braid.taken(&COPPER), solid(jacket, &PVC_SOFT)];
    let mass = (core.area() + braid.area()) * COPPER.density
        + insulation.area() * PE_LD.density
        + jacket.area() * PVC_SOFT.density;
    Part::round(
        ("coax-rg58", "Coaxial cable RG-58 C/U", PartKind::Cable),
        disc(outer),
        layers.into_iter().sum(),
        mass,
        bend_limits(8.0 * outer, 10.0 * outer),
        "Make-up: RG-58 C/U (MIL-C-17/28), 19 x 0.18 mm, polyethylene 2.95 mm, copper braid, PVC 4.95 mm. \
         Bend radius: general practice for coaxial cables, 8 times the outer diameter fixed, 10 times \
         moving. Mass: computed from the make-up. Stiffness: estimate, the sum of the layers, strands and \
         braid near slipping.",
        "May be stiffer by a factor of three where jacket, braid and dielectric stick together.".to_owned(),
    )
}

fn patch_cord() -> Part {
    let outer = 3.0e-3;
    let layers = [
        solid(disc(0.125e-3), &SILICA),
        solid(tube(0.9e-3, 0.25e-3), &LSZH),
        solid(tube(outer, 2.0e-3), &LSZH),
    ];
    let limits = Limits { tension: Some(80.0), ..bend_limits(10.0 * outer, 20.0 * outer) };
    Part::round(
        ("fibre-patch-cord", "Fibre-optic patch cord, simplex 3 mm", PartKind::Cable),
        disc(outer),
        layers.into_iter().sum(),
        0.008,
        limits,
        "Diameter, mass (8 kg/km) and bend radius (10 times the diameter fixed, 20 times moving): a \
         maker's data sheet for a simplex cord with 0.9 mm buffer and aramid yarn. Tension: 80 N, a switch \
         maker's long-term figure. Stiffness: estimate, jacket, buffer and fibre; the aramid yarn only \
         pulls.",
        "The jacket carries nearly all of the stiffness; its compound varies by a factor of two.".to_owned(),
    )
}

fn optical_fibre() -> Part {
    let outer = 0.25e-3;
    let limits = Limits { strain: Some(0.01), ..bend_limits(15e-3, 30e-3) };
    Part::round(
        ("optical-fibre", "Optical fibre, 125 µm in 250 µm coating", PartKind::Fibre),
        disc(outer),
        solid(disc(0.125e-3), &SILICA),
        disc(0.125e-3).area() * SILICA.density + tube(outer, 0.125e-3).area() * 1100.0,
        limits,
        "Diameters: ITU-T G.652. Bend radius: 30 mm, at which G.652 tests its loss; 15 mm is assumed at \
         rest. Strain: 1 % at the coating is 0.5 % in the glass, half of the proof test. Mass: computed \
         from silica and acrylate. Stiffness: computed for the glass alone.",
        "The coating, left out, adds 10 to 20 % to the stiffness.".to_owned(),
    )
}

fn cat6() -> Part {
    let outer = 6.0e-3;
    let (count, conductor) = (8.0, disc(0.57e-3));
    let (insulation, jacket) = (tube(1.0e-3, 0.57e-3), tube(outer, 4.9e-3));
    let loose = (solid(conductor, &COPPER) + solid(insulation, &PE_HD)) * count;
    // Bonded, each conductor stretches: Σ EA y² with the copper spread over a disc of 2.2 mm.
    let bonded = count * COPPER.youngs_modulus * conductor.area() * 2.2e-3_f64.powi(2) / 4.0;
    let mass = count * (conductor.area() * COPPER.density + insulation.area() * PE_HD.density)
        + jacket.area() * PVC_SOFT.density
        + 0.003;
    let limits = Limits { tension: Some(110.0), ..bend_limits(4.0 * outer, 8.0 * outer) };
    Part::round(
        ("cable-cat6", "Data cable Cat 6 U/UTP, solid", PartKind::Cable),
        disc(outer),
        bundled(loose, bonded) + solid(jacket, &PVC_SOFT),
        mass,
        limits,
        "Make-up: four pairs AWG 23 (0.57 mm) in polyethylene 1.0 mm, PVC jacket 6.0 mm, from a maker's \
         specification. Bend radius: TIA-568, 4 times the outer diameter installed; 8 times is the rule \
         while pulling. Tension: 25 lbf (110 N), the pulling rule for four-pair cables. Mass: computed \
         from the make-up. Stiffness: estimate, conductors near slipping, and the jacket.",
        format!(
            "Bending stiffness lies between {:.1e} N m² (pairs slip) and {bonded:.1e} N m² (bonded). Solid \
             copper yields in tight bends and stays bent.",
            loose.bend
        ),
    )
}

fn flat_cable() -> Part {
    let shape = Shape::Rectangle { width: 10.5e-3, height: 0.2e-3 };
    let [i1, i2] = shape.second_moments();
    let (e, g) = (PET.youngs_modulus, PET.shear_modulus());
    let copper = 20.0 * 0.3e-3 * 0.05e-3;
    let mass = copper * COPPER.density + (shape.area() - copper) * PET.density;
    let stiffness = Vec3::new(e * i1, e * i2, g * shape.torsion_constant());
    Part {
        id: "flat-cable-ffc20",
        name: "Flexible flat cable, 20 ways, 0.5 mm pitch",
        kind: PartKind::Ribbon,
        section: Section::assemble(&shape, stiffness, StiffnessSource::Estimate, mass),
        outer_diameter: 2.0 * shape.contact_radius(),
        shape,
        source: "Size: 20 conductors of 0.3 x 0.05 mm at 0.5 mm pitch between polyester films, 10.5 x 0.2 \
             mm. Mass: computed from copper and polyester. Stiffness: estimate, the whole thickness as \
             polyester film; soft adhesive makes it less, the copper in the middle adds little. No limits: \
             makers differ.",
        note: "Much stiffer across its plane than out of it: it bends about d1 and twists.".to_owned(),
    }
}

fn wire_rope() -> Part {
    let outer = 6.4e-3;
    let strand = Strand { count: 114.0, wire: 0.4e-3 };
    let limits = Limits {
        bend_static: Some(BendLimit::inner(17.0 * outer)),
        bend_dynamic: Some(BendLimit::inner(25.5 * outer)),
        tension: Some(4890.0),
        ..Limits::default()
    };
    Part::round(
        ("wire-rope-6x19", "Steel wire rope 6x19 with fibre core, 6.4 mm", PartKind::Rope),
        disc(outer),
        strand.taken(&STEEL),
        0.16,
        limits,
        "Mass (0.11 lb/ft) and tension (safe load 4.89 kN, a fifth of the breaking strength 24.4 kN): \
         handbook table for 6x19 improved plow steel, 1/4 in. Bend radius at the inner side: sheave ratios \
         D/d of 34 (least) and 51 (suggested) for 6x19 Seale. Stiffness: estimate, 114 wires of 0.4 mm \
         near slipping.",
        format!(
            "Bending stiffness lies between {:.1e} N m² (wires slip) and {:.1e} N m² (one solid); under \
             load the wires grip and it rises.",
            strand.loose(&STEEL).bend,
            strand.bonded(&STEEL).bend
        ),
    )
}

fn climbing_rope() -> Part {
    let limits = Limits { tension: Some(12_000.0), ..Limits::default() };
    Part::round(
        ("climbing-rope", "Dynamic climbing rope 9.8 mm", PartKind::Rope),
        disc(9.8e-3),
        Rigidity { bend: 3e-3, twist: 1.5e-3 },
        0.063,
        limits,
        "Diameter and mass: usual for single ropes to EN 892 (makers give 60 to 85 g/m). Tension: 12 kN, \
         the largest impact force EN 892 allows. No bend limit: a rope is made to be knotted. Stiffness: \
         estimate of its order from the knot test of EN 892 (opening at most 1.1 diameters under 1 kg): a \
         loop of radius R under tension T takes 4 T R², here 0.004 N m² at most. Twist is taken as half of \
         bending.",
        "The stiffness is a guess within a factor of five; new ropes are stiffer than used ones.".to_owned(),
    )
}

fn suture() -> Part {
    let outer = 0.22e-3;
    let limits = Limits { tension: Some(18.9), ..Limits::default() };
    Part::round(
        ("suture-pp-3-0", "Surgical suture, polypropylene USP 3-0", PartKind::Fibre),
        disc(outer),
        solid(disc(outer), &PP_SUTURE),
        disc(outer).area() * PP_SUTURE.density,
        limits,
        "Diameter: USP 3-0, metric 2, 0.20 to 0.249 mm. Tension: 18.9 N, knotted 3-0 polypropylene, \
         Naleway et al., J. Biomed. Mater. Res. B 103 (2015). Mass: computed. Stiffness: computed from the \
         shape and the tensile modulus 4.03 GPa of Nindhia et al. (2021). No bend limit: it is made to be \
         knotted.",
        "A solid thread: good to a quarter, which is what diameters within the size allow. It keeps the \
         curl of its packet."
            .to_owned(),
    )
}

fn fishing_line() -> Part {
    let outer = 0.30e-3;
    let limits = Limits { tension: Some(50.0), ..Limits::default() };
    Part::round(
        ("monofilament-pa6-0.30", "Nylon monofilament 0.30 mm", PartKind::Fibre),
        disc(outer),
        solid(disc(outer), &PA6),
        disc(outer).area() * PA6.density,
        limits,
        "Diameter: usual fishing line. Tension: about 0.7 GPa, the tensile strength of drawn nylon. Mass \
         and stiffness: computed from shape and handbook values for conditioned nylon 6.",
        "Drawn line is stiffer than moulded nylon, up to twice; wet line softer.".to_owned(),
    )
}

fn hair() -> Part {
    let shape = Shape::Ellipse { a: 44e-6, b: 36e-6 };
    let [i1, i2] = shape.second_moments();
    let e = KERATIN.youngs_modulus;
    // Hair is not isotropic: the shear modulus is measured, not E / (2 (1 + ν)).
    let stiffness = Vec3::new(e * i1, e * i2, 0.89e9 * shape.torsion_constant());
    let section =
        Section::assemble(&shape, stiffness, StiffnessSource::Estimate, KERATIN.density * shape.area());
    Part {
        id: "human-hair",
        name: "Human hair, oval, 72 x 88 µm",
        kind: PartKind::Fibre,
        section: Section { limits: Limits { tension: Some(1.0), ..Limits::default() }, ..section },
        outer_diameter: 2.0 * shape.contact_radius(),
        shape,
        source: "Moduli E 3.89 GPa and G 0.89 GPa and density 1320 kg/m³: Robbins, Chemical and Physical \
             Behavior of Human Hair. Size: 80 µm on average, oval. Tension: 200 MPa, the lower end of \
             published strengths. Mass and stiffness: computed from these.",
        note: "Hairs of one head differ by half in diameter, so by five in stiffness. Most hair has a rest \
             curvature."
            .to_owned(),
    }
}
