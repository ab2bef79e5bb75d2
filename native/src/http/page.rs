//! The page, from inside the binary, and the headers that keep it what it is.
//!
//! `web/dist` is built by `cargo xtask start` or `cargo xtask test`; a binary built without it says
//! so at its address.

use std::borrow::Cow;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use super::edge;

#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Built;

/// Nothing from elsewhere, no inline script or style, and in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    // With the two above it isolates the page, and only then may it share memory with its worker,
    // which it needs to show a ranking in the frame that asks for it.
    (
        HeaderName::from_static("cross-origin-embedder-policy"),
        "require-corp",
    ),
];

/// Puts on every answer what a browser must know.
pub(super) fn dress(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// A file of the page. Names with a hash in them never change what they hold.
pub(super) async fn serve(request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/v1/") {
        return edge::no_such_address().await;
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return edge::no_such_method().await;
    }
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let accepts_gzip = request
        .headers()
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("gzip"));
    let packed = accepts_gzip
        .then(|| Built::get(&format!("{name}.gz")))
        .flatten();
    let is_packed = packed.is_some();
    let Some(file) = packed.or_else(|| Built::get(name)) else {
        if name == "index.html" {
            let text =
                "This concord was built without its page. `cargo xtask start` builds both.\n";
            return (StatusCode::NOT_FOUND, text).into_response();
        }
        return edge::no_such_address().await;
    };
    let body = match file.data {
        Cow::Borrowed(bytes) => bytes.into_response(),
        Cow::Owned(bytes) => bytes.into_response(),
    };
    let mut response = body;
    let headers = response.headers_mut();
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    if let Ok(kind) = HeaderValue::from_str(kind.essence_str()) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    let keep = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}
