//! Tools that start and resume sessions, and their results.
//!
//! A client that stops waiting (hangs up, gives up or cancels) does not stop the run: clients give up after a
//! minute, and the work of an hour would be lost. `stop_agent_session` stops it.

use accord_api::WorkId;
use accord_api::{CreateRun, ExecutionMode, InputRequest, RunKind, RunStatus, RunView};
use serde_json::{Map, Value, json};

use super::Accord;
use super::arguments::{self, Resume, Start};
use super::follow::{Followed, Work};
use super::inputs::shown;
use super::list::document;
use super::tool_error::ToolError;
use crate::caller::Caller;

/// The executor of agents that are commands.
const COMMAND: &str = "process";

impl Accord {
    pub(super) async fn start_agent_session(
        &self,
        given: Map<String, Value>,
        caller: &Caller,
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
        self.begin(&run, start.mode, caller).await
    }

    pub(super) async fn resume_agent_session(
        &self,
        given: Map<String, Value>,
        caller: &Caller,
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
        self.begin(&run, resume.mode, caller).await
    }

    async fn begin(&self, run: &CreateRun, mode: ExecutionMode, caller: &Caller) -> Result<Value, ToolError> {
        if let Some(state) = &caller.state {
            let is_same = |view: &RunView| {
                run.agent_name.as_ref().is_none_or(|name| *name == view.agent_name)
                    && run.session_id.as_ref().is_none_or(|session| *session == view.session_id)
            };
            let id = self.begun_run(state, is_same).await?;
            return self.wait(&id, caller).await;
        }
        let run = CreateRun { contract_hash: self.contract_hash.clone(), ..run.clone() };
        let created = self.client.create_run(&run, Some(&caller.key())).await?;
        let next = match mode {
            ExecutionMode::Sync => return self.wait(&WorkId::Run(created.run_id), caller).await,
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

    /// The run that an earlier result of the same call gave out as its state. The text comes back from the client, so it
    /// can be anything; the coordinator decides what the caller may see.
    pub(super) async fn begun_run(
        &self,
        state: &str,
        is_same: impl FnOnce(&RunView) -> bool,
    ) -> Result<WorkId, ToolError> {
        let refused = || ToolError::Refused("requestState does not belong to this call".to_owned());
        let Ok(WorkId::Run(id)) = state.parse() else { return Err(refused()) };
        let view = self.client.run(&id).await.map_err(|_| refused())?;
        is_same(&view).then_some(WorkId::Run(id)).ok_or_else(refused)
    }

    async fn wait(&self, id: &WorkId, caller: &Caller) -> Result<Value, ToolError> {
        match self.follow(id, caller).await? {
            Followed::Over(Work::Run(view)) => ended(&view),
            Followed::NeedsInput(Work::Run(view), open) => Ok(needs_input(&view, &open)),
            Followed::Over(Work::Workflow(_)) | Followed::NeedsInput(Work::Workflow(_), _) => {
                Err(ToolError::Refused(format!("{id} is not a run of an agent")))
            }
        }
    }
}

/// What to do about open requests of a session.
pub(super) const ANSWER_FIRST: &str = "A person has to answer first. Show each of the inputs to the user, call answer_input with what they decide, then call get_agent_session_status with the session_id until the status is finished, and get_agent_session_result.";

fn needs_input(view: &RunView, open: &[InputRequest]) -> Value {
    json!({
        "session_id": view.session_id,
        "run_id": view.run_id,
        "status": view.status,
        "inputs": open.iter().map(shown).collect::<Vec<_>>(),
        "next": ANSWER_FIRST,
    })
}

pub(super) fn ended(view: &RunView) -> Result<Value, ToolError> {
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
