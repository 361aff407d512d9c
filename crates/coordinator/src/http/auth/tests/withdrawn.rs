//! Open requests end when their key is revoked.

use std::time::Duration;

use axum::body::BodyDataStream;
use axum::http::Method;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::made;
use crate::app::agents::fixture::{Fixture, Reply, reviewer};
use accord_domain::id::KeyId;
use accord_domain::key::Role;

/// Limit for a stream that never ends.
const PATIENCE: Duration = Duration::from_secs(20);

async fn desk() -> Fixture {
    let fixture = Fixture::new(&[]);
    assert_eq!(fixture.post("/agents", &reviewer("reviewer")).await.status, 201);
    fixture
}

async fn start_run(fixture: &Fixture) -> String {
    let reply = fixture.post("/runs", &json!({"agent_name": "reviewer", "prompt": "go"})).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    reply.json()["run_id"].as_str().unwrap().to_owned()
}

/// An event stream that has begun.
async fn followed(fixture: &Fixture) -> BodyDataStream {
    let response = fixture.respond(Method::GET, "/events", &[], String::new()).await;
    let mut stream = response.into_body().into_data_stream();
    assert_eq!(stream.next().await.unwrap().unwrap(), ": accord\n\n");
    stream
}

/// Reads the rest of a stream. The stream has to end.
async fn rest(stream: BodyDataStream) -> String {
    let pieces: Vec<_> = timeout(PATIENCE, stream.collect()).await.unwrap();
    let bytes: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.unwrap().to_vec()).collect();
    String::from_utf8(bytes).unwrap()
}

async fn remove(fixture: &Fixture, key_id: &str) {
    let reply = fixture.send(Method::DELETE, &format!("/keys/{key_id}"), &[], String::new()).await;
    assert_eq!(reply.status, 204);
}

async fn claim(fixture: &Fixture, runner: &Value) -> Reply {
    let body = json!({"runner_id": runner, "max": 1, "wait_seconds": 15});
    timeout(PATIENCE, fixture.post("/runner/claims", &body)).await.unwrap()
}

async fn registered(fixture: &Fixture) -> Value {
    let profile = json!({"profile": {"executor_types": ["llm"]}});
    fixture.post("/runner/register", &profile).await.json()["runner_id"].clone()
}

#[tokio::test]
async fn a_stream_ends_with_its_key() {
    let fixture = desk().await;
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let (viewer_id, viewer) = made(&fixture, "viewer").await;
    fixture.with_key(Some(&viewer));
    let stream = followed(&fixture).await;
    fixture.with_key(Some(&admin));
    remove(&fixture, &viewer_id).await;
    start_run(&fixture).await;
    assert_eq!(rest(stream).await, "", "nothing is told any more");
}

#[tokio::test]
async fn a_stream_without_a_key_ends_with_the_first_one() {
    let fixture = desk().await;
    let stream = followed(&fixture).await;
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    start_run(&fixture).await;
    assert_eq!(rest(stream).await, "");
}

#[tokio::test]
async fn a_key_revoked_by_another_process_ends_waiting_requests() {
    let fixture = desk().await;
    let outside = fixture.outside.as_ref();
    let mut ids: Vec<KeyId> = Vec::new();
    for role in [Role::Viewer, Role::Admin] {
        let (key, shown) = crate::new_key(outside, role, "elsewhere", None).unwrap();
        ids.push(key.id.clone());
        fixture.store.add_key(key).await.unwrap();
        if role == Role::Viewer {
            fixture.with_key(Some(&shown));
        }
    }
    fixture.outside.pass(3);
    let stream = followed(&fixture).await;
    fixture.store.remove_key(&ids[0]).await.unwrap();
    fixture.outside.pass(3);
    assert_eq!(rest(stream).await, "");
}

#[tokio::test]
async fn a_waiting_claim_ends_with_its_key() {
    let fixture = desk().await;
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let (runner_key_id, runner_key) = made(&fixture, "runner").await;
    fixture.with_key(Some(&runner_key));
    let runner = registered(&fixture).await;
    let (claimed, run) = tokio::join!(claim(&fixture, &runner), async {
        fixture.with_key(Some(&admin));
        remove(&fixture, &runner_key_id).await;
        start_run(&fixture).await
    });
    assert_eq!(claimed.error(), (401, "Unauthorized".into()));
    assert_eq!(fixture.get(&format!("/runs/{run}")).await.json()["status"], "pending");
}

#[tokio::test]
async fn waiting_requests_end_when_their_key_is_revoked() {
    let fixture = desk().await;
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let run = start_run(&fixture).await;
    let nodes = json!({
        "input": {"type": "input"}, "work": {"type": "agent", "agent": "reviewer", "prompt": "go"},
        "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "work"}, {"from": "work", "to": "output"}]);
    let flow = json!({"name": "flow", "nodes": nodes, "edges": edges});
    assert_eq!(fixture.post("/workflows", &flow).await.status, 201);
    let started = fixture.post("/workflows/flow/runs", &json!({})).await.json();
    let workflow_run = started["workflow_run_id"].as_str().unwrap();
    let runner = registered(&fixture).await;
    let cases = [
        (Method::GET, format!("/runs/{run}?wait=60"), Value::Null),
        (Method::POST, "/runs?wait=60".to_owned(), json!({"agent_name": "reviewer", "prompt": "go"})),
        (Method::GET, format!("/workflow-runs/{workflow_run}?wait=60"), Value::Null),
        (Method::POST, "/workflows/flow/runs?wait=60".to_owned(), json!({})),
        (
            Method::POST,
            "/runner/heartbeat".to_owned(),
            json!({"runner_id": runner, "runs": [], "wait_seconds": 20}),
        ),
    ];
    for (method, path, body) in cases {
        let (key_id, key) = made(&fixture, "admin").await;
        fixture.with_key(Some(&key));
        let waiting = timeout(PATIENCE, fixture.send(method, &path, &[], body.to_string()));
        let (answer, ()) = tokio::join!(waiting, async {
            fixture.with_key(Some(&admin));
            remove(&fixture, &key_id).await;
        });
        assert_eq!(answer.unwrap().error(), (401, "Unauthorized".into()), "{path}");
    }
}

#[tokio::test]
async fn a_runner_of_this_process_stays_when_the_first_key_is_created() {
    let fixture = desk().await;
    let local = fixture.app.local_key(Role::Runner).unwrap();
    fixture.with_key(Some(&local));
    let runner = registered(&fixture).await;
    let (claimed, run) = tokio::join!(claim(&fixture, &runner), async {
        fixture.with_key(None);
        let (_, admin) = made(&fixture, "admin").await;
        fixture.with_key(Some(&admin));
        start_run(&fixture).await
    });
    assert_eq!(claimed.json()["runs"][0]["run_id"], json!(run), "{}", claimed.text);
}

#[tokio::test]
async fn a_stream_ends_when_its_key_expires() {
    let fixture = desk().await;
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let expiring = json!({"role": "viewer", "expires_at": "2026-11-01T00:00:01Z"});
    let key = fixture.post("/keys", &expiring).await.json()["key"].as_str().unwrap().to_owned();
    let kept = followed(&fixture).await;
    fixture.with_key(Some(&key));
    let cut = followed(&fixture).await;
    fixture.outside.pass(1);
    rest(cut).await;
    fixture.with_key(Some(&admin));
    let mut kept = kept;
    start_run(&fixture).await;
    assert!(kept.next().await.unwrap().is_ok(), "the other key's stream goes on");
}
