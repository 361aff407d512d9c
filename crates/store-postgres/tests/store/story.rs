//! The story of every store.

use std::sync::{Arc, OnceLock};

use accord_store::Store;
use accord_store_postgres::PostgresStore;

use crate::make::Database;

/// An empty database of the cluster that a chapter shares. The cluster ends with the process.
async fn empty() -> (Arc<dyn Store>, ()) {
    static SHARED: OnceLock<Database> = OnceLock::new();
    let cluster = &SHARED.get_or_init(Database::start).cluster;
    let url = cluster.fresh_database().expect("a database");
    (Arc::new(PostgresStore::connect(&url).await.expect("a store")), ())
}

accord_test_support::store_story!(chapters empty);
