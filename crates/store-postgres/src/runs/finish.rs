//! The coordinator's question instead of the end of a run; results and conversations.

use accord_domain::id::{RunId, SessionId};
use accord_domain::run::change;
use accord_domain::run::{Outcome, Run, Status};
use accord_store::AskAgain;
use sqlx::PgConnection;

use super::attempts::{self, Judged};
use crate::convert::json;
use crate::error::DbError;
use crate::load::Step;
use crate::rows::column;
use crate::store::PostgresStore;
use crate::text::{escape, escape_some};
use crate::{load, write};

impl PostgresStore {
    pub(super) async fn ask(&self, again: &AskAgain) -> Result<Run, DbError> {
        let mut transaction = self.begin().await?;
        let asked = ask(&mut transaction, again).await;
        self.conclude_one(transaction, asked).await
    }
}

async fn ask(connection: &mut PgConnection, again: &AskAgain) -> Result<Step, DbError> {
    let pair = load::pair(connection, &again.holder.run_id).await?;
    let step = pair.decide(|run, session| {
        let asked = change::ask_again(run, session, &again.holder, again.usage, again.now)?;
        Ok(if again.conversation.is_some() { asked.with_conversation_kept() } else { asked })
    })?;
    let judged = Judged { run: &step.change.run, attempt: &again.attempt, at: again.now };
    let judged = attempts::insert(connection, &[judged]).await?;
    if step.change.run.status == Status::Pending {
        sqlx::query("UPDATE assignments SET retry_prompt = $2 WHERE run_id = $1")
            .bind(step.change.run.id.as_str())
            .bind(escape(&again.prompt))
            .execute(&mut *connection)
            .await?;
    }
    write_conversation(connection, &step.change.session.id, again.conversation.as_deref()).await?;
    write::steps(connection, judged, std::slice::from_ref(&step)).await?;
    Ok(step)
}

const OUTCOMES: &str = "
INSERT INTO outcomes (run_id, result_text, result_data, raw, validation)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])";

pub(crate) async fn insert_outcomes(
    connection: &mut PgConnection,
    outcomes: &[(&RunId, &Outcome)],
) -> Result<(), DbError> {
    if outcomes.is_empty() {
        return Ok(());
    }
    let (ids, outcomes): (Vec<&RunId>, Vec<&Outcome>) = outcomes.iter().copied().unzip();
    let validations = outcomes.iter().map(|outcome| outcome.validation.as_ref().map(json).transpose());
    let validations: Vec<Option<String>> = validations.collect::<Result<_, _>>()?;
    sqlx::query(OUTCOMES)
        .bind(column(&ids, |id| id.as_str()))
        .bind(column(&outcomes, |outcome| escape_some(outcome.result_text.as_ref())))
        .bind(column(&outcomes, |outcome| outcome.result_data.as_deref()))
        .bind(column(&outcomes, |outcome| escape_some(outcome.raw.as_ref())))
        .bind(validations)
        .execute(connection)
        .await?;
    Ok(())
}

const CONVERSATIONS: &str = "
INSERT INTO conversations (session_id, body) SELECT * FROM unnest($1::text[], $2::text[])
ON CONFLICT (session_id) DO UPDATE SET body = excluded.body";

/// Writes conversations of sessions that are locked, at most one of each.
pub(super) async fn write_conversations(
    connection: &mut PgConnection,
    conversations: &[(&SessionId, &str)],
) -> Result<(), DbError> {
    if conversations.is_empty() {
        return Ok(());
    }
    let (ids, bodies): (Vec<&str>, Vec<&str>) =
        conversations.iter().map(|(session_id, body)| (session_id.as_str(), *body)).unzip();
    sqlx::query(CONVERSATIONS).bind(ids).bind(bodies).execute(connection).await?;
    Ok(())
}

pub(super) async fn write_conversation(
    connection: &mut PgConnection,
    session_id: &SessionId,
    conversation: Option<&str>,
) -> Result<(), DbError> {
    let conversation = conversation.map(|body| (session_id, body));
    write_conversations(connection, conversation.as_slice()).await
}
