//! How a rod is knotted.

use flexline::Vec3;
use flexline::algebra::rotation;
use nalgebra::DMatrix;

/// |Δ(−1)| of the closed polygon: 1 of a knot that is none, 3 of a trefoil. Every arc of its shadow has a colour, twice that
/// of the upper at a crossing being the sum of the lower two.
pub fn determinant(points: &[Vec3]) -> f64 {
    // Seen from nowhere in particular.
    let view = rotation::matrix(&rotation::exp(&Vec3::new(0.3, 0.71, 0.2)));
    let seen: Vec<Vec3> = points.iter().map(|p| view * p).collect();
    let n = seen.len();
    let mut under: Vec<(f64, f64)> = Vec::new();
    for i in 0..n {
        for j in i + 2..n {
            if i == 0 && j == n - 1 {
                continue;
            }
            let (a, b, c, d) = (seen[i], seen[(i + 1) % n], seen[j], seen[(j + 1) % n]);
            let cross = |u: Vec3, v: Vec3| u.x * v.y - u.y * v.x;
            let (u, v) = (b - a, d - c);
            let area = cross(u, v);
            let (s, t) = (cross(c - a, v) / area, cross(c - a, u) / area);
            if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                let (on_first, on_second) = (i as f64 + s, j as f64 + t);
                let first_above = (a + u * s).z > (c + v * t).z;
                under.push(if first_above { (on_second, on_first) } else { (on_first, on_second) });
            }
        }
    }
    under.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = under.len();
    if count < 2 {
        return 1.0;
    }
    // Arc k ends at the k-th place that passes under something.
    let arc = |at: f64| under.iter().position(|(end, _)| at < *end).unwrap_or(0);
    let mut colours = DMatrix::<f64>::zeros(count, count);
    for (k, (_, above)) in under.iter().enumerate() {
        colours[(k, arc(*above))] += 2.0;
        colours[(k, k)] -= 1.0;
        colours[(k, (k + 1) % count)] -= 1.0;
    }
    colours.view((0, 0), (count - 1, count - 1)).into_owned().determinant().abs()
}
