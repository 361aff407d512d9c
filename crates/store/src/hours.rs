//! What the finished runs of an hour come to, kept so that statistics need not read the runs again.
//!
//! A store keeps it for hours in which nothing more is expected. If a run of such an hour finishes or is removed all the same, the
//! same transaction marks the hour, and its runs are read again until it is kept anew. So statistics never count what is not so.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::stats::{ErrorCount, StatsQuery};
use crate::tally::{Sum, Tried, group};

const SECONDS_OF_HOUR: i64 = 3600;

/// The number of the hour of a time.
pub fn hour_of(time: Timestamp) -> i64 {
    time.as_second().div_euclid(SECONDS_OF_HOUR)
}

/// When an hour begins.
pub(crate) fn time_of(hour: i64) -> Timestamp {
    Timestamp::from_second(hour.saturating_mul(SECONDS_OF_HOUR)).unwrap_or_default()
}

/// Of one hour, by agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HourFigures(BTreeMap<String, AgentHour>);

/// Of one hour and one agent. Runs in which one model answered are counted once, by their strategy and model; the few others apart
/// by strategy, and each model's share of them by model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct AgentHour {
    plain: BTreeMap<String, BTreeMap<String, Sum>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    mixed: BTreeMap<String, Sum>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    shares: BTreeMap<String, Sum>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ErrorCount>,
}

impl HourFigures {
    /// Adds a run; a mixed one is divided into the shares of its models.
    pub(crate) fn add(&mut self, agent_name: &str, run: Tried, shares: impl Fn(Tried) -> Vec<Tried>) {
        let of_agent = self.0.entry(agent_name.to_owned()).or_default();
        if !run.is_mixed() {
            let by_model = of_agent.plain.entry(run.strategy.clone()).or_default();
            group(by_model, &run.model).add(&run);
            return;
        }
        group(&mut of_agent.mixed, &run.strategy).add(&run);
        for share in shares(run) {
            group(&mut of_agent.shares, &share.model).add(&share);
        }
    }

    /// Adds how often an error occurred in the runs of an agent.
    pub fn add_error(&mut self, agent_name: &str, error: ErrorCount) {
        let errors = &mut self.0.entry(agent_name.to_owned()).or_default().errors;
        match errors.iter_mut().find(|known| (&known.path, &known.keyword) == (&error.path, &error.keyword)) {
            Some(known) => known.count += error.count,
            None => errors.push(error),
        }
    }

    /// Of one agent or of all.
    pub(crate) fn agents<'a>(
        &'a self,
        agent_name: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a str, &'a AgentHour)> {
        let all = self.0.iter().map(|(name, of_agent)| (name.as_str(), of_agent));
        all.filter(move |(name, _)| agent_name.is_none_or(|wanted| wanted == *name))
    }
}

impl AgentHour {
    /// Every run once.
    pub(crate) fn whole_runs(&self) -> impl Iterator<Item = &Sum> {
        self.plain.values().flat_map(BTreeMap::values).chain(self.mixed.values())
    }

    pub(crate) fn strategies(&self) -> impl Iterator<Item = (&str, &Sum)> {
        let plain =
            self.plain.iter().flat_map(|(strategy, models)| models.values().map(move |sum| (strategy, sum)));
        plain.chain(&self.mixed).map(|(strategy, sum)| (strategy.as_str(), sum))
    }

    pub(crate) fn models(&self) -> impl Iterator<Item = (&str, &Sum)> {
        let plain = self.plain.values().flatten();
        plain.chain(&self.shares).map(|(model, sum)| (model.as_str(), sum))
    }
}

/// Counts errors of hours that are kept and of others.
#[derive(Debug, Default)]
pub struct ErrorTally(BTreeMap<(String, String), u64>);

impl ErrorTally {
    pub fn add(&mut self, error: &ErrorCount) {
        let key = (error.path.clone(), error.keyword.clone());
        *self.0.entry(key).or_default() += error.count;
    }

    /// Adds those of an hour, of the agent that is asked for.
    pub fn add_hour(&mut self, figures: &HourFigures, query: &StatsQuery) {
        let agents = figures.agents(query.agent_name.as_deref());
        agents.flat_map(|(_, of_agent)| &of_agent.errors).for_each(|error| self.add(error));
    }

    /// The most frequent ones first.
    #[must_use]
    pub fn most_frequent(self, limit: u32) -> Vec<ErrorCount> {
        let counts = self.0.into_iter().map(|((path, keyword), count)| ErrorCount { path, keyword, count });
        let mut counts: Vec<ErrorCount> = counts.collect();
        // Equal ones stay in the order of their places.
        counts.sort_by_key(|error| std::cmp::Reverse(error.count));
        counts.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        counts
    }
}

/// Numbers as the differences between them in order, as text: a tenth of the numbers in JSON, and read in a tenth of the time.
pub(crate) mod latencies {
    use std::fmt::Write as _;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(values: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        let mut values = values.to_vec();
        values.sort_unstable();
        let (mut text, mut last) = (String::new(), 0);
        for value in values {
            // Writing to a text never fails.
            let _ = write!(text, "{} ", value - last);
            last = value;
        }
        serializer.serialize_str(text.trim_end())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut last = 0_u64;
        let values = text.split_ascii_whitespace().map(|difference| {
            last = last.saturating_add(difference.parse().map_err(D::Error::custom)?);
            Ok(last)
        });
        values.collect()
    }
}

/// The times of creation that are read: from the first to before the second.
pub type Span = (Timestamp, Timestamp);

/// The times of these hours, which are in order: hours that follow each other are one.
pub fn spans_of(hours: &[i64]) -> Vec<Span> {
    let follows = |hour: &i64, next: &i64| hour + 1 == *next;
    let spans = hours.chunk_by(follows).filter_map(|hours| Some((hours.first()?, hours.last()?)));
    spans.map(|(first, last)| (time_of(*first), time_of(last + 1))).collect()
}

/// What a store has kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kept<T> {
    /// Before this hour, all runs are in hours that are kept or marked.
    pub until: i64,
    /// Hours in their order; none of those that are marked.
    pub hours: Vec<(i64, Option<T>)>,
}

impl<T> Kept<T> {
    /// The first hour of which all runs are asked for.
    pub fn first(query: &StatsQuery) -> i64 {
        let since = query.since.unwrap_or(Timestamp::MIN);
        hour_of(since) + i64::from(time_of(hour_of(since)) < since)
    }

    /// The times whose runs have to be read, for what is asked.
    pub fn spans(&self, query: &StatsQuery) -> Vec<Span> {
        let since = query.since.unwrap_or(Timestamp::MIN);
        let (first, until) = (Self::first(query), time_of(self.until));
        if first >= self.until {
            return vec![(since, Timestamp::MAX)];
        }
        // The part of an hour that is asked for is not kept by itself.
        let part = (query.since.is_some() && time_of(first) > since).then(|| (since, time_of(first)));
        let marked = self.hours.iter().filter(|(_, kept)| kept.is_none()).map(|(hour, _)| *hour);
        let marked = spans_of(&marked.collect::<Vec<_>>());
        part.into_iter().chain(marked).chain([(until, Timestamp::MAX)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(seconds: Option<i64>) -> StatsQuery {
        let since = seconds.map(|second| Timestamp::from_second(second).unwrap());
        StatsQuery { since, ..StatsQuery::default() }
    }

    fn spans(kept: &Kept<()>, since: Option<i64>) -> Vec<(i64, i64)> {
        let seconds = |(from, to): Span| (from.as_second(), to.as_second());
        kept.spans(&query(since)).into_iter().map(seconds).collect()
    }

    #[test]
    fn only_what_is_not_kept_is_read() {
        let (start, end) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let nothing = Kept::default();
        assert_eq!(spans(&nothing, Some(5)), [(5, end)]);
        let kept = Kept { until: 10, hours: vec![(2, Some(())), (3, None), (7, Some(()))] };
        assert_eq!(spans(&kept, None), [(3 * 3600, 4 * 3600), (36_000, end)]);
        assert_eq!(spans(&kept, Some(36_000)), [(36_000, end)]);
        assert_eq!(spans(&kept, Some(35_999)), [(35_999, end)]);
        let kept = Kept { until: 10, hours: vec![(7, None)] };
        let since = 4 * 3600 + 1;
        assert_eq!(spans(&kept, Some(since)), [(since, 5 * 3600), (7 * 3600, 8 * 3600), (36_000, end)]);
        assert!(start < 0);
    }

    #[test]
    fn latencies_are_kept_exactly() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Values(#[serde(with = "latencies")] Vec<u64>);
        let kept = serde_json::to_string(&Values(vec![30, 7, 7, u64::MAX])).unwrap();
        assert_eq!(kept, r#""7 0 23 18446744073709551585""#);
        assert_eq!(serde_json::from_str::<Values>(&kept).unwrap(), Values(vec![7, 7, 30, u64::MAX]));
        assert_eq!(serde_json::from_str::<Values>(r#""""#).unwrap(), Values(vec![]));
    }
}
