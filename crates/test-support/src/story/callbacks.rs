//! Callbacks to parents.

use std::sync::Arc;

use accord_domain::event::{Body, NewEvent};
use accord_domain::run::change::End;
use accord_domain::run::{FailureType, Run, Status};
use accord_domain::session::{ExecutionMode, Status as SessionStatus};
use accord_store::{Due, EventFilter, Store, StoreError, Submission, Submitted};

use super::make::*;

fn due(parent: &str, runs: &[&str]) -> Due {
    let run_ids = runs.iter().map(|run| run_id(run)).collect();
    Due { parent_session_id: session_id(parent), run_ids, failing_since: None }
}

/// Every finished child is reported to its parent, whatever the outcome, in the order in which they
/// finished.
pub async fn every_finished_child_is_reported(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    assert_eq!(store.due_callbacks(10).await.unwrap(), []);
    begin(&store, child("completed", "parent")).await;
    let failing = begin(&store, child("failed", "parent")).await;
    begin(&store, child("stopped", "parent")).await;
    store.stop_run(&run_id("stopped"), at(5)).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), [], "nothing is over");

    store.finish_run(finish(&failing, failed(FailureType::TimedOut), 6)).await.unwrap();
    // Both runners are lost: the stopping run is finished, the other one is claimed again.
    store.reap(at(500), 3, 10).await.unwrap();
    let again = holder(&take(&store, 501).await.run);
    store.finish_run(finish(&again, completed("x"), 502)).await.unwrap();
    let owed = due("parent", &["failed", "stopped", "completed"]);
    assert_eq!(store.due_callbacks(10).await.unwrap(), [owed]);
}

/// Only children in callback mode are reported to their parent.
pub async fn other_modes_have_no_callbacks(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    for (name, execution_mode) in [("sync", ExecutionMode::Sync), ("poll", ExecutionMode::AsyncPoll)] {
        let submission = child(name, "parent");
        let run = Run { execution_mode, ..submission.run.clone() };
        complete(&store, Submission { run, ..submission }, 5).await;
    }
    let submission = fresh("orphan");
    let run = Run { execution_mode: ExecutionMode::AsyncCallback, ..submission.run.clone() };
    complete(&store, Submission { run, ..submission }, 5).await;
    assert_eq!(store.due_callbacks(10).await.unwrap(), []);
}

/// A parent with an unfinished run is not resumed: pending callbacks wait until it has none.
pub async fn a_busy_parent_is_not_due(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("parent")).await;
    complete(&store, child("a", "parent"), 3).await;
    assert_eq!(store.due_callbacks(10).await.unwrap(), []);
    store.stop_run(&run_id("parent"), at(4)).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), []);
    store.finish_run(finish(&parent, completed("x"), 5)).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), [due("parent", &["a"])]);
}

/// A completed parent is idle while callbacks are still expected, and finished once all have
/// arrived.
pub async fn a_parent_is_idle_until_all_have_called_back(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("parent")).await;
    let child = begin(&store, child("child", "parent")).await;
    store.finish_run(finish(&parent, completed("x"), 5)).await.unwrap();
    let status = |store: &Arc<dyn Store>| {
        let store = Arc::clone(store);
        async move { store.session(&session_id("parent")).await.unwrap().status }
    };
    assert_eq!(status(&store).await, SessionStatus::Idle, "the child runs");
    assert_eq!(store.run(&run_id("parent")).await.unwrap().status, Status::Completed);

    store.submit_run(resume("between", "parent", 6)).await.unwrap();
    store.finish_run(finish(&child, completed("x"), 7)).await.unwrap();
    let between = holder(&take(&store, 7).await.run);
    store.finish_run(finish(&between, completed("x"), 8)).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Idle, "its end is not delivered");

    store.submit_run(delivery("told", "parent", &["child"], 9)).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Pending);
    let told = holder(&take(&store, 10).await.run);
    assert_eq!(status(&store).await, SessionStatus::Running);
    store.finish_run(finish(&told, completed("x"), 11)).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Finished);
}

/// A finished parent becomes idle again when a child starts that will call it back. Other children
/// do not change it.
pub async fn a_child_that_begins_later_makes_its_parent_idle(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    let status = |store: &Arc<dyn Store>| {
        let store = Arc::clone(store);
        async move { store.session(&session_id("parent")).await.unwrap().status }
    };
    let submission = child("poll", "parent");
    let run = Run { execution_mode: ExecutionMode::AsyncPoll, ..submission.run.clone() };
    store.submit_run(Submission { run, ..submission }).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Finished);
    store.submit_run(child("child", "parent")).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Idle);

    store.stop_run(&run_id("child"), at(5)).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), [due("parent", &["child"])]);
    store.remove_session(&session_id("child")).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Finished);
}

/// A child without a callback does not keep its parent idle, and a failed parent is not idle.
pub async fn only_callbacks_keep_a_parent_idle(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("parent")).await;
    let submission = child("poll", "parent");
    let run = Run { execution_mode: ExecutionMode::AsyncPoll, ..submission.run.clone() };
    begin(&store, Submission { run, ..submission }).await;
    store.finish_run(finish(&parent, completed("x"), 5)).await.unwrap();
    let session = store.session(&session_id("parent")).await.unwrap();
    assert_eq!(session.status, SessionStatus::Finished);

    let failing = begin(&store, fresh("failing")).await;
    begin(&store, child("child", "failing")).await;
    store.finish_run(finish(&failing, failed(FailureType::ModelRefused), 5)).await.unwrap();
    let session = store.session(&session_id("failing")).await.unwrap();
    assert_eq!(session.status, SessionStatus::Failed);
}

/// A delivery is recorded with the run that makes it and as an event, and is then no longer
/// pending.
pub async fn a_callback_is_delivered_once(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    for (second, name) in [(4, "a"), (5, "b"), (6, "c")] {
        complete(&store, child(name, "parent"), second).await;
    }
    let submitted = store.submit_run(delivery("told", "parent", &["a", "b"], 7)).await.unwrap();
    assert!(matches!(submitted, Submitted::Created(_)));
    let body = Body::CallbackDelivered {
        children: vec![session_id("a"), session_id("b")],
        resumed_by: run_id("told"),
    };
    let delivered =
        NewEvent { at: at(7), session_id: session_id("parent"), run_id: Some(run_id("told")), body };
    let filter = EventFilter { run_id: Some(run_id("told")), ..EventFilter::default() };
    let events = events_of(&store, filter).await;
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["run.queued", "callback.delivered"]);
    assert_eq!(events.last().map(content_of), Some(expected(&delivered)));

    assert_eq!(store.due_callbacks(10).await.unwrap(), [], "the parent is busy");
    let again = store.submit_run(delivery("again", "parent", &["a"], 8)).await.unwrap();
    assert_eq!(again, Submitted::AlreadyDelivered);
    let told = holder(&take(&store, 8).await.run);
    store.finish_run(finish(&told, completed("x"), 9)).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), [due("parent", &["c"])]);

    // A submission with one callback that is not pending is rejected as a whole.
    let mixed = store.submit_run(delivery("mixed", "parent", &["c", "b"], 10)).await.unwrap();
    assert_eq!(mixed, Submitted::AlreadyDelivered);
    assert!(matches!(store.run(&run_id("mixed")).await, Err(StoreError::NoRun(_))));
    assert_eq!(store.due_callbacks(10).await.unwrap(), [due("parent", &["c"])]);
}

/// Only pending callbacks can be delivered.
pub async fn only_pending_callbacks_are_delivered(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    begin(&store, child("running", "parent")).await;
    for name in ["running", "absent"] {
        let submitted = store.submit_run(delivery("told", "parent", &[name], 4)).await.unwrap();
        assert_eq!(submitted, Submitted::AlreadyDelivered);
    }
    assert!(matches!(store.run(&run_id("told")).await, Err(StoreError::NoRun(_))));
}

/// Of many concurrent deliveries, exactly one succeeds.
pub async fn one_of_many_delivers(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    complete(&store, child("a", "parent"), 4).await;
    let mut reconcilers = Vec::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        let submission = delivery(&format!("told{number}"), "parent", &["a"], 5);
        reconcilers.push(tokio::spawn(async move { store.submit_run(submission).await.unwrap() }));
    }
    let mut created = 0;
    for reconciler in reconcilers {
        match reconciler.await.unwrap() {
            Submitted::Created(_) => created += 1,
            other => assert_eq!(other, Submitted::AlreadyDelivered),
        }
    }
    assert_eq!(created, 1);
    assert_eq!(store.claim_runs(claim(10, 6)).await.unwrap().len(), 1);
}

/// A delivery to a busy parent is rejected, and the callback stays pending.
pub async fn a_busy_parent_rejects_deliveries(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("parent")).await;
    complete(&store, child("a", "parent"), 4).await;
    let busy = store.submit_run(delivery("told", "parent", &["a"], 5)).await;
    assert!(matches!(busy, Err(StoreError::Busy { .. })));
    store.finish_run(finish(&parent, End::Stopped, 6)).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), [due("parent", &["a"])]);
}

/// Callbacks are grouped by parent, up to the given number of parents.
pub async fn parents_do_not_mix(store: Arc<dyn Store>) {
    for (second, parent) in [(1, "p"), (2, "q"), (3, "r")] {
        complete(&store, fresh(parent), second).await;
    }
    for (second, name, parent) in [(10, "p1", "p"), (11, "q1", "q"), (12, "p2", "p"), (13, "r1", "r")] {
        complete(&store, child(name, parent), second).await;
    }
    let all = [due("p", &["p1", "p2"]), due("q", &["q1"]), due("r", &["r1"])];
    let mut due = store.due_callbacks(10).await.unwrap();
    due.sort_by(|left, right| left.parent_session_id.cmp(&right.parent_session_id));
    assert_eq!(due, all);
    assert_eq!(store.due_callbacks(2).await.unwrap().len(), 2);
}
