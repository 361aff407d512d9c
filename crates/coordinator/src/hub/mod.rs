//! Wake-ups inside this process. Nothing here is needed after a crash, and nothing here is believed: who is woken looks
//! into the store, and who is not looks again after a while.
//!
//! Two kinds of waiting. Claims wait for work: one run wakes one claim that can do it ([`claims`]). Everybody else waits
//! for a run or for events: all who asked for a topic are woken ([`topics`]).

mod claims;
mod topics;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_domain::runner::Profile;
use accord_store::Notice;
use tokio::sync::Notify;

pub(crate) use claims::{Announcement, Place};
pub(crate) use topics::{Topic, Watch};

/// Who waits for what.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    claims: Arc<claims::Claims>,
    topics: Arc<topics::Topics>,
    over: Notify,
}

impl Hub {
    /// A claim begins to wait for work.
    pub(crate) fn wait_for_work(&self, profile: Arc<Profile>) -> Place {
        claims::Claims::enter(&self.claims, profile)
    }

    /// This process is about to queue a run.
    pub(crate) fn announce(&self) -> Announcement {
        claims::Claims::announce(&self.claims)
    }

    /// Somebody begins to wait for one of these.
    pub(crate) fn watch(&self, topics: Vec<Topic>) -> Watch {
        topics::Topics::watch(&self.topics, topics)
    }

    /// Until some run is over, or was since the last call. For one caller: the reconciler of callbacks.
    pub(crate) async fn some_run_over(&self) {
        self.over.notified().await;
    }

    /// Something was written, here or elsewhere.
    pub(crate) fn notice(&self, notice: Notice) {
        match notice {
            Notice::Queued => self.claims.queued_somewhere(),
            Notice::Events { session_id, run_id } => {
                self.topics.wake(&Topic::Events);
                self.topics.wake(&Topic::SessionEvents(session_id));
                if let Some(run_id) = run_id {
                    self.topics.wake(&Topic::RunEvents(run_id));
                }
            }
            Notice::Changed { run_id, over } => {
                self.topics.wake(&Topic::Run(run_id));
                if over {
                    self.over.notify_one();
                }
            }
        }
    }

    /// Notices were lost: everybody looks.
    pub(crate) fn wake_everybody(&self) {
        self.claims.wake_all();
        self.topics.wake_all();
        self.over.notify_one();
    }
}

/// The lock's content. Nothing panics while holding one, so there is nothing to be poisoned by.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
