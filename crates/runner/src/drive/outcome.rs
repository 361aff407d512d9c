//! What a run reports while it works, and how it ends.

use accord_api::{Attempt, EventBody, FactReport, Failure, HeldAnswer, NewInput, Usage, Validation};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;

/// Receives events while a run works.
#[async_trait]
pub trait Observer: Send + Sync {
    /// Reports an event. May wait, so that work does not run ahead of its listeners.
    async fn event(&self, event: EventBody);

    /// Reports an attempt: a validated answer, or a turn without one; its verdict is the step of
    /// this number. Returns true if children of the run have to report back first: then a
    /// nonconforming answer is not a failure.
    async fn attempt(&self, attempt: Attempt, step: Option<u32>) -> bool;

    fn now(&self) -> Timestamp;
}

/// How the work on a run ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub end: RunEnd,
    /// The total usage.
    pub usage: Usage,
    /// How often the model was asked again.
    pub retries: u32,
    /// The facts learned about endpoints.
    pub facts: Vec<FactReport>,
    /// The conversation, for a later run of the session.
    pub conversation: Option<Value>,
}

#[derive(Debug, Clone)]
pub enum RunEnd {
    /// Text, without a contract.
    Text(String),
    /// A value that meets the contract, or that a command computed.
    Data {
        value: Value,
        /// The text that it was found in.
        raw: String,
        /// How the contract was met, if there is one.
        validation: Option<Validation>,
    },
    /// An answer for the coordinator to judge.
    Answered(HeldAnswer),
    Failed(Failure),
    /// The run has to wait for its children.
    Waiting,
    /// A person has to answer these first.
    InputRequired(Vec<NewInput>),
    /// The recorded steps belong to another course of the run.
    Diverged(String),
    Stopped,
}
