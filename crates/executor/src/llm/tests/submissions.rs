//! Results submitted by the submit tool, alone and next to other calls.

use serde_json::{Value, json};

use super::samples::{Say, streamed, whole_body};
use super::script::{Canned, Opened, Script, native, open, settings, start, tool, turn};
use super::tools::{last_messages, working};
use crate::{Answer, Delivery, Event, Stop, TurnError};

/// A message that submits a result and calls other tools.
fn submit_and_work(tools: &[(&str, Value)]) -> Value {
    let call = |id: String, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let mut body = whole_body("anthropic", Say::Text("There."));
    if let Some(content) = body["content"].as_array_mut() {
        content.push(call("c0".to_owned(), "submit_result", json!({"a": "x"})));
        let work = tools.iter().zip(1..);
        content.extend(work.map(|((name, input), number)| call(format!("c{number}"), name, input.clone())));
    }
    body
}

fn reported_tools(opened: &mut Opened) -> Vec<String> {
    let told = |event: Event| match event {
        Event::ToolStarted { call_id, .. } => Some(format!("{call_id} started")),
        Event::ToolFinished { call_id, ok, .. } => Some(format!("{call_id} {ok}")),
        _ => None,
    };
    opened.heard().into_iter().filter_map(told).collect()
}

fn submitted(answer: &Answer) -> (&Stop, &[String], &str) {
    (&answer.stop, &answer.submissions, &answer.text)
}

#[tokio::test]
async fn a_submission_ends_the_turn_and_is_answered_by_the_next_prompt() {
    let script = Script::new([Canned::whole(&submit_and_work(&[
        ("echo", json!({"n": 1})),
        ("echo", json!({"n": 2})),
    ]))]);
    let mut opened = working(&script, "anthropic", None).await;
    let answer = opened.ask(turn("Judge", tool(true, false))).await.unwrap();
    assert_eq!(submitted(&answer), (&Stop::Submitted, &["{\"a\":\"x\"}".to_owned()][..], "There."));
    assert_eq!(reported_tools(&mut opened), ["c1 started", "c1 true", "c2 started", "c2 true"]);
    script.add([streamed("anthropic", Say::Call("submit_result", "{\"a\":\"y\"}"))]);
    let answer = opened.ask(turn("a is wrong", tool(true, false))).await.unwrap();
    assert_eq!(answer.submissions, ["{\"a\":\"y\"}"]);
    assert_eq!(
        last_messages(&script),
        [
            json!({"role": "user", "content": [{"type": "text", "text": "Judge"}]}),
            json!({"role": "assistant", "content": [
                {"type": "text", "text": "There."},
                {"type": "tool_use", "id": "c0", "name": "submit_result", "input": {"a": "x"}},
                {"type": "tool_use", "id": "c1", "name": "echo", "input": {"n": 1}},
                {"type": "tool_use", "id": "c2", "name": "echo", "input": {"n": 2}},
            ]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "{\"n\":1}"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "{\"n\":2}"},
                {"type": "tool_result", "tool_use_id": "c0", "content": "a is wrong"},
            ]}),
        ]
    );

    // A run that resumes the session has a new prompt.
    let stored = opened.session.conversation();
    opened.session.close().await;
    script.add([streamed("anthropic", Say::Text("Done."))]);
    let mut resumed = working(&script, "anthropic", stored).await;
    resumed.ask(turn("And now in prose", Delivery::Text)).await.unwrap();
    let last = last_messages(&script).pop().unwrap();
    let text = "received; this task is finished, and the next message is a new one";
    assert_eq!(last["content"][0]["content"], json!(text));
    assert_eq!(last["content"][1], json!({"type": "text", "text": "And now in prose"}));
}

#[tokio::test]
async fn a_submission_next_to_a_failed_call_must_be_repeated() {
    let not_taken = "rejected: another call in the same message failed; see its result, and submit again when the work is done";
    let rows = [
        ("echo", json!({"fail": true}), "{\"fail\":true}"),
        ("ecko", json!({}), "unknown tool `ecko`; available: echo, submit_result"),
    ];
    for (name, input, output) in rows {
        let script = Script::new([
            Canned::whole(&submit_and_work(&[("echo", json!({})), (name, input)])),
            streamed("anthropic", Say::Call("submit_result", "{\"a\":\"y\"}")),
        ]);
        let mut opened = working(&script, "anthropic", None).await;
        let answer = opened.ask(turn("Judge", tool(true, false))).await.unwrap();
        assert_eq!(submitted(&answer), (&Stop::Submitted, &["{\"a\":\"y\"}".to_owned()][..], ""), "{name}");
        assert_eq!(reported_tools(&mut opened), ["c1 started", "c1 true", "c2 started", "c2 false"]);
        let told = json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c0", "content": not_taken, "is_error": true},
            {"type": "tool_result", "tool_use_id": "c1", "content": "{}"},
            {"type": "tool_result", "tool_use_id": "c2", "content": output, "is_error": true},
        ]});
        assert_eq!(last_messages(&script).pop(), Some(told));
    }
}

#[tokio::test]
async fn calls_that_always_fail_next_to_a_submission_end() {
    let failing = || Canned::whole(&submit_and_work(&[("echo", json!({"fail": true}))]));
    let script = Script::new([failing(), failing(), failing(), failing(), failing()]);
    let mut opened = working(&script, "anthropic", None).await;
    let failure = opened.ask(turn("Judge", tool(true, false))).await.unwrap_err();
    assert_eq!((failure.error, script.requests().len()), (TurnError::TooManySteps(4), 4));

    let unknown = || Canned::whole(&submit_and_work(&[("done", json!({})), ("done", json!({}))]));
    let script = Script::new([unknown(), unknown(), unknown(), unknown()]);
    let mut opened = working(&script, "anthropic", None).await;
    let answer = opened.ask(turn("Judge", tool(true, false))).await.unwrap();
    assert_eq!(submitted(&answer), (&Stop::Astray("`done`".to_owned()), &[][..], ""));
}

#[tokio::test]
async fn a_submission_next_to_a_cut_call_does_not_count() {
    let mut body = submit_and_work(&[("echo", json!({}))]);
    body["stop_reason"] = json!("max_tokens");
    let script = Script::new([Canned::whole(&body), streamed("anthropic", Say::Text("ok"))]);
    let mut opened = working(&script, "anthropic", None).await;
    let answer = opened.ask(turn("Judge", tool(true, false))).await.unwrap();
    assert_eq!(submitted(&answer), (&Stop::Truncated, &[][..], ""));
    assert_eq!(reported_tools(&mut opened), [""; 0]);
    opened.ask(turn("Shorter", tool(true, false))).await.unwrap();
    let told = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c0", "content": "Shorter"},
        {"type": "tool_result", "tool_use_id": "c1", "content": "not run: the message was cut off", "is_error": true},
    ]});
    assert_eq!(last_messages(&script).pop(), Some(told));
}

#[tokio::test]
async fn a_result_that_was_cut_off_before_it_began_is_empty() {
    let block = json!({"type": "tool_use", "id": "c", "name": "submit_result", "input": {}});
    let ended = |reason: &str| json!({"type": "message_delta", "delta": {"stop_reason": reason}});
    for (reason, stop, submission) in
        [("max_tokens", Stop::Truncated, ""), ("tool_use", Stop::Submitted, "{}")]
    {
        let whole = Canned::whole(&json!({"content": [block], "stop_reason": reason}));
        let stream = Canned::events(&[
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            ended(reason),
            json!({"type": "message_stop"}),
        ]);
        for canned in [whole, stream] {
            let mut opened = working(&Script::new([canned]), "anthropic", None).await;
            let answer = opened.ask(turn("Judge", tool(true, false))).await.unwrap();
            assert_eq!(submitted(&answer), (&stop, &[submission.to_owned()][..], ""));
        }
    }
}

#[tokio::test]
async fn text_before_a_cut_call_is_not_an_answer() {
    let mut anthropic = whole_body("anthropic", Say::Text("{\"a\": \"draft\"}"));
    let call = json!({"type": "tool_use", "id": "c", "name": "echo", "input": {}});
    anthropic["content"].as_array_mut().unwrap().push(call);
    anthropic["stop_reason"] = json!("max_tokens");
    let mut chat = whole_body("openai-compatible", Say::Call("echo", "{\"n"));
    chat["choices"][0]["message"]["content"] = json!("{\"a\": \"draft\"}");
    chat["choices"][0]["finish_reason"] = json!("length");
    let mut ollama = whole_body("ollama", Say::Call("echo", "{}"));
    ollama["message"]["content"] = json!("{\"a\": \"draft\"}");
    ollama["done_reason"] = json!("length");
    for (provider, body) in [("anthropic", anthropic), ("openai-compatible", chat), ("ollama", ollama)] {
        for delivery in [native(), tool(false, false), Delivery::Text] {
            let mut opened = working(&Script::new([Canned::whole(&body)]), provider, None).await;
            let answer = opened.ask(turn("Judge", delivery)).await.unwrap();
            assert_eq!(submitted(&answer), (&Stop::Truncated, &[][..], ""), "{provider}");
        }
    }
}

#[tokio::test]
async fn calls_next_to_a_submission_have_the_same_time_limit() {
    let waiting = submit_and_work(&[("echo", json!({})), ("echo", json!({"wait": true}))]);
    let script = Script::new([Canned::whole(&waiting)]);
    let start = start(settings("anthropic", json!({"timeout_seconds": 1})), &["echo"], None);
    let mut opened = open(&script, start).await.unwrap();
    let failure = opened.ask(turn("Judge", tool(true, false))).await.unwrap_err();
    assert_eq!(failure.error, TurnError::TimedOut(1));
    let stored = opened.session.conversation().unwrap();
    let results = stored.pointer("/messages/2/results").and_then(Value::as_array).unwrap();
    let told: Vec<(&Value, &Value)> = results.iter().map(|result| (&result["id"], &result["ok"])).collect();
    let expected = [("c0", false), ("c1", true), ("c2", true)].map(|(id, ok)| (json!(id), json!(ok)));
    assert_eq!(told, expected.iter().map(|(id, ok)| (id, ok)).collect::<Vec<_>>(), "{stored}");
}

#[tokio::test]
async fn a_decorated_tool_name_is_recognised() {
    for name in [" submit_result\n", "functions.submit_result", " functions.submit_result "] {
        let script = Script::new([streamed("openai", Say::Call(name, "{\"a\":\"x\"}"))]);
        let mut opened = working(&script, "openai", None).await;
        let answer = opened.ask(turn("Judge", tool(true, false))).await.unwrap();
        assert_eq!((answer.stop, answer.submissions.len()), (Stop::Submitted, 1), "{name}");
    }
}
