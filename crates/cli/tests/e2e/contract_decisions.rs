//! The decision record on output schemas: one test per decision.

use accord_api::{ErrorName, RunStatus};
use accord_test_support::Reply;
use serde_json::json;

use crate::support::{Project, agent, ask, contracted, data, model};

#[tokio::test]
async fn the_schema_is_defined_by_the_agent_designer_and_not_by_the_caller() {
    let model = model([]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let mut request = ask("triage");
    request.output_schema = Some(json!({"type": "array"}));
    let error = accord.client.create_run(&request, None).await.unwrap_err();
    assert!(error.is(ErrorName::OutputSchemaConflict), "{error}");
    let runs = accord.client.runs(&accord_api::RunQuery::default()).await.unwrap();
    assert_eq!(runs.items.len(), 0, "nothing is queued");
}

#[tokio::test]
async fn validation_uses_2020_12_by_default() {
    // Keywords next to a `$ref` do not count in draft-07.
    let of = |dialect: Option<&str>| {
        let mut schema = json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/number", "minimum": 5}},
            "definitions": {"number": {"type": "integer"}},
        });
        if let Some(dialect) = dialect {
            schema["$schema"] = json!(dialect);
        }
        json!({"output_schema": schema, "output_schema_options": {"strategy": "prompt", "max_retries": 0}})
    };
    let model = model([Reply::text(r#"{"a": 1}"#), Reply::text(r#"{"a": 1}"#)]).await;
    let accord = Project::new()
        .agent(&agent("draft-7", &model, &of(Some("http://json-schema.org/draft-07/schema#"))))
        .agent(&agent("unnamed", &model, &of(None)))
        .up()
        .await;
    assert_eq!(accord.run(&ask("draft-7")).await.status, RunStatus::Completed);
    assert_eq!(accord.run(&ask("unnamed")).await.status, RunStatus::Failed);
}

#[tokio::test]
async fn an_answer_is_retried_once() {
    let model = model(["a", "b", "c"].map(Reply::text)).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    assert_eq!(accord.run(&ask("triage")).await.status, RunStatus::Failed);
    assert_eq!(model.remaining(), 1);
}

#[tokio::test]
async fn result_text_and_result_data_exclude_each_other() {
    let model = model([Reply::text(r#"{"severity": "low"}"#), Reply::text(r#"{"severity": "low"}"#)]).await;
    let accord = Project::new()
        .agent(&agent("triage", &model, &contracted()))
        .agent(&agent("free", &model, &json!({})))
        .up()
        .await;
    let with = accord.run(&ask("triage")).await;
    assert_eq!((data(&with), with.result.unwrap().result_text), (Some(json!({"severity": "low"})), None));
    let without = accord.run(&ask("free")).await;
    assert_eq!(data(&without), None);
    assert_eq!(without.result.unwrap().result_text.as_deref(), Some(r#"{"severity": "low"}"#));
}
