//! `flexline plot`.

use crate::picture::{png_size, well_formed};
use crate::support::{Folder, HASTY, flexline, root, scene};
use std::collections::BTreeSet;

const VIEWS: [&str; 4] = ["report", "perspective", "three", "along"];
const COLOURS: [&str; 7] = ["auto", "plain", "utilisation", "curvature", "twist", "tension", "moment"];
/// Clamped with limits, a ring, loads along a zone, a free end without bend limits.
const SCENES: [&str; 4] = ["brake-hose", "ring", "fuel-line", "hair"];

#[test]
fn every_view_and_colour_is_a_well_formed_svg() {
    let folder = Folder::new();
    let mut drawn = Vec::new();
    for name in SCENES {
        let path = format!("scenes/{name}.toml");
        for view in VIEWS {
            for colour in COLOURS {
                let out = folder.file("picture.svg");
                let arguments = ["plot", &path, "--view", view, "--colour", colour, "--out", &out];
                let outcome = flexline(&arguments).good();
                assert_eq!(outcome.stdout, format!("{out}: converged\n"));
                let text = std::fs::read_to_string(&out).expect("the picture");
                well_formed(&text);
                assert!(text.contains("<path") && text.len() > 2000, "{name}, {view}, {colour}: empty");
                drawn.push((name, view, text));
            }
        }
    }
    // `auto` is one of the other six; along s there are curves of all of them.
    for name in SCENES {
        for (view, count) in [("report", 6), ("perspective", 6), ("three", 6), ("along", 1)] {
            let own = drawn.iter().filter(|(n, v, _)| (*n, *v) == (name, view));
            let pictures: BTreeSet<&str> = own.map(|(_, _, text)| text.as_str()).collect();
            assert_eq!(pictures.len(), count, "colours of {name}, {view}");
        }
        let own = drawn.iter().filter(|(n, _, _)| *n == name);
        let pictures: BTreeSet<&str> = own.map(|(_, _, text)| text.as_str()).collect();
        assert_eq!(pictures.len(), 19, "{name}: no view is like another");
    }
}

#[test]
fn every_view_and_colour_is_a_png_of_the_asked_width() {
    let folder = Folder::new();
    for (name, width) in SCENES.iter().zip(["240", "300", "640", "100"]) {
        let path = format!("scenes/{name}.toml");
        for view in VIEWS {
            for colour in COLOURS {
                let out = folder.file("picture.png");
                let arguments = ["plot", &path, "--view", view, "--colour", colour, "--width", width];
                flexline(&[&arguments[..], &["--out", &out]].concat()).good();
                let bytes = std::fs::read(&out).expect("the picture");
                let size = png_size(&bytes);
                assert_eq!(size.0.to_string(), width);
                assert!(size.1 > size.0 / 4 && size.1 < 2 * size.0, "{name}, {view}: {size:?}");
            }
        }
    }
}

#[test]
fn every_scene_has_a_report_with_its_title() {
    let folder = Folder::new();
    let mut count = 0;
    let entries = ["scenes", "scenes/micado"].map(|f| std::fs::read_dir(root().join(f)).expect("scenes"));
    for entry in entries.into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "toml") {
            let out = folder.file("report.svg");
            flexline(&["plot", path.to_str().expect("UTF-8"), "--out", &out]).good();
            let text = std::fs::read_to_string(&out).expect("the picture");
            well_formed(&text);
            let scene = std::fs::read_to_string(&path).expect("the scene");
            let line = scene.lines().find_map(|l| l.strip_prefix("title = \"")).expect("a title");
            assert!(text.contains(line.trim_end_matches('"')), "{line}");
            count += 1;
        }
    }
    assert!(count >= 40, "{count} scenes");
}

#[test]
fn a_title_with_markup_stays_text() {
    let folder = Folder::new();
    let scene = scene("brake-hose.toml").replace("Brake hose, front left", "<b>&lt; \\\"left\\\" & 'right'");
    let path = folder.write("odd.toml", scene);
    let out = folder.file("odd.svg");
    flexline(&["plot", &path, "--out", &out]).good();
    let svg = std::fs::read_to_string(&out).expect("the picture");
    well_formed(&svg);
    let texts = svg.replace("&quot;", "\"").replace("&apos;", "'").replace("&gt;", ">");
    assert!(texts.contains("&lt;b>&amp;lt; \"left\" &amp; 'right'"), "as it was written: {svg:.600}");
}

#[test]
fn without_out_the_picture_is_named_after_the_scene_here() {
    let folder = Folder::new();
    let path = root().join("scenes/ring.toml");
    let outcome = folder.flexline(&["plot", path.to_str().expect("UTF-8")]).good();
    assert_eq!(outcome.stdout, "ring.svg: converged\n");
    assert_eq!(folder.names(), ["ring.svg"]);
}

#[test]
fn the_same_scene_gives_the_same_picture() {
    let folder = Folder::new();
    let draw = |name: &str| {
        let out = folder.file(name);
        flexline(&["plot", "scenes/patch-cord.toml", "--width", "300", "--out", &out]).good();
        std::fs::read(out).expect("the picture")
    };
    assert_eq!(draw("a.png"), draw("b.png"));
    assert_eq!(draw("a.svg"), draw("b.svg"));
}

#[test]
fn the_eye_can_be_moved() {
    let folder = Folder::new();
    let draw = |options: &[&str]| {
        let out = folder.file("eye.svg");
        let arguments = ["plot", "scenes/fuel-line.toml", "--view", "perspective", "--out", &out];
        flexline(&[&arguments[..], options].concat()).good();
        std::fs::read_to_string(out).expect("the picture")
    };
    let pictures = [
        draw(&["--azimuth", "-100"]),
        draw(&["--azimuth", "20"]),
        draw(&["--azimuth", "20", "--elevation", "60"]),
    ];
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
}

#[test]
fn impossible_options_are_refused() {
    let plot = |options: &[&str]| flexline(&[&["plot", "scenes/ring.toml"], options].concat());
    for elevation in ["-10", "0", "90", "nan", "up"] {
        plot(&["--elevation", elevation]).refused(2).complains(&["--elevation", "from 5 to 85"]);
    }
    for azimuth in ["nan", "inf", "1000"] {
        plot(&["--azimuth", azimuth]).refused(2).complains(&["--azimuth", "from -360 to 360"]);
    }
    plot(&["--width", "99"]).refused(2).complains(&["--width"]);
    plot(&["--view", "sideways"]).refused(2).complains(&["report", "perspective", "three", "along"]);
    for name in ["picture.gif", "picture", "png"] {
        plot(&["--out", name]).refused(3).complains(&["--out", ".svg or .png"]);
    }
    flexline(&["plot", ".."]).refused(3).complains(&["is a folder"]);
}

#[test]
fn what_did_not_converge_is_drawn_and_ends_with_1() {
    let folder = Folder::new();
    let path = folder.write("hasty.toml", scene("brake-hose.toml") + HASTY);
    let outcome = folder.flexline(&["plot", &path]).expect(1);
    assert_eq!(outcome.stdout, "hasty.svg: not converged: iteration limit reached\n");
    well_formed(&std::fs::read_to_string(folder.file("hasty.svg")).expect("the picture"));
}
