//! Obstacles that are edited and moved: cables are pushed along, and nothing passes through anything.

use crate::common::session::{open, refused, run, scene};
use flexline::Vec3;
use flexline::solver::Status;
use flexline_scene::Folder;
use flexline_scene::check::Rule;
use flexline_session::desk::{Desk, Grasp};
use flexline_session::session::{Session, Solved, Solving};

fn solved(session: &Session) -> &Solved {
    let solved = session.solution().unwrap_or_else(|| panic!("not solved"));
    assert_eq!(solved.status(), Status::Converged, "{}", solved.status_line());
    assert!(solved.solution.report.penetration < 1e-9);
    solved
}

/// Where the tip of the hose over a bar is.
fn tip(solved: &Solved) -> Vec3 {
    solved.solution.profiles[0].samples.last().map_or_else(Vec3::zeros, |last| last.position)
}

/// How far the axis of the hose is above that of the bar where it passes over it.
fn above(solved: &Solved) -> f64 {
    let bar = solved.compiled.network.obstacles[0].pose.position;
    let samples = &solved.solution.profiles[0].samples;
    let nearest =
        samples.iter().min_by(|a, b| (a.position.x - bar.x).abs().total_cmp(&(b.position.x - bar.x).abs()));
    nearest.map_or(0.0, |at| at.position.z - bar.z)
}

#[test]
fn obstacles_are_added_changed_moved_removed_and_undone() {
    let mut session = open(&scene("hose-over-a-bar"));
    let before = tip(solved(&session));
    // It is lifted.
    run(&mut session, r#"{"do": "move", "name": "bar", "by": [0, 0, "30 mm"]}"#);
    assert!(solved(&session).scene.is_single(), "it stays one cable");
    let lifted = tip(solved(&session));
    assert!(above(solved(&session)) > 0.02, "it is still above the bar: {}", above(solved(&session)));
    assert!((lifted - before).norm() > 0.02, "{lifted} {before}");
    run(
        &mut session,
        r#"{"do": "set", "kind": "obstacle", "name": "bar", "key": "radius", "value": "25 mm"}"#,
    );
    assert!(above(solved(&session)) > 0.025);
    run(
        &mut session,
        r#"{"do": "move", "name": "bar", "by": [0, 0, "-10 mm"], "frame": {"tangent": [0.2, 1, 0]}}"#,
    );
    let text = session.text().to_owned();
    assert!(text.contains("tangent = [0.2, 1, 0]"), "{text}");
    session.undo().unwrap();
    session.undo().unwrap();
    assert!((tip(solved(&session)) - lifted).norm() < 1e-6);
    session.redo().unwrap();
    session.redo().unwrap();
    assert_eq!(session.text(), text);
    run(&mut session, r#"{"do": "rename", "name": "bar", "to": "rail", "kind": "obstacle"}"#);
    run(&mut session, r#"{"do": "remove", "name": "rail"}"#);
    assert!(solved(&session).scene.is_single() && !session.text().contains("[[obstacle]]"));
    run(
        &mut session,
        r#"{"do": "add", "kind": "obstacle", "with": {"name": "rail", "shape": "cylinder", "radius": "20 mm", "position": ["260 mm", 0, "-900 mm"], "tangent": [0, 1, 0]}}"#,
    );
    assert!(solved(&session).scene.is_single() && session.text().contains("[[obstacle]]"));
}

#[test]
fn names_are_told_apart() {
    let mut session = open(&scene("hose-over-a-bar"));
    let told = refused(&mut session, r#"{"do": "rename", "name": "bar", "to": "end", "kind": "obstacle"}"#);
    assert!(told.contains("something that holds cables"), "{told}");
    let told = refused(
        &mut session,
        r#"{"do": "add", "kind": "obstacle", "with": {"mesh": "x.stl", "unit": "mm"}}"#,
    );
    assert!(told.contains("did not come from a file"), "{told}");
}

#[test]
fn obstacles_come_back_from_a_journal() {
    let folder = std::env::temp_dir().join(format!("flexline-obstacle-journal-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("journal");
    let mut session = Session::open(&scene("hose-over-a-bar"), "hose", Solving::Always).unwrap();
    session.begin_journal(&path).unwrap();
    run(&mut session, r#"{"do": "move", "name": "bar", "by": ["20 mm", 0, "10 mm"]}"#);
    let (text, end) = (session.text().to_owned(), tip(solved(&session)));
    drop(session);
    let again = Session::recover(&path, Solving::Always).unwrap().session;
    assert_eq!(again.text(), text);
    assert!((tip(solved(&again)) - end).norm() < 1e-6);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_hand_pushes_the_hose_up_with_the_bar() {
    let mut desk = Desk::new(open(&scene("hose-over-a-bar"))).unwrap();
    let before = tip(desk.shown());
    let pose = desk.grab(0, Grasp::Thing("bar".into())).unwrap();
    assert!((pose.position - Vec3::new(0.26, 0.0, -0.05)).norm() < 1e-12);
    // Farther in one go than the hose is thick; the frames in between are late, and go on.
    desk.drag(0, pose.position + Vec3::new(0.0, 0.0, 0.08), None);
    for _ in 0..200 {
        if !desk.tick() {
            break;
        }
        assert!(desk.shown().solution.report.penetration < 1e-6);
    }
    let shown = desk.shown();
    assert_eq!(shown.status(), Status::Converged);
    assert!(above(shown) > 0.02 && tip(shown).z > before.z + 0.02, "{} {}", above(shown), tip(shown));
    let trailer = desk.trailer();
    assert!(!trailer.contacts.is_empty() && trailer.contacts.iter().all(|contact| contact.by == "bar"));
    assert!(trailer.clearance.is_some_and(|least| least.gap.abs() < 1e-9 && least.obstacle == "bar"));
    desk.drop(0, true).unwrap();
    assert!(desk.session().text().contains("position = [0.26, 0, 0.03]"), "{}", desk.session().text());
    assert!(above(solved(desk.session())) > 0.02);
    desk.undo().unwrap();
    assert!((tip(solved(desk.session())) - before).norm() < 1e-6);
}

#[test]
fn what_cables_pass_through_is_renamed_and_removed_with_it() {
    let mut session = open(&scene("hose-over-a-bar"));
    run(
        &mut session,
        r#"{"do": "set", "kind": "cable", "name": "hose", "key": "passes_through", "value": ["bar"]}"#,
    );
    assert!(solved(&session).solution.report.contacts.is_empty(), "it hangs through the bar");
    run(&mut session, r#"{"do": "rename", "name": "bar", "to": "rail", "kind": "obstacle"}"#);
    assert!(session.text().contains("passes_through = [\"rail\"]"), "{}", session.text());
    run(&mut session, r#"{"do": "to-harness"}"#);
    run(&mut session, r#"{"do": "rename", "name": "rail", "to": "beam", "kind": "obstacle"}"#);
    assert!(session.text().contains("passes_through = [\"beam\"]"), "{}", session.text());
    run(&mut session, r#"{"do": "remove", "name": "beam", "kind": "obstacle"}"#);
    assert!(!session.text().contains("passes_through"), "{}", session.text());
    let told = refused(
        &mut session,
        r#"{"do": "set", "kind": "cable", "name": "hose", "key": "passes_through", "value": ["beam"]}"#,
    );
    assert!(told.contains("\"beam\" is neither an obstacle nor a cable"), "{told}");
}

/// A hose that is pulled along a rough ramp chafes: by how far it was pulled, with µ times what presses on it.
#[test]
fn what_slides_on_something_rough_chafes() {
    let text = scene("contact/hose-on-a-ramp") + "\n[cable.limits]\nchafing_work = \"1 mJ\"\n";
    let (first, mut session) = (open(&text), open(&text));
    let chafing = |session: &Session| solved(session).solution.chafing.places();
    assert_eq!(chafing(&session), [], "the first equilibrium has no way behind it");
    run(&mut session, r#"{"do": "move", "name": "start", "by": ["-18.79385 mm", 0, "6.8404 mm"]}"#);
    let places = chafing(&session);
    let [place] = &places[..] else { panic!("{places:?}") };
    assert_eq!((&*place.cable, &*place.against), ("hose", "ramp"));
    assert!((place.way - 0.02).abs() < 2e-4, "{place:?}");
    // The far end lags behind: each place counts with its own way.
    let at = |solved: &Solved, s: f64| {
        let samples = &solved.solution.profiles[0].samples;
        let next = samples.partition_point(|sample| sample.s < s).clamp(1, samples.len() - 1);
        let [a, b] = [&samples[next - 1], &samples[next]];
        a.position.lerp(&b.position, (s - a.s) / (b.s - a.s))
    };
    let (before, after) = (solved(&first), solved(&session));
    let rubbed = |contact: &flexline::solver::network::Contact| {
        let way = at(after, contact.s) - at(before, contact.s);
        0.45 * contact.force.dot(&contact.normal) * (way - contact.normal * way.dot(&contact.normal)).norm()
    };
    let exact: f64 = after.solution.report.contacts.iter().map(rubbed).sum();
    assert!((place.work / exact - 1.0).abs() < 1e-3, "{} {exact}", place.work);
    let found = |session: &Session| {
        let solved = solved(session);
        let found = solved.compiled.check(&solved.solution).cables.remove(0);
        found.into_iter().find(|own| own.rule == Rule::ChafingWork)
    };
    let once = found(&session).expect("a finding");
    assert!(once.value > 0.0 && once.value < place.work && once.limit == Some(1e-3), "{once:?}");
    // Back again it has rubbed twice as long; what is undone has not been.
    run(&mut session, r#"{"do": "move", "name": "start", "by": ["18.79385 mm", 0, "-6.8404 mm"]}"#);
    let twice = chafing(&session).iter().map(|place| place.work).sum::<f64>();
    assert!(twice > 1.3 * place.work, "{twice} {}", place.work);
    session.undo().unwrap();
    assert_eq!(chafing(&session), places);
    session.undo().unwrap();
    assert_eq!(found(&session), None);
}

/// The scripts of the gallery: every step ends in an equilibrium, and the cable is where it was led.
#[test]
fn scripts_of_the_gallery_run() {
    let folder = format!("{}/../../scenes/contact", env!("CARGO_MANIFEST_DIR"));
    let played = |name: &str, script: &str| {
        let text = scene(&format!("contact/{name}"));
        let files = Folder::new(&folder);
        let mut session =
            Session::open_in(&text, name, &files, Solving::Always).unwrap_or_else(|e| panic!("{e}"));
        let script = std::fs::read_to_string(format!("{folder}/{script}")).unwrap();
        for line in script.lines().filter(|line| !line.starts_with('#')) {
            run(&mut session, line);
            solved(&session);
        }
        session
    };
    // Where the cable passes the plate it is in the aperture, and lies on its rim.
    let threaded = played("cable-through-an-aperture", "threading.jsonl");
    let samples = &solved(&threaded).solution.profiles[0].samples;
    let crossing: Vec<_> =
        samples.windows(2).filter(|w| (w[0].position.x < 0.0) != (w[1].position.x < 0.0)).collect();
    assert_eq!(crossing.len(), 1, "it passes the plate once");
    let at = crossing[0][0].position.lerp(&crossing[0][1].position, 0.5);
    assert!(at.y.abs() < 0.02 && at.z.abs() < 0.015, "through the aperture: {at}");
    assert!(solved(&threaded).solution.report.contacts.iter().any(|c| c.force.norm() > 0.1));
    // Kept in a file and opened again, it is threaded still; the text alone would lay the cable anew.
    let kept = threaded.text_to_keep();
    assert!(kept.contains("path = [") && !threaded.text().contains("path"), "{kept}");
    let again = Session::open_in(&kept, "kept", &Folder::new(&folder), Solving::Always).unwrap();
    let found = &solved(&again).solution;
    let both = samples.iter().zip(&found.profiles[0].samples);
    let off = both.map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max);
    assert!(off < 3e-3, "{off}");
    // What would be found as it is keeps its text, and a cable of another length has no path.
    assert_eq!(again.text_to_keep(), again.text());
    let mut again = again;
    run(&mut again, r#"{"do": "set-length", "cable": "cable", "by": "20 mm"}"#);
    assert!(!again.text().contains("path") && again.text().contains("fingerprint"), "{}", again.text());
    let pulled = played("cable-pulled-through-a-conduit", "pulling.jsonl");
    let chafed = solved(&pulled).solution.chafing.places();
    assert!(chafed.iter().map(|place| place.way).fold(0.0, f64::max) > 0.009, "{chafed:?}");
}

/// What could not be followed used to be forgotten: the next move laid the hose anew, below the beam that pushed it up.
#[test]
fn a_beam_that_pushes_too_far_stays_below_the_hose() {
    let mut session = open(
        r#"
version = 1
[cable]
length = "620 mm"
part = "brake-hose"
segments = 24
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [0, 0, 1]
[end]
hold = "clamped"
position = ["250 mm", 0, 0]
tangent = [0, 0, -1]
[[obstacle]]
name = "beam"
shape = "cylinder"
radius = "20 mm"
length = "400 mm"
position = ["125 mm", 0, "180 mm"]
tangent = [0, 1, 0]
"#,
    );
    let middle = |session: &Session| {
        let samples = &session.solution().expect("a solution").solution.profiles[0].samples;
        samples[samples.len() / 2].position.z
    };
    let status = |session: &Session| session.solution().expect("a solution").status();
    // No hose of this length reaches over it there.
    run(&mut session, r#"{"do": "move", "name": "beam", "by": [0, 0, "200 mm"]}"#);
    assert_ne!(status(&session), Status::Converged);
    let highest = middle(&session);
    assert!(highest > 0.22, "it was pushed up as far as it goes: {highest}");
    let kept = session.text_to_keep().into_owned();
    assert!(kept.contains("path"), "the file says on which side it lies: {kept}");
    run(&mut session, r#"{"do": "move", "name": "beam", "by": [0, 0, "-175 mm"]}"#);
    assert_eq!(status(&session), Status::Converged);
    let beam = solved(&session).compiled.network.obstacles[0].pose.position.z;
    assert!(middle(&session) > beam + 0.02, "it lies on the beam: {}", middle(&session));
}
