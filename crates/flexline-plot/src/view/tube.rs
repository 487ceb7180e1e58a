//! A tube as shaded facets with an outline, a stripe along d1 and its two ends.

use super::camera::Projection;
use super::curve::{Knot, transported};
use super::painter::{Face, Painter, edge, faces_viewer, shaded};
use crate::colour_map::ColourScale;
use crate::drawing::{Colour, Stroke};
use crate::subject::{End, Paint, Tube};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

/// Facets reach this far under their nearer neighbours, px, so that no background shows through the seams.
const OVERLAP: f64 = 0.5;
/// Bands of the stripe from its middle, rad, with their colours: bright with dark rims, so that it is seen on
/// dark and on bright tubes alike. The middle comes last and covers the inner edges of the rims.
const STRIPE: [([f64; 2], Colour); 3] = [
    ([-0.37, -0.22], Colour::hex(0x27323f)),
    ([0.22, 0.37], Colour::hex(0x27323f)),
    ([-0.26, 0.26], Colour::hex(0xf6f3ea)),
];

/// Thinner tubes, by radius in px, show no stripe: it would only darken them.
const STRIPE_LEAST: f64 = 2.2;

/// The drawn tube: knots with the radius that is drawn, which may be larger than the true one.
pub(crate) struct TubeMesh<'a> {
    pub tube: &'a Tube,
    pub knots: Vec<Knot>,
    /// Drawn radius at each knot, m.
    pub radius: Vec<f64>,
}

impl TubeMesh<'_> {
    /// Adds the tube to the painter.
    pub fn paint(&self, painter: &mut Painter, view: &Projection, scale: Option<&ColourScale>) {
        let colours: Vec<Colour> = self.knots.iter().map(|k| self.colour(k.value, scale)).collect();
        if self.knots.len() < 2 {
            for (knot, radius) in self.knots.iter().zip(&self.radius) {
                ball(painter, view, knot.position, *radius, colours[0]);
            }
            return;
        }
        let count = self.facet_count(view);
        let rings = self.rings(count);
        self.paint_facets(painter, view, &rings, scale);
        if self.tube.stripe && self.largest_pixels(view) >= STRIPE_LEAST {
            self.paint_stripe(painter, view);
        }
        self.paint_cuts(painter, view, &rings, &colours);
    }

    fn colour(&self, value: f64, scale: Option<&ColourScale>) -> Colour {
        match (&self.tube.paint, scale) {
            (Paint::Plain(colour), _) => *colour,
            (Paint::Values(_), Some(scale)) => scale.colour(value),
            (Paint::Values(_), None) => Colour::WHITE,
        }
    }

    /// Largest drawn radius, px; at least one.
    fn largest_pixels(&self, view: &Projection) -> f64 {
        let pixels = self.knots.iter().zip(&self.radius).map(|(k, r)| r * view.pixels(&k.position));
        pixels.fold(1.0, f64::max)
    }

    /// Enough facets around for a contour that is true to a fraction of a pixel and a smooth shade.
    fn facet_count(&self, view: &Projection) -> usize {
        let count = PI / (1.0 - 0.06 / self.largest_pixels(view)).acos();
        2 * (count / 2.0).ceil().clamp(3.0, 22.0) as usize
    }

    /// Points around each knot, counter-clockwise about the tangent.
    fn rings(&self, count: usize) -> Vec<Vec<Vector3<f64>>> {
        let ring = |((knot, normal), radius): ((&Knot, Vector3<f64>), &f64)| {
            let binormal = knot.tangent.cross(&normal);
            (0..count)
                .map(|j| (TAU * j as f64 / count as f64).sin_cos())
                .map(|(sin, cos)| knot.position + (normal * cos + binormal * sin) * *radius)
                .collect()
        };
        self.knots.iter().zip(transported(&self.knots)).zip(&self.radius).map(ring).collect()
    }

    fn paint_facets(
        &self,
        painter: &mut Painter,
        view: &Projection,
        rings: &[Vec<Vector3<f64>>],
        scale: Option<&ColourScale>,
    ) {
        let (count, chords) = (rings[0].len(), rings.len() - 1);
        let outline = (0.25 * self.largest_pixels(view)).clamp(0.45, 0.9);
        let corners = |i: usize, j: usize| {
            let next = (j + 1) % count;
            [rings[i][j], rings[i][next], rings[i + 1][next], rings[i + 1][j]]
        };
        let page = |p: &Vector3<f64>| view.page(p);
        let each = |i: usize, f: &dyn Fn([Vector3<f64>; 4]) -> f64| -> Vec<f64> {
            (0..count).map(|j| f(corners(i, j))).collect()
        };
        let middle = |q: [Vector3<f64>; 4]| q.iter().sum::<Vector3<f64>>() * 0.25;
        let depths: Vec<Vec<f64>> =
            (0..chords).map(|i| each(i, &|q| view.camera.depth(&middle(q)))).collect();
        let seen: Vec<Vec<bool>> = (0..chords)
            .map(|i| (0..count).map(|j| faces_viewer(&corners(i, j).each_ref().map(page))).collect())
            .collect();
        for i in 0..chords {
            let colour = self.colour(0.5 * (self.knots[i].value + self.knots[i + 1].value), scale);
            let axis = 0.5 * (self.knots[i].position + self.knots[i + 1].position);
            let line = Stroke::new(edge(colour), outline).round();
            for j in 0..count {
                let next = (j + 1) % count;
                let mut contour = |a: Vector3<f64>, b: Vector3<f64>| {
                    let depth = view.camera.depth(&(0.5 * (a + b))) + 0.5 * self.radius[i];
                    let points = vec![page(&a), page(&b)];
                    painter.faces.push(Face { points, depth, fill: None, stroke: Some(line) });
                };
                if seen[i][j] != seen[i][next] {
                    contour(rings[i][next], rings[i + 1][next]);
                }
                if i > 0 && seen[i - 1][j] != seen[i][j] {
                    contour(rings[i][j], rings[i][next]);
                }
                if seen[i][j] {
                    let own = depths[i][j];
                    let before = (j + count - 1) % count;
                    let nearer = [
                        i > 0 && depths[i - 1][j] > own,
                        i + 1 < chords && depths[i + 1][j] >= own,
                        depths[i][before] > own,
                        depths[i][next] >= own,
                    ];
                    let quad = corners(i, j);
                    let normal = (middle(quad) - axis).try_normalize(0.0).unwrap_or(view.camera.toward);
                    painter.faces.push(Face {
                        points: tucked(quad.each_ref().map(page), nearer).to_vec(),
                        depth: own,
                        fill: Some(shaded(view, colour, normal)),
                        stroke: None,
                    });
                }
            }
        }
    }

    /// A narrow band around d1, a little nearer than the facets under it.
    fn paint_stripe(&self, painter: &mut Painter, view: &Projection) {
        let side = |i: usize, angle: f64| {
            let knot = &self.knots[i];
            let (sin, cos) = angle.sin_cos();
            knot.position + (knot.d1 * cos + knot.tangent.cross(&knot.d1) * sin) * self.radius[i]
        };
        let chords = self.knots.len() - 1;
        for (layer, ([from, to], colour)) in STRIPE.into_iter().enumerate() {
            let lift = 0.45 + 0.1 * layer as f64;
            let quads: Vec<[Vector3<f64>; 4]> = (0..chords)
                .map(|i| [side(i, from), side(i, to), side(i + 1, to), side(i + 1, from)])
                .collect();
            let depths: Vec<f64> =
                quads.iter().map(|q| q.iter().map(|p| view.camera.depth(p)).sum::<f64>() * 0.25).collect();
            for i in 0..chords {
                let points = quads[i].each_ref().map(|p| view.page(p));
                if !faces_viewer(&points) {
                    continue;
                }
                // Both ends overlap: the stripe has one colour, and facets between its pieces must not show.
                painter.faces.push(Face {
                    points: tucked(points, [true, true, false, false]).to_vec(),
                    depth: depths[i] + lift * self.radius[i],
                    fill: Some(shaded(view, colour, self.knots[i].d1)),
                    stroke: None,
                });
            }
        }
    }

    /// The flat cuts at free and pinned ends.
    fn paint_cuts(
        &self,
        painter: &mut Painter,
        view: &Projection,
        rings: &[Vec<Vector3<f64>>],
        colours: &[Colour],
    ) {
        let last = rings.len() - 1;
        let closed = |end: End| matches!(end, End::Clamped | End::Joined);
        if !closed(self.tube.ends[0]) {
            let ring: Vec<_> = rings[0].iter().rev().copied().collect();
            painter.polygon(view, &ring, colours[0]);
        }
        if !closed(self.tube.ends[1]) {
            painter.polygon(view, &rings[last], colours[last]);
        }
    }
}

/// A quadrilateral that reaches under those of its neighbours that are painted later, and ends exactly where
/// the others begin, so that it covers nothing of them. The neighbours are: before and after it along the
/// tube (beyond corners 0, 1 and 3, 2), before and after it around the tube (beyond 0, 3 and 1, 2).
fn tucked(q: [[f64; 2]; 4], later: [bool; 4]) -> [[f64; 2]; 4] {
    let mut out = q;
    for (sides, from, to) in [([later[0], later[1]], [0, 1], [3, 2]), ([later[2], later[3]], [0, 3], [1, 2])]
    {
        let d = [0, 1].map(|c| q[to[0]][c] + q[to[1]][c] - q[from[0]][c] - q[from[1]][c]);
        let length = d[0].hypot(d[1]);
        if length <= 0.0 {
            continue;
        }
        for (wanted, corners, sign) in [(sides[0], from, -1.0), (sides[1], to, 1.0)] {
            for corner in corners.into_iter().filter(|_| wanted) {
                for c in 0..2 {
                    out[corner][c] += sign * OVERLAP * d[c] / length;
                }
            }
        }
    }
    out
}

/// A ball, as three discs that brighten towards the light.
pub(crate) fn ball(
    painter: &mut Painter,
    view: &Projection,
    centre: Vector3<f64>,
    radius: f64,
    colour: Colour,
) {
    let camera = &view.camera;
    for (k, (size, shift, light)) in
        [(1.0, 0.0, 0.72), (0.78, 0.14, 0.9), (0.45, 0.3, 1.1)].into_iter().enumerate()
    {
        let middle = centre + (camera.up - camera.right * 0.6) * (shift * radius);
        let points = (0..24).map(|j| (TAU * f64::from(j) / 40.0).sin_cos()).map(|(sin, cos)| {
            view.page(&(middle + (camera.right * cos + camera.up * sin) * (size * radius)))
        });
        painter.faces.push(Face {
            points: points.collect(),
            depth: camera.depth(&centre) + radius * (0.4 + 0.2 * k as f64),
            fill: Some(colour.lit(light, 0.0)),
            stroke: (k == 0).then(|| Stroke::new(edge(colour), 0.8).round()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [0.0, 2.0], [4.0, 2.0], [4.0, 0.0]];

    #[test]
    fn facets_reach_under_later_neighbours_only() {
        let after = tucked(SQUARE, [false, true, false, false]);
        assert_eq!(after, [[0.0, 0.0], [0.0, 2.0], [4.0 + OVERLAP, 2.0], [4.0 + OVERLAP, 0.0]]);
        let before = tucked(SQUARE, [true, false, false, false]);
        assert_eq!(before, [[-OVERLAP, 0.0], [-OVERLAP, 2.0], [4.0, 2.0], [4.0, 0.0]]);
        let around = tucked(SQUARE, [false, false, true, false]);
        assert_eq!(around, [[0.0, -OVERLAP], [0.0, 2.0], [4.0, 2.0], [4.0, -OVERLAP]]);
        assert_eq!(tucked(SQUARE, [false; 4]), SQUARE);
    }

    #[test]
    fn a_facet_seen_as_a_point_stays_one() {
        assert_eq!(tucked([[1.0, 1.0]; 4], [true; 4]), [[1.0, 1.0]; 4]);
    }
}
