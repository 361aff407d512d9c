//! What agents and workflows have in common: each is defined in a file or in the store.
//!
//! Files are read at the start and whenever they change; [`current`] checks those of a single definition again when it is
//! looked up. Stored definitions are read every time, because another coordinator may have changed them; what was parsed is
//! cached by the hash of the document. A file overrides a stored definition of the same name.

mod current;
mod edit;
mod file_changes;
mod found;
mod kind;
mod watch;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use accord_blueprint::{DefinitionFile, Folder, MAX_NAME_LENGTH};
use accord_domain::nearest;
use accord_store::{DocumentRecord, Store};
use serde_json::Value;

pub(crate) use found::Found;
pub(crate) use kind::{Expected, Kind, Made};
pub(in crate::app) use kind::{check, first_error, mistakes};
pub(crate) use watch::watch;

use super::recent::{IN_USE, Recent, read_from};
use crate::error::Error;
use crate::work::{heavy, unhurried};
use file_changes::KnownFiles;

pub(crate) struct Definitions<K: Kind> {
    pub(in crate::app) store: Arc<dyn Store>,
    folder: Option<PathBuf>,
    files: RwLock<Arc<Folder<K::Parsed>>>,
    /// Parsed documents by their hash.
    parsed: Recent<Arc<K::Parsed>>,
    /// Held while a file is compared and written.
    pub(in crate::app) writing: tokio::sync::Mutex<()>,
    /// Held while one definition is read again, because many requests may need it at once.
    reading: tokio::sync::Mutex<()>,
    known_files: KnownFiles,
    /// What only this kind has.
    pub(in crate::app) state: K::State,
}

impl<K: Kind> Definitions<K> {
    /// Reads the folder.
    pub(crate) fn new(store: Arc<dyn Store>, folder: Option<PathBuf>, state: K::State) -> Self {
        let files = folder.as_deref().map(|folder| K::load(folder, &unhurried())).unwrap_or_default();
        let known_files = KnownFiles::new(files.hashes());
        Self {
            store,
            folder,
            files: RwLock::new(Arc::new(files)),
            parsed: Recent::new(IN_USE),
            writing: tokio::sync::Mutex::new(()),
            reading: tokio::sync::Mutex::new(()),
            known_files,
            state,
        }
    }

    /// Reads the files again. Meanwhile others get all of the old or all of the new.
    pub(crate) async fn reload(&self) {
        let Some(folder) = self.folder.clone() else { return };
        if let Ok(files) = tokio::task::spawn_blocking(move || K::load(&folder, &unhurried())).await {
            *self.files.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
        }
    }

    /// The definitions in files.
    pub(in crate::app) fn files(&self) -> Arc<Folder<K::Parsed>> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces one definition in files, or removes it.
    fn put_file(&self, name: &str, file: Option<Arc<DefinitionFile<K::Parsed>>>) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        let definitions = &mut Arc::make_mut(&mut files).definitions;
        match file {
            Some(file) => definitions.insert(name.to_owned(), file),
            None => definitions.remove(name),
        };
    }

    /// The definition of this name, valid or not.
    pub(in crate::app) async fn find(&self, name: &str) -> Result<Option<Found<K::Parsed>>, Error> {
        if let Some(file) = self.in_file(name).await {
            return Ok(Some(Found::File(file)));
        }
        match self.store.definition(K::DEFINED, name).await? {
            Some(record) => Ok(Some(self.stored(record).await?)),
            None => Ok(None),
        }
    }

    /// The definition of this name, or an error that suggests a similar name.
    pub(in crate::app) async fn found(&self, name: &str) -> Result<Found<K::Parsed>, Error> {
        if let Some(found) = self.find(name).await? {
            return Ok(found);
        }
        let (files, records) = (self.files(), self.store.definitions(K::DEFINED).await?);
        let stored = records.iter().map(|record| record.name.as_str());
        let hint = match (
            &files.unreadable,
            nearest(name, files.definitions.keys().map(String::as_str).chain(stored)),
        ) {
            (Some(unreadable), _) => format!("; {unreadable}"),
            (None, Some(similar)) => format!("; did you mean '{similar}'?"),
            (None, None) => String::new(),
        };
        let shown: String = name.chars().take(MAX_NAME_LENGTH).collect();
        Err(Error::new(K::NOT_FOUND, format!("{} '{shown}' not found{hint}", K::DEFINED.as_str())))
    }

    /// All definitions by name, each with whether its file overrides a stored one.
    pub(in crate::app) async fn all(&self) -> Result<Vec<(Found<K::Parsed>, bool)>, Error> {
        let files = self.files();
        let records = self.store.definitions(K::DEFINED).await?;
        let mut all = Vec::new();
        for file in files.definitions.values() {
            let overrides = records.iter().any(|record| record.name == file.name);
            all.push((Found::File(Arc::clone(file)), overrides));
        }
        for record in records.into_iter().filter(|record| !files.definitions.contains_key(&record.name)) {
            all.push((self.stored(record).await?, false));
        }
        all.sort_by(|(left, _), (right, _)| left.name().cmp(right.name()));
        Ok(all)
    }

    /// Whether a file overrides a stored definition.
    pub(in crate::app) async fn overrides_stored(&self, found: &Found<K::Parsed>) -> Result<bool, Error> {
        match found {
            Found::Stored(..) => Ok(false),
            Found::File(file) => Ok(self.store.definition(K::DEFINED, &file.name).await?.is_some()),
        }
    }

    async fn stored(&self, record: DocumentRecord) -> Result<Found<K::Parsed>, Error> {
        if let Some(parsed) = self.parsed.get(&record.hash) {
            return Ok(Found::Stored(Box::new(record), parsed));
        }
        let value = serde_json::from_str(&record.document).map_err(|error| {
            Error::internal(format!("the stored {} '{}': {error}", K::DEFINED.as_str(), record.name))
        })?;
        let parsed = self.parsed_once(&record.hash, value).await?;
        Ok(Found::Stored(Box::new(record), parsed))
    }

    /// A parsed document, which is cached under its hash.
    pub(in crate::app) async fn parsed_once(
        &self,
        hash: &str,
        value: Value,
    ) -> Result<Arc<K::Parsed>, Error> {
        if let Some(parsed) = self.parsed.get(hash) {
            return Ok(parsed);
        }
        let bytes = read_from(value.to_string().len());
        let parsed = Arc::new(parse::<K>(value).await?);
        self.parsed.put(hash, bytes, Arc::clone(&parsed));
        Ok(parsed)
    }
}

/// Parses a document outside of the threads that serve requests, because a large schema takes time.
pub(in crate::app) async fn parse<K: Kind>(value: Value) -> Result<K::Parsed, Error> {
    heavy(move |meter| K::parse(value, meter)).await
}
