//! Starting nodes, and the tasks that agents do for them.

use accord_domain::event::Body;
use accord_domain::workflow::{NodeStatus, WorkflowFailure};
use serde_json::{Map, Value};

use super::engine::Engine;
use super::inputs::{DefaultInput, inputs, parameters, variables};
use super::{Prepared, Start};
use crate::graph::{Node, Role, Work};
use crate::limits::MOST_CONTRADICTION_EVENTS;
use crate::siblings::Siblings;
use crate::signature::Takes;
use crate::state::{At, NodeState, Purpose, Task};
use crate::template::Variables;

/// What to do with the next task that has not started.
pub(crate) enum NextTask {
    Begin(usize),
    /// A task that it depends on failed.
    Skip(usize),
}

impl Engine<'_> {
    /// Starts a node, whose inputs are complete.
    pub(super) fn start(&mut self, place: usize) {
        let Some(node) = self.node(place) else { return };
        if let Err(failure) = self.held.copy_inputs(self.flow.producers(place), self.meter) {
            return self.fail(place, failure);
        }
        self.compare(place, node);
        if !node.kind.starts_with_worker() {
            let (id, kind) = (node.id.clone(), node.kind.as_str().to_owned());
            self.tell(Body::WorkflowNodeStarted { node: id, kind, attempt: 1, worker: None });
        }
        node.kind.behaviour().start(self, place);
    }

    fn compare(&mut self, place: usize, node: &Node) {
        if !Siblings::can_be(self.flow, place) {
            return;
        }
        let inputs = self.inputs(place);
        let Some(siblings) = Siblings::of(self.flow, place, &inputs) else { return };
        let comparison = match siblings.compare(&inputs, self.options, &self.meter.anew()) {
            Ok(comparison) => comparison,
            Err(exceeded) => {
                if let Some(state) = self.state.nodes.get_mut(place) {
                    state.warning = Some(format!("the upstream outputs were not compared: {exceeded}"));
                }
                return;
            }
        };
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

    /// The outputs of the upstream nodes whose edges are taken, by their ids.
    pub(crate) fn inputs(&self, place: usize) -> Map<String, Value> {
        inputs(self.flow, &self.state, place)
    }

    pub(crate) fn variables(&self, place: usize) -> Variables {
        let comparison = self.state.nodes.get(place).and_then(|state| state.comparison.as_ref());
        variables(self.flow, place, self.inputs(place), comparison)
    }

    pub(crate) fn add_task(&mut self, place: usize, purpose: Purpose) {
        if let Some(state) = self.state.nodes.get_mut(place) {
            state.tasks.push(Task::new(purpose));
        }
    }

    pub(crate) fn begin_new_task(&mut self, place: usize, purpose: Purpose) {
        self.add_task(place, purpose);
        let tasks = self.state.nodes.get(place).map_or(0, |state| state.tasks.len());
        self.begin_task(At { node: place, task: tasks.saturating_sub(1) });
    }

    /// Starts as many tasks of a node as may run at once. True if all tasks have finished and the
    /// node has not.
    pub(crate) fn start_tasks(
        &mut self,
        place: usize,
        concurrency: u32,
        next: impl Fn(&NodeState) -> Option<NextTask>,
    ) -> bool {
        // Beginning a task can end the node: the task may fail at once.
        while let Some(state) =
            self.state.nodes.get(place).filter(|state| state.status == NodeStatus::Running)
        {
            let running = state.tasks.iter().filter(|task| task.status == NodeStatus::Running).count();
            match next(state) {
                Some(NextTask::Skip(task)) => {
                    if let Some(task) = self.task(At { node: place, task }) {
                        task.status = NodeStatus::Skipped;
                    }
                }
                Some(NextTask::Begin(task)) if running < concurrency as usize && !self.is_ending() => {
                    let at = At { node: place, task };
                    // Not by `task_failed`, which would come back here: a thousand items can fail one after the other.
                    if let Err(failure) = self.try_to_begin(at)
                        && !self.survives(at, &failure)
                    {
                        self.end_of_node(at, failure);
                    }
                }
                Some(NextTask::Begin(_)) => return false,
                None => return running == 0,
            }
        }
        false
    }

    /// Renders the parameters of a task, and starts it.
    pub(super) fn begin_task(&mut self, at: At) {
        if let Err(failure) = self.try_to_begin(at) {
            self.task_failed(at, failure);
        }
    }

    fn try_to_begin(&mut self, at: At) -> Result<(), WorkflowFailure> {
        let producers = self.flow.producers(at.node);
        let prepared = self.held.has_room().and_then(|()| self.held.copy_inputs(producers, self.meter));
        let prepared = prepared.and_then(|()| self.prepare(at));
        match prepared.and_then(|start| self.held.keep_parameters(&start.parameters).map(|()| start)) {
            Ok(start) => {
                self.launch(start);
                Ok(())
            }
            Err(failure) => {
                if let Some(task) = self.task(at) {
                    task.status = NodeStatus::Running;
                    task.attempts += 1;
                }
                Err(failure)
            }
        }
    }

    fn prepare(&self, at: At) -> Prepared {
        let node =
            self.node(at.node).ok_or_else(|| WorkflowFailure::new("internal", "there is no such node"))?;
        let task = self.state.nodes.get(at.node).and_then(|state| state.tasks.get(at.task));
        let purpose = task.map_or(&Purpose::Whole, |task| &task.purpose);
        node.kind.behaviour().prepare(self, at, node, purpose)
    }

    /// A task for a node's own agent, which gets the inputs of the node unless parameters are set.
    pub(crate) fn prepare_with_inputs(&self, at: At, node: &Node, work: &Work) -> Prepared {
        let given = DefaultInput::inputs(self.flow, at.node, self.inputs(at.node));
        self.prepare_work(at, node, (work, Role::Own), &self.variables(at.node), given)
    }

    pub(crate) fn prepare_work(
        &self,
        at: At,
        node: &Node,
        (work, role): (&Work, Role),
        variables: &Variables,
        given: DefaultInput,
    ) -> Prepared {
        let takes =
            self.flow.known.of(&node.id, work, role).map_or(&Takes::Prompt, |signature| &signature.takes);
        let parameters = parameters(takes, work, variables, given)
            .map_err(|error| self.template_failure(at.node, &error))?;
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

    /// Keeps the output of a task until those of the others are there. One that is too large fails its task.
    pub(crate) fn keep(&mut self, at: At, output: Value) {
        if let Err(failure) = self.held.keep(&output) {
            return self.task_failed(at, failure);
        }
        if let Some(task) = self.task(at) {
            task.output = Some(output);
        }
        if let Some(node) = self.node(at.node) {
            node.kind.behaviour().resume(self, at.node);
        }
    }

    pub(super) fn task_completed(&mut self, at: At, output: Value) {
        let Some(node) = self.node(at.node) else { return };
        let Some(task) = self.task(at) else { return };
        task.status = NodeStatus::Completed;
        let purpose = task.purpose.clone();
        node.kind.behaviour().task_completed(self, at, &purpose, output);
    }

    pub(crate) fn task_failed(&mut self, at: At, failure: WorkflowFailure) {
        let Some(node) = self.node(at.node) else { return };
        match self.survives(at, &failure) {
            true => node.kind.behaviour().resume(self, at.node),
            false => self.end_of_node(at, failure),
        }
    }

    /// Notes that a task has failed, and whether its node goes on without it.
    fn survives(&mut self, at: At, failure: &WorkflowFailure) -> bool {
        let Some(node) = self.node(at.node) else { return false };
        let Some(task) = self.task(at) else { return false };
        task.status = NodeStatus::Failed;
        task.error = Some(failure.clone());
        node.kind.behaviour().survives(node.on_failure.then, &task.purpose)
    }

    /// A node fails with one of its tasks.
    fn end_of_node(&mut self, at: At, failure: WorkflowFailure) {
        if self.is_over(at.node) {
            return;
        }
        let Some(purpose) = self.task(at).map(|task| task.purpose.clone()) else { return };
        let message = match &purpose {
            // People count from 1.
            Purpose::Item(index) => format!("item {}: {}", index + 1, failure.message),
            Purpose::Subtask(id) => format!("subtask '{id}': {}", failure.message),
            Purpose::Whole | Purpose::Plan | Purpose::Synthesis => failure.message,
        };
        self.fail(at.node, WorkflowFailure { message, ..failure });
    }

    fn is_over(&self, place: usize) -> bool {
        self.state.nodes.get(place).is_some_and(|state| state.status.is_over())
    }

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

    pub(super) fn retry(&mut self, at: At, failure: WorkflowFailure) {
        if let Some(task) = self.task(at) {
            task.error = Some(failure);
        }
        self.begin_task(at);
    }
}
