//! What the views show: tubes in space and the loads on them.

use crate::colour_map::ColourScale;
use crate::drawing::Colour;
use crate::error::{LARGEST_COORDINATE, LARGEST_VALUE, PlotError, check, check_count, check_length};
use nalgebra::Vector3;

/// How an end of a tube is held, for the mark drawn there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// Position and frame held: a block.
    Clamped,
    /// Position held: a ball on a foot.
    Pinned,
    /// Nothing held: the bare cut.
    #[default]
    Free,
    /// Joined to the other end; nothing is drawn.
    Joined,
}

/// Colour of a tube.
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// One colour.
    Plain(Colour),
    /// A value per station, coloured by the scale of the subject.
    Values(Vec<f64>),
}

/// A tube along a centreline; all lists have one entry per station.
#[derive(Clone, Debug, PartialEq)]
pub struct Tube {
    /// Centreline, m.
    pub centre: Vec<[f64; 3]>,
    /// Material frames (w, x, y, z), material to world, d3 along the centreline.
    pub frames: Vec<[f64; 4]>,
    /// Radius, m.
    pub radius: Vec<f64>,
    /// Colour.
    pub paint: Paint,
    /// Whether a line is painted along d1, which winds where the tube is twisted.
    pub stripe: bool,
    /// The two ends.
    pub ends: [End; 2],
}

/// A surface of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Corners of every triangle, m; counter-clockwise from outside where the surface is closed.
    pub triangles: Vec<[[f64; 3]; 3]>,
    /// Colour.
    pub colour: Colour,
    /// Whether it is seen from outside alone, as what is closed; else from both sides.
    pub closed: bool,
    /// Whether what is behind shows through.
    pub glassy: bool,
}

/// What a load vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadKind {
    /// A force, N: one arrow head.
    Force,
    /// A moment, N m: two arrow heads, right-handed about the arrow.
    Moment,
}

/// A load, drawn as an arrow from its point of application.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Point of application, m.
    pub at: [f64; 3],
    /// Force or moment, world axes.
    pub vector: [f64; 3],
    /// Force or moment.
    pub kind: LoadKind,
}

/// Tubes with their loads and the meaning of their colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// Title of the picture.
    pub title: String,
    /// The tubes.
    pub tubes: Vec<Tube>,
    /// What they cannot enter.
    pub solids: Vec<Solid>,
    /// Loads.
    pub loads: Vec<Load>,
    /// Colours of [`Paint::Values`] and the legend.
    pub scale: Option<ColourScale>,
}

impl Subject {
    /// Checks every number; all drawing below relies on it.
    pub(crate) fn check(&self) -> Result<(), PlotError> {
        check_count("tubes", self.tubes.len(), 1)?;
        for (i, tube) in self.tubes.iter().enumerate() {
            tube.check(&format!("tubes[{i}]"), self.scale.is_some())?;
        }
        for solid in &self.solids {
            for (i, corner) in solid.triangles.iter().flatten().enumerate() {
                for c in corner {
                    check("solid", i, *c, LARGEST_COORDINATE)?;
                }
            }
        }
        for (i, load) in self.loads.iter().enumerate() {
            for (at, vector) in load.at.iter().zip(&load.vector) {
                check("load position", i, *at, LARGEST_COORDINATE)?;
                check("load", i, *vector, LARGEST_VALUE)?;
            }
        }
        if let Some(scale) = &self.scale {
            for (i, value) in scale.range.iter().enumerate() {
                check("colour scale range", i, *value, LARGEST_VALUE)?;
            }
        }
        Ok(())
    }

    /// The corners of all solids, m.
    pub(crate) fn corners(&self) -> impl Iterator<Item = [f64; 3]> {
        self.solids.iter().flat_map(|solid| solid.triangles.iter().flatten().copied())
    }

    /// Corners of the box that holds every tube with its radius, every solid and every loaded point, m.
    pub(crate) fn bounds(&self) -> [Vector3<f64>; 2] {
        let mut lo = Vector3::repeat(f64::INFINITY);
        let mut hi = Vector3::repeat(f64::NEG_INFINITY);
        let mut include = |p: [f64; 3], r: f64| {
            let p = Vector3::from(p);
            lo = lo.inf(&p.add_scalar(-r));
            hi = hi.sup(&p.add_scalar(r));
        };
        for tube in &self.tubes {
            tube.centre.iter().zip(&tube.radius).for_each(|(p, r)| include(*p, *r));
        }
        self.corners().for_each(|p| include(p, 0.0));
        self.loads.iter().for_each(|load| include(load.at, 0.0));
        [lo, hi]
    }
}

impl Tube {
    fn check(&self, place: &str, has_scale: bool) -> Result<(), PlotError> {
        let n = self.centre.len();
        check_count(&format!("{place}.centre"), n, 2)?;
        check_length(&format!("{place}.frames"), self.frames.len(), n, "the centreline")?;
        check_length(&format!("{place}.radius"), self.radius.len(), n, "the centreline")?;
        for i in 0..n {
            for c in self.centre[i] {
                check(&format!("{place}.centre"), i, c, LARGEST_COORDINATE)?;
            }
            for c in self.frames[i] {
                check(&format!("{place}.frames"), i, c, LARGEST_VALUE)?;
            }
            let norm = self.frames[i].iter().map(|c| c * c).sum::<f64>().sqrt();
            if !(0.5..2.0).contains(&norm) {
                let what = format!("norm of {place}.frames");
                return Err(PlotError::OutOfRange { what, index: i, value: norm, expected: "1" });
            }
            let r = self.radius[i];
            check(&format!("{place}.radius"), i, r, LARGEST_COORDINATE)?;
            if r < 0.0 {
                let (what, expected) = (format!("{place}.radius"), "zero or more");
                return Err(PlotError::OutOfRange { what, index: i, value: r, expected });
            }
        }
        if let Paint::Values(values) = &self.paint {
            check_length(&format!("{place}.paint"), values.len(), n, "the centreline")?;
            if !has_scale {
                return Err(PlotError::NoScale(place.into()));
            }
            for (i, value) in values.iter().enumerate() {
                check(&format!("{place}.paint"), i, *value, LARGEST_VALUE)?;
            }
        }
        Ok(())
    }
}
