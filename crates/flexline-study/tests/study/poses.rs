//! Tables of poses.

use crate::support::{WIRE, base};
use flexline::Quat;
use flexline_study::{Course, Poses};

#[test]
fn tables_are_read_with_units_and_quaternions() {
    let text =
        "\u{feff}# a robot\ntime;end.x [mm];end.qw;end.qx;end.qy;end.qz\n0;850;1;0;0;0\n\n1;800;0;0;0;1\n";
    let poses = Poses::read(text, "poses.csv").expect("poses");
    let course = Course::through(base(WIRE), poses, "poses.csv").expect("a course");
    assert_eq!((course.count(), course.heads()[1].as_str(), course.values(1)[1]), (2, "end.x [mm]", 800.0));
    let middle = course.reach(course.first(), 0.5).expect("halfway").solved;
    let pose = middle.compiled.network.anchors[1].pose;
    assert!((pose.position.x - 0.825).abs() < 1e-15);
    // A quarter turn about z is half of a half turn.
    assert!((pose.orientation - Quat::new(0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt())).norm() < 1e-15);
}

#[test]
fn what_is_not_there_cannot_be_led() {
    let poses = Poses::read("ende.x\n1\n", "p.csv").expect("poses");
    let error = Course::through(base(WIRE), poses, "p.csv").err().expect("no such end").to_string();
    assert!(error.contains("nothing is named 'ende'; did you mean \"end\"?"), "{error}");
}

#[test]
fn mistakes_name_line_and_column() {
    for (text, told) in [
        ("", "no line of heads"),
        ("a.x,a.y\n", "no pose below"),
        ("a.x\n1\nnan\n", "line 3: a.x is \"nan\": expected a finite number"),
        ("a.x,a.y\n1\n", "line 2: 1 values, expected 2"),
        ("a.roll\n1\n", "\"a.roll\" is no column of a pose"),
        ("a.x [kg]\n1\n", "\"a.x [kg]\" is no column of a pose"),
        ("a.x,a.x\n1,2\n", "is there twice"),
        ("time\n1\n", "no column says a pose"),
        ("a.qw,a.qx\n1,0\n", "a quaternion has four columns"),
        ("a.qw,a.qx,a.qy,a.qz\n2,0,0,0\n", "has the norm 2: expected 1"),
    ] {
        let error = Poses::read(text, "p").expect_err(text).to_string();
        assert!(error.contains(told), "{text:?}: {error}");
    }
}
