//! What is moved in time, and what is said where it cannot be.

use crate::common::harness::parse;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::Status;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{NetworkWorkspace, solve_network};
use flexline::solver::statics::Settings;
use flexline_scene::{Compiled, Scene, Solution};

const MOVED: &str = r#"version = 1
[[port]]
name = "A"
position = [0, 0, 0]
tangent = [1, 0, 0]
[[part]]
name = "unit"
position = ["300 mm", 0, "-100 mm"]
mass = "0.2 kg"
[[part.connector]]
name = "plug"
tangent = [1, 0, 0]
[[cable]]
name = "lead"
length = "450 mm"
part = "wire-6"
from = "A"
to = "unit.plug"
[[motion]]
target = "unit"
points = [["320 mm", "60 mm", "-60 mm"], ["300 mm", "120 mm", 0]]
turn = "90 deg"
axis = [0, 0, 1]
start = "0.1 s"
duration = "0.5 s"
"#;

#[track_caller]
fn solved(compiled: &Compiled) -> Solution {
    let solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::Converged, "{:?}", solution.report);
    solution
}

#[test]
fn a_part_is_led_from_where_it_hangs() {
    let compiled = parse(MOVED).unwrap();
    let solution = solved(&compiled);
    let (mut network, state) = (compiled.network.clone(), &solution.state);
    let led = compiled.take_in_hand(&mut network, state);
    let [led] = &led[..] else { panic!("one motion") };
    assert_eq!(compiled.anchors[led.anchor().expect("an anchor")].name, "unit");
    let base = state.anchors[led.anchor().expect("an anchor")];
    for time in [0.0, 0.1] {
        assert!((led.at(time).position - base.position).norm() < 1e-12);
    }
    for time in [led.end(), 2.0] {
        let pose = led.at(time);
        assert!((pose.position - Vec3::new(0.3, 0.12, 0.0)).norm() < 1e-12);
        let turn = rotation::exp(&Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2)) * base.orientation;
        assert!(rotation::angle_between(&pose.orientation, &turn) < 1e-12);
    }
    // Through the point between, and smoothly: no speed at either end.
    let nearest = (0..=1000).map(|k| led.at(0.1 + 0.5e-3 * f64::from(k)).position);
    let distance = nearest.map(|p| (p - Vec3::new(0.32, 0.06, -0.06)).norm()).fold(f64::INFINITY, f64::min);
    assert!(distance < 1e-3, "{distance}");
    assert!((led.at(0.101).position - base.position).norm() < 1e-6);
    // At rest it is where it was; the whole way can be followed.
    let mut state = state.clone();
    let mut workspace = NetworkWorkspace::new(&network);
    for k in 0..=10 {
        led.put(&mut network, 0.06 * f64::from(k));
        let report = solve_network(&network, &mut state, &mut workspace, &Settings::default()).unwrap();
        assert_eq!(report.status, Status::Converged, "step {k}: {report:?}");
    }
}

#[test]
fn mistakes_of_motions() {
    let says = |edit: (&str, &str), expected: &[&str]| {
        assert!(MOVED.contains(edit.0));
        let told =
            parse(&MOVED.replacen(edit.0, edit.1, 1)).err().unwrap_or_else(|| "no mistake found".into());
        for words in expected {
            assert!(told.contains(words), "expected {words:?} in {told}");
        }
        assert_eq!(told.matches("error[").count(), 1, "{told}");
        assert!(told.contains("--> test:"), "{told}");
    };
    let points = "points = [[\"320 mm\", \"60 mm\", \"-60 mm\"], [\"300 mm\", \"120 mm\", 0]]";
    says(("target = \"unit\"\n", ""), &["`target` is missing in motion 1"]);
    says(("target = \"unit\"", "target = \"untit\""), &["unknown-name", "did you mean \"unit\"?"]);
    says(("target = \"unit\"", "target = \"unit.plug\""), &["conflict", "cannot be led"]);
    says(("duration = \"0.5 s\"", "duration = 0"), &["out-of-range", "greater than zero"]);
    says(("duration = \"0.5 s\"", "duration = \"0.5 m\""), &["is a length, not a time"]);
    says(("duration = \"0.5 s\"\n", ""), &["`duration` is missing in motion 1"]);
    says(("start = \"0.1 s\"", "start = \"-1 s\""), &["out-of-range", "must not be negative"]);
    says((points, "by = [0, 0, 1]\npoints = [[0, 0, 1]]"), &["exclude each other"]);
    says((points, "points = []"), &["has 0 points", "expected at least 1"]);
    says((points, "by = [0, 0, 0.1]\nclosed = true"), &["goes with `points`"]);
    says((points, "points = [[0, 0, 1], [0, 0, 1]]"), &["is the same as the point before it"]);
    says(("axis = [0, 0, 1]\n", ""), &["`axis` is missing in motion 1"]);
    says(("turn = \"90 deg\"\n", ""), &["goes with `turn`"]);
    let twice = "[[motion]]\ntarget = \"unit\"\nby = [0, 0, 1]\nduration = 1\n[[motion]]\ntarget";
    says(("[[motion]]\ntarget", twice), &["conflict", "is led already by another motion"]);
}

#[test]
fn an_arrow_leaves_the_string() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/bow.toml");
    let compiled = Scene::load(path).and_then(|scene| scene.compile()).unwrap();
    let solution = solved(&compiled);
    let index = |name: &str| compiled.anchors.iter().position(|a| a.name == name).unwrap();
    let (nock, arrow) = (index("nock"), index("arrow"));
    let mut network = compiled.network.clone();
    network.anchors[nock].held = [false; 3];
    network.anchors[arrow].force = Vec3::zeros();
    let mut motion = Motion::at_rest(&network, solution.state.clone());
    let mut workspace = NetworkWorkspace::new(&network);
    let settings = MotionSettings { strain_delay: 1e-4, ..MotionSettings::new(2.5e-4, Integrator::Bdf2) };
    let energy = motion.energies(&network).total();
    let place = |m: &Motion, anchor: usize| m.state.anchors[anchor].position;
    let mut way = vec![place(&motion, arrow).x];
    for _ in 0..200 {
        let report = motion.step(&network, &mut workspace, &settings, &Settings::interactive()).unwrap();
        assert_eq!(report.status, Status::Converged, "{report:?}");
        // The string never gets ahead of the arrow.
        assert!(place(&motion, nock).x >= place(&motion, arrow).x - 1e-9);
        way.push(place(&motion, arrow).x);
    }
    // It has left the string, flies on at one speed, and carries most of what the bow gave.
    let speed = |k: usize| (way[k - 1] - way[k]) / settings.step;
    assert!(place(&motion, nock).x - place(&motion, arrow).x > 0.01);
    assert!((speed(200) / speed(190) - 1.0).abs() < 1e-6, "{} {}", speed(200), speed(190));
    let carried = 0.5 * 0.02 * speed(200).powi(2);
    let now = motion.energies(&network);
    let given = energy - (now.total() - now.kinetic);
    let share = carried / given;
    assert!(speed(200) > 15.0 && (0.5..1.0).contains(&share), "{} m/s, {carried} J of {given} J", speed(200));
}

/// A slack hose, and a plate of a millimetre that is swept through where it hangs.
const SWEPT: &str = r#"version = 1
[[port]]
name = "left"
position = ["-200 mm", 0, 0]
tangent = [1, 0, 0]
[[port]]
name = "right"
position = ["200 mm", 0, 0]
tangent = [1, 0, 0]
[[cable]]
name = "hose"
length = "500 mm"
part = "brake-hose"
segments = 40
from = "left"
to = "right"
[[part]]
name = "arm"
position = [0, "-50 mm", 0]
hold = "fixed"
[[obstacle]]
name = "plate"
shape = "box"
size = ["60 mm", "1 mm", "600 mm"]
position = [0, "-50 mm", 0]
[[motion]]
target = "plate"
by = [0, "120 mm", 0]
duration = "1 s"
"#;

/// Runs the scene with its motion in so many steps of a `time`, s; says how it ended, how far in front of the plate the hose
/// is at the least over all steps, and the deepest overlap.
fn sweep(text: &str, steps: u32, time: f64) -> (Status, f64, f64) {
    let compiled = parse(text).unwrap();
    let solution = solved(&compiled);
    let (mut network, state) = (compiled.network.clone(), solution.state.clone());
    let leads = compiled.take_in_hand(&mut network, &state);
    let mut motion = Motion::at_rest(&network, state);
    let mut workspace = NetworkWorkspace::new(&network);
    let settings = MotionSettings {
        strain_delay: 0.005,
        drag: 0.05,
        ..MotionSettings::new(time / f64::from(steps), Integrator::Bdf2)
    };
    let (mut least, mut overlap) = (f64::INFINITY, 0.0_f64);
    for k in 1..=steps {
        compiled.lead(&mut network, &leads, f64::from(k) / f64::from(steps));
        let report =
            motion.step_in_parts(&network, &mut workspace, &settings, &Settings::interactive(), 64).unwrap();
        let plate = motion.state.obstacles[0].position.y;
        let samples = compiled.profile(&motion.state, 0).samples;
        let before = samples.iter().filter(|own| own.position.x.abs() < 0.03 && own.position.z.abs() < 0.3);
        least = before.map(|own| own.position.y - plate - 0.0005 - own.radius).fold(least, f64::min);
        if report.status != Status::Converged {
            return (report.status, least, overlap);
        }
        overlap = overlap.max(report.penetration);
    }
    (Status::Converged, least, overlap)
}

/// However fast the plate is, the hose stays in front of it: pushed along, or the run stops.
#[test]
fn an_obstacle_that_is_led_pushes_and_never_passes() {
    let on_an_arm = SWEPT.replace(
        "position = [0, \"-50 mm\", 0]\n[[motion]]\ntarget = \"plate\"",
        "on = \"arm\"\n[[motion]]\ntarget = \"arm\"",
    );
    assert_ne!(on_an_arm, SWEPT);
    for text in [SWEPT, &on_an_arm] {
        let (status, least, overlap) = sweep(text, 100, 1.0);
        assert_eq!(status, Status::Converged);
        assert!(least.abs() < 1e-3 && least > -1e-4 && overlap < 1e-9, "{least} {overlap}");
        // At 0.1, 6 and 120 m/s, in steps that go by many times the thickness of plate and hose.
        for (steps, time) in [(8, 1.0), (1, 1.0), (4, 0.02), (1, 0.02), (2, 0.001), (1, 0.001)] {
            let (_, least, overlap) = sweep(text, steps, time);
            assert!(least > -1e-4 && overlap < 1e-9, "{steps} steps in {time} s: {least} {overlap}");
        }
    }
}

#[test]
fn what_carries_an_obstacle_is_held() {
    let refused = |text: &str| parse(text).unwrap_err().to_string();
    let on = |text: &str| {
        text.replace("[[motion]]\ntarget = \"plate\"", "on = \"arm\"\n[[motion]]\ntarget = \"arm\"")
    };
    let free = on(SWEPT).replace("hold = \"fixed\"", "mass = \"1 kg\"");
    let endless = free.replace("shape = \"box\"\nsize = ", "shape = \"plane\"\n#");
    assert_ne!(endless, free);
    let told = refused(&endless);
    assert!(told.contains("is on part 'arm', which cables may move, and has no end"), "{told}");
    let nobody = on(SWEPT).replace("on = \"arm\"", "on = \"left\"");
    assert!(refused(&nobody).contains("no part is called so"), "{}", refused(&nobody));
    let both = on(SWEPT).replace("target = \"arm\"", "target = \"plate\"");
    assert!(refused(&both).contains("is an obstacle on part 'arm', and goes with it"), "{}", refused(&both));
    let twice = format!("{SWEPT}[[motion]]\ntarget = \"plate\"\nby = [0, 0, 1]\nduration = 1\n");
    let told = parse(&twice).unwrap_err().to_string();
    assert!(told.contains("obstacle 'plate' is led already by another motion"), "{told}");
    // Its pose is that of the part.
    let compiled = parse(&on(SWEPT)).unwrap();
    assert_eq!(compiled.network.obstacles[0].pose.position, Vec3::new(0.0, -0.1, 0.0));
}
