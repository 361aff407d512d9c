//! A thread with a stack that deep recursion fits, and an end to panics.

use std::thread;

/// The parser takes about 100 KiB for each level of nesting in an unoptimised build. The memory is only
/// reserved; what is not touched costs nothing.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// Runs a job on a large stack. `None` if it panicked, or if there was no thread to be had.
pub(super) fn with_large<T: Send>(job: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, job);
        thread.ok().and_then(|handle| handle.join().ok())
    })
}
