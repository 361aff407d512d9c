//! Why a turn failed, by what is to be done next.
//!
//! Codex repeats what is worth repeating by itself, so that what arrives here is the end of it. The app server names the
//! kind of an error and its HTTP status; `codex exec` has only a message, which is that of the app server.

use serde_json::Value;

use crate::json;
use crate::session::TurnError;

use super::super::excerpt;

/// What Codex says about a failed turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CodexError {
    pub(super) message: String,
    pub(super) kind: Option<String>,
    pub(super) status: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ErrorMeaning {
    Truncated,
    Refused(String),
    Failed(TurnError),
}

/// Kinds of transient errors.
const TRANSIENT: [&str; 4] =
    ["serverOverloaded", "rateLimitExceeded", "internalServerError", "flexUnavailable"];

/// Kinds by which a provider says no to what was asked.
const REFUSALS: [&str; 2] = ["cyberPolicy", "misalignmentPolicyViolation"];

/// Phrases of transient errors.
const TRANSIENT_WORDS: [&str; 4] =
    ["stream disconnected before completion", "high demand", "error sending request", "stream closed before"];

/// Phrases of providers that do not support a schema.
const SCHEMA_WORDS: [&str; 5] =
    ["invalid_json_schema", "text.format", "response_format", "json_schema", "output_schema"];

impl CodexError {
    /// From the `error` of a turn of the app server.
    pub(super) fn of_turn(error: &Value) -> Self {
        let info = error.get("codexErrorInfo");
        let named = info.and_then(Value::as_str).map(str::to_owned);
        let members = info.and_then(Value::as_object).and_then(|members| members.iter().next());
        let status = members.and_then(|(_, details)| details.get("httpStatusCode")).and_then(Value::as_u64);
        Self {
            message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            kind: named.or_else(|| members.map(|(name, _)| name.clone())),
            status: status.and_then(|status| u16::try_from(status).ok()),
        }
    }

    pub(super) fn of_words(message: &str) -> Self {
        Self { message: message.to_owned(), kind: None, status: None }
    }

    /// What is to be done. Whether a schema was sent decides if it can be to blame.
    pub(super) fn meaning(&self, with_schema: bool) -> ErrorMeaning {
        let message = &self.message;
        if let Some(reason) = message.split("Incomplete response returned, reason: ").nth(1) {
            return match reason.trim() {
                "max_output_tokens" => ErrorMeaning::Truncated,
                "content_filter" => {
                    ErrorMeaning::Refused("the provider's filter stopped the answer".to_owned())
                }
                _ => ErrorMeaning::Failed(TurnError::Failed(self.display_message())),
            };
        }
        let has_kind = |kinds: &[&str]| self.kind.as_deref().is_some_and(|kind| kinds.contains(&kind));
        if has_kind(&REFUSALS) {
            return ErrorMeaning::Refused(self.display_message());
        }
        let status = self.status.or_else(|| status_in(message));
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        ErrorMeaning::Failed(match status {
            None | Some(400 | 422) if with_schema && says(&SCHEMA_WORDS) => {
                TurnError::SchemaRejected(self.display_message())
            }
            Some(408 | 425 | 429 | 500..=599) => TurnError::Transport(self.display_message()),
            None if has_kind(&TRANSIENT) || says(&TRANSIENT_WORDS) => {
                TurnError::Transport(self.display_message())
            }
            _ => TurnError::Failed(self.display_message()),
        })
    }

    /// The message, taken out of the provider's body where that is what it is.
    fn display_message(&self) -> String {
        let body: Option<Value> = json::read_message(&self.message).ok();
        let inner = body.as_ref().and_then(|body| body.pointer("/error/message")).and_then(Value::as_str);
        match excerpt(inner.unwrap_or(&self.message)) {
            words if words.is_empty() => "Codex failed without a reason".to_owned(),
            words => format!("Codex failed: {words}"),
        }
    }
}

/// The HTTP status that a message names.
fn status_in(message: &str) -> Option<u16> {
    let rest =
        message.split("unexpected status ").nth(1).or_else(|| message.split("last status: ").nth(1))?;
    rest.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn meaning(error: Value) -> ErrorMeaning {
        CodexError::of_turn(&error).meaning(true)
    }

    fn words(text: &str) -> String {
        format!("Codex failed: {text}")
    }

    #[test]
    fn kinds_and_statuses_decide() {
        let failed = |text: &str| ErrorMeaning::Failed(TurnError::Failed(words(text)));
        let transport = |text: &str| ErrorMeaning::Failed(TurnError::Transport(words(text)));
        let status = |name: &str, status: Value| json!({"message": "m", "codexErrorInfo": {name: {"httpStatusCode": status}}});
        assert_eq!(meaning(status("httpConnectionFailed", json!(401))), failed("m"));
        assert_eq!(meaning(status("responseTooManyFailedAttempts", json!(429))), transport("m"));
        assert_eq!(meaning(status("httpConnectionFailed", json!(503))), transport("m"));
        assert_eq!(meaning(json!({"message": "m", "codexErrorInfo": "internalServerError"})), transport("m"));
        assert_eq!(meaning(json!({"message": "m", "codexErrorInfo": "usageLimitExceeded"})), failed("m"));
        assert_eq!(
            meaning(
                json!({"message": "stream disconnected before completion: x", "codexErrorInfo": "other"})
            ),
            transport("stream disconnected before completion: x")
        );
        assert_eq!(
            meaning(json!({"message": "no", "codexErrorInfo": "cyberPolicy"})),
            ErrorMeaning::Refused(words("no"))
        );
        assert_eq!(
            meaning(json!({})),
            ErrorMeaning::Failed(TurnError::Failed("Codex failed without a reason".into()))
        );
    }

    #[test]
    fn distinguishes_a_rejected_schema_from_other_bad_requests() {
        let body = json!({"error": {"message": "Invalid schema for response_format 'codex_output_schema'",
            "param": "text.format.schema", "code": "invalid_json_schema"}});
        let error = CodexError::of_turn(&json!({"message": body.to_string(), "codexErrorInfo": "other"}));
        let text = words("Invalid schema for response_format 'codex_output_schema'");
        assert_eq!(error.meaning(true), ErrorMeaning::Failed(TurnError::SchemaRejected(text.clone())));
        assert_eq!(error.meaning(false), ErrorMeaning::Failed(TurnError::Failed(text)));
        let other = CodexError::of_words(r#"{"error": {"message": "unknown model"}}"#);
        assert_eq!(other.meaning(true), ErrorMeaning::Failed(TurnError::Failed(words("unknown model"))));
    }

    #[test]
    fn words_alone_are_enough() {
        let of = |message: &str| CodexError::of_words(message).meaning(true);
        let unauthorised = "unexpected status 401 Unauthorized: bad key, url: http://127.0.0.1/v1/responses";
        assert_eq!(of(unauthorised), ErrorMeaning::Failed(TurnError::Failed(words(unauthorised))));
        let busy = "exceeded retry limit, last status: 429 Too Many Requests";
        assert_eq!(of(busy), ErrorMeaning::Failed(TurnError::Transport(words(busy))));
        assert_eq!(of("Incomplete response returned, reason: max_output_tokens"), ErrorMeaning::Truncated);
        let filtered = ErrorMeaning::Refused("the provider's filter stopped the answer".to_owned());
        assert_eq!(of("Incomplete response returned, reason: content_filter"), filtered);
    }
}
