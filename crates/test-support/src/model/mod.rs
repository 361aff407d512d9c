//! Model servers for tests, on loopback: one that answers by a script, and one that misbehaves by chance.
//!
//! A [`ModelServer`] speaks every wire that a provider of ours speaks, streaming and not, and answers as the
//! real services do: ids, usage, stop reasons, error bodies. So an executor, an SDK or an agent CLI can be
//! pointed at it. What it answers is a [`Reply`], which knows no wire: the path of the request says which one
//! the reply is written for. A [`ChaosModel`] is a script that picks a [`Misbehaviour`] for each request.
//!
//! Absent on purpose: any constrained decoding. A schema in a request is recorded and otherwise ignored, because
//! the point of most tests is what happens when a service did not keep to it.

mod chaos;
mod connection;
mod embeddings;
mod exchange;
mod habits;
mod other_paths;
mod pieces;
mod random;
mod reply;
mod request;
mod respond;
mod script;
mod server;
mod wire;

pub use chaos::{ChaosModel, Deed, Misbehaviour};
pub use habits::JsonSchemaHabit;
pub use random::Random;
pub use reply::{DropPoint, Reply};
pub use request::RecordedRequest;
pub use script::Script;
pub use server::ModelServer;
pub use wire::Wire;

/// The tool through which an agent hands in its result.
pub const SUBMIT_TOOL: &str = "submit_result";
