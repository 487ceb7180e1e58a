//! A scene in motion at a desk: steps of the engine's implicit dynamics, with hands that lead what they hold and draw
//! cables towards them.

use super::rig::Seat;
use crate::session::Solved;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::solver::motion::{Integrator, Motion, MotionEnergies, MotionSettings, Pull};
use flexline::solver::network::{Network, NetworkReport, NetworkWorkspace, profiles};
use flexline::solver::statics::Settings;
use flexline::solver::{Budget, Pose, Status};
use flexline::{Quat, Vec3};
use flexline_scene::chafing::Chafing;
use flexline_scene::harness::Led;
use flexline_scene::turns::Turns;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Time that a step may take, however short it is in the scene.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most parts that a step is divided into where it does not converge.
const PARTS: u32 = 8;
/// Time in which what a hand leads follows it, s.
const LAG: f64 = 0.03;
/// A hand draws a cable by a spring that is this stiff against bending, K/L³: some times what it takes to push a clamped
/// beam aside at its middle, 192.
const AGAINST_BENDING: f64 = 1000.0;
/// And this stiff against being pulled taut, by its weight and its tension over its length: some times what it takes to
/// push a string aside.
const AGAINST_TENSION: f64 = 50.0;
/// Stands for no hand: what was let go is on its way to where it stays.
const NOBODY: u8 = u8::MAX;
/// Nearer than this it is there, m or rad.
const THERE: f64 = 1e-7;

/// What happens between two changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Mode {
    /// Everything is in equilibrium at every moment.
    #[default]
    Statics,
    /// Time runs.
    Dynamics,
    /// Cables stay as they are until a hand lets go.
    Off,
}

/// How a scene moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Step, s.
    pub step: f64,
    /// Drag in air, N s/m per metre of cable.
    pub drag: f64,
    /// Strain damping: delay of bending and twisting moments, s.
    pub delay: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { step: 1.0 / 60.0, drag: 0.02, delay: 0.005 }
    }
}

/// What a hand does in motion.
enum Reach {
    /// Leads an anchor that was at `home` when it was taken.
    Anchor { seat: Seat, home: Pose, to: Vec3, frame: Option<Quat> },
    /// Draws a place of a span; the spring follows to where the hand is.
    Point { pull: Pull, to: Vec3 },
}

/// What becomes of a thing that a hand lets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It stays where it was led.
    Stays,
    /// It goes back to where it was taken.
    Returns,
    /// Its cables alone hold it.
    Loose,
}

/// A scene in motion.
pub(super) struct Play {
    /// How it looks now.
    pub solved: Solved,
    network: Network,
    workspace: NetworkWorkspace,
    motion: Motion,
    leads: Vec<Led>,
    reaches: Vec<(u8, Reach)>,
    pace: Pace,
    report: Option<NetworkReport>,
    turns: Turns,
    chafing: Chafing,
}

impl Play {
    /// At rest in the shape of `solved`.
    pub(super) fn new(solved: &Solved, pace: Pace) -> Result<Self, String> {
        if solved.status() != Status::Converged {
            return Err(format!(
                "motion begins in equilibrium, and there is none ({}): mend that first",
                solved.status_line()
            ));
        }
        let mut solved = solved.clone();
        let Solved { compiled, solution, .. } = &mut solved;
        let (mut network, state) = compiled.with_found_lengths(&solution.state);
        let leads = compiled.take_in_hand(&mut network, &state);
        Arc::make_mut(compiled).network = network.clone();
        let masses = network.spans.iter().map(|s| s.rod.total_mass());
        if masses.chain(network.anchors.iter().map(|a| a.mass)).all(|m| m == 0.0) {
            return Err("nothing has mass: motion needs it; give a cable a mass_per_length above zero".into());
        }
        let cables = solved.compiled.cables.iter().map(|c| (&*c.name, c.span_indices()));
        let turns = Turns::new(cables, &network, &state, solved.lost_turns());
        let workspace = NetworkWorkspace::new(&network);
        let motion = Motion::at_rest(&network, state);
        let (chafing, reaches) = (solved.solution.chafing.clone(), Vec::new());
        Ok(Self { solved, network, workspace, motion, leads, reaches, pace, report: None, turns, chafing })
    }

    pub(super) fn set_pace(&mut self, pace: Pace) {
        if pace.step != self.pace.step {
            self.motion.change_step();
        }
        self.pace = pace;
    }

    pub(super) fn pace(&self) -> Pace {
        self.pace
    }

    /// Simulated time, s.
    pub(super) fn time(&self) -> f64 {
        self.motion.time
    }

    pub(super) fn energies(&self) -> MotionEnergies {
        self.motion.energies(&self.network)
    }

    /// Work done by hands and by what is led, and what was lost to damping and drag, J.
    pub(super) fn work_and_losses(&self) -> [f64; 2] {
        [self.motion.work, self.motion.dissipated]
    }

    pub(super) fn report(&self) -> Option<&NetworkReport> {
        self.report.as_ref()
    }

    /// A hand takes hold of a thing.
    pub(super) fn grab(&mut self, hand: u8, seat: Seat) {
        let state = &self.motion.state;
        let pose = match seat.obstacle {
            Some(index) => state.obstacles.get(index).copied(),
            None => state.anchors.get(seat.anchor).copied(),
        };
        let Some(pose) = pose else { return };
        let anchor = &mut self.network.anchors[seat.anchor];
        if seat.obstacle.is_none() && anchor.held == [false; 3] {
            anchor.held = [true; 3];
            anchor.pose = pose;
            self.motion.change_step();
        }
        // What was on its way to where it was let go is in hand again; what the scene leads is led by the hand.
        let same = |other: &Seat| (other.anchor, other.obstacle) == (seat.anchor, seat.obstacle);
        self.reaches.retain(|(own, reach)| {
            *own != NOBODY || !matches!(reach, Reach::Anchor { seat: other, .. } if same(other))
        });
        let to = seat.pose(&pose).position;
        self.reaches.push((hand, Reach::Anchor { seat, home: pose, to, frame: None }));
    }

    /// Where the anchor that a hand leads is to be, where it was led anywhere.
    pub(super) fn led(&self, hand: u8) -> Option<Pose> {
        self.reaches.iter().find_map(|(own, reach)| match reach {
            Reach::Anchor { seat, home, to, frame } if *own == hand => {
                let goal = seat.base(home, *to, *frame);
                (!near(home, &goal)).then_some(goal)
            }
            _ => None,
        })
    }

    /// A hand takes hold of a cable; says where that is.
    pub(super) fn grab_point(&mut self, hand: u8, cable: &str, at: f64) -> Option<Pose> {
        let spans = self.solved.compiled.cables.iter().find(|c| c.name == cable)?.span_indices();
        let mut rest = at;
        for (k, &span) in spans.iter().enumerate() {
            let rod = self.network.rod(&self.motion.state, span);
            if rest <= rod.length() || k + 1 == spans.len() {
                let s = rest.clamp(0.0, rod.length());
                let station = rod.station(&self.motion.state.spans[span].rod, s);
                let to = station.position;
                let pull = Pull { span, s, to, stiffness: self.draw_stiffness(span) };
                self.reaches.push((hand, Reach::Point { pull, to }));
                return Some(Pose { position: station.position, orientation: station.frame });
            }
            rest -= rod.length();
        }
        None
    }

    pub(super) fn drag(&mut self, hand: u8, target: Vec3, turned: Option<Quat>) {
        for (_, reach) in self.reaches.iter_mut().filter(|(own, _)| *own == hand) {
            match reach {
                Reach::Anchor { to, frame, .. } => (*to, *frame) = (target, turned.or(*frame)),
                Reach::Point { to, .. } => *to = target,
            }
        }
    }

    /// A hand lets go.
    pub(super) fn drop(&mut self, hand: u8, after: After) {
        let mut freed = Vec::new();
        self.reaches.retain_mut(|(own, reach)| {
            if *own != hand {
                return true;
            }
            let Reach::Anchor { seat, home, to, frame } = reach else { return false };
            match after {
                After::Stays => {}
                After::Returns => {
                    let back = seat.pose(home);
                    (*to, *frame) = (back.position, Some(back.orientation));
                }
                After::Loose => freed.push(seat.anchor),
            }
            *own = NOBODY;
            after != After::Loose
        });
        freed.into_iter().for_each(|anchor| self.let_go(anchor));
    }

    /// From now on nothing holds this anchor.
    pub(super) fn let_go(&mut self, anchor: usize) {
        let Some(own) = self.network.anchors.get_mut(anchor) else { return };
        own.held = [false; 3];
        own.held_orientation = false;
        self.leads.retain(|led| led.anchor() != Some(anchor));
        self.motion.change_step();
    }

    /// How stiffly a hand draws a span, N/m.
    fn draw_stiffness(&self, span: usize) -> f64 {
        let rod = self.network.rod(&self.motion.state, span);
        let (length, bend) = (rod.length(), rod.first_stiffness());
        let weight = rod.total_mass() * self.network.gravity.norm();
        let tension = weight + self.motion.state.spans[span].end_force.norm();
        AGAINST_BENDING * bend.x.min(bend.y) / length.powi(3) + AGAINST_TENSION * tension / length
    }

    fn follow_hands(&mut self) {
        let h = self.pace.step;
        for led in &self.leads {
            led.put(&mut self.network, self.motion.time + h);
        }
        let share = 1.0 - (-h / LAG).exp();
        let mut reaches = std::mem::take(&mut self.reaches);
        reaches.retain_mut(|(hand, reach)| match reach {
            Reach::Anchor { seat, to, frame, .. } => {
                let own = match seat.obstacle {
                    Some(index) => &mut self.network.obstacles[index].pose,
                    None => &mut self.network.anchors[seat.anchor].pose,
                };
                let was = *own;
                let goal = seat.base(&was, *to, *frame);
                let turn = turn(&was, &goal);
                *own = Pose {
                    position: was.position + (goal.position - was.position) * share,
                    orientation: was.orientation * rotation::exp(&(turn * share)),
                };
                *hand != NOBODY || !near(&was, &goal)
            }
            Reach::Point { pull, to } => {
                pull.to += (*to - pull.to) * share;
                true
            }
        });
        self.solved.compiled.carry_obstacles(&mut self.network);
        let pull = |(_, reach): &(u8, Reach)| match reach {
            Reach::Point { pull, .. } => Some(*pull),
            Reach::Anchor { .. } => None,
        };
        self.motion.pulls = reaches.iter().filter_map(pull).collect();
        self.reaches = reaches;
    }

    /// One step. Where it fails everything stays as it was.
    pub(super) fn step(&mut self) -> Result<Status, String> {
        self.follow_hands();
        let times = [self.motion.time, self.motion.time + self.pace.step];
        self.solved.compiled.grow(&mut self.network, &mut self.motion, times);
        let settings = MotionSettings {
            strain_delay: self.pace.delay,
            drag: self.pace.drag,
            ..MotionSettings::new(self.pace.step, Integrator::Bdf2)
        };
        let solver = Settings::interactive();
        let before = self.solved.compiled.has_contact().then(|| self.motion.state.clone());
        let Self { motion, network, workspace, .. } = self;
        let result = Budget::lasting(PATIENCE)
            .around(|| motion.step_in_parts(network, workspace, &settings, &solver, PARTS));
        let report = result.map_err(|error| error.to_string())?;
        let status = report.status;
        if let (Status::Converged, Some(before)) = (status, before) {
            self.chafing.follow(&self.solved.compiled, &before, &self.motion.state, &report.contacts);
        }
        self.report = Some(report);
        if status == Status::Converged {
            self.turns.follow(&self.network, &self.motion.state, self.motion.time);
            self.show();
        }
        Ok(status)
    }

    /// Puts the state of motion into the solved scene that is looked at.
    fn show(&mut self) {
        let (state, network, workspace) = (&self.motion.state, &self.network, &mut self.workspace);
        let Solved { compiled, solution, .. } = &mut self.solved;
        let report = self.report.clone().unwrap_or_else(|| solution.report.clone());
        **solution = compiled.solution(state.clone(), report, profiles(network, state, workspace));
        solution.chafing = self.chafing.clone();
        self.solved.set_lost_turns(self.turns.lost());
    }
}

/// The rotation from one pose to another, the shorter way, rad.
fn turn(from: &Pose, to: &Pose) -> Vec3 {
    let turn = from.orientation.conjugate() * to.orientation;
    rotation::log(&if turn.w < 0.0 { -turn } else { turn })
}

fn near(a: &Pose, b: &Pose) -> bool {
    (a.position - b.position).norm() < THERE && turn(a, b).norm() < THERE
}
