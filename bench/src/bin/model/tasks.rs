//! What the model is asked: two agents of `accord init`, and the schemas in `examples/schemas`. The third agent,
//! `release-notes`, is left out: its texts have no longest length and its rules count, so that a small model writes until
//! it is cut off, three times in each run.

use std::path::Path;

use accord_client::Client;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) blueprint: Value,
    pub(crate) schema: Value,
    pub(crate) parameters: Value,
}

/// An invoice that says all that is asked for. The letter of `accord init` leaves the amount out on purpose.
const INVOICE: &str = "Nordlicht GmbH, invoice NL-2041 of 3 March 2026. One desk lamp. Total: 49.90 EUR.";

pub(crate) async fn all(client: &Client) -> Result<Vec<Task>> {
    let started = [
        (
            "ticket-triage",
            json!({"ticket": "Since nine o'clock nobody can log in. The page says: internal error."}),
        ),
        ("invoice-reader", json!({"prompt": INVOICE})),
    ];
    let mut tasks = Vec::new();
    for (name, parameters) in started {
        let blueprint = client.agent(name).await?.blueprint;
        let schema = blueprint.get("output_schema").cloned().context("an agent without a contract")?;
        tasks.push(Task { name: name.to_owned(), blueprint, schema, parameters });
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
        let schema = read(text("schema")?)?;
        let blueprint = json!({
            "type": "autonomous",
            "system_prompt": "You answer with facts from the message, as JSON and nothing else.",
            "output_schema": schema,
        });
        let parameters = json!({"prompt": text("prompt")?});
        tasks.push(Task { name: text("name")?.to_owned(), blueprint, schema, parameters });
    }
    Ok(tasks)
}
