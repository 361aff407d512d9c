//! The async side of a command, and the signals that end it.

use std::future::Future;

use tokio_util::sync::CancellationToken;

use crate::failure::{Failure, Problem};

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::new(format!("no threads to work with: {error}")))?;
    let result = runtime.block_on(future);
    // Work that was given up may still sit in a blocking call; the process ends without it.
    runtime.shutdown_background();
    result
}

/// Two tokens: the first signal (SIGINT or SIGTERM) asks to end well, the second to end now.
pub(crate) struct Signals {
    pub(crate) gently: CancellationToken,
    pub(crate) now: CancellationToken,
}

/// Listens for signals from now on.
pub(crate) fn signals() -> Result<Signals, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let problem = |error| Problem::new(format!("signals cannot be listened for: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(problem)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(problem)?;
    let signals = Signals { gently: CancellationToken::new(), now: CancellationToken::new() };
    let (gently, now) = (signals.gently.clone(), signals.now.clone());
    tokio::spawn(async move {
        for token in [gently, now] {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            token.cancel();
        }
    });
    Ok(signals)
}
