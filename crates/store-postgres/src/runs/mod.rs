//! Runs: made, claimed, worked on, ended, read.

pub(crate) mod attempts;
mod claim;
pub(crate) mod documents;
pub(crate) mod finish;
mod read;
pub(crate) mod steps;
pub(crate) mod submit;
mod suspend;
mod work;

use accord_domain::id::RunId;
use accord_domain::run::change;
use accord_domain::run::{Failure, Holder, Run};
use accord_store::{
    AskAgain, Claim, Claimed, Finish, Finished, Last, Report, RunStore, StoreError, Submission, Submitted,
    Suspend, Wake,
};
use async_trait::async_trait;
use jiff::Timestamp;

use crate::convert::whole;
use crate::error::retrying;
use crate::store::PostgresStore;
pub(crate) use submit::NewRun;
pub(crate) use work::Work;
use work::Worked;

#[async_trait]
impl RunStore for PostgresStore {
    async fn submit_run(&self, submission: Submission) -> Result<Submitted, StoreError> {
        let submission = submit::to_the_microsecond(submission);
        match NewRun::of(&submission) {
            Some(new) => self.new_runs.run(new).await,
            None => retrying(|| self.submit(&submission)).await,
        }
    }

    async fn claim_runs(&self, claim: Claim) -> Result<Vec<Claimed>, StoreError> {
        let claim = Claim { now: whole(claim.now), ..claim };
        self.claims.run(claim).await
    }

    async fn start_run(&self, holder: &Holder, now: Timestamp) -> Result<Run, StoreError> {
        Ok(self.work.run(Work::Start(holder.clone(), whole(now))).await?.run)
    }

    async fn report(&self, report: Report) -> Result<Vec<u32>, StoreError> {
        let report = Report { now: whole(report.now), ..report };
        Ok(self.work.run(Work::Report(Box::new(report))).await?.judged)
    }

    async fn finish_run_after(&self, last: Last, finish: Finish) -> Result<Finished, StoreError> {
        let finish = Finish { now: whole(finish.now), ..finish };
        let Worked { run, judged } = self.work.run(Work::Finish(Box::new((last, finish)))).await?;
        Ok(Finished { run, judged })
    }

    async fn ask_again(&self, again: AskAgain) -> Result<Run, StoreError> {
        let again = AskAgain { now: whole(again.now), ..again };
        retrying(|| self.ask(&again)).await
    }

    async fn suspend_run(&self, suspend: Suspend) -> Result<Run, StoreError> {
        let suspend = Suspend { now: whole(suspend.now), ..suspend };
        retrying(|| self.suspend(&suspend)).await
    }

    async fn wake_run(&self, wake: Wake) -> Result<Option<Run>, StoreError> {
        let wake = Wake { now: whole(wake.now), ..wake };
        retrying(|| self.wake(&wake)).await
    }

    async fn give_up_waiting(
        &self,
        run_id: &RunId,
        failure: Failure,
        now: Timestamp,
    ) -> Result<Run, StoreError> {
        let now = whole(now);
        let give_up = |run, session| Ok(change::give_up_waiting(run, session, failure.clone(), now));
        retrying(|| self.change(run_id, give_up)).await
    }

    async fn give_back(&self, holder: &Holder, now: Timestamp) -> Result<Run, StoreError> {
        let now = whole(now);
        let give_back = |run, session| change::give_back(run, session, holder, now);
        retrying(|| self.change(&holder.run_id, give_back)).await
    }

    async fn stop_run(&self, run_id: &RunId, now: Timestamp) -> Result<Run, StoreError> {
        let now = whole(now);
        let stop = |run, session| Ok(change::stop(run, session, now));
        retrying(|| self.change(run_id, stop)).await
    }

    async fn stop_run_because(
        &self,
        run_id: &RunId,
        reason: &str,
        now: Timestamp,
    ) -> Result<Run, StoreError> {
        let now = whole(now);
        let stop = |run, session| Ok(change::stop_because(run, session, reason, now));
        retrying(|| self.change(run_id, stop)).await
    }

    async fn abandon_run(&self, run_id: &RunId, message: &str, now: Timestamp) -> Result<Run, StoreError> {
        let now = whole(now);
        let abandon = |run, session| Ok(change::abandon(run, session, message.to_owned(), now));
        retrying(|| self.change(run_id, abandon)).await
    }
}
