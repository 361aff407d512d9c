//! What a run does next: a state and an event go in, the next state and the steps come out.
//!
//! A node waits until everybody who feeds it is over. Then it starts with the outputs of those whose edge is taken, or is
//! passed by where none is. What fails is retried, and then either ends the run or is gone on without. An end comes in
//! two steps: nothing more starts and what is at work is stopped; when nobody is at work any more, the run is over.
//!
//! Steps are carried out together with the state that they belong to, in one transaction. So an event may come twice
//! (after a crash the same end is told again), and is then of a worker that no task has any more: nothing happens.

mod absent;
mod engine;
mod inputs;
pub(crate) mod prompt;
mod tasks;

#[cfg(test)]
mod tests;

use accord_domain::contract::Invariant;
use accord_domain::event::Body;
use accord_domain::id::{RunId, SessionId};
use accord_domain::workflow::{Fault, Worker};
use jiff::Timestamp;
use serde_json::Value;

pub(crate) use engine::{Engine, take};
pub(crate) use inputs::{Given, inputs};
pub(crate) use tasks::NextTask;

use crate::compare::CompareOptions;
use crate::flow::Flow;
use crate::graph::{OutputSchema, Role, Target};
use crate::state::{At, State};

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The run begins.
    Begun,
    /// Somebody is at work on a task that was to be started.
    Started {
        /// The task.
        at: At,
        /// Who.
        worker: Worker,
    },
    /// A task that was to be started cannot be, now or ever: the agent is gone, or refuses its parameters.
    Refused {
        /// The task.
        at: At,
        /// Why.
        fault: Fault,
    },
    /// A task that was to be started was not, because the run is about to end.
    Withdrawn {
        /// The task.
        at: At,
    },
    /// Somebody is done.
    Ended {
        /// Who.
        worker: Worker,
        /// How.
        end: End,
    },
    /// A run is gone, and nobody can say how it ended.
    Lost {
        /// Which.
        run_id: RunId,
    },
    /// Somebody asks to stop the run.
    StopAsked,
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// With a value.
    Completed(Value),
    /// With a reason.
    Failed(Fault),
    /// It was stopped.
    Stopped,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Start somebody on a task. Answered with [`Event::Started`] or [`Event::Refused`], or with [`Event::Withdrawn`]
    /// where the run has begun to end meanwhile, before any other event.
    Start(Box<Start>),
    /// Stop somebody. May be said several times.
    Stop(Worker),
    /// Tell everybody.
    Tell(Body),
}

/// A task to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The task.
    pub at: At,
    /// The node's id.
    pub node: String,
    /// Which work of the node: what an agent that stands in the graph is known by.
    pub role: Role,
    /// Who is to do it.
    pub target: Target,
    /// The session to go on with, in the place of a new one. The parameters are a prompt then.
    pub resume: Option<SessionId>,
    /// What it is told.
    pub parameters: Value,
    /// What it must answer, where the agent does not say so itself.
    pub output_schema: Option<OutputSchema>,
    /// What else must hold of the answer.
    pub invariants: Vec<Invariant>,
    /// Higher priorities run first.
    pub priority: i32,
}

/// Advances a run. The options say how siblings are compared in front of nodes that begin.
pub fn advance(
    flow: &Flow,
    state: State,
    event: Event,
    now: Timestamp,
    options: &CompareOptions,
) -> (State, Vec<Step>) {
    let mut engine = Engine::new(flow, state, now, options);
    match event {
        Event::Begun => engine.begin(),
        Event::Started { at, worker } => engine.started(at, worker),
        Event::Refused { at, fault } => engine.refused(at, fault),
        Event::Withdrawn { at } => engine.withdrawn(at),
        Event::Ended { worker, end } => engine.ended(&worker, end),
        Event::Lost { run_id } => engine.lost(&run_id),
        Event::StopAsked => engine.stop(),
    }
    engine.conclude()
}
