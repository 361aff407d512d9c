//! Callbacks: parents hear of their children's ends.
//!
//! A parent that has no run under way is resumed once for all that it is owed by then. The run that tells it carries the
//! children's runs as what it delivers, and the store writes both or neither: each end is told once, across crashes of
//! either side, and whoever else tries at the same time.

use accord_contract::prompt::{self, ChildEnd, ChildResult};
use accord_domain::id::RunId;
use accord_domain::run::Outcome;
use accord_store::{Due, StoreError};
use serde_json::Value;

use super::App;
use super::runs::Order;
use crate::error::Error;

/// How many parents are looked at in one round.
const PARENTS_A_ROUND: u32 = 200;

/// How many ends one message joins. The rest follows in the next.
const CHILDREN_A_MESSAGE: usize = 50;

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
        for due in self.store.due_callbacks(PARENTS_A_ROUND).await? {
            let parent = due.parent_session_id.clone();
            // One parent's trouble is not the others'.
            if let Err(error) = self.deliver(due).await {
                tracing::warn!(%parent, %error, "a parent could not be called back; it is tried again");
            }
        }
        Ok(())
    }

    async fn deliver(&self, due: Due) -> Result<(), Error> {
        let session = self.store.session(&due.parent_session_id).await?;
        let last = self.store.run(&session.last_run_id).await?;
        let mut run_ids = due.run_ids;
        run_ids.truncate(CHILDREN_A_MESSAGE);
        let mut ends = Vec::with_capacity(run_ids.len());
        for run_id in &run_ids {
            ends.push(self.child_end(run_id).await?);
        }
        let prompt = prompt::agent_callback(&ends.iter().map(End::told).collect::<Vec<_>>());
        // The parent's own parent hears of this run as it heard of the last.
        let order = self.continuation(session, prompt, last.execution_mode, last.priority).await?;
        match self.submit(Order { delivers: run_ids, ..order }, None).await {
            Err(error) if error.name() == accord_api::ErrorName::SessionBusy => Ok(()),
            submitted => submitted.map(|_| ()),
        }
    }

    async fn child_end(&self, run_id: &RunId) -> Result<End, Error> {
        let run = self.store.run(run_id).await?;
        let outcome = self.store.outcome(run_id).await?;
        let result = match (outcome, run.failure) {
            (Some(Outcome { result_data: Some(text), .. }), _) => {
                Told::Data(serde_json::from_str(&text).map_err(|error| {
                    Error::from(StoreError::Corrupt(format!("the result of {run_id}: {error}")))
                })?)
            }
            (Some(outcome), _) => Told::Text(outcome.result_text.unwrap_or_default()),
            (None, Some(failure)) => Told::Error(format!("{}: {}", failure.kind.as_str(), failure.message)),
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
