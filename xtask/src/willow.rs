//! `cargo xtask willow`: writes `scenes/willow.toml`, a weeping willow of 242 helix elements.
//!
//! A trunk of 10 elements carries eight boughs of 4, and every bough five twigs of 5 that hang under their
//! weight. All rods are straight and round by nature, so that only directions matter. Stiffness falls from
//! trunk to twig; a twig grows thinner towards its tip.

use std::f64::consts::TAU;
use std::fmt::Write;

/// Rods of one kind.
struct Limb {
    length: &'static str,
    elements: usize,
    measured: &'static str,
    /// The section at the tip, where it is another.
    tip: Option<&'static str>,
}

const TRUNK: Limb = Limb {
    length: "2 m",
    elements: 10,
    measured: r#"{ bend = "8000 N m^2", twist = "6000 N m^2", mass_per_length = "6 kg/m", diameter = "100 mm" }"#,
    tip: None,
};
const BOUGH: Limb = Limb {
    length: "1 m",
    elements: 4,
    measured: r#"{ bend = "30 N m^2", twist = "24 N m^2", mass_per_length = "400 g/m", diameter = "24 mm" }"#,
    tip: None,
};
const TWIG: Limb = Limb {
    length: "1.2 m",
    elements: 5,
    measured: r#"{ bend = "0.025 N m^2", twist = "0.02 N m^2", mass_per_length = "25 g/m", diameter = "4 mm" }"#,
    tip: Some(
        r#"{ bend = "0.006 N m^2", twist = "0.005 N m^2", mass_per_length = "20 g/m", diameter = "3 mm" }"#,
    ),
};
const BOUGHS: usize = 8;
const TWIGS: usize = 5;

impl Limb {
    fn write(&self, out: &mut String, name: &str, [from, to]: [&str; 2], tangent: Option<[f64; 3]>) {
        let Self { length, elements, measured, tip } = self;
        let _ = write!(
            out,
            "\n[[cable]]\nname = \"{name}\"\nmodel = \"helix\"\nelements = {elements}\nlength = \"{length}\"\n\
             measured = {measured}\nfrom = \"{from}\"\n"
        );
        if let Some([x, y, z]) = tangent {
            let _ = writeln!(out, "from_tangent = [{x:.3}, {y:.3}, {z:.3}]");
        }
        let _ = writeln!(out, "to = \"{to}\"");
        if let Some(tip) = tip {
            let _ = write!(
                out,
                "\n[[cable.zone]]\nfrom = \"50 %\"\nto = \"100 %\"\nmeasured = {tip}\ntaper = \"300 mm\"\n"
            );
        }
    }
}

/// A direction at an angle to the z axis, rad, `share` of a turn round it.
fn aside(angle: f64, share: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    // No negative zeros in the file.
    [sin * (TAU * share).cos(), sin * (TAU * share).sin(), cos].map(|v| (1e3 * v).round() / 1e3 + 0.0)
}

/// The scene.
pub fn scene() -> String {
    let mut out = String::from(
        "# A weeping willow: a trunk, eight boughs, forty twigs that hang; 242 helix elements in all.\n\
         #\n\
         # Written by `cargo xtask willow`. In wind: flexline simulate scenes/willow.toml --wind 3,0,0 --gust 2,0.5 --step 0.0333\n\
         \n\
         version = 1\ntitle = \"Weeping willow\"\n\n\
         [[port]]\nname = \"ground\"\nposition = [0, 0, 0]\ntangent = [0, 0, 1]\n\n\
         [[junction]]\nname = \"crown\"\nposition = [0, 0, 2]\n",
    );
    for k in 1..=BOUGHS {
        let _ = write!(out, "\n[[junction]]\nname = \"fork {k}\"\n");
        let [x, y, z] = bough(k);
        let _ = writeln!(out, "position = [{x:.3}, {y:.3}, {:.3}]", 2.0 + z);
    }
    TRUNK.write(&mut out, "trunk", ["ground", "crown"], None);
    for k in 1..=BOUGHS {
        BOUGH.write(&mut out, &format!("bough {k}"), ["crown", &format!("fork {k}")], Some(bough(k)));
    }
    for k in 1..=BOUGHS {
        for j in 0..TWIGS {
            // One straight on, the others round it.
            let tangent = aside(if j == 0 { 0.0 } else { 0.9 }, 0.25 * j as f64 + 0.125);
            let name = format!("twig {k}-{}", j + 1);
            TWIG.write(&mut out, &name, [&format!("fork {k}"), "free"], Some(tangent));
        }
    }
    out
}

/// Where bough `k` goes, in the axes of the crown: every other one steeper.
fn bough(k: usize) -> [f64; 3] {
    aside(if k.is_multiple_of(2) { 0.55 } else { 1.0 }, k as f64 / BOUGHS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_242_elements_and_is_the_scene_in_the_repository() {
        let text = scene();
        let count: usize =
            text.lines().filter_map(|l| l.strip_prefix("elements = ")?.parse::<usize>().ok()).sum();
        assert_eq!(count, 242);
        let kept = std::fs::read_to_string(crate::repository_root().join("scenes/willow.toml"));
        assert_eq!(kept.expect("the scene"), text, "run `cargo xtask willow`");
    }
}
