//! The elements against closed forms, against twice the precision, and against differences.

use super::reference::{ReferenceCurve, ReferenceEnd};
use super::*;
use crate::algebra::double_double::DoubleDouble as Dd;
use crate::algebra::{Mat3, rotation};

/// Elements of the given turning (from the larger end, rad) and length, in several directions: curved
/// and twisted, with growing and vanishing curvature, planar, straight at one end, constant.
fn elements(turning: f64, length: f64) -> Vec<ClothoidElement> {
    let ends = [
        ([0.3, -0.8, 0.5], [-0.7, 0.2, 0.6]),
        ([1.0, 0.1, 0.0], [0.4, -0.3, 0.8]),
        ([0.0, 0.0, 0.0], [0.5, 0.5, -0.7]),
        ([0.0, 0.9, 0.4], [0.0, 0.0, 0.0]),
        ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ([0.2, 0.1, 0.9], [0.2, 0.1, 0.9]),
        ([0.6, -0.6, 0.5], [-0.6, 0.6, -0.5]),
    ];
    ends.map(|(a, b)| {
        let scale = turning / length;
        let (a, b) = (Vec3::from(a) * scale, Vec3::from(b) * scale);
        let size = a.norm().max(b.norm()) * length / turning;
        ClothoidElement::new(a / size, b / size, length).unwrap()
    })
    .to_vec()
}

const TURNINGS: [f64; 7] = [1e-6, 0.01, 1.0, 4.0, 17.0, 60.0, 200.0];
const LENGTHS: [f64; 3] = [1e-3, 1.0, 1e3];

/// Largest error of a point: position over length, entries of the frame.
fn error(point: &CurvePoint, exact: &ReferenceEnd, length: f64) -> f64 {
    let position = (point.position - exact.position()).norm() / length;
    position.max((rotation::matrix(&point.frame) - exact.frame()).amax())
}

/// Largest departure of RᵀR from the identity.
fn skewness(frame: &Mat3) -> f64 {
    (frame.transpose() * frame - Mat3::identity()).amax()
}

#[test]
fn clothoids_agree_with_twice_the_precision() {
    for turning in TURNINGS {
        for length in LENGTHS {
            for element in elements(turning, length) {
                let exact = ReferenceCurve::from(&element).end();
                let series = element.point_by(length, &Summation::default());
                for point in [element.point(length), series, element.first(length).point] {
                    let e = error(&point, &exact, length);
                    assert!(e < 2e-15 + 1e-16 * turning, "{element:?}: {e:.1e}");
                    let skew = skewness(&rotation::matrix(&point.frame));
                    assert!(skew < 1e-14, "{element:?}: {skew:.1e}");
                }
            }
        }
    }
}

#[test]
fn frames_of_many_curly_elements_stay_orthonormal() {
    // A fixed sequence of directions that repeats nothing.
    let direction =
        |k: f64| Vec3::new((1.7 * k).sin(), (2.3 * k + 0.4).cos(), (3.1 * k + 1.0).sin()).normalize();
    let mut squares = 0.0;
    const COUNT: usize = 200;
    for k in 0..COUNT {
        let (a, b) = (direction(k as f64) * 200.0, direction(k as f64 + 0.5) * 200.0);
        let point = ClothoidElement::new(a, b, 1.0).unwrap().point(1.0);
        let skew = skewness(&rotation::matrix(&point.frame));
        assert!(skew < 1e-14, "{k}: {skew:.1e}");
        squares += skew * skew;
    }
    let mean = (squares / COUNT as f64).sqrt();
    assert!(mean < 4e-15, "root mean square {mean:.1e}");
}

#[test]
fn helices_agree_with_twice_the_precision() {
    for turning in TURNINGS {
        for length in LENGTHS {
            for direction in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.5, -0.3, 0.8], [0.9, 0.4, 1e-9]] {
                let u = Vec3::from(direction).normalize() * (turning / length);
                let helix = HelixElement::new(u, length).unwrap();
                let exact = ReferenceCurve::from(&ClothoidElement::new(u, u, length).unwrap()).end();
                let point = helix.point(length);
                let e = error(&point, &exact, length);
                assert!(e < 1e-15 + 2e-16 * turning, "{helix:?}: {e:.1e}");
                assert!(skewness(&rotation::matrix(&point.frame)) < 1e-15);
            }
        }
    }
}

#[test]
fn the_sign_of_a_frame_remembers_half_of_the_turns() {
    let element = ClothoidElement::new(Vec3::z() * 6.0, Vec3::z() * 7.0, 1.0).unwrap();
    let half_turns = 6.5 / 2.0;
    let frame = element.point(1.0).frame;
    assert!((frame.w - f64::cos(half_turns)).abs() < 1e-15);
    assert!((frame.k - f64::sin(half_turns)).abs() < 1e-15);
}

/// A reference curve up to `s` with steps added to coefficients of the element.
fn moved(element: &ClothoidElement, s: f64, steps: &[(usize, f64)]) -> ReferenceEnd {
    let mut curve = ReferenceCurve { length: s, ..ReferenceCurve::from(element) };
    for &(k, step) in steps {
        let slope = Dd::from(step).over(element.length());
        let j = k % 3;
        if k < 3 {
            curve.start[j] += Dd::from(step);
            curve.slope[j] += -slope;
        } else {
            curve.slope[j] += slope;
        }
    }
    curve.end()
}

/// (Σ signs × positions) / divisor, in twice the precision until the end.
fn combination(ends: &[(f64, &ReferenceEnd)], divisor: f64) -> Vec3 {
    Vec3::from_fn(|i, _| {
        let sum = ends.iter().fold(Dd::ZERO, |sum, (sign, end)| sum + Dd::from(*sign) * end.position[i]);
        sum.over(divisor).hi
    })
}

/// The rotation vector Θ with ∂R = [Θ]× R from frames on both sides.
fn turn_between(plus: &ReferenceEnd, minus: &ReferenceEnd, at: &Mat3, divisor: f64) -> Vec3 {
    let rate = Mat3::from_fn(|i, j| (plus.frame[i][j] - minus.frame[i][j]).over(divisor).hi);
    let w = rate * at.transpose();
    Vec3::new(w[(2, 1)] - w[(1, 2)], w[(0, 2)] - w[(2, 0)], w[(1, 0)] - w[(0, 1)]) * 0.5
}

#[test]
fn first_derivatives_agree_with_differences() {
    for (turning, length) in [(1e-6, 1.0), (0.5, 1e-3), (4.0, 1.0), (30.0, 1e3), (200.0, 0.7)] {
        for element in elements(turning, length) {
            for s in [length, 0.37 * length] {
                let first = element.first(s);
                let frame = rotation::matrix(&first.point.frame);
                // In twice the precision both truncation and round-off of the difference are below 1e-16.
                let step = 1e-8 / length;
                for k in 0..6 {
                    let (plus, minus) = (moved(&element, s, &[(k, step)]), moved(&element, s, &[(k, -step)]));
                    let shift = combination(&[(1.0, &plus), (-1.0, &minus)], 2.0 * step);
                    let turn = turn_between(&plus, &minus, &frame, 2.0 * step);
                    let e = (first.shift[k] - shift).norm() / (length * length);
                    assert!(e < 2e-15 + 1e-16 * turning, "{element:?}, {k}: {e:.1e}");
                    let e = (first.turn[k] - turn).norm() / length;
                    assert!(e < 2e-15 + 1e-16 * turning, "{element:?}, {k}: {e:.1e}");
                }
            }
        }
    }
}

#[test]
fn second_derivatives_agree_with_differences() {
    for (turning, length) in [(0.5, 1e-3), (6.0, 1.0), (60.0, 1e3)] {
        for element in elements(turning, length).into_iter().take(4) {
            let s = 0.83 * length;
            let second = element.second(s);
            let step = 1e-7 / length;
            for a in 0..6 {
                for b in 0..=a {
                    let at = |p: f64, q: f64| moved(&element, s, &[(a, p * step), (b, q * step)]);
                    let [pp, pm, mp, mm] = [at(1.0, 1.0), at(1.0, -1.0), at(-1.0, 1.0), at(-1.0, -1.0)];
                    let ends = [(1.0, &pp), (-1.0, &pm), (-1.0, &mp), (1.0, &mm)];
                    let shift = combination(&ends, 4.0 * step * step);
                    let e = (second.shift[a][b] - shift).norm() / length.powi(3);
                    assert!(e < 2e-14, "{element:?}, {a} {b}: {e:.1e}");
                    let e = (second.shift[a][b] - second.shift[b][a]).norm() / length.powi(3);
                    assert!(e < 2e-15, "{element:?}, {a} {b}: {e:.1e} from symmetry");
                }
                for b in 0..6 {
                    let step = 1e-5 / length;
                    let at = |q: f64| {
                        let mut ends = [element.curvature(0.0), element.curvature(length)];
                        ends[b / 3][b % 3] += q * step;
                        ClothoidElement::new(ends[0], ends[1], length).unwrap().first(s).turn[a]
                    };
                    let turn = (at(1.0) - at(-1.0)) / (2.0 * step);
                    let e = (second.turn[a][b] - turn).norm() / (length * length);
                    assert!(e < 1e-9, "{element:?}, turn {a} {b}: {e:.1e}");
                }
            }
        }
    }
}

#[test]
fn a_clothoid_of_constant_curvature_has_the_derivatives_of_a_helix() {
    for turning in [1e-4, 0.3, 1.1, 4.5, 4.6, 9.0, 9.2, 40.0, 150.0] {
        let (length, s) = (1.3, 0.9);
        let u = Vec3::new(0.4, -0.7, 0.6).normalize() * (turning / length);
        let helix = HelixElement::new(u, length).unwrap();
        let clothoid = ClothoidElement::new(u, u, length).unwrap();
        let limit = 2e-15 + 3e-16 * turning;
        // A change of u is the same change at both ends.
        let (h, c) = (helix.first(s), clothoid.first(s));
        let (h2, c2) = (helix.second(s), clothoid.second(s));
        let (hi, ci) = (helix.integrals(), clothoid.integrals());
        let near = |x: Vec3, y: Vec3, what: &str| {
            assert!((x - y).norm() < limit, "{turning} rad, {what}: {:.1e}", (x - y).norm());
        };
        near(hi.position, ci.position, "∫ r");
        near(hi.position_by_s, ci.position_by_s, "∫ s r");
        assert!((hi.position_square - ci.position_square).amax() < limit);
        for a in 0..3 {
            near(h.turn[a], c.turn[a] + c.turn[a + 3], "turn");
            near(h.shift[a], c.shift[a] + c.shift[a + 3], "shift");
            near(hi.shift[a], ci.shift[a] + ci.shift[a + 3], "∫ ∂r");
            near(hi.shift_by_s[a], ci.shift_by_s[a] + ci.shift_by_s[a + 3], "∫ s ∂r");
            let cross = ci.position_cross_shift[a] + ci.position_cross_shift[a + 3];
            near(hi.position_cross_shift[a], cross, "∫ r × ∂r");
            for b in 0..3 {
                let four = |m: &[[Vec3; 6]; 6]| m[a][b] + m[a + 3][b] + m[a][b + 3] + m[a + 3][b + 3];
                near(h2.turn[a][b], four(&c2.turn), "second turn");
                near(h2.shift[a][b], four(&c2.shift), "second shift");
                near(hi.position_second[a][b], four(&ci.position_second), "∫ ∂∂r");
                let mass = ci.mass[a][b] + ci.mass[a + 3][b] + ci.mass[a][b + 3] + ci.mass[a + 3][b + 3];
                assert!((hi.mass[a][b] - mass).abs() < limit, "{turning} rad, mass {a} {b}");
            }
        }
    }
}

/// Integrals of the position and its derivatives by a rule far finer than the element's own.
fn fine_integrals(element: &ClothoidElement) -> Integrals<6> {
    let l = element.length();
    let turning = element.curvature(0.0).norm().max(element.curvature(l).norm()) * l;
    let parts = (2.0 * turning).ceil().max(2.0) as usize;
    let half = 0.5 * l / parts as f64;
    let mut out = Integrals::zeros();
    for part in 0..parts {
        for (x, w) in crate::algebra::quadrature::gauss20() {
            let s = half * ((2 * part + 1) as f64 + x);
            let at = element.first(s);
            out.add_linear(w * half, s, &at.point.position, &at.shift);
            out.add_products(w * half, &at.point.position, &at.shift);
            let second = if turning < 10.0 { element.second(s).shift } else { [[Vec3::zeros(); 6]; 6] };
            for a in 0..6 {
                for b in 0..6 {
                    out.position_second[a][b] += second[a][b] * (w * half);
                }
            }
        }
    }
    out
}

#[test]
fn integrals_agree_with_a_finer_rule() {
    for (turning, length) in [(1.0, 1e-3), (9.0, 1.0), (60.0, 1e3)] {
        for element in elements(turning, length).into_iter().take(5) {
            let (own, fine) = (element.integrals(), fine_integrals(&element));
            let limit = 3e-15 + 1e-16 * turning;
            let near = |x: Vec3, y: Vec3, power: i32, what: &str| {
                let e = (x - y).norm() / length.powi(power);
                assert!(e < limit, "{element:?}, {what}: {e:.1e}");
            };
            near(own.position, fine.position, 2, "∫ r");
            near(own.position_by_s, fine.position_by_s, 3, "∫ s r");
            assert!((own.position_square - fine.position_square).amax() < limit * length.powi(3));
            for a in 0..6 {
                near(own.shift[a], fine.shift[a], 3, "∫ ∂r");
                near(own.shift_by_s[a], fine.shift_by_s[a], 4, "∫ s ∂r");
                near(own.position_cross_shift[a], fine.position_cross_shift[a], 4, "∫ r × ∂r");
                for b in 0..6 {
                    let e = (own.mass[a][b] - fine.mass[a][b]).abs() / length.powi(5);
                    assert!(e < limit, "{element:?}, mass {a} {b}: {e:.1e}");
                    if turning < 10.0 {
                        near(own.position_second[a][b], fine.position_second[a][b], 4, "∫ ∂∂r");
                    }
                }
            }
        }
    }
}

#[test]
fn points_inside_are_those_of_shorter_elements_and_compose() {
    for element in elements(25.0, 2.0) {
        let (s, l) = (0.7, element.length());
        let cut = ClothoidElement::with_slope(element.curvature(0.0), element.slope(), s).unwrap();
        let rest = ClothoidElement::with_slope(element.curvature(s), element.slope(), l - s).unwrap();
        let joined = rest.point(l - s).after(&cut.point(s));
        assert_eq!(cut.point(s), element.point(s));
        let whole = element.point(l);
        assert!((joined.position - whole.position).norm() < 1e-14 * l, "{element:?}");
        assert!((joined.frame - whole.frame).norm() < 1e-14, "{element:?}");
        assert_eq!(element.point(-1.0), CurvePoint::ORIGIN);
        assert_eq!(element.point(l + 1.0), whole);
    }
}

#[test]
fn classical_integrators_have_their_orders() {
    let element = &elements(5.0, 1.0)[0];
    let exact = ReferenceCurve::from(element).end();
    for method in Classical::ALL {
        let off = |steps: usize| (integrate(element, method, steps).1 - exact.position()).norm();
        let order = (off(400) / off(800)).log2();
        assert!((order - f64::from(method.order())).abs() < 0.1, "{}: {order}", method.name());
    }
}

#[test]
fn a_naive_sum_loses_what_its_largest_term_is_above_one() {
    for (turning, digits) in [(1.0, 15.0), (20.0, 8.0), (40.0, -2.5)] {
        let element = &elements(turning, 1.0)[1];
        let naive = naive_sum(element);
        let exact = ReferenceCurve::from(element).end();
        let off = (naive.frame - exact.frame()).amax();
        assert!(off < 10.0 * f64::EPSILON * naive.largest_term.max(1.0), "{turning} rad: {off:.1e}");
        assert!((-off.log10() - digits).abs() < 2.5, "{turning} rad: {off:.1e}");
    }
}

#[test]
fn summations_out_of_range_end_too() {
    let element = &elements(30.0, 1.0)[0];
    let exact = element.point(1.0);
    for bound in [0.0, -1.0, 1e-300, 1e300, f64::INFINITY] {
        let point = element.point_by(1.0, &Summation { bound, ..Summation::default() });
        assert!((point.position - exact.position).norm() < 1e-13, "{bound}");
    }
    for tolerance in [0.0, 1.0, f64::INFINITY, f64::NAN] {
        let point = element.point_by(1.0, &Summation { tolerance, ..Summation::default() });
        assert!(point.position.iter().all(|c| c.is_finite()), "{tolerance}");
    }
    assert!(element.point(f64::NAN).position.iter().all(|c| c.is_finite()));
}

#[test]
fn lengths_of_any_size_scale() {
    let (a, b) = (Vec3::new(3.0, -1.0, 2.0), Vec3::new(0.5, 2.0, -4.0));
    let unit = ClothoidElement::new(a, b, 1.0).unwrap().point(1.0);
    for length in [1e-60, 1e-9, 1e6, 1e60] {
        let point = ClothoidElement::new(a / length, b / length, length).unwrap().point(length);
        assert!((point.position / length - unit.position).norm() < 1e-15, "{length}");
        assert!((point.frame - unit.frame).norm() < 2e-15, "{length}");
    }
    assert!(matches!(ClothoidElement::new(a * 1e80, b * 1e80, 1e-80), Err(ElementError::Curvature { .. })));
}

#[test]
fn what_is_no_element_is_refused() {
    let u = Vec3::new(1.0, 2.0, 3.0);
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(HelixElement::new(u, length), Err(ElementError::Length { .. })), "{length}");
        assert!(matches!(ClothoidElement::new(u, u, length), Err(ElementError::Length { .. })), "{length}");
    }
    let bad = Vec3::new(0.0, f64::NAN, 0.0);
    assert!(matches!(HelixElement::new(bad, 1.0), Err(ElementError::Curvature { .. })));
    assert!(matches!(ClothoidElement::new(u, bad, 1.0), Err(ElementError::Curvature { .. })));
    assert!(matches!(ClothoidElement::new(u, -u, 1e-320), Err(ElementError::Curvature { .. })));
    let error = ClothoidElement::new(u, u * 1e7, 1.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an element that turns by 3.742e7 rad: expected at most 1e6 rad; divide it"
    );
}

/// Moving points have the first derivatives of their elements, and accelerations that are their second derivatives
/// along the rates.
#[test]
fn moving_points_agree_with_the_derivatives_of_their_elements() {
    let rates = [Vec3::new(0.7, -1.1, 0.4), Vec3::new(-0.2, 0.9, 1.3)];
    let scale = 0.25;
    let size = |v: f64, turning: f64| v * (1.0 + turning * turning);
    for turning in [1e-3, 0.05, 0.3, 1.5, 7.0] {
        let u = Vec3::new(0.3, -0.8, 0.5).normalize() * turning;
        let element = HelixElement::new(u, 1.0).unwrap();
        let (first, second) = (element.first(0.8), element.second(0.8));
        let mut own = Moving::start();
        moving_helix(&u, &rates[0], 0.8, scale, &mut own);
        let near = size(1e-14, turning);
        assert!((own.position - first.point.position).norm() < near);
        assert!((own.frame - rotation::matrix(&first.point.frame)).amax() < near);
        let [mut velocity, mut spin, mut pull, mut twist] = [Vec3::zeros(); 4];
        for a in 0..3 {
            assert!((own.turn[0].column(a) / scale - first.turn[a]).norm() < near, "{turning}");
            assert!((own.shift[0].column(a) / scale - first.shift[a]).norm() < near, "{turning}");
            velocity += first.shift[a] * rates[0][a];
            spin += first.turn[a] * rates[0][a];
            for b in 0..3 {
                pull += second.shift[a][b] * (rates[0][a] * rates[0][b]);
                twist += second.turn[a][b] * (rates[0][a] * rates[0][b]);
            }
        }
        assert!((own.velocity - velocity).norm() < near && (own.spin - spin).norm() < near, "{turning}");
        assert!((own.acceleration - pull).norm() < 10.0 * near, "{turning}: {} {pull}", own.acceleration);
        assert!((own.angular_acceleration - twist).norm() < 10.0 * near, "{turning}");
    }
    for turning in [0.01, 1.0, 1.5] {
        for element in elements(turning, 1.0) {
            let (first, second) = (element.first(1.0), element.second(1.0));
            let u = [0.0, 1.0].map(|s| element.curvature(s));
            let on = Stretch { u, rate: rates, length: 1.0, from: 0.0, to: 1.0 };
            let mut own = Moving::start();
            let mut length = 0.0;
            moving_clothoid(
                &on,
                crate::algebra::collocation::Collocation::get(),
                scale,
                &mut own,
                |_, weight, _| length += weight,
            );
            assert!((length - 1.0).abs() < 1e-14);
            let [mut velocity, mut pull, mut twist] = [Vec3::zeros(); 3];
            for a in 0..6 {
                let (c, rate) = (a / 3, rates[a / 3][a % 3]);
                assert!((own.turn[c].column(a % 3) / scale - first.turn[a]).norm() < 1e-12, "{turning}");
                assert!((own.shift[c].column(a % 3) / scale - first.shift[a]).norm() < 1e-9, "{turning}");
                velocity += first.shift[a] * rate;
                for b in 0..6 {
                    pull += second.shift[a][b] * (rate * rates[b / 3][b % 3]);
                    twist += second.turn[a][b] * (rate * rates[b / 3][b % 3]);
                }
            }
            assert!((own.position - first.point.position).norm() < 1e-12);
            assert!((own.velocity - velocity).norm() < 1e-9);
            assert!((own.acceleration - pull).norm() < 1e-8, "{turning}: {} {pull}", own.acceleration);
            assert!((own.angular_acceleration - twist).norm() < 1e-9, "{turning}");
        }
    }
}
