//! Runs that wait without a runner.

use accord_domain::run::{Run, change};
use accord_domain::step::Step as RunStep;
use accord_store::{Suspend, Wake};
use sqlx::PgConnection;

use super::steps;
use super::submit::{Delivery, deliver, delivered};
use crate::error::DbError;
use crate::load::Step;
use crate::store::PostgresStore;
use crate::{inputs, load, write};

impl PostgresStore {
    pub(super) async fn suspend(&self, suspend: &Suspend) -> Result<Run, DbError> {
        let mut transaction = self.begin().await?;
        let suspended = put_aside(&mut transaction, suspend).await;
        self.conclude_one(transaction, suspended).await
    }

    pub(super) async fn wake(&self, wake: &Wake) -> Result<Option<Run>, DbError> {
        let mut transaction = self.begin().await?;
        match queue_again(&mut transaction, wake).await.transpose() {
            Some(woken) => self.conclude_one(transaction, woken).await.map(Some),
            None => {
                transaction.rollback().await?;
                Ok(None)
            }
        }
    }
}

async fn put_aside(connection: &mut PgConnection, suspend: &Suspend) -> Result<Step, DbError> {
    let pair = load::pair(connection, &suspend.holder.run_id).await?;
    let demands = suspend.demands(&pair.run);
    let mut step = pair.decide(|run, session| {
        change::suspend(
            Run { demands, ..run.asked_again(suspend.retries) },
            session,
            &suspend.holder,
            suspend.suspension.clone(),
            suspend.usage,
            suspend.wait,
            suspend.now,
        )
    })?;
    if let Some(affinity) = &suspend.affinity {
        step.change.session.affinity = affinity.clone();
    }
    if step.change.run.status.is_suspended() {
        inputs::insert(connection, &suspend.inputs).await?;
    }
    write::conversation(connection, &step.change.session.id, suspend.conversation.as_deref()).await?;
    write::steps(connection, Vec::new(), std::slice::from_ref(&step)).await?;
    Ok(step)
}

/// `None` if one of the children was reported otherwise: what is written then must be rolled back.
async fn queue_again(connection: &mut PgConnection, wake: &Wake) -> Result<Option<Step>, DbError> {
    let pair = load::pair(connection, &wake.run_id).await?;
    // Before the status is read: a second wake finds the run queued by the first.
    let children = match deliver(connection, &pair.run, &wake.delivers).await? {
        Delivery::Nothing => Vec::new(),
        Delivery::Gone => return Ok(None),
        Delivery::Of(children) => children,
    };
    let woken = |run, session| change::wake(run, session, wake.attempt, &wake.reason, wake.now);
    let mut step = pair.decide(woken)?;
    if !children.is_empty() {
        let told = delivered(&step.change.run, children, wake.now);
        step.change.events.push(told);
    }
    let number = steps::next_number(connection, &wake.run_id).await?;
    let next = RunStep { number, delivery: 0, at: wake.now, body: wake.step.clone() };
    steps::insert(connection, &[(&wake.run_id, next)]).await?;
    write::steps(connection, Vec::new(), std::slice::from_ref(&step)).await?;
    Ok(Some(step))
}
