//! Distributions of squares and of means whose noise is estimated: χ² and Student's t.

use std::f64::consts::PI;

/// ln Γ(x) for x > 0, by Stirling's series beyond 12.
pub fn ln_gamma(x: f64) -> f64 {
    let (mut y, mut shift) = (x, 0.0);
    while y < 12.0 {
        shift += y.ln();
        y += 1.0;
    }
    let z = 1.0 / (y * y);
    let series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z / 1188.0)))) / y;
    (y - 0.5) * y.ln() - y + 0.5 * (2.0 * PI).ln() + series - shift
}

/// The share of χ² with `dof` degrees of freedom below `x`: P(dof/2, x/2).
pub fn chi_squared_below(dof: f64, x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return 0.0;
    }
    let (a, x) = (0.5 * dof, 0.5 * x);
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > 1e-16 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (front * sum).min(1.0);
    }
    // The continued fraction of Legendre, by the method of Lentz.
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1e300, 1.0 / b);
    let mut value = d;
    for k in 1..10_000 {
        let k = f64::from(k);
        let an = -k * (k - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        value *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    (1.0 - front * value).clamp(0.0, 1.0)
}

/// The x below which a share of χ² lies.
pub fn chi_squared_quantile(dof: f64, share: f64) -> f64 {
    root(|x| chi_squared_below(dof, x) - share, 0.0, dof + 10.0)
}

/// The share of Student's t with `dof` degrees of freedom between −t and t, for t ≥ 0: 1 − I(dof/(dof + t²); dof/2, 1/2).
pub fn student_within(dof: f64, t: f64) -> f64 {
    1.0 - beta_below(0.5 * dof, 0.5, dof / (dof + t * t))
}

/// Half of the width of the interval that holds a share of Student's t.
pub fn student_two_sided(dof: f64, share: f64) -> f64 {
    root(|t| student_within(dof, t) - share, 0.0, 2.0)
}

/// The incomplete beta function I(x; a, b), by its continued fraction.
fn beta_below(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_below(b, a, 1.0 - x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    let (mut c, mut d) = (1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for k in 1..10_000 {
        let k = f64::from(k);
        for step in [
            k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k)),
            -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0)),
        ] {
            d = 1.0 / (1.0 + step * d);
            c = 1.0 + step / c;
            value *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * value / a
}

/// The root of a function that rises, at or beyond `from`.
fn root(f: impl Fn(f64) -> f64, from: f64, mut to: f64) -> f64 {
    let mut low = from;
    while f(to) < 0.0 && to < 1e300 {
        (low, to) = (to, 2.0 * to);
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + to);
        if middle == low || middle == to {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            to = middle;
        }
    }
    0.5 * (low + to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_textbooks_are_met() {
        for (dof, t) in
            [(1.0, 12.706_204_736), (5.0, 2.570_581_836), (30.0, 2.042_272_456), (1e6, 1.959_966_7)]
        {
            let found = student_two_sided(dof, 0.95);
            assert!((found - t).abs() < 1e-6 * t, "{dof}: {found}");
        }
        for (dof, share, x) in [
            (1.0, 0.95, 3.841_458_821),
            (10.0, 0.05, 3.940_299_136),
            (100.0, 0.95, 124.342_113_4),
            (3.0, 0.99, 11.344_866_73),
        ] {
            let found = chi_squared_quantile(dof, share);
            assert!((found - x).abs() < 1e-8 * x, "{dof} {share}: {found}");
        }
        for n in 1..20 {
            let factorial: f64 = (1..n).map(f64::from).product();
            assert!((ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-12 * factorial.ln().max(1.0), "{n}");
        }
    }
}
