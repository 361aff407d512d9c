//! The files that were opened, and whether their names still lead to them.
//!
//! A file that is removed or replaced while it is open can still be written to, but its content is gone when the process
//! exits. So the database and its log are checked before each commit, which costs little compared with a sync of the disk.

use std::path::{Path, PathBuf};

use crate::error::CommitError;

/// A database that is open, with its log.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    database: File,
    log: File,
}

impl Opened {
    /// The files that the name of a database leads to now.
    pub(crate) fn at(path: &Path) -> Self {
        Self { database: File::at(path.to_owned()), log: File::at(log_of(path)) }
    }

    /// Whether the names still lead to them.
    pub(crate) fn check(&self) -> Result<(), CommitError> {
        self.database.check("restore the file, or restart Accord")?;
        self.log.check(
            "stop Accord with SIGTERM and start it again, which keeps all acknowledged data; a crash would lose it",
        )
    }
}

/// The write-ahead log beside a database.
pub(crate) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

#[derive(Debug, Clone)]
struct File {
    path: PathBuf,
    number: Option<Number>,
}

impl File {
    fn at(path: PathBuf) -> Self {
        let number = number(&path).ok();
        Self { path, number }
    }

    /// An unknown state is not a reason to stop.
    fn check(&self, remedy: &str) -> Result<(), CommitError> {
        let Some(opened) = self.number else { return Ok(()) };
        let what = match number(&self.path) {
            Ok(now) if now != opened => "replaced",
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => "removed",
            Ok(_) | Err(_) => return Ok(()),
        };
        Err(CommitError(format!(
            "{} was {what} while it was open, so nothing more is written to it; {remedy}",
            self.path.display()
        )))
    }
}

/// The device and the number of a file on it: no other file has both while this one is open.
#[cfg(unix)]
type Number = (u64, u64);

#[cfg(unix)]
fn number(path: &Path) -> std::io::Result<Number> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
type Number = ();

#[cfg(not(unix))]
fn number(_: &Path) -> std::io::Result<Number> {
    Ok(())
}
