//! An ACP agent that does what it should not.

use accord_executor::{Events, OpenError, Stop, TurnError};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fixture::{Fake, asked, prompt};
use crate::support::{gone, grandchild};

#[tokio::test]
async fn an_invalid_message_kills_the_group() {
    for (act, expected) in [
        ("garbage", "the ACP agent wrote an invalid message: 'loading…'"),
        ("bytes", "the ACP agent wrote invalid UTF-8"),
        ("flood", "the ACP agent wrote a line of more than 16 MiB"),
    ] {
        let fake = Fake::new(act);
        assert_eq!(fake.failure().await, expected);
        gone(grandchild(fake.path()).await).await;
    }
}

#[tokio::test]
async fn an_exit_is_reported_with_stderr_and_without_secrets() {
    assert_eq!(
        Fake::new("half").failure().await,
        "the ACP agent exited with code 9 in the middle of a line; last lines of stderr:\nout of memory, [redacted]"
    );
    assert_eq!(
        Fake::new("killed").failure().await,
        "the ACP agent was killed by signal 9 before it answered; stderr is empty"
    );
}

#[tokio::test]
async fn a_killed_agent_is_started_again_and_continues() {
    let fake = Fake::new("");
    let mut session = fake.open().await.unwrap();
    asked(session.as_mut(), prompt("first")).await.0.unwrap();
    let pid = fake.log("pids")[0].to_string();
    assert!(std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    gone(pid.parse().unwrap()).await;
    let again = asked(session.as_mut(), prompt("again")).await.0.unwrap();
    assert_eq!(again.text, r#"{"turn": 1, "prompt": "again"}"#);
    session.close().await;
    fake.nothing_is_left().await;
    assert_eq!((fake.log("pids").len(), fake.requests("session/load").len()), (2, 1));
}

#[tokio::test]
async fn errors_say_what_to_do() {
    for (act, expected) in [
        ("stranger", "the ACP agent does not speak ACP: Method not found"),
        ("newer", "the ACP agent speaks version 2 of the protocol, expected 1"),
        (
            "locked",
            "the ACP agent is not logged in (Authentication required): log in with the agent's own command, or set \
             `auth_method` to one of 'by-key'",
        ),
        ("fails", "the ACP agent failed: Internal error: bad key [redacted]"),
    ] {
        assert_eq!(Fake::new(act).failure().await, expected);
    }
    let by = |method: &str| Fake::new("").with(|start| start.settings["auth_method"] = json!(method));
    by("by-key").ask(prompt("first")).await.unwrap();
    let refused = "the ACP agent refused to log in by 'by-hand': no such method";
    assert_eq!(by("by-hand").failure().await, refused);
    let model = |act: &str| Fake::new(act).with(|start| start.settings["model"] = json!("huge"));
    assert_eq!(model("").failure().await, "the ACP agent refused the model 'huge': no such model");
    let none = "the ACP agent offers no choice of models; remove 'model'";
    assert_eq!(model("one-model").failure().await, none);
}

#[tokio::test]
async fn refusals_and_cuts_are_no_answers() {
    let refused = Fake::new("refuses").ask(prompt("first")).await.unwrap();
    assert_eq!((refused.text.as_str(), refused.stop), ("", Stop::Refused("Not that.".to_owned())));
    let cut = Fake::new("cut").ask(prompt("first")).await.unwrap();
    assert_eq!((cut.text.as_str(), cut.stop), (r#"{"n": "#, Stop::Truncated));
    assert_eq!(Fake::new("steps").ask(prompt("first")).await.unwrap_err(), TurnError::TooManySteps(7));
    let ours = Fake::new("foreign").ask(prompt("first")).await.unwrap();
    assert!(!ours.text.contains("not ours"), "{ours:?}");
}

#[tokio::test]
async fn silence_and_stops_leave_nothing_running() {
    for act in ["silence", "deaf"] {
        let fake = Fake::new(act).with(|start| start.settings["timeout_seconds"] = json!(1));
        assert_eq!(fake.ask(prompt("first")).await.unwrap_err(), TurnError::TimedOut(1));
        // On a busy machine the time is over before it has one.
        if fake.path().join("pid").exists() {
            gone(grandchild(fake.path()).await).await;
        }
    }
    let fake = Fake::new("silence");
    let mut session = fake.open().await.unwrap();
    let (cancel, events) = (CancellationToken::new(), Events::none());
    let (result, pid) = tokio::join!(session.turn(prompt("first"), &events, &cancel), async {
        let pid = grandchild(fake.path()).await;
        cancel.cancel();
        pid
    });
    let failure = result.unwrap_err();
    assert_eq!((failure.error, failure.usage.input_tokens), (TurnError::Stopped, 12), "what it used is told");
    assert_eq!(fake.requests("session/cancel")[0]["sessionId"], "sess-1");
    session.close().await;
    gone(pid).await;
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn nothing_is_left_when_a_session_is_dropped() {
    let fake = Fake::new("");
    let mut session = fake.open().await.unwrap();
    asked(session.as_mut(), prompt("first")).await.0.unwrap();
    drop(session);
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn invalid_settings_are_errors_before_any_request() {
    let refused = |fake: Fake| async move { fake.open().await.err().unwrap() };
    let fake = Fake::new("").with(|start| start.settings["command"] = json!(["./no-agent"]));
    assert!(matches!(refused(fake).await, OpenError::Missing(text) if text.contains("'./no-agent'")));
    let fake = Fake::new("").with(|start| start.costs_are_limited = true);
    assert!(matches!(refused(fake).await, OpenError::Settings(text) if text.contains("max_cost_usd")));
    let fake = Fake::new("").with(|start| start.tools = vec!["read_file".to_owned()]);
    assert!(refused(fake).await.to_string().contains("built-in tools are not supported"));
}
