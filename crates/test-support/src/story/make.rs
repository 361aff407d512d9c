//! Builders for the story: small values that differ by name and time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use accord_domain::attempt::{Attempt, Error, Outcome as AttemptOutcome, Repair, ValueSource};
use accord_domain::contract::Strategy;
use accord_domain::event::{Event, NewEvent};
use accord_domain::id::{LeaseId, RunId, RunnerId, SessionId};
use accord_domain::run::change::{End, Suspension};
use accord_domain::run::{Assignment, Failure, FailureType, Holder, Kind, Outcome, Run};
use accord_domain::runner::{Profile, Runner};
use accord_domain::session::{ExecutionMode, Session};
use accord_domain::step::{self, Step};
use accord_domain::usage::Usage;
use accord_store::{
    Claim, Claimed, EventFilter, EventLimit, Finish, SessionChoice, Store, Submission, Suspend, Wake,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// The lease duration used throughout the story.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(30);

/// More than any list in the story contains.
pub(super) const PLENTY: u32 = 10_000;

/// This many milliseconds after the story's start. The start has microseconds, to notice a store
/// that drops them.
pub(super) fn at_ms(milliseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(1_800_000_000_123_456 + milliseconds * 1000).unwrap()
}

/// This many seconds after the story's start.
pub(super) fn at(seconds: i64) -> Timestamp {
    at_ms(seconds * 1000)
}

pub(super) fn run_id(name: &str) -> RunId {
    RunId::new(name)
}

pub(super) fn session_id(name: &str) -> SessionId {
    SessionId::new(name)
}

pub(super) fn runner_id(name: &str) -> RunnerId {
    RunnerId::new(name)
}

/// A unique lease id.
pub(super) fn lease_id() -> LeaseId {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    LeaseId::new(format!("{:06}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A new session of this name with its first run, created now.
pub fn submission(name: &str, now: Timestamp) -> Submission {
    let run = Run::waiting(run_id(name), session_id(name), Kind::StartSession, "writer".into(), now);
    let session = SessionChoice::New(Box::new(Session::begun_by(&run)));
    Submission {
        run,
        session,
        assignment: assignment(name),
        delivers: Vec::new(),
        steps: Vec::new(),
        asks: None,
        idempotency: None,
    }
}

/// The same, created at the story's start.
pub(super) fn fresh(name: &str) -> Submission {
    fresh_at(name, 0)
}

/// The same, created at another time.
pub(super) fn fresh_at(name: &str, seconds: i64) -> Submission {
    submission(name, at(seconds))
}

/// A pending run of this name, which begins the session of the same name.
pub(super) fn run(name: &str) -> Run {
    fresh(name).run
}

/// The session that [`run`] begins.
pub(super) fn session(name: &str) -> Session {
    Session::begun_by(&run(name))
}

pub(super) fn assignment(name: &str) -> Assignment {
    Assignment {
        blueprint: r#"{"name":"writer","executor":{"type":"llm"}}"#.into(),
        parameters: format!(r#"{{"prompt":"{name}"}}"#),
        contract: None,
        model: None,
        project_dir: None,
        retry_prompt: None,
        opening: None,
        input: None,
        traceparent: None,
        tools: None,
        files: Vec::new(),
    }
}

/// A new child session that calls this parent back.
pub(super) fn child(name: &str, parent: &str) -> Submission {
    let run = Run { execution_mode: ExecutionMode::AsyncCallback, ..run(name) };
    let session = Session { parent_session_id: Some(session_id(parent)), ..session(name) };
    Submission { run, session: SessionChoice::New(Box::new(session)), ..fresh(name) }
}

/// A later run of a session.
pub(super) fn resume(name: &str, of: &str, seconds: i64) -> Submission {
    let run = Run {
        kind: Kind::ResumeSession,
        session_id: session_id(of),
        created_at: at(seconds),
        queued_at: at(seconds),
        ..run(name)
    };
    Submission { run, session: SessionChoice::Resume(session_id(of)), ..fresh(name) }
}

/// A later run of the parent that delivers the callbacks of these children.
pub(super) fn delivery(name: &str, of: &str, runs: &[&str], seconds: i64) -> Submission {
    Submission { delivers: runs.iter().map(|run| run_id(run)).collect(), ..resume(name, of, seconds) }
}

/// The capabilities of the story's runner.
pub(super) fn profile() -> Profile {
    Profile {
        hostname: "host".into(),
        project_dir: "/project".into(),
        executor_types: ["llm".to_owned()].into(),
        held_executor_types: ["external".to_owned()].into(),
        tags: ["eu".to_owned(), "gpu".to_owned()].into(),
        concurrency: 4,
        version: "0.1.0".into(),
    }
}

pub(super) fn runner(name: &str, seconds: i64) -> Runner {
    Runner { id: runner_id(name), profile: profile(), registered_at: at(seconds), seen_at: at(seconds) }
}

/// The runner `r` claims at most this many runs.
pub(super) fn claim(most: usize, seconds: i64) -> Claim {
    Claim {
        runner_id: runner_id("r"),
        profile: profile(),
        leases: (0..most).map(|_| lease_id()).collect(),
        lease: LEASE,
        starts: false,
        now: at(seconds),
    }
}

/// The runner `r` claims the next run, which must exist.
pub(super) async fn take(store: &Arc<dyn Store>, seconds: i64) -> Claimed {
    store.claim_runs(claim(1, seconds)).await.unwrap().pop().unwrap()
}

/// The proof that this run is held.
pub fn holder(run: &Run) -> Holder {
    let lease = run.lease.clone().unwrap();
    Holder { run_id: run.id.clone(), runner_id: lease.runner_id, lease_id: lease.id, attempt: run.attempt }
}

/// Submits, claims at second 1 and starts at second 2.
pub(super) async fn begin(store: &Arc<dyn Store>, submission: Submission) -> Holder {
    store.submit_run(submission).await.unwrap();
    let holder = holder(&take(store, 1).await.run);
    store.start_run(&holder, at(2)).await.unwrap();
    holder
}

/// Submits, claims, starts and completes with a text.
pub(super) async fn complete(store: &Arc<dyn Store>, submission: Submission, seconds: i64) {
    let holder = begin(store, submission).await;
    store.finish_run(finish(&holder, completed("done"), seconds)).await.unwrap();
}

pub(super) fn outcome(text: &str) -> Outcome {
    Outcome { result_text: Some(text.to_owned()), result_data: None, raw: None, validation: None }
}

pub(super) fn completed(text: &str) -> End {
    End::Completed(outcome(text))
}

pub(super) fn failed(kind: FailureType) -> End {
    End::Failed(Failure::new(kind, "it did not work"))
}

pub(super) fn finish(holder: &Holder, end: End, seconds: i64) -> Finish {
    Finish {
        retries: 0,
        holder: holder.clone(),
        end,
        usage: Usage { input_tokens: 10, output_tokens: 20, cost_usd: Some(0.125) },
        conversation: None,
        affinity: None,
        observations: Vec::new(),
        now: at(seconds),
    }
}

/// The run waits for these children, for a minute.
pub(super) fn suspend(holder: &Holder, children: &[&str], seconds: i64) -> Suspend {
    Suspend {
        holder: holder.clone(),
        suspension: Suspension::Children(children.iter().map(|child| session_id(child)).collect()),
        inputs: Vec::new(),
        usage: Usage { input_tokens: 10, output_tokens: 20, cost_usd: Some(0.125) },
        retries: 1,
        affinity: None,
        conversation: None,
        wait: SignedDuration::from_secs(60),
        now: at(seconds),
    }
}

/// Delivers the callbacks of these children's runs.
pub(super) fn wake(name: &str, delivers: &[&str], seconds: i64) -> Wake {
    Wake {
        run_id: run_id(name),
        attempt: 1,
        reason: "a child finished".into(),
        step: step::Body::Message { text: format!("told at {seconds}") },
        delivers: delivers.iter().map(|run| run_id(run)).collect(),
        now: at(seconds),
    }
}

pub(super) fn step(number: u32, delivery: u32, text: &str) -> Step {
    Step { number, delivery, at: at(3), body: step::Body::Message { text: text.to_owned() } }
}

/// A validated answer, with an error unless it was accepted.
pub(super) fn attempt(number: u32, outcome: AttemptOutcome) -> Attempt {
    let error = Error {
        path: "$.issues[3].severity".into(),
        pointer: "/issues/3/severity".into(),
        keyword: "enum".into(),
        message: "expected one of \"low\", \"high\"; got \"critical\"".into(),
    };
    let repair = Repair { kind: "comma".into(), path: "$".into(), detail: "a trailing comma".into() };
    Attempt {
        number,
        delivery: 1,
        at: at(3),
        strategy: Strategy::Native,
        model: "large".into(),
        endpoint: "https://models.example".into(),
        outcome,
        errors: if outcome == AttemptOutcome::Accepted { vec![] } else { vec![error] },
        more_errors: 2,
        repairs: vec![repair],
        source: (outcome == AttemptOutcome::Accepted).then_some(ValueSource::Fence),
        usage: Usage { input_tokens: 7, output_tokens: 9, cost_usd: Some(0.001) },
        duration_ms: 1234,
        request_ms: vec![1000, 200],
        text: format!("answer {number}"),
        prompt: (number > 1).then(|| "once more".to_owned()),
        sent: None,
    }
}

/// All events that match this filter.
pub(super) async fn events_of(store: &Arc<dyn Store>, filter: EventFilter) -> Vec<Event> {
    store.events(&filter, Default::default(), EventLimit::of(PLENTY)).await.unwrap()
}

/// The kinds of a run's events, in order.
pub(super) async fn kinds_of(store: &Arc<dyn Store>, run: &str) -> Vec<String> {
    let filter = EventFilter { run_id: Some(run_id(run)), ..EventFilter::default() };
    events_of(store, filter).await.into_iter().map(|event| event.kind).collect()
}

/// The content of an event without its id, to compare requested and stored events.
pub(super) type EventContent = (Timestamp, Option<SessionId>, Option<RunId>, String, Value);

pub(super) fn content_of(event: &Event) -> EventContent {
    let body = serde_json::from_str(&event.body).unwrap();
    (event.at, event.session_id.clone(), event.run_id.clone(), event.kind.clone(), body)
}

pub(super) fn expected(event: &NewEvent) -> EventContent {
    let text = serde_json::to_string(&event.body).unwrap();
    let body = serde_json::from_str(&text).unwrap();
    let kind = event.body.kind().to_owned();
    (event.at, Some(event.session_id.clone()), event.run_id.clone(), kind, body)
}
