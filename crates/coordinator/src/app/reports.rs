//! What runners report while they work. Only the holder of a run may report.

use accord_api::{FinishedRun, Holding, LastReport, NewStep, ReportAttempts, ReportEvents, ReportedAttempts};
use accord_domain::attempt::{Attempt, Outcome};
use accord_domain::event::Body;
use accord_domain::id::{RunId, RunnerId};
use accord_domain::run::Holder;
use accord_domain::step::{self, Step};
use accord_store::{Last, Report, Store};
use jiff::Timestamp;

use super::bounds::{check_usage, shortened};
use super::runners::Runners;
use super::runs::holder;
use crate::error::{Error, refuse};
use crate::metrics::{self, Figures};

/// The most events in one report of a runner. A batch is one transaction, and others wait for it.
const MOST_EVENTS: usize = 1_000;

/// A run has at most eleven answers a rung and a handful of rungs.
const MOST_ATTEMPTS: usize = 200;

/// What one event may carry: a watcher gets it in one piece, and a page holds hundreds.
const EVENT_BYTES: usize = 1024 * 1024;

/// What one event may carry of unvalidated output, of which there may be hundreds while a run works.
const DELTA_BYTES: usize = 8 * 1024;

impl Runners {
    pub(crate) async fn run_started(&self, run_id: RunId, holding: &Holding) -> Result<FinishedRun, Error> {
        self.note_alive(&holding.runner_id).await;
        let run = self.store.start_run(&holder(run_id, holding), self.outside.now()).await?;
        Ok(FinishedRun { run_id: run.id, status: run.status })
    }

    pub(crate) async fn report_events(&self, run_id: RunId, report: ReportEvents) -> Result<(), Error> {
        let ReportEvents { holding, events, steps } = report;
        let told = checked(LastReport { events, steps, ..LastReport::default() }, holding.attempt)?;
        self.note_alive(&holding.runner_id).await;
        write(self.store.as_ref(), holder(run_id, &holding), told, self.outside.now()).await
    }

    pub(crate) async fn report_attempts(
        &self,
        run_id: RunId,
        report: ReportAttempts,
    ) -> Result<ReportedAttempts, Error> {
        let ReportAttempts { holding, attempts, step, events, steps } = report;
        let mut told = checked(LastReport { events, steps, attempts, step }, holding.attempt)?;
        self.note_alive(&holding.runner_id).await;
        let waiting = match told.attempts.last_mut().filter(|last| last.outcome.is_answer()) {
            Some(last) if self.waits_for_children(&run_id).await? => {
                last.outcome = Outcome::Waiting;
                true
            }
            _ => false,
        };
        write(self.store.as_ref(), holder(run_id, &holding), told, self.outside.now()).await?;
        Ok(ReportedAttempts { waiting })
    }

    /// Whether a nonconforming answer of this run is not a failure: it has a contract, and children
    /// that will call back.
    async fn waits_for_children(&self, run_id: &RunId) -> Result<bool, Error> {
        let run = self.store.run(run_id).await?;
        if self.store.children_to_come(&run.session_id).await?.is_empty() {
            return Ok(false);
        }
        Ok(self.store.assignment(run_id).await?.contract.is_some())
    }

    /// A runner that reports is alive. If that cannot be saved the report is still accepted: a runner that is gone may finish
    /// its runs.
    pub(super) async fn note_alive(&self, runner_id: &RunnerId) {
        let _ = self.heard_of(runner_id).await;
    }
}

/// Writes what happened in a run that goes on.
pub(super) async fn write(
    store: &dyn Store,
    holder: Holder,
    told: LastReport,
    now: Timestamp,
) -> Result<(), Error> {
    let (Last { events, attempts, steps }, new) = last(told, holder.attempt, now);
    let written = store.report(Report { holder, events, attempts, steps, now }).await?;
    new.count(&written);
    Ok(())
}

/// The figures of reported attempts, by their numbers.
pub(super) struct Judged(Vec<(u32, Figures)>);

impl Judged {
    /// Counts those that were written. Attempts that were reported before are counted already.
    pub(super) fn count(&self, written: &[u32]) {
        let new = self.0.iter().filter(|(number, _)| written.contains(number));
        new.for_each(|(_, figures)| metrics::attempt(figures));
    }
}

/// A checked report as it is written. The verdict is the step behind the others.
pub(super) fn last(told: LastReport, delivery: u32, now: Timestamp) -> (Last, Judged) {
    let LastReport { events, steps, attempts, step } = told;
    let verdict = |(last, number): (&Attempt, u32)| {
        let Attempt { delivery, number: attempt, outcome, .. } = *last;
        NewStep { number, body: step::Body::Verdict { delivery, attempt, outcome } }
    };
    let verdict = attempts.last().zip(step).map(verdict);
    let step = |NewStep { number, body }| Step { number, delivery, at: now, body };
    let steps = steps.into_iter().chain(verdict).map(step).collect();
    let judged = Judged(attempts.iter().map(|attempt| (attempt.number, Figures::of(attempt))).collect());
    (Last { events, attempts, steps }, judged)
}

/// A report that may be written.
pub(super) fn checked(told: LastReport, delivery: u32) -> Result<LastReport, Error> {
    check_count("events", told.events.len(), MOST_EVENTS)?;
    check_count("steps", told.steps.len(), MOST_EVENTS)?;
    check_count("attempts", told.attempts.len(), MOST_ATTEMPTS)?;
    told.events.iter().try_for_each(check_event)?;
    told.steps.iter().try_for_each(check_step)?;
    let attempts = told.attempts.into_iter().map(|attempt| checked_attempt(attempt, delivery));
    Ok(LastReport { attempts: attempts.collect::<Result<_, _>>()?, ..told })
}

fn check_count(what: &str, count: usize, most: usize) -> Result<(), Error> {
    match count <= most {
        true => Ok(()),
        false => Err(refuse(format!(
            "expected at most {most} {what} in one report, got {count}; send several reports"
        ))),
    }
}

/// Runners report what their executor did. The state of a run is decided by the coordinator.
fn check_event(body: &Body) -> Result<(), Error> {
    let bytes = match body {
        Body::Message { role, .. } if !matches!(role.as_str(), "assistant" | "user") => {
            return Err(refuse(format!("expected message role assistant or user, got '{role}'")));
        }
        Body::Message { text, .. } => text.len(),
        Body::OutputDelta { text, .. } if text.len() > DELTA_BYTES => {
            let message = format!(
                "output.delta event of {} bytes is too large; the limit is {DELTA_BYTES}",
                text.len()
            );
            return Err(refuse(message));
        }
        Body::OutputDelta { text, .. } => text.len(),
        Body::ToolStarted { call_id, name, arguments } => {
            call_id.len() + name.len() + arguments.to_string().len()
        }
        Body::ToolFinished { call_id, name, output, .. } => call_id.len() + name.len() + output.len(),
        Body::RequestRepeated { reason, .. } => reason.len(),
        other => {
            return Err(refuse(format!(
                "runners cannot report {} events; expected message, output.delta, tool.started, tool.finished or request.repeated",
                other.kind()
            )));
        }
    };
    match bytes <= EVENT_BYTES {
        true => Ok(()),
        false => Err(refuse(format!(
            "{} event of {bytes} bytes is too large; the limit is {EVENT_BYTES}",
            body.kind()
        ))),
    }
}

/// Only the coordinator tells a run what its children and people said.
fn check_step(step: &NewStep) -> Result<(), Error> {
    match &step.body {
        _ if step.number == 0 => Err(refuse("steps are numbered from 1")),
        step::Body::Message { .. } | step::Body::Input { .. } | step::Body::Verdict { .. } => {
            Err(refuse(format!("runners cannot report steps of type {}", step.body.kind())))
        }
        _ => Ok(()),
    }
}

fn checked_attempt(attempt: Attempt, delivery: u32) -> Result<Attempt, Error> {
    if attempt.delivery != delivery {
        return Err(refuse(format!(
            "attempt {} belongs to delivery {}, but the run is held as delivery {delivery}",
            attempt.number, attempt.delivery
        )));
    }
    if attempt.number == 0 {
        return Err(refuse("attempts are numbered from 1"));
    }
    check_usage(&format!("usage of attempt {}", attempt.number), &attempt.usage)?;
    Ok(Attempt { text: shortened(attempt.text), ..attempt })
}
