//! `/v1/chat/completions` and `/v1/models`.

use accord_api::ErrorName;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::{CHAT, answered, chat, claimed, data, desk, done, not_met, refusal, said, streamed, verdict};
use crate::support::{Desk, woken};

fn schema_format() -> Value {
    json!({"type": "json_schema", "json_schema": {"name": "V", "strict": true, "schema": verdict()}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_schema_of_the_caller_is_the_contract() {
    let desk = desk().await;
    let request = chat("writer", json!({"response_format": schema_format()}));
    let (answer, run) = answered(&desk, CHAT, request, done(json!({"verdict": "pass"}))).await;
    assert_eq!(run["parameters"], json!({"prompt": "Judge"}));
    assert_eq!((&run["contract"]["origin"], &run["contract"]["schema"]), (&json!("caller"), &verdict()));
    let message = json!({"role": "assistant", "content": "{\"verdict\":\"pass\"}", "refusal": null});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop", "logprobs": null});
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "cost_usd": 0.5});
    let expected = json!({
        "id": run["run_id"], "object": "chat.completion", "created": 1_793_491_200, "model": "writer",
        "choices": [choice], "usage": usage,
    });
    assert_eq!(answer, (200, expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_of_the_agent_applies_without_one() {
    let desk = desk().await;
    for more in [
        json!({}),
        json!({"response_format": {"type": "text"}}),
        json!({"response_format": {"type": "json_object"}}),
    ] {
        let ((status, answer), run) =
            answered(&desk, CHAT, chat("judge", more), done(json!({"verdict": "fail"}))).await;
        assert_eq!((status, &run["contract"]["origin"]), (200, &json!("blueprint")));
        assert_eq!(answer["choices"][0]["message"]["content"], "{\"verdict\":\"fail\"}");
    }
    let ((status, answer), run) = answered(&desk, CHAT, chat("writer", json!({})), said("hello")).await;
    assert_eq!(
        (status, &run["contract"], &answer["choices"][0]["message"]["content"]),
        (200, &Value::Null, &json!("hello"))
    );
    let any = chat("writer", json!({"response_format": {"type": "json_object"}}));
    let (_, run) = answered(&desk, CHAT, any, done(json!({"a": 1}))).await;
    assert_eq!(run["contract"]["schema"], json!({"type": "object"}));
}

#[tokio::test]
async fn two_contracts_that_exclude_each_other_are_a_conflict() {
    let desk = desk().await;
    let other = json!({"type": "object", "properties": {"verdict": {"enum": ["yes", "no"]}}});
    let format = json!({"type": "json_schema", "json_schema": {"name": "V", "schema": other}});
    let answer = desk.post(CHAT, chat("judge", json!({"response_format": format}))).await;
    assert_eq!(refusal(&answer), (422, "OutputSchemaConflict", None));
    let error = &answer.1["error"];
    assert_eq!(
        (&error["type"], &error["details"]["is_possible"]),
        (&json!("invalid_request_error"), &json!(false))
    );
    assert_eq!(error["details"]["places"][0]["path"], "$.verdict", "{error}");
    assert_eq!(desk.get("/runs").await.1["items"], json!([]), "nothing was queued");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_contract_that_the_agents_implies_is_met_by_it() {
    let desk = desk().await;
    let wider =
        json!({"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]});
    for schema in [verdict(), wider] {
        let format =
            json!({"type": "json_schema", "json_schema": {"name": "V", "strict": true, "schema": schema}});
        let tool = json!({"type": "function", "function": {"name": "V", "parameters": schema}});
        let forced = json!({"tools": [tool], "tool_choice": "required"});
        for (more, place) in [
            (json!({"response_format": format}), "/message/content"),
            (forced, "/message/tool_calls/0/function/arguments"),
        ] {
            let (answer, run) =
                answered(&desk, CHAT, chat("judge", more), done(json!({"verdict": "pass"}))).await;
            assert_eq!(
                (&run["contract"]["origin"], &run["contract"]["schema"]),
                (&json!("blueprint"), &verdict())
            );
            assert_eq!(answer.1["choices"][0].pointer(place), Some(&json!("{\"verdict\":\"pass\"}")));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_contracts_hold_where_they_overlap() {
    let desk = desk().await;
    let narrow = json!({"type": "object", "required": ["score"], "properties": {"score": {"maximum": 1}}});
    let format = json!({"type": "json_schema", "json_schema": {"name": "V", "schema": narrow}});
    let request = || chat("judge", json!({"response_format": format}));
    let end = done(json!({"verdict": "pass", "score": 1}));
    let ((status, _), run) = answered(&desk, CHAT, request(), end).await;
    assert_eq!((status, &run["contract"]["callers_schema"]), (200, &narrow));
    let parts = run["contract"]["schema"]["allOf"].as_array().unwrap();
    assert_eq!((&parts[0]["x-contract-of"], &parts[1]["x-contract-of"]), (&json!("agent"), &json!("caller")));

    let _background = desk.awake();
    let (answer, refused) = tokio::join!(woken(desk.post(CHAT, request())), async {
        let held = claimed(&desk).await;
        let refused = desk.finish(&held, done(json!({"verdict": "pass", "score": 2}))).await;
        desk.finish(&held, not_met("output_schema_validation_failed")).await;
        refused
    });
    assert_eq!((refused.0, &refused.1["error"]), (422, &json!("ContractViolation")));
    let message = refused.1["message"].as_str().unwrap();
    assert!(message.ends_with("(the caller's schema)"), "{message}");
    assert_eq!(refusal(&answer), (422, "output_schema_validation_failed", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_function_that_has_to_be_called_is_the_contract() {
    let desk = desk().await;
    let tool = json!({"type": "function", "function": {"name": "V", "parameters": verdict()}});
    for choice in [json!("required"), json!({"type": "function", "function": {"name": "V"}})] {
        let request = chat("writer", json!({"tools": [tool], "tool_choice": choice}));
        let ((_, answer), run) = answered(&desk, CHAT, request, done(json!({"verdict": "pass"}))).await;
        assert_eq!(run["contract"]["schema"], verdict());
        let function = json!({"name": "V", "arguments": "{\"verdict\":\"pass\"}"});
        let id = format!("call_{}", run["run_id"].as_str().unwrap());
        let message = json!({
            "role": "assistant", "content": null, "refusal": null,
            "tool_calls": [{"id": id, "type": "function", "function": function}],
        });
        assert_eq!(
            (&answer["choices"][0]["message"], &answer["choices"][0]["finish_reason"]),
            (&message, &json!("tool_calls"))
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_contract_that_was_not_met_is_an_error_and_never_text() {
    let desk = desk().await;
    for (agent, kind, more) in [
        ("judge", "output_schema_validation_failed", json!({})),
        ("writer", "schema_validation_failed", json!({"response_format": schema_format()})),
    ] {
        let (answer, run) = answered(&desk, CHAT, chat(agent, more), not_met(kind)).await;
        assert_eq!(refusal(&answer), (422, "output_schema_validation_failed", None));
        let details = json!({"run_id": run["run_id"], "validation_errors": ["$.verdict: is missing"]});
        assert_eq!(answer.1["error"]["details"], details);
        assert!(!answer.1.to_string().contains("SECRET"), "{}", answer.1);
    }
    let (answer, _) = answered(&desk, CHAT, chat("judge", json!({})), not_met("executor_failed")).await;
    assert_eq!(refusal(&answer), (424, "executor_failed", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_has_the_judged_answer_alone() {
    let desk = desk().await;
    let request = chat("judge", json!({"stream": true, "stream_options": {"include_usage": true}}));
    let stream = streamed(&desk, CHAT, request, done(json!({"verdict": "pass"}))).await;
    assert!(stream.starts_with(": accord\n\ndata: "), "{stream}");
    let chunks = data(&stream);
    assert_eq!(chunks.len(), 3, "{stream}");
    assert!(chunks.iter().all(|chunk| chunk["object"] == "chat.completion.chunk"));
    let delta = json!({"role": "assistant", "content": "{\"verdict\":\"pass\"}", "refusal": null});
    assert_eq!(chunks[0]["choices"][0]["delta"], delta);
    assert_eq!(
        (&chunks[1]["choices"][0]["delta"], &chunks[1]["choices"][0]["finish_reason"]),
        (&json!({}), &json!("stop"))
    );
    assert_eq!((&chunks[2]["choices"], &chunks[2]["usage"]["total_tokens"]), (&json!([]), &json!(18)));

    let failed = streamed(
        &desk,
        CHAT,
        chat("judge", json!({"stream": true})),
        not_met("output_schema_validation_failed"),
    )
    .await;
    let error = data(&failed);
    assert_eq!((error.len(), &error[0]["error"]["code"]), (1, &json!("output_schema_validation_failed")));
    assert!(!failed.contains("SECRET"), "{failed}");
}

#[tokio::test(start_paused = true)]
async fn comments_keep_a_stream_open_while_the_run_works() {
    use futures_util::StreamExt as _;
    let desk = desk().await;
    let request = chat("judge", json!({"stream": true})).to_string();
    let request = Request::post(CHAT).header("content-type", "application/json").body(Body::from(request));
    let mut stream = desk.open(request.unwrap()).await.into_body().into_data_stream();
    for expected in [": accord\n\n", ": keep-alive\n\n", ": keep-alive\n\n"] {
        assert_eq!(stream.next().await.unwrap().unwrap(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_become_the_input() {
    let desk = desk().await;
    let messages = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": [{"type": "text", "text": "two"}]},
    ]);
    let (_, run) = answered(&desk, CHAT, json!({"model": "writer", "messages": messages}), said("2")).await;
    assert_eq!(run["parameters"], json!({"prompt": "two"}));
    let before = json!([{"role": "user", "content": "one"}, {"role": "assistant", "content": "1"}]);
    let opening = json!({"instructions": "Be brief.", "messages": before});
    assert_eq!(run["opening"], opening);
    let (_, stored) = desk.get(&format!("/runs/{}", run["run_id"].as_str().unwrap())).await;
    assert_eq!(stored["opening"], opening);
    let of_adder = |text: &str| json!({"model": "adder", "messages": [{"role": "user", "content": text}]});
    let (_, run) = answered(&desk, CHAT, of_adder("{\"n\": 1.5}"), said("x")).await;
    assert_eq!(run["parameters"], json!({"n": 1.5}));
    for text in ["hello", "{\"n\": \"a\"}", "[]"] {
        let answer = desk.post(CHAT, of_adder(text)).await;
        assert_eq!(refusal(&answer), (422, "ParameterValidationFailed", None), "{text}");
    }
}

#[tokio::test]
async fn an_unknown_model_is_not_found_and_the_nearest_is_named() {
    let desk = desk().await;
    let answer = desk.post(CHAT, chat("jugde", json!({}))).await;
    assert_eq!(refusal(&answer), (404, "model_not_found", Some("model")));
    assert_eq!(answer.1["error"]["message"], "model 'jugde' not found; did you mean 'judge'?");
    let answer = desk.get("/v1/models/jugde").await;
    assert_eq!(refusal(&answer), (404, "model_not_found", Some("model")));
}

#[tokio::test]
async fn agents_are_the_models() {
    let desk = desk().await;
    let (status, list) = desk.get("/v1/models").await;
    let ids: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!((status, &list["object"], ids), (200, &json!("list"), vec!["adder", "judge", "writer"]));
    let judge = json!({"id": "judge", "object": "model", "created": 1_793_491_200, "owned_by": "accord"});
    assert_eq!(desk.get("/v1/models/judge").await, (200, judge));
}

#[tokio::test]
async fn fields_are_read_ignored_or_refused() {
    let desk = desk().await;
    let cases = [
        (json!({"respons_format": {}}), "respons_format"),
        (json!({"functions": []}), "functions"),
        (json!({"n": 2}), "n"),
        (json!({"metadata": {"k": "v".repeat(513)}}), "metadata"),
    ];
    for (more, field) in cases {
        let answer = desk.post(CHAT, chat("writer", more)).await;
        assert_eq!(refusal(&answer), (400, "InvalidRequest", Some(field)));
    }
    let body = chat("writer", json!({"temperature": 0, "seed": 1, "stream": true})).to_string();
    let request = Request::post(CHAT).header("content-type", "application/json").body(Body::from(body));
    let response = desk.open(request.unwrap()).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["accord-ignored-fields"]),
        (200, &"temperature, seed".parse().unwrap())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_request_is_the_same_run() {
    let desk = desk().await;
    let _background = desk.awake();
    let request = || chat("writer", json!({}));
    let (first, _) = tokio::join!(woken(desk.post_once(CHAT, "k", request())), async {
        let held = claimed(&desk).await;
        desk.finish(&held, said("once")).await
    });
    assert_eq!((first.0, &first.1["choices"][0]["message"]["content"]), (200, &json!("once")));
    assert_eq!(desk.post_once(CHAT, "k", request()).await, first);
    let other = desk.post_once(CHAT, "k", chat("judge", json!({}))).await;
    assert_eq!(refusal(&other), (422, "IdempotencyConflict", None));
}

/// Every error of these routes is in the envelope, also those from before a handler is reached.
#[tokio::test]
async fn every_error_is_in_the_envelope() {
    let desk = desk().await;
    let sent = async |desk: &Desk, method: &str, path: &str, kind: &str, body: &str| {
        let request = Request::builder().method(method).uri(path).header("content-type", kind);
        let (status, text) = desk.raw(request.body(Body::from(body.to_owned())).unwrap()).await;
        (status.as_u16(), serde_json::from_str::<Value>(&text).unwrap())
    };
    let json_type = "application/json";
    let cases = [
        (sent(&desk, "POST", CHAT, json_type, "{").await, 400, ErrorName::InvalidRequest),
        (sent(&desk, "POST", CHAT, json_type, "[]").await, 400, ErrorName::InvalidRequest),
        (sent(&desk, "POST", CHAT, "text/plain", "{}").await, 415, ErrorName::UnsupportedMediaType),
        (sent(&desk, "GET", CHAT, json_type, "").await, 405, ErrorName::MethodNotAllowed),
        (sent(&desk, "GET", "/v1/files", json_type, "").await, 404, ErrorName::RouteNotFound),
        (sent(&desk, "GET", "/v1/responses/run_none", json_type, "").await, 404, ErrorName::RunNotFound),
    ];
    for (answer, status, name) in cases {
        assert_eq!(refusal(&answer), (status, name.as_str(), None));
    }
    let (_, key) = desk.post("/keys", json!({"role": "admin", "name": "a"})).await;
    let answer = sent(&desk, "GET", "/v1/models", json_type, "").await;
    assert_eq!(
        (refusal(&answer), &answer.1["error"]["type"]),
        ((401, "invalid_api_key", None), &json!("authentication_error"))
    );
    let admin = key["key"].as_str().unwrap();
    assert_eq!(desk.ask_as(admin, "GET", "/v1/models", None).await.0, 200);
    let (_, viewer) = desk.ask_as(admin, "POST", "/keys", Some(json!({"role": "viewer", "name": "v"}))).await;
    let viewer = viewer["key"].as_str().unwrap();
    let answer = desk.ask_as(viewer, "POST", CHAT, Some(chat("writer", json!({})))).await;
    assert_eq!((refusal(&answer).0, &answer.1["error"]["type"]), (403, &json!("permission_error")));
}

#[tokio::test]
async fn clients_do_not_repeat_what_would_fail_again() {
    let desk = desk().await;
    let retried = async |path: &str, body: Value| {
        let request = Request::post(path).header("content-type", "application/json");
        let response = desk.open(request.body(Body::from(body.to_string())).unwrap()).await;
        let header = response.headers().get("x-should-retry").map(|value| value.to_str().unwrap().to_owned());
        (response.status().as_u16(), header)
    };
    let no = Some("false".to_owned());
    let other = json!({"type": "json_schema", "json_schema": {"name": "V", "schema": {"type": "array"}}});
    let conflict = chat("judge", json!({"response_format": other}));
    assert_eq!(retried(CHAT, conflict).await, (422, no.clone()));
    assert_eq!(retried(CHAT, chat("none", json!({}))).await, (404, no));
    let (_, queued) =
        desk.post("/v1/responses", json!({"model": "judge", "input": "a", "background": true})).await;
    let next = json!({"input": "b", "previous_response_id": queued["id"]});
    assert_eq!(retried("/v1/responses", next).await, (409, None), "a busy session is worth another try");
}

#[tokio::test]
async fn the_callers_contract_hash_is_checked() {
    let desk = desk().await;
    let (_, agent) = desk.get("/agents/judge").await;
    let current = agent["contract_hash"].as_str().unwrap().to_owned();
    let asked = async |hash: &str| {
        let body = chat("judge", json!({"stream": true})).to_string();
        let request =
            Request::post(CHAT).header("content-type", "application/json").header("accord-contract", hash);
        let response = desk.open(request.body(Body::from(body)).unwrap()).await;
        response.status().as_u16()
    };
    assert_eq!((asked(&current).await, asked("0123456789abcdef-none").await), (200, 422));
}
