//! Answers that were cut off. The same rule as the runner's: what may be half an answer is none.

use accord_contract::{
    Accepted, Candidate, Outcome, Rejected, RepairKind, Source, Verdict, Violation, Violations,
};
use serde_json::Value;

/// The same verdict on an answer that was cut off. A value that is the whole text is whole, unless it is a number that
/// nothing was closed behind, which may have had more digits; and where the judge says that it mended the cut itself, it
/// took the value that was cut. One that was found somewhere may be an example before the answer that is missing.
pub(super) fn of_cut(verdict: Verdict, text: &str) -> Verdict {
    match verdict {
        Verdict::Accepted(accepted) if is_open(&accepted, text) || is_found(&accepted) => {
            Verdict::Rejected(missing(accepted.value))
        }
        other => other,
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
    let violation = Violation {
        path: "$".to_owned(),
        pointer: String::new(),
        keyword: "json".to_owned(),
        message: "the answer was cut off before its end".to_owned(),
    };
    Rejected {
        outcome: Outcome::ParseError,
        violations: Violations { errors: vec![violation], more: 0 },
        candidate: Some(Candidate { range: None, value: Some(value) }),
    }
}
