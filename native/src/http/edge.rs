//! Between HTTP and the operations: reading, limits, threads, and how an answer goes out.
//!
//! The only asynchronous code. Operations compute, so each runs on a blocking thread, and no more of
//! them at a time than the machine has processors; the others wait their turn, and past
//! [`MOST_WAITING`] are told to come again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use percent_encoding::percent_decode_str;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::domain::Shelf;
use super::operation::{Asked, Operation, Reply};
use super::{Place, Service, page};
use crate::refusal::{Code, Refusal};

/// A body larger than this is refused.
pub(super) const LARGEST_BODY: usize = 4 << 20;

/// A body must be there by then.
const BODY_LIMIT: Duration = Duration::from_secs(10);

/// An answer that takes longer is given up.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// Bringing an index in step may take long.
const WRITE_LIMIT: Duration = Duration::from_secs(3_600);

/// So many requests may wait for their turn.
const MOST_WAITING: usize = 256;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The service with its turns.
#[derive(Clone)]
pub(super) struct Edge {
    service: Arc<Service>,
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

impl Edge {
    pub(super) fn new(service: Arc<Service>) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            service,
            places: Arc::new(Semaphore::new(processors + MOST_WAITING)),
            // One more, so that no processor is idle while a turn is handed on.
            turns: Arc::new(Semaphore::new(processors + 1)),
        }
    }

    /// Answers a request to a domain that the address names, wherever it is served.
    pub(super) async fn of_named_domain(
        self,
        operation: &'static Operation<Shelf>,
        request: Request,
    ) -> Response {
        let (named, query) = without_domain(request.uri().query());
        let answer = async {
            let token = self
                .service
                .guard
                .check_token(operation.writes, request.headers());
            token?;
            let service = Arc::clone(&self.service);
            let (name, place) = service.place(named.as_deref())?;
            match place {
                Place::Here(shelf) => {
                    let asked = self.read(operation, query.as_deref(), request).await?;
                    let shelf = Arc::clone(shelf);
                    let run = move || (operation.run)(&shelf, &asked);
                    self.in_turn(operation.writes, run)
                        .await
                        .map(IntoResponse::into_response)
                }
                Place::There(remote) => {
                    let path = path_below(operation, request.uri().path());
                    let authorization = request.headers().get(header::AUTHORIZATION).cloned();
                    let body = body(request).await?;
                    let remote = remote.clone();
                    let (name, method) = (name.to_owned(), operation.method.clone());
                    let run = move || {
                        let query = query.as_deref();
                        remote.ask(&name, &method, &path, query, authorization.as_ref(), &body)
                    };
                    self.in_turn(operation.writes, run).await
                }
                Place::Nowhere(refusal) => Err(refusal.clone()),
            }
        };
        answer.await.unwrap_or_else(refused)
    }

    /// Answers a request to the service as a whole.
    pub(super) async fn of_service(
        self,
        operation: &'static Operation<Service>,
        request: Request,
    ) -> Response {
        let answer = async {
            let token = self
                .service
                .guard
                .check_token(operation.writes, request.headers());
            token?;
            let query = request.uri().query().map(str::to_owned);
            let asked = self.read(operation, query.as_deref(), request).await?;
            let service = Arc::clone(&self.service);
            let run = move || (operation.run)(&service, &asked);
            self.in_turn(operation.writes, run)
                .await
                .map(IntoResponse::into_response)
        };
        answer.await.unwrap_or_else(refused)
    }

    /// A request, read and checked.
    async fn read<S>(
        &self,
        operation: &'static Operation<S>,
        query: Option<&str>,
        request: Request,
    ) -> Result<Asked, Refusal> {
        let mut asked = Asked::read(query, operation.parameters)?;
        let headers = request.headers();
        let authorization = headers.get(header::AUTHORIZATION);
        asked.authorization = authorization
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        asked.has_token = self.service.guard.check_token(true, headers).is_ok();
        if operation.path.ends_with("{*path}") {
            asked.path = note_path(&path_below(operation, request.uri().path()), operation.path)?;
        }
        if operation.body.is_some() {
            asked.body = body(request).await?;
        }
        Ok(asked)
    }

    /// Runs a task on a thread of its own, when it is its turn.
    async fn in_turn<T: Send + 'static>(
        self,
        writes: bool,
        task: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = self.places.try_acquire_owned().map_err(|_| {
            Refusal::new(Code::TooMany, "too many requests are waiting")
                .hint("try again in a moment")
        })?;
        // What writes waits for the disk and for locks, and takes nobody's turn.
        let turns = (!writes).then_some(self.turns);
        let limit = if writes { WRITE_LIMIT } else { ANSWER_LIMIT };
        let run = async {
            let turn = match turns {
                Some(turns) => turns.acquire_owned().await.ok(),
                None => None,
            };
            // The place and the turn are given up when the task ends, not when its asker leaves.
            let held: (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>) = (place, turn);
            let task = tokio::task::spawn_blocking(move || {
                let done = task();
                drop(held);
                done
            });
            task.await
        };
        match tokio::time::timeout(limit, run).await {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => {
                tracing::error!(%panic, "an operation ended by a mistake of this program");
                Err(Refusal::new(Code::Internal, "a mistake in this program"))
            }
            Err(_) => Err(Refusal::new(
                Code::Timeout,
                format!("took longer than {limit:?}"),
            )),
        }
    }

    /// Lays around the routes what holds for all of them.
    pub(super) fn wrap(self, router: Router) -> Router {
        let service = self.service;
        router.layer(from_fn(move |request: Request, next: Next| {
            around(Arc::clone(&service), request, next)
        }))
    }
}

/// Numbers requests of this process.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// The outermost layer: checks where a request comes from, gives it a name, tells the log of it and
/// dresses the answer. No text of a note or a question gets into the log.
async fn around(service: Arc<Service>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
    let id = format!("{:x}-{number:x}", std::process::id());
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<axum::extract::MatchedPath>()
        .cloned();
    let mut response = match service.guard.check_origin(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refused(refusal),
    };
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        let told = json!({ "error": refusal.told(&id) });
        response = (refusal.code.parts().1, axum::Json(told)).into_response();
        match refusal.code {
            Code::Unauthorised => {
                let value = HeaderValue::from_static("Bearer");
                response
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, value);
            }
            Code::TooMany => {
                let value = HeaderValue::from_static("1");
                response.headers_mut().insert(header::RETRY_AFTER, value);
            }
            _ => {}
        }
    }
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let status = response.status().as_u16();
    let route = route.as_ref().map_or("page", |route| route.as_str());
    if response.status().is_server_error() {
        tracing::warn!(request = id, %method, route, status, milliseconds, "answered");
    } else {
        tracing::info!(request = id, %method, route, status, milliseconds, "answered");
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    let whole = format!("all;dur={milliseconds:.3}");
    if let Ok(whole) = HeaderValue::from_str(&whole) {
        headers.append(SERVER_TIMING, whole);
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    page::dress(headers);
    response
}

/// A refusal on its way to the outermost layer, which gives it the request's name and a body.
fn refused(refusal: Refusal) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = refusal.code.parts().1;
    response.extensions_mut().insert(refusal);
    response
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let timings: Vec<String> = self
            .timings
            .iter()
            .map(|(step, milliseconds)| {
                format!("{};dur={milliseconds:.3}", step.trim_end_matches("_ms"))
            })
            .collect();
        let mut response = (StatusCode::OK, self.json).into_response();
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        if let (false, Ok(value)) = (
            timings.is_empty(),
            HeaderValue::from_str(&timings.join(", ")),
        ) {
            response.headers_mut().insert(SERVER_TIMING, value);
        }
        response
    }
}

/// What is asked at an address that there is not.
pub(super) async fn no_such_address() -> Response {
    refused(Refusal::new(
        Code::NotFound,
        "there is nothing at this address",
    ))
}

/// What is asked by a method that there is not.
pub(super) async fn no_such_method() -> Response {
    refused(Refusal::new(
        Code::MethodNotAllowed,
        "this address does not take this method",
    ))
}

async fn body(request: Request) -> Result<Bytes, Refusal> {
    let reading = Limited::new(request.into_body(), LARGEST_BODY).collect();
    match tokio::time::timeout(BODY_LIMIT, reading).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the body is larger than {} MiB", LARGEST_BODY >> 20);
            Err(Refusal::new(Code::TooLarge, message))
        }
        Ok(Err(error)) => Err(Refusal::new(
            Code::BadRequest,
            format!("the body broke off: {error}"),
        )),
        Err(_) => Err(Refusal::new(Code::Timeout, "the body did not come in time")),
    }
}

/// The part of an address from the operation's own path on, as it was sent.
fn path_below<S>(operation: &Operation<S>, address: &str) -> String {
    let fixed = operation.path.trim_end_matches("{*path}");
    let bare = fixed.trim_end_matches('/');
    let at = address
        .find(fixed)
        .or_else(|| address.find(bare))
        .unwrap_or(0);
    address[at..].to_owned()
}

/// The path of a note, decoded once. It is only ever looked up in the index, but what cannot be a
/// path of a vault is refused at the door.
fn note_path(below: &str, operation: &str) -> Result<Option<String>, Refusal> {
    let fixed = operation.trim_end_matches("{*path}");
    let encoded = below.strip_prefix(fixed).unwrap_or_default();
    if encoded.is_empty() {
        return Ok(None);
    }
    let bad = |message: &str| Err(Refusal::at("path", message));
    let Ok(path) = percent_decode_str(encoded).decode_utf8() else {
        return bad("must be UTF-8");
    };
    if path.contains('\0') {
        return bad("must not hold a NUL");
    }
    if path.starts_with('/') || path.contains('\\') {
        return bad("must be a path inside the vault, with `/`");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return bad("must not leave the vault");
    }
    Ok(Some(path.into_owned()))
}

/// The domain that a query names, and the query without it.
fn without_domain(query: Option<&str>) -> (Option<String>, Option<String>) {
    let mut named = None;
    let rest: Vec<&str> = query
        .unwrap_or_default()
        .split('&')
        .filter(|pair| {
            let Some(value) = pair.strip_prefix("domain=") else {
                return !pair.is_empty();
            };
            let decoded = value.replace('+', " ");
            named = Some(
                percent_decode_str(&decoded)
                    .decode_utf8_lossy()
                    .into_owned(),
            );
            false
        })
        .collect();
    let named = named.filter(|name| !name.is_empty());
    (named, (!rest.is_empty()).then(|| rest.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_leave_the_vault() {
        let check = |encoded: &str, expected: Result<Option<&str>, ()>| {
            let found = note_path(&format!("/node/{encoded}"), "/node/{*path}");
            let found = found.map_err(drop);
            assert_eq!(
                found.as_ref().map(Option::as_deref).map_err(|_| ()),
                expected,
                "{encoded}"
            );
        };
        check("a/b.md", Ok(Some("a/b.md")));
        check("a%20b/%C3%BC.md", Ok(Some("a b/ü.md")));
        check("..hidden/a..md", Ok(Some("..hidden/a..md")));
        check("", Ok(None));
        for bad in [
            "../a.md",
            "a/../../b.md",
            "%2e%2e/a.md",
            "a/%2e%2e%2fb.md",
            "..%2fa",
            "/etc/passwd",
            "%2fetc%2fpasswd",
            "a%00.md",
            "a//b.md",
            "./a.md",
            "a/./b",
            "..\\a",
            "a%5c..%5cb",
            "%ff.md",
        ] {
            check(bad, Err(()));
        }
        // Decoded once: this is the name of a file, not a way up.
        check("%252e%252e/a.md", Ok(Some("%2e%2e/a.md")));
    }

    #[test]
    fn the_domain_is_taken_out_of_the_query() {
        let check = |query: &str, named: Option<&str>, rest: Option<&str>| {
            let found = without_domain(Some(query));
            assert_eq!(
                (found.0.as_deref(), found.1.as_deref()),
                (named, rest),
                "{query}"
            );
        };
        check("domain=a&q=b", Some("a"), Some("q=b"));
        check("q=b&domain=a%20b", Some("a b"), Some("q=b"));
        check("q=domain%3Da", None, Some("q=domain%3Da"));
        check("domain=", None, None);
    }
}
