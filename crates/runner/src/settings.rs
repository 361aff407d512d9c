//! How a runner is set up.

use std::time::Duration;

use accord_api::Profile;
use accord_api::agent;
use accord_executor::Retry;

use crate::limits::{DEFAULT_DRAIN, DEFAULT_RUN_TIME};
use crate::servers::Variables;

/// How a runner is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerSettings {
    /// Its profile: host, folder, tags, and concurrency. Its executors are those of the registry.
    pub profile: Profile,
    /// How long running work may continue during a shutdown.
    pub drain: Duration,
    /// How long a run may take where its blueprint does not say.
    pub longest_run: Duration,
    /// How long to keep asking a provider that is away, where the blueprint does not say.
    pub retry: Retry,
    /// The address of the coordinator, for agents that use its tools.
    pub coordinator_url: Option<String>,
    /// What `${NAME}` in blueprints means.
    pub variables: Variables,
}

impl RunnerSettings {
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            drain: DEFAULT_DRAIN,
            longest_run: DEFAULT_RUN_TIME,
            retry: Retry::default(),
            coordinator_url: None,
            variables: Variables::default(),
        }
    }

    /// How long to keep asking a provider that is away, for an agent.
    pub(crate) fn retry_of(&self, agent: &agent::Retry) -> Retry {
        Retry {
            for_time: agent
                .for_seconds
                .map_or(self.retry.for_time, |seconds| Duration::from_secs(seconds.into())),
            max_attempts: agent.max_attempts.or(self.retry.max_attempts),
        }
    }
}
