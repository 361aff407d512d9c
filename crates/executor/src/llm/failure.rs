//! Classifies errors of providers: retry, use another delivery, or fail.

use super::endpoint::Endpoint;
use super::retry::is_passing;
use super::wire::{MAX_ANSWER_BYTES, ProviderError, ReadError};
use crate::session::TurnError;
use crate::turn::Delivery;

/// The longest provider message that is shown.
const SHOWN_CHARACTERS: usize = 500;

const TOO_LONG: [&str; 6] = [
    "context length",
    "context_length",
    "context window",
    "context size",
    "prompt is too long",
    "too many tokens",
];
const SCHEMA: [&str; 12] = [
    "schema",
    "response_format",
    "output_config",
    "output_format",
    "text.format",
    "format",
    "strict",
    "structured output",
    "structured_output",
    "grammar",
    "guided",
    "json mode",
];
const GRAMMAR: [&str; 6] = ["grammar", "pattern", "format", "schema", "regex", "response_format"];
/// Names of the field with the schema.
const SCHEMA_FIELD: [&str; 9] = [
    "response_format",
    "output_config",
    "output_format",
    "text.format",
    "json_schema",
    "structured output",
    "structured_output",
    "guided",
    "json mode",
];
/// Phrases that mean "the field is not accepted".
const NOT_ACCEPTED: [&str; 19] = [
    "disabled",
    "not enabled",
    "not support",
    "doesn't support",
    "unsupported",
    "unknown",
    "not known",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "extra inputs",
    "not permitted",
    "not allowed",
    "not available",
    "unavailable",
    "must be 'json_object'",
    "must be 'text'",
    "must be one of",
    "should be one of",
];
/// Phrases that mean "the field cannot be combined with another one".
const NOT_COMBINABLE: [&str; 3] = ["cannot be used", "cannot be combined", "can't be combined"];
/// Phrases about a part of the schema: the field itself is accepted.
const SCHEMA_DETAIL: [&str; 15] = [
    "invalid schema",
    "input_schema",
    "unknown name",
    "union types",
    "optional parameters",
    "in context",
    "schema:",
    "keyword",
    "properties",
    "$ref",
    "pattern",
    "grammar",
    "regex",
    "too complex",
    "nesting",
];
const TOOL: [&str; 3] = ["tool", "function", "tool_choice"];
/// Words that only refer to tools.
const TOOLS: [&str; 8] = [
    "tools",
    "tool use",
    "tool call",
    "tool_call",
    "tool_choice",
    "function call",
    "function_call",
    "functions",
];
/// Phrases that mean "permanently unsupported".
const UNSUPPORTED: [&str; 7] = [
    "not support",
    "not fully support",
    "doesn't support",
    "unsupported",
    "not implemented",
    "not enabled",
    "param requires",
];
/// A router's phrase for "no server supports this request". For an unknown model it writes "endpoints found for".
const NO_ENDPOINT: &str = "no endpoints found that";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestFailure {
    Transient(String),
    Permanent(TurnError),
}

pub(super) struct FailureContext<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) model: &'a str,
    pub(super) delivery: &'a Delivery,
}

impl FailureContext<'_> {
    /// Classifies an answer that could not be read.
    pub(super) fn read_error(&self, error: ReadError) -> RequestFailure {
        let name = &self.endpoint.name;
        match error {
            ReadError::Provider(problem) => self.problem(&problem),
            ReadError::TooLarge => RequestFailure::Permanent(TurnError::Failed(format!(
                "the response of {name} is larger than {} MiB and was cut off; set `max_tokens`",
                MAX_ANSWER_BYTES / 1024 / 1024
            ))),
            ReadError::BrokenOff => {
                RequestFailure::Transient(format!("the response of {name} ended before its last event"))
            }
            ReadError::Unreadable(why) => RequestFailure::Permanent(TurnError::Failed(format!(
                "the response of {name} cannot be parsed: {}; check that `base_url` and the provider type match",
                self.one_line(&why)
            ))),
        }
    }

    /// Classifies an error that the provider reports.
    pub(super) fn problem(&self, problem: &ProviderError) -> RequestFailure {
        let words = format!("{} {}", problem.code, problem.message).to_lowercase();
        let has = |list: &[&str]| has_one_of(&words, list);
        let status = problem.status;
        let unsupported = self.is_unsupported(status, &words);
        let refused = matches!(status, 400 | 413 | 422);
        if status == 413 || refused && has(&TOO_LONG) {
            return RequestFailure::Permanent(TurnError::Failed(format!(
                "the conversation is too long for model `{}`: {}",
                self.model,
                self.describe(problem)
            )));
        }
        if status == 429 && words.contains("insufficient_quota") {
            return RequestFailure::Permanent(TurnError::Failed(format!(
                "the quota is used up: {}; check plan and billing of provider `{}`",
                self.describe(problem),
                self.endpoint.provider
            )));
        }
        if let Some(error) = self.delivery_refused(unsupported, &has, problem) {
            return RequestFailure::Permanent(error);
        }
        match is_passing(status) && !unsupported {
            true => RequestFailure::Transient(self.describe(problem)),
            false => RequestFailure::Permanent(TurnError::Failed(self.lasting(problem))),
        }
    }

    /// Whether a server does not support tools or formats and reports that by an unusual status. The model's name is removed,
    /// because it may contain any word.
    fn is_unsupported(&self, status: u16, words: &str) -> bool {
        let words = words.replace(&self.model.to_lowercase(), "");
        let has = |list: &[&str]| has_one_of(&words, list);
        match status {
            404 => has(&[NO_ENDPOINT]),
            500.. => has(&UNSUPPORTED) && !has(&SCHEMA_DETAIL) && (has(&TOOLS) || has(&SCHEMA_FIELD)),
            _ => false,
        }
    }

    /// The error, if the delivery was rejected. Plain text cannot be rejected.
    fn delivery_refused(
        &self,
        unsupported: bool,
        has: &dyn Fn(&[&str]) -> bool,
        problem: &ProviderError,
    ) -> Option<TurnError> {
        let status = problem.status;
        let local = self.endpoint.kind.is_self_hosted();
        // Local servers report schema errors as 5xx while they build the grammar, in every dialect.
        let grammar = status >= 500 && (has(&["grammar"]) || local && has(&GRAMMAR));
        let field = has(&SCHEMA_FIELD) || has(self.endpoint.wire.schema_field_names());
        let refused = matches!(status, 400 | 422);
        let unwanted = has(&NOT_ACCEPTED) || has(&NOT_COMBINABLE) && has(&TOOLS);
        let schema = || match (field && unwanted || unsupported) && !has(&SCHEMA_DETAIL) {
            true => TurnError::FormatRejected(self.describe(problem)),
            false => TurnError::SchemaRejected(self.describe(problem)),
        };
        let tool = || TurnError::ToolRejected(self.describe(problem));
        match self.delivery {
            Delivery::Text => None,
            Delivery::Object | Delivery::Native { .. } if unsupported && has(&TOOLS) => Some(tool()),
            Delivery::Object | Delivery::Native { .. }
                if unsupported || grammar || refused && (field || has(&SCHEMA)) =>
            {
                Some(schema())
            }
            Delivery::Object | Delivery::Native { .. } => (refused && has(&TOOL)).then(tool),
            Delivery::Tool { .. } if refused && has(&SCHEMA_DETAIL) => Some(schema()),
            Delivery::Tool { .. } if unsupported || refused && has(&TOOL) => Some(tool()),
            Delivery::Tool { .. } => (grammar || refused && has(&SCHEMA)).then(schema),
        }
    }

    fn lasting(&self, problem: &ProviderError) -> String {
        let (endpoint, model) = (self.endpoint, self.model);
        match problem.status {
            401 | 403 if endpoint.key_withheld => format!(
                "{} requires an API key ({}), and none was sent, because the agent's `base_url` is not the URL of provider `{}`: configure a provider with this URL and its key",
                endpoint.name, problem.status, endpoint.provider
            ),
            // The provider's message is left out, because some repeat the key.
            401 => format!(
                "{} rejected the API key (401): check the key of provider `{}`",
                endpoint.name, endpoint.provider
            ),
            403 => format!(
                "{}; check that the key of provider `{}` may use model `{model}`",
                self.describe(problem),
                endpoint.provider
            ),
            404 => format!("{}; check the name of model `{model}`, and `base_url`", self.describe(problem)),
            300..=399 => format!(
                "{} responded with a redirect ({}), and the API key is not sent along: set `base_url` to the final URL",
                endpoint.name, problem.status
            ),
            _ => self.describe(problem),
        }
    }

    fn describe(&self, problem: &ProviderError) -> String {
        let ProviderError { status, message, .. } = problem;
        let who = &self.endpoint.name;
        match message.is_empty() {
            true => format!("{who} responded {status} without a message"),
            false => format!("{who} responded {status}: {}", self.one_line(message)),
        }
    }

    /// A text of a provider, without secrets, on one line, shortened.
    pub(super) fn one_line(&self, text: &str) -> String {
        let clean = self.endpoint.scrub(text);
        let line: Vec<&str> = clean.split_whitespace().collect();
        shorten(&line.join(" "), SHOWN_CHARACTERS)
    }
}

fn has_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| has_word_starting_with(text, word))
}

/// Whether a text contains a word that starts like this: "information" is not about a format.
fn has_word_starting_with(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(char::is_alphanumeric)
    })
}

/// A text of at most so many characters.
pub(super) fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
