//! Files of other programs: read and told of, made scenes of, and written from solutions.

use crate::error::{scene_error, to_python};
use crate::scene::Scene;
use crate::solution::Found;
use flexline::solver::Status;
use flexline_exchange::centreline::{self, Curve, Schema, Wishes, Written};
use flexline_exchange::curve::Curves;
use flexline_exchange::drawing::{Drawing, LeftOut, MOST_BYTES, Up, health};
use flexline_exchange::flexible::{Flexible, Rest};
use flexline_exchange::{kbl, usd, vtk, write_glb};
use flexline_session::import::{beside, cables_of, known_material, length_of};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bodies of a cable whose model has elements.
const ELEMENT_BODIES: usize = 40;
/// The grey of rubber.
const COLOUR: [f64; 3] = [0.15, 0.16, 0.18];

/// How a file is to be read, from keywords.
#[derive(Default)]
struct Asked {
    kind: Kind,
    unit: Option<f64>,
    up: Option<Up>,
    between: Option<[[f64; 3]; 2]>,
    radius: Option<f64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Obstacle,
    Cable,
    Centreline,
    Harness,
}

impl Asked {
    fn new(keywords: Option<&Bound<'_, PyDict>>, kind: &str, more: &[&str]) -> PyResult<Self> {
        let wrong = |message: String| Err(PyValueError::new_err(message));
        let mut own = Self {
            kind: match kind {
                "obstacle" => Kind::Obstacle,
                "cable" => Kind::Cable,
                "centreline" => Kind::Centreline,
                "harness" => Kind::Harness,
                _ => {
                    return wrong(format!(
                        "kind is {kind:?}: expected \"obstacle\", \"cable\", \"centreline\" or \"harness\""
                    ));
                }
            },
            ..Self::default()
        };
        let (mut from, mut until) = (None, None);
        for (key, value) in keywords.into_iter().flatten() {
            let key: String = key.extract()?;
            if value.is_none() {
                continue;
            }
            match key.as_str() {
                "unit" => {
                    own.unit = Some(length_of(value.extract::<&str>()?).map_err(PyValueError::new_err)?);
                }
                "up" => {
                    own.up = Some(match value.extract::<&str>()? {
                        "y" => Up::Y,
                        "z" => Up::Z,
                        other => return wrong(format!("up is {other:?}: expected \"y\" or \"z\"")),
                    });
                }
                "start" => from = Some(value.extract::<[f64; 3]>()?),
                "until" => until = Some(value.extract::<[f64; 3]>()?),
                "radius" => {
                    let radius: f64 = value.extract()?;
                    if !(1e-6..=10.0).contains(&radius) {
                        return wrong(format!("radius is {radius}: expected metres, from 1e-6 to 10"));
                    }
                    own.radius = Some(radius);
                }
                other if more.contains(&other) => {}
                other => {
                    return wrong(format!(
                        "{other} is not known here; there are unit, up, start, until, radius{}{}",
                        if more.is_empty() { "" } else { ", " },
                        more.join(", ")
                    ));
                }
            }
        }
        own.between = match (from, until) {
            (None, None) => None,
            (Some(from), Some(until)) if own.kind == Kind::Cable => Some([from, until]),
            (Some(_), Some(_)) => return wrong("start and until go with kind=\"cable\"".into()),
            _ => return wrong("a stretch has two ends: give both start and until".into()),
        };
        Ok(own)
    }

    fn unit(&self, of_file: Option<f64>, path: &Path) -> Result<f64, String> {
        self.unit.or(of_file).ok_or_else(|| {
            format!("{} does not say its unit: give unit, one of mm, cm, dm, m, in and ft", path.display())
        })
    }

    fn drawing(&self, bytes: &[u8], path: &Path) -> Result<Drawing, String> {
        Drawing::read_beside(bytes, &|name| beside(path, name))
            .map_err(|error| format!("cannot read {}: {error}", path.display()))
    }

    /// Cables of a mesh or along lines, and what was left out.
    fn cables(&self, bytes: &[u8], path: &Path) -> Result<(Flexible, Vec<LeftOut>), String> {
        if self.kind == Kind::Centreline {
            let curves = Curves::read(bytes).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let unit = self.unit(curves.unit, path)?;
            let found = curves.to_flexible(unit, self.up.unwrap_or(Up::Z), self.radius)?;
            return Ok((found, curves.left_out));
        }
        let drawing = self.drawing(bytes, path)?;
        let unit = self.unit(drawing.unit, path)?;
        let up = self.up.or(drawing.up).unwrap_or(Up::Z);
        Ok((cables_of(&drawing, unit, up, self.between)?.0, drawing.left_out))
    }
}

fn left(left_out: &[LeftOut]) -> Value {
    let one = |own: &LeftOut| json!({ "what": own.what, "count": own.count, "first": own.first.to_string() });
    left_out.iter().map(one).collect()
}

fn bytes_of(path: &Path) -> PyResult<Vec<u8>> {
    let size = std::fs::metadata(path)?.len();
    if size > MOST_BYTES as u64 {
        let most = MOST_BYTES >> 20;
        return Err(PyOSError::new_err(format!("{} is larger than {most} MiB", path.display())));
    }
    Ok(std::fs::read(path)?)
}

/// What is in a file: parts and how sound they are, cables found in a mesh, or lines.
#[pyfunction]
#[pyo3(signature = (path, kind = "obstacle", **keywords))]
pub fn read_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    kind: &str,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let asked = Asked::new(keywords, kind, &[])?;
    let bytes = bytes_of(&path)?;
    let told = py.detach(|| told_of(&asked, &bytes, &path)).map_err(PyValueError::new_err)?;
    to_python(py, &told)
}

fn told_of(asked: &Asked, bytes: &[u8], path: &Path) -> Result<Value, String> {
    match asked.kind {
        Kind::Obstacle => {
            let drawing = asked.drawing(bytes, path)?;
            let parts = drawing.parts.iter().map(|own| {
                let health = health(std::slice::from_ref(own));
                json!({
                    "path": own.path,
                    "triangles": own.triangles.len(),
                    "extent": own.extent(),
                    "bodies": health.map(|own| own.bodies),
                    "open_edges": health.map(|own| own.surface.open_edges),
                })
            });
            Ok(json!({
                "format": drawing.format.name(),
                "unit": asked.unit.or(drawing.unit),
                "up": asked.up.or(drawing.up).map(Up::word),
                "parts": parts.collect::<Vec<_>>(),
                "lines": drawing.lines.len(),
                "left_out": left(&drawing.left_out),
            }))
        }
        Kind::Harness => {
            let own = kbl::Kbl::read(bytes).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let plan = kbl::Plan::new(&own, &[]).map_err(|word| format!("there is no module {word}"))?;
            Ok(kbl::Report::new(&own, &plan).to_json())
        }
        Kind::Cable | Kind::Centreline => {
            let (found, left_out) = asked.cables(bytes, path)?;
            let mut told = found.to_json(0.0);
            told["left_out"] = left(&left_out);
            if let Some(own) = told.as_object_mut() {
                own.remove("seconds");
            }
            Ok(told)
        }
    }
}

/// A scene of a file: of the cables in a mesh, along lines, or of a harness.
#[pyfunction]
#[pyo3(signature = (path, kind = "cable", *, material = None, straight = false, title = None, modules = Vec::new(), **keywords))]
#[allow(clippy::too_many_arguments)] // keywords of Python
pub fn import_scene(
    py: Python<'_>,
    path: PathBuf,
    kind: &str,
    material: Option<&str>,
    straight: bool,
    title: Option<String>,
    modules: Vec<String>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Scene> {
    let asked = Asked::new(keywords, kind, &["material", "straight", "title", "modules"])?;
    let bytes = bytes_of(&path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let work = || -> Result<String, String> {
        if asked.kind == Kind::Obstacle {
            return Err(
                "an obstacle is no scene: session.do({\"do\": \"import\", \"file\": …}) adds it to one"
                    .into(),
            );
        }
        if asked.kind == Kind::Harness {
            let own = kbl::Kbl::read(&bytes).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let plan = kbl::Plan::new(&own, &modules).map_err(|word| format!("there is no module {word}"))?;
            if plan.cables.is_empty() {
                return Err(format!(
                    "{} has no segments with nodes: there is nothing to lay",
                    path.display()
                ));
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rest = if straight { kbl::Rest::Straight } else { kbl::Rest::Drawn };
            let title = title.unwrap_or(if own.title.is_empty() { stem } else { own.title.clone() });
            return Ok(plan.to_scene(&own, &title, &name, rest));
        }
        let material = material
            .ok_or("material is missing: a file of this kind does not say what a cable is made of")?;
        known_material(material)?;
        let (found, _) = asked.cables(&bytes, &path)?;
        if let Some(reason) = found.refused {
            return Err(format!("{}: {reason}", path.display()));
        }
        let rest = if straight { Rest::Straight } else { Rest::Drawn };
        let text = found.to_scene(&title.unwrap_or(stem), material, rest);
        text.ok_or_else(|| format!("there is no cable in {}", path.display()))
    };
    let text = py.detach(work).map_err(PyValueError::new_err)?;
    let folder =
        path.parent().map(|own| if own.as_os_str().is_empty() { PathBuf::from(".") } else { own.into() });
    let name = path.with_extension("toml").display().to_string();
    Scene::parse(text, name, folder).map_err(|error| scene_error(py, &error))
}

/// What a solution is to be written as, from keywords.
pub struct Wanted<'a> {
    pub cable: Option<&'a str>,
    pub tolerance: f64,
    pub solid: bool,
    pub schema: &'a str,
    pub physics: bool,
}

/// Writes a solution for another program; the ending names the format. What was written, and how exactly.
pub fn export<'py>(
    py: Python<'py>,
    found: &Found,
    path: &Path,
    wanted: &Wanted,
) -> PyResult<Bound<'py, PyAny>> {
    let (bytes, told) = py.detach(|| written(found, path, wanted)).map_err(PyValueError::new_err)?;
    std::fs::write(path, bytes)?;
    to_python(py, &told)
}

fn written(found: &Found, path: &Path, wanted: &Wanted) -> Result<(Vec<u8>, Value), String> {
    let (compiled, solution) = (&found.compiled, &found.solution);
    if solution.report.status != Status::Converged {
        let why = compiled.ending_with_troubles(&solution.report);
        return Err(format!("there is no equilibrium: {why}; nothing is written"));
    }
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let title = found
        .scene
        .title
        .clone()
        .unwrap_or_else(|| path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    let told = |format: &str, bytes: &[u8], notes: &[String]| json!({ "format": format, "bytes": bytes.len(), "cables": compiled.cables.iter().map(|own| &own.name).collect::<Vec<_>>(), "notes": notes });
    match ending.as_str() {
        "glb" => {
            let bytes = write_glb(&compiled.playback(solution, &title));
            let told = told("glTF", &bytes, &[]);
            return Ok((bytes, told));
        }
        "usda" if wanted.physics => {
            let own = compiled.deformables(solution);
            let gravity = compiled.network.gravity;
            let bytes = usd::write_physics(&title, &gravity, &own.cables, &own.attached).into_bytes();
            let told = told("USD physics", &bytes, &own.notes);
            return Ok((bytes, told));
        }
        "usda" => {
            let bytes = usd::write_playback(&compiled.playback(solution, &title)).into_bytes();
            let told = told("USD", &bytes, &[]);
            return Ok((bytes, told));
        }
        "vtp" => {
            let bytes = vtk::write_vtp(&compiled.playback(solution, &title), 0).into_bytes();
            let told = told("VTP", &bytes, &[]);
            return Ok((bytes, told));
        }
        "xml" | "mjcf" => {
            let cables = found.scene.cables.iter().map(|own| &own.cable);
            let segments: Vec<usize> = cables
                .map(|own| if own.model.is_chain() { own.resolution } else { ELEMENT_BODIES })
                .collect();
            let own = compiled.to_mjcf(solution, &title, &segments).map_err(|error| error.to_string())?;
            let bytes = own.text.into_bytes();
            let told = told("MJCF", &bytes, &own.notes);
            return Ok((bytes, told));
        }
        _ => {}
    }
    let format = match (Written::of(&ending), wanted.schema) {
        (Some(Written::Step(_)), "ap214") => Written::Step(Schema::Ap214),
        (Some(format), "ap242") => format,
        (Some(_), other) => {
            return Err(format!("schema is {other:?}: expected \"ap242\" or, of STEP, \"ap214\""));
        }
        (None, _) => {
            return Err(format!(
                "'.{ending}' is no format that is written: expected .step, .igs, .vda, .csv, .pts, .xml, .glb, .usda or .vtp"
            ));
        }
    };
    if !(1e-9..=1.0).contains(&wanted.tolerance) {
        return Err(format!("tolerance is {}: expected metres, from 1e-9 to 1", wanted.tolerance));
    }
    let lines = compiled.centrelines(solution, wanted.cable);
    if lines.is_empty() {
        let known: Vec<&str> = compiled.cables.iter().map(|own| own.name.as_str()).collect();
        return Err(format!("there is no such cable; there are: {}", known.join(", ")));
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |own| own.as_secs());
    let wishes = Wishes {
        tolerance: wanted.tolerance,
        solid: wanted.solid,
        colour: COLOUR,
        title,
        date: centreline::date(seconds),
    };
    let made = centreline::write(&lines, format, &wishes).map_err(|error| error.to_string())?;
    let curve = |own: &Curve| json!({ "name": own.name, "length": own.length, "reached": own.reached, "poles": own.poles, "tube": own.tube });
    let told = json!({
        "format": format.name(),
        "bytes": made.bytes.len(),
        "tolerance": wanted.tolerance,
        "cables": lines.iter().map(|line| &line.name).collect::<Vec<_>>(),
        "curves": made.curves.iter().map(curve).collect::<Vec<_>>(),
    });
    Ok((made.bytes, told))
}
