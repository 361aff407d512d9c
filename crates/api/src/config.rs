//! The configuration of a server, for operators. Never a secret, an address of a database or a path.

use accord_domain::contract::{Embedded, ExtractJson, Strategy, ValidationMode};
use serde::{Deserialize, Serialize};

/// Configuration of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ServerConfig {
    /// The version of Accord.
    pub version: String,
    /// Random id, new at each start.
    pub instance: String,
    /// The database.
    pub store: StoreKind,
    /// The address it listens on, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
    /// Whether an API key is required.
    pub auth: bool,
    /// Whether agents and workflows are also loaded from files.
    pub files: bool,
    /// Whether workflow outputs are compared with an embedding model.
    pub embeddings: bool,
    /// Limits.
    pub limits: ServerLimits,
    /// Defaults, if neither the agent nor the caller sets a value.
    pub enforcement: ServerEnforcement,
}

/// The kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    /// A SQLite file.
    #[default]
    Sqlite,
    /// SQLite in memory: lost when the process exits.
    Memory,
    /// PostgreSQL.
    Postgres,
}

/// Limits of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ServerLimits {
    /// Maximum size of a request body.
    pub request_bytes: u64,
    /// Duration of a runner's lease.
    pub lease_seconds: u32,
    /// How often a run can be lost with its runner before it fails.
    pub max_deliveries: u32,
    /// How long a run waits for a matching runner.
    pub match_timeout_seconds: u32,
}

/// Defaults, if neither the agent nor the caller sets a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ServerEnforcement {
    /// Maximum retries under a caller's or default contract.
    pub max_retries: u32,
    /// Where the value may be besides alone.
    pub extract_json: ExtractJson,
    /// What happens to a value found in prose.
    pub embedded: Embedded,
    /// Whether damaged JSON is repaired.
    pub validation_mode: ValidationMode,
    /// Strategy to enforce the contract.
    pub strategy: Strategy,
}
