//! The service: what [`operation`] describes, over HTTP.
//!
//! A process serves one domain (`/search`, `/node/…`), or is the gateway, the only thing a browser
//! talks to: the page, and every domain of the vault below `/v1`, some of them perhaps in processes
//! of their own. [`app`] is the whole of it as a value that a test can ask without a socket.

mod compose;
mod connection;
mod domain;
mod edge;
mod forward;
mod gateway;
mod guard;
mod openapi;
mod operation;
mod order;
mod page;
mod rx;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};

use crate::refusal::{Code, Refusal};

pub(crate) use connection::serve;
pub(crate) use domain::Shelf;
pub(crate) use forward::Remote;
pub(crate) use guard::Guard;
pub(crate) use operation::LONGEST_QUERY;

use edge::Edge;
use operation::Operation;

/// What a process serves.
pub(crate) struct Service {
    pub(crate) guard: Guard,
    /// The vault's folder.
    pub(crate) root: PathBuf,
    /// By name.
    pub(crate) domains: BTreeMap<String, Place>,
}

/// Where a domain is served.
pub(crate) enum Place {
    /// In this process.
    Here(Arc<Shelf>),
    /// In another.
    There(Remote),
    /// Nowhere, and why: it could not be opened.
    Nowhere(Refusal),
}

impl Service {
    /// The domain of a name; the only one, if there is no name.
    fn place(&self, name: Option<&str>) -> Result<(&str, &Place), Refusal> {
        let found = match name {
            Some(name) => self.domains.get_key_value(name),
            None if self.domains.len() == 1 => self.domains.first_key_value(),
            None => None,
        };
        found
            .map(|(name, place)| (name.as_str(), place))
            .ok_or_else(|| {
                let known: Vec<&str> = self.domains.keys().map(String::as_str).collect();
                let known = known.join(", ");
                let (code, message) = match name {
                    Some(name) => (Code::NoSuchDomain, format!("there is no domain {name:?}")),
                    None => (Code::BadRequest, "must name a domain".to_owned()),
                };
                Refusal {
                    key: Some("domain".to_owned()),
                    ..Refusal::new(code, message).hint(format!("there are {known}"))
                }
            })
    }
}

/// Everything that can be asked of a domain.
fn of_domain() -> impl Iterator<Item = &'static Operation<Shelf>> {
    let groups = domain::OPERATIONS.iter().chain(&compose::OPERATIONS);
    groups.chain(&order::OPERATIONS)
}

/// Everything that can be asked of the vault as a whole.
fn of_service() -> impl Iterator<Item = &'static Operation<Service>> {
    gateway::OPERATIONS.iter().chain(&rx::OPERATIONS)
}

/// The gateway: the page, and every domain below `/v1`.
pub(crate) fn gateway(service: Arc<Service>) -> Router {
    let edge = Edge::new(service);
    let mut routes = Routes::default();
    for operation in of_domain() {
        let edge = edge.clone();
        routes.add("/v1/vault", operation, move |request| {
            edge.clone().of_named_domain(operation, request)
        });
    }
    for operation in of_service() {
        let edge = edge.clone();
        routes.add("/v1", operation, move |request| {
            edge.clone().of_service(operation, request)
        });
    }
    edge.wrap(
        routes
            .router
            .fallback(page::serve)
            .method_not_allowed_fallback(edge::no_such_method),
    )
}

/// One domain, without the page.
pub(crate) fn single(service: Arc<Service>) -> Router {
    let edge = Edge::new(service);
    let mut routes = Routes::default();
    for operation in of_domain() {
        let edge = edge.clone();
        routes.add("", operation, move |request| {
            edge.clone().of_named_domain(operation, request)
        });
    }
    edge.wrap(
        routes
            .router
            .fallback(edge::no_such_address)
            .method_not_allowed_fallback(edge::no_such_method),
    )
}

/// Routes, as the tables of operations say.
#[derive(Default)]
struct Routes {
    router: Router,
}

impl Routes {
    fn add<S: 'static, F, A>(&mut self, prefix: &str, operation: &Operation<S>, answer: F)
    where
        F: Fn(axum::extract::Request) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = axum::response::Response> + Send + 'static,
    {
        let method = match operation.method {
            Method::POST => MethodFilter::POST,
            Method::PUT => MethodFilter::PUT,
            Method::DELETE => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        let route: MethodRouter = on(method, answer);
        let path = format!("{prefix}{}", operation.path);
        let mut router = std::mem::take(&mut self.router);
        // `{*path}` does not match nothing, and a walk may start from nothing but a question.
        if let Some(bare) = path.strip_suffix("{*path}") {
            router = router.route(bare, route.clone());
        }
        self.router = router.route(&path, route);
    }
}
