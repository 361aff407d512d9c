//! The tool that runs a workflow, and waits for one that was begun.
//!
//! One tool does both: a model that stopped waiting calls it again with the id, and nothing is started twice.

use accord_api::WorkId;
use accord_api::{
    CreateWorkflowRun, CreatedWorkflowRun, ErrorName, InputRequest, NodeStatus, WorkflowRunView,
    WorkflowStatus,
};
use accord_client::ClientError;
use serde_json::{Map, Value, json};

use super::Accord;
use super::arguments::{self, Workflow, WorkflowMode};
use super::follow::{Followed, Work};
use super::inputs::shown;
use super::tool_error::ToolError;
use crate::caller::Caller;

impl Accord {
    pub(super) async fn run_workflow(
        &self,
        given: Map<String, Value>,
        caller: &Caller,
    ) -> Result<Value, ToolError> {
        let Workflow { name, input, mode, project_dir, workflow_run_id } = arguments::read(given)?;
        let id = match (name, workflow_run_id) {
            (Some(name), None) => match &caller.state {
                Some(state) => self.begun_workflow(state, &name).await?,
                None => {
                    let parent_session_id = self.parent.clone();
                    let run = CreateWorkflowRun {
                        input,
                        project_dir,
                        parent_session_id,
                        ..CreateWorkflowRun::default()
                    };
                    WorkId::Workflow(self.begin_workflow(&name, run, caller).await?.workflow_run_id)
                }
            },
            (None, Some(id)) if input.is_none() && project_dir.is_none() => WorkId::Workflow(id),
            _ => {
                let why = "pass either name (with input and project_dir) or workflow_run_id alone";
                return Err(ToolError::Arguments(why.to_owned()));
            }
        };
        let followed = match mode {
            WorkflowMode::Sync => self.follow(&id, caller).await?,
            WorkflowMode::AsyncPoll => Followed::Over(self.look(&id, 0).await?),
        };
        match followed {
            Followed::Over(Work::Workflow(view)) => status_of(&view),
            Followed::NeedsInput(Work::Workflow(view), open) => Ok(needs_input(&view, &open)),
            Followed::Over(Work::Run(_)) | Followed::NeedsInput(Work::Run(_), _) => {
                Err(ToolError::Refused(format!("{id} is not a workflow run")))
            }
        }
    }

    /// The workflow run that an earlier result of the same call gave out as its state.
    pub(super) async fn begun_workflow(&self, state: &str, name: &str) -> Result<WorkId, ToolError> {
        let refused = || ToolError::Refused("requestState does not belong to this call".to_owned());
        let Ok(WorkId::Workflow(id)) = state.parse() else { return Err(refused()) };
        let view = self.client.workflow_run(&id).await.map_err(|_| refused())?;
        (view.workflow_name == name).then_some(WorkId::Workflow(id)).ok_or_else(refused)
    }

    /// Begins a workflow. A text that it does not take may hold the object that it does: models often write one so.
    pub(super) async fn begin_workflow(
        &self,
        name: &str,
        run: CreateWorkflowRun,
        caller: &Caller,
    ) -> Result<CreatedWorkflowRun, ClientError> {
        let key = caller.key();
        let refusal = match self.client.run_workflow(name, &run, Some(&key)).await {
            // The second is said of a repeated call, if the object was taken.
            Err(error)
                if error.is(ErrorName::ParameterValidationFailed)
                    || error.is(ErrorName::IdempotencyConflict) =>
            {
                error
            }
            answer => return answer,
        };
        let text = run.input.clone().filter(Value::is_string);
        match text.map(arguments::written_out::<serde_json::Error>) {
            Some(Ok(input @ Value::Object(_))) => {
                let run = CreateWorkflowRun { input: Some(input), ..run };
                self.client.run_workflow(name, &run, Some(&key)).await
            }
            _ => Err(refusal),
        }
    }
}

/// What to do about open requests of a workflow run.
pub(super) const ANSWER_FIRST: &str = "A person has to answer first. Show each of the inputs to the user, call answer_input with what they decide, then call run_workflow with this workflow_run_id: it waits for the output.";

fn needs_input(view: &WorkflowRunView, open: &[InputRequest]) -> Value {
    json!({
        "workflow_run_id": view.workflow_run_id,
        "workflow_name": view.workflow_name,
        "status": view.status,
        "inputs": open.iter().map(shown).collect::<Vec<_>>(),
        "next": ANSWER_FIRST,
    })
}

/// The status of a workflow run, or why it has no output.
pub(super) fn status_of(view: &WorkflowRunView) -> Result<Value, ToolError> {
    let mut answer = json!({
        "workflow_run_id": view.workflow_run_id,
        "workflow_name": view.workflow_name,
        "status": view.status,
    });
    let more = match view.status {
        WorkflowStatus::Running | WorkflowStatus::Stopping => {
            [("next", json!("Call run_workflow with this workflow_run_id: it waits for the output."))]
                .to_vec()
        }
        WorkflowStatus::Completed => {
            [("output", view.output.clone()), ("contradictions", contradictions(view))].to_vec()
        }
        WorkflowStatus::Failed | WorkflowStatus::Stopped => return Err(failed(view)),
    };
    for (name, value) in more {
        super::set(&mut answer, name, value);
    }
    Ok(answer)
}

fn contradictions(view: &WorkflowRunView) -> Value {
    let each = view.nodes.iter().flat_map(|node| {
        node.contradictions.iter().map(|found| json!({"node": node.id, "contradiction": found}))
    });
    each.collect()
}

fn failed(view: &WorkflowRunView) -> ToolError {
    let message = view.error.as_ref().map(|error| error.message.as_str()).unwrap_or("no reason given");
    let nodes: Vec<Value> = view
        .nodes
        .iter()
        .filter(|node| node.status == NodeStatus::Failed)
        .map(|node| json!({"id": node.id, "agent_name": node.agent_name, "error": node.error}))
        .collect();
    let details = json!({
        "workflow_run_id": view.workflow_run_id,
        "status": view.status,
        "error": view.error,
        "failed_nodes": nodes,
    });
    ToolError::Message(format!(
        "The workflow run {} {}: {message}\nThere is no output. Start it again by name, with another input if that was the cause.\n{details:#}",
        view.workflow_run_id, view.status
    ))
}
