//! The sessions that are open, each with its engine.
//!
//! The lock of the map is held for lookups alone: engines are opened on threads of their own, a few at a time, and are
//! closed without waiting for them. Who opens a session that is still being closed waits for that, and nobody else does.

use crate::engine::{CancelOnDrop, Engine};
use crate::limits;
use crate::store::{Meshes, Source, Store};
use flexline::solver::{Budget, Cancel};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, Semaphore};

/// A session that is open.
pub struct Live {
    /// Its name.
    pub name: String,
    /// Its engine.
    pub engine: Engine,
    /// What surrounds the cables.
    pub meshes: Arc<Meshes>,
    /// What everybody who comes should know.
    pub notices: Vec<String>,
    clients: AtomicUsize,
    used: AtomicU64,
}

/// Somebody in a session; it counts until it is dropped.
pub struct Seat {
    /// The session.
    pub live: Arc<Live>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.live.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Live {
    /// How many are here.
    pub fn clients(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names that somebody opens just now: each is opened by one at a time.
#[derive(Default)]
struct Openings {
    names: Mutex<BTreeSet<String>>,
    freed: Notify,
}

/// A name that is being opened; it is free again when this is dropped.
struct Opening {
    all: Arc<Openings>,
    name: String,
}

impl Openings {
    async fn of(self: &Arc<Self>, name: &str) -> Opening {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            // Before the look, so that nothing is missed in between.
            freed.as_mut().enable();
            if locked(&self.names).insert(name.to_owned()) {
                return Opening { all: self.clone(), name: name.to_owned() };
            }
            freed.await;
        }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        locked(&self.all.names).remove(&self.name);
        self.all.freed.notify_waiters();
    }
}

/// Done when an engine has ended.
type Ended = Pin<Box<dyn Future<Output = ()> + Send>>;

/// All sessions.
pub struct Sessions {
    store: Store,
    open: Arc<Mutex<BTreeMap<String, Arc<Live>>>>,
    /// Engines that were closed and may not have ended yet.
    closing: Mutex<Vec<(String, Ended)>>,
    openings: Arc<Openings>,
    /// So many are opened at a time.
    room: Arc<Semaphore>,
    /// Ends whatever is being opened when the server ends.
    ending: Cancel,
    /// Sessions whose `save` writes to the file they came from.
    written_back: BTreeMap<String, PathBuf>,
    clock: AtomicU64,
}

impl Sessions {
    /// None yet; `written_back` are the sessions whose `save` writes to a file of the person.
    pub fn new(store: Store, written_back: BTreeMap<String, PathBuf>) -> Self {
        Self {
            store,
            open: Arc::default(),
            closing: Mutex::default(),
            openings: Arc::default(),
            room: Arc::new(Semaphore::new(limits::OPENINGS)),
            ending: Cancel::default(),
            written_back,
            clock: AtomicU64::new(0),
        }
    }

    /// The folder of the studio.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Those that are open.
    pub fn all(&self) -> Vec<Arc<Live>> {
        locked(&self.open).values().cloned().collect()
    }

    /// A session that is open and works.
    fn find(&self, name: &str) -> Option<Arc<Live>> {
        let live = locked(&self.open).get(name)?.clone();
        live.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        live.engine.is_alive().then_some(live)
    }

    /// A session by name: open, or as its journal left it, or new with `source`. Where nobody waits for it any more it is
    /// not opened to the end.
    pub async fn open(&self, name: &str, source: Option<Source>) -> Result<Arc<Live>, String> {
        if let Some(live) = self.find(name) {
            return Ok(live);
        }
        let alone = self.openings.of(name).await;
        if let Some(live) = self.find(name) {
            return Ok(live);
        }
        self.close(name);
        self.make_room()?;
        self.closed(name).await?;
        let room = self.room.clone().acquire_owned().await;
        let asker = CancelOnDrop(Cancel::default());
        let (store, session) = (self.store.clone(), name.to_owned());
        let own = self.written_back.get(name).cloned();
        let [all, one] = [&self.ending, &asker.0].map(Budget::until);
        let (open, used) = (self.open.clone(), self.clock.fetch_add(1, Ordering::Relaxed));
        let started = tokio::task::spawn_blocking(move || {
            let opened = all.around(|| one.around(|| store.open_session(&session, source.as_ref(), own)))?;
            let meshes = Arc::new(store.meshes(&session));
            let engine = Engine::start(opened.session, opened.file, meshes.clone())?;
            let live = Arc::new(Live {
                name: session.clone(),
                engine,
                meshes,
                notices: opened.notices,
                clients: AtomicUsize::new(0),
                used: AtomicU64::new(used),
            });
            locked(&open).insert(session, live.clone());
            // Both are kept until here, whether anybody waits or not: the journal is in use.
            drop((alone, room));
            Ok::<_, String>(live)
        });
        started.await.map_err(|_| "the session cannot be opened: the engine stopped".to_owned())?
    }

    /// Closes a session; its engine ends soon.
    fn close(&self, name: &str) {
        let Some(live) = locked(&self.open).remove(name) else { return };
        live.engine.close();
        locked(&self.closing).push((name.to_owned(), Box::pin(live.engine.ended())));
    }

    /// Waits until the engines that a session had before have ended: its journal is theirs until then.
    async fn closed(&self, name: &str) -> Result<(), String> {
        let mine: Vec<Ended> = {
            let mut closing = locked(&self.closing);
            let (mine, others) = std::mem::take(&mut *closing).into_iter().partition(|(own, _)| own == name);
            *closing = others;
            mine.into_iter().map(|(_, ended): (_, Ended)| ended).collect()
        };
        for mut ended in mine {
            if tokio::time::timeout(limits::CLOSING, &mut ended).await.is_err() {
                locked(&self.closing).push((name.to_owned(), ended));
                return Err(format!("the session '{name}' is still being closed: try again in a moment"));
            }
        }
        Ok(())
    }

    /// Forgets a session that nobody is in, for good.
    pub async fn remove(&self, name: &str) -> Result<(), String> {
        let _alone = self.openings.of(name).await;
        match locked(&self.open).get(name).map_or(0, |live| live.clients()) {
            0 => {}
            1 => return Err(format!("'{name}' cannot be deleted: somebody is in it")),
            people => return Err(format!("'{name}' cannot be deleted: {people} people are in it")),
        }
        self.close(name);
        self.closed(name).await?;
        let (store, session) = (self.store.clone(), name.to_owned());
        let removed = tokio::task::spawn_blocking(move || store.remove_session(&session)).await;
        removed.map_err(|_| format!("the session '{name}' cannot be deleted"))?
    }

    /// Closes the session that nobody has used for the longest time, where there are too many.
    fn make_room(&self) -> Result<(), String> {
        let oldest = {
            let map = locked(&self.open);
            if map.len() < limits::SESSIONS {
                return Ok(());
            }
            let idle = map.values().filter(|live| live.clients() == 0);
            idle.min_by_key(|live| live.used.load(Ordering::Relaxed)).map(|live| live.name.clone())
        };
        let Some(name) = oldest else {
            return Err(format!("{} sessions are in use: close one of them first", limits::SESSIONS));
        };
        let mut waiting = locked(&self.closing);
        let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
        waiting.retain_mut(|(_, ended)| ended.as_mut().poll(context).is_pending());
        if waiting.len() >= limits::SESSIONS {
            return Err("too many sessions are still being closed: try again in a moment".into());
        }
        drop(waiting);
        self.close(&name);
        Ok(())
    }

    /// Takes a seat in a session, unless there are too many people in all.
    pub fn sit(&self, live: Arc<Live>) -> Result<Seat, String> {
        let map = locked(&self.open);
        if map.values().map(|live| live.clients()).sum::<usize>() >= limits::CLIENTS {
            return Err(format!("{} clients are connected: close one of them first", limits::CLIENTS));
        }
        live.clients.fetch_add(1, Ordering::Relaxed);
        drop(map);
        Ok(Seat { live })
    }

    /// Closes everything, and waits until all journals are closed.
    pub async fn end(&self) {
        self.ending.cancel();
        for live in self.all() {
            self.close(&live.name);
        }
        let all = std::mem::take(&mut *locked(&self.closing));
        for (_, ended) in all {
            ended.await;
        }
    }
}
