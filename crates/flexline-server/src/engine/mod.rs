//! The engine of a session: a thread that owns the desk, and the handle through which everybody asks it.
//!
//! Requests come by a bounded channel; where hands go comes by slots, so that only the newest place of a hand is ever
//! solved. The newest frame lies in a `watch`: who is slow skips frames, and slows nobody. Events go by a bounded
//! broadcast; who misses some gets the scene again.
//!
//! Nobody waits for an engine but those who asked it for something. What it solves is bounded in time, and ends when the
//! engine is closed. What was asked by somebody who has gone meanwhile is not begun; what the only one in the
//! session asked for is cancelled when that one goes.

mod export;
mod recording;
mod work;

pub use export::{Export, NoFile};

use crate::request::{Drag, HANDS, Op};
use crate::store::{Meshes, SceneFile};
use crate::wire::Answered;
use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use flexline::solver::{Budget, Cancel};
use flexline_session::session::Session;
use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, oneshot, watch};

/// Requests that may wait for an engine.
const WAITING: usize = 64;
/// Events that a client may be behind.
const EVENTS: usize = 256;

/// What an answer is: a value, or a sentence that says why not.
pub type Answer<T = Answered> = Result<T, String>;

/// What an engine is asked.
enum Ask {
    Op {
        client: u32,
        op: Op,
        /// Nobody waits for the answer any more.
        gone: Cancel,
        answer: oneshot::Sender<Answer>,
    },
    Export {
        what: Export,
        answer: oneshot::Sender<Result<Vec<u8>, NoFile>>,
    },
    Join {
        client: u32,
    },
    Leave {
        client: u32,
    },
    /// Something was put into a slot.
    Wake,
}

/// The newest place of every hand of every client that the engine has not seen yet.
type Slots = Arc<Mutex<BTreeMap<u32, [Option<Drag>; HANDS as usize]>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Cancels when it is dropped: whoever waited has gone.
pub struct CancelOnDrop(pub Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What a list of sessions says of one.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The title of the scene.
    pub title: Option<String>,
    /// How many changes can be undone.
    pub changes: usize,
}

/// A running engine.
pub struct Engine {
    asks: SyncSender<Ask>,
    cancel: Cancel,
    slots: Slots,
    events: broadcast::Sender<Utf8Bytes>,
    frames: watch::Receiver<Bytes>,
    scene: watch::Receiver<Utf8Bytes>,
    summary: watch::Receiver<Summary>,
}

/// What a client listens to.
pub struct Listening {
    /// What happens.
    pub events: broadcast::Receiver<Utf8Bytes>,
    /// The newest frame.
    pub frames: watch::Receiver<Bytes>,
    /// The newest `scene` event.
    pub scene: watch::Receiver<Utf8Bytes>,
}

impl Engine {
    /// Starts the engine of a session on a thread of its own. It ends when its handle is closed or gone.
    pub fn start(session: Session, file: SceneFile, meshes: Arc<Meshes>) -> Result<Self, String> {
        let (asks, inbox) = sync_channel(WAITING);
        let (events, _) = broadcast::channel(EVENTS);
        let slots = Slots::default();
        let cancel = Cancel::default();
        let mut worker = work::Worker::new(session, file, meshes, slots.clone(), events.clone())?;
        let (frames, scene, summary) = worker.outlets();
        let closed = cancel.clone();
        std::thread::Builder::new()
            .name("engine".into())
            .spawn(move || {
                Budget::until(&closed).around(|| worker.run(&inbox, &closed));
                worker.finish();
            })
            .map_err(|error| format!("no thread can be started for the session: {error}"))?;
        Ok(Self { asks, cancel, slots, events, frames, scene, summary })
    }

    /// Ends it, whatever it is doing.
    pub fn close(&self) {
        self.cancel.cancel();
        // One that sleeps wakes.
        let _ = self.asks.try_send(Ask::Wake);
    }

    /// Done when its thread has ended: the journal is free for the next one then.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut frames = self.frames.clone();
        async move { while frames.changed().await.is_ok() {} }
    }

    /// Whether its thread is there.
    pub fn is_alive(&self) -> bool {
        self.frames.has_changed().is_ok()
    }

    /// What a client listens to, from now on.
    pub fn listen(&self) -> Listening {
        let mut frames = self.frames.clone();
        frames.mark_changed();
        Listening { events: self.events.subscribe(), frames, scene: self.scene.clone() }
    }

    fn send(&self, ask: Ask) -> Result<(), String> {
        self.asks.try_send(ask).map_err(|error| match error {
            TrySendError::Full(_) => {
                "the session is busy: too many requests wait for it; try again in a moment".to_owned()
            }
            TrySendError::Disconnected(_) => gone(),
        })
    }

    /// Asks for something to be done. Who does not wait for the answer cancels it, unless others are in the session.
    pub async fn ask(&self, client: u32, op: Op) -> Answer {
        let (answer, answered) = oneshot::channel();
        let waiting = CancelOnDrop(Cancel::default());
        self.send(Ask::Op { client, op, gone: waiting.0.clone(), answer })?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Moves a hand; what was asked of the same hand before and not done yet is forgotten.
    pub fn drag(&self, client: u32, drag: Drag) {
        if let Some(slot) =
            locked(&self.slots).get_mut(&client).and_then(|all| all.get_mut(usize::from(drag.hand)))
        {
            *slot = Some(drag);
        }
        // A full channel wakes it as well.
        let _ = self.asks.try_send(Ask::Wake);
    }

    /// A file made of what there is now.
    pub async fn export(&self, what: Export) -> Result<Vec<u8>, NoFile> {
        let (answer, answered) = oneshot::channel();
        self.send(Ask::Export { what, answer })?;
        answered.await.unwrap_or_else(|_| Err(gone().into()))
    }

    /// Title, and how many changes there are, as of the last change.
    pub fn summary(&self) -> Summary {
        self.summary.borrow().clone()
    }

    /// Somebody is here.
    pub fn join(&self, client: u32) -> Result<(), String> {
        locked(&self.slots).insert(client, [None; HANDS as usize]);
        self.send(Ask::Join { client })
    }

    /// Somebody went: the hands open.
    pub async fn leave(&self, client: u32) {
        locked(&self.slots).remove(&client);
        // It must be told, however busy it is.
        while let Err(TrySendError::Full(_)) = self.asks.try_send(Ask::Leave { client }) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Engine {
    /// Waits for nobody: see [`Engine::ended`].
    fn drop(&mut self) {
        self.close();
    }
}

fn gone() -> String {
    "the engine of the session has stopped; open the session again: everything that was answered is in its journal"
        .to_owned()
}
