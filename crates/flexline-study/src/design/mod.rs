//! Designs: values of parameters for which rules are kept and something is as good as may be.
//!
//! Every parameter has a range; the rules are quantities compared with values, those of `check`, and points to pass through. From a scan of the ranges
//! the best places are taken and improved by sequential quadratic programming (`descent.rs`) with derivatives from the factorisation at
//! hand, or by differences where an equilibrium has none. Where the rules cannot all be kept the answer is the one that misses least, and it
//! says by how much each is missed. What is found is solved anew and checked.

mod descent;
mod file;
mod front;
mod quadratic;
mod rule;

pub use descent::End;
pub use file::DesignFile;
pub use front::{Alternative, Front};
pub use rule::{Kept, Rule, Wish};

use crate::base::{Base, StudyError, solved};
use crate::range::Range;
use crate::study::sample::{Method, Points};
use descent::{KEPT, Landscape, Slopes, Values, descend};
use flexline::solver::Status;
use flexline::solver::network::{Beside, Tangents};
use flexline_session::command::present;
use flexline_session::session::Solved;
use serde::Serialize;
use serde_json::Value;

/// Places of the scan that are improved.
const BEST: usize = 3;
/// Half of the change of a parameter by which a derivative is found, as a share of its range; smaller where that is too much.
const STEPS: [f64; 3] = [1e-4, 1e-5, 5e-6];

/// What is asked for.
pub struct Design<'a> {
    /// The scene.
    pub base: &'a Base,
    /// What may be varied, each in its range.
    pub ranges: &'a [Range],
    /// What is to be as good as may be; none where keeping the rules is all.
    pub wish: Option<Wish>,
    /// What is to be kept.
    pub rules: Vec<Rule>,
    /// Places of the scan besides that of the scene itself.
    pub starts: usize,
    /// What the scan depends on.
    pub seed: u64,
}

/// A design.
#[derive(Clone)]
pub struct Found {
    /// Values of the parameters, each in the unit of its range.
    pub values: Vec<f64>,
    /// Where they lie in their ranges.
    pub place: Vec<f64>,
    /// What the wish comes to, SI.
    pub wish: Option<f64>,
    /// How it changes with every parameter, SI by the unit of its range; none where there is no derivative.
    pub slopes: Option<Vec<f64>>,
    /// How each rule is kept.
    pub rules: Vec<Kept>,
    /// How the search ended.
    pub end: End,
    /// The scene with these values.
    pub text: String,
    /// Its equilibrium, solved anew and not from its neighbours.
    pub solved: Solved,
    /// Whether that is the shape that the search had; another is an equilibrium as well, and its values are told.
    pub same: bool,
    /// Equilibria looked at.
    pub looked: usize,
}

impl Found {
    /// Whether every rule is kept.
    pub fn is_good(&self) -> bool {
        self.solved.status() == Status::Converged && self.rules.iter().all(|own| own.kept)
    }
}

/// A design while it is looked for: what is known of its equilibria.
pub(crate) struct Ground<'a> {
    design: &'a Design<'a>,
    /// The solution that the next begins with, and where it is.
    near: Vec<(Vec<f64>, Solved)>,
    /// By what the goal is divided.
    scale: f64,
    looked: usize,
    /// Why nothing was found, the last time.
    trouble: Option<String>,
}

impl Design<'_> {
    /// Looks for the design; `progress` is told after every place of the scan and every search.
    pub fn run(&self, progress: &mut dyn FnMut()) -> Result<Found, StudyError> {
        self.run_from(None, progress)
    }

    /// The text of the scene at a place of the ranges.
    pub(crate) fn text(&self, place: &[f64]) -> Result<String, StudyError> {
        let named = self.ranges.iter().zip(place);
        let values: Vec<(&str, Value)> =
            named.map(|(range, share)| (range.name.as_str(), range.value(*share))).collect();
        Ok(self.base.with(&values)?)
    }

    /// Where the scene is now, as far as that is in the ranges.
    fn now(&self) -> Result<Vec<f64>, StudyError> {
        let share = |range: &Range| -> Result<f64, StudyError> {
            Ok(present(&self.base.text, &range.name)?.and_then(|own| range.share_of(&own)).unwrap_or(0.5))
        };
        self.ranges.iter().map(share).collect()
    }

    pub(crate) fn run_from(
        &self,
        first: Option<&[f64]>,
        progress: &mut dyn FnMut(),
    ) -> Result<Found, StudyError> {
        // Reading the scene at both ends finds mistakes in names and values before anything is solved.
        let n = self.ranges.len();
        for end in [0.0, 1.0] {
            self.base.read(&self.text(&vec![end; n])?)?;
        }
        let mut ground = Ground { design: self, near: Vec::new(), scale: 1.0, looked: 0, trouble: None };
        let mut places = vec![self.now()?];
        places.extend(first.map(<[f64]>::to_vec));
        let points = Points::new(Method::LatinHypercube, self.seed, self.starts, &vec![0; n]);
        places.extend((0..self.starts).map(|row| (0..n).map(|column| points.at(row, column)).collect()));
        let mut scan: Vec<(Vec<f64>, Values)> = Vec::new();
        for place in places {
            let values = ground.values(&place);
            progress();
            scan.extend(values.map(|values| (place, values)));
        }
        if scan.is_empty() {
            let why = ground.trouble.unwrap_or_default();
            return Err(StudyError::Input(format!(
                "nowhere in the ranges was an equilibrium found ({} places): {why}; choose other ranges, or more --starts",
                ground.looked
            )));
        }
        // The goal in units of what it is at the first place.
        let size = scan.iter().map(|(_, own)| own.goal.abs()).fold(0.0, f64::max);
        if size > 0.0 && size.is_finite() {
            ground.scale = size;
            scan.iter_mut().for_each(|(_, own)| own.goal /= size);
        }
        let order = |a: &Values, b: &Values| match (a.is_better(b), b.is_better(a)) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        };
        scan.sort_by(|a, b| order(&a.1, &b.1));
        let mut best: Option<(Vec<f64>, Values, End)> = None;
        for (place, _) in scan.iter().take(BEST) {
            let found = descend(&mut ground, place);
            progress();
            if let Some(found) = found
                && best.as_ref().is_none_or(|known| found.1.is_better(&known.1))
            {
                best = Some(found);
            }
        }
        let Some((place, _, end)) = best else {
            return Err(StudyError::Input("no search led anywhere: choose other ranges".into()));
        };
        let slopes = self.wish.as_ref().and_then(|wish| {
            let slopes = ground.slopes(&place)?.goal;
            let each = slopes.iter().zip(self.ranges);
            Some(
                each.map(|(own, range)| own * wish.sign() * ground.scale / (range.ends[1] - range.ends[0]))
                    .collect(),
            )
        });
        Ok(Found { slopes, ..self.told(place, end, &ground)? })
    }

    /// A design solved anew, with how it keeps the rules.
    fn told(&self, place: Vec<f64>, end: End, ground: &Ground<'_>) -> Result<Found, StudyError> {
        let text = self.text(&place)?;
        let before = ground.nearest(&place);
        let anew = self.base.solve(&text)?;
        let measured = |solved: &Solved| -> Option<Vec<f64>> {
            let wish = self.wish.as_ref().map(|wish| wish.value(solved));
            wish.into_iter().chain(self.rules.iter().map(|rule| rule.value(solved))).collect()
        };
        let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1e-6);
        let same = match before.map(|before| self.base.solve_from(&text, before)).transpose()? {
            Some((led, _)) => match (measured(&led), measured(&anew)) {
                (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| near(*a, *b)),
                (a, b) => a == b,
            },
            None => true,
        };
        let rules = self.rules.iter().map(|rule| rule.told(&anew)).collect();
        let values = self.ranges.iter().zip(&place).map(|(range, share)| range.number(*share)).collect();
        let wish = self.wish.as_ref().and_then(|wish| wish.value(&anew));
        let looked = ground.looked;
        Ok(Found { values, place, wish, slopes: None, rules, end, text, solved: anew, same, looked })
    }
}

impl Ground<'_> {
    fn nearest(&self, place: &[f64]) -> Option<&Solved> {
        let way = |own: &[f64]| own.iter().zip(place).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        self.near.iter().min_by(|a, b| way(&a.0).total_cmp(&way(&b.0))).map(|(_, solved)| solved)
    }

    /// The equilibrium at a place, from the nearest that is known.
    fn solved(&mut self, place: &[f64]) -> Option<Solved> {
        if let Some((_, known)) = self.near.iter().find(|(own, _)| own == place) {
            return Some(known.clone());
        }
        self.looked += 1;
        let found = self.design.text(place).and_then(|text| match self.nearest(place) {
            Some(near) => self.design.base.solve_from(&text, near).map(|(solved, _)| solved),
            None => self.design.base.solve(&text),
        });
        match found {
            Ok(solved) if solved.status() == Status::Converged => {
                self.near.push((place.to_vec(), solved.clone()));
                Some(solved)
            }
            Ok(solved) => {
                self.trouble = Some(solved.compiled.ending_with_troubles(&solved.solution.report));
                None
            }
            Err(error) => {
                self.trouble = Some(error.to_string());
                None
            }
        }
    }

    /// What is measured of a solution, scaled.
    fn measured(&self, solved: &Solved) -> Option<Values> {
        let goal = match &self.design.wish {
            Some(wish) => wish.sign() * wish.value(solved)? / self.scale,
            None => 0.0,
        };
        let rules = self.design.rules.iter().map(|rule| rule.missed(solved));
        let rules: Vec<f64> = rules.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
        let is_finite = rules.iter().all(|own| own.is_finite()) && goal.is_finite();
        is_finite.then_some(Values { goal, rules })
    }
}

impl Landscape for Ground<'_> {
    fn values(&mut self, place: &[f64]) -> Option<Values> {
        let solved = self.solved(place)?;
        self.measured(&solved)
    }

    /// From one factorisation: equilibria a little to both sides of this one, to first order, and what is measured of both.
    fn slopes(&mut self, place: &[f64]) -> Option<Slopes> {
        let here = self.solved(place)?;
        let first = self.measured(&here)?;
        let mut tangents = Tangents::new(&here.compiled.network, &here.solution.state).ok()?;
        let mut slopes =
            Slopes { goal: vec![0.0; place.len()], rules: vec![vec![0.0; place.len()]; first.rules.len()] };
        for k in 0..place.len() {
            let sides = STEPS.iter().find_map(|step| {
                let beside = |by: f64| {
                    let mut there = place.to_vec();
                    there[k] += by;
                    let scene = self.design.base.read(&self.design.text(&there).ok()?).ok()?;
                    let compiled = scene.compile_even_short().ok()?;
                    Some((scene, compiled))
                };
                let [below, above] = [beside(-step)?, beside(*step)?];
                let found = tangents.both_sides([&below.1.network, &above.1.network]).ok()?;
                Some((2.0 * step, [below, above], found))
            });
            let (apart, scenes, found) = sides?;
            let measured = scenes.into_iter().zip(found).map(|((scene, compiled), beside)| {
                let Beside { state, report, profiles, .. } = beside;
                let solution = compiled.solution(state, report, profiles);
                self.measured(&solved(scene, compiled, solution))
            });
            let [below, above]: [Values; 2] = measured.collect::<Option<Vec<_>>>()?.try_into().ok()?;
            slopes.goal[k] = (above.goal - below.goal) / apart;
            for (row, (a, b)) in slopes.rules.iter_mut().zip(below.rules.iter().zip(&above.rules)) {
                row[k] = (b - a) / apart;
            }
        }
        Some(slopes)
    }
}

/// How a design is told in values of JSON.
#[derive(Serialize)]
pub struct Told<'a> {
    /// The parameters: name, value, unit.
    pub parameters: Vec<(&'a str, f64, Option<&'a str>)>,
    /// What the wish comes to, SI.
    pub wish: Option<f64>,
    /// How it changes with every parameter, SI by its unit.
    pub slopes: Option<&'a [f64]>,
    /// How each rule is kept.
    pub rules: &'a [Kept],
    /// Whether every one is.
    pub good: bool,
    /// How the search ended.
    pub end: End,
    /// Whether a solve from scratch leads to the same.
    pub same_anew: bool,
    /// Equilibria looked at.
    pub looked: usize,
}

impl Found {
    /// The same for a machine.
    pub fn for_machines<'a>(&'a self, ranges: &'a [Range]) -> Told<'a> {
        let parameter =
            |(range, value): (&'a Range, &f64)| (range.name.as_str(), *value, range.unit.as_deref());
        Told {
            parameters: ranges.iter().zip(&self.values).map(parameter).collect(),
            wish: self.wish,
            slopes: self.slopes.as_deref(),
            rules: &self.rules,
            good: self.is_good(),
            end: self.end,
            same_anew: self.same,
            looked: self.looked,
        }
    }
}

/// Whether so little is missed that a rule is kept.
pub(crate) fn is_kept(missed: f64) -> bool {
    missed <= 10.0 * KEPT
}
