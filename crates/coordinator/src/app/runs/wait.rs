//! Waiting for the end of a run.

use std::time::Duration;

use accord_api::RunView;
use accord_domain::id::RunId;
use accord_domain::input_request::{InputRequest, Purpose, Status as InputStatus};
use accord_domain::run::{Run, Status};
use accord_store::{InputFilter, PageRequest};
use tokio::time::{Instant, timeout_at};

use super::Runs;
use crate::app::id_prefix::absent;
use crate::error::Error;
use crate::hub::Topic;
use crate::outstanding::Holder;

/// The longest that a caller is kept waiting: proxies and clients give up not much later.
pub(crate) const LONGEST_WAIT_SECONDS: u32 = 300;

/// More than a run asks at once.
const MOST_CALLS: u32 = 100;

/// What is waited for.
#[derive(Debug, Clone, Copy)]
enum Until {
    Over,
    CallerIsAsked,
}

impl Runs {
    async fn asks_caller(&self, run: &Run) -> Result<bool, Error> {
        if run.status != Status::InputRequired {
            return Ok(false);
        }
        Ok(!self.open_calls(&run.id).await?.is_empty())
    }

    /// The calls that the caller of a run has to make, in order.
    pub(crate) async fn open_calls(&self, run_id: &RunId) -> Result<Vec<InputRequest>, Error> {
        let (run_id, status) = (Some(run_id.clone()), Some(InputStatus::Open));
        let filter = InputFilter { run_id, status, ..InputFilter::default() };
        let page = PageRequest { limit: MOST_CALLS, cursor: None };
        let mut open = self.store.inputs(&filter, &page).await?.items;
        open.retain(|request| request.purpose == Purpose::ToolCall);
        open.reverse();
        Ok(open)
    }

    /// The run with its documents, once it has finished or the time is up.
    pub(crate) async fn wait(&self, holder: &Holder, run_id: &RunId, seconds: u32) -> Result<RunView, Error> {
        self.wait_until(holder, run_id, seconds, Until::Over).await
    }

    /// The same, or once its caller has to call a tool.
    pub(crate) async fn wait_for_caller(
        &self,
        holder: &Holder,
        run_id: &RunId,
        seconds: u32,
    ) -> Result<RunView, Error> {
        self.wait_until(holder, run_id, seconds, Until::CallerIsAsked).await
    }

    async fn wait_until(
        &self,
        holder: &Holder,
        run_id: &RunId,
        seconds: u32,
        until: Until,
    ) -> Result<RunView, Error> {
        let deadline = Instant::now() + Duration::from_secs(seconds.into());
        let watch = self.hub.watch(vec![Topic::Run(run_id.clone())]);
        loop {
            let turn = self.outstanding.turn(holder).await?;
            let whole = match self.store.whole_run(run_id).await {
                Ok(whole) => whole,
                Err(error) => return Err(Box::pin(absent(self.store.as_ref(), run_id.as_str(), error)).await),
            };
            let is_enough = match until {
                Until::CallerIsAsked if whole.assignment.tools.is_some() => {
                    self.asks_caller(&whole.run).await?
                }
                Until::Over | Until::CallerIsAsked => false,
            };
            if is_enough
                || whole.run.status.is_over()
                || Instant::now() >= deadline
                || self.closing.is_cancelled()
            {
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
