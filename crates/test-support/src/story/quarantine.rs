//! Work in progress in coordinators that crash.

use std::sync::Arc;

use accord_domain::callback::HeldReason;
use accord_domain::event::Body;
use accord_domain::id::WorkflowRunId;
use accord_domain::quarantine::{Fate, Item, Kind};
use accord_domain::run::{FailureType, Status as RunStatus};
use accord_domain::workflow::{POISONED, Status, WorkflowRun};
use accord_store::{
    Census, Death, DueWorkflowRun, EventFilter, Idempotency, PoisonedCount, Store, StoreError, Submitted,
    TaskRun, WorkflowAdvance, WorkflowRequest,
};
use jiff::Timestamp;
use tokio::task::JoinSet;

use super::make::*;
use super::workflows::{new, next};

fn wfr(name: &str) -> WorkflowRunId {
    WorkflowRunId::new(name)
}

fn step(name: &str) -> Item {
    Item::new(Kind::WorkflowStep, wfr(name))
}

/// The view of the coordinator `of` at this second: a coordinator that was silent for ten seconds
/// counts as dead.
fn census(of: &str, seconds: i64) -> Census {
    Census {
        instance: of.into(),
        seen_before: at(seconds - 10),
        seen_after: at(seconds + 600),
        now: at(seconds),
    }
}

/// The coordinator `of` crashes while working on this, and another one counts the crash.
async fn die(store: &Arc<dyn Store>, item: &Item, of: &str, seconds: i64) -> Option<Death> {
    let begun = store.begin_work(vec![item.clone()], of, at(seconds)).await.unwrap();
    assert_eq!(begun, std::slice::from_ref(item));
    store.count_death(item, &census("other", seconds + 11)).await.unwrap()
}

fn retry(deaths: u32) -> Option<Death> {
    Some(Death { deaths, fate: Fate::Retry })
}

const POISON: Option<Death> = Some(Death { deaths: 3, fate: Fate::Poisoned });

async fn due(store: &Arc<dyn Store>) -> Vec<(WorkflowRunId, u32)> {
    let due = store.due_workflow_runs(PLENTY).await.unwrap();
    due.into_iter().map(|DueWorkflowRun { id, deaths }| (id, deaths)).collect()
}

async fn poisoned(store: &Arc<dyn Store>, name: &str) -> WorkflowRun {
    store.submit_workflow_run(new(name, 1), None).await.unwrap();
    for (number, expected) in [(0, retry(1)), (1, retry(2)), (2, POISON)] {
        assert_eq!(die(store, &step(name), &format!("c{number}"), 100 * number).await, expected);
    }
    store.workflow_documents(&wfr(name)).await.unwrap().run
}

/// Only one of several coordinators begins the work. It may begin again itself; others may once it
/// is done.
pub async fn work_is_begun_by_one(store: Arc<dyn Store>) {
    let both = vec![step("a"), step("b")];
    assert_eq!(store.begin_work(vec![step("b")], "one", at(0)).await.unwrap(), [step("b")]);
    assert_eq!(store.begin_work(both.clone(), "two", at(0)).await.unwrap(), [step("a")]);
    assert_eq!(store.begin_work(both.clone(), "two", at(0)).await.unwrap(), [step("a")]);
    // Only the coordinator that began the work can end it.
    store.end_work(both.clone(), "two").await.unwrap();
    assert_eq!(store.begin_work(both.clone(), "two", at(0)).await.unwrap(), [step("a")]);
    store.end_work(both.clone(), "one").await.unwrap();
    assert_eq!(store.begin_work(both.clone(), "two", at(0)).await.unwrap(), both);
    assert_eq!(store.begin_work(Vec::new(), "two", at(0)).await.unwrap(), []);
}

/// A coordinator that renews its marks is alive, and so is the caller. A mark from the far future
/// counts as dead.
pub async fn marks_of_live_coordinators_are_not_crashes(store: Arc<dyn Store>) {
    store.begin_work(vec![step("a")], "one", at(0)).await.unwrap();
    let dead = async |census: Census| store.dead_work(&census, PLENTY).await.unwrap();
    assert_eq!(dead(census("two", 10)).await, []);
    assert_eq!(dead(census("two", 11)).await, [step("a")]);
    assert_eq!(dead(census("one", 11)).await, []);
    assert_eq!(dead(Census { seen_before: Timestamp::MAX, ..census("two", 0) }).await, [step("a")]);
    store.renew_work("two", at(9)).await.unwrap();
    assert_eq!(dead(census("two", 11)).await, [step("a")]);
    store.renew_work("one", at(9)).await.unwrap();
    assert_eq!(dead(census("two", 11)).await, []);
    assert_eq!(store.count_death(&step("a"), &census("two", 11)).await.unwrap(), None);
    store.renew_work("one", at(700)).await.unwrap();
    assert_eq!(dead(census("two", 11)).await, [step("a")]);
}

/// A workflow run that crashed coordinators three times fails with the reason and is not due any
/// more.
pub async fn the_third_crash_poisons_a_workflow_run(store: Arc<dyn Store>) {
    let run = poisoned(&store, "a").await;
    assert!(run.is_poisoned(), "{run:?}");
    assert_eq!((run.status, run.version, run.finished_at), (Status::Failed, 1, Some(at(211))));
    let failure = run.failure.clone().unwrap();
    assert_eq!(failure.kind, POISONED);
    assert!(failure.message.contains("accord workflows retry wfr_a"), "{}", failure.message);
    assert_eq!(due(&store).await, []);
    assert_eq!(store.deaths(&step("a")).await.unwrap(), 0);
    let filter = EventFilter { workflow_run_id: Some(wfr("a")), ..EventFilter::default() };
    let events = events_of(&store, filter).await;
    let body = Body::WorkflowFinished {
        workflow_name: "review".into(),
        status: Status::Failed,
        error: Some(failure),
    };
    let told: Vec<_> =
        events.iter().map(|event| serde_json::from_str::<Body>(&event.body).unwrap()).collect();
    assert_eq!(told, [body]);
    assert_eq!(store.poisoned(PLENTY).await.unwrap().workflow_runs, [run]);
    let count = PoisonedCount { runs: 0, workflow_runs: 1 };
    assert_eq!(store.count_poisoned().await.unwrap(), count);
}

/// Writing a step clears the mark and the crash count: three crashes at three different steps do
/// not poison a run.
pub async fn progress_clears_the_crash_count(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    for second in [0, 100] {
        assert_eq!(die(&store, &step("a"), "one", second).await, retry(1 + u32::from(second > 0)));
    }
    assert_eq!(due(&store).await, [(wfr("a"), 2)]);
    let documents = store.workflow_documents(&wfr("a")).await.unwrap();
    assert_eq!(documents.deaths, 2);
    assert!(!store.is_marked(&step("a")).await.unwrap());
    store.begin_work(vec![step("a")], "two", at(200)).await.unwrap();
    assert!(store.is_marked(&step("a")).await.unwrap());
    store.advance_workflow_run(next(&documents.run, 200)).await.unwrap();
    assert!(!store.is_marked(&step("a")).await.unwrap());
    assert_eq!(store.dead_work(&census("three", 300), PLENTY).await.unwrap(), []);
    assert_eq!(store.deaths(&step("a")).await.unwrap(), 0);
    assert_eq!(die(&store, &step("a"), "one", 300).await, retry(1));
    // Finishing the work clears the crash count, too.
    store.begin_work(vec![step("a")], "two", at(400)).await.unwrap();
    store.end_work(vec![step("a")], "two").await.unwrap();
    assert_eq!(die(&store, &step("a"), "one", 500).await, retry(1));
}

/// A retry restores a poisoned workflow run, with its requests and workers.
pub async fn a_poisoned_workflow_run_can_be_retried(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("b", 1), None).await.unwrap();
    let refused = store.retry_workflow_run(&wfr("b"), None, at(1)).await;
    assert!(matches!(refused, Err(StoreError::NotRetryable { .. })), "{refused:?}");
    let before = poisoned(&store, "a").await;
    let run = store.retry_workflow_run(&wfr("a"), None, at(300)).await.unwrap();
    let expected = WorkflowRun {
        status: Status::Running,
        version: 2,
        updated_at: at(300),
        finished_at: None,
        failure: None,
        ..before
    };
    assert_eq!(run, expected);
    assert_eq!(store.workflow_documents(&wfr("a")).await.unwrap().run, run);
    let mut all = due(&store).await;
    all.sort();
    assert_eq!(all, [(wfr("a"), 0), (wfr("b"), 0)]);
    assert_eq!(store.workflow_documents(&wfr("a")).await.unwrap().asked, Some(WorkflowRequest::Begin));
    assert_eq!(store.count_poisoned().await.unwrap(), PoisonedCount::default());
    assert_eq!(die(&store, &step("a"), "one", 400).await, retry(1));
}

/// A workflow run that failed or was stopped can be resumed; one that completed cannot.
pub async fn a_workflow_run_that_ended_without_a_result_can_be_resumed(store: Arc<dyn Store>) {
    for (name, status) in [("f", Status::Failed), ("s", Status::Stopped), ("c", Status::Completed)] {
        store.submit_workflow_run(new(name, 1), None).await.unwrap();
        let begun = store.workflow_documents(&wfr(name)).await.unwrap().run;
        let over = WorkflowRun { status, finished_at: Some(at(2)), ..next(&begun, 2).run };
        store.advance_workflow_run(WorkflowAdvance { run: over.clone(), ..next(&begun, 2) }).await.unwrap();
        let resumed = store.retry_workflow_run(&wfr(name), None, at(3)).await;
        if status == Status::Completed {
            assert!(matches!(resumed, Err(StoreError::NotRetryable { .. })), "{resumed:?}");
            continue;
        }
        let expected = WorkflowRun {
            status: Status::Running,
            version: over.version + 1,
            updated_at: at(3),
            finished_at: None,
            ..over
        };
        assert_eq!(resumed.unwrap(), expected);
        let documents = store.workflow_documents(&wfr(name)).await.unwrap();
        assert_eq!((documents.run, documents.asked), (expected, Some(WorkflowRequest::Resume)));
    }
    let mut due: Vec<_> = due(&store).await.into_iter().map(|(id, _)| id).collect();
    due.sort();
    assert_eq!(due, [wfr("f"), wfr("s")]);
    let stopped = store.end_workflow_run(&wfr("f"), at(4)).await.unwrap();
    assert!(stopped.failure.is_some());
    let promise = |key: &str, fingerprint: &str| {
        let [scope, key, fingerprint, response] = ["a", key, fingerprint, ""].map(str::to_owned);
        Some(Idempotency { scope, key, fingerprint, response })
    };
    let again = store.retry_workflow_run(&wfr("f"), promise("k", "x"), at(5)).await.unwrap();
    assert_eq!((again.status, again.failure), (Status::Running, None));
    // The same request finds it stopped meanwhile, and leaves it so.
    let stopped = store.end_workflow_run(&wfr("f"), at(6)).await.unwrap();
    assert_eq!(store.retry_workflow_run(&wfr("f"), promise("k", "x"), at(7)).await.unwrap(), stopped);
    let other = store.retry_workflow_run(&wfr("f"), promise("k", "y"), at(8)).await;
    assert!(matches!(other, Err(StoreError::IdempotencyConflict(_))), "{other:?}");
    for time in [9, 10] {
        let refused = store.retry_workflow_run(&wfr("c"), promise("kept by nobody", "x"), at(time)).await;
        assert!(matches!(refused, Err(StoreError::NotRetryable { .. })), "{refused:?}");
    }
}

/// A run whose result crashed coordinators fails as poisoned, and its runner loses it.
pub async fn the_third_crash_poisons_a_run(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("r")).await;
    let item = Item::new(Kind::Finish, run_id("r"));
    for (number, expected) in [(0, retry(1)), (1, retry(2)), (2, POISON)] {
        assert_eq!(die(&store, &item, &format!("c{number}"), 100 * number).await, expected);
    }
    let run = store.run(&run_id("r")).await.unwrap();
    let failure = run.failure.clone().unwrap();
    assert_eq!((run.status, failure.kind, run.lease), (RunStatus::Failed, FailureType::Poisoned, None));
    assert!(failure.message.contains("accord runs retry run_r"), "{}", failure.message);
    let late = store.finish_run(finish(&holder, failed(FailureType::ModelRefused), 300)).await;
    assert!(matches!(late, Err(StoreError::Refused(_))), "{late:?}");
    let listed = store.poisoned(PLENTY).await.unwrap().runs;
    assert_eq!(listed.iter().map(|run| run.id.clone()).collect::<Vec<_>>(), [run_id("r")]);
    assert_eq!(store.count_poisoned().await.unwrap(), PoisonedCount { runs: 1, workflow_runs: 0 });
}

/// A parent is no longer called back automatically if resuming it crashed coordinators; a delivery
/// clears the count.
pub async fn the_third_crash_holds_callbacks(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 2).await;
    complete(&store, child("a", "parent"), 4).await;
    let item = Item::new(Kind::Callback, session_id("parent"));
    assert_eq!(die(&store, &item, "one", 0).await, retry(1));
    let told = store.submit_run(delivery("told", "parent", &["a"], 50)).await.unwrap();
    assert!(matches!(told, Submitted::Created(_)), "{told:?}");
    assert_eq!(store.deaths(&item).await.unwrap(), 0);
    let holder = holder(&take(&store, 51).await.run);
    store.finish_run(finish(&holder, completed("done"), 52)).await.unwrap();
    complete(&store, child("b", "parent"), 60).await;
    for (number, expected) in [(1, retry(1)), (2, retry(2)), (3, POISON)] {
        assert_eq!(die(&store, &item, "one", 100 * number).await, expected);
    }
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), []);
    let undelivered = store.undelivered(&session_id("parent"), PLENTY).await.unwrap();
    let held: Vec<_> = undelivered.iter().map(|end| end.held.as_ref().map(|held| held.reason)).collect();
    assert_eq!(held, [Some(HeldReason::Poisoned)]);
}

/// For a run that waits for its children, nothing is held: it fails.
pub async fn the_third_crash_poisons_a_waiting_run(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("parent")).await;
    store.submit_run(child("a", "parent")).await.unwrap();
    store.suspend_run(suspend(&parent, &["a"], 3)).await.unwrap();
    store.stop_run(&run_id("a"), at(4)).await.unwrap();
    store.remove_session(&session_id("a")).await.unwrap();
    let item = Item::new(Kind::Callback, session_id("parent"));
    for (number, expected) in [(1, retry(1)), (2, retry(2)), (3, POISON)] {
        assert_eq!(die(&store, &item, "one", 100 * number).await, expected);
    }
    let run = store.run(&run_id("parent")).await.unwrap();
    assert_eq!(run.failure.map(|failure| failure.kind), Some(FailureType::Poisoned));
    assert_eq!(store.waiting_runs(at(1000), PLENTY).await.unwrap(), []);
}

/// A crash that several coordinators notice counts once.
pub async fn one_of_many_counts_a_crash(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    store.begin_work(vec![step("a")], "dead", at(0)).await.unwrap();
    let mut counting = JoinSet::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        let census = census(&format!("c{number}"), 100);
        counting.spawn(async move { store.count_death(&step("a"), &census).await.unwrap() });
    }
    let counted = counting.join_all().await.into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(counted, [Death { deaths: 1, fate: Fate::Retry }]);
    assert_eq!(store.deaths(&step("a")).await.unwrap(), 1);
}

/// Finished or removed work is not poisoned.
pub async fn finished_work_is_not_poisoned(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("r")).await;
    let finish_of = Item::new(Kind::Finish, run_id("r"));
    store.begin_work(vec![finish_of.clone(), step("gone")], "one", at(0)).await.unwrap();
    store.finish_run(finish(&holder, completed("done"), 5)).await.unwrap();
    for item in [&finish_of, &step("gone")] {
        assert_eq!(store.count_death(item, &census("two", 100)).await.unwrap(), None);
    }
    assert_eq!(store.dead_work(&census("two", 100), PLENTY).await.unwrap(), []);
    assert_eq!(store.run(&run_id("r")).await.unwrap().status, RunStatus::Completed);
}

/// A coordinator that shuts down cleanly adds no crash; earlier crashes stay counted.
pub async fn a_clean_shutdown_is_not_a_crash(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    assert_eq!(die(&store, &step("a"), "one", 0).await, retry(1));
    store.begin_work(vec![step("a"), step("b")], "two", at(50)).await.unwrap();
    store.release_work("two").await.unwrap();
    assert_eq!(store.dead_work(&census("three", 500), PLENTY).await.unwrap(), []);
    assert_eq!(store.deaths(&step("a")).await.unwrap(), 1);
    assert_eq!(store.begin_work(vec![step("a"), step("b")], "three", at(60)).await.unwrap().len(), 2);
}

/// A workflow run can be ended in the store alone, once; it then has no workers.
pub async fn a_workflow_run_can_be_ended_at_once(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    let loaded = store.workflow_documents(&wfr("a")).await.unwrap();
    let advance = WorkflowAdvance { starts: vec![fresh("r")], ..next(&loaded.run, 2) };
    store.advance_workflow_run(advance).await.unwrap();
    assert_eq!(store.task_runs(&wfr("a")).await.unwrap(), [TaskRun::Run(run_id("r"))]);
    store.begin_work(vec![step("a")], "dead", at(3)).await.unwrap();
    let run = store.end_workflow_run(&wfr("a"), at(4)).await.unwrap();
    assert_eq!((run.status, run.finished_at, run.version), (Status::Stopped, Some(at(4)), 2));
    assert_eq!(store.end_workflow_run(&wfr("a"), at(5)).await.unwrap(), run);
    assert_eq!(store.workflow_documents(&wfr("a")).await.unwrap().run, run);
    assert_eq!(store.task_runs(&wfr("a")).await.unwrap(), []);
    assert_eq!(store.dead_work(&census("two", 500), PLENTY).await.unwrap(), []);
    assert_eq!(store.count_poisoned().await.unwrap(), PoisonedCount::default());
    let late = store.advance_workflow_run(next(&loaded.run, 6)).await;
    assert!(matches!(late, Err(StoreError::Changed { .. })), "{late:?}");
    store.remove_workflow_run(&wfr("a")).await.unwrap();
}

/// A run that a runner holds can be stopped immediately, once; its runner loses it.
pub async fn a_run_can_be_stopped_at_once(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("r")).await;
    let run = store.stop_run_at_once(&run_id("r"), at(4)).await.unwrap();
    assert_eq!((run.status, run.finished_at, run.lease.clone()), (RunStatus::Stopped, Some(at(4)), None));
    assert_eq!(store.stop_run_at_once(&run_id("r"), at(5)).await.unwrap(), run);
    let late = store.finish_run(finish(&holder, failed(FailureType::ModelRefused), 6)).await;
    assert!(matches!(late, Err(StoreError::Refused(_))), "{late:?}");
}
