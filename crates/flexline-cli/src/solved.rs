//! What most commands begin with: read a scene, compile it, solve it.

use crate::failure::Failure;
use clap::Args;
use flexline::Vec3;
use flexline::solver::Status;
use flexline::solver::saved::SavedProblem;
use flexline_scene::model::Cable;
use flexline_scene::units::{Dimension, parse};
use flexline_scene::{Compiled, Scene, Solution};
use flexline_session::session;
use flexline_study::Base;
use std::path::PathBuf;
use std::sync::Arc;

/// The scene and what may be changed about it from the command line.
#[derive(Args, Clone)]
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
    /// The scene with all that the command line says about it, to be varied.
    pub fn base(&self) -> Result<Base, Failure> {
        let own = self.clone();
        let adjust = move |scene: &mut Scene| {
            let told = |failure: Failure| match failure {
                Failure::Input(text) => text,
                other => other.to_string(),
            };
            own.resolve(scene.cables.iter_mut().map(|own| &mut own.cable)).map_err(told)?;
            scene.cables.iter_mut().try_for_each(|cable| own.adapt(&mut cable.cable)).map_err(told)
        };
        Ok(Base::load(&self.scene)?.adjusted(Arc::new(adjust)))
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

/// A solved scene.
pub struct Solved {
    /// The scene.
    pub scene: Scene,
    /// What it was compiled to.
    pub compiled: Compiled,
    /// The state reached, its proof, and the cables along their arc lengths.
    pub solution: Solution,
}

impl From<session::Solved> for Solved {
    fn from(own: session::Solved) -> Self {
        Self { scene: *own.scene, compiled: Arc::unwrap_or_clone(own.compiled), solution: *own.solution }
    }
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

    /// The line for headings; the name of the cable where there is one, or of the file.
    pub fn title(&self) -> &str {
        let name = match &self.scene.cables[..] {
            [one] if self.scene.is_single() => &one.cable.name,
            _ => self.scene.name(),
        };
        self.scene.title.as_deref().unwrap_or(name)
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
    solved(args, Scene::load(&args.scene)?, before)
}

/// Compiles and solves a scene that was read.
pub fn solve(args: &SceneArgs, scene: Scene) -> Result<Solved, Failure> {
    solved(args, scene, |_| Ok(()))
}

fn solved(
    args: &SceneArgs,
    mut scene: Scene,
    before: impl Fn(SavedProblem) -> Result<(), Failure>,
) -> Result<Solved, Failure> {
    args.resolve(scene.cables.iter_mut().map(|own| &mut own.cable))?;
    scene.cables.iter_mut().try_for_each(|own| args.adapt(&mut own.cable))?;
    let compiled = scene.compile()?;
    let mut settings = compiled.settings();
    settings.seek_stable |= args.stable;
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
