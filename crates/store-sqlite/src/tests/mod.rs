//! What only this store promises: grouped commits, and a life after a full or locked disk.

mod group;
mod removal;
mod trouble;

use std::sync::Arc;

use accord_domain::demands::Demands;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Kind, Run, Status};
use accord_domain::session::{ExecutionMode, Session, Status as SessionStatus};
use accord_domain::usage::Usage;
use accord_store::{RunStore, SessionChoice, StoreError, Submission, Submitted};
use jiff::Timestamp;
use tokio::task::JoinHandle;

use crate::SqliteStore;

/// A new session with its first run, whose parameters have at least so many bytes.
fn submission(name: &str, bytes: usize) -> Submission {
    let now = Timestamp::from_second(1_800_000_000).unwrap();
    let (run_id, session_id) = (RunId::new(name), SessionId::new(name));
    let session = Session {
        id: session_id.clone(),
        agent_name: "writer".into(),
        status: SessionStatus::Pending,
        parent_session_id: None,
        project_dir: None,
        affinity: Demands::default(),
        last_run_id: run_id.clone(),
        created_at: now,
        updated_at: now,
    };
    let run = Run {
        id: run_id,
        session_id,
        kind: Kind::StartSession,
        agent_name: "writer".into(),
        status: Status::Pending,
        execution_mode: ExecutionMode::Sync,
        demands: Demands::default(),
        priority: 0,
        attempt: 0,
        losses: 0,
        retry_count: 0,
        lease: None,
        failure: None,
        usage: Usage::default(),
        created_at: now,
        queued_at: now,
        claimed_at: None,
        started_at: None,
        finished_at: None,
    };
    let assignment = Assignment {
        blueprint: "{}".into(),
        parameters: "x".repeat(bytes),
        contract: None,
        model: None,
        project_dir: None,
        retry_prompt: None,
        input: None,
    };
    Submission {
        run,
        session: SessionChoice::New(Box::new(session)),
        assignment,
        delivers: Vec::new(),
        idempotency: None,
    }
}

/// A store on a file of its own, and the folder that it is in.
fn store() -> (Arc<SqliteStore>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("accord.db")).unwrap();
    (Arc::new(store), folder)
}

type Submitting = JoinHandle<Result<Submitted, StoreError>>;

/// Submits in the background.
fn submit(store: &Arc<SqliteStore>, name: String) -> Submitting {
    let store = Arc::clone(store);
    tokio::spawn(async move { store.submit_run(submission(&name, 10)).await })
}

/// Keeps the writer busy until the sender is dropped: what comes meanwhile has to queue.
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

/// Waits until so many use cases wait for the writer.
async fn queued(store: &Arc<SqliteStore>, wanted: usize) {
    while store.writer.waiting() < wanted {
        tokio::task::yield_now().await;
    }
}
