//! Tubes that are drawn as a few rings: a pipe with rings in its bends only, a bar of two.
//!
//! Where every vertex lies on a circle, the circles say more than any fit: their middles are on the centreline, their planes
//! are square to it. Between two of them runs a biarc (Bolton 1975), which is exact for straight stretches and for bends of
//! one radius, where a spline would have to bulge.

use flexline::Vec3;

use super::fit::{Fit, Sample, finish};
use super::spline::Tube;

/// A circle of vertices.
struct Circle {
    centre: Vec3,
    normal: Vec3,
    radius: f64,
}

/// Vertices are on a circle when they are as near to it, in radii.
const ROUND: f64 = 2e-3;
/// Rings nearer than so many radii to each other leave nothing open that a fit would not know.
const SPARSE: f64 = 1.2;
/// Vertices nearer to each other along the line than so many radii are of one ring: where the line is rough, and where rings
/// are near.
const NEAR: [f64; 2] = [0.1, 0.03];
/// Share of the vertices that rings must have; the rest are middles of caps, walls, what is damaged.
const MOST: f64 = 0.93;
/// Distance of the knots, in radii.
const KNOTS: f64 = 0.2;
/// How far the tube goes on beyond its last ring, in radii.
const BEYOND: f64 = 1.0;

/// The tube through rings, from vertices with their place along a line that is roughly the centreline, and whether every
/// ring is in it; `None` where vertices are not in rings, or rings are so near that a fit knows better.
pub(crate) fn tube_of(samples: &[Sample], places: &[f64], radius: f64) -> Option<(Fit, bool)> {
    let mut order: Vec<(f64, &Sample)> = places.iter().copied().zip(samples).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [wide, narrow] = NEAR.map(|near| through_rings(samples, &order, radius, near));
    if wide.as_ref().is_some_and(|own| own.1) { wide } else { narrow.or(wide) }
}

fn through_rings(
    samples: &[Sample],
    order: &[(f64, &Sample)],
    radius: f64,
    near: f64,
) -> Option<(Fit, bool)> {
    let mut circles = Vec::new();
    let (mut on, mut all) = (0, true);
    for ring in order.chunk_by(|a, b| b.0 - a.0 < near * radius) {
        if let Some((circle, count)) = circle_of(ring) {
            circles.push(circle);
            on += count;
        } else {
            all &= ring.len() < 3;
        }
    }
    if circles.len() < 2 || (on as f64) < MOST * samples.len() as f64 - 2.0 {
        return None;
    }
    let sparse = circles.windows(2).any(|c| (c[1].centre - c[0].centre).norm() > SPARSE * c[0].radius);
    if !sparse {
        return None;
    }
    let count = circles.len();
    for i in 0..count {
        let ahead = circles[(i + 1).min(count - 1)].centre - circles[i.saturating_sub(1)].centre;
        let circle = &mut circles[i];
        circle.normal *= circle.normal.dot(&ahead).signum();
        // A slanting cut is no section.
        if circle.normal.dot(&ahead) < 0.8 * ahead.norm() {
            return None;
        }
    }
    let (line, radii) = line_through(&circles)?;
    let tube = knotted(&line, &radii, radius)?;
    let arc = super::fit::arc_lengths(&line);
    let to_u = tube.spans() as f64 / arc[arc.len() - 1];
    let placed = samples.iter().map(|s| {
        let guess = super::strand::nearest(&line, &arc, &s.x) * to_u;
        Sample { u: tube.foot(&s.x, guess), bias: 0.0, ..*s }
    });
    let placed = placed.collect();
    Some((finish(tube, placed, Vec::new()), all))
}

/// The circle that vertices side by side are on, without one in its middle, and how many of them it explains.
fn circle_of(ring: &[(f64, &Sample)]) -> Option<(Circle, usize)> {
    let mean = |points: &[Vec3]| points.iter().fold(Vec3::zeros(), |s, x| s + x) / points.len().max(1) as f64;
    let all: Vec<Vec3> = ring.iter().map(|s| s.1.x).collect();
    let middle = mean(&all);
    let reach = all.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
    let rim: Vec<Vec3> = all.iter().copied().filter(|x| (x - middle).norm() > 0.7 * reach).collect();
    if rim.len() < 6 {
        return None;
    }
    let middle = mean(&rim);
    let spread = rim.iter().fold(flexline::Mat3::zeros(), |m, x| m + (x - middle) * (x - middle).transpose());
    let eigen = spread.symmetric_eigen();
    let normal: Vec3 = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into();
    // Centre and radius by least squares: |x|² = 2 c·x + (r² − |c|²), linear in c and the last term.
    let [a, b] = super::fit::square_to(&normal);
    let mut matrix = flexline::Mat3::zeros();
    let mut right = Vec3::zeros();
    for x in &rim {
        let row = Vec3::new((x - middle).dot(&a) / reach, (x - middle).dot(&b) / reach, 0.5);
        matrix += row * row.transpose();
        right += row * (0.5 * (row.x * row.x + row.y * row.y));
    }
    let found = matrix.try_inverse()? * right;
    let centre = middle + reach * (found.x * a + found.y * b);
    let radius = reach * (found.z + found.x * found.x + found.y * found.y).max(0.0).sqrt();
    let off = |x: &Vec3| {
        let d = x - centre;
        (d.norm() - radius).abs().max(d.dot(&normal).abs())
    };
    // All round: no gap as wide as a third of the circle.
    let mut angles: Vec<f64> = rim.iter().map(|x| (x - centre).dot(&b).atan2((x - centre).dot(&a))).collect();
    angles.sort_by(f64::total_cmp);
    let last = angles[0] + std::f64::consts::TAU - angles[angles.len() - 1];
    let widest = angles.windows(2).map(|w| w[1] - w[0]).fold(last, f64::max);
    (radius > 0.0 && widest < 2.1 && rim.iter().all(|x| off(x) < ROUND * radius))
        .then_some((Circle { centre, normal, radius }, ring.len()))
}

/// Points of the biarcs between circles, with the radius at each; it goes on straight at both ends.
fn line_through(circles: &[Circle]) -> Option<(Vec<Vec3>, Vec<f64>)> {
    let (first, last) = (circles.first()?, circles.last()?);
    let mut line = vec![first.centre - BEYOND * first.radius * first.normal];
    let mut radii = vec![first.radius];
    for pair in circles.windows(2) {
        let (p, q) = (&pair[0], &pair[1]);
        let across = q.centre - p.centre;
        let sum = p.normal + q.normal;
        let bent = 1.0 - p.normal.dot(&q.normal);
        let (along, square) = (across.dot(&sum), across.norm_squared());
        // Equal lengths of both tangents, d: |across − d (t₀ + t₁)| = 2 d.
        let d = square / (along + (along * along + 2.0 * bent * square).sqrt());
        if !d.is_finite() || d <= 0.0 {
            return None;
        }
        let joint = 0.5 * (p.centre + q.centre + d * (p.normal - q.normal));
        let count = (across.norm() / (0.05 * p.radius)).ceil().clamp(2.0, 4000.0) as usize;
        for i in 0..2 * count {
            let t = (i % count) as f64 / count as f64;
            line.push(if i < count {
                on_arc(p.centre, p.normal, joint, t)
            } else {
                on_arc(q.centre, -q.normal, joint, 1.0 - t)
            });
            let share = i as f64 / (2 * count) as f64;
            radii.push(p.radius + share * (q.radius - p.radius));
        }
    }
    line.extend([last.centre, last.centre + BEYOND * last.radius * last.normal]);
    radii.extend([last.radius; 2]);
    Some((line, radii))
}

/// The share `t` of the arc that leaves `from` along `tangent` and ends at `to`.
fn on_arc(from: Vec3, tangent: Vec3, to: Vec3, t: f64) -> Vec3 {
    let chord = to - from;
    let ahead = chord.dot(&tangent);
    let side = chord - ahead * tangent;
    let Some(across) = side.try_normalize(1e-9 * chord.norm()) else { return from + t * chord };
    // The chord makes half the angle of the arc with the tangent.
    let half = side.norm().atan2(ahead);
    let radius = chord.norm() / (2.0 * half.sin());
    let angle = 2.0 * half * t;
    from + radius * (angle.sin() * tangent + (1.0 - angle.cos()) * across)
}

/// A tube on a line, with knots so near that it follows every bend.
fn knotted(line: &[Vec3], radii: &[f64], radius: f64) -> Option<Tube> {
    let arc = super::fit::arc_lengths(line);
    let length = *arc.last()?;
    let spans = ((length / (KNOTS * radius)).ceil() as usize).clamp(3, 8000);
    let width = length / spans as f64;
    let at = |k: f64| {
        let s = k * width;
        let beyond = if s < 0.0 { s } else { (s - length).max(0.0) };
        let i = arc.partition_point(|a| *a < s).clamp(1, line.len() - 1);
        let t = ((s - beyond - arc[i - 1]) / (arc[i] - arc[i - 1]).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let ahead = (line[i] - line[i - 1]).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        (
            line[i - 1] + t * (line[i] - line[i - 1]) + beyond * ahead,
            radii[i - 1] + t * (radii[i] - radii[i - 1]),
        )
    };
    // A spline whose control points are (8 f − f₋ − f₊)/6 goes through the f to fourth order.
    let control = |k: usize| {
        let k = k as f64 - 1.0;
        let [(a, p), (b, q), (c, r)] = [at(k - 1.0), at(k), at(k + 1.0)];
        ((8.0 * b - a - c) / 6.0, (8.0 * q - p - r) / 6.0)
    };
    let (points, radii) = (0..spans + 3).map(control).unzip();
    Some(Tube { points, radii })
}
