//! Tools of the caller: a call is the answer to one request, and its result goes on in the same run.

use serde_json::{Value, json};

use super::{CHAT, RESPONSES, answered, chat, data, desk, done, refusal, response, said, streamed, verdict};
use crate::support::{Desk, Held, refused, text, woken};

fn tool(name: &str) -> Value {
    let parameters =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    json!({"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}})
}

fn flat(name: &str) -> Value {
    json!({"type": "function", "name": name, "parameters": {"type": "object"}, "strict": true})
}

fn asks(calls: &[(&str, &str)]) -> Value {
    let input = |(name, city): &(&str, &str)| {
        json!({
            "call_id": format!("1/{name}{city}"), "purpose": "tool_call", "message": "m",
            "tool": {"name": name, "arguments": {"city": city}},
        })
    };
    let usage = json!({"input_tokens": 3, "output_tokens": 2, "cost_usd": null});
    json!({"status": "input_required", "inputs": calls.iter().map(input).collect::<Vec<_>>(), "usage": usage})
}

fn calls(answer: &Value) -> Vec<Value> {
    answer["choices"][0]["message"]["tool_calls"].as_array().unwrap().clone()
}

/// The next request of a client: what it said before, the calls, and their results.
fn next(first: &Value, answer: &Value, results: &[&str]) -> Value {
    let mut request = first.clone();
    let messages = request["messages"].as_array_mut().unwrap();
    messages.push(answer["choices"][0]["message"].clone());
    for (call, result) in calls(answer).iter().zip(results) {
        messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": result}));
    }
    request
}

/// A request whose run waits for calls, and the answer to it.
async fn called(desk: &Desk, cities: &[&str]) -> (Value, Value, Value) {
    let request = chat("writer", json!({"tools": [tool("weather")]}));
    let all: Vec<(&str, &str)> = cities.iter().map(|city| ("weather", *city)).collect();
    let ((status, answer), run) = answered(desk, CHAT, request.clone(), asks(&all)).await;
    assert_eq!(status, 200, "{answer}");
    (request, answer, run)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_one_answer_are_returned_together_and_go_on_in_the_same_run() {
    let desk = desk().await;
    let (request, answer, run) = called(&desk, &["Bonn", "Cologne"]).await;
    assert_eq!(run["tools"]["tools"][0]["name"], "weather");
    assert_eq!(run["tools"]["tools"][0]["description"], "d");
    let choice = &answer["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["content"]),
        (&json!("tool_calls"), &Value::Null)
    );
    let functions: Vec<Value> = calls(&answer).iter().map(|call| call["function"].clone()).collect();
    let function = |city: &str| json!({"name": "weather", "arguments": format!("{{\"city\":\"{city}\"}}")});
    assert_eq!(functions, [function("Bonn"), function("Cologne")]);
    let open = desk.get("/inputs?status=open").await.1;
    assert_eq!(open["items"][0]["purpose"], "tool_call");
    assert_eq!(open["items"][1]["id"], calls(&answer)[0]["id"]);

    // Another coordinator on the same store: the first one may be gone.
    let other = desk.another();
    let ((status, last), again) =
        answered(&other, CHAT, next(&request, &answer, &["sun", "rain"]), said("Go to Bonn.")).await;
    assert_eq!((status, &last["choices"][0]["message"]["content"]), (200, &json!("Go to Bonn.")));
    assert_eq!(
        (&last["id"], &again["run_id"], &again["attempt"]),
        (&run["run_id"], &run["run_id"], &json!(2))
    );
    let told: Vec<&Value> =
        again["steps"].as_array().unwrap().iter().map(|step| &step["body"]["answer"]).collect();
    assert_eq!(told, [&json!("sun"), &json!("rain")]);
    assert_eq!(desk.get("/runs").await.1["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_and_responses_have_the_calls_too() {
    let desk = desk().await;
    let request = chat("writer", json!({"tools": [tool("weather"), tool("time")], "stream": true}));
    let stream = streamed(&desk, CHAT, request, asks(&[("weather", "Bonn"), ("time", "Bonn")])).await;
    let chunks = data(&stream);
    let delta = &chunks[0]["choices"][0]["delta"]["tool_calls"];
    let places: Vec<(&Value, &Value)> =
        delta.as_array().unwrap().iter().map(|call| (&call["index"], &call["function"]["name"])).collect();
    assert_eq!(places, [(&json!(0), &json!("weather")), (&json!(1), &json!("time"))]);
    assert_eq!(chunks[1]["choices"][0]["finish_reason"], "tool_calls");

    let request =
        response("writer", json!({"tools": [flat("weather"), flat("time")], "instructions": "Be brief."}));
    let calls = asks(&[("weather", "Bonn"), ("time", "Bonn")]);
    let ((status, first), run) = answered(&desk, RESPONSES, request.clone(), calls).await;
    assert_eq!((status, &first["status"]), (200, &json!("completed")), "{first}");
    let items: Vec<(&Value, &Value)> =
        first["output"].as_array().unwrap().iter().map(|item| (&item["type"], &item["name"])).collect();
    let call = json!("function_call");
    assert_eq!(items, [(&call, &json!("weather")), (&call, &json!("time"))]);
    let stored = desk.get(&format!("{RESPONSES}/{}", run["run_id"].as_str().unwrap())).await.1;
    assert_eq!(stored["output"], first["output"]);

    let outputs: Vec<Value> = first["output"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| json!({"type": "function_call_output", "call_id": item["call_id"], "output": "x"}))
        .collect();
    let mut second = request.clone();
    second["previous_response_id"] = first["id"].clone();
    second["input"] = json!(outputs);
    second["stream"] = json!(true);
    let mut other = second.clone();
    other["instructions"] = json!("Be long.");
    let refused = desk.post(RESPONSES, other).await;
    assert_eq!(refusal(&refused), (400, "InvalidRequest", Some("tool_call_id")), "{}", refused.1);
    let stream = streamed(&desk, RESPONSES, second, said("Done.")).await;
    let last = data(&stream).pop().unwrap();
    assert_eq!((&last["type"], &last["response"]["id"]), (&json!("response.completed"), &first["id"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_result_is_the_same_and_another_one_is_refused() {
    let desk = desk().await;
    let (request, answer, _) = called(&desk, &["Bonn"]).await;
    let results = next(&request, &answer, &["sun"]);
    let (first, _) = answered(&desk, CHAT, results.clone(), said("Go.")).await;
    let repeated = woken(desk.post(CHAT, results)).await;
    assert_eq!(first, repeated, "its response may have been lost");
    let other = desk.post(CHAT, next(&request, &answer, &["rain"])).await;
    assert_eq!(refusal(&other), (400, "InvalidRequest", Some("tool_call_id")));
    assert!(other.1["error"]["message"].as_str().unwrap().contains("answered before, with another result"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_that_answer_nothing_are_refused() {
    let desk = desk().await;
    let (request, answer, run) = called(&desk, &["Bonn", "Cologne"]).await;
    let message = |answer: &(u16, Value)| {
        assert_eq!(refusal(answer), (400, "InvalidRequest", Some("tool_call_id")), "{}", answer.1);
        text(&answer.1["error"], "message")
    };
    let one = desk.post(CHAT, next(&request, &answer, &["sun"])).await;
    assert!(
        message(&one).contains("the result of the call") && message(&one).contains("'weather' is missing")
    );
    let mut unknown = next(&request, &answer, &["sun", "rain"]);
    unknown["messages"][2]["tool_call_id"] = json!("inp_9999");
    assert!(message(&desk.post(CHAT, unknown).await).contains("there is no call inp_9999"));
    assert_eq!(
        desk.get("/inputs?status=open").await.1["items"].as_array().unwrap().len(),
        2,
        "nothing was answered"
    );
    desk.post_empty(&format!("/runs/{}/stop", run["run_id"].as_str().unwrap())).await;
    let late = desk.post(CHAT, next(&request, &answer, &["sun", "rain"])).await;
    assert!(message(&late).contains("is over; start again"), "{}", late.1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_of_another_key_are_refused() {
    let desk = desk().await;
    let key = async |name: &str| {
        let made = desk.post("/keys", json!({"name": name, "role": "admin"})).await;
        text(&made.1, "key")
    };
    let first = key("first").await;
    let made = desk.ask_as(&first, "POST", "/keys", Some(json!({"name": "second", "role": "admin"}))).await;
    let second = text(&made.1, "key");
    let _background = desk.awake();
    let request = chat("writer", json!({"tools": [tool("weather")]}));
    let asked = desk.ask_as(&first, "POST", CHAT, Some(request.clone()));
    let (answer, ()) = tokio::join!(woken(asked), async {
        let runner =
            desk.ask_as(&first, "POST", "/runner/register", Some(json!({"profile": profile()}))).await;
        let runner = text(&runner.1, "runner_id");
        let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 60});
        let (_, claimed) = woken(desk.ask_as(&first, "POST", "/runner/claims", Some(claim))).await;
        let run = &claimed["runs"][0];
        let mut report = asks(&[("weather", "Bonn")]);
        report["holding"] =
            json!({"runner_id": runner, "lease_id": run["lease_id"], "attempt": run["attempt"]});
        let path = format!("/runner/runs/{}/finish", run["run_id"].as_str().unwrap());
        let finished = desk.ask_as(&first, "POST", &path, Some(report)).await;
        assert_eq!(finished.0, 200, "{finished:?}");
    });
    let results = next(&request, &answer.1, &["sun"]);
    let refused = desk.ask_as(&second, "POST", CHAT, Some(results)).await;
    assert_eq!(refusal(&refused), (403, "Forbidden", None));
    assert_eq!(refused.1["error"]["type"], "permission_error");
}

fn profile() -> Value {
    json!({"executor_types": ["llm", "process", "external"]})
}

/// Handoffs of agents change the tools and the instructions from one request to the next.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_goes_on_otherwise_is_a_new_run() {
    let desk = desk().await;
    let (request, answer, run) = called(&desk, &["Bonn"]).await;
    let mut handed = next(&request, &answer, &["sun"]);
    handed["tools"] = json!([tool("time")]);
    let ((status, _), other) = answered(&desk, CHAT, handed, said("Go.")).await;
    assert_eq!(status, 200);
    assert_ne!(other["run_id"], run["run_id"]);
    assert!(other["parameters"]["prompt"].as_str().unwrap().contains("sun"), "{}", other["parameters"]);
    let old = desk.get(&format!("/runs/{}", run["run_id"].as_str().unwrap())).await.1;
    assert_eq!(old["status"], "stopped");
    assert!(old["error"]["message"].as_str().unwrap().contains("continued the conversation in another run"));
    let session = run["session_id"].as_str().unwrap();
    let events = desk.get(&format!("/sessions/{session}/events")).await.1;
    let stopped =
        events["items"].as_array().unwrap().iter().find(|event| event["body"]["type"] == "run.stopped");
    assert_eq!(stopped.unwrap()["body"]["reason"], old["error"]["message"]);

    let history = json!([
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "fog"},
    ]);
    let elsewhere = json!({"model": "writer", "messages": history, "tools": [tool("weather")]});
    let ((status, _), of_others) = answered(&desk, CHAT, elsewhere, said("Fog.")).await;
    assert_eq!(status, 200);
    assert!(of_others["parameters"]["prompt"].as_str().unwrap().contains("fog"));
}

#[tokio::test]
async fn tools_that_cannot_be_called_are_refused_before_anything_runs() {
    let desk = desk().await;
    desk.agent(json!({"name": "cat", "executor": {"type": "process", "command": ["cat"]}})).await;
    desk.agent(json!({"name": "reader", "tools": ["read_file"]})).await;
    for (agent, tools, expected) in [
        ("cat", json!([tool("weather")]), "has the executor process, which cannot call tools of the caller"),
        ("reader", json!([tool("read_file")]), "has a tool 'read_file' of its own"),
        ("writer", json!([tool("submit_result")]), "has a tool 'submit_result' of its own"),
        ("writer", json!([tool("a"), tool("a")]), "two have the name 'a'"),
        ("writer", json!([tool("a b")]), "expected a name of 1 to 64"),
        ("writer", json!([{"type": "web_search"}]), "expected functions, got 'web_search'"),
    ] {
        let answer = desk.post(CHAT, chat(agent, json!({"tools": tools}))).await;
        assert_eq!(
            (answer.0, &answer.1["error"]["type"]),
            (400, &json!("invalid_request_error")),
            "{}",
            answer.1
        );
        let message = answer.1["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}");
    }
    let broken = json!([{"type": "function", "function": {"name": "a", "parameters": {"type": "integr"}}}]);
    let answer = desk.post(CHAT, chat("writer", json!({"tools": broken}))).await;
    assert_eq!(refusal(&answer).1, "InvalidSchema");
    assert_eq!(desk.get("/runs").await.1["items"], json!([]), "nothing was queued");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_has_to_be_called_is_the_contract_beside_others_too() {
    let desk = desk().await;
    let named = json!({"type": "function", "function": {"name": "V", "parameters": verdict()}});
    let choice = json!({"type": "function", "function": {"name": "V"}});
    let request = chat("writer", json!({"tools": [tool("weather"), named], "tool_choice": choice}));
    let ((_, answer), run) = answered(&desk, CHAT, request, done(json!({"verdict": "pass"}))).await;
    assert_eq!((&run["contract"]["schema"], &run["tools"]), (&verdict(), &Value::Null));
    assert_eq!(calls(&answer)[0]["function"]["name"], "V");
    let both = json!({"tools": [tool("weather"), tool("time")], "tool_choice": "required"});
    let (_, run) = answered(&desk, CHAT, chat("writer", both), asks(&[("time", "Bonn")])).await;
    assert_eq!(run["tools"]["choice"], "required");
}

/// A native run with a tool that promises its output.
async fn native(desk: &Desk) -> (String, Held) {
    let tools = json!([{"name": "count", "description": "d", "output_schema": {"type": "integer"}}]);
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "p", "tools": tools})).await;
    let held = desk.claim(&runner).await;
    let input = json!({
        "call_id": "1/c", "purpose": "tool_call", "message": "m", "tool": {"name": "count", "arguments": {}},
    });
    let asked = desk.finish(&held, json!({"status": "input_required", "inputs": [input]})).await;
    assert_eq!(asked.0, 200, "{asked:?}");
    (runner, held)
}

#[tokio::test]
async fn native_runs_are_answered_as_people_answer() {
    let desk = desk().await;
    let (runner, held) = native(&desk).await;
    let open = desk.get("/inputs?status=open").await.1["items"][0].clone();
    assert_eq!((&open["purpose"], &open["schema"]), (&json!("tool_call"), &json!({"type": "integer"})));
    let path = format!("/inputs/{}", open["id"].as_str().unwrap());
    let wrong = desk.post(&path, json!({"answer": "three"})).await;
    assert_eq!(refused(&wrong), (422, "ContractViolation"));
    assert_eq!(desk.post(&path, json!({"answer": 3})).await.0, 200);
    let again = desk.claim(&runner).await;
    assert_eq!((again.run_id, &again.run["steps"][0]["body"]["answer"]), (held.run_id, &json!(3)));
}

#[tokio::test]
async fn a_call_that_nobody_answers_fails_its_run() {
    let desk = desk().await;
    let (_, held) = native(&desk).await;
    desk.pass(24 * 60 * 60 + 1);
    desk.reconcile().await;
    let run = desk.get(&format!("/runs/{}", held.run_id)).await.1;
    assert_eq!((&run["status"], &run["error"]["type"]), (&json!("failed"), &json!("input_timed_out")));
}

#[tokio::test]
async fn runners_ask_only_for_tools_of_the_caller() {
    let desk = desk().await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let held = desk.claim(&runner).await;
    let refused_report = desk.finish(&held, asks(&[("weather", "Bonn")])).await;
    assert_eq!(refused(&refused_report), (400, "InvalidRequest"));
}
