//! Figures over runs.

use accord_domain::usage::Usage;
use accord_store::{
    CountedAttempt, EndedRun, ErrorCount, ErrorTally, Figures, Span, StatsQuery, StatsStore, StoreError,
    Tally,
};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use crate::error::DbResult;
use crate::kept;
use crate::store::SqliteStore;
use crate::value::{counted, micros, named, time};

#[async_trait]
impl StatsStore for SqliteStore {
    async fn stats(&self, query: &StatsQuery) -> Result<Figures, StoreError> {
        if let Err(error) = self.keep_hours().await {
            tracing::debug!(?error, "statistics of past hours were not kept; their runs are read");
        }
        let query = query.clone();
        self.read(move |connection| stats(connection, &query)).await
    }

    async fn frequent_errors(&self, query: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, StoreError> {
        let query = query.clone();
        self.read(move |connection| frequent_errors(connection, &query, limit)).await
    }
}

fn stats(connection: &Connection, query: &StatsQuery) -> DbResult<Figures> {
    let kept = kept::read(connection, query)?;
    let spans = kept.spans(query);
    let mut tally = tally(connection, Tally::new(query), &spans, query.agent_name.as_deref())?;
    for (hour, figures) in &kept.hours {
        if let Some(figures) = figures {
            tally.add_hour(*hour, figures);
        }
    }
    Ok(tally.figures())
}

/// Runs made in a time, of one agent or of all.
fn counting(agent_name: Option<&str>) -> &'static str {
    match agent_name {
        Some(_) => "r.created_at >= ?1 AND r.created_at < ?2 AND r.agent_name = ?3",
        None => "r.created_at >= ?1 AND r.created_at < ?2 AND ?3 IS NULL",
    }
}

/// Adds the runs of these times. One row for each attempt, those of a run together and in their order, and one row for a run
/// without. The runs come in the order in which they were made, which an index gives.
pub(crate) fn tally(
    connection: &Connection,
    mut tally: Tally,
    spans: &[Span],
    agent_name: Option<&str>,
) -> DbResult<Tally> {
    let sql = format!(
        "SELECT r.seq, r.agent_name, r.status, r.failure_type, a.contract IS NOT NULL, r.input_tokens, r.output_tokens, \
         r.cost_usd, r.created_at, coalesce(r.finished_at, r.created_at), t.outcome, t.model, t.strategy, t.source, \
         coalesce(t.input_tokens, 0), coalesce(t.output_tokens, 0), t.cost_usd \
         FROM runs r CROSS JOIN assignments a ON a.run = r.seq LEFT JOIN attempts t ON t.run = r.seq \
         WHERE r.status IN ('completed', 'failed', 'stopped') AND {} \
         ORDER BY r.created_at, r.seq, t.delivery, t.number",
        counting(agent_name)
    );
    let mut statement = connection.prepare_cached(&sql)?;
    for (start, stop) in spans {
        let mut rows = statement.query(params![micros(*start), micros(*stop), agent_name])?;
        let mut last: Option<i64> = None;
        while let Some(row) = rows.next()? {
            let seq = Some(row.get(0)?);
            if seq != last {
                tally.run(ended(row)?);
                last = seq;
            }
            attempt(&mut tally, row)?;
        }
    }
    Ok(tally)
}

fn attempt(tally: &mut Tally, row: &Row<'_>) -> DbResult<()> {
    let Some(outcome) = row.get_ref(10)?.as_str_or_null().map_err(rusqlite::Error::from)? else {
        return Ok(());
    };
    let source = row.get_ref(13)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let usage = Usage {
        input_tokens: counted(row.get(14)?)?,
        output_tokens: counted(row.get(15)?)?,
        cost_usd: row.get(16)?,
    };
    let (model, strategy) = (row.get(11)?, row.get(12)?);
    tally.attempt(CountedAttempt { outcome, model, strategy, source, usage });
    Ok(())
}

fn ended(row: &Row<'_>) -> DbResult<EndedRun> {
    Ok(EndedRun {
        agent_name: row.get(1)?,
        status: named(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
        failure_type: row.get(3)?,
        contracted: row.get(4)?,
        input_tokens: counted(row.get(5)?)?,
        output_tokens: counted(row.get(6)?)?,
        cost_usd: row.get(7)?,
        created_at: time(row.get(8)?)?,
        finished_at: time(row.get(9)?)?,
    })
}

fn frequent_errors(connection: &Connection, query: &StatsQuery, limit: u32) -> DbResult<Vec<ErrorCount>> {
    let kept = kept::read(connection, query)?;
    let mut tally = ErrorTally::default();
    for figures in kept.hours.iter().filter_map(|(_, figures)| figures.as_ref()) {
        tally.add_hour(figures, query);
    }
    let agent_name = query.agent_name.as_deref();
    let errors = |source: &str| {
        format!(
            "SELECT e.path, e.keyword, count(*) FROM {source} CROSS JOIN attempt_errors e ON e.run = r.seq WHERE {} \
             GROUP BY e.path, e.keyword",
            counting(agent_name)
        )
    };
    let mut count = |sql: &str, (start, stop): Span| -> DbResult<()> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![micros(start), micros(stop), agent_name])?;
        while let Some(row) = rows.next()? {
            tally.add(&ErrorCount { path: row.get(0)?, keyword: row.get(1)?, count: counted(row.get(2)?)? });
        }
        Ok(())
    };
    let finished = errors("(SELECT * FROM runs WHERE status IN ('completed', 'failed', 'stopped')) r");
    for span in kept.spans(query) {
        count(&finished, span)?;
    }
    // Those that have not finished are few and never kept, and each kind has an index.
    let all_of_them = (query.since.unwrap_or(Timestamp::MIN), Timestamp::MAX);
    count(&errors(UNFINISHED), all_of_them)?;
    Ok(tally.most_frequent(limit))
}

const UNFINISHED: &str = "(SELECT seq FROM runs INDEXED BY runs_waiting WHERE status = 'pending' \
                          UNION SELECT seq FROM runs INDEXED BY runs_leased WHERE lease_expires_at IS NOT NULL \
                          UNION SELECT seq FROM runs INDEXED BY runs_suspended \
                          WHERE status = 'waiting' OR status = 'input_required') u CROSS JOIN runs r ON r.seq = u.seq";
