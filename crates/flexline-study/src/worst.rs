//! The worst that every rule of `check` saw over many solutions.

use crate::quantity::is_nearer;
use flexline_scene::check::{Finding, Rule, Verdict};
use flexline_scene::harness::Findings;
use serde::Serialize;

/// The worst that a rule saw.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worst {
    /// The cable; none for the whole.
    pub cable: Option<String>,
    /// The number of the pose, step or frame.
    pub pose: usize,
    /// The finding there.
    pub finding: Finding,
}

/// What is collected of it, solution by solution.
#[derive(Clone, Debug)]
pub struct Worsts {
    cables: Vec<String>,
    all: Vec<Worst>,
    verdict: Verdict,
}

impl Worsts {
    /// Of nothing yet; the cables in the order of findings.
    pub fn new(cables: Vec<String>) -> Self {
        Self { cables, all: Vec::new(), verdict: Verdict::NoLimit }
    }

    /// Takes note of one more solution, by its number.
    pub fn note(&mut self, pose: usize, findings: &Findings) {
        // That there is an equilibrium is told by the status of every solution.
        let whole = findings.whole.iter().filter(|own| own.rule != Rule::Equilibrium).map(|own| (None, own));
        let each = self.cables.iter().zip(&findings.cables);
        let each = each.flat_map(|(cable, own)| own.iter().map(move |finding| (Some(cable), finding)));
        for (cable, finding) in whole.chain(each) {
            let is_same = |own: &&mut Worst| {
                own.cable.as_ref() == cable
                    && own.finding.rule == finding.rule
                    && own.finding.detail == finding.detail
            };
            let new = || Worst { cable: cable.cloned(), pose, finding: finding.clone() };
            match self.all.iter_mut().find(is_same) {
                Some(known) if is_worse(finding, &known.finding) => *known = new(),
                Some(_) => {}
                None => self.all.push(new()),
            }
        }
        self.verdict = self.verdict.max(findings.overall());
    }

    /// The worst of every rule, for every cable and neighbour, in the order of the first that told it.
    pub fn list(&self) -> Vec<Worst> {
        let mut all = self.all.clone();
        all.sort_by_key(|own| own.cable.as_ref().map(|name| self.cables.iter().position(|own| own == name)));
        all
    }

    /// The worst verdict of all.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
}

fn is_worse(a: &Finding, b: &Finding) -> bool {
    match a.rule {
        Rule::Stability => a.verdict > b.verdict || a.verdict == b.verdict && a.value < b.value,
        _ => is_nearer(a, b),
    }
}
