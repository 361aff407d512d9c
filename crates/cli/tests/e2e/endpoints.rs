//! Requests that providers reject, and facts learned about endpoints.

use accord_api::attempt::Outcome;
use accord_api::{Attempt, EndpointFact, EndpointQuery, RunStatus, RunView, Standing, Strategy};
use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use crate::support::{Accord, Project, accord, agent, ask, data, model};

fn blueprint(model: &ModelServer, provider: &str, options: &Value) -> Value {
    let base_url = if provider.starts_with("openai") { model.openai_url() } else { model.url() };
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let executor = json!({"type": "llm", "provider": provider, "model": "m", "base_url": base_url});
    agent(
        "count",
        model,
        &json!({"executor": executor, "output_schema": schema, "output_schema_options": options}),
    )
}

async fn attempts(accord: &Accord, run: &RunView) -> Vec<Attempt> {
    accord.client.attempts(&run.run_id).await.unwrap().items
}

fn told(attempts: &[Attempt]) -> Vec<(Strategy, Outcome)> {
    attempts.iter().map(|attempt| (attempt.strategy, attempt.outcome)).collect()
}

/// The stdout of a command.
async fn accord_command(running: &Accord, arguments: &[&str]) -> String {
    let output = accord(running.path()).args(arguments).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn facts(accord: &Accord) -> Vec<(String, Standing)> {
    let page = accord.client.endpoints(&EndpointQuery::default()).await.unwrap();
    page.items.into_iter().map(|EndpointFact { feature, standing, .. }| (feature, standing)).collect()
}

#[tokio::test]
async fn an_answer_that_groq_rejects_uses_a_contract_retry() {
    let rejected = json!({"error": {
        "message": "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        "type": "invalid_request_error",
        "code": "json_validate_failed",
        "failed_generation": "{\"n\": \"many\"}",
    }});
    let model = model([Reply::error_body(400, rejected), Reply::text(r#"{"n": 1}"#)]).await;
    let accord = Project::new().agent(&blueprint(&model, "openai-compatible", &json!({}))).up().await;
    let run = accord.run(&ask("count")).await;
    assert_eq!(data(&run), Some(json!({"n": 1})));
    let attempts = attempts(&accord, &run).await;
    let expected = [(Strategy::Native, Outcome::SchemaInvalid), (Strategy::Native, Outcome::Accepted)];
    assert_eq!(told(&attempts), expected);
    assert_eq!(attempts[0].text, r#"{"n": "many"}"#);
    assert_eq!(facts(&accord).await, [("native".to_owned(), Standing::Works)]);
}

#[tokio::test]
async fn a_grammar_that_llama_cpp_cannot_parse_is_not_sent_again() {
    let failed =
        json!({"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}});
    for provider in ["openai-compatible", "openai-chat"] {
        let model = model([Reply::error_body(500, failed.clone()), Reply::submit(&json!({"n": 1}))]).await;
        let accord = Project::new().agent(&blueprint(&model, provider, &json!({}))).up().await;
        let run = accord.run(&ask("count")).await;
        assert_eq!(data(&run), Some(json!({"n": 1})), "{provider}");
        let expected = [(Strategy::Native, Outcome::SchemaRejected), (Strategy::Tool, Outcome::Accepted)];
        assert_eq!(told(&attempts(&accord, &run).await), expected, "{provider}");
        assert_eq!(model.requests().len(), 2, "{provider}");
        let facts = facts(&accord).await;
        assert!(facts[0].0.starts_with("native#sha256:") && facts[0].1 == Standing::Barred, "{facts:?}");
    }
}

#[tokio::test]
async fn a_server_without_the_text_field_is_asked_in_another_way() {
    let unknown = json!({"error": {"message": "Unknown parameter: 'text'.", "type": "invalid_request_error",
        "param": "text", "code": "unknown_parameter"}});
    let model = model([Reply::error_body(400, unknown), Reply::submit(&json!({"n": 1}))]).await;
    let accord = Project::new().agent(&blueprint(&model, "openai", &json!({}))).up().await;
    let run = accord.run(&ask("count")).await;
    let expected = [(Strategy::Native, Outcome::SchemaRejected), (Strategy::Tool, Outcome::Accepted)];
    assert_eq!(told(&attempts(&accord, &run).await), expected);
    let expected = [("native".to_owned(), Standing::Barred), ("tool".to_owned(), Standing::Works)];
    assert_eq!(facts(&accord).await, expected);
}

#[tokio::test]
async fn learned_facts_are_listed_and_removed() {
    let refused = |request: &RecordedRequest| request.schema().is_some() && request.tools().is_empty();
    let model = ModelServer::start(Script::handler(move |request, _| match refused(request) {
        true => Reply::error(400, "response_format is not supported"),
        false => Reply::submit(&json!({"n": 1})),
    }));
    let model = model.await.unwrap();
    let project = Project::new().agent(&blueprint(&model, "openai-compatible", &json!({})));
    let accord = project.up().await;
    for expected in [2, 1] {
        let run = accord.run(&ask("count")).await;
        assert_eq!(run.status, RunStatus::Completed);
        assert_eq!(attempts(&accord, &run).await.len(), expected);
    }
    let listed = accord_command(&accord, &["endpoints", "list"]).await;
    assert!(listed.contains("barred") && listed.contains("works"), "{listed}");
    let endpoint =
        accord.client.endpoints(&EndpointQuery::default()).await.unwrap().items[0].endpoint.clone();
    assert_eq!(endpoint, format!("openai-compatible {}", model.openai_url()));
    let forgotten =
        accord_command(&accord, &["endpoints", "forget", &endpoint, "--feature", "native", "--json"]).await;
    let forgotten: Value = serde_json::from_str(&forgotten).unwrap();
    let matching = format!("endpoint {endpoint}, feature native");
    assert_eq!(forgotten, json!({"forgotten": 1, "matching": matching}));
    assert_eq!(facts(&accord).await, [("tool".to_owned(), Standing::Works)]);
    let run = accord.run(&ask("count")).await;
    assert_eq!(attempts(&accord, &run).await.len(), 2, "it is tried again");
    let audit = accord.client.audit(&accord_api::AuditQuery::default()).await.unwrap().items;
    let entry = audit.iter().find(|entry| entry.action == "endpoints.forgotten").unwrap();
    assert_eq!(entry.object.as_ref(), Some(&matching));
}
