//! A domain that another process serves.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};

use crate::refusal::{Code, Refusal};

/// A process that does not even take the call in this time is down.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);

/// And so is one that has not answered by then.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// An answer larger than this is none of ours.
const LARGEST_ANSWER: u64 = 64 << 20;

/// A process that serves a domain.
#[derive(Clone)]
pub(crate) struct Remote {
    url: String,
    agent: ureq::Agent,
}

impl Remote {
    pub(crate) fn new(url: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(CONNECT_LIMIT))
            .timeout_global(Some(ANSWER_LIMIT))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .build();
        Self {
            url: url.trim_end_matches('/').to_owned(),
            agent: config.new_agent(),
        }
    }

    /// Hands a request on, and the answer back as it is.
    pub(super) fn ask(
        &self,
        domain: &str,
        method: &Method,
        path: &str,
        query: Option<&str>,
        authorization: Option<&HeaderValue>,
        body: &Bytes,
    ) -> Result<Response, Refusal> {
        let mut address = format!("{}{path}", self.url);
        if let Some(query) = query {
            address.push('?');
            address.push_str(query);
        }
        let mut request = ureq::http::Request::builder()
            .method(method.as_str())
            .uri(address);
        if let Some(value) = authorization {
            request = request.header(header::AUTHORIZATION.as_str(), value.as_bytes());
        }
        let down = |why: &dyn std::fmt::Display| {
            let message = format!("the domain `{domain}` does not answer: {why}");
            let hint = format!("start it with `DOMAIN={domain} concord serve`");
            Refusal::new(Code::DomainDown, message).hint(hint)
        };
        let answer = if body.is_empty() && *method != Method::POST && *method != Method::PUT {
            let request = request.body(()).map_err(|error| down(&error))?;
            self.agent.run(request)
        } else {
            let request = request.body(body.to_vec()).map_err(|error| down(&error))?;
            self.agent.run(request)
        };
        let mut answer = answer.map_err(|error| down(&error))?;
        let read = answer
            .body_mut()
            .with_config()
            .limit(LARGEST_ANSWER)
            .read_to_vec();
        let mut response = read.map_err(|error| down(&error))?.into_response();
        *response.status_mut() = axum::http::StatusCode::from_u16(answer.status().as_u16())
            .map_err(|error| down(&error))?;
        for name in ["content-type", "server-timing"] {
            let value = answer.headers().get(name);
            if let Some(Ok(value)) = value.map(|value| HeaderValue::from_bytes(value.as_bytes())) {
                response.headers_mut().insert(name, value);
            }
        }
        Ok(response)
    }

    /// A JSON answer of the process.
    pub(super) fn json(&self, domain: &str, path: &str) -> Result<serde_json::Value, Refusal> {
        let response = self.ask_bytes(domain, path)?;
        serde_json::from_slice(&response).map_err(|error| {
            let message = format!("the domain `{domain}` answers with something else: {error}");
            Refusal::new(Code::DomainDown, message)
        })
    }

    fn ask_bytes(&self, domain: &str, path: &str) -> Result<Vec<u8>, Refusal> {
        let down = |why: &dyn std::fmt::Display| {
            Refusal::new(
                Code::DomainDown,
                format!("the domain `{domain}` does not answer: {why}"),
            )
            .hint(format!("start it with `DOMAIN={domain} concord serve`"))
        };
        let answer = self.agent.get(format!("{}{path}", self.url)).call();
        let mut answer = answer.map_err(|error| down(&error))?;
        if !answer.status().is_success() {
            return Err(down(&answer.status()));
        }
        let read = answer
            .body_mut()
            .with_config()
            .limit(LARGEST_ANSWER)
            .read_to_vec();
        read.map_err(|error| down(&error))
    }
}
