//! Test doubles of the outside world.
//!
//! - [`ModelServer`]: a provider on loopback. It answers with the [`Reply`]s of a [`Script`] in
//!   every provider protocol that executors support, and records each [`RecordedRequest`]. The
//!   binary `accord-model` starts one for trying things by hand.
//! - [`ChaosModel`]: a script that misbehaves at random, in every known way ([`Misbehaviour`]), and
//!   records what it did.
//! - [`PostgresCluster`]: a private server for a test, removed when the test ends.
//! - [`FailingStore`]: a store in front of another one, which fails or dies at a chosen call.
//! - [`seed`]: which sample of many cases a test tries.
//! - [`hostile`]: deep, wide, long and self-similar inputs for every language that Accord reads.
//! - [`story`]: the test suite that every store must pass.

pub mod hostile;

mod failing;
mod model;
mod postgres;
mod seed;
pub mod story;

pub use failing::{Call, FailingStore, Fault};
pub use model::{
    ChaosModel, Deed, DropPoint, JsonSchemaHabit, Misbehaviour, ModelServer, Random, RecordedRequest, Reply,
    SUBMIT_TOOL, Script, Wire,
};
pub use postgres::{PostgresCluster, PostgresError, PostgresOptions};
pub use seed::seed;
