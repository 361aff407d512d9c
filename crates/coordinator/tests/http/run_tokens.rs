//! Run tokens: what they allow and what they never allow.

use std::sync::Arc;

use axum::http::Response;
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

use crate::support::{Desk, Held, refused, text};

/// A running run, its token and its session.
struct Parent {
    runner: String,
    held: Held,
    token: String,
    session: String,
}

async fn parent(desk: &Desk) -> Parent {
    let runner = desk.runner().await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    let held = desk.claim(&runner).await;
    let token = token_of(&held);
    Parent { runner, held, token, session }
}

fn token_of(held: &Held) -> String {
    format!("run.{}.{}", held.run_id, held.holding["lease_id"].as_str().unwrap())
}

/// Makes keys required and returns the admin key.
async fn keys(desk: &Desk) -> String {
    text(&desk.post("/keys", json!({"role": "admin", "name": "a"})).await.1, "key")
}

fn child(more: Value) -> Option<Value> {
    let mut body = json!({"agent_name": "writer", "prompt": "child"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Some(body)
}

#[tokio::test]
async fn a_run_token_always_starts_children() {
    for with_keys in [false, true] {
        let desk = Desk::with_writer().await;
        let parent = parent(&desk).await;
        let (_, stranger) = desk.run(json!({"agent_name": "writer", "prompt": "stranger"})).await;
        let admin = if with_keys { keys(&desk).await } else { String::new() };
        for forged in
            [json!({}), json!({"parent_session_id": stranger}), json!({"parent_session_id": "ses_none"})]
        {
            let (status, created) = desk.ask_as(&parent.token, "POST", "/runs", child(forged)).await;
            assert_eq!(status, 201, "{created}");
            let path = format!("/sessions/{}", text(&created, "session_id"));
            let (_, session) = desk.ask_as(&admin, "GET", &path, None).await;
            assert_eq!(session["parent_session_id"], parent.session);
        }
        let (_, list) = desk.ask_as(&parent.token, "GET", "/sessions", None).await;
        let items = list["items"].as_array().unwrap();
        assert_eq!(items.len(), 3, "its own children and nobody else's");
        assert!(items.iter().all(|item| item["parent_session_id"] == parent.session), "{list}");
    }
}

#[tokio::test]
async fn a_run_token_sees_only_descendants() {
    let desk = Desk::with_writer().await;
    let parent = parent(&desk).await;
    let (stranger_run, stranger) = desk.run(json!({"agent_name": "writer", "prompt": "stranger"})).await;
    let held = desk.claim(&parent.runner).await;
    assert_eq!(held.run_id, stranger_run);
    let (_, created) = desk.ask_as(&parent.token, "POST", "/runs", child(json!({}))).await;
    let (child_run, child_session) = (text(&created, "run_id"), text(&created, "session_id"));
    let grandchild = json!({"agent_name": "writer", "prompt": "deeper", "parent_session_id": child_session});
    let (_, grandchild) = desk.run(grandchild).await;

    for session in [&child_session, &grandchild] {
        for (method, path, expected) in [("GET", "", 200), ("GET", "/status", 200), ("GET", "/result", 409)] {
            let answer =
                desk.ask_as(&parent.token, method, &format!("/sessions/{session}{path}"), None).await;
            assert_eq!(answer.0, expected, "{answer:?}");
        }
    }
    for session in [&stranger, &parent.session] {
        for (method, path) in [("GET", ""), ("GET", "/status"), ("GET", "/result"), ("POST", "/stop")] {
            let path = format!("/sessions/{session}{path}");
            let answer = desk.ask_as(&parent.token, method, &path, None).await;
            assert_eq!(refused(&answer), (403, "Forbidden"), "{method} {path}");
        }
        let resume = json!({"type": "resume_session", "session_id": session, "prompt": "go on"});
        let answer = desk.ask_as(&parent.token, "POST", "/runs", Some(resume)).await;
        assert_eq!(refused(&answer), (403, "Forbidden"));
    }
    let path = format!("/sessions?parent_session_id={stranger}");
    assert_eq!(desk.ask_as(&parent.token, "GET", &path, None).await.0, 403);
    let path = format!("/sessions?parent_session_id={child_session}");
    let (_, list) = desk.ask_as(&parent.token, "GET", &path, None).await;
    assert_eq!(list["items"][0]["session_id"], grandchild);
    assert_eq!(desk.ask_as(&parent.token, "GET", &format!("/runs/{child_run}?wait=0"), None).await.0, 200);
    assert_eq!(desk.ask_as(&parent.token, "GET", &format!("/runs/{stranger_run}"), None).await.0, 403);
    let absent = desk.ask_as(&parent.token, "GET", "/sessions/none", None).await;
    assert_eq!(refused(&absent), (404, "SessionNotFound"));
    let stopped = desk.ask_as(&parent.token, "POST", &format!("/sessions/{child_session}/stop"), None).await;
    assert_eq!((stopped.0, &stopped.1["status"]), (200, &json!("stopped")));
}

#[tokio::test]
async fn nesting_of_sessions_is_limited() {
    let desk = Desk::with_writer().await;
    let (_, mut session) = desk.run(json!({"agent_name": "writer", "prompt": "first"})).await;
    let below =
        |parent: &str| json!({"agent_name": "writer", "prompt": "again", "parent_session_id": parent});
    for _ in 1..16 {
        session = desk.run(below(&session)).await.1;
    }
    let (status, body) = desk.post("/runs", below(&session)).await;
    let expected = format!(
        "parent_session_id: sessions can be nested 16 levels deep, and {session} is at that depth; start this one from an agent further up"
    );
    assert_eq!(
        (status, text(&body, "error"), text(&body, "message")),
        (400, "InvalidRequest".to_owned(), expected)
    );
}

#[tokio::test]
async fn a_run_runs_workflows_and_follows_its_own() {
    let desk = Desk::with_writer().await;
    let parent = parent(&desk).await;
    let nodes = json!({
        "input": {"type": "input"}, "write": {"type": "agent", "agent": "writer", "prompt": "Go"},
        "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "write"}, {"from": "write", "to": "output"}]);
    let made = desk.post("/workflows", json!({"name": "w", "nodes": nodes, "edges": edges})).await;
    assert_eq!(made.0, 201, "{made:?}");
    let (_, stranger) = desk.run(json!({"agent_name": "writer", "prompt": "stranger"})).await;
    let forged = Some(json!({"parent_session_id": stranger}));
    let (status, own) = desk.ask_as(&parent.token, "POST", "/workflows/w/runs", forged).await;
    assert_eq!(status, 201, "{own}");
    let own = format!("/workflow-runs/{}", text(&own, "workflow_run_id"));
    let (status, seen) = desk.ask_as(&parent.token, "GET", &own, None).await;
    assert_eq!((status, &seen["parent_session_id"]), (200, &json!(parent.session)));

    let others = [json!({}), json!({"parent_session_id": stranger})];
    for other in others {
        let (_, other) = desk.post("/workflows/w/runs", other).await;
        let other = format!("/workflow-runs/{}", text(&other, "workflow_run_id"));
        for (method, path) in [("GET", other.clone()), ("POST", format!("{other}/stop"))] {
            let answer = desk.ask_as(&parent.token, method, &path, None).await;
            assert_eq!(refused(&answer), (403, "Forbidden"), "{method} {path}");
        }
    }
    let absent = desk.ask_as(&parent.token, "GET", "/workflow-runs/wfr_none", None).await;
    assert_eq!(refused(&absent), (404, "WorkflowRunNotFound"));
    let wrong = desk.post("/workflows/w/runs", json!({"parent_session_id": "ses_none"})).await;
    assert_eq!(refused(&wrong), (404, "SessionNotFound"), "a parent has to be there");
    assert_eq!(desk.ask_as(&parent.token, "POST", &format!("{own}/stop"), None).await.0, 200);
}

#[tokio::test]
async fn a_resume_of_a_child_stays_a_child() {
    let desk = Desk::with_writer().await;
    let parent = parent(&desk).await;
    let (_, created) = desk.ask_as(&parent.token, "POST", "/runs", child(json!({}))).await;
    desk.complete(&parent.runner, "done").await;
    let session = text(&created, "session_id");
    let resume = json!({
        "type": "resume_session", "session_id": session, "prompt": "more", "parent_session_id": "ses_forged",
        "execution_mode": "async_callback",
    });
    let (status, body) = desk.ask_as(&parent.token, "POST", "/runs", Some(resume)).await;
    assert_eq!((status, &body["session_id"]), (201, &json!(session)));
}

#[tokio::test]
async fn a_repeated_resume_of_a_removed_child_returns_the_first_answer() {
    let desk = Desk::with_writer().await;
    let parent = parent(&desk).await;
    let (_, created) = desk.ask_as(&parent.token, "POST", "/runs", child(json!({}))).await;
    desk.complete(&parent.runner, "done").await;
    let session = text(&created, "session_id");
    let resume = || json!({"type": "resume_session", "session_id": session, "prompt": "more"});
    let first = desk.ask_once_as(&parent.token, "/runs", "k", resume()).await;
    assert_eq!(first.0, 201, "{first:?}");
    desk.complete(&parent.runner, "more").await;
    assert_eq!(desk.delete(&format!("/sessions/{session}")).await.0, 204);
    assert_eq!(desk.ask_once_as(&parent.token, "/runs", "k", resume()).await, first);
    let other = desk.ask_as(&parent.token, "POST", "/runs", Some(resume())).await;
    assert_eq!(refused(&other), (404, "SessionNotFound"));
}

#[tokio::test]
async fn a_run_token_allows_nothing_else() {
    let desk = Desk::with_writer().await;
    let parent = parent(&desk).await;
    for path in ["/agents", "/agents/writer", "/agents/writer/contract", "/schemas", "/workflows"] {
        assert_eq!(desk.ask_as(&parent.token, "GET", path, None).await.0, 200, "{path}");
    }
    let closed = [
        ("GET", "/runs"),
        ("GET", "/keys"),
        ("POST", "/keys"),
        ("GET", "/stats"),
        ("GET", "/config"),
        ("GET", "/runners"),
        ("GET", "/events"),
        ("GET", "/workflow-runs"),
        ("POST", "/workflows"),
        ("GET", "/metrics"),
        ("POST", "/agents"),
        ("DELETE", "/agents/writer"),
        ("POST", "/schemas"),
        ("POST", "/runner/claims"),
        ("POST", "/runner/register"),
    ];
    for (method, path) in closed {
        let body = (method == "POST").then(|| json!({}));
        let answer = desk.ask_as(&parent.token, method, path, body).await;
        assert_eq!(refused(&answer), (403, "Forbidden"), "{method} {path}");
    }
    let own = format!("/runner/runs/{}/finish", parent.held.run_id);
    assert_eq!(desk.ask_as(&parent.token, "POST", &own, Some(json!({}))).await.0, 403);
}

#[tokio::test]
async fn a_token_ends_with_its_lease() {
    let desk = Desk::with_writer().await;
    let parent = parent(&desk).await;
    let wrong = [
        "run.".to_owned(),
        "run.run_none.lse_none".to_owned(),
        format!("run.{}.lse_none", parent.held.run_id),
        format!("{}0", parent.token),
        parent.token.replace("run.run_", "run.ses_"),
    ];
    for token in &wrong {
        assert_eq!(
            refused(&desk.ask_as(token, "GET", "/agents", None).await),
            (401, "Unauthorized"),
            "{token}"
        );
    }
    // Lost to another runner: the same run has another lease.
    desk.pass(60);
    desk.reconcile().await;
    let again = desk.claim(&desk.runner().await).await;
    assert_eq!(again.run_id, parent.held.run_id);
    let old = desk.ask_as(&parent.token, "GET", "/agents", None).await;
    assert_eq!(refused(&old), (401, "Unauthorized"));
    assert!(!old.1.to_string().contains(&parent.token), "a token is never repeated");
    let token = token_of(&again);
    assert_eq!(desk.ask_as(&token, "GET", "/agents", None).await.0, 200);
    let answer = desk.finish(&again, json!({"status": "completed", "result_text": "done"})).await;
    assert_eq!(answer.0, 200, "{answer:?}");
    assert_eq!(refused(&desk.ask_as(&token, "GET", "/agents", None).await), (401, "Unauthorized"));
}

#[tokio::test]
async fn the_mcp_handler_is_reached_only_with_a_key() {
    let desk = Desk::with_writer().await;
    let message = || Some(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(refused(&desk.ask_as("", "POST", "/mcp", message()).await), (404, "RouteNotFound"));
    desk.app.serves_mcp(Arc::new(|request| {
        Box::pin(async move {
            let said = request.headers()["authorization"].to_str().unwrap_or_default().to_owned();
            let body = json!({"authorization": said, "bytes": request.body().bytes().len()}).to_string();
            Response::new(stream::once(async { Ok(body.into()) }).boxed())
        })
    }));
    let admin = keys(&desk).await;
    let answer = desk.ask_as(&admin, "POST", "/mcp", message()).await;
    assert_eq!(answer, (200, json!({"authorization": format!("Bearer {admin}"), "bytes": 40})));
    assert_eq!(refused(&desk.ask_as("wrong", "POST", "/mcp", message()).await), (401, "Unauthorized"));
    for method in ["GET", "DELETE"] {
        assert_eq!(refused(&desk.ask_as(&admin, method, "/mcp", None).await), (405, "MethodNotAllowed"));
    }
}

#[tokio::test]
async fn a_foreign_response_does_not_exist_for_a_run_token() {
    let desk = Desk::with_writer().await;
    let parent = parent(&desk).await;
    let (stranger, _) = desk.run(json!({"agent_name": "writer", "prompt": "stranger"})).await;
    let ask = async |previous: &str| {
        let body = json!({"input": "go on", "previous_response_id": previous, "background": true});
        let (status, answer) = desk.ask_as(&parent.token, "POST", "/v1/responses", Some(body)).await;
        (status, answer.to_string().replace(previous, "ID"))
    };
    let unknown = ask("run_none").await;
    assert_eq!(unknown.0, 404, "{unknown:?}");
    assert_eq!(ask(&stranger).await, unknown);
}
