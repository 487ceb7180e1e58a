//! Cables for the tests.

use flexline_plot::{Cable, End, Limits, Station};

/// A straight cable along the unit vector `axis` from `start`, twisted by `turns`.
pub fn straight(n: usize, start: [f64; 3], axis: [f64; 3], length: f64, radius: f64, turns: f64) -> Cable {
    let station = |i: usize| {
        let u = i as f64 / (n - 1) as f64;
        Station {
            s: u * length,
            position: [0, 1, 2].map(|c| start[c] + axis[c] * u * length),
            frame: frame(axis, std::f64::consts::TAU * turns * u),
            strain: [0.0, 0.0, std::f64::consts::TAU * turns / length],
            moment: [0.0; 3],
            force: axis.map(|c| 10.0 * c),
            radius,
        }
    };
    Cable { name: "straight".into(), stations: (0..n).map(station).collect(), ..Cable::default() }
}

/// The frame with d3 along one of the coordinate axes, turned about it by `angle`.
fn frame(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let h = std::f64::consts::FRAC_1_SQRT_2;
    let base = match axis {
        [x, _, _] if x > 0.5 => [h, 0.0, h, 0.0],
        [_, y, _] if y > 0.5 => [h, -h, 0.0, 0.0],
        _ => [1.0, 0.0, 0.0, 0.0],
    };
    let (s, c) = (0.5 * angle).sin_cos();
    let [w, x, y, z] = base;
    [w * c - z * s, x * c + y * s, y * c - x * s, w * s + z * c]
}

/// A helix about z with `turns` turns, its frame following the curve.
pub fn helix(n: usize, size: f64, turns: f64) -> Cable {
    let (r, pitch) = (0.3 * size, 0.15 * size);
    let omega = std::f64::consts::TAU * turns;
    let speed = (r * omega).hypot(pitch * turns);
    let station = |i: usize| {
        let u = i as f64 / (n - 1) as f64;
        let (sin, cos) = (omega * u).sin_cos();
        let tangent = [-sin * r * omega / speed, cos * r * omega / speed, pitch * turns / speed];
        Station {
            s: u * speed,
            position: [r * cos, r * sin, pitch * turns * u],
            frame: from_tangent(tangent),
            strain: [0.2 / size, (1.0 + 0.4 * (9.0 * u).sin()) / size, 0.5 / size],
            moment: [0.01, 0.02 * u, 0.03],
            force: [1.0, -2.0, 3.0 * u],
            radius: 0.012 * size,
        }
    };
    Cable {
        name: "helix".into(),
        stations: (0..n).map(station).collect(),
        ends: [End::Clamped, End::Pinned],
        limits: Limits { curvature: Some(1.3 / size), tension: Some(2.0), ..Limits::default() },
        ..Cable::default()
    }
}

/// The shortest rotation that takes z to the unit vector `t`.
fn from_tangent(t: [f64; 3]) -> [f64; 4] {
    let q = [1.0 + t[2], -t[1], t[0], 0.0];
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if norm < 1e-9 { [0.0, 1.0, 0.0, 0.0] } else { q.map(|c| c / norm) }
}
