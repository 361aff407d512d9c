//! The kinds of definitions, and the conditions and errors of changing them.

use accord_api::{ErrorName, Problem, Severity};
use accord_blueprint::{DefinitionKind, WriteError};
use accord_store::{Condition, Defined};
use serde::Serialize;
use serde_json::Value;

use super::{Definitions, Found};
use crate::app::blueprints::Blueprints;
use crate::app::page;
use crate::error::{Error, refuse};

/// The condition of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// None.
    Anything,
    /// The definition does not exist.
    Absent,
    /// The definition exists.
    Present,
    /// Its hash is one of these.
    OneOf(Vec<String>),
}

impl Expected {
    /// The condition for the store, for a definition that has this hash now.
    pub(in crate::app) fn condition(&self, hash: &str) -> Condition {
        match self {
            Self::OneOf(_) => Condition::Unchanged(hash.to_owned()),
            Self::Anything | Self::Present => Condition::Present,
            Self::Absent => Condition::Absent,
        }
    }
}

/// The result of creating or replacing a definition.
#[derive(Debug)]
pub(crate) enum Made<T> {
    /// It did not exist before.
    Created(Box<T>),
    /// It existed and was replaced.
    Changed(Box<T>),
    /// The idempotency key was used before, with this response.
    Replayed(String),
}

pub(crate) trait Kind: DefinitionKind {
    const DEFINED: Defined;
    const LIST: page::List;
    /// What the document is called in messages.
    const DOCUMENT: &'static str;
    const NOT_FOUND: ErrorName;
    const EXISTS: ErrorName;
    const READ_ONLY: ErrorName;
    /// The action in the audit log.
    const FILE_CHANGED: &'static str;

    /// What only this kind has.
    type State: Send + Sync;
    /// A definition as lists show it.
    type Summary: Send;
    /// A definition as the API shows it.
    type View: Serialize + Send;

    fn definitions(blueprints: &Blueprints) -> &Definitions<Self>
    where
        Self: Sized;

    /// Parses a document and rejects one with mistakes.
    fn valid(
        blueprints: &Blueprints,
        value: Value,
    ) -> impl Future<Output = Result<Self::Parsed, Error>> + Send;

    /// A definition as lists show it, with a warning if its file overrides a stored one.
    fn summary(
        blueprints: &Blueprints,
        found: &Found<Self::Parsed>,
        overrides_stored: bool,
    ) -> impl Future<Output = Result<Self::Summary, Error>> + Send;

    /// The same for one that was just created.
    fn summary_created(
        blueprints: &Blueprints,
        found: &Found<Self::Parsed>,
    ) -> impl Future<Output = Result<Self::Summary, Error>> + Send {
        Self::summary(blueprints, found, false)
    }

    fn view(
        blueprints: &Blueprints,
        found: &Found<Self::Parsed>,
        summary: Self::Summary,
    ) -> impl Future<Output = Result<Self::View, Error>> + Send;
}

/// Checks the condition of a change of a definition that exists and has this hash.
pub(in crate::app) fn check<K: Kind>(expected: &Expected, name: &str, hash: &str) -> Result<(), Error> {
    match expected {
        Expected::OneOf(hashes) if !hashes.iter().any(|known| known == hash) => Err(changed::<K>(name)),
        Expected::Absent => Err(exists_already::<K>(name)),
        _ => Ok(()),
    }
}

/// Checks the condition of a change of a definition that does not exist.
pub(super) fn check_absent<K: Kind>(expected: &Expected, name: &str) -> Result<(), Error> {
    match expected {
        Expected::Anything | Expected::Absent => Ok(()),
        Expected::Present | Expected::OneOf(_) => Err(changed::<K>(name)),
    }
}

/// Rejects a document with another name than the URL.
pub(super) fn check_name<K: Kind>(name: &str, document_name: &str) -> Result<(), Error> {
    if document_name == name {
        return Ok(());
    }
    Err(refuse(format!(
        "the {} is named '{document_name}', but the URL says '{name}'; use the same name",
        K::DOCUMENT
    )))
}

pub(super) fn exists<K: Kind>(name: &str) -> Error {
    let noun = K::DEFINED.as_str();
    let message = format!("{noun} '{name}' already exists; use PUT /{noun}s/{name} to replace it");
    Error::new(K::EXISTS, message)
}

/// The definition was changed since the caller read it.
pub(super) fn changed<K: Kind>(name: &str) -> Error {
    let message = format!(
        "the {} '{name}' has changed since you read it; read it again and repeat the change",
        K::DEFINED.as_str()
    );
    Error::new(ErrorName::PreconditionFailed, message)
}

pub(super) fn exists_already<K: Kind>(name: &str) -> Error {
    let noun = K::DEFINED.as_str();
    let message = format!("{noun} '{name}' already exists, and If-None-Match requires that it does not");
    Error::new(ErrorName::PreconditionFailed, message)
}

pub(super) fn read_only<K: Kind>(name: &str, error: &WriteError) -> Error {
    let message = format!("the file of the {} '{name}' cannot be written: {error}", K::DEFINED.as_str());
    Error::new(K::READ_ONLY, message)
}

/// The mistakes of a document in one sentence.
pub(in crate::app) fn mistakes<K: Kind>(problems: &[Problem]) -> String {
    format!("invalid {}: {}", K::DOCUMENT, first_error(problems))
}

/// The first mistake and the number of others, which are in the details of the error.
pub(in crate::app) fn first_error(problems: &[Problem]) -> String {
    let mut errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let first = errors.next().map(|problem| format!("{}: {}", problem.path, problem.message));
    let more = match errors.count() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    format!("{}{more}", first.unwrap_or_default())
}
