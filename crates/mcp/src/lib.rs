//! MCP: Accord's tools, for agents and for the clients of people.
//!
//! Every tool is a call of the coordinator's API by `accord-client`, with the caller's key: nothing is allowed
//! here that is not allowed there. The protocol is spoken by `rmcp`; what it does not do is in `rpc` (strict reading, batches)
//! and around its transports (see docs/adr/0040-mcp-is-spoken-by-rmcp.md).
//!
//! A message comes in over [`serve`] (stdin and stdout) or [`Http`] (one POST each), is read by `rpc` and answered by
//! `handler`, which calls a tool of a [`Toolset`]. There are two: [`Accord`], the tools of a coordinator, and [`Submit`], by which
//! a CLI agent hands over its answer. A tool knows its [`Caller`]: it can report progress, and ask the user of the client (see
//! docs/adr/0048-mcp-without-a-handshake.md).
//!
//! Batches, which one version of the protocol has, are answered as a whole. Absent on purpose: sessions of the protocol
//! (requests are independent, so any coordinator can answer them), resources, prompts and sampling.

mod accord;
mod caller;
mod handler;
mod http;
mod rpc;
mod stdio;
mod submit;
mod toolset;
mod wire;

pub use accord::Accord;
pub use caller::{Caller, Question, Reply};
pub use http::{Answered, Http, Pieces};
pub use stdio::serve;
pub use submit::Submit;
pub use toolset::{Answer, Hints, Outcome, Task, TaskState, Tasks, Tool, Toolset, Unavailable};
