//! Wake-ups inside this process. Nothing here is needed after a crash, and nothing here is trusted: a woken request reads the
//! store, and others poll.
//!
//! Two kinds of waiting. Claims wait for work: one run wakes one claim that can take it ([`claims`]). Everything else waits for
//! a run or for events: all that asked for a topic are woken ([`topics`]).

mod claims;
mod topics;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_domain::runner::Profile;
use accord_store::Notice;
use tokio::sync::Notify;

pub(crate) use claims::{Announcement, ClaimWaiter};
pub(crate) use topics::{Topic, Watch};

#[derive(Debug, Default)]
pub(crate) struct Hub {
    claims: Arc<claims::Claims>,
    topics: Arc<topics::Topics>,
    over: Notify,
    orphans: Notify,
    workflows: Notify,
}

impl Hub {
    /// A claim begins to wait for work.
    pub(crate) fn wait_for_work(&self, profile: Arc<Profile>) -> ClaimWaiter {
        claims::Claims::enter(&self.claims, profile)
    }

    /// This process is about to queue a run.
    pub(crate) fn announce(&self) -> Announcement {
        claims::Claims::announce(&self.claims)
    }

    /// Starts to wait for one of these.
    pub(crate) fn watch(&self, topics: Vec<Topic>) -> Watch {
        topics::Topics::watch(&self.topics, topics)
    }

    /// Waits until some run has finished or waits, including since the last call. For one caller:
    /// the reconciler of callbacks.
    pub(crate) async fn some_run_over(&self) {
        self.over.notified().await;
    }

    /// The same, for the reconciler of children.
    pub(crate) async fn some_parent_over(&self) {
        self.orphans.notified().await;
    }

    /// Until there may be something to do for workflow runs, or was since the last call. For one caller: their reconciler.
    pub(crate) async fn some_workflow_due(&self) {
        self.workflows.notified().await;
    }

    /// There may be something to do for workflow runs.
    pub(crate) fn look_at_workflows(&self) {
        self.workflows.notify_one();
    }

    /// Something was written, here or elsewhere.
    pub(crate) fn notice(&self, notice: Notice) {
        match notice {
            Notice::Queued => {
                self.claims.queued_somewhere();
                self.topics.wake(&Topic::Queued);
            }
            Notice::Events { session_id, run_id } => {
                self.topics.wake(&Topic::Events);
                self.topics.wake(&Topic::SessionEvents(session_id));
                if let Some(run_id) = run_id {
                    self.topics.wake(&Topic::RunEvents(run_id));
                }
            }
            Notice::Changed { run_id, over } => {
                self.topics.wake(&Topic::Run(run_id));
                // A run that waits for children may find them finished.
                self.over.notify_one();
                self.orphans.notify_one();
                if over {
                    self.workflows.notify_one();
                }
            }
            Notice::WorkflowEvents { workflow_run_id } => {
                self.topics.wake(&Topic::Events);
                self.topics.wake(&Topic::WorkflowEvents(workflow_run_id));
            }
            Notice::WorkflowChanged { workflow_run_id } => {
                self.topics.wake(&Topic::Workflow(workflow_run_id));
                self.workflows.notify_one();
            }
        }
    }

    /// Notices were lost, so everything that waits reads the store.
    pub(crate) fn wake_everybody(&self) {
        self.claims.wake_all();
        self.topics.wake_all();
        self.over.notify_one();
        self.orphans.notify_one();
        self.workflows.notify_one();
    }
}

/// The lock's content. Nothing panics while holding one, so there is nothing to be poisoned by.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
