//! `/v1/responses`.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::{
    RESPONSES, answered, claimed, data, desk, done, not_met, refusal, response, said, streamed, verdict,
};
use crate::support::text;

fn schema_format() -> Value {
    json!({"format": {"type": "json_schema", "name": "V", "strict": true, "schema": verdict()}})
}

fn output_text(response: &Value) -> &Value {
    &response["output"][0]["content"][0]["text"]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_is_a_run() {
    let desk = desk().await;
    let metadata = json!({"ticket": "4"});
    let more = json!({"text": schema_format(), "instructions": "Be strict.", "metadata": metadata});
    let ((status, answer), run) =
        answered(&desk, RESPONSES, response("writer", more), done(json!({"verdict": "pass"}))).await;
    let id = text(&run, "run_id");
    assert_eq!((status, &answer["id"], &answer["status"]), (200, &json!(id), &json!("completed")));
    let prompt = "Answer the last message of this conversation. Each line is one message, as JSON:\n\
        {\"role\":\"system\",\"content\":\"Be strict.\"}\n{\"role\":\"user\",\"content\":\"Judge\"}";
    assert_eq!(run["parameters"], json!({"prompt": prompt}));
    assert_eq!(run["contract"]["schema"], verdict());
    let part =
        json!({"type": "output_text", "text": "{\"verdict\":\"pass\"}", "annotations": [], "logprobs": []});
    let message = json!({
        "type": "message", "id": format!("msg_{id}"), "status": "completed", "role": "assistant", "content": [part],
    });
    assert_eq!(answer["output"], json!([message]));
    let usage = json!({
        "input_tokens": 11, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 18, "cost_usd": 0.5,
    });
    assert_eq!((&answer["usage"], &answer["metadata"], &answer["error"]), (&usage, &metadata, &Value::Null));
    assert_eq!(answer["text"]["format"]["schema"], verdict());
    let (_, later) = desk.get(&format!("{RESPONSES}/{id}")).await;
    let expected = json!({"instructions": null});
    let mut first = answer.clone();
    first.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
    assert_eq!(later, first, "the stored response is the same, but for its instructions");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_has_what_the_specification_requires() {
    let desk = desk().await;
    let ((_, answer), _) = answered(&desk, RESPONSES, response("writer", json!({})), said("hi")).await;
    // `required` of ResponseResource in the Open Responses specification of 2026-04-24.
    let required = "id object created_at completed_at status incomplete_details model previous_response_id instructions output \
        error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs \
        temperature reasoning user usage max_output_tokens max_tool_calls store background service_tier metadata \
        safety_identifier prompt_cache_key";
    for field in required.split_whitespace() {
        assert!(answer.get(field).is_some(), "{field}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_contract_that_was_not_met_is_a_failed_response() {
    let desk = desk().await;
    for (agent, kind, more) in [
        ("judge", "output_schema_validation_failed", json!({})),
        ("writer", "schema_validation_failed", json!({"text": schema_format()})),
    ] {
        let ((status, answer), _) = answered(&desk, RESPONSES, response(agent, more), not_met(kind)).await;
        assert_eq!((status, &answer["status"], &answer["output"]), (200, &json!("failed"), &json!([])));
        assert_eq!(answer["error"]["code"], "output_schema_validation_failed");
        assert!(!answer.to_string().contains("SECRET"), "{answer}");
    }
    let list = json!({"format": {"type": "json_schema", "name": "V", "schema": {"type": "array"}}});
    let conflict = desk.post(RESPONSES, response("judge", json!({"text": list}))).await;
    assert_eq!(refusal(&conflict), (422, "OutputSchemaConflict", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_continues_from_its_last_response() {
    let desk = desk().await;
    let ((_, first), opening) = answered(&desk, RESPONSES, response("writer", json!({})), said("one")).await;
    desk.pass(1);
    let next = |id: &Value| json!({"input": "And now?", "previous_response_id": id});
    let ((status, second), run) = answered(&desk, RESPONSES, next(&first["id"]), said("two")).await;
    assert_eq!((status, output_text(&second)), (200, &json!("two")));
    assert_eq!(
        (&run["session_id"], &run["parameters"]),
        (&opening["session_id"], &json!({"prompt": "And now?"}))
    );
    assert_eq!((&second["previous_response_id"], &second["model"]), (&first["id"], &json!("writer")));
    let (_, stored) = desk.get(&format!("{RESPONSES}/{}", text(&second, "id"))).await;
    assert_eq!(stored["previous_response_id"], first["id"]);
    desk.pass(1);
    let branch = json!({"input": "Or?", "instructions": "Be brief.", "previous_response_id": second["id"]});
    let (_, third) = answered(&desk, RESPONSES, branch, said("three")).await;
    assert_eq!(
        (&third["session_id"], &third["opening"]),
        (&run["session_id"], &json!({"instructions": "Be brief."}))
    );
    let ((status, branch), run) = answered(&desk, RESPONSES, next(&second["id"]), said("four")).await;
    assert_eq!((status, &branch["previous_response_id"]), (200, &second["id"]));
    assert_ne!(run["session_id"], opening["session_id"], "an earlier response begins a branch");
    let messages = json!([
        {"role": "user", "content": "Judge"}, {"role": "assistant", "content": "one"},
        {"role": "user", "content": "And now?"}, {"role": "assistant", "content": "two"},
    ]);
    assert_eq!(
        (&run["opening"]["messages"], &run["parameters"]),
        (&messages, &json!({"prompt": "And now?"}))
    );
    let unknown = desk.post(RESPONSES, next(&json!("run_none"))).await;
    assert_eq!(refusal(&unknown), (404, "RunNotFound", None));
    assert_eq!(
        refusal(&desk.post(RESPONSES, json!({"input": "a"})).await),
        (400, "InvalidRequest", Some("model"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_response_in_the_background_is_polled() {
    let desk = desk().await;
    let request = response("judge", json!({"background": true, "metadata": {"a": "b"}}));
    let (status, answer) = desk.post(RESPONSES, request).await;
    assert_eq!((status, &answer["status"], &answer["background"]), (200, &json!("queued"), &json!(true)));
    let path = format!("{RESPONSES}/{}", text(&answer, "id"));
    let held = claimed(&desk).await;
    assert_eq!(desk.get(&path).await.1["status"], "in_progress");
    desk.finish(&held, done(json!({"verdict": "pass"}))).await;
    let (_, stored) = desk.get(&path).await;
    assert_eq!(
        (&stored["status"], output_text(&stored)),
        (&json!("completed"), &json!("{\"verdict\":\"pass\"}"))
    );
    assert_eq!(stored["metadata"], json!({"a": "b"}));

    let (_, queued) = desk.post(RESPONSES, response("judge", json!({"background": true}))).await;
    let (status, cancelled) = desk.post_empty(&format!("{RESPONSES}/{}/cancel", text(&queued, "id"))).await;
    assert_eq!((status, &cancelled["status"]), (200, &json!("cancelled")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_has_to_be_called_is_called() {
    let desk = desk().await;
    let tool = json!({"type": "function", "name": "final_result", "parameters": verdict(), "strict": false});
    let more = json!({"tools": [tool], "tool_choice": "required"});
    let request = response("writer", more.clone());
    let ((_, answer), run) = answered(&desk, RESPONSES, request, done(json!({"verdict": "pass"}))).await;
    let id = text(&run, "run_id");
    let call = json!({
        "type": "function_call", "id": format!("fc_{id}"), "status": "completed", "call_id": format!("call_{id}"),
        "name": "final_result", "arguments": "{\"verdict\":\"pass\"}",
    });
    assert_eq!(answer["output"], json!([call]));
    let mut request = response("writer", more);
    request["background"] = json!(true);
    assert_eq!(refusal(&desk.post(RESPONSES, request).await), (400, "InvalidRequest", Some("background")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_has_the_events_of_the_judged_answer() {
    let desk = desk().await;
    let request = || response("judge", json!({"stream": true}));
    let stream = streamed(&desk, RESPONSES, request(), done(json!({"verdict": "pass"}))).await;
    let events = data(&stream);
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(kinds, expected);
    let names: Vec<&str> = stream.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(names, expected);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], json!(number));
    }
    assert_eq!(
        (&events[4]["delta"], &events[5]["text"]),
        (&json!("{\"verdict\":\"pass\"}"), &json!("{\"verdict\":\"pass\"}"))
    );
    assert_eq!(output_text(&events[8]["response"]), &json!("{\"verdict\":\"pass\"}"));

    let failed = streamed(&desk, RESPONSES, request(), not_met("output_schema_validation_failed")).await;
    let events = data(&failed);
    let last = &events[events.len() - 1];
    assert_eq!((events.len(), &last["type"]), (3, &json!("response.failed")));
    assert_eq!(last["response"]["error"]["code"], "output_schema_validation_failed");
    assert!(!failed.contains("SECRET"), "{failed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stored_response_is_streamed_listed_and_deleted() {
    let desk = desk().await;
    let input = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "two"},
    ]);
    let ((_, answer), _) =
        answered(&desk, RESPONSES, response("writer", json!({"input": input})), said("2")).await;
    let path = format!("{RESPONSES}/{}", text(&answer, "id"));

    let streamed = async |query: &str| {
        let request = Request::get(format!("{path}{query}")).body(Body::empty()).unwrap();
        data(&desk.raw(request).await.1)
    };
    let whole = streamed("?stream=true").await;
    assert_eq!((&whole[0]["type"], whole.len()), (&json!("response.created"), 9));
    assert_eq!(whole[8]["response"]["output"][0]["content"][0]["text"], "2");
    assert_eq!(streamed("?stream=true&starting_after=5").await, whole[6..]);

    let (_, items) = desk.get(&format!("{path}/input_items?order=asc&include[]=x")).await;
    let said: Vec<_> = items["data"].as_array().unwrap().iter().collect();
    let roles: Vec<_> = said.iter().map(|item| (&item["role"], &item["content"][0]["text"])).collect();
    let expected = ["system Be brief.", "user one", "assistant 1", "user two"];
    let expected: Vec<_> = expected.iter().map(|line| line.split_once(' ').unwrap()).collect();
    assert_eq!(roles.len(), 4);
    for ((role, text), expected) in roles.into_iter().zip(expected) {
        assert_eq!((role.as_str().unwrap(), text.as_str().unwrap()), expected);
    }
    let (_, last) = desk.get(&format!("{path}/input_items?limit=1")).await;
    assert_eq!((&last["data"][0]["content"][0]["text"], &last["has_more"]), (&json!("two"), &json!(true)));
    let (_, rest) = desk.get(&format!("{path}/input_items?after={}", text(&last, "last_id"))).await;
    assert_eq!(rest["data"].as_array().unwrap().len(), 3);

    let deleted = desk.delete(&path).await;
    assert_eq!(deleted, (200, json!({"id": answer["id"], "object": "response", "deleted": true})));
    assert_eq!(refusal(&desk.get(&path).await), (404, "RunNotFound", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_several_responses_is_not_deleted_alone() {
    let desk = desk().await;
    let ((_, first), _) = answered(&desk, RESPONSES, response("writer", json!({})), said("one")).await;
    desk.pass(1);
    let next = json!({"input": "And?", "previous_response_id": first["id"]});
    answered(&desk, RESPONSES, next, said("two")).await;
    let answer = desk.delete(&format!("{RESPONSES}/{}", text(&first, "id"))).await;
    assert_eq!(refusal(&answer), (400, "InvalidRequest", None));
}
