//! What is said of a place where a rod may touch.

use super::feature::Field;
use super::segment::Segment;
use crate::algebra::{Mat3, Vec3};

/// By how much the cone of normals of a sharp edge or corner is opened, as a sine. A segment that lies on a face and
/// leaves it over a rim is nearest to that rim in the limit only; a little tilt must not hide it, or contacts would
/// come and go with round-off. The distance found then differs from the true one by a share of SLACK²/2.
pub(super) const SLACK: f64 = 0.02;
/// Bends of a surface below this angle, rad, are none.
pub(super) const FLAT: f64 = 1e-4;
/// Touches of one segment whose places differ by less than this share of their distance are one.
const SAME: f64 = 1.5 * SLACK;

/// Bits of an index; the kind of a feature stands above them.
const KIND: u32 = 48;

/// A place where a segment of a rod's axis comes nearest to a surface, world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Place along the segment, 0 … 1. Exactly 0 or 1 is an end, where the distance may still fall beyond; in
    /// between, the distance does not change with the place.
    pub share: f64,
    /// The point of the axis.
    pub at: Vec3,
    /// The nearest point of the surface.
    pub surface: Vec3,
    /// Unit vector from the surface to the axis: the gradient of the distance.
    pub normal: Vec3,
    /// From the surface to the axis, m; negative inside solids. Meshes are shells: their distances have no sign.
    pub distance: f64,
    /// Second derivative of the distance to this feature by the point of the axis, 1/m.
    pub hessian: Mat3,
    /// Which face, edge or corner it is: the same number while the same one is touched.
    pub feature: u64,
}

impl Touch {
    /// Whether it is on a face, or on what has none: on no edge or corner.
    pub fn is_on_face(&self) -> bool {
        self.feature >> KIND == 0
    }
}

/// Kinds of features; with an index they make [`Touch::feature`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Face = 0,
    Edge = 1,
    Corner = 2,
}

impl Kind {
    /// The number of the feature with this index.
    pub(super) fn number(self, index: usize) -> u64 {
        ((self as u64) << KIND) | index as u64
    }

    /// The kind and index of a number.
    pub(super) fn of(feature: u64) -> (Self, usize) {
        let kind = match feature >> KIND {
            0 => Self::Face,
            1 => Self::Edge,
            _ => Self::Corner,
        };
        (kind, (feature & ((1 << KIND) - 1)) as usize)
    }
}

/// Adds the place of a segment at `share` if it is in reach; one that is no number never is.
pub(super) fn push(segment: &Segment, share: f64, field: &Field, feature: u64, out: &mut Vec<Touch>) {
    let Field { distance, normal, hessian } = *field;
    if distance < segment.reach {
        let at = segment.at(share);
        out.push(Touch { share, at, surface: at - normal * distance, normal, distance, hessian, feature });
    }
}

/// Leaves out touches from `start` on that say the same as a nearer one: a place on the border of two features is found
/// by both.
pub(super) fn settle(out: &mut Vec<Touch>, start: usize) {
    let is_end = |share: f64| share == 0.0 || share == 1.0;
    let mut kept = start;
    for i in start..out.len() {
        let new = out[i];
        let same = |old: &Touch| {
            let close = SAME * new.distance.abs().max(old.distance.abs());
            let places = if is_end(new.share) || is_end(old.share) {
                new.share == old.share
            } else {
                (new.at - old.at).norm() <= close
            };
            places && (new.surface - old.surface).norm() <= close
        };
        match (start..kept).find(|&k| same(&out[k])) {
            // By distance, then by number: the answer does not depend on the order of the search.
            Some(k) if (new.distance, new.feature) < (out[k].distance, out[k].feature) => out[k] = new,
            Some(_) => {}
            None => {
                out[kept] = new;
                kept += 1;
            }
        }
    }
    out.truncate(kept);
}
