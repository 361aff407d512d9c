//! A run fails if, and only if, no matching runner exists for the whole grace period.

use serde_json::json;

use super::support::{Desk, settings};

/// The status of a run after the reconcilers of this coordinator have run.
async fn seen_by(desk: &Desk, run: &str) -> String {
    desk.reconcile().await;
    desk.get(&format!("/runs/{run}")).await.1["status"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_new_coordinator_waits_for_runners() {
    let desk = Desk::with_writer().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    desk.pass(1_000);
    let restarted = desk.another();
    assert_eq!(seen_by(&restarted, &run).await, "pending");
    desk.pass(299);
    assert_eq!(seen_by(&restarted, &run).await, "pending");
    desk.pass(2);
    assert_eq!(seen_by(&restarted, &run).await, "failed");
}

#[tokio::test]
async fn a_runner_that_left_may_come_back() {
    let desk = Desk::with_writer().await;
    let (leaving, other) = (desk.another(), desk.another());
    let runner = leaving.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    for coordinator in [&desk, &other] {
        assert_eq!(seen_by(coordinator, &run).await, "pending");
    }
    desk.pass(290);
    assert_eq!(leaving.delete(&format!("/runner/{runner}")).await.0, 204);
    for seconds in [0, 20, 269] {
        desk.pass(seconds);
        for coordinator in [&desk, &leaving, &other] {
            assert_eq!(seen_by(coordinator, &run).await, "pending", "{seconds}");
        }
    }
    desk.pass(12);
    assert_eq!(seen_by(&desk, &run).await, "failed");
}

#[tokio::test]
async fn silence_counts_from_the_last_request() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    desk.pass(200);
    desk.post("/runner/heartbeat", json!({"runner_id": runner, "runs": []})).await;
    desk.pass(299);
    assert_eq!(seen_by(&desk, &run).await, "pending");
    desk.pass(2);
    assert_eq!(seen_by(&desk, &run).await, "failed");
}

#[tokio::test]
async fn a_coordinator_of_one_runner_ignores_other_runs() {
    let desk = Desk::with_writer().await;
    let own = desk.of_runner("accord-run-1-x");
    let runner = own.runner_with(json!({"executor_types": ["llm"], "tags": ["accord-run-1-x"]})).await;
    let body = json!({"agent_name": "writer", "prompt": "a"});
    let (others, session) = desk.run(body.clone()).await;
    let nowhere = json!({"agent_name": "writer", "prompt": "a", "additional_demands": {"tags": ["moon"]}});
    let (nowhere, _) = own.run(nowhere).await;
    let called_back = json!({
        "agent_name": "writer", "prompt": "a", "parent_session_id": session, "execution_mode": "async_callback",
    });
    let (called_back, _) = own.run(called_back).await;
    let (ours, _) = own.run(body).await;
    assert_eq!(own.claim(&runner).await.run_id, ours);
    assert_eq!(
        own.post("/runner/claims", json!({"runner_id": runner, "max": 9})).await.1,
        json!({"runs": []})
    );
    desk.pass(301);
    let seen =
        [seen_by(&own, &others).await, seen_by(&own, &called_back).await, seen_by(&own, &nowhere).await];
    assert_eq!(seen, ["pending", "pending", "failed"]);
}

#[tokio::test]
async fn a_coordinator_of_one_runner_does_not_wait_for_others() {
    let desk = Desk::with_writer().await;
    let own = desk.of_runner("accord-run-1-x");
    let body =
        |tag: &str| json!({"agent_name": "writer", "prompt": "a", "additional_demands": {"tags": [tag]}});
    let (nowhere, _) = own.run(body("moon")).await;
    let (met, _) = own.run(body("sun")).await;
    desk.pass(1);
    assert_eq!(seen_by(&own, &nowhere).await, "pending", "its runner has yet to come");
    own.runner_with(json!({"executor_types": ["llm"], "tags": ["accord-run-1-x", "sun"]})).await;
    let seen = [seen_by(&own, &nowhere).await, seen_by(&own, &met).await];
    assert_eq!(seen, ["failed", "pending"]);
    // A runner that was silent for long, for example on a suspended machine, is still the one that
    // will claim it.
    desk.pass(200);
    assert_eq!(seen_by(&own, &met).await, "pending");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_coordinator_waits_for_runners() {
    let mut settings = settings();
    (settings.queue.lease_seconds, settings.queue.match_timeout_seconds) = (3, 2);
    let desk = Desk::with(settings);
    desk.agent(json!({"name": "writer"})).await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let nowhere = json!({"agent_name": "writer", "prompt": "a", "additional_demands": {"tags": ["moon"]}});
    let (nowhere, _) = desk.run(nowhere).await;
    desk.pass(100);
    // Meanwhile the background work runs a few times.
    let look = format!("/runs/{nowhere}?wait=1");
    assert_eq!(desk.get(&look).await.1["status"], "pending");
    while desk.get(&look).await.1["status"] == "pending" {
        desk.post("/runner/heartbeat", json!({"runner_id": runner, "runs": []})).await;
        desk.pass(1);
    }
    assert_eq!(desk.get(&format!("/runs/{nowhere}")).await.1["error"]["type"], "no_matching_runner");
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["status"], "pending");
}
