//! Events of a run, sent to a coordinator that rejects some of them.

use std::sync::Arc;

use accord_api::{ErrorName, EventBody, RunnerId};
use tokio::time::Instant;

use super::fake::{Fake, claim, error};
use crate::drive::Observer as _;
use crate::leases::Leases;
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
