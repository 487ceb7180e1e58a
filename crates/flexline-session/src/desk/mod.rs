//! A session at a desk: what a person with hands does to it between two changes of the text.
//!
//! Hands take hold of things and lead them; only the compiled scene moves, so that a step costs a solve and nothing
//! else. A preview shows what a command would do. In motion, time runs. What is kept in the end goes through
//! [`Session::apply`] like everything else, as one change that can be undone; everything else leaves no trace.

mod contact;
mod frame;
mod play;
mod point;
mod rig;
mod view;

pub use contact::{ClearanceView, ContactView, ObstacleForm, ObstacleView};
pub use frame::{Energy, HEAD, MAGIC, NODE, POSE, Shortage, Trailer};
pub use play::{Mode, Pace};
pub use point::Grasp;
pub use rig::node_name;
pub use view::{CableView, SceneView, SectionKind, ThingKind, ThingView};

use crate::command::{Command, Keys, Quantity};
use crate::session::{Outcome, Session, SessionError, Solved};
use flexline::contact::Mesh;
use flexline::solver::{Pose, Status};
use flexline::{Quat, Vec3};
use flexline_scene::check::Finding;
use flexline_scene::words::millimetres;
use play::{After, Play};
use point::{handle, here, in_words, place_after};
use rig::{Rig, Seat, take};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;
use view::{Heading, Seated};

/// The most hands at a desk.
pub const MOST_HANDS: u8 = 64;
/// The most hands that hold places of cables: every one of them is a clip, and all are solved again with each new one.
const MOST_POINTS: usize = 16;
/// A cable is not grasped nearer to its ends than this share of its length.
const EDGE: f64 = 0.005;

/// Why something could not be done at the desk. Everything is as it was.
#[derive(Clone, Debug, PartialEq)]
pub enum DeskError {
    /// The session, or the scene.
    Session(SessionError),
    /// A sentence.
    Plain(String),
}

impl fmt::Display for DeskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // For a person at a page: what is wrong and what helps, without the places of a file.
            Self::Session(SessionError::Command(error)) => {
                for (i, mistake) in error.diagnostics.iter().enumerate() {
                    let gap = if i > 0 { "\n" } else { "" };
                    write!(f, "{gap}{}", mistake.message)?;
                    if let Some(help) = &mistake.help {
                        write!(f, ": {help}")?;
                    }
                }
                Ok(())
            }
            Self::Session(error) => error.fmt(f),
            Self::Plain(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for DeskError {}

impl<E: Into<SessionError>> From<E> for DeskError {
    fn from(error: E) -> Self {
        Self::Session(error.into())
    }
}

fn plain<T>(text: impl Into<String>) -> Result<T, DeskError> {
    Err(DeskError::Plain(text.into()))
}

/// A hand that holds something.
#[derive(Clone, Debug)]
struct Hand {
    id: u8,
    grasp: Grasp,
    /// The thing that a `move` moves, or the clip that stands for a place of a cable.
    mover: String,
    seat: Seat,
    to: Vec3,
    frame: Option<Quat>,
}

/// A session at a desk.
pub struct Desk {
    session: Session,
    hands: Vec<Hand>,
    /// The scene under hands, in statics.
    rig: Option<Rig>,
    /// What a command would do, and what came of it.
    preview: Option<(Command, Arc<Solved>, String)>,
    play: Option<Play>,
    mode: Mode,
    playing: bool,
    pace: Pace,
    /// Whether something was led and is not solved yet.
    pending: bool,
    revision: u32,
    number: u32,
    /// Nodes of every cable, and where things sit: what the revision stands for.
    counts: Vec<usize>,
    seats: Vec<Seated>,
    solve_ms: f64,
    stamps: BTreeMap<u64, f64>,
    /// What went wrong while nobody asked.
    trouble: Option<String>,
}

impl Desk {
    /// Puts a session on the desk. It must be one that solves.
    pub fn new(session: Session) -> Result<Self, DeskError> {
        if session.solution().is_none() {
            return plain("this session does not solve: there is nothing to show");
        }
        let mut desk = Self {
            session,
            hands: Vec::new(),
            rig: None,
            preview: None,
            play: None,
            mode: Mode::Statics,
            playing: false,
            pace: Pace::default(),
            pending: false,
            revision: 0,
            number: 0,
            counts: Vec::new(),
            seats: Vec::new(),
            solve_ms: 0.0,
            stamps: BTreeMap::new(),
            trouble: None,
        };
        desk.revise();
        Ok(desk)
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is shown now.
    pub fn shown(&self) -> &Solved {
        if let Some(play) = &self.play {
            return &play.solved;
        }
        if let Some(rig) = &self.rig {
            return &rig.solved;
        }
        match (&self.preview, self.session.solution()) {
            (Some((_, solved, _)), _) => solved,
            (None, Some(solved)) => solved,
            (None, None) => unreachable!("a desk has only sessions that solve"),
        }
    }

    /// Changes whenever [`Desk::view`] does.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    fn revise(&mut self) {
        self.revision += 1;
        self.counts = view::counts(self.shown()).collect();
        self.seats = view::things(self.shown()).1;
    }

    /// Whether frames still fit the view; rope that runs onto a wheel changes the number of nodes.
    fn keep_fitting(&mut self) {
        if !view::counts(self.shown()).eq(self.counts.iter().copied()) {
            self.revise();
        }
    }

    /// Does something to the scene. Hands go on holding what there still is; motion begins anew.
    pub fn command(&mut self, command: &Command) -> Result<Outcome, DeskError> {
        let before = self.session.text().to_owned();
        let start = Instant::now();
        let outcome = self.session.apply(command)?;
        let took = millis(start);
        // Places in hand go along with the body of their cables.
        for hand in &mut self.hands {
            if let Grasp::Point { cable, at } = &mut hand.grasp
                && let Some(there) = place_after(&before, &outcome.command, cable, *at)
            {
                *at = there;
            }
        }
        let outcome = self.change(|_| Ok(outcome));
        self.solve_ms = took;
        outcome
    }

    /// Takes the last change back.
    pub fn undo(&mut self) -> Result<Outcome, DeskError> {
        self.change(Session::undo)
    }

    /// Takes every change back.
    pub fn undo_all(&mut self) -> Result<Outcome, DeskError> {
        self.change(Session::undo_all)
    }

    /// Writes the shape of the session beside its journal once `every` entries have come since the last time.
    pub fn checkpoint(&mut self, every: usize) {
        self.session.checkpoint(every);
    }

    /// Does again what was taken back last.
    pub fn redo(&mut self) -> Result<Outcome, DeskError> {
        self.change(Session::redo)
    }

    fn change(
        &mut self,
        act: impl FnOnce(&mut Session) -> Result<Outcome, SessionError>,
    ) -> Result<Outcome, DeskError> {
        let start = Instant::now();
        let outcome = act(&mut self.session)?;
        self.solve_ms = millis(start);
        self.preview = None;
        self.start_anew();
        Ok(outcome)
    }

    /// After the scene has changed: hands take hold again, motion begins at rest.
    fn start_anew(&mut self) {
        let hands = std::mem::take(&mut self.hands);
        (self.rig, self.pending) = (None, false);
        if self.play.take().is_some() {
            self.begin_motion();
        }
        for hand in hands {
            // What is gone is let go.
            if self.grab(hand.id, hand.grasp).is_ok() {
                self.drag(hand.id, hand.to, hand.frame);
            }
        }
        self.revise();
    }

    /// Shows what a command would do; the next one takes its place.
    pub fn preview(&mut self, command: &Command) -> Result<Outcome, DeskError> {
        if !self.hands.is_empty() {
            return plain("something is in hand: let go of it first");
        }
        let start = Instant::now();
        let mut scratch = self.session.scratch();
        // From the last preview, so that nothing jumps.
        let before = self.preview.as_ref().map(|(_, solved, _)| solved.clone());
        let outcome = scratch.apply_in(command, before.as_deref())?;
        self.solve_ms = millis(start);
        if let Some(solved) = scratch.shape() {
            self.play = None;
            self.preview = Some((outcome.command.clone(), solved, scratch.text().to_owned()));
        }
        self.revise();
        Ok(outcome)
    }

    /// Ends the preview: what it showed is done for good, or forgotten.
    pub fn end_preview(&mut self, keep: bool) -> Result<Option<Outcome>, DeskError> {
        let Some((command, solved, _)) = self.preview.take() else { return Ok(None) };
        let outcome = match keep {
            true => Some(self.session.apply_in(&command, Some(&solved))),
            false => None,
        };
        self.restart_motion();
        self.revise();
        Ok(outcome.transpose()?)
    }

    fn restart_motion(&mut self) {
        if self.mode == Mode::Dynamics && self.play.is_none() {
            self.begin_motion();
        }
    }

    fn begin_motion(&mut self) {
        let Some(solved) = self.session.shape() else { return };
        match Play::new(&solved, self.pace) {
            Ok(play) => self.play = Some(play),
            Err(text) => {
                (self.mode, self.playing) = (Mode::Statics, false);
                self.trouble = Some(text);
            }
        }
    }

    /// A hand takes hold of something; says where that is.
    pub fn grab(&mut self, id: u8, grasp: Grasp) -> Result<Pose, DeskError> {
        if id >= MOST_HANDS {
            return plain(format!("hand {id}: expected a number below {MOST_HANDS}"));
        }
        if self.hands.iter().any(|hand| hand.id == id) {
            return plain(format!("hand {id} holds something already: let go of it first"));
        }
        if self.preview.is_some() {
            return plain("a change is being tried: end that first");
        }
        let (pose, hand) = match &grasp {
            Grasp::Thing(name) => self.grab_thing(id, name)?,
            Grasp::Point { cable, at } => self.grab_point(id, cable, *at)?,
        };
        self.hands.push(Hand { grasp, ..hand });
        self.revise();
        Ok(pose)
    }

    fn grab_thing(&mut self, id: u8, name: &str) -> Result<(Pose, Hand), DeskError> {
        let shown = self.shown();
        let Some(taken) = take(shown, name) else {
            return plain(format!("there is nothing called '{name}' here that could be taken in hand"));
        };
        if self.hands.iter().any(|hand| hand.mover == taken.mover) {
            return plain(format!("'{}' is in somebody's hand already", taken.mover));
        }
        let Some(base) = taken.seat.base_now(shown) else {
            return plain(format!("'{name}' has no place"));
        };
        let pose = taken.seat.pose(&base);
        match &mut self.play {
            Some(play) => play.grab(id, taken.seat),
            None => self.rig().hold(&taken.seat, false),
        }
        Ok((pose, Hand::new(id, taken.mover, taken.seat, pose.position)))
    }

    fn grab_point(&mut self, id: u8, cable: &str, at: f64) -> Result<(Pose, Hand), DeskError> {
        let scene = &self.shown().scene;
        if scene.is_single() && scene.cables.iter().any(|own| own.to == Some(own.from)) {
            return plain(format!(
                "the ring '{cable}' cannot be pulled at a point: move its seam, the start, or turn it"
            ));
        }
        let points = self.hands.iter().filter(|hand| matches!(hand.grasp, Grasp::Point { .. })).count();
        if points >= MOST_POINTS {
            return plain(format!(
                "{points} hands hold places of cables already: let go of one of them first, or clip the cable"
            ));
        }
        if let Some(play) = &mut self.play {
            let Some(pose) = play.grab_point(id, cable, at) else {
                return plain(format!("there is no cable '{cable}'"));
            };
            return Ok((pose, Hand::new(id, String::new(), Seat::new(0), pose.position)));
        }
        let Some(length) = self.shown().profile(cable).and_then(|p| p.samples.last()).map(|last| last.s)
        else {
            return plain(format!("there is no cable '{cable}'"));
        };
        if !at.is_finite() {
            return plain(format!("cable '{cable}' at {at}: expected a length"));
        }
        let at = at.clamp(EDGE * length, (1.0 - EDGE) * length);
        // A clip that nobody else sees: it stands in the text of a copy alone.
        let name = format!("hand {id}");
        let mut scratch = self.session.scratch();
        let clips = self.hands.iter().filter_map(|hand| match &hand.grasp {
            Grasp::Point { cable, at } => Some(handle(cable, *at, &hand.mover, hand.to)),
            Grasp::Thing(_) => None,
        });
        for clip in clips {
            scratch.apply(&clip)?;
        }
        scratch.apply_in(&here(cable, at, &name), Some(self.shown()))?;
        let Some(solved) = scratch.shape() else { return plain("the scene is not solved") };
        let (Some(taken), Some(pose)) = (take(&solved, &name), solved.pose(&name)) else {
            return plain(format!("cable '{cable}' cannot be held there"));
        };
        // Things in other hands go on being led.
        let mut rig = Rig::new(&solved);
        for hand in &mut self.hands {
            if let Some(own) = take(&solved, &hand.mover) {
                (hand.seat.anchor, hand.seat.obstacle) = (own.seat.anchor, own.seat.obstacle);
                rig.hold(&hand.seat, hand.frame.is_some());
                rig.lead(&hand.seat, hand.to, hand.frame);
            }
        }
        rig.hold(&taken.seat, false);
        self.rig = Some(rig);
        Ok((pose, Hand::new(id, name, taken.seat, pose.position)))
    }

    fn rig(&mut self) -> &mut Rig {
        if self.rig.is_none() {
            self.rig = Some(Rig::new(self.shown()));
        }
        match &mut self.rig {
            Some(rig) => rig,
            None => unreachable!("it was just made"),
        }
    }

    /// Leads what a hand holds. Nothing is solved before [`Desk::tick`]; only the newest place counts.
    pub fn drag(&mut self, id: u8, to: Vec3, frame: Option<Quat>) {
        let finite = to.iter().all(|v| v.is_finite()) && frame.is_none_or(|q| q.norm().is_finite());
        let Some(hand) = self.hands.iter_mut().find(|hand| hand.id == id && finite) else { return };
        let unit = frame.filter(|q| q.norm() > 1e-9).map(|q| q * (1.0 / q.norm()));
        let turns_first = unit.is_some() && hand.frame.is_none();
        (hand.to, hand.frame) = (to, unit.or(hand.frame));
        let (seat, frame) = (hand.seat, hand.frame);
        match &mut self.play {
            Some(play) => play.drag(id, to, unit),
            None => {
                let rig = self.rig();
                if turns_first {
                    rig.hold(&seat, true);
                }
                rig.lead(&seat, to, frame);
            }
        }
        self.pending = true;
    }

    /// Remembers the stamp of a drag until the frame that shows it.
    pub fn stamp(&mut self, client: u64, stamp: f64) {
        self.stamps.insert(client, stamp);
    }

    /// Forgets a client.
    pub fn forget(&mut self, client: u64) {
        self.stamps.remove(&client);
    }

    /// A hand lets go. With `keep` what was moved stays, as one change of the scene, and a place of a cable gets a
    /// clip; without, everything goes back. In motion what cables alone hold swings, or with `keep` is held until
    /// motion begins anew; a cable just moves on.
    pub fn drop(&mut self, id: u8, keep: bool) -> Result<Option<Outcome>, DeskError> {
        let Some(k) = self.hands.iter().position(|hand| hand.id == id) else {
            return plain(format!("hand {id} holds nothing"));
        };
        let hand = self.hands.remove(k);
        let loose = self.is_loose(&hand.mover);
        if let Some(play) = &mut self.play {
            // What the scene holds is moved for good, as at rest, and motion goes on.
            let led = play.led(id).filter(|_| keep && !loose);
            play.drop(
                id,
                if keep {
                    After::Stays
                } else if loose {
                    After::Loose
                } else {
                    After::Returns
                },
            );
            let outcome = led.map(|base| self.session.apply(&hand.moved_to(&base)));
            self.revise();
            return Ok(outcome.transpose()?);
        }
        let command = match &hand.grasp {
            Grasp::Thing(_) => {
                let base = self.rig.as_ref().and_then(|rig| rig.target(&hand.seat));
                base.map(|base| hand.moved_to(&base))
            }
            Grasp::Point { cable, at } => {
                let length =
                    self.shown().profile(cable).and_then(|p| p.samples.last()).map_or(*at, |last| last.s);
                let at = at.clamp(EDGE * length, (1.0 - EDGE) * length);
                let mut own = handle(cable, at, "", hand.to);
                if let Command::AddHandle { name, .. } = &mut own {
                    *name = None;
                }
                Some(own)
            }
        };
        let start = Instant::now();
        let outcome = match (keep, command) {
            (true, Some(command)) => {
                let shape = self.rig.as_ref().map(|rig| &rig.solved);
                Some(self.session.apply_in(&command, shape))
            }
            _ => None,
        };
        self.solve_ms = millis(start);
        self.start_anew();
        Ok(outcome.transpose()?)
    }

    /// Whether the scene itself lets only cables hold this.
    fn is_loose(&self, name: &str) -> bool {
        let Some(Solved { compiled, .. }) = self.session.solution() else { return false };
        let at = compiled.anchors.iter().position(|a| a.name == name);
        at.is_some_and(|i| compiled.network.anchors[i].held == [false; 3])
    }

    /// Whether a hand holds something, and what.
    pub fn in_hand(&self) -> impl Iterator<Item = (u8, &str)> {
        self.hands.iter().map(|hand| {
            let name = match &hand.grasp {
                Grasp::Thing(name) => name,
                Grasp::Point { cable, .. } => cable,
            };
            (hand.id, name.as_str())
        })
    }

    /// Changes what happens between two changes.
    pub fn set_mode(&mut self, mode: Mode, playing: bool, pace: Pace) -> Result<(), DeskError> {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        if !positive(pace.step) || pace.step > 0.1 {
            return plain(format!("step {} s: expected more than zero and at most 0.1 s", pace.step));
        }
        for (name, v) in [("drag", pace.drag), ("delay", pace.delay)] {
            if !(v >= 0.0 && v.is_finite()) {
                return plain(format!("{name} {v}: expected zero or more"));
            }
        }
        if mode == Mode::Dynamics && self.play.is_none() {
            let Some(solved) = self.session.shape() else { return plain("the scene is not solved") };
            self.play = Some(Play::new(&solved, pace).map_err(DeskError::Plain)?);
            (self.rig, self.preview) = (None, None);
            self.hands.clear();
        }
        if mode != Mode::Dynamics && self.play.take().is_some() {
            self.hands.clear();
        }
        (self.mode, self.playing, self.pace) = (mode, playing && mode == Mode::Dynamics, pace);
        if let Some(play) = &mut self.play {
            play.set_pace(pace);
        }
        self.revise();
        Ok(())
    }

    /// What happens between two changes, whether time runs, and how.
    pub fn mode(&self) -> (Mode, bool, Pace) {
        (self.mode, self.playing, self.pace)
    }

    /// One step of motion while time stands.
    pub fn step(&mut self) -> Result<(), DeskError> {
        if self.play.is_none() {
            return plain("there is no motion to step: switch to dynamics first");
        }
        self.advance();
        match self.trouble.take() {
            Some(text) => plain(text),
            None => Ok(()),
        }
    }

    /// In motion: nothing but its cables holds this any more, until motion begins anew.
    pub fn release(&mut self, name: &str) -> Result<(), DeskError> {
        let Some(play) = &mut self.play else {
            return plain("there is no motion: switch to dynamics, or use the command `release`");
        };
        let Some(taken) = take(&play.solved, name) else {
            return plain(format!("there is nothing called '{name}' here that could be let go"));
        };
        if taken.seat.obstacle.is_some() {
            return plain(format!("'{name}' is an obstacle: nothing can let go of it"));
        }
        play.let_go(taken.seat.anchor);
        Ok(())
    }

    /// Motion begins anew, at rest.
    pub fn rewind(&mut self) -> Result<(), DeskError> {
        if self.play.take().is_none() {
            return plain("there is no motion to rewind: switch to dynamics first");
        }
        self.hands.clear();
        self.begin_motion();
        self.revise();
        Ok(())
    }

    /// Seconds from one step to the next while time runs.
    pub fn period(&self) -> Option<f64> {
        self.play.as_ref().filter(|_| self.playing).map(|play| play.pace().step)
    }

    /// Does what is pending: a step of motion while time runs, the solve of what was led. Says whether there is
    /// something new to see.
    pub fn tick(&mut self) -> bool {
        if self.play.is_some() {
            let moved = self.playing;
            if moved {
                self.advance();
            }
            return std::mem::take(&mut self.pending) || moved;
        }
        if !std::mem::take(&mut self.pending) {
            return false;
        }
        let start = Instant::now();
        let Some(rig) = &mut self.rig else { return false };
        if self.mode == Mode::Off {
            self.hands.iter().for_each(|hand| rig.place(&hand.seat));
        } else {
            match rig.solve() {
                Ok(late) => self.pending = late,
                Err(error) => self.trouble = Some(error.to_string()),
            }
        }
        self.solve_ms = millis(start);
        self.keep_fitting();
        true
    }

    fn advance(&mut self) {
        let start = Instant::now();
        let Some(play) = &mut self.play else { return };
        let trouble = match play.step() {
            Ok(Status::Converged) => None,
            Ok(status) => Some(format!("motion has stopped: {status}; rewind, or take a shorter step")),
            Err(text) => Some(format!("motion has stopped: {text}")),
        };
        if trouble.is_some() {
            (self.trouble, self.playing) = (trouble, false);
            self.revise();
        }
        self.solve_ms = millis(start);
        self.keep_fitting();
    }

    /// What went wrong since this was asked last, as a sentence.
    pub fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// The scene as a page shows it.
    pub fn view(&self) -> SceneView {
        let text = self.preview.as_ref().map_or(self.session.text(), |(.., text)| text);
        let heading = Heading {
            revision: self.revision,
            depth: self.session.depth(),
            mode: self.mode,
            playing: self.playing,
        };
        view::view(self.shown(), self.session.name(), text, heading)
    }

    /// The meshes of obstacles that are shown, by the key that the view gives them.
    pub fn meshes(&self) -> Vec<(String, Arc<Mesh>)> {
        contact::meshes(self.shown())
    }

    /// What the rules say of what is shown, the cable before each; `None` for the whole.
    pub fn findings(&self) -> Vec<(Option<String>, Finding)> {
        let Solved { compiled, solution, .. } = self.shown();
        let found = compiled.check(solution);
        let named = |finding: Finding| {
            let message = in_words(finding.message.clone(), &self.hands);
            (None, Finding { message, ..finding })
        };
        let whole = found.whole.into_iter().map(named);
        let cables = compiled.cables.iter().zip(found.cables);
        let own = cables.flat_map(|(c, all)| all.into_iter().map(|f| (Some(c.name.clone()), f)));
        whole.chain(own).collect()
    }

    /// What a frame says beside shapes.
    pub fn trailer(&self) -> Trailer {
        let shown = self.shown();
        let Solved { compiled, solution, .. } = shown;
        let report = match &self.play {
            Some(play) => play.report(),
            None => Some(&solution.report),
        };
        let all = 0..compiled.cables.len();
        let play = self.play.as_ref();
        let mut line = in_words(shown.status_line(), &self.hands);
        if self.pending && play.is_none() {
            "settling".clone_into(&mut line);
        } else if let Some(away) = self.rig.as_ref().map(|rig| rig.away).filter(|away| *away > 0.0) {
            line += &format!("; what is in hand stays {} away from its place", millimetres(away));
        }
        Trailer {
            status: shown.status(),
            line,
            iterations: report.map_or(0, |r| r.iterations),
            residual: report.map_or(0.0, |r| r.residual_force),
            violation: report.map_or(0.0, |r| r.violation),
            unstable: report.filter(|_| play.is_none()).map_or(0, |r| r.negative),
            solve_ms: self.solve_ms,
            time: play.map(Play::time),
            energy: play.map(|play| Energy::new(&play.energies(), play.work_and_losses())),
            short: frame::shortages(shown),
            turns: all.clone().map(|i| compiled.twist_turns(&solution.state, i)).collect(),
            lengths: all.map(|i| compiled.length_now(&solution.state, i)).collect(),
            contacts: contact::contacts(shown),
            clearance: contact::clearance(shown),
            stamps: self.stamps.clone(),
            preview: self.preview.is_some(),
            scrub: None,
        }
    }

    /// Writes the next frame into `out`, which is emptied first; gives what it says beside shapes.
    pub fn frame(&mut self, out: &mut Vec<u8>) -> Trailer {
        self.number = self.number.wrapping_add(1);
        let trailer = self.trailer();
        frame::encode(out, [self.revision, self.number], self.shown(), &self.seats, &trailer);
        trailer
    }
}

impl Hand {
    fn new(id: u8, mover: String, seat: Seat, to: Vec3) -> Self {
        Self { id, grasp: Grasp::Thing(String::new()), mover, seat, to, frame: None }
    }

    /// The `move` that leaves a thing where this hand has led its anchor.
    fn moved_to(&self, base: &Pose) -> Command {
        let mut frame = Keys::new();
        if self.frame.is_some() {
            let q = base.orientation;
            frame.insert("quaternion".into(), vec![q.w, q.i, q.j, q.k].into());
        }
        Command::Move { name: self.mover.clone(), to: Some(metres(base.position)), by: None, frame }
    }
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn metres(v: Vec3) -> [Quantity; 3] {
    [v.x, v.y, v.z].map(Quantity::Number)
}
