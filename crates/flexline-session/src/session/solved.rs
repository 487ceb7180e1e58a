//! A scene of a session, solved.

use super::carry;
use super::checkpoint::Shape;
use crate::command::Lineage;
use flexline::algebra::rotation;
use flexline::solver::network::{NetworkState, NetworkWorkspace, solve_network};
use flexline::solver::statics::{Workspace, nearest_state, profile, solve};
use flexline::solver::winding::Winding;
use flexline::solver::{Budget, Pose, Problem, Profile, Report, State, Status};
use flexline_scene::SceneError;
use flexline_scene::check;
use flexline_scene::harness::{Harness, HarnessCompiled, HarnessSolution};
use flexline_scene::model::{AnyScene, Orientation, Scene};
use flexline_scene::winding::LostTurns;
use flexline_scene::words::millimetres;
use flexline_scene::{Compiled, harness::AnchorName};
use std::sync::Arc;
use std::time::Duration;

/// Time in which a scene must be compiled, then solved from the shape before and, where that fails, anew: somebody waits.
const PATIENCE: Duration = Duration::from_secs(5);

fn in_time<T>(work: impl FnOnce() -> T) -> T {
    Budget::lasting(PATIENCE).around(work)
}

/// A scene with its solution.
#[derive(Clone, Debug)]
pub enum Solved {
    /// One cable.
    Cable {
        /// The scene.
        scene: Box<Scene>,
        /// What it was compiled to.
        compiled: Box<Compiled>,
        /// The state reached.
        state: Box<State>,
        /// Its proof.
        report: Box<Report>,
        /// The solution along the cable.
        profile: Profile,
        /// Turns that it has lost.
        lost: Option<LostTurns>,
    },
    /// A harness.
    Harness {
        /// The scene.
        scene: Box<Harness>,
        /// What it was compiled to.
        compiled: Arc<HarnessCompiled>,
        /// State, proof and profiles.
        solution: Box<HarnessSolution>,
    },
}

/// Whether a scene that was read compiles; cables that are too short are no mistake.
pub(super) fn check(scene: &AnyScene) -> Result<(), SceneError> {
    match scene {
        AnyScene::Cable(scene) => scene.compile_even_short().map(drop),
        AnyScene::Harness(harness) => harness.compile_even_short().map(drop),
    }
}

/// Whether two states are of one size.
fn alike(a: &State, b: &State) -> bool {
    a.rod.coordinates.len() == b.rod.coordinates.len() && a.rod.twist.len() == b.rod.twist.len()
}

impl Solved {
    /// Compiles and solves a scene, beginning in the shape of `before` where there is one.
    pub(super) fn new(scene: AnyScene, before: Option<&Self>, lineage: &Lineage) -> Result<Self, SceneError> {
        let mut solved = match scene {
            AnyScene::Cable(scene) => Self::cable(scene, before, lineage),
            AnyScene::Harness(scene) => Self::harness(scene, before, lineage),
        }?;
        in_time(|| solved.look_for_turns(before, lineage));
        Ok(solved)
    }

    /// Finds out which turns cables have lost since `before`, or of those that they ask for.
    fn look_for_turns(&mut self, before: Option<&Self>, lineage: &Lineage) {
        let solved = |solved: &Self| solved.status() == Status::Converged;
        let lost: Vec<LostTurns> = match (&*self, before) {
            (Self::Cable { scene, compiled, state, .. }, None) if solved(self) => {
                compiled.lost_turns(&scene.cable.name, &state.rod, &compiled.settings()).into_iter().collect()
            }
            (Self::Harness { compiled, solution, .. }, None) if solved(self) => {
                compiled.lost_turns(solution, &compiled.settings())
            }
            (_, None) => return,
            (_, Some(before)) => {
                let one = |(cable, own): (&str, Option<Winding>)| {
                    let known = before.lost_turns().iter().find(|lost| lost.cable == cable);
                    // A cable made of others begins anew.
                    let was = before.winding(cable).filter(|_| !lineage.cables.contains_key(cable));
                    match (was, own) {
                        (Some(was), Some(own)) if solved(self) && solved(before) => {
                            LostTurns::between(cable, &was, &own, known)
                        }
                        _ => known.cloned(),
                    }
                };
                self.windings().into_iter().filter_map(one).collect()
            }
        };
        self.set_lost_turns(lost);
    }

    /// How every cable is wound.
    pub(crate) fn windings(&self) -> Vec<(&str, Option<Winding>)> {
        match self {
            Self::Cable { scene, compiled, state, .. } => {
                vec![(&scene.cable.name, compiled.winding(&state.rod))]
            }
            Self::Harness { compiled, solution, .. } => {
                let all = compiled.cables.iter().zip(&solution.profiles).enumerate();
                all.map(|(i, (c, along))| (&*c.name, compiled.winding(&solution.state, i, along))).collect()
            }
        }
    }

    fn winding(&self, cable: &str) -> Option<Winding> {
        self.windings().into_iter().find(|(name, _)| *name == cable)?.1
    }

    /// Twist wound up in every cable, turns.
    pub(crate) fn wound(&self) -> Vec<f64> {
        match self {
            Self::Cable { compiled, state, .. } => vec![compiled.problem.rod.twist_turns(&state.rod)],
            Self::Harness { compiled, solution, .. } => {
                (0..compiled.cables.len()).map(|i| compiled.wound(&solution.state, i)).collect()
            }
        }
    }

    /// Turns that cables have lost.
    pub fn lost_turns(&self) -> &[LostTurns] {
        match self {
            Self::Cable { lost, .. } => lost.as_slice(),
            Self::Harness { solution, .. } => &solution.lost,
        }
    }

    pub(crate) fn set_lost_turns(&mut self, all: Vec<LostTurns>) {
        match self {
            Self::Cable { lost, .. } => *lost = all.into_iter().next(),
            Self::Harness { solution, .. } => solution.lost = all,
        }
    }

    /// Compiles a scene and solves it from a state that it had; `None` where the state does not fit it.
    pub(super) fn in_shape(scene: AnyScene, shape: &Shape) -> Result<Option<Self>, SceneError> {
        let mut solved = Self::begun_in(scene, shape)?;
        if let Some(own) = &mut solved {
            in_time(|| own.look_for_turns(None, &Lineage::default()));
        }
        Ok(solved)
    }

    fn begun_in(scene: AnyScene, shape: &Shape) -> Result<Option<Self>, SceneError> {
        match (scene, shape) {
            (AnyScene::Cable(scene), Shape::Cable(state)) => {
                let compiled = in_time(|| scene.compile_even_short())?;
                if !alike(state, &compiled.initial_state()) {
                    return Ok(None);
                }
                let (problem, mut state) = (&compiled.problem, state.clone());
                let mut workspace = Workspace::new(problem);
                let solved = in_time(|| solve(problem, &mut state, &mut workspace, &compiled.settings()));
                let report = solved.map_err(|error| scene.locate(&error))?;
                Ok(Some(Self::of_cable(scene, compiled, state, report)))
            }
            (AnyScene::Harness(scene), Shape::Harness(state)) => {
                let compiled = in_time(|| scene.compile_even_short())?;
                let network = &compiled.network;
                let fresh = NetworkState::initial(network);
                let fits = state.spans.len() == fresh.spans.len()
                    && state.spans.iter().zip(&fresh.spans).all(|(a, b)| alike(a, b))
                    && state.anchors.len() == fresh.anchors.len()
                    && state.taken.len() == fresh.taken.len()
                    && state.contacts.len() == fresh.contacts.len()
                    && state.multipliers.len() == fresh.multipliers.len()
                    && state.lengths.len() == fresh.lengths.len()
                    && [&state.flows, &state.slips, &state.friction]
                        .iter()
                        .all(|v| v.len() == fresh.flows.len());
                if !fits {
                    return Ok(None);
                }
                let (mut state, mut workspace) = (state.clone(), NetworkWorkspace::new(network));
                let solved =
                    in_time(|| solve_network(network, &mut state, &mut workspace, &compiled.settings()));
                let report = solved.map_err(|error| scene.locate(&error))?;
                let solution = Box::new(compiled.solution(state, report, (network, &mut workspace)));
                Ok(Some(Self::Harness { scene, compiled: Arc::new(compiled), solution }))
            }
            _ => Ok(None),
        }
    }

    /// A solved cable; where it is too short, as near as it comes.
    fn of_cable(scene: Box<Scene>, compiled: Compiled, mut state: State, report: Report) -> Self {
        let problem = &compiled.problem;
        if report.status == Status::TooShort
            && let Some((near, _)) = in_time(|| nearest_state(problem, None, 1))
        {
            state = near;
        }
        let profile = profile(&Problem { ends: state.ends, ..problem.clone() }, &state);
        Self::Cable {
            scene,
            compiled: Box::new(compiled),
            state: Box::new(state),
            report: Box::new(report),
            profile,
            lost: None,
        }
    }

    fn cable(scene: Box<Scene>, before: Option<&Self>, lineage: &Lineage) -> Result<Self, SceneError> {
        let compiled = in_time(|| scene.compile_even_short())?;
        let problem = &compiled.problem;
        let settings = compiled.settings();
        let mut workspace = Workspace::new(problem);
        let fresh = || compiled.initial_state();
        let mut state = match before {
            Some(before) => {
                carry::into_cable(&scene.cable.name, &compiled, before, lineage).unwrap_or_else(fresh)
            }
            None => fresh(),
        };
        let mut run = |state: &mut State| {
            let solved = in_time(|| solve(problem, state, &mut workspace, &settings));
            solved.map_err(|error| scene.locate(&error))
        };
        let mut report = run(&mut state)?;
        if before.is_some() && !matches!(report.status, Status::Converged | Status::TooShort) {
            let mut again = fresh();
            let second = run(&mut again)?;
            if second.status == Status::Converged {
                (state, report) = (again, second);
            }
        }
        Ok(Self::of_cable(scene, compiled, state, report))
    }

    fn harness(scene: Box<Harness>, before: Option<&Self>, lineage: &Lineage) -> Result<Self, SceneError> {
        let compiled = in_time(|| scene.compile_even_short())?;
        let settings = compiled.settings();
        let locate = |error| scene.locate(&error);
        let mut solution = None;
        // Feeding against friction has a history of its own.
        if let Some(before) = before.filter(|_| compiled.fed.is_empty()) {
            let mut state = carry::into_harness(&compiled, before, lineage);
            let mut workspace = NetworkWorkspace::new(&compiled.network);
            let solved = in_time(|| solve_network(&compiled.network, &mut state, &mut workspace, &settings));
            let found = (&compiled.network, &mut workspace);
            solution = Some(compiled.solution(state, solved.map_err(locate)?, found));
        }
        let rank = |solution: &HarnessSolution| match solution.report.status {
            Status::Converged => 0,
            Status::TooShort => 1,
            _ => 2,
        };
        let solution = match solution {
            Some(solution) if rank(&solution) == 0 => solution,
            before => {
                let anew = in_time(|| compiled.solve(&settings)).map_err(locate)?;
                before.filter(|before| rank(before) <= rank(&anew)).unwrap_or(anew)
            }
        };
        Ok(Self::Harness { scene, compiled: Arc::new(compiled), solution: Box::new(solution) })
    }

    /// How the solve ended.
    pub fn status(&self) -> Status {
        match self {
            Self::Cable { report, .. } => report.status,
            Self::Harness { solution, .. } => solution.report.status,
        }
    }

    /// How the solve ended, in a line: what is too short, and whether it would snap.
    pub fn status_line(&self) -> String {
        let mut line = self.line();
        for lost in self.lost_turns() {
            line += &format!("; {}", lost.message());
        }
        line
    }

    fn line(&self) -> String {
        match self {
            Self::Cable { compiled, report, .. } => match (report.status, report.missing_length) {
                (Status::TooShort, Some(missing)) => format!("too short by {}", millimetres(missing)),
                _ => check::ending(&compiled.problem.rod, report),
            },
            Self::Harness { compiled, solution, .. } => {
                let report = &solution.report;
                let mut line = match (report.status, report.negative) {
                    (Status::TooShort, _) => {
                        let lines = compiled.short_lines(report);
                        let colon = if lines.is_empty() { "" } else { ": " };
                        format!("too short{colon}{}", lines.join("; "))
                    }
                    (Status::Conflict, _) => {
                        format!("{}: {}", report.status, compiled.trouble_lines(report).join("; "))
                    }
                    (Status::Converged, 1..) => "converged, but unstable: it would snap".to_owned(),
                    (status, _) => status.to_string(),
                };
                for (i, cable) in compiled.cables.iter().enumerate().filter(|(_, c)| c.routed) {
                    let length = millimetres(compiled.length_now(&solution.state, i));
                    line += &format!("; cable '{}' takes {length}", cable.name);
                }
                line
            }
        }
    }

    /// The solution along a cable.
    pub fn profile(&self, cable: &str) -> Option<&Profile> {
        match self {
            Self::Cable { scene, profile, .. } => (scene.cable.name == cable).then_some(profile),
            Self::Harness { compiled, solution, .. } => {
                let index = compiled.cables.iter().position(|c| c.name == cable)?;
                solution.profiles.get(index)
            }
        }
    }

    /// Where an eye or pulley is that has no anchor of its own: on its part.
    fn slider_pose(&self, name: &str) -> Option<Pose> {
        let Self::Harness { compiled, solution, .. } = self else { return None };
        let eye = compiled.eyes.iter().find(|eye| eye.name == name)?;
        let base = solution.state.anchors.get(eye.anchor)?;
        let Some(wheel) = eye.wheel.and_then(|wheel| compiled.network.wheels.get(wheel)) else {
            return Some(*base);
        };
        Some(Pose {
            position: base.position + rotation::rotate(&base.orientation, &wheel.pose.position),
            orientation: base.orientation * wheel.pose.orientation,
        })
    }

    /// Where a port, part, junction, clip, eye, bead or `"part.connector"` is, and how it is turned.
    pub fn pose(&self, node: &str) -> Option<Pose> {
        let Self::Harness { scene, compiled, solution } = self else { return None };
        let find = |name: &str| {
            let index = compiled.anchors.iter().position(|AnchorName { name: own, .. }| own == name)?;
            solution.state.anchors.get(index)
        };
        let Some((part, connector)) = node.split_once('.') else {
            return find(node).copied().or_else(|| self.slider_pose(node));
        };
        let base = find(part)?;
        let own = scene.parts.iter().find(|p| p.name == part)?;
        let own = own.connectors.iter().find(|c| c.name == connector)?;
        let turn = own.orientation.map_or(rotation::identity(), Orientation::frame);
        Some(Pose {
            position: base.position + rotation::rotate(&base.orientation, &own.position),
            orientation: base.orientation * turn,
        })
    }
}
