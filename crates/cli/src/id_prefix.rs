//! Ids by a unique prefix, unless it is itself a full id.
//!
//! The coordinator takes full ids. For an unknown one, its error lists the ids that start with it.

use std::str::FromStr;

use accord_api::{ErrorName, RunId, RunView, SessionId, SessionView, WorkflowRunId, WorkflowRunView};
use accord_client::{Client, ClientError};
use serde_json::Value;

use crate::failure::{Failure, Problem};

/// How many ids are listed for an ambiguous prefix.
const MOST_NAMED: usize = 3;

/// The run with this id, or the only one whose id starts with it.
pub(crate) async fn run(client: &Client, id: &RunId) -> Result<RunView, Failure> {
    match client.run(id).await {
        Err(error) if error.is(ErrorName::RunNotFound) => Ok(client.run(&only(id.as_str(), error)?).await?),
        answer => Ok(answer?),
    }
}

/// The session with this id, or the only one whose id starts with it.
pub(crate) async fn session(client: &Client, id: &SessionId) -> Result<SessionView, Failure> {
    match client.session(id).await {
        Err(error) if error.is(ErrorName::SessionNotFound) => {
            Ok(client.session(&only(id.as_str(), error)?).await?)
        }
        answer => Ok(answer?),
    }
}

/// The id of a session that others refer to. It may be gone and they still here.
pub(crate) async fn referred(client: &Client, id: &SessionId) -> Result<SessionId, Failure> {
    match client.session(id).await {
        Err(error) if error.is(ErrorName::SessionNotFound) => match matching_ids(&error).as_slice() {
            [] => Ok(id.clone()),
            _ => only(id.as_str(), error),
        },
        answer => Ok(answer?.session_id),
    }
}

/// The run of a workflow with this id, or the only one whose id begins so.
pub(crate) async fn workflow_run(client: &Client, id: &WorkflowRunId) -> Result<WorkflowRunView, Failure> {
    match client.workflow_run(id).await {
        Err(error) if error.is(ErrorName::WorkflowRunNotFound) => {
            Ok(client.workflow_run(&only(id.as_str(), error)?).await?)
        }
        answer => Ok(answer?),
    }
}

/// The only id with this prefix, by the coordinator's error for the unknown id.
fn only<I: FromStr>(beginning: &str, absent: ClientError) -> Result<I, Failure> {
    let found = matching_ids(&absent);
    if let [id] = found.as_slice() {
        return id.parse().map_err(|_| absent.into());
    }
    if found.is_empty() {
        return Err(absent.into());
    }
    let named: Vec<&str> = found.iter().take(MOST_NAMED).map(String::as_str).collect();
    // It does not tell all of them.
    let (count, more) = match found.len() > MOST_NAMED {
        true => ("several".to_owned(), ", …"),
        false => (found.len().to_string(), ""),
    };
    Err(Problem::new(format!("'{beginning}' is ambiguous: {count} ids start with it"))
        .hint(format!("use a longer prefix: {}{more}", named.join(", ")))
        .into())
}

/// The ids in the error that start with the unknown one.
fn matching_ids(absent: &ClientError) -> Vec<String> {
    let ClientError::Api(body) = absent else { return Vec::new() };
    let ids = body.details.as_ref().and_then(|details| details.get("matching_ids")).and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use accord_api::ErrorBody;
    use serde_json::json;

    use super::*;

    /// The id that is found among these, or the error.
    fn found(ids: &[&str]) -> Result<String, (String, Option<String>)> {
        let details = (!ids.is_empty()).then(|| json!({"matching_ids": ids}));
        let (error, message) = ("RunNotFound".to_owned(), "no run run_a".to_owned());
        let absent = ClientError::Api(Box::new(ErrorBody { error, message, status_code: 404, details }));
        only::<RunId>("run_a", absent)
            .map(|id| id.to_string())
            .map_err(|failure| failure.into_problem().unwrap().into_parts())
    }

    #[test]
    fn a_unique_prefix_is_enough() {
        assert_eq!(found(&["run_ab"]), Ok("run_ab".to_owned()));
        assert_eq!(found(&[]).unwrap_err().0, "no run run_a");
        let several = |message: &str, hint: &str| Err((message.to_owned(), Some(hint.to_owned())));
        let meant = "use a longer prefix: run_ab, run_ac";
        assert_eq!(found(&["run_ab", "run_ac"]), several("'run_a' is ambiguous: 2 ids start with it", meant));
        let meant = "use a longer prefix: run_ab, run_ac, run_ad, …";
        let four = ["run_ab", "run_ac", "run_ad", "run_ae"];
        assert_eq!(found(&four), several("'run_a' is ambiguous: several ids start with it", meant));
    }
}
