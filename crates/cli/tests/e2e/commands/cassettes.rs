//! `accord record` and `accord replay`.

use std::time::Duration;

use accord_test_support::{ModelServer, Reply};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{contracted, finish, run};
use crate::support::{Project, accord, agent, model, severity};

#[tokio::test]
async fn a_recorded_run_is_replayed_offline_attempt_by_attempt() {
    let model = model([r#"{"severity": "critical"}"#, r#"{"severity": "high"}"#].map(Reply::text)).await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let folder = project.path();
    let ran = run(folder, &["record", "triage", "Nobody can log in", "--output", "tape.json"]).await;
    let ran = ran.ends(0, &["Recorded 2 exchanges in tape.json."]);
    assert_eq!(ran.stdout, "{\"severity\":\"high\"}\n");
    assert!(!folder.join(".accord/accord.db").exists(), "a recording is kept nowhere else");
    assert!(!ran.stderr.contains("accord runs"), "there is no run to look at: {}", ran.stderr);
    run(folder, &["record", "triage", "x", "-o", "tape.json"]).await.ends(1, &["--force"]);
    drop(model);

    let ran = run(folder, &["replay", "tape.json"])
        .await
        .ends(0, &["Replayed 2 attempts; all match the recording."]);
    assert_eq!(ran.stdout, "{\"severity\":\"high\"}\n");
    let ran = run(folder, &["replay", "tape.json", "--json"]).await.ends(0, &[]).json();
    assert_eq!((&ran["attempts"], &ran["result_data"]), (&json!(2), &json!({"severity": "high"})));
    // A replay works in any folder, without a project.
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(folder.join("tape.json"), elsewhere.path().join("tape.json")).unwrap();
    run(elsewhere.path(), &["replay", "tape.json"]).await.ends(0, &[]);

    let text = std::fs::read_to_string(folder.join("tape.json")).unwrap();
    let edits = [
        ("verdict.json", text.replace("\"accepted\"", "\"schema_invalid\""), "differs from the recording"),
        ("question.json", text.replacen("Nobody can log in", "Who are you?", 1), "no answer for this input"),
    ];
    for (name, edited, said) in edits {
        assert_ne!(edited, text, "{name}");
        std::fs::write(folder.join(name), edited).unwrap();
        assert_eq!(run(folder, &["replay", name]).await.ends(3, &[said]).stdout, "", "{name}");
        let told = run(folder, &["replay", name, "--json"]).await.ends(3, &[said]);
        assert!(told.text("/error/message").contains(said), "{told:?}");
    }
    // An agent with the replay executor reports the model that was recorded.
    let replayed = json!({"name": "replayed", "type": "autonomous",
        "executor": {"type": "replay", "cassette": "tape.json"}});
    let project = project.agent(&replayed);
    let folder = project.path();
    let record = ["record", "replayed", "x", "--output", "again.json"];
    run(folder, &record).await.ends(1, &["\"provider\":\"anthropic\"", "then restore the replay executor"]);
    run(folder, &["run", "replayed", "x"]).await.ends(3, &["the agent needs its llm executor"]);
    std::fs::write(folder.join("broken.json"), "{\"accord_cassette\": 1").unwrap();
    run(folder, &["replay", "broken.json"]).await.ends(1, &["broken.json"]);
    run(folder, &["replay", "none.json"]).await.ends(1, &["none.json"]);
}

#[tokio::test]
async fn fallback_models_are_replayed_too() {
    let wrong = r#"{"severity": "critical"}"#;
    let model = model([wrong, wrong, r#"{"severity": "high"}"#].map(Reply::text)).await;
    let mut blueprint = agent("triage", &model, &contracted());
    blueprint["escalate_to"] = json!(["stronger"]);
    blueprint["demands"] = json!({"executor_type": "llm"});
    blueprint["output_schema_options"] = json!({"max_retries": 2, "strategy": "prompt"});
    let project = Project::new().agent(&blueprint);
    let folder = project.path();
    let ran = run(folder, &["record", "triage", "x", "--output", "tape.json", "--json"]).await.ends(0, &[]);
    assert_eq!(ran.json()["attempts"], 3);
    drop(model);
    run(folder, &["replay", "tape.json"]).await.ends(0, &["Replayed 3 attempts; all match the recording."]);
}

#[tokio::test]
async fn the_callers_options_are_replayed_too() {
    let answers = [r#"{"severity": "huge"}"#, r#"{"severity": 1}"#, "{}", r#"{"other": 1}"#];
    let model = model(answers.map(Reply::text)).await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    let folder = project.path();
    std::fs::write(folder.join("schema.json"), severity().to_string()).unwrap();
    let asked =
        ["record", "free", "x", "--schema", "schema.json", "--max-retries", "3", "--strategy", "prompt"];
    let ran =
        run(folder, &[&asked[..], &["--model", "claude-other", "-o", "tape.json", "--json"]].concat()).await;
    let report = ran.ends(2, &["Recorded 4 exchanges"]).json();
    assert_eq!((&report["status"], &report["attempts"]), (&json!("failed"), &json!(4)));
    let ran = run(folder, &["replay", "tape.json"]).await;
    ran.ends(2, &["Replayed 4 attempts; all match the recording.", "failed["]);
    let tape = std::fs::read_to_string(folder.join("tape.json")).unwrap();
    let tape: Value = serde_json::from_str(&tape).unwrap();
    assert_eq!(tape["attempts"][3]["model"], json!("claude-other"));
}

#[tokio::test]
async fn a_recording_uses_the_projects_registry() {
    let model = model([Reply::text(r#"{"severity": "low"}"#)]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    std::fs::write(host.path().join("schema.json"), severity().to_string()).unwrap();
    run(host.path(), &["schemas", "add", "severity", "schema.json"]).await.ends(0, &[]);
    let kept = host.leave().await;
    let named = ["record", "free", "x", "--schema-name", "severity", "-o", "tape.json"];
    run(kept.path(), &named).await.ends(0, &["Recorded 1 exchange in"]);
    run(kept.path(), &["replay", "tape.json"])
        .await
        .ends(0, &["Replayed 1 attempt; all match the recording."]);
    let missing = ["record", "free", "x", "--schema-name", "none", "-o", "other.json"];
    run(kept.path(), &missing).await.ends(1, &["none"]);
}

#[tokio::test]
async fn unsupported_recordings_are_rejected_before_any_request() {
    let model = model([Reply::text("hello")]).await;
    let counting =
        json!({"name": "count", "type": "procedural", "executor": {"type": "process", "command": "true"}});
    let project = Project::new().agent(&counting).agent(&agent("free", &model, &json!({})));
    let folder = project.path();
    run(folder, &["record", "count", "x", "-o", "a.json"])
        .await
        .ends(1, &["expected the executor llm, got process"]);
    run(folder, &["record", "free", "x", "-o", "none/a.json"]).await.ends(1, &["cannot write none/a.json"]);
    let nobody = ["record", "free", "x", "-o", "a.json", "--coordinator", "http://127.0.0.1:1"];
    run(folder, &nobody).await.ends(3, &["cannot reach the coordinator"]);
    assert_eq!(model.requests().len(), 0);
    assert!(!folder.join("a.json").exists());
    run(folder, &["record", "free", "x", "-o", "a.json"]).await.ends(0, &[]);
}

#[tokio::test]
async fn a_stored_agent_is_recorded_too() {
    let model = model([Reply::text("hello")]).await;
    let host = Project::new().up().await;
    host.client.create_agent(&agent("stored", &model, &json!({}))).await.unwrap();
    run(host.path(), &["record", "stored", "x", "-o", "tape.json"]).await.ends(0, &["Recorded 1 exchange"]);
    run(host.path(), &["replay", "tape.json"]).await.ends(0, &["match the recording"]);
}

#[tokio::test]
async fn secrets_in_addresses_are_not_recorded() {
    let model = model(["hello", "I was asked with labsecret55 and say so"].map(Reply::text)).await;
    let address = model.url().replacen("http://", "http://u:cfgsecret99@", 1);
    let provider = format!(
        "[providers.lab]\nkind = \"anthropic\"\nbase_url = \"{address}?key=qsecret77\"\napi_key_env = \"LAB\"\n"
    );
    let executor = json!({"type": "llm", "provider": "lab", "model": "m"});
    let project = Project::new().agent(&json!({"name": "free", "executor": executor}));
    std::fs::write(project.path().join("accord.toml"), provider).unwrap();
    let mut record = accord(project.path());
    record.env("LAB", "labsecret55").args(["record", "free", "x", "-o", "tape.json"]);
    finish(&mut record, "").await.ends(0, &[]);
    let tape = std::fs::read_to_string(project.path().join("tape.json")).unwrap();
    for secret in ["cfgsecret99", "qsecret77", "labsecret55"] {
        assert!(!tape.contains(secret), "{secret} in {tape}");
    }
    // The model streams its text in pieces, and no single piece contains the key.
    let mut again = accord(project.path());
    again.env("LAB", "labsecret55").args(["record", "free", "x", "-o", "other.json"]);
    finish(&mut again, "").await.ends(3, &["repeated an API key", "nothing was written"]);
    assert!(!project.path().join("other.json").exists());
    let told = finish(accord(project.path()).env("LAB", "labsecret55").args(["doctor"]), "").await;
    let told = told.stdout + &told.stderr;
    assert!(told.contains("u:(hidden)@") && told.contains("key=(hidden)"), "{told}");
    assert!(!told.contains("secret"), "{told}");
}

/// A project with one provider that has its own name, key and prices.
fn of_a_lab(model: &ModelServer, replied: &Value) -> Project {
    let provider = format!(
        "[providers.lab]\nkind = \"openai-chat\"\nbase_url = \"{}\"\napi_key_env = \"LAB\"\n\
         [prices]\n\"lab/m\" = {{ input = 1.0, output = 2.5 }}\n",
        model.url()
    );
    let mut blueprint = json!({"name": "a", "executor": {"type": "llm", "provider": "lab", "model": "m"}});
    blueprint.as_object_mut().unwrap().extend(replied.as_object().unwrap().clone());
    let project = Project::new().agent(&blueprint);
    std::fs::write(project.path().join("accord.toml"), provider).unwrap();
    project
}

async fn record_in_the_lab(project: &Project) -> super::Ran {
    let mut record = accord(project.path());
    record.env("LAB", "labsecret55").args(["record", "a", "x", "-o", "tape.json", "--json"]);
    finish(&mut record, "").await
}

#[tokio::test]
async fn the_errors_of_a_named_provider_are_replayed_in_its_name() {
    let refused = Reply::error(400, "response_format is not supported for labsecret55");
    let model = model([refused, Reply::submit(&json!({"severity": "low"})), Reply::error(401, "no")]).await;
    let project = of_a_lab(&model, &json!({"output_schema": severity()}));
    let elsewhere = tempfile::tempdir().unwrap();
    for (code, said, word) in [(0, "Replayed 2 attempts;", "lab http"), (3, "Replayed 1 attempt;", "`lab`")] {
        record_in_the_lab(&project).await.ends(code, &[]);
        let tape = std::fs::read_to_string(project.path().join("tape.json")).unwrap();
        assert!(tape.contains(word), "{tape}");
        std::fs::rename(project.path().join("tape.json"), elsewhere.path().join("tape.json")).unwrap();
        run(elsewhere.path(), &["replay", "tape.json"]).await.ends(code, &[said]);
    }
}

#[tokio::test]
async fn the_cost_of_a_run_is_replayed() {
    let model = model([Reply::text("hello").usage(1000, 20)]).await;
    let project = of_a_lab(&model, &json!({}));
    let recorded = record_in_the_lab(&project).await.ends(0, &[]).json();
    assert_eq!(recorded["usage"], json!({"input_tokens": 1000, "output_tokens": 20, "cost_usd": 0.00105}));
    let replayed = run(project.path(), &["replay", "tape.json", "--json"]).await;
    assert_eq!(replayed.ends(0, &[]).json()["usage"], recorded["usage"]);
    // A recording from before prices were recorded.
    let tape = std::fs::read_to_string(project.path().join("tape.json")).unwrap();
    let mut old: Value = serde_json::from_str(&tape).unwrap();
    old.as_object_mut().unwrap().remove("provider");
    old["agent"]["executor"]["provider"] = json!("openai-chat");
    old["agent"]["executor"]["base_url"] = json!(model.url());
    old["attempts"][0].as_object_mut().unwrap().remove("usage");
    std::fs::write(project.path().join("tape.json"), old.to_string()).unwrap();
    let replayed = run(project.path(), &["replay", "tape.json", "--json"]).await;
    assert_eq!(replayed.ends(0, &[]).json()["usage"], json!({"input_tokens": 1000, "output_tokens": 20}));
}

/// An MCP server as a shell script: it records its start and has one tool. The tool's result is
/// appended to the script.
const GREETING: &str = r#"
echo started >> servers.txt
read l; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'
read l; read l; echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"who","inputSchema":{"type":"object"}}]}}'
"#;

const ANSWER: &str = r#"
read l; echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"'"$$"'"}]}}'
while read l; do :; done
"#;

const WIRES: [&str; 5] = ["anthropic", "openai", "openai-chat", "openai-compatible", "ollama"];

#[tokio::test]
async fn a_replay_runs_no_tools_in_any_protocol() {
    for wire in WIRES {
        let replies = [
            Reply::tool("write_file", &json!({"path": "out.txt", "content": "by the tool"}))
                .and_tool("read_file", &json!({"path": "in.txt"}))
                .and_tool("none", &json!({}))
                .and_tool("read_file", &json!({"path": "gone.txt"})),
            Reply::tool("local__who", &json!({})),
            Reply::text("done"),
        ];
        let model = model(replies).await;
        let blueprint = json!({
            "name": "a",
            "tools": ["read_file", "write_file"],
            "mcp_servers": {"local": {"command": "sh", "args": ["-c", GREETING.to_owned() + ANSWER], "env": {"A": "${LAB}"}}},
            "executor": {"type": "llm", "provider": wire, "model": "m", "base_url": model.url()},
        });
        let project = Project::new().agent(&blueprint);
        std::fs::write(project.path().join("in.txt"), "first").unwrap();
        record_in_the_lab(&project).await.ends(0, &[]);
        drop(model);
        std::fs::write(project.path().join("in.txt"), "second").unwrap();
        for name in ["out.txt", "servers.txt"] {
            std::fs::remove_file(project.path().join(name)).unwrap();
        }
        // The variable that the server requires is not set either.
        run(project.path(), &["replay", "tape.json"])
            .await
            .ends(0, &["Replayed 1 attempt; all match the recording."]);
        for name in ["out.txt", "servers.txt"] {
            assert!(!project.path().join(name).exists(), "{name}, {wire}");
        }
        // A recording from before tool results were recorded.
        let tape = std::fs::read_to_string(project.path().join("tape.json")).unwrap();
        let mut old: Value = serde_json::from_str(&tape).unwrap();
        old["exchanges"][0].as_object_mut().unwrap().remove("results");
        std::fs::write(project.path().join("tape.json"), old.to_string()).unwrap();
        let said =
            "has no result for the call of `write_file` in exchange 1 of 3, and a replay does not run tools";
        run(project.path(), &["replay", "tape.json"]).await.ends(3, &[said]);
        assert!(!project.path().join("out.txt").exists(), "{wire}");
    }
}

#[tokio::test]
async fn a_replay_needs_nothing_that_the_configuration_names() {
    let model = model([Reply::text("hello")]).await;
    let project = of_a_lab(&model, &json!({}));
    record_in_the_lab(&project).await.ends(0, &[]);
    let path = project.path().join("accord.toml");
    let more = "[workflows]\nembedding_provider = \"lab\"\nembedding_model = \"m\"\n\
                [runner]\nproject_dir = \"none\"\n[database]\nurl = \"postgres://nobody@127.0.0.1:1/none\"\n";
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + more).unwrap();
    run(project.path(), &["replay", "tape.json"])
        .await
        .ends(0, &["Replayed 1 attempt; all match the recording."]);
}

#[tokio::test]
async fn a_failed_run_is_replayed_to_the_same_failure() {
    let stalled = || Reply::text("hello").ends_late(Duration::from_secs(600));
    let tool = Reply::tool("local__who", &json!({}));
    let busy = Reply::error(529, "busy").retry_after(60);
    let timed_out = "no result within 3 seconds";
    let cases = [
        ("silent", Reply::hang(), timed_out),
        ("stalled", stalled(), timed_out),
        ("pause", busy, timed_out),
        ("tool", tool, timed_out),
        ("turn", Reply::hang(), timed_out),
        ("stopped", stalled(), "was stopped"),
    ];
    // Concurrently, because each case runs into its time limit.
    join_all(cases.map(async |(name, reply, said)| {
        let model = model([Reply::text("{}"), reply]).await;
        let mut blueprint = agent(name, &model, &contracted());
        let server = GREETING.to_owned() + "while read l; do :; done";
        blueprint["mcp_servers"] = json!({"local": {"command": "sh", "args": ["-c", server]}});
        match name {
            "turn" => blueprint["executor"]["timeout_seconds"] = json!(3),
            "stopped" => {}
            _ => blueprint["limits"] = json!({"timeout_seconds": 3}),
        }
        let project = Project::new().agent(&blueprint);
        let mut record = vec!["record", name, "x", "-o", "tape.json"];
        if name == "stopped" {
            record.extend(["--timeout", "3"]);
        }
        run(project.path(), &record).await.ends(4, &["Recorded 2 exchanges", said]);
        drop(model);
        run(project.path(), &["replay", "tape.json"])
            .await
            .ends(4, &["Replayed 2 attempts; all match the recording.", said]);
    }))
    .await;
}

#[tokio::test]
async fn keys_in_tool_results_are_not_recorded() {
    let model = model([Reply::tool("read_file", &json!({"path": "in.txt"})), Reply::text("done")]).await;
    let project = of_a_lab(&model, &json!({"tools": ["read_file"]}));
    std::fs::write(project.path().join("in.txt"), "the key is labsecret55").unwrap();
    record_in_the_lab(&project).await.ends(0, &[]);
    let tape = std::fs::read_to_string(project.path().join("tape.json")).unwrap();
    assert!(tape.contains("the key is [redacted]") && !tape.contains("labsecret55"), "{tape}");
    run(project.path(), &["replay", "tape.json"]).await.ends(0, &["match the recording"]);
}

#[tokio::test]
async fn credentials_of_a_provider_are_neither_printed_nor_recorded() {
    let words = "no route for /v1?key=qsecret77 and the token gwsecret88; see agsecret66";
    let model = model([Reply::error(403, words), Reply::error(403, words)]).await;
    let provider = format!(
        "[providers.lab]\nkind = \"openai-chat\"\nbase_url = \"{}?key=qsecret77\"\n\
         headers = {{ Authorization = \"Bearer gwsecret88\" }}\n",
        model.url()
    );
    let executor = json!({"type": "llm", "provider": "lab", "model": "m"});
    let mut elsewhere = executor.clone();
    elsewhere["base_url"] = json!(format!("{}?key=agsecret66", model.url()));
    let project = Project::new()
        .agent(&json!({"name": "a", "executor": executor}))
        .agent(&json!({"name": "b", "executor": elsewhere}));
    std::fs::write(project.path().join("accord.toml"), provider).unwrap();
    for (name, secrets) in [("a", &["qsecret77", "gwsecret88"][..]), ("b", &["agsecret66"])] {
        let ran = run(project.path(), &["record", name, "x", "-o", "tape.json", "--json", "--force"]).await;
        let ran = ran.ends(3, &[]);
        assert!(ran.text("/error/message").contains("[secret]"), "{ran:?}");
        let told =
            std::fs::read_to_string(project.path().join("tape.json")).unwrap() + &ran.stdout + &ran.stderr;
        assert!(secrets.iter().all(|secret| !told.contains(secret)), "{told}");
        run(project.path(), &["replay", "tape.json"]).await.ends(3, &["match the recording"]);
    }
}

#[tokio::test]
async fn tool_calls_next_to_a_result_run_once_and_not_in_a_replay() {
    for wire in WIRES {
        let file = json!({"path": "out.txt", "content": "by the tool"});
        let reply = Reply::submit(&json!({"severity": "low"})).and_tool("write_file", &file);
        let model = model([reply]).await;
        let blueprint = json!({
            "name": "a",
            "tools": ["write_file"],
            "executor": {"type": "llm", "provider": wire, "model": "m", "base_url": model.url()},
            "output_schema": severity(),
            "output_schema_options": {"strategy": "tool"},
        });
        let project = Project::new().agent(&blueprint);
        record_in_the_lab(&project).await.ends(0, &[]);
        drop(model);
        std::fs::remove_file(project.path().join("out.txt")).unwrap();
        run(project.path(), &["replay", "tape.json"])
            .await
            .ends(0, &["Replayed 1 attempt; all match the recording."]);
        assert!(!project.path().join("out.txt").exists(), "{wire}");
    }
}
