//! Callbacks: parents hear of their children's ends.
//!
//! A parent that has no run under way is resumed once for all that it is owed by then. The run that tells it carries the
//! children's runs as what it delivers, and the store writes both or neither: each end is told once, across crashes of
//! either side, and whoever else tries at the same time. Where that run is over and the conversation does not have what
//! it was told, the ends are owed again.
//!
//! A parent that failed or was stopped is not resumed by itself: somebody, or its contract, ended it. Its children's ends
//! are held: an event in its session says so, its view lists them, and the next run that somebody starts in it begins
//! with them. The same becomes of what cannot be told for [`GIVE_UP_AFTER`], because the parent's agent is gone, say.
//! Nothing is owed to a parent that was removed.

use accord_api::ErrorName;
use accord_contract::prompt::{self, ChildEnd, ChildResult};
use accord_domain::callback::HeldReason;
use accord_domain::id::RunId;
use accord_domain::quarantine::{Item, Kind};
use accord_domain::run::{Failure, Outcome};
use accord_domain::session::{Session, Status};
use accord_json::read_kept;
use accord_store::{CallbackHold, Due, StoreError};
use jiff::SignedDuration;
use serde_json::Value;

use super::App;
use super::runs::{Expected, Order, check_input, with_prompt};
use crate::error::Error;

/// How many parents are looked at in one round.
const PARENTS_A_ROUND: u32 = 200;

/// How many ends one message joins. The rest follows in the next.
pub(super) const CHILDREN_A_MESSAGE: u32 = 50;

/// How long a parent that cannot be resumed is tried again. Somebody who mends an agent's file needs minutes, not hours.
const GIVE_UP_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// One child, as far as its parent is told.
struct End {
    session_id: String,
    agent_name: String,
    status: &'static str,
    result: Told,
}

enum Told {
    Data(Value),
    Text(String),
    Error(String),
}

impl App {
    /// Resumes every parent that is owed something and can be resumed now.
    pub(crate) async fn deliver_callbacks(&self) -> Result<(), Error> {
        let mut suspects = Vec::new();
        for due in self.store.due_callbacks(PARENTS_A_ROUND).await? {
            match self.store.deaths(&mark(&due)).await? {
                0 => self.deliver_or_tell(due).await,
                _ => suspects.push(due),
            }
        }
        // Those that a coordinator has died of come last: where one dies again, the others have been called back.
        for due in suspects {
            self.deliver_or_tell(due).await;
        }
        Ok(())
    }

    /// One parent's trouble is not the others'.
    async fn deliver_or_tell(&self, due: Due) {
        let parent = due.parent_session_id.clone();
        if let Err(error) = self.marked(mark(&due), self.deliver(due)).await {
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
            Status::Pending | Status::Running | Status::Stopping => return Ok(()),
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
            // The store's troubles are not the parent's.
            Err(error) if error.name() == ErrorName::StoreUnavailable => Err(error),
            Err(error) => self.failing(due, &session, error).await,
            Ok(()) => Ok(()),
        }
    }

    async fn resumed(&self, due: &Due, session: Session) -> Result<(), Error> {
        let last = self.store.run(&session.last_run_id).await?;
        let run_ids: Vec<RunId> = due.run_ids.iter().take(CHILDREN_A_MESSAGE as usize).cloned().collect();
        let prompt = self.message(&run_ids).await?;
        // The parent's own parent hears of this run as it heard of the last.
        let order = self.continuation(session, &prompt, last.execution_mode, last.priority).await?;
        let requested_by = last.requested_by;
        self.submit(Order { delivers: run_ids, requested_by, ..order }, None).await?;
        Ok(())
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

    /// A run that somebody starts in a session begins with what the session has not been told.
    pub(super) async fn with_undelivered(&self, order: Order, session: &Session) -> Result<Order, Error> {
        let undelivered = self.store.undelivered(&session.id, CHILDREN_A_MESSAGE).await?;
        if undelivered.is_empty() {
            return Ok(order);
        }
        let run_ids: Vec<RunId> = undelivered.into_iter().map(|each| each.run_id).collect();
        let message = self.message(&run_ids).await?;
        let parameters = with_prompt(&order.parameters, |prompt| format!("{message}\n{prompt}"))?;
        // A procedural agent may take this prompt and none that is longer: what it is owed waits then.
        let told = serde_json::from_str(&parameters).map_err(Error::internal)?;
        if check_input(&order.agent, Expected::Prompt, &told).await.is_err() {
            return Ok(order);
        }
        Ok(Order { parameters, delivers: run_ids, ..order })
    }

    async fn message(&self, run_ids: &[RunId]) -> Result<String, Error> {
        let mut ends = Vec::with_capacity(run_ids.len());
        for run_id in run_ids {
            ends.push(self.child_end(run_id).await?);
        }
        Ok(prompt::agent_callback(&ends.iter().map(End::told).collect::<Vec<_>>()))
    }

    async fn child_end(&self, run_id: &RunId) -> Result<End, Error> {
        let run = self.store.run(run_id).await?;
        let outcome = self.store.outcome(run_id).await?;
        let result = match (outcome, run.failure) {
            (Some(Outcome { result_data: Some(text), .. }), _) => {
                Told::Data(read_kept(&text).map_err(|error| {
                    Error::from(StoreError::Corrupt(format!("the result of {run_id}: {error}")))
                })?)
            }
            (Some(outcome), _) => Told::Text(outcome.result_text.unwrap_or_default()),
            (None, Some(failure)) => Told::Error(words(&failure)),
            (None, None) => Told::Error(format!("the run is {}", run.status)),
        };
        Ok(End {
            session_id: run.session_id.to_string(),
            agent_name: run.agent_name,
            status: run.status.as_str(),
            result,
        })
    }
}

fn mark(due: &Due) -> Item {
    Item::new(Kind::Callback, &due.parent_session_id)
}

/// A failure, with what was wrong with the answer that came closest: who has to decide what to do next must know it.
fn words(failure: &Failure) -> String {
    let errors: String = failure.validation_errors.iter().map(|error| format!("\n- {error}")).collect();
    format!("{}: {}{errors}", failure.kind.as_str(), failure.message)
}

impl End {
    fn told(&self) -> ChildEnd<'_> {
        ChildEnd {
            session_id: &self.session_id,
            agent_name: &self.agent_name,
            status: self.status,
            result: match &self.result {
                Told::Data(value) => ChildResult::Data(value),
                Told::Text(text) => ChildResult::Text(text),
                Told::Error(text) => ChildResult::Error(text),
            },
        }
    }
}
