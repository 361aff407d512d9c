//! Child processes that leave nothing behind.
//!
//! A child leads a process group of its own. However its work ends (exit, timeout, cancel, too much output, a dropped
//! future), the whole group is killed, so that grandchildren go too. A grandchild that makes a session of its own
//! (`setsid`) leaves the group and escapes, but not from a sandbox (see `sandbox`).
//!
//! What the leader leaves in the background gets a moment to finish writing, and is then killed like the rest.

mod capture;
mod environment;
mod group;
mod live;
#[cfg(target_os = "linux")]
mod readable;
mod sandbox;

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(crate) use capture::Capture;
pub use environment::Variables;
pub(crate) use environment::{Environment, holds_secret, is_secret, no_nul, trace, variable};
pub(crate) use live::{ChildOutput, Live, Signal, Stderr};
pub(crate) use sandbox::{Sandbox, available};

use group::Group;
pub(crate) use group::is_scarce;

/// How long processes that the leader left running may still write after its exit. Long enough for a pipeline to empty, short
/// enough not to be felt when a server was left in the background.
const GRACE: Duration = Duration::from_millis(300);

/// One read. As large as a pipe holds by default on Linux.
const READ_BYTES: usize = 64 * 1024;

pub(crate) struct Plan {
    /// Program, arguments, folder and environment. The streams are set here.
    pub(crate) command: Command,
    /// Its stdin, if it gets any.
    pub(crate) input: Option<Vec<u8>>,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
    /// Receives its stderr while it runs, as far as the channel has room.
    pub(crate) heard: Option<mpsc::Sender<Vec<u8>>>,
    /// What to do with more stdout than is kept.
    pub(crate) overflow: Overflow,
    pub(crate) timeout: Duration,
    /// What it may reach; if absent, everything that this process may.
    pub(crate) sandbox: Option<Sandbox>,
}

/// What to do with more output than is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overflow {
    Forget,
    Kill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildEnd {
    /// By itself, or by a signal from elsewhere.
    Exited(ExitStatus),
    /// Killed, because its time was over.
    TimedOut,
    Stopped,
    /// Killed, because it wrote too much.
    OutputTooLarge,
}

pub(crate) struct Finished {
    pub(crate) end: ChildEnd,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
}

struct OutputTooLarge;

/// Runs a child to its end. An error means that it could not be started.
pub(crate) async fn run(plan: Plan, cancel: &CancellationToken) -> io::Result<Finished> {
    let Plan { mut command, input, mut stdout, mut stderr, heard, overflow, timeout, sandbox } = plan;
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = async {
        match sandbox {
            Some(sandbox) => sandbox.spawn(command).await,
            None => Group::spawn(command).await,
        }
    };
    let Some(started) = cancel.run_until_cancelled(start).await else {
        return Ok(Finished { end: ChildEnd::Stopped, stdout, stderr });
    };
    let mut group = started?;
    let pipes = group.pipes();
    let end = {
        let streams = async {
            tokio::try_join!(
                feed(pipes.stdin, input.unwrap_or_default()),
                drain(pipes.stdout, &mut stdout, overflow, None),
                drain(pipes.stderr, &mut stderr, Overflow::Forget, heard),
            )
            .map(|_| ())
        };
        let work = supervise(&mut group, streams);
        tokio::select! {
            biased;
            () = cancel.cancelled() => ChildEnd::Stopped,
            end = tokio::time::timeout(timeout, work) => end.unwrap_or(Ok(ChildEnd::TimedOut))?,
        }
    };
    group.end().await;
    Ok(Finished { end, stdout, stderr })
}

async fn supervise(
    group: &mut Group,
    streams: impl Future<Output = Result<(), OutputTooLarge>>,
) -> io::Result<ChildEnd> {
    let mut streams = pin!(streams);
    let mut flowing = true;
    let status = loop {
        tokio::select! {
            status = group.leader_exit() => break status?,
            ended = &mut streams, if flowing => match ended {
                Ok(()) => flowing = false,
                Err(OutputTooLarge) => return Ok(ChildEnd::OutputTooLarge),
            },
        }
    };
    let mut end = Ok(());
    if flowing {
        flowing = !finish(streams.as_mut(), &mut end).await;
    }
    group.kill();
    if flowing {
        finish(streams, &mut end).await;
    }
    Ok(if end.is_ok() { ChildEnd::Exited(status) } else { ChildEnd::OutputTooLarge })
}

/// Reads the streams for a moment more. Whether they ended.
async fn finish(
    streams: Pin<&mut impl Future<Output = Result<(), OutputTooLarge>>>,
    end: &mut Result<(), OutputTooLarge>,
) -> bool {
    match tokio::time::timeout(GRACE, streams).await {
        Ok(ended) => {
            *end = ended;
            true
        }
        Err(_) => false,
    }
}

/// Writes the input and closes the pipe. A child that does not want it all is no error.
async fn feed(pipe: Option<impl AsyncWrite + Unpin>, input: Vec<u8>) -> Result<(), OutputTooLarge> {
    if let Some(mut pipe) = pipe {
        pipe.write_all(&input).await.ok();
        pipe.shutdown().await.ok();
    }
    Ok(())
}

/// Reads to the end, even what is not kept, because a child blocks if its output is not read.
async fn drain(
    pipe: Option<impl AsyncRead + Unpin>,
    capture: &mut Capture,
    overflow: Overflow,
    heard: Option<mpsc::Sender<Vec<u8>>>,
) -> Result<(), OutputTooLarge> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut buffer = vec![0; READ_BYTES];
    loop {
        // An error ends the stream.
        let count = pipe.read(&mut buffer).await.unwrap_or(0);
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
        capture.push(bytes);
        if let Some(heard) = &heard {
            // A child never waits for the receiver.
            heard.try_send(bytes.to_vec()).ok();
        }
        if overflow == Overflow::Kill && capture.left_out() > 0 {
            return Err(OutputTooLarge);
        }
    }
}
