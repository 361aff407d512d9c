//! Creates, replaces and removes workflows.

use accord_api::{ErrorName, WorkflowView};
use accord_blueprint::{ParsedWorkflow, Workflows, has_errors};
use accord_store::Defined;
use serde_json::{Value, json};

use super::view::view;
use crate::app::blueprints::Blueprints;
use crate::app::definitions::{Definitions, Found, Kind, mistakes, parse};
use crate::app::{Expected, Made, Promise};
use crate::error::Error;

impl Kind for Workflows {
    const DEFINED: Defined = Defined::Workflow;
    const DOCUMENT: &'static str = "workflow";
    const NOT_FOUND: ErrorName = ErrorName::WorkflowNotFound;
    const EXISTS: ErrorName = ErrorName::WorkflowExists;
    const READ_ONLY: ErrorName = ErrorName::WorkflowReadOnly;
    const FILE_CHANGED: &'static str = "workflow.file_changed";

    type State = ();
    type View = WorkflowView;

    fn definitions(blueprints: &Blueprints) -> &Definitions<Self> {
        &blueprints.workflows
    }

    async fn valid(blueprints: &Blueprints, value: Value) -> Result<ParsedWorkflow, Error> {
        let parsed = parse::<Self>(value).await?;
        let (problems, _) = blueprints.examined(&parsed).await?;
        if !has_errors(&problems) {
            return Ok(parsed);
        }
        let message = mistakes::<Self>(&problems);
        Err(Error::new(ErrorName::InvalidWorkflow, message).with_details(json!({"problems": problems})))
    }

    async fn view(blueprints: &Blueprints, found: &Found<ParsedWorkflow>) -> Result<WorkflowView, Error> {
        blueprints.workflow_view(found).await
    }

    async fn view_created(_: &Blueprints, found: &Found<ParsedWorkflow>) -> Result<WorkflowView, Error> {
        Ok(view(found, Vec::new()))
    }
}

impl Blueprints {
    /// Creates a workflow in the store.
    pub(crate) async fn create_workflow(
        &self,
        value: Value,
        promise: Option<Promise>,
    ) -> Result<Made<WorkflowView>, Error> {
        self.create_definition::<Workflows>(value, promise).await
    }

    /// Replaces a workflow, or creates it if it does not exist.
    pub(crate) async fn put_workflow(
        &self,
        name: &str,
        value: Value,
        expected: &Expected,
    ) -> Result<Made<WorkflowView>, Error> {
        self.put_definition::<Workflows>(name, value, expected).await
    }

    /// Removes a workflow. Its runs stay.
    pub(crate) async fn delete_workflow(&self, name: &str, expected: &Expected) -> Result<(), Error> {
        self.delete_definition::<Workflows>(name, expected).await
    }
}
