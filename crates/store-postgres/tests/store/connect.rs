//! Connecting.

use std::time::Duration;

use accord_store::{RunStore, StoreError, Upkeep};
use accord_store_postgres::PostgresStore;
use sqlx::Connection;
use tokio::time::timeout;

use crate::make::{Database, fresh};

/// Far longer than it takes to replace broken connections, and shorter than the test runner's
/// limit.
const PATIENCE: Duration = Duration::from_secs(30);

const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'accord'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_stores_can_start_at_once() {
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
    let text =
        "the database is unavailable: the database has schema version 1000, but this program supports ";
    assert!(refused.starts_with(text) && refused.ends_with("; use a newer version of Accord"), "{refused}");
}

#[tokio::test]
async fn examine_reports_why_migration_would_fail() {
    let database = Database::start();
    let mut connection = database.connection().await;
    for statement in [
        "CREATE ROLE guest LOGIN",
        "CREATE DATABASE foreign_tables",
        "CREATE DATABASE read_only",
        "ALTER DATABASE read_only SET default_transaction_read_only = on",
        "CREATE DATABASE not_ours",
    ] {
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    }
    let foreign = database.cluster.url("foreign_tables");
    let mut there = sqlx::PgConnection::connect(&foreign).await.unwrap();
    sqlx::query("CREATE TABLE runs (id integer)").execute(&mut there).await.unwrap();
    let not_ours = database.cluster.url("not_ours");
    let mut there = sqlx::PgConnection::connect(&not_ours).await.unwrap();
    sqlx::query("REVOKE CREATE ON SCHEMA public FROM PUBLIC").execute(&mut there).await.unwrap();
    let guest = format!("postgres://guest@127.0.0.1:{}/not_ours", database.cluster.port());
    for (address, expected) in [
        (foreign, "does not belong to Accord"),
        (database.cluster.url("read_only"), "is read-only"),
        (guest, "GRANT CREATE"),
    ] {
        for refused in [
            PostgresStore::examine(&address).await.map(drop),
            PostgresStore::connect(&address).await.map(drop),
        ] {
            let refused = refused.unwrap_err();
            assert!(matches!(refused, StoreError::Unavailable(_)), "{refused:?}");
            assert!(refused.to_string().contains(expected), "{refused}");
        }
    }
    PostgresStore::examine(&database.url).await.unwrap();
    let untouched = sqlx::query_scalar("SELECT to_regclass('runs') IS NULL").fetch_one(&mut connection).await;
    assert!(matches!(untouched, Ok(true)), "a look changes nothing: {untouched:?}");
}

#[tokio::test]
async fn a_database_that_turned_read_only_or_empty_is_not_ready() {
    let database = Database::start();
    let store = database.store().await;
    store.ping().await.unwrap();
    let mut connection = database.connection().await;
    for (statement, expected) in [
        ("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on", "is read-only"),
        ("DROP SCHEMA public CASCADE", "are missing"),
    ] {
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        sqlx::query(CUT).execute(&mut connection).await.unwrap();
        let noticing = async {
            loop {
                match store.ping().await {
                    Err(error) if error.to_string().contains(expected) => return error,
                    _ => tokio::task::yield_now().await,
                }
            }
        };
        let refused = timeout(PATIENCE, noticing).await.expect(expected);
        assert!(matches!(refused, StoreError::Unavailable(_)), "{refused:?}");
        sqlx::raw_sql("ALTER ROLE CURRENT_USER RESET default_transaction_read_only")
            .execute(&mut connection)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_database_that_accepts_writes_again_is_used_again() {
    let database = Database::start();
    let store = database.store().await;
    let mut connection = database.connection().await;
    for (statement, is_ready) in [
        ("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on", false),
        // Open connections keep the old setting.
        ("ALTER ROLE CURRENT_USER RESET default_transaction_read_only", true),
    ] {
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        if !is_ready {
            sqlx::query(CUT).execute(&mut connection).await.unwrap();
        }
        let noticing = async {
            while store.ping().await.is_ok() != is_ready {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, noticing).await.expect(statement);
    }
    // Some connections may still have the old setting; the next ones are then tried.
    let writing = async { while store.submit_run(fresh("after")).await.is_err() {} };
    timeout(PATIENCE, writing).await.expect("something is written");
}

#[tokio::test]
async fn a_full_database_is_not_ready() {
    let database = Database::start();
    let store = database.store().await;
    store.ping().await.unwrap();
    let mut connection = database.connection().await;
    // PostgreSQL reports this error if a table cannot grow.
    let full = "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE disk_full USING MESSAGE = 'could not extend file: No space left on device'; END $$;
        CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION no_room()";
    sqlx::raw_sql(full).execute(&mut connection).await.unwrap();
    let ready = store.ping().await;
    let is_told = matches!(&ready, Err(StoreError::Unavailable(cause)) if cause.contains("No space left"));
    assert!(is_told, "{ready:?}");
    sqlx::raw_sql("DROP TRIGGER no_room ON idempotency_keys").execute(&mut connection).await.unwrap();
    store.ping().await.unwrap();
}

#[tokio::test]
async fn a_database_without_utf8_is_rejected() {
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
async fn an_unreachable_server_is_named_with_the_cause() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("postgres://nobody:hunter2@127.0.0.1:{free}/none");
    let refused = PostgresStore::connect(&address).await.unwrap_err().to_string();
    let place = format!("127.0.0.1:{free}; is PostgreSQL running");
    assert!(refused.contains("Connection refused") && refused.contains(&place), "{refused}");
    assert!(!refused.contains("hunter2"), "{refused}");
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
