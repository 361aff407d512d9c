//! What is known of the agents and workflows that a graph names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::graph::{OutputSchema, Role, Target, Work};

/// The input and output of an agent or a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    pub takes: Takes,
    /// The schema of its output, where it is known.
    pub gives: Option<Value>,
    /// Whether it has an output schema of its own, which cannot be overridden.
    pub fixed: bool,
    /// Its description, by which a planner chooses agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The input of an agent or a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Takes {
    Prompt,
    Anything,
    /// What conforms to this schema.
    Schema(Value),
}

/// All agents, workflows and schemas that a graph names.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Known {
    pub agents: BTreeMap<String, Signature>,
    pub workflows: BTreeMap<String, Signature>,
    /// Agents defined in the graph, by [`Known::inline_key`].
    pub inline: BTreeMap<String, Signature>,
    #[serde(default)]
    pub schemas: BTreeMap<String, Value>,
}

impl Known {
    /// The key of an agent that is defined in the graph.
    pub fn inline_key(node: &str, role: Role) -> String {
        match role {
            Role::Own => node.to_owned(),
            Role::Synthesis => format!("{node}.synthesis"),
        }
    }

    /// The schema of a work's output, where it is known.
    pub fn gives<'a>(&'a self, node: &str, work: &'a Work, role: Role) -> Option<&'a Value> {
        match &work.output_schema {
            Some(OutputSchema::Inline(schema)) => Some(schema),
            Some(OutputSchema::Named(name)) => self.schemas.get(name),
            None => self.of(node, work, role)?.gives.as_ref(),
        }
    }

    /// The signature of the agent or workflow that does a work.
    pub fn of(&self, node: &str, work: &Work, role: Role) -> Option<&Signature> {
        match &work.target {
            Target::Agent(name) => self.agents.get(name),
            Target::Workflow(name) => self.workflows.get(name),
            Target::Inline(_) => self.inline.get(&Self::inline_key(node, role)),
        }
    }
}
