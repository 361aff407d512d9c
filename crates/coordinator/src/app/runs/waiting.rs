//! Runs that wait for their children.
//!
//! A nonconforming answer is not a failure while children of the run have to report back. The run
//! then gives up its runner and keeps everything else; when its children finish, the same run
//! continues with their results as its next message.

use accord_api::FinishRun;
use accord_domain::agent::{Callback, Limits};
use accord_domain::id::SessionId;
use accord_domain::input_request::Status as InputStatus;
use accord_domain::run::change::Suspension;
use accord_domain::run::{Assignment, Failure, FailureType, Holder, Run, Status};
use accord_domain::step::Body;
use accord_store::{InputFilter, PageRequest, Suspend, WaitingRun, Wake};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::callback_message::callback_message;
use super::finish::text_of;
use super::{CHILDREN_A_MESSAGE, Runs};
use crate::error::{Error, refuse};
use crate::metrics;

/// How many waiting runs are looked at in one round.
const WAITING_A_ROUND: u32 = 200;

/// How many requests for a person's input are looked at, the newest.
const NEWEST_INPUTS: u32 = 200;

/// How many children a failure names. The rest is counted.
const NAMED_CHILDREN: usize = 5;

/// The message to a run whose children were removed.
const NO_CHILD_LEFT: &str = "No child session is left to report back. Answer with what you have.";

/// What the waiting of a run depends on.
#[derive(Deserialize)]
struct WaitingOptions {
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    callback: Callback,
}

impl WaitingOptions {
    fn read(blueprint: &str) -> Result<Self, Error> {
        serde_json::from_str(blueprint).map_err(Error::internal)
    }

    fn wait(&self) -> SignedDuration {
        let seconds = self.limits.wait_seconds.unwrap_or(Limits::DEFAULT_WAIT_SECONDS);
        SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX))
    }
}

impl Runs {
    /// The runner cannot continue before the children have reported back.
    pub(super) async fn wait_for_children(
        &self,
        run: Run,
        assignment: &Assignment,
        holder: Holder,
        report: FinishRun,
    ) -> Result<Run, Error> {
        if assignment.contract.is_none() {
            return Err(refuse(
                "status waiting is only for runs with a contract; report completed or failed",
            ));
        }
        let children = self.store.children_to_come(&run.session_id).await?;
        let suspend = Suspend {
            holder,
            suspension: Suspension::Children(children),
            inputs: Vec::new(),
            usage: report.usage,
            retries: report.retry_count,
            affinity: report.affinity,
            conversation: report.conversation.map(text_of),
            wait: WaitingOptions::read(&assignment.blueprint)?.wait(),
            now: self.outside.now(),
        };
        Ok(self.store.suspend_run(suspend).await?)
    }

    /// Continues the runs whose children reported back, and fails those that have waited for too long.
    pub(in crate::app) async fn continue_waiting(&self) -> Result<(), Error> {
        let now = self.outside.now();
        for waiting in self.store.waiting_runs(now, WAITING_A_ROUND).await? {
            let run_id = waiting.run_id.clone();
            if let Err(error) = self.continue_or_fail(waiting, now).await {
                tracing::warn!(%run_id, %error, "a run that waits for its children could not continue; will retry");
            }
        }
        Ok(())
    }

    async fn continue_or_fail(&self, waiting: WaitingRun, now: Timestamp) -> Result<(), Error> {
        let WaitingRun { run_id, attempt, session_id, waits_until, ended, unfinished } = waiting;
        let assignment = match self.store.assignment(&run_id).await {
            Err(accord_store::StoreError::NoRun(_)) => return Ok(()),
            found => found?,
        };
        let options = WaitingOptions::read(&assignment.blueprint)?;
        let has_news = match options.callback {
            Callback::Each => !ended.is_empty() || unfinished.is_empty(),
            Callback::All => unfinished.is_empty(),
        };
        if has_news {
            let delivers: Vec<_> = ended.into_iter().take(CHILDREN_A_MESSAGE as usize).collect();
            let text = match delivers.is_empty() {
                true => NO_CHILD_LEFT.to_owned(),
                false => callback_message(self.store.as_ref(), &delivers).await?,
            };
            let (reason, step) = ("its children reported back".to_owned(), Body::Message { text });
            let announcement = self.hub.announce();
            let wake = Wake { run_id, attempt, reason, step, delivers, now };
            if let Some(run) = self.store.wake_run(wake).await? {
                announcement.queued(&run.demands);
            }
            return Ok(());
        }
        let is_due = waits_until.is_some_and(|until| until <= now);
        if is_due && !self.waits_for_person(session_id, &options, now).await? {
            let failure = timed_out(&options, &unfinished);
            let run = self.store.give_up_waiting(&run_id, failure, now).await?;
            if run.status == Status::Failed {
                metrics::run_over(&run);
            }
        }
        Ok(())
    }

    /// Whether a person has still to answer a child, or a child has not yet had its time since a person did: the deadline of the
    /// person counts, and not the default of the parent.
    async fn waits_for_person(
        &self,
        session_id: SessionId,
        options: &WaitingOptions,
        now: Timestamp,
    ) -> Result<bool, Error> {
        if options.limits.wait_seconds.is_some() {
            return Ok(false);
        }
        let below = InputFilter { root_session_id: Some(session_id), ..InputFilter::default() };
        let open = InputFilter { status: Some(InputStatus::Open), ..below.clone() };
        let page = PageRequest { limit: NEWEST_INPUTS, cursor: None };
        if !self.store.inputs(&open, &page).await?.items.is_empty() {
            return Ok(true);
        }
        let closed = self.store.inputs(&below, &page).await?.items;
        let is_recent = |closed: Timestamp| closed.checked_add(options.wait()).is_ok_and(|until| until > now);
        Ok(closed.iter().filter_map(|request| request.closed_at).any(is_recent))
    }
}

fn timed_out(options: &WaitingOptions, unfinished: &[SessionId]) -> Failure {
    let seconds = options.limits.wait_seconds.unwrap_or(Limits::DEFAULT_WAIT_SECONDS);
    let named: Vec<&str> = unfinished.iter().take(NAMED_CHILDREN).map(SessionId::as_str).collect();
    let more = match unfinished.len().saturating_sub(NAMED_CHILDREN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "children did not finish within {seconds} seconds (limits.wait_seconds): {}{more}; raise it, or stop them",
        named.join(", ")
    );
    Failure::new(FailureType::ChildrenTimedOut, message)
}
