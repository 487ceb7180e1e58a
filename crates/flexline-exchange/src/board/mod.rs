//! Form boards: a harness laid flat at 1:1, every segment as long as it is, no two across each other.
//!
//! The longest way through the harness lies straight; branches leave at the angle asked for where there is room, else at another, and where
//! there is none anywhere the whole is laid in wedges, which cannot cross (`layout.rs`). Rings are cut open. What is drawn are lines, circles and
//! letters in millimetres (`sheet.rs`), written as SVG, as PDF in tiles, and as DXF.

mod dxf;
mod layout;
mod pdf;
mod sheet;
mod svg;

pub use layout::Laid;
pub use pdf::Paper;
pub use sheet::{Layer, Sheet};

/// A segment of the harness.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardSegment {
    /// What it is called.
    pub name: String,
    /// Its length, mm.
    pub length: f64,
    /// The nodes it begins and ends in.
    pub nodes: [usize; 2],
    /// Its outer diameter, mm.
    pub diameter: f64,
    /// How many wires are in it, where that is known.
    pub wires: Option<usize>,
    /// Fixings: place from its beginning, mm, and name.
    pub fixings: Vec<(f64, String)>,
    /// Covered stretches: from, to, mm, and with what.
    pub covers: Vec<(f64, f64, String)>,
}

/// A node of the harness.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardNode {
    /// What it is called.
    pub name: String,
    /// What is there, where something is: a connector with its number.
    pub component: Option<String>,
}

/// A harness to be laid flat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// A line for the title.
    pub title: String,
    /// Nodes.
    pub nodes: Vec<BoardNode>,
    /// Segments.
    pub segments: Vec<BoardSegment>,
    /// The angle at which branches leave, degrees.
    pub angle: f64,
    /// What lengths may be off, mm, as it is lettered.
    pub tolerance: f64,
}

impl Board {
    /// The drawing.
    pub fn sheet(&self) -> (Sheet, Laid) {
        let laid = layout::lay(self);
        (Sheet::of(self, &laid), laid)
    }
}

#[cfg(test)]
mod tests;
