//! Derivatives against differences, and how a search ends.

#[path = "../../tests/study/hose.rs"]
mod hose;

use super::fit::{Ending, Model};
use super::*;
use flexline_scene::Folder;
use hose::{request, rolled};

fn base(text: &str) -> Base {
    Base::new(text.into(), "hose.toml".into(), Folder::default())
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
