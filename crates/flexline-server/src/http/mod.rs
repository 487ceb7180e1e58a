//! HTTP: the routes, the checks before them, the WebSocket.

mod answer;
mod api;
mod compress;
mod exchange;
mod guard;
mod page;
mod socket;

pub use guard::Guard;
pub use page::is_built;

use crate::sessions::Sessions;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, delete, get, post};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use tokio::sync::watch;

/// What every request sees.
pub struct App {
    /// The sessions.
    pub sessions: Arc<Sessions>,
    /// Who may ask.
    pub guard: Guard,
    /// The number of the next client.
    pub next_client: AtomicU32,
    /// Becomes `true` when the server ends.
    pub ending: watch::Receiver<bool>,
}

/// All routes.
pub fn routes(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/about", get(api::about))
        .route("/api/gallery", get(api::gallery))
        .route("/api/gallery/{file}", get(api::thumbnail))
        .route("/api/materials", get(api::materials))
        .route("/api/sessions", get(api::sessions).post(api::begin))
        .route("/api/sessions/{session}", delete(api::forget))
        .route("/api/sessions/{session}/mesh", post(api::add_mesh))
        .route("/api/sessions/{session}/mesh/{id}", get(api::mesh))
        .route("/api/sessions/{session}/flexible", post(exchange::flexible))
        .route("/api/sessions/{session}/centreline", post(exchange::centreline))
        .route("/api/sessions/{session}/{file}", get(api::file))
        .route("/ws", any(socket::open))
        .fallback(get(page::file))
        // Bodies are bounded where they are read.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(compress::answers))
        .layer(from_fn_with_state(app.clone(), guard::check))
        .with_state(app)
}
