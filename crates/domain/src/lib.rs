//! The domain of Accord: agents, sessions, runs, attempts, events, runners, callbacks, and the
//! legal state changes.
//!
//! Decisions are pure: a state, a command and the time go in; the next state, the events and the
//! callbacks come out ([`run`]). There are deliberately no clocks, no randomness, no input or
//! output here. Ids and times are arguments.
//!
//! An [`agent`] is described by a blueprint. A [`session`] is a conversation with one, and each
//! [`run`] one piece of work in it, under a [`contract`], done by a [`runner`] that meets its
//! [`demands`]; an [`attempt`] is one validated answer. Everything that happens is recorded as an
//! [`event`]; the result that a parent session waits for is a [`callback`]. The legal changes of a
//! run are in [`run::change`], one function each.
//!
//! JSON documents that are only passed on (parameters, results, conversations) are kept as text.

pub mod agent;
pub mod attempt;
pub mod audit;
pub mod callback;
pub mod comparison;
pub mod contract;
pub mod demands;
pub mod event;
pub mod evidence;
pub mod id;
pub mod input;
pub mod input_request;
pub mod key;
pub mod provider;
pub mod quarantine;
pub mod run;
pub mod runner;
pub mod session;
pub mod step;
pub mod usage;
pub mod workflow;

mod extract_json;
mod named;

pub use accord_json::nearest;
