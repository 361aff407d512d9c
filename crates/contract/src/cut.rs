//! Answers that were cut off: a value that may be incomplete is not accepted.

use serde_json::Value;

use crate::repair::{Repair, RepairKind};
use crate::verdict::{Accepted, Candidate, Outcome, Rejected, Source, Verdict};

impl Verdict {
    /// The same verdict on an answer that the provider says was cut off. Only a value that is the whole text and whose end
    /// is in the text is kept. Nothing is closed for it, a number may have had more digits, and a value that was found
    /// before other text may be an example before the answer that is missing.
    #[must_use]
    pub fn of_cut(self, text: &str) -> Self {
        match self {
            Self::Accepted(accepted) if !is_whole(&accepted, text) => Self::Rejected(missing(accepted.value)),
            other => other,
        }
    }
}

fn is_whole(accepted: &Accepted, text: &str) -> bool {
    let adds_end = |repair: &Repair| {
        matches!(
            repair.kind,
            RepairKind::Truncated | RepairKind::Bracket | RepairKind::MissingQuote | RepairKind::Unquoted
        )
    };
    match accepted.source {
        Source::Structured => true,
        Source::Text => {
            let may_go_on = accepted.value.is_number() && !text.trim_end().ends_with(['}', ']']);
            !may_go_on && !accepted.repairs.iter().any(adds_end)
        }
        Source::Fence | Source::Prose => false,
    }
}

fn missing(value: Value) -> Rejected {
    let candidate = Candidate { range: None, value: Some(value) };
    let message = "the answer was cut off";
    Rejected::because(Outcome::ParseError, "json", message, Some(candidate))
}

#[cfg(test)]
mod tests {
    use accord_json::Meter;
    use serde_json::json;

    use crate::{Answer, Contract, Schema, judge};

    #[test]
    fn truncated_values_are_rejected() {
        let cases = [
            (json!({"type": "integer"}), "12", false),
            (json!({"type": "object"}), "{\"a\": 12}", true),
            (json!({"type": "string"}), "\"done\"", true),
            (json!({"type": "object"}), "It looks like {\"a\": 1} and is {\"a\": 4", false),
            (json!({"type": "object"}), "```json\n{\"a\": 1}\n```\nor rather", false),
            (json!({"type": "object"}), "{\"a\": \"x\"", false),
        ];
        for (schema, text, is_accepted) in cases {
            let options = crate::Options { mode: crate::Mode::Lenient, ..crate::Options::default() };
            let contract =
                Contract::new(Schema::compile(&schema, &Meter::default()).unwrap()).with_options(options);
            let verdict = judge(&Answer::text(text), &contract, &Meter::default()).of_cut(text);
            assert_eq!(matches!(verdict, crate::Verdict::Accepted(_)), is_accepted, "{text}: {verdict:?}");
        }
    }
}
