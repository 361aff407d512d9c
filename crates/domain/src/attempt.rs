//! Attempts: each answer of a model inside a run, with what was made of it.

use std::collections::HashSet;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::contract::Strategy;
use crate::named::named;
use crate::usage::Usage;

/// Marks the model of an attempt that was replayed from a recording: no model was called, and statistics keep it apart.
pub const REPLAYED: &str = " (replay)";

named! {
    /// Outcome of an attempt.
    pub enum Outcome {
        /// The answer conforms.
        Accepted,
        /// The answer contains no JSON.
        NoJson,
        /// The JSON could not be parsed.
        ParseError,
        /// The JSON does not conform to the schema.
        SchemaInvalid,
        /// The value conforms to the schema but breaks an invariant.
        InvariantFailed,
        /// The model returned the schema itself.
        SchemaEcho,
        /// The model returned a placeholder or an example.
        ExampleEcho,
        /// The answer contains several different conforming values.
        Ambiguous,
        /// Its value conforms and is in a fence or in prose, where `extract_json` does not accept it.
        Embedded,
        /// Its value conforms and is in prose, and `embedded: confirm` wants it alone first.
        Unconfirmed,
        /// The model ended without calling the submit tool.
        NotSubmitted,
        /// The provider truncated the answer.
        Truncated,
        /// The model refused.
        Refused,
        /// The provider rejected the schema or the tool.
        SchemaRejected,
        /// The model repeated the same answer or the same errors.
        NoProgress,
        /// The answer does not conform, and children of the run have not finished. Not a failure: the run waits for them.
        Waiting,
        /// The provider could not be reached.
        Transport,
        /// Execution failed.
        Failed,
        /// A token, cost or step limit was reached.
        BudgetExhausted,
        /// The timeout expired.
        TimedOut,
        /// Stopped on request.
        Stopped,
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
            Self::InvariantFailed | Self::Embedded | Self::Unconfirmed => Some(0),
            Self::SchemaInvalid => Some(1),
            Self::Ambiguous => Some(2),
            Self::ParseError | Self::Truncated => Some(3),
            Self::NoJson => Some(4),
            Self::SchemaEcho | Self::ExampleEcho | Self::NotSubmitted | Self::NoProgress => Some(5),
            Self::Accepted
            | Self::Refused
            | Self::SchemaRejected
            | Self::Waiting
            | Self::Transport
            | Self::Failed
            | Self::BudgetExhausted
            | Self::TimedOut
            | Self::Stopped => None,
        }
    }
}

named! {
    /// Where an accepted value was found, in order of trust.
    pub enum ValueSource {
        /// Handed over as a value: structured output, or the arguments of a submit tool.
        Structured,
        /// The whole text of the answer.
        Text,
        /// A fenced block.
        Fence,
        /// Somewhere in other text.
        Prose,
        /// Entered by a person.
        Human,
    }
}

/// A validation error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Error {
    /// Path, for example `$.issues[0].severity`.
    pub path: String,
    /// JSON pointer.
    pub pointer: String,
    /// The violated keyword.
    pub keyword: String,
    /// Message.
    pub message: String,
}

impl Error {
    /// Its path with `[*]` for every index, so that the same mistake in every item counts as one. Quoted names are
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

/// A repair made to an answer before it was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// Kind of repair.
    pub kind: String,
    /// Path.
    pub path: String,
    /// Details.
    pub detail: String,
}

/// A validated answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// Number within the delivery, from 1.
    pub number: u32,
    /// Delivery of the run to a runner, from 1.
    pub delivery: u32,
    /// Time of validation.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Strategy used.
    pub strategy: Strategy,
    /// The model that answered.
    pub model: String,
    /// Provider.
    #[serde(default)]
    pub endpoint: String,
    /// Outcome.
    pub outcome: Outcome,
    /// Validation errors, most useful first.
    #[serde(default)]
    pub errors: Vec<Error>,
    /// Number of errors not listed.
    #[serde(default)]
    pub more_errors: usize,
    /// Repairs.
    #[serde(default)]
    pub repairs: Vec<Repair>,
    /// Where the value was found, if one was accepted under a contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ValueSource>,
    /// Usage.
    #[serde(default)]
    pub usage: Usage,
    /// Duration, including tools and repeated requests.
    pub duration_ms: u64,
    /// Duration of each provider request, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request_ms: Vec<u64>,
    /// Raw answer of the model (shortened above a limit).
    pub text: String,
    /// The retry prompt; null for the first attempt.
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
/// delivery is none of them: the next runner starts with the task, and gets that one once more.
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
