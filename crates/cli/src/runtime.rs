//! The async side of a command, and the signals that end it.

use std::future::Future;
use std::os::fd::AsFd as _;

use tokio::fs::File;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::failure::{Failure, Problem};

/// Threads for calls that block. They run at the speed of the processor or the disk, so more would wait for each other;
/// and each holds memory long after a burst of ten thousand runs.
const BLOCKING_THREADS: usize = 32;

/// The stack size of every thread that processes external input: those of the runtime, and the one
/// that commands run on. The limits on depth (`accord_contract::limits`, `accord_workflow::limits`)
/// are made for a quarter of it, so that they hold in an unoptimised build too. The memory is only
/// reserved; what is not touched costs nothing.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// Runs a command on a thread whose stack is known: that of the main thread is whatever the shell allows.
pub(crate) fn on_known_stack<T: Send + 'static>(
    command: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let problem = |error| Problem::new(format!("cannot start a thread: {error}"));
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(command).map_err(problem)?;
    thread.join().map_err(|panic| std::panic::resume_unwind(panic))
}

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|error| Problem::new(format!("cannot start the thread pool: {error}")))?;
    let result = runtime.block_on(future);
    // Cancelled work may still be in a blocking call; the process ends without it.
    runtime.shutdown_background();
    result
}

/// One per core, minus one for the thread that writes to the store: it is as busy as the others and
/// would compete with them. Long work runs on separate threads.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1)).max(1)
}

/// Listens for SIGINT, SIGTERM and SIGHUP from now on: the first asks to end, the second to hurry.
pub(crate) fn signals() -> Result<mpsc::UnboundedReceiver<()>, Failure> {
    let problem = |error| Problem::new(format!("cannot listen for signals: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(problem)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(problem)?;
    let mut hangup = match is_ignored(SignalKind::hangup()) {
        true => None,
        false => Some(signal(SignalKind::hangup()).map_err(problem)?),
    };
    let (told, signals) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = heard(&mut hangup) => {}
            }
            if told.send(()).is_err() {
                break;
            }
        }
    });
    Ok(signals)
}

async fn heard(signal: &mut Option<Signal>) -> Option<()> {
    match signal {
        Some(signal) => signal.recv().await,
        None => std::future::pending().await,
    }
}

/// Whether the parent process made this one ignore a signal, as `nohup` does: then it stays ignored. Where the system does not
/// tell, it is taken for granted.
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status");
    status.map_or(true, |status| ignores(&status, signal))
}

fn ignores(status: &str, signal: SignalKind) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| (mask >> (signal.as_raw_value() - 1)) & 1 == 1)
}

/// stdin and stdout, for talking over both for as long as it takes.
pub(crate) fn streams() -> Result<(File, File), Failure> {
    let problem = |error| Problem::new(format!("cannot use stdin and stdout: {error}"));
    let input = std::io::stdin().as_fd().try_clone_to_owned().map_err(problem)?;
    let output = std::io::stdout().as_fd().try_clone_to_owned().map_err(problem)?;
    Ok((File::from_std(input.into()), File::from_std(output.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_mask() {
        let ignores = |mask: &str| {
            let status = format!(
                "Name:\taccord\nSigBlk:\t0000000000000000\nSigIgn:\t{mask}\nSigCgt:\t0000000000000001\n"
            );
            ignores(&status, SignalKind::hangup())
        };
        assert!(ignores("0000000000000001") && ignores("0000000000001001"));
        assert!(!ignores("0000000000001000") && !ignores("0000000000000000"));
        assert!(ignores("?"), "what cannot be read");
    }
}
