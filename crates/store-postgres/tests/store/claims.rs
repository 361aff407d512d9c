//! Two coordinators on one database share the work.

use std::collections::BTreeSet;

use accord_store::{EventFilter, EventLimit, EventStore, RunStore, Upkeep};

use crate::make::{Database, at, claim, fresh, holder, take};

const RUNS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_run_goes_to_one_runner_of_one_coordinator() {
    let database = Database::start();
    let coordinators = [database.store().await, database.store().await];
    for number in 0..RUNS {
        coordinators[number % 2].submit_run(fresh(&format!("{number:03}"))).await.unwrap();
    }
    let mut claimers = Vec::new();
    for number in 0..8 {
        let store = coordinators[number % 2].clone();
        claimers.push(tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let claimed = store.claim_runs(claim(&format!("r{number}"), 3)).await.unwrap();
                if claimed.is_empty() && store.queue_depth().await.unwrap().pending == 0 {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|claimed| claimed.run.id));
            }
        }));
    }
    let mut handed_out = Vec::new();
    for claimer in claimers {
        handed_out.extend(claimer.await.unwrap());
    }
    let unique: BTreeSet<_> = handed_out.iter().collect();
    assert_eq!((handed_out.len(), unique.len()), (RUNS, RUNS));

    // All runners die: the coordinators reclaim their runs concurrently, each run once.
    let reapers = coordinators.clone().map(|store| {
        tokio::spawn(async move {
            let mut mine = Vec::new();
            while store.queue_depth().await.unwrap().held > 0 {
                mine.extend(store.reap(at(100), 3, 7).await.unwrap());
            }
            mine
        })
    });
    let mut lost = Vec::new();
    for reaper in reapers {
        lost.extend(reaper.await.unwrap());
    }
    assert_eq!(lost.len(), RUNS);
    assert!(lost.iter().all(|run| run.losses == 1));
    let [store, _] = coordinators;
    let filter = EventFilter { kinds: vec!["run.queued".into()], ..EventFilter::default() };
    let queued = store.events(&filter, Default::default(), EventLimit::of(10_000)).await.unwrap();
    assert_eq!(queued.len(), 2 * RUNS, "each run was queued when it was made and when it was lost");
}

#[tokio::test]
async fn a_locked_run_blocks_nobody() {
    use sqlx::Connection;

    let database = Database::start();
    let store = database.store().await;
    for name in ["a", "b"] {
        store.submit_run(fresh(name)).await.unwrap();
    }
    let mut connection = database.connection().await;
    let mut other = connection.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM runs WHERE id = 'run_a' FOR UPDATE").execute(&mut *other).await.unwrap();
    let ids = |claimed: Vec<accord_store::Claimed>| -> Vec<String> {
        claimed.into_iter().map(|claimed| claimed.run.id.to_string()).collect()
    };
    assert_eq!(ids(store.claim_runs(claim("r", 2)).await.unwrap()), ["run_b"]);
    other.rollback().await.unwrap();
    assert_eq!(ids(store.claim_runs(claim("s", 2)).await.unwrap()), ["run_a"]);
}

/// A rejected operation releases its locks before it returns, because the next claim skips locked
/// rows.
#[tokio::test]
async fn a_rejection_releases_its_locks() {
    let database = Database::start();
    let store = database.store().await;
    store.submit_run(fresh("a")).await.unwrap();
    for _ in 0..100 {
        let holder = holder(&take(&store).await.run);
        store.give_back(&holder, at(2)).await.unwrap();
        assert!(store.give_back(&holder, at(2)).await.is_err());
    }
}
