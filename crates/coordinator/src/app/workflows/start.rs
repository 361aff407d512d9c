//! From a step of the engine to a run that is ready to be written.

use accord_api::ErrorName;
use accord_blueprint::inline_blueprint;
use accord_domain::audit::RequestedBy;
use accord_domain::session::ExecutionMode;
use accord_domain::workflow::{Worker, WorkflowFailure, WorkflowRun};
use accord_store::{NewWorkflowRun, Submission};
use accord_workflow::limits::DEEPEST_NESTING;
use accord_workflow::{Graph, OutputSchema, Start, Surroundings, Target};

use super::WorkflowRuns;
use super::runs::Around;
use crate::app::contracts::Wanted;
use crate::app::runs::{Expected, Order, RunSession, check_input};
use crate::error::Error;

/// The worker that was started for a task.
pub(super) enum Begun {
    Run(Box<Submission>),
    Workflow(Box<NewWorkflowRun>),
}

impl Begun {
    pub(super) fn worker(&self) -> Worker {
        match self {
            Self::Run(submission) => Worker::Run {
                run_id: submission.run.id.clone(),
                session_id: submission.run.session_id.clone(),
            },
            Self::Workflow(new) => Worker::Workflow { workflow_run_id: new.run.id.clone() },
        }
    }
}

impl WorkflowRuns {
    /// Makes ready what a step asks for; a failure where that cannot be done, now or ever.
    pub(super) async fn begun(
        &self,
        graph: &Graph,
        run: &WorkflowRun,
        surroundings: &Surroundings,
        start: &Start,
    ) -> Result<Result<Begun, WorkflowFailure>, Error> {
        let begun = match &start.target {
            Target::Workflow(name) => self.begun_workflow(run, name, surroundings, start).await,
            Target::Agent(_) | Target::Inline(_) => {
                let requested_by = run.requested_by.clone();
                self.begun_run(graph, surroundings, start, requested_by).await
            }
        };
        match begun {
            Ok(begun) => Ok(Ok(begun)),
            // These are faults of the coordinator, so the step is tried again.
            Err(error) if matches!(error.name(), ErrorName::Internal | ErrorName::StoreUnavailable) => {
                Err(error)
            }
            Err(error) => Ok(Err(WorkflowFailure::new(error.name().as_str(), error.message()))),
        }
    }

    async fn begun_run(
        &self,
        graph: &Graph,
        surroundings: &Surroundings,
        start: &Start,
        requested_by: Option<RequestedBy>,
    ) -> Result<Begun, Error> {
        let agent = match &start.target {
            Target::Agent(name) | Target::Workflow(name) => self.blueprints.catalog.usable(name).await?,
            Target::Inline(blueprint) => {
                let agent = inline_blueprint(graph, &start.node, start.role, blueprint);
                self.blueprints.catalog.inline(agent).await?
            }
        };
        let (run_session, expected, project_dir) = match &start.resume {
            None => {
                let run_session =
                    RunSession::New { parent_session_id: surroundings.parent_session_id.clone() };
                (run_session, Expected::AgentParameters, surroundings.project_dir.clone())
            }
            Some(session_id) => {
                let session = self.store.session(session_id).await?;
                let project_dir = session.project_dir.clone();
                (RunSession::Existing(Box::new(session)), Expected::Prompt, project_dir)
            }
        };
        check_input(&agent, expected, &start.parameters).await?;
        let (schema, schema_name) = match start.output_schema.clone() {
            Some(OutputSchema::Inline(schema)) => (Some(schema), None),
            Some(OutputSchema::Named(name)) => (None, Some(name)),
            None => (None, None),
        };
        let rules = start.invariants.clone();
        let wanted = Wanted { schema, schema_name, rules, ..Wanted::default() };
        let contract = self.contracts.of_run(&agent, wanted).await?;
        let order = Order {
            opening: None,
            agent,
            session: run_session,
            parameters: start.parameters.to_string(),
            contract,
            additional_demands: surroundings.demands.clone(),
            project_dir,
            execution_mode: ExecutionMode::AsyncPoll,
            priority: start.priority,
            model: None,
            delivers: Vec::new(),
            requested_by,
            traceparent: surroundings.traceparent.clone(),
            tools: None,
            files: Vec::new(),
        };
        self.runs.submission(order).await.map(|submission| Begun::Run(Box::new(submission)))
    }

    async fn begun_workflow(
        &self,
        run: &WorkflowRun,
        name: &str,
        surroundings: &Surroundings,
        start: &Start,
    ) -> Result<Begun, Error> {
        if run.depth >= DEEPEST_NESTING {
            let message = format!("workflows are nested deeper than {DEEPEST_NESTING} levels");
            return Err(Error::new(accord_api::ErrorName::InvalidRequest, message));
        }
        let around = Around {
            parent: Some(run.id.clone()),
            depth: run.depth + 1,
            surroundings: surroundings.clone(),
            requested_by: run.requested_by.clone(),
        };
        let new = self.new_workflow_run(name, start.parameters.clone(), around).await?;
        Ok(Begun::Workflow(Box::new(new)))
    }
}
