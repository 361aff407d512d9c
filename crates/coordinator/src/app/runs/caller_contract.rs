//! The contract that a caller was written for (`Accord-Contract`).

use accord_api::ErrorName;
use serde_json::json;

use crate::app::Agent;
use crate::error::Error;

/// Rejects a caller whose types were generated from another contract. The hash has a half for the input and one for the output,
/// so the error says which of them changed; the schemas that the caller knows are not sent, so it cannot say more.
pub(super) fn check(agent: &Agent, callers: Option<&str>) -> Result<(), Error> {
    let (Some(callers), current) = (callers, agent.contract_hash.as_str()) else { return Ok(()) };
    if callers == current {
        return Ok(());
    }
    let (Some(known), Some(now)) = (callers.split_once('-'), current.split_once('-')) else {
        let message = format!(
            "expected Accord-Contract as in contract_hash of GET /agents/{}, INPUT-OUTPUT; got '{callers}'",
            agent.blueprint.name
        );
        return Err(Error::new(ErrorName::InvalidRequest, message));
    };
    let halves = [("input", known.0 != now.0), ("output", known.1 != now.1)];
    let changed: Vec<&str> = halves.iter().filter(|(_, differs)| *differs).map(|(half, _)| *half).collect();
    let message = format!(
        "the {} schema of agent '{}' is not the one that the caller was generated from; run `accord types` again and adapt the caller",
        changed.join(" and the "),
        agent.blueprint.name
    );
    let details = json!({
        "agent_name": agent.blueprint.name,
        "changed": changed,
        "callers_contract": callers,
        "contract_hash": current,
    });
    Err(Error::new(ErrorName::ContractChanged, message).with_details(details))
}
