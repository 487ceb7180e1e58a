//! The page, from the files that were built into the program. Nothing is read from the disk.

use super::compress;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use flate2::Compression;
use rust_embed::RustEmbed;
use std::collections::BTreeMap;
use tokio::sync::Mutex;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Page;

/// What is shown where the page was not built.
const HINT: &str = "<!doctype html><meta charset=utf-8><title>Flexline studio</title>\
    <h1>Flexline studio</h1><p>The server works, but this program was built without its page.</p>\
    <p>Build it with <code>cargo xtask page</code> (it needs Node 20 or newer), then the program again with \
    <code>cargo build --release -p flexline-cli</code>; <code>cargo xtask studio</code> does both and starts it. \
    Every other command of Flexline works without it.</p>";

/// Whether the page was built into the program.
pub fn is_built() -> bool {
    Page::get("index.html").is_some()
}

/// The files of the page in gzip, by path: each is compressed when it is first asked for.
static PACKED: Mutex<BTreeMap<String, Bytes>> = Mutex::const_new(BTreeMap::new());

/// A file in gzip; `None` where that is no smaller.
async fn packed(path: &str, data: &[u8]) -> Option<Bytes> {
    let mut all = PACKED.lock().await;
    if !all.contains_key(path) {
        let bytes = data.to_vec();
        let work = move || compress::gzip(&bytes, Compression::best());
        let own = tokio::task::spawn_blocking(work).await.ok()?;
        all.insert(path.to_owned(), own.into());
    }
    all.get(path).filter(|own| own.len() < data.len()).cloned()
}

/// A file of the page.
pub async fn file(uri: Uri, asked: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let Some(file) = Page::get(path) else {
        if path == "index.html" {
            return Html(HINT).into_response();
        }
        return super::answer::refuse(StatusCode::NOT_FOUND, "there is no such page: open /");
    };
    let packed = if compress::is_accepted(&asked) { packed(path, &file.data).await } else { None };
    let is_packed = packed.is_some();
    let mut response = packed.map_or_else(|| file.data.into_response(), IntoResponse::into_response);
    let headers = response.headers_mut();
    if is_packed {
        compress::mark(headers);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(path)));
    // Names of assets change with their contents.
    let cached = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cached));
    response
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "glb" => "model/gltf-binary",
        _ => "application/octet-stream",
    }
}
