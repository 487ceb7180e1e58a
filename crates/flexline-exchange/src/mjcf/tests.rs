//! Angles of hinges, and what stands in a file.

use super::chain::angles;
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};

/// A hinge about an axis.
fn hinge(axis: usize, angle: f64) -> Quat {
    rotation::exp(&(Vec3::ith(axis, 1.0) * angle))
}

#[test]
fn hinges_in_a_row_make_the_rotation_that_they_come_from() {
    for (k, v) in [[0.3, -0.2, 0.5], [1.1, 0.7, -0.9], [-0.4, 1.1, 1.0]].into_iter().enumerate() {
        let turn = rotation::exp(&Vec3::from(v));
        for twist_first in [true, false] {
            let a = angles(&turn, twist_first);
            let again = match twist_first {
                true => hinge(2, a.z) * hinge(0, a.x) * hinge(1, a.y),
                false => hinge(1, a.y) * hinge(0, a.x) * hinge(2, a.z),
            };
            assert!(rotation::log(&(turn.conjugate() * again)).norm() < 1e-14, "{k} {twist_first}");
        }
    }
}

/// Of a rotation by θ the angles are θ and a product of two; the two orders have it with opposite signs.
#[test]
fn the_two_orders_cancel_what_is_of_second_order() {
    let theta = Vec3::new(2e-3, -1e-3, 3e-3);
    let turn = rotation::exp(&theta);
    let (one, other) = (angles(&turn, true), angles(&turn, false));
    let off = |v: Vec3| (v - theta).norm();
    assert!(off(one) > 1e-6 && off(other) > 1e-6, "{} {}", off(one), off(other));
    assert!(off(0.5 * (one + other)) < 1e-8, "{}", off(0.5 * (one + other)));
}
