//! Bundles of wires: diameter, mass, stiffness and its range, from what they are made of.
//!
//! Nobody knows how stiff a bundle is without measuring it. Wires and their strands slip (loose: every strand bends for itself) or stick
//! (bonded: the section stays plane); the truth lies between, by one to two orders of magnitude, and moves with tape, temperature and
//! age. Both bounds are computed and told; the value taken lies between them at `bond` of a logarithmic scale, by default where the
//! library takes its own bundle to be (`library/estimate.rs`, with its reference).

use super::error::{SectionError, not_negative, positive};
use super::library::estimate::{Rigidity, STICK, Strand, disc, solid, tube};
use super::material::{COPPER, PVC_SOFT};
use super::{BendLimit, Limits, Material, Section, Shape, StiffnessSource};
use crate::algebra::Vec3;
use serde::Serialize;

/// How full of wires the circle around a bundle is where nothing says.
pub const FILL: f64 = 0.75;

/// What carries in a wire.
#[derive(Clone, Debug, PartialEq)]
pub enum Core {
    /// Stranded copper of this area, m², in PVC. Strands are those usual for the area.
    Copper(f64),
    /// One solid of a material.
    Solid(Material),
    /// As measured: bending and twisting stiffness, N m². What it would add if bonded is taken as of a solid that bends alike.
    Measured {
        /// K1 = K2.
        bend: f64,
        /// K3.
        twist: f64,
    },
}

/// Equal wires of a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// How many.
    pub count: usize,
    /// Outer diameter, m.
    pub diameter: f64,
    /// What carries.
    pub core: Core,
    /// Mass of one per length, kg/m; computed where it is not known.
    pub mass_per_length: Option<f64>,
    /// Its smallest bend radius, at its centre, m.
    pub bend_radius: Option<f64>,
}

/// Tape wound around a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Tape {
    /// Thickness of all layers together, m.
    pub thickness: f64,
    /// Its material.
    pub material: Material,
    /// Mass per length of bundle, kg/m; computed where it is not known.
    pub mass_per_length: Option<f64>,
}

/// A conduit in which the wires lie loose.
#[derive(Clone, Debug, PartialEq)]
pub struct Conduit {
    /// Outer diameter, m.
    pub outer: f64,
    /// Inner diameter, m.
    pub inner: f64,
    /// Thickness of the wall, m; less than half the difference of the diameters where it is corrugated.
    pub wall: f64,
    /// Slit along its length, so that it hardly resists twist.
    pub slit: bool,
    /// Its material.
    pub material: Material,
    /// Bending and twisting stiffness as measured, N m², instead of what follows from the above.
    pub measured: Option<[f64; 2]>,
    /// Mass per length, kg/m; computed where it is not known.
    pub mass_per_length: Option<f64>,
}

/// Wires with what holds them together.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The wires.
    pub wires: Vec<Wire>,
    /// Tape around them.
    pub tape: Option<Tape>,
    /// A conduit around these.
    pub conduit: Option<Conduit>,
    /// How full of wires the circle around them is.
    pub fill: f64,
    /// Where between loose (0) and bonded (1) the stiffness is taken, on a logarithmic scale.
    pub bond: f64,
    /// Outer diameter as measured, m, instead of that of packed wires.
    pub diameter: Option<f64>,
}

/// What a bundle comes to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BundleFigures {
    /// Number of wires.
    pub wires: usize,
    /// Diameter of the circle around the packed wires, m.
    pub packed: f64,
    /// Outer diameter with tape and conduit, or as measured, m.
    pub diameter: f64,
    /// Mass per length, kg/m.
    pub mass_per_length: f64,
    /// Bending stiffness with every strand for itself, N m².
    pub bend_loose: f64,
    /// Bending stiffness taken, N m².
    pub bend: f64,
    /// Bending stiffness with everything bonded, N m².
    pub bend_bonded: f64,
    /// Twisting stiffness, likewise, N m².
    pub twist_loose: f64,
    /// Twisting stiffness taken, N m².
    pub twist: f64,
    /// Twisting stiffness with everything bonded, N m².
    pub twist_bonded: f64,
}

/// Stiffness of one wire between its bounds, and what it resists stretch with, N.
struct Bounds {
    loose: Rigidity,
    bonded: Rigidity,
    stretch: f64,
}

impl Wire {
    /// The diameter of a strand usual for an area of copper, m (ISO 6722 leaves the make-up to the maker).
    fn strand(area: f64) -> Strand {
        let wire = match area * 1e6 {
            a if a <= 1.0 => 0.20e-3,
            a if a <= 2.5 => 0.26e-3,
            a if a <= 6.0 => 0.30e-3,
            _ => 0.40e-3,
        };
        Strand { count: area / disc(wire).area(), wire }
    }

    fn bounds(&self) -> Bounds {
        match &self.core {
            Core::Copper(area) => {
                let strand = Self::strand(*area);
                // Thin insulation on a thick strand: no more copper than fits.
                let inner = strand.diameter().min(0.98 * self.diameter);
                let cover = tube(self.diameter, inner);
                let own = solid(cover, &PVC_SOFT);
                let stretch = COPPER.youngs_modulus * area + PVC_SOFT.youngs_modulus * cover.area();
                Bounds { loose: strand.loose(&COPPER) + own, bonded: strand.bonded(&COPPER) + own, stretch }
            }
            Core::Solid(material) => {
                let shape = disc(self.diameter);
                let own = solid(shape, material);
                Bounds { loose: own, bonded: own, stretch: material.youngs_modulus * shape.area() }
            }
            Core::Measured { bend, twist } => {
                let own = Rigidity { bend: *bend, twist: *twist };
                // EI = EA r²/4 of a solid disc.
                Bounds { loose: own, bonded: own, stretch: 16.0 * bend / self.diameter.powi(2) }
            }
        }
    }

    fn mass(&self) -> f64 {
        self.mass_per_length.unwrap_or_else(|| match &self.core {
            Core::Copper(area) => {
                let inner = Self::strand(*area).diameter().min(0.98 * self.diameter);
                area * COPPER.density + tube(self.diameter, inner).area() * PVC_SOFT.density
            }
            Core::Solid(material) => material.density * disc(self.diameter).area(),
            // Between copper wire (3000 to 4000 kg/m³ over its outer diameter) nothing is known.
            Core::Measured { .. } => 3000.0 * disc(self.diameter).area(),
        })
    }

    fn validate(&self) -> Result<(), SectionError> {
        const SIZE: &str = "give the outer diameter of one wire";
        positive("the number of wires", self.count as f64, "", "give at least one")?;
        positive("the diameter of a wire", self.diameter, "m", SIZE)?;
        match &self.core {
            Core::Copper(area) => {
                positive("the copper area of a wire", *area, "m²", "give its gauge, such as 0.5 mm²")?;
                let room = disc(self.diameter).area();
                if *area > room {
                    return Err(SectionError::Gauge { area: *area, diameter: self.diameter });
                }
            }
            Core::Solid(material) => material.validate()?,
            Core::Measured { bend, twist } => {
                const REMEDY: &str = "give the stiffness of one wire in N m², 1 mm² of copper has about 1e-3";
                positive("the bending stiffness of a wire", *bend, "N m²", REMEDY)?;
                positive("the twisting stiffness of a wire", *twist, "N m²", REMEDY)?;
            }
        }
        if let Some(mass) = self.mass_per_length {
            not_negative("the mass per length of a wire", mass, "kg/m", "leave it out to have it computed")?;
        }
        if let Some(radius) = self.bend_radius {
            positive("the bend radius of a wire", radius, "m", "leave it out where it is not known")?;
        }
        Ok(())
    }
}

impl Tape {
    fn validate(&self) -> Result<(), SectionError> {
        positive("the thickness of the tape", self.thickness, "m", "give that of all layers, 0.3 mm")?;
        self.material.validate()?;
        let mass = self.mass_per_length.unwrap_or(0.0);
        not_negative("the mass per length of the tape", mass, "kg/m", "leave it out to have it computed")
    }

    fn mass(&self, around: f64) -> f64 {
        let shape = tube(around + 2.0 * self.thickness, around);
        self.mass_per_length.unwrap_or_else(|| self.material.density * shape.area())
    }
}

impl Conduit {
    fn validate(&self) -> Result<(), SectionError> {
        positive("the inner diameter of the conduit", self.inner, "m", "give the bore")?;
        Shape::Tube { outer: 0.5 * self.outer, inner: 0.5 * self.inner }.validate()?;
        positive("the wall of the conduit", self.wall, "m", "give the thickness of its wall")?;
        self.material.validate()?;
        for own in self.measured.iter().flatten() {
            positive("the stiffness of the conduit", *own, "N m²", "give it in N m²")?;
        }
        let mass = self.mass_per_length.unwrap_or(0.0);
        not_negative("the mass per length of the conduit", mass, "kg/m", "leave it out to have it computed")
    }

    /// Half the depth of the waves of its wall, m.
    fn amplitude(&self) -> f64 {
        (0.5 * (0.5 * (self.outer - self.inner) - self.wall)).max(0.0)
    }

    /// A thin tube whose wall is a sine wave of amplitude f stretches by bending its waves: a strip under N has the moment N f sin, so
    /// that its compliance is 1 + 6(1 − ν²)(f/t)² times that of a plain one (as D. Briassoulis, Equivalent orthotropic properties of
    /// corrugated sheets, Comput. Struct. 23, 1986). Shear flows along the waves as in a plain tube; a slit tube twists as an open strip.
    fn rigidity(&self) -> Rigidity {
        if let Some([bend, twist]) = self.measured {
            return Rigidity { bend, twist };
        }
        let (material, f, t) = (&self.material, self.amplitude(), self.wall);
        let middle = 0.25 * (self.outer + self.inner);
        let plain = tube(2.0 * middle + t, (2.0 * middle - t).max(0.0));
        let softer = 1.0 + 6.0 * (1.0 - material.poisson.powi(2)) * (f / t).powi(2);
        let own = solid(plain, material);
        let strip = material.shear_modulus() * std::f64::consts::TAU * middle * t.powi(3) / 3.0;
        Rigidity { bend: own.bend / softer, twist: if self.slit { strip } else { own.twist } }
    }

    fn mass(&self) -> f64 {
        self.mass_per_length.unwrap_or_else(|| {
            let middle = 0.25 * (self.outer + self.inner);
            // The wall is longer by its waves, by about half in the usual ones, 2f deep and 4f apart or so.
            let waves = if self.amplitude() > 0.0 { 1.5 } else { 1.0 };
            self.material.density * std::f64::consts::TAU * middle * self.wall * waves
        })
    }
}

impl Bundle {
    /// Wires alone.
    pub fn of(wires: Vec<Wire>) -> Self {
        Self { wires, tape: None, conduit: None, fill: FILL, bond: STICK, diameter: None }
    }

    /// Diameter of the circle around the packed wires, m: they fill `fill` of it, and the two thickest lie beside each other at least.
    pub fn packed(&self) -> f64 {
        let squares: f64 = self.wires.iter().map(|own| own.count as f64 * own.diameter.powi(2)).sum();
        let mut thickest = [0.0_f64; 2];
        for own in &self.wires {
            for _ in 0..own.count.min(2) {
                if own.diameter > thickest[0] {
                    thickest = [own.diameter, thickest[0]];
                } else {
                    thickest[1] = thickest[1].max(own.diameter);
                }
            }
        }
        match self.count() {
            1 => thickest[0],
            2 => thickest[0] + thickest[1],
            _ => (squares / self.fill).sqrt().max(thickest[0] + thickest[1]),
        }
    }

    fn count(&self) -> usize {
        self.wires.iter().fold(0, |sum, own| sum.saturating_add(own.count))
    }

    fn validate(&self) -> Result<(), SectionError> {
        positive("the number of wires of the bundle", self.count() as f64, "", "give it a wire")?;
        self.wires.iter().try_for_each(Wire::validate)?;
        if let Some(tape) = &self.tape {
            tape.validate()?;
        }
        if let Some(conduit) = &self.conduit {
            conduit.validate()?;
        }
        for (what, value) in
            [("the fill of the bundle", self.fill), ("1 + the bond of the bundle", 1.0 + self.bond)]
        {
            positive(what, value, "", "give a share from 0 to 1")?;
        }
        Ok(())
    }

    /// What it comes to.
    ///
    /// ```
    /// use flexline::section::{Bundle, Core, Wire};
    /// let wire = Wire { count: 20, diameter: 1.6e-3, core: Core::Copper(0.5e-6), mass_per_length: Some(0.006), bend_radius: None };
    /// let figures = Bundle::of(vec![wire]).figures()?;
    /// assert!((figures.mass_per_length - 0.12).abs() < 1e-12);
    /// assert!(figures.bend_loose < figures.bend && figures.bend < figures.bend_bonded);
    /// # Ok::<(), flexline::section::SectionError>(())
    /// ```
    pub fn figures(&self) -> Result<BundleFigures, SectionError> {
        self.validate()?;
        let packed = self.packed();
        // `stuck`: wires as they are taken, bonded to each other.
        let [mut loose, mut taken, mut stuck, mut bonded] = [Rigidity::default(); 4];
        let mut mass = 0.0;
        for own in &self.wires {
            let (count, bounds) = (own.count as f64, own.bounds());
            loose = loose + bounds.loose * count;
            let one = between(bounds.loose, bounds.bonded, self.bond);
            // A disc of evenly spread wires: ∫y² is R²/4 per area, r²/4 of which is within the wires.
            let spread = 0.25 * (0.25 * (packed.powi(2) - own.diameter.powi(2))).max(0.0) * bounds.stretch;
            let ratio = bounds.bonded.twist / bounds.bonded.bend;
            let spread = Rigidity { bend: spread, twist: ratio * spread };
            taken = taken + one * count;
            stuck = stuck + (one + spread) * count;
            bonded = bonded + (bounds.bonded + spread) * count;
            mass += count * own.mass();
        }
        let mut around = packed;
        if let Some(tape) = &self.tape {
            // Its turns slide on each other; bonded it is a tube.
            let own = solid(tube(around + 2.0 * tape.thickness, around), &tape.material);
            (stuck, bonded) = (stuck + own, bonded + own);
            mass += tape.mass(around);
            around += 2.0 * tape.thickness;
        }
        taken = between(taken, stuck, self.bond);
        if let Some(conduit) = &self.conduit {
            let own = conduit.rigidity();
            (loose, taken, bonded) = (loose + own, taken + own, bonded + own);
            mass += conduit.mass();
            around = around.max(conduit.outer);
        }
        Ok(BundleFigures {
            wires: self.count(),
            packed,
            diameter: self.diameter.unwrap_or(around),
            mass_per_length: mass,
            bend_loose: loose.bend,
            bend: taken.bend,
            bend_bonded: bonded.bend,
            twist_loose: loose.twist,
            twist: taken.twist,
            twist_bonded: bonded.twist,
        })
    }

    /// Its section: an estimate, round, with the limits of its wires. The bend radius of the bundle is the least at which its innermost
    /// wire is still within its own, at the centre; its tension 15 N per mm² of copper, a cable maker's rule after HD 516.
    pub fn section(&self) -> Result<Section, SectionError> {
        let figures = self.figures()?;
        let shape = Shape::Disc { radius: 0.5 * figures.diameter };
        let stiffness = Vec3::new(figures.bend, figures.bend, figures.twist);
        let section =
            Section::assemble(&shape, stiffness, StiffnessSource::Estimate, figures.mass_per_length);
        section.validate()?;
        let inward = |own: &Wire| Some(own.bend_radius? + 0.5 * (figures.packed - own.diameter).max(0.0));
        let bend = self.wires.iter().filter_map(inward).reduce(f64::max).map(BendLimit::centre);
        let copper = |own: &Wire| match own.core {
            Core::Copper(area) => Some(own.count as f64 * area),
            _ => None,
        };
        let areas: Option<Vec<f64>> = self.wires.iter().map(copper).collect();
        let tension = areas.map(|areas| 15e6 * areas.iter().sum::<f64>());
        section.with_limits(Limits { bend_static: bend, tension, ..Limits::default() })
    }
}

/// A value between two bounds, on a logarithmic scale.
fn between(loose: Rigidity, bonded: Rigidity, bond: f64) -> Rigidity {
    let mean = |a: f64, b: f64| a.powf(1.0 - bond) * b.powf(bond);
    Rigidity { bend: mean(loose.bend, bonded.bend), twist: mean(loose.twist, bonded.twist) }
}

#[cfg(test)]
mod tests {
    use super::super::find_part;
    use super::*;

    fn copper(count: usize, area: f64, diameter: f64) -> Wire {
        let core = Core::Copper(area * 1e-6);
        Wire { count, diameter: diameter * 1e-3, core, mass_per_length: None, bend_radius: None }
    }

    #[test]
    fn one_wire_is_itself_and_agrees_with_the_library() {
        for (id, area, diameter) in [("wire-0.5", 0.5, 1.6), ("wire-2.5", 2.5, 2.9), ("wire-25", 25.0, 9.8)] {
            let part = find_part(id).unwrap();
            let section = Bundle::of(vec![copper(1, area, diameter)]).section().unwrap();
            assert_eq!(2.0 * section.contact_radius, diameter * 1e-3, "{id}");
            // The library counts whole strands, and sums the cover after the mean; nominal and real areas differ.
            let ratio = section.stiffness.x / part.section.stiffness.x;
            assert!((0.8..1.6).contains(&ratio), "{id}: {ratio}");
            let mass = section.mass_per_length / part.section.mass_per_length;
            assert!((0.9..1.2).contains(&mass), "{id}: {mass}");
        }
    }

    #[test]
    fn the_taped_bundle_of_the_library_comes_out() {
        let part = find_part("bundle-20x0.5").unwrap();
        let wire = Wire { mass_per_length: Some(6e-3), ..copper(20, 0.5, 1.6) };
        let tape = Tape { thickness: 0.3e-3, material: PVC_SOFT, mass_per_length: Some(10e-3) };
        let bundle = Bundle { tape: Some(tape), ..Bundle::of(vec![wire]) };
        let figures = bundle.figures().unwrap();
        assert!((figures.diameter - 8.8e-3).abs() < 0.1e-3, "{figures:?}");
        assert!((figures.mass_per_length - part.section.mass_per_length).abs() < 1e-9);
        let ratio = figures.bend / part.section.stiffness.x;
        assert!((0.9..1.15).contains(&ratio), "{ratio}");
        // As its note says: 0.0064 … 0.8 N m² or so, strands slipping still less.
        assert!(figures.bend_loose < 0.006 && figures.bend_bonded > 4.0, "{figures:?}");
    }

    #[test]
    fn bonded_wires_of_one_material_are_nearly_the_solid_they_fill() {
        // 1000 thin steel wires in a circle ¾ full: EI = fill · E π R⁴/4, to within the one wire.
        let steel = super::super::find_material("steel").unwrap().clone();
        let wire = Wire {
            count: 1000,
            diameter: 0.1e-3,
            core: Core::Solid(steel.clone()),
            mass_per_length: None,
            bend_radius: None,
        };
        let figures = Bundle::of(vec![wire]).figures().unwrap();
        let solid = solid(disc(figures.packed), &steel).bend;
        assert!((figures.bend_bonded / (FILL * solid) - 1.0).abs() < 1e-12, "{figures:?}");
        // Loose, they are a thousand wires.
        let one = std::f64::consts::PI * (0.05e-3_f64).powi(4) / 4.0 * steel.youngs_modulus;
        assert!((figures.bend_loose / (1000.0 * one) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_bond_leads_from_one_bound_to_the_other() {
        let at = |bond: f64| Bundle { bond, ..Bundle::of(vec![copper(7, 1.0, 2.1)]) }.figures().unwrap();
        let (loose, bonded) = (at(0.0), at(1.0));
        assert!((loose.bend / loose.bend_loose - 1.0).abs() < 1e-12);
        assert!((bonded.bend / bonded.bend_bonded - 1.0).abs() < 1e-12);
        assert!(at(0.2).bend < at(0.3).bend);
    }

    #[test]
    fn packing_of_a_few_wires() {
        let packed = |wires: Vec<Wire>| Bundle::of(wires).packed() * 1e3;
        assert!((packed(vec![copper(1, 0.5, 1.6)]) - 1.6).abs() < 1e-12);
        assert!((packed(vec![copper(1, 0.5, 1.6), copper(1, 6.0, 5.0)]) - 6.6).abs() < 1e-12);
        // Seven equal wires lie in a circle of three diameters; ¾ full says 3.06.
        assert!((packed(vec![copper(7, 0.5, 1.0)]) / 3.0 - 1.0).abs() < 0.02);
        // One thick wire and two thin ones lie in the circle around the thick one and a thin one, at least.
        assert!(packed(vec![copper(1, 25.0, 9.8), copper(2, 0.35, 1.3)]) >= 11.1 - 1e-9);
    }

    #[test]
    fn corrugation_softens_bending_but_not_twist() {
        let material = super::super::find_material("pa12").unwrap().clone();
        let conduit = |wall: f64, slit: bool| Conduit {
            outer: 13e-3,
            inner: 10e-3,
            wall,
            slit,
            material: material.clone(),
            measured: None,
            mass_per_length: None,
        };
        let plain = conduit(1.5e-3, false).rigidity();
        assert!((plain.bend / solid(tube(13e-3, 10e-3), &material).bend - 1.0).abs() < 1e-12);
        let waves = conduit(0.3e-3, false).rigidity();
        // f = 0.6 mm, t = 0.3 mm: 1 + 24(1 − ν²).
        let thin = solid(tube(11.8e-3, 11.2e-3), &material);
        let softer = 1.0 + 24.0 * (1.0 - material.poisson.powi(2));
        assert!((waves.bend * softer / thin.bend - 1.0).abs() < 1e-12);
        assert!((waves.twist / thin.twist - 1.0).abs() < 1e-12);
        assert!(conduit(0.3e-3, true).rigidity().twist < 1e-2 * waves.twist);
    }

    #[test]
    fn limits_are_those_of_the_wire_that_is_bent_most() {
        let wire = Wire { bend_radius: Some(4.8e-3), ..copper(20, 0.5, 1.6) };
        let bundle = Bundle::of(vec![wire]);
        let section = bundle.section().unwrap();
        let expected = 4.8e-3 + 0.5 * (bundle.packed() - 1.6e-3);
        assert!((section.limits.bend_static.unwrap().radius - expected).abs() < 1e-15);
        assert!((section.limits.tension.unwrap() - 150.0).abs() < 1e-9);
    }

    #[test]
    fn impossible_bundles_are_refused() {
        for (bundle, word) in [
            (Bundle::of(Vec::new()), "number of wires"),
            (Bundle::of(vec![copper(0, 0.5, 1.6)]), "number of wires"),
            (Bundle::of(vec![copper(1, 0.5, 0.0)]), "diameter of a wire"),
            (Bundle::of(vec![copper(1, 6.0, 1.6)]), "copper"),
            (Bundle::of(vec![copper(1, f64::NAN, 1.6)]), "copper"),
            (Bundle { fill: 0.0, ..Bundle::of(vec![copper(1, 0.5, 1.6)]) }, "fill"),
        ] {
            let error = bundle.figures().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
