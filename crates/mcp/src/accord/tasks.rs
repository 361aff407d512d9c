//! Runs and workflow runs as tasks of the protocol. The id of a task is the id of the run.

use accord_api::WorkId;
use accord_api::{RunStatus, WorkflowStatus};
use async_trait::async_trait;

use super::Accord;
use super::follow::{Asked, Work};
use super::inputs;
use super::tool_error::ToolError;
use crate::caller::Reply;
use crate::toolset::{Answer, Task, TaskState, Tasks};

impl Accord {
    pub(super) async fn described_task(&self, id: &WorkId) -> Result<Task, ToolError> {
        let work = self.look(id, 0).await?;
        let state = match work.is_over() {
            true if was_stopped(&work) => TaskState::Stopped,
            true => TaskState::Finished(match self.finished(&work).await {
                Ok(answer) => answer,
                Err(trouble) => Answer::error(self.message(trouble).await),
            }),
            false => self.unfinished(&work).await?,
        };
        let (created, updated) = match &work {
            Work::Run(view) => {
                let updated = view.finished_at.or(view.started_at).or(view.claimed_at);
                (view.created_at, updated.unwrap_or(view.created_at))
            }
            Work::Workflow(view) => (view.created_at, view.updated_at),
        };
        Ok(Task {
            id: id.to_string(),
            state,
            message: Some(work.message()),
            created_at: created.to_string(),
            updated_at: updated.to_string(),
        })
    }

    /// A request without a form leaves the task working: it is answered elsewhere, for example with `answer_input`.
    async fn unfinished(&self, work: &Work) -> Result<TaskState, ToolError> {
        let open = self.open_inputs(work.inputs()).await?;
        let questions: Vec<_> = open.iter().filter_map(|input| inputs::question(input, None)).collect();
        Ok(match questions.is_empty() {
            true => TaskState::Working,
            false => TaskState::InputRequired(questions),
        })
    }
}

fn was_stopped(work: &Work) -> bool {
    match work {
        Work::Run(view) => view.status == RunStatus::Stopped,
        Work::Workflow(view) => view.status == WorkflowStatus::Stopped,
    }
}

fn parse(id: &str) -> Result<WorkId, String> {
    id.parse().map_err(|_| {
        let shown: String = id.chars().take(100).collect();
        format!("unknown task '{shown}'; a task has the id of its run")
    })
}

#[async_trait]
impl Tasks for Accord {
    async fn task(&self, id: &str) -> Result<Task, String> {
        match self.described_task(&parse(id)?).await {
            Ok(task) => Ok(task),
            Err(trouble) => Err(self.message(trouble).await),
        }
    }

    async fn reply(&self, id: &str, replies: Vec<(String, Reply)>) -> Result<(), String> {
        let id = parse(id)?;
        for (key, reply) in replies {
            let mut asked = Asked::default();
            if let Err(trouble) = self.take(&id, &key, reply, &mut asked).await {
                return Err(self.message(trouble).await);
            }
            if let Some(why) = asked.rejections().next() {
                return Err(format!("inputResponses.{key}: {why}"));
            }
        }
        Ok(())
    }

    async fn stop(&self, id: &str) -> Result<(), String> {
        let stopped = match parse(id)? {
            WorkId::Run(id) => self.client.stop_run(&id).await.map(|_| ()),
            WorkId::Workflow(id) => self.client.stop_workflow_run(&id).await.map(|_| ()),
        };
        match stopped {
            Ok(()) => Ok(()),
            Err(error) => Err(self.message(error.into()).await),
        }
    }
}
