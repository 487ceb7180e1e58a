//! Turns that a state does not hold are told, and nothing else is.

use crate::common::texts::taut;
use flexline::solver::network::NetworkState;
use flexline::solver::statics::Scratch;
use flexline_scene::Scene;

/// A check that can say no: of a state without its turns it says so.
#[test]
fn a_state_without_its_turns_is_found_out() {
    let compiled = |turns: f64| {
        let text = taut(turns, "slides = [\"x\"]\nforce = [50, 0, 0]");
        Scene::parse(&text, "taut.toml").and_then(|scene| scene.compile()).unwrap()
    };
    let asked = compiled(20.0);
    let solution = asked.solve(&asked.settings()).unwrap();
    let lost = |state: NetworkState| {
        let spans = Scratch::new(&asked.network).profiles(&asked.network, &state);
        asked.lost_turns(&asked.solution(state, solution.report.clone(), spans), &asked.settings())
    };
    let told = lost(compiled(0.0).initial_state());
    assert_eq!(told[0].lost, Some(20));
    assert!(lost(asked.initial_state()).is_empty());
}
