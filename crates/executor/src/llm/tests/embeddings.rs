//! Embeddings, batches and errors, from a script.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::script::{Canned, KEY, Script, Step};
use crate::llm::embeddings::{
    EMBEDDING_BATCH, EmbeddingError, EmbeddingSettings, Embeddings, MAX_EMBEDDED_TEXTS,
};
use crate::llm::{Provider, ProviderKind, Providers, Secret};
use crate::{OpenError, TransportError};

fn providers() -> Providers {
    let with = |kind| Provider {
        base_url: Some("http://models.example/v1".into()),
        api_key: Some(Secret::new(KEY)),
        ..Provider::new(kind)
    };
    Providers::default()
        .with(
            "ollama",
            Provider { base_url: Some("http://models.example".into()), ..with(ProviderKind::Ollama) },
        )
        .with("lab", with(ProviderKind::OpenAiCompatible))
        .with("anthropic", with(ProviderKind::Anthropic))
}

fn embeddings(provider: &str, script: &Arc<Script>) -> Embeddings {
    let settings = EmbeddingSettings { provider: provider.into(), model: "embed-1".into(), base_url: None };
    let transport = Arc::clone(script);
    Embeddings::new(&providers(), &settings, transport).unwrap().with_first_pause(Duration::from_millis(1))
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

async fn error(provider: &str, steps: Vec<Step>) -> EmbeddingError {
    embeddings(provider, &Script::new(steps)).embed(&texts(1)).await.unwrap_err()
}

#[tokio::test]
async fn both_dialects_work() {
    let script = Script::new([Canned::whole(&json!({"embeddings": [[1, 0.5], [0.25, -1]]}))]);
    let vectors = embeddings("ollama", &script).embed(&texts(2)).await.unwrap();
    assert_eq!(vectors, [[1.0, 0.5], [0.25, -1.0]]);
    let [request] = script.requests().try_into().unwrap();
    assert_eq!(request.url, "http://models.example/api/embed");
    assert_eq!(request.body, json!({"model": "embed-1", "input": ["text 0", "text 1"]}));

    let data = json!({"data": [{"index": 1, "embedding": [2.0]}, {"index": 0, "embedding": [1.0]}]});
    let script = Script::new([Canned::whole(&data)]);
    let vectors = embeddings("lab", &script).embed(&texts(2)).await.unwrap();
    assert_eq!(vectors, [[1.0], [2.0]]);
    let [request] = script.requests().try_into().unwrap();
    assert_eq!(request.url, "http://models.example/v1/embeddings");
    assert_eq!(request.headers, [("authorization".to_owned(), format!("Bearer {KEY}"))]);
    assert_eq!(request.body["encoding_format"], json!("float"));
}

#[tokio::test]
async fn many_texts_are_batched_and_long_ones_truncated() {
    let answer = |count: usize| Canned::whole(&json!({"embeddings": vec![[1.0]; count]}));
    let script = Script::new([answer(EMBEDDING_BATCH), answer(1)]);
    let mut texts = texts(EMBEDDING_BATCH + 1);
    texts[EMBEDDING_BATCH] = "ü".repeat(5_000);
    let vectors = embeddings("ollama", &script).embed(&texts).await.unwrap();
    assert_eq!(vectors.len(), EMBEDDING_BATCH + 1);
    let last = script.bodies().pop().unwrap();
    assert_eq!(last["input"], json!(["ü".repeat(2_000)]));
    assert_eq!(embeddings("ollama", &Script::new(Vec::<Canned>::new())).embed(&[]).await, Ok(Vec::new()));
}

#[tokio::test]
async fn retries_transient_errors() {
    let steps: Vec<Step> = vec![
        Canned::error(503, &json!({"error": "loading"})).header("retry-after-ms", "1").into(),
        Step::Lost(TransportError::Connection("reset".into())),
        Canned::whole(&json!({"embeddings": [[1.0]]})).into(),
    ];
    let script = Script::new(steps);
    assert_eq!(embeddings("ollama", &script).embed(&texts(1)).await, Ok(vec![vec![1.0]]));
    let failing = || Step::from(Canned::error(500, &json!({"error": format!("no memory, {KEY}")})));
    let failed = error("ollama", vec![failing(), failing(), failing()]).await;
    let expected = "ollama http://models.example responded 500: no memory, [secret]";
    assert_eq!(failed, EmbeddingError::Unavailable(expected.into()));
}

#[tokio::test]
async fn permanent_failures_have_a_remedy() {
    let cases: [(Canned, &str); 7] = [
        (
            Canned::error(401, &json!({"error": {"message": format!("bad key {KEY}")}})),
            "lab http://models.example/v1 rejected the API key (401): check the key of provider `lab`",
        ),
        (
            Canned::error(404, &json!({"error": {"message": "no such model"}})),
            "lab http://models.example/v1 has no embeddings by model `embed-1` (404: no such model): check `base_url` and \
             the name of the model",
        ),
        (
            Canned::error(400, &json!({"detail": "too long"})),
            "lab http://models.example/v1 rejected the embedding request (400): too long",
        ),
        (Canned::whole(&json!({"choices": []})), "missing list `data`"),
        (Canned::whole(&json!({"data": []})), "0 vectors for 1 texts"),
        (
            Canned::whole(&json!({"data": [{"embedding": [1, "x"]}]})),
            "a vector contains a value that is not a number",
        ),
        (Canned::text("text/html", "<html>".into()), "invalid embeddings"),
    ];
    for (canned, expected) in cases {
        let failed = error("lab", vec![canned.into()]).await;
        let EmbeddingError::Refused(message) = &failed else { panic!("{failed:?}") };
        assert!(message.contains(expected) && !message.contains(KEY), "{message}");
    }
}

#[tokio::test]
async fn vectors_of_different_lengths_are_rejected() {
    let script = Script::new([Canned::whole(&json!({"embeddings": [[1.0], [1.0, 2.0]]}))]);
    let failed = embeddings("ollama", &script).embed(&texts(2)).await.unwrap_err();
    assert!(failed.to_string().contains("one vector has 1 numbers, another 2"), "{failed}");
}

#[tokio::test]
async fn too_many_texts_and_wrong_settings_are_rejected_at_once() {
    let script = Script::new(Vec::<Canned>::new());
    let failed = embeddings("ollama", &script).embed(&texts(MAX_EMBEDDED_TEXTS + 1)).await;
    assert_eq!(failed, Err(EmbeddingError::TooMany(MAX_EMBEDDED_TEXTS + 1)));
    let settings =
        |provider: &str| EmbeddingSettings { provider: provider.into(), model: "m".into(), base_url: None };
    for (provider, expected) in
        [("anthropic", "does not support embeddings"), ("nobody", "unknown provider `nobody`")]
    {
        let transport = Arc::clone(&script);
        let failed: Option<OpenError> = Embeddings::new(&providers(), &settings(provider), transport).err();
        assert!(failed.as_ref().is_some_and(|error| error.to_string().contains(expected)), "{failed:?}");
    }
    assert_eq!(script.bodies(), [] as [Value; 0]);
}
