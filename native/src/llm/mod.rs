//! Models that write, behind two protocols: Anthropic's Messages API, and what OpenAI made common.
//!
//! Nothing is sent unless somebody asked for a draft or for tags. The key comes from the environment and is
//! never printed. What a model costs is only told by prices that the user gives: any that stood here
//! would soon be wrong.

mod protocol;

use std::fmt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::failure::Failure;

use protocol::Protocol;

/// An answer larger than this is none.
const LARGEST_ANSWER: u64 = 8 << 20;

/// How often a request is made at most.
const ATTEMPTS: u32 = 5;

/// The first pause; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// No pause is longer, whatever a server asks for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How to reach a model.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Drafts")]
pub(crate) struct LlmArgs {
    /// The model's name
    #[arg(long, value_name = "NAME", env = "CONCORD_LLM_MODEL")]
    llm_model: Option<String>,
    /// Where a service that speaks OpenAI's protocol is asked, up to and with /v1, with the key in
    /// CONCORD_LLM_KEY if it wants one; without this, Anthropic's API is, with the key in
    /// ANTHROPIC_API_KEY
    #[arg(long, value_name = "URL", env = "CONCORD_LLM_URL")]
    llm_url: Option<String>,
    /// The longest answer, in tokens
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    llm_max_tokens: u32,
    /// How long one answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    llm_timeout: u64,
    /// What a million tokens of prompt cost, so that the cost can be told
    #[arg(
        long,
        value_name = "AMOUNT",
        env = "CONCORD_LLM_PRICE_IN",
        requires = "price_out"
    )]
    price_in: Option<f64>,
    /// What a million tokens of answer cost
    #[arg(
        long,
        value_name = "AMOUNT",
        env = "CONCORD_LLM_PRICE_OUT",
        requires = "price_in"
    )]
    price_out: Option<f64>,
}

/// A model that can be asked to write.
pub(crate) struct Writer {
    protocol: Protocol,
    address: String,
    pub(crate) model: String,
    key: Option<String>,
    max_tokens: u32,
    price: Option<Price>,
    patience: Option<Duration>,
    agent: ureq::Agent,
}

/// What a million tokens cost.
#[derive(Clone, Copy, Debug)]
struct Price {
    input: f64,
    output: f64,
}

/// What a model wrote.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) usage: Usage,
}

/// How much was read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    /// By the prices that were given; none without.
    pub(crate) cost: Option<f64>,
}

impl Usage {
    pub(crate) fn add(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cost = match (self.cost, other.cost) {
            (None, cost) | (cost, None) => cost,
            (Some(one), Some(other)) => Some(one + other),
        };
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            input_tokens,
            output_tokens,
            cost,
        } = self;
        write!(f, "{input_tokens} tokens read, {output_tokens} written")?;
        match cost {
            Some(cost) => write!(f, ", cost {cost:.4}"),
            None => f.write_str("; the cost is told with --price-in and --price-out"),
        }
    }
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// The model would not, or what it wrote cannot be used: this question's affair.
    Declined(String, Usage),
    /// The service does not take the request: the key, the model or the address is wrong.
    Rejected(String),
    /// The service does not answer, or only with errors, often enough.
    Unreachable(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declined(why, _) => write!(f, "the model wrote nothing that can be used: {why}"),
            Self::Rejected(why) => {
                write!(f, "the model's service does not take the request: {why}")
            }
            Self::Unreachable(why) => write!(f, "the model's service does not answer: {why}"),
        }
    }
}

impl LlmArgs {
    /// The model that options and environment name.
    ///
    /// `patience` bounds how long one draft may take, all attempts together.
    pub(crate) fn writer(&self, patience: Option<Duration>) -> Result<Writer, Failure> {
        let key = |name: &str| std::env::var(name).ok().filter(|key| !key.is_empty());
        let (protocol, address, key) = match &self.llm_url {
            Some(url) => (Protocol::OpenAi, url.clone(), key("CONCORD_LLM_KEY")),
            None => {
                let Some(found) = key("ANTHROPIC_API_KEY") else {
                    let message = "no model is at hand: set ANTHROPIC_API_KEY, or name a service \
                                   that speaks OpenAI's protocol with --llm-url";
                    return Err(Failure::Input(message.to_owned()));
                };
                let base = key("ANTHROPIC_BASE_URL");
                let base = base.unwrap_or_else(|| "https://api.anthropic.com".to_owned());
                (Protocol::Anthropic, base, Some(found))
            }
        };
        let Some(model) = self.llm_model.clone() else {
            let message = "name the model with --llm-model or CONCORD_LLM_MODEL";
            return Err(Failure::Input(message.to_owned()));
        };
        let limit = Duration::from_secs(self.llm_timeout.max(1));
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(limit.min(patience.unwrap_or(limit))))
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        Ok(Writer {
            protocol,
            address: protocol.address(&address),
            model,
            key,
            max_tokens: self.llm_max_tokens,
            price: self
                .price_in
                .zip(self.price_out)
                .map(|(input, output)| Price { input, output }),
            patience,
            agent: config.new_agent(),
        })
    }
}

/// What came of one request.
enum Attempt {
    Done(Written),
    Over(Trouble),
    /// Worth another, after this long if the server said so.
    Again(String, Option<Duration>),
}

impl Writer {
    /// Asks the model to write. Waits and asks again where that may help.
    pub(crate) fn write(&self, system: &str, prompt: &str) -> Result<Written, Trouble> {
        let body = self
            .protocol
            .body(&self.model, system, prompt, self.max_tokens);
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut last = String::new();
        for attempt in 1..=ATTEMPTS {
            let wanted = match self.attempt(&body.to_string()) {
                Attempt::Done(written) => return Ok(written),
                Attempt::Over(trouble) => return Err(trouble),
                Attempt::Again(why, wanted) => {
                    last = why;
                    wanted
                }
            };
            let wait = wanted.unwrap_or(pause).min(LONGEST_PAUSE);
            let is_late = |patience: Duration| started.elapsed() + wait >= patience;
            if attempt == ATTEMPTS || self.patience.is_some_and(is_late) {
                last += &format!(" (asked {attempt} times)");
                break;
            }
            sleep(wait);
            pause *= 2;
        }
        Err(Trouble::Unreachable(last))
    }

    fn attempt(&self, body: &str) -> Attempt {
        let mut request = self
            .agent
            .post(&self.address)
            .header("content-type", "application/json");
        for (name, value) in self.protocol.headers(self.key.as_deref()) {
            request = request.header(name, value);
        }
        let answer = request.send(body).and_then(|mut answer| {
            let body = answer.body_mut().with_config().limit(LARGEST_ANSWER);
            let body = body.read_to_vec()?;
            Ok((answer, body))
        });
        let (answer, body) = match answer {
            Ok(answer) => answer,
            Err(error) => return Attempt::Again(error.to_string(), None),
        };
        let status = answer.status().as_u16();
        let pause = answer
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok());
        if status != 200 {
            let why = format!("{status} {}", protocol::error_in(&body));
            // Too many, overloaded, or broken for the moment.
            return match status {
                408 | 425 | 429 | 500..=599 => Attempt::Again(why, pause),
                _ => Attempt::Over(Trouble::Rejected(why)),
            };
        }
        match self.protocol.read(&body) {
            Ok(mut answer) => {
                answer.usage.cost = self.price.map(|price| price.of(answer.usage));
                match answer.declined {
                    None => Attempt::Done(Written {
                        text: answer.text,
                        usage: answer.usage,
                    }),
                    Some(why) => Attempt::Over(Trouble::Declined(why, answer.usage)),
                }
            }
            Err(why) => Attempt::Again(format!("the answer is not of its protocol: {why}"), None),
        }
    }
}

impl Price {
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^53")]
    fn of(self, usage: Usage) -> f64 {
        let million = 1e6;
        usage.input_tokens as f64 / million * self.input
            + usage.output_tokens as f64 / million * self.output
    }
}
