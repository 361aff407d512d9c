//! Requests that are repeated join, and work that nobody waits for is stopped.

use std::time::Duration;

use accord_coordinator::Outside as _;
use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{CHAT, RESPONSES, chat, claimed, desk, response, said};
use crate::support::{Desk, woken};

/// Longer than a caller is believed to wait, with the time to come back.
const GONE: i64 = 61;

fn request(path: &str, body: &Value, headers: &[(&str, &str)]) -> Request<Body> {
    let request = Request::post(path).header("content-type", "application/json");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.body(Body::from(body.to_string())).unwrap()
}

/// Looks again and again until something is so.
async fn until(is_so: impl AsyncFn() -> bool) {
    let looked = async {
        let mut pause = tokio::time::interval(Duration::from_millis(5));
        while !is_so().await {
            pause.tick().await;
        }
    };
    timeout(Duration::from_secs(20), looked).await.unwrap();
}

/// How many requests nobody waits for.
async fn left(desk: &Desk) -> usize {
    desk.store.left_alone(desk.clock.now(), 100).await.unwrap().len()
}

/// Sends a request that starts a run, and hangs up before it is answered.
async fn hang_up(desk: &Desk, path: &str, body: &Value, headers: &[(&str, &str)]) {
    let (before, left_before) = (runs(desk).await.len(), left(desk).await);
    {
        let sent = desk.raw(request(path, body, headers));
        tokio::pin!(sent);
        let begun = until(async || runs(desk).await.len() > before);
        let answered = tokio::select! {
            answer = &mut sent => Some(answer.1),
            () = begun => None,
        };
        assert_eq!(answered, None, "it waits");
    }
    until(async || left(desk).await > left_before).await;
}

async fn runs(desk: &Desk) -> Vec<Value> {
    desk.get("/runs").await.1["items"].as_array().unwrap().clone()
}

/// The text of the answer to a request, while a runner says this in the run that is there.
async fn answer(desk: &Desk, path: &str, body: &Value, headers: &[(&str, &str)], words: &str) -> Value {
    let _background = desk.awake();
    let (answer, ()) = tokio::join!(woken(desk.raw(request(path, body, headers))), async {
        let held = claimed(desk).await;
        assert_eq!(desk.finish(&held, said(words)).await.0, 200);
    });
    serde_json::from_str(&answer.1).unwrap()
}

const REPEATED: [(&str, &str); 1] = [("x-stainless-retry-count", "1")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_was_given_up_is_joined_by_an_equal_one() {
    let desk = desk().await;
    for (path, body) in [(CHAT, chat("writer", json!({}))), (RESPONSES, response("writer", json!({})))] {
        for headers in [&[][..], &REPEATED] {
            let before = runs(&desk).await.len();
            hang_up(&desk, path, &body, &[]).await;
            let answer = answer(&desk.another(), path, &body, headers, "hello").await;
            let all = runs(&desk).await;
            assert_eq!(all.len(), before + 1, "{path} {headers:?}: {all:?}");
            assert_eq!(answer["id"], all[0]["run_id"], "{answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_equal_request_without_a_sign_is_another_run() {
    let desk = desk().await;
    let body = chat("writer", json!({}));
    let first = answer(&desk, CHAT, &body, &[], "one").await;
    let second = answer(&desk, CHAT, &body, &[], "two").await;
    assert_ne!(first["id"], second["id"]);
    let (_, third) = woken(desk.raw(request(CHAT, &body, &REPEATED))).await;
    let third: Value = serde_json::from_str(&third).unwrap();
    assert_eq!(third, second, "its answer was lost on the way");
    hang_up(&desk, CHAT, &body, &[]).await;
    desk.pass(601);
    hang_up(&desk, CHAT, &body, &[]).await;
    assert_eq!(runs(&desk).await.len(), 4, "ten minutes later it is another one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_nobody_waits_for_is_stopped_and_says_so() {
    let desk = desk().await;
    desk.pass(1000);
    hang_up(&desk, CHAT, &chat("writer", json!({})), &[]).await;
    desk.pass(29);
    desk.reconcile().await;
    assert_eq!(runs(&desk).await[0]["status"], "pending", "the caller may come back");
    desk.pass(2);
    desk.reconcile().await;
    let run = runs(&desk).await[0].clone();
    assert_eq!((&run["status"], &run["error"]["type"]), (&json!("stopped"), &json!("stopped")));
    let message = run["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("nobody waits for the answer") && message.contains("front.linger_seconds"),
        "{message}"
    );
    // What was given up is not joined: somebody starts again.
    hang_up(&desk, CHAT, &chat("writer", json!({})), &REPEATED).await;
    assert_eq!(runs(&desk).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_stream_counts_as_leaving_and_background_does_not() {
    let desk = desk().await;
    desk.pass(1000);
    for (path, body) in [
        (CHAT, chat("writer", json!({"stream": true}))),
        (RESPONSES, response("writer", json!({"stream": true}))),
    ] {
        let mut stream = desk.open(request(path, &body, &[])).await.into_body().into_data_stream();
        stream.next().await.unwrap().unwrap();
        drop(stream);
    }
    let (status, _) =
        desk.raw(request(RESPONSES, &response("writer", json!({"background": true})), &[])).await;
    assert_eq!(status, 200);
    desk.post("/runs?wait=0", json!({"agent_name": "writer", "prompt": "p"})).await;
    until(async || left(&desk).await == 2).await;
    desk.pass(GONE);
    desk.reconcile().await;
    let statuses: Vec<Value> = runs(&desk).await.iter().map(|run| run["status"].clone()).collect();
    assert_eq!(statuses, ["pending", "pending", "stopped", "stopped"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_of_a_coordinator_that_died_do_not_wait_for_ever() {
    let desk = desk().await;
    let other = desk.another();
    let body = chat("writer", json!({})).to_string();
    let sent = other.raw(request(CHAT, &serde_json::from_str(&body).unwrap(), &[]));
    // It is forgotten with its guard, as by a process that is killed.
    let mut sent = Box::pin(sent);
    let _ = timeout(Duration::from_millis(300), &mut sent).await;
    std::mem::forget(sent);
    assert_eq!(runs(&desk).await.len(), 1);
    desk.pass(1000);
    let restarted = desk.another();
    restarted.reconcile().await;
    assert_eq!(runs(&desk).await[0]["status"], "pending", "callers have time to come back after a restart");
    desk.pass(GONE);
    restarted.reconcile().await;
    assert_eq!(runs(&desk).await[0]["status"], "stopped");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_is_not_undone_by_a_repetition() {
    let desk = desk().await;
    let body = chat("writer", json!({}));
    hang_up(&desk, CHAT, &body, &[]).await;
    let id = runs(&desk).await[0]["run_id"].as_str().unwrap().to_owned();
    desk.post_empty(&format!("/runs/{id}/stop")).await;
    for headers in [&[][..], &REPEATED] {
        let (status, text) = woken(desk.raw(request(CHAT, &body, headers))).await;
        assert!(status.is_client_error() && text.contains("stopped"), "{status} {text}");
    }
    assert_eq!(runs(&desk).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_waits_for_its_caller_is_not_left_alone() {
    let desk = desk().await;
    let tool = json!({"type": "function", "function": {"name": "weather"}});
    let body = chat("writer", json!({"tools": [tool]}));
    let input = json!({
        "call_id": "1/c", "purpose": "tool_call", "message": "m", "tool": {"name": "weather", "arguments": {}},
    });
    {
        let _background = desk.awake();
        let (answer, ()) = tokio::join!(woken(desk.raw(request(CHAT, &body, &[]))), async {
            let held = claimed(&desk).await;
            desk.finish(&held, json!({"status": "input_required", "inputs": [input]})).await;
        });
        assert_eq!(answer.0, 200);
    }
    desk.pass(1000);
    desk.reconcile().await;
    assert_eq!(runs(&desk).await[0]["status"], "input_required");
}
