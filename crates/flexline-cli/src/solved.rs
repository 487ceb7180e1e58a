//! What most commands begin with: read a scene, compile it, solve it.

use crate::failure::Failure;
use clap::Args;
use flexline::Vec3;
use flexline::rod::AnyRod;
use flexline::solver::saved::SavedProblem;
use flexline::solver::statics::{Workspace, profile, solve};
use flexline::solver::{Profile, Report, State, Status};
use flexline_scene::check;
use flexline_scene::model::Cable;
use flexline_scene::units::{Dimension, parse};
use flexline_scene::winding::LostTurns;
use flexline_scene::{AnyScene, Compiled, Harness, HarnessCompiled, HarnessSolution, Scene};
use std::path::PathBuf;

/// The scene and what may be changed about it from the command line.
#[derive(Args)]
pub struct SceneArgs {
    /// Scene file (TOML; `crates/flexline-scene/FORMAT.md` describes it)
    pub scene: PathBuf,
    /// Number of segments instead of the scene's; in a harness, of each cable that has segments
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=100_000))]
    pub segments: Option<u32>,
    /// Number of elements instead of the scene's; in a harness, of each cable that has elements
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub elements: Option<u32>,
    /// How far the centreline may be off, such as "0.1 mm" or "0.1 %" of the cable: segments or elements are chosen for it,
    /// instead of the scene's
    #[arg(long, value_name = "LENGTH", conflicts_with_all = ["elements", "segments"])]
    pub accuracy: Option<String>,
    /// Where the equilibrium is unstable, go on to the nearest stable one
    #[arg(long)]
    pub stable: bool,
}

impl SceneArgs {
    /// Gives cables the numbers of segments and elements of the command line.
    pub fn resolve<'a>(&self, cables: impl Iterator<Item = &'a mut Cable>) -> Result<(), Failure> {
        let mut found = [false; 2];
        for cable in cables {
            let kind = usize::from(!cable.model.is_chain());
            found[kind] = true;
            if let Some(n) = [self.segments, self.elements][kind] {
                cable.resolution = n as usize;
                cable.accuracy = None;
            }
        }
        let given = [("segments", self.segments), ("elements", self.elements)];
        for (kind, (what, number)) in given.into_iter().enumerate() {
            if let (Some(n), false) = (number, found[kind]) {
                let other = given[1 - kind].0;
                return Err(Failure::Input(format!(
                    "--{what} {n}: no cable of this scene has {what}, its model has {other}; use --{other}"
                )));
            }
        }
        Ok(())
    }
}

impl SceneArgs {
    /// Gives a cable the accuracy of the command line.
    fn adapt(&self, cable: &mut Cable) -> Result<(), Failure> {
        let Some(text) = &self.accuracy else { return Ok(()) };
        let wrong = |why: &str| Failure::Input(format!("--accuracy {text}: {why}"));
        let accuracy = match text.strip_suffix('%') {
            Some(share) => share.trim().parse::<f64>().ok().map(|share| 0.01 * share * cable.length),
            None => parse(text, Dimension::Length).ok(),
        };
        let within = |a: &f64| *a > 0.0 && *a <= cable.length;
        cable.accuracy = Some(accuracy.filter(within).ok_or_else(|| {
            wrong("expected a length such as \"0.1 mm\", or a share such as \"0.1 %\", up to the length of the cable")
        })?);
        Ok(())
    }
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
    /// Turns that it should hold and does not.
    pub lost: Option<LostTurns>,
}

/// A solved harness.
pub struct SolvedHarness {
    /// The scene.
    pub scene: Harness,
    /// What it was compiled to.
    pub compiled: HarnessCompiled,
    /// The state reached, its proof, and the cables along their arc lengths.
    pub solution: HarnessSolution,
}

/// A solved scene of either kind.
pub enum AnySolved {
    /// One cable.
    Cable(Box<Solved>),
    /// A harness.
    Harness(Box<SolvedHarness>),
}

/// Reads, compiles and solves.
pub fn solve_scene(args: &SceneArgs) -> Result<AnySolved, Failure> {
    solve_scene_after(args, |_| Ok(()))
}

/// The same; what is about to be solved is shown to `before` first.
pub fn solve_scene_after(
    args: &SceneArgs,
    before: impl Fn(SavedProblem) -> Result<(), Failure>,
) -> Result<AnySolved, Failure> {
    match AnyScene::load(&args.scene)? {
        AnyScene::Cable(scene) => {
            solve_cable(*scene, args, &before).map(|solved| AnySolved::Cable(Box::new(solved)))
        }
        AnyScene::Harness(scene) => {
            solve_harness(*scene, args, &before).map(|solved| AnySolved::Harness(Box::new(solved)))
        }
    }
}

/// Who is shown what is about to be solved.
type Before<'a> = &'a dyn Fn(SavedProblem) -> Result<(), Failure>;

fn solve_cable(mut scene: Scene, args: &SceneArgs, before: Before) -> Result<Solved, Failure> {
    args.resolve([&mut scene.cable].into_iter())?;
    args.adapt(&mut scene.cable)?;
    let compiled = scene.compile()?;
    let mut settings = compiled.settings();
    settings.seek_stable |= args.stable;
    before(compiled.saved(&settings))?;
    let mut state = compiled.initial_state();
    let mut workspace = Workspace::new(&compiled.problem);
    let report = solve(&compiled.problem, &mut state, &mut workspace, &settings)
        .map_err(|error| Failure::from(scene.locate(&error)))?;
    let profile = profile(&compiled.problem, &state);
    let lost = match report.status {
        Status::Converged => compiled.lost_turns(&scene.cable.name, &state.rod, &settings),
        _ => None,
    };
    Ok(Solved { scene, compiled, state, report, profile, lost })
}

fn solve_harness(mut scene: Harness, args: &SceneArgs, before: Before) -> Result<SolvedHarness, Failure> {
    args.resolve(scene.cables.iter_mut().map(|own| &mut own.cable))?;
    scene.cables.iter_mut().try_for_each(|own| args.adapt(&mut own.cable))?;
    let compiled = scene.compile()?;
    let mut settings = compiled.settings();
    settings.seek_stable |= args.stable;
    before(compiled.saved(&settings))?;
    let mut solution = compiled.solve(&settings).map_err(|error| Failure::from(scene.locate(&error)))?;
    solution.lost = compiled.lost_turns(&solution, &settings);
    Ok(SolvedHarness { scene, compiled, solution })
}

/// How the solve of a rod ended, as a sentence.
pub fn status_text(rod: &AnyRod, report: &Report) -> String {
    match (report.status, report.missing_length) {
        (Status::TooShort, Some(missing)) if missing < 1e-9 => {
            "no slack: as long as its ends are apart, so that it cannot bend and no finite tension carries a load"
                .to_string()
        }
        (Status::TooShort, Some(missing)) => format!("too short by {:.3} mm", missing * 1e3),
        _ => check::ending(rod, report),
    }
}

/// Reads the NAME=X,Y,Z of a `--move`: what is moved, and by how many metres.
pub fn parse_move(text: &str) -> Result<(&str, Vec3), Failure> {
    let form = || Failure::Input(format!("--move {text}: expected NAME=X,Y,Z in metres, as in end=0,0.1,0"));
    let (name, numbers) = text.rsplit_once('=').ok_or_else(form)?;
    let values: Result<Vec<f64>, _> = numbers.split(',').map(|v| v.trim().parse::<f64>()).collect();
    match values.map_err(|_| form())?[..] {
        [x, y, z] if [x, y, z].iter().all(|v| v.is_finite()) => Ok((name, Vec3::new(x, y, z))),
        _ => Err(form()),
    }
}
