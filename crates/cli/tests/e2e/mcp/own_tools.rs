//! Accord's own tools, called by a run over a connection that breaks: what was asked for happens once.
//!
//! A proxy between runner and coordinator breaks one request of each run, at every boundary, for each method and each tool that the
//! coordinator lists.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accord_api::{CreateRun, EventId, RunId, RunQuery, RunStatus, RunView, WorkflowRunQuery};
use accord_client::{Client, EventFilter};
use accord_test_support::{ModelServer, PostgresCluster, RecordedRequest, Reply, Script};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::{call_with_meta, post};
use crate::kill;
use crate::support::{Accord, Project, accord, agent, data, severity};

const PATIENCE: Duration = Duration::from_secs(60);

/// What a method starts when it is called once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Started {
    runs: usize,
    workflow_runs: usize,
}

/// The arguments of a tool, and what it starts, besides the session that some of them need. A tool that is missing here fails the
/// test: it must be decided what it does when it is called twice.
#[expect(clippy::panic, reason = "a helper of tests")]
fn calls(tool: &str, session: &str) -> (Value, Started) {
    let started = |runs, workflow_runs| Started { runs, workflow_runs };
    let (nothing, run, workflow_run) = (started(0, 0), started(1, 0), started(1, 1));
    match tool {
        "list_agents" | "list_agent_sessions" | "list_schemas" | "list_inputs" => (json!({}), nothing),
        "get_schema" => (json!({"name": "absent"}), nothing),
        "answer_input" => (json!({"input_id": "inp_1", "answer": {"approve": true}}), nothing),
        "get_agent_session_status" | "get_agent_session_result" | "stop_agent_session" => {
            (json!({"session_id": session}), nothing)
        }
        "start_agent_session" => (json!({"agent_name": "child", "prompt": "Go."}), run),
        "resume_agent_session" => (json!({"session_id": session, "prompt": "More."}), run),
        "run_workflow" => (json!({"name": "sorting", "input": {"ticket": "x"}}), workflow_run),
        "agent__child" | "agent__father" => (json!({"prompt": "Go."}), run),
        "workflow__sorting" => (json!({"ticket": "x"}), workflow_run),
        other => panic!("{other} is not in the table"),
    }
}

fn needs_session(tool: &str) -> bool {
    calls(tool, "").0.get("session_id").is_some()
}

/// The model of the parent: calls the tool that its prompt names, after it has started a session if the tool needs one. It answers
/// with something that does not conform if it was told that a call failed.
fn father(request: &RecordedRequest, _: usize) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let first = messages[0].to_string();
    let Some(tool) = first.split("use:").nth(1).and_then(|rest| rest.split('.').next()) else {
        return Reply::text(r#"{"severity": "high"}"#);
    };
    let last = messages.last().unwrap().to_string();
    if last.contains("on the MCP server") {
        return Reply::text(last);
    }
    let called = messages.len() / 2;
    let session = last
        .find("ses_")
        .map(|at| last[at..].chars().take_while(|c| c.is_alphanumeric() || "_-".contains(*c)));
    let session: String = session.map(Iterator::collect).unwrap_or_default();
    match (called, needs_session(tool)) {
        (0, true) => {
            Reply::tool("accord__start_agent_session", &json!({"agent_name": "child", "prompt": "Go."}))
        }
        (0, false) | (1, true) => Reply::tool(format!("accord__{tool}"), &calls(tool, &session).0),
        _ => Reply::text(r#"{"severity": "high"}"#),
    }
}

async fn project() -> (Project, ModelServer, ModelServer) {
    let model = ModelServer::start(Script::handler(father)).await.unwrap();
    let child = Script::handler(|_, _| Reply::text(r#"{"severity": "low"}"#));
    let child = ModelServer::start(child).await.unwrap();
    let contract = json!({"output_schema": severity(), "output_schema_options": {"strategy": "prompt", "max_retries": 0}});
    let mut own = contract.clone();
    own["mcp_servers"] = json!({"accord": {}});
    let project =
        Project::new().agent(&agent("father", &model, &own)).agent(&agent("child", &child, &contract));
    (project, model, child)
}

async fn add_workflow(client: &Client) {
    let ticket =
        json!({"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}});
    let document = json!({
        "name": "sorting",
        "nodes": {
            "input": {"type": "input", "schema": ticket},
            "sort": {"type": "agent", "agent": "child", "prompt": "{{ input.ticket }}"},
            "output": {"type": "output"},
        },
        "edges": [{"from": "input", "to": "sort"}, {"from": "sort", "to": "output"}],
    });
    client.create_workflow(&document).await.unwrap();
}

/// Where a connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    BeforeRequest,
    BeforeResponse,
    MidResponse,
    Unavailable,
}

/// The next request that is to be broken: a method and, of calls, a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    method: &'static str,
    tool: Option<String>,
    at: Break,
}

impl Target {
    fn is_met_by(&self, body: &Value) -> bool {
        let tool = body.pointer("/params/name").and_then(Value::as_str);
        body["method"] == self.method && (self.tool.is_none() || self.tool.as_deref() == tool)
    }
}

/// A proxy to a coordinator that breaks one request to `/mcp`, once.
#[derive(Clone)]
struct Proxy {
    port: u16,
    target: Arc<Mutex<Option<Target>>>,
}

impl Proxy {
    async fn start(coordinator: &str) -> Self {
        let upstream = coordinator.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self { port: listener.local_addr().unwrap().port(), target: Arc::default() };
        let serving = proxy.clone();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let (proxy, upstream) = (serving.clone(), upstream.clone());
                tokio::spawn(async move { proxy.pass(client, &upstream).await });
            }
        });
        proxy
    }

    /// Passes one request on. Every connection is closed after it.
    async fn pass(&self, mut client: TcpStream, upstream: &str) -> Option<()> {
        let (head, body) = request(&mut client).await?;
        let message = serde_json::from_slice(&body).unwrap_or_default();
        let is_met = |target: &mut Target| head.starts_with("POST /mcp") && target.is_met_by(&message);
        let at = self.target.lock().unwrap().take_if(is_met).map(|target| target.at);
        match at {
            Some(Break::BeforeRequest) => return None,
            Some(Break::Unavailable) => {
                let body = r#"{"error":"Overloaded","message":"retry later","status_code":503}"#;
                let head = format!(
                    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {}",
                    body.len()
                );
                return client
                    .write_all(format!("{head}\r\nconnection: close\r\n\r\n{body}").as_bytes())
                    .await
                    .ok();
            }
            _ => {}
        }
        let mut server = TcpStream::connect(upstream).await.ok()?;
        let head = head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        server.write_all(head.as_bytes()).await.ok()?;
        server.write_all(&body).await.ok()?;
        if at.is_none() {
            tokio::io::copy(&mut server, &mut client).await.ok()?;
            return Some(());
        }
        let mut response = Vec::new();
        server.read_to_end(&mut response).await.ok()?;
        if at == Some(Break::MidResponse) {
            let end = response.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
            let half = end + (response.len() - end) / 2;
            client.write_all(&response[..half]).await.ok()?;
        }
        None
    }
}

/// Reads a request: its head, and its body.
async fn request(client: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut read = Vec::new();
    loop {
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(read[..end + 4].to_vec()).unwrap();
            let length = head
                .to_lowercase()
                .split("content-length:")
                .nth(1)
                .and_then(|rest| rest.lines().next()?.trim().parse().ok());
            let length: usize = length.unwrap_or_default();
            let mut body = read.split_off(end + 4);
            let had = body.len();
            body.resize(length, 0);
            client.read_exact(&mut body[had..]).await.ok()?;
            return Some((head, body));
        }
        let mut piece = [0; 4096];
        match client.read(&mut piece).await.ok()? {
            0 => return None,
            count => read.extend_from_slice(&piece[..count]),
        }
    }
}

/// A coordinator, and a runner that reaches it by a proxy.
struct Broken {
    accord: Accord,
    proxy: Proxy,
    _runner: Child,
    _models: (ModelServer, ModelServer),
    tools: Vec<Value>,
}

async fn start() -> Broken {
    let (project, model, child) = project().await;
    broken(project, (model, child)).await
}

async fn broken(project: Project, models: (ModelServer, ModelServer)) -> Broken {
    let accord = project.coordinator().await;
    add_workflow(&accord.client).await;
    let proxy = Proxy::start(&accord.url).await;
    let runner = kill::runner(accord.path(), proxy.port);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let (_, listed) = post(&accord.url, None, list).await;
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    Broken { accord, proxy, _runner: runner, _models: models, tools }
}

impl Broken {
    async fn started(&self) -> Started {
        let runs = RunQuery { limit: Some(500), ..RunQuery::default() };
        let workflow_runs = WorkflowRunQuery { limit: Some(500), ..WorkflowRunQuery::default() };
        Started {
            runs: self.accord.client.runs(&runs).await.unwrap().items.len(),
            workflow_runs: self.accord.client.workflow_runs(&workflow_runs).await.unwrap().items.len(),
        }
    }

    /// Runs a parent that calls a tool, while one of its requests is broken.
    async fn survives(&self, target: Target, tool: &str) {
        let before = self.started().await;
        *self.proxy.target.lock().unwrap() = Some(target.clone());
        let request = CreateRun {
            agent_name: Some("father".to_owned()),
            prompt: Some(format!("use:{tool}.")),
            ..CreateRun::default()
        };
        let run = self.accord.run(&request).await;
        assert_eq!(run.status, RunStatus::Completed, "{target:?}: {:?}", run.error);
        assert_eq!(*self.proxy.target.lock().unwrap(), None, "{target:?} was never met");
        let (after, once) = (self.started().await, calls(tool, "").1);
        let expected = Started {
            runs: before.runs + 1 + once.runs + usize::from(needs_session(tool)),
            workflow_runs: before.workflow_runs + once.workflow_runs,
        };
        assert_eq!(after, expected, "{target:?}");
    }

    async fn survives_everywhere(&self, at: Break) {
        for method in ["initialize", "notifications/initialized", "tools/list"] {
            self.survives(Target { method, tool: None, at }, "start_agent_session").await;
        }
        for tool in self.tools.iter().map(|tool| tool["name"].as_str().unwrap()) {
            let target = Target { method: "tools/call", tool: Some(tool.to_owned()), at };
            self.survives(target, tool).await;
        }
    }
}

#[tokio::test]
async fn a_request_that_is_lost_is_made_again() {
    start().await.survives_everywhere(Break::BeforeRequest).await;
}

#[tokio::test]
async fn a_call_whose_response_is_lost_is_done_once() {
    start().await.survives_everywhere(Break::BeforeResponse).await;
}

#[tokio::test]
async fn a_call_whose_response_is_lost_is_done_once_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    let (project, model, child) = project().await;
    let project = project.set("ACCORD_DATABASE__URL", &cluster.fresh_database().unwrap());
    broken(project, (model, child)).await.survives_everywhere(Break::BeforeResponse).await;
}

#[tokio::test]
async fn a_call_whose_response_breaks_off_is_done_once() {
    start().await.survives_everywhere(Break::MidResponse).await;
}

#[tokio::test]
async fn a_coordinator_that_is_unavailable_is_asked_again() {
    start().await.survives_everywhere(Break::Unavailable).await;
}

/// Every tool says what a second call does: it changes nothing, it does nothing more, or it takes a key. Other clients use the same key.
#[tokio::test]
async fn a_call_with_a_key_is_done_once_for_every_client() {
    let broken = start().await;
    let mut keyed = 0;
    for tool in &broken.tools {
        let name = tool["name"].as_str().unwrap();
        let hint = |hint: &str| tool["annotations"][hint] == true;
        let takes_key = tool["_meta"]["accord/idempotency-key"] == true;
        assert!(hint("readOnlyHint") || hint("idempotentHint") || takes_key, "{tool}");
        if !takes_key {
            continue;
        }
        keyed += 1;
        let url = &broken.accord.url;
        let session = call_with_meta(
            url,
            "start_agent_session",
            json!({"agent_name": "child", "prompt": "Go."}),
            json!({}),
        )
        .await;
        let session = session["structuredContent"]["session_id"].as_str().unwrap().to_owned();
        let before = broken.started().await;
        let (arguments, once) = calls(name, &session);
        let meta = json!({"accord/idempotency-key": format!("the key of {name} ✓")});
        let first = call_with_meta(url, name, arguments.clone(), meta.clone()).await;
        let second = call_with_meta(url, name, arguments, meta).await;
        assert_eq!(first, second, "{name}");
        let expected = Started {
            runs: before.runs + once.runs,
            workflow_runs: before.workflow_runs + once.workflow_runs,
        };
        assert_eq!(broken.started().await, expected, "{name}");
    }
    assert!(keyed >= 5, "{keyed}");
    let listed =
        call_with_meta(&broken.accord.url, "list_agents", json!({}), json!({"accord/idempotency-key": ""}))
            .await;
    assert_eq!(listed, Value::Null, "an empty key is an error");
}

/// The parent waits for its child while the runner of both is killed: the child is not started again, and its result is used.
#[tokio::test]
async fn a_killed_runner_pays_for_its_sync_child_once() {
    let (project, _model, _child) = project().await;
    let wait = "while [ ! -e go ]; do sleep 0.05; done; echo '{\"severity\": \"medium\"}'";
    let child = json!({
        "name": "child", "type": "procedural", "output_schema": severity(),
        "executor": {"type": "process", "command": "sh", "args": ["-c", wait]},
    });
    let accord = project.agent(&child).set("ACCORD_QUEUE__LEASE_SECONDS", "3").coordinator().await;
    let port = accord.url.rsplit(':').next().unwrap().parse().unwrap();
    let mut runner = kill::runner(accord.path(), port);
    let request = CreateRun {
        agent_name: Some("father".to_owned()),
        prompt: Some("use:start_agent_session.".to_owned()),
        ..CreateRun::default()
    };
    let parent = accord.client.create_run(&request, None).await.unwrap().run_id;
    let child = timeout(PATIENCE, started_after(&accord.client, &parent)).await.unwrap();
    runner.kill().await.unwrap();
    let _runner = kill::runner(accord.path(), port);
    std::fs::write(accord.path().join("go"), "").unwrap();
    let run = accord.client.wait_for_run(&parent, 60).await.unwrap();
    assert_eq!(
        (run.status, data(&run)),
        (RunStatus::Completed, Some(json!({"severity": "high"}))),
        "{:?}",
        run.error
    );
    assert!(run.attempt > 1, "the parent was not at work when its runner was killed");
    let steps = accord.client.steps(&parent).await.unwrap();
    let steps = serde_json::to_string(&steps).unwrap();
    assert!(steps.contains(child.as_str()) && steps.contains("medium"), "{steps}");
    let runs = accord.client.runs(&RunQuery::default()).await.unwrap().items;
    assert_eq!(runs.len(), 2, "{runs:?}");
    accord.end().await;
}

/// The coordinator restarts, by a signal and by force, while parents wait for their children: each has one, and its result.
#[tokio::test]
async fn parents_survive_restarts_of_their_coordinator() {
    const PARENTS: usize = 12;
    let (project, model, _child) = project().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let coordinator = || {
        let mut command = accord(project.path());
        command.args(["coordinator", "--listen", &format!("127.0.0.1:{port}")]);
        command.env("ACCORD_QUEUE__LEASE_SECONDS", "60").stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let mut running = coordinator();
    let _runner = kill::runner(project.path(), port);
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let mut parents = Vec::new();
    for number in 0..PARENTS {
        parents.push(submitted(&client, number).await);
    }
    // Each parent asks its model twice.
    for (signal, requests) in [("-TERM", 2), ("-KILL", 8), ("-TERM", 14), ("-KILL", 20)] {
        timeout(PATIENCE, model.wait_for_requests(requests)).await.unwrap();
        let id = running.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
        timeout(PATIENCE, running.wait()).await.unwrap().unwrap();
        running = coordinator();
    }
    for parent in &parents {
        let run = timeout(PATIENCE, finished(&client, parent)).await.unwrap();
        assert_eq!(run.status, RunStatus::Completed, "{:?}", run.error);
    }
    let all = client.runs(&RunQuery { limit: Some(500), ..RunQuery::default() }).await.unwrap().items;
    assert_eq!(all.len(), 2 * PARENTS);
    assert_eq!(model.requests().len(), 2 * PARENTS, "nothing is asked twice");
}

/// Creates a parent, again until it is acknowledged.
async fn submitted(client: &Client, number: usize) -> RunId {
    let request = CreateRun {
        agent_name: Some("father".to_owned()),
        prompt: Some("use:start_agent_session.".to_owned()),
        ..CreateRun::default()
    };
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    loop {
        match client.create_run(&request, Some(&number.to_string())).await {
            Ok(run) => return run.run_id,
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
        pause.tick().await;
    }
}

/// A run when it has finished, whatever happens to the coordinator meanwhile.
async fn finished(client: &Client, run: &RunId) -> RunView {
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    loop {
        match client.wait_for_run(run, 5).await {
            Ok(run) if run.status.is_over() => return run,
            Ok(_) => {}
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
        pause.tick().await;
    }
}

/// The run that starts after another one.
async fn started_after(client: &Client, parent: &RunId) -> RunId {
    let types = vec!["run.started".to_owned()];
    let mut events =
        client.events(&EventFilter { types, ..EventFilter::default() }, Some(EventId::default()));
    loop {
        let run = events.next().await.unwrap().unwrap().run_id.unwrap();
        if run != *parent {
            return run;
        }
    }
}
