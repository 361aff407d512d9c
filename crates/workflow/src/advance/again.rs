//! Resumes a run that ended without a result: nodes that failed or were stopped run again, and so
//! does everything downstream of them.
//!
//! Completed nodes keep their output. So do completed items of a map and completed subtasks of a
//! plan, unless the inputs of their node change.

use std::collections::BTreeSet;

use accord_domain::event::Body;
use accord_domain::workflow::{NodeStatus, Status};
use serde_json::Value;

use super::engine::Engine;
use super::held::Held;
use crate::flow::Flow;
use crate::state::{At, NodeState, Purpose, State, Task};

impl State {
    /// Whether there is something to run again: a node that has not finished well, or that was never reached because the run was
    /// stopped.
    pub fn can_resume(&self) -> bool {
        let is_open = |node: &NodeState| !matches!(node.status, NodeStatus::Completed | NodeStatus::Skipped);
        match self.head.status {
            Status::Completed => false,
            Status::Stopped => true,
            _ => self.nodes.iter().any(is_open),
        }
    }
}

impl Engine<'_> {
    pub(super) fn resume(&mut self) {
        if self.state.head.status == Status::Completed {
            return;
        }
        self.state.head.status = Status::Running;
        self.state.head.error = None;
        self.state.head.output = Value::Null;
        let broken: Vec<usize> = (0..self.state.nodes.len()).filter(|node| self.is_broken(*node)).collect();
        let downstream = downstream(self.flow, &broken);
        for (place, state) in self.state.nodes.iter_mut().enumerate() {
            // Whether a node is skipped is decided again: what it waits for may turn out otherwise.
            if downstream.contains(&place) || state.status == NodeStatus::Skipped {
                *state = NodeState::default();
            }
        }
        self.held = Held::of(&self.state);
        for place in broken {
            if !downstream.contains(&place) {
                self.resume_node(place);
            }
        }
        self.queue_all();
    }

    /// Whether a node has begun and not finished well. One is still running if the run was ended without a step.
    fn is_broken(&self, place: usize) -> bool {
        let status = self.state.nodes.get(place).map(|state| state.status);
        matches!(status, Some(NodeStatus::Failed | NodeStatus::Stopped | NodeStatus::Running))
    }

    fn resume_node(&mut self, place: usize) {
        let (Some(node), Some(state)) = (self.node(place), self.state.nodes.get_mut(place)) else { return };
        if state.tasks.is_empty() {
            *state = NodeState::default();
            return;
        }
        state.status = NodeStatus::Running;
        state.error = None;
        state.replans = 0;
        state.takes.clear();
        state.finished_at = None;
        state.tasks.retain(|task| is_done(task) || task.purpose != Purpose::Synthesis);
        state.tasks.iter_mut().filter(|task| !is_done(task)).for_each(reset);
        let begins = |task: &Task| !is_done(task) && matches!(task.purpose, Purpose::Whole | Purpose::Plan);
        let first = state.tasks.iter().position(begins);
        if !node.kind.starts_with_worker() {
            let (id, kind) = (node.id.clone(), node.kind.as_str().to_owned());
            self.tell(Body::WorkflowNodeStarted { node: id, kind, attempt: 1, worker: None });
        }
        match first {
            Some(task) => self.begin_task(At { node: place, task }),
            None => node.kind.behaviour().resume(self, place),
        }
    }
}

fn is_done(task: &Task) -> bool {
    task.status == NodeStatus::Completed
}

/// Resets a task with all its retries. Its earlier workers stay known.
fn reset(task: &mut Task) {
    task.status = NodeStatus::Waiting;
    task.attempts = 0;
    task.error = None;
    task.output = None;
}

/// All nodes that a path leads to from one of these.
fn downstream(flow: &Flow, nodes: &[usize]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = nodes.to_vec();
    while let Some(node) = open.pop() {
        let edges = flow.outgoing(node).iter().filter_map(|edge| flow.graph.edges.get(*edge));
        open.extend(edges.map(|edge| edge.to).filter(|next| found.insert(*next)));
    }
    found
}
