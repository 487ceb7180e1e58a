//! Sections that are not round: what the surface is off its tube, in harmonics of the angle around it.
//!
//! e(θ) = a₀ + a₁ cos θ + b₁ sin θ + Σ aₖ cos kθ + bₖ sin kθ, k = 2, 4: the first three are radius and centre and belong to
//! the fit, the others are the shape. An ellipse of semi-axes a, b has nothing else to order (a − b)².

use flexline::Vec3;

use super::fit::{Fit, Sample, residual, square_to};
use super::spline::Tube;

/// Shape of the section at one place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    pub u: f64,
    /// Direction from which the angle is counted, and the one a quarter turn on.
    pub axes: [Vec3; 2],
    /// a₂, b₂, a₄, b₄, lengths.
    pub terms: [f64; 4],
    /// What chance alone would make of one of them, from the scatter of the vertices.
    pub doubt: f64,
}

impl Shape {
    fn at(&self, angle: f64) -> f64 {
        let [a2, b2, a4, b4] = self.terms;
        let (s2, c2) = (2.0 * angle).sin_cos();
        let (s4, c4) = (4.0 * angle).sin_cos();
        a2 * c2 + b2 * s2 + a4 * c4 + b4 * s4
    }

    /// Semi-axes of the section of mean radius r, the larger first, and the direction of that.
    pub fn semi_axes(&self, radius: f64) -> ([f64; 2], Vec3) {
        let angle = 0.5 * self.terms[1].atan2(self.terms[0]);
        let along = angle.cos() * self.axes[0] + angle.sin() * self.axes[1];
        let quarter = std::f64::consts::FRAC_PI_2;
        ([radius + self.at(angle), radius + self.at(angle + quarter)], along)
    }
}

/// Angle around the tube and the axes it is counted from, carried along without turning.
fn angle_of(axes: &[Vec3; 2], off: &Vec3) -> f64 {
    off.dot(&axes[1]).atan2(off.dot(&axes[0]))
}

/// Shapes along a tube at steps of half a radius; none where vertices do not go all the way round it.
pub(crate) fn shapes(tube: &Tube, samples: &[Sample]) -> Vec<Shape> {
    let mut order: Vec<(f64, usize)> = samples.iter().enumerate().map(|(i, s)| (s.u, i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (order.first(), order.last()) else { return Vec::new() };
    let (from, to) = (first.0.max(0.0), last.0.min(tube.spans() as f64));
    let mut shapes = Vec::new();
    let mut axes = square_to(&tube.tangent(from));
    let mut u = from;
    while u <= to {
        let tangent = tube.tangent(u);
        axes[0] = (axes[0] - axes[0].dot(&tangent) * tangent).normalize();
        axes[1] = tangent.cross(&axes[0]);
        let radius = tube.radius(u) / tube.slope(u).norm().max(f64::MIN_POSITIVE);
        let mut reach = 0.6 * radius;
        // Where rings are far apart the window grows until it has one.
        for _ in 0..4 {
            let range =
                order.partition_point(|o| o.0 < u - reach)..order.partition_point(|o| o.0 <= u + reach);
            if let Some((terms, doubt)) = fitted(tube, order[range].iter().map(|o| &samples[o.1]), &axes) {
                shapes.push(Shape { u, axes, terms, doubt });
                break;
            }
            reach *= 2.0;
        }
        u += 0.5 * radius;
        if shapes.len() > 20_000 {
            break;
        }
    }
    shapes
}

/// Harmonics of the residuals of some samples, by least squares, and the standard error of one.
fn fitted<'a>(
    tube: &Tube,
    samples: impl Iterator<Item = &'a Sample>,
    axes: &[Vec3; 2],
) -> Option<([f64; 4], f64)> {
    let mut matrix = [[0.0; 8]; 7];
    let mut sectors = 0_u8;
    let mut count = 0;
    let mut square = 0.0;
    for s in samples {
        let plain = Sample { bias: 0.0, ..*s };
        let e = residual(tube, &plain);
        if e < -0.55 * tube.radius(s.u) {
            continue;
        }
        let angle = angle_of(axes, &(s.x - tube.at(s.u)));
        sectors |= 1 << ((angle / std::f64::consts::TAU + 0.5) * 8.0).min(7.0) as u8;
        count += 1;
        square += e * e;
        let (s1, c1) = angle.sin_cos();
        let (s2, c2) = (2.0 * angle).sin_cos();
        let (s4, c4) = (4.0 * angle).sin_cos();
        let row = [1.0, c1, s1, c2, s2, c4, s4];
        for i in 0..7 {
            for j in 0..7 {
                matrix[i][j] += row[i] * row[j];
            }
            matrix[i][7] += row[i] * e;
        }
    }
    if sectors != u8::MAX || count < 12 {
        return None;
    }
    let right = matrix.map(|row| row[7]);
    // Gauss elimination; the matrix is positive and nearly diagonal.
    for i in 0..7 {
        matrix[i][i] += 1e-9 * f64::from(count);
        for k in i + 1..7 {
            let factor = matrix[k][i] / matrix[i][i];
            for j in i..8 {
                matrix[k][j] -= factor * matrix[i][j];
            }
        }
    }
    let mut x = [0.0; 7];
    for i in (0..7).rev() {
        let known: f64 = (i + 1..7).map(|j| matrix[i][j] * x[j]).sum();
        x[i] = (matrix[i][7] - known) / matrix[i][i];
    }
    // What is left of the squares is chance, and of that a share of two in all vertices.
    let left = square - x.iter().zip(right).map(|(x, b)| x * b).sum::<f64>();
    let doubt = (2.0 * left.max(0.0) / f64::from(count - 7) / f64::from(count)).sqrt();
    Some(([x[3], x[4], x[5], x[6]], doubt))
}

/// Whether sections are so far from round that the fit has to know; of few vertices of a corrugated or noisy surface chance makes ovals.
pub(crate) fn matters(tube: &Tube, shapes: &[Shape]) -> bool {
    let mut sizes: Vec<f64> =
        shapes.iter().map(|s| (s.terms[0].hypot(s.terms[1]) - 3.0 * s.doubt) / tube.radius(s.u)).collect();
    if sizes.is_empty() {
        return false;
    }
    sizes.sort_by(f64::total_cmp);
    sizes[sizes.len() / 2] > 0.01
}

/// The shape at a place, between the two next to it.
pub(crate) fn shape_at(tube: &Tube, shapes: &[Shape], u: f64) -> Option<Shape> {
    let k = shapes.partition_point(|s| s.u < u);
    let (a, b) = (shapes.get(k.saturating_sub(1))?, shapes.get(k).or(shapes.last())?);
    let w = if b.u > a.u { ((u - a.u) / (b.u - a.u)).clamp(0.0, 1.0) } else { 0.0 };
    let tangent = tube.tangent(u);
    let mixed = (1.0 - w) * a.axes[0] + w * b.axes[0];
    let x = (mixed - mixed.dot(&tangent) * tangent).try_normalize(0.0)?;
    let terms = [0, 1, 2, 3].map(|i| (1.0 - w) * a.terms[i] + w * b.terms[i]);
    Some(Shape { u, axes: [x, tangent.cross(&x)], terms, doubt: a.doubt.max(b.doubt) })
}

/// Tells every sample what the shape of the section takes it off the tube.
pub(crate) fn correct(tube: &Tube, shapes: &[Shape], samples: &mut [Sample]) {
    for s in samples {
        if let Some(shape) = shape_at(tube, shapes, s.u) {
            s.bias = shape.at(angle_of(&shape.axes, &(s.x - tube.at(s.u))));
        }
    }
}

impl Fit {
    /// Semi-axes at a place and the direction of the larger, where the section is no circle.
    pub fn ellipse(&self, u: f64) -> Option<([f64; 2], Vec3)> {
        let shape = shape_at(&self.tube, &self.shapes, u)?;
        let (axes, along) = shape.semi_axes(self.tube.radius(u));
        (axes[1] > 0.0).then_some((axes, along))
    }

    /// What the shape of the section takes a point beside the tube off it.
    pub fn bias(&self, x: &Vec3, u: f64) -> f64 {
        let shape = shape_at(&self.tube, &self.shapes, u);
        shape.map_or(0.0, |s| s.at(angle_of(&s.axes, &(x - self.tube.at(u)))))
    }

    /// Radius of the circle with the area of the section.
    pub fn radius(&self, u: f64) -> f64 {
        self.ellipse(u).map_or_else(|| self.tube.radius(u), |(axes, _)| (axes[0] * axes[1]).sqrt())
    }
}
