//! Enforcement by the coordinator, for executors that only return text and cannot be asked again in place.
//!
//! Each delivery of the run brings one answer. It is judged with the library that runners use. Rejected, with retries
//! left, the run waits for a runner again with the re-prompt in the place of its parameters. So the loop survives the
//! death of either side: what was asked and answered is in the store.

use accord_api::{ErrorName, FinishRun, HeldAnswer, LastReport};
use accord_contract::prompt::{self, Delivery, Retry};
use accord_contract::{Accepted, EchoSources, Exceeded, Meter, Rejected, Schema, Verdict};
use accord_domain::agent::Type;
use accord_domain::attempt::{self, Attempt, Outcome as Judged};
use accord_domain::contract::{Origin, Strategy};
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, Failure, Holder, Outcome, Run, Unmet, Validation};
use accord_domain::runner::Profile;
use accord_domain::usage::Usage;
use accord_store::AskAgain;
use serde::Deserialize;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug_span};

use super::finish::text_of;
use super::judgement::{cut_off, error, failure, outcome, repair, source};
use super::{Runs, gate};
use crate::app::bounds::shortened;
use crate::app::contracts::{self, InForce, ModelOutput};
use crate::error::{Error, refuse};
use crate::metrics::{self, Figures};
use crate::work::heavy;

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
    Ok(blueprint.executor.reprompt == Some(false))
}

/// The type of executors that say for themselves whether they can be asked again in place.
const EXTERNAL: &str = "external";

#[derive(Deserialize)]
struct ExecutorOnly {
    executor: RepromptOnly,
}

#[derive(Deserialize)]
struct RepromptOnly {
    #[serde(default)]
    reprompt: Option<bool>,
}

impl Runs {
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
                "status answered is only for executors whose contract is enforced by the coordinator; report completed or failed",
            ));
        }
        let answer = report.answer.take().ok_or_else(|| refuse("answer is required with status answered"))?;
        let earlier = self.earlier(&run).await?;
        let usage = earlier.iter().fold(report.usage, |used, attempt| used.and(attempt.usage));
        let in_force = match assignment.contract.as_deref() {
            Some(text) => Some(self.contracts.stored(text).await?),
            None => None,
        };
        let strategy = Strategy::Prompt.as_str();
        let span = debug_span!("attempt", run_id = %run.id, strategy, outcome = Empty);
        let turn = Turn { runs: self, run, holder, assignment, answer, earlier, usage, report, span };
        match in_force {
            Some(in_force) => turn.under(&in_force).await,
            None => turn.free().await,
        }
    }

    /// The attempts of earlier deliveries. One that this delivery reported before, because the response was lost, is not among
    /// them: it is still one attempt.
    async fn earlier(&self, run: &Run) -> Result<Vec<Attempt>, Error> {
        if run.attempt <= 1 {
            return Ok(Vec::new());
        }
        let mut attempts = self.store.attempts(&run.id).await?;
        attempts.retain(|attempt| attempt.delivery != run.attempt);
        Ok(attempts)
    }
}

/// One answer, and all that is needed for what follows.
struct Turn<'a> {
    runs: &'a Runs,
    run: Run,
    holder: Holder,
    assignment: Assignment,
    answer: HeldAnswer,
    /// The attempts of deliveries before this one.
    earlier: Vec<Attempt>,
    usage: Usage,
    report: FinishRun,
    span: Span,
}

impl Turn<'_> {
    /// Without a contract the text is the result, if it is all of it.
    async fn free(mut self) -> Result<Run, Error> {
        if gate::agent_type(&self.assignment.blueprint)? == Type::Procedural {
            return Err(Error::new(
                ErrorName::ContractViolation,
                "the agent is procedural and has no contract to validate the answer against; report completed with result_data",
            ));
        }
        let (outcome, end) = match self.answer.truncated {
            true => (Judged::Truncated, End::Failed(cut_off(&self.answer.text, self.attempts()))),
            false if self.answer.text.trim().is_empty() => {
                (Judged::Failed, End::Failed(Failure::no_answer(self.attempts())))
            }
            false => {
                let result_text = Some(self.answer.text.clone());
                let outcome = Outcome { result_text, result_data: None, raw: None, validation: None };
                (Judged::Accepted, End::Completed(outcome))
            }
        };
        self.record(self.attempt(outcome, Vec::new(), 0, Vec::new()));
        self.runs.end(&self.assignment, self.holder, end, self.usage, self.report).await
    }

    async fn under(self, in_force: &InForce) -> Result<Run, Error> {
        check_strategy(in_force.terms.strategy)?;
        let parameters = gate::parameters(in_force, &self.assignment);
        let structured = self.answer.structured.as_deref().map(|raw| serde_json::from_str(raw.get()));
        let structured =
            structured.transpose().map_err(|error| refuse(format!("answer.structured: {error}")))?;
        let output =
            ModelOutput { text: self.answer.text.clone(), structured, parameters: parameters.clone() };
        let judging = contracts::judged(output, in_force.answer.clone()).instrument(self.span.clone());
        let (verdict, text) = judging.await?;
        let schema = in_force.answer.schema().clone();
        let verdict = heavy(move |meter| without_echo(verdict, &schema, &parameters, meter)).await??;
        let verdict = if self.answer.truncated { verdict.of_cut(&text) } else { verdict };
        match verdict {
            Verdict::Accepted(accepted) => self.accept(in_force, accepted).await,
            Verdict::Rejected(rejected) => self.reject(in_force, rejected).await,
        }
    }

    async fn accept(mut self, in_force: &InForce, accepted: Accepted) -> Result<Run, Error> {
        let repairs: Vec<attempt::Repair> = accepted.repairs.iter().map(repair).collect();
        let source = Some(source(accepted.source));
        let attempt = self.attempt(Judged::Accepted, Vec::new(), 0, repairs.clone());
        self.record(Attempt { source, ..attempt });
        let terms = &in_force.terms;
        let attempts = self.attempts();
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
                source,
                attempts,
            }),
        };
        self.runs.end(&self.assignment, self.holder, End::Completed(outcome), self.usage, self.report).await
    }

    async fn reject(mut self, in_force: &InForce, rejected: Rejected) -> Result<Run, Error> {
        let outcome = match self.answer.truncated {
            true => Judged::Truncated,
            false => outcome(rejected.outcome),
        };
        let errors = rejected.violations.errors.iter().map(error).collect();
        let mut attempt = self.attempt(outcome, errors, rejected.violations.more, Vec::new());
        if !self.runs.store.children_to_come(&self.run.session_id).await?.is_empty() {
            self.span.record("outcome", Judged::Waiting.as_str());
            self.record(Attempt { outcome: Judged::Waiting, ..attempt });
            let report = FinishRun { usage: self.usage, ..self.report };
            let report = self.runs.told(&self.holder, report).await?;
            return self.runs.wait_for_children(self.run, &self.assignment, self.holder, report).await;
        }
        // The same prompt would get the same answer, and no other strategy is available here.
        let last = self.earlier.iter().rev().find(|earlier| earlier.outcome.is_answer());
        let is_repeated = last.is_some_and(|last| repeats(last, &attempt));
        let has_retries = self.run.retry_count < in_force.terms.max_retries;
        // The runner would refuse the turn for the same reason; failing here does not count a retry that never happened.
        let exhausted = gate::limits(&self.assignment.blueprint)?.exhausted(&self.usage);
        let unmet = match (has_retries, is_repeated, exhausted) {
            (true, false, None) => return self.ask_again(in_force, attempt, &rejected).await,
            (true, false, Some(words)) => Unmet::Exhausted(words),
            (true, true, _) => Unmet::NoProgress,
            (false, _, _) => Unmet::RetriesSpent,
        };
        if is_repeated {
            attempt.outcome = Judged::NoProgress;
            self.span.record("outcome", attempt.outcome.as_str());
        }
        self.record(attempt.clone());
        let attempts = [self.earlier, vec![attempt]].concat();
        let failure = failure(&in_force.terms, &attempts, self.run.retry_count, unmet);
        let report = FinishRun { usage: self.usage, ..self.report };
        self.runs.fail(&self.run, &self.assignment, self.holder, failure, report).await
    }

    async fn ask_again(
        self,
        in_force: &InForce,
        attempt: Attempt,
        rejected: &Rejected,
    ) -> Result<Run, Error> {
        let shown = in_force.terms.origin == Origin::Caller;
        let (schema, rejected, cut_off) =
            (in_force.answer.schema().clone(), rejected.clone(), self.answer.truncated);
        let answer = shown.then(|| self.answer.text.clone());
        let prompt = heavy(move |meter| {
            let form = prompt::Form::new(&schema, true, meter)?;
            let (form, rejected, answer) = (&form, &rejected, answer.as_deref());
            let retry = Retry { schema: &schema, form, rejected, answer, cut_off, delivery: Delivery::Text };
            Ok::<_, Exceeded>(prompt::retry(&retry, meter))
        });
        let prompt = prompt.await??;
        let figures = Figures::of(&attempt);
        accord_trace::verdict(&self.span, attempt.outcome.as_str());
        let again = AskAgain {
            holder: self.holder,
            attempt,
            prompt,
            usage: self.usage,
            conversation: self.report.conversation.map(text_of),
            now: self.runs.outside.now(),
        };
        let run = self.runs.store.ask_again(again).await?;
        metrics::attempt(&figures);
        Ok(run)
    }

    /// Adds the attempt to what is reported. It is written with what becomes of the run, or before it; writing it twice stores it
    /// once.
    fn record(&mut self, attempt: Attempt) {
        self.report.report = Some(LastReport { attempts: vec![attempt], ..LastReport::default() });
    }

    /// How many attempts there are, with this one.
    fn attempts(&self) -> u32 {
        u32::try_from(self.earlier.len()).unwrap_or(u32::MAX).saturating_add(1)
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
            at: self.runs.outside.now(),
            strategy: Strategy::Prompt,
            model: self.answer.model.clone(),
            endpoint: String::new(),
            outcome,
            errors,
            more_errors,
            repairs,
            source: None,
            usage: self.report.usage,
            duration_ms: self.answer.duration_ms,
            request_ms: Vec::new(),
            text: shortened(self.answer.text.clone()),
            prompt: self.assignment.retry_prompt.clone(),
            sent: None,
        }
    }
}

/// Whether the same is wrong with an answer as with the one before. Of values that were handed over, the texts beside them say
/// nothing. One that was cut off is asked in another way.
fn repeats(last: &Attempt, attempt: &Attempt) -> bool {
    last.outcome == attempt.outcome
        && (&last.errors, last.more_errors) == (&attempt.errors, attempt.more_errors)
        && attempt.outcome != Judged::Truncated
}

/// The verdict, unless it accepts placeholders of the form that the program was sent.
fn without_echo(
    verdict: Verdict,
    schema: &Schema,
    parameters: &str,
    meter: &Meter,
) -> Result<Verdict, Error> {
    if !matches!(verdict, Verdict::Accepted(_)) {
        return Ok(verdict);
    }
    let input = contracts::input(parameters)?;
    let form = prompt::Form::new(schema, true, meter)?;
    let shown = EchoSources::new(schema, form.skeleton(), Vec::new(), meter)?;
    Ok(shown.refuse_echo(verdict, &input, meter))
}

/// The coordinator enforces a contract by prompt only; runners that know this do not ask for another strategy.
fn check_strategy(strategy: Strategy) -> Result<(), Error> {
    match strategy {
        Strategy::Auto | Strategy::Prompt => Ok(()),
        Strategy::Native | Strategy::Tool => Err(refuse(format!(
            "the strategy '{}' cannot be used here: the coordinator enforces the contract of this executor by prompt only; report failed, and use 'prompt' or 'auto'",
            strategy.as_str()
        ))),
    }
}
