//! Figures over runs.

use serde::{Deserialize, Serialize};

/// Filter for statistics.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct StatsQuery {
    /// Filter by creation time: runs at or after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub since: Option<jiff::Timestamp>,
    /// Filter by agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
}

/// Statistics of one group of finished runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StatsRow {
    /// The agent, model, strategy, day or hour; `all` for the total.
    pub key: String,
    /// Finished runs.
    pub runs: u64,
    /// Completed.
    pub completed: u64,
    /// Completed on the first attempt.
    pub first_try: u64,
    /// Completed after a retry.
    pub after_retry: u64,
    /// Failed.
    pub failed: u64,
    /// Failed because the output did not conform to the contract.
    pub contract_failed: u64,
    /// Stopped.
    pub stopped: u64,
    /// Share of completed runs.
    pub success_rate: f64,
    /// Share of runs completed on the first attempt.
    pub first_try_rate: f64,
    /// Share of runs completed after a retry.
    pub retry_rate: f64,
    /// Share of failed runs.
    pub failure_rate: f64,
    /// Validated answers.
    pub attempts: u64,
    /// Completed under a contract, by where the accepted value was found.
    #[serde(default)]
    pub sources: SourceCounts,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Cost of the runs with known cost. Absent if no cost is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Median milliseconds from creation to finish.
    pub latency_ms_p50: u64,
    /// 95th percentile of milliseconds from creation to finish.
    pub latency_ms_p95: u64,
}

/// Number of accepted values by source. Results without a recorded source are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SourceCounts {
    /// Handed over as a value: structured output, or the arguments of a submit tool.
    pub structured: u64,
    /// The whole text of the answer.
    pub text: u64,
    /// In a code fence.
    pub fence: u64,
    /// In other text.
    pub prose: u64,
    /// Entered by a person.
    #[serde(default)]
    pub human: u64,
}

/// Number of violations of one keyword at one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorCount {
    /// The path, with list indices as `[*]`.
    pub path: String,
    /// The keyword.
    pub keyword: String,
    /// Count.
    pub count: u64,
}

/// Current length of the queue, for all agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct QueueStats {
    /// Runs waiting for a runner.
    pub pending: u64,
    /// Runs held by runners.
    pub held: u64,
}

/// Statistics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Stats {
    /// Total.
    pub all: StatsRow,
    /// By agent.
    pub by_agent: Vec<StatsRow>,
    /// By model: its attempts, tokens and cost. A run with several models counts for each; all but the last have failed in it.
    /// Commands have none and are not listed.
    pub by_model: Vec<StatsRow>,
    /// By strategy.
    pub by_strategy: Vec<StatsRow>,
    /// By day (UTC).
    pub by_day: Vec<StatsRow>,
    /// By hour (UTC), with keys such as `2026-11-17T10:00Z`; only with a `since` of at most 48 hours ago, else empty.
    #[serde(default)]
    pub by_hour: Vec<StatsRow>,
    /// Most frequent violations.
    pub errors: Vec<ErrorCount>,
    /// The current queue, regardless of filters.
    #[serde(default)]
    pub queue: QueueStats,
}
