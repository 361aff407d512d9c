//! Waiting for a run or for events.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use accord_domain::id::{RunId, SessionId, WorkflowRunId};
use tokio::sync::Notify;

use super::locked;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Topic {
    /// A run finishes, or is asked to stop.
    Run(RunId),
    RunEvents(RunId),
    SessionEvents(SessionId),
    WorkflowEvents(WorkflowRunId),
    /// A workflow run has finished, or was asked to stop.
    Workflow(WorkflowRunId),
    Events,
    Queued,
}

#[derive(Debug, Default)]
pub(super) struct Topics {
    waiting: Mutex<HashMap<Topic, Vec<Arc<Notify>>>>,
}

impl Topics {
    pub(super) fn watch(topics: &Arc<Self>, wanted: Vec<Topic>) -> Watch {
        let signal = Arc::new(Notify::new());
        let mut waiting = locked(&topics.waiting);
        for topic in &wanted {
            waiting.entry(topic.clone()).or_default().push(Arc::clone(&signal));
        }
        Watch { topics: Arc::clone(topics), wanted, signal }
    }

    pub(super) fn wake(&self, topic: &Topic) {
        if let Some(signals) = locked(&self.waiting).get(topic) {
            signals.iter().for_each(|signal| signal.notify_one());
        }
    }

    pub(super) fn wake_all(&self) {
        locked(&self.waiting).values().flatten().for_each(|signal| signal.notify_one());
    }
}

/// A waiting request. A wake-up between two waits is kept, so: watch, read, wait.
#[derive(Debug)]
pub(crate) struct Watch {
    topics: Arc<Topics>,
    wanted: Vec<Topic>,
    signal: Arc<Notify>,
}

impl Watch {
    /// Until one of the topics changes, or did since the last wait.
    pub(crate) async fn changed(&self) {
        self.signal.notified().await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut waiting = locked(&self.topics.waiting);
        for topic in self.wanted.drain(..) {
            if let Entry::Occupied(mut entry) = waiting.entry(topic) {
                entry.get_mut().retain(|signal| !Arc::ptr_eq(signal, &self.signal));
                if entry.get().is_empty() {
                    entry.remove();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_before_the_wait_is_not_missed_and_topics_are_removed() {
        let topics = Arc::new(Topics::default());
        let run = Topic::Run(RunId::new("1"));
        let watch = Topics::watch(&topics, vec![run.clone(), Topic::Run(RunId::new("2"))]);
        topics.wake(&run);
        watch.changed().await;
        drop(watch);
        assert!(locked(&topics.waiting).is_empty());
    }
}
