//! What each kind of node does when it starts, and when one of its tasks is over.

use accord_domain::event::Body;
use accord_domain::workflow::{Fault, NodeStatus};
use serde_json::{Map, Value, json};

use super::Start;
use super::engine::Engine;
use super::inputs::{Given, inputs, parameters, variables};
use crate::graph::{Kind, Node, Role, Severity, Then, Work, kind_of};
use crate::limits::{MOST_CONTRADICTION_EVENTS, MOST_ITEMS};
use crate::siblings::Siblings;
use crate::signature::Takes;
use crate::state::{At, Purpose, Task};
use crate::template::{self, Variables};

/// How many failed items a fault names.
const MOST_ITEMS_NAMED: usize = 5;

impl Engine<'_> {
    /// A node begins: its inputs are there.
    pub(super) fn start(&mut self, place: usize) {
        let Some(node) = self.node(place) else { return };
        let inputs = inputs(self.flow, &self.state, place);
        self.compare(place, node, &inputs);
        // Of an agent that is told once it has somebody who works on it.
        if !matches!(node.kind, Kind::Agent(_)) {
            let (id, kind) = (node.id.clone(), node.kind.as_str().to_owned());
            self.tell(Body::WorkflowNodeStarted { node: id, kind, attempt: 1, worker: None });
        }
        match &node.kind {
            Kind::Input { .. } => {
                let input = self.state.head.input.clone();
                self.complete(place, input);
            }
            Kind::Output { value } => self.output(place, value.as_ref(), inputs),
            Kind::Check { message, severity, .. } => self.check(place, message, *severity),
            Kind::Agent(_) => {
                self.add_task(place, Purpose::Whole);
                self.begin_task(At { node: place, task: 0 });
            }
            Kind::Map { over, .. } => self.map(place, over),
            Kind::Planner { .. } => {
                self.add_task(place, Purpose::Plan);
                self.begin_task(At { node: place, task: 0 });
            }
        }
    }

    fn compare(&mut self, place: usize, node: &Node, inputs: &Map<String, Value>) {
        let Some(siblings) = Siblings::of(self.flow, place, inputs) else { return };
        let comparison = siblings.compare(inputs, self.options);
        for contradiction in comparison.contradictions.iter().take(MOST_CONTRADICTION_EVENTS) {
            let contradiction = Box::new(contradiction.clone());
            self.tell(Body::WorkflowContradiction { node: node.id.clone(), contradiction });
        }
        if !comparison.truncated.is_empty() {
            let truncated = comparison.truncated.clone();
            self.tell(Body::WorkflowComparisonTruncated { node: node.id.clone(), truncated });
        }
        let all = comparison.contradictions.len();
        if let Some(state) = self.state.nodes.get_mut(place) {
            state.warning = (all > MOST_CONTRADICTION_EVENTS).then(|| {
                format!(
                    "{all} contradictions found; {MOST_CONTRADICTION_EVENTS} were reported as events, all are in the workflow run"
                )
            });
            state.comparison = Some(comparison);
        }
    }

    /// What templates and checks of a node know by name.
    pub(super) fn variables(&self, place: usize) -> Variables {
        let inputs = inputs(self.flow, &self.state, place);
        let comparison = self.state.nodes.get(place).and_then(|state| state.comparison.as_ref());
        variables(self.flow, place, &inputs, comparison)
    }

    fn output(&mut self, place: usize, value: Option<&Value>, inputs: Map<String, Value>) {
        let output = match value {
            Some(value) => template::document(value, &self.variables(place)),
            None => Ok(match (self.flow.incoming(place).len(), inputs.values().next()) {
                (1, Some(only)) => only.clone(),
                _ => Value::Object(inputs),
            }),
        };
        match output {
            Ok(output) => self.complete(place, output),
            Err(fault) => self.fail(place, self.template_fault(place, format!("value: {fault}"))),
        }
    }

    fn check(&mut self, place: usize, message: &str, severity: Severity) {
        let variables = self.variables(place);
        let named: Vec<(&str, &Value)> =
            variables.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let holds = match self.flow.assert(place) {
            Some(condition) => condition.holds(&named).map_err(|fault| self.check_fault(place, fault)),
            None => Err("it was not compiled".to_owned()),
        };
        let said = match (holds, severity) {
            (Ok(true), _) => return self.complete(place, json!({"passed": true, "message": null})),
            (Ok(false), _) => message.to_owned(),
            (Err(reason), _) => format!("{message} (it could not be checked: {reason})"),
        };
        match severity {
            Severity::Fail => self.fail(place, Fault::new("check_failed", said)),
            Severity::Warn => {
                if let Some(state) = self.state.nodes.get_mut(place) {
                    state.warning = Some(said.clone());
                }
                self.complete(place, json!({"passed": false, "message": said}));
            }
        }
    }

    fn map(&mut self, place: usize, over: &str) {
        let items = match template::value(over, &self.variables(place)) {
            Ok(Value::Array(items)) => items.len(),
            Ok(other) => {
                let message = format!("over: expected a list, got {}", kind_of(&other));
                return self.fail(place, Fault::new("template_failed", message));
            }
            Err(fault) => return self.fail(place, self.template_fault(place, format!("over: {fault}"))),
        };
        if items > MOST_ITEMS {
            let message = format!("the list has {items} items; the limit is {MOST_ITEMS}");
            return self.fail(place, Fault::new("too_many_items", message));
        }
        for item in 0..items {
            self.add_task(place, Purpose::Item(item));
        }
        self.go_on_with_map(place);
    }

    /// Starts as many items as may be at work, or ends the node where all are done.
    fn go_on_with_map(&mut self, place: usize) {
        let Some(Node { kind: Kind::Map { concurrency, .. }, on_failure, .. }) = self.node(place) else {
            return;
        };
        loop {
            let Some(state) = self.state.nodes.get(place).filter(|state| state.status == NodeStatus::Running)
            else {
                return;
            };
            let running = state.tasks.iter().filter(|task| task.status == NodeStatus::Running).count();
            let next = state.tasks.iter().position(|task| task.status == NodeStatus::Waiting);
            match next {
                Some(task) if running < *concurrency as usize && !self.is_ending() => {
                    self.begin_task(At { node: place, task });
                }
                Some(_) => return,
                None if running > 0 => return,
                None => break,
            }
        }
        let tasks = self.state.nodes.get(place).map(|state| state.tasks.as_slice()).unwrap_or_default();
        if let (Then::FailAtEnd, Some(fault)) = (on_failure.then, failed_items(tasks)) {
            return self.fail(place, fault);
        }
        let outputs = tasks.iter().map(|task| task.output.clone().unwrap_or_default()).collect();
        if !self.is_ending() || tasks.iter().all(|task| task.status == NodeStatus::Completed) {
            self.complete(place, Value::Array(outputs));
        }
    }

    pub(super) fn add_task(&mut self, place: usize, purpose: Purpose) {
        if let Some(state) = self.state.nodes.get_mut(place) {
            state.tasks.push(Task::new(purpose));
        }
    }

    /// Renders what a task is told, and starts it.
    pub(super) fn begin_task(&mut self, at: At) {
        match self.prepared(at) {
            Ok(start) => self.launch(start),
            Err(fault) => {
                if let Some(task) = self.task(at) {
                    task.status = NodeStatus::Running;
                    task.attempts += 1;
                }
                self.task_failed(at, fault);
            }
        }
    }

    fn prepared(&self, at: At) -> Result<Start, Fault> {
        let node = self.node(at.node).ok_or_else(|| Fault::new("internal", "there is no such node"))?;
        let task = self.state.nodes.get(at.node).and_then(|state| state.tasks.get(at.task));
        let purpose = task.map(|task| task.purpose.clone()).unwrap_or(Purpose::Whole);
        match (&node.kind, purpose) {
            (Kind::Agent(work), _) => {
                self.work(at, node, (work, Role::Own), &self.variables(at.node), self.given(at.node))
            }
            (Kind::Map { over, work, .. }, Purpose::Item(index)) => {
                let mut variables = self.variables(at.node);
                let items =
                    template::value(over, &variables).map_err(|fault| self.template_fault(at.node, fault))?;
                let item = items.get(index).cloned().unwrap_or_default();
                variables.insert("item".to_owned(), item.clone());
                variables.insert("index".to_owned(), Value::from(index));
                let all = Map::from_iter([("item".to_owned(), item.clone())]);
                self.work(at, node, (work, Role::Own), &variables, Given { all, only: Some(item) })
            }
            (Kind::Planner { .. }, purpose) => self.planned(at, node, &purpose),
            _ => Err(Fault::new("internal", "this node has no tasks")),
        }
    }

    /// What a node is given.
    pub(super) fn given(&self, place: usize) -> Given {
        Given::inputs(self.flow, place, inputs(self.flow, &self.state, place))
    }

    pub(super) fn work(
        &self,
        at: At,
        node: &Node,
        (work, role): (&Work, Role),
        variables: &Variables,
        given: Given,
    ) -> Result<Start, Fault> {
        let takes =
            self.flow.known.of(&node.id, work, role).map_or(&Takes::Prompt, |signature| &signature.takes);
        let parameters =
            parameters(takes, work, variables, given).map_err(|fault| self.template_fault(at.node, fault))?;
        Ok(Start {
            at,
            node: node.id.clone(),
            role,
            target: work.target.clone(),
            resume: None,
            parameters,
            output_schema: work.output_schema.clone(),
            invariants: Vec::new(),
            priority: 0,
        })
    }

    pub(super) fn task_completed(&mut self, at: At, value: Value) {
        let Some(node) = self.node(at.node) else { return };
        let Some(task) = self.task(at) else { return };
        task.status = NodeStatus::Completed;
        let purpose = task.purpose.clone();
        match &node.kind {
            Kind::Agent(_) => self.complete(at.node, value),
            Kind::Planner { .. } => self.planner_completed(at, &purpose, value),
            _ => {
                task.output = Some(value);
                self.go_on_with_map(at.node);
            }
        }
    }

    pub(super) fn task_failed(&mut self, at: At, fault: Fault) {
        let Some(node) = self.node(at.node) else { return };
        let Some(task) = self.task(at) else { return };
        task.status = NodeStatus::Failed;
        task.error = Some(fault.clone());
        let purpose = task.purpose.clone();
        match (&node.kind, node.on_failure.then, &purpose) {
            (Kind::Map { .. }, Then::Continue | Then::FailAtEnd, _) => self.go_on_with_map(at.node),
            (Kind::Planner { .. }, Then::Continue, Purpose::Subtask(_)) => self.go_on_with_plan(at.node),
            _ if self.is_over(at.node) => {}
            (_, _, Purpose::Item(index)) => {
                // People count from 1.
                let message = format!("item {}: {}", index + 1, fault.message);
                self.fail(at.node, Fault { message, ..fault });
            }
            (_, _, Purpose::Subtask(id)) => {
                let message = format!("subtask '{id}': {}", fault.message);
                self.fail(at.node, Fault { message, ..fault });
            }
            _ => self.fail(at.node, fault),
        }
    }

    fn is_over(&self, place: usize) -> bool {
        self.state.nodes.get(place).is_some_and(|state| state.status.is_over())
    }

    /// A task ended as it was told to.
    pub(super) fn task_stopped(&mut self, at: At) {
        if let Some(task) = self.task(at) {
            task.status = NodeStatus::Stopped;
        }
        let over = self.state.nodes.get(at.node).is_some_and(|state| {
            state.status == NodeStatus::Running
                && state.tasks.iter().all(|task| task.status != NodeStatus::Running)
        });
        if over {
            self.settle(at.node, NodeStatus::Stopped);
        }
    }

    pub(super) fn may_retry(&self, at: At) -> bool {
        let retries = self.node(at.node).map_or(0, |node| node.on_failure.retries);
        let task = self.state.nodes.get(at.node).and_then(|state| state.tasks.get(at.task));
        !self.is_ending() && !self.is_over(at.node) && task.is_some_and(|task| task.attempts <= retries)
    }

    pub(super) fn retry(&mut self, at: At, fault: Fault) {
        if let Some(task) = self.task(at) {
            task.error = Some(fault);
        }
        self.begin_task(at);
    }
}

/// Which items of a map failed, and why; of many only the first are named. The kind is that of the first.
fn failed_items(tasks: &[Task]) -> Option<Fault> {
    // People count from 1.
    let failed = tasks.iter().enumerate().filter(|(_, task)| task.status == NodeStatus::Failed);
    let failed: Vec<(usize, &Fault)> =
        failed.filter_map(|(index, task)| Some((index + 1, task.error.as_ref()?))).collect();
    let (_, first) = failed.first()?;
    let named = failed.iter().take(MOST_ITEMS_NAMED);
    let mut named: Vec<String> =
        named.map(|(number, fault)| format!("item {number}: {}", fault.message)).collect();
    if failed.len() > named.len() {
        named.push(format!("and {} more", failed.len() - named.len()));
    }
    let message = format!("{} of {} items failed: {}", failed.len(), tasks.len(), named.join("; "));
    Some(Fault::new(&first.kind, message))
}
