//! What a graph must know of the agents and workflows that it names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::graph::{OutputSchema, Role, Target, Work};

/// What goes into an agent or a workflow, and what comes out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    /// What it takes.
    pub takes: Takes,
    /// What it gives, where that is known.
    pub gives: Option<Value>,
    /// Whether a contract of its own says so, which cannot be replaced by another.
    pub fixed: bool,
    /// What it is for, in its own words. A planner chooses by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What goes in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Takes {
    /// A prompt.
    Prompt,
    /// Anything.
    Anything,
    /// What this schema says.
    Schema(Value),
}

/// All that is known where a graph is used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Known {
    /// Agents, by name.
    pub agents: BTreeMap<String, Signature>,
    /// Workflows, by name.
    pub workflows: BTreeMap<String, Signature>,
    /// Agents that stand in the graph, by [`Known::inline_key`].
    pub inline: BTreeMap<String, Signature>,
    /// Registered schemas, by name.
    #[serde(default)]
    pub schemas: BTreeMap<String, Value>,
}

impl Known {
    /// The name under which an agent that stands in the graph is known.
    pub fn inline_key(node: &str, role: Role) -> String {
        match role {
            Role::Own => node.to_owned(),
            Role::Synthesis => format!("{node}.synthesis"),
        }
    }

    /// What comes of some work, where that is known.
    pub fn gives<'a>(&'a self, node: &str, work: &'a Work, role: Role) -> Option<&'a Value> {
        match &work.output_schema {
            Some(OutputSchema::Inline(schema)) => Some(schema),
            Some(OutputSchema::Named(name)) => self.schemas.get(name),
            None => self.of(node, work, role)?.gives.as_ref(),
        }
    }

    /// What is known of who does some work.
    pub fn of(&self, node: &str, work: &Work, role: Role) -> Option<&Signature> {
        match &work.target {
            Target::Agent(name) => self.agents.get(name),
            Target::Workflow(name) => self.workflows.get(name),
            Target::Inline(_) => self.inline.get(&Self::inline_key(node, role)),
        }
    }
}
