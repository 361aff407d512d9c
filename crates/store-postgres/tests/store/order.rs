//! Once an event has been seen, none with a smaller id appears.

use std::collections::BTreeSet;

use accord_domain::id::{EventId, SessionId};
use accord_store::{EventFilter, EventLimit, EventStore, Notice, RunStore, Upkeep};
use sqlx::{Connection, PgConnection};

use crate::make::{Database, all_events, fresh, run_id, session_id};

/// A transaction as the store begins it.
const BEGIN: &str = "BEGIN; SELECT pg_advisory_xact_lock_shared(1633903471, 1)";

/// An event as the store writes it, in a slow transaction.
const SLOW: &str = "
INSERT INTO events (id, at, session_id, run_id, kind, body)
SELECT (transaction_offset + pg_current_xact_id()::text::bigint) << 20, 0, $1, NULL, 'message', '{}'
FROM event_numbering";

fn sessions(events: &[(EventId, Option<SessionId>)]) -> Vec<SessionId> {
    events.iter().filter_map(|(_, session)| session.clone()).collect()
}

#[tokio::test]
async fn newer_events_wait_for_an_older_transaction() {
    let database = Database::start();
    let store = database.store().await;
    let mut notices = store.notices();
    let mut connection = database.connection().await;
    let mut slow = connection.begin_with(BEGIN).await.unwrap();
    sqlx::query(SLOW).bind(session_id("slow").as_str()).execute(&mut *slow).await.unwrap();

    store.submit_run(fresh("quick")).await.unwrap();
    assert_eq!(notices.recv().await.unwrap(), Notice::Queued, "a claim need not wait for events");
    assert_eq!(all_events(&store).await, []);
    assert_eq!(store.last_event().await.unwrap(), EventId(0));
    assert!(notices.try_recv().is_err(), "nothing is to be read yet");

    slow.commit().await.unwrap();
    let slow = Notice::Events { session_id: session_id("slow"), run_id: None };
    assert_eq!(notices.recv().await.unwrap(), slow);
    let seen = all_events(&store).await;
    assert_eq!(sessions(&seen), [session_id("slow"), session_id("quick"), session_id("quick")]);
    assert_eq!(store.last_event().await.unwrap(), seen.last().unwrap().0);
}

/// The lock of documents, which whoever removes documents takes exclusively.
const NO_REFERENCES: &str = "SELECT pg_advisory_xact_lock(110429572787557)";

/// A statement that waits for that lock: whether it holds the lock of writers, and whether its transaction has a number.
const WAITING: &str = "
SELECT EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = l.pid AND w.granted AND w.locktype = 'advisory'
        AND w.classid = 1633903471 AND w.objid = 1),
    EXISTS (SELECT 1 FROM pg_locks t WHERE t.pid = l.pid AND t.granted AND t.locktype = 'transactionid')
FROM pg_locks l WHERE NOT l.granted AND l.locktype = 'advisory'";

/// New runs are written by one statement, which is stopped here half-way.
#[tokio::test]
async fn new_runs_hold_the_lock_of_writers() {
    let database = Database::start();
    let store = database.store().await;
    let (mut connection, mut looking) = (database.connection().await, database.connection().await);
    let mut remover = connection.begin().await.unwrap();
    sqlx::query(NO_REFERENCES).execute(&mut *remover).await.unwrap();
    let submitting = tokio::spawn({
        let store = store.clone();
        async move { store.submit_run(fresh("a")).await }
    });
    let (is_writer, has_number): (bool, bool) = loop {
        if let Some(waiting) = sqlx::query_as(WAITING).fetch_optional(&mut looking).await.unwrap() {
            break waiting;
        }
        tokio::task::yield_now().await;
    };
    assert!(is_writer, "the lock of writers comes first");
    assert!(!has_number, "nothing is written before");
    remover.commit().await.unwrap();
    submitting.await.unwrap().unwrap();
    assert_eq!(sessions(&all_events(&store).await), [session_id("a"), session_id("a")]);
}

#[tokio::test]
async fn transactions_of_other_programs_delay_nothing() {
    let database = Database::start();
    let store = database.store().await;
    let mut notices = store.notices();
    let elsewhere = database.cluster.fresh_database().unwrap();
    let mut connections = [database.connection().await, PgConnection::connect(&elsewhere).await.unwrap()];
    let mut open = Vec::new();
    for connection in &mut connections {
        let mut transaction = connection.begin().await.unwrap();
        sqlx::query("CREATE TABLE strange (number integer)").execute(&mut *transaction).await.unwrap();
        open.push(transaction);
    }
    for name in ["a", "b"] {
        store.submit_run(fresh(name)).await.unwrap();
    }
    let seen = all_events(&store).await;
    assert_eq!(sessions(&seen), ["a", "a", "b", "b"].map(session_id));
    assert_eq!(store.last_event().await.unwrap(), seen.last().unwrap().0);
    let last = Notice::Events { session_id: session_id("b"), run_id: Some(run_id("b")) };
    while notices.recv().await.unwrap() != last {}
}

#[tokio::test]
async fn a_cancelled_transaction_delays_nothing() {
    let database = Database::start();
    let store = database.store().await;
    let mut connection = database.connection().await;
    let mut slow = connection.begin_with(BEGIN).await.unwrap();
    sqlx::query(SLOW).bind(session_id("slow").as_str()).execute(&mut *slow).await.unwrap();
    store.submit_run(fresh("quick")).await.unwrap();
    slow.rollback().await.unwrap();
    assert_eq!(sessions(&all_events(&store).await), [session_id("quick"), session_id("quick")]);
}

const WRITERS: usize = 16;
const RUNS: usize = 15;
const SLOW_WRITERS: usize = 4;
const SLOW_EVENTS: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_follows_many_writers_misses_nothing() {
    let database = Database::start();
    let store = database.store().await;
    let coordinators = [database.store().await, database.store().await];
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let store = coordinators[writer % 2].clone();
        writers.push(tokio::spawn(async move {
            for run in 0..RUNS {
                store.submit_run(fresh(&format!("{writer}-{run}"))).await.unwrap();
            }
        }));
    }
    for _ in 0..SLOW_WRITERS {
        let (mut connection, store) = (database.connection().await, store.clone());
        writers.push(tokio::spawn(async move {
            for _ in 0..SLOW_EVENTS {
                let mut slow = connection.begin_with(BEGIN).await.unwrap();
                sqlx::query(SLOW).bind(session_id("slow").as_str()).execute(&mut *slow).await.unwrap();
                for _ in 0..10 {
                    store.ping().await.unwrap();
                }
                slow.commit().await.unwrap();
            }
        }));
    }
    let expected = WRITERS * RUNS * 2 + SLOW_WRITERS * SLOW_EVENTS;
    let mut followed = Vec::new();
    let mut after = EventId(0);
    while followed.len() < expected {
        let page = store.events(&EventFilter::default(), after, EventLimit::of(7)).await.unwrap();
        for event in page {
            assert!(event.id > after);
            after = event.id;
            followed.push((event.id, event.session_id));
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(followed, all_events(&store).await);
    let ids: BTreeSet<_> = followed.iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), expected);
}

#[tokio::test]
async fn a_restored_dump_continues_above_its_events() {
    let database = Database::start();
    let store = database.store().await;
    store.submit_run(fresh("before")).await.unwrap();
    drop(store);
    // As if written by a cluster with many more transactions than this one.
    let mut connection = database.connection().await;
    sqlx::query("UPDATE events SET id = id + (1000000::bigint << 20)")
        .execute(&mut connection)
        .await
        .unwrap();

    for name in ["first", "second"] {
        let store = database.store().await;
        store.submit_run(fresh(name)).await.unwrap();
        let newest = store.last_event().await.unwrap();
        assert_eq!(newest, all_events(&store).await.last().unwrap().0);
    }
    let store = database.store().await;
    let names = ["before", "before", "first", "first", "second", "second"].map(session_id);
    assert_eq!(sessions(&all_events(&store).await), names);
    let offset: i64 = sqlx::query_scalar("SELECT transaction_offset FROM event_numbering")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert!((999_000..=1_000_000).contains(&offset), "it was raised once: {offset}");
}
