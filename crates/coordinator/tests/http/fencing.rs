//! Only reports of the current holder of a run are accepted.

use serde_json::{Value, json};

use crate::support::{Desk, Held, kinds, refused};

async fn report_everything(desk: &Desk, held: &Held, holding: &Value) -> Vec<(u16, Value)> {
    let path = |what: &str| format!("/runner/runs/{}/{what}", held.run_id);
    let attempt = json!({
        "number": 1, "delivery": holding["attempt"], "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
        "outcome": "accepted", "duration_ms": 1, "text": "t",
    });
    let events = json!([{"type": "message", "role": "assistant", "text": "t"}]);
    let end = json!({"holding": holding, "status": "completed", "result_text": "late"});
    vec![
        desk.post(&path("started"), holding.clone()).await,
        desk.post(&path("events"), json!({"holding": holding, "events": events})).await,
        desk.post(&path("attempts"), json!({"holding": holding, "attempts": [attempt]})).await,
        desk.post(&path("finish"), end).await,
    ]
}

#[tokio::test]
async fn a_dead_runner_is_detected_after_the_clock_was_set_back() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    desk.pass(3600);
    desk.claim(&runner).await;
    desk.pass(-3600);
    desk.reconcile().await;
    desk.pass(31);
    desk.reconcile().await;
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["status"], "pending");
}

#[tokio::test]
async fn a_stale_runner_is_rejected_everywhere() {
    let desk = Desk::with_writer().await;
    let (first, second) = (desk.runner().await, desk.runner().await);
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let lost = desk.claim(&first).await;
    desk.pass(31);
    desk.reconcile().await;
    let held = desk.claim(&second).await;
    assert_eq!((held.run_id.as_str(), &held.run["attempt"]), (run.as_str(), &json!(2)));
    let mut strangers = vec![lost.holding.clone()];
    for (name, value) in
        [("attempt", json!(1)), ("runner_id", json!(first)), ("lease_id", lost.holding["lease_id"].clone())]
    {
        let mut holding = held.holding.clone();
        holding[name] = value;
        strangers.push(holding);
    }
    for holding in strangers {
        for answer in report_everything(&desk, &held, &holding).await {
            assert_eq!(refused(&answer), (409, "LeaseLost"), "{holding}");
        }
    }
    let answers = report_everything(&desk, &held, &held.holding.clone()).await;
    let expected = [
        (200, json!({"run_id": run, "status": "running"})),
        (204, Value::Null),
        (200, json!({"waiting": false})),
        (200, json!({"run_id": run, "status": "completed"})),
    ];
    assert_eq!(answers, expected);
    let (_, events) = desk.get(&format!("/sessions/{session}/events")).await;
    let expected = [
        "session.created",
        "run.queued",
        "run.claimed",
        "run.queued",
        "run.claimed",
        "run.started",
        "message",
        "attempt.judged",
        "result",
        "run.completed",
    ];
    assert_eq!(kinds(&events), expected);
    for answer in report_everything(&desk, &held, &held.holding).await {
        assert_eq!(refused(&answer), (409, "LeaseLost"), "an end is final");
    }
}

#[tokio::test]
async fn a_stale_runner_gets_lease_lost_whatever_it_reports() {
    let desk = Desk::with_writer().await;
    let (first, second) = (desk.runner().await, desk.runner().await);
    desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let lost = desk.claim(&first).await;
    desk.pass(31);
    desk.reconcile().await;
    let nonsense = json!({"status": "completed", "result_data": {"n": "not of this run"}});
    assert_eq!(refused(&desk.finish(&lost, nonsense.clone()).await), (409, "LeaseLost"));
    let held = desk.claim(&second).await;
    assert_eq!(refused(&desk.finish(&lost, nonsense.clone()).await), (409, "LeaseLost"));
    assert_eq!(refused(&desk.finish(&held, nonsense).await), (422, "ContractViolation"));
}

#[tokio::test]
async fn results_are_validated_by_the_contract_of_their_run() {
    let desk = Desk::with_writer().await;
    let number = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let executor = json!({"type": "llm", "provider": "anthropic", "model": "m"});
    desk.agent(json!({"name": "counter", "executor": executor, "output_schema": number})).await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "counter", "prompt": "a"})).await;
    let strict = desk.claim(&runner).await;
    desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let free = desk.claim(&runner).await;
    let crossed = Held { run_id: strict.run_id.clone(), holding: free.holding.clone(), run: Value::Null };
    let text = || json!({"status": "completed", "result_text": "not a number"});
    assert_eq!(refused(&desk.finish(&crossed, text()).await), (409, "LeaseLost"));
    assert_eq!(refused(&desk.finish(&strict, text()).await), (422, "ContractViolation"));
    assert_eq!(desk.finish(&free, text()).await.0, 200);
    let (_, run) = desk.get(&format!("/runs/{}", strict.run_id)).await;
    assert_eq!((&run["status"], &run["result"]), (&json!("claimed"), &Value::Null));
}

#[tokio::test]
async fn a_missing_run_is_not_found() {
    let desk = Desk::with_writer().await;
    let holding = json!({"runner_id": "rnr_1", "lease_id": "lse_1", "attempt": 1});
    let answer = desk.post("/runner/runs/run_none/started", holding.clone()).await;
    assert_eq!(refused(&answer), (404, "RunNotFound"));
    let end = json!({"holding": holding, "status": "completed", "result_text": "t"});
    assert_eq!(refused(&desk.post("/runner/runs/run_none/finish", end).await), (404, "RunNotFound"));
    assert_eq!(refused(&desk.post("/runner/runs/nonsense/started", holding).await), (404, "RunNotFound"));
}

#[tokio::test]
async fn runners_cannot_write_events_of_the_coordinator() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let path = format!("/runner/runs/{}/events", held.run_id);
    let report = |events: Value| json!({"holding": held.holding, "events": events});
    let tools = json!([
        {"type": "tool.started", "call_id": "1", "name": "t", "arguments": {"n": 1.0}},
        {"type": "tool.finished", "call_id": "1", "name": "t", "ok": true, "output": "o"},
    ]);
    assert_eq!(desk.post(&path, report(tools)).await, (204, Value::Null));
    // Beyond 64 bits, and numbers that no Rust integer can hold.
    let numbers = "[18446744073709551616,1267650600228229401496703205376,-1180591620717411303424,1e+400,-0]";
    let arguments: Value = serde_json::from_str(numbers).unwrap();
    let large = json!([{"type": "tool.started", "call_id": "2", "name": "t", "arguments": arguments}]);
    assert_eq!(desk.post(&path, report(large)).await, (204, Value::Null));
    let told = desk.get(&format!("/sessions/{session}/events")).await.1;
    let last = told["items"].as_array().unwrap().last().unwrap();
    assert_eq!(last["arguments"].to_string(), numbers);
    let many: Vec<Value> =
        (0..1001).map(|_| json!({"type": "message", "role": "user", "text": ""})).collect();
    for events in [
        json!([{"type": "run.completed"}]),
        json!([{"type": "result", "result_text": "forged", "result_data": null}]),
        json!([{"type": "message", "role": "system", "text": "t"}]),
        json!([{"type": "message", "role": "user", "text": "x".repeat(1024 * 1024 + 1)}]),
        json!([{"type": "nonsense"}]),
        json!([{"type": "message", "role": "user", "text": "t", "more": 1}]),
        json!(many),
    ] {
        assert_eq!(refused(&desk.post(&path, report(events)).await), (400, "InvalidRequest"));
    }
    let attempt = json!({
        "number": 1, "delivery": 9, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
        "outcome": "accepted", "duration_ms": 1, "text": "t",
    });
    let path = format!("/runner/runs/{}/attempts", held.run_id);
    let answer = desk.post(&path, json!({"holding": held.holding, "attempts": [attempt]})).await;
    assert_eq!(refused(&answer), (400, "InvalidRequest"), "an attempt of another delivery");
}
