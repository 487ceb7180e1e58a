use super::super::{Material, Shape};
use super::*;
use proptest::prelude::*;

fn measured(k: f64, mass: f64, radius: f64) -> Section {
    Section::measured(k, 1.5 * k, 0.7 * k, mass, radius).unwrap()
}

fn three_zones() -> SectionProfile {
    let (a, b, c) = (measured(0.01, 0.10, 0.004), measured(0.4, 0.25, 0.009), measured(0.002, 0.03, 0.002));
    SectionProfile::new(vec![
        Zone::constant(0.0, 0.25, a),
        Zone::linear(0.25, 0.60, a, b),
        Zone::scaled(0.60, 1.0, b, c),
    ])
    .unwrap()
}

/// Mean compliance, mass and largest radius of [a, b] by the midpoint rule on `at`.
fn by_quadrature(profile: &SectionProfile, a: f64, b: f64) -> Cell {
    let steps = 40_000;
    let mut compliance = Vec3::zeros();
    let (mut mass, mut radius) = (0.0, 0.0_f64);
    for k in 0..steps {
        let section = profile.at(a + (b - a) * (f64::from(k) + 0.5) / f64::from(steps));
        compliance += section.stiffness.map(|k| 1.0 / k) / f64::from(steps);
        mass += section.mass_per_length * (b - a) / f64::from(steps);
        radius = radius.max(section.contact_radius);
    }
    Cell { stiffness: compliance.map(|c| 1.0 / c), mass, contact_radius: radius }
}

fn assert_same(cell: &Cell, expected: &Cell, tolerance: f64) {
    for k in 0..3 {
        let error = (cell.stiffness[k] / expected.stiffness[k] - 1.0).abs();
        assert!(error < tolerance, "K{}: {cell:?} instead of {expected:?}", k + 1);
    }
    assert!((cell.mass / expected.mass - 1.0).abs() < tolerance, "{cell:?} instead of {expected:?}");
    let error = (cell.contact_radius / expected.contact_radius - 1.0).abs();
    assert!(error < tolerance.max(1e-4), "{cell:?} instead of {expected:?}");
}

#[test]
fn averages_agree_with_quadrature() {
    let profile = three_zones();
    // Within each zone, across one break, across both, and the whole rod. The midpoint rule errs
    // by a step at a jump of slope, and by its square elsewhere.
    for (a, b) in [(0.1, 0.2), (0.25, 0.6), (0.3, 0.31), (0.7, 0.95), (0.2, 0.3), (0.1, 0.9), (0.0, 1.0)] {
        assert_same(&profile.cell(a, b), &by_quadrature(&profile, a, b), 1e-6);
    }
}

#[test]
fn abrupt_change_is_springs_in_series() {
    let (soft, stiff) = (measured(0.001, 0.1, 0.004), measured(100.0, 0.3, 0.006));
    let profile =
        SectionProfile::new(vec![Zone::constant(0.0, 0.5, soft), Zone::constant(0.5, 1.0, stiff)]).unwrap();
    let cell = profile.cell(0.48, 0.52);
    // The stiff half adds nothing to the bending of the cell: twice the soft stiffness, not the mean, 50.
    assert!((cell.stiffness.x / 0.002 - 1.0).abs() < 2e-5, "{cell:?}");
    assert!((cell.mass - 0.02 * 0.4).abs() < 1e-15);
    assert_eq!(cell.contact_radius, 0.006);
}

#[test]
fn at_a_jump_the_right_hand_side_counts() {
    let limit = |n| Limits { tension: Some(n), ..Limits::default() };
    let left = measured(0.01, 0.1, 0.004).with_limits(limit(10.0)).unwrap();
    let right = measured(0.02, 0.2, 0.005).with_limits(limit(20.0)).unwrap();
    let profile =
        SectionProfile::new(vec![Zone::constant(0.0, 0.5, left), Zone::constant(0.5, 1.0, right)]).unwrap();
    assert_eq!(profile.at(0.5f64.next_down()), left);
    assert_eq!(profile.at(0.5), right);
    assert_eq!(profile.at(1.0), right);
    assert_eq!((profile.at(-1.0), profile.at(7.0)), (left, right));
    assert_eq!(profile.breaks(), [0.5]);
    assert_eq!(profile.length(), Some(1.0));
}

#[test]
fn scaled_zone_is_a_cone() {
    let material = Material::new("m", 2e9, 0.35, 1200.0, "test").unwrap();
    let disc = |radius| Section::from_shape(&Shape::Disc { radius }, &material).unwrap();
    let (thick, thin) = (0.006, 0.0015);
    let profile = SectionProfile::new(vec![Zone::scaled(0.0, 0.8, disc(thick), disc(thin))]).unwrap();
    for s in [0.0, 0.1, 0.37, 0.8] {
        let (here, exact) = (profile.at(s), disc(thick + (thin - thick) * s / 0.8));
        assert!((here.stiffness - exact.stiffness).norm() < 1e-13 * exact.stiffness.norm(), "{s}");
        assert!((here.rotary_inertia - exact.rotary_inertia).norm() < 1e-13 * exact.rotary_inertia.norm());
        assert!((here.mass_per_length / exact.mass_per_length - 1.0).abs() < 1e-13);
        assert!((here.contact_radius / exact.contact_radius - 1.0).abs() < 1e-13);
    }
    // A frustum: ρ π h (R² + Rr + r²) / 3.
    let mass = 1200.0 * std::f64::consts::PI * 0.8 * (thick * thick + thick * thin + thin * thin) / 3.0;
    assert!((profile.cell(0.0, 0.8).mass / mass - 1.0).abs() < 1e-13);
    assert!(profile.is_estimate());
}

#[test]
fn linear_taper_changes_everything_linearly() {
    let bend = |l| Limits { bend_static: Some(l), ..Limits::default() };
    let a = measured(0.01, 0.10, 0.004).with_limits(bend(BendLimit::centre(0.04))).unwrap();
    let b = measured(0.03, 0.30, 0.008).with_limits(bend(BendLimit::inner(0.06))).unwrap();
    let middle = SectionProfile::new(vec![Zone::linear(0.0, 2.0, a, b)]).unwrap().at(1.0);
    assert!((middle.stiffness - (a.stiffness + b.stiffness) / 2.0).norm() < 1e-15);
    assert!((middle.mass_per_length - 0.2).abs() < 1e-15);
    assert!((middle.contact_radius - 0.006).abs() < 1e-15);
    // 40 mm and 60 + 8 mm at the centre.
    let limit = middle.limits.bend_static.unwrap();
    assert_eq!(limit.reference, super::super::RadiusReference::Centre);
    assert!((limit.radius - 0.054).abs() < 1e-15);
    let bare = Section { limits: Limits::default(), ..a };
    let held = SectionProfile::new(vec![Zone::linear(0.0, 2.0, bare, b)]).unwrap().at(0.1);
    assert_eq!(held.limits, b.limits);
}

#[test]
fn uniform_profile_fits_every_rod() {
    let section = measured(0.01, 0.1, 0.004);
    let profile = SectionProfile::uniform(section);
    assert_eq!(profile.at(123.0), section);
    let cell = profile.cell(2.0, 2.5);
    assert!((cell.stiffness - section.stiffness).norm() < 1e-15);
    assert!((cell.mass - 0.05).abs() < 1e-15);
    assert_eq!(cell.contact_radius, 0.004);
    assert!(profile.breaks().is_empty() && !profile.is_estimate());
    assert!(profile.check_length(3.0).is_ok());
    let empty = profile.cell(1.0, 1.0);
    assert_eq!((empty.stiffness, empty.mass), (section.stiffness, 0.0));
}

#[test]
fn beyond_the_rod_the_end_sections_go_on() {
    let profile = three_zones();
    let (first, last) = (profile.at(0.0), profile.at(1.0));
    assert_same(&profile.cell(-0.2, -0.1), &SectionProfile::uniform(first).cell(-0.2, -0.1), 1e-14);
    assert_same(&profile.cell(1.1, 1.4), &SectionProfile::uniform(last).cell(1.1, 1.4), 1e-14);
    assert_same(&profile.cell(0.9, 1.1), &by_quadrature(&profile, 0.9, 1.1), 1e-6);
}

#[test]
fn one_estimate_makes_the_profile_an_estimate() {
    let sure = measured(0.01, 0.1, 0.004);
    let guess = Section { source: StiffnessSource::Estimate, ..sure };
    let of = |x, y| SectionProfile::new(vec![Zone::constant(0.0, 0.5, sure), Zone::linear(0.5, 1.0, x, y)]);
    assert!(!of(sure, sure).unwrap().is_estimate());
    let mixed = of(sure, guess).unwrap();
    assert!(mixed.is_estimate());
    assert_eq!(mixed.at(0.7).source, StiffnessSource::Estimate);
    assert_eq!(mixed.at(0.2).source, StiffnessSource::Measured);
}

#[test]
fn bad_zones_are_refused_by_number() {
    let ok = measured(0.01, 0.1, 0.004);
    let zone = |from, to| Zone::constant(from, to, ok);
    let refused = |zones: Vec<Zone>| SectionProfile::new(zones).unwrap_err();
    assert_eq!(refused(vec![]), SectionError::NoZones);
    assert_eq!(refused(vec![zone(0.1, 1.0)]), SectionError::ZoneStart { from: 0.1 });
    assert_eq!(
        refused(vec![zone(0.0, 0.4), zone(0.5, 1.0)]),
        SectionError::ZoneGap { zone: 2, from: 0.5, end: 0.4 }
    );
    assert_eq!(
        refused(vec![zone(0.0, 0.4), zone(0.3, 1.0)]),
        SectionError::ZoneOverlap { zone: 2, from: 0.3, end: 0.4 }
    );
    // Out of order.
    assert_eq!(
        refused(vec![zone(0.0, 0.2), zone(0.2, 0.5), zone(0.0, 1.0)]),
        SectionError::ZoneOverlap { zone: 3, from: 0.0, end: 0.5 }
    );
    for (from, to) in [(0.0, 0.0), (0.0, -1.0), (0.0, f64::NAN), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(
            matches!(refused(vec![zone(from, to)]), SectionError::ZoneSpan { zone: 1, .. }),
            "{from} {to}"
        );
    }
    let bad = Section { stiffness: Vec3::new(0.01, f64::NAN, 0.01), ..ok };
    let message = refused(vec![zone(0.0, 0.4), Zone::linear(0.4, 1.0, ok, bad)]).to_string();
    assert!(message.starts_with("zone 2: the bending stiffness K2 is NaN"), "{message}");
    let message = refused(vec![zone(0.0, 0.4), zone(0.5, 1.0)]).to_string();
    for part in ["zone 2", "0.5 m", "0.4 m", "no gap", "extend"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn rounding_of_converted_lengths_is_no_gap() {
    let ok = measured(0.01, 0.1, 0.004);
    let zones = vec![Zone::constant(0.0, 0.1 + 0.2, ok), Zone::constant(0.3, 0.7, ok)];
    let profile = SectionProfile::new(zones).unwrap();
    assert!((profile.cell(0.0, 0.7).mass / 0.07 - 1.0).abs() < 1e-12);
    assert!(profile.check_length(0.7 * (1.0 + 1e-12)).is_ok());
    for bad in [0.69, 0.8, f64::NAN] {
        let error = profile.check_length(bad).unwrap_err();
        assert!(matches!(error, SectionError::Length { covered: 0.7, .. }), "{error}");
    }
}

proptest! {
    #[test]
    fn cells_add_up(cut in 0.01..0.99f64) {
        let profile = three_zones();
        let (left, right, whole) = (profile.cell(0.0, cut), profile.cell(cut, 1.0), profile.cell(0.0, 1.0));
        prop_assert!(((left.mass + right.mass) / whole.mass - 1.0).abs() < 1e-12);
        for k in 0..3 {
            let series = cut / left.stiffness[k] + (1.0 - cut) / right.stiffness[k];
            prop_assert!((series * whole.stiffness[k] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn nearly_constant_tapers_lose_no_digits(k in 1e-9..1e6f64, change in -1e-9..1e-9f64) {
        let section = |k| Section::measured(k, k, k, 0.1, 0.004).unwrap();
        for zone in [
            Zone::linear(0.0, 1.0, section(k), section(k * (1.0 + change))),
            Zone::scaled(0.0, 1.0, section(k), section(k * (1.0 + change))),
        ] {
            let mean = SectionProfile::new(vec![zone]).unwrap().cell(0.0, 1.0).stiffness.x;
            prop_assert!((mean / (k * (1.0 + 0.5 * change)) - 1.0).abs() < 1e-14, "{mean} {k}");
        }
    }

    #[test]
    fn mean_stiffness_lies_between_its_ends(a in 1e-6..1e3f64, b in 1e-6..1e3f64) {
        let section = |k| Section::measured(k, k, k, 0.1, 0.004).unwrap();
        for zone in [
            Zone::linear(0.0, 1.0, section(a), section(b)),
            Zone::scaled(0.0, 1.0, section(a), section(b)),
        ] {
            let k = SectionProfile::new(vec![zone]).unwrap().cell(0.0, 1.0).stiffness.x;
            prop_assert!(k >= a.min(b) * (1.0 - 1e-12) && k <= a.max(b) * (1.0 + 1e-12));
        }
    }
}
