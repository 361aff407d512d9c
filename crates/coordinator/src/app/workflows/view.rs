//! Workflows as callers see them.

use std::cmp::Ordering;
use std::sync::Arc;

use accord_api::{
    ErrorName, Page, Problem, Severity, Source, ValidateWorkflowAnswer, WorkflowSummary, WorkflowView,
};
use accord_store::{Defined, DocumentRecord};
use accord_workflow::{Graph, Known, Target};
use serde_json::{Value, json};

use super::files::FileWorkflow;
use super::known::named;
use super::read::{Read, has_errors};
use crate::app::agents::name;
use crate::app::blueprints::Blueprints;
use crate::app::definition::first_error;
use crate::app::page;
use crate::error::Error;
use crate::work::heavy;

/// A workflow that was found, sound or not.
#[derive(Debug, Clone)]
pub(super) enum Found {
    File(Arc<FileWorkflow>),
    Stored(Box<DocumentRecord>, Arc<Read>),
}

impl Found {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::File(workflow) => &workflow.name,
            Self::Stored(record, _) => &record.name,
        }
    }

    pub(super) fn read(&self) -> Arc<Read> {
        match self {
            Self::File(workflow) => Arc::clone(&workflow.read),
            Self::Stored(_, read) => Arc::clone(read),
        }
    }

    pub(super) fn hash(&self) -> &str {
        match self {
            Self::File(workflow) => &workflow.hash,
            Self::Stored(record, _) => &record.hash,
        }
    }

    fn summary(&self, problems: Vec<Problem>) -> WorkflowSummary {
        let read = self.read();
        let nodes = read.document().get("nodes").and_then(Value::as_object).map_or(0, |nodes| nodes.len());
        WorkflowSummary {
            name: self.name().to_owned(),
            description: read.value_of("description"),
            source: match self {
                Self::File(_) => Source::File,
                Self::Stored(..) => Source::Store,
            },
            valid: !has_errors(&problems),
            nodes,
            problems,
        }
    }

    pub(super) fn view(&self, problems: Vec<Problem>) -> WorkflowView {
        let (file, created_at, modified_at) = match self {
            Self::File(workflow) => (Some(workflow.path.display().to_string()), None, workflow.modified_at),
            Self::Stored(record, _) => (None, Some(record.created_at), Some(record.modified_at)),
        };
        WorkflowView {
            summary: self.summary(problems),
            workflow: self.read().document().clone(),
            hash: self.hash().to_owned(),
            file,
            created_at,
            modified_at,
        }
    }
}

impl Blueprints {
    /// The workflow of this name, sound or not. On the same name a file wins.
    pub(super) async fn find_workflow(&self, name: &str) -> Result<Option<Found>, Error> {
        self.workflows.refresh().await;
        if let Some(workflow) = self.workflows.files().get(name) {
            return Ok(Some(Found::File(Arc::clone(workflow))));
        }
        match self.store.definition(Defined::Workflow, name).await? {
            Some(record) => Ok(Some(self.stored_workflow(record).await)),
            None => Ok(None),
        }
    }

    /// The same, where it has to be there.
    pub(super) async fn found_workflow(&self, name: &str) -> Result<Found, Error> {
        if let Some(found) = self.find_workflow(name).await? {
            return Ok(found);
        }
        let (files, records) = (self.workflows.files(), self.store.definitions(Defined::Workflow).await?);
        let stored = records.iter().map(|record| record.name.as_str());
        let hint = match name::nearest(name, files.keys().map(String::as_str).chain(stored)) {
            Some(meant) => format!("; did you mean '{meant}'?"),
            None => String::new(),
        };
        let message = format!("workflow '{name}' not found{hint}");
        Err(Error::new(ErrorName::WorkflowNotFound, message))
    }

    async fn stored_workflow(&self, record: DocumentRecord) -> Found {
        if let Some(read) = self.workflows.read.get(&record.hash) {
            return Found::Stored(Box::new(record), read);
        }
        let value = serde_json::from_str(&record.document).unwrap_or_default();
        let read = Arc::new(read_value(value).await);
        self.workflows.read.put(&record.hash, Arc::clone(&read));
        Found::Stored(Box::new(record), read)
    }

    /// Every workflow in files, by name, with its verdict. For who examines files without a coordinator.
    pub(in crate::app) async fn examine_workflows(&self) -> Result<Vec<WorkflowView>, Error> {
        let mut views = Vec::new();
        for workflow in self.workflows.files().values() {
            let found = Found::File(Arc::clone(workflow));
            let (problems, _) = self.examined(&found.read()).await?;
            views.push(found.view(problems));
        }
        Ok(views)
    }

    /// Every workflow, by name, and whether its file hides a stored one.
    async fn all_workflows(&self) -> Result<Vec<(Found, bool)>, Error> {
        let files = self.workflows.files();
        let records = self.store.definitions(Defined::Workflow).await?;
        let mut all: Vec<(Found, bool)> = Vec::new();
        for workflow in files.values() {
            let hides = records.iter().any(|record| record.name == workflow.name);
            all.push((Found::File(Arc::clone(workflow)), hides));
        }
        for record in records.into_iter().filter(|record| !files.contains_key(&record.name)) {
            all.push((self.stored_workflow(record).await, false));
        }
        all.sort_by(|(left, _), (right, _)| left.name().cmp(right.name()));
        Ok(all)
    }

    /// Every registered schema that a node of a workflow names, with the workflow's name.
    pub(in crate::app) async fn schemas_of_nodes(&self) -> Result<Vec<(String, String)>, Error> {
        let mut named = Vec::new();
        for (found, _) in self.all_workflows().await? {
            let read = found.read();
            let names = read.graph.iter().flat_map(Graph::schema_names);
            named.extend(names.map(|name| (found.name().to_owned(), name.to_owned())));
        }
        Ok(named)
    }

    /// Every agent that is defined in a workflow, with its name there, by the workflow's name.
    pub(in crate::app) async fn inline_agents(&self) -> Result<Vec<(String, Value)>, Error> {
        let mut agents = Vec::new();
        for (found, _) in self.all_workflows().await? {
            let read = found.read();
            let Some(graph) = &read.graph else { continue };
            for (node, work, role) in graph.works() {
                if let Target::Inline(blueprint) = &work.target {
                    agents.push((found.name().to_owned(), named(graph, &node.id, role, blueprint)));
                }
            }
        }
        Ok(agents)
    }

    /// One page of the workflows, those with mistakes too.
    pub(crate) async fn workflows_page(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<WorkflowSummary>, Error> {
        let all = self.all_workflows().await?;
        let mut summaries = Vec::with_capacity(all.len());
        for (found, hides) in all {
            let (mut problems, _) = self.examined(&found.read()).await?;
            if hides {
                problems.push(hidden(&found));
            }
            summaries.push(found.summary(problems));
        }
        page::List("workflows")
            .by_name(summaries, Ordering::Greater, limit, cursor, |workflow| &workflow.name)
    }

    pub(crate) async fn workflow(&self, name: &str) -> Result<WorkflowView, Error> {
        let found = self.found_workflow(name).await?;
        let (mut problems, _) = self.examined(&found.read()).await?;
        if matches!(found, Found::File(_)) && self.store.definition(Defined::Workflow, name).await?.is_some()
        {
            problems.push(hidden(&found));
        }
        Ok(found.view(problems))
    }

    pub(crate) async fn validate_workflow(&self, value: Value) -> Result<ValidateWorkflowAnswer, Error> {
        let (problems, _) = self.examined(&read_value(value).await).await?;
        Ok(ValidateWorkflowAnswer { valid: !has_errors(&problems), problems })
    }

    /// A workflow that can be run, and what is known of those that it names.
    pub(super) async fn usable_workflow(&self, name: &str) -> Result<(Found, Known), Error> {
        let found = self.found_workflow(name).await?;
        let (problems, known) = self.examined(&found.read()).await?;
        if has_errors(&problems) {
            let message = format!("workflow '{name}' is invalid: {}", first_error(&problems));
            let details = json!({"problems": problems});
            return Err(Error::new(ErrorName::WorkflowBroken, message).with_details(details));
        }
        Ok((found, known))
    }
}

fn hidden(found: &Found) -> Problem {
    let message = format!("this file overrides the stored workflow '{}'; remove one of them", found.name());
    found.read().problem(Severity::Warning, accord_contract::Place::root(), message)
}

/// Reads a document away from the threads that serve requests: schemas in it are compiled.
pub(super) async fn read_value(value: Value) -> Read {
    match heavy(move || Read::value(value)).await {
        Ok(read) => read,
        Err(_) => Read::value(Value::Null),
    }
}
