//! The text of a scene for a file: opened again, it is the scene that was seen.

use super::{Session, Solved};
use crate::command::{Command, Kind, edit};
use flexline::contact::Shape;
use flexline::solver::{Profile, Status};
use flexline_scene::obstacle::{Form, fingerprint};
use flexline_scene::{Compiled, Solution};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Most points of a path that is kept.
const MOST_POINTS: usize = 200;
/// What points are rounded to, m.
const ROUNDED: f64 = 1e-5;

impl Session {
    /// The text to keep in a file. What is found without a shape before may lie on another side of what it touches, or be wound
    /// otherwise: where it would, every cable is given its own shape as the `path` that it is laid along.
    pub fn text_to_keep(&self) -> Cow<'_, str> {
        let text = self.text();
        let mut commands = self.fingerprints();
        commands.extend(self.paths());
        if commands.is_empty() {
            return Cow::Borrowed(text);
        }
        match edit(text, &Command::All { of: commands }) {
            Ok(edited) => Cow::Owned(edited.text),
            Err(_) => Cow::Borrowed(text),
        }
    }

    /// The meshes of obstacles as they are, so that one that was changed since is told.
    fn fingerprints(&self) -> Vec<Command> {
        let Some(Solved { scene, compiled, .. }) = self.solution() else { return Vec::new() };
        let each = scene.obstacles.iter().zip(&compiled.network.obstacles);
        let own = each.filter_map(|(spec, made)| match (&spec.form, &made.shape) {
            (Form::Mesh(file), Shape::Mesh(mesh)) => {
                let now = fingerprint(mesh);
                (file.fingerprint != Some(now)).then(|| Command::Set {
                    kind: Kind::Obstacle,
                    name: Some(spec.name.clone()),
                    key: "fingerprint".into(),
                    value: json!(format!("{now:016x}")),
                })
            }
            _ => None,
        });
        own.collect()
    }

    /// The paths of all cables, where they would lie otherwise without them.
    fn paths(&self) -> Vec<Command> {
        let Some(solved) = self.solution() else { return Vec::new() };
        let Solved { scene, compiled, solution } = solved;
        if !solved.keeps_sides() || !compiled.has_contact() {
            return Vec::new();
        }
        let anew = super::solved::in_time(|| compiled.solve(&compiled.settings()));
        if anew.is_ok_and(|anew| is_same(compiled, solution, &anew)) {
            return Vec::new();
        }
        let all = compiled.cables.iter().zip(&solution.profiles).enumerate();
        let keys = all.flat_map(|(i, (cable, profile))| {
            let name = (!scene.is_single()).then(|| cable.name.clone());
            let turns = compiled.twist_turns(&solution.state, i);
            let set = move |key: &str, value: Value| Command::Set {
                kind: Kind::Cable,
                name: name.clone(),
                key: key.into(),
                value,
            };
            [set("path", points(profile)), set("path_twist", json!(format!("{turns:.4} turns")))]
        });
        keys.collect()
    }
}

/// Whether cables lie where they lay, to half of what they touch with.
fn is_same(compiled: &Compiled, one: &Solution, other: &Solution) -> bool {
    let each = one.profiles.iter().zip(&other.profiles).zip(&compiled.cables);
    other.report.status == Status::Converged
        && each.into_iter().all(|((a, b), cable)| {
            let radii = cable.spans.iter().map(|(span, _)| compiled.network.spans[*span].contact_radius);
            let near = 0.5 * radii.fold(0.0, f64::max);
            let both = a.samples.iter().zip(&b.samples);
            a.samples.len() == b.samples.len()
                && both.into_iter().all(|(a, b)| (a.position - b.position).norm() <= near)
        })
}

/// Points along a cable, m.
fn points(profile: &Profile) -> Value {
    let samples = &profile.samples;
    let step = samples.len().div_ceil(MOST_POINTS).max(1);
    let last = samples.last().into_iter();
    let mut rows: Vec<[f64; 3]> = Vec::new();
    for sample in samples.iter().step_by(step).chain(last) {
        let row = <[f64; 3]>::from(sample.position).map(|x| (x / ROUNDED).round() * ROUNDED);
        let row = row.map(|x| (x * 1e6).round() / 1e6);
        if rows.last() != Some(&row) {
            rows.push(row);
        }
    }
    json!(rows)
}
