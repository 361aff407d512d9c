//! Recorded exchanges with providers: every answer is read without loss, every rejection is
//! classified.
//!
//! `excerpt.jsonl` is always read. A larger collection of real exchanges in the same format is read
//! if it exists: by default next to the repository, at `../shared/samples/provider-traffic.jsonl`.

mod refusals;
mod said;

use std::collections::BTreeMap;
use std::path::PathBuf;

use accord_domain::provider::ProviderKind;
use serde::Deserialize;
use serde_json::Value;

use said::{Said, said};

use crate::llm::intake::Intake;
use crate::llm::wire::{Reply, ReplyEnd, wire};

const EXCERPT: &str = include_str!("excerpt.jsonl");

/// Overrides the path of the collection.
const VARIABLE: &str = "ACCORD_PROVIDER_TRAFFIC";

#[derive(Deserialize)]
struct Recorded {
    provider: String,
    name: String,
    method: String,
    path: String,
    request: Value,
    status: u16,
    response: Value,
}

impl Recorded {
    /// The built-in provider that reads it. Services with account login are read like the service
    /// they are based on.
    fn kind(&self) -> ProviderKind {
        let by_path = match self.path.ends_with("/responses") {
            true => ProviderKind::OpenAi,
            false => ProviderKind::OpenAiChat,
        };
        match self.provider.as_str() {
            "openai" | "chatgpt" | "copilot" => by_path,
            "llamacpp" => ProviderKind::LlamaCpp,
            "mistralrs" => ProviderKind::MistralRs,
            name => ProviderKind::named(name).unwrap_or_else(|| panic!("unknown provider {name}")),
        }
    }

    /// The content type and the bytes of the body.
    fn body(&self) -> (&'static str, Vec<u8>) {
        match &self.response {
            Value::String(text) if self.provider == "bedrock" => {
                ("application/vnd.amazon.eventstream", from_base64(text))
            }
            Value::String(text) => ("text/event-stream", text.clone().into_bytes()),
            whole => ("application/json", whole.to_string().into_bytes()),
        }
    }

    fn read(&self) -> Reply {
        let (content_type, bytes) = self.body();
        let mut intake = Intake::new(wire(self.kind().row().dialect), content_type);
        for piece in bytes.chunks(13) {
            match intake.take(piece) {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) => panic!("{} {}: {error:?}", self.provider, self.name),
            }
        }
        intake.finish().unwrap_or_else(|error| panic!("{} {}: {error:?}", self.provider, self.name))
    }
}

/// The exchanges of each collection, one per line, with the collection's name.
fn collections() -> Vec<(&'static str, Vec<Recorded>)> {
    let parse = |text: &str| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut all = vec![("the excerpt", parse(EXCERPT))];
    let beside =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/samples/provider-traffic.jsonl"));
    let path = std::env::var_os(VARIABLE).map_or(beside, PathBuf::from);
    match std::fs::read_to_string(&path) {
        Ok(text) => all.push(("the recorded exchanges", parse(&text))),
        Err(_) => println!("ABSENT: no recorded exchanges beside the repository; only the excerpt is tested"),
    }
    all
}

#[test]
fn every_recorded_answer_is_read_without_loss() {
    for (source, exchanges) in collections() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for exchange in exchanges.iter().filter(|exchange| exchange.status == 200) {
            let reply = exchange.read();
            let context = format!("{} {}", exchange.provider, exchange.name);
            let Said { text, calls, refusal } = said(exchange);
            let read: String = reply.on_the_way.iter().chain([&reply.text]).map(String::as_str).collect();
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&read), bare(&text), "{context}");
            let arguments = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
            let read: Vec<(String, Value)> =
                reply.calls.iter().map(|call| (call.name.clone(), arguments(&call.arguments))).collect();
            assert_eq!(read, calls, "{context}");
            let refused = match &reply.end {
                ReplyEnd::Refused(words) => Some(words.clone()),
                _ => None,
            };
            assert_eq!(refused, refusal, "{context}");
            assert!(reply.usage.input_tokens > 0 && reply.usage.output_tokens > 0, "{context}: {reply:?}");
            *counts.entry(&exchange.provider).or_default() += 1;
        }
        println!("{source}: {} answers read: {counts:?}", counts.values().sum::<usize>());
        assert!(counts.len() > 8, "{counts:?}");
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| LETTERS.iter().position(|letter| *letter == byte));
    let bits: Vec<u8> =
        digits.flat_map(|digit| (0..6).rev().map(move |bit| ((digit >> bit) & 1) as u8)).collect();
    bits.chunks_exact(8).map(|bits| bits.iter().fold(0, |byte, bit| (byte << 1) | bit)).collect()
}
