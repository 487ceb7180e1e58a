//! Files made of what is at the desk: the centreline of cables.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::Shape;
use flexline::solver::{Profile, Sample, Status};
use flexline_exchange::centreline::{Wishes, Written, write};
use flexline_exchange::mesh::Mesh as MeshOfFile;
use flexline_session::desk::{Desk, Mode};
use flexline_session::session::Solved;
use serde::Serialize;
use std::fmt::Write as _;

/// No more samples than this in one file.
const MOST: f64 = 200_000.0;

/// What is wanted as a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Export {
    /// The text of the scene.
    Scene,
    /// Centrelines.
    Centreline {
        /// Of one cable, or of all.
        cable: Option<String>,
        /// As JSON, not CSV.
        json: bool,
        /// Evenly at this distance, m; at the nodes without it.
        step: Option<f64>,
    },
    /// Centrelines for CAD programs, benders and measuring machines.
    Curves {
        /// Of one cable, or of all.
        cable: Option<String>,
        /// As what.
        format: Written,
        /// When it is written.
        date: String,
    },
    /// The surface of an obstacle of triangles, where it is in the world, as [`MeshOfFile::to_bytes`] has it.
    Surface {
        /// Its name.
        obstacle: String,
    },
    /// What was recorded in motion.
    Motion,
}

/// Why there is no such file.
#[derive(Clone, Debug, PartialEq)]
pub enum NoFile {
    /// What it would be made of is not there.
    Missing(String),
    /// It cannot be made in the way that was asked for.
    Unfit(String),
}

impl From<String> for NoFile {
    fn from(message: String) -> Self {
        Self::Missing(message)
    }
}

/// The file of centrelines in JSON.
#[derive(Serialize)]
struct Centrelines<'a> {
    cables: Vec<Centreline<'a>>,
    unit: &'static str,
}

/// The centreline of a cable.
#[derive(Serialize)]
struct Centreline<'a> {
    cable: &'a str,
    points: Vec<Place>,
}

/// One place of a centreline.
#[derive(Serialize)]
struct Place {
    #[serde(rename = "frame_wxyz")]
    frame: [f64; 4],
    position: [f64; 3],
    s: f64,
    #[serde(rename = "section_radius")]
    radius: f64,
}

/// The centreline of one cable or of all.
pub(super) fn centreline(
    desk: &Desk,
    cable: Option<&str>,
    json: bool,
    step: Option<f64>,
) -> Result<Vec<u8>, NoFile> {
    let mut all = profiles(desk.shown());
    if let Some(wanted) = cable {
        all.retain(|(name, _)| *name == wanted);
        if all.is_empty() {
            return Err(NoFile::Missing(format!("there is no cable '{wanted}' in the scene")));
        }
    }
    if let Some(step) = step {
        let length: f64 = all.iter().filter_map(|(_, profile)| profile.samples.last()).map(|s| s.s).sum();
        if step <= 0.0 || length / step > MOST {
            return Err(NoFile::Unfit(format!(
                "`step` = {step} m gives too many points: expected at least {} m",
                length / MOST
            )));
        }
    }
    if json {
        let one = |(cable, profile)| Centreline { cable, points: places(profile, step) };
        let cables = all.into_iter().map(one).collect();
        let text = serde_json::to_string_pretty(&Centrelines { cables, unit: "m" });
        return text.map(|text| format!("{text}\n").into()).map_err(|error| NoFile::Unfit(error.to_string()));
    }
    let mut text = String::from("cable,s_m,x_m,y_m,z_m,qw,qx,qy,qz,section_radius_m\n");
    for (name, profile) in &all {
        let name = quoted(name);
        for p in places(profile, step) {
            let numbers = [p.s].into_iter().chain(p.position).chain(p.frame).chain([p.radius]);
            let _ = write!(text, "{name}");
            for v in numbers {
                let _ = write!(text, ",{v:?}");
            }
            text.push('\n');
        }
    }
    Ok(text.into())
}

/// Centrelines as curves within a hundredth of a millimetre, or as points.
pub(super) fn curves(
    desk: &Desk,
    cable: Option<&str>,
    format: Written,
    date: &str,
) -> Result<Vec<u8>, NoFile> {
    let shown = desk.shown();
    if desk.mode().0 == Mode::Statics && shown.solution.report.status != Status::Converged {
        return Err(NoFile::Unfit("the scene is not in equilibrium: mend it first, then export".to_owned()));
    }
    let lines = shown.compiled.centrelines(&shown.solution, cable);
    if let (Some(wanted), true) = (cable, lines.is_empty()) {
        return Err(NoFile::Missing(format!("there is no cable '{wanted}' in the scene")));
    }
    let title = "centrelines".to_owned();
    let wishes =
        Wishes { tolerance: 1e-5, solid: false, colour: [0.15, 0.16, 0.18], title, date: date.to_owned() };
    let made = write(&lines, format, &wishes).map_err(|error| NoFile::Unfit(error.to_string()))?;
    Ok(made.bytes)
}

/// The triangles of an obstacle in the world.
pub(super) fn surface(desk: &Desk, obstacle: &str) -> Result<Vec<u8>, NoFile> {
    let shown = desk.shown();
    let none = || NoFile::Missing(format!("there is no obstacle '{obstacle}' in the scene"));
    let index = shown.compiled.obstacles.iter().position(|own| own.name == obstacle).ok_or_else(none)?;
    let own = shown.compiled.network.obstacles.get(index).ok_or_else(none)?;
    let Shape::Mesh(mesh) = &own.shape else {
        return Err(NoFile::Unfit(format!(
            "obstacle '{obstacle}' is no mesh: only a mesh of a hose can become flexible"
        )));
    };
    let pose = shown.solution.state.obstacles.get(index).unwrap_or(&own.pose);
    let turn = rotation::matrix(&pose.orientation);
    let place = |v: &Vec3| {
        let x = turn * v + pose.position;
        [x.x as f32, x.y as f32, x.z as f32]
    };
    let vertices = mesh.vertices().iter().map(place).collect();
    Ok(MeshOfFile { vertices, triangles: mesh.triangles().to_vec() }.to_bytes())
}

fn profiles(solved: &Solved) -> Vec<(&str, &Profile)> {
    let names = solved.compiled.cables.iter().map(|cable| cable.name.as_str());
    names.zip(&solved.solution.profiles).collect()
}

/// A field of CSV (RFC 4180).
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

fn place(s: &Sample) -> Place {
    let q = s.frame;
    Place { s: s.s, position: s.position.into(), frame: [q.w, q.i, q.j, q.k], radius: s.radius }
}

/// The nodes, or places at even distances of at most `step`.
fn places(profile: &Profile, step: Option<f64>) -> Vec<Place> {
    let samples = &profile.samples;
    let (Some(step), Some(first), Some(last)) = (step, samples.first(), samples.last()) else {
        return samples.iter().map(place).collect();
    };
    let count = ((last.s - first.s) / step).ceil().max(1.0) as usize;
    let mut k = 0;
    let at = |i: usize| {
        let s = first.s + (last.s - first.s) * i as f64 / count as f64;
        while k + 2 < samples.len() && samples[k + 1].s < s {
            k += 1;
        }
        between(&samples[k], &samples[(k + 1).min(samples.len() - 1)], s)
    };
    (0..=count).map(at).collect()
}

/// Between two nodes: the cubic that has their positions and tangents, and the frame turned evenly.
fn between(a: &Sample, b: &Sample, s: f64) -> Place {
    let h = b.s - a.s;
    if h <= 0.0 {
        return place(a);
    }
    let t = ((s - a.s) / h).clamp(0.0, 1.0);
    let [ta, tb] = [a, b].map(|n| rotation::tangent(&n.frame));
    let (u, v) = (1.0 - t, t);
    let position = a.position * (u * u * (1.0 + 2.0 * v))
        + ta * (h * v * u * u)
        + b.position * (v * v * (3.0 - 2.0 * v))
        - tb * (h * v * v * u);
    let mut turn = a.frame.conjugate() * b.frame;
    if turn.w < 0.0 {
        turn = -turn;
    }
    let q = a.frame * rotation::exp(&(rotation::log(&turn) * t));
    Place {
        s,
        position: position.into(),
        frame: [q.w, q.i, q.j, q.k],
        radius: a.radius + (b.radius - a.radius) * t,
    }
}
