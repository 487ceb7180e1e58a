use super::*;
use crate::algebra::collocation::POINTS;
use crate::rod::testing;
use crate::section::{Section, Zone};

fn profile() -> SectionProfile {
    SectionProfile::uniform(Section::measured(0.02, 0.03, 0.016, 0.15, 0.004).expect("sound section"))
}

fn rods() -> Vec<CurvatureRod> {
    let helical = |_: f64| Vec3::new(1.0, -2.0, 3.0);
    let clothoid = |s: f64| Vec3::new(1.0 - 3.0 * s, 2.0 + s, 4.0 * s);
    let stiff = Section::measured(0.2, 0.2, 0.1, 0.3, 0.006).expect("sound section");
    let soft = profile().at(0.0);
    let sleeve =
        [Zone::constant(0.0, 0.3, soft), Zone::constant(0.3, 0.45, stiff), Zone::constant(0.45, 0.7, soft)];
    let sleeve = SectionProfile::new(sleeve.to_vec()).expect("sound profile");
    vec![
        CurvatureRod::new(Basis::Clothoid, 0.7, 5, &sleeve, &clothoid).expect("sound rod"),
        CurvatureRod::new(Basis::Helix, 0.7, 5, &profile(), &helical).expect("sound rod"),
        CurvatureRod::new(Basis::Clothoid, 0.7, 4, &profile(), &clothoid).expect("sound rod"),
    ]
}

#[test]
fn every_model_passes_the_shared_suite() {
    for rod in rods() {
        let start =
            Station { position: Vec3::new(0.3, -0.2, 0.5), frame: rotation::exp(&Vec3::new(0.3, 1.0, -0.4)) };
        let mut state = rod.rest_state(&start);
        testing::run(&rod, &state);
        let far: Vec<f64> = testing::direction(&rod, 3).iter().map(|d| 4.0 * d).collect();
        rod.displace(&mut state, &far);
        testing::run(&rod, &state);
    }
}

#[test]
fn walking_agrees_with_the_exact_curves() {
    let mut fewest = POINTS;
    for rod in rods() {
        let start = Station { position: Vec3::zeros(), frame: rotation::exp(&Vec3::new(0.3, 1.0, -0.4)) };
        let mut state = rod.rest_state(&start);
        let far: Vec<f64> = testing::direction(&rod, 5).iter().map(|d| 9.0 * d).collect();
        rod.displace(&mut state, &far);
        let mut pieces = Vec::new();
        rod.pieces_for(&|e| rod.ends(&state.coordinates, e), &mut pieces);
        let mut begin = 0.0;
        let mut last = Vec3::zeros();
        rod.walk(&state.coordinates, &pieces, |p, shape| {
            if p > 0 && pieces[p].element != pieces[p - 1].element {
                begin += rod.shares[pieces[p - 1].element];
            }
            // Between the ends of a piece a polynomial stands for the tangents, which turn by 2h: what it misses of a
            // frequency h is h^n ω/n!, where the polynomial ω of the nodes is at most n!²2^n/(2n)!. The slope adds to it.
            let (n, h) = (pieces[p].nodes, 0.5 * turning(&rod, &state, &pieces[p]));
            let over = |m: usize| (1..=m).map(|i| i as f64).product::<f64>();
            let missed = over(n) * (2.0 * h).powi(n as i32) / over(2 * n) * 2.0 * shape.half * rod.length();
            let allowed = if n == POINTS { 1e-9 } else { 1e-14 + 8.0 * missed };
            for k in 0..n {
                let share = pieces[p].share(pieces[p].rule().nodes[k]);
                let sigma = begin + rod.shares[pieces[p].element] * share;
                let exact = rod.station(&state, sigma * rod.length());
                let off = (exact.position - shape.position(k)).norm();
                assert!(off < allowed, "{n} nodes, turning {h}: {off:e} {missed:e}");
                fewest = fewest.min(n);
                assert!(rotation::angle_between(&exact.frame, &shape.frames[k]) < 1e-13);
            }
            last = shape.end.0;
        });
        assert!((rod.station(&state, rod.length()).position - last).norm() < 1e-14);
    }
    assert!(fewest < POINTS, "no piece with few nodes was tried");
}

/// By how much a piece turns at most, rad.
fn turning(rod: &CurvatureRod, state: &RodState, piece: &walk::Piece) -> f64 {
    let [a, b] = rod.ends(&state.coordinates, piece.element);
    rod.shares[piece.element] * a.norm().max(b.norm()) * (piece.to - piece.from)
}

/// A rest shape is found again from its own stations, many turns included.
#[test]
fn a_shape_is_fitted() {
    let twisted = |_: f64| Vec3::new(0.5, 1.0, 60.0);
    for basis in [Basis::Helix, Basis::Clothoid] {
        let rod = CurvatureRod::new(basis, 0.7, 6, &profile(), &twisted).expect("sound rod");
        let start = Station { position: Vec3::zeros(), frame: rotation::identity() };
        let state = rod.rest_state(&start);
        let again = rod.state_from(&|s| rod.station(&state, s));
        for (a, b) in state.coordinates.iter().zip(&again.coordinates) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        assert!((rod.twist_turns(&again) - 60.0 * 0.7 / (2.0 * std::f64::consts::PI)).abs() < 1e-9);
    }
}

#[test]
fn bad_rods_are_refused() {
    let straight = |_: f64| Vec3::zeros();
    let make = |length: f64, n: usize| CurvatureRod::new(Basis::Clothoid, length, n, &profile(), &straight);
    assert_eq!(make(1.0, 0).err(), Some(CurvatureError::Elements(0)));
    assert_eq!(make(1.0, 1).err(), Some(CurvatureError::Elements(1)));
    assert_eq!(make(0.0, 4).err(), Some(CurvatureError::Length(0.0)));
    let equal = CurvatureRod::with_elements(Basis::Helix, &[0.0, 0.4, 0.4, 1.0], &profile(), &straight);
    assert_eq!(equal.err(), Some(CurvatureError::Order(2)));
    let wild = CurvatureRod::new(Basis::Helix, 1.0, 4, &profile(), &|_| Vec3::new(f64::NAN, 0.0, 0.0));
    assert!(matches!(wild, Err(CurvatureError::Rest { .. })));
    let infinite =
        CurvatureRod::new(Basis::Helix, 1.0, 4, &profile(), &|_| Vec3::new(0.0, f64::INFINITY, 0.0));
    assert!(matches!(infinite, Err(CurvatureError::Rest { .. })));
}

/// A jump of the section lies between two elements.
#[test]
fn elements_end_where_the_section_jumps() {
    use crate::section::Zone;
    let soft = Section::measured(0.01, 0.01, 0.008, 0.1, 0.004).expect("sound section");
    let stiff = Section::measured(0.05, 0.05, 0.04, 0.2, 0.006).expect("sound section");
    let zones = SectionProfile::new(vec![Zone::constant(0.0, 0.2, soft), Zone::constant(0.2, 1.0, stiff)])
        .expect("sound zones");
    let rod = CurvatureRod::new(Basis::Clothoid, 1.0, 6, &zones, &|_| Vec3::zeros()).expect("sound rod");
    assert!((rod.shares[0] - 0.2).abs() < 1e-15 && rod.elements() == 6);
    assert!((rod.total_mass() - 0.18).abs() < 1e-14);
}

/// Curvature used to be one value where the section jumps: an abrupt zone left the clothoid with order one.
#[test]
fn a_clothoid_has_two_curvatures_where_its_section_jumps() {
    let sleeve = &rods()[0];
    assert_eq!((sleeve.elements(), sleeve.curvatures()), (5, 8));
    assert_eq!(sleeve.begins, [true, false, true, true, false]);
    assert_eq!(sleeve.first, [0, 1, 3, 5, 6]);
    assert_eq!(sleeve.owner, [0, 1, 1, 2, 2, 3, 4, 4]);
    let start = Station { position: Vec3::zeros(), frame: rotation::identity() };
    let mut state = sleeve.rest_state(&start);
    let mut step = vec![0.0; sleeve.tangent_count()];
    step[6 + 3 * 2] = 1.0;
    sleeve.displace(&mut state, &step);
    let jump = sleeve.strain(&state, 0.3 - 1e-9) - sleeve.strain(&state, 0.3 + 1e-9);
    assert!((jump.x - 1.0 / 0.7).abs() < 1e-6, "{jump}");
    // Where a taper ends the stiffness does not jump.
    let (a, b) = (profile().at(0.0), Section::measured(0.2, 0.2, 0.1, 0.3, 0.006).expect("sound section"));
    let taper = [Zone::constant(0.0, 0.3, a), Zone::linear(0.3, 0.7, a, b)];
    let taper = SectionProfile::new(taper.to_vec()).expect("sound profile");
    let rod = CurvatureRod::new(Basis::Clothoid, 0.7, 5, &taper, &|_| Vec3::zeros()).expect("sound rod");
    assert_eq!(rod.curvatures(), rod.elements() + 1);
}
