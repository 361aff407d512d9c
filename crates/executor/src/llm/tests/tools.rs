//! Tool calls, and conversations that continue.

use std::sync::Arc;

use serde_json::{Value, json};

use super::samples::{PROVIDERS, Say, streamed, whole_body};
use super::script::{Canned, Opened, Script, Step, Then, native, open, settings, start, tool, turn};
use crate::{Allowance, Delivery, Event, Stop, Turn, TurnError};

pub(super) async fn working(script: &Arc<Script>, provider: &str, conversation: Option<Value>) -> Opened {
    open(script, start(settings(provider, json!({})), &["echo"], conversation)).await.unwrap()
}

/// The messages that the last request sent.
pub(super) fn last_messages(script: &Script) -> Vec<Value> {
    let body = script.bodies().pop().unwrap();
    let messages = body.get("messages").or(body.get("input")).unwrap();
    messages.as_array().unwrap().clone()
}

#[tokio::test]
async fn tools_are_run_until_there_is_an_answer() {
    for provider in PROVIDERS {
        let script = Script::new([
            streamed(provider, Say::Call("echo", "{\"n\":1}")),
            streamed(provider, Say::Text("done")),
        ]);
        let mut opened = working(&script, provider, None).await;
        let answer = opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.usage.input_tokens), ("done", 22), "{provider}");
        let is_told = |event: &Event| !matches!(event, Event::Requested { .. } | Event::Partial { .. });
        let told: Vec<Event> = opened.heard().into_iter().filter(is_told).collect();
        let (call_id, name) = ("call_a".to_owned(), "echo".to_owned());
        let started =
            Event::ToolStarted { call_id: call_id.clone(), name: name.clone(), arguments: json!({"n": 1}) };
        let finished = Event::ToolFinished { call_id, name, ok: true, output: "{\"n\":1}".into() };
        assert_eq!(told, [started, finished, Event::Message { text: "done".into() }], "{provider}");
    }
}

#[tokio::test]
async fn a_tool_loop_has_the_form_of_each_dialect() {
    let sent = async |provider: &str| {
        let script = Script::new([
            streamed(provider, Say::Call("echo", "{\"fail\":true}")),
            streamed(provider, Say::Text("done")),
        ]);
        working(&script, provider, None).await.ask(turn("Judge", Delivery::Text)).await.unwrap();
        last_messages(&script).split_off(last_messages(&script).len() - 2)
    };
    let text = "{\"fail\":true}";
    assert_eq!(
        sent("anthropic").await,
        [
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "call_a", "name": "echo", "input": {"fail": true}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_a", "content": text, "is_error": true}]}),
        ]
    );
    assert_eq!(
        sent("openai").await,
        [
            json!({"type": "function_call", "call_id": "call_a", "name": "echo", "arguments": text}),
            json!({"type": "function_call_output", "call_id": "call_a", "output": text}),
        ]
    );
    let call = json!({"id": "call_a", "type": "function", "function": {"name": "echo", "arguments": text}});
    assert_eq!(
        sent("openai-chat").await,
        [
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
            json!({"role": "tool", "tool_call_id": "call_a", "content": text}),
        ]
    );
    assert_eq!(
        sent("ollama").await,
        [
            json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "echo", "arguments": {"fail": true}}}]}),
            json!({"role": "tool", "tool_name": "echo", "content": text}),
        ]
    );
}

#[tokio::test]
async fn mistakes_in_calls_are_reported_to_the_model() {
    let script = Script::new([
        streamed("openai", Say::Call("ecko", "{}")),
        streamed("openai", Say::Call("echo", "{oops")),
        streamed("openai", Say::Call("echo", "")),
        streamed("openai", Say::Text("done")),
    ]);
    let mut opened = working(&script, "openai", None).await;
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    let outputs: Vec<Value> =
        last_messages(&script).into_iter().filter_map(|item| item.get("output").cloned()).collect();
    assert_eq!(
        outputs,
        [
            json!("unknown tool `ecko`; available: `echo`"),
            json!("the arguments are not valid JSON: key must be a string at line 1 column 2"),
            json!("{}"),
        ]
    );
    let shown = opened
        .heard()
        .into_iter()
        .any(|event| matches!(event, Event::ToolStarted { arguments, .. } if arguments == "{oops"));
    assert!(shown, "arguments that are not JSON are shown as text");
}

#[tokio::test]
async fn reserved_names_in_arguments_are_rejected() {
    let private = r#"{"$serde_json::private::RawValue":"12"}"#;
    let script =
        Script::new([streamed("openai", Say::Call("echo", private)), streamed("openai", Say::Text("done"))]);
    let mut opened = working(&script, "openai", None).await;
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    let messages = last_messages(&script);
    let part = |name: &str| messages.iter().find_map(|item| item.get(name).cloned());
    let told = "the arguments are not valid JSON: names that start with `$serde_json::private::` are reserved; use another";
    assert_eq!(part("output"), Some(json!(told)));
    assert_eq!(part("arguments"), Some(json!(json!({"unreadable": private}).to_string())));
}

#[tokio::test]
async fn unknown_tools_get_the_list_of_known_ones_a_few_times() {
    let cases = [
        (tool(true, false), "unknown tool `submit`; available: `submit_result`"),
        (native(), "unknown tool `submit`"),
        (Delivery::Text, "unknown tool `submit`"),
    ];
    for (delivery, words) in cases {
        let mut body = whole_body("openai-chat", Say::Call("submit", "{\"a\": 2}"));
        body["choices"][0]["message"]["content"] = json!("{\"a\": 1}");
        let script = Script::new(vec![Canned::whole(&body); 9]);
        let mut opened = open(&script, start(settings("openai-chat", json!({})), &[], None)).await.unwrap();
        let answer = opened.ask(turn("Judge", delivery)).await.unwrap();
        let stop = Stop::Astray("`submit`".to_owned());
        assert_eq!((answer.submissions, answer.stop, script.requests().len()), (Vec::new(), stop, 3));
        assert_eq!(answer.text, "", "what stands beside a call is no answer");
        let told = format!("{:?}", last_messages(&script));
        assert!(told.contains(words), "{told}");
    }
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_step_limit() {
    let script = Script::new(vec![streamed("ollama", Say::Call("echo", "{}")); 9]);
    let mut opened = working(&script, "ollama", None).await;
    let failure = opened.ask(turn("Judge", Delivery::Text)).await.unwrap_err();
    assert_eq!(failure.error, TurnError::TooManySteps(4));
    assert_eq!((failure.usage.output_tokens, script.requests().len()), (28, 4));
    let stored = opened.session.conversation().unwrap();
    assert_eq!(stored["messages"].as_array().map(Vec::len), Some(9), "what was done is kept");
}

#[tokio::test]
async fn a_loop_ends_when_its_allowance_is_used_up() {
    // Each request costs 18 tokens and 0.000081 USD.
    let rows = [
        Allowance { tokens: Some(36), cost_usd: None },
        Allowance { tokens: Some(19), cost_usd: None },
        Allowance { tokens: None, cost_usd: Some(0.0001) },
    ];
    for allowance in rows {
        let script = Script::new(vec![streamed("openai", Say::Call("echo", "{}")); 9]);
        let mut opened = working(&script, "openai", None).await;
        let asked = Turn { allowance, ..turn("Judge", Delivery::Text) };
        let failure = opened.ask(asked).await.unwrap_err();
        assert_eq!(failure.error, TurnError::AllowanceUsedUp, "{allowance:?}");
        assert_eq!((failure.usage.output_tokens, script.requests().len()), (14, 2), "{allowance:?}");
    }
    let script =
        Script::new([streamed("openai", Say::Call("echo", "{}")), streamed("openai", Say::Text("done"))]);
    let allowance = Allowance { tokens: Some(19), cost_usd: None };
    let asked = Turn { allowance, ..turn("Judge", Delivery::Text) };
    let answer = working(&script, "openai", None).await.ask(asked).await.unwrap();
    assert_eq!(answer.text, "done", "an answer that is there is an answer");
}

#[tokio::test]
async fn past_tools_are_declared_if_the_provider_requires_it() {
    let script = Script::new([
        streamed("anthropic", Say::Call("submit_result", "{}")),
        streamed("anthropic", Say::Text("ok")),
    ]);
    let mut opened = open(&script, start(settings("anthropic", json!({})), &[], None)).await.unwrap();
    opened.ask(turn("Judge", tool(true, false))).await.unwrap();
    opened.ask(turn("As text, please", native())).await.unwrap();
    let body = script.bodies().pop().unwrap();
    let past = json!({"name": "submit_result", "description": "No longer offered.", "input_schema": {"type": "object"}});
    assert_eq!((&body["tools"], &body["tool_choice"]), (&json!([past]), &json!({"type": "none"})));
}

#[tokio::test]
async fn reasoning_is_sent_back_to_its_endpoint_only() {
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let mut events = vec![
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        delta(json!({"type": "thinking_delta", "thinking": "Let "})),
        delta(json!({"type": "thinking_delta", "thinking": "me see"})),
        delta(json!({"type": "signature_delta", "signature": "c2ln"})),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": "echo", "input": {}}}),
    ];
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}));
    events.push(json!({"type": "message_stop"}));
    let script = Script::new([Canned::events(&events), streamed("anthropic", Say::Text("done"))]);
    let mut opened = working(&script, "anthropic", None).await;
    let answer = opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    assert_eq!(answer.text, "done", "what was thought is no part of the answer");
    assert_eq!(
        last_messages(&script).get(1),
        Some(&json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Let me see", "signature": "c2ln"},
            {"type": "tool_use", "id": "c1", "name": "echo", "input": {}},
        ]}))
    );
    let address = json!({"base_url": "http://127.0.0.1:9"});
    for (provider, more) in [("openai", json!({})), ("anthropic", address)] {
        script.add([streamed(provider, Say::Text("ok"))]);
        let start = start(settings(provider, more), &["echo"], opened.session.conversation());
        let mut elsewhere = open(&script, start).await.unwrap();
        elsewhere.ask(turn("And?", Delivery::Text)).await.unwrap();
        let sent = format!("{:?}", last_messages(&script));
        assert!(!sent.contains("Let me see") && sent.contains("echo"), "{sent}");
    }
}

#[tokio::test]
async fn a_cut_message_is_sent_back_in_a_valid_form() {
    let thought = json!({"type": "thinking", "thinking": "Let", "signature": ""});
    let mut body = whole_body("anthropic", Say::Text("So"));
    body["content"].as_array_mut().unwrap().insert(0, thought);
    body["stop_reason"] = json!("max_tokens");
    let script = Script::new([Canned::whole(&body), streamed("anthropic", Say::Text("done"))]);
    let mut opened = working(&script, "anthropic", None).await;
    assert_eq!(opened.ask(turn("Judge", Delivery::Text)).await.unwrap().stop, Stop::Truncated);
    opened.ask(turn("Go on", Delivery::Text)).await.unwrap();
    let said = json!({"role": "assistant", "content": [{"type": "text", "text": "So"}]});
    assert_eq!(last_messages(&script).get(1), Some(&said));

    for (provider, pointer) in
        [("openai", "/1/arguments"), ("openai-chat", "/2/tool_calls/0/function/arguments")]
    {
        let script = Script::new([
            streamed(provider, Say::Call("submit_result", "{\"a\": oops")),
            streamed(provider, Say::Text("done")),
        ]);
        let mut opened = working(&script, provider, None).await;
        opened.ask(turn("Judge", tool(false, false))).await.unwrap();
        opened.ask(turn("That was no JSON", tool(false, false))).await.unwrap();
        let sent = Value::from(last_messages(&script));
        let expected = json!("{\"unreadable\":\"{\\\"a\\\": oops\"}");
        assert_eq!(sent.pointer(pointer), Some(&expected), "{provider}");
    }
}

#[tokio::test]
async fn encrypted_reasoning_is_sent_back_in_its_place() {
    let mut body = whole_body("openai", Say::Call("echo", "{}"));
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc"});
    if let (Some(output), Some(fields)) = (body["output"].as_array_mut(), reasoning.as_object()) {
        let mut with_status = fields.clone();
        with_status.insert("status".into(), Value::Null);
        output.insert(0, Value::Object(with_status));
    }
    let script = Script::new([Canned::whole(&body), streamed("openai", Say::Text("done"))]);
    working(&script, "openai", None).await.ask(turn("Judge", Delivery::Text)).await.unwrap();
    let call = json!({"type": "function_call", "call_id": "call_a", "name": "echo", "arguments": "{}"});
    assert_eq!(last_messages(&script).get(1..3), Some([reasoning, call].as_slice()));
}

#[tokio::test]
async fn reasoning_before_a_call_is_sent_back_with_its_signature() {
    let chunk = |delta: Value| json!({"choices": [{"delta": delta}]});
    let call = |index: u32, name: &str| json!({"index": index, "id": format!("c{index}"), "function": {"name": name, "arguments": "{}"}});
    let mut marked = call(1, "echo");
    marked["extra_content"] = json!({"google": {"thought_signature": "c2ln"}});
    let part = |more: Value| {
        let mut part = json!({"type": "reasoning.text", "index": 0});
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        chunk(json!({"reasoning_details": [part]}))
    };
    let events = [
        chunk(json!({"reasoning_content": "Let "})),
        chunk(json!({"reasoning_content": "me see"})),
        part(json!({"text": "Let "})),
        part(json!({"text": "me see", "signature": null})),
        part(json!({"signature": "s"})),
        chunk(json!({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "ZW5j"}]})),
        chunk(json!({"tool_calls": [call(0, "echo"), marked]})),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
        json!("[DONE]"),
    ];
    let details = json!([
        {"type": "reasoning.text", "index": 0, "text": "Let me see", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 1, "data": "ZW5j"},
    ]);
    let message = json!({
        "content": null,
        "reasoning_content": "Let me see",
        "reasoning_details": details,
        "tool_calls": [call(0, "echo"), events[6]["choices"][0]["delta"]["tool_calls"][1]],
    });
    let whole = json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let as_one_event = [whole.clone(), json!("[DONE]")];
    for first in [Canned::events(&events), Canned::whole(&whole), Canned::events(&as_one_event)] {
        let script = Script::new([first, streamed("openai-compatible", Say::Text("done"))]);
        let mut opened = working(&script, "openai-compatible", None).await;
        let answer = opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
        assert_eq!(answer.text, "done", "what was reasoned is no part of the answer");
        let said = last_messages(&script).into_iter().find(|message| message["role"] == "assistant").unwrap();
        assert_eq!(
            (&said["reasoning_content"], &said["reasoning_details"]),
            (&json!("Let me see"), &details)
        );
        assert_eq!(said.pointer("/tool_calls/0/extra_content"), None);
        let signature = said.pointer("/tool_calls/1/extra_content/google/thought_signature");
        assert_eq!(signature, Some(&json!("c2ln")));

        // Also in the next run of the session, but to no other endpoint.
        let stored = opened.session.conversation();
        for (provider, more, goes_back) in [
            ("openai-compatible", json!({}), true),
            ("openai-compatible", json!({"base_url": "http://127.0.0.1:9"}), false),
            ("anthropic", json!({}), false),
        ] {
            script.add([streamed(provider, Say::Text("ok"))]);
            let start = start(settings(provider, more), &["echo"], stored.clone());
            open(&script, start).await.unwrap().ask(turn("And?", Delivery::Text)).await.unwrap();
            let sent = format!("{:?}", last_messages(&script));
            assert!(sent.contains("echo"), "{sent}");
            assert_eq!(sent.contains("Let me see") && sent.contains("c2ln"), goes_back, "{provider}: {sent}");
        }
    }
}

#[tokio::test]
async fn reasoning_is_sent_back_with_calls_only_even_if_empty() {
    let sent = async |provider: &str, name: &str, reasoned: &str, say: Say<'_>| {
        let mut body = whole_body(provider, say);
        let place = if provider == "ollama" { "/message" } else { "/choices/0/message" };
        body.pointer_mut(place).unwrap()[name] = json!(reasoned);
        let script = Script::new([Canned::whole(&body), streamed(provider, Say::Text("done"))]);
        let mut opened = working(&script, provider, None).await;
        opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
        if script.requests().len() == 1 {
            opened.ask(turn("And?", Delivery::Text)).await.unwrap();
        }
        let said = last_messages(&script).into_iter().find(|message| message["role"] == "assistant").unwrap();
        said.get(name).cloned()
    };
    for (provider, name) in [("openai-compatible", "reasoning_content"), ("ollama", "thinking")] {
        for reasoned in ["Let me see", ""] {
            assert_eq!(sent(provider, name, reasoned, Say::Call("echo", "{}")).await, Some(json!(reasoned)));
        }
        assert_eq!(sent(provider, name, "Let me see", Say::Text("12")).await, None, "{provider}");
    }
}

#[tokio::test]
async fn a_paused_turn_continues() {
    let mut body = whole_body("anthropic", Say::Text("Wait."));
    body["stop_reason"] = json!("pause_turn");
    let script = Script::new([Canned::whole(&body), streamed("anthropic", Say::Text("Done."))]);
    let answer = working(&script, "anthropic", None).await.ask(turn("Judge", Delivery::Text)).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.stop), ("Done.", Stop::Finished));
    let paused = json!({"role": "assistant", "content": [{"type": "text", "text": "Wait."}]});
    assert_eq!(last_messages(&script).last(), Some(&paused));
}

#[tokio::test]
async fn an_interrupted_turn_continues() {
    let script = Script::new([
        streamed("openai-chat", Say::Call("echo", "{\"n\":1}")),
        Canned::text("text/event-stream", String::new()).then(Then::Hang),
    ]);
    let mut opened = working(&script, "openai-chat", None).await;
    let (hanging, cancel) = (Arc::clone(&script.hanging), opened.cancel.clone());
    let (result, ()) = tokio::join!(opened.ask(turn("Judge", Delivery::Text)), async {
        hanging.notified().await;
        cancel.cancel();
    });
    assert_eq!(result.unwrap_err().error, TurnError::Stopped);
    let stored = opened.session.conversation();

    script.add([streamed("openai-chat", Say::Text("ok"))]);
    let mut resumed = working(&script, "openai-chat", stored).await;
    resumed.ask(turn("And now?", Delivery::Text)).await.unwrap();
    let call =
        json!({"id": "call_a", "type": "function", "function": {"name": "echo", "arguments": "{\"n\":1}"}});
    assert_eq!(
        last_messages(&script),
        [
            json!({"role": "system", "content": "Be brief."}),
            json!({"role": "user", "content": "Judge"}),
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
            json!({"role": "tool", "tool_call_id": "call_a", "content": "{\"n\":1}"}),
            json!({"role": "user", "content": "And now?"}),
        ]
    );
}

#[tokio::test]
async fn an_unanswered_prompt_stays_before_the_next() {
    let refused = || Canned::error(400, &json!({"error": {"message": "no"}}));
    for provider in ["openai-chat", "ollama"] {
        let script = Script::new([refused(), streamed(provider, Say::Text("ok"))]);
        let mut opened = working(&script, provider, None).await;
        opened.ask(turn("Judge", Delivery::Text)).await.unwrap_err();
        let mut resumed = working(&script, provider, opened.session.conversation()).await;
        resumed.ask(turn("And now?", Delivery::Text)).await.unwrap();
        let said = json!({"role": "user", "content": "Judge\n\nAnd now?"});
        assert_eq!(last_messages(&script).last(), Some(&said), "{provider}");
    }
    let script = Script::new([refused(), streamed("ollama", Say::Text("ok"))]);
    let mut opened = working(&script, "ollama", None).await;
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap_err();
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    let said = json!({"role": "user", "content": "Judge"});
    assert_eq!(last_messages(&script).last(), Some(&said), "asked again it is not said twice");
}

#[tokio::test]
async fn calls_are_kept_if_the_delivery_is_rejected_later() {
    let refused = json!({"error": {"message": "response_format cannot be combined with tools"}});
    let script = Script::new([
        Step::from(streamed("openai-chat", Say::Call("echo", "{\"n\":1}"))),
        Canned::error(400, &refused).into(),
        streamed("openai-chat", Say::Text("ok")).into(),
    ]);
    let mut opened = working(&script, "openai-chat", None).await;
    let failure = opened.ask(turn("Judge", native())).await.unwrap_err();
    assert!(matches!(failure.error, TurnError::FormatRejected(_)), "{failure:?}");
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    let roles: Vec<Value> = last_messages(&script).iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
}

#[tokio::test]
async fn a_rejected_delivery_leaves_the_conversation_unchanged() {
    let refused = json!({"error": {"message": "response_format json_schema is not supported"}});
    let script = Script::new([
        Step::from(streamed("openai-compatible", Say::Text("hello"))),
        Canned::error(400, &refused).into(),
        streamed("openai-compatible", Say::Text("ok")).into(),
    ]);
    let mut opened = working(&script, "openai-compatible", None).await;
    opened.ask(turn("Hello", Delivery::Text)).await.unwrap();
    opened.ask(turn("Judge", native())).await.unwrap_err();
    opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
    assert_eq!(
        last_messages(&script),
        [
            json!({"role": "system", "content": "Be brief."}),
            json!({"role": "user", "content": "Hello"}),
            json!({"role": "assistant", "content": "hello"}),
            json!({"role": "user", "content": "Judge"}),
        ]
    );
}
