//! Replaces named tiers by models when a run is given to a runner.

use std::collections::BTreeMap;

use accord_api::ErrorName;
use accord_blueprint::resolve_tiers;
use accord_domain::agent::{Llm, TIER};
use accord_domain::run::Assignment;
use serde_json::Value;

use crate::error::Error;

/// Replaces the tiers in the text of a blueprint, which is not parsed if it has none.
pub(crate) fn resolve(blueprint: &str, tiers: &BTreeMap<String, Llm>) -> Result<String, Error> {
    if !blueprint.contains(&format!("\"{TIER}\"")) {
        return Ok(blueprint.to_owned());
    }
    let mut value: Value = serde_json::from_str(blueprint).map_err(Error::internal)?;
    resolve_tiers(&mut value, tiers)
        .map_err(|error| Error::new(ErrorName::AgentBroken, error.to_string()))?;
    Ok(value.to_string())
}

/// Replaces the tiers of a run. One that is no longer configured is reported by the runner: only this run fails.
pub(crate) fn resolve_if_known(assignment: &mut Assignment, tiers: &BTreeMap<String, Llm>) {
    if let Ok(resolved) = resolve(&assignment.blueprint, tiers) {
        assignment.blueprint = resolved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blueprint_without_tiers_is_unchanged() {
        let blueprint = r#"{"executor": {"provider":  "ollama"}}"#;
        assert_eq!(resolve(blueprint, &BTreeMap::new()).unwrap(), blueprint);
    }
}
