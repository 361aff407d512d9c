//! A verdict of the judge as an attempt records it.

use accord_api::{ValueSource, attempt};
use accord_contract::{Outcome, Source, Violation};

pub(super) fn outcome(outcome: Outcome) -> attempt::Outcome {
    match outcome {
        Outcome::NoJson => attempt::Outcome::NoJson,
        Outcome::ParseError => attempt::Outcome::ParseError,
        Outcome::SchemaInvalid => attempt::Outcome::SchemaInvalid,
        Outcome::InvariantFailed => attempt::Outcome::InvariantFailed,
        Outcome::SchemaEcho => attempt::Outcome::SchemaEcho,
        Outcome::ExampleEcho => attempt::Outcome::ExampleEcho,
        Outcome::Ambiguous => attempt::Outcome::Ambiguous,
        Outcome::Embedded => attempt::Outcome::Embedded,
        Outcome::Unconfirmed => attempt::Outcome::Unconfirmed,
    }
}

pub(super) fn value_source(source: Source) -> ValueSource {
    match source {
        Source::Structured => ValueSource::Structured,
        Source::Text => ValueSource::Text,
        Source::Fence => ValueSource::Fence,
        Source::Prose => ValueSource::Prose,
    }
}

pub(super) fn error(violation: &Violation) -> attempt::Error {
    attempt::Error {
        path: violation.path.clone(),
        pointer: violation.pointer.clone(),
        keyword: violation.keyword.clone(),
        message: violation.message.clone(),
    }
}

pub(super) fn repair(repair: &accord_contract::Repair) -> attempt::Repair {
    attempt::Repair { kind: kind(repair), path: repair.path.clone(), detail: repair.detail.clone() }
}

/// The kind as it is written on the wire.
fn kind(repair: &accord_contract::Repair) -> String {
    match serde_json::to_value(repair.kind) {
        Ok(serde_json::Value::String(name)) => name,
        _ => repair.kind.description().to_owned(),
    }
}
