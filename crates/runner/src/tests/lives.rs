//! Leases, stops, shutdowns, and coordinators that come and go.

use accord_api::{ErrorName, FinishStatus, RunDirective};
use tokio::time::Instant;

use super::fake::{Fake, Running, error, pass, unreachable};
use crate::limits::{BEGINNING_AT_ONCE, REQUESTS_AT_ONCE};
use crate::runner::RunnerError;

fn statuses(fake: &Fake) -> Vec<FinishStatus> {
    fake.finishes().iter().map(|finish| finish.status).collect()
}

/// A runner that works on a run that never ends.
async fn at_work() -> (Fake, Running) {
    let fake = Fake::new();
    fake.queue("1", "hang");
    let running = Running::start(&fake, 1);
    fake.until("heartbeat 1").await;
    (fake, running)
}

#[tokio::test(start_paused = true)]
async fn a_stop_takes_effect_at_once() {
    let fake = Fake::new();
    fake.queue("1", "hang");
    let running = Running::start(&fake, 1);
    fake.until("events run_1 1").await;
    fake.until("heartbeat 1").await;
    let asked_at = Instant::now();
    fake.direct("1", RunDirective::Stop);
    fake.until("finish run_1 stopped").await;
    assert!(asked_at.elapsed().as_millis() < 100, "{:?}", asked_at.elapsed());
    let finish = running.end().await.finishes().remove(0);
    assert_eq!(finish.status, FinishStatus::Stopped);
    assert!(finish.conversation.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_lost_run_is_dropped_without_a_report() {
    let (fake, running) = at_work().await;
    fake.direct("1", RunDirective::Lost);
    fake.queue("2", "hello");
    fake.until("finish run_2 completed").await;
    assert_eq!(statuses(&running.end().await), [FinishStatus::Completed]);
}

#[tokio::test(start_paused = true)]
async fn leases_are_renewed_during_work() {
    let (fake, running) = at_work().await;
    pass(300).await;
    fake.direct("1", RunDirective::Stop);
    fake.until("finish run_1 stopped").await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn work_is_dropped_when_its_lease_must_have_expired() {
    let (fake, running) = at_work().await;
    fake.set_down(true);
    pass(60).await;
    fake.set_down(false);
    fake.queue("2", "hello");
    fake.until("finish run_2 completed").await;
    assert_eq!(statuses(&running.end().await), [FinishStatus::Completed]);
}

#[tokio::test(start_paused = true)]
async fn a_finished_result_is_reported_even_after_its_lease() {
    let fake = Fake::new();
    for _ in 0..3 {
        fake.fail_next("events", unreachable());
    }
    fake.queue("1", "slow");
    let running = Running::start(&fake, 1);
    fake.until("events run_1 1 refused").await;
    fake.set_down(true);
    pass(60).await;
    fake.set_down(false);
    fake.until("finish run_1 completed").await;
    let calls = running.end().await.calls();
    let told: Vec<&str> = calls.iter().map(String::as_str).filter(|call| call.contains("run_1")).collect();
    assert_eq!(told.last_chunk(), Some(&["events run_1 1", "finish run_1 completed"]), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_short_outage_of_the_coordinator_loses_nothing() {
    let (fake, running) = at_work().await;
    fake.set_down(true);
    pass(12).await;
    fake.set_down(false);
    fake.direct("1", RunDirective::Stop);
    fake.until("finish run_1 stopped").await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_runner_registers_again() {
    for call in ["claim", "heartbeat"] {
        let fake = Fake::new();
        fake.fail_next(call, error(ErrorName::RunnerNotFound));
        let running = Running::start(&fake, 1);
        fake.until("claim 1 for rnr_2").await;
        let fake = running.end().await;
        assert_eq!(fake.registrations(), 2);
        assert!(fake.calls().contains(&"unregister rnr_2".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_runner_stopped_while_registering_deregisters() {
    let fake = Running::start(&Fake::new(), 1).end().await;
    assert_eq!(fake.calls(), ["register", "unregister rnr_1"]);
}

#[tokio::test(start_paused = true)]
async fn a_runner_waits_for_its_coordinator() {
    let fake = Fake::new();
    fake.fail_next("register", unreachable());
    fake.fail_next("register", error(ErrorName::StoreUnavailable));
    let running = Running::start(&fake, 1);
    fake.until("claim 1 for rnr_1").await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_rejected_runner_reports_the_reason() {
    let fake = Fake::new();
    fake.fail_next("register", error(ErrorName::Unauthorized));
    let RunnerError::Refused(cause) = Running::start(&fake, 1).ended().await.unwrap_err();
    assert!(cause.is(ErrorName::Unauthorized));
}

/// A runner with two slots, both taken, and a third pending run.
async fn full(fake: &Fake) -> Running {
    for id in ["1", "2", "3"] {
        fake.queue(id, "hang");
    }
    let running = Running::start(fake, 2);
    fake.until("heartbeat 2").await;
    assert!(!fake.calls().contains(&"claimed run_3".to_owned()));
    running
}

#[tokio::test(start_paused = true)]
async fn claims_are_limited_by_the_slots() {
    let fake = Fake::new();
    let running = full(&fake).await;
    fake.direct("1", RunDirective::Stop);
    fake.until("claimed run_3").await;
    running.shutdown.signal();
    running.shutdown.signal();
    let claims: Vec<_> = fake.calls().into_iter().filter(|call| call.starts_with("claim ")).collect();
    assert_eq!(claims, ["claim 2 for rnr_1", "claim 1 for rnr_1"]);
    running.ended().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn runs_that_wait_for_children_free_their_slots() {
    let fake = Fake::new();
    let running = full(&fake).await;
    fake.set_waiting(1);
    fake.until("claimed run_3").await;
    fake.queue("4", "hang");
    fake.until("heartbeat 3").await;
    assert!(!fake.calls().contains(&"claimed run_4".to_owned()));
    running.shutdown.signal();
    running.shutdown.signal();
    running.ended().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn few_reports_are_sent_at_once() {
    let fake = Fake::new();
    let many = u32::try_from(REQUESTS_AT_ONCE).unwrap() * 3;
    for id in 0..many {
        fake.queue(&id.to_string(), "hello");
    }
    let running = Running::start(&fake, many);
    fake.until_finished(many).await;
    assert_eq!(fake.most_at_once(), REQUESTS_AT_ONCE);
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn shutdown_lets_work_finish_and_releases_the_rest() {
    let fake = Fake::new();
    fake.queue("1", "hang");
    fake.queue("2", "hang");
    let running = Running::start(&fake, 2);
    fake.until("heartbeat 2").await;
    let told_at = Instant::now();
    running.shutdown.signal();
    fake.queue("3", "hello");
    fake.direct("1", RunDirective::Stop);
    fake.until("finish run_1 stopped").await;
    running.ended().await.unwrap();
    assert_eq!(statuses(&fake), [FinishStatus::Stopped, FinishStatus::Released]);
    assert_eq!(told_at.elapsed().as_secs(), 30);
    assert!(fake.finishes()[1].conversation.is_none());
    assert!(!fake.calls().contains(&"claimed run_3".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_second_signal_ends_work_immediately() {
    let (fake, running) = at_work().await;
    let told_at = Instant::now();
    running.shutdown.signal();
    running.shutdown.signal();
    running.ended().await.unwrap();
    assert_eq!(statuses(&fake), [FinishStatus::Released]);
    assert!(told_at.elapsed().as_secs() < 1);
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_coordinator_does_not_delay_the_shutdown() {
    let (fake, running) = at_work().await;
    fake.set_down(true);
    let told_at = Instant::now();
    running.shutdown.signal();
    running.shutdown.signal();
    running.ended().await.unwrap();
    assert!(told_at.elapsed().as_secs() <= 30, "{:?}", told_at.elapsed());
    assert_eq!(fake.finishes().iter().filter(|finish| finish.status != FinishStatus::Released).count(), 0);
}

#[tokio::test(start_paused = true)]
async fn claims_pause_while_many_runs_start() {
    let fake = Fake::new();
    for number in 0..300 {
        fake.queue(&number.to_string(), "hello");
    }
    let running = Running::start(&fake, 1000);
    fake.until_finished(300).await;
    let (mut begins, mut most) = (0_usize, 0);
    for call in running.end().await.calls() {
        match call.split_once(' ') {
            Some(("claimed", _)) => begins += 1,
            Some(("opened", _)) => begins -= 1,
            _ => {}
        }
        most = most.max(begins);
    }
    assert_eq!((begins, most), (0, BEGINNING_AT_ONCE));
}
