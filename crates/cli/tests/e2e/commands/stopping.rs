//! Ways to end a run early: `--timeout`, Ctrl-C, and a coordinator that goes away.

use std::process::Stdio;

use accord_api::{RunQuery, RunStatus};
use accord_test_support::Reply;
use serde_json::{Value, json};
use tokio::process::Child;

use super::{finish, run};
use crate::support::{Accord, Project, accord, agent, model};

async fn interrupt(child: &Child) {
    let id = child.id().unwrap().to_string();
    assert!(tokio::process::Command::new("kill").args(["-INT", &id]).status().await.unwrap().success());
}

async fn newest(host: &Accord) -> RunStatus {
    host.client.runs(&RunQuery::default()).await.unwrap().items.remove(0).status
}

#[tokio::test]
async fn a_time_limit_and_a_signal_stop_the_run_on_the_server() {
    let model = model([Reply::hang(), Reply::hang(), Reply::hang(), Reply::hang()]).await;
    let host = Project::new().agent(&agent("slow", &model, &json!({}))).up().await;
    let ran = run(host.path(), &["run", "slow", "x", "--timeout", "1"]).await;
    assert_eq!(ran.ends(4, &["was stopped", "--timeout"]).stdout, "");
    assert_eq!(newest(&host).await, RunStatus::Stopped);
    let ran = run(host.path(), &["run", "slow", "x", "--timeout", "1", "--json"]).await.ends(4, &[]).json();
    assert_eq!((&ran["status"], &ran["interruption"]), (&json!("stopped"), &json!("timeout")));

    let mut command = accord(host.path());
    command.args(["run", "slow", "x", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    model.wait_for_requests(3).await;
    interrupt(&child).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(4));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["status"], &report["interruption"]), (&json!("stopped"), &json!("signal")));
    assert_eq!(newest(&host).await, RunStatus::Stopped);

    // Interrupting `watch` does not affect the run.
    let created = host.client.create_run(&crate::support::ask("slow"), None).await.unwrap();
    model.wait_for_requests(4).await;
    let mut command = accord(host.path());
    let mut child =
        command.args(["runs", "watch", created.run_id.as_str()]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(child.stdout.take().unwrap()));
    assert!(lines.next_line().await.unwrap().unwrap().contains("queued for slow"));
    interrupt(&child).await;
    assert_eq!(child.wait().await.unwrap().code(), Some(4));
    assert_eq!(newest(&host).await, RunStatus::Running);

    let ran = run(host.path(), &["runs", "stop", created.run_id.as_str(), "--json"]).await.ends(0, &[]);
    assert_eq!(ran.text("/run_id"), created.run_id.as_str());
    // An unknown run does not prevent the others from being stopped.
    let stop = ["runs", "stop", "run_none", created.run_id.as_str()];
    let ran = run(host.path(), &[&stop[..], &["--json"]].concat()).await.ends(1, &["run_none"]);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |line: &Value| (line["run_id"].clone(), line["error"]["name"].clone());
    let expected = [(json!("run_none"), json!("RunNotFound")), (json!(created.run_id), json!(null))];
    assert_eq!(lines.iter().map(told).collect::<Vec<_>>(), expected);
    let ran = run(host.path(), &stop).await.ends(1, &["run_none"]);
    assert!(ran.stdout.starts_with(created.run_id.as_str()) && ran.stdout.lines().count() == 1, "{ran:?}");

    let ran = run(host.path(), &["runs", "watch", created.run_id.as_str()]).await.ends(4, &[]);
    assert!(ran.stdout.contains("stopped after"), "{ran:?}");
    model.wait_until_idle().await;
}

#[tokio::test]
async fn an_embedded_run_stops_too() {
    let model = model([Reply::hang(), Reply::hang()]).await;
    let project = Project::new().agent(&agent("slow", &model, &json!({})));
    run(project.path(), &["run", "slow", "x", "--timeout", "1"]).await.ends(4, &["was stopped"]);
    let child = accord(project.path())
        .args(["run", "slow", "x"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    model.wait_for_requests(2).await;
    interrupt(&child).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("was stopped"), "{output:?}");
}

#[tokio::test]
async fn a_coordinator_that_goes_away_ends_the_wait() {
    let model = model([Reply::hang()]).await;
    let host = Project::new().agent(&agent("slow", &model, &json!({}))).up().await;
    let mut command = accord(host.path());
    command.args(["run", "slow", "x"]);
    let (ran, kept) = tokio::join!(finish(&mut command, ""), async {
        model.wait_for_requests(1).await;
        host.kill().await
    });
    ran.ends(3, &["has not finished, but cannot reach the coordinator", "accord runs watch run_"]);
    // The address that a killed coordinator leaves behind does not respond.
    let url = "http://127.0.0.1:9";
    run(kept.path(), &["runs", "list", "--coordinator", url])
        .await
        .ends(3, &["cannot reach the coordinator"]);
}
