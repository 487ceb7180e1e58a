//! Values of a parameter at which a condition holds: the shortest hose whose bends are wide enough, the length of a sag.
//!
//! The range is scanned first, each value from the equilibrium of its neighbour; wherever the answer changes between two of
//! them the place is closed in on by secants, by halving where these are slow or there is no number to go by. What holds at the values
//! that were looked at is told as such: between two of them the answer may change and change back, and that was not excluded.

use crate::base::{Base, StudyError};
use crate::course::Course;
use crate::poses::Poses;
use crate::quantity::Quantity;
use crate::range::Range;
use flexline::solver::Status;
use flexline_scene::units::parse;
use flexline_session::command::present;
use flexline_session::session::Solved;
use serde::Serialize;
use std::fmt;

/// Evaluations for one boundary at most.
const CLOSING: usize = 60;

/// How a quantity is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// At least.
    AtLeast,
    /// At most.
    AtMost,
    /// Equal: where it crosses the value.
    Equal,
}

/// A condition on a quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What is measured.
    pub quantity: Quantity,
    /// How.
    pub relation: Relation,
    /// Against what, SI.
    pub value: f64,
}

impl Goal {
    /// Reads `bend_radius>=30mm`.
    pub fn parse(text: &str, solved: &Solved) -> Result<Self, StudyError> {
        let wrong = |why: String| StudyError::Input(format!("\"{text}\": {why}"));
        let signs = [(">=", Relation::AtLeast), ("<=", Relation::AtMost), ("=", Relation::Equal)];
        let split = signs.into_iter().find_map(|(sign, relation)| Some((text.split_once(sign)?, relation)));
        let ((name, value), relation) = split
            .ok_or_else(|| wrong("expected QUANTITY>=VALUE, <= or =, as in bend_radius>=30mm".into()))?;
        let quantity = Quantity::parse(name, &solved.compiled).map_err(wrong)?;
        let dimension = quantity.dimension();
        let number = match value.trim().parse::<f64>() {
            Ok(own) => Some(own),
            Err(_) => parse(value.trim(), dimension).ok(),
        };
        match number.filter(|own| own.is_finite()) {
            Some(value) => Ok(Self { quantity, relation, value }),
            None => Err(wrong(format!("{name} is compared with {}", dimension.expectation()))),
        }
    }

    /// How far the value is on the good side; of an equation, its difference.
    fn margin(&self, value: f64) -> f64 {
        match self.relation {
            Relation::AtMost => self.value - value,
            Relation::AtLeast | Relation::Equal => value - self.value,
        }
    }
}

/// What a condition is asked over.
#[derive(Clone, Default)]
pub enum Over {
    /// The scene as it stands.
    #[default]
    Scene,
    /// The worst of all poses of a table.
    Poses(Poses, String),
    /// The worst of a motion, in so many steps.
    Motion(usize),
}

/// One value that was looked at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Look {
    /// The parameter, in the unit of the range.
    pub at: f64,
    /// The quantity there, SI; none where there is no equilibrium.
    pub value: Option<f64>,
    /// The pose of the worst value.
    pub pose: Option<usize>,
    /// What is wrong where there is none.
    pub trouble: Option<String>,
    /// Whether the condition holds.
    pub holds: bool,
    /// Whether it was not found from the equilibrium of its neighbour.
    pub anew: bool,
}

/// Where the answer changes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Boundary {
    /// The value of the parameter on the side where the condition holds.
    pub at: f64,
    /// The nearest one that was looked at on the other side.
    pub beside: f64,
    /// The quantity there.
    pub value: Option<f64>,
    /// What happens there.
    pub kind: BoundaryKind,
}

/// What happens where the answer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum BoundaryKind {
    /// The quantity passes the value that it is compared with.
    Crossing,
    /// It jumps past it.
    Jump,
    /// Beyond, there is no equilibrium.
    NoEquilibrium,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// The value that was looked for, in the unit of the range; none where the condition holds nowhere.
    pub at: Option<f64>,
    /// What was measured there.
    pub look: Option<Look>,
    /// Whether the quantity goes one way all along the range, as far as it was looked at.
    pub monotone: bool,
    /// From where to where the condition holds at all values that were looked at.
    pub holds: Vec<[f64; 2]>,
    /// Where the answer changes, in order.
    pub boundaries: Vec<Boundary>,
    /// The values of the scan.
    pub scan: Vec<Look>,
    /// How many values were looked at in all.
    pub looked: usize,
}

/// Which value is wanted where many are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The smallest.
    Least,
    /// The largest.
    Most,
}

/// A search.
pub struct Search<'a> {
    /// The scene.
    pub base: &'a Base,
    /// What varies.
    pub range: &'a Range,
    /// The condition, as it was written.
    pub goal: &'a str,
    /// Over what.
    pub over: Over,
    /// Into how many steps the range is divided.
    pub steps: usize,
    /// How near to a boundary it is closed in on, as a share of the range.
    pub tolerance: f64,
    /// Which value.
    pub wanted: Wanted,
}

/// A look with the equilibrium that the next begins with.
struct Seen {
    share: f64,
    look: Look,
    solved: Option<Solved>,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Equal => "=",
        })
    }
}

impl Search<'_> {
    /// Looks for the value; `each` is told after every look.
    pub fn run(&self, each: &mut dyn FnMut()) -> Result<Found, StudyError> {
        // Reading the scene at one end finds mistakes in names before anything is solved.
        let text = self.base.with(&[(&self.range.name, self.range.value(0.0))])?;
        let other = self.base.with(&[(&self.range.name, self.range.value(1.0))])?;
        self.base.read(&text)?;
        self.base.read(&other)?;
        let own = self.base.solve(&self.base.text)?;
        let goal = Goal::parse(self.goal, &own)?;
        let seen = self.scan(&goal, &own, each)?;
        let mut looked = seen.len();
        let scan: Vec<Look> = seen.iter().map(|own| own.look.clone()).collect();
        let mut boundaries = Vec::new();
        for k in 1..scan.len() {
            let changes = match goal.relation {
                Relation::Equal => crosses(&goal, &scan[k - 1], &scan[k]),
                _ => scan[k - 1].holds != scan[k].holds,
            };
            if changes {
                let (boundary, looks) = self.close_in(&goal, [&seen[k - 1], &seen[k]], each)?;
                looked += looks;
                boundaries.push(boundary);
            }
        }
        let holds = intervals(&scan, &boundaries, goal.relation);
        let at = match self.wanted {
            Wanted::Least => holds.first().map(|own| own[0].min(own[1])),
            Wanted::Most => holds.last().map(|own| own[0].max(own[1])),
        };
        let look = match at {
            Some(at) => {
                let share = (at - self.range.ends[0]) / (self.range.ends[1] - self.range.ends[0]);
                let near = seen.iter().filter(|own| own.solved.is_some());
                let near = near.min_by(|a, b| (a.share - share).abs().total_cmp(&(b.share - share).abs()));
                looked += 1;
                Some(self.look(&goal, share, near.and_then(|own| own.solved.as_ref()))?.look)
            }
            None => None,
        };
        let mut values = scan.iter().filter_map(|own| own.value).collect::<Vec<_>>();
        values.dedup();
        let monotone = values.windows(2).all(|w| w[1] >= w[0]) || values.windows(2).all(|w| w[1] <= w[0]);
        Ok(Found { at, look, monotone, holds, boundaries, scan, looked })
    }

    /// Looks at the values of a regular grid, outwards from the present value of the parameter.
    fn scan(&self, goal: &Goal, own: &Solved, each: &mut dyn FnMut()) -> Result<Vec<Seen>, StudyError> {
        let now = present(&self.base.text, &self.range.name)?.and_then(|own| self.range.share_of(&own));
        let first = (now.unwrap_or(0.0) * self.steps as f64).round() as usize;
        let mut seen: Vec<Option<Seen>> = (0..=self.steps).map(|_| None).collect();
        let forth = first..=self.steps;
        for k in forth.chain((0..first).rev()) {
            // From the neighbour that was looked at last; from the scene as it is where there is none.
            let neighbour = if k >= first { k.checked_sub(1) } else { Some(k + 1) };
            let before = neighbour.and_then(|n| seen[n].as_ref()).and_then(|own| own.solved.as_ref());
            let before = before.or(Some(own).filter(|own| own.status() == Status::Converged));
            let looked = self.look(goal, k as f64 / self.steps as f64, before)?;
            seen[k] = Some(looked);
            each();
        }
        Ok(seen.into_iter().flatten().collect())
    }

    /// Looks at one value.
    fn look(&self, goal: &Goal, share: f64, before: Option<&Solved>) -> Result<Seen, StudyError> {
        let mut look = Look {
            at: self.range.number(share),
            value: None,
            pose: None,
            trouble: None,
            holds: false,
            anew: false,
        };
        let text = self.base.with(&[(&self.range.name, self.range.value(share))])?;
        let reached = match before {
            Some(before) => self.base.solve_from(&text, before),
            None => self.base.solve(&text).map(|solved| (solved, true)),
        };
        let (solved, anew) = match reached {
            Ok(reached) => reached,
            // Between two ends that can be posed a value may still be none.
            Err(error) => {
                look.trouble = Some(error.to_string());
                return Ok(Seen { share, look, solved: None });
            }
        };
        look.anew = anew && before.is_some() && solved.status() == Status::Converged;
        match &self.over {
            Over::Scene => look.value = goal.quantity.of(&solved),
            over => match self.worst(goal, &text, over)? {
                Ok((value, pose)) => (look.value, look.pose) = (Some(value), Some(pose)),
                Err(trouble) => look.trouble = Some(trouble),
            },
        }
        let is_solved = solved.status() == Status::Converged;
        if look.value.is_none() && look.trouble.is_none() {
            look.trouble = Some(match is_solved {
                true => format!("there is no {} here", goal.quantity.name),
                false => solved.compiled.ending_with_troubles(&solved.solution.report),
            });
        }
        look.holds =
            goal.relation != Relation::Equal && look.value.is_some_and(|own| goal.margin(own) >= 0.0);
        Ok(Seen { share, look, solved: is_solved.then_some(solved) })
    }

    /// The worst value over a course and its pose; or what is wrong in the first pose that has none.
    fn worst(
        &self,
        goal: &Goal,
        text: &str,
        over: &Over,
    ) -> Result<Result<(f64, usize), String>, StudyError> {
        let mut base = self.base.clone();
        base.text = text.into();
        let course = match over {
            Over::Poses(poses, name) => Course::through(base, poses.clone(), name),
            Over::Motion(steps) => Course::motion(base, *steps),
            Over::Scene => return Ok(Err("no course".into())),
        };
        let course = match course {
            Ok(course) => course,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let mut at = course.first().clone();
        let mut worst: Option<(f64, usize)> = None;
        for pose in 0..course.count() {
            let reached = course.reach(&at, pose as f64)?.solved;
            let Some(value) = goal.quantity.of(&reached) else {
                let trouble = reached.compiled.ending_with_troubles(&reached.solution.report);
                return Ok(Err(format!("pose {pose}: {trouble}")));
            };
            if worst.is_none_or(|(known, _)| goal.margin(value) < goal.margin(known)) {
                worst = Some((value, pose));
            }
            if reached.status() == Status::Converged {
                at = reached;
            }
        }
        Ok(worst.ok_or_else(|| "there is no pose".into()))
    }

    /// Closes in on where the answer changes between two values.
    fn close_in(
        &self,
        goal: &Goal,
        ends: [&Seen; 2],
        each: &mut dyn FnMut(),
    ) -> Result<(Boundary, usize), StudyError> {
        // Of an equation the second has the good sign, as the better side has of a comparison.
        let margin = |own: &Look| own.value.map(|value| finite(goal.margin(value)));
        let is_good = |own: &Look| match goal.relation {
            Relation::Equal => margin(own).is_some_and(|own| own >= 0.0),
            _ => own.holds,
        };
        let (mut good, mut bad) =
            if is_good(&ends[1].look) { (ends[1], ends[0]) } else { (ends[0], ends[1]) };
        let mut kept: Vec<Seen> = Vec::new();
        let (mut from, mut to) = (clone(good), clone(bad));
        let mut last = [f64::NAN; 2];
        for _ in 0..CLOSING {
            if (from.share - to.share).abs() <= self.tolerance {
                break;
            }
            // By the line through both, where there are numbers; halfway where the last two steps did not halve.
            let line = match (margin(&from.look), margin(&to.look)) {
                (Some(a), Some(b)) if a != b => from.share + (to.share - from.share) * (a / (a - b)),
                _ => f64::NAN,
            };
            let width = (to.share - from.share).abs();
            let slow = last.iter().all(|own| own.is_finite()) && width > 0.5 * last[0];
            let half = 0.5 * (from.share + to.share);
            let inside = (line - from.share).abs() > 0.1 * self.tolerance
                && (line - to.share).abs() > 0.1 * self.tolerance
                && (line - from.share) * (line - to.share) < 0.0;
            let share = if inside && !slow { nudged(line, half, self.tolerance) } else { half };
            last = if slow { [f64::NAN; 2] } else { [last[1], width] };
            let before = from.solved.as_ref().or(to.solved.as_ref());
            let seen = self.look(goal, share, before)?;
            each();
            kept.push(clone(&seen));
            if is_good(&seen.look) {
                from = seen;
            } else {
                to = seen;
            }
        }
        good = &from;
        bad = &to;
        let kind = match (margin(&good.look), margin(&bad.look), margin(&ends[0].look), margin(&ends[1].look))
        {
            (Some(a), Some(b), first, last) => {
                let whole = first.zip(last).map_or(f64::INFINITY, |(first, last)| (first - last).abs());
                let share = (good.share - bad.share).abs() / (ends[0].share - ends[1].share).abs();
                // What is left shrinks with the bracket where there is no jump.
                if (a - b).abs() > share.sqrt() * whole { BoundaryKind::Jump } else { BoundaryKind::Crossing }
            }
            _ => BoundaryKind::NoEquilibrium,
        };
        let boundary = Boundary { at: good.look.at, beside: bad.look.at, value: good.look.value, kind };
        Ok((boundary, kept.len()))
    }
}

fn clone(own: &Seen) -> Seen {
    Seen { share: own.share, look: own.look.clone(), solved: own.solved.clone() }
}

/// Past the line by a little towards the middle, so that the bracket closes from both sides.
fn nudged(line: f64, half: f64, tolerance: f64) -> f64 {
    line + (half - line).signum() * (0.5 * tolerance).min((half - line).abs())
}

/// The radius of what is straight is no number to draw a line with.
fn finite(margin: f64) -> f64 {
    margin.clamp(-1e9, 1e9)
}

fn crosses(goal: &Goal, a: &Look, b: &Look) -> bool {
    match (a.value, b.value) {
        (Some(a), Some(b)) => (goal.margin(a) >= 0.0) != (goal.margin(b) >= 0.0),
        _ => false,
    }
}

/// From where to where the condition holds, in the order of the range; of an equation the places where it does.
fn intervals(scan: &[Look], boundaries: &[Boundary], relation: Relation) -> Vec<[f64; 2]> {
    let rises = scan.first().zip(scan.last()).is_none_or(|(first, last)| first.at <= last.at);
    let mut found: Vec<[f64; 2]> = match relation {
        Relation::Equal => {
            let crossing = boundaries.iter().filter(|own| own.kind == BoundaryKind::Crossing);
            crossing.map(|own| [own.at; 2]).collect()
        }
        _ => {
            let mut rest = boundaries.iter();
            let mut open: Option<f64> = scan.first().filter(|own| own.holds).map(|own| own.at);
            let mut found = Vec::new();
            for _ in scan.windows(2).filter(|pair| pair[0].holds != pair[1].holds) {
                let Some(boundary) = rest.next() else { break };
                match open.take() {
                    Some(from) => found.push([from, boundary.at]),
                    None => open = Some(boundary.at),
                }
            }
            if let (Some(from), Some(last)) = (open, scan.last()) {
                found.push([from, last.at]);
            }
            found
        }
    };
    if !rises {
        found.reverse();
    }
    found
}
