//! Human nodes: a person does the work. It is an agent node whose agent is a person.

use serde_json::{Map, Value, json};

use super::{Behaviour, Definition, NodeKind};
use crate::advance::{Engine, Prepared};
use crate::check::Scope;
use crate::finding::Findings;
use crate::graph::{
    Node, ObjectReader, OutputSchema, Parameters, Role, Target, Work, file_schema, output_schema,
};
use crate::limits::LONGEST_INPUT_SECONDS;
use crate::signature::Known;
use crate::state::{At, Purpose};

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

#[derive(Debug, Clone, PartialEq)]
pub struct HumanNode {
    work: Work,
}

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
    Some(NodeKind::Human(HumanNode { work }))
}

impl Behaviour for HumanNode {
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
