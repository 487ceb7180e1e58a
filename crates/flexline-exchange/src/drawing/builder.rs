//! Collects what a reader finds, within limits: every reader hands its triangles to one of these.

use super::polygon::triangulate;
use super::{Drawing, Format, LeftOut, Line, Part, Up};
use crate::mesh::{At, MOST_TRIANGLES, MeshError};
use std::collections::HashMap;

/// No more parts than this in one file.
const MOST_PARTS: usize = 100_000;
/// No more points than this in all lines of a file.
const MOST_POINTS: usize = 10_000_000;
/// No more corners than this in one polygon.
const MOST_CORNERS: usize = 10_000;
/// No more kinds of things left out than this are told apart.
const MOST_KINDS: usize = 100;

/// A drawing in the making.
pub(crate) struct Builder {
    drawing: Drawing,
    /// Parts by their paths.
    known: HashMap<String, usize>,
    /// Vertices of every part by their positions.
    welded: Vec<HashMap<[u64; 3], u32>>,
    current: usize,
    triangles: usize,
    points: usize,
}

impl Builder {
    pub(crate) fn new(format: Format) -> Self {
        let drawing = Drawing {
            format,
            parts: Vec::new(),
            lines: Vec::new(),
            unit: None,
            up: None,
            left_out: Vec::new(),
            followed: Vec::new(),
        };
        Self {
            drawing,
            known: HashMap::new(),
            welded: Vec::new(),
            current: usize::MAX,
            triangles: 0,
            points: 0,
        }
    }

    /// What one unit of the file is, m, by its own word.
    pub(crate) fn says_unit(&mut self, unit: f64) {
        self.drawing.unit = Some(unit);
    }

    /// Which axis points up, by the word of the file.
    pub(crate) fn says_up(&mut self, up: Up) {
        self.drawing.up = Some(up);
    }

    /// A file beside this one that was read as well.
    pub(crate) fn followed(&mut self, name: &str) {
        self.drawing.followed.push(name.to_owned());
    }

    /// Begins a part, or goes on with the one of this path.
    pub(crate) fn part(&mut self, path: &str, at: At) -> Result<(), MeshError> {
        if let Some(known) = self.known.get(path) {
            self.current = *known;
            return Ok(());
        }
        if self.drawing.parts.len() == MOST_PARTS {
            let message = format!("there are more than {MOST_PARTS} parts: divide the file");
            return Err(MeshError::new(at, message));
        }
        self.current = self.drawing.parts.len();
        self.known.insert(path.to_owned(), self.current);
        self.drawing.parts.push(Part { path: path.to_owned(), ..Part::default() });
        self.welded.push(HashMap::new());
        Ok(())
    }

    /// A vertex of the current part.
    pub(crate) fn vertex(&mut self, position: [f64; 3], at: At) -> Result<u32, MeshError> {
        if let Some(x) = position.iter().find(|x| !x.is_finite()) {
            return Err(MeshError::new(at, format!("a coordinate is {x}: expected a finite number")));
        }
        if self.current == usize::MAX {
            self.part("", at)?;
        }
        let vertices = &mut self.drawing.parts[self.current].vertices;
        // Zero has two signs.
        let key = position.map(|x| (x + 0.0).to_bits());
        Ok(*self.welded[self.current].entry(key).or_insert_with(|| {
            vertices.push(position);
            (vertices.len() - 1) as u32
        }))
    }

    /// A triangle of the current part; one that is only a line or a point is left out.
    pub(crate) fn triangle(&mut self, corners: [u32; 3], at: At) -> Result<(), MeshError> {
        if self.triangles == MOST_TRIANGLES {
            let message = format!("there are more than {MOST_TRIANGLES} triangles: make it coarser");
            return Err(MeshError::new(at, message));
        }
        self.triangles += 1;
        let part = &mut self.drawing.parts[self.current];
        let [a, b, c] = corners;
        if a == b || b == c || c == a {
            part.collapsed += 1;
        } else {
            part.triangles.push(corners);
        }
        Ok(())
    }

    /// A polygon of the current part as triangles, concave ones too.
    pub(crate) fn polygon(&mut self, corners: &[u32], at: At) -> Result<(), MeshError> {
        if let [a, b, c] = *corners {
            return self.triangle([a, b, c], at);
        }
        if !(3..=MOST_CORNERS).contains(&corners.len()) {
            let message = format!("a face of {} corners: expected 3 to {MOST_CORNERS}", corners.len());
            return Err(MeshError::new(at, message));
        }
        let vertices = &self.drawing.parts[self.current].vertices;
        let positions: Vec<[f64; 3]> = corners.iter().map(|i| vertices[*i as usize]).collect();
        for three in triangulate(&positions) {
            self.triangle(three.map(|i| corners[i]), at)?;
        }
        Ok(())
    }

    /// A strip of triangles of the current part, of which every second is turned; `flip` turns the others.
    pub(crate) fn strip(&mut self, corners: &[u32], flip: bool, at: At) -> Result<(), MeshError> {
        for (i, three) in corners.windows(3).enumerate() {
            let turned = (i % 2 == 1) != flip;
            let [a, b, c] = [three[0], three[1], three[2]];
            self.triangle(if turned { [b, a, c] } else { [a, b, c] }, at)?;
        }
        Ok(())
    }

    /// A line, where it has two points.
    pub(crate) fn line(&mut self, path: &str, points: Vec<[f64; 3]>, at: At) -> Result<(), MeshError> {
        if points.len() < 2 {
            return Ok(());
        }
        if points.iter().flatten().any(|x| !x.is_finite()) {
            return Err(MeshError::new(at, "a point of a line is no number: expected finite coordinates"));
        }
        self.points += points.len();
        if self.points > MOST_POINTS {
            let message = format!("lines have more than {MOST_POINTS} points: make them coarser");
            return Err(MeshError::new(at, message));
        }
        self.drawing.lines.push(Line { path: path.to_owned(), points });
        Ok(())
    }

    /// Counts something that is not taken.
    pub(crate) fn leave_out(&mut self, what: &str, at: At) {
        let all = &mut self.drawing.left_out;
        match all.iter().position(|own| own.what == what) {
            Some(known) => all[known].count += 1,
            None if all.len() < MOST_KINDS => {
                all.push(LeftOut { what: what.to_owned(), count: 1, first: at });
            }
            None => all[MOST_KINDS - 1].count += 1,
        }
    }

    /// What was collected; parts without triangles are no parts.
    pub(crate) fn finish(mut self) -> Drawing {
        let collapsed: usize = self.drawing.parts.iter().map(|part| part.collapsed).sum();
        self.drawing.parts.retain(|part| !part.triangles.is_empty());
        if collapsed > 0 {
            let what = "triangles that are only a line or a point".to_owned();
            self.drawing.left_out.push(LeftOut { what, count: collapsed, first: At::Whole });
        }
        self.drawing
    }
}
