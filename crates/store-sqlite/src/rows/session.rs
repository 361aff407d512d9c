//! The table `sessions`, and the conversations beside it.

use accord_domain::id::{RunId, SessionId};
use accord_domain::session::Session;
use accord_store::StoreError;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{DbResult, is_taken};
use crate::value::{from_json, json, micros, named, text, time};

/// The columns that [`read`] reads, of `sessions s`. Prefixed, because a run may be in the same row.
macro_rules! columns {
    () => {
        "s.seq AS s_seq, s.id AS s_id, s.agent_name AS s_agent_name, s.status AS s_status, \
         s.parent_session_id AS s_parent, s.project_dir AS s_project_dir, s.affinity AS s_affinity, \
         s.last_run_id AS s_last_run_id, s.created_at AS s_created_at, s.updated_at AS s_updated_at"
    };
}
pub(crate) use columns;

/// Reads a session and its number.
pub(crate) fn read(row: &Row<'_>) -> DbResult<(i64, Session)> {
    let parent: Option<String> = row.get("s_parent")?;
    let session = Session {
        id: SessionId::try_from(row.get::<_, String>("s_id")?)?,
        agent_name: row.get("s_agent_name")?,
        status: named(text(row, "s_status")?)?,
        parent_session_id: parent.map(SessionId::try_from).transpose()?,
        project_dir: row.get("s_project_dir")?,
        affinity: from_json(text(row, "s_affinity")?)?,
        last_run_id: RunId::try_from(row.get::<_, String>("s_last_run_id")?)?,
        created_at: time(row.get("s_created_at")?)?,
        updated_at: time(row.get("s_updated_at")?)?,
    };
    Ok((row.get("s_seq")?, session))
}

/// One session and its number.
pub(crate) fn find(connection: &Connection, id: &SessionId) -> DbResult<(i64, Session)> {
    let sql = concat!("SELECT ", columns!(), " FROM sessions s WHERE s.id = ?1");
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.as_str()])?;
    match rows.next()? {
        Some(row) => read(row),
        None => Err(StoreError::NoSession(id.clone()).into()),
    }
}

pub(crate) fn number(connection: &Connection, id: &SessionId) -> DbResult<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT seq FROM sessions WHERE id = ?1")?;
    Ok(statement.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

/// Writes a new session, and gives its number.
pub(crate) fn insert(connection: &Connection, session: &Session) -> DbResult<i64> {
    let sql = "INSERT INTO sessions (id, agent_name, status, parent_session_id, project_dir, affinity, last_run_id, \
               created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut statement = connection.prepare_cached(sql)?;
    let inserted = statement.insert(params![
        session.id.as_str(),
        session.agent_name,
        session.status.as_str(),
        session.parent_session_id.as_ref().map(SessionId::as_str),
        session.project_dir,
        json(&session.affinity)?,
        session.last_run_id.as_str(),
        micros(session.created_at),
        micros(session.updated_at),
    ]);
    match inserted {
        Err(error) if is_taken(&error) => {
            Err(StoreError::Exists { kind: "session", name: session.id.to_string() }.into())
        }
        inserted => Ok(inserted?),
    }
}

/// Writes what may change of a session.
pub(crate) fn update(connection: &Connection, seq: i64, session: &Session) -> DbResult<()> {
    let sql = "UPDATE sessions SET status = ?2, last_run_id = ?3, updated_at = ?4 WHERE seq = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let last_run_id = session.last_run_id.as_str();
    statement.execute(params![seq, session.status.as_str(), last_run_id, micros(session.updated_at)])?;
    Ok(())
}

/// Writes what later runs must demand.
pub(crate) fn set_affinity(
    connection: &Connection,
    seq: i64,
    affinity: &accord_domain::demands::Demands,
) -> DbResult<()> {
    let mut statement = connection.prepare_cached("UPDATE sessions SET affinity = ?2 WHERE seq = ?1")?;
    statement.execute(params![seq, json(affinity)?])?;
    Ok(())
}

pub(crate) fn conversation(connection: &Connection, seq: i64) -> DbResult<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT body FROM conversations WHERE session = ?1")?;
    Ok(statement.query_row([seq], |row| row.get(0)).optional()?)
}

/// Writes the conversation so far.
pub(crate) fn set_conversation(connection: &Connection, seq: i64, body: &str) -> DbResult<()> {
    let sql = "INSERT INTO conversations (session, body) VALUES (?1, ?2) \
               ON CONFLICT (session) DO UPDATE SET body = excluded.body";
    connection.prepare_cached(sql)?.execute(params![seq, body])?;
    Ok(())
}
