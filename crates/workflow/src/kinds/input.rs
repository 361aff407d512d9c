//! Input nodes: they pass on the input of the run.

use serde_json::{Value, json};

use super::{Behaviour, Definition, NodeKind};
use crate::advance::Engine;
use crate::finding::Findings;
use crate::graph::{Node, ObjectReader, schema};
use crate::signature::Known;

pub(super) const DEFINITION: Definition = Definition {
    name: "input",
    purpose: "hand out the input",
    per_item: false,
    can_fail: false,
    read,
    schema: || {
        json!({
            "title": "The input of the run",
            "properties": {
                "schema": {"type": ["object", "boolean"], "description": "What the input must be, as JSON Schema."},
            },
        })
    },
};

#[derive(Debug, Clone, PartialEq)]
pub struct InputNode {
    pub(crate) schema: Option<Value>,
}

fn read(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<NodeKind> {
    let at = reader.at("schema");
    let schema = match reader.any("schema") {
        Some(Value::String(_)) => {
            let message = "expected the schema itself; the name of a registered schema is allowed only in output_schema";
            findings.error(at, message);
            None
        }
        value => value.and_then(|value| schema(value, at, findings)),
    };
    Some(NodeKind::Input(InputNode { schema }))
}

impl Behaviour for InputNode {
    fn output_schema(&self, _node: &Node, _known: &Known) -> Option<Value> {
        self.schema.clone()
    }

    fn start(&self, engine: &mut Engine<'_>, node: usize) {
        engine.complete(node, engine.state.head.input.clone());
    }
}
