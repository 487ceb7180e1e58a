//! A smooth centreline through points, or along points with noise, by arc length.

use crate::algebra::Vec3;
use crate::algebra::band::Banded;
use crate::algebra::rotation;
use crate::rod::Station;

/// Nodes and weights of Gauss's rule of five points on [0, 1].
const RULE: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_23),
    (0.5, 0.284_444_444_444_444_45),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];
/// Intervals of a smoothing spline at most.
const MOST_INTERVALS: usize = 160;
/// Fewest points that noise can be told from a shape in.
pub const FEWEST_NOISY: usize = 12;
/// Rounds in which the points look for their place along a curve that was smoothed.
const ROUNDS: usize = 2;

/// What points are taken for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Exact: the curve goes through them.
    None,
    /// Off by so much on each axis, m, as a standard deviation.
    Known(f64),
    /// Off by what generalised cross-validation says.
    Estimated,
}

/// A centreline: a cubic spline with continuous curvature, and its arc length.
#[derive(Clone, Debug, PartialEq)]
pub struct Centreline {
    /// Parameters, values and second derivatives at the joints of the spline.
    knots: Vec<f64>,
    points: Vec<Vec3>,
    second: Vec<Vec3>,
    /// Arc length at every joint.
    arcs: Vec<f64>,
    /// Standard deviation of the points from it on each axis, where they were smoothed.
    noise: Option<f64>,
    /// Degrees of freedom that the smoothing has left to each axis.
    freedom: Option<f64>,
}

/// A place of a centreline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Position, m.
    pub position: Vec3,
    /// Unit tangent.
    pub tangent: Vec3,
    /// Derivative of the tangent by the arc length, 1/m.
    pub bend: Vec3,
}

/// Why points make no centreline.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CentrelineError {
    /// Too few.
    #[error("{0} points: expected at least {1}")]
    Few(usize, usize),
    /// Not a number, or where the one before is.
    #[error("point {0} is not finite or where the point before it is")]
    Point(usize),
    /// A noise that is none.
    #[error("noise of {0} m: expected a positive length below that of the curve")]
    Noise(f64),
}

impl Centreline {
    /// Through or along `points`, in their order.
    pub fn new(points: &[Vec3], noise: Noise) -> Result<Self, CentrelineError> {
        let knots = chords(points)?;
        let length = knots[knots.len() - 1];
        match noise {
            Noise::None => Ok(Self::through(knots, points.to_vec())),
            Noise::Known(sigma) if !(sigma > 0.0 && sigma < length) => Err(CentrelineError::Noise(sigma)),
            _ if points.len() < FEWEST_NOISY => Err(CentrelineError::Few(points.len(), FEWEST_NOISY)),
            _ => Ok(Self::along(knots, points, noise)),
        }
    }

    /// The spline through points at parameters, its third derivative continuous at the joints beside the ends.
    fn through(knots: Vec<f64>, points: Vec<Vec3>) -> Self {
        let n = points.len();
        let mut second = vec![Vec3::zeros(); n];
        let h = |k: usize| knots[k + 1] - knots[k];
        let slope = |k: usize| (points[k + 1] - points[k]) / h(k);
        if n == 3 {
            second = vec![(slope(1) - slope(0)) * (2.0 / (h(0) + h(1))); 3];
        } else if n > 3 {
            // M₀ and M_n follow from their two neighbours: the third derivative does not jump beside the ends.
            let (mut upper, mut right) = (vec![0.0; n], vec![Vec3::zeros(); n]);
            for k in 1..n - 1 {
                let (a, b) = (h(k - 1), h(k));
                let (mut lower, mut middle, mut above) = (a, 2.0 * (a + b), b);
                if k == 1 {
                    middle += a * (1.0 + a / b);
                    above -= a * a / b;
                    lower = 0.0;
                }
                if k == n - 2 {
                    middle += b * (1.0 + b / a);
                    lower -= b * b / a;
                    above = 0.0;
                }
                let pivot = middle - lower * upper[k - 1];
                upper[k] = above / pivot;
                right[k] = ((slope(k) - slope(k - 1)) * 6.0 - right[k - 1] * lower) / pivot;
            }
            for k in (1..n - 1).rev() {
                second[k] = right[k] - second[k + 1] * upper[k];
            }
            let (a, b) = (h(0), h(1));
            second[0] = second[1] * (1.0 + a / b) - second[2] * (a / b);
            let (a, b) = (h(n - 3), h(n - 2));
            second[n - 1] = second[n - 2] * (1.0 + b / a) - second[n - 3] * (b / a);
        }
        Self::of(knots, points, second)
    }

    fn of(knots: Vec<f64>, points: Vec<Vec3>, second: Vec<Vec3>) -> Self {
        let mut own =
            Self { arcs: vec![0.0; knots.len()], knots, points, second, noise: None, freedom: None };
        for k in 0..own.knots.len() - 1 {
            own.arcs[k + 1] = own.arcs[k] + own.arc_within(k, 1.0);
        }
        own
    }

    /// A smoothing spline: cubic, uniform, with a penalty on its third differences (P. Eilers and B. Marx 1996), as large as makes the distance
    /// from the truth least, by what the noise says of it or by generalised cross-validation (P. Craven and G. Wahba 1979).
    fn along(knots: Vec<f64>, points: &[Vec3], noise: Noise) -> Self {
        let n = points.len();
        let intervals = (n / 2).clamp(4, MOST_INTERVALS);
        let extent = knots[n - 1];
        let mut places = knots;
        let mut found = None;
        for _ in 0..ROUNDS {
            let own = Smoothed::new(&places, extent, points, intervals, noise);
            let spline = own.spline(extent, intervals);
            // Where along it the points are nearest.
            for (t, p) in places.iter_mut().zip(points) {
                for _ in 0..4 {
                    let k = spline.interval(*t);
                    let h = spline.knots[k + 1] - spline.knots[k];
                    let [x, first, second] = spline.within(k, (*t - spline.knots[k]) / h);
                    let off = x - p;
                    let bend = (first.norm_squared() + off.dot(&second)).max(0.2 * first.norm_squared());
                    *t = (*t - off.dot(&first) / bend).clamp(0.0, extent);
                }
            }
            found = Some((spline, own));
        }
        let Some((mut spline, own)) = found else {
            return Self::of(vec![0.0, 1.0], vec![points[0]; 2], vec![Vec3::zeros(); 2]);
        };
        // Nearest to its place, a point is off across the curve alone: two of its three coordinates tell.
        let squares: f64 = (places.iter().zip(points))
            .map(|(t, p)| {
                let k = spline.interval(*t);
                let h = spline.knots[k + 1] - spline.knots[k];
                let [x, first, _] = spline.within(k, (*t - spline.knots[k]) / h);
                let along = (x - p).dot(&first).powi(2) / first.norm_squared().max(f64::MIN_POSITIVE);
                (x - p).norm_squared() - along
            })
            .sum();
        let left = n as f64 - own.freedom;
        spline.noise =
            Some(if left.is_nan() { f64::NAN } else { (squares.max(0.0) / (2.0 * left.max(1.0))).sqrt() });
        spline.freedom = Some(own.freedom);
        spline
    }

    /// Length, m.
    pub fn length(&self) -> f64 {
        self.arcs[self.arcs.len() - 1]
    }

    /// Standard deviation of the points from the curve on each axis, m, where they were smoothed.
    pub fn noise(&self) -> Option<f64> {
        self.noise
    }

    /// Degrees of freedom that smoothing has left, per axis.
    pub fn freedom(&self) -> Option<f64> {
        self.freedom
    }

    /// Arc lengths of the joints of the spline: of a curve without noise those of its points.
    pub fn arcs(&self) -> &[f64] {
        &self.arcs
    }

    fn interval(&self, t: f64) -> usize {
        self.knots.partition_point(|k| *k <= t).clamp(1, self.knots.len() - 1) - 1
    }

    /// Value and first two derivatives by the parameter at share `b` of interval `k`.
    fn within(&self, k: usize, b: f64) -> [Vec3; 3] {
        let h = self.knots[k + 1] - self.knots[k];
        let a = 1.0 - b;
        let (p, q, m, n) = (self.points[k], self.points[k + 1], self.second[k], self.second[k + 1]);
        let x = p * a + q * b + (m * (a * a * a - a) + n * (b * b * b - b)) * (h * h / 6.0);
        let first = (q - p) / h + (n * (3.0 * b * b - 1.0) - m * (3.0 * a * a - 1.0)) * (h / 6.0);
        [x, first, m * a + n * b]
    }

    /// Arc length from the beginning of an interval to a share of it.
    fn arc_within(&self, k: usize, share: f64) -> f64 {
        let h = (self.knots[k + 1] - self.knots[k]) * share;
        RULE.iter().map(|(x, w)| w * self.within(k, x * share)[1].norm()).sum::<f64>() * h
    }

    /// The place at arc length `s`, between the ends.
    pub fn at(&self, s: f64) -> Place {
        let s = s.clamp(0.0, self.length());
        let k = self.arcs.partition_point(|own| *own <= s).clamp(1, self.arcs.len() - 1) - 1;
        let whole = self.arcs[k + 1] - self.arcs[k];
        let (wanted, h) = (s - self.arcs[k], self.knots[k + 1] - self.knots[k]);
        let mut share = if whole > 0.0 { wanted / whole } else { 0.0 };
        if share > 0.0 && share < 1.0 {
            for _ in 0..3 {
                let speed = self.within(k, share)[1].norm() * h;
                let step = (wanted - self.arc_within(k, share)) / speed.max(f64::MIN_POSITIVE);
                share = (share + step).clamp(0.0, 1.0);
                if step.abs() < 1e-12 {
                    break;
                }
            }
        }
        let [position, first, second] = self.within(k, share);
        let speed = first.norm();
        let tangent = if speed > 0.0 { first / speed } else { Vec3::z() };
        let bend = (second - tangent * second.dot(&tangent)) / speed.powi(2).max(f64::MIN_POSITIVE);
        Place { position, tangent, bend }
    }

    /// A frame at every one of `count + 1` even places, carried along without twist (Bishop 1975), by double reflection (W. Wang et al. 2008:
    /// of fourth order). `up` is where d1 leans at the beginning.
    pub fn frames(&self, count: usize, up: &Vec3) -> Vec<Station> {
        let mut out: Vec<Station> = Vec::with_capacity(count + 1);
        for i in 0..=count {
            let here = self.at(self.length() * i as f64 / count.max(1) as f64);
            let frame = match out.last() {
                None => rotation::frame(&here.tangent, up),
                Some(last) => reflected(last, &here),
            };
            out.push(Station { position: here.position, frame });
        }
        out
    }
}

/// The frame at a place carried on from a station by two reflections.
fn reflected(last: &Station, here: &Place) -> crate::algebra::Quat {
    let r = rotation::matrix(&last.frame);
    let (t, d1): (Vec3, Vec3) = (r.column(2).into(), r.column(0).into());
    let chord = here.position - last.position;
    let size = chord.norm_squared();
    let mirrored = |v: &Vec3, along: &Vec3, size: f64| match size > 0.0 {
        true => v - along * (2.0 * along.dot(v) / size),
        false => *v,
    };
    let (t, d1) = (mirrored(&t, &chord, size), mirrored(&d1, &chord, size));
    let second = here.tangent - t;
    let d1 = mirrored(&d1, &second, second.norm_squared());
    rotation::frame(&here.tangent, &d1)
}

/// Chord lengths summed up.
fn chords(points: &[Vec3]) -> Result<Vec<f64>, CentrelineError> {
    if points.len() < 2 {
        return Err(CentrelineError::Few(points.len(), 2));
    }
    if !points[0].iter().all(|x| x.is_finite()) {
        return Err(CentrelineError::Point(0));
    }
    let mut knots = vec![0.0];
    for (k, w) in points.windows(2).enumerate() {
        let step = (w[1] - w[0]).norm();
        if !(step > 0.0 && step.is_finite()) {
            return Err(CentrelineError::Point(k + 1));
        }
        knots.push(knots[k] + step);
    }
    Ok(knots)
}

/// A smoothing spline found.
struct Smoothed {
    controls: Vec<Vec3>,
    freedom: f64,
}

/// Values of the four cubic B-splines of an interval at share `x`.
fn basis(x: f64) -> [f64; 4] {
    let y = 1.0 - x;
    let middle = |x: f64| (3.0 * x * x * x - 6.0 * x * x + 4.0) / 6.0;
    [y * y * y / 6.0, middle(x), middle(y), x * x * x / 6.0]
}

impl Smoothed {
    fn new(places: &[f64], extent: f64, points: &[Vec3], intervals: usize, noise: Noise) -> Self {
        let m = intervals + 3;
        let rows: Vec<(usize, [f64; 4])> = places
            .iter()
            .map(|t| {
                let x = t / extent * intervals as f64;
                let k = (x.max(0.0) as usize).min(intervals - 1);
                (k, basis(x - k as f64))
            })
            .collect();
        let solve = |penalty: f64| {
            let mut gram = Banded::zeros(m, 3);
            let mut right = [vec![0.0; m], vec![0.0; m], vec![0.0; m]];
            for ((first, row), p) in rows.iter().zip(points) {
                for i in 0..4 {
                    for (axis, right) in right.iter_mut().enumerate() {
                        right[first + i] += row[i] * p[axis];
                    }
                    for j in 0..=i {
                        gram.add(first + i, first + j, row[i] * row[j]);
                    }
                }
            }
            // Third differences: a parabola costs nothing.
            let third = [-1.0, 3.0, -3.0, 1.0];
            for first in 0..m - 3 {
                for i in 0..4 {
                    for j in 0..=i {
                        gram.add(first + i, first + j, penalty * third[i] * third[j]);
                    }
                }
            }
            gram.factorise().ok()?;
            right.iter_mut().for_each(|own| gram.solve(own));
            let controls: Vec<Vec3> =
                (0..m).map(|i| Vec3::new(right[0][i], right[1][i], right[2][i])).collect();
            let squares: f64 = rows
                .iter()
                .zip(points)
                .map(|((first, row), p)| {
                    ((0..4).map(|i| controls[first + i] * row[i]).sum::<Vec3>() - p).norm_squared()
                })
                .sum();
            // Trace of the hat matrix: column by column of the inverse.
            let mut trace = 0.0;
            let mut column = vec![0.0; m];
            let mut touched = vec![[0.0; 4]; m];
            for (first, row) in &rows {
                for i in 0..4 {
                    for j in 0..=i {
                        touched[first + i][i - j] += row[i] * row[j];
                    }
                }
            }
            for j in 0..m {
                column.fill(0.0);
                column[j] = 1.0;
                gram.solve(&mut column);
                trace += touched[j][0] * column[j];
                for off in 1..4.min(m - j) {
                    trace += 2.0 * touched[j + off][off] * column[j + off];
                }
            }
            Some((controls, squares, trace))
        };
        let n = points.len() as f64;
        let of = |log: f64| solve(log.exp());
        let score = |log: f64| match of(log) {
            None => f64::INFINITY,
            Some((_, squares, trace)) => match noise {
                // An unbiased estimate of the distance from the truth, but for a constant (Mallows' C_p).
                Noise::Known(sigma) => squares + 6.0 * sigma * sigma * trace,
                _ => squares / (n - trace).max(1e-3 * n).powi(2),
            },
        };
        let grid = (0..41).map(|k| -14.0 + 0.8 * f64::from(k));
        let mut best = grid
            .map(|log| (score(log), log))
            .fold((f64::INFINITY, 0.0), |a, b| if b.0 < a.0 { b } else { a });
        let mut step = 0.4;
        for _ in 0..8 {
            for log in [best.1 - step, best.1 + step] {
                let own = score(log);
                if own < best.0 {
                    best = (own, log);
                }
            }
            step *= 0.5;
        }
        match of(best.1) {
            Some((controls, _, trace)) => Self { controls, freedom: trace },
            // Not reached with a penalty above zero: a line.
            None => Self { controls: vec![points[0]; m], freedom: f64::NAN },
        }
    }

    /// The same as values and second derivatives at its joints.
    fn spline(&self, extent: f64, intervals: usize) -> Centreline {
        let h = extent / intervals as f64;
        let c = &self.controls;
        let knots = (0..=intervals).map(|k| h * k as f64).collect();
        let points = (0..=intervals).map(|k| (c[k] + c[k + 1] * 4.0 + c[k + 2]) / 6.0).collect();
        let second = (0..=intervals).map(|k| (c[k] - c[k + 1] * 2.0 + c[k + 2]) / (h * h)).collect();
        Centreline::of(knots, points, second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve of the third order in its parameter, bent and twisted.
    fn curve(t: f64) -> Vec3 {
        Vec3::new(0.3 * t.cos(), 0.2 * (1.3 * t).sin(), 0.1 * t + 0.05 * (2.0 * t).sin())
    }

    fn samples(n: usize) -> Vec<Vec3> {
        (0..=n).map(|k| curve(3.0 * k as f64 / n as f64)).collect()
    }

    #[test]
    fn a_centreline_is_of_fourth_order_and_by_arc_length() {
        let dense = Centreline::new(&samples(4000), Noise::None).expect("a curve");
        let error = |n: usize| {
            let own = Centreline::new(&samples(n), Noise::None).expect("a curve");
            (0..=200).map(|k| f64::from(k) / 200.0).fold([0.0f64; 3], |worst, share| {
                let (a, b) = (own.at(share * own.length()), dense.at(share * dense.length()));
                let off = [a.position - b.position, a.tangent - b.tangent, a.bend - b.bend].map(|v| v.norm());
                [worst[0].max(off[0]), worst[1].max(off[1]), worst[2].max(off[2])]
            })
        };
        let [coarse, fine] = [error(40), error(80)];
        println!("{coarse:?} {fine:?}");
        assert!(coarse[0] / fine[0] > 12.0, "position: {}", coarse[0] / fine[0]);
        assert!(coarse[1] / fine[1] > 6.0, "tangent: {}", coarse[1] / fine[1]);
        assert!(coarse[2] / fine[2] > 3.0, "bend: {}", coarse[2] / fine[2]);
        let own = Centreline::new(&samples(80), Noise::None).expect("a curve");
        let h = 1e-5;
        for s in [0.1, 0.31, 0.52] {
            let slope = (own.at(s + h).position - own.at(s - h).position) / (2.0 * h);
            assert!((slope - own.at(s).tangent).norm() < 1e-8, "unit speed at {s}");
        }
    }

    #[test]
    fn noise_is_told_from_the_shape() {
        let mut seed = 7u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / f64::from(1u32 << 31)
        };
        let sigma = 1e-3;
        let mut normal = || sigma * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0);
        let noisy: Vec<Vec3> =
            samples(300).iter().map(|p| p + Vec3::new(normal(), normal(), normal())).collect();
        let exact = Centreline::new(&samples(300), Noise::None).expect("a curve");
        for noise in [Noise::Known(sigma), Noise::Estimated] {
            let own = Centreline::new(&noisy, noise).expect("a curve");
            let told = own.noise().expect("smoothed");
            assert!((told / sigma - 1.0).abs() < 0.1, "{noise:?}: told {told:.2e}");
            assert!((own.length() / exact.length() - 1.0).abs() < 3e-3, "{noise:?}: {}", own.length());
            let off = (0..=100).map(|k| {
                let share = f64::from(k) / 100.0;
                (own.at(share * own.length()).position - exact.at(share * exact.length()).position).norm()
            });
            let off = off.fold(0.0, f64::max);
            println!("{noise:?}: told {told:.2e}, off {off:.2e}, freedom {:?}", own.freedom());
            assert!(off < 1.5 * sigma, "{noise:?}: {off:.2e}");
        }
        // Through the points instead, the length is far off.
        let rough = Centreline::new(&noisy, Noise::None).expect("a curve");
        assert!(rough.length() > 1.02 * exact.length());
    }

    #[test]
    fn frames_are_carried_without_twist() {
        let own = Centreline::new(&samples(200), Noise::None).expect("a curve");
        let twist = |n: usize| {
            let frames = own.frames(n, &Vec3::z());
            let turn = |w: &[Station]| rotation::log(&(w[0].frame.conjugate() * w[1].frame)).z;
            // Against a frame carried along very finely.
            let fine = own.frames(8 * n, &Vec3::z());
            let last = |all: &[Station]| all[all.len() - 1].frame;
            (
                frames.windows(2).map(turn).sum::<f64>().abs(),
                rotation::angle_between(&last(&frames), &last(&fine)),
            )
        };
        let (a, b) = (twist(100), twist(200));
        assert!(a.1 / b.1 > 10.0, "order: {a:?} {b:?}");
        assert!(b.1 < 1e-6, "{b:?}");
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        let p = Vec3::zeros();
        assert_eq!(Centreline::new(&[p], Noise::None).unwrap_err(), CentrelineError::Few(1, 2));
        assert_eq!(Centreline::new(&[p, p], Noise::None).unwrap_err(), CentrelineError::Point(1));
        let few = samples(6);
        assert_eq!(
            Centreline::new(&few, Noise::Estimated).unwrap_err(),
            CentrelineError::Few(7, FEWEST_NOISY)
        );
        let noise = Noise::Known(-1.0);
        assert_eq!(Centreline::new(&samples(20), noise).unwrap_err(), CentrelineError::Noise(-1.0));
    }
}
