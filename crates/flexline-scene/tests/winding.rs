//! Turns that a state does not hold are told, and nothing else is.

#[path = "common/texts.rs"]
mod texts;

use flexline_scene::{AnyScene, Scene};
use texts::taut;

/// A check that can say no: of a state without its turns it says so.
#[test]
fn a_state_without_its_turns_is_found_out() {
    let scene = |turns: f64| -> Scene {
        match AnyScene::parse(&taut(turns, "slides = [\"x\"]\nforce = [50, 0, 0]"), "taut.toml").unwrap() {
            AnyScene::Cable(scene) => *scene,
            AnyScene::Harness(_) => panic!("one cable"),
        }
    };
    let asked = scene(20.0).compile().unwrap();
    let none = scene(0.0).compile().unwrap().initial_state();
    let lost = asked.lost_turns("c", &none.rod, &asked.settings()).expect("told");
    assert_eq!(lost.lost, Some(20));
    assert!(asked.lost_turns("c", &asked.initial_state().rod, &asked.settings()).is_none());
}
