//! Numbers of twice the precision, as unevaluated sums of two (Dekker 1971): for references.
//!
//! About 31 digits. Slow, and used only where something else has to be measured to its last digit.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// The sum `hi + lo` with |lo| at most half a unit in the last place of `hi`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    /// The number rounded to double precision.
    pub hi: f64,
    /// What rounding left out.
    pub lo: f64,
}

/// a + b exactly, as rounded sum and error (Knuth).
fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let hi = a + b;
    let virtual_b = hi - a;
    DoubleDouble { hi, lo: (a - (hi - virtual_b)) + (b - virtual_b) }
}

/// The same where |a| ≥ |b|.
fn quick_two_sum(a: f64, b: f64) -> DoubleDouble {
    let hi = a + b;
    DoubleDouble { hi, lo: b - (hi - a) }
}

impl DoubleDouble {
    /// Zero.
    pub const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    /// One.
    pub const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// The sum of two ordinary numbers, exactly.
    pub fn sum(a: f64, b: f64) -> Self {
        two_sum(a, b)
    }

    /// The quotient by an ordinary number.
    pub fn over(self, d: f64) -> Self {
        let first = self.hi / d;
        let rest = self - Self::from(first) * Self::from(d);
        quick_two_sum(first, (rest.hi + rest.lo) / d)
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let s = two_sum(self.hi, other.hi);
        let t = two_sum(self.lo, other.lo);
        let s = quick_two_sum(s.hi, s.lo + t.hi);
        quick_two_sum(s.hi, s.lo + t.lo)
    }
}

impl AddAssign for DoubleDouble {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let hi = self.hi * other.hi;
        // The error of the product, exactly.
        let error = self.hi.mul_add(other.hi, -hi);
        quick_two_sum(hi, error + (self.hi * other.lo + self.lo * other.hi))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_tiny(x: DoubleDouble, scale: f64) {
        assert!((x.hi + x.lo).abs() < 1e-30 * scale, "{x:?}");
    }

    #[test]
    fn arithmetic_keeps_thirty_digits() {
        let third = DoubleDouble::ONE.over(3.0);
        assert_tiny(third + third + third - DoubleDouble::ONE, 1.0);
        let seventh = DoubleDouble::ONE.over(7.0);
        // (1/3 + 1/7)² = 100/441
        let sum = third + seventh;
        assert_tiny(sum * sum - DoubleDouble::from(100.0).over(441.0), 1.0);
        assert!(third.lo != 0.0, "the second half is in use");
    }

    #[test]
    fn what_double_precision_absorbs_is_kept() {
        let large = DoubleDouble::sum(1e16, 1.0);
        assert_eq!((large - DoubleDouble::from(1e16)).hi, 1.0);
        assert_eq!(1e16 + 1.0 - 1e16, 0.0);
    }
}
