//! A spline rod along given stations.

use super::LengthRoom;
use super::{POINTS, SplineRod};
use crate::algebra::band::Banded;
use crate::algebra::{Mat3, Vec3, rotation};
use crate::geometry::darboux::{ClothoidElement, CurvePoint};
use crate::rod::curvature::CurvatureError;
use crate::rod::{Rod, RodState, Station};

/// Stretches of an element over which twist is followed. Frames may turn by less than half a turn from one to the
/// next.
const STRETCHES: usize = 16;

/// Scalars left of the diagonal: three control points and two axes.
const WIDTH: usize = 11;

/// Control points by least squares with both ends and the tangents there met, twists from the frames, then the length
/// restored. A shape that the rod can take is found exactly.
pub(super) fn state(rod: &SplineRod, shape: &dyn Fn(f64) -> Station) -> RodState {
    let n = rod.controls();
    let length = rod.length();
    let mut c = vec![0.0; rod.coordinate_count()];
    let ends = [shape(0.0), shape(length)];
    let frames = ends.map(|end| rotation::matrix(&end.frame));
    // The control points beside the ends move along the tangents alone.
    let axes = |i: usize| match i {
        1 => frames[0],
        _ if i == n - 2 => frames[1],
        _ => Mat3::identity(),
    };
    let mut known = vec![0.0; 3 * n];
    let mut held = Vec::new();
    for (i, x) in [(0, ends[0]), (1, ends[0]), (n - 2, ends[1]), (n - 1, ends[1])] {
        let own = axes(i).tr_mul(&x.position);
        for axis in 0..if i == 0 || i == n - 1 { 3 } else { 2 } {
            known[3 * i + axis] = own[axis];
            held.push(3 * i + axis);
        }
    }
    let mut gram = Banded::zeros(3 * n, WIDTH);
    let mut right = vec![0.0; 3 * n];
    for (k, point) in rod.points.iter().enumerate() {
        let e = k / POINTS;
        let s = (rod.knots.ends[e] + point.xi * rod.knots.share(e)) * length;
        let x = shape(s).position;
        let first = rod.knots.first[e];
        for i in 0..4 {
            let own = axes(first + i);
            let weight = point.weight * point.values.cubic[i];
            for a in 0..3 {
                right[3 * (first + i) + a] += weight * own.column(a).dot(&x);
            }
            for j in 0..=i {
                let both = own.tr_mul(&axes(first + j)) * (weight * point.values.cubic[j]);
                for a in 0..3 {
                    for b in 0..if i == j { a + 1 } else { 3 } {
                        gram.add(3 * (first + i) + a, 3 * (first + j) + b, both[(a, b)]);
                    }
                }
            }
        }
    }
    // What is held goes to the other side.
    let mut product = vec![0.0; 3 * n];
    gram.times(&known, &mut product);
    for (r, p) in right.iter_mut().zip(&product) {
        *r -= p;
    }
    for k in held {
        gram.hold(k);
        right[k] = known[k];
    }
    if gram.factorise().is_ok() {
        gram.solve(&mut right);
    }
    for i in 0..n {
        let x = axes(i) * Vec3::new(right[3 * i], right[3 * i + 1], right[3 * i + 2]);
        rod.set_control(&mut c, i, &x);
    }
    rod.restore_length(&mut c, frames.map(|frame| Some(frame.column(2).into())), &mut LengthRoom::default());
    rod.set_first_frame(&mut c, &ends[0].frame);
    twist(rod, shape, &mut c);
    RodState { coordinates: c, twist: Vec::new() }
}

impl SplineRod {
    /// Moves the control points so that the points of the quadrature shift as said, by least squares, and rolls the
    /// frames between elements as frames beside them turn, in material axes.
    pub(crate) fn move_points(
        &self,
        state: &mut RodState,
        shift: &dyn Fn(usize) -> Vec3,
        turn: &dyn Fn(usize) -> Vec3,
    ) {
        let n = self.controls();
        let mut gram = Banded::zeros(n, 3);
        let mut right = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        for (k, point) in self.points.iter().enumerate() {
            let first = self.knots.first[k / POINTS];
            let own = shift(k);
            for i in 0..4 {
                let weight = point.weight * point.values.cubic[i];
                for (axis, right) in right.iter_mut().enumerate() {
                    right[first + i] += weight * own[axis];
                }
                for j in 0..=i {
                    gram.add(first + i, first + j, weight * point.values.cubic[j]);
                }
            }
        }
        if gram.factorise().is_err() {
            return;
        }
        let mut step = vec![0.0; self.tangent_count()];
        for (axis, right) in right.iter_mut().enumerate() {
            gram.solve(right);
            for (i, x) in right.iter().enumerate() {
                step[3 * i + axis] = *x;
            }
        }
        for e in 0..=self.elements() {
            // The points before and after the joint.
            let beside = [(POINTS * e).max(1) - 1, (POINTS * e).min(self.points.len() - 1)];
            step[3 * n + e] = 0.5 * (turn(beside[0]).z + turn(beside[1]).z);
        }
        self.displace(state, &step);
    }
}

/// Twists of all elements for which frames roll with those of the shape.
fn twist(rod: &SplineRod, shape: &dyn Fn(f64) -> Station, c: &mut [f64]) {
    let mut base = rod.first_frame(c);
    for e in 0..rod.elements() {
        let at = rod.twist_at(e);
        let begin = rod.joint_tangent(c, e);
        let (mut roll, mut middle) = (0.0, 0.0);
        for k in 1..=STRETCHES {
            let xi = k as f64 / STRETCHES as f64;
            let here = rod.sum(c, e, &rod.knots.at(e, xi).slope).normalize();
            let carried = rotation::between(&begin, &here) * base * rotation::exp(&Vec3::new(0.0, 0.0, roll));
            let wanted = shape((rod.knots.ends[e] + xi * rod.knots.share(e)) * rod.length()).frame;
            let wanted = rotation::between(&rotation::tangent(&wanted), &here) * wanted;
            roll += rotation::log(&(carried.conjugate() * wanted)).z;
            if 2 * k == STRETCHES {
                middle = roll;
            }
        }
        c[at] = roll;
        c[at + 1] = 4.0 * (middle - 0.5 * roll);
        let next = rod.joint_tangent(c, e + 1);
        base = rotation::between(&begin, &next) * base * rotation::exp(&Vec3::new(0.0, 0.0, roll));
        base = base * (1.0 / base.norm());
    }
}

/// The shape that a rest curvature gives, from the origin.
pub(super) struct NaturalShape {
    /// Arc lengths at which pieces begin, and where they do.
    begins: Vec<(f64, CurvePoint)>,
    pieces: Vec<ClothoidElement>,
}

/// Integrates a rest curvature over the elements that end at `ends`, linear over each of their stretches.
pub(super) fn natural_shape(
    ends: &[f64],
    rest: &dyn Fn(f64) -> Vec3,
) -> Result<NaturalShape, CurvatureError> {
    let mut at = CurvePoint { position: Vec3::zeros(), frame: rotation::identity() };
    let mut shape = NaturalShape { begins: Vec::new(), pieces: Vec::new() };
    let length = ends[ends.len() - 1];
    for w in ends.windows(2) {
        let h = (w[1] - w[0]) / STRETCHES as f64;
        for k in 0..STRETCHES {
            let s = w[0] + h * k as f64;
            // A hair inside: at joints a rest shape may jump.
            let hair = 1e-9 * h;
            let [a, b] = [s + hair, s + h - hair].map(rest);
            let u = if a.norm() > b.norm() { a } else { b };
            let turning = u.norm() * length;
            if turning.is_nan() || turning > 1e6 {
                return Err(CurvatureError::Rest { s, u });
            }
            let piece = ClothoidElement::new(a, b, h).map_err(|_| CurvatureError::Rest { s, u })?;
            shape.begins.push((s, at));
            at = piece.point(h).after(&at);
            shape.pieces.push(piece);
        }
    }
    Ok(shape)
}

impl NaturalShape {
    pub(super) fn at(&self, s: f64) -> Station {
        let k = self.begins.partition_point(|(from, _)| *from <= s).max(1) - 1;
        let (from, at) = &self.begins[k];
        let point = self.pieces[k].point((s - from).min(self.pieces[k].length())).after(at);
        Station { position: point.position, frame: point.frame * (1.0 / point.frame.norm()) }
    }
}
