//! `flexline identify`.

use crate::support::{Folder, flexline, is_file, keys, number};

const HOSE: &str = "scenes/identify/hose.toml";
/// The three poses in which the hose was measured.
const POSES: [&str; 3] = [
    "scenes/identify/hose-1.csv",
    "end.position=[0.2, 0.15, 0.05]=scenes/identify/hose-2.csv",
    "end.position=[0.35, -0.05, -0.15]=scenes/identify/hose-3.csv",
];

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let data = POSES.iter().flat_map(|own| ["--data", *own]);
    ["identify", HOSE].into_iter().chain(data).chain(more.iter().copied()).collect()
}

#[test]
fn a_hose_is_identified() {
    let folder = Folder::new();
    let (out, picture) = (folder.file("identified.toml"), folder.file("fit.svg"));
    let more = [
        "--vary",
        "bending_stiffness,rest_curvature",
        "--noise",
        "0.5mm",
        "--out",
        &out,
        "--picture",
        &picture,
    ];
    let told = flexline(&arguments(&more)).good().stdout;
    assert!(told.starts_with("converged in") && told.contains("rest_curvature: "), "{told}");
    assert!(is_file(&picture));
    let json = flexline(&arguments(&[&more[..4], &["--json"]].concat())).good().json();
    keys(&json, &["format", "scene", "identified", "coverage"]);
    let bend = &json["identified"]["parameters"][0];
    // The points were made of a hose with 0.034 N m² and a curl of 2 per metre.
    assert!((number(&bend["value"]) / 0.034 - 1.0).abs() < 0.03, "{bend}");
    assert!(number(&bend["interval"][0]) < 0.034 && number(&bend["interval"][1]) > 0.034, "{bend}");
    let roll = &json["identified"]["rolls"][0];
    assert!((number(&roll["curvature"]) / 2.0 - 1.0).abs() < 0.05, "{roll}");
    // What was written is a scene that has it.
    let written = std::fs::read_to_string(&out).expect("the scene");
    assert!(written.contains("# A hose that was measured") && written.contains("rest = {"), "{written}");
    let again = flexline(&[
        "identify",
        &out,
        "--data",
        POSES[0],
        "--vary",
        "bending_stiffness",
        "--noise",
        "0.5mm",
        "--json",
    ]);
    let start = number(&again.good().json()["identified"]["parameters"][0]["value"]);
    assert!((start / 0.034 - 1.0).abs() < 0.1, "{start}");
}

#[test]
fn what_is_unknown_is_said() {
    let told =
        flexline(&arguments(&["--vary", "bending_stiffness,twisting_stiffness,mass", "--noise", "0.5mm"]));
    let told = told.good().stdout;
    assert!(
        told.contains("unknown") && told.contains("a pose that would tell more: a known weight"),
        "{told}"
    );
    let json = flexline(&arguments(&["--vary", "bending_stiffness,twisting_stiffness,mass", "--json"]))
        .good()
        .json();
    let all = json["identified"]["parameters"].as_array().expect("a list");
    assert!(all.iter().all(|own| own["interval"].is_null() && own["known"] == false), "{json}");
}

#[test]
fn photographs_are_data() {
    // Places along the hose as a camera sees them, from its solution.
    let folder = Folder::new();
    let csv = folder.file("hose.csv");
    flexline(&["solve", HOSE, "--out", &csv]).good();
    let table = std::fs::read_to_string(&csv).expect("the solution");
    let mut photograph = String::from("u,v\n");
    for line in table.lines().skip(4).step_by(3) {
        let numbers: Vec<f64> = line.split(',').take(4).map(|own| own.parse().expect("a number")).collect();
        // The camera looks along y from (0.15, −1.2, 0.1) at (0.15, 0, −0.05).
        let (dy, dz) = (1.2f64, -0.15f64);
        let size = dy.hypot(dz);
        let (into, down) = ([0.0, dy / size, dz / size], [0.0, dz / size, -dy / size]);
        let way = [numbers[1] - 0.15, numbers[2] + 1.2, numbers[3] - 0.1];
        let dot = |own: [f64; 3]| own.iter().zip(&way).map(|(a, b)| a * b).sum::<f64>();
        let (x, y) = (way[0] / dot(into), dot(down) / dot(into));
        photograph += &format!("{},{}\n", 2400.0 * x + 960.0, 2400.0 * y + 540.0);
    }
    let file = folder.write("photograph.csv", &photograph);
    let given = [
        "identify",
        HOSE,
        "--data",
        &file,
        "--camera",
        "scenes/identify/camera.toml",
        "--vary",
        "bending_stiffness",
    ];
    let json = flexline(&[&given[..], &["--noise", "0.7px", "--json"]].concat()).good().json();
    let value = number(&json["identified"]["parameters"][0]["value"]);
    assert!((value / 0.02 - 1.0).abs() < 1e-3, "{value}");
    assert_eq!(json["identified"]["poses"][0]["unit"], "px");
    flexline(&given[..4]).expect(2);
    flexline(&["identify", HOSE, "--data", &file, "--vary", "mass"])
        .refused(3)
        .complains(&["line 2", "--camera FILE"]);
}

#[test]
fn points_are_made_and_repetitions_counted() {
    let folder = Folder::new();
    let file = folder.file("points.csv");
    flexline(&["identify", HOSE, "--simulate", &file, "--count", "25", "--noise", "0.5mm", "--seed", "3"])
        .good();
    let text = std::fs::read_to_string(&file).expect("points");
    assert_eq!(text.lines().count(), 27);
    let told =
        flexline(&["identify", HOSE, "--data", &file, "--vary", "bending_stiffness", "--coverage", "8"])
            .good();
    assert!(told.stdout.contains("8 repetitions, 0 of them not converged"), "{}", told.stdout);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let folder = Folder::new();
    let refused = |file: &str, more: &[&str], told: &str| {
        flexline(&[&["identify", HOSE, "--data", file], more].concat()).refused(3).complains(&[told]);
    };
    let bend = ["--vary", "bending_stiffness"];
    refused(&folder.write("empty.csv", ""), &bend, "there is no point in it");
    refused(&folder.write("nan.csv", "x,y,z\n0,nan,0\n"), &bend, "line 2: y is \"nan\"");
    refused(&folder.write("large.csv", "x,y,z\n0,0,0\n100,0,0\n300,100,-100\n"), &bend, "x [mm]");
    refused("no-such.csv", &bend, "cannot read no-such.csv");
    refused(POSES[0], &["--vary", "bending_stifness"], "did you mean \"bending_stiffness\"?");
    refused(POSES[0], &["--vary", "cable.lenght"], "did you mean \"cable.length\"?");
    refused(POSES[0], &["--vary", "mass", "--noise", "5kg"], "--noise 5kg");
    refused(POSES[0], &["--vary", "mass", "--noise", "0mm"], "not above zero");
    refused("end.position=x=scenes/identify/hose-1.csv", &bend, "error");
    refused("pose=scenes/identify/hose-1.csv", &bend, "expected a scene (.toml) or NAME=VALUE");
    flexline(&["identify", HOSE, "--vary", "mass"]).expect(2);
    flexline(&["identify", HOSE, "--simulate", "points.csv"]).refused(3).complains(&["--noise 0.5mm"]);
}
