//! Graphs of contracted agents.
//!
//! A workflow is a document: nodes and edges. The crate is pure: no clocks, randomness, input or output. Times and ids are
//! arguments, and what has to be done is returned as data.
//!
//! **From a document to a graph that can run.** [`read`] makes a [`Graph`] of it, with every mistake as a [`Finding`]
//! (`graph`). What is particular to a kind of node is in `kinds`. [`graph_warnings`] lints the schemas in it. [`check`] compares it
//! with what is [`Known`] of the agents, workflows and registered schemas that it names: its topology, its names, its
//! templates and conditions (`template`), and whether the output of one node is what the next accepts (`fit`).
//! [`output_schema`] is the schema of a whole workflow's output. [`agreement()`] compares the contract of an agent with the one of its
//! caller in the same way, and [`both`] makes one of them. [`Flow`] is a valid graph that is ready to run.
//!
//! **One step of a run.** [`advance`] takes a [`State`] and an [`Event`], and returns the next state and the [`Step`]s to carry
//! out: tasks to start, workers to stop, events to publish. Before a node with several upstream agents starts, their outputs
//! are compared ([`compare`]). A planner's plan is read by `plan`. [`diff`] reads changes of code, for templates that show
//! them to models with line numbers.
//!
//! All limits, each with its reason, are in [`limits`].

pub mod compare;
pub mod diff;
pub mod limits;

mod advance;
mod agreement;
mod check;
mod finding;
mod fit;
mod flow;
mod graph;
mod kinds;
mod plan;
mod schema_parts;
mod schema_warnings;
mod siblings;
mod signature;
mod state;
mod template;
mod view;

pub use advance::{Event, Start, Step, TaskOutcome, advance};
pub use agreement::{Agreement, Disagreement, agreement, both};
pub use check::{check, output_schema};
pub use finding::{Finding, Gravity, Mark};
pub use flow::{Flow, FlowError};
pub use graph::{
    Edge, EdgeEnds, Graph, LeftOut, Node, OnFailure, OutputSchema, Parameters, Role, Target, Then, Work,
    file_schema::file_schema, read,
};
pub use kinds::NodeKind;
pub use plan::{Plan, Subtask};
pub use schema_warnings::{Writer, graph_warnings, rule_warnings, schema_warnings};
pub use signature::{Known, Signature, Takes};
pub use state::{At, Head, NodeState, Purpose, State, Surroundings, Take, Task};
