//! A run token, on every route with an id that it may use at all.

use axum::http::Method;
use serde_json::{Value, json};

use crate::app::agents::fixture::{Fixture, reviewer};
use crate::http::route::Scope;
use crate::http::routes::ROUTES;

async fn made(fixture: &Fixture, path: &str, body: &Value) -> Value {
    let reply = fixture.post(path, body).await;
    assert!(reply.status.is_success(), "{path}: {}", reply.text);
    reply.json()
}

/// The token of a running run.
async fn token(fixture: &Fixture) -> String {
    made(fixture, "/agents", &reviewer("reviewer")).await;
    made(fixture, "/runs", &json!({"agent_name": "reviewer", "prompt": "own"})).await;
    let profile = json!({"profile": {"executor_types": ["llm"]}});
    let runner = made(fixture, "/runner/register", &profile).await;
    let claim = json!({"runner_id": runner["runner_id"], "max": 1});
    let claimed = made(fixture, "/runner/claims", &claim).await;
    let text = |name: &str| claimed["runs"][0][name].as_str().unwrap().to_owned();
    format!("run.{}.{}", text("run_id"), text("lease_id"))
}

/// The spellings of an id that reach the same handler.
fn spellings(id: &str) -> [String; 3] {
    let encoded = |count: usize| {
        let (first, rest) = id.split_at(count);
        first.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>() + rest
    };
    [id.to_owned(), encoded(1), encoded(id.len())]
}

#[tokio::test]
async fn respelled_ids_give_no_access() {
    let fixture = Fixture::new(&[]);
    let token = token(&fixture).await;
    let run = made(&fixture, "/runs", &json!({"agent_name": "reviewer", "prompt": "another's"})).await;
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let edges = json!([{"from": "input", "to": "output"}]);
    made(&fixture, "/workflows", &json!({"name": "flow", "nodes": nodes, "edges": edges})).await;
    let workflow_run = made(&fixture, "/workflows/flow/runs", &json!({})).await;
    fixture.with_key(Some(&token));
    let mut seen = 0;
    for (method, path, scope) in for_runs().filter(|(_, path, _)| path.contains("{id}")) {
        let id = match scope {
            Scope::Free => panic!("{method} {path} shows what everybody has"),
            Scope::Session => &run["session_id"],
            Scope::Run => &run["run_id"],
            Scope::WorkflowRun => &workflow_run["workflow_run_id"],
        };
        for id in spellings(id.as_str().unwrap()) {
            let path = path.replace("{id}", &id);
            let reply = fixture.send(method.parse::<Method>().unwrap(), &path, &[], String::new()).await;
            assert_eq!(reply.error(), (403, "Forbidden".into()), "{method} {path}");
        }
        for id in ["none", "%ff", "ses_%2e", "run_a%2fb", "wfr_%00", "%25%37%33es_0"] {
            let path = path.replace("{id}", id);
            let reply = fixture.send(method.parse::<Method>().unwrap(), &path, &[], String::new()).await;
            assert_eq!(reply.status, 404, "{method} {path}: {}", reply.text);
        }
        seen += 1;
    }
    assert_eq!(seen, 7, "every route with an id");
}

fn for_runs() -> impl Iterator<Item = (&'static str, &'static str, Scope)> {
    ROUTES.iter().filter_map(|route| Some((route.method, route.path, route.scope?)))
}

/// Names are public, so no spelling of them gives more access; a route with another kind of
/// parameter needs a review.
#[test]
fn paths_of_run_tokens_have_only_ids_and_names() {
    for (method, path, scope) in for_runs() {
        let parameters: Vec<&str> = path.split('/').filter(|part| part.starts_with('{')).collect();
        let expected: &[&str] = match (scope, path.contains("{name}")) {
            (Scope::Free, true) => &["{name}"],
            (Scope::Free, false) => &[],
            (Scope::Session | Scope::Run | Scope::WorkflowRun, _) => &["{id}"],
        };
        assert_eq!(parameters, expected, "{method} {path}");
    }
}
