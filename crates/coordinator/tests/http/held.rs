//! Contracts enforced by the coordinator, for executors that cannot be re-prompted in place.

use serde_json::{Value, json};

use crate::support::{Desk, refused, text};

fn schema() -> Value {
    json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}})
}

async fn desk(blueprint: Value) -> (Desk, String) {
    let desk = Desk::new();
    let mut agent = json!({"name": "tool", "executor": {"type": "external", "command": "x"}});
    agent.as_object_mut().unwrap().extend(blueprint.as_object().unwrap().clone());
    desk.agent(agent).await;
    let runner = desk
        .runner_with(json!({"executor_types": ["external", "llm"], "held_executor_types": ["external"]}))
        .await;
    (desk, runner)
}

fn answered(text: &str) -> Value {
    json!({
        "status": "answered",
        "answer": {"text": text, "model": "m", "duration_ms": 5},
        "usage": {"input_tokens": 10, "output_tokens": 1},
        "conversation": [text],
    })
}

#[tokio::test]
async fn an_answer_that_conforms_completes_the_run() {
    let (desk, runner) = desk(json!({"output_schema": schema()})).await;
    let (run, session) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(held.run["held_by_coordinator"], true);
    let end = desk.finish(&held, answered("Here: {\"n\": 1}")).await;
    assert_eq!(end, (200, json!({"run_id": run, "status": "completed"})));
    let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
    assert_eq!((&result["result_data"], &result["result"]), (&json!({"n": 1}), &json!("Here: {\"n\": 1}")));
    let (_, attempts) = desk.get(&format!("/runs/{run}/attempts")).await;
    let expected = json!([{
        "number": 1,
        "delivery": 1,
        "at": "2026-11-01T00:00:00Z",
        "strategy": "prompt",
        "model": "m",
        "endpoint": "",
        "outcome": "accepted",
        "errors": [],
        "more_errors": 0,
        "repairs": [],
        "source": "prose",
        "usage": {"input_tokens": 10, "output_tokens": 1},
        "duration_ms": 5,
        "text": "Here: {\"n\": 1}",
    }]);
    assert_eq!(attempts["items"], expected);
}

#[tokio::test]
async fn a_value_in_prose_is_confirmed_by_the_next_answer() {
    let options = json!({"embedded": "confirm"});
    let (desk, runner) = desk(json!({"output_schema": schema(), "output_schema_options": options})).await;
    let (run, session) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let end = desk.finish(&held, answered("It would be {\"n\": 1}.")).await;
    assert_eq!(end, (200, json!({"run_id": run, "status": "pending"})));
    let held = desk.claim(&runner).await;
    let prompt = text(&held.run, "retry_prompt");
    assert!(prompt.contains("```json\n{\n  \"n\": 1\n}\n```"), "{prompt}");
    assert_eq!(desk.finish(&held, answered("```\n{\"n\": 1}\n```")).await.1["status"], "completed");
    let (_, attempts) = desk.get(&format!("/runs/{run}/attempts")).await;
    let seen: Vec<_> = attempts["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| (attempt["outcome"].clone(), attempt["source"].clone()))
        .collect();
    assert_eq!(seen, [(json!("unconfirmed"), Value::Null), (json!("accepted"), json!("fence"))]);
    let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
    let validation = &result["schema_validation"];
    assert_eq!((&validation["source"], &validation["retry_count"]), (&json!("fence"), &json!(1)));
    let (_, stats) = desk.get("/stats").await;
    assert_eq!(
        stats["all"]["sources"],
        json!({"structured": 0, "text": 0, "fence": 1, "prose": 0, "human": 0})
    );
}

#[tokio::test]
async fn a_value_that_stays_in_prose_is_not_accepted() {
    let options = json!({"embedded": "confirm", "max_retries": 1});
    let (desk, runner) = desk(json!({"output_schema": schema(), "output_schema_options": options})).await;
    let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    for answer in ["It would be {\"n\": 1}.", "As I said: {\"n\": 1}."] {
        desk.finish(&desk.claim(&runner).await, answered(answer)).await;
    }
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    let told = "output was found in other text and was not confirmed after 1 retry";
    assert_eq!((&view["status"], &view["error"]["message"]), (&json!("failed"), &json!(told)));
}

#[tokio::test]
async fn the_run_is_re_prompted_and_then_completed() {
    let (desk, runner) = desk(json!({"output_schema": schema()})).await;
    let (run, session) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!((held.run["retry_count"].clone(), held.run["retry_prompt"].clone()), (json!(0), Value::Null));
    let end = desk.finish(&held, answered("{\"n\": \"x\"}")).await;
    assert_eq!(end, (200, json!({"run_id": run, "status": "pending"})));
    assert_eq!(refused(&desk.finish(&held, answered("{\"n\": 1}")).await), (409, "LeaseLost"));
    let held = desk.claim(&runner).await;
    assert_eq!((held.run["retry_count"].clone(), held.run["attempt"].clone()), (json!(1), json!(2)));
    let prompt = text(&held.run, "retry_prompt");
    assert!(prompt.starts_with("<output-validation-error>") && prompt.contains("$.n: "), "{prompt}");
    assert!(!prompt.contains("{\"n\": \"x\"}"), "the answer is in the conversation: {prompt}");
    assert_eq!(held.run["type"], "resume_session");
    assert_eq!(held.run["conversation"], json!(["{\"n\": \"x\"}"]));
    assert_eq!(desk.finish(&held, answered("{\"n\": 2}")).await.1["status"], "completed");
    let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
    let validation = &result["schema_validation"];
    assert_eq!((&validation["retry_count"], &validation["attempts"]), (&json!(1), &json!(2)));
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!(view["usage"], json!({"input_tokens": 20, "output_tokens": 2}));
    let (_, attempts) = desk.get(&format!("/runs/{run}/attempts")).await;
    let outcomes: Vec<_> =
        attempts["items"].as_array().unwrap().iter().map(|each| &each["outcome"]).collect();
    assert_eq!(outcomes, ["schema_invalid", "accepted"]);
    assert_eq!(attempts["items"][1]["prompt"], prompt);
}

#[tokio::test]
async fn the_closest_answer_is_reported_when_retries_run_out() {
    let (desk, runner) =
        desk(json!({"output_schema": schema(), "output_schema_options": {"max_retries": 2}})).await;
    let (run, session) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    for (answer, status) in [("no idea", "pending"), ("{\"n\": \"x\"}", "pending"), ("still none", "failed")]
    {
        let held = desk.claim(&runner).await;
        assert_eq!(desk.finish(&held, answered(answer)).await.1["status"], status, "{answer}");
    }
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    let expected = json!({
        "type": "output_schema_validation_failed",
        "message": "output did not match the schema after 2 retries",
        "validation_errors": ["$.n: expected integer, got string \"x\""],
        "last_output": "{\"n\": \"x\"}",
        "attempts": 3,
    });
    assert_eq!((&view["status"], &view["error"]), (&json!("failed"), &expected));
    assert_eq!(view.get("result"), None);
    assert_eq!(refused(&desk.get(&format!("/sessions/{session}/result")).await), (409, "SessionNotFinished"));
}

#[tokio::test]
async fn a_limit_during_a_retry_reports_the_previous_answers() {
    let (desk, runner) = desk(json!({"output_schema": schema()})).await;
    let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    desk.finish(&held, answered("{\"n\": \"x\"}")).await;
    let held = desk.claim(&runner).await;
    let error = json!({"type": "budget_exhausted", "message": "enough"});
    desk.finish(&held, json!({"status": "failed", "error": error})).await;
    let (_, ended) = desk.get(&format!("/runs/{run}")).await;
    let error = &ended["error"];
    assert_eq!((&error["type"], &error["message"]), (&json!("budget_exhausted"), &json!("enough")));
    assert_eq!((&error["last_output"], &error["attempts"]), (&json!("{\"n\": \"x\"}"), &json!(1)));
    assert!(error["validation_errors"][0].is_string(), "{error}");
}

#[tokio::test]
async fn a_callers_contract_has_its_own_failure_type() {
    let (desk, runner) = desk(json!({})).await;
    let body = json!({
        "agent_name": "tool", "prompt": "a", "output_schema": schema(), "output_schema_options": {"max_retries": 1},
    });
    let (run, _) = desk.run(body).await;
    let held = desk.claim(&runner).await;
    desk.finish(&held, answered("my own words")).await;
    let held = desk.claim(&runner).await;
    assert!(text(&held.run, "retry_prompt").contains("my own words"), "a caller's contract shows the answer");
    desk.finish(&held, answered("again")).await;
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!(view["error"]["type"], "schema_validation_failed");
    assert_eq!(view["error"]["message"], "output did not match the schema after 1 retry");
}

#[tokio::test]
async fn without_a_contract_the_text_is_the_result() {
    let (desk, runner) = desk(json!({})).await;
    let (_, session) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(desk.finish(&held, answered("free")).await.1["status"], "completed");
    assert_eq!(desk.get(&format!("/sessions/{session}/result")).await.1["result_text"], "free");
}

#[tokio::test]
async fn only_held_executors_may_report_answers() {
    let (desk, _) = desk(json!({"output_schema": schema()})).await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(held.run["held_by_coordinator"], false);
    assert_eq!(refused(&desk.finish(&held, answered("{\"n\": 1}")).await), (400, "InvalidRequest"));
}

#[tokio::test]
async fn a_repeated_report_is_not_a_repeated_answer() {
    let (desk, runner) =
        desk(json!({"output_schema": schema(), "output_schema_options": {"max_retries": 5}})).await;
    let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    desk.finish(&held, answered("no idea")).await;
    let held = desk.claim(&runner).await;
    let message = "expected integer, got string \"x\"";
    let error = json!({"path": "$.n", "pointer": "/n", "keyword": "type", "message": message});
    let attempt = json!({
        "number": 1, "delivery": 2, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
        "outcome": "schema_invalid", "errors": [error], "duration_ms": 5, "text": "{\"n\": \"x\"}",
    });
    let report = json!({"holding": held.holding, "attempts": [attempt]});
    assert_eq!(desk.post(&format!("/runner/runs/{run}/attempts"), report).await.0, 200);
    assert_eq!(desk.finish(&held, answered("{\"n\": \"x\"}")).await.1["status"], "pending");
}

#[tokio::test]
async fn fewer_hidden_errors_are_progress() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let lists = json!({"type": "object", "required": ["n"], "properties": {"n": list}});
    let options = json!({"max_retries": 5});
    let (desk, runner) = desk(json!({"output_schema": lists, "output_schema_options": options})).await;
    desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    for (wrong, status) in [(40, "pending"), (30, "pending"), (30, "failed")] {
        let held = desk.claim(&runner).await;
        let answer = json!({"n": vec!["x"; wrong]}).to_string();
        assert_eq!(desk.finish(&held, answered(&answer)).await.1["status"], status, "{wrong}");
    }
}

#[tokio::test]
async fn a_model_that_repeats_itself_is_not_re_prompted() {
    let (desk, runner) =
        desk(json!({"output_schema": schema(), "output_schema_options": {"max_retries": 5}})).await;
    let answers =
        [("{\"n\": \"x\"}", "pending"), ("{\"n\": \"y\"}", "pending"), (" {\"n\": \"y\"}\n", "failed")];
    let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    for (answer, status) in answers {
        let held = desk.claim(&runner).await;
        assert_eq!(desk.finish(&held, answered(answer)).await.1["status"], status, "{answer}");
    }
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    let message = "output did not match the schema after 2 retries: the model repeated the same answer or the same errors";
    assert_eq!((&view["error"]["message"], &view["error"]["attempts"]), (&json!(message), &json!(3)));
    let (_, attempts) = desk.get(&format!("/runs/{run}/attempts")).await;
    assert_eq!(attempts["items"][2]["outcome"], "no_progress");

    // The same errors in different words count as the same.
    let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    for (answer, status) in [("{}", "pending"), ("{\"m\": 1}", "failed")] {
        let held = desk.claim(&runner).await;
        assert_eq!(desk.finish(&held, answered(answer)).await.1["status"], status, "{answer}");
    }
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["error"]["attempts"], 2);
}

#[tokio::test]
async fn values_without_a_text_are_distinguished() {
    let (desk, runner) =
        desk(json!({"output_schema": schema(), "output_schema_options": {"max_retries": 5}})).await;
    desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let wrong =
        [(json!({"n": "x"}), "pending"), (json!({"n": true}), "pending"), (json!({"n": true}), "failed")];
    for (value, status) in wrong {
        let held = desk.claim(&runner).await;
        let mut report = answered("");
        report["answer"]["structured"] = value.clone();
        assert_eq!(desk.finish(&held, report).await.1["status"], status, "{value}");
    }
}

#[tokio::test]
async fn text_of_a_command_is_not_a_value() {
    let desk = Desk::new();
    let command = json!({"type": "process", "command": "x"});
    desk.agent(json!({"name": "command", "type": "procedural", "executor": command})).await;
    let types = ["process"];
    let runner = desk.runner_with(json!({"executor_types": types, "held_executor_types": types})).await;
    desk.run(json!({"agent_name": "command", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(refused(&desk.finish(&held, answered("free")).await).1, "ContractViolation");
}

fn cut(text: &str) -> Value {
    let mut report = answered(text);
    report["answer"]["truncated"] = json!(true);
    report
}

#[tokio::test]
async fn a_truncated_answer_is_not_a_result() {
    let rows = [
        (schema(), "For example {\"n\": 1} would say one. The real answer is {\"n\": 4"),
        (json!({"type": "integer"}), "12"),
    ];
    for (schema, answer) in rows {
        let options = json!({"max_retries": 1});
        let (desk, runner) = desk(json!({"output_schema": schema, "output_schema_options": options})).await;
        let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
        let held = desk.claim(&runner).await;
        assert_eq!(desk.finish(&held, cut(answer)).await.1["status"], "pending", "{answer}");
        let held = desk.claim(&runner).await;
        let prompt = text(&held.run, "retry_prompt");
        assert!(prompt.contains("it was cut off"), "{prompt}");
        assert_eq!(desk.finish(&held, cut(answer)).await.1["status"], "failed", "{answer}");
        let (_, view) = desk.get(&format!("/runs/{run}")).await;
        assert_eq!(
            (&view["error"]["type"], &view["error"]["attempts"]),
            (&json!("output_truncated"), &json!(2))
        );
    }
    let (desk, runner) =
        desk(json!({"output_schema": schema(), "output_schema_options": {"max_retries": 5}})).await;
    desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(desk.finish(&held, cut("{\"n\": 12}")).await.1["status"], "completed", "it is whole");
    desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    for report in [cut("{\"n\": \"x\"}"), answered("{\"n\": \"x\"}")] {
        let held = desk.claim(&runner).await;
        assert_eq!(desk.finish(&held, report).await.1["status"], "pending", "it was asked in another way");
    }
}

#[tokio::test]
async fn a_truncated_text_is_recorded_and_is_not_a_result() {
    let (desk, runner) = desk(json!({})).await;
    for (report, status, outcome) in
        [(answered("all of it"), "completed", "accepted"), (cut("half of"), "failed", "truncated")]
    {
        let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
        let held = desk.claim(&runner).await;
        assert_eq!(desk.finish(&held, report.clone()).await.1["status"], status);
        let (_, attempts) = desk.get(&format!("/runs/{run}/attempts")).await;
        let attempt = &attempts["items"][0];
        assert_eq!((&attempt["outcome"], &attempt["text"]), (&json!(outcome), &report["answer"]["text"]));
        let (_, view) = desk.get(&format!("/runs/{run}")).await;
        let expected = json!({
            "type": "output_truncated",
            "message": "the answer was cut off; raise max_tokens, or ask for less",
            "last_output": "half of",
            "attempts": 1,
        });
        let error = if status == "failed" { expected } else { Value::Null };
        assert_eq!(view.get("error").cloned().unwrap_or_default(), error);
    }
}

#[tokio::test]
async fn an_exhausted_budget_ends_the_run_without_a_retry() {
    let (desk, runner) = desk(json!({
        "output_schema": schema(),
        "output_schema_options": {"max_retries": 5},
        "limits": {"max_tokens_total": 20},
    }))
    .await;
    let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    for (answer, status) in [("{\"n\": \"x\"}", "pending"), ("{\"n\": \"y\"}", "failed")] {
        let held = desk.claim(&runner).await;
        assert_eq!(desk.finish(&held, answered(answer)).await.1["status"], status, "{answer}");
    }
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    let expected = json!({
        "type": "budget_exhausted",
        "message": "22 tokens used, limits.max_tokens_total is 20; raise it, or ask for less",
        "validation_errors": ["$.n: expected integer, got string \"y\""],
        "last_output": "{\"n\": \"y\"}",
        "attempts": 2,
    });
    assert_eq!((&view["error"], &view["retry_count"]), (&expected, &json!(1)));
}

#[tokio::test]
async fn a_turn_without_an_answer_is_recorded_but_is_not_an_answer() {
    let (desk, runner) = desk(json!({"output_schema": schema()})).await;
    let (run, session) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let unanswered = |delivery: u64, outcome: &str| {
        json!({
            "number": 1, "delivery": delivery, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
            "endpoint": "", "outcome": outcome, "errors": [], "more_errors": 0, "repairs": [],
            "usage": {"input_tokens": 3, "output_tokens": 0}, "duration_ms": 1, "text": "",
        })
    };
    let held = desk.claim(&runner).await;
    let report = json!({"holding": held.holding, "attempts": [unanswered(1, "stopped")]});
    desk.post(&format!("/runner/runs/{run}/attempts"), report).await;
    desk.finish(&held, json!({"status": "released"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(desk.finish(&held, answered("")).await.1["status"], "pending", "nothing was said before");
    let held = desk.claim(&runner).await;
    assert_eq!(desk.finish(&held, answered("{\"n\": 2}")).await.1["status"], "completed");
    let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
    let validation = &result["schema_validation"];
    assert_eq!((&validation["retry_count"], &validation["attempts"]), (&json!(1), &json!(3)));
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!(view["usage"], json!({"input_tokens": 23, "output_tokens": 2}));

    let (run, _) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    desk.finish(&held, answered(&schema().to_string())).await;
    let held = desk.claim(&runner).await;
    let report = json!({"holding": held.holding, "attempts": [unanswered(2, "failed")]});
    desk.post(&format!("/runner/runs/{run}/attempts"), report).await;
    let error = json!({"type": "executor_failed", "message": "broken"});
    desk.finish(&held, json!({"status": "failed", "error": error})).await;
    let (_, view) = desk.get(&format!("/runs/{run}")).await;
    let error = &view["error"];
    assert_eq!((&error["last_output"], &error["attempts"]), (&json!(schema().to_string()), &json!(2)));
}

#[tokio::test]
async fn an_explicit_strategy_is_not_replaced() {
    for strategy in ["native", "tool"] {
        let options = json!({"strategy": strategy});
        let (desk, runner) = desk(json!({"output_schema": schema(), "output_schema_options": options})).await;
        desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
        let held = desk.claim(&runner).await;
        let end = desk.finish(&held, answered("{\"n\": 1}")).await;
        assert_eq!(refused(&end), (400, "InvalidRequest"));
        assert!(end.1["message"].as_str().unwrap().contains("use 'prompt' or 'auto'"), "{}", end.1);
    }
}

#[tokio::test]
async fn an_answer_that_does_not_conform_waits_for_children() {
    let (desk, runner) =
        desk(json!({"output_schema": schema(), "output_schema_options": {"max_retries": 1}})).await;
    let (run, session) = desk.run(json!({"agent_name": "tool", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    desk.agent(json!({"name": "writer"})).await;
    let child = json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": session, "execution_mode": "async_callback",
    });
    let (_, child) = desk.run(child).await;
    let end = desk.finish(&held, answered("I wait for the child.")).await;
    assert_eq!(end, (200, json!({"run_id": run, "status": "waiting"})));
    desk.complete(&runner, "from the child").await;
    desk.reconcile().await;
    let held = desk.claim(&runner).await;
    assert_eq!(
        (&held.run["retry_count"], &held.run["conversation"]),
        (&json!(0), &json!(["I wait for the child."]))
    );
    assert!(text(&held.run, "retry_prompt").contains(&child), "{}", held.run);
    // From here on it is re-prompted as usual: the next error uses a retry.
    desk.finish(&held, answered("no")).await;
    let held = desk.claim(&runner).await;
    assert_eq!(held.run["retry_count"], 1);
    assert!(!text(&held.run, "retry_prompt").contains(&child), "{}", held.run);
    desk.finish(&held, answered("{\"n\": 1}")).await;
    let (_, run) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!((&run["status"], &run["usage"]["input_tokens"]), (&json!("completed"), &json!(30)));
}
