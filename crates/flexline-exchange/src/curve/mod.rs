//! Centrelines in: what STEP, IGES, VDA-FS, tables and point files draw as curves, and pipes of STEP by their centreline. Which
//! format it is, the contents tell.

mod iges;
mod lay;
mod nurbs;
pub(crate) mod step;
mod table;
#[cfg(test)]
mod tests;
mod vda;

pub use nurbs::Nurbs;

use crate::drawing::{LeftOut, MOST_BYTES};
use crate::mesh::At;

/// No more curves than this in one file.
pub const MOST_CURVES: usize = 100_000;
/// No more points, poles or numbers than this in one file.
pub const MOST_NUMBERS: usize = 20_000_000;

/// A format in which centrelines come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// STEP, ISO 10303-21.
    Step,
    /// IGES.
    Iges,
    /// VDA-FS.
    Vda,
    /// A table or a point file.
    Table,
}

impl Format {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "STEP",
            Self::Iges => "IGES",
            Self::Vda => "VDA-FS",
            Self::Table => "points",
        }
    }
}

/// A file of curves, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// What it was.
    pub format: Format,
    /// Its curves.
    pub curves: Vec<Curve>,
    /// What one unit of it is, m, where the file or its standard says so.
    pub unit: Option<f64>,
    /// What was not taken, and why.
    pub left_out: Vec<LeftOut>,
}

/// A curve of a file: pieces from end to end, in its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name; empty where the file has none.
    pub name: String,
    /// From its beginning to its end.
    pub pieces: Vec<Nurbs>,
    /// Radii at shares of its length, 0 to 1; one where it is the same everywhere, none where the file has none.
    pub radii: Vec<(f64, f64)>,
    /// Radius of a bore.
    pub bore: Option<f64>,
    /// The points that it was given by, those that repeat one included; none where it was given as a curve.
    pub points: Vec<flexline::Vec3>,
}

/// Samples of a stretch between two knots.
const SAMPLES: usize = 16;

impl Curve {
    fn new(name: impl Into<String>, pieces: Vec<Nurbs>) -> Self {
        Self { name: name.into(), pieces, radii: Vec::new(), bore: None, points: Vec::new() }
    }

    /// Points along it in the unit of the file: those that it was given by, else so many that a cubic through them is the curve.
    pub fn along(&self) -> Vec<flexline::Vec3> {
        if !self.points.is_empty() {
            return self.points.clone();
        }
        let mut out: Vec<flexline::Vec3> = Vec::new();
        for piece in &self.pieces {
            let parts = if piece.degree == 1 { 1 } else { SAMPLES };
            for w in piece.stops().windows(2) {
                // What one piece ends with the next begins with.
                let first = usize::from(!out.is_empty());
                out.extend(
                    (first..=parts).map(|k| piece.at(w[0] + (w[1] - w[0]) * k as f64 / parts as f64).0),
                );
            }
        }
        out
    }

    /// Where it begins and ends.
    fn ends(&self) -> Option<[flexline::Vec3; 2]> {
        Some([self.pieces.first()?.ends()[0], self.pieces.last()?.ends()[1]])
    }
}

/// What is wrong with a file of curves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
pub struct CurveError {
    /// Where.
    pub at: At,
    /// What, and what was expected.
    pub message: String,
}

impl CurveError {
    fn new(at: At, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// What was left out, counted.
#[derive(Default)]
struct Left(Vec<LeftOut>);

impl Left {
    fn out(&mut self, what: impl Into<String>, first: At) {
        let what = what.into();
        let many = self.0.len();
        match self.0.iter_mut().find(|own| own.what == what) {
            Some(own) => own.count += 1,
            None if many < 200 => self.0.push(LeftOut { what, count: 1, first }),
            None => {}
        }
    }
}

impl Curves {
    /// Reads a file by its contents.
    pub fn read(bytes: &[u8]) -> Result<Self, CurveError> {
        let whole = |message: String| CurveError::new(At::Whole, message);
        if bytes.len() > MOST_BYTES {
            return Err(whole(format!("larger than {} MiB: divide it", MOST_BYTES >> 20)));
        }
        let text = crate::mesh::utf8_of(bytes).map_or_else(|| latin(bytes), std::borrow::Cow::Owned);
        let start = text.trim_start();
        let column = |i: usize| text.lines().next().and_then(|line| line.as_bytes().get(i).copied());
        let is_vda = || {
            let header = |line: &str| {
                let line = line.to_ascii_uppercase();
                line.split_once('=').is_some_and(|own| {
                    let word = own.1.trim_start();
                    word.starts_with("HEADER") || word.starts_with("CURVE") || word.starts_with("BEGINSET")
                })
            };
            text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("$$")).is_some_and(header)
        };
        let found = if start.is_empty() {
            return Err(whole("it is empty: expected curves or points".into()));
        } else if start.starts_with("ISO-10303-21") {
            step::read(&text)?
        } else if matches!(column(72), Some(b'S' | b'C' | b'B')) {
            iges::read(&text)?
        } else if is_vda() {
            vda::read(&text)?
        } else if let Err(error) = crate::drawing::Format::of(bytes)
            && ["is JT", "is KBL", "COLLADA", "is XML", "is USD", "zip", "gzip", "picture", "is PDF", "a JT"]
                .iter()
                .any(|word| error.message.contains(word))
        {
            let what = error.message.split(" and is not read").next().unwrap_or_default().to_owned();
            return Err(whole(format!("{what}: expected STEP, IGES, VDA-FS, or a table of points")));
        } else {
            table::read(&text)?
        };
        match found.curves.is_empty() {
            false => Ok(found),
            true => Err(whole(nothing(&found))),
        }
    }
}

/// Why there is no curve.
fn nothing(found: &Curves) -> String {
    let mut text = format!("{} without a curve", found.format.name());
    for own in found.left_out.iter().take(4) {
        text.push_str(&format!("; left out: {} x {}, first at {}", own.count, own.what, own.first));
    }
    text
}

/// Text of which not all need be UTF-8: older formats have Latin-1.
fn latin(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|b| *b as char).collect::<String>().into(),
    }
}
