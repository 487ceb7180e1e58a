//! Numbers that a solution has, by the names of `check`: `bend_radius`, `hose.tension`, `end.reaction`, `hose.sag`.

use flexline::Vec3;
use flexline::solver::Status;
use flexline_scene::Compiled;
use flexline_scene::check::{Finding, Rule, Verdict};
use flexline_scene::units::Dimension;
use flexline_scene::words::{offer, quote};
use flexline_session::session::Solved;

/// Rules of `check` that measure something.
pub(crate) const RULES: [(&str, Rule); 8] = [
    ("bend_radius", Rule::BendRadius),
    ("tension", Rule::Tension),
    ("twist", Rule::Twist),
    ("strain", Rule::Strain),
    ("clearance", Rule::Clearance),
    ("contact_force", Rule::ContactForce),
    ("contact_pressure", Rule::ContactPressure),
    ("chafing_work", Rule::ChafingWork),
];

/// What besides rules a cable has.
const OF_CABLES: [&str; 4] = ["sag", "missing", "length", "utilisation"];

/// What supports have.
const OF_NODES: [&str; 3] = ["reaction", "moment", "position"];

/// All words that a quantity may end in.
pub fn names() -> Vec<&'static str> {
    RULES.iter().map(|(name, _)| *name).chain(OF_CABLES).chain(OF_NODES).collect()
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    Rule(Rule),
    /// How far a cable hangs below the line through its ends, m.
    Sag,
    /// The length that it lacks, m; 0 where there is an equilibrium.
    Missing,
    /// How long it is now, m.
    Length,
    /// Largest share of any limit.
    Utilisation,
    /// Of a support: its force, N, the size or one component.
    Reaction(Option<usize>),
    /// Of a support: its moment, N m.
    Moment(Option<usize>),
    /// One coordinate, m.
    Position(usize),
}

/// A number that a solution has.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// As it was asked for.
    pub name: String,
    measure: Measure,
    /// A cable, or all of them; of a support, its anchor.
    of: Option<usize>,
}

impl Quantity {
    /// Reads `RULE`, `CABLE.RULE`, `NODE.reaction.z` …; without a cable it is the worst of all cables.
    pub fn parse(text: &str, compiled: &Compiled) -> Result<Self, String> {
        let name = text.trim();
        let (own, axis) = match [".x", ".y", ".z"].iter().position(|axis| name.ends_with(axis)) {
            Some(axis) => (&name[..name.len() - 2], Some(axis)),
            None => (name, None),
        };
        let (thing, word) = own.rsplit_once('.').map_or((None, own), |(thing, word)| (Some(thing), word));
        let of_node = match (word, axis) {
            ("reaction", _) => Some(Measure::Reaction(axis)),
            ("moment", _) => Some(Measure::Moment(axis)),
            ("position", Some(axis)) => Some(Measure::Position(axis)),
            ("position", None) => return Err(format!("\"{}\" has three: say .x, .y or .z", quote(name))),
            _ => None,
        };
        let make = |measure, of| Ok(Self { name: name.into(), measure, of });
        if let Some(measure) = of_node {
            let anchors = compiled.anchors.iter().map(|own| own.name.as_str());
            let Some(thing) = thing else {
                return Err(format!(
                    "\"{word}\" is that of a support: say NAME.{word}; {}",
                    offer("", anchors)
                ));
            };
            return match compiled.anchors.iter().position(|own| own.name == thing) {
                Some(anchor) => make(measure, Some(anchor)),
                None => Err(format!("no support is called \"{}\"; {}", quote(thing), offer(thing, anchors))),
            };
        }
        let measure = match (RULES.iter().find(|(own, _)| *own == word), word) {
            (
                Some((_, Rule::Clearance | Rule::ContactForce | Rule::ContactPressure | Rule::ChafingWork)),
                _,
            ) if !compiled.has_contact() => {
                return Err(format!(
                    "\"{word}\" is told where something can touch: in a scene with obstacles, or with contact = true in [world]"
                ));
            }
            (Some((_, rule)), _) if axis.is_none() => Measure::Rule(*rule),
            (_, "sag") if axis.is_none() => Measure::Sag,
            (_, "missing") if axis.is_none() => Measure::Missing,
            (_, "length") if axis.is_none() => Measure::Length,
            (_, "utilisation") if axis.is_none() => Measure::Utilisation,
            _ => {
                return Err(format!(
                    "\"{}\" is nothing that is measured; {}",
                    quote(name),
                    offer(word, names().into_iter())
                ));
            }
        };
        let Some(thing) = thing else { return make(measure, None) };
        let cables = compiled.cables.iter().map(|own| own.name.as_str());
        // The one cable of a scene is called so as well, as in parameters.
        let only = thing == "cable" && compiled.cables.len() == 1;
        match cables.clone().position(|own| own == thing).or(only.then_some(0)) {
            Some(cable) => make(measure, Some(cable)),
            None => Err(format!("no cable is called \"{}\"; {}", quote(thing), offer(thing, cables))),
        }
    }

    /// What it measures.
    pub fn dimension(&self) -> Dimension {
        match self.measure {
            Measure::Rule(Rule::Tension | Rule::ContactForce) | Measure::Reaction(_) => Dimension::Force,
            Measure::Rule(Rule::Twist) => Dimension::TwistRate,
            Measure::Rule(Rule::ContactPressure) => Dimension::ForcePerLength,
            Measure::Rule(Rule::ChafingWork) => Dimension::Work,
            Measure::Rule(Rule::Strain) | Measure::Utilisation => Dimension::Ratio,
            Measure::Moment(_) => Dimension::Moment,
            _ => Dimension::Length,
        }
    }

    /// Whether small values are the bad ones.
    pub fn is_least(&self) -> bool {
        matches!(self.measure, Measure::Rule(Rule::BendRadius | Rule::Clearance))
    }

    /// The worse of two values.
    pub fn worse(&self, a: f64, b: f64) -> f64 {
        if self.is_least() { a.min(b) } else { a.max(b) }
    }

    /// Its value; `None` where there is no equilibrium, or nothing of the kind.
    pub fn of(&self, solved: &Solved) -> Option<f64> {
        let (compiled, solution) = (&solved.compiled, &solved.solution);
        let cables = match self.of {
            Some(cable) => cable..cable + 1,
            None => 0..compiled.cables.len(),
        };
        if self.measure == Measure::Missing {
            let is_own = |span: usize| {
                cables.clone().any(|c| compiled.cables[c].spans.iter().any(|own| own.0 == span))
            };
            let own = solution.report.short.iter().filter(|short| is_own(short.span));
            let known = solved.status() == Status::Converged || solved.status() == Status::TooShort;
            return known.then(|| own.fold(0.0, |sum, short| sum + short.missing));
        }
        if solved.status() != Status::Converged {
            return None;
        }
        let component = |v: Vec3, axis: Option<usize>| axis.map_or_else(|| v.norm(), |axis| v[axis]);
        let anchor = self.of.unwrap_or_default();
        let worst =
            |of: &dyn Fn(usize) -> Option<f64>| cables.clone().filter_map(of).reduce(|a, b| self.worse(a, b));
        match self.measure {
            Measure::Rule(rule) => {
                let findings = compiled.check(solution);
                worst(&|cable| worst_value(rule, &findings.cables[cable]))
            }
            Measure::Utilisation => {
                let findings = compiled.check(solution);
                worst(&|cable| {
                    findings.cables[cable].iter().filter_map(|own| own.utilisation).reduce(f64::max)
                })
            }
            Measure::Sag => worst(&|cable| {
                let samples = &solution.profiles[cable].samples;
                let (first, last) = (samples.first()?, samples.last()?);
                let below = |own: &flexline::solver::Sample| {
                    let way = (last.position - first.position).xy();
                    let share = match way.norm_squared() {
                        0.0 => 0.0,
                        own_way => ((own.position - first.position).xy().dot(&way) / own_way).clamp(0.0, 1.0),
                    };
                    first.position.z + share * (last.position.z - first.position.z) - own.position.z
                };
                samples.iter().map(below).reduce(f64::max)
            }),
            Measure::Length => worst(&|cable| Some(compiled.length_now(&solution.state, cable))),
            Measure::Reaction(axis) => {
                solution.report.reactions.get(anchor).map(|own| component(own.force, axis))
            }
            Measure::Moment(axis) => {
                solution.report.reactions.get(anchor).map(|own| component(own.moment, axis))
            }
            Measure::Position(axis) => solution.state.anchors.get(anchor).map(|own| own.position[axis]),
            Measure::Missing => None,
        }
    }
}

/// The worst value of one rule among the findings of a cable.
pub(crate) fn worst_value(rule: Rule, findings: &[Finding]) -> Option<f64> {
    let all = findings.iter().filter(|finding| finding.rule == rule).map(|finding| finding.value);
    let is_least = matches!(rule, Rule::BendRadius | Rule::Clearance);
    all.reduce(if is_least { f64::min } else { f64::max })
}

/// Of two findings about the same rule, whether the first is nearer to breaking it.
pub(crate) fn is_nearer(a: &Finding, b: &Finding) -> bool {
    // A number beyond all is no order: where both are, the first stays.
    match (a.utilisation, b.utilisation) {
        (Some(own), Some(known)) => {
            own > known || own == known && a.rule == Rule::Tension && a.value > b.value
        }
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) if matches!(a.rule, Rule::BendRadius | Rule::Clearance) => a.value < b.value,
        (None, None) => {
            a.value > b.value || a.verdict > b.verdict.max(Verdict::NoLimit) && a.value >= b.value
        }
    }
}
