//! Results reported by runners are validated before they are accepted.

use serde_json::{Value, json};

use crate::support::{Desk, refused, settings};

fn severity() -> Value {
    json!({"type": "object", "required": ["severity"], "properties": {"severity": {"enum": ["low", "high"]}}})
}

async fn desk() -> (Desk, String) {
    let desk = Desk::with_writer().await;
    let rule = json!([{"rule": "output.n <= input.most", "message": "n is too large"}]);
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let parameters = json!({"type": "object", "properties": {"most": {"type": "integer"}}});
    let bounded = json!({"name": "bounded", "output_schema": schema, "invariants": rule, "parameters_schema": parameters});
    desk.agent(bounded).await;
    let command = json!({"type": "process", "command": "true"});
    desk.agent(json!({"name": "command", "type": "procedural", "executor": command})).await;
    let runner = desk.runner().await;
    (desk, runner)
}

#[tokio::test]
async fn a_result_that_conforms_is_stored() {
    let (desk, runner) = desk().await;
    let (run, session) =
        desk.run(json!({"agent_name": "writer", "prompt": "a", "output_schema": severity()})).await;
    let held = desk.claim(&runner).await;
    let hash = held.run["contract"]["schema_hash"].clone();
    let validation = json!({
        "valid": true, "schema_name": "made up", "schema_hash": hash, "retry_count": 1, "strategy": "native",
        "repairs": [{"kind": "quotes", "path": "$", "detail": "d"}], "source": "fence", "attempts": 2,
    });
    let report = json!({
        "status": "completed",
        "result_data": {"severity": "low", "extra": 1.10},
        "raw": "said",
        "validation": validation,
        "usage": {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5},
    });
    assert_eq!(desk.finish(&held, report).await, (200, json!({"run_id": run, "status": "completed"})));
    let validation = json!({
        "valid": true, "schema_name": null, "schema_hash": hash, "retry_count": 1, "strategy": "native",
        "repairs": [{"kind": "quotes", "path": "$", "detail": "d"}], "source": "fence", "attempts": 2,
    });
    let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
    let expected = json!({
        "session_id": session,
        "run_id": run,
        "result_text": null,
        "result_data": {"severity": "low", "extra": 1.1},
        "result": "said",
        "validated_output": {"severity": "low", "extra": 1.1},
        "schema_validation": validation,
    });
    assert_eq!(result, expected);
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    let data = json!({"severity": "low", "extra": 1.1});
    let expected = json!({"result_text": null, "result_data": data, "schema_validation": validation});
    assert_eq!(view["result"], expected);
    assert_eq!(view["usage"], json!({"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5}));
    assert_eq!(view["retry_count"], 1, "as the validation tells");
}

#[tokio::test]
async fn a_value_from_a_disallowed_source_is_rejected() {
    for (options, source, taken) in [
        (json!({}), "prose", true),
        (json!({"extract_json": ["fence"]}), "fence", true),
        (json!({"extract_json": ["fence"]}), "prose", false),
        (json!({"extract_json": false}), "fence", false),
        (json!({"strict_json_only": true}), "prose", false),
        (json!({"embedded": "confirm"}), "prose", false),
        (json!({"embedded": "confirm", "extract_json": false}), "structured", true),
    ] {
        let (desk, runner) = desk().await;
        let request = json!({
            "agent_name": "writer", "prompt": "a", "output_schema": severity(), "output_schema_options": options,
        });
        desk.run(request).await;
        let held = desk.claim(&runner).await;
        let validation = json!({
            "valid": true, "schema_name": null, "schema_hash": held.run["contract"]["schema_hash"],
            "retry_count": 0, "strategy": "prompt", "repairs": [], "source": source, "attempts": 1,
        });
        let report =
            json!({"status": "completed", "result_data": {"severity": "low"}, "validation": validation});
        let answer = desk.finish(&held, report).await;
        match taken {
            true => assert_eq!(answer.0, 200, "{options} {}", answer.1),
            false => assert_eq!(refused(&answer), (422, "ContractViolation"), "{options} {source}"),
        }
    }
}

#[tokio::test]
async fn a_failed_run_reports_its_retries() {
    let (desk, runner) = desk().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let error = json!({"type": "timed_out", "message": "too slow"});
    let held = desk.claim(&runner).await;
    desk.finish(&held, json!({"status": "failed", "error": error, "retry_count": 2})).await;
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["retry_count"], 2);
}

#[tokio::test]
async fn unusable_reports_are_rejected() {
    let (desk, runner) = desk().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let attempt = json!({
        "number": 0, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
        "outcome": "accepted", "duration_ms": 40, "text": "",
    });
    let report = json!({"holding": held.holding, "attempts": [attempt]});
    let answer = desk.post(&format!("/runner/runs/{run}/attempts"), report).await;
    assert_eq!(
        (refused(&answer), &answer.1["message"]),
        ((400, "InvalidRequest"), &json!("attempts are numbered from 1"))
    );
    let fact = json!({
        "endpoint": "e", "model": "m", "feature": "native", "verdict": "works", "at": "2026-11-01T00:00:00Z",
    });
    let end = json!({"status": "completed", "result_text": "a", "facts": vec![fact; 65]});
    let answer = desk.finish(&held, end).await;
    assert_eq!(
        (refused(&answer), &answer.1["message"]),
        ((400, "InvalidRequest"), &json!("expected at most 64 facts, got 65"))
    );
}

#[tokio::test]
async fn impossible_usage_is_rejected() {
    let (desk, runner) = desk().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let usage =
        |tokens: u64, cost: f64| json!({"input_tokens": tokens, "output_tokens": 1, "cost_usd": cost});
    let tokens = "expected input_tokens of at most 1000000000000, got 9223372036854775807";
    let cost = "expected cost_usd from 0 to 1000000000, got -5; omit it if unknown";
    for (usage, reason) in [(usage(i64::MAX.unsigned_abs(), 1.0), tokens), (usage(1, -5.0), cost)] {
        let attempt = json!({
            "number": 1, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
            "outcome": "accepted", "usage": usage, "duration_ms": 40, "text": "",
        });
        let report = json!({"holding": held.holding, "attempts": [attempt]});
        let answer = desk.post(&format!("/runner/runs/{run}/attempts"), report).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"));
        assert_eq!(answer.1["message"], format!("usage of attempt 1: {reason}"));
        for status in ["completed", "failed", "stopped", "answered"] {
            let answer =
                desk.finish(&held, json!({"status": status, "result_text": "a", "usage": usage})).await;
            assert_eq!(refused(&answer), (400, "InvalidRequest"), "{status}");
            assert_eq!(answer.1["message"], format!("usage: {reason}"));
        }
    }
    let end = json!({"status": "completed", "result_text": "a", "usage": usage(1, 0.5)});
    assert_eq!(desk.finish(&held, end).await.0, 200, "the run is still held");
    let (_, stats) = desk.get("/stats").await;
    assert_eq!((&stats["all"]["input_tokens"], &stats["all"]["cost_usd"]), (&json!(1), &json!(0.5)));
}

#[tokio::test]
async fn the_stored_value_is_the_validated_one() {
    let (desk, runner) = desk().await;
    let text = json!({"type": "object", "required": ["s"], "properties": {"s": {"type": "string"}}});
    desk.agent(json!({"name": "strict", "parameters_schema": text})).await;
    let claims_to_be = |what: &str, text: &str| json!({format!("$serde_json::private::{what}"): text});
    let parameters = json!({"s": claims_to_be("RawValue", "\"hi\"")});
    let answer = desk.post("/runs", json!({"agent_name": "strict", "parameters": parameters})).await;
    assert_eq!(refused(&answer), (400, "InvalidRequest"));

    desk.run(json!({"agent_name": "command", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    for value in [claims_to_be("RawValue", "12"), claims_to_be("Number", "abc")] {
        let answer = desk.finish(&held, json!({"status": "completed", "result_data": {"x": value}})).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"));
    }
    let end = json!({"status": "completed", "result_data": {"x": 12}});
    assert_eq!(desk.finish(&held, end).await.0, 200, "the run is still held");
}

#[tokio::test]
async fn a_result_may_be_larger_than_other_requests() {
    let mut settings = settings();
    settings.request_limit_bytes = 1_000;
    let desk = Desk::with(settings);
    desk.agent(json!({"name": "writer"})).await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let of = |bytes: usize| json!({"status": "completed", "result_text": "a", "conversation": ["x".repeat(bytes)]});
    let answer = desk.finish(&held, of(4_000)).await;
    assert_eq!(refused(&answer), (413, "RequestTooLarge"));
    assert_eq!(
        answer.1["message"],
        "the body is larger than 4000 bytes, the limit of this coordinator; send less, or raise server.request_limit_bytes"
    );
    assert_eq!(desk.finish(&held, of(3_500)).await.1["status"], "completed");
}

#[tokio::test]
async fn a_nonconforming_result_is_rejected_and_the_run_stays_claimed() {
    let (desk, runner) = desk().await;
    let (run, session) =
        desk.run(json!({"agent_name": "writer", "prompt": "a", "output_schema": severity()})).await;
    let held = desk.claim(&runner).await;
    let answer = desk.finish(&held, json!({"status": "completed", "result_data": {"severity": "odd"}})).await;
    let expected = json!({
        "error": "ContractViolation",
        "message": "the reported result does not conform to the run's contract: $.severity: expected one of \"low\", \"high\"; got \"odd\"",
        "status_code": 422,
        "details": {
            "errors": [{
                "path": "$.severity",
                "pointer": "/severity",
                "keyword": "enum",
                "message": "expected one of \"low\", \"high\"; got \"odd\"",
            }],
            "more_errors": 0,
        },
    });
    assert_eq!(answer, (422, expected));
    let valid = json!({"severity": "low"});
    let lie = |valid: bool, hash: &str| {
        json!({"valid": valid, "schema_name": null, "schema_hash": hash, "retry_count": 0, "strategy": "native",
               "repairs": [], "attempts": 1})
    };
    let hash = held.run["contract"]["schema_hash"].as_str().unwrap();
    for report in [
        json!({"status": "completed", "result_text": "{\"severity\": \"low\"}"}),
        json!({"status": "completed", "result_text": "x", "result_data": valid}),
        json!({"status": "completed"}),
        json!({"status": "completed", "result_data": null}),
        json!({"status": "completed", "result_data": valid, "validation": lie(true, "sha256:0")}),
        json!({"status": "completed", "result_data": valid, "validation": lie(false, hash)}),
    ] {
        assert_eq!(
            refused(&desk.finish(&held, report.clone()).await),
            (422, "ContractViolation"),
            "{report}"
        );
    }
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["status"], "claimed");
    let (_, events) = desk.get(&format!("/sessions/{session}/events")).await;
    assert!(!events.to_string().contains("odd"), "nothing that was refused is visible");
    assert_eq!(desk.finish(&held, json!({"status": "completed", "result_data": valid})).await.0, 200);
}

#[tokio::test]
async fn null_can_meet_a_contract() {
    let (desk, runner) = desk().await;
    let body = json!({"agent_name": "writer", "prompt": "a", "output_schema": {"type": "null"}});
    let (_, session) = desk.run(body).await;
    let held = desk.claim(&runner).await;
    let forgotten = desk.finish(&held, json!({"status": "completed"})).await;
    assert_eq!(refused(&forgotten), (422, "ContractViolation"), "a result that is missing is not null");
    assert!(forgotten.1["message"].as_str().unwrap().contains("result_data is missing"), "{forgotten:?}");
    assert_eq!(desk.finish(&held, json!({"status": "completed", "result_data": null})).await.0, 200);
    let (status, result) = desk.get(&format!("/sessions/{session}/result")).await;
    assert_eq!((status, &result["result_data"], &result["result"]), (200, &Value::Null, &json!("null")));
}

#[tokio::test]
async fn invariants_are_checked_with_the_input() {
    let (desk, runner) = desk().await;
    desk.run(json!({"agent_name": "bounded", "parameters": {"most": 5}})).await;
    let held = desk.claim(&runner).await;
    let answer = desk.finish(&held, json!({"status": "completed", "result_data": {"n": 6}})).await;
    assert_eq!(refused(&answer), (422, "ContractViolation"));
    assert_eq!(answer.1["details"]["errors"][0]["keyword"], "invariant");
    assert_eq!(desk.finish(&held, json!({"status": "completed", "result_data": {"n": 5}})).await.0, 200);
}

#[tokio::test]
async fn duplicate_keys_are_rejected() {
    let (desk, runner) = desk().await;
    for body in [
        json!({"agent_name": "writer", "prompt": "a", "output_schema": severity()}),
        json!({"agent_name": "command", "prompt": "a"}),
    ] {
        let (run, _) = desk.run(body).await;
        let held = desk.claim(&runner).await;
        let text = format!(
            r#"{{"holding": {}, "status": "completed", "result_data": {{"severity": "odd", "severity": "low"}}}}"#,
            held.holding
        );
        let request = axum::http::Request::post(format!("/runner/runs/{run}/finish"))
            .header("content-type", "application/json")
            .body(text.into())
            .unwrap();
        let (status, body) = desk.raw(request).await;
        assert_eq!(status, 422, "{body}");
    }
}

#[tokio::test]
async fn without_a_contract_the_agents_type_decides() {
    let (desk, runner) = desk().await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    for report in [
        json!({"status": "completed"}),
        json!({"status": "completed", "result_data": {}}),
        json!({"status": "completed", "result_data": {}, "result_text": "x"}),
        json!({"status": "completed", "result_text": " \n"}),
    ] {
        assert_eq!(refused(&desk.finish(&held, report).await), (422, "ContractViolation"));
    }
    let report = json!({"status": "completed", "result_text": "a\u{0}🦀", "raw": "ignored"});
    assert_eq!(desk.finish(&held, report).await.0, 200);
    let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
    let expected =
        json!({"session_id": session, "run_id": held.run_id, "result_text": "a\u{0}🦀", "result_data": null});
    assert_eq!(result, expected);

    let (_, session) = desk.run(json!({"agent_name": "command", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(
        refused(&desk.finish(&held, json!({"status": "completed"})).await),
        (422, "ContractViolation")
    );
    let text = json!({"status": "completed", "result_text": "x"});
    assert_eq!(refused(&desk.finish(&held, text).await), (422, "ContractViolation"));
    assert_eq!(desk.finish(&held, json!({"status": "completed", "result_data": [1, 2]})).await.0, 200);
    let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
    let expected =
        json!({"session_id": session, "run_id": held.run_id, "result_text": null, "result_data": [1, 2]});
    assert_eq!(result, expected);
}

#[tokio::test]
async fn a_failure_has_a_reason() {
    let (desk, runner) = desk().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(refused(&desk.finish(&held, json!({"status": "failed"})).await), (400, "InvalidRequest"));
    let not_theirs = json!({"status": "failed", "error": {"type": "runner_lost", "message": "m"}});
    assert_eq!(refused(&desk.finish(&held, not_theirs).await), (400, "InvalidRequest"));
    let error = json!({"type": "model_refused", "message": "it would not"});
    let end = desk.finish(&held, json!({"status": "failed", "error": error})).await;
    assert_eq!(end, (200, json!({"run_id": run, "status": "failed"})));
    let (_, status) = desk.get(&format!("/sessions/{session}/status")).await;
    assert_eq!(status, json!({"session_id": session, "status": "failed", "run_id": run, "error": error}));
    let result = desk.get(&format!("/sessions/{session}/result")).await;
    assert_eq!(refused(&result), (409, "SessionNotFinished"));
    assert_eq!(result.1["details"], json!({"status": "failed", "error": error}));
    let message = result.1["message"].as_str().unwrap();
    assert_eq!(
        message,
        format!("{session} has no result: its last run failed (model_refused): it would not")
    );
}

#[tokio::test]
async fn invariants_of_a_resume_see_the_opening_parameters() {
    let desk = Desk::new();
    let blueprint = json!({
        "name": "counter",
        "parameters_schema": {"type": "object", "required": ["most"], "properties": {"most": {"type": "integer"}}},
        "output_schema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
        "invariants": [
            {"rule": "output.n <= input.most", "message": "too many"},
            {"rule": "!has(input.prompt) || input.prompt != 'none' || output.n == 0", "message": "none was asked for"},
        ],
    });
    desk.agent(blueprint).await;
    let runner = desk.runner().await;
    let (_, session) =
        desk.run(json!({"agent_name": "counter", "parameters": {"most": 3, "prompt": "a"}})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(held.run.get("input"), None);
    let data = |n: u32| json!({"status": "completed", "result_data": {"n": n}});
    assert_eq!(desk.finish(&held, data(3)).await.0, 200);
    for prompt in ["go on", "none"] {
        desk.run(json!({"session_id": session, "prompt": prompt})).await;
        let held = desk.claim(&runner).await;
        assert_eq!(held.run["parameters"], json!({"prompt": prompt}));
        assert_eq!(held.run["input"], json!({"most": 3, "prompt": prompt}));
        assert_eq!(refused(&desk.finish(&held, data(4)).await), (422, "ContractViolation"));
        let end = desk.finish(&held, data(1)).await;
        assert_eq!(end.0, if prompt == "none" { 422 } else { 200 }, "{}", end.1);
        assert_eq!(desk.finish(&held, data(0)).await.0, if prompt == "none" { 200 } else { 409 });
    }
}
