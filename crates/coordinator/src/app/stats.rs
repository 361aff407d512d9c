//! Statistics of runs.
//!
//! They are counted over all selected runs, which takes seconds if there are many. So one request is counted at a time: more
//! would take all connections to the store. Counting continues if the client hangs up, because the store does not stop either.

use std::sync::Arc;

use accord_api::{self as api, ErrorCount, QueueStats, SourceCounts, StatsQuery, StatsRow};
use accord_domain::contract::Strategy;
use accord_store::{SourceCounts as Counts, StatRow, StatsQuery as Query, StatsStore, Upkeep};
use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::outside::Outside;

/// Only the most frequent errors are worth fixing; beyond this it is noise.
const MOST_ERRORS: u32 = 50;

/// Periods up to this long are also counted by hour: 48 hours, and the hour that they begin in.
const BY_HOUR: SignedDuration = SignedDuration::from_hours(49);

pub(crate) struct Stats {
    pub(super) stats: Arc<dyn StatsStore>,
    pub(super) upkeep: Arc<dyn Upkeep>,
    pub(super) outside: Arc<dyn Outside>,
    /// Held while runs are counted.
    pub(super) counting: Arc<tokio::sync::Mutex<()>>,
}

impl Stats {
    pub(crate) async fn count(&self, asked: StatsQuery) -> Result<api::Stats, Error> {
        let alone = Arc::clone(&self.counting).lock_owned().await;
        let (stats, upkeep) = (Arc::clone(&self.stats), Arc::clone(&self.upkeep));
        let now = self.outside.now();
        let counted = tokio::spawn(async move {
            let _alone = alone;
            count(stats.as_ref(), upkeep.as_ref(), asked, now).await
        });
        counted.await.map_err(Error::internal)?
    }
}

async fn count(
    store: &dyn StatsStore,
    upkeep: &dyn Upkeep,
    asked: StatsQuery,
    now: Timestamp,
) -> Result<api::Stats, Error> {
    let by_hour = asked.since.is_some_and(|since| now.duration_since(since) <= BY_HOUR);
    let query = Query { since: asked.since, agent_name: asked.agent_name, by_hour };
    let mut figures = store.stats(&query).await?;
    // Commands have no model.
    figures.by_model.retain(|row| !row.key.is_empty());
    figures.by_strategy.retain(|row| row.key != Strategy::Auto.as_str());
    let errors = store.frequent_errors(&query, MOST_ERRORS).await?;
    let depth = upkeep.queue_depth().await?;
    let rows = |rows: Vec<StatRow>| rows.into_iter().map(row).collect();
    Ok(api::Stats {
        all: StatsRow { key: "all".to_owned(), ..row(figures.all) },
        by_agent: rows(figures.by_agent),
        by_model: rows(figures.by_model),
        by_strategy: rows(figures.by_strategy),
        by_day: rows(figures.by_day),
        by_hour: rows(figures.by_hour),
        errors: errors
            .into_iter()
            .map(|error| ErrorCount { path: error.path, keyword: error.keyword, count: error.count })
            .collect(),
        queue: QueueStats { pending: depth.pending, held: depth.held },
    })
}

fn row(row: StatRow) -> StatsRow {
    let after_retry = row.completed.saturating_sub(row.first_try);
    let rate = |part: u64| if row.runs == 0 { 0.0 } else { part as f64 / row.runs as f64 };
    StatsRow {
        runs: row.runs,
        completed: row.completed,
        first_try: row.first_try,
        after_retry,
        failed: row.failed,
        contract_failed: row.contract_failed,
        stopped: row.stopped,
        success_rate: rate(row.completed),
        first_try_rate: rate(row.first_try),
        retry_rate: rate(after_retry),
        failure_rate: rate(row.failed),
        attempts: row.attempts,
        sources: sources(row.sources),
        input_tokens: row.input_tokens,
        output_tokens: row.output_tokens,
        cost_usd: row.cost_usd,
        latency_ms_p50: row.latency_ms_p50,
        latency_ms_p95: row.latency_ms_p95,
        key: row.key,
    }
}

fn sources(counts: Counts) -> SourceCounts {
    let Counts { structured, text, fence, prose, human } = counts;
    SourceCounts { structured, text, fence, prose, human }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::app::agents::fixture::{Fixture, reviewer};

    #[tokio::test]
    async fn figures_are_counted_for_one_request_at_a_time() {
        let app = Fixture::new(&[]).app;
        let before = Arc::clone(&app.stats.counting).lock_owned().await;
        let asked = app.stats.count(StatsQuery::default());
        tokio::pin!(asked);
        assert!(tokio::time::timeout(Duration::from_millis(50), &mut asked).await.is_err());
        drop(before);
        assert_eq!(asked.await.unwrap().all.runs, 0);
    }

    #[tokio::test]
    async fn hours_are_counted_for_two_days_at_most() {
        let fixture = Fixture::new(&[]);
        fixture.post("/agents", &reviewer("reviewer")).await;
        let run = serde_json::json!({"agent_name": "reviewer", "prompt": "x"});
        let created = fixture.post("/runs", &run).await.json();
        let app = &fixture.app;
        app.runs.stop(&created["run_id"].as_str().unwrap().parse().unwrap()).await.unwrap();
        let hours = async |back: i64| {
            let since = Some(fixture.outside.now() - SignedDuration::from_hours(back));
            let stats = app.stats.count(StatsQuery { since, agent_name: None }).await.unwrap();
            assert_eq!(stats.by_day.len(), 1);
            stats.by_hour.len()
        };
        assert_eq!((hours(1).await, hours(48).await, hours(50).await), (1, 1, 0));
        assert_eq!(app.stats.count(StatsQuery::default()).await.unwrap().by_hour, []);
    }

    #[test]
    fn rates_are_parts_of_all_runs() {
        let counted = StatRow {
            key: "a".into(),
            runs: 8,
            completed: 6,
            first_try: 4,
            failed: 1,
            stopped: 1,
            ..StatRow::default()
        };
        let expected = StatsRow {
            key: "a".into(),
            runs: 8,
            completed: 6,
            first_try: 4,
            after_retry: 2,
            failed: 1,
            stopped: 1,
            success_rate: 0.75,
            first_try_rate: 0.5,
            retry_rate: 0.25,
            failure_rate: 0.125,
            ..StatsRow::default()
        };
        assert_eq!(row(counted), expected);
        assert_eq!(row(StatRow::default()), StatsRow::default());
    }
}
