//! Answers in gzip, for whoever takes it: text of some size; the files of the page are compressed once.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Less than this is sent as it is, bytes.
const SMALLEST: usize = 1024;
/// More than this is sent as it is: compressing it would cost more than sending it, bytes.
const LARGEST: usize = 32 << 20;

/// Whether a client takes gzip.
pub fn is_accepted(headers: &HeaderMap) -> bool {
    let all = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

/// Some bytes in gzip.
pub fn gzip(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 3), level);
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Says in the head of an answer that its body is in gzip.
pub fn mark(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.remove(header::CONTENT_LENGTH);
}

/// Compresses answers that are text.
pub async fn answers(request: Request, next: Next) -> Response {
    let accepted = is_accepted(request.headers());
    let response = next.run(request).await;
    let kind =
        response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = ["text/", "application/json", "application/toml", "image/svg"]
        .iter()
        .any(|text| kind.starts_with(text));
    if !accepted || !is_text || response.headers().contains_key(header::CONTENT_ENCODING) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // What is made here is in memory already.
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return Response::from_parts(head, Body::empty());
    };
    if !(SMALLEST..=LARGEST).contains(&bytes.len()) {
        return Response::from_parts(head, Body::from(bytes));
    }
    let packed = tokio::task::spawn_blocking(move || Bytes::from(gzip(&bytes, Compression::fast()))).await;
    mark(&mut head.headers);
    Response::from_parts(head, Body::from(packed.unwrap_or_default()))
}
