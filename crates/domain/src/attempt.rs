//! Attempts: each answer of a model inside a run, with what was made of it.

use std::collections::HashSet;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::contract::Strategy;
use crate::usage::Usage;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It conforms.
    Accepted,
    /// There was no JSON in it.
    NoJson,
    /// There was, and it could not be read.
    ParseError,
    /// It could be read and does not conform.
    SchemaInvalid,
    /// It conforms and breaks an invariant.
    InvariantFailed,
    /// It was the schema given back.
    SchemaEcho,
    /// It was a placeholder or an example given back.
    ExampleEcho,
    /// It held two different values that conform.
    Ambiguous,
    /// The model ended without calling the submit tool.
    NotSubmitted,
    /// The provider cut it off.
    Truncated,
    /// The model refused.
    Refused,
    /// The provider refused the schema or the tool.
    SchemaRejected,
    /// The same text or the same errors as before.
    NoProgress,
    /// The provider could not be reached.
    Transport,
    /// The work failed.
    Failed,
    /// Tokens, cost or steps were used up.
    BudgetExhausted,
    /// The time was over.
    TimedOut,
    /// It was told to stop.
    Stopped,
}

impl Outcome {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::NoJson => "no_json",
            Self::ParseError => "parse_error",
            Self::SchemaInvalid => "schema_invalid",
            Self::InvariantFailed => "invariant_failed",
            Self::SchemaEcho => "schema_echo",
            Self::ExampleEcho => "example_echo",
            Self::Ambiguous => "ambiguous",
            Self::NotSubmitted => "not_submitted",
            Self::Truncated => "truncated",
            Self::Refused => "refused",
            Self::SchemaRejected => "schema_rejected",
            Self::NoProgress => "no_progress",
            Self::Transport => "transport",
            Self::Failed => "failed",
            Self::BudgetExhausted => "budget_exhausted",
            Self::TimedOut => "timed_out",
            Self::Stopped => "stopped",
        }
    }
}

impl Outcome {
    /// Whether the model was heard, and what it said did not meet the contract. A refusal, and a turn that got no answer, say
    /// nothing of how close it came.
    pub fn is_answer(self) -> bool {
        self.distance().is_some()
    }

    /// How far such an answer is from conforming.
    fn distance(self) -> Option<u8> {
        match self {
            Self::InvariantFailed => Some(0),
            Self::SchemaInvalid => Some(1),
            Self::Ambiguous => Some(2),
            Self::ParseError | Self::Truncated => Some(3),
            Self::NoJson => Some(4),
            Self::SchemaEcho | Self::ExampleEcho | Self::NotSubmitted | Self::NoProgress => Some(5),
            Self::Accepted
            | Self::Refused
            | Self::SchemaRejected
            | Self::Transport
            | Self::Failed
            | Self::BudgetExhausted
            | Self::TimedOut
            | Self::Stopped => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One located error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Error {
    /// Where, as people write it: `$.issues[0].severity`.
    pub path: String,
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// The keyword that is broken.
    pub keyword: String,
    /// What is wrong, with the value.
    pub message: String,
}

impl Error {
    /// Its path with `[*]` for every index, so that the same mistake in every item counts as one. What stands in quotes is
    /// a name and stays as it is.
    pub fn place(&self) -> String {
        let mut text = String::with_capacity(self.path.len());
        let mut characters = self.path.chars();
        let mut quote = None;
        while let Some(each) = characters.next() {
            text.push(each);
            match (quote, each) {
                (Some(_), '\\') => text.extend(characters.next()),
                (Some(open), _) if open == each => quote = None,
                (None, '"' | '\'') => quote = Some(each),
                (None, '[') => {
                    let rest = characters.as_str();
                    let digits =
                        rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
                    if let Some(after) =
                        rest.get(digits..).filter(|after| digits > 0 && after.starts_with(']'))
                    {
                        text.push('*');
                        characters = after.chars();
                    }
                }
                _ => {}
            }
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

/// One change made to an answer before it was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// What kind of change.
    pub kind: String,
    /// Where.
    pub path: String,
    /// What exactly.
    pub detail: String,
}

/// One answer, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// Which answer of the delivery, from 1.
    pub number: u32,
    /// Which delivery of the run to a runner, from 1.
    pub delivery: u32,
    /// When it was judged.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// How the model was held to the contract.
    pub strategy: Strategy,
    /// The model that answered.
    pub model: String,
    /// Who serves it.
    #[serde(default)]
    pub endpoint: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was wrong, the most useful first.
    #[serde(default)]
    pub errors: Vec<Error>,
    /// How many errors are not listed.
    #[serde(default)]
    pub more_errors: usize,
    /// What was mended.
    #[serde(default)]
    pub repairs: Vec<Repair>,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
    /// How long it took, tools and repeated requests included.
    pub duration_ms: u64,
    /// How long each request to the provider took, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request_ms: Vec<u64>,
    /// What the model said, as it said it (shortened past a limit).
    pub text: String,
    /// The re-prompt; absent for the first attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What was sent to the model, without the conversation before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
}

/// What was sent to a model for one attempt. Long texts are shortened in the middle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The system prompt, with the section on the output format.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system_prompt: String,
    /// The exchanges shown before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Exchange>,
    /// The user's message.
    pub prompt: String,
}

/// A message and the answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// The user's message.
    pub prompt: String,
    /// The assistant's answer.
    pub answer: String,
}

/// What all of them used.
pub fn used(attempts: &[Attempt]) -> Usage {
    attempts.iter().fold(Usage::default(), |used, attempt| used.and(attempt.usage))
}

/// How many answers did not meet the contract although the model had been asked again for them. The first answer of a
/// delivery is none of them: whoever takes the run next begins with the task, and gets that one once more.
pub fn retries(attempts: &[Attempt]) -> u32 {
    let mut answered = HashSet::new();
    let again = attempts
        .iter()
        .filter(|attempt| attempt.outcome.is_answer() && !answered.insert(attempt.delivery))
        .count();
    u32::try_from(again).unwrap_or(u32::MAX)
}

/// The answer that came closest, by the kind of what is wrong with it and then by how much of it; of equals the last one.
pub fn closest(attempts: &[Attempt]) -> Option<&Attempt> {
    let answers = attempts.iter().rev().filter(|attempt| attempt.outcome.is_answer());
    answers.min_by_key(|attempt| (attempt.outcome.distance(), attempt.errors.len() + attempt.more_errors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_alike_and_names_are_not() {
        let cases = [
            ("$", "$"),
            ("$.issues[3].severity", "$.issues[*].severity"),
            ("$[0][12]", "$[*][*]"),
            ("$.ü[0]", "$.ü[*]"),
            (r#"$["a[1]"][2]"#, r#"$["a[1]"][*]"#),
            (r#"$["a\"[1]"][2]"#, r#"$["a\"[1]"][*]"#),
            ("$['a[1]'][2]", "$['a[1]'][*]"),
            ("$['a[b'][1]", "$['a[b'][*]"),
            ("$.a[", "$.a["),
            ("$.a[x]", "$.a[x]"),
            ("$.a[1", "$.a[1"),
        ];
        for (path, expected) in cases {
            let error = Error {
                path: path.to_owned(),
                pointer: String::new(),
                keyword: "type".to_owned(),
                message: String::new(),
            };
            assert_eq!(error.place(), expected);
        }
    }
}
