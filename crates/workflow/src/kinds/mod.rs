//! The kinds of nodes: everything about one kind is in its module.
//!
//! A new kind is a module with a [`Definition`] and an implementation of [`Behaviour`], a variant of [`NodeKind`] with its
//! arm in [`NodeKind::parts`], and an entry in [`ALL`].

mod agent;
mod check;
mod human;
mod input;
mod map;
mod output;
mod planner;

pub(crate) use input::InputNode;
#[cfg(test)]
pub(crate) use {agent::AgentNode, output::OutputNode};

use accord_domain::workflow::WorkflowFailure;
use serde_json::Value;

use crate::advance::{Engine, Prepared};
use crate::check::{Scope, Upstream};
use crate::finding::Findings;
use crate::graph::{Node, ObjectReader, Role, Then, Work};
use crate::signature::Known;
use crate::state::{At, Purpose};

/// Every kind, in the order in which messages and the file's schema list them.
pub(crate) const ALL: [&Definition; 7] = [
    &input::DEFINITION,
    &agent::DEFINITION,
    &human::DEFINITION,
    &check::DEFINITION,
    &map::DEFINITION,
    &planner::DEFINITION,
    &output::DEFINITION,
];

/// What a node does, with the fields of its kind.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// Passes on the input of the run.
    Input(InputNode),
    Agent(agent::AgentNode),
    /// Asks a person.
    Human(agent::AgentNode),
    Check(check::CheckNode),
    /// Runs an agent for each item of a list.
    Map(map::MapNode),
    /// Lets an agent make a plan, and carries it out.
    Planner(Box<planner::PlannerNode>),
    /// Makes the output of the run.
    Output(output::OutputNode),
}

impl NodeKind {
    pub(crate) const INPUT: &'static str = input::DEFINITION.name;
    pub(crate) const OUTPUT: &'static str = output::DEFINITION.name;

    /// Here, and in what is asked below, the kinds are distinguished, and nowhere else.
    fn parts(&self) -> (&'static Definition, &dyn Behaviour) {
        match self {
            Self::Input(kind) => (&input::DEFINITION, kind),
            Self::Agent(kind) => (&agent::DEFINITION, kind),
            Self::Human(kind) => (&human::DEFINITION, kind),
            Self::Check(kind) => (&check::DEFINITION, kind),
            Self::Map(kind) => (&map::DEFINITION, kind),
            Self::Planner(kind) => (&planner::DEFINITION, kind.as_ref()),
            Self::Output(kind) => (&output::DEFINITION, kind),
        }
    }

    pub(crate) fn behaviour(&self) -> &dyn Behaviour {
        self.parts().1
    }

    pub fn as_str(&self) -> &'static str {
        self.parts().0.name
    }

    /// Whether it has one task and one output for each item of a list.
    pub fn is_per_item(&self) -> bool {
        self.parts().0.per_item
    }

    pub(crate) fn is_input(&self) -> bool {
        matches!(self, Self::Input(_))
    }

    pub(crate) fn is_output(&self) -> bool {
        matches!(self, Self::Output(_))
    }

    /// Whether it starts with its only task, so that it is reported as started with its worker.
    pub(crate) fn starts_with_worker(&self) -> bool {
        matches!(self, Self::Agent(_) | Self::Human(_))
    }

    /// What the input of the run must be.
    pub(crate) fn input_schema(&self) -> Option<&Value> {
        match self {
            Self::Input(input) => input.schema.as_ref(),
            _ => None,
        }
    }

    /// The work of its agent, where it has one.
    pub fn work(&self) -> Option<&Work> {
        self.behaviour().works().into_iter().find(|(_, role)| *role == Role::Own).map(|(work, _)| work)
    }
}

/// What is known of a kind without a node.
pub(crate) struct Definition {
    /// The value of a node's field `type`.
    pub(crate) name: &'static str,
    /// What such a node does, for the schema of workflow files: a verb phrase.
    pub(crate) purpose: &'static str,
    /// Whether a node has one task and one output for each item of a list; `on_failure` may be `fail_at_end` then.
    pub(crate) per_item: bool,
    /// Whether a node can fail, and so have `on_failure`.
    pub(crate) can_fail: bool,
    pub(crate) read: fn(&mut ObjectReader<'_>, &mut Findings) -> Option<NodeKind>,
    /// The kind's part of the schema of workflow files: `title`, `properties`, and where there are any `required` and
    /// `oneOf`. What all nodes have is added by `graph::file_schema`.
    pub(crate) schema: fn() -> Value,
}

/// What a node of a kind does. The default of each method is right for a kind without agents.
pub(crate) trait Behaviour {
    /// What agents have to do for the node.
    fn works(&self) -> Vec<(&Work, Role)> {
        Vec::new()
    }

    /// The agents that it names besides those of its works.
    fn other_agents(&self) -> &[String] {
        &[]
    }

    /// The condition that it evaluates, in CEL.
    fn condition(&self) -> Option<&str> {
        None
    }

    /// The template that it has besides the parameters of its works.
    fn template(&self) -> Option<Value> {
        None
    }

    /// Whether it makes no sense without an incoming edge.
    fn needs_input(&self) -> bool {
        false
    }

    /// Whether it is useful even if no path leads from it to an output.
    fn may_be_last(&self) -> bool {
        false
    }

    fn output_schema(&self, node: &Node, known: &Known) -> Option<Value>;

    /// Checks the agents that it names against those that exist. The targets of its works are checked for every kind.
    fn check_agents(&self, _node: &Node, _known: &Known, _findings: &mut Findings) {}

    fn check_expressions(&self, _node: &Node, _scope: &Scope<'_>, _findings: &mut Findings) {}

    /// Checks that the upstream outputs are what its agent accepts.
    fn check_inputs(&self, node: &Node, upstream: &Upstream<'_>, findings: &mut Findings) {
        if let Some(work) = node.kind.work() {
            upstream.check_work(node, work, &upstream.inputs(), findings);
        }
    }

    /// Starts the node, whose inputs are complete.
    fn start(&self, engine: &mut Engine<'_>, node: usize);

    /// What is needed to start one of its tasks.
    fn prepare(&self, _engine: &Engine<'_>, _at: At, _node: &Node, _purpose: &Purpose) -> Prepared {
        Err(WorkflowFailure::new("internal", "this node has no tasks"))
    }

    /// One of its tasks has completed. A node with a single task has the output of that task.
    fn task_completed(&self, engine: &mut Engine<'_>, at: At, _purpose: &Purpose, output: Value) {
        engine.complete(at.node, output);
    }

    /// Whether it continues after the failure of such a task.
    fn survives(&self, _then: Then, _purpose: &Purpose) -> bool {
        false
    }

    /// Starts the tasks that can start now, or ends the node when all have finished.
    fn resume(&self, _engine: &mut Engine<'_>, _node: usize) {}
}
