//! The loopback server that puts questions to runtimes and takes their answers.
//!
//! A runtime asks for a batch of questions, answers with digests, and sends the whole text of those
//! answers that differ. All runtimes speak this protocol (`tests/js/ask.mjs`), so a browser needs
//! no driver: it opens a page.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, Result};
use axum::extract::{DefaultBodyLimit, Path as UrlPath, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::generate;
use crate::report::Report;
use crate::suite::Suite;

/// What the server knows.
pub struct Desk {
    /// The questions.
    pub suite: Suite,
    /// What was answered, by runtime.
    pub reports: Mutex<BTreeMap<String, Report>>,
    /// What was measured, by runtime.
    pub timings: Mutex<BTreeMap<String, Value>>,
    /// After this no more questions are put.
    pub deadline: Option<Instant>,
    package: PathBuf,
}

impl Desk {
    /// A desk for a suite; `package` holds the wasm package.
    #[must_use]
    pub fn new(suite: Suite, package: &Path, deadline: Option<Instant>) -> Self {
        Self {
            suite,
            reports: Mutex::default(),
            timings: Mutex::default(),
            deadline,
            package: package.to_owned(),
        }
    }

    /// The reports. A panic elsewhere does not make them unreadable.
    pub fn reports(&self) -> MutexGuard<'_, BTreeMap<String, Report>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves on loopback, on `port` or any free one, and says where.
///
/// # Errors
/// If the port is taken.
pub async fn serve(desk: Arc<Desk>, port: u16) -> Result<SocketAddr> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = tokio::net::TcpListener::bind(address).await;
    let listener =
        listener.with_context(|| format!("cannot listen on {address}; is the port taken?"))?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router(desk)).await });
    Ok(address)
}

fn router(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/", get(|| script("agreement.html")))
        .route("/bench", get(|| script("bench.html")))
        .route(
            "/js/{name}",
            get(|UrlPath(name): UrlPath<String>| async move { script(&name).await }),
        )
        .route("/pkg/{target}/{name}", get(package))
        .route("/questions/{batch}", get(questions))
        .route("/answers/{runtime}/{batch}", post(answers))
        .route("/whole/{runtime}/{number}", post(whole))
        .route("/done/{runtime}", post(done))
        .route("/bundle/{candidates}/{edges}", get(bundle))
        .route("/timings/{runtime}", post(timings))
        .layer(DefaultBodyLimit::max(64 << 20))
        .with_state(desk)
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("js")
}

async fn script(name: &str) -> Response {
    file(&scripts(), name).await
}

async fn package(
    State(desk): State<Arc<Desk>>,
    UrlPath((target, name)): UrlPath<(String, String)>,
) -> Response {
    if target != "web" {
        return StatusCode::NOT_FOUND.into_response();
    }
    file(&desk.package.join(target), &name).await
}

/// A file directly in a folder. The router hands over one decoded segment; it must be a plain name.
async fn file(folder: &Path, name: &str) -> Response {
    let kind = match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "js" | "mjs")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "wasm")) => "application/wasm",
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    if name.contains(['/', '\\']) || name.starts_with('.') {
        return StatusCode::NOT_FOUND.into_response();
    }
    match tokio::fs::read(folder.join(name)).await {
        Ok(bytes) => {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            // Cross-origin isolation gives pages a finer clock.
            headers.insert(
                "cross-origin-opener-policy",
                HeaderValue::from_static("same-origin"),
            );
            headers.insert(
                "cross-origin-embedder-policy",
                HeaderValue::from_static("require-corp"),
            );
            (headers, bytes).into_response()
        }
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn questions(State(desk): State<Arc<Desk>>, UrlPath(batch): UrlPath<usize>) -> Json<Value> {
    let over = desk
        .deadline
        .is_some_and(|deadline| Instant::now() > deadline);
    let questions = if over || batch >= desk.suite.batches() {
        Vec::new()
    } else {
        desk.suite
            .batch(batch)
            .map(|number| desk.suite.question(number))
            .collect()
    };
    Json(json!({ "questions": questions, "total": desk.suite.len() }))
}

async fn answers(
    State(desk): State<Arc<Desk>>,
    UrlPath((runtime, batch)): UrlPath<(String, usize)>,
    Json(digests): Json<Vec<String>>,
) -> Json<Value> {
    // The answers of a batch are computed once, outside the lock.
    tokio::task::block_in_place(|| desk.suite.digests(batch));
    let mut reports = desk.reports();
    if batch == 0 {
        // A page that was loaded again begins again.
        reports.insert(runtime.clone(), Report::new());
    }
    let wanted = reports
        .entry(runtime)
        .or_default()
        .take(&desk.suite, batch, &digests);
    Json(json!({ "wanted": wanted }))
}

async fn whole(
    State(desk): State<Arc<Desk>>,
    UrlPath((runtime, number)): UrlPath<(String, usize)>,
    answer: String,
) -> StatusCode {
    desk.reports()
        .entry(runtime)
        .or_default()
        .explain(&desk.suite, number, &answer);
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
struct Done {
    agent: String,
    failure: Option<String>,
}

async fn done(
    State(desk): State<Arc<Desk>>,
    UrlPath(runtime): UrlPath<String>,
    Json(done): Json<Done>,
) -> Json<Value> {
    let mut reports = desk.reports();
    let report = reports.entry(runtime).or_default();
    report.agent = done.agent;
    report.failure = done.failure;
    report.done = true;
    let example = report.examples.iter().next();
    let example = example.map(|(case, mismatch)| format!("{case}: {}", mismatch.key));
    Json(
        json!({ "answered": report.answered, "differences": report.differences, "example": example }),
    )
}

async fn bundle(UrlPath((candidates, edges)): UrlPath<(usize, usize)>) -> Json<Value> {
    Json(generate::sized_bundle(candidates, edges))
}

async fn timings(
    State(desk): State<Arc<Desk>>,
    UrlPath(runtime): UrlPath<String>,
    Json(rows): Json<Value>,
) -> StatusCode {
    let mut timings = desk.timings.lock().unwrap_or_else(PoisonError::into_inner);
    timings.insert(runtime, rows);
    StatusCode::NO_CONTENT
}
