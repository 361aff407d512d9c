//! Tools that start and resume, and the wait for what comes of it.
//!
//! A client that stops waiting (hangs up, gives up or cancels) does not stop the run: clients give up after a
//! minute, and the work of an hour would be lost. `stop_agent_session` stops it.

use std::time::Duration;

use accord_api::{CreateRun, CreatedRun, ExecutionMode, RunKind, RunStatus, RunView};
use accord_client::ClientError;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use super::Accord;
use super::arguments::{self, Resume, Start};
use super::list::document;
use super::tool_error::ToolError;
use crate::toolset::Progress;

/// How long one look at a run waits for its end. So often the client hears that the call is alive.
pub(super) const LOOK_SECONDS: u32 = 15;

/// The executor of agents that are commands.
const COMMAND: &str = "process";

/// How often a coordinator that does not answer is asked again while a run is waited for: it may be restarting.
const MOST_FAILED_LOOKS: u32 = 30;

const PAUSE: Duration = Duration::from_secs(1);

impl Accord {
    pub(super) async fn start_agent_session(
        &self,
        given: Map<String, Value>,
        progress: &Progress,
    ) -> Result<Value, ToolError> {
        let start: Start = arguments::read(given)?;
        let run = CreateRun {
            kind: Some(RunKind::StartSession),
            agent_name: Some(start.agent_name),
            parameters: start.parameters.map(Value::Object),
            prompt: start.prompt,
            project_dir: start.project_dir,
            parent_session_id: self.parent.clone(),
            execution_mode: Some(start.mode),
            output_schema: start.output_schema,
            output_schema_name: start.output_schema_name,
            ..CreateRun::default()
        };
        self.begin(&run, start.mode, progress).await
    }

    pub(super) async fn resume_agent_session(
        &self,
        given: Map<String, Value>,
        progress: &Progress,
    ) -> Result<Value, ToolError> {
        let resume: Resume = arguments::read(given)?;
        let run = CreateRun {
            kind: Some(RunKind::ResumeSession),
            session_id: Some(resume.session_id),
            prompt: Some(resume.prompt),
            execution_mode: Some(resume.mode),
            output_schema: resume.output_schema,
            output_schema_name: resume.output_schema_name,
            ..CreateRun::default()
        };
        self.begin(&run, resume.mode, progress).await
    }

    async fn begin(
        &self,
        run: &CreateRun,
        mode: ExecutionMode,
        progress: &Progress,
    ) -> Result<Value, ToolError> {
        let key = uuid::Uuid::now_v7().to_string();
        let created = self.client.create_run(run, Some(&key)).await?;
        let next = match mode {
            ExecutionMode::Sync => return self.wait(created, progress).await,
            ExecutionMode::AsyncPoll => {
                "Call get_agent_session_status with this session_id until the status is finished, then get_agent_session_result."
            }
            ExecutionMode::AsyncCallback => {
                "The result will be delivered to you: end your turn, or do something else."
            }
        };
        Ok(json!({
            "session_id": created.session_id,
            "run_id": created.run_id,
            "status": created.status,
            "next": next,
        }))
    }

    async fn wait(&self, created: CreatedRun, progress: &Progress) -> Result<Value, ToolError> {
        let CreatedRun { run_id, session_id, status } = created;
        let progress_message = |status: RunStatus| format!("{session_id} is {status}");
        let look = || self.client.wait_for_run(&run_id, LOOK_SECONDS);
        let standing = |view: &RunView| (!view.status.is_over()).then(|| progress_message(view.status));
        match followed(progress, progress_message(status), look, standing).await {
            Ok(view) => ended(&view),
            Err(error) => Err(ToolError::Message(format!(
                "The session {session_id} was started, but waiting for it failed: {error}. Check it later with get_agent_session_status; do not start it again."
            ))),
        }
    }
}

/// Polls until something has finished, that is, until `standing` returns `None`.
pub(super) async fn followed<View, Looking>(
    progress: &Progress,
    begun: String,
    look: impl Fn() -> Looking,
    standing: impl Fn(&View) -> Option<String>,
) -> Result<View, ClientError>
where
    Looking: Future<Output = Result<View, ClientError>>,
{
    let mut told = begun;
    let mut failed = 0;
    loop {
        progress.tell(&told).await;
        match look().await {
            Ok(view) => match standing(&view) {
                None => return Ok(view),
                Some(words) => {
                    failed = 0;
                    told = words;
                }
            },
            Err(error) if error.is_transient() && failed < MOST_FAILED_LOOKS => {
                failed += 1;
                sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
}

fn ended(view: &RunView) -> Result<Value, ToolError> {
    let (session_id, run_id) = (&view.session_id, &view.run_id);
    if let (RunStatus::Completed, Some(result)) = (view.status, &view.result) {
        return Ok(json!({
            "session_id": session_id,
            "run_id": run_id,
            "status": view.status,
            "result_text": result.result_text,
            "result_data": document(result.result_data.as_deref()),
        }));
    }
    let message = view.error.as_ref().map(|error| error.message.as_str()).unwrap_or("no reason given");
    let advice = match view.demands.executor_type.as_deref() {
        Some(COMMAND) => {
            "There is no result. The agent is a command without memory: start it again with start_agent_session."
        }
        _ => {
            "There is no result. Resume the session with resume_agent_session (it remembers the conversation), or start a new one."
        }
    };
    let details = json!({
        "session_id": session_id,
        "run_id": run_id,
        "status": view.status,
        "error": view.error,
    });
    Err(ToolError::Message(format!(
        "The run of {session_id} {}: {message}\n{advice}\n{details:#}",
        view.status
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_sessions_are_resumed_only_with_a_conversation() {
        let advice = |executor: &str| {
            let view = json!({
                "run_id": "run_1", "session_id": "ses_1", "type": "start_session", "agent_name": "a",
                "status": "failed", "execution_mode": "sync", "demands": {"executor_type": executor}, "priority": 0,
                "attempt": 1, "retry_count": 0, "runner_id": null, "usage": {"input_tokens": 0, "output_tokens": 0},
                "created_at": "2026-01-01T00:00:00Z", "claimed_at": null, "started_at": null, "finished_at": null,
            });
            let ended = ended(&serde_json::from_value(view).unwrap());
            match ended.unwrap_err() {
                ToolError::Message(words) => words,
                other => format!("{other:?}"),
            }
        };
        assert!(advice("llm").contains("resume_agent_session"));
        let command = advice("process");
        assert!(command.contains("start it again") && !command.contains("resume"), "{command}");
    }
}
