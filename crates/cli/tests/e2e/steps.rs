//! `kill -9` of a runner after every step of its runs: nothing is paid or done twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accord_api::{CreateRun, RunId, RunStatus, Usage};
use accord_client::Client;
use accord_test_support::{ModelServer, PostgresCluster, RecordedRequest, Reply, Script};
use serde_json::json;
use tokio::process::Child;

use crate::support::{Project, accord, agent};

/// Each run is interrupted at one of these moments, which are spread over the runs.
const MOMENTS: [Moment; 6] = [
    Moment::Request(0),
    Moment::Tool("look"),
    Moment::Request(1),
    Moment::Tool("change"),
    Moment::Request(2),
    Moment::Request(3),
];

/// Model answers that a run takes: two calls, an answer that does not conform, one that does.
const ANSWERS: usize = 4;

/// How many runs are interrupted at once. Set `KILL_ROUNDS` for more, as `make soak` does.
const RUNS: usize = 40;

const PATIENCE_SECONDS: u32 = 90;

const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// During the model request for the answer of this number.
    Request(usize),
    /// During a call of this tool.
    Tool(&'static str),
}

/// An MCP server with a tool that may be repeated and one that may not. It records every call. If
/// there is a file `hang-TOOL-NUMBER` for a call, it removes the file and hangs.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","annotations":{"idempotentHint":true},"inputSchema":{"type":"object"}},{"name":"change","inputSchema":{"type":"object"}}]}}\n' "$id";;
    *'"tools/call"'*)
      tool=$(printf '%s' "$line" | sed -n 's/.*"name":"\([a-z]*\)".*/\1/p')
      number=$(printf '%s' "$line" | sed -n 's/.*"number":\([0-9]*\).*/\1/p')
      key=$(printf '%s' "$line" | sed -n 's/.*"accord\/idempotency-key":"\([^"]*\)".*/\1/p')
      echo "$tool $number $key" >> calls
      if rm "hang-$tool-$number" 2>/dev/null; then while read -r line; do :; done; fi
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done %s"}]}}\n' "$id" "$number";;
  esac
done
"#;

/// How many requests each run made, by its number.
type Requests = Arc<Mutex<BTreeMap<usize, usize>>>;

/// The number of the run that a request is about.
fn number(request: &RecordedRequest) -> usize {
    let text = request.body.to_string();
    let digits = text.split("number-").nth(1).unwrap_or_default();
    digits.split('.').next().and_then(|digits| digits.parse().ok()).unwrap()
}

/// A model without memory: its answer depends on how many answers the conversation already has.
fn script(requests: &Requests) -> Script {
    let (requests, hung) = (Arc::clone(requests), Mutex::new(Vec::new()));
    Script::handler(move |request, _| {
        let number = number(request);
        let said = request.body["messages"].as_array().unwrap();
        let said = said.iter().filter(|message| message["role"] == "assistant").count();
        *requests.lock().unwrap().entry(number).or_default() += 1;
        let mut hung = hung.lock().unwrap();
        if MOMENTS[number % MOMENTS.len()] == Moment::Request(said) && !hung.contains(&number) {
            hung.push(number);
            return Reply::hang();
        }
        let reply = match said {
            0 => Reply::tool("s__look", &json!({ "number": number })),
            1 => Reply::tool("s__change", &json!({ "number": number })),
            2 => Reply::text("not yet"),
            _ => Reply::text(format!("{{\"number\": {number}}}")),
        };
        reply.usage(100, 10)
    })
}

fn runner(folder: &Path, port: u16) -> Child {
    accord(folder)
        .args(["runner", "--coordinator", &format!("http://127.0.0.1:{port}"), "--concurrency", "100"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lost {
    Runner,
    Both,
}

async fn continues(database: &str, lost: Lost) {
    let runs = std::env::var("KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(RUNS);
    let requests = Requests::default();
    let model = ModelServer::start(script(&requests)).await.unwrap();
    let schema =
        json!({"type": "object", "required": ["number"], "properties": {"number": {"type": "integer"}}});
    let more = json!({
        "output_schema": schema, "output_schema_options": {"strategy": "prompt"},
        "mcp_servers": {"s": {"command": "sh", "args": ["-c", SERVER]}},
    });
    let project = Project::new().agent(&agent("worker", &model, &more));
    for number in 0..runs {
        if let Moment::Tool(tool) = MOMENTS[number % MOMENTS.len()] {
            std::fs::write(project.path().join(format!("hang-{tool}-{number}")), "").unwrap();
        }
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut coordinator = start_coordinator(project.path(), database, port);
    let mut first = runner(project.path(), port);
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let mut ids = Vec::new();
    for number in 0..runs {
        ids.push(submit(&client, number).await);
    }
    tokio::time::timeout(PATIENCE, interrupted(&client, project.path(), &requests, &ids)).await.unwrap();
    first.kill().await.unwrap();
    if lost == Lost::Both {
        coordinator.kill().await.unwrap();
        coordinator = start_coordinator(project.path(), database, port);
        ready(&client).await;
    }
    let mut second = runner(project.path(), port);
    for (number, id) in ids.iter().enumerate() {
        let moment = MOMENTS[number % MOMENTS.len()];
        let run = client.wait_for_run(id, PATIENCE_SECONDS).await.unwrap();
        assert_eq!(run.status, RunStatus::Completed, "{moment:?}: {:?}", run.error);
        let result = run.result.unwrap();
        assert_eq!(result.data::<serde_json::Value>().unwrap(), json!({ "number": number }));
        assert_eq!(result.schema_validation.unwrap().retry_count, 1, "{moment:?}");
        let usage = Usage { input_tokens: 400, output_tokens: 40, ..run.usage };
        assert_eq!(run.usage, usage, "{moment:?}: the same budget as without the interruption");
        let made = requests.lock().unwrap()[&number];
        let twice = usize::from(matches!(moment, Moment::Request(_)));
        assert_eq!(made, ANSWERS + twice, "{moment:?}: at most the request under way is made again");
    }
    let calls = std::fs::read_to_string(project.path().join("calls")).unwrap();
    for number in 0..runs {
        let of = |tool: &str| {
            let start = format!("{tool} {number} ");
            calls.lines().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect::<Vec<_>>()
        };
        let (look, change) = (of("look"), of("change"));
        let is_repeated = MOMENTS[number % MOMENTS.len()] == Moment::Tool("look");
        assert_eq!(look.len(), 1 + usize::from(is_repeated), "{calls}");
        assert!(look.iter().all(|key| *key == look[0] && !key.is_empty()), "one key for one call: {look:?}");
        assert_eq!(change.len(), 1, "what may not be repeated is not: {calls}");
        assert_ne!(look[0], change[0]);
    }
    let unverified =
        model.requests().iter().filter(|request| request.body.to_string().contains("unverified: ")).count();
    assert!(unverified > 0, "the model is told of a call that may have happened");
    second.kill().await.unwrap();
    coordinator.kill().await.unwrap();
}

fn start_coordinator(folder: &Path, database: &str, port: u16) -> Child {
    accord(folder)
        .args(["coordinator", "--listen", &format!("127.0.0.1:{port}"), "--database", database])
        // Long enough for a busy machine: a lease that expires by itself would be another loss.
        .env("ACCORD_QUEUE__LEASE_SECONDS", "10")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// Waits until the coordinator answers.
async fn ready(client: &Client) {
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    while client.health().await.is_err() {
        pause.tick().await;
    }
}

async fn submit(client: &Client, number: usize) -> RunId {
    let request = CreateRun {
        agent_name: Some("worker".into()),
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

/// Waits until every run is at its moment and everything before it is saved.
async fn interrupted(client: &Client, folder: &Path, requests: &Requests, ids: &[RunId]) {
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    for (number, id) in ids.iter().enumerate() {
        loop {
            let is_there = match MOMENTS[number % MOMENTS.len()] {
                Moment::Request(said) => {
                    requests.lock().unwrap().get(&number).is_some_and(|made| *made > said)
                }
                Moment::Tool(tool) => !folder.join(format!("hang-{tool}-{number}")).exists(),
            };
            if is_there {
                break;
            }
            pause.tick().await;
        }
        // A request that is sent before the previous step is saved would be one too many.
        client.run(id).await.unwrap();
    }
}

#[tokio::test]
async fn a_lost_runner_costs_at_most_one_request_on_sqlite() {
    continues("sqlite://.accord/accord.db", Lost::Runner).await;
}

#[tokio::test]
async fn a_lost_runner_costs_at_most_one_request_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    continues(&cluster.fresh_database().unwrap(), Lost::Runner).await;
}

#[tokio::test]
async fn a_lost_coordinator_and_runner_cost_at_most_one_request_on_sqlite() {
    continues("sqlite://.accord/accord.db", Lost::Both).await;
}

#[tokio::test]
async fn a_lost_coordinator_and_runner_cost_at_most_one_request_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    continues(&cluster.fresh_database().unwrap(), Lost::Both).await;
}
