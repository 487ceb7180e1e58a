//! Rational B-splines of any degree (Piegl & Tiller 1997): what every curve of a file becomes, its poles as they stand there.

use flexline::Vec3;
use std::f64::consts::FRAC_PI_2;

/// No higher degree than this.
const MOST_DEGREE: usize = 25;
/// No coordinate, in the unit of the file, beyond this.
pub(crate) const FARTHEST: f64 = 1e9;

/// A curve, rational where it has weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Nurbs {
    /// Degree.
    pub degree: usize,
    /// All knots, repeated ones as often as they are.
    pub knots: Vec<f64>,
    /// Poles, in the unit of the file.
    pub poles: Vec<Vec3>,
    /// Weights, as many as poles, or none.
    pub weights: Vec<f64>,
    /// From where to where it is meant.
    pub range: [f64; 2],
}

impl Nurbs {
    /// From what a file says; what is wrong with it otherwise.
    pub fn new(degree: usize, knots: Vec<f64>, poles: Vec<Vec3>, weights: Vec<f64>) -> Result<Self, String> {
        if !(1..=MOST_DEGREE).contains(&degree) {
            return Err(format!("a curve of degree {degree}: expected 1 to {MOST_DEGREE}"));
        }
        if poles.len() <= degree || knots.len() != poles.len() + degree + 1 {
            return Err(format!(
                "a curve of degree {degree} with {} poles and {} knots: expected more poles than its degree, and as many knots as both and one",
                poles.len(),
                knots.len()
            ));
        }
        if knots.iter().any(|k| !k.is_finite()) || knots.windows(2).any(|w| w[1] < w[0]) {
            return Err("a curve whose knots do not increase".to_owned());
        }
        let inner = &knots[degree..=poles.len()];
        if inner.first() == inner.last()
            || inner.windows(degree + 1).skip(1).any(|w| w[0] == w[degree] && w[0] < knots[poles.len()])
        {
            return Err("a curve that breaks: a knot is repeated more often than its degree".to_owned());
        }
        if !weights.is_empty() && weights.len() != poles.len()
            || weights.iter().any(|w| !(1e-9..=1e9).contains(w))
        {
            return Err("a curve whose weights are not above zero, or not as many as its poles".to_owned());
        }
        if poles.iter().flat_map(|p| p.iter()).any(|x| !x.is_finite() || x.abs() > FARTHEST) {
            return Err(format!("a curve with a pole that is no number, or beyond {FARTHEST:.0e}"));
        }
        let range = [knots[degree], knots[poles.len()]];
        Ok(Self { degree, knots, poles, weights, range })
    }

    /// A straight line.
    pub fn line(a: Vec3, b: Vec3) -> Self {
        Self {
            degree: 1,
            knots: vec![0.0, 0.0, 1.0, 1.0],
            poles: vec![a, b],
            weights: Vec::new(),
            range: [0.0, 1.0],
        }
    }

    /// A stretch of an ellipse with the semi-axes `x` and `y`, by angle; of a circle where they are as long.
    pub fn arc(centre: Vec3, x: Vec3, y: Vec3, [from, to]: [f64; 2]) -> Self {
        let count = (((to - from).abs() / FRAC_PI_2) - 1e-9).ceil().max(1.0) as usize;
        let step = (to - from) / count as f64;
        let at = |angle: f64, stretch: f64| centre + (angle.cos() * x + angle.sin() * y) * stretch;
        let weight = (0.5 * step).cos();
        let mut own = Self {
            degree: 2,
            knots: vec![0.0; 3],
            poles: vec![at(from, 1.0)],
            weights: vec![1.0],
            range: [0.0, count as f64],
        };
        for k in 0..count {
            let angle = from + step * k as f64;
            own.poles.extend([at(angle + 0.5 * step, 1.0 / weight), at(angle + step, 1.0)]);
            own.weights.extend([weight, 1.0]);
            own.knots.extend([(k + 1) as f64; 2]);
        }
        own.knots.push(count as f64);
        own
    }

    /// From a polynomial a0 + a1 t + …, t from 0 to 1.
    pub fn polynomial(powers: &[Vec3]) -> Result<Self, String> {
        let degree = powers.len().saturating_sub(1);
        let mut powers = powers.to_vec();
        if degree == 0 {
            powers.push(Vec3::zeros());
        }
        let degree = degree.max(1);
        let choose = |n: usize, k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        let pole = |i: usize| (0..=i).map(|k| powers[k] * (choose(i, k) / choose(degree, k))).sum();
        let knots = [vec![0.0; degree + 1], vec![1.0; degree + 1]].concat();
        Self::new(degree, knots, (0..=degree).map(pole).collect(), Vec::new())
    }

    /// The smooth curve through points: cubics, twice continuously differentiable over the parameters, and thrice at the second and
    /// the last point but one (de Boor 1978). Parameters increase.
    pub fn through(points: &[Vec3], at: &[f64]) -> Result<Self, String> {
        let n = points.len();
        if n < 3 {
            return Ok(Self::line(points[0], points[n - 1]));
        }
        let h: Vec<f64> = at.windows(2).map(|w| w[1] - w[0]).collect();
        let d: Vec<Vec3> = (1..n).map(|i| (points[i] - points[i - 1]) / h[i - 1]).collect();
        let slopes = if n == 3 {
            let bend = (d[1] - d[0]) / (h[0] + h[1]);
            vec![d[0] - bend * h[0], d[0] + bend * h[0], d[1] + bend * h[1]]
        } else {
            slopes(&h, &d)
        };
        let mut knots = vec![at[0]; 4];
        let mut poles = vec![points[0]];
        for i in 1..n {
            poles.extend([
                points[i - 1] + slopes[i - 1] * (h[i - 1] / 3.0),
                points[i] - slopes[i] * (h[i - 1] / 3.0),
                points[i],
            ]);
            knots.extend([at[i]; 3]);
        }
        knots.push(at[n - 1]);
        Self::new(3, knots, poles, Vec::new())
    }

    /// Position and derivative (de Boor's algorithm in homogeneous coordinates).
    pub fn at(&self, u: f64) -> (Vec3, Vec3) {
        let p = self.degree;
        let k =
            self.knots.partition_point(|knot| *knot <= u).saturating_sub(1).clamp(p, self.poles.len() - 1);
        // An interval without length has none of its own.
        let k = (p..=k).rev().find(|k| self.knots[k + 1] > self.knots[*k]).unwrap_or(k);
        let weight = |i: usize| self.weights.get(i).copied().unwrap_or(1.0);
        let mut own: Vec<(Vec3, f64)> = (k - p..=k).map(|i| (self.poles[i] * weight(i), weight(i))).collect();
        let mut slope = (Vec3::zeros(), 0.0);
        for r in 1..=p {
            if r == p {
                let rate = p as f64 / (self.knots[k + 1] - self.knots[k]);
                slope = ((own[p].0 - own[p - 1].0) * rate, (own[p].1 - own[p - 1].1) * rate);
            }
            for j in (r..=p).rev() {
                let (low, high) = (self.knots[j + k - p], self.knots[j + 1 + k - r]);
                let t = if high > low { (u - low) / (high - low) } else { 0.0 };
                own[j] = (own[j - 1].0 * (1.0 - t) + own[j].0 * t, own[j - 1].1 * (1.0 - t) + own[j].1 * t);
            }
        }
        let (sum, w) = own[p];
        let point = sum / w;
        (point, (slope.0 - point * slope.1) / w)
    }

    /// Where it begins and ends.
    pub fn ends(&self) -> [Vec3; 2] {
        self.range.map(|u| self.at(u).0)
    }

    /// The other way round.
    pub fn reversed(mut self) -> Self {
        self.poles.reverse();
        self.weights.reverse();
        self.knots = self.knots.iter().rev().map(|k| -k).collect();
        self.range = [-self.range[1], -self.range[0]];
        self
    }

    /// With its poles elsewhere.
    pub fn moved(mut self, place: &dyn Fn(&Vec3) -> Vec3) -> Self {
        self.poles.iter_mut().for_each(|p| *p = place(p));
        self
    }

    /// The parameters at which a piece begins or ends within the range.
    pub(crate) fn stops(&self) -> Vec<f64> {
        let [from, to] = self.range;
        let mut stops = vec![from];
        stops.extend(self.knots.iter().copied().filter(|k| *k > from && *k < to));
        stops.push(to);
        stops.dedup();
        stops
    }

    /// The parameter nearest to a point.
    pub(crate) fn nearest(&self, x: &Vec3) -> f64 {
        let distance = |u: f64| (self.at(u).0 - x).norm_squared();
        let stops = self.stops();
        let sub = (4000 / stops.len()).clamp(4, 40);
        let mut best = (f64::INFINITY, stops[0], 0.0);
        for w in stops.windows(2) {
            for i in 0..=sub {
                let u = w[0] + (w[1] - w[0]) * i as f64 / sub as f64;
                let d = distance(u);
                if d < best.0 {
                    best = (d, u, (w[1] - w[0]) / sub as f64);
                }
            }
        }
        let [mut low, mut high] =
            [(best.1 - best.2).max(self.range[0]), (best.1 + best.2).min(self.range[1])];
        for _ in 0..80 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if distance(a) < distance(b) { high = b } else { low = a }
        }
        let u = 0.5 * (low + high);
        if distance(u) < best.0 { u } else { best.1 }
    }
}

/// Slopes of the cubic spline that is three times differentiable at the second and the last point but one.
fn slopes(h: &[f64], d: &[Vec3]) -> Vec<Vec3> {
    let n = d.len() + 1;
    let (mut low, mut mid, mut up, mut x) =
        (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![Vec3::zeros(); n]);
    let end = |h0: f64, h1: f64, d0: Vec3, d1: Vec3| {
        (h1, h0 + h1, (d0 * ((h0 + 2.0 * (h0 + h1)) * h1) + d1 * (h0 * h0)) / (h0 + h1))
    };
    (mid[0], up[0], x[0]) = end(h[0], h[1], d[0], d[1]);
    (mid[n - 1], low[n - 1], x[n - 1]) = end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
    for i in 1..n - 1 {
        (low[i], mid[i], up[i]) = (h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1]);
        x[i] = (d[i - 1] * h[i] + d[i] * h[i - 1]) * 3.0;
    }
    for i in 1..n {
        let factor = low[i] / mid[i - 1];
        mid[i] -= factor * up[i - 1];
        let before = x[i - 1];
        x[i] -= before * factor;
    }
    x[n - 1] /= mid[n - 1];
    for i in (0..n - 1).rev() {
        let next = x[i + 1];
        x[i] = (x[i] - next * up[i]) / mid[i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_are_circles() {
        let arc = Nurbs::arc(Vec3::zeros(), 2.0 * Vec3::x(), 2.0 * Vec3::y(), [0.3, 5.3]);
        for i in 0..=50 {
            let u = arc.range[1] * f64::from(i) / 50.0;
            let (x, slope) = arc.at(u);
            assert!((x.norm() - 2.0).abs() < 1e-14, "{}", x.norm());
            assert!(x.dot(&slope).abs() < 1e-12);
            let h = 1e-6;
            let v = u.clamp(h, arc.range[1] - h);
            let difference = (arc.at(v + h).0 - arc.at(v - h).0) / (2.0 * h);
            assert!((difference - arc.at(v).1).norm() < 1e-4, "{u}");
        }
        let [a, b] = arc.ends();
        assert!(
            (a.y.atan2(a.x) - 0.3).abs() < 1e-14
                && (b.y.atan2(b.x) - (5.3 - std::f64::consts::TAU)).abs() < 1e-14
        );
        let back = arc.clone().reversed();
        assert!((back.at(back.range[0] + 0.7).0 - arc.at(arc.range[1] - 0.7).0).norm() < 1e-14);
        assert!((arc.nearest(&arc.at(1.234).0) - 1.234).abs() < 1e-6);
    }

    #[test]
    fn cubics_are_met_by_a_spline_through_them_and_by_their_powers() {
        let powers = [
            Vec3::new(1.0, 2.0, 3.0),
            Vec3::new(0.5, -1.0, 2.0),
            Vec3::new(3.0, 1.0, 0.0),
            Vec3::new(-1.0, 2.0, 1.0),
        ];
        let cubic = |t: f64| powers[0] + powers[1] * t + powers[2] * t * t + powers[3] * t * t * t;
        let at = [0.0, 0.1, 0.35, 0.4, 0.8, 1.0];
        let spline = Nurbs::through(&at.map(cubic), &at).unwrap();
        let own = Nurbs::polynomial(&powers).unwrap();
        for i in 0..=40 {
            let t = f64::from(i) / 40.0;
            assert!((spline.at(t).0 - cubic(t)).norm() < 1e-13, "{t}");
            assert!((own.at(t).0 - cubic(t)).norm() < 1e-13, "{t}");
        }
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        let poles = || vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
        let say = |degree, knots: &[f64], poles, weights: &[f64]| {
            Nurbs::new(degree, knots.to_vec(), poles, weights.to_vec()).unwrap_err()
        };
        assert!(say(2, &[0.0, 0.0, 0.0, 1.0, 1.0], poles(), &[]).contains("3 poles and 5 knots"));
        assert!(say(1, &[0.0, 0.0, 2.0, 1.0, 1.0], poles(), &[]).contains("do not increase"));
        assert!(say(1, &[0.0, 0.0, f64::NAN, 1.0, 1.0], poles(), &[]).contains("do not increase"));
        assert!(say(0, &[], poles(), &[]).contains("degree 0"));
        assert!(say(2, &[0.0; 6], poles(), &[]).contains("breaks"));
        assert!(say(2, &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], poles(), &[1.0, 0.0, 1.0]).contains("weights"));
        let far = vec![Vec3::zeros(), Vec3::x() * 1e308, Vec3::y()];
        assert!(say(2, &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], far, &[]).contains("beyond"));
    }
}
