//! A workflow run that crashes its coordinator is set aside, and everything else continues.
//!
//! The crashing step compares siblings by embeddings: it calls an embedding model, which is this
//! test, and the coordinator is killed while it waits for the answer.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_api::{CreateWorkflowRun, RunStatus, WorkflowRunId, WorkflowStatus};
use accord_client::Client;
use accord_test_support::PostgresCluster;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;
use tokio::time::timeout;

use super::*;
use crate::kill::runner;
use crate::support::{accord, ask};

/// Anything that takes longer than this hangs. On PostgreSQL, a coordinator counts as dead after
/// ten seconds.
const LONGEST: Duration = Duration::from_secs(60);

/// How many other runs exist next to the crashing one.
const HEALTHY: usize = 10;

fn compared() -> Value {
    let finding = |line: u32, text: &str| json!({"findings": [{"file": "a.rs", "line": line, "severity": "minor", "description": text}]});
    let nodes = json!({
        "input": {"type": "input"},
        "one": says(&finding(10, "the lock is held while the network is asked for the list")),
        "two": says(&finding(12, "the lock is held while the network is asked for the list twice")),
        "output": {"type": "output", "value": "compared"},
    });
    let edges = edges(&[("input", "one"), ("input", "two"), ("one", "output"), ("two", "output")]);
    workflow("compared", &nodes, &edges)
}

fn plain() -> Value {
    let nodes = json!({
        "input": {"type": "input"},
        "one": says(&json!({"a": 1})),
        "two": says(&json!({"a": 2})),
        "output": {"type": "output"},
    });
    workflow("plain", &nodes, &edges(&[("input", "one"), ("one", "two"), ("two", "output")]))
}

/// A project with both workflows.
async fn poisonous(model: &ModelServer) -> Project {
    let project = Project::new().agent(&any("parrot", model));
    let folder = project.path().join(".accord/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    for document in [compared(), plain()] {
        let name = document["name"].as_str().unwrap();
        std::fs::write(folder.join(format!("{name}.json")), document.to_string()).unwrap();
    }
    project
}

/// A coordinator that uses this address for embeddings.
fn coordinator(folder: &Path, database: &str, port: u16, embeddings: SocketAddr) -> Child {
    accord(folder)
        .args(["coordinator", "--listen", &format!("127.0.0.1:{port}"), "--database", database])
        .env("ACCORD_WORKFLOWS__EMBEDDING_PROVIDER", "ollama")
        .env("ACCORD_WORKFLOWS__EMBEDDING_MODEL", "embed-1")
        .env("OLLAMA_HOST", format!("http://{embeddings}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Repeats the request until it is acknowledged.
async fn submit(client: &Client, name: &str, key: &str) -> WorkflowRunId {
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    loop {
        match client.run_workflow(name, &CreateWorkflowRun::default(), Some(key)).await {
            Ok(run) => return run.workflow_run_id,
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
        pause.tick().await;
    }
}

/// Waits for the end of a workflow run.
async fn over(client: &Client, id: &WorkflowRunId) -> WorkflowRunView {
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    let waiting = async {
        loop {
            match client.wait_for_workflow_run(id, 5).await {
                Ok(run) if run.status.is_over() => return run,
                Ok(_) => {}
                Err(error) => assert!(error.is_transient(), "{error}"),
            }
            pause.tick().await;
        }
    };
    timeout(LONGEST, waiting).await.unwrap()
}

/// Waits until the step is in progress: it waits for its embeddings.
async fn asked(listener: &TcpListener) -> TcpStream {
    timeout(LONGEST, listener.accept()).await.unwrap().unwrap().0
}

async fn told(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = accord(folder).args(arguments).output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

async fn is_set_aside(database: &str) {
    let (model, listener) = (parrot().await, TcpListener::bind("127.0.0.1:0").await.unwrap());
    let (embeddings, port) = (listener.local_addr().unwrap(), free_port());
    let project = poisonous(&model).await;
    let start = || coordinator(project.path(), database, port, embeddings);
    let mut child = start();
    let mut worker = runner(project.path(), port);
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let poison = submit(&client, "compared", "poison").await;
    let mut healthy = Vec::new();
    for number in 0..HEALTHY {
        healthy.push(submit(&client, "plain", &format!("healthy-{number}")).await);
    }
    for _ in 0..3 {
        let _waiting = asked(&listener).await;
        child.kill().await.unwrap();
        child = start();
    }
    let run = over(&client, &poison).await;
    assert_eq!((run.status, fault(&run)), (WorkflowStatus::Failed, Some("poisoned")), "{run:#?}");
    for id in &healthy {
        let run = over(&client, id).await;
        assert_eq!((run.status, &run.output), (WorkflowStatus::Completed, &json!({"a": 2})), "{id}");
    }
    let set_aside = client.quarantine().await.unwrap();
    assert_eq!((set_aside.runs.len(), set_aside.workflow_runs.len()), (0, 1));

    let url = format!("http://127.0.0.1:{port}");
    let doctor = ["doctor", "--json", "--coordinator", &url];
    let output = accord(project.path()).args(doctor).env("ACCORD_DATABASE__URL", database).output().await;
    let report: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let quarantine = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "quarantine");
    let message = quarantine.map(|check| check["message"].as_str().unwrap());
    assert_eq!(
        message,
        Some("1 workflow run failed as poisoned: coordinators crashed while working on them")
    );

    // Once the cause is gone, the run continues where it stopped. Without embeddings, words are
    // compared.
    drop(listener);
    let retry = ["workflow", "retry", poison.as_str(), "--coordinator", &url];
    let (code, stdout, stderr) = told(project.path(), &retry).await;
    assert_eq!((code, stdout.as_str()), (Some(0), format!("{poison}  running\n").as_str()), "{stderr}");
    let run = over(&client, &poison).await;
    assert_eq!((run.status, &run.output), (WorkflowStatus::Completed, &json!("compared")));
    child.kill().await.unwrap();
    worker.kill().await.unwrap();
}

#[tokio::test]
async fn a_poisoned_run_is_set_aside_on_sqlite() {
    is_set_aside("sqlite://.accord/accord.db").await;
}

#[tokio::test]
async fn a_poisoned_run_is_set_aside_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    let url = cluster.fresh_database().unwrap();
    is_set_aside(&url).await;
}

/// Commands that stop or remove a run do not execute the step that crashed the coordinator.
#[tokio::test]
async fn runs_are_stopped_and_removed_without_a_coordinator() {
    let (model, listener) = (parrot().await, TcpListener::bind("127.0.0.1:0").await.unwrap());
    let (embeddings, port) = (listener.local_addr().unwrap(), free_port());
    let project = poisonous(&model).await;
    let slow = ModelServer::start(Script::replies([Reply::hang()])).await.unwrap();
    let project = project.agent(&any("slow", &slow));
    let database = "sqlite://.accord/accord.db";
    let mut child = coordinator(project.path(), database, port, embeddings);
    let mut worker = runner(project.path(), port);
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let poison = submit(&client, "compared", "poison").await;
    let held = client.create_run(&ask("slow"), None).await.unwrap();
    slow.wait_for_requests(1).await;
    let waiting = asked(&listener).await;
    child.kill().await.unwrap();
    worker.kill().await.unwrap();
    drop(waiting);

    let path = project.path();
    let (code, stdout, stderr) = told(path, &["workflow", "stop", poison.as_str()]).await;
    assert_eq!((code, stdout.as_str()), (Some(0), format!("{poison}  stopped\n").as_str()), "{stderr}");
    let (code, stdout, stderr) = told(path, &["runs", "stop", held.run_id.as_str()]).await;
    assert_eq!(
        (code, stdout.as_str()),
        (Some(0), format!("{}  stopped\n", held.run_id).as_str()),
        "{stderr}"
    );
    let (code, ..) = told(path, &["workflow", "stop", "wfr_none"]).await;
    assert_eq!(code, Some(1));
    assert!(timeout(Duration::ZERO, listener.accept()).await.is_err(), "no step was executed");

    // A coordinator that starts now has nothing to do.
    let mut child = coordinator(path, database, port, embeddings);
    let run = over(&client, &poison).await;
    assert_eq!(run.status, WorkflowStatus::Stopped);
    assert_eq!(client.run(&held.run_id).await.unwrap().status, RunStatus::Stopped);
    child.kill().await.unwrap();

    for arguments in
        [["workflow", "runs", "rm", poison.as_str()], ["sessions", "rm", held.session_id.as_str(), "--json"]]
    {
        let (code, _, stderr) = told(path, &arguments).await;
        assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
    }
    let (_, stdout, _) = told(path, &["workflow", "runs", "--json"]).await;
    let left: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(left["items"], json!([]));
}

/// With the runner in the same process, a crashing run is retried as often as a runner may be lost.
#[tokio::test]
async fn a_run_that_crashes_accord_up_fails() {
    let model = ModelServer::start(Script::handler(|_, _| Reply::hang())).await.unwrap();
    let project = Project::new().agent(&any("slow", &model));
    let port = free_port();
    let up = || {
        accord(project.path())
            .args(["up", "--listen", &format!("127.0.0.1:{port}")])
            .env("ACCORD_QUEUE__LEASE_SECONDS", "3")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let mut child = up();
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    let run = loop {
        match client.create_run(&ask("slow"), Some("key")).await {
            Ok(run) => break run.run_id,
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
        pause.tick().await;
    };
    for death in 1..=3 {
        model.wait_for_requests(death).await;
        child.kill().await.unwrap();
        child = up();
    }
    let ended = async {
        loop {
            match client.wait_for_run(&run, 5).await {
                Ok(run) if run.status.is_over() => return run,
                Ok(_) => {}
                Err(error) => assert!(error.is_transient(), "{error}"),
            }
            pause.tick().await;
        }
    };
    let run = timeout(LONGEST, ended).await.unwrap();
    let kind = run.error.map(|error| error.kind);
    assert_eq!((run.status, kind), (RunStatus::Failed, Some(accord_api::FailureType::RunnerLost)));
    child.kill().await.unwrap();
}
