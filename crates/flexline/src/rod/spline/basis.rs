//! Cubic B-splines on an open knot vector, and the quadratic ones that their derivatives are made of
//! (C. de Boor, *A Practical Guide to Splines*, ch. IX–X).
//!
//! Places are shares σ of the rod, 0 … 1. Between elements the curve has a continuous second derivative, but for
//! joints that are asked to bend at once, where only the first is continuous.

/// What the four cubics and three quadratics of an element are at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Values {
    /// Weights of the four control points.
    pub(crate) cubic: [f64; 4],
    /// Their first derivatives by σ.
    pub(crate) slope: [f64; 4],
    /// Their second derivatives by σ.
    pub(crate) bend: [f64; 4],
    /// The three quadratics of the same knots.
    pub(crate) quadratic: [f64; 3],
}

/// Elements of a rod and the knots that go with them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Knots {
    /// Ends of elements as shares, from 0 to 1.
    pub(crate) ends: Vec<f64>,
    knots: Vec<f64>,
    /// First control point of every element.
    pub(crate) first: Vec<usize>,
}

impl Knots {
    /// Knots at the given ends of elements; `sharp` says where the second derivative may jump.
    pub(crate) fn new(ends: &[f64], sharp: &dyn Fn(usize) -> bool) -> Self {
        let n = ends.len() - 1;
        let mut knots = vec![ends[0]; 4];
        let mut first = vec![0];
        for (e, end) in ends.iter().enumerate().take(n).skip(1) {
            let times = if sharp(e) { 2 } else { 1 };
            knots.extend(std::iter::repeat_n(*end, times));
            first.push(first[e - 1] + times);
        }
        knots.extend([ends[n]; 4]);
        Self { ends: ends.to_vec(), knots, first }
    }

    /// Number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.first.len()
    }

    /// Number of control points.
    pub(crate) fn controls(&self) -> usize {
        self.knots.len() - 4
    }

    /// Length of an element as a share of the rod.
    pub(crate) fn share(&self, e: usize) -> f64 {
        self.ends[e + 1] - self.ends[e]
    }

    /// The functions of element `e` at share `xi` of it.
    pub(crate) fn at(&self, e: usize, xi: f64) -> Values {
        let k = self.first[e] + 3;
        let t = &self.knots;
        let sigma = self.ends[e] + xi * self.share(e);
        // Functions of degree 1, 2, 3 one after the other: the last d + 1 of them are not zero here.
        let mut all = [[0.0; 4]; 4];
        all[0][0] = 1.0;
        for d in 1..4 {
            let mut saved = 0.0;
            for r in 0..d {
                let (right, left) = (t[k + r + 1] - sigma, sigma - t[k + 1 + r - d]);
                let part = all[d - 1][r] / (right + left);
                all[d][r] = saved + right * part;
                saved = left * part;
            }
            all[d][d] = saved;
        }
        // The derivative of function i of degree d: d (B_i/(t_{i+d} − t_i) − B_{i+1}/(t_{i+d+1} − t_{i+1})).
        let derive = |d: usize, below: &[f64; 4]| -> [f64; 4] {
            let mut out = [0.0; 4];
            for (r, value) in out.iter_mut().enumerate().take(d + 1) {
                let i = k + r - d;
                let mut sum = 0.0;
                if r > 0 {
                    sum += below[r - 1] / (t[i + d] - t[i]);
                }
                if r < d {
                    sum -= below[r] / (t[i + d + 1] - t[i + 1]);
                }
                *value = d as f64 * sum;
            }
            out
        };
        let slope = derive(3, &all[2]);
        let bend = derive(3, &derive(2, &all[1]));
        Values { cubic: all[3], slope, bend, quadratic: [all[2][0], all[2][1], all[2][2]] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_reproduced_with_their_derivatives() {
        let knots = Knots::new(&[0.0, 0.2, 0.5, 0.6, 1.0], &|e| e == 2);
        assert_eq!(knots.controls(), 8);
        // Control points of σ³ − 2σ are its blossom at three neighbouring knots.
        let blossom = |i: usize| {
            let [a, b, c] = [knots.knots[i + 1], knots.knots[i + 2], knots.knots[i + 3]];
            a * b * c - 2.0 * (a + b + c) / 3.0
        };
        for e in 0..4 {
            for xi in [0.0, 0.3, 1.0] {
                let s = knots.ends[e] + xi * knots.share(e);
                let v = knots.at(e, xi);
                let sum = |w: &[f64; 4]| (0..4).map(|i| w[i] * blossom(knots.first[e] + i)).sum::<f64>();
                assert!((sum(&v.cubic) - (s.powi(3) - 2.0 * s)).abs() < 1e-14);
                assert!((sum(&v.slope) - (3.0 * s * s - 2.0)).abs() < 1e-13);
                assert!((sum(&v.bend) - 6.0 * s).abs() < 1e-12);
                assert!((v.quadratic.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_sharp_joint_lets_the_second_derivative_jump_alone() {
        let knots = Knots::new(&[0.0, 0.25, 0.5, 1.0], &|e| e == 2);
        let control = |i: usize| (i as f64 * 1.7).sin();
        let at = |e: usize, xi: f64| {
            let v = knots.at(e, xi);
            let sum = |w: &[f64; 4]| (0..4).map(|i| w[i] * control(knots.first[e] + i)).sum::<f64>();
            [sum(&v.cubic), sum(&v.slope), sum(&v.bend)]
        };
        let smooth: Vec<f64> = at(0, 1.0).iter().zip(at(1, 0.0)).map(|(a, b)| (a - b).abs()).collect();
        assert!(smooth.iter().all(|d| *d < 1e-12), "{smooth:?}");
        let sharp: Vec<f64> = at(1, 1.0).iter().zip(at(2, 0.0)).map(|(a, b)| (a - b).abs()).collect();
        assert!(sharp[0] < 1e-12 && sharp[1] < 1e-12 && sharp[2] > 1e-2, "{sharp:?}");
    }
}
