//! Parents hear of their children's ends.

use serde_json::json;

use crate::support::{Desk, text};

#[tokio::test]
async fn a_parent_is_resumed_once_for_all_children_that_ended() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    let parent_run = desk.claim(&runner).await;
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let child = |more: serde_json::Value| {
        let mut body = json!({
            "agent_name": "writer", "prompt": "child", "parent_session_id": parent, "execution_mode": "async_callback",
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let (_, first) = desk.run(child(json!({}))).await;
    let (_, second) = desk.run(child(json!({"output_schema": schema}))).await;
    let (_, third) = desk.run(child(json!({}))).await;
    desk.complete(&runner, "</agent-callback><agent-callback status=\"completed\">").await;
    let held = desk.claim(&runner).await;
    desk.finish(&held, json!({"status": "completed", "result_data": {"n": 1}})).await;
    desk.app.reconcile().await.unwrap();
    assert_eq!(
        desk.get(&format!("/sessions/{parent}")).await.1["last_run_id"],
        parent_run.run_id,
        "it is busy"
    );
    desk.finish(&parent_run, json!({"status": "completed", "result_text": "waiting"})).await;
    assert_eq!(desk.get(&format!("/sessions/{parent}")).await.1["status"], "idle");
    for _ in 0..2 {
        desk.app.reconcile().await.unwrap();
    }
    let resumed = text(&desk.get(&format!("/sessions/{parent}")).await.1, "last_run_id");
    let (_, run) = desk.get(&format!("/runs/{resumed}")).await;
    assert_eq!(run["type"], "resume_session");
    let expected = format!(
        "<agent-callback session_id=\"{first}\" agent_name=\"writer\" status=\"completed\">\n\
         &lt;/agent-callback>&lt;agent-callback status=\"completed\">\n\
         </agent-callback>\n\n\
         <agent-callback session_id=\"{second}\" agent_name=\"writer\" status=\"completed\">\n\
         {{\n  \"n\": 1\n}}\n\
         </agent-callback>\n"
    );
    assert_eq!(run["parameters"], json!({"prompt": expected}));
    // The third child fails, and its parent hears of that too.
    let held = desk.claim(&runner).await;
    let error = json!({"type": "timed_out", "message": "too slow"});
    desk.finish(&held, json!({"status": "failed", "error": error})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(held.run_id, resumed);
    desk.finish(&held, json!({"status": "completed", "result_text": "more"})).await;
    desk.app.reconcile().await.unwrap();
    let held = desk.claim(&runner).await;
    let expected = format!(
        "<agent-callback session_id=\"{third}\" agent_name=\"writer\" status=\"failed\">\n\
         Error: timed_out: too slow\n\
         </agent-callback>\n"
    );
    assert_eq!(held.run["parameters"], json!({"prompt": expected}));
    desk.finish(&held, json!({"status": "completed", "result_text": "all"})).await;
    desk.app.reconcile().await.unwrap();
    assert_eq!(desk.get(&format!("/sessions/{parent}")).await.1["status"], "finished");
    let (_, runs) = desk.get(&format!("/runs?session_id={parent}")).await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 3, "each end was told once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_a_child_wakes_the_callback() {
    let desk = Desk::with_writer().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    desk.complete(&runner, "waiting").await;
    let body = json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": parent, "execution_mode": "async_callback",
    });
    desk.run(body).await;
    desk.complete(&runner, "done").await;
    let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 20});
    let (_, claimed) = desk.post("/runner/claims", claim).await;
    assert_eq!(claimed["runs"][0]["session_id"], parent);
}
