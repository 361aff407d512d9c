//! `accord batch`: order, failures, invalid rows, and resuming after an interruption.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};
use tokio::process::Child;

use super::{Ran, always, finish, run};
use crate::support::{Project, accord, agent, contracted};

/// An agent that records every start, echoes its input, and fails on "bad". Inputs with "slow" wait
/// until the file "hold" is removed.
fn echo() -> Value {
    let script = "input=$(cat); echo \"$input\" >> ran.log
case \"$input\" in
*bad*) echo 'this is bad' >&2; exit 3;;
*slow*) while [ -e hold ]; do sleep 0.05; done;;
esac
printf '%s' \"$input\"";
    json!({
        "name": "echo", "type": "procedural",
        "parameters_schema": {"type": "object", "required": ["text"], "additionalProperties": false,
            "properties": {"text": {"type": "string"}}},
        "executor": {"type": "process", "command": "sh", "args": ["-c", script]},
    })
}

fn inputs(folder: &Path, texts: &[&str]) {
    let lines: String = texts.iter().map(|text| format!("{}\n", json!({"text": text}))).collect();
    std::fs::write(folder.join("inputs.jsonl"), lines).unwrap();
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How often each input was started.
fn starts(folder: &Path) -> BTreeMap<String, usize> {
    let mut starts = BTreeMap::new();
    for record in records(&std::fs::read_to_string(folder.join("ran.log")).unwrap_or_default()) {
        *starts.entry(record["text"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    starts
}

#[tokio::test]
async fn results_come_in_order_and_a_failure_is_exit_code_two() {
    let project = Project::new().agent(&echo());
    let folder = project.path();
    let lines = "\u{feff}{\"text\": \"one\"}\r\n\r\n{\"text\": \"bad\"}\r\n{\"text\": \"😀 three\"}\r\n{\"text\": \"one\"}";
    std::fs::write(folder.join("inputs.jsonl"), lines).unwrap();
    let batch = ["batch", "echo", "inputs.jsonl", "--concurrency", "3", "--failures", "failed.jsonl"];
    let ran = run(folder, &batch)
        .await
        .ends(2, &["4 inputs: 3 completed, 1 failed", "inputs.jsonl:3: executor_failed", "--retry-failed"]);
    let found = records(&ran.stdout);
    let seen: Vec<_> = found.iter().map(|record| (&record["line"], &record["status"])).collect();
    let [completed, failed] = [json!("completed"), json!("failed")];
    let expected =
        [(json!(1), &completed), (json!(3), &failed), (json!(4), &completed), (json!(5), &completed)];
    assert_eq!(seen, expected.iter().map(|(line, status)| (line, *status)).collect::<Vec<_>>());
    assert_eq!(found[2]["result_data"], json!({"text": "😀 three"}));
    assert_eq!(found[2]["input"], found[2]["result_data"]);
    assert_eq!(found[1]["error"]["type"], json!("executor_failed"));
    for record in &found {
        assert!(record["run_id"].as_str().unwrap().starts_with("run_"), "{record}");
        assert!(record["session_id"].as_str().unwrap().starts_with("ses_"), "{record}");
    }
    let failures = records(&std::fs::read_to_string(folder.join("failed.jsonl")).unwrap());
    assert_eq!(failures, [found[1].clone()]);

    // Repeated, everything is already done, including the failure; equal inputs count as two.
    let again = run(folder, &batch).await.ends(2, &["4 finished earlier"]);
    assert_eq!(again.stdout, ran.stdout);
    assert_eq!(starts(folder), BTreeMap::from([("bad", 1), ("one", 2), ("😀 three", 1)].map(owned)));
    let again = run(folder, &[&batch[..], &["--retry-failed"]].concat()).await;
    again.ends(2, &["3 finished earlier"]);
    assert_eq!(starts(folder)["bad"], 2);
    run(folder, &[&batch[..], &["--name", "fresh"]].concat()).await.ends(2, &[]);
    assert_eq!(starts(folder), BTreeMap::from([("bad", 3), ("one", 4), ("😀 three", 2)].map(owned)));
}

fn owned((text, count): (&str, usize)) -> (String, usize) {
    (text.to_owned(), count)
}

#[tokio::test]
async fn an_invalid_row_is_named_and_nothing_runs() {
    let project = Project::new().agent(&echo());
    let folder = project.path();
    let batch = async |lines: &str, extra: &[&str]| {
        let arguments = [&["batch", "echo", "-", "--output", "results.jsonl"], extra].concat();
        finish(accord(folder).args(arguments), lines).await
    };
    let two = "{\"text\": \"one\"}\n{\"text\": null}\n";
    let ran = batch(two, &[]).await.ends(
        1,
        &["1 of 2 inputs is invalid; nothing was run", "<stdin>:2: $.text: expected string, got null"],
    );
    assert_eq!(ran.stdout, "");
    assert!(starts(folder).is_empty() && !folder.join("results.jsonl").exists());
    for (lines, said) in [("", "no inputs"), ("\n\n", "no inputs"), ("[]\n", "got an array")] {
        batch(lines, &[]).await.ends(1, &[said]);
    }
    run(folder, &["batch", "nobody", "inputs.jsonl"]).await.ends(1, &["inputs.jsonl"]);
    std::fs::write(folder.join("inputs.jsonl"), "{\"text\": \"one\"}\n").unwrap();
    run(folder, &["batch", "nobody", "inputs.jsonl"]).await.ends(1, &["nobody", "accord agents list"]);
    let own = ["batch", "echo", "inputs.jsonl", "--output", "inputs.jsonl"];
    run(folder, &own).await.ends(1, &["inputs.jsonl is the file with the inputs"]);
    std::fs::write(folder.join("notes.txt"), "keep me").unwrap();
    let other = ["batch", "echo", "inputs.jsonl", "--output", "notes.txt"];
    run(folder, &other).await.ends(1, &["notes.txt already exists"]);
    assert!(starts(folder).is_empty());

    let ran = batch(two, &["--skip-invalid", "--json"]).await.ends(2, &["invalid_input"]).json();
    assert_eq!((&ran["inputs"], &ran["completed"], &ran["failed"]), (&json!(2), &json!(1), &json!(1)));
    let found = records(&std::fs::read_to_string(folder.join("results.jsonl")).unwrap());
    assert_eq!(found[0]["status"], json!("completed"));
    let error = json!({"type": "invalid_input", "message": "$.text: expected string, got null"});
    assert_eq!((&found[1]["error"], &found[1]["run_id"]), (&error, &Value::Null));
}

/// Starts a batch whose later inputs wait, and returns once the first results are written and the
/// next inputs have started.
async fn begun(folder: &Path) -> Child {
    std::fs::write(folder.join("hold"), "").unwrap();
    let texts: Vec<String> =
        (1..=12).map(|number| format!("{}{number}", if number > 5 { "slow " } else { "" })).collect();
    inputs(folder, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let mut command = accord(folder);
    command.args(BATCH).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    let written =
        || std::fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default().lines().count();
    while written() < 5 || starts(folder).len() < 8 {
        pause.tick().await;
    }
    child
}

const BATCH: [&str; 7] = ["batch", "echo", "inputs.jsonl", "--output", "results.jsonl", "--concurrency", "3"];

#[track_caller]
fn is_whole(folder: &Path, ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found = records(&std::fs::read_to_string(folder.join("results.jsonl")).unwrap());
    let lines: Vec<u64> = found.iter().map(|record| record["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, (1..=12).collect::<Vec<_>>());
    assert!(found.iter().all(|record| record["status"] == json!("completed")), "{found:?}");
}

#[tokio::test]
async fn a_killed_batch_continues() {
    let project = Project::new().agent(&echo());
    let folder = project.path();
    let mut child = begun(folder).await;
    child.kill().await.unwrap();
    std::fs::remove_file(folder.join("hold")).unwrap();
    let ran = run(folder, &BATCH).await.ends(0, &["5 finished earlier"]);
    is_whole(folder, &ran);
    for (text, count) in starts(folder) {
        // Runs that were interrupted are started once more.
        let lost = ["slow 6", "slow 7", "slow 8"].contains(&text.as_str());
        assert_eq!(count, if lost { 2 } else { 1 }, "{text}");
    }
}

#[tokio::test]
async fn runs_that_outlive_a_killed_batch_are_not_repeated() {
    let host = Project::new().agent(&echo()).up().await;
    let mut child = begun(host.path()).await;
    child.kill().await.unwrap();
    std::fs::remove_file(host.path().join("hold")).unwrap();
    let ran = run(host.path(), &BATCH).await;
    is_whole(host.path(), &ran);
    assert!(starts(host.path()).values().all(|count| *count == 1), "{:?}", starts(host.path()));
}

#[tokio::test]
async fn an_interrupted_batch_stops_its_runs_and_continues() {
    let project = Project::new().agent(&echo());
    let folder = project.path();
    let child = begun(folder).await;
    let id = child.id().unwrap().to_string();
    assert!(tokio::process::Command::new("kill").args(["-INT", &id]).status().await.unwrap().success());
    let output = child.wait_with_output().await.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("12 inputs: 5 completed, 3 stopped") && said.contains("Interrupted."), "{said}");
    std::fs::remove_file(folder.join("hold")).unwrap();
    let ran = run(folder, &BATCH).await.ends(0, &["5 finished earlier"]);
    is_whole(folder, &ran);
}

#[tokio::test]
async fn a_changed_agent_or_input_runs_again() {
    let model = always(r#"{"severity": "low"}"#).await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let folder = project.path().to_owned();
    let batch = async |texts: &[&str]| {
        let lines: String = texts.iter().map(|text| format!("{}\n", json!({"prompt": text}))).collect();
        finish(accord(&folder).args(["batch", "triage", "-"]), &lines).await.ends(0, &[])
    };
    let ran = batch(&["one", "two"]).await;
    assert_eq!(records(&ran.stdout)[1]["attempts"], json!(1));
    assert_eq!(model.requests().len(), 2);
    batch(&["two", "three", "one"]).await;
    assert_eq!(model.requests().len(), 3, "the order of the inputs makes no difference");
    let mut other = agent("triage", &model, &contracted());
    other["system_prompt"] = json!("You sort bugs.");
    let _project = project.agent(&other);
    batch(&["one"]).await;
    assert_eq!(model.requests().len(), 4);
}

#[tokio::test]
async fn a_contract_failure_fails_only_its_input() {
    let model = ModelServer::start(Script::handler(|request, _| {
        Reply::text(if request.text().contains("fine") { r#"{"severity": "low"}"# } else { "I cannot say" })
    }));
    let model = model.await.unwrap();
    let options = json!({"strategy": "prompt", "max_retries": 0});
    let mut extra = contracted();
    extra["output_schema_options"] = options;
    let host = Project::new().agent(&agent("triage", &model, &extra)).up().await;
    let lines = "{\"prompt\": \"fine\"}\n{\"prompt\": \"other\"}\n";
    let ran = finish(accord(host.path()).args(["batch", "triage", "-"]), lines).await;
    let ran = ran.ends(2, &["<stdin>:2: output_schema_validation_failed", "$"]);
    let found = records(&ran.stdout);
    assert_eq!(found[0]["result_data"], json!({"severity": "low"}));
    assert_eq!((&found[1]["status"], &found[1]["attempts"]), (&json!("failed"), &json!(1)));
}

/// Twenty inputs of an agent that asks this address.
async fn batch_at(base_url: &str, retry: &Value, arguments: &[&str]) -> Ran {
    let executor = json!({"type": "llm", "provider": "lab", "model": "m"});
    let agent = json!({"name": "triage", "executor": executor, "retry": retry});
    let project = Project::new().agent(&agent);
    let config = format!("[providers.lab]\nkind = \"openai-compatible\"\nbase_url = \"{base_url}\"\n");
    std::fs::write(project.path().join("accord.toml"), config).unwrap();
    let lines: String =
        (0..20).map(|number| format!("{}\n", json!({"prompt": number.to_string()}))).collect();
    let batch = ["batch", "triage", "-", "--output", "results.jsonl", "--concurrency", "2"];
    finish(accord(project.path()).args([&batch, arguments].concat()), &lines).await
}

#[tokio::test]
async fn a_batch_without_a_model_stops_early_and_says_why() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let once = json!({"max_attempts": 1});
    let ran = batch_at(&gone, &once, &["--json"]).await;
    let ran = ran.ends(2, &["Stopped early:", "no response from lab ", "refused", "--retry-failed"]);
    let told = ran.json();
    let failed = told["failed"].as_u64().unwrap();
    assert!((5..=7).contains(&failed), "{told}");
    assert!(told["stopped_early"].as_str().unwrap().contains("no response from lab "), "{told}");
    let ran = batch_at(&gone, &once, &["--keep-going"]).await;
    ran.ends(2, &["20 inputs: 0 completed, 20 failed"]);

    // A key that is refused is no outage: every input fails at once.
    let model = ModelServer::start(Script::handler(|_, _| Reply::error(401, "bad key"))).await.unwrap();
    let ran = batch_at(&model.openai_url(), &json!({}), &[]).await;
    ran.ends(2, &["Stopped early:", "rejected the API key (401)"]);
    assert!(model.requests().len() <= 7, "{}", model.requests().len());
}

#[tokio::test]
async fn a_batch_says_that_the_model_is_away_while_it_waits_for_it() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let ran = batch_at(&gone, &json!({"for_seconds": 5}), &[]).await;
    ran.ends(2, &["no input has finished yet; retrying", "Stopped early:"]);
}
