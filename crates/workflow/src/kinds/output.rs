//! Output nodes: they make the output of the run.

use serde_json::{Value, json};

use super::{Behaviour, Definition, NodeKind};
use crate::advance::Engine;
use crate::check::Scope;
use crate::finding::Findings;
use crate::graph::{Node, ObjectReader};
use crate::signature::Known;
use crate::template;

pub(super) const DEFINITION: Definition = Definition {
    name: "output",
    purpose: "give the output",
    per_item: false,
    can_fail: false,
    read,
    schema: || {
        let value =
            json!({"description": "The value, whose texts are templates; the inputs, where it is left out."});
        json!({"title": "The output of the run", "properties": {"value": value}})
    },
};

#[derive(Debug, Clone, PartialEq)]
pub struct OutputNode {
    /// The template of the output; without one, the inputs are the output.
    pub(crate) value: Option<Value>,
}

fn read(reader: &mut ObjectReader<'_>, _findings: &mut Findings) -> Option<NodeKind> {
    Some(NodeKind::Output(OutputNode { value: reader.any("value").cloned() }))
}

impl Behaviour for OutputNode {
    fn template(&self) -> Option<Value> {
        self.value.clone()
    }

    fn needs_input(&self) -> bool {
        true
    }

    fn output_schema(&self, _node: &Node, _known: &Known) -> Option<Value> {
        None
    }

    fn check_expressions(&self, node: &Node, scope: &Scope<'_>, findings: &mut Findings) {
        if let Some(value) = &self.value {
            scope.document(value, &node.place().key("value"), findings);
        }
    }

    fn start(&self, engine: &mut Engine<'_>, node: usize) {
        let output = match &self.value {
            Some(value) => template::document(value, &engine.variables(node)),
            None => {
                let inputs = engine.inputs(node);
                Ok(match (engine.flow.incoming(node).len(), inputs.values().next()) {
                    (1, Some(only)) => only.clone(),
                    _ => Value::Object(inputs),
                })
            }
        };
        match output {
            Ok(output) => engine.complete(node, output),
            Err(error) => engine.fail(node, engine.template_failure(node, &error.within("value: "))),
        }
    }
}
