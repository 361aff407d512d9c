//! Scripted and chaos model servers, the store story, a coordinator for tests.

mod model;

pub use model::{
    ChaosModel, Deed, DropPoint, JsonSchemaHabit, Misbehaviour, ModelServer, Random, RecordedRequest, Reply,
    SUBMIT_TOOL, Script, Wire,
};
