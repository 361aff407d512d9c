//! Embedding vectors, in the format of Ollama and OpenAI. These requests are neither scripted nor
//! recorded.
//!
//! A vector counts the words of a text by a hash of a few bits: texts that share words are close to
//! each other, and the same text always has the same vector. Tests of the protocol need nothing
//! more.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

const DIMENSIONS: usize = 32;

/// The kind of embedding request that a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Ollama,
    OpenAi,
}

impl Wanted {
    pub(super) fn of_path(path: &str) -> Option<Self> {
        match path {
            "/api/embed" => Some(Self::Ollama),
            "/v1/embeddings" | "/embeddings" => Some(Self::OpenAi),
            _ => None,
        }
    }

    pub(super) fn answer(self, body: &Value) -> Response {
        let texts: Option<Vec<&str>> = match body.get("input") {
            Some(Value::String(text)) => Some(vec![text]),
            Some(Value::Array(texts)) => texts.iter().map(Value::as_str).collect(),
            _ => None,
        };
        let (Some(texts), Some(model)) = (texts, body.get("model").and_then(Value::as_str)) else {
            let message = "The request names no model or no input";
            return (StatusCode::BAD_REQUEST, axum::Json(json!({"error": {"message": message}})))
                .into_response();
        };
        let vectors: Vec<Vec<u32>> = texts.iter().map(|text| vector(text)).collect();
        let answer = match self {
            Self::Ollama => json!({"model": model, "embeddings": vectors}),
            Self::OpenAi => {
                let item = |(index, vector): (usize, Vec<u32>)| json!({"object": "embedding", "index": index, "embedding": vector});
                let data: Vec<Value> = vectors.into_iter().enumerate().map(item).collect();
                json!({"object": "list", "model": model, "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})
            }
        };
        axum::Json(answer).into_response()
    }
}

fn vector(text: &str) -> Vec<u32> {
    let mut counts = vec![0; DIMENSIONS];
    for word in text.split(|each: char| !each.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash = word
            .to_lowercase()
            .bytes()
            .fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        if let Some(count) = counts.get_mut(hash % DIMENSIONS) {
            *count += 1;
        }
    }
    counts
}
