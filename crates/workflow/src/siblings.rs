//! What several agents say that feed one node.

use accord_domain::comparison::Comparison;
use serde_json::Value;

/// One agent's output: its node, its schema, and what it said.
pub(crate) struct Said<'a> {
    pub(crate) node: &'a str,
    pub(crate) schema: &'a Value,
    pub(crate) output: &'a Value,
}

/// Compares them.
pub(crate) fn compare(_said: &[Said<'_>]) -> Comparison {
    Comparison::default()
}
