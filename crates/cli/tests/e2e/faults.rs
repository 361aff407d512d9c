//! Bugs that similar systems have had, each prevented here.

use accord_api::{
    ClaimRuns, Demands, ErrorName, EventBody, EventId, ExecutionMode, FailureType, FinishRun, FinishStatus,
    Holding, Profile, RegisterRunner, RunStatus, SessionStatus, Usage,
};
use accord_client::{Client, EventFilter};
use accord_test_support::Reply;
use futures_util::StreamExt as _;
use serde_json::json;

use crate::support::{Accord, Project, agent, ask, contracted, data, kinds, model};

#[tokio::test]
async fn an_empty_object_is_not_lost() {
    let model = model([Reply::text("{}")]).await;
    let open = json!({"output_schema": {"type": "object", "properties": {}}});
    let accord = Project::new().agent(&agent("empty", &model, &open)).up().await;
    let run = accord.run(&ask("empty")).await;
    assert_eq!((run.status, data(&run)), (RunStatus::Completed, Some(json!({}))));
    let result = accord.client.session_result(&run.session_id).await.unwrap();
    assert_eq!(result.result_data.as_ref().map(|raw| raw.get()), Some("{}"));
    let events = accord.events(&run.run_id).await;
    let expected = EventBody::Result { result_text: None, result_data: Some(json!({})) };
    assert!(events.iter().any(|event| event.body == expected));
}

/// A runner of this test, to violate the protocol.
async fn register(client: &Client) -> accord_api::RunnerId {
    let profile = Profile {
        hostname: "test".into(),
        executor_types: ["llm".to_owned()].into(),
        concurrency: 1,
        ..Profile::default()
    };
    client.register_runner(&RegisterRunner { profile }).await.unwrap().runner_id
}

fn finish(holding: Holding, severity: &str) -> FinishRun {
    let data = serde_json::value::to_raw_value(&json!({"severity": severity})).unwrap();
    FinishRun {
        retry_count: 0,
        holding,
        report: None,
        status: FinishStatus::Completed,
        result_text: None,
        result_data: Some(data),
        raw: Some("raw".into()),
        validation: None,
        error: None,
        answer: None,
        inputs: Vec::new(),
        usage: Usage::default(),
        conversation: None,
        affinity: None,
        facts: Vec::new(),
        repeated: false,
    }
}

async fn held(accord: &Accord) -> (accord_api::RunId, Holding) {
    let client = &accord.client;
    let run = client.create_run(&ask("triage"), None).await.unwrap();
    let runner_id = register(client).await;
    let claim = ClaimRuns { runner_id: runner_id.clone(), max: 1, wait_seconds: 5, start: true };
    let claimed = client.claim_runs(&claim).await.unwrap().runs.remove(0);
    let holding = Holding { runner_id, lease_id: claimed.lease_id, attempt: claimed.attempt };
    (run.run_id, holding)
}

#[tokio::test]
async fn only_the_holder_can_report_a_result() {
    let model = model([]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).coordinator().await;
    let (run, holding) = held(&accord).await;
    let stranger = Holding { runner_id: register(&accord.client).await, ..holding.clone() };
    let late = Holding { attempt: holding.attempt + 1, ..holding.clone() };
    for wrong in [stranger, late] {
        let error = accord.client.finish_run(&run, &finish(wrong, "high")).await.unwrap_err();
        assert!(error.is(ErrorName::LeaseLost), "{error}");
    }
    accord.client.finish_run(&run, &finish(holding, "low")).await.unwrap();
    assert_eq!(data(&accord.client.run(&run).await.unwrap()), Some(json!({"severity": "low"})));
}

#[tokio::test]
async fn a_result_is_not_reported_twice() {
    let model = model([]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).coordinator().await;
    let (run, holding) = held(&accord).await;
    accord.client.finish_run(&run, &finish(holding.clone(), "low")).await.unwrap();
    let error = accord.client.finish_run(&run, &finish(holding, "high")).await.unwrap_err();
    assert!(error.is(ErrorName::LeaseLost), "{error}");
    let results = accord.events(&run).await.iter().filter(|event| event.body.kind() == "result").count();
    assert_eq!(results, 1);
    assert_eq!(data(&accord.client.run(&run).await.unwrap()), Some(json!({"severity": "low"})));
}

#[tokio::test]
async fn a_nonconforming_result_is_rejected_by_the_coordinator() {
    let model = model([]).await;
    let accord = Project::new().agent(&agent("triage", &model, &contracted())).coordinator().await;
    let (run, holding) = held(&accord).await;
    let error = accord.client.finish_run(&run, &finish(holding.clone(), "critical")).await.unwrap_err();
    assert!(error.is(ErrorName::ContractViolation), "{error}");
    assert!(!accord.client.run(&run).await.unwrap().status.is_over());
    let text = FinishRun { result_data: None, result_text: Some("words".into()), ..finish(holding, "low") };
    assert!(accord.client.finish_run(&run, &text).await.is_err());
    assert!(accord.client.run(&run).await.unwrap().result.is_none());
}

#[tokio::test]
async fn an_invalid_schema_is_rejected_everywhere() {
    let model = model([]).await;
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).coordinator().await;
    let wrong = json!({"type": "object", "properties": {"a": {"type": "strin"}}});
    let mut request = ask("free");
    request.output_schema = Some(wrong.clone());
    let error = accord.client.create_run(&request, None).await.unwrap_err();
    assert!(error.is(ErrorName::InvalidSchema), "{error}");
    let schema = accord_api::CreateSchema { name: "x".into(), description: None, schema: wrong.clone() };
    assert!(accord.client.create_schema(&schema).await.unwrap_err().is(ErrorName::InvalidSchema));
    let stored = agent("stored", &model, &json!({"output_schema": wrong}));
    assert!(accord.client.create_agent(&stored).await.unwrap_err().is(ErrorName::InvalidSchema));
}

#[tokio::test]
async fn an_unknown_agent_is_rejected() {
    let accord = Project::new().coordinator().await;
    let error = accord.client.create_run(&ask("nobody"), None).await.unwrap_err();
    assert!(error.is(ErrorName::AgentNotFound), "{error}");
    assert_eq!(accord.client.sessions(&accord_api::SessionQuery::default()).await.unwrap().items, []);
}

#[tokio::test]
async fn a_stop_does_not_change_an_earlier_run() {
    let model = model([Reply::text("first"), Reply::hang()]).await;
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let first = accord.run(&ask("free")).await;
    let mut resume = ask("free");
    (resume.agent_name, resume.session_id) = (None, Some(first.session_id.clone()));
    let second = accord.client.create_run(&resume, None).await.unwrap();
    model.wait_for_requests(2).await;
    accord.client.stop_session(&first.session_id).await.unwrap();
    let kinds = kinds(&accord.events(&second.run_id).await);
    assert_eq!(kinds.last(), Some(&"run.stopped"), "{kinds:?}");
    let first = accord.client.run(&first.run_id).await.unwrap();
    assert_eq!(first.status, RunStatus::Completed);
    assert_eq!(first.result.unwrap().result_text.as_deref(), Some("first"));
}

#[tokio::test]
async fn a_run_without_a_matching_runner_fails_and_calls_back() {
    let parent = model([Reply::text("waiting"), Reply::text("understood")]).await;
    let accord = Project::new()
        .agent(&agent("parent", &parent, &json!({})))
        .agent(&agent("child", &parent, &json!({"demands": {"tags": ["nowhere"]}})))
        .set("ACCORD_QUEUE__MATCH_TIMEOUT_SECONDS", "1")
        .up()
        .await;
    let session = accord.run(&ask("parent")).await.session_id;
    let mut request = ask("child");
    request.parent_session_id = Some(session.clone());
    request.execution_mode = Some(ExecutionMode::AsyncCallback);
    request.additional_demands = Some(Demands::default());
    let child = accord.run(&request).await;
    assert_eq!(child.error.map(|error| error.kind), Some(FailureType::NoMatchingRunner));
    let status = accord.client.session_status(&child.session_id).await.unwrap();
    assert_eq!(status.status, SessionStatus::Failed);
    parent.wait_for_requests(2).await;
    let told = parent.requests().last().unwrap().last_text();
    assert!(told.contains("<agent-callback") && told.contains("no_matching_runner"), "{told}");
}

#[tokio::test]
async fn a_broken_agent_does_not_hide_the_list() {
    let model = model([Reply::text("fine")]).await;
    let accord = Project::new()
        .agent(&agent("good", &model, &json!({})))
        .file("not-json", "{ this is not")
        .file("unknown-field", r#"{"name": "unknown-field", "executer": {}}"#)
        .agent(&agent("bad-schema", &model, &json!({"output_schema": {"type": 7}})))
        .up()
        .await;
    let listed = accord.client.agents(&[], &accord_api::PageQuery::default()).await.unwrap().items;
    let verdicts: Vec<_> = listed.iter().map(|agent| (agent.name.as_str(), agent.valid)).collect();
    assert_eq!(
        verdicts,
        [("bad-schema", false), ("good", true), ("not-json", false), ("unknown-field", false)]
    );
    assert!(listed.iter().filter(|agent| !agent.valid).all(|agent| !agent.problems.is_empty()));
    assert_eq!(accord.run(&ask("good")).await.status, RunStatus::Completed);
    let error = accord.client.create_run(&ask("bad-schema"), None).await.unwrap_err();
    assert!(error.is(ErrorName::AgentBroken), "{error}");
}

#[tokio::test]
async fn last_event_id_replays_what_was_missed() {
    let model = model([Reply::text("one"), Reply::text("two")]).await;
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let first = accord.run(&ask("free")).await;
    let seen = accord.events(&first.run_id).await;
    let middle = seen.get(seen.len() / 2).unwrap().id;
    accord.run(&ask("free")).await;
    let everything: Vec<_> =
        accord.client.events(&EventFilter::default(), Some(EventId::default())).take(12).collect().await;
    let all: Vec<EventId> = everything.into_iter().map(|event| event.unwrap().id).collect();
    assert!(all.is_sorted(), "{all:?}");
    let expected: Vec<EventId> = all.into_iter().filter(|id| *id > middle).collect();
    let missed = accord.client.events(&EventFilter::default(), Some(middle)).take(expected.len());
    let missed: Vec<EventId> = missed.map(|event| event.unwrap().id).collect().await;
    assert_eq!(missed, expected);
}
