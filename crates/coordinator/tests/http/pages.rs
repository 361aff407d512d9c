//! Lists that are usually short are paged on request.

use serde_json::{Value, json};

use crate::support::{Desk, refused, text};

/// All pages of two items, in order.
async fn by_twos(desk: &Desk, bearer: &str, path: &str, id: &str) -> Vec<Vec<Value>> {
    let mut pages = Vec::new();
    let mut cursor = String::new();
    loop {
        let (status, page) = desk.ask_as(bearer, "GET", &format!("{path}?limit=2{cursor}"), None).await;
        assert_eq!(status, 200, "{page}");
        pages.push(page["items"].as_array().unwrap().iter().map(|item| item[id].clone()).collect());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return pages,
        }
    }
}

/// Page parameters that every list rejects.
async fn refuses_the_rest(desk: &Desk, bearer: &str, path: &str) {
    for query in ["limit=0", "limit=501", "limit=x", "limit=-1", "page=2", "cursor=zzz"] {
        let answer = desk.ask_as(bearer, "GET", &format!("{path}?{query}"), None).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{path}?{query}");
    }
}

#[tokio::test]
async fn runners_come_page_by_page() {
    let desk = Desk::new();
    let mut runners = Vec::new();
    for _ in 0..3 {
        runners.push(Value::from(desk.runner().await));
    }
    runners.reverse();
    assert_eq!(by_twos(&desk, "", "/runners", "runner_id").await, [&runners[..2], &runners[2..]]);
    assert_eq!(desk.get("/runners").await.1["items"].as_array().unwrap().len(), 3);
    refuses_the_rest(&desk, "", "/runners").await;
}

#[tokio::test]
async fn keys_come_page_by_page() {
    let desk = Desk::new();
    let key = json!({"role": "admin", "name": "a"});
    let first = desk.post("/keys", key.clone()).await.1;
    let bearer = text(&first, "key");
    let mut keys = vec![first["key_id"].clone()];
    for _ in 0..2 {
        let made = desk.ask_as(&bearer, "POST", "/keys", Some(key.clone())).await.1;
        keys.push(made["key_id"].clone());
    }
    assert_eq!(by_twos(&desk, &bearer, "/keys", "key_id").await, [&keys[..2], &keys[2..]]);
    refuses_the_rest(&desk, &bearer, "/keys").await;
}

#[tokio::test]
async fn named_documents_are_paged() {
    let desk = Desk::new();
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    for name in ["a", "b", "c"] {
        desk.agent(json!({"name": name})).await;
        assert_eq!(desk.post("/schemas", json!({"name": name, "schema": {}})).await.0, 201);
        let edges = json!([{"from": "input", "to": "output"}]);
        let made = desk.post("/workflows", json!({"name": name, "nodes": nodes, "edges": edges})).await;
        assert_eq!(made.0, 201, "{}", made.1);
    }
    for path in ["/agents", "/schemas", "/workflows"] {
        let expected = [vec![json!("a"), json!("b")], vec![json!("c")]];
        assert_eq!(by_twos(&desk, "", path, "name").await, expected, "{path}");
        refuses_the_rest(&desk, "", path).await;
    }
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list() {
    let desk = Desk::with_writer().await;
    for _ in 0..3 {
        desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    }
    let pages = |path| by_twos(&desk, "", path, "session_id");
    let (runs, sessions) = (pages("/runs").await, pages("/sessions").await);
    assert_eq!((runs.len(), &runs), (2, &sessions));
    let next = text(&desk.get("/runs?limit=2").await.1, "next_cursor");
    for path in ["/sessions", "/workflow-runs", "/schemas"] {
        let answer = desk.get(&format!("{path}?cursor={next}")).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{path}");
        assert!(text(&answer.1, "message").contains(&next), "{path}: {}", answer.1);
    }
    desk.agent(json!({"name": "zebra"})).await;
    let next = text(&desk.get("/agents?limit=1").await.1, "next_cursor");
    assert_eq!(desk.get(&format!("/agents?cursor={next}")).await.1["items"][0]["name"], "zebra");
    for path in ["/schemas", "/workflows", "/keys", "/runners"] {
        let answer = desk.get(&format!("{path}?cursor={next}")).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{path}");
    }
}

#[tokio::test]
async fn an_invalid_query_is_reported_with_its_value() {
    let desk = Desk::with_writer().await;
    let cases = [
        ("/runs?limit=-1", "expected limit from 1 to 500, got '-1'"),
        ("/agents?limit=abc", "expected limit from 1 to 500, got 'abc'"),
        ("/runs?limit=", "expected limit from 1 to 500, got ''"),
        ("/runs/run_a?wait=1.5", "expected wait from 0 to 300 whole seconds, got '1.5'"),
        (
            "/runs?since=2026-01-01T00:00:00+01:00",
            "expected since as a time such as 2026-11-15T10:00:00Z (in a URL + is %2B), got '2026-01-01T00:00:00 01:00'",
        ),
        ("/stats?since=yesterday", "expected since as a time such as "),
        ("/runs?session_id=%C3%A4", "session_id is 'ä': "),
        ("/runs?page=2", "invalid query: unknown field `page`, expected one of "),
    ];
    for (path, expected) in cases {
        let answer = desk.get(path).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{path}");
        let message = text(&answer.1, "message");
        assert!(message.starts_with(expected), "{path}: {message}");
    }
}

#[tokio::test]
async fn attempts_come_page_by_page() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let attempt = |number: u32| {
        json!({
            "number": number, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "m",
            "outcome": "no_json", "duration_ms": 1, "text": "no",
        })
    };
    let report = json!({"holding": held.holding, "attempts": [attempt(1), attempt(2), attempt(3)]});
    let answer = desk.post(&format!("/runner/runs/{run}/attempts"), report).await;
    assert_eq!(answer.0, 200, "{}", answer.1);
    let path = format!("/runs/{run}/attempts");
    let expected = [vec![json!(1), json!(2)], vec![json!(3)]];
    assert_eq!(by_twos(&desk, "", &path, "number").await, expected);
    let (_, all) = desk.get(&path).await;
    assert_eq!((all["items"].as_array().unwrap().len(), &all["next_cursor"]), (3, &Value::Null));
    refuses_the_rest(&desk, "", &path).await;
    assert_eq!(refused(&desk.get(&format!("{path}?cursor=x")).await), (400, "InvalidRequest"));
}

#[tokio::test]
async fn no_idempotency_key_on_key_creation() {
    let desk = Desk::new();
    let answer = desk.post_once("/keys", "k", json!({"role": "admin", "name": "a"})).await;
    assert_eq!(refused(&answer), (400, "InvalidRequest"));
    let message = text(&answer.1, "message");
    assert!(message.starts_with("Idempotency-Key cannot be used here: the secret"), "{message}");
    assert_eq!(desk.get("/keys").await.1["items"], json!([]));
}

#[tokio::test]
async fn an_unknown_id_lists_ids_with_that_prefix() {
    let desk = Desk::with_writer().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    for (path, id) in [("/runs", &run), ("/sessions", &session)] {
        let (status, error) = desk.get(&format!("{path}/{}", &id[..id.len() - 1])).await;
        assert_eq!((status, &error["details"]["matching_ids"][0]), (404, &json!(id)), "{error}");
        let (status, error) = desk.get(&format!("{path}/{id}x")).await;
        assert_eq!((status, &error["details"]), (404, &json!(null)), "{error}");
    }
}
