//! What agents and workflows have in common: a definition lives in a file or in the store, is changed where it lives, and only
//! where it is as whoever changes it has seen it.

use accord_api::{ErrorName, Problem, Severity};
use accord_store::{Condition, Defined, DefinitionStore, DocumentRecord, StoreError};
use jiff::Timestamp;
use serde::Serialize;

use super::Promise;
use super::agents::hash_of;
use crate::error::Error;

/// What must hold of the definition that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Nothing.
    Anything,
    /// That it is not there.
    Absent,
    /// That it is there.
    Present,
    /// That its hash is one of these.
    OneOf(Vec<String>),
}

impl Expected {
    /// What the store is to see to when the thing, which has this hash, is changed.
    pub(in crate::app) fn condition(&self, hash: &str) -> Condition {
        match self {
            Self::OneOf(_) => Condition::Unchanged(hash.to_owned()),
            Self::Anything | Self::Present => Condition::Present,
            Self::Absent => Condition::Absent,
        }
    }
}

/// What became of a wish to make a definition.
#[derive(Debug)]
pub(crate) enum Made<T> {
    /// It is there, and was not before.
    Created(Box<T>),
    /// It was there, and is as wished now.
    Changed(Box<T>),
    /// The key was used before: this was the answer.
    Replayed(String),
}

/// Which definitions, and what they are called.
#[derive(Debug)]
pub(in crate::app) struct Kind {
    defined: Defined,
    text: &'static str,
    exists: ErrorName,
    read_only: ErrorName,
}

/// Agents.
pub(in crate::app) const AGENT: Kind = Kind {
    defined: Defined::Agent,
    text: "blueprint",
    exists: ErrorName::AgentExists,
    read_only: ErrorName::AgentReadOnly,
};

/// Workflows.
pub(in crate::app) const WORKFLOW: Kind = Kind {
    defined: Defined::Workflow,
    text: "workflow",
    exists: ErrorName::WorkflowExists,
    read_only: ErrorName::WorkflowReadOnly,
};

impl Kind {
    /// Refuses what is not as expected: the definition of this name is there and has this hash.
    pub(in crate::app) fn check(&self, expected: &Expected, name: &str, hash: &str) -> Result<(), Error> {
        match expected {
            Expected::OneOf(hashes) if !hashes.iter().any(|known| known == hash) => Err(self.changed(name)),
            Expected::Absent => Err(self.there(name)),
            _ => Ok(()),
        }
    }

    /// Refuses to make what is expected to be there.
    pub(in crate::app) fn check_absent(&self, expected: &Expected, name: &str) -> Result<(), Error> {
        match expected {
            Expected::Anything | Expected::Absent => Ok(()),
            Expected::Present | Expected::OneOf(_) => Err(self.changed(name)),
        }
    }

    /// Refuses a definition under the name of another.
    pub(in crate::app) fn check_name(&self, name: &str, given: &str) -> Result<(), Error> {
        if given == name {
            return Ok(());
        }
        let message =
            format!("the {} is named '{given}', but the URL says '{name}'; use the same name", self.text);
        Err(Error::new(ErrorName::InvalidRequest, message))
    }

    /// What somebody is told who wanted to make it where there was none, and was not the first.
    pub(in crate::app) fn made_meanwhile<T>(
        &self,
        made: Result<Made<T>, Error>,
        expected: &Expected,
        name: &str,
    ) -> Result<Made<T>, Error> {
        match made {
            Err(error) if *expected == Expected::Absent && error.name() == self.exists => {
                Err(self.there(name))
            }
            made => made,
        }
    }

    /// It is there already.
    pub(in crate::app) fn exists(&self, name: &str) -> Error {
        let word = self.defined.as_str();
        let message = format!("{word} '{name}' already exists; use PUT /{word}s/{name} to replace it");
        Error::new(self.exists, message)
    }

    /// It is not as whoever changes it has seen it.
    pub(in crate::app) fn changed(&self, name: &str) -> Error {
        let message = format!(
            "the {} '{name}' has changed since you read it; read it again and repeat the change",
            self.defined.as_str()
        );
        Error::new(ErrorName::PreconditionFailed, message)
    }

    fn there(&self, name: &str) -> Error {
        let word = self.defined.as_str();
        let message = format!("{word} '{name}' already exists, and If-None-Match requires that it does not");
        Error::new(ErrorName::PreconditionFailed, message)
    }

    /// Its file cannot be written.
    pub(in crate::app) fn read_only(&self, name: &str, reason: &str) -> Error {
        let message =
            format!("the file of the {} '{name}' cannot be written: {reason}", self.defined.as_str());
        Error::new(self.read_only, message)
    }

    /// What is wrong with it, in a sentence.
    pub(in crate::app) fn mistakes(&self, problems: &[Problem]) -> String {
        format!("invalid {}: {}", self.text, first_error(problems))
    }
}

/// The first error, and how many more there are. All of them are in the details.
pub(in crate::app) fn first_error(problems: &[Problem]) -> String {
    let mut errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let first = errors.next().map(|problem| format!("{}: {}", problem.path, problem.message));
    let more = match errors.count() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    format!("{}{more}", first.unwrap_or_default())
}

/// Makes one in the store. Whoever made it is shown this.
pub(in crate::app) async fn make_definition<T: Serialize>(
    store: &dyn DefinitionStore,
    kind: &Kind,
    record: DocumentRecord,
    view: T,
    promise: Option<Promise>,
) -> Result<Made<T>, Error> {
    let name = record.name.clone();
    let promise = promise.map(|promise| promise.answered(&view)).transpose()?;
    match store.put_definition(kind.defined, record, Condition::Absent, promise).await {
        Ok(None) => Ok(Made::Created(Box::new(view))),
        Ok(Some(answer)) => Ok(Made::Replayed(answer)),
        Err(StoreError::Exists { .. }) => Err(kind.exists(&name)),
        Err(other) => Err(other.into()),
    }
}

/// A new definition as the store keeps it.
pub(in crate::app) fn record(name: &str, document: String, now: Timestamp) -> DocumentRecord {
    let hash = hash_of(&document);
    DocumentRecord { name: name.to_owned(), document, hash, created_at: now, modified_at: now }
}
