//! Real roots of a quartic between −1 and 1, by the roots of its derivatives: between two of them a polynomial is monotone.

/// Values of a polynomial below this share of the sum of its coefficients are zero where it has a horizontal tangent.
const TOUCHING: f64 = 1e-10;

/// Up to sixteen numbers in order: roots, and places where the polynomial only nearly vanishes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Roots {
    values: [f64; 16],
    count: usize,
}

impl Roots {
    pub(super) fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    fn push(&mut self, value: f64) {
        if self.count < self.values.len() {
            self.values[self.count] = value;
            self.count += 1;
        }
    }
}

/// Σ c_i xⁱ.
fn value(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Roots of Σ c_i xⁱ in [−1, 1]. A double root may come twice or not exactly; none is lost.
pub(super) fn between_one(c: [f64; 5]) -> Roots {
    let mut found = Roots::default();
    // Derivatives from the linear one up, each with the roots of the one before.
    for order in (0..4).rev() {
        let mut own = [0.0; 5];
        let degree = 4 - order;
        for i in 0..=degree {
            own[i] = (0..order).fold(c[i + order], |v, d| v * (i + order - d) as f64);
        }
        found = monotone_pieces(&own[..=degree], &found);
    }
    found
}

/// Roots of a polynomial whose derivative vanishes at `turns`.
fn monotone_pieces(c: &[f64], turns: &Roots) -> Roots {
    let mut found = Roots::default();
    let size: f64 = c.iter().map(|c| c.abs()).sum();
    let mut left = -1.0;
    let mut at_left = value(c, left);
    if at_left.abs() <= TOUCHING * size {
        found.push(left);
    }
    for &right in turns.as_slice().iter().chain(&[1.0]) {
        let at_right = value(c, right);
        if at_left * at_right < 0.0 {
            found.push(bracketed(c, left, right, at_left));
        }
        if at_right.abs() <= TOUCHING * size {
            found.push(right);
        }
        (left, at_left) = (right, at_right);
    }
    found
}

/// The root between two places of opposite sign: Newton's method, and bisection where it leaves the bracket.
fn bracketed(c: &[f64], mut a: f64, mut b: f64, at_a: f64) -> f64 {
    let mut x = 0.5 * (a + b);
    for _ in 0..80 {
        let (mut f, mut slope) = (0.0, 0.0);
        for c in c.iter().rev() {
            slope = slope * x + f;
            f = f * x + c;
        }
        if f == 0.0 {
            return x;
        }
        if (f < 0.0) == (at_a < 0.0) {
            a = x;
        } else {
            b = x;
        }
        let step = x - f / slope;
        let next = if step > a && step < b { step } else { 0.5 * (a + b) };
        if (next - x).abs() <= 2.0 * f64::EPSILON {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_roots(lead: f64, roots: [f64; 4]) -> [f64; 5] {
        let mut c = [lead, 0.0, 0.0, 0.0, 0.0];
        for (degree, r) in roots.iter().enumerate() {
            for i in (0..=degree + 1).rev() {
                c[i] = if i > 0 { c[i - 1] } else { 0.0 } - r * if i <= degree { c[i] } else { 0.0 };
            }
        }
        c
    }

    #[test]
    fn finds_every_root_inside_and_none_outside() {
        for (lead, roots) in [
            (1.0, [-0.9, -0.2, 0.3, 0.8]),
            (-3.0, [-5.0, 0.1, 0.2, 40.0]),
            (1e6, [0.4999, 0.5, 0.5001, 2.0]),
            (0.02, [-1.0, 1.0, 0.0, 7.0]),
        ] {
            let found = between_one(from_roots(lead, roots));
            for r in roots.iter().filter(|r| r.abs() <= 1.0) {
                let nearest = found.as_slice().iter().map(|x| (x - r).abs()).fold(1.0, f64::min);
                // Three roots within 1e-4 of one another lose eight digits.
                assert!(nearest < 1e-7, "{r} of {roots:?}: {found:?}");
            }
            assert!(found.as_slice().iter().all(|x| roots.iter().any(|r| (x - r).abs() < 1e-4)), "{found:?}");
        }
    }

    #[test]
    fn a_double_root_is_found_and_lower_degrees_are() {
        let found = between_one(from_roots(2.0, [0.25, 0.25, 3.0, -6.0]));
        assert!(found.as_slice().iter().any(|x| (x - 0.25).abs() < 1e-6), "{found:?}");
        // 1 − 4 x², then a line, then a constant.
        assert_eq!(between_one([1.0, 0.0, -4.0, 0.0, 0.0]).as_slice(), [-0.5, 0.5]);
        assert_eq!(between_one([-0.5, 2.0, 0.0, 0.0, 0.0]).as_slice(), [0.25]);
        assert_eq!(between_one([1.0, 0.0, 0.0, 0.0, 0.0]).count, 0);
    }
}
