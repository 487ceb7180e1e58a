//! Pictures of solutions.

use crate::solution::Found;
use flexline_plot::{ColourBy, PlotError};
use flexline_study::picture::{Look, PictureError, Shown, View, draw};
use pyo3::exceptions::{PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::path::Path;

const VIEWS: [(&str, View); 4] = [
    ("report", View::Report),
    ("perspective", View::Perspective),
    ("three", View::Three),
    ("along", View::Along),
];

const COLOURS: [(&str, ColourBy); 7] = [
    ("auto", ColourBy::Auto),
    ("plain", ColourBy::Nothing),
    ("utilisation", ColourBy::Utilisation),
    ("curvature", ColourBy::Curvature),
    ("twist", ColourBy::Twist),
    ("tension", ColourBy::Tension),
    ("moment", ColourBy::Moment),
];

/// The value of a word.
fn chosen<T: Copy>(what: &str, word: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|own| own.0 == word).map(|own| own.1);
    found.ok_or_else(|| {
        let words: Vec<&str> = known.iter().map(|own| own.0).collect();
        PyValueError::new_err(format!("{what} is {word:?}: expected one of {}", words.join(", ")))
    })
}

/// How a solution is looked at, from keywords.
pub fn look(
    view: &str,
    colour: &str,
    cable: Option<String>,
    azimuth: Option<f64>,
    elevation: f64,
) -> PyResult<Look> {
    let (view, colour) = (chosen("view", view, &VIEWS)?, chosen("colour", colour, &COLOURS)?);
    if let Some(own) = azimuth.filter(|own| !(-360.0..=360.0).contains(own)) {
        return Err(PyValueError::new_err(format!("azimuth is {own}: expected degrees from -360 to 360")));
    }
    if !(5.0..=85.0).contains(&elevation) {
        return Err(PyValueError::new_err(format!(
            "elevation is {elevation}: expected degrees from 5 to 85"
        )));
    }
    Ok(Look { view, colour, cable, azimuth, elevation })
}

fn picture_error(error: PictureError) -> PyErr {
    match error {
        PictureError::Cable { .. } => PyKeyError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// A solution as text of SVG.
pub fn svg(found: &Found, look: &Look) -> PyResult<String> {
    Ok(drawing(found, look)?.to_svg())
}

fn drawing(found: &Found, look: &Look) -> PyResult<flexline_plot::Drawing> {
    let shown = Shown { scene: &found.scene, compiled: &found.compiled, solution: &found.solution };
    draw(shown, look).map_err(picture_error)
}

/// Writes a picture, .svg or .png.
pub fn write(py: Python<'_>, found: &Found, look: &Look, path: &Path, width: u32) -> PyResult<()> {
    if !(100..=8000).contains(&width) {
        return Err(PyValueError::new_err(format!("width is {width}: expected 100 to 8000 pixels")));
    }
    let ending = path.extension().and_then(|own| own.to_str()).map(str::to_lowercase);
    let bytes = match ending.as_deref() {
        Some("svg") => py.detach(|| svg(found, look))?.into_bytes(),
        Some("png") => {
            let wrong = |error: PlotError| PyValueError::new_err(error.to_string());
            py.detach(|| drawing(found, look)?.to_png(width).map_err(wrong))?
        }
        _ => {
            let told = path.display();
            return Err(PyValueError::new_err(format!("{told}: expected a name that ends in .svg or .png")));
        }
    };
    std::fs::write(path, bytes)
        .map_err(|error| PyOSError::new_err(format!("cannot write {}: {error}", path.display())))
}
