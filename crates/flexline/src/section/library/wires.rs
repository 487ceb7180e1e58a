//! Automotive single wires and a bundle of them.

use super::super::material::{COPPER, PVC_SOFT};
use super::super::{BendLimit, Limits};
use super::estimate::{Strand, bundled, disc, solid, tube};
use super::{Part, PartKind};

struct Row {
    id: &'static str,
    name: &'static str,
    /// Nominal area of copper, mm².
    area: f64,
    /// Number of wires in the strand, and the diameter of one, mm.
    strand: (f64, f64),
    /// Outer diameter, mm.
    outer: f64,
    /// Published mass, g/m.
    grams: Option<f64>,
}

const fn row(
    id: &'static str,
    name: &'static str,
    area: f64,
    strand: (f64, f64),
    outer: f64,
    grams: Option<f64>,
) -> Row {
    Row { id, name, area, strand, outer, grams }
}

/// Outer diameter and mass: published harness samples in KBL (VDA 4964). Strands: usual make-up.
const ROWS: [Row; 10] = [
    row("wire-0.35", "Automotive wire 0.35 mm²", 0.35, (12.0, 0.20), 1.3, None),
    row("wire-0.5", "Automotive wire 0.5 mm²", 0.5, (16.0, 0.20), 1.6, Some(6.0)),
    row("wire-0.75", "Automotive wire 0.75 mm²", 0.75, (24.0, 0.20), 1.9, Some(9.0)),
    row("wire-1.0", "Automotive wire 1.0 mm²", 1.0, (32.0, 0.20), 2.1, Some(11.0)),
    row("wire-1.5", "Automotive wire 1.5 mm²", 1.5, (30.0, 0.26), 2.3, Some(16.0)),
    row("wire-2.5", "Automotive wire 2.5 mm²", 2.5, (50.0, 0.26), 2.9, Some(26.0)),
    row("wire-4", "Automotive wire 4 mm²", 4.0, (56.0, 0.30), 3.7, Some(40.0)),
    row("wire-6", "Automotive wire 6 mm²", 6.0, (84.0, 0.30), 4.3, Some(61.0)),
    row("wire-16", "Automotive wire 16 mm²", 16.0, (126.0, 0.40), 7.0, None),
    row("wire-25", "Automotive wire 25 mm²", 25.0, (196.0, 0.40), 9.8, Some(266.0)),
];

const PUBLISHED: &str = "Outer diameter, bend radius (3 times the outer diameter, fixed) and mass: harness \
     samples of a vehicle maker in KBL (VDA 4964). Bent repeatedly: 5 times the outer diameter, IEC 62440 \
     for flexible cables in free movement. Tension: 15 N per mm² of copper, a cable maker's rule after HD \
     516. Stiffness: estimate from the strands.";

const COMPUTED: &str = "Outer diameter and bend radius (3 times the outer diameter, fixed): harness \
     samples of a vehicle maker in KBL (VDA 4964). Mass: computed from copper and PVC. Bent repeatedly: 5 \
     times the outer diameter, IEC 62440 for flexible cables in free movement. Tension: 15 N per mm² of \
     copper, a cable maker's rule after HD 516. Stiffness: estimate from the strands.";

/// Mass of copper and insulation, kg/m.
fn mass_of_make_up(strand: &Strand, outer: f64) -> f64 {
    strand.area() * COPPER.density + tube(outer, strand.diameter()).area() * PVC_SOFT.density
}

fn wire(row: &Row) -> Part {
    let (outer, strand) = (row.outer * 1e-3, Strand { count: row.strand.0, wire: row.strand.1 * 1e-3 });
    let cover = solid(tube(outer, strand.diameter()), &PVC_SOFT);
    let limits = Limits {
        bend_static: Some(BendLimit::centre(3.0 * outer)),
        bend_dynamic: Some(BendLimit::centre(5.0 * outer)),
        tension: Some(15.0 * row.area),
        ..Limits::default()
    };
    let note = format!(
        "{} wires of {} mm copper in PVC. Bending stiffness lies between {:.1e} N m² (strands slip) and \
         {:.1e} N m² (strands bonded); the value taken is nearer the first. Measure it if it matters.",
        row.strand.0,
        row.strand.1,
        (strand.loose(&COPPER) + cover).bend,
        (strand.bonded(&COPPER) + cover).bend,
    );
    Part::round(
        (row.id, row.name, PartKind::Wire),
        disc(outer),
        strand.taken(&COPPER) + cover,
        row.grams.map_or_else(|| mass_of_make_up(&strand, outer), |g| g * 1e-3),
        limits,
        if row.grams.is_some() { PUBLISHED } else { COMPUTED },
        note,
    )
}

/// Twenty wires of 0.5 mm², wound with PVC tape.
fn taped_bundle() -> Part {
    let strand = Strand { count: 16.0, wire: 0.20e-3 };
    let one = strand.taken(&COPPER) + solid(tube(1.6e-3, strand.diameter()), &PVC_SOFT);
    let (count, outer) = (20.0, 8.8e-3);
    // Bonded, each wire stretches: Σ EA y² with the copper spread evenly over a disc of 4.1 mm.
    let core = 4.1e-3_f64;
    let bonded = count * COPPER.youngs_modulus * strand.area() * core * core / 4.0;
    let loose = one * count;
    let limits = Limits {
        bend_static: Some(BendLimit::centre(6.0 * outer)),
        bend_dynamic: Some(BendLimit::centre(10.0 * outer)),
        tension: Some(count * 15.0 * 0.5),
        ..Limits::default()
    };
    Part::round(
        ("bundle-20x0.5", "Taped bundle, 20 wires of 0.5 mm²", PartKind::Bundle),
        disc(outer),
        bundled(loose, bonded),
        0.13,
        limits,
        "Outer diameter: packing of 20 wires of 1.6 mm and two layers of tape. Mass: 20 published wire \
         masses of 6 g/m and 10 g/m of tape. Bend radius: general practice, 6 times the outer diameter \
         fixed, 10 times moving. Tension: 15 N per mm² of copper, a cable maker's rule after HD 516. \
         Stiffness: estimate.",
        format!(
            "Bending stiffness lies between {:.1e} N m² (wires slip) and {bonded:.1e} N m² (wires bonded); \
             how tightly it is taped decides. Measure it if it matters.",
            loose.bend
        ),
    )
}

pub(super) fn parts() -> Vec<Part> {
    ROWS.iter().map(wire).chain([taped_bundle()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_masses_agree_with_the_make_up() {
        let mut published = 0;
        for row in &ROWS {
            let strand = Strand { count: row.strand.0, wire: row.strand.1 * 1e-3 };
            if let Some(grams) = row.grams {
                let ratio = 1e3 * mass_of_make_up(&strand, row.outer * 1e-3) / grams;
                assert!((0.9..1.1).contains(&ratio), "{}: {ratio}", row.id);
                published += 1;
            }
        }
        assert_eq!(published, 8);
    }

    #[test]
    fn strands_have_the_nominal_area() {
        for row in &ROWS {
            let strand = Strand { count: row.strand.0, wire: row.strand.1 * 1e-3 };
            let ratio = strand.area() * 1e6 / row.area;
            assert!((0.95..1.10).contains(&ratio), "{}: {ratio}", row.id);
            assert!(strand.diameter() * 1e3 < row.outer, "{}", row.id);
        }
    }
}
