//! The speed of the disk: writes and syncs a fixed number of bytes over and over, in a file that
//! does not grow. The write-ahead log of a database does the same.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

/// How long it is measured.
const ROUND: Duration = Duration::from_secs(3);

/// As large as the coordinator's own log becomes.
pub(crate) const FILE_BYTES: usize = 16 * 1024 * 1024;

/// Commits per second, each with this many bytes.
pub(crate) fn commits(folder: &Path, bytes: usize) -> Result<f64> {
    let mut file = file(folder)?;
    let block = vec![b'y'; bytes.clamp(1, FILE_BYTES)];
    let mut place = 0;
    let begun = Instant::now();
    let mut commits = 0_u32;
    while begun.elapsed() < ROUND {
        if place + block.len() > FILE_BYTES {
            place = 0;
        }
        file.seek(SeekFrom::Start(place as u64))?;
        file.write_all(&block)?;
        file.sync_data()?;
        place += block.len();
        commits += 1;
    }
    Ok(f64::from(commits) / begun.elapsed().as_secs_f64())
}

/// A file that is written over and does not grow.
pub(crate) fn file(folder: &Path) -> Result<File> {
    let mut file = File::create(folder.join("disk"))?;
    file.write_all(&vec![b'x'; FILE_BYTES])?;
    file.sync_all()?;
    Ok(file)
}
