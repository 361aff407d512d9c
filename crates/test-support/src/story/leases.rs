//! Leases expire, are renewed, and are released.

use std::sync::Arc;

use accord_domain::attempt::{Attempt, Outcome};
use accord_domain::event::Body;
use accord_domain::id::RunId;
use accord_domain::run::change::{self, End};
use accord_domain::run::{FailureType, Holder, Run, Status};
use accord_domain::runner::Runner;
use accord_domain::session::{ExecutionMode, Status as SessionStatus};
use accord_domain::usage::Usage;
use accord_store::{Beat, Directive, EventFilter, HeldRun, QueueDepth, Report, Store, StoreError};

use super::make::*;

fn held(holder: &Holder) -> HeldRun {
    HeldRun { run_id: holder.run_id.clone(), lease_id: holder.lease_id.clone(), attempt: holder.attempt }
}

fn beat(runs: Vec<HeldRun>, seconds: i64) -> Beat {
    Beat { runner_id: runner_id("r"), runs, lease: LEASE, now: at(seconds) }
}

fn ids(runs: &[Run]) -> Vec<RunId> {
    runs.iter().map(|run| run.id.clone()).collect()
}

/// A run whose lease expired becomes pending again, until it was lost too often.
pub async fn a_lost_run_is_handed_out_again(store: Arc<dyn Store>) {
    store.submit_run(fresh("a")).await.unwrap();
    assert_eq!(store.next_expiry().await.unwrap(), None);
    for loss in 1..=3 {
        let claimed = take(&store, loss * 100).await;
        assert_eq!(i64::from(claimed.run.attempt), loss);
        let expiry = at(loss * 100).checked_add(LEASE).unwrap();
        assert_eq!(store.next_expiry().await.unwrap(), Some(expiry));
        assert_eq!(store.reap(at(loss * 100 + 29), 3, 10).await.unwrap(), []);

        let now = at(loss * 100 + 30);
        let lost = change::lose(claimed.run, claimed.session, now, 3);
        assert_eq!(store.reap(now, 3, 10).await.unwrap(), std::slice::from_ref(&lost.run));
        assert_eq!(store.run(&run_id("a")).await.unwrap(), lost.run);
        assert_eq!(store.session(&session_id("a")).await.unwrap(), lost.session);
        assert_eq!(store.reap(now, 3, 10).await.unwrap(), []);
        assert_eq!(store.next_expiry().await.unwrap(), None);
    }
    let run = store.run(&run_id("a")).await.unwrap();
    assert_eq!(run.failure.unwrap().kind, FailureType::RunnerLost);
    assert_eq!(store.session(&session_id("a")).await.unwrap().status, SessionStatus::Failed);
    assert_eq!(store.claim_runs(claim(1, 500)).await.unwrap(), []);
}

/// At most the given number of runs is reaped at a time, the oldest first.
pub async fn reaping_is_bounded(store: Arc<dyn Store>) {
    for (second, name) in ["a", "b", "c"].into_iter().enumerate() {
        store.submit_run(fresh(name)).await.unwrap();
        take(&store, i64::try_from(second).unwrap()).await;
    }
    assert_eq!(ids(&store.reap(at(100), 3, 2).await.unwrap()), [run_id("a"), run_id("b")]);
    assert_eq!(ids(&store.reap(at(100), 3, 2).await.unwrap()), [run_id("c")]);
}

/// Leases from before the clock was set back are shortened as if they were granted now. Others are
/// unchanged.
pub async fn leases_of_a_later_clock_are_shortened(store: Arc<dyn Store>) {
    for (name, second) in [("a", 20), ("b", 4000)] {
        store.submit_run(fresh(name)).await.unwrap();
        take(&store, second).await;
    }
    store.shorten_leases(at(30), at(60)).await.unwrap();
    let expiry = async |name| store.run(&run_id(name)).await.unwrap().lease.unwrap().expires_at;
    assert_eq!([expiry("a").await, expiry("b").await], [50, 30].map(at));
    assert_eq!(ids(&store.reap(at(30), 3, 10).await.unwrap()), [run_id("b")]);
}

/// With many concurrent reapers, each loss counts once.
pub async fn reapers_do_not_count_twice(store: Arc<dyn Store>) {
    for number in 0..10 {
        store.submit_run(fresh(&format!("n{number}"))).await.unwrap();
    }
    store.claim_runs(claim(10, 1)).await.unwrap();
    let mut reapers = Vec::new();
    for _ in 0..4 {
        let store = Arc::clone(&store);
        reapers.push(tokio::spawn(async move { store.reap(at(100), 3, 100).await.unwrap().len() }));
    }
    let mut reaped = 0;
    for reaper in reapers {
        reaped += reaper.await.unwrap();
    }
    // A reaper that skipped rows locked by another finds them done.
    reaped += store.reap(at(100), 3, 100).await.unwrap().len();
    assert_eq!(reaped, 10);
    for number in 0..10 {
        let run = store.run(&run_id(&format!("n{number}"))).await.unwrap();
        assert_eq!((run.status, run.losses), (Status::Pending, 1));
    }
}

/// A heartbeat renews held runs and returns what the runner must do with each.
pub async fn a_heartbeat_renews_and_directs(store: Arc<dyn Store>) {
    store.register_runner(runner("r", 0)).await.unwrap();
    let going = begin(&store, fresh("going")).await;
    let stopping = begin(&store, fresh("stopping")).await;
    let over = begin(&store, fresh("over")).await;
    store.stop_run(&run_id("stopping"), at(3)).await.unwrap();
    store.finish_run(finish(&over, completed("x"), 3)).await.unwrap();

    let absent = Holder { run_id: run_id("absent"), ..going.clone() };
    let late = Holder { attempt: 2, ..going.clone() };
    let other = Holder { lease_id: lease_id(), ..going.clone() };
    let runs = [&going, &stopping, &over, &absent, &late, &other].map(held).into();
    let directives = store.heartbeat(beat(runs, 20)).await.unwrap();
    use Directive::{Continue, Lost, Stop};
    assert_eq!(directives, [Continue, Stop, Lost, Lost, Lost, Lost]);

    let expiry = at(20).checked_add(LEASE).unwrap();
    for name in ["going", "stopping"] {
        assert_eq!(store.run(&run_id(name)).await.unwrap().lease.unwrap().expires_at, expiry);
    }
    assert_eq!(store.next_expiry().await.unwrap(), Some(expiry));
    assert_eq!(store.reap(at(40), 3, 10).await.unwrap(), []);
    let seen = Runner { seen_at: at(20), ..runner("r", 0) };
    assert_eq!(store.runner(&runner_id("r")).await.unwrap(), Some(seen));
}

/// A run waits for its children until all have finished, except for children that call back.
pub async fn parents_wait_for_their_children(store: Arc<dyn Store>) {
    let all = ["parent", "other", "absent"].map(run_id);
    begin(&store, fresh("parent")).await;
    begin(&store, fresh("other")).await;
    assert_eq!(store.waiting_for_children(&all).await.unwrap(), 0);
    for (name, mode, waiting) in [
        ("called-back", ExecutionMode::AsyncCallback, 0),
        ("first", ExecutionMode::Sync, 1),
        ("second", ExecutionMode::AsyncPoll, 1),
    ] {
        let mut submission = child(name, "parent");
        submission.run.execution_mode = mode;
        store.submit_run(submission).await.unwrap();
        assert_eq!(store.waiting_for_children(&all).await.unwrap(), waiting, "{name}");
    }
    for (claimed, waiting) in store.claim_runs(claim(3, 2)).await.unwrap().iter().zip([1, 1, 0]) {
        assert_eq!(store.waiting_for_children(&all).await.unwrap(), 1);
        store.finish_run(finish(&holder(&claimed.run), completed("x"), 3)).await.unwrap();
        assert_eq!(store.waiting_for_children(&all).await.unwrap(), waiting);
    }
    assert_eq!(store.waiting_for_children(&[]).await.unwrap(), 0);
}

/// An unknown runner gets an error, so that it registers again. Its leases are not renewed.
pub async fn an_unknown_runner_is_reported(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    let unknown = store.heartbeat(beat(vec![held(&holder)], 20)).await;
    assert!(matches!(unknown, Err(StoreError::NoSuch { kind: "runner", name }) if name == "rnr_r"));
    assert_eq!(store.next_expiry().await.unwrap(), at(1).checked_add(LEASE).ok());
}

/// A released run becomes pending again, and this does not count as a loss.
pub async fn a_run_can_be_given_back(store: Arc<dyn Store>) {
    for number in 1..=5 {
        if number == 1 {
            store.submit_run(fresh("a")).await.unwrap();
        }
        let claimed = take(&store, number * 10).await;
        let holder = holder(&claimed.run);
        let given = change::give_back(claimed.run, claimed.session, &holder, at(number * 10 + 1)).unwrap();
        assert_eq!(store.give_back(&holder, at(number * 10 + 1)).await.unwrap(), given.run);
        assert_eq!(store.run(&run_id("a")).await.unwrap(), given.run);
        assert_eq!((given.run.status, given.run.losses), (Status::Pending, 0));
    }
}

/// A stopping run that is released or lost is stopped and not claimed again.
pub async fn a_stopping_run_is_not_handed_out_again(store: Arc<dyn Store>) {
    for name in ["given", "lost"] {
        let holder = begin(&store, fresh(name)).await;
        store.stop_run(&run_id(name), at(3)).await.unwrap();
        if name == "given" {
            store.give_back(&holder, at(4)).await.unwrap();
        } else {
            store.reap(at(100), 3, 10).await.unwrap();
        }
        assert_eq!(store.run(&run_id(name)).await.unwrap().status, Status::Stopped);
        assert_eq!(store.session(&session_id(name)).await.unwrap().status, SessionStatus::Stopped);
    }
    assert_eq!(store.claim_runs(claim(2, 101)).await.unwrap(), []);
}

/// The numbers of pending and of held runs are right after every step.
pub async fn the_depth_of_the_queue_is_known(store: Arc<dyn Store>) {
    let depth = |pending, held| QueueDepth { pending, held };
    assert_eq!(store.queue_depth().await.unwrap(), depth(0, 0));
    store.submit_run(fresh("a")).await.unwrap();
    store.submit_run(fresh("b")).await.unwrap();
    assert_eq!(store.queue_depth().await.unwrap(), depth(2, 0));
    let holder = holder(&take(&store, 1).await.run);
    assert_eq!(store.queue_depth().await.unwrap(), depth(1, 1));
    store.stop_run(&holder.run_id, at(2)).await.unwrap();
    assert_eq!(store.queue_depth().await.unwrap(), depth(1, 1));
    store.finish_run(finish(&holder, End::Stopped, 3)).await.unwrap();
    assert_eq!(store.queue_depth().await.unwrap(), depth(1, 0));
}

/// If a run ends without a runner, its usage comes from its attempts, and its failure names the
/// closest one.
pub async fn usage_of_lost_deliveries_is_counted(store: Arc<dyn Store>) {
    let report = |holder: &Holder, numbers: std::ops::RangeInclusive<u32>| Report {
        holder: holder.clone(),
        events: Vec::new(),
        attempts: numbers
            .map(|number| Attempt { delivery: holder.attempt, ..attempt(number, Outcome::SchemaInvalid) })
            .collect(),
        steps: vec![],
        now: at(3),
    };
    let used = |attempts: u32| {
        let one = attempt(1, Outcome::SchemaInvalid).usage;
        (0..attempts).fold(Usage::default(), |used, _| used.and(one))
    };
    for name in ["lost", "stopped", "stopping", "abandoned"] {
        store.submit_run(fresh(name)).await.unwrap();
        let first = holder(&take(&store, 1).await.run);
        store.report(report(&first, 1..=2)).await.unwrap();
        store.give_back(&first, at(4)).await.unwrap();
        if name == "stopped" {
            store.stop_run(&run_id(name), at(5)).await.unwrap();
        } else {
            let second = holder(&take(&store, 5).await.run);
            store.report(report(&second, 1..=1)).await.unwrap();
            match name {
                "lost" => drop(store.reap(at(100), 1, 10).await.unwrap()),
                "stopping" => {
                    store.stop_run(&run_id(name), at(6)).await.unwrap();
                    store.give_back(&second, at(7)).await.unwrap();
                }
                _ => drop(store.abandon_run(&run_id(name), "nobody is there", at(6)).await.unwrap()),
            }
        }
        let run = store.run(&run_id(name)).await.unwrap();
        assert!(run.status.is_over(), "{name}");
        let attempts = store.attempts(&run.id).await.unwrap();
        let count = u32::try_from(attempts.len()).unwrap();
        assert_eq!((run.usage, run.retry_count), (used(count), 1), "{name}");
        let failure = run.failure.unwrap();
        if run.status == Status::Failed {
            assert_eq!(failure.attempts, Some(count), "{name}");
            assert_eq!(failure.last_output, attempts.last().map(|last| last.text.clone()), "{name}");
            let filter = EventFilter {
                run_id: Some(run.id),
                kinds: vec!["run.failed".into()],
                ..EventFilter::default()
            };
            let bodies: Vec<_> =
                events_of(&store, filter).await.iter().map(|event| event.body.clone()).collect();
            assert_eq!(
                bodies,
                [serde_json::to_string(&Body::RunFailed { error: failure }).unwrap()],
                "{name}"
            );
        }
    }
}
