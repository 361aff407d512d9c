//! Turns that are stopped from outside or by a limit.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::samples::{PROVIDERS, Say, streamed};
use super::script::{Canned, Script, Then, native, open, opened, settings, start, tool, turn};
use crate::{Delivery, Event, TurnError};

#[tokio::test]
async fn a_stream_is_stopped_midway_and_the_turn_can_be_repeated() {
    for provider in PROVIDERS {
        let mut canned = streamed(provider, Say::Text("never")).then(Then::Hang);
        canned.body.truncate(90);
        let script = Script::new([canned, streamed(provider, Say::Text("ok"))]);
        let mut opened = opened(&script, provider).await;
        let (hanging, cancel) = (Arc::clone(&script.hanging), opened.cancel.clone());
        let (result, ()) = tokio::join!(opened.ask(turn("Judge", native())), async {
            hanging.notified().await;
            cancel.cancel();
        });
        assert_eq!(result.unwrap_err().error, TurnError::Stopped, "{provider}");
        let given_up = |event: &Event| matches!(event, Event::Requested { status: None, .. });
        assert_eq!(opened.heard().iter().filter(|event| given_up(event)).count(), 1, "{provider}");
        let asked = json!({"version": 1, "messages": [{"role": "user", "text": "Judge"}]});
        assert_eq!(opened.session.conversation(), Some(asked));
        opened.cancel = tokio_util::sync::CancellationToken::new();
        assert_eq!(opened.ask(turn("Judge", native())).await.unwrap().text, "ok");
        let bodies = script.bodies();
        assert_eq!(bodies.first(), bodies.last());
    }
}

#[tokio::test]
async fn a_waiting_retry_and_a_running_tool_are_stopped_too() {
    let busy = Canned::error(503, &json!({"error": "busy"})).header("retry-after", "60");
    let script = Script::new([busy]);
    let mut waiting = opened(&script, "ollama").await;
    let cancel = waiting.cancel.clone();
    let (result, ()) = tokio::join!(waiting.ask(turn("Judge", native())), async {
        while script.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!(result.unwrap_err().error, TurnError::Stopped);

    let script = Script::new([streamed("openai", Say::Call("echo", "{\"wait\": true}"))]);
    let start = start(settings("openai", json!({"timeout_seconds": 1})), &["echo"], None);
    let mut working = open(&script, start).await.unwrap();
    let failure = working.ask(turn("Judge", tool(true, false))).await.unwrap_err();
    assert_eq!(failure.error, TurnError::TimedOut(1));
    assert_eq!(failure.usage.output_tokens, 7, "what was used until then is told");
    let stored = working.session.conversation().unwrap();
    assert_eq!(stored.pointer("/messages/1/calls/0/name"), Some(&json!("echo")), "{stored}");
    assert_eq!(stored.pointer("/messages/2/results/0/id"), Some(&json!("call_a")), "{stored}");
}

#[tokio::test]
async fn a_turn_stopped_before_its_start_sends_nothing() {
    let script = Script::new([streamed("openai", Say::Text("ok"))]);
    let mut opened = opened(&script, "openai").await;
    opened.cancel.cancel();
    assert_eq!(opened.ask(turn("Judge", native())).await.unwrap_err().error, TurnError::Stopped);
    assert_eq!(script.requests().len(), 0);
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let long = "x".repeat(64 * 1024);
    let endless = [
        (
            "anthropic",
            Canned::events(&[
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": long}}),
            ]),
        ),
        (
            "anthropic",
            Canned::events(&[
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": long}}),
            ]),
        ),
        (
            "openai",
            Canned::events(&[
                json!({"type": "response.output_text.delta", "output_index": 0, "delta": long}),
            ]),
        ),
        ("openai-chat", Canned::events(&[json!({"choices": [{"delta": {"content": long}}]})])),
        (
            "openai-compatible",
            Canned::events(&[
                json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": long}}]}}]}),
            ]),
        ),
        ("ollama", Canned::lines(&[json!({"message": {"content": long}, "done": false})])),
    ];
    for (provider, canned) in endless {
        let script = Script::new([canned.then(Then::RepeatForEver)]);
        let failure = opened(&script, provider).await.ask(turn("Judge", Delivery::Text)).await.unwrap_err();
        let expected =
            matches!(&failure.error, TurnError::Failed(words) if words.contains("larger than 8 MiB"));
        assert!(expected, "{provider}: {failure:?}");
        let taken = script.taken.load(Ordering::Relaxed);
        assert!(taken < 9 * 1024 * 1024, "{provider} took {taken} bytes");
    }
    let whole = json!({"message": {"content": "x".repeat(9 * 1024 * 1024)}, "done": true});
    let script = Script::new([Canned::whole(&whole)]);
    let failure = opened(&script, "ollama").await.ask(turn("Judge", Delivery::Text)).await.unwrap_err();
    assert!(failure.to_string().contains("larger than 8 MiB"), "{failure}");
}
