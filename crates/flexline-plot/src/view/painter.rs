//! The painter's algorithm: flat pieces sorted by depth, far ones first.

use super::camera::Projection;
use crate::drawing::{Colour, Drawing, Path, Stroke};
use crate::subject::Solid;
use nalgebra::Vector3;

/// A flat piece on the page.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    /// Corners, px; two corners make a line.
    pub points: Vec<[f64; 2]>,
    /// Nearness, m: larger is nearer.
    pub depth: f64,
    pub fill: Option<Colour>,
    pub stroke: Option<Stroke>,
}

/// Collects pieces of everything in a view and paints them in order.
#[derive(Debug, Default)]
pub(crate) struct Painter {
    pub faces: Vec<Face>,
}

impl Painter {
    /// Far to near; pieces of equal depth keep the order in which they came.
    pub fn sorted(mut self) -> Vec<Face> {
        self.faces.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        self.faces
    }

    /// Paints everything.
    pub fn paint(self, drawing: &mut Drawing) {
        for face in self.sorted() {
            let path = match face.fill {
                Some(_) => Path::polygon(&face.points),
                None => Path::polyline(&face.points),
            };
            drawing.shape(path, face.fill, face.stroke);
        }
    }

    /// Adds a surface of triangles; edges are not drawn, so that many small ones look smooth.
    pub fn solid(&mut self, view: &Projection, solid: &Solid) {
        let opacity = if solid.glassy { 0.28 } else { 1.0 };
        for corners in &solid.triangles {
            let corners = corners.map(Vector3::from);
            let points: Vec<[f64; 2]> = corners.iter().map(|p| view.page(p)).collect();
            let outside = faces_viewer(&points);
            if solid.closed && !outside {
                continue;
            }
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let normal = normal.try_normalize(0.0).unwrap_or(view.camera.toward);
            let fill = shaded(view, solid.colour, if outside { normal } else { -normal });
            let depth = corners.iter().map(|p| view.camera.depth(p)).sum::<f64>() / 3.0;
            // A hair of the same colour closes the seams between triangles.
            let stroke = (!solid.glassy).then(|| Stroke::new(fill, 0.5).round());
            self.faces.push(Face { points, depth, fill: Some(fill.with_opacity(opacity)), stroke });
        }
    }

    /// Adds a polygon in space that is seen only from outside: corners counter-clockwise from there.
    pub fn polygon(&mut self, view: &Projection, corners: &[Vector3<f64>], colour: Colour) {
        let points: Vec<[f64; 2]> = corners.iter().map(|p| view.page(p)).collect();
        if corners.len() < 3 || !faces_viewer(&points) {
            return;
        }
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let fill = shaded(view, colour, normal.try_normalize(0.0).unwrap_or(view.camera.toward));
        let depth = corners.iter().map(|p| view.camera.depth(p)).sum::<f64>() / corners.len() as f64;
        let stroke = Some(Stroke::new(edge(colour), 0.8).round());
        self.faces.push(Face { points, depth, fill: Some(fill), stroke });
    }
}

/// Whether a polygon given counter-clockwise from its outside is seen from outside; the page has y down.
pub(crate) fn faces_viewer(points: &[[f64; 2]]) -> bool {
    twice_area(points) < 0.0
}

fn twice_area(points: &[[f64; 2]]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(p, q)| p[0] * q[1] - q[0] * p[1]).sum()
}

/// Colour of a matt surface with a little gloss, lit over the viewer's left shoulder.
pub(crate) fn shaded(view: &Projection, colour: Colour, normal: Vector3<f64>) -> Colour {
    let camera = &view.camera;
    let light = (camera.up * 0.75 - camera.right * 0.45 + camera.toward * 0.75).normalize();
    let half = (light + camera.toward).normalize();
    let lambert = normal.dot(&light).max(0.0);
    let gloss = normal.dot(&half).max(0.0).powi(24);
    colour.lit(0.42 + 0.68 * lambert, 0.10 * gloss)
}

/// Colour of outlines around a surface of the given colour.
pub(crate) fn edge(colour: Colour) -> Colour {
    colour.lit(0.22, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Rect;
    use crate::view::camera::{Camera, Plane};

    fn face(depth: f64, tag: f64) -> Face {
        Face { points: vec![[tag, 0.0]], depth, fill: None, stroke: None }
    }

    #[test]
    fn far_pieces_come_first_and_ties_keep_their_order() {
        let faces = vec![face(2.0, 0.0), face(-1.0, 1.0), face(2.0, 2.0), face(0.5, 3.0)];
        let order: Vec<f64> = Painter { faces }.sorted().iter().map(|f| f.points[0][0]).collect();
        assert_eq!(order, [1.0, 3.0, 0.0, 2.0]);
    }

    fn front() -> Projection {
        let camera = Camera::along(Plane::Front, Vector3::zeros());
        Projection::fit(camera, &[(Vector3::zeros(), 1.0)], Rect::new(0.0, 0.0, 100.0, 100.0))
    }

    #[test]
    fn only_the_outside_of_a_polygon_is_painted() {
        // Seen from −y: x right, z up. Counter-clockwise there means normal −y.
        let corners = [Vector3::zeros(), Vector3::x(), Vector3::z()];
        let reversed = [Vector3::zeros(), Vector3::z(), Vector3::x()];
        let mut painter = Painter::default();
        painter.polygon(&front(), &corners, Colour::WHITE);
        assert_eq!(painter.faces.len(), 1);
        painter.polygon(&front(), &reversed, Colour::WHITE);
        assert_eq!(painter.faces.len(), 1);
    }

    #[test]
    fn surfaces_towards_the_light_are_brighter() {
        let colour = Colour::hex(0x808080);
        let view = front();
        let light = |n: Vector3<f64>| shaded(&view, colour, n).luminance();
        assert!(light(Vector3::z()) > light(-Vector3::z()));
        assert!(light(-Vector3::x()) > light(Vector3::x()));
    }
}
