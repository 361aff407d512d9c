//! How a runner is set up.

use std::time::Duration;

use accord_api::Profile;

use crate::limits::{DEFAULT_DRAIN, DEFAULT_RUN_TIME};
use crate::servers::Variables;

/// How a runner is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerSettings {
    /// What it says of itself: host, folder, tags, how many runs at once. Its executors are those of the registry.
    pub profile: Profile,
    /// How long running work may go on once it is told to shut down.
    pub drain: Duration,
    /// How long a run may take where its blueprint does not say.
    pub longest_run: Duration,
    /// Where the coordinator is, for agents that use its tools.
    pub coordinator_url: Option<String>,
    /// What `${NAME}` in blueprints means.
    pub variables: Variables,
}

impl RunnerSettings {
    /// The usual times.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            drain: DEFAULT_DRAIN,
            longest_run: DEFAULT_RUN_TIME,
            coordinator_url: None,
            variables: Variables::default(),
        }
    }
}
