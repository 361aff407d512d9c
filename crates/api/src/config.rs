//! What a server says of itself: for whoever looks after it. Never a secret, an address of a database or a path.

use accord_domain::contract::{Embedded, ExtractJson, Strategy, ValidationMode};
use serde::{Deserialize, Serialize};

/// How a server is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ServerConfig {
    /// The version of Accord.
    pub version: String,
    /// Made up anew at each start.
    pub instance: String,
    /// Where it keeps everything.
    pub store: StoreKind,
    /// The address that it listens at, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
    /// Whether a key is needed.
    pub auth: bool,
    /// Whether agents and workflows live in files too, and not only in the store.
    pub files: bool,
    /// Whether siblings in workflows are compared by vectors of an embedding model.
    pub embeddings: bool,
    /// Its bounds.
    pub limits: ServerLimits,
    /// What holds where neither agent nor caller says otherwise.
    pub enforcement: ServerEnforcement,
}

/// Where a server keeps everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    /// A SQLite file.
    #[default]
    Sqlite,
    /// SQLite in memory: gone with the process.
    Memory,
    /// PostgreSQL.
    Postgres,
}

/// The bounds of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ServerLimits {
    /// The largest request body.
    pub request_bytes: u64,
    /// How long a runner's lease holds.
    pub lease_seconds: u32,
    /// How often a run may be lost with its runner.
    pub max_deliveries: u32,
    /// How long a run waits for a runner that can take it.
    pub match_timeout_seconds: u32,
}

/// What holds where neither agent nor caller says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ServerEnforcement {
    /// How often a model is asked again, under a caller's or default contract.
    pub max_retries: u32,
    /// Whether the value may stand in a fence or in prose.
    pub extract_json: ExtractJson,
    /// What happens to a value that stands in prose.
    pub embedded: Embedded,
    /// How much may be mended.
    pub validation_mode: ValidationMode,
    /// How the model is held to it.
    pub strategy: Strategy,
}
