//! What a study says, once its rows are done.

use super::statistics::{
    Estimate, Indices, Regression, indices, mean_and_deviation, quantile, rate, regression,
};
use super::{Row, Study};
use crate::find::Relation;
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of the format of a summary.
pub const FORMAT: u32 = 1;

/// Shares of which quantiles are told.
pub const SHARES: [f64; 7] = [0.001, 0.01, 0.05, 0.5, 0.95, 0.99, 0.999];

/// What a study says.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Number of the format.
    pub format: u32,
    /// Name of the scene.
    pub scene: String,
    /// What all chance follows from.
    pub seed: u64,
    /// Rows of the study.
    pub rows: usize,
    /// Rows that count for quantiles and rates: those of Sobol's indices that mix two sets do not.
    pub counted: usize,
    /// How many rows ended in which way.
    pub statuses: BTreeMap<String, usize>,
    /// How often there is no equilibrium.
    pub unsolved: Estimate,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// What is known of each response.
    pub responses: Vec<ResponseSummary>,
}

/// What is known of a response, SI.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResponseSummary {
    /// Its quantity.
    pub quantity: String,
    /// In how many rows it has a value.
    pub count: usize,
    /// Its mean.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub mean: f64,
    /// Its standard deviation.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub deviation: f64,
    /// Its least value.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub least: f64,
    /// Its largest value.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub largest: f64,
    /// Shares and quantiles.
    pub quantiles: Vec<(f64, Estimate)>,
    /// The limit, as it is written.
    pub limit: Option<String>,
    /// How often the limit is broken or there is no value, among all rows that count.
    pub failure: Option<Estimate>,
    /// The plane through the rows, parameter by parameter.
    pub regression: Option<Regression>,
    /// Sobol's indices, parameter by parameter.
    pub indices: Option<Vec<Indices>>,
    /// Samples that Sobol's indices leave out, since one of their rows has no value.
    pub left_out: usize,
}

impl Summary {
    /// From all rows.
    pub fn new(study: &Study, rows: &[Row]) -> Self {
        let mut statuses = BTreeMap::new();
        rows.iter().for_each(|row| *statuses.entry(row.status.clone()).or_insert(0) += 1);
        let counted =
            &rows[..if study.has_indices() { 2 * study.samples } else { rows.len() }.min(rows.len())];
        let lost = counted.iter().filter(|row| row.status != "converged").count();
        Self {
            format: FORMAT,
            scene: study.base.name.clone(),
            seed: study.seed,
            rows: rows.len(),
            counted: counted.len(),
            statuses,
            unsolved: rate(lost, counted.len()),
            parameters: study.parameters.iter().map(|own| own.name.clone()).collect(),
            responses: (0..study.responses.len())
                .map(|k| ResponseSummary::new(study, rows, counted, k))
                .collect(),
        }
    }
}

impl ResponseSummary {
    fn new(study: &Study, rows: &[Row], counted: &[Row], k: usize) -> Self {
        let response = &study.responses[k];
        let known: Vec<(usize, f64)> = counted
            .iter()
            .enumerate()
            .filter_map(|(row, own)| Some((row, own.values[k].filter(|own| own.is_finite())?)))
            .collect();
        let values: Vec<f64> = known.iter().map(|own| own.1).collect();
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let [mean, deviation] = if values.is_empty() { [f64::NAN; 2] } else { mean_and_deviation(&values) };
        let failure = response.limit.map(|(relation, limit)| {
            let broken = |row: &&Row| match (row.values[k], relation) {
                (None, _) => true,
                (Some(own), Relation::AtLeast) => own < limit,
                (Some(own), _) => own > limit,
            };
            rate(counted.iter().filter(broken).count(), counted.len())
        });
        let all: Vec<Vec<f64>> = known.iter().map(|(row, _)| study.values(*row)).collect();
        let columns: Vec<Vec<f64>> =
            (0..study.parameters.len()).map(|p| all.iter().map(|own| own[p]).collect()).collect();
        let (found, left_out) = sobol(study, rows, k);
        Self {
            quantity: response.quantity.name.clone(),
            count: values.len(),
            mean,
            deviation,
            least: sorted.first().copied().unwrap_or(f64::NAN),
            largest: sorted.last().copied().unwrap_or(f64::NAN),
            quantiles: SHARES
                .into_iter()
                .filter(|_| !sorted.is_empty())
                .map(|own| (own, quantile(&sorted, own)))
                .collect(),
            limit: response.limit.map(|(relation, limit)| format!("{relation} {limit}")),
            failure,
            regression: regression(&columns, &values),
            indices: found,
            left_out,
        }
    }
}

/// Sobol's indices of a response, and how many samples they leave out.
fn sobol(study: &Study, rows: &[Row], k: usize) -> (Option<Vec<Indices>>, usize) {
    let (n, columns) = (study.samples, study.parameters.len());
    if !study.has_indices() || rows.len() < n * (columns + 2) {
        return (None, 0);
    }
    let value =
        |block: usize, sample: usize| rows[block * n + sample].values[k].filter(|own| own.is_finite());
    let whole: Vec<usize> =
        (0..n).filter(|sample| (0..columns + 2).all(|block| value(block, *sample).is_some())).collect();
    let left_out = n - whole.len();
    if whole.len() < 2 {
        return (None, left_out);
    }
    let block = |block: usize| whole.iter().filter_map(|sample| value(block, *sample)).collect::<Vec<f64>>();
    let mixed: Vec<Vec<f64>> = (0..columns).map(|column| block(column + 2)).collect();
    let found = indices(&block(0), &block(1), &mixed, study.seed);
    // A response that does not change has no variance to share.
    let is_number = found.iter().all(|own| own.first.value.is_finite() && own.total.value.is_finite());
    (is_number.then_some(found), left_out)
}
