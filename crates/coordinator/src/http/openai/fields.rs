//! Which fields of a request are read, and which are accepted without effect.
//!
//! Official clients send settings of a model call with every request, and clients of compatible servers send more. An agent has
//! settings of its own, so those are accepted and ignored; the response names them in a header. What is refused is an official field
//! that asks for more than that, and a name that is nearly one that is read: a contract that is dropped looks as if it was met.

use std::fmt;

use accord_domain::nearest;
use accord_json::read_leniently;
use axum::http::{HeaderName, HeaderValue};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::json;

use crate::error::{Error, refuse};
use crate::http::incoming::Received;

/// The fields of one kind of request.
pub(super) struct Fields {
    read: &'static [&'static str],
    /// Accepted without effect.
    ignored: &'static [&'static str],
    /// Official fields that cannot be met, with what to do.
    refused: &'static [(&'static str, &'static str)],
}

pub(super) const CHAT: Fields = Fields {
    read: &[
        "model",
        "messages",
        "response_format",
        "tools",
        "tool_choice",
        "stream",
        "stream_options",
        "metadata",
        "n",
    ],
    ignored: &[
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "modalities",
        "moderation",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning_effort",
        "safety_identifier",
        "seed",
        "service_tier",
        "stop",
        "store",
        "temperature",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
    ],
    refused: &[
        ("audio", "agents answer in text"),
        ("functions", "use response_format of type json_schema"),
        ("function_call", "use response_format of type json_schema"),
        ("web_search_options", "agents bring their own tools"),
    ],
};

pub(super) const RESPONSES: Fields = Fields {
    read: &[
        "model",
        "input",
        "instructions",
        "text",
        "tools",
        "tool_choice",
        "stream",
        "background",
        "previous_response_id",
        "metadata",
    ],
    ignored: &[
        "context_management",
        "frequency_penalty",
        "include",
        "max_output_tokens",
        "max_tool_calls",
        "moderation",
        "parallel_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "store",
        "stream_options",
        "temperature",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
    ],
    refused: &[
        ("conversation", "use previous_response_id"),
        ("prompt", "the prompt of an agent is in its definition; send input"),
    ],
};

/// The names of the fields of a request, and which of them are null. Their values are not kept.
#[derive(Debug, Default)]
pub(super) struct Given(Vec<(String, bool)>);

impl Given {
    /// A body that is no object, or no JSON, has none: reading it as a request says what is wrong with it.
    pub(super) async fn read(body: &Received) -> Result<Self, Error> {
        body.with(|text| read_leniently(text).unwrap_or_default()).await
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for Given {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<Self, A::Error> {
        while let Some((name, value)) = fields.next_entry::<String, Option<IgnoredAny>>()? {
            self.0.push((name, value.is_none()));
        }
        Ok(self)
    }
}

/// The fields of a request that have no effect, in the order of the request.
pub(super) struct Ignored(Vec<String>);

const HEADER: HeaderName = HeaderName::from_static("accord-ignored-fields");

impl Ignored {
    /// The header that names them, if there are any.
    pub(super) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let value = HeaderValue::try_from(self.0.join(", ")).ok()?;
        (!self.0.is_empty()).then_some((HEADER, value))
    }
}

impl Fields {
    /// Checks the fields of a request by their names.
    pub(super) fn check(&self, Given(fields): &Given) -> Result<Ignored, Error> {
        let mut ignored = Vec::new();
        for (name, is_null) in fields {
            if self.read.contains(&name.as_str()) {
                continue;
            }
            if !self.ignored.contains(&name.as_str()) {
                self.refuse(name, *is_null)?;
            }
            let shown: String = name.chars().take(SHOWN).filter(char::is_ascii_graphic).collect();
            if !*is_null && !shown.is_empty() && ignored.len() < MOST_NAMED {
                ignored.push(shown);
            }
        }
        Ok(Ignored(ignored))
    }

    fn refuse(&self, name: &str, is_null: bool) -> Result<(), Error> {
        if let Some((known, instead)) = self.refused.iter().find(|(known, _)| *known == name) {
            let message = format!("the field '{known}' is not supported: {instead}");
            return if is_null { Ok(()) } else { Err(invalid(name, message)) };
        }
        // Short names are near to anything.
        let known = self.read.iter().chain(self.ignored).copied().filter(|known| known.len() > SHORT);
        match nearest(name, known).filter(|near| self.read.contains(near)) {
            Some(near) => Err(invalid(name, format!("unknown field '{name}'; did you mean '{near}'?"))),
            None => Ok(()),
        }
    }
}

/// How much of an unknown name is shown: enough to recognise it by.
const SHOWN: usize = 100;

/// How many ignored fields a response names.
const MOST_NAMED: usize = 50;

/// A field with a name of at most these letters is no correction of another.
const SHORT: usize = 3;

/// An error of one field.
pub(super) fn invalid(field: &str, message: impl Into<String>) -> Error {
    let field: String = field.chars().take(SHOWN).collect();
    refuse(message).with_details(json!({"param": field}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(request: &serde_json::Value) -> Given {
        serde_json::from_str(&request.to_string()).unwrap()
    }

    #[test]
    fn settings_of_a_model_call_are_ignored_and_named() {
        let request = json!({
            "model": "a", "temperature": 0, "messages": [], "max_tokens": 5, "top_p": null, "audio": null,
            "top_k": 5, "min_p": 0.1, "thinking": {}, "reasoning": {}, "temprature": 1, "ü\n": 1, "repetition_penalty": 1,
        });
        let ignored = CHAT.check(&given(&request)).unwrap();
        assert_eq!(
            ignored.header().unwrap().1,
            "temperature, max_tokens, top_k, min_p, thinking, reasoning, temprature, repetition_penalty"
        );
        assert!(CHAT.check(&given(&json!({"model": "a"}))).unwrap().header().is_none());
    }

    #[test]
    fn other_fields_are_refused_by_name() {
        let refusal = |fields: &Fields, name: &str| {
            let error = fields.check(&given(&json!({name: 1}))).err().unwrap();
            (error.message().to_owned(), error.body().details.unwrap()["param"].clone())
        };
        let cases = [
            (refusal(&CHAT, "mesages"), "unknown field 'mesages'; did you mean 'messages'?", "mesages"),
            (
                refusal(&CHAT, "functions"),
                "the field 'functions' is not supported: use response_format of type json_schema",
                "functions",
            ),
            (
                refusal(&RESPONSES, "conversation"),
                "the field 'conversation' is not supported: use previous_response_id",
                "conversation",
            ),
        ];
        for ((message, param), expected, field) in cases {
            assert_eq!((message.as_str(), param), (expected, json!(field)));
        }
    }

    #[test]
    fn no_field_is_listed_twice() {
        for fields in [CHAT, RESPONSES] {
            let refused = fields.refused.iter().map(|(name, _)| *name);
            let mut all: Vec<&str> =
                fields.read.iter().chain(fields.ignored).copied().chain(refused).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        }
    }
}
