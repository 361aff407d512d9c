//! The loop: prompt, validate, and re-prompt until the answer meets the contract or nothing more
//! can be done.
//!
//! One loop for every executor. An [`executor::Session`](accord_executor::Session) runs one turn at
//! a time; its answer goes only to the judge; [`step::next_step`] alone decides what to do next.

mod budget;
mod continuation;
mod contracted;
mod facts;
mod failure;
mod fallback;
mod free;
mod history;
mod live;
mod offers;
mod outage;
mod reading;
mod recorded;
mod request;
mod single;
mod step;
mod turn_events;
mod turns;

#[cfg(test)]
mod tests;

use accord_api::{Attempt, EventBody, FactReport, Failure, HeldAnswer, NewInput, Usage, Validation};
use accord_executor::{Ask, Journal, Session};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;

pub use budget::Budget;
pub(crate) use budget::{Over, timed_out};
pub(crate) use failure::kind as failure_kind;

use crate::assignment::Assignment;
use turns::Turns;

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

fn new_input(ask: Ask) -> NewInput {
    let Ask { call_id, purpose, message, schema, tool } = ask;
    NewInput { call_id, purpose, message, schema, tool }
}

/// Works on a run until it ends, in a session that is open already. Never longer than the budget allows.
pub async fn drive(
    session: &mut dyn Session,
    assignment: &Assignment,
    budget: &Budget,
    observer: &dyn Observer,
    journal: &Journal,
) -> Outcome {
    let mut turns = Turns::new(session, assignment, budget, observer, journal);
    turns.open().await;
    let (end, facts) = match &assignment.terms {
        terms if assignment.held_by_coordinator => {
            (single::held(&mut turns, terms.as_deref()).await, Vec::new())
        }
        terms if assignment.is_procedural() => {
            (single::procedural(&mut turns, terms.as_deref()).await, Vec::new())
        }
        Some(terms) => contracted::run(&mut turns, terms).await,
        None => (free::run(&mut turns).await, Vec::new()),
    };
    let asked = journal.asked();
    let end = match journal.diverged() {
        Some(reason) => RunEnd::Diverged(reason),
        // A run that was stopped meanwhile is stopped.
        None if !asked.is_empty() && !matches!(end, RunEnd::Stopped) => {
            RunEnd::InputRequired(asked.into_iter().map(new_input).collect())
        }
        None => end,
    };
    // An answer that the coordinator judges is added up there.
    let usage = match end {
        RunEnd::Answered(_) => turns.used(),
        _ => turns.used_in_all(),
    };
    Outcome { end, usage, retries: turns.retries, facts, conversation: turns.conversation() }
}
