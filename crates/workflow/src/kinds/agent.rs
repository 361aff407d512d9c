//! Agent nodes: one agent, or another workflow, does the work.

use serde_json::{Value, json};

use super::{Behaviour, Definition, NodeKind};
use crate::advance::{Engine, Prepared};
use crate::check::Scope;
use crate::finding::Findings;
use crate::graph::{Node, ObjectReader, Role, Work, file_schema, work};
use crate::signature::Known;
use crate::state::{At, Purpose};

pub(super) const DEFINITION: Definition = Definition {
    name: "agent",
    purpose: "run an agent",
    per_item: false,
    can_fail: true,
    read,
    schema: || {
        json!({
            "title": "An agent, or another workflow",
            "properties": file_schema::work_properties(),
            "oneOf": file_schema::one_target(),
        })
    },
};

#[derive(Debug, Clone, PartialEq)]
pub struct AgentNode {
    pub(crate) work: Work,
}

fn read(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<NodeKind> {
    work(reader, findings).map(|work| NodeKind::Agent(AgentNode { work }))
}

impl Behaviour for AgentNode {
    fn works(&self) -> Vec<(&Work, Role)> {
        vec![(&self.work, Role::Own)]
    }

    fn output_schema(&self, node: &Node, known: &Known) -> Option<Value> {
        known.gives(&node.id, &self.work, Role::Own).cloned()
    }

    fn check_expressions(&self, node: &Node, scope: &Scope<'_>, findings: &mut Findings) {
        scope.parameters(&self.work.parameters, &node.place(), findings);
    }

    fn start(&self, engine: &mut Engine<'_>, node: usize) {
        engine.begin_new_task(node, Purpose::Whole);
    }

    fn prepare(&self, engine: &Engine<'_>, at: At, node: &Node, _purpose: &Purpose) -> Prepared {
        engine.prepare_with_inputs(at, node, &self.work)
    }
}
