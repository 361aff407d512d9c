//! Answers of models, validated by the runner and again by the coordinator.

use accord_test_support::hostile::json_texts;

use super::shares;
use super::victim::{AGENT, By, Victim};
use super::wire::Request;

/// A recursive contract, so that deep values are validated at every level.
const SCHEMA: &str = r##"{"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [
    {"type": ["null", "boolean", "number", "string"]}, {"type": "array", "items": {"$ref": "#/$defs/node"}},
    {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/node"}}}]}}}"##;

#[tokio::test]
async fn an_answer_of_a_model_cannot_stop_the_runner() {
    let mut victim = Victim::start().await;
    for shape in shares(&json_texts()) {
        for mode in ["strict", "lenient"] {
            victim.model_says(&shape.text);
            let body = format!(
                r#"{{"agent_name": "{AGENT}", "prompt": "a", "output_schema": {SCHEMA}, "output_schema_options":
                    {{"strategy": "prompt", "max_retries": 0, "validation_mode": "{mode}"}}}}"#
            );
            victim.attack(&shape.name, By::Caller, Request::post("/runs?wait=120", body)).await;
        }
    }
    victim.conclude().await;
}
