//! Judging one answer.

use serde_json::Value;

use crate::contract::Contract;
use crate::verdict::{Accepted, Answer, Outcome, Rejected, Source, Verdict};
use crate::violation::Violations;

/// Decides whether an answer holds exactly one value that keeps the contract.
pub fn judge(answer: &Answer<'_>, contract: &Contract) -> Verdict {
    match serde_json::from_str::<Value>(answer.text) {
        Ok(value) if contract.schema().is_valid(&value) => {
            Verdict::Accepted(Accepted { value, repairs: Vec::new(), source: Source::Text })
        }
        Ok(value) => Verdict::Rejected(Rejected {
            outcome: Outcome::SchemaInvalid,
            violations: contract.schema().violations(&value),
            candidate: None,
        }),
        Err(_) => Verdict::Rejected(Rejected {
            outcome: Outcome::NoJson,
            violations: Violations::default(),
            candidate: None,
        }),
    }
}
