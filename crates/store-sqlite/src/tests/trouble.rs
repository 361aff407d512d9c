use std::time::Duration;

use accord_domain::id::RunId;
use accord_store::{EventStore, RunReader, Upkeep};

use super::*;
use crate::writer::Undo;

async fn set(store: &SqliteStore, pragma: &'static str) {
    store.write(move |write| Ok(write.connection().execute_batch(pragma)?)).await.unwrap();
}

/// A setting as the writer's connection sees it.
async fn setting(store: &SqliteStore, pragma: &'static str) -> i64 {
    store
        .write(move |write| Ok(write.connection().pragma_query_value(None, pragma, |row| row.get(0))?))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_write_is_synced() {
    let (store, _folder) = store();
    assert_eq!(setting(&store, "synchronous").await, 2, "FULL");
}

#[tokio::test]
async fn the_store_recovers_from_a_full_disk() {
    let (store, _folder) = store();
    store.submit_run(submission("before", 10)).await.unwrap();
    // With this limit, SQLite returns the same error as on a full disk.
    let limit = setting(&store, "page_count").await;
    store
        .write(move |write| {
            let sql = format!("PRAGMA max_page_count = {limit}");
            Ok(write.connection().query_row(&sql, [], |_| Ok(()))?)
        })
        .await
        .unwrap();
    let full = store.submit_run(submission("full", 1024 * 1024)).await;
    assert!(matches!(&full, Err(StoreError::Unavailable(cause)) if cause.contains("full")), "{full:?}");
    assert!(matches!(store.run(&RunId::new("full")).await, Err(StoreError::NoRun(_))));
    assert_eq!(store.run(&RunId::new("before")).await.unwrap(), submission("before", 10).run);
    let ready = store.ping().await;
    assert!(matches!(&ready, Err(StoreError::Unavailable(cause)) if cause.contains("full")), "{ready:?}");

    set(&store, "PRAGMA max_page_count = 1000000").await;
    store.ping().await.unwrap();
    store.submit_run(submission("full", 1024 * 1024)).await.unwrap();
    assert_eq!(store.run(&RunId::new("full")).await.unwrap(), submission("full", 10).run);
}

#[tokio::test]
async fn a_read_only_file_is_reported() {
    let (_store, folder) = store();
    let connection = crate::open::reading(&folder.path().join("accord.db")).unwrap();
    let writer =
        crate::writer::Writer::start(connection, None, tokio::sync::broadcast::channel(1).0).unwrap();
    for _ in 0..2 {
        let refused = writer
            .run(Undo::Savepoint, |write| Ok(write.connection().execute("DELETE FROM runs", [])?))
            .await;
        let told = matches!(&refused, Err(StoreError::Unavailable(cause)) if cause.contains("readonly"));
        assert!(told, "{refused:?}");
    }
}

#[tokio::test]
async fn a_read_only_database_is_not_ready() {
    let (store, _folder) = store();
    store.ping().await.unwrap();
    // From here on, SQLite rejects every write on this connection. Whether this write is committed
    // does not matter.
    let _ = store.write(|write| Ok(write.connection().execute_batch("PRAGMA query_only = 1")?)).await;
    let ready = store.ping().await;
    assert!(matches!(&ready, Err(StoreError::Unavailable(cause)) if cause.contains("readonly")), "{ready:?}");
}

#[tokio::test]
async fn a_damaged_page_for_the_next_run_is_not_ready() {
    let (store, folder) = store();
    store.submit_run(submission("a", 10)).await.unwrap();
    drop(store);
    let path = folder.path().join("accord.db");
    // A file that is damaged at the start is refused, so it is damaged afterwards.
    let store = SqliteStore::open(&path).unwrap();
    store.ping().await.unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let kind = b"run.queued";
    for page in bytes.chunks_mut(4096) {
        if page.windows(kind.len()).any(|window| window == kind) {
            page.fill(0xff);
        }
    }
    std::fs::write(&path, bytes).unwrap();
    // Pages in memory are sound.
    store.write(|write| Ok(write.connection().execute_batch("PRAGMA shrink_memory")?)).await.unwrap();
    let ready = store.ping().await;
    assert!(
        matches!(&ready, Err(StoreError::Unavailable(cause)) if cause.contains("malformed")),
        "{ready:?}"
    );
    assert!(store.submit_run(submission("b", 10)).await.is_err());
}

#[tokio::test]
async fn a_probe_leaves_no_visible_changes() {
    let (store, _folder) = store();
    store.submit_run(submission("a", 10)).await.unwrap();
    let everything = accord_store::EventLimit::of(100);
    let before = store.events(&Default::default(), Default::default(), everything).await.unwrap();
    store.ping().await.unwrap();
    assert_eq!(store.events(&Default::default(), Default::default(), everything).await.unwrap(), before);
    assert_eq!(store.run(&RunId::new("a")).await.unwrap(), submission("a", 10).run);
}

#[cfg(unix)]
#[tokio::test]
async fn writes_to_a_removed_file_are_not_acknowledged() {
    let (store, folder) = store();
    store.submit_run(submission("before", 10)).await.unwrap();
    let (path, aside) = (folder.path().join("accord.db"), folder.path().join("aside.db"));
    std::fs::rename(&path, &aside).unwrap();
    let told = |said: Result<(), StoreError>, what: &str| {
        let expected = format!("{} was {what} while it was open", path.display());
        let is_told = matches!(&said, Err(StoreError::Unavailable(cause)) if cause.contains(&expected));
        assert!(is_told, "{said:?}");
    };
    told(store.submit_run(submission("lost", 10)).await.map(drop), "removed");
    told(store.ping().await, "removed");
    std::fs::copy(&aside, &path).unwrap();
    told(store.submit_run(submission("lost", 10)).await.map(drop), "replaced");
    told(store.ping().await, "replaced");
    std::fs::rename(&aside, &path).unwrap();
    store.ping().await.unwrap();
    store.submit_run(submission("after", 10)).await.unwrap();
    assert!(matches!(store.run(&RunId::new("lost")).await, Err(StoreError::NoRun(_))));
}

#[cfg(unix)]
#[tokio::test]
async fn writes_without_a_log_file_are_not_acknowledged() {
    let (store, folder) = store();
    store.submit_run(submission("first", 10)).await.unwrap();
    drop(store);
    // Closing removed the log; it exists again from here.
    let path = folder.path().join("accord.db");
    let store = SqliteStore::open(&path).unwrap();
    store.submit_run(submission("before", 10)).await.unwrap();
    std::fs::remove_file(folder.path().join("accord.db-wal")).unwrap();
    for said in [store.submit_run(submission("lost", 10)).await.map(drop), store.ping().await] {
        let is_told =
            matches!(&said, Err(StoreError::Unavailable(cause)) if cause.contains("-wal was removed"));
        assert!(is_told, "{said:?}");
    }
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    store.run(&RunId::new("before")).await.unwrap();
    assert!(matches!(store.run(&RunId::new("lost")).await, Err(StoreError::NoRun(_))));
}

#[tokio::test]
async fn the_store_waits_for_a_lock_of_another_process() {
    let (store, folder) = store();
    store.write(|write| Ok(write.connection().busy_timeout(Duration::from_millis(5))?)).await.unwrap();
    let other = rusqlite::Connection::open(folder.path().join("accord.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let locked = store.submit_run(submission("a", 10)).await;
    assert!(matches!(&locked, Err(StoreError::Unavailable(cause)) if cause.contains("locked")), "{locked:?}");
    assert!(matches!(store.run(&RunId::new("a")).await, Err(StoreError::NoRun(_))), "reading goes on");
    let ready = store.ping().await;
    assert!(matches!(&ready, Err(StoreError::Unavailable(cause)) if cause.contains("locked")), "{ready:?}");
    other.execute_batch("ROLLBACK").unwrap();
    store.ping().await.unwrap();
    store.submit_run(submission("a", 10)).await.unwrap();
}

#[tokio::test]
async fn foreign_rows_are_corrupt() {
    let (store, _folder) = store();
    store.submit_run(submission("a", 10)).await.unwrap();
    set(&store, "UPDATE runs SET status = 'dancing'").await;
    let unreadable = store.run(&RunId::new("a")).await;
    assert!(
        matches!(&unreadable, Err(StoreError::Corrupt(what)) if what.contains("dancing")),
        "{unreadable:?}"
    );
}

#[tokio::test]
async fn a_read_that_panics_ends_alone() {
    let (store, _folder) = store();
    for _ in 0..10 {
        let read: Result<(), _> = store.read(|_| panic!("on purpose")).await;
        assert!(matches!(read, Err(StoreError::Unavailable(_))));
    }
    store.ping().await.unwrap();
}

#[tokio::test]
async fn readers_cannot_write() {
    let (store, _folder) = store();
    let written = store.read(|connection| Ok(connection.execute("DELETE FROM runs", [])?)).await;
    assert!(matches!(written, Err(StoreError::Unavailable(_))));
}
