//! The chaos model over HTTP.

use std::collections::BTreeSet;

use accord_test_support::{ChaosModel, Misbehaviour, ModelServer, RecordedRequest, SUBMIT_TOOL, Wire};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::http::{exchange, prompt, send};

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["summary", "severity", "findings"],
        "additionalProperties": false,
        "properties": {
            "summary": {"type": "string"},
            "severity": {"enum": ["low", "high"]},
            "findings": {"type": "array", "items": {"type": "string"}},
        },
    })
}

fn good() -> Value {
    json!({"summary": "fine", "severity": "low", "findings": ["a", "b"]})
}

/// A request with everything that a misbehaviour may need.
fn request(wire: Wire, text: &str, streams: bool) -> Value {
    let mut body = prompt(wire, text, streams);
    let parameters = schema();
    body["tools"] = match wire {
        Wire::Anthropic => json!([{"name": SUBMIT_TOOL, "input_schema": parameters}]),
        Wire::Responses => json!([{"type": "function", "name": SUBMIT_TOOL, "parameters": parameters}]),
        Wire::Chat | Wire::Ollama => {
            json!([{"type": "function", "function": {"name": SUBMIT_TOOL, "parameters": parameters}}])
        }
        Wire::Gemini => json!([{"functionDeclarations": [{"name": SUBMIT_TOOL, "parameters": parameters}]}]),
    };
    body
}

#[tokio::test]
async fn every_misbehaviour_works_in_every_protocol() {
    for misbehaviour in Misbehaviour::ALL {
        let chaos = ChaosModel::new(1, schema(), good()).good_percent(0).only(&[*misbehaviour]);
        let server = ModelServer::start(chaos.clone()).await.unwrap();
        for wire in Wire::ALL {
            for streams in [false, true] {
                let body = request(wire, "seed-7", streams).to_string();
                if *misbehaviour == Misbehaviour::EndlessStream {
                    let mut client = send(&server.url(), wire.path(), &body).await.unwrap();
                    client.read_exact(&mut vec![0; 100_000]).await.unwrap();
                    continue;
                }
                let response = exchange(&server.url(), wire.path(), &body).await;
                let dropped = *misbehaviour == Misbehaviour::DroppedBeforeHeaders;
                assert_eq!(response.is_none(), dropped, "{misbehaviour} {wire:?}");
            }
        }
        server.wait_until_idle().await;
        let deeds = chaos.deeds("seed-7");
        assert_eq!(deeds.len(), 2 * Wire::ALL.len());
        assert!(deeds.iter().all(|deed| deed.misbehaviour == Some(*misbehaviour)), "{misbehaviour}");
    }
}

/// The model's output in the Chat protocol: its text, or the arguments of its call.
async fn outputs(misbehaviour: Misbehaviour, tool: bool) -> BTreeSet<String> {
    let chaos = ChaosModel::new(5, schema(), good()).good_percent(0).only(&[misbehaviour]);
    let server = ModelServer::start(chaos).await.unwrap();
    let mut all = BTreeSet::new();
    for _ in 0..8 {
        let make = if tool { request } else { prompt };
        let body = make(Wire::Chat, "seed-1", false).to_string();
        let body = exchange(&server.url(), Wire::Chat.path(), &body).await.unwrap().json();
        let message = &body["choices"][0]["message"];
        let arguments = &message["tool_calls"][0]["function"]["arguments"];
        let output = if arguments.is_null() { &message["content"] } else { arguments };
        all.insert(output.as_str().unwrap().to_owned());
    }
    all
}

#[tokio::test]
async fn each_misbehaviour_matches_its_name() {
    let value = |text: &str| serde_json::from_str::<Value>(text);
    for spoilt in [
        Misbehaviour::WrongEnum,
        Misbehaviour::MissingField,
        Misbehaviour::WrongType,
        Misbehaviour::ExtraField,
        Misbehaviour::StringifiedList,
        Misbehaviour::SchemaEcho,
        Misbehaviour::SubmitInvalid,
    ] {
        let texts = outputs(spoilt, spoilt == Misbehaviour::SubmitInvalid).await;
        assert!(texts.iter().all(|text| value(text).unwrap() != good()), "{spoilt}: {texts:?}");
    }
    for unreadable in [
        Misbehaviour::Truncated,
        Misbehaviour::SilentlyTruncated,
        Misbehaviour::Prose,
        Misbehaviour::Fenced,
        Misbehaviour::FenceInString,
        Misbehaviour::TwoAnswers,
        Misbehaviour::SurroundingText,
        Misbehaviour::ThinkOnly,
        Misbehaviour::Emoji,
        Misbehaviour::LoneSurrogate,
        Misbehaviour::ManyBraces,
        Misbehaviour::ArgumentsNotJson,
    ] {
        let texts = outputs(unreadable, unreadable == Misbehaviour::ArgumentsNotJson).await;
        assert!(texts.iter().all(|text| value(text).is_err()), "{unreadable}");
    }
    assert_eq!(outputs(Misbehaviour::SameWrongAnswer, false).await.len(), 1);
    assert!(
        outputs(Misbehaviour::NulBytes, false)
            .await
            .iter()
            .all(|text| text.contains('\0') || text.contains("\\u0000"))
    );
    assert!(
        outputs(Misbehaviour::DuplicateKeys, false)
            .await
            .iter()
            .all(|text| text.matches("\"summary\"").count() == 2)
    );
    assert!(outputs(Misbehaviour::LoneSurrogate, true).await.iter().all(|text| text.contains("\\ud83d and")));
}

#[tokio::test]
async fn seeded_runs_share_a_server_and_repeat() {
    let run = async || {
        let chaos = ChaosModel::generating(9, schema(), |_: &RecordedRequest, random| {
            json!({"summary": format!("number {}", random.below(10)), "severity": "low", "findings": []})
        })
        .weight(Misbehaviour::EndlessStream, 0);
        let server = ModelServer::start(chaos.clone()).await.unwrap();
        let url = server.url();
        let mut tasks = tokio::task::JoinSet::new();
        for seed in 0..100 {
            let url = url.clone();
            tasks.spawn(async move {
                let body = request(Wire::Anthropic, &format!("Please. seed-{seed}"), true).to_string();
                let mut texts = Vec::new();
                for _ in 0..3 {
                    let response = exchange(&url, Wire::Anthropic.path(), &body).await;
                    texts.push(response.map(|response| (response.status, response.complete)));
                }
                (seed, texts)
            });
        }
        let mut results = tasks.join_all().await;
        results.sort();
        (results, chaos.all_deeds())
    };
    let (first, second) = (run().await, run().await);
    assert_eq!(first, second);
    let kinds: BTreeSet<String> = first.1.values().flatten().map(ToString::to_string).collect();
    assert!(kinds.contains("Good") && kinds.len() > 30, "{kinds:?}");
}
