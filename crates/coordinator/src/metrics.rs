//! Metrics for Prometheus.
//!
//! One recorder for the process, installed at first use. The functions are called where things happen; names and labels are
//! defined only here. Labels come from a bounded set: values from outside (names of agents and models) are counted as `other`
//! beyond a limit.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, OnceLock, PoisonError};

use accord_domain::attempt::{Attempt, Outcome};
use accord_domain::contract::Strategy;
use accord_domain::quarantine::Kind;
use accord_domain::run::Run;
use accord_domain::usage::Usage;
use accord_domain::workflow::{NodeStatus, Status as WorkflowStatus};
use accord_store::{PoisonedCount, QueueDepth};
use jiff::Timestamp;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::app::Denial;

const RUNS: &str = "accord_runs_total";
const ATTEMPTS: &str = "accord_attempts_total";
const QUEUE_DEPTH: &str = "accord_queue_depth";
const QUEUE_WAIT: &str = "accord_queue_wait_seconds";
const LEASE_LOSSES: &str = "accord_lease_losses_total";
const PROVIDER_REQUEST: &str = "accord_provider_request_seconds";
const TOKENS: &str = "accord_tokens_total";
const COST: &str = "accord_cost_usd_total";
const WORKFLOW_RUNS: &str = "accord_workflow_runs_total";
const WORKFLOW_NODES: &str = "accord_workflow_nodes_total";
const CONTRADICTIONS: &str = "accord_workflow_contradictions_total";
const POISONED: &str = "accord_poisoned_total";
const QUARANTINED: &str = "accord_quarantined";
const HTTP_REQUESTS: &str = "accord_http_requests_total";
const FAILED_AUTHENTICATIONS: &str = "accord_failed_authentications_total";

/// From a wake-up in the same process to an hour in a queue.
const WAIT_BUCKETS: &[f64] = &[0.005, 0.02, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 3600.0];

/// From a scripted model to one that thinks for ten minutes.
const REQUEST_BUCKETS: &[f64] = &[0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0];

/// How many different values of one label are distinguished. Each is a permanent time series.
const MOST_VALUES: usize = 200;

/// What names beyond the limit are counted as.
const OTHER: &str = "other";

/// Costs are fractions of a dollar, and counters are integers: the sums are kept here and exported as a gauge.
static COST_USD: Mutex<Option<HashMap<String, f64>>> = Mutex::new(None);

/// The recorder; none where the process has another one already.
fn recorder() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE.get_or_init(install).as_ref()
}

fn install() -> Option<PrometheusHandle> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(QUEUE_WAIT.to_owned()), WAIT_BUCKETS)
        .and_then(|builder| {
            builder.set_buckets_for_metric(Matcher::Full(PROVIDER_REQUEST.to_owned()), REQUEST_BUCKETS)
        });
    let installed = builder.and_then(PrometheusBuilder::install_recorder);
    match installed {
        Ok(handle) => {
            describe();
            Some(handle)
        }
        Err(error) => {
            tracing::warn!(%error, "metrics are not collected: the process already has another recorder");
            None
        }
    }
}

fn describe() {
    describe_counter!(RUNS, "Finished runs, by agent and outcome");
    describe_counter!(ATTEMPTS, "Validated model answers, by strategy and outcome");
    describe_gauge!(QUEUE_DEPTH, "Runs waiting for a runner, and runs held by runners");
    describe_histogram!(QUEUE_WAIT, "Seconds a run waited for a runner");
    describe_counter!(LEASE_LOSSES, "Runs lost with their runner");
    describe_histogram!(PROVIDER_REQUEST, "Duration of each provider request in seconds, retries included");
    describe_counter!(TOKENS, "Input and output tokens of models");
    describe_gauge!(COST, "Model cost in US dollars, if prices are known");
    describe_counter!(WORKFLOW_RUNS, "Finished workflow runs, by workflow and outcome");
    describe_counter!(WORKFLOW_NODES, "Finished workflow nodes, by kind and outcome");
    describe_counter!(CONTRADICTIONS, "Contradictions between upstream agents of one node, by workflow");
    describe_counter!(POISONED, "Work quarantined because it crashed coordinators, by kind");
    describe_gauge!(QUARANTINED, "Runs and workflow runs that failed as poisoned and have not been deleted");
    describe_counter!(HTTP_REQUESTS, "Requests, by route and status class");
    describe_counter!(FAILED_AUTHENTICATIONS, "Requests without a valid key or run token, by reason");
    // An alert on losses needs a series from the beginning.
    counter!(LEASE_LOSSES).increment(0);
    for kind in [Kind::WorkflowStep, Kind::Callback, Kind::Finish] {
        counter!(POISONED, "kind" => kind.as_str()).increment(0);
    }
    for denial in Denial::ALL {
        counter!(FAILED_AUTHENTICATIONS, "reason" => denial.as_str()).increment(0);
    }
}

pub(crate) fn run_over(run: &Run) {
    let _ = recorder();
    let outcome = run.failure.as_ref().map_or(run.status.as_str(), |failure| failure.kind.as_str());
    counter!(RUNS, "agent" => bounded("agent", &run.agent_name), "outcome" => outcome).increment(1);
}

/// The metrics of an attempt: taken before the attempt is passed to the store, counted once it is
/// stored.
pub(crate) struct Figures {
    strategy: Strategy,
    outcome: Outcome,
    model: String,
    endpoint: String,
    request_ms: Vec<u64>,
    usage: Usage,
}

impl Figures {
    pub(crate) fn of(attempt: &Attempt) -> Self {
        Self {
            strategy: attempt.strategy,
            outcome: attempt.outcome,
            model: attempt.model.clone(),
            endpoint: attempt.endpoint.clone(),
            request_ms: attempt.request_ms.clone(),
            usage: attempt.usage,
        }
    }
}

pub(crate) fn attempt(figures: &Figures) {
    let _ = recorder();
    // A command is not a model: no provider is called, and it has no strategy that could be
    // compared with others.
    if figures.strategy == Strategy::Auto {
        return;
    }
    let (strategy, outcome) = (figures.strategy.as_str(), figures.outcome.as_str());
    counter!(ATTEMPTS, "strategy" => strategy, "outcome" => outcome).increment(1);
    let (model, endpoint) = (bounded("model", &figures.model), bounded("endpoint", &figures.endpoint));
    let requests = histogram!(PROVIDER_REQUEST, "model" => model.clone(), "endpoint" => endpoint);
    figures.request_ms.iter().for_each(|milliseconds| requests.record(*milliseconds as f64 / 1_000.0));
    let usage = &figures.usage;
    counter!(TOKENS, "direction" => "input", "model" => model.clone()).increment(usage.input_tokens);
    counter!(TOKENS, "direction" => "output", "model" => model.clone()).increment(usage.output_tokens);
    if let Some(cost) = usage.cost_usd.filter(|cost| cost.is_finite() && *cost > 0.0) {
        let mut totals = COST_USD.lock().unwrap_or_else(PoisonError::into_inner);
        let total = totals.get_or_insert_default().entry(model.clone()).or_default();
        *total += cost;
        gauge!(COST, "model" => model).set(*total);
    }
}

/// The counts of one step of a workflow run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WorkflowStep {
    pub(crate) workflow: String,
    /// How the run ended, if it did.
    pub(crate) ended: Option<WorkflowStatus>,
    /// The nodes that finished with this step: their kinds and outcomes.
    pub(crate) nodes: Vec<(&'static str, NodeStatus)>,
    pub(crate) contradictions: u64,
}

/// A workflow run went on, and that is kept.
pub(crate) fn workflow_step(step: &WorkflowStep) {
    let _ = recorder();
    for (kind, status) in &step.nodes {
        counter!(WORKFLOW_NODES, "kind" => *kind, "outcome" => status.as_str()).increment(1);
    }
    let workflow = || bounded("workflow", &step.workflow);
    if step.contradictions > 0 {
        counter!(CONTRADICTIONS, "workflow" => workflow()).increment(step.contradictions);
    }
    if let Some(status) = step.ended {
        counter!(WORKFLOW_RUNS, "workflow" => workflow(), "outcome" => status.as_str()).increment(1);
    }
}

pub(crate) fn claimed(run: &Run, now: Timestamp) {
    let _ = recorder();
    histogram!(QUEUE_WAIT).record(now.duration_since(run.queued_at).as_secs_f64().max(0.0));
}

/// A run was lost with its runner.
pub(crate) fn lease_lost() {
    let _ = recorder();
    counter!(LEASE_LOSSES).increment(1);
}

/// Work was quarantined because coordinators crashed on it.
pub(crate) fn poisoned(kind: Kind) {
    let _ = recorder();
    counter!(POISONED, "kind" => kind.as_str()).increment(1);
}

pub(crate) fn http_request(route: &str, status: u16) {
    let _ = recorder();
    let class = match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    };
    counter!(HTTP_REQUESTS, "route" => bounded("route", route), "status" => class).increment(1);
}

pub(crate) fn failed_authentication(denial: Denial) {
    let _ = recorder();
    counter!(FAILED_AUTHENTICATIONS, "reason" => denial.as_str()).increment(1);
}

/// Moves measurements into their buckets. Without this, every measurement is kept until metrics are read.
pub(crate) fn upkeep() {
    if let Some(recorder) = recorder() {
        recorder.run_upkeep();
    }
}

/// Everything, as Prometheus reads it. How much waits is left out where it is not known: what was known before is not so now.
pub(crate) fn render(counted: Option<(QueueDepth, PoisonedCount)>) -> Option<String> {
    let recorder = recorder()?;
    if let Some((depth, poisoned)) = counted {
        gauge!(QUEUE_DEPTH, "state" => "pending").set(depth.pending as f64);
        gauge!(QUEUE_DEPTH, "state" => "held").set(depth.held as f64);
        gauge!(QUARANTINED, "kind" => "run").set(poisoned.runs as f64);
        gauge!(QUARANTINED, "kind" => "workflow_run").set(poisoned.workflow_runs as f64);
    }
    recorder.run_upkeep();
    let text = recorder.render();
    let is_known =
        |line: &&str| counted.is_some() || ![QUEUE_DEPTH, QUARANTINED].iter().any(|name| line.contains(name));
    Some(text.split_inclusive('\n').filter(is_known).collect())
}

/// A label's value, or `other` where there are too many.
fn bounded(label: &'static str, value: &str) -> String {
    static KNOWN: Mutex<Option<HashMap<&'static str, HashSet<String>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let values = known.get_or_insert_default().entry(label).or_default();
    if values.contains(value) {
        return value.to_owned();
    }
    if values.len() >= MOST_VALUES || value.len() > LONGEST_VALUE {
        return OTHER.to_owned();
    }
    values.insert(value.to_owned());
    value.to_owned()
}

/// The longest value of a label; names are shorter.
const LONGEST_VALUE: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_from_outside_are_bounded() {
        for number in 0..1_000 {
            bounded("test", &number.to_string());
        }
        assert_eq!(bounded("test", "0"), "0");
        assert_eq!(bounded("test", "999"), OTHER);
        assert_eq!(bounded("another test", &"x".repeat(1_000)), OTHER);
    }

    #[test]
    fn requests_are_counted_by_class() {
        http_request("/agents", 404);
        http_request("/agents", 409);
        let text =
            render(Some((QueueDepth { pending: 3, held: 1 }, PoisonedCount { runs: 2, workflow_runs: 1 })))
                .unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.contains(&r#"accord_http_requests_total{route="/agents",status="4xx"} 2"#), "{text}");
        assert!(lines.contains(&r#"accord_queue_depth{state="pending"} 3"#), "{text}");
        assert!(lines.contains(&r#"accord_quarantined{kind="run"} 2"#), "{text}");
        let text = render(None).unwrap();
        assert!(
            text.contains("accord_http_requests_total{")
                && !text.contains("accord_queue_depth")
                && !text.contains("accord_quarantined"),
            "{text}"
        );
    }
}
