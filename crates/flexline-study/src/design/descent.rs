//! Sequential quadratic programming in a box with a trust region, elastic constraints and an exact penalty (R. Fletcher, *Practical
//! methods of optimization*, 2nd ed. 1987, §12.4, Sℓ₁QP).
//!
//! Rules that contradict each other leave a program without a feasible point. With a price ν on what is missed,
//!
//! ```text
//! min ∇f·d + ½ dᵀB d + ν Σ s_i     subject to     c_i + ∇c_i·d ≤ s_i,   s_i ≥ 0,   |d_j| ≤ Δ,   0 ≤ t_j + d_j ≤ 1,
//! ```
//!
//! every step has a solution, and where nothing is feasible the search ends at the least sum of what is missed.

use super::quadratic;
use nalgebra::{DMatrix, DVector};

/// Steps of a search.
const MOST: usize = 60;
/// The first radius of the trust region, as a share of the ranges, and the least.
const FIRST: f64 = 0.2;
const LEAST: f64 = 1e-7;
/// The price of what is missed, beside the size of the objective, in steps.
const PRICES: [f64; 3] = [10.0, 1e3, 1e5];
/// What counts as kept.
pub(super) const KEPT: f64 = 1e-7;

/// What is to be as small as may be, and what is to be 0 or less; all scaled to about one.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub(super) goal: f64,
    pub(super) rules: Vec<f64>,
}

impl Values {
    /// What is missed, all together.
    pub(super) fn missed(&self) -> f64 {
        self.rules.iter().map(|own| own.max(0.0)).sum()
    }

    fn priced(&self, price: f64) -> f64 {
        self.goal + price * self.missed()
    }

    /// Whether this is better than another: kept rules count before the goal.
    pub(super) fn is_better(&self, other: &Self) -> bool {
        let (own, known) = (self.missed(), other.missed());
        match (own <= KEPT, known <= KEPT) {
            (true, true) => self.goal < other.goal,
            (true, false) => true,
            (false, true) => false,
            (false, false) => own < known,
        }
    }
}

/// Values and their derivatives by every share: the goal's, then those of the rules.
pub(super) struct Slopes {
    pub(super) goal: Vec<f64>,
    pub(super) rules: Vec<Vec<f64>>,
}

/// What is searched over.
pub(super) trait Landscape {
    /// The values at a place; `None` where there are none.
    fn values(&mut self, place: &[f64]) -> Option<Values>;
    /// Their derivatives; `None` where there are none.
    fn slopes(&mut self, place: &[f64]) -> Option<Slopes>;
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// No small change makes it better, by the derivatives.
    Stationary,
    /// Steps became too short: at a kink, or where nothing is known beyond.
    Short,
    /// At the most steps.
    Steps,
}

/// The best place that a search from here leads to.
pub(super) fn descend(land: &mut dyn Landscape, start: &[f64]) -> Option<(Vec<f64>, Values, End)> {
    let mut best = (start.to_vec(), land.values(start)?, End::Steps);
    for price in PRICES {
        let found = at_price(land, &best.0, &best.1, price);
        if found.1.is_better(&best.1) || price == PRICES[0] && found.1.missed() <= best.1.missed() + KEPT {
            best = found;
        } else {
            best.2 = found.2;
        }
        if best.1.missed() <= KEPT {
            break;
        }
    }
    Some(best)
}

fn at_price(land: &mut dyn Landscape, start: &[f64], values: &Values, price: f64) -> (Vec<f64>, Values, End) {
    let n = start.len();
    let (mut here, mut values) = (start.to_vec(), values.clone());
    let mut radius = FIRST;
    let mut form = DMatrix::<f64>::zeros(n, n);
    let mut last: Option<(Vec<f64>, Slopes, DVector<f64>)> = None;
    let mut slopes = None;
    for _ in 0..MOST {
        if slopes.is_none() {
            slopes = Some(land.slopes(&here).or_else(|| by_differences(land, &here, &values)));
        }
        let Some(Some(own)) = &slopes else {
            return (here, values, End::Short);
        };
        // The form learns from the change of the Lagrangian's gradient (damped BFGS).
        if let Some((before, known, multipliers)) = last.take() {
            let lagrangian = |slopes: &Slopes| {
                let mut sum = DVector::from_vec(slopes.goal.clone());
                for (rule, own) in slopes.rules.iter().zip(multipliers.iter()) {
                    sum += DVector::from_vec(rule.clone()) * *own;
                }
                sum
            };
            let step = DVector::from_iterator(n, here.iter().zip(&before).map(|(a, b)| a - b));
            learn(&mut form, &step, &(lagrangian(own) - lagrangian(&known)));
        }
        let Some((step, multipliers, gain)) = model(own, &values, &here, &form, radius, price) else {
            return (here, values, End::Short);
        };
        let scale = 1.0 + values.goal.abs() + price * values.missed();
        if gain <= 1e-12 * scale || step.amax() < 1e-2 * LEAST {
            return (here, values, End::Stationary);
        }
        let ahead: Vec<f64> = here.iter().zip(step.iter()).map(|(t, d)| (t + d).clamp(0.0, 1.0)).collect();
        let found = land.values(&ahead);
        let gained =
            found.as_ref().map_or(f64::NEG_INFINITY, |found| values.priced(price) - found.priced(price));
        let ratio = gained / gain;
        match found.filter(|_| ratio > 1e-4) {
            Some(next) => {
                if ratio > 0.75 {
                    radius = (2.0 * radius).min(0.5);
                } else if ratio < 0.25 {
                    radius *= 0.5;
                }
                let own = slopes.take().flatten();
                last = own.map(|own| (here.clone(), own, multipliers));
                (here, values) = (ahead, next);
            }
            None => radius = 0.3 * radius.min(step.amax()),
        }
        if radius < LEAST {
            return (here, values, End::Short);
        }
    }
    (here, values, End::Steps)
}

/// Derivatives by differences of values, for where the equilibrium itself has none.
fn by_differences(land: &mut dyn Landscape, here: &[f64], values: &Values) -> Option<Slopes> {
    let mut slopes =
        Slopes { goal: vec![0.0; here.len()], rules: vec![vec![0.0; here.len()]; values.rules.len()] };
    for k in 0..here.len() {
        let mut side = |by: f64| {
            let mut there = here.to_vec();
            there[k] = (there[k] + by).clamp(0.0, 1.0);
            land.values(&there).map(|values| (there[k], values))
        };
        let sides: Vec<(f64, Values)> = [side(-1e-4), side(1e-4)].into_iter().flatten().collect();
        let (first, last) = match &sides[..] {
            [one] => ((here[k], values.clone()), one.clone()),
            [a, b] => (a.clone(), b.clone()),
            _ => return None,
        };
        let apart = last.0 - first.0;
        if apart == 0.0 {
            return None;
        }
        slopes.goal[k] = (last.1.goal - first.1.goal) / apart;
        for (row, (a, b)) in slopes.rules.iter_mut().zip(first.1.rules.iter().zip(&last.1.rules)) {
            row[k] = (b - a) / apart;
        }
    }
    Some(slopes)
}

/// The step of the quadratic model, the multipliers of the rules, and by how much the model becomes better.
fn model(
    slopes: &Slopes,
    values: &Values,
    here: &[f64],
    form: &DMatrix<f64>,
    radius: f64,
    price: f64,
) -> Option<(DVector<f64>, DVector<f64>, f64)> {
    let (n, m) = (here.len(), values.rules.len());
    let mut q = DMatrix::zeros(n + m, n + m);
    q.view_mut((0, 0), (n, n)).copy_from(form);
    // Steps in units of the radius, so that the program is well scaled however short they are.
    q.view_mut((0, 0), (n, n)).scale_mut(radius * radius);
    let mut g = DVector::from_element(m + n, price);
    for k in 0..n {
        g[k] = slopes.goal[k] * radius;
    }
    let mut a = DMatrix::zeros(2 * m + 2 * n, n + m);
    let mut b = DVector::zeros(2 * m + 2 * n);
    for (i, rule) in slopes.rules.iter().enumerate() {
        for k in 0..n {
            a[(i, k)] = rule[k] * radius;
        }
        a[(i, n + i)] = -1.0;
        b[i] = -values.rules[i];
        a[(m + i, n + i)] = -1.0;
    }
    for k in 0..n {
        a[(2 * m + k, k)] = 1.0;
        b[2 * m + k] = ((1.0 - here[k]) / radius).min(1.0);
        a[(2 * m + n + k, k)] = -1.0;
        b[2 * m + n + k] = (here[k] / radius).min(1.0);
    }
    let scale = 1.0 / g.amax().max(1e-300);
    let (x, multipliers) = quadratic::solve(&(q.clone() * scale), &(&g * scale), &a, &b)?;
    let step: DVector<f64> = x.rows(0, n) * radius;
    let linear: f64 = (0..n).map(|k| slopes.goal[k] * step[k]).sum();
    let bent = 0.5 * step.dot(&(form * &step));
    let missed = |i: usize| {
        let ahead: f64 = values.rules[i] + (0..n).map(|k| slopes.rules[i][k] * step[k]).sum::<f64>();
        values.rules[i].max(0.0) - ahead.max(0.0)
    };
    let gain = -linear - bent + price * (0..m).map(missed).sum::<f64>();
    Some((step, multipliers.rows(0, m) / scale, gain))
}

/// Powell's damped BFGS: the form stays positive semidefinite.
fn learn(form: &mut DMatrix<f64>, step: &DVector<f64>, change: &DVector<f64>) {
    let length = step.norm_squared();
    if length == 0.0 || !change.iter().all(|own| own.is_finite()) {
        return;
    }
    if form.amax() == 0.0 {
        let first = (step.dot(change) / length).max(0.0);
        if first == 0.0 {
            return;
        }
        *form = DMatrix::identity(form.nrows(), form.ncols()) * first;
    }
    let pushed = &*form * step;
    let bent = step.dot(&pushed);
    let own = step.dot(change);
    let share = if own >= 0.2 * bent { 1.0 } else { 0.8 * bent / (bent - own) };
    let change = change * share + &pushed * (1.0 - share);
    let along = step.dot(&change);
    if bent > 0.0 && along > 1e-14 * bent {
        *form += &change * change.transpose() / along - &pushed * pushed.transpose() / bent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley in a disc: the solution is on its edge.
    struct Valley;

    impl Landscape for Valley {
        fn values(&mut self, t: &[f64]) -> Option<Values> {
            let (x, y) = (4.0 * t[0] - 2.0, 4.0 * t[1] - 2.0);
            let goal = 0.1 * ((1.0 - x).powi(2) + 10.0 * (y - x * x).powi(2));
            Some(Values { goal, rules: vec![x * x + y * y - 1.0] })
        }
        fn slopes(&mut self, t: &[f64]) -> Option<Slopes> {
            let (x, y) = (4.0 * t[0] - 2.0, 4.0 * t[1] - 2.0);
            let by_x = 0.1 * (-2.0 * (1.0 - x) - 40.0 * x * (y - x * x));
            let goal = vec![4.0 * by_x, 4.0 * 0.1 * 20.0 * (y - x * x)];
            Some(Slopes { goal, rules: vec![vec![8.0 * x, 8.0 * y]] })
        }
    }

    #[test]
    fn a_bent_valley_with_a_rule_is_followed_to_its_end() {
        let (place, values, end) = descend(&mut Valley, &[0.1, 0.9]).expect("values");
        // A fine scan of the edge: the least there is at an angle that the search must have found.
        let least = (0..2_000_000).map(|k| 1e-6 * std::f64::consts::PI * k as f64);
        let on = |angle: f64| {
            let (y, x) = angle.sin_cos();
            0.1 * ((1.0 - x).powi(2) + 10.0 * (y - x * x).powi(2))
        };
        let least = least.map(on).fold(f64::INFINITY, f64::min);
        assert!((values.goal - least).abs() < 1e-8, "{place:?} {values:?} {least} {end:?}");
        assert!(values.missed() <= KEPT);
    }

    /// Rules that contradict each other: x ≤ 0.2 and x ≥ 0.8. Anything between misses as little.
    struct Torn;

    impl Landscape for Torn {
        fn values(&mut self, t: &[f64]) -> Option<Values> {
            Some(Values { goal: t[0], rules: vec![t[0] - 0.2, 0.8 - t[0]] })
        }
        fn slopes(&mut self, _: &[f64]) -> Option<Slopes> {
            Some(Slopes { goal: vec![1.0], rules: vec![vec![1.0], vec![-1.0]] })
        }
    }

    #[test]
    fn rules_that_contradict_end_at_the_least_sum_of_what_is_missed() {
        let (place, values, _) = descend(&mut Torn, &[0.95]).expect("values");
        assert!((values.missed() - 0.6).abs() < 1e-6, "{place:?} {values:?}");
    }
}
