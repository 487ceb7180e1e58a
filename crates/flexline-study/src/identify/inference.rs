//! How well values are known: standard errors, intervals, correlations, and what cannot be told apart.

use super::distribution::{chi_squared_quantile, student_two_sided};
use super::fit::{Decomposed, Fit, Model, NONE};
use super::unknown::Unknown;
use crate::study::normal;
use crate::study::statistics::CONFIDENCE;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// A standard error beyond this, in coordinates of the search (a factor of two; a length of the cable; 40°): the interval of a straight
/// line through a curve tells nothing any more, and the value is called unknown.
pub(super) const UNKNOWN: f64 = 0.7;
/// A value whose part in a direction without effect is below this is not touched by it: the round-off of derivatives over the gap between
/// directions with effect and those without.
const UNTOUCHED: f64 = 1e-3;
/// What is below this beside the largest is left out where a direction is put into words.
const NEGLIGIBLE: f64 = 0.03;
/// No more names in a sentence about a direction.
const MOST_TOLD: usize = 4;

/// A value and how well it is known.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// The pose that has it for its own.
    pub pose: Option<usize>,
    /// The most likely value; of what is unknown only where the search was left.
    pub value: f64,
    /// In the unit; none where it is unknown.
    pub standard_error: Option<f64>,
    /// At 95 %; none where it is unknown.
    pub interval: Option<[f64; 2]>,
    /// Whether it is known at all.
    pub known: bool,
    /// Mean and deviation before any measurement.
    pub prior: Option<[f64; 2]>,
}

/// Values that can be told only together.
#[derive(Clone, Debug, Serialize)]
pub struct Combination {
    /// In a sentence.
    pub words: String,
    /// Names, and by how much each changes where nothing measured does: shares of what is positive, else SI.
    pub direction: Vec<(String, f64)>,
    /// The ratio or product that is known, where there is one: its name, value and interval.
    pub known: Option<(String, f64, [f64; 2])>,
}

/// How well all values are known.
pub(super) struct Inference {
    /// In coordinates; directions without effect are left out of it.
    pub covariance: DMatrix<f64>,
    /// Standard error of every coordinate; infinite where a direction without effect touches it.
    pub errors: Vec<f64>,
    /// Directions that tell nothing.
    pub blind: Vec<DVector<f64>>,
    /// Degrees of freedom that are left.
    pub dof: f64,
    /// Half of the width of a 95 % interval in standard errors.
    pub width: f64,
}

impl Inference {
    pub fn new(model: &Model, fit: &Fit) -> Self {
        let information = fit.system.information(fit.factor, model.robust);
        let spent = fit.system.spent(&fit.system.solve(fit.factor, model.robust));
        let dof = (fit.system.residuals.len() as f64 - spent).max(1.0);
        Self::of(&information, dof, model.noise.is_none())
    }

    /// Of what measurements tell; `estimated` says whether the noise comes from the residuals.
    pub fn of(information: &Decomposed, dof: f64, estimated: bool) -> Self {
        let count = information.vectors.nrows();
        let largest = information.values.iter().fold(0.0f64, |m, v| m.max(*v));
        let mut covariance = DMatrix::zeros(count, count);
        let (mut none, mut blind) = (Vec::new(), Vec::new());
        for (k, s) in information.values.iter().enumerate() {
            let vector: DVector<f64> = information.vectors.column(k).into_owned();
            if *s <= NONE * largest || *s == 0.0 {
                none.push(vector.clone());
                blind.push(vector);
                continue;
            }
            covariance += &vector * vector.transpose() / (s * s);
            if 1.0 / s > UNKNOWN {
                blind.push(vector);
            }
        }
        let error = |k: usize| match none.iter().any(|vector| vector[k].abs() > UNTOUCHED) {
            true => f64::INFINITY,
            false => covariance[(k, k)].sqrt(),
        };
        let errors = (0..count).map(error).collect();
        let width =
            if estimated { student_two_sided(dof, CONFIDENCE) } else { normal::two_sided(CONFIDENCE) };
        Self { covariance, errors, blind, dof, width }
    }

    /// The estimate of an unknown.
    pub fn estimate(&self, k: usize, own: &Unknown, coordinate: f64) -> Estimate {
        let error = self.errors[k];
        let value = own.value(coordinate);
        let known = error <= UNKNOWN;
        let ends = [-1.0, 1.0].map(|side| own.value(coordinate + side * self.width * error));
        Estimate {
            name: own.name.clone(),
            unit: own.unit,
            pose: own.pose,
            value,
            standard_error: known.then_some(if own.positive { value * error } else { own.scale * error }),
            interval: known.then_some(ends),
            known,
            prior: own.prior.map(|[mean, sigma]| match own.positive {
                true => [mean.exp(), mean.exp() * sigma],
                false => [mean * own.scale, sigma * own.scale],
            }),
        }
    }

    /// Correlations of all pairs; none where one of them is unknown.
    pub fn correlations(&self) -> Vec<Vec<Option<f64>>> {
        let known = |k: usize| self.errors[k] <= UNKNOWN;
        let of = |i: usize, j: usize| {
            let scale = (self.covariance[(i, i)] * self.covariance[(j, j)]).sqrt();
            (known(i) && known(j) && scale > 0.0).then(|| self.covariance[(i, j)] / scale)
        };
        let count = self.errors.len();
        (0..count).map(|i| (0..count).map(|j| of(i, j)).collect()).collect()
    }

    /// What can be told only together, in words: directions that leave a value unknown.
    pub fn combinations(&self, unknowns: &[Unknown], coordinates: &[f64]) -> Vec<Combination> {
        let leaves = |vector: &&DVector<f64>| {
            (0..vector.len())
                .any(|k| self.errors[k] > UNKNOWN && vector[k].abs() > NEGLIGIBLE * vector.amax())
        };
        let meant: Vec<DVector<f64>> = self.blind.iter().filter(leaves).cloned().collect();
        let of = |vector: &DVector<f64>| self.combination(vector, unknowns, coordinates);
        sparse(&meant).iter().map(of).collect()
    }

    fn combination(&self, vector: &DVector<f64>, unknowns: &[Unknown], coordinates: &[f64]) -> Combination {
        let largest = vector.amax();
        let part: Vec<usize> =
            (0..vector.len()).filter(|k| vector[*k].abs() > NEGLIGIBLE * largest).collect();
        let name = |k: usize| unknowns[k].name.as_str();
        let all = part.iter().map(|k| name(*k)).collect::<Vec<_>>();
        let change =
            |k: usize| vector[k] / largest * if unknowns[k].positive { 1.0 } else { unknowns[k].scale };
        let direction = part.iter().map(|k| (name(*k).to_owned(), change(*k))).collect();
        let positive = part.iter().all(|k| unknowns[*k].positive);
        let equal = |k: &usize| (vector[*k] / vector[part[0]] - 1.0).abs() < NEGLIGIBLE;
        let mut known = None;
        let words = match part[..] {
            [only] => format!(
                "{} changes nothing that was measured by as much as the noise: it is unknown",
                name(only)
            ),
            [a, b] if positive => {
                // What stays is ln a − e ln b.
                let exponent = vector[a] / vector[b];
                let near = [1.0, -1.0].into_iter().find(|own| (exponent - own).abs() < NEGLIGIBLE);
                let exponent = near.unwrap_or(exponent);
                let told = match near {
                    Some(1.0) => format!("{} / {}", name(a), name(b)),
                    Some(_) => format!("{} · {}", name(a), name(b)),
                    None => format!("{} / {}^{exponent:.2}", name(a), name(b)),
                };
                known = self
                    .ratio([a, b], exponent, coordinates)
                    .map(|(value, ends)| (told.clone(), value, ends));
                let kind = match near {
                    Some(1.0) => "only as a ratio".into(),
                    Some(_) => "only as a product".into(),
                    None => format!("only as {told}"),
                };
                format!("{} and {}: {kind}", name(a), name(b))
            }
            _ if positive && part.iter().all(equal) => {
                let (last, others) = all.split_last().unwrap_or((&"", &[]));
                format!(
                    "{} and {last}: only their ratios; a common factor changes nothing that was measured",
                    others.join(", ")
                )
            }
            _ => {
                let told = |k: &usize| match unknowns[*k].positive {
                    true => format!("{} by {:+.0} %", name(*k), 10.0 * vector[*k] / largest),
                    false => format!("{} by {:+.2e} {}", name(*k), 0.1 * change(*k), unknowns[*k].unit)
                        .trim_end()
                        .to_owned(),
                };
                // Those that change most tell enough.
                let mut order = part.clone();
                order.sort_by(|a, b| vector[*b].abs().total_cmp(&vector[*a].abs()));
                let mut told: Vec<String> = order.iter().take(MOST_TOLD).map(told).collect();
                if order.len() > MOST_TOLD {
                    told.push(format!("{} others", order.len() - MOST_TOLD));
                }
                format!(
                    "only together: {} change nothing that was measured by as much as the noise",
                    told.join(" with ")
                )
            }
        };
        Combination { words, direction, known }
    }

    /// The value of a / bᵉ and its interval, where it is known.
    fn ratio(&self, [a, b]: [usize; 2], exponent: f64, coordinates: &[f64]) -> Option<(f64, [f64; 2])> {
        let mut along = DVector::zeros(coordinates.len());
        (along[a], along[b]) = (1.0, -exponent);
        let error = (along.transpose() * &self.covariance * &along)[(0, 0)].max(0.0).sqrt();
        let middle = coordinates[a] - exponent * coordinates[b];
        let untouched = self.blind.iter().map(|own| own.dot(&along).abs()).fold(0.0, f64::max);
        (error <= UNKNOWN && untouched < NEGLIGIBLE)
            .then(|| (middle.exp(), [-1.0, 1.0].map(|side| (middle + side * self.width * error).exp())))
    }
}

/// Other directions of the same space, with as many zeros as may be: reduced row by row.
fn sparse(vectors: &[DVector<f64>]) -> Vec<DVector<f64>> {
    let mut rows = vectors.to_vec();
    let mut taken = Vec::new();
    for k in 0..rows.len() {
        let best = (k..rows.len())
            .flat_map(|row| (0..rows[row].len()).map(move |column| (row, column)))
            .filter(|(_, column)| !taken.contains(column))
            .max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()));
        let Some((row, column)) = best else { break };
        rows.swap(k, row);
        taken.push(column);
        let pivot = rows[k].clone() / rows[k][column];
        for (other, own) in rows.iter_mut().enumerate() {
            if other == k {
                *own = pivot.clone();
            } else {
                let factor = own[column];
                *own -= &pivot * factor;
            }
        }
    }
    rows
}

/// The interval of an estimated deviation.
pub(super) fn deviation_interval(deviation: f64, dof: f64) -> [f64; 2] {
    let outside = 0.5 * (1.0 - CONFIDENCE);
    [1.0 - outside, outside].map(|share| deviation * (dof / chi_squared_quantile(dof, share)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_become_sparse() {
        // A common factor of three, and the third alone: mixed, as singular vectors are.
        let (a, b) = (DVector::from_vec(vec![0.6, 0.6, 0.1]), DVector::from_vec(vec![0.3, 0.3, -0.9]));
        let found = sparse(&[a, b]);
        let zeros: usize = found.iter().map(|own| own.iter().filter(|v| v.abs() < 1e-12).count()).sum();
        assert_eq!(zeros, 3, "{found:?}");
    }
}
