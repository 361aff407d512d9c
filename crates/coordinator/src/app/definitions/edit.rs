//! Lists, creates, replaces and removes definitions.
//!
//! New definitions go to the store; one in a file is changed in its file. Both check the condition and make the change in one
//! step: the store in a transaction, a file under a lock.

use std::cmp::Ordering;
use std::sync::Arc;

use accord_api::Page;
use accord_blueprint::{DefinitionFile, Parsed as _, hash_of};
use accord_store::{Condition, DocumentRecord, StoreError};
use jiff::Timestamp;
use serde_json::Value;

use super::kind::{changed, check, check_absent, check_name, exists, exists_already, read_only};
use super::{Expected, Found, Kind, Made};
use crate::app::Promise;
use crate::app::blueprints::Blueprints;
use crate::app::promise::first_answer;
use crate::error::Error;

impl Blueprints {
    /// One page of the definitions that `is_listed` selects, by name, those with mistakes too.
    pub(crate) async fn page<K: Kind>(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
        is_listed: impl Fn(&Found<K::Parsed>) -> bool + Send,
    ) -> Result<Page<K::Summary>, Error> {
        let mut all = K::definitions(self).all().await?;
        all.retain(|(found, _)| is_listed(found));
        let page = K::LIST.by_name(all, Ordering::Greater, limit, cursor, |(found, _)| found.name())?;
        let mut summaries = Vec::with_capacity(page.items.len());
        for (found, overrides_stored) in &page.items {
            summaries.push(K::summary(self, found, *overrides_stored).await?);
        }
        Ok(Page::new(summaries, page.next_cursor))
    }

    pub(crate) async fn get<K: Kind>(&self, name: &str) -> Result<K::View, Error> {
        self.view::<K>(&K::definitions(self).found(name).await?).await
    }

    async fn view<K: Kind>(&self, found: &Found<K::Parsed>) -> Result<K::View, Error> {
        let overrides_stored = K::definitions(self).overrides_stored(found).await?;
        K::view(self, found, K::summary(self, found, overrides_stored).await?).await
    }

    /// Creates a definition in the store.
    pub(crate) async fn create<K: Kind>(
        &self,
        value: Value,
        promise: Option<Promise>,
    ) -> Result<Made<K::View>, Error> {
        // First, because what was created may have become invalid, or a file of the same name may exist by now.
        if let Some(answer) = first_answer(self.store.as_ref(), promise.as_ref()).await? {
            return Ok(Made::Replayed(answer));
        }
        let parsed = K::valid(self, value).await?;
        self.create_valid::<K>(parsed, promise).await
    }

    async fn create_valid<K: Kind>(
        &self,
        parsed: K::Parsed,
        promise: Option<Promise>,
    ) -> Result<Made<K::View>, Error> {
        let name = name_of(parsed.value()).to_owned();
        if K::definitions(self).in_file(&name).await.is_some() {
            return Err(exists::<K>(&name));
        }
        let record = record(&name, parsed.value().to_string(), self.outside.now());
        let found = Found::Stored(Box::new(record.clone()), Arc::new(parsed));
        let view = K::view(self, &found, K::summary_created(self, &found).await?).await?;
        let promise = promise.map(|promise| promise.answered(&view)).transpose()?;
        match self.store.put_definition(K::DEFINED, record, Condition::Absent, promise).await {
            Ok(None) => Ok(Made::Created(Box::new(view))),
            Ok(Some(answer)) => Ok(Made::Replayed(answer)),
            Err(StoreError::Exists { .. }) => Err(exists::<K>(&name)),
            Err(other) => Err(other.into()),
        }
    }

    /// Replaces a definition, or creates it if it does not exist.
    pub(crate) async fn put<K: Kind>(
        &self,
        name: &str,
        value: Value,
        expected: &Expected,
    ) -> Result<Made<K::View>, Error> {
        let parsed = K::valid(self, value).await?;
        check_name::<K>(name, name_of(parsed.value()))?;
        let definitions = K::definitions(self);
        let writing = definitions.writing.lock().await;
        if let Some(found) = definitions.find(name).await? {
            let view = self.replace::<K>(found, parsed, expected).await?;
            return Ok(Made::Changed(Box::new(view)));
        }
        check_absent::<K>(expected, name)?;
        drop(writing);
        match self.create_valid::<K>(parsed, None).await {
            Err(error) if *expected == Expected::Absent && error.name() == K::EXISTS => {
                Err(exists_already::<K>(name))
            }
            made => made,
        }
    }

    /// Replaces a definition where it is defined. The lock for writing is held.
    pub(in crate::app) async fn replace<K: Kind>(
        &self,
        found: Found<K::Parsed>,
        parsed: K::Parsed,
        expected: &Expected,
    ) -> Result<K::View, Error> {
        let name = found.name().to_owned();
        match found {
            Found::File(_) => {
                let file = self.fresh_file::<K>(&name).await?;
                check::<K>(expected, &name, &file.hash)?;
                let write = move || K::write(&file, parsed.value());
                let written = tokio::task::spawn_blocking(write).await.map_err(Error::internal)?;
                written.map_err(|error| read_only::<K>(&name, &error))?;
                let definitions = K::definitions(self);
                definitions.reload().await;
                definitions.known_files.written(&name, definitions.files().hashes().remove(&name));
                self.get::<K>(&name).await
            }
            Found::Stored(old, _) => {
                check::<K>(expected, &name, &old.hash)?;
                let new = record(&name, parsed.value().to_string(), self.outside.now());
                let new = DocumentRecord { created_at: old.created_at, ..new };
                let condition = expected.condition(&old.hash);
                self.store.put_definition(K::DEFINED, new.clone(), condition, None).await?;
                self.view::<K>(&Found::Stored(Box::new(new), Arc::new(parsed))).await
            }
        }
    }

    /// Removes a definition.
    pub(crate) async fn delete<K: Kind>(&self, name: &str, expected: &Expected) -> Result<(), Error> {
        let definitions = K::definitions(self);
        let _writing = definitions.writing.lock().await;
        match definitions.found(name).await? {
            Found::File(_) => {
                let file = self.fresh_file::<K>(name).await?;
                check::<K>(expected, name, &file.hash)?;
                let removed = tokio::task::spawn_blocking(move || K::remove(&file)).await;
                removed.map_err(Error::internal)?.map_err(|error| read_only::<K>(name, &error))?;
                definitions.reload().await;
                definitions.known_files.written(name, None);
                Ok(())
            }
            Found::Stored(record, _) => {
                check::<K>(expected, name, &record.hash)?;
                let condition = expected.condition(&record.hash);
                Ok(self.store.remove_definition(K::DEFINED, name, condition).await?)
            }
        }
    }

    /// The file of a definition as it is now.
    async fn fresh_file<K: Kind>(&self, name: &str) -> Result<Arc<DefinitionFile<K::Parsed>>, Error> {
        let definitions = K::definitions(self);
        definitions.reload().await;
        definitions.files().definitions.get(name).map(Arc::clone).ok_or_else(|| changed::<K>(name))
    }
}

/// The name in a valid document.
fn name_of(value: &Value) -> &str {
    value.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// A new definition as the store keeps it.
fn record(name: &str, document: String, now: Timestamp) -> DocumentRecord {
    let hash = hash_of(&document);
    DocumentRecord { name: name.to_owned(), document, hash, created_at: now, modified_at: now }
}
