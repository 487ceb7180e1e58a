//! Identification on measurements by chance of a hose that is known: its values, its claims, what it refuses.

#[path = "hose.rs"]
mod hose;

use crate::support::base;
use flexline::Vec3;
use flexline_study::identify::{
    Estimate, Identification, Identified, Measured, Measurement, Noise, Point, Request, scattered,
};
use flexline_study::study::statistics::rate;
use hose::{ENDS, HOSE, measured, request, rolled};

fn quiet(_: usize, _: f64) {}

fn estimate<'a>(found: &'a Identified, name: &str) -> &'a Estimate {
    found.parameters.iter().find(|own| own.name == name).expect(name)
}

/// What the issue asks of a hose with the curl of its roll: 30 points in three poses, 0.5 mm.
#[test]
fn a_hose_from_a_roll_is_identified() {
    let request = request(rolled, 3, 0.5e-3, 1, &["bending_stiffness", "rest_curvature"]);
    let found = Identification::new(request).expect("sound").run(&quiet).expect("a search");
    assert!(found.converged, "{}", found.status);
    let bend = estimate(&found, "bending_stiffness");
    assert!((bend.value / 0.034 - 1.0).abs() < 0.03, "{bend:?}");
    let roll = &found.rolls[0];
    assert!((roll.curvature / 2.0 - 1.0).abs() < 0.05, "{roll:?}");
    assert!(bend.interval.is_some_and(|[low, high]| low < 0.034 && 0.034 < high), "{bend:?}");
    assert!(found.check.findings.is_empty(), "{:?}", found.check);
    // Every pose is predicted by the others nearly as well as it is met.
    for pose in &found.poses {
        assert!(pose.predicted.expect("predicted") < 2.0 * pose.rms, "{pose:?}");
    }
}

/// A shape under weight alone tells stiffness and weight by their ratio only; a weight that is known would tell both.
#[test]
fn what_cannot_be_told_apart_is_said() {
    let request = request(|own| own, 1, 0.5e-3, 3, &["bending_stiffness", "twisting_stiffness", "mass"]);
    let found = Identification::new(request).expect("sound").run(&quiet).expect("a search");
    assert!(found.converged, "{}", found.status);
    for own in &found.parameters {
        assert!(!own.known && own.interval.is_none() && own.standard_error.is_none(), "{own:?}");
    }
    let words: Vec<&str> = found.together.iter().map(|own| own.words.as_str()).collect();
    assert!(words.iter().any(|own| own.contains("only")), "{words:?}");
    let advice = found.advice.expect("a pose that tells more");
    assert!(advice.pose.contains("known weight"), "{advice:?}");
    assert!(advice.known.iter().any(|own| own.0 == "bending_stiffness"), "{advice:?}");
}

/// Stiffness and weight alone: the ratio is named, and known.
#[test]
fn a_ratio_is_named() {
    let mut request = request(|own| own, 1, 0.5e-3, 3, &["bending_stiffness", "mass"]);
    // A cable that hangs in a plane does not twist: its weight acts against bending alone.
    let flat = HOSE
        .replace(ENDS[0], "[\"450 mm\", 0, \"-100 mm\"]")
        .replace("tangent = [0, 1, 0]", "tangent = [1, 0, 0]");
    request.poses[0].base = base(&flat);
    request.poses[0].points = measured(&flat, "flat", 0.5e-3, 3);
    let found = Identification::new(request).expect("sound").run(&quiet).expect("a search");
    assert_eq!(found.together.len(), 1, "{:?}", found.together);
    assert_eq!(found.together[0].words, "bending_stiffness and mass: only as a ratio");
    let (name, value, [low, high]) = found.together[0].known.clone().expect("the ratio");
    assert_eq!(name, "bending_stiffness / mass");
    let truth = 0.02 / 0.12;
    assert!(low < truth && truth < high && (value / truth - 1.0).abs() < 0.1, "{value} {low} {high}");
}

/// Outliers count less, and are counted.
#[test]
fn outliers_are_told() {
    let mut request = request(rolled, 2, 0.5e-3, 9, &["bending_stiffness", "rest_curvature"]);
    for k in [3, 11, 24] {
        if let Measured::Space(at) = &mut request.poses[0].points[k].at {
            at.z += 0.03;
        }
    }
    request.robust = true;
    request.noise = Noise::Estimated;
    let found = Identification::new(request).expect("sound").run(&quiet).expect("a search");
    assert!(found.converged, "{}", found.status);
    assert!((3..6).contains(&found.check.outliers), "{:?}", found.check);
    assert!((found.noise / 0.5e-3 - 1.0).abs() < 0.35, "{}", found.noise);
    let bend = estimate(&found, "bending_stiffness");
    assert!(bend.interval.is_some_and(|[low, high]| low < 0.034 && 0.034 < high), "{bend:?}");
}

/// What cannot be used is refused with place, value and remedy.
#[test]
fn what_cannot_be_used_is_refused() {
    let refused = |change: &dyn Fn(&mut Request)| {
        let mut own = request(|own| own, 1, 0.5e-3, 3, &["bending_stiffness"]);
        change(&mut own);
        let error = match Identification::new(own) {
            Err(error) => error,
            Ok(own) => own.run(&quiet).expect_err("refused"),
        };
        error.to_string()
    };
    let scale = |own: &mut Request, factor: f64| {
        for point in &mut own.poses[0].points {
            if let Measured::Space(at) = &mut point.at {
                *at *= factor;
            }
        }
    };
    for (told, change) in [
        (
            "millimetres that are read as metres",
            (&|own: &mut Request| scale(own, 1e3)) as &dyn Fn(&mut Request),
        ),
        ("metres that are read as millimetres", &|own: &mut Request| scale(own, 1e-3)),
        ("of another part", &|own: &mut Request| scale(own, 5.0)),
        ("did you mean \"bending_stiffness\"?", &|own: &mut Request| {
            own.vary = vec!["bending_stifness".into()]
        }),
        ("did you mean \"cable.length\"?", &|own: &mut Request| own.vary = vec!["cable.lenght".into()]),
        ("nothing holds the orientation", &|own: &mut Request| {
            own.poses[0].base = base(
                &HOSE
                    .replace("hold = \"clamped\"\nposition = [\"300", "hold = \"pinned\"\nposition = [\"300")
                    .replace("tangent = [0, 1, 0]\nup = [0, 0, 1]\n", ""),
            );
            own.vary = vec!["end.orientation".into()];
        }),
        ("and 1 are unknown", &|own: &mut Request| own.poses[0].points.clear()),
        ("1 points say 2 numbers, and 3 are unknown", &|own: &mut Request| {
            own.poses[0].points.truncate(1);
            own.vary = vec!["end.orientation".into()];
        }),
        ("not among what is identified", &|own: &mut Request| own.priors = vec!["mas=1+-1".into()]),
        ("expected NAME=VALUE+-DEVIATION", &|own: &mut Request| own.priors = vec!["mass".into()]),
        ("from cable 'hose', which is 500 mm long: measured in other axes", &|own: &mut Request| {
            for point in &mut own.poses[0].points {
                if let Measured::Space(at) = &mut point.at {
                    at.x += 7.0;
                }
            }
        }),
        ("s is 700 mm, but cable 'hose' is 500 mm long", &|own: &mut Request| {
            own.poses[0].points[4].arc = Some(0.7)
        }),
    ] {
        let found = refused(change);
        assert!(found.contains(told), "{told}: {found}");
    }
}

/// A cable of another length does not fit, and the length that would is told.
#[test]
fn another_length_is_told() {
    let request =
        request(|own| own.replace("\"500 mm\"", "\"530 mm\""), 1, 0.5e-3, 3, &["bending_stiffness"]);
    let found = Identification::new(request).expect("sound").run(&quiet).expect("a search");
    assert!(!found.check.findings.is_empty(), "{:?}", found.check);
    assert!(
        found.length.as_deref().is_some_and(|own| own.contains("vary cable.length")),
        "{:?}",
        found.length
    );
}

/// Intervals hold the truth as often as they say: `repetitions` of `request`, against the share that chance allows.
fn covers(request: Request, repetitions: usize) {
    let identification = Identification::new(request).expect("sound");
    let found = identification.run(&quiet).expect("a search");
    assert!(found.converged && found.parameters.iter().all(|own| own.known), "{:?}", found.parameters);
    let coverages = identification.coverage(&found, repetitions, 77, &|| {}).expect("repetitions");
    assert!(coverages.failed == 0, "{coverages:?}");
    for own in &coverages.parameters {
        assert_eq!(own.unknown, 0, "{own:?}");
        let held = (own.share.value * repetitions as f64).round() as usize;
        println!("{}: {held} of {repetitions}", own.name);
        if repetitions >= 1000 {
            assert!((0.93..=0.97).contains(&own.share.value), "{own:?}");
        } else {
            // Four standard deviations of a binomial share of 95 %.
            let reach = 4.0 * (0.95 * 0.05 / repetitions as f64).sqrt();
            assert!((own.share.value - 0.95).abs() < reach, "{own:?} {:?}", rate(held, repetitions));
        }
    }
}

fn repeated(estimated: bool) -> Request {
    let vary = ["bending_stiffness", "twisting_stiffness", "rest_curvature", "end.orientation"];
    let mut own = request(rolled, 3, 0.5e-3, 1, &vary);
    own.priors = vec!["end.orientation=0+-0.3 deg".into()];
    if estimated {
        own.noise = Noise::Estimated;
    }
    own
}

#[test]
fn intervals_hold_the_truth() {
    covers(repeated(true), 120);
}

/// `cargo test --test study more_than_a_thousand -- --ignored --nocapture`. Of a thousand alone the share of one in eleven good sets of 26 parameters
/// would be outside by chance; of two thousand one in two thousand is.
#[test]
#[ignore = "minutes"]
fn intervals_hold_the_truth_in_more_than_a_thousand_repetitions() {
    covers(repeated(false), 2000);
    covers(repeated(true), 2000);
}

/// A hose that comes down on a floor: where it slid to tells the friction, by derivatives of problems solved again.
#[test]
fn friction_is_identified() {
    let floor = r#"version = 1
[cable]
name = "hose"
length = "600 mm"
segments = 40
measured = { bend = "0.02 N m^2", twist = "0.02 N m^2", mass_per_length = "120 g/m", diameter = "10 mm" }
[start]
hold = "clamped"
position = [0, 0, "120 mm"]
tangent = [1, 0, 0]
[end]
hold = "free"
[[obstacle]]
name = "floor"
shape = "plane"
tangent = [0, 0, 1]
friction = 0.3
"#;
    let points = measured(floor, "floor", 0.2e-3, 1);
    let believed = floor.replace("friction = 0.3", "friction = 0.2");
    let request = Request {
        poses: vec![Measurement { name: "floor".into(), base: base(&believed), points }],
        vary: vec!["floor.friction".into()],
        priors: Vec::new(),
        noise: Noise::Stated { space: 0.2e-3, image: 1.0 },
        robust: false,
    };
    let found = Identification::new(request).expect("sound").run(&quiet).expect("a search");
    assert!(found.converged, "{}", found.status);
    let [low, high] = estimate(&found, "floor.friction").interval.expect("an interval");
    assert!(low < 0.3 && 0.3 < high && high / low < 1.5, "{low} {high}");
    assert!(found.differences.iter().any(|own| own.contains("friction")), "{:?}", found.differences);
}
