//! A process group that dies with its owner.

use std::error::Error;
use std::process::ExitStatus;
use std::time::Duration;
use std::{io, iter};

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use rustix::io::Errno;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep};

/// How long a killed process may take to disappear. One that hangs in the kernel must not hold its run.
const REAP: Duration = Duration::from_secs(5);

/// A child and all that it started.
pub(super) struct Group {
    child: Box<dyn ChildWrapper>,
    killed: bool,
}

/// The near ends of a child's streams.
pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

/// How long is waited for what a child needs. What others hold they give back when they end; a machine that has too little
/// of it for longer is set up wrongly.
const SCARCITY: Duration = Duration::from_secs(10);

const PAUSE: Duration = Duration::from_millis(200);

/// Whether a child could not be started because open files, processes or memory have run out. A sandbox wraps
/// what the system says.
pub(crate) fn is_scarce(error: &io::Error) -> bool {
    let causes = iter::successors(Some(error as &dyn Error), |&error| error.source());
    causes.filter_map(|error| error.downcast_ref()).any(|error| {
        matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM))
    })
}

/// Tries again while what is needed has run out, for a while.
pub(super) async fn patiently<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let until = Instant::now() + SCARCITY;
    loop {
        match start() {
            Err(error) if is_scarce(&error) && Instant::now() < until => sleep(PAUSE).await,
            started => return started,
        }
    }
}

impl Group {
    /// Starts a child, with patience where the machine is busy.
    pub(super) async fn spawn(command: Command) -> io::Result<Self> {
        let mut wrap = CommandWrap::from(command);
        wrap.wrap(KillOnDrop).wrap(ProcessGroup::leader());
        let child = patiently(|| wrap.spawn()).await?;
        Ok(Self { child, killed: false })
    }

    pub(super) fn pipes(&mut self) -> Pipes {
        Pipes {
            stdin: self.child.stdin().take(),
            stdout: self.child.stdout().take(),
            stderr: self.child.stderr().take(),
        }
    }

    /// Waits for the leader alone. Waiting for the group would last as long as what is left in the background, where
    /// this process inherits orphans (as the first process of a container does).
    pub(super) async fn leader_exit(&mut self) -> io::Result<ExitStatus> {
        self.child.inner_mut().wait().await
    }

    /// Kills every member, once: later, the number of the group could belong to other processes.
    pub(super) fn kill(&mut self) {
        if !self.killed {
            self.killed = true;
            // It fails only if no process is left.
            self.child.start_kill().ok();
        }
    }

    /// Sends a signal to every member that is left.
    pub(super) fn signal(&self, number: i32) {
        // It fails only if no process is left.
        self.child.signal(number).ok();
    }

    /// Kills what is left and takes away what remains of it.
    pub(super) async fn end(mut self) {
        self.kill();
        tokio::time::timeout(REAP, self.child.wait()).await.ok();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waits_for_scarce_resources() {
        let mut errors = vec![Errno::AGAIN, Errno::MFILE];
        let started = patiently(|| errors.pop().map_or(Ok("started"), |errno| Err(errno.into()))).await;
        assert_eq!(started.unwrap(), "started");
    }

    #[test]
    fn recognizes_scarce_resources_in_wrapped_errors() {
        #[derive(Debug, thiserror::Error)]
        #[error("no sandbox")]
        struct SandboxFailed(#[source] io::Error);
        assert!(is_scarce(&io::Error::other(SandboxFailed(Errno::MFILE.into()))));
        assert!(!is_scarce(&io::Error::other(SandboxFailed(Errno::NOENT.into()))));
    }

    #[tokio::test]
    async fn other_errors_are_reported_at_once() {
        let mut tries = 0;
        let failed = patiently(|| {
            tries += 1;
            Err::<(), _>(Errno::NOENT.into())
        });
        assert_eq!(failed.await.unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(tries, 1);
    }
}
