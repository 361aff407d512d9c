//! The file that was opened, and whether its name still leads to it.
//!
//! A file that is removed or replaced while it is open can be written to as before. What is acknowledged then is gone with the
//! process, so nothing is: the file is looked at before each commit, which costs little beside a sync of the disk.

use std::path::{Path, PathBuf};

/// A file that is open.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    path: PathBuf,
    number: Option<Number>,
}

impl Opened {
    /// The file that a name leads to now.
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), number: number(path).ok() }
    }

    /// Whether the name still leads to it. What cannot be found out is no reason to stop.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Some(opened) = self.number else { return Ok(()) };
        let what = match number(&self.path) {
            Ok(now) if now != opened => "replaced",
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => "removed",
            Ok(_) | Err(_) => return Ok(()),
        };
        Err(format!(
            "{} was {what} while it was open, so nothing is written any more: it would be lost; \
             put the file back, or start accord again",
            self.path.display()
        ))
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
