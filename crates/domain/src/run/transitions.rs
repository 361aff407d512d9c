//! Which change leads from which status to which: the state machine of a run, as a table. A test compares it with the functions
//! in [`super::change`], in every reachable state.

use super::Status;
use super::Status::{
    Claimed, Completed, Failed, InputRequired, Pending, Running, Stopped, Stopping, Waiting,
};

/// A change of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Event {
    /// A runner takes it.
    Claim,
    /// The work begins.
    Start,
    /// The runner reports a result.
    Complete,
    /// The runner reports a failure.
    Fail,
    /// The runner waits for the run's children.
    Wait,
    /// The runner needs a person.
    Ask,
    /// A person makes its result.
    Correct,
    /// What it waited for has happened.
    Wake,
    /// It waited for too long.
    GiveUp,
    /// It is stopped on request.
    Stop,
    /// The runner confirms that it ended the work.
    ConfirmStop,
    /// The runner gives it back, or the coordinator asks again.
    Release,
    /// The lease ran out; the run is delivered again.
    Lose,
    /// The lease ran out for the last time allowed.
    LoseForGood,
    /// No runner can take it.
    Unmatched,
    /// Its creator is gone, or coordinators crash on it.
    Abandon,
}

/// Every change that has an effect: from, by, to. Unlisted changes are rejected or have no effect.
pub const TRANSITIONS: &[(Status, Event, Status)] = &[
    (Pending, Event::Claim, Claimed),
    (Pending, Event::Stop, Stopped),
    (Pending, Event::Unmatched, Failed),
    (Pending, Event::Abandon, Failed),
    (Claimed, Event::Start, Running),
    (Claimed, Event::Complete, Completed),
    (Claimed, Event::Fail, Failed),
    (Claimed, Event::Wait, Waiting),
    (Claimed, Event::Ask, InputRequired),
    (Claimed, Event::Stop, Stopping),
    (Claimed, Event::ConfirmStop, Stopped),
    (Claimed, Event::Release, Pending),
    (Claimed, Event::Lose, Pending),
    (Claimed, Event::LoseForGood, Failed),
    (Claimed, Event::Abandon, Failed),
    (Running, Event::Complete, Completed),
    (Running, Event::Fail, Failed),
    (Running, Event::Wait, Waiting),
    (Running, Event::Ask, InputRequired),
    (Running, Event::Stop, Stopping),
    (Running, Event::ConfirmStop, Stopped),
    (Running, Event::Release, Pending),
    (Running, Event::Lose, Pending),
    (Running, Event::LoseForGood, Failed),
    (Running, Event::Abandon, Failed),
    (Waiting, Event::Wake, Pending),
    (Waiting, Event::GiveUp, Failed),
    (Waiting, Event::Stop, Stopped),
    (Waiting, Event::Abandon, Failed),
    (InputRequired, Event::Correct, Completed),
    (InputRequired, Event::Wake, Pending),
    (InputRequired, Event::GiveUp, Failed),
    (InputRequired, Event::Stop, Stopped),
    (InputRequired, Event::Abandon, Failed),
    // After an acknowledged stop a run ends as stopped, whatever its runner reports.
    (Stopping, Event::Complete, Stopped),
    (Stopping, Event::Fail, Stopped),
    (Stopping, Event::Wait, Stopped),
    (Stopping, Event::Ask, Stopped),
    (Stopping, Event::ConfirmStop, Stopped),
    (Stopping, Event::Release, Stopped),
    (Stopping, Event::Lose, Stopped),
    (Stopping, Event::LoseForGood, Stopped),
    (Stopping, Event::Abandon, Failed),
];

/// The status after a change; `None` if it is refused or changes nothing.
pub fn after(status: Status, event: Event) -> Option<Status> {
    TRANSITIONS.iter().find(|(from, by, _)| (*from, *by) == (status, event)).map(|(_, _, to)| *to)
}

#[cfg(test)]
mod tests;
