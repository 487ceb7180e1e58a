//! What is fetched once: gallery, materials, sessions and their files.

use super::App;
use super::answer::{Refusal, bad, conflict, missing};
use crate::engine::{Export, NoFile, Summary};
use crate::sessions::Live;
use crate::store::Source;
use crate::wire::{About, Began, Begin, GalleryEntry, Limits, Material, MeshAdded, Nothing, SessionEntry};
use crate::{gallery, limits, thumbnail};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flexline_exchange::centreline::Written;
use flexline_exchange::drawing::{Drawing, Up};
use flexline_scene::units::{self, Dimension};
use futures_util::StreamExt;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::{Instant, timeout};

pub(super) type Asked = HashMap<String, String>;

/// `GET /api/about`.
pub async fn about(State(app): State<Arc<App>>) -> Json<About> {
    Json(About {
        version: env!("CARGO_PKG_VERSION"),
        limits: Limits {
            message: limits::MESSAGE,
            mesh: limits::MESH,
            sessions: limits::SESSIONS,
            clients: limits::CLIENTS,
        },
        folder: app.sessions.store().folder().display().to_string(),
    })
}

/// `GET /api/gallery`.
pub async fn gallery() -> Json<&'static [GalleryEntry]> {
    Json(gallery::list())
}

/// `GET /api/gallery/NAME.svg`.
pub async fn thumbnail(Path(file): Path<String>) -> Result<Response, Refusal> {
    let none = || missing(format!("the gallery has no picture '{file}'; expected NAME.svg"));
    let name = file.strip_suffix(".svg").ok_or_else(none)?.to_owned();
    let drawn = thumbnail::svg(&name).await;
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, "max-age=3600")];
    Ok((headers, drawn.ok_or_else(none)?).into_response())
}

/// `GET /api/materials`.
pub async fn materials() -> Json<Vec<Material>> {
    Json(gallery::materials())
}

/// `GET /api/sessions`: those that are open, then those that can come back.
pub async fn sessions(State(app): State<Arc<App>>) -> Json<Vec<SessionEntry>> {
    let open = app.sessions.all();
    let mut all = Vec::new();
    for live in &open {
        let Summary { title, changes } = live.engine.summary();
        all.push(SessionEntry { name: live.name.clone(), title, clients: live.clients(), changes });
    }
    let store = app.sessions.store().clone();
    let kept = tokio::task::spawn_blocking(move || store.sessions()).await.unwrap_or_default();
    for (name, changes) in kept {
        if !open.iter().any(|live| live.name == name) {
            all.push(SessionEntry { name, title: None, clients: 0, changes });
        }
    }
    Json(all)
}

/// `POST /api/sessions`: a scene of the gallery, a text, or a session that has a journal.
pub async fn begin(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Began>, Refusal> {
    let bytes = read_body(&headers, body, limits::SCENE, "the scene").await?;
    let asked: Value = serde_json::from_slice(&bytes).map_err(|error| {
        bad(format!("the body is not valid JSON: {error}; expected {{\"gallery\": \"brake-hose\"}}"))
    })?;
    let expected = "expected `gallery`, or `name` and `text`, or the `name` of a session";
    let (name, source) = match serde_json::from_value(asked).map_err(|_| bad(expected))? {
        Begin { gallery: Some(name), .. } => {
            let scene =
                gallery::text(&name).ok_or_else(|| missing(format!("the gallery has no scene '{name}'")))?;
            let source = Source { name: format!("{name}.toml"), text: scene, is_file: false };
            (session_for(&app, &name, &source).await, Some(source))
        }
        Begin { name: Some(name), text: Some(text), .. } => {
            let stem = name.strip_suffix(".toml").unwrap_or(&name);
            let source = Source { name: format!("{stem}.toml"), text, is_file: false };
            (session_for(&app, stem, &source).await, Some(source))
        }
        Begin { name: Some(name), .. } => (name, None),
        Begin { .. } => return Err(bad(expected)),
    };
    let live = app.sessions.open(&name, source).await.map_err(conflict)?;
    Ok(Json(Began { session: live.name.clone() }))
}

/// The session that a scene belongs to; journals are read for it.
async fn session_for(app: &App, wanted: &str, source: &Source) -> String {
    let (store, name, source) = (app.sessions.store().clone(), wanted.to_owned(), source.clone());
    let found = tokio::task::spawn_blocking(move || store.session_for(&name, &source)).await;
    found.unwrap_or_else(|_| wanted.to_owned())
}

/// `DELETE /api/sessions/S`.
pub async fn forget(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Json<Nothing>, Refusal> {
    if !app.sessions.store().has(&name) {
        return Err(missing("there is no such session: it may have been deleted already"));
    }
    app.sessions.remove(&name).await.map_err(conflict)?;
    Ok(Json(Nothing {}))
}

/// The session that a path names; one that has a journal comes back.
pub(super) async fn session(app: &App, name: &str) -> Result<Arc<Live>, Refusal> {
    app.sessions.open(name, None).await.map_err(missing)
}

/// `GET /api/sessions/S/FILE`.
pub async fn file(
    State(app): State<Arc<App>>,
    Path((name, file)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let live = session(&app, &name).await?;
    let centreline = |json| -> Result<Export, Refusal> {
        let step = asked.get("step").map(|text| step(text)).transpose()?;
        Ok(Export::Centreline { cable: asked.get("cable").cloned(), json, step })
    };
    let (kind, what) = match file.as_str() {
        "scene.toml" => ("application/toml", Export::Scene),
        "centreline.csv" => ("text/csv; charset=utf-8", centreline(false)?),
        "centreline.json" => ("application/json", centreline(true)?),
        "motion.run" => ("application/octet-stream", Export::Motion),
        name if let Some(format) = name.strip_prefix("centreline.").and_then(Written::of) => {
            let kind = if matches!(format, Written::Step(_)) { "model/step" } else { "text/plain" };
            (
                kind,
                Export::Curves { cable: asked.get("cable").cloned(), format, date: super::exchange::date() },
            )
        }
        "journal.jsonl" => {
            let bytes = app.sessions.store().recording(&live.name).map_err(missing)?;
            return Ok(attached("application/jsonl", &format!("{name}.jsonl"), bytes));
        }
        _ => {
            return Err(missing(format!(
                "there is no file '{file}' of a session: there are scene.toml, journal.jsonl, centreline.csv, \
             .json, .step, .igs, .vda and .pts, and motion.run"
            )));
        }
    };
    let bytes = live.engine.export(what).await.map_err(|error| match error {
        NoFile::Missing(message) => missing(message),
        NoFile::Unfit(message) => bad(message),
    })?;
    Ok(attached(kind, &format!("{name}-{file}"), bytes))
}

/// A distance such as `2mm`; a number alone is metres.
fn step(text: &str) -> Result<f64, Refusal> {
    let metres = match text.trim().parse::<f64>() {
        Ok(metres) => Some(metres),
        Err(_) => units::parse(text, Dimension::Length).ok(),
    };
    metres.filter(|m| *m > 0.0 && m.is_finite()).ok_or_else(|| {
        bad(format!(
            "`step` = '{}' is no length: expected one such as 2mm",
            text.chars().take(40).collect::<String>()
        ))
    })
}

fn attached(kind: &str, name: &str, bytes: Vec<u8>) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, &disposition)], bytes).into_response()
}

/// `POST /api/sessions/S/mesh`.
pub async fn add_mesh(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<MeshAdded>, Refusal> {
    let live = session(&app, &name).await?;
    let bytes = read_body(&headers, body, limits::MESH, "the mesh").await?;
    let label = asked.get("name").cloned().unwrap_or_else(|| "mesh".into());
    let kept = live.clone();
    let work = move || {
        let drawing = Drawing::read(&bytes).map_err(|error| error.to_string())?;
        drawing.mesh(1.0).map_err(|error| error.to_string())?;
        Ok::<_, String>(MeshAdded {
            mesh: kept.meshes.add(&label, &bytes)?,
            triangles: drawing.triangles(),
            unit: drawing.unit.filter(|unit| *unit == 1.0).map(|_| "m".to_owned()),
            up_axis: drawing.up.map(Up::word).map(str::to_owned),
        })
    };
    let read = tokio::task::spawn_blocking(work).await.map_err(|_| bad("the mesh cannot be read"))?;
    Ok(Json(read.map_err(bad)?))
}

/// `GET /api/sessions/S/mesh/KEY`.
pub async fn mesh(
    State(app): State<Arc<App>>,
    Path((name, key)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let live = session(&app, &name).await?;
    let bytes = live.meshes.get(&key);
    let bytes = bytes.ok_or_else(|| missing(format!("there is no mesh {key} in session '{name}'")))?;
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response())
}

/// The whole body, if it is not too large and comes in time.
pub(super) async fn read_body(
    headers: &HeaderMap,
    body: Body,
    most: usize,
    what: &str,
) -> Result<Bytes, Refusal> {
    let too_large = || {
        let message =
            format!("{what} is too large: expected at most {} MiB; make it coarser or split it", most >> 20);
        Refusal(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    let told = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if told.is_some_and(|told| told > most as u64) {
        return Err(too_large());
    }
    let late = || Refusal(StatusCode::REQUEST_TIMEOUT, format!("{what} did not come in time: send it again"));
    let deadline = Instant::now() + limits::BODY_TIME;
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = timeout(limits::BODY_SILENCE, stream.next()).await.map_err(|_| late())? {
        let chunk = chunk.map_err(|error| bad(format!("{what} did not come whole: {error}")))?;
        if bytes.len() + chunk.len() > most {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
        if Instant::now() > deadline {
            return Err(late());
        }
    }
    Ok(bytes.into())
}
