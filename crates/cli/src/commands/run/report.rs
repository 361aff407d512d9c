//! The outcome of a run, for people and for pipelines.

use accord_api::{Attempt, Failure as RunFailure, FailureType, RunStatus};
use accord_executor::Ended;
use owo_colors::OwoColorize as _;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::{Ending, Interruption};
use crate::output;
use crate::view::run;

/// The outcome of a run. The JSON form is part of the API.
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
    /// Why this command stopped the run. The run itself only knows that it was stopped.
    interruption: Option<Interruption>,
    #[serde(skip)]
    exit: Exit,
    #[serde(skip)]
    is_kept: bool,
    /// What could help.
    #[serde(skip)]
    suggestion: Option<String>,
}

impl Report {
    pub(crate) fn new(ending: Ending, attempts: &[Attempt]) -> Self {
        let exit = ending.exit();
        let Ending { run, interruption } = ending;
        // It was asked to stop when it was already finished.
        let interruption = interruption.filter(|_| run.status != RunStatus::Completed);
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
            interruption,
            exit,
            is_kept: true,
            suggestion: None,
        }
    }

    pub(crate) fn suggesting(self, suggestion: Option<String>) -> Self {
        Self { suggestion, ..self }
    }

    /// The same for a run that is gone with the command, so without a hint to look at it.
    pub(crate) fn of_no_store(self) -> Self {
        Self { is_kept: false, ..self }
    }

    pub(crate) fn status(&self) -> RunStatus {
        self.status
    }

    /// Why there is no result.
    pub(crate) fn failure(&self) -> Option<&RunFailure> {
        self.error.as_ref()
    }

    /// How the run was ended, if it did not finish by itself. Only the message has the time limit.
    pub(crate) fn ended(&self) -> Option<Ended> {
        let timed_out = self.error.as_ref().filter(|error| error.kind == FailureType::TimedOut);
        let seconds = timed_out.and_then(|error| error.message.split(' ').find_map(|word| word.parse().ok()));
        match seconds {
            Some(seconds) => Some(Ended::TimedOut { seconds }),
            None => (self.exit == Exit::Stopped).then_some(Ended::Stopped),
        }
    }

    /// One JSON object; or the result on stdout, or the failure on stderr.
    pub(crate) fn print(&self, json: bool) -> Result<Exit, Failure> {
        if json {
            output::json(self)?;
            return Ok(self.exit);
        }
        if self.status == RunStatus::Completed {
            output::result(self.result_data.as_deref(), self.result_text.as_deref())?;
        }
        let stopped = |error: &&RunFailure| error.kind == FailureType::Stopped;
        if let Some(error) = self.error.as_ref().filter(|error| !stopped(error)) {
            let hint = format!("run `accord runs attempts {} --text` to see every answer", self.run_id);
            let hint = if self.attempts == 0 || !self.is_kept { String::new() } else { self::hint(&hint) };
            let suggestion = self.suggestion.as_deref().filter(|_| self.is_kept).map(self::hint);
            let suggestion = suggestion.unwrap_or_default();
            output::message(&format!("{}{hint}{suggestion}", run::failure(error)));
        } else if self.exit == Exit::Stopped {
            output::message(&format!("{}\n", self.why_stopped()));
        }
        Ok(self.exit)
    }

    fn why_stopped(&self) -> String {
        let run_id = &self.run_id;
        match (self.interruption, self.status.is_over()) {
            (Some(Interruption::Timeout), true) => {
                format!("{run_id} was stopped: it exceeded --timeout")
            }
            (_, true) => format!("{run_id} was stopped"),
            (_, false) if !self.is_kept => format!("{run_id} is still stopping"),
            (_, false) => format!("{run_id} is still stopping; follow it with `accord runs watch {run_id}`"),
        }
    }
}

fn hint(text: &str) -> String {
    format!("{} {text}\n", "hint:".cyan().bold())
}
