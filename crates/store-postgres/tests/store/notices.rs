//! Every coordinator is notified of what another one writes.

use std::time::Duration;

use accord_store::{EventStore, Notice, Notices, RunStore};
use tokio::time::timeout;

use crate::make::{Database, fresh, holder, run_id, said, session_id, take};

/// Far longer than a notice takes, and shorter than the test runner's limit.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until all of these notices have arrived, in any order.
async fn hear(notices: &mut Notices, wanted: &[Notice]) {
    let mut missing = wanted.to_vec();
    while !missing.is_empty() {
        let heard = timeout(PATIENCE, notices.recv()).await;
        assert!(heard.is_ok(), "never heard: {missing:?}");
        let heard = heard.unwrap().unwrap();
        missing.retain(|notice| *notice != heard);
    }
}

fn events(name: &str) -> [Notice; 2] {
    let session_id = session_id(name);
    let of_run = Notice::Events { session_id: session_id.clone(), run_id: Some(run_id(name)) };
    [Notice::Events { session_id, run_id: None }, of_run]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_coordinator_is_notified_of_every_change() {
    let database = Database::start();
    let (one, two) = (database.store().await, database.store().await);
    let mut heard = [one.notices(), two.notices()];

    one.submit_run(fresh("a")).await.unwrap();
    let [of_session, of_run] = events("a");
    for notices in &mut heard {
        hear(notices, &[Notice::Queued, of_session.clone(), of_run.clone()]).await;
    }
    let holder = holder(&take(&two).await.run);
    for notices in &mut heard {
        hear(notices, std::slice::from_ref(&of_run)).await;
    }
    one.stop_run(&run_id("a"), crate::make::at(2)).await.unwrap();
    for notices in &mut heard {
        hear(notices, &[Notice::Changed { run_id: run_id("a"), over: false }]).await;
    }
    two.finish_run(said(&holder, "quicker")).await.unwrap();
    for notices in &mut heard {
        hear(notices, &[Notice::Changed { run_id: run_id("a"), over: true }, of_run.clone()]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missed_notifications_are_recovered() {
    let database = Database::start();
    let (one, two) = (database.store().await, database.store().await);
    let mut notices = two.notices();
    let mut connection = database.connection().await;
    let ended: i64 = sqlx::query_scalar(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query ILIKE 'LISTEN%'",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!(ended, 2);
    one.submit_run(fresh("a")).await.unwrap();
    let holder = holder(&take(&one).await.run);
    one.finish_run(said(&holder, "x")).await.unwrap();
    hear(&mut notices, &events("a")).await;

    // The connection may not have been back in time for that, but it is back now or soon.
    one.submit_run(fresh("b")).await.unwrap();
    hear(&mut notices, &events("b")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_a_process_that_died_before_notifying_are_found() {
    let database = Database::start();
    let store = database.store().await;
    let mut notices = store.notices();
    let mut connection = database.connection().await;
    sqlx::query(
        "INSERT INTO events (id, at, session_id, run_id, kind, body)
         SELECT (transaction_offset + pg_current_xact_id()::text::bigint) << 20, 0, 'ses_a', 'run_a', 'message', '{}'
         FROM event_numbering",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    let [_, of_run] = events("a");
    hear(&mut notices, &[of_run]).await;
}
