//! Database files: created, reopened, rejected.
#![expect(clippy::unwrap_used, reason = "a test that cannot have its file has failed")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use accord_domain::id::KeyId;
use accord_domain::key::{Key, Role};
use accord_store::{KeyStore, StoreError};
use accord_store_sqlite::SqliteStore;
use tempfile::TempDir;

fn place() -> (PathBuf, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (folder.path().join("accord.db"), folder)
}

fn key(name: &str) -> Key {
    let created_at = jiff::Timestamp::from_second(1_800_000_000).unwrap();
    let (role, hash) = (Role::Caller, "00".to_owned());
    let (id, name) = (KeyId::new(name), name.to_owned());
    Key { id, name, role, hash, created_at, expires_at: None, last_used_at: None }
}

async fn names(store: &SqliteStore) -> Vec<String> {
    store.keys().await.unwrap().into_iter().map(|key| key.name).collect()
}

fn refusal(path: &Path) -> String {
    SqliteStore::open(path).err().unwrap().to_string()
}

#[tokio::test]
async fn writes_survive_reopening() {
    let (path, _folder) = place();
    for number in 0..3 {
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(names(&store).await.len(), number);
        store.add_key(key(&number.to_string())).await.unwrap();
    }
}

#[tokio::test]
async fn closing_leaves_one_file() {
    let (path, folder) = place();
    let store = SqliteStore::open(&path).unwrap();
    store.add_key(key("a")).await.unwrap();
    assert_eq!(names(&store).await, ["a"]);
    drop(store);
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["accord.db"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pending_writes_are_written_on_drop() {
    let (path, _folder) = place();
    let store = Arc::new(SqliteStore::open(&path).unwrap());
    let mut adding = Vec::new();
    for number in 0..50 {
        let store = Arc::clone(&store);
        adding.push(tokio::spawn(async move { store.add_key(key(&format!("{number:02}"))).await }));
    }
    drop(store);
    for added in adding {
        added.await.unwrap().unwrap();
    }
    let expected: Vec<_> = (0..50).map(|number| format!("{number:02}")).collect();
    let mut kept = names(&SqliteStore::open(&path).unwrap()).await;
    kept.sort();
    assert_eq!(kept, expected);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_access_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not/there/yet/accord.db");
    let store = SqliteStore::open(&path).unwrap();
    store.add_key(key("a")).await.unwrap();
    for name in ["accord.db", "accord.db-wal"] {
        let mode = std::fs::metadata(path.with_file_name(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[tokio::test]
async fn two_stores_share_a_file() {
    let (path, _folder) = place();
    let one = SqliteStore::open(&path).unwrap();
    let two = SqliteStore::open(&path).unwrap();
    one.add_key(key("a")).await.unwrap();
    two.add_key(key("b")).await.unwrap();
    one.add_key(key("c")).await.unwrap();
    assert_eq!(names(&one).await, ["a", "b", "c"]);
    drop(one);
    assert_eq!(names(&two).await, ["a", "b", "c"]);
    two.add_key(key("d")).await.unwrap();
}

#[tokio::test]
async fn many_can_create_the_same_file_at_once() {
    let (path, _folder) = place();
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || SqliteStore::open(path))
        })
        .collect();
    for opened in opening {
        opened.join().unwrap().unwrap();
    }
}

#[test]
fn a_newer_database_is_rejected() {
    let (path, _folder) = place();
    drop(SqliteStore::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 1000).unwrap();
    drop(connection);
    let message = refusal(&path);
    assert!(message.contains("newer version of Accord") && message.contains("1000"), "{message}");
}

#[test]
fn a_database_of_another_program_is_rejected() {
    let (path, _folder) = place();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE runs (mine TEXT)").unwrap();
    drop(connection);
    let message = refusal(&path);
    assert!(message.contains("another program"), "{message}");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1, "nothing was added to it");
}

#[test]
fn rejects_files_that_are_not_databases() {
    let (path, folder) = place();
    std::fs::write(&path, "not a database, but long enough to be looked at as if it were one").unwrap();
    let error = SqliteStore::open(&path).err().unwrap();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error}");
    let message = refusal(folder.path());
    assert!(message.contains(&*folder.path().to_string_lossy()), "{message}");
    let message = refusal(&path.join("below/a/file.db"));
    assert!(message.contains("accord.db"), "{message}");
}

#[tokio::test]
async fn a_damaged_or_empty_file_is_refused_with_what_to_do() {
    let (path, _folder) = place();
    let store = SqliteStore::open(&path).unwrap();
    for number in 0..300 {
        let name = format!("{number}-{}", "k".repeat(500));
        store.add_key(Key { name, ..key(&number.to_string()) }).await.unwrap();
    }
    drop(store);
    let sound = std::fs::read(&path).unwrap();
    let pages = sound.len() / 4096;
    let mut refused = 0;
    for page in 1..pages {
        let mut damaged = sound.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xA7);
        std::fs::write(&path, &damaged).unwrap();
        let text = refusal(&path);
        assert!(text.contains("restore a backup") && text.contains(".recover"), "page {page}: {text}");
        assert!(SqliteStore::examine(&path).is_err(), "page {page}");
        refused += 1;
    }
    assert!(refused > 50, "{refused} pages");
    for content in [&b""[..], &sound[..sound.len() / 2]] {
        std::fs::write(&path, content).unwrap();
        assert!(refusal(&path).contains("restore a backup"), "{} bytes", content.len());
        assert_eq!(std::fs::read(&path).unwrap().len(), content.len(), "nothing is written to it");
    }
    std::fs::write(&path, &sound).unwrap();
    assert_eq!(names(&SqliteStore::open(&path).unwrap()).await.len(), 300);
}

#[tokio::test]
async fn memory_is_gone_with_the_store() {
    let store = SqliteStore::open(":memory:").unwrap();
    store.add_key(key("a")).await.unwrap();
    assert_eq!(names(&store).await, ["a"]);
    let other = SqliteStore::in_memory().unwrap();
    assert_eq!(names(&other).await, Vec::<String>::new());
    assert!(!Path::new(":memory:").exists());
}
