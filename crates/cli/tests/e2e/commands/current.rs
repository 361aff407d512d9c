//! `accord replay --current`: recorded answers, validated by the current version of the agent.

use accord_test_support::Reply;
use serde_json::{Value, json};

use super::run;
use crate::support::{Project, agent, contracted, model, severity};

fn with(mut blueprint: Value, part: &str, value: Value) -> Value {
    blueprint[part] = value;
    blueprint
}

#[tokio::test]
async fn a_recording_is_validated_by_the_current_agent() {
    let model = model([r#"{"severity": "critical"}"#, r#"{"severity": "high"}"#].map(Reply::text)).await;
    let recorded = agent("triage", &model, &contracted());
    let project = Project::new().agent(&recorded);
    let record = ["record", "triage", "Nobody can log in", "--output", "tape.json"];
    run(project.path(), &record).await.ends(0, &["Recorded 2 exchanges"]);
    drop(model);
    let replay = ["replay", "tape.json", "--current"];
    let ran = run(project.path(), &replay).await;
    let ran = ran.ends(0, &["The agent is as it was recorded.", "meets the current contract"]);
    assert_eq!(ran.stdout, "{\"severity\":\"high\"}\n");

    // With another prompt, the answer is still valid, and both commands warn that it answered
    // another prompt.
    let prompted = with(recorded.clone(), "system_prompt", json!("You sort bugs."));
    let project = project.agent(&prompted);
    let said = ["system_prompt: \"You sort tickets.\" → \"You sort bugs.\"", "meets the current contract"];
    run(project.path(), &replay).await.ends(0, &said);
    let note = "note: the agent has changed since the recording (system_prompt); pass --current";
    run(project.path(), &["replay", "tape.json"]).await.ends(0, &["all match the recording", note]);

    // A contract that accepts the first answer needs no second one.
    let mut schema = severity();
    schema["properties"]["severity"]["enum"] = json!(["critical", "high"]);
    let project = project.agent(&with(recorded.clone(), "output_schema", schema.clone()));
    let ran = run(project.path(), &[&replay[..], &["--json"]].concat()).await.ends(0, &[]).json();
    assert_eq!((&ran["conforms"], &ran["run"]["attempts"]), (&json!(true), &json!(1)));
    assert_eq!(ran["changes"][0]["path"], json!("output_schema.properties.severity.enum"));

    // A contract that accepts neither answer fails with the reason.
    schema["properties"]["severity"]["enum"] = json!(["p1", "p2"]);
    let project = project.agent(&with(recorded.clone(), "output_schema", schema));
    let said = ["$.severity expected one of", "No recorded answer meets the current contract"];
    let ran = run(project.path(), &replay).await.ends(2, &said);
    assert_eq!(ran.stdout, "");
    let ran = run(project.path(), &[&replay[..], &["--json"]].concat()).await.ends(2, &[]).json();
    assert_eq!(ran["conforms"], json!(false));

    // An agent that rejects the recorded input fails as well.
    let typed =
        json!({"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}});
    let project = project.agent(&with(recorded, "parameters_schema", typed));
    let said = ["parameters_schema added", "The recorded run is refused", "ticket"];
    run(project.path(), &replay).await.ends(2, &said);
}

#[tokio::test]
async fn the_current_agent_must_exist() {
    let model = model([Reply::text("hello")]).await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    run(project.path(), &["record", "free", "x", "-o", "tape.json"]).await.ends(0, &[]);
    let elsewhere = Project::new();
    std::fs::copy(project.path().join("tape.json"), elsewhere.path().join("tape.json")).unwrap();
    let ran = run(elsewhere.path(), &["replay", "tape.json", "--current"]).await;
    ran.ends(1, &["the recorded agent 'free' is not in the project", "--dir"]);
    let replayed = json!({"name": "free", "type": "autonomous", "system_prompt": "You sort tickets.",
        "executor": {"type": "replay", "cassette": "tape.json"}});
    let elsewhere = elsewhere.agent(&replayed);
    let ran = run(elsewhere.path(), &["replay", "tape.json", "--current"]).await;
    ran.ends(0, &["The agent is as it was recorded."]);
    // The model was not called: statistics list replayed runs separately.
    run(elsewhere.path(), &["run", "free", "x"]).await.ends(0, &[]);
    let stats = run(elsewhere.path(), &["stats", "--json"]).await.ends(0, &[]).json();
    assert_eq!(stats["by_model"][0]["key"], json!("claude-test (replay)"), "{stats}");
}
