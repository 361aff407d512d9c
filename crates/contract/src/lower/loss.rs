//! Constraints that a provider will not enforce.

use std::collections::HashSet;

use serde::Serialize;

/// A keyword of the source that the lowered schema does not carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The schema in the source that has the keyword, as RFC 6901 writes it.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// What enforces it.
    pub enforced_by: EnforcedBy,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What enforces a keyword that the provider does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EnforcedBy {
    /// The validator alone, when the answer is judged.
    Validator,
    /// A description tells the model; the validator checks the answer as always.
    Prompt,
}

/// Merging can read one keyword several times; it is lost once.
pub(super) fn deduplicate(losses: &mut Vec<Loss>) {
    let mut seen = HashSet::new();
    losses.retain(|loss| seen.insert((loss.pointer.clone(), loss.keyword.clone())));
}
