//! The store that the configuration names: the only place that tells SQLite from PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use accord_store::{Store, StoreError};
use accord_store_postgres::PostgresStore;
use accord_store_sqlite::SqliteStore;
use rustix::fs::StatVfs;

use crate::config::{Config, Origin, without_secrets};
use crate::failure::{Failure, Problem};
use crate::project;

/// What a database address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DatabaseLocation {
    /// A SQLite file.
    File(PathBuf),
    /// SQLite in memory: gone with the process.
    Memory,
    /// A PostgreSQL server.
    Server(String),
}

/// The database file that this process has opened itself. If it fails, there is no other log that explains why.
static OPENED: OnceLock<PathBuf> = OnceLock::new();

/// The hint if the database that this process has opened fails; none for another process's.
pub(crate) fn failed() -> Option<Problem> {
    let path = OPENED.get()?;
    Some(full(path).unwrap_or_else(|| {
        Problem::new(format!("the database {} is unavailable", path.display()))
            .hint("run `accord doctor` to check it; the log of `accord up` shows the cause")
    }))
}

/// The room below which a disk is full: a commit takes some tens of KiB.
const LEAST_ROOM: u64 = 256 * 1024;

/// The problem if the disk of a file is full.
pub(crate) fn full(path: &Path) -> Option<Problem> {
    let folder = path.ancestors().skip(1).find(|folder| folder.exists())?;
    let message = format!("cannot write to the database {}: the disk is full", path.display());
    let hint = "free some space, or set database.url to a file on another disk";
    is_full(&rustix::fs::statvfs(folder).ok()?).then(|| Problem::new(message).hint(hint))
}

/// A file system without a disk, like /proc, has no blocks at all.
fn is_full(disk: &StatVfs) -> bool {
    disk.f_blocks > 0 && disk.f_bavail.saturating_mul(disk.f_frsize) < LEAST_ROOM
}

/// Opens the database of a project, and creates it if it is missing.
pub(crate) async fn local_store(config: &Config) -> Result<Arc<dyn Store>, Failure> {
    let place = place(config)?;
    if let DatabaseLocation::File(path) = &place {
        OPENED.get_or_init(|| path.clone());
    }
    let opened: Result<Arc<dyn Store>, StoreError> = match &place {
        DatabaseLocation::File(path) => {
            SqliteStore::open(path).map(|store| Arc::new(store) as Arc<dyn Store>)
        }
        DatabaseLocation::Memory => SqliteStore::in_memory().map(|store| Arc::new(store) as Arc<dyn Store>),
        DatabaseLocation::Server(url) => {
            PostgresStore::connect(url).await.map(|store| Arc::new(store) as Arc<dyn Store>)
        }
    };
    opened.map_err(|error| {
        let is_full = OPENED.get().and_then(|path| full(path));
        Failure::Remote(is_full.unwrap_or_else(|| {
            Problem::new(error.to_string()).hint("run `accord doctor` to see the configured database")
        }))
    })
}

/// The database of a project. If it does not exist, it is not created, and the store is empty.
pub(crate) async fn store_as_it_is(config: &Config) -> Result<Arc<dyn Store>, Failure> {
    if !is_to_be_made(config)? {
        return local_store(config).await;
    }
    match project::missing(&config.project) {
        // A database that is set explicitly is used from any folder.
        Some(problem) if config.origin("database.url") == Origin::Default => Err(problem.into()),
        _ => memory_store(),
    }
}

/// Whether opening the database would create a file. If that is impossible, the database is opened for the error.
pub(crate) fn is_to_be_made(config: &Config) -> Result<bool, Problem> {
    let is_missing = |path: &Path| fs::symlink_metadata(path).is_err() && in_the_way(path).is_none();
    Ok(matches!(place(config)?, DatabaseLocation::File(path) if is_missing(&path)))
}

/// Why a missing file cannot be created: it needs a writable folder.
pub(crate) fn in_the_way(path: &Path) -> Option<String> {
    let folder = path.ancestors().skip(1).find(|folder| fs::symlink_metadata(folder).is_ok());
    let about = folder.and_then(|folder| fs::metadata(folder).ok().map(|about| (folder, about)));
    match about {
        Some((folder, about)) if !about.is_dir() => Some(format!("{} is not a folder", folder.display())),
        Some((folder, about)) if about.permissions().readonly() => {
            Some(format!("{} is not writable", folder.display()))
        }
        Some(_) => None,
        None => Some("cannot read its folder".to_owned()),
    }
}

/// A store that is gone with the process.
pub(crate) fn memory_store() -> Result<Arc<dyn Store>, Failure> {
    let opened = SqliteStore::in_memory();
    opened
        .map(|store| Arc::new(store) as Arc<dyn Store>)
        .map_err(|error| Problem::new(error.to_string()).into())
}

/// Where the configured store is. Files are looked for from the project's folder.
pub(crate) fn place(config: &Config) -> Result<DatabaseLocation, Problem> {
    parse(&config.values.database.url, &config.project)
}

fn parse(url: &str, project: &Path) -> Result<DatabaseLocation, Problem> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(DatabaseLocation::Server(url.to_owned()));
    }
    match url.strip_prefix("sqlite:").map(|rest| rest.strip_prefix("//").unwrap_or(rest)) {
        Some(":memory:") => Ok(DatabaseLocation::Memory),
        Some(path) if !path.is_empty() && !path.contains('?') => {
            Ok(DatabaseLocation::File(project.join(path)))
        }
        _ => {
            // An address may hold a password, so only its beginning is repeated.
            let scheme = without_secrets(url.split(':').next().unwrap_or_default());
            let message = format!("invalid database URL '{scheme}:…' (database.url, --database)");
            Err(Problem::new(message)
                .hint("expected sqlite://FILE, sqlite::memory: or postgres://user@host/database"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_space_for_a_commit_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let disk = rustix::fs::statvfs(folder.path()).unwrap();
        for (blocks, free, expected) in
            [(9_000, 9_000, false), (9_000, 63, true), (9_000, 0, true), (0, 0, false)]
        {
            let disk = StatVfs { f_blocks: blocks, f_bavail: free, f_frsize: 4096, ..disk };
            assert_eq!(is_full(&disk), expected, "{free} of {blocks}");
        }
        assert!(full(&folder.path().join("not/there.db")).is_none(), "the disk of the tests has room");
    }

    #[test]
    fn an_address_names_a_file_a_memory_or_a_server() {
        let project = Path::new("/project");
        let cases = [
            ("sqlite://.accord/accord.db", DatabaseLocation::File("/project/.accord/accord.db".into())),
            ("sqlite:data.db", DatabaseLocation::File("/project/data.db".into())),
            ("sqlite:///var/accord.db", DatabaseLocation::File("/var/accord.db".into())),
            ("sqlite::memory:", DatabaseLocation::Memory),
            ("sqlite://:memory:", DatabaseLocation::Memory),
            ("postgres://me@host/db", DatabaseLocation::Server("postgres://me@host/db".into())),
            ("postgresql://host/db", DatabaseLocation::Server("postgresql://host/db".into())),
        ];
        for (url, expected) in cases {
            assert_eq!(parse(url, project).ok(), Some(expected), "{url}");
        }
        for url in [
            "",
            "sqlite:",
            "sqlite://",
            "mysql://me:secret@host/db",
            "postgres:me:secret@host/db",
            "secret@host/db",
            "accord.db",
            "sqlite://a.db?mode=ro",
        ] {
            let problem = format!("{:?}", parse(url, project).unwrap_err());
            assert!(!problem.contains("secret"), "{problem}");
        }
    }
}
