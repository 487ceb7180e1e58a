//! How the gap of a contact changes to second order where a side of it is a rigid part.
//!
//! Let the place x be on one body and the distance field φ be fixed in another. Where the first turns by ψ_a about its origin and
//! shifts by t_a, x moves by t_a + ψ_a × ρ + ½ ψ_a × (ψ_a × ρ), with ρ from that origin to x; a rod moves it by δx. Seen from a second
//! body that turns by ψ_b about its origin, r away from x, and shifts by t_b, it moves by
//!
//! ```text
//! δw − ψ_b × δr + ½ ψ_b × (ψ_b × r) + …,     δr = δx − t_b,     δw = δr − ψ_b × r,
//! ```
//!
//! so that with n = ∇φ, H = ∇²φ and the place free to shift along x′ (where that is an edge or an axis)
//!
//! ```text
//! ∂g = n·δw,     ∂²g = δw·H δw − 2 n·(ψ_b × δr) + n·(ψ_b × (ψ_b × r)) + n·(ψ_a × (ψ_a × ρ)) − y²/φ_ss,
//! y = x′·H δw + n·(δx′ − ψ_b × x′),     φ_ss = x′·H x′ + n·x″.
//! ```
//!
//! It is a form of twelve numbers: turn and shift of the first body, or for these the move δx of a rod and n·δx′; turn and shift of
//! the second.

use super::ContactRow;
use super::body::{AnchorLoad, Body, Place, Rigid};
use crate::algebra::{Mat3, Vec3, rotation};
use nalgebra::SMatrix;

/// A form of the moves of both bodies.
pub(super) type Form12 = SMatrix<f64, 12, 12>;
/// Where the numbers of the second body begin.
pub(super) const SECOND: usize = 6;

/// ∂²g of a row; the numbers of what does not move are none.
pub(super) fn second(row: &ContactRow) -> Form12 {
    let n = row.normal;
    let [first, field] = row.on.map(|part| part.map(|part| row.at - part.pose.position));
    let is_span = matches!(row.key.body, Body::Span(_));
    let mut set = Form12::zeros();
    // δr and δw of the twelve numbers.
    let mut apart = SMatrix::<f64, 3, 12>::zeros();
    if is_span {
        apart.fixed_view_mut::<3, 3>(0, 0).copy_from(&Mat3::identity());
    }
    if let Some(lever) = &first {
        apart.fixed_view_mut::<3, 3>(0, 0).copy_from(&-rotation::skew(lever));
        apart.fixed_view_mut::<3, 3>(0, 3).copy_from(&Mat3::identity());
        set.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotation::cross_hessian(lever, &n));
    }
    let mut seen = apart;
    if let Some(lever) = &field {
        apart.fixed_view_mut::<3, 3>(0, SECOND + 3).copy_from(&-Mat3::identity());
        seen = apart;
        seen.fixed_view_mut::<3, 3>(0, SECOND).copy_from(&rotation::skew(lever));
        let cross = rotation::skew(&n) * apart;
        for i in 0..3 {
            for k in 0..12 {
                set[(SECOND + i, k)] += cross[(i, k)];
                set[(k, SECOND + i)] += cross[(i, k)];
            }
        }
        let own = rotation::cross_hessian(lever, &n);
        let mut block = set.fixed_view_mut::<3, 3>(SECOND, SECOND);
        block += own;
    }
    set += seen.transpose() * row.hessian * seen;
    if let Some((slope, bend)) = row.shift {
        let mut y = (row.hessian * slope).transpose() * seen;
        let turned: Vec3 = slope.cross(&n);
        if is_span {
            y[3] += 1.0;
        }
        for i in 0..3 {
            if first.is_some() {
                y[i] += turned[i];
            }
            if field.is_some() {
                y[SECOND + i] -= turned[i];
            }
        }
        set -= y.transpose() * y / bend;
    }
    set
}

impl ContactRow {
    /// Whether both sides move.
    pub(super) fn is_coupled(&self) -> bool {
        self.opposite.is_some()
            || self.on[1].is_some() && (self.key.body.span().is_some() || self.on[0].is_some())
    }

    /// Place of the surface of what touches, m, world.
    pub(super) fn surface(&self) -> Vec3 {
        self.at - self.normal * self.radius
    }

    /// Where its normal force acts, on either side.
    pub(super) fn places(&self) -> [Option<Place>; 2] {
        let at = |part: &Rigid| Place::on(part, &self.at);
        let first = match self.key.body {
            Body::Span(k) => Some(Place::Span(k, self.share)),
            Body::Obstacle { .. } => self.on[0].as_ref().map(at),
        };
        let opposite = self.opposite.map(|opposite| Place::Span(opposite.span, opposite.share));
        [first, opposite.or_else(|| self.on[1].as_ref().map(at))]
    }

    /// Where its friction acts, on either side.
    pub(super) fn friction_places(&self) -> [Option<Place>; 2] {
        let Some(own) = &self.tangential else { return self.places() };
        let at = |part: &Rigid| Place::on(part, &own.at);
        let first = match self.key.body {
            Body::Span(k) => Some(Place::Span(k, own.share)),
            Body::Obstacle { .. } => self.on[0].as_ref().map(at),
        };
        let opposite = self.opposite.map(|opposite| Place::Span(opposite.span, opposite.share));
        [first, opposite.or_else(|| self.on[1].as_ref().map(at))]
    }

    /// Presses on the one part of it that moves.
    pub(super) fn press_part(&self, loads: &mut [AnchorLoad]) {
        let form = second(self);
        for (side, place) in self.places().into_iter().enumerate() {
            let Some(Place::Anchor(anchor, lever)) = place else { continue };
            let load = &mut loads[anchor];
            let sign = if side == 0 { 1.0 } else { -1.0 };
            load.add(&lever, &(self.normal * (sign * self.force)));
            load.hold(&lever, &self.normal, self.regularisation);
            let from = side * SECOND;
            load.stiffness -= form.fixed_view::<6, 6>(from, from) * self.force;
        }
        self.add_friction_of_parts(loads, self.tangential.map_or(0.0, |own| own.regularisation));
    }

    /// Friction on the parts of it that move, with `rho` against moving along the surface.
    pub(super) fn add_friction_of_parts(&self, loads: &mut [AnchorLoad], rho: f64) {
        let Some(own) = &self.tangential else { return };
        for (side, place) in self.friction_places().into_iter().enumerate() {
            let Some(Place::Anchor(anchor, lever)) = place else { continue };
            let load = &mut loads[anchor];
            let force = if side == 0 { own.force } else { -own.force };
            load.add(&lever, &force);
            super::friction::Tangential::axes(&self.normal)
                .iter()
                .for_each(|along| load.hold(&lever, along, rho));
            let turned = rotation::cross_hessian(&lever, &force);
            let mut block = load.stiffness.fixed_view_mut::<3, 3>(0, 0);
            block -= turned;
        }
    }
}
