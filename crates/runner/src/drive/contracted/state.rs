//! The state of a run under a contract, and how each step changes it.

use std::sync::Arc;

use accord_api::Contract;
use accord_api::agent::SendExamples;
use accord_contract::{EchoSources, Meter};
use accord_executor::{Allowance, Capabilities, Example, Turn};
use tokio_util::sync::CancellationToken;

use super::super::facts::{Facts, Feature};
use super::super::fallback::Moved;
use super::super::history::History;
use super::super::offers::{Offers, Rung};
use super::super::request::{self, Ask};
use super::super::step::{Ceiling, Next, Say, Situation};
use super::super::turns::Turns;
use crate::assignment::{Assignment, Terms};
use crate::limits::{LEAST_ANSWER_TOKENS, MOST_ANSWER_TOKENS};
use crate::metered::metered;

pub(super) struct State {
    pub(super) offers: Offers,
    pub(super) facts: Facts,
    pub(super) history: History,
    /// What the model is shown and must not give back.
    pub(super) echo_sources: Arc<EchoSources>,
    pub(super) rung: Rung,
    pub(super) force: bool,
    pub(super) retries: u32,
    /// Whether this is the first turn with a raised ceiling.
    pub(super) just_raised: bool,
    /// Whether what is asked next counts as a retry.
    just_counted: bool,
    /// The text before the cut, if the model is to continue it.
    pub(super) before: String,
    /// The answer that is to be bettered, and all of what was said.
    pub(super) wrong: Option<Ask>,
    pub(super) said: String,
    rungs: Vec<Rung>,
    has_tools: bool,
    ask: Ask,
    max_tokens: Option<u32>,
    max_tokens_before: Option<u32>,
    ceiling_is_fixed: bool,
    /// Tokens of the last answer that was cut off, if reported.
    pub(super) cut_at: Option<u32>,
    /// The exchanges that are shown before the task, if the rung shows them.
    examples: Vec<Example>,
    always_examples: bool,
    /// Whether what was said before is to be forgotten.
    fresh: bool,
    /// How many answers have repeated the schema, the form or an example.
    echoes: u32,
}

impl State {
    /// The start, on the best rung; or why the strategy that was asked for cannot be had.
    pub(super) async fn new(
        assignment: &Assignment,
        terms: &Arc<Terms>,
        capabilities: Capabilities,
        cancel: &CancellationToken,
    ) -> Result<Self, String> {
        let agent = &assignment.agent;
        let has_tools =
            !agent.tools.is_empty() || !agent.mcp_servers.is_empty() || !assignment.caller_tools.is_empty();
        let facts = Facts::new(&capabilities.endpoint, &terms.contract.schema_hash, &assignment.facts);
        let model = assignment.model.clone().unwrap_or_else(|| capabilities.model.clone());
        let offers = offers(terms, capabilities, has_tools, cancel).await?;
        let rungs = offers.rungs(terms.contract.strategy, &facts, &model)?;
        let rung = rungs.first().copied().unwrap_or(Rung::Prompt);
        let pairs =
            assignment.agent.examples.iter().map(|example| (example.input.clone(), example.output.clone()));
        let (pairs, skeleton) = (pairs.collect::<Vec<_>>(), offers.form(Rung::Prompt).skeleton().cloned());
        let schema = terms.compiled.schema().clone();
        let echo_sources = move |meter: &Meter| EchoSources::new(&schema, skeleton.as_ref(), pairs, meter);
        let echo_sources = metered(cancel, echo_sources).await?;
        let echo_sources = echo_sources.map_err(|exceeded| {
            format!("the examples cannot be compared with answers: {exceeded}; shorten them")
        })?;
        Ok(Self {
            offers,
            facts,
            history: History::default(),
            echo_sources: Arc::new(echo_sources),
            rung,
            force: false,
            // Retries of a lost delivery are not repeated; but at least one answer is needed, to
            // report what is wrong with it.
            retries: assignment.spent.retries.min(terms.contract.max_retries),
            just_raised: false,
            just_counted: false,
            before: String::new(),
            wrong: None,
            said: String::new(),
            rungs,
            has_tools,
            ask: Ask::Task,
            max_tokens: None,
            max_tokens_before: None,
            ceiling_is_fixed: false,
            cut_at: None,
            examples: request::exchanges(&assignment.agent),
            always_examples: assignment.agent.send_examples == SendExamples::Always
                && !assignment.agent.examples.is_empty(),
            fresh: false,
            echoes: 0,
        })
    }

    /// The re-prompt that is added to the task.
    pub(super) fn re_prompt(&self, terms: &Terms) -> Option<String> {
        self.ask.schema_text(terms, self.rung, self.offers.form(self.rung))
    }

    pub(super) fn turn(&self, assignment: &Assignment, terms: &Terms, model: Option<String>) -> Turn {
        let prompt = self.re_prompt(terms);
        let (schema, offer) = (terms.compiled.schema(), self.offers.get(self.rung));
        let form = self.offers.form(self.rung);
        Turn {
            system_prompt: request::system_under(assignment, terms, self.rung, form),
            prompt: prompt.unwrap_or_else(|| {
                let task = request::task_under(assignment, terms, self.rung, form);
                request::after_echoes(task, self.echoes)
            }),
            delivery: request::delivery(self.rung, offer, schema, self.force),
            model,
            max_tokens: self.max_tokens,
            allowance: Allowance::default(),
            examples: match self.always_examples || self.rung == Rung::Prompt {
                true => self.examples.clone(),
                false => Vec::new(),
            },
            fresh: self.fresh,
        }
    }

    pub(super) fn situation(&self, turns: &Turns<'_>, contract: &Contract) -> Situation {
        let capabilities = &turns.capabilities;
        let can_demand = capabilities.tool.as_ref().is_some_and(|tool| tool.force);
        Situation {
            retries_left: contract.max_retries.saturating_sub(self.retries),
            reprompt: capabilities.reprompt,
            rung: self.rung,
            lower: self.rungs.iter().copied().find(|rung| *rung > self.rung),
            stronger_left: turns.fallbacks.left(),
            forced: self.force,
            can_force: self.rung == Rung::Tool
                && can_demand
                && !self.facts.bars(&turns.model_name(), Feature::ForcedTool),
            higher_ceiling: self.higher_ceiling(capabilities),
        }
    }

    /// Twice the current token limit, if it is known. A server's own limit shows in the length
    /// before the cut; a text is continued instead.
    fn higher_ceiling(&self, capabilities: &Capabilities) -> Option<u32> {
        let cut_at = self.cut_at.filter(|_| capabilities.takes_ceiling && self.rung != Rung::Prompt);
        let cut_at = cut_at.map(|tokens| tokens.max(LEAST_ANSWER_TOKENS / 2));
        let now = self.max_tokens.or(capabilities.max_tokens).or(cut_at)?;
        let raisable = !self.ceiling_is_fixed && now < MOST_ANSWER_TOKENS;
        raisable.then(|| now.saturating_mul(2).min(MOST_ANSWER_TOKENS))
    }

    /// Undoes the last request, because it was not sent.
    pub(super) fn take_back(&mut self) {
        self.retries = self.retries.saturating_sub(u32::from(std::mem::take(&mut self.just_counted)));
    }

    /// Continues with what the children said, which is not one of the contract's retries.
    pub(super) fn tell(&mut self, text: String) {
        (self.force, self.fresh, self.just_raised, self.just_counted) = (false, false, false, false);
        self.before.clear();
        self.wrong = None;
        self.ask = Ask::Callback(text);
    }

    pub(super) fn apply(&mut self, next: Next) {
        self.retries += u32::from(next.counted);
        self.just_counted = next.counted;
        let is_same_rung = std::mem::replace(&mut self.rung, next.rung) == next.rung;
        self.force = next.force;
        self.fresh = next.say == Say::Anew;
        match next.say {
            Say::Same => {}
            Say::Anew => {
                self.before.clear();
                self.ask = Ask::Task;
                self.echoes += u32::from(self.wrong.take().is_some_and(|wrong| wrong.is_echo()));
                // A provider that holds the answer to the schema needs no examples; they have only been copied.
                self.always_examples &= self.rung != Rung::Native;
                // What misled a model here may help another one, or in another place.
                if !next.stronger && is_same_rung {
                    self.offers.hide_schema();
                }
            }
            Say::Continue => {
                self.before = std::mem::take(&mut self.said);
                self.ask = Ask::Rest;
            }
            Say::Errors => {
                self.before.clear();
                self.ask = self.wrong.take().unwrap_or(Ask::Task);
            }
        }
        self.just_raised = false;
        match next.ceiling {
            Ceiling::Keep => {}
            Ceiling::Raise(tokens) => {
                self.max_tokens_before = self.max_tokens.replace(tokens);
                self.just_raised = true;
            }
            Ceiling::Restore => {
                self.max_tokens = self.max_tokens_before.take();
                self.ceiling_is_fixed = true;
            }
        }
    }

    /// Adapts to the fallback model that is used from now on. Keeps the rung if this model supports it. Fails with the reason
    /// if the strategy that the contract names is not available.
    pub(super) async fn follow(
        &mut self,
        moved: Moved,
        terms: &Arc<Terms>,
        capabilities: Capabilities,
        model: &str,
        cancel: &CancellationToken,
    ) -> Result<(), String> {
        if moved == Moved::Provider {
            self.facts.move_to(&capabilities.endpoint);
            self.offers = offers(terms, capabilities, self.has_tools, cancel).await?;
            (self.max_tokens, self.max_tokens_before, self.cut_at) = (None, None, None);
            (self.just_raised, self.ceiling_is_fixed) = (false, false);
        }
        let rungs = self.offers.rungs(terms.contract.strategy, &self.facts, model);
        self.rungs = match moved {
            Moved::Provider => rungs?,
            // The strategy was there before, so it still is.
            Moved::Model => rungs.unwrap_or_else(|_| std::mem::take(&mut self.rungs)),
        };
        if !self.rungs.contains(&self.rung) {
            self.rung = self.rungs.first().copied().unwrap_or(Rung::Prompt);
        }
        self.force &= self.rung == Rung::Tool && !self.facts.bars(model, Feature::ForcedTool);
        Ok(())
    }
}

/// What the endpoint can be offered. A large schema takes a while to lower, and others wait for this thread.
async fn offers(
    terms: &Arc<Terms>,
    capabilities: Capabilities,
    has_tools: bool,
    cancel: &CancellationToken,
) -> Result<Offers, String> {
    let shared = Arc::clone(terms);
    let offers = metered(cancel, move |meter| Offers::new(&shared, &capabilities, has_tools, meter)).await?;
    offers.map_err(|exceeded| {
        format!("the output schema cannot be put into a form for the model: {exceeded}; make it smaller")
    })
}
