//! Making, changing and removing workflows. As with agents: new ones go to the store, one that lives in a file is
//! changed in its file.

use std::fs;
use std::sync::Arc;

use accord_api::{ErrorName, Severity, WorkflowView};
use accord_store::{Condition, DocumentRecord, StoreError};
use serde_json::{Value, json};

use super::files::FileWorkflow;
use super::read::{Read, has_errors};
use super::view::{Found, read_value};
use crate::app::App;
use crate::app::agents::{Expected, Format, Promise, hash_of, replace, write_yaml};
use crate::error::Error;

/// What became of a wish to make a workflow.
#[derive(Debug)]
pub(crate) enum Made {
    /// It is there, and was not before.
    Created(Box<WorkflowView>),
    /// It was there, and is as wished now.
    Changed(Box<WorkflowView>),
    /// The key was used before: this was the answer.
    Replayed(String),
}

impl App {
    /// Makes a workflow in the store.
    pub(crate) async fn create_workflow(
        &self,
        value: Value,
        promise: Option<Promise>,
    ) -> Result<Made, Error> {
        // First of all: an agent that it names may be gone since, or a file of the same name may have come.
        if let Some(answer) = self.first_answer(promise.as_ref()).await? {
            return Ok(Made::Replayed(answer));
        }
        let read = self.sound_workflow(value).await?;
        let name = read.value_of("name");
        if self.workflows.files().contains_key(&name) {
            return Err(exists(&name));
        }
        let record = self.workflow_record(&name, &read);
        let view = Found::Stored(Box::new(record.clone()), Arc::new(read)).view(Vec::new());
        let promise = promise.map(|promise| promise.answered(&view)).transpose()?;
        match self.store.put_workflow(record, Condition::Absent, promise).await {
            Ok(None) => Ok(Made::Created(Box::new(view))),
            Ok(Some(answer)) => Ok(Made::Replayed(answer)),
            Err(StoreError::Exists { .. }) => Err(exists(&name)),
            Err(other) => Err(other.into()),
        }
    }

    /// Puts a graph in the place of the one that is there, or makes the workflow where there is none.
    pub(crate) async fn put_workflow(
        &self,
        name: &str,
        value: Value,
        expected: &Expected,
    ) -> Result<Made, Error> {
        let read = self.sound_workflow(value).await?;
        let given = read.value_of("name");
        if given != name {
            let message = format!(
                "the workflow is called '{given}', and the address says '{name}'; give both one name"
            );
            return Err(Error::new(ErrorName::InvalidRequest, message));
        }
        let writing = self.workflows.writing.lock().await;
        let Some(found) = self.find_workflow(name).await? else {
            if !matches!(expected, Expected::Anything | Expected::Absent) {
                return Err(changed(name));
            }
            drop(writing);
            return match self.create_workflow(read.document().clone(), None).await {
                // Somebody else was quicker.
                Err(error) if *expected == Expected::Absent && error.name() == ErrorName::WorkflowExists => {
                    Err(there(name))
                }
                made => made,
            };
        };
        match found {
            Found::File(_) => {
                let workflow = self.fresh_workflow(name).await?;
                check(expected, name, &workflow.hash)?;
                let document = read.document().clone();
                let written = tokio::task::spawn_blocking(move || write(&workflow, &document)).await;
                written.map_err(Error::internal)?.map_err(|reason| read_only(name, &reason))?;
                self.workflows.reload().await;
            }
            Found::Stored(record, _) => {
                check(expected, name, &record.hash)?;
                let new = self.workflow_record(name, &read);
                self.store.put_workflow(new, expected.condition(&record.hash), None).await?;
            }
        }
        Ok(Made::Changed(Box::new(self.workflow(name).await?)))
    }

    /// Removes a workflow. Its runs stay.
    pub(crate) async fn delete_workflow(&self, name: &str, expected: &Expected) -> Result<(), Error> {
        let _writing = self.workflows.writing.lock().await;
        match self.found_workflow(name).await? {
            Found::File(_) => {
                let workflow = self.fresh_workflow(name).await?;
                check(expected, name, &workflow.hash)?;
                let path = workflow.path.clone();
                let removed = tokio::task::spawn_blocking(move || fs::remove_file(path)).await;
                removed.map_err(Error::internal)?.map_err(|error| read_only(name, &error.to_string()))?;
                self.workflows.reload().await;
                Ok(())
            }
            Found::Stored(record, _) => {
                check(expected, name, &record.hash)?;
                Ok(self.store.remove_workflow(name, expected.condition(&record.hash)).await?)
            }
        }
    }

    /// Only what has no mistakes is kept.
    async fn sound_workflow(&self, value: Value) -> Result<Read, Error> {
        let read = read_value(value).await;
        let (problems, _) = self.examined(&read).await?;
        if !has_errors(&problems) {
            return Ok(read);
        }
        let mut errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        let first = errors.next().map(|problem| format!("{}: {}", problem.path, problem.message));
        let more = match errors.count() {
            0 => String::new(),
            count => format!(" (and {count} more in 'details.problems')"),
        };
        let message = format!("the workflow has mistakes: {}{more}", first.unwrap_or_default());
        Err(Error::new(ErrorName::InvalidWorkflow, message).with_details(json!({"problems": problems})))
    }

    /// A workflow's file as it is at this moment, and not as it was when somebody last looked.
    async fn fresh_workflow(&self, name: &str) -> Result<Arc<FileWorkflow>, Error> {
        self.workflows.reload().await;
        self.workflows.files().get(name).map(Arc::clone).ok_or_else(|| changed(name))
    }

    fn workflow_record(&self, name: &str, read: &Read) -> DocumentRecord {
        let document = read.document().to_string();
        let (now, hash) = (self.outside.now(), hash_of(&document));
        DocumentRecord { name: name.to_owned(), document, hash, created_at: now, modified_at: now }
    }
}

fn write(workflow: &FileWorkflow, document: &Value) -> Result<(), String> {
    let text = match workflow.format {
        Format::Yaml => write_yaml(document)?,
        Format::Json => serde_json::to_string_pretty(document).map_err(|error| error.to_string())? + "\n",
    };
    replace(&workflow.path, &text).map_err(|error| error.to_string())
}

fn check(expected: &Expected, name: &str, hash: &str) -> Result<(), Error> {
    match expected {
        Expected::OneOf(hashes) if !hashes.iter().any(|known| known == hash) => Err(changed(name)),
        Expected::Absent => Err(there(name)),
        _ => Ok(()),
    }
}

fn exists(name: &str) -> Error {
    let message = format!("there is a workflow '{name}' already; PUT /workflows/{name} changes it");
    Error::new(ErrorName::WorkflowExists, message)
}

fn changed(name: &str) -> Error {
    let message =
        format!("the workflow '{name}' is not as you have seen it; read it again and repeat the change");
    Error::new(ErrorName::PreconditionFailed, message)
}

fn there(name: &str) -> Error {
    let message = format!("there is a workflow '{name}' already; If-None-Match asks for none");
    Error::new(ErrorName::PreconditionFailed, message)
}

fn read_only(name: &str, reason: &str) -> Error {
    let message = format!("the file of the workflow '{name}' cannot be written: {reason}");
    Error::new(ErrorName::WorkflowReadOnly, message)
}
