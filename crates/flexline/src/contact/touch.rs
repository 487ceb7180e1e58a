//! Where a segment comes nearest to one feature of a surface: to a line, to a point.

use crate::algebra::{Mat3, Vec3, rotation};

/// By how much the cone of normals of a sharp edge or corner is opened, as a sine. A segment that lies on a face and
/// leaves it over a rim is nearest to that rim in the limit only; a little tilt must not hide it, or contacts would
/// come and go with round-off. The distance found then differs from the true one by a share of SLACK²/2.
pub(super) const SLACK: f64 = 0.02;
/// A segment whose distance from a line changes by less than this share of itself is parallel to it: its ends are taken
/// instead of one place that jumps about. In between it may be nearer, by a share of PARALLEL²/8.
const PARALLEL: f64 = 1e-2;
/// Bends of a surface below this angle, rad, are none.
pub(super) const FLAT: f64 = 1e-4;
/// Touches of one segment whose places differ by less than this share of their distance are one.
const SAME: f64 = 1.5 * SLACK;
/// Shares nearer than this to an end of the segment are that end.
const AT_END: f64 = 1e-12;

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

/// Kinds of features; with an index they make [`Touch::feature`].
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Face = 0,
    Edge = 1,
    Corner = 2,
}

impl Kind {
    /// The number of the feature with this index.
    pub(super) fn number(self, index: usize) -> u64 {
        ((self as u64) << 48) | index as u64
    }
}

/// A segment of an axis, in the axes of the obstacle, and how far away surfaces matter to it.
pub(super) struct Segment {
    pub a: Vec3,
    pub along: Vec3,
    pub reach: f64,
}

impl Segment {
    /// The point at a share of the way.
    pub(super) fn at(&self, share: f64) -> Vec3 {
        if share == 1.0 { self.a + self.along } else { self.a + self.along * share }
    }

    /// The shares at the ends, once where they are one point.
    pub(super) fn ends(&self) -> &'static [f64] {
        if self.along == Vec3::zeros() { &[0.0] } else { &[0.0, 1.0] }
    }

    /// Where the segment is nearest to the line through `point` along the unit vector `axis`: one place, or both ends
    /// where it is parallel.
    pub(super) fn nearest_to_line(&self, point: &Vec3, axis: &Vec3) -> Places {
        let across = |v: Vec3| v - axis * axis.dot(&v);
        let (start, along) = (across(self.a - point), across(self.along));
        let share = nearest_share(&start, &along);
        let distance = (start + along * share).norm();
        if along.norm() <= PARALLEL * distance {
            return Places { shares: [0.0, 1.0], count: self.ends().len() };
        }
        Places { shares: [share; 2], count: 1 }
    }

    /// Where the segment is nearest to a point.
    pub(super) fn nearest_to_point(&self, point: &Vec3) -> f64 {
        nearest_share(&(self.a - point), &self.along)
    }
}

/// One or two shares of a segment.
pub(super) struct Places {
    shares: [f64; 2],
    count: usize,
}

impl Places {
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares[..self.count]
    }
}

/// The share 0 … 1 at which `start` + share `along` is shortest.
fn nearest_share(start: &Vec3, along: &Vec3) -> f64 {
    let square = along.norm_squared();
    if square == 0.0 {
        return 0.0;
    }
    let share = -start.dot(along) / square;
    match share {
        s if s <= AT_END => 0.0,
        s if s >= 1.0 - AT_END => 1.0,
        s => s,
    }
}

/// Direction and length of `v`; a vector without length gets a direction across `along`.
pub(super) fn direction(v: &Vec3, along: &Vec3) -> (Vec3, f64) {
    let length = v.norm();
    if length > f64::MIN_POSITIVE {
        return (v / length, length);
    }
    let across = along.try_normalize(f64::MIN_POSITIVE).map_or(Vec3::z(), |t| rotation::across(&t));
    (across, 0.0)
}

/// Second derivative of the distance from a point: (I − n nᵀ)/d.
pub(super) fn point_hessian(normal: &Vec3, distance: f64) -> Mat3 {
    (Mat3::identity() - normal * normal.transpose()) / distance
}

/// Second derivative of the distance from a line along `axis`: (I − n nᵀ − e eᵀ)/d.
pub(super) fn line_hessian(normal: &Vec3, axis: &Vec3, distance: f64) -> Mat3 {
    (Mat3::identity() - normal * normal.transpose() - axis * axis.transpose()) / distance
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
