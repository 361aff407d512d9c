//! Graphs of contracted agents.
//!
//! A workflow is a document: nodes and edges. This crate reads it ([`read`]), finds what is wrong with it ([`check`])
//! and what is doubtful ([`doubts`]), makes it ready ([`Flow`]), and decides what a run of it does next ([`advance`]); it compares what siblings say
//! ([`compare`]) and what one gives with what the next takes ([`fit`]). Absent on purpose: clocks,
//! randomness, input and output. Times and ids come in as arguments, and what has to be done comes out as data.

pub mod compare;
pub mod fit;
pub mod limits;

mod advance;
mod check;
mod doubts;
mod finding;
mod flow;
mod graph;
mod plan;
mod rooted;
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
    Edge, Ends, Graph, Kind, LeftOut, Node, OnFailure, OutputSchema, Parameters, Role, Severity, Target,
    Then, Work, file_schema, read,
};
pub use plan::{Plan, Subtask};
pub use signature::{Known, Signature, Takes};
pub use state::{At, Head, NodeState, Purpose, State, Surroundings, Take, Task};
