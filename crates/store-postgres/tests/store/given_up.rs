//! Operations that are cancelled half-way, for example because a caller hung up.

use std::time::Duration;

use accord_domain::id::RunnerId;
use accord_domain::runner::{Profile, Runner};
use accord_store::{RunStore, RunnerStore, Upkeep};
use tokio::time::timeout;

use crate::make::{Database, at, fresh};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_callers_leave_no_open_transaction() {
    let database = Database::start();
    let (store, elsewhere) = (database.store().await, database.store().await);
    let mut done_at_once = 0;
    for number in 0..20 {
        // A connection that was just used is taken without a check, so that the first step sends
        // `BEGIN`.
        store.queue_depth().await.unwrap();
        tokio::select! {
            biased;
            // On a busy machine, every answer may have arrived before it is polled.
            done = store.submit_run(fresh(&format!("given-up-{number}"))) => {
                done.unwrap();
                done_at_once += 1;
            }
            () = std::future::ready(()) => {}
        }
    }
    assert!(done_at_once < 20, "nothing was given up");
    // What nobody waits for any more is done or not.
    let pending = elsewhere.queue_depth().await.unwrap().pending;
    assert!((done_at_once..=20).contains(&pending), "{pending}");
    // Cancel at other moments, too.
    for number in 0..20 {
        let use_case = store.submit_run(fresh(&format!("later-{number}")));
        let _ = timeout(Duration::from_micros(number * 200), use_case).await;
    }
    for number in 0..20 {
        let id = RunnerId::new(format!("{number}"));
        let runner =
            Runner { id: id.clone(), profile: Profile::default(), registered_at: at(0), seen_at: at(0) };
        store.register_runner(runner.clone()).await.unwrap();
        assert_eq!(elsewhere.runner(&id).await.unwrap(), Some(runner), "what is acknowledged is committed");
    }
}
