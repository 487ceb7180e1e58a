//! What most commands begin with: read a scene, compile it, solve it.

use crate::failure::Failure;
use clap::Args;
use flexline::solver::statics::{Workspace, initial_state, profile, solve};
use flexline::solver::{Profile, Report, State, Status};
use flexline_scene::{Compiled, Scene};
use std::path::PathBuf;

/// The scene and what may be changed about it from the command line.
#[derive(Args)]
pub struct SceneArgs {
    /// Scene file (TOML; `crates/flexline-scene/FORMAT.md` describes it)
    pub scene: PathBuf,
    /// Number of segments instead of the scene's
    #[arg(long, value_name = "N")]
    pub segments: Option<usize>,
    /// Where the equilibrium is unstable, go on to the nearest stable one
    #[arg(long)]
    pub stable: bool,
}

/// A solved scene.
pub struct Solved {
    /// The scene.
    pub scene: Scene,
    /// What it was compiled to.
    pub compiled: Compiled,
    /// The state reached.
    pub state: State,
    /// Its proof.
    pub report: Report,
    /// The state along the arc length.
    pub profile: Profile,
}

/// Reads, compiles and solves.
pub fn solve_scene(args: &SceneArgs) -> Result<Solved, Failure> {
    let mut scene = Scene::load(&args.scene)?;
    if let Some(n) = args.segments {
        scene.cable.segments = n;
    }
    let compiled = scene.compile()?;
    let mut settings = compiled.settings();
    settings.seek_stable |= args.stable;
    let mut state = initial_state(&compiled.problem);
    let mut workspace = Workspace::new(&compiled.problem);
    let report = solve(&compiled.problem, &mut state, &mut workspace, &settings)
        .map_err(|error| Failure::from(scene.locate(&error)))?;
    let profile = profile(&compiled.problem, &state);
    Ok(Solved { scene, compiled, state, report, profile })
}

/// A status as a sentence.
pub fn status_text(report: &Report) -> String {
    match report.status {
        Status::Converged => "converged".to_string(),
        Status::TooShort => match report.missing_length {
            Some(missing) => format!("too short by {:.3} mm", missing * 1e3),
            None => "too short".to_string(),
        },
        Status::IterationLimit => "not converged: iteration limit reached".to_string(),
        Status::NoProgress => "not converged: no step improved the state".to_string(),
        Status::NumericalFailure => "not converged: a number overflowed or a pivot vanished".to_string(),
    }
}
