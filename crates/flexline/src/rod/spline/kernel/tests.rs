use super::*;
use crate::body::Pose;
use crate::rod::Station;
use crate::section::{Section, SectionProfile};
use nalgebra::DVector;

const LENGTH: f64 = 0.7;

/// A straight rod bent to the given curvature, clamped at its start and, if asked, at its end.
fn span(n: usize, bend: f64, clamped: bool) -> (SplineSpan, Layout) {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).expect("sound section");
    let section = SectionProfile::uniform(section);
    let rod = |rest: &dyn Fn(f64) -> Vec3| SplineRod::new(LENGTH, n, &section, rest).expect("sound rod");
    let straight = rod(&|_| Vec3::zeros());
    let bent = rod(&|s| Vec3::new(bend * (4.0 * s).cos(), 0.3 * bend, 0.1 * bend));
    let start = Station { position: Vec3::zeros(), frame: rotation::exp(&Vec3::new(0.1, 1.2, 0.0)) };
    let shape = bent.rest_state(&start);
    let end = bent.station(&shape, LENGTH);
    let layout = Layout { clamped: [true, clamped], held: clamped, flows: [false; 2] };
    let clamp = |s: &Station| End::clamped(Pose { position: s.position, orientation: s.frame });
    let ends = [clamp(&start), if clamped { clamp(&end) } else { End::free() }];
    let mut state = State::new(shape, ends);
    for j in 0..straight.tensions() {
        state.rod.coordinates[straight.tension_at(j)] = 0.4 * bend * (0.5 + (j as f64).sin());
    }
    let world = World { gravity: Vec3::new(0.0, 0.0, -9.81), poles: &[] };
    let mut kernel = SplineSpan::new(&straight, Loads::default(), &layout);
    kernel.set_ends(&ends, &mut state);
    kernel.evaluate(&layout, &world, ends, &mut state);
    (kernel, layout)
}

/// Elimination by groups counts as eigenvalues do and loses no digits, however many groups follow one another.
#[test]
fn elimination_is_that_of_the_whole_matrix() {
    for clamped in [true, false] {
        for bend in [0.0, 3.0] {
            for n in [8, 24, 40, 80] {
                let (mut kernel, layout) = span(n, bend, clamped);
                for shift in [0.0, 1.0, -3.0, 100.0] {
                    let case = format!("{n} elements, bend {bend}, end held {clamped}, shift {shift}");
                    kernel.assemble(&layout, shift, 1e-9);
                    let pattern = &kernel.unknowns.pattern;
                    let dense = kernel.matrix.dense(pattern);
                    kernel.matrix.factorise(pattern).expect(&case);
                    let eigenvalues = dense.clone().symmetric_eigenvalues();
                    let negative = eigenvalues.iter().filter(|v| **v < 0.0).count();
                    assert_eq!(kernel.matrix.negative(), negative, "{case}");
                    let b: Vec<f64> = (0..dense.nrows()).map(|i| (1.3 * i as f64).sin()).collect();
                    let mut x = b.clone();
                    kernel.matrix.solve(pattern, &mut x);
                    let x = DVector::from_vec(x);
                    let left = (&dense * &x - DVector::from_vec(b)).amax();
                    let scale = dense.amax() * x.amax();
                    assert!(left < 1e-11 * scale, "{case}: {left:e} of {scale:e}");
                }
            }
        }
    }
}

/// A limp rod that hangs straight down is in equilibrium: its tension carries its weight. It found none by steps, which
/// were those of round-off.
#[test]
fn a_hanging_rod_begins_with_the_tension_of_its_weight() {
    let section = Section::measured(1e-9, 1e-9, 1e-9, 0.15, 0.004).expect("sound section");
    let rod = SplineRod::new(LENGTH, 30, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let rod = rod.expect("sound rod");
    let start =
        Pose { position: Vec3::new(0.1, 0.2, 0.3), orientation: rotation::frame(&-Vec3::z(), &Vec3::x()) };
    let layout = Layout { clamped: [true, false], held: false, flows: [false; 2] };
    let ends = [End::clamped(start), End::free()];
    let shape = rod.rest_state(&Station { position: start.position, frame: start.orientation });
    let mut state = State::new(shape, ends);
    let world = World { gravity: Vec3::new(0.0, 0.0, -9.81), poles: &[] };
    let mut kernel = SplineSpan::new(&rod, Loads::default(), &layout);
    kernel.evaluate(&layout, &world, ends, &mut state);
    let weight = 0.15 * LENGTH * 9.81;
    let norms = kernel.norms();
    assert!(norms.force < 1e-12 * weight, "{:e} of {weight}", norms.force);
    assert!((norms.largest_force / weight - 1.0).abs() < 0.01, "{}", norms.largest_force);
}
