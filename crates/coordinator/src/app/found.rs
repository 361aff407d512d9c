//! An agent that was found, wherever it lives and whatever is wrong with it.

use std::sync::Arc;

use accord_api::Problem;
use accord_domain::agent::Source;
use accord_store::DocumentRecord;
use jiff::Timestamp;
use serde_json::Value;

use super::agents::{Examined, FileAgent, Sound};

/// An agent, sound or not.
#[derive(Debug, Clone)]
pub(super) enum Found {
    /// In a file.
    File(Arc<FileAgent>),
    /// In the store.
    Stored(Box<DocumentRecord>, Arc<Examined>),
}

/// Whether a file hides a stored agent of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hides {
    /// It does.
    Stored,
    /// It does not.
    Nothing,
}

impl Found {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::File(agent) => &agent.name,
            Self::Stored(record, _) => &record.name,
        }
    }

    pub(super) fn source(&self) -> Source {
        match self {
            Self::File(_) => Source::File,
            Self::Stored(..) => Source::Store,
        }
    }

    pub(super) fn value(&self) -> &Value {
        match self {
            Self::File(agent) => &agent.value,
            Self::Stored(_, examined) => &examined.value,
        }
    }

    pub(super) fn document(&self) -> &str {
        match self {
            Self::File(agent) => &agent.document,
            Self::Stored(record, _) => &record.document,
        }
    }

    pub(super) fn hash(&self) -> &str {
        match self {
            Self::File(agent) => &agent.hash,
            Self::Stored(record, _) => &record.hash,
        }
    }

    pub(super) fn sound(&self) -> Option<&Sound> {
        match self {
            Self::File(agent) => agent.sound.as_ref(),
            Self::Stored(_, examined) => examined.sound.as_ref(),
        }
    }

    pub(super) fn problems(&self) -> &[Problem] {
        match self {
            Self::File(agent) => &agent.problems,
            Self::Stored(_, examined) => &examined.problems,
        }
    }

    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Self::File(agent) => Some(&agent.shown),
            Self::Stored(..) => None,
        }
    }

    pub(super) fn created_at(&self) -> Option<Timestamp> {
        match self {
            Self::File(_) => None,
            Self::Stored(record, _) => Some(record.created_at),
        }
    }

    pub(super) fn modified_at(&self) -> Option<Timestamp> {
        match self {
            Self::File(agent) => agent.modified_at,
            Self::Stored(record, _) => Some(record.modified_at),
        }
    }
}
