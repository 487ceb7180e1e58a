//! What a solve says in sentences: cables that are too short, constraints that contradict each other.

use super::compile::Compiled;
use crate::words::{digits, millimetres};
use flexline::solver::network::{Conflict, NetworkReport, NetworkState, Short, redundant};
use std::collections::BTreeMap;

impl Compiled {
    /// How many segments and elements some spans have.
    pub fn piece_counts(&self, spans: &[usize]) -> BTreeMap<&'static str, usize> {
        let mut all = BTreeMap::new();
        for k in spans {
            let (count, what) = self.network.spans[*k].rod.pieces();
            *all.entry(what).or_default() += count;
        }
        all
    }

    /// The same in words.
    pub fn resolution(&self, spans: &[usize]) -> String {
        let all = self.piece_counts(spans);
        all.iter().map(|(what, n)| format!("{n} {what}")).collect::<Vec<_>>().join(" and ")
    }

    /// How a solve ended; a rod that is too coarse is told how many segments or elements would do.
    pub fn ending(&self, report: &NetworkReport) -> String {
        let what = self.network.spans.first().map_or("segments", |span| span.rod.pieces().1);
        match report.rest.segments_needed {
            Some(count) => format!("{}; with {count} {what} there is an equilibrium", report.status),
            None => report.status.to_string(),
        }
    }

    /// The same, with all that stands in the way of an equilibrium.
    pub fn ending_with_troubles(&self, report: &NetworkReport) -> String {
        let troubles = self.trouble_lines(report).join("; ");
        let colon = if troubles.is_empty() { "" } else { ": " };
        format!("{}{colon}{troubles}", self.ending(report))
    }

    /// Which cables are too short, between what and by how much: a line each.
    pub fn short_lines(&self, report: &NetworkReport) -> Vec<String> {
        let line = |short: &Short| {
            let span = &self.network.spans[short.span];
            let cable = self.cables.iter().find(|c| c.spans.iter().any(|(k, _)| *k == short.span));
            let name = cable.map_or("", |c| &c.name);
            let from = &self.anchors[span.start.anchor];
            let to = span.end.map_or_else(String::new, |e| format!(" and {}", self.anchors[e.anchor]));
            if short.missing == 0.0 {
                return format!("cable '{name}' has no slack to bend between {from}{to}");
            }
            format!("cable '{name}' is {} short between {from}{to}", millimetres(short.missing))
        };
        report.short.iter().map(line).collect()
    }

    /// Which constraints cannot be kept, on what and by how much: a line each.
    pub fn conflict_lines(&self, report: &NetworkReport) -> Vec<String> {
        let line = |conflict: &Conflict| {
            let constraint = &self.network.constraints[conflict.constraint];
            let by = if constraint.is_angular() {
                format!("{}°", digits(conflict.by.to_degrees()))
            } else {
                millimetres(conflict.by)
            };
            let on: Vec<String> =
                constraint.anchors().into_iter().flatten().map(|a| self.anchors[a].to_string()).collect();
            let name = &self.constraints[conflict.constraint];
            format!("constraint '{name}' on {} cannot be kept: it is missed by {by}", on.join(" and "))
        };
        report.conflicts.iter().map(line).collect()
    }

    /// Which constraints repeat what others hold already: a line each.
    pub fn redundant_lines(&self, state: &NetworkState) -> Vec<String> {
        let line = |k: usize| {
            let name = &self.constraints[k];
            format!("constraint '{name}' repeats what is held already: it may be left out")
        };
        redundant(&self.network, state).into_iter().map(line).collect()
    }

    /// All that stands in the way of an equilibrium, a line each.
    pub fn trouble_lines(&self, report: &NetworkReport) -> Vec<String> {
        let mut lines = self.conflict_lines(report);
        lines.extend(self.short_lines(report));
        lines
    }
}
