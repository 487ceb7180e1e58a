//! A hose that is known, and measurements of it by chance: for the tests of identification, inside the package and from outside.

use super::{Measured, Measurement, Noise, Point, Request, Vec3, base, scattered};

/// A hose between two clamps, as it is believed to be.
pub(super) const HOSE: &str = r#"version = 1
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
pub(super) const ENDS: [&str; 3] = [
    "[\"300 mm\", \"100 mm\", \"-100 mm\"]",
    "[\"200 mm\", \"150 mm\", \"50 mm\"]",
    "[\"350 mm\", \"-50 mm\", \"-150 mm\"]",
];

/// Points of a scene, off by chance.
pub(super) fn measured(truth: &str, name: &str, deviation: f64, seed: u64) -> Vec<Point> {
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
pub(super) fn request(
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
pub(super) fn rolled(scene: String) -> String {
    scene
        .replace("bend = \"0.02 N m^2\"", "bend = \"0.034 N m^2\"")
        .replace("segments = 40", "segments = 40\nrest = { curvature = [1.6, -1.2] }")
}
