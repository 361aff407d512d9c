//! Runs that are shown step by step, run again, continued from a step, and compared.

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};

use super::run;
use crate::support::{Project, agent, contracted};

/// A model without memory: it reads a file, answers wrongly, then answers correctly.
async fn reader() -> ModelServer {
    ModelServer::start(Script::handler(|request, _| {
        let messages = request.body["messages"].as_array().unwrap();
        let said = messages.iter().filter(|message| message["role"] == "assistant").count();
        let severity = if request.model() == "claude-large" { "high" } else { "low" };
        let reply = match said {
            0 => Reply::tool("read_file", &json!({"path": "ticket.txt"})),
            1 => Reply::text(r#"{"severity": "urgent"}"#),
            _ => Reply::text(format!("{{\"severity\": \"{severity}\"}}")),
        };
        reply.usage(100, 10)
    }))
    .await
    .unwrap()
}

fn types(steps: &Value) -> Vec<String> {
    let items = steps["items"].as_array().unwrap();
    items.iter().map(|step| step["body"]["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_run_is_shown_by_steps_continued_from_one_and_compared() {
    let model = reader().await;
    let mut more = contracted();
    more.as_object_mut().unwrap().insert("tools".to_owned(), json!(["read_file"]));
    let host = Project::new().agent(&agent("triage", &model, &more)).up().await;
    let folder = host.path();
    std::fs::write(folder.join("ticket.txt"), "Nobody can log in").unwrap();
    let first = run(folder, &["run", "triage", "Sort the ticket", "--json"]).await.ends(0, &[]);
    let id = first.text("/run_id");
    assert_eq!(first.text("/result_data/severity"), "low");

    let json = run(folder, &["runs", "steps", &id, "--json"]).await.ends(0, &[]).json();
    let kinds = ["model_answer", "tool_result", "model_answer", "verdict", "model_answer", "verdict"];
    assert_eq!(types(&json), kinds, "{json}");
    let steps = run(folder, &["runs", "steps", &id[..20]]).await.ends(0, &[]).stdout;
    let lines: Vec<&str> = steps.lines().collect();
    assert!(lines[0].starts_with("STEP  TYPE") && lines.len() == 7, "{steps}");
    for (line, words) in
        [(1, "calls read_file"), (2, "read_file: ok"), (4, "schema_invalid"), (6, "accepted")]
    {
        assert!(lines[line].contains(words), "no '{words}' in {}", lines[line]);
    }

    let asked = model.requests().len();
    let fork = ["runs", "fork", &id, "--from", "2", "--model", "claude-large", "--wait", "--json"];
    let forked = run(folder, &fork).await.ends(0, &[]);
    assert_eq!(forked.text("/result_data/severity"), "high");
    assert_ne!(forked.text("/session_id"), first.text("/session_id"));
    assert_eq!(model.requests().len(), asked + 2, "the first answer is not asked for again");

    let other = forked.text("/run_id");
    let diff = run(folder, &["runs", "diff", &id, &other]).await.ends(0, &[]).stdout;
    for words in ["claude-test", "claude-large", "result.severity", "low", "high"] {
        assert!(diff.contains(words), "no '{words}' in {diff}");
    }
    let marked: Vec<&str> = diff.lines().filter(|line| line.starts_with('>')).collect();
    assert!(marked.len() == 1 && marked[0].starts_with(">  3"), "{diff}");
    let json = run(folder, &["runs", "diff", &id, &other, "--json"]).await.ends(0, &[]).json();
    assert_eq!((&json["first_different_step"], &json["a"]["run_id"]), (&json!(3), &json!(id)));

    let fork = ["runs", "fork", &id, "--from", "1", "--system-prompt", "You sort quickly."];
    let queued = run(folder, &fork).await.ends(0, &[]).stdout;
    let queued = queued.strip_suffix('\n').unwrap();
    run(folder, &["runs", "watch", queued]).await.ends(0, &[]);
    assert!(model.requests().last().unwrap().body.to_string().contains("You sort quickly."));

    run(folder, &["runs", "fork", &id, "--from", "99"]).await.ends(1, &["has no step 99"]);
    std::fs::write(folder.join("schema.json"), r#"{"type": "object"}"#).unwrap();
    run(folder, &["runs", "fork", &id, "--from", "2", "--schema", "schema.json"]).await.ends(1, &["triage"]);
    run(folder, &["runs", "steps", "run_none"]).await.ends(1, &["accord runs list"]);
}

#[tokio::test]
async fn a_finished_run_is_run_again_with_another_input_or_model() {
    let model = ModelServer::start(Script::handler(|request, _| {
        Reply::text(format!("{} {}", request.model(), request.last_text()))
    }))
    .await
    .unwrap();
    let parameters = json!({"type": "object", "required": ["prompt"], "properties": {
        "prompt": {"type": "string"}, "count": {"type": "integer"}}});
    let blueprint = agent("free", &model, &json!({"parameters_schema": parameters}));
    let project = Project::new().agent(&blueprint);
    let folder = project.path();
    // No coordinator is running: each command starts one.
    let first = run(folder, &["run", "free", "hello", "--param", "count=1", "--json"]).await.ends(0, &[]);
    let id = first.text("/run_id");
    let again = async |changes: &[&str]| {
        let ran = run(folder, &[&["runs", "retry", &id, "--wait", "--json"], changes].concat()).await;
        let ran = ran.ends(0, &[]);
        let shown = run(folder, &["runs", "show", &ran.text("/run_id"), "--json"]).await.json();
        (ran.text("/result_text"), shown["parameters"].clone())
    };
    let (said, parameters) = again(&[]).await;
    assert!(said.starts_with("claude-test"), "{said}");
    assert_eq!(parameters, json!({"prompt": "hello", "count": 1}));
    let (said, _) = again(&["--model", "claude-large"]).await;
    assert!(said.starts_with("claude-large"), "{said}");
    let (_, parameters) = again(&["--prompt", "bye", "--param", "count=2"]).await;
    assert_eq!(parameters, json!({"prompt": "bye", "count": 2}));
    run(folder, &["runs", "retry", &id, "--param", "count=many"]).await.ends(1, &["$.count"]);
    run(folder, &["runs", "retry", &id, "--prompt", "a", "--param", "prompt=b"]).await.ends(1, &["prompt"]);
    let queued = run(folder, &["runs", "retry", &id, &id, "--json"]).await.ends(0, &[]).stdout;
    assert_eq!(queued.lines().filter(|line| line.contains("\"pending\"")).count(), 2, "{queued}");
}

#[tokio::test]
async fn a_failed_run_is_continued_from_its_last_step_by_another_model() {
    let model = ModelServer::start(Script::handler(|request, _| match request.model() {
        "claude-large" => Reply::text(r#"{"severity": "high"}"#),
        "claude-gone" => Reply::error(404, "no such model"),
        _ => Reply::text("I cannot say."),
    }))
    .await
    .unwrap();
    let host = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let folder = host.path();
    for chosen in ["claude-test", "claude-gone"] {
        let failed = run(folder, &["run", "triage", "Sort it", "--model", chosen, "--json"]).await;
        let id = failed.json()["run_id"].as_str().unwrap().to_owned();
        let shown = run(folder, &["runs", "show", &id, "--json"]).await.ends(0, &[]);
        assert_eq!(shown.text("/status"), "failed", "{chosen}");
        let steps = run(folder, &["runs", "steps", &id, "--json"]).await.ends(0, &[]).json();
        let last = steps["items"].as_array().unwrap().len().to_string();
        let fork = ["runs", "fork", &id, "--from", &last, "--model", "claude-large", "--wait", "--json"];
        let forked = run(folder, &fork).await.ends(0, &[]);
        assert_eq!(forked.text("/result_data/severity"), "high", "{chosen}");
        assert_eq!(model.requests().last().unwrap().model(), "claude-large", "{chosen}");
        run(folder, &["runs", "fork", &id, "--from", &last, "--model", ""])
            .await
            .ends(1, &["model is empty"]);
        run(folder, &["runs", "retry", &id, "--model", " "]).await.ends(1, &["model is empty"]);
    }
}
