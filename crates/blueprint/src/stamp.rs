//! The state of files from outside: enough to see that they changed without reading them.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileState {
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds; a program that writes the file can set it.
    modified: (i64, i64),
    /// Seconds and nanoseconds, set by the system only.
    changed: (i64, i64),
}

impl FileState {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::from)
    }

    /// The time since the last change, or `None` if the clock went back.
    fn age(&self, now: SystemTime) -> Option<Duration> {
        let (seconds, nanoseconds) = self.changed;
        let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
        now.duration_since(UNIX_EPOCH + since).ok()
    }
}

impl From<&Metadata> for FileState {
    fn from(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// The state of all files that a definition may consist of, whether they exist or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(Vec<Option<FileState>>);

impl Stamp {
    /// The state of these files now.
    pub(crate) fn of(files: &[PathBuf]) -> Self {
        Self(files.iter().map(|file| FileState::of(file)).collect())
    }

    /// Whether one of the files exists and none has changed for this long.
    pub fn is_older_than(&self, age: Duration) -> bool {
        let now = SystemTime::now();
        let is_old = |state: &FileState| state.age(now).is_some_and(|is| is >= age);
        self.0.iter().any(Option::is_some) && self.0.iter().flatten().all(is_old)
    }
}
