//! The legal changes of a run, each a pure function.

mod people;

use std::collections::BTreeSet;

use accord_json::read_kept;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

pub use people::close_input;
#[cfg(test)]
pub(crate) use people::{continue_with_input, end_by_input};

use super::{Failure, FailureType, Holder, Lease, Outcome, Run, Status};
use crate::attempt::{self, Attempt};
use crate::callback::Callback;
use crate::demands::Demands;
use crate::event::{Body, NewEvent};
use crate::id::{InputId, LeaseId, RunnerId, SessionId};
use crate::input_request::InputRequest;
use crate::quarantine::{self, Item};
use crate::runner::OWN_TAG;
use crate::session::{ExecutionMode, Session, Status as SessionStatus};
use crate::usage::Usage;

/// The next state of a run and its session, and everything that is written with them.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub run: Run,
    pub session: Session,
    pub events: Vec<NewEvent>,
    /// The callback for the parent session.
    pub callback: Option<Callback>,
    /// What happens to the callbacks that the run delivers.
    pub child_reports: ChildReports,
}

/// What happens to the callbacks that a run delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildReports {
    /// Nothing.
    Unchanged,
    /// They are pending again: the run has finished, and the session's conversation does not contain them.
    Returned,
    /// They are delivered for good: the conversation contains them and is kept, even if the run fails.
    Settled,
}

impl Change {
    /// The run's conversation is kept, and with it the delivered callbacks. A run that continues can still fail.
    pub fn with_conversation_kept(self) -> Self {
        let child_reports =
            if self.run.status.is_over() { ChildReports::Unchanged } else { ChildReports::Settled };
        Self { child_reports, ..self }
    }

    /// Whether this ends a claimed run without a runner that reports its usage. The attempts tell it, if there are any.
    pub fn ends_without_runner(&self) -> bool {
        self.run.status.is_over() && self.run.attempt > 0 && !self.events.is_empty()
    }

    /// An end without a runner's report, with the usage and errors of the attempts.
    #[must_use]
    pub fn with_attempts(mut self, attempts: &[Attempt]) -> Self {
        if attempts.is_empty() {
            return self;
        }
        let failure = self.run.failure.map(|failure| match failure.kind {
            FailureType::Stopped => failure,
            _ => failure.with_closest(attempts),
        });
        for event in &mut self.events {
            if let (Body::RunFailed { error }, Some(failure)) = (&mut event.body, &failure) {
                error.clone_from(failure);
            }
        }
        let run = Run { usage: attempt::used(attempts).bounded(), failure, ..self.run };
        Self { run: run.asked_again(attempt::retries(attempts)), ..self }
    }
}

/// Why a change is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The caller does not hold the run, or no longer.
    #[error("this runner does not hold the lease on {run}, or no longer holds it")]
    LeaseLost { run: crate::id::RunId },
    /// The run is not in a state for it.
    #[error("{run} is {status}")]
    WrongStatus { run: crate::id::RunId, status: Status },
}

#[derive(Debug, Clone, PartialEq)]
pub enum End {
    Completed(Outcome),
    Failed(Failure),
    /// Stopped on request, or by its runner.
    Stopped,
}

/// Whether children of the session will still call back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Children {
    Quiet,
    /// At least one will: it runs, or its callback is not delivered yet.
    WillCallBack,
}

/// The events of a new run: it waits for a runner, or for the person who is asked.
pub fn created(run: &Run, session: &Session, asks: Option<&InputRequest>) -> Vec<NewEvent> {
    let mut events = Vec::new();
    if run.kind == super::Kind::StartSession {
        let parent_session_id = session.parent_session_id.clone();
        let body = Body::SessionCreated { agent_name: session.agent_name.clone(), parent_session_id };
        events.push(NewEvent { run_id: None, ..event(run, run.created_at, body) });
    }
    let body = match asks {
        Some(asks) => Body::RunInputRequired { inputs: vec![asks.id.clone()], until: run.waits_until },
        None => Body::RunQueued { agent_name: run.agent_name.clone(), reason: None },
    };
    events.push(event(run, run.created_at, body));
    events
}

/// A runner takes a waiting run.
pub fn claim(
    run: Run,
    session: Session,
    runner_id: &RunnerId,
    lease_id: LeaseId,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Change, Refused> {
    if run.status != Status::Pending {
        return Err(wrong_status(&run));
    }
    let attempt = run.attempt + 1;
    let lease = Lease { id: lease_id, runner_id: runner_id.clone(), expires_at: later(now, lease) };
    let body = Body::RunClaimed { runner_id: runner_id.clone(), attempt };
    let events = vec![event(&run, now, body)];
    let run = Run { status: Status::Claimed, attempt, lease: Some(lease), claimed_at: Some(now), ..run };
    Ok(Change {
        run,
        session: with_status(session, SessionStatus::Running, now),
        events,
        callback: None,
        child_reports: ChildReports::Unchanged,
    })
}

/// A runner takes a waiting run and begins to work at once.
pub fn begin(
    run: Run,
    session: Session,
    runner_id: &RunnerId,
    lease_id: LeaseId,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Change, Refused> {
    let claimed = claim(run, session, runner_id, lease_id, now, lease)?;
    let (run, told) = started(claimed.run, now);
    let events = claimed.events.into_iter().chain([told]).collect();
    Ok(Change { run, events, ..claimed })
}

fn started(run: Run, now: Timestamp) -> (Run, NewEvent) {
    let told = event(&run, now, Body::RunStarted);
    (Run { status: Status::Running, started_at: Some(now), ..run }, told)
}

/// The holder begins to work.
pub fn start(run: Run, session: Session, holder: &Holder, now: Timestamp) -> Result<Change, Refused> {
    held(&run, holder)?;
    match run.status {
        Status::Claimed => {
            let (run, told) = started(run, now);
            let (events, child_reports) = (vec![told], ChildReports::Unchanged);
            Ok(Change { run, session, events, callback: None, child_reports })
        }
        // Reported twice, or stopping meanwhile: nothing changes, and the heartbeat carries the stop.
        Status::Running | Status::Stopping => Ok(unchanged(run, session)),
        _ => Err(wrong_status(&run)),
    }
}

/// Renews the holder's lease.
pub fn renew(run: Run, holder: &Holder, now: Timestamp, lease: SignedDuration) -> Result<Run, Refused> {
    held(&run, holder)?;
    let lease = run.lease.clone().map(|held| Lease { expires_at: later(now, lease), ..held });
    Ok(Run { lease, ..run })
}

/// How a run ends when its runner reports this. After an acknowledged stop it always ends as stopped: the caller has that answer
/// and no longer waits for a result.
pub fn end_of(run: &Run, reported: End) -> End {
    if run.status == Status::Stopping { End::Stopped } else { reported }
}

/// The holder reports the end. A completed session whose children are still to call back is idle, not finished.
pub fn finish(
    run: Run,
    session: Session,
    holder: &Holder,
    end: End,
    usage: Usage,
    children: Children,
    now: Timestamp,
) -> Result<Change, Refused> {
    held(&run, holder)?;
    let end = end_of(&run, end);
    let mut change = over(Run { usage, ..run }, session, end, now);
    if change.session.status == SessionStatus::Finished && children == Children::WillCallBack {
        change.session.status = SessionStatus::Idle;
    }
    Ok(change)
}

/// Requests a stop. A run without a runner is stopped at once; a running one learns it with its runner's next heartbeat.
/// Asking again, or after the end, changes nothing.
pub fn stop(run: Run, session: Session, now: Timestamp) -> Change {
    stop_with(run, session, None, now)
}

/// The same for a reason that nobody who asks for the run would know otherwise.
pub fn stop_because(run: Run, session: Session, reason: &str, now: Timestamp) -> Change {
    stop_with(run, session, Some(Failure::new(FailureType::Stopped, reason)), now)
}

fn stop_with(run: Run, session: Session, why: Option<Failure>, now: Timestamp) -> Change {
    match run.status {
        Status::Pending | Status::Waiting | Status::InputRequired => {
            over(Run { failure: why, ..run }, session, End::Stopped, now)
        }
        Status::Claimed | Status::Running => {
            let session = with_status(session, SessionStatus::Stopping, now);
            Change {
                run: Run { status: Status::Stopping, failure: why, ..run },
                session,
                events: Vec::new(),
                callback: None,
                child_reports: ChildReports::Unchanged,
            }
        }
        Status::Stopping | Status::Completed | Status::Failed | Status::Stopped => unchanged(run, session),
    }
}

/// A lease has run out: the run goes to another runner, until it has been handed out too often.
pub fn lose(run: Run, session: Session, now: Timestamp, max_deliveries: u32) -> Change {
    let expired = run.lease.as_ref().is_some_and(|lease| lease.expires_at <= now);
    if !expired || run.status.is_over() {
        return unchanged(run, session);
    }
    if run.status == Status::Stopping {
        return over(run, session, End::Stopped, now);
    }
    let run = Run { losses: run.losses + 1, ..run };
    if run.losses >= max_deliveries {
        let message = format!(
            "the runner was lost {} times while it executed this run; see the runners' logs",
            run.losses
        );
        return over(run, session, End::Failed(Failure::new(FailureType::RunnerLost, message)), now);
    }
    requeue(run, session, "its runner was lost", now)
}

/// A runner gives a run back that it cannot finish: it is shutting down.
pub fn give_back(run: Run, session: Session, holder: &Holder, now: Timestamp) -> Result<Change, Refused> {
    held(&run, holder)?;
    if run.status == Status::Stopping {
        return Ok(over(run, session, End::Stopped, now));
    }
    // Nothing was wrong with the run: this is not one of the losses that count against it.
    Ok(requeue(run, session, "its runner shut down", now))
}

/// The coordinator asks again, for an executor that it holds to the contract itself.
pub fn ask_again(
    run: Run,
    session: Session,
    holder: &Holder,
    usage: Usage,
    now: Timestamp,
) -> Result<Change, Refused> {
    held(&run, holder)?;
    if run.status == Status::Stopping {
        return Ok(over(Run { usage, ..run }, session, End::Stopped, now));
    }
    let run = Run { retry_count: run.retry_count + 1, usage, ..run };
    Ok(requeue(run, session, "its output did not conform to the contract", now))
}

/// What a run waits for without a runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suspension {
    /// These children have not finished.
    Children(Vec<SessionId>),
    /// A person has to answer these.
    Person(Vec<InputId>),
}

/// Suspends a run until something happens elsewhere, and frees the runner. The time that it may
/// wait for its children counts from its first wait.
pub fn suspend(
    run: Run,
    session: Session,
    holder: &Holder,
    suspension: Suspension,
    usage: Usage,
    wait: SignedDuration,
    now: Timestamp,
) -> Result<Change, Refused> {
    held(&run, holder)?;
    if run.status == Status::Stopping {
        return Ok(over(Run { usage, ..run }, session, End::Stopped, now));
    }
    let deadline = later(now, wait);
    let (status, session_status, until, body) = match suspension {
        Suspension::Children(children) => {
            let until = Some(run.waits_until.unwrap_or(deadline));
            (Status::Waiting, SessionStatus::Waiting, until, Body::RunWaiting { children, until })
        }
        Suspension::Person(inputs) => {
            let until = Some(deadline);
            let body = Body::RunInputRequired { inputs, until };
            (Status::InputRequired, SessionStatus::InputRequired, until, body)
        }
    };
    let events = vec![event(&run, now, body)];
    let run = Run { status, lease: None, started_at: None, usage, waits_until: until, ..run };
    let session = with_status(session, session_status, now);
    Ok(Change { run, session, events, callback: None, child_reports: ChildReports::Unchanged })
}

/// Makes a suspended run pending again, because what it waited for has happened. `attempt` is the
/// suspended delivery: a caller that saw an earlier one does not know what the run waits for now.
pub fn wake(
    run: Run,
    session: Session,
    attempt: u32,
    reason: &str,
    now: Timestamp,
) -> Result<Change, Refused> {
    match run.status.is_suspended() && run.attempt == attempt {
        true => Ok(requeue(run, session, reason, now)),
        false => Err(wrong_status(&run)),
    }
}

/// A suspended run has waited for too long.
pub fn give_up_waiting(run: Run, session: Session, failure: Failure, now: Timestamp) -> Change {
    let is_due = run.waits_until.is_some_and(|until| until <= now);
    match run.status.is_suspended() && is_due {
        true => over(run, session, End::Failed(failure), now),
        false => unchanged(run, session),
    }
}

/// Fails a run that will not be continued, because its creator is gone. Unlike a lost lease this
/// does not wait.
pub fn abandon(run: Run, session: Session, message: String, now: Timestamp) -> Change {
    if run.status.is_over() {
        return unchanged(run, session);
    }
    over(run, session, End::Failed(Failure::new(FailureType::RunnerLost, message)), now)
}

/// Coordinators die of it: it is not touched any more.
pub fn poison(run: Run, session: Session, now: Timestamp) -> Change {
    if run.status.is_over() {
        return unchanged(run, session);
    }
    let message = quarantine::message(&Item::new(quarantine::Kind::Finish, &run.id));
    over(run, session, End::Failed(Failure::new(FailureType::Poisoned, message)), now)
}

/// Stops a run at once, without a coordinator that could tell its runner. A runner that still works on
/// it has lost it.
pub fn stop_at_once(run: Run, session: Session, now: Timestamp) -> Change {
    if run.status.is_over() {
        return unchanged(run, session);
    }
    over(Run { status: Status::Stopping, ..run }, session, End::Stopped, now)
}

/// No runner can take a waiting run.
pub fn unmatched(run: Run, session: Session, now: Timestamp) -> Change {
    if run.status != Status::Pending {
        return unchanged(run, session);
    }
    let (own, tags) =
        run.demands.tags.iter().cloned().partition::<BTreeSet<_>, _>(|tag| tag.starts_with(OWN_TAG));
    let demands = json!(Demands { tags, ..run.demands.clone() });
    let message = match own.is_empty() {
        true => {
            format!(
                "no live runner meets the requirements {demands}; start one that does, or change the requirements"
            )
        }
        // No other runner may take it.
        false => format!(
            "the runner of this command does not meet the requirements {demands}; set runner.tags if tags are missing, or start a coordinator (accord up) and a runner that meets them"
        ),
    };
    over(run, session, End::Failed(Failure::new(FailureType::NoMatchingRunner, message)), now)
}

/// Whether this is the current holder of the run.
pub fn held(run: &Run, holder: &Holder) -> Result<(), Refused> {
    let same = run.lease.as_ref().is_some_and(|lease| {
        lease.id == holder.lease_id && lease.runner_id == holder.runner_id && run.attempt == holder.attempt
    });
    if same && !run.status.is_over() { Ok(()) } else { Err(Refused::LeaseLost { run: run.id.clone() }) }
}

fn requeue(run: Run, session: Session, reason: &str, now: Timestamp) -> Change {
    let body = Body::RunQueued { agent_name: run.agent_name.clone(), reason: Some(reason.to_owned()) };
    let events = vec![event(&run, now, body)];
    let run = Run { status: Status::Pending, lease: None, queued_at: now, started_at: None, ..run };
    Change {
        run,
        session: with_status(session, SessionStatus::Pending, now),
        events,
        callback: None,
        child_reports: ChildReports::Unchanged,
    }
}

fn over(run: Run, session: Session, end: End, now: Timestamp) -> Change {
    let (status, session_status, failure, bodies) = match end {
        End::Completed(outcome) => {
            let result_data = outcome.result_data.as_deref().and_then(|text| read_kept(text).ok());
            let result = Body::Result { result_text: outcome.result_text, result_data };
            (Status::Completed, SessionStatus::Finished, None, vec![result, Body::RunCompleted])
        }
        End::Failed(failure) => {
            let bodies = vec![Body::RunFailed { error: failure.clone() }];
            (Status::Failed, SessionStatus::Failed, Some(failure), bodies)
        }
        End::Stopped => {
            // No retry was counted if its runner was still working.
            let words = match run.status {
                Status::Claimed | Status::Running => "stopped by its runner",
                _ => "stopped on request",
            };
            let why = run.failure.clone().filter(|failure| failure.kind == FailureType::Stopped);
            let reason = why.as_ref().map(|failure| failure.message.clone());
            let failure = why.unwrap_or_else(|| Failure::new(FailureType::Stopped, words));
            (Status::Stopped, SessionStatus::Stopped, Some(failure), vec![Body::RunStopped { reason }])
        }
    };
    let events = bodies.into_iter().map(|body| event(&run, now, body)).collect();
    let callback = match (&session.parent_session_id, run.execution_mode) {
        (Some(parent), ExecutionMode::AsyncCallback) => Some(Callback {
            run_id: run.id.clone(),
            session_id: session.id.clone(),
            parent_session_id: parent.clone(),
            created_at: now,
        }),
        _ => None,
    };
    let child_reports =
        if status == Status::Completed { ChildReports::Unchanged } else { ChildReports::Returned };
    let run = Run { status, failure, lease: None, finished_at: Some(now), ..run };
    Change { run, session: with_status(session, session_status, now), events, callback, child_reports }
}

fn unchanged(run: Run, session: Session) -> Change {
    Change { run, session, events: Vec::new(), callback: None, child_reports: ChildReports::Unchanged }
}

fn wrong_status(run: &Run) -> Refused {
    Refused::WrongStatus { run: run.id.clone(), status: run.status }
}

fn with_status(session: Session, status: SessionStatus, now: Timestamp) -> Session {
    Session { status, updated_at: now, ..session }
}

fn event(run: &Run, at: Timestamp, body: Body) -> NewEvent {
    NewEvent { at, session_id: run.session_id.clone(), run_id: Some(run.id.clone()), body }
}

/// Far in the future instead of an error: leases are seconds long.
fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
