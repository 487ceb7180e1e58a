//! Marks at held ends: a block for a clamp, a ball on a foot for a pin.

use super::camera::Projection;
use super::painter::Painter;
use super::tube::{TubeMesh, ball};
use crate::drawing::theme;
use crate::subject::End;
use nalgebra::Vector3;

/// Smallest half width of a mark, px.
const LEAST: f64 = 4.5;

/// Half the width of a clamp on a tube of the given radius, m: nearly twice the radius of thin tubes, less
/// of thick ones.
pub(crate) fn clamp_half(radius: f64, pixel: f64) -> f64 {
    (1.9 * radius).min(1.3 * radius + 5.0 * pixel).max(LEAST * pixel)
}

/// Adds the marks of both ends of a tube.
pub(crate) fn paint(painter: &mut Painter, view: &Projection, mesh: &TubeMesh<'_>) {
    let last = mesh.knots.len() - 1;
    for (end, index, outward) in [(mesh.tube.ends[0], 0, -1.0), (mesh.tube.ends[1], last, 1.0)] {
        let knot = &mesh.knots[index];
        let pixel = 1.0 / view.pixels(&knot.position);
        let out = knot.tangent * outward;
        match end {
            End::Clamped => {
                let half = clamp_half(mesh.radius[index], pixel);
                let sides = [knot.d1 * half, knot.tangent.cross(&knot.d1) * half];
                block(painter, view, knot.position, sides, out * (1.3 * half));
            }
            End::Pinned => {
                let size = (1.35 * mesh.radius[index]).max(LEAST * pixel);
                // The foot stands below, unless the tube itself goes down from the pin.
                let down = if out.z > 0.3 { Vector3::z() } else { -Vector3::z() };
                foot(painter, view, knot.position, down, size);
                ball(painter, view, knot.position, size, theme::STEEL);
            }
            End::Free | End::Joined => {}
        }
    }
}

/// A box on the cross-section spanned by `sides`, reaching outwards from the end.
fn block(
    painter: &mut Painter,
    view: &Projection,
    at: Vector3<f64>,
    sides: [Vector3<f64>; 2],
    out: Vector3<f64>,
) {
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let depth = if i >> 2 & 1 == 1 { 1.0 } else { 0.0 };
        at + sides[0] * sign(0) + sides[1] * sign(1) + out * depth
    };
    // Counter-clockwise from outside when sides and `out` are right-handed.
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mirrored = sides[0].cross(&sides[1]).dot(&out) < 0.0;
    for face in faces {
        let mut corners = face.map(corner);
        if mirrored {
            corners.reverse();
        }
        painter.polygon(view, &corners, theme::STEEL);
    }
}

/// A pyramid with its tip at the pin.
fn foot(painter: &mut Painter, view: &Projection, tip: Vector3<f64>, down: Vector3<f64>, size: f64) {
    let base = |x: f64, y: f64| tip + down * (3.2 * size) + Vector3::new(x, y, 0.0) * (1.7 * size);
    let corners = [base(-1.0, -1.0), base(1.0, -1.0), base(1.0, 1.0), base(-1.0, 1.0)];
    let upright = down.z < 0.0;
    let mut add = |mut face: Vec<Vector3<f64>>| {
        if !upright {
            face.reverse();
        }
        painter.polygon(view, &face, theme::STEEL);
    };
    for i in 0..4 {
        add(vec![corners[i], corners[(i + 1) % 4], tip]);
    }
    add(corners.iter().rev().copied().collect());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Rect;
    use crate::view::camera::{Camera, Plane};

    fn view(plane: Plane) -> Projection {
        let camera = Camera::along(plane, Vector3::zeros());
        Projection::fit(camera, &[(Vector3::zeros(), 3.0)], Rect::new(0.0, 0.0, 100.0, 100.0))
    }

    #[test]
    fn a_block_shows_one_face_along_each_axis_whichever_way_it_points() {
        for out in [Vector3::z(), -Vector3::z()] {
            for plane in Plane::ALL {
                let mut painter = Painter::default();
                block(&mut painter, &view(plane), Vector3::zeros(), [Vector3::x(), Vector3::y()], out);
                assert_eq!(painter.faces.len(), 1, "{plane:?} {out:?}");
            }
        }
    }

    #[test]
    fn a_foot_shows_one_side_from_the_front_and_four_from_above() {
        let count = |plane, down| {
            let mut painter = Painter::default();
            foot(&mut painter, &view(plane), Vector3::zeros(), down, 0.5);
            painter.faces.len()
        };
        assert_eq!(count(Plane::Front, -Vector3::z()), 1);
        assert_eq!(count(Plane::Top, -Vector3::z()), 4);
        assert_eq!(count(Plane::Top, Vector3::z()), 1);
    }
}
