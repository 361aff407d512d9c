//! Claude Code.

use accord_contract::Meter;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use accord_executor::{ClaudeCodeExecutor, Delivery, Executor as _, Session, Start, Stop, TurnError};
use accord_test_support::{Reply, Script};
use serde_json::{Value, json};

use crate::session::{by_tool, desk, native, program, server, start, turn};
use crate::support::{Bench, installed, severity, signal, words};

/// The tool that Claude Code creates for a schema.
pub(crate) const STRUCTURED: &str = "StructuredOutput";

pub(crate) fn claude() -> Option<PathBuf> {
    installed("claude-code", "claude")
}

pub(crate) fn executor(bench: &Bench) -> Value {
    json!({"type": "claude-code", "command": "./agent-cli", "model": "claude-test", "env": {
        "HOME": bench.file("home"),
        "CLAUDE_CONFIG_DIR": bench.file("config"),
        "ANTHROPIC_BASE_URL": bench.model.url(),
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "CLAUDE_CODE_MAX_RETRIES": "1",
    }})
}

pub(crate) async fn bench(program: &std::path::Path, script: impl Into<Script>) -> Bench {
    let bench = Bench::new(program, script).await;
    bench.agent(&executor(&bench), &json!({"output_schema": severity()}));
    bench
}

/// The Claude Code sessions of the requests, as sent to the model's service.
pub(crate) fn sessions(bench: &Bench) -> BTreeSet<String> {
    let id = |body: &Value| {
        let user = body.pointer("/metadata/user_id").and_then(Value::as_str).unwrap();
        let user: Value = serde_json::from_str(user).unwrap();
        user.get("session_id").and_then(Value::as_str).unwrap().to_owned()
    };
    bench.requests().iter().map(|request| id(&request.body)).collect()
}

#[tokio::test]
async fn claude_meets_the_contract_at_the_first_try() {
    let Some(program) = claude() else { return };
    let bench = bench(&program, [Reply::tool(STRUCTURED, &json!({"severity": "high"})).usage(100, 20)]).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(&[("native", "accepted")]));
    let usage = &ran.report["usage"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(100), &json!(20)), "{ran:?}");
    assert!(usage["cost_usd"].as_f64().unwrap() > 0.0, "{ran:?}");
    let requests = bench.requests();
    assert!(
        requests[0].text().contains("You sort tickets.") && requests[0].text().contains("Nobody can log in")
    );
    assert!(!requests[0].tools().contains(&"Bash"), "{:?}", requests[0].tools());
    host.end().await;
}

#[tokio::test]
async fn claude_is_asked_again_in_the_same_process() {
    let Some(program) = claude() else { return };
    let replies = [
        Reply::tool(STRUCTURED, &json!({"severity": "urgent"})).usage(100, 20),
        Reply::tool(STRUCTURED, &json!({"severity": "high"})).usage(150, 20),
    ];
    let bench = bench(&program, replies).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(&[("native", "schema_invalid"), ("native", "accepted")]));
    assert_eq!(ran.report["usage"]["input_tokens"], json!(250), "{ran:?}");
    assert_eq!((bench.starts().len(), sessions(&bench).len(), bench.requests().len()), (1, 1, 2));
    let asked = bench.requests()[1].text();
    let said = ["Nobody can log in", "output-validation-error", "got \"urgent\""];
    assert!(said.iter().all(|words| asked.contains(words)), "{asked}");
    host.end().await;
}

/// Claude Code rejects an invalid value immediately, without reading the end of the model's stream,
/// which reports the tokens.
#[tokio::test]
async fn tokens_that_claude_does_not_report_are_counted() {
    let Some(program) = claude() else { return };
    let replies = [
        Reply::tool(STRUCTURED, &json!({"severity": "urgent"}))
            .usage(100, 20)
            .ends_late(Duration::from_secs(5)),
        Reply::tool(STRUCTURED, &json!({"severity": "high"})).usage(150, 20),
    ];
    let bench = bench(&program, replies).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(ran.report["usage"]["input_tokens"], json!(250), "{ran:?}");
    host.end().await;
}

#[tokio::test]
async fn claude_confirms_a_value_in_prose_in_the_same_session() {
    let Some(program) = claude() else { return };
    let replies =
        ["The format would be {\"severity\": \"low\"}.", "{\"severity\": \"high\"}"].map(Reply::text);
    let bench = bench(&program, replies).await;
    let options = json!({"strategy": "prompt", "embedded": "confirm", "max_retries": 1});
    bench.agent(&executor(&bench), &json!({"output_schema": severity(), "output_schema_options": options}));
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(&[("prompt", "unconfirmed"), ("prompt", "accepted")]));
    assert_eq!(sessions(&bench).len(), 1);
    let asked = bench.requests().last().unwrap().text();
    assert!(asked.contains("## The value that was found"), "{asked}");
    host.end().await;
}

#[tokio::test]
async fn claude_that_never_meets_the_contract_fails_the_run() {
    let Some(program) = claude() else { return };
    let severities = ["urgent", "dire"].map(|word| Reply::tool(STRUCTURED, &json!({"severity": word})));
    let bench = bench(&program, severities).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let error = &ran.report["error"];
    assert_eq!((&error["type"], &error["attempts"]), (&json!("output_schema_validation_failed"), &json!(2)));
    let expected = json!(["$.severity: expected one of \"low\", \"medium\", \"high\"; got \"dire\""]);
    assert_eq!(error["validation_errors"], expected, "{ran:?}");
    assert_eq!((bench.starts().len(), &ran.report["result_data"]), (1, &json!(null)));
    host.end().await;
}

#[tokio::test]
async fn prose_of_claude_is_validated_too() {
    let Some(program) = claude() else { return };
    // The CLI itself asks the model to call the tool, and the model does not.
    let replies =
        [Reply::text("I would call that severe."), Reply::text("Fine: {\"severity\": \"high\"} it is.")];
    let bench = bench(&program, replies).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(&[("native", "accepted")]));
    host.end().await;
}

#[tokio::test]
async fn an_error_of_claudes_model_fails_the_run_with_its_message() {
    let Some(program) = claude() else { return };
    let locked = Script::handler(|_, _| Reply::error(401, "invalid x-api-key"));
    let bench = bench(&program, locked).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    assert_eq!((ran.code, &ran.report["error"]["type"]), (Some(3), &json!("executor_failed")), "{ran:?}");
    let message = ran.report["error"]["message"].as_str().unwrap();
    assert!(message.contains("401") || message.contains("API key"), "{message}");
    host.end().await;
}

#[tokio::test]
async fn a_refusal_and_a_cut_of_claude_are_not_answers() {
    let Some(program) = claude() else { return };
    let refusing = bench(&program, Script::handler(|_, _| Reply::refusal("not that"))).await;
    let host = refusing.up().await;
    let ran = host.ask().await;
    assert_eq!((ran.code, &ran.report["error"]["type"]), (Some(3), &json!("model_refused")), "{ran:?}");
    host.end().await;
    let replies =
        [Reply::truncated("{\"severity\": "), Reply::text("\"high\"}"), Reply::text("That was all.")];
    let cutting = bench(&program, replies).await;
    cutting.agent(
        &executor(&cutting),
        &json!({"output_schema": severity(),
        "output_schema_options": {"strategy": "prompt"}}),
    );
    let host = cutting.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    host.end().await;
}

#[tokio::test]
async fn text_of_claude_before_tool_calls_is_not_an_answer() {
    let Some(program) = claude() else { return };
    let draft = json!({"severity": "low"}).to_string();
    let work = Reply::text(draft).and_tool("Read", &json!({"file_path": "starts"}));
    // After a cut, it continues by itself three times.
    let cuts = (0..4).map(|_| Reply::empty().cut_off());
    let replies: Vec<Reply> = [work]
        .into_iter()
        .chain(cuts)
        .chain([Reply::tool(STRUCTURED, &json!({"severity": "high"}))])
        .collect();
    let bench = bench(&program, replies).await;
    bench.agent(&executor(&bench), &json!({"output_schema": severity(), "tools": ["read_file"]}));
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(&[("native", "truncated"), ("native", "accepted")]));
    host.end().await;
}

#[tokio::test]
async fn a_session_of_claude_continues_after_a_kill() {
    let Some(program) = claude() else { return };
    // Killed in a later turn: in the first one it may not have written its transcript yet.
    let answer = |severity: &str| Reply::tool(STRUCTURED, &json!({"severity": severity}));
    let bench = bench(&program, [answer("high"), Reply::hang(), answer("low")]).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let session = ran.report["session_id"].as_str().unwrap();
    let killing = async {
        bench.model.wait_for_requests(2).await;
        signal("-KILL", bench.starts()[1]).await;
    };
    let resume = ["sessions", "resume", session, "And?"];
    let (ran, ()) = tokio::join!(host.run(&resume), killing);
    assert_eq!((ran.code, &ran.report["error"]["type"]), (Some(3), &json!("executor_failed")), "{ran:?}");
    let message = ran.report["error"]["message"].as_str().unwrap();
    assert!(message.contains("was killed by signal 9 before it answered"), "{message}");
    host.nothing_is_left().await;

    let ran = host.run(&["sessions", "resume", session, "And now?"]).await;
    assert_eq!(
        (ran.code, ran.report.pointer("/result/result_data")),
        (Some(0), Some(&json!({"severity": "low"}))),
        "{ran:?}"
    );
    let asked = bench.requests()[2].text();
    assert!(asked.contains("Nobody can log in") && asked.contains("And now?"), "{asked}");
    assert_eq!((bench.starts().len(), sessions(&bench).len()), (3, 1));

    // Without its transcript, it does not silently start a new session.
    std::fs::remove_dir_all(bench.path().join("config/projects")).unwrap();
    let ran = host.run(&["sessions", "resume", session, "And then?"]).await;
    let message = ran.report.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
    assert!(message.starts_with("the conversation of this session is gone"), "{ran:?}");
    assert_eq!(bench.requests().len(), 3);
    host.end().await;
}

#[tokio::test]
async fn claude_is_stopped_in_mid_turn() {
    let Some(program) = claude() else { return };
    let bench = bench(&program, [Reply::hang(), Reply::hang()]).await;
    let host = bench.up().await;
    let stopping = async {
        bench.model.wait_for_requests(1).await;
        let runs = host.run(&["runs", "list"]).await.report;
        let run = runs["items"][0]["run_id"].as_str().unwrap().to_owned();
        host.run(&["runs", "stop", &run]).await
    };
    let (ran, _) = tokio::join!(host.ask(), stopping);
    assert_eq!((ran.code, &ran.report["status"]), (Some(4), &json!("stopped")), "{ran:?}");
    host.nothing_is_left().await;
    let ran = host.run(&["run", "triage", "x", "--timeout", "4"]).await;
    assert_eq!(ran.code, Some(4), "{ran:?}");
    bench.model.wait_until_idle().await;
    host.end().await;
}

async fn open(bench: &Bench, start: Start) -> Box<dyn Session> {
    ClaudeCodeExecutor::new(std::env::vars_os(), server(bench)).open(start).await.unwrap()
}

#[tokio::test]
async fn claude_uses_the_mcp_servers_of_the_run() {
    let Some(file) = claude() else { return };
    let replies = [Reply::tool("mcp__my_desk__lookup", &json!({"key": "a"})), Reply::text("It says: noted.")];
    let bench = bench(&file, replies).await;
    let out = bench.file("calls");
    let good = desk(&bench, &out);
    let mut session = open(&bench, start(&bench, executor(&bench), vec![good.clone()])).await;
    let answer = turn(&mut session, Delivery::Text).await.unwrap();
    assert_eq!(answer.text, "It says: noted.");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "{\"key\": \"a\"}t0ps3cret\n");
    assert!(
        bench.requests()[1].last_text().contains("noted") || bench.requests()[1].text().contains("noted")
    );
    session.close().await;

    let bad = program("bad", "./nowhere", Vec::new());
    let mut session = open(&bench, start(&bench, executor(&bench), vec![good, bad])).await;
    let error = turn(&mut session, Delivery::Text).await.unwrap_err();
    let words = "Claude Code could not start the MCP server 'bad' (failed): check its command or address in the blueprint";
    assert_eq!(error, TurnError::Failed(words.to_owned()));
    session.close().await;
    assert_eq!(bench.requests().len(), 2);
}

/// Claude Code under contract starts another agent through Accord's tools and answers with its
/// result. Only the child answers `medium`.
#[tokio::test]
async fn claude_starts_another_agent_and_uses_its_result() {
    let Some(program) = claude() else { return };
    let script = Script::handler(|request, step| {
        let messages = request.body.get("messages").and_then(Value::as_array);
        let told = messages.and_then(|all| all.last()).map(Value::to_string).unwrap_or_default();
        match step {
            0 => Reply::tool(
                "mcp__accord__start_agent_session",
                &json!({"agent_name": "child", "parameters": {"ticket": "Nobody can log in"}}),
            ),
            _ if told.contains("tool_result") && told.contains("medium") => {
                Reply::tool(STRUCTURED, &json!({"severity": "medium"}))
            }
            _ => Reply::text(told),
        }
    });
    let bench = Bench::new(&program, script).await;
    let extra = json!({"output_schema": severity(), "mcp_servers": {"accord": {}}});
    bench.agent(&executor(&bench), &extra);
    let child = json!({
        "name": "child",
        "type": "procedural",
        "executor": {"type": "process", "command": "sh", "args": ["-c", "printf '{\"severity\": \"medium\"}'"]},
        "parameters_schema": {"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}},
        "output_schema": severity(),
    });
    let folder = bench.path().join(".accord/agents/child");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("agent.json"), child.to_string()).unwrap();
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("medium");
    assert!(
        bench.requests()[0].tools().contains(&"mcp__accord__run_workflow"),
        "{:?}",
        bench.requests()[0].tools()
    );
    let sessions = host.run(&["sessions", "list"]).await.report;
    let child =
        sessions["items"].as_array().unwrap().iter().find(|each| each["agent_name"] == "child").unwrap();
    assert_eq!(child["parent_session_id"], ran.report["session_id"], "{sessions}");
    host.end().await;
}

#[tokio::test]
async fn claude_submits_its_result() {
    let Some(file) = claude() else { return };
    let replies = [
        Reply::tool("mcp__accord_submit__submit_result", &json!({"severity": "low"})),
        Reply::text("Handed in."),
        Reply::tool(STRUCTURED, &json!({"severity": "high"})),
    ];
    let bench = bench(&file, replies).await;
    let mut session = open(&bench, start(&bench, executor(&bench), Vec::new())).await;
    let answer = turn(&mut session, by_tool(severity())).await.unwrap();
    let expected = (vec![r#"{"severity": "low"}"#.to_owned()], Stop::Submitted);
    assert_eq!((answer.submissions, answer.stop), expected);
    // Another delivery is another process, but the same conversation.
    let native = native(severity());
    let answer = turn(&mut session, native).await.unwrap();
    assert_eq!(answer.structured, Some(json!({"severity": "high"})));
    session.close().await;
    assert_eq!((bench.starts().len(), sessions(&bench).len()), (2, 1));
    assert!(bench.requests()[2].text().contains("Handed in."));
}

#[tokio::test]
async fn the_profile_matches_the_schemas_that_claude_rejects() {
    let Some(file) = claude() else { return };
    let bench = bench(&file, [Reply::tool(STRUCTURED, &json!({"value": [["a", 1]]}))]).await;
    for schema in [
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}),
        json!({"type": "object", "x-key": 1}),
        json!({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{}]}}}),
    ] {
        let mut session = open(&bench, start(&bench, executor(&bench), Vec::new())).await;
        let native = native(schema.clone());
        let error = turn(&mut session, native).await.unwrap_err();
        assert!(matches!(error, TurnError::SchemaRejected(_)), "{schema}: {error:?}");
        session.close().await;
    }
    assert_eq!(bench.requests().len(), 0);
    // Lowered by its profile, all of that is accepted.
    let source = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "x-key": "id",
        "required": ["id"],
        "unevaluatedProperties": false,
        "dependentRequired": {"when": ["id"]},
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
        "properties": {
            "id": {"type": "string", "pattern": "^[A-Z]{2}\\-[0-9]+$", "minLength": 1},
            "when": {"type": "string", "format": "date-time", "default": "now"},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "contains": {"const": "a"},
                     "minContains": 1},
            "map": {"type": "object", "additionalProperties": {"type": "number", "exclusiveMinimum": 0}},
            "node": {"$ref": "#/$defs/node"},
            "either": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"const": 1}}}]},
            "anything": true,
        },
    });
    let profile = accord_contract::lower::Profile::named("claude-code").unwrap();
    let lowered = accord_contract::lower::lower(
        &accord_contract::Schema::compile(&source, &Meter::default()).unwrap(),
        profile,
        &Meter::default(),
    )
    .unwrap();
    assert_eq!(lowered.refusal, None);
    let mut session = open(&bench, start(&bench, executor(&bench), Vec::new())).await;
    let native = native(lowered.schema.clone());
    let said = turn(&mut session, native).await;
    assert!(said.is_ok(), "{said:?} for {}", lowered.schema);
    session.close().await;
}
