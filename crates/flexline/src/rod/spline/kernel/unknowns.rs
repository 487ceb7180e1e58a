//! Where the coordinates of a spline rod are among the unknowns inside a span and those of its interface.
//!
//! Unknowns inside come in groups, one per control point but the first, with the tension, the roll and the b that
//! belong there: every element couples neighbours only, and a group has what its tension acts on, so that its pivot is
//! sound. Control points count from the first, which is the start of the span: all of them move with it besides. Where a frame is held, the control point
//! beside it has one unknown left, its distance λ from the end; it shares its group with the end itself, and both have
//! their tensions there: two lengths along a straight rod are not told apart by one tension.
//!
//! ```text
//! p_1 = x_0 + λ exp(ψ_a) t_a,     p_{N−2} = p_{N−1} − λ exp(ψ_b) t_b
//! ```

use crate::algebra::block_ldl::BlockPattern;
use crate::algebra::{Vec3, rotation};
use crate::rod::Rod;
use crate::rod::kernel::{FORCE, Layout, TURN_A, TURN_B};
use crate::rod::spline::SplineRod;

/// Columns of the interface: ψ_a, x_0, ψ_b, y, and the length.
pub(super) const FACES: usize = 13;
pub(super) const LENGTH: usize = FORCE + 3;

/// One unknown, inside or of the interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    /// Group, place in the group, place in the flat vector.
    Inner(usize, usize, usize),
    Face(usize),
}

/// What a coordinate moves with.
pub(super) type Combination = Vec<(Slot, f64)>;

/// The unknowns of a span.
#[derive(Clone, Debug)]
pub(super) struct Unknowns {
    pub(super) pattern: BlockPattern,
    pub(super) count: usize,
    /// Every tangent coordinate, then every tension; that control points move with the start is left out.
    pub(super) maps: Vec<Combination>,
    /// λ at the start and at the end, where frames are held.
    pub(super) reaches: [Option<Slot>; 2],
    controls: usize,
}

/// Counts the unknowns of every group as they come.
struct Groups(Vec<usize>);

impl Groups {
    fn take(&mut self, group: usize) -> Slot {
        self.0[group] += 1;
        Slot::Inner(group, self.0[group] - 1, 0)
    }
}

impl Unknowns {
    pub(super) fn new(rod: &SplineRod, layout: &Layout) -> Self {
        let (controls, n) = (rod.controls(), rod.elements());
        let last = controls - 2 - usize::from(layout.clamped[1]);
        let mut groups = Groups(vec![0; last + 1]);
        let mut maps: Vec<Combination> = vec![Vec::new(); rod.tangent_count() + rod.tensions()];
        let mut reaches = [None; 2];
        for i in 0..controls {
            if i == 1 && layout.clamped[0] {
                reaches[0] = Some(groups.take(0));
            } else if i == controls - 2 && layout.clamped[1] {
                reaches[1] = Some(groups.take(i - 1));
            } else {
                for map in maps[3 * i..3 * i + 3].iter_mut().filter(|_| i > 0) {
                    map.push((groups.take((i - 1).min(last)), 1.0));
                }
            }
        }
        // Rolls and tensions in units in which their entries are as large as those of control points: pivots of a
        // group are told from round-off by their size.
        let per_angle = |e: usize| 1.0 / (rod.knots.share(e) * rod.length());
        for e in 0..n {
            // Roll at the beginning of the element, and b.
            let first = rod.knots.first[e];
            if e > 0 || !layout.clamped[0] {
                maps[rod.tangent_index(e, 12)] = vec![(groups.take(first), per_angle(e))];
            }
            maps[rod.tangent_index(e, 14)] = vec![(groups.take(first + 1), per_angle(e))];
        }
        if !layout.clamped[1] {
            maps[rod.tangent_index(n - 1, 13)] = vec![(groups.take(controls - 3), per_angle(n - 1))];
        }
        for (j, weight) in rod.tension_weights().iter().enumerate() {
            let stiffness = rod.mean_stiffness() / (weight * rod.length()).powi(3);
            maps[rod.tangent_count() + j] = vec![(groups.take(j.min(last)), stiffness)];
        }
        let mut couplings = Vec::new();
        for first in &rod.knots.first {
            // Control points first … first + 3; the first of all has no group.
            let own = first.saturating_sub(1)..(first + 3).min(last + 1);
            couplings.extend(own.clone().flat_map(|a| own.clone().map(move |b| (a, b))));
        }
        let ranks: Vec<usize> = (0..=last).collect();
        let pattern = BlockPattern::new(&groups.0, &couplings, &ranks);
        let flat = |slot: &mut Slot| {
            if let Slot::Inner(group, local, place) = slot {
                *place = pattern.offset(*group) + *local;
            }
        };
        maps.iter_mut().flatten().for_each(|(slot, _)| flat(slot));
        reaches.iter_mut().flatten().for_each(flat);
        Self { count: pattern.unknowns(), pattern, maps, reaches, controls }
    }

    /// Learns where the ends are now: tangents and distances of the control points beside them.
    pub(super) fn hold(&mut self, rod: &SplineRod, c: &[f64]) {
        let n = self.controls;
        for (side, at, end, turn) in [(0, 1, 0, TURN_A), (1, n - 2, n - 1, TURN_B)] {
            let Some(own) = self.reaches[side] else { continue };
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let reach = rod.control(c, at) - rod.control(c, end);
            let tangent = reach.normalize() * sign;
            for axis in 0..3 {
                let base = std::mem::take(&mut self.maps[3 * end + axis]);
                let map = &mut self.maps[3 * at + axis];
                map.clear();
                map.extend_from_slice(&base);
                for k in 0..3 {
                    let mut unit = Vec3::zeros();
                    unit[k] = 1.0;
                    map.push((Slot::Face(turn + k), unit.cross(&reach)[axis]));
                }
                map.push((own, sign * tangent[axis]));
                self.maps[3 * end + axis] = base;
            }
            let roll = rod.tangent_index(if side == 0 { 0 } else { rod.elements() - 1 }, 12 + side);
            self.maps[roll].clear();
            self.maps[roll].extend((0..3).map(|k| (Slot::Face(turn + k), tangent[k])));
        }
    }

    /// Puts the control points beside held ends on their tangents, the ends being where they are.
    pub(super) fn place_beside(
        &self,
        rod: &SplineRod,
        c: &mut [f64],
        side: usize,
        reach: f64,
        tangent: &Vec3,
    ) {
        let n = self.controls;
        let (at, end, sign) = if side == 0 { (1, 0, 1.0) } else { (n - 2, n - 1, -1.0) };
        let x = rod.control(c, end) + tangent * (sign * reach);
        rod.set_control(c, at, &x);
    }

    /// The distance λ of the control point beside an end, and the tangent there.
    pub(super) fn reach(&self, rod: &SplineRod, c: &[f64], side: usize) -> (f64, Vec3) {
        let n = self.controls;
        let (a, b) = if side == 0 { (0, 1) } else { (n - 2, n - 1) };
        let d = rod.control(c, b) - rod.control(c, a);
        (d.norm(), d.normalize())
    }
}

/// Angle by which a frame must roll about its tangent to meet another with the same tangent, rad.
pub(super) fn roll_between(from: &crate::algebra::Quat, to: &crate::algebra::Quat) -> f64 {
    rotation::log(&(from.conjugate() * to)).z
}
