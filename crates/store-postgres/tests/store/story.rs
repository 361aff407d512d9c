//! The story of every store.

use std::sync::Arc;

use accord_store::Store;
use accord_store_postgres::PostgresStore;
use accord_test_support::PostgresCluster;

/// An empty database of the cluster that a chapter shares.
async fn empty() -> (Arc<dyn Store>, ()) {
    let cluster = PostgresCluster::shared().expect("a cluster");
    let url = cluster.fresh_database().expect("a database");
    (Arc::new(PostgresStore::connect(&url).await.expect("a store")), ())
}

accord_test_support::store_story!(chapters empty);
