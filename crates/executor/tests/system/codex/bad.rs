//! A Codex that misbehaves.

use accord_executor::{Events, OpenError, Stop, TurnError};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fixture::{Fake, prompt, said};
use crate::support::{gone, grandchild};

#[tokio::test]
async fn an_invalid_message_kills_the_group() {
    for (act, expected) in [
        ("garbage", "Codex wrote an invalid message: 'loading…'"),
        ("bytes", "Codex wrote invalid UTF-8"),
        ("flood", "Codex wrote a line of more than 16 MiB"),
        ("foreign", "Codex answered for another thread: 'elsewhere'"),
    ] {
        let fake = Fake::new(act);
        assert_eq!(fake.failure().await, expected);
        gone(grandchild(fake.path()).await).await;
    }
}

#[tokio::test]
async fn an_exit_is_reported_with_stderr_and_without_secrets() {
    let died =
        "Codex exited with code 9 in the middle of a line; last lines of stderr:\nout of memory, [redacted]";
    assert_eq!(Fake::new("half").failure().await, died);
    assert_eq!(
        Fake::new("killed").failure().await,
        "Codex was killed by signal 9 before it answered; stderr is empty"
    );
    let fake = Fake::without_app_server("half");
    assert_eq!(fake.failure().await, died);
}

#[tokio::test]
async fn a_turn_without_a_message_is_a_refusal() {
    for fake in [Fake::new("refusal"), Fake::without_app_server("refusal")] {
        let answer = fake.ask("first").await.unwrap();
        assert!(
            matches!(&answer.stop, Stop::Refused(words) if words.contains("without a final message")),
            "{answer:?}"
        );
        assert_eq!(answer.text, "");
    }
    assert_eq!(Fake::new("steps").ask("first").await.unwrap_err(), TurnError::TooManySteps(7));
}

#[tokio::test]
async fn text_before_commands_is_not_an_answer() {
    for way in [Fake::new, Fake::without_app_server] {
        let refused = way("refusal-after-work").ask("first").await.unwrap();
        assert!(matches!(refused.stop, Stop::Refused(_)), "{refused:?}");
        let cut = way("cut-after-work").ask("first").await.unwrap();
        assert_eq!((cut.text.as_str(), cut.stop), ("", Stop::Truncated));
    }
}

#[tokio::test]
async fn another_thread_is_rejected() {
    let conversation = json!({"held_by": "codex", "thread_id": "01a1-thread"});
    let fake = Fake::new("other-thread").with(|start| start.conversation = Some(conversation.clone()));
    assert_eq!(fake.failure().await, "Codex opened another thread: 'other' instead of '01a1-thread'");
    let fake = Fake::without_app_server("other-thread").with(|start| start.conversation = Some(conversation));
    assert_eq!(fake.failure().await, "Codex answered for another thread: 'other' instead of '01a1-thread'");
}

#[tokio::test]
async fn silence_and_stops_leave_nothing_running() {
    for exec in [false, true] {
        let silent = || if exec { Fake::without_app_server("silence") } else { Fake::new("silence") };
        let fake = silent().with(|start| start.settings["timeout_seconds"] = json!(1));
        assert_eq!(fake.ask("first").await.unwrap_err(), TurnError::TimedOut(1));
        gone(grandchild(fake.path()).await).await;
        let fake = silent();
        let mut session = fake.open().await.unwrap();
        let (cancel, events) = (CancellationToken::new(), Events::none());
        let (result, pid) = tokio::join!(session.turn(prompt("first"), &events, &cancel), async {
            let pid = grandchild(fake.path()).await;
            cancel.cancel();
            pid
        });
        assert_eq!(result.unwrap_err().error, TurnError::Stopped);
        session.close().await;
        gone(pid).await;
        fake.nothing_is_left().await;
    }
}

#[tokio::test]
async fn nothing_is_left_when_a_session_is_dropped() {
    let fake = Fake::new("");
    let mut session = fake.open().await.unwrap();
    said(session.as_mut(), "first").await.0.unwrap();
    drop(session);
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn invalid_settings_are_errors_before_any_request() {
    let refused = |fake: Fake| async move { fake.open().await.err().unwrap() };
    let fake = Fake::new("").with(|start| start.settings["command"] = json!("./no-codex"));
    assert!(matches!(refused(fake).await, OpenError::Missing(text) if text.contains("'./no-codex'")));
    let fake = Fake::new("").with(|start| start.costs_are_limited = true);
    assert!(matches!(refused(fake).await, OpenError::Settings(text) if text.contains("max_cost_usd")));
    let fake = Fake::new("").with(|start| start.settings["args"] = json!(["--json"]));
    assert!(refused(fake).await.to_string().contains("`args` has '--json'"));
}
