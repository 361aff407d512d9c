//! The fields of the work of an agent, which several kinds of nodes have.

use accord_contract::JsonPath;
use serde_json::Value;

use super::object_reader::{ObjectReader, type_name};
use super::{OutputSchema, Parameters, Target, Work};
use crate::finding::Findings;
use crate::limits::{HIGHEST_CONCURRENCY, USUAL_CONCURRENCY};

pub(crate) fn work(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<Work> {
    let (agent, workflow) = (reader.any("agent"), reader.text("workflow", findings));
    let target = match (agent, workflow) {
        (Some(_), Some(_)) => {
            findings.misplaced(reader.at("workflow"), "'agent' is already set; keep one of the two");
            None
        }
        (Some(Value::String(name)), None) => Some(Target::Agent(name.clone())),
        (Some(inline @ Value::Object(_)), None) => Some(Target::Inline(inline.clone())),
        (Some(other), None) => {
            let message = format!("expected an agent name or a blueprint, got {}", type_name(other));
            findings.error(reader.at("agent"), message);
            None
        }
        (None, Some(name)) => Some(Target::Workflow(name.to_owned())),
        (None, None) => {
            let message = "missing field 'agent' (or 'workflow', to run another workflow)";
            findings.error(reader.at("agent"), message);
            None
        }
    };
    let parameters = parameters(reader, findings);
    let output_schema = output_schema(reader, findings);
    if let (Some(Target::Workflow(_)), Some(_)) = (&target, &output_schema) {
        findings.misplaced(
            reader.at("output_schema"),
            "the output of a workflow is defined by the workflow itself; remove this",
        );
    }
    Some(Work { target: target?, parameters, output_schema })
}

fn parameters(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Parameters {
    let (prompt, fields) = (reader.text("prompt", findings), reader.any("parameters"));
    match (prompt, fields) {
        (Some(_), Some(_)) => {
            findings.misplaced(reader.at("parameters"), "'prompt' is already set; keep one of the two");
            Parameters::Inputs
        }
        (Some(prompt), None) => Parameters::Prompt(prompt.to_owned()),
        (None, Some(Value::Object(fields))) => Parameters::Fields(fields.clone()),
        (None, Some(other)) => {
            let message = format!("'parameters': expected an object of templates, got {}", type_name(other));
            findings.error(reader.at("parameters"), message);
            Parameters::Inputs
        }
        (None, None) => Parameters::Inputs,
    }
}

pub(crate) fn output_schema(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<OutputSchema> {
    match reader.any("output_schema")? {
        Value::String(name) => Some(OutputSchema::Named(name.clone())),
        value => schema(value, reader.at("output_schema"), findings).map(OutputSchema::Inline),
    }
}

/// A JSON Schema, which must compile.
pub(crate) fn schema(value: &Value, place: JsonPath, findings: &mut Findings) -> Option<Value> {
    match accord_contract::Schema::compile(value, findings.meter) {
        Ok(_) => Some(value.clone()),
        Err(error) => {
            findings.error(place.join(&JsonPath::of_pointer(value, &error.pointer)), error.message);
            None
        }
    }
}

pub(crate) fn concurrency(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> u32 {
    reader.number("concurrency", 1..=HIGHEST_CONCURRENCY, findings).unwrap_or(USUAL_CONCURRENCY)
}
