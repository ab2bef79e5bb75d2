//! The description of the service (OpenAPI 3.1), made from the tables by which it answers.

use serde_json::{Map, Value, json};

use super::operation::Operation;
use super::{of_domain, of_service};
use crate::refusal::Code;

/// The document.
pub(super) fn document() -> Value {
    let mut document = Document::default();
    for operation in of_domain() {
        document.add("/v1/vault", operation, Some(domain_parameter()));
    }
    for operation in of_service() {
        document.add("/v1", operation, None);
    }
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.parts().0).collect();
    document.schemas.insert(
        "Error".to_owned(),
        json!({
            "type": "object",
            "required": ["error"],
            "properties": { "error": {
                "type": "object",
                "required": ["code", "message", "hint", "key", "request_id"],
                "properties": {
                    "code": { "type": "string", "enum": codes },
                    "message": { "type": "string", "description": "What is wrong" },
                    "hint": { "type": ["string", "null"], "description": "What to do about it" },
                    "key": { "type": ["string", "null"], "description": "The parameter or key at fault" },
                    "request_id": { "type": "string" },
                },
            } },
        }),
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Concord",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Hybrid retrieval over a vault of notes. A process that serves one domain \
                answers what stands below /v1/vault at its root, without `domain`.",
            "license": { "name": "MIT" },
        },
        "paths": document.paths,
        "components": {
            "schemas": document.schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn domain_parameter() -> Value {
    json!({
        "name": "domain",
        "in": "query",
        "description": "The domain that is asked; may be left out where there is only one",
        "required": false,
        "schema": { "type": "string" },
    })
}

#[derive(Default)]
struct Document {
    paths: Map<String, Value>,
    schemas: Map<String, Value>,
    names: std::collections::BTreeSet<String>,
}

impl Document {
    fn add<S>(&mut self, prefix: &str, operation: &Operation<S>, extra: Option<Value>) {
        let path = format!("{prefix}{}", operation.path.replace("{*path}", "{path}"));
        let mut parameters: Vec<Value> = operation
            .parameters
            .iter()
            .map(|parameter| parameter.described())
            .collect();
        parameters.extend(extra);
        if path.ends_with("{path}") {
            parameters.push(json!({
                "name": "path",
                "in": "path",
                "required": true,
                "description": "From the vault's folder, with `/`; a `/` stays as it is",
                "schema": { "type": "string" },
            }));
        }
        let method = operation.method.as_str().to_ascii_lowercase();
        let name: String = path
            .split('/')
            .skip(2)
            .filter(|part| !part.starts_with('{'))
            .collect();
        let mut name = format!("{method}_{}", name.replace(".json", ""));
        // One of many, beside all of them.
        if !self.names.insert(name.clone()) {
            name += "_one";
            self.names.insert(name.clone());
        }
        let mut described = json!({
            "operationId": name,
            "summary": operation.about,
            "parameters": parameters,
            "responses": {
                "200": {
                    "description": "The answer",
                    "content": { "application/json": { "schema": self.lifted((operation.answer)()) } },
                },
                "default": {
                    "description": "Why there is none",
                    "content": { "application/json": {
                        "schema": { "$ref": "#/components/schemas/Error" },
                    } },
                },
            },
        });
        if let Some(body) = operation.body {
            described["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "schema": self.lifted(body()) } },
            });
        }
        if operation.writes {
            described["security"] = json!([{ "token": [] }]);
        }
        let entry = self.paths.entry(path).or_insert_with(|| json!({}));
        entry[method] = described;
    }

    /// A schema whose definitions stand with all the others, under the document's own address.
    fn lifted(&mut self, mut schema: Value) -> Value {
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
            if let Some(Value::Object(definitions)) = object.remove("$defs") {
                for (name, mut definition) in definitions {
                    repoint(&mut definition);
                    self.schemas.insert(name, definition);
                }
            }
        }
        repoint(&mut schema);
        schema
    }
}

fn repoint(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(target) if key == "$ref" => {
                        *target = target.replace("#/$defs/", "#/components/schemas/");
                    }
                    _ => repoint(value),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(repoint),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        fn check(value: &Value, document: &Value) {
            match value {
                Value::Object(object) => {
                    for (key, value) in object {
                        match value {
                            Value::String(target) if key == "$ref" => {
                                let pointer = target.trim_start_matches('#');
                                assert!(document.pointer(pointer).is_some(), "{target}");
                            }
                            _ => check(value, document),
                        }
                    }
                }
                Value::Array(list) => list.iter().for_each(|value| check(value, document)),
                _ => {}
            }
        }
        let document = document();
        check(&document, &document);
        assert!(
            document["components"]["schemas"]["Bundle"].is_object()
                || document["paths"]["/v1/vault/candidates"].is_object()
        );
    }

    #[test]
    fn names_of_operations_are_unique() {
        let document = document();
        let mut seen = std::collections::BTreeSet::new();
        for path in document["paths"].as_object().unwrap().values() {
            for operation in path.as_object().unwrap().values() {
                assert!(seen.insert(operation["operationId"].as_str().unwrap().to_owned()));
            }
        }
        assert_eq!(seen.len(), of_domain().count() + of_service().count());
    }
}
