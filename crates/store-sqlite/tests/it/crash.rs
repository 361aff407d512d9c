//! A process that is killed during writes loses no acknowledged write.
#![expect(clippy::unwrap_used, reason = "a test whose process does not start has failed")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use accord_domain::id::KeyId;
use accord_domain::key::{Key, Role};
use accord_store::KeyStore;
use accord_store_sqlite::SqliteStore;

/// The database and name prefix of the process that will be killed.
const PLACE: &str = "ACCORD_TEST_CRASH";

/// The minimum number of writes before the kill.
const WRITTEN: usize = 150;

#[test]
fn a_killed_process_loses_nothing_acknowledged() {
    if let Ok(place) = std::env::var(PLACE) {
        let (round, path) = place.split_once(' ').unwrap();
        return write_until_killed(round, Path::new(path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("accord.db");
    let mut acknowledged = BTreeSet::new();
    for round in 0..3 {
        acknowledged.extend(killed(round, &path));
        let kept = kept(&path);
        let lost: Vec<_> = acknowledged.difference(&kept).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        assert_eq!(sound(&path), "ok");
    }
    assert!(acknowledged.len() >= 3 * WRITTEN);
}

/// The writes that a process acknowledged before it was killed.
fn killed(round: usize, path: &Path) -> Vec<String> {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::a_killed_process_loses_nothing_acknowledged", "--nocapture"])
        .env(PLACE, format!("{round} {}", path.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap());
    let mut written = Vec::new();
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        // The last line may be cut.
        written.extend(
            line.strip_prefix("written ").and_then(|name| name.strip_suffix('\n')).map(str::to_owned),
        );
        if written.len() == WRITTEN {
            process.kill().unwrap();
        }
        line.clear();
    }
    process.wait().unwrap();
    written
}

fn write_until_killed(round: &str, path: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let store = Arc::new(SqliteStore::open(path).unwrap());
    runtime.block_on(async {
        let mut writers = Vec::new();
        for writer in 0..8 {
            let (store, round) = (Arc::clone(&store), round.to_owned());
            writers.push(tokio::spawn(async move {
                for number in 0.. {
                    let name = format!("{round}-{writer}-{number}");
                    let created_at = jiff::Timestamp::UNIX_EPOCH;
                    let id = KeyId::new(&name);
                    let key = Key {
                        id,
                        name: name.clone(),
                        role: Role::Viewer,
                        hash: "0".repeat(500),
                        created_at,
                        expires_at: None,
                        last_used_at: None,
                    };
                    store.add_key(key).await.unwrap();
                    let mut output = std::io::stdout().lock();
                    // The pipe is closed: the test ended without killing this process.
                    if writeln!(output, "written {name}").is_err() {
                        return;
                    }
                }
            }));
        }
        for writer in writers {
            writer.await.unwrap();
        }
    });
}

fn kept(path: &Path) -> BTreeSet<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = SqliteStore::open(path).unwrap();
    let keys = runtime.block_on(store.keys()).unwrap();
    keys.into_iter().map(|key| key.name).collect()
}

fn sound(path: &Path) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap()
}
