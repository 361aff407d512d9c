//! The story of every store.

use std::sync::Arc;

use accord_store::Store;

use crate::make::Database;

async fn empty() -> (Arc<dyn Store>, Database) {
    let database = Database::start();
    (Arc::new(database.store().await), database)
}

accord_test_support::store_story!(empty);
