//! A cable along a curve as a scene.

use super::drawn::Line;
use crate::failure::Failure;
use clap::Args;
use flexline::Vec3;
use flexline::rod::{AnyRod, Station};
use flexline_scene::{Compiled, Scene};
use std::fmt::Write;

/// What a cable is made of.
#[derive(Args, Clone)]
pub struct Made {
    /// What the cable is: a part of the library (`flexline materials`)
    #[arg(long, value_name = "PART", conflicts_with = "material")]
    pub part: Option<String>,
    /// What it is made of, where it is a round bar: a material of the library; needs its radius
    #[arg(long, value_name = "NAME")]
    pub material: Option<String>,
    /// Radius of the cable, where the file of the curve does not say it
    #[arg(long, value_name = "LENGTH")]
    pub radius: Option<String>,
}

impl Made {
    /// The radius on the command line, m.
    pub fn radius(&self) -> Result<Option<f64>, Failure> {
        self.radius.as_ref().map(|text| super::drawn::length("--radius", text)).transpose()
    }

    /// The keys of the cable that say what it is; `None` where nothing does.
    pub fn keys(&self, line: &Line) -> Result<Option<String>, Failure> {
        if let Some(part) = &self.part {
            return Ok(Some(format!("part = {}\n", text(part))));
        }
        let Some(material) = &self.material else { return Ok(None) };
        let radius = self.radius()?.or(line.radius).ok_or_else(|| {
            Failure::Input(format!(
                "--material {material}: how thick the cable is, neither the file nor the command line says\n  say it: --radius LENGTH, such as \"4 mm\""
            ))
        })?;
        Ok(Some(format!(
            "section = {{ shape = \"disc\", radius = {radius}, material = {} }}\n",
            text(material)
        )))
    }
}

/// Text as a scene file has it.
fn text(own: &str) -> String {
    serde_json::Value::from(own).to_string()
}

/// A vector as a scene file has it, to the last digit.
fn vector(v: &[f64]) -> String {
    let all: Vec<String> = v.iter().map(|x| format!("{x:?}")).collect();
    format!("[{}]", all.join(", "))
}

/// How a scene holds the far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Far {
    /// Not at all.
    Free,
    /// In place and direction, as drawn.
    Clamped,
    /// In place, as drawn.
    Pinned,
}

/// A scene of one cable, clamped at the first of `ends`, with a rest shape of `rows`, or straight.
pub fn write(
    title: &str,
    made: &str,
    rod: (&AnyRod, &str),
    ends: [Station; 2],
    far: Far,
    rows: Option<&[(f64, Vec3)]>,
) -> String {
    use flexline::rod::Rod;
    let (rod, model) = rod;
    let (pieces, kind) = rod.pieces();
    let mut out = format!("version = 1\ntitle = {}\n\n[cable]\nname = \"cable\"\n", text(title));
    let _ = writeln!(out, "length = {:?}\n{}model = {}\n{kind} = {pieces}", rod.length(), made, text(model));
    if let Some(rows) = rows {
        out += "rest = { table = [\n";
        for (s, u) in rows {
            let _ = writeln!(out, "  {},", vector(&[*s, u.x, u.y, u.z]));
        }
        out += "] }\n";
    }
    let mut end = |name: &str, hold: &str, station: Option<&Station>| {
        let _ = write!(out, "\n[{name}]\nhold = \"{hold}\"\n");
        if let Some(own) = station {
            let _ = writeln!(out, "position = {}", vector(own.position.as_slice()));
            if hold == "clamped" {
                let q = own.frame;
                let _ = writeln!(out, "quaternion = {}", vector(&[q.w, q.i, q.j, q.k]));
            }
        }
    };
    end("start", "clamped", Some(&ends[0]));
    match far {
        Far::Free => end("end", "free", None),
        Far::Clamped => end("end", "clamped", Some(&ends[1])),
        Far::Pinned => end("end", "pinned", Some(&ends[1])),
    }
    out
}

/// Reads and compiles the text of a scene.
pub fn compile(text: &str, name: &str) -> Result<(Scene, Compiled), Failure> {
    let scene = Scene::read(text, name)?;
    let compiled = scene.compile()?;
    Ok((scene, compiled))
}
