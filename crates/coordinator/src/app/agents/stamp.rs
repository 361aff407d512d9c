//! What files look like from outside: enough to tell that they changed, without reading them.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::files::{AGENT_FILES, PROMPT_FILE};

/// One file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds. Whoever writes may set it.
    modified: (i64, i64),
    /// The same, set by the system alone.
    changed: (i64, i64),
}

impl Mark {
    fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::from)
    }

    /// How long it has been as it is; nothing, where the clock went back.
    fn age(&self, now: SystemTime) -> Option<Duration> {
        let (seconds, nanoseconds) = self.changed;
        let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
        now.duration_since(UNIX_EPOCH + since).ok()
    }
}

impl From<&Metadata> for Mark {
    fn from(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// An agent's file and the prompt beside it. Two calls of the system, because every new run makes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    agent: Option<Mark>,
    prompt: Option<Mark>,
}

impl Stamp {
    /// Of an agent's file.
    pub(super) fn of(file: &Path) -> Self {
        Self { agent: Mark::of(file), prompt: Mark::of(&file.with_file_name(PROMPT_FILE)) }
    }
}

/// An agent's folder with all that an agent may be in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FolderStamp(Vec<Option<Mark>>);

impl FolderStamp {
    /// Of an agent's folder.
    pub(super) fn of(folder: &Path) -> Self {
        let names = AGENT_FILES.iter().map(|(name, _)| *name).chain([PROMPT_FILE]);
        let inside = names.map(|name| Mark::of(&folder.join(name)));
        Self(std::iter::once(Mark::of(folder)).chain(inside).collect())
    }

    /// Whether it is there and has been as it is for so long.
    pub(super) fn is_older_than(&self, age: Duration) -> bool {
        let now = SystemTime::now();
        let is_old = |mark: &Mark| mark.age(now).is_some_and(|is| is >= age);
        self.0.first().is_some_and(Option::is_some) && self.0.iter().flatten().all(is_old)
    }
}
