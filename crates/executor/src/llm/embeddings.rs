//! Embeddings, from Ollama or from a server with OpenAI's API.
//!
//! Texts go out in batches, in order, and every one of them comes back as a vector, or there is an error: a vector that
//! is missing, of another length or not finite is an error. Not cached: each comparison asks once.

use std::sync::Arc;
use std::time::Duration;

use accord_json::{Checked, Limits, read_leniently};
use futures_util::StreamExt;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::providers::Providers;
use super::retry::{is_passing, retry_after};
use super::settings::Settings;
use super::wire::{EmbeddingWire, ProviderError, wire};
use crate::files::Files;
use crate::retry::{Attempts, FIRST_PAUSE, Retry};
use crate::session::OpenError;
use crate::transport::{Request, Response, Transport, TransportError};

/// Texts in one request: every server takes so many, and more would save little.
pub const EMBEDDING_BATCH: usize = 64;

/// Texts in one call. A comparison of siblings has fewer; more would keep a server busy for minutes.
pub(super) const MAX_EMBEDDED_TEXTS: usize = 20_000;

/// A longer text is embedded by its beginning: models take a few hundred words, and some refuse more.
pub(super) const MAX_EMBEDDED_CHARACTERS: usize = 2_000;

/// How long one request may take. A local model reads a batch in seconds, and loads itself in less than this.
const LONGEST_REQUEST: Duration = Duration::from_secs(120);

/// The largest answer that is read: a batch of vectors of ten thousand numbers is smaller.
const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;

/// The numbers of one answer: the vectors of a batch, of 4,096 numbers each.
const VECTORS: Limits = Limits { values: (EMBEDDING_BATCH as u64 + 1) * 4_200, ..Limits::WHOLE };

/// Retries are short, because vectors only refine a comparison, unless the server asks for a longer wait.
const RETRY: Retry = Retry { for_time: Duration::from_secs(300), max_attempts: Some(3) };

/// How much of a server's message is shown.
const SHOWN_CHARACTERS: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingSettings {
    /// The name of a provider: `ollama`, `openai`, `openai-compatible`, or one of the configuration's own.
    pub provider: String,
    /// The model, as the provider names it.
    pub model: String,
    /// Another address than the provider's. The provider's key is not sent there.
    pub base_url: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// The server is not there or overloaded: later it may work.
    #[error("{0}")]
    Unavailable(String),
    /// The server refuses, or answers something else: the settings need a look.
    #[error("{0}")]
    Refused(String),
    #[error("expected at most {MAX_EMBEDDED_TEXTS} texts to embed, got {0}")]
    TooMany(usize),
}

pub struct Embeddings {
    endpoint: Endpoint,
    wire: &'static dyn EmbeddingWire,
    model: String,
    transport: Arc<dyn Transport>,
    first_pause: Duration,
}

impl Embeddings {
    /// Finds the server. Nothing is sent yet.
    pub fn new(
        providers: &Providers,
        settings: &EmbeddingSettings,
        transport: Arc<dyn Transport>,
    ) -> Result<Self, OpenError> {
        let settings = Settings::read(&json!({"type": "llm", "provider": settings.provider,
            "model": settings.model, "base_url": settings.base_url}))?;
        let dialect = providers.required(&settings.provider)?.kind.row().dialect;
        let wire = wire(dialect).embeddings().ok_or_else(|| {
            OpenError::Settings(format!(
                "provider `{}` does not support embeddings; use ollama, openai or an openai-compatible server",
                settings.provider
            ))
        })?;
        let endpoint = Endpoint::resolve(providers, &settings)?;
        Ok(Self { endpoint, wire, model: settings.model, transport, first_pause: FIRST_PAUSE })
    }

    /// With another first pause between retries: tests have no time.
    #[must_use]
    pub fn with_first_pause(mut self, pause: Duration) -> Self {
        self.first_pause = pause;
        self
    }

    /// The vectors of texts, one for each, in order, all of one length.
    pub async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if texts.len() > MAX_EMBEDDED_TEXTS {
            return Err(EmbeddingError::TooMany(texts.len()));
        }
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(EMBEDDING_BATCH) {
            vectors.extend(self.batch(batch).await?);
        }
        let length = vectors.first().map_or(0, Vec::len);
        match vectors.iter().find(|vector| vector.len() != length) {
            Some(other) => {
                Err(self.invalid_answer(&format!("one vector has {length} numbers, another {}", other.len())))
            }
            None => Ok(vectors),
        }
    }

    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let input: Vec<String> =
            texts.iter().map(|text| text.chars().take(MAX_EMBEDDED_CHARACTERS).collect()).collect();
        let answer = self.ask(&self.wire.body(&self.model, &input)).await?;
        let vectors = self.wire.read(&answer).map_err(|error| self.invalid_answer(&error.to_string()))?;
        if vectors.len() != texts.len() {
            return Err(self.invalid_answer(&format!("{} vectors for {} texts", vectors.len(), texts.len())));
        }
        Ok(vectors)
    }

    /// Sends a request until it is answered or refused.
    async fn ask(&self, body: &Value) -> Result<Value, EmbeddingError> {
        let mut attempts = Attempts::with_first_pause(RETRY, &self.endpoint.name, self.first_pause);
        loop {
            let (error, pause) = match timeout(LONGEST_REQUEST, self.attempt(body)).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(failed)) => failed,
                Err(_) => {
                    let message = format!(
                        "{} did not answer in {} seconds",
                        self.endpoint.name,
                        LONGEST_REQUEST.as_secs()
                    );
                    (EmbeddingError::Unavailable(message), None)
                }
            };
            let EmbeddingError::Unavailable(reason) = error else { return Err(error) };
            match attempts.failed(reason.clone(), pause) {
                Ok(wait) => tokio::time::sleep(wait.pause).await,
                Err(_) => return Err(EmbeddingError::Unavailable(reason)),
            }
        }
    }

    async fn attempt(&self, body: &Value) -> Result<Value, (EmbeddingError, Option<Duration>)> {
        let endpoint = &self.endpoint;
        let url = endpoint.url(&self.wire.path(&self.model));
        let request =
            Request { url, headers: endpoint.headers.clone(), body: body.clone(), files: Files::default() };
        let response =
            self.transport.send(request).await.map_err(|error| (self.transport_error(error), None))?;
        let (status, pause) = (response.status, retry_after(&response.headers, Timestamp::now()));
        let bytes = self.whole(response).await.map_err(|error| (error, None))?;
        if (200..300).contains(&status) {
            let checked = Checked::new(bytes, VECTORS).map_err(serde_json::Error::from);
            let read = checked.and_then(|bytes| read_leniently(&bytes));
            return read.map_err(|error: serde_json::Error| (self.invalid_answer(&error.to_string()), None));
        }
        let problem = ProviderError::from_body(status, &String::from_utf8_lossy(&bytes));
        Err((self.problem(&problem), pause))
    }

    async fn whole(&self, response: Response) -> Result<Vec<u8>, EmbeddingError> {
        let mut body = response.body;
        let mut bytes = Vec::new();
        while let Some(piece) = body.next().await {
            bytes.extend(piece.map_err(|error| self.transport_error(error))?);
            if bytes.len() > MAX_ANSWER_BYTES {
                return Err(
                    self.invalid_answer(&format!("it is larger than {} MiB", MAX_ANSWER_BYTES / 1024 / 1024))
                );
            }
        }
        Ok(bytes)
    }

    fn problem(&self, problem: &ProviderError) -> EmbeddingError {
        let (name, status) = (&self.endpoint.name, problem.status);
        if is_passing(status) {
            return EmbeddingError::Unavailable(format!(
                "{name} responded {status}: {}",
                self.excerpt(&problem.message)
            ));
        }
        EmbeddingError::Refused(match status {
            // The server's message is left out, because some repeat the key.
            401 | 403 => format!(
                "{name} rejected the API key ({status}): check the key of provider `{}`",
                self.endpoint.provider
            ),
            404 => format!(
                "{name} has no embeddings by model `{}` (404: {}): check `base_url` and the name of the model",
                self.model,
                self.excerpt(&problem.message)
            ),
            _ => {
                format!(
                    "{name} rejected the embedding request ({status}): {}",
                    self.excerpt(&problem.message)
                )
            }
        })
    }

    fn transport_error(&self, error: TransportError) -> EmbeddingError {
        let name = &self.endpoint.name;
        match error {
            TransportError::Connection(why) => {
                EmbeddingError::Unavailable(format!("no response from {name}: {}", self.excerpt(&why)))
            }
            TransportError::Impossible(why) => {
                EmbeddingError::Refused(format!("cannot send the request to {name}: {}", self.excerpt(&why)))
            }
            TransportError::NotRecorded(why) => EmbeddingError::Refused(why),
        }
    }

    fn invalid_answer(&self, why: &str) -> EmbeddingError {
        EmbeddingError::Refused(format!(
            "invalid embeddings from {}: {}; check that the model `{}` supports embeddings",
            self.endpoint.name,
            self.excerpt(why),
            self.model
        ))
    }

    fn excerpt(&self, text: &str) -> String {
        self.endpoint.scrub(text).chars().take(SHOWN_CHARACTERS).collect()
    }
}
