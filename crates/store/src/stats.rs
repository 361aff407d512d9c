//! Statistics over runs and attempts. [`crate::Tally`] computes them for every store.

use accord_domain::attempt::ValueSource;
use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatsQuery {
    /// Only runs made at this time or later.
    pub since: Option<Timestamp>,
    /// Only runs of this agent.
    pub agent_name: Option<String>,
    /// Whether hours are counted too. There are many of them in a long time.
    pub by_hour: bool,
}

/// The statistics of one group. Only finished runs count.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StatRow {
    /// The agent, model, strategy or day; empty for everything together.
    pub key: String,
    /// Finished runs.
    pub runs: u64,
    /// Of those, completed.
    pub completed: u64,
    /// Of the completed, those whose first answer was accepted (or that had no contract).
    pub first_try: u64,
    pub failed: u64,
    /// Failed because the contract was not met.
    pub contract_failed: u64,
    pub stopped: u64,
    pub attempts: u64,
    /// Sources of the accepted values, of completed runs under a contract.
    pub sources: SourceCounts,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Cost of the runs whose cost is known; `None` if there are none.
    pub cost_usd: Option<f64>,
    /// Milliseconds from making to end: the median.
    pub latency_ms_p50: u64,
    /// Milliseconds from making to end: 95 of 100 are quicker.
    pub latency_ms_p95: u64,
}

/// Accepted values by source. Results without a recorded source are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceCounts {
    /// Handed over as a value.
    pub structured: u64,
    /// The whole text of the answer.
    pub text: u64,
    /// In a code fence.
    pub fence: u64,
    /// In other text.
    pub prose: u64,
    /// Entered by a person.
    pub human: u64,
}

impl SourceCounts {
    pub(crate) fn join(&mut self, other: Self) {
        self.structured += other.structured;
        self.text += other.text;
        self.fence += other.fence;
        self.prose += other.prose;
        self.human += other.human;
    }

    pub fn add(&mut self, source: ValueSource) {
        match source {
            ValueSource::Structured => self.structured += 1,
            ValueSource::Text => self.text += 1,
            ValueSource::Fence => self.fence += 1,
            ValueSource::Prose => self.prose += 1,
            ValueSource::Human => self.human += 1,
        }
    }
}

/// The figures, of all runs together and by group, in the order of the keys. A run belongs to the model and the strategy of its
/// last attempt, and to the day (UTC) on which it was made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    pub all: StatRow,
    pub by_agent: Vec<StatRow>,
    pub by_model: Vec<StatRow>,
    pub by_strategy: Vec<StatRow>,
    pub by_day: Vec<StatRow>,
    /// By hour (UTC), where that was asked for.
    pub by_hour: Vec<StatRow>,
}

/// How often one place broke one keyword.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// The place, list indices as `[*]`.
    pub path: String,
    pub keyword: String,
    pub count: u64,
}

#[async_trait]
pub trait StatsStore: Send + Sync {
    /// The figures. Sums end at the largest number that they can be; whatever was reported, they are numbers.
    async fn stats(&self, query: &StatsQuery) -> Result<Figures, StoreError>;

    /// The errors of attempts, the most frequent first.
    async fn frequent_errors(&self, query: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, StoreError>;
}
