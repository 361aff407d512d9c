//! Answers that were cut off: what may be half an answer is none.

use serde_json::Value;

use crate::verdict::{Accepted, Candidate, Outcome, Rejected, RepairKind, Source, Verdict};

impl Verdict {
    /// The same verdict on an answer that was cut off. A value that is the whole text is whole, unless it is a number that
    /// nothing was closed behind, which may have had more digits; and where the judge says that it mended the cut itself, it
    /// took the value that was cut. One that was found somewhere may be an example before the answer that is missing.
    #[must_use]
    pub fn of_cut(self, text: &str) -> Self {
        match self {
            Self::Accepted(accepted) if is_open(&accepted, text) || is_found(&accepted) => {
                Self::Rejected(missing(accepted.value))
            }
            other => other,
        }
    }
}

/// Whether it is a number that may go on.
fn is_open(accepted: &Accepted, text: &str) -> bool {
    accepted.value.is_number() && !text.trim_end().ends_with(['}', ']'])
}

/// Whether it is a part of the text, and not the one that was cut.
fn is_found(accepted: &Accepted) -> bool {
    matches!(accepted.source, Source::Fence | Source::Prose)
        && accepted.repairs.iter().all(|repair| repair.kind != RepairKind::Truncated)
}

fn missing(value: Value) -> Rejected {
    let candidate = Candidate { range: None, value: Some(value) };
    let message = "the answer was cut off before its end";
    Rejected::because(Outcome::ParseError, "json", message, Some(candidate))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Answer, Contract, Schema, judge};

    #[test]
    fn what_may_be_half_an_answer_is_none() {
        let cases = [
            (json!({"type": "integer"}), "12", false),
            (json!({"type": "object"}), "{\"a\": 12}", true),
            (json!({"type": "string"}), "\"done\"", true),
            (json!({"type": "object"}), "It looks like {\"a\": 1} and is {\"a\": 4", false),
            (json!({"type": "object"}), "```json\n{\"a\": 1}\n```\nor rather", false),
        ];
        for (schema, text, stands) in cases {
            let contract = Contract::new(Schema::compile(&schema).unwrap());
            let verdict = judge(&Answer::text(text), &contract).of_cut(text);
            assert_eq!(matches!(verdict, crate::Verdict::Accepted(_)), stands, "{text}: {verdict:?}");
        }
    }
}
