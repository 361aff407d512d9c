//! What several agents say that feed one node.

use accord_domain::comparison::Comparison;
use serde_json::Value;

use crate::compare::{self, CompareOptions, Sibling};

/// One agent's output: its node, its schema, and what it said.
pub(crate) struct Said<'a> {
    pub(crate) node: &'a str,
    pub(crate) schema: &'a Value,
    pub(crate) output: &'a Value,
}

/// Compares them, each under the name of its node.
pub(crate) fn compare(said: &[Said<'_>]) -> Comparison {
    let siblings: Vec<Sibling<'_>> = said
        .iter()
        .map(|said| Sibling { agent: said.node, schema: said.schema, output: said.output })
        .collect();
    compare::compare(&siblings, &CompareOptions::default())
}
