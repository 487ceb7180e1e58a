//! A curve of helices or space clothoids by the Darboux vectors of its elements, and its least-squares fit to points.

use crate::algebra::{Vec3, rotation};
use crate::geometry::darboux::{ClothoidElement, CurvePoint, ElementError, HelixElement};
use crate::rod::Station;
use crate::rod::curvature::{Basis, CurvatureError, CurvatureRod};
use crate::section::SectionProfile;
use nalgebra::{DMatrix, DVector};

/// Unknowns of the start: its position, and two tilts of its tangent. Its roll changes no curve.
const START: usize = 5;
/// Share of the residuals' scale that holds twist down where the curve does not tell it.
const TWIST: f64 = 1e-8;
/// Distance of the points, as a share of the length, below which a curve is found.
const FOUND: f64 = 1e-10;
/// Share of the sum of squares that a step must gain to be worth another.
const GAIN: f64 = 1e-6;
/// Iterations at most.
const ITERATIONS: usize = 60;

/// A curve of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    basis: Basis,
    start: CurvePoint,
    /// Where elements end, from 0 to the length, m.
    ends: Vec<f64>,
    /// Darboux vectors: one of every helix; of clothoids one at every end.
    strains: Vec<Vec3>,
}

/// An element of either kind.
enum Element {
    Helix(HelixElement),
    Clothoid(ClothoidElement),
}

/// How a place of an element moves with its coefficients, in its first frame.
struct Moved {
    point: CurvePoint,
    turn: [Vec3; 6],
    shift: [Vec3; 6],
}

impl Element {
    fn point(&self, s: f64) -> CurvePoint {
        match self {
            Self::Helix(own) => own.point(s),
            Self::Clothoid(own) => own.point(s),
        }
    }

    fn first(&self, s: f64) -> Moved {
        match self {
            Self::Helix(own) => {
                let own = own.first(s);
                let mut moved =
                    Moved { point: own.point, turn: [Vec3::zeros(); 6], shift: [Vec3::zeros(); 6] };
                moved.turn[..3].copy_from_slice(&own.turn);
                moved.shift[..3].copy_from_slice(&own.shift);
                moved
            }
            Self::Clothoid(own) => {
                let own = own.first(s);
                Moved { point: own.point, turn: own.turn, shift: own.shift }
            }
        }
    }
}

/// How a fit went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastSquares {
    /// Steps taken.
    pub iterations: usize,
    /// Root mean square distance of the points from the curve at their share of its length, m.
    pub rms: f64,
    /// Whether another step would change nothing.
    pub converged: bool,
}

impl Pieces {
    /// A curve from its start, the ends of its elements and their Darboux vectors in material axes.
    pub fn new(
        basis: Basis,
        start: CurvePoint,
        ends: Vec<f64>,
        strains: Vec<Vec3>,
    ) -> Result<Self, ElementError> {
        let own = Self { basis, start, ends, strains };
        for e in 0..own.count() {
            own.element(e)?;
        }
        Ok(own)
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.ends.len() - 1
    }

    /// Length, m.
    pub fn length(&self) -> f64 {
        self.ends[self.ends.len() - 1]
    }

    /// Where elements end, from 0 to the length, m.
    pub fn ends(&self) -> &[f64] {
        &self.ends
    }

    /// Where it begins.
    pub fn start(&self) -> Station {
        Station { position: self.start.position, frame: self.start.frame }
    }

    fn element(&self, e: usize) -> Result<Element, ElementError> {
        let length = self.ends[e + 1] - self.ends[e];
        match self.basis {
            Basis::Helix => HelixElement::new(self.strains[e], length).map(Element::Helix),
            Basis::Clothoid => {
                ClothoidElement::new(self.strains[e], self.strains[e + 1], length).map(Element::Clothoid)
            }
        }
    }

    /// The Darboux vector at `s`, 1/m.
    pub fn strain(&self, s: f64) -> Vec3 {
        let e = self.ends.partition_point(|own| *own <= s).clamp(1, self.count()) - 1;
        match self.basis {
            Basis::Helix => self.strains[e],
            Basis::Clothoid => {
                let share = ((s - self.ends[e]) / (self.ends[e + 1] - self.ends[e])).clamp(0.0, 1.0);
                self.strains[e].lerp(&self.strains[e + 1], share)
            }
        }
    }

    /// Places at `count + 1` even shares of the length.
    pub fn places(&self, count: usize) -> Vec<CurvePoint> {
        let mut out = Vec::with_capacity(count + 1);
        let mut at = self.start;
        let mut i = 0;
        for e in 0..self.count() {
            let Ok(element) = self.element(e) else { break };
            let last = e + 1 == self.count();
            while i <= count {
                let s = self.length() * i as f64 / count as f64;
                if s >= self.ends[e + 1] && !last {
                    break;
                }
                out.push(element.point((s - self.ends[e]).min(self.ends[e + 1] - self.ends[e])).after(&at));
                i += 1;
            }
            at = element.point(self.ends[e + 1] - self.ends[e]).after(&at);
        }
        out
    }

    /// The rod that is this curve without loads.
    pub fn rod(&self, section: &SectionProfile) -> Result<CurvatureRod, CurvatureError> {
        CurvatureRod::with_elements(self.basis, &self.ends, section, &|s| self.strain(s))
    }

    /// Fits it to points at even shares of its length, which stays as it is: Levenberg–Marquardt's method on dense normal equations.
    pub fn fit(&mut self, points: &[Vec3]) -> LeastSquares {
        let found = (FOUND * self.length()).powi(2) * points.len() as f64;
        let mut damping = 1e-3;
        let Some(mut normal) = self.normal(points) else {
            return LeastSquares { iterations: 0, rms: f64::NAN, converged: false };
        };
        let (mut iterations, mut converged) = (0, false);
        while iterations < ITERATIONS && !converged {
            iterations += 1;
            let mut matrix = normal.matrix.clone();
            for i in 0..matrix.nrows() {
                matrix[(i, i)] += damping * matrix[(i, i)] + f64::MIN_POSITIVE;
            }
            let step = matrix.cholesky().map(|own| -own.solve(&normal.gradient));
            let next = step.as_ref().map(|step| self.displaced(step));
            let trial = next.as_ref().and_then(|next| next.normal(points));
            match (next, trial) {
                (Some(next), Some(trial)) if trial.cost <= normal.cost => {
                    converged = normal.cost - trial.cost <= GAIN * normal.cost || trial.squares <= found;
                    *self = next;
                    normal = trial;
                    damping = (0.1 * damping).max(1e-12);
                }
                _ => {
                    damping *= 10.0;
                    converged = damping > 1e8;
                }
            }
        }
        LeastSquares { iterations, rms: (normal.squares / points.len() as f64).sqrt(), converged }
    }

    /// The curve with its unknowns moved; Darboux vectors are counted as turns over the whole length.
    fn displaced(&self, step: &DVector<f64>) -> Self {
        let mut own = self.clone();
        own.start.position += Vec3::new(step[0], step[1], step[2]);
        own.start.frame = rotation::displaced(&own.start.frame, &Vec3::new(step[3], step[4], 0.0));
        for (i, u) in own.strains.iter_mut().enumerate() {
            *u += Vec3::from_fn(|axis, _| step[START + 3 * i + axis]) / self.length();
        }
        own
    }

    /// The normal equations of the distances to `points`, walking along the curve once. `None` where an element is none.
    fn normal(&self, points: &[Vec3]) -> Option<Normal> {
        let (length, last) = (self.length(), (points.len() - 1) as f64);
        let count = START + 3 * self.strains.len();
        let mut matrix = DMatrix::zeros(count, count);
        let mut gradient = DVector::zeros(count);
        let (mut cost, mut squares) = (0.0, 0.0);
        // How every unknown moves and turns the beginning of the element in hand.
        let mut columns = vec![(Vec3::zeros(), Vec3::zeros()); count];
        let first = rotation::matrix(&self.start.frame);
        for axis in 0..3 {
            columns[axis].0[axis] = 1.0;
        }
        columns[3].1 = first.column(0).into();
        columns[4].1 = first.column(1).into();
        let mut at = self.start;
        let mut shifts = vec![Vec3::zeros(); count];
        let mut i = 0;
        for e in 0..self.count() {
            let element = self.element(e).ok()?;
            let r = rotation::matrix(&at.frame);
            let (coefficients, own_first) = match self.basis {
                Basis::Helix => (3, START + 3 * e),
                Basis::Clothoid => (6, START + 3 * e),
            };
            let active = own_first + coefficients;
            let is_last = e + 1 == self.count();
            while i < points.len() {
                let s = length * i as f64 / last;
                if s >= self.ends[e + 1] && !is_last {
                    break;
                }
                let own = element.first((s - self.ends[e]).min(self.ends[e + 1] - self.ends[e]));
                let arm = r * own.point.position;
                for (shift, (moved, turned)) in shifts.iter_mut().zip(&columns).take(active) {
                    *shift = moved + turned.cross(&arm);
                }
                for k in 0..coefficients {
                    shifts[own_first + k] += r * own.shift[k] / length;
                }
                let off = at.position + arm - points[i];
                squares += off.norm_squared();
                for a in 0..active {
                    gradient[a] += shifts[a].dot(&off);
                    for b in 0..=a {
                        matrix[(a, b)] += shifts[a].dot(&shifts[b]);
                    }
                }
                i += 1;
            }
            let own = element.first(self.ends[e + 1] - self.ends[e]);
            let arm = r * own.point.position;
            for (moved, turned) in columns.iter_mut().take(active) {
                *moved += turned.cross(&arm);
            }
            for k in 0..coefficients {
                let column = &mut columns[own_first + k];
                column.0 += r * own.shift[k] / length;
                column.1 += r * own.turn[k] / length;
            }
            at = own.point.after(&at);
        }
        cost += squares;
        let weight = (TWIST * length).powi(2) * points.len() as f64;
        for (k, u) in self.strains.iter().enumerate() {
            let (row, twist) = (START + 3 * k + 2, u.z * length);
            matrix[(row, row)] += weight;
            gradient[row] += weight * twist;
            cost += weight * twist * twist;
        }
        for a in 0..count {
            for b in 0..a {
                matrix[(b, a)] = matrix[(a, b)];
            }
        }
        cost.is_finite().then_some(Normal { matrix, gradient, cost, squares })
    }
}

/// Normal equations: JᵀJ, Jᵀr, the cost with what holds twist down, and without.
struct Normal {
    matrix: DMatrix<f64>,
    gradient: DVector<f64>,
    cost: f64,
    squares: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wound(basis: Basis, count: usize) -> Pieces {
        let more = usize::from(basis == Basis::Clothoid);
        let strain = |k: usize| {
            let t = k as f64;
            Vec3::new(4.0 + 3.0 * (0.9 * t).sin(), 2.0 * (1.7 * t).cos(), 3.0 * (0.5 * t).sin())
        };
        let start = CurvePoint {
            position: Vec3::new(0.1, 0.2, 0.3),
            frame: rotation::exp(&Vec3::new(0.3, -0.7, 0.2)),
        };
        let ends = (0..=count).map(|k| 0.5 * k as f64 / count as f64).collect();
        Pieces::new(basis, start, ends, (0..count + more).map(strain).collect()).expect("a curve")
    }

    #[test]
    fn the_gradient_agrees_with_differences() {
        for basis in [Basis::Helix, Basis::Clothoid] {
            let own = wound(basis, 4);
            let target: Vec<Vec3> = wound(basis, 5).places(30).iter().map(|p| p.position * 1.1).collect();
            let normal = own.normal(&target).expect("elements");
            let h = 1e-6;
            for k in 0..normal.gradient.len() {
                let mut step = DVector::zeros(normal.gradient.len());
                step[k] = h;
                let cost = |step: &DVector<f64>| own.displaced(step).normal(&target).expect("elements").cost;
                let slope = (cost(&step) - cost(&-step)) / (2.0 * h);
                assert!(
                    (slope - 2.0 * normal.gradient[k]).abs() < 1e-8,
                    "{basis:?} {k}: {slope} {}",
                    normal.gradient[k]
                );
            }
        }
    }

    #[test]
    fn a_curve_of_its_own_kind_is_found() {
        for basis in [Basis::Helix, Basis::Clothoid] {
            let truth = wound(basis, 6);
            let points: Vec<Vec3> = truth.places(90).iter().map(|p| p.position).collect();
            let mut own = truth.clone();
            for (k, u) in own.strains.iter_mut().enumerate() {
                *u += Vec3::new(0.4, -0.3, 0.2) * (2.0 * k as f64).cos();
            }
            let report = own.fit(&points);
            println!("{basis:?}: {report:?}");
            assert!(report.converged && report.rms < 1e-9, "{basis:?}: {report:?}");
        }
    }
}
