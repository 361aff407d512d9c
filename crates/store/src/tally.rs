//! Computes statistics. A store reads each finished run once, with its attempts, and all groups are
//! computed from that: reading the runs again for each group would take several times as long, and
//! percentiles cannot be combined from those of parts.

use std::collections::BTreeMap;

use accord_domain::attempt::{Outcome, ValueSource};
use accord_domain::run::{FailureType, Status};
use accord_domain::usage::Usage;
use jiff::Timestamp;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as NameError, StrDeserializer};

use crate::stats::{Figures, StatRow, StatsQuery};

/// Sums of tokens end here: columns hold no larger number.
pub const MOST_TOKENS_COUNTED: u64 = i64::MAX as u64;

/// What one run cost counts from 0 up to this, so that no sum of costs is too large to be a number.
pub const MOST_COST_COUNTED: f64 = 1e290;

/// The fields of a finished run that are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedRun {
    pub agent_name: String,
    /// Completed, failed or stopped.
    pub status: Status,
    /// The name of its failure.
    pub failure_type: Option<String>,
    /// Whether it was under contract.
    pub contracted: bool,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Money, where it is known.
    pub cost_usd: Option<f64>,
    pub created_at: Timestamp,
    pub finished_at: Timestamp,
}

#[derive(Debug, Default)]
pub struct Tally {
    all: Sum,
    by_agent: BTreeMap<String, Sum>,
    by_model: BTreeMap<String, Sum>,
    by_strategy: BTreeMap<String, Sum>,
    by_day: BTreeMap<String, Sum>,
    by_hour: Option<BTreeMap<String, Sum>>,
    /// The run whose attempts are still coming.
    open: Option<Tried>,
}

#[derive(Debug, Default)]
struct Sum {
    row: StatRow,
    latencies: Vec<u64>,
}

#[derive(Debug)]
struct Tried {
    run: EndedRun,
    attempts: u64,
    first_accepted: bool,
    model: String,
    strategy: String,
    source: Option<ValueSource>,
    /// The share of each model of the run, in the order in which they were first used.
    parts: Vec<Part>,
}

/// The attempts of one model in a run.
#[derive(Debug)]
struct Part {
    model: String,
    attempts: u64,
    first_accepted: bool,
    failed_contract: bool,
    usage: Usage,
}

/// An attempt, as far as it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedAttempt<'a> {
    /// The name of its outcome.
    pub outcome: &'a str,
    pub model: String,
    /// The name of its strategy.
    pub strategy: String,
    /// The source of the accepted value, by name.
    pub source: Option<&'a str>,
    pub usage: Usage,
}

impl Tally {
    /// Nothing yet, of what is asked for.
    pub fn new(query: &StatsQuery) -> Self {
        Self { by_hour: query.by_hour.then(BTreeMap::new), ..Self::default() }
    }

    /// Adds a run. Its attempts are added next.
    pub fn run(&mut self, run: EndedRun) {
        self.close();
        // A runner may report no attempts; then there are no retries to count.
        let (model, strategy) = (String::new(), String::new());
        let (source, parts) = (None, Vec::new());
        self.open = Some(Tried { run, attempts: 0, first_accepted: true, model, strategy, source, parts });
    }

    /// Adds an attempt of the run that was added last. Attempts come in their order.
    pub fn attempt(&mut self, attempt: CountedAttempt<'_>) {
        let Some(open) = &mut self.open else { return };
        if open.attempts == 0 {
            open.first_accepted = attempt.outcome == Outcome::Accepted.as_str();
        }
        open.attempts += 1;
        part(&mut open.parts, &attempt);
        open.model = attempt.model;
        open.strategy = attempt.strategy;
        open.source = ValueSource::ALL.iter().copied().find(|source| Some(source.as_str()) == attempt.source);
    }

    #[must_use]
    pub fn figures(mut self) -> Figures {
        self.close();
        Figures {
            all: self.all.row(String::new()),
            by_agent: rows(self.by_agent),
            by_model: rows(self.by_model),
            by_strategy: rows(self.by_strategy),
            by_day: rows(self.by_day),
            by_hour: rows(self.by_hour.unwrap_or_default()),
        }
    }

    fn close(&mut self) {
        let Some(tried) = self.open.take() else { return };
        let day = tried.run.created_at.strftime("%Y-%m-%d").to_string();
        self.all.add(&tried);
        self.by_day.entry(day).or_default().add(&tried);
        if let Some(by_hour) = &mut self.by_hour {
            let hour = tried.run.created_at.strftime("%Y-%m-%dT%H:00Z").to_string();
            by_hour.entry(hour).or_default().add(&tried);
        }
        self.by_agent.entry(tried.run.agent_name.clone()).or_default().add(&tried);
        self.by_strategy.entry(tried.strategy.clone()).or_default().add(&tried);
        for tried in by_model(tried) {
            self.by_model.entry(tried.model.clone()).or_default().add(&tried);
        }
    }
}

/// Adds an attempt to those of its model.
fn part(parts: &mut Vec<Part>, attempt: &CountedAttempt<'_>) {
    let accepted = attempt.outcome == Outcome::Accepted.as_str();
    let named: StrDeserializer<'_, NameError> = attempt.outcome.into_deserializer();
    let failed_contract = Outcome::deserialize(named).is_ok_and(Outcome::is_answer);
    match parts.iter_mut().find(|part| part.model == attempt.model) {
        Some(part) => {
            part.attempts += 1;
            part.failed_contract = failed_contract;
            part.usage = part.usage.and(attempt.usage);
        }
        None => parts.push(Part {
            model: attempt.model.clone(),
            attempts: 1,
            first_accepted: accepted,
            failed_contract,
            usage: attempt.usage,
        }),
    }
}

/// The share of each model in a run. The last one has the run's end, and the others have failed in it. A run with one model is
/// that model's as a whole, including usage without an attempt.
fn by_model(tried: Tried) -> Vec<Tried> {
    if tried.parts.len() <= 1 {
        return vec![tried];
    }
    let Tried { run, model: last, strategy, source, parts, .. } = tried;
    let share = |part: Part| {
        let is_last = part.model == last;
        let failure = match part.failed_contract {
            true => FailureType::OutputSchemaValidationFailed,
            false => FailureType::ExecutorFailed,
        };
        let Usage { input_tokens, output_tokens, cost_usd } = part.usage;
        let run = EndedRun {
            status: if is_last { run.status } else { Status::Failed },
            failure_type: match is_last {
                true => run.failure_type.clone(),
                false => Some(failure.as_str().to_owned()),
            },
            input_tokens,
            output_tokens,
            cost_usd,
            ..run.clone()
        };
        Tried {
            run,
            attempts: part.attempts,
            first_accepted: part.first_accepted,
            model: part.model,
            strategy: strategy.clone(),
            source: source.filter(|_| is_last),
            parts: Vec::new(),
        }
    };
    parts.into_iter().map(share).collect()
}

impl Sum {
    fn add(&mut self, tried: &Tried) {
        let (row, run) = (&mut self.row, &tried.run);
        row.runs += 1;
        match run.status {
            Status::Completed => {
                row.completed += 1;
                row.first_try += u64::from(!run.contracted || tried.first_accepted);
                if let Some(source) = tried.source {
                    row.sources.add(source);
                }
            }
            Status::Failed => {
                row.failed += 1;
                row.contract_failed += u64::from(broke_contract(run));
            }
            _ => row.stopped += 1,
        }
        row.attempts += tried.attempts;
        row.input_tokens = tokens(row.input_tokens, run.input_tokens);
        row.output_tokens = tokens(row.output_tokens, run.output_tokens);
        if let Some(cost) = run.cost_usd {
            *row.cost_usd.get_or_insert(0.0) += cost.clamp(0.0, MOST_COST_COUNTED);
        }
        let taken = run.finished_at.duration_since(run.created_at).as_millis();
        self.latencies.push(u64::try_from(taken).unwrap_or_default());
    }

    fn row(mut self, key: String) -> StatRow {
        self.latencies.sort_unstable();
        StatRow {
            key,
            latency_ms_p50: percentile(&self.latencies, 50),
            latency_ms_p95: percentile(&self.latencies, 95),
            ..self.row
        }
    }
}

fn rows(sums: BTreeMap<String, Sum>) -> Vec<StatRow> {
    sums.into_iter().map(|(key, sum)| sum.row(key)).collect()
}

fn broke_contract(run: &EndedRun) -> bool {
    let kinds = [FailureType::OutputSchemaValidationFailed, FailureType::SchemaValidationFailed];
    kinds.iter().any(|kind| run.failure_type.as_deref() == Some(kind.as_str()))
}

fn tokens(sum: u64, more: u64) -> u64 {
    sum.saturating_add(more).min(MOST_TOKENS_COUNTED)
}

/// The percentile of sorted values.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}
