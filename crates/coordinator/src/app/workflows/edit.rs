//! Making, changing and removing workflows. As with agents: new ones go to the store, one that lives in a file is
//! changed in its file.

use std::fs;
use std::sync::Arc;

use accord_api::{ErrorName, WorkflowView};
use accord_store::{Defined, DocumentRecord};
use serde_json::{Value, json};

use super::files::FileWorkflow;
use super::read::{Read, has_errors};
use super::view::{Found, read_value};
use crate::app::agents::{Format, replace, write_yaml};
use crate::app::blueprints::Blueprints;
use crate::app::definition::{WORKFLOW, make_definition, record};
use crate::app::promise::first_answer;
use crate::app::{Expected, Made, Promise};
use crate::error::Error;

impl Blueprints {
    /// Makes a workflow in the store.
    pub(crate) async fn create_workflow(
        &self,
        value: Value,
        promise: Option<Promise>,
    ) -> Result<Made<WorkflowView>, Error> {
        // First of all: an agent that it names may be gone since, or a file of the same name may have come.
        if let Some(answer) = first_answer(self.store.as_ref(), promise.as_ref()).await? {
            return Ok(Made::Replayed(answer));
        }
        let read = self.sound_workflow(value).await?;
        let name = read.value_of("name");
        if self.workflows.files().contains_key(&name) {
            return Err(WORKFLOW.exists(&name));
        }
        let record = self.workflow_record(&name, &read);
        let view = Found::Stored(Box::new(record.clone()), Arc::new(read)).view(Vec::new());
        make_definition(self.store.as_ref(), &WORKFLOW, record, view, promise).await
    }

    /// Puts a graph in the place of the one that is there, or makes the workflow where there is none.
    pub(crate) async fn put_workflow(
        &self,
        name: &str,
        value: Value,
        expected: &Expected,
    ) -> Result<Made<WorkflowView>, Error> {
        let read = self.sound_workflow(value).await?;
        WORKFLOW.check_name(name, &read.value_of("name"))?;
        let writing = self.workflows.writing.lock().await;
        let Some(found) = self.find_workflow(name).await? else {
            WORKFLOW.check_absent(expected, name)?;
            drop(writing);
            let made = self.create_workflow(read.document().clone(), None).await;
            return WORKFLOW.made_meanwhile(made, expected, name);
        };
        match found {
            Found::File(_) => {
                let workflow = self.fresh_workflow(name).await?;
                WORKFLOW.check(expected, name, &workflow.hash)?;
                let document = read.document().clone();
                let written = tokio::task::spawn_blocking(move || write(&workflow, &document)).await;
                written.map_err(Error::internal)?.map_err(|reason| WORKFLOW.read_only(name, &reason))?;
                self.workflows.reload().await;
                self.workflows.known_files.written(name, self.workflows.hashes().remove(name));
            }
            Found::Stored(record, _) => {
                WORKFLOW.check(expected, name, &record.hash)?;
                let new = self.workflow_record(name, &read);
                self.store
                    .put_definition(Defined::Workflow, new, expected.condition(&record.hash), None)
                    .await?;
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
                WORKFLOW.check(expected, name, &workflow.hash)?;
                let path = workflow.path.clone();
                let removed = tokio::task::spawn_blocking(move || fs::remove_file(path)).await;
                removed
                    .map_err(Error::internal)?
                    .map_err(|error| WORKFLOW.read_only(name, &error.to_string()))?;
                self.workflows.reload().await;
                self.workflows.known_files.written(name, None);
                Ok(())
            }
            Found::Stored(record, _) => {
                WORKFLOW.check(expected, name, &record.hash)?;
                Ok(self
                    .store
                    .remove_definition(Defined::Workflow, name, expected.condition(&record.hash))
                    .await?)
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
        let message = WORKFLOW.mistakes(&problems);
        Err(Error::new(ErrorName::InvalidWorkflow, message).with_details(json!({"problems": problems})))
    }

    /// A workflow's file as it is at this moment, and not as it was when somebody last looked.
    async fn fresh_workflow(&self, name: &str) -> Result<Arc<FileWorkflow>, Error> {
        self.workflows.reload().await;
        self.workflows.files().get(name).map(Arc::clone).ok_or_else(|| WORKFLOW.changed(name))
    }

    fn workflow_record(&self, name: &str, read: &Read) -> DocumentRecord {
        record(name, read.document().to_string(), self.outside.now())
    }
}

fn write(workflow: &FileWorkflow, document: &Value) -> Result<(), String> {
    let text = match workflow.format {
        Format::Yaml => write_yaml(document)?,
        Format::Json => serde_json::to_string_pretty(document).map_err(|error| error.to_string())? + "\n",
    };
    replace(&workflow.path, &text).map_err(|error| error.to_string())
}
