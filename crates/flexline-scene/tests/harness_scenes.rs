//! Every harness of the repository: in equilibrium, joints closed, forces balanced.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::statics::network::Constraint;
use flexline::solver::{Axes, Status};
use flexline_scene::{AnyScene, HarnessCompiled, HarnessSolution};

fn solved(name: &str) -> (HarnessCompiled, HarnessSolution) {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let AnyScene::Harness(harness) = AnyScene::load(path).unwrap_or_else(|e| panic!("{e}")) else {
        panic!("{name} is not a harness")
    };
    assert!(harness.title.is_some());
    let compiled = harness.compile().unwrap();
    let solution = compiled.solve(&compiled.settings()).unwrap();
    (compiled, solution)
}

/// Weight, loads, reactions and what constraints to the world exert: nothing is left over.
fn unbalanced(compiled: &HarnessCompiled, solution: &HarnessSolution) -> (Vec3, f64) {
    let network = &compiled.network;
    let mut total = Vec3::zeros();
    let mut largest = 0.0f64;
    let mut add = |force: Vec3| {
        total += force;
        largest = largest.max(force.norm());
    };
    for (anchor, reaction) in network.anchors.iter().zip(&solution.report.reactions) {
        add(network.gravity * anchor.mass);
        add(anchor.force);
        add(reaction.force);
    }
    for cable in &compiled.cables {
        add(network.gravity * cable.section.cell(0.0, cable.length).mass);
    }
    for span in &network.spans {
        for load in &span.point_loads {
            assert_eq!(load.axes, Axes::World);
            add(load.force);
        }
        for load in &span.distributed_loads {
            assert_eq!(load.axes, Axes::World);
            add((load.force[0] + load.force[1]) * (0.5 * (load.to - load.from)));
        }
    }
    for (i, constraint) in network.constraints.iter().enumerate() {
        let to_world = match constraint {
            Constraint::Plane { .. } | Constraint::Line { .. } => true,
            _ => constraint.anchors().contains(&None),
        };
        if to_world {
            let sign = if constraint.anchors()[0].is_some() { 1.0 } else { -1.0 };
            add(compiled.constraint_force(solution, i) * sign);
        }
    }
    (total, largest)
}

#[track_caller]
fn assert_sound(compiled: &HarnessCompiled, solution: &HarnessSolution) {
    let report = &solution.report;
    assert_eq!(report.status, Status::Converged, "{report:?}");
    assert_eq!(report.negative, 0, "{report:?}");
    assert!(report.violation < 1e-9, "{report:?}");
    let (total, largest) = unbalanced(compiled, solution);
    assert!(total.norm() < 1e-6 * largest, "{total} of {largest}");
    for (cable, profile) in compiled.cables.iter().zip(&solution.profiles) {
        let samples = &profile.samples;
        assert_eq!(samples[0].s, 0.0);
        assert!((samples[samples.len() - 1].s - cable.length).abs() < 1e-12);
        assert!(samples.windows(2).all(|w| w[0].s <= w[1].s));
        // Cuts do not tear the cable.
        for w in samples.windows(2).filter(|w| w[0].s == w[1].s) {
            assert!((w[0].position - w[1].position).norm() < 1e-9);
            assert!(rotation::angle_between(&w[0].frame, &w[1].frame) < 0.1);
        }
    }
}

#[test]
fn y_branch() {
    let (compiled, solution) = solved("y-branch");
    assert_sound(&compiled, &solution);
    assert_eq!(compiled.network.spans.len(), 3);
    // The fork hangs between its ports, and its branches leave it as they were told.
    let fork = solution.state.anchors[3];
    let z = rotation::tangent(&fork.orientation);
    for (cable, sign) in [(1, -1.0), (2, 1.0)] {
        let first = &solution.profiles[cable].samples[0];
        let t = rotation::tangent(&first.frame);
        let expected = rotation::rotate(&fork.orientation, &Vec3::new(0.0, sign * 0.3, 1.0).normalize());
        assert!((t - expected).norm() < 1e-9);
        assert!((first.position - fork.position).norm() < 1e-9);
    }
    let last = solution.profiles[0].samples.last().unwrap();
    assert!((rotation::tangent(&last.frame) - z).norm() < 1e-9);
}
