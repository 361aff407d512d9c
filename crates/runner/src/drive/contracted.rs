//! The loop under a contract.

mod judged;
mod state;

use std::sync::Arc;

use accord_api::{FactReport, Observed, Unmet};

use super::RunEnd;
use super::facts::Feature;
use super::failure;
use super::offers::Rung;
use super::step::{Cause, Seen, Step, next_step};
use super::turns::{NoAnswer, TurnOutcome, Turns};
use crate::assignment::Terms;
use state::State;

/// The evaluation of a turn, and the outcome of the run if this was the last one.
struct Evaluation {
    seen: Seen,
    end: RunEnd,
}

/// Why no fallback model can be used.
struct Stuck {
    why: String,
    /// Whether the session is with another provider by now, where the strategy cannot be had.
    has_moved: bool,
}

/// Asks until the contract is met or nothing more can be done.
pub(super) async fn run(turns: &mut Turns<'_>, terms: &Arc<Terms>) -> (RunEnd, Vec<FactReport>) {
    let cancel = turns.budget.stop();
    // Boxed, here and below: a run waits for its model for minutes, and what comes before and after takes no room then.
    let state = Box::pin(State::new(turns.assignment, terms, turns.capabilities.clone(), cancel));
    let state = match state.await {
        Ok(state) => state,
        Err(_) if cancel.is_cancelled() => return (RunEnd::Stopped, Vec::new()),
        Err(message) => return (failure::executor(message), Vec::new()),
    };
    let mut driver = Driver { turns, terms, state };
    let end = driver.run().await;
    driver.turns.retries = driver.state.retries;
    (end, driver.state.facts.into_learned(driver.state.history.was_answered()))
}

struct Driver<'a, 'b> {
    turns: &'a mut Turns<'b>,
    terms: &'a Arc<Terms>,
    state: State,
}

impl Driver<'_, '_> {
    async fn run(&mut self) -> RunEnd {
        loop {
            let turn = self.state.turn(self.turns.assignment, self.terms, self.turns.model.clone());
            let asked = self.turns.ask(turn).await;
            let evaluation = match &asked.result {
                Ok(answer) => Box::pin(self.answered(&asked, answer)).await,
                Err(why) => Box::pin(self.unanswered(&asked, why)).await,
            };
            if evaluation.seen == Seen::Waiting {
                match self.turns.take_message() {
                    Some(text) => self.state.tell(text),
                    None => return evaluation.end,
                }
                continue;
            }
            let situation = self.state.situation(self.turns, &self.terms.contract);
            match next_step(&situation, evaluation.seen) {
                Step::Ask(next) => {
                    self.state.apply(next);
                    if next.stronger
                        && let Err(Stuck { why, has_moved }) = Box::pin(self.fall_back()).await
                        // A contract retry can use the current model.
                        && (has_moved || !next.counted)
                    {
                        return failure::because(evaluation.end, &why);
                    }
                }
                Step::Fail(Cause::NoProgress) => return self.unmet(Unmet::NoProgress),
                Step::Accept
                | Step::Fail(Cause::Contract | Cause::Refused | Cause::Rejected | Cause::Unanswered) => {
                    return evaluation.end;
                }
            }
        }
    }

    /// Goes on with the next fallback model that can be used.
    async fn fall_back(&mut self) -> Result<(), Stuck> {
        let mut has_moved = false;
        loop {
            let moved = self.turns.fall_back().map_err(|why| Stuck { why, has_moved })?;
            let (capabilities, model) = (self.turns.capabilities.clone(), self.turns.model_name());
            match self.state.follow(moved, self.terms, capabilities, &model, self.turns.budget.stop()).await {
                Ok(()) => return Ok(()),
                Err(why) if self.turns.fallbacks.left() == 0 => return Err(Stuck { why, has_moved: true }),
                Err(_) => has_moved = true,
            }
        }
    }

    fn unmet(&self, unmet: Unmet) -> RunEnd {
        let attempts = self.turns.attempts();
        failure::contract(self.terms, &self.state.history, self.state.retries, attempts, unmet)
    }

    async fn unanswered(&mut self, asked: &TurnOutcome, why: &NoAnswer) -> Evaluation {
        let (strategy, prompt) = (self.state.rung.strategy(), self.state.re_prompt(self.terms));
        self.turns.record_unanswered(asked, why, strategy, prompt).await;
        if !asked.begun {
            self.state.take_back();
        }
        let seen = match why {
            NoAnswer::SchemaRejected(_) | NoAnswer::FormatRejected(_) | NoAnswer::ToolRejected(_) => {
                self.learn_refusal(why);
                Seen::Rejected
            }
            NoAnswer::Failed(_) if self.state.just_raised => Seen::CeilingRefused,
            why if self.turns.may_fall_back(why) => Seen::ProviderFailed,
            _ => Seen::Unanswered,
        };
        let end = match seen {
            Seen::Rejected => failure::executor(format!(
                "the provider rejected the strategy's request: {}; use {}",
                why.message(),
                self.state.offers.others(self.state.rung)
            )),
            _ => failure::unanswered(why),
        };
        Evaluation { seen, end: failure::after(end, &self.state.history, self.turns.attempts()) }
    }

    /// A refused schema says nothing about other schemas. Everything else that is refused is refused as such.
    fn learn_refusal(&mut self, why: &NoAnswer) {
        let feature = match self.state.rung {
            Rung::Native => self.state.offers.native_feature(),
            Rung::Tool if self.state.force => return self.learn(Feature::ForcedTool, Observed::Refused),
            Rung::Tool => Feature::Tool,
            Rung::Prompt => return,
        };
        match why {
            NoAnswer::SchemaRejected(_) => {
                let (model, now) = (self.turns.model_name(), self.turns.now());
                self.state.facts.learn_of_schema(&model, feature, Observed::Refused, now);
            }
            _ => self.learn(feature, Observed::Refused),
        }
    }

    fn learn(&mut self, feature: Feature, observed: Observed) {
        let model = self.turns.model_name();
        self.state.facts.learn(&model, feature, observed, self.turns.now());
    }
}
