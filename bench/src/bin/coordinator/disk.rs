//! What the disk can do: SQLite with full durability, one row for each caller in a commit.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::Connection;

/// How long it is measured.
const ROUND: Duration = Duration::from_secs(3);

/// About what one durable step of a cycle writes.
const ROW_BYTES: usize = 1024;

/// Commits a second, each with one row for every caller.
pub(crate) fn grouped_commits(folder: &Path, callers: usize) -> Result<f64> {
    let file = folder.join("disk.db");
    let connection = Connection::open(&file)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)")?;
    let body = "x".repeat(ROW_BYTES);
    let begun = Instant::now();
    let mut commits = 0_u32;
    while begun.elapsed() < ROUND {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for _ in 0..callers {
            connection.prepare_cached("INSERT INTO rows (body) VALUES (?1)")?.execute([&body])?;
        }
        connection.execute_batch("COMMIT")?;
        commits += 1;
    }
    let pace = f64::from(commits) / begun.elapsed().as_secs_f64();
    drop(connection);
    std::fs::remove_file(file)?;
    Ok(pace)
}
