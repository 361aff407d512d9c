//! Workflows as the API shows them.

use std::cmp::Ordering;

use accord_api::{ErrorName, Page, Problem, Severity, ValidateWorkflowAnswer, WorkflowSummary, WorkflowView};
use accord_blueprint::{ParsedWorkflow, Workflows, has_errors};
use accord_workflow::{Graph, Known, Target};
use serde_json::{Value, json};

use super::known::named;
use crate::app::blueprints::Blueprints;
use crate::app::definitions::{Found, first_error, parse};
use crate::app::page;
use crate::error::Error;

type FoundWorkflow = Found<ParsedWorkflow>;

impl Blueprints {
    /// Every workflow in files by name, checked. For commands that check files without a coordinator.
    pub(in crate::app) async fn examine_workflows(&self) -> Result<Vec<WorkflowView>, Error> {
        let mut views = Vec::new();
        for file in self.workflows.files().definitions.values() {
            let (problems, _) = self.examined(&file.parsed).await?;
            views.push(view(&Found::File(file.clone()), problems));
        }
        Ok(views)
    }

    /// Every registered schema that a node of a workflow names, as pairs of workflow and schema.
    pub(in crate::app) async fn schemas_of_nodes(&self) -> Result<Vec<(String, String)>, Error> {
        let mut named = Vec::new();
        for (found, _) in self.workflows.all().await? {
            let parsed = found.parsed();
            let names = parsed.graph.iter().flat_map(Graph::schema_names);
            named.extend(names.map(|name| (found.name().to_owned(), name.to_owned())));
        }
        Ok(named)
    }

    /// Every agent that is defined in a workflow, with its name, as pairs of workflow and agent.
    pub(in crate::app) async fn inline_agents(&self) -> Result<Vec<(String, Value)>, Error> {
        let mut agents = Vec::new();
        for (found, _) in self.workflows.all().await? {
            let parsed = found.parsed();
            let Some(graph) = &parsed.graph else { continue };
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
        let all = self.workflows.all().await?;
        let mut summaries = Vec::with_capacity(all.len());
        for (found, overrides_stored) in all {
            let (mut problems, _) = self.examined(found.parsed()).await?;
            problems.extend(overrides_stored.then(|| override_warning(&found)));
            summaries.push(summary(&found, problems));
        }
        page::List("workflows")
            .by_name(summaries, Ordering::Greater, limit, cursor, |workflow| &workflow.name)
    }

    pub(crate) async fn workflow(&self, name: &str) -> Result<WorkflowView, Error> {
        self.workflow_view(&self.workflows.found(name).await?).await
    }

    pub(super) async fn workflow_view(&self, found: &FoundWorkflow) -> Result<WorkflowView, Error> {
        let (mut problems, _) = self.examined(found.parsed()).await?;
        let overrides_stored = self.workflows.overrides_stored(found).await?;
        problems.extend(overrides_stored.then(|| override_warning(found)));
        Ok(view(found, problems))
    }

    /// Checks a workflow.
    pub(crate) async fn validate_workflow(&self, value: Value) -> Result<ValidateWorkflowAnswer, Error> {
        let (problems, _) = self.examined(&parse::<Workflows>(value).await?).await?;
        Ok(ValidateWorkflowAnswer { valid: !has_errors(&problems), problems })
    }

    /// A workflow that can be run, and what is known of the agents and workflows in it.
    pub(super) async fn usable_workflow(&self, name: &str) -> Result<(FoundWorkflow, Known), Error> {
        let found = self.workflows.found(name).await?;
        let (problems, known) = self.examined(found.parsed()).await?;
        if has_errors(&problems) {
            let message = format!("workflow '{name}' is invalid: {}", first_error(&problems));
            let details = json!({"problems": problems});
            return Err(Error::new(ErrorName::WorkflowBroken, message).with_details(details));
        }
        Ok((found, known))
    }
}

fn override_warning(found: &FoundWorkflow) -> Problem {
    let message = format!("this file overrides the stored workflow '{}'; remove one of them", found.name());
    found.parsed().problem(Severity::Warning, accord_contract::JsonPath::root(), message)
}

fn summary(found: &FoundWorkflow, problems: Vec<Problem>) -> WorkflowSummary {
    let nodes = found.value().get("nodes").and_then(Value::as_object).map_or(0, |nodes| nodes.len());
    WorkflowSummary {
        name: found.name().to_owned(),
        description: found.parsed().text_of("description").to_owned(),
        source: found.source(),
        valid: !has_errors(&problems),
        nodes,
        problems,
    }
}

pub(super) fn view(found: &FoundWorkflow, problems: Vec<Problem>) -> WorkflowView {
    WorkflowView {
        summary: summary(found, problems),
        workflow: found.value().clone(),
        hash: found.hash().to_owned(),
        file: found.file().map(str::to_owned),
        created_at: found.created_at(),
        modified_at: found.modified_at(),
    }
}
