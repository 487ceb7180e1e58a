use super::*;
use crate::rod::model::Model;
use crate::rod::testing;

fn profile() -> SectionProfile {
    SectionProfile::uniform(Section::measured(0.02, 0.03, 0.016, 0.15, 0.004).expect("sound section"))
}

fn rods() -> Vec<SplineRod> {
    let straight = |_: f64| Vec3::zeros();
    let helical = |_: f64| Vec3::new(1.0, -2.0, 3.0);
    let curly = |s: f64| Vec3::new(1.0 - 3.0 * s, 2.0 + s, 4.0 * s);
    vec![
        SplineRod::new(0.7, 5, &profile(), &straight).expect("sound rod"),
        SplineRod::new(0.7, 5, &profile(), &helical).expect("sound rod"),
        SplineRod::with_elements(&[0.0, 0.1, 0.3, 0.45, 0.7], &profile(), &curly).expect("sound rod"),
    ]
}

fn start() -> Station {
    Station { position: Vec3::new(0.3, -0.2, 0.5), frame: rotation::exp(&Vec3::new(0.3, 1.0, -0.4)) }
}

/// A state far from rest: control points moved by centimetres, frames rolled by radians.
fn far(rod: &SplineRod) -> RodState {
    let mut state = rod.rest_state(&start());
    let points = 3 * rod.controls();
    let step: Vec<f64> = testing::direction(rod, 3)
        .iter()
        .enumerate()
        .map(|(i, d)| if i < points { 0.03 * d } else { 2.0 * d })
        .collect();
    rod.displace(&mut state, &step);
    state
}

#[test]
fn the_rod_passes_the_shared_suite() {
    for rod in rods() {
        let forces = 3 * rod.controls();
        testing::run_with_forces(&rod, &rod.rest_state(&start()), forces);
        testing::run_with_forces(&rod, &far(&rod), forces);
    }
}

/// The strain is the rate at which frames turn.
#[test]
fn frames_turn_at_the_rate_of_the_strain() {
    for rod in rods() {
        let state = far(&rod);
        for k in 1..20 {
            let s = 0.7 * f64::from(k) / 20.0 + 1e-3;
            let h = 1e-5;
            let [a, b] = [s - h, s + h].map(|s| rod.station(&state, s).frame);
            let numeric = rotation::log(&(a.conjugate() * b)) / (2.0 * h);
            let exact = rod.strain(&state, s);
            assert!((numeric - exact).norm() < 1e-5 * exact.norm(), "at {s}: {exact} {numeric}");
        }
    }
}

/// A displacement carries every frame between elements as it says: by a shortest rotation and a roll.
#[test]
fn joints_roll_as_they_are_told() {
    for rod in rods() {
        let state = far(&rod);
        let step: Vec<f64> = testing::direction(&rod, 11).iter().map(|d| 0.04 * d).collect();
        let mut moved = state.clone();
        rod.displace(&mut moved, &step);
        let (old, new) = (&state.coordinates, &moved.coordinates);
        let frames = [old, new].map(|c| rod.joint_frames(c).collect::<Vec<Quat>>());
        for e in 0..=rod.elements() {
            let carried =
                rotation::between(&rod.joint_tangent(old, e), &rod.joint_tangent(new, e)) * frames[0][e];
            let roll = rotation::exp(&Vec3::new(0.0, 0.0, step[3 * rod.controls() + e]));
            let off = rotation::angle_between(&(carried * roll), &frames[1][e]);
            assert!(off < 1e-12, "joint {e}: {off}");
        }
    }
}

/// A helix is fitted with order 4, its full turns of twist included.
#[test]
fn shapes_are_fitted_with_order_four() {
    let u = Vec3::new(3.0, -2.0, 40.0);
    let errors: Vec<f64> = [12, 24]
        .into_iter()
        .map(|n| {
            let rod = SplineRod::new(0.7, n, &profile(), &|_| u).expect("sound rod");
            let state = rod.rest_state(&start());
            assert!((rod.twist_turns(&state) - 40.0 * 0.7 / std::f64::consts::TAU).abs() < 2e-3);
            let helix = crate::geometry::darboux::HelixElement::new(u, 0.7).expect("sound helix");
            (0..=50)
                .map(|k| {
                    let s = 0.7 * f64::from(k) / 50.0;
                    let exact = start().position + rotation::rotate(&start().frame, &helix.point(s).position);
                    (rod.station(&state, s).position - exact).norm()
                })
                .fold(0.0, f64::max)
        })
        .collect();
    assert!(errors[1] < errors[0] / 12.0, "{errors:?}");
}

/// Points of the quadrature shift and frames roll as asked, where a spline can: here with a rigid motion.
#[test]
fn points_move_as_asked() {
    for rod in rods() {
        let before = rod.rest_state(&start());
        let (shift, turn) = (Vec3::new(0.01, -0.02, 0.005), Vec3::new(2e-4, 3e-4, -5e-4));
        let old = rod.matter(&before);
        let mut after = before.clone();
        let to = |k: usize| shift + turn.cross(&old.points[k].position);
        let roll = |k: usize| rotation::rotate(&old.frames[k].1.conjugate(), &turn);
        rod.move_points(&mut after, &to, &roll);
        let new = rod.matter(&after);
        for k in 0..old.points.len() {
            let off = new.points[k].position - old.points[k].position - to(k);
            assert!(off.norm() < 1e-14, "point {k}: {off}");
            let turned = rotation::log(&(new.frames[k].1 * old.frames[k].1.conjugate())) - turn;
            // Rolls come from the points beside, a share of an element away.
            assert!(turned.norm() < 0.2 * turn.norm(), "frame {k}: {turned}");
        }
    }
}

/// Forces of a straight rod are round-off alone, and within what is said of it.
#[test]
fn roughness_bounds_round_off() {
    for n in [8, 40, 120] {
        let rod = SplineRod::new(0.7, n, &profile(), &|_| Vec3::zeros()).expect("sound rod");
        let mut worst = 0.0f64;
        for k in 0..20 {
            let frame = rotation::exp(&Vec3::new(0.3 + f64::from(k), 1.0, -0.4));
            let state = rod.rest_state(&Station { frame, ..start() });
            let mut forces = vec![0.0; rod.tangent_count()];
            rod.add_gradient(&state, &mut forces);
            worst = forces[..3 * rod.controls()].iter().fold(worst, |m, f| m.max(f.abs()));
        }
        let bound = f64::EPSILON * rod.roughness(&mut Vec::new());
        assert!(worst < bound, "{n} elements: {worst:e} of {bound:e}");
        assert!(worst > 1e-3 * bound, "{n} elements: {worst:e} of {bound:e}");
    }
}
