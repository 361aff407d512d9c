//! Vectors of texts for the comparison of siblings, from the embedding model that is configured.

use std::collections::HashMap;
use std::sync::Arc;

use accord_coordinator::Embedder;
use accord_executor::{EmbeddingSettings, Embeddings};
use async_trait::async_trait;

use super::executors::{network, providers};
use crate::config::Config;
use crate::failure::{Failure, Problem};

/// One embedding model.
struct Configured(Embeddings);

#[async_trait]
impl Embedder for Configured {
    async fn vectors(&self, texts: &[String]) -> Result<HashMap<String, Vec<f32>>, String> {
        let vectors = self.0.embed(texts).await.map_err(|error| error.to_string())?;
        Ok(texts.iter().cloned().zip(vectors).collect())
    }
}

/// The embedding client, if a model is configured.
pub(super) fn embedder(config: &Config) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    let settings = &config.values.workflows;
    let (provider, model) = (settings.embedding_provider.clone(), settings.embedding_model.clone());
    match (provider.is_empty(), model.is_empty()) {
        (true, true) => return Ok(None),
        (false, false) => {}
        _ => {
            let message = "workflows.embedding_provider and workflows.embedding_model must be set together";
            return Err(Problem::new(message).into());
        }
    }
    let settings = EmbeddingSettings { provider, model, base_url: None };
    let embeddings = Embeddings::new(&providers(config)?, &settings, network()?)
        .map_err(|error| Problem::new(format!("cannot use the embedding model: {error}")))?;
    Ok(Some(Arc::new(Configured(embeddings))))
}
