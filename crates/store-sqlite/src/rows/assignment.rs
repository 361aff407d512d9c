//! The documents of a run. Blueprints and contracts are kept once for all runs that share them, by the hash of their
//! text, until the last of these runs is removed.

use accord_domain::file::FileRef;
use accord_domain::run::Assignment;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use crate::error::{DbResult, corrupt};

/// The columns that [`read`] reads, of `assignments a` with its [`documents`].
macro_rules! columns {
    () => {
        "b.body AS blueprint, c.body AS contract, a.parameters, a.model, a.project_dir, a.retry_prompt, a.input, \
         a.traceparent, a.tools, a.opening, a.files"
    };
}
pub(crate) use columns;

/// The documents beside `assignments a`.
macro_rules! documents {
    () => {
        "JOIN documents b ON b.id = a.blueprint LEFT JOIN documents c ON c.id = a.contract"
    };
}
pub(crate) use documents;

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Assignment> {
    Ok(Assignment {
        blueprint: row.get("blueprint")?,
        contract: row.get("contract")?,
        parameters: row.get("parameters")?,
        model: row.get("model")?,
        project_dir: row.get("project_dir")?,
        retry_prompt: row.get("retry_prompt")?,
        input: row.get("input")?,
        traceparent: row.get("traceparent")?,
        tools: row.get("tools")?,
        opening: row.get("opening")?,
        files: json_list(row.get("files")?)?,
    })
}

fn json_list(text: Option<String>) -> rusqlite::Result<Vec<FileRef>> {
    FileRef::read_list(text.as_deref())
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

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
    input: Option<String>,
    traceparent: Option<String>,
    tools: Option<String>,
    opening: Option<String>,
    files: Option<String>,
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
            input: assignment.input,
            traceparent: assignment.traceparent,
            tools: assignment.tools,
            opening: assignment.opening,
            files: FileRef::write_list(&assignment.files),
        }
    }
}

/// Writes the documents of a new run.
pub(crate) fn insert(connection: &Connection, run: i64, assignment: &Prepared) -> DbResult<()> {
    let blueprint = keep(connection, &assignment.blueprint)?;
    let contract = assignment.contract.as_ref().map(|contract| keep(connection, contract)).transpose()?;
    let sql = "INSERT INTO assignments (run, blueprint, contract, parameters, model, project_dir, retry_prompt, \
               input, traceparent, tools, opening, files) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    connection.prepare_cached(sql)?.execute(params![
        run,
        blueprint,
        contract,
        assignment.parameters,
        assignment.model,
        assignment.project_dir,
        assignment.retry_prompt,
        assignment.input,
        assignment.traceparent,
        assignment.tools,
        assignment.opening,
        assignment.files,
    ])?;
    Ok(())
}

/// Keeps a document, and gives its number.
pub(crate) fn keep(connection: &Connection, document: &Document) -> DbResult<i64> {
    let mut statement = connection.prepare_cached("SELECT id FROM documents WHERE hash = ?1")?;
    if let Some(id) = statement.query_row([document.hash], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    let mut statement = connection.prepare_cached("INSERT INTO documents (hash, body) VALUES (?1, ?2)")?;
    Ok(statement.insert(params![document.hash, document.body])?)
}

/// The documents of a run.
pub(crate) fn find(connection: &Connection, run: i64) -> DbResult<Assignment> {
    let sql = concat!("SELECT ", columns!(), " FROM assignments a ", documents!(), " WHERE a.run = ?1");
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([run], read);
    found.optional()?.ok_or_else(|| corrupt(format!("run {run} has no documents")))
}

/// Writes what a run is to be asked instead of its parameters.
pub(crate) fn set_retry_prompt(connection: &Connection, run: i64, prompt: &str) -> DbResult<()> {
    let mut statement =
        connection.prepare_cached("UPDATE assignments SET retry_prompt = ?2 WHERE run = ?1")?;
    statement.execute(params![run, prompt])?;
    Ok(())
}

/// The documents that the runs of a session refer to.
pub(crate) fn documents_of(connection: &Connection, session: i64) -> DbResult<Vec<i64>> {
    let sql = "SELECT a.blueprint FROM assignments a JOIN runs r ON r.seq = a.run WHERE r.session = ?1 UNION \
               SELECT a.contract FROM assignments a JOIN runs r ON r.seq = a.run \
               WHERE r.session = ?1 AND a.contract IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let documents = statement.query_map([session], |row| row.get(0))?;
    Ok(documents.collect::<rusqlite::Result<_>>()?)
}

/// Removes those of these documents that have no references left.
pub(crate) fn collect(connection: &Connection, documents: &[i64]) -> DbResult<()> {
    let sql = "DELETE FROM documents WHERE id = ?1 \
               AND NOT EXISTS (SELECT 1 FROM assignments WHERE blueprint = ?1) \
               AND NOT EXISTS (SELECT 1 FROM assignments WHERE contract = ?1) \
               AND NOT EXISTS (SELECT 1 FROM workflow_documents WHERE definition = ?1)";
    let mut statement = connection.prepare_cached(sql)?;
    for document in documents {
        statement.execute([document])?;
    }
    Ok(())
}
