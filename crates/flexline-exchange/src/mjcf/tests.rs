//! Angles of hinges, and what stands in a file.

use super::chain::angles;
use super::{First, Last, is_mjcf, read};
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};

/// A hinge about an axis.
fn hinge(axis: usize, angle: f64) -> Quat {
    rotation::exp(&(Vec3::ith(axis, 1.0) * angle))
}

#[test]
fn hinges_in_a_row_make_the_rotation_that_they_come_from() {
    for (k, v) in [[0.3, -0.2, 0.5], [1.1, 0.7, -0.9], [-0.4, 1.1, 1.0]].into_iter().enumerate() {
        let turn = rotation::exp(&Vec3::from(v));
        for twist_first in [true, false] {
            let a = angles(&turn, twist_first);
            let again = match twist_first {
                true => hinge(2, a.z) * hinge(0, a.x) * hinge(1, a.y),
                false => hinge(1, a.y) * hinge(0, a.x) * hinge(2, a.z),
            };
            assert!(rotation::log(&(turn.conjugate() * again)).norm() < 1e-14, "{k} {twist_first}");
        }
    }
}

/// Of a rotation by θ the angles are θ and a product of two; the two orders have it with opposite signs.
#[test]
fn the_two_orders_cancel_what_is_of_second_order() {
    let theta = Vec3::new(2e-3, -1e-3, 3e-3);
    let turn = rotation::exp(&theta);
    let (one, other) = (angles(&turn, true), angles(&turn, false));
    let off = |v: Vec3| (v - theta).norm();
    assert!(off(one) > 1e-6 && off(other) > 1e-6, "{} {}", off(one), off(other));
    assert!(off(0.5 * (one + other)) < 1e-8, "{}", off(0.5 * (one + other)));
}

const MODEL: &str = r#"<?xml version="1.0"?><!-- a cable -->
<mujoco model="Cable"><include file="more.xml"/>
  <worldbody>
    <body name="wall" pos="0 0 1" euler="0 0 90">
      <composite type="cable" curve="s" count="41 1 1" size="1" offset="-.3 0 .6" initial="none">
        <plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e7"/><config key="bend" value="4e6"/></plugin>
        <geom type="capsule" size=".005"/>
      </composite>
    </body>
    <body name="slider" pos=".7 0 .6"><joint type="slide" axis="1 0 0"/><geom size=".01"/></body>
  </worldbody>
  <equality><connect body1="B_last" body2="slider" anchor=".025 0 0"/></equality>
</mujoco>"#;

#[test]
fn a_cable_of_a_model_has_its_place_stiffness_and_mass() {
    assert!(is_mjcf(MODEL.as_bytes()) && !is_mjcf(b"<robot name=\"<mujoco\"/>"));
    let more =
        |name: &str| (name == "more.xml").then(|| b"<mujoco><option gravity=\"0 0 -1\"/></mujoco>".to_vec());
    let model = read(MODEL.as_bytes(), &more).unwrap();
    assert_eq!(model.gravity, -Vec3::z());
    let own = &model.cables[0];
    assert_eq!((own.first, own.last), (First::Clamped, Last::Pinned([true, false, false])));
    assert!((own.vertices[0] - Vec3::new(0.0, -0.3, 1.6)).norm() < 1e-12, "{:?}", own.vertices[0]);
    assert!((own.vertices[40] - Vec3::new(0.0, 0.7, 1.6)).norm() < 1e-12);
    let quarter = std::f64::consts::PI * 0.005_f64.powi(4) / 4.0;
    assert!(
        (own.stiffness.x / (4e6 * quarter) - 1.0).abs() < 1e-12
            && (own.stiffness.z / (2e7 * quarter) - 1.0).abs() < 1e-12
    );
    // Of a capsule of 25 mm, both caps.
    let mass = 1000.0 * std::f64::consts::PI * (25e-6 * 0.025 + 4.0 / 3.0 * 125e-9);
    assert!((own.mass_per_length * 0.025 / mass - 1.0).abs() < 1e-12);
    let text = own.to_scene("a", &model.gravity).unwrap();
    assert!(text.contains("length = 0.98") && text.contains("slides = [\"x\"]"), "{text}");
}

#[test]
fn models_that_are_wrong_are_refused_with_their_line() {
    for (from, to, expected) in [
        ("count=\"41 1 1\"", "count=\"1\"", "expected 3 to"),
        ("key=\"bend\"", "key=\"band\"", "no 'bend'"),
        ("value=\"4e6\"", "value=\"-1\"", "above 0"),
        ("size=\".005\"", "size=\"nan\"", "expected numbers"),
        ("curve=\"s\"", "curve=\"tan\"", "expected s, cos(s)"),
        ("<mujoco model", "<!DOCTYPE a [<!ENTITY b \"c\">]><mujoco model", "no XML"),
        ("</mujoco>", "", "no XML"),
    ] {
        let error = read(MODEL.replacen(from, to, 1).as_bytes(), &|_| None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // A file that includes itself ends.
    let endless = |_: &str| Some(MODEL.as_bytes().to_vec());
    assert!(read(MODEL.as_bytes(), &endless).unwrap_err().to_string().contains("include each other"));
    let twice = "<mujoco><include file=\"a\"/><include file=\"a\"/></mujoco>";
    let error = read(twice.as_bytes(), &|_| Some(twice.as_bytes().to_vec())).unwrap_err().to_string();
    assert!(error.contains("include each other"), "{error}");
    let wide = |depth: &str| {
        (depth != "c").then(|| "<mujoco><include file=\"c\"/></mujoco>".to_owned().into_bytes())
    };
    let many = format!("<mujoco>{}</mujoco>", "<include file=\"a\"/>".repeat(150));
    let error = read(many.as_bytes(), &wide).unwrap_err().to_string();
    assert!(error.contains("files are included"), "{error}");
}

/// Whatever is cut off or changed is an error or a model, never a panic.
#[test]
fn damaged_models_are_read_or_refused() {
    let mut state = 3_u64;
    for _ in 0..3000 {
        let mut own = MODEL.as_bytes().to_vec();
        for _ in 0..3 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (state >> 33) as usize % own.len();
            match state >> 30 & 3 {
                0 => own[at] = (state >> 20) as u8,
                1 => own.truncate(at.max(1)),
                2 => own[at] = b'9',
                _ => drop(own.remove(at)),
            }
            if own.is_empty() {
                own.push(b'<');
            }
        }
        if let Ok(model) = read(&own, &|_| None) {
            model.cables.iter().for_each(|own| drop(own.to_scene("a", &model.gravity)));
        }
    }
}
