//! Answers in every protocol, complete and streamed.

use accord_test_support::{ModelServer, Reply, Wire};
use serde_json::{Value, json};

use super::decode::{self, ModelOutput};
use super::http::{ask, exchange, prompt};

const TEXT: &str =
    "Stra\u{df}e \u{1f600} \u{4e2d}\u{6587}: {\"a\": \"\u{e9}\"} and so on, for a while longer";

fn rich() -> Reply {
    Reply::text(TEXT).and_tool("submit_result", &json!({"a": [1, 2.5]})).thinking("Let me see.").usage(11, 7)
}

/// The body without the parts that vary with time or chance; ids are only checked for their format.
fn steady(mut body: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match name.as_str() {
                        "id" | "call_id" | "signature" => {
                            let text = member.as_str().unwrap();
                            let prefix = text.get(..text.len() - 24).unwrap();
                            *member = json!(prefix);
                        }
                        "created" | "created_at" => *member = json!("now"),
                        _ => walk(member),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(walk),
            _ => {}
        }
    }
    walk(&mut body);
    body
}

async fn whole(wire: Wire, reply: Reply) -> Value {
    let server = ModelServer::start(reply).await.unwrap();
    let response = ask(&server.url(), wire, "hello", false).await;
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")));
    steady(response.json())
}

#[tokio::test]
async fn anthropic_without_streaming() {
    let expected = json!({
        "id": "msg_01", "type": "message", "role": "assistant", "model": "some-model",
        "content": [
            {"type": "thinking", "thinking": "Let me see.", "signature": "signature"},
            {"type": "text", "text": TEXT},
            {"type": "tool_use", "id": "toolu_01", "name": "submit_result", "input": {"a": [1, 2.5]}},
        ],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": {
            "input_tokens": 11, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 7, "service_tier": "standard",
        },
    });
    assert_eq!(whole(Wire::Anthropic, rich()).await, expected);
    let refused = whole(Wire::Anthropic, Reply::refusal("No.")).await;
    assert_eq!(
        (&refused["content"], &refused["stop_reason"], &refused["stop_details"]),
        (&json!([]), &json!("refusal"), &json!({"type": "refusal", "category": null, "explanation": "No."}))
    );
}

#[tokio::test]
async fn responses_without_streaming() {
    let body = whole(Wire::Responses, rich()).await;
    let text = json!({"type": "output_text", "annotations": [], "logprobs": [], "text": TEXT});
    let expected = json!([
        {"id": "rs_", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Let me see."}]},
        {"id": "msg_", "type": "message", "status": "completed", "role": "assistant", "content": [text]},
        {"id": "fc_", "type": "function_call", "status": "completed", "arguments": "{\"a\":[1,2.5]}",
         "call_id": "call_", "name": "submit_result"},
    ]);
    assert_eq!(body["output"], expected);
    let usage = json!({
        "input_tokens": 11, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 18,
    });
    assert_eq!(
        (&body["status"], &body["usage"], &body["error"]),
        (&json!("completed"), &usage, &Value::Null)
    );

    let cut = whole(Wire::Responses, Reply::truncated("{\"a")).await;
    let reason = json!({"reason": "max_output_tokens"});
    assert_eq!((&cut["status"], &cut["incomplete_details"]), (&json!("incomplete"), &reason));
    let refused = whole(Wire::Responses, Reply::refusal("No.")).await;
    assert_eq!(refused["output"][0]["content"], json!([{"type": "refusal", "refusal": "No."}]));
}

#[tokio::test]
async fn chat_without_streaming() {
    let body = whole(Wire::Chat, rich()).await;
    let function = json!({"name": "submit_result", "arguments": "{\"a\":[1,2.5]}"});
    let expected = json!([{
        "index": 0,
        "message": {
            "role": "assistant", "content": TEXT, "refusal": null, "annotations": [],
            "reasoning_content": "Let me see.",
            "tool_calls": [{"id": "call_", "type": "function", "function": function}],
        },
        "logprobs": null, "finish_reason": "tool_calls",
    }]);
    assert_eq!(
        (&body["id"], &body["object"], &body["choices"]),
        (&json!("chatcmpl-"), &json!("chat.completion"), &expected)
    );
    assert_eq!((&body["usage"]["prompt_tokens"], &body["usage"]["total_tokens"]), (&json!(11), &json!(18)));
    let message = |body: Value| {
        (body["choices"][0]["message"]["content"].clone(), body["choices"][0]["message"]["refusal"].clone())
    };
    assert_eq!(message(whole(Wire::Chat, Reply::refusal("No.")).await), (Value::Null, json!("No.")));
    assert_eq!(message(whole(Wire::Chat, Reply::empty()).await), (json!(""), Value::Null));
}

#[tokio::test]
async fn ollama_without_streaming() {
    let call = json!({"function": {"index": 0, "name": "submit_result", "arguments": {"a": [1, 2.5]}}});
    let expected = json!({
        "model": "some-model", "created_at": "now",
        "message": {"role": "assistant", "content": TEXT, "thinking": "Let me see.", "tool_calls": [call]},
        "done": true, "done_reason": "stop",
        "total_duration": 420_000_000, "load_duration": 12_000_000,
        "prompt_eval_count": 11, "prompt_eval_duration": 80_000_000,
        "eval_count": 7, "eval_duration": 310_000_000,
    });
    assert_eq!(whole(Wire::Ollama, rich()).await, expected);
}

#[tokio::test]
async fn gemini_whole() {
    let body = whole(Wire::Gemini, rich()).await;
    let call = json!({"functionCall": {"name": "submit_result", "args": {"a": [1, 2.5]}}});
    let parts = json!([{"text": "Let me see.", "thought": true}, {"text": TEXT}, call]);
    let candidate = json!({"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0});
    let usage = json!({"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18});
    assert_eq!((&body["candidates"], &body["usageMetadata"]), (&json!([candidate]), &usage));
    assert_eq!(body["modelVersion"], "some-model");
}

async fn streamed(wire: Wire, reply: Reply) -> (ModelOutput, Vec<String>) {
    let server = ModelServer::start(reply).await.unwrap();
    let mut body = prompt(wire, "hello", true);
    if wire == Wire::Chat {
        body["stream_options"] = json!({"include_usage": true});
    }
    let path = wire.path().replace(":generate", ":streamGenerate");
    let response = exchange(&server.url(), &path, &body.to_string()).await.unwrap();
    assert!(response.complete);
    let broken = response.chunks.iter().filter(|chunk| std::str::from_utf8(chunk).is_err()).count();
    assert!(response.text().is_ascii() || broken >= 2, "characters are split between chunks");
    let mut names: Vec<String> =
        decode::events(wire, response.text()).into_iter().map(|(name, _)| name).collect();
    names.dedup();
    (decode::output(wire, response.text()), names)
}

#[tokio::test]
async fn streams_equal_bodies() {
    for (wire, stop) in [
        (Wire::Anthropic, "tool_use"),
        (Wire::Responses, "completed"),
        (Wire::Chat, "tool_calls"),
        (Wire::Ollama, "stop"),
        (Wire::Gemini, "STOP"),
    ] {
        let expected = ModelOutput {
            reasoning: "Let me see.".to_owned(),
            text: TEXT.to_owned(),
            refusal: String::new(),
            tools: vec![("submit_result".to_owned(), "{\"a\":[1,2.5]}".to_owned())],
            stop: stop.to_owned(),
            tokens: (11, 7),
        };
        assert_eq!(streamed(wire, rich()).await.0, expected, "{wire:?}");
    }
}

#[tokio::test]
async fn streams_have_the_stop_reason_of_their_answers() {
    for (wire, truncated, refused, finished) in [
        (Wire::Anthropic, "max_tokens", "refusal", "end_turn"),
        (Wire::Responses, "incomplete", "completed", "completed"),
        (Wire::Chat, "length", "stop", "stop"),
        (Wire::Ollama, "length", "stop", "stop"),
        (Wire::Gemini, "MAX_TOKENS", "SAFETY", "STOP"),
    ] {
        let stop = async |reply| streamed(wire, reply).await.0;
        let cut = stop(Reply::truncated("{\"a").usage(1, 2)).await;
        assert_eq!(
            (cut.text.as_str(), cut.stop.as_str(), cut.tokens),
            ("{\"a", truncated, (1, 2)),
            "{wire:?}"
        );
        let no = stop(Reply::refusal("No.")).await;
        let said = if wire == Wire::Ollama { &no.text } else { &no.refusal };
        assert_eq!((said.as_str(), no.stop.as_str()), ("No.", refused), "{wire:?}");
        let nothing = stop(Reply::empty().usage(3, 1)).await;
        let silent = ModelOutput { stop: finished.to_owned(), tokens: (3, 1), ..ModelOutput::default() };
        assert_eq!(nothing, silent, "{wire:?}");
        let twice = stop(Reply::tool("a", &json!({})).and_tool("b", &json!({"c": "\u{1f600}"}))).await;
        let calls = [("a".to_owned(), "{}".to_owned()), ("b".to_owned(), "{\"c\":\"\u{1f600}\"}".to_owned())];
        assert_eq!(twice.tools, calls, "{wire:?}");
    }
}

#[tokio::test]
async fn events_have_the_order_of_the_services() {
    let (_, anthropic) = streamed(Wire::Anthropic, rich()).await;
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let mut expected =
        vec!["message_start", "content_block_start", "ping", "content_block_delta", "content_block_stop"];
    expected.extend(block.iter().chain(&block));
    expected.extend(["message_delta", "message_stop"]);
    assert_eq!(anthropic, expected);

    let (_, responses) = streamed(Wire::Responses, rich()).await;
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(responses, expected);
}

#[tokio::test]
async fn the_streamed_response_object_is_complete() {
    let server = ModelServer::start([rich(), rich()]).await.unwrap();
    let whole = steady(ask(&server.url(), Wire::Responses, "hello", false).await.json());
    let response = ask(&server.url(), Wire::Responses, "hello", true).await;
    let events = decode::events(Wire::Responses, response.text());
    assert_eq!(steady(events.last().unwrap().1["response"].clone()), whole);
    let numbers: Vec<Value> = events.iter().map(|(_, data)| data["sequence_number"].clone()).collect();
    assert_eq!(numbers, (0..events.len()).map(|number| json!(number)).collect::<Vec<_>>());
    let done: Vec<&Value> = events
        .iter()
        .filter(|(name, _)| name == "response.output_item.done")
        .map(|(_, data)| &data["item"])
        .collect();
    assert_eq!(steady(json!(done)), whole["output"]);
}

#[tokio::test]
async fn chat_reports_usage_only_on_request() {
    let server = ModelServer::start(Reply::text("hello")).await.unwrap();
    let response = ask(&server.url(), Wire::Chat, "hello", true).await;
    assert!(response.text().ends_with("data: [DONE]\n\n"));
    assert!(!response.text().contains("usage"));
}

#[tokio::test]
async fn arguments_that_are_not_json_arrive_unchanged() {
    for wire in Wire::ALL {
        let reply = Reply::tool_text("submit_result", "a = {1}");
        let streamed = streamed(wire, reply.clone()).await.0;
        // Ollama, and Anthropic without streaming, only carry JSON values: there it is a string.
        let expected = if wire == Wire::Ollama { "\"a = {1}\"" } else { "a = {1}" };
        assert_eq!(streamed.tools, [("submit_result".to_owned(), expected.to_owned())], "{wire:?}");
        assert!(whole(wire, reply).await.to_string().contains("\"a = {1}\""), "{wire:?}");
    }
}

#[tokio::test]
async fn duplicate_keys_are_kept() {
    let twice = r#"{"a":1,"a":2}"#;
    for wire in [Wire::Anthropic, Wire::Ollama] {
        for streams in [false, true] {
            let server = ModelServer::start(Reply::tool_text("submit_result", twice)).await.unwrap();
            let response = ask(&server.url(), wire, "hello", streams).await;
            if wire == Wire::Anthropic && streams {
                assert_eq!(decode::output(wire, response.text()).tools[0].1, twice);
            } else {
                assert!(response.text().contains(twice), "{wire:?} {streams}");
            }
        }
    }
}
