//! Processor time, as the kernel counts it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// The kernel counts in ticks of 10 ms.
const TICK_MILLISECONDS: u64 = 10;

/// What `/proc/<pid>/stat` says of a process.
struct Stat {
    parent: u32,
    own: u64,
    /// Of children that have ended.
    ended_children: u64,
}

/// Processor time of one process.
pub fn of_process(pid: u32) -> Result<Duration> {
    Ok(time(stat(pid)?.own))
}

/// Processor time of a process and its children, also of those that have ended.
pub fn with_children(pid: u32) -> Result<Duration> {
    let parent = stat(pid)?;
    let mut ticks = parent.own + parent.ended_children;
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(child) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        // It may have ended since.
        if let Ok(stat) = stat(child)
            && stat.parent == pid
        {
            ticks += stat.own;
        }
    }
    Ok(time(ticks))
}

fn time(ticks: u64) -> Duration {
    Duration::from_millis(ticks * TICK_MILLISECONDS)
}

fn stat(pid: u32) -> Result<Stat> {
    let text = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"))?;
    let fields: Vec<&str> = text.rsplit(')').next().context("no fields")?.split_whitespace().collect();
    let field = |index: usize| -> Result<u64> { Ok(fields.get(index).context("too few fields")?.parse()?) };
    Ok(Stat {
        parent: u32::try_from(field(1)?)?,
        own: field(11)? + field(12)?,
        ended_children: field(13)? + field(14)?,
    })
}
