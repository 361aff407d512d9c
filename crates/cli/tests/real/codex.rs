//! Codex: through its app server, and through `codex exec` if there is none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use accord_executor::{
    CodexExecutor, Delivery, Event, Events, Executor as _, Session, Start, Stop, TurnError,
};
use accord_test_support::{Reply, Script};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::session::{by_tool, desk, native, program, server, start, turn, turn_with};
use crate::support::{Bench, installed, severity, signal, words};

pub(crate) fn codex() -> Option<PathBuf> {
    installed("codex", "codex")
}

pub(crate) fn said(word: &str) -> Reply {
    Reply::text(json!({"severity": word}).to_string())
}

pub(crate) fn executor(bench: &Bench) -> Value {
    let no_repetitions =
        ["request_max_retries", "stream_max_retries"].map(|key| format!("model_providers.accord.{key}=0"));
    let args: Vec<&str> = no_repetitions.iter().flat_map(|key| ["-c", key]).collect();
    json!({"type": "codex", "command": "./agent-cli", "model": "gpt-test", "args": args, "env": {
        "HOME": bench.file("home"),
        "CODEX_HOME": bench.file("config"),
        "OPENAI_BASE_URL": bench.model.openai_url(),
        "OPENAI_API_KEY": "sk-test-of-accord",
    }})
}

pub(crate) async fn bench(program: &Path, script: impl Into<Script>) -> Bench {
    let bench = Bench::new(program, script).await;
    bench.agent(&executor(&bench), &json!({"output_schema": severity()}));
    bench
}

/// The interface of Codex that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    AppServer,
    Exec,
}

const WAYS: [Way; 2] = [Way::AppServer, Way::Exec];

async fn bench_by(way: Way, program: &Path, script: impl Into<Script>) -> Bench {
    match way {
        Way::AppServer => bench(program, script).await,
        Way::Exec => bench_of_exec(program, script).await,
    }
}

/// A Codex without an app server.
async fn bench_of_exec(program: &Path, script: impl Into<Script>) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    let text = format!("#!/bin/sh\n[ \"$1\" = app-server ] && exit 2\nexec '{}' \"$@\"\n", program.display());
    std::fs::write(&old, text).unwrap();
    let bench = bench(Path::new("/bin/sh"), script).await;
    std::fs::copy(&old, bench.path().join("old")).unwrap();
    let wrapper =
        format!("#!/bin/sh\necho $$ >> '{}'\nexec sh '{}' \"$@\"\n", bench.file("starts"), bench.file("old"));
    std::fs::write(bench.path().join("wrapper"), wrapper).unwrap();
    let mut install = std::process::Command::new("install");
    install.args(["-m", "755", "wrapper", "agent-cli"]).current_dir(bench.path());
    assert!(install.status().unwrap().success());
    bench
}

/// The Codex threads of the requests, as sent to the model's service.
pub(crate) fn threads(bench: &Bench) -> BTreeSet<String> {
    bench.requests().iter().map(|request| request.body.get("prompt_cache_key").unwrap().to_string()).collect()
}

#[tokio::test]
async fn codex_meets_the_contract_at_the_first_try() {
    let Some(program) = codex() else { return };
    let bench = bench(&program, [said("high").usage(100, 20)]).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(&[("native", "accepted")]));
    let usage = &ran.report["usage"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(100), &json!(20)), "{ran:?}");
    let requests = bench.requests();
    let asked = requests[0].body.to_string();
    assert!(asked.contains("You sort tickets.") && asked.contains("Nobody can log in"), "{asked}");
    assert_eq!((requests[0].model(), requests[0].schema().is_some()), ("gpt-test", true));
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-test-of-accord"));
    host.end().await;
}

#[tokio::test]
async fn codex_is_asked_again_in_the_same_thread() {
    let Some(program) = codex() else { return };
    for way in WAYS {
        let replies = [said("urgent").usage(100, 20), said("high").usage(150, 20)];
        let bench = bench_by(way, &program, replies).await;
        let host = bench.up().await;
        let ran = host.ask().await;
        ran.gave("high");
        assert_eq!(host.attempts(&ran).await, words(&[("native", "schema_invalid"), ("native", "accepted")]));
        assert_eq!(ran.report["usage"]["input_tokens"], json!(250), "{ran:?}");
        // Without an app server there is a process for each turn, after the one that finds out.
        let starts = if way == Way::AppServer { 1 } else { 3 };
        assert_eq!((bench.starts().len(), threads(&bench).len(), bench.requests().len()), (starts, 1, 2));
        let asked = bench.requests()[1].body.to_string();
        let told = ["Nobody can log in", "output-validation-error", "got \\\"urgent\\\""];
        assert!(told.iter().all(|words| asked.contains(words)), "{asked}");
        host.end().await;
    }
}

#[tokio::test]
async fn codex_confirms_a_value_in_prose_in_the_same_thread() {
    let Some(program) = codex() else { return };
    for way in WAYS {
        let prose = Reply::text("The format would be {\"severity\": \"low\"}.");
        let bench = bench_by(way, &program, [prose, said("high")]).await;
        let options = json!({"strategy": "prompt", "embedded": "confirm", "max_retries": 1});
        bench.agent(
            &executor(&bench),
            &json!({"output_schema": severity(), "output_schema_options": options}),
        );
        let host = bench.up().await;
        let ran = host.ask().await;
        ran.gave("high");
        assert_eq!(host.attempts(&ran).await, words(&[("prompt", "unconfirmed"), ("prompt", "accepted")]));
        assert_eq!(threads(&bench).len(), 1);
        let asked = bench.requests()[1].body.to_string();
        assert!(asked.contains("## The value that was found"), "{asked}");
        host.end().await;
    }
}

#[tokio::test]
async fn codex_that_never_meets_the_contract_fails_the_run() {
    let Some(program) = codex() else { return };
    let bench = bench(&program, [said("urgent"), said("dire")]).await;
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
async fn prose_of_codex_is_validated_and_re_prompted() {
    let Some(program) = codex() else { return };
    let replies =
        [Reply::text("I would call that severe."), Reply::text("Fine: {\"severity\": \"high\"} it is.")];
    let bench = bench(&program, replies).await;
    let host = bench.up().await;
    let ran = host.ask().await;
    ran.gave("high");
    assert_eq!(host.attempts(&ran).await, words(&[("native", "no_json"), ("native", "accepted")]));
    host.end().await;
}

#[tokio::test]
async fn errors_of_codexs_model_are_classified() {
    let Some(program) = codex() else { return };
    let locked = bench(&program, Script::handler(|_, _| Reply::error(401, "invalid key"))).await;
    let host = locked.up().await;
    let ran = host.ask().await;
    assert_eq!((ran.code, &ran.report["error"]["type"]), (Some(3), &json!("executor_failed")), "{ran:?}");
    let message = ran.report["error"]["message"].as_str().unwrap();
    assert!(message.contains("401") && message.contains("invalid key"), "{message}");
    assert!(!ran.report.to_string().contains("sk-test-of-accord"), "{ran:?}");
    host.end().await;
    type Case = (fn() -> Reply, fn(&TurnError) -> bool);
    let cases: [Case; 3] = [
        (|| Reply::error(503, "busy"), |error| matches!(error, TurnError::Transport(_))),
        (|| Reply::error(429, "slow down"), |error| matches!(error, TurnError::Transport(_))),
        (
            || Reply::schema_rejected("Invalid schema for response_format 'codex_output_schema'"),
            |error| matches!(error, TurnError::SchemaRejected(_)),
        ),
    ];
    for way in WAYS {
        for (reply, fits) in cases {
            let script = Script::handler(move |_, _| reply());
            let bench = bench_by(way, &program, script).await;
            let mut session = open(&bench, start(&bench, executor(&bench), Vec::new())).await;
            let native = native(severity());
            let error = turn(&mut session, native).await.unwrap_err();
            assert!(fits(&error), "{error:?}");
            session.close().await;
        }
    }
}

#[tokio::test]
async fn a_refusal_and_a_cut_of_codex_are_not_answers() {
    let Some(program) = codex() else { return };
    for way in WAYS {
        let refusing = Script::handler(|_, _| Reply::refusal("not that"));
        let bench_of_refusal = bench_by(way, &program, refusing).await;
        let host = bench_of_refusal.up().await;
        let ran = host.ask().await;
        assert_eq!((ran.code, &ran.report["error"]["type"]), (Some(3), &json!("model_refused")), "{ran:?}");
        host.end().await;
        let replies = [Reply::truncated("{\"severity\": "), said("high")];
        let cutting = bench_by(way, &program, replies).await;
        let host = cutting.up().await;
        let ran = host.ask().await;
        ran.gave("high");
        assert_eq!(host.attempts(&ran).await, words(&[("native", "truncated"), ("native", "accepted")]));
        host.end().await;
    }
}

#[tokio::test]
async fn text_of_codex_before_tool_calls_is_not_an_answer() {
    let Some(program) = codex() else { return };
    let work = || said("low").and_tool("exec_command", &json!({"cmd": "true"}));
    for way in WAYS {
        let refusing = [work(), Reply::refusal("not that")];
        let refusing = bench_by(way, &program, refusing).await;
        let host = refusing.up().await;
        let ran = host.ask().await;
        assert_eq!((ran.code, &ran.report["error"]["type"]), (Some(3), &json!("model_refused")), "{ran:?}");
        host.end().await;
        let cutting = [work(), Reply::empty().cut_off(), said("high")];
        let cutting = bench_by(way, &program, cutting).await;
        let host = cutting.up().await;
        let ran = host.ask().await;
        ran.gave("high");
        assert_eq!(host.attempts(&ran).await, words(&[("native", "truncated"), ("native", "accepted")]));
        host.end().await;
        // A command that it left running ends with the turn, after the answer.
        let leaving = Reply::tool("exec_command", &json!({"cmd": "sleep 2", "yield_time_ms": 250}));
        let leaving = [leaving, said("high")];
        let leaving = bench_by(way, &program, leaving).await;
        let host = leaving.up().await;
        let ran = host.ask().await;
        assert_eq!(host.attempts(&ran).await, words(&[("native", "accepted")]), "{ran:?}");
        host.end().await;
    }
}

#[tokio::test]
async fn a_session_of_codex_continues_after_a_kill() {
    let Some(program) = codex() else { return };
    for way in WAYS {
        let replies = [Reply::hang(), said("low")];
        let bench = bench_by(way, &program, replies).await;
        let host = bench.up().await;
        let killing = async {
            bench.model.wait_for_requests(1).await;
            signal("-KILL", *bench.starts().last().unwrap()).await;
        };
        let (ran, ()) = tokio::join!(host.ask(), killing);
        assert_eq!((ran.code, &ran.report["error"]["type"]), (Some(3), &json!("executor_failed")), "{ran:?}");
        let message = ran.report["error"]["message"].as_str().unwrap();
        assert!(message.contains("was killed by signal 9 before it answered"), "{message}");
        host.nothing_is_left().await;

        let session = ran.report["session_id"].as_str().unwrap();
        let ran = host.run(&["sessions", "resume", session, "And now?"]).await;
        let low = json!({"severity": "low"});
        assert_eq!((ran.code, ran.report.pointer("/result/result_data")), (Some(0), Some(&low)), "{ran:?}");
        let asked = bench.requests()[1].body.to_string();
        assert!(asked.contains("Nobody can log in") && asked.contains("And now?"), "{asked}");
        assert_eq!(threads(&bench).len(), 1);

        // Without its transcript, it does not silently start a new session.
        std::fs::remove_dir_all(bench.path().join("config/sessions")).unwrap();
        let ran = host.run(&["sessions", "resume", session, "And then?"]).await;
        let message = ran.report.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
        assert!(message.starts_with("the conversation of this session is gone"), "{ran:?}");
        assert_eq!(bench.requests().len(), 2);
        host.end().await;
    }
}

#[tokio::test]
async fn codex_is_stopped_in_mid_turn() {
    let Some(program) = codex() else { return };
    for way in WAYS {
        let replies = [Reply::hang(), Reply::hang()];
        let bench = bench_by(way, &program, replies).await;
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
}

async fn open(bench: &Bench, start: Start) -> Box<dyn Session> {
    CodexExecutor::new(std::env::vars_os(), server(bench)).open(start).await.unwrap()
}

#[tokio::test]
async fn codex_uses_the_mcp_servers_of_the_run() {
    let Some(file) = codex() else { return };
    for way in WAYS {
        let replies =
            [Reply::tool("mcp__my_desk/lookup", &json!({"key": "a"})), Reply::text("It says: noted.")];
        let bench = bench_by(way, &file, replies).await;
        let out = bench.file("calls");
        let good = desk(&bench, &out);
        let mut session = open(&bench, start(&bench, executor(&bench), vec![good.clone()])).await;
        let (sender, mut receiver) = mpsc::channel(16);
        let answer = turn_with(&mut session, Delivery::Text, &Events::new(sender)).await.unwrap();
        assert_eq!(answer.text, "It says: noted.");
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "{\"key\": \"a\"}t0ps3cret\n");
        let mut tools = Vec::new();
        while let Ok(event) = receiver.try_recv() {
            if let Event::ToolFinished { name, ok, output, .. } = *event {
                tools.push((name, ok, output));
            }
        }
        assert_eq!(tools, [("mcp__my_desk__lookup".to_owned(), true, "noted".to_owned())]);
        session.close().await;

        let bad = program("bad", "./nowhere", Vec::new());
        let mut session = open(&bench, start(&bench, executor(&bench), vec![good, bad])).await;
        let error = turn(&mut session, Delivery::Text).await.unwrap_err().to_string();
        assert!(error.contains("could not open a thread") && error.contains("bad:"), "{error}");
        session.close().await;
        assert_eq!(bench.requests().len(), 2);
    }
}

#[tokio::test]
async fn codex_submits_its_result() {
    let Some(file) = codex() else { return };
    for way in WAYS {
        let replies = [
            Reply::tool("mcp__accord_submit/submit_result", &json!({"severity": "low"})),
            Reply::text("Handed in."),
            said("high"),
        ];
        let bench = bench_by(way, &file, replies).await;
        let mut session = open(&bench, start(&bench, executor(&bench), Vec::new())).await;
        let answer = turn(&mut session, by_tool(severity())).await.unwrap();
        let expected = (vec![r#"{"severity": "low"}"#.to_owned()], Stop::Submitted);
        assert_eq!((answer.submissions, answer.stop), expected);
        // Another delivery is another process, but the same conversation.
        let native = native(severity());
        let answer = turn(&mut session, native).await.unwrap();
        assert_eq!(answer.text, json!({"severity": "high"}).to_string());
        session.close().await;
        assert_eq!(threads(&bench).len(), 1);
        assert!(bench.requests()[2].body.to_string().contains("Handed in."));
    }
}

#[tokio::test]
async fn codex_submits_its_result_to_accord() {
    let Some(file) = codex() else { return };
    let submit = |word: &str| Reply::tool("mcp__accord_submit/submit_result", &json!({"severity": word}));
    for way in WAYS {
        let replies = [submit("urgent"), Reply::text("Handed in."), submit("high"), Reply::text("Again.")];
        let bench = bench_by(way, &file, replies).await;
        let by_tool = json!({"output_schema": severity(), "output_schema_options": {"strategy": "tool"}});
        bench.agent(&executor(&bench), &by_tool);
        let host = bench.up().await;
        let ran = host.ask().await;
        ran.gave("high");
        assert_eq!(host.attempts(&ran).await, words(&[("tool", "schema_invalid"), ("tool", "accepted")]));
        assert_eq!(threads(&bench).len(), 1);
        host.end().await;
    }
}

#[tokio::test]
async fn codex_writes_files_only_if_allowed() {
    let Some(file) = codex() else { return };
    let call = || Reply::tool("exec_command", &json!({"cmd": "echo x > made.txt; ls made.txt"}));
    let bench = bench(&file, [call(), Reply::text("no"), call(), Reply::text("yes")]).await;
    for (tools, may) in [(json!([]), false), (json!(["workspace-write"]), true)] {
        let mut start = start(&bench, executor(&bench), Vec::new());
        start.settings["allowed_tools"] = tools;
        let mut session = open(&bench, start).await;
        turn(&mut session, Delivery::Text).await.unwrap();
        session.close().await;
        assert_eq!(bench.path().join("made.txt").exists(), may);
    }
}
