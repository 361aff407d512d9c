//! The end of a run, and the coordinator's question instead of one.

use accord_domain::id::SessionId;
use accord_domain::run::change::{self, Children, End};
use accord_domain::run::{Outcome, Run, Status};
use accord_store::{AskAgain, Finish};
use sqlx::PgConnection;

use super::attempts;
use crate::callbacks::still_to_come;
use crate::convert::json;
use crate::error::DbError;
use crate::facts;
use crate::load::Step;
use crate::store::PostgresStore;
use crate::text::{escape, escape_some};
use crate::{load, write};

impl PostgresStore {
    pub(super) async fn finish(&self, finish: &Finish) -> Result<Run, DbError> {
        let mut transaction = self.begin().await?;
        let ended = end(&mut transaction, finish).await;
        self.conclude_one(transaction, ended).await
    }

    pub(super) async fn ask(&self, again: &AskAgain) -> Result<Run, DbError> {
        let mut transaction = self.begin().await?;
        let asked = ask(&mut transaction, again).await;
        self.conclude_one(transaction, asked).await
    }
}

async fn end(connection: &mut PgConnection, finish: &Finish) -> Result<Step, DbError> {
    let pair = load::pair(connection, &finish.holder.run_id).await?;
    let end = change::end_of(&pair.run, finish.end.clone());
    let children = children(connection, &pair.session.id, &end).await?;
    let mut step = pair.decide(|run, session| {
        let ended = change::finish(
            run.asked_again(finish.retries),
            session,
            &finish.holder,
            end.clone(),
            finish.usage,
            children,
            finish.now,
        )?;
        Ok(if finish.conversation.is_some() { ended.with_conversation_kept() } else { ended })
    })?;
    if let Some(affinity) = &finish.affinity {
        step.change.session.affinity = affinity.clone();
    }
    if let End::Completed(outcome) = &end {
        insert_outcome(connection, &step.change.run, outcome).await?;
    }
    write_conversation(connection, &step.change.session.id, finish.conversation.as_deref()).await?;
    write::steps(connection, Vec::new(), std::slice::from_ref(&step)).await?;
    // Last, because many runs learn the same at the same time and wait for each other here.
    facts::write(connection, &finish.observations).await?;
    Ok(step)
}

async fn ask(connection: &mut PgConnection, again: &AskAgain) -> Result<Step, DbError> {
    let pair = load::pair(connection, &again.holder.run_id).await?;
    let step = pair.decide(|run, session| {
        let asked = change::ask_again(run, session, &again.holder, again.usage, again.now)?;
        Ok(if again.conversation.is_some() { asked.with_conversation_kept() } else { asked })
    })?;
    let attempt = std::slice::from_ref(&again.attempt);
    let judged = attempts::insert(connection, &step.change.run, attempt, again.now).await?;
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

async fn children(
    connection: &mut PgConnection,
    session_id: &SessionId,
    end: &End,
) -> Result<Children, DbError> {
    // Only a completed session can be idle.
    if !matches!(end, End::Completed(_)) {
        return Ok(Children::Quiet);
    }
    still_to_come(connection, session_id).await
}

const OUTCOME: &str = "
INSERT INTO outcomes (run_id, result_text, result_data, raw, validation) VALUES ($1, $2, $3, $4, $5)";

pub(crate) async fn insert_outcome(
    connection: &mut PgConnection,
    run: &Run,
    outcome: &Outcome,
) -> Result<(), DbError> {
    sqlx::query(OUTCOME)
        .bind(run.id.as_str())
        .bind(escape_some(outcome.result_text.as_ref()))
        .bind(outcome.result_data.as_deref())
        .bind(escape_some(outcome.raw.as_ref()))
        .bind(outcome.validation.as_ref().map(json).transpose()?)
        .execute(connection)
        .await?;
    Ok(())
}

const CONVERSATION: &str = "
INSERT INTO conversations (session_id, body) VALUES ($1, $2)
ON CONFLICT (session_id) DO UPDATE SET body = excluded.body";

pub(super) async fn write_conversation(
    connection: &mut PgConnection,
    session_id: &SessionId,
    conversation: Option<&str>,
) -> Result<(), DbError> {
    if let Some(body) = conversation {
        sqlx::query(CONVERSATION).bind(session_id.as_str()).bind(body).execute(connection).await?;
    }
    Ok(())
}
