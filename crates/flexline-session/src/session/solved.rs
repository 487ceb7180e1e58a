//! A scene of a session, solved.

use super::carry;
use crate::command::Lineage;
use flexline::algebra::rotation;
use flexline::solver::network::NetworkState;
use flexline::solver::statics::{Scratch, equilibrium};
use flexline::solver::winding::Winding;
use flexline::solver::{Budget, Pose, Profile, State, Status};
use flexline_scene::chafing::Chafing;
use flexline_scene::harness::AnchorName;
use flexline_scene::model::Orientation;
use flexline_scene::winding::LostTurns;
use flexline_scene::words::millimetres;
use flexline_scene::{Compiled, Scene, SceneError, Solution};
use std::sync::Arc;
use std::time::Duration;

/// Time in which a scene must be compiled, then solved from the shape before and, where that fails, anew: somebody waits.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn in_time<T>(work: impl FnOnce() -> T) -> T {
    Budget::lasting(PATIENCE).around(work)
}

/// A scene with its solution.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The scene.
    pub scene: Box<Scene>,
    /// What it was compiled to.
    pub compiled: Arc<Compiled>,
    /// State, proof and profiles.
    pub solution: Box<Solution>,
}

/// Whether a scene that was read compiles; cables that are too short are no mistake.
pub(super) fn check(scene: &Scene) -> Result<(), SceneError> {
    scene.compile_even_short().map(drop)
}

/// Whether a state is of the size of a scene.
fn fits(state: &NetworkState, compiled: &Compiled) -> bool {
    let alike = |(a, b): (&State, &State)| {
        a.rod.coordinates.len() == b.rod.coordinates.len() && a.rod.twist.len() == b.rod.twist.len()
    };
    let fresh = NetworkState::initial(&compiled.network);
    state.spans.len() == fresh.spans.len()
        && state.spans.iter().zip(&fresh.spans).all(alike)
        && state.anchors.len() == fresh.anchors.len()
        && state.taken.len() == fresh.taken.len()
        && state.contacts.len() == fresh.contacts.len()
        && state.multipliers.len() == fresh.multipliers.len()
        && state.lengths.len() == fresh.lengths.len()
        && [&state.flows, &state.slips, &state.friction].iter().all(|v| v.len() == fresh.flows.len())
}

impl Solved {
    /// Compiles and solves a scene, beginning in the shape of `before` where there is one.
    pub(super) fn new(scene: Scene, before: Option<&Self>, lineage: &Lineage) -> Result<Self, SceneError> {
        let compiled = in_time(|| scene.compile_even_short())?;
        let mut solution = None;
        let mut chafing = before.map_or_else(Chafing::default, |before| before.solution.chafing.clone());
        // What was made of others, or has another length, begins anew.
        chafing.keep(|cable| {
            let length = |compiled: &Compiled| {
                compiled.cables.iter().find(|own| own.name == cable).map(|own| own.length)
            };
            let was = before.and_then(|before| length(&before.compiled));
            !lineage.cables.contains_key(cable) && was.is_some() && was == length(&compiled)
        });
        // Feeding against friction has a history of its own.
        if let Some(before) = before.filter(|_| compiled.fed.is_empty()) {
            let state = carry::into(&compiled, before, lineage);
            let from = state.clone();
            let found = Self::solved_from(&scene, &compiled, state)?;
            if found.report.status == Status::Converged && before.status() == Status::Converged {
                chafing.follow(&compiled, &from, &found.state, &found.report.contacts);
            }
            solution = Some(found);
        }
        let rank = |solution: &Solution| match solution.report.status {
            Status::Converged => 0,
            Status::TooShort => 1,
            _ => 2,
        };
        // Laid anew it might lie on another side of what it touches.
        let is_led =
            before.is_some_and(|before| before.keeps_sides() && carry::is_led(&compiled, before, lineage));
        let mut solution = match solution {
            Some(solution) if rank(&solution) == 0 || is_led => solution,
            before => {
                let anew = in_time(|| compiled.solve(&compiled.settings()));
                let anew = anew.map_err(|error| scene.locate(&error))?;
                before.filter(|before| rank(before) <= rank(&anew)).unwrap_or(anew)
            }
        };
        solution.chafing = chafing;
        let mut solved =
            Self { scene: Box::new(scene), compiled: Arc::new(compiled), solution: Box::new(solution) };
        in_time(|| solved.look_for_turns(before, lineage));
        Ok(solved)
    }

    /// The equilibrium from a state, or what is missing to it.
    fn solved_from(
        scene: &Scene,
        compiled: &Compiled,
        mut state: NetworkState,
    ) -> Result<Solution, SceneError> {
        let (network, settings) = (&compiled.network, compiled.settings());
        let mut scratch = Scratch::new(network);
        let report = in_time(|| equilibrium(network, &mut state, &mut scratch, &settings));
        let report = report.map_err(|error| scene.locate(&error))?;
        let spans = scratch.profiles(network, &state);
        Ok(compiled.solution(state, report, spans))
    }

    /// Finds out which turns cables have lost since `before`, or of those that they ask for.
    fn look_for_turns(&mut self, before: Option<&Self>, lineage: &Lineage) {
        let solved = |solved: &Self| solved.status() == Status::Converged;
        let lost: Vec<LostTurns> = match before {
            None if solved(self) => self.compiled.lost_turns(&self.solution, &self.compiled.settings()),
            None => return,
            Some(before) => {
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
        let Self { compiled, solution, .. } = self;
        let all = compiled.cables.iter().zip(&solution.profiles).enumerate();
        all.map(|(i, (c, along))| (&*c.name, compiled.winding(&solution.state, i, along))).collect()
    }

    fn winding(&self, cable: &str) -> Option<Winding> {
        self.windings().into_iter().find(|(name, _)| *name == cable)?.1
    }

    /// Twist wound up in every cable, turns.
    pub(crate) fn wound(&self) -> Vec<f64> {
        let Self { compiled, solution, .. } = self;
        (0..compiled.cables.len()).map(|i| compiled.wound(&solution.state, i)).collect()
    }

    /// Turns that cables have lost.
    pub fn lost_turns(&self) -> &[LostTurns] {
        &self.solution.lost
    }

    pub(crate) fn set_lost_turns(&mut self, all: Vec<LostTurns>) {
        self.solution.lost = all;
    }

    /// Compiles a scene and solves it from a state that it had; `None` where the state does not fit it.
    pub(super) fn in_shape(scene: Scene, shape: &NetworkState) -> Result<Option<Self>, SceneError> {
        let compiled = in_time(|| scene.compile_even_short())?;
        if !fits(shape, &compiled) {
            return Ok(None);
        }
        let solution = Box::new(Self::solved_from(&scene, &compiled, shape.clone())?);
        let mut solved = Self { scene: Box::new(scene), compiled: Arc::new(compiled), solution };
        in_time(|| solved.look_for_turns(None, &Lineage::default()));
        Ok(Some(solved))
    }

    /// The shape of this scene as the beginning of a solve of another in which values are others, things and names the same.
    pub fn shape_for(&self, compiled: &Compiled) -> NetworkState {
        carry::into(compiled, self, &Lineage::default())
    }

    /// How the solve ended.
    pub fn status(&self) -> Status {
        self.solution.report.status
    }

    /// Whether cables lie on the sides of everything on which they were laid: in an equilibrium, or in the last one before
    /// something that was led came no farther.
    pub(super) fn keeps_sides(&self) -> bool {
        self.status() == Status::Converged || self.solution.state.is_on_the_way(&self.compiled.network)
    }

    /// How the solve ended, in a line: what is too short, and whether it would snap.
    pub fn status_line(&self) -> String {
        let Self { compiled, solution, .. } = self;
        let mut line = match (self.status(), solution.report.negative) {
            (Status::Converged, 1..) => "converged, but unstable: it would snap".to_owned(),
            _ => compiled.ending_with_troubles(&solution.report),
        };
        for (i, cable) in compiled.cables.iter().enumerate().filter(|(_, c)| c.routed) {
            let length = millimetres(compiled.length_now(&solution.state, i));
            line += &format!("; cable '{}' takes {length}", cable.name);
        }
        for lost in self.lost_turns() {
            line += &format!("; {}", lost.message());
        }
        line
    }

    /// The solution along a cable.
    pub fn profile(&self, cable: &str) -> Option<&Profile> {
        let index = self.compiled.cables.iter().position(|c| c.name == cable)?;
        self.solution.profiles.get(index)
    }

    /// Where an eye or pulley is that has no anchor of its own: on its part.
    fn slider_pose(&self, name: &str) -> Option<Pose> {
        let Self { compiled, solution, .. } = self;
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
        let Self { scene, compiled, solution } = self;
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
