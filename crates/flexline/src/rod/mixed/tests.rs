//! The shared suite on the mixed rod, and what is its own.

use super::*;
use crate::rod::testing;
use crate::section::{Section, SectionProfile};

fn rod(n: usize) -> MixedRod {
    let section = Section::measured(0.03, 0.02, 0.025, 0.2, 0.004).unwrap();
    MixedRod::new(&Mesh::graded(1.3, n, [0.05, 0.02]).unwrap(), &SectionProfile::uniform(section), &|s| {
        Vec3::new(1.0 + s, -2.0 * s, 3.0)
    })
}

fn bent_state(rod: &MixedRod) -> RodState {
    let mut state =
        rod.rest_state(&Station { position: Vec3::new(0.1, 0.2, 0.3), frame: rotation::identity() });
    let step: Vec<f64> = testing::direction(rod, 42).iter().map(|d| 0.3 * d).collect();
    rod.displace(&mut state, &step);
    rod.remember_twist(&mut state);
    state
}

#[test]
fn passes_the_shared_suite() {
    for n in [4, 9, 16] {
        let rod = rod(n);
        testing::run(&rod, &bent_state(&rod));
        testing::run(
            &rod,
            &rod.rest_state(&Station { position: Vec3::zeros(), frame: rotation::identity() }),
        );
    }
}

#[test]
fn stations_are_smooth_and_meet_the_nodes() {
    let rod = rod(12);
    let mut state = bent_state(&rod);
    rod.project(&mut state);
    let nodes = rod.mesh().nodes().to_vec();
    for (j, &s) in nodes.iter().enumerate() {
        assert!((rod.station(&state, s).position - rod.position(&state, j)).norm() < 1e-14);
    }
    // One-sided slopes agree at every node and at every middle.
    let h = 1e-7;
    for s in nodes[1..12].iter().copied().chain(nodes.windows(2).map(|w| 0.5 * (w[0] + w[1]))) {
        let at = |s: f64| rod.station(&state, s).position;
        let (left, right) = ((at(s) - at(s - h)) / h, (at(s + h) - at(s)) / h);
        assert!((left - right).norm() < 1e-4, "kink of {} at s = {s}", (left - right).norm());
    }
}

#[test]
fn twenty_turns_are_twenty_turns_on_any_mesh() {
    let section = Section::measured(0.03, 0.03, 0.02, 0.2, 0.004).unwrap();
    for n in [4, 10, 100] {
        let rod = MixedRod::new(&Mesh::uniform(1.0, n).unwrap(), &SectionProfile::uniform(section), &|_| {
            Vec3::zeros()
        });
        let tau = 2.0 * std::f64::consts::PI * 20.0;
        let mut state = rod.rest_state(&Station { position: Vec3::zeros(), frame: rotation::identity() });
        for j in 0..n + 2 {
            let s = rod.frame_arc(j);
            rod.set_frame(&mut state, j, &rotation::exp(&Vec3::new(0.0, 0.0, tau * s)));
        }
        for j in 0..=n {
            state.twist[j] = tau * rod.duals[j];
        }
        assert!((rod.twist_turns(&state) - 20.0).abs() < 1e-12);
        // Between the nodes the frames turn all the way too.
        for k in 0..=40 {
            let s = f64::from(k) / 40.0;
            let expected = rotation::exp(&Vec3::new(0.0, 0.0, tau * s));
            assert!(rotation::angle_between(&rod.station(&state, s).frame, &expected) < 1e-9, "n {n}, s {s}");
        }
        testing::run_stations(&rod, &state);
        assert!((rod.energy(&state) / (0.5 * 0.02 * tau * tau) - 1.0).abs() < 1e-12);
    }
}

/// However a segment's mass lies in it, its kinetic energy is positive and that of a bar that moves along.
#[test]
fn coupled_masses_keep_the_kinetic_energy_positive() {
    assert_eq!(coupling([0.0, 0.0]), 0.0);
    for [a, b] in [[1.0, 1.0], [1.0, 1e-3], [1e-6, 1.0], [0.0, 1.0]] {
        let mu = coupling([a, b]);
        // Of [[a − μ, μ], [μ, b − μ]]: what it is when both move alike, and its determinant.
        let (all, determinant) = ((a - mu) + 2.0 * mu + (b - mu), (a - mu) * (b - mu) - mu * mu);
        assert!((all - (a + b)).abs() < 1e-15);
        assert!(determinant >= 0.33 * a * b, "{a} {b}: {determinant}");
    }
    assert!((coupling([0.5, 0.5]) - 1.0 / 6.0).abs() < 1e-15);
}
