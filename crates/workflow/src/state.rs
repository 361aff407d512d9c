//! The state of a workflow run. It is stored node by node, and read again after a crash.

use accord_domain::comparison::Comparison;
use accord_domain::demands::Demands;
use accord_domain::id::SessionId;
use accord_domain::workflow::{NodeStatus, Status, Worker, WorkflowFailure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::graph::Graph;
use crate::plan::Plan;

#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// What does not belong to one node.
    pub head: Head,
    /// The nodes, in the order of the graph.
    pub nodes: Vec<NodeState>,
}

/// The part of a run's state that does not belong to one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub status: Status,
    pub input: Value,
    /// Settings of every agent run in it.
    #[serde(default, skip_serializing_if = "Surroundings::is_plain")]
    pub surroundings: Surroundings,
    #[serde(default)]
    pub output: Value,
    /// Why it failed, or is about to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkflowFailure>,
}

/// Settings of every agent run in a workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Surroundings {
    /// Demands beside the agents'.
    #[serde(default)]
    pub demands: Demands,
    #[serde(default)]
    pub project_dir: Option<String>,
    /// The session that started the workflow run, and so the parent of those in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
    /// The trace that the workflow run belongs to, as a W3C `traceparent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

impl Surroundings {
    fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NodeState {
    pub status: NodeStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkflowFailure>,
    /// The message of a check that warns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// How often the planner was asked for another plan.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replans: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Task>,
    /// For each edge that leads away from it, in the order of the graph, whether it is taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<Take>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl NodeState {
    /// Skips the tasks that have not started, because the node has finished.
    pub(crate) fn skip_waiting_tasks(&mut self) {
        for task in self.tasks.iter_mut().filter(|task| task.status == NodeStatus::Waiting) {
            task.status = NodeStatus::Skipped;
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    Yes,
    No,
    /// Its condition cannot be evaluated; the reason.
    Unclear(String),
}

/// A task that an agent does for a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub purpose: Purpose,
    pub status: NodeStatus,
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<Worker>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Worker>,
    /// The output. If the node has only one task, it is stored with the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkflowFailure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Whole,
    Item(usize),
    Plan,
    /// The subtask of a plan with this id.
    Subtask(String),
    /// Joining the results of a plan.
    Synthesis,
}

impl Task {
    pub(crate) fn new(purpose: Purpose) -> Self {
        Self {
            purpose,
            status: NodeStatus::Waiting,
            attempts: 0,
            worker: None,
            earlier: Vec::new(),
            output: None,
            error: None,
        }
    }
}

impl State {
    /// A run that has not begun.
    pub fn new(graph: &Graph, input: Value) -> Self {
        let surroundings = Surroundings::default();
        let head = Head { status: Status::Running, input, surroundings, output: Value::Null, error: None };
        Self { head, nodes: vec![NodeState::default(); graph.nodes.len()] }
    }

    pub fn at_work(&self) -> impl Iterator<Item = (At, &Worker)> {
        self.nodes.iter().enumerate().flat_map(|(node, state)| {
            let running =
                state.tasks.iter().enumerate().filter(|(_, task)| task.status == NodeStatus::Running);
            running.filter_map(move |(task, state)| Some((At { node, task }, state.worker.as_ref()?)))
        })
    }
}

/// A task of a node, by their indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    pub node: usize,
    pub task: usize,
}
