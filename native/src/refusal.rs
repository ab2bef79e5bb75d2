//! Why a question was not answered: one shape for the command line and for HTTP.

use axum::http::StatusCode;
use serde::Serialize;

use crate::failure::Failure;

/// A stable name for why something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    BadRequest,
    NotFound,
    NoSuchDomain,
    MethodNotAllowed,
    DomainDown,
    ModelDown,
    ForbiddenHost,
    ForbiddenOrigin,
    Unauthorised,
    TooLarge,
    TooMany,
    Timeout,
    Busy,
    Conflict,
    Internal,
}

impl Code {
    /// Every code, for the description of the service.
    pub(crate) const ALL: [Self; 15] = [
        Self::BadRequest,
        Self::NotFound,
        Self::NoSuchDomain,
        Self::MethodNotAllowed,
        Self::DomainDown,
        Self::ModelDown,
        Self::ForbiddenHost,
        Self::ForbiddenOrigin,
        Self::Unauthorised,
        Self::TooLarge,
        Self::TooMany,
        Self::Timeout,
        Self::Busy,
        Self::Conflict,
        Self::Internal,
    ];

    /// Its name and its status.
    pub(crate) fn parts(self) -> (&'static str, StatusCode) {
        match self {
            Self::BadRequest => ("bad_request", StatusCode::BAD_REQUEST),
            Self::NotFound => ("not_found", StatusCode::NOT_FOUND),
            Self::NoSuchDomain => ("no_such_domain", StatusCode::NOT_FOUND),
            Self::MethodNotAllowed => ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
            Self::DomainDown => ("domain_down", StatusCode::BAD_GATEWAY),
            Self::ModelDown => ("model_down", StatusCode::BAD_GATEWAY),
            Self::ForbiddenHost => ("forbidden_host", StatusCode::FORBIDDEN),
            Self::ForbiddenOrigin => ("forbidden_origin", StatusCode::FORBIDDEN),
            Self::Unauthorised => ("unauthorised", StatusCode::UNAUTHORIZED),
            Self::TooLarge => ("too_large", StatusCode::PAYLOAD_TOO_LARGE),
            Self::TooMany => ("too_many", StatusCode::SERVICE_UNAVAILABLE),
            Self::Timeout => ("timeout", StatusCode::GATEWAY_TIMEOUT),
            Self::Busy => ("busy", StatusCode::CONFLICT),
            Self::Conflict => ("conflict", StatusCode::CONFLICT),
            Self::Internal => ("internal", StatusCode::INTERNAL_SERVER_ERROR),
        }
    }
}

/// Why a question was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// The parameter or key at fault.
    pub(crate) key: Option<String>,
}

/// A refusal as it goes over the wire, inside `error`.
#[derive(Serialize)]
pub(crate) struct Told<'a> {
    code: &'static str,
    message: &'a str,
    hint: Option<&'a str>,
    key: Option<&'a str>,
    request_id: &'a str,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            key: None,
        }
    }

    /// The asker's fault, at this parameter or key.
    pub(crate) fn at(key: &str, message: impl Into<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            ..Self::new(Code::BadRequest, message)
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn told<'a>(&'a self, request_id: &'a str) -> Told<'a> {
        Told {
            code: self.code.parts().0,
            message: &self.message,
            hint: self.hint.as_deref(),
            key: self.key.as_deref(),
            request_id,
        }
    }
}

impl From<concord_cache::Error> for Refusal {
    fn from(error: concord_cache::Error) -> Self {
        let code = match error {
            concord_cache::Error::Busy { .. } => Code::Busy,
            _ => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}

/// What the core refuses came from the asker: a profile, a patch, a receipt.
impl From<concord_core::Error> for Refusal {
    fn from(error: concord_core::Error) -> Self {
        Self::at(&error.key, error.message)
    }
}

impl From<concord_encode::Error> for Refusal {
    fn from(error: concord_encode::Error) -> Self {
        Self::new(Code::Internal, error.message)
    }
}

/// What stands in the way of bringing an index in step: a writer that is at it already, or what the
/// vault or the machine does not let happen.
impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let code = match failure {
            Failure::Busy(_) => Code::Busy,
            Failure::Conflict(_) => Code::Conflict,
            _ => Code::Internal,
        };
        Self::new(code, failure.to_string())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let mut message = match &refusal.key {
            Some(key) if !key.is_empty() => format!("{key}: {}", refusal.message),
            _ => refusal.message,
        };
        if let Some(hint) = &refusal.hint {
            message = format!("{message}; {hint}");
        }
        match refusal.code {
            Code::Busy => Self::Busy(message),
            Code::Conflict => Self::Conflict(message),
            code if code.parts().1.is_client_error() => Self::Input(message),
            _ => Self::Machine(message),
        }
    }
}
