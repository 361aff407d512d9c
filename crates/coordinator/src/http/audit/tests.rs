use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};

use super::super::route::Audit;
use super::super::routes::ROUTES;
use crate::app::agents::fixture::{Fixture, REVIEWER, Reply, reviewer};
use accord_domain::key::Role;

async fn made(fixture: &Fixture, path: &str, body: &Value) -> Reply {
    let reply = fixture.post(path, body).await;
    assert_eq!(reply.status, 201, "{path}: {}", reply.text);
    reply
}

async fn done(fixture: &Fixture, method: Method, path: &str) {
    let reply = fixture.send(method, path, &[], String::new()).await;
    assert!(reply.status.is_success(), "{path}: {}", reply.text);
}

/// The entries, oldest first.
async fn entries(fixture: &Fixture) -> Vec<Value> {
    let reply = fixture.get("/audit?limit=500").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let mut items = reply.json()["items"].as_array().unwrap().clone();
    items.reverse();
    items
}

fn workflow(name: &str) -> Value {
    json!({
        "name": name,
        "nodes": {
            "input": {"type": "input"},
            "work": {"type": "agent", "agent": "worker", "prompt": "go"},
            "output": {"type": "output"},
        },
        "edges": [{"from": "input", "to": "work"}, {"from": "work", "to": "output"}],
    })
}

fn text(reply: &Reply, field: &str) -> String {
    reply.json()[field].as_str().unwrap_or_else(|| panic!("{}", reply.text)).to_owned()
}

/// One request to every route that is recorded.
#[tokio::test]
async fn every_change_is_recorded() {
    let fixture = Fixture::new(&[]);
    fixture.from("192.0.2.1:5000");
    let admin = made(&fixture, "/keys", &json!({"role": "admin", "name": "boss"})).await;
    let (admin_id, secret) = (text(&admin, "key_id"), text(&admin, "key"));
    fixture.with_key(Some(&secret));
    let other = text(&made(&fixture, "/keys", &json!({"role": "viewer"})).await, "key_id");
    done(&fixture, Method::DELETE, &format!("/keys/{other}")).await;

    made(&fixture, "/agents", &reviewer("worker")).await;
    for _ in 0..2 {
        let reply = fixture.send(Method::PUT, "/agents/second", &[], reviewer("second").to_string()).await;
        assert!(reply.status.is_success(), "{}", reply.text);
    }
    let patch = json!({"description": "Other"}).to_string();
    let patched = fixture.send(Method::PATCH, "/agents/second", &[], patch).await;
    done(&fixture, Method::DELETE, "/agents/second").await;

    made(&fixture, "/schemas", &json!({"name": "shape", "schema": {"type": "object"}})).await;
    done(&fixture, Method::DELETE, "/schemas/shape").await;

    made(&fixture, "/workflows", &workflow("flow")).await;
    for _ in 0..2 {
        let reply = fixture.send(Method::PUT, "/workflows/next", &[], workflow("next").to_string()).await;
        assert!(reply.status.is_success(), "{}", reply.text);
    }
    let flow = text(&made(&fixture, "/workflows/flow/runs", &json!({})).await, "workflow_run_id");
    done(&fixture, Method::POST, &format!("/workflow-runs/{flow}/stop")).await;
    crate::Background::round(&fixture.app).await.unwrap();
    done(&fixture, Method::DELETE, &format!("/workflow-runs/{flow}")).await;
    done(&fixture, Method::DELETE, "/workflows/next").await;

    let run = made(&fixture, "/runs", &json!({"agent_name": "worker", "prompt": "x"})).await;
    let (run, session) = (text(&run, "run_id"), text(&run, "session_id"));
    done(&fixture, Method::POST, &format!("/runs/{run}/stop")).await;
    done(&fixture, Method::POST, &format!("/runs/{run}/retry")).await;
    done(&fixture, Method::POST, &format!("/sessions/{session}/stop")).await;
    done(&fixture, Method::DELETE, &format!("/sessions/{session}")).await;
    done(&fixture, Method::DELETE, "/endpoints?model=m&feature=native").await;
    made(&fixture, "/agents", &json!({"name": "person", "executor": {"type": "human"}})).await;
    made(&fixture, "/runs", &json!({"agent_name": "person", "prompt": "x"})).await;
    let asked = fixture.send(Method::GET, "/inputs", &[], String::new()).await;
    let input = asked.json()["items"][0]["id"].as_str().unwrap().to_owned();
    made(&fixture, &format!("/inputs/{input}/link"), &json!({})).await;
    let answered = json!({"answer": "y"}).to_string();
    let reply = fixture.send(Method::POST, &format!("/inputs/{input}"), &[], answered).await;
    assert!(reply.status.is_success(), "{}", reply.text);
    let file = text(&made(&fixture, "/files", &json!({"a": 1})).await, "id");
    done(&fixture, Method::DELETE, &format!("/files/{file}")).await;

    let entries = entries(&fixture).await;
    let told: Vec<(&str, &str)> = entries
        .iter()
        .map(|entry| (entry["action"].as_str().unwrap(), entry["object"].as_str().unwrap()))
        .collect();
    let expected = [
        ("key.created", admin_id.as_str()),
        ("key.created", &other),
        ("key.deleted", &other),
        ("agent.created", "worker"),
        ("agent.created", "second"),
        ("agent.updated", "second"),
        ("agent.updated", "second"),
        ("agent.deleted", "second"),
        ("schema.created", "shape"),
        ("schema.deleted", "shape"),
        ("workflow.created", "flow"),
        ("workflow.created", "next"),
        ("workflow.updated", "next"),
        ("workflow_run.stopped", &flow),
        ("workflow_run.deleted", &flow),
        ("workflow.deleted", "next"),
        ("run.stopped", &run),
        ("run.retried", &run),
        ("session.stopped", &session),
        ("session.deleted", &session),
        ("endpoints.forgotten", "model m, feature native"),
        ("agent.created", "person"),
        ("input_link.created", &input),
        ("input.answered", &input),
        ("file.uploaded", &file),
        ("file.deleted", &file),
    ];
    assert_eq!(told, expected);
    // A workflow run is retried only after three crashes of coordinators
    // (tests/http/quarantine.rs), and a run is forked only if a runner worked on it
    // (tests/http/waiting.rs).
    let elsewhere = ["workflow_run.retried", "run.forked"];
    let names: BTreeSet<&str> = told.iter().map(|(action, _)| *action).chain(elsewhere).collect();
    let audited = ROUTES.iter().filter_map(|route| match route.audit {
        Audit::Recorded(audited) => Some(audited),
        Audit::Safe | Audit::Exempt(_) => None,
    });
    let table: BTreeSet<&str> =
        audited.flat_map(|audited| [Some(audited.action), audited.created]).flatten().collect();
    assert_eq!(names, table, "the test has to reach every action of the table");

    let key = json!({"kind": "key", "key_id": admin_id, "name": "boss"});
    assert_eq!(entries[0]["actor"], json!({"kind": "open"}));
    assert!(entries[1..].iter().all(|entry| entry["actor"] == key), "{entries:?}");
    assert!(entries.iter().all(|entry| entry["address"] == "192.0.2.1"), "{entries:?}");
    assert_eq!(entries[6]["hash"], patched.etag().trim_matches('"'));
    let all = Value::from(entries).to_string();
    assert!(!all.contains(secret.rsplit_once('_').unwrap().1), "no secret is recorded");
    assert!(!all.contains("Reviews"), "no document is recorded");
}

#[tokio::test]
async fn requests_that_change_nothing_are_not_audited() {
    let fixture = Fixture::new(&[]);
    let promised = [("idempotency-key", "once")];
    for _ in 0..2 {
        let reply = fixture.send(Method::POST, "/agents", &promised, reviewer("worker").to_string()).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
    }
    assert_eq!(fixture.post("/agents", &reviewer("worker")).await.status, 409);
    assert_eq!(fixture.send(Method::DELETE, "/agents/none", &[], String::new()).await.status, 404);
    assert_eq!(fixture.post("/agents/validate", &reviewer("other")).await.status, 200);
    made(&fixture, "/runs", &json!({"agent_name": "worker", "prompt": "x"})).await;
    let actions: Vec<Value> = entries(&fixture).await.iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["agent.created"]);
}

#[tokio::test]
async fn the_proxy_chain_is_recorded() {
    let fixture = Fixture::new(&[]);
    let admin = made(&fixture, "/keys", &json!({"role": "admin", "name": "boss"})).await;
    fixture.with_key(Some(&text(&admin, "key")));
    fixture.from("[::ffff:10.0.0.2]:5000");
    let way = format!("192.0.2.7, {}", "9".repeat(1_000));
    let headers = [("x-forwarded-for", way.as_str())];
    let reply = fixture.send(Method::POST, "/agents", &headers, reviewer("worker").to_string()).await;
    assert_eq!(reply.status, 201);
    let entry = entries(&fixture).await.pop().unwrap();
    assert_eq!(entry["address"], "10.0.0.2");
    assert_eq!(entry["forwarded_for"], way[..200]);
}

#[tokio::test]
async fn a_command_of_this_process_has_no_key() {
    let fixture = Fixture::new(&[]);
    fixture.from("127.0.0.1:5000");
    fixture.with_key(Some(&fixture.app.local_key(Role::Admin).unwrap()));
    made(&fixture, "/agents", &reviewer("worker")).await;
    let run = made(&fixture, "/runs", &json!({"agent_name": "worker", "prompt": "x"})).await;
    let run = fixture.get(&format!("/runs/{}", text(&run, "run_id"))).await.json();
    assert_eq!(run.get("requested_by"), None);
    let entry = entries(&fixture).await.pop().unwrap();
    assert_eq!((&entry["actor"], entry.get("address")), (&json!({"kind": "command_line"}), None));
}

#[tokio::test]
async fn the_log_is_paged_and_filtered_for_admins() {
    let fixture = Fixture::new(&[]);
    let admin = text(&made(&fixture, "/keys", &json!({"role": "admin", "name": "boss"})).await, "key");
    fixture.with_key(Some(&admin));
    let caller = text(&made(&fixture, "/keys", &json!({"role": "caller", "name": "ci"})).await, "key");
    for name in ["a", "b", "c"] {
        fixture.outside.pass(60);
        made(&fixture, "/agents", &reviewer(name)).await;
    }
    let objects = |reply: Reply| {
        assert_eq!(reply.status, 200, "{}", reply.text);
        let items = reply.json()["items"].as_array().unwrap().clone();
        items.iter().map(|entry| entry["object"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let first = fixture.get("/audit?action=agent&limit=2").await;
    let cursor = text(&first, "next_cursor");
    assert_eq!(objects(first), ["c", "b"]);
    assert_eq!(objects(fixture.get(&format!("/audit?action=agent&limit=2&cursor={cursor}")).await), ["a"]);
    assert_eq!(objects(fixture.get("/audit?since=2026-11-01T00:02:00Z&actor=boss").await), ["c", "b"]);
    assert_eq!(objects(fixture.get("/audit?actor=open").await).len(), 1);
    assert_eq!(fixture.get("/audit?cursor=runs:1.1").await.error(), (400, "InvalidRequest".into()));
    assert_eq!(fixture.get("/audit?action=agent&who=me").await.error(), (400, "InvalidRequest".into()));
    fixture.with_key(Some(&caller));
    assert_eq!(fixture.get("/audit").await.error(), (403, "Forbidden".into()));
}

#[tokio::test]
async fn old_entries_are_removed() {
    let fixture = Fixture::new(&[]);
    made(&fixture, "/agents", &reviewer("a")).await;
    fixture.outside.pass(399 * 24 * 3600);
    fixture.app.upkeep.forget().await.unwrap();
    assert_eq!(entries(&fixture).await.len(), 1);
    fixture.outside.pass(2 * 24 * 3600);
    fixture.app.upkeep.forget().await.unwrap();
    assert_eq!(entries(&fixture).await, Vec::<Value>::new());
}

#[tokio::test]
async fn edited_files_are_recorded_once_and_our_writes_are_not() {
    let fixture = Fixture::new(&[("reviewer/agent.yaml", REVIEWER)]);
    fixture.app.blueprints.reload_definitions::<accord_blueprint::Agents>().await;
    assert_eq!(entries(&fixture).await, Vec::<Value>::new(), "what was there at the start");
    fixture.write("reviewer/agent.yaml", &REVIEWER.replace("Reviews", "Reads"));
    // A request for the agent reads its file before the watcher does.
    assert_eq!(fixture.get("/agents/reviewer").await.json()["summary"]["description"], "Reads");
    for _ in 0..2 {
        fixture.app.blueprints.reload_definitions::<accord_blueprint::Agents>().await;
    }
    let put = reviewer("reviewer").to_string();
    assert_eq!(fixture.send(Method::PUT, "/agents/reviewer", &[], put).await.status, 200);
    fixture.app.blueprints.reload_definitions::<accord_blueprint::Agents>().await;
    fixture.write("other/agent.yaml", &REVIEWER.replace("reviewer", "other"));
    fixture.app.blueprints.reload_definitions::<accord_blueprint::Agents>().await;
    done(&fixture, Method::DELETE, "/agents/other").await;
    fixture.app.blueprints.reload_definitions::<accord_blueprint::Agents>().await;
    std::fs::remove_dir_all(fixture.folder().join("reviewer")).unwrap();
    fixture.app.blueprints.reload_definitions::<accord_blueprint::Agents>().await;
    let entries = entries(&fixture).await;
    let told: Vec<String> = entries
        .iter()
        .map(|entry| {
            format!("{} {} {}", entry["action"], entry["object"], entry["actor"]["kind"]).replace('"', "")
        })
        .collect();
    let expected = [
        "agent.file_changed reviewer file_system",
        "agent.updated reviewer open",
        "agent.file_changed other file_system",
        "agent.deleted other open",
        "agent.file_changed reviewer file_system",
    ];
    assert_eq!(told, expected);
    assert_eq!(entries[4].get("hash"), None, "it is gone");
}
