//! A small vector drawing: filled and stroked paths and labels, in pixels with y down.
//!
//! One drawing gives both outputs: [`Drawing::to_svg`] with live text, and [`Drawing::to_png`] with the
//! embedded font, so that neither needs a font on the machine that makes it.

mod colour;
mod font;
mod path;
mod raster;
mod svg;
pub(crate) mod theme;

pub use colour::Colour;
pub use path::{Path, Segment};

use crate::error::PlotError;

/// Smallest and largest side of a picture, px.
pub(crate) const SIDES: [f64; 2] = [120.0, 20_000.0];

/// How a path is stroked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub colour: Colour,
    /// Width, px.
    pub width: f64,
    /// Lengths of dash and gap, px; solid when absent.
    pub dash: Option<[f64; 2]>,
    /// Round ends and corners; otherwise cut square at the ends.
    pub round: bool,
}

impl Stroke {
    /// A solid line with square ends.
    pub fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, dash: None, round: false }
    }

    /// The same line with round ends and corners.
    pub fn round(self) -> Self {
        Self { round: true, ..self }
    }

    /// The same line, dashed.
    pub fn dashed(self, dash: f64, gap: f64) -> Self {
        Self { dash: Some([dash, gap]), ..self }
    }
}

/// A path with its paint.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Outline.
    pub path: Path,
    /// Inside, when filled.
    pub fill: Option<Colour>,
    /// Line, when stroked.
    pub stroke: Option<Stroke>,
}

/// Width of the white rim on each side of a haloed label, px.
const HALO: f64 = 1.8;

/// Which point of a label its position names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Left end of the baseline.
    Start,
    /// Middle of the baseline.
    Middle,
    /// Right end of the baseline.
    End,
}

/// Whether a run of text sits on the baseline, below it or above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// On the baseline.
    Normal,
    /// Subscript.
    Sub,
    /// Superscript.
    Super,
}

/// One line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Anchor point, px.
    pub at: [f64; 2],
    /// Size of the font, px.
    pub size: f64,
    /// Colour.
    pub colour: Colour,
    /// What `at` means.
    pub anchor: Anchor,
    /// Bold face.
    pub bold: bool,
    /// Turned to read from bottom to top.
    pub upward: bool,
    /// A white rim, for text on top of other things.
    pub halo: bool,
    /// Text in runs.
    pub runs: Vec<(String, Script)>,
}

impl Label {
    /// A line of plain text, starting at `at`.
    pub fn new(at: [f64; 2], size: f64, colour: Colour, text: impl Into<String>) -> Self {
        let runs = vec![(text.into(), Script::Normal)];
        Self { at, size, colour, anchor: Anchor::Start, bold: false, upward: false, halo: false, runs }
    }

    /// A line of text in which `_x` and `^x` (or `_{xyz}`, `^{xyz}`) are sub- and superscripts.
    pub fn marked(at: [f64; 2], size: f64, colour: Colour, text: &str) -> Self {
        Self { runs: font::markup(text), ..Self::new(at, size, colour, "") }
    }

    /// The same label with another anchor.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same label in bold.
    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// The same label, reading from bottom to top.
    pub fn upward(self) -> Self {
        Self { upward: true, ..self }
    }

    /// The same label with a white rim.
    pub fn haloed(self) -> Self {
        Self { halo: true, ..self }
    }

    /// The same label made to fit into `width` px: smaller down to two thirds, then cut short.
    pub fn fitted(mut self, width: f64) -> Self {
        let full = self.width();
        if full <= width {
            return self;
        }
        self.size *= (width / full).max(2.0 / 3.0);
        if self.width() > width {
            let plain = self.text();
            let mut kept: Vec<char> = plain.chars().collect();
            while !kept.is_empty() && self.width() > width {
                kept.truncate((kept.len() - 1).min(kept.len() * 9 / 10 + 1));
                self.runs = vec![(kept.iter().collect::<String>() + "…", Script::Normal)];
            }
        }
        self
    }

    /// Width of the line in the embedded font, px.
    pub fn width(&self) -> f64 {
        font::width(self)
    }

    /// The text without its markup.
    pub fn text(&self) -> String {
        self.runs.iter().map(|(text, _)| text.as_str()).collect()
    }
}

/// One thing drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A path.
    Shape(Shape),
    /// A line of text.
    Label(Label),
}

/// An axis-aligned rectangle, px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left side.
    pub x: f64,
    /// Top side.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// A rectangle from its left top corner and its size.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// Right side.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Bottom side.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Middle.
    pub fn centre(&self) -> [f64; 2] {
        [self.x + 0.5 * self.width, self.y + 0.5 * self.height]
    }

    /// The rectangle with margins taken off; never smaller than a pixel.
    pub fn inset(&self, left: f64, top: f64, right: f64, bottom: f64) -> Self {
        let (width, height) = ((self.width - left - right).max(1.0), (self.height - top - bottom).max(1.0));
        Self { x: self.x + left, y: self.y + top, width, height }
    }

    /// Whether the point lies inside or on the border.
    pub fn contains(&self, p: [f64; 2]) -> bool {
        p[0] >= self.x && p[0] <= self.right() && p[1] >= self.y && p[1] <= self.bottom()
    }
}

/// A picture, back to front, on an opaque white page.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Width, px.
    pub width: f64,
    /// Height, px.
    pub height: f64,
    /// Title for readers that do not see the picture.
    pub title: String,
    /// What the picture shows, for the same readers.
    pub description: String,
    /// What is drawn, back to front.
    pub items: Vec<Item>,
}

impl Drawing {
    /// An empty page; each side must be 120 to 20,000 px.
    pub fn new(width: f64, height: f64, title: impl Into<String>) -> Result<Self, PlotError> {
        let [least, most] = SIDES;
        if !(least..=most).contains(&width) || !(least..=most).contains(&height) {
            return Err(PlotError::Size { width, height, least, most });
        }
        Ok(Self { width, height, title: title.into(), description: String::new(), items: Vec::new() })
    }

    /// The whole page.
    pub fn page(&self) -> Rect {
        Rect::new(0.0, 0.0, self.width, self.height)
    }

    /// Adds a filled path.
    pub fn fill(&mut self, path: Path, colour: Colour) {
        self.shape(path, Some(colour), None);
    }

    /// Adds a stroked path.
    pub fn stroke(&mut self, path: Path, stroke: Stroke) {
        self.shape(path, None, Some(stroke));
    }

    /// Adds a path; an empty one is left out.
    pub fn shape(&mut self, path: Path, fill: Option<Colour>, stroke: Option<Stroke>) {
        if !path.segments.is_empty() {
            self.items.push(Item::Shape(Shape { path, fill, stroke }));
        }
    }

    /// Adds a label; an empty one is left out.
    pub fn label(&mut self, label: Label) {
        if label.runs.iter().any(|(text, _)| !text.is_empty()) {
            self.items.push(Item::Label(label));
        }
    }

    /// The picture as an SVG document with live text.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }

    /// The picture as a PNG file `width_px` wide; the height follows.
    pub fn to_png(&self, width_px: u32) -> Result<Vec<u8>, PlotError> {
        raster::png(self, width_px)
    }
}
