//! Guarantees of this store: grouped commits, and recovery from a full or locked disk.

mod group;
mod removal;
mod trouble;

use std::sync::Arc;

use accord_domain::run::Assignment;
use accord_store::{RunStore, StoreError, Submission, Submitted};
use accord_test_support::story;
use jiff::Timestamp;
use tokio::task::JoinHandle;

use crate::SqliteStore;

/// A new session with its first run, whose parameters have at least this many bytes.
fn submission(name: &str, bytes: usize) -> Submission {
    let now = Timestamp::from_second(1_800_000_000).unwrap();
    let fresh = story::submission(name, now);
    let assignment = Assignment { parameters: "x".repeat(bytes), ..fresh.assignment };
    Submission { assignment, ..fresh }
}

/// A store on its own file, and the folder of the file.
fn store() -> (Arc<SqliteStore>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("accord.db")).unwrap();
    (Arc::new(store), folder)
}

type Submitting = JoinHandle<Result<Submitted, StoreError>>;

fn submit(store: &Arc<SqliteStore>, name: String) -> Submitting {
    let store = Arc::clone(store);
    tokio::spawn(async move { store.submit_run(submission(&name, 10)).await })
}

/// Keeps the writer busy until the sender is dropped, so that further writes queue.
async fn hold(store: &Arc<SqliteStore>) -> std::sync::mpsc::Sender<()> {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (begin, begun) = tokio::sync::oneshot::channel();
    let holding = Arc::clone(store);
    tokio::spawn(async move {
        holding
            .write(move |_| {
                let _ = begin.send(());
                let _ = released.recv();
                Ok(())
            })
            .await
    });
    begun.await.unwrap();
    release
}

/// Waits until this many writes are queued.
async fn queued(store: &Arc<SqliteStore>, wanted: usize) {
    while store.writer.waiting() < wanted {
        tokio::task::yield_now().await;
    }
}
