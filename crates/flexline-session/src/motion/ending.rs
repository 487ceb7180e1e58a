//! Why a run stopped before its end, for who reads it: cables that do not reach, with when and by how much.

use super::Subjects;
use flexline::solver::Status;
use flexline::solver::network::{Network, NetworkState, NetworkWorkspace, Short, solve_network};
use flexline::solver::statics::Settings;
use serde::Serialize;

/// A cable that is too short for where it was led.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TooShort {
    /// The cable.
    pub cable: String,
    /// What holds its ends.
    pub between: Vec<String>,
    /// What is missing where the run stopped, m.
    pub missing: f64,
    /// What is missing at the end of the way, m.
    pub missing_at_end: f64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The status of the last step; too short where cables do not reach.
    pub status: Status,
    /// Cables that do not reach.
    pub short: Vec<TooShort>,
}

impl Ending {
    /// A run that went to its end.
    pub fn done() -> Self {
        Self { status: Status::Converged, short: Vec::new() }
    }

    /// A run that stopped with a status after `state`, on the way to where the network has its anchors; `last` is the
    /// network at the end of the way. A step in time knows of no cable that is too short: rest does.
    pub fn stopped(status: Status, subjects: &Subjects, state: &NetworkState, last: &Network) -> Self {
        let [here, at_end] = [&subjects.network, last].map(|network| missing(network, state));
        let mut spans: Vec<usize> = here.iter().chain(&at_end).map(|s| s.span).collect();
        spans.sort_unstable();
        spans.dedup();
        let of =
            |short: &[Short], span: usize| short.iter().find(|s| s.span == span).map_or(0.0, |s| s.missing);
        let short: Vec<TooShort> = spans
            .into_iter()
            .map(|span| {
                let own = &last.spans[span];
                let cable = subjects.cables.iter().find(|(_, spans)| spans.contains(&span));
                let ends = std::iter::once(&own.start).chain(&own.end);
                TooShort {
                    cable: cable.map_or_else(String::new, |(name, _)| name.clone()),
                    between: ends.map(|end| subjects.anchors[end.anchor].clone()).collect(),
                    missing: of(&here, span),
                    missing_at_end: of(&at_end, span),
                }
            })
            .collect();
        Self { status: if short.is_empty() { status } else { Status::TooShort }, short }
    }
}

impl TooShort {
    /// The same in a sentence, of a run that stopped at a time, s.
    pub fn line(&self, time: f64) -> String {
        let millimetres = |m: f64| format!("{:.1} mm", 1e3 * m);
        let here = if self.missing > 0.0 {
            format!("too short by {}", millimetres(self.missing))
        } else {
            "taut".to_string()
        };
        let end = if self.missing_at_end > 0.0 {
            format!(", and at the end of the way {} too short", millimetres(self.missing_at_end))
        } else {
            String::new()
        };
        format!(
            "At {time:.4} s cable '{}' between {} is {here}{end}.",
            self.cable,
            self.between.join(" and ")
        )
    }
}

/// What a network lacks at rest.
fn missing(network: &Network, state: &NetworkState) -> Vec<Short> {
    let mut ws = NetworkWorkspace::new(network);
    match solve_network(network, &mut state.clone(), &mut ws, &Settings::interactive()) {
        Ok(report) if report.status == Status::TooShort => report.short,
        _ => Vec::new(),
    }
}
