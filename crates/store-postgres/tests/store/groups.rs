//! Use cases that arrive together share transactions, and nothing else.

use std::collections::BTreeSet;
use std::time::Duration;

use accord_domain::event::Body;
use accord_domain::run::Status;
use accord_store::{Idempotency, Report, RunReader, RunStore, StoreError, Submission, Submitted, Upkeep};
use futures_util::future::join_all;
use sqlx::Connection;
use tokio::time::timeout;

use crate::make::{Database, all_events, at, claim, fresh, holder, run_id, said};

const TOGETHER: usize = 50;

/// Far longer than anything takes that waits for nobody.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many transactions have written events: an id begins with the number of its transaction.
async fn transactions(store: &accord_store_postgres::PostgresStore) -> usize {
    all_events(store).await.iter().map(|(id, _)| id.0 >> 20).collect::<BTreeSet<_>>().len()
}

#[tokio::test]
async fn what_arrives_together_is_committed_together() {
    let database = Database::start();
    let store = database.store().await;
    let names: Vec<String> = (0..TOGETHER).map(|number| format!("n{number:02}")).collect();
    let submitted = join_all(names.iter().map(|name| store.submit_run(fresh(name)))).await;
    assert!(submitted.iter().all(|submitted| matches!(submitted, Ok(Submitted::Created(_)))));
    assert!(transactions(&store).await <= 3);

    let claims = names.iter().map(|name| store.claim_runs(claim(name, 1)));
    let holders: Vec<_> = join_all(claims)
        .await
        .into_iter()
        .flat_map(Result::unwrap)
        .map(|claimed| holder(&claimed.run))
        .collect();
    assert_eq!(holders.iter().map(|holder| &holder.run_id).collect::<BTreeSet<_>>().len(), TOGETHER);
    join_all(holders.iter().map(|holder| store.start_run(holder, at(2)))).await;
    let finished = join_all(holders.iter().map(|holder| store.finish_run(said(holder, "x")))).await;
    assert!(finished.iter().all(|run| run.as_ref().unwrap().status == Status::Completed));
    assert!(transactions(&store).await <= 12, "four steps of {TOGETHER} runs");
}

#[tokio::test]
async fn one_that_fails_does_not_fail_the_others() {
    let database = Database::start();
    let store = database.store().await;
    store.submit_run(fresh("n07")).await.unwrap();
    let names: Vec<String> = (0..TOGETHER).map(|number| format!("n{number:02}")).collect();
    let submitted = join_all(names.iter().map(|name| store.submit_run(fresh(name)))).await;
    for (name, submitted) in names.iter().zip(submitted) {
        match submitted {
            Ok(Submitted::Created(run)) => assert_eq!(run.id, run_id(name)),
            refused => {
                assert_eq!(name, "n07");
                assert!(matches!(refused, Err(StoreError::Exists { .. })), "{refused:?}");
            }
        }
    }
    assert_eq!(store.queue_depth().await.unwrap().pending, TOGETHER as u64);

    let claims = names.iter().map(|name| store.claim_runs(claim(name, 1)));
    let mut holders: Vec<_> = join_all(claims)
        .await
        .into_iter()
        .flat_map(Result::unwrap)
        .map(|claimed| holder(&claimed.run))
        .collect();
    holders[3].attempt += 1;
    let started = join_all(holders.iter().map(|holder| store.start_run(holder, at(2)))).await;
    let refused: Vec<usize> =
        (0..).zip(&started).filter(|(_, run)| run.is_err()).map(|(index, _)| index).collect();
    assert_eq!(refused, [3]);
    assert!(matches!(started[3], Err(StoreError::Refused(_))));
}

#[tokio::test]
async fn a_locked_run_delays_no_other() {
    let database = Database::start();
    let store = database.store().await;
    for name in ["a", "b"] {
        store.submit_run(fresh(name)).await.unwrap();
    }
    let claimed = store.claim_runs(claim("r", 2)).await.unwrap();
    let [first, second] =
        claimed.iter().map(|claimed| holder(&claimed.run)).collect::<Vec<_>>().try_into().unwrap();
    let mut connection = database.connection().await;
    let mut other = connection.begin().await.unwrap();
    let lock = "SELECT 1 FROM runs WHERE id = $1 FOR UPDATE";
    sqlx::query(lock).bind(first.run_id.as_str()).execute(&mut *other).await.unwrap();
    let waits = tokio::spawn({
        let (store, first) = (store.clone(), first.clone());
        async move { store.start_run(&first, at(2)).await }
    });
    for _ in 0..3 {
        let started = timeout(PATIENCE, store.start_run(&second, at(2))).await.expect("it waits for nobody");
        assert_eq!(started.unwrap().status, Status::Running);
    }
    assert!(!waits.is_finished());
    other.rollback().await.unwrap();
    assert_eq!(waits.await.unwrap().unwrap().status, Status::Running);
}

#[tokio::test]
async fn reports_of_one_run_at_once_are_all_written() {
    let database = Database::start();
    let store = database.store().await;
    store.submit_run(fresh("a")).await.unwrap();
    let holder = holder(&store.claim_runs(claim("r", 1)).await.unwrap()[0].run);
    let said = |number: usize| Body::Message { role: "assistant".into(), text: number.to_string() };
    let report = |number| Report {
        holder: holder.clone(),
        events: vec![said(number)],
        attempts: Vec::new(),
        steps: Vec::new(),
        now: at(2),
    };
    let before = all_events(&store).await.len();
    let reported = join_all((0..TOGETHER).map(|number| store.report(report(number)))).await;
    assert!(reported.iter().all(Result::is_ok));
    assert_eq!(all_events(&store).await.len(), before + TOGETHER);
}

#[tokio::test]
async fn the_same_key_at_once_makes_one_run() {
    let database = Database::start();
    let store = database.store().await;
    let keyed = |number: usize| Submission {
        idempotency: Some(Idempotency {
            scope: "s".into(),
            key: format!("k{}", number % 5),
            fingerprint: "f".into(),
            response: format!("k{}", number % 5),
        }),
        ..fresh(&format!("n{number}"))
    };
    let submitted = join_all((0..TOGETHER).map(|number| store.submit_run(keyed(number)))).await;
    let created = submitted.iter().filter(|submitted| matches!(submitted, Ok(Submitted::Created(_)))).count();
    assert_eq!(created, 5);
    for (number, submitted) in submitted.into_iter().enumerate() {
        if let Submitted::Replayed(answer) = submitted.unwrap() {
            assert_eq!(answer, format!("k{}", number % 5));
        }
    }
    assert_eq!(store.queue_depth().await.unwrap().pending, 5);
    let conflict = Submission {
        idempotency: keyed(0)
            .idempotency
            .map(|idempotency| Idempotency { fingerprint: "other".into(), ..idempotency }),
        ..fresh("other")
    };
    let refused = store.submit_run(conflict).await;
    assert!(matches!(refused, Err(StoreError::IdempotencyConflict(_))), "{refused:?}");
    assert!(store.run(&run_id("other")).await.is_err());
}
