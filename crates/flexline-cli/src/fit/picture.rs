//! Pictures of curves beside each other: what was drawn, and what became of it.

use crate::failure::Failure;
use crate::plot::Picture;
use flexline::rod::Station;
use flexline_plot::{Colour, End, Paint, Subject, Tube, ViewOptions, perspective};
use std::path::Path;

/// What was drawn.
pub const DRAWN: Colour = Colour::hex(0x9a_a4ae);
/// The shape without loads.
pub const NATURAL: Colour = Colour::hex(0x2f_7fd1);
/// What was fitted, or hangs.
pub const FOUND: Colour = Colour::hex(0xe0_7b1a);

/// Stations of a curve.
pub const STATIONS: usize = 300;

/// A curve as a tube.
pub struct Shown<'a> {
    /// Along it.
    pub stations: &'a [Station],
    /// Colour.
    pub colour: Colour,
    /// Radius, m.
    pub radius: f64,
    /// How its beginning is held.
    pub start: End,
    /// Drawn in dashes, so that what lies within shows.
    pub dashed: bool,
}

/// Stations of a dash, and from one to the next.
const DASH: usize = 7;
const STRIDE: usize = 12;

/// Draws curves in perspective.
pub fn write(path: &Path, title: String, curves: &[Shown<'_>]) -> Result<(), Failure> {
    let picture = Picture::of(path)?;
    let tube = |own: &Shown<'_>, stations: &[Station], start: End| Tube {
        centre: stations.iter().map(|s| s.position.into()).collect(),
        frames: stations.iter().map(|s| [s.frame.w, s.frame.i, s.frame.j, s.frame.k]).collect(),
        radius: vec![own.radius; stations.len()],
        paint: Paint::Plain(own.colour),
        stripe: false,
        ends: [start, End::Free],
    };
    let mut tubes = Vec::new();
    for own in curves {
        if !own.dashed {
            tubes.push(tube(own, own.stations, own.start));
            continue;
        }
        for first in (0..own.stations.len().saturating_sub(1)).step_by(STRIDE) {
            let last = (first + DASH).min(own.stations.len());
            let start = if first == 0 { own.start } else { End::Free };
            tubes.push(tube(own, &own.stations[first..last], start));
        }
    }
    let subject = Subject { title, tubes, ..Subject::default() };
    picture.write(&perspective(&subject, &ViewOptions::default())?, path, 2000)
}
