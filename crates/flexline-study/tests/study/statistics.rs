//! Chance, quantiles and indices against closed forms.

use flexline_study::study::Distribution;
use flexline_study::study::normal::{below, quantile};
use flexline_study::study::sample::{Copula, MOST_SOBOL, Method, Points};
use flexline_study::study::statistics::{self, indices, mean_and_deviation, rate, regression};
use std::f64::consts::PI;

#[test]
fn the_normal_distribution_is_that_of_the_tables() {
    // Abramowitz and Stegun, tables 26.1 and 26.2.
    for (x, known) in [
        (0.0, 0.5),
        (1.0, 0.841_344_746_068_543),
        (2.5, 0.993_790_334_674_224),
        (-3.0, 1.349_898_031_630_09e-3),
        (-6.0, 9.865_876_450_377e-10),
    ] {
        assert!((below(x) - known).abs() < 1e-13 * known, "{x}: {}", below(x));
    }
    for p in [1e-300, 1e-12, 1e-3, 0.2, 0.5, 0.7, 0.999_999] {
        // The exponential has the round-off of its argument, x²/2.
        let x = quantile(p);
        assert!((below(x) - p).abs() < (1e-14 + 2e-16 * x * x) * p, "{p}: {}", below(x) / p - 1.0);
    }
    assert!((quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-13);
}

#[test]
fn every_column_of_sobol_and_of_a_hypercube_is_even() {
    let n = 256;
    for method in [Method::Sobol, Method::LatinHypercube] {
        let points = Points::new(method, 7, n, &[1; MOST_SOBOL]);
        for column in 0..MOST_SOBOL {
            let mut seen = vec![0; n];
            (0..n).for_each(|row| seen[(points.at(row, column) * n as f64) as usize] += 1);
            assert!(seen.iter().all(|count| *count == 1), "{method:?} {column}");
        }
    }
    // Pairs of neighbouring columns of Sobol's sequence: every one of 16 × 16 squares has one of 256 points in the first two.
    let points = Points::new(Method::Sobol, 0, n, &[1; 2]);
    let mut seen = vec![0; n];
    for row in 0..n {
        seen[(points.at(row, 0) * 16.0) as usize * 16 + (points.at(row, 1) * 16.0) as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count == 1));
    let grid = Points::new(Method::Grid, 0, 6, &[2, 3]);
    let all: Vec<[f64; 2]> = (0..6).map(|row| [grid.at(row, 0), grid.at(row, 1)]).collect();
    assert_eq!(all[3], [0.75, 0.5]);
}

#[test]
fn distributions_have_their_moments() {
    let n = 4096;
    let points = Points::new(Method::Sobol, 3, n, &[1]);
    let spread = |own: &Distribution| {
        mean_and_deviation(&(0..n).map(|row| own.quantile(points.at(row, 0))).collect::<Vec<_>>())
    };
    let near = |found: [f64; 2], mean: f64, variance: f64| {
        // The rule of the rectangle: a few parts of n, more where a tail is cut by it.
        assert!((found[0] - mean).abs() < 2e-3 && (found[1] - variance.sqrt()).abs() < 2e-3, "{found:?}");
    };
    near(spread(&Distribution::Uniform([1.0, 3.0])), 2.0, 1.0 / 3.0);
    let [a, c, b] = [0.0, 1.0, 3.0];
    let triangular = (a * a + b * b + c * c - a * b - a * c - b * c) / 18.0;
    near(spread(&Distribution::Triangular([a, c, b])), 4.0 / 3.0, triangular);
    let normal = |within| Distribution::Normal { mean: 1.0, deviation: 0.5, within };
    near(spread(&normal([f64::NEG_INFINITY, f64::INFINITY])), 1.0, 0.25);
    // Cut at its mean it is half a normal distribution.
    let half = spread(&normal([1.0, f64::INFINITY]));
    near(half, 1.0 + 0.5 * (2.0 / PI).sqrt(), 0.25 * (1.0 - 2.0 / PI));
    let two = Distribution::Discrete(vec![(1.0, 1.0), (2.0, 3.0)]);
    near(spread(&two), 1.75, 0.1875);
}

#[test]
fn a_copula_correlates_and_leaves_each_as_it_is() {
    let n = 1 << 14;
    let points = Points::new(Method::Sobol, 1, n, &[1; 2]);
    let copula = Copula::new(2, &[(0, 1, 0.6)]).expect("a correlation");
    let mut columns = [Vec::new(), Vec::new()];
    for row in 0..n {
        let mut own = [points.at(row, 0), points.at(row, 1)];
        copula.apply(&mut own);
        (0..2).for_each(|k| columns[k].push(quantile(own[k])));
    }
    let [[m0, d0], [m1, d1]] = [mean_and_deviation(&columns[0]), mean_and_deviation(&columns[1])];
    let product = (0..n).map(|k| (columns[0][k] - m0) * (columns[1][k] - m1)).sum::<f64>() / n as f64;
    assert!((product / (d0 * d1) - 0.6).abs() < 2e-3 && (d1 - 1.0).abs() < 2e-3);
    assert!(Copula::new(3, &[(0, 1, 0.9), (1, 2, 0.9), (0, 2, -0.9)]).is_none());
}

/// Ishigami and Homma's function, whose indices have a closed form.
#[test]
fn sobol_indices_are_those_of_ishigami() {
    let (n, a, b) = (1 << 13, 7.0, 0.1);
    let points = Points::new(Method::Sobol, 5, n, &[1; 6]);
    let f = |x: [f64; 3]| x[0].sin() + a * x[1].sin().powi(2) + b * x[2].powi(4) * x[0].sin();
    let at = |row: usize, other: &dyn Fn(usize) -> bool| {
        std::array::from_fn(|k| (2.0 * points.at(row, if other(k) { k + 3 } else { k }) - 1.0) * PI)
    };
    let values = |other: &dyn Fn(usize) -> bool| (0..n).map(|row| f(at(row, other))).collect::<Vec<f64>>();
    let mixed: Vec<Vec<f64>> = (0..3).map(|own| values(&|k| k == own)).collect();
    let found = indices(&values(&|_| false), &values(&|_| true), &mixed, 1);
    let first = 0.5 * (1.0 + b * PI.powi(4) / 5.0).powi(2);
    let second = a * a / 8.0;
    let both = b * b * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
    let all = first + second + both;
    for (own, [one, total]) in found
        .iter()
        .zip([[first, first + both], [second, second], [0.0, both]].map(|pair| pair.map(|v| v / all)))
    {
        assert!((own.first.value - one).abs() < 0.01, "{} {one}", own.first.value);
        assert!((own.total.value - total).abs() < 0.01, "{} {total}", own.total.value);
        assert!(own.total.interval[0] < total && total < own.total.interval[1]);
    }
}

/// Sobol's g: a product whose parts have closed forms for indices of every order (Saltelli and Sobol 1995).
#[test]
fn sobol_indices_are_those_of_g() {
    const A: [f64; 4] = [0.0, 1.0, 4.5, 9.0];
    let n = 1 << 13;
    let points = Points::new(Method::Sobol, 11, n, &[1; 8]);
    let values = |other: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let factor = |row: usize, k: usize| {
            let x = points.at(row, if other(k) { k + 4 } else { k });
            ((4.0 * x - 2.0).abs() + A[k]) / (1.0 + A[k])
        };
        (0..n).map(|row| (0..4).map(|k| factor(row, k)).product()).collect()
    };
    let mixed: Vec<Vec<f64>> = (0..4).map(|own| values(&|k| k == own)).collect();
    let found = indices(&values(&|_| false), &values(&|_| true), &mixed, 1);
    let part = A.map(|a| 1.0 / (3.0 * (1.0 + a) * (1.0 + a)));
    let whole: f64 = part.iter().map(|v| 1.0 + v).product::<f64>() - 1.0;
    for (k, own) in found.iter().enumerate() {
        let others: f64 = (0..4).filter(|j| *j != k).map(|j| 1.0 + part[j]).product();
        let [first, total] = [part[k] / whole, part[k] * others / whole];
        assert!((own.first.value - first).abs() < 0.01, "{k}: {} {first}", own.first.value);
        assert!((own.total.value - total).abs() < 0.01, "{k}: {} {total}", own.total.value);
    }
    // What the function is spread by itself, from the same rows.
    let [mean, deviation] = mean_and_deviation(&values(&|_| false));
    assert!(
        (mean - 1.0).abs() < 0.01 && (deviation.powi(2) / whole - 1.0).abs() < 0.02,
        "{mean} {deviation}"
    );
}

/// Quantiles of the sum of two uniform numbers, which is triangular, and of the normal distribution, at rows of every method.
#[test]
fn quantiles_are_those_of_closed_forms() {
    let n = 1 << 12;
    for (method, tolerance) in [(Method::Sobol, 0.01), (Method::LatinHypercube, 0.04), (Method::Random, 0.06)]
    {
        let points = Points::new(method, 3, n, &[1; 2]);
        let sorted = |of: &dyn Fn([f64; 2]) -> f64| {
            let mut all: Vec<f64> = (0..n).map(|row| of([points.at(row, 0), points.at(row, 1)])).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let (sums, normals) = (sorted(&|[a, b]| a + b), sorted(&|[a, _]| quantile(a)));
        for share in [0.05, 0.5, 0.95] {
            let known =
                if share < 0.5 { (2.0f64 * share).sqrt() } else { 2.0 - (2.0f64 * (1.0 - share)).sqrt() };
            let found = statistics::quantile(&sums, share).value;
            assert!((found - known).abs() < tolerance, "{method:?} {share}: {found} {known}");
            let (found, known) = (statistics::quantile(&normals, share).value, quantile(share));
            assert!((found - known).abs() < 2.0 * tolerance, "{method:?} {share}: {found} {known}");
        }
    }
}

#[test]
fn quantiles_and_rates_cover_the_truth() {
    let (n, runs) = (400, 400);
    let mut covered = [0; 2];
    for run in 0..runs {
        let points = Points::new(Method::Random, run, n, &[1]);
        let mut all: Vec<f64> = (0..n).map(|row| points.at(row, 0)).collect();
        let low = rate(all.iter().filter(|own| **own < 0.03).count(), n).interval;
        covered[0] += usize::from(low[0] <= 0.03 && 0.03 <= low[1]);
        all.sort_by(f64::total_cmp);
        let own = statistics::quantile(&all, 0.9).interval;
        covered[1] += usize::from(own[0] <= 0.9 && 0.9 <= own[1]);
    }
    // 95 % of 400 is 380, spread by 4.4.
    assert!(covered.iter().all(|own| (365..=400).contains(own)), "{covered:?}");
    assert_eq!(statistics::quantile(&[1.0, 2.0, 4.0], 0.75).value, 3.0);
}

#[test]
fn a_plane_is_found_again() {
    let n = 200;
    let points = Points::new(Method::Random, 9, n, &[1; 2]);
    let columns: Vec<Vec<f64>> = (0..2).map(|k| (0..n).map(|row| points.at(row, k)).collect()).collect();
    let values: Vec<f64> = (0..n).map(|row| 5.0 + 3.0 * columns[0][row] - 0.5 * columns[1][row]).collect();
    let found = regression(&columns, &values).expect("a plane");
    assert!((found.slopes[0] - 3.0).abs() < 1e-12 && (found.slopes[1] + 0.5).abs() < 1e-12, "{found:?}");
    assert!((found.explained - 1.0).abs() < 1e-12);
    assert!(regression(&columns, &vec![1.0; n]).is_none());
}
