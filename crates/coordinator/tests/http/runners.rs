//! Runners: registration, claims, heartbeats, lost runners.

use accord_coordinator::Background;
use serde_json::{Value, json};

use crate::support::{Desk, refused, settings, text, woken};

#[tokio::test]
async fn a_runner_registers_and_is_listed() {
    let desk = Desk::new();
    let profile = json!({"hostname": "h", "executor_types": ["llm"], "concurrency": 2, "version": "1"});
    let (status, registered) = desk.post("/runner/register", json!({"profile": profile})).await;
    let id = text(&registered, "runner_id");
    let expected = json!({"runner_id": id, "lease_seconds": 30, "heartbeat_seconds": 10});
    assert_eq!((status, registered), (201, expected));
    desk.pass(60);
    let (_, runners) = desk.get("/runners").await;
    let whole = json!({
        "hostname": "h", "project_dir": "", "executor_types": ["llm"], "held_executor_types": [], "tags": [],
        "concurrency": 2, "version": "1",
    });
    let expected = json!({
        "items": [{
            "runner_id": id, "profile": whole, "alive": false,
            "registered_at": "2026-11-01T00:00:00Z", "seen_at": "2026-11-01T00:00:00Z",
        }],
        "next_cursor": null,
    });
    assert_eq!(runners, expected);
    assert_eq!(
        desk.post("/runner/heartbeat", json!({"runner_id": id, "runs": []})).await,
        (200, json!({"runs": []}))
    );
    assert_eq!(desk.get("/runners").await.1["items"][0]["alive"], true);
    assert_eq!(desk.delete(&format!("/runner/{id}")).await, (204, Value::Null));
    assert_eq!(refused(&desk.delete(&format!("/runner/{id}")).await), (404, "RunnerNotFound"));
    let stranger = json!({"profile": {"executor_types": ["llm"], "held_executor_types": ["external"]}});
    assert_eq!(refused(&desk.post("/runner/register", stranger).await), (400, "InvalidRequest"));
}

#[tokio::test]
async fn only_registered_runners_claim_and_are_alive() {
    let desk = Desk::with_writer().await;
    desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let claim = json!({"runner_id": "rnr_none", "max": 1});
    assert_eq!(refused(&desk.post("/runner/claims", claim).await), (404, "RunnerNotFound"));
    let beat = json!({"runner_id": "rnr_none", "runs": []});
    assert_eq!(refused(&desk.post("/runner/heartbeat", beat).await), (404, "RunnerNotFound"));
    let runner = desk.runner().await;
    for claim in [json!({"max": 0}), json!({"max": 1, "wait_seconds": 61})] {
        let mut claim = claim;
        claim["runner_id"] = json!(runner);
        assert_eq!(refused(&desk.post("/runner/claims", claim).await), (400, "InvalidRequest"));
    }
    let claim = json!({"runner_id": runner, "max": 1});
    assert_eq!(desk.post("/runner/claims", claim.clone()).await.0, 200);
    desk.delete(&format!("/runner/{runner}")).await;
    assert_eq!(refused(&desk.post("/runner/claims", claim).await), (404, "RunnerNotFound"));
}

async fn is_alive(desk: &Desk, runner: &str) -> bool {
    let (_, runners) = desk.get("/runners").await;
    let mut runners = runners["items"].as_array().unwrap().iter();
    runners.find(|known| known["runner_id"] == runner).unwrap()["alive"] == true
}

#[tokio::test]
async fn every_request_of_a_runner_shows_that_it_is_alive() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let claim = json!({"runner_id": runner, "max": 1});
    desk.pass(31);
    assert!(!is_alive(&desk, &runner).await);
    assert_eq!(desk.post("/runner/claims", claim).await.0, 200);
    assert!(is_alive(&desk, &runner).await);
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let events = json!({"holding": held.holding, "events": []});
    let attempts = json!({"holding": held.holding, "attempts": []});
    let finish = json!({"holding": held.holding, "status": "completed", "result_text": "t"});
    let path = |step: &str| format!("/runner/runs/{run}/{step}");
    let reports =
        [("started", held.holding.clone()), ("events", events), ("attempts", attempts), ("finish", finish)];
    for (step, report) in reports {
        desk.pass(31);
        assert!(!is_alive(&desk, &runner).await, "before {step}");
        let answer = desk.post(&path(step), report).await;
        assert!(answer.0 < 300, "{answer:?}");
        assert!(is_alive(&desk, &runner).await, "after {step}");
    }
    desk.delete(&format!("/runner/{runner}")).await;
    desk.pass(31);
    let gone = json!({"runner_id": runner, "max": 1});
    assert_eq!(refused(&desk.post("/runner/claims", gone).await), (404, "RunnerNotFound"));
}

#[tokio::test]
async fn last_seen_is_written_rarely() {
    let desk = Desk::new();
    let runner = desk.runner().await;
    let mut seen = Vec::new();
    for _ in 0..6 {
        desk.pass(4);
        desk.post("/runner/claims", json!({"runner_id": runner, "max": 1})).await;
        seen.push(text(&desk.get("/runners").await.1["items"][0], "seen_at"));
    }
    let expected = ["00", "00", "12", "12", "12", "24"].map(|second| format!("2026-11-01T00:00:{second}Z"));
    assert_eq!(seen, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_waits_shows_that_its_runner_is_alive() {
    let mut settings = settings();
    settings.queue.lease_seconds = 1;
    let desk = Desk::with(settings);
    let runner = desk.runner().await;
    let mut claim =
        Box::pin(desk.post("/runner/claims", json!({"runner_id": runner, "max": 1, "wait_seconds": 30})));
    assert!(futures_util::poll!(&mut claim).is_pending());
    desk.pass(60);
    let alive = async {
        while !is_alive(&desk, &runner).await {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        answer = claim => assert_eq!(answer.0, 0, "it waits, and its runner is dead"),
        () = alive => {}
    }
}

#[tokio::test]
async fn a_claim_contains_everything_for_the_run() {
    let desk = Desk::new();
    let blueprint = json!({
        "name": "full",
        "executor": {"type": "llm", "provider": "anthropic", "model": "small"},
        "escalate_to": ["large"],
        "output_schema": {"type": "object", "properties": {"a": {"type": "string"}}},
    });
    desk.agent(blueprint).await;
    let runner = desk.runner().await;
    let fact = |model: &str| json!({"endpoint": "anthropic https://e", "model": model, "feature": "native", "verdict": "refused", "at": "2026-11-01T00:00:00Z"});
    let body = json!({"agent_name": "full", "prompt": "a", "model": "other", "project_dir": ""});
    assert_eq!(refused(&desk.post("/runs", body).await), (400, "InvalidRequest"));
    let (run, session) = desk.run(json!({"agent_name": "full", "prompt": "a", "model": "other"})).await;
    let held = desk.claim(&runner).await;
    let expected = json!({
        "run_id": run,
        "session_id": session,
        "parent_session_id": null,
        "lease_id": held.holding["lease_id"],
        "attempt": 1,
        "lease_seconds": 30,
        "type": "start_session",
        "agent_name": "full",
        "blueprint": held.run["blueprint"],
        "parameters": {"prompt": "a"},
        "contract": held.run["contract"],
        "held_by_coordinator": false,
        "retry_count": 0,
        "retry_prompt": null,
        "conversation": null,
        "model": "other",
        "project_dir": null,
        "facts": [],
        "spent": {"usage": {"input_tokens": 0, "output_tokens": 0}, "retries": 0, "attempts": 0, "milliseconds": 0},
    });
    assert_eq!(held.run, expected);
    assert_eq!(held.run["blueprint"]["name"], "full");
    assert_eq!(held.run["contract"]["origin"], "blueprint");
    let facts = [fact("large"), fact("nobody's"), fact("other")];
    let end =
        json!({"status": "failed", "error": {"type": "executor_failed", "message": "m"}, "facts": facts});
    assert_eq!(desk.finish(&held, end).await.0, 200);
    desk.run(json!({"agent_name": "full", "prompt": "a"})).await;
    let barred = |model: &str, feature: &str| json!({"endpoint": "anthropic https://e", "model": model, "feature": feature, "standing": "barred", "good": 0.0, "bad": 12.0, "last_seen": "2026-11-01T00:00:00Z"});
    assert_eq!(desk.claim(&runner).await.run["facts"], json!([barred("large", "native")]));
    // Facts about one schema are only sent with runs of that schema.
    let hash = text(&held.run["contract"], "schema_hash");
    let of = |hash: &str| json!({"endpoint": "anthropic https://e", "model": "small", "feature": format!("native#{hash}"), "verdict": "refused", "at": "2026-11-01T00:00:00Z"});
    desk.run(json!({"agent_name": "full", "prompt": "a"})).await;
    let end = json!({"status": "failed", "error": {"type": "executor_failed", "message": "m"},
                     "facts": [of(&hash), of("sha256:another")]});
    assert_eq!(desk.finish(&desk.claim(&runner).await, end).await.0, 200);
    desk.run(json!({"agent_name": "full", "prompt": "a"})).await;
    assert_eq!(
        desk.claim(&runner).await.run["facts"],
        json!([barred("large", "native"), barred("small", &format!("native#{hash}"))])
    );
    desk.pass(8 * 24 * 3600);
    let again = desk.runner().await;
    desk.run(json!({"agent_name": "full", "prompt": "a"})).await;
    let facts = &desk.claim(&again).await.run["facts"];
    assert_eq!(facts[0]["standing"], "unknown", "after a week it is tried again: {facts}");
}

#[tokio::test]
async fn evidence_is_about_models_and_providers_of_the_run_and_from_contracts_that_were_met() {
    let desk = Desk::new();
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let executor = json!({"type": "llm", "provider": "anthropic", "model": "small"});
    desk.agent(json!({"name": "full", "executor": executor, "output_schema": schema})).await;
    let runner = desk.runner().await;
    let fact = |model: &str, feature: &str, verdict: &str| json!({"endpoint": "anthropic https://e", "model": model, "feature": feature, "verdict": verdict, "at": "2026-11-01T00:00:00Z"});
    let learned = async || {
        let page = desk.get("/endpoints").await.1;
        let pair = |fact: &Value| (text(fact, "model"), text(fact, "feature"));
        page["items"].as_array().unwrap().iter().map(pair).collect::<Vec<_>>()
    };
    let facts = [
        fact("small", "tool", "ignored"),
        fact("foreign", "native", "refused"),
        json!({"endpoint": "openai https://e", "model": "small", "feature": "strict", "verdict": "refused", "at": "2026-11-01T00:00:00Z"}),
        fact("small", "native", "refused"),
    ];
    let failed =
        json!({"status": "failed", "error": {"type": "executor_failed", "message": "m"}, "facts": facts});
    let completed = json!({"status": "completed", "result_data": {"a": "b"}, "facts": facts});
    desk.run(json!({"agent_name": "full", "prompt": "answer in prose"})).await;
    assert_eq!(desk.finish(&desk.claim(&runner).await, failed).await.0, 200);
    assert_eq!(
        learned().await,
        [("small".to_owned(), "native".to_owned())],
        "prose of a failed run is no evidence"
    );
    desk.run(json!({"agent_name": "full", "prompt": "a"})).await;
    assert_eq!(desk.finish(&desk.claim(&runner).await, completed).await.0, 200);
    let pair = |feature: &str| ("small".to_owned(), feature.to_owned());
    assert_eq!(learned().await, [pair("native"), pair("tool")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_claim_is_woken() {
    let desk = Desk::unpolled().await;
    let _background = desk.awake();
    let others = desk.runner_with(json!({"executor_types": ["codex"]})).await;
    let runner = desk.runner().await;
    let waiting =
        |runner: &str, seconds: u32| json!({"runner_id": runner, "max": 4, "wait_seconds": seconds});
    let ((_, idle), (_, claimed), run) = tokio::join!(
        desk.post("/runner/claims", waiting(&others, 1)),
        woken(desk.post("/runner/claims", waiting(&runner, 60))),
        async {
            tokio::task::yield_now().await;
            desk.run(json!({"agent_name": "writer", "prompt": "a"})).await.0
        },
    );
    assert_eq!(idle, json!({"runs": []}));
    assert_eq!(claimed["runs"][0]["run_id"], run);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_heartbeat_reports_a_stop() {
    let desk = Desk::unpolled().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let holds = json!([{"run_id": run, "lease_id": held.holding["lease_id"], "attempt": 1}]);
    let beat = json!({"runner_id": runner, "runs": holds, "wait_seconds": 0});
    let told = |directive: &str| (200, json!({"runs": [{"run_id": run, "directive": directive}]}));
    assert_eq!(desk.post("/runner/heartbeat", beat).await, told("continue"));
    let beat = json!({"runner_id": runner, "runs": holds, "wait_seconds": 30});
    let (heard, stopped) = tokio::join!(woken(desk.post("/runner/heartbeat", beat.clone())), async {
        tokio::task::yield_now().await;
        desk.post_empty(&format!("/sessions/{session}/stop")).await
    });
    assert_eq!(heard, told("stop"));
    assert_eq!(stopped.1["status"], "stopping");
    assert_eq!(desk.finish(&held, json!({"status": "stopped"})).await.1["status"], "stopped");
    assert_eq!(desk.post("/runner/heartbeat", beat).await, told("lost"));
    let too_long = json!({"runner_id": runner, "runs": [], "wait_seconds": 31});
    assert_eq!(refused(&desk.post("/runner/heartbeat", too_long).await), (400, "InvalidRequest"));
}

#[tokio::test]
async fn unusable_names_are_rejected() {
    let desk = Desk::with_writer().await;
    for (field, value) in [
        ("tags", json!(["a", ""])),
        ("tags", json!(["a\u{0}"])),
        ("executor_types", json!([""])),
        ("executor_types", json!(["ll\nm"])),
        ("hostname", json!("a\tb")),
        ("project_dir", json!("/a\u{7f}")),
    ] {
        let answer = desk.post("/runner/register", json!({"profile": {field: value}})).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{field}: {value}");
        assert!(text(&answer.1, "message").starts_with(&format!("profile.{field}: ")), "{}", answer.1);
    }
    let plain =
        json!({"hostname": "", "project_dir": "", "executor_types": ["of my own"], "tags": ["größe 2"]});
    desk.runner_with(plain).await;
    for demands in [
        json!({"tags": [""]}),
        json!({"tags": ["a\u{0}"]}),
        json!({"hostname": ""}),
        json!({"executor_type": ""}),
        json!({"project_dir": "\u{0}"}),
    ] {
        let field = demands.as_object().unwrap().keys().next().unwrap().clone();
        let run = json!({"agent_name": "writer", "prompt": "a", "additional_demands": demands});
        let answer = desk.post("/runs", run).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{demands}");
        let message = text(&answer.1, "message");
        assert!(message.starts_with(&format!("additional_demands.{field}: ")), "{message}");
    }
    let run = json!({"agent_name": "writer", "prompt": "a", "project_dir": "\u{0}"});
    let message = text(&desk.post("/runs", run).await.1, "message");
    assert_eq!(message, "project_dir: invalid name \"\\0\": it contains a control character; remove it");
}

#[tokio::test]
async fn a_contradictory_result_is_rejected() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let error = json!({"type": "executor_failed", "message": "no"});
    for (report, field) in [
        (json!({"status": "stopped", "result_data": {"a": 1}}), "result_data"),
        (json!({"status": "released", "result_data": {"a": 1}}), "result_data"),
        (json!({"status": "failed", "error": error, "result_data": {"a": 1}}), "result_data"),
        (json!({"status": "completed", "error": error, "result_text": "done"}), "error"),
    ] {
        let answer = desk.finish(&held, report.clone()).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{report}");
        assert!(text(&answer.1, "message").starts_with(field), "{}", answer.1);
    }
    let stopped = json!({"status": "stopped", "result_data": null, "result_text": "as far as it came"});
    assert_eq!(desk.finish(&held, stopped).await, (200, json!({"run_id": run, "status": "stopped"})));
    let run = desk.get(&format!("/runs/{run}")).await.1;
    assert_eq!(run["error"]["message"], "stopped by its runner");
}

#[tokio::test]
async fn a_run_that_is_lost_too_often_fails() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    for delivery in 1..=3 {
        assert_eq!(desk.claim(&runner).await.run["attempt"], delivery);
        desk.pass(31);
        desk.reconcile().await;
    }
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!((&view["status"], &view["error"]["type"]), (&json!("failed"), &json!("runner_lost")));
    assert_eq!(desk.get(&format!("/sessions/{session}")).await.1["status"], "failed");
}

#[tokio::test]
async fn a_run_can_be_given_back() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(
        desk.finish(&held, json!({"status": "released"})).await,
        (200, json!({"run_id": run, "status": "pending"}))
    );
    assert_eq!(desk.claim(&runner).await.run_id, run);
}

#[tokio::test]
async fn a_run_without_a_matching_runner_fails() {
    let desk = Desk::with_writer().await;
    desk.runner_with(json!({"executor_types": ["codex"]})).await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    desk.pass(299);
    desk.reconcile().await;
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["status"], "pending");
    desk.pass(2);
    desk.reconcile().await;
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["error"]["type"], "no_matching_runner");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn background_work_fails_unmatched_runs() {
    let mut settings = settings();
    settings.queue.match_timeout_seconds = 0;
    let desk = Desk::with(settings);
    desk.agent(json!({"name": "writer"})).await;
    let _background = desk.awake();
    let body = json!({"agent_name": "writer", "prompt": "a"});
    let ((status, run), ()) = tokio::join!(desk.post("/runs?wait=20", body), async {
        while desk.get("/runs").await.1["items"] == json!([]) {
            tokio::task::yield_now().await;
        }
        desk.pass(1);
    });
    assert_eq!((status, &run["error"]["type"]), (201, &json!("no_matching_runner")), "{run}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passive_coordinator_expires_no_leases() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    desk.claim(&runner).await;
    desk.pass(31);
    let _looking = Background::look(&desk.app);
    let run = format!("/runs/{run}?wait=1");
    assert_eq!(desk.get(&run).await.1["status"], "claimed");
    let _working = desk.awake();
    while desk.get(&run).await.1["status"] == "claimed" {}
    assert_eq!(desk.get(&run).await.1["status"], "pending");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claimer_that_hangs_up_takes_no_run() {
    let desk = Desk::unpolled().await;
    let _background = desk.awake();
    let (gone, runner) = (desk.runner().await, desk.runner().await);
    let waiting = |runner: &str| json!({"runner_id": runner, "max": 1, "wait_seconds": 60});
    for polls in 0..20 {
        let mut claim = Box::pin(desk.post("/runner/claims", waiting(&gone)));
        for _ in 0..polls {
            assert!(futures_util::poll!(&mut claim).is_pending());
            tokio::task::yield_now().await;
        }
        drop(claim);
        let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
        // Released at once, not when its lease expires.
        let (_, claimed) = woken(desk.post("/runner/claims", waiting(&runner))).await;
        assert_eq!(claimed["runs"][0]["run_id"], run);
        let run = &claimed["runs"][0];
        let holding = json!({"runner_id": runner, "lease_id": run["lease_id"], "attempt": run["attempt"]});
        let end = json!({"holding": holding, "status": "completed", "result_text": "t"});
        assert_eq!(desk.post(&format!("/runner/runs/{}/finish", text(run, "run_id")), end).await.0, 200);
    }
}

#[tokio::test]
async fn a_delivery_includes_the_usage_of_previous_ones() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let attempt = |number: u32, outcome: &str| {
        json!({
            "number": number, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
            "outcome": outcome, "usage": {"input_tokens": 10, "output_tokens": 2, "cost_usd": 0.25}, "duration_ms": 40,
            "text": "",
        })
    };
    let attempts = [attempt(1, "no_json"), attempt(2, "schema_rejected"), attempt(3, "truncated")];
    let body = json!({"holding": held.holding, "attempts": attempts});
    assert_eq!(desk.post(&format!("/runner/runs/{run}/attempts"), body).await.0, 200);
    desk.pass(31);
    desk.reconcile().await;
    let runner = desk.runner().await;
    let held = desk.claim(&runner).await;
    let usage = json!({"input_tokens": 30, "output_tokens": 6, "cost_usd": 0.75});
    assert_eq!(
        (&held.run["attempt"], &held.run["spent"]),
        (&json!(2), &json!({"usage": usage, "retries": 1, "attempts": 3, "milliseconds": 120}))
    );
}

#[tokio::test]
async fn the_time_of_a_lost_turn_is_counted() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let spent = |held: &crate::support::Held| held.run["spent"]["milliseconds"].clone();
    // No attempt is reported: the runner is killed in its first turn, 31 seconds after it was last
    // seen.
    let held = desk.claim(&runner).await;
    assert_eq!(desk.post(&format!("/runner/runs/{run}/started"), held.holding.clone()).await.0, 200);
    desk.pass(20);
    let holds = json!([{"run_id": run, "lease_id": held.holding["lease_id"], "attempt": 1}]);
    let heartbeat = json!({"runner_id": runner, "runs": holds});
    assert_eq!(desk.post("/runner/heartbeat", heartbeat).await.0, 200);
    desk.pass(31);
    desk.reconcile().await;
    // Waiting in the queue does not count, and neither does a delivery that never started.
    desk.pass(100);
    let runner = desk.runner().await;
    let held = desk.claim(&runner).await;
    assert_eq!(spent(&held), json!(21_000));
    desk.pass(5);
    assert_eq!(desk.finish(&held, json!({"status": "released"})).await.0, 200);
    let held = desk.claim(&runner).await;
    assert_eq!(spent(&held), json!(21_000));
    assert_eq!(desk.post(&format!("/runner/runs/{run}/started"), held.holding.clone()).await.0, 200);
    desk.pass(7);
    assert_eq!(desk.finish(&held, json!({"status": "released"})).await.0, 200);
    assert_eq!(spent(&desk.claim(&runner).await), json!(28_000));
}
