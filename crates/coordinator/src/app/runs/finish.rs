//! The end of a run, as its runner reports it.

use accord_api::{FactReport, FinishRun, FinishStatus, FinishedRun, Holding, LastReport};
use accord_domain::attempt::Attempt;
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
use crate::app::{reports, tiers};
use crate::error::{Error, refuse};
use crate::metrics;

/// An agent has a handful of models and a model a handful of features.
const MOST_FACTS: usize = 64;

impl Runs {
    /// Ends a run, or takes it back.
    pub(crate) async fn finish(&self, run_id: RunId, mut report: FinishRun) -> Result<FinishedRun, Error> {
        check_usage("usage", &report.usage)?;
        check_members(&report)?;
        let delivery = report.holding.attempt;
        report.report = report.report.map(|told| reports::checked(told, delivery)).transpose()?;
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
            Some(request) => {
                let report = self.told(&holder, report).await?;
                self.wait_for_correction(assignment, holder, request, report).await
            }
            None => {
                let usage = report.usage;
                self.end(assignment, holder, End::Failed(failure), usage, report).await
            }
        }
    }

    /// Writes what happened in a run that has not ended, and gives the rest of the report.
    pub(super) async fn told(&self, holder: &Holder, mut report: FinishRun) -> Result<FinishRun, Error> {
        if let Some(told) = report.report.take() {
            reports::write(self.store.as_ref(), holder.clone(), told, self.outside.now()).await?;
        }
        Ok(report)
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
        let (last, new) = reports::last(report.report.unwrap_or_default(), holder.attempt, now);
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
        let finished = self.store.finish_run_after(last, finish).await?;
        new.count(&finished.judged);
        Ok(finished.run)
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

/// Rejects what does not fit together, and would be dropped silently.
fn check_members(report: &FinishRun) -> Result<(), Error> {
    if let Some(told) = &report.report {
        check_last(report.status, told)?;
    }
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

/// Whether an answer that does not conform is a failure is decided when it is reported, and only an end is saved with the rest.
fn check_last(status: FinishStatus, told: &LastReport) -> Result<(), Error> {
    if !matches!(status, FinishStatus::Completed | FinishStatus::Failed | FinishStatus::Stopped) {
        return Err(refuse(
            "report is allowed only with status completed, failed or stopped; send it to the run's events and attempts first",
        ));
    }
    match told.attempts.iter().find(|attempt| attempt.outcome.is_answer()) {
        Some(Attempt { number, outcome, .. }) => Err(refuse(format!(
            "report.attempts: expected attempts that need no answer, got attempt {number} with outcome {}; send it to the run's attempts first",
            outcome.as_str()
        ))),
        None => Ok(()),
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
