//! Callbacks that are held back.

use std::sync::Arc;

use accord_domain::attempt::Outcome;
use accord_domain::callback::{Held, HeldReason, Undelivered};
use accord_domain::event::{Body, NewEvent};
use accord_domain::run::change::End;
use accord_domain::run::{FailureType, Holder};
use accord_domain::session::Status as SessionStatus;
use accord_domain::usage::Usage;
use accord_store::{AskAgain, CallbackHold, Due, EventFilter, Finish, Store, Submitted};

use super::make::*;

fn hold(parent: &str, last_run: &str, runs: &[&str], seconds: i64) -> CallbackHold {
    CallbackHold {
        parent_session_id: session_id(parent),
        last_run_id: run_id(last_run),
        run_ids: runs.iter().map(|run| run_id(run)).collect(),
        reason: HeldReason::ParentFailed,
        message: "it failed: \u{0} \"so\"".into(),
        now: at(seconds),
    }
}

fn undelivered(name: &str, seconds: i64, held_at: Option<i64>) -> Undelivered {
    let held = held_at.map(|second| Held {
        reason: HeldReason::ParentFailed,
        message: "it failed: \u{0} \"so\"".into(),
        at: at(second),
    });
    Undelivered { run_id: run_id(name), session_id: session_id(name), created_at: at(seconds), held }
}

async fn fail(store: &Arc<dyn Store>, name: &str) {
    let holder = begin(store, fresh(name)).await;
    store.finish_run(finish(&holder, failed(FailureType::ModelRefused), 3)).await.unwrap();
}

async fn due_runs(store: &Arc<dyn Store>) -> Vec<String> {
    let due = store.due_callbacks(10).await.unwrap();
    due.into_iter().flat_map(|due| due.run_ids).map(|run| run.to_string()).collect()
}

/// A held callback is no longer due, is still undelivered, and is reported by one event in the parent's session.
pub async fn a_held_callback_is_kept_and_not_due(store: Arc<dyn Store>) {
    fail(&store, "parent").await;
    for (second, name) in [(4, "a"), (5, "b"), (6, "c")] {
        complete(&store, child(name, "parent"), second).await;
    }
    let all = [undelivered("a", 4, None), undelivered("b", 5, None), undelivered("c", 6, None)];
    assert_eq!(store.undelivered(&session_id("parent"), 10).await.unwrap(), all);
    assert_eq!(store.undelivered(&session_id("parent"), 1).await.unwrap().len(), 1);
    assert_eq!(store.undelivered(&session_id("nobody"), 10).await.unwrap(), []);

    for second in [7, 8] {
        store.hold_callbacks(hold("parent", "parent", &["b", "a", "absent"], second)).await.unwrap();
    }
    assert_eq!(due_runs(&store).await, ["run_c"]);
    let all = [undelivered("a", 4, Some(7)), undelivered("b", 5, Some(7)), undelivered("c", 6, None)];
    assert_eq!(store.undelivered(&session_id("parent"), 10).await.unwrap(), all);
    let filter = EventFilter { kinds: vec!["callback.held".into()], ..EventFilter::default() };
    let events = events_of(&store, filter).await;
    let mut contents = events.iter().map(content_of).collect::<Vec<_>>();
    let (.., body) = contents.last_mut().unwrap();
    // The order of the children is the order asked for or the order of their ends.
    body.get_mut("children").unwrap().as_array_mut().unwrap().sort_by_key(ToString::to_string);
    let body = Body::CallbackHeld {
        children: vec![session_id("a"), session_id("b")],
        reason: HeldReason::ParentFailed,
        message: "it failed: \u{0} \"so\"".into(),
    };
    let once = NewEvent { at: at(7), session_id: session_id("parent"), run_id: None, body };
    assert_eq!(contents, [expected(&once)]);
    assert_eq!(store.session(&session_id("parent")).await.unwrap().status, SessionStatus::Failed);
}

/// A run that resumes the parent ends the hold: it carries the callbacks it delivers, and the rest
/// are due when it finishes.
pub async fn a_resume_ends_the_hold(store: Arc<dyn Store>) {
    fail(&store, "parent").await;
    complete(&store, child("a", "parent"), 4).await;
    complete(&store, child("b", "parent"), 5).await;
    store.hold_callbacks(hold("parent", "parent", &["a", "b"], 6)).await.unwrap();
    let submitted = store.submit_run(delivery("told", "parent", &["a"], 7)).await.unwrap();
    assert!(matches!(submitted, Submitted::Created(_)));
    assert_eq!(store.undelivered(&session_id("parent"), 10).await.unwrap(), [undelivered("b", 5, None)]);
    assert_eq!(due_runs(&store).await, Vec::<String>::new(), "the parent is busy");
    let told = holder(&take(&store, 8).await.run);
    store.finish_run(finish(&told, completed("x"), 9)).await.unwrap();
    assert_eq!(store.session(&session_id("parent")).await.unwrap().status, SessionStatus::Idle);
    assert_eq!(due_runs(&store).await, ["run_b"]);
}

/// Holding has no effect if the parent was resumed in the meantime.
pub async fn a_late_hold_has_no_effect(store: Arc<dyn Store>) {
    fail(&store, "parent").await;
    complete(&store, child("a", "parent"), 4).await;
    let told = begin(&store, resume("again", "parent", 5)).await;
    store.hold_callbacks(hold("parent", "parent", &["a"], 6)).await.unwrap();
    store.hold_callbacks(hold("parent", "again", &["a"], 6)).await.unwrap();
    store.finish_run(finish(&told, completed("x"), 7)).await.unwrap();
    store.hold_callbacks(hold("parent", "parent", &["a"], 8)).await.unwrap();
    store.hold_callbacks(hold("gone", "gone", &["a"], 8)).await.unwrap();
    assert_eq!(due_runs(&store).await, ["run_a"]);
}

/// A parent without further callbacks is finished, not idle.
pub async fn a_held_callback_keeps_no_parent_idle(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("parent")).await;
    let second = begin(&store, child("b", "parent")).await;
    complete(&store, child("a", "parent"), 4).await;
    store.finish_run(finish(&parent, completed("x"), 5)).await.unwrap();
    let status = |store: &Arc<dyn Store>| {
        let store = Arc::clone(store);
        async move { store.session(&session_id("parent")).await.unwrap().status }
    };
    store.hold_callbacks(hold("parent", "parent", &["a"], 6)).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Idle, "the other child runs");
    store.finish_run(finish(&second, completed("x"), 7)).await.unwrap();
    store.hold_callbacks(hold("parent", "parent", &["b"], 8)).await.unwrap();
    assert_eq!(status(&store).await, SessionStatus::Finished);
}

/// The first delivery failure is dated once, and cleared when the parent is resumed.
pub async fn failing_is_dated_once(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    complete(&store, child("a", "parent"), 4).await;
    for second in [5, 6] {
        store.delay_callbacks(&session_id("parent"), at(second)).await.unwrap();
    }
    complete(&store, child("b", "parent"), 7).await;
    let due = |failing_since, runs: &[&str]| Due {
        parent_session_id: session_id("parent"),
        run_ids: runs.iter().map(|run| run_id(run)).collect(),
        failing_since,
    };
    assert_eq!(store.due_callbacks(10).await.unwrap(), [due(Some(at(5)), &["a", "b"])]);
    complete(&store, resume("again", "parent", 8), 9).await;
    assert_eq!(store.due_callbacks(10).await.unwrap(), [due(None, &["a", "b"])]);
}

/// If a delivering run fails, its callbacks are pending again, unless they are already in the
/// conversation.
pub async fn a_failed_delivery_is_pending_again(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    complete(&store, child("a", "parent"), 4).await;

    store.submit_run(delivery("stopped", "parent", &["a"], 5)).await.unwrap();
    store.stop_run(&run_id("stopped"), at(6)).await.unwrap();
    assert_eq!(due_runs(&store).await, ["run_a"], "it was not taken");

    store.submit_run(delivery("lost", "parent", &["a"], 7)).await.unwrap();
    take(&store, 8).await;
    store.reap(at(100), 1, 10).await.unwrap();
    assert_eq!(due_runs(&store).await, ["run_a"], "its runner was lost");

    for (name, end) in [("failed", failed(FailureType::ExecutorFailed)), ("ended", End::Stopped)] {
        let told = begin(&store, delivery(name, "parent", &["a"], 9)).await;
        store.finish_run(finish(&told, end, 10)).await.unwrap();
        assert_eq!(due_runs(&store).await, ["run_a"], "the conversation does not have it");
    }

    let told = begin(&store, delivery("heard", "parent", &["a"], 11)).await;
    let end = Finish { conversation: Some("[1]".into()), ..finish(&told, failed(FailureType::TimedOut), 12) };
    store.finish_run(end).await.unwrap();
    assert_eq!(due_runs(&store).await, Vec::<String>::new());
    let again = store.submit_run(delivery("again", "parent", &["a"], 13)).await.unwrap();
    assert_eq!(again, Submitted::AlreadyDelivered);
}

/// A callback stays delivered once the conversation has it, even if the coordinator re-prompts and that fails.
pub async fn a_callback_in_the_conversation_is_delivered_once(store: Arc<dyn Store>) {
    complete(&store, fresh("parent"), 3).await;
    complete(&store, child("a", "parent"), 4).await;
    let again = |holder: Holder, conversation: Option<&str>| AskAgain {
        holder,
        attempt: attempt(1, Outcome::NoJson),
        prompt: "as JSON, please".into(),
        usage: Usage::default(),
        conversation: conversation.map(str::to_owned),
        now: at(6),
    };
    let unheard = begin(&store, delivery("unheard", "parent", &["a"], 5)).await;
    store.ask_again(again(unheard, None)).await.unwrap();
    store.stop_run(&run_id("unheard"), at(7)).await.unwrap();
    assert_eq!(due_runs(&store).await, ["run_a"], "the conversation does not have it");

    let heard = begin(&store, delivery("heard", "parent", &["a"], 8)).await;
    store.ask_again(again(heard, Some("[1]"))).await.unwrap();
    store.stop_run(&run_id("heard"), at(9)).await.unwrap();
    assert_eq!(due_runs(&store).await, Vec::<String>::new());
    assert_eq!(store.undelivered(&session_id("parent"), 10).await.unwrap(), []);
    let twice = store.submit_run(delivery("twice", "parent", &["a"], 10)).await.unwrap();
    assert_eq!(twice, Submitted::AlreadyDelivered);
    assert_eq!(store.session(&session_id("a")).await.unwrap().status, SessionStatus::Finished);
}

/// Holding and delivering at the same time: each callback is delivered once or held once.
pub async fn a_callback_is_held_or_delivered_once(store: Arc<dyn Store>) {
    fail(&store, "parent").await;
    complete(&store, child("a", "parent"), 4).await;
    let mut tasks = Vec::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            if number % 2 == 0 {
                store.hold_callbacks(hold("parent", "parent", &["a"], 5)).await.unwrap();
                0
            } else {
                let name = format!("told{number}");
                match store.submit_run(delivery(&name, "parent", &["a"], 5)).await {
                    Ok(Submitted::Created(_)) => 1,
                    _ => 0,
                }
            }
        }));
    }
    let mut created = 0;
    for task in tasks {
        created += task.await.unwrap();
    }
    assert_eq!(created, 1, "held or not, it is delivered once");
    assert_eq!(store.undelivered(&session_id("parent"), 10).await.unwrap(), []);
    let filter = EventFilter { kinds: vec!["callback.held".into()], ..EventFilter::default() };
    assert!(events_of(&store, filter).await.len() <= 1);
}
