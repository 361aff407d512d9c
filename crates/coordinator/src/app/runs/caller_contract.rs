//! The contract that a caller was written for (`Accord-Contract`).

use accord_api::ErrorName;
use accord_contract::{Meter, SchemaChange, schema_changes};
use accord_store::{ContractRecord, Store};
use serde_json::{Value, json};

use crate::app::Agent;
use crate::error::{Error, refuse};
use crate::work::heavy;

/// Differences in the message; all of them are in the details.
const IN_MESSAGE: usize = 3;

/// Rejects a caller whose types were generated from another contract. The caller sends a hash, not its schemas. The
/// differences are known if the coordinator has kept that contract, because somebody used or read it here.
pub(super) async fn check(store: &dyn Store, agent: &Agent, callers: Option<&str>) -> Result<(), Error> {
    let (Some(callers), current) = (callers, agent.contract_hash.as_str()) else { return Ok(()) };
    if callers == current {
        return Ok(());
    }
    let name = &agent.blueprint.name;
    let (Some(known), Some(now)) = (callers.split_once('-'), current.split_once('-')) else {
        return Err(refuse(format!(
            "expected Accord-Contract as in contract_hash of GET /agents/{name}, INPUT-OUTPUT; got '{callers}'"
        )));
    };
    let halves = [("input", known.0 != now.0), ("output", known.1 != now.1)];
    let changed: Vec<&str> = halves.iter().filter(|(_, differs)| *differs).map(|(half, _)| *half).collect();
    let differences = match store.contract(name, callers).await? {
        Some(record) => {
            let (input, output) = (agent.input_document(), agent.output_document().cloned());
            Some(heavy(move |meter| differences(&record, &input, output.as_ref(), meter)).await??)
        }
        None => None,
    };
    // A hash of an older version of Accord counted what is no change.
    if differences.as_ref().is_some_and(Vec::is_empty) {
        return Ok(());
    }
    let message = format!(
        "the {} schema of agent '{name}' is not the one that the caller was generated from{}; \
         run `accord types` again and adapt the caller",
        changed.join(" and the "),
        summary(differences.as_deref())
    );
    let differences = differences.map(|all| all.iter().map(Difference::json).collect::<Vec<_>>());
    let details = json!({
        "agent_name": name,
        "changed": changed,
        "differences": differences,
        "callers_contract": callers,
        "contract_hash": current,
    });
    Err(Error::new(ErrorName::ContractChanged, message).with_details(details))
}

struct Difference {
    /// `input` or `output`.
    schema: &'static str,
    change: SchemaChange,
}

impl Difference {
    fn json(&self) -> Value {
        json!({"schema": self.schema, "path": self.change.path, "change": self.change.change})
    }
}

fn differences(
    old: &ContractRecord,
    input: &Value,
    output: Option<&Value>,
    meter: &Meter,
) -> Result<Vec<Difference>, Error> {
    let read = |text: &str| serde_json::from_str::<Value>(text).map_err(Error::internal);
    let input = schema_changes(&read(&old.input)?, input, meter)?;
    let output = match (old.output.as_deref().map(read).transpose()?, output) {
        (Some(old), Some(new)) => schema_changes(&old, new, meter)?,
        (None, None) => Vec::new(),
        (Some(_), None) => vec![SchemaChange { path: "$".to_owned(), change: "removed".to_owned() }],
        (None, Some(_)) => vec![SchemaChange { path: "$".to_owned(), change: "added".to_owned() }],
    };
    let of = |schema, changes: Vec<SchemaChange>| {
        changes.into_iter().map(move |change| Difference { schema, change })
    };
    Ok(of("input", input).chain(of("output", output)).collect())
}

fn summary(differences: Option<&[Difference]>) -> String {
    let Some(differences) = differences else {
        return " (this coordinator does not know that contract, so it cannot list the differences)"
            .to_owned();
    };
    let line = |each: &Difference| format!("{} {}: {}", each.schema, each.change.path, each.change.change);
    let mut shown: Vec<_> = differences.iter().take(IN_MESSAGE).map(line).collect();
    if let more @ 1.. = differences.len().saturating_sub(IN_MESSAGE) {
        shown.push(format!("{more} more"));
    }
    format!(" ({})", shown.join("; "))
}
