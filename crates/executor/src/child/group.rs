//! A process group that dies with its owner.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

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

impl Group {
    pub(super) fn spawn(command: Command) -> io::Result<Self> {
        let mut wrap = CommandWrap::from(command);
        wrap.wrap(KillOnDrop).wrap(ProcessGroup::leader());
        Ok(Self { child: wrap.spawn()?, killed: false })
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

    /// Kills every member, once: later, the number of the group could be somebody else's.
    pub(super) fn kill(&mut self) {
        if !self.killed {
            self.killed = true;
            // The only failure is that nobody is left.
            self.child.start_kill().unwrap_or_default();
        }
    }

    /// Sends a signal to every member that is left.
    pub(super) fn signal(&self, number: i32) {
        // The only failure is that nobody is left.
        self.child.signal(number).unwrap_or_default();
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
