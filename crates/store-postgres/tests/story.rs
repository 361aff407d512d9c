//! The story of every store, on PostgreSQL.
#![expect(clippy::expect_used, reason = "a test that cannot have its database ends, and says why")]

use std::sync::Arc;

use accord_store::Store;
use accord_store_postgres::PostgresStore;
use accord_test_support::{PostgresCluster, PostgresOptions};

/// An empty store. Runners of tests give every test a process of its own, so the cluster is this test's too; it dies
/// with the test, so nothing needs to reach the disk.
async fn empty() -> (Arc<dyn Store>, PostgresCluster) {
    let options = PostgresOptions { without_fsync: true };
    let cluster = PostgresCluster::start_with(options).expect("a cluster");
    let url = cluster.fresh_database().expect("a database");
    let store = PostgresStore::connect(&url).await.expect("a store");
    (Arc::new(store), cluster)
}

accord_test_support::store_story!(empty);
