//! The acp executor with a scripted agent.

mod bad;
mod fixture;

use std::sync::Arc;

use accord_executor::{Answer, Event, Journal, McpServer, Reach, Stop, Turn, TurnError, Usage};
use serde_json::{Value, json};

use crate::support::{approve, decided};
use fixture::{Fake, asked, by_tool, prompt};

#[tokio::test]
async fn a_session_is_asked_again_in_place() {
    let fake = Fake::new("");
    let mut session = fake.open().await.unwrap();
    assert_eq!(session.conversation(), None);
    let capabilities = session.capabilities();
    assert_eq!((capabilities.native, capabilities.endpoint.as_str()), (None, "acp fake.py"));
    let (first, events) = asked(session.as_mut(), prompt("first")).await;
    let usage = Usage { input_tokens: 12, output_tokens: 5, cost_usd: Some(0.25) };
    let text =
        json!({"turn": 1, "prompt": "<instructions>\nBe short.\n</instructions>\n\nfirst"}).to_string();
    let first = first.unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&first.text).unwrap(),
        serde_json::from_str::<Value>(&text).unwrap()
    );
    assert_eq!(first, Answer { usage, ..Answer::of_text(first.text.clone(), "small") });
    let message = |text: &str| Event::Message { text: text.to_owned() };
    let (call_id, name) = ("c1".to_owned(), "ls".to_owned());
    let arguments = json!({"command": "ls"});
    let started = Event::ToolStarted { call_id: call_id.clone(), name: name.clone(), arguments };
    let finished = Event::ToolFinished { call_id, name, ok: true, output: "[redacted]".to_owned() };
    let is_kept = |event: &Event| !matches!(event, Event::Conversation(_) | Event::Partial { .. });
    let events: Vec<Event> = events.into_iter().filter(is_kept).collect();
    assert_eq!(events, [message("I look. "), started, finished, message(&first.text)]);
    let second = Turn { model: Some("large".to_owned()), ..prompt("second") };
    let second = asked(session.as_mut(), second).await.0.unwrap();
    assert_eq!(second.text, r#"{"turn": 2, "prompt": "second"}"#, "told nothing that it knows already");
    assert_eq!((second.usage, second.model.as_str()), (usage, "large"), "usage is the difference");
    let held = session.conversation().unwrap();
    assert_eq!((&held["session_id"], &held["cost_usd"]), (&json!("sess-1"), &json!(0.5)));
    session.close().await;
    fake.nothing_is_left().await;
    assert_eq!((fake.log("pids").len(), fake.requests("session/new").len()), (1, 1));
    let greeting = &fake.requests("initialize")[0];
    assert_eq!(greeting["protocolVersion"], 1);
    assert_eq!(greeting["clientCapabilities"]["terminal"], json!(false), "{greeting}");
    let declined = fake.log("messages").into_iter().find(|message| message["id"] == "files").unwrap();
    assert_eq!(declined["error"]["code"], -32601, "files are not offered");
}

#[tokio::test]
async fn a_result_is_handed_in_and_asked_for_again_in_the_same_session() {
    let fake = Fake::new("submits");
    let mut session = fake.open().await.unwrap();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let (first, events) = asked(session.as_mut(), by_tool("first", schema.clone())).await;
    let first = first.unwrap();
    assert_eq!((first.submissions, first.stop), (vec![r#"{"n": "one"}"#.to_owned()], Stop::Submitted));
    assert!(!events.iter().any(|event| matches!(event, Event::ToolStarted { .. })), "{events:?}");
    let second = asked(session.as_mut(), by_tool("not so", schema)).await.0.unwrap();
    assert_eq!(second.submissions, [r#"{"n": 2}"#], "only what is new");
    // A turn without a tool is asked in the same session.
    let third = asked(session.as_mut(), prompt("say it")).await.0.unwrap();
    assert_eq!(third.text, "Handed in.");
    session.close().await;
    fake.nothing_is_left().await;
    assert_eq!((fake.log("pids").len(), fake.requests("session/prompt").len()), (1, 3));
    let server = &fake.requests("session/new")[0]["mcpServers"][0];
    assert_eq!((&server["name"], &server["command"]), (&json!("accord_submit"), &json!("accord")));
}

#[tokio::test]
async fn another_submit_tool_is_another_process_in_the_same_session() {
    let fake = Fake::new("submits");
    let mut session = fake.open().await.unwrap();
    asked(session.as_mut(), by_tool("first", json!({"type": "object"}))).await.0.unwrap();
    let other = json!({"type": "object", "required": ["n"]});
    asked(session.as_mut(), by_tool("again", other.clone())).await.0.unwrap();
    session.close().await;
    fake.nothing_is_left().await;
    assert_eq!((fake.log("pids").len(), fake.requests("session/load").len()), (2, 1));
    // Where it cannot be, another way to answer is tried.
    let fake = Fake::new("forgets");
    let mut session = fake.open().await.unwrap();
    asked(session.as_mut(), by_tool("first", json!({"type": "object"}))).await.0.unwrap();
    let error = asked(session.as_mut(), by_tool("again", other)).await.0.unwrap_err().error;
    assert!(matches!(error, accord_executor::TurnError::ToolRejected(_)), "{error:?}");
    assert_eq!(asked(session.as_mut(), prompt("then so")).await.0.unwrap().stop, Stop::Finished);
    session.close().await;
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn a_session_is_resumed_by_another_process() {
    let fake = Fake::new("");
    let mut session = fake.open().await.unwrap();
    asked(session.as_mut(), prompt("first")).await.0.unwrap();
    let conversation = session.conversation();
    session.close().await;
    for (act, method) in [("", "session/load"), ("resumes", "session/resume")] {
        let fake = Fake::new(act).continuing(conversation.clone());
        let answer = fake.ask(prompt("again")).await.unwrap();
        assert_eq!(answer.text, r#"{"turn": 1, "prompt": "again"}"#, "what was said before is no answer");
        assert_eq!(fake.requests(method)[0]["sessionId"], "sess-1");
        assert_eq!(fake.requests("session/new").len(), 0);
    }
    let text = Fake::new("lost").continuing(conversation.clone()).failure().await;
    assert!(text.contains("session 'sess-1': Resource not found; start a new session"), "{text}");
    let text = Fake::new("forgets").continuing(conversation).failure().await;
    assert_eq!(text, "the ACP agent cannot continue an earlier session; start a new session");
    let foreign = json!({"held_by": "claude-code", "session_id": "a"});
    let error = Fake::new("").continuing(Some(foreign)).open().await.err().unwrap().to_string();
    assert!(error.contains("was not created by an ACP agent"), "{error}");
}

#[tokio::test]
async fn a_request_for_permission_is_answered_by_the_blueprint() {
    for (allowed, choice, ok) in [(json!([]), "no", false), (json!(["execute"]), "yes", true)] {
        let fake = Fake::new("asks").with(|start| start.settings["allowed_tools"] = allowed);
        let mut session = fake.open().await.unwrap();
        let (answer, events) = asked(session.as_mut(), prompt("first")).await;
        assert_eq!(answer.unwrap().stop, Stop::Finished, "the agent goes on without the tool");
        let finished = |event: &Event| match event {
            Event::ToolFinished { ok, .. } => Some(*ok),
            _ => None,
        };
        assert_eq!(events.iter().find_map(finished), Some(ok));
        session.close().await;
        let answer = fake.log("messages").into_iter().find(|message| message["id"] == "ask-c1").unwrap();
        let expected = json!({"outcome": "selected", "optionId": choice});
        assert_eq!(answer["result"]["outcome"], expected, "never for good");
    }
}

#[tokio::test]
async fn a_call_that_a_person_has_to_approve_ends_the_turn_and_is_made_once_approved() {
    let journal = Arc::new(Journal::none());
    let fake = Fake::new("asks").with(|start| {
        (start.tool_entries, start.journal) = (approve(&["execute"]), Arc::clone(&journal));
    });
    assert_eq!(fake.ask(prompt("first")).await.unwrap_err(), TurnError::InputRequired);
    let asked: Vec<_> = journal.asked().into_iter().filter_map(|ask| ask.tool).collect();
    let [tool] = asked.as_slice() else { panic!("{asked:?}") };
    for (answer, choice) in [(json!({"approve": true}), "yes"), (json!({"approve": false}), "no")] {
        let journal = decided(tool.clone(), answer);
        let fake = Fake::new("asks").with(|start| {
            (start.tool_entries, start.journal) = (approve(&["execute"]), Arc::clone(&journal));
        });
        fake.ask(prompt("first")).await.unwrap();
        let answer = fake.log("messages").into_iter().find(|message| message["id"] == "ask-c1").unwrap();
        assert_eq!(answer["result"]["outcome"]["optionId"], choice);
    }
}

#[tokio::test]
async fn servers_go_in_by_stdin() {
    let env = [("DOCS_TOKEN".to_owned(), "t0ps3cret".to_owned())].into();
    let reach = Reach::Program { command: "docs".to_owned(), args: vec!["-x".to_owned()], env };
    let near = McpServer { name: "docs".to_owned(), reach };
    let fake = Fake::new("").with(|start| start.mcp_servers = vec![near.clone()]);
    fake.ask(prompt("first")).await.unwrap();
    let expected = json!([{"name": "docs", "command": "docs", "args": ["-x"],
        "env": [{"name": "DOCS_TOKEN", "value": "t0ps3cret"}]}]);
    assert_eq!(fake.requests("session/new")[0]["mcpServers"], expected);
    let reach = Reach::Address { url: "http://127.0.0.1:1/mcp".to_owned(), headers: [].into() };
    let far = McpServer { name: "far".to_owned(), reach };
    let fake = Fake::new("").with(|start| start.mcp_servers = vec![near, far]);
    assert!(fake.failure().await.contains("it cannot use 'far', which is a URL"));
}
