//! A solved scene that is led about: its compiled form is changed in place and solved again, without a word of its
//! text being read.

use crate::session::Solved;
use flexline::algebra::rotation;
use flexline::solver::network::{Network, NetworkError, NetworkReport, NetworkState, nearest_led};
use flexline::solver::statics::{Scratch, Settings, equilibrium, settle};
use flexline::solver::winding::{NOTICED, Winding};
use flexline::solver::{Budget, Pose, Status};
use flexline::{Quat, Vec3};
use flexline_scene::harness::{AnchorName, EyeHold, Node};
use flexline_scene::winding::LostTurns;
use flexline_scene::{Scene, SceneError};
use std::sync::Arc;
use std::time::Duration;

/// Where a thing is fixed: an anchor of the network, and its pose on it; or the obstacle that it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seat {
    pub anchor: usize,
    pub local: Pose,
    pub obstacle: Option<usize>,
}

impl Seat {
    pub(super) fn new(anchor: usize) -> Self {
        let local = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
        Self { anchor, local, obstacle: None }
    }

    /// Where what it is on is: its anchor, or the obstacle itself.
    pub(super) fn base_now(&self, solved: &Solved) -> Option<Pose> {
        match self.obstacle {
            Some(index) => obstacle_pose(solved, index),
            None => solved.solution.state.anchors.get(self.anchor).copied(),
        }
    }

    /// Where the thing is when its anchor is at `base`.
    pub(super) fn pose(&self, base: &Pose) -> Pose {
        Pose {
            position: base.position + rotation::rotate(&base.orientation, &self.local.position),
            orientation: base.orientation * self.local.orientation,
        }
    }

    /// Where its anchor is when the thing is at `position`, turned to `frame` or as its anchor was.
    pub(super) fn base(&self, was: &Pose, position: Vec3, frame: Option<Quat>) -> Pose {
        let orientation = frame.map_or(was.orientation, |q| q * self.local.orientation.conjugate());
        Pose { position: position - rotation::rotate(&orientation, &self.local.position), orientation }
    }
}

/// Where an obstacle is: where it has come to among the cables, which may hold it back.
pub(super) fn obstacle_pose(solved: &Solved, index: usize) -> Option<Pose> {
    let own = solved.compiled.network.obstacles.get(index)?;
    Some(solved.solution.state.obstacles.get(index).copied().unwrap_or(own.pose))
}

/// What is moved when something is taken hold of, by name, and where that sits.
pub(super) struct Taken {
    /// The name that a `move` command uses.
    pub mover: String,
    pub seat: Seat,
}

/// Finds what a hand takes hold of; `None` where nothing has that name, or nothing holds that end.
pub(super) fn take(solved: &Solved, name: &str) -> Option<Taken> {
    let scene = &solved.scene;
    let Some(node) = node_of(scene, name) else {
        let obstacle = scene.obstacles.iter().position(|own| own.name == name)?;
        // One that is on a part is taken by it.
        if let Some((anchor, local)) = solved.compiled.obstacles.get(obstacle).and_then(|own| own.on) {
            let mover = scene.obstacles[obstacle].on.clone()?;
            return Some(Taken { mover, seat: Seat { anchor, local, obstacle: None } });
        }
        return Some(Taken { mover: name.into(), seat: Seat { obstacle: Some(obstacle), ..Seat::new(0) } });
    };
    let (anchor, local, _) = scene.anchor(node);
    let (mover, anchor) = match node {
        Node::Connector(part, _) => (scene.parts[part].name.clone(), anchor),
        Node::Eye(eye) => match scene.eyes[eye].hold {
            EyeHold::On(on, _) => (node_name(scene, on), scene.anchor(on).0),
            EyeHold::Block(part) => (scene.parts[part].name.clone(), anchor),
            EyeHold::World(_) | EyeHold::Free(_) => (name.into(), anchor),
        },
        _ => (name.into(), anchor),
    };
    Some(Taken { mover, seat: Seat { anchor, local, obstacle: None } })
}

/// What the ends of the one cable of a scene are called.
pub(super) const ENDS: [&str; 2] = ["start", "end"];

/// The thing that has this name.
fn node_of(scene: &Scene, name: &str) -> Option<Node> {
    if let Some((part, connector)) = name.split_once('.')
        && let Some(i) = scene.parts.iter().position(|p| p.name == part)
        && let Some(c) = scene.parts[i].connectors.iter().position(|c| c.name == connector)
    {
        return Some(Node::Connector(i, c));
    }
    let port = scene.ports.iter().position(|p| p.name == name).map(Node::Port);
    let part = || scene.parts.iter().position(|p| p.name == name).map(Node::Part);
    let junction = || scene.junctions.iter().position(|j| j.name == name).map(Node::Junction);
    let clip = || scene.clips.iter().position(|c| c.name == name).map(Node::Clip);
    let eye = || scene.eyes.iter().position(|e| e.name == name).map(Node::Eye);
    let bead = || scene.beads.iter().position(|b| b.name == name).map(Node::Bead);
    let held = |k: &usize| scene.ends.as_ref().is_some_and(|ends| ends[*k].held() != [false; 3]);
    let end = || ENDS.iter().position(|end| *end == name).filter(held).map(Node::End);
    port.or_else(part).or_else(junction).or_else(clip).or_else(eye).or_else(bead).or_else(end)
}

/// What cables and commands call a thing.
pub fn node_name(scene: &Scene, node: Node) -> String {
    match node {
        Node::Port(i) => scene.ports[i].name.clone(),
        Node::Part(i) => scene.parts[i].name.clone(),
        Node::Connector(i, c) => {
            format!("{}.{}", scene.parts[i].name, scene.parts[i].connectors[c].name)
        }
        Node::Junction(i) => scene.junctions[i].name.clone(),
        Node::Clip(i) => scene.clips[i].name.clone(),
        Node::Eye(i) => scene.eyes[i].name.clone(),
        Node::Bead(i) => scene.beads[i].name.clone(),
        Node::End(i) => ENDS[i].into(),
    }
}

/// Time that a step may take. The scene is shown as far as it has come in the first; every one that is not enough is
/// followed by one of twice that, and in the last the solver may say what is missing.
const PATIENCE: [Duration; 2] = [Duration::from_millis(60), Duration::from_secs(1)];
/// Time in which is found how near something comes that cannot be reached, and why.
const THOROUGH: Duration = Duration::from_secs(4);

/// A solved scene under hands.
pub(super) struct Rig {
    pub solved: Solved,
    scratch: Scratch,
    /// The last equilibrium: what fails is tried again from there, and never from what it left.
    good: Box<NetworkState>,
    patience: Duration,
    /// How every cable was wound when that was looked at last.
    wound: Vec<Option<Winding>>,
    /// The anchors that were led.
    led: Vec<usize>,
    /// Whether that is one.
    at_rest: bool,
    /// Where a step has come to that was not done in time.
    ahead: Option<Box<NetworkState>>,
    /// How far what is in hand stays away from where it was led, m.
    pub away: f64,
}

impl Rig {
    pub(super) fn new(solved: &Solved) -> Self {
        let solved = solved.clone();
        let (scratch, good) = Self::scratch(&solved);
        let at_rest = solved.status() == Status::Converged;
        let wound = solved.windings().into_iter().map(|(_, own)| own).collect();
        let patience = PATIENCE[0];
        Self { solved, scratch, good, patience, wound, led: Vec::new(), at_rest, ahead: None, away: 0.0 }
    }

    fn scratch(solved: &Solved) -> (Scratch, Box<NetworkState>) {
        (Scratch::new(&solved.compiled.network), Box::new(solved.solution.state.clone()))
    }

    /// Holds an anchor that only cables hold, where it is; its frame too when it is a part or `turned`.
    pub(super) fn hold(&mut self, seat: &Seat, turned: bool) {
        if seat.obstacle.is_some() {
            return;
        }
        let anchor = seat.anchor;
        let Solved { compiled, solution, .. } = &mut self.solved;
        let compiled = Arc::make_mut(compiled);
        let is_part = matches!(compiled.anchors.get(anchor), Some(AnchorName { kind: "part", .. }));
        let (Some(own), Some(pose)) =
            (compiled.network.anchors.get_mut(anchor), solution.state.anchors.get(anchor))
        else {
            return;
        };
        let (held, turning) = (own.held == [false; 3], (turned || is_part) && !own.held_orientation);
        if held || turning {
            own.pose = *pose;
            if held {
                own.held = [true; 3];
            }
            own.held_orientation |= turning;
            (self.scratch, self.good) = Self::scratch(&self.solved);
        }
    }

    /// Leads a thing; nothing is solved yet.
    pub(super) fn lead(&mut self, seat: &Seat, to: Vec3, frame: Option<Quat>) {
        if let Some(index) = seat.obstacle {
            let network = &mut Arc::make_mut(&mut self.solved.compiled).network;
            if let Some(own) = network.obstacles.get_mut(index) {
                own.pose = Pose { position: to, orientation: frame.unwrap_or(own.pose.orientation) };
            }
            return;
        }
        if !self.led.contains(&seat.anchor) {
            self.led.push(seat.anchor);
        }
        let Solved { scene, compiled, .. } = &mut self.solved;
        let compiled = Arc::make_mut(compiled);
        if let Some(anchor) = compiled.network.anchors.get_mut(seat.anchor) {
            anchor.pose = seat.base(&anchor.pose, to, frame);
        }
        let mut network = std::mem::take(&mut compiled.network);
        compiled.carry_obstacles(&mut network);
        compiled.network = network;
        let network = &mut compiled.network;
        if scene.is_single() {
            scene.lead_end(seat.anchor, to, frame, network);
        }
    }

    /// Brings everything into equilibrium with where it was led. What cannot be reached is shown as near as it
    /// comes, and the next try begins in the last equilibrium. Says whether to go on from here: it was not found in
    /// the time there was.
    pub(super) fn solve(&mut self) -> Result<bool, SceneError> {
        let was = self.solved.lost_turns().to_vec();
        let late = self.settle()?;
        self.solved.set_lost_turns(was);
        if self.solved.status() == Status::Converged {
            self.look_for_turns();
        }
        Ok(late)
    }

    /// Where the twist of a cable has changed by more than a look tells: whether it slipped round itself.
    fn look_for_turns(&mut self) {
        let changed = |(was, now): (&Option<Winding>, f64)| {
            was.as_ref().is_some_and(|was| (now - was.twist).abs() > NOTICED)
        };
        if !self.wound.iter().zip(self.solved.wound()).any(changed) {
            return;
        }
        let mut lost = self.solved.lost_turns().to_vec();
        let mut wound = Vec::with_capacity(self.wound.len());
        for (was, (cable, now)) in self.wound.iter().zip(self.solved.windings()) {
            if let (Some(was), Some(now)) = (was, &now) {
                let known = lost.iter().position(|own| own.cable == cable).map(|k| lost.remove(k));
                lost.extend(LostTurns::between(cable, was, now, known.as_ref()));
            }
            wound.push(now);
        }
        self.wound = wound;
        self.solved.set_lost_turns(lost);
    }

    /// Where a thing was led, reached or not.
    pub(super) fn target(&self, seat: &Seat) -> Option<Pose> {
        let network = &self.solved.compiled.network;
        match seat.obstacle {
            None => Some(network.anchors.get(seat.anchor)?.pose),
            Some(index) => Some(network.obstacles.get(index)?.pose),
        }
    }

    fn settle(&mut self) -> Result<bool, SceneError> {
        self.away = 0.0;
        let Solved { scene, compiled, solution } = &mut self.solved;
        let (scratch, good) = (&mut self.scratch, &mut self.good);
        let settings = Settings { stability: false, seek_stable: false, ..compiled.settings() };
        let (network, patience) = (&compiled.network, self.patience);
        let locate = |error| scene.locate(&error);
        let begun = self.ahead.take();
        let went_on = begun.is_some();
        let mut state = begun.map_or_else(|| (**good).clone(), |ahead| *ahead);
        let settled = Budget::lasting(patience).around(|| settle(network, &mut state, scratch, &settings));
        let mut report = settled.map_err(locate)?;
        let late = report.status == Status::OutOfTime && patience < PATIENCE[1];
        self.patience = if late { 2 * patience } else { PATIENCE[0] };
        if late {
            self.ahead = Some(Box::new(state.clone()));
        } else if report.status != Status::Converged {
            let start = self.at_rest.then_some(&**good);
            let thorough = || -> Result<_, NetworkError> {
                if went_on {
                    // Where it had come to was no good place to go on from.
                    state.clone_from(good);
                    report = settle(network, &mut state, scratch, &settings)?;
                }
                look_further(network, (state, report), start, &self.led, scratch, &settings)
            };
            let found = Budget::lasting(THOROUGH).around(thorough);
            (state, report, self.away) = found.map_err(locate)?;
        }
        let mut chafing = std::mem::take(&mut solution.chafing);
        if report.status == Status::Converged {
            if self.at_rest {
                chafing.follow(compiled, good, &state, &report.contacts);
            }
            **good = state.clone();
            self.at_rest = true;
        }
        let spans = scratch.profiles(network, &state);
        **solution = compiled.solution(state, report, spans);
        solution.chafing = chafing;
        Ok(late)
    }

    /// Moves the things in hand alone, without their cables.
    pub(super) fn place(&mut self, seat: &Seat) {
        if let Some(index) = seat.obstacle {
            let Solved { compiled, solution, .. } = &mut self.solved;
            if let (Some(own), Some(pose)) =
                (compiled.network.obstacles.get(index), solution.state.obstacles.get_mut(index))
            {
                *pose = own.pose;
            }
            return;
        }
        let Solved { compiled, solution, .. } = &mut self.solved;
        if let (Some(anchor), Some(pose)) =
            (compiled.network.anchors.get(seat.anchor), solution.state.anchors.get_mut(seat.anchor))
        {
            *pose = anchor.pose;
        }
    }
}

/// Whether anything may touch anything.
fn touches(network: &Network) -> bool {
    network.spans.iter().any(|span| span.contact_radius > 0.0)
}

/// Where no equilibrium was found: how near everything that is led comes from `start`, an equilibrium, and who is to
/// blame. Where that is not found either, it is tried from there once more, and laid anew as the last resort. State,
/// report, and how far what is led stays away, m.
fn look_further(
    network: &Network,
    (mut state, mut report): (NetworkState, NetworkReport),
    start: Option<&NetworkState>,
    led: &[usize],
    scratch: &mut Scratch,
    settings: &Settings,
) -> Result<(NetworkState, NetworkReport, f64), NetworkError> {
    let (mut away, mut came_near) = (0.0, false);
    if report.status == Status::Converged {
        return Ok((state, report, away));
    }
    if let Some(start) = start
        && let Some(near) = nearest_led(network, start, led, settings)?
    {
        away = near.away.iter().copied().fold(0.0, f64::max);
        (state, report) = (near.state, near.report);
        came_near = report.status == Status::TooShort;
    }
    if report.status == Status::Converged || report.status == Status::TooShort && !report.short.is_empty() {
        return Ok((state, report, away));
    }
    // Laid anew it might lie on another side of what it touches.
    let anew = (start.is_none() || !touches(network)).then(|| NetworkState::initial(network));
    for mut again in start.cloned().into_iter().chain(anew) {
        let second = equilibrium(network, &mut again, scratch, settings)?;
        match second.status {
            Status::Converged => return Ok((again, second, 0.0)),
            // Shown as near as it came; who is to blame is known now.
            Status::TooShort | Status::Conflict if came_near => {
                return Ok((state, second, away));
            }
            Status::TooShort | Status::Conflict => return Ok((again, second, away)),
            _ => {}
        }
    }
    Ok((state, report, away))
}
