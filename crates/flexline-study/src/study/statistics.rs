//! What many values say: quantiles and rates with confidence, sensitivities.

use super::normal;
use super::sample::mixed;
use serde::Serialize;

/// How sure intervals are.
pub const CONFIDENCE: f64 = 0.95;

/// Samples drawn again for the intervals of indices.
const RESAMPLES: usize = 200;

/// A number with the interval that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The number.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub value: f64,
    /// The interval, at 95 %.
    pub interval: [f64; 2],
}

/// The value below which a share of all lies, with an interval that order statistics give it, whatever the distribution. The
/// values are in order, and there is one at least.
pub fn quantile(sorted: &[f64], share: f64) -> Estimate {
    let n = sorted.len() as f64;
    let place = share * (n - 1.0);
    let below = (place.floor() as usize).min(sorted.len() - 1);
    let above = (below + 1).min(sorted.len() - 1);
    let value = sorted[below] + (place - below as f64) * (sorted[above] - sorted[below]);
    // How many lie below it is spread by the binomial distribution.
    let reach = normal::two_sided(CONFIDENCE) * (n * share * (1.0 - share)).sqrt();
    let rank = |own: f64| sorted[(own.max(0.0) as usize).min(sorted.len() - 1)];
    Estimate { value, interval: [rank((n * share - reach).floor() - 1.0), rank((n * share + reach).ceil())] }
}

/// How often something happens, with the interval of Wilson.
pub fn rate(count: usize, of: usize) -> Estimate {
    if of == 0 {
        return Estimate { value: f64::NAN, interval: [0.0, 1.0] };
    }
    let (n, p) = (of as f64, count as f64 / of as f64);
    let z = normal::two_sided(CONFIDENCE);
    let middle = (p + 0.5 * z * z / n) / (1.0 + z * z / n);
    let reach = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + 0.25 * z * z / (n * n)).sqrt();
    Estimate { value: p, interval: [(middle - reach).max(0.0), (middle + reach).min(1.0)] }
}

/// Mean and standard deviation.
pub fn mean_and_deviation(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|own| (own - mean).powi(2)).sum::<f64>();
    [mean, (squares / (n - 1.0).max(1.0)).sqrt()]
}

/// Sobol's indices of one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Indices {
    /// Share of the variance by this parameter alone (Saltelli 2010).
    pub first: Estimate,
    /// Share that would vanish were all others fixed (Jansen 1999).
    pub total: Estimate,
}

/// Sobol's indices from the values at two sets of points and at the first with one column of the second, column by column.
pub fn indices(a: &[f64], b: &[f64], mixed_in: &[Vec<f64>], seed: u64) -> Vec<Indices> {
    let n = a.len();
    let of = |rows: &dyn Fn(usize) -> usize| -> Vec<[f64; 2]> {
        let all = (0..n).map(rows).flat_map(|row| [a[row], b[row]]).collect::<Vec<_>>();
        let [mean, deviation] = mean_and_deviation(&all);
        let variance = deviation.powi(2);
        let column = |own: &Vec<f64>| {
            let sums = (0..n).map(rows).fold([0.0; 2], |[first, total], row| {
                [first + (b[row] - mean) * (own[row] - a[row]), total + 0.5 * (a[row] - own[row]).powi(2)]
            });
            sums.map(|sum| sum / n as f64 / variance)
        };
        mixed_in.iter().map(column).collect()
    };
    let all = of(&|row| row);
    let again: Vec<Vec<[f64; 2]>> =
        (0..RESAMPLES).map(|k| of(&|row| (mixed(seed, k as u64, row as u64) % n as u64) as usize)).collect();
    let estimate = |column: usize, which: usize| {
        let value = all[column][which];
        let values: Vec<f64> = again.iter().map(|own| own[column][which]).collect();
        let reach = normal::two_sided(CONFIDENCE) * mean_and_deviation(&values)[1];
        Estimate { value, interval: [value - reach, value + reach] }
    };
    (0..mixed_in.len()).map(|k| Indices { first: estimate(k, 0), total: estimate(k, 1) }).collect()
}

/// A plane through values: how much each parameter changes them, and how much of all change it explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Regression {
    /// Change of the value per unit of each parameter.
    pub slopes: Vec<f64>,
    /// The same per deviation of the parameter, in deviations of the value.
    pub standardised: Vec<f64>,
    /// Share of the variance that the plane explains.
    pub explained: f64,
}

/// The plane of least squares; `None` where the values do not determine one.
pub fn regression(columns: &[Vec<f64>], values: &[f64]) -> Option<Regression> {
    let (n, count) = (values.len(), columns.len());
    if n < count + 2 {
        return None;
    }
    let [mean, deviation] = mean_and_deviation(values);
    let scales: Vec<[f64; 2]> = columns.iter().map(|own| mean_and_deviation(own)).collect();
    if deviation <= 1e-12 * mean.abs() || scales.iter().any(|own| own[1] <= 1e-14 * own[0].abs()) {
        return None;
    }
    let standard = |k: usize, row: usize| (columns[k][row] - scales[k][0]) / scales[k][1];
    let own = |row: usize| (values[row] - mean) / deviation;
    // Normal equations of standardised columns: a correlation matrix, eliminated without exchange.
    let mut matrix: Vec<Vec<f64>> = (0..count)
        .map(|i| {
            let mut line: Vec<f64> = (0..count)
                .map(|j| (0..n).map(|row| standard(i, row) * standard(j, row)).sum::<f64>() / n as f64)
                .collect();
            line.push((0..n).map(|row| standard(i, row) * own(row)).sum::<f64>() / n as f64);
            line
        })
        .collect();
    for k in 0..count {
        if matrix[k][k] < 1e-9 {
            return None;
        }
        for i in k + 1..count {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..=count {
                matrix[i][j] -= factor * matrix[k][j];
            }
        }
    }
    let mut standardised = vec![0.0; count];
    for k in (0..count).rev() {
        let rest: f64 = (k + 1..count).map(|j| matrix[k][j] * standardised[j]).sum();
        standardised[k] = (matrix[k][count] - rest) / matrix[k][k];
    }
    let left: f64 = (0..n)
        .map(|row| (own(row) - (0..count).map(|k| standardised[k] * standard(k, row)).sum::<f64>()).powi(2))
        .sum();
    let whole: f64 = (0..n).map(|row| own(row).powi(2)).sum();
    let slopes = (0..count).map(|k| standardised[k] * deviation / scales[k][1]).collect();
    Some(Regression { slopes, standardised, explained: 1.0 - left / whole })
}
