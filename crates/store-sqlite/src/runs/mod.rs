//! Runs: made, claimed, worked on, ended, read.

mod claim;
mod read;
pub(crate) mod submit;
mod suspend;
mod work;

pub(crate) use claim::waiting_demands;

use accord_domain::id::RunId;
use accord_domain::run::{Failure, Holder, Run, change};
use accord_store::{
    AskAgain, Claim, Claimed, Finish, Finished, Last, Report, RunStore, StoreError, Submission, Submitted,
    Suspend, Wake,
};
use async_trait::async_trait;
use jiff::Timestamp;

use crate::change::{ChangedRows, apply, apply_without_runner};
use crate::rows::{attempt, run};
use crate::store::SqliteStore;

#[async_trait]
impl RunStore for SqliteStore {
    async fn submit_run(&self, submission: Submission) -> Result<Submitted, StoreError> {
        let submission = submit::Prepared::from(submission);
        self.write_decided(move |write| submit::submit(write, submission)).await
    }

    async fn claim_runs(&self, claim: Claim) -> Result<Vec<Claimed>, StoreError> {
        self.write_decided(move |write| claim::claim(write, &claim)).await
    }

    async fn start_run(&self, holder: &Holder, now: Timestamp) -> Result<Run, StoreError> {
        let holder = holder.clone();
        self.write_decided(move |write| {
            let loaded = run::load(write.connection(), &holder.run_id)?;
            let changed_rows = ChangedRows::of(&loaded);
            apply(write, &changed_rows, change::start(loaded.run, loaded.session, &holder, now)?)
        })
        .await
    }

    async fn report(&self, report: Report) -> Result<Vec<u32>, StoreError> {
        let Report { holder, events, attempts, steps, now } = report;
        let report = work::PreparedReport::new(Last { events, attempts, steps })?;
        self.write_decided(move |write| work::report(write, &holder, &report, now)).await
    }

    async fn finish_run_after(&self, last: Last, finish: Finish) -> Result<Finished, StoreError> {
        let last = work::PreparedReport::new(last)?;
        self.write_decided(move |write| work::finish(write, &last, finish)).await
    }

    async fn ask_again(&self, again: AskAgain) -> Result<Run, StoreError> {
        let judged = attempt::Prepared::new(again.attempt.clone())?;
        self.write(move |write| work::ask_again(write, &again, &judged)).await
    }

    async fn suspend_run(&self, suspend: Suspend) -> Result<Run, StoreError> {
        self.write_decided(move |write| suspend::suspend(write, &suspend)).await
    }

    async fn wake_run(&self, wake: Wake) -> Result<Option<Run>, StoreError> {
        self.write_decided(move |write| suspend::wake(write, wake)).await
    }

    async fn give_up_waiting(
        &self,
        run_id: &RunId,
        failure: Failure,
        now: Timestamp,
    ) -> Result<Run, StoreError> {
        let run_id = run_id.clone();
        self.write(move |write| {
            let loaded = run::load(write.connection(), &run_id)?;
            let changed_rows = ChangedRows::of(&loaded);
            let given_up = change::give_up_waiting(loaded.run, loaded.session, failure, now);
            apply_without_runner(write, &changed_rows, given_up)
        })
        .await
    }

    async fn give_back(&self, holder: &Holder, now: Timestamp) -> Result<Run, StoreError> {
        let holder = holder.clone();
        self.write(move |write| {
            let loaded = run::load(write.connection(), &holder.run_id)?;
            let changed_rows = ChangedRows::of(&loaded);
            apply_without_runner(
                write,
                &changed_rows,
                change::give_back(loaded.run, loaded.session, &holder, now)?,
            )
        })
        .await
    }

    async fn stop_run(&self, run_id: &RunId, now: Timestamp) -> Result<Run, StoreError> {
        let run_id = run_id.clone();
        self.write(move |write| {
            let loaded = run::load(write.connection(), &run_id)?;
            let changed_rows = ChangedRows::of(&loaded);
            apply_without_runner(write, &changed_rows, change::stop(loaded.run, loaded.session, now))
        })
        .await
    }

    async fn stop_run_because(
        &self,
        run_id: &RunId,
        reason: &str,
        now: Timestamp,
    ) -> Result<Run, StoreError> {
        let (run_id, reason) = (run_id.clone(), reason.to_owned());
        self.write(move |write| {
            let loaded = run::load(write.connection(), &run_id)?;
            let changed_rows = ChangedRows::of(&loaded);
            let stopped = change::stop_because(loaded.run, loaded.session, &reason, now);
            apply_without_runner(write, &changed_rows, stopped)
        })
        .await
    }

    async fn abandon_run(&self, run_id: &RunId, message: &str, now: Timestamp) -> Result<Run, StoreError> {
        let (run_id, message) = (run_id.clone(), message.to_owned());
        self.write(move |write| {
            let loaded = run::load(write.connection(), &run_id)?;
            let changed_rows = ChangedRows::of(&loaded);
            apply_without_runner(
                write,
                &changed_rows,
                change::abandon(loaded.run, loaded.session, message, now),
            )
        })
        .await
    }
}
