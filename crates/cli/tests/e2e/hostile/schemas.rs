//! JSON Schemas and values: checked, registered, inferred from examples, and as contracts of agents
//! and callers.

use accord_test_support::hostile::{SchemaShape, schemas};

use super::victim::{AGENT, By, Victim};
use super::wire::Request;
use super::{quoted, shares};

#[tokio::test]
async fn a_schema_cannot_stop_the_coordinator_when_it_is_checked() {
    let mut victim = Victim::start().await;
    for SchemaShape { name, schema, value } in shares(&schemas()) {
        for mode in ["strict", "lenient"] {
            let body = format!(r#"{{"schema": {schema}, "value": {value}, "mode": "{mode}"}}"#);
            victim.attack(name, By::Viewer, Request::post("/schemas/validate", body)).await;
        }
        let body = format!(r#"{{"schema": {schema}, "text": {}, "mode": "lenient"}}"#, quoted(value));
        victim.attack(name, By::Viewer, Request::post("/schemas/validate", body)).await;
    }
    victim.conclude().await;
}

#[tokio::test]
async fn a_schema_cannot_stop_the_coordinator_when_it_is_stored() {
    let mut victim = Victim::start().await;
    for (number, SchemaShape { name, schema, value }) in shares(&schemas()).enumerate() {
        let body = format!(r#"{{"examples": [{value}, {schema}]}}"#);
        victim.attack(name, By::Viewer, Request::post("/schemas/infer", body)).await;
        let body = format!(
            r#"{{"name": "shaped", "type": "procedural", "executor": {{"type": "process", "command": "true"}},
                "output_schema": {schema}}}"#
        );
        victim.attack(name, By::Viewer, Request::post("/agents/validate", body)).await;
        let body = format!(r#"{{"name": "kept-{number}", "schema": {schema}}}"#);
        victim.attack(name, By::Admin, Request::post("/schemas", body)).await;
    }
    victim.conclude().await;
}

#[tokio::test]
async fn a_callers_schema_cannot_stop_the_runner() {
    let mut victim = Victim::start().await;
    for SchemaShape { name, schema, value } in shares(&schemas()) {
        victim.model_says(value);
        let body = format!(
            r#"{{"agent_name": "{AGENT}", "prompt": "a", "output_schema": {schema},
                "output_schema_options": {{"strategy": "prompt", "max_retries": 0}}}}"#
        );
        victim.attack(name, By::Caller, Request::post("/runs?wait=120", body)).await;
    }
    victim.conclude().await;
}
