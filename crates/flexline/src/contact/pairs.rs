//! Which segments of moving rods may meet: pairs whose boxes overlap, from a hierarchy that is kept from call to call.

use super::mesh::vector;
use crate::algebra::Vec3;
use crate::body::pose::is_finite;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// After so many calls the hierarchy is made anew: what was side by side may have parted.
const REBUILD: usize = 64;

/// The axis of a rod on its way.
#[derive(Clone, Copy, Debug)]
pub struct MovingRod<'a> {
    /// Its nodes before.
    pub from: &'a [Vec3],
    /// Its nodes after; the same ones where it rests.
    pub to: &'a [Vec3],
    /// How far around its axis it may meet something, m.
    pub reach: f64,
    /// Whether its last node is joined to its first.
    pub closed: bool,
    /// Segments of this rod nearer to each other than this along it, m, are no pair; neighbours never are.
    pub apart: f64,
}

impl MovingRod<'_> {
    /// How many segments it has.
    pub fn segments(&self) -> usize {
        let nodes = self.from.len().min(self.to.len());
        if self.closed && nodes > 2 { nodes } else { nodes.saturating_sub(1) }
    }

    /// The box of a segment over its whole way, if it is somewhere.
    fn extent(&self, segment: usize) -> Option<Aabb> {
        let next = (segment + 1) % self.from.len();
        let corners = [self.from[segment], self.from[next], self.to[segment], self.to[next]];
        if !corners.iter().all(is_finite) {
            return None;
        }
        let low = corners.iter().fold(corners[0], |m, p| m.inf(p)) - Vec3::repeat(self.reach);
        let high = corners.iter().fold(corners[0], |m, p| m.sup(p)) + Vec3::repeat(self.reach);
        Some(Aabb::new(vector(&low), vector(&high)))
    }
}

/// A segment of one of several rods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentOf {
    /// Which rod.
    pub rod: u32,
    /// Which of its segments.
    pub segment: u32,
}

/// Finds pairs of segments that may meet. Nothing is allocated once it has seen as many segments.
#[derive(Default)]
pub struct PairSearch {
    hierarchy: Bvh,
    workspace: BvhWorkspace,
    places: Vec<Place>,
    boxes: Vec<Aabb>,
    lengths: Vec<f64>,
    calls: usize,
}

/// A leaf of the hierarchy: the segment, the arc lengths of its rod at which it begins and ends, whether it is somewhere.
struct Place {
    of: SegmentOf,
    begin: f64,
    end: f64,
    is_sound: bool,
}

impl PairSearch {
    /// Replaces `out` by all pairs of segments whose boxes, widened by their rods' reach and swept over their ways,
    /// overlap, in order. Segments whose nodes are no numbers are in none.
    pub fn find(&mut self, rods: &[MovingRod<'_>], out: &mut Vec<[SegmentOf; 2]>) {
        out.clear();
        let count = self.boxes.len();
        self.measure(rods);
        if self.boxes.is_empty() {
            return;
        }
        if self.boxes.len() == count {
            for (leaf, extent) in self.boxes.iter().enumerate() {
                self.hierarchy.insert_or_update_partially(*extent, leaf as u32, 0.0);
            }
            self.calls += 1;
            if self.calls.is_multiple_of(REBUILD) {
                self.hierarchy.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
            }
            self.hierarchy.refit(&mut self.workspace);
        } else {
            self.hierarchy = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
        }
        let (places, lengths) = (&self.places, &self.lengths);
        self.hierarchy.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            let (a, b) = (&places[a.min(b) as usize], &places[a.max(b) as usize]);
            if a.is_sound
                && b.is_sound
                && !is_near(a, b, &rods[a.of.rod as usize], lengths[a.of.rod as usize])
            {
                out.push([a.of, b.of]);
            }
        });
        out.sort_unstable();
    }

    /// Boxes and arc lengths of all segments.
    fn measure(&mut self, rods: &[MovingRod<'_>]) {
        self.places.clear();
        self.boxes.clear();
        self.lengths.clear();
        for (rod, moving) in rods.iter().enumerate() {
            let mut begin = 0.0;
            for segment in 0..moving.segments() {
                let next = (segment + 1) % moving.from.len();
                let end = begin + (moving.from[next] - moving.from[segment]).norm();
                let of = SegmentOf { rod: rod as u32, segment: segment as u32 };
                // A box that is no number would hide its neighbours in the hierarchy.
                let extent = moving.extent(segment);
                self.places.push(Place { of, begin, end, is_sound: extent.is_some() });
                self.boxes.push(extent.unwrap_or(Aabb::new(Vector::ZERO, Vector::ZERO)));
                begin = end;
            }
            self.lengths.push(begin);
        }
    }
}

/// Whether two segments, the first before the second, are neighbours or too near along one rod.
fn is_near(a: &Place, b: &Place, rod: &MovingRod<'_>, length: f64) -> bool {
    if a.of.rod != b.of.rod {
        return false;
    }
    let around = rod.closed.then_some(length - b.end + a.begin);
    let next_to = b.of.segment == a.of.segment + 1
        || (rod.closed && a.of.segment == 0 && b.of.segment as usize + 1 == rod.segments());
    next_to || b.begin - a.end < rod.apart || around.is_some_and(|around| around < rod.apart)
}
