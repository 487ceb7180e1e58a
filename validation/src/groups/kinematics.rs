//! Space clothoids: end position and frame of a curve with strain a + b s.
//!
//! One clothoid element has to reproduce each case to round-off, and where b = 0 one helix too.

use super::{list, name};
use crate::case::{Cases, ExactMeasure};
use crate::compare::worse;
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use flexline::algebra::rotation;
use flexline::geometry::darboux::{ClothoidElement, CurvePoint, HelixElement, Summation};
use flexline::{Mat3, Vec3};

/// Reads the cases.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "cases")? {
        cases.add_exact(name(&case, "clothoid", place)?, place, pose(&case))?;
    }
    Ok(())
}

/// The models that are exact on a case, and how to measure them.
fn pose(case: &Field) -> Result<(Vec<&'static str>, ExactMeasure), FieldError> {
    let params = case.get("params")?;
    let (length, a, b) = (params.positive("L")?, params.vec3("a")?, params.vec3("b")?);
    let turning = params.number("total_turning_rad")?.max(0.0);
    let results = case.get("results")?;
    let position = results.vec3("r")?;
    let rows = results.get("R")?;
    let frame = match &rows.items()?[..] {
        [x, y, z] => Mat3::from_columns(&[x.as_vec3()?, y.as_vec3()?, z.as_vec3()?]).transpose(),
        _ => return Err(rows.wrong("three rows")),
    };
    let constant = b == Vec3::zeros();
    let models = if constant { vec!["helix", "clothoid"] } else { vec!["clothoid"] };
    let measure: ExactMeasure = Box::new(move |model| {
        let point = match model {
            "helix" => HelixElement::new(a, length).map(|e| e.point(length)),
            // By series even without slope, where the element would take the closed form.
            _ => ClothoidElement::with_slope(a, b, length).map(|e| e.point_by(length, &Summation::default())),
        };
        Ok(compare(&point.map_err(|e| e.to_string())?, &position, &frame, length, turning))
    });
    Ok((models, measure))
}

fn compare(point: &CurvePoint, position: &Vec3, frame: &Mat3, length: f64, turning: f64) -> Vec<Quantity> {
    let own = rotation::matrix(&point.frame);
    let largest = |m: Mat3| m.iter().fold(0.0, |e, v| worse(e, v.abs()));
    let tolerance = tolerance::KINEMATICS * (1.0 + turning);
    vec![
        Quantity::new("position", (point.position - position).norm() / length, tolerance),
        Quantity::new("frame", largest(own - frame), tolerance),
        Quantity::new(
            "orthonormality",
            largest(own.transpose() * own - Mat3::identity()),
            tolerance::ORTHONORMALITY,
        ),
    ]
}
