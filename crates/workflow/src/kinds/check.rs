//! Check nodes: they evaluate a condition over their inputs.

use accord_domain::workflow::WorkflowFailure;
use serde_json::{Value, json};

use super::{Behaviour, Definition, NodeKind};
use crate::advance::Engine;
use crate::check::Scope;
use crate::finding::Findings;
use crate::graph::{Node, ObjectReader};
use crate::signature::Known;

pub(super) const DEFINITION: Definition = Definition {
    name: "check",
    purpose: "look whether something holds",
    per_item: false,
    can_fail: true,
    read,
    schema: || {
        let severity = "What that means: it is said and the run goes on, or the node fails.";
        json!({
            "title": "A condition that is looked at",
            "required": ["assert", "message"],
            "properties": {
                "assert": {"type": "string", "minLength": 1, "description": "A condition in CEL over the inputs."},
                "message": {"type": "string", "minLength": 1, "description": "What to say when it does not hold."},
                "severity": {"enum": ["warn", "fail"], "default": "fail", "description": severity},
            },
        })
    },
};

#[derive(Debug, Clone, PartialEq)]
pub struct CheckNode {
    assert: String,
    message: String,
    severity: Severity,
}

/// The consequence of a condition that is false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Severity {
    Warn,
    Fail,
}

fn read(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<NodeKind> {
    let assert = reader.required_text("assert", "a condition in CEL over the inputs", findings);
    let message = reader.required_text("message", "the message if the check fails", findings);
    let severity = match reader.text("severity", findings) {
        None | Some("fail") => Severity::Fail,
        Some("warn") => Severity::Warn,
        Some(other) => {
            findings.error(reader.at("severity"), format!("expected severity warn or fail, got '{other}'"));
            Severity::Fail
        }
    };
    // A check without a message is never run, but its condition is still checked.
    let message = message.unwrap_or_default().to_owned();
    Some(NodeKind::Check(CheckNode { assert: assert?.to_owned(), message, severity }))
}

impl Behaviour for CheckNode {
    fn condition(&self) -> Option<&str> {
        Some(&self.assert)
    }

    fn needs_input(&self) -> bool {
        true
    }

    fn may_be_last(&self) -> bool {
        true
    }

    fn output_schema(&self, _node: &Node, _known: &Known) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": {"passed": {"type": "boolean"}, "message": {"type": ["string", "null"]}},
            "required": ["passed", "message"],
            "additionalProperties": false,
        }))
    }

    fn check_expressions(&self, node: &Node, scope: &Scope<'_>, findings: &mut Findings) {
        scope.condition(&self.assert, node.place().key("assert"), findings);
    }

    fn start(&self, engine: &mut Engine<'_>, node: usize) {
        let variables = engine.variables(node);
        let named: Vec<(&str, &Value)> =
            variables.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let holds = match engine.flow.assert(node) {
            Some(condition) => {
                let holds = condition.holds(&named, &engine.meter.anew());
                holds.map_err(|error| engine.check_error(node, &error))
            }
            None => Err("it was not compiled".to_owned()),
        };
        let message = match holds {
            Ok(true) => return engine.complete(node, json!({"passed": true, "message": null})),
            Ok(false) => self.message.clone(),
            Err(reason) => format!("{} (it could not be checked: {reason})", self.message),
        };
        match self.severity {
            Severity::Fail => engine.fail(node, WorkflowFailure::new("check_failed", message)),
            Severity::Warn => {
                if let Some(state) = engine.state.nodes.get_mut(node) {
                    state.warning = Some(message.clone());
                }
                engine.complete(node, json!({"passed": false, "message": message}));
            }
        }
    }
}
