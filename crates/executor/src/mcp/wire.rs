//! The transport to a server: the pipes of a program, or HTTP.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

/// The transport to one server. Request ids increase; one request is sent at a time.
#[async_trait]
pub(super) trait Wire: Send {
    /// Sends the request of an id, and waits for its answer. `patience` is how long there may be no sign of life.
    async fn ask(&mut self, id: u64, request: Value, patience: Duration) -> Result<Value, McpError>;

    /// Sends a message that wants no answer.
    async fn tell(&mut self, message: Value) -> Result<(), McpError>;

    /// Whether nothing can be asked any more after such a fault.
    fn is_lost_by(&self, fault: &McpError) -> bool;

    fn speak(&mut self, version: &str);

    /// The end of what the server wrote for people.
    fn log(&self) -> String;

    /// Ends the connection, and the server where it is ours.
    async fn close(self: Box<Self>);
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum McpError {
    #[error("{0}")]
    Refused(String),
    /// It did not answer.
    #[error("it did not respond within {} seconds", .0.as_secs())]
    Silent(Duration),
    /// It is not there, or no longer.
    #[error("{0}")]
    Gone(String),
    #[error("{0}")]
    Broken(String),
}
