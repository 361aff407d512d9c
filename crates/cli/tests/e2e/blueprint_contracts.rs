//! Contracts in agent files: one test per success criterion of the first design note. Those about
//! the dashboard are tested with the dashboard.

use accord_api::attempt::Outcome;
use accord_api::{EventBody, ExecutionMode, FailureType, RunKind, RunStatus};
use accord_test_support::Reply;
use serde_json::json;

use crate::support::{Project, agent, ask, contracted, data, kinds, model, severity};

#[tokio::test]
async fn agent_blueprints_can_define_output_schema() {
    let model = model([Reply::text(r#"{"severity": "high"}"#)]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let contract = accord.client.agent_contract("triage").await.unwrap();
    assert_eq!(contract.output_schema, Some(severity()));
    assert_eq!(accord.run(&ask("triage")).await.status, RunStatus::Completed);
}

#[tokio::test]
async fn executor_enriches_the_system_prompt_with_the_schema_as_its_last_section() {
    let model = model([Reply::text(r#"{"severity": "high"}"#)]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    accord.run(&ask("triage")).await;
    let request = model.requests().remove(0);
    let system = serde_json::to_string(&request.body["system"]).unwrap();
    let (before, section) = system.split_once("## Required Output Format").unwrap();
    assert!(before.contains("You sort tickets."), "{system}");
    assert!(section.contains("severity") && !section.contains("\\n## "), "{system}");
}

#[tokio::test]
async fn executor_validates_output_against_the_schema_on_every_run() {
    let answers = [r#"{"severity": "low"}"#, r#"{"severity": "critical"}"#, r#"{"severity": "high"}"#];
    let model = model(answers.map(Reply::text)).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let first = accord.run(&ask("triage")).await;
    let mut resume = ask("triage");
    resume.agent_name = None;
    resume.kind = Some(RunKind::ResumeSession);
    resume.session_id = Some(first.session_id.clone());
    let second = accord.run(&resume).await;
    assert_eq!(
        (data(&first), data(&second)),
        (Some(json!({"severity": "low"})), Some(json!({"severity": "high"})))
    );
    let outcomes: Vec<_> =
        accord.client.attempts(&second.run_id).await.unwrap().items.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::SchemaInvalid, Outcome::Accepted]);
}

#[tokio::test]
async fn executor_re_prompts_on_validation_failure_once_in_the_same_session() {
    let model = model([r#"{"severity": "critical"}"#, r#"{"severity": "worse"}"#].map(Reply::text)).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let run = accord.run(&ask("triage")).await;
    assert_eq!(run.status, RunStatus::Failed);
    let requests = model.requests();
    assert_eq!(requests.len(), 2, "one retry, no more");
    let again = requests.last().unwrap();
    let messages = again.body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "question, answer, re-prompt: the same conversation");
    assert!(again.last_text().contains("<output-validation-error>"), "{}", again.last_text());
    assert!(
        again
            .last_text()
            .contains("$.severity: expected one of \"low\", \"medium\", \"high\"; got \"critical\"")
    );
}

#[tokio::test]
async fn executor_uses_result_data_and_not_result_text_under_a_contract() {
    let model = model([Reply::text("Here it is:\n```json\n{\"severity\": \"high\"}\n```")]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let run = accord.run(&ask("triage")).await;
    let result = accord.client.session_result(&run.session_id).await.unwrap();
    assert_eq!(result.result_text, None);
    assert_eq!(result.result_data.as_ref().map(|raw| raw.get()), Some(r#"{"severity":"high"}"#));
    assert_eq!(result.validated_output.as_ref().map(|raw| raw.get()), Some(r#"{"severity":"high"}"#));
    assert!(result.result.unwrap().starts_with("Here it is:"));
}

#[tokio::test]
async fn invalid_results_are_never_sent_to_the_coordinator() {
    let model = model([r#"{"severity": "critical"}"#, r#"{"severity": "high"}"#].map(Reply::text)).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let run = accord.run(&ask("triage")).await;
    let events = accord.events(&run.run_id).await;
    let results: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Result { result_text, result_data } => {
                Some((result_text.clone(), result_data.clone()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(results, [(None, Some(json!({"severity": "high"})))]);
}

#[tokio::test]
async fn failed_validation_after_the_retry_marks_the_run_as_failed_with_its_errors() {
    let model = model([r#"{"severity": "critical"}"#, r#"{"severity": "worse"}"#].map(Reply::text)).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let run = accord.run(&ask("triage")).await;
    let error = run.error.unwrap();
    assert_eq!(error.kind, FailureType::OutputSchemaValidationFailed);
    assert_eq!(error.message, "output did not match the schema after 1 retry");
    assert_eq!(
        error.validation_errors,
        ["$.severity: expected one of \"low\", \"medium\", \"high\"; got \"worse\""]
    );
    assert_eq!((error.last_output.as_deref(), error.attempts), (Some(r#"{"severity": "worse"}"#), Some(2)));
    assert!(run.result.is_none());
}

#[tokio::test]
async fn coordinator_receives_only_valid_results_or_failures() {
    let model = model([Reply::text("no"), Reply::text("still no")]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let run = accord.run(&ask("triage")).await;
    let kinds = kinds(&accord.events(&run.run_id).await);
    assert!(!kinds.contains(&"result") && kinds.last() == Some(&"run.failed"), "{kinds:?}");
}

#[tokio::test]
async fn callback_processor_returns_result_data_if_present_otherwise_result_text() {
    let child = model([Reply::text(r#"{"severity": "high"}"#)]).await;
    let plain = model([Reply::text("plain words")]).await;
    let parent = model([Reply::text("waiting"), Reply::text("heard one"), Reply::text("heard two")]).await;
    let accord = Project::new()
        .agent(&agent("parent", &parent, &json!({})))
        .agent(&agent("triage", &child, &contracted()))
        .agent(&agent("plain", &plain, &json!({})))
        .up()
        .await;
    let session = accord.run(&ask("parent")).await.session_id;
    for name in ["triage", "plain"] {
        let mut request = ask(name);
        request.parent_session_id = Some(session.clone());
        request.execution_mode = Some(ExecutionMode::AsyncCallback);
        accord.run(&request).await;
    }
    parent.wait_for_requests(2).await;
    let told = |request: &accord_test_support::RecordedRequest| request.text();
    let everything = loop {
        let all: String = parent.requests().iter().map(told).collect();
        if all.contains("\"severity\": \"high\"") && all.contains("plain words") {
            break all;
        }
        parent.wait_for_requests(parent.requests().len() + 1).await;
    };
    assert!(everything.contains("<agent-callback"), "{everything}");
}
