//! Whether what is left looks like noise: its size, the runs of its signs along the cable, and its largest.

use super::distribution::chi_squared_below;
use super::fit::{Fit, Model};
use super::huber::Huber;
use super::points::Measured;
use crate::study::normal;
use flexline::Vec3;
use serde::Serialize;

/// A chance below this is called none.
pub(super) const CHANCE: f64 = 0.01;
/// Fewer signs than this say nothing about runs.
const FEWEST: usize = 8;

/// The point that is farthest off, in deviations.
#[derive(Clone, Debug, Serialize)]
pub struct Largest {
    /// Its pose.
    pub pose: usize,
    /// Its file.
    pub file: String,
    /// Its line there.
    pub line: usize,
    /// Where it belongs to on its cable, m.
    pub s: f64,
    /// How far it is off, m or px.
    pub distance: f64,
    /// The same in deviations.
    pub deviations: f64,
}

/// What the residuals say about the model.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Sum of the squares of all residuals, in stated deviations; none where the deviation is estimated.
    pub chi_squared: Option<f64>,
    /// Degrees of freedom that are left.
    pub dof: f64,
    /// The chance of as large a sum, were the model and the noise as stated.
    pub chance_of_size: Option<f64>,
    /// Runs of equal signs along the cables, and how many chance has.
    pub runs: Option<[f64; 2]>,
    /// The chance of as few runs.
    pub chance_of_runs: Option<f64>,
    /// The point that is farthest off.
    pub largest: Option<Largest>,
    /// Points beyond what 99.73 % of good ones keep.
    pub outliers: usize,
    /// How many of so many good points would be.
    pub expected_outliers: f64,
    /// What is wrong, in sentences; empty where the residuals look like noise.
    pub findings: Vec<String>,
}

pub(super) fn check(model: &Model, fit: &Fit, dof: f64) -> Check {
    let blocks = fit.system.blocks();
    let good = |z: f64, size: usize| !model.robust || z <= Huber::of(size).outlier;
    let is_outlier = |own: &&(f64, usize)| own.0 / fit.factor > Huber::of(own.1).outlier;
    let outliers = blocks.iter().filter(is_outlier).count();
    let mut findings = Vec::new();
    let (mut chi_squared, mut chance_of_size) = (None, None);
    if model.noise.is_some() {
        let kept = blocks.iter().filter(|own| good(own.0, own.1));
        let (sum, lost) = kept.fold((0.0, dof - fit.system.residuals.len() as f64), |(sum, count), own| {
            (sum + own.0 * own.0, count + own.1 as f64)
        });
        let above = 1.0 - chi_squared_below(lost.max(1.0), sum);
        (chi_squared, chance_of_size) = (Some(sum), Some(above));
        let size = (sum / lost.max(1.0)).sqrt();
        if above < CHANCE {
            findings.push(format!(
                "the residuals are {size:.2} times as large as the stated noise: the noise is larger, or the model misses something; intervals are too narrow"
            ));
        } else if 1.0 - above < CHANCE {
            findings.push(format!(
                "the residuals are {size:.2} times the stated noise: the noise is smaller than stated, and intervals are too wide"
            ));
        }
    }
    let signs = sequences(model, fit);
    let counted: Vec<[f64; 3]> = signs.iter().filter_map(|own| runs(own)).collect();
    let [found, mean, variance] =
        counted.iter().fold([0.0; 3], |sum, own| [0, 1, 2].map(|k| sum[k] + own[k]));
    let (mut told, mut chance_of_runs) = (None, None);
    if variance > 0.0 {
        let chance = normal::below((found + 0.5 - mean) / variance.sqrt());
        (told, chance_of_runs) = (Some([found, mean]), Some(chance));
        if chance < CHANCE {
            findings.push(format!(
                "neighbouring residuals point the same way ({found:.0} runs of signs, by chance {mean:.0}): the model misses something that changes along the cable"
            ));
        }
    }
    if model.robust && outliers > 0 {
        findings.push(format!("{outliers} of {} points are outliers and tell nothing", blocks.len()));
    }
    let expected_outliers = (1.0 - 0.9973) * blocks.len() as f64;
    Check {
        chi_squared,
        dof,
        chance_of_size,
        runs: told,
        chance_of_runs,
        largest: largest(model, fit),
        outliers,
        expected_outliers,
        findings,
    }
}

fn largest(model: &Model, fit: &Fit) -> Option<Largest> {
    let of = |pose: usize| {
        fit.looked.feet[pose].iter().enumerate().map(move |(point, foot)| {
            (pose, point, foot.distance() / (model.sigma(pose, point) * fit.factor))
        })
    };
    let all = (0..fit.looked.feet.len()).flat_map(of);
    let (pose, point, deviations) = all.max_by(|a, b| a.2.total_cmp(&b.2))?;
    let (own, foot) = (&model.poses[pose].points[point], &fit.looked.feet[pose][point]);
    let (file, line) = (own.file.to_string(), own.line);
    Some(Largest { pose, file, line, s: foot.s, distance: foot.distance(), deviations })
}

/// Pose, cable, file and direction.
type Sequence = (usize, usize, String, usize);

/// Components of the residuals in the order of the arc length, one list for every pose, cable, file and direction.
fn sequences(model: &Model, fit: &Fit) -> Vec<Vec<f64>> {
    let mut found: Vec<(Sequence, Vec<(f64, f64)>)> = Vec::new();
    for (pose, feet) in fit.looked.feet.iter().enumerate() {
        let own = &model.poses[pose];
        for ((point, foot), cable) in own.points.iter().zip(feet).zip(&own.cables) {
            let components: Vec<f64> = match &point.at {
                Measured::Image(..) => foot.rows.iter().map(|row| row.value).collect(),
                Measured::Space(at) => {
                    // Across the cable and level, and across both; where it runs upright there is no level direction to go by.
                    let across = Vec3::z().cross(&foot.tangent);
                    if across.norm() < 0.1 {
                        continue;
                    }
                    let across = across.normalize();
                    vec![(at - foot.at).dot(&across), (at - foot.at).dot(&foot.tangent.cross(&across))]
                }
            };
            for (direction, value) in components.into_iter().enumerate() {
                let key = (pose, *cable, point.file.to_string(), direction);
                match found.iter_mut().find(|known| known.0 == key) {
                    Some((_, list)) => list.push((foot.s, value)),
                    None => found.push((key, vec![(foot.s, value)])),
                }
            }
        }
    }
    let sorted = |(_, mut list): (_, Vec<(f64, f64)>)| {
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        list.into_iter().map(|own| own.1).collect()
    };
    found.into_iter().map(sorted).collect()
}

/// How many runs of equal signs there are, and mean and variance by chance (Wald and Wolfowitz 1940).
fn runs(values: &[f64]) -> Option<[f64; 3]> {
    let signs: Vec<bool> = values.iter().filter(|v| **v != 0.0).map(|v| *v > 0.0).collect();
    let n = signs.len() as f64;
    let up = signs.iter().filter(|own| **own).count() as f64;
    if signs.len() < FEWEST {
        return None;
    }
    let product = 2.0 * up * (n - up);
    let found = 1.0 + signs.windows(2).filter(|own| own[0] != own[1]).count() as f64;
    Some([found, product / n + 1.0, product * (product - n) / (n * n * (n - 1.0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted() {
        let [found, mean, variance] = runs(&[1.0, 2.0, -1.0, -1.0, 3.0, -2.0, -1.0, 1.0]).expect("enough");
        assert_eq!((found, mean), (5.0, 5.0));
        // 2·4·4 (2·4·4 − 8) / (8² · 7)
        assert!((variance - 32.0 * 24.0 / 448.0).abs() < 1e-12);
    }
}
