//! Work on what came from outside, away from the threads that serve requests.
//!
//! What compiles, validates, renders, compares or reads something large goes through [`heavy`]: as many such pieces of work as
//! there are cores run at once, and the others wait. Waiting is cancelled with the request: what a client asked for that
//! hung up before its turn costs nothing. What has begun gets a [`Meter`], without which nothing can be compiled, validated or
//! rendered: it is asked to stop when its time is up, and when nobody waits for it any more.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use accord_api::ErrorName;
use accord_contract::{Exceeded, Limits, Meter, Schema, Stop, StopOnDrop, Violations};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::error::Error;

/// One piece of work for each core: more would take each other's time away, and the memory that each of them needs.
static TURNS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Arc::new(Semaphore::new(cores))
});

/// How long a piece of work may take: the largest that its limits allow takes about two seconds, five times that on a busy
/// machine.
const TIME: Duration = Duration::from_secs(10);

/// How long one step of a workflow may take: it may start a thousand tasks, each with its templates.
const TIME_OF_A_STEP: Duration = Duration::from_secs(60);

/// Does a piece of work on a thread for calls that block, when it is its turn.
pub(crate) async fn heavy<T: Send + 'static>(
    work: impl FnOnce(&Meter) -> T + Send + 'static,
) -> Result<T, Error> {
    heavy_within(TIME, work).await
}

/// Does a step of a workflow. Each of its nodes may cost what the meter allows.
pub(crate) async fn heavy_step<T: Send + 'static>(
    work: impl FnOnce(&Meter) -> T + Send + 'static,
) -> Result<T, Error> {
    heavy_within(TIME_OF_A_STEP, work).await
}

async fn heavy_within<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce(&Meter) -> T + Send + 'static,
) -> Result<T, Error> {
    let turn = Arc::clone(&TURNS).acquire_owned().await.map_err(Error::internal)?;
    let asked = StopOnDrop::default();
    let stop = asked.0.clone();
    let work = move || {
        let result = work(&Meter::new(Limits::WHOLE, stop));
        // Kept until here, even if the request was cancelled.
        drop(turn);
        result
    };
    let mut working = tokio::task::spawn_blocking(work);
    let ended = match tokio::time::timeout(time, &mut working).await {
        Ok(ended) => ended,
        Err(_) => {
            asked.0.set();
            working.await
        }
    };
    ended.map_err(Error::internal)
}

/// For work that is done at once, on the thread that serves the request, because it looks small. What was not small after all
/// ([`was_brief`]) is done again by [`heavy`].
pub(crate) fn brief() -> Meter {
    Meter::new(Limits::BRIEF, Stop::default())
}

/// Whether work came nowhere near its limit, so that the limit has not changed what came of it.
pub(crate) fn was_brief(meter: &Meter) -> bool {
    meter.check().is_ok() && meter.spent().steps <= Limits::BRIEF.steps / 2
}

/// For what the operator gives: files of agents and workflows, which are read at the start and when they change.
pub(crate) fn unhurried() -> Meter {
    Meter::new(Limits::WHOLE, Stop::default())
}

/// The answer to a request that takes too much.
impl From<Exceeded> for Error {
    fn from(exceeded: Exceeded) -> Self {
        let message = format!("the request takes too much: {exceeded}; make the schema or the value smaller");
        Self::new(ErrorName::InvalidRequest, message)
    }
}

/// The violations of a value; `None` if it conforms. Small values are validated immediately.
pub(crate) async fn violations(schema: &Schema, value: &Value) -> Result<Option<Violations>, Error> {
    if schema.is_quick(value) {
        let meter = brief();
        let violations = schema.check(value, &meter).err();
        if was_brief(&meter) {
            return Ok(violations);
        }
    }
    let (schema, value) = (schema.clone(), value.clone());
    heavy(move |meter| schema.check(&value, meter).err()).await
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
                tokio::spawn(heavy(move |_| held.lock().unwrap().recv()))
            })
            .collect();
        while TURNS.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let begun = Arc::new(AtomicUsize::new(0));
        for _ in 0..40 {
            let counted = Arc::clone(&begun);
            let work = heavy(move |_| counted.fetch_add(1, Ordering::Relaxed));
            // A client that hangs up while it waits.
            assert!(futures_poll_once(work).await);
        }
        for _ in 0..turns {
            release.send(()).unwrap();
        }
        for each in busy {
            each.await.unwrap().unwrap().unwrap();
        }
        assert_eq!(heavy(|_| 7).await.ok(), Some(7));
        assert_eq!(begun.load(Ordering::Relaxed), 0);
    }

    /// Works until it is asked to stop.
    fn endless(meter: &Meter) -> Exceeded {
        loop {
            if let Err(exceeded) = meter.check_stop() {
                return exceeded;
            }
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_stopped() {
        let (sender, ended) = tokio::sync::oneshot::channel();
        assert!(futures_poll_once(heavy(move |meter| sender.send(endless(meter)))).await);
        assert_eq!(ended.await, Ok(Exceeded::Stopped));
    }

    #[tokio::test]
    async fn work_is_stopped_when_its_time_is_up() {
        let ended = heavy_within(Duration::ZERO, endless).await;
        assert_eq!(ended, Ok(Exceeded::Stopped));
    }

    /// Polls a future once, and whether it has to wait. It is dropped then.
    async fn futures_poll_once(future: impl Future) -> bool {
        let mut future = Box::pin(future);
        std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_pending()))
            .await
    }
}
