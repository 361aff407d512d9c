//! Sessions.

use serde_json::{Value, json};

use crate::support::{Desk, kinds, refused, text};

#[tokio::test]
async fn a_session_is_read_while_it_runs_and_after() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let expected = json!({
        "session_id": session,
        "agent_name": "writer",
        "status": "pending",
        "parent_session_id": null,
        "project_dir": null,
        "last_run_id": run,
        "created_at": "2026-11-01T00:00:00Z",
        "updated_at": "2026-11-01T00:00:00Z",
        "input_preview": "a",
        "model": "small",
        "attempts": 0,
        "usage": {"input_tokens": 0, "output_tokens": 0},
        "started_at": null,
        "finished_at": null,
    });
    assert_eq!(desk.get(&format!("/sessions/{session}")).await, (200, expected.clone()));
    assert_eq!(
        desk.get("/sessions?status=pending").await.1,
        json!({"items": [expected], "next_cursor": null, "total": 1, "total_exact": true})
    );
    let status = json!({"session_id": session, "status": "pending", "run_id": run});
    assert_eq!(desk.get(&format!("/sessions/{session}/status")).await, (200, status));
    let expected = json!({
        "error": "SessionNotFinished",
        "message": format!("{session} has no result yet: it is pending; retry when it has finished"),
        "status_code": 409,
        "details": {"status": "pending"},
    });
    assert_eq!(desk.get(&format!("/sessions/{session}/result")).await, (409, expected));
    assert_eq!(refused(&desk.delete(&format!("/sessions/{session}")).await), (409, "SessionBusy"));
    desk.complete(&runner, "done").await;
    assert_eq!(desk.get(&format!("/sessions/{session}")).await.1["status"], "finished");
    assert_eq!(desk.delete(&format!("/sessions/{session}")).await, (204, Value::Null));
    for path in ["", "/status", "/result", "/events", "/children"] {
        let answer = desk.get(&format!("/sessions/{session}{path}")).await;
        assert_eq!(refused(&answer), (404, "SessionNotFound"), "{path}");
    }
    assert_eq!(refused(&desk.get("/sessions/nonsense").await), (404, "SessionNotFound"));
    assert_eq!(refused(&desk.get(&format!("/runs/{run}")).await), (404, "RunNotFound"));
    assert_eq!(refused(&desk.get(&format!("/runs/{run}/attempts")).await), (404, "RunNotFound"));
}

#[tokio::test]
async fn lists_are_searched_and_filtered_by_time() {
    let desk = Desk::with_writer().await;
    let (old, _) = desk.run(json!({"agent_name": "writer", "prompt": "Cannot\n log in"})).await;
    desk.pass(3_600);
    let (new, _) = desk.run(json!({"agent_name": "writer", "prompt": "Write a poem"})).await;
    let cases = [
        ("q=LOG+cannot", vec![&old]),
        ("q=writer", vec![&new, &old]),
        ("q=nothing", vec![]),
        ("q=+", vec![&new, &old]),
        ("since=2026-11-01T00:30:00Z", vec![&new]),
        ("until=2026-11-01T00:30:00Z", vec![&old]),
        ("q=writer&since=2026-11-01T00:00:00Z&until=2026-11-01T00:00:01Z", vec![&old]),
    ];
    for (query, expected) in cases {
        let (_, runs) = desk.get(&format!("/runs?{query}")).await;
        let found: Vec<_> = runs["items"].as_array().unwrap().iter().map(|run| text(run, "run_id")).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{query}");
        assert_eq!(runs["total"], json!(expected.len()), "{query}");
        let (_, sessions) = desk.get(&format!("/sessions?{query}")).await;
        assert_eq!(sessions["total"], json!(expected.len()), "{query}");
    }
    let (_, runs) = desk.get("/runs?q=cannot").await;
    assert_eq!(runs["items"][0]["input_preview"], "Cannot log in");
    let long = "x".repeat(201);
    for query in [format!("q={long}"), "q=1+2+3+4+5+6+7+8+9".to_owned(), "until=yesterday".to_owned()] {
        for path in ["/runs", "/sessions", "/workflow-runs"] {
            assert_eq!(
                refused(&desk.get(&format!("{path}?{query}")).await),
                (400, "InvalidRequest"),
                "{path}?{query}"
            );
        }
    }
}

#[tokio::test]
async fn stopping_can_be_repeated() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    for _ in 0..2 {
        assert_eq!(desk.post_empty(&format!("/sessions/{session}/stop")).await.1["status"], "stopped");
        let (status, view) = desk.post_empty(&format!("/runs/{run}/stop")).await;
        assert_eq!((status, &view["status"]), (200, &json!("stopped")));
    }
    let result = desk.get(&format!("/sessions/{session}/result")).await;
    assert_eq!(result.1["message"], format!("{session} has no result: its last run was stopped"));
    assert_eq!(refused(&desk.post_empty("/runs/run_none/stop").await), (404, "RunNotFound"));
    assert_eq!(refused(&desk.post_empty("/sessions/ses_none/stop").await), (404, "SessionNotFound"));
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    desk.complete(&runner, "done").await;
    assert_eq!(desk.post_empty(&format!("/sessions/{session}/stop")).await.1["status"], "finished");
}

#[tokio::test]
async fn stopping_a_run_stops_the_children_it_waits_for() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let start = async |parent: Option<&str>, mode: &str| {
        let mut body = json!({"agent_name": "writer", "prompt": "a", "execution_mode": mode});
        body.as_object_mut()
            .unwrap()
            .extend(parent.map(|parent| ("parent_session_id".to_owned(), json!(parent))));
        desk.run(body).await.1
    };
    let lead = start(None, "sync").await;
    desk.claim(&runner).await;
    let earlier = start(Some(&lead), "sync").await;
    desk.complete(&runner, "done").await;
    let child = start(Some(&lead), "sync").await;
    desk.claim(&runner).await;
    let grandchild = start(Some(&child), "sync").await;
    let polled = start(Some(&lead), "async_poll").await;
    let called_back = start(Some(&child), "async_callback").await;
    assert_eq!(desk.post_empty(&format!("/sessions/{lead}/stop")).await.1["status"], "stopping");
    let expected = [
        (lead, "stopping"),
        (earlier, "finished"),
        (child, "stopping"),
        (grandchild, "stopped"),
        (polled, "pending"),
        (called_back, "pending"),
    ];
    for (session, status) in expected {
        assert_eq!(desk.get(&format!("/sessions/{session}")).await.1["status"], status);
    }
}

#[tokio::test]
async fn the_children_of_an_earlier_run_continue() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (first, lead) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    let (_, child) =
        desk.run(json!({"agent_name": "writer", "prompt": "b", "parent_session_id": lead})).await;
    desk.finish(&held, json!({"status": "completed", "result_text": "gave up waiting"})).await;
    desk.pass(1);
    desk.run(json!({"session_id": lead, "prompt": "more"})).await;
    for path in [format!("/runs/{first}/stop"), format!("/sessions/{lead}/stop")] {
        desk.post_empty(&path).await;
        assert_eq!(desk.get(&format!("/sessions/{child}")).await.1["status"], "pending", "{path}");
    }
}

#[tokio::test]
async fn children_are_listed() {
    let desk = Desk::with_writer().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let child = json!({"agent_name": "writer", "prompt": "b", "parent_session_id": parent});
    let (_, first) = desk.run(child.clone()).await;
    let (_, second) = desk.run(child).await;
    let (_, children) = desk.get(&format!("/sessions/{parent}/children")).await;
    let ids: Vec<_> =
        children["items"].as_array().unwrap().iter().map(|each| text(each, "session_id")).collect();
    assert_eq!(ids, [second, first], "newest first");
    assert_eq!(desk.get(&format!("/sessions?parent_session_id={parent}")).await.1, children);
}

#[tokio::test]
async fn events_are_paged() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    desk.complete(&runner, "done").await;
    let (_, first) = desk.get(&format!("/sessions/{session}/events?limit=3")).await;
    assert_eq!(kinds(&first), ["session.created", "run.queued", "run.claimed"]);
    let queued = &first["items"][1];
    let expected = json!({
        "id": queued["id"], "at": "2026-11-01T00:00:00Z", "session_id": session, "run_id": run,
        "type": "run.queued", "agent_name": "writer",
    });
    assert_eq!(*queued, expected);
    let next = text(&first, "next_cursor");
    let (_, rest) = desk.get(&format!("/sessions/{session}/events?limit=3&cursor={next}")).await;
    assert_eq!((kinds(&rest), &rest["next_cursor"]), (vec!["result", "run.completed"], &Value::Null));
    assert_eq!(rest["items"][0]["result_text"], "done");
    let answer = desk.get(&format!("/sessions/{session}/events?cursor=nonsense")).await;
    assert_eq!(refused(&answer), (400, "InvalidRequest"));
}
