//! An endpoint that enforces schemas, with a model that sometimes declines in prose and that rarely
//! conforms without a schema: what `auto` learns there never makes it worse than `native`.

use accord_api::{CreateRun, EndpointQuery, RunStatus, Standing, Strategy};
use accord_test_support::{ChaosModel, Misbehaviour as M, ModelServer, Script};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{LONGEST_WAIT, MAX_RETRIES, agents, good, schema};
use crate::support::{Accord, Project};

/// Tasks for each strategy. Set `CHAOS_TASKS` for more.
const TASKS: u32 = 150;

/// Few concurrent runs, so that most start with what others have learned.
const AT_ONCE: usize = 8;

/// Percentage of good answers with an enforced schema.
const ENFORCED: u8 = 70;

/// Percentage of good answers without.
const FREE: u8 = 30;

async fn enforcing() -> ModelServer {
    let model = |seed| ChaosModel::generating(seed, schema(), |_, random| good(random));
    let enforced = model(3).only(&[M::Prose]).good_percent(ENFORCED);
    let wrong = [M::Prose, M::WrongEnum, M::MissingField, M::WrongType, M::SchemaEcho];
    let free = model(4).only(&wrong).good_percent(FREE);
    let script = Script::handler(move |request, _| match request.schema().is_some() {
        true => enforced.reply(request),
        false => free.reply(request),
    });
    ModelServer::start(script).await.unwrap()
}

fn request(number: u32, strategy: Strategy) -> CreateRun {
    let options = accord_api::contract::Options {
        max_retries: Some(MAX_RETRIES),
        strategy: Some(strategy),
        ..accord_api::contract::Options::default()
    };
    CreateRun {
        agent_name: Some("openai-compatible".to_owned()),
        prompt: Some(format!("seed-{number}: sort this")),
        output_schema: Some(schema()),
        output_schema_options: Some(options),
        ..CreateRun::default()
    }
}

async fn completed(accord: &Accord, tasks: u32, strategy: Strategy) -> usize {
    let runs = stream::iter(0..tasks).map(|number| async move {
        accord.client.create_run_and_wait(&request(number, strategy), LONGEST_WAIT, None).await
    });
    let runs: Vec<_> = runs.buffer_unordered(AT_ONCE).try_collect().await.unwrap();
    assert!(runs.iter().all(|run| run.status.is_over()));
    runs.iter().filter(|run| run.status == RunStatus::Completed).count()
}

#[tokio::test]
async fn auto_is_as_good_as_native_with_enforced_schemas() {
    let tasks = std::env::var("CHAOS_TASKS").ok().and_then(|text| text.parse().ok()).unwrap_or(TASKS);
    let mut counts = Vec::new();
    for strategy in [Strategy::Auto, Strategy::Native] {
        let model = enforcing().await;
        let project = agents(&model).iter().fold(Project::new(), |project, agent| project.agent(agent));
        let accord = project.up().await;
        counts.push(completed(&accord, tasks, strategy).await);
        let query = EndpointQuery { feature: Some("native".to_owned()), ..EndpointQuery::default() };
        let facts = accord.client.endpoints(&query).await.unwrap().items;
        assert!(facts.iter().all(|fact| fact.standing == Standing::Works), "{facts:?}");
        accord.end().await;
    }
    println!("of {tasks}: auto {}, native {}", counts[0], counts[1]);
    assert!(counts[0] >= counts[1], "auto {}, native {} of {tasks}", counts[0], counts[1]);
}
