//! Files of callers: uploaded, given to runs, read by runners, and forgotten.
//!
//! A file belongs to the key that uploaded it. Its id is the hash of its content, so an upload can be repeated, and a run, a
//! conversation and a recording name exactly these bytes. Every use extends its time. What a run has been given is read through
//! that run, by those who may read it. URLs are never fetched.

use std::sync::Arc;

use accord_api::{ErrorName, FileView};
use accord_domain::agent::Executor;
use accord_domain::file::{self, FileError, FileRef};
use accord_domain::id::{FileId, KeyId, RunId};
use accord_store::{FileRecord, FileStore, RunReader, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Agent, Caller};
use crate::error::{Error, refuse};
use crate::outside::Outside;
use crate::work;

/// How long a file is kept after its last use: longer than people take to answer, or to look at a run that failed.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What one key may have: 100 of the largest files, and more small ones than anybody counts.
const MOST_FILES: u64 = 10_000;
const MOST_BYTES: u64 = 1024 * 1024 * 1024;

/// The keyword of a parameter that is a file: a media type, or a list of them.
const KEYWORD: &str = "x-file";

pub(crate) struct Files {
    pub(super) store: Arc<dyn FileStore>,
    pub(super) runs: Arc<dyn RunReader>,
    pub(super) outside: Arc<dyn Outside>,
}

/// A file to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upload {
    pub(crate) name: Option<String>,
    /// As it was declared.
    pub(crate) media_type: Option<String>,
    pub(crate) content: Vec<u8>,
}

impl Files {
    pub(crate) async fn keep(&self, caller: &Caller, upload: Upload) -> Result<FileView, Error> {
        let Upload { name, media_type, content } = upload;
        let (media_type, hash, content) = work::heavy(move |_| {
            let media_type = file::media_type(media_type.as_deref(), &content);
            (media_type, Sha256::digest(&content), content)
        })
        .await?;
        let media_type = media_type.map_err(refused)?;
        let id = FileId::new(hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        let owner = owner(caller);
        self.check_room(&owner, &id, content.len()).await?;
        let (created_at, expires_at) = (self.outside.now(), self.expiry());
        let name = file::file_name(name.as_deref(), &media_type);
        let file = FileRef { id, name, media_type, bytes: content.len() as u64 };
        let record = FileRecord { owner, file, created_at, expires_at };
        Ok(view(self.store.keep_file(record, content).await?))
    }

    /// Whether there is room for another file of this owner. Uploads at the same moment may exceed the limit by themselves.
    async fn check_room(&self, owner: &str, id: &FileId, bytes: usize) -> Result<(), Error> {
        let totals = self.store.file_totals(owner).await?;
        let is_full = totals.count >= MOST_FILES || totals.bytes.saturating_add(bytes as u64) > MOST_BYTES;
        if !is_full || self.store.file(owner, id).await?.is_some() {
            return Ok(());
        }
        let message = format!(
            "this key has {} files with {} bytes; at most {MOST_FILES} files and {MOST_BYTES} bytes are kept. Delete some with DELETE /files/ID",
            totals.count, totals.bytes
        );
        Err(Error::new(ErrorName::RequestTooLarge, message))
    }

    /// A file of the caller, with its content.
    pub(crate) async fn read(&self, caller: &Caller, id: &FileId) -> Result<(FileRef, Vec<u8>), Error> {
        let record = self.own(&owner(caller), id).await?;
        Ok((record.file, self.content(id).await?))
    }

    /// A file that a run was given.
    pub(crate) async fn read_of_run(&self, run_id: &RunId, id: &FileId) -> Result<(FileRef, Vec<u8>), Error> {
        self.runs.run(run_id).await?;
        let files = self.runs.assignment(run_id).await?.files;
        let file = files.into_iter().find(|file| file.id == *id).ok_or_else(|| {
            let message = format!("{run_id} was not given the file {id}");
            Error::new(ErrorName::FileNotFound, message)
        })?;
        Ok((file, self.content(id).await?))
    }

    pub(crate) async fn remove(&self, caller: &Caller, id: &FileId) -> Result<(), Error> {
        Ok(self.store.remove_file(&owner(caller), id).await?)
    }

    pub(super) async fn forget(&self) -> Result<(), Error> {
        Ok(self.store.forget_files(self.outside.now()).await?)
    }

    /// The files of a run that is asked for: those of the session so far, those of the request, and those that its parameters
    /// name.
    pub(super) async fn of_request(
        &self,
        caller: &Caller,
        agent: &Agent,
        listed: &[FileId],
        parameters: &Value,
        earlier: Vec<FileRef>,
    ) -> Result<Vec<FileRef>, Error> {
        let owner = owner(caller);
        let mut files = earlier;
        for id in listed {
            let found = self.own(&owner, id).await?.file;
            add(&mut files, found);
        }
        for place in places(agent, parameters)? {
            let found = self.named(&owner, &place, &files).await?;
            add(&mut files, found);
        }
        if files.is_empty() {
            return Ok(files);
        }
        check_executor(agent)?;
        if let Some(message) = file::over_limit(&files) {
            return Err(Error::new(ErrorName::RequestTooLarge, message));
        }
        self.extend(&files).await?;
        Ok(files)
    }

    /// The file that a parameter names, if it is of the right type.
    async fn named(&self, owner: &str, place: &Place, earlier: &[FileRef]) -> Result<FileRef, Error> {
        let Place { path, id, types } = place;
        let wrong = |got: &str| {
            let message =
                format!("{path}: expected the id of a file of type {}, got {got}", types.join(" or "));
            Error::new(ErrorName::ParameterValidationFailed, message)
        };
        let id: FileId = id
            .parse()
            .map_err(|_| wrong("another text; upload the file with POST /files and send its id"))?;
        let found = match earlier.iter().find(|file| file.id == id) {
            Some(file) => file.clone(),
            None => self.own(owner, &id).await?.file,
        };
        match types.iter().any(|pattern| file::matches(pattern, &found.media_type)) {
            true => Ok(found),
            false => Err(wrong(&format!("'{}' of type {}", found.name, found.media_type))),
        }
    }

    /// Keeps the files of a run longer, if all of them are still there.
    pub(super) async fn extend(&self, files: &[FileRef]) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        let ids: Vec<FileId> = files.iter().map(|file| file.id.clone()).collect();
        match self.store.extend_files(&ids, self.expiry()).await?.first() {
            None => Ok(()),
            Some(missing) => Err(gone(missing)),
        }
    }

    async fn own(&self, owner: &str, id: &FileId) -> Result<FileRecord, Error> {
        let found = self.store.file(owner, id).await?;
        found.ok_or_else(|| StoreError::NoSuch { kind: "file", name: id.to_string() }.into())
    }

    async fn content(&self, id: &FileId) -> Result<Vec<u8>, Error> {
        self.store.file_content(id).await?.ok_or_else(|| gone(id))
    }

    fn expiry(&self) -> Timestamp {
        self.outside.now().checked_add(KEPT).unwrap_or(Timestamp::MAX)
    }
}

/// A parameter that is a file.
struct Place {
    path: String,
    id: String,
    types: Vec<String>,
}

/// The parameters of an agent that are files: declared at the top of its `parameters_schema`, alone or in a list.
fn places(agent: &Agent, parameters: &Value) -> Result<Vec<Place>, Error> {
    let schema = agent.parameters.as_ref().map(|schema| schema.document());
    let declared = schema.and_then(|schema| schema.get("properties")?.as_object());
    let mut places = Vec::new();
    for (name, declared) in declared.into_iter().flatten() {
        let Some(value) = parameters.get(name) else { continue };
        let of_items = declared.get("items").and_then(|items| items.get(KEYWORD));
        let (types, values) = match (declared.get(KEYWORD), of_items, value) {
            (Some(types), _, value) => (types, std::slice::from_ref(value)),
            (None, Some(types), Value::Array(values)) => (types, values.as_slice()),
            _ => continue,
        };
        let types = types_of(types).ok_or_else(|| {
            refuse(format!(
                "agent '{}': parameters_schema.properties.{name}.{KEYWORD}: expected a media type such as image/*, or a list of them",
                agent.blueprint.name
            ))
        })?;
        for (index, value) in values.iter().enumerate() {
            // What is no text is for the schema to judge: an optional file can be null.
            let Value::String(id) = value else { continue };
            let path = match of_items {
                Some(_) => format!("$.{name}[{index}]"),
                None => format!("$.{name}"),
            };
            places.push(Place { path, id: id.clone(), types: types.clone() });
        }
    }
    Ok(places)
}

fn types_of(declared: &Value) -> Option<Vec<String>> {
    match declared {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(many) => many.iter().map(|each| each.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// Refuses files that nobody would read.
fn check_executor(agent: &Agent) -> Result<(), Error> {
    let executor = &agent.blueprint.executor;
    if matches!(
        executor,
        Executor::Llm(_)
            | Executor::ClaudeCode(_)
            | Executor::Codex(_)
            | Executor::Acp(_)
            | Executor::Replay(_)
    ) {
        return Ok(());
    }
    Err(refuse(format!(
        "agent '{}' has the executor '{}', which takes no files; use an agent with a model or an agent CLI",
        agent.blueprint.name,
        executor.kind()
    )))
}

fn add(files: &mut Vec<FileRef>, found: FileRef) {
    if !files.iter().any(|file| file.id == found.id) {
        files.push(found);
    }
}

/// Whom a caller's files belong to. An agent that starts another one has those of the key that started it.
fn owner(caller: &Caller) -> String {
    let by = caller.requested_by.as_ref().and_then(|by| by.key_id.as_ref());
    caller.key_id.as_ref().or(by).map(KeyId::to_string).unwrap_or_default()
}

fn refused(error: FileError) -> Error {
    let name = match error {
        FileError::TooLarge(_) => ErrorName::RequestTooLarge,
        FileError::Unsupported(_) => ErrorName::UnsupportedMediaType,
        FileError::Empty | FileError::Mismatch { .. } => ErrorName::InvalidRequest,
    };
    Error::new(name, error.to_string())
}

fn gone(id: &FileId) -> Error {
    let message = format!("{id} has expired or was deleted; upload the file again");
    Error::new(ErrorName::FileNotFound, message)
}

fn view(record: FileRecord) -> FileView {
    let FileRecord { file, created_at, expires_at, .. } = record;
    let FileRef { id, name, media_type, bytes } = file;
    FileView { id, name, media_type, bytes, created_at, expires_at }
}
