//! The async side of a command, and the signals that end it.

use std::future::Future;
use std::os::fd::AsFd as _;

use tokio::fs::File;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::failure::{Failure, Problem};

/// Threads for calls that block. They run at the speed of the processor or the disk, so more would wait for each other;
/// and each holds memory long after a burst of ten thousand runs.
const BLOCKING_THREADS: usize = 32;

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .map_err(|error| Problem::new(format!("no threads to work with: {error}")))?;
    let result = runtime.block_on(future);
    // Work that was given up may still sit in a blocking call; the process ends without it.
    runtime.shutdown_background();
    result
}

/// As many as there are cores, less the one for the thread that writes to the store: it is as busy as they are, and they
/// would take each other's core away. What takes long has threads of its own.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1)).max(1)
}

/// Listens for SIGINT and SIGTERM from now on: the first asks to end, the second to hurry.
pub(crate) fn signals() -> Result<mpsc::UnboundedReceiver<()>, Failure> {
    let problem = |error| Problem::new(format!("signals cannot be listened for: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(problem)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(problem)?;
    let (told, signals) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if told.send(()).is_err() {
                break;
            }
        }
    });
    Ok(signals)
}

/// stdin and stdout, for talking over both for as long as it takes.
pub(crate) fn streams() -> Result<(File, File), Failure> {
    let problem = |error| Problem::new(format!("stdin and stdout cannot be used: {error}"));
    let input = std::io::stdin().as_fd().try_clone_to_owned().map_err(problem)?;
    let output = std::io::stdout().as_fd().try_clone_to_owned().map_err(problem)?;
    Ok((File::from_std(input.into()), File::from_std(output.into())))
}
