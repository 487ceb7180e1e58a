//! Derivatives of scenes against the same scenes changed and solved again.

use flexline::rod::Rod;
use flexline::solver::Status;
use flexline::solver::statics::{Scratch, Settings, equilibrium};
use flexline_scene::{Compiled, Folder, Scene, Solution};
use flexline_session::command::{edit, parameter, value_of};
use flexline_session::derivative::{Derivatives, Output};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Scenes of more segments are left to `FLEXLINE_ALL_SCENES=1`.
const MOST_PIECES: usize = 250;
/// Half of a difference, relative.
const H: f64 = 1e-4;
/// What a difference of solves may be off, relative to the largest of its kind: their tolerance over the step.
const OFF: f64 = 2e-3;

struct Solved {
    scene: Scene,
    compiled: Compiled,
    solution: Solution,
}

fn settings(compiled: &Compiled) -> Settings {
    Settings { force_tolerance: 1e-10, ..compiled.settings() }
}

fn solve(scene: Scene, from: Option<&Solved>) -> Option<Solved> {
    let compiled = scene.compile_even_short().ok()?;
    let settings = settings(&compiled);
    let solution = match from {
        None => compiled.solve(&settings).ok()?,
        Some(from) => {
            let mut state = from.solution.state.clone();
            for (k, length) in state.lengths.iter_mut().enumerate() {
                let of = |own: &Compiled| own.network.spans[k].rod.length();
                *length += of(&compiled) - of(&from.compiled);
            }
            let mut scratch = Scratch::new(&compiled.network);
            let mut report = equilibrium(&compiled.network, &mut state, &mut scratch, &settings).ok()?;
            // Once more, to the last digit.
            report = equilibrium(&compiled.network, &mut state, &mut scratch, &settings).unwrap_or(report);
            let spans = scratch.profiles(&compiled.network, &state);
            compiled.solution(state, report, spans)
        }
    };
    (solution.report.status == Status::Converged).then_some(Solved { scene, compiled, solution })
}

impl Solved {
    /// The scene with more of one number, solved from here.
    fn beside(&self, input: &str, by: f64) -> Option<Solved> {
        let mut value = value_of(self.scene.text(), input).ok()?;
        value[0] += by;
        let value = if value.len() == 1 { Value::from(value[0]) } else { Value::from(value) };
        let text = edit(self.scene.text(), &parameter(self.scene.text(), input, value).ok()?).ok()?.text;
        solve(Scene::read_in(&text, self.scene.name(), self.scene.folder()).ok()?, Some(self))
    }

    /// A length, a place and a stiffness, where the file says them.
    fn inputs(&self) -> Vec<String> {
        let first = &self.compiled.cables[0].name;
        let mut all: Vec<String> =
            ["length", "measured.bend", "override.bend"].map(|key| format!("{first}.{key}")).into();
        all.extend(self.compiled.anchors.iter().map(|own| format!("{}.position", own.name)));
        all.retain(|name| value_of(self.scene.text(), name).is_ok());
        all.truncate(3);
        all
    }

    fn outputs(&self) -> Vec<String> {
        let mut all: Vec<String> =
            self.compiled.cables.iter().map(|own| format!("{}.position @ 40 %", own.name)).collect();
        all.truncate(3);
        all.extend(self.compiled.anchors.iter().take(2).map(|own| format!("{}.force", own.name)));
        all
    }
}

/// Numbers that agree, or why there is no derivative.
fn judge(name: &str, solved: &Solved, wrong: &mut Vec<String>) -> Result<usize, String> {
    let (outputs, mut numbers) = (solved.outputs(), 0);
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let parsed = outputs.iter().map(|own| Output::parse(own, &solved.compiled).expect("an output"));
    let parsed: Vec<Output> = parsed.collect();
    let touches = !solved.solution.report.contacts.is_empty();
    for input in solved.inputs() {
        let value = value_of(solved.scene.text(), &input).expect("a value");
        let length = solved.compiled.cables[0].length;
        let step = H * if value.len() == 1 { value[0] } else { length };
        let mut derivatives = Derivatives::new(&solved.scene, &solved.compiled, &solved.solution)
            .map_err(|why| why.to_string())?;
        let exact = derivatives.jacobian(&outputs, &[&input]).map_err(|why| why.to_string())?;
        let [below, above] = [-step, step].map(|by| solved.beside(&input, by));
        let (Some(below), Some(above)) = (below, above) else { return Err("not solved beside".into()) };
        let mut row = 0;
        for (text, output) in outputs.iter().zip(&parsed) {
            let told = |own: &Solved| output.value(&own.compiled, &own.solution);
            let (low, here, high) = (told(&below), told(solved), told(&above));
            let numeric: Vec<f64> =
                high.iter().zip(&low).map(|(high, low)| (high - low) / (2.0 * step)).collect();
            let scale =
                if text.ends_with("force") { solved.solution.report.largest_force / length } else { 1.0 };
            let size = numeric.iter().fold(scale, |most, v| most.max(v.abs()));
            for (k, numeric) in numeric.iter().enumerate() {
                // What touches may change within the difference, though not within the smaller step of a derivative.
                let kink = (high[k] - here[k]) / step - (here[k] - low[k]) / step;
                if touches && kink.abs() > OFF * size {
                    continue;
                }
                let exact = exact[row + k][0];
                if (exact - numeric).abs() > OFF * size || exact.is_nan() {
                    wrong.push(format!("{name}: {text} [{k}] by {input}: {exact} {numeric}"));
                }
                numbers += 1;
            }
            row += numeric.len();
        }
    }
    Ok(numbers)
}

/// The scenes of the repository, in order.
fn scenes() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let files = [root.clone(), root.join("contact")]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(&folder).expect("scenes").flatten().map(|own| own.path()));
    let mut all: Vec<PathBuf> = files.filter(|own| own.extension().is_some_and(|e| e == "toml")).collect();
    all.sort();
    all
}

/// Every scene that has an equilibrium has derivatives as differences have them, or says why it has none.
#[test]
fn derivatives_agree_with_scenes_solved_again() {
    let all = std::env::var_os("FLEXLINE_ALL_SCENES").is_some();
    let (mut agreed, mut refused, mut wrong) = (0, BTreeMap::new(), Vec::new());
    for path in scenes() {
        let (name, text) = (path.display().to_string(), std::fs::read_to_string(&path).expect("a scene"));
        let folder = path.parent().map(Folder::new).unwrap_or_default();
        let Ok(scene) = Scene::read_in(&text, &name, &folder) else { continue };
        let Ok(compiled) = scene.compile_even_short() else { continue };
        let pieces: usize = compiled.network.spans.iter().map(|span| span.rod.pieces().0).sum();
        if pieces > MOST_PIECES && !all {
            continue;
        }
        let Some(solved) = solve(scene, None) else { continue };
        match judge(&name, &solved, &mut wrong) {
            Ok(0) => {}
            Ok(numbers) => {
                println!("{name}: {numbers}");
                agreed += 1;
            }
            Err(why) => {
                println!("{name}: {why}");
                *refused.entry(why.chars().take(40).collect::<String>()).or_insert(0) += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(agreed >= 30, "{agreed} {refused:?}");
}

const HOSE: &str = include_str!("../../../../scenes/brake-hose.toml");

#[test]
fn what_is_no_output_is_said() {
    let scene = Scene::parse(HOSE, "hose").expect("a scene");
    let compiled = scene.compile().expect("sound");
    let wrong = |text: &str, told: &str| {
        let error = Output::parse(text, &compiled).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    };
    wrong("position", "say NAME.what");
    wrong("hoze.position @ 3", "is no cable and holds none");
    wrong("cable.position", "say where along the cable");
    wrong("cable.position @ 3 m", "of a cable of");
    wrong("cable.position @ 3 kg", "is a mass");
    wrong("cable.positon @ 50 %", "did you mean \"position\"?");
    wrong("cable.tension.x @ 50 %", "is one number");
    wrong("end.force @ 50 %", "is of no cable");
    wrong("energy @ 50 %", "is of the whole scene");
    wrong("end.forces", "did you mean \"force\"?");
}

/// Energies, frames, worst places and what is told at places, against differences.
#[test]
fn every_output_has_its_derivative() {
    let scene = Scene::parse(HOSE, "hose").expect("a scene");
    let solved = solve(scene, None).expect("an equilibrium");
    let outputs = [
        "cable.position @ 50 %",
        "cable.position.z @ 120 mm",
        "cable.tangent @ 30 %",
        "cable.strain @ 30 %",
        "cable.curvature @ 30 %",
        "cable.bend_radius @ 30 %",
        "cable.force @ 30 %",
        "cable.tension @ 30 %",
        "cable.moment @ 30 %",
        "cable.length",
        "cable.least_bend_radius",
        "cable.largest_tension",
        "end.position",
        "end.force",
        "end.moment",
        "start.moment.y",
        "energy",
        "energy.bending",
        "energy.torsion",
        "energy.gravity",
        "energy.loads",
    ];
    let mut derivatives =
        Derivatives::new(&solved.scene, &solved.compiled, &solved.solution).expect("an equilibrium");
    for input in ["cable.length", "end.position.z"] {
        let exact = derivatives.jacobian(&outputs, &[input]).expect("derivatives");
        let step = H * solved.compiled.cables[0].length;
        let [below, above] = [-step, step].map(|by| solved.beside(input, by).expect("an equilibrium"));
        let mut row = 0;
        for text in outputs {
            let output = Output::parse(text, &solved.compiled).expect(text);
            let told = |own: &Solved| output.value(&own.compiled, &own.solution);
            let (a, b) = (told(&below), told(&above));
            let size = (0..a.len()).map(|k| ((b[k] - a[k]) / (2.0 * step)).abs()).fold(1e-6, f64::max);
            for k in 0..a.len() {
                let (exact, numeric) = (exact[row][0], (b[k] - a[k]) / (2.0 * step));
                assert!((exact - numeric).abs() < OFF * size, "{text} [{k}] by {input}: {exact} {numeric}");
                row += 1;
            }
        }
        assert_eq!(row, exact.len());
    }
    let error = derivatives.jacobian(&["energy"], &["cabel.length"]).unwrap_err().to_string();
    assert!(error.contains("nothing here is called 'cabel'"), "{error}");
}
