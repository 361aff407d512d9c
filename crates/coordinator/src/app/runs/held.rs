//! Enforcement by the coordinator, for executors that only return text and cannot be asked again in place.
//!
//! Each delivery of the run brings one answer. It is judged with the library that runners use. Rejected, with retries
//! left, the run waits for a runner again with the re-prompt in the place of its parameters. So the loop survives the
//! death of either side: what was asked and answered is in the store.

use accord_api::{ErrorName, FinishRun, HeldAnswer};
use accord_contract::prompt::{self, Delivery, Retry};
use accord_contract::{Accepted, Rejected, Verdict};
use accord_domain::agent::Type;
use accord_domain::attempt::{self, Attempt, Outcome as Judged};
use accord_domain::contract::{Origin, Strategy};
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, Holder, Outcome, Run, Validation};
use accord_domain::runner::Profile;
use accord_domain::usage::Usage;
use accord_store::{AskAgain, Report};
use serde::Deserialize;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug_span};

use super::finish::{refuse, text_of};
use super::gate;
use super::told::{Unmet, error, failure, outcome, repair};
use crate::app::App;
use crate::app::contracts::{self, InForce, Said};
use crate::app::reports::shortened;
use crate::error::Error;
use crate::metrics::{self, Figures};

/// Whether the coordinator holds this run's executor to the contract: the runner says so of all executors of the type, or
/// the blueprint of this one.
pub(crate) fn is_held(profile: &Profile, run: &Run, blueprint: &str) -> Result<bool, Error> {
    let kind = run.demands.executor_type.as_deref();
    if kind.is_some_and(|kind| profile.held_executor_types.contains(kind)) {
        return Ok(true);
    }
    if kind != Some(EXTERNAL) {
        return Ok(false);
    }
    let blueprint: ExecutorOnly = serde_json::from_str(blueprint).map_err(Error::internal)?;
    Ok(blueprint.kind == Type::Autonomous && blueprint.executor.reprompt == Some(false))
}

/// The type of executors that say for themselves whether they can be asked again in place.
const EXTERNAL: &str = "external";

#[derive(Deserialize)]
struct ExecutorOnly {
    /// A procedural agent computes once and is never asked again.
    #[serde(default, rename = "type")]
    kind: Type,
    executor: RepromptOnly,
}

#[derive(Deserialize)]
struct RepromptOnly {
    #[serde(default)]
    reprompt: Option<bool>,
}

impl App {
    pub(super) async fn answered(
        &self,
        run: Run,
        assignment: Assignment,
        holder: Holder,
        mut report: FinishRun,
    ) -> Result<Run, Error> {
        let runner = self.store.runner(&holder.runner_id).await?;
        let held = runner.map(|runner| is_held(&runner.profile, &run, &assignment.blueprint)).transpose()?;
        if held != Some(true) {
            return Err(refuse(
                "status answered is for executors that the coordinator holds to the contract; report completed or failed",
            ));
        }
        let answer =
            report.answer.take().ok_or_else(|| refuse("an answered run has an answer: answer is missing"))?;
        let usage = run.usage.and(report.usage);
        let Some(contract) = &assignment.contract else {
            let outcome = free_text(&assignment, answer)?;
            return self.end(holder, End::Completed(outcome), usage, report).await;
        };
        let in_force = self.contracts.stored(contract)?;
        let parameters = gate::parameters(&in_force, &assignment);
        let structured = answer.structured.as_deref().map(|raw| serde_json::from_str(raw.get()));
        let structured =
            structured.transpose().map_err(|error| refuse(format!("answer.structured: {error}")))?;
        let said = Said { text: answer.text.clone(), structured, parameters };
        let strategy = Strategy::Prompt.as_str();
        let span = debug_span!("attempt", run_id = %run.id, strategy, outcome = Empty);
        let judging = contracts::judged(said, in_force.answer.clone()).instrument(span.clone());
        let (verdict, _) = judging.await?;
        let turn = Turn { app: self, run, holder, assignment, in_force, answer, usage, report, span };
        match verdict {
            Verdict::Accepted(accepted) => turn.accept(accepted).await,
            Verdict::Rejected(rejected) => turn.reject(rejected).await,
        }
    }
}

/// One answer, judged, and all that is needed for what follows.
struct Turn<'a> {
    app: &'a App,
    run: Run,
    holder: Holder,
    assignment: Assignment,
    in_force: std::sync::Arc<InForce>,
    answer: HeldAnswer,
    usage: Usage,
    report: FinishRun,
    /// The attempt, for traces.
    span: Span,
}

impl Turn<'_> {
    async fn accept(self, accepted: Accepted) -> Result<Run, Error> {
        let repairs: Vec<attempt::Repair> = accepted.repairs.iter().map(repair).collect();
        let attempt = self.attempt(Judged::Accepted, Vec::new(), 0, repairs.clone());
        self.record(attempt).await?;
        let terms = &self.in_force.terms;
        let outcome = Outcome {
            result_text: None,
            result_data: Some(accepted.value.to_string()),
            raw: Some(self.answer.text),
            validation: Some(Validation {
                valid: true,
                schema_name: terms.schema_name.clone(),
                schema_hash: terms.schema_hash.clone(),
                retry_count: self.run.retry_count,
                strategy: Strategy::Prompt,
                repairs,
                attempts: self.run.retry_count + 1,
            }),
        };
        self.app.end(self.holder, End::Completed(outcome), self.usage, self.report).await
    }

    async fn reject(self, rejected: Rejected) -> Result<Run, Error> {
        let outcome = match self.answer.truncated {
            true => Judged::Truncated,
            false => outcome(rejected.outcome),
        };
        let errors = rejected.violations.errors.iter().map(error).collect();
        let mut attempt = self.attempt(outcome, errors, rejected.violations.more, Vec::new());
        let mut attempts = self.app.store.attempts(&self.run.id).await?;
        // Told a second time because the first answer was lost: it is still one attempt.
        attempts.retain(|earlier| earlier.delivery != attempt.delivery);
        // Asking the same in the same way gives the same, and here there is no other way.
        let is_repeated = attempts.last().is_some_and(|last| repeats(last, &attempt));
        let has_retries = self.run.retry_count < self.in_force.terms.max_retries;
        if has_retries && !is_repeated {
            return self.ask_again(attempt, &rejected).await;
        }
        let unmet = if has_retries { Unmet::NoProgress } else { Unmet::RetriesSpent };
        if is_repeated {
            attempt.outcome = Judged::NoProgress;
            self.span.record("outcome", attempt.outcome.as_str());
        }
        self.record(attempt.clone()).await?;
        attempts.push(attempt);
        let failure = failure(&self.in_force.terms, &attempts, self.run.retry_count, unmet);
        self.app.end(self.holder, End::Failed(failure), self.usage, self.report).await
    }

    async fn ask_again(self, attempt: Attempt, rejected: &Rejected) -> Result<Run, Error> {
        let shown = self.in_force.terms.origin == Origin::Caller;
        let prompt = prompt::retry(&Retry {
            schema: self.in_force.answer.schema(),
            form: self.in_force.answer.schema().document(),
            rejected,
            answer: shown.then_some(self.answer.text.as_str()),
            cut_off: self.answer.truncated,
            delivery: Delivery::Text,
        });
        let figures = Figures::of(&attempt);
        let again = AskAgain {
            holder: self.holder,
            attempt,
            prompt,
            usage: self.usage,
            conversation: self.report.conversation.map(text_of),
            now: self.app.outside.now(),
        };
        let run = self.app.store.ask_again(again).await?;
        metrics::attempt(&figures);
        Ok(run)
    }

    /// Written before the end, so that every end has its attempts. Written twice, it is there once.
    async fn record(&self, attempt: Attempt) -> Result<(), Error> {
        let now = self.app.outside.now();
        let figures = Figures::of(&attempt);
        let report = Report { holder: self.holder.clone(), events: Vec::new(), attempts: vec![attempt], now };
        self.app.store.report(report).await?;
        metrics::attempt(&figures);
        Ok(())
    }

    fn attempt(
        &self,
        outcome: Judged,
        errors: Vec<attempt::Error>,
        more_errors: usize,
        repairs: Vec<attempt::Repair>,
    ) -> Attempt {
        self.span.record("outcome", outcome.as_str());
        Attempt {
            number: 1,
            delivery: self.run.attempt,
            at: self.app.outside.now(),
            strategy: Strategy::Prompt,
            model: self.answer.model.clone(),
            endpoint: String::new(),
            outcome,
            errors,
            more_errors,
            repairs,
            usage: self.report.usage,
            duration_ms: self.answer.duration_ms,
            request_ms: Vec::new(),
            text: shortened(self.answer.text.clone()),
            prompt: self.assignment.retry_prompt.clone(),
        }
    }
}

/// Whether an answer is the one before, in its words or in what is wrong with it. One that was cut off is asked in another
/// way.
fn repeats(last: &Attempt, attempt: &Attempt) -> bool {
    let is_whole = |attempt: &Attempt| attempt.outcome != Judged::Truncated;
    let is_same = last.text.trim() == attempt.text.trim()
        || last.outcome == attempt.outcome && last.errors == attempt.errors;
    is_whole(last) && is_whole(attempt) && is_same
}

/// An agent without a contract answers in text.
fn free_text(assignment: &Assignment, answer: HeldAnswer) -> Result<Outcome, Error> {
    match gate::agent_type(&assignment.blueprint)? {
        Type::Autonomous => {
            Ok(Outcome { result_text: Some(answer.text), result_data: None, raw: None, validation: None })
        }
        Type::Procedural => Err(Error::new(
            ErrorName::ContractViolation,
            "the agent is procedural and has no contract to judge the answer by; report completed with result_data",
        )),
    }
}
