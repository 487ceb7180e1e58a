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
}

/// Draws curves in perspective.
pub fn write(path: &Path, title: String, curves: &[Shown<'_>]) -> Result<(), Failure> {
    let picture = Picture::of(path)?;
    let tube = |own: &Shown<'_>| Tube {
        centre: own.stations.iter().map(|s| s.position.into()).collect(),
        frames: own.stations.iter().map(|s| [s.frame.w, s.frame.i, s.frame.j, s.frame.k]).collect(),
        radius: vec![own.radius; own.stations.len()],
        paint: Paint::Plain(own.colour),
        stripe: false,
        ends: [own.start, End::Free],
    };
    let subject = Subject { title, tubes: curves.iter().map(tube).collect(), ..Subject::default() };
    picture.write(&perspective(&subject, &ViewOptions::default())?, path, 2000)
}
