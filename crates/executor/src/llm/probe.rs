//! Whether a provider answers, takes the key and has a model: asked without spending anything.
//!
//! Most APIs list their models. Amazon Bedrock lists them at another address, so it gets a request that it must reject: the
//! status says whether the credentials and the model are known.

use std::time::Duration;

use accord_domain::provider::{Dialect, ProviderKind};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::providers::Providers;
use super::settings::Settings;
use super::wire::ProviderError;
use crate::http::HttpTransport;
use crate::json::read_message;
use crate::session::OpenError;
use crate::transport::{Response, Transport, TransportError};

/// A list of models comes at once. This is enough for a service on the other side of the world.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The longest lists, those of routers, have about a megabyte.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// How much of a server's message is shown.
const SHOWN_CHARACTERS: usize = 300;

/// What is asked about a provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Probe {
    /// Its name.
    pub provider: String,
    /// Another address than the provider's.
    pub base_url: Option<String>,
    /// The subset of JSON Schema that an agent names for it.
    pub schema_profile: Option<String>,
}

/// What a provider that takes the key has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// Name and address, without secrets.
    pub name: String,
    pub kind: ProviderKind,
    /// Its models. None if it does not list them, or if it answers whatever the name of the model is.
    pub models: Option<Vec<String>>,
}

/// Why a provider cannot be used. Each has its name and address, without secrets.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// Nothing was sent.
    #[error(transparent)]
    Settings(OpenError),
    #[error("{name}: {why}")]
    Unreachable { name: String, kind: ProviderKind, why: String },
    /// The message of the provider is left out, because some repeat the key.
    #[error("{name}: rejected the credentials ({status})")]
    Unauthorized { name: String, kind: ProviderKind, status: u16 },
    #[error("{name}: {why}")]
    Failed { name: String, why: String },
}

impl Probed {
    /// Whether a model is there, as far as that is known.
    pub fn has(&self, model: &str) -> bool {
        let is_it = |listed: &String| {
            let rest = listed.strip_prefix(model);
            match self.kind {
                // The default tag is not written; the date of a release need not be.
                ProviderKind::Ollama => matches!(rest, Some("" | ":latest")),
                _ => rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@'])),
            }
        };
        self.models.as_ref().is_none_or(|models| models.iter().any(is_it))
    }
}

impl Probe {
    /// Asks. `model` is one that will be used, for providers that only know models by name.
    pub async fn ask(
        &self,
        providers: &Providers,
        network: &HttpTransport,
        model: &str,
    ) -> Result<Probed, ProbeError> {
        let settings = json!({"type": "llm", "provider": self.provider, "model": model,
            "base_url": self.base_url, "schema_profile": self.schema_profile});
        let endpoint = Settings::read(&settings)
            .and_then(|settings| Endpoint::resolve(providers, &settings))
            .map_err(ProbeError::Settings)?;
        let (name, kind) = (endpoint.name.clone(), endpoint.kind);
        let unreachable = |why: String| ProbeError::Unreachable {
            name: endpoint.name.clone(),
            kind,
            why: shown(&endpoint, &why),
        };
        let answer = match timeout(ANSWER_WITHIN, answer(&endpoint, network, model)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(unreachable(error.to_string())),
            Err(_) => {
                return Err(unreachable(format!("no answer within {} seconds", ANSWER_WITHIN.as_secs())));
            }
        };
        let (status, bytes) = answer;
        let text = String::from_utf8_lossy(&bytes);
        match status {
            200..300 => {
                let listed = list(kind.row().dialect).filter(|_| names_models(&endpoint));
                let listed = listed.map(|list| list.models(&text));
                let models = listed.transpose().map_err(|why| ProbeError::Failed {
                    name: name.clone(),
                    why: format!("expected a list of models, got something else: {}", shown(&endpoint, &why)),
                })?;
                Ok(Probed { name, kind, models })
            }
            401 | 403 => Err(ProbeError::Unauthorized { name, kind, status }),
            // A server without a list is there, and so is Bedrock if it looked into the request.
            404 | 405 | 501 if list(kind.row().dialect).is_some() => Ok(Probed { name, kind, models: None }),
            400 if list(kind.row().dialect).is_none() => Ok(Probed { name, kind, models: None }),
            _ => {
                let problem = ProviderError::from_body(status, &text);
                let why = format!("answered {status}: {}", shown(&endpoint, &problem.message));
                Err(ProbeError::Failed { name, why })
            }
        }
    }
}

/// The status and the body.
async fn answer(
    endpoint: &Endpoint,
    network: &HttpTransport,
    model: &str,
) -> Result<(u16, Vec<u8>), TransportError> {
    let response = match list(endpoint.kind.row().dialect) {
        Some(list) => network.get(&endpoint.url(list.path), endpoint.headers.clone()).await?,
        None => network.send(endpoint.request(model, json!({"messages": []}))).await?,
    };
    let Response { status, mut body, .. } = response;
    let mut bytes = Vec::new();
    while let Some(piece) = body.next().await {
        bytes.extend(piece?);
        if bytes.len() > MAX_LIST_BYTES {
            return Err(TransportError::Impossible(format!(
                "the list of models is larger than {} MiB",
                MAX_LIST_BYTES / 1024 / 1024
            )));
        }
    }
    Ok((status, bytes))
}

/// Where an API lists its models.
struct List {
    path: &'static str,
    /// The field with the list.
    field: &'static str,
    /// The field of a model with its name, and what precedes the name there.
    name: &'static str,
    prefix: &'static str,
}

impl List {
    fn models(&self, text: &str) -> Result<Vec<String>, String> {
        let answer: Value = read_message(text).map_err(|error| error.to_string())?;
        let models = answer.get(self.field).and_then(Value::as_array);
        let models = models.ok_or_else(|| format!("no list `{}`", self.field))?;
        let names = models.iter().filter_map(|model| model.get(self.name)?.as_str());
        Ok(names.map(|name| name.strip_prefix(self.prefix).unwrap_or(name).to_owned()).collect())
    }
}

fn list(dialect: Dialect) -> Option<List> {
    let list = |path, field, name| List { path, field, name, prefix: "" };
    match dialect {
        Dialect::AnthropicMessages => Some(list("/v1/models?limit=1000", "data", "id")),
        Dialect::OpenAiResponses | Dialect::Chat(_) => Some(list("/models", "data", "id")),
        Dialect::Gemini => {
            Some(List { prefix: "models/", ..list("/models?pageSize=1000", "models", "name") })
        }
        Dialect::Cohere => Some(list("/v1/models?page_size=1000", "models", "name")),
        Dialect::Ollama => Some(list("/api/tags", "models", "name")),
        Dialect::BedrockConverse => None,
    }
}

/// Whether the names in the list are those that requests use: llama.cpp answers by the model that it has loaded, and Azure
/// takes the names of deployments.
fn names_models(endpoint: &Endpoint) -> bool {
    let is_loaded = endpoint.kind == ProviderKind::LlamaCpp || endpoint.schema_profile == "llama.cpp";
    !is_loaded && endpoint.kind != ProviderKind::AzureOpenAi
}

fn shown(endpoint: &Endpoint, text: &str) -> String {
    endpoint.scrub(text).chars().take(SHOWN_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::llm::provider::{Provider, Secret};

    /// Asks a provider of this kind whose server gives one answer; returns the first line that it got too.
    async fn asked(kind: ProviderKind, answer: &str) -> (Result<Probed, ProbeError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (head, body) = answer.split_once(' ').unwrap();
        let answer = format!("HTTP/1.1 {head} X\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let serving = tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut heard = [0; 4096];
            let many = connection.read(&mut heard).await.unwrap();
            connection.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(heard.get(..many).unwrap()).lines().next().unwrap().to_owned()
        });
        let provider = Provider {
            base_url: Some(url),
            api_key: Some(Secret::new("the-secret-key")),
            ..Provider::new(kind)
        };
        let probed = probe("lab").ask(&Providers::default().with("lab", provider), &network(), "m").await;
        (probed, serving.await.unwrap())
    }

    fn probe(provider: &str) -> Probe {
        Probe { provider: provider.to_owned(), base_url: None, schema_profile: None }
    }

    fn network() -> HttpTransport {
        HttpTransport::new().unwrap()
    }

    fn names(models: &[&str]) -> Option<Vec<String>> {
        Some(models.iter().map(|name| (*name).to_owned()).collect())
    }

    #[tokio::test]
    async fn every_kind_is_asked_in_its_own_way() {
        for kind in ProviderKind::ALL {
            let list = list(kind.row().dialect);
            let (path, answer) = match &list {
                Some(list) => {
                    let model = json!({(list.name): format!("{}m", list.prefix)});
                    (list.path, format!("200 {}", json!({(list.field): [model]})))
                }
                None => ("/model/m/converse-stream", "400 {\"message\": \"no messages\"}".to_owned()),
            };
            let (probed, line) = asked(kind, &answer).await;
            let probed = probed.unwrap();
            assert!(line.contains(path), "{line}");
            assert!(probed.has("m"), "{kind:?}");
            let is_compared =
                list.is_some() && !matches!(kind, ProviderKind::AzureOpenAi | ProviderKind::LlamaCpp);
            assert_eq!(probed.models, names(&["m"]).filter(|_| is_compared), "{kind:?}");
            assert_eq!(!probed.has("other"), is_compared, "{kind:?}");
        }
    }

    #[tokio::test]
    async fn a_rejected_key_and_other_answers_are_errors_without_the_key() {
        let kind = ProviderKind::OpenAiCompatible;
        let told = |probed: Result<Probed, ProbeError>| probed.unwrap_err().to_string();
        let (probed, _) = asked(kind, r#"401 {"error": {"message": "bad the-secret-key"}}"#).await;
        assert!(matches!(&probed, Err(ProbeError::Unauthorized { status: 401, .. })), "{probed:?}");
        assert!(told(probed).ends_with(": rejected the credentials (401)"));
        let (probed, _) = asked(kind, r#"500 {"error": {"message": "no the-secret-key"}}"#).await;
        assert!(told(probed).ends_with("answered 500: no [secret]"));
        let (probed, _) = asked(kind, "200 <html>").await;
        assert!(told(probed).contains("expected a list of models"));
        let (probed, _) = asked(kind, "404 nothing").await;
        assert_eq!(probed.unwrap().models, None);
    }

    #[tokio::test]
    async fn a_port_that_nobody_listens_on_is_told_apart_from_bad_settings() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = Some(format!("http://{}", listener.local_addr().unwrap()));
        drop(listener);
        let provider = Provider { base_url, ..Provider::new(ProviderKind::Ollama) };
        let providers = Providers::default().with("lab", provider);
        let refused = probe("lab").ask(&providers, &network(), "m").await;
        let Err(ProbeError::Unreachable { why, .. }) = &refused else { panic!("{refused:?}") };
        assert!(why.contains("refused"), "{why}");
        let unknown = probe("nobody").ask(&providers, &network(), "m").await;
        assert!(matches!(unknown, Err(ProbeError::Settings(_))), "{unknown:?}");
    }

    #[test]
    fn models_are_found_by_their_short_names() {
        let probed = |kind, models: &[&str]| Probed { name: String::new(), kind, models: names(models) };
        let anthropic = probed(ProviderKind::Anthropic, &["claude-sonnet-4-5-20250929"]);
        assert!(anthropic.has("claude-sonnet-4-5") && !anthropic.has("claude-sonnet-4-"));
        let ollama = probed(ProviderKind::Ollama, &["llama3.2:latest", "qwen3:1b"]);
        assert!(ollama.has("llama3.2") && ollama.has("qwen3:1b") && !ollama.has("qwen3"));
    }
}
