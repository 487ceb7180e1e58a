//! What a scene says arrives in the engine: frames, sections, loads, ends.

use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::section::{RadiusReference, Section, Shape, StiffnessSource, find_part};
use flexline::solver::statics::Method;
use flexline::solver::{Axes, Problem, Status};
use flexline::{Quat, Vec3};
use flexline_scene::{Compiled, Scene};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const MEASURED: &str = r#"measured = { bend = "0.02 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "10 mm" }"#;
const ENDS: &str = r#"
    [start]
    hold = "clamped"
    position = [0, 0, 0]
    tangent = [1, 0, 0]
    [end]
    hold = "free"
"#;

fn compiled(text: &str) -> Compiled {
    Scene::parse(text, "test").unwrap_or_else(|e| panic!("{e}")).compile().unwrap()
}

/// The one cable that the network is.
fn problem(compiled: &Compiled) -> Problem {
    compiled.network.as_cable().expect("one cable")
}

/// A cable of 1 m with the given lines in `[cable]`, clamped at the start.
fn cable(lines: &str) -> Compiled {
    compiled(&format!("version = 1\n[cable]\nlength = 1\n{lines}\n{ENDS}"))
}

/// A cable of 1 m between the given ends.
fn ends(start: &str, end: &str) -> Compiled {
    compiled(&format!("version = 1\n[cable]\nlength = 1\n{MEASURED}\n[start]\n{start}\n[end]\n{end}\n"))
}

fn clamped(position: &str, orientation: &str) -> String {
    format!("hold = \"clamped\"\nposition = {position}\n{orientation}")
}

#[track_caller]
fn assert_directors(q: &Quat, d1: [f64; 3], d3: [f64; 3]) {
    let (a, t) = (rotation::rotate(q, &Vec3::x()), rotation::tangent(q));
    assert!((a - Vec3::from(d1)).norm() < 1e-12 && (t - Vec3::from(d3)).norm() < 1e-12, "d1 {a}, d3 {t}");
}

#[test]
fn tangent_and_up_make_a_frame() {
    let c = ends(
        &clamped("[0, 0, 0]", "tangent = [2, 0, 0]\nup = [5, 3, 0]"),
        &clamped("[0.5, 0, 0]", "quaternion = [0.5, 0.5, 0.5, 0.5]"),
    );
    let frames = problem(&c).ends.map(|e| e.orientation.unwrap());
    assert_directors(&frames[0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    // A third of a turn about (1, 1, 1): x → y → z → x.
    assert_directors(&frames[1], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
}

#[test]
fn without_up_a_level_cable_has_d1_upwards() {
    let c = ends(&clamped("[0, 0, 0]", "tangent = [0, 3, 0]"), "hold = \"free\"");
    assert_directors(&problem(&c).ends[0].orientation.unwrap(), [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]);
    let c = ends(&clamped("[0, 0, 0]", "tangent = [0, 0, -1]"), "hold = \"free\"");
    assert_directors(&problem(&c).ends[0].orientation.unwrap(), [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]);
}

#[test]
fn axis_and_angle_turn_the_upright_frame() {
    let c = ends(&clamped("[0, 0, 0]", "axis = [0, 7, 0]\nangle = \"90 deg\""), "hold = \"free\"");
    assert_directors(&problem(&c).ends[0].orientation.unwrap(), [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]);
}

#[test]
fn a_planar_cable_without_up_is_laid_without_twist() {
    // A U in the vertical plane y = 0: d1 begins upwards and must end downwards, half a turn about y later.
    let c =
        ends(&clamped("[0, 0, 0]", "tangent = [1, 0, 0]"), &clamped("[0, 0, 0.3]", "tangent = [-1, 0, 0]"));
    let frames = problem(&c).ends.map(|e| e.orientation.unwrap());
    assert_directors(&frames[0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    assert_directors(&frames[1], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]);
    // A quarter circle, an S, and a straight cable in the same plane: d2 stays where it was.
    for (position, tangent) in
        [("[0.3, 0, 0.3]", "[0, 0, 1]"), ("[0.5, 0, 0.2]", "[1, 0, 0]"), ("[1, 0, 0]", "[1, 0, 0]")]
    {
        let c = ends(
            &clamped("[0, 0, 0]", "tangent = [1, 0, 0]"),
            &clamped(position, &format!("tangent = {tangent}")),
        );
        let [a, b] = problem(&c).ends.map(|e| rotation::rotate(&e.orientation.unwrap(), &Vec3::y()));
        assert!((a - b).norm() < 1e-12, "{position}: {a} {b}");
    }
}

#[test]
fn full_turns_of_twist_are_kept() {
    let turned = |twist: &str| {
        let end = clamped("[0.9, 0, 0]", &format!("tangent = [1, 0, 0]\ntwist = {twist}"));
        let c = ends(&clamped("[0, 0, 0]", "tangent = [1, 0, 0]"), &end);
        problem(&c).ends[1].twist
    };
    assert!((turned("\"20 turns\"") - 20.0 * TAU).abs() < 1e-12);
    assert!((turned("\"-90 deg\"") + FRAC_PI_2).abs() < 1e-15);
    assert_eq!(turned("1.5"), 1.5);
}

/// Turned at its start, a cable is wound up the other way; turned at both ends alike it is not wound up at all. A hand sees
/// the frames of the file.
#[test]
fn turns_of_the_start_count_against_those_of_the_end() {
    let round = "measured = { bend = 0.02, twist = 0.015, mass_per_length = 0.09, diameter = 0.01 }";
    let solved = |start: &str, end: &str| {
        let c = compiled(&format!(
            "version = 1\n[cable]\nlength = 1\n{round}\n[start]\n{}\ntwist = {start}\n[end]\n{}\ntwist = {end}\n",
            clamped("[0, 0, 0]", "tangent = [1, 0, 0]"),
            clamped("[0.6, 0.3, 0]", "tangent = [1, 0, 0.3]"),
        ));
        let solution = c.solve(&c.settings()).unwrap();
        assert_eq!(solution.report.status, Status::Converged);
        let places: Vec<Vec3> = solution.profiles[0].samples.iter().map(|s| s.position).collect();
        let frames = [0, 1].map(|k| solution.state.anchors[k].orientation);
        (c.twist_turns(&solution.state, 0), places, frames)
    };
    let plain = solved("0", "0");
    for (one, other) in [
        (solved("\"1 turn\"", "0"), solved("0", "\"-1 turn\"")),
        (solved("\"100 deg\"", "\"100 deg\""), plain.clone()),
    ] {
        assert!((one.0 - other.0).abs() < 1e-9, "{} {}", one.0, other.0);
        let apart = one.1.iter().zip(&other.1).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(apart < 1e-8, "{apart}");
        assert_eq!(one.2, plain.2);
    }
    assert!((solved("\"1 turn\"", "0").0 - plain.0).abs() > 0.5, "it is wound up");
}

#[test]
fn ends_hold_what_they_say() {
    let c = ends(
        "hold = \"pinned\"\nposition = [\"10 mm\", 0, 0]\nmoment = [0, 0, \"2 N m\"]",
        &(clamped("[0.5, 0, 0]", "tangent = [1, 0, 0]")
            + "\nslides = [\"x\"]\nforce = [\"-3 N\", 0, 0]\naxes = \"material\""),
    );
    let [a, b] = problem(&c).ends;
    assert_eq!((a.held, a.orientation, a.position.x), ([true; 3], None, 0.01));
    assert_eq!((b.held, b.orientation.is_some()), ([false, true, true], true));
    let loads = problem(&c).point_loads;
    let [p, q] = loads[..] else { panic!("{loads:?}") };
    assert_eq!((p.s, p.force, p.moment, p.axes), (0.0, Vec3::zeros(), Vec3::new(0.0, 0.0, 2.0), Axes::World));
    assert_eq!(
        (q.s, q.force, q.moment, q.axes),
        (1.0, Vec3::new(-3.0, 0.0, 0.0), Vec3::zeros(), Axes::Material)
    );
}

#[test]
fn a_ring_carries_its_twist() {
    let text = format!(
        "version = 1\n[cable]\nlength = 1\nclosed = true\ntwist = \"2 turns\"\n{MEASURED}\n\
         [start]\nhold = \"pinned\"\nposition = [0, 0, 1]\n"
    );
    let problem = problem(&compiled(&text));
    assert!(problem.closed);
    assert!((problem.ends[1].twist - 2.0 * TAU).abs() < 1e-12);
    assert_eq!((problem.ends[0].held, problem.ends[1].held), ([true; 3], [false; 3]));
}

#[test]
fn loads_are_placed_by_length_or_share() {
    let text = format!(
        "version = 1\n[world]\ngravity = \"none\"\n[cable]\nlength = 2\n{MEASURED}\n{ENDS}\n\
         [[load]]\nat = \"25 %\"\nforce = [0, 0, \"-5 N\"]\n\
         [[load]]\nfrom = \"500 mm\"\nto = \"100 %\"\naxes = \"material\"\n\
         force_per_length = {{ start = [0, 0, 0], end = [0, \"2 N/m\", 0] }}\nmoment_per_length = [0, 0, \"0.1 N m/m\"]\n"
    );
    let problem = problem(&compiled(&text));
    assert_eq!(problem.gravity, Vec3::zeros());
    assert_eq!((problem.point_loads[0].s, problem.point_loads[0].force.z), (0.5, -5.0));
    let load = problem.distributed_loads[0];
    assert_eq!((load.from, load.to, load.axes), (0.5, 2.0, Axes::Material));
    assert_eq!(load.force, [Vec3::zeros(), Vec3::new(0.0, 2.0, 0.0)]);
    assert_eq!(load.moment, [Vec3::new(0.0, 0.0, 0.1); 2]);
}

#[test]
fn gravity_is_standard_or_given() {
    assert_eq!(problem(&cable(MEASURED)).gravity, Vec3::new(0.0, 0.0, -9.81));
    let moon = format!(
        "version = 1\n[world]\ngravity = [0, 0, \"-1.62 m/s^2\"]\n[cable]\nlength = 1\n{MEASURED}\n{ENDS}"
    );
    assert_eq!(problem(&compiled(&moon)).gravity.z, -1.62);
}

#[test]
fn measured_section_is_taken_as_it_is() {
    let c = cable(
        r#"measured = { bend1 = "0.02 N m^2", bend2 = 0.03, twist = 0.015, mass_per_length = "90 g/m", radius = "5 mm" }"#,
    );
    let section = c.cables[0].section.at(0.5);
    assert_eq!(section.stiffness, Vec3::new(0.02, 0.03, 0.015));
    assert_eq!((section.mass_per_length, section.contact_radius), (0.09, 0.005));
    assert_eq!(section.source, StiffnessSource::Measured);
}

#[test]
fn shape_and_material_make_an_estimate() {
    let c = cable(
        r#"section = { shape = "rectangle", width = "20 mm", height = "2 mm", material = "steel", density = 8000 }"#,
    );
    let section = c.cables[0].section.at(0.0);
    // Bending about d1, the width, is easy: E w h³ / 12 with 200 GPa.
    assert!((section.stiffness.x / (200e9 * 0.02 * 0.002_f64.powi(3) / 12.0) - 1.0).abs() < 1e-12);
    assert!((section.mass_per_length - 8000.0 * 0.02 * 0.002).abs() < 1e-15);
    assert_eq!(section.source, StiffnessSource::Estimate);
    assert_eq!(c.cables[0].shape_at(0.3), Shape::Rectangle { width: 0.02, height: 0.002 });
}

#[test]
fn a_part_with_changes_keeps_the_rest() {
    let part = find_part("brake-hose").unwrap().section;
    let c = cable(
        "part = \"brake-hose\"\noverride = { mass_per_length = \"0.2 kg/m\" }\nlimits = { tension = \"100 N\" }",
    );
    let section = c.cables[0].section.at(0.0);
    assert_eq!((section.stiffness, section.contact_radius), (part.stiffness, part.contact_radius));
    assert_eq!((section.mass_per_length, section.limits.tension), (0.2, Some(100.0)));
    assert_eq!(section.limits.bend_static, part.limits.bend_static);
    let grown = section.rotary_inertia.x / part.rotary_inertia.x;
    assert!((grown - 0.2 / part.mass_per_length).abs() < 1e-12);
}

#[test]
fn bend_reference_belongs_to_the_radii_beside_it() {
    let limits = |lines: &str| {
        cable(&format!("part = \"brake-hose\"\nlimits = {{ {lines} }}")).cables[0].section.at(0.0).limits
    };
    let own = limits("bend_radius_static = \"50 mm\", bend_reference = \"centre\"");
    assert_eq!(own.bend_static.map(|l| (l.radius, l.reference)), Some((0.05, RadiusReference::Centre)));
    assert_eq!(own.bend_dynamic.unwrap().reference, RadiusReference::Inner);
    let kept = limits("bend_radius_static = \"50 mm\"");
    assert_eq!(kept.bend_static.unwrap().reference, RadiusReference::Inner);
    let corrected = limits("bend_reference = \"centre\"");
    assert_eq!(corrected.bend_dynamic.unwrap().reference, RadiusReference::Centre);
    assert_eq!(corrected.bend_static.unwrap().radius, 0.038);
}

fn stiffness_at(c: &Compiled, s: f64) -> f64 {
    c.cables[0].section.at(s).stiffness.x
}

const STIFF: &str = r#"override = { bend = "0.1 N m^2" }"#;

#[test]
fn zones_change_abruptly_or_taper() {
    let zone = |taper: &str| {
        cable(&format!("{MEASURED}\n[[cable.zone]]\nfrom = \"20 %\"\nto = 0.6\n{taper}\n{STIFF}"))
    };
    let c = zone("");
    let values = [0.1, 0.199, 0.2, 0.4, 0.599, 0.6, 0.9].map(|s| stiffness_at(&c, s));
    assert_eq!(values, [0.02, 0.02, 0.1, 0.1, 0.1, 0.02, 0.02]);
    // What a zone does not change is that of the cable.
    assert_eq!(c.cables[0].section.at(0.4).stiffness.z, 0.015);
    let c = zone("taper = \"100 mm\"");
    for (s, expected) in [(0.1, 0.02), (0.25, 0.06), (0.3, 0.1), (0.5, 0.1), (0.575, 0.04), (0.7, 0.02)] {
        assert!((stiffness_at(&c, s) - expected).abs() < 1e-12, "s = {s}: {}", stiffness_at(&c, s));
    }
}

#[test]
fn zones_that_touch_blend_into_each_other() {
    let zone = |from: f64, to: f64, taper: f64, bend: f64| {
        format!("[[cable.zone]]\nfrom = {from}\nto = {to}\ntaper = {taper}\noverride = {{ bend = {bend} }}\n")
    };
    // Both taper: they meet in the middle. At the ends of the cable there is nothing to blend into.
    let c = cable(&format!("{MEASURED}\n{}{}", zone(0.0, 0.5, 0.1, 0.1), zone(0.5, 1.0, 0.1, 0.3)));
    for (s, expected) in [(0.0, 0.1), (0.4, 0.1), (0.45, 0.15), (0.5, 0.2), (0.6, 0.3), (1.0, 0.3)] {
        assert!((stiffness_at(&c, s) - expected).abs() < 1e-12, "s = {s}: {}", stiffness_at(&c, s));
    }
    // Only the first tapers: it takes all of the way.
    let c = cable(&format!("{MEASURED}\n{}{}", zone(0.0, 0.5, 0.1, 0.1), zone(0.5, 1.0, 0.0, 0.3)));
    assert!((stiffness_at(&c, 0.45) - 0.2).abs() < 1e-12);
    assert!((stiffness_at(&c, 0.5) - 0.3).abs() < 1e-12);
}

#[test]
fn a_zone_with_its_own_part_forgets_the_changes_of_the_cable() {
    let c = cable(
        "part = \"wire-6\"\noverride = { mass_per_length = 5 }\nlimits = { tension = 1 }\n\
         [[cable.zone]]\nfrom = 0.5\nto = 1\npart = \"brake-hose\"",
    );
    let part: Section = find_part("brake-hose").unwrap().section;
    assert_eq!(c.cables[0].section.at(0.75), part);
    assert_eq!(c.cables[0].section.at(0.25).mass_per_length, 5.0);
    assert!(
        matches!(c.cables[0].shape_at(0.75), Shape::Tube { .. })
            && matches!(c.cables[0].shape_at(0.25), Shape::Disc { .. })
    );
}

#[test]
fn rest_shapes() {
    let rest = |lines: &str| cable(&format!("{MEASURED}\nrest = {lines}"));
    let c = rest("{ curvature = [\"2 1/m\", 0], twist = \"0.5 turn/m\" }");
    assert!((c.cables[0].rest_at(0.3) - Vec3::new(2.0, 0.0, PI)).norm() < 1e-12);
    let c = rest("{ start = { curvature = [0, 4] }, end = { twist = 2 } }");
    assert!((c.cables[0].rest_at(0.25) - Vec3::new(0.0, 3.0, 0.5)).norm() < 1e-12);
    let c = rest("{ table = [[0.2, 0, 1, 0], [0.4, 0, 3, 0], [0.4, 5, 0, 0], [\"600 mm\", 5, 0, 0]] }");
    for (s, expected) in [(0.0, [0.0, 1.0]), (0.3, [0.0, 2.0]), (0.4, [5.0, 0.0]), (0.9, [5.0, 0.0])] {
        let rest = c.cables[0].rest_at(s);
        assert!((rest - Vec3::new(expected[0], expected[1], 0.0)).norm() < 1e-12, "{s}");
    }
    assert_eq!(rest("\"straight\"").cables[0].rest_at(0.5), Vec3::zeros());
    // The rod at rest bends as the scene says: κ2 towards d1.
    let c = rest("{ curvature = [0, \"1 1/m\"] }");
    let first = flexline::rod::Station { position: Vec3::zeros(), frame: rotation::identity() };
    let tip = problem(&c).rod.station(&problem(&c).rod.rest_state(&first), 1.0).position;
    assert!((tip - Vec3::new(1.0 - 1.0_f64.cos(), 0.0, 1.0_f64.sin())).norm() < 1e-4, "{tip}");
}

#[test]
fn auto_grading_crowds_the_clamps_of_a_tight_rope() {
    let rope = |grading: &str| {
        compiled(&format!(
            "version = 1\n[cable]\nlength = \"12.2 m\"\npart = \"wire-rope-6x19\"\ngrading = {grading}\n\
             [start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n\
             [end]\nhold = \"pinned\"\nposition = [12, 0, 0]\n"
        ))
    };
    let spacing = |c: &Compiled| {
        let nodes = problem(c).rod.arcs().to_vec();
        (nodes[1], nodes[nodes.len() - 1] - nodes[nodes.len() - 2])
    };
    let (first, last) = spacing(&rope("\"uniform\""));
    assert!((first - 0.122).abs() < 1e-9 && (last - 0.122).abs() < 1e-9);
    // The layer is √(K/T): K = 0.09 N m², T = 30 N, 55 mm. Only the clamp has one.
    let (first, last) = spacing(&rope("\"auto\""));
    assert!(first < 0.03 && last > 0.1, "{first} {last}");
    let (first, last) = spacing(&rope("{ end = \"50 mm\" }"));
    assert!(first > 0.1 && last < 0.03, "{first} {last}");
}

#[test]
fn solve_settings_reach_the_solver() {
    let c = compiled(&format!(
        "version = 1\n[cable]\nlength = 1\n{MEASURED}\n{ENDS}\n[solve]\ntolerance = 1e-6\nstability = false\nseek_stable = true"
    ));
    let settings = c.settings();
    assert_eq!((settings.force_tolerance, settings.stability, settings.seek_stable), (1e-6, false, true));
    assert!(cable(MEASURED).settings().stability);
}

#[test]
fn integral_forces_can_be_chosen() {
    let text = format!(
        "version = 1\n[cable]\nlength = 1\nclosed = true\n{MEASURED}\n[start]\nhold = \"pinned\"\nposition = [0, 0, 0]\n\
         [solve]\nmethod = \"integral-forces\"\nalpha = 0.5\niterations = 30\n"
    );
    let scene = Scene::parse(&text, "test").unwrap();
    let compiled = scene.compile().unwrap();
    let Method::IntegralForces(constants) = compiled.settings().method else {
        panic!("{:?}", compiled.settings())
    };
    assert_eq!((constants.alpha, constants.max_iterations), (0.5, 30));
    // The scheme does not know rings: what the solver says is shown at the line that chose it.
    let error = compiled.solve(&compiled.settings()).unwrap_err();
    let located = scene.locate(&error);
    assert_eq!(located.diagnostics[0].path, "solve.method");
    assert_eq!(located.diagnostics[0].place.as_ref().map(|p| p.line), Some(10));
}

#[test]
fn mistakes_of_the_engine_stand_at_the_key() {
    let text = format!("version = 1\n[cable]\nlength = 1\n{MEASURED}\n{ENDS}");
    let mut scene = Scene::parse(&text, "test").unwrap();
    scene.cables[0].cable.resolution = 2;
    let error = scene.compile().unwrap_err();
    // `segments` is not written: the place is the table it belongs to.
    assert_eq!(error.diagnostics[0].path, "cable.segments");
    assert_eq!(error.diagnostics[0].place.as_ref().map(|p| p.line), Some(2));
}

#[test]
fn an_unknown_part_is_one_mistake_for_cable_and_zones() {
    let zone = "[[cable.zone]]\nfrom = 0.2\nto = 0.4\noverride = { mass_per_length = 1 }";
    let text = format!("version = 1\n[cable]\nlength = 1\npart = \"brake-hos\"\n{zone}\n{ENDS}");
    let error = Scene::parse(&text, "test").unwrap_err();
    let paths: Vec<&str> = error.diagnostics.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(paths, ["cable.part"]);
}

#[test]
fn rendering_passes_every_piece_to_the_painter() {
    use flexline_scene::Role;
    let error = Scene::parse("version = 1\ncolour = 2", "test").unwrap_err();
    let painted =
        error.render(|role, text| if role == Role::Caret { format!("<{text}>") } else { text.into() });
    assert!(painted.contains("  | <^^^^^^>\n"), "{painted}");
    assert_eq!(painted.replace(['<', '>'], ""), error.render(|_, text| text.into()).replace(['<', '>'], ""));
}

/// The file with `[cable]`, and that with `[[cable]]` between two ports.
#[test]
fn one_cable_is_the_same_network_however_it_is_spelled() {
    for body in ["segments = 20", "model = \"clothoid\"\nelements = 6", "model = \"spline\"\nelements = 8"] {
        let zone = format!(
            "[[cable.zone]]\nfrom = 0.2\nto = 0.5\ntaper = 0.05\n{}",
            MEASURED.replace("0.02", "0.05")
        );
        let body =
            format!("length = 1\n{body}\n{MEASURED}\nrest = {{ curvature = [1, 0.5], twist = 0.2 }}\n{zone}");
        let load =
            "from = \"30 %\"\nto = \"60 %\"\nforce_per_length = { start = [0, 1, 0], end = [0, 2, 1] }";
        let [a, b] =
            ["position = [0, 0, 0]\ntangent = [1, 0, 0]", "position = [0.6, 0.2, 0]\ntangent = [0, 1, 0]"];
        let held = "hold = \"clamped\"";
        let single = compiled(&format!(
            "version = 1\n[cable]\n{body}\n[start]\n{held}\n{a}\n[end]\n{held}\n{b}\n[[load]]\n{load}\n"
        ));
        let harness = compiled(&format!(
            "version = 1\n[[port]]\nname = \"a\"\n{a}\n[[port]]\nname = \"b\"\n{b}\n\
             [[cable]]\nname = \"c\"\nfrom = \"a\"\nto = \"b\"\n{body}\n[[load]]\ncable = \"c\"\n{load}\n"
        ));
        assert_eq!(single.network.spans[0].rod, harness.network.spans[0].rod);
        assert_eq!(single.network.spans[0].distributed_loads, harness.network.spans[0].distributed_loads);
        let [own, other] = [&single, &harness].map(problem);
        for (own, other) in own.ends.iter().zip(&other.ends) {
            assert_eq!((own.position, own.held, own.twist), (other.position, other.held, other.twist));
            let frames = [own, other].map(|end| end.orientation.unwrap());
            assert!(rotation::angle_between(&frames[0], &frames[1]) < 1e-12, "{frames:?}");
        }
    }
}

/// Used to be a stop at an anchor that was not there.
#[test]
fn what_slides_along_all_axes_is_free() {
    let end = "hold = \"pinned\"\nposition = [0.5, 0, 0]\nslides = [\"x\", \"y\", \"z\"]";
    let c = ends(&clamped("[0, 0, 0]", "tangent = [1, 0, 0]"), end);
    assert_eq!((c.network.anchors.len(), c.anchors.len(), c.network.spans[0].end), (1, 1, None));
}
