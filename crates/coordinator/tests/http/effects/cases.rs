//! The use cases.

use std::pin::Pin;
use std::time::Duration;

use accord_coordinator::Outside as _;
use serde_json::{Value, json};

use super::site::Site;
use crate::support::{Desk, Held, text};

/// A use case.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The agents and workflows that it needs.
    pub(crate) agents: &'static [&'static str],
    pub(crate) play: Play,
}

type Play = for<'a> fn(&'a mut Site) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Makes each case a test.
macro_rules! cases {
    ($($name:ident: $agents:expr),* $(,)?) => {
        pub(crate) const CASES: &[Case] = &[$(Case {
            name: stringify!($name),
            agents: &$agents,
            play: |site| Box::pin($name(site)),
        }),*];

        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    let case = super::CASES.iter().find(|case| case.name == stringify!($name)).unwrap();
                    crate::effects::at_every_call(case).await;
                }
            )*
        }
    };
}

cases! {
    a_run_completes: ["writer"],
    a_run_fails_and_is_retried: ["writer"],
    a_contract_is_met: ["counter"],
    a_run_ends_with_its_last_report: ["counter", "writer"],
    a_person_corrects_after_the_last_report: ["asker"],
    the_coordinator_asks_again: ["tool"],
    a_run_is_stopped: ["writer"],
    a_runner_gives_a_run_back: ["writer"],
    a_lost_run_is_delivered_again: ["writer"],
    no_runner_matches: ["special"],
    a_parent_is_called_back: ["writer"],
    a_callback_is_held_until_the_session_is_resumed: ["writer"],
    a_run_waits_for_its_children: ["writer", "lead"],
    a_stopped_run_stops_those_it_waits_for: ["writer"],
    children_end_with_a_run_that_fails: ["writer", "lead", "patient", "clerk"],
    children_end_with_a_run_that_is_stopped: ["writer", "lead", "patient", "clerk"],
    children_end_with_a_session_that_is_stopped: ["writer", "lead", "patient", "clerk"],
    children_end_with_a_run_whose_runner_is_lost: ["writer", "lead", "patient", "clerk"],
    children_end_with_a_run_that_no_runner_takes: ["writer", "special"],
    children_end_with_a_run_that_waited_too_long: ["writer", "lead", "patient", "clerk"],
    children_end_with_a_run_that_nobody_answers: ["writer", "patient", "clerk", "strict"],
    a_person_answers: ["writer"],
    a_caller_makes_a_call: ["writer"],
    a_caller_leaves: ["writer"],
    a_person_corrects: ["asker"],
    a_person_does_the_work: ["person"],
    nobody_answers_in_time: ["person"],
    a_workflow_completes: ["counter", "flow"],
    a_workflow_is_stopped: ["counter", "flow"],
    a_failed_workflow_is_retried: ["counter", "flow"],
    sessions_are_resumed_and_removed: ["writer"],
    definitions_are_changed: [],
    files_are_given_and_deleted: ["writer"],
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})
}

/// Creates these agents and workflows.
pub(crate) async fn create(desk: &Desk, names: &[&str]) {
    for name in names {
        match *name {
            "flow" => flow(desk).await,
            name => desk.agent(agent(name)).await,
        }
    }
}

fn agent(name: &str) -> Value {
    let limits = json!({"wait_seconds": 60, "input_seconds": 60});
    let more = match name {
        "counter" => json!({"output_schema": schema()}),
        "lead" => json!({"output_schema": schema(), "on_parent_end": "stop", "limits": limits}),
        "patient" => json!({"output_schema": schema(), "on_parent_end": "stop"}),
        "clerk" => json!({"executor": {"type": "human"}, "output_schema": schema()}),
        "special" => json!({"on_parent_end": "stop", "demands": {"tags": ["special"]}}),
        "person" => json!({"executor": {"type": "human"}, "output_schema": schema(), "limits": limits}),
        "asker" => json!({"output_schema": schema(), "output_schema_options": {"on_failure": "ask"}}),
        "strict" => json!({"on_input_timeout": "fail", "limits": limits, "on_parent_end": "stop"}),
        "tool" => json!({"executor": {"type": "external", "command": "x"}, "output_schema": schema()}),
        _ => json!({}),
    };
    let mut agent = json!({"name": name});
    agent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    agent
}

/// An agent, a person and another workflow, one after the other.
async fn flow(desk: &Desk) {
    let nodes = json!({
        "input": {"type": "input"},
        "count": {"type": "agent", "agent": "counter", "prompt": "Count {{ input.what }}"},
        "check": {"type": "human", "prompt": "Is {{ count.n }} right?", "output_schema": schema()},
        "inner": {"type": "agent", "workflow": "echo", "parameters": {"n": "{{ check.n }}"}},
        "output": {"type": "output", "value": "{{ inner }}"},
    });
    let edges = [("input", "count"), ("count", "check"), ("check", "inner"), ("inner", "output")];
    let edges = edges.map(|(from, to)| json!({"from": from, "to": to}));
    let echo = json!({"input": {"type": "input"}, "output": {"type": "output", "value": "{{ input.n }}"}});
    let echo = json!({"name": "echo", "nodes": echo, "edges": [{"from": "input", "to": "output"}]});
    for flow in [echo, json!({"name": "flow", "nodes": nodes, "edges": edges})] {
        let (status, body) = desk.post("/workflows", flow).await;
        assert_eq!(status, 201, "{body}");
    }
}

fn ask(agent: &str, prompt: &str) -> Value {
    json!({"agent_name": agent, "prompt": prompt})
}

fn child(parent: &str, mode: &str, prompt: &str) -> Value {
    json!({"agent_name": "writer", "prompt": prompt, "parent_session_id": parent, "execution_mode": mode})
}

fn failed(kind: &str) -> Value {
    json!({"status": "failed", "error": {"type": kind, "message": "no"}})
}

fn approval(call_id: &str) -> Value {
    json!({
        "call_id": call_id, "purpose": "approval", "message": "Allow?",
        "tool": {"name": "delete", "arguments": {"id": 7}},
    })
}

/// The runner reports an answer that was judged.
async fn attempt(site: &mut Site, held: &Held, outcome: &str) -> Value {
    let attempt = judged(held, outcome);
    let step = held.run["steps"].as_array().map_or(0, Vec::len) + 1;
    let report = json!({"holding": held.holding, "attempts": [attempt], "step": step});
    site.post(&format!("/runner/runs/{}/attempts", held.run_id), report).await.expect(200, &[])
}

fn judged(held: &Held, outcome: &str) -> Value {
    json!({
        "number": 1, "delivery": held.holding["attempt"], "at": "2026-11-01T00:00:00Z", "strategy": "prompt",
        "model": "small", "outcome": outcome, "usage": {"input_tokens": 10, "output_tokens": 5}, "duration_ms": 1,
        "text": "{\"n\": 0.5}",
    })
}

async fn a_run_completes(site: &mut Site) {
    site.run(ask("writer", "a")).await;
    let held = site.claim("a").await;
    site.post(&format!("/runner/runs/{}/started", held.run_id), held.holding.clone()).await.expect(200, &[]);
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let body =
        json!({"type": "model_answer", "text": "b", "ending": "finished", "model": "small", "usage": usage});
    let events = json!([{"type": "output.delta", "channel": "text", "text": "b"}]);
    let report = json!({"holding": held.holding, "events": events, "steps": [{"number": 1, "body": body}]});
    site.post(&format!("/runner/runs/{}/events", held.run_id), report).await.expect(204, &[]);
    site.finish(&held, json!({"status": "completed", "result_text": "done", "usage": usage})).await;
}

async fn a_run_fails_and_is_retried(site: &mut Site) {
    let (run, _) = site.run(ask("writer", "a")).await;
    let held = site.claim("a").await;
    site.finish(&held, failed("timed_out")).await;
    site.post(&format!("/runs/{run}/retry"), json!({})).await.expect(201, &[]);
    site.complete("a", "b").await;
}

async fn a_contract_is_met(site: &mut Site) {
    site.run(ask("counter", "a")).await;
    let held = site.claim("a").await;
    attempt(site, &held, "schema_invalid").await;
    site.finish(&held, json!({"status": "completed", "result_data": {"n": 1}, "retry_count": 1})).await;
}

/// What happened since the last report.
fn last(held: &Held, outcome: &str) -> Value {
    let body = json!({
        "type": "model_answer", "text": "b", "ending": "finished", "model": "small",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    });
    json!({
        "events": [{"type": "message", "role": "assistant", "text": "b"}],
        "steps": [{"number": 1, "body": body}],
        "attempts": [judged(held, outcome)],
        "step": 2,
    })
}

async fn a_run_ends_with_its_last_report(site: &mut Site) {
    site.starts = true;
    site.run(ask("counter", "a")).await;
    let held = site.claim("a").await;
    let report = last(&held, "accepted");
    site.finish(&held, json!({"status": "completed", "result_data": {"n": 1}, "report": report})).await;
    let (run, _) = site.run(ask("writer", "b")).await;
    let held = site.claim("b").await;
    let mut failed = failed("executor_failed");
    failed["report"] = last(&held, "transport");
    site.finish(&held, failed).await;
    site.post(&format!("/runs/{run}/retry"), json!({})).await.expect(201, &[]);
    let held = site.claim("b").await;
    site.finish(&held, json!({"status": "stopped", "report": last(&held, "stopped")})).await;
}

/// The report is written before the run waits for the person.
async fn a_person_corrects_after_the_last_report(site: &mut Site) {
    site.run(ask("asker", "a")).await;
    let held = site.claim("a").await;
    attempt(site, &held, "schema_invalid").await;
    let mut failed = failed("output_schema_validation_failed");
    failed["report"] = last(&held, "transport");
    site.finish(&held, failed).await;
    answer(site, &json!({"n": 3})).await;
}

async fn the_coordinator_asks_again(site: &mut Site) {
    site.run(ask("tool", "a")).await;
    for answer in ["{\"n\": \"x\"}", "{\"n\": 2}"] {
        let held = site.claim("a").await;
        let answer = json!({"text": answer, "model": "m", "duration_ms": 5});
        let usage = json!({"input_tokens": 10, "output_tokens": 1});
        site.finish(&held, json!({"status": "answered", "answer": answer, "usage": usage})).await;
    }
}

async fn a_run_is_stopped(site: &mut Site) {
    let (pending, _) = site.run(ask("writer", "pending")).await;
    site.stop(&pending).await;
    let (running, _) = site.run(ask("writer", "running")).await;
    let held = site.claim("running").await;
    site.stop(&running).await;
    site.finish(&held, json!({"status": "completed", "result_text": "too late"})).await;
    let (silent, _) = site.run(ask("writer", "silent")).await;
    site.claim("silent").await;
    site.stop(&silent).await;
    site.lose_runner(31).await;
}

async fn a_runner_gives_a_run_back(site: &mut Site) {
    site.run(ask("writer", "a")).await;
    let held = site.claim("a").await;
    site.finish(&held, json!({"status": "released"})).await;
    site.complete("a", "b").await;
}

async fn a_lost_run_is_delivered_again(site: &mut Site) {
    site.run(ask("writer", "a")).await;
    site.claim("a").await;
    site.lose_runner(31).await;
    site.complete("a", "b").await;
}

async fn no_runner_matches(site: &mut Site) {
    site.run(ask("special", "a")).await;
    // A coordinator that starts meanwhile waits for as long again.
    for _ in 0..2 {
        site.desk.pass(310);
        site.round().await;
    }
}

async fn a_parent_is_called_back(site: &mut Site) {
    let (_, parent) = site.run(ask("writer", "parent")).await;
    let held = site.claim("parent").await;
    for prompt in ["one", "two"] {
        site.run(child(&parent, "async_callback", prompt)).await;
    }
    site.complete("one", "1").await;
    site.finish(&held, json!({"status": "completed", "result_text": "later"})).await;
    site.round().await;
    let resumed = site.claim("status=\"completed\"").await;
    let second = site.claim("two").await;
    site.finish(&resumed, json!({"status": "completed", "result_text": "still"})).await;
    site.finish(&second, failed("timed_out")).await;
    site.round().await;
    site.complete("status=\"failed\"", "all").await;
}

async fn a_callback_is_held_until_the_session_is_resumed(site: &mut Site) {
    let (_, parent) = site.run(ask("writer", "parent")).await;
    let held = site.claim("parent").await;
    site.run(child(&parent, "async_callback", "one")).await;
    site.finish(&held, failed("timed_out")).await;
    site.complete("one", "1").await;
    site.round().await;
    site.run(json!({"session_id": parent, "prompt": "go on"})).await;
    site.complete("go on", "all").await;
    site.round().await;
}

/// A run of `lead` that waits for this many children.
async fn waiting(site: &mut Site, agent: &str, children: usize) -> (Held, String) {
    let (_, parent) = site.run(ask(agent, "parent")).await;
    let held = site.claim("parent").await;
    for number in 0..children {
        site.run(child(&parent, "async_callback", &format!("child {number}"))).await;
    }
    assert_eq!(attempt(site, &held, "no_json").await, json!({"waiting": true}));
    site.finish(&held, json!({"status": "waiting"})).await;
    (held, parent)
}

async fn a_run_waits_for_its_children(site: &mut Site) {
    waiting(site, "lead", 2).await;
    for (child, result) in [("child 0", "one"), ("child 1", "two")] {
        site.complete(child, result).await;
        site.round().await;
        let held = site.claim("parent").await;
        if result == "one" {
            assert_eq!(attempt(site, &held, "no_json").await, json!({"waiting": true}));
            site.finish(&held, json!({"status": "waiting"})).await;
        } else {
            site.finish(&held, json!({"status": "completed", "result_data": {"n": 2}})).await;
        }
    }
}

async fn a_stopped_run_stops_those_it_waits_for(site: &mut Site) {
    let (run, parent) = site.run(ask("writer", "parent")).await;
    let held = site.claim("parent").await;
    let (_, middle) = site.run(child(&parent, "sync", "middle")).await;
    let below = site.claim("middle").await;
    site.run(child(&middle, "sync", "lowest")).await;
    site.run(child(&parent, "async_poll", "polled")).await;
    site.stop(&run).await;
    for held in [&held, &below] {
        site.finish(held, json!({"status": "stopped"})).await;
    }
    site.round().await;
    site.complete("polled", "done").await;
}

/// A run that failed, with a child that nobody has stopped yet.
pub(crate) async fn orphaned(site: &mut Site) {
    let (_, parent) = site.run(ask("lead", "parent")).await;
    let held = site.claim("parent").await;
    site.run(child(&parent, "async_callback", "child")).await;
    site.finish(&held, failed("timed_out")).await;
}

/// A run in progress with children in every state: running, waiting for a runner, for a child and for a person.
async fn family(site: &mut Site, agent: &str) -> (Held, String) {
    site.prepare();
    let family = whole_family(site, agent).await;
    site.begin();
    family
}

async fn whole_family(site: &mut Site, agent: &str) -> (Held, String) {
    let (_, parent) = site.run(ask(agent, "parent")).await;
    let held = site.claim("parent").await;
    children(site, &parent).await;
    (held, parent)
}

async fn children(site: &mut Site, parent: &str) {
    let of = |agent: &str, prompt: &str| {
        let mut request = child(parent, "async_callback", prompt);
        request["agent_name"] = json!(agent);
        request
    };
    site.run(of("writer", "running")).await;
    site.claim("running").await;
    let (_, middle) = site.run(of("patient", "waiting")).await;
    let held = site.claim("waiting").await;
    site.run(child(&middle, "async_callback", "grandchild")).await;
    attempt(site, &held, "no_json").await;
    site.finish(&held, json!({"status": "waiting"})).await;
    site.run(of("clerk", "asked")).await;
    site.run(of("writer", "pending")).await;
}

/// The children of a run that has ended were asked to stop; the runner of the one that is running does so.
async fn ended_with(site: &mut Site) {
    site.round().await;
    site.lose_runner(31).await;
    site.round().await;
}

async fn children_end_with_a_run_that_fails(site: &mut Site) {
    let (held, _) = whole_family(site, "lead").await;
    site.finish(&held, failed("timed_out")).await;
    ended_with(site).await;
}

async fn children_end_with_a_run_that_is_stopped(site: &mut Site) {
    let (held, _) = family(site, "lead").await;
    site.stop(&held.run_id).await;
    site.finish(&held, json!({"status": "stopped"})).await;
    ended_with(site).await;
}

async fn children_end_with_a_session_that_is_stopped(site: &mut Site) {
    let (held, parent) = family(site, "lead").await;
    attempt(site, &held, "no_json").await;
    site.finish(&held, json!({"status": "waiting"})).await;
    site.post(&format!("/sessions/{parent}/stop"), json!({})).await.expect(200, &[]);
    ended_with(site).await;
}

async fn children_end_with_a_run_whose_runner_is_lost(site: &mut Site) {
    let (held, _) = family(site, "lead").await;
    for _ in 0..6 {
        site.lose_runner(31).await;
        if site.get(&format!("/runs/{}", held.run_id)).await["status"] == "failed" {
            break;
        }
        site.claim_all().await;
    }
    ended_with(site).await;
}

async fn children_end_with_a_run_that_no_runner_takes(site: &mut Site) {
    let (_, parent) = site.run(ask("special", "parent")).await;
    site.run(child(&parent, "async_callback", "pending")).await;
    for _ in 0..2 {
        site.desk.pass(310);
        site.round().await;
    }
    ended_with(site).await;
}

async fn children_end_with_a_run_that_waited_too_long(site: &mut Site) {
    let (held, _) = family(site, "lead").await;
    attempt(site, &held, "no_json").await;
    site.finish(&held, json!({"status": "waiting"})).await;
    site.pass(61).await;
    site.round().await;
    ended_with(site).await;
}

async fn children_end_with_a_run_that_nobody_answers(site: &mut Site) {
    let (held, _) = family(site, "strict").await;
    site.finish(&held, json!({"status": "input_required", "inputs": [approval("a")]})).await;
    site.pass(61).await;
    site.round().await;
    ended_with(site).await;
}

/// Answers all open requests.
async fn answer(site: &mut Site, answer: &Value) {
    let open = site.get("/inputs?status=open").await;
    for input in open["items"].as_array().unwrap() {
        let path = format!("/inputs/{}", text(input, "id"));
        site.post(&path, json!({"answer": answer})).await.expect(200, &[409]);
    }
}

async fn a_person_answers(site: &mut Site) {
    site.run(ask("writer", "a")).await;
    let held = site.claim("a").await;
    let inputs = json!([approval("a"), approval("b")]);
    site.finish(&held, json!({"status": "input_required", "inputs": inputs})).await;
    answer(site, &json!({"approve": true})).await;
    site.complete("a", "done").await;
}

async fn a_caller_makes_a_call(site: &mut Site) {
    let mut request = ask("writer", "a");
    request["tools"] = json!([{"name": "look"}]);
    site.run(request).await;
    let held = site.claim("a").await;
    let call = |id: &str| {
        let tool = json!({"name": "look", "arguments": {}});
        json!({"call_id": id, "purpose": "tool_call", "message": "m", "tool": tool})
    };
    site.finish(&held, json!({"status": "input_required", "inputs": [call("a"), call("b")]})).await;
    answer(site, &json!("seen")).await;
    site.complete("a", "done").await;
}

/// A client that hangs up, and tries again only if its request had no effect.
async fn a_caller_leaves(site: &mut Site) {
    let request = json!({"model": "writer", "messages": [{"role": "user", "content": "a"}]});
    for _ in 0..3 {
        let sent = site.desk.post("/v1/chat/completions", request.clone());
        let _ = tokio::time::timeout(Duration::from_millis(200), sent).await;
        // That it has left is written by a task of its own, unless the store fails then.
        let now = site.desk.clock.now();
        let left = async {
            let mut pause = tokio::time::interval(Duration::from_millis(2));
            while site.store.left_alone(now, 1).await.unwrap().is_empty() {
                pause.tick().await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_millis(50), left).await;
        site.round().await;
        if site.get("/runs").await["items"] != json!([]) {
            break;
        }
    }
    site.pass(200).await;
}

async fn a_person_corrects(site: &mut Site) {
    site.run(ask("asker", "a")).await;
    let held = site.claim("a").await;
    attempt(site, &held, "schema_invalid").await;
    site.finish(&held, failed("output_schema_validation_failed")).await;
    answer(site, &json!({"n": 3})).await;
}

async fn a_person_does_the_work(site: &mut Site) {
    site.run(ask("person", "a")).await;
    let open = site.get("/inputs?status=open").await;
    let path = format!("/inputs/{}/link", text(&open["items"][0], "id"));
    let link = site.post(&path, json!({})).await.expect(201, &[]);
    let path = format!("/input-links#{}", text(&link, "token"));
    site.post(&path, json!({"answer": {"n": 2}})).await.expect(200, &[403]);
}

async fn nobody_answers_in_time(site: &mut Site) {
    site.run(ask("person", "a")).await;
    site.pass(61).await;
    site.round().await;
}

async fn workflow(site: &mut Site) -> String {
    let made = site.post("/workflows/flow/runs", json!({"input": {"what": "a"}})).await.expect(201, &[]);
    site.round().await;
    text(&made, "workflow_run_id")
}

async fn a_workflow_completes(site: &mut Site) {
    workflow(site).await;
    let held = site.claim("Count").await;
    site.finish(&held, json!({"status": "completed", "result_data": {"n": 1}})).await;
    site.round().await;
    answer(site, &json!({"n": 2})).await;
    for _ in 0..4 {
        site.round().await;
    }
}

async fn a_workflow_is_stopped(site: &mut Site) {
    site.prepare();
    let id = workflow(site).await;
    site.begin();
    let held = site.claim("Count").await;
    site.post(&format!("/workflow-runs/{id}/stop"), json!({})).await.expect(200, &[]);
    site.round().await;
    site.finish(&held, json!({"status": "stopped"})).await;
    site.round().await;
}

async fn a_failed_workflow_is_retried(site: &mut Site) {
    site.prepare();
    let id = workflow(site).await;
    site.begin();
    let held = site.claim("Count").await;
    site.finish(&held, failed("timed_out")).await;
    site.round().await;
    site.post(&format!("/workflow-runs/{id}/retry"), json!({})).await.expect(200, &[]);
    site.round().await;
    let held = site.claim("Count").await;
    site.finish(&held, failed("timed_out")).await;
    site.round().await;
    site.send("DELETE", &format!("/workflow-runs/{id}"), Value::Null).await.expect(204, &[404]);
}

async fn sessions_are_resumed_and_removed(site: &mut Site) {
    let (first, session) = site.run(ask("writer", "a")).await;
    site.complete("a", "1").await;
    let (second, _) = site.run(json!({"session_id": session, "prompt": "b"})).await;
    let held = site.claim("b").await;
    let (grandchild, below) = site.run(child(&session, "async_poll", "c")).await;
    site.finish(&held, json!({"status": "completed", "result_text": "2"})).await;
    site.stop(&grandchild).await;
    site.remove(&below, &[&grandchild]).await;
    site.remove(&session, &[&first, &second]).await;
}

async fn definitions_are_changed(site: &mut Site) {
    let agent = json!({
        "name": "new", "type": "autonomous", "executor": {"type": "llm", "provider": "anthropic", "model": "small"},
    });
    site.post("/agents", agent.clone()).await.expect(201, &[]);
    site.send("PUT", "/agents/new", agent).await.expect(200, &[]);
    site.send("DELETE", "/agents/new", Value::Null).await.expect(204, &[404]);
    site.post("/schemas", json!({"name": "new", "schema": schema()})).await.expect(201, &[200]);
    site.send("DELETE", "/schemas/new", Value::Null).await.expect(204, &[404]);
}

async fn files_are_given_and_deleted(site: &mut Site) {
    let id = "file_015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862";
    site.post("/files?name=a.json", json!({"a": 1})).await.expect(201, &[]);
    let (run, session) = site.run(json!({"agent_name": "writer", "prompt": "a", "files": [id]})).await;
    let held = site.claim("a").await;
    site.finish(&held, failed("timed_out")).await;
    again(site, &run, "retry", json!({})).await;
    site.complete("a", "b").await;
    site.run(json!({"session_id": session, "prompt": "b"})).await;
    site.complete("b", "c").await;
    site.send("DELETE", &format!("/files/{id}"), Value::Null).await.expect(204, &[404]);
}
