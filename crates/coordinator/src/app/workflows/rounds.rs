//! Rounds over workflow runs: which are advanced, and how many at once.
//!
//! Each is marked before its step and the mark goes with the step ([`crate::app::quarantine`]). Those on which a coordinator
//! crashed go one at a time.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use accord_domain::id::WorkflowRunId;
use accord_domain::quarantine::{Item, Kind};
use accord_store::DueWorkflowRun;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::WorkflowRuns;
use super::engine::Advanced;
use crate::app::quarantine;
use crate::error::Error;

/// How many workflow runs are looked at in one round.
const RUNS_A_ROUND: u32 = 200;

/// How many of them at once: each waits for the store most of the time, and a few may be busy with large templates.
const AT_ONCE: usize = 32;

/// How long a round waits for the runs in progress before it looks for others: a slow one must not hold up the rest.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A workflow run that is about to be advanced. One on which a coordinator crashed has the permit to go alone.
struct Next {
    id: WorkflowRunId,
    alone: Option<OwnedSemaphorePermit>,
}

impl WorkflowRuns {
    /// Advances every workflow run that something has happened to, and while some of them take their time, those that
    /// something happens to meanwhile. No run is advanced twice at once.
    pub(crate) async fn advance_due(&self) -> Result<(), Error> {
        let mut due = VecDeque::from(self.store.due_workflow_runs(RUNS_A_ROUND).await?);
        let (mut under_way, mut at_work) = (FuturesUnordered::new(), HashSet::new());
        let mut look_again = Instant::now() + LOOK_AGAIN;
        loop {
            for next in self.begin_steps(&mut due, &at_work).await {
                at_work.insert(next.id.clone());
                under_way.push(self.step(next));
            }
            match timeout_at(look_again, under_way.next()).await {
                Ok(None) => return Ok(()),
                Ok(Some(id)) => {
                    at_work.remove(&id);
                }
                Err(_) if self.closing.is_cancelled() => due.clear(),
                // Runs in progress are not abandoned when the store is unavailable.
                Err(_) => due = self.store.due_workflow_runs(RUNS_A_ROUND).await.unwrap_or_default().into(),
            }
            if Instant::now() >= look_again {
                look_again = Instant::now() + LOOK_AGAIN;
            }
        }
    }

    /// Takes as many as there is room for, marks them in one write, and returns those that no other coordinator works on.
    async fn begin_steps(
        &self,
        due: &mut VecDeque<DueWorkflowRun>,
        at_work: &HashSet<WorkflowRunId>,
    ) -> Vec<Next> {
        let mut nexts = Vec::new();
        while at_work.len() + nexts.len() < AT_ONCE
            && let Some(DueWorkflowRun { id, deaths }) = due.pop_front()
        {
            let alone = if deaths > 0 { self.quarantine.try_alone(self.outside.now()) } else { None };
            // A suspect that has to wait is looked at again when the one before it is done.
            if !at_work.contains(&id) && (deaths == 0 || alone.is_some()) {
                nexts.push(Next { id, alone });
            }
        }
        let marks = nexts.iter().map(|next| mark(&next.id)).collect();
        match self.quarantine.begin_work(marks).await {
            Ok(begun) => nexts.retain(|next| begun.contains(&mark(&next.id))),
            Err(error) => {
                tracing::warn!(cause = error.cause(), "workflow runs could not be marked; will retry");
                nexts.clear();
            }
        }
        nexts
    }

    async fn step(&self, Next { id, alone }: Next) -> WorkflowRunId {
        match alone {
            None => self.advance_or_tell(&id).await,
            Some(permit) => {
                quarantine::alone(permit, self.advance_or_tell(&id)).await;
                // The next suspect may go.
                self.hub.look_at_workflows();
            }
        }
        id
    }

    /// Logs a failure and continues: one run must not stop the others.
    async fn advance_or_tell(&self, id: &WorkflowRunId) {
        match self.advance_workflow(id).await {
            // The mark went with what was written.
            Ok(Advanced::Written) => return self.quarantine.forget(&mark(id)),
            Ok(Advanced::Unchanged) => {}
            Err(error) => {
                tracing::warn!(workflow_run = %id, cause = error.cause(), "a workflow run could not be advanced; will retry");
            }
        }
        self.quarantine.end_work(mark(id)).await;
    }
}

fn mark(id: &WorkflowRunId) -> Item {
    Item::new(Kind::WorkflowStep, id)
}
