//! The engine: applies one event until nothing more follows from it.

use std::cell::RefCell;
use std::collections::VecDeque;

use accord_contract::Meter;
use accord_domain::event::Body;
use accord_domain::id::RunId;
use accord_domain::workflow::{NodeStatus, Status, Worker, WorkflowFailure};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::held::Held;
use super::{Start, Step, TaskOutcome};
use crate::compare::CompareOptions;
use crate::flow::Flow;
use crate::graph::{Node, Then};
use crate::state::{At, NodeState, State, Take, Task};
use crate::template::Variables;

/// Applies one event, and everything that follows from it.
pub(crate) struct Engine<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) state: State,
    pub(super) now: Timestamp,
    pub(super) options: &'a CompareOptions,
    /// What the work for one node may cost.
    pub(crate) meter: &'a Meter,
    pub(super) held: Held,
    /// The list of the map node whose items were prepared last.
    pub(crate) list: RefCell<RenderedList>,
    steps: Vec<Step>,
    /// Nodes that may be able to start. A queue, because recursion would overflow on a chain of a thousand checks.
    queue: VecDeque<usize>,
}

/// The list of a map node, rendered once for all items that start in one step.
#[derive(Default)]
pub(crate) struct RenderedList {
    pub(crate) node: Option<usize>,
    pub(crate) items: Vec<Value>,
    /// The variables of the node, and of the item that was prepared last.
    pub(crate) variables: Variables,
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        flow: &'a Flow,
        state: State,
        now: Timestamp,
        options: &'a CompareOptions,
        meter: &'a Meter,
    ) -> Self {
        let (held, list) = (Held::of(&state), RefCell::default());
        Self { flow, state, now, options, meter, held, list, steps: Vec::new(), queue: VecDeque::new() }
    }

    pub(super) fn begin(&mut self) {
        let roots = (0..self.flow.graph.nodes.len()).filter(|node| self.flow.incoming(*node).is_empty());
        self.queue.extend(roots);
    }

    /// Looks at every node: those that wait start if they can.
    pub(super) fn queue_all(&mut self) {
        self.queue.extend(0..self.flow.graph.nodes.len());
    }

    pub(super) fn started(&mut self, at: At, worker: Worker) {
        let Some(task) = self.task(at) else { return };
        let attempt = task.attempts;
        task.worker = Some(worker.clone());
        if let Some(node) = self.node(at.node).filter(|node| node.kind.starts_with_worker()) {
            let (node, kind) = (node.id.clone(), node.kind.as_str().to_owned());
            self.tell(Body::WorkflowNodeStarted { node, kind, attempt, worker: Some(worker) });
        }
    }

    pub(super) fn withdrawn(&mut self, at: At) {
        if self.is_ending() {
            self.task_stopped(at);
        }
    }

    pub(super) fn refused(&mut self, at: At, failure: WorkflowFailure) {
        self.task_failed(at, failure);
    }

    pub(super) fn ended(&mut self, worker: &Worker, end: TaskOutcome) {
        let Some(at) = self.state.at_work().find(|(_, known)| *known == worker).map(|(at, _)| at) else {
            return;
        };
        match end {
            TaskOutcome::Completed(value) => self.task_completed(at, value),
            TaskOutcome::Failed(failure) if self.may_retry(at) => self.retry(at, failure),
            TaskOutcome::Failed(failure) => self.task_failed(at, failure),
            TaskOutcome::Stopped if self.is_ending() => self.task_stopped(at),
            TaskOutcome::Stopped => {
                self.task_failed(at, WorkflowFailure::new("stopped", "the run was stopped"))
            }
        }
    }

    pub(super) fn lost(&mut self, wanted: &RunId) {
        let is_it = |worker: &Worker| matches!(worker, Worker::Run { run_id, .. } if run_id == wanted);
        let found = self.state.at_work().find(|(_, worker)| is_it(worker)).map(|(at, _)| at);
        let Some(at) = found else { return };
        self.task_failed(at, WorkflowFailure::new("run_removed", "the run was deleted before it finished"));
    }

    pub(super) fn stop(&mut self) {
        if self.state.head.status == Status::Running {
            self.state.head.status = Status::Stopping;
        }
    }

    /// Starts what can start, and returns the new state with the steps to carry out.
    pub(super) fn conclude(mut self) -> (State, Vec<Step>) {
        while let Some(node) = self.queue.pop_front() {
            self.consider(node);
        }
        if !self.state.head.status.is_over() {
            self.finish_if_over();
        }
        (self.state, self.steps)
    }

    /// Starts a node if all its upstream nodes have finished.
    fn consider(&mut self, node: usize) {
        let waits = self.state.nodes.get(node).is_some_and(|state| state.status == NodeStatus::Waiting);
        if !waits || self.is_ending() {
            return;
        }
        let (mut taken, mut unclear) = (0, None);
        for edge in self.flow.incoming(node) {
            match self.take(*edge) {
                None => return,
                Some(Take::Yes) => taken += 1,
                Some(Take::No) => {}
                Some(Take::Unclear(reason)) => unclear = Some(reason.clone()),
            }
        }
        let is_root = self.flow.incoming(node).is_empty();
        if let Some(reason) = unclear {
            self.fail(node, WorkflowFailure::new("condition_failed", reason));
        } else if taken == 0 && !is_root {
            self.settle(node, NodeStatus::Skipped);
        } else {
            if let Some(state) = self.state.nodes.get_mut(node) {
                state.status = NodeStatus::Running;
                state.started_at = Some(self.now);
            }
            self.start(node);
        }
    }

    pub(super) fn take(&self, edge: usize) -> Option<&Take> {
        take(self.flow, &self.state, edge)
    }

    pub(crate) fn complete(&mut self, node: usize, output: Value) {
        let tasks = self.state.nodes.get(node).map(|state| state.tasks.as_slice()).unwrap_or_default();
        if let Err(failure) = self.held.keep_output(node, tasks, &output) {
            return self.fail(node, failure);
        }
        if let Some(state) = self.state.nodes.get_mut(node) {
            state.output = Some(output);
        }
        self.settle(node, NodeStatus::Completed);
    }

    pub(crate) fn fail(&mut self, node: usize, failure: WorkflowFailure) {
        let Some(known) = self.node(node) else { return };
        let (id, then) = (known.id.clone(), known.on_failure.then);
        if then != Then::Continue && !self.is_ending() {
            self.state.head.status = Status::Stopping;
            let message = format!("node '{id}' failed: {}", failure.message);
            self.state.head.error = Some(WorkflowFailure { kind: failure.kind.clone(), message });
        }
        if let Some(state) = self.state.nodes.get_mut(node) {
            state.error = Some(failure);
        }
        self.settle(node, NodeStatus::Failed);
    }

    /// Ends a node: its edges are decided, and the nodes downstream may start.
    pub(super) fn settle(&mut self, node: usize, status: NodeStatus) {
        let takes: Vec<Take> =
            self.flow.outgoing(node).iter().map(|edge| self.decide(*edge, node, status)).collect();
        let Some(state) = self.state.nodes.get_mut(node) else { return };
        state.status = status;
        state.skip_waiting_tasks();
        state.takes = takes;
        state.finished_at = Some(self.now);
        self.tell_end(node);
        let edges = self.flow.outgoing(node).iter().filter_map(|edge| self.flow.graph.edges.get(*edge));
        self.queue.extend(edges.map(|edge| edge.to));
    }

    fn tell_end(&mut self, node: usize) {
        let (Some(known), Some(state)) = (self.node(node), self.state.nodes.get(node)) else { return };
        let (status, error, warning) = (state.status, state.error.clone(), state.warning.clone());
        let node = known.id.clone();
        self.tell(Body::WorkflowNodeFinished { node, status, error, warning });
    }

    fn decide(&self, edge: usize, node: usize, status: NodeStatus) -> Take {
        if status != NodeStatus::Completed {
            return Take::No;
        }
        let Some(condition) = self.flow.when(edge) else { return Take::Yes };
        if let Err(failure) = self.held.copy_for_edge(node, self.meter) {
            return Take::Unclear(failure.message);
        }
        let output =
            self.state.nodes.get(node).and_then(|state| state.output.as_ref()).unwrap_or(&Value::Null);
        match condition.holds(&[("output", output), ("input", &self.state.head.input)], &self.meter.anew()) {
            Ok(true) => Take::Yes,
            Ok(false) => Take::No,
            Err(reason) => {
                let from = self.node(node).map(|node| node.id.as_str()).unwrap_or_default();
                Take::Unclear(format!(
                    "the condition of the edge from '{from}' cannot be evaluated: {reason}"
                ))
            }
        }
    }

    fn finish_if_over(&mut self) {
        if self.is_ending() {
            let workers: Vec<Worker> = self.state.at_work().map(|(_, worker)| worker.clone()).collect();
            // Includes tasks that are being started and have no worker yet.
            let tasks = self.state.nodes.iter().flat_map(|node| &node.tasks);
            if !tasks.into_iter().any(|task| task.status == NodeStatus::Running) {
                let failed = self.state.head.error.is_some();
                self.finish(if failed { Status::Failed } else { Status::Stopped });
            }
            self.steps.extend(workers.into_iter().map(Step::Stop));
        } else if self.state.nodes.iter().all(|node| node.status.is_over()) {
            self.give_output();
        }
    }

    fn give_output(&mut self) {
        let reached: Vec<(&Node, &NodeState)> = self
            .flow
            .graph
            .nodes
            .iter()
            .zip(&self.state.nodes)
            .filter(|(node, state)| node.kind.is_output() && state.status == NodeStatus::Completed)
            .collect();
        let outputs = self.flow.graph.nodes.iter().filter(|node| node.kind.is_output()).count();
        let value = |state: &NodeState| state.output.clone().unwrap_or_default();
        let output = match reached.as_slice() {
            [] => None,
            [(_, state)] if outputs == 1 => Some(value(state)),
            several => {
                let members = several.iter().map(|(node, state)| (node.id.clone(), value(state)));
                Some(Value::Object(members.collect::<Map<_, _>>()))
            }
        };
        match output {
            Some(output) => {
                self.state.head.output = output;
                self.finish(Status::Completed);
            }
            None => {
                let message = self.no_output_message();
                self.state.head.error = Some(WorkflowFailure::new("no_output", message));
                self.finish(Status::Failed);
            }
        }
    }

    fn no_output_message(&self) -> String {
        let nodes = self.flow.graph.nodes.iter().zip(&self.state.nodes);
        let failed = nodes.filter_map(|(node, state)| Some((&node.id, state.error.as_ref()?)));
        let failed: Vec<String> =
            failed.map(|(id, failure)| format!("node '{id}' failed: {}", failure.message)).collect();
        match failed.as_slice() {
            [] => "no output node was reached: conditions closed every path".to_owned(),
            [first] => format!("no output node was reached: {first}"),
            [first, more @ ..] => {
                format!("no output node was reached: {first}; {} more failed", more.len())
            }
        }
    }

    fn finish(&mut self, status: Status) {
        for node in 0..self.state.nodes.len() {
            let Some(state) = self.state.nodes.get_mut(node) else { continue };
            state.status = match state.status {
                NodeStatus::Waiting => NodeStatus::Skipped,
                NodeStatus::Running => NodeStatus::Stopped,
                _ => continue,
            };
            state.skip_waiting_tasks();
            state.finished_at = Some(self.now);
            self.tell_end(node);
        }
        self.state.head.status = status;
        let workflow_name = self.flow.graph.name.clone();
        let error = self.state.head.error.clone();
        self.tell(Body::WorkflowFinished { workflow_name, status, error });
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.state.head.status != Status::Running
    }

    pub(crate) fn node(&self, node: usize) -> Option<&'a Node> {
        self.flow.graph.nodes.get(node)
    }

    pub(crate) fn task(&mut self, at: At) -> Option<&mut Task> {
        self.state.nodes.get_mut(at.node)?.tasks.get_mut(at.task)
    }

    pub(super) fn tell(&mut self, body: Body) {
        self.steps.push(Step::Tell(body));
    }

    pub(crate) fn launch(&mut self, start: Start) {
        if let Some(task) = self.task(start.at) {
            task.status = NodeStatus::Running;
            task.attempts += 1;
            task.earlier.extend(task.worker.take());
            task.error = None;
        }
        self.steps.push(Step::Start(Box::new(start)));
    }
}

/// Whether an edge is taken; `None` while its upstream node is not over.
pub(crate) fn take<'s>(flow: &Flow, state: &'s State, edge: usize) -> Option<&'s Take> {
    let from = flow.graph.edges.get(edge)?.from;
    let place = flow.outgoing(from).iter().position(|each| *each == edge)?;
    state.nodes.get(from)?.takes.get(place)
}
