//! What the two protocols say, and how their answers are read.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Usage;

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Anthropic,
    OpenAi,
}

/// An answer that could be read.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) usage: Usage,
    /// Why it cannot be used, if so.
    pub(super) declined: Option<String>,
}

impl Protocol {
    /// Where to ask, below a service's address.
    pub(super) fn address(self, base: &str) -> String {
        let base = base.trim_end_matches('/');
        match self {
            Self::Anthropic => format!("{base}/v1/messages"),
            Self::OpenAi => format!("{base}/chat/completions"),
        }
    }

    pub(super) fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
        match (self, key) {
            (Self::Anthropic, key) => vec![
                ("x-api-key", key.unwrap_or_default().to_owned()),
                ("anthropic-version", "2023-06-01".to_owned()),
            ],
            (Self::OpenAi, Some(key)) => vec![("authorization", format!("Bearer {key}"))],
            (Self::OpenAi, None) => Vec::new(),
        }
    }

    pub(super) fn body(self, model: &str, system: &str, prompt: &str, max_tokens: u32) -> Value {
        match self {
            Self::Anthropic => json!({
                "model": model,
                "max_tokens": max_tokens,
                "system": system,
                "messages": [{ "role": "user", "content": prompt }],
            }),
            Self::OpenAi => json!({
                "model": model,
                "max_tokens": max_tokens,
                "messages": [
                    { "role": "system", "content": system },
                    { "role": "user", "content": prompt },
                ],
            }),
        }
    }

    pub(super) fn read(self, body: &[u8]) -> Result<Answer, String> {
        match self {
            Self::Anthropic => anthropic(body),
            Self::OpenAi => open_ai(body),
        }
    }
}

#[derive(Deserialize)]
struct Message {
    content: Vec<Block>,
    stop_reason: Option<String>,
    #[serde(default)]
    usage: MessageUsage,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default)]
    text: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MessageUsage {
    input_tokens: u64,
    output_tokens: u64,
}

fn anthropic(body: &[u8]) -> Result<Answer, String> {
    let message: Message = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let text: String = message
        .content
        .into_iter()
        .map(|block| block.text)
        .collect();
    let declined = match message.stop_reason.as_deref() {
        Some("refusal") => Some("it refused".to_owned()),
        _ => nothing(&text),
    };
    Ok(Answer {
        text,
        usage: Usage {
            input_tokens: message.usage.input_tokens,
            output_tokens: message.usage.output_tokens,
            cost: None,
        },
        declined,
    })
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
struct Choice {
    message: ChoiceMessage,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChoiceMessage {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CompletionUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
}

fn open_ai(body: &[u8]) -> Result<Answer, String> {
    let completion: Completion = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let usage = completion.usage.unwrap_or_default();
    let choice = completion.choices.into_iter().next();
    let choice = choice.ok_or_else(|| "it has no choices".to_owned())?;
    let text = choice.message.content.unwrap_or_default();
    let refused = choice
        .message
        .refusal
        .map(|why| format!("it refused: {why}"));
    let filtered = (choice.finish_reason.as_deref() == Some("content_filter"))
        .then(|| "its service filtered it out".to_owned());
    Ok(Answer {
        declined: refused.or(filtered).or_else(|| nothing(&text)),
        text,
        usage: Usage {
            input_tokens: usage.prompt_tokens,
            output_tokens: usage.completion_tokens,
            cost: None,
        },
    })
}

fn nothing(text: &str) -> Option<String> {
    text.trim().is_empty().then(|| "it is empty".to_owned())
}

/// What a service says went wrong, as far as it can be read.
pub(super) fn error_in(body: &[u8]) -> String {
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = &told["error"];
    let kind = error["type"].as_str().unwrap_or_default();
    let message = error["message"]
        .as_str()
        .or(error.as_str())
        .unwrap_or_default();
    let words: String = format!("{kind} {message}")
        .trim()
        .chars()
        .take(300)
        .collect();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_their_protocol() {
        let check = |protocol: Protocol, body: Value, text: &str, tokens: (u64, u64), declined| {
            let answer = protocol
                .read(body.to_string().as_bytes())
                .expect("an answer");
            assert_eq!(answer.text, text, "{body}");
            let usage = answer.usage;
            assert_eq!((usage.input_tokens, usage.output_tokens), tokens, "{body}");
            assert_eq!(answer.declined.is_some(), declined, "{body}");
        };
        use Protocol::{Anthropic, OpenAi};
        let used = json!({ "input_tokens": 7, "output_tokens": 3 });
        let blocks = json!([{ "type": "thinking", "thinking": "…" }, { "type": "text", "text": "a" },
                            { "type": "text", "text": "b" }]);
        let message = |stop: &str, content: &Value| json!({ "content": content, "stop_reason": stop, "usage": used });
        check(Anthropic, message("end_turn", &blocks), "ab", (7, 3), false);
        check(
            Anthropic,
            message("max_tokens", &blocks),
            "ab",
            (7, 3),
            false,
        );
        check(Anthropic, message("refusal", &json!([])), "", (7, 3), true);
        check(Anthropic, message("end_turn", &json!([])), "", (7, 3), true);
        let used = json!({ "prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7 });
        let completion = |message: Value, end: &str| json!({ "choices": [{ "message": message, "finish_reason": end }], "usage": used });
        let said = json!({ "role": "assistant", "content": "a", "refusal": null });
        check(OpenAi, completion(said.clone(), "stop"), "a", (5, 2), false);
        check(
            OpenAi,
            completion(said.clone(), "content_filter"),
            "a",
            (5, 2),
            true,
        );
        let refused = json!({ "content": null, "refusal": "no" });
        check(OpenAi, completion(refused, "stop"), "", (5, 2), true);
        let bare = json!({ "choices": [{ "message": said }] });
        check(OpenAi, bare, "a", (0, 0), false);
        for protocol in [Anthropic, OpenAi] {
            for body in ["", "<html>", "{}", "[]", "{\"choices\": []}", "null"] {
                assert!(protocol.read(body.as_bytes()).is_err(), "{body}");
            }
        }
    }
}
