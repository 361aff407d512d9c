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
mod outcome;
mod reading;
mod recorded;
mod recorded_verdict;
mod request;
mod single;
mod step;
mod turn_events;
mod turns;

#[cfg(test)]
mod tests;

use accord_api::NewInput;
use accord_executor::{Ask, Journal, Session};

pub use budget::Budget;
pub(crate) use budget::{Over, timed_out};
pub use outcome::{Observer, Outcome, RunEnd};

use crate::assignment::Assignment;
use turns::Turns;

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
