//! A definition that was found, in a file or in the store.

use std::sync::Arc;

use accord_blueprint::{DefinitionFile, Parsed};
use accord_domain::agent::Source;
use accord_store::DocumentRecord;
use jiff::Timestamp;
use serde_json::Value;

/// A definition, valid or not.
#[derive(Debug)]
pub(crate) enum Found<P> {
    File(Arc<DefinitionFile<P>>),
    Stored(Box<DocumentRecord>, Arc<P>),
}

impl<P: Parsed> Found<P> {
    pub(in crate::app) fn name(&self) -> &str {
        match self {
            Self::File(file) => &file.name,
            Self::Stored(record, _) => &record.name,
        }
    }

    pub(in crate::app) fn parsed(&self) -> &Arc<P> {
        match self {
            Self::File(file) => &file.parsed,
            Self::Stored(_, parsed) => parsed,
        }
    }

    pub(crate) fn value(&self) -> &Value {
        self.parsed().value()
    }

    pub(in crate::app) fn hash(&self) -> &str {
        match self {
            Self::File(file) => &file.hash,
            Self::Stored(record, _) => &record.hash,
        }
    }

    /// The document as text, as runners get it.
    pub(in crate::app) fn document(&self) -> String {
        match self {
            Self::File(file) => file.parsed.value().to_string(),
            Self::Stored(record, _) => record.document.clone(),
        }
    }

    pub(in crate::app) fn source(&self) -> Source {
        match self {
            Self::File(_) => Source::File,
            Self::Stored(..) => Source::Store,
        }
    }

    pub(in crate::app) fn file(&self) -> Option<&str> {
        match self {
            Self::File(file) => Some(&file.path),
            Self::Stored(..) => None,
        }
    }

    pub(in crate::app) fn created_at(&self) -> Option<Timestamp> {
        match self {
            Self::File(_) => None,
            Self::Stored(record, _) => Some(record.created_at),
        }
    }

    pub(in crate::app) fn modified_at(&self) -> Option<Timestamp> {
        match self {
            Self::File(file) => file.modified_at,
            Self::Stored(record, _) => Some(record.modified_at),
        }
    }
}
