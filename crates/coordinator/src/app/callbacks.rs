//! Callbacks: a parent is resumed when its children have finished.
//!
//! A parent without a run in progress is resumed once for all callbacks that are due. That run names the children's runs that
//! it delivers, and the store writes both or neither, so each callback is delivered once, across crashes of either side and
//! with several coordinators. If the run ends without the message in its conversation, the callbacks are due again.
//!
//! A parent that failed or was stopped is not resumed automatically. Its callbacks are held: an event in its session says so,
//! its view lists them, and the next run in it begins with them. The same happens to callbacks that cannot be delivered for
//! [`GIVE_UP_AFTER`], for example because the parent's agent is gone. Nothing is due to a parent that was deleted.

use std::sync::Arc;

use accord_api::ErrorName;
use accord_domain::callback::HeldReason;
use accord_domain::id::RunId;
use accord_domain::quarantine::{Item, Kind};
use accord_domain::session::{Session, Status};
use accord_store::{CallbackHold, Due, PageRequest, RunFilter, Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::contracts::InForce;
use super::quarantine::Quarantine;
use super::runs::{CHILDREN_A_MESSAGE, Order, Runs, callback_message};
use crate::error::Error;
use crate::outside::Outside;

/// How many parents are looked at in one round.
const PARENTS_A_ROUND: u32 = 200;

/// How long a parent that cannot be resumed is tried again. Fixing an agent's file takes minutes, not hours.
const GIVE_UP_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// Resumes parents whose children have finished.
pub(crate) struct Callbacks {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) quarantine: Arc<Quarantine>,
    pub(super) runs: Arc<Runs>,
}

impl Callbacks {
    /// Resumes every parent that is owed something and can be resumed now.
    pub(crate) async fn deliver_due(&self) -> Result<(), Error> {
        self.runs.continue_waiting().await?;
        let mut suspects = Vec::new();
        for due in self.store.due_callbacks(PARENTS_A_ROUND).await? {
            match self.store.deaths(&mark(&due)).await? {
                0 => self.deliver_or_tell(due).await,
                _ => suspects.push(due),
            }
        }
        // Parents on which a coordinator crashed come last: if one crashes again, the others have been called back.
        for due in suspects {
            self.deliver_or_tell(due).await;
        }
        Ok(())
    }

    /// Logs a failure and continues: one parent must not stop the others.
    async fn deliver_or_tell(&self, due: Due) {
        let parent = due.parent_session_id.clone();
        if let Err(error) = self.quarantine.marked(mark(&due), self.deliver(due)).await {
            tracing::warn!(%parent, %error, "callback to a parent failed; will retry");
        }
    }

    async fn deliver(&self, due: Due) -> Result<(), Error> {
        let session = match self.store.session(&due.parent_session_id).await {
            Err(StoreError::NoSession(_)) => return Ok(()),
            found => found?,
        };
        let (reason, what) = match session.status {
            Status::Idle | Status::Finished => return self.tell(due, session).await,
            Status::Pending
            | Status::Running
            | Status::Waiting
            | Status::InputRequired
            | Status::Stopping => return Ok(()),
            Status::Failed => (HeldReason::ParentFailed, "its last run failed"),
            Status::Stopped => (HeldReason::ParentStopped, "its last run was stopped"),
        };
        let message =
            format!("{} is not resumed automatically, because {what}; resume it to continue", session.id);
        self.hold(due, &session, reason, message).await
    }

    /// Resumes a parent, or notes that this cannot be done.
    async fn tell(&self, due: Due, session: Session) -> Result<(), Error> {
        match self.resumed(&due, session.clone()).await {
            Err(error) if error.name() == ErrorName::SessionBusy => Ok(()),
            // An unavailable store says nothing about the parent.
            Err(error) if error.name() == ErrorName::StoreUnavailable => Err(error),
            Err(error) => self.failing(due, &session, error).await,
            Ok(()) => Ok(()),
        }
    }

    async fn resumed(&self, due: &Due, session: Session) -> Result<(), Error> {
        let last = self.store.run(&session.last_run_id).await?;
        let run_ids: Vec<RunId> = due.run_ids.iter().take(CHILDREN_A_MESSAGE as usize).cloned().collect();
        let prompt = callback_message(self.store.as_ref(), &run_ids).await?;
        // The parent's own parent is called back for this run as it was for the last.
        let contract = self.contract_of_starter(&session, &run_ids).await?;
        let order = self.runs.continuation(session, &prompt, last.execution_mode, last.priority).await?;
        let contract = contract.or_else(|| order.contract.clone());
        let traceparent = self.store.assignment(&last.id).await?.traceparent;
        let order = Order { contract, requested_by: last.requested_by, traceparent, ..order };
        self.runs.submit(Order { delivers: run_ids, ..order }, None).await?;
        Ok(())
    }

    /// The caller's contract of the run that started the newest of these children: the resumed session still owes it.
    async fn contract_of_starter(
        &self,
        parent: &Session,
        children: &[RunId],
    ) -> Result<Option<Arc<InForce>>, Error> {
        let Some(child) = children.last() else { return Ok(None) };
        let child = self.store.run(child).await?;
        let started = self.store.session(&child.session_id).await?.created_at;
        let until = started.checked_add(SignedDuration::from_micros(1)).unwrap_or(Timestamp::MAX);
        let filter =
            RunFilter { session_id: Some(parent.id.clone()), until: Some(until), ..RunFilter::default() };
        let starter = self.store.runs(&filter, &PageRequest { limit: 1, cursor: None }).await?;
        let Some(starter) = starter.items.first() else { return Ok(None) };
        self.runs.callers_contract(&starter.id).await
    }

    async fn failing(&self, due: Due, session: &Session, error: Error) -> Result<(), Error> {
        let now = self.outside.now();
        match due.failing_since {
            None => self.store.delay_callbacks(&session.id, now).await?,
            Some(since) if now.duration_since(since) < GIVE_UP_AFTER => {}
            Some(_) => {
                let minutes = GIVE_UP_AFTER.as_mins();
                let message = format!(
                    "{} could not be resumed for {minutes} minutes: {error}; fix that, then resume it to continue",
                    session.id
                );
                return self.hold(due, session, HeldReason::ParentUnavailable, message).await;
            }
        }
        Err(error)
    }

    async fn hold(
        &self,
        due: Due,
        session: &Session,
        reason: HeldReason,
        message: String,
    ) -> Result<(), Error> {
        for run_ids in due.run_ids.chunks(CHILDREN_A_MESSAGE as usize) {
            let hold = CallbackHold {
                parent_session_id: session.id.clone(),
                last_run_id: session.last_run_id.clone(),
                run_ids: run_ids.to_vec(),
                reason,
                message: message.clone(),
                now: self.outside.now(),
            };
            self.store.hold_callbacks(hold).await?;
        }
        Ok(())
    }
}

fn mark(due: &Due) -> Item {
    Item::new(Kind::Callback, &due.parent_session_id)
}
