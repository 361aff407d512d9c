//! The current state of everything that a workflow refers to.

use std::sync::Arc;

use accord_api::{ErrorName, Problem};
use accord_blueprint::{Library, ParsedAgent, ParsedWorkflow, inline_blueprints};
use accord_workflow::{Graph, Known};

use crate::app::blueprints::Blueprints;
use crate::error::Error;
use crate::work::heavy;

impl Blueprints {
    /// All problems of a workflow now, and what is known of the agents and workflows in it.
    pub(super) async fn examined(&self, read: &Arc<ParsedWorkflow>) -> Result<(Vec<Problem>, Known), Error> {
        let mut library = Library { providers: self.catalog.state.providers.clone(), ..Library::default() };
        if let Some(graph) = &read.graph {
            let mut names = self.add_references(graph, &mut library).await?;
            while let Some(name) = names.pop() {
                if name == graph.name || library.workflows.contains_key(&name) {
                    continue;
                }
                let Some(found) = self.workflows.find(&name).await? else { continue };
                if let Some(inner) = &found.parsed().graph {
                    names.extend(self.add_references(inner, &mut library).await?);
                }
                library.workflows.insert(name, Arc::clone(found.parsed()));
            }
        }
        let read = Arc::clone(read);
        heavy(move |meter| library.examine(&read, meter)).await
    }

    /// Adds the agents and registered schemas that a graph refers to, and returns the names of the workflows in it.
    async fn add_references(&self, graph: &Graph, library: &mut Library) -> Result<Vec<String>, Error> {
        for name in graph.schema_names() {
            self.add_schema(name, library).await?;
        }
        for name in graph.agent_names() {
            if let Some(found) = self.catalog.find(name).await? {
                self.add_schemas_of(found.parsed(), library).await?;
                library.agents.insert(name.to_owned(), Arc::clone(found.parsed()));
            }
        }
        for agent in inline_blueprints(graph) {
            let document = agent.to_string();
            let parsed = self.catalog.parsed_inline(agent).await?;
            self.add_schemas_of(&parsed, library).await?;
            library.inline.insert(document, parsed);
        }
        Ok(graph.workflow_names().into_iter().map(str::to_owned).collect())
    }

    async fn add_schemas_of(&self, agent: &ParsedAgent, library: &mut Library) -> Result<(), Error> {
        for (_, name) in agent.registered_schemas() {
            self.add_schema(name, library).await?;
        }
        Ok(())
    }

    async fn add_schema(&self, name: &str, library: &mut Library) -> Result<(), Error> {
        let schema = match self.catalog.registered(name).await {
            Ok(None) => return Ok(()),
            Ok(Some(schema)) => Ok(schema),
            Err(error) if error.name() == ErrorName::InvalidSchema => Err(error.message().to_owned()),
            Err(error) => return Err(error),
        };
        library.schemas.insert(name.to_owned(), schema);
        Ok(())
    }
}
