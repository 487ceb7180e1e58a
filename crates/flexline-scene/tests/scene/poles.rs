//! Poles of scenes: read, entered a little.

use crate::common::texts::over_a_bar;
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::Status;
use flexline_scene::pole::deepest;
use flexline_scene::{Compiled, Scene};

fn compiled(text: &str) -> Compiled {
    Scene::parse(text, "bar.toml").and_then(|s| s.compile()).unwrap_or_else(|e| panic!("{e}"))
}

/// Depth in the one pole, m, the sum of the forces on the cable, and the push of the pole, N.
fn pressed(text: &str) -> (f64, Vec3, f64) {
    let compiled = compiled(text);
    let (network, solution) = (&compiled.network, compiled.solve(&compiled.settings()).unwrap());
    assert_eq!(solution.report.status, Status::Converged);
    let (rod, state) = (&network.spans[0].rod, &solution.state.spans[0]);
    let depth = deepest(&network.poles[0], &solution.profiles[0].samples).map_or(0.0, |(_, depth)| depth);
    let count = 40_000;
    let ds = rod.length() / f64::from(count);
    let push: Vec3 = (0..count)
        .map(|k| {
            let s = (f64::from(k) + 0.5) * ds;
            network.poles[0].force(&rod.station(&state.rod, s).position) * ds
        })
        .sum();
    let weight = network.gravity * rod.total_mass();
    let total = solution.report.reactions.iter().map(|w| w.force).sum::<Vec3>() + weight + push;
    (depth, total, push.norm())
}

#[test]
fn a_cable_rests_on_a_bar() {
    for model in ["\"mixed\"\nsegments = 400", "\"nodal\"\nsegments = 400", "\"clothoid\"\nelements = 40"] {
        let text = over_a_bar(model, "hardness = \"1e7 N/m^3\"");
        let (depth, total, push) = pressed(&text);
        // The contact is ten segments or one element wide; the solver integrates it by its own nodes.
        assert!(total.norm() < 0.02 * push, "{model}: {total} of {push}");
        // A straight cable that enters a pole of radius R by p is pushed by 16/15 k p² √(2Rp).
        let straight = (push * 15.0 / 16.0 / 1e7 / 0.04f64.sqrt()).powf(0.4);
        assert!((depth / straight - 1.0).abs() < 0.05, "{model}: {depth} {straight}");
    }
}

#[test]
fn a_softer_pole_is_entered_more_deeply() {
    let depth =
        |k: &str| pressed(&over_a_bar("\"mixed\"\nsegments = 400", &format!("hardness = \"{k} N/m^3\""))).0;
    let (hard, soft) = (depth("1e9"), depth("1e8"));
    // As the power 2/5 of the hardness, see above; less, as the softer one lets the cable down.
    assert!(soft > 2.2 * hard && soft < 10f64.powf(0.4) * hard, "{soft} {hard}");
}

#[test]
fn axis_and_hardness_are_read() {
    let poles = compiled(&over_a_bar("\"mixed\"", "hardness = \"2 kN/m^3\"")).network.poles;
    assert_eq!((poles[0].axis, poles[0].stiffness, poles[0].radius), (Vec3::y(), 2000.0, 0.02));
    // Suited to the cable: f = K/R³ + weight enters by a thousandth of the radius.
    let suited = compiled(&over_a_bar("\"mixed\"", "")).network.poles[0];
    let f = 0.2 / 0.02f64.powi(3) + 0.09 * 9.81;
    assert!((suited.stiffness / (f / 2e-5f64.powi(2)) - 1.0).abs() < 1e-12);
}

#[test]
fn bad_poles_are_refused() {
    let good = over_a_bar("\"mixed\"", "");
    let cases = [
        ("axis = [0, 2, 0]", "axis = [0, 0, 0]", "pole 'bar': `axis` = [0, 0, 0] has no direction"),
        ("axis = [0, 2, 0]\n", "", "`axis` is missing in pole 'bar'"),
        ("radius = \"20 mm\"", "radius = 0", "pole 'bar': `radius`"),
        (
            "radius = \"20 mm\"",
            "radius = \"20 mm\"\nhardness = \"3 N/m\"",
            "is a force per length, not a hardness",
        ),
        ("radius = \"20 mm\"", "radius = \"20 mm\"\nhardness = -1", "pole 'bar': `hardness`"),
        ("name = \"bar\"", "colour = 3", "unknown key `colour` in pole 1"),
        (
            "[[pole]]\n",
            "[[pole]]\nname = \"bar\"\nthrough = [0, 0, 1]\naxis = [1, 0, 0]\nradius = 1\n[[pole]]\n",
            "\"bar\" is the name of another pole",
        ),
    ];
    for (from, to, expected) in cases {
        let error = Scene::parse(&good.replacen(from, to, 1), "bar.toml").unwrap_err().to_string();
        assert!(error.contains(expected), "{to}\n{error}");
    }
    let integral = format!("{good}[solve]\nmethod = \"integral-forces\"\n");
    let compiled = compiled(&integral);
    let error = compiled.solve(&compiled.settings()).unwrap_err();
    assert!(error.to_string().contains("poles"), "{error}");
}
