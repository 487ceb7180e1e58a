//! Huber's weights: residuals beyond a bend count by their size, not by its square.

use super::distribution::chi_squared_below;
use crate::study::normal;

/// The share of good residuals within the bend: that of the usual 1.345 deviations of one number, by which estimates lose a twentieth of
/// their efficiency where nothing is an outlier.
const WITHIN: f64 = 0.821_37;
/// A residual beyond what a share of this of all good ones keeps within is called an outlier: three deviations of one number.
const GOOD: f64 = 0.997_3;

/// The function for residuals of one to three numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Huber {
    /// Where it bends, in deviations.
    pub bend: f64,
    /// Beyond this a point is called an outlier.
    pub outlier: f64,
    /// E[min(z², k²)]/d of good residuals.
    pub share: f64,
    size: usize,
}

impl Huber {
    /// For residuals of so many numbers.
    pub fn of(size: usize) -> Self {
        // The quantiles of χ² with 1, 2 and 3 degrees of freedom, and the means that follow.
        static TABLE: std::sync::OnceLock<[Huber; 3]> = std::sync::OnceLock::new();
        let table = TABLE.get_or_init(|| {
            [1, 2, 3].map(|size| {
                let dof = size as f64;
                let square = super::distribution::chi_squared_quantile(dof, WITHIN);
                let share = chi_squared_below(dof + 2.0, square)
                    + square * (1.0 - chi_squared_below(dof, square)) / dof;
                let outlier = super::distribution::chi_squared_quantile(dof, GOOD).sqrt();
                Self { bend: square.sqrt(), outlier, share, size }
            })
        });
        table[size.clamp(1, 3) - 1]
    }

    /// ρ, which is z² within the bend.
    pub fn cost(&self, z: f64) -> f64 {
        if z <= self.bend { z * z } else { self.bend * (2.0 * z - self.bend) }
    }

    /// The weight of a residual.
    pub fn weight(&self, z: f64) -> f64 {
        if z <= self.bend { 1.0 } else { self.bend / z }
    }

    /// By what the variance of estimates is larger than that of least squares where all residuals are good: E[ψ²]/E[ψ′]².
    pub fn loss(&self) -> f64 {
        let (k, d) = (self.bend, self.size as f64);
        // E[k/z; z > k], which is (d − 1)/d of what directions across add to E[ψ′].
        let across = match self.size {
            1 => 0.0,
            2 => k * (2.0 * std::f64::consts::PI).sqrt() * (1.0 - normal::below(k)),
            _ => k * (2.0 / std::f64::consts::PI).sqrt() * (-0.5 * k * k).exp(),
        };
        let slope = chi_squared_below(d, k * k) + (d - 1.0) / d * across;
        self.share / (slope * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The means agree with sums over the distribution, and the loss is the twentieth that the bend was chosen for.
    #[test]
    fn means_agree_with_sums() {
        for size in 1..=3 {
            let own = Huber::of(size);
            let d = size as f64;
            let density = |z: f64| {
                2.0 * (0.5f64).powf(0.5 * d) / super::super::distribution::ln_gamma(0.5 * d).exp()
                    * z.powf(d - 1.0)
                    * (-0.5 * z * z).exp()
            };
            let (n, h) = (200_000, 5e-5);
            let (mut square, mut slope) = (0.0, 0.0);
            for k in 0..n {
                let z = (f64::from(k) + 0.5) * h;
                let weight = own.weight(z);
                square += density(z) * h * (weight * z).powi(2);
                // ψ = w(z) z along, and w(z) across.
                let along = if z <= own.bend { 1.0 } else { 0.0 };
                slope += density(z) * h * (along + (d - 1.0) * weight) / d;
            }
            assert!((square / d - own.share).abs() < 1e-6, "{size}: {} {}", square / d, own.share);
            // ψ′ jumps at the bend, by chance anywhere in a cell of the sum: h times the density, four times over in the quotient.
            assert!((own.loss() - square / d / slope.powi(2)).abs() < 2.0 * h, "{size}");
            assert!((1.0..1.06).contains(&own.loss()), "{size}: {}", own.loss());
        }
        assert!((Huber::of(1).bend - 1.345).abs() < 1e-3);
    }
}
