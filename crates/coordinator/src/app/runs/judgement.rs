//! Judgements in the types of the API: on attempts, and in the error of a run whose contract was not met.

use accord_contract::{Outcome as Reason, Repair, Source, Violation};
use accord_domain::attempt::{self, Attempt, Outcome as Judged, ValueSource};
use accord_domain::contract::Contract;
use accord_domain::run::{Failure, FailureType, Unmet};

/// The failure that callers see: what was wrong with the answer that came closest.
pub(super) fn failure(terms: &Contract, attempts: &[Attempt], retries: u32, unmet: Unmet) -> Failure {
    let mut answers = attempts.iter().filter(|attempt| attempt.outcome.is_answer());
    let all_cut_off = answers.all(|attempt| attempt.outcome == Judged::Truncated);
    let failure = match unmet {
        Unmet::RetriesSpent | Unmet::NoProgress if all_cut_off => {
            let retries = if retries == 1 { "1 retry".to_owned() } else { format!("{retries} retries") };
            let message = format!(
                "output was cut off each time, after {retries}; allow longer answers or ask for less"
            );
            Failure::new(FailureType::OutputTruncated, message)
        }
        unmet => {
            let closest = attempt::closest(attempts).map(|attempt| attempt.outcome);
            Failure::unmet(terms.origin, closest, retries, unmet)
        }
    };
    failure.with_closest(attempts)
}

/// The failure of a run without a contract whose text is not whole.
pub(super) fn cut_off(text: &str, attempts: u32) -> Failure {
    let message = "the answer was cut off; raise max_tokens, or ask for less";
    Failure {
        attempts: Some(attempts),
        ..Failure::new(FailureType::OutputTruncated, message).with_output(text)
    }
}

pub(super) fn outcome(reason: Reason) -> Judged {
    match reason {
        Reason::NoJson => Judged::NoJson,
        Reason::ParseError => Judged::ParseError,
        Reason::SchemaInvalid => Judged::SchemaInvalid,
        Reason::InvariantFailed => Judged::InvariantFailed,
        Reason::SchemaEcho => Judged::SchemaEcho,
        Reason::ExampleEcho => Judged::ExampleEcho,
        Reason::Ambiguous => Judged::Ambiguous,
        Reason::Embedded => Judged::Embedded,
        Reason::Unconfirmed => Judged::Unconfirmed,
    }
}

pub(super) fn source(source: Source) -> ValueSource {
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

pub(super) fn repair(repair: &Repair) -> attempt::Repair {
    let kind = serde_json::to_value(repair.kind).ok();
    attempt::Repair {
        kind: kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default().to_owned(),
        path: repair.path.clone(),
        detail: repair.detail.clone(),
    }
}
