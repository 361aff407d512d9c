//! A way to a server, as a seam: a program's pipes, or HTTP.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

/// A connection to one server. One question at a time.
#[async_trait]
pub(super) trait Wire: Send {
    /// Asks, and waits for the answer. `patience` is how long there may be no sign of life. When this is dropped
    /// half-way, [`Wire::give_up`] comes next.
    async fn ask(&mut self, method: &str, params: Value, patience: Duration) -> Result<Value, Fault>;

    /// Tells something that wants no answer.
    async fn tell(&mut self, method: &str, params: Value) -> Result<(), Fault>;

    /// Tells that the answer to the question before is no longer wanted.
    async fn give_up(&mut self);

    /// Whether nothing can be asked any more after such a fault.
    fn is_lost_by(&self, fault: &Fault) -> bool;

    /// From now on this version of the protocol is spoken.
    fn speak(&mut self, version: &str);

    /// The end of what the server wrote for people.
    fn log(&self) -> String;

    /// Ends the connection, and the server where it is ours.
    async fn close(self: Box<Self>);
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// It answered with an error.
    #[error("{0}")]
    Refused(String),
    /// It did not answer.
    #[error("it did not answer within {} seconds", .0.as_secs())]
    Silent(Duration),
    /// It is not there, or no longer.
    #[error("{0}")]
    Gone(String),
    /// What it says cannot be.
    #[error("{0}")]
    Broken(String),
}
