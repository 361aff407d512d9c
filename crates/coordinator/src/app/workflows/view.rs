//! Workflows as the API shows them.

use std::sync::Arc;

use accord_api::{ErrorName, Severity, ValidateWorkflowAnswer, WorkflowSummary, WorkflowView};
use accord_blueprint::{ParsedWorkflow, Workflows, has_errors, inline_blueprints, workflow_summary};
use accord_contract::JsonPath;
use accord_store::Defined;
use accord_workflow::{Graph, Known, output_schema};
use serde_json::{Value, json};

use crate::app::blueprints::Blueprints;
use crate::app::definitions::{Definitions, Found, Kind, first_error, mistakes, parse};
use crate::app::page;
use crate::error::Error;
use crate::work::heavy;

type FoundWorkflow = Found<ParsedWorkflow>;

impl Blueprints {
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
            let inline = found.parsed().graph.iter().flat_map(inline_blueprints);
            agents.extend(inline.map(|agent| (found.name().to_owned(), agent)));
        }
        Ok(agents)
    }

    /// Checks a workflow.
    pub(crate) async fn validate_workflow(&self, value: Value) -> Result<ValidateWorkflowAnswer, Error> {
        let (problems, _) = self.examined(&Arc::new(parse::<Workflows>(value).await?)).await?;
        Ok(ValidateWorkflowAnswer { valid: !has_errors(&problems), problems })
    }

    /// Whether a workflow can be run.
    pub(in crate::app) async fn is_sound(&self, parsed: &Arc<ParsedWorkflow>) -> Result<bool, Error> {
        Ok(!has_errors(&self.examined(parsed).await?.0))
    }

    /// A workflow that can be run, and what is known of the agents and workflows in it.
    pub(in crate::app) async fn usable_workflow(&self, name: &str) -> Result<(FoundWorkflow, Known), Error> {
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

impl Kind for Workflows {
    const DEFINED: Defined = Defined::Workflow;
    const LIST: page::List = page::List("workflows");
    const DOCUMENT: &'static str = "workflow";
    const NOT_FOUND: ErrorName = ErrorName::WorkflowNotFound;
    const EXISTS: ErrorName = ErrorName::WorkflowExists;
    const READ_ONLY: ErrorName = ErrorName::WorkflowReadOnly;
    const FILE_CHANGED: &'static str = "workflow.file_changed";

    type State = ();
    type Summary = WorkflowSummary;
    type View = WorkflowView;

    fn definitions(blueprints: &Blueprints) -> &Definitions<Self> {
        &blueprints.workflows
    }

    async fn valid(blueprints: &Blueprints, value: Value) -> Result<ParsedWorkflow, Error> {
        let parsed = Arc::new(parse::<Self>(value).await?);
        let (problems, _) = blueprints.examined(&parsed).await?;
        if !has_errors(&problems) {
            return Arc::into_inner(parsed).ok_or_else(|| Error::internal("a workflow is still examined"));
        }
        let message = mistakes::<Self>(&problems);
        Err(Error::new(ErrorName::InvalidWorkflow, message).with_details(json!({"problems": problems})))
    }

    async fn summary(
        blueprints: &Blueprints,
        found: &FoundWorkflow,
        overrides_stored: bool,
    ) -> Result<WorkflowSummary, Error> {
        let (mut problems, _) = blueprints.examined(found.parsed()).await?;
        if overrides_stored {
            let message =
                format!("this file overrides the stored workflow '{}'; remove one of them", found.name());
            problems.push(found.parsed().problem(Severity::Warning, JsonPath::root(), message));
        }
        Ok(workflow_summary(found.name(), found.source(), found.parsed(), problems))
    }

    async fn summary_created(_: &Blueprints, found: &FoundWorkflow) -> Result<WorkflowSummary, Error> {
        Ok(workflow_summary(found.name(), found.source(), found.parsed(), Vec::new()))
    }

    async fn view(
        blueprints: &Blueprints,
        found: &FoundWorkflow,
        summary: WorkflowSummary,
    ) -> Result<WorkflowView, Error> {
        let (_, known) = blueprints.examined(found.parsed()).await?;
        let (parsed, is_valid) = (Arc::clone(found.parsed()), summary.valid);
        let output_schema = heavy(move |meter| {
            let graph = parsed.graph.as_ref().filter(|_| is_valid);
            graph.and_then(|graph| output_schema(graph, &known, meter))
        });
        let output_schema = output_schema.await?;
        Ok(WorkflowView {
            summary,
            workflow: found.value().clone(),
            output_schema,
            hash: found.hash().to_owned(),
            file: found.file().map(str::to_owned),
            created_at: found.created_at(),
            modified_at: found.modified_at(),
        })
    }
}
