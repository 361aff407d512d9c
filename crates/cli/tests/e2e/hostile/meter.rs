//! CPU time and memory of a process, from `/proc`.

use std::time::Duration;

/// `/proc` counts CPU time in hundredths of a second, regardless of the kernel's clock.
const TICK: Duration = Duration::from_millis(10);

/// A process under observation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meter {
    pid: u32,
}

impl Meter {
    pub(super) fn new(pid: u32) -> Self {
        Self { pid }
    }

    /// CPU time of all threads so far; `None` if the process is gone.
    pub(super) fn cpu(self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        // The second field is the program's name in parentheses, which may contain spaces.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |field: usize| fields.get(field)?.parse::<u32>().ok();
        (fields.first() != Some(&"Z")).then_some(())?;
        Some(TICK * ticks(11)?.checked_add(ticks(12)?)?)
    }

    /// Whether one of its threads runs, or waits for nothing but a CPU.
    pub(super) fn is_running(self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten();
        let stats = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
        stats.into_iter().any(|stat| stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('R')))
    }

    /// Memory in use now.
    pub(super) fn resident(self) -> Option<u64> {
        self.status("VmRSS:")
    }

    /// The peak memory since the start, or since [`Meter::forget_peak`].
    pub(super) fn peak(self) -> Option<u64> {
        self.status("VmHWM:")
    }

    /// Resets the peak memory.
    pub(super) fn forget_peak(self) {
        // If that is not allowed, the old peak stays, and growth is judged too strictly.
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.pid), "5");
    }

    fn status(self, name: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    }
}
