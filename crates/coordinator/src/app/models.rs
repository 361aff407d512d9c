//! Agents and workflows by one name, as callers that know only models see them.
//!
//! An agent takes precedence over a workflow of the same name. `workflow:NAME` is always the workflow: no name can contain a
//! colon.

use std::collections::BTreeMap;
use std::sync::Arc;

use accord_api::ErrorName;
use accord_domain::nearest;
use accord_workflow::output_schema;
use jiff::Timestamp;
use serde_json::Value;

use super::Agent;
use super::blueprints::Blueprints;
use crate::error::Error;
use crate::work::heavy;

/// What the id of a workflow begins with where an agent has its name.
const WORKFLOW: &str = "workflow:";

/// How much of an unknown name is shown: enough to recognise it by.
const SHOWN: usize = 100;

/// What a name stands for.
pub(crate) enum Model {
    Agent(Arc<Agent>),
    Workflow {
        name: String,
        /// The schema of its input.
        input: Option<Value>,
        created_at: Option<Timestamp>,
    },
}

impl Blueprints {
    /// The ids of all valid agents and workflows, with when each was created, if that is known.
    pub(crate) async fn models(&self) -> Result<BTreeMap<String, Option<Timestamp>>, Error> {
        let agents = self.catalog.all().await?;
        let mut models = BTreeMap::new();
        for (found, _) in self.workflows.all().await? {
            if !self.is_sound(found.parsed()).await? {
                continue;
            }
            // An invalid agent has its name too: calling it is an error that names its mistakes.
            let is_taken = agents.iter().any(|(agent, _)| agent.name() == found.name());
            let prefix = if is_taken { WORKFLOW } else { "" };
            models.insert(format!("{prefix}{}", found.name()), found.created_at().or(found.modified_at()));
        }
        let valid = agents.into_iter().filter(|(agent, _)| agent.parsed().valid.is_some());
        models.extend(
            valid.map(|(agent, _)| (agent.name().to_owned(), agent.created_at().or(agent.modified_at()))),
        );
        Ok(models)
    }

    /// The agent or workflow with this id, ready for use.
    pub(crate) async fn model(&self, id: &str) -> Result<Model, Error> {
        if let Some(name) = id.strip_prefix(WORKFLOW) {
            return self.workflow_model(name).await;
        }
        let missing = match self.catalog.usable(id).await {
            Err(error) if error.name() == ErrorName::AgentNotFound => error,
            found => return found.map(Model::Agent),
        };
        match self.workflow_model(id).await {
            Err(error) if error.name() == ErrorName::WorkflowNotFound => {}
            found => return found,
        }
        let models = self.models().await?;
        Err(match nearest(id, models.keys().map(String::as_str)) {
            Some(near) => {
                let shown: String = id.chars().take(SHOWN).collect();
                let message = format!("model '{shown}' not found; did you mean '{near}'?");
                Error::new(ErrorName::AgentNotFound, message)
            }
            None => missing,
        })
    }

    /// The schema of a workflow's output, as far as its nodes say it.
    pub(crate) async fn workflow_output(&self, name: &str) -> Result<Option<Value>, Error> {
        let (found, known) = self.usable_workflow(name).await?;
        let parsed = Arc::clone(found.parsed());
        heavy(move |meter| parsed.graph.as_ref().and_then(|graph| output_schema(graph, &known, meter))).await
    }

    async fn workflow_model(&self, name: &str) -> Result<Model, Error> {
        let (found, _) = self.usable_workflow(name).await?;
        let input = found.parsed().graph.as_ref().and_then(|graph| graph.input_schema().cloned());
        let created_at = found.created_at().or(found.modified_at());
        Ok(Model::Workflow { name: name.to_owned(), input, created_at })
    }
}
