//! Runs are read.

use accord_domain::attempt::Attempt;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Outcome, Run, Status};
use accord_store::{Idempotency, Page, PageRequest, RunFilter, RunReader, StoreError, WholeRun};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, ToSql};

use crate::fault::Done;
use crate::page::{self, Position};
use crate::rows::{assignment, attempt, idempotency, outcome, run, session};
use crate::store::SqliteStore;
use crate::value::{count, micros};

#[async_trait]
impl RunReader for SqliteStore {
    async fn run(&self, run_id: &RunId) -> Result<Run, StoreError> {
        let run_id = run_id.clone();
        self.look(move |connection| Ok(run::find(connection, &run_id)?.1)).await
    }

    async fn whole_run(&self, run_id: &RunId) -> Result<WholeRun, StoreError> {
        let run_id = run_id.clone();
        self.look(move |connection| whole(connection, &run_id)).await
    }

    async fn opening_parameters(&self, session_id: &SessionId) -> Result<String, StoreError> {
        let session_id = session_id.clone();
        self.look(move |connection| {
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
        self.look(move |connection| idempotency::replay(connection, Some(&promise))).await
    }

    async fn assignment(&self, run_id: &RunId) -> Result<Assignment, StoreError> {
        let run_id = run_id.clone();
        self.look(move |connection| assignment::find(connection, run::number(connection, &run_id)?)).await
    }

    async fn outcome(&self, run_id: &RunId) -> Result<Option<Outcome>, StoreError> {
        let run_id = run_id.clone();
        self.look(move |connection| outcome::find(connection, run::number(connection, &run_id)?)).await
    }

    async fn attempts(&self, run_id: &RunId) -> Result<Vec<Attempt>, StoreError> {
        let run_id = run_id.clone();
        self.read(move |connection| attempt::all(connection, run::number(connection, &run_id)?)).await
    }

    async fn runs(&self, filter: &RunFilter, page: &PageRequest) -> Result<Page<Run>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |connection| list(connection, &filter, &page)).await
    }
}

fn whole(connection: &Connection, id: &RunId) -> Done<WholeRun> {
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
    let assignment = assignment::read(row, run::WIDTH)?;
    let outcome = match run.status {
        Status::Completed => Some(outcome::read(row, run::WIDTH + assignment::WIDTH)?),
        _ => None,
    };
    Ok(WholeRun { run, assignment, outcome })
}

fn list(connection: &Connection, filter: &RunFilter, page: &PageRequest) -> Done<Page<Run>> {
    let Position { at, seq } = Position::of(page)?;
    let size = page::size(page);
    let limit = count(size).saturating_add(1);
    let mut sql = concat!(
        "SELECT ",
        run::columns!(),
        " FROM runs r CROSS JOIN sessions s ON s.seq = r.session WHERE (r.created_at, r.seq) < (:at, :seq)"
    )
    .to_owned();
    let mut values: Vec<(&str, &dyn ToSql)> = vec![(":at", &at), (":seq", &seq), (":limit", &limit)];
    let status = filter.status.map(|status| status.as_str());
    if status.is_some() {
        sql.push_str(" AND r.status = :status");
        values.push((":status", &status));
    }
    if filter.agent_name.is_some() {
        sql.push_str(" AND r.agent_name = :agent");
        values.push((":agent", &filter.agent_name));
    }
    let since = filter.since.map(micros);
    if since.is_some() {
        sql.push_str(" AND r.created_at >= :since");
        values.push((":since", &since));
    }
    let owner = filter.session_id.as_ref().map(|id| session::number(connection, id)).transpose()?;
    if owner.is_some() {
        sql.push_str(" AND r.session = :session");
        values.push((":session", &owner));
    }
    sql.push_str(" ORDER BY r.created_at DESC, r.seq DESC LIMIT :limit");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values.as_slice())?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        let (seq, run) = run::read(row)?;
        items.push((Position { at: micros(run.created_at), seq }.to_string(), run));
    }
    Ok(page::cut(items, size))
}
