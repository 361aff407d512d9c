//! Work on schemas, answers and parameters: on a thread for calls that block, metered, and stopped with the run.

use accord_contract::{Limits, Meter, Stop, StopOnDrop};
use tokio_util::sync::CancellationToken;

use crate::limits::TIME_TO_WORK;

/// Does a piece of work. It is asked to stop when the run is stopped, when its time is up, and when nobody waits for it any
/// more; what comes of it then says so itself.
pub(crate) async fn metered<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce(&Meter) -> T + Send + 'static,
) -> Result<T, String> {
    let asked = StopOnDrop::default();
    let stop = asked.0.clone();
    let mut working = tokio::task::spawn_blocking(move || work(&Meter::new(Limits::WHOLE, stop)));
    let ended = tokio::select! {
        biased;
        ended = &mut working => ended,
        () = cancel.cancelled() => {
            asked.0.set();
            working.await
        }
        () = tokio::time::sleep(TIME_TO_WORK) => {
            asked.0.set();
            working.await
        }
    };
    ended.map_err(|error| format!("the runner crashed: {error}"))
}

/// For a piece of work that is done at once: rules over the arguments of one call, hints in one prompt.
pub(crate) fn brief() -> Meter {
    Meter::new(Limits::BRIEF, Stop::default())
}

#[cfg(test)]
mod tests {
    use accord_contract::Exceeded;

    use super::*;

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
    async fn a_stopped_run_stops_its_work() {
        let cancel = CancellationToken::new();
        let stopping = async {
            tokio::task::yield_now().await;
            cancel.cancel();
        };
        let (ended, ()) = tokio::join!(metered(&cancel, endless), stopping);
        assert_eq!(ended, Ok(Exceeded::Stopped));
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_stopped() {
        let (sender, ended) = tokio::sync::oneshot::channel();
        let cancel = CancellationToken::new();
        let mut working = Box::pin(metered(&cancel, move |meter| sender.send(endless(meter))));
        std::future::poll_fn(|context| {
            assert!(working.as_mut().poll(context).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        drop(working);
        assert_eq!(ended.await, Ok(Exceeded::Stopped));
    }
}
