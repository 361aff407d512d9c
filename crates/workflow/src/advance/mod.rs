//! Decides what a run does next: from a state and an event to the next state and the actions to
//! carry out.
//!
//! A node waits until all its upstream nodes have finished. Then it starts with the outputs of
//! those whose edges are taken, or is skipped if there are none. A task that fails is retried; then
//! the run either ends or continues without the node. A run ends in two phases: nothing new starts
//! and running tasks are stopped; when none is left, the run has ended.
//!
//! Steps are carried out in the transaction that writes their state. After a crash the same event may come again: no
//! running task has that worker any more, so nothing happens.

mod absent;
mod again;
mod engine;
mod held;
mod inputs;
pub(crate) mod prompt;
mod tasks;

#[cfg(test)]
mod tests;

use accord_contract::Meter;
use accord_domain::contract::Invariant;
use accord_domain::event::Body;
use accord_domain::id::{RunId, SessionId};
use accord_domain::workflow::{Worker, WorkflowFailure};
use jiff::Timestamp;
use serde_json::Value;

pub(crate) use engine::{Engine, RenderedList, take};
pub(crate) use held::Size;
pub(crate) use inputs::{DefaultInput, inputs};
pub(crate) use tasks::NextTask;

use crate::compare::CompareOptions;
use crate::flow::Flow;
use crate::graph::{OutputSchema, Role, Target};
use crate::state::{At, State};

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Begun,
    Started {
        at: At,
        worker: Worker,
    },
    /// A task can never be started: the agent is gone, or refuses its parameters.
    Refused {
        at: At,
        failure: WorkflowFailure,
    },
    /// A task was not started, because the run is about to end.
    Withdrawn {
        at: At,
    },
    Ended {
        worker: Worker,
        end: TaskOutcome,
    },
    /// The run of an agent was deleted before its outcome was known.
    Lost {
        run_id: RunId,
    },
    StopAsked,
    /// The run ended without a result, and is to be resumed.
    Resumed,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TaskOutcome {
    Completed(Value),
    Failed(WorkflowFailure),
    Stopped,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Start a task. Answered, before any other event, with [`Event::Started`], [`Event::Refused`], or, if the run is
    /// about to end by then, [`Event::Withdrawn`].
    Start(Box<Start>),
    /// Stop a worker. May be repeated.
    Stop(Worker),
    Tell(Body),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    pub at: At,
    pub node: String,
    pub role: Role,
    pub target: Target,
    /// The session to resume instead of starting a new one. The parameters are a prompt then.
    pub resume: Option<SessionId>,
    pub parameters: Value,
    /// The schema of its output, if the agent has none of its own.
    pub output_schema: Option<OutputSchema>,
    pub invariants: Vec<Invariant>,
    /// Higher priorities run first.
    pub priority: i32,
}

/// A task that can be started, or why it cannot.
pub(crate) type Prepared = Result<Start, WorkflowFailure>;

/// Advances a run. The options are those of the comparisons before nodes that start. The meter is for one node: a step may start
/// thousands.
pub fn advance(
    flow: &Flow,
    state: State,
    event: Event,
    now: Timestamp,
    options: &CompareOptions,
    meter: &Meter,
) -> (State, Vec<Step>) {
    let mut engine = Engine::new(flow, state, now, options, meter);
    match event {
        Event::Begun => engine.begin(),
        Event::Started { at, worker } => engine.started(at, worker),
        Event::Refused { at, failure } => engine.refused(at, failure),
        Event::Withdrawn { at } => engine.withdrawn(at),
        Event::Ended { worker, end } => engine.ended(&worker, end),
        Event::Lost { run_id } => engine.lost(&run_id),
        Event::StopAsked => engine.stop(),
        Event::Resumed => engine.resume(),
    }
    engine.conclude()
}
