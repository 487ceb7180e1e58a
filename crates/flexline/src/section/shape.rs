//! Shapes of a cross-section: area, second moments, torsion constant, outline.
//!
//! Coordinates x along d1 and y along d2, origin at the centroid. I1 = ∫ y² dA belongs to bending
//! about d1, I2 = ∫ x² dA to bending about d2. The torsion constant J is Saint-Venant's, with
//! warping free: Timoshenko and Goodier, Theory of Elasticity, 3rd ed., chapter 10.

use super::SectionError;
use super::error::positive;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// The shape of a cross-section; lengths in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    /// A full disc.
    Disc {
        /// Radius.
        radius: f64,
    },
    /// A round tube.
    Tube {
        /// Outer radius.
        outer: f64,
        /// Inner radius.
        inner: f64,
    },
    /// A full ellipse.
    Ellipse {
        /// Semi-axis along d1.
        a: f64,
        /// Semi-axis along d2.
        b: f64,
    },
    /// A full rectangle.
    Rectangle {
        /// Size along d1.
        width: f64,
        /// Size along d2.
        height: f64,
    },
}

impl Shape {
    /// Refuses sizes that are not positive numbers, and a bore that does not fit.
    pub fn validate(&self) -> Result<(), SectionError> {
        const SIZE: &str = "give the size of the part, for instance 0.004 for 4 mm";
        match *self {
            Self::Disc { radius } => positive("the radius of the disc", radius, "m", SIZE),
            Self::Tube { outer, inner } => {
                positive("the outer radius of the tube", outer, "m", SIZE)?;
                positive("the inner radius of the tube", inner, "m", "use a disc for a solid part")?;
                if inner >= outer { Err(SectionError::Bore { inner, outer }) } else { Ok(()) }
            }
            Self::Ellipse { a, b } => {
                positive("the semi-axis of the ellipse along d1", a, "m", SIZE)?;
                positive("the semi-axis of the ellipse along d2", b, "m", SIZE)
            }
            Self::Rectangle { width, height } => {
                positive("the width of the rectangle", width, "m", SIZE)?;
                positive("the height of the rectangle", height, "m", SIZE)
            }
        }
    }

    /// Area, m².
    pub fn area(&self) -> f64 {
        match *self {
            Self::Disc { radius } => PI * radius * radius,
            Self::Tube { outer, inner } => PI * (outer - inner) * (outer + inner),
            Self::Ellipse { a, b } => PI * a * b,
            Self::Rectangle { width, height } => width * height,
        }
    }

    /// I1 and I2, the second moments of area for bending about d1 and about d2, m⁴.
    ///
    /// ```
    /// use flexline::section::Shape;
    /// let ribbon = Shape::Rectangle { width: 0.010, height: 0.001 };
    /// let [i1, i2] = ribbon.second_moments();
    /// assert!((i2 / i1 - 100.0).abs() < 1e-9); // a ribbon bends about its wide side
    /// ```
    pub fn second_moments(&self) -> [f64; 2] {
        match *self {
            Self::Disc { radius } => [FRAC_PI_4 * radius.powi(4); 2],
            Self::Tube { outer, inner } => [FRAC_PI_4 * difference_of_fourth_powers(outer, inner); 2],
            Self::Ellipse { a, b } => [FRAC_PI_4 * a * b.powi(3), FRAC_PI_4 * b * a.powi(3)],
            Self::Rectangle { width, height } => {
                [width * height.powi(3) / 12.0, height * width.powi(3) / 12.0]
            }
        }
    }

    /// The polar moment of area I1 + I2, m⁴. It is the torsion constant of round shapes only.
    pub fn polar_moment(&self) -> f64 {
        let [i1, i2] = self.second_moments();
        i1 + i2
    }

    /// Saint-Venant's torsion constant J, m⁴: twist stiffness is G J.
    ///
    /// ```
    /// use flexline::section::Shape;
    /// let square = Shape::Rectangle { width: 1.0, height: 1.0 };
    /// assert!((square.torsion_constant() - 0.140577).abs() < 1e-6);
    /// ```
    pub fn torsion_constant(&self) -> f64 {
        match *self {
            Self::Disc { radius } => FRAC_PI_2 * radius.powi(4),
            Self::Tube { outer, inner } => FRAC_PI_2 * difference_of_fourth_powers(outer, inner),
            Self::Ellipse { a, b } => {
                // π a³ b³ / (a² + b²), arranged so that tiny axes do not underflow early.
                let (long, short) = (a.max(b), a.min(b));
                let ratio = short / long;
                PI * long * short.powi(3) / (1.0 + ratio * ratio)
            }
            Self::Rectangle { width, height } => rectangle_torsion(width.max(height), width.min(height)),
        }
    }

    /// Radius for contact, drawing and the inner side of a bend, m: that of the circle around the
    /// shape. Nothing of the part lies outside it, so clearances are on the safe side; across a
    /// flat part they are too small, by up to half the difference of its sides.
    pub fn contact_radius(&self) -> f64 {
        match *self {
            Self::Disc { radius } => radius,
            Self::Tube { outer, .. } => outer,
            Self::Ellipse { a, b } => a.max(b),
            Self::Rectangle { width, height } => 0.5 * width.hypot(height),
        }
    }

    /// The outer outline in (d1, d2), m, counter-clockwise, the first point not repeated. Round
    /// shapes give `points` points (at least 3), a rectangle its four corners.
    pub fn outline(&self, points: usize) -> Vec<[f64; 2]> {
        let (a, b) = match *self {
            Self::Disc { radius } => (radius, radius),
            Self::Tube { outer, .. } => (outer, outer),
            Self::Ellipse { a, b } => (a, b),
            Self::Rectangle { width, height } => {
                let (x, y) = (0.5 * width, 0.5 * height);
                return vec![[x, y], [-x, y], [-x, -y], [x, -y]];
            }
        };
        let count = points.max(3);
        (0..count)
            .map(|k| {
                let (sin, cos) = (TAU * k as f64 / count as f64).sin_cos();
                [a * cos, b * sin]
            })
            .collect()
    }
}

/// a⁴ − b⁴ without cancellation for thin walls.
fn difference_of_fourth_powers(a: f64, b: f64) -> f64 {
    (a - b) * (a + b) * (a * a + b * b)
}

/// J of a rectangle with sides a ≥ b (Timoshenko and Goodier, eq. 171):
/// J = a b³ (1/3 − (64/π⁵) (b/a) Σ tanh(nπa/2b)/n⁵, n odd).
///
/// Σ 1/n⁵ over odd n is (31/32) ζ(5); what remains, Σ (1 − tanh)/n⁵, falls like e^(−nπa/b) and
/// gives every digit with a few terms.
fn rectangle_torsion(a: f64, b: f64) -> f64 {
    const SUM_OF_ODD_FIFTHS: f64 = 31.0 / 32.0 * 1.036_927_755_143_37;
    let rest: f64 = (0..8)
        .map(|k| {
            let n = f64::from(2 * k + 1);
            2.0 / (((n * PI * a / b).exp() + 1.0) * n.powi(5))
        })
        .sum();
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * (SUM_OF_ODD_FIFTHS - rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Area, I1 and I2 of a polygon around the origin, by Green's theorem.
    fn polygon_moments(points: &[[f64; 2]]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for (k, p) in points.iter().enumerate() {
            let q = points[(k + 1) % points.len()];
            let cross = p[0] * q[1] - q[0] * p[1];
            sums[0] += cross / 2.0;
            sums[1] += cross * (p[1] * p[1] + p[1] * q[1] + q[1] * q[1]) / 12.0;
            sums[2] += cross * (p[0] * p[0] + p[0] * q[0] + q[0] * q[0]) / 12.0;
        }
        sums
    }

    fn moments(shape: &Shape) -> [f64; 3] {
        let [i1, i2] = shape.second_moments();
        [shape.area(), i1, i2]
    }

    fn assert_relative(actual: f64, expected: f64, tolerance: f64) {
        let error = (actual / expected - 1.0).abs();
        assert!(error <= tolerance, "{actual} instead of {expected}, relative error {error:e}");
    }

    #[test]
    fn moments_agree_with_integration_over_the_outline() {
        for shape in [
            Shape::Disc { radius: 0.004 },
            Shape::Ellipse { a: 0.004, b: 0.0015 },
            Shape::Rectangle { width: 0.02, height: 0.003 },
        ] {
            let integrated = polygon_moments(&shape.outline(20_000));
            for (exact, numeric) in moments(&shape).into_iter().zip(integrated) {
                assert_relative(exact, numeric, 1e-6);
            }
        }
    }

    #[test]
    fn tube_is_its_outline_minus_its_bore() {
        let tube = Shape::Tube { outer: 0.01, inner: 0.0093 };
        let whole = polygon_moments(&tube.outline(20_000));
        let bore = polygon_moments(&Shape::Disc { radius: 0.0093 }.outline(20_000));
        for (k, exact) in moments(&tube).into_iter().enumerate() {
            assert_relative(exact, whole[k] - bore[k], 1e-6);
        }
        assert_relative(tube.torsion_constant(), tube.polar_moment(), 1e-14);
    }

    #[test]
    fn thin_tube_keeps_its_digits() {
        // For t ≪ r: A = 2πrt, I = πr³t, with r the middle of the wall; the next term is of order (t/r)².
        let (middle, wall) = (0.005, 1e-9);
        let tube = Shape::Tube { outer: middle + wall / 2.0, inner: middle - wall / 2.0 };
        assert_relative(tube.area(), TAU * middle * wall, 1e-9);
        assert_relative(tube.second_moments()[0], PI * middle.powi(3) * wall, 1e-9);
    }

    #[test]
    fn ellipse_torsion_is_twice_the_volume_under_its_stress_function() {
        let (a, b) = (0.003, 0.0011);
        // φ = a²b²/(a²+b²) (1 − x²/a² − y²/b²) vanishes on the boundary and solves ∇²φ = −2; J = 2 ∫ φ dA.
        let scale = a * a * b * b / (a * a + b * b);
        let laplacian = scale * (-2.0 / (a * a) - 2.0 / (b * b));
        assert_relative(laplacian, -2.0, 1e-14);
        let steps = 20_000;
        let volume: f64 = (0..steps)
            .map(|k| {
                let r = (f64::from(k) + 0.5) / f64::from(steps);
                scale * (1.0 - r * r) * TAU * a * b * r / f64::from(steps)
            })
            .sum();
        assert_relative(Shape::Ellipse { a, b }.torsion_constant(), 2.0 * volume, 1e-8);
    }

    #[test]
    fn round_ellipse_is_a_disc() {
        let disc = Shape::Disc { radius: 0.0023 };
        let ellipse = Shape::Ellipse { a: 0.0023, b: 0.0023 };
        for (e, d) in moments(&ellipse).into_iter().zip(moments(&disc)) {
            assert_relative(e, d, 1e-14);
        }
        assert_relative(ellipse.torsion_constant(), disc.torsion_constant(), 1e-14);
        assert_relative(ellipse.contact_radius(), disc.contact_radius(), 1e-15);
    }

    #[test]
    fn rectangle_torsion_agrees_with_published_table() {
        // Timoshenko and Goodier, table of k1 in J = k1 a b³.
        for (ratio, k1) in [
            (1.0, 0.1406),
            (1.2, 0.166),
            (1.5, 0.196),
            (2.0, 0.229),
            (3.0, 0.263),
            (5.0, 0.291),
            (10.0, 0.312),
        ] {
            let j = Shape::Rectangle { width: ratio, height: 1.0 }.torsion_constant() / ratio;
            assert!((j - k1).abs() < 6e-4, "a/b = {ratio}: {j} instead of {k1}");
        }
    }

    #[test]
    fn rectangle_torsion_agrees_with_the_plain_series() {
        for ratio in [1.0, 1.01, 1.7, 4.0, 25.0, 900.0] {
            let (a, b) = (0.002 * ratio, 0.002);
            let mut sum = 0.0;
            for k in (0..20_000).rev() {
                let n = f64::from(2 * k + 1);
                sum += (n * FRAC_PI_2 * a / b).tanh() / n.powi(5);
            }
            let plain = a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * b / a * sum);
            assert_relative(Shape::Rectangle { width: a, height: b }.torsion_constant(), plain, 1e-12);
        }
    }

    #[test]
    fn contact_circle_holds_the_outline() {
        for shape in [
            Shape::Ellipse { a: 0.001, b: 0.004 },
            Shape::Rectangle { width: 0.02, height: 0.003 },
            Shape::Tube { outer: 0.01, inner: 0.004 },
        ] {
            let farthest = shape.outline(360).iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max);
            assert_relative(shape.contact_radius(), farthest, 1e-12);
        }
    }

    proptest! {
        #[test]
        fn turning_a_shape_swaps_its_axes(a in 1e-5..1e-1f64, b in 1e-5..1e-1f64) {
            let pairs = [
                (Shape::Ellipse { a, b }, Shape::Ellipse { a: b, b: a }),
                (Shape::Rectangle { width: a, height: b }, Shape::Rectangle { width: b, height: a }),
            ];
            for (shape, turned) in pairs {
                let [i1, i2] = shape.second_moments();
                let [t1, t2] = turned.second_moments();
                prop_assert!((i1 / t2 - 1.0).abs() < 1e-13 && (i2 / t1 - 1.0).abs() < 1e-13);
                let j = shape.torsion_constant();
                prop_assert!((j / turned.torsion_constant() - 1.0).abs() < 1e-13);
                // Saint-Venant: J is at most the polar moment, and equals it for the disc only.
                prop_assert!(j > 0.0 && j <= shape.polar_moment() * (1.0 + 1e-13));
            }
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let bad = [
            Shape::Disc { radius: 0.0 },
            Shape::Disc { radius: -0.001 },
            Shape::Disc { radius: f64::NAN },
            Shape::Disc { radius: f64::INFINITY },
            Shape::Tube { outer: 0.0, inner: 0.001 },
            Shape::Tube { outer: 0.004, inner: 0.0 },
            Shape::Tube { outer: 0.004, inner: 0.004 },
            Shape::Tube { outer: 0.004, inner: 0.005 },
            Shape::Tube { outer: 0.004, inner: f64::NAN },
            Shape::Ellipse { a: 0.001, b: -0.002 },
            Shape::Ellipse { a: f64::NAN, b: 0.002 },
            Shape::Rectangle { width: 0.0, height: 0.002 },
            Shape::Rectangle { width: 0.01, height: f64::NEG_INFINITY },
        ];
        for shape in bad {
            assert!(shape.validate().is_err(), "{shape:?}");
        }
        let message = Shape::Tube { outer: 0.004, inner: 0.005 }.validate().unwrap_err().to_string();
        for part in ["inner radius", "0.005 m", "less than", "0.004 m", "swap"] {
            assert!(message.contains(part), "{message}");
        }
        let message = Shape::Disc { radius: -0.001 }.validate().unwrap_err().to_string();
        for part in ["radius of the disc", "-0.001 m", "above 0", "give the size"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
