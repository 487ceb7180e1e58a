//! Limits judged on shapes whose curvature, tension and twist are known.

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::network::Short;
use flexline::solver::{self, Profile, Sample, Stability, Status};
use flexline_scene::check::{Finding, Rule, Verdict, overall};
use flexline_scene::{Compiled, Scene};

/// A cable of 1 m and 10 mm diameter with the given lines in `[cable]`.
fn cable(lines: &str) -> Compiled {
    let text = format!(
        "version = 1\n[cable]\nlength = 1\nmeasured = {{ bend = 0.02, twist = 0.01, mass_per_length = 0.1, diameter = 0.01 }}\n\
         {lines}\n[start]\nhold = \"pinned\"\nposition = [0, 0, 0]\n[end]\nhold = \"free\"\n"
    );
    Scene::parse(&text, "test").unwrap_or_else(|e| panic!("{e}")).compile().unwrap()
}

/// Samples at 0, 0.1, … 1 m with the given strain and tension at each s, and the moment that belongs to it.
fn profile(cable: &Compiled, at: impl Fn(f64) -> (Vec3, f64)) -> Profile {
    let sample = |i: usize| {
        let s = i as f64 / 10.0;
        let (strain, tension) = at(s);
        let stiffness = cable.cables[0].section.at(s).stiffness;
        Sample {
            s,
            position: Vec3::new(0.0, 0.0, s),
            frame: rotation::identity(),
            strain,
            moment_material: stiffness.component_mul(&(strain - cable.cables[0].rest_at(s))),
            force_world: Vec3::new(0.0, 0.0, tension),
            radius: 0.005,
        }
    };
    Profile { samples: (0..=10).map(sample).collect() }
}

fn judged(
    cable: &Compiled,
    profile: Profile,
    status: Status,
    stability: Option<solver::Verdict>,
) -> Vec<Finding> {
    let mut solution = cable.solve(&cable.settings()).expect("a solution");
    (solution.report.status, solution.report.negative) = (status, 0);
    solution.report.short =
        (status == Status::TooShort).then_some(Short { span: 0, missing: 0.012 }).into_iter().collect();
    solution.report.rest.stability = stability.map(|verdict| Stability {
        verdict,
        lambda_min: -0.1,
        negative: 2,
        neutral: 0,
        complete: true,
    });
    solution.profiles[0] = profile;
    let found = cable.check(&solution);
    found.whole.into_iter().chain(found.cables.into_iter().flatten()).collect()
}

fn findings(cable: &Compiled, at: impl Fn(f64) -> (Vec3, f64)) -> Vec<Finding> {
    judged(cable, profile(cable, at), Status::Converged, None)
}

fn only(rule: Rule, findings: &[Finding]) -> Finding {
    let found: Vec<&Finding> = findings.iter().filter(|f| f.rule == rule).collect();
    assert_eq!(found.len(), 1, "{findings:?}");
    found[0].clone()
}

/// A bend of 50 mm radius at s = 0.3 m, 1 m elsewhere.
fn one_bend(s: f64) -> (Vec3, f64) {
    (if s == 0.3 { Vec3::new(12.0, 16.0, 0.0) } else { Vec3::new(1.0, 0.0, 0.0) }, 0.0)
}

#[test]
fn bend_radius_is_judged_at_the_tightest_place() {
    let limit = |mm: f64, reference: &str| {
        let lines =
            format!("limits = {{ bend_radius_static = \"{mm} mm\", bend_reference = \"{reference}\" }}");
        only(Rule::BendRadius, &findings(&cable(&lines), one_bend))
    };
    let pass = limit(39.0, "centre");
    assert_eq!((pass.verdict, pass.s, pass.position.z), (Verdict::Pass, 0.3, 0.3));
    assert!((pass.value - 0.05).abs() < 1e-15 && (pass.utilisation.unwrap() - 0.78).abs() < 1e-12);
    assert_eq!(limit(41.0, "centre").verdict, Verdict::Warn);
    assert_eq!(limit(50.1, "centre").verdict, Verdict::Fail);
    // The inner side is 5 mm nearer.
    let inner = limit(46.0, "inner");
    assert_eq!(inner.verdict, Verdict::Fail);
    assert!((inner.value - 0.045).abs() < 1e-15);
    assert_eq!(
        inner.message,
        "bend radius 45 mm at s = 300 mm: expected at least 46 mm (static, at the inner side)"
    );
}

#[test]
fn repeated_bending_has_its_own_limit_or_the_static_one() {
    let both = "bend_radius_static = \"20 mm\", bend_radius_dynamic = \"60 mm\", bend_reference = \"centre\"";
    let judged = |usage: &str, limits: &str| {
        let cable = cable(&format!("use = \"{usage}\"\nlimits = {{ {limits} }}"));
        only(Rule::BendRadius, &findings(&cable, one_bend)).verdict
    };
    assert_eq!(judged("static", both), Verdict::Pass);
    assert_eq!(judged("dynamic", both), Verdict::Fail);
    assert_eq!(
        judged("dynamic", "bend_radius_static = \"55 mm\", bend_reference = \"centre\""),
        Verdict::Fail
    );
}

#[test]
fn a_straight_cable_and_a_kinked_one() {
    let lines = "limits = { bend_radius_static = \"40 mm\", bend_reference = \"inner\" }";
    let straight = only(Rule::BendRadius, &findings(&cable(lines), |_| (Vec3::zeros(), 0.0)));
    assert_eq!((straight.verdict, straight.utilisation), (Verdict::Pass, Some(0.0)));
    assert!(straight.value.is_infinite() && straight.message.starts_with("bend radius unlimited"));
    // Tighter than its own radius: there is no inner side left.
    let kinked = only(Rule::BendRadius, &findings(&cable(lines), |_| (Vec3::new(0.0, 300.0, 0.0), 0.0)));
    assert_eq!((kinked.verdict, kinked.value), (Verdict::Fail, 0.0));
}

#[test]
fn tension_counts_pull_but_not_push() {
    let cable = cable("limits = { tension = \"10 N\" }");
    let pulled = only(Rule::Tension, &findings(&cable, |s| (Vec3::zeros(), 11.0 * s)));
    assert_eq!((pulled.verdict, pulled.s, pulled.value), (Verdict::Fail, 1.0, 11.0));
    let pushed = only(Rule::Tension, &findings(&cable, |_| (Vec3::zeros(), -50.0)));
    assert_eq!((pushed.verdict, pushed.utilisation), (Verdict::Pass, Some(0.0)));
}

#[test]
fn twist_and_strain_are_measured_from_the_rest_shape() {
    let cable = cable(
        "limits = { twist = \"4 rad/m\", strain = \"5 %\" }\nrest = { curvature = [\"6 1/m\", 0], twist = 3 }",
    );
    let found = findings(&cable, |_| (Vec3::new(6.0, 8.0, -2.0), 0.0));
    let twist = only(Rule::Twist, &found);
    assert!((twist.value - 5.0).abs() < 1e-12 && twist.verdict == Verdict::Fail);
    // 8/m away from rest, 5 mm from the centre.
    let strain = only(Rule::Strain, &found);
    assert!((strain.value - 0.04).abs() < 1e-12 && strain.verdict == Verdict::Pass);
}

#[test]
fn a_flat_section_is_strained_by_its_height() {
    let text = "version = 1\n[cable]\nlength = 1\nlimits = { strain = 0.01 }\n\
        section = { shape = \"rectangle\", width = 0.02, height = 0.001, material = \"steel\" }\n\
        [start]\nhold = \"pinned\"\nposition = [0, 0, 0]\n[end]\nhold = \"free\"\n";
    let cable = Scene::parse(text, "test").unwrap().compile().unwrap();
    let strained = |k1, k2| only(Rule::Strain, &findings(&cable, |_| (Vec3::new(k1, k2, 0.0), 0.0))).value;
    assert!((strained(4.0, 0.0) - 0.002).abs() < 1e-12);
    assert!((strained(0.0, 4.0) - 0.04).abs() < 1e-12);
    assert!((strained(4.0, -4.0) - 0.042).abs() < 1e-12);
}

#[test]
fn at_an_abrupt_change_both_sides_count() {
    let zone =
        |from, to| cable(&format!("[[cable.zone]]\nfrom = {from}\nto = {to}\nlimits = {{ tension = 10 }}"));
    let pull = |s: f64| (Vec3::zeros(), if s == 0.5 { 20.0 } else { 0.0 });
    for cable in [zone(0.0, 0.5), zone(0.5, 1.0)] {
        let tension = only(Rule::Tension, &findings(&cable, pull));
        assert_eq!((tension.verdict, tension.s), (Verdict::Fail, 0.5));
    }
    let away = only(Rule::Tension, &findings(&zone(0.6, 1.0), pull));
    assert_eq!(away.verdict, Verdict::Pass);
}

#[test]
fn where_stiffness_jumps_the_soft_side_bends() {
    let cable = cable(
        "limits = { bend_radius_static = \"60 mm\", bend_reference = \"centre\" }\n\
         [[cable.zone]]\nfrom = 0.5\nto = 1\noverride = { bend = 2 }",
    );
    // 1 N m at the jump: 50/m in the soft half, 0.5/m in the stiff one.
    let mut profile = profile(&cable, |_| (Vec3::zeros(), 0.0));
    profile.samples[5].moment_material.x = 1.0;
    let found = judged(&cable, profile, Status::Converged, None);
    let bend = only(Rule::BendRadius, &found);
    assert!((bend.value - 0.02).abs() < 1e-12 && bend.s == 0.5, "{bend:?}");
}

#[test]
fn a_jump_of_the_rest_shape_strains_nothing() {
    let cable = cable(
        "limits = { strain = \"1 %\", bend_radius_static = \"60 mm\", bend_reference = \"centre\" }\n\
         rest = { table = [[0.5, 0, 0, 0], [0.5, 0, 10, 0]] }",
    );
    let found = findings(&cable, |s| (cable.cables[0].rest_at(s), 0.0));
    assert_eq!(only(Rule::Strain, &found).value, 0.0);
    assert!((only(Rule::BendRadius, &found).value - 0.1).abs() < 1e-12);
}

#[test]
fn what_has_no_limit_is_told_and_not_judged() {
    let found = findings(&cable(""), one_bend);
    // Equilibrium, stability, four limits.
    assert_eq!((found.len(), overall(&found)), (6, Verdict::Pass));
    for finding in &found[2..] {
        assert_eq!((finding.verdict, finding.limit, finding.utilisation), (Verdict::NoLimit, None, None));
    }
    let bend = only(Rule::BendRadius, &found);
    assert_eq!(bend.message, "bend radius 50 mm at s = 300 mm: no limit known (at the centre)");
    let limited = cable("limits = { bend_radius_static = \"45 mm\", bend_reference = \"inner\" }");
    assert_eq!(only(Rule::Tension, &findings(&limited, one_bend)).verdict, Verdict::NoLimit);
}

#[test]
fn without_equilibrium_or_stability_the_check_fails() {
    let cable = cable("");
    let judged = |status, stability| judged(&cable, profile(&cable, one_bend), status, stability);
    let short = judged(Status::TooShort, None);
    assert_eq!(overall(&short), Verdict::Fail);
    let told = "no equilibrium found (too short: cable 'cable' is 12 mm short between start): nothing else can be judged";
    assert_eq!(short[0].message, told);
    assert_eq!(short.len(), 1, "no numbers where there are none: {short:?}");
    assert_eq!(overall(&judged(Status::NoProgress, None)), Verdict::Fail);
    let unstable = judged(Status::Converged, Some(solver::Verdict::Unstable));
    assert_eq!(only(Rule::Stability, &unstable).verdict, Verdict::Fail);
    assert_eq!(overall(&judged(Status::Converged, Some(solver::Verdict::Neutral))), Verdict::Pass);
}
