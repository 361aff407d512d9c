//! The values, with their defaults.

use std::collections::BTreeMap;

use accord_coordinator::{Enforcement, Front, Queue, Settings};
use accord_executor::{Auth, Price, ProviderKind};
use serde::{Deserialize, Serialize};

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Values {
    pub(crate) server: Server,
    pub(crate) database: Database,
    pub(crate) queue: Queue,
    pub(crate) front: Front,
    pub(crate) runner: Runner,
    pub(crate) enforcement: Enforcement,
    pub(crate) retry: Retry,
    pub(crate) workflows: Workflows,
    pub(crate) log: Log,
    pub(crate) telemetry: Telemetry,
    pub(crate) providers: BTreeMap<String, Provider>,
    /// What models cost, by `PROVIDER/MODEL`; `PROVIDER/*` is for every other model of it.
    pub(crate) prices: BTreeMap<String, Price>,
    /// What agents mean by the names of tiers.
    pub(crate) tiers: BTreeMap<String, accord_api::agent::Llm>,
}

/// Where the coordinator listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Server {
    pub(crate) listen: String,
    pub(crate) request_limit_bytes: u64,
}

/// Where runs are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Database {
    pub(crate) url: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Runner {
    pub(crate) coordinator: String,
    pub(crate) concurrency: u32,
    pub(crate) tags: Vec<String>,
    pub(crate) project_dir: String,
    /// What commands of agents may reach besides the project folder.
    pub(crate) command_folders: Vec<String>,
    pub(crate) key: String,
    /// The file that holds the key.
    pub(crate) key_file: String,
    pub(crate) drain_seconds: u32,
}

/// How long a runner retries an unreachable provider, unless the agent sets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Retry {
    pub(crate) for_seconds: u32,
    pub(crate) max_attempts: Option<u32>,
}

/// How siblings in workflows are compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Workflows {
    /// The provider of an embedding model; texts are compared by their words where it is empty.
    pub(crate) embedding_provider: String,
    pub(crate) embedding_model: String,
}

/// What is logged, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Log {
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

/// For whom logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Human,
    Json,
}

/// Where traces go.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Telemetry {
    /// An OTLP address (HTTP); nothing is sent where it is empty.
    pub(crate) otlp_endpoint: String,
}

/// A provider with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provider {
    pub(crate) kind: ProviderKind,
    #[serde(default)]
    pub(crate) base_url: Option<String>,
    /// The variable that holds the key.
    #[serde(default)]
    pub(crate) api_key_env: Option<String>,
    /// How an Anthropic key is sent.
    #[serde(default)]
    pub(crate) auth: Auth,
    /// The `anthropic-version` to send.
    #[serde(default)]
    pub(crate) api_version: Option<String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// Which subset of JSON Schema the server enforces.
    #[serde(default)]
    pub(crate) schema_profile: Option<String>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8765".to_owned(),
            request_limit_bytes: Settings::REQUEST_LIMIT_BYTES as u64,
        }
    }
}

impl Default for Database {
    fn default() -> Self {
        Self { url: "sqlite://.accord/accord.db".to_owned() }
    }
}

impl Default for Runner {
    fn default() -> Self {
        Self {
            coordinator: "http://127.0.0.1:8765".to_owned(),
            concurrency: 8,
            tags: Vec::new(),
            project_dir: ".".to_owned(),
            command_folders: Vec::new(),
            key: String::new(),
            key_file: String::new(),
            drain_seconds: 30,
        }
    }
}

impl Default for Retry {
    fn default() -> Self {
        let standard = accord_executor::Retry::default();
        let seconds = standard.for_time.as_secs();
        let for_seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
        Self { for_seconds, max_attempts: standard.max_attempts }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { filter: "info".to_owned(), format: LogFormat::Human }
    }
}
