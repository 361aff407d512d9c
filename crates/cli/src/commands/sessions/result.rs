//! `accord sessions result`.

use accord_api::{ErrorName, SessionId, SessionResult, SessionStatus, SessionStatusView};
use serde_json::value::RawValue;

use crate::connection::ConnectionArguments;
use crate::exit::{Exit, Held};
use crate::failure::{Failure, Problem};
use crate::view::run;
use crate::{id_prefix, output};

/// Print the result of a session's latest run: the conforming JSON, or the text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 success, 1 no such session or its run has not finished, 2 contract not met, 3 other
failure, 4 stopped or timed out.

Examples:
  accord sessions result ses_… | jq .
  accord sessions result ses_… --json | jq .schema_validation.retry_count")]
pub(crate) struct Arguments {
    /// Session id, or a unique prefix of it
    session: SessionId,
    /// Print JSON with all details of the result or the failure
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    arguments.connection.ask(async |client| {
        let session = id_prefix::session(client, &arguments.session).await?.session_id;
        match client.session_result(&session).await {
            Ok(mut result) if arguments.json => {
                // A value that is null reads as none, but under a contract it is a value.
                if result.schema_validation.is_some() {
                    result.validated_output.get_or_insert_with(|| RawValue::NULL.to_owned());
                }
                output::json(&result)?;
            }
            Ok(SessionResult { result_data, result_text, .. }) => {
                output::result(result_data.as_deref(), result_text.as_deref())?;
            }
            Err(error) if error.is(ErrorName::SessionNotFinished) => {
                let status = client.session_status(&session).await?;
                let held = Held::from(&client.run(&status.run_id).await?);
                return without_result(&status, held, arguments.json);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Exit::Success)
    })
}

fn without_result(status: &SessionStatusView, held: Held, json: bool) -> Result<Exit, Failure> {
    if status.status.is_busy() {
        let message = format!("{} is {}: no result yet", status.session_id, status.status);
        return Err(Problem::new(message)
            .hint(format!("wait for it with `accord runs watch {}`", status.run_id))
            .into());
    }
    if json {
        output::json(status)?;
    }
    match &status.error {
        Some(failure) => output::message(&run::failure(failure)),
        None => output::message(&format!("{} is {} and has no result\n", status.session_id, status.status)),
    }
    Ok(match (&status.error, status.status) {
        (Some(failure), _) => Exit::of_failure(failure.kind, held),
        (None, SessionStatus::Stopped) => Exit::Stopped,
        (None, _) => Exit::Failed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> SessionStatusView {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_failure_has_the_exit_code_of_its_kind() {
        let failed = |kind: &str| {
            status(&format!(
                r#"{{"session_id": "ses_1", "status": "failed", "run_id": "run_1",
                     "error": {{"type": "{kind}", "message": "no"}}}}"#
            ))
        };
        let cases = [
            ("output_schema_validation_failed", Held::ToContract, Exit::ContractNotMet),
            ("schema_validation_failed", Held::ToContract, Exit::ContractNotMet),
            ("output_truncated", Held::ToContract, Exit::ContractNotMet),
            ("output_truncated", Held::ToNothing, Exit::Failed),
            ("model_refused", Held::ToContract, Exit::Failed),
            ("no_matching_runner", Held::ToContract, Exit::Failed),
            ("timed_out", Held::ToContract, Exit::Stopped),
        ];
        for (kind, held, expected) in cases {
            assert_eq!(without_result(&failed(kind), held, false).unwrap(), expected, "{kind}");
        }
        let stopped = status(r#"{"session_id": "ses_1", "status": "stopped", "run_id": "run_1"}"#);
        assert_eq!(without_result(&stopped, Held::ToContract, false).unwrap(), Exit::Stopped);
    }

    #[test]
    fn an_unfinished_run_gets_a_hint_to_wait() {
        let running = status(r#"{"session_id": "ses_1", "status": "running", "run_id": "run_1"}"#);
        let failure = format!("{:?}", without_result(&running, Held::ToContract, false).unwrap_err());
        assert!(failure.contains("accord runs watch run_1"), "{failure}");
    }
}
