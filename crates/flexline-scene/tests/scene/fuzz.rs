//! Whatever the input, the reader answers: a scene that compiles, or mistakes with text. It never panics.

use flexline::rod::AnyRod;
use flexline_scene::units::{self, Dimension};
use flexline_scene::{Scene, SceneError};
use proptest::prelude::*;
use std::sync::OnceLock;

/// The scenes of the repository.
fn scenes() -> &'static [String] {
    static SCENES: OnceLock<Vec<String>> = OnceLock::new();
    SCENES.get_or_init(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
        let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        let mut files: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
        files.sort();
        // Comments only dilute the mutations.
        let lines =
            |text: String| text.lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join("\n");
        files.iter().map(|p| lines(std::fs::read_to_string(p).unwrap())).collect()
    })
}

/// What must hold of any answer.
fn judge(answer: Result<Scene, SceneError>) -> Result<(), TestCaseError> {
    let fail = |error: SceneError| TestCaseError::fail(error.to_string());
    let sound = |rod: &AnyRod| {
        let first = rod.first_stiffness();
        let own = rod.as_mixed().map_or(&[first][..], |chain| chain.stiffnesses()).to_vec();
        own.iter().all(|k| k.iter().all(|k| k.is_finite() && *k > 0.0))
            && rod.arcs().windows(2).all(|w| w[0] < w[1])
    };
    match answer {
        Ok(scene) => {
            let compiled = scene.compile().map_err(fail)?;
            prop_assert!(compiled.network.check().is_ok());
            prop_assert!(compiled.network.spans.iter().all(|span| sound(&span.rod)));
        }
        Err(error) => {
            prop_assert!(!error.diagnostics.is_empty());
            prop_assert!(error.diagnostics.iter().all(|d| !d.message.is_empty()));
            prop_assert!(error.to_string().starts_with("error["));
        }
    }
    Ok(())
}

/// Values that are wrong nearly everywhere, or right in surprising places.
const VALUES: [&str; 26] = [
    "nan",
    "-inf",
    "1e400",
    "1e-300",
    "-1",
    "0",
    "0.0",
    "7",
    "99999999999999999999",
    "1e15",
    "\"5 kg\"",
    "\"\"",
    "\"12 mm\"",
    "\"helix\"",
    "\"clothoid\"",
    "\"spline\"",
    "2",
    "\"50 %\"",
    "\"3 turns\"",
    "[]",
    "[1, 0, 0]",
    "[[0, 0, 0, 0]]",
    "{}",
    "true",
    "1979-05-27",
    "\"\u{1F980}\"",
];

/// What a cable may say of its model.
const MODELS: [&str; 9] = [
    "model = \"helix\"",
    "model = \"clothoid\"",
    "model = \"clothoid\"\nelements = 2",
    "model = \"spline\"",
    "model = \"spline\"\nelements = 2",
    "model = \"helix\"\nelements = 0",
    "model = \"nodal\"",
    "elements = 9",
    "segments = 9\nmodel = \"clothoid\"",
];

#[derive(Clone, Debug)]
enum Mutation {
    /// Replaces the value of a line.
    Value(prop::sample::Index, usize),
    /// Removes a line.
    Remove(prop::sample::Index),
    /// Repeats a line elsewhere.
    Copy(prop::sample::Index, prop::sample::Index),
    /// Replaces one character.
    Character(prop::sample::Index, char),
    /// Says the model of the cable behind a heading, and how many pieces it has.
    Model(prop::sample::Index, usize),
    /// Takes a line from another scene.
    Graft(prop::sample::Index, prop::sample::Index, prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (index(), 0..VALUES.len()).prop_map(|(i, v)| Mutation::Value(i, v)),
        2 => index().prop_map(Mutation::Remove),
        1 => (index(), index()).prop_map(|(i, j)| Mutation::Copy(i, j)),
        2 => (index(), prop_oneof![any::<char>(), prop::char::ranges(vec![' '..='~'].into())])
            .prop_map(|(i, c)| Mutation::Character(i, c)),
        2 => (index(), 0..MODELS.len()).prop_map(|(i, m)| Mutation::Model(i, m)),
        1 => (index(), index(), index()).prop_map(|(i, j, k)| Mutation::Graft(i, j, k)),
    ]
}

fn mutate(text: &str, mutation: &Mutation) -> String {
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    if lines.is_empty() {
        return String::new();
    }
    match mutation {
        Mutation::Value(i, value) => {
            let line = &mut lines[i.index(text.lines().count())];
            if let Some((key, _)) = line.split_once('=') {
                *line = format!("{key}= {}", VALUES[*value]);
            }
        }
        Mutation::Remove(i) => {
            lines.remove(i.index(lines.len()));
        }
        Mutation::Copy(i, j) => {
            let line = lines[i.index(lines.len())].clone();
            lines.insert(j.index(lines.len()), line);
        }
        Mutation::Character(i, c) => {
            let mut characters: Vec<char> = text.chars().collect();
            let at = i.index(characters.len());
            characters[at] = *c;
            return characters.into_iter().collect();
        }
        Mutation::Model(i, model) => {
            let cables = || lines.iter().enumerate().filter(|(_, l)| l.contains("cable]")).map(|(k, _)| k);
            if let Some(at) = cables().nth(i.index(cables().count().max(1))) {
                lines.insert(at + 1, MODELS[*model].into());
                // The cable may say how many segments it has: half of the time that goes.
                if i.index(2) == 0 {
                    lines.retain(|l| !l.starts_with("segments = ") && !l.starts_with("grading"));
                }
            }
        }
        Mutation::Graft(i, j, k) => {
            let other: Vec<&str> = scenes()[i.index(scenes().len())].lines().collect();
            lines.insert(j.index(lines.len()), other[k.index(other.len())].into());
        }
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        judge(Scene::from_bytes(&bytes, "fuzz"))?;
    }

    #[test]
    fn any_text_of_toml_pieces(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "[", "]", "[[", "]]", "{", "}", "=", ",", "\"", "'", "\n", " ", "#", ".", "-", "version", "cable", "length",
            "start", "end", "load", "hold", "part", "port", "clip", "junction", "name", "from", "to", "1", "1e9", "nan", "\"1 m\"", "\\u0000", "é",
        ]), 0..60)
    ) {
        judge(Scene::parse(&pieces.concat(), "fuzz"))?;
    }

    #[test]
    fn any_mutation_of_a_scene(
        scene in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..5),
    ) {
        let text = mutations.iter().fold(scenes()[scene.index(scenes().len())].clone(), |t, m| mutate(&t, m));
        judge(Scene::parse(&text, "fuzz"))?;
    }

    #[test]
    fn any_quantity(text in "[-+]?[0-9.]{0,6}([eE][-+]?[0-9]{1,4})? ?[a-zA-Z°µ%·*/^²⁻0-9 ]{0,12}") {
        for dimension in [Dimension::Length, Dimension::Stiffness, Dimension::Ratio, Dimension::TwistRate] {
            if let Ok(value) = units::parse(&text, dimension) {
                prop_assert!(value.is_finite());
            }
        }
    }

    #[test]
    fn a_written_quantity_is_read_back(value in -1e6..1e6_f64) {
        for (unit, factor) in [("m", 1.0), ("mm", 1e-3), ("km", 1e3), ("in", 0.0254)] {
            let read = units::parse(&format!("{value} {unit}"), Dimension::Length).unwrap();
            prop_assert!((read - value * factor).abs() <= 1e-15 * read.abs());
        }
    }
}
