//! What happened at last, reported together with the end of a run.

use serde_json::{Value, json};

use crate::support::{Desk, Held, kinds, refused};

async fn counter(desk: &Desk) {
    let number = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let executor = json!({"type": "llm", "provider": "anthropic", "model": "m"});
    desk.agent(json!({"name": "counter", "executor": executor, "output_schema": number})).await;
}

/// The run, its session, and the hold on it: the work begins with the claim.
async fn begun(desk: &Desk) -> (String, String, Held) {
    let runner = desk.runner().await;
    let (run, session) = desk.run(json!({"agent_name": "counter", "prompt": "a"})).await;
    let claim = json!({"runner_id": runner, "max": 1, "start": true});
    let (status, claimed) = desk.post("/runner/claims", claim).await;
    assert_eq!(status, 200, "{claimed}");
    let claimed = claimed["runs"][0].clone();
    let holding =
        json!({"runner_id": runner, "lease_id": claimed["lease_id"], "attempt": claimed["attempt"]});
    (run.clone(), session, Held { run_id: run, holding, run: claimed })
}

fn report(outcome: &str) -> Value {
    let attempt = json!({
        "number": 1, "delivery": 1, "at": "2026-11-15T09:00:00Z", "strategy": "prompt", "model": "m",
        "outcome": outcome, "usage": {"input_tokens": 3, "output_tokens": 2}, "duration_ms": 1,
        "text": "{\"n\": 1}",
    });
    let answer = json!({
        "type": "model_answer", "text": "{\"n\": 1}", "ending": "finished", "model": "m",
        "usage": {"input_tokens": 3, "output_tokens": 2},
    });
    json!({
        "events": [{"type": "message", "role": "assistant", "text": "{\"n\": 1}"}],
        "steps": [{"number": 1, "body": answer}],
        "attempts": [attempt],
        "step": 2,
    })
}

async fn events(desk: &Desk, session: &str) -> Value {
    desk.get(&format!("/sessions/{session}/events")).await.1
}

#[tokio::test]
async fn a_run_begins_with_its_claim_and_ends_with_its_last_report() {
    let desk = Desk::new();
    counter(&desk).await;
    let (run, session, held) = begun(&desk).await;
    assert_eq!(desk.get(&format!("/runs/{run}")).await.1["status"], "running");
    let again = desk.post(&format!("/runner/runs/{run}/started"), held.holding.clone()).await;
    assert_eq!(again, (200, json!({"run_id": run, "status": "running"})), "it changes nothing");
    let end = json!({"status": "completed", "result_data": {"n": 1}, "report": report("accepted")});
    let answer = desk.finish(&held, end.clone()).await;
    assert_eq!(answer, (200, json!({"run_id": run, "status": "completed"})));
    let told = events(&desk, &session).await;
    let expected = [
        "session.created",
        "run.queued",
        "run.claimed",
        "run.started",
        "message",
        "attempt.judged",
        "result",
        "run.completed",
    ];
    assert_eq!(kinds(&told), expected);
    let (_, attempts) = desk.get(&format!("/runs/{run}/attempts")).await;
    assert_eq!(attempts["items"][0]["outcome"], "accepted", "{attempts}");
    assert_eq!(refused(&desk.finish(&held, end).await), (409, "LeaseLost"), "an end is final");
    assert_eq!(events(&desk, &session).await, told);
}

/// Nothing of a report is written if the end is refused.
#[tokio::test]
async fn a_report_with_a_refused_end_is_not_written() {
    let desk = Desk::new();
    counter(&desk).await;
    let (run, session, held) = begun(&desk).await;
    let before = events(&desk, &session).await;
    let with = |change: fn(&mut Value)| {
        let mut report = report("accepted");
        change(&mut report);
        json!({"status": "completed", "result_data": {"n": 1}, "report": report})
    };
    let waiting = json!({"status": "waiting", "report": report("accepted")});
    let released = json!({"status": "released", "report": report("accepted")});
    let unmet = json!({"type": "executor_failed", "message": "no"});
    let cases = [
        (
            json!({"status": "completed", "result_data": {"n": "x"}, "report": report("accepted")}),
            422,
            "ContractViolation",
        ),
        (
            json!({"status": "failed", "error": unmet, "report": report("schema_invalid")}),
            400,
            "InvalidRequest",
        ),
        (waiting, 400, "InvalidRequest"),
        (released, 400, "InvalidRequest"),
        (with(|report| report["events"][0] = json!({"type": "run.completed"})), 400, "InvalidRequest"),
        (with(|report| report["attempts"][0]["delivery"] = json!(2)), 400, "InvalidRequest"),
        (with(|report| report["attempts"][0]["number"] = json!(0)), 400, "InvalidRequest"),
        (with(|report| report["steps"][0]["number"] = json!(0)), 400, "InvalidRequest"),
        (with(|report| report["more"] = json!(1)), 400, "InvalidRequest"),
    ];
    for (end, status, error) in cases {
        assert_eq!(refused(&desk.finish(&held, end.clone()).await), (status, error), "{end}");
        assert_eq!(events(&desk, &session).await, before, "{end}");
    }
    assert_eq!(desk.get(&format!("/runs/{run}/attempts")).await.1["items"], json!([]));
    assert_eq!(desk.finish(&held, with(|_| {})).await.0, 200);
}

/// An answer that does not conform is reported with what happened before it.
#[tokio::test]
async fn attempts_come_with_what_happened_before_them() {
    let desk = Desk::new();
    counter(&desk).await;
    let (run, session, held) = begun(&desk).await;
    let mut told = report("schema_invalid");
    told["holding"] = held.holding.clone();
    let answer = desk.post(&format!("/runner/runs/{run}/attempts"), told).await;
    assert_eq!(answer, (200, json!({"waiting": false})));
    let told = kinds(&events(&desk, &session).await).join(" ");
    assert!(told.ends_with("run.started message attempt.judged"), "{told}");
    // The next delivery continues after the steps.
    desk.pass(31);
    desk.reconcile().await;
    let runner = desk.runner().await;
    let next = desk.claim(&runner).await;
    let kinds: Vec<&str> = next.run["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["body"]["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["model_answer", "verdict"]);
}
