//! A caller's schema beside the agent's own.
//!
//! The agent's is always enforced. A caller's that it implies changes nothing, so it is accepted everywhere. One that it does not
//! imply is refused with the place, or enforced as well: clients of OpenAI's API send a schema with every request, and cannot do
//! without it ([decision 63](../../../../../docs/adr/0063-two-contracts-one-value.md)).

use std::sync::Arc;

use accord_api::ErrorName;
use accord_contract::{Exceeded, Meter, Schema};
use accord_workflow::{Agreement, Disagreement, agreement, both};
use serde_json::{Value, json};

use super::output::Parts;
use super::{Contracts, InForce, invalid_schema};
use crate::app::Agent;
use crate::error::Error;
use crate::work::heavy;

/// What happens to a caller's schema that the agent's own does not imply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Beside {
    /// It is an error, which names the place.
    #[default]
    Refused,
    /// Both hold, unless no value can conform to both.
    Enforced,
}

/// Places in the message; all of them are in the details.
const IN_MESSAGE: usize = 3;

impl Contracts {
    /// The contract of a run whose agent and caller have a schema each.
    pub(super) async fn beside(
        &self,
        agent: &Agent,
        agents: &Schema,
        callers: Schema,
        policy: Beside,
    ) -> Result<Arc<InForce>, Error> {
        let key = format!("{}:{}:{}:{policy:?}", agent.hash, agents.hash(), callers.hash());
        if let Some(known) = self.by_agent.get(&key) {
            return Ok(known);
        }
        let (own, sent) = (agents.document().clone(), callers.document().clone());
        let compared = heavy(move |meter| compare(&own, &sent, policy, meter)).await??;
        let made = match compared {
            Compared::Implied => self.agents_own(agent, agents)?,
            Compared::Differs { is_possible, places } => {
                let owner = format!("agent '{}' has its own output_schema", agent.blueprint.name);
                let name = json!({"agent_name": agent.blueprint.name});
                return Err(conflict(&owner, name, is_possible, &places));
            }
            Compared::Both(document) => {
                let compiled = self.sent_schema(&document).await?;
                let schema = compiled.map_err(|error| invalid_schema("output_schema", &error))?;
                let callers_schema = Some(callers.document().clone());
                self.in_force(Parts { schema, callers_schema, ..Parts::of_blueprint(agent, agents) })?
            }
        };
        self.by_agent.put(&key, made.text.len(), Arc::clone(&made));
        Ok(made)
    }
}

/// Checks that a caller's schema accepts every output of a workflow, which no schema can be added to.
pub(crate) async fn accepts_output(workflow: &str, output: Option<Value>, sent: Value) -> Result<(), Error> {
    let own = output.unwrap_or(Value::Bool(true));
    let compared = heavy(move |meter| compare(&own, &sent, Beside::Refused, meter)).await??;
    let Compared::Differs { is_possible, places } = compared else { return Ok(()) };
    let owner = format!("workflow '{workflow}' has its own output");
    Err(conflict(&owner, json!({"workflow_name": workflow}), is_possible, &places))
}

enum Compared {
    Implied,
    Both(Value),
    Differs { is_possible: bool, places: Vec<Disagreement> },
}

fn compare(own: &Value, sent: &Value, policy: Beside, meter: &Meter) -> Result<Compared, Exceeded> {
    let places = match agreement(own, sent, meter)? {
        Agreement::Implied => return Ok(Compared::Implied),
        Agreement::Impossible(places) => return Ok(Compared::Differs { is_possible: false, places }),
        Agreement::Partial(places) => places,
    };
    let whole = match policy {
        Beside::Refused => None,
        Beside::Enforced => both(own, sent, meter)?,
    };
    Ok(whole.map_or(Compared::Differs { is_possible: true, places }, Compared::Both))
}

fn conflict(owner: &str, mut details: Value, is_possible: bool, places: &[Disagreement]) -> Error {
    let what = match is_possible {
        true => "the caller's schema does not accept every value of it",
        false => "no value conforms to it and to the caller's schema",
    };
    let mut shown: Vec<String> = places.iter().take(IN_MESSAGE).map(ToString::to_string).collect();
    if let more @ 1.. = places.len().saturating_sub(IN_MESSAGE) {
        shown.push(format!("{more} more"));
    }
    let message =
        format!("{owner}, and {what}: {}; send a schema that accepts all of it, or none", shown.join("; "));
    let places: Vec<Value> =
        places.iter().map(|place| json!({"path": place.path, "message": place.message})).collect();
    if let Value::Object(members) = &mut details {
        members.insert("places".to_owned(), Value::Array(places));
        members.insert("is_possible".to_owned(), Value::Bool(is_possible));
    }
    Error::new(ErrorName::OutputSchemaConflict, message).with_details(details)
}
