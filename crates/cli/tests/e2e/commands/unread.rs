//! With stdout closed early, the exit code still depends on the outcome of the run.

use std::process::{ExitStatus, Stdio};

use accord_test_support::Reply;
use serde_json::json;
use tokio::io::AsyncBufReadExt as _;

use super::{always, contracted};
use crate::support::{Project, accord, agent, model};

/// Runs a command with stdout closed.
async fn unread(project: &Project, arguments: &[&str]) -> ExitStatus {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    accord(project.path()).args(arguments).stdout(writer).stderr(Stdio::null()).status().await.unwrap()
}

#[tokio::test]
async fn a_run_exits_by_its_outcome() {
    let good = always(r#"{"severity": "high"}"#).await;
    let bad = always("I would rather not say").await;
    let project =
        Project::new().agent(&agent("good", &good, &contracted())).agent(&agent("bad", &bad, &contracted()));
    for json in [&[][..], &["--json"]] {
        let code = async |name| unread(&project, &[&["run", name, "x"], json].concat()).await.code();
        assert_eq!((code("good").await, code("bad").await), (Some(0), Some(2)), "{json:?}");
    }
    assert_eq!(unread(&project, &["runs", "list"]).await.code(), Some(0));
}

#[tokio::test]
async fn a_closed_stdout_ends_watch_and_not_the_run() {
    let model = model([Reply::hang()]).await;
    let host = Project::new().agent(&agent("slow", &model, &json!({}))).up().await;
    let created = host.client.create_run(&crate::support::ask("slow"), None).await.unwrap();
    let mut command = accord(host.path());
    command.args(["runs", "watch", created.run_id.as_str(), "--json"]).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = tokio::io::BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next_line().await.unwrap().unwrap().contains("run.queued"));
    drop(lines);
    model.wait_for_requests(1).await;
    assert!(!host.client.run(&created.run_id).await.unwrap().status.is_over());
    // The end of the run is printed, but nothing reads it.
    host.client.stop_run(&created.run_id).await.unwrap();
    assert_eq!(child.wait().await.unwrap().code(), Some(4));
}
