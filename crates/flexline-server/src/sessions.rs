//! The sessions that are open, each with its engine.

use crate::engine::{Engine, Files};
use crate::limits;
use crate::store::{Meshes, Source, Store};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// All sessions.
pub struct Sessions {
    store: Store,
    open: Mutex<BTreeMap<String, Arc<Live>>>,
    /// One is opened at a time.
    opening: tokio::sync::Mutex<()>,
    /// Sessions whose `save` writes to the file they came from.
    written_back: BTreeMap<String, PathBuf>,
    clock: AtomicU64,
}

impl Sessions {
    /// None yet; `written_back` are the sessions whose `save` writes to a file of the person.
    pub fn new(store: Store, written_back: BTreeMap<String, PathBuf>) -> Self {
        Self {
            store,
            open: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            written_back,
            clock: AtomicU64::new(0),
        }
    }

    /// The folder of the studio.
    pub fn store(&self) -> &Store {
        &self.store
    }

    fn map(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Live>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that are open.
    pub fn all(&self) -> Vec<Arc<Live>> {
        self.map().values().cloned().collect()
    }

    /// A session that is open and works.
    fn find(&self, name: &str) -> Option<Arc<Live>> {
        let live = self.map().get(name)?.clone();
        live.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        live.engine.is_alive().then_some(live)
    }

    /// A session by name: open, or as its journal left it, or new with `source`.
    pub async fn open(&self, name: &str, source: Option<Source>) -> Result<Arc<Live>, String> {
        if let Some(live) = self.find(name) {
            return Ok(live);
        }
        let _alone = self.opening.lock().await;
        if let Some(live) = self.find(name) {
            return Ok(live);
        }
        // Gone before the new one is opened: its journal is locked until then.
        let dead = self.map().remove(name);
        self.make_room()?;
        let (store, session) = (self.store.clone(), name.to_owned());
        let back = self.written_back.get(name).cloned();
        let started = tokio::task::spawn_blocking(move || {
            drop(dead);
            let opened = store.open_session(&session, source.as_ref())?;
            let meshes = Arc::new(store.meshes(&session));
            let files = match back {
                Some(scene) => Files { scene, why: "the scene file itself, as --write asks".into() },
                None => {
                    Files { scene: store.scene(&session), why: "a copy in the folder of the studio".into() }
                }
            };
            let engine = Engine::start(opened.session, files, meshes.clone())?;
            Ok::<_, String>((engine, meshes, opened.notices))
        });
        let (engine, meshes, notices) =
            started.await.map_err(|_| "the session cannot be opened: the engine stopped".to_owned())??;
        let live = Arc::new(Live {
            name: name.to_owned(),
            engine,
            meshes,
            notices,
            clients: AtomicUsize::new(0),
            used: AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed)),
        });
        self.map().insert(name.to_owned(), live.clone());
        Ok(live)
    }

    /// Closes the session that nobody has used for the longest time, where there are too many.
    fn make_room(&self) -> Result<(), String> {
        let mut map = self.map();
        if map.len() < limits::SESSIONS {
            return Ok(());
        }
        let idle = map.values().filter(|live| live.clients() == 0);
        let oldest = idle.min_by_key(|live| live.used.load(Ordering::Relaxed)).map(|live| live.name.clone());
        match oldest {
            Some(name) => drop(map.remove(&name)),
            None => {
                return Err(format!("{} sessions are in use: close one of them first", limits::SESSIONS));
            }
        }
        Ok(())
    }

    /// Takes a seat in a session, unless there are too many people in all.
    pub fn sit(&self, live: Arc<Live>) -> Result<Seat, String> {
        let map = self.map();
        if map.values().map(|live| live.clients()).sum::<usize>() >= limits::CLIENTS {
            return Err(format!("{} clients are connected: close one of them first", limits::CLIENTS));
        }
        live.clients.fetch_add(1, Ordering::Relaxed);
        drop(map);
        Ok(Seat { live })
    }
}
