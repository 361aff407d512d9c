//! Startup, shutdown, keys, and a runner in a separate process.

use std::process::Stdio;

use accord_api::{CreateKey, ErrorName, Role, RunStatus};
use accord_client::{ApiKey, Client};
use accord_test_support::Reply;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::support::{Accord, Project, accord, agent, ask, binary, kinds, model};

#[tokio::test]
async fn a_separate_runner_works_and_shuts_down_cleanly() {
    let model = model([Reply::text("done")]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).coordinator().await;
    let mut runner = accord(host.path())
        .args(["runner", "--coordinator", &host.url, "--tags", "a,b", "--concurrency", "2"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(host.run(&ask("free")).await.status, RunStatus::Completed);
    let id = runner.id().unwrap().to_string();
    assert!(tokio::process::Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
    assert!(runner.wait().await.unwrap().success());
    assert_eq!(host.client.runners(&accord_api::PageQuery::default()).await.unwrap().items.len(), 0);
    host.end().await;
}

#[tokio::test]
async fn running_work_ends_before_the_process_does() {
    let model = model([Reply::text("in time").delayed(std::time::Duration::from_millis(300))]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let run = host.client.create_run(&ask("free"), None).await.unwrap();
    model.wait_for_requests(1).await;
    let events = host.client.events(
        &accord_client::EventFilter { run_id: Some(run.run_id.clone()), ..Default::default() },
        Some(accord_api::EventId::default()),
    );
    let (_, seen) = tokio::join!(host.end(), async {
        use futures_util::StreamExt as _;
        let over = |event: &accord_api::EventView| event.body.kind() == "run.completed";
        events.filter_map(|event| async { event.ok() }).any(|event| async move { over(&event) }).await
    });
    assert!(seen);
}

#[tokio::test]
async fn a_run_outlasts_the_shortest_lease() {
    let slow = || Reply::text("in time").delayed(std::time::Duration::from_secs(4));
    // If the machine stalls for a second, a lease is lost and the run starts again.
    let model = model([slow(), slow(), slow()]).await;
    let shortest = accord_coordinator::Queue::SHORTEST_LEASE_SECONDS.to_string();
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    let host = project.set("ACCORD_QUEUE__LEASE_SECONDS", &shortest).up().await;
    let run = host.run(&ask("free")).await;
    assert_eq!((run.status, run.error), (RunStatus::Completed, None));
    host.end().await;
}

#[tokio::test]
async fn repeated_requests_are_events_of_the_run() {
    let model = model([Reply::error(429, "Slow down").retry_after(0), Reply::text("done")]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let run = host.run(&ask("free")).await;
    assert_eq!(run.status, RunStatus::Completed);
    let watch = ["runs", "watch", run.run_id.as_str(), "--json"];
    let watched = accord(host.path()).args(watch).output().await.unwrap();
    let lines = String::from_utf8(watched.stdout).unwrap();
    let events = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let told: Vec<_> = events.filter(|event| event["type"] == "request.repeated").collect();
    assert_eq!(told.len(), 1, "{lines}");
    let (reason, pause) = (told[0]["reason"].as_str().unwrap(), told[0]["milliseconds"].as_u64().unwrap());
    assert!(reason.ends_with("responded 429: Slow down") && pause > 0, "{reason} {pause}");
    let watched = accord(host.path()).args(&watch[..3]).output().await.unwrap();
    let shown = String::from_utf8(watched.stdout).unwrap();
    assert!(shown.contains("retrying in ") && shown.contains("429: Slow down"), "{shown}");
    host.end().await;
}

#[tokio::test]
async fn with_a_key_everything_needs_one() {
    let model = model([Reply::text("done")]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let key = |role| CreateKey { role, name: "test".into(), expires_at: None };
    let admin = host.client.create_key(&key(Role::Admin)).await.unwrap();
    let error = host.client.create_run(&ask("free"), None).await.unwrap_err();
    assert!(error.is(ErrorName::Unauthorized), "{error}");
    let admin = Client::new(&host.url, Some(&ApiKey::new(admin.key))).unwrap();
    let viewer = admin.create_key(&key(Role::Viewer)).await.unwrap();
    let viewer = Client::new(&host.url, Some(&ApiKey::new(viewer.key))).unwrap();
    assert!(viewer.create_run(&ask("free"), None).await.unwrap_err().is(ErrorName::Forbidden));
    // The runner in the same process continues.
    let run = admin.create_run_and_wait(&ask("free"), 30, None).await.unwrap();
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!(viewer.run(&run.run_id).await.unwrap().status, RunStatus::Completed);
}

#[tokio::test]
async fn a_public_address_without_a_key_is_refused() {
    let project = Project::new();
    let output =
        accord(project.path()).args(["coordinator", "--listen", "0.0.0.0:0"]).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("accord keys create"), "{said}");
}

/// `accord up` with a limit of open files, until it is ready; returns its messages as well.
async fn limited(limit: &str, project: &Project, concurrency: &str) -> (tokio::process::Child, String) {
    let log = project.path().join("log");
    let mut shell = tokio::process::Command::new("sh");
    shell
        .args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), &binary()])
        .args(["up", "--listen", "127.0.0.1:0", "--concurrency", concurrency])
        .current_dir(project.path())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&log).unwrap())
        .kill_on_drop(true);
    let mut child = shell.spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    let ready = BufReader::new(stdout).lines().next_line().await.unwrap().unwrap();
    assert!(ready.contains("ready"), "{ready}");
    (child, std::fs::read_to_string(log).unwrap())
}

#[tokio::test]
async fn the_limit_of_open_files_is_raised() {
    let project = Project::new();
    let (child, said) = limited("-Sn 300", &project, "1000").await;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id().unwrap())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let allowed: u64 = files.split_whitespace().nth(3).unwrap().parse().unwrap();
    assert!(allowed > 1256, "{files}");
    assert!(!said.contains("open files"), "{said}");

    let project = Project::new();
    let (_child, said) = limited("-n 300", &project, "1000").await;
    assert!(said.contains("the system allows 300") && said.contains("runner.concurrency"), "{said}");
}

#[tokio::test]
async fn stop_ends_running_work() {
    let model = model([Reply::hang()]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let run = host.client.create_run(&ask("free"), None).await.unwrap();
    model.wait_for_requests(1).await;
    host.client.stop_run(&run.run_id).await.unwrap();
    assert_eq!(kinds(&host.events(&run.run_id).await).last(), Some(&"run.stopped"));
    model.wait_until_idle().await;
}

#[tokio::test]
async fn a_second_coordinator_leaves_the_address_of_the_first() {
    let first = Project::new().up().await;
    let file = first.path().join(".accord/coordinator.json");
    let named = || std::fs::read_to_string(&file).unwrap_or_default();
    let before = named();
    assert!(before.contains(&first.url), "{before}");
    let (second, url) = beside(&first).await;
    assert!(named().contains(&url), "the newest is found: {}", named());
    let said = end(second).await;
    assert!(said.contains("another coordinator is already running for this project"), "{said}");
    assert!(said.contains(&first.url), "{said}");
    assert_eq!(named(), before, "the first is still there");
    // Now the other order.
    let (third, url) = beside(&first).await;
    let kept = first.leave().await;
    assert!(named().contains(&url), "{}", named());
    end(third).await;
    assert!(!file.exists(), "nobody is left in {}", kept.path().display());
}

#[tokio::test]
async fn a_closed_terminal_shuts_it_down_cleanly() {
    let host = Project::new().up().await;
    let file = host.path().join(".accord/coordinator.json");
    assert!(file.exists());
    let _folder = host.ended_by("-HUP").await;
    assert!(!file.exists());
}

#[tokio::test]
async fn nohup_outlives_its_terminal() {
    let model = model([Reply::text("done").delayed(std::time::Duration::from_millis(300))]).await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    let mut command = tokio::process::Command::new("nohup");
    command.arg(binary()).current_dir(project.path()).kill_on_drop(true);
    let (child, url) = started(command).await;
    let id = child.id().unwrap().to_string();
    assert!(tokio::process::Command::new("kill").args(["-HUP", &id]).status().await.unwrap().success());
    let client = Client::new(&url, None).unwrap();
    let run = client.create_run_and_wait(&ask("free"), 30, None).await.unwrap();
    assert_eq!(run.status, RunStatus::Completed);
    end(child).await;
}

/// A second `accord up` in the same folder, and its address.
async fn beside(first: &Accord) -> (tokio::process::Child, String) {
    started(accord(first.path())).await
}

async fn started(mut command: tokio::process::Command) -> (tokio::process::Child, String) {
    let command = command.args(["up", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.next_line().await.unwrap().unwrap();
    (child, ready.split_whitespace().last().unwrap().to_owned())
}

/// Ends the process and returns its output.
async fn end(child: tokio::process::Child) -> String {
    let id = child.id().unwrap().to_string();
    assert!(tokio::process::Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
    let output = child.wait_with_output().await.unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stderr).unwrap()
}
