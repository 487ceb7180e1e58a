//! Why a section, a material or a profile is refused: the place, the value, what was expected, the remedy.

/// Why a section, a material or a profile cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SectionError {
    /// A quantity that must be above zero is not, or is not a number.
    #[error("{what} is {value} {unit}: expected a finite number above 0; {remedy}")]
    NotPositive {
        /// The quantity.
        what: &'static str,
        /// Its value, SI.
        value: f64,
        /// Its unit.
        unit: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A quantity that must not be negative is, or is not a number.
    #[error("{what} is {value} {unit}: expected a finite number, 0 or more; {remedy}")]
    Negative {
        /// The quantity.
        what: &'static str,
        /// Its value, SI.
        value: f64,
        /// Its unit.
        unit: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The bore of a tube does not fit into it.
    #[error(
        "the inner radius of the tube is {inner} m: expected less than its outer radius, {outer} m; \
         swap the two, or use a disc for a solid part"
    )]
    Bore {
        /// Inner radius, m.
        inner: f64,
        /// Outer radius, m.
        outer: f64,
    },
    /// A wire with more copper than it has room for.
    #[error(
        "a wire of {diameter} m has {area} m² of copper: expected less than its own area; \
         the gauge is in mm², the diameter is that of the outside"
    )]
    Gauge {
        /// Area of copper, m².
        area: f64,
        /// Outer diameter, m.
        diameter: f64,
    },
    /// Poisson's ratio is outside what an isotropic material can have.
    #[error(
        "Poisson's ratio is {value}: expected above -1 and at most 0.5; \
         metals have about 0.3, plastics 0.35 to 0.45, rubber 0.49"
    )]
    Poisson {
        /// The ratio.
        value: f64,
    },
    /// A hardness outside the range in which Gent's relation holds.
    #[error(
        "the hardness is {value} Shore A: expected 20 to 90; outside this range give Young's modulus itself"
    )]
    Hardness {
        /// Shore A hardness.
        value: f64,
    },
    /// A profile without zones.
    #[error("the profile has no zones: expected at least one; add a zone from 0 to the length of the rod")]
    NoZones,
    /// A zone that ends before it begins, or at a place that is not a number.
    #[error(
        "zone {zone} runs from {from} m to {to} m: expected finite places and an end beyond the beginning; \
         correct its ends"
    )]
    ZoneSpan {
        /// Number of the zone, from 1.
        zone: usize,
        /// Where it begins, m.
        from: f64,
        /// Where it ends, m.
        to: f64,
    },
    /// The first zone does not begin at zero.
    #[error(
        "zone 1 begins at {from} m: expected 0, the beginning of the rod; move it or add a zone before it"
    )]
    ZoneStart {
        /// Where it begins, m.
        from: f64,
    },
    /// Nothing covers the stretch between two zones.
    #[error(
        "zone {zone} begins at {from} m, but the zone before it ends at {end} m: expected no gap; \
         extend one of them"
    )]
    ZoneGap {
        /// Number of the later zone, from 1.
        zone: usize,
        /// Where it begins, m.
        from: f64,
        /// Where the zone before it ends, m.
        end: f64,
    },
    /// Two zones cover the same stretch, or the zones are not in order.
    #[error(
        "zone {zone} begins at {from} m, but the zone before it ends at {end} m: expected zones in order \
         along the rod, without overlap; sort them or shorten one"
    )]
    ZoneOverlap {
        /// Number of the later zone, from 1.
        zone: usize,
        /// Where it begins, m.
        from: f64,
        /// Where the zone before it ends, m.
        end: f64,
    },
    /// A section of a zone is refused.
    #[error("zone {zone}: {cause}")]
    InZone {
        /// Number of the zone, from 1.
        zone: usize,
        /// Why the section is refused.
        cause: Box<SectionError>,
    },
    /// A rest shape that is no shape.
    #[error("the rest strain at s = {s} m is not a finite number: expected 1/m; correct the rest shape")]
    Rest {
        /// Where, m.
        s: f64,
    },
    /// The profile and the rod differ in length.
    #[error(
        "the zones cover {covered} m, but the rod is {length} m long: expected the same length; \
         change the end of the last zone or the length of the rod"
    )]
    Length {
        /// Where the last zone ends, m.
        covered: f64,
        /// Length of the rod, m.
        length: f64,
    },
}

/// Refuses what is not a finite number above zero.
pub(crate) fn positive(
    what: &'static str,
    value: f64,
    unit: &'static str,
    remedy: &'static str,
) -> Result<(), SectionError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(SectionError::NotPositive { what, value, unit, remedy })
}

/// Refuses what is not a finite number, zero or more.
pub(super) fn not_negative(
    what: &'static str,
    value: f64,
    unit: &'static str,
    remedy: &'static str,
) -> Result<(), SectionError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(SectionError::Negative { what, value, unit, remedy })
}
