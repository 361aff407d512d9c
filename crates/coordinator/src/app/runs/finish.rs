//! The end of a run, as its runner reports it.

use accord_api::{FactReport, FinishRun, FinishStatus, FinishedRun, Holding};
use accord_domain::evidence::{Observation, Observed};
use accord_domain::id::RunId;
use accord_domain::quarantine::{Item, Kind};
use accord_domain::run::change::{End, held};
use accord_domain::run::{Assignment, Failure, FailureType, Holder, Run};
use accord_domain::usage::Usage;
use accord_store::{Finish, StoreError, WholeRun};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::Runs;
use crate::app::assignments::models;
use crate::app::bounds::check_usage;
use crate::app::tiers;
use crate::error::{Error, refuse};
use crate::metrics;

/// An agent has a handful of models and a model a handful of features.
const MOST_FACTS: usize = 64;

impl Runs {
    /// Ends a run, or takes it back.
    pub(crate) async fn finish(&self, run_id: RunId, report: FinishRun) -> Result<FinishedRun, Error> {
        check_usage("usage", &report.usage)?;
        check_members(&report)?;
        let holder = holder(run_id, &report.holding);
        self.runners.note_alive(&holder.runner_id).await;
        let run = match (report.status, self.assignments.take(&holder)) {
            // The coordinator that got the first report may have crashed on it.
            (FinishStatus::Completed | FinishStatus::Answered, _) if report.repeated => {
                let mark = Item::new(Kind::Finish, &holder.run_id);
                Box::pin(self.quarantine.marked(mark, self.ended(holder, report))).await?
            }
            (FinishStatus::Completed, Some(assignment)) => {
                self.completed(holder, &assignment, report).await?
            }
            // Boxed, here and below, so that the usual end keeps a small future.
            _ => Box::pin(self.ended(holder, report)).await?,
        };
        if run.status.is_over() {
            metrics::run_over(&run);
        }
        Ok(FinishedRun { run_id: run.id, status: run.status })
    }

    async fn ended(&self, holder: Holder, report: FinishRun) -> Result<Run, Error> {
        let (run, assignment) = self.held(&holder).await?;
        match report.status {
            FinishStatus::Completed => self.completed(holder, &assignment, report).await,
            FinishStatus::Failed => self.failed(run, &assignment, holder, report).await,
            FinishStatus::Stopped => self.end(&assignment, holder, End::Stopped, report.usage, report).await,
            FinishStatus::Answered => Box::pin(self.answered(run, assignment, holder, report)).await,
            FinishStatus::Waiting => self.wait_for_children(run, &assignment, holder, report).await,
            FinishStatus::InputRequired => self.ask_person(run, &assignment, holder, report).await,
            FinishStatus::Released => Ok(self.store.give_back(&holder, self.outside.now()).await?),
        }
    }

    /// The run and its documents, where the holder still holds it.
    async fn held(&self, holder: &Holder) -> Result<(Run, Assignment), Error> {
        let WholeRun { run, assignment, .. } = self.store.whole_run(&holder.run_id).await?;
        held(&run, holder).map_err(StoreError::Refused)?;
        Ok((run, assignment))
    }

    async fn completed(
        &self,
        holder: Holder,
        assignment: &Assignment,
        mut report: FinishRun,
    ) -> Result<Run, Error> {
        let outcome = match self.gate(assignment, &mut report).await {
            Ok(outcome) => outcome,
            // A runner that lost the run gets that error, whatever it reports.
            Err(error) => return Err(Box::pin(self.held(&holder)).await.err().unwrap_or(error)),
        };
        let usage = report.usage;
        self.end(assignment, holder, End::Completed(outcome), usage, report).await
    }

    async fn failed(
        &self,
        run: Run,
        assignment: &Assignment,
        holder: Holder,
        mut report: FinishRun,
    ) -> Result<Run, Error> {
        let failure = report.error.take().ok_or_else(|| refuse("error is required with status failed"))?;
        check_failure(&failure)?;
        // If the coordinator re-prompted, the runner does not know the previous answers.
        let failure = match run.retry_count > 0 && failure.attempts.is_none() {
            true => failure.with_closest(&self.store.attempts(&run.id).await?),
            false => failure,
        };
        self.fail(&run, assignment, holder, failure, report).await
    }

    /// Fails a run, or asks a person to correct its answer.
    pub(super) async fn fail(
        &self,
        run: &Run,
        assignment: &Assignment,
        holder: Holder,
        failure: Failure,
        report: FinishRun,
    ) -> Result<Run, Error> {
        match self.salvaged(run, assignment, &failure).await? {
            Some(request) => self.wait_for_correction(assignment, holder, request, report).await,
            None => {
                let usage = report.usage;
                self.end(assignment, holder, End::Failed(failure), usage, report).await
            }
        }
    }

    pub(super) async fn end(
        &self,
        assignment: &Assignment,
        holder: Holder,
        end: End,
        usage: Usage,
        report: FinishRun,
    ) -> Result<Run, Error> {
        let retries = match &end {
            End::Completed(outcome) => {
                outcome.validation.as_ref().map_or(0, |validation| validation.retry_count)
            }
            End::Failed(_) | End::Stopped => report.retry_count,
        };
        let now = self.outside.now();
        let observations = self.evidence(assignment, &end, report.facts, now)?;
        let finish = Finish {
            holder,
            end,
            usage,
            retries,
            conversation: report.conversation.map(text_of),
            affinity: report.affinity,
            observations,
            now,
        };
        Ok(self.store.finish_run(finish).await?)
    }

    /// What a run says about the models that it may use, at their providers; what it says about others is no evidence. That a feature was ignored
    /// counts only if the run met its contract in another way: whoever writes the prompt of a run can make it fail.
    fn evidence(
        &self,
        assignment: &Assignment,
        end: &End,
        facts: Vec<FactReport>,
        now: Timestamp,
    ) -> Result<Vec<Observation>, Error> {
        let mut all = observations(facts, now)?;
        if all.is_empty() {
            return Ok(all);
        }
        let mut assignment = assignment.clone();
        tiers::resolve_if_known(&mut assignment, &self.settings.tiers);
        let models = models(&assignment)?;
        let is_met = matches!(end, End::Completed(_));
        all.retain(|seen| {
            models.iter().any(|used| used.is_at(&seen.endpoint, &seen.model))
                && (is_met || seen.observed != Observed::Ignored)
        });
        Ok(all)
    }
}

pub(crate) fn holder(run_id: RunId, holding: &Holding) -> Holder {
    Holder {
        run_id,
        runner_id: holding.runner_id.clone(),
        lease_id: holding.lease_id.clone(),
        attempt: holding.attempt,
    }
}

/// Raw JSON as text, without a copy.
pub(super) fn text_of(raw: Box<RawValue>) -> String {
    Box::<str>::from(raw).into_string()
}

/// Rejects a result together with a failure: one of them would be dropped silently.
fn check_members(report: &FinishRun) -> Result<(), Error> {
    match report.status {
        FinishStatus::Completed if report.error.is_some() => {
            Err(refuse("error is not allowed with status completed; report failed, or omit it"))
        }
        FinishStatus::Failed
        | FinishStatus::Stopped
        | FinishStatus::Released
        | FinishStatus::Waiting
        | FinishStatus::InputRequired
            if report.result_data.as_ref().is_some_and(|data| data.get() != "null") =>
        {
            Err(refuse("result_data is allowed only with status completed; report completed, or omit it"))
        }
        _ => Ok(()),
    }
}

/// Only the coordinator knows whether no runner could take a run, it was lost, or coordinators crashed on it.
fn check_failure(failure: &Failure) -> Result<(), Error> {
    match failure.kind {
        FailureType::NoMatchingRunner
        | FailureType::RunnerLost
        | FailureType::ChildrenTimedOut
        | FailureType::InputTimedOut
        | FailureType::Poisoned => {
            Err(refuse(format!("runners cannot report error.type {}", failure.kind.as_str())))
        }
        _ => Ok(()),
    }
}

/// The observations of a runner about endpoints. A clock that is ahead would make them count for
/// longer.
fn observations(reports: Vec<FactReport>, now: Timestamp) -> Result<Vec<Observation>, Error> {
    if reports.len() > MOST_FACTS {
        return Err(refuse(format!("expected at most {MOST_FACTS} facts, got {}", reports.len())));
    }
    let observation = |report: FactReport| {
        let observed = match report.verdict.as_str() {
            "works" => Observed::Works,
            "refused" => Observed::Refused,
            "ignored" => Observed::Ignored,
            other => {
                return Err(refuse(format!("expected verdict works, refused or ignored, got '{other}'")));
            }
        };
        let FactReport { endpoint, model, feature, at, .. } = report;
        Ok(Observation { endpoint, model, feature, observed, at: at.min(now) })
    };
    reports.into_iter().map(observation).collect()
}
