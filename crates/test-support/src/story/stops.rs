//! Stopping runs, and failing runs that no runner can execute.

use std::sync::Arc;

use accord_domain::demands::Demands;
use accord_domain::run::change::{self, End, Refused};
use accord_domain::run::{Failure, FailureType, Run, Status};
use accord_domain::session::Status as SessionStatus;
use accord_store::{EventLimit, Store, StoreError, Submission, Unmatched};
use jiff::Timestamp;

use super::make::*;

/// Requests a stop and compares the outcome with the domain's.
async fn stop(store: &Arc<dyn Store>, name: &str, seconds: i64) -> Status {
    let run = store.run(&run_id(name)).await.unwrap();
    let session = store.session(&session_id(name)).await.unwrap();
    let last = store.last_event().await.unwrap();
    let stopped = change::stop(run, session, at(seconds));
    assert_eq!(store.stop_run(&run_id(name), at(seconds)).await.unwrap(), stopped.run);
    assert_eq!(store.run(&run_id(name)).await.unwrap(), stopped.run);
    assert_eq!(store.session(&session_id(name)).await.unwrap(), stopped.session);
    let events = store.events(&Default::default(), last, EventLimit::of(PLENTY)).await.unwrap();
    assert_eq!(
        events.iter().map(content_of).collect::<Vec<_>>(),
        stopped.events.iter().map(expected).collect::<Vec<_>>()
    );
    stopped.run.status
}

/// A run can be stopped at any time, any number of times.
pub async fn a_run_can_be_stopped_in_every_state(store: Arc<dyn Store>) {
    store.submit_run(fresh("pending")).await.unwrap();
    assert_eq!(stop(&store, "pending", 1).await, Status::Stopped);
    assert_eq!(stop(&store, "pending", 2).await, Status::Stopped);
    assert_eq!(store.claim_runs(claim(1, 3)).await.unwrap(), []);

    store.submit_run(fresh("claimed")).await.unwrap();
    let claimed = holder(&take(&store, 1).await.run);
    assert_eq!(stop(&store, "claimed", 2).await, Status::Stopping);
    assert_eq!(stop(&store, "claimed", 3).await, Status::Stopping);
    assert_eq!(store.start_run(&claimed, at(4)).await.unwrap().status, Status::Stopping);
    store.finish_run(finish(&claimed, End::Stopped, 5)).await.unwrap();
    assert_eq!(stop(&store, "claimed", 6).await, Status::Stopped);

    let running = begin(&store, fresh("running")).await;
    assert_eq!(stop(&store, "running", 3).await, Status::Stopping);
    let late = store.finish_run(finish(&running, completed("quicker"), 4)).await.unwrap();
    assert_eq!(late.status, Status::Stopped, "a stop that was acknowledged is final");
    assert_eq!(store.outcome(&run_id("running")).await.unwrap(), None, "and there is no result beside it");
    assert_eq!(stop(&store, "running", 5).await, Status::Stopped);

    let quick = begin(&store, fresh("quick")).await;
    store.finish_run(finish(&quick, completed("quick"), 4)).await.unwrap();
    assert_eq!(stop(&store, "quick", 5).await, Status::Completed);

    let failing = begin(&store, fresh("failing")).await;
    store.finish_run(finish(&failing, failed(FailureType::ModelRefused), 4)).await.unwrap();
    assert_eq!(stop(&store, "failing", 5).await, Status::Failed);
}

fn demanding(name: &str, tag: &str) -> Submission {
    let submission = fresh(name);
    let demands = Demands { tags: [tag.to_owned()].into(), ..Demands::default() };
    Submission { run: Run { demands, ..submission.run.clone() }, ..submission }
}

fn unmatched(queued_before: Timestamp, alive_since: Timestamp) -> Unmatched {
    Unmatched { queued_before, alive_since, left: Vec::new(), tag: None }
}

/// A run that no live runner can execute fails once it has waited long enough.
pub async fn a_run_without_a_runner_fails(store: Arc<dyn Store>) {
    store.submit_run(demanding("a", "moon")).await.unwrap();
    assert_eq!(store.fail_unmatched(&unmatched(at(-1), at(-1)), at(1), 10).await.unwrap(), [], "too early");
    let run = store.run(&run_id("a")).await.unwrap();
    let session = store.session(&session_id("a")).await.unwrap();
    let failed = change::unmatched(run, session, at(400));
    let given = store.fail_unmatched(&unmatched(at(100), at(350)), at(400), 10).await.unwrap();
    assert_eq!(given, std::slice::from_ref(&failed.run));
    assert_eq!(store.run(&run_id("a")).await.unwrap(), failed.run);
    assert_eq!(store.session(&session_id("a")).await.unwrap(), failed.session);
    assert_eq!(failed.session.status, SessionStatus::Failed);
    assert_eq!(store.fail_unmatched(&unmatched(at(100), at(350)), at(400), 10).await.unwrap(), []);
}

/// A run keeps waiting if a matching runner is alive, however busy, or left recently. A dead runner
/// does not count.
pub async fn a_live_match_is_reason_to_wait(store: Arc<dyn Store>) {
    store.register_runner(runner("r", 300)).await.unwrap();
    store.submit_run(demanding("gpu", "gpu")).await.unwrap();
    store.submit_run(demanding("moon", "moon")).await.unwrap();
    let failed = store.fail_unmatched(&unmatched(at(100), at(200)), at(400), 10).await.unwrap();
    assert_eq!(failed.iter().map(|run| run.id.clone()).collect::<Vec<_>>(), [run_id("moon")]);
    let left = Unmatched { left: vec![runner("r", 300).profile], ..unmatched(at(100), at(301)) };
    assert_eq!(store.fail_unmatched(&left, at(400), 10).await.unwrap(), []);
    let others = Unmatched { tag: Some("moon".to_owned()), ..unmatched(at(100), at(301)) };
    assert_eq!(store.fail_unmatched(&others, at(400), 10).await.unwrap(), []);
    let failed = store.fail_unmatched(&unmatched(at(100), at(301)), at(400), 10).await.unwrap();
    assert_eq!(failed.iter().map(|run| run.id.clone()).collect::<Vec<_>>(), [run_id("gpu")]);
}

/// Claimed and finished runs are not pending.
pub async fn only_waiting_runs_are_unmatched(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    assert_eq!(store.fail_unmatched(&unmatched(at(100), at(100)), at(100), 10).await.unwrap(), []);
    store.finish_run(finish(&holder, completed("x"), 3)).await.unwrap();
    assert_eq!(store.fail_unmatched(&unmatched(at(100), at(100)), at(100), 10).await.unwrap(), []);
}

/// For a run that was released, the waiting time starts again.
pub async fn waiting_begins_anew(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    store.give_back(&holder, at(200)).await.unwrap();
    assert_eq!(store.fail_unmatched(&unmatched(at(100), at(350)), at(400), 10).await.unwrap(), []);
    assert_eq!(store.fail_unmatched(&unmatched(at(201), at(350)), at(400), 10).await.unwrap().len(), 1);
}

/// At most the given number of runs fails at a time.
pub async fn failing_is_bounded(store: Arc<dyn Store>) {
    for number in 0..5 {
        store.submit_run(demanding(&format!("n{number}"), &format!("t{}", number % 2))).await.unwrap();
    }
    for expected in [2, 2, 1, 0] {
        let failed = store.fail_unmatched(&unmatched(at(100), at(350)), at(400), 2).await.unwrap();
        assert_eq!(failed.len(), expected);
    }
}

/// A run whose creator is gone fails in every state, once, with the reason.
pub async fn an_abandoned_run_fails(store: Arc<dyn Store>) {
    store.submit_run(fresh("waiting")).await.unwrap();
    let held = begin(&store, Submission { run: Run { priority: 9, ..run("held") }, ..fresh("held") }).await;
    for name in ["waiting", "held"] {
        for second in [5, 6] {
            store.abandon_run(&run_id(name), "its command was killed", at(second)).await.unwrap();
        }
        let run = store.run(&run_id(name)).await.unwrap();
        let failure = Failure::new(FailureType::RunnerLost, "its command was killed");
        assert_eq!((run.status, run.failure, run.finished_at), (Status::Failed, Some(failure), Some(at(5))));
    }
    let late = store.finish_run(finish(&held, completed("x"), 7)).await;
    assert!(matches!(late, Err(StoreError::Refused(Refused::LeaseLost { .. }))));
    complete(&store, fresh("over"), 8).await;
    let over = store.abandon_run(&run_id("over"), "no", at(9)).await.unwrap();
    assert_eq!(over.status, Status::Completed);
}
