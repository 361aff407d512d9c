//! Runs that are done again: what a fork and a retry keep, whom they tell, and what they refuse.

use serde_json::{Value, json};

use crate::support::{Desk, Held, refused, text};

/// Reports steps of a run, a second after one another.
async fn report(desk: &Desk, held: &Held, from: u32, bodies: &[Value]) {
    for (number, body) in (from..).zip(bodies) {
        desk.pass(1);
        let steps = json!([{"number": number, "body": body}]);
        let report = json!({"holding": held.holding, "events": [], "steps": steps});
        let (status, answer) = desk.post(&format!("/runner/runs/{}/events", held.run_id), report).await;
        assert_eq!(status, 204, "{answer}");
    }
}

fn calls() -> Value {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let calls = json!([{"id": "c", "name": "pay", "arguments": "{}"}]);
    json!({"type": "model_answer", "text": "", "calls": calls, "ending": "finished", "model": "small", "usage": usage})
}

fn result() -> Value {
    json!({"type": "tool_result", "call_id": "c", "name": "pay", "ok": true, "text": "done"})
}

/// Forks a run and returns the types of the steps that the fork begins with.
async fn forked(desk: &Desk, runner: &str, run_id: &str, from_step: u32) -> Vec<String> {
    let (status, created) = desk.post(&format!("/runs/{run_id}/fork"), json!({"from_step": from_step})).await;
    assert_eq!(status, 201, "{created}");
    let held = desk.claim(runner).await;
    assert_eq!(held.run_id, text(&created, "run_id"));
    let steps = held.run["steps"].as_array().unwrap();
    steps.iter().map(|step| text(&step["body"], "type")).collect()
}

#[tokio::test]
async fn a_fork_has_an_approval_only_with_the_result_of_its_call() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let held = desk.claim(&runner).await;
    report(&desk, &held, 1, &[calls()]).await;
    let tool = json!({"name": "pay", "arguments": {}});
    let ask = json!({"call_id": "1/c", "purpose": "approval", "message": "Pay?", "tool": tool});
    let (status, answer) = desk.finish(&held, json!({"status": "input_required", "inputs": [ask]})).await;
    assert_eq!(status, 200, "{answer}");
    let input = text(&desk.get("/inputs").await.1["items"][0], "id");
    assert_eq!(desk.post(&format!("/inputs/{input}"), json!({"answer": {"approve": true}})).await.0, 200);
    desk.reconcile().await;
    let held = desk.claim(&runner).await;
    report(&desk, &held, 3, &[json!({"type": "tool_started", "call_id": "c"}), result()]).await;
    for (from_step, expected) in [
        (1, vec!["model_answer"]),
        (2, vec!["model_answer"]),
        (3, vec!["model_answer"]),
        (4, vec!["model_answer", "input", "tool_started", "tool_result"]),
    ] {
        assert_eq!(forked(&desk, &runner, &held.run_id, from_step).await, expected, "from {from_step}");
    }
    // The run itself goes on with what it has.
    desk.pass(100);
    desk.reconcile().await;
    let again = desk.claim(&runner).await;
    assert_eq!(
        (again.run_id.as_str(), again.run["steps"].as_array().unwrap().len()),
        (held.run_id.as_str(), 4)
    );
}

/// A finished parent with a finished child that called it back: the runner, the parent's session and the child's run.
async fn family(desk: &Desk) -> (String, String, String) {
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    desk.complete(&runner, "parent").await;
    let child = json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": parent, "execution_mode": "async_callback",
    });
    let (child, _) = desk.run(child).await;
    let held = desk.claim(&runner).await;
    report(desk, &held, 1, &[calls(), result()]).await;
    desk.finish(&held, json!({"status": "completed", "result_text": "child"})).await;
    desk.reconcile().await;
    desk.complete(&runner, "told").await;
    (runner, parent, child)
}

#[tokio::test]
async fn a_parent_hears_of_a_retry_or_fork_only_if_the_caller_says_so() {
    for (route, body) in [("retry", json!({})), ("fork", json!({"from_step": 1}))] {
        for callback in [None, Some(false), Some(true)] {
            let desk = Desk::with_writer().await;
            let (runner, parent, child) = family(&desk).await;
            let mut body = body.clone();
            body.as_object_mut()
                .unwrap()
                .extend(callback.map(|callback| ("callback".to_owned(), json!(callback))));
            let (status, again) = desk.post(&format!("/runs/{child}/{route}"), body).await;
            assert_eq!(status, 201, "{again}");
            desk.complete(&runner, "again").await;
            desk.reconcile().await;
            let told = callback == Some(true);
            let session = desk.get(&format!("/sessions/{parent}")).await.1;
            assert_eq!(session["status"], if told { "pending" } else { "finished" }, "{route} {callback:?}");
            if told {
                let prompt = text(&desk.claim(&runner).await.run["parameters"], "prompt");
                assert!(prompt.contains(&text(&again, "session_id")), "{prompt}");
            } else {
                let result = desk.get(&format!("/sessions/{parent}/result")).await.1;
                assert_eq!(result["result_text"], "told", "{route} {callback:?}");
            }
        }
    }
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "alone"})).await;
    desk.complete(&runner, "x").await;
    let answer = desk.post(&format!("/runs/{run}/retry"), json!({"callback": true})).await;
    assert_eq!(refused(&answer), (400, "InvalidRequest"), "it has no parent");
}

#[tokio::test]
async fn a_fork_between_the_start_of_a_child_and_its_report_is_refused() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let request = json!({"agent_name": "writer", "prompt": "p", "output_schema": schema});
    let (_, session) = desk.run(request).await;
    let held = desk.claim(&runner).await;
    report(&desk, &held, 1, &[calls()]).await;
    desk.pass(1);
    let child = json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": session, "execution_mode": "async_callback",
    });
    let (_, child) = desk.run(child).await;
    let said = json!({
        "type": "model_answer", "text": "I wait.", "ending": "finished", "model": "small",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    report(&desk, &held, 2, &[result(), said]).await;
    let attempt = json!({
        "number": 1, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "small",
        "outcome": "no_json", "usage": {"input_tokens": 1, "output_tokens": 1}, "duration_ms": 1, "text": "I wait.",
    });
    let attempts = json!({"holding": held.holding, "attempts": [attempt], "step": 4});
    let told = desk.post(&format!("/runner/runs/{}/attempts", held.run_id), attempts).await;
    assert_eq!(told, (200, json!({"waiting": true})));
    desk.finish(&held, json!({"status": "waiting"})).await;
    let fork = format!("/runs/{}/fork", held.run_id);
    for from_step in 2..=4 {
        let answer = desk.post(&fork, json!({"from_step": from_step})).await;
        assert_eq!(refused(&answer), (409, "NotRetryable"), "from {from_step}");
        let message = text(&answer.1, "message");
        assert!(message.contains(&child) && message.contains("a step before 2"), "{message}");
    }
    let child = desk.complete(&runner, "child").await;
    assert_ne!(child.run_id, held.run_id);
    desk.reconcile().await;
    let parent = desk.claim(&runner).await;
    assert_eq!(parent.run_id, held.run_id);
    assert_eq!(forked(&desk, &runner, &held.run_id, 1).await, ["model_answer"], "it starts its own");
    let reported = ["model_answer", "tool_result", "model_answer", "verdict", "message"];
    assert_eq!(forked(&desk, &runner, &held.run_id, 5).await, reported, "it knows the outcome");
    assert_eq!(refused(&desk.post(&fork, json!({"from_step": 3})).await), (409, "NotRetryable"));
}

#[tokio::test]
async fn removed_agents_cannot_be_run_again() {
    let desk = Desk::with_writer().await;
    let admin = text(&desk.post("/keys", json!({"role": "admin"})).await.1, "key");
    let body = Some(json!({"role": "caller", "name": "app"}));
    let caller = text(&desk.ask_as(&admin, "POST", "/keys", body).await.1, "key");
    let inline = json!({
        "type": "autonomous", "executor": {"type": "llm", "provider": "anthropic", "model": "small"},
    });
    let nodes = json!({
        "input": {"type": "input"}, "work": {"type": "agent", "agent": inline, "prompt": "Work"},
        "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "work"}, {"from": "work", "to": "output"}]);
    let flow = json!({"name": "flow", "nodes": nodes, "edges": edges});
    let made = desk.ask_as(&admin, "POST", "/workflows", Some(flow)).await;
    assert_eq!(made.0, 201, "{}", made.1);
    let task = json!({"agent_name": "writer", "prompt": "p"});
    let run = text(&desk.ask_as(&caller, "POST", "/runs", Some(task)).await.1, "run_id");
    let started = desk.ask_as(&caller, "POST", "/workflows/flow/runs", Some(json!({"input": {}}))).await;
    let flow_run = text(&started.1, "workflow_run_id");
    desk.reconcile().await;
    // Both runs fail after one step, by way of a stop.
    let node = desk.ask_as(&caller, "GET", "/runs", None).await.1;
    let node = node["items"].as_array().unwrap().iter().map(|run| text(run, "run_id")).find(|id| *id != run);
    let node = node.unwrap();
    for id in [&run, &node] {
        assert_eq!(desk.ask_as(&caller, "POST", &format!("/runs/{id}/stop"), None).await.0, 200);
    }
    desk.reconcile().await;
    let again = async |path: &str| desk.ask_as(&caller, "POST", path, Some(json!({}))).await;
    for id in [&run, &node] {
        let (status, body) = again(&format!("/runs/{id}/retry")).await;
        assert_eq!(status, 201, "it exists: {body}");
    }
    for path in ["/agents/writer", "/workflows/flow"] {
        assert_eq!(desk.ask_as(&admin, "DELETE", path, None).await.0, 204, "{path}");
    }
    for id in [&run, &node] {
        assert_eq!(refused(&again(&format!("/runs/{id}/retry")).await), (404, "AgentNotFound"), "{id}");
        let (path, body) = (format!("/runs/{id}/fork"), json!({"from_step": 1}));
        let fork = desk.ask_as(&caller, "POST", &path, Some(body)).await;
        assert_eq!(refused(&fork), (404, "AgentNotFound"), "{id}");
    }
    let resumed = desk.ask_as(&caller, "POST", &format!("/workflow-runs/{flow_run}/retry"), None).await;
    assert_eq!(refused(&resumed), (404, "WorkflowNotFound"));
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_continues_after_its_agent_was_removed() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let held = desk.claim(&runner).await;
    report(&desk, &held, 1, &[calls()]).await;
    let tool = json!({"name": "pay", "arguments": {}});
    let ask = json!({"call_id": "1/c", "purpose": "approval", "message": "Pay?", "tool": tool});
    desk.finish(&held, json!({"status": "input_required", "inputs": [ask]})).await;
    assert_eq!(desk.delete("/agents/writer").await.0, 204);
    let input = text(&desk.get("/inputs").await.1["items"][0], "id");
    assert_eq!(desk.post(&format!("/inputs/{input}"), json!({"answer": {"approve": true}})).await.0, 200);
    desk.reconcile().await;
    assert_eq!(desk.complete(&runner, "paid").await.run_id, run);
}

#[tokio::test]
async fn an_empty_model_is_refused_wherever_one_can_be_named() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let held = desk.claim(&runner).await;
    report(&desk, &held, 1, &[calls()]).await;
    desk.finish(&held, json!({"status": "completed", "result_text": "x"})).await;
    let long = "m".repeat(5_000);
    for (path, body) in [
        ("/runs".to_owned(), json!({"agent_name": "writer", "prompt": "p"})),
        ("/runs".to_owned(), json!({"session_id": session, "prompt": "p"})),
        (format!("/runs/{run}/retry"), json!({})),
        (format!("/runs/{run}/fork"), json!({"from_step": 1})),
    ] {
        for model in ["", " ", "\t\n", long.as_str()] {
            let mut body = body.clone();
            body["model"] = json!(model);
            let answer = desk.post(&path, body).await;
            assert_eq!(refused(&answer), (400, "InvalidRequest"), "{path} '{model}'");
            assert!(text(&answer.1, "message").starts_with("model "), "{}", answer.1);
        }
    }
}

#[tokio::test]
async fn a_fork_from_the_last_step_of_a_finished_run_asks_for_the_last_answer_again() {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let failed = json!({"type": "request_failed", "error": "failed", "message": "no", "usage": usage});
    let said =
        json!({"type": "model_answer", "text": "x", "ending": "finished", "model": "small", "usage": usage});
    for last in [said, failed] {
        let desk = Desk::with_writer().await;
        let runner = desk.runner().await;
        desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
        let held = desk.claim(&runner).await;
        report(&desk, &held, 1, &[calls(), result(), last.clone()]).await;
        let error = json!({"type": "executor_failed", "message": "no"});
        desk.finish(&held, json!({"status": "failed", "error": error})).await;
        assert_eq!(forked(&desk, &runner, &held.run_id, 3).await, ["model_answer", "tool_result"], "{last}");
    }
}
