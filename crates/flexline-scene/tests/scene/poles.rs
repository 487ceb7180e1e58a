//! Poles of scenes: read, and not entered.

use crate::common::texts::over_a_bar;
use flexline::Vec3;
use flexline::contact::Shape;
use flexline::solver::Status;
use flexline_scene::contact::{Presser, SolidKind};
use flexline_scene::{Compiled, Scene, Solution};

fn compiled(text: &str) -> Compiled {
    Scene::parse(text, "bar.toml").and_then(|s| s.compile()).unwrap_or_else(|e| panic!("{e}"))
}

fn solved(text: &str) -> (Compiled, Solution) {
    let compiled = compiled(text);
    let solution = compiled.solve(&compiled.settings()).unwrap();
    assert_eq!(solution.report.status, Status::Converged);
    (compiled, solution)
}

#[test]
fn a_cable_rests_on_a_bar() {
    for model in ["\"mixed\"\nsegments = 100", "\"nodal\"\nsegments = 100", "\"clothoid\"\nelements = 20"] {
        let (compiled, solution) = solved(&over_a_bar(model, ""));
        let report = &solution.report;
        assert!(report.penetration < 1e-9 && report.contact_residual < 1e-6, "{model}");
        let presses = compiled.presses(&solution);
        assert!(!presses.is_empty() && presses.iter().all(|press| press.by == Presser::Obstacle(0)));
        let push: Vec3 = presses.iter().map(|press| press.force).sum();
        let weight = compiled.network.gravity * compiled.network.spans[0].rod.total_mass();
        let total = report.reactions.iter().map(|w| w.force).sum::<Vec3>() + weight + push;
        assert!(push.z > 0.1 && total.norm() < 1e-6 * push.norm(), "{model}: {total} of {push}");
    }
}

#[test]
fn a_pole_is_the_endless_bar_that_an_obstacle_can_be() {
    let pole = over_a_bar("\"mixed\"\nsegments = 60", "friction = 0.2");
    let begin = pole.find("[[pole]]").unwrap();
    let bar = "[[obstacle]]\nname = \"bar\"\nshape = \"cylinder\"\nradius = \"20 mm\"\n\
               position = [\"200 mm\", 0, \"-15 mm\"]\ntangent = [0, 1, 0]\nfriction = 0.2\n";
    let [(one, found), (other, same)] = [solved(&pole), solved(&format!("{}{bar}", &pole[..begin]))];
    assert_eq!(one.network.obstacles, other.network.obstacles);
    assert_eq!((one.obstacles[0].kind, other.obstacles[0].kind), (SolidKind::Pole, SolidKind::Obstacle));
    assert_eq!(found.state, same.state);
}

#[test]
fn what_begins_within_a_pole_is_pushed_out_to_its_own_side() {
    // The straight cable goes through the bar 15 mm above or below its axis.
    for (height, above) in [("-15 mm", true), ("15 mm", false)] {
        let text = over_a_bar("\"mixed\"\nsegments = 60", "").replace("-15 mm", height);
        let (compiled, solution) = solved(&text);
        let press = compiled.presses(&solution)[0];
        assert_eq!(press.normal.z > 0.0, above, "{press:?}");
    }
}

#[test]
fn what_winds_round_the_axis_of_a_pole_winds_round_the_pole() {
    // A helix of 17 mm that rises by a turn every 39 mm, about a pole of 17.9 mm.
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/bean.toml")).unwrap();
    let (_, solution) = solved(&text);
    let turns = |w: &[flexline::solver::Sample]| {
        let [a, b] = [w[0].position.xy(), w[1].position.xy()];
        a.perp(&b).atan2(a.dot(&b)) / std::f64::consts::TAU
    };
    let turns: f64 = solution.profiles[0].samples.windows(2).map(turns).sum();
    assert!(turns > 3.5, "{turns}");
    assert!(solution.report.penetration < 1e-9);
}

#[test]
fn axis_and_friction_are_read() {
    let own = &compiled(&over_a_bar("\"mixed\"", "friction = \"30 %\"")).network.obstacles[0];
    assert_eq!((&own.shape, own.friction), (&Shape::Cylinder { radius: 0.02, half_length: None }, 0.3));
    let axis = flexline::algebra::rotation::rotate(&own.pose.orientation, &Vec3::z());
    assert!((axis - Vec3::y()).norm() < 1e-12 && own.pose.position == Vec3::new(0.2, 0.0, -0.015));
}

#[test]
fn cables_may_pass_through_a_pole_by_name() {
    let text = over_a_bar("\"mixed\"", "").replace("[cable]\n", "[cable]\npasses_through = [\"bar\"]\n");
    let (compiled, solution) = solved(&text);
    assert!(compiled.presses(&solution).is_empty());
}

#[test]
fn bad_poles_are_refused() {
    let good = over_a_bar("\"mixed\"", "");
    let cases = [
        ("axis = [0, 2, 0]", "axis = [0, 0, 0]", "pole 'bar': `axis` = [0, 0, 0] has no direction"),
        ("axis = [0, 2, 0]\n", "", "`axis` is missing in pole 'bar'"),
        ("radius = \"20 mm\"", "radius = 0", "pole 'bar': `radius`"),
        ("radius = \"20 mm\"", "radius = \"20 mm\"\nfriction = -0.1", "pole 'bar': `friction`"),
        ("radius = \"20 mm\"", "radius = \"20 mm\"\nhardness = 1", "unknown key `hardness` in pole 'bar'"),
        ("name = \"bar\"", "colour = 3", "unknown key `colour` in pole 1"),
        (
            "[[pole]]\n",
            "[[pole]]\nname = \"bar\"\nthrough = [0, 0, 1]\naxis = [1, 0, 0]\nradius = 1\n[[pole]]\n",
            "\"bar\" is the name of another pole",
        ),
        (
            "[[pole]]\n",
            "[[obstacle]]\nname = \"bar\"\nshape = \"plane\"\n[[pole]]\n",
            "\"bar\" is the name of an obstacle",
        ),
    ];
    for (from, to, expected) in cases {
        let error = Scene::parse(&good.replacen(from, to, 1), "bar.toml").unwrap_err().to_string();
        assert!(error.contains(expected), "{to}\n{error}");
    }
    let integral = format!("{good}[solve]\nmethod = \"integral-forces\"\n");
    let refused =
        |text: &str| Scene::parse(text, "bar.toml").and_then(|s| s.compile()).unwrap_err().to_string();
    assert!(refused(&integral).contains("knows no obstacles"));
    let held = refused(&good.replace("\"200 mm\", 0, \"-15 mm\"", "0, 0, \"-15 mm\""));
    assert!(held.contains("holds a cable inside pole 'bar', where it has no room"), "{held}");
}
