//! Work that crashes coordinators is set aside, and everything else continues.

use accord_coordinator::Outside as _;
use accord_domain::quarantine::{Item, Kind};
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Desk, refused, text};

/// A coordinator with a workflow that needs no agent.
async fn desk() -> Desk {
    let desk = Desk::with_writer().await;
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output", "value": "{{ input.n }}"}});
    let flow = json!({"name": "flow", "nodes": nodes, "edges": [{"from": "input", "to": "output"}]});
    assert_eq!(desk.post("/workflows", flow).await.0, 201);
    desk
}

async fn flow(desk: &Desk, n: u32) -> String {
    let (status, run) = desk.post("/workflows/flow/runs", json!({"input": {"n": n}})).await;
    assert_eq!(status, 201, "{run}");
    text(&run, "workflow_run_id")
}

async fn view(desk: &Desk, id: &str) -> Value {
    desk.get(&format!("/workflow-runs/{id}")).await.1
}

fn step(id: &str) -> Item {
    Item::new(Kind::WorkflowStep, id)
}

/// A coordinator of this name begins some work and crashes; another one starts.
async fn die(desk: &Desk, work: &[Item], name: &str) -> Desk {
    assert_eq!(desk.store.begin_work(work.to_vec(), name, desk.clock.now()).await.unwrap(), work);
    desk.another()
}

async fn metrics(desk: &Desk) -> String {
    desk.raw(Request::builder().uri("/metrics").body(Body::empty()).unwrap()).await.1
}

#[tokio::test]
async fn a_poisoned_workflow_run_fails_is_shown_and_can_be_retried() {
    let mut desk = desk().await;
    let poison = flow(&desk, 0).await;
    for n in 1..=3 {
        desk = die(&desk, &[step(&poison)], &format!("dead-{n}")).await;
        let healthy = flow(&desk, n).await;
        desk.reconcile().await;
        assert_eq!(view(&desk, &healthy).await["status"], "completed", "everything else goes on");
        if n < 3 {
            // It is not started again at once, and showing it does not read its documents.
            let suspect = view(&desk, &poison).await;
            assert_eq!((&suspect["status"], &suspect["nodes"]), (&json!("running"), &json!([])));
        }
    }
    let failed = view(&desk, &poison).await;
    assert_eq!((&failed["status"], &failed["error"]["type"]), (&json!("failed"), &json!("poisoned")));
    assert_eq!((&failed["nodes"], &failed["input"]), (&json!([]), &Value::Null));
    let message = text(&failed["error"], "message");
    assert!(message.contains("crashed 3 times") && message.contains("accord workflows retry"), "{message}");
    let (_, listed) = desk.get("/workflow-runs?status=failed").await;
    assert_eq!(listed["items"][0]["error"], failed["error"]);
    let (_, quarantine) = desk.get("/quarantine").await;
    assert_eq!(quarantine, json!({"runs": [], "workflow_runs": listed["items"]}));
    let scraped = metrics(&desk).await;
    assert!(scraped.contains("accord_poisoned_total{kind=\"workflow_step\"}"), "{scraped}");
    assert!(scraped.contains("accord_quarantined{kind=\"workflow_run\"}"), "{scraped}");

    let retry = format!("/workflow-runs/{poison}/retry");
    let (status, retried) = desk.post_empty(&retry).await;
    assert_eq!((status, &retried["status"]), (200, &json!("running")));
    assert_eq!(refused(&desk.post_empty(&retry).await), (409, "NotRetryable"));
    let (_, audit) = desk.get("/audit?action=workflow_run.retried").await;
    assert_eq!(audit["items"].as_array().unwrap().len(), 1, "{audit}");
    desk.reconcile().await;
    let done = view(&desk, &poison).await;
    assert_eq!((&done["status"], &done["output"]), (&json!("completed"), &json!(0)));
    assert_eq!(done["nodes"].as_array().unwrap().len(), 2, "read again");
    assert_eq!(desk.get("/quarantine").await.1, json!({"runs": [], "workflow_runs": []}));
}

#[tokio::test]
async fn suspects_continue_one_at_a_time() {
    let desk = desk().await;
    let (one, two) = (flow(&desk, 1).await, flow(&desk, 2).await);
    let desk = die(&desk, &[step(&one), step(&two)], "dead").await;
    desk.reconcile().await;
    let completed = async || {
        let views = [view(&desk, &one).await, view(&desk, &two).await];
        views.iter().filter(|run| run["status"] == "completed").count()
    };
    assert_eq!(completed().await, 0, "they rest a while");
    desk.pass(3);
    for expected in [1, 2] {
        desk.reconcile().await;
        assert_eq!(completed().await, expected);
    }
    assert_eq!(desk.store.deaths(&step(&one)).await.unwrap(), 0);
}

#[tokio::test]
async fn work_of_a_live_coordinator_is_left_to_it() {
    let desk = desk().await;
    let id = flow(&desk, 1).await;
    desk.reconcile().await;
    let next = flow(&desk, 2).await;
    assert_eq!(view(&desk, &id).await["status"], "completed");
    // The first check of a coordinator on a file is done, so others may be alive.
    desk.store.begin_work(vec![step(&next)], "alive", desk.clock.now()).await.unwrap();
    desk.reconcile().await;
    assert_eq!(view(&desk, &next).await["status"], "running");
    assert_eq!(desk.store.workflow_documents(&next.parse().unwrap()).await.unwrap().deaths, 0);
    desk.pass(11);
    for _ in 0..2 {
        desk.reconcile().await;
    }
    assert_eq!(view(&desk, &next).await["status"], "completed", "it was dead after all");
}

#[tokio::test]
async fn only_a_repeated_finish_is_marked() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let finish_of = |run: &str| Item::new(Kind::Finish, run);
    let report = json!({"status": "completed", "result_text": "done"});
    let repeated = json!({"status": "completed", "result_text": "done", "repeated": true});

    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let held = desk.claim(&runner).await;
    desk.store.begin_work(vec![finish_of(&run)], "elsewhere", desk.clock.now()).await.unwrap();
    assert_eq!(desk.finish(&held, report).await.0, 200, "no mark is looked at");

    let (run, _) = desk.run(json!({"agent_name": "writer", "prompt": "b"})).await;
    let held = desk.claim(&runner).await;
    desk.store.begin_work(vec![finish_of(&run)], "elsewhere", desk.clock.now()).await.unwrap();
    let answer = desk.finish(&held, repeated.clone()).await;
    assert_eq!(refused(&answer), (503, "StoreUnavailable"), "{answer:?}");
    desk.pass(11);
    desk.reconcile().await;
    assert_eq!(desk.finish(&held, repeated).await.0, 200);
    assert_eq!(desk.store.deaths(&finish_of(&run)).await.unwrap(), 0);
}

#[tokio::test]
async fn a_result_that_crashes_coordinators_poisons_its_run() {
    let mut desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let asked = json!({"agent_name": "writer", "prompt": "a", "priority": 3});
    let (run, session) = desk.run(asked).await;
    let held = desk.claim(&runner).await;
    for n in 1..=3 {
        desk = die(&desk, &[Item::new(Kind::Finish, &run)], &format!("dead-{n}")).await;
        desk.reconcile().await;
    }
    let (_, failed) = desk.get(&format!("/runs/{run}")).await;
    assert_eq!((&failed["status"], &failed["error"]["type"]), (&json!("failed"), &json!("poisoned")));
    let message = text(&failed["error"], "message");
    assert!(message.contains("crashed 3 times") && message.contains("accord runs retry"), "{message}");
    let report = json!({"status": "completed", "result_text": "done", "repeated": true});
    assert_eq!(refused(&desk.finish(&held, report).await), (409, "LeaseLost"));
    assert_eq!(desk.get("/quarantine").await.1["runs"][0]["run_id"], run.as_str());

    let (status, again) = desk.post_empty(&format!("/runs/{run}/retry")).await;
    assert_eq!((status, &again["status"]), (201, &json!("pending")));
    assert_ne!(again["session_id"], session.as_str(), "it began a session, and begins another");
    let runner = desk.runner().await;
    let held = desk.claim(&runner).await;
    assert_eq!(held.run["parameters"], json!({"prompt": "a"}));
    desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    let id = text(&again, "run_id");
    let (_, done) = desk.get(&format!("/runs/{id}")).await;
    assert_eq!((&done["status"], &done["priority"]), (&json!("completed"), &json!(3)));
}

#[tokio::test]
async fn a_parent_that_crashes_coordinators_is_not_called_back() {
    let mut desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    desk.complete(&runner, "begun").await;
    let child = json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": parent, "execution_mode": "async_callback",
    });
    desk.run(child).await;
    desk.complete(&runner, "the child's result").await;
    for n in 1..=3 {
        desk = die(&desk, &[Item::new(Kind::Callback, &parent)], &format!("dead-{n}")).await;
        // A manually driven coordinator would wait before continuing a suspect.
        desk.pass(3);
        if n == 3 {
            desk.reconcile().await;
        } else {
            count(&desk, &parent).await;
        }
    }
    let (_, session) = desk.get(&format!("/sessions/{parent}")).await;
    assert_eq!(session["undelivered_callbacks"][0]["held"], "poisoned");
    let resume = json!({"session_id": parent, "prompt": "go on"});
    let (status, _) = desk.post("/runs", resume).await;
    assert_eq!(status, 201);
    let runner = desk.runner().await;
    let told = desk.claim(&runner).await.run["parameters"]["prompt"].to_string();
    assert!(told.contains("the child's result") && told.contains("go on"), "{told}");
}

/// Counts the crash without continuing the work.
async fn count(desk: &Desk, parent: &str) {
    let census = accord_store::Census {
        instance: "counter".into(),
        seen_before: jiff::Timestamp::MAX,
        seen_after: jiff::Timestamp::MAX,
        now: desk.clock.now(),
    };
    let counted = desk.store.count_death(&Item::new(Kind::Callback, parent), &census).await.unwrap();
    assert!(counted.is_some());
}
