//! One process per turn, if there is no app server.

use accord_executor::{Delivery, McpServer, Reach, Turn, TurnError};
use serde_json::json;

use super::fixture::{Fake, asked, prompt, said};

#[tokio::test]
async fn each_turn_is_a_process_in_the_same_thread() {
    let env = [("DOCS_TOKEN".to_owned(), "t0ps3cret".to_owned())].into();
    let reach = Reach::Program { command: "docs".to_owned(), args: Vec::new(), env };
    let server = McpServer { name: "docs".to_owned(), reach };
    let fake = Fake::without_app_server("").with(|start| {
        start.mcp_servers = vec![server];
        start.settings["model"] = json!("m");
    });
    let mut session = fake.open().await.unwrap();
    let first = said(session.as_mut(), "say \"hi\"").await.0.unwrap();
    assert_eq!((first.text.as_str(), first.usage.input_tokens, first.model.as_str()), ("begun", 10, "m"));
    let schema = json!({"type": "object"});
    let delivery = Delivery::Native { name: "result".to_owned(), schema };
    let second = asked(session.as_mut(), Turn { delivery, ..prompt("again") }).await.0.unwrap();
    assert_eq!((second.text.as_str(), second.usage.input_tokens), ("resumed", 10));
    assert_eq!(session.conversation().unwrap()["thread_id"], "01a1-thread");
    session.close().await;
    fake.nothing_is_left().await;
    let prompts = fake.log("prompts");
    assert_eq!(
        prompts,
        [json!("<instructions>\nBe short.\n</instructions>\n\nsay \"hi\"\n"), json!("again\n")]
    );
    let arguments = fake.log("arguments");
    let has = |index: usize, text: &str| arguments[index].as_array().unwrap().iter().any(|each| each == text);
    assert!(!has(0, "resume") && has(1, "resume") && has(1, "01a1-thread") && has(1, "--output-schema"));
    for text in
        ["analytics.enabled=false", "features.plugins=false", "sandbox_mode=\"read-only\"", "--json", "-"]
    {
        assert!(has(0, text) && has(1, text), "{text}: {arguments:?}");
    }
    assert!(!arguments[0].to_string().contains("t0ps3cret"), "no secret is an argument");
    assert_eq!(fake.log("environment")[0]["DOCS_TOKEN"], "t0ps3cret");
}

#[tokio::test]
async fn failures_are_classified_by_message() {
    let denied = Fake::without_app_server("denied").ask("first").await.unwrap_err();
    let words = "Codex failed: unexpected status 401 Unauthorized: bad key [redacted]";
    assert_eq!(denied, TurnError::Failed(words.to_owned()));
    let conversation = json!({"held_by": "codex", "thread_id": "01a1-thread"});
    let fake = Fake::without_app_server("lost").with(|start| start.conversation = Some(conversation));
    assert!(fake.failure().await.contains("Codex has no thread '01a1-thread'"));
}
