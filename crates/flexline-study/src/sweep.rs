//! Sweeps: a course from pose to pose, with the rules of `check` at each.
//!
//! Every step is taken in two halves. Where a cable moves more than its share in one of them, that half is halved again: a
//! motion of the cable shrinks with the step, a jump does not. A jump that is as large after [`BISECTIONS`] halvings is a
//! snap ([decision 107](../../../docs/decisions/0107-snapping.md)).

use crate::base::StudyError;
use crate::course::{Course, Reached};
use crate::quantity::{RULES, worst_value};
use crate::swept::Tubes;
use crate::worst::{Worst, Worsts};
use flexline::Vec3;
use flexline::solver::{Profile, Sample, Status};
use flexline_scene::check::{Rule, Verdict};
use flexline_scene::harness::Findings;
use flexline_session::session::Solved;
use serde::Serialize;

/// How often a step is halved before what is left of a jump is a snap.
pub const BISECTIONS: usize = 10;

/// A half with no more of the motion than this is that of a motion.
const SHARED: f64 = 0.75;

/// What is left of a jump has at least this share of its step, where it is a snap.
const LEFT: f64 = 0.3;

/// Motions below this share of the longest cable are not looked at.
const STILL: f64 = 1e-3;

/// A jump between two poses: other ends of it lie arbitrarily near.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snap {
    /// Between which places of the course it lies, in poses.
    pub between: [f64; 2],
    /// How far the cable jumps, m.
    pub distance: f64,
    /// The cable.
    pub cable: String,
    /// Arc length of the place that jumps farthest, m.
    pub s: f64,
    /// Where it is before and after, m.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub from: Vec3,
    /// Where it is after.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub to: Vec3,
}

/// One pose.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Its number, from 0.
    pub pose: usize,
    /// What distinguishes it.
    pub values: Vec<f64>,
    /// How the solve ended; none where the scene there cannot be posed.
    pub status: Option<Status>,
    /// What is wrong where there is no equilibrium.
    pub trouble: Option<String>,
    /// The length that each cable lacks, m.
    pub missing: Vec<f64>,
    /// Directions that release energy: 0 is stable.
    pub unstable: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Whether it was not found from the pose before.
    pub anew: bool,
    /// What is wrong halfway from the pose before, where that is.
    pub between: Option<String>,
    /// Where the cable snapped on the way here.
    pub snap: Option<Snap>,
    /// What the rules say; none without equilibrium.
    pub findings: Option<Findings>,
}

impl Row {
    /// Whether there is an equilibrium.
    pub fn is_solved(&self) -> bool {
        self.status == Some(Status::Converged)
    }
}

/// A sweep that was done.
pub struct Sweep {
    /// The poses.
    pub rows: Vec<Row>,
    /// The pose in which most of any limit is used, or, where there are none, the cable is bent most.
    pub worst: Option<(usize, Solved)>,
    /// The cables in every pose that has an equilibrium, where they are kept.
    pub tubes: Vec<Tubes>,
    /// Names of the cables.
    pub cables: Vec<String>,
}

impl Sweep {
    /// Goes through a course; `each` is told after every pose. Whether `shapes` are kept for pictures and volumes.
    pub fn run(course: &Course, shapes: bool, mut each: impl FnMut(&Row)) -> Result<Self, StudyError> {
        let cables: Vec<String> = course.first().compiled.cables.iter().map(|own| own.name.clone()).collect();
        let mut own = Self { rows: Vec::new(), worst: None, tubes: Vec::new(), cables };
        let mut at = course.first().clone();
        let mut good = true;
        let mut most = f64::NEG_INFINITY;
        for pose in 0..course.count() {
            let step = Step::take(course, &at, pose, good);
            let row = step.row(course, pose);
            good = row.is_solved();
            if let (true, Some(reached)) = (good, step.reached) {
                at = reached.solved;
                if shapes {
                    own.tubes.push(Tubes::of(&at));
                }
                let used = row.findings.as_ref().map_or(f64::NEG_INFINITY, usage);
                if used > most {
                    (most, own.worst) = (used, Some((pose, at.clone())));
                }
            }
            each(&row);
            own.rows.push(row);
        }
        Ok(own)
    }

    /// The worst of every rule, for every cable and neighbour, in the order of the first pose that told it.
    pub fn worst_findings(&self) -> Vec<Worst> {
        self.worsts().list()
    }

    /// The worst verdict of all poses.
    pub fn verdict(&self) -> Verdict {
        self.worsts().verdict()
    }

    fn worsts(&self) -> Worsts {
        let mut own = Worsts::new(self.cables.clone());
        for row in &self.rows {
            row.findings.iter().for_each(|findings| own.note(row.pose, findings));
        }
        own
    }

    /// Poses without equilibrium.
    pub fn failed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.is_solved())
    }

    /// One line for every pose, separated by commas: what distinguishes it, how it ended, and the rules of every cable in SI.
    pub fn csv(&self, course: &Course) -> String {
        let quoted = |text: &str| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let rules: Vec<(&str, Rule)> = RULES.into_iter().filter(|(_, rule)| self.tells(*rule)).collect();
        let mut heads = vec!["pose".to_owned()];
        heads.extend(course.heads());
        heads.extend(["status", "unstable", "iterations", "snap"].map(str::to_owned));
        for cable in &self.cables {
            heads.extend(rules.iter().map(|(name, _)| format!("{cable}.{name}")));
            heads.extend(["utilisation", "missing"].map(|name| format!("{cable}.{name}")));
        }
        let mut text = heads.iter().map(|head| quoted(head)).collect::<Vec<_>>().join(",") + "\n";
        let shown = |value: Option<f64>| value.map_or_else(String::new, |own| own.to_string());
        for row in &self.rows {
            let status = row.status.and_then(|own| serde_json::to_value(own).ok());
            let mut cells = vec![row.pose.to_string()];
            cells.extend(row.values.iter().map(f64::to_string));
            cells.push(status.as_ref().and_then(|own| own.as_str()).unwrap_or("refused").to_owned());
            cells.extend([row.unstable.to_string(), row.iterations.to_string()]);
            cells.push(row.snap.as_ref().map_or(0.0, |snap| snap.distance).to_string());
            for cable in 0..self.cables.len() {
                let findings = row.findings.as_ref().map(|own| &own.cables[cable][..]);
                let of = |rule: Rule| findings.and_then(|own| worst_value(rule, own));
                cells.extend(rules.iter().map(|(_, rule)| shown(of(*rule))));
                let used =
                    findings.and_then(|own| own.iter().filter_map(|own| own.utilisation).reduce(f64::max));
                cells.extend([shown(used), shown(row.missing.get(cable).copied())]);
            }
            text += &(cells.join(",") + "\n");
        }
        text
    }

    fn tells(&self, rule: Rule) -> bool {
        let all = self.rows.iter().filter_map(|row| row.findings.as_ref());
        all.flat_map(|own| own.cables.iter().flatten()).any(|own| own.rule == rule)
    }

    /// Snaps, by the pose that they lead to.
    pub fn snaps(&self) -> impl Iterator<Item = (usize, &Snap)> {
        self.rows.iter().filter_map(|row| Some((row.pose, row.snap.as_ref()?)))
    }
}

/// The largest share of any limit; without limits, minus the least bend radius.
fn usage(findings: &Findings) -> f64 {
    let all = || findings.cables.iter().flatten();
    let used = all().filter_map(|own| own.utilisation).reduce(f64::max);
    used.unwrap_or_else(|| {
        -all().filter(|own| own.rule == Rule::BendRadius).map(|own| own.value).fold(f64::MAX, f64::min)
    })
}

/// One step of a sweep.
struct Step {
    reached: Option<Reached>,
    refused: Option<String>,
    between: Option<String>,
    snap: Option<Snap>,
}

impl Step {
    /// From an equilibrium to a pose; the way there is looked at where the pose before it has the equilibrium.
    fn take(course: &Course, at: &Solved, pose: usize, from_before: bool) -> Self {
        let to = pose as f64;
        let mut own = Self { reached: None, refused: None, between: None, snap: None };
        let reach = |own: &mut Self, from: &Solved| match course.reach(from, to) {
            Ok(reached) => own.reached = Some(reached),
            Err(error) => own.refused = Some(error.to_string()),
        };
        if pose == 0 || !from_before {
            reach(&mut own, at);
            return own;
        }
        let middle = match course.reach(at, to - 0.5) {
            Ok(Reached { solved, anew: false }) if solved.status() == Status::Converged => solved,
            other => {
                own.between = Some(match other {
                    Ok(Reached { solved, anew: true }) if solved.status() == Status::Converged => {
                        "not found from the pose before, but anew".into()
                    }
                    Ok(reached) => trouble(&reached.solved),
                    Err(error) => error.to_string(),
                });
                reach(&mut own, at);
                return own;
            }
        };
        reach(&mut own, &middle);
        if let Some(Reached { solved, anew: false }) = &own.reached
            && solved.status() == Status::Converged
        {
            own.snap = snap(course, [at, &middle, solved], to - 1.0);
        }
        own
    }

    fn row(&self, course: &Course, pose: usize) -> Row {
        let mut row = Row {
            pose,
            values: course.values(pose),
            status: None,
            trouble: self.refused.clone(),
            missing: Vec::new(),
            unstable: 0,
            iterations: 0,
            anew: false,
            between: self.between.clone(),
            snap: self.snap.clone(),
            findings: None,
        };
        let Some(Reached { solved, anew }) = &self.reached else { return row };
        let (compiled, solution) = (&solved.compiled, &solved.solution);
        let missing = |cable: &flexline_scene::harness::CompiledCable| {
            let own = |span: usize| cable.spans.iter().any(|(k, _)| *k == span);
            solution
                .report
                .short
                .iter()
                .filter(|short| own(short.span))
                .fold(0.0, |sum, short| sum + short.missing)
        };
        row.status = Some(solved.status());
        row.missing = compiled.cables.iter().map(missing).collect();
        row.iterations = solution.report.iterations;
        row.anew = *anew && solved.status() == Status::Converged;
        match solved.status() {
            Status::Converged => {
                row.unstable = solution.report.negative;
                row.findings = Some(compiled.check(solution));
            }
            _ => row.trouble = Some(trouble(solved)),
        }
        row
    }
}

fn trouble(solved: &Solved) -> String {
    solved.compiled.ending_with_troubles(&solved.solution.report)
}

/// How far two solutions are apart where that is most: distance, cable, and the places in both.
fn apart(a: &Solved, b: &Solved) -> (f64, usize, [Sample; 2]) {
    let mut most: Option<(f64, usize, [Sample; 2])> = None;
    for (cable, (one, other)) in a.solution.profiles.iter().zip(&b.solution.profiles).enumerate() {
        for (k, own) in one.samples.iter().enumerate() {
            let Some(there) = same_place(one, other, k) else { continue };
            let distance = (there.position - own.position).norm();
            if most.as_ref().is_none_or(|known| distance > known.0) {
                most = Some((distance, cable, [*own, there]));
            }
        }
    }
    let nowhere = || Sample {
        s: 0.0,
        position: Vec3::zeros(),
        frame: flexline::Quat::identity(),
        strain: Vec3::zeros(),
        moment_material: Vec3::zeros(),
        force_world: Vec3::zeros(),
        radius: 0.0,
    };
    most.unwrap_or_else(|| (0.0, 0, [nowhere(), nowhere()]))
}

/// The sample of another solution at the same share of the cable.
fn same_place(one: &Profile, other: &Profile, k: usize) -> Option<Sample> {
    if one.samples.len() == other.samples.len() {
        return other.samples.get(k).copied();
    }
    let (length, long) = (one.samples.last()?.s, other.samples.last()?.s);
    let s = if length > 0.0 { one.samples[k].s / length * long } else { 0.0 };
    let next = other.samples.partition_point(|own| own.s < s).clamp(1, other.samples.len().max(2) - 1);
    let (before, after) = (other.samples.get(next - 1)?, other.samples.get(next)?);
    let share = if after.s > before.s { (s - before.s) / (after.s - before.s) } else { 0.0 };
    Some(Sample { s, position: before.position.lerp(&after.position, share), ..*before })
}

/// Looks for a snap between two poses, given the equilibria at the first, halfway and at the second.
fn snap(course: &Course, [at, middle, after]: [&Solved; 3], begin: f64) -> Option<Snap> {
    let whole = apart(at, after).0;
    let longest = at.compiled.cables.iter().map(|own| own.length).fold(0.0, f64::max);
    if whole <= STILL * longest {
        return None;
    }
    let (mut from, mut middle, mut to) = (at.clone(), middle.clone(), after.clone());
    let [mut low, mut high] = [begin, begin + 1.0];
    let mut size = whole;
    for _ in 0..BISECTIONS {
        let halves = [apart(&from, &middle).0, apart(&middle, &to).0];
        let larger = halves[0].max(halves[1]);
        if larger <= SHARED * size {
            return None;
        }
        size = larger;
        let half = 0.5 * (low + high);
        if halves[0] >= halves[1] {
            (to, high) = (middle, half);
        } else {
            (from, low) = (middle, half);
        }
        let next = |before: &Solved, t: f64| {
            let reached = course.reach(before, t).ok()?;
            (reached.solved.status() == Status::Converged && !reached.anew).then_some(reached.solved)
        };
        // Where there is no equilibrium in between, how far the cable goes there cannot be told any nearer.
        let Some(own) = next(&from, 0.5 * (low + high)) else { break };
        let Some(end) = next(&own, high) else { break };
        (middle, to) = (own, end);
        size = size.min(apart(&from, &to).0);
    }
    let (distance, cable, [a, b]) = apart(&from, &to);
    let name = || at.compiled.cables[cable].name.clone();
    let found =
        || Snap { between: [low, high], distance, cable: name(), s: a.s, from: a.position, to: b.position };
    (distance >= LEFT * whole).then(found)
}
