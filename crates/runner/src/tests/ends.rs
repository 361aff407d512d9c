//! Results of runs, and how they are reported.

use std::sync::Arc;

use accord_api::{Demands, ErrorName, FailureType, FinishStatus, Profile, Usage};
use tokio::time::Instant;

use super::fake::{Fake, Running, claim, claim_under, error, unreachable};
use crate::assignment::{Assignment, Known};
use crate::finish::affinity;

#[tokio::test(start_paused = true)]
async fn a_run_is_claimed_worked_on_and_reported() {
    let fake = Fake::new();
    fake.queue("1", "hello");
    let running = Running::start(&fake, 2);
    fake.until("finish run_1 completed").await;
    let fake = running.end().await;
    let calls = fake.calls();
    let about: Vec<_> = calls.iter().filter(|call| call.contains("run_1")).map(String::as_str).collect();
    assert_eq!(about, ["claimed run_1", "opened run_1", "finish run_1 completed"]);
    assert!(calls.contains(&"claim 2 for rnr_1".to_owned()), "{calls:?}");
    assert_eq!(calls.last().map(String::as_str), Some("unregister rnr_1"));
    let finish = fake.finishes().remove(0);
    let last = finish.report.unwrap();
    assert_eq!((last.events.len(), last.steps.len(), last.attempts.len(), last.step), (1, 1, 1, Some(2)));
    assert_eq!(finish.result_text.as_deref(), Some("hello"));
    assert_eq!(finish.conversation.as_ref().map(|value| value.get()), Some("[\"so far\"]"));
    assert_eq!(finish.holding.lease_id.as_str(), "lse_1");
}

#[tokio::test(start_paused = true)]
async fn a_value_under_a_contract_is_reported_as_data() {
    let fake = Fake::new();
    fake.queue_claim(claim_under("1", "{\"n\": 1e2}"));
    let running = Running::start(&fake, 1);
    fake.until("finish run_1 completed").await;
    let finish = running.end().await.finishes().remove(0);
    assert_eq!(finish.result_text, None);
    assert_eq!(finish.result_data.as_ref().map(|value| value.get()), Some("{\"n\":1e2}"));
    assert_eq!(finish.raw.as_deref(), Some("{\"n\": 1e2}"));
    assert_eq!(finish.validation.map(|validation| validation.schema_hash), Some("sha256:x".into()));
}

#[tokio::test(start_paused = true)]
async fn a_result_is_reported_until_acknowledged() {
    let fake = Fake::new();
    for _ in 0..5 {
        fake.fail_next("finish", unreachable());
    }
    fake.fail_next("finish", error(ErrorName::StoreUnavailable));
    fake.queue("1", "hello");
    let running = Running::start(&fake, 1);
    fake.until("finish run_1 completed").await;
    assert_eq!(running.end().await.finishes().len(), 7);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_applies_before_the_first_request() {
    let fake = Fake::new();
    fake.queue("1", "slow program");
    let mut never = claim("2", "never");
    never.blueprint = serde_json::value::to_raw_value(&serde_json::json!({
        "name": "a",
        "executor": {"type": "llm", "provider": "p", "model": "m"},
        "limits": {"timeout_seconds": 8},
    }))
    .unwrap();
    fake.queue_claim(never);
    let (running, began) = (Running::start(&fake, 2), Instant::now());
    fake.until("finish run_2 failed").await;
    assert_eq!(began.elapsed().as_secs(), 8);
    let failures: Vec<_> =
        running.end().await.finishes().into_iter().filter_map(|finish| finish.error).collect();
    for (failure, seconds) in failures.iter().zip([2, 8]) {
        assert_eq!(failure.kind, FailureType::TimedOut);
        let expected = format!(
            "the executor was not ready in time: no result within {seconds} seconds; raise timeout_seconds, or ask for less"
        );
        assert_eq!(failure.message, expected);
    }
    assert_eq!(failures.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_the_coordinator_rejects_is_a_failed_contract() {
    let fake = Fake::new();
    fake.fail_next("finish", error(ErrorName::ContractViolation));
    fake.queue_claim(claim_under("1", "{\"n\": 1}"));
    let running = Running::start(&fake, 1);
    fake.until("finish run_1 failed").await;
    let mut finishes = running.end().await.finishes();
    assert_eq!(finishes[0].usage, finishes[1].usage, "what was used is told all the same");
    assert_ne!(finishes[1].usage, Usage::default());
    let finish = finishes.remove(1);
    let failure = finish.error.unwrap();
    assert_eq!(failure.kind, FailureType::SchemaValidationFailed);
    assert_eq!(failure.message, "the coordinator rejected the result: it is ContractViolation");
    assert!(finish.result_data.is_none());
}

#[tokio::test(start_paused = true)]
async fn the_result_of_a_lost_run_is_dropped() {
    for name in [ErrorName::LeaseLost, ErrorName::RunNotFound] {
        let fake = Fake::new();
        fake.fail_next("finish", error(name));
        fake.queue("1", "hello");
        fake.queue("2", "hello");
        let running = Running::start(&fake, 1);
        fake.until("finish run_2 completed").await;
        assert_eq!(running.end().await.finishes().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn an_oversized_report_is_reduced_to_the_result() {
    let fake = Fake::new();
    fake.fail_next("finish", error(ErrorName::RequestTooLarge));
    fake.fail_next("finish", error(ErrorName::RequestTooLarge));
    fake.queue_claim(claim_under("1", "{\"n\": 1e2}"));
    let running = Running::start(&fake, 1);
    fake.until("finish run_1 completed").await;
    let finishes = running.end().await.finishes();
    let told: Vec<_> = finishes
        .iter()
        .map(|finish| {
            let data = finish.result_data.as_ref().map(|value| value.get());
            let report = finish.report.is_some();
            (report, data, finish.raw.is_some(), finish.conversation.is_some(), finish.validation.is_some())
        })
        .collect();
    let data = Some("{\"n\":1e2}");
    assert_eq!(
        told,
        [(true, data, true, true, true), (false, data, true, true, true), (false, data, false, false, true)]
    );
}

#[tokio::test(start_paused = true)]
async fn an_oversized_result_fails_the_run() {
    let fake = Fake::new();
    fake.fail_next("finish", error(ErrorName::RequestTooLarge));
    fake.fail_next("finish", error(ErrorName::RequestTooLarge));
    fake.fail_next("finish", error(ErrorName::RequestTooLarge));
    fake.queue("1", "hello");
    let running = Running::start(&fake, 1);
    fake.until("finish run_1 failed").await;
    let failure = running.end().await.finishes().remove(3).error.unwrap();
    assert_eq!(failure.kind, FailureType::ExecutorFailed);
    assert_eq!(failure.message, "the coordinator rejected the result: it is RequestTooLarge");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_rejected_twice_is_dropped() {
    let fake = Fake::new();
    fake.fail_next("finish", error(ErrorName::InvalidRequest));
    fake.fail_next("finish", error(ErrorName::InvalidRequest));
    fake.fail_next("finish", error(ErrorName::InvalidRequest));
    fake.queue("1", "hello");
    fake.queue("2", "hello");
    let running = Running::start(&fake, 1);
    fake.until("finish run_2 completed").await;
    let finishes = running.end().await.finishes();
    assert_eq!(finishes.len(), 4);
    assert_eq!(finishes[2].error.as_ref().map(|error| error.kind), Some(FailureType::ExecutorFailed));
    assert!(finishes[2].conversation.is_none());
}

/// What the coordinator does not take together with the end is reported by itself, and then the end.
#[tokio::test(start_paused = true)]
async fn an_end_is_reported_without_what_is_rejected() {
    let fake = Fake::new();
    fake.fail_next("finish", error(ErrorName::InvalidRequest));
    fake.fail_next("attempts", error(ErrorName::InvalidRequest));
    fake.fail_next("events", error(ErrorName::InvalidRequest));
    fake.queue("1", "hello");
    let running = Running::start(&fake, 1);
    fake.until("finish run_1 completed").await;
    let fake = running.end().await;
    let calls = fake.calls();
    let about: Vec<_> = calls.iter().filter(|call| call.contains("run_1")).map(String::as_str).collect();
    let expected = [
        "claimed run_1",
        "opened run_1",
        "finish run_1 completed refused",
        "attempts run_1 1 refused",
        "events run_1 1 refused",
        "events run_1 0",
        "attempts run_1 1",
        "finish run_1 completed",
    ];
    assert_eq!(about, expected);
    let told: Vec<bool> = fake.finishes().iter().map(|finish| finish.report.is_some()).collect();
    assert_eq!(told, [true, false]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_its_run_and_nothing_else() {
    let fake = Fake::new();
    fake.queue("1", "break");
    fake.queue("2", "hello");
    let running = Running::start(&fake, 1);
    fake.until("finish run_2 completed").await;
    let failure = running.end().await.finishes().remove(0).error.unwrap();
    assert_eq!(failure.kind, FailureType::ExecutorFailed);
    assert!(failure.message.contains("something broke"), "{}", failure.message);
}

#[tokio::test(start_paused = true)]
async fn unreadable_assignments_fail_with_a_reason() {
    let fake = Fake::new();
    fake.queue("1", "no key");
    let mut codex = claim("2", "x");
    codex.blueprint =
        serde_json::value::to_raw_value(&serde_json::json!({"name": "a", "executor": {"type": "codex"}}))
            .unwrap();
    fake.queue_claim(codex);
    let mut unknown = claim("3", "x");
    unknown.blueprint =
        serde_json::value::to_raw_value(&serde_json::json!({"name": "a", "executor": {"type": "new"}}))
            .unwrap();
    fake.queue_claim(unknown);
    let mut elsewhere = claim("4", "x");
    elsewhere.project_dir = Some("/q".into());
    fake.queue_claim(elsewhere);
    let running = Running::start(&fake, 1);
    fake.until("finish run_4 failed").await;
    let finishes = running.end().await.finishes();
    let messages: Vec<_> = finishes.iter().map(|finish| finish.error.clone().unwrap().message).collect();
    assert_eq!(messages[0], "there is no key");
    assert_eq!(messages[1], "this runner has no executor 'codex'; it has: llm");
    assert!(messages[2].starts_with("this runner cannot use the blueprint of this run"), "{}", messages[2]);
    assert_eq!(messages[3], "the run requires the folder '/q', but this runner works on '/p'");
    assert!(finishes.iter().all(|finish| finish.status == FinishStatus::Failed));
}

#[tokio::test(start_paused = true)]
async fn reports_wait_for_an_unreachable_coordinator() {
    let fake = Fake::new();
    fake.fail_next("attempts", unreachable());
    fake.fail_next("attempts", error(ErrorName::StoreUnavailable));
    fake.queue_claim(claim_under("1", "no value"));
    let running = Running::start(&fake, 1);
    fake.until("finish run_1 failed").await;
    let calls = running.end().await.calls();
    let about: Vec<_> = calls.iter().filter(|call| call.contains("run_1")).map(String::as_str).collect();
    assert_eq!(
        about,
        [
            "claimed run_1",
            "opened run_1",
            "attempts run_1 1 refused",
            "attempts run_1 1 refused",
            "attempts run_1 1",
            "finish run_1 failed"
        ]
    );
}

#[test]
fn runs_of_one_agent_share_parsed_documents() {
    let known = Known::default();
    let read = |claim| Assignment::read(&claim, &known, "here", &accord_contract::Meter::default()).unwrap();
    let (first, second) = (read(claim_under("1", "hello")), read(claim_under("2", "good day")));
    assert_eq!(
        (&first.parameters["prompt"], &second.parameters["prompt"]),
        (&"hello".into(), &"good day".into())
    );
    assert!(Arc::ptr_eq(&first.agent, &second.agent) && Arc::ptr_eq(&first.settings, &second.settings));
    let (first, second) = (first.terms.unwrap(), second.terms.unwrap());
    assert!(Arc::ptr_eq(&first, &second));
    assert!(Arc::ptr_eq(
        &first.lowered("openai", &accord_contract::Meter::default()).unwrap(),
        &second.lowered("openai", &accord_contract::Meter::default()).unwrap()
    ));
    assert!(first.lowered("nobody", &accord_contract::Meter::default()).unwrap_err().contains("'nobody'"));
}

#[test]
fn a_session_of_a_cli_stays_on_the_host_of_its_transcript() {
    let profile = Profile { hostname: "h".into(), project_dir: "/p".into(), ..Profile::default() };
    let of = |executor: serde_json::Value| {
        let blueprint = serde_json::json!({"name": "a", "executor": executor});
        let mut claim = claim("1", "x");
        claim.blueprint = serde_json::value::to_raw_value(&blueprint).unwrap();
        affinity(
            &Assignment::read(&claim, &Known::default(), "here", &accord_contract::Meter::default()).unwrap(),
            &profile,
        )
    };
    let there = Demands { hostname: Some("h".into()), project_dir: Some("/p".into()), ..Demands::default() };
    for cli in ["claude-code", "codex"] {
        assert_eq!(of(serde_json::json!({"type": cli})), Some(there.clone()), "{cli}");
    }
    assert_eq!(of(serde_json::json!({"type": "llm", "provider": "openai", "model": "m"})), None);
}
