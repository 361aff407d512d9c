//! One run from creation to result, with whole values compared at every step.

use std::sync::Arc;

use accord_domain::attempt::{Outcome as AttemptOutcome, ValueSource};
use accord_domain::audit::RequestedBy;
use accord_domain::contract::Strategy;
use accord_domain::demands::Demands;
use accord_domain::event::{Body, NewEvent};
use accord_domain::id::KeyId;
use accord_domain::run::change::{self, Children, End};
use accord_domain::run::{Assignment, Failure, FailureType, Outcome, Run, Status, Validation};
use accord_domain::session::{ExecutionMode, Session, Status as SessionStatus};
use accord_store::{
    Claim, Claimed, EventFilter, Finish, Last, Report, SessionChoice, Store, StoreError, Submission,
    Submitted,
};

use super::make::*;

/// A submission with every field set.
fn full() -> Submission {
    let demands = Demands {
        hostname: Some("host".into()),
        project_dir: Some("/project".into()),
        executor_type: Some("llm".into()),
        tags: ["gpu".to_owned()].into(),
    };
    let run = Run {
        execution_mode: ExecutionMode::AsyncPoll,
        demands: demands.clone(),
        priority: -7,
        queued_at: at(1),
        requested_by: Some(RequestedBy {
            key_id: Some(KeyId::new("k")),
            key_name: Some("für\0 mich".into()),
            run_id: Some(run_id("asker")),
            metadata: [("ticket".to_owned(), "für\0 4".to_owned())].into(),
        }),
        ..run("a")
    };
    let session = Session {
        parent_session_id: None,
        project_dir: Some("/project/häuser".into()),
        affinity: demands,
        ..session("a")
    };
    let assignment = Assignment {
        contract: Some(r#"{"origin":"caller","schema":{"maximum":1.50}}"#.into()),
        model: Some("small".into()),
        project_dir: Some("/project/häuser".into()),
        retry_prompt: Some("once more".into()),
        input: Some(r#"{"b":1.50,"a":0}"#.into()),
        traceparent: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into()),
        ..assignment("a")
    };
    Submission { run, session: SessionChoice::New(Box::new(session)), assignment, ..fresh("a") }
}

fn session_in(submission: &Submission) -> Session {
    match &submission.session {
        SessionChoice::New(session) => (**session).clone(),
        SessionChoice::Resume(id) => Session { id: id.clone(), ..session("a") },
    }
}

/// A submitted run is read back completely.
pub async fn a_new_run_is_stored_completely(store: Arc<dyn Store>) {
    let submission = full();
    let session = session_in(&submission);
    let submitted = store.submit_run(submission.clone()).await.unwrap();

    assert_eq!(submitted, Submitted::Created(Box::new(submission.run.clone())));
    assert_eq!(store.run(&run_id("a")).await.unwrap(), submission.run);
    assert_eq!(store.session(&session_id("a")).await.unwrap(), session);
    assert_eq!(store.assignment(&run_id("a")).await.unwrap(), submission.assignment);
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), None);
    assert_eq!(store.attempts(&run_id("a")).await.unwrap(), []);
    let events = events_of(&store, EventFilter::default()).await;
    let queued = change::created(&submission.run, &session, None);
    assert_eq!(
        events.iter().map(content_of).collect::<Vec<_>>(),
        queued.iter().map(expected).collect::<Vec<_>>()
    );
}

pub async fn missing_records_are_errors(store: Arc<dyn Store>) {
    let (run, session) = (run_id("x"), session_id("x"));
    assert!(matches!(store.run(&run).await, Err(StoreError::NoRun(id)) if id == run));
    assert!(matches!(store.assignment(&run).await, Err(StoreError::NoRun(id)) if id == run));
    assert!(matches!(store.outcome(&run).await, Err(StoreError::NoRun(id)) if id == run));
    assert!(matches!(store.attempts(&run).await, Err(StoreError::NoRun(id)) if id == run));
    assert!(matches!(store.stop_run(&run, at(1)).await, Err(StoreError::NoRun(id)) if id == run));
    assert!(matches!(store.session(&session).await, Err(StoreError::NoSession(id)) if id == session));
    let resumed = store.submit_run(resume("b", "x", 1)).await;
    assert!(matches!(resumed, Err(StoreError::NoSession(id)) if id == session));
    assert!(matches!(store.run(&run_id("b")).await, Err(StoreError::NoRun(_))));
    store.ping().await.unwrap();
}

/// Claim, start, report, finish: each step follows the domain's rules and is stored unchanged.
pub async fn a_run_goes_through_every_step(store: Arc<dyn Store>) {
    let submission = full();
    store.submit_run(submission.clone()).await.unwrap();

    let asked = claim(1, 2);
    let lease = asked.leases.first().unwrap().clone();
    let claimed = store.claim_runs(asked.clone()).await.unwrap();
    let taken =
        change::claim(submission.run.clone(), session_in(&submission), &runner_id("r"), lease, at(2), LEASE)
            .unwrap();
    let expected_claim = Claimed {
        run: taken.run.clone(),
        session: taken.session.clone(),
        assignment: submission.assignment.clone(),
        conversation: None,
        steps: vec![],
    };
    assert_eq!(claimed, [expected_claim]);
    assert_eq!(store.run(&run_id("a")).await.unwrap(), taken.run);
    assert_eq!(store.session(&session_id("a")).await.unwrap(), taken.session);

    let holder = holder(&taken.run);
    let begun = change::start(taken.run, taken.session, &holder, at(3)).unwrap();
    assert_eq!(store.start_run(&holder, at(3)).await.unwrap(), begun.run);
    let again = change::start(begun.run.clone(), begun.session.clone(), &holder, at(4)).unwrap();
    assert_eq!(store.start_run(&holder, at(4)).await.unwrap(), again.run, "starting twice changes nothing");

    let said = Body::Message { role: "assistant".into(), text: "hello".into() };
    let tool = Body::ToolStarted {
        call_id: "1".into(),
        name: "read".into(),
        arguments: serde_json::json!({"b": 1.5, "a": [null, 12345678901234567890u64]}),
    };
    let events = vec![said.clone(), tool.clone()];
    store
        .report(Report { holder: holder.clone(), events, attempts: vec![], steps: vec![], now: at(5) })
        .await
        .unwrap();

    let validation = Validation {
        valid: true,
        schema_name: Some("findings".into()),
        schema_hash: "00ff".into(),
        retry_count: 1,
        strategy: Strategy::Tool,
        repairs: vec![],
        source: Some(ValueSource::Prose),
        attempts: 2,
    };
    let outcome = Outcome {
        result_text: None,
        result_data: Some(r#"{"z":1.50,"a":90071992547409931234}"#.into()),
        raw: Some("here: {\"z\":1.50}".into()),
        validation: Some(validation),
    };
    let finish = Finish {
        conversation: Some(r#"[{"role":"user"}]"#.into()),
        affinity: Some(Demands { hostname: Some("host".into()), ..Demands::default() }),
        ..finish(&holder, End::Completed(outcome.clone()), 6)
    };
    let ended = change::finish(
        begun.run,
        begun.session,
        &holder,
        finish.end.clone(),
        finish.usage,
        Children::Quiet,
        at(6),
    )
    .unwrap();
    assert_eq!(store.finish_run(finish.clone()).await.unwrap(), ended.run);
    assert_eq!(store.run(&run_id("a")).await.unwrap(), ended.run);
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), Some(outcome));
    let session = Session { affinity: finish.affinity.unwrap(), ..ended.session };
    assert_eq!(store.session(&session_id("a")).await.unwrap(), session);

    let reported = [said, tool].map(|body| NewEvent {
        at: at(5),
        session_id: session_id("a"),
        run_id: Some(run_id("a")),
        body,
    });
    let all = [
        change::created(&submission.run, &session_in(&submission), None),
        taken.events,
        begun.events,
        reported.into(),
        ended.events,
    ];
    let events = events_of(&store, EventFilter::default()).await;
    assert_eq!(
        events.iter().map(content_of).collect::<Vec<_>>(),
        all.iter().flatten().map(expected).collect::<Vec<_>>()
    );
}

/// A run that begins with its claim and ends with its last report is stored as if each had come by itself.
pub async fn a_run_ends_with_what_happened_at_last(store: Arc<dyn Store>) {
    let message = |text: &str| Body::Message { role: "assistant".into(), text: text.into() };
    let (first, second) = (attempt(1, AttemptOutcome::SchemaInvalid), attempt(2, AttemptOutcome::Accepted));
    let steps = [step(1, 1, "asked"), step(2, 1, "answered")];
    for name in ["apart", "together"] {
        store.submit_run(fresh(name)).await.unwrap();
        let is_together = name == "together";
        let asked = Claim { starts: is_together, ..claim(1, 2) };
        let claimed = store.claim_runs(asked).await.unwrap().remove(0);
        let holder = holder(&claimed.run);
        if !is_together {
            store.start_run(&holder, at(2)).await.unwrap();
        }
        let report =
            |events, attempts, steps| Report { holder: holder.clone(), events, attempts, steps, now: at(5) };
        // Reported before: it is not written again.
        let early = report(vec![message("early")], vec![first.clone()], vec![steps[0].clone()]);
        assert_eq!(store.report(early).await.unwrap(), [1]);
        let (events, attempts) =
            (vec![message("late"), message("last")], vec![first.clone(), second.clone()]);
        let end = finish(&holder, completed("done"), 5);
        if is_together {
            let last = Last { events, attempts, steps: steps.to_vec() };
            let finished = store.finish_run_after(last.clone(), end.clone()).await.unwrap();
            assert_eq!((finished.run.status, finished.judged), (Status::Completed, vec![2]));
            let before = store.last_event().await.unwrap();
            assert!(store.finish_run_after(last, end).await.is_err(), "an end is final");
            assert_eq!(store.last_event().await.unwrap(), before);
        } else {
            let written = store.report(report(events, attempts, steps.to_vec())).await.unwrap();
            assert_eq!(written, [2]);
            store.finish_run(end).await.unwrap();
        }
    }
    let both = [run_id("apart"), run_id("together")];
    let mut stored = Vec::new();
    for id in &both {
        let run = store.run(id).await.unwrap();
        assert_eq!((run.started_at, run.claimed_at), (Some(at(2)), Some(at(2))));
        let filter = EventFilter { run_id: Some(id.clone()), ..EventFilter::default() };
        let events = events_of(&store, filter).await;
        let events: Vec<_> =
            events.iter().map(content_of).map(|(at, _, _, kind, body)| (at, kind, body)).collect();
        stored.push((
            events,
            store.attempts(id).await.unwrap(),
            store.steps(id).await.unwrap(),
            store.outcome(id).await.unwrap(),
        ));
    }
    let [apart, together]: [_; 2] = stored.try_into().unwrap();
    assert_eq!(apart, together);
    let kinds: Vec<&str> = together.0.iter().map(|(_, kind, _)| kind.as_str()).collect();
    let expected = [
        "run.queued",
        "run.claimed",
        "run.started",
        "message",
        "attempt.judged",
        "message",
        "message",
        "attempt.judged",
        "result",
        "run.completed",
    ];
    assert_eq!(kinds, expected);
    assert_eq!((together.1.len(), together.2.len()), (2, 2));
}

/// A failure is stored with all its details and is not a result.
pub async fn a_failure_is_stored_completely(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    let failure = Failure {
        validation_errors: vec!["$.a: too long".into(), "$.b: absent".into()],
        last_output: Some("{\"a\":…".into()),
        attempts: Some(3),
        ..Failure::new(FailureType::SchemaValidationFailed, "output did not match the schema after 2 retries")
    };
    let ended = store.finish_run(finish(&holder, End::Failed(failure.clone()), 3)).await.unwrap();
    assert_eq!(ended.failure, Some(failure));
    assert_eq!(store.run(&run_id("a")).await.unwrap(), ended);
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), None);
    let session = store.session(&session_id("a")).await.unwrap();
    assert_eq!(session.status, SessionStatus::Failed);
}

/// Attempts are stored in order, once each, and reported as events without their text.
pub async fn attempts_are_kept_once(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    let first = attempt(1, AttemptOutcome::SchemaInvalid);
    let second = attempt(2, AttemptOutcome::Accepted);
    let report = |attempts: Vec<_>| Report {
        holder: holder.clone(),
        events: vec![],
        attempts,
        steps: vec![],
        now: at(3),
    };
    assert_eq!(store.report(report(vec![first.clone()])).await.unwrap(), [1]);
    let changed = accord_domain::attempt::Attempt { text: "another".into(), ..first.clone() };
    assert_eq!(store.report(report(vec![changed, second.clone()])).await.unwrap(), [2]);
    assert_eq!(store.report(report(vec![second.clone()])).await.unwrap(), Vec::<u32>::new());

    assert_eq!(store.attempts(&run_id("a")).await.unwrap(), [first.clone(), second.clone()]);
    let filter = EventFilter { kinds: vec!["attempt.judged".into()], ..EventFilter::default() };
    let events = events_of(&store, filter).await;
    let judged = [first, second].map(|attempt| {
        let attempt = Box::new(accord_domain::attempt::Attempt { text: String::new(), ..attempt });
        let body = Body::AttemptJudged { attempt };
        NewEvent { at: at(3), session_id: session_id("a"), run_id: Some(run_id("a")), body }
    });
    assert_eq!(
        events.iter().map(content_of).collect::<Vec<_>>(),
        judged.iter().map(expected).collect::<Vec<_>>()
    );
}

/// The attempts of a later delivery follow those of an earlier one, with the same numbers.
pub async fn attempts_are_in_the_order_of_deliveries(store: Arc<dyn Store>) {
    let one = begin(&store, fresh("a")).await;
    let first = attempt(1, AttemptOutcome::NoJson);
    let attempts = vec![first.clone()];
    store
        .report(Report { holder: one.clone(), events: vec![], attempts, steps: vec![], now: at(3) })
        .await
        .unwrap();
    store.give_back(&one, at(4)).await.unwrap();
    let two = holder(&take(&store, 5).await.run);
    let second = accord_domain::attempt::Attempt { delivery: 2, ..attempt(1, AttemptOutcome::Accepted) };
    let attempts = vec![second.clone()];
    store.report(Report { holder: two, events: vec![], attempts, steps: vec![], now: at(6) }).await.unwrap();
    assert_eq!(store.attempts(&run_id("a")).await.unwrap(), [first, second]);
}
