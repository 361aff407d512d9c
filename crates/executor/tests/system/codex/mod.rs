//! The codex executor, with a script instead of Codex.

mod approving;
mod bad;
mod exec;
mod fixture;

use accord_executor::{Answer, Delivery, Event, McpServer, Reach, Turn, Usage};
use serde_json::{Value, json};

use fixture::{Fake, asked, prompt, said};

fn requests(fake: &Fake, method: &str) -> Vec<Value> {
    let of = |message: &Value| (message["method"] == method).then(|| message["params"].clone());
    fake.log("messages").iter().filter_map(of).collect()
}

#[tokio::test]
async fn a_live_thread_is_re_prompted_in_place() {
    let fake = Fake::new("");
    let mut session = fake.open().await.unwrap();
    assert_eq!(session.conversation(), None);
    let capabilities = session.capabilities();
    assert_eq!((capabilities.native.as_deref(), capabilities.reprompt), (Some("openai"), true));
    let (first, events) = said(session.as_mut(), "first").await;
    let usage = Usage { input_tokens: 10, output_tokens: 5, cost_usd: None };
    assert_eq!(first.unwrap(), Answer { usage, ..Answer::of_text("one", "fake-model") });
    let message = |text: &str| Event::Message { text: text.to_owned() };
    let (call_id, name) = ("c1".to_owned(), "shell".to_owned());
    let arguments = json!({"command": "ls"});
    let started = Event::ToolStarted { call_id: call_id.clone(), name: name.clone(), arguments };
    let finished = Event::ToolFinished { call_id, name, ok: true, output: "[redacted]\n".to_owned() };
    let events: Vec<Event> =
        events.into_iter().filter(|event| !matches!(event, Event::Conversation(_))).collect();
    assert_eq!(events, [started, finished, message("on the way"), message("one")]);
    let schema = json!({"type": "object"});
    let delivery = Delivery::Native { name: "result".to_owned(), schema: schema.clone() };
    let turn = Turn { delivery, model: Some("strong".to_owned()), ..prompt("second") };
    let second = asked(session.as_mut(), turn).await.0.unwrap();
    assert_eq!(second.text, r#"{"turn": 2, "prompt": "second"}"#, "told nothing that it knows already");
    assert_eq!((second.usage.input_tokens, second.model.as_str()), (10, "strong"), "usage is the difference");
    let other = Turn { system_prompt: "Be long.".to_owned(), ..prompt("third") };
    let third = asked(session.as_mut(), other).await.0.unwrap();
    assert!(third.text.contains("<instructions>\\nBe long.\\n</instructions>\\n\\nthird"), "{}", third.text);
    let held = session.conversation().unwrap();
    assert_eq!((&held["thread_id"], &held["used"]["input_tokens"]), (&json!("01a1-thread"), &json!(30)));
    session.close().await;
    fake.nothing_is_left().await;
    assert_eq!(fake.log("pids").len(), 1);
    let start = &requests(&fake, "thread/start")[0];
    assert_eq!(
        (&start["developerInstructions"], &start["approvalPolicy"]),
        (&json!("Be short."), &json!("never"))
    );
    let turns = requests(&fake, "turn/start");
    assert_eq!((&turns[0]["outputSchema"], &turns[1]["outputSchema"]), (&Value::Null, &schema));
    assert_eq!((&turns[0]["model"], &turns[1]["model"]), (&Value::Null, &json!("strong")));
    let declined = fake.log("messages").into_iter().find(|message| message["id"] == "ask-1").unwrap();
    assert_eq!(declined["error"]["message"], "there is no interactive user");
    assert!(fake.path().join("home").is_dir(), "its home is made");
}

#[tokio::test]
async fn a_thread_is_resumed_by_another_process() {
    let fake = Fake::new("");
    let mut session = fake.open().await.unwrap();
    said(session.as_mut(), "first").await.0.unwrap();
    let conversation = session.conversation();
    session.close().await;
    let fake = Fake::new("").with(|start| start.conversation.clone_from(&conversation));
    let answer = fake.ask("again").await.unwrap();
    assert_eq!(answer.text, r#"{"turn": 1, "prompt": "again"}"#);
    assert_eq!(requests(&fake, "thread/resume")[0]["threadId"], "01a1-thread");
    let lost = Fake::new("lost").with(|start| start.conversation.clone_from(&conversation));
    let text = lost.failure().await;
    assert!(
        text.contains("Codex has no thread '01a1-thread'") && text.ends_with("start a new session"),
        "{text}"
    );
    let foreign = json!({"held_by": "claude-code", "session_id": "a"});
    let other = Fake::new("").with(|start| start.conversation = Some(foreign));
    let error = other.open().await.err().unwrap().to_string();
    assert!(error.contains("was not created by Codex"), "{error}");
}

#[tokio::test]
async fn servers_and_the_submit_tool_are_passed_on_stdin() {
    let env = [("DOCS_TOKEN".to_owned(), "t0ps3cret".to_owned())].into();
    let reach = Reach::Program { command: "docs".to_owned(), args: Vec::new(), env };
    let server = McpServer { name: "docs".to_owned(), reach };
    let fake = Fake::new("").with(|start| start.mcp_servers = vec![server.clone()]);
    let mut session = fake.open().await.unwrap();
    said(session.as_mut(), "first").await.0.unwrap();
    let delivery = Delivery::Tool {
        name: "submit_result".to_owned(),
        description: "hands in".to_owned(),
        schema: json!({"type": "object"}),
        strict: false,
        force: false,
    };
    asked(session.as_mut(), Turn { delivery, ..prompt("second") }).await.0.unwrap();
    session.close().await;
    fake.nothing_is_left().await;
    assert_eq!(fake.log("pids").len(), 2, "a thread keeps the servers that it was opened with");
    let config = &requests(&fake, "thread/start")[0]["config"]["mcp_servers"];
    assert_eq!(config["docs"]["env"], json!({"DOCS_TOKEN": "t0ps3cret"}));
    let config = &requests(&fake, "thread/resume")[0]["config"]["mcp_servers"];
    assert_eq!(
        (&config["accord_submit"]["command"], &config["docs"]["required"]),
        (&json!("accord"), &json!(true))
    );
    let broken = Fake::new("bad-server").with(|start| start.mcp_servers = vec![server]);
    assert!(broken.failure().await.contains("docs: no such file"));
}
