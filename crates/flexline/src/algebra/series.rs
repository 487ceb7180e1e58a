//! Power series: where to stop them, and Stumpff's functions.
//!
//! The series of this project solve `R′ = R [a + b x]×` and its half-angle form on |x| ≤ 1. Their terms
//! obey |Rₙ| ≤ mₙ with m₀ = 1 and n mₙ = α mₙ₋₁ + β mₙ₋₂, where α = |a| and β = |b|: the terms of
//! exp(α x + β x²/2). The bound costs two products per term and tells where to stop.

/// Most terms that a series of this project may have; see [`Majorant`] for how many it needs.
pub const MAX_TERMS: usize = 64;

/// 1/n, with 0 in the place of 1/0.
pub const RECIPROCAL: [f64; MAX_TERMS + 2] = {
    let mut table = [0.0; MAX_TERMS + 2];
    let mut n = 1;
    while n < table.len() {
        table[n] = 1.0 / n as f64;
        n += 1;
    }
    table
};

/// The bound mₙ on the terms of a series, term by term.
#[derive(Clone, Copy, Debug)]
pub struct Majorant {
    alpha: f64,
    beta: f64,
    term: f64,
    before: f64,
}

impl Majorant {
    /// The bound at the first term.
    pub fn new(alpha: f64, beta: f64) -> Self {
        Self { alpha, beta, term: 1.0, before: 0.0 }
    }

    /// Goes on to term `n`, those before having been visited in turn.
    #[inline]
    pub fn step(&mut self, n: usize) {
        let next = (self.alpha * self.term + self.beta * self.before) * RECIPROCAL[n];
        (self.before, self.term) = (self.term, next);
    }

    /// Whether this term and the one before are so small that the rest may be left out.
    #[inline]
    pub fn negligible(&self, tolerance: f64) -> bool {
        self.term + self.before <= tolerance
    }

    /// Number of terms until the rest is negligible, at most [`MAX_TERMS`].
    pub fn terms(alpha: f64, beta: f64, tolerance: f64) -> usize {
        let mut bound = Self::new(alpha, beta);
        let mut n = 1;
        while n < MAX_TERMS {
            bound.step(n);
            if bound.negligible(tolerance) {
                break;
            }
            n += 1;
        }
        n
    }
}

/// 1/n! for n = 0 … N − 1.
pub const fn inverse_factorials<const N: usize>() -> [f64; N] {
    let mut table = [1.0; N];
    let mut n = 1;
    while n < N {
        table[n] = table[n - 1] / n as f64;
        n += 1;
    }
    table
}

/// 1/n! for the indices of [`stumpff`].
const INVERSE_FACTORIAL: [f64; 10] = inverse_factorials();

/// y up to which [`SHORT_SERIES`] is enough.
const SHORT: f64 = 0.0036;
/// The first four terms of every function: `[k][n]` is (−1)ᵏ/(n + 2k)!.
const SHORT_SERIES: [[f64; 10]; 4] = {
    let mut table = [INVERSE_FACTORIAL; 4];
    let mut k = 1;
    while k < 4 {
        let mut n = 0;
        while n < 10 {
            let at = (n + 2 * k) as f64;
            table[k][n] = -table[k - 1][n] / ((at - 1.0) * at);
            n += 1;
        }
        k += 1;
    }
    table
};

/// Terms of c₈ and c₉ that are enough up to y = 1: the next is 4e-17 of the first.
const TAIL_TERMS: usize = 7;
/// `[k]` is (−1)ᵏ/(n + 2k)! for n = 8 and 9.
const TAIL: [[f64; 2]; TAIL_TERMS] = {
    let mut table = [[INVERSE_FACTORIAL[8], INVERSE_FACTORIAL[9]]; TAIL_TERMS];
    let mut k = 1;
    while k < TAIL_TERMS {
        let mut i = 0;
        while i < 2 {
            let at = (8 + i + 2 * k) as f64;
            table[k][i] = -table[k - 1][i] / ((at - 1.0) * at);
            i += 1;
        }
        k += 1;
    }
    table
};

/// Stumpff's functions cₙ(y) = Σₖ (−y)ᵏ/(n + 2k)! for n = 0 … 9 and y ≥ 0.
///
/// With y = φ² they are cos φ, sin φ/φ, (1 − cos φ)/φ², (φ − sin φ)/φ³ and so on; they obey
/// cₙ = 1/n! − y cₙ₊₂ and 2 cₙ′ = n cₙ₊₂ − cₙ₊₁ (Stiefel & Scheifele 1971, §11).
#[inline]
pub fn stumpff(y: f64) -> [f64; 10] {
    if y > SHORT {
        return stumpff_beyond(y);
    }
    // Ten short sums side by side: no number has to wait for another.
    let [t0, t1, t2, t3] = &SHORT_SERIES;
    let mut c = std::array::from_fn(|n| t0[n] + y * (t1[n] + y * (t2[n] + y * t3[n])));
    // The next term of the cosine would still count.
    c[0] = 1.0 - y * c[2];
    c
}

/// The same above [`SHORT`].
fn stumpff_beyond(y: f64) -> [f64; 10] {
    let mut c = [0.0; 10];
    if y <= 1.0 {
        let mut tail = TAIL[TAIL_TERMS - 1];
        for terms in TAIL[..TAIL_TERMS - 1].iter().rev() {
            tail = [terms[0] + y * tail[0], terms[1] + y * tail[1]];
        }
        [c[8], c[9]] = tail;
        for n in (0..8).rev() {
            c[n] = INVERSE_FACTORIAL[n] - y * c[n + 2];
        }
        return c;
    }
    if y < 40.0 {
        // The last two by their series, which has no large terms yet; the others by going down.
        for n in [8, 9] {
            let (mut sum, mut term, mut k) = (0.0, INVERSE_FACTORIAL[n], n as f64);
            while term.abs() > 1e-18 * INVERSE_FACTORIAL[n] {
                sum += term;
                term *= -y / ((k + 1.0) * (k + 2.0));
                k += 2.0;
            }
            c[n] = sum;
        }
        for n in (0..8).rev() {
            c[n] = INVERSE_FACTORIAL[n] - y * c[n + 2];
        }
    }
    // Going down has lost digits of the first four by now; their definitions have not.
    let phi = y.sqrt();
    let (sin, cos) = phi.sin_cos();
    let half = (0.5 * phi).sin();
    c[0] = cos;
    c[1] = sin / phi;
    c[2] = 2.0 * half * half / y;
    c[3] = (phi - sin) / (phi * y);
    if y >= 40.0 {
        for n in 4..10 {
            c[n] = (INVERSE_FACTORIAL[n - 2] - c[n - 2]) / y;
        }
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::double_double::DoubleDouble;

    /// cₙ by its series in twice the precision: good while e^φ is below 1e16.
    fn plain(n: usize, y: f64) -> f64 {
        let mut term = DoubleDouble::ONE;
        for k in 1..=n {
            term = term.over(k as f64);
        }
        let mut sum = DoubleDouble::ZERO;
        let mut k = n as f64;
        for _ in 0..150 {
            sum += term;
            term = (term * DoubleDouble::from(-y)).over((k + 1.0) * (k + 2.0));
            k += 2.0;
        }
        sum.hi
    }

    #[test]
    fn stumpff_functions_agree_with_their_series() {
        for y in [
            0.0, 1e-12, 1e-3, 0.003_599, 0.003_601, 0.3, 0.999, 1.001, 4.0, 17.0, 39.4, 39.999, 40.001, 95.0,
            300.0,
        ] {
            let c = stumpff(y);
            for (n, value) in c.into_iter().enumerate() {
                let exact = plain(n, y);
                // cₙ is about 1/((n − 2)! y) where y is large, but for the first two, which oscillate.
                let phi = y.sqrt().max(1.0);
                let size = if n < 2 { phi.powi(-(n as i32)) } else { INVERSE_FACTORIAL[n - 2] / y.max(1.0) };
                let scale = size.min(INVERSE_FACTORIAL[n]);
                // The root itself is rounded, and sine and cosine see an angle that is wrong by that.
                let scale = if n < 4 { scale * phi } else { scale };
                assert!((value - exact).abs() < 2e-15 * scale, "c{n}({y}): {value} instead of {exact}");
            }
        }
    }

    #[test]
    fn the_bound_holds_and_is_reached() {
        // Scalar case: the terms of exp(α x + β x²/2) themselves.
        let (alpha, beta) = (1.3, 0.7);
        let mut bound = Majorant::new(alpha, beta);
        let mut sum = 1.0;
        for n in 1..40 {
            bound.step(n);
            sum += bound.term;
        }
        assert!((sum - f64::exp(alpha + 0.5 * beta)).abs() < 1e-14);
    }

    #[test]
    fn the_number_of_terms_stays_inside_the_table() {
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let count = Majorant::terms(4.0 * share, 4.0 * (1.0 - share), f64::EPSILON / 8.0);
            assert!(count < MAX_TERMS - 3, "{share}: {count}");
        }
        assert_eq!(Majorant::terms(0.0, 0.0, 1e-17), 2);
    }
}
