//! Poses from a table: where things are, row by row.

use crate::base::StudyError;
use flexline::algebra::rotation;
use flexline::solver::Pose;
use flexline::solver::network::{Network, NetworkState};
use flexline::{Quat, Vec3};
use flexline_scene::Compiled;
use flexline_scene::harness::Leading;
use flexline_scene::units::{Dimension, parse};
use flexline_scene::words::offer;

/// How far the norm of a quaternion may be from 1.
const NORM: f64 = 1e-3;

/// What of a pose a column says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// A coordinate, and how many metres its unit has.
    Position(usize, f64),
    /// A component of the quaternion, w first.
    Orientation(usize),
}

/// What the columns say of one thing.
#[derive(Clone, Debug)]
struct Target {
    name: String,
    /// Columns of x, y and z, and what their units are in metres.
    position: [Option<(usize, f64)>; 3],
    /// Columns of w, x, y and z.
    orientation: Option<[usize; 4]>,
}

/// A table of poses.
#[derive(Clone, Debug)]
pub struct Poses {
    /// Heads of the columns as the file has them.
    pub heads: Vec<String>,
    /// The numbers as the file has them.
    pub rows: Vec<Vec<f64>>,
    targets: Vec<Target>,
}

impl Poses {
    /// Reads a table: a line of heads, then a line for every pose, separated by commas, semicolons or tabs. Heads are `NAME.x`,
    /// `NAME.y`, `NAME.z`, in metres or as in `NAME.x [mm]`, and `NAME.qw` to `NAME.qz`; `time` is carried along.
    pub fn read(text: &str, name: &str) -> Result<Self, StudyError> {
        let wrong = |line: usize, why: String| StudyError::Input(format!("{name}, line {line}: {why}"));
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let used = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let mut lines =
            text.lines().enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| used(line));
        let (at, first) = lines.next().ok_or_else(|| wrong(1, "no line of heads".into()))?;
        let separator = [';', '\t', ','].into_iter().find(|c| first.contains(*c)).unwrap_or(',');
        let heads: Vec<String> =
            first.split(separator).map(|head| head.trim().trim_matches('"').to_owned()).collect();
        let targets = targets(&heads).map_err(|why| wrong(at, why))?;
        let mut rows = Vec::new();
        for (at, line) in lines {
            let cells: Vec<&str> = line.split(separator).map(str::trim).collect();
            if cells.len() != heads.len() {
                let told =
                    format!("{} values, expected {} as in the line of heads", cells.len(), heads.len());
                return Err(wrong(at, told));
            }
            let number = |(cell, head): (&&str, &String)| match cell.parse::<f64>() {
                Ok(own) if own.is_finite() => Ok(own),
                _ => Err(wrong(at, format!("{head} is \"{cell}\": expected a finite number"))),
            };
            let row = cells.iter().zip(&heads).map(number).collect::<Result<Vec<f64>, _>>()?;
            for own in &targets {
                if let Some(norm) = own.turned(&row).map(|q| q.norm()).filter(|n| (n - 1.0).abs() > NORM) {
                    let why = format!("the quaternion of {} has the norm {norm}: expected 1", own.name);
                    return Err(wrong(at, why));
                }
            }
            rows.push(row);
        }
        match rows.is_empty() {
            true => Err(StudyError::Input(format!("{name}: no pose below the line of heads"))),
            false => Ok(Self { heads, rows, targets }),
        }
    }

    /// What is led of a compiled scene; it is held where it is from now on.
    pub(crate) fn take_in_hand(
        &self,
        name: &str,
        compiled: &Compiled,
        network: &mut Network,
        state: &NetworkState,
    ) -> Result<Vec<(Leading, Pose)>, StudyError> {
        let take = |own: &Target| {
            if let Some(index) = compiled.anchors.iter().position(|anchor| anchor.name == own.name) {
                let kind = compiled.anchors[index].kind;
                if matches!(kind, "bead" | "eye") {
                    return Err(StudyError::Input(format!("{name}: {kind} '{}' cannot be led", own.name)));
                }
                let anchor = &mut network.anchors[index];
                anchor.held = [true; 3];
                anchor.held_orientation |= own.orientation.is_some() || kind == "part";
                anchor.pose = state.anchors[index];
                return Ok((Leading::Anchor(index), anchor.pose));
            }
            if let Some(index) = compiled.obstacles.iter().position(|obstacle| obstacle.name == own.name) {
                return Ok((Leading::Obstacle(index), network.obstacles[index].pose));
            }
            let anchors = compiled.anchors.iter().map(|own| own.name.as_str());
            let known = anchors.chain(compiled.obstacles.iter().map(|own| own.name.as_str()));
            let told = format!("{name}: nothing is named '{}'; {}", own.name, offer(&own.name, known));
            Err(StudyError::Input(told))
        };
        self.targets.iter().map(take).collect()
    }

    /// The pose of a target in a row; what the table does not say stays as in `base`.
    fn pose(&self, target: usize, row: usize, base: &Pose) -> Pose {
        let (own, row) = (&self.targets[target], &self.rows[row]);
        let coordinate =
            |i: usize| own.position[i].map_or(base.position[i], |(column, unit)| row[column] * unit);
        let orientation = own.turned(row).map_or(base.orientation, |q| q / q.norm());
        Pose { position: Vec3::from_fn(|i, _| coordinate(i)), orientation }
    }

    /// The same between two rows, straight and by the shortest turn.
    pub(crate) fn between(&self, target: usize, t: f64, base: &Pose) -> Pose {
        let last = self.rows.len() - 1;
        let row = (t.max(0.0).floor() as usize).min(last);
        let share = t - row as f64;
        let from = self.pose(target, row, base);
        if share == 0.0 || row == last {
            return from;
        }
        let to = self.pose(target, row + 1, base);
        let turn = from.orientation.conjugate() * to.orientation;
        let turn = rotation::log(&if turn.w < 0.0 { -turn } else { turn });
        let orientation = from.orientation * rotation::exp(&(turn * share));
        Pose {
            position: from.position.lerp(&to.position, share),
            orientation: orientation / orientation.norm(),
        }
    }
}

impl Target {
    fn turned(&self, row: &[f64]) -> Option<Quat> {
        self.orientation.map(|[w, x, y, z]| Quat::new(row[w], row[x], row[y], row[z]))
    }
}

/// What a head says: the thing and the part of its pose.
fn part(head: &str) -> Option<(&str, Part)> {
    let (column, unit) = match head.strip_suffix(']').and_then(|head| head.rsplit_once('[')) {
        Some((column, unit)) => (column.trim(), parse(&format!("1 {unit}"), Dimension::Length).ok()?),
        None => (head, 1.0),
    };
    let (name, key) = column.rsplit_once('.')?;
    if let Some(axis) = ["x", "y", "z"].iter().position(|axis| *axis == key) {
        return Some((name, Part::Position(axis, unit)));
    }
    let axis = ["qw", "qx", "qy", "qz"].iter().position(|axis| *axis == key)?;
    Some((name, Part::Orientation(axis)))
}

fn targets(heads: &[String]) -> Result<Vec<Target>, String> {
    let mut found: Vec<(Target, [Option<usize>; 4])> = Vec::new();
    for (column, head) in heads.iter().enumerate().filter(|(_, head)| head.as_str() != "time") {
        let Some((name, part)) = part(head) else {
            return Err(format!(
                "\"{head}\" is no column of a pose: expected time, NAME.x, NAME.y or NAME.z, also as NAME.x [mm], and NAME.qw to \
                 NAME.qz"
            ));
        };
        if heads[..column].contains(head) {
            return Err(format!("\"{head}\" is there twice"));
        }
        let at = found.iter().position(|(own, _)| own.name == name).unwrap_or_else(|| {
            found.push((Target { name: name.into(), position: [None; 3], orientation: None }, [None; 4]));
            found.len() - 1
        });
        match part {
            Part::Position(axis, unit) => found[at].0.position[axis] = Some((column, unit)),
            Part::Orientation(axis) => found[at].1[axis] = Some(column),
        }
    }
    if found.is_empty() {
        return Err("no column says a pose: expected heads such as NAME.x".into());
    }
    let whole = |(mut own, quaternion): (Target, [Option<usize>; 4])| {
        own.orientation = match quaternion {
            [Some(w), Some(x), Some(y), Some(z)] => Some([w, x, y, z]),
            [None, None, None, None] => None,
            _ => {
                return Err(format!(
                    "a quaternion has four columns: {0}.qw, {0}.qx, {0}.qy, {0}.qz",
                    own.name
                ));
            }
        };
        Ok(own)
    };
    found.into_iter().map(whole).collect()
}
