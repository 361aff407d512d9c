//! The audit log.

use std::sync::Arc;

use accord_domain::audit::{Actor, Entry};
use accord_domain::id::KeyId;
use accord_store::{AuditFilter, PageRequest, Store, StoreError};

use super::make::*;

fn entry(seconds: i64, action: &str, actor: Actor) -> Entry {
    Entry {
        at: at(seconds),
        actor,
        action: action.to_owned(),
        object: Some(format!("object {seconds}")),
        hash: None,
        address: None,
        forwarded_for: None,
    }
}

fn key(name: &str) -> Actor {
    Actor::Key { key_id: KeyId::new(name), name: format!("für {name}\0") }
}

async fn listed(store: &Arc<dyn Store>, filter: AuditFilter) -> Vec<Entry> {
    let page = PageRequest { limit: 100, cursor: None };
    let page = store.audit(&filter, &page).await.unwrap();
    assert_eq!(page.next, None);
    page.items
}

/// Entries are stored completely and listed newest first, in pages.
pub async fn audit_entries_are_kept(store: Arc<dyn Store>) {
    let whole = Entry {
        hash: Some("abc".into()),
        address: Some("192.0.2.1".into()),
        forwarded_for: Some("2001:db8::1".into()),
        ..entry(1, "agent.updated", key("a"))
    };
    let bare = Entry { object: None, ..entry(2, "agent.file_changed", Actor::FileSystem) };
    let others = [Actor::Open, Actor::CommandLine, Actor::Run { run_id: run_id("r") }];
    let others = (3..).zip(others).map(|(second, actor)| entry(second, "run.stopped", actor));
    let mut entries = vec![whole, bare];
    entries.extend(others);
    for entry in &entries {
        store.add_audit(entry.clone()).await.unwrap();
    }
    entries.reverse();
    assert_eq!(listed(&store, AuditFilter::default()).await, entries);

    let (mut paged, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageRequest { limit: 2, cursor };
        let page = store.audit(&AuditFilter::default(), &page).await.unwrap();
        assert!(page.items.len() <= 2);
        paged.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, entries);
    let made_up = PageRequest { limit: 2, cursor: Some("x".into()) };
    let refused = store.audit(&AuditFilter::default(), &made_up).await;
    assert!(matches!(refused, Err(StoreError::NoSuch { kind: "cursor", .. })));
}

/// Entries are found by time, by actor and by action.
pub async fn audit_entries_are_filtered(store: Arc<dyn Store>) {
    let entries = [
        entry(1, "key.created", key("a")),
        entry(2, "key.deleted", key("b")),
        entry(3, "keyring.created", Actor::Run { run_id: run_id("r") }),
        entry(4, "agent.created", Actor::Open),
    ];
    for entry in &entries {
        store.add_audit(entry.clone()).await.unwrap();
    }
    let by_actor = |actor: &str| AuditFilter { actor: Some(actor.into()), ..AuditFilter::default() };
    let by_action = |action: &str| AuditFilter { action: Some(action.into()), ..AuditFilter::default() };
    let cases: Vec<(AuditFilter, &[i64])> = vec![
        (AuditFilter { since: Some(at(3)), ..AuditFilter::default() }, &[4, 3]),
        (by_actor("key_a"), &[1]),
        (by_actor("für b\0"), &[2]),
        (by_actor("run_r"), &[3]),
        (by_actor("key"), &[2, 1]),
        (by_actor("nobody"), &[]),
        (by_action("key"), &[2, 1]),
        (by_action("key.created"), &[1]),
        (by_action("ke%"), &[]),
        (AuditFilter { actor: Some("key_b".into()), ..by_action("key") }, &[2]),
    ];
    for (filter, expected) in cases {
        let found = listed(&store, filter.clone()).await;
        assert_eq!(
            found.iter().map(|entry| entry.at).collect::<Vec<_>>(),
            expected.iter().map(|second| at(*second)).collect::<Vec<_>>(),
            "{filter:?}"
        );
    }
}

/// Old entries are removed; the others stay.
pub async fn old_audit_entries_are_forgotten(store: Arc<dyn Store>) {
    for second in 1..=3 {
        store.add_audit(entry(second, "key.created", Actor::Open)).await.unwrap();
    }
    store.forget_audit(at(2)).await.unwrap();
    let left = listed(&store, AuditFilter::default()).await;
    assert_eq!(left, [entry(3, "key.created", Actor::Open), entry(2, "key.created", Actor::Open)]);
    store.add_audit(entry(4, "key.created", Actor::Open)).await.unwrap();
    assert_eq!(listed(&store, AuditFilter::default()).await.len(), 3);
}
