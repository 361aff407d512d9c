//! Work on what came from outside, away from the threads that serve requests.
//!
//! What compiles, validates, renders, compares or reads something large goes through [`heavy`]: as many such pieces of work as
//! there are cores run at once, and the others wait. Waiting is cancelled with the request: what a client asked for that
//! hung up before its turn costs nothing. What has begun cannot be cancelled; it is bounded by the limits of the
//! `contract` and `workflow` crates instead, to about a second.

use std::sync::{Arc, LazyLock};

use accord_contract::{Schema, Violations};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::error::Error;

/// One piece of work for each core: more would take each other's time away, and the memory that each of them needs.
static TURNS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Arc::new(Semaphore::new(cores))
});

/// Does a piece of work on a thread for calls that block, when it is its turn.
pub(crate) async fn heavy<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let turn = Arc::clone(&TURNS).acquire_owned().await.map_err(Error::internal)?;
    let work = move || {
        let result = work();
        // Kept until here, even if the request was cancelled.
        drop(turn);
        result
    };
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

/// The violations of a value; `None` if it conforms. Small values are validated immediately.
pub(crate) async fn violations(schema: &Schema, value: &Value) -> Result<Option<Violations>, Error> {
    fn found(schema: &Schema, value: &Value) -> Option<Violations> {
        (!schema.is_valid(value)).then(|| schema.violations(value))
    }
    if schema.is_quick(value) {
        return Ok(found(schema, value));
    }
    let (schema, value) = (schema.clone(), value.clone());
    heavy(move || found(&schema, &value)).await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn cancelled_work_is_not_started() {
        let turns = TURNS.available_permits();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let held = Arc::new(std::sync::Mutex::new(held));
        let busy: Vec<_> = (0..turns)
            .map(|_| {
                let held = Arc::clone(&held);
                tokio::spawn(heavy(move || held.lock().unwrap().recv()))
            })
            .collect();
        while TURNS.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let begun = Arc::new(AtomicUsize::new(0));
        for _ in 0..40 {
            let counted = Arc::clone(&begun);
            let work = heavy(move || counted.fetch_add(1, Ordering::Relaxed));
            // A client that hangs up while it waits.
            assert!(futures_poll_once(work).await);
        }
        for _ in 0..turns {
            release.send(()).unwrap();
        }
        for each in busy {
            each.await.unwrap().unwrap().unwrap();
        }
        assert_eq!(heavy(|| 7).await.ok(), Some(7));
        assert_eq!(begun.load(Ordering::Relaxed), 0);
    }

    /// Polls a future once, and whether it has to wait. It is dropped then.
    async fn futures_poll_once(future: impl Future) -> bool {
        let mut future = Box::pin(future);
        std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_pending()))
            .await
    }
}
