//! Boxes, cylinders, cones and balls as triangles.

use super::node::Node;
use std::f64::consts::{PI, TAU};

/// Sides of what is round.
const SIDES: usize = 32;
/// Rings of a ball.
const RINGS: usize = 16;

/// Triangles, outside counter-clockwise.
pub(crate) struct Solid {
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

/// The solid that a node is.
pub(super) fn of(node: &Node) -> Option<Solid> {
    let number = |name: &str, default: f64| node.number(name).unwrap_or(default);
    match node.kind() {
        "Cube" => Some(block([number("width", 2.0), number("height", 2.0), number("depth", 2.0)])),
        "Box" => Some(block(node.three("size").unwrap_or([2.0; 3]))),
        "Sphere" => Some(ball(number("radius", 1.0))),
        "Cylinder" => {
            let radius = number("radius", 1.0);
            Some(round(
                radius,
                radius,
                number("height", 2.0),
                [has(node, "side", "SIDES"), has(node, "bottom", "BOTTOM"), has(node, "top", "TOP")],
            ))
        }
        "Cone" => {
            let sides = [has(node, "side", "SIDES"), has(node, "bottom", "BOTTOM"), false];
            Some(round(number("bottomRadius", 1.0), 0.0, number("height", 2.0), sides))
        }
        _ => None,
    }
}

/// Whether a part of a solid is there: `parts` names it, or a field of its own.
fn has(node: &Node, field: &str, part: &str) -> bool {
    let parts = node.words("parts");
    node.is(field, true) && (parts.is_empty() || parts.iter().any(|own| own == part || own == "ALL"))
}

pub(crate) fn block(size: [f64; 3]) -> Solid {
    let sign = |i: usize, bit: usize| if i >> bit & 1 == 0 { -0.5 } else { 0.5 };
    let points = (0..8).map(|i| [sign(i, 0) * size[0], sign(i, 1) * size[1], sign(i, 2) * size[2]]).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Solid { points, triangles }
}

/// About y, with the radii of bottom and top; which of side, bottom and top are there.
pub(crate) fn round(bottom: f64, top: f64, height: f64, [side, low, high]: [bool; 3]) -> Solid {
    let mut points = Vec::with_capacity(2 * SIDES + 2);
    for (radius, y) in [(bottom, -0.5 * height), (top, 0.5 * height)] {
        points.extend(
            (0..SIDES)
                .map(|i| TAU * i as f64 / SIDES as f64)
                .map(|a| [radius * a.sin(), y, radius * a.cos()]),
        );
    }
    points.extend([[0.0, -0.5 * height, 0.0], [0.0, 0.5 * height, 0.0]]);
    let mut triangles = Vec::new();
    for i in 0..SIDES {
        let j = (i + 1) % SIDES;
        if side {
            triangles.push([i, j, SIDES + j]);
            if top > 0.0 {
                triangles.push([i, SIDES + j, SIDES + i]);
            }
        }
        if low {
            triangles.push([j, i, 2 * SIDES]);
        }
        if high {
            triangles.push([SIDES + i, SIDES + j, 2 * SIDES + 1]);
        }
    }
    Solid { points, triangles }
}

pub(crate) fn ball(radius: f64) -> Solid {
    let mut points = vec![[0.0, -radius, 0.0]];
    for ring in 1..RINGS {
        let latitude = PI * ring as f64 / RINGS as f64;
        let (y, r) = (-radius * latitude.cos(), radius * latitude.sin());
        points
            .extend((0..SIDES).map(|i| TAU * i as f64 / SIDES as f64).map(|a| [r * a.sin(), y, r * a.cos()]));
    }
    points.push([0.0, radius, 0.0]);
    let (last, at) = (points.len() - 1, |ring: usize, i: usize| 1 + (ring - 1) * SIDES + i % SIDES);
    let mut triangles = Vec::new();
    for i in 0..SIDES {
        triangles.push([at(1, i + 1), at(1, i), 0]);
        for ring in 1..RINGS - 1 {
            triangles.push([at(ring, i), at(ring, i + 1), at(ring + 1, i + 1)]);
            triangles.push([at(ring, i), at(ring + 1, i + 1), at(ring + 1, i)]);
        }
        triangles.push([at(RINGS - 1, i), at(RINGS - 1, i + 1), last]);
    }
    Solid { points, triangles }
}
