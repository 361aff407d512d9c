//! The `llm` executor: agents whose model is called over HTTP.
//!
//! One session holds one conversation, in words of its own ([`conversation`]). Each request translates the whole of it
//! into the provider's dialect ([`wire`]), sends it through the [`crate::Transport`] with retries ([`exchange`]) and
//! reads the answer as it streams ([`intake`]). The agent loop around it ([`session`]) runs the tools that the model
//! calls and ends when the model has nothing more to call, or calls the submit tool.
//!
//! Absent on purpose: judging an answer (the arguments of the submit tool are handed on as text), reading the
//! environment or a file (providers come in as data), and a fallback to another delivery (the caller decides about a
//! rejection).

mod conversation;
mod embeddings;
mod endpoint;
mod exchange;
mod executor;
mod failure;
mod files;
mod intake;
mod opening;
mod partial;
mod people;
mod prices;
mod probe;
mod provider;
mod providers;
mod record;
mod retry;
mod secrets;
mod session;
mod settings;
mod steps;
mod wire;

#[cfg(test)]
mod tests;

pub use embeddings::{EMBEDDING_BATCH, EmbeddingError, EmbeddingSettings, Embeddings};
pub use executor::LlmExecutor;
pub use prices::{EVERY_MODEL, Price, Prices, list_price, list_prices_origin};
pub use probe::{Probe, ProbeError, Probed};
pub use provider::{Auth, Provider, ProviderKind, Secret, SigningCredentials};
pub use providers::Providers;
pub use secrets::secrets_of_address;
