//! Embeddings over the network.

use std::sync::Arc;

use accord_executor::{EMBEDDING_BATCH, EmbeddingError, EmbeddingSettings, Embeddings, Providers};
use accord_test_support::{ModelServer, Script};

use super::transport;

fn settings(provider: &str, base_url: String) -> EmbeddingSettings {
    EmbeddingSettings { provider: provider.into(), model: "embed-1".into(), base_url: Some(base_url) }
}

#[tokio::test]
async fn ollama_and_openai_give_the_same_vectors_for_the_same_texts() {
    let server = ModelServer::start(Script::default()).await.unwrap();
    let transport = transport();
    let texts: Vec<String> =
        (0..=EMBEDDING_BATCH).map(|number| format!("finding {} again", number % 7)).collect();
    let mut answers = Vec::new();
    for (provider, base_url) in [("ollama", server.url()), ("openai-compatible", server.openai_url())] {
        let providers = Providers::from_environment(|_| None);
        let transport = Arc::clone(&transport);
        let embeddings = Embeddings::new(&providers, &settings(provider, base_url), transport).unwrap();
        answers.push(embeddings.embed(&texts).await.unwrap());
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].len(), texts.len());
    assert_eq!((&answers[0][0], answers[0][0] == answers[0][1]), (&answers[0][7], false));
}

#[tokio::test]
async fn an_unreachable_server_is_named() {
    let server = ModelServer::start(Script::default()).await.unwrap();
    let url = server.url();
    drop(server);
    let providers = Providers::from_environment(|_| None);
    let embeddings = Embeddings::new(&providers, &settings("ollama", url.clone()), transport()).unwrap();
    let failed =
        embeddings.with_first_pause(std::time::Duration::from_millis(1)).embed(&["a".to_owned()]).await;
    let Err(EmbeddingError::Unavailable(message)) = failed else { panic!("{failed:?}") };
    assert!(message.contains(&url), "{message}");
}
