//! The most likely values: Levenberg's and Marquardt's method on the distances of points from cables that are solved again at every step.
//!
//! With residuals r(x) in deviations of the noise and priors of deviation σ about m, what is least is
//!
//! ```text
//! Φ(x) = Σ ρ(|rᵢ|) + Σ ((xₖ − mₖ)/σₖ)²,     ρ(z) = z², or 2kz − k² beyond k where outliers are to count less (Huber).
//! ```
//!
//! The feet of the points are found anew at every step. A residual is measured across the cable, so that the gradient of Φ is that with the
//! feet held: sliding along the cable changes no distance to first order. Steps come from the singular values of the scaled Jacobian;
//! directions without any effect are left where they are.

use super::distribution::chi_squared_quantile;
use super::huber::Huber;
use super::points::Measured;
use super::pose::{Foot, Pose};
use super::unknown::Unknown;
use crate::base::StudyError;
use flexline_session::session::Solved;
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

/// Most steps.
const MOST_STEPS: usize = 60;
/// A step is short when it changes Φ by less than this: a ten-thousandth of a standard error.
const SHORT: f64 = 1e-8;
/// Where no step leads farther, this is still the place: a hundredth of a standard error.
const SHORT_ENOUGH: f64 = 1e-4;
/// Singular values below this share of the largest are none: derivatives are exact to about a tenth of it.
pub(super) const NONE: f64 = 1e-6;
/// A coordinate goes no farther in one step: a factor of two.
const FARTHEST: f64 = 0.7;
/// Deviations below this share of the length are round-off of the solution.
const FLOOR: f64 = 1e-8;

/// The deviation that points are given where it is estimated; what is estimated is a factor on it. m and px.
pub(super) const REFERENCE: [f64; 2] = [1e-3, 1.0];

/// What is to be identified from what.
pub(super) struct Model {
    pub poses: Vec<Pose>,
    pub unknowns: Vec<Unknown>,
    /// The deviation of points in space, m, and in photographs, px, where it is stated; else it is estimated.
    pub noise: Option<[f64; 2]>,
    /// Whether outliers count less.
    pub robust: bool,
}

/// Everything at some coordinates.
#[derive(Clone)]
pub(super) struct Looked {
    pub coordinates: Vec<f64>,
    /// The equilibrium of every pose; none of those that take no part.
    pub solved: Vec<Option<Solved>>,
    pub feet: Vec<Vec<Foot>>,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ending {
    Converged,
    /// A pose had no equilibrium on the way, or no derivative.
    Failed {
        pose: usize,
        why: String,
    },
    /// No step led farther.
    Stalled,
    /// Too many steps.
    Unfinished,
}

/// The last good state of a search.
pub(super) struct Fit {
    pub looked: Looked,
    pub ending: Ending,
    pub steps: usize,
    pub system: System,
    /// Factor on the stated or the reference deviations.
    pub factor: f64,
    /// Where differences served instead of derivatives, and why.
    pub instead: Vec<String>,
}

/// Residuals and Jacobian, in deviations.
#[derive(Clone)]
pub(super) struct System {
    /// One after the other, point by point.
    pub residuals: DVector<f64>,
    pub jacobian: DMatrix<f64>,
    /// How many residuals each point has.
    pub sizes: Vec<usize>,
    /// Rows of the priors, in deviations: unknown, residual, derivative.
    pub priors: Vec<(usize, f64, f64)>,
}

/// The singular values of what is weighed, and what they say.
pub(super) struct Decomposed {
    /// In order, largest first.
    pub values: DVector<f64>,
    /// Right singular vectors, as columns.
    pub vectors: DMatrix<f64>,
    /// The right-hand side along each.
    pub along: DVector<f64>,
}

impl Model {
    /// The deviation of a point before any factor.
    pub fn sigma(&self, pose: usize, point: usize) -> f64 {
        let own = &self.poses[pose].points[point];
        let kind = usize::from(matches!(own.at, Measured::Image(..)));
        let camera = match &own.at {
            Measured::Image(_, camera) => camera.noise,
            Measured::Space(_) => None,
        };
        own.sigma.or(camera).unwrap_or_else(|| self.noise.unwrap_or(REFERENCE)[kind])
    }

    /// Where the search begins.
    pub fn start(&self) -> Vec<f64> {
        self.unknowns.iter().map(|own| own.coordinate(own.start)).collect()
    }

    /// Solves all poses that take part.
    pub fn look(
        &self,
        coordinates: &[f64],
        active: &[bool],
        before: Option<&Looked>,
    ) -> Result<Result<Looked, (usize, String)>, StudyError> {
        let values: Vec<f64> = self.unknowns.iter().zip(coordinates).map(|(own, x)| own.value(*x)).collect();
        let one = |(k, pose): (usize, &Pose)| {
            if !active[k] {
                return Ok(Ok((None, Vec::new())));
            }
            let before = before.and_then(|own| own.solved[k].as_ref());
            let solved = match pose.reach(&self.unknowns, &values, before)? {
                Ok(solved) => solved,
                Err(why) => return Ok(Err((k, why))),
            };
            let feet = pose.feet(&solved);
            Ok(Ok((Some(solved), feet)))
        };
        let all: Vec<Result<_, StudyError>> = self.poses.par_iter().enumerate().map(one).collect();
        let (mut solved, mut feet) = (Vec::new(), Vec::new());
        for own in all {
            match own? {
                Ok((a, b)) => {
                    solved.push(a);
                    feet.push(b);
                }
                Err(failed) => return Ok(Err(failed)),
            }
        }
        Ok(Ok(Looked { coordinates: coordinates.to_vec(), solved, feet }))
    }

    /// Residuals and Jacobian; tells where differences had to serve.
    pub fn system(&self, looked: &Looked) -> Result<(System, Vec<String>), (usize, String)> {
        let count = self.unknowns.len();
        let one = |(k, pose): (usize, &Pose)| match &looked.solved[k] {
            None => Ok(None),
            Some(solved) => pose
                .slopes(&self.unknowns, &looked.coordinates, solved, &looked.feet[k])
                .map(Some)
                .map_err(|why| (k, why)),
        };
        let all = self.poses.par_iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?;
        let (mut residuals, mut rows, mut sizes, mut instead) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (k, found) in all.into_iter().enumerate() {
            let Some((columns, own)) = found else { continue };
            instead.extend(own.map(|why| format!("{}: {why}", self.poses[k].name)));
            for (point, foot) in looked.feet[k].iter().enumerate() {
                let sigma = self.sigma(k, point);
                sizes.push(foot.rows.len());
                for row in &foot.rows {
                    residuals.push(row.value / sigma);
                    rows.extend(columns.iter().map(|column| {
                        column.as_ref().map_or(0.0, |column| -row.along.dot(&column[point]) / sigma)
                    }));
                }
            }
        }
        let priors = self.priors(&looked.coordinates);
        let system = System {
            jacobian: DMatrix::from_row_slice(residuals.len(), count, &rows),
            residuals: DVector::from_vec(residuals),
            sizes,
            priors,
        };
        Ok((system, instead))
    }

    fn priors(&self, coordinates: &[f64]) -> Vec<(usize, f64, f64)> {
        let own = self.unknowns.iter().zip(coordinates).enumerate();
        own.filter_map(|(k, (own, x))| own.prior.map(|[mean, sigma]| (k, (x - mean) / sigma, 1.0 / sigma)))
            .collect()
    }

    /// Φ for a factor on all deviations.
    fn cost(&self, looked: &Looked, factor: f64) -> f64 {
        let mut sum: f64 = self.priors(&looked.coordinates).iter().map(|own| own.1 * own.1).sum();
        for (k, feet) in looked.feet.iter().enumerate() {
            for (point, foot) in feet.iter().enumerate() {
                let z = foot.distance() / (self.sigma(k, point) * factor);
                sum += match self.robust {
                    true => Huber::of(foot.rows.len()).cost(z),
                    false => z * z,
                };
            }
        }
        sum
    }

    /// Smallest factor that means anything: round-off of the solution.
    fn floor(&self) -> f64 {
        let length = self
            .poses
            .iter()
            .flat_map(|own| &own.scene.cables)
            .fold(0.0f64, |m, own| m.max(own.cable.length));
        match self.noise {
            Some(_) => 1.0,
            None => FLOOR * length / REFERENCE[0],
        }
    }

    /// The factor on all deviations that the residuals tell, where `spent` of them went into the unknowns.
    pub fn factor(&self, system: &System, spent: f64) -> f64 {
        if self.noise.is_some() {
            return 1.0;
        }
        let n = system.residuals.len() as f64;
        let left = (n - spent).max(1.0);
        let blocks = system.blocks();
        let sum: f64 = blocks.iter().map(|(z, _)| z * z).sum();
        let mut factor = (sum / left).sqrt();
        if self.robust {
            // Huber's second proposal, from the median.
            let mut all: Vec<f64> =
                blocks.iter().map(|(z, d)| z / chi_squared_quantile(*d as f64, 0.5).sqrt()).collect();
            all.sort_by(f64::total_cmp);
            factor = all.get(all.len() / 2).copied().unwrap_or(factor).max(1e-3 * factor);
            for _ in 0..100 {
                let (mut own, mut expected) = (0.0, 0.0);
                for (z, d) in &blocks {
                    let huber = Huber::of(*d);
                    own += (z / factor).min(huber.bend).powi(2);
                    expected += huber.share * *d as f64;
                }
                let step = (own / (expected * left / n)).sqrt();
                factor *= step;
                if (step - 1.0).abs() < 1e-10 {
                    break;
                }
            }
        }
        factor.max(self.floor())
    }

    /// The most likely values, from `start` on, with the poses that take part.
    pub fn fit(
        &self,
        start: &[f64],
        active: &[bool],
        near: Option<&Looked>,
        each: &(dyn Fn(usize, f64) + Sync),
    ) -> Result<Fit, StudyError> {
        let mut looked = match self.look(start, active, near)? {
            Ok(looked) => looked,
            Err((pose, why)) => {
                return Err(StudyError::Input(format!(
                    "{}: the search cannot begin, there is no equilibrium with the values of the scene ({why}); give first guesses that have one",
                    self.poses[pose].name
                )));
            }
        };
        let (mut system, mut instead) = self
            .system(&looked)
            .map_err(|(pose, why)| StudyError::Input(format!("{}: {why}", self.poses[pose].name)))?;
        let mut factor = self.factor(&system, 0.0);
        let mut damping = 1e-4;
        let (mut steps, mut ending) = (0, Ending::Unfinished);
        while steps < MOST_STEPS {
            steps += 1;
            let solved = system.solve(factor, self.robust);
            factor = self.factor(&system, system.spent(&solved));
            let solved = system.solve(factor, self.robust);
            let largest = solved.values.max();
            let kept = |s: f64| s > NONE * largest;
            let decrement: f64 = (0..solved.values.len())
                .filter(|k| kept(solved.values[*k]))
                .map(|k| solved.along[k].powi(2))
                .sum();
            each(steps, factor);
            if decrement <= SHORT {
                ending = Ending::Converged;
                break;
            }
            let cost = self.cost(&looked, factor);
            let mean = solved.values.norm_squared() / solved.values.len() as f64;
            let better = loop {
                let mut step = DVector::zeros(self.unknowns.len());
                for k in (0..solved.values.len()).filter(|k| kept(solved.values[*k])) {
                    let s = solved.values[k];
                    let share = s / (s * s + damping * mean);
                    step -= solved.vectors.column(k) * (share * solved.along[k]);
                }
                let farthest = step.amax();
                if farthest > FARTHEST {
                    step *= FARTHEST / farthest;
                }
                let trial: Vec<f64> =
                    looked.coordinates.iter().zip(step.iter()).map(|(x, by)| x + by).collect();
                let failed = match self.look(&trial, active, Some(&looked))? {
                    Ok(found) if self.cost(&found, factor) < cost => break Ok(found),
                    Ok(_) => None,
                    Err(why) => Some(why),
                };
                if damping > 1e8 {
                    break Err(failed);
                }
                damping = (damping * 10.0).max(1e-6);
            };
            let found = match better {
                Ok(found) => found,
                Err(failed) => {
                    ending = match failed {
                        _ if decrement <= SHORT_ENOUGH => Ending::Converged,
                        Some((pose, why)) => Ending::Failed { pose, why },
                        None => Ending::Stalled,
                    };
                    break;
                }
            };
            match self.system(&found) {
                Ok((own, told)) => (system, instead) = (own, told),
                Err((pose, why)) => {
                    ending = Ending::Failed { pose, why };
                    break;
                }
            }
            looked = found;
            damping = (damping * 0.1).max(1e-14);
        }
        instead.dedup();
        Ok(Fit { looked, ending, steps, system, factor, instead })
    }
}

impl System {
    /// Of every point how far it is off, in deviations, and in how many directions.
    pub fn blocks(&self) -> Vec<(f64, usize)> {
        let mut at = 0;
        let of = |size: &usize| {
            let rows = self.residuals.rows(at, *size);
            at += size;
            (rows.norm(), *size)
        };
        self.sizes.iter().map(of).collect()
    }

    /// The weighed system with the rows of the priors, by its singular values.
    pub fn solve(&self, factor: f64, robust: bool) -> Decomposed {
        let weight = |z: f64, size: usize| if robust { Huber::of(size).weight(z) } else { 1.0 };
        self.decomposed(factor, &weight)
    }

    /// What the measurements tell where outliers tell nothing.
    pub fn information(&self, factor: f64, robust: bool) -> Decomposed {
        let weight = |z: f64, size: usize| match robust {
            true if z > Huber::of(size).outlier => 0.0,
            true => 1.0 / Huber::of(size).loss(),
            false => 1.0,
        };
        self.decomposed(factor, &weight)
    }

    fn decomposed(&self, factor: f64, weight: &dyn Fn(f64, usize) -> f64) -> Decomposed {
        let count = self.jacobian.ncols();
        let rows = self.residuals.len() + self.priors.len();
        let mut matrix = DMatrix::zeros(rows.max(count), count);
        let mut right = DVector::zeros(rows.max(count));
        let mut at = 0;
        for (z, size) in self.blocks() {
            let weight = weight(z / factor, size).sqrt() / factor;
            for row in at..at + size {
                matrix.row_mut(row).copy_from(&(self.jacobian.row(row) * weight));
                right[row] = self.residuals[row] * weight;
            }
            at += size;
        }
        for (k, residual, slope) in &self.priors {
            (matrix[(at, *k)], right[at]) = (*slope, *residual);
            at += 1;
        }
        let qr = matrix.qr();
        qr.q_tr_mul(&mut right);
        let svd = qr.r().svd(true, true);
        let (Some(u), Some(vt)) = (svd.u, svd.v_t) else {
            return Decomposed {
                values: DVector::zeros(0),
                vectors: DMatrix::zeros(count, 0),
                along: DVector::zeros(0),
            };
        };
        let along = u.transpose() * right.rows(0, count);
        Decomposed { values: svd.singular_values, vectors: vt.transpose(), along }
    }

    /// How many of the residuals went into the unknowns: the trace of what leads from measurements to what was solved.
    pub fn spent(&self, solved: &Decomposed) -> f64 {
        let largest = solved.values.max();
        let mut sum = 0.0;
        for k in (0..solved.values.len()).filter(|k| solved.values[*k] > NONE * largest) {
            let vector = solved.vectors.column(k);
            let prior: f64 = self.priors.iter().map(|(own, _, slope)| (vector[*own] * slope).powi(2)).sum();
            sum += (1.0 - prior / solved.values[k].powi(2)).clamp(0.0, 1.0);
        }
        sum
    }
}
