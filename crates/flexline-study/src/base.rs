//! The scene that is varied: its text, and how it is solved.

use flexline::solver::Status;
use flexline::solver::network::NetworkState;
use flexline::solver::statics::{Scratch, Settings, equilibrium};
use flexline_scene::{Compiled, Folder, Scene, SceneError, Solution};
use flexline_session::command::{edit, parameter};
use flexline_session::session::Solved;
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Why nothing can be done at all.
#[derive(Debug)]
pub enum StudyError {
    /// A scene with mistakes.
    Scene(Box<SceneError>),
    /// Other input that cannot be used.
    Input(String),
}

impl From<SceneError> for StudyError {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene(error) => error.fmt(f),
            Self::Input(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for StudyError {}

/// What a scene is given beside its file, such as another number of segments.
pub type Adjust = Arc<dyn Fn(&mut Scene) -> Result<(), String> + Send + Sync>;

/// A scene to be varied.
#[derive(Clone)]
pub struct Base {
    /// Its text.
    pub text: String,
    /// What messages call it.
    pub name: String,
    /// Where the files are that it names.
    pub folder: Folder,
    adjust: Option<Adjust>,
}

impl Base {
    /// A scene from its text.
    pub fn new(text: String, name: String, folder: Folder) -> Self {
        Self { text, name, folder, adjust: None }
    }

    /// A scene from its file.
    pub fn load(path: &Path) -> Result<Self, StudyError> {
        // Reading it as a scene tells what is wrong with the file itself.
        Scene::load(path)?;
        let text = std::fs::read_to_string(path)
            .map_err(|error| StudyError::Input(format!("cannot read {}: {error}", path.display())))?;
        Ok(Self::new(text, path.display().to_string(), Folder::of(path)))
    }

    /// The same with something changed about every scene that is read from it.
    pub fn adjusted(mut self, adjust: Adjust) -> Self {
        self.adjust = Some(adjust);
        self
    }

    /// The text with these values in it.
    pub fn with(&self, values: &[(&str, Value)]) -> Result<String, SceneError> {
        values.iter().try_fold(self.text.clone(), |text, (name, value)| {
            let command = parameter(&text, name, value.clone())?;
            edit(&text, &command).map(|edited| edited.text)
        })
    }

    /// Reads a text of this scene.
    pub fn read(&self, text: &str) -> Result<Scene, StudyError> {
        let mut scene = Scene::read_in(text, &self.name, &self.folder)?;
        if let Some(adjust) = &self.adjust {
            adjust(&mut scene).map_err(StudyError::Input)?;
        }
        Ok(scene)
    }

    /// Solves a text of this scene on its own.
    pub fn solve(&self, text: &str) -> Result<Solved, StudyError> {
        let scene = self.read(text)?;
        let compiled = scene.compile_even_short()?;
        let solution = compiled.solve(&settings(&compiled)).map_err(|error| scene.locate(&error))?;
        Ok(solved(scene, compiled, solution))
    }

    /// Solves a text of this scene from the shape of another; on its own where that does not lead to an equilibrium. Says
    /// whether it began anew.
    pub fn solve_from(&self, text: &str, before: &Solved) -> Result<(Solved, bool), StudyError> {
        let scene = self.read(text)?;
        let compiled = scene.compile_even_short()?;
        let settings = settings(&compiled);
        // Feeding against friction has a history of its own.
        if compiled.fed.is_empty() {
            let solution = from(&scene, &compiled, before.shape_for(&compiled), &settings)?;
            if solution.report.status == Status::Converged {
                return Ok((solved(scene, compiled, solution), false));
            }
        }
        let solution = compiled.solve(&settings).map_err(|error| scene.locate(&error))?;
        Ok((solved(scene, compiled, solution), true))
    }
}

/// How equilibria are followed: a cable that would snap does, and eigenvalues are not asked for.
pub(crate) fn settings(compiled: &Compiled) -> Settings {
    let seek_stable = compiled.solve.seek_stable.unwrap_or(true);
    Settings { stability: false, seek_stable, ..compiled.settings() }
}

/// The equilibrium that a state leads to.
pub(crate) fn from(
    scene: &Scene,
    compiled: &Compiled,
    mut state: NetworkState,
    settings: &Settings,
) -> Result<Solution, SceneError> {
    let mut scratch = Scratch::new(&compiled.network);
    let report = equilibrium(&compiled.network, &mut state, &mut scratch, settings)
        .map_err(|error| scene.locate(&error))?;
    let spans = scratch.profiles(&compiled.network, &state);
    Ok(compiled.solution(state, report, spans))
}

pub(crate) fn solved(scene: Scene, compiled: Compiled, solution: Solution) -> Solved {
    Solved { scene: Box::new(scene), compiled: Arc::new(compiled), solution: Box::new(solution) }
}
