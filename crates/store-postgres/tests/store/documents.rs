//! Documents that runs share: removed with the last of them.

use accord_domain::id::WorkflowRunId;
use accord_domain::run::Assignment;
use accord_store::{RunReader, RunStore, SessionStore, Submission, WorkflowRunStore};
use accord_test_support::story::workflows::a_finished_workflow_run;
use sqlx::PgConnection;

use crate::make::{Database, at, fresh, run_id, session_id};

fn with(name: &str, contract: &str) -> Submission {
    let plain = fresh(name);
    let assignment = Assignment { contract: Some(contract.to_owned()), ..plain.assignment };
    Submission { assignment, ..plain }
}

async fn documents(connection: &mut PgConnection) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM documents").fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn documents_stay_until_unreferenced() {
    let database = Database::start();
    let store = database.store().await;
    let mut connection = database.connection().await;
    for (name, contract) in [("a", "[1]"), ("b", "[1]"), ("c", "[2]")] {
        store.submit_run(with(name, contract)).await.unwrap();
        store.stop_run(&run_id(name), at(1)).await.unwrap();
    }
    assert_eq!(documents(&mut connection).await, 3, "a blueprint and two contracts");
    for (name, left) in [("c", 2), ("a", 2), ("b", 0)] {
        store.remove_session(&session_id(name)).await.unwrap();
        assert_eq!(documents(&mut connection).await, left, "without {name}");
    }
}

/// Some tasks create runs and others remove them, with the same documents: no run ever loses its
/// documents.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_of_a_new_run_are_not_removed() {
    let database = Database::start();
    let store = database.store().await;
    let mut callers = Vec::new();
    for caller in 0..4 {
        let store = store.clone();
        callers.push(tokio::spawn(async move {
            for round in 0..40 {
                let name = format!("{caller}-{round}");
                store.submit_run(with(&name, "[1]")).await.unwrap();
                let assignment = store.assignment(&run_id(&name)).await.unwrap();
                assert_eq!(assignment.contract.as_deref(), Some("[1]"));
                store.stop_run(&run_id(&name), at(1)).await.unwrap();
                store.remove_session(&session_id(&name)).await.unwrap();
            }
        }));
    }
    for caller in callers {
        caller.await.unwrap();
    }
    assert_eq!(documents(&mut database.connection().await).await, 0);
}

/// The same for workflow runs and their definition.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_definition_of_a_new_workflow_run_is_not_removed() {
    let database = Database::start();
    let store = database.store().await;
    let mut callers = Vec::new();
    for caller in 0..4 {
        let store = store.clone();
        callers.push(tokio::spawn(async move {
            for round in 0..40 {
                let name = format!("{caller}-{round}");
                a_finished_workflow_run(&store, &name).await;
                let id = WorkflowRunId::new(&name);
                assert_eq!(store.workflow_documents(&id).await.unwrap().definition, r#"{"name":"review"}"#);
                store.remove_workflow_run(&id).await.unwrap();
            }
        }));
    }
    for caller in callers {
        caller.await.unwrap();
    }
    assert_eq!(documents(&mut database.connection().await).await, 0);
}
