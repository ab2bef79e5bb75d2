//! The core's JavaScript half: decode → core → encode, and nothing else.
//!
//! Values come in through `JSON.stringify` and the core's own strict readers, so that the browser
//! refuses exactly what the server refuses, by the same key. (serde-wasm-bindgen's reader was the
//! obvious way, but it looks up only the keys it knows and so never sees an unknown one, and a
//! getter that throws unwinds through Rust frames.) What is JSON already, as it came from the
//! server, may be handed over as it is, text or bytes, which spares writing it again. They go out through serde-wasm-bindgen as
//! plain JSON-compatible objects.
//!
//! Errors are JavaScript `Error`s with `code`, `key` and `message`. Input of any shape is an error
//! and not a panic. Should a mistake in the core panic all the same, that too is an `Error`
//! (`code: "bug"`), and since every function here is pure, the next call works.

use std::panic;

use concord_core::cite::{self, CitationCheck, Quotation};
use concord_core::profile::WalkPolicy;
use concord_core::traverse::World;
use concord_core::{Bundle, Error, Fault, Prepared, Profile, Receipt, VERSION};
use js_sys::{JSON, JsString, Reflect, Uint8Array};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// A text longer than this is refused rather than copied into a memory that ends at 4 GiB.
const MAX_UNITS: u32 = 1 << 28;

#[wasm_bindgen(typescript_custom_section)]
const PROFILE_PATCH: &str = r#"
/**
 * What to change of a default profile: a JSON merge patch. An object merges, `null` removes,
 * anything else replaces.
 */
export type ProfilePatch = Patch<Profile> & { extends?: "vault" | "balanced" };
type Patch<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Patch<T[K]> | null } : T;

/** What every function here throws. */
export interface ConcordError extends Error {
    /** Stable: `bad_bundle`, `bad_profile`, `bad_receipt`, `bad_quotation`, `bad_walk`, `bug`. */
    code: string;
    /** Where in the input, e.g. `legs[0].hits[2].score`; empty for the whole. */
    key: string;
}
"#;

#[wasm_bindgen(start, skip_typescript)]
fn tell_of_panics() {
    panic::set_hook(Box::new(|info| {
        let error = js_error("bug", "", &format!("a mistake in Concord's core: {info}"));
        wasm_bindgen::throw_val(error);
    }));
}

/// Ranks a bundle under a profile.
#[wasm_bindgen(unchecked_return_type = "Ranking")]
pub fn rank(
    #[wasm_bindgen(unchecked_param_type = "Bundle | string | Uint8Array")] bundle: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "ProfilePatch | null | undefined")] profile: &JsValue,
) -> Result<JsValue, JsValue> {
    Ranker::new(bundle)?.rank(profile)
}

/// The link graph of a bundle with its measures and communities.
#[wasm_bindgen(unchecked_return_type = "GraphView")]
pub fn graph(
    #[wasm_bindgen(unchecked_param_type = "Bundle | string | Uint8Array")] bundle: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "ProfilePatch | null | undefined")] profile: &JsValue,
) -> Result<JsValue, JsValue> {
    Ranker::new(bundle)?.graph(profile)
}

/// A bundle, or its JSON, that is read once and ranked under many profiles: what a slider drags.
#[wasm_bindgen]
pub struct Ranker(Prepared);

#[wasm_bindgen]
impl Ranker {
    /// Reads and checks a bundle.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Bundle | string | Uint8Array")] bundle: &JsValue,
    ) -> Result<Ranker, JsValue> {
        let bundle = Bundle::from_json(&json(bundle, Fault::Bundle)?).map_err(refused)?;
        Ok(Self(Prepared::new(bundle).map_err(refused)?))
    }

    /// Ranks it under a profile.
    #[wasm_bindgen(unchecked_return_type = "Ranking")]
    pub fn rank(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ProfilePatch | null | undefined")] profile: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let profile = self.profile(profile)?;
        encode(&self.0.rank(&profile).map_err(refused)?)
    }

    /// The link graph with its measures and communities.
    #[wasm_bindgen(unchecked_return_type = "GraphView")]
    pub fn graph(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ProfilePatch | null | undefined")] profile: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let profile = self.profile(profile)?;
        encode(&self.0.graph(&profile).map_err(refused)?)
    }

    fn profile(&self, patch: &JsValue) -> Result<Profile, JsValue> {
        if patch.is_null() || patch.is_undefined() {
            return Ok(Profile::balanced());
        }
        let patch = read(patch, Fault::Profile)?;
        Profile::from_patch(patch, &self.0.bundle().domain).map_err(refused)
    }
}

/// Checks one quotation. Spans are in units of UTF-16.
#[wasm_bindgen(unchecked_return_type = "CitationCheck")]
pub fn verify(
    #[wasm_bindgen(unchecked_param_type = "Quotation")] quotation: &JsValue,
) -> Result<JsValue, JsValue> {
    let quotation: Quotation = read(quotation, Fault::Quotation)?;
    encode(&in_utf16(cite::verify(&quotation), &quotation))
}

/// Checks many quotations, in order. Spans are in units of UTF-16.
#[wasm_bindgen(unchecked_return_type = "CitationCheck[]")]
pub fn verify_many(
    #[wasm_bindgen(unchecked_param_type = "Quotation[]")] quotations: &JsValue,
) -> Result<JsValue, JsValue> {
    let quotations: Vec<Quotation> = read(quotations, Fault::Quotation)?;
    let checks = cite::verify_many(&quotations).into_iter().zip(&quotations);
    let checks = checks.map(|(check, quotation)| in_utf16(check, quotation));
    encode(&checks.collect::<Vec<_>>())
}

/// Walks through a small world.
#[wasm_bindgen(unchecked_return_type = "Traversal")]
pub fn traverse(
    #[wasm_bindgen(unchecked_param_type = "World")] world: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "WalkPolicy")] policy: &JsValue,
) -> Result<JsValue, JsValue> {
    let world: World = read(world, Fault::Walk)?;
    let policy: WalkPolicy = read(policy, Fault::Walk)?;
    encode(&world.walk(&policy).map_err(refused)?)
}

/// Computes a receipt's ranking again and compares it bit for bit.
#[wasm_bindgen(unchecked_return_type = "Replay")]
pub fn replay(
    #[wasm_bindgen(unchecked_param_type = "Receipt | string | Uint8Array")] receipt: &JsValue,
) -> Result<JsValue, JsValue> {
    let receipt = Receipt::from_json(&json(receipt, Fault::Receipt)?).map_err(refused)?;
    encode(&receipt.replay().map_err(refused)?)
}

/// The digest that a receipt's ranking ought to bear.
#[wasm_bindgen]
pub fn digest(
    #[wasm_bindgen(unchecked_param_type = "Receipt | string | Uint8Array")] receipt: &JsValue,
) -> Result<String, JsValue> {
    let receipt = Receipt::from_json(&json(receipt, Fault::Receipt)?).map_err(refused)?;
    Ok(concord_core::digest_of(
        &receipt.bundle,
        &receipt.profile,
        &receipt.ranking,
    ))
}

/// A default profile: `vault` or `balanced`, with the domain's numbers.
#[wasm_bindgen(unchecked_return_type = "Profile")]
pub fn default_profile(name: &str, domain: Option<String>) -> Result<JsValue, JsValue> {
    let patch = serde_json::json!({ "extends": name });
    let profile = Profile::from_patch(patch, domain.as_deref().unwrap_or_default());
    encode(&profile.map_err(refused)?)
}

/// The complete profile that a patch stands for.
#[wasm_bindgen(unchecked_return_type = "Profile")]
pub fn complete_profile(
    #[wasm_bindgen(unchecked_param_type = "ProfilePatch")] patch: &JsValue,
    domain: &str,
) -> Result<JsValue, JsValue> {
    let patch = read(patch, Fault::Profile)?;
    encode(&Profile::from_patch(patch, domain).map_err(refused)?)
}

/// The core's version, which is part of every digest.
#[wasm_bindgen]
pub fn version() -> String {
    VERSION.to_owned()
}

fn in_utf16(mut check: CitationCheck, quotation: &Quotation) -> CitationCheck {
    let text = quotation.chunk.as_deref().unwrap_or_default();
    check.spans = cite::utf16_spans(text, &check.spans);
    check
}

fn read<T: serde::de::DeserializeOwned>(value: &JsValue, fault: Fault) -> Result<T, JsValue> {
    fault.read(&json(value, fault)?).map_err(refused)
}

/// The value as JSON. A string or bytes are taken to be JSON already, as it came from the server.
/// What cannot be JSON (a cycle, a getter that throws) is the caller's fault.
fn json(value: &JsValue, fault: Fault) -> Result<String, JsValue> {
    let bad = |message: &str| js_error(fault.code(), "", message);
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        if bytes.length() > MAX_UNITS {
            return Err(bad("is larger than 256 MiB"));
        }
        return String::from_utf8(bytes.to_vec()).map_err(|_| bad("is not UTF-8"));
    }
    let text = if value.is_string() {
        value.clone()
    } else {
        let written = JSON::stringify(value).map_err(|error| {
            let reason = error.dyn_ref::<js_sys::Error>().map(js_sys::Error::message);
            let reason = reason.map_or_else(String::new, String::from);
            bad(&format!("cannot be written as JSON: {reason}"))
        })?;
        written.into()
    };
    // `undefined`, a function and a symbol are written as `undefined`, which is no text.
    let text: JsString = text.dyn_into().map_err(|_| bad("must be an object"))?;
    if text.length() > MAX_UNITS {
        return Err(bad("is larger than 256 MiB"));
    }
    Ok(String::from(text))
}

fn encode(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let plain = Serializer::json_compatible();
    value
        .serialize(&plain)
        .map_err(|error| js_error("bug", "", &error.to_string()))
}

fn refused(error: Error) -> JsValue {
    js_error(error.fault.code(), &error.key, &error.to_string())
}

fn js_error(code: &str, key: &str, message: &str) -> JsValue {
    let error = js_sys::Error::new(message);
    for (name, value) in [("code", code), ("key", key)] {
        // Setting a field of a fresh Error cannot fail.
        let _ = Reflect::set(&error, &name.into(), &value.into());
    }
    error.into()
}
