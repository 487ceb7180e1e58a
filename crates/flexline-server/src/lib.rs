//! The studio's server: sessions of the scene library over HTTP and WebSocket. `PROTOCOL.md` beside this crate says
//! what page and server say to each other.
//!
//! There is no physics here. Every session has an engine, a thread that owns its desk (`engine`); clients ask it and
//! see what is newest. Everything durable is in the journal of the session before it is answered.

mod engine;
mod gallery;
mod http;
mod limits;
mod listen;
mod request;
mod sessions;
mod store;
mod thumbnail;
pub mod wire;

pub use gallery::{names as gallery_names, text as gallery_text};
pub use http::is_built as has_page;
pub use listen::{STANDARD_PORT, Where};
pub use request::{Drag, Misunderstood, ModeChange, Op, Request};
pub use store::Source;

use http::{App, Guard};
use sessions::Sessions;
use std::collections::BTreeMap;
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What the studio is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens.
    pub place: Where,
    /// Whether it may be reached from other machines.
    pub allow_remote: bool,
    /// Whether it wants a token. Only this machine may do without, and then everybody who is on it may come in.
    pub token: bool,
    /// Where journals, saved scenes and meshes are.
    pub folder: PathBuf,
    /// The scene that is opened at once.
    pub first: Option<First>,
}

/// A scene that is opened at once.
#[derive(Clone, Debug)]
pub struct First {
    /// What its session should be called.
    pub name: String,
    /// The scene.
    pub source: Source,
    /// The file that `save` writes back to.
    pub write: Option<PathBuf>,
}

/// A studio that listens.
pub struct Studio {
    listeners: Vec<TcpListener>,
    addresses: Vec<SocketAddr>,
    sessions: Arc<Sessions>,
    token: Option<String>,
    /// The session that was opened at once.
    session: Option<String>,
}

impl Studio {
    /// Begins to listen, and opens the first scene.
    pub async fn start(config: Config) -> Result<Self, String> {
        if !config.place.is_local() && !config.allow_remote {
            return Err(
                "this address can be reached from other machines: add --allow-remote if that is meant; who comes in then needs \
                 the token of the printed address".into(),
            );
        }
        if !config.place.is_local() && !config.token {
            return Err("a studio that other machines can reach wants a token: leave out --no-token".into());
        }
        let store = Store::open(&config.folder)?;
        let token = config.token.then(|| store.token()).transpose()?;
        let listeners = listen::bind(config.place).await?;
        let addresses: Vec<SocketAddr> = listeners.iter().filter_map(|l| l.local_addr().ok()).collect();
        let first = config.first.map(|first| (store.session_for(&first.name, &first.source), first));
        let back = first.iter().filter_map(|(name, first)| Some((name.clone(), first.write.clone()?)));
        let written_back: BTreeMap<String, PathBuf> = back.collect();
        let sessions = Arc::new(Sessions::new(store, written_back));
        let mut session = None;
        if let Some((name, first)) = first {
            let live = sessions.open(&name, Some(first.source)).await?;
            session = Some(live.name.clone());
        }
        Ok(Self { listeners, addresses, sessions, token, session })
    }

    /// What to open in a browser.
    pub fn url(&self) -> String {
        let address = self.addresses.first().copied().unwrap_or_else(|| ([127, 0, 0, 1], 0).into());
        let mut asked = Vec::new();
        if let Some(session) = &self.session {
            asked.push(format!("session={session}"));
        }
        if let Some(token) = &self.token {
            asked.push(format!("token={token}"));
        }
        let query = if asked.is_empty() { String::new() } else { format!("?{}", asked.join("&")) };
        format!("http://{address}/{query}")
    }

    /// What a person should know about the session that was opened at once.
    pub fn notices(&self) -> Vec<String> {
        self.sessions.all().iter().flat_map(|live| live.notices.clone()).collect()
    }

    /// Where journals, saved scenes and meshes are.
    pub fn folder(&self) -> PathBuf {
        self.sessions.store().folder().to_owned()
    }

    /// Serves until `end` is done.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let (end_all, ending) = watch::channel(false);
        let sessions = self.sessions.clone();
        let app = Arc::new(App {
            sessions: self.sessions,
            guard: Guard::new(self.addresses, self.token),
            next_client: AtomicU32::new(1),
            ending: ending.clone(),
        });
        let serving = tokio::spawn(listen::serve(self.listeners, http::routes(app), ending));
        end.await;
        let _ = end_all.send(true);
        // Everybody who serves listens to the end.
        let all = async {
            sessions.end().await;
            let _ = serving.await;
            end_all.closed().await;
        };
        let _ = tokio::time::timeout(limits::ENDING, all).await;
    }
}
