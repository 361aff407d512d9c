//! Attacks by a model that has only the token of its run.

use accord_test_support::hostile::{schemas, values};
use serde_json::json;

use super::shares;
use super::victim::{AGENT, By, Victim};
use super::wire::Request;

/// A run that this test has claimed as a runner, so that its token is known.
struct Held {
    token: String,
    heartbeat: Request,
}

async fn held(victim: &Victim) -> Held {
    let tag = "hostile";
    let profile = json!({
        "hostname": "here", "executor_types": ["llm"], "tags": [tag], "concurrency": 1, "version": "1",
    });
    let runner =
        victim.json(Request::post("/runner/register", json!({"profile": profile}).to_string())).await;
    let runner = runner["runner_id"].clone();
    let demands = json!({"tags": [tag]});
    let run = json!({"agent_name": AGENT, "prompt": "a", "additional_demands": demands});
    victim.json(Request::post("/runs", run.to_string())).await;
    let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 60});
    let claimed = victim.json(Request::post("/runner/claims", claim.to_string())).await;
    let run = claimed["runs"][0].clone();
    let (run_id, lease_id) = (run["run_id"].as_str().unwrap(), run["lease_id"].as_str().unwrap());
    let holds = json!({"run_id": run_id, "lease_id": lease_id, "attempt": run["attempt"]});
    let heartbeat = json!({"runner_id": runner, "runs": [holds]});
    let heartbeat = Request::post("/runner/heartbeat", heartbeat.to_string());
    Held { token: format!("run.{run_id}.{lease_id}"), heartbeat }
}

fn call(arguments: &str) -> Request {
    let body = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {{"name": "start_agent_session", "arguments": {arguments}}}}}"#
    );
    Request::post("/mcp", body)
}

#[tokio::test]
async fn a_run_token_cannot_stop_the_coordinator() {
    let mut victim = Victim::start().await;
    let mut run = held(&victim).await;
    let starts = |rest: &str| format!(r#"{{"agent_name": "{AGENT}", "mode": "sync", {rest}}}"#);
    let harmless = call(&starts(r#""prompt": "a", "output_schema": {"type": "object"}"#));
    let harmless = victim.attack("harmless", By::Run(&run.token), harmless).await.unwrap();
    assert!(harmless.text.contains("ses_"), "{harmless:?}");
    let schemas = schemas().into_iter();
    let schemas = schemas
        .map(|shape| (shape.name, starts(&format!(r#""prompt": "a", "output_schema": {}"#, shape.schema))));
    let values = values().into_iter();
    let values = values.map(|shape| (shape.name, starts(&format!(r#""parameters": {}"#, shape.text))));
    let attacks: Vec<(String, String)> = schemas.chain(values).collect();
    for (name, arguments) in shares(&attacks) {
        let renewed = victim.json(run.heartbeat.clone()).await;
        if renewed["runs"][0]["status"] == "lost" || renewed.get("error").is_some() {
            run = held(&victim).await;
        }
        if victim.attack(name, By::Run(&run.token), call(arguments)).await.is_none() {
            run = held(&victim).await;
        }
    }
    victim.conclude().await;
}
