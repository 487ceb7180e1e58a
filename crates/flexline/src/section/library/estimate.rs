//! Stiffness of parts that are not one solid: strands that slip, braids, layers.
//!
//! A strand of n wires bends between two bounds (A. Cardou and C. Jolicoeur, Mechanical models of
//! helical strands, Appl. Mech. Rev. 50, 1997): every wire for itself, EI_min = n E I_wire, or all
//! bonded, here as one solid of the same area, EI_max = n² E I_wire. Friction holds the wires
//! together at the smallest curvatures only. A routed cable is bent far beyond, so the tables take
//! a value near the lower bound: EI_min^(3/4) EI_max^(1/4) = n^(5/4) E I_wire. The two bounds stay
//! the honest error bar.

use super::super::{Material, Shape};
use std::iter::Sum;
use std::ops::{Add, Mul};

/// Where between slipping (0) and bonded (1) a strand is taken to be, on a logarithmic scale.
pub(in crate::section) const STICK: f64 = 0.25;

/// Bending and twist stiffness of a round part, N m².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::section) struct Rigidity {
    pub bend: f64,
    pub twist: f64,
}

impl Add for Rigidity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { bend: self.bend + other.bend, twist: self.twist + other.twist }
    }
}

impl Sum for Rigidity {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

impl Mul<f64> for Rigidity {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { bend: self.bend * factor, twist: self.twist * factor }
    }
}

/// E I and G J of a solid; for a shape that is not round, about d1.
pub(in crate::section) fn solid(shape: Shape, material: &Material) -> Rigidity {
    Rigidity {
        bend: material.youngs_modulus * shape.second_moments()[0],
        twist: material.shear_modulus() * shape.torsion_constant(),
    }
}

/// A tube from its diameters, m.
pub(in crate::section) fn tube(outer_diameter: f64, inner_diameter: f64) -> Shape {
    Shape::Tube { outer: 0.5 * outer_diameter, inner: 0.5 * inner_diameter }
}

/// A disc from its diameter, m.
pub(in crate::section) fn disc(diameter: f64) -> Shape {
    Shape::Disc { radius: 0.5 * diameter }
}

/// A strand of `count` equal wires.
#[derive(Clone, Copy, Debug)]
pub(in crate::section) struct Strand {
    pub count: f64,
    /// Diameter of a wire, m.
    pub wire: f64,
}

impl Strand {
    /// Area of metal, m².
    pub fn area(&self) -> f64 {
        self.count * disc(self.wire).area()
    }

    /// Diameter of the circle around it, m, three quarters full.
    pub fn diameter(&self) -> f64 {
        self.wire * (self.count / 0.75).sqrt()
    }

    /// Every wire for itself.
    pub fn loose(&self, material: &Material) -> Rigidity {
        solid(disc(self.wire), material) * self.count
    }

    /// One solid of the same area.
    pub fn bonded(&self, material: &Material) -> Rigidity {
        solid(disc(self.wire * self.count.sqrt()), material)
    }

    /// The value used, between the two.
    pub fn taken(&self, material: &Material) -> Rigidity {
        self.loose(material) * self.count.powf(STICK)
    }
}

/// The value used between parts that slip and the bending stiffness they would have if bonded;
/// twist follows bending.
pub(in crate::section) fn bundled(loose: Rigidity, bonded_bend: f64) -> Rigidity {
    loose * (bonded_bend / loose.bend).powf(STICK)
}

/// A rubber wall with reinforcement: the wall's bending stiffness times an assumed factor, and
/// twice that factor in twist, because yarn or wire at about 55° to the axis resists shear of the
/// wall more than its stretching.
pub(in crate::section) fn reinforced(wall: Rigidity, factor: f64) -> Rigidity {
    Rigidity { bend: wall.bend * factor, twist: wall.twist * 2.0 * factor }
}

#[cfg(test)]
mod tests {
    use super::super::super::material::{COPPER, PVC_SOFT};
    use super::*;

    #[test]
    fn bounds_of_automotive_wires_agree_with_hand_calculation() {
        // 16 x 0.20 mm with 1.6 mm outer diameter, 50 x 0.26 with 2.9, 196 x 0.40 with 9.8:
        // E 120 GPa and 20 MPa, loose and bonded.
        for (count, wire, outer, loose, bonded) in [
            (16.0, 0.20e-3, 1.6e-3, 1.6e-4, 2.4e-3),
            (50.0, 0.26e-3, 2.9e-3, 1.4e-3, 6.7e-2),
            (196.0, 0.40e-3, 9.8e-3, 3.7e-2, 5.8),
        ] {
            let strand = Strand { count, wire };
            let cover = solid(tube(outer, strand.diameter()), &PVC_SOFT);
            let low = (strand.loose(&COPPER) + cover).bend;
            let high = (strand.bonded(&COPPER) + cover).bend;
            assert!((low / loose - 1.0).abs() < 0.06, "{low} instead of {loose}");
            assert!((high / bonded - 1.0).abs() < 0.06, "{high} instead of {bonded}");
            let taken = (strand.taken(&COPPER) + cover).bend;
            assert!(low < taken && taken < (low * high).sqrt(), "{low} {taken} {high}");
        }
    }

    #[test]
    fn taken_value_is_the_weighted_geometric_mean() {
        let strand = Strand { count: 30.0, wire: 0.26e-3 };
        let (loose, bonded) = (strand.loose(&COPPER), strand.bonded(&COPPER));
        let mean = loose.bend.powf(0.75) * bonded.bend.powf(0.25);
        assert!((strand.taken(&COPPER).bend / mean - 1.0).abs() < 1e-12);
        assert!((bundled(loose, bonded.bend).bend / mean - 1.0).abs() < 1e-12);
    }
}
