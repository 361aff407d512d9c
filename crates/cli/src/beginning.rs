//! Ids by their beginnings: what names one thing only is enough, as long as nothing has it for its whole id.
//!
//! The coordinator takes whole ids. Here the lists are looked through, and only after it has said that there is no such id.

use std::fmt::Display;

use accord_api::{
    ErrorName, Page, PageQuery, RunId, RunQuery, RunView, SessionId, SessionQuery, SessionView,
    WorkflowRunId, WorkflowRunQuery, WorkflowRunView,
};
use accord_client::{Client, ClientError};

use crate::failure::{Failure, Problem};
use crate::paging::PagingArguments;

/// How long the ids are that a coordinator makes. What is as long begins nothing else.
const WHOLE: usize = 36;

/// So many ids are named where a beginning has several.
const MOST_NAMED: usize = 3;

/// The run of this id, or the only one whose id begins so.
pub(crate) async fn run(client: &Client, id: &RunId) -> Result<RunView, Failure> {
    let absent = match client.run(id).await {
        Err(error) if error.is(ErrorName::RunNotFound) => error,
        answer => return Ok(answer?),
    };
    let fetch = |page: PageQuery| async move {
        let which = RunQuery { limit: page.limit, cursor: page.cursor, ..RunQuery::default() };
        client.runs(&which).await
    };
    let whole = only(id.as_str(), fetch, |run| run.run_id).await?.ok_or(absent)?;
    Ok(client.run(&whole).await?)
}

/// The session of this id, or the only one whose id begins so.
pub(crate) async fn session(client: &Client, id: &SessionId) -> Result<SessionView, Failure> {
    let absent = match client.session(id).await {
        Err(error) if error.is(ErrorName::SessionNotFound) => error,
        answer => return Ok(answer?),
    };
    let whole = only_session(client, id).await?.ok_or(absent)?;
    Ok(client.session(&whole).await?)
}

/// The id of a session that others refer to. It may be gone and they still here.
pub(crate) async fn referred(client: &Client, id: &SessionId) -> Result<SessionId, Failure> {
    match client.session(id).await {
        Err(error) if error.is(ErrorName::SessionNotFound) => {
            Ok(only_session(client, id).await?.unwrap_or_else(|| id.clone()))
        }
        answer => Ok(answer?.session_id),
    }
}

/// The run of a workflow with this id, or the only one whose id begins so.
pub(crate) async fn workflow_run(client: &Client, id: &WorkflowRunId) -> Result<WorkflowRunView, Failure> {
    let absent = match client.workflow_run(id).await {
        Err(error) if error.is(ErrorName::WorkflowRunNotFound) => error,
        answer => return Ok(answer?),
    };
    let fetch = |page: PageQuery| async move {
        let which =
            WorkflowRunQuery { limit: page.limit, cursor: page.cursor, ..WorkflowRunQuery::default() };
        client.workflow_runs(&which).await
    };
    let whole = only(id.as_str(), fetch, |run| run.workflow_run_id).await?.ok_or(absent)?;
    Ok(client.workflow_run(&whole).await?)
}

async fn only_session(client: &Client, id: &SessionId) -> Result<Option<SessionId>, Failure> {
    let fetch = |page: PageQuery| async move {
        let which = SessionQuery { limit: page.limit, cursor: page.cursor, ..SessionQuery::default() };
        client.sessions(&which).await
    };
    only(id.as_str(), fetch, |session| session.session_id).await
}

/// The only id of a list that begins so.
async fn only<T, I: Display, F>(
    beginning: &str,
    fetch: impl FnMut(PageQuery) -> F,
    id: impl FnMut(T) -> I,
) -> Result<Option<I>, Failure>
where
    F: Future<Output = Result<Page<T>, ClientError>>,
{
    if beginning.len() >= WHOLE {
        return Ok(None);
    }
    let all = PagingArguments::all().gather(fetch).await?.items;
    let begins = |id: &I| id.to_string().starts_with(beginning);
    let mut found: Vec<I> = all.into_iter().map(id).filter(begins).collect();
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let named: Vec<String> = found.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let more = if found.len() > MOST_NAMED { ", …" } else { "" };
    Err(Problem::new(format!("{} ids begin with {beginning}", found.len()))
        .hint(format!("write more of the one that is meant: {}{more}", named.join(", ")))
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found of these ids, or what is said about several.
    async fn found(beginning: &str) -> Result<Option<String>, (String, Option<String>)> {
        let ids = ["run_ab1", "run_ab2", "run_b", "run_ca", "run_cb", "run_cc", "run_cd"];
        let page = async |_: PageQuery| Ok::<_, ClientError>(Page { items: ids.to_vec(), next_cursor: None });
        let found = only(beginning, page, str::to_owned).await;
        found.map_err(|failure| failure.into_problem().unwrap().into_parts())
    }

    #[tokio::test]
    async fn a_beginning_is_enough_where_it_names_one() {
        assert_eq!(found("run_b").await, Ok(Some("run_b".to_owned())));
        assert_eq!(found("run_ab2").await, Ok(Some("run_ab2".to_owned())));
        assert_eq!(found("run_d").await, Ok(None));
        assert_eq!(found(&format!("run_{}", "b".repeat(32))).await, Ok(None));
        let several = |message: &str, hint: &str| Err((message.to_owned(), Some(hint.to_owned())));
        let meant = "write more of the one that is meant: run_ab1, run_ab2";
        assert_eq!(found("run_a").await, several("2 ids begin with run_a", meant));
        let meant = "write more of the one that is meant: run_ca, run_cb, run_cc, …";
        assert_eq!(found("run_c").await, several("4 ids begin with run_c", meant));
    }
}
