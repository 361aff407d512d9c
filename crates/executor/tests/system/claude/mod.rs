//! Claude Code, replaced by a shell script: its arguments, how its output is read, and that no
//! process is left.

mod approving;
mod bad;
mod fixture;
mod stopping;

use accord_executor::{Delivery, Event, McpServer, Reach, Stop, TurnError, Usage};
use serde_json::{Value, json};

use fixture::{Fake, RESULT, SPEAK, native, text};

fn usage(input_tokens: u64, output_tokens: u64, cost_usd: f64) -> Usage {
    Usage { input_tokens, output_tokens, cost_usd: Some(cost_usd) }
}

#[tokio::test]
async fn one_process_answers_turn_after_turn() {
    let fake = Fake::new(
        r#"
        read -r first; begin
        say m1 'I look around.'
        end '"structured_output":{"v":"a"},"result":"{\"v\":\"a\"}"' 10 5 0.25
        read -r second; begin
        say m2 prose
        end '"result":"prose"' 30 9 0.75
        read -r third; begin
        printf '%s\n' "$first" "$second" "$third" > "$LOG/heard"
        end '"result":"done"' 30 9 0.75"#,
    );
    let mut session = fake.open().await;
    let mut turn = text("one");
    turn.delivery = native();
    turn.system_prompt = "Be kind.".to_owned();
    let answer = fake.turn(&mut session, turn.clone()).await.unwrap();
    let expected = (Some(json!({"v": "a"})), r#"{"v":"a"}"#.to_owned(), Stop::Finished, usage(10, 5, 0.25));
    assert_eq!((answer.structured, answer.text, answer.stop, answer.usage), expected);
    turn.prompt = "two\nlines".to_owned();
    let answer = fake.turn(&mut session, turn.clone()).await.unwrap();
    assert_eq!((answer.structured, answer.text, answer.usage), (None, "prose".to_owned(), usage(20, 4, 0.5)));
    turn.prompt = "three".to_owned();
    let answer = fake.turn(&mut session, turn).await.unwrap();
    assert_eq!((answer.usage, answer.model.as_str()), (usage(0, 0, 0.0), "fake-model"));
    let used = json!({"input_tokens": 30, "output_tokens": 9, "cost_usd": 0.75});
    let kept = json!({"held_by": "claude-code", "session_id": "sid-1", "used": used});
    assert_eq!(session.conversation(), Some(kept));
    session.close().await;

    let heard: Vec<Value> =
        fake.log("heard").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said: Vec<&Value> = heard.iter().map(|line| &line["message"]["content"]).collect();
    assert_eq!(said, ["one", "two\nlines", "three"]);
    let arguments = fake.arguments(1);
    let schema = arguments.iter().position(|word| word == "--json-schema").unwrap();
    assert_eq!(arguments[schema + 1], r#"{"type":"object","required":["v"]}"#);
    assert!(!arguments.contains(&"--resume".to_owned()), "{arguments:?}");
    assert_eq!(fake.log("system"), "Be kind.");
    fake.nothing_is_left().await;
    assert_eq!(fake.started(), 1);
}

#[tokio::test]
async fn reports_what_happens() {
    let fake = Fake::new(
        r#"
        read -r line; begin
        echo '{"type":"assistant","session_id":"sid-1","message":{"id":"m1","model":"fake-model","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a"}}]}}'
        echo '{"type":"user","session_id":"sid-1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"the keys are sk-very-secret and labsecret-99"}]}}'
        echo '{"type":"system","subtype":"api_retry","session_id":"sid-1","error_status":529,"error":"overloaded","retry_delay_ms":500}'
        say m2 done
        end '"result":"done"' 1 1 0"#,
    );
    let mut session = fake.open().await;
    let events = fake.events(&mut session, text("go")).await;
    let (call_id, name) = (|| "t1".to_owned(), || "Read".to_owned());
    let expected = [
        Event::Message { text: "I look.".to_owned() },
        Event::ToolStarted { call_id: call_id(), name: name(), arguments: json!({"file_path": "a"}) },
        Event::ToolFinished {
            call_id: call_id(),
            name: name(),
            ok: true,
            output: "the keys are [redacted] and [redacted]".to_owned(),
        },
        Event::Retrying {
            reason: "HTTP 529 overloaded".to_owned(),
            milliseconds: 500,
            attempts: None,
            attempts_left: None,
            milliseconds_left: None,
        },
        Event::Message { text: "done".to_owned() },
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn another_delivery_resumes_in_another_process() {
    let fake = Fake::new(SPEAK);
    let mut session = fake.open().await;
    let mut turn = text("one");
    turn.delivery = native();
    fake.turn(&mut session, turn.clone()).await.unwrap();
    turn.delivery = Delivery::Text;
    let answer = fake.turn(&mut session, turn.clone()).await.unwrap();
    // The totals of the CLI continue.
    assert_eq!(answer.usage, usage(10, 5, 0.25));
    turn.system_prompt = "New.".to_owned();
    fake.turn(&mut session, turn.clone()).await.unwrap();
    turn.model = Some("stronger".to_owned());
    fake.turn(&mut session, turn).await.unwrap();
    assert_eq!(fake.started(), 4);
    let second = fake.arguments(2).join(" ");
    assert!(second.contains("--resume sid-1 --system-prompt-snapshot off"), "{second}");
    assert!(!second.contains("--json-schema") && fake.arguments(1).join(" ").contains("--json-schema"));
    assert!(fake.arguments(4).join(" ").contains("--model stronger"));
    session.close().await;
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn resumes_after_an_exit_and_in_a_new_session() {
    let script = format!("{SPEAK}\n");
    let fake = Fake::new(&script.replace("while read -r line; do", "while read -r line; do NEXT=exit"));
    let mut session = fake.open().await;
    fake.turn(&mut session, text("one")).await.unwrap();
    fake.nothing_is_left().await;
    fake.turn(&mut session, text("two")).await.unwrap();
    assert!(fake.arguments(2).join(" ").contains("--resume sid-1"));
    let kept = session.conversation();
    session.close().await;
    let mut start = fake.start();
    start.conversation = kept;
    let mut session = fake.open_with(start).await.unwrap();
    let answer = fake.turn(&mut session, text("three")).await.unwrap();
    assert!(fake.arguments(3).join(" ").contains("--resume sid-1"));
    assert_eq!(answer.usage, usage(10, 5, 0.25));
}

fn submit_tool() -> Delivery {
    Delivery::Tool {
        name: "submit_result".to_owned(),
        description: "Takes the result.".to_owned(),
        schema: json!({"type": "object"}),
        strict: false,
        force: false,
    }
}

#[tokio::test]
async fn results_are_submitted_by_the_submit_tool() {
    let fake = Fake::new(
        r#"
        out=$(sed 's/.*"--out","\([^"]*\)".*/\1/' "$MCP"); cp "$MCP" "$LOG/mcp"
        SERVERS='{"name":"accord_submit","status":"connected"}'
        tool() { echo '{"type":"assistant","session_id":"sid-1","message":{"id":"'$1'","model":"fake-model","content":[{"type":"tool_use","id":"t'$1'","name":"mcp__accord_submit__submit_result","input":{}}]}}'; }
        read -r line; begin
        tool m1; echo '{"v":"early"}' >> "$out"
        tool m2; echo '{"v":"a","v":"b"}' >> "$out"
        end '"result":"I have handed it in."' 1 1 0
        read -r line; begin
        end '"result":"prose"' 1 1 0"#,
    );
    let mut session = fake.open().await;
    let mut turn = text("one");
    turn.delivery = submit_tool();
    let answer = fake.turn(&mut session, turn.clone()).await.unwrap();
    let submissions = vec![r#"{"v":"a","v":"b"}"#.to_owned()];
    assert_eq!((answer.submissions, answer.stop), (submissions, Stop::Submitted));
    let answer = fake.turn(&mut session, turn).await.unwrap();
    assert_eq!((answer.submissions, answer.stop, answer.text.as_str()), (vec![], Stop::Finished, "prose"));
    let config: Value = serde_json::from_str(&fake.log("mcp")).unwrap();
    let server = &config["mcpServers"]["accord_submit"];
    assert_eq!((&server["command"], &server["args"][0]), (&json!("accord-stand-in"), &json!("submit")));
    assert!(fake.arguments(1).join(" ").contains("--allowedTools mcp__accord_submit"));
}

#[tokio::test]
async fn submissions_of_subagents_do_not_count() {
    let fake = Fake::new(
        r#"
        out=$(sed 's/.*"--out","\([^"]*\)".*/\1/' "$MCP")
        SERVERS='{"name":"accord_submit","status":"connected"}'
        tool() { echo '{"type":"assistant","session_id":"sid-1","parent_tool_use_id":'$2',"message":{"id":"'$1'","model":"fake-model","content":[{"type":"tool_use","id":"t'$1'","name":"mcp__accord_submit__submit_result","input":{}}]}}'; }
        read -r line; begin
        tool m1 '"task"'; echo '{"v":"inside"}' >> "$out"
        end '"result":"I do not believe it."' 1 1 0
        read -r line; begin
        tool m2 null; echo '{"v":"ours"}' >> "$out"
        tool m3 '"task"'; echo '{"v":"inside"}' >> "$out"
        end '"result":"done"' 1 1 0"#,
    );
    let mut session = fake.open().await;
    let mut turn = text("one");
    turn.delivery = submit_tool();
    let answer = fake.turn(&mut session, turn.clone()).await.unwrap();
    assert_eq!((answer.submissions, answer.stop), (vec![], Stop::Finished));
    let answer = fake.turn(&mut session, turn).await.unwrap();
    assert_eq!((answer.submissions, answer.stop), (vec![r#"{"v":"ours"}"#.to_owned()], Stop::Submitted));
}

#[tokio::test]
async fn secrets_of_servers_are_in_a_temporary_file() {
    let fake = Fake::new(&format!(
        r#"
        cp "$MCP" "$LOG/mcp"; echo "$MCP" > "$LOG/path"; stat -c %a "$MCP" > "$LOG/mode"
        SERVERS='{{"name":"docs","status":"connected"}}'
        {SPEAK}"#
    ));
    let mut start = fake.start();
    let headers = [("Authorization".to_owned(), "Bearer sk-hidden".to_owned())].into();
    let reach = Reach::Address { url: "http://127.0.0.1:1/mcp".to_owned(), headers };
    start.mcp_servers = vec![McpServer { name: "docs".to_owned(), reach }];
    let mut session = fake.open_with(start).await.unwrap();
    fake.turn(&mut session, text("one")).await.unwrap();
    session.close().await;
    assert!(fake.log("mcp").contains("sk-hidden"));
    assert!(!fake.arguments(1).join(" ").contains("sk-hidden"));
    assert_eq!(fake.log("mode"), "600\n");
    assert!(!std::path::Path::new(fake.log("path").trim()).exists());
}

#[tokio::test]
async fn the_environment_excludes_accords_variables() {
    let fake = Fake::new(&format!("env > \"$LOG/env\"\n{SPEAK}"));
    let mut session = fake.open().await;
    fake.turn(&mut session, text("one")).await.unwrap();
    let environment = fake.log("env");
    for expected in [
        "KEPT=yes",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
        "DISABLE_TELEMETRY=1",
        "DISABLE_ERROR_REPORTING=1",
        "DISABLE_AUTOUPDATER=1",
        "MAX_STRUCTURED_OUTPUT_RETRIES=1",
        "CLAUDE_CODE_MAX_RETRIES=3",
    ] {
        assert!(environment.lines().any(|line| line == expected), "{expected} in {environment}");
    }
    assert!(!environment.contains("ACCORD_") && !environment.contains("CLAUDECODE="), "{environment}");
}

/// Its model runs commands, which have the same environment.
#[tokio::test]
async fn keys_of_other_providers_are_not_in_the_environment() {
    let fake = Fake::new(&format!("env > \"$LOG/env\"\n{SPEAK}"));
    let mut session = fake.open().await;
    fake.turn(&mut session, text("one")).await.unwrap();
    let environment = fake.log("env");
    let held = |name: &str| environment.lines().any(|line| line.starts_with(&format!("{name}=")));
    assert_eq!(["LABKEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"].map(held), [false, false, true]);
}

#[tokio::test]
async fn a_turn_that_fails_leaves_the_process_for_the_next() {
    let fake = Fake::new(&format!(
        r#"
        read -r line; begin
        echo '{{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":529,"result":"overloaded","session_id":"sid-1"}}'
        read -r line; begin
        {RESULT}"#
    ));
    let mut session = fake.open().await;
    let error = fake.turn(&mut session, text("one")).await.unwrap_err();
    assert!(matches!(error, TurnError::Transport(_)), "{error:?}");
    fake.turn(&mut session, text("two")).await.unwrap();
    assert_eq!(fake.started(), 1);
}
