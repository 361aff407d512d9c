//! Which requests are repeated, how often, and which are not.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::samples::{PROVIDERS, Say, streamed};
use super::script::{
    Canned, Script, Step, Then, executor_over, native, open_with, opened, settings, start, turn,
};
use crate::{
    Allowance, Delivery, Event, Request, Response, Retry, Start, Transport, TransportError, Turn, TurnError,
};

fn overloaded() -> Value {
    json!({"error": {"type": "overloaded_error", "message": "busy"}})
}

fn statuses(events: &[Event]) -> Vec<Option<u16>> {
    let status = |event: &Event| match event {
        Event::Requested { status, .. } => Some(*status),
        _ => None,
    };
    events.iter().filter_map(status).collect()
}

fn pauses(events: &[Event]) -> Vec<u64> {
    let pause = |event: &Event| match event {
        Event::Retrying { milliseconds, .. } => Some(*milliseconds),
        _ => None,
    };
    events.iter().filter_map(pause).collect()
}

#[tokio::test]
async fn transient_errors_are_retried() {
    let lost = || Step::Lost(TransportError::Connection("connection refused".into()));
    for provider in PROVIDERS {
        let dropped = streamed(provider, Say::Text("half")).then(Then::Drop);
        let mut cut = dropped.clone();
        cut.body.truncate(90);
        let script = Script::new([
            Step::from(Canned::error(529, &overloaded())),
            lost(),
            cut.into(),
            Canned::error(429, &overloaded()).into(),
            Canned::error(503, &json!("down")).into(),
            streamed(provider, Say::Text("whole")).into(),
        ]);
        let mut opened = opened(&script, provider).await;
        let answer = opened.ask(turn("Judge", native())).await.unwrap();
        assert_eq!(answer.text, "whole", "{provider}");
        let events = opened.heard();
        assert_eq!(
            statuses(&events),
            [Some(529), None, Some(200), Some(429), Some(503), Some(200)],
            "{provider}"
        );
        assert_eq!(pauses(&events).len(), 5);
        let bodies = script.bodies();
        assert!(bodies.iter().all(|body| Some(body) == bodies.first()), "a retry is the same request");
    }
}

#[tokio::test]
async fn usage_of_an_interrupted_answer_counts() {
    let begun = || {
        let usage = json!({"input_tokens": 11, "output_tokens": 1});
        let start = json!({"type": "message_start", "message": {"model": "m", "usage": usage}});
        Canned::events(&[start]).then(Then::Drop)
    };
    let script = Script::new([begun(), streamed("anthropic", Say::Text("whole"))]);
    let answer = opened(&script, "anthropic").await.ask(turn("Judge", native())).await.unwrap();
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (22, 8));
    assert_eq!(answer.usage.cost_usd, Some((22.0 + 80.0) / 1e6));

    let script = Script::new([begun(), streamed("anthropic", Say::Text("whole"))]);
    let allowance = Allowance { tokens: Some(12), cost_usd: None };
    let asked = Turn { allowance, ..turn("Judge", native()) };
    let failure = opened(&script, "anthropic").await.ask(asked).await.unwrap_err();
    assert_eq!((failure.error, failure.usage.input_tokens), (TurnError::AllowanceUsedUp, 11));
    assert_eq!(script.requests().len(), 1, "nothing more is asked");
}

/// A provider that is down for a while and then answers.
struct Restarting {
    back: Instant,
    script: Arc<Script>,
}

#[async_trait]
impl Transport for Restarting {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        match Instant::now() < self.back {
            true => Err(TransportError::Connection("connection refused".into())),
            false => self.script.send(request).await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_a_minute_is_bridged_and_work_is_not_done_twice() {
    let begun = Instant::now();
    for provider in PROVIDERS {
        let steps =
            [streamed(provider, Say::Call("echo", r#"{"x": 1}"#)), streamed(provider, Say::Text("back"))];
        let script = Script::new(steps);
        let down = |seconds| Instant::now() + Duration::from_secs(seconds);
        let transport = Restarting { back: down(60), script: Arc::clone(&script) };
        let start = start(settings(provider, json!({})), &["echo"], None);
        let start = Start { retry: Retry::default(), ..start };
        let mut opened = open_with(&executor_over(Arc::new(transport)), start).await.unwrap();
        let answer = opened.ask(turn("Judge", Delivery::Text)).await.unwrap();
        assert_eq!(answer.text, "back", "{provider}");
        let events = opened.heard();
        let tools = events.iter().filter(|event| matches!(event, Event::ToolStarted { .. })).count();
        assert_eq!((tools, script.requests().len()), (1, 2), "{provider}");
        assert!(pauses(&events).len() > 3, "{events:?}");
    }
    assert!(begun.elapsed().as_secs() >= 60);
}

#[tokio::test(start_paused = true)]
async fn reports_what_it_waits_for() {
    let script = Script::new([Canned::error(503, &json!("down")), streamed("openai", Say::Text("ok"))]);
    let mut opened = opened(&script, "openai").await;
    opened.ask(turn("Judge", native())).await.unwrap();
    let told = opened.heard().into_iter().find(|event| matches!(event, Event::Retrying { .. }));
    let Some(Event::Retrying { reason, milliseconds, attempts, attempts_left, milliseconds_left }) = told
    else {
        panic!("{told:?}")
    };
    assert_eq!(reason, "openai https://api.openai.com/v1 responded 503: down");
    assert_eq!((attempts, attempts_left), (Some(1), Some(5)));
    // The rest is reported in whole milliseconds.
    assert!((89_998..=90_000).contains(&(milliseconds + milliseconds_left.unwrap())));
}

#[tokio::test]
async fn lasting_errors_end_the_turn() {
    for status in [408, 409, 429, 500, 502, 529] {
        let script = Script::new(vec![Canned::error(status, &overloaded()); 9]);
        let mut opened = opened(&script, "anthropic").await;
        let failure = opened.ask(turn("Judge", native())).await.unwrap_err();
        let words = format!(
            "anthropic https://api.anthropic.com responded {status}: busy (gave up after 6 attempts in "
        );
        assert!(
            matches!(&failure.error, TurnError::Transport(said) if said.starts_with(&words)),
            "{failure:?}"
        );
        assert_eq!(script.requests().len(), 6);
        assert_eq!(pauses(&opened.heard()).len(), 5);
    }
}

#[tokio::test]
async fn retry_after_is_respected() {
    let script = Script::new([
        Canned::error(429, &overloaded()).header("retry-after-ms", "3"),
        Canned::error(429, &overloaded()).header("retry-after", "0.002"),
        streamed("openai", Say::Text("ok")),
    ]);
    let mut opened = opened(&script, "openai").await;
    opened.ask(turn("Judge", native())).await.unwrap();
    assert_eq!(pauses(&opened.heard()), [3, 2]);
}

#[tokio::test]
async fn a_retry_after_of_zero_still_pauses() {
    let demands = ["0", "Wed, 21 Oct 2015 07:28:00 GMT", "0", "0", "0"];
    let busy = demands.map(|demand| Canned::error(429, &overloaded()).header("retry-after", demand));
    let script = Script::new(busy.into_iter().chain([streamed("openai", Say::Text("ok"))]));
    let mut opened = opened(&script, "openai").await;
    opened.ask(turn("Judge", native())).await.unwrap();
    // The first pause is a millisecond and the last sixteen, or half of that.
    assert!(pauses(&opened.heard()).into_iter().zip([0, 1, 2, 4, 8]).all(|(pause, least)| pause >= least));
}

#[tokio::test]
async fn a_retry_after_that_is_too_long_ends_the_turn() {
    let script = Script::new(vec![Canned::error(503, &overloaded()).header("retry-after", "301"); 2]);
    let failure = opened(&script, "openai").await.ask(turn("Judge", native())).await.unwrap_err();
    let words = failure.error.to_string();
    let expected = "busy (the provider asks to wait 301 seconds, but `retry.for_seconds` leaves 90 seconds)";
    assert!(words.ends_with(expected), "{words}");
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn an_error_inside_a_stream_counts_like_one_before_it() {
    let cases = [
        (
            "anthropic",
            Canned::events(&[
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
            ]),
        ),
        (
            "openai",
            Canned::events(&[
                json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error", "message": "busy"}}}),
            ]),
        ),
        (
            "openai",
            Canned::events(&[json!({"type": "error", "code": "rate_limit_exceeded", "message": "busy"})]),
        ),
        ("openai-chat", Canned::events(&[json!({"error": {"code": 502, "message": "busy"}})])),
        ("ollama", Canned::lines(&[json!({"error": "busy"})])),
    ];
    for (provider, canned) in cases {
        let script = Script::new([canned, streamed(provider, Say::Text("ok"))]);
        let answer = opened(&script, provider).await.ask(turn("Judge", native())).await.unwrap();
        assert_eq!((answer.text.as_str(), script.requests().len()), ("ok", 2), "{provider}");
    }
    let refused = json!({"type": "error", "error": {"type": "authentication_error", "message": "no"}});
    let script = Script::new([Canned::events(&[refused])]);
    let failure = opened(&script, "anthropic").await.ask(turn("Judge", native())).await.unwrap_err();
    assert!(matches!(failure.error, TurnError::Failed(_)), "{failure:?}");
}
