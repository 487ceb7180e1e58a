//! What most commands begin with: read a scene, compile it, solve it.

use crate::failure::Failure;
use clap::Args;
use flexline::Vec3;
use flexline::solver::Status;
use flexline::solver::saved::SavedProblem;
use flexline_scene::model::Cable;
use flexline_scene::units::{Dimension, parse};
use flexline_scene::{Compiled, Folder, LARGEST_FILE, Scene, Solution};
use flexline_study::Base;
use flexline_study::picture::Shown;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The scene and what may be changed about it from the command line.
#[derive(Args, Clone)]
pub struct SceneArgs {
    /// Scene file (TOML; `crates/flexline-scene/FORMAT.md` describes it), or - for standard input
    pub scene: PathBuf,
    #[command(flatten)]
    pub changes: Changes,
}

/// What may be changed about a scene from the command line.
#[derive(Args, Clone, Default)]
pub struct Changes {
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

impl Changes {
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

impl Changes {
    /// Changes all cables of a scene.
    fn apply(&self, scene: &mut Scene) -> Result<(), Failure> {
        self.resolve(scene.cables.iter_mut().map(|own| &mut own.cable))?;
        scene.cables.iter_mut().try_for_each(|cable| self.adapt(&mut cable.cable))
    }

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

impl SceneArgs {
    /// The scene with all that the command line says about it, to be varied.
    pub fn base(&self) -> Result<Base, Failure> {
        let own = self.changes.clone();
        let adjust = move |scene: &mut Scene| {
            own.apply(scene).map_err(|failure| match failure {
                Failure::Input(text) => text,
                other => other.to_string(),
            })
        };
        let base = match is_standard_input(&self.scene) {
            true => Base::new(standard_input()?.to_owned(), STANDARD_INPUT.into(), Folder::new(".")),
            false => Base::load(&self.scene)?,
        };
        Ok(base.adjusted(Arc::new(adjust)))
    }
}

/// What messages call a scene that comes from there.
const STANDARD_INPUT: &str = "standard input";

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The text of standard input, which is read once.
fn standard_input() -> Result<&'static str, Failure> {
    static TEXT: OnceLock<Result<String, String>> = OnceLock::new();
    let read = || {
        let mut bytes = Vec::new();
        // One byte more is too large, whatever follows.
        let read = std::io::stdin().take(LARGEST_FILE + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("cannot read {STANDARD_INPUT}: {error}"))?;
        String::from_utf8(bytes).map_err(|_| format!("{STANDARD_INPUT} is not UTF-8 text"))
    };
    TEXT.get_or_init(read).as_deref().map_err(|error| Failure::Input(error.clone()))
}

/// Reads a scene from its file, or from standard input.
pub fn load(path: &Path) -> Result<Scene, Failure> {
    match is_standard_input(path) {
        true => Ok(Scene::read_in(standard_input()?, STANDARD_INPUT, &Folder::new("."))?),
        false => Ok(Scene::load(path)?),
    }
}

/// A solved scene.
pub struct Solved {
    /// The scene.
    pub scene: Scene,
    /// What it was compiled to.
    pub compiled: Compiled,
    /// The state reached, its proof, and the cables along their arc lengths.
    pub solution: Solution,
}

impl Solved {
    /// How the solve ended.
    pub fn status(&self) -> Status {
        self.solution.report.status
    }

    /// The same in words, with all that stands in the way of an equilibrium.
    pub fn ending(&self) -> String {
        self.compiled.ending_with_troubles(&self.solution.report)
    }

    /// Whether every accuracy that was asked for is met.
    pub fn is_met(&self) -> bool {
        self.compiled.chosen.iter().flatten().all(|own| own.met)
    }

    /// The same to be drawn.
    pub fn shown(&self) -> Shown<'_> {
        Shown { scene: &self.scene, compiled: &self.compiled, solution: &self.solution }
    }

    /// The line for headings; the name of the cable where there is one, or of the file.
    pub fn title(&self) -> &str {
        self.shown().title()
    }
}

/// Reads, compiles and solves.
pub fn solve_scene(args: &SceneArgs) -> Result<Solved, Failure> {
    solve_scene_after(args, |_| Ok(()))
}

/// The same; what is about to be solved is shown to `before` first.
pub fn solve_scene_after(
    args: &SceneArgs,
    before: impl Fn(SavedProblem) -> Result<(), Failure>,
) -> Result<Solved, Failure> {
    solved(&args.changes, load(&args.scene)?, before)
}

/// Compiles and solves a scene that was read.
pub fn solve(args: &SceneArgs, scene: Scene) -> Result<Solved, Failure> {
    solved(&args.changes, scene, |_| Ok(()))
}

/// The same with what is changed about it.
pub fn solve_changed(changes: &Changes, scene: Scene) -> Result<Solved, Failure> {
    solved(changes, scene, |_| Ok(()))
}

fn solved(
    changes: &Changes,
    mut scene: Scene,
    before: impl Fn(SavedProblem) -> Result<(), Failure>,
) -> Result<Solved, Failure> {
    changes.apply(&mut scene)?;
    let compiled = scene.compile()?;
    let mut settings = compiled.settings();
    settings.seek_stable |= changes.stable;
    before(compiled.saved(&settings))?;
    let mut solution = compiled.solve(&settings).map_err(|error| Failure::from(scene.locate(&error)))?;
    solution.lost = compiled.lost_turns(&solution, &settings);
    Ok(Solved { scene, compiled, solution })
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
