//! Measurements by chance: points of a solved scene with noise, and how often intervals hold what they were made of.

use super::fit::{Looked, Model};
use super::inference::Inference;
use super::points::Measured;
use super::pose::Pose;
use crate::base::StudyError;
use crate::study::normal;
use crate::study::sample::uniform;
use crate::study::statistics::{Estimate, rate};
use flexline::Vec3;
use flexline_session::derivative::station;
use flexline_session::session::Solved;
use rayon::prelude::*;
use serde::Serialize;

/// A number by chance, of a normal distribution: it depends on the seed, a stream and an index alone.
fn chance(seed: u64, stream: u64, index: u64) -> f64 {
    normal::quantile(uniform(seed, stream, index))
}

/// Points of a cable of a solved scene, the same distance apart and away from its ends, each off by chance in every direction.
pub fn scattered(solved: &Solved, cable: usize, count: usize, deviation: f64, seed: u64) -> Vec<Vec3> {
    let (compiled, state) = (&solved.compiled, &solved.solution.state);
    let length = compiled.length_now(state, cable);
    let point = |k: usize| {
        let s = length * (k as f64 + 0.5) / count as f64;
        let off = Vec3::from_fn(|axis, _| chance(seed, axis as u64, k as u64));
        station(compiled, state, cable, s).position + off * deviation
    };
    (0..count).map(point).collect()
}

/// How often intervals of a parameter hold the truth.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// The parameter.
    pub name: String,
    /// Share of the repetitions in which its interval held the truth, and the interval of that share.
    pub share: Estimate,
    /// In how many of them it was called unknown, and claimed nothing.
    pub unknown: usize,
}

/// What came of many repetitions.
#[derive(Clone, Debug, Serialize)]
pub struct Coverages {
    /// How many.
    pub repetitions: usize,
    /// How many of these did not converge; they claim nothing.
    pub failed: usize,
    /// Every parameter.
    pub parameters: Vec<Coverage>,
}

/// Repeats the identification with new noise on what `truth` looks like.
pub(super) fn coverage(
    model: &Model,
    truth: &Looked,
    factor: f64,
    repetitions: usize,
    seed: u64,
    each: &(dyn Fn() + Sync),
) -> Result<Coverages, StudyError> {
    let one = |repetition: usize| -> Result<Option<Vec<Option<bool>>>, StudyError> {
        let own = again(model, truth, factor, seed.wrapping_add(repetition as u64));
        let active = vec![true; own.poses.len()];
        let fit = own.fit(&truth.coordinates, &active, Some(truth), &|_, _| {});
        each();
        let Ok(fit) = fit else { return Ok(None) };
        if fit.ending != super::fit::Ending::Converged {
            return Ok(None);
        }
        let inference = Inference::new(&own, &fit);
        let held = |k: usize| {
            let unknown = &own.unknowns[k];
            let estimate = inference.estimate(k, unknown, fit.looked.coordinates[k]);
            let value = unknown.value(truth.coordinates[k]);
            estimate.interval.map(|[low, high]| (low..=high).contains(&value))
        };
        Ok(Some((0..own.unknowns.len()).map(held).collect()))
    };
    let all = (0..repetitions).into_par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
    let good: Vec<&Vec<Option<bool>>> = all.iter().flatten().collect();
    let parameter = |(k, own): (usize, &super::unknown::Unknown)| {
        let claims: Vec<bool> = good.iter().filter_map(|held| held[k]).collect();
        let held = claims.iter().filter(|own| **own).count();
        Coverage {
            name: own.name.clone(),
            share: rate(held, claims.len()),
            unknown: good.len() - claims.len(),
        }
    };
    Ok(Coverages {
        repetitions,
        failed: repetitions - good.len(),
        parameters: model.unknowns.iter().enumerate().map(parameter).collect(),
    })
}

/// The same measurement of what `truth` looks like with noise of its own: each point at its foot, off by chance in all directions. What
/// is known before is measured anew as well: its mean is off by chance, as a mean of a prior is.
fn again(model: &Model, truth: &Looked, factor: f64, seed: u64) -> Model {
    let pose = |(k, own): (usize, &Pose)| {
        let mut points = own.points.clone();
        for (index, (point, foot)) in points.iter_mut().zip(&truth.feet[k]).enumerate() {
            let deviation = model.sigma(k, index) * factor;
            let off = |axis: u64| deviation * chance(seed, 4 * k as u64 + axis, index as u64);
            match &mut point.at {
                Measured::Space(at) => *at = foot.at + Vec3::new(off(0), off(1), off(2)),
                Measured::Image(at, camera) => {
                    if let Some((seen, _)) = camera.project(&foot.at) {
                        *at = [seen[0] + off(0), seen[1] + off(1)];
                    }
                }
            }
        }
        Pose {
            name: own.name.clone(),
            base: own.base.clone(),
            scene: own.scene.clone(),
            points,
            cables: own.cables.clone(),
            index: own.index,
            change: own.change.clone(),
        }
    };
    let mut unknowns = model.unknowns.clone();
    for (k, own) in unknowns.iter_mut().enumerate() {
        if let Some([mean, sigma]) = &mut own.prior {
            *mean = truth.coordinates[k] + *sigma * chance(seed, u64::MAX, k as u64);
        }
    }
    let poses = model.poses.iter().enumerate().map(pose).collect();
    Model { poses, unknowns, noise: model.noise, robust: model.robust }
}
