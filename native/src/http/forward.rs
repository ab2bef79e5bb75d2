//! A domain that another process serves.

use std::fmt::Display;
use std::io::ErrorKind;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
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
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        let address = format!("{}{path}{query}", self.url);
        let mut request = ureq::http::Request::builder()
            .method(method.as_str())
            .uri(address);
        if let Some(value) = authorization {
            request = request.header(header::AUTHORIZATION.as_str(), value.as_bytes());
        }
        let answer = if *method == Method::GET {
            request
                .body(())
                .map_err(ureq::Error::from)
                .and_then(|request| self.agent.run(request))
        } else {
            let request = request.body(body.to_vec()).map_err(ureq::Error::from);
            request.and_then(|request| self.agent.run(request))
        };
        let (status, headers, body) =
            read(answer).map_err(|error| self.down(domain, &why(&error)))?;
        let mut response = (status, body).into_response();
        for name in ["content-type", "server-timing"] {
            if let Some(value) = headers.get(name) {
                response.headers_mut().insert(name, value.clone());
            }
        }
        Ok(response)
    }

    /// That it does not answer, and how it is started so that it is found again: without the port,
    /// it would want the one that the gateway has.
    fn down(&self, domain: &str, why: &dyn Display) -> Refusal {
        let uri = self.url.parse::<ureq::http::Uri>().ok();
        let port = uri.and_then(|uri| uri.port_u16());
        let port = port.map_or_else(String::new, |port| format!(" --port {port}"));
        let message = format!("the domain `{domain}` does not answer: {why}");
        Refusal::new(Code::DomainDown, message).hint(format!(
            "start it with `DOMAIN={domain} concord serve{port}`"
        ))
    }

    /// A JSON answer of the process.
    pub(super) fn json(&self, domain: &str, path: &str) -> Result<serde_json::Value, Refusal> {
        let answer = self.agent.get(format!("{}{path}", self.url)).call();
        let (status, _, body) = read(answer).map_err(|error| self.down(domain, &why(&error)))?;
        if !status.is_success() {
            return Err(self.down(domain, &status));
        }
        serde_json::from_slice(&body).map_err(|error| self.down(domain, &error))
    }
}

impl Remote {
    /// A JSON answer of the process to a JSON body. What it refuses is refused here in its words.
    pub(super) fn post<T: serde::de::DeserializeOwned>(
        &self,
        domain: &str,
        path: &str,
        authorization: Option<&str>,
        body: &serde_json::Value,
    ) -> Result<T, Refusal> {
        let mut request = self.agent.post(format!("{}{path}", self.url));
        if let Some(value) = authorization {
            request = request.header(header::AUTHORIZATION.as_str(), value);
        }
        let (status, _, body) = read(request.send(body.to_string()))
            .map_err(|error| self.down(domain, &why(&error)))?;
        if status == StatusCode::BAD_REQUEST {
            let told: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            let text = |key: &str| told["error"][key].as_str().map(str::to_owned);
            let message = text("message").unwrap_or_else(|| status.to_string());
            return Err(Refusal {
                key: text("key"),
                ..Refusal::new(Code::BadRequest, message)
            });
        }
        if !status.is_success() {
            return Err(self.down(domain, &status));
        }
        serde_json::from_slice(&body).map_err(|error| self.down(domain, &error))
    }
}

fn read(
    answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Result<(StatusCode, HeaderMap, Vec<u8>), ureq::Error> {
    let mut answer = answer?;
    let body = answer
        .body_mut()
        .with_config()
        .limit(LARGEST_ANSWER)
        .read_to_vec()?;
    Ok((answer.status(), answer.headers().clone(), body))
}

/// Why there is no answer, in words.
fn why(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
            "no process listens at its address".to_owned()
        }
        ureq::Error::Timeout(_) => "its process takes too long".to_owned(),
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}
