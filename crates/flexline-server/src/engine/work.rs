//! What the engine's thread does: requests in order, then what is pending at the desk, then the newest frame out.

use super::recording::Recording;
use super::{Answer, Ask, Export, NoFile, Slots, Summary, export, locked};
use crate::request::{Drag, HANDS, ModeChange, Op};
use crate::store::{Copied, Meshes, SceneFile};
use crate::wire::{
    Answered, FindingView, Grabbed, Held, Nothing, Outcome, Recorded, Saved, ServerEvent, StudioScene,
};
use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use flexline::solver::{Budget, Cancel};
use flexline_session::desk::{Desk, DeskError, Grasp, MOST_HANDS, Mode, Pace};
use flexline_session::session::{self, Session};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};

/// Findings are told no more often than this.
const CHECKS_EVERY: Duration = Duration::from_millis(200);

/// After so many changes the shape is written beside the journal: coming back solves no more than these.
const CHECKPOINT_EVERY: usize = 64;

/// What is known of a client.
#[derive(Default)]
struct Client {
    /// The hand of the desk, and what is in it, for every hand of the client.
    hands: [Option<(u8, String)>; HANDS as usize],
}

/// The engine's thread.
pub(super) struct Worker {
    desk: Desk,
    file: SceneFile,
    meshes: Arc<Meshes>,
    slots: Slots,
    events: broadcast::Sender<Utf8Bytes>,
    // After the desk, so that the journal is closed when these are.
    frames: watch::Sender<Bytes>,
    scene: watch::Sender<Utf8Bytes>,
    summary: watch::Sender<Summary>,
    clients: BTreeMap<u32, Client>,
    /// Who previews a command.
    previewer: Option<u32>,
    recording: Recording,
    /// The revision that was told last.
    told: u32,
    /// When the next step of motion is due.
    due: Instant,
    /// When findings were told last, and whether there are newer ones.
    checked: Instant,
    unchecked: bool,
}

impl Worker {
    pub(super) fn new(
        session: Session,
        file: SceneFile,
        meshes: Arc<Meshes>,
        slots: Slots,
        events: broadcast::Sender<Utf8Bytes>,
    ) -> Result<Self, String> {
        let mut worker = Self {
            desk: Desk::new(session).map_err(|error| error.to_string())?,
            file,
            meshes,
            slots,
            events,
            frames: watch::Sender::new(Bytes::new()),
            scene: watch::Sender::new(Utf8Bytes::default()),
            summary: watch::Sender::new(Summary::default()),
            clients: BTreeMap::new(),
            previewer: None,
            recording: Recording::default(),
            told: 0,
            due: Instant::now(),
            checked: Instant::now(),
            unchecked: true,
        };
        worker.tell_scene();
        worker.show();
        Ok(worker)
    }

    pub(super) fn outlets(
        &self,
    ) -> (watch::Receiver<Bytes>, watch::Receiver<Utf8Bytes>, watch::Receiver<Summary>) {
        (self.frames.subscribe(), self.scene.subscribe(), self.summary.subscribe())
    }

    /// The last thing that is done, after it was closed.
    pub(super) fn finish(&mut self) {
        self.desk.checkpoint(1);
    }

    /// Works until nobody can ask any more, or it is closed.
    pub(super) fn run(&mut self, inbox: &Receiver<Ask>, closed: &Cancel) {
        let mut pending = false;
        while !closed.is_cancelled() {
            // Nothing pending: sleep until somebody asks, the next step is due, or findings may be told.
            let first = match self.patience() {
                _ if pending => inbox.try_recv().map_err(|error| match error {
                    TryRecvError::Empty => RecvTimeoutError::Timeout,
                    TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                }),
                Some(time) => inbox.recv_timeout(time),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match first {
                Ok(ask) => self.hear(ask),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Ok(ask) = inbox.try_recv() {
                self.hear(ask);
            }
            self.desk.checkpoint(CHECKPOINT_EVERY);
            self.take_drags(None);
            pending = self.work();
            if let Some(message) = self.desk.trouble() {
                self.tell(&ServerEvent::Notice { message });
            }
            self.tell_checks();
        }
    }

    /// How long nothing needs to be done; `None` until somebody asks.
    fn patience(&self) -> Option<Duration> {
        let step = self.desk.period().map(|_| self.due.saturating_duration_since(Instant::now()));
        let checks = self.unchecked.then(|| CHECKS_EVERY.saturating_sub(self.checked.elapsed()));
        step.into_iter().chain(checks).min()
    }

    /// Does what is pending at the desk, and shows it; says whether there may be more.
    fn work(&mut self) -> bool {
        if let Some(period) = self.desk.period() {
            let now = Instant::now();
            if now < self.due {
                return false;
            }
            // What is late is not caught up with.
            self.due = now.max(self.due + Duration::from_secs_f64(period));
        }
        let moved = self.desk.tick();
        if moved {
            self.show();
        }
        moved && self.desk.period().is_none()
    }

    fn hear(&mut self, ask: Ask) {
        match ask {
            // Nobody waits for these any more.
            Ask::Op { answer, .. } if answer.is_closed() => {}
            Ask::Export { answer, .. } if answer.is_closed() => {}
            Ask::Op { client, op, gone, answer } => {
                // Where hands went before this comes before it.
                self.take_drags(Some(client));
                let looks_only = matches!(op, Op::Ping | Op::Checks | Op::Save { .. } | Op::Scrub { .. });
                // With others here it goes on: what they hold would be let go with it.
                let alone = self.clients.keys().all(|own| *own == client);
                let answered = match alone {
                    true => Budget::until(&gone).around(|| self.act(client, op)),
                    false => self.act(client, op),
                };
                let _ = answer.send(answered);
                if !looks_only {
                    self.after_change();
                }
            }
            Ask::Export { what, answer } => {
                let _ = answer.send(self.export(&what));
            }
            Ask::Join { client } => {
                self.clients.insert(client, Client::default());
                self.tell_clients();
                self.unchecked = true;
            }
            Ask::Leave { client } => self.leave(client),
            Ask::Wake => {}
        }
    }

    /// What a list of sessions says of this one.
    fn summarise(&self) -> Summary {
        let (changes, _) = self.desk.session().depth();
        let title = self.desk.session().solution().and_then(|solved| solved.scene.title.clone());
        Summary { title, changes }
    }

    /// Takes what lies in the slots to the desk: of everybody, or of one.
    fn take_drags(&mut self, only: Option<u32>) {
        let mut taken: Vec<(u32, Drag)> = Vec::new();
        for (client, slots) in locked(&self.slots).iter_mut().filter(|(c, _)| only.is_none_or(|o| o == **c)) {
            taken.extend(slots.iter_mut().filter_map(|slot| Some((*client, slot.take()?))));
        }
        for (client, drag) in taken {
            let Some(own) = self.clients.get(&client) else { continue };
            let Some((hand, _)) = &own.hands[usize::from(drag.hand)] else { continue };
            self.desk.drag(*hand, drag.to, drag.frame);
            self.desk.stamp(client.into(), drag.stamp);
            self.unchecked = true;
        }
    }

    /// Does what is asked.
    fn act(&mut self, client: u32, op: Op) -> Answer {
        match op {
            Op::Command { command } => {
                self.end_preview_of_others(client);
                let outcome = self.desk.command(&command);
                self.done(client, command.verb(), outcome)
            }
            Op::Undo => {
                let outcome = self.desk.undo();
                self.done(client, "undo", outcome)
            }
            Op::Redo => {
                let outcome = self.desk.redo();
                self.done(client, "redo", outcome)
            }
            Op::Preview { command } => {
                if self.previewer.is_some_and(|other| other != client) {
                    return Err("somebody else tries a change just now: wait until it is done".into());
                }
                let outcome = self.desk.preview(&command).map_err(|error| error.to_string())?;
                self.previewer = Some(client);
                Ok(Answered::Outcome(outcome.into()))
            }
            Op::EndPreview { keep } => {
                if self.previewer != Some(client) {
                    return Err(
                        "there is no preview of yours: it was ended, or another change came first".into()
                    );
                }
                self.previewer = None;
                match self.desk.end_preview(keep) {
                    Ok(Some(outcome)) => {
                        let verb = outcome.command.verb();
                        self.done(client, verb, Ok(outcome))
                    }
                    Ok(None) => Ok(Answered::Outcome(Outcome::default())),
                    Err(error) => Err(error.to_string()),
                }
            }
            Op::Grab { hand, what } => self.grab(client, hand, what),
            Op::Drag(_) => NOTHING,
            Op::Drop { hand, keep } => self.drop_hand(client, hand, keep),
            Op::Mode(change) => nothing(self.set_mode(&change)),
            Op::Step => nothing(self.desk.step()),
            Op::Release { name } => nothing(self.desk.release(&name)),
            Op::Rewind => nothing(self.desk.rewind()),
            Op::Record { on } => {
                self.recording.switch(on);
                Ok(Answered::Recorded(Recorded { frames: self.recording.len() }))
            }
            Op::Scrub { frame } => {
                self.recording.scrub(frame, &self.frames.borrow())?;
                self.show();
                Ok(Answered::Recorded(Recorded { frames: self.recording.len() }))
            }
            Op::Save { name, replace } => self.save(name.as_deref(), replace),
            Op::Revert => self.revert(client),
            Op::Checks => Ok(Answered::Checks(self.findings())),
            Op::Ping => NOTHING,
        }
    }

    /// The answer to a change, after everybody was told.
    fn done(&self, client: u32, verb: &str, outcome: Result<session::Outcome, DeskError>) -> Answer {
        let outcome = Outcome::from(outcome.map_err(|error| error.to_string())?);
        let Outcome { changes, status } = outcome.clone();
        self.tell(&ServerEvent::Did { client, verb: verb.to_owned(), changes, status });
        Ok(Answered::Outcome(outcome))
    }

    fn end_preview_of_others(&mut self, client: u32) {
        if let Some(other) = self.previewer.take() {
            let _ = self.desk.end_preview(false);
            if other != client {
                let message = "what was being tried was ended by a change of somebody else".to_owned();
                self.tell(&ServerEvent::Notice { message });
            }
        }
    }

    fn set_mode(&mut self, change: &ModeChange) -> Result<(), DeskError> {
        let (mode, playing, pace) = self.desk.mode();
        let pace = Pace {
            step: change.step.unwrap_or(pace.step),
            drag: change.drag.unwrap_or(pace.drag),
            delay: change.delay.unwrap_or(pace.delay),
        };
        self.desk.set_mode(change.mode.unwrap_or(mode), change.playing.unwrap_or(playing), pace)?;
        self.due = Instant::now();
        Ok(())
    }

    fn grab(&mut self, client: u32, hand: u8, what: Grasp) -> Answer {
        let Some(own) = self.clients.get(&client) else { return Err("you are not here any more".into()) };
        if own.hands[usize::from(hand)].is_some() {
            return Err(format!("`hand` = {hand} holds something already: drop it first"));
        }
        let taken: Vec<u8> =
            self.clients.values().flat_map(|c| c.hands.iter().flatten()).map(|h| h.0).collect();
        let free = (0..MOST_HANDS)
            .find(|hand| !taken.contains(hand))
            .ok_or("all hands are taken: drop something first")?;
        let name = match &what {
            Grasp::Thing(name) => name.clone(),
            Grasp::Point { cable, .. } => cable.clone(),
        };
        let pose = self.desk.grab(free, what).map_err(|error| error.to_string())?;
        if let Some(own) = self.clients.get_mut(&client) {
            own.hands[usize::from(hand)] = Some((free, name));
        }
        self.tell_clients();
        let q = pose.orientation;
        Ok(Answered::Grabbed(Grabbed { position: pose.position.into(), frame: [q.i, q.j, q.k, q.w] }))
    }

    fn drop_hand(&mut self, client: u32, hand: u8, keep: bool) -> Answer {
        let own = self.clients.get_mut(&client).and_then(|own| own.hands[usize::from(hand)].take());
        let Some((index, _)) = own else { return Err(format!("`hand` = {hand} holds nothing")) };
        let outcome = self.desk.drop(index, keep);
        self.tell_clients();
        match outcome {
            Ok(Some(outcome)) => {
                let verb = outcome.command.verb();
                self.done(client, verb, Ok(outcome))
            }
            Ok(None) => Ok(Answered::Outcome(Outcome::default())),
            Err(error) => Err(error.to_string()),
        }
    }

    fn leave(&mut self, client: u32) {
        if let Some(own) = self.clients.remove(&client) {
            for (hand, _) in own.hands.into_iter().flatten() {
                let _ = self.desk.drop(hand, false);
            }
        }
        if self.previewer == Some(client) {
            self.previewer = None;
            let _ = self.desk.end_preview(false);
        }
        self.desk.forget(client.into());
        self.tell_clients();
        self.after_change();
    }

    fn save(&mut self, name: Option<&str>, replace: bool) -> Answer {
        let text = &*self.desk.session().text_to_keep();
        let (file, why) = match name {
            None => {
                let (path, why) = self.file.save(text)?;
                (Some(path), why)
            }
            Some(name) => match self.file.save_as(text, name, replace)? {
                Copied::To(path) => (Some(path), "a copy under the name that was asked for".to_owned()),
                Copied::Taken(path) => {
                    (None, format!("{} is there already: choose another name", path.display()))
                }
            },
        };
        Ok(Answered::Saved(Saved { file: file.map(|path| path.display().to_string()), why }))
    }

    /// Undoes everything: `redo` brings it back.
    fn revert(&mut self, client: u32) -> Answer {
        self.end_preview_of_others(client);
        if self.desk.session().depth().0 == 0 {
            return Err("the scene is as the session began with it already".into());
        }
        let outcome = self.desk.undo_all();
        self.done(client, "revert", outcome)
    }

    fn export(&self, what: &Export) -> Result<Vec<u8>, NoFile> {
        match what {
            Export::Scene => Ok(self.desk.session().text_to_keep().into_owned().into()),
            Export::Centreline { cable, json, step } => {
                export::centreline(&self.desk, cable.as_deref(), *json, *step)
            }
            Export::Curves { cable, format, date } => {
                export::curves(&self.desk, cable.as_deref(), *format, date)
            }
            Export::Surface { obstacle } => export::surface(&self.desk, obstacle),
            Export::Motion => Ok(self.recording.run_file(&self.desk.view())?),
        }
    }

    fn findings(&self) -> Vec<FindingView> {
        self.desk.findings().into_iter().map(FindingView::new).collect()
    }

    /// After something was asked that may have changed the scene or how it looks.
    fn after_change(&mut self) {
        self.forget_empty_hands();
        self.tell_scene();
        self.show();
    }

    /// What is gone from the scene is gone from the hands.
    fn forget_empty_hands(&mut self) {
        let held: Vec<u8> = self.desk.in_hand().map(|(hand, _)| hand).collect();
        let mut changed = false;
        for hand in self.clients.values_mut().flat_map(|own| own.hands.iter_mut()) {
            if hand.as_ref().is_some_and(|(index, _)| !held.contains(index)) {
                *hand = None;
                changed = true;
            }
        }
        if changed {
            self.tell_clients();
        }
    }

    fn tell(&self, event: &ServerEvent) {
        let _ = self.events.send(event.text());
    }

    /// Tells the scene, unless it is what everybody knows.
    fn tell_scene(&mut self) {
        self.told = self.desk.revision();
        self.meshes.show(self.desk.meshes());
        self.summary.send_replace(self.summarise());
        let scene = Box::new(StudioScene { view: self.desk.view(), recorded: self.recording.len() });
        let text = ServerEvent::Scene { scene }.text();
        if *self.scene.borrow() == text {
            return;
        }
        self.scene.send_replace(text.clone());
        let _ = self.events.send(text);
    }

    fn tell_clients(&self) {
        let hands: Vec<Held> = self
            .clients
            .iter()
            .flat_map(|(client, own)| own.hands.iter().enumerate().map(move |(i, hand)| (*client, i, hand)))
            .filter_map(|(client, hand, held)| {
                held.as_ref().map(|(_, name)| Held { client, hand, name: name.clone() })
            })
            .collect();
        self.tell(&ServerEvent::Clients { count: self.clients.len(), hands });
    }

    fn tell_checks(&mut self) {
        if self.unchecked && self.checked.elapsed() >= CHECKS_EVERY {
            self.checked = Instant::now();
            self.unchecked = false;
            if self.events.receiver_count() > 0 {
                self.tell(&ServerEvent::Checks { findings: self.findings() });
            }
        }
    }

    /// Publishes the desk as it is.
    fn show(&mut self) {
        if self.desk.revision() != self.told {
            self.tell_scene();
        }
        let mut bytes = Vec::with_capacity(self.frames.borrow().len());
        let trailer = self.desk.frame(&mut bytes);
        let frame = Bytes::from(bytes);
        if self.desk.mode().0 == Mode::Dynamics
            && let Some(message) = self.recording.push(&frame, trailer)
        {
            self.tell(&ServerEvent::Notice { message });
        }
        self.unchecked = true;
        let frame = self.recording.scrubbed(&frame).unwrap_or(frame);
        self.frames.send_replace(frame);
    }
}

/// It was done, and nothing more is to be said.
const NOTHING: Answer = Ok(Answered::Nothing(Nothing {}));

fn nothing(done: Result<(), DeskError>) -> Answer {
    done.map_err(|error| error.to_string()).and(NOTHING)
}
