//! Contracts of callers: one test per success criterion of the second design note. The one about
//! MCP is tested with the MCP server.

use std::collections::BTreeSet;

use accord_api::attempt::Outcome;
use accord_api::{CreateSchema, ErrorName, FailureType, RunStatus, contract};
use accord_test_support::{ModelServer, RecordedRequest, Reply, Script, Wire};
use serde_json::{Value, json};

use crate::external::example;
use crate::support::{Project, agent, ask, data, model, severity};

fn options(max_retries: u32) -> Option<contract::Options> {
    let strategy = Some(contract::Strategy::Prompt);
    Some(contract::Options { max_retries: Some(max_retries), strategy, ..contract::Options::default() })
}

#[tokio::test]
async fn runs_can_specify_the_output_schema_inline_or_by_name() {
    let model = model([r#"{"severity": "low"}"#, r#"{"severity": "high"}"#].map(Reply::text)).await;
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let schema = CreateSchema { name: "severity".into(), description: None, schema: severity() };
    accord.client.create_schema(&schema).await.unwrap();
    let mut inline = ask("free");
    inline.output_schema = Some(severity());
    let mut named = ask("free");
    named.output_schema_name = Some("severity".into());
    assert_eq!(data(&accord.run(&inline).await), Some(json!({"severity": "low"})));
    let run = accord.run(&named).await;
    assert_eq!(data(&run), Some(json!({"severity": "high"})));
    let validation = run.result.unwrap().schema_validation.unwrap();
    assert_eq!(validation.schema_name.as_deref(), Some("severity"));
}

#[tokio::test]
async fn agent_output_is_validated_against_json_schema() {
    let model = model([Reply::text("prose only")]).await;
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let mut request = ask("free");
    (request.output_schema, request.output_schema_options) = (Some(severity()), options(0));
    let run = accord.run(&request).await;
    assert_eq!(run.status, RunStatus::Failed);
    assert_eq!(run.error.unwrap().kind, FailureType::SchemaValidationFailed);
}

#[tokio::test]
async fn failed_validation_triggers_a_retry_with_feedback() {
    let answers = ["prose", r#"{"severity": 3}"#, r#"{"severity": "low"}"#];
    let model = model(answers.map(Reply::text)).await;
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let mut request = ask("free");
    (request.output_schema, request.output_schema_options) = (Some(severity()), options(2));
    let run = accord.run(&request).await;
    assert_eq!(data(&run), Some(json!({"severity": "low"})));
    let requests = model.requests();
    assert!(requests[0].last_text().contains("## Output Format (REQUIRED)"), "{}", requests[0].last_text());
    let feedback = requests[2].last_text();
    assert!(feedback.contains("$.severity") && feedback.contains(r#"{"severity": 3}"#), "{feedback}");
    let outcomes: Vec<_> =
        accord.client.attempts(&run.run_id).await.unwrap().items.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::NoJson, Outcome::SchemaInvalid, Outcome::Accepted]);
}

#[tokio::test]
async fn validated_json_is_stored_separately_from_the_raw_result() {
    let raw = "Sure!\n\n```json\n{\"severity\": \"low\"}\n```\n";
    let model = model([Reply::text(raw)]).await;
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let mut request = ask("free");
    (request.output_schema, request.output_schema_options) = (Some(severity()), options(0));
    let run = accord.run(&request).await;
    let result = accord.client.session_result(&run.session_id).await.unwrap();
    assert_eq!(result.result.as_deref(), Some(raw));
    assert_eq!(result.validated_output.as_ref().map(|value| value.get()), Some(r#"{"severity":"low"}"#));
    let validation = result.schema_validation.unwrap();
    assert_eq!((validation.valid, validation.retry_count, validation.attempts), (true, 0, 1));
}

#[tokio::test]
async fn the_schema_registry_supports_its_operations() {
    let accord = Project::new().coordinator().await;
    let schema = CreateSchema { name: "severity".into(), description: Some("d".into()), schema: severity() };
    let made = accord.client.create_schema(&schema).await.unwrap();
    assert_eq!(accord.client.schema("severity").await.unwrap(), made);
    let page = accord_api::PageQuery::default();
    assert_eq!(accord.client.schemas(&page).await.unwrap().items, [made]);
    let other = CreateSchema { schema: json!({"type": "string"}), ..schema };
    assert!(accord.client.create_schema(&other).await.unwrap_err().is(ErrorName::SchemaExists));
    accord.client.delete_schema("severity").await.unwrap();
    assert!(accord.client.schema("severity").await.unwrap_err().is(ErrorName::SchemaNotFound));
}

/// One agent per provider protocol, one that runs a command, and one external program.
fn agents(model: &ModelServer) -> Vec<Value> {
    let wires = ["anthropic", "openai", "openai-chat", "openai-compatible", "ollama"];
    let agents = wires.map(|provider| {
        let base_url =
            if provider.starts_with("openai") { model.openai_url() } else { model.url().to_owned() };
        let executor = json!({"type": "llm", "provider": provider, "model": "test", "base_url": base_url});
        agent(provider, model, &json!({"executor": executor}))
    });
    let script = "cat >/dev/null; echo '{\"words\": 2}'";
    let command = json!({
        "name": "command", "type": "procedural",
        "executor": {"type": "process", "command": "sh", "args": ["-c", script]},
    });
    // It has no memory and knows only from its prompt that it was asked before.
    let script = r#"if grep -q '"answer": "a couple"'; then echo '{"words": 2}'; else echo a couple; fi"#;
    let program = json!({
        "name": "program",
        "executor": {
            "type": "external", "command": example("wrap.sh"), "args": ["sh", "-c", script], "reprompt": false,
        },
    });
    agents.into_iter().chain([command, program]).collect()
}

#[tokio::test]
async fn it_works_with_any_executor() {
    // Every other answer is wrong, so that every agent that can be re-prompted is.
    let answers = |_: &RecordedRequest, count: usize| {
        Reply::text(if count.is_multiple_of(2) { "a couple" } else { r#"{"words": 2}"# })
    };
    let model = ModelServer::start(Script::handler(answers)).await.unwrap();
    let schema =
        json!({"type": "object", "required": ["words"], "properties": {"words": {"type": "integer"}}});
    let agents = agents(&model);
    let accord = agents.iter().fold(Project::new(), Project::agent).up().await;
    let mut retries = Vec::new();
    for name in agents.iter().map(|agent| agent["name"].as_str().unwrap()) {
        let mut request = ask(name);
        (request.output_schema, request.output_schema_options) = (Some(schema.clone()), options(1));
        let run = accord.run(&request).await;
        assert_eq!(data(&run), Some(json!({"words": 2})), "{name}: {:?}", run.error);
        let told = run.result.unwrap().schema_validation.unwrap().retry_count;
        assert_eq!(run.retry_count, told, "{name}");
        retries.push((name, told));
    }
    let expected = [
        ("anthropic", 1),
        ("openai", 1),
        ("openai-chat", 1),
        ("openai-compatible", 1),
        ("ollama", 1),
        ("command", 0),
        ("program", 1),
    ];
    assert_eq!(retries, expected);
    let spoken: BTreeSet<Wire> = model.requests().iter().map(|request| request.wire).collect();
    assert_eq!(spoken, Wire::ALL.into_iter().collect());
}
