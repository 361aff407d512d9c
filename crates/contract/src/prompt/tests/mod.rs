//! The texts that models get, and that no input can break out of them.

mod harmless;
mod texts;

use accord_json::Meter;
use serde_json::{Value, json};

use super::*;
use crate::verdict::Candidate;
use crate::violation::Violations;

fn review() -> Schema {
    Schema::compile(
        &json!({
            "title": "Review",
            "description": "The verdict on a pull request.",
            "type": "object",
            "required": ["summary", "approval"],
            "properties": {
                "summary": {"type": "string"},
                "approval": {"enum": ["approve", "request_changes"]}
            },
            "additionalProperties": false
        }),
        &Meter::default(),
    )
    .unwrap()
}

/// The rejection of a value that does not conform.
fn rejected(schema: &Schema, value: Value) -> Rejected {
    Rejected {
        outcome: Outcome::SchemaInvalid,
        violations: schema.violations(&value),
        candidate: Some(Candidate { range: None, value: Some(value) }),
    }
}

fn without_candidate(outcome: Outcome) -> Rejected {
    Rejected { outcome, violations: Violations::default(), candidate: None }
}

fn text_retry<'a>(schema: &'a Schema, rejected: &'a Rejected) -> Retry<'a> {
    Retry {
        schema,
        form: Box::leak(Box::new(Form::new(schema, true, &Meter::default()).unwrap())),
        rejected,
        answer: None,
        cut_off: false,
        delivery: Delivery::Text,
    }
}
