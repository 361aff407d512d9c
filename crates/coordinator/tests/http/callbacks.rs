//! Callbacks to parents when their children finish.

use serde_json::json;

use crate::support::{Desk, refused, text};

#[tokio::test]
async fn a_parent_is_resumed_once_for_all_finished_children() {
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
    desk.reconcile().await;
    assert_eq!(
        desk.get(&format!("/sessions/{parent}")).await.1["last_run_id"],
        parent_run.run_id,
        "it is busy"
    );
    desk.finish(&parent_run, json!({"status": "completed", "result_text": "waiting"})).await;
    assert_eq!(desk.get(&format!("/sessions/{parent}")).await.1["status"], "idle");
    for _ in 0..2 {
        desk.reconcile().await;
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
    // The third child fails, and its parent gets a callback for that too.
    let held = desk.claim(&runner).await;
    let errors = ["$.n: expected integer, got string \"x\"", "$: missing required property 'm'"];
    let error = json!({"type": "timed_out", "message": "too slow", "validation_errors": errors});
    desk.finish(&held, json!({"status": "failed", "error": error})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(held.run_id, resumed);
    desk.finish(&held, json!({"status": "completed", "result_text": "more"})).await;
    desk.reconcile().await;
    let held = desk.claim(&runner).await;
    let expected = format!(
        "<agent-callback session_id=\"{third}\" agent_name=\"writer\" status=\"failed\">\n\
         Error: timed_out: too slow\n\
         - $.n: expected integer, got string \"x\"\n\
         - $: missing required property 'm'\n\
         </agent-callback>\n"
    );
    assert_eq!(held.run["parameters"], json!({"prompt": expected}));
    desk.finish(&held, json!({"status": "completed", "result_text": "all"})).await;
    desk.reconcile().await;
    assert_eq!(desk.get(&format!("/sessions/{parent}")).await.1["status"], "finished");
    let (_, runs) = desk.get(&format!("/runs?session_id={parent}")).await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 3, "each end was told once");
}

#[tokio::test]
async fn a_deeply_nested_result_is_delivered_too() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    desk.complete(&runner, "waiting").await;
    let body = json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": parent, "execution_mode": "async_callback",
        "output_schema": {"type": "array"},
    });
    desk.run(body).await;
    let held = desk.claim(&runner).await;
    let deepest = (1..128).fold(json!([]), |inner, _| json!([inner]));
    let (status, answer) = desk.finish(&held, json!({"status": "completed", "result_data": deepest})).await;
    assert_eq!(status, 200, "{answer}");
    desk.reconcile().await;
    let told = desk.claim(&runner).await;
    let prompt = text(&told.run["parameters"], "prompt");
    assert_eq!(prompt.matches('[').count(), 128, "{prompt}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finished_child_triggers_the_callback() {
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

#[tokio::test]
async fn a_parent_is_resumed_with_its_previous_settings() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (_, top) = desk.run(json!({"agent_name": "writer", "prompt": "top"})).await;
    desk.complete(&runner, "waiting").await;
    let mut body = child_of(&top);
    body["priority"] = json!(7);
    let (_, parent) = desk.run(body).await;
    let held = desk.claim(&runner).await;
    desk.run(child_of(&parent)).await;
    desk.finish(&held, json!({"status": "completed", "result_text": "waiting"})).await;
    desk.complete(&runner, "done").await;
    desk.reconcile().await;
    let resumed = text(&desk.get(&format!("/sessions/{parent}")).await.1, "last_run_id");
    assert_ne!(resumed, held.run_id);
    let (_, run) = desk.get(&format!("/runs/{resumed}")).await;
    assert_eq!((&run["priority"], &run["execution_mode"]), (&json!(7), &json!("async_callback")));
}

/// A parent with this outcome, and a child that finished after it.
async fn left_alone(desk: &Desk, runner: &str, end: serde_json::Value) -> (String, String) {
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    let held = desk.claim(runner).await;
    desk.finish(&held, end).await;
    let child = desk.run(child_of(&parent)).await.1;
    desk.complete(runner, "the child's word").await;
    (parent, child)
}

fn child_of(parent: &str) -> serde_json::Value {
    json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": parent, "execution_mode": "async_callback",
    })
}

async fn held_events(desk: &Desk, session: &str) -> Vec<serde_json::Value> {
    let (_, events) = desk.get(&format!("/sessions/{session}/events")).await;
    let held = |event: &&serde_json::Value| event["type"] == "callback.held";
    events["items"].as_array().unwrap().iter().filter(held).cloned().collect()
}

#[tokio::test]
async fn a_failed_or_stopped_parent_gets_its_callbacks_when_resumed() {
    let failed = json!({"status": "failed", "error": {"type": "timed_out", "message": "too slow"}});
    let ends = [
        (failed, "parent_failed", "failed"),
        (json!({"status": "stopped"}), "parent_stopped", "was stopped"),
    ];
    for (end, reason, what) in ends {
        let desk = Desk::with_writer().await;
        let runner = desk.runner().await;
        let (parent, child) = left_alone(&desk, &runner, end).await;
        for _ in 0..2 {
            desk.reconcile().await;
        }
        let (_, view) = desk.get(&format!("/sessions/{parent}")).await;
        let run_id = desk.get(&format!("/sessions/{child}")).await.1["last_run_id"].clone();
        let message = format!(
            "{parent} is not resumed automatically, because its last run {what}; resume it to continue"
        );
        let undelivered = json!({
            "session_id": child, "run_id": run_id, "since": "2026-11-01T00:00:00Z", "held": reason, "message": message,
        });
        assert_eq!(view["undelivered_callbacks"], json!([undelivered]));
        let (_, children) = desk.get(&format!("/sessions/{parent}/children")).await;
        assert_eq!(children["items"][0]["undelivered_callback"], undelivered);
        let events = held_events(&desk, &parent).await;
        assert_eq!(events.len(), 1);
        assert_eq!(
            (&events[0]["children"], &events[0]["reason"], &events[0]["message"]),
            (&json!([child]), &json!(reason), &json!(message))
        );

        let (run, _) = desk.run(json!({"session_id": parent, "prompt": "Go on."})).await;
        let told = format!(
            "<agent-callback session_id=\"{child}\" agent_name=\"writer\" status=\"completed\">\n\
             the child's word\n</agent-callback>\n\nGo on."
        );
        let held = desk.claim(&runner).await;
        assert_eq!((held.run_id.clone(), &held.run["parameters"]), (run, &json!({"prompt": told})));
        desk.finish(&held, json!({"status": "completed", "result_text": "good"})).await;
        desk.reconcile().await;
        let (_, view) = desk.get(&format!("/sessions/{parent}")).await;
        assert_eq!((&view["status"], view.get("undelivered_callbacks")), (&json!("finished"), None));
    }
}

#[tokio::test]
async fn an_undelivered_callback_is_delivered_again() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    desk.complete(&runner, "waiting").await;
    desk.run(child_of(&parent)).await;
    desk.complete(&runner, "the child's word").await;
    desk.reconcile().await;
    desk.post_empty(&format!("/sessions/{parent}/stop")).await;
    desk.reconcile().await;
    assert_eq!(held_events(&desk, &parent).await.len(), 1);
    desk.run(json!({"session_id": parent, "prompt": "Go on."})).await;
    let held = desk.claim(&runner).await;
    let prompt = held.run["parameters"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("the child's word") && prompt.ends_with("\n\nGo on."), "{prompt}");
}

#[tokio::test]
async fn callbacks_to_a_parent_without_agent_are_held() {
    let desk = Desk::with_writer().await;
    desk.agent(json!({"name": "leader"})).await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "leader", "prompt": "parent"})).await;
    let busy = desk.claim(&runner).await;
    let (_, child) = desk.run(child_of(&parent)).await;
    desk.finish(&busy, json!({"status": "completed", "result_text": "waiting"})).await;
    desk.complete(&runner, "done").await;
    desk.delete("/agents/leader").await;
    let undelivered = async |desk: &Desk| {
        desk.get(&format!("/sessions/{parent}")).await.1["undelivered_callbacks"][0].clone()
    };
    for _ in 0..2 {
        desk.reconcile().await;
        desk.pass(599);
    }
    desk.pass(-599);
    assert_eq!(undelivered(&desk).await.get("held"), None, "it is still tried");
    assert_eq!(desk.get(&format!("/sessions/{parent}")).await.1["status"], "idle");
    desk.pass(2);
    desk.reconcile().await;
    let given_up = undelivered(&desk).await;
    assert_eq!((&given_up["session_id"], &given_up["held"]), (&json!(child), &json!("parent_unavailable")));
    let message = text(&given_up, "message");
    assert!(message.contains("10 minutes: AgentNotFound: agent 'leader' no longer exists"), "{message}");
    assert_eq!(desk.get(&format!("/sessions/{parent}")).await.1["status"], "finished");
    assert_eq!(held_events(&desk, &parent).await.len(), 1);

    // The agent exists again: nothing is resumed automatically, and the next manual resume delivers
    // the callbacks.
    desk.agent(json!({"name": "leader"})).await;
    desk.reconcile().await;
    assert_eq!(desk.get(&format!("/runs?session_id={parent}")).await.1["items"].as_array().unwrap().len(), 1);
    desk.run(json!({"session_id": parent, "prompt": "Go on."})).await;
    let held = desk.claim(&runner).await;
    assert!(held.run["parameters"]["prompt"].as_str().unwrap().starts_with("<agent-callback "));
}

#[tokio::test]
async fn an_agent_that_is_fixed_in_time_is_resumed() {
    let desk = Desk::with_writer().await;
    desk.agent(json!({"name": "leader"})).await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "leader", "prompt": "parent"})).await;
    desk.complete(&runner, "waiting").await;
    desk.run(child_of(&parent)).await;
    desk.complete(&runner, "done").await;
    desk.delete("/agents/leader").await;
    desk.reconcile().await;
    desk.pass(300);
    desk.agent(json!({"name": "leader"})).await;
    desk.reconcile().await;
    let runner = desk.runner().await;
    assert_eq!(desk.claim(&runner).await.run["session_id"], parent);
}

/// Command agents: one that accepts a prompt, and one that does not.
async fn with_commands() -> Desk {
    let desk = Desk::with_writer().await;
    for (name, schema) in [("told", json!({})), ("count", json!({"required": ["text"]}))] {
        desk.agent(json!({
            "name": name, "type": "procedural", "executor": {"type": "process", "command": "count"},
            "parameters_schema": schema,
        }))
        .await;
    }
    desk
}

#[tokio::test]
async fn a_command_without_a_prompt_is_not_called_back() {
    let desk = with_commands().await;
    let runner = desk.runner().await;
    let done = json!({"status": "completed", "result_data": 1});
    let (_, count) = desk.run(json!({"agent_name": "count", "parameters": {"text": "a"}})).await;
    desk.finish(&desk.claim(&runner).await, done.clone()).await;
    let answer = desk.post("/runs", child_of(&count)).await;
    let message = format!(
        "execution_mode async_callback: the parent {count} cannot be called back: its agent 'count' is procedural, and its parameters_schema does not accept {{\"prompt\": …}}; use sync or async_poll"
    );
    assert_eq!((refused(&answer), text(&answer.1, "message")), ((400, "InvalidRequest"), message));
    let polled = json!({
        "agent_name": "writer", "prompt": "child", "parent_session_id": count, "execution_mode": "async_poll",
    });
    let (_, child) = desk.run(polled).await;
    desk.complete(&runner, "done").await;
    let resume = json!({"session_id": child, "prompt": "more", "execution_mode": "async_callback"});
    assert_eq!(refused(&desk.post("/runs", resume).await), (400, "InvalidRequest"));
    let (_, told) = desk.run(json!({"agent_name": "told", "parameters": {}})).await;
    desk.finish(&desk.claim(&runner).await, done).await;
    desk.run(child_of(&told)).await;
    desk.complete(&runner, "done").await;
    desk.reconcile().await;
    assert_eq!(desk.claim(&runner).await.run["session_id"], told);
}

#[tokio::test]
async fn callbacks_that_a_command_no_longer_accepts_are_held() {
    let desk = with_commands().await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "told", "parameters": {}})).await;
    desk.finish(&desk.claim(&runner).await, json!({"status": "completed", "result_data": 1})).await;
    desk.run(child_of(&parent)).await;
    desk.complete(&runner, "done").await;
    let short = json!({"type": "object", "properties": {"prompt": {"type": "string", "maxLength": 4}}});
    desk.delete("/agents/told").await;
    desk.agent(json!({
        "name": "told", "type": "procedural", "executor": {"type": "process", "command": "count"},
        "parameters_schema": short,
    }))
    .await;
    desk.reconcile().await;
    desk.pass(601);
    desk.reconcile().await;
    let held = held_events(&desk, &parent).await;
    assert_eq!(held.len(), 1);
    assert_eq!(held[0]["reason"], "parent_unavailable");
    let runner = desk.runner().await;
    desk.run(json!({"session_id": parent, "prompt": "more"})).await;
    let run = desk.claim(&runner).await.run;
    assert_eq!(run["parameters"], json!({"prompt": "more"}), "with the child's end it would be too long");
    let (_, view) = desk.get(&format!("/sessions/{parent}")).await;
    assert_eq!(view["undelivered_callbacks"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_removed_parent_gets_no_callbacks() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    let (_, parent) = desk.run(json!({"agent_name": "writer", "prompt": "parent"})).await;
    desk.complete(&runner, "waiting").await;
    let (_, child) = desk.run(child_of(&parent)).await;
    let held = desk.claim(&runner).await;
    assert_eq!(desk.delete(&format!("/sessions/{parent}")).await.0, 204);
    desk.finish(&held, json!({"status": "completed", "result_text": "done"})).await;
    desk.reconcile().await;
    assert_eq!(desk.get(&format!("/sessions/{child}/result")).await.1["result_text"], "done");
    assert_eq!(desk.get(&format!("/sessions/{parent}/children")).await.0, 404);
    let (_, runs) = desk.get("/runs").await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 1);
}
