//! A pinhole camera: where a place in space is in its photograph.

use crate::base::StudyError;
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A pinhole without distortion. Its axes are those of photographs: x to the right, y down, z into the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Focal length over the width and the height of a pixel, px.
    pub focal: [f64; 2],
    /// Where its axis meets the photograph, px from the upper left.
    pub centre: [f64; 2],
    /// Where its pinhole is, m.
    pub position: [f64; 3],
    /// From its axes to the world, w first.
    pub quaternion: Option<[f64; 4]>,
    /// Instead of a quaternion: the point of the world that it looks at, with world z upwards in the photograph, m.
    pub looks_at: Option<[f64; 3]>,
    /// Standard deviation of a point in every direction, px.
    pub noise: Option<f64>,
}

/// How far the norm of a quaternion may be from 1.
const NORM: f64 = 1e-3;

impl Camera {
    /// Reads and checks a camera's file.
    pub fn read(text: &str, name: &str) -> Result<Self, StudyError> {
        let wrong = |why: String| StudyError::Input(format!("{name}: {why}"));
        let own: Self = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let numbers = own.focal.iter().chain(&own.centre).chain(&own.position);
        let numbers = numbers.chain(own.quaternion.iter().flatten()).chain(own.looks_at.iter().flatten());
        if let Some(bad) = numbers.chain(&own.noise).find(|own| !own.is_finite()) {
            return Err(wrong(format!("{bad} is no finite number")));
        }
        if own.focal.iter().any(|own| *own <= 0.0) || own.noise.is_some_and(|own| own <= 0.0) {
            return Err(wrong("focal lengths and noise are above zero, in pixels".into()));
        }
        match (own.quaternion, own.looks_at) {
            (Some(q), None) => {
                let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
                if (norm - 1.0).abs() > NORM {
                    return Err(wrong(format!("quaternion has the norm {norm}: expected 1")));
                }
            }
            (None, Some(at)) => {
                let way = Vec3::from(at) - Vec3::from(own.position);
                if way.cross(&Vec3::z()).norm() <= 1e-6 * way.norm() {
                    let help = "it looks straight up or down, where z is no direction of the photograph: give its quaternion";
                    return Err(wrong(help.into()));
                }
            }
            _ => {
                return Err(wrong(
                    "say where it looks: quaternion = [w, x, y, z] or looks_at = [x, y, z]".into(),
                ));
            }
        }
        Ok(own)
    }

    fn frame(&self) -> Quat {
        match (self.quaternion, self.looks_at) {
            (Some([w, x, y, z]), _) => Quat::new(w, x, y, z).normalize(),
            (None, at) => {
                let way = Vec3::from(at.unwrap_or_default()) - Vec3::from(self.position);
                rotation::frame(&way, &way.cross(&Vec3::z()))
            }
        }
    }

    /// Where a place is in the photograph, and how that changes with the place; `None` for what is not in front of it.
    pub fn project(&self, place: &Vec3) -> Option<([f64; 2], [Vec3; 2])> {
        let frame = self.frame();
        let [right, down, into] =
            [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| rotation::rotate(&frame, &axis));
        let way = place - Vec3::from(self.position);
        let depth = way.dot(&into);
        if depth <= 0.0 {
            return None;
        }
        let (x, y) = (way.dot(&right) / depth, way.dot(&down) / depth);
        let slope = |k: usize, axis: Vec3, at: f64| (axis - into * at) * (self.focal[k] / depth);
        let at = [self.focal[0] * x + self.centre[0], self.focal[1] * y + self.centre[1]];
        Some((at, [slope(0, right, x), slope(1, down, y)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAMERA: &str =
        "focal = [1200, 1180]\ncentre = [640, 360]\nposition = [0.1, -1.5, 0.2]\nlooks_at = [0.2, 0, 0]\n";

    #[test]
    fn a_photograph_has_its_sides_and_its_derivatives() {
        let camera = Camera::read(CAMERA, "camera.toml").expect("a camera");
        let at = |place: Vec3| camera.project(&place).expect("in front").0;
        let middle = at(Vec3::new(0.2, 0.0, 0.0));
        assert!((middle[0] - 640.0).abs() < 1e-9 && (middle[1] - 360.0).abs() < 1e-9, "{middle:?}");
        assert!(at(Vec3::new(0.3, 0.0, 0.0))[0] > 640.0, "x is to the right of who looks along y");
        assert!(at(Vec3::new(0.2, 0.0, 0.1))[1] < 360.0, "up is up");
        assert!(camera.project(&Vec3::new(0.0, -3.0, 0.0)).is_none());
        let (place, h) = (Vec3::new(0.31, 0.12, -0.07), 1e-6);
        let slopes = camera.project(&place).expect("in front").1;
        for axis in 0..3 {
            let mut step = Vec3::zeros();
            step[axis] = h;
            let (a, b) = (at(place + step), at(place - step));
            for k in 0..2 {
                assert!(((a[k] - b[k]) / (2.0 * h) - slopes[k][axis]).abs() < 1e-4, "{axis} {k}");
            }
        }
    }

    #[test]
    fn a_wrong_camera_is_refused() {
        for (from, to, told) in [
            ("looks_at = [0.2, 0, 0]", "", "say where it looks"),
            ("focal = [1200, 1180]", "focal = [0, 1180]", "above zero"),
            ("looks_at = [0.2, 0, 0]", "quaternion = [2, 0, 0, 0]", "the norm 2"),
            ("looks_at = [0.2, 0, 0]", "looks_at = [0.1, -1.5, 3]", "straight up or down"),
            ("looks_at", "look_at", "unknown field"),
            ("position = [0.1,", "position = [nan,", "no finite number"),
        ] {
            let error = Camera::read(&CAMERA.replace(from, to), "camera.toml").expect_err(to).to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
