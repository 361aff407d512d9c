use accord_domain::id::{RunId, SessionId};
use accord_store::{Notice, RunReader, StoreError};

use super::*;
use crate::error::corrupt;
use crate::writer::{Undo, Write, Writer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queued_writes_are_committed_together() {
    let (store, _folder) = store();
    let release = hold(&store).await;
    let before = store.writer.commits();
    let submitting: Vec<_> = (0..100).map(|number| submit(&store, format!("n{number}"))).collect();
    queued(&store, 100).await;
    drop(release);
    for submitted in submitting {
        assert!(matches!(submitted.await.unwrap(), Ok(Submitted::Created(_))));
    }
    assert_eq!(store.writer.commits() - before, 2, "one for what held the writer, one for all the rest");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_write_does_not_wait() {
    let (store, _folder) = store();
    for number in 0..5 {
        submit(&store, format!("n{number}")).await.unwrap().unwrap();
    }
    assert_eq!(store.writer.commits(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_write_in_a_group_is_rolled_back_alone() {
    let (store, _folder) = store();
    let mut notices = store.subscribe();
    let release = hold(&store).await;
    let first = submit(&store, "first".into());
    queued(&store, 1).await;
    let failing = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            store
                .write(|write| -> crate::error::DbResult<()> {
                    write.connection().execute("DELETE FROM runs", [])?;
                    write.notify(Notice::Changed { run_id: RunId::new("first"), over: true });
                    Err(corrupt("on purpose"))
                })
                .await
        })
    };
    queued(&store, 2).await;
    let panicking = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            store
                .write(|write| -> crate::error::DbResult<()> {
                    write.connection().execute("DELETE FROM sessions", [])?;
                    panic!("on purpose")
                })
                .await
        })
    };
    queued(&store, 3).await;
    let last = submit(&store, "last".into());
    queued(&store, 4).await;
    drop(release);

    assert!(matches!(first.await.unwrap(), Ok(Submitted::Created(_))));
    assert!(matches!(failing.await.unwrap(), Err(StoreError::Corrupt(_))));
    assert!(matches!(panicking.await.unwrap(), Err(StoreError::Unavailable(_))));
    assert!(matches!(last.await.unwrap(), Ok(Submitted::Created(_))));
    for name in ["first", "last"] {
        assert_eq!(store.run(&RunId::new(name)).await.unwrap(), submission(name, 10).run);
    }
    let mut heard = Vec::new();
    while let Ok(notice) = notices.try_recv() {
        heard.push(notice);
    }
    let events =
        |name: &str| Notice::Events { session_id: SessionId::new(name), run_id: Some(RunId::new(name)) };
    let expected = [Notice::Queued, events("first"), Notice::Queued, events("last")];
    assert_eq!(heard, expected, "what was undone is not announced");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decided_write_fails_alone_before_and_with_the_group_after() {
    for (writes, others_live) in [(false, true), (true, false)] {
        let (store, _folder) = store();
        let release = hold(&store).await;
        let first = submit(&store, "first".into());
        queued(&store, 1).await;
        let failing = {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                store
                    .write_decided(move |write| -> crate::error::DbResult<()> {
                        if writes {
                            write.connection().execute("DELETE FROM runs", [])?;
                        }
                        Err(corrupt("on purpose"))
                    })
                    .await
            })
        };
        queued(&store, 2).await;
        drop(release);
        assert!(failing.await.unwrap().is_err());
        let submitted = first.await.unwrap();
        assert_eq!(submitted.is_ok(), others_live, "{submitted:?}");
        assert_eq!(store.run(&RunId::new("first")).await.is_ok(), others_live);
        submit(&store, "later".into()).await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_commit_acknowledges_no_write() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON; CREATE TABLE parent (id INTEGER PRIMARY KEY);
             CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);",
        )
        .unwrap();
    let (notices, mut heard) = tokio::sync::broadcast::channel(16);
    let writer = Arc::new(Writer::start(connection, None, notices).unwrap());
    let insert = |sql: &'static str| {
        let writer = Arc::clone(&writer);
        tokio::spawn(async move {
            writer
                .run(Undo::Savepoint, move |write| {
                    write.notify(Notice::Queued);
                    Ok(write.connection().execute(sql, [])?)
                })
                .await
        })
    };
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (begin, begun) = tokio::sync::oneshot::channel();
    let holding = {
        let writer = Arc::clone(&writer);
        let hold = move |_: &mut Write<'_>| Ok((begin.send(()), released.recv()));
        tokio::spawn(async move { writer.run(Undo::Savepoint, hold).await })
    };
    begun.await.unwrap();
    // Only the commit detects that this parent does not exist.
    let broken = insert("INSERT INTO child VALUES (7)");
    let innocent = insert("INSERT INTO parent VALUES (1)");
    while writer.waiting() < 2 {
        tokio::task::yield_now().await;
    }
    drop(release);
    assert!(holding.await.unwrap().is_ok());
    for lost in [broken, innocent] {
        let lost = lost.await.unwrap();
        assert!(
            matches!(&lost, Err(StoreError::Unavailable(cause)) if cause.contains("FOREIGN KEY")),
            "{lost:?}"
        );
    }
    assert!(heard.try_recv().is_err(), "nothing is announced");
    let count = |write: &mut Write<'_>| {
        let sql = "SELECT (SELECT count(*) FROM parent) + (SELECT count(*) FROM child)";
        Ok(write.connection().query_row(sql, [], |row| row.get::<_, i64>(0))?)
    };
    assert_eq!(writer.run(Undo::Savepoint, count).await.unwrap(), 0);
    assert_eq!(insert("INSERT INTO parent VALUES (1)").await.unwrap().unwrap(), 1, "the writer lives");
}
