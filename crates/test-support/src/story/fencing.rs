//! Only the current holder of a run can report on it.

use std::sync::Arc;

use accord_domain::attempt::Outcome as AttemptOutcome;
use accord_domain::event::Body;
use accord_domain::id::EventId;
use accord_domain::run::change::{End, Refused};
use accord_domain::run::{Holder, Status};
use accord_domain::usage::Usage;
use accord_store::{AskAgain, Last, Report, Store, StoreError};

use super::make::*;

/// Every operation of a holder is rejected, and nothing is written.
pub(super) async fn all_is_refused(store: &Arc<dyn Store>, holder: &Holder) {
    let run = store.run(&holder.run_id).await.unwrap();
    let session = store.session(&run.session_id).await.unwrap();
    let last_event = store.last_event().await.unwrap();
    let attempts = store.attempts(&holder.run_id).await.unwrap();
    let steps = store.steps(&holder.run_id).await.unwrap();

    let lost = |error: Option<StoreError>| matches!(error, Some(StoreError::Refused(Refused::LeaseLost { run })) if run == holder.run_id);
    assert!(lost(store.start_run(holder, at(9)).await.err()), "start");
    let report = Report {
        holder: holder.clone(),
        events: vec![Body::Message { role: "assistant".into(), text: "late".into() }],
        attempts: vec![attempt(9, AttemptOutcome::NoJson)],
        steps: vec![step(9, holder.attempt, "late")],
        now: at(9),
    };
    assert!(lost(store.report(report).await.err()), "report");
    assert!(lost(store.give_back(holder, at(9)).await.err()), "give back");
    for end in [completed("late"), End::Stopped] {
        assert!(lost(store.finish_run(finish(holder, end, 9)).await.err()), "finish");
    }
    let last = Last {
        events: vec![Body::Message { role: "assistant".into(), text: "late".into() }],
        attempts: vec![attempt(9, AttemptOutcome::Accepted)],
        steps: vec![step(9, holder.attempt, "late")],
    };
    assert!(
        lost(store.finish_run_after(last, finish(holder, completed("late"), 9)).await.err()),
        "finish after"
    );
    let again = AskAgain {
        holder: holder.clone(),
        attempt: attempt(9, AttemptOutcome::NoJson),
        prompt: "late".into(),
        usage: Usage::default(),
        conversation: Some("[9]".into()),
        now: at(9),
    };
    assert!(lost(store.ask_again(again).await.err()), "ask again");
    assert!(lost(store.suspend_run(suspend(holder, &[], 9)).await.err()), "suspend");

    assert_eq!(store.run(&holder.run_id).await.unwrap(), run);
    assert_eq!(store.session(&run.session_id).await.unwrap(), session);
    assert_eq!(store.last_event().await.unwrap(), last_event);
    assert_eq!(store.attempts(&holder.run_id).await.unwrap(), attempts);
    assert_eq!(store.steps(&holder.run_id).await.unwrap(), steps);
}

/// A different runner, lease or delivery number is not the holder of the run.
pub async fn only_the_holder_reports(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    all_is_refused(&store, &Holder { runner_id: runner_id("other"), ..held.clone() }).await;
    all_is_refused(&store, &Holder { lease_id: lease_id(), ..held.clone() }).await;
    all_is_refused(&store, &Holder { attempt: 2, ..held.clone() }).await;
    all_is_refused(&store, &Holder { attempt: 0, ..held.clone() }).await;
    store.finish_run(finish(&held, completed("x"), 3)).await.unwrap();
}

pub async fn a_waiting_run_has_no_holder(store: Arc<dyn Store>) {
    store.submit_run(fresh("a")).await.unwrap();
    let unknown = Holder { run_id: run_id("a"), runner_id: runner_id("r"), lease_id: lease_id(), attempt: 0 };
    all_is_refused(&store, &unknown).await;
}

/// A finished run has no holder: finishing it again changes nothing.
pub async fn an_end_is_final(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    store.finish_run(finish(&held, completed("x"), 3)).await.unwrap();
    all_is_refused(&store, &held).await;
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), Some(outcome("x")));
}

/// A runner that lost its lease is rejected, also while another runner works on the run.
pub async fn a_late_holder_is_refused(store: Arc<dyn Store>) {
    let late = begin(&store, fresh("a")).await;
    store.reap(at(100), 3, 10).await.unwrap();
    all_is_refused(&store, &late).await;
    let next = holder(&take(&store, 101).await.run);
    all_is_refused(&store, &late).await;
    store.finish_run(finish(&next, completed("mine"), 102)).await.unwrap();
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), Some(outcome("mine")));
}

/// A missing run is reported as missing, not as lost.
pub async fn a_run_that_is_not_there_is_not_held(store: Arc<dyn Store>) {
    let unknown = Holder { run_id: run_id("x"), runner_id: runner_id("r"), lease_id: lease_id(), attempt: 1 };
    assert!(matches!(store.start_run(&unknown, at(1)).await, Err(StoreError::NoRun(_))));
    assert!(matches!(store.finish_run(finish(&unknown, completed("x"), 1)).await, Err(StoreError::NoRun(_))));
    assert!(matches!(store.give_back(&unknown, at(1)).await, Err(StoreError::NoRun(_))));
    assert_eq!(store.last_event().await.unwrap(), EventId(0));
}

/// Of many concurrent results, exactly one is written completely.
pub async fn one_of_many_ends_is_written(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    let mut tellers = Vec::new();
    for number in 0..8 {
        let (store, held) = (Arc::clone(&store), held.clone());
        tellers.push(tokio::spawn(async move {
            store.finish_run(finish(&held, completed(&number.to_string()), 3)).await.is_ok().then_some(number)
        }));
    }
    let mut written = Vec::new();
    for teller in tellers {
        written.extend(teller.await.unwrap());
    }
    let winner = written.first().unwrap().to_string();
    assert_eq!(written.len(), 1);
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), Some(outcome(&winner)));
    assert_eq!(store.run(&run_id("a")).await.unwrap().status, Status::Completed);
    let kinds = ["run.queued", "run.claimed", "run.started", "result", "run.completed"];
    assert_eq!(kinds_of(&store, "a").await, kinds);
}
