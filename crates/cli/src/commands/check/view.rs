//! The verdict as data. The names and their order are API.

use accord_contract::{Outcome, Repair, Source, Verdict, Violation};
use serde::Serialize;
use serde_json::Value;

use super::explain::AccountSpan;

/// One verdict, as `accord check` prints it.
#[derive(Debug, Serialize)]
pub(super) struct View<'a> {
    valid: bool,
    value: Option<&'a Value>,
    errors: &'a [Violation],
    repairs: &'a [Repair],
    /// The kind of failure; null when valid.
    outcome: Option<Outcome>,
    /// Where an accepted value stood; null when not valid.
    source: Option<Source>,
    /// How many errors are not in the list.
    more_errors: usize,
    /// The role of each byte of the text, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Vec<AccountSpan>>,
}

impl<'a> From<&'a Verdict> for View<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        match verdict {
            Verdict::Accepted(accepted) => View {
                valid: true,
                value: Some(&accepted.value),
                errors: &[],
                repairs: &accepted.repairs,
                outcome: None,
                source: Some(accepted.source),
                more_errors: 0,
                account: None,
            },
            Verdict::Rejected(rejected) => View {
                valid: false,
                value: None,
                errors: &rejected.violations.errors,
                repairs: &[],
                outcome: Some(rejected.outcome),
                source: None,
                more_errors: rejected.violations.more,
                account: None,
            },
        }
    }
}

impl<'a> View<'a> {
    pub(super) fn with_account(self, account: Option<Vec<AccountSpan>>) -> Self {
        View { account, ..self }
    }

    /// Shown instead of a verdict if there was nothing to judge.
    pub(super) fn unreadable(error: &'a Violation) -> Self {
        View {
            valid: false,
            value: None,
            errors: std::slice::from_ref(error),
            repairs: &[],
            outcome: None,
            source: None,
            more_errors: 0,
            account: None,
        }
    }
}
