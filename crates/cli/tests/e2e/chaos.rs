//! A model that misbehaves in every way that we know of: nothing that does not conform is ever seen, no run hangs, and no
//! run asks more often than it may.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use accord_api::attempt::Outcome;
use accord_api::{
    CreateRun, EventBody, EventId, ExecutionMode, Page, RunQuery, RunStatus, RunView, Strategy, contract,
};
use accord_client::{Client, EventFilter};
use accord_contract::Schema;
use accord_test_support::{ChaosModel, Misbehaviour, ModelServer, Reply, Script};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};

use crate::support::{Accord, Project, agent, ask};

/// How many runs. `CHAOS_RUNS` asks for more.
const RUNS: u32 = 2000;

/// How many are asked for at once.
const AT_ONCE: usize = 64;

/// One in so many is a child of the parent.
const CHILDREN: u32 = 10;

/// How long what follows the last run may take.
const PATIENCE: Duration = Duration::from_secs(120);

const MAX_RETRIES: u32 = 2;

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["severity", "tags"],
        "additionalProperties": false,
        "properties": {
            "severity": {"type": "string", "enum": ["low", "medium", "high"]},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "note": {"type": "string"},
        },
    })
}

/// One agent for each wire.
fn agents(model: &ModelServer) -> Vec<Value> {
    let wires = [
        ("anthropic", model.url().to_owned()),
        ("openai", model.openai_url()),
        ("openai-chat", model.openai_url()),
        ("openai-compatible", model.openai_url()),
        ("ollama", model.url().to_owned()),
    ];
    wires
        .map(|(provider, base_url)| {
            let executor =
                json!({"type": "llm", "provider": provider, "model": "chaos", "base_url": base_url});
            agent(provider, model, &json!({"executor": executor}))
        })
        .to_vec()
}

fn request(number: u32) -> CreateRun {
    let wires = ["anthropic", "openai", "openai-chat", "openai-compatible", "ollama"];
    let strategies = [Strategy::Auto, Strategy::Native, Strategy::Tool, Strategy::Prompt];
    let pick = |count: usize, by: u32| (number / by) as usize % count;
    let options = contract::Options {
        max_retries: Some(MAX_RETRIES),
        strategy: strategies.get(pick(strategies.len(), 5)).copied(),
        validation_mode: (number % 2 == 1).then_some(contract::ValidationMode::Lenient),
        ..contract::Options::default()
    };
    CreateRun {
        agent_name: wires.get(pick(wires.len(), 1)).map(|&wire| wire.to_owned()),
        prompt: Some(format!("seed-{number}: sort this")),
        output_schema: Some(schema()),
        output_schema_options: Some(options),
        ..CreateRun::default()
    }
}

#[tokio::test]
async fn nothing_that_does_not_conform_is_ever_seen() {
    let runs = std::env::var("CHAOS_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(RUNS);
    let good = json!({"severity": "high", "tags": ["a", "ünï 🎉"]});
    // An endless stream costs megabytes each time: seldom is enough.
    let chaos = ChaosModel::new(7, schema(), good).weight(Misbehaviour::EndlessStream, 1);
    let model = ModelServer::start(chaos.clone()).await.unwrap();
    let parent_model = ModelServer::start(Script::handler(|_, _| Reply::text("noted"))).await.unwrap();
    let mut project = Project::new().agent(&agent("parent", &parent_model, &json!({})));
    for agent in agents(&model) {
        project = project.agent(&agent);
    }
    let accord = project.set("ACCORD_RUNNER__CONCURRENCY", "64").up().await;
    let parent = accord.run(&ask("parent")).await.session_id;
    let schema = Arc::new(Schema::compile(&schema()).unwrap());

    let client = &accord.client;
    let results: Vec<(u32, RunView)> = stream::iter(0..runs)
        .map(|number| {
            let mut request = request(number);
            // Some are children whose end their parent is told.
            if number % CHILDREN == 0 {
                request.parent_session_id = Some(parent.clone());
                request.execution_mode = Some(ExecutionMode::AsyncCallback);
            }
            async move { client.create_run_and_wait(&request, 300, None).await.map(|run| (number, run)) }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
        .unwrap();

    let mut ends = BTreeMap::<String, u32>::new();
    for (number, run) in &results {
        let did = || format!("run {number} {:?}: {:?}", run.status, chaos.deeds(&format!("seed-{number}")));
        assert!(run.status.is_over(), "{}", did());
        let end = run.error.as_ref().map_or("completed", |error| error.kind.as_str());
        *ends.entry(end.to_owned()).or_default() += 1;
        check(client, run, &schema, &did).await;
    }
    assert!(ends.get("completed").is_some_and(|count| *count > runs / 20), "{ends:?}");
    assert!(ends.contains_key("schema_validation_failed"), "{ends:?}");
    let children: BTreeSet<String> = results
        .iter()
        .filter(|(number, _)| number % CHILDREN == 0)
        .map(|(_, run)| run.session_id.to_string())
        .collect();
    let told = tokio::time::timeout(PATIENCE, told_to_the_parent(&parent_model, &children, &schema)).await;
    assert!(told.is_ok(), "the parent has not heard of all its children");
    let quiet = tokio::time::timeout(PATIENCE, nothing_is_left(client)).await;
    assert!(quiet.is_ok(), "runs are left unfinished");
    every_result_event_conforms(&accord, &schema).await;
}

/// Whatever can be asked about one run.
async fn check(client: &Client, run: &RunView, schema: &Schema, did: &impl Fn() -> String) {
    let result = client.session_result(&run.session_id).await;
    if run.status == RunStatus::Completed {
        let result = result.unwrap();
        assert_eq!(result.result_text, None, "{}", did());
        let shown = [run.result.as_ref().unwrap().result_data.as_ref(), result.result_data.as_ref()];
        for raw in shown {
            let value: Value = serde_json::from_str(raw.unwrap().get()).unwrap();
            assert!(schema.is_valid(&value), "{value} {}", did());
        }
    } else {
        assert!(result.is_err() && run.result.is_none() && run.error.is_some(), "{}", did());
    }
    let attempts = client.attempts(&run.run_id).await.unwrap().items;
    // What an endpoint refuses is not an answer, and costs no retry: a schema, or a ceiling that was raised after a cut. A
    // run that fails for good does so on its last attempt.
    let answers = attempts.iter().enumerate().filter(|(index, one)| match one.outcome {
        Outcome::SchemaRejected => false,
        Outcome::Failed => index + 1 == attempts.len(),
        _ => true,
    });
    let counted = answers.count();
    assert!(counted <= 1 + MAX_RETRIES as usize, "{counted} attempts, {}", did());
    let accepted = attempts.iter().filter(|one| one.outcome == Outcome::Accepted).count();
    assert_eq!(accepted, usize::from(run.status == RunStatus::Completed), "{}", did());
}

async fn every_result_event_conforms(accord: &Accord, schema: &Schema) {
    let filter =
        EventFilter { types: vec!["result".into(), "run.completed".into()], ..EventFilter::default() };
    let mut events = accord.client.events(&filter, Some(EventId::default()));
    let completed = all(&accord.client, RunStatus::Completed).await;
    let (mut over, mut results) = (0, 0);
    while over < completed.len() {
        match events.next().await.unwrap().unwrap().body {
            EventBody::RunCompleted => over += 1,
            EventBody::Result { result_data: Some(value), result_text: None } => {
                assert!(schema.is_valid(&value), "{value}");
                results += 1;
            }
            EventBody::Result { result_text: Some(text), result_data: None } => {
                assert_eq!(text, "noted");
                results += 1;
            }
            other => assert_eq!(other, EventBody::RunCompleted, "a result has exactly one side"),
        }
    }
    assert_eq!(results, over);
}

/// The parent's own runs end a moment after the last child's.
async fn nothing_is_left(client: &Client) {
    let mut look = tokio::time::interval(Duration::from_millis(50));
    for status in [RunStatus::Pending, RunStatus::Claimed, RunStatus::Running, RunStatus::Stopping] {
        while !all(client, status).await.is_empty() {
            look.tick().await;
        }
    }
}

async fn all(client: &Client, status: RunStatus) -> Vec<RunView> {
    let mut query = RunQuery { status: Some(status), limit: Some(500), ..RunQuery::default() };
    let mut runs = Vec::new();
    loop {
        let Page { items, next_cursor } = client.runs(&query).await.unwrap();
        runs.extend(items);
        match next_cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => return runs,
        }
    }
}

/// The parent hears of each child once: a conforming value, or an error.
async fn told_to_the_parent(model: &ModelServer, children: &BTreeSet<String>, schema: &Schema) {
    let mut heard = BTreeSet::new();
    let mut seen = 0;
    while heard.len() < children.len() {
        model.wait_for_requests(seen + 1).await;
        for request in model.requests().iter().skip(seen) {
            seen += 1;
            for told in request.last_text().split("<agent-callback ").skip(1) {
                let (head, body) = told.split_once(">\n").unwrap();
                let body = body.split_once("\n</agent-callback>").unwrap().0;
                let child = head.split('"').nth(1).unwrap().to_owned();
                if head.contains("status=\"completed\"") {
                    let value: Value = serde_json::from_str(body).unwrap();
                    assert!(schema.is_valid(&value), "{told}");
                } else {
                    assert!(body.starts_with("Error: "), "{told}");
                }
                assert!(heard.insert(child), "told twice: {told}");
            }
        }
    }
    assert_eq!(&heard, children);
}
