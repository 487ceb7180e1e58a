//! One test suite that every rod model must pass: derivatives against finite differences,
//! invariance under rigid motion, zero energy at rest, symmetry, station Jacobians.
//!
//! Each check panics with what it found; model tests call [`run`] on states of their own making.

use super::{Rod, RodState, Station};
use crate::algebra::tolerance::{assert_near, round_off, truncation};
use crate::algebra::{Quat, Vec3, rotation};

/// Runs every check on `rod` at `state` (any state, as far from rest as liked).
pub fn run(rod: &dyn Rod, state: &RodState) {
    run_with_forces(rod, state, 0);
}

/// The same for a rod whose first `forces` tangent coordinates are displacements in the world that strain it: their
/// part of the gradient turns with the rod.
pub fn run_with_forces(rod: &dyn Rod, state: &RodState, forces: usize) {
    gradient_agrees_with_differences(rod, state);
    hessian_agrees_with_differences(rod, state);
    constraints_agree_with_differences(rod, state);
    stations_agree_with_differences(rod, state);
    rigid_motion_costs_nothing(rod, state, forces);
    rest_has_no_energy(rod);
    projection_meets_constraints(rod, state);
}

/// Pseudo-random tangent vector with entries in [−1, 1]; the same for the same seed.
pub fn direction(rod: &dyn Rod, seed: u64) -> Vec<f64> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..rod.tangent_count())
        .map(|_| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((x >> 33) as f64 / (1u64 << 30) as f64) - 1.0
        })
        .collect()
}

fn moved(rod: &dyn Rod, state: &RodState, direction: &[f64], t: f64) -> RodState {
    let step: Vec<f64> = direction.iter().map(|d| d * t).collect();
    let mut other = state.clone();
    rod.displace(&mut other, &step);
    other
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn gradient(rod: &dyn Rod, state: &RodState) -> Vec<f64> {
    let mut g = vec![0.0; rod.tangent_count()];
    rod.add_gradient(state, &mut g);
    g
}

fn gradient_agrees_with_differences(rod: &dyn Rod, state: &RodState) {
    for seed in 1..4 {
        let d = direction(rod, seed);
        let h = 1e-5;
        let e = |t: f64| rod.energy(&moved(rod, state, &d, t));
        // Fourth order: a unit of displacement is far for a spline.
        let numeric = (8.0 * (e(h) - e(-h)) - (e(2.0 * h) - e(-2.0 * h))) / (12.0 * h);
        let exact = dot(&gradient(rod, state), &d);
        // The energy of a unit displacement, so that a state of rest has a scale too.
        let scale = gradient(rod, state).iter().map(|g| g.abs()).sum::<f64>()
            + rod.energy(&moved(rod, state, &d, 1.0));
        assert_near(exact, numeric, truncation(1e-7, scale), || format!("{}: gradient", rod.model()));
    }
}

fn hessian_agrees_with_differences(rod: &dyn Rod, state: &RodState) {
    let n = rod.tangent_count();
    let mut dense = vec![0.0; n * n];
    rod.hessian(state, &mut |r, c, v| dense[r * n + c] += v);
    let scale = dense.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for r in 0..n {
        for c in 0..r {
            let asymmetry = (dense[r * n + c] - dense[c * n + r]).abs();
            round_off(1e-12, scale)
                .allows(asymmetry, || format!("{}: symmetry of the Hessian at {r}, {c}", rod.model()));
        }
    }
    for seed in 4..7 {
        // Second difference along a geodesic: exactly dᵀHd at h → 0.
        let d = direction(rod, seed);
        let h = 3e-4;
        let e = |t: f64| rod.energy(&moved(rod, state, &d, t));
        let second = |h: f64| (e(h) - 2.0 * e(0.0) + e(-h)) / (h * h);
        // Richardson: fourth order.
        let numeric = (4.0 * second(0.5 * h) - second(h)) / 3.0;
        let exact: f64 = (0..n).map(|r| d[r] * dot(&dense[r * n..(r + 1) * n], &d)).sum();
        let size: f64 = (0..n * n).map(|k| dense[k].abs()).sum();
        assert_near(exact, numeric, truncation(1e-7, size), || format!("{}: Hessian", rod.model()));
    }
}

fn constraints_agree_with_differences(rod: &dyn Rod, state: &RodState) {
    let (m, n) = (rod.constraint_count(), rod.tangent_count());
    if m == 0 {
        return;
    }
    let value = |s: &RodState| {
        let mut c = vec![0.0; m];
        rod.constraints(s, &mut c);
        c
    };
    let d = direction(rod, 8);
    let h = 1e-4;
    let (plus, minus, here) =
        (value(&moved(rod, state, &d, h)), value(&moved(rod, state, &d, -h)), value(state));
    let mut first = vec![0.0; m];
    rod.constraint_jacobian(state, &mut |r, c, v| first[r] += v * d[c]);
    let multipliers: Vec<f64> = (0..m).map(|i| ((i * 7 + 3) % 11) as f64 - 5.0).collect();
    let mut second = 0.0;
    rod.constraint_hessian(state, &multipliers, &mut |r, c, v| {
        assert!(r < n && c < n);
        second += d[r] * v * d[c];
    });
    let mut second_numeric = 0.0;
    for i in 0..m {
        let numeric = (plus[i] - minus[i]) / (2.0 * h);
        assert_near(first[i], numeric, truncation(1e-6, 1.0), || format!("{}: constraint {i}", rod.model()));
        second_numeric += multipliers[i] * (plus[i] - 2.0 * here[i] + minus[i]) / (h * h);
    }
    let scale = multipliers.iter().map(|v| v.abs()).sum::<f64>();
    let what = || format!("{}: curvature of the constraints", rod.model());
    assert_near(second, second_numeric, truncation(1e-5, scale), what);
}

/// The check of stations alone, for states that others cannot judge.
pub fn run_stations(rod: &dyn Rod, state: &RodState) {
    stations_agree_with_differences(rod, state);
}

fn stations_agree_with_differences(rod: &dyn Rod, state: &RodState) {
    let l = rod.length();
    let d = direction(rod, 9);
    let h = 1e-5;
    let pairs = [h, 2.0 * h].map(|h| (moved(rod, state, &d, h), moved(rod, state, &d, -h)));
    for k in 0..=13 {
        let s = l * k as f64 / 13.0;
        let (mut velocity, mut spin) = (Vec3::zeros(), Vec3::zeros());
        for (i, p, r) in rod.station_jacobian(state, s).columns {
            velocity += p * d[i];
            spin += r * d[i];
        }
        let changes = pairs.each_ref().map(|(plus, minus)| {
            let (a, b) = (rod.station(plus, s), rod.station(minus, s));
            (a.position - b.position, rotation::log(&(a.frame * b.frame.conjugate())))
        });
        // Fourth order.
        let v = (8.0 * changes[0].0 - changes[1].0) / (12.0 * h);
        let w = (8.0 * changes[0].1 - changes[1].1) / (12.0 * h);
        for (what, found, exact) in [("position", velocity, v), ("rotation", spin, w)] {
            truncation(1e-7, 1.0 + exact.norm()).allows((found - exact).norm(), || {
                format!("{}: {what} at s = {s}: {found} {exact}", rod.model())
            });
        }
    }
}

fn rigid_motion_costs_nothing(rod: &dyn Rod, state: &RodState, forces: usize) {
    let (turn, shift) = (rotation::exp(&Vec3::new(0.4, -1.1, 0.8)), Vec3::new(3.0, -2.0, 1.0));
    let carried = rod.state_from(&|s| {
        let station = rod.station(state, s);
        Station { position: rotation::rotate(&turn, &station.position) + shift, frame: turn * station.frame }
    });
    let original = rod.state_from(&|s| rod.station(state, s));
    let (a, b) = (rod.energy(&original), rod.energy(&carried));
    // A state of rest is judged by the energy of a unit displacement.
    let unit = moved(rod, state, &direction(rod, 10), 1.0);
    let allowed = round_off(1e-10, a).plus(round_off(1e-20, rod.energy(&unit)));
    assert_near(b, a, allowed, || format!("{}: energy after a rigid motion", rod.model()));
    let (mut ga, gb) = (gradient(rod, &original), gradient(rod, &carried));
    for force in ga[..forces].chunks_exact_mut(3) {
        let turned = rotation::rotate(&turn, &Vec3::from_column_slice(force));
        force.copy_from_slice(turned.as_slice());
    }
    let scale = ga.iter().chain(&gradient(rod, &unit)).fold(0.0f64, |m, v| m.max(v.abs()));
    for (i, (x, y)) in ga.iter().zip(&gb).enumerate() {
        let what = || format!("{}: material gradient {i} after a rigid motion", rod.model());
        assert_near(*y, *x, round_off(1e-8, scale), what);
    }
}

fn rest_has_no_energy(rod: &dyn Rod) {
    let start = Station { position: Vec3::new(0.3, 0.1, -0.2), frame: Quat::new(0.5, 0.5, -0.5, 0.5) };
    let state = rod.rest_state(&start);
    let mut unit = state.clone();
    rod.displace(&mut unit, &direction(rod, 10));
    let scale = rod.energy(&unit);
    round_off(1e-20, scale).allows(rod.energy(&state), || format!("{}: energy at rest", rod.model()));
    let slope = gradient(rod, &state).iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let unit_slope = gradient(rod, &unit).iter().fold(0.0f64, |m, v| m.max(v.abs()));
    round_off(1e-11, unit_slope).allows(slope, || format!("{}: gradient at rest", rod.model()));
    let off = (rod.station(&state, 0.0).position - start.position).norm();
    round_off(1e-12, 1.0).allows(off, || format!("{}: first station at rest", rod.model()));
}

fn projection_meets_constraints(rod: &dyn Rod, state: &RodState) {
    let mut projected = state.clone();
    rod.project(&mut projected);
    let mut c = vec![0.0; rod.constraint_count()];
    rod.constraints(&projected, &mut c);
    let worst = c.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    round_off(1e-14, rod.length()).allows(worst, || format!("{}: constraints after projection", rod.model()));
    let (a, b) = (rod.station(state, 0.0), rod.station(&projected, 0.0));
    let off = (a.position - b.position).norm();
    round_off(1e-12, 1.0).allows(off, || format!("{}: first station after projection", rod.model()));
}
