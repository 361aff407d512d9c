//! The coordinator's question instead of the end of a run.

use accord_domain::run::change;
use accord_domain::run::{Run, Status};
use accord_store::AskAgain;
use sqlx::PgConnection;

use super::attempts::{self, Judged};
use crate::error::DbError;
use crate::load::Step;
use crate::store::PostgresStore;
use crate::text::escape;
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
    write::conversation(connection, &step.change.session.id, again.conversation.as_deref()).await?;
    write::steps(connection, judged, std::slice::from_ref(&step)).await?;
    Ok(step)
}
