//! The tool that runs a workflow, and waits for one that was begun.
//!
//! One tool does both: a model that stopped waiting calls it again with the id, and nothing is started twice.

use accord_api::{
    CreateWorkflowRun, CreatedWorkflowRun, ErrorName, NodeStatus, WorkflowRunId, WorkflowRunView,
    WorkflowStatus,
};
use accord_client::ClientError;
use serde_json::{Map, Value, json};

use super::Accord;
use super::arguments::{self, Workflow, WorkflowMode};
use super::start::{LOOK_SECONDS, followed};
use super::tool_error::ToolError;
use crate::toolset::Progress;

impl Accord {
    pub(super) async fn run_workflow(
        &self,
        given: Map<String, Value>,
        progress: &Progress,
    ) -> Result<Value, ToolError> {
        let Workflow { name, input, mode, project_dir, workflow_run_id } = arguments::read(given)?;
        let id = match (name, workflow_run_id) {
            (Some(name), None) => {
                let parent_session_id = self.parent.clone();
                let run = CreateWorkflowRun {
                    input,
                    project_dir,
                    parent_session_id,
                    ..CreateWorkflowRun::default()
                };
                self.begin_workflow(&name, run).await?.workflow_run_id
            }
            (None, Some(id)) if input.is_none() && project_dir.is_none() => id,
            _ => {
                let why = "pass either name (with input and project_dir) or workflow_run_id alone";
                return Err(ToolError::Arguments(why.to_owned()));
            }
        };
        match mode {
            WorkflowMode::Sync => self.wait_for_workflow(&id, progress).await,
            WorkflowMode::AsyncPoll => stands(&self.client.workflow_run(&id).await?),
        }
    }

    /// Begins a workflow. A text that it does not take may hold the object that it does: models often write one so.
    async fn begin_workflow(
        &self,
        name: &str,
        run: CreateWorkflowRun,
    ) -> Result<CreatedWorkflowRun, ClientError> {
        let key = || uuid::Uuid::now_v7().to_string();
        let refusal = match self.client.run_workflow(name, &run, Some(&key())).await {
            Err(error) if error.is(ErrorName::ParameterValidationFailed) => error,
            answer => return answer,
        };
        let text = run.input.clone().filter(Value::is_string);
        match text.map(arguments::written_out::<serde_json::Error>) {
            Some(Ok(input @ Value::Object(_))) => {
                let run = CreateWorkflowRun { input: Some(input), ..run };
                self.client.run_workflow(name, &run, Some(&key())).await
            }
            _ => Err(refusal),
        }
    }

    async fn wait_for_workflow(&self, id: &WorkflowRunId, progress: &Progress) -> Result<Value, ToolError> {
        let look = || self.client.wait_for_workflow_run(id, LOOK_SECONDS);
        let standing = |view: &WorkflowRunView| (!view.status.is_over()).then(|| progress_message(view));
        match followed(progress, format!("{id} is running"), look, standing).await {
            Ok(view) => stands(&view),
            Err(error) if error.is_transient() => Err(ToolError::Message(format!(
                "Waiting for the workflow run {id} failed: {error}. Call run_workflow later with this workflow_run_id; do not start it again."
            ))),
            Err(error) => Err(error.into()),
        }
    }
}

fn progress_message(view: &WorkflowRunView) -> String {
    let over = view.nodes.iter().filter(|node| node.status.is_over()).count();
    format!("{} is {}: {over} of {} nodes finished", view.workflow_run_id, view.status, view.nodes.len())
}

/// The status of a workflow run, or why it has no output.
fn stands(view: &WorkflowRunView) -> Result<Value, ToolError> {
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
