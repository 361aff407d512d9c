//! Computes statistics. A store reads each finished run once, with its attempts, and all groups are
//! computed from that: reading the runs again for each group would take several times as long.
//!
//! What the runs of an hour come to can be kept ([`HourFigures`]) and added instead of the runs. Every latency is kept, because
//! percentiles cannot be combined from those of parts.

use std::collections::BTreeMap;

use accord_domain::attempt::{Outcome, ValueSource};
use accord_domain::run::{FailureType, Status};
use accord_domain::usage::Usage;
use jiff::Timestamp;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as NameError, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::hours::{HourFigures, hour_of, time_of};
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
    /// The agent that is asked for, of the hours that are added.
    agent_name: Option<String>,
    /// What the runs of each hour come to, if that is to be kept.
    hours: Option<BTreeMap<i64, HourFigures>>,
    /// The run whose attempts are still coming.
    open: Option<Tried>,
}

/// What the runs of a group come to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Sum {
    row: StatRow,
    #[serde(with = "crate::hours::latencies")]
    latencies: Vec<u64>,
}

#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) run: EndedRun,
    attempts: u64,
    first_accepted: bool,
    pub(crate) model: String,
    pub(crate) strategy: String,
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
        let agent_name = query.agent_name.clone();
        Self { by_hour: query.by_hour.then(BTreeMap::new), agent_name, ..Self::default() }
    }

    /// For [`Tally::hours`].
    pub fn of_hours() -> Self {
        Self { hours: Some(BTreeMap::new()), ..Self::default() }
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

    /// Adds what the runs of an hour came to, of the agent that is asked for.
    pub fn add_hour(&mut self, hour: i64, figures: &HourFigures) {
        let wanted = self.agent_name.clone();
        for (agent_name, of_agent) in figures.agents(wanted.as_deref()) {
            for sum in of_agent.whole_runs() {
                self.groups(time_of(hour), agent_name).into_iter().for_each(|group| group.join(sum));
            }
            for (strategy, sum) in of_agent.strategies() {
                group(&mut self.by_strategy, strategy).join(sum);
            }
            for (model, sum) in of_agent.models() {
                group(&mut self.by_model, model).join(sum);
            }
        }
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

    /// What the runs of each hour come to.
    #[must_use]
    pub fn hours(mut self) -> BTreeMap<i64, HourFigures> {
        self.close();
        self.hours.unwrap_or_default()
    }

    /// The groups of whole runs, but for their strategy and models.
    fn groups(&mut self, created_at: Timestamp, agent_name: &str) -> Vec<&mut Sum> {
        let day = created_at.strftime("%Y-%m-%d").to_string();
        let mut groups =
            vec![&mut self.all, group(&mut self.by_day, &day), group(&mut self.by_agent, agent_name)];
        if let Some(by_hour) = &mut self.by_hour {
            groups.push(group(by_hour, &created_at.strftime("%Y-%m-%dT%H:00Z").to_string()));
        }
        groups
    }

    fn close(&mut self) {
        let Some(tried) = self.open.take() else { return };
        if let Some(hours) = &mut self.hours {
            let hour = hours.entry(hour_of(tried.run.created_at)).or_default();
            return hour.add(&tried.run.agent_name.clone(), tried, by_model);
        }
        let groups = self.groups(tried.run.created_at, &tried.run.agent_name);
        groups.into_iter().for_each(|group| group.add(&tried));
        group(&mut self.by_strategy, &tried.strategy).add(&tried);
        for tried in by_model(tried) {
            group(&mut self.by_model, &tried.model).add(&tried);
        }
    }
}

/// A group by its key.
pub(crate) fn group<'a>(groups: &'a mut BTreeMap<String, Sum>, key: &str) -> &'a mut Sum {
    groups.entry(key.to_owned()).or_default()
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

impl Tried {
    /// Whether more than one model answered.
    pub(crate) fn is_mixed(&self) -> bool {
        self.parts.len() > 1
    }
}

impl Sum {
    /// Adds what other runs came to.
    fn join(&mut self, other: &Self) {
        let (row, more) = (&mut self.row, &other.row);
        row.runs += more.runs;
        row.completed += more.completed;
        row.first_try += more.first_try;
        row.failed += more.failed;
        row.contract_failed += more.contract_failed;
        row.stopped += more.stopped;
        row.attempts += more.attempts;
        row.sources.join(more.sources);
        row.input_tokens = tokens(row.input_tokens, more.input_tokens);
        row.output_tokens = tokens(row.output_tokens, more.output_tokens);
        if let Some(cost) = more.cost_usd {
            *row.cost_usd.get_or_insert(0.0) += cost;
        }
        self.latencies.extend_from_slice(&other.latencies);
    }

    pub(crate) fn add(&mut self, tried: &Tried) {
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
        StatRow {
            key,
            latency_ms_p50: percentile(&mut self.latencies, 50),
            latency_ms_p95: percentile(&mut self.latencies, 95),
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

/// The percentile of values, which changes their order.
fn percentile(values: &mut [u64], percent: usize) -> u64 {
    let index = (values.len() * percent).div_ceil(100).saturating_sub(1);
    if values.is_empty() { 0 } else { *values.select_nth_unstable(index).1 }
}
