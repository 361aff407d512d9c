//! Runs with their sessions, locked until the transaction ends.

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

/// A run and its session, locked: the session first, as everywhere.
pub(crate) async fn pair(connection: &mut PgConnection, run_id: &RunId) -> Result<Pair, DbError> {
    let row = sqlx::query(PAIR).bind(run_id.as_str()).fetch_optional(connection).await?;
    Pair::of(&row.ok_or_else(|| StoreError::NoRun(run_id.clone()))?)
}

const RUN: &str = concat!("SELECT ", run_columns!(), " FROM runs r WHERE r.id = $1 FOR NO KEY UPDATE");

/// A run alone, locked, for what does not touch its session.
pub(crate) async fn run(connection: &mut PgConnection, run_id: &RunId) -> Result<Run, DbError> {
    let row = sqlx::query(RUN).bind(run_id.as_str()).fetch_optional(connection).await?;
    rows::run(&row.ok_or_else(|| StoreError::NoRun(run_id.clone()))?)
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
