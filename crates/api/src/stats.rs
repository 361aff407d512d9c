//! Figures over runs.

use serde::{Deserialize, Serialize};

/// Which runs count, and how they are grouped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct StatsQuery {
    /// Only runs made at this time or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub since: Option<jiff::Timestamp>,
    /// Only runs of this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
}

/// The figures of one group. Only runs that are over count.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StatsRow {
    /// The agent, model, strategy or day; `all` for everything together.
    pub key: String,
    /// Runs that are over.
    pub runs: u64,
    /// Completed.
    pub completed: u64,
    /// Completed with the first answer.
    pub first_try: u64,
    /// Completed after being asked again.
    pub after_retry: u64,
    /// Failed.
    pub failed: u64,
    /// Failed because the contract was not met.
    pub contract_failed: u64,
    /// Stopped.
    pub stopped: u64,
    /// Completed, of all.
    pub success_rate: f64,
    /// Completed with the first answer, of all.
    pub first_try_rate: f64,
    /// Completed after being asked again, of all.
    pub retry_rate: f64,
    /// Failed, of all.
    pub failure_rate: f64,
    /// Answers judged.
    pub attempts: u64,
    /// Completed under a contract, by where the accepted value stood.
    #[serde(default)]
    pub sources: SourceCounts,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Money, of the runs of which it is known. Absent where it is known of no run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Milliseconds from making to end: the median.
    pub latency_ms_p50: u64,
    /// Milliseconds from making to end: 95 of 100 are quicker.
    pub latency_ms_p95: u64,
}

/// How many accepted values stood where. Results whose source was not recorded are in none of them.
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
}

/// How often one place broke one keyword.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorCount {
    /// The place, list indices as `[*]`.
    pub path: String,
    /// The keyword.
    pub keyword: String,
    /// How often.
    pub count: u64,
}

/// How full the queue is at this moment, of all agents together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct QueueStats {
    /// Runs that wait for a runner.
    pub pending: u64,
    /// Runs that runners hold.
    pub held: u64,
}

/// All figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Stats {
    /// Everything together.
    pub all: StatsRow,
    /// By agent.
    pub by_agent: Vec<StatsRow>,
    /// By model.
    pub by_model: Vec<StatsRow>,
    /// By strategy.
    pub by_strategy: Vec<StatsRow>,
    /// By day.
    pub by_day: Vec<StatsRow>,
    /// What breaks most.
    pub errors: Vec<ErrorCount>,
    /// The queue now, whatever runs were asked for.
    #[serde(default)]
    pub queue: QueueStats,
}
