//! What can be asked of the vault as a whole: its domains, its saved profiles, this description.

use std::thread;

use axum::http::Method;
use concord_core::Profile;
use serde::Serialize;
use serde_json::{Value, json};

use super::domain::schema;
use super::operation::{Asked, Operation, Parameter, Reply, Shape};
use super::{Place, Service, openapi};
use crate::profiles::{Profiles, Saved};
use crate::refusal::{Code, Refusal};

const DOMAIN: Parameter = Parameter {
    name: "domain",
    about: "Whose defaults a profile is laid over",
    shape: Shape::Text { required: false },
};

/// Everything that can be asked of the vault as a whole.
pub(super) static OPERATIONS: [Operation<Service>; 5] = [
    Operation {
        method: Method::GET,
        path: "/domains",
        about: "Every domain: whether it is up, what it holds, its profile, what can be scoped by",
        parameters: &[],
        body: None,
        answer: schema::<Domains>,
        writes: false,
        run: |service, _| Ok(Reply::json(&domains(service))),
    },
    Operation {
        method: Method::GET,
        path: "/profiles",
        about: "The profiles that there are, complete",
        parameters: &[DOMAIN],
        body: None,
        answer: schema::<Listed>,
        writes: false,
        run: |service, asked| {
            let domain = named_domain(service, asked)?;
            let profiles = Profiles::of(&service.root).all(&domain)?;
            Ok(Reply::json(&Listed { profiles }))
        },
    },
    Operation {
        method: Method::PUT,
        path: "/profiles/{*path}",
        about: "Saves a profile under a name",
        parameters: &[DOMAIN],
        body: Some(schema::<Profile>),
        answer: schema::<Saved>,
        writes: true,
        run: |service, asked| {
            let domain = named_domain(service, asked)?;
            let patch: Value = asked.json()?;
            let profiles = Profiles::of(&service.root);
            Ok(Reply::json(&profiles.save(name(asked)?, patch, &domain)?))
        },
    },
    Operation {
        method: Method::DELETE,
        path: "/profiles/{*path}",
        about: "Deletes a saved profile",
        parameters: &[DOMAIN],
        body: None,
        answer: || json!({ "type": "object" }),
        writes: true,
        run: |service, asked| {
            Profiles::of(&service.root).delete(name(asked)?)?;
            Ok(Reply::json(&json!({})))
        },
    },
    Operation {
        method: Method::GET,
        path: "/openapi.json",
        about: "This description",
        parameters: &[],
        body: None,
        answer: || json!({ "type": "object" }),
        writes: false,
        run: |_, _| Ok(Reply::json(&openapi::document())),
    },
];

/// The profiles that there are.
#[derive(Serialize, schemars::JsonSchema)]
struct Listed {
    profiles: Vec<Saved>,
}

/// Every domain of a vault.
#[derive(Serialize, schemars::JsonSchema)]
struct Domains {
    version: &'static str,
    /// The core's version, which is part of every digest.
    core: &'static str,
    /// The vault's folder, by its last name.
    vault: String,
    /// Each with `name`, `up`, `error`, and what `/about` of the domain says.
    domains: Vec<Value>,
}

fn name(asked: &Asked) -> Result<&str, Refusal> {
    asked
        .path
        .as_deref()
        .ok_or_else(|| Refusal::at("name", "must not be empty"))
}

/// The domain that a request names; the first one, if it names none.
fn named_domain(service: &Service, asked: &Asked) -> Result<String, Refusal> {
    match asked.text("domain") {
        Some(name) => service.place(Some(name)).map(|(name, _)| name.to_owned()),
        None => Ok(service.domains.keys().next().cloned().unwrap_or_default()),
    }
}

/// Asks all domains at once; one that is down says so and keeps no other from answering.
fn domains(service: &Service) -> Domains {
    let about = |name: &str, place: &Place| match place {
        Place::Here(shelf) => super::domain::described(shelf),
        Place::There(remote) => remote.json(name, "/about"),
        Place::Nowhere(refusal) => Err(refusal.clone()),
    };
    let domains = thread::scope(|scope| {
        let asked: Vec<_> = service
            .domains
            .iter()
            .map(|(name, place)| (name, scope.spawn(move || about(name, place))))
            .collect();
        asked
            .into_iter()
            .map(|(name, thread)| {
                let answer = thread.join().unwrap_or_else(|_| {
                    Err(Refusal::new(Code::Internal, "a mistake in this program"))
                });
                let (mut told, error) = match answer {
                    Ok(about) => (about, Value::Null),
                    Err(refusal) => {
                        let (code, _) = refusal.code.parts();
                        (json!({}), json!({ "code": code, "message": refusal.message, "hint": refusal.hint }))
                    }
                };
                told["name"] = json!(name);
                told["up"] = json!(error.is_null());
                told["error"] = error;
                told
            })
            .collect()
    });
    let root = service
        .root
        .canonicalize()
        .unwrap_or_else(|_| service.root.clone());
    let vault = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Domains {
        version: env!("CARGO_PKG_VERSION"),
        core: concord_core::VERSION,
        vault: vault.unwrap_or_default(),
        domains,
    }
}
