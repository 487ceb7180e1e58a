//! Cables that grow and change their rest shape.

use flexline::solver::Status;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::NetworkWorkspace;
use flexline::solver::statics::Settings;
use flexline_scene::{Compiled, Scene};

fn scene(cable: &str) -> String {
    format!(
        r#"
        version = 1
        [world]
        gravity = [0, 0, 0]
        [[port]]
        name = "stem"
        position = [0, 0, 0]
        tangent = [1, 0, 0]
        up = [0, 0, 1]
        [[cable]]
        name = "tendril"
        length = "200 mm"
        from = "stem"
        to = "free"
        measured = {{ bend = "100 N mm^2", twist = "100 N mm^2", mass_per_length = "2 g/m", diameter = "1 mm" }}
        {cable}
        "#
    )
}

fn compiled(text: &str) -> Result<Compiled, String> {
    Scene::parse(text, "growth").and_then(|scene| scene.compile()).map_err(|e| e.to_string())
}

/// Runs a motion of a growing scene; says how it ends.
fn run(text: &str, duration: f64) -> (Compiled, Motion, f64) {
    let compiled = compiled(text).expect("a scene");
    let mut network = compiled.network.clone();
    let rest = compiled.solve(&Settings::default()).expect("solves");
    let mut motion = Motion::at_rest(&network, rest.state);
    let begin = motion.energies(&network).total();
    let mut workspace = NetworkWorkspace::new(&network);
    let settings =
        MotionSettings { drag: 0.02, strain_delay: 0.02, ..MotionSettings::new(0.01, Integrator::Bdf2) };
    while motion.time < duration - 1e-9 {
        let times = [motion.time, motion.time + settings.step];
        if compiled.grow(&mut network, &mut motion, times) {
            workspace = NetworkWorkspace::new(&network);
        }
        let report = motion
            .step_in_parts(&network, &mut workspace, &settings, &Settings::interactive(), 8)
            .expect("steps");
        assert_eq!(report.status, Status::Converged, "at {} s", motion.time);
    }
    let lost = begin + motion.work - motion.dissipated - motion.energies(&network).total();
    let mut last = compiled;
    last.network = network;
    (last, motion, lost)
}

#[test]
fn without_weight_a_cable_takes_the_shape_it_is_given() {
    for model in ["mixed", "nodal", "helix", "clothoid", "spline"] {
        let grow = format!(
            "model = \"{model}\"\ngrow = {{ length = \"300 mm\", rest = {{ curvature = [\"8 1/m\", 0] }}, start = \
             \"0.1 s\", duration = \"1 s\" }}"
        );
        let (compiled, motion, lost) = run(&scene(&grow), 6.0);
        let profile = compiled.profile(&motion.state, 0);
        let last = profile.samples.last().expect("samples");
        assert!((last.s - 0.3).abs() < 1e-9, "{model}: {}", last.s);
        // A circle of 125 mm radius: 0.3 m of it turn by 2.4 rad. d1 is up, so that it bends about it, sideways.
        let (angle, radius) = (2.4_f64, 0.125);
        let there = [radius * angle.sin(), radius * (1.0 - angle.cos())];
        let error = (last.position.x - there[0]).hypot(last.position.y.abs() - there[1]);
        assert!(error < 2e-3 * 0.3, "{model}: {error} {}", last.position);
        // What is put in by growth is booked as work.
        let size = motion.work.abs() + motion.dissipated;
        assert!(lost.abs() < 0.3 * size, "{model}: {lost} of {size}");
    }
}

#[test]
fn what_cannot_grow_is_told() {
    for (cable, told) in [
        ("grow = {}", "say what it becomes"),
        ("grow = { length = \"5 kg\", duration = \"1 s\" }", "is a mass, not a length"),
        ("grow = { length = \"0 mm\", duration = \"1 s\" }", "greater than zero"),
        ("grow = { length = \"300 mm\" }", "duration"),
        ("grow = { length = \"300 mm\", duration = \"-1 s\" }", "duration"),
        ("grow = { long = \"300 mm\", duration = \"1 s\" }", "length"),
        ("grow = { length = \"300 mm\", duration = \"1 s\" }\nfeed = \"10 mm\"", "grows and slides"),
        ("model = \"helix\"\ngrow = { rest = { curvature = [\"1e9 1/m\", 0] }, duration = \"1 s\" }", "rest"),
    ] {
        let error = compiled(&scene(cable)).map(drop).expect_err(cable);
        assert!(error.contains(told), "{cable}: {error}");
    }
}
