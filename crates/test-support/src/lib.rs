//! Scripted and chaos model servers, the store story, a coordinator for tests.

mod model;
mod postgres;
pub mod story;

pub use model::{
    ChaosModel, Deed, DropPoint, JsonSchemaHabit, Misbehaviour, ModelServer, Random, RecordedRequest, Reply,
    SUBMIT_TOOL, Script, Wire,
};
pub use postgres::{PostgresCluster, PostgresError, PostgresOptions};
