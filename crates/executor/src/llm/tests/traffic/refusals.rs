//! Rejections of providers, received by a session.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::script::{Canned, Script, native, open, settings, start, tool, turn};
use super::{Recorded, collections};
use crate::{Answer, Delivery, TurnError};

/// The delivery that is closest to the recorded request.
fn delivery(request: &Value) -> Delivery {
    let has = |pointers: &[&str]| {
        pointers.iter().any(|pointer| request.pointer(pointer).is_some_and(|value| !value.is_null()))
    };
    let schema = [
        "/response_format/json_schema",
        "/output_config/format",
        "/text/format",
        "/format",
        "/json_schema",
        "/generationConfig/responseJsonSchema",
    ];
    match has(&schema) {
        true => native(),
        false if has(&["/tools/0", "/toolConfig/tools/0"]) => tool(true, true),
        false => Delivery::Text,
    }
}

/// How the executor reacts to a rejection.
async fn answered(exchange: &Recorded) -> Result<Answer, TurnError> {
    let script = Script::new(vec![Canned::error(exchange.status, &exchange.response); 6]);
    let start = start(settings(exchange.kind().name(), json!({})), &[], None);
    let mut opened = open(&script, start).await.unwrap();
    opened.ask(turn("Judge", delivery(&exchange.request))).await.map_err(|failure| failure.error)
}

/// Whether a rejection is about the schema, judging by the provider's message.
fn is_about_schema(exchange: &Recorded) -> bool {
    let words = exchange.response.to_string().to_lowercase();
    let about =
        ["schema", "grammar", "circular reference", "'properties'", "strict tools", "parameter: 'text'"];
    about.iter().any(|word| words.contains(word)) && !words.contains("json_validate_failed")
}

#[tokio::test]
async fn every_recorded_rejection_is_classified() {
    for (source, exchanges) in collections() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for exchange in exchanges.iter().filter(|one| one.status >= 400 && one.method == "POST") {
            let result = answered(exchange).await;
            let context = format!("{} {}: {result:?}", exchange.provider, exchange.name);
            let has_delivery = delivery(&exchange.request) != Delivery::Text;
            let kind = match &result {
                Ok(answer) => {
                    // It is the model's answer, which the judge rejects.
                    assert!(exchange.response.to_string().contains("json_validate_failed"), "{context}");
                    assert_eq!(answer.submissions, [""; 0], "{context}");
                    "an answer"
                }
                Err(TurnError::SchemaRejected(_)) => "schema rejected",
                Err(TurnError::FormatRejected(_)) => "format rejected",
                Err(TurnError::ToolRejected(_)) => "tool rejected",
                Err(TurnError::Transport(_)) => "transient",
                Err(TurnError::Failed(_)) => "failed",
                Err(_) => panic!("{context}"),
            };
            let steps_down = kind.ends_with("rejected");
            assert!(!steps_down || has_delivery, "{context}");
            if is_about_schema(exchange) && has_delivery {
                assert!(steps_down, "{context}");
            }
            // A wrong key or model is permanent, and another strategy does not help.
            if matches!(exchange.status, 401 | 403 | 404) {
                assert_eq!(kind, "failed", "{context}");
            }
            if exchange.status == 400 {
                assert_ne!(kind, "transient", "{context}");
            }
            *counts.entry(kind).or_default() += 1;
        }
        println!("{source}: {} refusals understood: {counts:?}", counts.values().sum::<usize>());
        assert!(counts.contains_key("schema rejected") && counts.contains_key("tool rejected"), "{counts:?}");
    }
}
