//! The documents of a run. Blueprints and contracts are kept once for all runs that share them, by the hash of their
//! text; they stay when a session is removed, because finding out that nobody needs one costs more than it takes up.

use accord_domain::run::Assignment;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::fault::{Done, corrupt};

/// A text and its hash. Hashing is not for the writer's thread.
pub(crate) struct Document {
    hash: [u8; 32],
    body: String,
}

impl Document {
    pub(crate) fn new(body: String) -> Self {
        Self { hash: Sha256::digest(body.as_bytes()).into(), body }
    }
}

/// An assignment that is ready to be written.
pub(crate) struct Prepared {
    blueprint: Document,
    contract: Option<Document>,
    parameters: String,
    model: Option<String>,
    project_dir: Option<String>,
    retry_prompt: Option<String>,
}

impl From<Assignment> for Prepared {
    fn from(assignment: Assignment) -> Self {
        Self {
            blueprint: Document::new(assignment.blueprint),
            contract: assignment.contract.map(Document::new),
            parameters: assignment.parameters,
            model: assignment.model,
            project_dir: assignment.project_dir,
            retry_prompt: assignment.retry_prompt,
        }
    }
}

/// Writes the documents of a new run.
pub(crate) fn insert(connection: &Connection, run: i64, assignment: &Prepared) -> Done<()> {
    let blueprint = keep(connection, &assignment.blueprint)?;
    let contract = assignment.contract.as_ref().map(|contract| keep(connection, contract)).transpose()?;
    let sql = "INSERT INTO assignments (run, blueprint, contract, parameters, model, project_dir, retry_prompt) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    connection.prepare_cached(sql)?.execute(params![
        run,
        blueprint,
        contract,
        assignment.parameters,
        assignment.model,
        assignment.project_dir,
        assignment.retry_prompt,
    ])?;
    Ok(())
}

/// Keeps a document, and gives its number.
pub(crate) fn keep(connection: &Connection, document: &Document) -> Done<i64> {
    let mut statement = connection.prepare_cached("SELECT id FROM documents WHERE hash = ?1")?;
    if let Some(id) = statement.query_row([document.hash], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    let mut statement = connection.prepare_cached("INSERT INTO documents (hash, body) VALUES (?1, ?2)")?;
    Ok(statement.insert(params![document.hash, document.body])?)
}

/// The documents of a run.
pub(crate) fn find(connection: &Connection, run: i64) -> Done<Assignment> {
    let sql = "SELECT b.body, c.body, a.parameters, a.model, a.project_dir, a.retry_prompt FROM assignments a \
               JOIN documents b ON b.id = a.blueprint LEFT JOIN documents c ON c.id = a.contract WHERE a.run = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([run], |row| {
        Ok(Assignment {
            blueprint: row.get(0)?,
            contract: row.get(1)?,
            parameters: row.get(2)?,
            model: row.get(3)?,
            project_dir: row.get(4)?,
            retry_prompt: row.get(5)?,
        })
    });
    found.optional()?.ok_or_else(|| corrupt(format!("run {run} has no documents")))
}

/// Writes what a run is to be asked instead of its parameters.
pub(crate) fn set_retry_prompt(connection: &Connection, run: i64, prompt: &str) -> Done<()> {
    let mut statement =
        connection.prepare_cached("UPDATE assignments SET retry_prompt = ?2 WHERE run = ?1")?;
    statement.execute(params![run, prompt])?;
    Ok(())
}
