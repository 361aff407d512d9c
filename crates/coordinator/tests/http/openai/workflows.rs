//! Workflows as models.

use serde_json::{Value, json};

use super::{
    CHAT, RESPONSES, answered, chat, claimed, data, desk, done, not_met, refusal, response, said, streamed,
    verdict,
};
use crate::support::{Desk, text, woken};

fn flow(name: &str, input: Value, agent: Value) -> Value {
    let nodes = json!({"input": input, "work": agent, "output": {"type": "output"}});
    let edges = json!([{"from": "input", "to": "work"}, {"from": "work", "to": "output"}]);
    json!({"name": name, "nodes": nodes, "edges": edges})
}

/// With `review`, a workflow that has `judge` judge its prompt.
async fn with_review() -> Desk {
    let desk = desk().await;
    let judge = json!({"type": "agent", "agent": "judge", "prompt": "Review: {{ input.prompt }}"});
    assert_eq!(desk.post("/workflows", flow("review", json!({"type": "input"}), judge)).await.0, 201);
    desk
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workflow_answers_with_its_output() {
    let desk = with_review().await;
    let (answer, run) =
        answered(&desk, CHAT, chat("review", json!({})), done(json!({"verdict": "pass", "score": 1.50})))
            .await;
    assert_eq!(run["parameters"], json!({"prompt": "Review: Judge"}));
    let id = text(&answer.1, "id");
    let message =
        json!({"role": "assistant", "content": "{\"verdict\":\"pass\",\"score\":1.5}", "refusal": null});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop", "logprobs": null});
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "cost_usd": 0.5});
    let expected = json!({
        "id": id, "object": "chat.completion", "created": 1_793_491_200, "model": "review",
        "choices": [choice], "usage": usage,
    });
    assert_eq!(answer, (200, expected));
    assert_eq!(desk.get(&format!("/workflow-runs/{id}")).await.1["status"], "completed");

    let request = response("review", json!({"metadata": {"ticket": "4"}}));
    let ((_, answer), _) = answered(&desk, RESPONSES, request, done(json!({"verdict": "fail"}))).await;
    assert_eq!((&answer["status"], &answer["model"]), (&json!("completed"), &json!("review")));
    assert_eq!(answer["output"][0]["content"][0]["text"], "{\"verdict\":\"fail\"}");
    assert_eq!(
        (&answer["metadata"], &answer["usage"]["total_tokens"]),
        (&json!({"ticket": "4"}), &json!(18))
    );
    assert_eq!(desk.get(&format!("{RESPONSES}/{}", text(&answer, "id"))).await, (200, answer));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_become_the_input_of_a_workflow() {
    let desk = desk().await;
    let number = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}});
    let inputs = [
        ("numbers", json!({"type": "input", "schema": number}), "n is {{ input.n }}"),
        ("texts", json!({"type": "input", "schema": {"type": "string"}}), "{{ input }}"),
    ];
    for (name, input, prompt) in inputs {
        let writer = json!({"type": "agent", "agent": "writer", "prompt": prompt});
        assert_eq!(desk.post("/workflows", flow(name, input, writer)).await.0, 201);
    }
    let ask =
        |model: &str, text: &str| json!({"model": model, "messages": [{"role": "user", "content": text}]});
    let (answer, run) = answered(&desk, CHAT, ask("numbers", "{\"n\": 1.50}"), said("more")).await;
    assert_eq!(run["parameters"], json!({"prompt": "n is 1.50"}));
    assert_eq!(answer.1["choices"][0]["message"]["content"], "more", "text stays text");
    let (_, run) = answered(&desk, CHAT, ask("texts", "hello"), said("x")).await;
    assert_eq!(run["parameters"], json!({"prompt": "hello"}));
    for text in ["hello", "{\"n\": \"a\"}", "[]"] {
        let answer = desk.post(CHAT, ask("numbers", text)).await;
        assert_eq!(refusal(&answer), (422, "ParameterValidationFailed", None), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workflow_that_fails_is_an_error() {
    let desk = with_review().await;
    let failure = || not_met("output_schema_validation_failed");
    let (answer, _) = answered(&desk, CHAT, chat("review", json!({})), failure()).await;
    assert_eq!(refusal(&answer), (422, "output_schema_validation_failed", None));
    assert!(text(&answer.1["error"]["details"], "workflow_run_id").starts_with("wfr_"), "{answer:?}");
    assert!(!answer.1.to_string().contains("SECRET"), "{}", answer.1);
    let ((status, answer), _) = answered(&desk, RESPONSES, response("review", json!({})), failure()).await;
    assert_eq!((status, &answer["status"], &answer["output"]), (200, &json!("failed"), &json!([])));
    assert_eq!(answer["error"]["code"], "output_schema_validation_failed");
    let (answer, _) = answered(&desk, CHAT, chat("review", json!({})), not_met("executor_failed")).await;
    assert_eq!(refusal(&answer), (424, "executor_failed", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_of_a_workflow_is_streamed() {
    let desk = with_review().await;
    let request = chat("review", json!({"stream": true}));
    let chunks = data(&streamed(&desk, CHAT, request, done(json!({"verdict": "pass"}))).await);
    assert_eq!(chunks[0]["choices"][0]["delta"]["content"], "{\"verdict\":\"pass\"}");
    let failure = not_met("output_schema_validation_failed");
    let events =
        data(&streamed(&desk, RESPONSES, response("review", json!({"stream": true})), failure).await);
    let last = &events[events.len() - 1];
    assert_eq!((events.len(), &last["type"]), (3, &json!("response.failed")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workflow_in_the_background_is_polled_and_cancelled() {
    let desk = with_review().await;
    let _background = desk.awake();
    let start = async || desk.post(RESPONSES, response("review", json!({"background": true}))).await;
    let (status, answer) = start().await;
    assert_eq!((status, &answer["status"]), (200, &json!("in_progress")));
    let held = claimed(&desk).await;
    desk.finish(&held, done(json!({"verdict": "pass"}))).await;
    let id = text(&answer, "id");
    woken(desk.get(&format!("/workflow-runs/{id}?wait=60"))).await;
    let (_, stored) = desk.get(&format!("{RESPONSES}/{id}")).await;
    assert_eq!(stored["output"][0]["content"][0]["text"], "{\"verdict\":\"pass\"}");

    let id = text(&start().await.1, "id");
    assert_eq!(desk.post_empty(&format!("{RESPONSES}/{id}/cancel")).await.0, 200);
    woken(desk.get(&format!("/workflow-runs/{id}?wait=60"))).await;
    let (_, stopped) = desk.get(&format!("{RESPONSES}/{id}")).await;
    assert_eq!((&stopped["status"], &stopped["error"]["code"]), (&json!("cancelled"), &json!("stopped")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_request_is_the_same_workflow_run() {
    let desk = with_review().await;
    let _background = desk.awake();
    let request = || chat("review", json!({}));
    let (first, _) = tokio::join!(woken(desk.post_once(CHAT, "k", request())), async {
        let held = claimed(&desk).await;
        desk.finish(&held, done(json!({"verdict": "pass"}))).await
    });
    assert_eq!(first.0, 200, "{first:?}");
    assert_eq!(desk.post_once(CHAT, "k", request()).await, first);
    let other = desk.post_once(CHAT, "k", chat("judge", json!({}))).await;
    assert_eq!(refusal(&other), (422, "IdempotencyConflict", None));
}

#[tokio::test]
async fn what_a_workflow_cannot_do_is_refused() {
    let desk = with_review().await;
    let narrower = json!({"type": "object", "required": ["score"]});
    let format = json!({"type": "json_schema", "json_schema": {"name": "V", "schema": narrower}});
    let tool = json!({"type": "function", "function": {"name": "V", "parameters": narrower}});
    for more in [json!({"response_format": format}), json!({"tools": [tool], "tool_choice": "required"})] {
        let answer = desk.post(CHAT, chat("review", more)).await;
        assert_eq!(refusal(&answer), (422, "OutputSchemaConflict", None));
        assert_eq!(answer.1["error"]["details"]["places"][0]["path"], "$", "{}", answer.1);
    }
    assert_eq!(desk.get("/workflow-runs").await.1["items"], json!([]), "nothing was started");
    let next = json!({"input": "And?", "previous_response_id": "wfr_1"});
    let answer = desk.post(RESPONSES, next).await;
    assert_eq!(refusal(&answer), (400, "InvalidRequest", Some("previous_response_id")));
    let answer = desk.get(&format!("{RESPONSES}/wfr_none")).await;
    assert_eq!(refusal(&answer), (404, "WorkflowRunNotFound", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_comes_before_a_workflow_of_the_same_name() {
    let desk = with_review().await;
    let writer = json!({"type": "agent", "agent": "writer", "prompt": "From a workflow"});
    assert_eq!(desk.post("/workflows", flow("judge", json!({"type": "input"}), writer)).await.0, 201);
    let (_, list) = desk.get("/v1/models").await;
    let ids: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["adder", "judge", "review", "workflow:judge", "writer"]);
    let (_, run) = answered(&desk, CHAT, chat("judge", json!({})), done(json!({"verdict": "pass"}))).await;
    assert_eq!(run["parameters"], json!({"prompt": "Judge"}));
    for (model, prompt) in [("workflow:judge", "From a workflow"), ("workflow:review", "Review: Judge")] {
        let found = json!({"id": model, "object": "model", "created": 1_793_491_200, "owned_by": "accord"});
        assert_eq!(desk.get(&format!("/v1/models/{model}")).await, (200, found));
        let end = if model.ends_with("judge") { said("hi") } else { done(json!({"verdict": "pass"})) };
        let (_, run) = answered(&desk, CHAT, chat(model, json!({})), end).await;
        assert_eq!(run["parameters"], json!({"prompt": prompt}));
    }
    for (model, message) in [
        ("reviw", "model 'reviw' not found; did you mean 'review'?"),
        ("workflow:reviw", "workflow 'reviw' not found; did you mean 'review'?"),
    ] {
        let answer = desk.post(CHAT, chat(model, json!({}))).await;
        assert_eq!(refusal(&answer), (404, "model_not_found", Some("model")));
        assert_eq!(answer.1["error"]["message"], message);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_that_accepts_every_output_of_a_workflow_is_met() {
    let desk = with_review().await;
    let format = json!({"type": "json_schema", "json_schema": {"name": "V", "schema": verdict()}});
    for more in [json!({"response_format": format}), json!({"response_format": {"type": "json_object"}})] {
        let (answer, _) = answered(&desk, CHAT, chat("review", more), done(json!({"verdict": "pass"}))).await;
        assert_eq!(answer.1["choices"][0]["message"]["content"], "{\"verdict\":\"pass\"}");
    }
}
