//! For tests: scripted and chaos model servers, a PostgreSQL cluster of a test's own, the story that both
//! stores must tell.

mod model;
mod postgres;
pub mod story;

pub use model::{
    ChaosModel, Deed, DropPoint, JsonSchemaHabit, Misbehaviour, ModelServer, Random, RecordedRequest, Reply,
    SUBMIT_TOOL, Script, Wire,
};
pub use postgres::{PostgresCluster, PostgresError, PostgresOptions};
