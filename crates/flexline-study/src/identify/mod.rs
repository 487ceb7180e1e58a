//! Identification: the properties of a cable from points that were measured of it.
//!
//! An [`Identification`] has poses, each a scene with the points measured in it, and unknowns: properties of cables, errors of where they
//! are held, any value of the scene file. Its most likely values ([`Identification::run`]) come with standard errors, intervals,
//! correlations, what can be told only together, whether the residuals look like noise, how well the fit of the other poses predicts each,
//! and which pose would tell what these do not. What is not known is said to be unknown and has no interval.

mod advice;
mod camera;
mod distribution;
mod fit;
mod huber;
mod inference;
mod points;
mod pose;
mod residuals;
mod synthetic;
#[cfg(test)]
mod tests;
mod unknown;
mod write;

pub use advice::Advice;
pub use camera::Camera;
pub use inference::{Combination, Estimate};
pub use points::{Measured, Point, read as read_points};
pub use residuals::{Check, Largest};
pub use synthetic::{Coverage, Coverages, scattered};

use crate::base::{Base, StudyError};
use fit::{Ending, Fit, Looked, Model};
use flexline::Vec3;
use flexline_scene::words::{millimetres, offer, quote};
use flexline_session::session::Solved;
use inference::Inference;
use pose::Pose;
use serde::Serialize;
use unknown::What;

/// What was measured in one pose.
pub struct Measurement {
    /// What messages call the pose.
    pub name: String,
    /// Its scene.
    pub base: Base,
    /// Its points.
    pub points: Vec<Point>,
}

/// How much points are off by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// The standard deviation in every direction, of points in space, m, and in photographs, px.
    Stated {
        /// In space.
        space: f64,
        /// In photographs whose camera says nothing.
        image: f64,
    },
    /// It is estimated from the residuals.
    Estimated,
}

/// What is asked.
pub struct Request {
    /// The poses.
    pub poses: Vec<Measurement>,
    /// Names of what is identified.
    pub vary: Vec<String>,
    /// What is known before, as `NAME=VALUE+-DEVIATION`.
    pub priors: Vec<String>,
    /// How much points are off by.
    pub noise: Noise,
    /// Whether outliers count less.
    pub robust: bool,
}

/// A problem of identification, ready to be solved.
pub struct Identification {
    model: Model,
}

/// How a pose is met.
#[derive(Clone, Debug, Serialize)]
pub struct PoseFit {
    /// What it is called.
    pub name: String,
    /// How many points.
    pub points: usize,
    /// Root of the mean square of their distances, m, or px where all are of photographs.
    pub rms: f64,
    /// The unit of that.
    pub unit: &'static str,
    /// The same where the other poses alone were fitted; none of a single pose or where that fit failed.
    pub predicted: Option<f64>,
    /// The largest distance then.
    pub predicted_most: Option<f64>,
}

/// A curl as its size and its direction.
#[derive(Clone, Debug, Serialize)]
pub struct Roll {
    /// What it is of.
    pub name: String,
    /// Curvature, 1/m.
    pub curvature: f64,
    /// Its interval at 95 %.
    pub interval: [f64; 2],
    /// Direction of its bending axis from d1 towards d2, rad; none where it is not known which way it curls.
    pub direction: Option<f64>,
    /// Standard error of that, rad.
    pub direction_error: Option<f64>,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Identified {
    /// Whether the search converged. Where not, values are those of the last good state and nothing is claimed of them.
    pub converged: bool,
    /// How it ended, in words.
    pub status: String,
    /// Steps of the search.
    pub steps: usize,
    /// The values.
    pub parameters: Vec<Estimate>,
    /// Their correlations; none where one is unknown.
    pub correlations: Vec<Vec<Option<f64>>>,
    /// What can be told only together.
    pub together: Vec<Combination>,
    /// Uniform rest curvatures as a roll leaves them.
    pub rolls: Vec<Roll>,
    /// Standard deviation of points, as stated or estimated, m, or px where all points are of photographs.
    pub noise: f64,
    /// The interval of an estimated one.
    pub noise_interval: Option<[f64; 2]>,
    /// Half of the width of intervals in standard errors.
    pub width: f64,
    /// Whether residuals look like noise.
    pub check: Check,
    /// The poses.
    pub poses: Vec<PoseFit>,
    /// Which pose would tell what is unknown.
    pub advice: Option<Advice>,
    /// Where derivatives were taken by differences of problems solved again.
    pub differences: Vec<String>,
    /// Another length that would explain the points, where they do not fit.
    pub length: Option<String>,
    /// For pictures.
    #[serde(skip)]
    pub shown: Vec<Shown>,
    /// The first scene with what is known of it.
    #[serde(skip)]
    pub text: String,
    #[serde(skip)]
    fit: Option<Fit>,
}

impl std::fmt::Debug for Fit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fit").field("ending", &self.ending).finish_non_exhaustive()
    }
}

/// A pose as it is drawn.
#[derive(Debug)]
pub struct Shown {
    /// What it is called.
    pub name: String,
    /// Its equilibrium.
    pub solved: Solved,
    /// Points in space, m.
    pub points: Vec<Vec3>,
    /// Where along its cable each point belongs to, m, and its distance there in deviations, one list for every cable.
    pub residuals: Vec<[f64; 2]>,
}

impl Identification {
    /// Checks what is asked.
    pub fn new(request: Request) -> Result<Self, StudyError> {
        let Request { poses: measured, vary, priors, noise, robust } = request;
        if measured.is_empty() {
            return Err(StudyError::Input("nothing was measured: say --data POINTS.csv".into()));
        }
        let mut poses = Vec::new();
        let mut compiled = Vec::new();
        for (index, Measurement { name, base, points }) in measured.into_iter().enumerate() {
            let scene = base.read(&base.text)?;
            let own = scene.compile_even_short()?;
            let labels = || own.cables.iter().map(|cable| cable.name.as_str());
            let cable = |point: &Point| match &point.cable {
                None if own.cables.len() == 1 => Ok(0),
                None => Err(StudyError::Input(format!(
                    "{}, line {}: of which cable is it? The scene has {}; add a column \"cable\"",
                    point.file,
                    point.line,
                    labels().collect::<Vec<_>>().join(", ")
                ))),
                Some(name) => labels().position(|label| label == name).ok_or_else(|| {
                    StudyError::Input(format!(
                        "{}, line {}: no cable is called \"{}\"; {}",
                        point.file,
                        point.line,
                        quote(name),
                        offer(name, labels())
                    ))
                }),
            };
            let cables = points.iter().map(cable).collect::<Result<Vec<_>, _>>()?;
            for (k, length) in own.cables.iter().map(|cable| cable.length).enumerate() {
                let of = points.iter().zip(&cables).filter(|(_, cable)| **cable == k).map(|(point, _)| point);
                fits(&of.collect::<Vec<_>>(), length, &own.cables[k].name)?;
            }
            compiled.push(own);
            poses.push(Pose { name, base, scene, points, cables, index, change: None });
        }
        let facts: Vec<_> =
            poses.iter().zip(&compiled).map(|(pose, own)| (&pose.base, &pose.scene, own)).collect();
        let mut unknowns = unknown::unknowns(&vary, &facts)?;
        for prior in &priors {
            unknown::set_prior(prior, &mut unknowns)?;
        }
        let count = |image: bool| {
            let all = poses.iter().flat_map(|own| &own.points);
            all.filter(|own| matches!(own.at, Measured::Image(..)) == image).count()
        };
        if noise == Noise::Estimated && count(true) > 0 && count(false) > 0 {
            let help = "points in space and of photographs have noise of their own, and only one can be estimated: say --noise 0.5mm, and noise (px) in the file of the camera";
            return Err(StudyError::Input(help.into()));
        }
        let numbers: usize = poses
            .iter()
            .flat_map(|own| &own.points)
            .map(|own| match (&own.at, own.arc) {
                (Measured::Space(_), Some(_)) => 3,
                (Measured::Space(_), None) | (Measured::Image(..), Some(_)) => 2,
                (Measured::Image(..), None) => 1,
            })
            .sum();
        let wanted = unknowns.iter().filter(|own| own.prior.is_none()).count();
        let spare = usize::from(noise == Noise::Estimated);
        if numbers < wanted + spare {
            return Err(StudyError::Input(format!(
                "{} points say {numbers} numbers, and {wanted} are unknown{}: measure more points, vary less, or say what is known before (--prior)",
                count(true) + count(false),
                if spare > 0 { " besides the noise" } else { "" }
            )));
        }
        let noise = match noise {
            Noise::Stated { space, image } => Some([space, image]),
            Noise::Estimated => None,
        };
        Ok(Self { model: Model { poses, unknowns, noise, robust } })
    }

    /// Finds the most likely values and how well they are known; `each` is told the number of every step and the deviation of the
    /// residuals then.
    pub fn run(&self, each: &(dyn Fn(usize, f64) + Sync)) -> Result<Identified, StudyError> {
        let model = &self.model;
        let all = vec![true; model.poses.len()];
        let near = self.begin()?;
        let fit = model.fit(&model.start(), &all, near.as_ref(), each)?;
        let converged = fit.ending == Ending::Converged;
        let inference = Inference::new(model, &fit);
        let coordinates = &fit.looked.coordinates;
        let mut parameters: Vec<Estimate> = model
            .unknowns
            .iter()
            .enumerate()
            .map(|(k, own)| inference.estimate(k, own, coordinates[k]))
            .collect();
        if !converged {
            for own in &mut parameters {
                (own.standard_error, own.interval, own.known) = (None, None, false);
            }
        }
        let check = residuals::check(model, &fit, inference.dof);
        let images =
            model.poses.iter().flat_map(|own| &own.points).all(|own| matches!(own.at, Measured::Image(..)));
        let noise = deviation(model, images) * fit.factor;
        let noise_interval =
            model.noise.is_none().then(|| inference::deviation_interval(noise, inference.dof));
        let mut poses: Vec<PoseFit> = (0..model.poses.len()).map(|k| met(model, &fit, k)).collect();
        let mut length = None;
        if converged {
            if poses.len() > 1 {
                for k in 0..poses.len() {
                    [poses[k].predicted, poses[k].predicted_most] = self.predicted(&fit, k)?;
                }
            }
            if !check.findings.is_empty() || images || noise > 5e-3 * longest(model) {
                length = self.other_length(&fit)?;
            }
        }
        let advice = if converged { advice::advice(model, &fit, &inference)? } else { None };
        Ok(Identified {
            converged,
            status: self.ending(&fit),
            steps: fit.steps,
            correlations: if converged { inference.correlations() } else { Vec::new() },
            together: if converged {
                inference.combinations(&model.unknowns, coordinates)
            } else {
                Vec::new()
            },
            rolls: if converged { rolls(model, &fit, &inference) } else { Vec::new() },
            noise,
            noise_interval,
            width: inference.width,
            check,
            poses,
            advice,
            differences: fit.instead.clone(),
            length,
            shown: shown(model, &fit),
            text: write::text(model, &parameters)?,
            parameters,
            fit: Some(fit),
        })
    }

    /// Repeats the identification on what was found, with new noise each time, and counts how often intervals hold it.
    pub fn coverage(
        &self,
        found: &Identified,
        repetitions: usize,
        seed: u64,
        each: &(dyn Fn() + Sync),
    ) -> Result<Coverages, StudyError> {
        match found.fit.as_ref().filter(|_| found.converged) {
            Some(fit) => synthetic::coverage(&self.model, &fit.looked, fit.factor, repetitions, seed, each),
            None => Err(StudyError::Input("the search did not converge: there is nothing to repeat".into())),
        }
    }

    /// The poses as the scenes have them, where they have an equilibrium. Points that are nowhere near a cable were measured in
    /// other axes.
    fn begin(&self) -> Result<Option<Looked>, StudyError> {
        let model = &self.model;
        let all = vec![true; model.poses.len()];
        let Ok(looked) = model.look(&model.start(), &all, None)? else { return Ok(None) };
        for (pose, feet) in model.poses.iter().zip(&looked.feet) {
            for (cable, own) in pose.scene.cables.iter().enumerate() {
                let of = pose.points.iter().zip(feet).zip(&pose.cables).filter(|(_, known)| **known == cable);
                let of = of.filter(|((point, _), _)| matches!(point.at, Measured::Space(_)));
                let least = of.map(|((_, foot), _)| foot.distance()).fold(f64::INFINITY, f64::min);
                if least.is_finite() && least > own.cable.length {
                    return Err(StudyError::Input(format!(
                        "{}: the nearest point lies {} from cable '{}', which is {} long: measured in other axes, or of another part",
                        pose.name,
                        millimetres(least),
                        own.cable.name,
                        millimetres(own.cable.length)
                    )));
                }
            }
        }
        Ok(Some(looked))
    }

    fn ending(&self, fit: &Fit) -> String {
        match &fit.ending {
            Ending::Converged => format!("converged in {} steps", fit.steps),
            Ending::Failed { pose, why } => format!(
                "not converged: {} has no equilibrium farther on ({why}); the values are those of the last good state",
                self.model.poses[*pose].name
            ),
            Ending::Stalled => "not converged: no step leads farther, as beside a snap; the values are those of the last good state".into(),
            Ending::Unfinished => format!("not converged after {} steps", fit.steps),
        }
    }

    /// How well the fit of the other poses predicts one: rms and largest distance.
    fn predicted(&self, fit: &Fit, left_out: usize) -> Result<[Option<f64>; 2], StudyError> {
        let model = &self.model;
        let mut active = vec![true; model.poses.len()];
        active[left_out] = false;
        let Ok(own) = model.fit(&fit.looked.coordinates, &active, Some(&fit.looked), &|_, _| {}) else {
            return Ok([None; 2]);
        };
        if own.ending != Ending::Converged {
            return Ok([None; 2]);
        }
        let mut coordinates = own.looked.coordinates;
        // Of the errors of the pose itself nothing is known.
        for (unknown, x) in model.unknowns.iter().zip(&mut coordinates) {
            if unknown.pose == Some(left_out) {
                *x = unknown.prior.map_or(unknown.coordinate(unknown.start), |prior| prior[0]);
            }
        }
        let mut alone = vec![false; model.poses.len()];
        alone[left_out] = true;
        let Ok(looked) = model.look(&coordinates, &alone, Some(&fit.looked))? else { return Ok([None; 2]) };
        let feet = &looked.feet[left_out];
        let most = feet.iter().map(pose::Foot::distance).fold(0.0, f64::max);
        Ok([Some(rms(feet)), Some(most)])
    }

    /// Whether the points fit another length far better.
    fn other_length(&self, fit: &Fit) -> Result<Option<String>, StudyError> {
        let model = &self.model;
        if model.unknowns.iter().any(|own| own.name.ends_with(".length"))
            || model.poses[0].scene.cables.len() != 1
        {
            return Ok(None);
        }
        let cable = &model.poses[0].scene.cables[0].cable;
        let name = "cable.length".to_owned();
        let compiled = model.poses[0].scene.compile_even_short()?;
        let facts = [(&model.poses[0].base, &model.poses[0].scene, &compiled)];
        let Ok(more) = unknown::unknowns(&[name], &facts) else { return Ok(None) };
        let mut other = Model {
            poses: Vec::new(),
            unknowns: model.unknowns.iter().cloned().chain(more).collect(),
            noise: model.noise,
            robust: model.robust,
        };
        for own in &model.poses {
            other.poses.push(Pose {
                name: own.name.clone(),
                base: own.base.clone(),
                scene: own.scene.clone(),
                points: own.points.clone(),
                cables: own.cables.clone(),
                index: own.index,
                change: None,
            });
        }
        let mut start = fit.looked.coordinates.clone();
        start.push(cable.length.ln());
        let all = vec![true; other.poses.len()];
        let Ok(found) = other.fit(&start, &all, None, &|_, _| {}) else { return Ok(None) };
        if found.ending != Ending::Converged {
            return Ok(None);
        }
        let last = other.unknowns.len() - 1;
        let inference = Inference::new(&other, &found);
        let estimate = inference.estimate(last, &other.unknowns[last], found.looked.coordinates[last]);
        let squares = |own: &Fit| own.system.residuals.norm_squared();
        let apart = (estimate.value / cable.length - 1.0).abs();
        let sure =
            estimate.standard_error.is_some_and(|error| (estimate.value - cable.length).abs() > 5.0 * error);
        let better = squares(&found) < 0.5 * squares(fit);
        Ok((sure && better && apart > 2e-3).then(|| {
            format!(
                "the points fit a cable of {} far better than the {} of the scene: they are of another part, or the length is wrong; vary cable.length",
                millimetres(estimate.value),
                millimetres(cable.length)
            )
        }))
    }
}

/// Root of the mean square of the deviations of all points in space, or of photographs, before any factor.
fn deviation(model: &Model, images: bool) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (k, pose) in model.poses.iter().enumerate() {
        for (point, _) in pose.points.iter().enumerate().filter(|(_, own)| own.is_of_photograph() == images) {
            sum += model.sigma(k, point).powi(2);
            count += 1;
        }
    }
    (sum / f64::from(count.max(1))).sqrt()
}

fn longest(model: &Model) -> f64 {
    model.poses.iter().flat_map(|own| &own.scene.cables).fold(0.0f64, |most, own| most.max(own.cable.length))
}

fn rms(feet: &[pose::Foot]) -> f64 {
    let squares: f64 = feet.iter().map(|foot| foot.distance().powi(2)).sum();
    (squares / feet.len().max(1) as f64).sqrt()
}

fn met(model: &Model, fit: &Fit, k: usize) -> PoseFit {
    let (pose, feet) = (&model.poses[k], &fit.looked.feet[k]);
    let images = pose.points.iter().all(|own| matches!(own.at, Measured::Image(..)));
    PoseFit {
        name: pose.name.clone(),
        points: feet.len(),
        rms: rms(feet),
        unit: if images { "px" } else { "m" },
        predicted: None,
        predicted_most: None,
    }
}

fn shown(model: &Model, fit: &Fit) -> Vec<Shown> {
    let of = |(k, pose): (usize, &Pose)| {
        let places = pose.points.iter().filter_map(|own| match own.at {
            Measured::Space(at) => Some(at),
            Measured::Image(..) => None,
        });
        let off = |(point, foot): (usize, &pose::Foot)| {
            [foot.s, foot.distance() / (model.sigma(k, point) * fit.factor)]
        };
        Some(Shown {
            name: pose.name.clone(),
            solved: fit.looked.solved[k].clone()?,
            points: places.collect(),
            residuals: fit.looked.feet[k].iter().enumerate().map(off).collect(),
        })
    };
    model.poses.iter().enumerate().filter_map(of).collect()
}

/// Pairs of uniform rest curvatures by size and direction.
fn rolls(model: &Model, fit: &Fit, inference: &Inference) -> Vec<Roll> {
    let mut found = Vec::new();
    for (k, own) in model.unknowns.iter().enumerate() {
        let What::Curvature(cable, 0) = own.what else { continue };
        let both = [k, k + 1];
        let Some(other) = model.unknowns.get(k + 1).filter(|own| own.what == What::Curvature(cable, 1))
        else {
            continue;
        };
        if both.iter().any(|k| inference.errors[*k] > inference::UNKNOWN) {
            continue;
        }
        let x = [own.value(fit.looked.coordinates[k]), other.value(fit.looked.coordinates[k + 1])];
        let size = x[0].hypot(x[1]);
        if size == 0.0 {
            continue;
        }
        let covariance =
            |i: usize, j: usize| inference.covariance[(both[i], both[j])] * own.scale * other.scale;
        let variance = |u: [f64; 2]| {
            u[0] * u[0] * covariance(0, 0)
                + 2.0 * u[0] * u[1] * covariance(0, 1)
                + u[1] * u[1] * covariance(1, 1)
        };
        let (along, across) = ([x[0] / size, x[1] / size], [-x[1] / size, x[0] / size]);
        let error = variance(along).max(0.0).sqrt();
        let turn = variance(across).max(0.0).sqrt() / size;
        let ends = [-1.0, 1.0].map(|side| size + side * inference.width * error);
        let sure = turn < inference::UNKNOWN;
        found.push(Roll {
            name: own.asked.clone(),
            curvature: size,
            interval: [ends[0].max(0.0), ends[1]],
            direction: sure.then(|| x[1].atan2(x[0])),
            direction_error: sure.then_some(turn),
        });
    }
    found
}

/// Refuses points that cannot be of a cable of this length, with what they may be.
fn fits(points: &[&Point], length: f64, cable: &str) -> Result<(), StudyError> {
    // Beyond the cable by this share something is wrong, and less than this share of it is no measurement of it.
    const SLACK: f64 = 1.1;
    const LITTLE: f64 = 0.01;
    let places: Vec<Vec3> = points
        .iter()
        .filter_map(|own| match own.at {
            Measured::Space(at) => Some(at),
            Measured::Image(..) => None,
        })
        .collect();
    let Some(first) = points.first() else { return Ok(()) };
    let file = &first.file;
    if let Some(own) =
        points.iter().find(|own| own.arc.is_some_and(|s| !(-0.02..=1.02).contains(&(s / length))))
    {
        return Err(StudyError::Input(format!(
            "{file}, line {}: s is {}, but cable '{}' is {} long: of another part, or in another unit (heads say it, as in \"s [mm]\")",
            own.line,
            millimetres(own.arc.unwrap_or_default()),
            quote(cable),
            millimetres(length)
        )));
    }
    let (mut low, mut high) = (Vec3::from_element(f64::INFINITY), Vec3::from_element(f64::NEG_INFINITY));
    for at in &places {
        (low, high) = (low.inf(at), high.sup(at));
    }
    let spread = (high - low).amax();
    if places.len() < 2 {
        return Ok(());
    }
    let told = |why: &str| {
        StudyError::Input(format!(
            "{file}: the points spread over {}, but cable '{}' is {} long: {why}",
            millimetres(spread),
            quote(cable),
            millimetres(length)
        ))
    };
    let likely = |factor: f64| (LITTLE..SLACK).contains(&(spread * factor / length));
    if spread > SLACK * length {
        return Err(told(match likely(1e-3) {
            true => {
                "they look like millimetres that are read as metres: write the heads as \"x [mm]\", \"y [mm]\", \"z [mm]\""
            }
            false => "they are of another part, or in another unit (heads say it, as in \"x [mm]\")",
        }));
    }
    if spread < LITTLE * length && likely(1e3) {
        return Err(told(
            "they look like metres that are read as millimetres: write the heads as \"x [m]\", \"y [m]\", \"z [m]\"",
        ));
    }
    Ok(())
}
