//! `kill -9` at any moment: every acknowledged run ends once, with its own result and exactly one `result` event.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_api::{CreateRun, EventBody, EventId, RunId, RunStatus};
use accord_client::{Client, EventFilter};
use accord_test_support::{ModelServer, PostgresCluster, Reply, Script};
use futures_util::StreamExt as _;
use serde_json::json;
use tokio::process::Child;

use crate::support::{Project, accord, agent, data};

/// How often something is killed. Set `KILL_ROUNDS` for more, as `make soak` does.
const ROUNDS: u32 = 20;

/// Something is killed after up to this many requests: while runs are submitted, claimed, worked on or finished.
const MOST_REQUESTS: u64 = 40;

/// How many runs are created in a round.
const RUNS_A_ROUND: u32 = 3;

/// How long after the last round everything must have finished.
const PATIENCE: Duration = Duration::from_secs(120);

/// A small random generator: every execution of the test kills at the same moments.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A coordinator and a runner that are killed and restarted.
pub(crate) struct Cluster<'a> {
    folder: &'a Path,
    database: String,
    port: u16,
    coordinator: Child,
    runner: Child,
}

impl<'a> Cluster<'a> {
    pub(crate) fn start(folder: &'a Path, database: &str, port: u16) -> Self {
        let coordinator = coordinator(folder, database, port);
        let runner = runner(folder, port);
        Self { folder, database: database.to_owned(), port, coordinator, runner }
    }

    pub(crate) async fn kill(&mut self, what: u64) {
        if what != 1 {
            self.coordinator.kill().await.unwrap();
        }
        if what != 0 {
            self.runner.kill().await.unwrap();
        }
        if what != 1 {
            self.coordinator = coordinator(self.folder, &self.database, self.port);
        }
        if what != 0 {
            self.runner = runner(self.folder, self.port);
        }
    }
}

/// Lets this many requests pass, including those that no coordinator answers.
pub(crate) async fn requests(client: &Client, count: u64) {
    for _ in 0..count {
        let _ = client.health().await;
    }
}

fn coordinator(folder: &Path, database: &str, port: u16) -> Child {
    accord(folder)
        .args(["coordinator", "--listen", &format!("127.0.0.1:{port}"), "--database", database])
        .env("ACCORD_QUEUE__LEASE_SECONDS", "3")
        .env("ACCORD_QUEUE__MAX_DELIVERIES", "1000")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

pub(crate) fn runner(folder: &Path, port: u16) -> Child {
    accord(folder)
        .args(["runner", "--coordinator", &format!("http://127.0.0.1:{port}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Repeats the request until it is acknowledged. The idempotency key makes repeating it safe.
async fn submit(client: &Client, number: u32) -> RunId {
    let request = CreateRun {
        agent_name: Some("echo".into()),
        prompt: Some(format!("number-{number}.")),
        ..CreateRun::default()
    };
    let key = format!("run-{number}");
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    loop {
        match client.create_run(&request, Some(&key)).await {
            Ok(run) => return run.run_id,
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
        pause.tick().await;
    }
}

async fn survives(database: &str) {
    let rounds = std::env::var("KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    let model = ModelServer::start(Script::handler(|request, _| {
        let text = request.text();
        let number = text.rsplit("number-").next().and_then(|rest| rest.split('.').next()).unwrap_or("0");
        Reply::text(format!("{{\"number\": {number}}}"))
    }))
    .await
    .unwrap();
    let schema =
        json!({"type": "object", "required": ["number"], "properties": {"number": {"type": "integer"}}});
    let project = Project::new().agent(&agent("echo", &model, &json!({"output_schema": schema})));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut cluster = Cluster::start(project.path(), database, port);
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let mut random = Random(0x5eed);
    let mut runs = Vec::new();
    for round in 0..rounds {
        for run in 0..RUNS_A_ROUND {
            let number = round * RUNS_A_ROUND + run;
            runs.push((number, submit(&client, number).await));
        }
        requests(&client, random.below(MOST_REQUESTS)).await;
        cluster.kill(random.below(3)).await;
    }
    let all: BTreeSet<&RunId> = runs.iter().map(|(_, id)| id).collect();
    assert_eq!(all.len(), runs.len(), "a key gave two runs the same answer");
    let ended = tokio::time::timeout(PATIENCE, ends_once(&client, &runs)).await;
    assert!(ended.is_ok(), "runs are left unfinished");
}

/// Follows the events from the beginning until every run has ended, then checks each run.
async fn ends_once(client: &Client, runs: &[(u32, RunId)]) {
    let mut waiting: BTreeSet<&RunId> = runs.iter().map(|(_, id)| id).collect();
    let types = ["result", "run.completed", "run.failed", "run.stopped"].map(str::to_owned).to_vec();
    let mut events =
        client.events(&EventFilter { types, ..EventFilter::default() }, Some(EventId::default()));
    let mut results = BTreeSet::new();
    while !waiting.is_empty() {
        let event = events.next().await.unwrap().unwrap();
        let run = event.run_id.clone().unwrap();
        match event.body {
            EventBody::Result { .. } => assert!(results.insert(run.clone()), "{run} has two results"),
            EventBody::RunCompleted => assert!(waiting.remove(&run), "{run} ended twice"),
            other => assert_eq!(other, EventBody::RunCompleted, "{run}"),
        }
    }
    assert_eq!(results.len(), runs.len());
    let mut redelivered = 0;
    for (number, id) in runs {
        let run = client.run(id).await.unwrap();
        redelivered += usize::from(run.attempt > 1);
        assert_eq!((run.status, data(&run)), (RunStatus::Completed, Some(json!({"number": number}))), "{id}");
    }
    assert!(redelivered > 0, "nothing was killed that had work in hand: this has proved nothing");
}

#[tokio::test]
async fn kill_nine_loses_nothing_on_sqlite() {
    survives("sqlite://.accord/accord.db").await;
}

#[tokio::test]
async fn kill_nine_loses_nothing_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    let url = cluster.fresh_database().unwrap();
    survives(&url).await;
}
