//! What the model is asked: two agents of `accord init`, and the schemas in `examples/schemas`. The third agent,
//! `release-notes`, is left out: its texts have no longest length and its rules count, so that a small model writes until
//! it is cut off, three times in each run.

use std::path::Path;

use accord_client::Client;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

pub(crate) struct Task {
    pub(crate) name: String,
    /// With two examples.
    pub(crate) blueprint: Value,
    pub(crate) schema: Value,
    /// The parameters to ask with, by turns.
    pub(crate) inputs: Vec<Value>,
}

const TICKETS: [&str; 4] = [
    "Since nine o'clock nobody can log in. The page says: internal error.",
    "The export button does nothing in Firefox.",
    "Please send me the invoice for May again.",
    "All our servers have been down for an hour!",
];

/// Invoices that say all that is asked for. The letter of `accord init` leaves the amount out on purpose.
const INVOICES: [&str; 3] = [
    "Nordlicht GmbH, invoice NL-2041 of 3 March 2026. One desk lamp. Total: 49.90 EUR.",
    "Brook and Sons, invoice BS-9 of 21 May 2024. Ten pens. Total: 12.00 GBP.",
    "Lumen Inc, invoice LU-555 of 9 October 2025. A monitor. Total: 310.00 USD.",
];

pub(crate) async fn all(client: &Client) -> Result<Vec<Task>> {
    let of = |name: &str, texts: &[&str]| texts.iter().map(|text| json!({ name: text })).collect::<Vec<_>>();
    let mut tasks = Vec::new();
    for (name, inputs) in
        [("ticket-triage", of("ticket", &TICKETS)), ("invoice-reader", of("prompt", &INVOICES))]
    {
        let blueprint = client.agent(name).await?.blueprint;
        let schema = blueprint.get("output_schema").cloned().context("an agent without a contract")?;
        tasks.push(Task { name: name.to_owned(), blueprint, schema, inputs });
    }
    tasks.extend(of_schemas()?);
    Ok(tasks)
}

fn of_schemas() -> Result<Vec<Task>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/schemas");
    let read = |name: &str| -> Result<Value> {
        let text = std::fs::read_to_string(folder.join(name)).with_context(|| name.to_owned())?;
        Ok(serde_json::from_str(&text)?)
    };
    let listed = read("tasks.json")?;
    let mut tasks = Vec::new();
    for task in listed.as_array().context("tasks.json is a list")? {
        let text = |name: &str| task.get(name).and_then(Value::as_str).context("a task is incomplete");
        let inputs = task.get("inputs").and_then(Value::as_array).context("a task has no inputs")?;
        let schema = read(text("schema")?)?;
        let blueprint = json!({
            "type": "autonomous",
            "system_prompt": "You answer with facts from the message, as JSON and nothing else.",
            "output_schema": schema,
            "examples": task.get("examples"),
        });
        let inputs = inputs.iter().map(|input| json!({ "prompt": input })).collect();
        tasks.push(Task { name: text("name")?.to_owned(), blueprint, schema, inputs });
    }
    Ok(tasks)
}
