//! Test doubles of the outside world.
//!
//! - [`ModelServer`]: a provider on loopback. It answers with [`Reply`]s by a [`Script`], over every wire that executors speak,
//!   and keeps each [`RecordedRequest`]. The binary `accord-model` is one for trying things by hand.
//! - [`ChaosModel`]: a script that misbehaves by chance, in every way that is known ([`Misbehaviour`]), and records what it did.
//! - [`PostgresCluster`]: a server of the test's own, gone at its end.
//! - [`hostile`]: deep, wide, long and self-similar inputs for every language that Accord reads.
//! - [`story`]: the test suite that every store must pass.

pub mod hostile;

mod model;
mod postgres;
pub mod story;

pub use model::{
    ChaosModel, Deed, DropPoint, JsonSchemaHabit, Misbehaviour, ModelServer, Random, RecordedRequest, Reply,
    SUBMIT_TOOL, Script, Wire,
};
pub use postgres::{PostgresCluster, PostgresError, PostgresOptions};
