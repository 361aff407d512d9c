//! Reads runs.

use accord_domain::attempt::Attempt;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Outcome, Run, Status};
use accord_domain::step::Step;
use accord_store::{
    Count, Idempotency, Page, PageRequest, RunFilter, RunReader, RunSummary, StoreError, Summaries, WholeRun,
};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::DbResult;
use crate::page::{self, ColumnFilter, List, bound, newest_first};
use crate::rows::{assignment, attempt, idempotency, outcome, run, session, step, summary};
use crate::store::SqliteStore;
use crate::value::micros;

#[async_trait]
impl RunReader for SqliteStore {
    async fn run(&self, run_id: &RunId) -> Result<Run, StoreError> {
        let run_id = run_id.clone();
        self.read_by_key(move |connection| Ok(run::find(connection, &run_id)?.1)).await
    }

    async fn whole_run(&self, run_id: &RunId) -> Result<WholeRun, StoreError> {
        let run_id = run_id.clone();
        self.read_by_key(move |connection| whole(connection, &run_id)).await
    }

    async fn opening_parameters(&self, session_id: &SessionId) -> Result<String, StoreError> {
        let session_id = session_id.clone();
        self.read_by_key(move |connection| {
            let sql = "SELECT a.parameters FROM sessions s JOIN runs r ON r.session = s.seq \
                       JOIN assignments a ON a.run = r.seq WHERE s.id = ?1 AND r.kind = 'start_session'";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row([session_id.as_str()], |row| row.get(0)).optional()?;
            Ok(found.ok_or(StoreError::NoSession(session_id))?)
        })
        .await
    }

    async fn first_answer(
        &self,
        scope: &str,
        key: &str,
        fingerprint: &str,
    ) -> Result<Option<String>, StoreError> {
        let (scope, key, fingerprint) = (scope.to_owned(), key.to_owned(), fingerprint.to_owned());
        let promise = Idempotency { scope, key, fingerprint, response: String::new() };
        self.read_by_key(move |connection| idempotency::replay(connection, Some(&promise))).await
    }

    async fn assignment(&self, run_id: &RunId) -> Result<Assignment, StoreError> {
        let run_id = run_id.clone();
        self.read_by_key(move |connection| assignment::find(connection, run::number(connection, &run_id)?))
            .await
    }

    async fn outcome(&self, run_id: &RunId) -> Result<Option<Outcome>, StoreError> {
        let run_id = run_id.clone();
        self.read_by_key(move |connection| outcome::find(connection, run::number(connection, &run_id)?)).await
    }

    async fn steps(&self, run_id: &RunId) -> Result<Vec<Step>, StoreError> {
        let run_id = run_id.clone();
        self.read(move |connection| step::all(connection, run::number(connection, &run_id)?)).await
    }

    async fn attempts(&self, run_id: &RunId) -> Result<Vec<Attempt>, StoreError> {
        let run_id = run_id.clone();
        self.read(move |connection| attempt::all(connection, run::number(connection, &run_id)?)).await
    }

    async fn runs(&self, filter: &RunFilter, page: &PageRequest) -> Result<Page<Run>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |connection| list(connection, &filter, &page)).await
    }

    async fn count_runs(&self, filter: &RunFilter, most: u32) -> Result<Count, StoreError> {
        let filter = filter.clone();
        let count = move |connection: &Connection| {
            listed(connection, &filter, |list| page::counted(connection, list, most))
        };
        self.read(count).await
    }

    async fn run_summaries(&self, runs: &[RunId]) -> Result<Summaries<RunId, RunSummary>, StoreError> {
        let runs = runs.to_vec();
        self.read(move |connection| summary::of_runs(connection, &runs)).await
    }

    async fn ids_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>, StoreError> {
        // No id has a character that comes after this one.
        let (from, to) = (beginning.to_owned(), format!("{beginning}\u{7f}"));
        self.read_by_key(move |connection| {
            let sql = "SELECT id FROM runs WHERE id >= ?1 AND id < ?2 \
                       UNION ALL SELECT id FROM sessions WHERE id >= ?1 AND id < ?2 \
                       UNION ALL SELECT id FROM workflow_runs WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let ids = statement.query_map(params![from, to, limit], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn whole(connection: &Connection, id: &RunId) -> DbResult<WholeRun> {
    let sql = concat!(
        "SELECT ",
        run::columns!(),
        ", ",
        assignment::columns!(),
        ", ",
        outcome::columns!(),
        " FROM runs r JOIN sessions s ON s.seq = r.session JOIN assignments a ON a.run = r.seq ",
        assignment::documents!(),
        " LEFT JOIN outcomes o ON o.run = r.seq WHERE r.id = ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.as_str()])?;
    let row = rows.next()?.ok_or_else(|| StoreError::NoRun(id.clone()))?;
    let (_, run) = run::read(row)?;
    let assignment = assignment::read(row)?;
    let outcome = match run.status {
        Status::Completed => Some(outcome::read(row)?),
        _ => None,
    };
    Ok(WholeRun { run, assignment, outcome })
}

/// The index for runs of a status, and the condition that lets SQLite use it. By time alone, all
/// runs would be read to find that none has it. Runs of one session are few, and so may be those of
/// one agent.
fn index_for(filter: &RunFilter) -> (&'static str, &'static str) {
    let by_time = ("", "r.status =");
    match filter.status {
        _ if filter.session_id.is_some() => by_time,
        Some(Status::Pending) => ("INDEXED BY runs_waiting", "r.status = 'pending' AND r.status ="),
        Some(Status::Claimed | Status::Running | Status::Stopping) => {
            ("INDEXED BY runs_leased", "r.lease_expires_at IS NOT NULL AND r.status =")
        }
        Some(Status::Waiting) => ("INDEXED BY runs_suspended", "r.status = 'waiting' AND r.status ="),
        Some(Status::InputRequired) => {
            ("INDEXED BY runs_suspended", "r.status = 'input_required' AND r.status =")
        }
        _ if filter.agent_name.is_some() => by_time,
        Some(Status::Failed) => ("INDEXED BY runs_unsuccessful", "r.status = 'failed' AND r.status ="),
        Some(Status::Stopped) => ("INDEXED BY runs_unsuccessful", "r.status = 'stopped' AND r.status ="),
        Some(Status::Completed) | None => by_time,
    }
}

const SEARCHED: &str = "(SELECT i.searched FROM run_inputs i WHERE i.run = r.seq)";

/// Does something with the list that a filter asks for.
fn listed<T>(
    connection: &Connection,
    filter: &RunFilter,
    with: impl FnOnce(&List<'_>) -> DbResult<T>,
) -> DbResult<T> {
    let (index, of_status) = index_for(filter);
    let source = format!("runs r {index} CROSS JOIN sessions s ON s.seq = r.session");
    let status = filter.status.map(|status| status.as_str());
    let (since, until) = (filter.since.map(micros), filter.until.map(micros));
    let owner = filter.session_id.as_ref().map(|id| session::number(connection, id)).transpose()?;
    let conditions: [ColumnFilter<'_>; 5] = [
        (of_status, bound(&status)),
        ("r.agent_name =", bound(&filter.agent_name)),
        ("r.created_at >=", bound(&since)),
        ("r.created_at <", bound(&until)),
        ("r.session =", bound(&owner)),
    ];
    let (columns, search) = (run::columns!(), filter.search.as_ref());
    with(&List { columns, source: &source, alias: "r", conditions: &conditions, searched: SEARCHED, search })
}

fn list(connection: &Connection, filter: &RunFilter, page: &PageRequest) -> DbResult<Page<Run>> {
    listed(connection, filter, |list| newest_first(connection, list, page, |row| Ok(run::read(row)?.1)))
}

#[cfg(test)]
mod tests {
    use accord_store::Search;
    use jiff::Timestamp;

    use super::*;

    #[tokio::test]
    async fn lists_go_by_an_index() {
        let store = SqliteStore::in_memory().unwrap();
        let (none, now) = (RunFilter::default(), Some(Timestamp::UNIX_EPOCH));
        let agent_name = Some("a".to_owned());
        let filters = [
            none.clone(),
            RunFilter { since: now, until: now, ..none.clone() },
            RunFilter { agent_name: agent_name.clone(), since: now, ..none.clone() },
            RunFilter { agent_name, search: Search::new("a b", 10), ..none.clone() },
            RunFilter { session_id: Some(SessionId::new("a")), ..none.clone() },
            RunFilter { status: Some(Status::Waiting), since: now, ..none.clone() },
            RunFilter { status: Some(Status::Failed), search: Search::new("a", 10), ..none.clone() },
            RunFilter { status: Some(Status::Completed), until: now, ..none },
        ];
        for filter in filters {
            let shown = format!("{filter:?}");
            let look = move |connection: &Connection| {
                listed(connection, &filter, |list| Ok(page::unindexed(connection, list)))
            };
            assert_eq!(store.read(look).await.unwrap(), Vec::<String>::new(), "{shown}");
        }
    }
}
