//! The measure against the formulae of the papers taken literally, its fold, and the shared suite.

use crate::algebra::{Quat, Vec3, rotation};
use crate::rod::mixed::vertex::{self, Strain};
use crate::rod::mixed::{Mesh, MixedRod};
use crate::rod::{Rod, RodState, Station, testing};
use crate::section::{Section, SectionProfile};

fn directors(q: &Quat) -> [Vec3; 3] {
    [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| rotation::rotate(q, &e))
}

/// Bergou et al. 2008 and 2010 word by word: tangents, curvature binormal, averaged directors,
/// parallel transport (by the rotation formula of Rodrigues).
fn literal(a: &Quat, b: &Quat) -> Vec3 {
    let ([a1, a2, ta], [b1, b2, tb]) = (directors(a), directors(b));
    let binormal = 2.0 * ta.cross(&tb) / (1.0 + ta.dot(&tb));
    let axis = ta.cross(&tb);
    let carry = |v: &Vec3| v * ta.dot(&tb) + axis.cross(v) + axis * (axis.dot(v) / (1.0 + ta.dot(&tb)));
    let (c1, c2) = (carry(&a1), carry(&a2));
    let twist = b1.dot(&c2).atan2(b1.dot(&c1));
    Vec3::new(0.5 * (a1 + b1).dot(&binormal), 0.5 * (a2 + b2).dot(&binormal), twist)
}

#[test]
fn the_measure_is_that_of_the_papers() {
    let frame = |x, y, z| rotation::exp(&Vec3::new(x, y, z));
    for (a, b) in [
        (frame(0.3, -0.2, 0.5), frame(0.5, 0.1, 0.9)),
        (frame(0.3, -0.2, 0.5), frame(-0.4, 1.6, -0.2)),
        (frame(1.0, 2.0, 0.1), frame(1.3, -0.3, 2.9)),
        (frame(0.0, 0.0, 1.0), frame(0.0, 0.4, -1.9)),
        (frame(0.0, 0.0, 0.0), frame(2.9, 0.4, 0.0)),
    ] {
        let expected = literal(&a, &b);
        let p = a.conjugate() * b;
        for p in [p, -p] {
            let found = vertex::measure(Strain::Nodal, &p, expected.z).value;
            assert!((found - expected).norm() < 1e-12 * expected.norm().max(1.0), "{found} {expected}");
        }
        // A full turn of history changes the twist alone.
        let turned = vertex::measure(Strain::Nodal, &p, expected.z + std::f64::consts::TAU).value;
        let shift = Vec3::new(0.0, 0.0, std::f64::consts::TAU);
        assert!((turned - expected - shift).norm() < 1e-12 * expected.norm().max(1.0));
    }
}

#[test]
fn the_factor_and_its_derivatives_agree_with_differences() {
    for (w, z) in [(0.9, 0.1), (-0.3, 0.6), (0.05, -0.08), (0.0, 0.7)] {
        let (slope, bow) = (super::slope(w, z), super::bow(w, z));
        let h = 1e-6;
        let size: f64 = 1.0 / (w * w + z * z);
        let difference = |f: &dyn Fn(f64, f64) -> f64| {
            [(f(w + h, z) - f(w - h, z)) / (2.0 * h), (f(w, z + h) - f(w, z - h)) / (2.0 * h)]
        };
        let near = |a: f64, b: f64, scale: f64| assert!((a - b).abs() < 1e-7 * scale, "({w}, {z}): {a} {b}");
        assert_eq!(slope.h, super::factor(w, z));
        let [fw, fz] = difference(&super::factor);
        near(slope.w, fw, size.powi(2));
        near(slope.z, fz, size.powi(2));
        let [ww, wz] = difference(&|w, z| super::slope(w, z).w);
        let [zw, zz] = difference(&|w, z| super::slope(w, z).z);
        near(bow.ww, ww, size.powi(3));
        near(bow.wz, wz, size.powi(3));
        near(bow.wz, zw, size.powi(3));
        near(bow.zz, zz, size.powi(3));
    }
}

#[test]
fn a_fold_is_finite() {
    let (k, rest) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.1, 0.2, 0.3));
    for off in [0.0, 1e-300, 1e-15, 1e-9] {
        for (w, z) in [(off, 0.0), (0.0, off), (off, -off)] {
            let p = Quat::new(w, 0.6, 0.8, z);
            let m = vertex::measure(Strain::Nodal, &p, 1.0);
            let moment = vertex::moment(&m, &rest, &k);
            let (a, b) = vertex::gradient(&p, &m, &moment);
            let d = vertex::derivatives(&p, &m, &moment, &k);
            assert!(m.value.iter().all(|v| v.is_finite()), "{off}: {}", m.value);
            let finite = |m: &crate::algebra::Mat3| m.iter().all(|v| v.is_finite());
            assert!(finite(&d.aa) && finite(&d.ab) && finite(&d.bb), "{off}: {d:?}");
            assert!(a.iter().chain(&b).all(|v| v.is_finite()), "{off}: {a} {b}");
        }
    }
}

fn rod(n: usize, rest: [f64; 3]) -> MixedRod {
    let section = Section::measured(0.03, 0.02, 0.025, 0.2, 0.004).unwrap();
    let mesh = Mesh::graded(1.3, n, [0.05, 0.02]).unwrap();
    let rest = Vec3::from(rest);
    MixedRod::new(&mesh, &SectionProfile::uniform(section), &|s| Vec3::new(rest.x + s, rest.y * s, rest.z))
        .with_strain(Strain::Nodal)
}

fn at_rest(rod: &MixedRod) -> RodState {
    rod.rest_state(&Station { position: Vec3::new(0.1, 0.2, 0.3), frame: rotation::identity() })
}

#[test]
fn passes_the_shared_suite() {
    for (n, rest) in [(4, [1.0, -2.0, 3.0]), (9, [1.0, -2.0, 3.0]), (16, [0.5, 1.0, 40.0])] {
        let rod = rod(n, rest);
        assert_eq!(rod.model(), "nodal");
        let mut bent = at_rest(&rod);
        testing::run(&rod, &bent);
        let step: Vec<f64> = testing::direction(&rod, 42).iter().map(|d| 0.3 * d).collect();
        rod.displace(&mut bent, &step);
        rod.remember_twist(&mut bent);
        testing::run(&rod, &bent);
    }
}

#[test]
fn a_rest_twist_of_half_a_turn_per_vertex_is_no_trap() {
    // cos(t/2) = 0: no bend can be measured there. The state must still be a state.
    let twist = std::f64::consts::PI * 8.0;
    let section = Section::measured(0.03, 0.02, 0.025, 0.2, 0.004).unwrap();
    let mesh = Mesh::uniform(1.0, 8).unwrap();
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::new(1.0, 0.0, twist))
        .with_strain(Strain::Nodal);
    let state = at_rest(&rod);
    assert!(state.coordinates.iter().all(|c| c.is_finite()) && rod.energy(&state).is_finite());
}
