//! Map nodes: an agent works on each item of a list.

use std::cell::RefMut;

use accord_domain::workflow::{NodeStatus, WorkflowFailure};
use serde_json::{Map, Value, json};

use super::{Behaviour, Definition, NodeKind};
use crate::advance::{DefaultInput, Engine, NextTask, Prepared, RenderedList};
use crate::check::{Scope, Upstream};
use crate::finding::Findings;
use crate::graph::{Node, ObjectReader, Role, Then, Work, concurrency, file_schema, type_name, work};
use crate::limits::MOST_ITEMS;
use crate::schema_parts::Wrapper;
use crate::signature::Known;
use crate::state::{At, Purpose, Task};
use crate::template;

pub(super) const DEFINITION: Definition = Definition {
    name: "map",
    purpose: "run an agent for each item",
    per_item: true,
    can_fail: true,
    read,
    schema: || {
        let over = "A template that gives the list, as '{{ files.list }}'.";
        let mut properties = Map::new();
        properties.insert("over".to_owned(), json!({"type": "string", "minLength": 1, "description": over}));
        properties.extend(file_schema::work_properties());
        properties.insert("concurrency".to_owned(), file_schema::definition("concurrency"));
        json!({
            "title": "An agent for each item of a list",
            "required": ["over"],
            "properties": properties,
            "oneOf": file_schema::one_target(),
        })
    },
};

/// How many failed items an error message names.
const MOST_ITEMS_NAMED: usize = 5;

#[derive(Debug, Clone, PartialEq)]
pub struct MapNode {
    over: String,
    work: Work,
    concurrency: u32,
}

fn read(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<NodeKind> {
    let expected = "a template that evaluates to a list, for example '{{ files.list }}'";
    let over = reader.required_text("over", expected, findings);
    let work = work(reader, findings);
    let concurrency = concurrency(reader, findings);
    Some(NodeKind::Map(MapNode { over: over?.to_owned(), work: work?, concurrency }))
}

impl Behaviour for MapNode {
    fn works(&self) -> Vec<(&Work, Role)> {
        vec![(&self.work, Role::Own)]
    }

    fn template(&self) -> Option<Value> {
        Some(Value::from(self.over.as_str()))
    }

    fn needs_input(&self) -> bool {
        true
    }

    fn output_schema(&self, node: &Node, known: &Known) -> Option<Value> {
        let mut list = Wrapper::default();
        let output = known.gives(&node.id, &self.work, Role::Own);
        let item = list.put(output.unwrap_or(&Value::Bool(true)));
        let items = match node.on_failure.then {
            Then::Fail | Then::FailAtEnd => item,
            Then::Continue => json!({"anyOf": [item, {"type": "null"}]}),
        };
        Some(list.around(json!({"type": "array", "items": items})))
    }

    fn check_expressions(&self, node: &Node, scope: &Scope<'_>, findings: &mut Findings) {
        let at = node.place();
        scope.text(&self.over, &at.key("over"), findings);
        if template::shape(&self.over) == template::Shape::Plain {
            let message = "expected a template, for example '{{ files.list }}', got plain text";
            findings.error(at.key("over"), message);
        }
        scope.with(&["item", "index"]).parameters(&self.work.parameters, &at, findings);
    }

    fn check_inputs(&self, node: &Node, upstream: &Upstream<'_>, findings: &mut Findings) {
        if let Some(item) = upstream.item(&self.over, node.place().key("over"), findings) {
            upstream.check_work(node, &self.work, &item, findings);
        }
    }

    fn start(&self, engine: &mut Engine<'_>, node: usize) {
        let rendered = self.rendered(engine, node).map(|list| list.items.len());
        let items = match rendered {
            Ok(items) => items,
            Err(failure) => return engine.fail(node, failure),
        };
        if items > MOST_ITEMS {
            let message = format!("the list has {items} items; the limit is {MOST_ITEMS}");
            return engine.fail(node, WorkflowFailure::new("too_many_items", message));
        }
        for item in 0..items {
            engine.add_task(node, Purpose::Item(item));
        }
        self.resume(engine, node);
    }

    fn prepare(&self, engine: &Engine<'_>, at: At, node: &Node, purpose: &Purpose) -> Prepared {
        let Purpose::Item(index) = purpose else {
            return Err(WorkflowFailure::new("internal", "this node has no such task"));
        };
        let mut list = self.rendered(engine, at.node)?;
        let missing = || WorkflowFailure::new("internal", "there is no such item");
        let item = list.items.get(*index).cloned().ok_or_else(missing)?;
        list.variables.insert("item".to_owned(), item.clone());
        list.variables.insert("index".to_owned(), Value::from(*index));
        let all = Map::from_iter([("item".to_owned(), item.clone())]);
        engine.prepare_work(
            at,
            node,
            (&self.work, Role::Own),
            &list.variables,
            DefaultInput { all, only: Some(item) },
        )
    }

    fn task_completed(&self, engine: &mut Engine<'_>, at: At, _purpose: &Purpose, output: Value) {
        engine.keep(at, output);
    }

    fn survives(&self, then: Then, _purpose: &Purpose) -> bool {
        then != Then::Fail
    }

    fn resume(&self, engine: &mut Engine<'_>, node: usize) {
        let all_over = engine.start_tasks(node, self.concurrency, |state| {
            let waiting = state.tasks.iter().position(|task| task.status == NodeStatus::Waiting);
            waiting.map(NextTask::Begin)
        });
        if !all_over {
            return;
        }
        let (Some(known), Some(state)) = (engine.node(node), engine.state.nodes.get(node)) else { return };
        if let (Then::FailAtEnd, Some(failure)) = (known.on_failure.then, failed_items(&state.tasks)) {
            return engine.fail(node, failure);
        }
        if !engine.is_ending() || state.tasks.iter().all(|task| task.status == NodeStatus::Completed) {
            // The output of an item that failed is null.
            let outputs = state.tasks.iter().map(|task| task.output.clone().unwrap_or_default()).collect();
            engine.complete(node, Value::Array(outputs));
        }
    }
}

impl MapNode {
    /// The list of a node, and the variables of its templates.
    fn rendered<'e>(
        &self,
        engine: &'e Engine<'_>,
        node: usize,
    ) -> Result<RefMut<'e, RenderedList>, WorkflowFailure> {
        let mut list = engine.list.borrow_mut();
        if list.node != Some(node) {
            let variables = engine.variables(node);
            let items = match template::value(&self.over, &variables) {
                Ok(Value::Array(items)) => items,
                Ok(other) => {
                    let message = format!("over: expected a list, got {}", type_name(&other));
                    return Err(WorkflowFailure::new("template_failed", message));
                }
                Err(error) => return Err(engine.template_failure(node, &error.within("over: "))),
            };
            *list = RenderedList { node: Some(node), items, variables };
        }
        Ok(list)
    }
}

/// Which items failed, and why; of many only the first are named. The kind is that of the first.
fn failed_items(tasks: &[Task]) -> Option<WorkflowFailure> {
    // People count from 1.
    let failed = tasks.iter().enumerate().filter(|(_, task)| task.status == NodeStatus::Failed);
    let failed: Vec<(usize, &WorkflowFailure)> =
        failed.filter_map(|(index, task)| Some((index + 1, task.error.as_ref()?))).collect();
    let (_, first) = failed.first()?;
    let named = failed.iter().take(MOST_ITEMS_NAMED);
    let mut named: Vec<String> =
        named.map(|(number, failure)| format!("item {number}: {}", failure.message)).collect();
    if failed.len() > named.len() {
        named.push(format!("and {} more", failed.len() - named.len()));
    }
    let message = format!("{} of {} items failed: {}", failed.len(), tasks.len(), named.join("; "));
    Some(WorkflowFailure::new(&first.kind, message))
}
