//! Model servers for tests, on loopback: one that follows a script, and one that misbehaves at
//! random.
//!
//! A [`ModelServer`] supports every provider protocol that Accord supports, streaming and not, and
//! answers as the real services do: ids, usage, stop reasons, error bodies. So an executor, an SDK
//! or an agent CLI can be pointed at it. A [`Reply`] does not depend on a protocol: the path of the
//! request selects the protocol that the reply is written in. A [`ChaosModel`] is a script that
//! picks a [`Misbehaviour`] for each request.
//!
//! There is deliberately no constrained decoding. A schema in a request is recorded and otherwise
//! ignored, because most tests are about services that do not follow the schema.

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

/// The tool with which an agent submits its result.
pub const SUBMIT_TOOL: &str = "submit_result";
