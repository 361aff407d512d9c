//! Who can be asked: providers by name, as plain data.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The wire version that is sent where a provider does not name one. Newer ones exist; this one is served everywhere.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Where Ollama listens unless told otherwise.
const OLLAMA_PORT: u16 = 11434;

/// A key. It shows itself to nobody but the one request that needs it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

/// The dialects that are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProviderKind {
    /// Anthropic Messages.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// OpenAI Responses.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI Chat Completions.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// Chat Completions as other servers speak it.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    /// Ollama.
    #[serde(rename = "ollama")]
    Ollama,
}

impl ProviderKind {
    /// All of them, each the built-in provider of its name.
    pub const ALL: [Self; 5] =
        [Self::Anthropic, Self::OpenAi, Self::OpenAiChat, Self::OpenAiCompatible, Self::Ollama];

    /// The name that blueprints and configuration use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Ollama => "ollama",
        }
    }

    /// The subset of JSON Schema that the dialect's own service enforces.
    pub(super) fn schema_profile(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi | Self::OpenAiChat | Self::OpenAiCompatible => "openai",
            Self::Ollama => "ollama",
        }
    }

    /// The address of the public service, which never answers without a key.
    pub fn public_base_url(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::OpenAi | Self::OpenAiChat => Some("https://api.openai.com/v1"),
            Self::OpenAiCompatible | Self::Ollama => None,
        }
    }
}

/// How an Anthropic key is sent. The other kinds always use a bearer token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `x-api-key`.
    #[default]
    XApiKey,
    /// `Authorization: Bearer`.
    Bearer,
}

/// One provider.
#[derive(Clone, PartialEq)]
pub struct Provider {
    /// Its dialect.
    pub kind: ProviderKind,
    /// Its address, with the version where the dialect's own address has one (`https://api.openai.com/v1`).
    pub base_url: Option<String>,
    /// Its key. It is sent to `base_url` and nowhere else.
    pub api_key: Option<Secret>,
    /// The variable that is to hold the key, where it holds nothing. Only who asks this provider misses it.
    pub missing_key: Option<String>,
    /// How the key is sent.
    pub auth: Auth,
    /// The `anthropic-version` to send.
    pub api_version: String,
    /// Further headers; they may be secrets too.
    pub headers: Vec<(String, String)>,
    /// Dollars for a million tokens read.
    pub price_per_million_input: Option<f64>,
    /// Dollars for a million tokens written.
    pub price_per_million_output: Option<f64>,
    /// The subset of JSON Schema that it enforces, where it is another than its dialect's.
    pub schema_profile: Option<String>,
}

impl Provider {
    /// A provider with the usual address of its kind and no key.
    pub fn new(kind: ProviderKind) -> Self {
        let base_url = match kind {
            ProviderKind::Ollama => Some(format!("http://127.0.0.1:{OLLAMA_PORT}")),
            other => other.public_base_url().map(str::to_owned),
        };
        Self {
            kind,
            base_url,
            api_key: None,
            missing_key: None,
            auth: Auth::default(),
            api_version: ANTHROPIC_VERSION.to_owned(),
            headers: Vec::new(),
            price_per_million_input: None,
            price_per_million_output: None,
            schema_profile: None,
        }
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("Provider")
            .field("kind", &self.kind)
            .field("api_key", &self.api_key)
            .field("auth", &self.auth)
            .field("api_version", &self.api_version)
            .field("headers", &headers)
            .finish_non_exhaustive()
    }
}

/// The providers that a runner knows, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Providers(BTreeMap<String, Provider>);

impl Providers {
    /// The five built-in providers, with the addresses and keys that the usual variables give. The lookup comes from
    /// the caller: this crate does not read the environment.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Self {
        let get =
            |name: &str| get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let mut anthropic = Provider::new(ProviderKind::Anthropic);
        anthropic.base_url = get("ANTHROPIC_BASE_URL").or(anthropic.base_url);
        anthropic.api_key = get("ANTHROPIC_API_KEY").map(Secret::new);
        if let (None, Some(token)) = (&anthropic.api_key, get("ANTHROPIC_AUTH_TOKEN")) {
            anthropic.api_key = Some(Secret::new(token));
            anthropic.auth = Auth::Bearer;
        }
        let openai = |kind| {
            let provider = Provider::new(kind);
            Provider {
                base_url: get("OPENAI_BASE_URL").or(provider.base_url),
                api_key: get("OPENAI_API_KEY").map(Secret::new),
                ..provider
            }
        };
        let mut ollama = Provider::new(ProviderKind::Ollama);
        ollama.base_url = get("OLLAMA_HOST").map(|host| ollama_address(&host)).or(ollama.base_url);
        [
            anthropic,
            openai(ProviderKind::OpenAi),
            openai(ProviderKind::OpenAiChat),
            Provider::new(ProviderKind::OpenAiCompatible),
            ollama,
        ]
        .into_iter()
        .fold(Self::default(), |all, provider| all.with(provider.kind.name(), provider))
    }

    /// Adds a provider, or puts it in the place of another.
    #[must_use]
    pub fn with(mut self, name: &str, provider: Provider) -> Self {
        self.0.insert(name.to_owned(), provider);
        self
    }

    /// The provider of a name.
    pub fn get(&self, name: &str) -> Option<&Provider> {
        self.0.get(name)
    }

    /// All names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

/// The address in `OLLAMA_HOST`, which is written for the server too: a host, a host and a port, or a whole address.
/// `0.0.0.0` is where a server listens, not where a client goes.
fn ollama_address(host: &str) -> String {
    let host = host.trim_end_matches('/');
    if host.contains("://") {
        return host.replacen("://0.0.0.0", "://127.0.0.1", 1);
    }
    let host = host.replacen("0.0.0.0", "127.0.0.1", 1);
    let port_follows =
        |rest: &str| rest.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let has_port = match host.rsplit_once(']') {
        Some((_, rest)) => port_follows(rest),
        None => port_follows(&host),
    };
    match (host.starts_with(':'), has_port) {
        (true, _) => format!("http://127.0.0.1{host}"),
        (false, true) => format!("http://{host}"),
        (false, false) => format!("http://{host}:{OLLAMA_PORT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |wanted| {
            let found = pairs.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn an_empty_environment_gives_the_usual_addresses_and_no_keys() {
        let providers = Providers::from_environment(environment(&[("OPENAI_API_KEY", " ")]));
        let names = ["anthropic", "ollama", "openai", "openai-chat", "openai-compatible"];
        assert_eq!(providers.names(), names);
        let addresses: Vec<Option<&str>> = names
            .iter()
            .map(|name| providers.get(name).and_then(|provider| provider.base_url.as_deref()))
            .collect();
        assert_eq!(
            addresses,
            [
                Some("https://api.anthropic.com"),
                Some("http://127.0.0.1:11434"),
                Some("https://api.openai.com/v1"),
                Some("https://api.openai.com/v1"),
                None,
            ]
        );
        assert!(names.iter().all(|name| providers.get(name).is_some_and(|one| one.api_key.is_none())));
    }

    #[test]
    fn keys_and_addresses_come_from_the_usual_variables() {
        let providers = Providers::from_environment(environment(&[
            ("ANTHROPIC_AUTH_TOKEN", "token"),
            ("ANTHROPIC_BASE_URL", "http://gateway"),
            ("OPENAI_API_KEY", "key"),
            ("OPENAI_BASE_URL", "http://other/v1"),
        ]));
        let expected = Provider {
            base_url: Some("http://gateway".into()),
            api_key: Some(Secret::new("token")),
            auth: Auth::Bearer,
            ..Provider::new(ProviderKind::Anthropic)
        };
        assert_eq!(providers.get("anthropic"), Some(&expected));
        let expected = Provider {
            base_url: Some("http://other/v1".into()),
            api_key: Some(Secret::new("key")),
            ..Provider::new(ProviderKind::OpenAiChat)
        };
        assert_eq!(providers.get("openai-chat"), Some(&expected));
        assert_eq!(
            providers.get("openai-compatible"),
            Some(&Provider::new(ProviderKind::OpenAiCompatible)),
            "the key of one service is not for another"
        );
    }

    #[test]
    fn a_key_is_never_shown() {
        let provider = Provider {
            api_key: Some(Secret::new("sk-hidden")),
            headers: vec![("x-team".into(), "sk-hidden".into())],
            ..Provider::new(ProviderKind::Anthropic)
        };
        let shown = format!("{provider:?}");
        assert!(!shown.contains("sk-hidden"), "{shown}");
        assert!(shown.contains("x-team"), "{shown}");
    }

    #[test]
    fn an_ollama_host_is_read_as_ollama_reads_it() {
        let cases = [
            ("localhost", "http://localhost:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080"),
            (":8080", "http://127.0.0.1:8080"),
            ("[::1]", "http://[::1]:11434"),
            ("[::1]:9", "http://[::1]:9"),
            ("https://models.example/", "https://models.example"),
            ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        ];
        for (host, expected) in cases {
            assert_eq!(ollama_address(host), expected, "{host}");
        }
    }
}
