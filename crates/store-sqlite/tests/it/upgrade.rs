//! Databases of earlier versions: opened, migrated, and used.
//!
//! `upgrade/tables_N.sql` is an SQL dump of version N of the tables after a few runs. A
//! release that adds a migration adds a file.
#![expect(clippy::unwrap_used, reason = "a test that cannot have its file has failed")]

use std::sync::Arc;

use accord_domain::id::{LeaseId, RunnerId};
use accord_domain::run::Status;
use accord_domain::runner::Profile;
use accord_store::{Claim, Defined, FactFilter, PageRequest, RunFilter, Store, WorkflowRunFilter};
use accord_store_sqlite::SqliteStore;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

const WRITTEN: &[(&str, &str)] = &[("7", include_str!("upgrade/tables_7.sql"))];

fn opened(sql: &str) -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("accord.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    (Arc::new(SqliteStore::open(&path).unwrap()), folder)
}

fn all() -> PageRequest {
    PageRequest { limit: 100, cursor: None }
}

#[tokio::test]
async fn reads_databases_of_an_earlier_version() {
    for (version, sql) in WRITTEN {
        let (store, _folder) = opened(sql);
        let keys: Vec<String> = store.keys().await.unwrap().into_iter().map(|key| key.name).collect();
        assert_eq!(keys, ["ops"], "{version}");
        let runs = store.runs(&RunFilter::default(), &all()).await.unwrap().items;
        let statuses: Vec<Status> = runs.iter().map(|run| run.status).collect();
        assert_eq!(statuses, [Status::Pending, Status::Completed, Status::Completed], "{version}");
        let first = store.whole_run(&runs[2].id).await.unwrap();
        let data = first.outcome.unwrap().result_data;
        assert_eq!(data.as_deref(), Some(r#"{"count":2.50}"#), "{version}");
        assert_eq!(store.attempts(&runs[2].id).await.unwrap().len(), 1, "{version}");
        assert_eq!(store.last_event().await.unwrap().to_string(), "evt_0000000000000000025", "{version}");
        let schemas = store.schemas(&all()).await.unwrap().items;
        assert_eq!(
            schemas.into_iter().map(|schema| schema.name).collect::<Vec<_>>(),
            ["report"],
            "{version}"
        );
        let agents = store.definitions(Defined::Agent).await.unwrap();
        assert_eq!(agents.into_iter().map(|agent| agent.name).collect::<Vec<_>>(), ["stored"], "{version}");
        let workflow_runs = store.workflow_runs(&WorkflowRunFilter::default(), &all()).await.unwrap().items;
        let names: Vec<&str> = workflow_runs.iter().map(|run| run.workflow_name.as_str()).collect();
        assert_eq!(names, ["plain"], "{version}");
        store.workflow_documents(&workflow_runs[0].id).await.unwrap();
    }
}

#[tokio::test]
async fn runs_queued_by_an_earlier_version_are_claimed() {
    for (version, sql) in WRITTEN {
        let (store, _folder) = opened(sql);
        let now: Timestamp = "2026-11-18T00:00:00Z".parse().unwrap();
        let profile = Profile {
            hostname: "host".into(),
            project_dir: "/project".into(),
            executor_types: ["process".to_owned()].into(),
            held_executor_types: Default::default(),
            tags: ["gpu".to_owned()].into(),
            concurrency: 1,
            version: "0.1.0".into(),
        };
        let claim = Claim {
            runner_id: RunnerId::new("r"),
            profile,
            leases: vec![LeaseId::new("l")],
            lease: SignedDuration::from_secs(30),
            starts: false,
            now,
        };
        let claimed = store.claim_runs(claim).await.unwrap().pop().unwrap();
        assert_eq!(claimed.assignment.parameters, r#"{"prompt":"waits"}"#, "{version}");
        let lost = store.reap(now + SignedDuration::from_secs(60), 3, 10).await.unwrap();
        assert_eq!(lost.len(), 1, "{version}");
        let stopped = store.stop_run(&claimed.run.id, now + SignedDuration::from_secs(61)).await.unwrap();
        assert_eq!(stopped.status, Status::Stopped, "{version}");
    }
}

#[tokio::test]
async fn facts_of_an_earlier_version_become_evidence() {
    let learned = "INSERT INTO facts (model, endpoint, feature, verdict, at) VALUES \
                   ('m', 'e', 'native', 'works', 1), ('m', 'e', 'tool', 'refused', 2), ('m', 'e', 'forced_tool', 'ignored', 3);";
    for (version, sql) in WRITTEN {
        let (store, _folder) = opened(&format!("{sql}\n{learned}"));
        let facts = store.facts(&FactFilter::default()).await.unwrap();
        let weights: Vec<_> =
            facts.iter().map(|fact| (&*fact.feature, fact.evidence.good, fact.evidence.bad)).collect();
        assert_eq!(weights, [("native", 1.0, 0.0), ("tool", 0.0, 12.0)], "{version}");
    }
}
