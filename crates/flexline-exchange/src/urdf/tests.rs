//! Robots as drawings: where links are, what is left out, what is refused.

use crate::drawing::{Drawing, Format};

const ROBOT: &str = r#"<?xml version="1.0"?>
<!-- two links -->
<robot name="arm">
  <link name="base">
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <collision><origin xyz="0 0 0.5"/><geometry><box size="0.2 0.4 1"/></geometry></collision>
  </link>
  <link name="fore">
    <collision><origin rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
    <collision><geometry><mesh filename="package://arm/meshes/tip.stl" scale="0.001 0.001 0.001"/></geometry></collision>
    <collision><geometry><mesh filename="../secret.stl"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="fore"/><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 1"/>
  </joint>
</robot>"#;

const TIP: &str = "solid tip\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1000 0 0\nvertex 0 1000 0\nendloop\nendfacet\nendsolid tip\n";

fn beside(name: &str) -> Option<Vec<u8>> {
    (name == "meshes/tip.stl").then(|| TIP.as_bytes().to_vec())
}

#[test]
fn links_are_where_their_joints_put_them() {
    let own = Drawing::read_beside(ROBOT.as_bytes(), &beside).unwrap();
    assert_eq!((own.format, own.unit), (Format::Urdf, Some(1.0)));
    let names: Vec<&str> = own.parts.iter().map(|part| &*part.path).collect();
    assert_eq!(names, ["base", "fore"]);
    let near = |a: [[f64; 3]; 2], b: [[f64; 3]; 2]| {
        a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-9)
    };
    assert!(near(own.parts[0].extent().unwrap(), [[-0.1, -0.2, 0.0], [0.1, 0.2, 1.0]]));
    // The bar lies along x of its link, which is y of the world; the tip, in millimetres, reaches from there to −x.
    assert!(
        near(own.parts[1].extent().unwrap(), [[-1.0, -1.0, 0.9], [0.1, 1.0, 1.1]]),
        "{:?}",
        own.parts[1].extent()
    );
    assert_eq!(own.followed, ["meshes/tip.stl"]);
    let left: Vec<&str> = own.left_out.iter().map(|own| &*own.what).collect();
    assert!(left.iter().any(|what| what.contains("../secret.stl")), "{left:?}");
    assert!(left.iter().any(|what| what.contains("joints that move")), "{left:?}");
    assert!(left.iter().any(|what| what.contains("look like")), "{left:?}");
}

#[test]
fn poses_of_sdf_add_up() {
    let text = r#"<sdf version="1.9"><world name="w"><model name="m"><pose>1 0 0 0 0 1.5707963267948966</pose>
        <link name="l"><pose>1 0 0 0 0 0</pose><collision name="c"><pose>0 0 1 0 0 0</pose>
        <geometry><sphere><radius>0.5</radius></sphere></geometry></collision></link><include/></model></world></sdf>"#;
    let own = Drawing::read(text.as_bytes()).unwrap();
    assert_eq!(own.parts[0].path, "w/m/l");
    let [low, high] = own.parts[0].extent().unwrap();
    let middle: Vec<f64> = low.iter().zip(&high).map(|(a, b)| 0.5 * (a + b)).collect();
    assert!(
        (middle[0] - 1.0).abs() < 0.01 && (middle[1] - 1.0).abs() < 0.01 && (middle[2] - 1.0).abs() < 0.01,
        "{middle:?}"
    );
    assert!(own.left_out.iter().any(|own| own.what.contains("included")));
}

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    let robot = |inside: &str| format!("<robot name=\"r\">\n{inside}\n</robot>");
    let link = "<link name=\"a\"/><link name=\"b\"/>";
    let joint = |a: &str, b: &str| {
        format!("<joint type=\"fixed\"><parent link=\"{a}\"/><child link=\"{b}\"/></joint>")
    };
    for (text, expected) in [
        (
            robot("<link name=\"a\"><collision><geometry><box size=\"1 2\"/></geometry></collision></link>"),
            "expected 3 numbers",
        ),
        (
            robot(
                "<link name=\"a\"><collision><geometry><sphere radius=\"-1\"/></geometry></collision></link>",
            ),
            "above 0",
        ),
        (
            robot(
                "<link name=\"a\"><collision><geometry><sphere radius=\"nan\"/></geometry></collision></link>",
            ),
            "expected 1 numbers",
        ),
        (robot(&format!("{link}{}", joint("a", "c"))), "which there is not"),
        (robot(&format!("{link}{}{}", joint("a", "b"), joint("b", "a"))), "in a circle"),
        (robot(&format!("{link}{}{}", joint("a", "b"), joint("a", "b"))), "two joints"),
        (robot(&format!("{link}<joint/>")), "without parent"),
        ("<robot><link></robot>".into(), "no XML"),
    ] {
        let error = Drawing::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let bomb = "<!DOCTYPE robot [<!ENTITY a \"aaaa\">]><robot>&a;</robot>";
    assert!(Drawing::read(bomb.as_bytes()).is_err());
}

/// Whatever is cut off or changed is an error or a drawing, never a panic.
#[test]
fn damaged_robots_are_read_or_refused() {
    let bytes = ROBOT.as_bytes();
    let mut state = 7_u64;
    for _ in 0..2000 {
        let mut own = bytes.to_vec();
        for _ in 0..3 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (state >> 33) as usize % own.len();
            match state % 3 {
                0 => own[at] = (state >> 20) as u8,
                1 => own.truncate(at.max(1)),
                _ => drop(own.remove(at)),
            }
            if own.is_empty() {
                own.push(b'<');
            }
        }
        let _ = Drawing::read_beside(&own, &beside);
    }
}
