//! Paths of straight lines and cubic curves.

use super::Rect;

/// A piece of a path, px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Start a new subpath.
    Move([f64; 2]),
    /// Straight line.
    Line([f64; 2]),
    /// Cubic Bézier curve: two handles and the end.
    Cubic([f64; 2], [f64; 2], [f64; 2]),
    /// Back to the start of the subpath.
    Close,
}

/// An outline made of subpaths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The pieces in order.
    pub segments: Vec<Segment>,
}

/// Handle length of a cubic quarter circle of unit radius, 4(√2 − 1)/3.
const QUARTER: f64 = 0.552_284_749_830_793_6;

impl Path {
    /// A path without pieces.
    pub fn new() -> Self {
        Self::default()
    }

    /// One straight line.
    pub fn line(from: [f64; 2], to: [f64; 2]) -> Self {
        let mut path = Self::new();
        path.add_line(from, to);
        path
    }

    /// A line through all points; empty for fewer than two.
    pub fn polyline(points: &[[f64; 2]]) -> Self {
        let mut path = Self::new();
        if points.len() > 1 {
            path.segments.push(Segment::Move(points[0]));
            path.segments.extend(points[1..].iter().map(|p| Segment::Line(*p)));
        }
        path
    }

    /// A closed polygon; empty for fewer than three points.
    pub fn polygon(points: &[[f64; 2]]) -> Self {
        let mut path = Self::new();
        if points.len() > 2 {
            path = Self::polyline(points);
            path.segments.push(Segment::Close);
        }
        path
    }

    /// A rectangle, with corners rounded by `radius`.
    pub fn rect(rect: Rect, radius: f64) -> Self {
        let (l, t, r, b) = (rect.x, rect.y, rect.right(), rect.bottom());
        let q = radius.min(0.5 * rect.width).min(0.5 * rect.height);
        if q <= 0.0 {
            return Self::polygon(&[[l, t], [r, t], [r, b], [l, b]]);
        }
        let h = q * (1.0 - QUARTER);
        let mut path = Self::new();
        path.segments.extend([
            Segment::Move([l + q, t]),
            Segment::Line([r - q, t]),
            Segment::Cubic([r - h, t], [r, t + h], [r, t + q]),
            Segment::Line([r, b - q]),
            Segment::Cubic([r, b - h], [r - h, b], [r - q, b]),
            Segment::Line([l + q, b]),
            Segment::Cubic([l + h, b], [l, b - h], [l, b - q]),
            Segment::Line([l, t + q]),
            Segment::Cubic([l, t + h], [l + h, t], [l + q, t]),
            Segment::Close,
        ]);
        path
    }

    /// A circle.
    pub fn circle(centre: [f64; 2], radius: f64) -> Self {
        let [x, y] = centre;
        let (r, h) = (radius, radius * QUARTER);
        let mut path = Self::new();
        path.segments.extend([
            Segment::Move([x + r, y]),
            Segment::Cubic([x + r, y + h], [x + h, y + r], [x, y + r]),
            Segment::Cubic([x - h, y + r], [x - r, y + h], [x - r, y]),
            Segment::Cubic([x - r, y - h], [x - h, y - r], [x, y - r]),
            Segment::Cubic([x + h, y - r], [x + r, y - h], [x + r, y]),
            Segment::Close,
        ]);
        path
    }

    /// Adds a separate straight line.
    pub fn add_line(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.segments.extend([Segment::Move(from), Segment::Line(to)]);
    }

    /// Adds the pieces of another path.
    pub fn append(&mut self, other: Path) {
        self.segments.extend(other.segments);
    }

    /// Every point named by the path, handles included.
    pub fn points(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.segments.iter().flat_map(|segment| match *segment {
            Segment::Move(p) | Segment::Line(p) => vec![p],
            Segment::Cubic(a, b, p) => vec![a, b, p],
            Segment::Close => vec![],
        })
    }
}
