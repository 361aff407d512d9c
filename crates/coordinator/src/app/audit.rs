//! The audit log: who changed what. Each entry goes to the store and, as one line, to the log.

use std::sync::Arc;

use accord_api::{AuditQuery, AuditView, Page};
use accord_domain::audit::{Actor, Entry};
use accord_store::{AuditFilter, AuditStore};
use jiff::{SignedDuration, Timestamp};

use super::Caller;
use super::page::List;
use crate::error::Error;
use crate::outside::Outside;

/// How long entries are kept: a year, and the weeks that a yearly review of it takes.
const KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);

const LIST: List = List("audit");

impl Caller {
    /// The caller as an actor in the audit log.
    pub(crate) fn actor(&self) -> Actor {
        let key = self.requested_by.as_ref();
        match (&self.run, &self.key_id) {
            (Some(acting), _) => Actor::Run { run_id: acting.run_id.clone() },
            (None, None) => Actor::Open,
            (None, Some(key_id)) => match key.and_then(|key| key.key_name.clone()) {
                Some(name) => Actor::Key { key_id: key_id.clone(), name },
                // A key of this process: a command that has opened the store itself.
                None => Actor::CommandLine,
            },
        }
    }
}

pub(crate) struct Audit {
    pub(super) store: Arc<dyn AuditStore>,
    pub(super) outside: Arc<dyn Outside>,
}

impl Audit {
    /// Adds an entry. The log has it also where the store does not take it.
    pub(crate) async fn add(&self, entry: Entry) -> Result<(), Error> {
        log(&entry);
        Ok(self.store.add_audit(entry).await?)
    }

    pub(crate) async fn list(&self, query: AuditQuery) -> Result<Page<AuditView>, Error> {
        let AuditQuery { since, actor, action, limit, cursor } = query;
        let request = LIST.request(limit, cursor)?;
        let filter = AuditFilter { since, actor, action };
        Ok(LIST.view(self.store.audit(&filter, &request).await?, view))
    }

    pub(super) async fn forget(&self) -> Result<(), Error> {
        let before = self.outside.now().checked_sub(KEPT).unwrap_or(Timestamp::MIN);
        Ok(self.store.forget_audit(before).await?)
    }
}

fn view(entry: Entry) -> AuditView {
    let Entry { at, actor, action, object, hash, address, forwarded_for } = entry;
    AuditView { at, actor, action, object, hash, address, forwarded_for }
}

fn log(entry: &Entry) {
    tracing::info!(
        target: "audit",
        action = entry.action,
        object = entry.object,
        hash = entry.hash,
        actor = entry.actor.kind(),
        actor_id = entry.actor.id(),
        actor_name = entry.actor.name(),
        address = entry.address,
        forwarded_for = entry.forwarded_for,
        "change"
    );
}
