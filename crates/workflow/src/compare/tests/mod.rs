//! Comparisons of siblings.

mod clearings;
mod hostile;
mod lists;
mod locations;
mod maps;
mod near;
mod objects;
mod properties;

use accord_contract::Meter;
use accord_domain::comparison::{Comparison, Contradiction, Side};
use serde_json::{Value, json};

use super::{CompareOptions, Sibling, compare};

/// Compares outputs without a schema, with the default options.
fn compared(outputs: &[(&str, Value)]) -> Comparison {
    with_schema(&json!({}), outputs)
}

fn with_schema(schema: &Value, outputs: &[(&str, Value)]) -> Comparison {
    let siblings: Vec<Sibling<'_>> =
        outputs.iter().map(|(agent, output)| Sibling { agent, schema, output, is_map: false }).collect();
    compare(&siblings, &CompareOptions::default(), &Meter::default()).unwrap()
}

/// Compares outputs of maps, each a list of outputs with this schema.
fn maps(item: &Value, outputs: &[(&str, Value)]) -> Comparison {
    let schema = json!({"type": "array", "items": item});
    let siblings: Vec<Sibling<'_>> = outputs
        .iter()
        .map(|(agent, output)| Sibling { agent, schema: &schema, output, is_map: true })
        .collect();
    compare(&siblings, &CompareOptions::default(), &Meter::default()).unwrap()
}

fn finding(file: &str, line: u64, severity: &str, description: &str) -> Value {
    json!({"file": file, "line": line, "severity": severity, "description": description})
}

fn findings(findings: &[Value]) -> Value {
    json!({ "findings": findings })
}

fn agents_and_values(sides: &[Side]) -> Vec<(&str, &Value)> {
    sides.iter().map(|side| (side.agent.as_str(), &side.value)).collect()
}

fn keys(contradictions: &[Contradiction]) -> Vec<Value> {
    contradictions.iter().map(|each| Value::Object(each.key.clone())).collect()
}
