//! A conversation that continues from an earlier response, beside the one that it continued with.
//!
//! The executor keeps only where a session is now. So a branch is a new session, which begins with the messages of the old one up to
//! that response: what was asked and what was answered, with their roles. What tools did in between is not repeated.

use accord_api::{Opening, RunQuery, RunView, Said};
use accord_domain::id::RunId;

use super::ask::Client;
use super::fields::invalid;
use super::work::{asked, text};
use crate::app::HIGHEST_LIMIT;
use crate::error::Error;

/// The conversation of a session until a run, with that run, as the beginning of another.
pub(super) async fn until(client: &Client, last: &RunView) -> Result<Vec<Said>, Error> {
    let query = RunQuery {
        session_id: Some(last.session_id.clone()),
        until: Some(last.created_at),
        limit: Some(HIGHEST_LIMIT),
        ..RunQuery::default()
    };
    let page = client.app.runs.list(query).await?;
    if page.next_cursor.is_some() {
        let message = format!(
            "previous_response_id is {}, which more than {HIGHEST_LIMIT} responses precede; continue the last response of its session, or send the messages as input",
            last.run_id
        );
        return Err(invalid("previous_response_id", message));
    }
    let mut messages = Vec::new();
    // Newest first in the list.
    let ids: Vec<RunId> = page.items.into_iter().rev().map(|run| run.run_id).collect();
    for id in ids {
        extend(&mut messages, client.run(&id).await?);
    }
    extend(&mut messages, client.run(&last.run_id).await?);
    Ok(messages)
}

fn extend(messages: &mut Vec<Said>, run: RunView) {
    let (content, answer) = (asked(&run), text(&run));
    let Opening { messages: before, .. } = run.opening.unwrap_or_default();
    messages.extend(before);
    messages.push(Said::User { content });
    messages.extend(answer.map(|content| Said::Assistant { content, tool_calls: Vec::new() }));
}
