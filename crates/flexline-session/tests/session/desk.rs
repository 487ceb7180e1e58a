//! A session at a desk: what hands lead is in equilibrium at every moment, and what is not kept leaves no trace.

use flexline::solver::Status;
use flexline::{Quat, Vec3};
use flexline_session::command::{Command, Quantity};
use flexline_session::desk::{Desk, Grasp, HEAD, Mode, NODE, POSE, Pace};
use flexline_session::session::{Session, Solving};

fn scene(name: &str) -> String {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a scene of the repository")
}

fn desk(name: &str) -> Desk {
    Desk::new(Session::open(&scene(name), name, Solving::Always).expect(name)).expect(name)
}

fn command(text: &str) -> Command {
    Command::from_json(text).expect(text)
}

fn thing(name: &str) -> Grasp {
    Grasp::Thing(name.into())
}

fn point(cable: &str, at: f64) -> Grasp {
    Grasp::Point { cable: cable.into(), at }
}

/// Positions along a cable.
fn shape(desk: &Desk, cable: &str) -> Vec<Vec3> {
    desk.shown().profile(cable).expect(cable).samples.iter().map(|s| s.position).collect()
}

/// The largest distance between two shapes.
fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Leads a hand in steps along a line.
fn lead(desk: &mut Desk, hand: u8, from: Vec3, by: Vec3, steps: u32) {
    for k in 1..=steps {
        desk.drag(hand, from + by * (f64::from(k) / f64::from(steps)), None);
        assert!(desk.tick());
        assert_eq!(desk.shown().status(), Status::Converged, "step {k}");
    }
}

#[test]
fn an_end_that_is_led_ends_where_a_move_would_put_it() {
    let mut desk = desk("brake-hose");
    let before = desk.session().text().to_owned();
    let by = Vec3::new(0.02, -0.03, 0.015);
    let pose = desk.grab(0, thing("end")).expect("the end is held");
    lead(&mut desk, 0, pose.position, by, 10);
    let led = shape(&desk, "brake hose");
    assert_eq!(desk.session().text(), before, "nothing is written while it is in hand");
    desk.drop(0, true).expect("it stays").expect("one change");
    assert_eq!(desk.session().depth(), (1, 0));
    // Plainly: the same place by a command, from scratch.
    let mut plain = Session::open(&before, "plain", Solving::Always).expect("a scene");
    plain.apply(&command(r#"{"do": "move", "name": "end", "by": [0.02, -0.03, 0.015]}"#)).expect("moves");
    let expected: Vec<Vec3> = plain
        .solution()
        .expect("solved")
        .profile("brake hose")
        .expect("it")
        .samples
        .iter()
        .map(|s| s.position)
        .collect();
    assert!(apart(&led, &expected) < 1e-8, "{}", apart(&led, &expected));
    assert!(apart(&shape(&desk, "brake hose"), &expected) < 1e-8);
    desk.undo().expect("can be undone");
    assert_eq!(desk.session().text(), before);
}

#[test]
fn an_end_that_is_turned_keeps_its_turns() {
    let mut desk = desk("brake-hose");
    desk.command(&command(r#"{"do": "turn", "cable": "brake hose", "by": "540 deg"}"#)).expect("turns");
    let turns = desk.trailer().turns[0];
    assert!((turns.abs() - 1.5).abs() < 0.5, "{turns}: one and a half on top of what the ends ask for");
    let turned = shape(&desk, "brake hose");
    let pose = desk.grab(0, thing("end")).expect("held");
    let tilt = Quat::new((0.1_f64).cos(), (0.1_f64).sin(), 0.0, 0.0);
    desk.drag(0, pose.position, Some(tilt * pose.orientation));
    assert!(desk.tick());
    let led = shape(&desk, "brake hose");
    assert!(apart(&led, &turned) > 1e-3, "the tilt bends it");
    desk.drop(0, true).expect("stays");
    assert!(apart(&shape(&desk, "brake hose"), &led) < 1e-8);
    assert!((desk.trailer().turns[0] - turns).abs() < 0.1, "{} {turns}", desk.trailer().turns[0]);
}

#[test]
fn what_is_not_kept_leaves_no_trace() {
    let mut desk = desk("door-harness");
    let (before, text) = (shape(&desk, "trunk"), desk.session().text().to_owned());
    let pose = desk.grab(3, thing("mirror")).expect("a port");
    lead(&mut desk, 3, pose.position, Vec3::new(-0.02, 0.01, -0.03), 5);
    assert!(apart(&shape(&desk, "trunk"), &before) > 1e-6, "the trunk feels its branch");
    assert!(desk.drop(3, false).expect("goes back").is_none());
    assert_eq!(apart(&shape(&desk, "trunk"), &before), 0.0);
    assert_eq!((desk.session().text(), desk.session().depth()), (text.as_str(), (0, 0)));
}

#[test]
fn a_point_of_a_cable_follows_the_hand_and_may_become_a_clip() {
    for (name, cable, at) in [("brake-hose", "brake hose", 0.25), ("control-unit", "front cable", 0.15)] {
        let mut desk = desk(name);
        let text = desk.session().text().to_owned();
        let pose = desk.grab(0, point(cable, at)).expect(name);
        let by = Vec3::new(-0.004, -0.005, 0.003);
        lead(&mut desk, 0, pose.position, by, 4);
        let nearest = |desk: &Desk| {
            let all = shape(desk, cable);
            all.iter().map(|p| (p - pose.position - by).norm()).fold(f64::INFINITY, f64::min)
        };
        assert!(nearest(&desk) < 1e-9, "{name}: {}", nearest(&desk));
        assert_eq!(desk.session().text(), text);
        desk.drop(0, true).expect("a clip").expect("a change");
        assert!(nearest(&desk) < 1e-9);
        assert!(desk.session().text().contains("[[clip]]"));
        assert_eq!(desk.session().depth(), (1, 0));
        desk.undo().expect("undone");
        assert_eq!(desk.session().text(), text);
    }
}

#[test]
fn a_ring_is_turned_as_a_whole_and_not_pulled_at_a_point() {
    let mut desk = desk("ring");
    let ring = "wire 6 mm²";
    let text = desk.session().text().to_owned();
    let turned = r#"{"do": "turn", "cable": "wire 6 mm²", "by": "90 deg"}"#;
    let set = r#"{"do": "set", "kind": "cable", "name": "wire 6 mm²", "key": "twist", "value": "450 deg"}"#;
    desk.command(&command(turned)).expect("its turns are its own");
    let by_turn = shape(&desk, ring);
    desk.undo().expect("undone");
    desk.command(&command(set)).expect("the same in other words");
    assert!(apart(&shape(&desk, ring), &by_turn) < 1e-9);
    desk.undo().expect("undone");
    for mode in [Mode::Statics, Mode::Dynamics] {
        desk.set_mode(mode, false, Pace::default()).expect("a mode");
        let told = desk.grab(0, point(ring, 0.3)).expect_err("a ring").to_string();
        assert!(told.contains("move its seam"), "{told}");
    }
    assert_eq!(desk.session().text(), text);
}

#[test]
fn too_far_is_told_and_the_way_back_is_open() {
    let mut desk = desk("brake-hose");
    let pose = desk.grab(0, thing("end")).expect("held");
    desk.drag(0, pose.position + Vec3::new(0.5, 0.0, 0.0), None);
    assert!(desk.tick());
    let trailer = desk.trailer();
    assert_eq!(trailer.status, Status::TooShort, "{}", trailer.line);
    let far = (pose.position + Vec3::new(0.5, 0.0, 0.0)).norm();
    assert!((trailer.short[0].missing - (far - 0.38)).abs() < 1e-4, "{:?}", trailer.short);
    desk.drag(0, pose.position, None);
    assert!(desk.tick());
    assert_eq!(desk.trailer().status, Status::Converged);
    // The same with a harness, where the diagnosis is another one.
    let mut desk = self::desk("control-unit");
    let unit = desk.grab(0, thing("unit")).expect("a part");
    desk.drag(0, unit.position + Vec3::new(0.0, 0.4, 0.0), None);
    settle(&mut desk);
    let trailer = desk.trailer();
    assert_eq!(trailer.status, Status::TooShort, "{}", trailer.line);
    assert!(!trailer.short.is_empty());
    desk.drag(0, unit.position + Vec3::new(0.0, 0.02, 0.0), None);
    settle(&mut desk);
    assert_eq!(desk.trailer().status, Status::Converged);
}

/// Until nothing is left to be solved, however little time a step has.
fn settle(desk: &mut Desk) {
    while desk.tick() && desk.trailer().line == "settling" {}
}

#[test]
fn two_hands_hold_two_places() {
    let mut desk = desk("door-harness");
    let a = desk.grab(0, thing("fork")).expect("a junction");
    let b = desk.grab(1, point("trunk", 0.1)).expect("a cable");
    desk.drag(0, a.position + Vec3::new(-0.002, 0.002, 0.0), None);
    desk.drag(1, b.position + Vec3::new(0.0, 0.003, -0.003), None);
    assert!(desk.tick());
    assert_eq!(desk.trailer().status, Status::Converged, "{}", desk.trailer().line);
    let held = |p: Vec3| shape(&desk, "trunk").iter().map(|q| (q - p).norm()).fold(f64::INFINITY, f64::min);
    assert!(held(b.position + Vec3::new(0.0, 0.003, -0.003)) < 1e-9);
    assert!(held(a.position + Vec3::new(-0.002, 0.002, 0.0)) < 1e-9, "the fork is the end of the trunk");
    assert!(desk.grab(2, thing("fork")).is_err(), "one hand for one thing");
    desk.drop(1, false).expect("let go");
    assert_eq!(desk.in_hand().collect::<Vec<_>>(), [(0, "fork")]);
    desk.drop(0, true).expect("the fork stays");
    assert_eq!(desk.session().depth(), (1, 0));
}

/// A hand kept its arc length: cable that was put in before it ran through the hand.
#[test]
fn a_place_in_hand_goes_along_when_the_cable_is_made_longer_before_it() {
    let held = |desk: &mut Desk| {
        let kept = desk.drop(0, true).expect("a clip").expect("one change");
        let Command::AddHandle { at, cable, .. } = kept.command else { panic!("{:?}", kept.command) };
        (cable, at)
    };
    let longer = [
        (r#"{"do": "prolong", "cable": "brake hose", "by": 0.02, "end": "from"}"#, 0.22),
        (r#"{"do": "prolong", "cable": "brake hose", "by": 0.02}"#, 0.2),
        (r#"{"do": "set-length", "cable": "brake hose", "between": [0.1, 0.15], "by": 0.01}"#, 0.21),
        (r#"{"do": "set-length", "cable": "brake hose", "between": [0.1, 0.3], "by": 0.1}"#, 0.25),
    ];
    for (text, expected) in longer {
        let mut desk = desk("brake-hose");
        let pose = desk.grab(0, point("brake hose", 0.2)).expect("a cable");
        desk.drag(0, pose.position, None);
        desk.command(&command(text)).expect(text);
        (0..20).take_while(|_| desk.tick()).count();
        let (cable, at) = held(&mut desk);
        let Quantity::Number(at) = at else { panic!("{at:?}") };
        assert!(cable == "brake hose" && (at - expected).abs() < 1e-12, "{text}: {at}");
    }
}

#[test]
fn a_change_by_somebody_else_leaves_a_hand_its_hold() {
    let mut desk = desk("door-harness");
    let pose = desk.grab(0, thing("mirror")).expect("a port");
    let to = pose.position + Vec3::new(0.0, 0.0, -0.02);
    desk.drag(0, to, None);
    desk.tick();
    desk.command(&command(r#"{"do": "prolong", "cable": "to the latch", "by": "30 mm"}"#)).expect("prolongs");
    desk.tick();
    assert_eq!(desk.in_hand().count(), 1);
    assert!((desk.shown().pose("mirror").expect("it").position - to).norm() < 1e-12);
    desk.command(&command(r#"{"do": "remove", "name": "mirror", "with_users": true}"#)).expect("removes");
    assert_eq!(desk.in_hand().count(), 0, "what is gone is let go");
    assert!(desk.drop(0, true).is_err());
}

#[test]
fn a_preview_is_forgotten_or_kept() {
    let mut desk = desk("brake-hose");
    let (before, text) = (shape(&desk, "brake hose"), desk.session().text().to_owned());
    for length in ["390 mm", "400 mm", "410 mm"] {
        let set = format!(r#"{{"do": "set-length", "cable": "brake hose", "length": "{length}"}}"#);
        desk.preview(&command(&set)).expect(length);
    }
    assert!((desk.trailer().lengths[0] - 0.41).abs() < 1e-12 && desk.trailer().preview);
    assert_eq!(desk.session().text(), text);
    desk.end_preview(false).expect("forgotten");
    assert_eq!(apart(&shape(&desk, "brake hose"), &before), 0.0);
    desk.preview(&command(r#"{"do": "set-length", "cable": "brake hose", "length": "410 mm"}"#))
        .expect("again");
    desk.end_preview(true).expect("kept").expect("a change");
    assert_eq!(desk.session().depth(), (1, 0));
    assert!(desk.session().text().contains("410 mm"));
    // A mistake leaves everything as it was.
    let revision = desk.revision();
    assert!(
        desk.preview(&command(r#"{"do": "set-length", "cable": "brake hose", "length": "5 kg"}"#)).is_err()
    );
    assert_eq!(desk.revision(), revision);
}

/// The sample of a cable that is nearest to arc length `at`.
fn nearest(desk: &Desk, cable: &str, at: f64) -> usize {
    let samples = &desk.shown().profile(cable).expect(cable).samples;
    let off = |k: &usize| (samples[*k].s - at).abs();
    (0..samples.len()).min_by(|a, b| off(a).total_cmp(&off(b))).expect("samples")
}

#[test]
fn time_runs_and_a_hand_draws_a_cable_after_it() {
    for model in ["mixed", "nodal", "helix", "clothoid", "spline"] {
        for (name, cable, at) in [("brake-hose", "brake hose", 0.19), ("door-harness", "to the latch", 0.13)]
        {
            let named = format!("name = \"{cable}\"\n");
            let text = scene(name);
            assert!(text.contains(&named), "{name}");
            // The count of segments is no count of elements.
            let text = text.replace("segments = 100\n", "");
            let text = text.replace(&named, &format!("{named}model = \"{model}\"\n"));
            let session = Session::open(&text, name, Solving::Always).expect(name);
            let mut desk = Desk::new(session).expect(name);
            let before = shape(&desk, cable);
            desk.set_mode(Mode::Dynamics, true, Pace::default()).expect(name);
            assert!(desk.period().is_some() && desk.tick());
            assert!(apart(&shape(&desk, cable), &before) < 1e-6, "{model}, {name}: it begins at rest");
            let start = desk.trailer().energy.expect("in motion");
            let pose = desk.grab(0, point(cable, at)).expect(name);
            let by = Vec3::new(0.01, -0.01, 0.03);
            desk.drag(0, pose.position + by, None);
            let mut fastest = 0.0f64;
            for _ in 0..90 {
                assert!(desk.tick());
                assert!(desk.trouble().is_none(), "{model}, {name}");
                fastest = fastest.max(desk.trailer().energy.expect("in motion").kinetic);
            }
            // Drawn most of the way, and at rest there: all of that is the work of the hand.
            let k = nearest(&desk, cable, at);
            let way = shape(&desk, cable)[k] - before[k];
            let energy = desk.trailer().energy.expect("in motion");
            let done = way.dot(&by) / by.norm_squared();
            assert!((0.5..1.05).contains(&done), "{model}, {name}: {done} of the way");
            assert!(energy.kinetic < 1e-3 * fastest.max(1e-6), "{model}, {name}: {energy:?} {fastest}");
            let gained = energy.total - start.total;
            let missing = energy.work - energy.dissipated - gained;
            assert!(gained > 1e-5 && energy.work > gained, "{model}, {name}: {energy:?}");
            // What the integrator loses while the hand is followed.
            assert!((0.0..0.5 * energy.work).contains(&missing), "{model}, {name}: {missing} {energy:?}");
            assert!((desk.trailer().time.expect("time") - 91.0 / 60.0).abs() < 1e-9);
            // Let go, it swings back to where it was.
            desk.drop(0, false).expect("let go");
            (0..240).for_each(|_| assert!(desk.tick()));
            let back = apart(&shape(&desk, cable), &before);
            assert!(back < 0.2 * by.norm(), "{model}, {name}: {back} m away");
            let last = desk.trailer().energy.expect("in motion");
            let still = (last.work - energy.work).abs() < 1e-9 * energy.work;
            assert!(
                still && (last.total - start.total).abs() < 1e-3 * gained,
                "{model}, {name}: {last:?} {start:?}"
            );
            desk.set_mode(Mode::Statics, false, Pace::default()).expect("back");
            assert_eq!(apart(&shape(&desk, cable), &before), 0.0, "{model}, {name}: statics is where it was");
        }
    }
}

#[test]
fn what_is_led_in_motion_arrives() {
    let mut desk = desk("control-unit");
    desk.set_mode(Mode::Dynamics, true, Pace::default()).expect("moves");
    let pose = desk.grab(0, thing("unit")).expect("a part");
    let goal = pose.position + Vec3::new(0.0, 0.03, 0.02);
    desk.drag(0, goal, None);
    (0..60).for_each(|_| assert!(desk.tick()));
    assert!((desk.shown().pose("unit").expect("it").position - goal).norm() < 1e-4);
    desk.rewind().expect("back to rest");
    assert!((desk.shown().pose("unit").expect("it").position - pose.position).norm() < 1e-9);
}

/// An end that was moved in motion used to jump back on the way to statics, without a word.
#[test]
fn what_is_moved_in_motion_stays_as_one_change() {
    let by = Vec3::new(0.01, -0.02, 0.015);
    for (name, held, cable) in
        [("brake-hose", "end", "brake hose"), ("control-unit", "rear bulkhead", "rear cable")]
    {
        let last = |desk: &Desk| shape(desk, cable).len() - 1;
        for paused in [false, true] {
            let mut desk = desk(name);
            let text = desk.session().text().to_owned();
            desk.set_mode(Mode::Dynamics, !paused, Pace::default()).expect("moves");
            let pose = desk.grab(0, thing(held)).expect(held);
            desk.drag(0, pose.position + by, None);
            let off = |desk: &Desk| (shape(desk, cable)[last(desk)] - pose.position - by).norm();
            (0..2).for_each(|_| assert!(desk.tick() || paused));
            desk.drop(0, true).expect("let go").expect("one change");
            assert_eq!(desk.session().depth(), (1, 0));
            // It goes on to where it was let go, and time does not begin anew.
            let time = desk.trailer().time.expect("in motion");
            desk.set_mode(Mode::Dynamics, true, Pace::default()).expect("plays");
            (0..60).for_each(|_| assert!(desk.tick()));
            assert!(desk.trouble().is_none() && desk.trailer().time.expect("in motion") > time + 0.9);
            assert!(off(&desk) < 1e-6, "{name}: {}", off(&desk));
            desk.set_mode(Mode::Statics, false, Pace::default()).expect("at rest");
            assert!(off(&desk) < 1e-9, "{name}: {}", off(&desk));
            assert_eq!(desk.shown().status(), Status::Converged);
            desk.undo().expect("one step");
            assert_eq!(desk.session().text(), text);
        }
    }
}

#[test]
fn what_is_not_kept_in_motion_goes_back() {
    let mut desk = desk("control-unit");
    let text = desk.session().text().to_owned();
    desk.set_mode(Mode::Dynamics, true, Pace::default()).expect("moves");
    let pose = desk.grab(0, thing("rear bulkhead")).expect("a port");
    desk.drag(0, pose.position + Vec3::new(0.0, 0.02, 0.0), None);
    (0..20).for_each(|_| assert!(desk.tick()));
    assert!(desk.drop(0, false).expect("let go").is_none());
    (0..60).for_each(|_| assert!(desk.tick()));
    let there = desk.shown().pose("rear bulkhead").expect("it").position;
    assert!((there - pose.position).norm() < 1e-6, "{there}");
    // Taken and not led anywhere: no change either.
    desk.grab(0, thing("rear bulkhead")).expect("a port");
    assert!(desk.drop(0, true).expect("let go").is_none());
    assert_eq!(desk.session().text(), text);
}

#[test]
fn frames_say_what_the_view_announces() {
    for name in ["brake-hose", "door-harness", "pulley", "pearl-necklace", "twisted-ring", "mixed-models"] {
        let mut desk = desk(name);
        let view = serde_json::to_value(desk.view()).expect("JSON");
        let mut bytes = Vec::new();
        desk.frame(&mut bytes);
        let word = |k: usize| u32::from_le_bytes(bytes[k..k + 4].try_into().expect("four bytes")) as usize;
        assert_eq!(&bytes[..4], b"FLX1");
        assert_eq!(word(4), desk.revision() as usize);
        let cables = view["cables"].as_array().expect("cables");
        let nodes: u64 = cables.iter().map(|c| c["count"].as_u64().expect("a count")).sum();
        assert_eq!(word(12) as u64, nodes, "{name}");
        assert_eq!(word(16), view["things"].as_array().expect("things").len(), "{name}");
        assert_eq!(bytes.len(), HEAD + word(12) * NODE + word(16) * POSE + word(20), "{name}");
        let float = |k: usize| f32::from_le_bytes(bytes[k..k + 4].try_into().expect("four bytes"));
        assert!((HEAD..HEAD + word(12) * NODE).step_by(4).all(|k| float(k).is_finite()), "{name}");
        let first = view["cables"][0]["name"].as_str().expect("a name").to_owned();
        let at = shape(&desk, &first)[0];
        let read = Vec3::from_fn(|i, _| f64::from(float(HEAD + 4 * i)));
        assert!((read - at).norm() < 1e-6 * (1.0 + at.norm()), "{name}");
        let trailer: serde_json::Value =
            serde_json::from_slice(&bytes[bytes.len() - word(20)..]).expect("JSON");
        assert_eq!(trailer["status"], "converged", "{name}");
        assert_eq!(trailer["turns"].as_array().expect("turns").len(), cables.len());
    }
}

#[test]
fn nonsense_is_refused() {
    let mut desk = desk("brake-hose");
    assert!(desk.grab(0, thing("nobody")).is_err());
    assert!(desk.grab(0, point("nobody", 0.1)).is_err());
    assert!(desk.grab(200, thing("end")).is_err());
    assert!(desk.grab(0, point("brake hose", f64::NAN)).is_err());
    assert!(desk.drop(5, true).is_err());
    assert!(desk.step().is_err() && desk.rewind().is_err() && desk.release("end").is_err());
    for step in [0.0, -1.0, f64::NAN, 1.0] {
        assert!(desk.set_mode(Mode::Dynamics, true, Pace { step, ..Pace::default() }).is_err());
    }
    let pose = desk.grab(0, thing("end")).expect("held");
    desk.drag(0, Vec3::new(f64::NAN, 0.0, 0.0), None);
    assert!(!desk.tick(), "nowhere to go");
    desk.drag(0, pose.position, Some(Quat::new(0.0, 0.0, 0.0, 0.0)));
    desk.tick();
    assert_eq!(desk.shown().status(), Status::Converged);
}

#[test]
fn what_takes_long_is_shown_on_its_way() {
    // Fifty cables far too long for their gap, in unstable shapes: the first increment lets them all snap.
    let mut text = String::from("version = 1\n");
    for k in 0..50 {
        let y = 0.03 * f64::from(k);
        text += &format!(
            "[[port]]\nname = \"a{k}\"\nposition = [0, {y}, 0]\ntangent = [1, 0, 0.2]\n[[port]]\nname = \"b{k}\"\nposition \
             = [0.5, {y}, 0.05]\ntangent = [1, 0, -0.2]\n[[cable]]\nname = \"c{k}\"\nlength = 0.75\nsegments = 40\npart \
             = \"bundle-20x0.5\"\nfrom = \"a{k}\"\nto = \"b{k}\"\n"
        );
    }
    let mut desk =
        Desk::new(Session::open(&text, "fifty", Solving::Always).expect("a scene")).expect("a desk");
    let pose = desk.grab(0, thing("b20")).expect("a port");
    desk.drag(0, pose.position + Vec3::new(0.0, 0.01, 0.01), None);
    // Every tick ends, and is shown; in the end there is a status.
    let ticks = (0..40).take_while(|_| desk.tick()).count();
    assert!((1..40).contains(&ticks), "{ticks}");
    let line = desk.trailer().line;
    assert!(line != "settling", "{line}");
    assert!(shape(&desk, "c20").iter().all(|p| p.iter().all(|v| v.is_finite())));
}

#[test]
fn mistakes_are_sentences() {
    let mut desk = desk("ring");
    let error = desk.grab(0, point("wire 6 mm²", 0.1)).expect_err("a ring is no harness").to_string();
    assert!(!error.contains("error[") && !error.contains("-->") && error.contains("ring"), "{error}");
}

/// The end of a strip that slides was shown where the file first puts it, with the strip bent after it.
#[test]
fn an_end_that_slides_is_shown_where_it_slid_to() {
    let desk = desk("buckling-strut");
    let shown = desk.shown();
    let name = &shown.scene.cables[0].cable.name;
    let last = shown.profile(name).and_then(|p| p.samples.last()).expect("a shape").position;
    let end = shown.pose("end").expect("the end").position;
    assert!((last - end).norm() < 1e-9, "{last} {end}");
    // What the force has worked is what the end has come towards it.
    let worked = shown.solution.report.rest.energies.loads;
    assert!((0.5 * end.x - worked).abs() < 1e-9, "{worked}");
}
