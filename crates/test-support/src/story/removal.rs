//! Removing a session removes everything that belongs to it.

use std::sync::Arc;

use accord_domain::attempt::Outcome as AttemptOutcome;
use accord_domain::run::change::End;
use accord_domain::session::{Session, Status};
use accord_store::{EventFilter, Finish, Report, RunFilter, StatsQuery, Store, StoreError};

use super::make::*;

async fn lived_in(store: &Arc<dyn Store>, name: &str) {
    let holder = begin(store, fresh(name)).await;
    let attempts = vec![attempt(1, AttemptOutcome::NoJson)];
    let report = Report {
        holder: holder.clone(),
        events: vec![],
        attempts,
        steps: vec![step(1, 1, name)],
        now: at(3),
    };
    store.report(report).await.unwrap();
    let finish = Finish { conversation: Some("[1]".into()), ..finish(&holder, completed("x"), 4) };
    store.finish_run(finish).await.unwrap();
}

/// Everything of the session is removed, and nothing of other sessions.
pub async fn a_session_is_removed_completely(store: Arc<dyn Store>) {
    lived_in(&store, "a").await;
    complete(&store, resume("a2", "a", 5), 6).await;
    lived_in(&store, "b").await;
    let of_b = EventFilter { session_id: Some(session_id("b")), ..EventFilter::default() };
    let events = events_of(&store, of_b).await;

    store.remove_session(&session_id("a")).await.unwrap();
    for name in ["a", "a2"] {
        assert!(matches!(store.run(&run_id(name)).await, Err(StoreError::NoRun(_))));
        assert!(matches!(store.outcome(&run_id(name)).await, Err(StoreError::NoRun(_))));
        assert!(matches!(store.attempts(&run_id(name)).await, Err(StoreError::NoRun(_))));
        assert!(matches!(store.steps(&run_id(name)).await, Err(StoreError::NoRun(_))));
        assert!(matches!(store.assignment(&run_id(name)).await, Err(StoreError::NoRun(_))));
    }
    assert!(matches!(store.session(&session_id("a")).await, Err(StoreError::NoSession(_))));
    assert!(matches!(store.remove_session(&session_id("a")).await, Err(StoreError::NoSession(_))));
    assert_eq!(events_of(&store, EventFilter::default()).await, events);
    let page = accord_store::PageRequest { limit: 10, cursor: None };
    let runs = store.runs(&RunFilter::default(), &page).await.unwrap().items;
    assert_eq!(runs, [store.run(&run_id("b")).await.unwrap()]);
    assert_eq!(store.attempts(&run_id("b")).await.unwrap(), [attempt(1, AttemptOutcome::NoJson)]);
    assert_eq!(store.outcome(&run_id("b")).await.unwrap(), Some(outcome("x")));
    assert_eq!(store.steps(&run_id("b")).await.unwrap(), [step(1, 1, "b")]);
    let all = StatsQuery::default();
    assert_eq!(store.stats(&all).await.unwrap().all.attempts, 1);
    let errors = store.frequent_errors(&all, 10).await.unwrap();
    assert_eq!(errors.iter().map(|error| error.count).collect::<Vec<_>>(), [1]);
}

/// A new session of the same name starts empty.
pub async fn a_removed_session_leaves_nothing_behind(store: Arc<dyn Store>) {
    lived_in(&store, "a").await;
    store.remove_session(&session_id("a")).await.unwrap();
    store.submit_run(fresh("a")).await.unwrap();
    let claimed = take(&store, 9).await;
    assert_eq!((claimed.conversation, claimed.run.attempt, claimed.steps), (None, 1, vec![]));
    assert_eq!(store.attempts(&run_id("a")).await.unwrap(), []);
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), None);
    assert_eq!(kinds_of(&store, "a").await, ["run.queued", "run.claimed"]);
}

/// A session with an unfinished run is not removed.
pub async fn a_busy_session_stays(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    let busy = store.remove_session(&session_id("a")).await;
    let told = matches!(busy, Err(StoreError::Busy { session, run })
        if session == session_id("a") && run == run_id("a"));
    assert!(told);
    store.finish_run(finish(&holder, End::Stopped, 3)).await.unwrap();
    store.remove_session(&session_id("a")).await.unwrap();
}

/// Children outlive their parent and no longer report to it: neither pending nor future callbacks
/// remain.
pub async fn children_stay_without_callbacks(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    complete(&store, child("ended", "parent"), 4).await;
    let running = begin(&store, child("running", "parent")).await;
    assert_eq!(store.due_callbacks(10).await.unwrap().len(), 1);
    store.remove_session(&session_id("parent")).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), []);
    assert_eq!(store.outcome(&run_id("ended")).await.unwrap(), Some(outcome("done")));
    store.finish_run(finish(&running, completed("x"), 5)).await.unwrap();
    assert_eq!(store.due_callbacks(10).await.unwrap(), []);
    store.session(&session_id("ended")).await.unwrap();
    store.session(&session_id("running")).await.unwrap();
}

/// A removed child has no callback, because its result is gone.
pub async fn a_removed_child_has_no_callback(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    complete(&store, child("a", "parent"), 4).await;
    complete(&store, child("b", "parent"), 5).await;
    store.remove_session(&session_id("a")).await.unwrap();
    let due = store.due_callbacks(10).await.unwrap();
    assert_eq!(due.into_iter().flat_map(|due| due.run_ids).collect::<Vec<_>>(), [run_id("b")]);
}

/// A parent is no longer idle if the children it waited for were removed.
pub async fn a_removed_child_keeps_no_parent_idle(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("parent")).await;
    let running = begin(&store, child("running", "parent")).await;
    store.submit_run(child("pending", "parent")).await.unwrap();
    store.finish_run(finish(&parent, completed("x"), 5)).await.unwrap();
    let idle = store.session(&session_id("parent")).await.unwrap();
    assert_eq!(idle.status, Status::Idle);

    store.stop_run(&run_id("pending"), at(6)).await.unwrap();
    store.remove_session(&session_id("pending")).await.unwrap();
    assert_eq!(store.session(&session_id("parent")).await.unwrap(), idle, "the other child runs");
    store.finish_run(finish(&running, completed("x"), 7)).await.unwrap();
    store.remove_session(&session_id("running")).await.unwrap();
    let finished = Session { status: Status::Finished, updated_at: at(7), ..idle };
    assert_eq!(store.session(&session_id("parent")).await.unwrap(), finished);
    assert_eq!(store.due_callbacks(10).await.unwrap(), []);
}
