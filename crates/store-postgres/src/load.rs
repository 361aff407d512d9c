//! Runs with their sessions, locked until the transaction ends.

use std::collections::HashMap;

use accord_domain::id::{RunId, SessionId};
use accord_domain::run::Run;
use accord_domain::run::change::{Change, Refused};
use accord_domain::session::Session;
use accord_store::StoreError;
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use crate::error::DbError;
use crate::rows::{self, run_columns, session_columns};

/// A run and its session as they are.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) run: Run,
    pub(crate) session: Session,
}

/// A decision, with the state that it was based on.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) before: Pair,
    pub(crate) change: Change,
}

impl Pair {
    pub(crate) fn of(row: &PgRow) -> Result<Self, DbError> {
        Ok(Self { run: rows::run(row)?, session: rows::session(row)? })
    }

    pub(crate) fn decide(
        self,
        decide: impl FnOnce(Run, Session) -> Result<Change, Refused>,
    ) -> Result<Step, Refused> {
        let change = decide(self.run.clone(), self.session.clone())?;
        Ok(Step { before: self, change })
    }
}

const PAIR: &str = concat!(
    "SELECT ",
    run_columns!(),
    ", ",
    session_columns!(),
    " FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.id = $1 FOR NO KEY UPDATE OF s, r"
);

const PAIRS: &str = concat!(
    "SELECT ",
    run_columns!(),
    ", ",
    session_columns!(),
    " FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.id = ANY($1) FOR NO KEY UPDATE OF s, r SKIP LOCKED"
);

/// Runs and their sessions by the ids of the runs, locked but for those that others have locked.
pub(crate) async fn pairs(
    connection: &mut PgConnection,
    run_ids: &[&str],
) -> Result<HashMap<String, Pair>, DbError> {
    let rows = sqlx::query(PAIRS).bind(run_ids).fetch_all(connection).await?;
    let mut pairs = HashMap::with_capacity(rows.len());
    for row in &rows {
        let pair = Pair::of(row)?;
        pairs.insert(pair.run.id.to_string(), pair);
    }
    Ok(pairs)
}

/// A run and its session, locked: the session first, as everywhere.
pub(crate) async fn pair(connection: &mut PgConnection, run_id: &RunId) -> Result<Pair, DbError> {
    let row = sqlx::query(PAIR).bind(run_id.as_str()).fetch_optional(connection).await?;
    Pair::of(&row.ok_or_else(|| StoreError::NoRun(run_id.clone()))?)
}

const SESSION: &str = concat!("SELECT ", session_columns!(), " FROM sessions s WHERE s.id = $1 FOR UPDATE");

/// A session alone, locked.
pub(crate) async fn session(
    connection: &mut PgConnection,
    session_id: &SessionId,
) -> Result<Session, DbError> {
    let row = sqlx::query(SESSION).bind(session_id.as_str()).fetch_optional(connection).await?;
    rows::session(&row.ok_or_else(|| StoreError::NoSession(session_id.clone()))?)
}
