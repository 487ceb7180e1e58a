//! Runs cases in parallel and sums up.

use crate::case::{Bound, Case, Kind, RIGID};
use crate::judge::{Attempt, Judgement, Nominal, Quantity, judge};
use crate::reference::ReferenceSet;
use crate::rods::{Grid, Model};
use flexline::rod::mixed::MIN_SEGMENTS;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most segments of a quick run, and of one in contact.
const QUICK_LIMIT: [usize; 2] = [200, 400];
/// A quick run takes one case in this many.
const QUICK_SHARE: usize = 5;

/// Steps of rigid bodies in time, and the order that they must show.
const STEPS: [usize; 3] = [250, 500, 1000];
const STEPPING: Nominal = Nominal { order: 1.0, or_better: true, doublings: 1 };

/// The models that are run unless others are asked for; "nodal" is the other.
pub const MODELS: [&str; 4] = ["mixed", "helix", "clothoid", "spline"];

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Models by name. A case is run with those that it takes: kinematics with "helix" and "clothoid"
    /// alone. Cases without a rod are run whatever is asked for, once. With none of them it is unsupported.
    pub models: Vec<String>,
    /// Segments or elements to try, in increasing order; those beyond the model's limit are left out.
    /// Empty: what suits the model.
    pub resolutions: Vec<usize>,
    /// Only cases whose id or group contains this.
    pub filter: Option<String>,
    /// A part of the cases at small resolutions: for test suites.
    pub quick: bool,
    /// Threads to use; 0 for one per core.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            models: MODELS.map(str::to_owned).to_vec(),
            resolutions: Vec::new(),
            filter: None,
            quick: false,
            threads: 0,
        }
    }
}

impl Options {
    /// The resolutions to run: increasing, inside the limits; one alone gets a coarser companion,
    /// without which no order can be observed.
    fn ladder(&self, model: Model, contact: bool, own: Option<&[usize]>) -> Vec<usize> {
        // An element is worth more than a segment: a quick run has few of them anyway.
        let limit = match model {
            Model::Chain(_) if self.quick => QUICK_LIMIT[usize::from(contact)],
            model => model.limit(),
        };
        let usual = own.unwrap_or(model.ladder());
        let asked = if self.resolutions.is_empty() { usual } else { &self.resolutions };
        let mut ladder: Vec<usize> =
            asked.iter().copied().filter(|n| (MIN_SEGMENTS..=limit).contains(n)).collect();
        if let [only] = ladder[..]
            && only / 2 >= MIN_SEGMENTS
        {
            ladder.push(only / 2);
        }
        ladder.sort_unstable();
        ladder.dedup();
        ladder
    }

    /// The models to run a case with: those it takes, or those asked for where it takes none.
    fn models_for(&self, case: &Case) -> Vec<&str> {
        if case.takes(RIGID) {
            return vec![RIGID];
        }
        let asked = || self.models.iter().map(String::as_str);
        let taken: Vec<&str> = asked().filter(|m| case.takes(m)).collect();
        match (&case.kind, taken.is_empty()) {
            (_, false) => taken,
            // Which model it is does not matter, and once is enough to be told.
            (Kind::Unsupported(_), true) => asked().take(1).collect(),
            (_, true) => asked().collect(),
        }
    }

    fn selects(&self, case: &Case) -> bool {
        let wanted = |text: &String| case.id.contains(text) || case.group.contains(text);
        self.filter.as_ref().is_none_or(wanted) && (!self.quick || case.place.is_multiple_of(QUICK_SHARE))
    }
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// Inside the tolerances at the right order.
    Pass,
    /// Not so at any resolution.
    Miss,
    /// Not run; the reason is given.
    Unsupported,
}

/// The result of one case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// Name of the case.
    pub id: String,
    /// The test it belongs to.
    pub group: String,
    /// The model.
    pub model: String,
    /// The resolution that passed; the last one tried where none did.
    pub n: Option<usize>,
    /// Error of the worst quantity there.
    pub error: Option<f64>,
    /// Its tolerance.
    pub tolerance: Option<f64>,
    /// The order observed there; none where errors are too small to show one.
    pub order: Option<f64>,
    /// How it ended.
    pub status: CaseStatus,
    /// Why it missed or was not run; empty for a pass.
    pub why: String,
    /// The worst quantity.
    pub quantity: Option<String>,
    /// Every resolution that was run.
    #[serde(skip)]
    pub attempts: Vec<Attempt>,
}

impl CaseResult {
    fn new(case: &Case, model: &str, status: CaseStatus, why: String) -> Self {
        Self {
            id: case.id.clone(),
            group: case.group.clone(),
            model: model.to_owned(),
            n: None,
            error: None,
            tolerance: None,
            order: None,
            status,
            why,
            quantity: None,
            attempts: Vec::new(),
        }
    }
}

/// All results, in the order of the cases, and how many ended how.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The results.
    pub cases: Vec<CaseResult>,
    /// Cases inside the tolerances.
    pub passed: usize,
    /// Cases outside.
    pub missed: usize,
    /// Cases not run.
    pub unsupported: usize,
}

/// Runs the cases that `options` selects, in parallel; `progress` hears of every one that ends:
/// how many are done, of how many, which.
pub fn run(set: &ReferenceSet, options: &Options, progress: &(dyn Fn(usize, usize, &str) + Sync)) -> Summary {
    let chosen = set.cases.iter().filter(|c| options.selects(c));
    let jobs: Vec<(&str, &Case)> =
        chosen.flat_map(|case| options.models_for(case).into_iter().map(move |m| (m, case))).collect();
    let done = AtomicUsize::new(0);
    let work = || {
        // One job at a time per thread: their costs differ widely.
        let results = jobs.par_iter().with_max_len(1).map(|(model, case)| {
            let result = run_case(case, model, options);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len(), &case.id);
            result
        });
        results.collect::<Vec<CaseResult>>()
    };
    let cases = match rayon::ThreadPoolBuilder::new().num_threads(options.threads).build() {
        Ok(pool) => pool.install(work),
        // No pool of our own to be had: the shared one does as well.
        Err(_) => work(),
    };
    let count = |status| cases.iter().filter(|c| c.status == status).count();
    Summary {
        passed: count(CaseStatus::Pass),
        missed: count(CaseStatus::Miss),
        unsupported: count(CaseStatus::Unsupported),
        cases,
    }
}

fn run_case(case: &Case, model: &str, options: &Options) -> CaseResult {
    let unsupported = |why: String| CaseResult::new(case, model, CaseStatus::Unsupported, why);
    let (measure, bounds, contact, own) = match &case.kind {
        Kind::Unsupported(why) => return unsupported(why.clone()),
        Kind::Exact { models, .. } if !case.takes(model) => {
            return unsupported(format!("kinematics, for the model {} only", models.join(" or ")));
        }
        Kind::Exact { measure, .. } => return run_exact(case, model, measure(model)),
        Kind::Steps(measure) => {
            let (attempts, judgement) = climb(measure, &STEPS, STEPPING);
            return judged(case, model, attempts, judgement);
        }
        Kind::Run { measure, bounds, contact, resolutions } => (measure, bounds, *contact, *resolutions),
    };
    let Some(kind) = Model::find(model) else {
        return unsupported(format!("model {model} is not built yet"));
    };
    if let Some(claimed) = contact.filter(|claimed| !claimed.contains(&model)) {
        return unsupported(format!("claimed by {} alone; others are not built yet", claimed.join(", ")));
    }
    let measure = |n| measure(Grid { model: kind, n });
    let ladder = &options.ladder(kind, contact.is_some(), own);
    if ladder.is_empty() {
        let why = format!("no resolution between {MIN_SEGMENTS} and {} was asked for", kind.limit());
        return unsupported(why);
    }
    let (attempts, judgement) =
        climb(&measure, ladder, if contact.is_some() { Nominal::CONTACT } else { kind.order() });
    let mut result = judged(case, model, attempts, judgement);
    let own = bounds.iter().filter(|b| b.model == model);
    for why in own.filter_map(|b| broken(b, &measure, &result.attempts, ladder)).collect::<Vec<_>>() {
        result.status = CaseStatus::Miss;
        result.why = if result.why.is_empty() { why } else { format!("{}; {why}", result.why) };
    }
    result
}

/// The result of a row of attempts.
fn judged(case: &Case, model: &str, attempts: Vec<Attempt>, judgement: Judgement) -> CaseResult {
    let mut result = CaseResult::new(case, model, CaseStatus::Pass, String::new());
    // What is reported is the last resolution that gave numbers.
    if let Some(attempt) = attempts.iter().rev().find(|a| a.outcome.is_ok())
        && let Some(worst) = attempt.worst()
    {
        result.n = Some(attempt.n);
        result.error = Some(worst.error);
        result.tolerance = Some(worst.tolerance);
        result.quantity = Some(worst.name.to_owned());
    }
    match judgement {
        Judgement::Pass { order } => result.order = order,
        Judgement::NotYet { order, why } => {
            result.order = order;
            result.status = CaseStatus::Miss;
            result.why = why;
        }
    }
    result.attempts = attempts;
    result
}

/// The result of a model that is exact: one element, inside the tolerances or not.
fn run_exact(case: &Case, model: &str, outcome: Outcome) -> CaseResult {
    let attempt = Attempt { n: 1, outcome };
    let mut result = CaseResult::new(case, model, CaseStatus::Pass, String::new());
    result.n = Some(1);
    match (&attempt.outcome, attempt.worst()) {
        (Err(why), _) => (result.status, result.why) = (CaseStatus::Miss, why.clone()),
        (_, None) => {
            (result.status, result.why) = (CaseStatus::Miss, "the case gives nothing to compare".into());
        }
        (_, Some(worst)) => {
            result.error = Some(worst.error);
            result.tolerance = Some(worst.tolerance);
            result.quantity = Some(worst.name.to_owned());
            if worst.ratio() > 1.0 {
                result.status = CaseStatus::Miss;
                result.why =
                    format!("{}: error {:.2e} exceeds {:.1e}", worst.name, worst.error, worst.tolerance);
            }
        }
    }
    result.attempts = vec![attempt];
    result
}

/// The compared numbers, or why there are none.
type Outcome = Result<Vec<Quantity>, String>;

/// Tries the resolutions until one passes.
fn climb(
    measure: &dyn Fn(usize) -> Outcome,
    ladder: &[usize],
    nominal: Nominal,
) -> (Vec<Attempt>, Judgement) {
    let mut attempts = Vec::new();
    let mut judgement = judge(&attempts, nominal);
    for &n in ladder {
        attempts.push(Attempt { n, outcome: measure(n) });
        judgement = judge(&attempts, nominal);
        if matches!(judgement, Judgement::Pass { .. }) {
            break;
        }
    }
    (attempts, judgement)
}

/// Says how a bound is broken, if it is; one beyond the resolutions asked for is not looked at.
fn broken(
    bound: &Bound,
    measure: &dyn Fn(usize) -> Outcome,
    attempts: &[Attempt],
    ladder: &[usize],
) -> Option<String> {
    if ladder.last().is_none_or(|most| *most < bound.n) {
        return None;
    }
    let outcome = match attempts.iter().find(|a| a.n == bound.n) {
        Some(attempt) => attempt.outcome.clone(),
        None => measure(bound.n),
    };
    match outcome {
        Err(why) => Some(format!("n = {}: {why}", bound.n)),
        Ok(list) => list
            .iter()
            .find(|q| q.name == bound.quantity && (q.error > bound.limit || q.error.is_nan()))
            .map(|q| {
                format!("{}: error {:.2e} exceeds {:.0e} at n = {}", q.name, q.error, bound.limit, bound.n)
            }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Measure;

    fn case(error: fn(f64) -> f64, bounds: &'static [Bound]) -> Case {
        let measure: Measure =
            Box::new(move |grid| Ok(vec![Quantity::new("centreline", error(grid.n as f64), 1e-4)]));
        Case {
            id: "a".into(),
            group: "g".into(),
            place: 0,
            kind: Kind::Run { measure, bounds, contact: None, resolutions: None },
        }
    }

    const LADDER: [usize; 4] = [25, 50, 100, 200];

    fn on(ladder: &[usize]) -> Options {
        Options { resolutions: ladder.to_vec(), ..Options::default() }
    }

    #[test]
    fn the_first_resolution_that_meets_everything_is_reported() {
        let result = run_case(&case(|n| 0.4 / (n * n), &[]), "mixed", &on(&LADDER));
        assert_eq!((result.status, result.n), (CaseStatus::Pass, Some(100)));
        assert!((result.order.unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(result.attempts.len(), 3);
    }

    #[test]
    fn first_order_misses_although_small() {
        let result = run_case(&case(|n| 1e-3 / n, &[]), "mixed", &on(&LADDER));
        assert_eq!((result.status, result.n), (CaseStatus::Miss, Some(200)));
        assert!(result.why.contains("order 1.00"), "{}", result.why);
    }

    #[test]
    fn bounds_are_checked_where_they_hold() {
        const LOOSE: [Bound; 1] = [Bound { model: "mixed", n: 100, quantity: "centreline", limit: 2e-5 }];
        const STRICT: [Bound; 1] = [Bound { limit: 5e-6, ..LOOSE[0] }];
        let error: fn(f64) -> f64 = |n| 0.1 / (n * n);
        assert_eq!(run_case(&case(error, &LOOSE), "mixed", &on(&LADDER)).status, CaseStatus::Pass);
        let result = run_case(&case(error, &STRICT), "mixed", &on(&LADDER));
        assert_eq!(result.status, CaseStatus::Miss);
        assert!(result.why.contains("n = 100"), "{}", result.why);
        assert_eq!(run_case(&case(error, &STRICT), "mixed", &on(&LADDER[..2])).status, CaseStatus::Pass);
    }

    #[test]
    fn other_models_and_empty_ladders_are_unsupported() {
        let case = case(|n| 1.0 / n, &[]);
        let result = run_case(&case, "ribbon", &on(&LADDER));
        assert_eq!(
            (result.status, result.why.as_str()),
            (CaseStatus::Unsupported, "model ribbon is not built yet")
        );
        assert_eq!(run_case(&case, "mixed", &on(&[1])).status, CaseStatus::Unsupported);
    }

    #[test]
    fn exact_models_are_judged_once_and_others_told() {
        let exact = |error: f64| Case {
            id: "a".into(),
            group: "g".into(),
            place: 0,
            kind: Kind::Exact {
                models: vec!["clothoid"],
                measure: Box::new(move |_| Ok(vec![Quantity::new("frame", error, 1e-13)])),
            },
        };
        let result = run_case(&exact(5e-14), "clothoid", &on(&[]));
        assert_eq!((result.status, result.n, result.order), (CaseStatus::Pass, Some(1), None));
        assert_eq!(run_case(&exact(f64::NAN), "clothoid", &on(&LADDER)).status, CaseStatus::Miss);
        let result = run_case(&exact(2e-13), "clothoid", &on(&LADDER));
        assert_eq!(result.status, CaseStatus::Miss);
        assert_eq!(result.why, "frame: error 2.00e-13 exceeds 1.0e-13");
        let result = run_case(&exact(0.0), "mixed", &on(&LADDER));
        assert_eq!(result.status, CaseStatus::Unsupported);
        assert_eq!(result.why, "kinematics, for the model clothoid only");
        let models = |list: &[&str], case: &Case| -> Vec<String> {
            let options =
                Options { models: list.iter().map(ToString::to_string).collect(), ..Options::default() };
            options.models_for(case).into_iter().map(str::to_owned).collect()
        };
        assert_eq!(models(&MODELS, &exact(0.0)), ["clothoid"]);
        assert_eq!(models(&["mixed", "ribbon"], &exact(0.0)), ["mixed", "ribbon"]);
        assert_eq!(models(&MODELS, &case(|n| n, &[])), MODELS);
        assert_eq!(models(&["ribbon", "nodal"], &case(|n| n, &[])), ["nodal"]);
    }

    #[test]
    fn ladders_increase_inside_the_limits() {
        let ladder = |list: &[usize], quick| {
            Options { resolutions: list.to_vec(), quick, ..Options::default() }.ladder(
                Model::MIXED,
                false,
                None,
            )
        };
        assert_eq!(ladder(&[100, 1, 50, 1600, 100], false), [50, 100]);
        assert_eq!(ladder(&[100], false), [50, 100]);
        assert_eq!(ladder(&[50, 100, 200, 400], true), [50, 100, 200]);
        assert_eq!(ladder(&[], false), Model::MIXED.ladder());
    }

    #[test]
    fn results_serialise_with_the_agreed_keys() {
        let result = run_case(&case(|n| 0.4 / (n * n), &[]), "mixed", &on(&LADDER));
        let value = serde_json::to_value(&result).unwrap();
        let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        let expected =
            ["error", "group", "id", "model", "n", "order", "quantity", "status", "tolerance", "why"];
        assert_eq!(keys, expected);
        assert_eq!(value["status"], "pass");
    }
}
