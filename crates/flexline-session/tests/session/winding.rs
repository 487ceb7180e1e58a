//! Turns that cables lose by passing through themselves are told, and nothing else is.

use crate::common::session::{open, run, scene};
use crate::scenes::texts::taut;
use flexline::Vec3;
use flexline::solver::Status;
use flexline_scene::check::{Rule, Verdict};
use flexline_session::desk::{Desk, Grasp, Mode, Pace};
use flexline_session::session::{Session, Solved};

const MODELS: [(&str, &str); 5] = [
    ("mixed", "segments = 100"),
    ("nodal", "segments = 100"),
    ("helix", "elements = 40"),
    ("clothoid", "elements = 20"),
    ("spline", "elements = 40"),
];

/// The brake hose with so many turns, of a model.
fn hose(model: (&str, &str), turns: f64) -> String {
    let text = scene("brake-hose");
    let end = "tangent = [0.9, -0.3, 0.3]";
    assert!(text.contains(end) && text.contains("segments = 100"));
    text.replace("segments = 100", &format!("{}\nmodel = \"{}\"", model.1, model.0))
        .replace(end, &format!("{end}\ntwist = \"{turns} turns\""))
}

fn wound(session: &Session) -> f64 {
    let Some(Solved { compiled, solution, .. }) = session.solution() else { panic!("not solved") };
    assert_eq!(solution.report.status, Status::Converged);
    compiled.twist_turns(&solution.state, 0)
}

/// Two turns more on the brake hose: it slipped round itself, held none of them, and all checks passed.
#[test]
fn turns_that_slip_away_are_told() {
    let mut slipped = 0;
    for model in MODELS {
        let mut session = open(&hose(model, 0.0));
        assert!(session.solution().unwrap().lost_turns().is_empty());
        let (mut told, mut first) = (None, wound(&session));
        for _ in 0..4 {
            let outcome = run(&mut session, r#"{"do": "turn", "cable": "brake hose", "by": "1 turn"}"#);
            let line = outcome.status.expect("solved");
            let now = wound(&session);
            // Twist may become writhe, by less than a turn and a half here; more is lost.
            let missing = first + 1.0 - now;
            first = now;
            let lost = session.solution().unwrap().lost_turns();
            if missing > 1.5 {
                assert!(line.contains("slipped round itself and lost 2 turns"), "{}: {line}", model.0);
                assert_eq!(lost[0].lost, Some(2), "{}", model.0);
                told = Some(line);
                break;
            }
            assert!(!line.contains("slipped") && lost.is_empty(), "{}: {line}, {missing}", model.0);
        }
        if told.is_none() {
            continue;
        }
        slipped += 1;
        // Undone it is as it was; done again it is told again. The panel of checks says it too.
        session.undo().unwrap();
        assert!(session.solution().unwrap().lost_turns().is_empty());
        session.redo().unwrap();
        assert_eq!(session.solution().unwrap().lost_turns()[0].lost, Some(2));
        let desk = Desk::new(session).unwrap();
        let findings = desk.findings();
        let (cable, finding) = findings.iter().find(|(_, f)| f.rule == Rule::Turns).expect("a finding");
        assert_eq!((cable.as_deref(), finding.verdict), (Some("brake hose"), Verdict::Warn));
        assert!(desk.trailer().line.contains("slipped"));
    }
    assert!(slipped >= 3, "{slipped} of {}", MODELS.len());
}

fn cold(text: &str) -> (f64, Vec<flexline_scene::winding::LostTurns>) {
    let session = open(text);
    let lost = session.solution().unwrap().lost_turns().to_vec();
    (wound(&session), lost)
}

/// A scene that asks for turns and whose answer holds none of them says so when it is solved from nothing, too.
#[test]
fn turns_that_a_cold_solve_drops_are_told() {
    for model in MODELS {
        let (plain, _) = cold(&hose(model, 0.0));
        for turns in [2.0, -3.0, 5.0] {
            let (found, lost) = cold(&hose(model, turns));
            let missing = plain + turns - found;
            let said = lost.iter().filter_map(|lost| lost.lost).sum::<i32>();
            // What is not told is in the shape, less than a turn and a half of it.
            let left = missing - f64::from(said);
            assert!(left.abs() < 1.5, "{} {turns}: {found} of {}, {said} told", model.0, plain + turns);
        }
    }
}

/// What holds its turns is not accused.
#[test]
fn turns_that_are_there_are_not_missed() {
    for turns in [0.5, -1.0, 2.0, 20.0] {
        for slides in ["", "slides = [\"x\"]\nforce = [50, 0, 0]"] {
            let (found, lost) = cold(&taut(turns, slides));
            assert!((found - turns).abs() < 1e-6 && lost.is_empty(), "{turns} {slides}: {found} {lost:?}");
        }
    }
    let mut session = open(&taut(0.0, "slides = [\"x\"]\nforce = [50, 0, 0]"));
    for _ in 0..3 {
        run(&mut session, r#"{"do": "turn", "cable": "c", "by": "0.7 turns"}"#);
        run(&mut session, r#"{"do": "turn", "cable": "c", "by": "3 turns"}"#);
    }
    assert!((wound(&session) - 11.1).abs() < 1e-6 && session.solution().unwrap().lost_turns().is_empty());
}

/// Led together and apart again by a hand: what is not wound up in it any more when it is taut has been told.
#[test]
fn turns_that_slip_away_in_a_hand_are_told() {
    let mut lost_any = false;
    for turns in [1.0, 2.0, 3.0, -4.0] {
        let text = taut(turns, "").replace("length = 1\n", "length = 1.02\n");
        let mut desk = Desk::new(open(&text)).unwrap();
        desk.grab(0, Grasp::Thing("end".into())).unwrap();
        let way = (0..=60).map(|k| 1.0 - 0.9 * f64::from(k) / 60.0);
        let back = way.clone().collect::<Vec<_>>().into_iter().rev();
        for x in way.chain(back) {
            desk.drag(0, Vec3::new(x, 0.03, 0.02), None);
            while desk.tick() {}
        }
        let trailer = desk.trailer();
        assert_eq!(trailer.status, Status::Converged);
        let lost: i32 = desk.shown().lost_turns().iter().filter_map(|lost| lost.lost).sum();
        let left = turns - trailer.turns[0] - f64::from(lost);
        assert!(left.abs() < 0.4, "{turns}: {} left, {lost} told", trailer.turns[0]);
        assert_eq!(lost != 0, trailer.line.contains("slipped"), "{}", trailer.line);
        lost_any |= lost != 0;
    }
    assert!(lost_any, "nothing slipped");
}

/// A slack hose that a motor turns in motion, and that is then pulled taut.
fn on_a_motor(model: (&str, &str), turns: f64) -> String {
    let hose = include_str!("common/on-a-motor.toml");
    assert!(hose.contains("segments = 40") && hose.contains("\"4 turns\""));
    let pull = "[[motion]]\ntarget = \"plate\"\nby = [-0.148, 0, 0]\nstart = 2.5\nduration = 1\n";
    hose.replace("segments = 40", &format!("model = \"{}\"\n{}", model.0, model.1))
        .replace("4 turns", &format!("{turns} turns"))
        + pull
}

/// Turned by a motor while it moves: what is not wound up in it when it is taut has been told, and nothing else.
#[test]
fn turns_that_slip_away_in_motion_are_told() {
    let mut lost_any = 0;
    for model in [("mixed", "segments = 50"), ("clothoid", "elements = 12")] {
        for turns in [0.7, 2.0, 3.0, -4.0] {
            let mut desk = Desk::new(open(&on_a_motor(model, turns))).unwrap();
            desk.set_mode(Mode::Dynamics, true, Pace { delay: 0.02, ..Pace::default() }).unwrap();
            while desk.trailer().time.is_some_and(|time| time < 4.0) {
                assert!(desk.tick());
                assert_eq!(desk.trouble(), None, "{model:?} {turns}");
            }
            let trailer = desk.trailer();
            let lost: i32 = desk.shown().lost_turns().iter().filter_map(|lost| lost.lost).sum();
            println!("{model:?} {turns}: {} left, {lost} told: {}", trailer.turns[0], trailer.line);
            let left = turns - trailer.turns[0] - f64::from(lost);
            assert!(left.abs() < 0.4, "{model:?} {turns}: {} left, {lost} told", trailer.turns[0]);
            assert_eq!(lost != 0, trailer.line.contains("slipped round itself"), "{}", trailer.line);
            assert!(!trailer.line.contains("without a turn"), "{}", trailer.line);
            if let [told] = desk.shown().lost_turns() {
                let [asked, left] = told.wound;
                assert!((asked - turns).abs() < 0.1 && (left - trailer.turns[0]).abs() < 0.1, "{told:?}");
            }
            lost_any += lost.abs();
        }
    }
    assert!(lost_any >= 4, "{lost_any} turns slipped away");
}
