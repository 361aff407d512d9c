use accord_domain::attempt::{Attempt, Error, Outcome as AttemptOutcome};
use accord_domain::contract::Strategy;
use accord_domain::id::{EventId, LeaseId, RunId, RunnerId, SessionId, WorkflowRunId};
use accord_domain::run::change::End;
use accord_domain::run::{Holder, Outcome};
use accord_domain::runner::Profile;
use accord_domain::session::ExecutionMode;
use accord_domain::step::{Body as StepBody, Step};
use accord_domain::usage::Usage;
use accord_store::{
    Claim, EventFilter, EventLimit, EventStore, Finish, Report, RunReader, SessionChoice, SessionStore,
    WorkflowRunStore,
};
use accord_test_support::story::workflows::a_finished_workflow_run;
use jiff::SignedDuration;

use super::*;

/// A run that leaves rows in every table.
async fn lived_in(store: &SqliteStore, submission: Submission) {
    let now = submission.run.created_at;
    let run_id = submission.run.id.clone();
    store.submit_run(submission).await.unwrap();
    let (runner_id, lease_id) = (RunnerId::new("r"), LeaseId::new("l"));
    let claim = Claim {
        runner_id: runner_id.clone(),
        profile: Profile::default(),
        leases: vec![lease_id.clone()],
        lease: SignedDuration::from_secs(30),
        starts: false,
        now,
    };
    store.claim_runs(claim).await.unwrap();
    let holder = Holder { run_id, runner_id, lease_id, attempt: 1 };
    let error =
        Error { path: "$".into(), pointer: String::new(), keyword: "type".into(), message: "wrong".into() };
    let attempt = Attempt {
        number: 1,
        delivery: 1,
        at: now,
        strategy: Strategy::Prompt,
        model: "m".into(),
        endpoint: "e".into(),
        outcome: AttemptOutcome::NoJson,
        errors: vec![error],
        more_errors: 0,
        repairs: vec![],
        source: None,
        usage: Usage::default(),
        duration_ms: 1,
        request_ms: vec![],
        text: "x".into(),
        prompt: None,
        sent: None,
    };
    let attempts = vec![attempt];
    let body = StepBody::Message { text: "x".into() };
    let steps = vec![Step { number: 1, delivery: 1, at: now, body }];
    store.report(Report { holder: holder.clone(), events: vec![], attempts, steps, now }).await.unwrap();
    let outcome = Outcome { result_text: Some("x".into()), result_data: None, raw: None, validation: None };
    let finish = Finish {
        holder,
        end: End::Completed(outcome),
        usage: Usage::default(),
        retries: 0,
        conversation: Some("[]".into()),
        affinity: None,
        observations: vec![],
        now,
    };
    store.finish_run(finish).await.unwrap();
}

/// The rows of each table that has any, but the one row that says how far statistics are kept.
async fn rows(store: &SqliteStore) -> Vec<(String, i64)> {
    let count = |connection: &rusqlite::Connection| {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'kept_until' ORDER BY name";
        let mut statement = connection.prepare(sql)?;
        let names = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
        let mut counts = Vec::new();
        for name in names {
            let sql = format!("SELECT count(*) FROM {name}");
            let count: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
            counts.extend((count > 0).then_some((name, count)));
        }
        Ok(counts)
    };
    store.read(count).await.unwrap()
}

fn child(name: &str, parent: &str) -> Submission {
    let mut submission = submission(name, 10);
    submission.run.execution_mode = ExecutionMode::AsyncCallback;
    if let SessionChoice::New(session) = &mut submission.session {
        session.parent_session_id = Some(SessionId::new(parent));
    }
    submission
}

/// A later session with the same number would find rows that are left behind.
#[tokio::test]
async fn a_removed_session_leaves_no_rows() {
    let (store, _folder) = store();
    lived_in(&store, submission("parent", 10)).await;
    lived_in(&store, child("child", "parent")).await;
    let tables = [
        "assignments",
        "attempt_errors",
        "attempts",
        "callbacks",
        "conversations",
        "documents",
        "events",
        "outcomes",
        "run_inputs",
        "runs",
        "sessions",
        "steps",
    ];
    let names: Vec<_> = rows(&store).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, tables);
    store.remove_session(&SessionId::new("parent")).await.unwrap();
    let left = rows(&store).await;
    assert!(left.iter().all(|(name, _)| name != "callbacks"), "{left:?}");
    store.remove_session(&SessionId::new("child")).await.unwrap();
    assert_eq!(rows(&store).await, [("events".to_owned(), 1)], "the id of the last event is kept, empty");
    let follower = store.events(&EventFilter::default(), EventId(0), EventLimit::of(10)).await.unwrap();
    assert_eq!(follower, []);
}

#[tokio::test]
async fn a_removed_workflow_run_leaves_no_rows() {
    let (store, _folder) = store();
    for name in ["a", "b"] {
        a_finished_workflow_run(&*store, name).await;
    }
    let names: Vec<_> = rows(&store).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        ["documents", "events", "workflow_documents", "workflow_inputs", "workflow_nodes", "workflow_runs"]
    );
    store.remove_workflow_run(&WorkflowRunId::new("a")).await.unwrap();
    let left = store.workflow_documents(&WorkflowRunId::new("b")).await.unwrap();
    assert_eq!(left.definition, r#"{"name":"review"}"#, "both have the same");
    store.remove_workflow_run(&WorkflowRunId::new("b")).await.unwrap();
    assert_eq!(rows(&store).await, [("events".to_owned(), 1)], "the id of the last event is kept, empty");
}

#[tokio::test]
async fn the_id_of_a_removed_event_is_not_reused() {
    let (store, _folder) = store();
    lived_in(&store, submission("a", 10)).await;
    let last = store.last_event().await.unwrap();
    store.remove_session(&SessionId::new("a")).await.unwrap();
    assert_eq!(store.last_event().await.unwrap(), last);
    lived_in(&store, submission("b", 10)).await;
    let events = store.events(&EventFilter::default(), EventId(0), EventLimit::of(10)).await.unwrap();
    assert_eq!(events.first().map(|event| event.id), Some(EventId(last.0 + 1)));
}

/// A document is removed with the last run that refers to it.
#[tokio::test]
async fn shared_documents_stay_until_unreferenced() {
    let (store, _folder) = store();
    let with = |name: &str, contract: &str| {
        let mut submission = submission(name, 10);
        submission.assignment.contract = Some(contract.to_owned());
        submission
    };
    lived_in(&store, with("a", "[1]")).await;
    lived_in(&store, with("b", "[1]")).await;
    lived_in(&store, with("c", r#"{"x":1}"#)).await;
    let documents = async |store: &SqliteStore| {
        let count = |connection: &rusqlite::Connection| {
            Ok(connection.query_row("SELECT count(*) FROM documents", [], |row| row.get::<_, i64>(0))?)
        };
        store.read(count).await.unwrap()
    };
    assert_eq!(documents(&store).await, 3, "a blueprint and two contracts");
    store.remove_session(&SessionId::new("c")).await.unwrap();
    assert_eq!(documents(&store).await, 2);
    store.remove_session(&SessionId::new("a")).await.unwrap();
    assert_eq!(documents(&store).await, 2);
    assert_eq!(store.assignment(&RunId::new("b")).await.unwrap().contract.as_deref(), Some("[1]"));
    store.remove_session(&SessionId::new("b")).await.unwrap();
    assert_eq!(documents(&store).await, 0);
}
