//! What one transaction has to say, and how it travels.

use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::run::{Run, Status};
use accord_store::Notice;
use serde_json::{Value, json};

use crate::load::Step;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Announcement {
    /// Runs wait for a runner.
    queued: bool,
    events: bool,
    /// Runs that have finished, wait for their runner to stop, or wait without one.
    changed: Vec<(RunId, bool)>,
    /// Workflow runs that were created, asked to stop, or have finished.
    workflows: Vec<WorkflowRunId>,
}

/// `NOTIFY` carries less than 8000 bytes; a changed run takes at most 80.
const MOST_CHANGED: usize = 80;

impl Announcement {
    /// Of changes.
    pub(crate) fn of(steps: &[Step]) -> Self {
        let mut announcement = Self::default();
        for step in steps {
            announcement.events |= !step.change.events.is_empty();
            if step.change.run != step.before.run {
                announcement.note(&step.change.run);
            }
        }
        announcement
    }

    /// Of events alone.
    pub(crate) fn events() -> Self {
        Self { events: true, ..Self::default() }
    }

    /// Of a run for which something is to be done.
    pub(crate) fn changed(run_id: RunId) -> Self {
        Self { changed: vec![(run_id, false)], ..Self::default() }
    }

    /// Of a new run.
    pub(crate) fn queued() -> Self {
        Self { queued: true, events: true, ..Self::default() }
    }

    /// Of workflow runs, and of the runs and events that come with them.
    pub(crate) fn of_workflows(queued: bool, events: bool, workflows: Vec<WorkflowRunId>) -> Self {
        Self { queued, events, workflows, ..Self::default() }
    }

    fn note(&mut self, run: &Run) {
        match run.status {
            Status::Pending => self.queued = true,
            Status::Claimed | Status::Running => {}
            status => self.changed.push((run.id.clone(), status.is_over())),
        }
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.queued |= other.queued;
        self.events |= other.events;
        self.changed.extend(other.changed);
        self.workflows.extend(other.workflows);
    }

    /// The notices that need not wait for the events.
    pub(super) fn notices(&self) -> impl Iterator<Item = Notice> {
        let changed =
            self.changed.iter().map(|(run_id, over)| Notice::Changed { run_id: run_id.clone(), over: *over });
        let workflows =
            self.workflows.iter().map(|id| Notice::WorkflowChanged { workflow_run_id: id.clone() });
        self.queued.then_some(Notice::Queued).into_iter().chain(changed).chain(workflows)
    }

    /// The texts that tell other processes, in the name of this one.
    pub(super) fn payloads(&self, from: &str) -> Vec<String> {
        let mut chunks: Vec<&[(RunId, bool)]> = self.changed.chunks(MOST_CHANGED).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let texts = chunks.iter().map(|changed| {
            let changed: Vec<Value> =
                changed.iter().map(|(run_id, over)| json!([run_id.as_str(), over])).collect();
            json!({"from": from, "queued": self.queued, "events": self.events, "changed": changed})
                .to_string()
        });
        let of_workflows = self.workflows.chunks(MOST_CHANGED).map(|workflows| {
            let empty = json!([]);
            json!({"from": from, "queued": false, "events": false, "changed": empty, "workflows": workflows})
                .to_string()
        });
        texts.chain(of_workflows).collect()
    }

    /// An announcement of another process; `None` for our own and for those that we do not
    /// understand.
    pub(super) fn heard(payload: &str, own_name: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(payload).ok()?;
        if value.get("from")?.as_str()? == own_name {
            return None;
        }
        let changed = value.get("changed")?.as_array()?.iter().filter_map(|pair| {
            let [run_id, over] = pair.as_array()?.as_slice() else { return None };
            Some((run_id.as_str()?.parse().ok()?, over.as_bool()?))
        });
        let workflows = value.get("workflows").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            queued: value.get("queued")?.as_bool()?,
            events: value.get("events")?.as_bool()?,
            changed: changed.collect(),
            workflows: workflows.filter_map(|id| id.as_str()?.parse().ok()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_reach_other_processes() {
        let changed: Vec<_> =
            (0..200).map(|number| (RunId::new(format!("{number:060}")), number % 2 == 0)).collect();
        let workflows = (0..200).map(|number| WorkflowRunId::new(format!("{number:060}"))).collect();
        let told = Announcement { queued: true, events: true, changed, workflows };
        let payloads = told.payloads("me");
        assert!(payloads.iter().all(|payload| payload.len() < 8000));
        let mut heard = Announcement::default();
        for payload in &payloads {
            assert_eq!(Announcement::heard(payload, "me"), None);
            heard.join(Announcement::heard(payload, "you").unwrap());
        }
        assert_eq!(heard, told);
        assert_eq!(Announcement::heard("hello", "you"), None);
    }
}
