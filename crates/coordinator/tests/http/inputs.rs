//! Requests to people: approvals, questions, corrections, tasks; answered by API and by link.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use serde_json::{Value, json};

use crate::support::{Answer, Desk, Held, kinds, refused};

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"], "additionalProperties": false})
}

/// Numbers are kept exactly as written.
const ARGUMENTS: &str = r#"{"id":7,"amount":1.10}"#;

fn approval(call_id: &str) -> Value {
    json!({
        "call_id": call_id, "purpose": "approval", "message": "Allow?",
        "tool": {"name": "delete", "arguments": serde_json::from_str::<Value>(ARGUMENTS).unwrap()},
    })
}

/// A running run of an agent, with a caller's contract if there is one.
async fn at_work(agent: Value, request: Value) -> (Desk, String, Held) {
    let desk = Desk::with_writer().await;
    desk.agent(agent).await;
    let runner = desk.runner().await;
    desk.run(request).await;
    let held = desk.claim(&runner).await;
    (desk, runner, held)
}

async fn asked(inputs: Value) -> (Desk, String, Held) {
    let (desk, runner, held) =
        at_work(json!({"name": "asker"}), json!({"agent_name": "asker", "prompt": "p"})).await;
    let (status, body) = desk.finish(&held, json!({"status": "input_required", "inputs": inputs})).await;
    assert_eq!((status, &body["status"]), (200, &json!("input_required")), "{body}");
    (desk, runner, held)
}

async fn open_inputs(desk: &Desk) -> Vec<Value> {
    let (_, page) = desk.get("/inputs?status=open").await;
    page["items"].as_array().unwrap().clone()
}

fn path(request: &Value) -> String {
    format!("/inputs/{}", request["id"].as_str().unwrap())
}

#[tokio::test]
async fn the_run_continues_with_all_answers_in_order() {
    let question = json!({
        "call_id": "b", "purpose": "question", "message": "Which?",
        "schema": {"type": "object", "properties": {"answer": {"enum": ["x", "y"]}}, "required": ["answer"]},
    });
    let (desk, runner, held) = asked(json!([approval("a"), question])).await;
    let run = desk.get(&format!("/runs/{}", held.run_id)).await.1;
    assert_eq!((&run["status"], &run["runner_id"]), (&json!("input_required"), &Value::Null));
    let open = open_inputs(&desk).await;
    let (question, approval) = (&open[0], &open[1]);
    assert_eq!(approval["tool"]["arguments"].to_string(), ARGUMENTS, "as it was written");
    assert_eq!(approval["expires_at"], "2026-11-02T00:00:00Z", "a day by default");

    let wrong = desk.post(&path(question), json!({"answer": {"answer": "z"}})).await;
    assert_eq!(refused(&wrong), (422, "ContractViolation"));
    assert_eq!(wrong.1["details"]["errors"][0]["pointer"], "/answer", "{}", wrong.1);
    let other = desk.post(&path(approval), json!({"answer": {"approve": true}, "digest": "other"})).await;
    assert_eq!(refused(&other), (412, "PreconditionFailed"), "about something else than what was shown");
    assert_eq!(open_inputs(&desk).await.len(), 2, "both are still open");

    let (status, answered) = desk.post(&path(question), json!({"answer": {"answer": "y"}})).await;
    assert_eq!((status, &answered["status"]), (200, &json!("answered")), "{answered}");
    assert_eq!(desk.get(&format!("/runs/{}", held.run_id)).await.1["status"], "input_required");
    let digest = &approval["digest"];
    desk.post(&path(approval), json!({"answer": {"approve": false, "reason": "no"}, "digest": digest})).await;
    let second = desk.post(&path(approval), json!({"answer": {"approve": true}})).await;
    assert_eq!(refused(&second), (409, "InputClosed"), "the first answer counts");
    let (status, repeated) = desk.post(&path(question), json!({"answer": {"answer": "y"}})).await;
    assert_eq!((status, repeated), (200, answered), "its response may have been lost");

    let again = desk.claim(&runner).await;
    assert_eq!((again.run_id.as_str(), &again.run["attempt"]), (held.run_id.as_str(), &json!(2)));
    let steps = again.run["steps"].as_array().unwrap();
    assert_eq!(steps[0]["body"]["call_id"], "a");
    assert_eq!(steps[0]["body"]["answer"], json!({"approve": false, "reason": "no"}));
    assert_eq!(
        (&steps[1]["body"]["call_id"], &steps[1]["body"]["answer"]["answer"]),
        (&json!("b"), &json!("y"))
    );
    let session = again.run["session_id"].as_str().unwrap();
    let (_, events) = desk.get(&format!("/sessions/{session}/events")).await;
    let told = kinds(&events);
    assert_eq!(told.iter().filter(|kind| **kind == "run.input_required").count(), 1);
    assert_eq!(told.iter().filter(|kind| **kind == "input.closed").count(), 2);
}

#[tokio::test]
async fn invalid_requests_for_input_are_rejected() {
    let (desk, _, held) =
        at_work(json!({"name": "asker"}), json!({"agent_name": "asker", "prompt": "p"})).await;
    let report =
        async |inputs: Value| desk.finish(&held, json!({"status": "input_required", "inputs": inputs})).await;
    assert_eq!(refused(&report(json!([])).await), (400, "InvalidRequest"));
    let task = json!([{"call_id": "a", "purpose": "task", "message": "m"}]);
    assert_eq!(refused(&report(task).await), (400, "InvalidRequest"), "runners ask only two things");
    let broken =
        json!([{"call_id": "a", "purpose": "question", "message": "m", "schema": {"type": "integr"}}]);
    assert_eq!(refused(&report(broken).await), (400, "InvalidSchema"));
    assert_eq!(refused(&desk.get("/inputs/inp_absent").await), (404, "InputNotFound"));
    assert_eq!(refused(&desk.post("/inputs/x", json!({"answer": 1})).await), (404, "InputNotFound"));
}

#[tokio::test]
async fn deadlines_deny_or_fail() {
    let request = json!({"agent_name": "asker", "prompt": "p"});
    for (agent, status) in [
        (json!({"name": "asker", "limits": {"input_seconds": 60}}), "pending"),
        (json!({"name": "asker", "limits": {"input_seconds": 60}, "on_input_timeout": "fail"}), "failed"),
    ] {
        let (desk, runner, held) = at_work(agent, request.clone()).await;
        desk.finish(&held, json!({"status": "input_required", "inputs": [approval("a")]})).await;
        let open = open_inputs(&desk).await;
        desk.pass(59);
        desk.reconcile().await;
        assert_eq!(open_inputs(&desk).await.len(), 1);
        desk.pass(2);
        desk.reconcile().await;
        let run = desk.get(&format!("/runs/{}", held.run_id)).await.1;
        assert_eq!(run["status"], status, "{run}");
        assert_eq!(desk.get(&path(&open[0])).await.1["status"], "expired");
        let late = desk.post(&path(&open[0]), json!({"answer": {"approve": true}})).await;
        assert_eq!(refused(&late), (409, "InputClosed"));
        match status {
            "failed" => assert_eq!(run["error"]["type"], "input_timed_out"),
            _ => {
                let again = desk.claim(&runner).await;
                assert!(again.run["steps"][0]["body"].get("answer").is_none(), "nobody answered");
            }
        }
    }
}

#[tokio::test]
async fn a_stopped_run_withdraws_its_requests() {
    let (desk, _, held) = asked(json!([approval("a")])).await;
    let open = open_inputs(&desk).await;
    let (_, stopped) = desk.post(&format!("/runs/{}/stop", held.run_id), json!({})).await;
    assert_eq!(stopped["status"], "stopped");
    assert_eq!(desk.get(&path(&open[0])).await.1["status"], "withdrawn");
    let late = desk.post(&path(&open[0]), json!({"answer": {"approve": true}})).await;
    assert_eq!(refused(&late), (409, "InputClosed"));
}

#[tokio::test]
async fn a_person_corrects_a_nonconforming_answer() {
    let agent = json!({
        "name": "asker", "output_schema": schema(), "output_schema_options": {"on_failure": "ask"},
        "invariants": [{"rule": "output.n < 10", "message": "n is less than 10"}],
    });
    let (desk, _, held) = at_work(agent, json!({"agent_name": "asker", "prompt": "p"})).await;
    let attempt = json!({
        "number": 1, "delivery": 1, "at": "2026-11-01T00:00:00Z", "strategy": "prompt", "model": "small",
        "outcome": "schema_invalid", "usage": {"input_tokens": 10, "output_tokens": 5}, "duration_ms": 1,
        "text": "Here: {\"n\": 0}",
        "errors": [{"path": "$.n", "pointer": "/n", "keyword": "minimum", "message": "expected 1 or more, got 0"}],
    });
    let report = json!({"holding": held.holding, "attempts": [attempt]});
    desk.post(&format!("/runner/runs/{}/attempts", held.run_id), report).await;
    let error = json!({"type": "output_schema_validation_failed", "message": "no"});
    let (_, finished) = desk.finish(&held, json!({"status": "failed", "error": error})).await;
    assert_eq!(finished["status"], "input_required", "{finished}");
    let open = open_inputs(&desk).await;
    let request = &open[0];
    assert_eq!((&request["purpose"], &request["default"]), (&json!("correction"), &json!({"n": 0})));
    assert_eq!(request["errors"][0]["pointer"], "/n");
    assert_eq!(request["schema"], schema());

    let answer = async |n: i64| desk.post(&path(request), json!({"answer": {"n": n}})).await;
    assert_eq!(refused(&answer(0).await), (422, "ContractViolation"), "by the schema");
    let broken = answer(10).await;
    assert_eq!(refused(&broken), (422, "ContractViolation"), "by the invariants");
    assert!(broken.1["message"].as_str().unwrap().contains("n is less than 10"), "{}", broken.1);
    assert_eq!(answer(3).await.0, 200);
    let run = desk.get(&format!("/runs/{}", held.run_id)).await.1;
    assert_eq!(
        (&run["status"], &run["result"]["result_data"]),
        (&json!("completed"), &json!({"n": 3})),
        "{run}"
    );
    assert_eq!(run["result"]["schema_validation"]["source"], "human");
}

#[tokio::test]
async fn an_expired_correction_keeps_the_failure() {
    let agent = json!({
        "name": "asker", "output_schema": schema(), "limits": {"input_seconds": 60},
        "output_schema_options": {"on_failure": "ask"},
    });
    let (desk, _, held) = at_work(agent, json!({"agent_name": "asker", "prompt": "p"})).await;
    let error = json!({"type": "output_schema_validation_failed", "message": "output did not match"});
    desk.finish(&held, json!({"status": "failed", "error": error})).await;
    desk.pass(61);
    desk.reconcile().await;
    let run = desk.get(&format!("/runs/{}", held.run_id)).await.1;
    assert_eq!((&run["status"], &run["error"]), (&json!("failed"), &error), "{run}");
}

#[tokio::test]
async fn a_person_can_be_an_agent() {
    let desk = Desk::with_writer().await;
    let executor = json!({"type": "human"});
    desk.agent(
        json!({"name": "editor", "executor": executor, "output_schema": schema(), "system_prompt": "Count."}),
    )
    .await;
    desk.agent(json!({"name": "teller", "executor": executor})).await;
    let runner = desk.runner().await;
    let (run_id, _) = desk.run(json!({"agent_name": "editor", "prompt": "How many?"})).await;
    let (text_run, _) = desk.run(json!({"agent_name": "teller", "prompt": "And?"})).await;
    let claim = json!({"runner_id": runner, "max": 5, "wait_seconds": 0});
    let (_, claimed) = desk.post("/runner/claims", claim).await;
    assert_eq!(claimed["runs"], json!([]), "no runner is needed");
    let open = open_inputs(&desk).await;
    assert_eq!((&open[1]["purpose"], &open[1]["message"]), (&json!("task"), &json!("Count.\n\nHow many?")));
    assert_eq!(
        refused(&desk.post(&path(&open[1]), json!({"answer": {"n": 0}})).await),
        (422, "ContractViolation")
    );
    assert_eq!(desk.post(&path(&open[1]), json!({"answer": {"n": 2}})).await.0, 200);
    let run = desk.get(&format!("/runs/{run_id}")).await.1;
    assert_eq!(
        (&run["status"], &run["result"]["result_data"]),
        (&json!("completed"), &json!({"n": 2})),
        "{run}"
    );
    assert_eq!(
        refused(&desk.post(&path(&open[0]), json!({"answer": " "})).await),
        (422, "ContractViolation")
    );
    assert_eq!(desk.post(&path(&open[0]), json!({"answer": "Two."})).await.0, 200);
    let run = desk.get(&format!("/runs/{text_run}")).await.1;
    assert_eq!(run["result"]["result_text"], "Two.", "{run}");
    let (status, retried) = desk.post(&format!("/runs/{run_id}/retry"), json!({})).await;
    assert_eq!((status, &retried["status"]), (201, &json!("input_required")), "{retried}");
    assert_eq!(open_inputs(&desk).await.len(), 1, "the person is asked again");
}

#[tokio::test]
async fn a_link_answers_once_without_a_key() {
    let (desk, _, _) = asked(json!([approval("a")])).await;
    let open = open_inputs(&desk).await;
    let (status, new) = desk.post(&format!("{}/link", path(&open[0])), json!({})).await;
    assert_eq!(status, 201, "{new}");
    let token = new["token"].as_str().unwrap().to_owned();
    assert_eq!(new["path"], format!("/ui/answer#{token}"));
    let altered = format!("{}0", &token[..token.len() - 1]);
    let altered = if altered == token { format!("{}1", &token[..token.len() - 1]) } else { altered };
    for wrong in [altered.as_str(), "x", "inp_1.2"] {
        assert_eq!(refused(&by_link(&desk, wrong, None).await.1), (403, "Forbidden"), "{wrong}");
        let answer = by_link(&desk, wrong, Some(json!({"answer": {"approve": true}}))).await.1;
        assert_eq!(refused(&answer), (403, "Forbidden"), "{wrong}");
    }
    let (headers, (_, shown)) = by_link(&desk, &token, None).await;
    assert_eq!(shown["id"], open[0]["id"]);
    assert_eq!(
        (&headers["cache-control"], &headers["referrer-policy"]),
        (&"no-store".parse().unwrap(), &"no-referrer".parse().unwrap())
    );
    let wrong = by_link(&desk, &token, Some(json!({"answer": {"approve": "yes"}}))).await.1;
    assert_eq!(refused(&wrong), (422, "ContractViolation"));
    let (headers, (status, answered)) =
        by_link(&desk, &token, Some(json!({"answer": {"approve": true}}))).await;
    assert_eq!((status, &answered["answered_by"]), (200, &json!({"kind": "link"})), "{answered}");
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(refused(&by_link(&desk, &token, None).await.1), (403, "Forbidden"), "it was used");
    let again = by_link(&desk, &token, Some(json!({"answer": {"approve": true}}))).await.1;
    assert_eq!(refused(&again), (403, "Forbidden"));
    let audit = desk.get("/audit").await.1;
    let entry = &audit["items"][0];
    assert_eq!((&entry["action"], &entry["object"]), (&json!("input.answered"), &open[0]["id"]), "{audit}");
    assert_eq!(entry["actor"], json!({"kind": "link"}), "{audit}");
    let secret = token.rsplit('.').next().unwrap();
    assert!(!audit.to_string().contains(secret), "{audit}");
}

/// Uses a link, and gives the headers of the answer too.
async fn by_link(desk: &Desk, token: &str, answer: Option<Value>) -> (HeaderMap, Answer) {
    let method = if answer.is_some() { "POST" } else { "GET" };
    let request = Request::builder().method(method).uri("/input-links").header("accord-input-link", token);
    let request = request.header("content-type", "application/json").header("host", "localhost");
    let body = answer.map(|answer| answer.to_string()).unwrap_or_default();
    let response = desk.open(request.body(Body::from(body)).unwrap()).await;
    let (status, headers) = (response.status(), response.headers().clone());
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (headers, (status.as_u16(), serde_json::from_slice(&bytes).unwrap()))
}
