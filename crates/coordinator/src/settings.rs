//! The settings of a coordinator.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use accord_api::StoreKind;
use accord_domain::agent::Llm;
use accord_domain::contract::{Embedded, ExtractJson, Strategy, ValidationMode};
use serde::{Deserialize, Serialize};

/// Everything that can be set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder with agent files, `.accord/agents`; `None` if all agents are in the store.
    pub agents_dir: Option<PathBuf>,
    /// The folder with workflow files, `.accord/workflows`; `None` if all workflows are in the
    /// store.
    pub workflows_dir: Option<PathBuf>,
    /// The providers that runners of this project have in their settings, and the tiers as `tier:NAME`. An agent that names another one, which is not
    /// built in either, gets a warning.
    pub providers: Vec<String>,
    /// What agents mean by the names of tiers.
    pub tiers: BTreeMap<String, Llm>,
    /// The kind of store. Only reported, it does not change the behaviour.
    pub store: StoreKind,
    /// The largest request body. A runner's report on the end of a run may be four times as large.
    pub request_limit_bytes: usize,
    /// How runs are handed out.
    pub queue: Queue,
    /// How often everything that waits also polls, because wake-ups are hints and can be lost.
    pub poll_interval: Duration,
    /// Defaults for agents and callers that do not set them.
    pub enforcement: Enforcement,
    /// Callers that wait for an answer.
    pub front: Front,
}

/// Callers that wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Front {
    /// How long work goes on after its last caller has left.
    pub linger_seconds: u32,
}

/// How runs are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Queue {
    /// How long a lease holds, [`Queue::SHORTEST_LEASE_SECONDS`] or longer.
    pub lease_seconds: u32,
    /// How often a run may be lost with its runner.
    pub max_deliveries: u32,
    /// How long a run waits for a runner that can take it.
    pub match_timeout_seconds: u32,
}

impl Queue {
    /// How often a runner renews a lease before it ends. A heartbeat waits at the coordinator, so its answer is one interval
    /// old: with two in a lease, it would come when the lease has ended.
    pub const BEATS_IN_A_LEASE: u32 = 3;

    /// Heartbeats are whole seconds apart.
    pub const SHORTEST_LEASE_SECONDS: u32 = Self::BEATS_IN_A_LEASE;
}

/// Defaults for agents and callers that do not set them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Enforcement {
    /// How often a model is asked again, under a caller's or default contract.
    pub max_retries: u32,
    /// Whether the value may be in a fence or in prose.
    pub extract_json: ExtractJson,
    /// What happens to a value in prose.
    pub embedded: Embedded,
    /// Which repairs are allowed.
    pub validation_mode: ValidationMode,
    /// How the model is held to it.
    pub strategy: Strategy,
}

impl Settings {
    /// A conversation with a few large files fits; a model cannot read more anyway.
    pub const REQUEST_LIMIT_BYTES: usize = 8 * 1024 * 1024;
}

impl Default for Queue {
    fn default() -> Self {
        Self { lease_seconds: 30, max_deliveries: 3, match_timeout_seconds: 300 }
    }
}

impl Default for Front {
    fn default() -> Self {
        Self { linger_seconds: 30 }
    }
}

impl Default for Enforcement {
    fn default() -> Self {
        Self {
            max_retries: 2,
            extract_json: ExtractJson::ALL,
            embedded: Embedded::Accept,
            validation_mode: ValidationMode::Strict,
            strategy: Strategy::Auto,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            agents_dir: None,
            workflows_dir: None,
            providers: Vec::new(),
            tiers: BTreeMap::new(),
            store: StoreKind::default(),
            request_limit_bytes: Self::REQUEST_LIMIT_BYTES,
            queue: Queue::default(),
            poll_interval: Duration::from_secs(5),
            enforcement: Enforcement::default(),
            front: Front::default(),
        }
    }
}
