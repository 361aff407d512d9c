//! Runs that wait for their children or for a person, without a runner.

use std::sync::Arc;

use accord_domain::attempt::Outcome as AttemptOutcome;
use accord_domain::demands::Demands;
use accord_domain::event::{Body, NewEvent};
use accord_domain::run::change::{self, Refused, Suspension};
use accord_domain::run::{Failure, FailureType, Holder, Run, Status};
use accord_domain::runner::Profile;
use accord_domain::session::{ExecutionMode, Status as SessionStatus};
use accord_domain::step::{self, Step};
use accord_domain::usage::Usage;
use accord_store::{
    Claim, Due, EventFilter, Notice, Report, Store, StoreError, Submission, Suspend, WaitingRun, Wake,
};
use tokio::task::JoinSet;

use super::events::hear;
use super::fencing::all_is_refused;
use super::make::*;

fn due(parent: &str, runs: &[&str]) -> Due {
    let run_ids = runs.iter().map(|run| run_id(run)).collect();
    Due { parent_session_id: session_id(parent), run_ids, failing_since: None }
}

fn waiting(parent: &str, until: i64, ended: &[&str], unfinished: &[&str]) -> WaitingRun {
    WaitingRun {
        run_id: run_id(parent),
        attempt: 1,
        session_id: session_id(parent),
        waits_until: Some(at(until)),
        ended: ended.iter().map(|run| run_id(run)).collect(),
        unfinished: unfinished.iter().map(|child| session_id(child)).collect(),
    }
}

async fn waiting_at(store: &Arc<dyn Store>, seconds: i64) -> Vec<WaitingRun> {
    store.waiting_runs(at(seconds), PLENTY).await.unwrap()
}

async fn statuses(store: &Arc<dyn Store>, name: &str) -> (Status, SessionStatus) {
    let run = store.run(&run_id(name)).await.unwrap();
    (run.status, store.session(&run.session_id).await.unwrap().status)
}

/// A parent that has been waiting for these children since second 3, with the holders of the
/// children.
async fn suspended(store: &Arc<dyn Store>, parent: &str, children: &[&str]) -> Vec<Holder> {
    let held = begin(store, fresh(parent)).await;
    let mut holders = Vec::new();
    for name in children {
        holders.push(begin(store, child(name, parent)).await);
    }
    store.suspend_run(suspend(&held, children, 3)).await.unwrap();
    holders
}

async fn end(store: &Arc<dyn Store>, holder: &Holder, seconds: i64) {
    store.finish_run(finish(holder, completed("x"), seconds)).await.unwrap();
}

/// A suspended run is as the domain defines it: no runner holds or can claim it, and its session is
/// busy.
pub async fn a_suspended_run_has_no_runner(store: Arc<dyn Store>) {
    store.register_runner(runner("r", 0)).await.unwrap();
    let held = begin(&store, fresh("a")).await;
    begin(&store, child("c", "a")).await;
    let asked = suspend(&held, &["c"], 5);
    let (run, session) =
        (store.run(&run_id("a")).await.unwrap(), store.session(&session_id("a")).await.unwrap());
    let decided = change::suspend(
        run.asked_again(1),
        session,
        &held,
        asked.suspension.clone(),
        asked.usage,
        asked.wait,
        at(5),
    )
    .unwrap();
    assert_eq!(store.suspend_run(asked).await.unwrap(), decided.run);
    assert_eq!(store.run(&run_id("a")).await.unwrap(), decided.run);
    assert_eq!(store.session(&session_id("a")).await.unwrap(), decided.session);
    assert_eq!(statuses(&store, "a").await, (Status::Waiting, SessionStatus::Waiting));
    let events =
        events_of(&store, EventFilter { kinds: vec!["run.waiting".into()], ..EventFilter::default() });
    assert_eq!(
        events.await.iter().map(content_of).collect::<Vec<_>>(),
        decided.events.iter().map(expected).collect::<Vec<_>>()
    );
    all_is_refused(&store, &held).await;
    assert_eq!(store.queue_depth().await.unwrap().held, 1, "that of the child");
    assert_eq!(store.claim_runs(claim(10, 6)).await.unwrap(), []);
    let busy = store.submit_run(resume("b", "a", 6)).await;
    assert!(matches!(busy, Err(StoreError::Busy { .. })));
    assert!(matches!(store.remove_session(&session_id("a")).await, Err(StoreError::Busy { .. })));
    store.reap(at(1000), 3, PLENTY).await.unwrap();
    assert_eq!(store.run(&run_id("a")).await.unwrap(), decided.run, "no lease of it can run out");
}

/// A run that waits for a person does not wait for a child, and continues with the answer.
pub async fn a_run_can_wait_for_a_person(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    let asked = Suspend { suspension: Suspension::Person(Vec::new()), ..suspend(&held, &[], 5) };
    store.suspend_run(asked).await.unwrap();
    assert_eq!(statuses(&store, "a").await, (Status::InputRequired, SessionStatus::InputRequired));
    complete(&store, child("c", "a"), 6).await;
    assert_eq!(waiting_at(&store, 1000).await, []);
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [], "the parent is busy");
    let woken = store.wake_run(wake("a", &[], 7)).await.unwrap().unwrap();
    assert_eq!((woken.status, woken.queued_at), (Status::Pending, at(7)));
    let again = take(&store, 8).await;
    assert_eq!((again.run.id.clone(), again.run.attempt, again.steps.len()), (run_id("a"), 2, 1));
    end(&store, &holder(&again.run), 9).await;
    assert_eq!(statuses(&store, "a").await, (Status::Completed, SessionStatus::Idle));
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [due("a", &["c"])]);
}

/// Children with callbacks to come are the unfinished ones and those with a pending callback, each
/// once.
pub async fn expected_callbacks_are_known(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("p")).await;
    let to_come = async || store.children_to_come(&session_id("p")).await.unwrap();
    assert_eq!(to_come().await, []);
    let a = begin(&store, child("a", "p")).await;
    let b = begin(&store, child("b", "p")).await;
    let submission = child("poll", "p");
    let run = Run { execution_mode: ExecutionMode::AsyncPoll, ..submission.run.clone() };
    begin(&store, Submission { run, ..submission }).await;
    assert_eq!(to_come().await, [session_id("a"), session_id("b")]);
    end(&store, &a, 4).await;
    assert_eq!(to_come().await, [session_id("a"), session_id("b")], "one end is owed");
    store.suspend_run(suspend(&held, &["a", "b"], 5)).await.unwrap();
    store.wake_run(wake("p", &["a"], 6)).await.unwrap().unwrap();
    assert_eq!(to_come().await, [session_id("b")]);
    end(&store, &b, 7).await;
    store.remove_session(&session_id("b")).await.unwrap();
    assert_eq!(to_come().await, []);
    assert_eq!(store.children_to_come(&session_id("absent")).await.unwrap(), []);
}

/// A waiting run is found when a child has finished, when no child is left, and when its time has
/// run out.
pub async fn waiting_runs_are_found_when_they_can_continue(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a", "b"]).await;
    assert_eq!(waiting_at(&store, 62).await, []);
    assert_eq!(waiting_at(&store, 63).await, [waiting("p", 63, &[], &["a", "b"])], "its time is over");
    for (second, (holder, left)) in (4..).zip(children.iter().rev().zip([vec!["a"], vec![]])) {
        end(&store, holder, second).await;
        let ended: &[&str] = if left.is_empty() { &["b", "a"] } else { &["b"] };
        assert_eq!(waiting_at(&store, 10).await, [waiting("p", 63, ended, &left)]);
    }
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [], "the run itself is told");
    store.wake_run(wake("p", &["b", "a"], 11)).await.unwrap().unwrap();
    assert_eq!(waiting_at(&store, 1000).await, [], "it does not wait any more");
}

/// If only some are returned, runs that can certainly continue come before runs with unfinished
/// children.
pub async fn waiting_runs_are_given_in_a_fair_order(store: Arc<dyn Store>) {
    for (parent, children) in [("p", ["a", "b"]), ("q", ["c", "d"])] {
        let holders = suspended(&store, parent, &children).await;
        let ended = if parent == "p" { 1 } else { 2 };
        for holder in holders.iter().take(ended) {
            end(&store, holder, 4).await;
        }
    }
    let q = waiting("q", 63, &["c", "d"], &[]);
    let p = waiting("p", 63, &["a"], &["b"]);
    assert_eq!(store.waiting_runs(at(10), 1).await.unwrap(), std::slice::from_ref(&q));
    assert_eq!(waiting_at(&store, 10).await, [q.clone(), p.clone()]);
    let mut late = waiting_at(&store, 100).await;
    late.sort_by(|left, right| left.run_id.cmp(&right.run_id));
    assert_eq!(late, [p, q]);
}

/// The same run continues with the callback as its next step; the delivery is recorded as an event.
pub async fn a_child_wakes_its_parent(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("p")).await;
    let a = begin(&store, child("a", "p")).await;
    let steps = vec![step(1, 1, "one"), step(2, 1, "two")];
    let report = Report { holder: held.clone(), events: vec![], attempts: vec![], steps, now: at(3) };
    store.report(report).await.unwrap();
    let before = store.suspend_run(suspend(&held, &["a"], 4)).await.unwrap();
    end(&store, &a, 5).await;
    let session = store.session(&session_id("p")).await.unwrap();
    let decided = change::wake(before, session, 1, "a child finished", at(6)).unwrap();
    assert_eq!(store.wake_run(wake("p", &["a"], 6)).await.unwrap(), Some(decided.run.clone()));
    assert_eq!(store.run(&run_id("p")).await.unwrap(), decided.run);
    assert_eq!(store.session(&session_id("p")).await.unwrap(), decided.session);

    let body = Body::CallbackDelivered { children: vec![session_id("a")], resumed_by: run_id("p") };
    let delivered = NewEvent { at: at(6), session_id: session_id("p"), run_id: Some(run_id("p")), body };
    let filter = EventFilter { run_id: Some(run_id("p")), ..EventFilter::default() };
    let events = events_of(&store, filter).await;
    let last: Vec<_> = events.iter().rev().take(2).rev().map(content_of).collect();
    assert_eq!(last, [expected(decided.events.first().unwrap()), expected(&delivered)]);

    let again = take(&store, 7).await;
    let message =
        Step { number: 3, delivery: 0, at: at(6), body: step::Body::Message { text: "told at 6".into() } };
    assert_eq!(again.steps, [step(1, 1, "one"), step(2, 1, "two"), message]);
    assert_eq!((again.run.attempt, again.run.retry_count), (2, 1));
    end(&store, &holder(&again.run), 8).await;
    assert_eq!(statuses(&store, "p").await, (Status::Completed, SessionStatus::Finished));
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), []);
}

/// If many coordinators wake the same run at once, it is woken once.
pub async fn one_of_many_wakes(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a"]).await;
    end(&store, children.first().unwrap(), 4).await;
    let mut coordinators = JoinSet::new();
    for _ in 0..8 {
        let store = Arc::clone(&store);
        coordinators.spawn(async move { store.wake_run(wake("p", &["a"], 5)).await.unwrap().is_some() });
    }
    let woken = coordinators.join_all().await;
    assert_eq!(woken.iter().filter(|woken| **woken).count(), 1);
    assert_eq!(store.steps(&run_id("p")).await.unwrap().len(), 1);
    let filter = EventFilter { kinds: vec!["callback.delivered".into()], ..EventFilter::default() };
    assert_eq!(events_of(&store, filter).await.len(), 1);
    assert_eq!(store.claim_runs(claim(10, 6)).await.unwrap().len(), 1);
}

/// A run that is not suspended cannot be woken, and nothing is delivered to it.
pub async fn only_a_suspended_run_is_woken(store: Arc<dyn Store>) {
    assert!(matches!(store.wake_run(wake("absent", &[], 1)).await, Err(StoreError::NoRun(_))));
    let held = begin(&store, fresh("p")).await;
    let a = begin(&store, child("a", "p")).await;
    end(&store, &a, 3).await;
    let refused = |status: Status, error: Option<StoreError>| {
        let expected = Refused::WrongStatus { run: run_id("p"), status };
        assert!(matches!(&error, Some(StoreError::Refused(found)) if *found == expected), "{error:?}");
    };
    refused(Status::Running, store.wake_run(wake("p", &["a"], 4)).await.err());
    refused(Status::Running, store.wake_run(wake("p", &[], 4)).await.err());
    store.suspend_run(suspend(&held, &["a"], 5)).await.unwrap();
    store.wake_run(wake("p", &[], 6)).await.unwrap().unwrap();
    refused(Status::Pending, store.wake_run(wake("p", &[], 7)).await.err());
    store.stop_run(&run_id("p"), at(8)).await.unwrap();
    refused(Status::Stopped, store.wake_run(wake("p", &["a"], 9)).await.err());
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [due("p", &["a"])]);
    assert_eq!(store.steps(&run_id("p")).await.unwrap().len(), 1);
}

/// A callback that is not pending, or belongs to another session, rejects the whole wake-up:
/// nothing is written.
pub async fn only_pending_callbacks_of_own_children_wake(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a", "b"]).await;
    end(&store, children.first().unwrap(), 4).await;
    let other = suspended(&store, "q", &["c"]).await;
    end(&store, other.first().unwrap(), 4).await;
    let last = store.last_event().await.unwrap();
    for delivers in [["a", "b"], ["a", "c"], ["absent", "a"]] {
        assert_eq!(store.wake_run(wake("p", &delivers, 5)).await.unwrap(), None, "{delivers:?}");
    }
    assert_eq!(store.last_event().await.unwrap(), last);
    assert_eq!(store.steps(&run_id("p")).await.unwrap(), []);
    assert_eq!(waiting_at(&store, 6).await.len(), 2, "both still wait, and both ends are owed");
    store.wake_run(wake("p", &["a"], 7)).await.unwrap().unwrap();
    assert_eq!(waiting_at(&store, 8).await, [waiting("q", 63, &["c"], &[])]);
}

/// However often a run waits, its time limit counts from the first wait.
pub async fn the_first_wait_counts(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a", "b"]).await;
    for (second, attempt, holder, name) in [(10, 1, 0, "a"), (20, 2, 1, "b")] {
        end(&store, children.get(holder).unwrap(), second).await;
        let stale = Wake { attempt: 3 - attempt, ..wake("p", &[name], second + 1) };
        assert!(store.wake_run(stale).await.is_err(), "somebody who saw another delivery wait");
        store.wake_run(Wake { attempt, ..wake("p", &[name], second + 1) }).await.unwrap().unwrap();
        let again = holder_of(&store, second + 2).await;
        let suspended = store.suspend_run(suspend(&again, &[], second + 3)).await.unwrap();
        assert_eq!(suspended.waits_until, Some(at(63)));
    }
    let third = WaitingRun { attempt: 3, ..waiting("p", 63, &[], &[]) };
    assert_eq!(waiting_at(&store, 30).await, [third], "no child is left");
    let numbers = store.steps(&run_id("p")).await.unwrap().into_iter().map(|step| step.number);
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 2]);
}

async fn holder_of(store: &Arc<dyn Store>, seconds: i64) -> Holder {
    holder(&take(store, seconds).await.run)
}

/// If a woken run fails, its callbacks are pending again for its session.
pub async fn a_woken_run_that_fails_returns_its_callbacks(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a"]).await;
    end(&store, children.first().unwrap(), 4).await;
    store.wake_run(wake("p", &["a"], 5)).await.unwrap().unwrap();
    let again = holder_of(&store, 6).await;
    store.finish_run(finish(&again, failed(FailureType::ModelRefused), 7)).await.unwrap();
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [due("p", &["a"])]);
}

/// A run that waited too long fails with the usage of its attempts, and its parent is called back.
pub async fn a_run_that_waited_too_long_fails(store: Arc<dyn Store>) {
    complete(&store, fresh("top"), 1).await;
    let held = begin(&store, child("p", "top")).await;
    let a = begin(&store, child("a", "p")).await;
    let attempts = vec![attempt(1, AttemptOutcome::Waiting)];
    let used = attempt(1, AttemptOutcome::Waiting).usage;
    let report = Report { holder: held.clone(), events: vec![], attempts, steps: vec![], now: at(3) };
    store.report(report).await.unwrap();
    let failure = || Failure::new(FailureType::ChildrenTimedOut, "ses_a did not finish");
    let give_up = async |seconds| store.give_up_waiting(&run_id("p"), failure(), at(seconds)).await.unwrap();
    assert_eq!(give_up(1000).await.status, Status::Running, "it does not wait");
    let waits = store.suspend_run(suspend(&held, &["a"], 4)).await.unwrap();
    let last = store.last_event().await.unwrap();
    assert_eq!(give_up(63).await, waits, "it may still wait");
    assert_eq!(store.last_event().await.unwrap(), last);
    let failed = give_up(64).await;
    assert_eq!(failed.failure.as_ref().map(|failure| failure.kind), Some(FailureType::ChildrenTimedOut));
    assert_eq!((failed.usage, failed.finished_at), (used, Some(at(64))));
    assert_eq!(statuses(&store, "p").await, (Status::Failed, SessionStatus::Failed));
    assert_eq!(give_up(65).await, failed, "once");
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [due("top", &["p"])]);
    end(&store, &a, 70).await;
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [due("top", &["p"]), due("p", &["a"])]);
    let absent = store.give_up_waiting(&run_id("absent"), failure(), at(1)).await;
    assert!(matches!(absent, Err(StoreError::NoRun(_))));
}

/// A run without a runner is stopped immediately, and its children do not wake it afterwards.
pub async fn a_suspended_run_is_stopped_at_once(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a"]).await;
    let stopped = store.stop_run(&run_id("p"), at(4)).await.unwrap();
    assert_eq!((stopped.status, stopped.finished_at), (Status::Stopped, Some(at(4))));
    assert_eq!(store.session(&session_id("p")).await.unwrap().status, SessionStatus::Stopped);
    end(&store, children.first().unwrap(), 5).await;
    assert_eq!(waiting_at(&store, 1000).await, []);
    assert!(store.wake_run(wake("p", &["a"], 6)).await.is_err());
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [due("p", &["a"])]);

    let held = begin(&store, fresh("person")).await;
    let asked = Suspend { suspension: Suspension::Person(Vec::new()), ..suspend(&held, &[], 5) };
    store.suspend_run(asked).await.unwrap();
    assert_eq!(store.stop_run(&run_id("person"), at(6)).await.unwrap().status, Status::Stopped);
}

/// A run that is stopping cannot be suspended: it ends.
pub async fn a_stopping_run_is_not_suspended(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("p")).await;
    begin(&store, child("a", "p")).await;
    store.stop_run(&run_id("p"), at(3)).await.unwrap();
    let ended = store.suspend_run(suspend(&held, &["a"], 4)).await.unwrap();
    let usage = Usage { input_tokens: 10, output_tokens: 20, cost_usd: Some(0.125) };
    assert_eq!((ended.status, ended.usage), (Status::Stopped, usage));
    assert_eq!(waiting_at(&store, 1000).await, []);
}

/// If a run completes before its children, their callbacks go to a later run as usual.
pub async fn a_late_child_is_owed_after_the_end(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a", "b"]).await;
    end(&store, children.first().unwrap(), 4).await;
    store.wake_run(wake("p", &["a"], 5)).await.unwrap().unwrap();
    let again = holder_of(&store, 6).await;
    end(&store, &again, 7).await;
    assert_eq!(statuses(&store, "p").await, (Status::Completed, SessionStatus::Idle));
    end(&store, children.last().unwrap(), 8).await;
    assert_eq!(waiting_at(&store, 1000).await, []);
    assert_eq!(store.due_callbacks(PLENTY).await.unwrap(), [due("p", &["b"])]);
}

/// A waiting run whose only child was removed is found, and a notice is sent.
pub async fn a_removed_child_is_not_waited_for(store: Arc<dyn Store>) {
    let children = suspended(&store, "p", &["a"]).await;
    end(&store, children.first().unwrap(), 4).await;
    let mut notices = store.notices();
    store.remove_session(&session_id("a")).await.unwrap();
    hear(&mut notices, Notice::Changed { run_id: run_id("p"), over: false }).await;
    assert_eq!(waiting_at(&store, 5).await, [waiting("p", 63, &[], &[])]);
    store.wake_run(wake("p", &[], 6)).await.unwrap().unwrap();
    assert_eq!(waiting_at(&store, 7).await, []);
}

/// A conversation that is stored at one runner is continued there, by this run and by later ones.
pub async fn the_conversation_stays_with_its_runner(store: Arc<dyn Store>) {
    let affinity = Demands { hostname: Some("host".into()), ..Demands::default() };
    let demands = Demands { tags: ["eu".to_owned()].into(), ..Demands::default() };
    let submission = fresh("p");
    let run = Run { demands, ..submission.run.clone() };
    let held = begin(&store, Submission { run: run.clone(), ..submission }).await;
    let asked = Suspend { affinity: Some(affinity.clone()), ..suspend(&held, &[], 3) };
    let both = run.demands.and(&affinity).unwrap();
    assert_eq!(store.suspend_run(asked).await.unwrap().demands, both);
    assert_eq!(store.run(&run_id("p")).await.unwrap().demands, both);
    assert_eq!(store.session(&session_id("p")).await.unwrap().affinity, affinity);
    store.wake_run(wake("p", &[], 4)).await.unwrap().unwrap();
    let elsewhere = Profile { hostname: "elsewhere".into(), ..profile() };
    let asking = Claim { profile: elsewhere, ..claim(1, 5) };
    assert_eq!(store.claim_runs(asking).await.unwrap(), []);
    let again = holder_of(&store, 5).await;
    // No runner could have both names.
    let other = Demands { hostname: Some("other".into()), ..Demands::default() };
    let asked = Suspend { affinity: Some(other), ..suspend(&again, &[], 6) };
    assert_eq!(store.suspend_run(asked).await.unwrap().demands, both);
}

/// A suspended child has not finished: its parent stays idle or waiting, and runners count it as
/// unfinished too.
pub async fn a_suspended_child_is_unfinished(store: Arc<dyn Store>) {
    let parent = begin(&store, fresh("p")).await;
    let middle = begin(&store, child("m", "p")).await;
    let bottom = begin(&store, child("b", "m")).await;
    store.suspend_run(suspend(&middle, &["b"], 3)).await.unwrap();
    assert_eq!(store.children_to_come(&session_id("p")).await.unwrap(), [session_id("m")]);
    store.suspend_run(suspend(&parent, &["m"], 4)).await.unwrap();
    assert_eq!(waiting_at(&store, 5).await, []);
    end(&store, &bottom, 6).await;
    assert_eq!(waiting_at(&store, 7).await, [waiting("m", 63, &["b"], &[])]);

    let idle = begin(&store, fresh("idle")).await;
    let held = begin(&store, child("c", "idle")).await;
    let asked = Suspend { suspension: Suspension::Person(Vec::new()), ..suspend(&held, &[], 8) };
    store.suspend_run(asked).await.unwrap();
    end(&store, &idle, 9).await;
    assert_eq!(store.session(&session_id("idle")).await.unwrap().status, SessionStatus::Idle);

    let sync = begin(&store, fresh("sync")).await;
    let submission = child("s", "sync");
    let run = Run { execution_mode: ExecutionMode::Sync, ..submission.run.clone() };
    let held = begin(&store, Submission { run, ..submission }).await;
    store.suspend_run(suspend(&held, &[], 10)).await.unwrap();
    assert_eq!(store.waiting_for_children(&[sync.run_id]).await.unwrap(), 1);
}

/// Reconcilers are notified that a run waits, because its child may have finished just before.
pub async fn suspensions_are_announced(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("p")).await;
    let mut notices = store.notices();
    store.suspend_run(suspend(&held, &["a"], 3)).await.unwrap();
    hear(&mut notices, Notice::Changed { run_id: run_id("p"), over: false }).await;
    let mut notices = store.notices();
    store
        .wake_run(Wake { reason: "the answer is there".into(), ..wake("p", &[], 4) })
        .await
        .unwrap()
        .unwrap();
    hear(&mut notices, Notice::Queued).await;
    take(&store, 5).await;
}
