//! What is on a form board: lines, circles and letters in millimetres, y up, in layers.

use super::{Board, Laid};

/// What something on the sheet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Squares of 100 mm.
    Grid,
    /// Covered stretches.
    Protections,
    /// Segments, one line each.
    Segments,
    /// Fixings.
    Fixings,
    /// Connectors and what else is at nodes.
    Connectors,
    /// Branches.
    Branches,
    /// Letters.
    Text,
    /// The scale of 100 mm.
    Scale,
}

impl Layer {
    /// All of them, the lowest first.
    pub const ALL: [Self; 8] = [
        Self::Grid,
        Self::Protections,
        Self::Segments,
        Self::Fixings,
        Self::Connectors,
        Self::Branches,
        Self::Text,
        Self::Scale,
    ];

    /// As DXF and SVG call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grid => "GRID",
            Self::Protections => "PROTECTIONS",
            Self::Segments => "SEGMENTS",
            Self::Fixings => "FIXINGS",
            Self::Connectors => "CONNECTORS",
            Self::Branches => "BRANCHES",
            Self::Text => "TEXT",
            Self::Scale => "SCALE",
        }
    }

    /// Red, green, blue from 0 to 1, and the nearest colour of DXF.
    pub(super) fn colour(self) -> ([f64; 3], u8) {
        match self {
            Self::Grid => ([0.82, 0.84, 0.86], 9),
            Self::Protections => ([0.95, 0.77, 0.35], 40),
            Self::Segments => ([0.05, 0.05, 0.05], 7),
            Self::Fixings => ([0.75, 0.1, 0.1], 1),
            Self::Connectors => ([0.05, 0.3, 0.7], 5),
            Self::Branches => ([0.1, 0.5, 0.2], 3),
            Self::Text | Self::Scale => ([0.1, 0.1, 0.1], 7),
        }
    }

    /// Width of its lines, mm.
    pub(super) fn width(self) -> f64 {
        match self {
            Self::Grid => 0.1,
            Self::Protections => 4.0,
            Self::Segments => 0.8,
            Self::Fixings | Self::Connectors | Self::Scale => 0.5,
            Self::Branches | Self::Text => 0.35,
        }
    }
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    Line {
        points: Vec<[f64; 2]>,
        name: String,
    },
    Circle {
        centre: [f64; 2],
        radius: f64,
    },
    /// Letters from a point on, turned by an angle in degrees.
    Letters {
        at: [f64; 2],
        height: f64,
        angle: f64,
        text: String,
    },
}

/// A sheet: marks in layers, and its size, mm; its lower left corner is the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Width, mm.
    pub width: f64,
    /// Height, mm.
    pub height: f64,
    /// A line for the title.
    pub title: String,
    pub(super) marks: Vec<(Layer, Mark)>,
}

/// Space around everything, mm.
const MARGIN: f64 = 40.0;
/// Space below for title and scale, mm.
const FOOT: f64 = 30.0;
/// Distance of the lines of the grid, mm.
const GRID: f64 = 100.0;

impl Sheet {
    pub(super) fn of(board: &Board, laid: &Laid) -> Self {
        let all = || laid.ends.iter().flatten();
        let least = |k: usize| all().map(|p| p[k]).fold(f64::INFINITY, f64::min);
        let most = |k: usize| all().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = match board.segments.is_empty() {
            true => ([0.0; 2], [0.0; 2]),
            false => ([least(0), least(1)], [most(0), most(1)]),
        };
        let shift = |p: [f64; 2]| [p[0] - low[0] + MARGIN, p[1] - low[1] + MARGIN + FOOT];
        // Letters beside the last connector need room.
        let width = (high[0] - low[0] + 2.0 * MARGIN + 40.0).max(200.0).ceil();
        let height = (high[1] - low[1] + 2.0 * MARGIN + FOOT).max(120.0).ceil();
        let mut sheet = Self { width, height, title: board.title.clone(), marks: Vec::new() };
        sheet.grid();
        for (i, own) in board.segments.iter().enumerate() {
            let [a, b] = laid.ends[i].map(shift);
            sheet.segment(board, own, a, b);
        }
        for (i, node) in board.nodes.iter().enumerate() {
            let Some(at) = laid.nodes[i].map(shift) else { continue };
            sheet.node(board, i, node, at);
        }
        for (segment, node) in &laid.cut {
            let own = &board.segments[*segment];
            let side = usize::from(own.nodes[1] == *node);
            let at = shift(laid.ends[*segment][side]);
            sheet.letters(
                [at[0] + 3.0, at[1] + 3.0],
                3.0,
                0.0,
                &format!("joins {}", board.nodes[*node].name),
            );
        }
        sheet.scale(board);
        sheet.marks.sort_by_key(|own| own.0);
        sheet
    }

    fn line(&mut self, layer: Layer, points: Vec<[f64; 2]>, name: &str) {
        self.marks.push((layer, Mark::Line { points, name: name.to_owned() }));
    }

    fn letters(&mut self, at: [f64; 2], height: f64, angle: f64, text: &str) {
        self.marks.push((Layer::Text, Mark::Letters { at, height, angle, text: text.to_owned() }));
    }

    fn grid(&mut self) {
        for i in 0..=(self.width / GRID) as usize {
            let x = i as f64 * GRID;
            self.line(Layer::Grid, vec![[x, 0.0], [x, self.height]], "");
        }
        for i in 0..=(self.height / GRID) as usize {
            let y = i as f64 * GRID;
            self.line(Layer::Grid, vec![[0.0, y], [self.width, y]], "");
        }
    }

    fn segment(&mut self, board: &Board, own: &super::BoardSegment, a: [f64; 2], b: [f64; 2]) {
        let long = (b[0] - a[0]).hypot(b[1] - a[1]).max(1e-9);
        let u = [(b[0] - a[0]) / long, (b[1] - a[1]) / long];
        let at = |s: f64, aside: f64| [a[0] + s * u[0] - aside * u[1], a[1] + s * u[1] + aside * u[0]];
        self.line(Layer::Segments, vec![a, b], &own.name);
        // Letters read from below or from the right.
        let angle = u[1].atan2(u[0]).to_degrees();
        let (angle, sign) = if angle > 90.5 || angle <= -89.5 { (angle + 180.0, -1.0) } else { (angle, 1.0) };
        let wires = own.wires.map_or(String::new(), |n| format!(", {n} wires"));
        let text = format!(
            "{} {:.1} ±{} Ø{:.1}{wires}",
            own.name,
            own.length,
            trimmed(board.tolerance),
            own.diameter
        );
        let half = 0.5 * letters_width(&text, 2.5) * sign;
        self.letters(at(0.5 * long - half, 2.5 * sign), 2.5, angle, &text);
        for (from, to, name) in &own.covers {
            self.line(Layer::Protections, vec![at(*from, 0.0), at(*to, 0.0)], name);
            let text = format!("{name} {:.0}–{:.0}", from, to);
            self.letters(
                at(0.5 * (from + to) - 0.5 * letters_width(&text, 2.0) * sign, -4.5 * sign),
                2.0,
                angle,
                &text,
            );
        }
        for (s, name) in &own.fixings {
            self.line(Layer::Fixings, vec![at(*s, -5.0), at(*s, 5.0)], name);
            self.marks.push((Layer::Fixings, Mark::Circle { centre: at(*s, 0.0), radius: 2.0 }));
            self.letters(at(*s + 0.8 * sign, 6.0 * sign), 2.0, angle, &format!("{name} at {s:.1}"));
        }
    }

    fn node(&mut self, board: &Board, index: usize, node: &super::BoardNode, at: [f64; 2]) {
        let degree = board.segments.iter().filter(|own| own.nodes.contains(&index)).count();
        match &node.component {
            Some(component) => {
                let [x, y] = at;
                let (w, h) = (6.0, 4.0);
                let corners =
                    vec![[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h], [x - w, y - h]];
                self.line(Layer::Connectors, corners, &node.name);
                self.letters([x + w + 1.5, y + 1.0], 3.5, 0.0, &node.name);
                self.letters([x + w + 1.5, y - 3.0], 2.0, 0.0, component);
            }
            None => {
                self.marks.push((Layer::Branches, Mark::Circle { centre: at, radius: 2.5 }));
                if degree != 2 {
                    self.letters([at[0] + 3.5, at[1] - 6.0], 2.0, 0.0, &node.name);
                }
            }
        }
    }

    fn scale(&mut self, board: &Board) {
        let (x, y) = (20.0, 14.0);
        self.line(Layer::Scale, vec![[x, y], [x + 100.0, y]], "100 mm");
        for i in 0..=10 {
            let tick = if i % 5 == 0 { 4.0 } else { 2.0 };
            let x = x + 10.0 * i as f64;
            self.line(Layer::Scale, vec![[x, y], [x, y + tick]], "");
        }
        self.letters([x, y - 5.0], 3.0, 0.0, "100 mm, 1:1; measure it before use");
        let text = format!("{}   lengths in mm, ±{} mm; grid 100 mm", board.title, trimmed(board.tolerance));
        self.letters([x + 110.0, y], 4.0, 0.0, &text);
    }
}

/// A number without needless digits.
fn trimmed(value: f64) -> String {
    format!("{value:.1}").trim_end_matches(".0").to_owned()
}

/// About how wide letters are.
fn letters_width(text: &str, height: f64) -> f64 {
    0.6 * height * text.chars().count() as f64
}
