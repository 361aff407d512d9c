//! Tool calls of Claude Code and Codex that a person has to approve: the run waits without a
//! process and continues in the same conversation.

use std::path::Path;
use std::time::Duration;

use accord_test_support::{RecordedRequest, Reply};
use serde_json::{Value, json};

use crate::support::{Bench, Host, Ran, severity};
use crate::{claude, codex};

/// Checks the one open request for input and answers it.
async fn decide(host: &Host<'_>, bench: &Bench, tool: &str, how: &[&str]) {
    let mut ticks = tokio::time::interval(Duration::from_millis(50));
    let open = loop {
        ticks.tick().await;
        let listed = host.run(&["inputs", "list"]).await.report;
        let open = listed["items"].as_array().unwrap().first().cloned();
        if let Some(open) = open {
            break open;
        }
    };
    assert_eq!((&open["purpose"], &open["tool"]["name"]), (&json!("approval"), &json!(tool)), "{open}");
    assert!(open["tool"]["arguments"]["command"].as_str().unwrap().contains("made.txt"), "{open}");
    // No process waits for the person, and nothing was done yet.
    host.nothing_is_left().await;
    assert!(!bench.path().join("made.txt").exists());
    let id = open["id"].as_str().unwrap();
    let answered = host.run(&[&["inputs", "answer", id], how].concat()).await;
    assert_eq!(answered.code, Some(0), "{answered:?}");
}

async fn run(bench: &Bench, tool: &str, how: &[&str]) -> Ran {
    let host = bench.up().await;
    let deciding = decide(&host, bench, tool, how);
    let (ran, ()) = tokio::join!(host.ask(), deciding);
    host.end().await;
    ran
}

fn made(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("made.txt")).ok()
}

const APPROVE: [&str; 1] = ["--approve"];
const DENY: [&str; 3] = ["--deny", "--reason", "not on a Friday"];

fn blueprint(approve: &Value) -> Value {
    json!({"output_schema": severity(), "tools": ["run_command"], "approve": approve})
}

/// The whole content of a request to the model.
fn sent(request: &RecordedRequest) -> String {
    request.body.to_string()
}

#[tokio::test]
async fn claude_calls_a_tool_that_a_person_approved() {
    let Some(program) = claude::claude() else { return };
    let call = || Reply::tool("Bash", &json!({"command": "echo x > made.txt", "description": "Writes"}));
    let replies = [
        call().usage(100, 10),
        call().usage(200, 10),
        Reply::tool(claude::STRUCTURED, &json!({"severity": "high"})).usage(300, 10),
    ];
    let bench = claude::bench(&program, replies).await;
    bench.agent(&claude::executor(&bench), &blueprint(&json!(["run_command"])));
    let ran = run(&bench, "Bash", &APPROVE).await;
    ran.gave("high");
    assert_eq!(made(bench.path()).as_deref(), Some("x\n"));
    let requests = bench.requests();
    assert_eq!((requests.len(), bench.starts().len(), claude::sessions(&bench).len()), (3, 2, 1));
    let told = sent(&requests[1]);
    assert!(
        told.contains("A person approved this call: Bash") && told.contains("Nobody can log in"),
        "{told}"
    );
    assert_eq!(ran.report["usage"]["input_tokens"], json!(600), "{ran:?}");
}

#[tokio::test]
async fn claude_is_told_that_a_person_denied_a_call() {
    let Some(program) = claude::claude() else { return };
    let call = || Reply::tool("Bash", &json!({"command": "echo x > made.txt", "description": "Writes"}));
    let replies = [call(), call(), Reply::tool(claude::STRUCTURED, &json!({"severity": "low"}))];
    let bench = claude::bench(&program, replies).await;
    bench.agent(&claude::executor(&bench), &blueprint(&json!(["run_command"])));
    let ran = run(&bench, "Bash", &DENY).await;
    ran.gave("low");
    assert_eq!(made(bench.path()), None);
    let requests = bench.requests();
    assert!(sent(&requests[1]).contains("a person denied this call: not on a Friday"));
    // It repeated the call, and the same decision denied it.
    assert!(
        sent(&requests[2]).matches("not on a Friday").count()
            > sent(&requests[1]).matches("not on a Friday").count()
    );
    assert_eq!((requests.len(), claude::sessions(&bench).len()), (3, 1));
}

#[tokio::test]
async fn codex_runs_a_command_that_a_person_approved() {
    let Some(program) = codex::codex() else { return };
    let call = || Reply::tool("exec_command", &json!({"cmd": "echo x > made.txt"}));
    let bench = codex::bench(
        &program,
        [call().usage(100, 10), call().usage(200, 10), codex::said("high").usage(300, 10)],
    )
    .await;
    bench.agent(&codex::executor(&bench), &blueprint(&json!(["run_command"])));
    let ran = run(&bench, "run_command", &APPROVE).await;
    ran.gave("high");
    assert_eq!(made(bench.path()).as_deref(), Some("x\n"));
    let requests = bench.requests();
    assert_eq!((requests.len(), codex::threads(&bench).len()), (3, 1));
    let told = sent(&requests[1]);
    assert!(told.contains("A person approved this call: run_command"), "{told}");
    assert_eq!(ran.report["usage"]["input_tokens"], json!(600), "{ran:?}");
}

#[tokio::test]
async fn codex_is_told_that_a_person_denied_a_command() {
    let Some(program) = codex::codex() else { return };
    let call = || Reply::tool("exec_command", &json!({"cmd": "echo x > made.txt"}));
    let bench = codex::bench(&program, [call(), call(), codex::said("low")]).await;
    bench.agent(&codex::executor(&bench), &blueprint(&json!(["run_command"])));
    let ran = run(&bench, "run_command", &DENY).await;
    ran.gave("low");
    assert_eq!(made(bench.path()), None);
    let requests = bench.requests();
    assert!(sent(&requests[1]).contains("a person denied this call: not on a Friday"));
    assert_eq!((requests.len(), codex::threads(&bench).len()), (3, 1));
}
