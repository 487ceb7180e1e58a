//! Every harness of the repository: in equilibrium, joints closed, forces balanced.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{Constraint, NetworkWorkspace, solve_network};
use flexline::solver::statics::Settings;
use flexline::solver::{Axes, Pose, Status};
use flexline_scene::check::Verdict;
use flexline_scene::{Compiled, Scene, Solution};

fn solved(name: &str) -> (Compiled, Solution) {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let scene = Scene::load(path).unwrap_or_else(|e| panic!("{e}"));
    assert!(scene.title.is_some() && !scene.is_single());
    let compiled = scene.compile().unwrap();
    let solution = compiled.solve(&compiled.settings()).unwrap();
    (compiled, solution)
}

/// Weight, loads, reactions and what constraints to the world exert: nothing is left over.
fn unbalanced(compiled: &Compiled, solution: &Solution) -> (Vec3, f64) {
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
    for (i, cable) in compiled.cables.iter().enumerate() {
        // What lies on a rim has no weight, nor what the segments do not show of the bend beside it.
        let state = &solution.state;
        let laid = |span: usize| state.lengths[span] - state.taken[span].iter().sum::<f64>();
        let spans: f64 = cable.spans.iter().map(|(span, _)| laid(*span)).sum();
        let slides = cable.routed || compiled.eyes.iter().any(|e| e.cable == i);
        let length = if slides { spans } else { cable.length };
        let share = length / cable.length;
        add(network.gravity * (cable.section.cell(0.0, cable.length).mass * share));
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
        if constraint.anchors().contains(&None) {
            let sign = if constraint.anchors()[0].is_some() { 1.0 } else { -1.0 };
            add(compiled.constraint_force(solution, i) * sign);
        }
    }
    (total, largest)
}

#[track_caller]
fn assert_sound(compiled: &Compiled, solution: &Solution) {
    let report = &solution.report;
    assert_eq!(report.status, Status::Converged, "{report:?}");
    assert_eq!(report.negative, 0, "{report:?}");
    assert!(report.violation < 1e-9, "{report:?}");
    let (total, largest) = unbalanced(compiled, solution);
    // Where nothing pulls from outside, the forces within are the measure.
    let nothing = largest < 1e-9 * report.largest_force;
    let largest = if nothing { report.largest_force } else { largest };
    assert!(total.norm() < 1e-6 * largest, "{total} of {largest}");
    for (i, profile) in solution.profiles.iter().enumerate() {
        let samples = &profile.samples;
        assert_eq!(samples[0].s, 0.0);
        assert!((samples[samples.len() - 1].s - compiled.length_now(&solution.state, i)).abs() < 1e-12);
        assert!(samples.windows(2).all(|w| w[0].s <= w[1].s));
        // Cuts do not tear the cable.
        for w in samples.windows(2).filter(|w| w[0].s == w[1].s) {
            assert!((w[0].position - w[1].position).norm() < 1e-9);
            assert!(rotation::angle_between(&w[0].frame, &w[1].frame) < 0.1);
        }
    }
}

/// Four models of one cable carry the lamp alike.
#[test]
fn mixed_models() {
    let (compiled, solution) = solved("mixed-models");
    assert_sound(&compiled, &solution);
    let lifts: Vec<f64> = solution.report.reactions[..4].iter().map(|r| r.force.z).collect();
    let mean = lifts.iter().sum::<f64>() / 4.0;
    assert!(lifts.iter().all(|lift| (lift - mean).abs() < 0.01 * mean), "{lifts:?}");
    let lamp = solution.state.anchors[4].position;
    assert!(lamp.x.hypot(lamp.y) < 1e-4, "{lamp}");
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

#[test]
fn control_unit() {
    let (compiled, solution) = solved("control-unit");
    assert_sound(&compiled, &solution);
    // It hangs below its bulkheads, in the plane of its cables, its heavier side lower.
    let unit = solution.state.anchors[2];
    assert!(unit.position.z < -0.3 && unit.position.y.abs() < 1e-9, "{}", unit.position);
    let [front, rear] = [&solution.report.reactions[0], &solution.report.reactions[1]].map(|r| r.force.z);
    assert!(rear > front && front > 1.0, "{front} {rear}");
}

#[test]
fn clips_on_a_car_side() {
    let (compiled, solution) = solved("clips");
    assert_sound(&compiled, &solution);
    let [a, b, c] = [2, 3, 4].map(|i| (solution.state.anchors[i], solution.report.reactions[i]));
    assert_eq!(compiled.cables[0].spans.len(), 4);
    assert_eq!(a.0.position, Vec3::new(0.39, 0.0, -0.02));
    assert!((rotation::tangent(&a.0.orientation) - Vec3::x()).norm() < 1e-12);
    // The second clip lets the bundle turn, the third lets it slide along x.
    assert_eq!(b.1.moment, Vec3::zeros());
    assert!(b.1.force.norm() > 0.1);
    assert_eq!(c.1.force.x, 0.0);
    assert!((c.0.position.x - 1.38).abs() > 1e-4 && c.0.position.y == 0.02);
    // Tension jumps where a clip holds the bundle along itself, and only there.
    let jump = |s: f64| {
        let w =
            solution.profiles[0].samples.windows(2).find(|w| w[0].s == w[1].s && (w[0].s - s).abs() < 1e-9);
        w.map(|w| (w[1].force_world - w[0].force_world).norm()).unwrap()
    };
    assert!((jump(0.42) - a.1.force.norm()).abs() < 1e-6);
    assert!((jump(0.95) - b.1.force.norm()).abs() < 1e-6);
}

#[test]
fn door_harness() {
    let (compiled, solution) = solved("door-harness");
    assert_sound(&compiled, &solution);
    assert_eq!(compiled.cables.len(), 9);
    let findings = compiled.check(&solution);
    assert!(findings.overall() < Verdict::Fail, "{findings:?}");
    assert_eq!(findings.cables.len(), 9);
    // Branches begin where the trunk passes.
    let trunk = &solution.profiles[0].samples;
    for (cable, s) in [(1, 0.26), (2, 0.26), (3, 0.4), (5, 0.56), (6, 1.0)] {
        let at = trunk.iter().find(|sample| (sample.s - s).abs() < 1e-9).unwrap();
        assert!((solution.profiles[cable].samples[0].position - at.position).norm() < 1e-9);
    }
}

#[test]
fn rope_bridge() {
    let (compiled, solution) = solved("rope-bridge");
    assert_sound(&compiled, &solution);
    assert_eq!(compiled.network.constraints.len(), 21);
    // Mirror images of each other, and kept apart.
    let place = |name: &str| {
        let i = compiled.anchors.iter().position(|a| a.name == name).unwrap();
        solution.state.anchors[i].position
    };
    for k in 1..=7 {
        let (l, r) = (place(&format!("left {k}")), place(&format!("right {k}")));
        assert!((l - r).xz().norm() < 1e-7 && (l.y + r.y).abs() < 1e-7, "{l} {r}");
        assert!(((l - r).norm() - 0.9).abs() < 1e-9);
        assert!(((l - place(&format!("foot {k}"))).norm() - 1.1).abs() < 1e-9);
    }
    // Lowest under the walker.
    assert!((1..=7).all(|k| place("foot 3").z <= place(&format!("foot {k}")).z));
}

#[test]
fn spider_net() {
    let (compiled, solution) = solved("spider-net");
    assert_sound(&compiled, &solution);
}

/// Tensions before and after an eye, and the angle between them.
fn eye(compiled: &Compiled, solution: &Solution, name: &str) -> ([f64; 2], f64) {
    let i = compiled.eyes.iter().position(|e| e.name == name).unwrap();
    (solution.report.eyes[i].tensions, solution.report.eyes[i].wrap)
}

#[track_caller]
fn assert_near(value: f64, expected: f64, share: f64) {
    assert!((value / expected - 1.0).abs() < share, "{value} instead of {expected}");
}

#[test]
fn block_and_tackle() {
    let (compiled, solution) = solved("block-and-tackle");
    assert_sound(&compiled, &solution);
    let half = 0.5 * 20.0 * 9.81;
    let (tensions, wrap) = eye(&compiled, &solution, "block");
    tensions.iter().for_each(|t| assert_near(*t, half, 1e-2));
    // At the sheave there is the rope's own weight between the two as well.
    let height = -solution.state.anchors[2].position.z;
    let rope = 9.81 * compiled.cables[0].section.cell(0.0, height).mass;
    eye(&compiled, &solution, "sheave").0.iter().for_each(|t| assert_near(*t, tensions[1] + rope, 1e-3));
    tensions.iter().for_each(|t| assert_near(*t, half / (0.5 * (std::f64::consts::PI - wrap)).cos(), 1e-3));
    // The block hangs in the middle between ceiling and sheave, as deep as the rope lets it.
    let block = solution.state.anchors[2].position;
    assert!((block.x - 0.05).abs() < 2e-3 && block.z < -1.5, "{block}");
    let total: f64 = solution.state.lengths.iter().sum();
    assert!((total - 4.4).abs() < 1e-12);
}

#[test]
fn winch() {
    let (compiled, solution) = solved("winch");
    assert_sound(&compiled, &solution);
    let weight = 50.0 * 9.81;
    let (tensions, _) = eye(&compiled, &solution, "jib");
    tensions.iter().for_each(|t| assert_near(*t, weight, 5e-3));
    // 2.5 m of the 3.3 m left are between jib and drum, 0.2 m between hook and origin.
    let load = solution.state.anchors[1].position;
    assert!((load.z + 1.0).abs() < 5e-3, "{load}");
    assert!((compiled.cables[0].length - 3.3).abs() < 1e-12);
}

#[test]
fn capstan() {
    let (compiled, solution) = solved("capstan");
    assert_sound(&compiled, &solution);
    let ([before, after], wrap) = eye(&compiled, &solution, "bollard");
    assert!(!solution.report.eyes[0].sticks);
    assert!((wrap - std::f64::consts::PI).abs() < 0.02, "{wrap}");
    assert_near(after / before, (0.2 * wrap).exp(), 1e-3);
    // The weight, and a metre of rope.
    assert!(before > 5.0 * 9.81 && before < 5.1 * 9.81, "{before}");
}

#[test]
fn clothes_line() {
    let (compiled, solution) = solved("clothes-line");
    assert_sound(&compiled, &solution);
    for name in ["first post", "pulley", "second post"] {
        for tension in eye(&compiled, &solution, name).0 {
            assert_near(tension, 4.0 * 9.81, 6e-3);
        }
    }
    // Both sides leave the bag at one angle: the sine is half its weight over the tension.
    let (tensions, wrap) = eye(&compiled, &solution, "pulley");
    assert_near(tensions[0] / tensions[1], 1.0, 1e-3);
    assert_near((0.5 * wrap).sin(), 2.0 * 9.81 / (2.0 * tensions[0]), 1e-3);
    let [bag, left, right] = [1, 3, 4].map(|i| solution.state.anchors[i].position);
    let rise = |post: Vec3| (post.z - bag.z) / (post.x - bag.x).abs();
    assert_near(rise(left), rise(right), 2e-2);
}

fn pose(compiled: &Compiled, solution: &Solution, name: &str) -> Pose {
    let i = compiled.anchors.iter().position(|a| a.name == name).unwrap();
    solution.state.anchors[i]
}

#[test]
fn pearl_necklace() {
    let (compiled, solution) = solved("pearl-necklace");
    assert_sound(&compiled, &solution);
    let pearls: Vec<Vec3> =
        (1..=24).map(|k| pose(&compiled, &solution, &format!("pearl {k}")).position).collect();
    // They touch, none overlaps, and the row is its own mirror image.
    for w in pearls.windows(2) {
        let d = (w[1] - w[0]).norm();
        assert!(d > 0.008 - 1e-9 && d < 0.00801, "{d}");
    }
    for (a, b) in pearls.iter().zip(pearls.iter().rev()) {
        assert!((a.x + b.x).abs() < 1e-6 && (a.z - b.z).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn pulley() {
    let (compiled, solution) = solved("pulley");
    assert_sound(&compiled, &solution);
    let ([before, after], wrap) = eye(&compiled, &solution, "wheel");
    assert_near(before / after, 1.0, 1e-3);
    assert!(before > 2.0 * 9.81 && before < 2.0 * 9.81 + 12e-3 * 9.81, "{before}");
    // Straight up on the left; the line to the cleat leans, and stiffness lifts the rope off on both sides.
    let straight = 1.5 * std::f64::consts::PI - 0.3f64.atan2(0.8) - (0.06f64 / 0.3f64.hypot(0.8)).acos();
    let lifted = 2.0 * (1.0 - 2e-3 / (2.0 * before * 0.06 * 0.06)).acos();
    assert!((wrap - (straight - lifted)).abs() < 5e-3, "{wrap} {straight} {lifted}");
    let findings = compiled.check(&solution);
    assert_eq!(findings.overall(), Verdict::Pass);
}

#[test]
fn lamp_on_a_pulley() {
    let (compiled, solution) = solved("lamp-on-a-pulley");
    assert_sound(&compiled, &solution);
    let (tensions, _) = eye(&compiled, &solution, "lamp pulley");
    tensions.iter().for_each(|t| assert_near(*t, 1.5 * 9.81, 1e-2));
    let ([before, after], wrap) = eye(&compiled, &solution, "ceiling wheel");
    assert_near(after / before, (0.1 * wrap).exp(), 1e-3);
    // The lamp hangs straight below its pulley, in the middle of its falls.
    let lamp = pose(&compiled, &solution, "lamp");
    assert!(rotation::angle_between(&lamp.orientation, &rotation::identity()) < 1e-3);
    assert!((lamp.position.x - 0.04).abs() < 1e-3 && lamp.position.y.abs() < 1e-9, "{}", lamp.position);
}

#[test]
fn slip_knot() {
    let (compiled, solution) = solved("slip-knot");
    assert_sound(&compiled, &solution);
    let (tensions, turned) = eye(&compiled, &solution, "knot");
    tensions.iter().for_each(|t| assert_near(*t, 9.81, 1e-2));
    // Three equal pulls part by 120 degrees.
    assert!((turned.to_degrees() - 60.0).abs() < 0.5, "{turned}");
    let (_, wrap) = eye(&compiled, &solution, "post");
    let lifted = 2.0 * (1.0f64 - 1e-5 / (2.0 * tensions[0] * 0.05 * 0.05)).acos();
    assert!((wrap + lifted - 300f64.to_radians()).abs() < 0.01, "{wrap} {lifted}");
    // Two tangents that part by 120 degrees meet at R / sin 60° from the axle.
    assert_near(-pose(&compiled, &solution, "knot").position.z, 0.05 / 60f64.to_radians().sin(), 1e-2);
}

#[test]
fn routed_hose() {
    let (compiled, solution) = solved("routed-hose");
    assert_sound(&compiled, &solution);
    let length = compiled.length_now(&solution.state, 0);
    assert!(length > 0.5 && length < 0.65, "{length}");
    // Each piece has found its own length.
    assert_eq!(compiled.network.slides.len(), 2);
    assert!(solution.state.lengths.iter().all(|l| (l - 0.36).abs() > 0.01), "{:?}", solution.state.lengths);
}

#[test]
fn bow() {
    let (compiled, solution) = solved("bow");
    assert_sound(&compiled, &solution);
    // The two limbs are mirror images; what the hand holds, both halves of the string pull.
    let [upper, lower] = ["upper tip", "lower tip"].map(|n| pose(&compiled, &solution, n).position);
    assert!((upper - Vec3::new(lower.x, lower.y, -lower.z)).norm() < 1e-6, "{upper} {lower}");
    let nock = compiled.anchors.iter().position(|a| a.name == "nock").unwrap();
    let draw = solution.report.reactions[nock].force + compiled.constraint_force(&solution, 0);
    let tension = solution.profiles[2].samples[0].tension();
    let lean = (0.5 - upper.x) / (0.5 - upper.x).hypot(upper.z);
    assert_near(draw.x, 2.0 * tension * lean, 5e-3);
    // A finger of half a newton keeps the arrow on the string.
    assert!((compiled.constraint_force(&solution, 0).x - 0.5).abs() < 1e-9);
}

#[test]
fn double_helix() {
    let (compiled, solution) = solved("double-helix");
    assert_sound(&compiled, &solution);
    for k in 1..=20 {
        let [a, b] = ["first", "second"].map(|n| pose(&compiled, &solution, &format!("{n} {k}")).position);
        assert!(((a - b).norm() - 0.0196).abs() < 1e-9);
        // Each the other's image by half a turn about z.
        assert!((a.x + b.x).abs() < 1e-6 && (a.y + b.y).abs() < 1e-6 && (a.z - b.z).abs() < 1e-6, "{a} {b}");
    }
    // Two turns of 34 mm, pulled a little longer.
    let top = pose(&compiled, &solution, "first 20").position;
    assert!(top.z > 0.066 && top.z < 0.072, "{top}");
}

/// The scenes of a paper that a benchmark compares with its table: stable besides, and what they say they are.
#[test]
fn scenes_of_the_micado_paper() {
    for name in scenes_in("micado") {
        let (compiled, solution) = solved(&format!("micado/{name}"));
        assert_sound(&compiled, &solution);
        let place = |n: &str| pose(&compiled, &solution, n).position;
        match name.as_str() {
            "bow" => {
                // The arrow runs through its rest, its slot holds the string, and half a newton presses it on.
                let arrow = pose(&compiled, &solution, "arrow");
                let seen =
                    |n: &str| rotation::rotate(&arrow.orientation.conjugate(), &(place(n) - arrow.position));
                assert!(seen("rest").yz().norm() < 1e-9 && seen("serving").y.abs() < 1e-9);
                assert!((compiled.constraint_force(&solution, 0).x - 0.5).abs() < 1e-6);
            }
            "bridge" => {
                for k in 1..=7 {
                    let [l, r] = ["left", "right"].map(|side| place(&format!("{side} rail {k}")));
                    assert!((l - r).xz().norm() < 1e-6 && (l.y + r.y).abs() < 1e-6, "{l} {r}");
                    assert!(l.z - place(&format!("left foot {k}")).z > 0.9);
                }
            }
            "cable-bundle" => {
                // A branch leaves along the trunk, onwards.
                for anchor in compiled.anchors.iter().filter_map(|a| a.name.strip_prefix("at ")) {
                    let [trunk, branch] =
                        ["at", "to"].map(|n| pose(&compiled, &solution, &format!("{n} {anchor}")));
                    let [a, b] = [trunk, branch].map(|p| rotation::tangent(&p.orientation));
                    assert!(
                        (a - b).norm() < 1e-9 && (trunk.position - branch.position).norm() < 1e-9,
                        "{anchor}"
                    );
                }
            }
            "dna" => assert!(((place("first 32") - place("second 32")).norm() - 0.0196).abs() < 1e-9),
            "necklace" => {
                let gaps = (1..10)
                    .map(|k| (place(&format!("pearl {k}")) - place(&format!("pearl {}", k + 1))).norm());
                gaps.for_each(|gap| assert!((gap - 0.012).abs() < 1e-9, "{gap}"));
            }
            "spider-net" => {
                assert!(place("fly").xy().norm() < 1e-6 && place("fly").z < -0.02, "{}", place("fly"))
            }
            other => panic!("{other} is not looked at"),
        }
    }
}

#[test]
fn twisted_ring() {
    let (compiled, solution) = solved("twisted-ring");
    assert_sound(&compiled, &solution);
    for cable in 0..3 {
        // To second order in the segments, of which there are 30 each.
        let turns = compiled.twist_turns(&solution.state, cable);
        assert!((turns - 1.0 / 3.0).abs() < 1e-4, "{turns}");
    }
    // Flat and round.
    let samples: Vec<Vec3> = solution.profiles.iter().flat_map(|p| &p.samples).map(|s| s.position).collect();
    let centre: Vec3 = samples.iter().sum::<Vec3>() / samples.len() as f64;
    let normal = (samples[0] - centre).cross(&(samples[30] - centre)).normalize();
    for p in &samples {
        assert!((p - centre).dot(&normal).abs() < 1e-4, "{p}");
        assert!(((p - centre).norm() - 0.15).abs() < 5e-4, "{p}");
    }
}

#[test]
fn drag_chain() {
    let (compiled, solution) = solved("drag-chain");
    assert_sound(&compiled, &solution);
    // The guide holds the shoe across itself and nowhere along it.
    let Constraint::Curve { path, .. } = &compiled.network.constraints[0] else { panic!("a path") };
    let foot = path.nearest(&pose(&compiled, &solution, "shoe").position);
    let force = compiled.constraint_force(&solution, 0);
    assert!(force.norm() > 0.1 && force.dot(&foot.first.normalize()).abs() < 1e-6 * force.norm(), "{force}");
    // The carriage can go all the way.
    let mut network = compiled.network.clone();
    let mut state = solution.state.clone();
    let led = compiled.take_in_hand(&mut network, &state);
    let mut workspace = NetworkWorkspace::new(&network);
    for k in 0..=20 {
        let pose = led[0].at(led[0].end() * f64::from(k) / 20.0);
        network.anchors[led[0].anchor().expect("an anchor")].pose = pose;
        let report = solve_network(&network, &mut state, &mut workspace, &compiled.settings()).unwrap();
        assert_eq!(report.status, Status::Converged, "{k}: {report:?}");
    }
    assert!(
        (state.anchors[led[0].anchor().expect("an anchor")].position - Vec3::new(0.55, 0.25, 0.04)).norm()
            < 1e-12
    );
}

/// A tree of helices: all of its twigs hang, and the trunk carries the weight of everything.
#[test]
fn willow() {
    let (compiled, solution) = solved("willow");
    assert_sound(&compiled, &solution);
    let spans = &compiled.network.spans;
    assert_eq!(spans.iter().map(|s| s.rod.pieces().0).sum::<usize>(), 242);
    for (_, profile) in spans.iter().zip(&solution.profiles).filter(|(s, _)| s.end.is_none()) {
        let tip = profile.samples.last().map(|s| rotation::tangent(&s.frame)).unwrap();
        assert!(tip.z < -0.3, "{tip}");
    }
    let weight: f64 = spans.iter().map(|s| s.rod.total_mass()).sum::<f64>() * 9.81;
    let ground = solution.report.reactions[0].force;
    assert!((ground - Vec3::z() * weight).norm() < 1e-6 * weight, "{ground} {weight}");
}

/// Runs a scene that grows for a time, and says where its first cable is then.
fn grown(name: &str, duration: f64) -> flexline::solver::Profile {
    let (mut compiled, solution) = solved(name);
    assert_sound(&compiled, &solution);
    let mut motion = Motion::at_rest(&compiled.network, solution.state);
    let settings =
        MotionSettings { drag: 0.02, strain_delay: 0.005, ..MotionSettings::new(0.02, Integrator::Bdf2) };
    let mut network = compiled.network.clone();
    while motion.time < duration {
        let times = [motion.time, motion.time + settings.step];
        compiled.grow(&mut network, &mut motion, times);
        let mut workspace = NetworkWorkspace::new(&network);
        let report =
            motion.step_in_parts(&network, &mut workspace, &settings, &Settings::interactive(), 8).unwrap();
        assert_eq!(report.status, Status::Converged, "{name} at {} s", motion.time);
    }
    compiled.network = network;
    compiled.profile(&motion.state, 0)
}

#[test]
fn tendril() {
    let last = *grown("tendril", 7.0).samples.last().unwrap();
    assert!((last.s - 0.26).abs() < 1e-9, "{}", last.s);
    // Nothing weighs on its tip: there it is as curled as it grew, as far as its last element of 22 mm shows.
    assert!((last.strain.x - 90.0).abs() < 6.0, "{}", last.strain);
}

#[test]
fn uncoiling_ribbon() {
    let turning = |profile: &flexline::solver::Profile| -> f64 {
        let pairs = profile.samples.windows(2);
        pairs.map(|w| 0.5 * (w[0].curvature() + w[1].curvature()) * (w[1].s - w[0].s)).sum()
    };
    let (_, before) = solved("uncoiling-ribbon");
    let (wound, free) = (turning(&before.profiles[0]), turning(&grown("uncoiling-ribbon", 4.0)));
    // From two turns to a bow; its weight bends it besides.
    assert!((wound - 12.5).abs() < 0.5 && free < 3.0, "{wound} {free}");
}

/// The harnesses in a folder of scenes.
fn scenes_in(folder: &str) -> Vec<String> {
    let folder = format!("{}/../../scenes/{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .filter(|p| Scene::load(p).is_ok_and(|scene| !scene.is_single()))
        .map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn every_harness_is_tested_here() {
    let found = scenes_in("");
    let known = [
        "block-and-tackle",
        "bow",
        "capstan",
        "clips",
        "clothes-line",
        "control-unit",
        "door-harness",
        "double-helix",
        "drag-chain",
        "lamp-on-a-pulley",
        "mixed-models",
        "pearl-necklace",
        "pulley",
        "rope-bridge",
        "routed-hose",
        "slip-knot",
        "spider-net",
        "tendril",
        "twisted-ring",
        "uncoiling-ribbon",
        "willow",
        "winch",
        "y-branch",
    ];
    assert_eq!(found, known);
}
