//! Deviations of servers from the dialects that they claim to support.

use accord_domain::run::Said;
use serde_json::{Value, json};

use super::samples::{PROVIDERS, Say, streamed, whole_body};
use super::script::{Canned, Script, native, open, opened, settings, start, tool, turn};
use crate::{Answer, Delivery, Start, Stop, TurnError};

/// Arguments with a duplicate key.
const TWICE: &str = r#"{"a": 1, "a": 2.0}"#;

async fn asked(provider: &str, canned: Canned, delivery: Delivery) -> Answer {
    let script = Script::new([canned]);
    opened(&script, provider).await.ask(turn("Judge", delivery)).await.unwrap()
}

/// A chunk of a Chat Completions answer.
fn chunk(delta: Value) -> Value {
    json!({"choices": [{"delta": delta}]})
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    chunk(json!({"tool_calls": [{"index": 0, "id": id, "function": function}]}))
}

/// A streamed Chat Completions answer that finishes normally.
fn chat(chunks: &[Value]) -> Canned {
    let end = [json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}), json!("[DONE]")];
    Canned::events(&[chunks, &end].concat())
}

#[tokio::test]
async fn an_answer_that_the_server_interrupted_is_retried() {
    let reasons = ["error", "abort", "insufficient_system_resource", "network_error"]
        .map(|reason| json!({"finish_reason": reason}));
    let told = json!({"finish_reason": "stop", "error": {"code": 502, "message": "upstream died"}});
    for end in reasons.into_iter().chain([told]) {
        let (mut piece, mut whole) = (end.clone(), end.clone());
        piece["delta"] = json!({"content": "12"});
        whole["message"] = json!({"content": "12"});
        let canned = [
            Canned::events(&[json!({"choices": [piece]}), json!("[DONE]")]),
            Canned::whole(&json!({"choices": [whole]})),
        ];
        for canned in canned {
            let script = Script::new([canned, streamed("openai-compatible", Say::Text("1234"))]);
            let answer =
                opened(&script, "openai-compatible").await.ask(turn("Judge", native())).await.unwrap();
            assert_eq!((answer.text.as_str(), script.requests().len()), ("1234", 2), "{end}");
        }
    }
}

#[tokio::test]
async fn reports_why_an_answer_was_interrupted() {
    let cases = [
        (json!({"finish_reason": "abort"}), "the answer was interrupted with the reason `abort`"),
        (
            json!({"finish_reason": "error", "error": {"message": "upstream died"}}),
            "responded 500: upstream died",
        ),
    ];
    for (mut choice, words) in cases {
        choice["message"] = json!({"content": "12"});
        let script = Script::new(vec![Canned::whole(&json!({"choices": [choice]})); 6]);
        let failure =
            opened(&script, "openai-compatible").await.ask(turn("Judge", native())).await.unwrap_err();
        assert!(matches!(&failure.error, TurnError::Transport(said) if said.contains(words)), "{failure:?}");
    }
}

#[tokio::test]
async fn a_missing_stop_reason_is_inferred() {
    let said = |text: &str| chunk(json!({"content": text}));
    let (counted, done) =
        (json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}), json!("[DONE]"));
    let whole: [&[Value]; 5] = [
        &[said("There is nothing to judge."), done.clone()],
        &[said("12"), counted, done.clone()],
        &[said(r#"{"a": 12}"#), done.clone()],
        &[said("```json\n12\n```\n"), done.clone()],
        &[call("a", "submit_result", r#"{"a": 12}"#), done.clone()],
    ];
    for events in whole {
        let script = Script::new([Canned::events(events)]);
        let mut opened = opened(&script, "openai-compatible").await;
        let answer = opened.ask(turn("Judge", tool(false, false))).await.unwrap();
        assert!(matches!(answer.stop, Stop::Finished | Stop::Submitted), "{events:?}");
    }
    let half: [&[Value]; 5] = [
        &[said("12."), done.clone()],
        &[said("12"), done.clone()],
        &[
            said("It is the"),
            json!({"choices": [{"delta": {}}], "usage": {"prompt_tokens": 1}}),
            done.clone(),
        ],
        &[call("a", "submit_result", r#"{"a": 1"#), done.clone()],
        &[chunk(json!({"role": "assistant"})), done.clone()],
    ];
    for events in half {
        let script = Script::new([Canned::events(events), chat(&[said("1234")])]);
        let mut opened = opened(&script, "openai-compatible").await;
        let answer = opened.ask(turn("Judge", tool(false, false))).await.unwrap();
        assert_eq!((answer.text.as_str(), script.requests().len()), ("1234", 2), "{events:?}");
    }
    let script = Script::new(vec![Canned::events(&[said("12"), done]); 6]);
    let failure = opened(&script, "openai-compatible").await.ask(turn("Judge", native())).await.unwrap_err();
    let words = "the response ended with neither a `finish_reason` nor a token count";
    assert!(matches!(&failure.error, TurnError::Transport(said) if said.contains(words)), "{failure:?}");
}

#[tokio::test]
async fn arguments_in_an_object_are_passed_on_unchanged() {
    // The samples have the arguments as a string if the dialect does.
    let say = Say::Call("submit_result", r#"{"in":"the place"}"#);
    let object = |canned: Canned| {
        let text = String::from_utf8(canned.body.clone()).unwrap();
        let text = text.replace(r#""{\"in\":\"the place\"}""#, TWICE).replace(r#"{"in":"the place"}"#, TWICE);
        Canned { body: text.into_bytes(), ..canned }
    };
    for provider in PROVIDERS {
        let whole = object(Canned::whole(&whole_body(provider, say)));
        assert_eq!(asked(provider, whole, tool(false, false)).await.submissions, [TWICE], "{provider}");
    }
    for provider in ["openai", "ollama"] {
        let stream = object(streamed(provider, say));
        assert_eq!(asked(provider, stream, tool(false, false)).await.submissions, [TWICE], "{provider}");
    }
    let stream = object(chat(&[call("a", "submit_result", r#"{"in":"the place"}"#)]));
    let answer = asked("openai-compatible", stream, tool(false, false)).await;
    assert_eq!(answer.submissions, [TWICE]);
    let block = json!({"type": "tool_use", "id": "a", "name": "submit_result", "input": {"in": "the place"}});
    let stream = object(Canned::events(&[
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ]));
    assert_eq!(asked("anthropic", stream, tool(false, false)).await.submissions, [TWICE]);
}

#[tokio::test]
async fn a_name_may_arrive_in_pieces_or_repeatedly() {
    let pieces = |names: [&str; 3], ids: [&str; 3]| {
        let arguments = [r#"{"a":"#, r#" "x""#, "}"];
        let pieces = names.into_iter().zip(ids).zip(arguments);
        let pieces: Vec<Value> = pieces.map(|((name, id), arguments)| call(id, name, arguments)).collect();
        chat(&pieces)
    };
    let name = "submit_result";
    let cases = [
        pieces([name, name, name], ["c", "c", "c"]),
        pieces([name, name, name], ["", "", ""]),
        pieces([name, "", name], ["c", "", ""]),
        pieces(["submit_", "result", ""], ["c", "", ""]),
        chat(&[call("", name, ""), call("", name, r#"{"a": "x"}"#), call("", name, ""), call("", "", " ")]),
    ];
    for canned in cases {
        let answer = asked("openai-compatible", canned, tool(false, false)).await;
        let submissions: Vec<&str> = answer.submissions.iter().map(|text| text.trim()).collect();
        assert_eq!((submissions, answer.stop), (vec![r#"{"a": "x"}"#], Stop::Submitted));
    }
}

#[tokio::test]
async fn calls_without_ids_are_separated_by_their_ends() {
    for names in [["echo", "look"], ["echo", "echo"]] {
        let [first, second] = names;
        let calls = chat(&[
            call("", first, r#"{"n":"#),
            call("", "", "1}"),
            call("", second, r#"{"n":2"#),
            call("", "", "}"),
        ]);
        let script = Script::new([calls, streamed("openai-compatible", Say::Text("done"))]);
        let start = start(settings("openai-compatible", json!({})), &["echo"], None);
        let mut opened = open(&script, start).await.unwrap();
        opened.ask(turn("Work", native())).await.unwrap();
        let messages = script.bodies().pop().unwrap()["messages"].clone();
        let calls =
            messages.as_array().unwrap().iter().find_map(|message| message.get("tool_calls")).unwrap();
        let calls: Vec<&Value> = calls.as_array().unwrap().iter().map(|call| &call["function"]).collect();
        let expected = [
            json!({"name": first, "arguments": r#"{"n":1}"#}),
            json!({"name": second, "arguments": r#"{"n":2}"#}),
        ];
        assert_eq!(calls, expected.iter().collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_whole_message_may_replace_a_delta() {
    let message =
        |content: &str| json!({"choices": [{"message": {"role": "assistant", "content": content}}]});
    let delta = |content: &str| chunk(json!({"content": content}));
    for chunks in [
        vec![message("all")],
        vec![message(""), delta("al"), delta("l")],
        vec![delta("al"), delta("l"), message("all")],
    ] {
        assert_eq!(asked("openai-compatible", chat(&chunks), native()).await.text, "all");
    }
    for chunks in [vec![message("al"), message("l")], vec![message("al"), delta("l")]] {
        let script = Script::new([chat(&chunks)]);
        let failure =
            opened(&script, "openai-compatible").await.ask(turn("Judge", native())).await.unwrap_err();
        assert!(failure.to_string().contains("unexpected data after its"), "{failure}");
    }
}

#[tokio::test]
async fn responses_may_send_everything_at_the_end_of_an_item() {
    let end = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    let text = json!({"type": "response.output_text.done", "output_index": 0, "text": "all"});
    let piece = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "all"});
    for events in [vec![text.clone(), end.clone()], vec![piece, text, end.clone()]] {
        assert_eq!(asked("openai", Canned::events(&events), native()).await.text, "all");
    }
    let item = json!({"type": "function_call", "call_id": "c", "name": "submit_result", "arguments": ""});
    let events = [
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{}"}),
        end.clone(),
    ];
    let answer = asked("openai", Canned::events(&events), tool(false, false)).await;
    assert_eq!(answer.submissions, ["{}"]);
    let refused = json!({"type": "response.refusal.done", "output_index": 0, "refusal": "no"});
    let answer = asked("openai", Canned::events(&[refused, end]), native()).await;
    assert_eq!(answer.stop, Stop::Refused("no".into()));
}

#[tokio::test]
async fn ignores_an_empty_error_next_to_an_answer() {
    for provider in PROVIDERS {
        let mut body = whole_body(provider, Say::Text("all"));
        body["error"] = Value::Null;
        assert_eq!(asked(provider, Canned::whole(&body), native()).await.text, "all", "{provider}");
    }
}

#[tokio::test]
async fn several_messages_of_one_answer_stay_separate() {
    let message = |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    let reasoning = || json!({"type": "reasoning", "summary": []});
    let responses =
        |status: &str, output: Vec<Value>| Canned::whole(&json!({"status": status, "output": output}));
    let cases = [
        (responses("completed", vec![message("1"), message("2"), message("")]), "2"),
        (responses("completed", vec![message("1"), reasoning()]), "1"),
        (responses("incomplete", vec![message("1"), message("2")]), "2"),
        (responses("incomplete", vec![message("1"), reasoning()]), ""),
    ];
    for (canned, expected) in cases {
        assert_eq!(asked("openai", canned.clone(), native()).await.text, expected, "{canned:?}");
    }
    let text = |text: &str| json!({"type": "text", "text": text});
    let thought = || json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let cases = [
        (vec![text("1"), thought(), text("2")], "1\n\n2"),
        (vec![text("1"), thought(), text(""), text("2")], "1\n\n2"),
        (vec![thought(), text("1"), text("2"), thought()], "12"),
    ];
    for (content, expected) in cases {
        let canned = Canned::whole(&json!({"content": content, "stop_reason": "end_turn"}));
        assert_eq!(asked("anthropic", canned, native()).await.text, expected);
    }
    let searches = || json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let cases = [
        (vec![text("1"), thought()], ""),
        (vec![text("1"), searches()], ""),
        (vec![text("1"), thought(), text("")], ""),
        (vec![thought(), text("1")], "1"),
    ];
    for (content, expected) in cases {
        let canned = Canned::whole(&json!({"content": content, "stop_reason": "max_tokens"}));
        assert_eq!(asked("anthropic", canned, native()).await.text, expected, "cut off");
    }
    let choice =
        |index: u64, text: &str| json!({"index": index, "delta": {"content": text}, "finish_reason": "stop"});
    let chunks = [json!({"choices": [choice(0, "1"), choice(1, "3")]}), json!({"choices": [choice(1, "2")]})];
    assert_eq!(asked("openai-compatible", chat(&chunks), native()).await.text, "1");
}

#[tokio::test]
async fn thinking_parts_are_not_part_of_the_answer() {
    let thought = |kind: &str| json!({"type": kind, "text": "{\"a\": \"draft\"}"});
    let chat =
        json!([thought("thinking"), thought("reasoning"), {"type": "text", "text": "no"}, {"text": "ne"}]);
    let choice = json!({"message": {"content": chat}, "finish_reason": "stop"});
    let canned = Canned::whole(&json!({"choices": [choice]}));
    assert_eq!(asked("openai-compatible", canned, native()).await.text, "none");
    let message = json!({"type": "message", "content": [thought("reasoning_text"), {"type": "output_text", "text": "none"}]});
    let canned = Canned::whole(&json!({"status": "completed", "output": [message]}));
    assert_eq!(asked("openai", canned, native()).await.text, "none");
}

#[tokio::test]
async fn a_stream_that_starts_again_replaces_the_first() {
    let begins = || json!({"type": "message_start", "message": {"model": "m"}});
    let block = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let canned = Canned::events(&[
        begins(),
        block(0, json!({"type": "thinking", "thinking": "hm", "signature": "s"})),
        block(1, json!({"type": "text", "text": "1"})),
        begins(),
        block(0, json!({"type": "text", "text": "2"})),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ]);
    assert_eq!(asked("anthropic", canned, native()).await.text, "2");
}

#[tokio::test]
async fn earlier_messages_stay_in_the_conversation() {
    let message = |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    let said = json!({"status": "completed", "output": [message("I look."), message("done")]});
    let script = Script::new([Canned::whole(&said), streamed("openai", Say::Text("again"))]);
    let mut opened = opened(&script, "openai").await;
    opened.ask(turn("Judge", native())).await.unwrap();
    opened.ask(turn("Again", native())).await.unwrap();
    let sent = script.bodies().pop().unwrap();
    assert_eq!(sent["input"][1], json!({"role": "assistant", "content": "I look.\n\ndone"}));
}

/// Anthropic and Bedrock have none.
#[tokio::test]
async fn json_mode_is_the_providers_own() {
    let object = json!({"type": "json_object"});
    let cases = [
        ("openai", "/text/format", object.clone()),
        ("openai-compatible", "/response_format", object.clone()),
        ("cohere", "/response_format", object),
        ("gemini", "/generationConfig/responseMimeType", json!("application/json")),
        ("ollama", "/format", json!("json")),
    ];
    for (provider, place, expected) in cases {
        let script = Script::new([streamed(provider, Say::Text("{}"))]);
        let mut session = opened(&script, provider).await;
        assert!(session.session.capabilities().json_mode, "{provider}");
        session.ask(turn("Judge", Delivery::Object)).await.unwrap();
        assert_eq!(script.requests()[0].body.pointer(place), Some(&expected), "{provider}");
    }
    for provider in ["anthropic", "bedrock"] {
        let script = Script::new([streamed(provider, Say::Text("{}"))]);
        assert!(!opened(&script, provider).await.session.capabilities().json_mode, "{provider}");
    }
}

#[tokio::test]
async fn a_callers_conversation_keeps_its_roles_in_every_dialect() {
    let opening = vec![
        Said::User { content: "first".to_owned() },
        Said::Assistant { content: "second".to_owned(), tool_calls: Vec::new() },
    ];
    for provider in PROVIDERS {
        let script = Script::new([streamed(provider, Say::Text("done"))]);
        let start = Start { opening: opening.clone(), ..start(settings(provider, json!({})), &[], None) };
        open(&script, start).await.unwrap().ask(turn("third", Delivery::Text)).await.unwrap();
        let body = &script.requests()[0].body;
        let messages =
            ["/messages", "/input", "/contents"].iter().find_map(|place| body.pointer(place)?.as_array());
        let said: Vec<(String, String)> = messages
            .into_iter()
            .flatten()
            .filter(|message| message["role"] != "system")
            .map(|message| (message["role"].as_str().unwrap().to_owned(), message.to_string()))
            .collect();
        let model = if provider == "gemini" { "model" } else { "assistant" };
        let expected = [("user", "first"), (model, "second"), ("user", "third")];
        assert_eq!(said.len(), expected.len(), "{provider}: {body}");
        for ((role, message), (expected_role, text)) in said.iter().zip(expected) {
            assert!(role == expected_role && message.contains(text), "{provider}: {message}");
        }
    }
}
