//! Human nodes: a person does the work. It is an agent node whose agent is a person.

use serde_json::{Map, Value, json};

use super::agent::AgentNode;
use super::{Definition, NodeKind};
use crate::finding::Findings;
use crate::graph::{ObjectReader, OutputSchema, Parameters, Target, Work, file_schema, output_schema};
use crate::limits::LONGEST_INPUT_SECONDS;

pub(super) const DEFINITION: Definition = Definition {
    name: "human",
    purpose: "ask a person",
    per_item: false,
    can_fail: true,
    read,
    schema: || {
        json!({
            "title": "A person",
            "required": ["output_schema"],
            "properties": {
                "prompt": file_schema::definition("prompt"),
                "output_schema": file_schema::definition("output_schema"),
                "input_seconds": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": LONGEST_INPUT_SECONDS,
                    "description": "Seconds that the person has to answer. Defaults to one day.",
                },
            },
        })
    },
};

fn read(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<NodeKind> {
    let parameters = match reader.text("prompt", findings) {
        Some(prompt) => Parameters::Prompt(prompt.to_owned()),
        None => Parameters::Inputs,
    };
    let output_schema = output_schema(reader, findings);
    if output_schema.is_none() {
        findings.error(
            reader.at("output_schema"),
            "missing field 'output_schema': what the person has to answer",
        );
    }
    let seconds = reader.number("input_seconds", 1..=LONGEST_INPUT_SECONDS, findings);
    let mut agent = Map::from_iter([("executor".to_owned(), json!({"type": "human"}))]);
    let schema = match output_schema? {
        OutputSchema::Inline(schema) => schema,
        OutputSchema::Named(name) => Value::from(name),
    };
    agent.insert("output_schema".to_owned(), schema);
    if let Some(seconds) = seconds {
        agent.insert("limits".to_owned(), json!({"input_seconds": seconds}));
    }
    let work = Work { target: Target::Inline(Value::Object(agent)), parameters, output_schema: None };
    Some(NodeKind::Human(AgentNode { work }))
}
