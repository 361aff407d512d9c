//! Runs that wait for their children, and forks that start with the steps of another run.

use serde_json::{Value, json};

use crate::support::{Desk, Held, kinds, refused, text};

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})
}

/// Reports a nonconforming answer and returns the response.
async fn wanting(desk: &Desk, held: &Held, number: u32) -> Value {
    let delivery = &held.holding["attempt"];
    let attempt = json!({
        "number": number, "delivery": delivery, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "small",
        "outcome": "no_json", "usage": {"input_tokens": 10, "output_tokens": 5}, "duration_ms": 1, "text": "I wait.",
    });
    let step = held.run["steps"].as_array().map_or(0, Vec::len) + 1;
    let report = json!({"holding": held.holding, "attempts": [attempt], "step": step});
    let (status, body) = desk.post(&format!("/runner/runs/{}/attempts", held.run_id), report).await;
    assert_eq!(status, 200, "{body}");
    body
}

fn accepted(n: i64) -> Value {
    json!({"status": "completed", "result_data": {"n": n}})
}

/// A running parent under a caller's contract, with this many callback children.
struct Family {
    desk: Desk,
    runner: String,
    parent: Held,
    session: String,
    children: Vec<String>,
}

impl Family {
    async fn with(agent: Value, request: Value, children: usize) -> Self {
        let desk = Desk::with_writer().await;
        desk.agent(agent).await;
        let runner = desk.runner().await;
        let (_, session) = desk.run(request).await;
        let parent = desk.claim(&runner).await;
        let mut ids = Vec::new();
        for _ in 0..children {
            let child = json!({
                "agent_name": "writer", "prompt": "child", "parent_session_id": session,
                "execution_mode": "async_callback",
            });
            ids.push(desk.run(child).await.1);
        }
        Self { desk, runner, parent, session, children: ids }
    }

    async fn under_callers_contract(children: usize) -> Self {
        let request = json!({"agent_name": "parent", "prompt": "p", "output_schema": schema()});
        Self::with(json!({"name": "parent"}), request, children).await
    }

    /// The parent gives another answer and waits.
    async fn wait(&self) {
        assert_eq!(wanting(&self.desk, &self.parent, 1).await, json!({"waiting": true}));
        let answer = self.desk.finish(&self.parent, json!({"status": "waiting"})).await;
        assert_eq!(answer, (200, json!({"run_id": self.parent.run_id, "status": "waiting"})));
    }

    async fn run(&self) -> Value {
        self.desk.get(&format!("/runs/{}", self.parent.run_id)).await.1
    }
}

#[tokio::test]
async fn the_same_run_continues_each_time_a_child_ends() {
    let blueprint = json!({"name": "parent", "output_schema": schema()});
    for family in [
        Family::under_callers_contract(2).await,
        Family::with(blueprint, json!({"agent_name": "parent", "prompt": "p"}), 2).await,
    ] {
        let Family { desk, runner, session, children, .. } = &family;
        family.wait().await;
        let run = family.run().await;
        assert_eq!((&run["status"], &run["runner_id"]), (&json!("waiting"), &Value::Null));
        assert_eq!(run["waits_until"], "2026-11-01T01:00:00Z", "an hour by default");
        assert_eq!(desk.get(&format!("/sessions/{session}")).await.1["status"], "waiting");
        let result = desk.get(&format!("/sessions/{session}/result")).await;
        assert_eq!(refused(&result), (409, "SessionNotFinished"), "no placeholder, no prose");
        let busy = desk.post("/runs", json!({"session_id": session, "prompt": "more"})).await;
        assert_eq!(refused(&busy), (409, "SessionBusy"));
        desk.reconcile().await;
        assert_eq!(family.run().await["status"], "waiting", "nothing has happened yet");

        desk.complete(runner, "one").await;
        desk.reconcile().await;
        // The parent is older than its second child.
        let held = desk.claim(runner).await;
        desk.complete(runner, "two").await;
        assert_eq!((held.run_id.as_str(), &held.run["attempt"]), (family.parent.run_id.as_str(), &json!(2)));
        let steps = held.run["steps"].as_array().unwrap();
        assert_eq!(
            steps[0]["body"],
            json!({"type": "verdict", "delivery": 1, "attempt": 1, "outcome": "waiting"})
        );
        let message = steps[1]["body"]["text"].as_str().unwrap();
        assert!(message.contains(&children[0]) && !message.contains(&children[1]), "{message}");
        assert!(held.run["contract"].is_object(), "the contract still applies");
        assert_eq!(held.run["spent"]["retries"], 0);

        assert_eq!(
            wanting(desk, &held, 1).await,
            json!({"waiting": true}),
            "the second child is still to be told"
        );
        desk.finish(&held, json!({"status": "waiting"})).await;
        desk.reconcile().await;
        let held = desk.claim(runner).await;
        let steps = held.run["steps"].as_array().unwrap();
        assert!(steps[3]["body"]["text"].as_str().unwrap().contains(&children[1]));
        assert_eq!(wanting(desk, &held, 1).await, json!({"waiting": false}), "no child is left");
        desk.finish(&held, accepted(7)).await;
        let (_, result) = desk.get(&format!("/sessions/{session}/result")).await;
        assert_eq!(
            (&result["result_data"], &result["run_id"]),
            (&json!({"n": 7}), &json!(family.parent.run_id))
        );
        desk.reconcile().await;
        let (_, runs) = desk.get(&format!("/runs?session_id={session}")).await;
        assert_eq!(runs["items"].as_array().unwrap().len(), 1, "exactly one run, and one result");
        let (_, events) = desk.get(&format!("/sessions/{session}/events")).await;
        assert_eq!(kinds(&events).iter().filter(|kind| **kind == "run.waiting").count(), 2);
        assert_eq!(kinds(&events).iter().filter(|kind| **kind == "result").count(), 1);
    }
}

#[tokio::test]
async fn a_run_can_wait_for_all_children() {
    let agent = json!({"name": "parent", "callback": "all", "output_schema": schema()});
    let family = Family::with(agent, json!({"agent_name": "parent", "prompt": "p"}), 2).await;
    let Family { desk, runner, children, .. } = &family;
    family.wait().await;
    desk.complete(runner, "one").await;
    desk.reconcile().await;
    assert_eq!(family.run().await["status"], "waiting");
    desk.complete(runner, "two").await;
    desk.reconcile().await;
    let held = desk.claim(runner).await;
    let message = held.run["steps"][1]["body"]["text"].as_str().unwrap();
    assert!(children.iter().all(|child| message.contains(child)), "{message}");
}

#[tokio::test]
async fn a_person_who_is_asked_by_a_child_has_all_of_their_time() {
    let request = json!({"agent_name": "parent", "prompt": "p", "output_schema": schema()});
    let approval = json!({
        "call_id": "a", "purpose": "approval", "message": "Allow?", "tool": {"name": "delete", "arguments": {}},
    });
    for (agent, waits) in [
        (json!({"name": "parent"}), true),
        (json!({"name": "parent", "limits": {"wait_seconds": 3600}}), false),
    ] {
        let family = Family::with(agent, request.clone(), 1).await;
        let Family { desk, runner, .. } = &family;
        family.wait().await;
        let child = desk.claim(runner).await;
        desk.finish(&child, json!({"status": "input_required", "inputs": [approval]})).await;
        desk.pass(23 * 60 * 60);
        desk.reconcile().await;
        let status = if waits { "waiting" } else { "failed" };
        assert_eq!(
            family.run().await["status"],
            status,
            "a day for the person, unless the agent says otherwise"
        );
        if !waits {
            continue;
        }
        let (_, page) = desk.get("/inputs?status=open").await;
        let input = page["items"][0]["id"].as_str().unwrap();
        desk.post(&format!("/inputs/{input}"), json!({"answer": {"approve": true}})).await;
        desk.reconcile().await;
        assert_eq!(family.run().await["status"], "waiting", "the child has its hour after the answer");
        let runner = desk.runner().await;
        desk.complete(&runner, "one").await;
        desk.reconcile().await;
        assert_eq!(desk.claim(&runner).await.run_id, family.parent.run_id);
    }
}

#[tokio::test]
async fn waiting_has_a_time_limit() {
    let agent = json!({"name": "parent", "limits": {"wait_seconds": 60}, "on_parent_end": "stop"});
    let request = json!({"agent_name": "parent", "prompt": "p", "output_schema": schema()});
    let family = Family::with(agent, request, 2).await;
    let Family { desk, runner, children, .. } = &family;
    family.wait().await;
    desk.complete(runner, "one").await;
    desk.reconcile().await;
    let held = desk.claim(runner).await;
    let child = desk.claim(runner).await;
    assert_eq!(held.run_id, family.parent.run_id);
    desk.pass(50);
    assert_eq!(wanting(desk, &held, 1).await, json!({"waiting": true}));
    desk.finish(&held, json!({"status": "waiting"})).await;
    desk.pass(11);
    desk.reconcile().await;
    let run = family.run().await;
    assert_eq!((&run["status"], &run["error"]["type"]), (&json!("failed"), &json!("children_timed_out")));
    let message = run["error"]["message"].as_str().unwrap();
    assert!(message.contains(&children[1]) && !message.contains(&children[0]), "{message}");
    let (_, run) = desk.get(&format!("/runs/{}", child.run_id)).await;
    assert_eq!(run["status"], "stopped", "on_parent_end: stop, and its lease has run out");
}

#[tokio::test]
async fn a_waiting_run_can_be_stopped() {
    let family = Family::under_callers_contract(1).await;
    let Family { desk, runner, session, .. } = &family;
    family.wait().await;
    let (_, stopped) = desk.post_empty(&format!("/runs/{}/stop", family.parent.run_id)).await;
    assert_eq!(stopped["status"], "stopped");
    desk.complete(runner, "late").await;
    desk.reconcile().await;
    assert_eq!(family.run().await["status"], "stopped");
    let (_, view) = desk.get(&format!("/sessions/{session}")).await;
    assert_eq!(view["undelivered_callbacks"][0]["held"], "parent_stopped");
}

#[tokio::test]
async fn a_run_whose_children_were_removed_continues() {
    let family = Family::under_callers_contract(1).await;
    let Family { desk, runner, children, .. } = &family;
    family.wait().await;
    desk.post_empty(&format!("/sessions/{}/stop", children[0])).await;
    let (status, body) = desk.delete(&format!("/sessions/{}", children[0])).await;
    assert_eq!(status, 204, "{body}");
    desk.reconcile().await;
    let held = desk.claim(runner).await;
    assert_eq!(held.run_id, family.parent.run_id);
    let message = held.run["steps"][1]["body"]["text"].as_str().unwrap();
    assert!(message.starts_with("No child session is left"), "{message}");
}

#[tokio::test]
async fn only_a_run_with_a_contract_and_children_waits() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let held = desk.claim(&runner).await;
    assert_eq!(wanting(&desk, &held, 1).await, json!({"waiting": false}));
    let answer = desk.finish(&held, json!({"status": "waiting"})).await;
    assert_eq!(refused(&answer), (400, "InvalidRequest"));
}

#[tokio::test]
async fn a_late_child_resumes_its_parent_under_the_same_contract() {
    let family = Family::under_callers_contract(1).await;
    let Family { desk, runner, session, .. } = &family;
    desk.finish(&family.parent, accepted(1)).await;
    desk.complete(runner, "late").await;
    desk.reconcile().await;
    let held = desk.claim(runner).await;
    assert_eq!(held.run["session_id"], json!(session));
    assert_eq!(held.run["contract"]["schema"], schema());
    let prose = desk.finish(&held, json!({"status": "completed", "result_text": "thanks"})).await;
    assert_eq!(refused(&prose), (422, "ContractViolation"));
    desk.finish(&held, accepted(2)).await;
    assert_eq!(desk.get(&format!("/sessions/{session}/result")).await.1["result_data"], json!({"n": 2}));
}

/// A run with three steps reported by a runner.
async fn with_steps(desk: &Desk, request: Value) -> Held {
    let runner = desk.runner().await;
    desk.run(request).await;
    let held = desk.claim(&runner).await;
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let steps = ["a", "b", "c"].map(|text| {
        json!({"type": "model_answer", "text": text, "ending": "finished", "model": "small", "usage": usage})
    });
    let steps: Vec<Value> =
        (1..).zip(steps).map(|(number, body): (u32, _)| json!({"number": number, "body": body})).collect();
    let report = json!({"holding": held.holding, "events": [], "steps": steps});
    let (status, body) = desk.post(&format!("/runner/runs/{}/events", held.run_id), report).await;
    assert_eq!(status, 204, "{body}");
    held
}

#[tokio::test]
async fn a_fork_starts_with_the_steps_of_another_run() {
    let desk = Desk::with_writer().await;
    let held = with_steps(&desk, json!({"agent_name": "writer", "prompt": "p"})).await;
    let path = format!("/runs/{}", held.run_id);
    let (_, steps) = desk.get(&format!("{path}/steps")).await;
    assert_eq!(steps["items"].as_array().unwrap().len(), 3);
    assert_eq!(steps["items"][1]["body"]["text"], "b");
    let missing = desk.post(&format!("{path}/fork"), json!({"from_step": 4})).await;
    assert_eq!(refused(&missing), (404, "StepNotFound"));
    assert!(text(&missing.1, "message").ends_with("has no step 4; it has 3"));
    let changes =
        json!({"from_step": 2, "model": "large", "system_prompt": "Be exact.", "output_schema": schema()});
    let (status, forked) = desk.post(&format!("{path}/fork"), changes).await;
    assert_eq!(status, 201, "{forked}");
    let runner = desk.runner().await;
    let fork = desk.claim(&runner).await;
    assert_eq!(fork.run_id, text(&forked, "run_id"));
    assert_ne!(fork.run["session_id"], held.run["session_id"]);
    assert_eq!(fork.run["steps"].as_array().unwrap().len(), 2);
    assert_eq!((&fork.run["model"], &fork.run["parameters"]), (&json!("large"), &json!({"prompt": "p"})));
    assert_eq!(fork.run["blueprint"]["system_prompt"], "Be exact.");
    assert_eq!(fork.run["contract"]["schema"], schema());
    assert_eq!(desk.get(&path).await.1["status"], "claimed", "the run itself is as it was");
    let (_, audit) = desk.get("/audit").await;
    assert!(
        audit["items"].as_array().unwrap().iter().any(|entry| entry["action"] == "run.forked"),
        "{audit}"
    );
}

#[tokio::test]
async fn a_fork_cannot_replace_the_contract_of_an_agent() {
    let desk = Desk::new();
    desk.agent(json!({"name": "own", "output_schema": schema()})).await;
    let held = with_steps(&desk, json!({"agent_name": "own", "prompt": "p"})).await;
    let changes = json!({"from_step": 1, "output_schema": {"type": "array"}});
    let answer = desk.post(&format!("/runs/{}/fork", held.run_id), changes).await;
    assert_eq!(refused(&answer), (409, "OutputSchemaConflict"));
}

#[tokio::test]
async fn a_finished_run_is_run_again_with_other_input_or_another_model() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let first = desk.complete(&runner, "x").await;
    let path = format!("/runs/{}/retry", first.run_id);
    assert_eq!(desk.post_empty(&path).await.0, 201);
    assert_eq!(desk.claim(&runner).await.run["parameters"], json!({"prompt": "p"}));
    let (status, again) = desk.post(&path, json!({"parameters": {"prompt": "q"}, "model": "large"})).await;
    assert_eq!(status, 201, "{again}");
    let held = desk.claim(&runner).await;
    assert_eq!((&held.run["parameters"], &held.run["model"]), (&json!({"prompt": "q"}), &json!("large")));
    let wrong = desk.post(&path, json!({"parameters": {"n": 1}})).await;
    assert_eq!(refused(&wrong), (400, "ParameterValidationFailed"));
    let unfinished = desk.post_empty(&format!("/runs/{}/retry", held.run_id)).await;
    assert_eq!(refused(&unfinished), (409, "NotRetryable"));
}

#[tokio::test]
async fn runners_cannot_write_steps_of_the_coordinator() {
    let desk = Desk::with_writer().await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "p"})).await;
    let held = desk.claim(&runner).await;
    for (number, body) in [
        (1, json!({"type": "message", "text": "t"})),
        (1, json!({"type": "verdict", "delivery": 1, "attempt": 1, "outcome": "accepted"})),
        (0, json!({"type": "restarted", "reason": "r"})),
        (1, json!({"type": "dream"})),
    ] {
        let report =
            json!({"holding": held.holding, "events": [], "steps": [{"number": number, "body": body}]});
        let answer = desk.post(&format!("/runner/runs/{}/events", held.run_id), report).await;
        assert_eq!(refused(&answer), (400, "InvalidRequest"), "{body}");
    }
    let stale = json!({"runner_id": runner, "lease_id": "lse_none", "attempt": 1});
    let step = json!({"number": 1, "body": {"type": "restarted", "reason": "r"}});
    let report = json!({"holding": stale, "events": [], "steps": [step]});
    let answer = desk.post(&format!("/runner/runs/{}/events", held.run_id), report).await;
    assert_eq!(refused(&answer), (409, "LeaseLost"));
    assert_eq!(desk.get(&format!("/runs/{}/steps", held.run_id)).await.1["items"], json!([]));
}
