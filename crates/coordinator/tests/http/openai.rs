//! The OpenAI-compatible routes.

mod chat;
mod responses;
mod tools;
mod waiting;
mod workflows;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Answer, Desk, Held, text, woken};

const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";

fn verdict() -> Value {
    json!({
        "type": "object", "required": ["verdict"], "additionalProperties": false,
        "properties": {"verdict": {"enum": ["pass", "fail"]}, "score": {"type": "number"}},
    })
}

/// With `writer`, which has no contract, `judge`, which has one, and `adder`, which has parameters.
async fn desk() -> Desk {
    let desk = Desk::unpolled().await;
    desk.agent(json!({"name": "judge", "output_schema": verdict()})).await;
    let number = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}});
    desk.agent(json!({"name": "adder", "parameters_schema": number})).await;
    desk
}

fn chat(model: &str, more: Value) -> Value {
    let mut request = json!({"model": model, "messages": [{"role": "user", "content": "Judge"}]});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

fn response(model: &str, more: Value) -> Value {
    let mut request = json!({"model": model, "input": "Judge"});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

/// The next run, as its runner gets it.
async fn claimed(desk: &Desk) -> Held {
    let runner = desk.runner().await;
    let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 60});
    let (_, claimed) = woken(desk.post("/runner/claims", claim)).await;
    let run = claimed["runs"][0].clone();
    let holding = json!({"runner_id": runner, "lease_id": run["lease_id"], "attempt": run["attempt"]});
    Held { run_id: text(&run, "run_id"), holding, run }
}

/// The answer to a request, while a runner ends its run like this; and the run as the runner got it.
async fn answered(desk: &Desk, path: &str, request: Value, end: Value) -> (Answer, Value) {
    let _background = desk.awake();
    let (answer, held) = tokio::join!(woken(desk.post(path, request)), async {
        let held = claimed(desk).await;
        let ended = desk.finish(&held, end).await;
        assert_eq!(ended.0, 200, "{ended:?}");
        held
    });
    (answer, held.run)
}

/// The text of a stream, while a runner ends its run like this.
async fn streamed(desk: &Desk, path: &str, request: Value, end: Value) -> String {
    let _background = desk.awake();
    let request = Request::post(path).header("content-type", "application/json").body(request.to_string());
    let request = request.unwrap().map(Body::from);
    let ((status, text), ended) = tokio::join!(woken(desk.raw(request)), async {
        let held = claimed(desk).await;
        desk.finish(&held, end).await
    });
    assert_eq!((status.as_u16(), ended.0), (200, 200), "{text} {ended:?}");
    text
}

/// The data of the events in a stream; comments are left out.
fn data(stream: &str) -> Vec<Value> {
    let lines = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    let (mut lines, last): (Vec<&str>, &str) = (lines.collect(), "[DONE]");
    assert_eq!(lines.pop(), Some(last), "{stream}");
    lines.into_iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn done(result: Value) -> Value {
    let usage = json!({"input_tokens": 11, "output_tokens": 7, "cost_usd": 0.5});
    json!({"status": "completed", "result_data": result, "usage": usage})
}

fn said(text: &str) -> Value {
    json!({"status": "completed", "result_text": text})
}

fn not_met(kind: &str) -> Value {
    let error = json!({
        "type": kind, "message": "the answer did not conform", "validation_errors": ["$.verdict: is missing"],
        "last_output": "SECRET",
    });
    json!({"status": "failed", "error": error})
}

/// Status, code and field of an error in the envelope.
fn refusal(answer: &Answer) -> (u16, &str, Option<&str>) {
    let error = &answer.1["error"];
    let names: Vec<&str> = error.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names[..4], ["message", "type", "param", "code"], "{error}");
    (answer.0, error["code"].as_str().unwrap(), error["param"].as_str())
}
