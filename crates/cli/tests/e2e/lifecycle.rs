//! Starting, ending, keys, and coordinator and runner apart.

use std::process::Stdio;

use accord_api::{CreateKey, ErrorName, Role, RunStatus};
use accord_client::{ApiKey, Client};
use accord_test_support::Reply;
use serde_json::json;

use crate::support::{Project, accord, agent, ask, kinds, model};

#[tokio::test]
async fn a_runner_works_apart_from_its_coordinator_and_ends_well() {
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
async fn with_a_key_everything_needs_one() {
    let model = model([Reply::text("done")]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let key = |role| CreateKey { role, name: "test".into() };
    let admin = host.client.create_key(&key(Role::Admin)).await.unwrap();
    let error = host.client.create_run(&ask("free"), None).await.unwrap_err();
    assert!(error.is(ErrorName::Unauthorized), "{error}");
    let admin = Client::new(&host.url, Some(&ApiKey::new(admin.key))).unwrap();
    let viewer = admin.create_key(&key(Role::Viewer)).await.unwrap();
    let viewer = Client::new(&host.url, Some(&ApiKey::new(viewer.key))).unwrap();
    assert!(viewer.create_run(&ask("free"), None).await.unwrap_err().is(ErrorName::Forbidden));
    // The runner in the same process goes on.
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
