//! A CLI that is missing, prints nonsense, or crashes: a clear error, and no process is left.

use accord_executor::{Delivery, McpServer, OpenError, Reach, Stop, TurnError};
use serde_json::{Value, json};

use super::fixture::{Fake, SPEAK, native, text};

/// A grandchild that would outlive the script if it were not killed.
const GRANDCHILD: &str = "sleep 300 & echo $! >> \"$LOG/pids\"\n";

async fn failed(script: &str) -> String {
    match Fake::new(&format!("{GRANDCHILD}{script}")).fails(Delivery::Text).await {
        TurnError::Failed(text) => text,
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn invalid_output_is_quoted() {
    assert_eq!(
        failed("read -r line; echo hello; cat").await,
        "Claude Code wrote a line that is not JSON: 'hello'"
    );
    assert_eq!(failed("read -r line; printf '\\377\\n'; cat").await, "Claude Code wrote invalid UTF-8");
    let endless = "read -r line; head -c 100000000 /dev/zero | tr '\\0' x; echo; cat";
    assert_eq!(failed(endless).await, "Claude Code wrote a line of more than 16 MiB");
}

#[tokio::test]
async fn an_early_exit_is_reported_with_the_end_of_stderr() {
    assert_eq!(
        failed("read -r line; begin; printf '{\"type\":'; echo broken >&2; exit 7").await,
        "Claude Code exited with code 7 in the middle of a line; last lines of stderr:\nbroken"
    );
    assert_eq!(failed("exit 0").await, "Claude Code exited with code 0 before it answered; stderr is empty");
    assert_eq!(
        failed("read -r line; kill -9 $$").await,
        "Claude Code was killed by signal 9 before it answered; stderr is empty"
    );
    assert_eq!(
        failed("echo \"key $FAKE_API_KEY refused\" >&2; exit 1").await,
        "Claude Code exited with code 1 before it answered; last lines of stderr:\nkey [redacted] refused"
    );
}

#[tokio::test]
async fn another_session_is_rejected() {
    let start = "Claude Code answered for another session: 'sid-2' instead of 'sid-1'";
    let other = r#"echo '{"type":"result","is_error":false,"result":"mine","session_id":"sid-2"}'"#;
    assert_eq!(failed(&format!("read -r line; begin; {other}; cat")).await, start);
    let fake = Fake::new(&format!("ID=sid-2\n{SPEAK}"));
    let mut start_with = fake.start();
    start_with.conversation = Some(json!({"held_by": "claude-code", "session_id": "sid-1"}));
    let mut session = fake.open_with(start_with).await.unwrap();
    let error = fake.turn(&mut session, text("go")).await.unwrap_err();
    assert_eq!(error, TurnError::Failed(start.to_owned()));
    // The stored conversation is still the requested one.
    assert_eq!(session.conversation().unwrap()["session_id"], "sid-1");
    session.close().await;
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn text_before_tool_calls_is_not_an_answer() {
    let work = r#"
        read -r line; begin
        say m1 '{\"n\": 0}'
        echo '{"type":"assistant","session_id":"sid-1","message":{"id":"m1","model":"fake-model","content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}'
        echo '{"type":"user","session_id":"sid-1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}'"#;
    let cut = r#"
        echo '{"type":"assistant","session_id":"sid-1","error":"max_output_tokens","message":{"id":"m2","content":[]}}'
        echo '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","session_id":"sid-1","result":"API Error: exceeded"}'"#;
    let spent = r#"
        echo '{"type":"result","subtype":"error_max_structured_output_retries","is_error":true,"terminal_reason":"structured_output_retry_exhausted","session_id":"sid-1"}'"#;
    for (end, stop) in [(cut, Stop::Truncated), (spent, Stop::Finished)] {
        let fake = Fake::new(&format!("{work}{end}\ncat"));
        let mut session = fake.open().await;
        let answer = fake.turn(&mut session, text("go")).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.stop), ("", stop));
        session.close().await;
    }
}

#[tokio::test]
async fn a_missing_conversation_is_not_silently_restarted() {
    let by_line = r#"read -r line; echo '{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"sid-1","errors":["No conversation found with session ID: sid-1"]}'; exit 1"#;
    let by_stderr = "echo 'No conversation found with session ID: sid-1' >&2; exit 1";
    for script in [by_line, by_stderr] {
        let fake = Fake::new(script);
        let mut start = fake.start();
        start.conversation = Some(json!({"held_by": "claude-code", "session_id": "sid-1"}));
        let mut session = fake.open_with(start).await.unwrap();
        let error = fake.turn(&mut session, text("go")).await.unwrap_err();
        let TurnError::Failed(words) = error else { panic!("{error:?}") };
        assert!(words.starts_with("the conversation of this session is gone"), "{words}");
        assert_eq!(fake.started(), 1);
    }
}

#[tokio::test]
async fn reports_a_schema_that_is_rejected_at_the_start() {
    let script = "echo 'Error: --json-schema is not a valid JSON Schema: strict mode: unknown keyword: \"x-key\"' >&2\nexit 1";
    let error = Fake::new(script).fails(native()).await;
    let words = "Error: --json-schema is not a valid JSON Schema: strict mode: unknown keyword: \"x-key\"";
    assert_eq!(error, TurnError::SchemaRejected(words.to_owned()));
    let properties: serde_json::Map<String, Value> =
        (0..9000).map(|number| (format!("property_{number}"), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let fake = Fake::new(SPEAK);
    let mut session = fake.open().await;
    let mut turn = text("go");
    turn.delivery = Delivery::Native { name: "result".to_owned(), schema };
    let error = fake.turn(&mut session, turn).await.unwrap_err();
    assert!(matches!(error, TurnError::SchemaRejected(_)), "{error:?}");
}

#[tokio::test]
async fn an_mcp_server_that_does_not_start_fails_the_turn_and_is_named() {
    let fake = Fake::new(&format!(
        "{GRANDCHILD}SERVERS='{{\"name\":\"good\",\"status\":\"connected\"}},{{\"name\":\"bad\",\"status\":\"failed\"}}'\n{SPEAK}"
    ));
    let mut start = fake.start();
    let reach = || Reach::Program { command: "x".to_owned(), args: Vec::new(), env: [].into() };
    start.mcp_servers =
        ["good", "bad", "lost"].map(|name| McpServer { name: name.to_owned(), reach: reach() }).into();
    let mut session = fake.open_with(start).await.unwrap();
    let error = fake.turn(&mut session, text("go")).await.unwrap_err();
    let words = "Claude Code could not start the MCP server 'bad' (failed), 'lost' (unknown to it): check its command or \
                 address in the blueprint";
    assert_eq!(error, TurnError::Failed(words.to_owned()));
    session.close().await;
    fake.nothing_is_left().await;
    let submit = Delivery::Tool {
        name: "submit_result".to_owned(),
        description: String::new(),
        schema: json!({"type": "object"}),
        strict: false,
        force: false,
    };
    let error = Fake::new(SPEAK).fails(submit).await;
    assert!(matches!(error, TurnError::ToolRejected(_)), "{error:?}");
}

#[tokio::test]
async fn reports_why_a_server_cannot_be_opened() {
    let fake = Fake::new(SPEAK);
    let refused = async |change: fn(&mut accord_executor::Start)| {
        let mut start = fake.start();
        change(&mut start);
        fake.open_with(start).await.err().unwrap()
    };
    let error = refused(|start| start.settings["command"] = json!("./nowhere")).await;
    assert!(matches!(error, OpenError::Missing(_)) && error.to_string().contains("'./nowhere'"), "{error}");
    let error = refused(|start| start.settings["args"] = json!(["--resume", "x"])).await;
    assert!(matches!(error, OpenError::Settings(_)) && error.to_string().contains("'--resume'"), "{error}");
    let error = refused(|start| start.tools = vec!["fly".to_owned()]).await;
    assert!(matches!(error, OpenError::Settings(_)) && error.to_string().contains("'fly'"), "{error}");
    let error = refused(|start| start.conversation = Some(json!({"messages": []}))).await;
    assert!(error.to_string().contains("was not created by Claude Code"), "{error}");
    let error = refused(|start| start.project_dir.push("gone")).await;
    assert!(
        matches!(error, OpenError::Missing(_)) && error.to_string().contains("project folder"),
        "{error}"
    );
}
