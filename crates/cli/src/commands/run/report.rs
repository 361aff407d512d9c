//! What a run came to, for people and for pipelines.

use accord_api::{Failure as RunFailure, RunStatus};
use owo_colors::OwoColorize as _;
use serde::Serialize;
use serde_json::value::RawValue;

use super::follow::Ending;
use crate::excerpt::visible;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// What a run came to. The JSON form is part of the API.
#[derive(Serialize)]
pub(crate) struct Report {
    run_id: accord_api::RunId,
    session_id: accord_api::SessionId,
    agent_name: String,
    status: RunStatus,
    result_text: Option<String>,
    result_data: Option<Box<RawValue>>,
    schema_validation: Option<accord_api::Validation>,
    error: Option<RunFailure>,
    attempts: usize,
    usage: accord_api::Usage,
    #[serde(skip)]
    timed_out: bool,
}

impl Report {
    pub(crate) fn new(ending: Ending) -> Self {
        let Ending { run, attempts, timed_out } = ending;
        let (result_text, result_data, schema_validation) = match run.result {
            Some(result) => (result.result_text, result.result_data, result.schema_validation),
            None => (None, None, None),
        };
        Self {
            run_id: run.run_id,
            session_id: run.session_id,
            agent_name: run.agent_name,
            status: run.status,
            result_text,
            result_data,
            schema_validation,
            error: run.error,
            attempts: attempts.len(),
            usage: run.usage,
            timed_out,
        }
    }

    /// One JSON object.
    pub(crate) fn json(&self) -> Result<(), Failure> {
        Ok(output::json(self)?)
    }

    /// The result on stdout, or why there is none on stderr.
    pub(crate) fn show(&self) -> Result<(), Failure> {
        if let Some(data) = &self.result_data {
            let value: serde_json::Value = serde_json::from_str(data.get()).unwrap_or_default();
            output::pretty_json(&value)?;
        } else if let Some(text) = &self.result_text {
            let text = if output::stdout_is_terminal() { visible(text).to_string() } else { text.clone() };
            output::data(format!("{text}\n").as_bytes())?;
        }
        if let Some(error) = &self.error {
            self.tell(error);
        }
        Ok(())
    }

    fn tell(&self, error: &RunFailure) {
        let kind = error.kind.as_str();
        let mut text = format!("{} {}\n", format!("error[{kind}]:").red().bold(), visible(&error.message));
        for line in &error.validation_errors {
            text.push_str(&format!("  {}\n", visible(line)));
        }
        text.push_str(&format!(
            "{} accord runs attempts {} shows every answer\n",
            "hint:".cyan().bold(),
            self.run_id
        ));
        output::talk(&text);
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        // A run that is not over was given up by us.
        if self.status != RunStatus::Completed && (self.timed_out || !self.status.is_over()) {
            return Exit::Stopped;
        }
        Exit::of_run(self.status, self.error.as_ref().map(|error| error.kind))
    }
}
