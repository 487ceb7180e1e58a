//! Derivatives against differences, and how a search ends.

use super::fit::{Ending, Model};
use super::*;
use flexline_scene::Folder;

/// A hose between two clamps, as it is believed to be.
const HOSE: &str = r#"version = 1
[cable]
name = "hose"
length = "500 mm"
segments = 40
measured = { bend = "0.02 N m^2", twist = "0.02 N m^2", mass_per_length = "120 g/m", diameter = "10 mm" }
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [1, 0, 0]
up = [0, 0, 1]
[end]
hold = "clamped"
position = ["300 mm", "100 mm", "-100 mm"]
tangent = [0, 1, 0]
up = [0, 0, 1]
"#;

/// Where its end is in each pose.
const ENDS: [&str; 3] = [
    "[\"300 mm\", \"100 mm\", \"-100 mm\"]",
    "[\"200 mm\", \"150 mm\", \"50 mm\"]",
    "[\"350 mm\", \"-50 mm\", \"-150 mm\"]",
];

fn base(text: &str) -> Base {
    Base::new(text.into(), "hose.toml".into(), Folder::default())
}

/// Points of a scene, off by chance.
fn measured(truth: &str, name: &str, deviation: f64, seed: u64) -> Vec<Point> {
    let own = base(truth);
    let solved = own.solve(&own.text).expect("a sound scene");
    let file: std::sync::Arc<str> = name.into();
    let point = |(k, at): (usize, Vec3)| Point {
        at: Measured::Space(at),
        arc: None,
        sigma: None,
        cable: None,
        file: file.clone(),
        line: k + 1,
    };
    scattered(&solved, 0, 30, deviation, seed).into_iter().enumerate().map(point).collect()
}

/// The hose in some poses, measured where `truth` says what it is really like.
fn request(
    truth: impl Fn(String) -> String,
    poses: usize,
    deviation: f64,
    seed: u64,
    vary: &[&str],
) -> Request {
    let pose = |k: usize| {
        let scene = HOSE.replace(ENDS[0], ENDS[k]);
        let name = format!("pose {k}");
        let points = measured(&truth(scene.clone()), &name, deviation, seed + 100 * k as u64);
        Measurement { name, base: base(&scene), points }
    };
    Request {
        poses: (0..poses).map(pose).collect(),
        vary: vary.iter().map(|own| (*own).to_owned()).collect(),
        priors: Vec::new(),
        noise: Noise::Stated { space: deviation.max(1e-5), image: 1.0 },
        robust: false,
    }
}

/// Stiffer than believed, and bent by the roll it came from.
fn rolled(scene: String) -> String {
    scene
        .replace("bend = \"0.02 N m^2\"", "bend = \"0.034 N m^2\"")
        .replace("segments = 40", "segments = 40\nrest = { curvature = [1.6, -1.2] }")
}

fn quiet(_: usize, _: f64) {}

/// The gradient of what is least is that of differences, with feet found anew, and so is every column where points lie on the cable.
#[test]
fn derivatives_agree_with_differences() {
    let vary = [
        "bending_stiffness",
        "twisting_stiffness",
        "mass",
        "rest_curvature",
        "rest_twist",
        "end.orientation",
        "end.position",
        "cable.length",
    ];
    let mut request = request(rolled, 2, 2e-3, 5, &vary);
    // Some with an arc length that is known, some of a photograph.
    let camera =
        "focal = [1200, 1180]\ncentre = [640, 360]\nposition = [0.1, -1.5, 0.2]\nlooks_at = [0.2, 0, 0]\n";
    let camera = std::sync::Arc::new(Camera::read(camera, "camera.toml").expect("a camera"));
    for (k, point) in request.poses[0].points.iter_mut().enumerate() {
        if k % 3 == 0 {
            point.arc = Some(0.5 * (k as f64 + 0.5) / 30.0);
        } else if let (1, Measured::Space(at)) = (k % 3, &point.at) {
            let (seen, _) = camera.project(at).expect("in front");
            point.at = Measured::Image(seen, camera.clone());
        }
    }
    request.noise = Noise::Stated { space: 1e-3, image: 1.0 };
    request.priors = vec!["mass=100 g/m +- 10 %".into()];
    let model = Identification::new(request).expect("a sound request").model;
    let all = [true; 2];
    let cost = |coordinates: &[f64], near: Option<&fit::Looked>| {
        let looked = model.look(coordinates, &all, near).expect("sound").expect("an equilibrium");
        let (system, _) = model.system(&looked).expect("derivatives");
        let priors: f64 = system.priors.iter().map(|own| own.1 * own.1).sum();
        (system.residuals.norm_squared() + priors, system, looked)
    };
    let start = model.start();
    let (_, system, looked) = cost(&start, None);
    let mut gradient = system.jacobian.transpose() * &system.residuals * 2.0;
    for (k, residual, slope) in &system.priors {
        gradient[*k] += 2.0 * residual * slope;
    }
    let h = 1e-4;
    for k in 0..start.len() {
        let at = |by: f64| {
            let mut moved = start.clone();
            moved[k] += by;
            cost(&moved, Some(&looked)).0
        };
        let numeric = (at(h) - at(-h)) / (2.0 * h);
        let off = (numeric - gradient[k]).abs() / gradient.amax();
        assert!(off < 1e-5, "{}: {numeric} and {}", model.unknowns[k].name, gradient[k]);
    }
}

/// Where a pose has no equilibrium the last good state stays, and nothing is claimed.
#[test]
fn a_search_that_ends_keeps_its_last_good_state() {
    let mut own = request(|own| own, 1, 0.5e-3, 3, &["cable.length"]);
    // Points of a shorter hose than can reach its end.
    for point in &mut own.poses[0].points {
        if let Measured::Space(at) = &mut point.at {
            *at *= 0.3;
        }
    }
    let model: Model = Identification::new(own).expect("sound").model;
    let fit = model.fit(&model.start(), &[true], None, &quiet).expect("a search");
    assert!(
        matches!(fit.ending, Ending::Converged | Ending::Failed { .. } | Ending::Stalled),
        "{:?}",
        fit.ending
    );
    assert!(fit.looked.coordinates.iter().all(|own| own.is_finite()) && fit.looked.solved[0].is_some());
}
