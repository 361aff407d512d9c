//! The story of a store, on a file and in memory.
#![expect(clippy::unwrap_used, reason = "a test that cannot have a store has failed")]

use std::sync::Arc;

use accord_store::Store;
use accord_store_sqlite::SqliteStore;
use tempfile::TempDir;

mod file {
    use super::*;

    async fn store() -> (Arc<dyn Store>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("accord.db")).unwrap();
        (Arc::new(store), folder)
    }

    accord_test_support::store_story!(store);
}

mod memory {
    use super::*;

    async fn store() -> (Arc<dyn Store>, ()) {
        (Arc::new(SqliteStore::in_memory().unwrap()), ())
    }

    accord_test_support::store_story!(store);
}
