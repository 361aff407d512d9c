//! Events of a run, sent to a coordinator that rejects some of them.

use std::sync::Arc;

use accord_api::attempt::Outcome;
use accord_api::step::Body;
use accord_api::{Attempt, ErrorName, EventBody, RunnerId};
use accord_executor::StepSink as _;
use serde_json::json;
use tokio::time::Instant;

use super::fake::{Fake, claim, error};
use crate::drive::Observer as _;
use crate::leases::Leases;
use crate::limits::REPORT_PAUSE;
use crate::report::Reporter;

/// Reports three events at once and returns the outcome.
async fn three_events(fake: &Fake) -> Vec<String> {
    let hold = Leases::default().take(&claim("1", "x"), &RunnerId::new("1"), Instant::now());
    let (reporter, sending) = Reporter::start(Arc::new(fake.clone()), &hold);
    for text in ["a", "b", "c"] {
        reporter.event(EventBody::Message { role: "user".to_owned(), text: text.to_owned() }).await;
    }
    drop(reporter);
    sending.await.unwrap();
    fake.calls()
}

#[tokio::test(start_paused = true)]
async fn a_rejected_event_does_not_affect_others() {
    let fake = Fake::new();
    fake.fail_next("events", error(ErrorName::InvalidRequest));
    fake.fail_next("events", error(ErrorName::InvalidRequest));
    let calls = three_events(&fake).await;
    let expected = ["events run_1 3 refused", "events run_1 1 refused", "events run_1 1", "events run_1 1"];
    assert_eq!(calls, expected);
}

#[tokio::test(start_paused = true)]
async fn lost_runs_report_nothing() {
    let fake = Fake::new();
    fake.fail_next("events", error(ErrorName::LeaseLost));
    assert_eq!(three_events(&fake).await, ["events run_1 3 refused"]);
}

/// What happens shortly after each other is one report; an attempt ends it; what has to be saved is sent at once; the rest is handed
/// over for the end.
#[tokio::test(start_paused = true)]
async fn reports_are_gathered_until_they_have_to_be_saved() {
    let fake = Fake::new();
    let hold = Leases::default().take(&claim("1", "x"), &RunnerId::new("1"), Instant::now());
    let (reporter, sending) = Reporter::start(Arc::new(fake.clone()), &hold);
    let message = || EventBody::Message { role: "user".to_owned(), text: "a".to_owned() };
    let step = |text: &str| Body::Message { text: text.to_owned() };
    let begun = Instant::now();
    reporter.event(message()).await;
    reporter.event(message()).await;
    fake.until("events run_1 2").await;
    assert_eq!(begun.elapsed(), REPORT_PAUSE);
    reporter.save(1, step("saved before the work goes on")).await;
    reporter.saved().await;
    assert_eq!(begun.elapsed(), REPORT_PAUSE, "it does not wait");
    reporter.event(message()).await;
    assert!(!reporter.attempt(attempt(1, Outcome::SchemaInvalid), Some(2)).await);
    reporter.attempt(attempt(2, Outcome::Failed), Some(3)).await;
    reporter.event(message()).await;
    reporter.save(4, step("the last")).await;
    let last = reporter.last().await;
    assert_eq!((last.events.len(), last.steps.len(), last.attempts.len()), (1, 1, 0));
    drop(reporter);
    sending.await.unwrap();
    let expected = ["events run_1 2", "events run_1 0", "attempts run_1 1", "attempts run_1 1"];
    assert_eq!(fake.calls(), expected);
}

fn attempt(number: u32, outcome: Outcome) -> Attempt {
    let attempt = json!({
        "number": number, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
        "outcome": outcome, "usage": {"input_tokens": 1, "output_tokens": 1}, "duration_ms": 1, "text": "",
    });
    serde_json::from_value(attempt).unwrap()
}
