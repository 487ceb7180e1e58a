//! What a design is asked: quantities and outputs compared with values, the rules of `check`, points to pass through, a wish.

use super::is_kept;
use crate::base::StudyError;
use crate::find::Relation;
use crate::quantity::Quantity;
use flexline::Vec3;
use flexline_scene::units::{Dimension, parse};
use flexline_session::derivative::Output;
use flexline_session::session::Solved;
use serde::Serialize;

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
enum Measured {
    /// As `check` and `find` have it.
    Quantity(Quantity),
    /// As `--derivative` has it, one number: `cable.position.z @ 50 %`, `energy`.
    Output(Output),
    /// How far a cable passes by a point, m.
    Pass(usize, Vec3),
    /// Largest share of any limit of the sections.
    Check,
}

impl Measured {
    fn value(&self, solved: &Solved) -> Option<f64> {
        match self {
            Self::Quantity(own) => own.of(solved),
            Self::Output(own) => own.value(&solved.compiled, &solved.solution).first().copied(),
            Self::Pass(cable, point) => {
                let samples = &solved.solution.profiles.get(*cable)?.samples;
                let near = samples.windows(2).map(|pair| {
                    let (from, way) = (pair[0].position, pair[1].position - pair[0].position);
                    let long = way.norm_squared();
                    let share =
                        if long > 0.0 { ((point - from).dot(&way) / long).clamp(0.0, 1.0) } else { 0.0 };
                    (from + way * share - point).norm()
                });
                near.reduce(f64::min)
            }
            Self::Check => {
                let findings = solved.compiled.check(&solved.solution);
                let all = findings.cables.iter().flatten().filter_map(|own| own.utilisation);
                Some(all.fold(0.0, f64::max))
            }
        }
    }

    /// Reads a name, and tells what dimension its values have.
    fn parse(name: &str, solved: &Solved) -> Result<(Self, Dimension), String> {
        let compiled = &solved.compiled;
        let quantity = Quantity::parse(name, compiled);
        if let Ok(own) = quantity {
            let dimension = own.dimension();
            return Ok((Self::Quantity(own), dimension));
        }
        if name.contains('@') || name.trim().starts_with("energy") {
            let output = Output::parse(name, compiled).map_err(|error| error.to_string())?;
            if output.size() != 1 {
                return Err(format!("\"{}\" has three numbers: say .x, .y or .z", name.trim()));
            }
            let what = name.split('@').next().unwrap_or_default();
            let has = |word: &str| what.contains(&format!(".{word}"));
            let dimension = if what.trim().starts_with("energy") {
                Dimension::Work
            } else if has("position") || has("bend_radius") {
                Dimension::Length
            } else if has("force") || has("tension") {
                Dimension::Force
            } else if has("moment") {
                Dimension::Moment
            } else {
                Dimension::Ratio
            };
            return Ok((Self::Output(output), dimension));
        }
        quantity.map(|own| (Self::Quantity(own.clone()), own.dimension()))
    }
}

/// A rule to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// As it was asked for.
    pub text: String,
    measured: Measured,
    relation: Relation,
    /// Against what, SI.
    pub value: f64,
    /// By what it is divided so that a miss is a share.
    scale: f64,
}

/// How a rule is kept.
#[derive(Clone, Debug, Serialize)]
pub struct Kept {
    /// The rule.
    pub rule: String,
    /// The value, SI; none without equilibrium.
    pub value: Option<f64>,
    /// What is allowed, SI.
    pub limit: f64,
    /// Whether it is kept.
    pub kept: bool,
    /// By how much it is missed, SI; 0 where it is kept.
    pub missed: f64,
    /// Whether nothing is to spare.
    pub binding: bool,
}

/// The number of a value with a unit, or in SI.
fn number(text: &str, dimension: Dimension) -> Option<f64> {
    let own = text.trim().parse::<f64>().ok().or_else(|| parse(text.trim(), dimension).ok());
    own.filter(|own| own.is_finite())
}

impl Rule {
    /// Reads `bend_radius>=30mm`, `cable.position.z @ 50 % = -40 mm`.
    pub fn parse(text: &str, solved: &Solved) -> Result<Self, StudyError> {
        let wrong = |why: String| StudyError::Input(format!("\"{text}\": {why}"));
        let signs = [(">=", Relation::AtLeast), ("<=", Relation::AtMost), ("=", Relation::Equal)];
        let split = signs.into_iter().find_map(|(sign, relation)| Some((text.split_once(sign)?, relation)));
        let ((name, value), relation) = split
            .ok_or_else(|| wrong("expected QUANTITY>=VALUE, <= or =, as in bend_radius>=30mm".into()))?;
        let (measured, dimension) = Measured::parse(name, solved).map_err(wrong)?;
        let value = number(value, dimension)
            .ok_or_else(|| wrong(format!("{} is compared with {}", name.trim(), dimension.expectation())))?;
        Ok(Self::new(text.into(), measured, relation, value, solved))
    }

    /// Reads `CABLE=X,Y,Z` or `CABLE=X,Y,Z within 2 mm`: the cable passes through a point, within a millimetre unless told.
    pub fn pass(text: &str, solved: &Solved) -> Result<Self, StudyError> {
        let wrong = |why: &str| StudyError::Input(format!("\"{text}\": {why}"));
        let form = "expected CABLE=X,Y,Z, as in \"hose=120 mm,0 mm,80 mm within 2 mm\"";
        let (name, rest) = text.rsplit_once('=').ok_or_else(|| wrong(form))?;
        let (place, within) = match rest.split_once("within") {
            Some((place, within)) => (place, number(within, Dimension::Length).filter(|own| *own > 0.0)),
            None => (rest, Some(1e-3)),
        };
        let within = within.ok_or_else(|| wrong("after \"within\" stands a length above 0, such as 2 mm"))?;
        let numbers: Option<Vec<f64>> = place.split(',').map(|own| number(own, Dimension::Length)).collect();
        let Some([x, y, z]) = numbers.as_deref() else { return Err(wrong(form)) };
        let cables = &solved.compiled.cables;
        let only = name.trim() == "cable" && cables.len() == 1;
        let cable = cables.iter().position(|own| own.name == name.trim()).or(only.then_some(0));
        let cable = cable.ok_or_else(|| {
            let known: Vec<&str> = cables.iter().map(|own| own.name.as_str()).collect();
            wrong(&format!("no cable is called \"{}\"; there are {}", name.trim(), known.join(", ")))
        })?;
        let measured = Measured::Pass(cable, Vec3::new(*x, *y, *z));
        let mut own = Self::new(format!("pass {text}"), measured, Relation::AtMost, within, solved);
        // A miss is a share of the length; the tolerance may be as small as one likes.
        own.scale = 0.1 * cables[cable].length;
        Ok(own)
    }

    /// The limits of the sections, as `check` judges them; none where there is none.
    pub fn check(solved: &Solved) -> Option<Self> {
        let findings = solved.compiled.check(&solved.solution);
        let limited = findings.cables.iter().flatten().any(|own| own.limit.is_some());
        let text = "limits of check (share used <= 1)".to_string();
        limited.then(|| Self::new(text, Measured::Check, Relation::AtMost, 1.0, solved))
    }

    fn new(text: String, measured: Measured, relation: Relation, value: f64, solved: &Solved) -> Self {
        let longest = solved.compiled.cables.iter().map(|own| own.length).fold(0.0, f64::max);
        let other = match &measured {
            Measured::Quantity(own) if own.dimension() == Dimension::Length => 0.1 * longest,
            _ => measured.value(solved).map_or(1.0, f64::abs),
        };
        let scale = if value != 0.0 { value.abs() } else { other };
        let scale = if scale > 0.0 && scale.is_finite() { scale } else { 1.0 };
        Self { text: text.trim().into(), measured, relation, value, scale }
    }

    /// The value; `None` without equilibrium.
    pub(super) fn value(&self, solved: &Solved) -> Option<f64> {
        self.measured.value(solved)
    }

    /// What is to be 0 or less, as shares: one number, of an equation two.
    pub(super) fn missed(&self, solved: &Solved) -> Option<Vec<f64>> {
        // What is missed without bound, such as a bend with no inner side left, is missed by far.
        let over = ((self.value(solved)? - self.value) / self.scale).min(1e3);
        Some(match self.relation {
            Relation::AtMost => vec![over],
            // A straight cable has a radius without bound: more than enough is as good as ten times the limit.
            Relation::AtLeast => vec![(-over).max(-10.0)],
            Relation::Equal => vec![over, -over],
        })
    }

    /// How a solution keeps it.
    pub(super) fn told(&self, solved: &Solved) -> Kept {
        let value = self.value(solved);
        let most = self.missed(solved).map_or(f64::INFINITY, |all| all.into_iter().fold(f64::MIN, f64::max));
        let kept = is_kept(most);
        Kept {
            rule: self.text.clone(),
            value,
            limit: self.value,
            kept,
            missed: if kept { 0.0 } else { most * self.scale },
            binding: kept && most > -1e-5,
        }
    }
}

/// What is to be as small, or as large, as may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// As it was asked for.
    pub text: String,
    measured: Measured,
    /// Whether as large as may be.
    pub most: bool,
}

impl Wish {
    /// Reads a quantity.
    pub fn parse(text: &str, most: bool, solved: &Solved) -> Result<Self, StudyError> {
        let (measured, _) =
            Measured::parse(text, solved).map_err(|why| StudyError::Input(format!("\"{text}\": {why}")))?;
        Ok(Self { text: text.trim().into(), measured, most })
    }

    pub(super) fn value(&self, solved: &Solved) -> Option<f64> {
        self.measured.value(solved)
    }

    pub(super) fn sign(&self) -> f64 {
        if self.most { -1.0 } else { 1.0 }
    }

    /// The rule that it is no worse than a value.
    pub(super) fn bound(&self, value: f64, solved: &Solved) -> Rule {
        let relation = if self.most { Relation::AtLeast } else { Relation::AtMost };
        let text = format!("{} {relation} {value}", self.text);
        Rule::new(text, self.measured.clone(), relation, value, solved)
    }
}
