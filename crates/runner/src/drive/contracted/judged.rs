//! Evaluates an answer under a contract.

use std::sync::Arc;

use accord_api::{Observed, Unmet, Validation, ValueSource, attempt};
use accord_contract::lower::Lift;
use accord_contract::prompt::SUBMIT_TOOL;
use accord_contract::{Accepted, Outcome, Rejected, Source, Verdict, Violation};
use accord_executor::{Answer, Stop};

use super::super::RunEnd;
use super::super::facts::Feature;
use super::super::failure;
use super::super::offers::Rung;
use super::super::reading::AnswerJudge;
use super::super::recorded_verdict::{error, outcome, repair, value_source};
use super::super::request::Ask;
use super::super::step::Seen;
use super::super::turns::{Judged, NoAnswer, TurnOutcome};
use super::{Driver, Evaluation};

impl Driver<'_, '_> {
    pub(super) async fn answered(&mut self, asked: &TurnOutcome, answer: &Arc<Answer>) -> Evaluation {
        if let Stop::Refused(words) = &answer.stop {
            return self.refused(asked, answer, words).await;
        }
        let lift = self.state.offers.get(self.state.rung).map(|offer| offer.lowered.lift.clone());
        let is_called = !answer.submissions.is_empty() || answer.structured.is_some();
        let bench = AnswerJudge {
            contract: self.terms.compiled.clone(),
            lift: match self.state.rung {
                Rung::Tool if !is_called => lift.map(Lift::beside_channel),
                _ => lift,
            },
            input: self.turns.assignment.input.clone(),
            echo_sources: Arc::clone(&self.state.echo_sources),
        };
        let reading = match bench.read(answer, &self.state.before, self.turns.budget.stop()).await {
            Ok(reading) => reading,
            Err(words) => return self.unanswered(asked, &NoAnswer::Failed(words)).await,
        };
        let verdict = match (&answer.stop, reading.verdict) {
            (Stop::Truncated, verdict) => verdict.of_cut(&reading.raw),
            (Stop::Astray(names), Verdict::Rejected(rejected)) => {
                Verdict::Rejected(astray(rejected, names, self.state.rung))
            }
            (_, Verdict::Rejected(rejected))
                if self.state.rung == Rung::Tool && !is_called && rejected.outcome == Outcome::NoJson =>
            {
                Verdict::Rejected(uncalled(rejected))
            }
            (_, verdict) => verdict,
        };
        match verdict {
            Verdict::Accepted(accepted) => self.accepted(asked, answer, accepted, reading.raw).await,
            Verdict::Rejected(rejected) => self.rejected(asked, answer, rejected, reading.raw).await,
        }
    }

    async fn refused(&mut self, asked: &TurnOutcome, answer: &Answer, words: &str) -> Evaluation {
        self.state.history.refused();
        let text = if answer.text.is_empty() { words } else { &answer.text };
        let judged = self.judged(answer, attempt::Outcome::Refused, text);
        self.turns.record(asked, judged).await;
        Evaluation { seen: Seen::Refused, end: failure::refused(words, self.turns.attempts()) }
    }

    async fn accepted(
        &mut self,
        asked: &TurnOutcome,
        answer: &Answer,
        accepted: Accepted,
        raw: String,
    ) -> Evaluation {
        self.state.history.accepted();
        self.learn_from_success(answer, accepted.source);
        let repairs: Vec<_> = accepted.repairs.iter().map(repair).collect();
        let source = Some(self.source(answer, accepted.source));
        let judged = self.judged(answer, attempt::Outcome::Accepted, &raw);
        self.turns.record(asked, Judged { repairs: repairs.clone(), source, ..judged }).await;
        let contract = &self.terms.contract;
        let validation = Validation {
            valid: true,
            schema_name: contract.schema_name.clone(),
            schema_hash: contract.schema_hash.clone(),
            retry_count: self.state.retries,
            strategy: self.state.rung.strategy(),
            repairs,
            source,
            attempts: self.turns.attempts(),
        };
        let end = RunEnd::Data { value: accepted.value, raw, validation: Some(validation) };
        Evaluation { seen: Seen::Accepted, end }
    }

    /// A text that is the value alone was handed over as one where it is structured output or what a tool was called with.
    fn source(&self, answer: &Answer, source: Source) -> ValueSource {
        let is_handed_over = self.state.rung == Rung::Native || !answer.submissions.is_empty();
        match source {
            Source::Text if is_handed_over => ValueSource::Structured,
            other => value_source(other),
        }
    }

    async fn rejected(
        &mut self,
        asked: &TurnOutcome,
        answer: &Answer,
        rejected: Rejected,
        raw: String,
    ) -> Evaluation {
        let cut_off = answer.stop == Stop::Truncated;
        let submitted = !answer.submissions.is_empty();
        let rejected_outcome = rejected.outcome;
        let before = self.state.history.clone();
        let (seen, outcome) = if cut_off {
            self.state.history.cut(&rejected, &raw);
            self.state.cut_at = u32::try_from(asked.usage.output_tokens).ok().filter(|tokens| *tokens > 0);
            (Seen::Truncated, attempt::Outcome::Truncated)
        } else {
            let repeated = self.state.history.wanting(&rejected, &raw);
            let missing_call = self.state.rung == Rung::Tool && !submitted;
            match (missing_call, repeated) {
                (_, false) if rejected.outcome == Outcome::Unconfirmed => {
                    (Seen::Unconfirmed, attempt::Outcome::Unconfirmed)
                }
                (true, repeated) => {
                    let model = self.turns.model_name();
                    let calls_tools =
                        self.calls_other_tools(answer) || self.state.facts.has_worked(&model, Feature::Tool);
                    let outcome = match repeated {
                        true => attempt::Outcome::NoProgress,
                        false => attempt::Outcome::NotSubmitted,
                    };
                    (Seen::NotSubmitted { repeated, calls_tools }, outcome)
                }
                (false, repeated) => {
                    let is_echo = matches!(rejected.outcome, Outcome::SchemaEcho | Outcome::ExampleEcho);
                    let seen =
                        if is_echo { Seen::Echoed { repeated } } else { Seen::Nonconforming { repeated } };
                    let outcome = match repeated && !is_echo {
                        true => attempt::Outcome::NoProgress,
                        false => outcome(rejected.outcome),
                    };
                    (seen, outcome)
                }
            }
        };
        let unmet = match seen {
            Seen::Unconfirmed if !self.turns.capabilities.reprompt => Unmet::CannotConfirm,
            _ => Unmet::RetriesSpent,
        };
        let errors = rejected.violations.errors.iter().map(error).collect();
        let judged = self.judged(answer, outcome, &raw);
        let judged = Judged { errors, more_errors: rejected.violations.more, ..judged };
        if self.turns.record(asked, judged).await {
            // Answers while children are running do not count as attempts to meet the contract.
            self.state.history = before;
            return Evaluation { seen: Seen::Waiting, end: RunEnd::Waiting };
        }
        if !cut_off {
            self.learn_from_failure(answer, rejected_outcome);
        }
        self.state.said.clone_from(&raw);
        self.state.wrong =
            Some(Ask::Better { rejected: Box::new(rejected), answer: raw, cut_off, submitted });
        Evaluation { seen, end: self.unmet(unmet) }
    }

    fn judged(&self, answer: &Answer, outcome: attempt::Outcome, text: &str) -> Judged {
        let model = match answer.model.as_str() {
            "" => self.turns.model_name(),
            model => model.to_owned(),
        };
        let judged = Judged::new(outcome, self.state.rung.strategy(), &model, text);
        Judged { prompt: self.state.re_prompt(self.terms), ..judged }
    }

    /// A value with nothing around it came as it was asked for.
    fn learn_from_success(&mut self, answer: &Answer, source: Source) {
        let whole = matches!(source, Source::Structured | Source::Text);
        match self.state.rung {
            Rung::Native if whole => self.learn_success(self.state.offers.native_feature()),
            Rung::Tool if !answer.submissions.is_empty() => self.learn_success(Feature::Tool),
            _ => {}
        }
    }

    fn learn_success(&mut self, feature: Feature) {
        let (model, now) = (self.turns.model_name(), self.turns.now());
        self.state.facts.learn_success(&model, feature, now);
    }

    /// Prose shows that a schema, a tool or a demand had no effect; a call shows that tools work, whatever was in it. An empty
    /// answer shows nothing, nor does one in which other tools were called.
    fn learn_from_failure(&mut self, answer: &Answer, outcome: Outcome) {
        let is_called = !answer.submissions.is_empty();
        let is_prose = !is_called && answer.structured.is_none() && !answer.text.trim().is_empty();
        match self.state.rung {
            Rung::Native if is_prose && outcome == Outcome::NoJson => {
                self.learn(self.state.offers.native_feature(), Observed::Ignored);
            }
            Rung::Tool if is_called => self.learn_success(Feature::Tool),
            Rung::Tool if self.state.force => self.learn(Feature::ForcedTool, Observed::Ignored),
            Rung::Tool if is_prose && !self.calls_other_tools(answer) => {
                self.learn(Feature::Tool, Observed::Ignored);
            }
            _ => {}
        }
    }

    /// Whether the model called a tool in this turn, other than the submit tool.
    pub(super) fn calls_other_tools(&self, answer: &Answer) -> bool {
        self.turns.has_worked || matches!(answer.stop, Stop::Astray(_))
    }
}

/// The same rejection, with what was called in the place of an answer.
fn astray(mut rejected: Rejected, names: &str, rung: Rung) -> Rejected {
    let instead = match rung {
        Rung::Tool => format!("call `{SUBMIT_TOOL}`"),
        Rung::Native | Rung::Prompt => "return the JSON value as text".to_owned(),
    };
    let message = format!("unknown tool: {names}; {instead}");
    let (path, keyword) = ("$".to_owned(), "tool".to_owned());
    rejected.violations.errors.insert(0, Violation { path, pointer: String::new(), keyword, message });
    rejected
}

/// The same rejection of an answer without a value, with the tool that was to be called.
fn uncalled(mut rejected: Rejected) -> Rejected {
    for violation in &mut rejected.violations.errors {
        violation.message =
            format!("expected a call of `{SUBMIT_TOOL}`, got none, and {}", violation.message);
    }
    rejected
}
