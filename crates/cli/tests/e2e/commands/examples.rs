//! `accord agents examples`: examples from runs, and the suggestion to add some.

use accord_test_support::Reply;
use serde_json::{Value, json};

use super::run;
use crate::support::{Project, agent, contracted, model};

#[tokio::test]
async fn a_missed_contract_suggests_examples_and_a_run_becomes_one() {
    let wrong = || Reply::text("I cannot say");
    let mut replies: Vec<Reply> = (0..3).map(|_| wrong()).collect();
    replies.insert(0, Reply::text(r#"{"severity": "low"}"#));
    let model = model(replies).await;
    let mut extra = contracted();
    extra["output_schema_options"] = json!({"strategy": "prompt", "max_retries": 0});
    let blueprint = agent("triage", &model, &extra);
    let project = Project::new();
    let file = project.path().join(".accord/agents/triage/agent.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let written: String = blueprint
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| format!("# About {name}.\n{name}: {value}\n"))
        .collect();
    std::fs::write(&file, &written).unwrap();
    let folder = project.path();
    let completed = run(folder, &["run", "triage", "printer", "--json"]).await.ends(0, &[]).json();
    let failed = run(folder, &["run", "triage", "door"]).await;
    let failed = failed.ends(2, &["has no examples", "accord agents examples triage --from RUN"]);
    let id = failed.stderr.split("triage --from ").nth(2).and_then(|rest| rest.split(' ').next()).unwrap();

    let examples = ["agents", "examples", "triage", "--from"];
    let of = |run: &Value| run["run_id"].as_str().unwrap().to_owned();
    run(folder, &[&examples[..], &[id]].concat()).await.ends(1, &["has no JSON result", "--answer FILE"]);
    let added = run(folder, &[&examples[..], &[&of(&completed)]].concat()).await.ends(0, &[]);
    assert!(added.stdout.contains("1 example added to "), "{added:?}");
    std::fs::write(folder.join("right.json"), r#"{"severity": "urgent"}"#).unwrap();
    let answered = [&examples[..], &[id, "--answer", "right.json"]].concat();
    run(folder, &answered).await.ends(1, &["severity"]);
    std::fs::write(folder.join("right.json"), r#"{"severity": "high"}"#).unwrap();
    run(folder, &answered).await.ends(0, &[]);
    let again = run(folder, &answered).await.ends(0, &[]);
    assert!(again.stdout.contains("already has these examples"), "{again:?}");

    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(&written), "{text}");
    let shown = run(folder, &["agents", "show", "triage", "--json"]).await.json();
    let expected = json!([
        {"input": {"prompt": "printer"}, "output": {"severity": "low"}},
        {"input": {"prompt": "door"}, "output": {"severity": "high"}},
    ]);
    assert_eq!(shown["blueprint"]["examples"], expected);
    // The next request shows them, and a failure suggests nothing any more.
    let failed = run(folder, &["run", "triage", "window"]).await.ends(2, &[]);
    assert!(!failed.stderr.contains("has no examples"), "{failed:?}");
    let sent = model.requests().last().unwrap().text();
    assert!(sent.contains("printer") && sent.contains("door"), "{sent}");
}
