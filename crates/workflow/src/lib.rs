//! Graphs of contracted agents.
//!
//! A workflow is a document: nodes and edges. Absent on purpose: clocks, randomness, input and output. Times and ids come in as
//! arguments, and what has to be done comes out as data.
//!
//! **From a document to a graph that can be run.** [`read`] makes a [`Graph`] of it, with every mistake as a [`Finding`]
//! (`graph`). [`doubts`] looks at the schemas in it. [`check`] holds it against what is [`Known`] of the agents, workflows and
//! registered schemas that it names: its shape, its names, its templates and conditions (`template`), and whether what one
//! node gives is what the next takes (`fit`). [`output_schema`] tells what a whole workflow gives, for those that have it as a
//! part. [`Flow`] is a graph without mistakes, made ready.
//!
//! **One step of a run.** [`advance`] takes a [`State`] and an [`Event`] and gives the next state and the [`Step`]s to carry out:
//! agents to start, workers to stop, events to tell. In front of a node that several agents feed, what they say is
//! compared ([`compare`]). A planner's plan is read and followed (`plan`). [`diff`] reads changes of code, for templates that
//! show them to models with line numbers.
//!
//! The bounds of all of it, each with its reason, are in [`limits`].

pub mod compare;
pub mod diff;
pub mod limits;

mod advance;
mod check;
mod doubts;
mod finding;
mod fit;
mod flow;
mod graph;
mod kinds;
mod plan;
mod schema_parts;
mod siblings;
mod signature;
mod state;
mod template;
mod view;

pub use advance::{End, Event, Start, Step, advance};
pub use check::{check, output_schema};
pub use doubts::{Writer, doubts, rule_doubts, schema_doubts};
pub use finding::{Finding, Gravity, Mark};
pub use flow::Flow;
pub use graph::{
    Edge, Ends, Graph, LeftOut, Node, OnFailure, OutputSchema, Parameters, Role, Target, Then, Work,
    file_schema::file_schema, read,
};
pub use kinds::NodeKind;
pub use plan::{Plan, Subtask};
pub use signature::{Known, Signature, Takes};
pub use state::{At, Head, NodeState, Purpose, State, Surroundings, Take, Task};
