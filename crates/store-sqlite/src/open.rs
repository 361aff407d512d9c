//! Connections, and the file that they are to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use accord_store::{PoisonedCount, StoreError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{DbError, DbResult, of_database};
use crate::migrate::{is_current, migrate, recognise};
use crate::opened::log_of;
use crate::poisoned;

/// How long to wait for another process that writes to the same file: its transactions take milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Statements kept ready on each connection: more than there are different ones in the crate.
const STATEMENTS: usize = 128;

/// What the write-ahead log is cut back to after a burst, in bytes.
const LOG_LIMIT: i64 = 64 * 1024 * 1024;

/// Pages in the write-ahead log before they are carried into the database. Hot pages change in every commit: four times
/// SQLite's own number carries them a quarter as often, and keeps the log at 16 MiB.
const LOG_PAGES: i64 = 4000;

/// How long the pages are checked at the start. A file of 268 MB took 0.8 seconds.
const CHECK_TIME: Duration = Duration::from_secs(2);

/// How long closing waits for reads in progress.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// Pages kept in memory by the writer, in KiB (SQLite reads a negative number so): those that every run changes.
const WRITER_CACHE_KIB: i64 = -16 * 1024;

/// And by each reader: little, because a commit makes all of it stale.
const READER_CACHE_KIB: i64 = -2 * 1024;

/// The files that this process has made.
static MADE: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone)]
pub(crate) enum DatabaseLocation {
    File(PathBuf),
    /// In the writer's memory.
    Memory,
}

/// The connection that writes, to a database that is up to date.
pub(crate) fn writing(location: &DatabaseLocation) -> Result<Connection, StoreError> {
    let opened = match location {
        DatabaseLocation::File(path) => {
            prepare_file(path).map_err(DbError::from).and_then(|()| open_writing(path))
        }
        DatabaseLocation::Memory => open_memory(),
    };
    opened.map_err(|fault| match location {
        DatabaseLocation::File(path) => located(fault.into(), path),
        DatabaseLocation::Memory => fault.into(),
    })
}

/// An error that names its file.
fn located(error: StoreError, path: &Path) -> StoreError {
    match error {
        StoreError::Unavailable(cause) if !cause.contains(&*path.to_string_lossy()) => {
            StoreError::Unavailable(format!("{}: {cause}", path.display()))
        }
        StoreError::Corrupt(cause) => StoreError::Corrupt(format!(
            "{0}: {cause}; restore a backup, save what can be read with `sqlite3 {0} .recover`, or move the file away to start with a \
             new one",
            path.display()
        )),
        error => error,
    }
}

/// Checks whether an existing database could be opened, without changing anything.
pub(crate) fn examine(path: &Path) -> Result<PoisonedCount, StoreError> {
    let examine = || -> DbResult<PoisonedCount> {
        fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(|error| StoreError::Unavailable(format!("cannot write {}: {error}", path.display())))?;
        not_empty(path)?;
        let connection = looking(path)?;
        check_pages(&connection, path)?;
        // Tables of an older version know nothing of it.
        match is_current(recognise(&connection, path)?) {
            true => poisoned::count(&connection),
            false => Ok(PoisonedCount::default()),
        }
    };
    examine().map_err(|error| located(error.into(), path))
}

/// Even a connection that only reads makes files beside a database with a log. One without a log is at rest: nothing can
/// change it, and the flag `immutable` says so to SQLite.
fn looking(path: &Path) -> DbResult<Connection> {
    if log_of(path).exists() {
        return reading(path);
    }
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?)
}

fn open_writing(path: &Path) -> DbResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    use_log(&connection)?;
    // An acknowledged write survives a power cut: the log is synced at each commit.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", LOG_LIMIT)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    tune(&connection, WRITER_CACHE_KIB)?;
    check_pages(&connection, path)?;
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Checks the structure of every page, for a few seconds at most: a large file must not delay the start for long, and what is damaged
/// further on is found when it is read. Not only after a crash: a disk or a copy can damage a file that was closed.
fn check_pages(connection: &Connection, path: &Path) -> DbResult<()> {
    let handle = connection.get_interrupt_handle();
    let (finished, waiting) = mpsc::channel::<()>();
    let clock = thread::spawn(move || {
        if waiting.recv_timeout(CHECK_TIME) == Err(mpsc::RecvTimeoutError::Timeout) {
            handle.interrupt();
        }
    });
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    drop(finished);
    // It only waits.
    clock.join().ok();
    match found {
        Ok(problem) if problem != "ok" => {
            Err(StoreError::Corrupt(problem.lines().collect::<Vec<_>>().join(" ")).into())
        }
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            let seconds = CHECK_TIME.as_secs();
            tracing::info!(path = %path.display(), "the database is large: its first part was checked, for {seconds} seconds");
            Ok(())
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// An empty file is never one that Accord made: what was in it is lost, and starting would hide that.
fn not_empty(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() && about.len() == 0 => {
            Err(StoreError::Corrupt("the file is empty".to_owned()))
        }
        _ => Ok(()),
    }
}

fn open_memory() -> DbResult<Connection> {
    let mut connection = Connection::open_in_memory()?;
    tune(&connection, WRITER_CACHE_KIB)?;
    migrate(&mut connection, Path::new(":memory:"))?;
    Ok(connection)
}

/// A connection that only reads.
pub(crate) fn reading(path: &Path) -> DbResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    tune(&connection, READER_CACHE_KIB)?;
    Ok(connection)
}

fn tune(connection: &Connection, cache_kib: i64) -> DbResult<()> {
    // A statement is planned once, and not again for every set of parameters.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "cache_size", cache_kib)?;
    // What savepoints set aside must not go to a file: there is one for each use case.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(())
}

/// Switches to the write-ahead log. SQLite does not wait for a lock here, so two processes that make the same file at
/// the same time need patience of our own.
fn use_log(connection: &Connection) -> DbResult<()> {
    let patience = Instant::now();
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let message =
                    format!("the file system does not support a write-ahead log (journal mode '{mode}')");
                return Err(StoreError::Unavailable(message).into());
            }
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && patience.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::yield_now();
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Makes the folder and a database that only its owner reads: answers of models are private. SQLite gives the log beside it the same
/// mode. It is made under another name first, so that an empty file is never one of ours.
fn prepare_file(path: &Path) -> Result<(), StoreError> {
    let cannot = |what: &str, path: &Path, error: std::io::Error| {
        StoreError::Unavailable(format!("cannot {what} {}: {error}", path.display()))
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| cannot("create the folder", folder, error))?;
    }
    if fs::symlink_metadata(path).is_ok() {
        return not_empty(path);
    }
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".new-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed)));
    let new = PathBuf::from(new);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&new).map_err(|error| cannot("make", path, error))?;
    let made = make_empty(&new).map_err(StoreError::from).and_then(|()| {
        match fs::hard_link(&new, path) {
            // Another process was faster.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            // Not every file system has links.
            Err(_) => fs::rename(&new, path).map_err(|error| cannot("make", path, error)),
            Ok(()) => Ok(()),
        }
    });
    fs::remove_file(&new).ok();
    made.and_then(|()| sync_folder(path).map_err(|error| cannot("sync the folder of", path, error)))
}

/// Writes the first page of a database without tables.
fn make_empty(path: &Path) -> DbResult<()> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("VACUUM")?;
    Ok(())
}

/// A file survives a power cut only if its folder does with it.
#[cfg(unix)]
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Elsewhere folders cannot be opened, and need not be.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Writes the log into the database and empties it, so that one file is all there is to copy.
pub(crate) fn checkpoint(connection: &Connection) -> Result<(), StoreError> {
    connection
        .busy_timeout(LAST_WAIT)
        .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
        .map_err(|error| of_database(&error))
}
