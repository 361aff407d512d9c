//! Answers in every dialect, streamed or not, with every stop reason.

use serde_json::{Value, json};

use super::samples::{PROVIDERS, Say, answering_model, streamed, whole_body};
use super::script::{Canned, Script, Then, native, opened, tool, turn};
use crate::{Answer, Channel, Delivery, Event, Stop, Usage};

const TEXT: &str = "{\"a\": \"\u{e9}\u{1f600}\\n\"}";
const ARGUMENTS: &str = "{\"a\":1.50,\"b\":[\"\u{e9}\"]}";

fn usage() -> Usage {
    Usage { input_tokens: 11, output_tokens: 7, cost_usd: Some((11.0 + 70.0) / 1e6) }
}

fn answer(provider: &str, text: &str, submissions: &[&str], stop: Stop) -> Answer {
    let submissions = submissions.iter().map(|&text| text.to_owned()).collect();
    Answer { submissions, stop, usage: usage(), ..Answer::of_text(text, answering_model(provider)) }
}

async fn asked(provider: &str, canned: Canned, delivery: Delivery) -> Answer {
    let script = Script::new([canned]);
    opened(&script, provider).await.ask(turn("Judge", delivery)).await.unwrap()
}

#[tokio::test]
async fn a_streamed_answer_is_reported_in_parts() {
    for provider in PROVIDERS {
        for (say, delivery) in
            [(Say::Text(TEXT), native()), (Say::Call("submit_result", TEXT), tool(true, false))]
        {
            let is_whole_call = ["ollama", "gemini"].contains(&provider) && matches!(say, Say::Call(..));
            let script = Script::new([streamed(provider, say)]);
            let mut opened = opened(&script, provider).await;
            opened.ask(turn("Judge", delivery)).await.unwrap();
            let parts = opened.heard().into_iter().filter_map(|event| match event {
                Event::Partial { channel: Channel::Text, text } => Some(text),
                _ => None,
            });
            // These providers send the arguments of a call at once.
            let expected = if is_whole_call { "" } else { TEXT };
            assert_eq!(parts.collect::<String>(), expected, "{provider}");
        }
    }
}

#[tokio::test]
async fn a_text_is_the_same_streamed_and_in_one_piece() {
    for provider in PROVIDERS {
        let expected = answer(provider, TEXT, &[], Stop::Finished);
        let stream = asked(provider, streamed(provider, Say::Text(TEXT)), native()).await;
        assert_eq!(stream, expected, "{provider}");
        let whole = Canned::whole(&whole_body(provider, Say::Text(TEXT)));
        assert_eq!(asked(provider, whole, native()).await, expected, "{provider}");
    }
}

#[tokio::test]
async fn a_submission_is_passed_on_unchanged() {
    for provider in PROVIDERS {
        let expected = answer(provider, "", &[ARGUMENTS], Stop::Submitted);
        let say = Say::Call("submit_result", ARGUMENTS);
        let stream = asked(provider, streamed(provider, say), tool(true, false)).await;
        assert_eq!(stream, expected, "{provider}");
        let whole = Canned::whole(&whole_body(provider, say));
        assert_eq!(asked(provider, whole, tool(true, false)).await, expected, "{provider}");
    }
    for provider in ["anthropic", "openai", "openai-chat", "bedrock", "cohere"] {
        let broken = "{\"a\": oops";
        let stream = streamed(provider, Say::Call("submit_result", broken));
        let expected = answer(provider, "", &[broken], Stop::Submitted);
        assert_eq!(asked(provider, stream, tool(false, false)).await, expected, "{provider}");
    }
}

#[tokio::test]
async fn two_submissions_are_both_passed_on() {
    let call = |id: &str, arguments: &str| json!({"index": 0, "id": id, "function": {"name": "submit_result", "arguments": arguments}});
    let chunk = |delta: Value| json!({"model": "m", "choices": [{"delta": delta}]});
    let canned = Canned::events(&[
        chunk(json!({"tool_calls": [call("x", "{}")]})),
        chunk(json!({"tool_calls": [call("y", "[")]})),
        chunk(json!({"tool_calls": [{"function": {"arguments": "]"}}]})),
        json!("[DONE]"),
    ]);
    let answer = asked("openai-compatible", canned, tool(false, false)).await;
    assert_eq!((answer.submissions, answer.stop), (vec!["{}".to_owned(), "[]".to_owned()], Stop::Submitted));
}

/// Changes one field of an unstreamed answer.
fn changed(provider: &str, pointer: &str, value: Value) -> Canned {
    let mut body = whole_body(if provider == "xai" { "openai" } else { provider }, Say::Text("so far"));
    if let Some(place) = body.pointer_mut(pointer) {
        *place = value;
    }
    Canned::whole(&body)
}

#[tokio::test]
async fn reports_each_stop_reason() {
    let refused = |words: &str| Stop::Refused(words.into());
    let filter = "the provider's content filter stopped the answer";
    let cases: [(&str, &str, Value, Stop); 32] = [
        ("anthropic", "/stop_reason", json!("end_turn"), Stop::Finished),
        ("anthropic", "/stop_reason", json!("stop_sequence"), Stop::Finished),
        ("anthropic", "/stop_reason", json!("max_tokens"), Stop::Truncated),
        ("anthropic", "/stop_reason", json!("model_context_window_exceeded"), Stop::Truncated),
        ("anthropic", "/stop_reason", json!("refusal"), refused("so far")),
        ("openai", "/status", json!("incomplete"), Stop::Truncated),
        ("openai", "/output/0/content/0", json!({"type": "refusal", "refusal": "no"}), refused("no")),
        ("openai-chat", "/choices/0/finish_reason", json!("length"), Stop::Truncated),
        ("openai-chat", "/choices/0/finish_reason", json!("content_filter"), refused(filter)),
        ("openai-chat", "/choices/0/message/refusal", json!("no"), refused("no")),
        ("openai-compatible", "/choices/0/finish_reason", json!("model_length"), Stop::Truncated),
        ("openai-compatible", "/choices/0/finish_reason", json!("MAX_TOKENS"), Stop::Truncated),
        (
            "openai-compatible",
            "/choices/0/finish_reason",
            json!("content_filter: RECITATION"),
            refused(filter),
        ),
        ("openai-compatible", "/choices/0/finish_reason", json!("sensitive"), refused(filter)),
        ("openai-compatible", "/choices/0/finish_reason", json!("SAFETY"), refused(filter)),
        ("openai-compatible", "/choices/0/finish_reason", json!("eos"), Stop::Finished),
        ("openai-compatible", "/choices/0/finish_reason", json!("end_turn"), Stop::Finished),
        ("openai-compatible", "/choices/0/finish_reason", json!("stop_sequence"), Stop::Finished),
        ("openai-compatible", "/choices/0/finish_reason", json!(null), Stop::Finished),
        ("ollama", "/done_reason", json!("length"), Stop::Truncated),
        ("ollama", "/done", json!(false), Stop::Truncated),
        ("gemini", "/candidates/0/finishReason", json!("MAX_TOKENS"), Stop::Truncated),
        ("gemini", "/candidates/0/finishReason", json!("SAFETY"), refused(&format!("{filter}: SAFETY"))),
        ("gemini", "/candidates/0/finishReason", json!("OTHER"), Stop::Finished),
        ("bedrock", "/stopReason", json!("stop_sequence"), Stop::Finished),
        ("bedrock", "/stopReason", json!("max_tokens"), Stop::Truncated),
        ("bedrock", "/stopReason", json!("content_filtered"), refused(filter)),
        ("cohere", "/finish_reason", json!("STOP_SEQUENCE"), Stop::Finished),
        ("cohere", "/finish_reason", json!("MAX_TOKENS"), Stop::Truncated),
        ("cohere", "/finish_reason", json!("ERROR_TOXIC"), refused(filter)),
        ("mistral", "/choices/0/finish_reason", json!("model_length"), Stop::Truncated),
        ("xai", "/status", json!("completed"), Stop::Finished),
    ];
    for (provider, pointer, value, stop) in cases {
        let answer = asked(provider, changed(provider, pointer, value.clone()), native()).await;
        assert_eq!(answer.stop, stop, "{provider} {pointer} {value}");
    }
}

#[tokio::test]
async fn a_refusal_contains_its_reason() {
    let details = json!({"type": "refusal", "category": "cyber", "explanation": "no"});
    let anthropic = Canned::events(&[
        json!({"type": "message_start", "message": {"model": "m", "usage": {}}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}, "usage": {}}),
        json!({"type": "message_stop"}),
    ]);
    assert_eq!(asked("anthropic", anthropic, native()).await.stop, Stop::Refused("no".into()));
    let responses = Canned::events(&[
        json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}}),
    ]);
    let stop = asked("openai", responses, native()).await.stop;
    assert_eq!(stop, Stop::Refused("the provider's content filter stopped the answer".into()));
    let chat = Canned::events(&[
        json!({"choices": [{"delta": {"refusal": "I ca"}}]}),
        json!({"choices": [{"delta": {"refusal": "n't"}, "finish_reason": "stop"}]}),
        json!("[DONE]"),
    ]);
    assert_eq!(asked("openai-chat", chat, native()).await.stop, Stop::Refused("I can't".into()));
}

#[tokio::test]
async fn later_chunks_keep_the_finish_reason() {
    let block =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "12"}});
    let delta =
        |delta: Value| json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 2}});
    for later in [json!({}), json!({"stop_reason": null})] {
        for (reason, stop) in [("max_tokens", Stop::Truncated), ("refusal", Stop::Refused("12".into()))] {
            let ended = delta(json!({"stop_reason": reason}));
            let events = [block.clone(), ended, delta(later.clone()), json!({"type": "message_stop"})];
            assert_eq!(asked("anthropic", Canned::events(&events), native()).await.stop, stop, "{later}");
        }
    }
    let chunk = |text: &str, finish: &str| json!({"choices": [{"delta": {"content": text}, "finish_reason": finish}]});
    for later in ["", "stop"] {
        let events = [chunk("12", "length"), chunk("", later), json!("[DONE]")];
        let answer = asked("openai-compatible", Canned::events(&events), native()).await;
        assert_eq!(answer.stop, Stop::Truncated, "{later}");
    }
}

#[tokio::test]
async fn a_stream_without_its_last_event_is_retried() {
    // Bedrock's messages are binary.
    for provider in PROVIDERS.into_iter().filter(|provider| *provider != "bedrock") {
        let full = streamed(provider, Say::Text("0123456789"));
        let text = String::from_utf8(full.body.clone()).unwrap();
        // The stream ends after the second half of the text, complete or not, and the connection
        // closes normally.
        let half = text.find("56789").unwrap();
        let whole = half + text.get(half..).and_then(|rest| rest.find('\n')).unwrap() + 1;
        for end in [half, whole] {
            let cut = Canned { body: text.get(..end).unwrap().into(), ..full.clone() };
            let script = Script::new([cut, streamed(provider, Say::Text("all of it"))]);
            let mut opened = opened(&script, provider).await;
            let answer = opened.ask(turn("Judge", native())).await.unwrap();
            assert_eq!((answer.text.as_str(), answer.stop), ("all of it", Stop::Finished), "{provider}");
            assert_eq!(script.requests().len(), 2);
        }
    }
}

#[tokio::test]
async fn a_call_that_is_cut_off_is_not_a_submission() {
    let full = streamed("openai", Say::Call("submit_result", "{\"a\": \"long\"}"));
    let text = String::from_utf8(full.body.clone()).unwrap();
    let end = text.find("event: response.output_item.done").unwrap();
    let cut = Canned { body: text.get(..end).unwrap().into(), ..full };
    let script = Script::new([cut, streamed("openai", Say::Call("submit_result", "{\"a\": \"longer\"}"))]);
    let answer = opened(&script, "openai").await.ask(turn("Judge", tool(true, false))).await.unwrap();
    assert_eq!((answer.submissions, answer.stop), (vec!["{\"a\": \"longer\"}".to_owned()], Stop::Submitted));
}

#[tokio::test]
async fn does_not_wait_after_the_last_event() {
    for provider in PROVIDERS {
        let canned = streamed(provider, Say::Text("done")).then(Then::Hang);
        assert_eq!(asked(provider, canned, native()).await.text, "done", "{provider}");
    }
}

#[tokio::test]
async fn the_last_item_of_responses_may_report_a_cut() {
    for (status, stop) in [("incomplete", Stop::Truncated), ("completed", Stop::Finished)] {
        let mut body = whole_body("openai", Say::Text("so far"));
        body["output"][0]["status"] = json!(status);
        assert_eq!(asked("openai", Canned::whole(&body), native()).await.stop, stop);
    }
}

#[tokio::test]
async fn the_last_event_of_responses_may_be_empty() {
    let item = whole_body("openai", Say::Text("here"))["output"][0].clone();
    let canned = Canned::events(&[
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
    ]);
    let answer = asked("openai", canned, native()).await;
    assert_eq!((answer.text.as_str(), answer.model.as_str()), ("here", "m-1"));
}
