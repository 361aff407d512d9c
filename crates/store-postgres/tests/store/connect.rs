//! Connecting.

use accord_store::{StoreError, Upkeep};
use accord_store_postgres::PostgresStore;

use crate::make::Database;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_start_at_once() {
    let database = Database::start();
    let starting: Vec<_> = (0..4)
        .map(|_| {
            let url = database.url.clone();
            tokio::spawn(async move { PostgresStore::connect(&url).await })
        })
        .collect();
    for store in starting {
        store.await.unwrap().unwrap().ping().await.unwrap();
    }
}

#[tokio::test]
async fn the_tables_of_a_newer_version_are_left_alone() {
    let database = Database::start();
    drop(database.store().await);
    let mut connection = database.connection().await;
    sqlx::query("INSERT INTO accord_migrations (version) VALUES (1000)")
        .execute(&mut connection)
        .await
        .unwrap();
    let refused = PostgresStore::connect(&database.url).await.unwrap_err();
    let refused = refused.to_string();
    let text = "the store cannot be used now: the database is at version 1000 and this program knows ";
    assert!(refused.starts_with(text) && refused.ends_with("; use a newer program"), "{refused}");
}

#[tokio::test]
async fn a_database_that_cannot_hold_every_text_is_refused() {
    let database = Database::start();
    let mut connection = database.connection().await;
    sqlx::query("CREATE DATABASE narrow ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        .execute(&mut connection)
        .await
        .unwrap();
    let refused = PostgresStore::connect(&database.cluster.url("narrow")).await.unwrap_err();
    assert!(refused.to_string().contains("encoding is LATIN1"), "{refused}");
}

#[tokio::test]
async fn no_error_shows_the_password() {
    let database = Database::start();
    let port = database.cluster.port();
    let addresses = [
        format!("postgres://nobody:hunter2@127.0.0.1:{port}/none"),
        format!("postgres://nobody:hunter2@127.0.0.1:{port}/none?sslmode=hunter"),
        "postgres://nobody:hunter2@127.0.0.1:99999/none".to_owned(),
        "postgres//nobody:hunter2@127.0.0.1".to_owned(),
    ];
    for address in addresses {
        let refused = PostgresStore::connect(&address).await.unwrap_err();
        assert!(matches!(refused, StoreError::Unavailable(_)), "{refused:?}");
        assert!(!format!("{refused} {refused:?}").contains("hunter2"), "{refused:?}");
    }
    let address = database.url.replace("postgres@", "postgres:hunter2@");
    let store = PostgresStore::connect(&address).await.unwrap();
    assert_eq!(format!("{store:?}"), "PostgresStore { .. }");
}
