//! Waiting for the end of a run.

use std::time::Duration;

use accord_api::RunView;
use accord_domain::id::RunId;
use tokio::time::{Instant, timeout_at};

use super::Runs;
use crate::app::id_prefix::absent;
use crate::error::Error;
use crate::hub::Topic;
use crate::outstanding::Holder;

/// The longest that a caller is kept waiting: proxies and clients give up not much later.
pub(crate) const LONGEST_WAIT_SECONDS: u32 = 300;

impl Runs {
    /// The run with its documents, once it has finished or the time is up.
    pub(crate) async fn wait(&self, holder: &Holder, run_id: &RunId, seconds: u32) -> Result<RunView, Error> {
        let deadline = Instant::now() + Duration::from_secs(seconds.into());
        let watch = self.hub.watch(vec![Topic::Run(run_id.clone())]);
        loop {
            let turn = self.outstanding.turn(holder).await?;
            let whole = match self.store.whole_run(run_id).await {
                Ok(whole) => whole,
                Err(error) => return Err(Box::pin(absent(self.store.as_ref(), run_id.as_str(), error)).await),
            };
            if whole.run.status.is_over() || Instant::now() >= deadline || self.closing.is_cancelled() {
                return self.whole_view_of(whole).await;
            }
            drop((turn, whole));
            let next_look = deadline.min(Instant::now() + self.settings.poll_interval);
            tokio::select! {
                _ = timeout_at(next_look, watch.changed()) => {}
                () = self.closing.cancelled() => {}
            }
        }
    }
}
