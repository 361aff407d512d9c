//! `kill -9` at any moment: every acknowledged workflow run ends once with its own output, and no node has two results.

use std::collections::BTreeSet;
use std::time::Duration;

use accord_api::{CreateWorkflowRun, EventBody, EventId, RunStatus, WorkflowRunId, WorkflowStatus};
use accord_client::{Client, EventFilter};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use super::*;
use crate::kill::{Cluster, Random, requests};

/// How often something is killed. `WORKFLOW_KILL_ROUNDS` sets another number, as `make soak` does.
const WORKFLOW_KILL_ROUNDS: u32 = 20;

/// Something is killed after up to this many requests.
const MOST_REQUESTS: u64 = 80;

/// A workflow run is created once in this many rounds: each has five agent runs, and all must
/// finish within the time limit of CI.
const ROUNDS_A_RUN: u32 = 4;

/// How long after the last round everything must have finished.
const AFTERWARDS: Duration = Duration::from_secs(120);

fn document() -> Value {
    let repeat = |name: &str| {
        json!({"type": "agent", "agent": "parrot",
               "prompt": format!("Say [[{{\"{name}\": {{{{ input.number }}}}}}]]")})
    };
    let nodes = json!({
        "input": {"type": "input"},
        "left": repeat("left"),
        "right": repeat("right"),
        "each": {"type": "map", "over": "{{ [left.left, right.right] }}", "agent": "parrot",
                 "prompt": "Say [[{\"item\": {{ item }}}]]"},
        "last": {"type": "agent", "agent": "parrot",
                 "prompt": "Say [[{\"sum\": {{ each[0].item + each[1].item }}}]]"},
        "output": {"type": "output"},
    });
    let edges = edges(&[
        ("input", "left"),
        ("input", "right"),
        ("left", "each"),
        ("right", "each"),
        ("each", "last"),
        ("last", "output"),
    ]);
    workflow("sum", &nodes, &edges)
}

/// Repeats the request until it is acknowledged. The idempotency key makes repeating it safe.
async fn submit(client: &Client, number: u32) -> WorkflowRunId {
    let request =
        CreateWorkflowRun { input: Some(json!({"number": number})), ..CreateWorkflowRun::default() };
    let key = format!("run-{number}");
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    loop {
        match client.run_workflow("sum", &request, Some(&key)).await {
            Ok(run) => return run.workflow_run_id,
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
        pause.tick().await;
    }
}

async fn survives(database: &str) {
    let asked = std::env::var("WORKFLOW_KILL_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds = asked.unwrap_or(WORKFLOW_KILL_ROUNDS);
    let model = parrot().await;
    let project = Project::new().agent(&any("parrot", &model));
    let folder = project.path().join(".accord/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("sum.json"), document().to_string()).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut cluster = Cluster::start(project.path(), database, port);
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let mut random = Random(0x5eed);
    let mut runs = Vec::new();
    for round in 0..rounds {
        if round % ROUNDS_A_RUN == 0 {
            runs.push((round, submit(&client, round).await));
        }
        requests(&client, random.below(MOST_REQUESTS)).await;
        cluster.kill(random.below(3)).await;
    }
    let ended = tokio::time::timeout(AFTERWARDS, ends_once(&client, &runs)).await;
    assert!(ended.is_ok(), "workflow runs are left unfinished");
}

async fn ends_once(client: &Client, runs: &[(u32, WorkflowRunId)]) {
    let mut waiting: BTreeSet<&WorkflowRunId> = runs.iter().map(|(_, id)| id).collect();
    let types = ["workflow.finished", "workflow.node_finished"].map(str::to_owned).to_vec();
    let mut events =
        client.events(&EventFilter { types, ..EventFilter::default() }, Some(EventId::default()));
    let mut finished = BTreeSet::new();
    while !waiting.is_empty() {
        let event = events.next().await.unwrap().unwrap();
        let run = event.workflow_run_id.clone().unwrap();
        match event.body {
            EventBody::WorkflowFinished { status, .. } => {
                assert_eq!(status, WorkflowStatus::Completed, "{run}");
                assert!(waiting.remove(&run), "{run} ended twice");
            }
            EventBody::WorkflowNodeFinished { node, .. } => {
                assert!(finished.insert((run.clone(), node.clone())), "{node} of {run} finished twice");
            }
            other => assert_eq!(other.kind(), "nothing else", "{other:?}"),
        }
    }
    for (number, id) in runs {
        let run = client.workflow_run(id).await.unwrap();
        assert_eq!(
            (run.status, &run.output),
            (WorkflowStatus::Completed, &json!({"sum": 2 * number})),
            "{id}"
        );
        let tasks: Vec<u32> =
            run.nodes.iter().flat_map(|node| &node.tasks).map(|task| task.attempts).collect();
        assert_eq!(tasks, [1; 5], "{id}");
    }
    // No run exists that no task knows of: five runs per workflow run, each with its result.
    let mut query = accord_api::RunQuery { limit: Some(500), ..Default::default() };
    let mut all = Vec::new();
    loop {
        let page = client.runs(&query).await.unwrap();
        all.extend(page.items);
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            break;
        }
    }
    assert_eq!(all.len(), runs.len() * 5);
    assert!(all.iter().all(|run| run.status == RunStatus::Completed));
}

#[tokio::test]
async fn kill_nine_loses_no_workflow_on_sqlite() {
    survives("sqlite://.accord/accord.db").await;
}

#[tokio::test]
async fn kill_nine_loses_no_workflow_on_postgresql() {
    let cluster = accord_test_support::PostgresCluster::start().unwrap();
    let url = cluster.fresh_database().unwrap();
    survives(&url).await;
}
