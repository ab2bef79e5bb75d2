//! Recommendations: saved, read, listed, deleted, and looked at more deeply.

use axum::http::Method;
use serde::Serialize;
use serde_json::json;

use super::domain::schema;
use super::forward::Remote;
use super::operation::{Asked, Operation, Parameter, Reply, Shape};
use super::{Place, Service};
use crate::collection::{Citation, Verdicts};
use crate::refusal::Refusal;
use crate::rx::deep::WriteBack;
use crate::rx::desk::Filter;
use crate::rx::{
    Desk, NewRecommendation, Recommendation, Row, STATUSES, Store, Witness, Witnesses, status_named,
};

const DOMAIN: Parameter = Parameter {
    name: "domain",
    about: "Whose notes are cited; may be left out where there is only one domain",
    shape: Shape::Text { required: false },
};

/// Everything that can be asked about recommendations.
pub(super) static OPERATIONS: [Operation<Service>; 5] = [
    Operation {
        method: Method::GET,
        path: "/rx",
        about: "The recommendations, newest first, and how many of their quotations still hold",
        parameters: &[
            Parameter {
                name: "domain",
                about: "Only of this domain",
                shape: Shape::Text { required: false },
            },
            Parameter {
                name: "status",
                about: "Only with this citations_status",
                shape: Shape::Choice(STATUSES),
            },
            Parameter {
                name: "stale",
                about: "Only with a quotation that its note no longer has",
                shape: Shape::Flag,
            },
        ],
        body: None,
        answer: schema::<Listed>,
        writes: false,
        run: |service, asked| {
            let filter = Filter {
                domain: asked.text("domain"),
                status: asked.text("status").and_then(status_named),
                stale: asked.flag("stale"),
            };
            let all = with_desk(service, asked, |desk| desk.list(&filter))?;
            let recommendations = all.iter().map(Recommendation::row).collect();
            Ok(Reply::json(&Listed { recommendations }))
        },
    },
    Operation {
        method: Method::POST,
        path: "/rx",
        about: "Saves a recommendation, each quotation checked; a mismatch is told and never blocks",
        parameters: &[DOMAIN],
        body: Some(schema::<NewRecommendation>),
        answer: schema::<Recommendation>,
        writes: true,
        run: |service, asked| {
            let new: NewRecommendation = asked.json()?;
            let (domain, _) = service.place(asked.text("domain"))?;
            let saved = with_desk(service, asked, |desk| desk.take_in(domain, new))?;
            Ok(Reply::json(&saved))
        },
    },
    Operation {
        method: Method::GET,
        path: "/rx/{*path}",
        about: "A recommendation whole, with its quotations as they were and as they are now",
        parameters: &[],
        body: None,
        answer: schema::<Recommendation>,
        writes: false,
        run: |service, asked| {
            let found = with_desk(service, asked, |desk| desk.read(id(asked)?))?;
            Ok(Reply::json(&found))
        },
    },
    Operation {
        method: Method::DELETE,
        path: "/rx/{*path}",
        about: "Deletes a recommendation",
        parameters: &[],
        body: None,
        answer: || json!({ "type": "object" }),
        writes: true,
        run: |service, asked| {
            with_desk(service, asked, |desk| desk.delete(id(asked)?))?;
            Ok(Reply::json(&json!({})))
        },
    },
    Operation {
        method: Method::POST,
        path: "/rx/deep",
        about: "Writes a curated deeper look back to a recommendation, its quotations checked",
        parameters: &[],
        body: Some(schema::<WriteBack>),
        answer: schema::<Recommendation>,
        writes: true,
        run: |service, asked| {
            let result: WriteBack = asked.json()?;
            let saved = with_desk(service, asked, |desk| desk.write_back(result))?;
            Ok(Reply::json(&saved))
        },
    },
];

/// The recommendations that there are.
#[derive(Serialize, schemars::JsonSchema)]
struct Listed {
    recommendations: Vec<Row>,
}

fn id(asked: &Asked) -> Result<&str, Refusal> {
    asked
        .path
        .as_deref()
        .ok_or_else(|| Refusal::at("id", "must not be empty"))
}

fn with_desk<T>(
    service: &Service,
    asked: &Asked,
    task: impl FnOnce(&Desk<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let served = Served {
        service,
        authorization: asked.authorization.as_deref(),
    };
    task(&Desk {
        store: Store::of(&service.root),
        witnesses: &served,
    })
}

/// The domains of this service, asked on behalf of whoever asks it.
struct Served<'a> {
    service: &'a Service,
    authorization: Option<&'a str>,
}

impl Witnesses for Served<'_> {
    fn of(&self, domain: &str) -> Result<Box<dyn Witness + '_>, Refusal> {
        let (name, place) = self.service.place(Some(domain))?;
        match place {
            Place::Here(shelf) => Ok(Box::new(&shelf.collection)),
            Place::There(remote) => Ok(Box::new(FarAway {
                remote,
                name,
                authorization: self.authorization,
            })),
            Place::Nowhere(refusal) => Err(refusal.clone()),
        }
    }
}

/// A domain in another process.
struct FarAway<'a> {
    remote: &'a Remote,
    name: &'a str,
    authorization: Option<&'a str>,
}

impl FarAway<'_> {
    fn ask<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<T, Refusal> {
        self.remote.post(self.name, path, self.authorization, body)
    }
}

impl Witness for FarAway<'_> {
    fn verify(&self, citations: &[Citation]) -> Result<Verdicts, Refusal> {
        self.ask("/verify", &json!({ "citations": citations }))
    }

    fn hashes(&self, notes: &[&str]) -> Result<Vec<(String, String)>, Refusal> {
        let hashes: super::compose::Hashes = self.ask("/hashes", &json!({ "notes": notes }))?;
        Ok(hashes.hashes.into_iter().collect())
    }
}
